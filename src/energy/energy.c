/* energy.c - an energy: its variables, their unary costs and fixed labels; cliques are in other files. */
#include "energy/energy.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"

/* Node numbers must leave room for markers and for a sign. */
static const size_t VARIABLES_MAX = (size_t)1 << 30;

/* Only ever compared for equality, to recognise an energy whose cliques have not changed. */
static uint64_t next_identity(void)
{
    static atomic_uint_fast64_t counter = 1;
    return atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

void sos_energy_renew(sos_energy *e) { e->identity = next_identity(); }

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
    sos_large_pages(unary, 2 * n * sizeof *unary);
    e->n = n;
    e->unary = unary;
    e->unary_room = 2 * n;
    sos_energy_renew(e);
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
    sos_concaves_forget(e);
    free(e->concaves);
    free(e->costs);
    free(e->tables);
    free(e->fixed);
    free(e->unary);
    free(e);
}

void sos_energy_clear(sos_energy *e)
{
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        sos_pool *pool = &e->pools[k];
        free(pool->weights); /* where they are kept, cliques have them */
        pool->weights = NULL;
        pool->weights_room = pool->count = 0;
    }
    sos_concaves_forget(e);
    free(e->fixed);
    e->fixed = NULL;
    e->constant = 0;
    e->n = e->table_count = e->costs_count = e->clique_count = 0;
    sos_energy_renew(e);
}

sos_status sos_energy_resize(sos_energy *e, size_t n, sos_error *error)
{
    if (!sos_grow(&e->unary, &e->unary_room, 2 * n))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an energy of %zu variables", n);
    if (n) memset(e->unary, 0, 2 * n * sizeof *e->unary);
    e->n = n;
    return SOS_OK;
}

/* A copy of count items of size bytes; room for one where there are none.  NULL: no memory. */
static void *array_copy(const void *array, size_t count, size_t size)
{
    void *copy = malloc((count ? count : 1) * size);
    if (copy && count) memcpy(copy, array, count * size);
    return copy;
}

/* The pool has its counts and facts already, and nothing that is not its own. */
static bool pool_copy(sos_pool *to, const sos_pool *from, size_t k)
{
    if (!from->count) return true;
    to->variables = array_copy(from->variables, from->count * k, sizeof *from->variables);
    to->tables = array_copy(from->tables, from->count, sizeof *from->tables);
    if (from->weights) to->weights = array_copy(from->weights, from->count, sizeof *from->weights);
    if (!to->variables || !to->tables || (from->weights && !to->weights)) return false;
    *to = (sos_pool){ .count = from->count,
                      .variables = to->variables,
                      .tables = to->tables,
                      .weights = to->weights,
                      .variables_room = from->count * k,
                      .tables_room = from->count,
                      .weights_room = from->weights ? from->count : 0,
                      .largest_weight = from->largest_weight,
                      .integer_weights = from->integer_weights };
    return true;
}

static bool tables_copy(sos_energy *to, const sos_energy *from)
{
    if (!from->table_count) return true;
    to->tables = array_copy(from->tables, from->table_count, sizeof *from->tables);
    to->costs = array_copy(from->costs, from->costs_count, sizeof *from->costs);
    if (!to->tables || !to->costs) return false;
    to->table_count = to->tables_room = from->table_count;
    to->costs_count = to->costs_room = from->costs_count;
    return true;
}

sos_status sos_energy_copy(const sos_energy *e, sos_energy **out, sos_error *error)
{
    if (!e || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no place for its copy was given");
    sos_energy *copy = NULL;
    const sos_status status = sos_energy_create(e->n, &copy, error);
    if (status) return status;
    memcpy(copy->unary, e->unary, 2 * e->n * sizeof *e->unary);
    copy->constant = e->constant;
    copy->clique_count = e->clique_count;
    bool ok = tables_copy(copy, e) && sos_concaves_copy(copy, e);
    for (size_t k = 1; ok && k <= SOS_TABLE_MEMBERS_MAX; k++) ok = pool_copy(&copy->pools[k], &e->pools[k], k);
    if (ok && e->fixed) ok = (copy->fixed = array_copy(e->fixed, e->n, 1)) != NULL;
    if (!ok) {
        sos_energy_free(copy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a copy of an energy of %zu variables", e->n);
    }
    *out = copy;
    return SOS_OK;
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
    bool finite = true; /* x - x is 0 for a finite x and NaN otherwise */
    for (size_t i = 0; i < e->n; i++) {
        const double c0 = cost0 ? cost0[i] : 0, c1 = cost1 ? cost1[i] : 0;
        finite &= (c1 - c0) - (c1 - c0) == 0;
    }
    for (size_t i = 0; !finite && i < e->n; i++) {
        const sos_status status = unary_check(i, cost0 ? cost0[i] : 0, cost1 ? cost1[i] : 0, error);
        if (status) return status;
    }
    for (size_t i = 0; i < e->n; i++) {
        e->unary[2 * i] = cost0 ? cost0[i] : 0;
        e->unary[2 * i + 1] = cost1 ? cost1[i] : 0;
    }
    return SOS_OK;
}

/* Room to fix variables; all are free at first. */
static sos_status fixed_reserve(sos_energy *e, sos_error *error)
{
    if (e->fixed) return SOS_OK;
    e->fixed = malloc(e->n ? e->n : 1);
    if (!e->fixed) return sos_fail(error, SOS_ERR_MEMORY, "no memory to fix variables");
    memset(e->fixed, SOS_FREE, e->n);
    return SOS_OK;
}

sos_status sos_energy_fix(sos_energy *e, size_t i, int label, sos_error *error)
{
    if (i >= e->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, e->n);
    if (label < 0 || label > SOS_FREE) return sos_fail(error, SOS_ERR_ARGUMENT, "label %d is not one of 0, 1, SOS_FREE", label);
    const sos_status status = fixed_reserve(e, error);
    if (!status) e->fixed[i] = (uint8_t)label;
    return status;
}

sos_status sos_energy_fix_all(sos_energy *e, const uint8_t labels[], sos_error *error)
{
    bool any = false;
    for (size_t i = 0; labels && i < e->n; i++) {
        if (labels[i] > SOS_FREE)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has label %u, which is not one of 0, 1, SOS_FREE", i,
                            (unsigned)labels[i]);
        any |= labels[i] != SOS_FREE;
    }
    if (!any) { /* without the array warm starts are quicker */
        free(e->fixed);
        e->fixed = NULL;
        return SOS_OK;
    }
    const sos_status status = fixed_reserve(e, error);
    if (!status) memcpy(e->fixed, labels, e->n);
    return status;
}

size_t sos_energy_variables(const sos_energy *e) { return e->n; }
size_t sos_energy_cliques(const sos_energy *e) { return e->clique_count; }
size_t sos_energy_tables(const sos_energy *e) { return e->table_count; }
size_t sos_energy_concaves(const sos_energy *e) { return e->concave_count; }
double sos_energy_constant(const sos_energy *e) { return e->constant; }

size_t sos_energy_bytes(const sos_energy *e)
{
    size_t bytes = sizeof *e + e->unary_room * sizeof *e->unary + (e->fixed ? e->n : 0) + e->tables_room * sizeof *e->tables +
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
