/* format_uai.c - UAI MARKOV files with binary variables (docs/formats.md).
 *
 * The last variable of a factor's scope varies fastest in its table: entry S of the table has bit 0 for the last variable.  So
 * a scope read backwards makes the table a clique's table as it stands, and the same when writing. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "energy/format.h"
#include "energy/pieces.h"
#include "energy/submodular.h"

typedef struct uai_reader {
    sos_scanner *s;
    sos_energy *e;
    bool energies;
    size_t variables, factors;

    uint8_t *sizes;    /* of the factors' scopes */
    uint32_t *members; /* of all scopes, each backwards */
    size_t sizes_room, members_room, members_count;
    size_t left[SOS_TABLE_MEMBERS_MAX + 1]; /* factors of k variables that are still to be added */

    double *costs; /* of one table */
    size_t costs_room;
    uint32_t *slots; /* open addressing: numbers of tables + 1, 0 where free */
    size_t slot_count;
} uai_reader;

static sos_status uai_no_memory(const uai_reader *r)
{
    return sos_scan_fail(r->s, SOS_ERR_MEMORY, "no memory to read further");
}

static sos_status uai_header_read(uai_reader *r)
{
    sos_status status = sos_scan_word(r->s, "MARKOV");
    if (!status) status = sos_scan_count(r->s, "the number of variables", SIZE_MAX, &r->variables);
    if (!status) status = sos_scan_room(r->s, "variables", r->variables, 2);
    for (size_t i = 0; !status && i < r->variables; i++) {
        size_t labels;
        status = sos_scan_count(r->s, "the number of labels of a variable", SIZE_MAX, &labels);
        if (!status && labels != 2)
            return sos_scan_fail(r->s, SOS_ERR_FORMAT, "variable %zu has %zu labels; only binary variables can be read", i,
                                 labels);
    }
    if (!status) status = sos_scan_count(r->s, "the number of factors", SIZE_MAX, &r->factors);
    return status ? status : sos_scan_room(r->s, "factors", r->factors, 6);
}

static sos_status scope_read(uai_reader *r, size_t factor)
{
    size_t k;
    sos_status status = sos_scan_count(r->s, "the number of variables of a factor", SIZE_MAX, &k);
    if (status) return status;
    if (k > SOS_TABLE_MEMBERS_MAX)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "factor %zu has %zu variables; at most %d can be read", factor, k,
                             SOS_TABLE_MEMBERS_MAX);
    if (k && !r->variables) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "factor %zu has variables, but there are none", factor);
    /* One more than there are, so that the first factor has a scope even where it has no variables. */
    if (!sos_grow(&r->sizes, &r->sizes_room, factor + 1) || !sos_grow(&r->members, &r->members_room, r->members_count + k + 1))
        return uai_no_memory(r);
    r->sizes[factor] = (uint8_t)k;
    r->left[k]++;
    uint32_t *scope = r->members_count ? r->members + r->members_count : r->members;
    for (size_t i = k; i-- > 0;) {
        size_t variable;
        status = sos_scan_count(r->s, "a variable", r->variables - 1, &variable);
        if (status) return status;
        scope[i] = (uint32_t)variable;
        for (size_t j = i + 1; j < k; j++)
            if (scope[j] == scope[i])
                return sos_scan_fail(r->s, SOS_ERR_FORMAT, "factor %zu has variable %zu twice", factor, variable);
    }
    r->members_count += k;
    return SOS_OK;
}

/* A potential is known to some units in its last place, so its logarithm is known to that, however small the costs are: a
 * violation of that size is no more than rounding.  |S| (k - |S|) has second differences -2 and makes it vanish. */
static void rounding_repair(size_t k, double f[], double allowed)
{
    double largest = 0;
    for (size_t S = 0; S < (size_t)1 << k; S++) largest = fmax(largest, fabs(f[S]));
    const sos_violation v = sos_worst_violation(k, f);
    if (v.amount <= sos_violation_tolerance(largest) || v.amount > fmax(allowed, sos_violation_tolerance(1))) return;
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        size_t ones = 0;
        for (size_t i = 0; i < k; i++) ones += S >> i & 1;
        f[S] += v.amount / 2 * (double)(ones * (k - ones));
    }
}

