/* test_recall.c - what the last answers of an example know of other weights, against all labellings of plain data. */
#include "learning_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "album.h"
#include "learn/example_recall.h"
#include "scratch.h"

/* Groups of features, pairs and tables, of which every case has some. */
static lesson lesson_of_case(sos_random *r, uint64_t c, size_t n, size_t cliques)
{
    const sos_group groups[] = {
        { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
        { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
        { .name = "square",
          .kind = SOS_GROUP_TABLE,
          .size = 4,
          .anchored = c & 2,
          .swap = c & 1,
          .strengths = 1 + (c >> 3) % 2 },
        { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2, .anchored = c & 8 },
        { .name = "single", .kind = SOS_GROUP_TABLE, .size = 1 },
    };
    const sample_recipe wanted = { .n = n,
                                   .pairs = 1 + cliques / 2,
                                   .cliques = cliques,
                                   .phi = c % 3,
                                   .scale = c % 5 == 2,
                                   .care = c & 1,
                                   .losses = c & 2,
                                   .noise = 0.2 };
    return lesson_random(r, 2, sizeof groups / sizeof *groups, groups, 1, &wanted);
}

/* Delta - w . (Psi(y) - Psi(truth)), and the plane that it comes from, by the definitions. */
static long double violation(const lesson *l, const double w[], const uint8_t y[], double a[], double *b)
{
    const sample *s = &l->samples[0];
    double *truth = test_room(NULL, l->plan.weights, sizeof *truth);
    sample_psi(&l->plan, s, y, a);
    sample_psi(&l->plan, s, s->truth, truth);
    *b = (double)sample_delta(&l->plan, s, y);
    long double sum = *b;
    for (size_t j = 0; j < l->plan.weights; j++) {
        a[j] -= truth[j];
        sum -= (long double)w[j] * a[j];
    }
    free(truth);
    return sum;
}

static bool is_plane(size_t d, const double a[], double b, const double c[], double e)
{
    bool same = fabs(b - e) <= 1e-12;
    for (size_t j = 0; j < d && same; j++) same = fabs(a[j] - c[j]) <= 1e-12;
    return same;
}

/* Does the plane belong to one of all labellings? */
static bool is_some_labelling(const lesson *l, const double w[], const double a[], double b)
{
    const size_t n = l->samples[0].n;
    uint8_t *y = test_room(NULL, n, 1);
    double *c = test_room(NULL, l->plan.weights, sizeof *c), e;
    bool found = false;
    memset(y, 0, n);
    do {
        (void)violation(l, w, y, c, &e);
        found = is_plane(l->plan.weights, a, b, c, e);
    } while (!found && labelling_next(2, n, y));
    free(y);
    free(c);
    return found;
}

/* What is recalled is the plane of a labelling, which violates its constraint no less than the truth and each of the answers
 * that are kept. */
static void what_is_recalled_is_no_worse_than_any_answer(void **state)
{
    (void)state;
    size_t better = 0, all = 0;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t n = 6 + (size_t)sos_random_below(&r, 4), answers = 1 + (size_t)sos_random_below(&r, 6);
        lesson l = lesson_of_case(&r, c, n, 1 + c % 2);
        const size_t d = l.plan.weights;
        double *w = test_room(NULL, d, sizeof *w), *a = test_room(NULL, d, sizeof *a), b;
        uint8_t *y = test_room(NULL, answers * n, 1);
        sos_recall recall = { 0 };
        sos_error error;
        bool known;
        check(sos_recall_serves(l.examples[0]));
        plan_weights_random(&r, &l.plan, w);
        check_ok(sos_recall_answer(&recall, d, w, a, &b, &known, &error), error);
        check(!known);
        for (size_t k = 0; k < answers; k++) {
            for (size_t i = 0; i < n; i++) /* near the truth, as answers are */
                y[k * n + i] = l.samples[0].truth[i] ^ (sos_random_below(&r, 3) == 0);
            (void)violation(&l, w, y + k * n, a, &b);
            check_ok(sos_recall_note(&recall, l.examples[0], y + k * n, a, b, &error), error);
        }
        for (int again = 0; again < 3; again++) {
            plan_weights_random(&r, &l.plan, w);
            long double most = 0; /* that of the truth */
            for (size_t k = answers > SOS_RECALL_ANSWERS ? answers - SOS_RECALL_ANSWERS : 0; k < answers; k++)
                most = fmaxl(most, violation(&l, w, y + k * n, a, &b));
            check_ok(sos_recall_answer(&recall, d, w, a, &b, &known, &error), error);
            check(known && is_some_labelling(&l, w, a, b));
            long double found = b;
            for (size_t j = 0; j < d; j++) found -= (long double)w[j] * a[j];
            if (!(found >= most - 1e-12L * (1 + fabsl(most))))
                test_fail(__FILE__, __LINE__, "violated by %.17Lg, an answer by %.17Lg", found, most);
            better += found > most + 1e-9L;
            all++;
        }
        sos_recall_free(&recall);
        free(w);
        free(a);
        free(y);
        lesson_free(&l);
    }
    if (!(5 * better > all)) test_fail(__FILE__, __LINE__, "only %zu of %zu are better than all answers", better, all);
}

/* Without cliques every variable is a piece of its own: then the best of all labellings between two is found. */
static void pieces_are_chosen_by_themselves(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sos_group group = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 };
        const size_t n = 3 + (size_t)sos_random_below(&r, 6);
        const sample_recipe wanted = { .n = n, .scale = c & 1, .noise = 0.3 };
        lesson l = lesson_random(&r, 2, 1, &group, 1, &wanted);
        const size_t d = l.plan.weights;
        double *w = test_room(NULL, d, sizeof *w), *a = test_room(NULL, d, sizeof *a), b;
        uint8_t *y = test_room(NULL, n, 1), *best = test_room(NULL, n, 1);
        sos_recall recall = { 0 };
        sos_error error;
        bool known;
        plan_weights_random(&r, &l.plan, w);
        for (size_t i = 0; i < n; i++) y[i] = !l.samples[0].truth[i]; /* so that any labelling lies between */
        (void)violation(&l, w, y, a, &b);
        check_ok(sos_recall_note(&recall, l.examples[0], y, a, b, &error), error);
        plan_weights_random(&r, &l.plan, w);
        (void)sample_least(&l.plan, &l.samples[0], w, true, best);
        const long double most = violation(&l, w, best, a, &b);
        check_ok(sos_recall_answer(&recall, d, w, a, &b, &known, &error), error);
        long double found = b;
        for (size_t j = 0; j < d; j++) found -= (long double)w[j] * a[j];
        check(known && fabsl(found - most) <= 1e-12L * (1 + fabsl(most)));
        sos_recall_free(&recall);
        free(w);
        free(a);
        free(y);
        free(best);
        lesson_free(&l);
    }
}

