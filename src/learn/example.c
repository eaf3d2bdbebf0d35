/* example.c - one example: Psi, the energy w . Psi and the loss-augmented energy, all from one representation.
 *
 * Cliques live in an energy from the start: phi is the weight of a clique, and a table group is a table of the energy whose
 * costs are set when w is known.  So minimising copies nothing but costs.  With more than two labels the same cliques are those
 * of a sos_multi_energy, whose costs are set instead. */
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "energy/multi_energy.h"
#include "energy/submodular.h"

static const uint32_t NO_TABLE = UINT32_MAX;

typedef struct features {
    uint32_t group;
    size_t *start; /* n + 1 */
    uint32_t *index;
    double *value; /* or NULL: all 1 */
} features;

/* What labels cost by themselves, of a nonnegative group: numbers of a variable side by side, and of a label within. */
typedef struct label_costs {
    uint32_t group;
    double *cost; /* n * labels * size of the group */
} label_costs;

/* Pairs of a nonnegative group, added by one call: cliques of two members in the energy, numbered from first. */
typedef struct pair_run {
    uint32_t group;
    size_t first, count;
    double *phi; /* count * size of the group, or NULL: all 1 */
} pair_run;

/* Regions of a nonnegative group, added by one call, numbered from first. */
typedef struct region_run {
    uint32_t group;
    size_t first, count;
    double *phi; /* count * size of the group, or NULL: all 1 */
} region_run;

/* A clique of any size: strength * min(1, d / reach), d members being without the label that most of them have. */
typedef struct region {
    size_t start, k; /* its members, in the array of all */
    size_t reach;
} region;

/* What a table of the energy is: that of a group, the Potts table of pairs, or the loss of a clique. */
typedef struct table_use {
    uint32_t group; /* or NO_TABLE */
    double *delta;  /* 2^k, of a clique loss; else NULL */
} table_use;

struct sos_example {
    sos_layout *layout;
    sos_energy *energy;
    size_t n;
    double scale;

    features *features;
    size_t features_count, features_room;
    label_costs *costs;
    size_t costs_count, costs_room;
    pair_run *runs;
    size_t runs_count, runs_room;
    region_run *region_runs;
    size_t region_runs_count, region_runs_room;
    region *regions;
    size_t regions_count, regions_room;
    uint32_t *members; /* of the regions */
    size_t members_count, members_room;
    double *strengths;  /* of the concave cliques that stand for the regions in the energy, with two labels; or NULL */
    uint32_t *table_of; /* [groups] or NO_TABLE */
    uint32_t potts;     /* table of pairs, or NO_TABLE */
    table_use *uses;    /* [tables of the energy] */
    size_t uses_room;

    uint8_t *truth, *care; /* n each; care NULL: all */
    double *class_loss;    /* labels, or NULL */
    double *loss;          /* n * labels, or NULL */
    bool clique_losses;

    sos_multi_energy *multi;  /* over the cliques of the energy, with more than two labels once minimised, or NULL */
    sos_minimizer *minimizer; /* that keeps its flow, or NULL */
    size_t flow_bytes;
    size_t bytes; /* of all but the energy and the flow */
};

