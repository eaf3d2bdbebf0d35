/* test_knots.c - cliques of many members whose cost is a concave function with many changes of slope, of which the network
 * chooses few: against all amounts, each with the least costs that reach it (a table over members and amounts). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum {
    CLIQUES = 3,
    MEMBERS_MAX = 90,
    AMOUNT_MAX = 4,
    TOTAL_MAX = MEMBERS_MAX * AMOUNT_MAX,
    VARIABLES_MAX = CLIQUES * (MEMBERS_MAX + 2),
    RUNS = 4
};

/* Cliques without common members, each with a function F of the amount that is labelled 1; all numbers
 * are small multiples of 1/8, so that doubles add them exactly. */
typedef struct clique {
    size_t k, total;
    uint32_t first; /* variable */
    bool weighted;
    size_t steps[MEMBERS_MAX]; /* amounts in units, which are 1; or 1/2, of which no knots may be chosen */
    double unit, amounts[MEMBERS_MAX], place[TOTAL_MAX + 1], value[TOTAL_MAX + 1], weight;
} clique;

static double eighths(sos_random *r, int least, int most)
{
    return (least + (int)sos_random_below(r, (uint64_t)(most - least + 1))) / 8.0;
}

static void clique_random(sos_random *r, uint32_t first, clique *c)
{
    c->k = 36 + (size_t)sos_random_below(r, MEMBERS_MAX - 35);
    c->first = first;
    c->weighted = sos_random_below(r, 2);
    c->weight = 1 + (double)sos_random_below(r, 3);
    c->unit = c->weighted && !sos_random_below(r, 6) ? 0.5 : 1;
    c->total = 0;
    for (size_t i = 0; i < c->k; i++) {
        c->steps[i] = c->weighted ? 1 + (size_t)sos_random_below(r, AMOUNT_MAX) : 1;
        c->amounts[i] = c->unit * (double)c->steps[i];
        c->total += c->steps[i];
    }
    /* Slopes that fall by as good as nothing, or by much, and are the same for a while. */
    const int steps = 1 << sos_random_below(r, 6);
    const bool pauses = sos_random_below(r, 2);
    double slope = steps * (double)c->total / 16;
    c->place[0] = 0;
    c->value[0] = eighths(r, -9, 9);
    for (size_t a = 1; a <= c->total; a++) {
        c->place[a] = c->unit * (double)a;
        c->value[a] = c->value[a - 1] + slope;
        if (!pauses || sos_random_below(r, 3)) slope -= eighths(r, 1, steps);
    }
}

/* Near the slope somewhere, so that every amount can be the best one. */
static void unaries_random(sos_random *r, const clique *c, double unary[])
{
    for (size_t i = 0; i < c->k; i++) {
        const size_t a = 1 + (size_t)sos_random_below(r, c->total);
        const double slope = c->value[a] - c->value[a - 1];
        unary[c->first + i] = -c->weight * (double)c->steps[i] * slope + (sos_random_below(r, 3) ? eighths(r, -8, 8) : 0);
    }
}

typedef struct best {
    double cost;
    size_t members; /* the fewest, or the most, of all labellings of that cost */
} best;

static bool better(best a, best b, bool maximal)
{
    return a.cost < b.cost || (a.cost == b.cost && (maximal ? a.members > b.members : a.members < b.members));
}

static best clique_best(const clique *c, const double unary[], bool maximal)
{
    best of[TOTAL_MAX + 1];
    for (size_t a = 0; a <= c->total; a++) of[a] = (best){ a ? INFINITY : 0, 0 };
    for (size_t i = 0; i < c->k; i++)
        for (size_t step = c->steps[i], a = c->total; a >= step; a--) {
            const best with = { of[a - step].cost + unary[c->first + i], of[a - step].members + 1 };
            if (better(with, of[a], maximal)) of[a] = with;
        }
    best least = { INFINITY, 0 };
    for (size_t a = 0; a <= c->total; a++) {
        const best whole = { of[a].cost + c->weight * c->value[a], of[a].members };
        if (better(whole, least, maximal)) least = whole;
    }
    return least;
}

static sos_energy *energy_make(size_t n, const clique cliques[], const double unary[])
{
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_create(n + 2 * CLIQUES, &e, &error), error);
    for (size_t i = 0; i < n; i++) check_ok(sos_energy_set_unary(e, i, 0, unary[i], &error), error);
    for (size_t c = 0; c < CLIQUES; c++) {
        const clique *x = &cliques[c];
        uint32_t members[MEMBERS_MAX];
        for (uint32_t i = 0; i < x->k; i++) members[i] = x->first + i;
        if (x->weighted)
            check_ok(sos_energy_add_pieces(e, x->k, members, x->amounts, x->total + 1, x->place, x->value, x->weight, &error),
                     error);
        else
            check_ok(sos_energy_add_concave(e, x->k, members, x->value, x->weight, &error), error);
        /* One with few changes of slope in between, which has all of its own: a pair that is alike. */
        const uint32_t pair[] = { (uint32_t)(n + 2 * c), (uint32_t)(n + 2 * c + 1) };
        check_ok(sos_energy_add_concave(e, 2, pair, (double[]){ 0, 1, 0 }, 1, &error), error);
    }
    return e;
}

/* Again and again with other unaries, cold and from the last flow: the least energy, by the fewest or the most members. */
static void many_pieces_are_minimised(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        clique cliques[CLIQUES];
        double unary[CLIQUES * MEMBERS_MAX];
        uint8_t labels[VARIABLES_MAX];
        size_t n = 0;
        sos_error error;
        sos_minimizer *m = NULL;
        for (size_t i = 0; i < CLIQUES; i++) {
            clique_random(&r, (uint32_t)n, &cliques[i]);
            n += cliques[i].k;
            unaries_random(&r, &cliques[i], unary);
        }
        sos_energy *e = energy_make(n, cliques, unary);
        check_ok(sos_minimizer_create(&m, &error), error);
        for (int run = 0; run < RUNS; run++) {
            sos_minimize_settings settings = sos_minimize_defaults();
            sos_minimize_result result;
            double energy = 0;
            settings.maximal = sos_random_below(&r, 2);
            settings.reduce = sos_random_below(&r, 2);
            settings.start = run && sos_random_below(&r, 4) ? SOS_START_FLOW : SOS_START_COLD;
            check_ok(sos_minimizer_run(m, e, &settings, labels, &result, &error), error);
            for (size_t i = 0; i < CLIQUES; i++) {
                const best least = clique_best(&cliques[i], unary, settings.maximal);
                size_t members = 0;
                for (size_t v = 0; v < cliques[i].k; v++) members += labels[cliques[i].first + v];
                check(members == least.members);
                check(labels[n + 2 * i] == settings.maximal && labels[n + 2 * i + 1] == settings.maximal);
                energy += least.cost;
            }
            check(result.energy == energy && sos_energy_value(e, labels) == energy && result.lower_bound <= energy);
            const size_t changed = (size_t)sos_random_below(&r, CLIQUES);
            unaries_random(&r, &cliques[changed], unary);
            for (size_t v = 0; v < n; v++) check_ok(sos_energy_set_unary(e, v, 0, unary[v], &error), error);
        }
        sos_minimizer_free(m);
        sos_energy_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_pieces_are_minimised) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