/* The plane that costs of one's own add, by their definition. */
static void add_costs(const lesson *l, const double cost[], const uint8_t y[], double a[])
{
    const sample *s = &l->samples[0];
    const plan_group *g = &l->plan.groups[1];
    const size_t size = g->spec.size;
    const double scale = s->scale != 0 ? s->scale : 1;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < size; j++)
            a[g->offset + j] += scale * (cost[(2 * i + y[i]) * size + j] - cost[(2 * i + s->truth[i]) * size + j]);
}

static void costs_of_ones_own_are_taken_apart(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sos_group groups[] = { { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
                                     { .name = "own", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 + c % 2 } };
        const size_t n = 3 + (size_t)sos_random_below(&r, 6);
        const sample_recipe wanted = { .n = n, .scale = c & 1, .noise = 0.3 };
        lesson l = lesson_random(&r, 2, 2, groups, 1, &wanted);
        const size_t d = l.plan.weights;
        double cost[8 * 2 * 3], *w = test_room(NULL, d, sizeof *w), *a = test_room(NULL, d, sizeof *a), b;
        uint8_t *y = test_room(NULL, n, 1);
        sos_recall recall = { 0 };
        sos_error error;
        bool known;
        for (size_t i = 0; i < sizeof cost / sizeof *cost; i++) cost[i] = cost_signed(&r, COSTS_DYADIC);
        check_ok(sos_example_set_costs(l.examples[0], 1, cost, &error), error);
        for (size_t i = 0; i < n; i++) y[i] = !l.samples[0].truth[i]; /* so that any labelling lies between */
        plan_weights_random(&r, &l.plan, w);
        (void)violation(&l, w, y, a, &b);
        add_costs(&l, cost, y, a);
        check_ok(sos_recall_note(&recall, l.examples[0], y, a, b, &error), error);
        plan_weights_random(&r, &l.plan, w);
        long double most = -INFINITY;
        memset(y, 0, n);
        do {
            (void)violation(&l, w, y, a, &b);
            add_costs(&l, cost, y, a);
            long double sum = b;
            for (size_t j = 0; j < d; j++) sum -= (long double)w[j] * a[j];
            most = fmaxl(most, sum);
        } while (labelling_next(2, n, y));
        check_ok(sos_recall_answer(&recall, d, w, a, &b, &known, &error), error);
        long double found = b;
        for (size_t j = 0; j < d; j++) found -= (long double)w[j] * a[j];
        check(known && fabsl(found - most) <= 1e-12L * (1 + fabsl(most)));
        sos_recall_free(&recall);
        free(w);
        free(a);
        free(y);
        lesson_free(&l);
    }
}