sos_status sos_example_create(const sos_model *m, size_t n, sos_example **out, sos_error *error)
{
    if (!m || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no place for the example was given");
    if (!n) return sos_fail(error, SOS_ERR_ARGUMENT, "an example needs variables");
    sos_energy *energy;
    const sos_status status = sos_energy_create(n, &energy, error);
    if (status) return status;
    const size_t groups = m->layout->group_count;
    sos_example *x = calloc(1, sizeof *x);
    uint32_t *table_of = malloc((groups ? groups : 1) * sizeof *table_of);
    if (!x || !table_of) {
        free(x);
        free(table_of);
        sos_energy_free(energy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an example of %zu variables", n);
    }
    for (size_t g = 0; g < groups; g++) table_of[g] = NO_TABLE;
    x->layout = sos_layout_share(m->layout);
    x->energy = energy;
    x->n = n;
    x->scale = 1;
    x->table_of = table_of;
    x->potts = NO_TABLE;
    x->bytes = sizeof *x + groups * sizeof *table_of;
    *out = x;
    return SOS_OK;
}

static void features_free(features *f)
{
    free(f->start);
    free(f->index);
    free(f->value);
}

void sos_example_free(sos_example *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->features_count; i++) features_free(&x->features[i]);
    for (size_t i = 0; i < x->costs_count; i++) free(x->costs[i].cost);
    for (size_t i = 0; i < x->runs_count; i++) free(x->runs[i].phi);
    for (size_t i = 0; i < x->region_runs_count; i++) free(x->region_runs[i].phi);
    for (size_t t = 0; t < x->energy->table_count; t++) free(x->uses[t].delta);
    free(x->features);
    free(x->costs);
    free(x->runs);
    free(x->region_runs);
    free(x->regions);
    free(x->members);
    free(x->strengths);
    free(x->uses);
    free(x->table_of);
    free(x->truth);
    free(x->care);
    free(x->class_loss);
    free(x->loss);
    sos_minimizer_free(x->minimizer);
    sos_multi_energy_free(x->multi);
    sos_energy_free(x->energy);
    sos_layout_release(x->layout);
    free(x);
}

size_t sos_example_variables(const sos_example *x) { return x->n; }
const uint8_t *sos_example_truth(const sos_example *x) { return x->truth; }
const sos_layout *sos_example_layout(const sos_example *x) { return x->layout; }
size_t sos_example_flow_bytes(const sos_example *x) { return x->flow_bytes; }

size_t sos_example_bytes(const sos_example *x)
{
    return x->bytes + sos_energy_bytes(x->energy) + x->flow_bytes + (x->multi ? sos_multi_energy_bytes(x->multi) : 0);
}

void sos_example_forget_flow(sos_example *x)
{
    sos_minimizer_free(x->minimizer);
    sos_multi_energy_free(x->multi);
    x->minimizer = NULL;
    x->multi = NULL;
    x->flow_bytes = 0;
}

static uint64_t hash_cliques(const sos_example *x, size_t k, uint64_t hash)
{
    const sos_pool *pool = &x->energy->pools[k];
    hash = sos_hash(hash, pool->variables, pool->count * k * sizeof *pool->variables);
    for (size_t c = 0; c < pool->count; c++) {
        const uint32_t table = pool->tables[c];
        const double phi = pool->weights && table != x->potts ? pool->weights[c] : 1; /* strengths of pairs follow w */
        hash = sos_hash(hash, &x->uses[table].group, sizeof x->uses[table].group);
        hash = sos_hash(hash, &phi, sizeof phi);
        if (x->uses[table].delta) hash = sos_hash(hash, x->uses[table].delta, sizeof(double) << k);
    }
    return hash;
}

static uint64_t hash_regions(const sos_example *x, uint64_t hash)
{
    for (size_t i = 0; i < x->region_runs_count; i++) {
        const region_run *r = &x->region_runs[i];
        const size_t numbers = r->count * x->layout->groups[r->group].spec.size;
        hash = sos_hash(sos_hash(hash, &r->group, sizeof r->group), &r->count, sizeof r->count);
        if (r->phi) hash = sos_hash(hash, r->phi, numbers * sizeof *r->phi);
    }
    hash = sos_hash(hash, x->regions, x->regions_count * sizeof *x->regions);
    return sos_hash(hash, x->members, x->members_count * sizeof *x->members);
}

uint64_t sos_example_hash(const sos_example *x, uint64_t hash)
{
    const size_t labels = x->layout->labels;
    hash = sos_hash(sos_hash(hash, &x->n, sizeof x->n), &x->scale, sizeof x->scale);
    for (size_t i = 0; i < x->features_count; i++) {
        const features *f = &x->features[i];
        const size_t count = f->start[x->n];
        hash = sos_hash(hash, &f->group, sizeof f->group);
        hash = sos_hash(hash, f->start, (x->n + 1) * sizeof *f->start);
        hash = sos_hash(hash, f->index, count * sizeof *f->index);
        if (f->value) hash = sos_hash(hash, f->value, count * sizeof *f->value);
    }
    for (size_t i = 0; i < x->costs_count; i++) {
        const size_t numbers = x->n * labels * x->layout->groups[x->costs[i].group].spec.size;
        hash = sos_hash(hash, &x->costs[i].group, sizeof x->costs[i].group);
        hash = sos_hash(hash, x->costs[i].cost, numbers * sizeof(double));
    }
    for (size_t i = 0; i < x->runs_count; i++) {
        const pair_run *r = &x->runs[i];
        const size_t numbers = r->count * x->layout->groups[r->group].spec.size;
        hash = sos_hash(sos_hash(hash, &r->group, sizeof r->group), &r->count, sizeof r->count);
        if (r->phi) hash = sos_hash(hash, r->phi, numbers * sizeof *r->phi);
    }
    hash = hash_regions(x, hash);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) hash = hash_cliques(x, k, hash);
    if (x->truth) hash = sos_hash(hash, x->truth, x->n);
    if (x->care) hash = sos_hash(hash, x->care, x->n);
    if (x->class_loss) hash = sos_hash(hash, x->class_loss, labels * sizeof *x->class_loss);
    if (x->loss) hash = sos_hash(hash, x->loss, x->n * labels * sizeof *x->loss);
    return hash;
}

static sos_status group_check(const sos_example *x, uint32_t group, sos_group_kind kind, const char *what, sos_error *error)
{
    if (group >= x->layout->group_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group %u, but there are %zu", (unsigned)group, x->layout->group_count);
    if (x->layout->groups[group].spec.kind == kind) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" is not for %s", x->layout->groups[group].spec.name, what);
}

/* ---------------------------------------------------------------- features */

static sos_status features_check(const sos_example *x, uint32_t group, const size_t start[], const uint32_t index[],
                                 const double value[], sos_error *error)
{
    const sos_group *g = &x->layout->groups[group].spec;
    if (!start || start[0]) return sos_fail(error, SOS_ERR_ARGUMENT, "features must start at 0");
    for (size_t i = 0; i < x->n; i++) {
        if (start[i + 1] < start[i])
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has a negative number of features", i);
        for (size_t f = start[i]; f < start[i + 1]; f++) {
            if (!index || index[f] >= g->size)
                return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has feature %u of group \"%s\", which has %zu", i,
                                index ? (unsigned)index[f] : 0, g->name, g->size);
            if (value && !isfinite(value[f]))
                return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has feature %u = %g of group \"%s\"", i,
                                (unsigned)index[f], value[f], g->name);
        }
    }
    return SOS_OK;
}

/* A copy of count items; NULL stays NULL and is no failure. */
static bool copy_array(void *out, const void *from, size_t count, size_t size)
{
    void *copy = from ? malloc(count ? count * size : 1) : NULL;
    if (from && !copy) return false;
    if (from && count) memcpy(copy, from, count * size);
    memcpy(out, &copy, sizeof copy);
    return true;
}

