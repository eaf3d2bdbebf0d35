/* test_groups.c - what groups may say beyond their kind: ties along lines and of one's own, stiffness, weights to learn away
 * from and to start at.  Optima are those of programs that list every constraint, by the tests' own solver and by CVXOPT. */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t BY_NUMBER[] = { 0, 1, 1, 2, 1, 2, 2, 3 };
static const uint32_t SINGLES_FREE[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, 1, 2, 3 };
static const uint32_t FIRST_ALONE[] = { UINT32_MAX, 0, 1, 2, 1, 2, 3, 4 };

/* Groups that training has to do with; case c has table c. */
static size_t groups_of_case(uint64_t c, size_t labels, sos_group groups[])
{
    static const sos_group TABLES[] = {
        { .name = "back", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .reversal = true },
        { .name = "line", .kind = SOS_GROUP_TABLE, .size = 5, .anchored = true, .counted = true },
        { .name = "both", .kind = SOS_GROUP_TABLE, .size = 4, .counted = true, .swap = true },
        { .name = "numbers", .kind = SOS_GROUP_TABLE, .size = 3, .class_of = BY_NUMBER },
        { .name = "singles", .kind = SOS_GROUP_TABLE, .size = 3, .class_of = SINGLES_FREE },
        { .name = "first", .kind = SOS_GROUP_TABLE, .size = 3, .class_of = FIRST_ALONE },
        { .name = "turned", .kind = SOS_GROUP_TABLE, .size = 3, .reversal = true, .swap = true },
    };
    enum { COUNT = sizeof TABLES / sizeof *TABLES };
    size_t count = 0;
    if (c % 5) groups[count++] = (sos_group){ .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 };
    groups[count] = TABLES[c % COUNT];
    groups[count].swap &= labels == 2;
    count++;
    if (c % 3) groups[count++] = (sos_group){ .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
    return count;
}

static lesson lesson_of_case(sos_random *r, uint64_t c, size_t labels, bool stiff)
{
    static const double STIFFNESS[] = { 0, 0.25, 3, 1, 40, 0.03 };
    sos_group groups[GROUPS_MAX];
    const size_t count = groups_of_case(c, labels, groups);
    for (size_t g = 0; stiff && g < count; g++) groups[g].stiffness = STIFFNESS[sos_random_below(r, 6)];
    const sample_recipe wanted = { .n = labels == 2 ? 5 + c % 3 : 5,
                                   .pairs = 4,
                                   .cliques = 3,
                                   .phi = c % 2,
                                   .scale = c % 9 == 4,
                                   .losses = c % 4 == 2,
                                   .noise = 0.2 };
    return lesson_random(r, labels, count, groups, 1 + (size_t)sos_random_below(r, 3), &wanted);
}

static double C_of_case(uint64_t c)
{
    static const double VALUES[] = { 1, 10, 0.1, 100 };
    return VALUES[c % 4];
}

static sos_train_settings to_the_end(double C)
{
    sos_train_settings s = sos_train_defaults();
    s.C = C;
    s.gap = 1e-8;
    s.qp_gap = 1e-11;
    s.rounds = 2000;
    return s;
}

/* ---- the objective with stiffness and a centre, term by term ---- */

static double stiffness_at(const plan *p, size_t weight)
{
    size_t g = 0;
    while (g + 1 < p->count && p->groups[g + 1].offset <= weight) g++;
    return p->groups[g].spec.stiffness > 0 ? p->groups[g].spec.stiffness : 1;
}

static long double objective(const lesson *l, double C, const double w[], const double from[])
{
    long double squares = 0, hinge;
    lesson_objective(l, C, w, &hinge);
    for (size_t i = 0; i < l->plan.weights; i++) {
        const long double away = w[i] - (from ? from[i] : 0.0L);
        squares += stiffness_at(&l->plan, i) * away * away;
    }
    return squares / 2 + C * hinge;
}

/* The program in v = sqrt(stiffness) w, less the constant 1/2 |v0|^2, which is returned in *constant. */
static quadratic program_of(const lesson *l, double C, const double from[], double *constant)
{
    quadratic q = lesson_quadratic(l, C);
    *constant = 0;
    for (size_t i = 0; i < l->plan.weights; i++) {
        const double root = sqrt(stiffness_at(&l->plan, i)), centre = from ? root * from[i] : 0;
        for (size_t row = 0; row < q.rows; row++) q.left[row * q.variables + i] /= root;
        q.cost[i] = -centre;
        *constant += centre * centre / 2;
    }
    return q;
}

/* ---- the oracle: all labellings, and a look at the weights ---- */

typedef struct watch {
    const lesson *l;
    size_t outside, calls;
    const double *first; /* where the first round shall ask, or NULL */
    size_t elsewhere;
} watch;

static sos_status watch_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                sos_error *error)
{
    watch *x = user;
    size_t group;
    if (!plan_holds(&x->l->plan, w, &group)) x->outside++;
    for (size_t j = 0; x->first && x->calls < x->l->count && j < x->l->plan.weights; j++)
        x->elsewhere += fabs(w[j] - x->first[j]) > 1e-9;
    x->calls++;
    return lesson_violate((void *)(uintptr_t)x->l, i, w, difference, loss, missed, error);
}

