/* expand_factor.c - how far from the minimum expansion moves can end (math.md, 13.6). */
#include "minimize/mover.h"

#include <math.h>

/* min(k, L) (greatest - least) / (least of mixed - least) of a clique of k members (13.6). */
static double factor_of(const sos_multi_energy *e, size_t k, sos_extremes x)
{
    if (k < 2 || x.greatest <= x.least) return 1;
    const double most = (double)(k < e->labels ? k : e->labels);
    return x.least_mixed > x.least ? most * (x.greatest - x.least) / (x.least_mixed - x.least) : INFINITY;
}

double sos_expand_factor(const sos_multi_energy *e)
{
    if (e->labels == 2) return 1;
    double factor = 1;
    for (uint32_t t = 0; t < e->frame->table_count; t++)
        if (e->frame->tables[t].uses) factor = fmax(factor, factor_of(e, e->frame->tables[t].k, sos_tables_extremes(e, t)));
    for (size_t c = 0; c < e->count_count; c++)
        if (e->counts[c].weight > 0) factor = fmax(factor, factor_of(e, e->counts[c].k, sos_count_extremes(e, &e->counts[c])));
    return factor;
}
