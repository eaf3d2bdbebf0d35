/* clique.c - cliques with tables, in pools by their size. */
#include "energy/energy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "energy/patches.h"

/* Members of all cliques of one size; the network numbers them with 32 bits. */
static const size_t SLOTS_MAX = (size_t)UINT32_MAX - 64;

/* Copies the members of cliques, and says whether one is none of n variables or stands twice in a clique. */
SOS_INLINE bool copy_of_size(size_t n, size_t count, size_t k, const uint32_t from[], uint32_t to[])
{
    uint32_t largest = 0;
    bool repeat = false;
    for (size_t s = 0; s < count * k; s++) {
        to[s] = from[s];
        largest = from[s] > largest ? from[s] : largest;
    }
    for (size_t c = 0; c < count; c++)
        for (size_t i = 1; i < k; i++)
            for (size_t j = 0; j < i; j++) repeat |= to[c * k + i] == to[c * k + j];
    return largest >= n || repeat;
}

#define COPY(size) copy_of_size(n, count, size, from, to)
SOS_TARGET_AVX2 static bool copy_by_avx2(size_t n, size_t count, size_t k, const uint32_t from[], uint32_t to[])
{
    return SOS_FOR_SIZE(k, COPY);
}
static bool copy_by_any(size_t n, size_t count, size_t k, const uint32_t from[], uint32_t to[])
{
    return SOS_FOR_SIZE(k, COPY);
}
#undef COPY

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
    for (size_t c = 0; c < count; c++) pool->tables[pool->count + c] = tables ? tables[c] : table;
    if (!tables && !weights)
        e->tables[table].uses += count;
    else
        for (size_t c = 0; c < count; c++) e->tables[tables ? tables[c] : table].uses += !weights || weights[c] > 0;
    for (size_t c = 0; pool->weights && c < count; c++) {
        const double w = weights ? weights[c] : 1;
        pool->weights[pool->count + c] = w;
        pool->largest_weight = fmax(pool->largest_weight, w);
        pool->integer_weights &= w == rint(w);
    }
    pool->count += count;
    e->clique_count += count;
    sos_energy_renew(e);
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

    uint32_t *copy = pool->variables + pool->count * k;
    const bool bad = (sos_has_avx2() ? copy_by_avx2 : copy_by_any)(e->n, count, k, variables, copy);
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
    const sos_status status = sos_table_number_check(e, table, error);
    if (status || !count) return status;
    return add_cliques(e, table, NULL, count, variables, weights, error);
}

sos_status sos_energy_add_listed(sos_energy *e, size_t count, const uint32_t tables[], const uint32_t variables[],
                                 const double weights[], sos_error *error)
{
    if (!count) return SOS_OK;
    if (!tables) return sos_fail(error, SOS_ERR_ARGUMENT, "no tables were given");
    for (size_t c = 0; c < count; c++) {
        const sos_status status = sos_table_number_check(e, tables[c], error);
        if (status) return status;
        const size_t k = e->tables[tables[c]].k, first = e->tables[tables[0]].k;
        if (k != first)
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has a table of %zu members, clique 0 one of %zu", c, k, first);
    }
    return add_cliques(e, tables[0], tables, count, variables, weights, error);
}

sos_status sos_energy_add_volume_patches(sos_energy *e, uint32_t table, size_t width, size_t height, size_t depth,
                                         size_t patch_width, size_t patch_height, size_t patch_depth, const double weights[],
                                         sos_error *error)
{
    const sos_box grid = { width, height, depth }, patch = { patch_width, patch_height, patch_depth };
    sos_status status = sos_table_number_check(e, table, error);
    if (status) return status;
    const size_t k = e->tables[table].k;
    status = sos_patches_check(e->n, k, grid, patch, error);
    if (status) return status;
    const size_t count = sos_patches_count(grid, patch);
    sos_pool *pool = &e->pools[k];
    if (!count) return SOS_OK;
    status = weights_check(count, weights, error);
    if (!status) status = pool_reserve(pool, k, count, weights, error);
    if (status) return status;
    sos_patches_list(grid, patch, pool->variables + pool->count * k);
    pool_commit(e, k, table, NULL, count, weights);
    return SOS_OK;
}

sos_status sos_energy_add_patches(sos_energy *e, uint32_t table, size_t width, size_t height, size_t patch_width,
                                  size_t patch_height, const double weights[], sos_error *error)
{
    return sos_energy_add_volume_patches(e, table, width, height, 1, patch_width, patch_height, 1, weights, error);
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
        sos_energy_renew(e); /* larger cliques take the flow of other weights for another network's */
    return SOS_OK;
}

size_t sos_energy_unshared_costs(const sos_energy *e)
{
    size_t costs = 0;
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count && !e->pools[k].integer_weights) costs += e->pools[k].count << k;
    return costs;
}

/* A table of its own, of which f has the costs, for a clique whose weight is not 0. */
static sos_status unshare(sos_energy *e, size_t k, size_t c, double f[], double *off, sos_error *error)
{
    sos_pool *pool = &e->pools[k];
    const double w = pool->weights[c], *costs = sos_table_costs(e, pool->tables[c]);
    double largest = 0;
    uint32_t table;
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        f[S] = w * costs[S];
        largest = fmax(largest, fabs(f[S]));
    }
    const sos_status status = sos_energy_add_table(e, k, f, &table, error);
    if (status) return status;
    e->tables[pool->tables[c]].uses--;
    e->tables[table].uses++;
    pool->tables[c] = table;
    pool->weights[c] = 1;
    *off += largest * (DBL_EPSILON / 2) + DBL_TRUE_MIN;
    return SOS_OK;
}

sos_status sos_energy_unshare(sos_energy *e, double *off, sos_error *error)
{
    double *f = malloc(sizeof *f << SOS_TABLE_MEMBERS_MAX);
    sos_status status = f ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a table");
    *off = 0;
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX && !status; k++) {
        sos_pool *pool = &e->pools[k];
        if (!pool->count || pool->integer_weights) continue;
        for (size_t c = 0; c < pool->count && !status; c++)
            if (pool->weights[c] > 0) status = unshare(e, k, c, f, off, error);
        pool->largest_weight = 1;
        pool->integer_weights = true;
    }
    sos_energy_renew(e);
    free(f);
    return status;
}

sos_status sos_energy_reserve(sos_energy *e, uint32_t table, size_t cliques, sos_error *error)
{
    const sos_status status = sos_table_number_check(e, table, error);
    if (status) return status;
    const size_t k = e->tables[table].k;
    return pool_reserve(&e->pools[k], k, cliques, false, error);
}

sos_clique sos_energy_clique(const sos_energy *e, size_t clique)
{
    sos_expects(clique < e->clique_count);
    size_t k = 1;
    while (clique >= e->pools[k].count) clique -= e->pools[k++].count;
    const sos_pool *pool = &e->pools[k];
    return (sos_clique){ k, pool->variables + clique * k, pool->tables[clique], pool->weights ? pool->weights[clique] : 1 };
}
