/* test_groups.c - what groups may say beyond their kind: ties along lines and of one's own, functions of the count, several
 * strengths, stiffness, weights to learn away from and to start at.  Optima are those of programs that list every constraint,
 * by the tests' own solver and by CVXOPT. */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/cone.h"

static const uint32_t BY_NUMBER[] = { 0, 1, 1, 2, 1, 2, 2, 3 };
static const uint32_t SINGLES_FREE[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, 1, 2, 3 };
static const uint32_t FIRST_ALONE[] = { UINT32_MAX, 0, 1, 2, 1, 2, 3, 4 };

static const double TENTHS[] = { 0, 0.1, 0.5, 0.9, 1 }, ENDS[] = { 0, 1 }, UNEVEN[] = { 0, 0.01, 0.05, 0.37, 0.999, 1 };
static const double THIRDS[] = { 0, 1.0 / 3, 2.0 / 3, 1 }, HALVES[] = { 0, 0.5, 1 };

/* Groups that training has to do with; case c has table c, and two of three cases a function of the count. */
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
        { .name = "several", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true, .strengths = 3 },
    };
    static const sos_group CURVES[] = {
        { .name = "tenths", .kind = SOS_GROUP_COUNT, .size = 5, .shares = TENTHS, .anchored = true, .swap = true },
        { .name = "line", .kind = SOS_GROUP_COUNT, .size = 2, .shares = ENDS },
        { .name = "uneven", .kind = SOS_GROUP_COUNT, .size = 6, .shares = UNEVEN, .anchored = true },
        { .name = "thirds", .kind = SOS_GROUP_COUNT, .size = 4, .shares = THIRDS, .strengths = 2 },
        { .name = "tent",
          .kind = SOS_GROUP_COUNT,
          .size = 3,
          .shares = HALVES,
          .anchored = true,
          .swap = true,
          .strengths = 3 },
    };
    enum { CURVE_COUNT = sizeof CURVES / sizeof *CURVES };
    enum { COUNT = sizeof TABLES / sizeof *TABLES };
    size_t count = 0;
    if (c % 5) groups[count++] = (sos_group){ .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 };
    groups[count] = TABLES[c % COUNT];
    groups[count].swap &= labels == 2;
    count++;
    if (c % 3) {
        groups[count] = CURVES[c / 3 % CURVE_COUNT];
        groups[count].swap &= labels == 2;
        if (!strcmp(groups[count].name, groups[count - 1].name)) groups[count].name = "straight";
        count++;
    }
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
    s.work.threads = 1;
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

/* Weights of every size, down to the least that doubles have, in the cone or not: most of them a rounding away from 0, where a
 * program ends that needs none of a group. */
static void repair_puts_any_weights_into_the_cone(void **state)
{
    (void)state;
    static const int SCALES[] = { 0, -46, -300, -1020, -1040, -1073 };
    for (uint64_t c = 0; c < test_cases(2400); c++) {
        sos_random r = test_case_begin(c);
        sos_group groups[GROUPS_MAX];
        plan p = plan_create(2, groups_of_case(c, 2, groups), groups);
        sos_model *m = plan_build(&p);
        const int scale = SCALES[c / 40 % 6];
        double *w = test_room(NULL, p.weights, sizeof *w);
        sos_cone cone;
        sos_error error;
        size_t group;
        plan_weights_random(&r, &p, w);
        for (size_t i = 0; i < p.weights; i++) {
            if (c % 3) w[i] = sos_random_uniform(&r) * (c % 3 == 1 ? -1 : 2 * (double)sos_random_below(&r, 2) - 1);
            w[i] = sos_random_below(&r, 4) ? ldexp(w[i], scale) : 0;
        }
        check_ok(sos_cone_create(m->layout, &cone, &error), error);
        sos_cone_repair(&cone, w);
        if (!plan_holds(&p, w, &group)) test_fail(__FILE__, __LINE__, "group %zu is outside the cone", group);
        check_ok(sos_model_set_weights(m, w, &error), error);
        sos_cone_free(&cone);
        free(w);
        sos_model_free(m);
        plan_free(&p);
    }
}