sos_status sos_example_set_features(sos_example *x, uint32_t group, const size_t start[], const uint32_t index[],
                                    const double value[], sos_error *error)
{
    sos_status status = group_check(x, group, SOS_GROUP_FREE, "features of variables", error);
    if (!status) status = features_check(x, group, start, index, value, error);
    if (status) return status;
    const size_t count = start[x->n];
    bool all_one = true; /* most features are indicators */
    for (size_t f = 0; value && f < count; f++) all_one &= value[f] == 1;
    if (all_one) value = NULL;
    features f = { .group = group };
    if (!copy_array(&f.start, start, x->n + 1, sizeof *start) || !copy_array(&f.index, index, count, sizeof *index) ||
        !copy_array(&f.value, value, count, sizeof *value) ||
        !sos_grow(&x->features, &x->features_room, x->features_count + 1)) {
        features_free(&f);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu features", count);
    }
    x->bytes += (x->n + 1) * sizeof *start + count * (sizeof *index + (value ? sizeof *value : 0));
    for (size_t i = 0; i < x->features_count; i++)
        if (x->features[i].group == group) {
            features_free(&x->features[i]);
            x->features[i] = f;
            return SOS_OK;
        }
    x->features[x->features_count++] = f;
    return SOS_OK;
}

/* Numbers per variable: one for each label and weight. */
static size_t costs_each(const sos_example *x, uint32_t group)
{
    return x->layout->labels * x->layout->groups[group].spec.size;
}

