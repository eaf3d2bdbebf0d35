/* test_pieces.c - cliques whose cost is a concave function, linear between knots, of an amount that takes a label: against
 * exhaustive search and against the same function given count by count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "augment.h"
#include "support.h"

enum { MEMBERS_MAX = 9, KNOTS_MAX = 9, LABELS_MOST = 3, CLIQUES_MAX = 4 };

typedef struct clique {
    size_t k, knots;
    uint32_t variables[MEMBERS_MAX];
    bool weighted;
    double amounts[MEMBERS_MAX], place[KNOTS_MAX], value[LABELS_MOST * KNOTS_MAX], weight;
} clique;

typedef struct energy {
    size_t n, labels, count;
    double unary[MEMBERS_MAX * LABELS_MOST];
    clique cliques[CLIQUES_MAX];
} energy;

/* The kinds of amounts and of costs; 0 is whole. */
enum { WHOLE, DYADIC, REALS, KINDS };

static double number_random(sos_random *r, int kind, double most)
{
    if (kind == REALS) return most * (double)sos_random_below(r, UINT64_C(1) << 53) * 0x1p-53;
    const uint64_t steps = kind == DYADIC ? 16 : 1;
    return (double)sos_random_below(r, (uint64_t)most * steps + 1) / (double)steps;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void places_random(sos_random *r, clique *c, int kind, double total)
{
    double inner[KNOTS_MAX];
    const size_t wanted = (size_t)sos_random_below(r, KNOTS_MAX - 1);
    for (size_t j = 0; j < wanted; j++) inner[j] = number_random(r, kind, total);
    qsort(inner, wanted, sizeof *inner, compare_numbers);
    c->place[0] = 0;
    c->knots = 1;
    for (size_t j = 0; j < wanted; j++)
        if (inner[j] > c->place[c->knots - 1] && inner[j] < total) c->place[c->knots++] = inner[j];
    c->place[c->knots++] = total;
}

static void values_random(sos_random *r, clique *c, size_t labels, int kind)
{
    for (size_t l = 0; l < labels; l++) {
        double *value = c->value + l * c->knots, slope = number_random(r, kind, 20) - 5;
        value[0] = number_random(r, kind, 9);
        for (size_t j = 1; j < c->knots; j++) {
            value[j] = value[j - 1] + slope * (c->place[j] - c->place[j - 1]);
            slope -= number_random(r, kind, 8);
        }
    }
}

static void clique_random(sos_random *r, energy *e, int amounts, int places, int prices)
{
    clique *c = &e->cliques[e->count++];
    c->k = 1 + (size_t)sos_random_below(r, e->n);
    members_random(r, e->n, c->k, c->variables);
    c->weighted = sos_random_below(r, 3) != 0;
    double total = 0;
    for (size_t i = 0; i < c->k; i++) {
        c->amounts[i] = sos_random_below(r, 6) ? number_random(r, amounts, 7) : 0;
        if (!i) c->amounts[i] += 1;
        total += c->amounts[i];
    }
    if (!c->weighted) total = (double)c->k;
    places_random(r, c, places, total);
    values_random(r, c, e->labels, prices);
    c->weight = number_random(r, prices, 3);
}

static energy energy_random(sos_random *r, size_t labels, size_t most, int amounts, int places, int prices)
{
    energy e = { .n = 1 + (size_t)sos_random_below(r, most), .labels = labels };
    for (size_t i = 0; i < e.n * labels; i++) e.unary[i] = number_random(r, prices, 40);
    for (uint64_t c = 1 + sos_random_below(r, CLIQUES_MAX); c; c--) clique_random(r, &e, amounts, places, prices);
    return e;
}

/* ---- the definition ---- */

static long double function_value(const clique *c, size_t label, long double amount)
{
    const double *value = c->value + label * c->knots;
    size_t j = 1;
    while (j + 1 < c->knots && c->place[j] < amount) j++;
    const long double share = (amount - c->place[j - 1]) / ((long double)c->place[j] - c->place[j - 1]);
    return value[j - 1] + share * ((long double)value[j] - value[j - 1]);
}

static long double amount_of(const clique *c, size_t label, const uint8_t y[])
{
    long double amount = 0;
    for (size_t i = 0; i < c->k; i++)
        if (y[c->variables[i]] == label) amount += c->weighted ? c->amounts[i] : 1;
    return amount;
}

/* Of an energy with two labels only label 1 pays, unless every label does. */
static long double energy_value(const energy *e, bool every, const uint8_t y[])
{
    long double sum = 0;
    for (size_t i = 0; i < e->n; i++) sum += e->unary[i * e->labels + y[i]];
    for (size_t c = 0; c < e->count; c++)
        for (size_t l = every ? 0 : 1; l < e->labels; l++)
            sum += e->cliques[c].weight * function_value(&e->cliques[c], l, amount_of(&e->cliques[c], l, y));
    return sum;
}

/* All labellings, in turn: false after the last. */
static bool next_labels(const energy *e, uint8_t y[])
{
    for (size_t i = 0; i < e->n; i++) {
        if (++y[i] < e->labels) return true;
        y[i] = 0;
    }
    return false;
}

/* The least of all; *smallest and *largest the ones common to, and in any of, the minimisers. */
static long double exhaustive(const energy *e, bool every, uint8_t smallest[], uint8_t largest[])
{
    uint8_t y[MEMBERS_MAX] = { 0 };
    long double least = INFINITY;
    do {
        const long double value = energy_value(e, every, y);
        for (size_t i = 0; i < e->n && value <= least; i++) {
            smallest[i] = value < least ? y[i] : smallest[i] & y[i];
            largest[i] = value < least ? y[i] : largest[i] | y[i];
        }
        least = fminl(least, value);
    } while (next_labels(e, y));
    return least;
}

/* A bound on all sums. */
static double magnitude(const energy *e)
{
    double sum = 1;
    for (size_t i = 0; i < e->n * e->labels; i++) sum += fabs(e->unary[i]);
    for (size_t c = 0; c < e->count; c++) {
        double largest = 0;
        for (size_t j = 0; j < e->labels * e->cliques[c].knots; j++) largest = fmax(largest, fabs(e->cliques[c].value[j]));
        sum += e->cliques[c].weight * largest * (double)e->labels;
    }
    return sum;
}

/* ---- the library ---- */

static void add_clique(const clique *c, sos_energy *e)
{
    sos_error error;
    check_ok(sos_energy_add_pieces(e, c->k, c->variables, c->weighted ? c->amounts : NULL, c->knots, c->place,
                                   c->value + c->knots, c->weight, &error),
             error);
}

static sos_energy *build(const energy *e)
{
    sos_energy *out;
    sos_error error;
    check_ok(sos_energy_create(e->n, &out, &error), error);
    for (size_t i = 0; i < e->n; i++)
        check_ok(sos_energy_set_unary(out, i, e->unary[2 * i], e->unary[2 * i + 1], &error), error);
    for (size_t c = 0; c < e->count; c++) add_clique(&e->cliques[c], out);
    return out;
}

static sos_multi_energy *build_multi(const energy *e)
{
    sos_multi_energy *out;
    sos_error error;
    check_ok(sos_multi_energy_create(e->n, e->labels, &out, &error), error);
    check_ok(sos_multi_energy_set_unaries(out, e->unary, &error), error);
    for (size_t i = 0; i < e->count; i++) {
        const clique *c = &e->cliques[i];
        check_ok(sos_multi_energy_add_pieces(out, c->k, c->variables, c->weighted ? c->amounts : NULL, c->knots, c->place,
                                             c->value, c->weight, &error),
                 error);
    }
    return out;
}

enum { SETTINGS = 12 }; /* beyond that, the same by augmenting paths */

static sos_minimize_settings settings_numbered(unsigned number)
{
    static const int BITS[] = { 0, 64, 32 };
    sos_minimize_settings s = sos_minimize_defaults();
    s.maximal = number & 1;
    s.reduce = !(number & 2);
    s.bits = BITS[number / 4 % 3];
    return s;
}

static void check_minimum(const energy *e, const sos_energy *built, unsigned number, long double least, const uint8_t wanted[])
{
    const sos_minimize_settings s = settings_numbered(number);
    sos_minimize_result r;
    sos_error error;
    uint8_t y[MEMBERS_MAX];
    check_ok((number < SETTINGS ? sos_minimize : augment_minimize)(built, &s, y, &r, &error), error);
    const double tiny = 1e-15 * magnitude(e);
    check(fabs((double)(energy_value(e, false, y) - r.energy)) <= tiny);
    check(r.energy <= (double)least + 2 * r.rounding + tiny);
    check(r.lower_bound <= (double)least + tiny * 0x1p-8);
    check(r.lower_bound >= (double)least - 2 * r.rounding - tiny);
    check(r.rounding <= (s.bits == 32 ? 1e-5 : 1e-14) * magnitude(e));
    if (r.rounding == 0) check(!memcmp(y, wanted, e->n));
}

static void minima_are_those_of_exhaustive_search(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const energy e = energy_random(&r, 2, MEMBERS_MAX, (int)(c % KINDS), (int)(c / 3 % KINDS), (int)(c / 9 % KINDS));
        sos_energy *built = build(&e);
        uint8_t smallest[MEMBERS_MAX], largest[MEMBERS_MAX];
        const long double least = exhaustive(&e, false, smallest, largest);
        for (unsigned number = 0; number < 2 * SETTINGS; number++)
            check_minimum(&e, built, number, least, number & 1 ? largest : smallest);
        sos_energy_free(built);
    }
}