static sos_status cost_read(uai_reader *r, double *cost)
{
    double x;
    const sos_status status = sos_scan_real(r->s, r->energies ? "a cost" : "a potential", &x);
    if (status) return status;
    if (!r->energies && x < 0) return sos_scan_expected(r->s, "a potential that is not negative");
    if (!r->energies && x == 0)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT,
                             "a potential of 0 would be an infinite cost; costs must be finite, so it must be positive");
    *cost = r->energies ? x + 0.0 : 0.0 - sos_log(x); /* never -0, so that equal tables are equal bytes */
    return SOS_OK;
}

static size_t hash(size_t k, const double f[])
{
    uint64_t h = k;
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        uint64_t bits;
        memcpy(&bits, &f[S], sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (size_t)h;
}

static size_t slot_find(const uai_reader *r, size_t k, const double f[])
{
    size_t slot = hash(k, f) & (r->slot_count - 1);
    for (; r->slots[slot]; slot = (slot + 1) & (r->slot_count - 1)) {
        size_t other;
        const double *g = sos_energy_table(r->e, r->slots[slot] - 1, &other);
        if (other == k && !memcmp(f, g, sizeof *f << k)) break;
    }
    return slot;
}

/* Keeps the slots at most half full. */
static bool slots_grow(uai_reader *r)
{
    const size_t tables = sos_energy_tables(r->e);
    if (2 * (tables + 1) <= r->slot_count) return true;
    const size_t count = r->slot_count ? 2 * r->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(r->slots);
    r->slots = slots;
    r->slot_count = count;
    for (uint32_t t = 0; t < tables; t++) {
        size_t k;
        const double *f = sos_energy_table(r->e, t, &k);
        r->slots[slot_find(r, k, f)] = t + 1;
    }
    return true;
}

/* Adds the table unless there is an equal one. */
static sos_status table_share(uai_reader *r, size_t factor, size_t k, const sos_scanner *heading, uint32_t *table)
{
    if (!slots_grow(r)) return uai_no_memory(r);
    const size_t slot = slot_find(r, k, r->costs);
    if (r->slots[slot]) {
        *table = r->slots[slot] - 1;
        return SOS_OK;
    }
    sos_error inner;
    if (sos_energy_add_table(r->e, k, r->costs, table, &inner)) {
        char what[80];
        snprintf(what, sizeof what, "factor %zu (bit 0 is its last variable)", factor);
        return sos_scan_blame(heading, &inner, what);
    }
    r->slots[slot] = *table + 1;
    return SOS_OK;
}

static sos_status clique_add(uai_reader *r, size_t factor, size_t k, const uint32_t scope[], const sos_scanner *heading)
{
    uint32_t table;
    if (!r->energies) rounding_repair(k, r->costs, 0);
    const sos_status status = table_share(r, factor, k, heading, &table);
    if (status) return status;
    sos_error inner;
    sos_status added = SOS_OK;
    if (r->left[k]) added = sos_energy_reserve(r->e, table, r->left[k], &inner); /* once: all factors of k variables */
    r->left[k] = 0;
    if (!added) added = sos_energy_add_cliques(r->e, table, 1, scope, NULL, &inner);
    return added ? sos_scan_blame(heading, &inner, "") : SOS_OK;
}

static sos_status unary_add(uai_reader *r, uint32_t variable, const sos_scanner *heading)
{
    double cost0, cost1;
    sos_error inner;
    sos_energy_unary(r->e, variable, &cost0, &cost1);
    if (!sos_energy_set_unary(r->e, variable, cost0 + r->costs[0], cost1 + r->costs[1], &inner)) return SOS_OK;
    return sos_scan_blame(heading, &inner, "");
}

static sos_status factor_read(uai_reader *r, size_t factor, const uint32_t scope[])
{
    const size_t k = r->sizes[factor], entries = (size_t)1 << k;
    size_t given;
    sos_status status = sos_scan_count(r->s, "the number of entries of a factor", SIZE_MAX, &given);
    if (status) return status;
    if (given != entries)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "factor %zu of %zu variables has %zu entries, expected %zu", factor, k,
                             given, entries);
    const sos_scanner heading = *r->s;
    status = sos_scan_room(r->s, "entries of a factor", entries, 2);
    if (status) return status;
    if (!sos_grow(&r->costs, &r->costs_room, entries)) return uai_no_memory(r);
    for (size_t S = 0; S < entries; S++) {
        status = cost_read(r, &r->costs[S]);
        if (status) return status;
    }
    if (k > 1) return clique_add(r, factor, k, scope, &heading);
    if (k == 1) return unary_add(r, scope[0], &heading);
    sos_error inner;
    return sos_energy_add_constant(r->e, r->costs[0], &inner) ? sos_scan_blame(&heading, &inner, "") : SOS_OK;
}