sos_status sos_example_set_costs(sos_example *x, uint32_t group, const double cost[], sos_error *error)
{
    const sos_status status = group_check(x, group, SOS_GROUP_NONNEGATIVE, "costs of labels", error);
    if (status) return status;
    const size_t each = costs_each(x, group);
    if (!cost) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (each > SIZE_MAX / sizeof *cost / x->n) return sos_fail(error, SOS_ERR_RANGE, "%zu variables have too many costs", x->n);
    for (size_t i = 0; i < x->n * each; i++)
        if (!isfinite(cost[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu costs %g in group \"%s\"", i / each, cost[i],
                            x->layout->groups[group].spec.name);
    label_costs c = { .group = group };
    if (!sos_grow(&x->costs, &x->costs_room, x->costs_count + 1) || !copy_array(&c.cost, cost, x->n * each, sizeof *cost))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the costs of %zu variables", x->n);
    for (size_t i = 0; i < x->costs_count; i++)
        if (x->costs[i].group == group) {
            free(x->costs[i].cost);
            x->costs[i] = c;
            return SOS_OK;
        }
    x->bytes += x->n * each * sizeof *cost;
    x->costs[x->costs_count++] = c;
    return SOS_OK;
}

/* What variable i labelled l costs by them. */
static double group_cost(const sos_example *x, const label_costs *c, size_t i, size_t l, const double w[])
{
    const sos_layout_group *g = &x->layout->groups[c->group];
    const double *cost = c->cost + (i * x->layout->labels + l) * g->spec.size;
    double sum = 0;
    for (size_t j = 0; j < g->spec.size; j++) sum += w[g->offset + j] * cost[j];
    return sum;
}

/* ---------------------------------------------------------------- cliques */

/* A new table of the energy, for now all 0, and what it is for. */
static sos_status new_table(sos_example *x, size_t k, const double f[], table_use use, uint32_t *table, sos_error *error)
{
    if (!sos_grow(&x->uses, &x->uses_room, x->energy->table_count + 1))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table");
    double *zeros = f ? NULL : calloc((size_t)1 << k, sizeof *zeros);
    if (!f && !zeros) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table of %zu members", k);
    const sos_status status = sos_energy_add_table(x->energy, k, f ? f : zeros, table, error);
    if (!status) x->uses[*table] = use;
    free(zeros);
    return status;
}

static sos_status group_table(sos_example *x, uint32_t group, sos_error *error)
{
    const sos_status status = group_check(x, group, SOS_GROUP_TABLE, "cliques", error);
    if (status || x->table_of[group] != NO_TABLE) return status;
    return new_table(x, x->layout->groups[group].spec.size, NULL, (table_use){ group, NULL }, &x->table_of[group], error);
}

sos_status sos_example_add_cliques(sos_example *x, uint32_t group, size_t count, const uint32_t variables[], const double phi[],
                                   sos_error *error)
{
    const sos_status status = group_table(x, group, error);
    if (status) return status;
    return sos_energy_add_cliques(x->energy, x->table_of[group], count, variables, phi, error);
}

sos_status sos_example_add_listed(sos_example *x, size_t count, const uint32_t groups[], const uint32_t variables[],
                                  const double phi[], sos_error *error)
{
    if (!count) return SOS_OK;
    if (!groups) return sos_fail(error, SOS_ERR_ARGUMENT, "no groups were given");
    uint32_t *tables = malloc(count * sizeof *tables);
    sos_status status = tables ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu cliques", count);
    for (size_t c = 0; !status && c < count; c++) {
        status = group_table(x, groups[c], error);
        if (!status) tables[c] = x->table_of[groups[c]];
    }
    if (!status) status = sos_energy_add_listed(x->energy, count, tables, variables, phi, error);
    free(tables);
    return status;
}

static sos_status phi_check(const sos_group *g, const char *what, size_t count, const double phi[], sos_error *error)
{
    for (size_t i = 0; phi && i < count * g->size; i++)
        if (!(phi[i] >= 0 && isfinite(phi[i])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "%s %zu of group \"%s\" has phi = %g; it must be finite and not negative",
                            what, i / g->size, g->name, phi[i]);
    return SOS_OK;
}

/* How many cliques of one member stand before the pairs in the energy's numbers. */
static size_t pairs_begin(const sos_example *x) { return x->energy->pools[1].count; }

sos_status sos_example_add_pairs(sos_example *x, uint32_t group, size_t count, const uint32_t variables[], const double phi[],
                                 sos_error *error)
{
    sos_status status = group_check(x, group, SOS_GROUP_NONNEGATIVE, "pairs", error);
    if (!status && x->potts == NO_TABLE)
        status = new_table(x, 2, (double[]){ 0, 1, 1, 0 }, (table_use){ NO_TABLE, NULL }, &x->potts, error);
    if (status || !count) return status;
    const sos_group *g = &x->layout->groups[group].spec;
    status = phi_check(g, "pair", count, phi, error);
    if (status) return status;
    pair_run run = { .group = group, .first = x->energy->pools[2].count, .count = count };
    if (!copy_array(&run.phi, phi, count * g->size, sizeof *phi) || !sos_grow(&x->runs, &x->runs_room, x->runs_count + 1)) {
        free(run.phi);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", count);
    }
    status = sos_energy_add_cliques(x->energy, x->potts, count, variables, NULL, error);
    if (status) {
        free(run.phi);
        return status;
    }
    x->runs[x->runs_count++] = run;
    x->bytes += phi ? count * g->size * sizeof *phi : 0;
    return SOS_OK;
}

/* ---------------------------------------------------------------- regions */

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the members of region r, the first of which is `members`, and looks for repeats. */
static sos_status members_check(const sos_example *x, size_t r, size_t k, uint32_t members[], sos_error *error)
{
    if (!k) return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has no members", r);
    qsort(members, k, sizeof *members, compare_variables);
    if (members[k - 1] >= x->n)
        return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has variable %u, but there are %zu", r, (unsigned)members[k - 1],
                        x->n);
    for (size_t i = 1; i < k; i++)
        if (members[i] == members[i - 1])
            return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has variable %u twice", r, (unsigned)members[i]);
    return SOS_OK;
}

static sos_status regions_check(const sos_example *x, uint32_t group, size_t count, const size_t start[],
                                const uint32_t variables[], double reach, const double phi[], sos_error *error)
{
    if (!(reach >= 0 && reach <= 0.5))
        return sos_fail(error, SOS_ERR_ARGUMENT, "regions have reach %g; it is a share of their members, 0 to 1/2", reach);
    if (!start || start[0] || !variables)
        return sos_fail(error, SOS_ERR_ARGUMENT, "regions need variables, and must start at 0");
    for (size_t r = 0; r < count; r++)
        if (start[r + 1] < start[r] || start[r + 1] - start[r] > x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu begins at member %zu and ends at %zu; there are %zu variables",
                            r, start[r], start[r + 1], x->n);
    return phi_check(&x->layout->groups[group].spec, "region", count, phi, error);
}

/* Copies them behind those that are there, without counting them yet. */
static sos_status regions_copy(sos_example *x, size_t count, const size_t start[], const uint32_t variables[], double reach,
                               sos_error *error)
{
    uint32_t *members = x->members + x->members_count;
    memcpy(members, variables, start[count] * sizeof *members);
    for (size_t r = 0; r < count; r++) {
        const size_t k = start[r + 1] - start[r], some = (size_t)(reach * (double)k);
        const sos_status status = members_check(x, r, k, members + start[r], error);
        if (status) return status;
        x->regions[x->regions_count + r] = (region){ x->members_count + start[r], k, some ? some : 1 };
    }
    return SOS_OK;
}

sos_status sos_example_add_regions(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                   const uint32_t variables[], double reach, const double phi[], sos_error *error)
{
    sos_status status = group_check(x, group, SOS_GROUP_NONNEGATIVE, "regions", error);
    if (status || !count) return status;
    status = regions_check(x, group, count, start, variables, reach, phi, error);
    if (status) return status;
    const size_t size = x->layout->groups[group].spec.size;
    region_run run = { .group = group, .first = x->regions_count, .count = count };
    if (!copy_array(&run.phi, phi, count * size, sizeof *phi) ||
        !sos_grow(&x->region_runs, &x->region_runs_room, x->region_runs_count + 1) ||
        !sos_grow(&x->regions, &x->regions_room, x->regions_count + count) ||
        !sos_grow(&x->members, &x->members_room, x->members_count + start[count]))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu regions", count);
    if (!status) status = regions_copy(x, count, start, variables, reach, error);
    if (status) {
        free(run.phi);
        return status;
    }
    x->region_runs[x->region_runs_count++] = run;
    x->regions_count += count;
    x->members_count += start[count];
    x->bytes += count * sizeof(region) + start[count] * sizeof *variables + (phi ? count * size * sizeof *phi : 0);
    return SOS_OK;
}

/* min(1, d / reach). */
static double region_cost(const sos_example *x, const region *r, const uint8_t labels[])
{
    size_t having[SOS_LABELS_MAX + 1] = { 0 }, most = 0;
    for (size_t q = 0; q < r->k; q++) having[labels[x->members[r->start + q]]]++;
    for (size_t l = 0; l < x->layout->labels; l++) most = most > having[l] ? most : having[l];
    return r->k - most < r->reach ? (double)(r->k - most) / (double)r->reach : 1;
}

sos_status sos_example_set_scale(sos_example *x, double scale, sos_error *error)
{
    if (!(scale > 0 && isfinite(scale) && isfinite(1 / scale)))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the scale of an example is %g; it must be over 0", scale);
    x->scale = scale;
    return SOS_OK;
}

/* ---------------------------------------------------------------- truth and loss */

sos_status sos_example_set_truth(sos_example *x, const uint8_t labels[], const uint8_t care[], sos_error *error)
{
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no labels were given");
    for (size_t i = 0; i < x->n; i++)
        if (labels[i] >= x->layout->labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has label %u, but there are %zu", i, (unsigned)labels[i],
                            x->layout->labels);
    uint8_t *truth = NULL, *mask = NULL;
    if (!copy_array(&truth, labels, x->n, 1) || !copy_array(&mask, care, x->n, 1)) {
        free(truth);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the true labels");
    }
    free(x->truth);
    free(x->care);
    free(x->class_loss);
    free(x->loss);
    x->truth = truth;
    x->care = mask;
    x->class_loss = x->loss = NULL;
    for (size_t t = 0; t < x->energy->table_count; t++) /* losses of cliques were against the old truth */
        if (x->uses[t].delta) memset(x->uses[t].delta, 0, sizeof(double) << x->energy->tables[t].k);
    return SOS_OK;
}

static sos_status truth_check(const sos_example *x, sos_error *error)
{
    return x->truth ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "the example has no true labels yet");
}

sos_status sos_example_set_class_loss(sos_example *x, const double weight[], sos_error *error)
{
    const sos_status status = truth_check(x, error);
    if (status) return status;
    if (!weight) return sos_fail(error, SOS_ERR_ARGUMENT, "no weights were given");
    for (size_t l = 0; l < x->layout->labels; l++)
        if (!(weight[l] >= 0 && isfinite(weight[l])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "errors on label %zu cost %g; it must be finite and not negative", l,
                            weight[l]);
    double *copy;
    if (!copy_array(&copy, weight, x->layout->labels, sizeof *weight))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a loss");
    free(x->class_loss);
    free(x->loss);
    x->class_loss = copy;
    x->loss = NULL;
    return SOS_OK;
}

sos_status sos_example_set_loss(sos_example *x, const double loss[], sos_error *error)
{
    const sos_status status = truth_check(x, error);
    if (status) return status;
    if (!loss) return sos_fail(error, SOS_ERR_ARGUMENT, "no losses were given");
    const size_t labels = x->layout->labels;
    for (size_t i = 0; i < x->n * labels; i++) {
        const bool is_true = i % labels == x->truth[i / labels];
        if (!(loss[i] >= 0 && isfinite(loss[i])) || (is_true && loss[i] != 0))
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "variable %zu labelled %zu costs %g; losses are finite, not negative, and 0 "
                            "for the true label",
                            i / labels, i % labels, loss[i]);
    }
    double *copy;
    if (!copy_array(&copy, loss, x->n * labels, sizeof *loss)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a loss");
    free(x->loss);
    x->loss = copy;
    return SOS_OK;
}

static sos_status clique_loss_check(const sos_example *x, size_t k, const uint32_t variables[], const double delta[],
                                    sos_error *error)
{
    const sos_status status = truth_check(x, error);
    if (status) return status;
    if (x->layout->labels != 2) return sos_fail(error, SOS_ERR_ARGUMENT, "clique losses are for two labels");
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX || !variables || !delta)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss of %zu members; it takes 1 to %d, and their costs", k,
                        SOS_TABLE_MEMBERS_MAX);
    size_t S = 0;
    for (size_t q = 0; q < k; q++) {
        if (variables[q] >= x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss has variable %u, but there are %zu", (unsigned)variables[q],
                            x->n);
        S |= (size_t)x->truth[variables[q]] << q;
    }
    for (size_t T = 0; T < (size_t)1 << k; T++)
        if (!(delta[T] >= 0) || (T == S && delta[T] != 0))
            return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss is %g at %zu; it is not negative, and 0 at the true %zu",
                            delta[T], T, S);
    return SOS_OK;
}