/* Whole amounts, places, slopes and weights are integers of the flow. */
static void whole_numbers_are_not_rounded(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const energy e = energy_random(&r, 2, MEMBERS_MAX, WHOLE, WHOLE, WHOLE);
        sos_energy *built = build(&e);
        sos_minimize_result result;
        sos_error error;
        uint8_t y[MEMBERS_MAX];
        check_ok(sos_minimize(built, NULL, y, &result, &error), error);
        check(result.rounding == 0 && result.bits == 32 && result.energy == result.lower_bound);
        sos_energy_free(built);
    }
}

/* ---- the same function given in another way ---- */

static void pieces_equal_costs_of_counts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = (costs)(c % COSTS_MIXED);
        const size_t n = 2 + (size_t)sos_random_below(&r, 60), k = 1 + (size_t)sos_random_below(&r, n);
        uint32_t variables[64];
        double g[65], place[65], ones[64];
        sos_energy *e[3];
        uint8_t y[3][64];
        sos_minimize_result result[3];
        sos_error error;
        for (size_t i = 0; i < 3; i++) check_ok(sos_energy_create(n, &e[i], &error), error);
        for (size_t i = 0; i < n; i++) {
            const double cost = cost_signed(&r, kind);
            for (size_t j = 0; j < 3; j++) check_ok(sos_energy_set_unary(e[j], i, 0, cost, &error), error);
        }
        for (uint64_t more = 1 + sos_random_below(&r, 3); more; more--) {
            members_random(&r, n, k, variables);
            concave_random(&r, k, kind, g);
            for (size_t m = 0; m <= k; m++) place[m] = (double)m;
            for (size_t i = 0; i < k; i++) ones[i] = 1;
            check_ok(sos_energy_add_concave(e[0], k, variables, g, 2, &error), error);
            check_ok(sos_energy_add_pieces(e[1], k, variables, NULL, k + 1, place, g, 2, &error), error);
            check_ok(sos_energy_add_pieces(e[2], k, variables, ones, k + 1, place, g, 2, &error), error);
        }
        for (size_t j = 0; j < 3; j++) {
            sos_minimize_settings s = sos_minimize_defaults();
            s.maximal = c & 1;
            check_ok(sos_minimize(e[j], &s, y[j], &result[j], &error), error);
            check(!memcmp(y[j], y[0], n) && result[j].energy == result[0].energy);
            check(result[j].lower_bound == result[0].lower_bound || result[j].rounding > 0);
            check(result[j].bits == result[0].bits);
        }
        for (size_t j = 0; j < 3; j++) sos_energy_free(e[j]);
    }
}

