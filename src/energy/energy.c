/* energy.c - what an energy is: unaries, shared tables, cliques in pools by size, concave count cliques. */
#include "energy/energy.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

/* Node numbers must leave room for markers and for a sign. */
static const size_t VARIABLES_MAX = (size_t)1 << 30;
/* Members of all cliques of one size; the network numbers them with 32 bits. */
static const size_t SLOTS_MAX = (size_t)UINT32_MAX - 64;

/* Only ever compared for equality, to recognise an energy whose cliques have not changed. */
static uint64_t next_identity(void)
{
    static atomic_uint_fast64_t counter = 1;
    return atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

sos_status sos_energy_create(size_t n, sos_energy **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the energy was given");
    if (n > VARIABLES_MAX) return sos_fail(error, SOS_ERR_RANGE, "%zu variables, more than %zu", n, VARIABLES_MAX);
    sos_energy *e = calloc(1, sizeof *e);
    double *unary = calloc(n ? n : 1, 2 * sizeof *unary);
    if (!e || !unary) {
        free(e);
        free(unary);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an energy of %zu variables", n);
    }
    e->n = n;
    e->unary = unary;
    e->identity = next_identity();
    *out = e;
    return SOS_OK;
}

void sos_energy_free(sos_energy *e)
{
    if (!e) return;
    for (size_t k = 0; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        free(e->pools[k].variables);
        free(e->pools[k].tables);
        free(e->pools[k].weights);
    }
    for (size_t c = 0; c < e->concave_count; c++) {
        free(e->concaves[c].variables);
        free(e->concaves[c].g);
    }
    free(e->concaves);
    free(e->costs);
    free(e->tables);
    free(e->fixed);
    free(e->unary);
    free(e);
}

sos_status sos_energy_add_constant(sos_energy *e, double cost, sos_error *error)
{
    if (!isfinite(e->constant + cost)) return sos_fail(error, SOS_ERR_ARGUMENT, "the constant would be %g", e->constant + cost);
    e->constant += cost;
    return SOS_OK;
}

static sos_status unary_check(size_t i, double cost0, double cost1, sos_error *error)
{
    if (isfinite(cost0) && isfinite(cost1) && isfinite(cost1 - cost0)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has unary costs %g and %g, which are not finite", i, cost0, cost1);
}

sos_status sos_energy_set_unary(sos_energy *e, size_t i, double cost0, double cost1, sos_error *error)
{
    if (i >= e->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, e->n);
    const sos_status status = unary_check(i, cost0, cost1, error);
    if (status) return status;
    e->unary[2 * i] = cost0;
    e->unary[2 * i + 1] = cost1;
    return SOS_OK;
}

sos_status sos_energy_set_unaries(sos_energy *e, const double cost0[], const double cost1[], sos_error *error)
{
    double sum = 0; /* x - x is 0 for a finite x and NaN otherwise */
    for (size_t i = 0; i < e->n; i++) {
        const double c0 = cost0 ? cost0[i] : 0, c1 = cost1 ? cost1[i] : 0;
        sum += (c1 - c0) - (c1 - c0);
    }
    for (size_t i = 0; sum != 0 && i < e->n; i++) {
        const sos_status status = unary_check(i, cost0 ? cost0[i] : 0, cost1 ? cost1[i] : 0, error);
        if (status) return status;
    }
    for (size_t i = 0; i < e->n; i++) {
        e->unary[2 * i] = cost0 ? cost0[i] : 0;
        e->unary[2 * i + 1] = cost1 ? cost1[i] : 0;
    }
    return SOS_OK;
}

sos_status sos_energy_fix(sos_energy *e, size_t i, int label, sos_error *error)
{
    if (i >= e->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, e->n);
    if (label < 0 || label > SOS_FREE) return sos_fail(error, SOS_ERR_ARGUMENT, "label %d is none of 0, 1, SOS_FREE", label);
    if (!e->fixed) {
        e->fixed = malloc(e->n);
        if (!e->fixed) return sos_fail(error, SOS_ERR_MEMORY, "no memory to fix variables");
        memset(e->fixed, SOS_FREE, e->n);
    }
    e->fixed[i] = (uint8_t)label;
    return SOS_OK;
}

/* The facts about a table that choosing integers for the flow needs. */
static sos_table table_of(size_t k, const double f[], size_t offset)
{
    sos_table t = { .k = k, .offset = offset, .integers = true };
    const uint32_t entries = UINT32_C(1) << k;
    for (uint32_t S = 0; S < entries; S++) {
        const double size = fabs(f[S] - f[0]);
        t.largest = size > t.largest ? size : t.largest;
        t.integers &= f[S] == rint(f[S]);
    }
    for (uint32_t bit = 1; bit < entries; bit <<= 1)
        for (uint32_t high = 0; high < entries; high += 2 * bit)
            for (uint32_t S = high; S < high + bit; S++) {
                const double size = fabs(f[S | bit] - f[S]);
                t.marginal = size > t.marginal ? size : t.marginal;
            }
    return t;
}

sos_status sos_energy_add_table(sos_energy *e, size_t k, const double f[], uint32_t *table, sos_error *error)
{
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a table of %zu members; it takes 1 to %d", k, SOS_TABLE_MEMBERS_MAX);
    if (!f || !table) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs or no place for the table's number were given");
    const sos_status status = sos_table_check(k, f, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    if (e->table_count >= UINT32_MAX) return sos_fail(error, SOS_ERR_RANGE, "more than %u tables", (unsigned)UINT32_MAX);
    if (!sos_grow(&e->tables, &e->tables_room, e->table_count + 1) ||
        !sos_grow(&e->costs, &e->costs_room, e->costs_count + entries))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for table %zu", e->table_count);
    memcpy(e->costs + e->costs_count, f, entries * sizeof *f);
    e->tables[e->table_count] = table_of(k, f, e->costs_count);
    e->costs_count += entries;
    *table = (uint32_t)e->table_count++;
    return SOS_OK;
}

static sos_status table_number_check(const sos_energy *e, uint32_t table, sos_error *error)
{
    if (table < e->table_count) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "table %u, but there are %zu", (unsigned)table, e->table_count);
}

sos_status sos_energy_set_table(sos_energy *e, uint32_t table, const double f[], sos_error *error)
{
    sos_status status = table_number_check(e, table, error);
    if (status) return status;
    sos_table *t = &e->tables[table];
    if (!f) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    status = sos_table_check(t->k, f, error);
    if (status) return status;
    if (!memcmp(e->costs + t->offset, f, sizeof *f << t->k)) return SOS_OK; /* a flow can keep its cliques */
    memcpy(e->costs + t->offset, f, sizeof *f << t->k);
    const size_t uses = t->uses;
    *t = table_of(t->k, f, t->offset);
    t->uses = uses;
    e->revision++;
    return SOS_OK;
}

/* Loops over members are much faster where the compiler knows their number: these sizes are the common ones. */
#define SOS_FOR_SIZE(k, call) ((k) == 2 ? call(2) : (k) == 4 ? call(4) : (k) == 9 ? call(9) : call(k))

static inline __attribute__((always_inline)) bool repeats(size_t count, size_t k, const uint32_t variables[])
{
    bool repeat = false;
    for (size_t c = 0; c < count; c++)
        for (size_t i = 1; i < k; i++)
            for (size_t j = 0; j < i; j++) repeat |= variables[c * k + i] == variables[c * k + j];
    return repeat;
}

static bool has_repeat(size_t count, size_t k, const uint32_t variables[])
{
#define REPEATS(size) repeats(count, size, variables)
    return SOS_FOR_SIZE(k, REPEATS);
#undef REPEATS
}

static sos_status members_check(const sos_energy *e, size_t clique, size_t k, const uint32_t variables[], sos_error *error)
{
    for (size_t i = 0; i < k; i++)
        if (variables[i] >= e->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has variable %u, but there are %zu", clique,
                            (unsigned)variables[i], e->n);
    for (size_t i = 1; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (variables[i] == variables[j])
                return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has variable %u twice", clique, (unsigned)variables[i]);
    return SOS_OK;
}

static sos_status weights_check(size_t count, const double weights[], sos_error *error)
{
    for (size_t c = 0; weights && c < count; c++)
        if (!(weights[c] >= 0 && isfinite(weights[c])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has weight %g; it must be finite and not negative", c,
                            weights[c]);
    return SOS_OK;
}

/* Room for count more cliques of a pool, with a weight each if weighted or if the pool has weights already. */
static sos_status pool_reserve(sos_pool *pool, size_t k, size_t count, bool weighted, sos_error *error)
{
    if (count > SLOTS_MAX / k - pool->count)
        return sos_fail(error, SOS_ERR_RANGE, "%zu more cliques of %zu members, too many", count, k);
    const size_t total = pool->count + count;
    bool ok = sos_grow(&pool->variables, &pool->variables_room, total * k) &&
              sos_grow(&pool->tables, &pool->tables_room, total);
    const bool fresh = weighted && !pool->weights;
    if (ok && (weighted || pool->weights)) ok = sos_grow(&pool->weights, &pool->weights_room, total);
    if (!ok) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu cliques of %zu members", total, k);
    for (size_t c = 0; fresh && c < pool->count; c++) pool->weights[c] = 1;
    return SOS_OK;
}

/* Takes over count cliques whose variables already stand behind those of the pool.  They have one table, or tables[c]. */
static void pool_commit(sos_energy *e, size_t k, uint32_t table, const uint32_t tables[], size_t count, const double weights[])
{
    sos_pool *pool = &e->pools[k];
    if (!pool->count) {
        pool->largest_weight = 1;
        pool->integer_weights = true;
    }
    for (size_t c = 0; c < count; c++) {
        const uint32_t t = tables ? tables[c] : table;
        pool->tables[pool->count + c] = t;
        e->tables[t].uses += !weights || weights[c] > 0;
    }
    for (size_t c = 0; pool->weights && c < count; c++) {
        const double w = weights ? weights[c] : 1;
        pool->weights[pool->count + c] = w;
        pool->largest_weight = fmax(pool->largest_weight, w);
        pool->integer_weights &= w == rint(w);
    }
    pool->count += count;
    e->clique_count += count;
    e->identity = next_identity();
}

static sos_status add_cliques(sos_energy *e, uint32_t table, const uint32_t tables[], size_t count, const uint32_t variables[],
                              const double weights[], sos_error *error)
{
    if (!variables) return sos_fail(error, SOS_ERR_ARGUMENT, "no variables were given");
    const size_t k = e->tables[table].k;
    sos_pool *pool = &e->pools[k];
    sos_status status = weights_check(count, weights, error);
    if (!status) status = pool_reserve(pool, k, count, weights, error);
    if (status) return status;

    uint32_t *copy = pool->variables + pool->count * k, largest = 0;
    for (size_t s = 0; s < count * k; s++) {
        copy[s] = variables[s];
        if (variables[s] > largest) largest = variables[s];
    }
    const bool bad = largest >= e->n || has_repeat(count, k, copy);
    for (size_t c = 0; bad && c < count; c++) {
        status = members_check(e, c, k, copy + c * k, error);
        if (status) return status;
    }
    pool_commit(e, k, table, tables, count, weights);
    return SOS_OK;
}

sos_status sos_energy_add_cliques(sos_energy *e, uint32_t table, size_t count, const uint32_t variables[],
                                  const double weights[], sos_error *error)
{
    const sos_status status = table_number_check(e, table, error);
    if (status || !count) return status;
    return add_cliques(e, table, NULL, count, variables, weights, error);
}

sos_status sos_energy_add_listed(sos_energy *e, size_t count, const uint32_t tables[], const uint32_t variables[],
                                 const double weights[], sos_error *error)
{
    if (!count) return SOS_OK;
    if (!tables) return sos_fail(error, SOS_ERR_ARGUMENT, "no tables were given");
    for (size_t c = 0; c < count; c++) {
        const sos_status status = table_number_check(e, tables[c], error);
        if (status) return status;
        const size_t k = e->tables[tables[c]].k, first = e->tables[tables[0]].k;
        if (k != first)
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has a table of %zu members, clique 0 one of %zu", c, k, first);
    }
    return add_cliques(e, tables[0], tables, count, variables, weights, error);
}

sos_status sos_energy_add_patches(sos_energy *e, uint32_t table, size_t width, size_t height, size_t patch_width,
                                  size_t patch_height, const double weights[], sos_error *error)
{
    sos_status status = table_number_check(e, table, error);
    if (status) return status;
    const size_t k = e->tables[table].k;
    if (!patch_width || !patch_height || k % patch_width || k / patch_width != patch_height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "patches of %zux%zu pixels, but the table has %zu members", patch_width,
                        patch_height, k);
    if (width && height > e->n / width)
        return sos_fail(error, SOS_ERR_ARGUMENT, "an image of %zux%zu pixels, but there are %zu variables", width, height,
                        e->n);
    if (width < patch_width || height < patch_height) return SOS_OK;

    const size_t columns = width - patch_width + 1, rows = height - patch_height + 1, count = columns * rows;
    sos_pool *pool = &e->pools[k];
    status = weights_check(count, weights, error);
    if (!status) status = pool_reserve(pool, k, count, weights, error);
    if (status) return status;
    uint32_t *next = pool->variables + pool->count * k;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            for (size_t dy = 0; dy < patch_height; dy++)
                for (size_t dx = 0; dx < patch_width; dx++) *next++ = (uint32_t)((y + dy) * width + x + dx);
    pool_commit(e, k, table, NULL, count, weights);
    return SOS_OK;
}

sos_status sos_energy_set_weights(sos_energy *e, size_t first, size_t count, const double weights[], sos_error *error)
{
    if (first > e->clique_count || count > e->clique_count - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "cliques %zu and %zu on, but there are %zu", first, count, e->clique_count);
    if (!count) return SOS_OK;
    size_t k = 1;
    while (first >= e->pools[k].count) first -= e->pools[k++].count;
    sos_pool *pool = &e->pools[k];
    if (!weights || count > pool->count - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu cliques do not all have %zu members, or no weights were given", count, k);
    sos_status status = weights_check(count, weights, error);
    if (!status) status = pool_reserve(pool, k, 0, true, error);
    if (status) return status;
    for (size_t c = 0; c < count; c++) {
        size_t *uses = &e->tables[pool->tables[first + c]].uses;
        *uses = *uses - (pool->weights[first + c] > 0) + (weights[c] > 0);
        pool->weights[first + c] = weights[c];
    }
    pool->largest_weight = 1;
    pool->integer_weights = true;
    for (size_t c = 0; c < pool->count; c++) {
        const double w = pool->weights[c];
        pool->largest_weight = w > pool->largest_weight ? w : pool->largest_weight;
        pool->integer_weights &= w == rint(w);
    }
    if (k == 2)
        e->revision++;
    else
        e->identity = next_identity(); /* larger cliques take the flow of other weights for another network's */
    return SOS_OK;
}

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

sos_status sos_energy_add_concave(sos_energy *e, size_t k, const uint32_t variables[], const double g[], sos_error *error)
{
    if (!k || !variables || !g) return sos_fail(error, SOS_ERR_ARGUMENT, "a concave clique needs members and costs");
    if (k > e->n) return sos_fail(error, SOS_ERR_ARGUMENT, "a clique of %zu members, but there are %zu variables", k, e->n);
    const sos_status status = sos_concave_check(k, g, error);
    if (status) return status;
    uint32_t *members = malloc(k * sizeof *members);
    double *costs = malloc((k + 1) * sizeof *costs);
    if (!members || !costs || !sos_grow(&e->concaves, &e->concaves_room, e->concave_count + 1)) {
        free(members);
        free(costs);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    }

    /* Sorting a copy finds repeats in a clique of thousands; its order is no matter to a function of the count. */
    memcpy(members, variables, k * sizeof *members);
    memcpy(costs, g, (k + 1) * sizeof *costs);
    qsort(members, k, sizeof *members, compare_variables);
    sos_status bad = SOS_OK;
    if (members[k - 1] >= e->n)
        bad = sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u, but there are %zu", (unsigned)members[k - 1], e->n);
    for (size_t i = 1; !bad && i < k; i++)
        if (members[i] == members[i - 1])
            bad = sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u twice", (unsigned)members[i]);
    if (bad) {
        free(members);
        free(costs);
        return bad;
    }
    e->concaves[e->concave_count++] = (sos_concave_clique){ k, members, costs };
    e->concave_bytes += k * sizeof *members + (k + 1) * sizeof *costs;
    e->identity = next_identity();
    return SOS_OK;
}

sos_status sos_energy_reserve(sos_energy *e, uint32_t table, size_t cliques, sos_error *error)
{
    const sos_status status = table_number_check(e, table, error);
    if (status) return status;
    const size_t k = e->tables[table].k;
    return pool_reserve(&e->pools[k], k, cliques, false, error);
}

size_t sos_energy_variables(const sos_energy *e) { return e->n; }
size_t sos_energy_cliques(const sos_energy *e) { return e->clique_count; }
size_t sos_energy_tables(const sos_energy *e) { return e->table_count; }
size_t sos_energy_concaves(const sos_energy *e) { return e->concave_count; }
double sos_energy_constant(const sos_energy *e) { return e->constant; }

size_t sos_energy_bytes(const sos_energy *e)
{
    size_t bytes = sizeof *e + 2 * e->n * sizeof *e->unary + (e->fixed ? e->n : 0) + e->tables_room * sizeof *e->tables +
                   e->costs_room * sizeof *e->costs + e->concaves_room * sizeof *e->concaves + e->concave_bytes;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *p = &e->pools[k];
        bytes += p->variables_room * sizeof *p->variables + p->tables_room * sizeof *p->tables +
                 p->weights_room * sizeof *p->weights;
    }
    return bytes;
}

void sos_energy_unary(const sos_energy *e, size_t i, double *cost0, double *cost1)
{
    sos_expects(i < e->n);
    *cost0 = e->unary[2 * i];
    *cost1 = e->unary[2 * i + 1];
}

int sos_energy_fixed(const sos_energy *e, size_t i)
{
    sos_expects(i < e->n);
    return e->fixed ? e->fixed[i] : SOS_FREE;
}

const double *sos_energy_table(const sos_energy *e, uint32_t table, size_t *k)
{
    sos_expects(table < e->table_count);
    *k = e->tables[table].k;
    return sos_table_costs(e, table);
}

sos_clique sos_energy_clique(const sos_energy *e, size_t clique)
{
    sos_expects(clique < e->clique_count);
    size_t k = 1;
    while (clique >= e->pools[k].count) clique -= e->pools[k++].count;
    const sos_pool *pool = &e->pools[k];
    return (sos_clique){ k, pool->variables + clique * k, pool->tables[clique], pool->weights ? pool->weights[clique] : 1 };
}

sos_concave sos_energy_concave(const sos_energy *e, size_t concave)
{
    sos_expects(concave < e->concave_count);
    const sos_concave_clique *c = &e->concaves[concave];
    return (sos_concave){ c->k, c->variables, c->g };
}

/* Sums are taken in chunks, so that the error of a sum over millions of terms stays that of hundreds. */
enum { CHUNK = 256 };

static inline __attribute__((always_inline)) double cliques_value(const sos_energy *e, size_t k, const uint8_t labels[])
{
    const sos_pool *pool = &e->pools[k];
    double total = 0;
    for (size_t c = 0; c < pool->count;) {
        const size_t end = pool->count - c < CHUNK ? pool->count : c + CHUNK;
        double sum = 0;
        for (; c < end; c++) {
            size_t S = 0;
            for (size_t i = 0; i < k; i++) S |= (size_t)(labels[pool->variables[c * k + i]] != 0) << i;
            const double f = sos_table_costs(e, pool->tables[c])[S];
            sum += pool->weights ? pool->weights[c] * f : f;
        }
        total += sum;
    }
    return total;
}

double sos_energy_value(const sos_energy *e, const uint8_t labels[])
{
    double total = e->constant;
    for (size_t i = 0; i < e->n;) {
        const size_t end = e->n - i < CHUNK ? e->n : i + CHUNK;
        double sum = 0;
        for (; i < end; i++) sum += e->unary[2 * i + (labels[i] != 0)];
        total += sum;
    }
#define VALUE(size) cliques_value(e, size, labels)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) total += SOS_FOR_SIZE(k, VALUE);
#undef VALUE
    for (size_t c = 0; c < e->concave_count; c++) {
        size_t ones = 0;
        for (size_t i = 0; i < e->concaves[c].k; i++) ones += labels[e->concaves[c].variables[i]] != 0;
        total += e->concaves[c].g[ones];
    }
    return total;
}
