/* multi_energy_support.h - energies with several labels as plain data, evaluated by the definitions of multi_energy.h: apart
 * from the library. */
#ifndef SOS_TESTS_MULTI_ENERGY_SUPPORT_H
#define SOS_TESTS_MULTI_ENERGY_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef enum term_kind { TERM_TABLES, TERM_POTTS, TERM_PN, TERM_ROBUST, TERM_COUNTS, TERM_KINDS } term_kind;

enum { MANY_MEMBERS = 16, MANY_LABELS = 8 };

typedef struct term {
    term_kind kind;
    size_t k;
    uint32_t variables[MANY_MEMBERS];
    double weight;
    double *g; /* tables: [L * 2^k]; counts: [L * (k+1)] */
    double agree[MANY_LABELS], reach[MANY_LABELS], most;
} term;

typedef struct many {
    size_t n, labels, count;
    double constant;
    double *unary; /* [n * labels] */
    term *terms;
} many;

static inline void many_free(many *p)
{
    for (size_t t = 0; t < p->count; t++) free(p->terms[t].g);
    free(p->terms);
    free(p->unary);
}

static inline term *many_add(many *p, term_kind kind, size_t k)
{
    p->terms = test_room(p->terms, p->count + 1, sizeof *p->terms);
    term *t = &p->terms[p->count++];
    *t = (term){ .kind = kind, .k = k, .weight = 1 };
    return t;
}

/* Costs by the definition of each kind. */
static inline long double term_value(const many *p, const term *t, const uint8_t y[])
{
    long double value = t->kind == TERM_PN || t->kind == TERM_ROBUST ? t->most : 0;
    if (t->kind == TERM_POTTS) return t->weight * (y[t->variables[0]] != y[t->variables[1]]);
    for (size_t l = 0; l < p->labels; l++) {
        size_t S = 0, m = 0;
        for (size_t q = 0; q < t->k; q++)
            if (y[t->variables[q]] == l) {
                S |= (size_t)1 << q;
                m++;
            }
        if (t->kind == TERM_TABLES) value += t->g[(l << t->k) + S];
        if (t->kind == TERM_COUNTS) value += t->g[l * (t->k + 1) + m];
        if (t->kind == TERM_PN && m == t->k) value = t->agree[l];
        const long double share = 1 - (long double)(t->k - m) / t->reach[l];
        if (t->kind == TERM_ROBUST && share > 0) value -= ((long double)t->most - t->agree[l]) * share;
    }
    return t->weight * value;
}

static inline long double many_value(const many *p, const uint8_t y[])
{
    long double value = p->constant;
    for (size_t i = 0; i < p->n; i++) value += p->unary[i * p->labels + y[i]];
    for (size_t t = 0; t < p->count; t++) value += term_value(p, &p->terms[t], y);
    return value;
}

/* What rounding in doubles may do to sums of this size. */
static inline long double many_tolerance(const many *p)
{
    long double sum = fabs(p->constant);
    for (size_t i = 0; i < p->n * p->labels; i++) sum += fabs(p->unary[i]);
    for (size_t t = 0; t < p->count; t++) {
        const term *x = &p->terms[t];
        const size_t entries = x->kind == TERM_TABLES ? p->labels << x->k : x->kind == TERM_COUNTS ? p->labels * (x->k + 1) : 0;
        double largest = fabs(x->most) + (x->kind == TERM_POTTS);
        for (size_t S = 0; S < entries; S++) largest = fmax(largest, fabs(x->g[S]));
        for (size_t l = 0; l < p->labels; l++) largest = fmax(largest, fabs(x->agree[l]));
        sum += (long double)(p->labels + 2) * x->weight * largest;
    }
    return 1e-13L * sum;
}

static inline void many_labels_random(sos_random *r, const many *p, uint8_t y[])
{
    for (size_t i = 0; i < p->n; i++) y[i] = (uint8_t)sos_random_below(r, p->labels);
}

/* The next labelling of L^n; false after the last. */
static inline bool many_next(const many *p, uint8_t y[])
{
    for (size_t i = 0; i < p->n; i++) {
        if (++y[i] < p->labels) return true;
        y[i] = 0;
    }
    return false;
}

static inline long double many_least(const many *p)
{
    uint8_t *y = test_room(NULL, p->n, 1);
    memset(y, 0, p->n);
    long double least = many_value(p, y);
    while (many_next(p, y)) {
        const long double value = many_value(p, y);
        if (value < least) least = value;
    }
    free(y);
    return least;
}