/* Trains on one thread with this oracle, to the optimum, and returns the value of the weights. */
static double train(const lesson *l, uint64_t c, double C, const double from[], const double start[], sos_train_result *result)
{
    watch x = { .l = l, .first = start };
    const sos_oracle asked = { .examples = l->count, .user = &x, .violate = watch_violate };
    sos_train_settings s = to_the_end(C);
    s.slacks = c % 3;
    s.threads = 1;
    s.from = from;
    s.start = start;
    sos_error error;
    check_ok(sos_train_oracle(l->model, &asked, &s, result, &error), error);
    check(!x.outside && !x.elsewhere);
    const double value = (double)objective(l, C, sos_model_weights(l->model), from);
    if (fabs(value - result->last.primal) > 1e-9 * (1e-4 + value))
        test_fail(__FILE__, __LINE__, "primal is %.17g, but the weights cost %.17g", result->last.primal, value);
    return value;
}

/* ---- tests ---- */

static void tied_tables_reach_the_optimum_inside_the_cone(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, c % 6 == 5 ? 3 : 2, false);
        const double C = C_of_case(c / 2);
        quadratic q = lesson_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        sos_train_result result;
        const double value = train(&l, c, C, NULL, NULL, &result);
        if (!is_optimum(value, optimum, C) || !is_optimum(result.last.dual, optimum, C))
            test_fail(__FILE__, __LINE__, "%.12g to %.12g, but %.12g is possible", result.last.dual, value, optimum);
        quadratic_free(&q);
        lesson_free(&l);
    }
}

/* Also by sos_train, whose oracle is the library's. */
static void stiff_groups_and_models_to_stay_near_reach_the_optimum_of_cvxopt(void **state)
{
    (void)state;
    references refs = references_begin();
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, c % 6 == 5 ? 3 : 2, c % 4 != 3);
        const double C = C_of_case(c / 2);
        double *from = test_room(NULL, l.plan.weights, sizeof *from), constant;
        plan_weights_random(&r, &l.plan, from);
        const double *given = c % 3 ? from : NULL;
        quadratic q = program_of(&l, C, given, &constant);
        const double optimum = quadratic_solve(&q, NULL) + constant;
        references_add(&refs, &q, optimum - constant, C + 100 * constant);
        sos_train_result result;
        const double value = train(&l, c, C, given, NULL, &result);
        if (!is_optimum(value, optimum, C + constant) || !is_optimum(result.last.dual, optimum, C + constant))
            test_fail(__FILE__, __LINE__, "%.12g to %.12g, but %.12g is possible", result.last.dual, value, optimum);
        if (l.plan.labels == 2) {
            sos_train_settings s = to_the_end(C);
            sos_error error;
            s.from = given;
            check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
            const double again = (double)objective(&l, C, sos_model_weights(l.model), given);
            if (!is_optimum(again, optimum, C + constant))
                test_fail(__FILE__, __LINE__, "%.12g on examples, but %.12g is possible", again, optimum);
        }
        quadratic_free(&q);
        lesson_free(&l);
        free(from);
    }
    if (references_check(&refs)) return;
    test_peer_missing("CVXOPT (python3-cvxopt)");
    skip();
}