/* ---- cliques of many pieces, of which the network has few ---- */

/* A concave function of the count with a kink at nearly every count: like a root, a parabola, or random; whole or not. */
static void strictly_concave(sos_random *r, size_t k, int shape, bool whole, double g[])
{
    g[0] = 0;
    double last = INFINITY;
    const double tilt = (double)sos_random_below(r, 200) - 100;
    double *slopes = test_room(NULL, k + 1, sizeof *slopes);
    for (size_t m = 1; m <= k; m++) {
        const double x = (double)m / (double)k;
        slopes[m] = 400 * (shape == 0 ? 1 / sqrt(x) : shape == 1 ? 1 - 2 * x : (double)sos_random_below(r, 1000) * 1e-3);
    }
    if (shape == 2) {
        qsort(slopes + 1, k, sizeof *slopes, compare_numbers);
        for (size_t m = 1; m <= k / 2; m++) {
            const double swap = slopes[m];
            slopes[m] = slopes[k + 1 - m];
            slopes[k + 1 - m] = swap;
        }
    }
    for (size_t m = 1; m <= k; m++) {
        double slope = slopes[m] + tilt;
        if (whole) slope = fmin(last, rint(slope));
        last = slope;
        g[m] = g[m - 1] + slope;
    }
    free(slopes);
}

static void one_large_clique_agrees_with_a_search_over_counts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const size_t k = c % 10 == 9 ? 20000 : 40 + (size_t)sos_random_below(&r, 1500);
        const bool whole = c & 1;
        double *g = test_room(NULL, k + 1, sizeof *g), *cost = test_room(NULL, k, sizeof *cost);
        uint32_t *variables = test_room(NULL, k, sizeof *variables);
        uint8_t *wanted = test_room(NULL, k, 1), *y = test_room(NULL, k, 1);
        strictly_concave(&r, k, (int)(c / 2 % 3), whole, g);
        const double spread = ldexp(50, (int)sos_random_below(&r, 5));
        for (size_t i = 0; i < k; i++) {
            variables[i] = (uint32_t)(k - 1 - i);
            cost[i] = spread * ((double)sos_random_below(&r, 2001) * 1e-3 - 1) - 50;
            if (whole) cost[i] = rint(cost[i]);
        }
        sos_energy *e;
        sos_error error;
        check_ok(sos_energy_create(k, &e, &error), error);
        check_ok(sos_energy_set_unaries(e, NULL, cost, &error), error);
        check_ok(sos_energy_add_concave(e, k, variables, g, 1, &error), error);
        for (unsigned number = 0; number < (k > 200 ? 2 : 8); number++) {
            const sos_minimize_settings s = settings_numbered(number);
            sos_minimize_result result;
            const long double best = test_best_count(k, cost, g, s.maximal, wanted);
            check_ok(sos_minimize(e, &s, y, &result, &error), error);
            const double tiny = whole ? 0 : 1e-10 * fabs((double)best) + 1e-10;
            check(fabsl(result.energy - best) <= tiny && result.lower_bound <= (double)best + 1e-12 * fabs((double)best));
            check(result.energy - result.lower_bound <= 2 * result.rounding + tiny);
            if (whole) check(!memcmp(y, wanted, k) && result.rounding == 0);
            check(result.bytes < 4000 * k + 100000);
        }
        sos_energy_free(e);
        free(g);
        free(cost);
        free(variables);
        free(wanted);
        free(y);
    }
}