sos_status sos_example_add_clique_loss(sos_example *x, size_t k, const uint32_t variables[], const double delta[],
                                       sos_error *error)
{
    sos_status status = clique_loss_check(x, k, variables, delta, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    double *copy = malloc(entries * sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique loss");
    for (size_t S = 0; S < entries; S++) copy[S] = -delta[S];
    sos_error why;
    uint32_t table;
    status = sos_table_check(k, copy, &why);
    if (status)
        sos_fail(error, status, "the loss would make energies lose their submodularity: %.400s", why.message);
    else {
        /* Checked already, so that only memory can be short: a table without cliques does no harm. */
        for (size_t S = 0; S < entries; S++) copy[S] = delta[S];
        status = new_table(x, k, NULL, (table_use){ NO_TABLE, copy }, &table, error);
        if (!status) {
            copy = NULL; /* the table owns it now */
            status = sos_energy_add_cliques(x->energy, table, 1, variables, NULL, error);
        }
    }
    free(copy);
    if (!status) x->clique_losses = true;
    return status;
}

static bool counts(const sos_example *x, size_t i) { return !x->care || x->care[i]; }

/* Loss of variable i labelled l. */
static double variable_loss(const sos_example *x, size_t i, size_t l)
{
    if (!counts(x, i)) return 0;
    if (x->loss) return x->loss[i * x->layout->labels + l];
    if (l == x->truth[i]) return 0;
    return (x->class_loss ? x->class_loss[x->truth[i]] : 1) / (double)x->n;
}

static size_t members_on(size_t k, const uint32_t variables[], const uint8_t labels[], size_t label)
{
    size_t S = 0;
    for (size_t q = 0; q < k; q++) S |= (size_t)(labels[variables[q]] == label) << q;
    return S;
}

double sos_example_loss(const sos_example *x, const uint8_t labels[])
{
    if (!x->truth) return 0;
    double total = 0;
    size_t wrong = 0;
    if (!x->loss && !x->class_loss) {
        for (size_t i = 0; i < x->n; i++) wrong += counts(x, i) && labels[i] != x->truth[i];
        total = (double)wrong / (double)x->n;
    } else {
        for (size_t i = 0; i < x->n; i++) total += variable_loss(x, i, labels[i]);
    }
    for (size_t k = 1; x->clique_losses && k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &x->energy->pools[k];
        for (size_t c = 0; c < pool->count; c++) {
            const double *delta = x->uses[pool->tables[c]].delta;
            if (delta) total += delta[members_on(k, pool->variables + c * k, labels, 1)];
        }
    }
    return total;
}

/* ---------------------------------------------------------------- Psi */

static void add_feature_psi(const sos_example *x, const features *f, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const size_t L = x->layout->labels;
    double *w = psi + x->layout->groups[f->group].offset;
    for (size_t i = 0; i < x->n; i++) {
        if (base && base[i] == labels[i]) continue;
        for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
            const double value = x->scale * (f->value ? f->value[j] : 1);
            w[f->index[j] * L + labels[i]] += value;
            if (base) w[f->index[j] * L + base[i]] -= value;
        }
    }
}

static void add_cost_psi(const sos_example *x, const label_costs *c, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_layout_group *g = &x->layout->groups[c->group];
    const size_t size = g->spec.size, L = x->layout->labels;
    for (size_t i = 0; i < x->n; i++) {
        if (base && base[i] == labels[i]) continue;
        const double *cost = c->cost + i * L * size;
        for (size_t j = 0; j < size; j++)
            psi[g->offset + j] += x->scale * (cost[labels[i] * size + j] - (base ? cost[base[i] * size + j] : 0));
    }
}

static void add_pair_psi(const sos_example *x, const pair_run *r, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    const uint32_t *v = x->energy->pools[2].variables + 2 * r->first;
    for (size_t c = 0; c < r->count; c++) {
        const int now = labels[v[2 * c]] != labels[v[2 * c + 1]], was = base && base[v[2 * c]] != base[v[2 * c + 1]];
        if (now == was) continue;
        for (size_t j = 0; j < g->spec.size; j++)
            psi[g->offset + j] += (now - was) * x->scale * (r->phi ? r->phi[c * g->spec.size + j] : 1);
    }
}

static void add_region_psi(const sos_example *x, const region_run *r, const uint8_t labels[], const uint8_t base[],
                           double psi[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    for (size_t c = 0; c < r->count; c++) {
        const region *area = &x->regions[r->first + c];
        const double more = region_cost(x, area, labels) - (base ? region_cost(x, area, base) : 0);
        if (more == 0) continue;
        for (size_t j = 0; j < g->spec.size; j++)
            psi[g->offset + j] += more * x->scale * (r->phi ? r->phi[c * g->spec.size + j] : 1);
    }
}

static void add_entry(const sos_layout_group *g, size_t copy, size_t S, double phi, double psi[])
{
    if (g->class_of[S] != SOS_ANCHOR) psi[g->offset + copy * g->classes + g->class_of[S]] += phi;
}

static void add_clique_psi(const sos_example *x, size_t k, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_pool *pool = &x->energy->pools[k];
    for (size_t c = 0; c < pool->count; c++) {
        const uint32_t group = x->uses[pool->tables[c]].group;
        if (group == NO_TABLE) continue;
        const sos_layout_group *g = &x->layout->groups[group];
        const double phi = x->scale * (pool->weights ? pool->weights[c] : 1);
        const uint32_t *v = pool->variables + c * k;
        for (size_t copy = 0; copy < g->copies; copy++) {
            const size_t label = g->copies > 1 ? copy : 1;
            const size_t S = members_on(k, v, labels, label), T = base ? members_on(k, v, base, label) : 0;
            if (base && S == T) continue;
            add_entry(g, copy, S, phi, psi);
            if (base) add_entry(g, copy, T, -phi, psi);
        }
    }
}

void sos_example_add_psi(const sos_example *x, const uint8_t labels[], const uint8_t base[], double psi[])
{
    for (size_t i = 0; i < x->features_count; i++) add_feature_psi(x, &x->features[i], labels, base, psi);
    for (size_t i = 0; i < x->costs_count; i++) add_cost_psi(x, &x->costs[i], labels, base, psi);
    for (size_t i = 0; i < x->runs_count; i++) add_pair_psi(x, &x->runs[i], labels, base, psi);
    for (size_t i = 0; i < x->region_runs_count; i++) add_region_psi(x, &x->region_runs[i], labels, base, psi);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) add_clique_psi(x, k, labels, base, psi);
}

void sos_example_psi(const sos_example *x, const uint8_t labels[], double psi[])
{
    memset(psi, 0, x->layout->weights * sizeof *psi);
    sos_example_add_psi(x, labels, NULL, psi);
}

/* ---------------------------------------------------------------- energies */

/* Costs of labels from the features, less the loss.  Energies are minimised without the scale, so that the loss is divided by
 * it. */
static sos_status set_unaries(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    double *unary = x->energy->unary;
    memset(unary, 0, 2 * x->n * sizeof *unary);
    for (size_t g = 0; g < x->features_count; g++) {
        const features *f = &x->features[g];
        const double *weight = w + x->layout->groups[f->group].offset;
        for (size_t i = 0; i < x->n; i++)
            for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
                const double value = f->value ? f->value[j] : 1;
                unary[2 * i] += value * weight[2 * f->index[j]];
                unary[2 * i + 1] += value * weight[2 * f->index[j] + 1];
            }
    }
    for (size_t g = 0; g < x->costs_count; g++)
        for (size_t i = 0; i < 2 * x->n; i++) unary[i] += group_cost(x, &x->costs[g], i / 2, i % 2, w);
    for (size_t i = 0; loss_augmented && i < x->n; i++) {
        unary[2 * i] -= variable_loss(x, i, 0) / x->scale;
        unary[2 * i + 1] -= variable_loss(x, i, 1) / x->scale;
    }
    double sum = 0; /* x - x is NaN unless x is finite */
    for (size_t i = 0; i < 2 * x->n; i++) sum += unary[i] - unary[i];
    for (size_t i = 0; sum != 0 && i < x->n; i++)
        if (!isfinite(unary[2 * i + 1] - unary[2 * i]))
            return sos_fail(error, SOS_ERR_RANGE, "variable %zu costs %g and %g with these weights", i, unary[2 * i],
                            unary[2 * i + 1]);
    return SOS_OK;
}

