/* example_counts.c - cliques of count groups: of any size, they cost a function of the share of their members that has a label
 * (math.md, 9.6). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "learn/example.h"

/* ---------------------------------------------------------------- adding */

/* seen[v]: the last count, from 1, that had the variable. */
static sos_status count_members_check(const sos_example *x, size_t c, size_t k, const uint32_t members[],
                                      const double amounts[], uint32_t seen[], sos_error *error)
{
    double total = 0;
    for (size_t q = 0; q < k; q++) {
        if (members[q] >= x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "count %zu has variable %u, but there are %zu", c, (unsigned)members[q],
                            x->n);
        if (seen[members[q]] == c + 1)
            return sos_fail(error, SOS_ERR_ARGUMENT, "count %zu has variable %u twice", c, (unsigned)members[q]);
        seen[members[q]] = (uint32_t)(c + 1);
        const double amount = amounts ? amounts[q] : 1;
        if (!(amount >= 0 && isfinite(amount)))
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "count %zu: the amount of variable %u is %g; it must be finite and not negative", c,
                            (unsigned)members[q], amount);
        total += amount;
    }
    if (total > 0 && isfinite(total)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "count %zu: the amounts of its %zu members add up to %g", c, k, total);
}

static sos_status counts_check(const sos_example *x, uint32_t group, size_t count, const size_t start[],
                               const uint32_t variables[], const double amounts[], const double phi[], sos_error *error)
{
    const sos_layout_group *g = &x->layout->groups[group];
    if (!start || start[0] || !variables)
        return sos_fail(error, SOS_ERR_ARGUMENT, "counts need variables, and must start at 0");
    if (count >= UINT32_MAX) return sos_fail(error, SOS_ERR_RANGE, "%zu counts are too many", count);
    for (size_t c = 0; c < count; c++)
        if (start[c + 1] <= start[c] || start[c + 1] - start[c] > x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "count %zu begins at member %zu and ends at %zu; there are %zu variables",
                            c, start[c], start[c + 1], x->n);
    sos_status status = sos_example_phi_check(&g->spec, "count", count, g->strengths, phi, error);
    if (status) return status;
    uint32_t *seen = calloc(x->n, sizeof *seen);
    if (!seen) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu counts", count);
    for (size_t c = 0; !status && c < count; c++)
        status = count_members_check(x, c, start[c + 1] - start[c], variables + start[c], amounts ? amounts + start[c] : NULL,
                                     seen, error);
    free(seen);
    return status;
}

/* Behind those that are there; memory is taken. */
static void counts_copy(sos_example *x, size_t count, const size_t start[], const uint32_t variables[], const double amounts[])
{
    memcpy(x->counted + x->counted_count, variables, start[count] * sizeof *variables);
    if (amounts) memcpy(x->amounts + x->amounts_count, amounts, start[count] * sizeof *amounts);
    for (size_t c = 0; c < count; c++) {
        sos_count *to = &x->counts[x->counts_count++];
        *to = (sos_count){ .start = x->counted_count + start[c], .k = start[c + 1] - start[c], .has_amounts = amounts };
        to->amounts = x->amounts_count + start[c];
        for (size_t q = 0; q < to->k; q++) to->total += amounts ? amounts[start[c] + q] : 1;
    }
    x->counted_count += start[count];
    x->amounts_count += amounts ? start[count] : 0;
}

sos_status sos_example_add_counts(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                  const uint32_t variables[], const double amounts[], const double phi[], sos_error *error)
{
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_COUNT, "counts", error);
    if (status || !count) return status;
    status = counts_check(x, group, count, start, variables, amounts, phi, error);
    if (status) return status;
    const size_t each = x->layout->groups[group].strengths;
    sos_run run = { .group = group, .first = x->counts_count, .count = count };
    if (!sos_copy_array(&run.phi, phi, count * each, sizeof *phi) ||
        !sos_grow(&x->count_runs, &x->count_runs_room, x->count_runs_count + 1) ||
        !sos_grow(&x->counts, &x->counts_room, x->counts_count + count) ||
        !sos_grow(&x->counted, &x->counted_room, x->counted_count + start[count]) ||
        (amounts && !sos_grow(&x->amounts, &x->amounts_room, x->amounts_count + start[count]))) {
        free(run.phi);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu counts", count);
    }
    x->count_runs[x->count_runs_count++] = run;
    counts_copy(x, count, start, variables, amounts);
    return SOS_OK;
}

/* ---------------------------------------------------------------- values */