/* The same function with a knot between two counts, where its slope does not change: then all kinks are in the network. */
static void add_with_all_kinks(sos_energy *e, size_t k, const uint32_t variables[], const double amounts[], size_t knots,
                               const double place[], const double value[], double weight)
{
    double *more = test_room(NULL, 2 * (knots + 1), sizeof *more), *cost = more + knots + 1;
    sos_error error;
    memcpy(more, place, knots * sizeof *more);
    memcpy(cost, value, knots * sizeof *cost);
    more[knots] = more[knots - 1];
    cost[knots] = cost[knots - 1];
    more[knots - 1] = (place[knots - 2] + place[knots - 1]) / 2;
    cost[knots - 1] = (value[knots - 2] + value[knots - 1]) / 2;
    if (more[knots - 1] == rint(more[knots - 1])) {
        more[knots - 1] = place[knots - 2] + (place[knots - 1] - place[knots - 2]) / 8;
        cost[knots - 1] = value[knots - 2] + (value[knots - 1] - value[knots - 2]) / 8;
    }
    check_ok(sos_energy_add_pieces(e, k, variables, amounts, knots + 1, more, cost, weight, &error), error);
    free(more);
}

enum { SIDE = 24, PIXELS = SIDE * SIDE, BLOCK = 12, MOST = 160 };

/* Cliques over blocks of a grid of pairs, which may overlap, with whole amounts or none: in a, and with all kinks in b. */
static void add_blocks(sos_random *r, sos_energy *a, sos_energy *b, bool whole)
{
    for (int n = 0; n < 8; n++) {
        uint32_t variables[MOST];
        double amounts[MOST], *place, *value, total = 0;
        const size_t x = (size_t)sos_random_below(r, SIDE - BLOCK + 1), y = (size_t)sos_random_below(r, SIDE - BLOCK + 1);
        size_t k = 0;
        for (size_t i = 0; i < BLOCK * BLOCK; i++)
            if (sos_random_below(r, 9)) variables[k++] = (uint32_t)((y + i / BLOCK) * SIDE + x + i % BLOCK);
        const bool weighted = n & 1;
        for (size_t i = 0; i < k; i++) total += amounts[i] = weighted ? (double)sos_random_below(r, 4) : 1;
        const size_t knots = (size_t)total + 1;
        place = test_room(NULL, knots, sizeof *place);
        value = test_room(NULL, knots, sizeof *value);
        for (size_t j = 0; j < knots; j++) place[j] = (double)j;
        strictly_concave(r, knots - 1, n % 3, whole, value);
        const double weight = whole ? 1 + (double)sos_random_below(r, 3) : 0.3 + number_random(r, REALS, 2);
        sos_error error;
        check_ok(sos_energy_add_pieces(a, k, variables, weighted ? amounts : NULL, knots, place, value, weight, &error), error);
        add_with_all_kinks(b, k, variables, weighted ? amounts : NULL, knots, place, value, weight);
        free(place);
        free(value);
    }
}

static void set_noise(sos_random *r, bool whole, sos_energy *a, sos_energy *b)
{
    sos_error error;
    for (size_t i = 0; i < PIXELS; i++) {
        const double shape = (i % SIDE / 8 + i / SIDE / 8) % 2 ? 250 : -250;
        const double cost = shape + (double)sos_random_below(r, 1601) - 800 + (whole ? 0 : number_random(r, REALS, 1));
        check_ok(sos_energy_set_unary(a, i, 0, cost, &error), error);
        check_ok(sos_energy_set_unary(b, i, 0, cost, &error), error);
    }
}

static void grids_pair(sos_random *r, bool whole, sos_energy **a, sos_energy **b)
{
    static const double POTTS[] = { 0, 150, 150, 0 };
    sos_error error;
    sos_energy *both[2];
    for (int i = 0; i < 2; i++) {
        uint32_t table;
        check_ok(sos_energy_create(PIXELS, &both[i], &error), error);
        check_ok(sos_energy_add_table(both[i], 2, POTTS, &table, &error), error);
        check_ok(sos_energy_add_patches(both[i], table, SIDE, SIDE, 2, 1, NULL, &error), error);
        check_ok(sos_energy_add_patches(both[i], table, SIDE, SIDE, 1, 2, NULL, &error), error);
    }
    *a = both[0];
    *b = both[1];
    set_noise(r, whole, *a, *b);
    add_blocks(r, *a, *b, whole);
}

static void few_knots_find_what_all_find(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(16); c++) {
        sos_random r = test_case_begin(c);
        const bool whole = c & 1;
        sos_energy *a, *b;
        sos_error error;
        grids_pair(&r, whole, &a, &b);
        for (size_t i = 0; c & 2 && i < PIXELS; i += 7) {
            check_ok(sos_energy_fix(a, i, (int)(i % 2), &error), error);
            check_ok(sos_energy_fix(b, i, (int)(i % 2), &error), error);
        }
        for (unsigned number = 0; number < 2; number++) {
            sos_minimize_settings s = settings_numbered(number);
            sos_minimize_result few, all;
            uint8_t y[PIXELS], z[PIXELS];
            check_ok(sos_minimize(a, &s, y, &few, &error), error);
            check_ok(sos_minimize(b, &s, z, &all, &error), error);
            check(!memcmp(y, z, PIXELS));
            check(few.rounding <= all.rounding && few.bytes < all.bytes);
            check(fabs(few.energy - sos_energy_value(b, y)) <= 1e-9 * fabs(few.energy));
            check(few.energy - few.lower_bound <= 2 * few.rounding + 1e-12 * fabs(few.energy));
            if (whole) check(few.rounding == 0 && few.energy == few.lower_bound);
        }
        sos_energy_free(a);
        sos_energy_free(b);
    }
}