static sos_status set_tables(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    double *f = malloc(sizeof *f << SOS_TABLE_MEMBERS_MAX);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table");
    sos_status status = SOS_OK;
    for (uint32_t t = 0; !status && t < x->energy->table_count; t++) {
        const table_use *use = &x->uses[t];
        const size_t entries = (size_t)1 << x->energy->tables[t].k;
        if (t == x->potts) continue;
        if (use->delta)
            for (size_t S = 0; S < entries; S++) f[S] = loss_augmented ? -use->delta[S] / x->scale : 0;
        else
            sos_layout_table(x->layout, use->group, 0, w, f);
        /* Tables that have not changed need no check, and let the flow keep its cliques. */
        if (memcmp(f, sos_table_costs(x->energy, t), entries * sizeof *f) != 0)
            status = sos_energy_set_table(x->energy, t, f, error);
    }
    free(f);
    return status;
}

/* sum_j phi_j w[j] of the c-th pair or region that was added with phi. */
static double strength_of(const sos_layout_group *g, const double phi[], size_t c, const double w[])
{
    double sum = 0;
    for (size_t j = 0; j < g->spec.size; j++) sum += w[g->offset + j] * (phi ? phi[c * g->spec.size + j] : 1);
    return sum;
}

static sos_status set_pairs(sos_example *x, const double w[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < x->runs_count; i++) {
        const pair_run *r = &x->runs[i];
        const sos_layout_group *g = &x->layout->groups[r->group];
        double *strength = malloc(r->count * sizeof *strength);
        if (!strength) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", r->count);
        for (size_t c = 0; c < r->count; c++) strength[c] = strength_of(g, r->phi, c, w);
        status = sos_energy_set_weights(x->energy, pairs_begin(x) + r->first, r->count, strength, error);
        free(strength);
    }
    return status;
}

