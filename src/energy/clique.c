/* clique.c - cliques with tables, in pools by their size. */
#include "energy/energy.h"

#include <math.h>

#include "base/lanes.h"
#include "base/memory.h"

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

/* A box of width x height x depth variables, pixels of an image or voxels of a volume. */
typedef struct box {
    size_t width, height, depth;
} box;

static sos_status patch_check(const sos_energy *e, size_t k, box grid, box patch, sos_error *error)
{
    if (!patch.width || !patch.height || !patch.depth || k % patch.width || k / patch.width % patch.height ||
        k / patch.width / patch.height != patch.depth)
        return sos_fail(error, SOS_ERR_ARGUMENT, "patches of %zux%zux%zu, but the table has %zu members", patch.width,
                        patch.height, patch.depth, k);
    if (!grid.width || !grid.height || !grid.depth) return SOS_OK;
    if (grid.height > e->n / grid.width || grid.depth > e->n / grid.width / grid.height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a grid of %zux%zux%zu, but there are %zu variables", grid.width, grid.height,
                        grid.depth, e->n);
    return SOS_OK;
}

/* The members of the patch whose first corner is variable at. */
static uint32_t *patch_members(uint32_t *next, box grid, box patch, size_t at)
{
    for (size_t dz = 0; dz < patch.depth; dz++)
        for (size_t dy = 0; dy < patch.height; dy++)
            for (size_t dx = 0; dx < patch.width; dx++) *next++ = (uint32_t)(at + (dz * grid.height + dy) * grid.width + dx);
    return next;
}

sos_status sos_energy_add_volume_patches(sos_energy *e, uint32_t table, size_t width, size_t height, size_t depth,
                                         size_t patch_width, size_t patch_height, size_t patch_depth, const double weights[],
                                         sos_error *error)
{
    const box grid = { width, height, depth }, patch = { patch_width, patch_height, patch_depth };
    sos_status status = sos_table_number_check(e, table, error);
    if (status) return status;
    const size_t k = e->tables[table].k;
    status = patch_check(e, k, grid, patch, error);
    if (status) return status;
    if (width < patch_width || height < patch_height || depth < patch_depth) return SOS_OK;

    const size_t columns = width - patch_width + 1, rows = height - patch_height + 1, slices = depth - patch_depth + 1;
    const size_t count = columns * rows * slices;
    sos_pool *pool = &e->pools[k];
    status = weights_check(count, weights, error);
    if (!status) status = pool_reserve(pool, k, count, weights, error);
    if (status) return status;
    uint32_t *next = pool->variables + pool->count * k;
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++)
            for (size_t x = 0; x < columns; x++) next = patch_members(next, grid, patch, (z * height + y) * width + x);
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
