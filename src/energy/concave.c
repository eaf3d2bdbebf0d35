/* concave.c - cliques of any size whose cost is a concave function of how many members, or how much, is labelled 1. */
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

sos_status sos_amounts_copy(size_t k, const uint32_t variables[], const uint32_t sorted[], const double amounts[], double **out,
                            sos_error *error)
{
    for (size_t i = 0; i < k; i++)
        if (!(amounts[i] >= 0 && isfinite(amounts[i])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "member %zu has the amount %g; it must be finite and not negative", i,
                            amounts[i]);
    double *copy = malloc(k * sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    for (size_t i = 0; i < k; i++) {
        const uint32_t *at = bsearch(&variables[i], sorted, k, sizeof *sorted, compare_variables);
        copy[at - sorted] = amounts[i];
    }
    *out = copy;
    return SOS_OK;
}

/* What rounding does to the slope change at knot j. */
static double change_off(const sos_concave_clique *c, size_t j)
{
    return sos_count_slope_off(&c->hull, j) + sos_count_slope_off(&c->hull, j + 1) +
           sos_difference_off(sos_count_slope(&c->hull, j), sos_count_slope(&c->hull, j + 1));
}

/* Sets the hull of f; false: no memory.  Where places are counts, slopes that rise by rounding are left out instead. */
static bool find_hull(sos_concave_clique *c)
{
    const sos_count_function *f = &c->f;
    bool concave = true;
    c->hull = *f;
    c->hull_numbers = NULL;
    c->off = 0;
    for (size_t j = 1; f->place && j + 1 < f->knots; j++) concave &= sos_count_slope(f, j) >= sos_count_slope(f, j + 1);
    if (concave) return true;
    double *place = malloc(2 * f->knots * sizeof *place), *value = place ? place + f->knots : NULL;
    if (!place) return false;
    size_t knots = 0;
    double raised = 0;
    for (size_t j = 0; j < f->knots; j++) /* a knot once raised may be raised again */
        raised += sos_count_hull_add(&knots, place, value, f->place[j], f->value[j]);
    c->hull = (sos_count_function){ knots, place, value };
    c->hull_numbers = place;
    c->off = 2 * raised;
    return true;
}

/* Of the members, which never change. */
static void find_member_facts(sos_concave_clique *c)
{
    double sum = 0;
    c->whole = true;
    c->largest = c->amounts ? 0 : 1;
    for (size_t i = 0; c->amounts && i < c->k; i++) {
        sum += c->amounts[i];
        c->largest = fmax(c->largest, c->amounts[i]);
        c->whole &= sos_is_whole(c->amounts[i]);
    }
    c->total = fmax(c->amounts ? sum : (double)c->k, sos_count_place(&c->f, c->f.knots - 1));
    c->whole &= c->total < 0x1p31;
    c->products = !c->whole;
    for (size_t j = 0; c->place && j < c->f.knots; j++) c->products |= !sos_is_whole(c->place[j]);
}

static void find_facts(sos_concave_clique *c)
{
    const sos_count_function *f = &c->hull;
    double largest = 0;
    bool whole_slopes = true, whole_values = true;
    c->steepest = 0;
    for (size_t j = 0; j < f->knots; j++) {
        largest = fmax(largest, fabs(f->value[j]));
        whole_values &= sos_is_whole(f->value[j]);
        if (!j) continue;
        const double slope = sos_count_slope(f, j);
        c->steepest = fmax(c->steepest, fabs(slope));
        whole_slopes &= sos_is_whole(slope) && (!f->place || sos_count_slope_off(f, j) == 0);
    }
    c->integers = whole_slopes && whole_values && !c->products;
    c->tolerance = f->place || whole_values ? 0 : sos_violation_tolerance(largest);
    const double last = sos_last_slope(c);
    c->bulk = c->total * fabs(last);
    c->off += c->total * sos_count_slope_off(f, f->knots - 1);
    c->kinks = 0;
    for (size_t j = 1; j + 1 < f->knots; j++) {
        const double change = sos_slope_change(c, j), place = sos_count_place(f, j);
        if (change > 0) {
            c->bulk += change * place;
            c->kinks++;
        } else {
            c->off += fabs(sos_count_slope(f, j) - sos_count_slope(f, j + 1)) * place;
        }
        c->off += change_off(c, j) * place;
    }
}

static void concave_free(sos_concave_clique *c)
{
    free(c->variables);
    free(c->amounts);
    free(c->place);
    free(c->value);
    free(c->hull_numbers);
}

/* Takes over the arrays of c, or frees them. */
static sos_status concave_take(sos_energy *e, sos_concave_clique c, sos_error *error)
{
    if (!sos_grow(&e->concaves, &e->concaves_room, e->concave_count + 1)) {
        concave_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c.k);
    }
    e->concaves[e->concave_count++] = c;
    e->concave_bytes += c.k * sizeof *c.variables + (c.amounts ? c.k : 0) * sizeof *c.amounts +
                        c.f.knots * (1 + (size_t)(c.place != NULL) + 2 * (size_t)(c.hull_numbers != NULL)) * sizeof *c.value;
    sos_energy_renew(e);
    return SOS_OK;
}

/* A copy of count numbers, or NULL where there are none; *ok: there was memory. */
static double *numbers_copy(const double x[], size_t count, bool *ok)
{
    if (!x) return NULL;
    double *copy = malloc(count * sizeof *copy);
    if (copy) memcpy(copy, x, count * sizeof *copy);
    *ok &= copy != NULL;
    return copy;
}

/* Gives c a copy of f, which has been checked. */
static bool function_take(sos_concave_clique *c, const sos_count_function *f)
{
    bool ok = true;
    c->place = numbers_copy(f->place, f->knots, &ok);
    c->value = numbers_copy(f->value, f->knots, &ok);
    c->f = (sos_count_function){ f->knots, c->place, c->value };
    c->hull_numbers = NULL;
    return ok && find_hull(c);
}

/* Adds a clique; c has a weight and perhaps a number of members, f is not checked yet. */
static sos_status concave_add(sos_energy *e, sos_concave_clique c, const uint32_t variables[], const double amounts[],
                              const sos_count_function *f, sos_error *error)
{
    sos_status status = sos_weight_check(c.weight, error);
    if (!status) status = sos_members_copy(e->n, c.k, variables, &c.variables, error);
    if (!status && amounts) status = sos_amounts_copy(c.k, variables, c.variables, amounts, &c.amounts, error);
    double total = amounts ? 0 : (double)c.k;
    for (size_t i = 0; !status && amounts && i < c.k; i++) total += amounts[i];
    if (!status && !isfinite(total)) status = sos_fail(error, SOS_ERR_RANGE, "the amounts add up to %g", total);
    if (!status && f->place) status = sos_count_places_check(f, total, !amounts, error);
    if (!status) status = sos_count_values_check(f, error);
    if (!status && !function_take(&c, f))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c.k);
    if (status) {
        concave_free(&c);
        return status;
    }
    find_member_facts(&c);
    find_facts(&c);
    return concave_take(e, c, error);
}