static void tied_tables_reach_the_optimum_inside_the_cone(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(40); number++) {
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
    for (uint64_t number = 0; number < test_cases(30); number++) {
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

/* ---- functions of the count, and several strengths ---- */

static bool near(long double a, long double b) { return fabsl(a - b) <= 1e-9L * (1 + fabsl(b)); }

/* Psi, energies and minima against the definitions, with two and with three labels. */
static void psi_and_energies_are_their_definitions(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(150); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 3 == 2 ? 3 : 2;
        lesson l = lesson_of_case(&r, c, labels, false);
        const size_t d = l.plan.weights, n = l.samples[0].n;
        double *w = test_room(NULL, d, sizeof *w), *psi = test_room(NULL, 2 * d, sizeof *psi);
        for (int round = 0; round < 3; round++) {
            const sample *s = &l.samples[0];
            sos_example *x = l.examples[0];
            const sos_energy *e = NULL;
            const sos_multi_energy *several = NULL;
            uint8_t y[16], best[16];
            sos_error error;
            plan_weights_random(&r, &l.plan, w);
            const double scale = sos_example_scale(x);
            if (labels == 2)
                check_ok(sos_example_energy(x, w, false, &e, &error), error);
            else
                check_ok(sos_example_multi_energy(x, w, false, &several, &error), error);
            for (int trial = 0; trial < 20; trial++) {
                for (size_t i = 0; i < n; i++) y[i] = (uint8_t)sos_random_below(&r, labels);
                sos_example_psi(x, y, psi);
                sample_psi(&l.plan, s, y, psi + d);
                for (size_t j = 0; j < d; j++) check(near(psi[j], psi[d + j]));
                const double value = scale * (e ? sos_energy_value(e, y) : sos_multi_energy_value(several, y));
                check(near(value, sample_energy(&l.plan, s, w, y)));
            }
            const bool augmented = c % 2;
            const long double least = sample_least(&l.plan, s, w, augmented, best);
            check_ok(sos_example_minimize(x, w, augmented, NULL, y, NULL, &error), error);
            const long double found = sample_energy(&l.plan, s, w, y) - (augmented ? sample_delta(&l.plan, s, y) : 0);
            check(labels > 2 ? found >= least - 1e-9L : near(found, least));
        }
        free(w);
        free(psi);
        lesson_free(&l);
    }
}

/* Regions that come behind counts, and the other way round: energies keep up. */
static void regions_and_counts_come_in_any_order(void **state)
{
    (void)state;
    const sos_group groups[] = { { .name = "agree", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
                                 { .name = "share", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .anchored = true } };
    const size_t start[] = { 0, 3 };
    static const uint32_t MEMBERS[] = { 2, 0, 3 };
    const double w[] = { 2, 3, 1, 3, 1, 3, 1 };
    for (size_t labels = 2; labels <= 3; labels++) {
        sos_model *m = NULL;
        sos_example *x = NULL;
        sos_error error;
        uint32_t number;
        double psi[7];
        check_ok(sos_model_create(labels, &m, &error), error);
        for (int g = 0; g < 2; g++) check_ok(sos_model_add_group(m, &groups[g], &number, &error), error);
        check_ok(sos_example_create(m, 4, &x, &error), error);
        for (int step = 0; step < 6; step++) {
            if (step % 2)
                check_ok(sos_example_add_regions(x, 0, 1, start, MEMBERS, 0.4, (double[]){ step }, &error), error);
            else
                check_ok(sos_example_add_counts(x, 1, 1, start, MEMBERS, NULL, (double[]){ step + 1 }, &error), error);
            for (uint8_t S = 0; S < 16; S++) {
                const uint8_t y[] = { S & 1, S >> 1 & 1, (uint8_t)(labels > 2 && S & 8 ? 2 : S >> 2 & 1), S >> 3 & 1 };
                const sos_energy *e = NULL;
                const sos_multi_energy *several = NULL;
                double sum = 0;
                sos_example_psi(x, y, psi);
                for (size_t i = 0; i < sos_model_weight_count(m); i++) sum += w[i] * psi[i];
                if (labels == 2)
                    check_ok(sos_example_energy(x, w, false, &e, &error), error);
                else
                    check_ok(sos_example_multi_energy(x, w, false, &several, &error), error);
                check(near(e ? sos_energy_value(e, y) : sos_multi_energy_value(several, y), sum));
            }
        }
        check(sos_example_parts(x) == 6);
        for (size_t i = 0; i < 6; i++) check(sos_example_part(x, i).kind == (i < 3 ? SOS_PART_REGION : SOS_PART_COUNT));
        sos_example_free(x);
        sos_model_free(m);
    }
}

/* Fixed variables stay, whatever functions of the count say, and the rest is the best there is, or near it. */
static void fixed_variables_stay_under_counts(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(40); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = 2 + c % 2;
        lesson l = lesson_of_case(&r, 3 * c + 1, labels, false);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t y[16];
        sos_error error;
        plan_weights_random(&r, &l.plan, w);
        for (size_t i = 0; i < 3; i++) check_ok(sos_example_fix(l.examples[0], i, (int)((c + i) % labels), &error), error);
        check_ok(sos_example_minimize(l.examples[0], w, false, NULL, y, NULL, &error), error);
        for (size_t i = 0; i < 3; i++) check(y[i] == (c + i) % labels);
        free(w);
        lesson_free(&l);
    }
}

/* By the function of one label alone all members are 100 cheaper with it, or some are up to 100 dearer: whichever label it is,
 * a variable fixed to another, or to that one, stays, and the others do what is best for them. */
static void one_function_of_the_count_does_not_move_what_is_fixed(void **state)
{
    (void)state;
    enum { LABELS = 4, MEMBERS = 4 };
    const sos_group group = { .name = "share", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .anchored = true };
    for (size_t number = 0; number < 2 * LABELS * LABELS; number++) {
        const size_t one = number % LABELS, fixed = number / LABELS % LABELS;
        const bool cheaper = number < LABELS * LABELS;
        sos_model *m = NULL;
        sos_example *x = NULL;
        sos_error error;
        uint32_t g;
        uint8_t y[MEMBERS];
        double w[2 * LABELS] = { 0 };
        w[2 * one] = cheaper ? 0 : 100;
        w[2 * one + 1] = cheaper ? -100 : 100;
        check_ok(sos_model_create(LABELS, &m, &error), error);
        check_ok(sos_model_add_group(m, &group, &g, &error), error);
        check_ok(sos_example_create(m, MEMBERS, &x, &error), error);
        check_ok(sos_example_add_counts(x, 0, 1, (size_t[]){ 0, MEMBERS }, (uint32_t[]){ 0, 1, 2, 3 }, NULL, NULL, &error),
                 error);
        check_ok(sos_example_fix(x, 2, (int)fixed, &error), error);
        check_ok(sos_example_minimize(x, w, false, NULL, y, NULL, &error), error);
        for (size_t i = 0; i < MEMBERS; i++) check(i == 2 ? y[i] == fixed : (y[i] == one) == cheaper);
        sos_example_free(x);
        sos_model_free(m);
    }
}

/* By how much a clique of an energy with several labels can cost more in one labelling than in another, at most: for each label
 * alone, all added. */
static double span(const double value[], size_t labels, size_t entries)
{
    double sum = 0;
    for (size_t l = 0; l < labels; l++) {
        double least = value[l * entries], most = least;
        for (size_t j = 1; j < entries; j++) {
            least = fmin(least, value[l * entries + j]);
            most = fmax(most, value[l * entries + j]);
        }
        sum += most - least;
    }
    return sum;
}

/* What all cliques of a variable can do, at most, by what the energy says it holds. */
static double influence_of(const sos_multi_energy *e, uint32_t v)
{
    const size_t L = sos_multi_energy_labels(e);
    double sum = 0;
    for (size_t c = 0; c < sos_multi_energy_cliques(e); c++) {
        const sos_clique q = sos_multi_energy_clique(e, c);
        size_t k;
        const double *g = sos_multi_energy_tables(e, q.table, &k);
        for (size_t i = 0; i < k; i++) sum += q.variables[i] == v ? q.weight * span(g, L, (size_t)1 << k) : 0;
    }
    for (size_t c = 0; c < sos_multi_energy_count_cliques(e); c++) {
        const sos_counts q = sos_multi_energy_counts(e, c);
        const bool region = q.kind == SOS_COUNTS_ROBUST; /* from 0 to 1 */
        const double range = region ? 1 : span(q.as.pieces.value, L, q.as.pieces.knots);
        for (size_t i = 0; i < q.k; i++) sum += q.variables[i] == v ? q.weight * range : 0;
    }
    return sum;
}

/* All labels but the fixed one cost twice what the cliques can do more, or 1 where they can do nothing, and no more than that:
 * what costs too much takes digits from all others.  Functions of labels differ in where they begin. */
static void what_keeps_a_fixed_variable_is_no_larger_than_it_must_be(void **state)
{
    (void)state;
    enum { LABELS = 3, N = 9 };
    static const sos_group GROUPS[] = {
        { .name = "count", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .strengths = 2 },
        { .name = "table", .kind = SOS_GROUP_TABLE, .size = 2 },
        { .name = "bound", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
        { .name = "colour", .kind = SOS_GROUP_FREE, .size = 1 },
    };
    static const double COUNTS[] = { 0, 2, 1, 50, 53, 54, -80, -82, -90, 7, 7, 7, -20, -10, -5, 300, 301, 300 };
    static const double TABLES[] = { 0, 3, 2, 4, 90, 91, 95, 96, -60, -58, -61, -60 }, OTHERS[] = { 0.5, 1, -2, 4 };
    static const double FEATURE[N] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, PHI[] = { 1, 2, 0.5, 0.25 };
    sos_model *m = NULL;
    sos_example *x = NULL;
    const sos_multi_energy *e = NULL;
    sos_error error;
    uint32_t g;
    check_ok(sos_model_create(LABELS, &m, &error), error);
    for (size_t i = 0; i < 4; i++) check_ok(sos_model_add_group(m, &GROUPS[i], &g, &error), error);
    double w[sizeof COUNTS / 8 + sizeof TABLES / 8 + sizeof OTHERS / 8];
    check(sos_model_weight_count(m) == sizeof w / sizeof *w);
    memcpy(w, COUNTS, sizeof COUNTS);
    memcpy(w + sizeof COUNTS / 8, TABLES, sizeof TABLES);
    memcpy(w + sizeof COUNTS / 8 + sizeof TABLES / 8, OTHERS, sizeof OTHERS);
    check_ok(sos_model_set_weights(m, w, &error), error);
    check_ok(sos_example_create(m, N, &x, &error), error);
    check_ok(sos_example_set_dense_features(x, 3, FEATURE, 1, 1, &error), error);
    check_ok(sos_example_add_counts(x, 0, 2, (size_t[]){ 0, 4, 7 }, (uint32_t[]){ 0, 1, 2, 3, 2, 3, 4 }, NULL, PHI, &error),
             error);
    check_ok(sos_example_add_cliques(x, 1, 2, (uint32_t[]){ 1, 2, 5, 6 }, PHI, &error), error);
    check_ok(sos_example_add_pairs(x, 2, 2, (uint32_t[]){ 2, 5, 6, 7 }, PHI, &error), error);
    check_ok(sos_example_add_regions(x, 2, 1, (size_t[]){ 0, 3 }, (uint32_t[]){ 3, 4, 7 }, 0.5, PHI, &error), error);
    for (size_t i = 0; i < N; i++) check_ok(sos_example_fix(x, i, (int)(i % LABELS), &error), error);
    check_ok(sos_example_multi_energy(x, w, false, &e, &error), error);
    check(sos_multi_energy_cliques(e) == 4 && sos_multi_energy_count_cliques(e) == 3);
    for (uint32_t i = 0; i < N; i++) {
        const double own = sos_multi_energy_unary(e, i, i % LABELS), influence = influence_of(e, i);
        check((i == 8) == (influence == 0) && own == OTHERS[1 + i % LABELS] * FEATURE[i]);
        for (size_t l = 0; l < LABELS; l++)
            check(l == i % LABELS || near(sos_multi_energy_unary(e, i, l), own + (i == 8 ? 1 : 2 * influence)));
    }
    sos_example_free(x);
    sos_model_free(m);
}

/* What is written reads back as the same Psi, to the last bit, and writes the same bytes. */
static void counts_and_strengths_are_kept_in_files(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2 + c % 2, true);
        char *text = NULL, *again = NULL;
        size_t length = 0, length_again = 0, count = 0;
        sos_model *m = NULL;
        sos_example **examples = NULL;
        sos_error error;
        check_ok(sos_problem_write_memory(l.model, l.count, l.examples, &text, &length, &error), error);
        check_ok(sos_problem_parse(text, length, "t", NULL, &m, &count, &examples, &error), error);
        check_ok(sos_problem_write_memory(m, count, examples, &again, &length_again, &error), error);
        const bool moved = c % 4 == 2; /* losses of cliques may change places with cliques */
        check(length == length_again && (moved || !memcmp(text, again, length)) && count == l.count);
        const size_t d = l.plan.weights;
        double *psi = test_room(NULL, 2 * d, sizeof *psi);
        for (size_t i = 0; i < count; i++) {
            uint8_t y[16];
            check(sos_example_fits(examples[i], l.model));
            for (size_t v = 0; v < l.samples[i].n; v++) y[v] = (uint8_t)sos_random_below(&r, l.plan.labels);
            sos_example_psi(examples[i], y, psi);
            sos_example_psi(l.examples[i], y, psi + d);
            for (size_t j = 0; j < d; j++) check(psi[j] == psi[d + j] || (moved && near(psi[j], psi[d + j])));
        }
        free(psi);
        free(text);
        free(again);
        sos_problem_free(count, examples);
        sos_model_free(m);
        lesson_free(&l);
    }
}

