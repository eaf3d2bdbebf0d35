/* format.h - energies in files: .sos text and its binary form, UAI MARKOV, DIMACS max-flow; and with several labels.
 * docs/formats.md describes them. */
#ifndef SOS_FORMAT_H
#define SOS_FORMAT_H

#include <stdio.h>

#include <sos/energy.h>
#include <sos/multi_energy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_format {
    SOS_FORMAT_AUTO,         /* reading: by the first word; writing: by the extension of the path (.sos, .sosb, .uai, .max), and
                                .sos without a path */
    SOS_FORMAT_SOS,          /* "sos 1" to "sos 4" */
    SOS_FORMAT_UAI,          /* MARKOV, binary variables, tables are potentials: energy = -log */
    SOS_FORMAT_UAI_ENERGIES, /* the same with tables that already are costs; never chosen by AUTO */
    SOS_FORMAT_DIMACS,       /* p max: variables are the nodes except source and sink, label 1 is the source side */
    SOS_FORMAT_MULTI,        /* "sosmulti 1": an energy with several labels, for the calls on sos_multi_energy below */
    SOS_FORMAT_BINARY        /* the contents of .sos in binary form: much faster to read, and smaller */
} sos_format;

/* Recognises the format by the first word; SOS_FORMAT_AUTO: unknown. */
SOS_API sos_format sos_format_recognise(const char *text, size_t length);

/* Reads an energy.  The caller frees *out.  Errors name the line. */
SOS_MUST_USE SOS_API sos_status sos_energy_read(const char *path, sos_format format, sos_energy **out, sos_error *error);

/* The same from memory; name stands for the path in messages. */
SOS_MUST_USE SOS_API sos_status sos_energy_parse(const char *text, size_t length, const char *name, sos_format format,
                                                 sos_energy **out, sos_error *error);

/* Writes an energy to a temporary file, which is then renamed to path, so that path never holds an incomplete file.  Reading it
 * back gives the same doubles.  SOS_ERR_ARGUMENT, with the reason, if the format cannot represent the energy. */
SOS_MUST_USE SOS_API sos_status sos_energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error);

/* Writes the same bytes to a stream, which stays open, or into memory: *text, which the caller frees with free(), has *length
 * bytes and a terminating zero.  If writing to a stream fails, part of the bytes may have been written, but none if the format
 * cannot represent e. */
SOS_MUST_USE SOS_API sos_status sos_energy_write_stream(const sos_energy *e, FILE *file, sos_format format, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_energy_write_memory(const sos_energy *e, sos_format format, char **text, size_t *length,
                                                        sos_error *error);

/* The same for energies with several labels; format is SOS_FORMAT_AUTO or SOS_FORMAT_MULTI, whatever the path. */
SOS_MUST_USE SOS_API sos_status sos_multi_energy_read(const char *path, sos_format format, sos_multi_energy **out,
                                                      sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_multi_energy_parse(const char *text, size_t length, const char *name, sos_format format,
                                                       sos_multi_energy **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_multi_energy_write(const sos_multi_energy *e, const char *path, sos_format format,
                                                       sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_multi_energy_write_memory(const sos_multi_energy *e, sos_format format, char **text,
                                                              size_t *length, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
