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
    SOS_FORMAT_AUTO,         /* reading: by the first word; writing: by the ending of the path (.sos, .sosb, .uai, .max), and
                                .sos where there is no path */
    SOS_FORMAT_SOS,          /* "sos 1" to "sos 4" */
    SOS_FORMAT_UAI,          /* MARKOV, binary variables, tables are potentials: energy = -log */
    SOS_FORMAT_UAI_ENERGIES, /* the same with tables that already are costs; never chosen by AUTO */
    SOS_FORMAT_DIMACS,       /* p max: cut = flow; the variables are the nodes but source and sink, label 1 = source side */
    SOS_FORMAT_MULTI,        /* "sosmulti 1": an energy with several labels, for the calls below that have one */
    SOS_FORMAT_BINARY        /* all that .sos can hold, in bytes: many times as fast to read, and small */
} sos_format;

/* The format by the first word; SOS_FORMAT_AUTO: none of these. */
SOS_API sos_format sos_format_recognise(const char *text, size_t length);

/* Reads an energy.  *out is the caller's, to free.  Errors name the line. */
SOS_MUST_USE SOS_API sos_status sos_energy_read(const char *path, sos_format format, sos_energy **out, sos_error *error);

/* The same from memory; name stands for the path in messages. */
SOS_MUST_USE SOS_API sos_status sos_energy_parse(const char *text, size_t length, const char *name, sos_format format,
                                                 sos_energy **out, sos_error *error);

/* Writes an energy to path, by way of a temporary file beside it and a rename, so that path never holds half of it.  Costs
 * are written so that reading gives back the same doubles.  SOS_ERR_ARGUMENT where the format cannot hold the energy, with
 * the reason. */
SOS_MUST_USE SOS_API sos_status sos_energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error);

/* The same bytes to a stream, which stays open, and into memory: *text is the caller's, to free by free(), *length its bytes,
 * behind which stands a zero.  A stream may have got a part when writing fails, but nothing where the format cannot hold e. */
SOS_MUST_USE SOS_API sos_status sos_energy_write_stream(const sos_energy *e, FILE *file, sos_format format, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_energy_write_memory(const sos_energy *e, sos_format format, char **text, size_t *length,
                                                        sos_error *error);

/* All of it for energies with several labels; format is SOS_FORMAT_AUTO or SOS_FORMAT_MULTI, whatever the path. */
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