sos_status sos_energy_add_concave(sos_energy *e, size_t k, const uint32_t variables[], const double g[], double weight,
                                  sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "a concave clique needs costs");
    const sos_concave_clique c = { .k = k, .weight = weight };
    return concave_add(e, c, variables, NULL, &(sos_count_function){ k + 1, NULL, g }, error);
}

sos_status sos_energy_add_pieces(sos_energy *e, size_t k, const uint32_t variables[], const double amounts[], size_t knots,
                                 const double place[], const double value[], double weight, sos_error *error)
{
    if (!place || !value) return sos_fail(error, SOS_ERR_ARGUMENT, "a count function needs places and values");
    if (knots > SIZE_MAX / sizeof *place / 2) return sos_fail(error, SOS_ERR_RANGE, "%zu knots are too many", knots);
    const sos_concave_clique c = { .k = k, .weight = weight };
    return concave_add(e, c, variables, amounts, &(sos_count_function){ knots, place, value }, error);
}

/* The next knot of the hull after j where the slope changes, or the last. */
static size_t next_kink(const sos_concave_clique *c, size_t j)
{
    do j++;
    while (j + 1 < c->hull.knots && !(sos_slope_change(c, j) > 0));
    return j;
}

/* Does the slope of both change at the same places? */
static bool has_kinks_of(const sos_concave_clique *a, const sos_concave_clique *b)
{
    if (a->kinks != b->kinks) return false;
    for (size_t i = 0, j = 0, n = 0; n < a->kinks; n++) {
        i = next_kink(a, i);
        j = next_kink(b, j);
        if (sos_count_place(&a->hull, i) != sos_count_place(&b->hull, j)) return false;
    }
    return true;
}

/* A flow can follow as long as the nodes stay where they are. */
sos_status sos_energy_set_pieces(sos_energy *e, size_t concave, const double value[], sos_error *error)
{
    if (concave >= e->concave_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "concave clique %zu, but there are %zu", concave, e->concave_count);
    if (!value) return sos_fail(error, SOS_ERR_ARGUMENT, "no values were given");
    sos_concave_clique *c = &e->concaves[concave], changed = *c;
    changed.f.value = value;
    const sos_status status = sos_count_values_check(&changed.f, error);
    if (status) return status;
    if (!find_hull(&changed)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the values of concave clique %zu", concave);
    find_facts(&changed);
    bool same = true;
    for (size_t j = 0; j < c->f.knots; j++) same &= value[j] == c->value[j];
    const bool moved = !has_kinks_of(&changed, c);
    memcpy(c->value, value, c->f.knots * sizeof *value);
    changed.f.value = c->value;
    if (!changed.hull_numbers) changed.hull = changed.f;
    if (c->hull_numbers) e->concave_bytes -= 2 * c->f.knots * sizeof *value;
    if (changed.hull_numbers) e->concave_bytes += 2 * c->f.knots * sizeof *value;
    free(c->hull_numbers);
    *c = changed;
    if (moved) sos_energy_renew(e);
    e->revision += !same;
    return SOS_OK;
}

/* The places of the nodes depend on F alone, so that a flow can be kept. */
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
    for (size_t c = 0; c < e->concave_count; c++) concave_free(&e->concaves[c]);
    e->concave_count = e->concave_bytes = 0;
}

bool sos_concaves_copy(sos_energy *to, const sos_energy *from)
{
    for (size_t i = 0; i < from->concave_count; i++) {
        const sos_concave_clique *c = &from->concaves[i];
        sos_concave_clique copy = *c;
        bool ok = function_take(&copy, &c->f);
        copy.off = c->off;
        copy.amounts = numbers_copy(c->amounts, c->k, &ok);
        copy.variables = malloc(c->k * sizeof *copy.variables);
        if (!ok || !copy.variables) {
            concave_free(&copy);
            return false;
        }
        memcpy(copy.variables, c->variables, c->k * sizeof *copy.variables);
        if (concave_take(to, copy, NULL)) return false;
    }
    return true;
}

sos_pieces sos_energy_pieces(const sos_energy *e, size_t concave)
{
    sos_expects(concave < e->concave_count);
    const sos_concave_clique *c = &e->concaves[concave];
    return (sos_pieces){ c->k, c->f.knots, c->variables, c->amounts, c->place, c->value, c->weight };
}