/* Costs so small that rounding slopes to integers matters, and many ties: several overlapping cliques on a line. */
static void small_whole_costs_need_exact_knots(void **state)
{
    (void)state;
    enum { LINE = 90, LONG = 60 };
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        sos_energy *a, *b;
        sos_error error;
        check_ok(sos_energy_create(LINE, &a, &error), error);
        check_ok(sos_energy_create(LINE, &b, &error), error);
        for (size_t i = 0; i < LINE; i++) {
            const double cost = (double)sos_random_below(&r, 61) - 30;
            check_ok(sos_energy_set_unary(a, i, 0, cost, &error), error);
            check_ok(sos_energy_set_unary(b, i, 0, cost, &error), error);
        }
        for (uint64_t more = 1 + sos_random_below(&r, 4); more; more--) {
            uint32_t variables[LONG];
            double place[LONG + 1], value[LONG + 1];
            members_random(&r, LINE, LONG, variables);
            double slope = 20 + (double)sos_random_below(&r, 21);
            for (size_t m = 0; m <= LONG; m++) {
                place[m] = (double)m;
                value[m] = m ? value[m - 1] + slope : 0;
                slope -= m ? (double)sos_random_below(&r, 3) : 0;
            }
            check_ok(sos_energy_add_concave(a, LONG, variables, value, 1, &error), error);
            add_with_all_kinks(b, LONG, variables, NULL, LONG + 1, place, value, 1);
        }
        for (unsigned number = 0; number < 4; number++) {
            const sos_minimize_settings s = settings_numbered(number);
            sos_minimize_result few, all;
            uint8_t y[LINE], z[LINE];
            check_ok(sos_minimize(a, &s, y, &few, &error), error);
            check_ok(sos_minimize(b, &s, z, &all, &error), error);
            check(!memcmp(y, z, LINE) && few.energy == all.energy);
            check(few.rounding == 0 && few.energy == few.lower_bound);
        }
        sos_energy_free(a);
        sos_energy_free(b);
    }
}

/* New values for clique 0 of a, and the same function for that of b. */
static void set_values(sos_random *r, bool whole, sos_energy *a, sos_energy *b)
{
    const sos_pieces few = sos_energy_pieces(a, 0), all = sos_energy_pieces(b, 0);
    double *value = test_room(NULL, few.knots, sizeof *value), *more = test_room(NULL, all.knots, sizeof *more);
    sos_error error;
    strictly_concave(r, few.knots - 1, (int)sos_random_below(r, 3), whole, value);
    for (size_t j = 0; j < all.knots; j++) {
        const size_t m = (size_t)all.place[j];
        const double rest = all.place[j] - (double)m;
        more[j] = rest > 0 ? value[m] + rest * (value[m + 1] - value[m]) : value[m];
    }
    check_ok(sos_energy_set_pieces(a, 0, value, &error), error);
    check_ok(sos_energy_set_pieces(b, 0, more, &error), error);
    free(value);
    free(more);
}

/* Unaries, weights and values change; knots and the flow stay where that is worth it. */
static void knots_of_earlier_runs_change_no_answer(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(6); c++) {
        sos_random r = test_case_begin(c);
        const bool whole = c & 1;
        sos_energy *a, *b;
        sos_minimizer *m;
        sos_error error;
        grids_pair(&r, whole, &a, &b);
        check_ok(sos_minimizer_create(&m, &error), error);
        for (int turn = 0; turn < 8; turn++) {
            sos_minimize_settings s = sos_minimize_defaults();
            s.start = turn % 4 == 3 ? SOS_START_LABELS : SOS_START_FLOW;
            s.maximal = c & 2;
            uint8_t y[PIXELS] = { 0 }, z[PIXELS];
            sos_minimize_result result;
            check_ok(sos_minimizer_run(m, a, &s, y, &result, &error), error);
            s.start = SOS_START_COLD;
            check_ok(sos_minimize(a, &s, z, NULL, &error), error);
            check(!memcmp(y, z, PIXELS));
            check_ok(sos_minimize(b, &s, z, NULL, &error), error);
            check(!memcmp(y, z, PIXELS));
            set_noise(&r, whole, a, b);
            const double weight = (double)sos_random_below(&r, 4);
            check_ok(sos_energy_set_concave_weights(a, 2, 1, &weight, &error), error);
            check_ok(sos_energy_set_concave_weights(b, 2, 1, &weight, &error), error);
            if (turn % 3 == 2) set_values(&r, whole, a, b);
        }
        sos_minimizer_free(m);
        sos_energy_free(a);
        sos_energy_free(b);
    }
}

static bool stop_at(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return --*(int *)user > 0;
}

static void being_stopped_between_solutions_leaves_labels_alone(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_energy *a, *b;
    sos_error error;
    grids_pair(&r, true, &a, &b);
    uint8_t y[PIXELS];
    memset(y, 7, sizeof y);
    int calls = 1;
    for (sos_status status = SOS_CANCELLED; status == SOS_CANCELLED; calls++) {
        int left = calls;
        sos_minimize_settings s = sos_minimize_defaults();
        s.work.progress = stop_at;
        s.work.user = &left;
        status = sos_minimize(a, &s, y, NULL, &error);
        if (status) check_is(status, SOS_CANCELLED);
        for (size_t i = 0; status && i < PIXELS; i++) check(y[i] == 7);
    }
    check(calls > 3);
    sos_energy_free(a);
    sos_energy_free(b);
}

