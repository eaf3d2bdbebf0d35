/* multi_tables.c - sets of tables, one for each label, and the cliques that use them: those of the frame. */
#include "energy/multi_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

static sos_status tables_check(const sos_multi_energy *e, size_t k, const double g[], sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    const size_t entries = (size_t)1 << k;
    for (size_t l = 0; l < e->labels; l++) {
        sos_error why;
        const sos_status status = sos_table_check(k, g + l * entries, &why);
        if (status) return sos_fail(error, status, "label %zu: %.400s", l, why.message);
        for (size_t S = 0; S < entries; S++)
            if (fabs(g[l * entries + S]) > SOS_LARGEST_LABEL_COST)
                return sos_fail(error, SOS_ERR_RANGE, "label %zu: table entry %zu is %g, too large", l, S, g[l * entries + S]);
    }
    return SOS_OK;
}

/* Room for the costs of all tables of the frame; those that are new are 0. */
static bool costs_reserve(sos_multi_energy *e)
{
    const size_t count = e->labels * e->frame->costs_count;
    if (!sos_grow(&e->costs, &e->costs_room, count)) return false;
    if (count > e->costs_count) memset(e->costs + e->costs_count, 0, (count - e->costs_count) * sizeof *e->costs);
    e->costs_count = count;
    return true;
}

sos_status sos_multi_energy_add_tables(sos_multi_energy *e, size_t k, const double g[], uint32_t *set, sos_error *error)
{
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "tables of %zu members; 1 to %d are possible", k, SOS_TABLE_MEMBERS_MAX);
    if (!set) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the number of the tables was given");
    sos_status status = tables_check(e, k, g, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    if (!sos_grow(&e->costs, &e->costs_room, e->labels * (e->frame->costs_count + entries)))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", k);
    double *zeros = calloc(entries, sizeof *zeros);
    if (!zeros) return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", k);
    status = sos_energy_add_table(e->frame, k, zeros, set, error);
    free(zeros);
    return status ? status : sos_multi_energy_set_tables(e, *set, g, error);
}

sos_status sos_multi_energy_set_tables(sos_multi_energy *e, uint32_t set, const double g[], sos_error *error)
{
    if (set >= e->frame->table_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "tables %u, but there are %zu", (unsigned)set, e->frame->table_count);
    const sos_table *t = &e->frame->tables[set];
    const sos_status status = tables_check(e, t->k, g, error);
    if (status) return status;
    if (!costs_reserve(e)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", t->k);
    memcpy(e->costs + e->labels * t->offset, g, e->labels * sizeof *g << t->k);
    return SOS_OK;
}

sos_status sos_multi_energy_add_cliques(sos_multi_energy *e, uint32_t set, size_t count, const uint32_t variables[],
                                        const double weights[], sos_error *error)
{
    return sos_energy_add_cliques(e->frame, set, count, variables, weights, error);
}

sos_status sos_multi_energy_add_patches(sos_multi_energy *e, uint32_t set, size_t width, size_t height, size_t patch_width,
                                        size_t patch_height, const double weights[], sos_error *error)
{
    return sos_energy_add_patches(e->frame, set, width, height, patch_width, patch_height, weights, error);
}

sos_status sos_multi_energy_add_volume_patches(sos_multi_energy *e, uint32_t set, size_t width, size_t height, size_t depth,
                                               size_t patch_width, size_t patch_height, size_t patch_depth,
                                               const double weights[], sos_error *error)
{
    return sos_energy_add_volume_patches(e->frame, set, width, height, depth, patch_width, patch_height, patch_depth, weights,
                                         error);
}

/* Labels that differ cost 1/2 for each of the two. */
sos_status sos_multi_energy_add_potts(sos_multi_energy *e, size_t count, const uint32_t variables[], const double strengths[],
                                      sos_error *error)
{
    if (e->potts == SOS_NO_SET) {
        double g[4 * SOS_LABELS_MAX];
        for (size_t S = 0; S < 4 * e->labels; S++) g[S] = S % 4 == 1 || S % 4 == 2 ? 0.5 : 0;
        const sos_status status = sos_multi_energy_add_tables(e, 2, g, &e->potts, error);
        if (status) return status;
    }
    return sos_energy_add_cliques(e->frame, e->potts, count, variables, strengths, error);
}

sos_status sos_multi_energy_set_weights(sos_multi_energy *e, size_t first, size_t count, const double weights[],
                                        sos_error *error)
{
    return sos_energy_set_weights(e->frame, first, count, weights, error);
}

const double *sos_multi_energy_tables(const sos_multi_energy *e, uint32_t set, size_t *k)
{
    sos_expects(set < e->frame->table_count);
    *k = e->frame->tables[set].k;
    return sos_multi_energy_costs(e, set);
}

sos_clique sos_multi_energy_clique(const sos_multi_energy *e, size_t clique) { return sos_energy_clique(e->frame, clique); }
