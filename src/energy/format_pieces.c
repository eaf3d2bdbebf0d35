/* format_pieces.c - lines that the formats of energies with two and with several labels share: functions of the count in linear
 * pieces. */
#include <stdlib.h>

#include "base/memory.h"
#include "energy/format.h"

bool sos_format_is_pieces(const sos_scanner *s) { return sos_scan_is(s, "pieces") || sos_scan_is(s, "amounts"); }

static sos_status numbers_read(sos_scanner *s, const char *what, size_t count, double x[])
{
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < count; i++) status = sos_scan_real(s, what, &x[i]);
    return status;
}

sos_status sos_format_pieces_read(sos_scanner *s, size_t n, size_t labels, sos_format_pieces *p)
{
    const bool with_amounts = sos_scan_is(s, "amounts");
    sos_status status = sos_scan_count(s, "the number of members of a clique", n, &p->k);
    if (status) return status;
    if (!p->k) return sos_scan_expected(s, "a clique of at least 1 member");
    status = sos_scan_count(s, "the number of knots", SIZE_MAX, &p->knots);
    if (!status) status = sos_format_weight_read(s, &p->weight);
    if (!status) status = sos_scan_room(s, "members of a clique", p->k, with_amounts ? 4 : 2);
    if (!status) status = sos_scan_room(s, "knots", p->knots, 2 + 2 * labels);
    if (status) return status;
    const size_t amounts = with_amounts ? p->k : 0;
    if (!sos_grow(&p->members, &p->members_room, p->k) ||
        !sos_grow(&p->numbers, &p->numbers_room, amounts + (1 + labels) * p->knots + 1))
        return sos_format_no_memory(s);
    double *place = p->numbers + amounts, *value = place + p->knots;
    p->amounts = with_amounts ? p->numbers : NULL;
    p->place = place;
    p->value = value;
    status = sos_format_members_read(s, n, p->k, p->members);
    if (!status) status = numbers_read(s, "an amount", amounts, p->numbers);
    if (!status) status = numbers_read(s, "the place of a knot", p->knots, place);
    return status ? status : numbers_read(s, "a value at a knot", labels * p->knots, value);
}

void sos_format_pieces_free(sos_format_pieces *p)
{
    free(p->members);
    free(p->numbers);
}

void sos_format_pieces_write(sos_output *o, const sos_pieces *p, size_t labels)
{
    fprintf(o->file, "%s %zu %zu ", p->amounts ? "amounts" : "pieces", p->k, p->knots);
    sos_output_real(o, p->weight, ' ');
    for (size_t i = 0; i < p->k; i++) fprintf(o->file, "%u ", (unsigned)p->variables[i]);
    for (size_t i = 0; p->amounts && i < p->k; i++) sos_output_real(o, p->amounts[i], ' ');
    for (size_t j = 0; j < p->knots; j++) sos_output_real(o, p->place[j], ' ');
    sos_format_reals_write(o, labels * p->knots, p->value);
}
