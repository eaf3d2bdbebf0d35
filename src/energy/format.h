/* format.h - what the readers and writers of energy files share. */
#ifndef SOS_ENERGY_FORMAT_H
#define SOS_ENERGY_FORMAT_H

#include <sos/format.h>

#include "base/output.h"
#include "base/scan.h"

sos_status sos_format_sos_read(sos_scanner *s, sos_energy **out);
sos_status sos_format_uai_read(sos_scanner *s, bool energies, sos_energy **out);
sos_status sos_format_dimacs_read(sos_scanner *s, sos_energy **out);
sos_status sos_format_multi_read(sos_scanner *s, sos_multi_energy **out);
sos_status sos_format_binary_read(const char *bytes, size_t length, const char *name, sos_energy **out, sos_error *error);

/* Do the bytes begin as the binary form does? */
bool sos_format_is_binary(const char *bytes, size_t length);

/* Each checks first whether the format can hold e, then writes all of it to o. */
sos_status sos_format_sos_write(const sos_energy *e, sos_output *o);
sos_status sos_format_uai_write(const sos_energy *e, bool energies, sos_output *o);
sos_status sos_format_dimacs_write(const sos_energy *e, sos_output *o);
sos_status sos_format_binary_write(const sos_energy *e, sos_output *o);
sos_status sos_format_multi_write(const sos_multi_energy *e, sos_output *o);

/* "WORD count", where so many lines of at least so many bytes each must follow. */
sos_status sos_format_count_read(sos_scanner *s, const char *word, size_t bytes, size_t *count);

/* k variables below n, a weight >= 0, and count lines "clique TABLE [WEIGHT] VARIABLES", added to e. */
sos_status sos_format_members_read(sos_scanner *s, size_t n, size_t k, uint32_t members[]);
sos_status sos_format_weight_read(sos_scanner *s, double *weight);
sos_status sos_format_cliques_read(sos_scanner *s, sos_energy *e, size_t count, bool weighted);
void sos_format_cliques_write(const sos_energy *e, sos_output *o, bool weighted);

/* What a line of a function of the count in pieces holds, behind its first word: "pieces K J weight variables places values",
 * or "amounts K J weight variables amounts places values". */
typedef struct sos_format_pieces {
    size_t k, knots;
    uint32_t *members;
    double weight;
    const double *amounts, *place, *value; /* in numbers; amounts may be NULL */
    double *numbers;
    size_t members_room, numbers_room;
} sos_format_pieces;

/* Is the word just read the first of such a line?  Then the rest, with values for so many labels. */
bool sos_format_is_pieces(const sos_scanner *s);
sos_status sos_format_pieces_read(sos_scanner *s, size_t n, size_t labels, sos_format_pieces *p);
void sos_format_pieces_free(sos_format_pieces *p);
void sos_format_pieces_write(sos_output *o, const sos_pieces *p, size_t labels);

/* Numbers on one line. */
void sos_format_reals_write(sos_output *o, size_t count, const double x[]);

static inline sos_status sos_format_no_memory(const sos_scanner *s)
{
    return sos_scan_fail(s, SOS_ERR_MEMORY, "no memory to read further");
}

#endif
