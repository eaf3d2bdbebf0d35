/* test_train_labels.c - training with three labels on random problems: all ends within the gap where the oracle tries all
 * labellings; where it makes expansion moves, seldom far from the optimum, and never with a gap that its own planes contradict.
 *
 * SOS_TEST_SCALE=10 runs 600 problems; ctest has them in four parts (train_labels_1 ... 4).  The optimum is that of the program
 * with every constraint listed, solved apart from the library. */
#include "learning_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/example_search.h"

static const sos_group FREE = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 };
static const sos_group NONNEGATIVE = { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
static const sos_group TABLES[] = {
    { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2 },
    { .name = "tied", .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true, .patch_width = 2, .patch_height = 1 },
    { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3 },
    { .name = "row", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true, .patch_width = 3, .patch_height = 1 },
    { .name = "four", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .patch_width = 2, .patch_height = 2 },
};
enum { TABLES_COUNT = sizeof TABLES / sizeof *TABLES };

/* One or two tables, perhaps features and pairs, 1 to 8 examples of 4 or 5 variables. */
static lesson lesson_of_case(sos_random *r)
{
    sos_group groups[GROUPS_MAX];
    size_t count = 0;
    const size_t first = (size_t)sos_random_below(r, TABLES_COUNT), second = (size_t)sos_random_below(r, TABLES_COUNT);
    if (sos_random_below(r, 5)) groups[count++] = FREE;
    groups[count++] = TABLES[first];
    if (sos_random_below(r, 3)) groups[count++] = NONNEGATIVE;
    if (second != first && sos_random_below(r, 3) == 0) groups[count++] = TABLES[second];
    const sample_recipe wanted = { .n = 4 + sos_random_below(r, 2),
                                   .pairs = 4,
                                   .cliques = 3,
                                   .phi = sos_random_below(r, 2),
                                   .scale = sos_random_below(r, 4) == 0,
                                   .care = sos_random_below(r, 5) == 0,
                                   .losses = sos_random_below(r, 3) == 0,
                                   .noise = 0.2 };
    return lesson_random(r, 3, count, groups, 1 + (size_t)sos_random_below(r, 8), &wanted);
}

static sos_train_settings settings_of_case(sos_random *r)
{
    static const double VALUES[] = { 0.1, 1, 10, 100, 1000, 10000 };
    static const size_t SLACKS[] = { 0, 1, 2, 100 };
    sos_train_settings s = sos_train_defaults();
    s.C = VALUES[sos_random_below(r, 6)];
    s.slacks = SLACKS[sos_random_below(r, 4)];
    s.gap = 1e-3;
    s.rounds = 2000;
    s.work.threads = 1;
    s.searches = 1; /* unless a test wants more */
    s.exhaustive = 0;
    return s;
}

/* What no round may report: a bound over the optimum, or bounds that have passed each other. */
typedef struct witness {
    double optimum;
    size_t rounds, wrong;
} witness;

static bool look(void *user, const sos_train_round *r)
{
    witness *w = user;
    w->rounds++;
    if (!isfinite(r->primal)) return true; /* only some examples have been asked */
    const double gap = (r->primal - r->dual) / r->primal;
    w->wrong += r->dual > w->optimum * (1 + 1e-6) + 1e-9 || !(r->primal >= r->dual) || fabs(r->gap - gap) > 1e-9 ||
                !r->approximate;
    return true;
}

static double cost_of(const lesson *l, double C) { return (double)lesson_objective(l, C, sos_model_weights(l->model), NULL); }

static void check_proven(const lesson *l, const sos_train_settings *s, const sos_train_result *result, double optimum)
{
    const double value = cost_of(l, s->C);
    if (result->outcome != SOS_TRAIN_GAP || result->approximate || result->last.approximate || result->last.gap > s->gap ||
        value > optimum / (1 - 1.01 * s->gap))
        test_fail(__FILE__, __LINE__, "outcome %d, gap %g: the weights cost %.10g, but %.10g is possible", (int)result->outcome,
                  result->last.gap, value, optimum);
}

/* With all labellings tried, by the test and by the library, the gap is a proof. */
static void check_exhaustive(const lesson *l, const sos_train_settings *s, double optimum)
{
    sos_train_result result;
    sos_error error;
    const sos_oracle all = { .examples = l->count, .user = (void *)(uintptr_t)l, .violate = lesson_violate };
    check_ok(sos_train_oracle(l->model, &all, s, &result, &error), error);
    check_proven(l, s, &result, optimum);
    sos_train_settings listing = *s;
    listing.exhaustive = 243; /* 3^5 */
    check_ok(sos_train(l->model, l->count, l->examples, &listing, &result, &error), error);
    check_proven(l, s, &result, optimum);
}

/* How trainings by expansion moves came out. */
typedef struct tally {
    size_t above, twice, close, beaten, calls;
} tally;

static void moves_train(const lesson *l, const sos_train_settings *settings, size_t searches, double optimum, tally *t)
{
    sos_train_settings s = *settings;
    witness w = { .optimum = optimum };
    sos_train_result result;
    sos_error error;
    s.watch = look;
    s.work.user = &w;
    s.searches = searches;
    check_ok(sos_train(l->model, l->count, l->examples, &s, &result, &error), error);
    const double value = cost_of(l, s.C);
    check(result.approximate && w.rounds == result.last.round && !w.wrong);
    t->above += result.last.gap > s.gap;
    t->twice += value > 2 * optimum + 1e-9;
    t->close += value <= optimum / (1 - 1.01 * s.gap);
    t->beaten += result.last.beaten;
    t->calls += result.last.oracle_calls;
}

/* With what searches missed bounded by relaxation, the optimum lies between the bounds. */
static void bounded_train(const lesson *l, const sos_train_settings *settings, double optimum, tally *t)
{
    sos_train_settings s = *settings;
    sos_train_result result;
    sos_error error;
    s.relax = 100;
    check_ok(sos_train(l->model, l->count, l->examples, &s, &result, &error), error);
    const double value = cost_of(l, s.C);
    if (result.approximate || optimum > result.last.primal * (1 + 1e-6) + 1e-9 ||
        result.last.dual > optimum * (1 + 1e-6) + 1e-9)
        test_fail(__FILE__, __LINE__, "the weights cost %.10g, %.10g is possible; reported were %.10g and %.10g", value,
                  optimum, result.last.primal, result.last.dual);
    t->above += result.last.gap > s.gap;
    t->twice += value > 2 * optimum + 1e-9;
    t->close += value <= optimum / (1 - 1.01 * s.gap);
    t->beaten += result.last.beaten;
    t->calls += result.last.oracle_calls;
}

static void tally_print(const char *what, size_t cases, const tally *t)
{
    print_message("%zu problems, %s: %zu ended above the gap, %zu with more than twice the optimum, %zu within the gap of it; "
                  "%.2f %% of %zu answers were beaten by what had been found before\n",
                  cases, what, t->above, t->twice, t->close, 100 * (double)t->beaten / (double)t->calls, t->calls);
}

static void three_labels_are_learned(void **state)
{
    (void)state;
    size_t cases = 0;
    tally one = { 0 }, two = { 0 }, many = { 0 }, bounded = { 0 };
    for (uint64_t number = 0; number < test_cases(60); number++, cases++) {
        sos_random r = test_case_begin(number);
        lesson l = lesson_of_case(&r);
        const sos_train_settings s = settings_of_case(&r);
        quadratic q = lesson_quadratic(&l, s.C);
        const double optimum = quadratic_solve(&q, NULL);
        quadratic_free(&q);
        check_exhaustive(&l, &s, optimum);
        moves_train(&l, &s, 1, optimum, &one);
        moves_train(&l, &s, 2, optimum, &two);
        moves_train(&l, &s, 8, optimum, &many);
        bounded_train(&l, &s, optimum, &bounded);
        lesson_free(&l);
    }
    tally_print("one search", cases, &one);
    tally_print("two searches", cases, &two);
    tally_print("eight searches", cases, &many);
    tally_print("one search and a bound", cases, &bounded);
    /* Of 600 there were 24 and 15 while slacks of the best weights were never raised. */
    check(one.above * 600 <= 8 * cases + 600 && one.twice * 600 <= 20 * cases + 600 &&
          10 * one.close + 50 >= 8 * cases); /* 5 fewer by chance: deviation 3 of 60 */
    check(bounded.twice * 600 <= 2 * cases + 600 && !bounded.beaten && 100 * bounded.close >= 95 * cases);
    check(two.above <= one.above + 1 && two.twice <= one.twice + 1 && 100 * two.close >= 90 * cases);
    check(many.above <= one.above + 1 && many.twice <= one.twice && 100 * many.close >= 97 * cases);
    check(many.beaten <= two.beaten && two.beaten <= one.beaten);
}

/* Problems on which training stopped above the gap, as long as the slacks of the best weights were never raised. */
static void later_planes_raise_the_slacks_of_the_best_weights(void **state)
{
    (void)state;
    if (getenv("SOS_TEST_SEED")) skip(); /* they are cases of the seed that there is without */
    static const uint64_t CASES[] = { 61, 69, 108, 125, 133, 214, 265, 279, 333, 348, 352, 361, 407, 410, 455, 528, 561 };
    size_t above = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        sos_random r = test_case_begin(CASES[i]);
        lesson l = lesson_of_case(&r);
        const sos_train_settings s = settings_of_case(&r);
        sos_train_result result;
        sos_error error;
        check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
        above += result.outcome != SOS_TRAIN_GAP || result.last.gap > s.gap;
        lesson_free(&l);
    }
    check(above <= 1);
}

