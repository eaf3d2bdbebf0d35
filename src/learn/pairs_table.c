/* pairs_table.c - the weights of a table that is a sum of pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/cone.h"

static sos_status arguments_check(const sos_model *m, uint32_t group, size_t count, const uint32_t places[],
                                  const double strength[], const double w[], sos_error *error)
{
    if (!m || !w || (count && (!places || !strength)))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no model, no pairs or no place for the weights was given");
    if (group >= m->layout->group_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group %u, but there are %zu", (unsigned)group, m->layout->group_count);
    const sos_group *g = &m->layout->groups[group].spec;
    if (g->kind != SOS_GROUP_TABLE) return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\" is no table", g->name);
    for (size_t p = 0; p < count; p++) {
        const uint32_t a = places[2 * p], b = places[2 * p + 1];
        if (a >= g->size || b >= g->size || a == b)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pair %zu is of members %u and %u, but a clique has %zu", p, (unsigned)a,
                            (unsigned)b, g->size);
        if (!(strength[p] >= 0 && isfinite(strength[p])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "pair %zu has strength %g; it must be finite and not negative", p,
                            strength[p]);
    }
    return SOS_OK;
}

static double cut_cost(size_t S, size_t count, const uint32_t places[], const double strength[])
{
    double cost = 0;
    for (size_t p = 0; p < count; p++)
        if ((S >> places[2 * p] & 1) != (S >> places[2 * p + 1] & 1)) cost += strength[p];
    return cost;
}

sos_status sos_model_pairs_table(const sos_model *m, uint32_t group, size_t count, const uint32_t places[],
                                 const double strength[], double w[], sos_error *error)
{
    sos_status status = arguments_check(m, group, count, places, strength, w, error);
    if (status) return status;
    const sos_layout *layout = m->layout;
    const sos_layout_group *g = &layout->groups[group];
    double *all = calloc(layout->weights + 1, sizeof *all);
    size_t *having = calloc(g->classes + 1, sizeof *having);
    if (!all || !having) {
        free(all);
        free(having);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the weights of a table");
    }
    double *mean = all + g->offset;
    for (size_t S = 0; S < (size_t)1 << g->spec.size; S++) {
        const uint32_t class = g->ties->class_of[S];
        if (class == SOS_ANCHOR) continue;
        mean[class] += cut_cost(S, count, places, strength) / (layout->labels > 2 ? 2 : 1);
        having[class]++;
    }
    for (size_t c = 0; c < g->classes; c++) mean[c] /= (double)having[c];
    for (size_t copy = 1; copy < g->copies; copy++) memcpy(mean + copy * g->classes, mean, g->classes * sizeof *mean);
    status = sos_cone_repair_group(layout, group, all, error);
    if (!status) memcpy(w + g->offset, mean, sos_layout_group_weights(layout, group) * sizeof *w);
    free(all);
    free(having);
    return status;
}
