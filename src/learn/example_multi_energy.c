/* example_multi_energy.c - the energy w . Psi with more than two labels: a sos_multi_energy over the cliques of the example's
 * energy, whose costs are set when weights come. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The energy with several labels has a clique that counts for each region, in their order. */
static sos_status set_label_regions(sos_example *x, const double w[], sos_error *error)
{
    double agree[SOS_LABELS_MAX] = { 0 }, reach[SOS_LABELS_MAX], *strengths;
    if (!x->regions_count) return SOS_OK;
    sos_status status = SOS_OK;
    /* Counts stand behind them; where regions came later, example_regions.c has dropped the energy. */
    for (size_t r = sos_multi_energy_count_cliques(x->multi); !status && r < x->regions_count; r++) {
        const sos_region *area = &x->regions[r];
        for (size_t l = 0; l < x->layout->labels; l++) reach[l] = (double)area->reach;
        status = sos_multi_energy_add_robust(x->multi, area->k, x->members + area->start, agree, reach, 1, 0, error);
    }
    if (!status) status = sos_example_region_strengths(x, w, &strengths, error);
    if (status) return status;
    status = sos_multi_energy_set_count_weights(x->multi, 0, x->regions_count, strengths, error);
    free(strengths);
    return status;
}

/* As set_unaries, for every label. */
static sos_status set_label_costs(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    const size_t L = x->layout->labels;
    for (size_t i = 0; i < x->n; i++) {
        double cost[SOS_LABELS_MAX] = { 0 };
        for (size_t g = 0; g < x->features_count; g++) {
            const sos_features *f = &x->features[g];
            const double *weight = w + x->layout->groups[f->group].offset;
            for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
                const double value = f->value ? f->value[j] : 1, *row = weight + L * f->index[j];
                for (size_t l = 0; l < L; l++) cost[l] += value * row[l];
            }
        }
        for (size_t g = 0; g < x->costs_count; g++)
            for (size_t l = 0; l < L; l++) cost[l] += sos_example_label_cost(x, &x->costs[g], i, l, w);
        for (size_t l = 0; loss_augmented && l < L; l++) cost[l] -= sos_example_loss_of(x, i, l) / x->scale;
        sos_error why;
        const sos_status status = sos_multi_energy_set_unary(x->multi, i, cost, &why);
        if (status) return sos_fail(error, SOS_ERR_RANGE, "with these weights %.400s", why.message);
    }
    return SOS_OK;
}

static sos_status set_label_tables(sos_example *x, const double w[], sos_error *error)
{
    const size_t L = x->layout->labels;
    size_t most = 0, room = 0;
    for (size_t t = 0; t < x->energy->table_count; t++) most = most > x->energy->tables[t].k ? most : x->energy->tables[t].k;
    double *g = NULL;
    if (!sos_grow(&g, &room, L << most)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables");
    sos_status status = SOS_OK;
    for (uint32_t t = 0; !status && t < x->energy->table_count; t++) {
        const size_t entries = (size_t)1 << x->energy->tables[t].k;
        for (size_t l = 0; l < L; l++) /* labels of a pair that differ cost 1/2 each */
            if (t == x->potts)
                memcpy(g + l * entries, (double[]){ 0, 0.5, 0.5, 0 }, entries * sizeof *g);
            else
                sos_layout_table(x->layout, x->uses[t].group, x->uses[t].strength * L + l, w, g + l * entries);
        status = sos_multi_energy_set_tables(x->multi, t, g, error);
    }
    free(g);
    return status;
}

/* By how much the tables of a set differ at most, all labels together. */
static double set_range(const sos_multi_energy *e, uint32_t set)
{
    const size_t entries = (size_t)1 << e->frame->tables[set].k;
    double range = 0;
    for (size_t l = 0; l < e->labels; l++) {
        const double *g = sos_multi_energy_costs(e, set) + l * entries;
        double least = g[0], greatest = g[0];
        for (size_t S = 1; S < entries; S++) {
            least = fmin(least, g[S]);
            greatest = fmax(greatest, g[S]);
        }
        range += greatest - least;
    }
    return range;
}

/* The same of a function of the count. */
static double count_range(const sos_multi_energy *e, const sos_count_clique *c)
{
    double range = 0;
    for (size_t l = 0; l < e->labels; l++) {
        double least = INFINITY, greatest = -INFINITY;
        for (size_t j = 0; j < c->knots; j++) {
            least = fmin(least, c->value[l * c->knots + j]);
            greatest = fmax(greatest, c->value[l * c->knots + j]);
        }
        range += greatest - least;
    }
    return c->weight * range;
}

/* What the label of a variable can do to the cliques that it is in, at most. */
static void add_influence(const sos_example *x, const double ranges[], double influence[])
{
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &x->energy->pools[k];
        for (size_t c = 0; c < pool->count; c++) {
            const double range = (pool->weights ? pool->weights[c] : 1) * ranges[pool->tables[c]];
            for (size_t q = 0; q < k; q++) influence[pool->variables[c * k + q]] += range;
        }
    }
    for (size_t r = 0; r < x->regions_count; r++)
        for (size_t q = 0; q < x->regions[r].k; q++)
            influence[x->members[x->regions[r].start + q]] += x->multi->counts[r].weight;
    for (size_t i = 0; i < x->counts_count; i++) {
        const double range = count_range(x->multi, &x->multi->counts[x->regions_count + i]);
        for (size_t q = 0; q < x->counts[i].k; q++) influence[x->counted[x->counts[i].start + q]] += range;
    }
}

/* A variable that is fixed: giving it the fixed label instead of another lowers the energy, whatever the others have. */
static sos_status set_fixed(sos_example *x, sos_error *error)
{
    if (!x->fixed) return SOS_OK;
    const size_t tables = x->energy->table_count;
    double *influence = calloc(x->n + tables + 1, sizeof *influence); /* never 0 bytes */
    if (!influence) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu fixed variables", x->n);
    double *ranges = influence + x->n;
    for (uint32_t t = 0; t < tables; t++) ranges[t] = set_range(x->multi, t);
    add_influence(x, ranges, influence);
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < x->n; i++) {
        double cost[SOS_LABELS_MAX];
        if (x->fixed[i] == SOS_LABEL_FREE) continue;
        const double own = sos_multi_energy_unary(x->multi, i, x->fixed[i]);
        /* Twice, so that rounding does not count; a variable without cliques has none to make up for. */
        for (size_t l = 0; l < x->layout->labels; l++) cost[l] = own + (influence[i] > 0 ? 2 * influence[i] : 1);
        cost[x->fixed[i]] = own;
        status = sos_multi_energy_set_unary(x->multi, i, cost, error);
    }
    free(influence);
    return status;
}

sos_status sos_example_set_multi_energy(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    sos_status status = sos_example_set_pairs(x, w, error);
    if (!status && !x->multi) status = sos_multi_energy_over(x->energy, x->layout->labels, &x->multi, error);
    if (!status) status = set_label_costs(x, w, loss_augmented, error);
    if (!status) status = set_label_tables(x, w, error);
    if (!status) status = set_label_regions(x, w, error);
    if (!status) status = sos_example_set_label_counts(x, w, error);
    return status ? status : set_fixed(x, error);
}
