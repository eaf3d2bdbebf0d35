/* format.h - energies in files: .sos text, UAI MARKOV, DIMACS max-flow.  docs/formats.md describes them. */
#ifndef SOS_FORMAT_H
#define SOS_FORMAT_H

#include <sos/energy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_format {
    SOS_FORMAT_AUTO,         /* reading: by the first word; writing: by the ending of the path (.sos, .uai, .max) */
    SOS_FORMAT_SOS,          /* "sos 1" or "sos 2" */
    SOS_FORMAT_UAI,          /* MARKOV, binary variables, tables are potentials: energy = -log */
    SOS_FORMAT_UAI_ENERGIES, /* the same with tables that already are costs; never chosen by AUTO */
    SOS_FORMAT_DIMACS        /* p max: cut = flow; the variables are the nodes but source and sink, label 1 = source side */
} sos_format;

/* Reads an energy.  *out is the caller's, to free.  Errors name the line. */
SOS_MUST_USE SOS_API sos_status sos_energy_read(const char *path, sos_format format, sos_energy **out, sos_error *error);

/* The same from memory; name stands for the path in messages. */
SOS_MUST_USE SOS_API sos_status sos_energy_parse(const char *text, size_t length, const char *name, sos_format format,
                                                 sos_energy **out, sos_error *error);

/* Writes an energy to path, by way of a temporary file beside it and a rename, so that path never holds half of it.  Costs
 * are written so that reading gives back the same doubles.  SOS_ERR_ARGUMENT where the format cannot hold the energy, with
 * the reason. */
SOS_MUST_USE SOS_API sos_status sos_energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