static sos_status body_read(uai_reader *r)
{
    sos_status status = SOS_OK;
    for (size_t c = 0; !status && c < r->factors; c++) status = scope_read(r, c);
    size_t scope = 0;
    for (size_t c = 0; !status && c < r->factors; c++) {
        status = factor_read(r, c, r->members + scope);
        scope += r->sizes[c];
    }
    return status ? status : sos_scan_finish(r->s);
}

sos_status sos_format_uai_read(sos_scanner *s, bool energies, sos_energy **out)
{
    uai_reader r = { .s = s, .energies = energies };
    sos_status status = uai_header_read(&r);
    if (status) return status;
    sos_error inner;
    if (sos_energy_create(r.variables, &r.e, &inner)) return sos_scan_blame(s, &inner, "");
    status = body_read(&r);
    free(r.sizes);
    free(r.members);
    free(r.costs);
    free(r.slots);
    if (status)
        sos_energy_free(r.e);
    else
        *out = r.e;
    return status;
}

/* Writing: the factors are the unaries, then the cliques, then the concave cliques, each as a table. */
typedef struct uai_factor {
    size_t k;
    const uint32_t *variables;
    uint32_t one; /* the variable of a unary */
    double *f;    /* 2^k */
} uai_factor;

/* e^-700 is about the smallest double of full precision. */
static const double LARGEST_EXPONENT = 700;

static size_t factor_count(const sos_energy *e)
{
    return sos_energy_variables(e) + sos_energy_cliques(e) + sos_energy_concaves(e);
}

/* The scope of factor c, and its costs where factor->f has room for them. */
static void factor_get(const sos_energy *e, size_t c, uai_factor *factor, double *f)
{
    const size_t n = sos_energy_variables(e), cliques = sos_energy_cliques(e);
    factor->f = f;
    if (c < n) {
        double cost[2];
        sos_energy_unary(e, c, &cost[0], &cost[1]);
        factor->k = 1;
        factor->one = (uint32_t)c;
        factor->variables = &factor->one;
        if (f) memcpy(f, cost, sizeof cost);
    } else if (c < n + cliques) {
        const sos_clique clique = sos_energy_clique(e, c - n);
        size_t k;
        const double *table = sos_energy_table(e, clique.table, &k);
        factor->k = k;
        factor->variables = clique.variables;
        for (size_t S = 0; f && S < (size_t)1 << k; S++) f[S] = clique.weight * table[S];
    } else {
        const sos_pieces p = sos_energy_pieces(e, c - n - cliques);
        const sos_count_function function = { p.knots, p.place, p.value };
        factor->k = p.k;
        factor->variables = p.variables;
        for (size_t S = 0; f && S < (size_t)1 << p.k; S++) {
            double amount = 0;
            for (size_t i = 0; i < p.k; i++)
                if (S >> i & 1) amount += p.amounts ? p.amounts[i] : 1;
            f[S] = p.weight * sos_count_value(&function, amount);
        }
    }
}

static double smallest_cost(const uai_factor *factor)
{
    double least = factor->f[0];
    for (size_t S = 1; S < (size_t)1 << factor->k; S++) least = fmin(least, factor->f[S]);
    return least;
}

