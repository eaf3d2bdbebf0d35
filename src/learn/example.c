/* example.c - one example: what it owns, and what it is recognised by.  What it holds has a file for each kind of part, Psi,
 * the energy w . Psi and its minimum have one each: example_*.c. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "minimize/minimizer.h"

sos_status sos_example_create(const sos_model *m, size_t n, sos_example **out, sos_error *error)
{
    if (!m || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no place for the example was given");
    if (!n) return sos_fail(error, SOS_ERR_ARGUMENT, "an example needs variables");
    sos_energy *energy;
    const sos_status status = sos_energy_create(n, &energy, error);
    if (status) return status;
    const size_t slots = m->layout->table_slots;
    sos_example *x = calloc(1, sizeof *x);
    uint32_t *table_of = malloc((slots ? slots : 1) * sizeof *table_of);
    if (!x || !table_of) {
        free(x);
        free(table_of);
        sos_energy_free(energy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an example of %zu variables", n);
    }
    for (size_t s = 0; s < slots; s++) table_of[s] = SOS_NO_TABLE;
    x->layout = sos_layout_share(m->layout);
    x->energy = energy;
    x->n = n;
    x->scale = 1;
    x->table_of = table_of;
    x->potts = SOS_NO_TABLE;
    *out = x;
    return SOS_OK;
}

void sos_features_free(sos_features *f)
{
    free(f->start);
    free(f->index);
    free(f->value);
}

void sos_example_free(sos_example *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->features_count; i++) sos_features_free(&x->features[i]);
    for (size_t i = 0; i < x->costs_count; i++) free(x->costs[i].cost);
    for (size_t i = 0; i < x->pair_runs_count; i++) free(x->pair_runs[i].phi);
    for (size_t i = 0; i < x->region_runs_count; i++) free(x->region_runs[i].phi);
    for (size_t i = 0; i < x->count_runs_count; i++) free(x->count_runs[i].phi);
    for (size_t t = 0; t < x->energy->table_count; t++) free(x->uses[t].delta);
    free(x->features);
    free(x->costs);
    free(x->pair_runs);
    free(x->region_runs);
    free(x->regions);
    free(x->members);
    free(x->count_runs);
    free(x->counts);
    free(x->counted);
    free(x->amounts);
    free(x->strengths);
    free(x->uses);
    free(x->table_of);
    free(x->truth);
    free(x->care);
    free(x->fixed);
    free(x->reference);
    free(x->class_loss);
    free(x->loss);
    sos_minimizer_free(x->minimizer);
    sos_multi_energy_free(x->multi);
    sos_energy_free(x->energy);
    sos_layout_release(x->layout);
    free(x);
}

size_t sos_example_flow_bytes(const sos_example *x) { return x->flow_bytes; }

static size_t runs_bytes(const sos_example *x, size_t count, const sos_run runs[])
{
    size_t bytes = count * sizeof *runs;
    for (size_t i = 0; i < count; i++)
        bytes += runs[i].phi ? runs[i].count * sos_layout_group_phi(&x->layout->groups[runs[i].group]) * sizeof(double) : 0;
    return bytes;
}

/* Of what variables cost by themselves. */
static size_t unaries_bytes(const sos_example *x)
{
    size_t bytes = x->features_count * sizeof *x->features + x->costs_count * sizeof *x->costs;
    for (size_t i = 0; i < x->features_count; i++) {
        const sos_features *f = &x->features[i];
        bytes += (x->n + 1) * sizeof *f->start + f->start[x->n] * (sizeof *f->index + (f->value ? sizeof *f->value : 0));
    }
    for (size_t i = 0; i < x->costs_count; i++)
        bytes += x->n * x->layout->labels * x->layout->groups[x->costs[i].group].spec.size * sizeof(double);
    return bytes;
}

/* Of true labels and losses. */
static size_t truth_bytes(const sos_example *x)
{
    const size_t labels = x->layout->labels;
    size_t bytes = (x->truth ? x->n : 0) + (x->care ? x->n : 0) + (x->fixed ? x->n : 0) + (x->reference ? x->n : 0) +
                   (x->class_loss ? labels * sizeof(double) : 0) + (x->loss ? x->n * labels * sizeof(double) : 0);
    for (size_t t = 0; t < x->energy->table_count; t++)
        bytes += x->uses[t].delta ? sizeof(double) << x->energy->tables[t].k : 0;
    return bytes;
}

size_t sos_example_bytes(const sos_example *x)
{
    const size_t regions = x->regions_count * sizeof *x->regions + x->members_count * sizeof *x->members +
                           (x->strengths ? x->regions_count * sizeof *x->strengths : 0);
    const size_t counts = x->counts_count * sizeof *x->counts + x->counted_count * sizeof *x->counted +
                          x->amounts_count * sizeof *x->amounts;
    const size_t tables = x->layout->table_slots * sizeof *x->table_of + x->energy->table_count * sizeof *x->uses;
    return sizeof *x + unaries_bytes(x) + runs_bytes(x, x->pair_runs_count, x->pair_runs) +
           runs_bytes(x, x->region_runs_count, x->region_runs) + runs_bytes(x, x->count_runs_count, x->count_runs) + regions +
           counts + tables + truth_bytes(x) + sos_energy_bytes(x->energy) + x->flow_bytes +
           (x->multi ? sos_multi_energy_bytes(x->multi) : 0);
}