/* The strengths of all regions with these weights, to free. */
static sos_status region_strengths(const sos_example *x, const double w[], double **out, sos_error *error)
{
    double *strengths = malloc(x->regions_count * sizeof *strengths);
    if (!strengths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu regions", x->regions_count);
    for (size_t i = 0; i < x->region_runs_count; i++) {
        const region_run *r = &x->region_runs[i];
        for (size_t c = 0; c < r->count; c++) strengths[r->first + c] = strength_of(&x->layout->groups[r->group], r->phi, c, w);
    }
    *out = strengths;
    return SOS_OK;
}

/* A concave clique is laid out by the places where its slope changes, so that other strengths mean other cliques. */
static void concaves_forget(sos_example *x)
{
    sos_energy *e = x->energy;
    for (size_t c = 0; c < e->concave_count; c++) {
        free(e->concaves[c].variables);
        free(e->concaves[c].g);
    }
    e->concave_count = e->concave_bytes = 0;
    free(x->strengths);
    x->strengths = NULL;
}

static sos_status add_concave(sos_example *x, const region *r, double strength, sos_error *error)
{
    double *g = malloc((r->k + 1) * sizeof *g);
    if (!g) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a region of %zu members", r->k);
    for (size_t m = 0; m <= r->k; m++) {
        const size_t d = m < r->k - m ? m : r->k - m;
        g[m] = d < r->reach ? strength * (double)d / (double)r->reach : strength;
    }
    const sos_status status = sos_energy_add_concave(x->energy, r->k, x->members + r->start, g, error);
    free(g);
    return status;
}

/* The cliques of two labels.  They stay as they are, and with them what the minimizer keeps, where no strength has changed. */
static sos_status set_concaves(sos_example *x, const double w[], sos_error *error)
{
    double *strengths;
    if (!x->regions_count) return SOS_OK;
    sos_status status = region_strengths(x, w, &strengths, error);
    if (status) return status;
    if (x->strengths && x->energy->concave_count == x->regions_count &&
        !memcmp(strengths, x->strengths, x->regions_count * sizeof *strengths)) {
        free(strengths);
        return SOS_OK;
    }
    concaves_forget(x);
    for (size_t r = 0; !status && r < x->regions_count; r++) status = add_concave(x, &x->regions[r], strengths[r], error);
    if (!status) {
        x->strengths = strengths;
        return SOS_OK;
    }
    free(strengths);
    concaves_forget(x);
    return status;
}

/* ---------------------------------------------------------------- more than two labels */

/* The energy with several labels has a clique that counts for each region, in their order. */
static sos_status set_label_regions(sos_example *x, const double w[], sos_error *error)
{
    double agree[SOS_LABELS_MAX] = { 0 }, reach[SOS_LABELS_MAX], *strengths;
    if (!x->regions_count) return SOS_OK;
    sos_status status = SOS_OK;
    for (size_t r = sos_multi_energy_count_cliques(x->multi); !status && r < x->regions_count; r++) {
        const region *area = &x->regions[r];
        for (size_t l = 0; l < x->layout->labels; l++) reach[l] = (double)area->reach;
        status = sos_multi_energy_add_robust(x->multi, area->k, x->members + area->start, agree, reach, 1, 0, error);
    }
    if (!status) status = region_strengths(x, w, &strengths, error);
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
            const features *f = &x->features[g];
            const double *weight = w + x->layout->groups[f->group].offset;
            for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
                const double value = f->value ? f->value[j] : 1, *row = weight + L * f->index[j];
                for (size_t l = 0; l < L; l++) cost[l] += value * row[l];
            }
        }
        for (size_t g = 0; g < x->costs_count; g++)
            for (size_t l = 0; l < L; l++) cost[l] += group_cost(x, &x->costs[g], i, l, w);
        for (size_t l = 0; loss_augmented && l < L; l++) cost[l] -= variable_loss(x, i, l) / x->scale;
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
                sos_layout_table(x->layout, x->uses[t].group, l, w, g + l * entries);
        status = sos_multi_energy_set_tables(x->multi, t, g, error);
    }
    free(g);
    return status;
}