/* More labels, or cliques that join everything, are not taken apart. */
static void what_cannot_be_taken_apart_is_not(void **state)
{
    (void)state;
    static const double KNOTS[] = { 0, 0.5, 1 };
    sos_random r = test_case_begin(0);
    const sos_group free = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 };
    const sos_group count = { .name = "count", .kind = SOS_GROUP_COUNT, .size = 3, .shares = KNOTS };
    const sample_recipe wanted = { .n = 4, .cliques = 1 };
    lesson three = lesson_random(&r, 3, 1, &free, 1, &wanted), counted = lesson_random(&r, 2, 1, &count, 1, &wanted);
    check(!sos_recall_serves(three.examples[0]) && !sos_recall_serves(counted.examples[0]));
    lesson_free(&three);
    lesson_free(&counted);
}

/* ---- training ---- */

enum { PICTURES = 6 };

/* Planes that are put together spare minimisations, and change nothing of what is learned but within the gap. */
static void recalling_spares_minimisations(void **state)
{
    (void)state;
    album a = album_create(PICTURES, 0);
    sos_train_settings s = album_settings();
    double w[ALBUM_WEIGHTS];
    const sos_train_result with = album_train(&a, &s, w);
    s.cache = 0;
    const sos_train_result without = album_train(&a, &s, w);
    check(with.outcome == SOS_TRAIN_GAP && without.outcome == SOS_TRAIN_GAP);
    check(with.last.dual <= without.last.primal && without.last.dual <= with.last.primal);
    if (!(10 * with.last.oracle_calls <= 8 * without.last.oracle_calls))
        test_fail(__FILE__, __LINE__, "%zu minimisations, without recalling %zu", with.last.oracle_calls,
                  without.last.oracle_calls);
    album_free(&a);
}

/* A checkpoint has no answers: they are asked for again, and training goes on as if it had never stopped. */
static void answers_are_there_again_after_a_break(void **state)
{
    (void)state;
    album a = album_create(PICTURES, 0);
    const char *path = scratch("recall.state");
    sos_train_settings s = album_settings();
    double whole[ALBUM_WEIGHTS], parts[ALBUM_WEIGHTS];
    const sos_train_result unbroken = album_train(&a, &s, whole);
    s.checkpoint = path;
    for (size_t round = 1; round < unbroken.last.round; round += 1 + round % 3) {
        s.rounds = round;
        (void)album_train(&a, &s, parts);
        s.rounds = 0;
        const sos_train_result r = album_train(&a, &s, parts);
        check(r.resumed && r.last.round == unbroken.last.round && r.last.oracle_calls == unbroken.last.oracle_calls);
        check(r.last.cache_hits == unbroken.last.cache_hits &&
              !memcmp(whole, parts, sizeof *whole * sos_model_weight_count(a.model)));
        check(!remove(path));
    }
    album_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_recalled_is_no_worse_than_any_answer),
        cmocka_unit_test(pieces_are_chosen_by_themselves),
        cmocka_unit_test(costs_of_ones_own_are_taken_apart),
        cmocka_unit_test(what_cannot_be_taken_apart_is_not),
        cmocka_unit_test(recalling_spares_minimisations),
        cmocka_unit_test(answers_are_there_again_after_a_break),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