/* A group of stiffness q is one whose features are 1 / sqrt(q) of what they are, with weights sqrt(q) times as large. */
static void stiffness_is_a_scale_of_the_features(void **state)
{
    (void)state;
    const sos_group plain = { .name = "u", .kind = SOS_GROUP_FREE, .size = 2 };
    sos_group stiff = plain;
    stiff.stiffness = 4;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        const sample_recipe wanted = { .n = 6, .noise = 0.3 };
        sos_random r = test_case_begin(c), again = r;
        lesson a = lesson_random(&r, 2, 1, &stiff, 3, &wanted), b = lesson_random(&again, 2, 1, &plain, 3, &wanted);
        sos_train_result first, second;
        for (size_t i = 0; i < b.count; i++) {
            for (size_t f = 0; f < b.samples[i].features_count; f++) b.samples[i].features[f].value /= 2;
            sos_example_free(b.examples[i]);
            b.examples[i] = sample_build(&b.plan, b.model, &b.samples[i]);
        }
        sos_error error;
        const sos_train_settings s = to_the_end(5);
        check_ok(sos_train(a.model, a.count, a.examples, &s, &first, &error), error);
        check_ok(sos_train(b.model, b.count, b.examples, &s, &second, &error), error);
        check(fabs(first.last.primal - second.last.primal) <= 1e-9 * second.last.primal);
        for (size_t i = 0; i < a.plan.weights; i++)
            check(fabs(2 * sos_model_weights(a.model)[i] - sos_model_weights(b.model)[i]) <= 1e-6);
        lesson_free(&a);
        lesson_free(&b);
    }
}

/* Examples of before fit, and training heeds it; 1 is what nothing is. */
static void stiffness_can_be_changed(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, false);
    const sos_train_settings s = to_the_end(10);
    sos_train_result results[3];
    sos_error error;
    for (int i = 0; i < 3; i++) {
        check_ok(sos_model_set_stiffness(l.model, 0, i == 2 ? 1 : 1 + 9 * i, &error), error);
        check_ok(sos_train(l.model, l.count, l.examples, &s, &results[i], &error), error);
        check(sos_model_group(l.model, 0)->stiffness == (i == 2 ? 1 : 1 + 9 * i));
    }
    check(results[1].last.primal > results[0].last.primal && results[2].last.primal == results[0].last.primal);
    static const double BAD[] = { 0, -1, NAN, INFINITY, 1e-320 };
    for (size_t i = 0; i < 5; i++)
        check_error(sos_model_set_stiffness(l.model, 0, BAD[i], &error), SOS_ERR_ARGUMENT, error, "stiffness");
    check_is(sos_model_set_stiffness(l.model, 99, 1, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_set_stiffness(NULL, 0, 1, &error), SOS_ERR_ARGUMENT);
    sos_group bad = { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 1, .stiffness = -1 };
    uint32_t number;
    check_error(sos_model_add_group(l.model, &bad, &number, &error), SOS_ERR_ARGUMENT, error, "zebra", "stiffness");
    lesson_free(&l);
}

/* The first round asks there, and the optimum is the same. */
static void training_starts_where_it_is_told(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(30); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, false);
        const double C = C_of_case(c);
        double *start = test_room(NULL, l.plan.weights, sizeof *start);
        plan_weights_random(&r, &l.plan, start);
        sos_train_result plain, begun;
        const double value = train(&l, 1, C, NULL, NULL, &plain), again = train(&l, 1, C, NULL, start, &begun);
        if (!is_optimum(again, value, C)) test_fail(__FILE__, __LINE__, "%.12g, but from 0 %.12g", again, value);
        /* At the optimum already: there is nothing left to find. */
        memcpy(start, sos_model_weights(l.model), l.plan.weights * sizeof *start);
        train(&l, 1, C, NULL, start, &plain);
        check(plain.last.primal <= begun.last.primal * (1 + 1e-9));
        free(start);
        lesson_free(&l);
    }
}

static void weights_outside_the_cone_are_no_start(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, false);
    double *w = test_room(NULL, l.plan.weights, sizeof *w);
    plan_weights_random(&r, &l.plan, w);
    sos_train_settings s = to_the_end(1);
    sos_error error;
    w[l.plan.weights - 1] = -1; /* a strength */
    s.from = w;
    check_error(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "learn away", "contrast");
    s.from = NULL;
    s.start = w;
    check_error(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "start", "contrast");
    w[l.plan.weights - 1] = NAN;
    check_error(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "start", "contrast");
    free(w);
    lesson_free(&l);
}