static void a_limit_on_memory_holds_for_all_solutions(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_energy *a, *b;
    sos_error error;
    grids_pair(&r, true, &a, &b);
    sos_minimize_result wanted, result;
    uint8_t y[PIXELS];
    check_ok(sos_minimize(a, NULL, y, &wanted, &error), error);
    sos_minimize_settings s = sos_minimize_defaults();
    for (size_t limit = wanted.bytes / 2; limit < wanted.bytes; limit += limit / 16) {
        s.memory_limit = limit;
        check_error(sos_minimize(a, &s, y, &result, &error), SOS_ERR_MEMORY, error, "limit");
    }
    s.memory_limit = wanted.bytes;
    check_ok(sos_minimize(a, &s, y, &result, &error), error);
    check(result.bytes <= wanted.bytes && result.energy == wanted.energy);
    sos_energy_free(a);
    sos_energy_free(b);
}

static void all_threads_find_the_same(void **state)
{
    (void)state;
    enum { MANY = 6 };
    sos_random r = test_case_begin(0);
    sos_energy *a, *b;
    sos_error error;
    grids_pair(&r, false, &a, &b);
    const sos_energy *energies[MANY];
    uint8_t *labels[MANY], wanted[PIXELS];
    for (size_t i = 0; i < MANY; i++) {
        energies[i] = a;
        labels[i] = test_room(NULL, PIXELS, 1);
    }
    check_ok(sos_minimize(a, NULL, wanted, NULL, &error), error);
    sos_minimize_settings three = sos_minimize_defaults();
    three.work.threads = 3;
    check_ok(sos_minimize_batch(MANY, energies, &three, labels, NULL, &error), error);
    for (size_t i = 0; i < MANY; i++) {
        check(!memcmp(labels[i], wanted, PIXELS));
        free(labels[i]);
    }
    sos_energy_free(a);
    sos_energy_free(b);
}

/* ---- changes ---- */

static void new_values_count_at_once_and_under_a_flow(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const int kind = (int)(c % KINDS);
        energy e = energy_random(&r, 2, MEMBERS_MAX, kind, kind, kind);
        sos_energy *built = build(&e);
        sos_minimizer *m;
        sos_error error;
        check_ok(sos_minimizer_create(&m, &error), error);
        sos_minimize_settings s = sos_minimize_defaults();
        s.start = SOS_START_FLOW;
        for (int turn = 0; turn < 6; turn++) {
            uint8_t warm[MEMBERS_MAX], cold[MEMBERS_MAX];
            sos_minimize_result result;
            check_ok(sos_minimizer_run(m, built, &s, warm, &result, &error), error);
            sos_energy *fresh = build(&e);
            check_ok(sos_minimize(fresh, NULL, cold, NULL, &error), error);
            sos_energy_free(fresh);
            check(!memcmp(warm, cold, e.n));
            const size_t changed = (size_t)sos_random_below(&r, e.count);
            clique *q = &e.cliques[changed];
            values_random(&r, q, 2, kind);
            q->weight = number_random(&r, kind, 3);
            check_ok(sos_energy_set_pieces(built, changed, q->value + q->knots, &error), error);
            check_ok(sos_energy_set_concave_weights(built, changed, 1, &q->weight, &error), error);
        }
        sos_minimizer_free(m);
        sos_energy_free(built);
    }
}

/* ---- several labels ---- */

static void two_labels_are_minimised_exactly(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const energy e = energy_random(&r, 2, MEMBERS_MAX, (int)(c % KINDS), (int)(c / 3 % KINDS), (int)(c / 9 % KINDS));
        sos_multi_energy *built = build_multi(&e);
        uint8_t smallest[MEMBERS_MAX], largest[MEMBERS_MAX], y[MEMBERS_MAX];
        const double least = (double)exhaustive(&e, true, smallest, largest), tiny = 1e-14 * magnitude(&e);
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(built, NULL, y, &result, &error), error);
        check(fabs((double)energy_value(&e, true, y) - result.energy) <= tiny);
        check(fabs(sos_multi_energy_value(built, y) - result.energy) <= tiny);
        check(result.energy <= least + tiny && result.lower_bound <= least + tiny * 0x1p-8);
        check(result.exact && result.factor == 1);
        sos_multi_energy_free(built);
    }
}

/* No expansion of any label is better than where moves end, and no labelling is below the bounds. */
static void no_expansion_of_three_labels_is_better(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const energy e = energy_random(&r, 3, 6, (int)(c % KINDS), (int)(c / 3 % KINDS), (int)(c / 9 % KINDS));
        sos_multi_energy *built = build_multi(&e);
        uint8_t smallest[MEMBERS_MAX], largest[MEMBERS_MAX], y[MEMBERS_MAX];
        const double least = (double)exhaustive(&e, true, smallest, largest), tiny = 1e-14 * magnitude(&e);
        sos_expand_settings s = sos_expand_defaults();
        s.reduce = c & 1;
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(built, &s, y, &result, &error), error);
        const double value = (double)energy_value(&e, true, y);
        check(fabs(value - result.energy) <= tiny && result.lower_bound <= least + tiny);
        check(sos_multi_energy_lower_bound(built) <= least + tiny * 0x1p-8);
        for (uint8_t a = 0; a < 3; a++)
            for (size_t S = 0; S < (size_t)1 << e.n; S++) {
                uint8_t moved[MEMBERS_MAX];
                for (size_t i = 0; i < e.n; i++) moved[i] = S >> i & 1 ? a : y[i];
                check((double)energy_value(&e, true, moved) >= value - tiny);
            }
        sos_multi_energy_free(built);
    }
}

