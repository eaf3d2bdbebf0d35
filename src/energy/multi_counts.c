/* multi_counts.c - cliques of any size whose cost depends on how many members take each label. */
#include "energy/multi_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

static void count_free(sos_count_clique *c)
{
    free(c->variables);
    free(c->g);
    free(c->agree);
    free(c->reach);
    free(c->amounts);
    free(c->place);
    free(c->value);
}

/* How many numbers a clique holds. */
static size_t numbers_of(const sos_count_clique *c, size_t labels)
{
    if (c->g) return labels * (c->k + 1);
    return c->value ? (c->amounts ? c->k : 0) + (labels + 1) * c->knots : 2 * labels;
}

/* Takes over the arrays of c, or frees them. */
static sos_status count_add(sos_multi_energy *e, sos_count_clique c, sos_error *error)
{
    if (!sos_grow(&e->counts, &e->counts_room, e->count_count + 1)) {
        count_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c.k);
    }
    if (!c.amounts) {
        c.total = (double)c.k;
        c.smallest = 1;
    }
    e->counts[e->count_count++] = c;
    e->count_bytes += c.k * sizeof *c.variables + numbers_of(&c, e->labels) * sizeof(double);
    return SOS_OK;
}

static sos_status counts_check(const sos_multi_energy *e, size_t k, const double g[], sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (k >= SIZE_MAX / sizeof *g / SOS_LABELS_MAX) return sos_fail(error, SOS_ERR_RANGE, "a clique of %zu members", k);
    for (size_t l = 0; l < e->labels; l++) {
        sos_error why;
        const sos_status status = sos_concave_check(k, g + l * (k + 1), &why);
        if (status) return sos_fail(error, status, "label %zu: %.400s", l, why.message);
        for (size_t m = 0; m <= k; m++)
            if (fabs(g[l * (k + 1) + m]) > SOS_LARGEST_LABEL_COST)
                return sos_fail(error, SOS_ERR_RANGE, "label %zu: cost of count %zu is %g, too large", l, m,
                                g[l * (k + 1) + m]);
    }
    return SOS_OK;
}

sos_status sos_multi_energy_add_counts(sos_multi_energy *e, size_t k, const uint32_t variables[], const double g[],
                                       double weight, sos_error *error)
{
    sos_count_clique c = { .k = k, .weight = weight };
    sos_status status = sos_weight_check(weight, error);
    if (!status) status = sos_members_copy(e->frame->n, k, variables, &c.variables, error);
    if (!status) status = counts_check(e, k, g, error);
    const size_t numbers = e->labels * (k + 1);
    if (!status && !(c.g = malloc(numbers * sizeof *g)))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    if (status) {
        count_free(&c);
        return status;
    }
    memcpy(c.g, g, numbers * sizeof *g);
    return count_add(e, c, error);
}

/* A copy of count numbers, or NULL where there are none; *ok: there was memory. */
static double *numbers_copy(const double x[], size_t count, bool *ok)
{
    if (!x) return NULL;
    double *copy = malloc(count * sizeof *copy);
    if (copy)
        memcpy(copy, x, count * sizeof *copy);
    else
        *ok = false;
    return copy;
}

static sos_status values_check(const sos_multi_energy *e, size_t knots, const double place[], const double value[],
                               sos_error *error)
{
    for (size_t l = 0; l < e->labels; l++) {
        const double *own = value + l * knots;
        sos_error why;
        const sos_status status = sos_count_values_check(&(sos_count_function){ knots, place, own }, &why);
        if (status) return sos_fail(error, status, "label %zu: %.400s", l, why.message);
        for (size_t j = 0; j < knots; j++)
            if (fabs(own[j]) > SOS_LARGEST_LABEL_COST)
                return sos_fail(error, SOS_ERR_RANGE, "label %zu: value at knot %zu is %g, too large", l, j, own[j]);
    }
    return SOS_OK;
}