/* With next to no C the weights stay where they were told to, and that is said. */
static void learning_stays_near_a_model_if_c_is_small(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, true);
    double *from = test_room(NULL, l.plan.weights, sizeof *from);
    plan_weights_random(&r, &l.plan, from);
    sos_train_settings s = to_the_end(1e-6);
    s.from = from;
    sos_train_result result;
    sos_error error;
    check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
    for (size_t i = 0; i < l.plan.weights; i++) check(fabs(sos_model_weights(l.model)[i] - from[i]) < 1e-3);
    check(result.learned);
    free(from);
    lesson_free(&l);
}

/* ---- tables of pairs ---- */

static void tables_of_pairs_are_their_sums(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 2 ? 3 : 2;
        sos_group groups[GROUPS_MAX];
        const size_t count = groups_of_case(c, labels, groups), at = c % 5 ? 1 : 0;
        plan p = plan_create(labels, count, groups);
        sos_model *m = plan_build(&p);
        const size_t k = groups[at].size, pairs = k * (k - 1) / 2;
        double *w = test_room(NULL, p.weights, sizeof *w), strength[16], f[64];
        uint32_t places[32];
        for (size_t i = 0; i < p.weights; i++) w[i] = 77;
        for (size_t a = 0, q = 0; a < k; a++)
            for (size_t b = 0; b < a; b++, q++) {
                places[2 * q] = (uint32_t)a, places[2 * q + 1] = (uint32_t)b;
                strength[q] = (double)sos_random_below(&r, 64) / 16;
            }
        sos_error error;
        check_ok(sos_model_pairs_table(m, (uint32_t)at, pairs, places, strength, w, &error), error);
        const size_t end = p.groups[at].offset + p.groups[at].classes * (labels > 2 ? labels : 1);
        for (size_t i = 0; i < p.weights; i++) {
            const bool inside = i >= p.groups[at].offset && i < end;
            check(inside || w[i] == 77);
            if (!inside) w[i] = 0;
        }
        size_t group;
        check(plan_holds(&p, w, &group));
        for (size_t l = 0; l < (labels > 2 ? labels : 1) && !groups[at].counted && !groups[at].class_of; l++) {
            plan_table(&p, at, l, w, f); /* ties that are orbits: the means themselves */
            for (size_t S = 0; S < (size_t)1 << k; S++) {
                double sum = 0, members = 0;
                for (size_t T = 0; T < (size_t)1 << k; T++) {
                    if (p.groups[at].class_of[S] != p.groups[at].class_of[T]) continue;
                    members++;
                    for (size_t q = 0; q < pairs; q++)
                        sum += (T >> places[2 * q] & 1) != (T >> places[2 * q + 1] & 1) ? strength[q] : 0;
                }
                check(fabs(f[S] - sum / members / (labels > 2 ? 2 : 1)) < 1e-9 || p.groups[at].class_of[S] == SIZE_MAX);
            }
        }
        check_is(sos_model_pairs_table(m, (uint32_t)at, 1, (uint32_t[]){ 0, 0 }, strength, w, &error), SOS_ERR_ARGUMENT);
        check_is(sos_model_pairs_table(m, (uint32_t)at, 1, (uint32_t[]){ 0, (uint32_t)k }, strength, w, &error),
                 SOS_ERR_ARGUMENT);
        check_is(sos_model_pairs_table(m, (uint32_t)at, 1, places, (double[]){ -1 }, w, &error), SOS_ERR_ARGUMENT);
        check_is(sos_model_pairs_table(m, 99, 1, places, strength, w, &error), SOS_ERR_ARGUMENT);
        free(w);
        sos_model_free(m);
        plan_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tied_tables_reach_the_optimum_inside_the_cone),
        cmocka_unit_test(stiff_groups_and_models_to_stay_near_reach_the_optimum_of_cvxopt),
        cmocka_unit_test(stiffness_is_a_scale_of_the_features),
        cmocka_unit_test(stiffness_can_be_changed),
        cmocka_unit_test(training_starts_where_it_is_told),
        cmocka_unit_test(weights_outside_the_cone_are_no_start),
        cmocka_unit_test(learning_stays_near_a_model_if_c_is_small),
        cmocka_unit_test(tables_of_pairs_are_their_sums),
    };
    return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