void sos_example_forget_flow(sos_example *x)
{
    sos_minimizer_free(x->minimizer);
    sos_multi_energy_free(x->multi);
    x->minimizer = NULL;
    x->multi = NULL;
    x->flow_bytes = 0;
}

void sos_example_pack_flow(sos_example *x)
{
    if (x->minimizer) x->flow_bytes = sos_minimizer_pack(x->minimizer, x->energy);
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
        if (x->uses[table].strength) hash = sos_hash(hash, &x->uses[table].strength, sizeof x->uses[table].strength);
        if (x->uses[table].delta) hash = sos_hash(hash, x->uses[table].delta, sizeof(double) << k);
    }
    return hash;
}

static uint64_t hash_regions(const sos_example *x, uint64_t hash)
{
    for (size_t i = 0; i < x->region_runs_count; i++) {
        const sos_run *r = &x->region_runs[i];
        const size_t numbers = r->count * x->layout->groups[r->group].spec.size;
        hash = sos_hash(sos_hash(hash, &r->group, sizeof r->group), &r->count, sizeof r->count);
        if (r->phi) hash = sos_hash(hash, r->phi, numbers * sizeof *r->phi);
    }
    hash = sos_hash(hash, x->regions, x->regions_count * sizeof *x->regions);
    return sos_hash(hash, x->members, x->members_count * sizeof *x->members);
}

static uint64_t hash_counts(const sos_example *x, uint64_t hash)
{
    for (size_t i = 0; i < x->count_runs_count; i++) {
        const sos_run *r = &x->count_runs[i];
        const size_t numbers = r->count * sos_layout_group_phi(&x->layout->groups[r->group]);
        hash = sos_hash(sos_hash(hash, &r->group, sizeof r->group), &r->count, sizeof r->count);
        if (r->phi) hash = sos_hash(hash, r->phi, numbers * sizeof *r->phi);
    }
    for (size_t i = 0; i < x->counts_count; i++) hash = sos_hash(hash, &x->counts[i].k, sizeof x->counts[i].k);
    hash = sos_hash(hash, x->counted, x->counted_count * sizeof *x->counted);
    for (size_t i = 0; i < x->counts_count; i++) {
        const double *amounts = sos_count_amounts(x, &x->counts[i]), one = 1;
        for (size_t q = 0; q < x->counts[i].k; q++) hash = sos_hash(hash, amounts ? &amounts[q] : &one, sizeof one);
    }
    return hash;
}

uint64_t sos_example_hash(const sos_example *x, uint64_t hash)
{
    const size_t labels = x->layout->labels;
    hash = sos_hash(sos_hash(hash, &x->n, sizeof x->n), &x->scale, sizeof x->scale);
    for (size_t i = 0; i < x->features_count; i++) {
        const sos_features *f = &x->features[i];
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
    for (size_t i = 0; i < x->pair_runs_count; i++) {
        const sos_run *r = &x->pair_runs[i];
        const size_t numbers = r->count * x->layout->groups[r->group].spec.size;
        hash = sos_hash(sos_hash(hash, &r->group, sizeof r->group), &r->count, sizeof r->count);
        if (r->phi) hash = sos_hash(hash, r->phi, numbers * sizeof *r->phi);
    }
    hash = hash_regions(x, hash);
    if (x->counts_count) hash = hash_counts(x, hash);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) hash = hash_cliques(x, k, hash);
    if (x->truth) hash = sos_hash(hash, x->truth, x->n);
    if (x->care) hash = sos_hash(hash, x->care, x->n);
    if (x->fixed) hash = sos_hash(hash, x->fixed, x->n);
    if (x->class_loss) hash = sos_hash(hash, x->class_loss, labels * sizeof *x->class_loss);
    if (x->loss) hash = sos_hash(hash, x->loss, x->n * labels * sizeof *x->loss);
    return hash;
}

sos_status sos_example_group_check(const sos_example *x, uint32_t group, sos_group_kind kind, const char *what,
                                   sos_error *error)
{
    if (group >= x->layout->group_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group %u, but there are %zu", (unsigned)group, x->layout->group_count);
    if (x->layout->groups[group].spec.kind == kind) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" is not for %s", x->layout->groups[group].spec.name, what);
}

sos_status sos_example_set_scale(sos_example *x, double scale, sos_error *error)
{
    if (!(scale > 0 && isfinite(scale) && isfinite(1 / scale)))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the scale of an example is %g; it must be over 0", scale);
    x->scale = scale;
    return SOS_OK;
}

bool sos_copy_array(void *out, const void *from, size_t count, size_t size)
{
    void *copy = from ? malloc(count ? count * size : 1) : NULL;
    if (from && !copy) return false;
    if (from && count) memcpy(copy, from, count * size);
    memcpy(out, &copy, sizeof copy);
    return true;
}