sos_status sos_multi_energy_add_pieces(sos_multi_energy *e, size_t k, const uint32_t variables[], const double amounts[],
                                       size_t knots, const double place[], const double value[], double weight,
                                       sos_error *error)
{
    if (!place || !value) return sos_fail(error, SOS_ERR_ARGUMENT, "a count function needs places and values");
    if (knots > SIZE_MAX / sizeof *value / SOS_LABELS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "%zu knots are too many", knots);
    sos_count_clique c = { .k = k, .weight = weight, .knots = knots };
    sos_status status = sos_weight_check(weight, error);
    if (!status) status = sos_members_copy(e->frame->n, k, variables, &c.variables, error);
    if (!status && amounts) status = sos_amounts_copy(k, variables, c.variables, amounts, &c.amounts, error);
    c.smallest = INFINITY;
    for (size_t i = 0; !status && amounts && i < k; i++) {
        c.total += amounts[i];
        c.smallest = fmin(c.smallest, amounts[i]);
        c.rounded |= !sos_is_whole(amounts[i]);
    }
    c.rounded |= c.total > 0x1p53;
    if (!status && !isfinite(c.total)) status = sos_fail(error, SOS_ERR_RANGE, "the amounts add up to %g", c.total);
    if (!status)
        status = sos_count_places_check(&(sos_count_function){ knots, place, NULL }, amounts ? c.total : (double)k, !amounts,
                                        error);
    if (!status) status = values_check(e, knots, place, value, error);
    bool ok = true;
    if (!status) {
        c.place = numbers_copy(place, knots, &ok);
        c.value = numbers_copy(value, e->labels * knots, &ok);
    }
    if (!ok) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    if (!status) return count_add(e, c, error);
    count_free(&c);
    return status;
}

sos_status sos_multi_energy_set_pieces(sos_multi_energy *e, size_t clique, const double value[], sos_error *error)
{
    if (clique >= e->count_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "count clique %zu, but there are %zu", clique, e->count_count);
    sos_count_clique *c = &e->counts[clique];
    if (!c->value) return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has no piecewise linear function", clique);
    if (!value) return sos_fail(error, SOS_ERR_ARGUMENT, "no values were given");
    const sos_status status = values_check(e, c->knots, c->place, value, error);
    if (!status) memcpy(c->value, value, e->labels * c->knots * sizeof *value);
    return status;
}