static sos_status factor_check(const uai_factor *factor, bool energies, sos_error *error)
{
    const double least = smallest_cost(factor);
    for (size_t S = 0; S < (size_t)1 << factor->k; S++) {
        if (!isfinite(factor->f[S]) || fabs(factor->f[S]) > DBL_MAX / 16)
            return sos_fail(error, SOS_ERR_ARGUMENT, "a factor of variable %u would have the cost %g, too large for a file",
                            (unsigned)factor->variables[0], factor->f[S]);
        if (!energies && factor->f[S] - least > LARGEST_EXPONENT)
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "a factor of variable %u has costs that differ by %g; as potentials, exp(-cost), they may differ "
                            "by %g: write them as costs (UAI energies), or scale the energy",
                            (unsigned)factor->variables[0], factor->f[S] - least, LARGEST_EXPONENT);
    }
    return SOS_OK;
}

static sos_status uai_check(const sos_energy *e, sos_error *error)
{
    for (size_t i = 0; i < sos_energy_variables(e); i++)
        if (sos_energy_fixed(e, i) != SOS_FREE)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu is fixed, which a UAI file cannot represent", i);
    for (size_t c = 0; c < sos_energy_concaves(e); c++)
        if (sos_energy_pieces(e, c).k > SOS_TABLE_MEMBERS_MAX)
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "concave clique %zu has %zu members; a UAI file needs a table, which takes at most %d", c,
                            sos_energy_pieces(e, c).k, SOS_TABLE_MEMBERS_MAX);
    return SOS_OK;
}

/* Potentials are exp(-(f - min f)), at most 1; the minima join the constant. */
static void factor_write(sos_output *o, const uai_factor *factor, bool energies)
{
    const size_t entries = (size_t)1 << factor->k;
    const double least = smallest_cost(factor);
    for (size_t S = 0; !energies && S < entries; S++) factor->f[S] -= least;
    if (!energies) rounding_repair(factor->k, factor->f, INFINITY);
    fprintf(o->file, "%zu\n", entries);
    for (size_t S = 0; S < entries; S++)
        sos_output_real(o, energies ? factor->f[S] : sos_exp(-factor->f[S]), S + 1 < entries ? ' ' : '\n');
}

static void factors_write(const sos_energy *e, bool energies, double constant, double *f, sos_output *o)
{
    const size_t n = sos_energy_variables(e), factors = factor_count(e);
    const bool whole = constant == 0 || energies || fabs(constant) <= LARGEST_EXPONENT;
    const bool nullary = constant != 0 && whole;
    fprintf(o->file, "MARKOV\n%zu\n", n);
    for (size_t i = 0; i < n; i++) fputs(i + 1 < n ? "2 " : "2\n", o->file);
    fprintf(o->file, "%zu\n%s", factors + nullary, nullary ? "0\n" : "");
    uai_factor factor;
    for (size_t c = 0; c < factors; c++) {
        factor_get(e, c, &factor, NULL);
        fprintf(o->file, "%zu", factor.k);
        for (size_t i = factor.k; i-- > 0;) fprintf(o->file, " %u", (unsigned)factor.variables[i]);
        fputc('\n', o->file);
    }
    if (nullary) {
        fputs("1\n", o->file);
        sos_output_real(o, energies ? constant : sos_exp(-constant), '\n');
    }
    for (size_t c = 0; c < factors; c++) {
        factor_get(e, c, &factor, f);
        factor_write(o, &factor, energies);
    }
    if (whole) return;
    fputs("# the energy is -log of the product of the factors, plus the constant\n# constant ", o->file);
    sos_output_real(o, constant, '\n');
}

sos_status sos_format_uai_write(const sos_energy *e, bool energies, sos_output *o)
{
    sos_status status = uai_check(e, o->error);
    if (status) return status;
    double *f = malloc(sizeof *f << SOS_TABLE_MEMBERS_MAX);
    if (!f) return sos_fail(o->error, SOS_ERR_MEMORY, "no memory to write");
    double constant = sos_energy_constant(e);
    for (size_t c = 0; !status && c < factor_count(e); c++) {
        uai_factor factor;
        factor_get(e, c, &factor, f);
        status = factor_check(&factor, energies, o->error);
        if (!energies) constant += smallest_cost(&factor);
    }
    if (!status) factors_write(e, energies, constant, f, o);
    free(f);
    return status;
}