static inline void term_fill(sos_random *r, const many *p, costs kind, term *t)
{
    const size_t L = p->labels;
    members_random(r, p->n, t->k, t->variables);
    if (t->kind == TERM_TABLES) {
        t->g = test_room(NULL, L << t->k, sizeof *t->g);
        for (size_t l = 0; l < L; l++) table_random(r, t->k, kind, t->g + (l << t->k));
    }
    if (t->kind == TERM_COUNTS) {
        t->g = test_room(NULL, L * (t->k + 1), sizeof *t->g);
        for (size_t l = 0; l < L; l++) concave_random(r, t->k, kind, t->g + l * (t->k + 1));
    }
    /* A power of two, so that parts of gains are exact where costs are integers, or multiples of a power of two. */
    for (size_t l = 0; l < L; l++) {
        t->reach[l] = t->kind == TERM_PN ? 1 : (double)(UINT64_C(1) << sos_random_below(r, 3));
        t->agree[l] = cost_signed(r, kind);
        t->most = l ? fmax(t->most, t->agree[l]) : t->agree[l];
    }
    t->most += cost_random(r, kind);
    if (t->kind == TERM_ROBUST && kind < COSTS_DYADIC)
        for (size_t l = 0; l < L; l++) t->agree[l] = t->most - 4 * rint((t->most - t->agree[l]) / 4);
    if (sos_random_below(r, 3)) return;
    t->weight = kind < COSTS_REALS ? (double)sos_random_below(r, 4) : sos_random_uniform(r);
}

/* A random energy with up to terms cliques of up to members members, of all kinds. */
static inline many many_random(sos_random *r, size_t n, size_t labels, size_t terms, size_t members, costs kind)
{
    many p = { .n = n, .labels = labels, .constant = sos_random_below(r, 3) ? 0 : cost_signed(r, kind) };
    p.unary = test_room(NULL, n * labels, sizeof *p.unary);
    for (size_t i = 0; i < n * labels; i++) p.unary[i] = cost_signed(r, kind);
    const uint64_t count = n ? sos_random_below(r, terms + 1) : 0;
    for (uint64_t c = 0; c < count; c++) {
        term_kind which = (term_kind)sos_random_below(r, TERM_KINDS);
        if (which == TERM_POTTS && n < 2) which = TERM_COUNTS;
        const size_t most = members < n ? members : n;
        term *t = many_add(&p, which, which == TERM_POTTS ? 2 : 1 + (size_t)sos_random_below(r, most));
        term_fill(r, &p, kind, t);
        /* Of the largest weight and the largest cost of cliques of one size the product must be finite. */
        if (which == TERM_POTTS) t->weight = kind < COSTS_HUGE ? cost_random(r, kind) : sos_random_uniform(r);
    }
    return p;
}

/* The 2^k costs per label that a term of any kind comes to, less its constant. */
static inline double *term_tables(const many *p, const term *t, double *constant)
{
    double *g = test_room(NULL, p->labels << t->k, sizeof *g);
    *constant = t->kind == TERM_PN || t->kind == TERM_ROBUST ? t->weight * t->most : 0;
    for (size_t l = 0; l < p->labels; l++)
        for (size_t S = 0; S < (size_t)1 << t->k; S++) {
            const size_t m = (size_t)__builtin_popcountll(S);
            const double share = 1 - (double)(t->k - m) / t->reach[l];
            g[(l << t->k) + S] = t->kind == TERM_TABLES   ? t->g[(l << t->k) + S]
                                 : t->kind == TERM_COUNTS ? t->g[l * (t->k + 1) + m]
                                 : t->kind == TERM_POTTS  ? (m == 1 ? 0.5 : 0)
                                 : t->kind == TERM_PN     ? (m == t->k ? t->agree[l] - t->most : 0)
                                                          : (share > 0 ? -(t->most - t->agree[l]) * share : 0);
        }
    return g;
}

static inline sos_status term_add_tables(const many *p, const term *t, sos_multi_energy *e, sos_error *error)
{
    uint32_t set;
    double constant, *g = term_tables(p, t, &constant);
    sos_status status = sos_multi_energy_add_tables(e, t->k, g, &set, error);
    if (!status) status = sos_multi_energy_add_cliques(e, set, 1, t->variables, &t->weight, error);
    if (!status) status = sos_multi_energy_add_constant(e, constant, error);
    free(g);
    return status;
}