static sos_status robust_check(const sos_multi_energy *e, const double agree[], const double reach[], double most,
                               sos_error *error)
{
    if (!agree) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (!(fabs(most) <= SOS_LARGEST_LABEL_COST))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the greatest cost is %g, not finite or too large", most);
    for (size_t l = 0; l < e->labels; l++) {
        if (!(fabs(agree[l]) <= SOS_LARGEST_LABEL_COST))
            return sos_fail(error, SOS_ERR_ARGUMENT, "label %zu costs %g, not finite or too large", l, agree[l]);
        if (agree[l] > most)
            return sos_fail(error, SOS_ERR_NOT_SUBMODULAR,
                            "label %zu: all members agreeing costs %g, more than the greatest cost %g", l, agree[l], most);
        if (reach && !(reach[l] > 0 && isfinite(reach[l])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "label %zu has reach %g; it must be above 0", l, reach[l]);
    }
    return SOS_OK;
}

sos_status sos_multi_energy_add_robust(sos_multi_energy *e, size_t k, const uint32_t variables[], const double agree[],
                                       const double reach[], double most, double weight, sos_error *error)
{
    sos_count_clique c = { .k = k, .weight = weight, .most = most };
    sos_status status = sos_weight_check(weight, error);
    if (!status) status = robust_check(e, agree, reach, most, error);
    if (!status) status = sos_members_copy(e->frame->n, k, variables, &c.variables, error);
    if (status) return status;
    c.agree = malloc(e->labels * sizeof *c.agree);
    c.reach = malloc(e->labels * sizeof *c.reach);
    if (!c.agree || !c.reach) {
        count_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    }
    for (size_t l = 0; l < e->labels; l++) {
        c.agree[l] = agree[l];
        c.reach[l] = reach ? reach[l] : 1;
    }
    return count_add(e, c, error);
}

sos_status sos_multi_energy_set_count_weights(sos_multi_energy *e, size_t first, size_t count, const double weights[],
                                              sos_error *error)
{
    if (first > e->count_count || count > e->count_count - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "cliques %zu and %zu on, but there are %zu", first, count, e->count_count);
    if (count && !weights) return sos_fail(error, SOS_ERR_ARGUMENT, "no weights were given");
    for (size_t c = 0; c < count; c++) {
        const sos_status status = sos_weight_check(weights[c], error);
        if (status) return status;
    }
    for (size_t c = 0; c < count; c++) e->counts[first + c].weight = weights[c];
    return SOS_OK;
}

double sos_count_cost(const sos_count_clique *c, size_t label, double amount)
{
    if (c->g) return c->g[label * (c->k + 1) + (size_t)amount];
    if (c->value) {
        const sos_count_function f = sos_count_pieces(c, label);
        return sos_count_value(&f, amount);
    }
    const double others = (double)c->k - amount, reach = c->reach[label];
    return others < reach ? -((c->most - c->agree[label]) * (reach - others) / reach) : 0;
}

double sos_count_doubt(const sos_multi_energy *e, const sos_count_clique *c)
{
    double steepest = 0;
    for (size_t l = 0; c->rounded && l < e->labels; l++) {
        const sos_count_function f = sos_count_pieces(c, l);
        steepest = fmax(steepest, fmax(fabs(sos_count_slope(&f, 1)), fabs(sos_count_slope(&f, c->knots - 1))));
    }
    return steepest * ((double)c->k + 4) * DBL_EPSILON * c->total;
}

void sos_counts_free(sos_multi_energy *e)
{
    for (size_t c = 0; c < e->count_count; c++) count_free(&e->counts[c]);
    free(e->counts);
    e->counts = NULL;
    e->count_count = e->counts_room = e->count_bytes = 0;
}

bool sos_counts_copy(sos_multi_energy *to, const sos_multi_energy *from)
{
    const size_t L = from->labels;
    for (size_t i = 0; i < from->count_count; i++) {
        const sos_count_clique *c = &from->counts[i];
        sos_count_clique copy = *c;
        bool ok = true;
        copy.variables = malloc(c->k * sizeof *copy.variables);
        copy.g = numbers_copy(c->g, L * (c->k + 1), &ok);
        copy.agree = numbers_copy(c->agree, L, &ok);
        copy.reach = numbers_copy(c->reach, L, &ok);
        copy.amounts = numbers_copy(c->amounts, c->k, &ok);
        copy.place = numbers_copy(c->place, c->knots, &ok);
        copy.value = numbers_copy(c->value, L * c->knots, &ok);
        if (!copy.variables || !ok) {
            count_free(&copy);
            return false;
        }
        memcpy(copy.variables, c->variables, c->k * sizeof *copy.variables);
        if (count_add(to, copy, NULL)) return false;
    }
    return true;
}

sos_counts sos_multi_energy_counts(const sos_multi_energy *e, size_t clique)
{
    sos_expects(clique < e->count_count);
    const sos_count_clique *c = &e->counts[clique];
    sos_counts found = { .k = c->k, .variables = c->variables, .weight = c->weight };
    if (c->g) {
        found.kind = SOS_COUNTS_COSTS;
        found.as.g = c->g;
    } else if (c->agree) {
        found.kind = SOS_COUNTS_ROBUST;
        found.as.robust.agree = c->agree;
        found.as.robust.reach = c->reach;
        found.as.robust.most = c->most;
    } else {
        found.kind = SOS_COUNTS_PIECES;
        found.as.pieces = (sos_pieces){ c->k, c->knots, c->variables, c->amounts, c->place, c->value, c->weight };
    }
    return found;
}