/* An oracle that says it is exact, and looks away two times of three. */
typedef struct liar {
    const lesson *l;
    size_t calls;
} liar;

static sos_status look_away(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                            sos_error *error)
{
    liar *x = user;
    if (x->calls++ / x->l->count % 3) return SOS_OK; /* the true labelling: nothing is violated */
    return lesson_violate((void *)(uintptr_t)x->l, i, w, difference, loss, missed, error);
}

/* The bound passes such an oracle's objective: that is never shown as a gap of 0, and it is treated for what it is. */
static void an_oracle_that_is_not_exact_is_found_out(void **state)
{
    (void)state;
    size_t found = 0, cases = 0;
    for (uint64_t number = 0; number < test_cases(30); number++, cases++) {
        sos_random r = test_case_begin(number);
        lesson l = lesson_of_case(&r);
        sos_train_settings s = settings_of_case(&r);
        s.slacks = 1;
        quadratic q = lesson_quadratic(&l, s.C);
        const double optimum = quadratic_solve(&q, NULL);
        quadratic_free(&q);
        liar x = { .l = &l };
        const sos_oracle asked = { .examples = l.count, .user = &x, .violate = look_away };
        sos_train_result result;
        sos_error error;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        const double value = cost_of(&l, s.C);
        if (result.last.dual > optimum * (1 + 1e-6) + 1e-9 || !(result.last.primal >= result.last.dual))
            test_fail(__FILE__, __LINE__, "bounds %.10g and %.10g, the optimum is %.10g", result.last.primal, result.last.dual,
                      optimum);
        if (!result.approximate && value > optimum / (1 - 1.01 * s.gap))
            test_fail(__FILE__, __LINE__, "gap %g, but the weights cost %.10g, and %.10g is possible", result.last.gap, value,
                      optimum);
        found += result.approximate;
        lesson_free(&l);
    }
    check(2 * found >= cases);
}

