/* concave.c - cliques of any size whose cost is a concave function of how many members are labelled 1. */
#include "energy/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "energy/submodular.h"

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static sos_status sorted_check(size_t n, size_t k, const uint32_t members[], sos_error *error)
{
    if (members[k - 1] >= n)
        return sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u, but there are %zu", (unsigned)members[k - 1], n);
    for (size_t i = 1; i < k; i++)
        if (members[i] == members[i - 1])
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u twice", (unsigned)members[i]);
    return SOS_OK;
}

sos_status sos_members_copy(size_t n, size_t k, const uint32_t variables[], uint32_t **out, sos_error *error)
{
    if (!k || !variables) return sos_fail(error, SOS_ERR_ARGUMENT, "a clique needs members");
    if (k > n) return sos_fail(error, SOS_ERR_ARGUMENT, "a clique of %zu members, but there are %zu variables", k, n);
    uint32_t *copy = malloc(k * sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    memcpy(copy, variables, k * sizeof *copy);
    qsort(copy, k, sizeof *copy, compare_variables);
    const sos_status status = sorted_check(n, k, copy, error);
    if (status)
        free(copy);
    else
        *out = copy;
    return status;
}

sos_status sos_weight_check(double weight, sos_error *error)
{
    if (weight >= 0 && isfinite(weight)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "clique has weight %g; it must be finite and not negative", weight);
}

/* What rounding does to the slope change at t. */
static double change_off(const sos_concave_clique *c, size_t t)
{
    const double before = c->g[t] - c->g[t - 1], behind = c->g[t + 1] - c->g[t];
    return sos_difference_off(c->g[t], c->g[t - 1]) + sos_difference_off(c->g[t + 1], c->g[t]) +
           sos_difference_off(before, behind);
}

static void find_facts(sos_concave_clique *c)
{
    double largest = 0;
    c->integers = true;
    for (size_t m = 0; m <= c->k; m++) {
        largest = fmax(largest, fabs(c->g[m]));
        c->integers &= sos_is_whole(c->g[m]);
        if (m) c->step = fmax(c->step, fabs(c->g[m] - c->g[m - 1]));
    }
    c->tolerance = c->integers ? 0 : sos_violation_tolerance(largest);
    const double *last = c->g + c->k;
    c->bulk = (double)c->k * fabs(last[0] - last[-1]);
    c->off = (double)c->k * sos_difference_off(last[0], last[-1]);
    for (size_t t = 1; t < c->k; t++) {
        const double change = sos_slope_change(c, t);
        if (change > c->tolerance)
            c->bulk += change * (double)t;
        else
            c->off += fabs(change) * (double)t;
        c->off += change_off(c, t) * (double)t;
    }
}

/* Takes over the arrays of c, or frees them. */
static sos_status concave_take(sos_energy *e, sos_concave_clique c, sos_error *error)
{
    if (!c.g || !sos_grow(&e->concaves, &e->concaves_room, e->concave_count + 1)) {
        free(c.variables);
        free(c.g);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c.k);
    }
    e->concaves[e->concave_count++] = c;
    e->concave_bytes += c.k * sizeof *c.variables + (c.k + 1) * sizeof *c.g;
    sos_energy_renew(e);
    return SOS_OK;
}

sos_status sos_energy_add_concave(sos_energy *e, size_t k, const uint32_t variables[], const double g[], double weight,
                                  sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "a concave clique needs costs");
    sos_concave_clique c = { .k = k, .weight = weight };
    sos_status status = sos_weight_check(weight, error);
    if (!status) status = sos_members_copy(e->n, k, variables, &c.variables, error);
    if (!status) status = sos_concave_check(k, g, error);
    if (status) {
        free(c.variables);
        return status;
    }
    c.g = malloc((k + 1) * sizeof *c.g);
    if (c.g) {
        memcpy(c.g, g, (k + 1) * sizeof *c.g);
        find_facts(&c);
    }
    return concave_take(e, c, error);
}

/* The places of the nodes depend on g alone, so that a flow can be kept. */
sos_status sos_energy_set_concave_weights(sos_energy *e, size_t first, size_t count, const double weights[], sos_error *error)
{
    if (first > e->concave_count || count > e->concave_count - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "concave cliques %zu and %zu on, but there are %zu", first, count,
                        e->concave_count);
    if (count && !weights) return sos_fail(error, SOS_ERR_ARGUMENT, "no weights were given");
    bool changed = false;
    for (size_t c = 0; c < count; c++) {
        const sos_status status = sos_weight_check(weights[c], error);
        if (status) return status;
        changed |= weights[c] != e->concaves[first + c].weight;
    }
    for (size_t c = 0; c < count; c++) e->concaves[first + c].weight = weights[c];
    e->revision += changed;
    return SOS_OK;
}

void sos_concaves_forget(sos_energy *e)
{
    for (size_t c = 0; c < e->concave_count; c++) {
        free(e->concaves[c].variables);
        free(e->concaves[c].g);
    }
    e->concave_count = e->concave_bytes = 0;
}

bool sos_concaves_copy(sos_energy *to, const sos_energy *from)
{
    for (size_t i = 0; i < from->concave_count; i++) {
        const sos_concave_clique *c = &from->concaves[i];
        sos_concave_clique copy = *c;
        copy.variables = malloc(c->k * sizeof *copy.variables);
        copy.g = copy.variables ? malloc((c->k + 1) * sizeof *copy.g) : NULL;
        if (copy.g) {
            memcpy(copy.variables, c->variables, c->k * sizeof *copy.variables);
            memcpy(copy.g, c->g, (c->k + 1) * sizeof *copy.g);
        }
        if (concave_take(to, copy, NULL)) return false;
    }
    return true;
}

sos_concave sos_energy_concave(const sos_energy *e, size_t concave)
{
    sos_expects(concave < e->concave_count);
    const sos_concave_clique *c = &e->concaves[concave];
    return (sos_concave){ c->k, c->variables, c->g, c->weight };
}