/* Expansion moves need not find the minimum.  But the labelling that is returned costs no more than the one that the moves
 * started from, nor, for training, than the true one: no constraint that is found is less violated than none. */
static sos_status expand_from_best(sos_example *x, bool loss_augmented, sos_expand_settings *s, uint8_t labels[],
                                   sos_expand_result *r, sos_error *error)
{
    sos_status status = sos_expand(x->multi, s, labels, r, error);
    if (status || !loss_augmented || sos_multi_energy_value(x->multi, x->truth) >= r->energy) return status;
    memcpy(labels, x->truth, x->n);
    s->start = SOS_EXPAND_LABELS;
    return sos_expand(x->multi, s, labels, r, error);
}

static sos_status minimize_labels(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                                  uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    sos_status status = SOS_OK;
    if (!x->multi) status = sos_multi_energy_over(x->energy, x->layout->labels, &x->multi, error);
    if (!status) status = set_label_costs(x, w, loss_augmented, error);
    if (!status) status = set_label_tables(x, w, error);
    if (!status) status = set_label_regions(x, w, error);
    if (status) return status;
    sos_expand_settings s = sos_expand_defaults();
    if (settings) {
        s.start = settings->start == SOS_START_LABELS ? SOS_EXPAND_LABELS : SOS_EXPAND_UNARIES;
        s.bits = settings->bits;
        s.memory_limit = settings->memory_limit;
        s.progress = settings->progress;
        s.user = settings->user;
    }
    sos_expand_result r;
    status = expand_from_best(x, loss_augmented, &s, labels, &r, error);
    if (!status)
        *result = (sos_minimize_result){ .energy = r.energy,
                                         .lower_bound = r.lower_bound,
                                         .rounding = r.rounding,
                                         .warm = s.start == SOS_EXPAND_LABELS,
                                         .bytes = r.bytes,
                                         .seconds_solve = r.seconds };
    return status;
}

/* ---------------------------------------------------------------- minimising */

static sos_status minimize_two(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                               uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    sos_status status = set_unaries(x, w, loss_augmented, error);
    if (!status) status = set_tables(x, w, loss_augmented, error);
    if (!status) status = set_concaves(x, w, error);
    if (status) return status;
    if (!settings || settings->start != SOS_START_FLOW) return sos_minimize(x->energy, settings, labels, result, error);
    if (!x->minimizer) status = sos_minimizer_create(&x->minimizer, error);
    if (!status) status = sos_minimizer_run(x->minimizer, x->energy, settings, labels, result, error);
    x->flow_bytes = result->bytes;
    return status;
}

sos_status sos_example_minimize(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                                uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    if (!x || !w || !labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no example, no weights or no labels were given");
    sos_status status = loss_augmented ? truth_check(x, error) : SOS_OK;
    for (size_t i = 0; !status && i < x->layout->weights; i++)
        if (!isfinite(w[i])) status = sos_fail(error, SOS_ERR_ARGUMENT, "weight %zu is %g", i, w[i]);
    if (!status) status = set_pairs(x, w, error);
    if (status) return status;
    sos_minimize_result r = { 0 };
    status = x->layout->labels == 2 ? minimize_two(x, w, loss_augmented, settings, labels, &r, error)
                                    : minimize_labels(x, w, loss_augmented, settings, labels, &r, error);
    r.energy *= x->scale;
    r.lower_bound *= x->scale;
    r.rounding *= x->scale;
    if (!status && result) *result = r;
    return status;
}

sos_status sos_model_predict(const sos_model *m, sos_example *x, const sos_minimize_settings *settings, uint8_t labels[],
                             sos_minimize_result *result, sos_error *error)
{
    if (!m || !x) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no example was given");
    if (m->layout->identity != x->layout->identity)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the example was made for a model with other groups");
    return sos_example_minimize(x, m->weights, false, settings, labels, result, error);
}