/* What an example is asked: the energy less the loss of the labelling found, and of the best one there is. */
static void check_searches(const lesson *l, size_t i, const double w[])
{
    static const size_t SEARCHES[] = { 0, 1, 2, 3, 4, 8, 1000 };
    const sample *s = &l->samples[i];
    uint8_t best[8], y[8], again[8];
    const double least = (double)sample_least(&l->plan, s, w, true, best);
    double before = INFINITY, first = 0;
    sos_minimize_result r;
    sos_error error;
    for (size_t k = 0; k < sizeof SEARCHES / sizeof *SEARCHES; k++) {
        const sos_example_searching few = { .searches = SEARCHES[k] };
        check_ok(sos_example_search(l->examples[i], w, &few, y, &r, &error), error);
        check_ok(sos_example_search(l->examples[i], w, &few, again, &r, &error), error);
        check(!memcmp(y, again, s->n));
        const double value = (double)(sample_energy(&l->plan, s, w, y) - sample_delta(&l->plan, s, y));
        const double slack = 1e-9 * (1 + fabs(value));
        check(value >= least - slack && value <= before + slack && fabs(r.energy - value) <= slack);
        check(value <= (double)sample_energy(&l->plan, s, w, s->truth) + slack); /* the truth has no loss */
        if (k == 1) check(fabs(value - first) <= slack);                         /* none is one */
        before = first = value;
    }
    const sos_example_searching all = { .exhaustive = 243 };
    check(sos_example_is_listed(l->examples[i], 243) && !sos_example_is_listed(l->examples[i], s->n == 5 ? 242 : 80));
    check_ok(sos_example_search(l->examples[i], w, &all, y, &r, &error), error);
    check(fabs(r.energy - least) <= 1e-9 * (1 + fabs(least)));
    check(fabs((double)(sample_energy(&l->plan, s, w, y) - sample_delta(&l->plan, s, y)) - least) <= 1e-9 * (1 + fabs(least)));
}