static inline sos_status term_add(const many *p, const term *t, sos_multi_energy *e, sos_error *error)
{
    switch (t->kind) {
    case TERM_POTTS: return sos_multi_energy_add_potts(e, 1, t->variables, &t->weight, error);
    case TERM_PN: return sos_multi_energy_add_robust(e, t->k, t->variables, t->agree, NULL, t->most, t->weight, error);
    case TERM_ROBUST: return sos_multi_energy_add_robust(e, t->k, t->variables, t->agree, t->reach, t->most, t->weight, error);
    case TERM_COUNTS: return sos_multi_energy_add_counts(e, t->k, t->variables, t->g, t->weight, error);
    case TERM_TABLES:
    case TERM_KINDS: break;
    }
    return term_add_tables(p, t, e, error);
}

/* The same energy in the library; tables: all terms by tables. */
static inline sos_multi_energy *many_build(const many *p, bool tables)
{
    sos_multi_energy *e;
    sos_error error;
    check_ok(sos_multi_energy_create(p->n, p->labels, &e, &error), error);
    check_ok(sos_multi_energy_add_constant(e, p->constant, &error), error);
    check_ok(sos_multi_energy_set_unaries(e, p->unary, &error), error);
    for (size_t t = 0; t < p->count; t++) {
        const term *x = &p->terms[t];
        check_ok(tables ? term_add_tables(p, x, e, &error) : term_add(p, x, e, &error), error);
    }
    return e;
}

/* Everything that can be read of one energy is the same in the other, to the bit. */
static inline void check_same_numbers(const double *a, const double *b, size_t count)
{
    check(!a == !b);
    for (size_t i = 0; a && i < count; i++) check(same_bits(a[i], b[i]));
}

static inline void check_same_multi(const sos_multi_energy *a, const sos_multi_energy *b)
{
    const size_t n = sos_multi_energy_variables(a), L = sos_multi_energy_labels(a);
    check(n == sos_multi_energy_variables(b) && L == sos_multi_energy_labels(b));
    check(sos_multi_energy_sets(a) == sos_multi_energy_sets(b) && sos_multi_energy_cliques(a) == sos_multi_energy_cliques(b));
    check(sos_multi_energy_count_cliques(a) == sos_multi_energy_count_cliques(b));
    check(same_bits(sos_multi_energy_constant(a), sos_multi_energy_constant(b)));
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++) check(same_bits(sos_multi_energy_unary(a, i, l), sos_multi_energy_unary(b, i, l)));
    for (uint32_t t = 0; t < sos_multi_energy_sets(a); t++) {
        size_t k, other;
        const double *f = sos_multi_energy_tables(a, t, &k), *g = sos_multi_energy_tables(b, t, &other);
        check(k == other);
        check_same_numbers(f, g, L << k);
    }
    for (size_t c = 0; c < sos_multi_energy_cliques(a); c++) {
        const sos_clique x = sos_multi_energy_clique(a, c), y = sos_multi_energy_clique(b, c);
        check(x.k == y.k && x.table == y.table && same_bits(x.weight, y.weight));
        check(!memcmp(x.variables, y.variables, x.k * sizeof *x.variables));
    }
    for (size_t c = 0; c < sos_multi_energy_count_cliques(a); c++) {
        const sos_counts x = sos_multi_energy_counts(a, c), y = sos_multi_energy_counts(b, c);
        check(x.kind == y.kind && x.k == y.k && same_bits(x.weight, y.weight));
        check(!memcmp(x.variables, y.variables, x.k * sizeof *x.variables));
        if (x.kind == SOS_COUNTS_COSTS) check_same_numbers(x.as.g, y.as.g, L * (x.k + 1));
        if (x.kind == SOS_COUNTS_ROBUST) {
            check(same_bits(x.as.robust.most, y.as.robust.most));
            check_same_numbers(x.as.robust.agree, y.as.robust.agree, L);
            check_same_numbers(x.as.robust.reach, y.as.robust.reach, L);
        }
        if (x.kind != SOS_COUNTS_PIECES) continue;
        const sos_pieces f = x.as.pieces, g = y.as.pieces;
        check(f.knots == g.knots);
        check_same_numbers(f.amounts, g.amounts, f.k);
        check_same_numbers(f.place, g.place, f.knots);
        check_same_numbers(f.value, g.value, L * f.knots);
    }
}

#endif