/* Knots lie at share * total.  The amount is summed in the order of the members, as the total was. */
sos_knot sos_example_count_knot(const sos_example *x, const sos_count *c, const sos_ties *t, const uint8_t labels[],
                                size_t label)
{
    const double *amounts = sos_count_amounts(x, c);
    double amount = 0;
    for (size_t q = 0; q < c->k; q++)
        if (labels[x->counted[c->start + q]] == label) amount += amounts ? amounts[q] : 1;
    const double share = amount / c->total;
    size_t low = 0, high = t->entries - 1; /* share[low] <= share, and high is the last, or share < share[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->share[middle] <= share)
            low = middle;
        else
            high = middle;
    }
    const double next = (share - t->share[low]) / (t->share[high] - t->share[low]);
    return (sos_knot){ low, next < 1 ? next : 1 };
}

void sos_example_count_values(const sos_example *x, const sos_run *r, size_t i, size_t label, const double w[], double value[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    const size_t L = sos_layout_label_functions(x->layout), knots = g->ties->entries;
    if (g->strengths == 1) {
        sos_layout_table(x->layout, r->group, label, w, value); /* phi is the weight of the clique */
        return;
    }
    double F[SOS_KNOTS_MAX];
    memset(value, 0, knots * sizeof *value);
    for (size_t j = 0; j < g->strengths; j++) {
        const double phi = r->phi ? r->phi[i * g->strengths + j] : 1;
        sos_layout_table(x->layout, r->group, j * L + label, w, F);
        for (size_t q = 0; q < knots; q++) value[q] += phi * F[q];
    }
}

static double weight_of(const sos_example *x, const sos_run *r, size_t i)
{
    return x->layout->groups[r->group].strengths == 1 && r->phi ? r->phi[i] : 1;
}

static void set_places(const sos_ties *t, const sos_count *c, double place[])
{
    for (size_t j = 0; j < t->entries; j++) place[j] = t->share[j] * c->total;
}

/* ---------------------------------------------------------------- energies */

static sos_status set_count(sos_example *x, const sos_run *r, size_t i, const double w[], sos_error *error)
{
    const size_t number = r->first + i, at = x->regions_count + number;
    const sos_count *c = &x->counts[number];
    const sos_ties *t = x->layout->groups[r->group].ties;
    double value[SOS_KNOTS_MAX], place[SOS_KNOTS_MAX];
    sos_example_count_values(x, r, i, 0, w, value);
    if (at < x->energy->concave_count) {
        /* Values that have not changed need no check, and let the flow keep its nodes. */
        if (!memcmp(sos_energy_pieces(x->energy, at).value, value, t->entries * sizeof *value)) return SOS_OK;
        return sos_energy_set_pieces(x->energy, at, value, error);
    }
    set_places(t, c, place);
    return sos_energy_add_pieces(x->energy, c->k, x->counted + c->start, sos_count_amounts(x, c), t->entries, place, value,
                                 weight_of(x, r, i), error);
}

sos_status sos_example_set_counts(sos_example *x, const double w[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t n = 0; !status && n < x->count_runs_count; n++)
        for (size_t i = 0; !status && i < x->count_runs[n].count; i++) status = set_count(x, &x->count_runs[n], i, w, error);
    return status;
}

static sos_status set_label_count(sos_example *x, const sos_run *r, size_t i, const double w[], double value[],
                                  sos_error *error)
{
    const size_t number = r->first + i, at = x->regions_count + number;
    const sos_count *c = &x->counts[number];
    const sos_ties *t = x->layout->groups[r->group].ties;
    double place[SOS_KNOTS_MAX];
    for (size_t l = 0; l < x->layout->labels; l++) sos_example_count_values(x, r, i, l, w, value + l * t->entries);
    if (at < sos_multi_energy_count_cliques(x->multi)) return sos_multi_energy_set_pieces(x->multi, at, value, error);
    set_places(t, c, place);
    return sos_multi_energy_add_pieces(x->multi, c->k, x->counted + c->start, sos_count_amounts(x, c), t->entries, place, value,
                                       weight_of(x, r, i), error);
}

sos_status sos_example_set_label_counts(sos_example *x, const double w[], sos_error *error)
{
    if (!x->counts_count) return SOS_OK;
    double *value = malloc(x->layout->labels * SOS_KNOTS_MAX * sizeof *value);
    if (!value) return sos_fail(error, SOS_ERR_MEMORY, "no memory for functions of the count");
    sos_status status = SOS_OK;
    for (size_t n = 0; !status && n < x->count_runs_count; n++)
        for (size_t i = 0; !status && i < x->count_runs[n].count; i++)
            status = set_label_count(x, &x->count_runs[n], i, w, value, error);
    free(value);
    return status;
}