/* The bits of training do not depend on threads, nor on where minimisations start: from flows, cold, or, where no flow fits the
 * memory, from labels. */
static void counts_are_learned_alike_on_all_threads(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(12); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, 3 * c + 1, 2, true);
        sos_train_settings s = to_the_end(3);
        sos_train_result result;
        sos_error error;
        double *first = test_room(NULL, l.plan.weights, sizeof *first);
        for (int way = 0; way < 4; way++) {
            s.work.threads = way == 1 ? 2 : 1;
            s.warm = way != 2;
            s.memory = way == 3;
            check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
            if (way)
                check(!memcmp(first, sos_model_weights(l.model), l.plan.weights * sizeof *first));
            else
                memcpy(first, sos_model_weights(l.model), l.plan.weights * sizeof *first);
        }
        free(first);
        lesson_free(&l);
    }
}

static void bad_counts_are_refused(void **state)
{
    (void)state;
    static const double LATE[] = { 0.1, 1 }, EARLY[] = { 0, 0.9 }, BACK[] = { 0, 0.5, 0.5, 1 }, NEAR[] = { 0, 1e-7, 1 };
    static const double LOPSIDED[] = { 0, 0.4, 1 }, NONE[] = { 0, NAN, 1 }, FAR_OFF[] = { 42949672960, 0.5, 1 };
    static const double BELOW[] = { -1e-12, 0.5, 1 };
    const sos_group bad[] = {
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3 },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 1, .shares = HALVES },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = SOS_KNOTS_MAX + 1, .shares = HALVES },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 2, .shares = LATE },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 2, .shares = EARLY },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 4, .shares = BACK },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = NEAR },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = NONE },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = FAR_OFF },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = BELOW },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = LOPSIDED, .swap = true },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .reversal = true },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .class_of = BY_NUMBER },
        { .name = "zebra", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .strengths = SOS_STRENGTHS_MAX + 1 },
        { .name = "zebra", .kind = SOS_GROUP_TABLE, .size = 3, .shares = HALVES },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 3, .strengths = 2 },
    };
    const sos_group good = { .name = "good", .kind = SOS_GROUP_COUNT, .size = 3, .shares = HALVES, .strengths = 2 };
    sos_model *m = NULL;
    sos_example *x = NULL;
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(2, &m, &error), error);
    for (int again = 0; again < 2; again++) { /* the second time beside a group that they are compared with */
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            check_error(sos_model_add_group(m, &bad[i], &number, &error), SOS_ERR_ARGUMENT, error, "zebra");
        if (!again) check_ok(sos_model_add_group(m, &good, &number, &error), error);
    }
    check(sos_model_group(m, 0)->shares != HALVES && sos_model_group(m, 0)->shares[1] == 0.5);
    check_error(sos_model_set_weights(m, (double[]){ 0, 1, 0, 1, 0, 1 }, &error), SOS_ERR_NOT_SUBMODULAR, error, "good",
                "strength 1", "knot 1");
    check_ok(sos_model_set_weights(m, (double[]){ 0, 1, 0, 1, 2, 3 }, &error), error);
    check_ok(sos_example_create(m, 4, &x, &error), error);
    const size_t start[] = { 0, 2, 4 }, empty[] = { 0, 0, 4 }, back[] = { 0, 3, 2 }, late[] = { 1, 2, 4 };
    static const uint32_t V[] = { 0, 1, 1, 2 }, TWICE[] = { 0, 1, 2, 2 }, FAR[] = { 0, 1, 2, 4 };
    static const double NEGATIVE[] = { 1, 1, 1, -1 }, ZERO[] = { 1, 1, 0, 0 }, INFINITE[] = { 1, 1, 1, INFINITY };
    check_error(sos_example_add_counts(x, 0, 2, empty, V, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "count 0");
    check_error(sos_example_add_counts(x, 0, 2, back, V, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1");
    check_error(sos_example_add_counts(x, 0, 2, late, V, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "start");
    check_error(sos_example_add_counts(x, 0, 2, start, TWICE, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1", "twice");
    check_error(sos_example_add_counts(x, 0, 2, start, FAR, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1", "4");
    check_error(sos_example_add_counts(x, 0, 2, start, V, NEGATIVE, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1", "-1");
    check_error(sos_example_add_counts(x, 0, 2, start, V, ZERO, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1",
                "add up to 0");
    check_error(sos_example_add_counts(x, 0, 2, start, V, INFINITE, NULL, &error), SOS_ERR_ARGUMENT, error, "count 1", "inf");
    check_error(sos_example_add_counts(x, 0, 2, start, V, NULL, NEGATIVE, &error), SOS_ERR_ARGUMENT, error, "count 1", "phi");
    check_error(sos_example_add_counts(x, 7, 2, start, V, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "group 7");
    check_is(sos_example_add_counts(x, 0, 2, NULL, V, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_counts(x, 0, 2, start, NULL, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_cliques(x, 0, 2, V, NULL, &error), SOS_ERR_ARGUMENT);
    check(sos_example_parts(x) == 0);
    check_ok(sos_example_add_counts(x, 0, 2, start, V, (double[]){ 1, 2, 0, 3 }, NULL, &error), error);
    check(sos_example_parts(x) == 2 && sos_example_part(x, 1).as.amounts[1] == 3 && sos_example_part(x, 1).variables[1] == 2);
    sos_example_free(x);
    sos_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repair_puts_any_weights_into_the_cone),
        cmocka_unit_test(tied_tables_reach_the_optimum_inside_the_cone),
        cmocka_unit_test(stiff_groups_and_models_to_stay_near_reach_the_optimum_of_cvxopt),
        cmocka_unit_test(stiffness_is_a_scale_of_the_features),
        cmocka_unit_test(stiffness_can_be_changed),
        cmocka_unit_test(training_starts_where_it_is_told),
        cmocka_unit_test(weights_outside_the_cone_are_no_start),
        cmocka_unit_test(learning_stays_near_a_model_if_c_is_small),
        cmocka_unit_test(psi_and_energies_are_their_definitions),
        cmocka_unit_test(regions_and_counts_come_in_any_order),
        cmocka_unit_test(fixed_variables_stay_under_counts),
        cmocka_unit_test(one_function_of_the_count_does_not_move_what_is_fixed),
        cmocka_unit_test(what_keeps_a_fixed_variable_is_no_larger_than_it_must_be),
        cmocka_unit_test(counts_and_strengths_are_kept_in_files),
        cmocka_unit_test(counts_are_learned_alike_on_all_threads),
        cmocka_unit_test(bad_counts_are_refused),
    };
    return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
