/* multi_energy.c - what an energy with several labels is: its variables and what their labels cost; the rest hangs on a frame.
 */
#include "energy/multi_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

sos_status sos_multi_energy_over(sos_energy *frame, size_t labels, sos_multi_energy **out, sos_error *error)
{
    if (labels < 2 || labels > SOS_LABELS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu labels; 2 to %d are possible", labels, SOS_LABELS_MAX);
    if (frame->n > SIZE_MAX / sizeof(double) / labels)
        return sos_fail(error, SOS_ERR_RANGE, "%zu variables with %zu labels are too many", frame->n, labels);
    sos_multi_energy *e = calloc(1, sizeof *e);
    double *unary = calloc(frame->n ? frame->n : 1, labels * sizeof *unary);
    if (!e || !unary) {
        free(e);
        free(unary);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an energy of %zu variables and %zu labels", frame->n, labels);
    }
    e->frame = frame;
    e->borrowed = true;
    e->labels = labels;
    e->unary = unary;
    e->potts = SOS_NO_SET;
    *out = e;
    return SOS_OK;
}

sos_status sos_multi_energy_create(size_t n, size_t labels, sos_multi_energy **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the energy was given");
    sos_energy *frame;
    sos_status status = sos_energy_create(n, &frame, error);
    if (status) return status;
    status = sos_multi_energy_over(frame, labels, out, error);
    if (status)
        sos_energy_free(frame);
    else
        (*out)->borrowed = false;
    return status;
}

void sos_multi_energy_free(sos_multi_energy *e)
{
    if (!e) return;
    if (!e->borrowed) sos_energy_free(e->frame);
    sos_counts_free(e);
    free(e->costs);
    free(e->unary);
    free(e);
}

/* The copy has a frame of its own. */
sos_status sos_multi_energy_copy(const sos_multi_energy *e, sos_multi_energy **out, sos_error *error)
{
    if (!e || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no place for its copy was given");
    const size_t n = e->frame->n;
    sos_energy *frame = NULL;
    sos_multi_energy *copy = NULL;
    sos_status status = sos_energy_copy(e->frame, &frame, error);
    if (!status) status = sos_multi_energy_over(frame, e->labels, &copy, error);
    if (status) {
        sos_energy_free(frame);
        return status;
    }
    copy->borrowed = false;
    copy->constant = e->constant;
    copy->potts = e->potts;
    if (n) memcpy(copy->unary, e->unary, e->labels * n * sizeof *e->unary);
    if (!sos_grow(&copy->costs, &copy->costs_room, e->costs_count) || !sos_counts_copy(copy, e)) {
        sos_multi_energy_free(copy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a copy of an energy of %zu variables", n);
    }
    if (e->costs_count) memcpy(copy->costs, e->costs, e->costs_count * sizeof *e->costs);
    copy->costs_count = e->costs_count;
    *out = copy;
    return SOS_OK;
}

sos_status sos_multi_energy_add_constant(sos_multi_energy *e, double cost, sos_error *error)
{
    if (!isfinite(e->constant + cost)) return sos_fail(error, SOS_ERR_ARGUMENT, "the constant would be %g", e->constant + cost);
    e->constant += cost;
    return SOS_OK;
}

static sos_status unary_check(const sos_multi_energy *e, size_t i, const double cost[], sos_error *error)
{
    for (size_t l = 0; l < e->labels; l++)
        if (!(fabs(cost[l]) <= SOS_LARGEST_LABEL_COST))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu costs %g with label %zu, which is not finite or too large",
                            i, cost[l], l);
    return SOS_OK;
}

sos_status sos_multi_energy_set_unary(sos_multi_energy *e, size_t i, const double cost[], sos_error *error)
{
    if (i >= e->frame->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, e->frame->n);
    if (!cost) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    const sos_status status = unary_check(e, i, cost, error);
    for (size_t l = 0; !status && l < e->labels; l++) e->unary[l * e->frame->n + i] = cost[l];
    return status;
}

sos_status sos_multi_energy_set_unaries(sos_multi_energy *e, const double cost[], sos_error *error)
{
    const size_t n = e->frame->n, L = e->labels;
    if (!cost) {
        memset(e->unary, 0, n * L * sizeof *e->unary);
        return SOS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        const sos_status status = unary_check(e, i, cost + i * L, error);
        if (status) return status;
    }
    enum { BLOCK = 64 }; /* variables at a time, so that what is read stays in the cache for all labels */
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        for (size_t l = 0; l < L; l++)
            for (size_t i = begin; i < end; i++) e->unary[l * n + i] = cost[i * L + l];
    }
    return SOS_OK;
}

size_t sos_multi_energy_variables(const sos_multi_energy *e) { return e->frame->n; }
size_t sos_multi_energy_labels(const sos_multi_energy *e) { return e->labels; }
size_t sos_multi_energy_cliques(const sos_multi_energy *e) { return e->frame->clique_count; }
size_t sos_multi_energy_sets(const sos_multi_energy *e) { return e->frame->table_count; }
size_t sos_multi_energy_count_cliques(const sos_multi_energy *e) { return e->count_count; }
double sos_multi_energy_constant(const sos_multi_energy *e) { return e->constant; }

double sos_multi_energy_unary(const sos_multi_energy *e, size_t i, size_t label)
{
    sos_expects(i < e->frame->n && label < e->labels);
    return e->unary[label * e->frame->n + i];
}

size_t sos_multi_energy_bytes(const sos_multi_energy *e)
{
    return sizeof *e + (e->borrowed ? 0 : sos_energy_bytes(e->frame)) + e->labels * e->frame->n * sizeof *e->unary +
           e->costs_room * sizeof *e->costs + e->counts_room * sizeof *e->counts + e->count_bytes;
}