static void more_searches_find_no_less_and_trying_all_finds_the_least(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(200); number++) {
        sos_random r = test_case_begin(number);
        lesson l = lesson_of_case(&r);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        plan_weights_random(&r, &l.plan, w);
        for (size_t i = 0; i < l.count; i++) check_searches(&l, i, w);
        free(w);
        lesson_free(&l);
    }
}

/* Labels that are fixed stay, and leave fewer labellings to try. */
static void searches_keep_fixed_labels(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(100); number++) {
        sos_random r = test_case_begin(number);
        lesson l = lesson_of_case(&r);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        plan_weights_random(&r, &l.plan, w);
        const sample *s = &l.samples[0];
        const size_t fixed = (size_t)sos_random_below(&r, s->n);
        uint8_t y[8], moved[8];
        sos_minimize_result listed, found;
        sos_error error;
        check_ok(sos_example_fix(l.examples[0], fixed, s->truth[fixed], &error), error);
        check(sos_example_is_listed(l.examples[0], s->n == 5 ? 81 : 27));
        check_ok(sos_example_search(l.examples[0], w, &(sos_example_searching){ .exhaustive = 81 }, y, &listed, &error), error);
        check_ok(sos_example_search(l.examples[0], w, &(sos_example_searching){ .searches = 8 }, moved, &found, &error), error);
        check(y[fixed] == s->truth[fixed] && moved[fixed] == s->truth[fixed]);
        check(found.energy >= listed.energy - 1e-9 * (1 + fabs(listed.energy)));
        free(w);
        lesson_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_labels_are_learned),
        cmocka_unit_test(later_planes_raise_the_slacks_of_the_best_weights),
        cmocka_unit_test(an_oracle_that_is_not_exact_is_found_out),
        cmocka_unit_test(more_searches_find_no_less_and_trying_all_finds_the_least),
        cmocka_unit_test(searches_keep_fixed_labels),
    };
    return cmocka_run_group_tests_name("training with several labels", tests, NULL, NULL);
}