/* ---- what is refused, and leaves all as it was ---- */

static void what_is_no_function_of_the_count_is_refused(void **state)
{
    (void)state;
    sos_energy *e;
    sos_multi_energy *multi;
    sos_error error;
    check_ok(sos_energy_create(4, &e, &error), error);
    check_ok(sos_multi_energy_create(4, 2, &multi, &error), error);
    const size_t bytes = sos_energy_bytes(e), multi_bytes = sos_multi_energy_bytes(multi);
    static const uint32_t V[] = { 3, 0, 1 }, TWICE[] = { 3, 0, 3 }, BEYOND[] = { 3, 0, 4 };
    static const double ONES[] = { 1, 1, 1 }, P[] = { 0, 1, 3 }, F[] = { 0, 2, 3, 0, 2, 3 };
    const struct {
        size_t k;
        const uint32_t *variables;
        const double *amounts;
        size_t knots;
        double place[3], value[3], weight;
        sos_status status;
        const char *words;
    } bad[] = {
        { 0, V, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "members" },
        { 5, V, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "5 members" },
        { 3, NULL, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "members" },
        { 3, TWICE, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "variable 3 twice" },
        { 3, BEYOND, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "variable 4" },
        { 3, V, NULL, 0, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "0 knots" },
        { 3, V, NULL, 1, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "1 knots" },
        { 3, V, NULL, SIZE_MAX, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_RANGE, "knots" },
        { 3, V, NULL, 3, { 0.5, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "at 0.5" },
        { 3, V, NULL, 3, { 0, 1, 3.5 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "add up to 3" },
        { 3, V, NULL, 3, { 0, 1, 3 + 1e-12 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "add up to 3" },
        { 3, V, NULL, 3, { 0, 0, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "must increase" },
        { 3, V, NULL, 3, { 0, 4, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "knot 2" },
        { 3, V, NULL, 3, { 0, NAN, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "knot 1" },
        { 3, V, NULL, 3, { 0, 1, INFINITY }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "knot 2" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, NAN, 3 }, 1, SOS_ERR_ARGUMENT, "value at knot 1" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, 2, INFINITY }, 1, SOS_ERR_ARGUMENT, "value at knot 2" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, 2, 1e308 }, 1, SOS_ERR_RANGE, "value at knot 2" },
        { 3, V, NULL, 3, { 0, 1e-300, 3 }, { 0, 1e100, 1e100 }, 1, SOS_ERR_RANGE, "slope" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, 1, 4 }, 1, SOS_ERR_NOT_SUBMODULAR, "knot 1" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, -1, SOS_ERR_ARGUMENT, "weight -1" },
        { 3, V, NULL, 3, { 0, 1, 3 }, { 0, 2, 3 }, NAN, SOS_ERR_ARGUMENT, "weight" },
        { 3, V, (double[]){ 1, -1, 3 }, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "member 1" },
        { 3, V, (double[]){ 1, 1, NAN }, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "member 2" },
        { 3, V, (double[]){ INFINITY, 1, 1 }, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "member 0" },
        { 3, V, (double[]){ 1e308, 1e308, 1 }, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_RANGE, "add up to inf" },
        { 3, V, (double[]){ 0, 0, 0 }, 3, { 0, 1, 3 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "add up to 0" },
        { 3, V, ONES, 3, { 0, 1, 3.001 }, { 0, 2, 3 }, 1, SOS_ERR_ARGUMENT, "add up to 3" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double both[6];
        memcpy(both, bad[i].value, sizeof bad[i].value);
        memcpy(both + 3, bad[i].value, sizeof bad[i].value);
        check_error(sos_energy_add_pieces(e, bad[i].k, bad[i].variables, bad[i].amounts, bad[i].knots, bad[i].place, both,
                                          bad[i].weight, &error),
                    bad[i].status, error, bad[i].words);
        check_error(sos_multi_energy_add_pieces(multi, bad[i].k, bad[i].variables, bad[i].amounts, bad[i].knots, bad[i].place,
                                                both, bad[i].weight, &error),
                    bad[i].status, error, bad[i].words);
    }
    check_is(sos_energy_add_pieces(e, 3, V, NULL, 3, NULL, F, 1, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_pieces(e, 3, V, NULL, 3, P, NULL, 1, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_multi_energy_add_pieces(multi, 3, V, NULL, 3, NULL, F, 1, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_multi_energy_add_pieces(multi, 3, V, NULL, 3, P, NULL, 1, NULL), SOS_ERR_ARGUMENT);
    check(sos_energy_concaves(e) == 0 && sos_energy_bytes(e) == bytes);
    check(sos_multi_energy_count_cliques(multi) == 0 && sos_multi_energy_bytes(multi) == multi_bytes);
    check_is(sos_energy_set_pieces(e, 0, F, &error), SOS_ERR_ARGUMENT);
    check_is(sos_multi_energy_set_pieces(multi, 0, F, &error), SOS_ERR_ARGUMENT);
    check_ok(sos_energy_add_pieces(e, 3, V, NULL, 3, P, F, 1, &error), error);
    check_ok(sos_multi_energy_add_pieces(multi, 3, V, ONES, 3, P, F, 1, &error), error);
    check_ok(sos_multi_energy_add_robust(multi, 3, V, F, NULL, 9, 1, &error), error);
    static const double CONVEX[] = { 0, 1, 9, 0, 1, 9 };
    check_error(sos_energy_set_pieces(e, 0, CONVEX, &error), SOS_ERR_NOT_SUBMODULAR, error, "knot 1");
    check_error(sos_multi_energy_set_pieces(multi, 0, CONVEX, &error), SOS_ERR_NOT_SUBMODULAR, error, "label 0", "knot 1");
    check_error(sos_multi_energy_set_pieces(multi, 1, F, &error), SOS_ERR_ARGUMENT, error, "no piecewise linear function");
    check_is(sos_energy_set_pieces(e, 0, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_multi_energy_set_pieces(multi, 0, NULL, &error), SOS_ERR_ARGUMENT);
    check(!memcmp(sos_energy_pieces(e, 0).value, F, 3 * sizeof *F));
    check(sos_multi_energy_counts(multi, 0).kind == SOS_COUNTS_PIECES &&
          sos_multi_energy_counts(multi, 1).kind != SOS_COUNTS_PIECES);
    check(!memcmp(sos_multi_energy_counts(multi, 0).as.pieces.value, F, sizeof F));
    sos_energy_free(e);
    sos_multi_energy_free(multi);
}

/* What was put in comes out, of a copy too, whose clique is its own. */
static void all_that_was_added_can_be_asked_for(void **state)
{
    (void)state;
    sos_energy *e, *copy;
    sos_multi_energy *multi, *multi_copy;
    sos_error error;
    static const uint32_t V[] = { 3, 0, 1 };
    static const double A[] = { 0.5, 2, 0.25 }, P[] = { 0, 1, 2.75 }, F[] = { 0, 2, 3, 1, 1, 1 }, NEW[] = { 1, 2, 2, 0, 1, 2 };
    check_ok(sos_energy_create(4, &e, &error), error);
    check_ok(sos_multi_energy_create(4, 2, &multi, &error), error);
    check_ok(sos_energy_add_pieces(e, 3, V, A, 3, P, F, 2.5, &error), error);
    check_ok(sos_multi_energy_add_pieces(multi, 3, V, A, 3, P, F, 2.5, &error), error);
    check(sos_energy_concaves(e) == 1 && sos_energy_pieces(e, 0).place && sos_energy_pieces(e, 0).k == 3);
    check_ok(sos_energy_copy(e, &copy, &error), error);
    check_ok(sos_multi_energy_copy(multi, &multi_copy, &error), error);
    check_ok(sos_energy_set_pieces(e, 0, NEW, &error), error);
    check_ok(sos_multi_energy_set_pieces(multi, 0, NEW, &error), error);
    for (int which = 0; which < 4; which++) {
        const sos_pieces p = which < 2 ? sos_energy_pieces(which ? copy : e, 0)
                                       : sos_multi_energy_counts(which == 3 ? multi_copy : multi, 0).as.pieces;
        check(p.k == 3 && p.knots == 3 && p.weight == 2.5);
        check(p.variables[0] == 0 && p.variables[1] == 1 && p.variables[2] == 3);
        check(p.amounts[0] == 2 && p.amounts[1] == 0.25 && p.amounts[2] == 0.5);
        check(!memcmp(p.place, P, sizeof P));
        check(!memcmp(p.value, which % 2 ? F : NEW, (which < 2 ? 3 : 6) * sizeof *F));
    }
    const uint8_t y[] = { 0, 1, 1, 1 };
    check(sos_energy_value(e, y) == 2.5 * 1.75 && sos_energy_value(copy, y) == 2.5 * 1.5);
    check(sos_multi_energy_bytes(multi) == sos_multi_energy_bytes(multi_copy));
    sos_energy_free(e);
    sos_energy_free(copy);
    sos_multi_energy_free(multi);
    sos_multi_energy_free(multi_copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minima_are_those_of_exhaustive_search),
        cmocka_unit_test(whole_numbers_are_not_rounded),
        cmocka_unit_test(pieces_equal_costs_of_counts),
        cmocka_unit_test(one_large_clique_agrees_with_a_search_over_counts),
        cmocka_unit_test(few_knots_find_what_all_find),
        cmocka_unit_test(small_whole_costs_need_exact_knots),
        cmocka_unit_test(knots_of_earlier_runs_change_no_answer),
        cmocka_unit_test(being_stopped_between_solutions_leaves_labels_alone),
        cmocka_unit_test(a_limit_on_memory_holds_for_all_solutions),
        cmocka_unit_test(all_threads_find_the_same),
        cmocka_unit_test(new_values_count_at_once_and_under_a_flow),
        cmocka_unit_test(two_labels_are_minimised_exactly),
        cmocka_unit_test(no_expansion_of_three_labels_is_better),
        cmocka_unit_test(what_is_no_function_of_the_count_is_refused),
        cmocka_unit_test(all_that_was_added_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
