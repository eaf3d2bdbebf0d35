/* test_train_labels.c - training with three labels on random problems: all ends within the gap where the oracle tries all
 * labellings; where it makes expansion moves, seldom far from the optimum, and never with a gap that its own planes contradict.
 *
 * SOS_TEST_SCALE=10 runs 600 problems (ctest: train_labels_600).  The optimum is that of the program with every constraint
 * listed, solved apart from the library. */
#include "learning_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    s.threads = 1;
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

static void check_exhaustive(const lesson *l, const sos_train_settings *s, double optimum)
{
    sos_train_result result;
    sos_error error;
    const sos_oracle all = { .examples = l->count, .user = (void *)(uintptr_t)l, .violate = lesson_violate };
    check_ok(sos_train_oracle(l->model, &all, s, &result, &error), error);
    const double value = cost_of(l, s->C);
    if (result.outcome != SOS_TRAIN_GAP || result.approximate || result.last.gap > s->gap ||
        value > optimum / (1 - 1.01 * s->gap))
        test_fail(__FILE__, __LINE__, "outcome %d, gap %g: the weights cost %.10g, but %.10g is possible", (int)result.outcome,
                  result.last.gap, value, optimum);
}

static void three_labels_are_learned(void **state)
{
    (void)state;
    size_t cases = 0, above = 0, twice = 0, close = 0;
    for (uint64_t number = 0; number < test_cases(60); number++, cases++) {
        sos_random r = test_case_begin(number);
        lesson l = lesson_of_case(&r);
        sos_train_settings s = settings_of_case(&r);
        quadratic q = lesson_quadratic(&l, s.C);
        const double optimum = quadratic_solve(&q, NULL);
        quadratic_free(&q);
        check_exhaustive(&l, &s, optimum);

        witness w = { .optimum = optimum };
        sos_train_result result;
        sos_error error;
        s.progress = look;
        s.user = &w;
        check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
        const double value = cost_of(&l, s.C);
        check(result.approximate && w.rounds == result.last.round && !w.wrong);
        above += result.last.gap > s.gap;
        twice += value > 2 * optimum + 1e-9;
        close += value <= optimum / (1 - 1.01 * s.gap);
        lesson_free(&l);
    }
    print_message("%zu problems: %zu ended above the gap, %zu with more than twice the optimum, %zu within the gap of it\n",
                  cases, above, twice, close);
    /* Of 600 there were 24 and 15 while slacks of the best weights were never raised. */
    check(above * 600 <= 8 * cases + 600 && twice * 600 <= 20 * cases + 600 && 10 * close >= 8 * cases);
}

/* Problems on which training stopped above the gap, as long as the slacks of the best weights were never raised. */
static void later_planes_raise_the_slacks_of_the_best_weights(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_labels_are_learned),
        cmocka_unit_test(later_planes_raise_the_slacks_of_the_best_weights),
        cmocka_unit_test(an_oracle_that_is_not_exact_is_found_out),
    };
    return cmocka_run_group_tests_name("training with several labels", tests, NULL, NULL);
}
