/* test_train.c - training: the optimum against programs that list every constraint, bounds round by round, exact submodularity
 * of every iterate, and what settings may and may not change. */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "learn/qp.h"
#include "minimize/network.h"

/* ---- problems ---- */

static const sos_group FREE = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 };
static const sos_group NONNEGATIVE = { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
static const sos_group TABLES[] = {
    { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2 },
    { .name = "potts", .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true, .swap = true },
    { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3 },
    { .name = "row", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true, .patch_width = 3, .patch_height = 1 },
    { .name = "four", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .patch_width = 2, .patch_height = 2 },
    { .name = "alike",
      .kind = SOS_GROUP_TABLE,
      .size = 4,
      .anchored = true,
      .swap = true,
      .patch_width = 2,
      .patch_height = 2 },
    { .name = "column", .kind = SOS_GROUP_TABLE, .size = 4, .swap = true, .patch_width = 1, .patch_height = 4 },
};
enum { TABLES_COUNT = sizeof TABLES / sizeof *TABLES };

/* Case c has table c, and every other case another table, pairs, features and what examples may have besides. */
static lesson lesson_of_case(sos_random *r, uint64_t c, size_t labels, size_t n)
{
    sos_group groups[GROUPS_MAX];
    size_t count = 0;
    const sos_group *first = &TABLES[c % TABLES_COUNT], *second = &TABLES[(c / TABLES_COUNT + 3 * c + 1) % TABLES_COUNT];
    if (c % 5) groups[count++] = FREE;
    if (!first->swap || labels == 2) groups[count++] = *first;
    if (c % 3) groups[count++] = NONNEGATIVE;
    if (c % 4 == 1 && second != first && (!second->swap || labels == 2)) groups[count++] = *second;
    if (!count) groups[count++] = FREE;
    const sample_recipe wanted = { .n = n,
                                   .pairs = 4,
                                   .cliques = 3,
                                   .phi = c % 2,
                                   .scale = c % 9 == 4,
                                   .care = c % 7 == 3,
                                   .losses = c % 4 == 2,
                                   .noise = 0.2 };
    return lesson_random(r, labels, count, groups, 1 + (size_t)sos_random_below(r, 4), &wanted);
}

/* To the end, or for many more rounds than that takes: a bound on the oracle's rounding may keep the gap from closing. */
static sos_train_settings to_the_end(double C)
{
    sos_train_settings s = sos_train_defaults();
    s.C = C;
    s.gap = 5e-7;
    s.qp_gap = 1e-9;
    s.rounds = 100;
    s.work.threads = 1;
    return s;
}

static bool is_close(double a, double b, double relative) { return fabs(a - b) <= relative * (1e-4 + fabs(b)); }

/* ---- (c) what must hold of every round ---- */

typedef struct watch {
    const lesson *l;
    double C, optimum;    /* the latter known from elsewhere, or NaN */
    double weights_hinge; /* mean slack of this round's oracle calls, and their mean loss */
    double weights_loss;
    size_t calls, rounds, stop_at;
    size_t calls_before; /* of the rounds before */
    double primal, dual; /* of the round before */
    char bad[256];       /* the first thing that does not hold */
} watch;

static void complain(watch *x, const char *what, double a, double b)
{
    if (!x->bad[0]) snprintf(x->bad, sizeof x->bad, "round %zu: %s (%.17g, %.17g)", x->rounds + 1, what, a, b);
}

static watch watch_begin(const lesson *l, double C, double optimum)
{
    return (watch){ .l = l, .C = C, .optimum = optimum, .primal = INFINITY, .dual = -INFINITY };
}

static bool watch_round(void *user, const sos_train_round *r)
{
    watch *x = user;
    const double slack = 2e-7 * (1e-3 + fabs(r->primal)); /* of the reference */
    if (r->round != x->rounds + 1) complain(x, "rounds are not counted", (double)r->round, 0);
    if (r->C != x->C) complain(x, "another C", r->C, x->C);
    if (!(r->primal >= r->dual)) complain(x, "primal < dual", r->primal, r->dual);
    if (!(r->primal <= x->primal)) complain(x, "primal increases", r->primal, x->primal);
    if (!(r->dual >= x->dual)) complain(x, "dual decreases", r->dual, x->dual);
    if (r->primal > 0 && !is_close(r->gap, (r->primal - r->dual) / r->primal, 1e-9)) complain(x, "gap", r->gap, 0);
    if (!isnan(x->optimum) && !(r->primal >= x->optimum - slack)) complain(x, "primal < optimum", r->primal, x->optimum);
    if (!isnan(x->optimum) && !(r->dual <= x->optimum + slack)) complain(x, "dual > optimum", r->dual, x->optimum);
    const bool asked = x->calls > x->calls_before; /* the last round may ask nobody */
    if (asked && !is_close(r->hinge, x->weights_hinge, 1e-9)) complain(x, "hinge", r->hinge, x->weights_hinge);
    if (asked && !is_close(r->loss, x->weights_loss, 1e-9)) complain(x, "loss", r->loss, x->weights_loss);
    if (x->calls && r->oracle_calls != x->calls) complain(x, "oracle calls", (double)r->oracle_calls, (double)x->calls);
    if (!(r->seconds >= 0 && r->seconds_oracle >= 0 && r->seconds_qp >= 0)) complain(x, "seconds", r->seconds, r->seconds_qp);
    x->weights_hinge = x->weights_loss = 0;
    x->calls_before = x->calls;
    x->primal = r->primal;
    x->dual = r->dual;
    x->rounds++;
    return x->rounds != x->stop_at;
}

static void check_watch(const watch *x)
{
    if (x->bad[0]) test_fail(__FILE__, __LINE__, "%s", x->bad);
}

/* The integers that the minimiser makes of an example's tables with these weights. */
static bool stays_submodular_as_integers(const lesson *l, const sample *s, const double w[], int bits)
{
    problem p = problem_create(s->n);
    for (size_t g = 0; g < l->plan.count; g++) {
        double f[1 << LESSON_MEMBERS_MAX];
        if (l->plan.groups[g].spec.kind != SOS_GROUP_TABLE) continue;
        plan_table(&l->plan, g, 0, w, f);
        const uint32_t t = problem_add_table(&p, l->plan.groups[g].spec.size, f);
        for (size_t c = 0; c < s->cliques_count; c++)
            if (s->cliques[c].group == g) problem_add_clique(&p, t, s->cliques[c].variables, s->cliques[c].phi);
    }
    sos_energy *e = problem_build(&p);
    sos_network net = { 0 };
    sos_error error;
    check_ok(sos_network_build(&net, e, 0, &error), error);
    check_ok(sos_network_scale(&net, e, bits, 0, &error), error);
    bool holds = true;
    for (size_t t = 0; t < p.table_count; t++) {
        const int64_t *F = net.table + e->tables[t].offset;
        if (p.tables[t].k < 3 || !e->tables[t].uses) continue;
        for (size_t A = 0; A < (size_t)1 << p.tables[t].k; A++)
            for (size_t B = 0; B < A; B++) holds &= F[A] + F[B] >= F[A | B] + F[A & B];
    }
    for (uint32_t c = 0; c < net.table_cliques; c++) {
        double rounding = 0;
        if (sos_network_size(&net, c) != 2) continue;
        const sos_pair pair = sos_network_pair(&net, e, c, &rounding);
        holds &= pair.one + pair.two >= pair.both;
    }
    sos_network_free(&net);
    sos_energy_free(e);
    problem_free(&p);
    return holds;
}

/* Looks at the weights, then tries all labellings. */
static sos_status watch_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                sos_error *error)
{
    watch *x = user;
    size_t group = 0;
    if (!plan_holds(&x->l->plan, w, &group)) complain(x, "the weights are not in the cone, group", (double)group, 0);
    if (x->l->plan.labels == 2)
        for (int bits = 0; bits <= 32; bits += 32)
            if (!stays_submodular_as_integers(x->l, &x->l->samples[i], w, bits)) complain(x, "integers", (double)i, bits);
    const sos_status status = lesson_violate((void *)(uintptr_t)x->l, i, w, difference, loss, missed, error);
    long double hinge = *loss;
    for (size_t j = 0; j < x->l->plan.weights; j++) hinge -= (long double)w[j] * difference[j];
    x->weights_hinge += (double)(hinge > 0 ? hinge : 0) / (double)x->l->count;
    x->weights_loss += *loss / (double)x->l->count;
    x->calls++;
    return status;
}

static void every_iterate_is_submodular_and_every_round_in_order(void **state)
{
    (void)state;
    static const double STEPS[] = { 1, 0.6, 0.3 };
    for (uint64_t number = 0; number < test_cases(150); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 6 == 5 ? 3 : 2;
        lesson l = lesson_of_case(&r, c, labels, 4 + (size_t)sos_random_below(&r, labels == 2 ? 3 : 1));
        const double C = C_of_case(c / 2);
        quadratic q = lesson_quadratic(&l, C);
        watch x = watch_begin(&l, C, quadratic_solve(&q, NULL));
        const sos_oracle asked = { .examples = l.count, .user = &x, .violate = watch_violate };
        sos_train_settings s = to_the_end(C);
        s.slacks = c % 4;
        if (c % 9) s.step = STEPS[c % 3];
        s.cache = c % 2 ? 0 : 4;
        s.idle = c % 5 == 4 ? 1 : s.idle;
        s.watch = watch_round;
        s.work.user = &x;
        sos_train_result result;
        sos_error error;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        check_watch(&x);
        check(result.outcome == SOS_TRAIN_GAP && result.last.gap <= s.gap);
        check(result.last.round == x.rounds && result.last.primal == x.primal && result.last.dual == x.dual);
        size_t group;
        check(plan_holds(&l.plan, sos_model_weights(l.model), &group));
        const double value = (double)lesson_objective(&l, C, sos_model_weights(l.model), NULL);
        if (!is_close(result.last.primal, value, 1e-9))
            test_fail(__FILE__, __LINE__, "primal is %.17g, but the weights cost %.17g", result.last.primal, value);
        if (!is_optimum(value, x.optimum, C))
            test_fail(__FILE__, __LINE__, "the optimum is %.17g, but the weights cost %.17g", x.optimum, value);
        quadratic_free(&q);
        lesson_free(&l);
    }
}

/* ---- (a) and (b): the optimum with every constraint listed ---- */

/* Trains with all numbers of slacks and both steps: the same objective as the program. */
static void check_optimum(const lesson *l, double C, double optimum)
{
    static const double STEPS[] = { 1, 0 };
    for (size_t slacks = 1; slacks <= l->count + 1; slacks += slacks == 1 ? 1 : l->count - 1 ? l->count - 1 : 1)
        for (int step = 0; step < 2; step++) {
            sos_train_settings s = to_the_end(C);
            watch x = watch_begin(l, C, optimum);
            s.slacks = slacks;
            if (STEPS[step] > 0) s.step = STEPS[step];
            s.watch = watch_round;
            s.work.user = &x;
            sos_train_result result;
            sos_error error;
            check_ok(sos_train(l->model, l->count, l->examples, &s, &result, &error), error);
            check_watch(&x);
            const double value = (double)lesson_objective(l, C, sos_model_weights(l->model), NULL);
            if (!is_optimum(value, optimum, C) || !is_optimum(result.last.dual, optimum, C))
                test_fail(__FILE__, __LINE__,
                          "%zu examples, %zu slacks, C = %g, outcome %d after %zu rounds: primal %.12g, dual %.12g, "
                          "weights cost %.12g, but %.12g is possible",
                          l->count, slacks, C, (int)result.outcome, result.last.round, result.last.primal, result.last.dual,
                          value, optimum);
        }
}

static void training_reaches_the_optimum_of_the_program_with_every_constraint(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(200); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 4 + (size_t)sos_random_below(&r, 4));
        quadratic q = lesson_quadratic(&l, C_of_case(c));
        check_optimum(&l, C_of_case(c), quadratic_solve(&q, NULL));
        quadratic_free(&q);
        lesson_free(&l);
    }
}

/* The reference of the other tests, and the trainer itself, against a solver that is not ours. */
static void the_objective_is_that_of_cvxopt(void **state)
{
    (void)state;
    references refs = references_begin();
    for (uint64_t number = 0; number < test_cases(64); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, c % 8 == 7 ? 3 : 2, 4 + c % (c % 8 == 7 ? 1 : 4));
        const double C = C_of_case(c + c / 8);
        quadratic q = lesson_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        references_add(&refs, &q, optimum, C);
        sos_train_settings s = to_the_end(C);
        s.slacks = c % 3;
        const sos_oracle asked = { .examples = l.count, .user = &l, .violate = lesson_violate };
        sos_train_result result;
        sos_error error;
        if (l.plan.labels == 2)
            check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
        else
            check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        references_add(&refs, &q, (double)lesson_objective(&l, C, sos_model_weights(l.model), NULL), C);
        quadratic_free(&q);
        lesson_free(&l);
    }
    if (references_check(&refs)) return;
    test_peer_missing("CVXOPT (python3-cvxopt)");
    skip();
}

/* ---- the program of a round ---- */

/* Random planes over a plan's weights, in groups, some of them alike: the library's solution is in the cone, its value is that
 * of its weights, and both bounds meet at the reference.  The reference sees planes of size 1 and margin 1: with w = u v and
 * u = margin / size, the objective is u^2 times that of v where slacks cost margin / u^2 as much. */
static void check_program(sos_random *r, const plan *p, const sos_model *m, size_t groups, size_t count)
{
    const size_t d = p->weights;
    const double size = exp(14 * sos_random_uniform(r) - 5), margin = exp(8 * sos_random_uniform(r) - 5), unit = margin / size;
    double *a = test_room(NULL, count * d, sizeof *a), *w = test_room(NULL, d, sizeof *w),
           *cost = test_room(NULL, groups, sizeof *cost);
    sos_qp_plane *planes = test_room(NULL, count, sizeof *planes);
    quadratic q = quadratic_create(d + groups, d);
    for (size_t g = 0; g < groups; g++) {
        q.cost[d + g] = exp(22 * sos_random_uniform(r) - 6);
        cost[g] = q.cost[d + g] * unit * unit / margin;
        quadratic_row(&q, 0)[d + g] = 1;
    }
    for (size_t k = 0; k < count; k++) {
        const bool again = k && !sos_random_below(r, 4);
        for (size_t j = 0; j < d; j++) {
            const double x = sos_random_below(r, 3) ? size * sos_random_normal(r) : 0;
            a[k * d + j] = again ? a[(k - 1) * d + j] + 1e-3 * x : x;
        }
        planes[k] = (sos_qp_plane){ .a = a + k * d,
                                    .b = margin * sos_random_uniform(r),
                                    .group = (uint32_t)sos_random_below(r, groups) };
        double *row = quadratic_row(&q, planes[k].b / margin);
        for (size_t j = 0; j < d; j++) row[j] = planes[k].a[j] / size;
        row[d + planes[k].group] = 1;
    }
    quadratic_add_cone(&q, p);
    sos_cone cone;
    sos_error error;
    check_ok(sos_cone_create(m->layout, &cone, &error), error);
    double *multipliers = test_room(NULL, cone.row_count, sizeof *multipliers), *xi = test_room(NULL, groups, sizeof *xi);
    sos_qp qp = {
        .cone = &cone, .groups = groups, .cost = cost, .gap = 1e-8, .threads = 1, .w = w, .cone_multiplier = multipliers
    };
    memset(w, 0, d * sizeof *w);
    memset(multipliers, 0, cone.row_count * sizeof *multipliers);
    const double wanted = unit * unit * quadratic_solve(&q, NULL);
    for (int warm = 0; warm < 2; warm++) {
        qp.warm = warm;
        check_ok(sos_qp_solve(&qp, count, planes, &error), error);
        size_t group;
        check(plan_holds(p, w, &group));
        check(is_close(sos_qp_value(&qp, count, planes, w, xi), qp.primal, 1e-12));
        const double slack = 1e-7 * (wanted + 1e-4 * unit * unit);
        if (!(fabs(qp.primal - wanted) <= slack && fabs(qp.dual - wanted) <= slack))
            test_fail(__FILE__, __LINE__,
                      "%zu weights, %zu groups, %zu planes of size %g, margin %g%s: primal %.12g, dual %.12g, "
                      "but the optimum is %.12g",
                      d, groups, count, size, margin, warm ? ", warm" : "", qp.primal, qp.dual, wanted);
    }
    sos_cone_free(&cone);
    quadratic_free(&q);
    free(xi);
    free(multipliers);
    free(planes);
    free(cost);
    free(w);
    free(a);
}

static void the_program_of_a_round_is_solved(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(300); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sos_group groups[] = { FREE, TABLES[c % TABLES_COUNT], NONNEGATIVE };
        plan p = plan_create(2, 1 + (size_t)sos_random_below(&r, 3), groups);
        sos_model *m = plan_build(&p);
        check_program(&r, &p, m, 1 + (size_t)sos_random_below(&r, 3), 1 + (size_t)sos_random_below(&r, 30));
        sos_model_free(m);
        plan_free(&p);
    }
}

/* ---- (d) planes are subgradients ---- */

/* Psi(x, y) - Psi(x, truth) and the loss at the y that the library finds. */
static void plane_of(const lesson *l, size_t i, const double w[], double difference[], double *loss)
{
    uint8_t y[EXHAUSTIVE_MAX];
    sos_error error;
    double *truth = test_room(NULL, l->plan.weights, sizeof *truth);
    check_ok(sos_example_minimize(l->examples[i], w, true, NULL, y, NULL, &error), error);
    sos_example_psi(l->examples[i], y, difference);
    sos_example_psi(l->examples[i], l->samples[i].truth, truth);
    for (size_t j = 0; j < l->plan.weights; j++) difference[j] -= truth[j];
    *loss = sos_example_loss(l->examples[i], y);
    free(truth);
}

static void planes_are_gradients_of_the_objective(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(100); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 4 + (size_t)sos_random_below(&r, 4));
        const size_t d = l.plan.weights;
        const double C = C_of_case(c), step = 0x1p-22;
        double *room = test_room(NULL, 4 * d, sizeof *room), *w = room, *u = room + d, *gradient = room + 2 * d;
        double *difference = room + 3 * d, loss;
        plan_weights_random(&r, &l.plan, w);
        memcpy(gradient, w, d * sizeof *w);
        long double value = 0;
        for (size_t j = 0; j < d; j++) value += (long double)w[j] * w[j] / 2;
        for (size_t i = 0; i < l.count; i++) {
            plane_of(&l, i, w, difference, &loss);
            value += C * (long double)loss / (long double)l.count;
            for (size_t j = 0; j < d; j++) {
                gradient[j] -= C * difference[j] / (double)l.count;
                value -= C * (long double)w[j] * difference[j] / (long double)l.count;
            }
        }
        const long double at = lesson_objective(&l, C, w, NULL);
        check(fabsl(value - at) <= 1e-9L * (1 + fabsl(at))); /* the most violated constraint, so the value itself */
        /* Convex: above its tangent everywhere, on both sides of w, which are a derivative apart where there is one. */
        for (int way = 0; way < 4; way++) {
            long double slope = 0;
            for (size_t j = 0; j < d; j++) {
                u[j] = sos_random_normal(&r);
                slope += (long double)gradient[j] * u[j];
            }
            for (size_t j = 0; j < d; j++) u[j] = w[j] + step * u[j];
            const long double ahead = lesson_objective(&l, C, u, NULL);
            for (size_t j = 0; j < d; j++) u[j] = 2 * w[j] - u[j];
            const long double behind = lesson_objective(&l, C, u, NULL);
            const long double right = (ahead - at) / step, left = (at - behind) / step, slack = 1e-7L * (1 + fabsl(slope));
            if (!(left - slack <= slope && slope <= right + slack))
                test_fail(__FILE__, __LINE__, "the slope is %Lg, but differences are %Lg and %Lg", slope, left, right);
        }
        free(room);
        lesson_free(&l);
    }
}

/* ---- pictures, larger than can be enumerated ---- */

enum { SIDE = 10, PIXELS = SIDE * SIDE };

static const sos_group PICTURE_GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .patch_width = 2, .patch_height = 2 },
};

/* A picture of SIDE x SIDE pixels with random colours and all its 2 x 2 patches. */
static sample picture_random(sos_random *r)
{
    sample s = { .n = PIXELS, .features_count = 2 * PIXELS, .cliques_count = (SIDE - 1) * (SIDE - 1) };
    s.features = test_room(NULL, s.features_count, sizeof *s.features);
    s.cliques = test_room(NULL, s.cliques_count, sizeof *s.cliques);
    s.truth = test_room(NULL, s.n, 1);
    memset(s.truth, 0, s.n);
    for (uint32_t i = 0; i < PIXELS; i++)
        for (uint32_t j = 0; j < 2; j++) s.features[2 * i + j] = (sample_feature){ 0, i, j, j ? 1 : sos_random_normal(r) };
    for (uint32_t y = 0, c = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            const uint32_t at = y * SIDE + x;
            s.cliques[c++] = (sample_clique){ .group = 1, .variables = { at, at + 1, at + SIDE, at + SIDE + 1 }, .phi = 1 };
        }
    return s;
}

/* Pictures whose truth has least energy for the model's weights; then the colours get noise. */
static void pictures_create(sos_random *r, const plan *p, sos_model *m, double noise, size_t count, sos_example *examples[])
{
    for (size_t i = 0; i < count; i++) {
        sample s = picture_random(r);
        sos_example *clean = sample_build(p, m, &s);
        sos_error error;
        check_ok(sos_model_predict(m, clean, NULL, s.truth, NULL, &error), error);
        for (size_t f = 0; f < s.features_count; f += 2) s.features[f].value += noise * sos_random_normal(r);
        examples[i] = sample_build(p, m, &s);
        sos_example_free(clean);
        sample_free(&s);
    }
}

/* Colours decide, patches smooth: corners cost less than edges, edges less than what they hold together. */
static void hidden_weights(sos_random *r, const plan *p, double w[])
{
    memset(w, 0, p->weights * sizeof *w);
    w[0] = 0.5 + 0.5 * sos_random_uniform(r);
    w[1] = -w[0];
    w[2] = 0.2 * sos_random_uniform(r) - 0.1;
    const double corner = 0.2 + 0.2 * sos_random_uniform(r), edge = corner * (1 + 0.6 * sos_random_uniform(r));
    for (size_t S = 1; S < 15; S++) {
        const int ones = __builtin_popcountll(S);
        const bool diagonal = S == 6 || S == 9;
        w[p->groups[1].offset + p->groups[1].class_of[S]] = ones == 2 ? (diagonal ? 2 * corner : edge) : corner;
    }
}

static double error_at_noise(uint64_t c, double noise)
{
    enum { TRAIN = 12, TEST = 8 };
    sos_random r = test_case_begin(c);
    plan p = plan_create(2, 2, PICTURE_GROUPS);
    sos_model *m = plan_build(&p);
    double *w = test_room(NULL, p.weights, sizeof *w), mean;
    sos_example *examples[TRAIN + TEST];
    sos_error error;
    hidden_weights(&r, &p, w);
    check_ok(sos_model_set_weights(m, w, &error), error);
    pictures_create(&r, &p, m, noise, TRAIN + TEST, examples);
    sos_train_settings s = sos_train_defaults();
    s.C = 1000;
    s.gap = 1e-2;
    s.rounds = 300;
    s.work.threads = 2;
    memset(w, 0, p.weights * sizeof *w);
    check_ok(sos_model_set_weights(m, w, &error), error);
    check_ok(sos_train(m, TRAIN, examples, &s, NULL, &error), error);
    check_ok(sos_evaluate(m, TEST, examples + TRAIN, &(sos_work){ .threads = 2 }, NULL, &mean, &error), error);
    for (size_t i = 0; i < TRAIN + TEST; i++) sos_example_free(examples[i]);
    free(w);
    sos_model_free(m);
    plan_free(&p);
    return mean;
}

static void data_of_a_submodular_model_are_learned_as_their_noise_goes(void **state)
{
    (void)state;
    static const double NOISE[] = { 1, 0.3, 0.1, 0 }, WORST[] = { 0.4, 0.2, 0.1, 0.02 };
    const uint64_t cases = test_cases(4);
    double errors[4] = { 0 };
    for (size_t level = 0; level < 4; level++)
        for (uint64_t c = 0; c < cases; c++) errors[level] += error_at_noise(c, NOISE[level]) / (double)cases;
    for (size_t level = 0; level < 4; level++)
        if (!(errors[level] <= WORST[level] && (!level || errors[level] < errors[level - 1])))
            test_fail(__FILE__, __LINE__, "noise %g: error %g (%g, %g, %g, %g)", NOISE[level], errors[level], errors[0],
                      errors[1], errors[2], errors[3]);
}

/* ---- (f) associative Markov networks ---- */

/* The program of Taskar, Chatalbashev and Koller (ICML 2004), which has no constraint per labelling: with two labels
 *     max_y loss(y) - w . Psi(y) = min over messages |m_e| <= s_e of sum_v max_l (theta_v(l) + [l = 1] sum_e +-m_e),
 * since the linear relaxation of an associative network of two labels is tight.  Variables: w, xi, then for each example a
 * bound t_v per variable and a message m_e per pair. */
static quadratic amn_quadratic(const lesson *l, double C)
{
    const size_t weights = l->plan.weights;
    size_t variables = weights + l->count;
    for (size_t i = 0; i < l->count; i++) variables += l->samples[i].n + l->samples[i].pairs_count;
    quadratic q = quadratic_create(variables, weights);
    double *psi = test_room(NULL, weights, sizeof *psi);
    size_t t = weights + l->count;
    for (size_t i = 0; i < l->count; i++) {
        const sample *s = &l->samples[i];
        const size_t m = t + s->n;
        q.cost[weights + i] = C / (double)l->count;
        sample_psi(&l->plan, s, s->truth, psi);
        double *row = quadratic_row(&q, 0);
        row[weights + i] = 1;
        for (size_t j = 0; j < weights; j++) row[j] = -psi[j];
        for (size_t v = 0; v < s->n; v++) row[t + v] = -1;
        for (size_t v = 0; v < s->n; v++)
            for (size_t label = 0; label < 2; label++) {
                row = quadratic_row(&q, label == s->truth[v] ? 0 : 1 / (double)s->n);
                row[t + v] = 1;
                for (size_t f = 0; f < s->features_count; f++)
                    if (s->features[f].variable == v) row[2 * s->features[f].index + label] += s->features[f].value;
                for (size_t e = 0; label && e < s->pairs_count; e++) {
                    if (s->pairs[e].variables[0] == v) row[m + e] -= 1;
                    if (s->pairs[e].variables[1] == v) row[m + e] += 1;
                }
            }
        for (size_t e = 0; e < s->pairs_count; e++)
            for (int sign = -1; sign <= 1; sign += 2) {
                row = quadratic_row(&q, 0);
                row[m + e] = sign;
                for (size_t j = 0; j < NONNEGATIVE.size; j++) row[l->plan.groups[1].offset + j] = s->pairs[e].phi[j];
            }
        t = m + s->pairs_count;
    }
    quadratic_add_cone(&q, &l->plan);
    free(psi);
    return q;
}

static void nonnegative_pairs_alone_train_associative_markov_networks(void **state)
{
    (void)state;
    references refs = references_begin();
    for (uint64_t number = 0; number < test_cases(12); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sos_group groups[] = { FREE, NONNEGATIVE };
        const sample_recipe wanted = { .n = 10, .pairs = 14, .phi = true, .noise = 0.3 };
        lesson l = lesson_random(&r, 2, 2, groups, 3, &wanted);
        const double C = C_of_case(c);
        quadratic q = amn_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        references_add(&refs, &q, optimum, C);
        check_optimum(&l, C, optimum);
        quadratic_free(&q);
        lesson_free(&l);
    }
    if (!references_check(&refs)) test_peer_missing("CVXOPT (python3-cvxopt)");
}

/* ---- (g) paths ---- */

/* With three labels, the oracle is expansion moves: bounds from below still hold, and nearly always nothing is lost. */
static void more_labels_are_trained_by_expansion_moves(void **state)
{
    (void)state;
    size_t reached = 0, cases = 0;
    for (uint64_t number = 0; number < test_cases(40); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 3, 4);
        const double C = C_of_case(c);
        quadratic q = lesson_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        sos_train_settings s = to_the_end(C);
        sos_train_result result;
        sos_error error;
        s.slacks = c % 3;
        s.exhaustive = 0;
        check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
        check(result.approximate);
        size_t group;
        check(plan_holds(&l.plan, sos_model_weights(l.model), &group));
        const double value = (double)lesson_objective(&l, C, sos_model_weights(l.model), NULL);
        if (result.last.dual > optimum * (1 + 1e-6) + 1e-9 || value < optimum * (1 - 1e-6) - 1e-9)
            test_fail(__FILE__, __LINE__, "dual %.12g, the weights cost %.12g, the optimum is %.12g", result.last.dual, value,
                      optimum);
        reached += value <= optimum * (1 + 1e-4) + 1e-9;
        cases++;
        quadratic_free(&q);
        lesson_free(&l);
    }
    check(5 * reached >= 4 * cases);
}

/* An oracle that every other time finds nothing. */
typedef struct forgetful {
    watch *x;
    size_t asked;
} forgetful;

static sos_status forgetful_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                    sos_error *error)
{
    forgetful *f = user;
    if (++f->asked % 2) return watch_violate(f->x, i, w, difference, loss, missed, error);
    return SOS_OK;
}

static void what_an_approximate_oracle_forgets_the_cache_remembers(void **state)
{
    (void)state;
    size_t hits = 0;
    for (uint64_t number = 0; number < test_cases(20); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 4);
        const double C = C_of_case(c);
        quadratic q = lesson_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        watch x = watch_begin(&l, C, optimum);
        forgetful f = { &x, 0 };
        const sos_oracle asked = { .examples = l.count, .user = &f, .violate = forgetful_violate, .approximate = true };
        sos_train_settings s = to_the_end(C);
        sos_train_result result;
        sos_error error;
        s.slacks = 1;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        check(result.approximate && result.last.dual <= optimum * (1 + 1e-6) + 1e-9);
        hits += result.last.cache_hits;
        quadratic_free(&q);
        lesson_free(&l);
    }
    check(hits > 0);
}

static void a_path_is_the_trainings_it_is_made_of(void **state)
{
    (void)state;
    static const double VALUES[] = { 0.03, 0.3, 3, 30 };
    for (uint64_t number = 0; number < test_cases(16); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 6);
        sos_train_settings s = to_the_end(12345); /* not used */
        sos_path_point path[4];
        size_t best = 99;
        double mean;
        sos_error error;
        s.slacks = c % 3;
        s.step = c % 2 ? 1 : s.step;
        /* The examples serve for validation too. */
        const size_t validation = c % 2 ? l.count : 0;
        check_ok(sos_train_path(l.model, l.count, l.examples, validation, validation ? l.examples : NULL, 4, VALUES, &s, path,
                                &best, &error),
                 error);
        check(best < 4);
        check_ok(sos_evaluate(l.model, l.count, l.examples, &(sos_work){ .threads = 1 }, NULL, &mean, &error), error);
        const double kept = (double)lesson_objective(&l, VALUES[best], sos_model_weights(l.model), NULL);
        check(is_close(kept, path[best].result.last.primal, 1e-5));
        if (validation) check(mean == path[best].validation_loss);
        if (!validation) check(best == 3);
        for (size_t i = 0; i < 4; i++) {
            quadratic q = lesson_quadratic(&l, VALUES[i]);
            const double optimum = quadratic_solve(&q, NULL);
            check(path[i].C == VALUES[i] && path[i].result.last.C == VALUES[i]);
            if (!is_close(path[i].result.last.primal, optimum, 1e-5) ||
                !is_optimum(path[i].result.last.dual, optimum, VALUES[i]))
                test_fail(__FILE__, __LINE__, "C = %g: primal %.12g, dual %.12g, but %.12g is possible", VALUES[i],
                          path[i].result.last.primal, path[i].result.last.dual, optimum);
            check(validation ? path[i].validation_loss >= path[best].validation_loss : isnan(path[i].validation_loss));
            if (validation && i < best) check(path[i].validation_loss > path[best].validation_loss);
            quadratic_free(&q);
        }
        lesson_free(&l);
    }
}

/* Rounds of a path that asked nothing, by what the callback sees. */
typedef struct asking {
    size_t calls, unasked;
} asking;

static bool count_unasked(void *user, const sos_train_round *round)
{
    asking *a = user;
    a->unasked += round->oracle_calls == a->calls;
    a->calls = round->oracle_calls;
    return true;
}

/* With a gap of use: every point is within it, by the optimum of the program with all constraints listed, whether its last
 * round asked or not; and the weights that come out cost no more than they say. */
static void points_of_a_path_are_within_the_gap(void **state)
{
    (void)state;
    static const double VALUES[] = { 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 };
    enum { COUNT = sizeof VALUES / sizeof *VALUES };
    size_t unasked = 0, along = 0, alone = 0;
    for (uint64_t number = 0; number < test_cases(16); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 6);
        sos_train_settings s = sos_train_defaults();
        asking a = { 0 };
        sos_path_point path[COUNT];
        sos_error error;
        s.gap = c % 2 ? 0.02 : 0.002;
        s.slacks = c % 3;
        s.watch = count_unasked;
        s.work.user = &a;
        check_ok(sos_train_path(l.model, l.count, l.examples, 0, NULL, COUNT, VALUES, &s, path, NULL, &error), error);
        const double cost = (double)lesson_objective(&l, VALUES[COUNT - 1], sos_model_weights(l.model), NULL);
        check(cost <= path[COUNT - 1].result.last.primal * (1 + 1e-9) + 1e-12);
        for (size_t i = 0; i < COUNT; i++) {
            const sos_train_round *last = &path[i].result.last;
            sos_train_result single;
            quadratic q = lesson_quadratic(&l, VALUES[i]);
            const double optimum = quadratic_solve(&q, NULL);
            check(path[i].result.outcome == SOS_TRAIN_GAP && last->round >= 1 && last->gap <= s.gap);
            check(last->gap >= (last->primal - last->dual) / last->primal - 1e-12);
            if (last->primal < optimum * (1 - 1e-6) - 1e-9 || last->dual > optimum * (1 + 1e-6) + 1e-9 ||
                last->primal > optimum / (1 - s.gap) * (1 + 1e-6) + 1e-9)
                test_fail(__FILE__, __LINE__, "C = %g: primal %.12g, dual %.12g, but %.12g is possible, gap %g", VALUES[i],
                          last->primal, last->dual, optimum, s.gap);
            quadratic_free(&q);
            s.C = VALUES[i];
            s.watch = NULL;
            check_ok(sos_train(l.model, l.count, l.examples, &s, &single, &error), error);
            alone += single.last.oracle_calls;
        }
        unasked += a.unasked;
        along += a.calls;
        lesson_free(&l);
    }
    check(unasked > 0);
    if (!(4 * along <= 3 * alone)) test_fail(__FILE__, __LINE__, "%zu minimisations along paths, %zu alone", along, alone);
}

static void bad_paths_are_refused(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, 5);
    sos_error error;
    sos_path_point path[2];
    static const double ZERO[] = { 0, 1 }, NEGATIVE[] = { -1, 1 }, NO_NUMBER[] = { 1, NAN }, ENDLESS[] = { 1, INFINITY };
    const double *bad[] = { ZERO, NEGATIVE, NO_NUMBER, ENDLESS };
    for (size_t b = 0; b < 4; b++)
        check_error(sos_train_path(l.model, l.count, l.examples, 0, NULL, 2, bad[b], NULL, path, NULL, &error),
                    SOS_ERR_ARGUMENT, error, "C");
    check_is(sos_train_path(l.model, l.count, l.examples, 0, NULL, 0, ZERO, NULL, path, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_train_path(l.model, l.count, l.examples, 0, NULL, 2, NULL, NULL, path, NULL, &error), SOS_ERR_ARGUMENT);
    lesson_free(&l);
}

/* ---- (h) what may not change anything, and what may not change the objective ---- */

typedef struct pictures {
    plan plan;
    sos_model *model;
    size_t count;
    sos_example *examples[16];
} pictures;

static pictures pictures_of_case(uint64_t c, double noise)
{
    sos_random r = test_case_begin(c);
    pictures p = { .plan = plan_create(2, 2, PICTURE_GROUPS), .count = 5 };
    p.model = plan_build(&p.plan);
    double *w = test_room(NULL, p.plan.weights, sizeof *w);
    sos_error error;
    hidden_weights(&r, &p.plan, w);
    check_ok(sos_model_set_weights(p.model, w, &error), error);
    pictures_create(&r, &p.plan, p.model, noise, p.count, p.examples);
    free(w);
    return p;
}

static void pictures_free(pictures *p)
{
    for (size_t i = 0; i < p->count; i++) sos_example_free(p->examples[i]);
    sos_model_free(p->model);
    plan_free(&p->plan);
}

static double train_pictures(pictures *p, const sos_train_settings *s, double w[])
{
    sos_train_result result;
    sos_error error;
    check_ok(sos_train(p->model, p->count, p->examples, s, &result, &error), error);
    if (w) memcpy(w, sos_model_weights(p->model), p->plan.weights * sizeof *w);
    if (result.outcome != SOS_TRAIN_GAP)
        test_fail(__FILE__, __LINE__, "outcome %d after %zu rounds at a gap of %g", (int)result.outcome, result.last.round,
                  result.last.gap);
    return result.last.primal;
}

static void threads_repeats_and_memory_do_not_change_a_bit(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(4); c++) {
        pictures p = pictures_of_case(c, 0.4);
        sos_train_settings s = sos_train_defaults();
        s.C = 10;
        s.rounds = 200;
        s.slacks = c % 3;
        if (c % 2) s.step = 1;
        double *w = test_room(NULL, p.plan.weights, sizeof *w), *again = test_room(NULL, p.plan.weights, sizeof *w);
        s.work.threads = 1;
        train_pictures(&p, &s, w);
        static const int THREADS[] = { 1, 2, 4, 0 };
        for (size_t i = 0; i < 4; i++) {
            s.work.threads = THREADS[i];
            train_pictures(&p, &s, again);
            if (memcmp(w, again, p.plan.weights * sizeof *w) != 0)
                test_fail(__FILE__, __LINE__, "other weights on %d threads", s.work.threads);
        }
        s.memory = 1; /* no flow is kept */
        train_pictures(&p, &s, again);
        check(!memcmp(w, again, p.plan.weights * sizeof *w));
        s.memory = 0;
        s.warm = false;
        train_pictures(&p, &s, again);
        check(!memcmp(w, again, p.plan.weights * sizeof *w));
        free(w);
        free(again);
        pictures_free(&p);
    }
}

static void all_settings_reach_the_same_objective(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3); c++) {
        pictures p = pictures_of_case(c, 0.5);
        sos_train_settings s = sos_train_defaults();
        s.C = 3;
        s.gap = 1e-4;
        s.rounds = 2000;
        s.work.threads = 2;
        const double wanted = train_pictures(&p, &s, NULL);
        for (unsigned way = 0; way < 24; way++) {
            sos_train_settings t = s;
            t.slacks = way % 3 == 2 ? p.count : 1 + way % 3;
            t.cache = way / 3 % 2 ? 0 : 5;
            t.warm = way / 6 % 2;
            t.step = way / 12 ? 1 : 0.3;
            t.idle = way % 5 == 4 ? 2 : s.idle;
            const double value = train_pictures(&p, &t, NULL);
            if (!is_close(value, wanted, 2e-4)) test_fail(__FILE__, __LINE__, "way %u: %.12g, not %.12g", way, value, wanted);
        }
        pictures_free(&p);
    }
}

/* Folds by hand: what is learned from all examples but those of one fold judges these. */
static double folds_by_hand(const pictures *p, size_t folds, double C)
{
    double sum = 0;
    for (size_t fold = 0; fold < folds; fold++) {
        sos_example *learned[16];
        size_t count = 0;
        sos_model *copy;
        sos_error error;
        sos_train_settings s = to_the_end(C);
        for (size_t i = 0; i < p->count; i++)
            if (i % folds != fold) learned[count++] = p->examples[i];
        check_ok(sos_model_copy(p->model, &copy, &error), error);
        check_ok(sos_train_path(copy, count, learned, 0, NULL, 1, &C, &s, NULL, NULL, &error), error);
        for (size_t i = fold; i < p->count; i += folds) {
            double loss;
            check_ok(sos_evaluate(copy, 1, &p->examples[i], &(sos_work){ .threads = 1 }, NULL, &loss, &error), error);
            sum += loss;
        }
        sos_model_free(copy);
    }
    return sum / (double)p->count;
}

static bool never(void *user, const sos_train_round *round)
{
    (void)user, (void)round;
    return false;
}

static void cross_validation_judges_by_what_was_not_learned_from(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(3); c++) {
        pictures p = pictures_of_case(c, 0.4);
        const double values[] = { 0.1, 10 };
        double before[64] = { 0 };
        check(sos_model_weight_count(p.model) <= 64);
        memcpy(before, sos_model_weights(p.model), sos_model_weight_count(p.model) * sizeof *before);
        for (size_t folds = 2; folds <= p.count; folds += 3) {
            double losses[2] = { -1, -1 };
            size_t best = 99;
            sos_error error;
            sos_train_settings s = to_the_end(777); /* C is not used */
            s.work.threads = c % 2 ? 1 : 2;
            for (size_t v = 0; v < 2; v++) { /* one at a time, as a path of one value: the same bits */
                double loss;
                check_ok(sos_train_folds(p.model, p.count, p.examples, folds, 1, &values[v], &s, &loss, &best, &error), error);
                check(best == 0 && is_close(loss, folds_by_hand(&p, folds, values[v]), 1e-12));
            }
            check_ok(sos_train_folds(p.model, p.count, p.examples, folds, 2, values, &s, losses, &best, &error), error);
            check(best == (losses[1] < losses[0]));
            check(!memcmp(before, sos_model_weights(p.model), sos_model_weight_count(p.model) * sizeof *before));
            s.watch = never;
            best = 99;
            check_is(sos_train_folds(p.model, p.count, p.examples, folds, 2, values, &s, losses, &best, &error), SOS_CANCELLED);
            check(best == 99);
        }
        sos_error error;
        check_error(sos_train_folds(p.model, p.count, p.examples, 1, 2, values, NULL, NULL, NULL, &error), SOS_ERR_ARGUMENT,
                    error, "1 folds");
        check_error(sos_train_folds(p.model, p.count, p.examples, p.count + 1, 2, values, NULL, NULL, NULL, &error),
                    SOS_ERR_ARGUMENT, error, "folds");
        pictures_free(&p);
    }
}

/* ---- (i) outcomes ---- */

static void limits_end_training_with_the_best_weights(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(40); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, 5 * c + 1, 2, 6);
        sos_train_settings s = to_the_end(10);
        watch x = watch_begin(&l, 10, NAN);
        sos_train_outcome wanted = SOS_TRAIN_STOPPED;
        s.watch = watch_round;
        s.work.user = &x;
        s.slacks = 1;
        s.cache = 0;
        switch (c % 4) {
        case 0: x.stop_at = 1 + c / 4 % 4; break;
        case 1:
            s.rounds = 1 + c / 4 % 4;
            wanted = SOS_TRAIN_ROUNDS;
            break;
        case 2:
            s.seconds = 1e-12;
            wanted = SOS_TRAIN_SECONDS;
            break;
        default: s.epsilon = 100; wanted = SOS_TRAIN_EPSILON;
        }
        sos_train_result result;
        sos_error error;
        const sos_status status = sos_train(l.model, l.count, l.examples, &s, &result, &error);
        check(status == (result.outcome == SOS_TRAIN_STOPPED ? SOS_CANCELLED : SOS_OK));
        check_watch(&x);
        if (result.outcome != SOS_TRAIN_GAP) check(result.outcome == wanted); /* some are solved before */
        if (result.outcome == SOS_TRAIN_STOPPED) check(x.rounds == x.stop_at);
        if (result.outcome == SOS_TRAIN_ROUNDS) check(x.rounds == s.rounds);
        if (result.outcome == SOS_TRAIN_SECONDS || result.outcome == SOS_TRAIN_EPSILON) check(x.rounds == 1);
        check(!result.resumed && result.last.round == x.rounds && result.last.primal == x.primal);
        const double value = (double)lesson_objective(&l, 10, sos_model_weights(l.model), NULL);
        check(value <= result.last.primal * (1 + 1e-6) && is_close(value, result.last.primal, 0.02)); /* the oracle rounds */
        size_t group;
        check(plan_holds(&l.plan, sos_model_weights(l.model), &group));
        lesson_free(&l);
    }
}

/* A training that was stopped before it had anything to show is told apart from one that has learned. */
static void training_says_whether_it_has_learned_anything(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(20); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sample_recipe wanted = { .n = 5, .pairs = 2, .cliques = 2, .noise = 0.1 };
        const sos_group groups[] = { FREE, TABLES[6] };
        lesson l = lesson_random(&r, 2, 2, groups, 6, &wanted);
        sos_train_settings s = to_the_end(100);
        watch x = { .l = &l, .C = 100, .optimum = NAN, .primal = INFINITY, .dual = -INFINITY };
        s.watch = watch_round;
        s.work.user = &x;
        sos_train_result result;
        sos_error error;
        for (size_t stop = 1; stop < 30; stop++) {
            x.rounds = 0;
            x.stop_at = stop;
            memset(&result, 0xff, sizeof result);
            const sos_status status = sos_train(l.model, l.count, l.examples, &s, &result, &error);
            double norm = 0;
            for (size_t j = 0; j < l.plan.weights; j++) norm += fabs(sos_model_weights(l.model)[j]);
            if (status == SOS_OK) {
                check(result.learned && result.outcome != SOS_TRAIN_STOPPED);
                break;
            }
            check(status == SOS_CANCELLED && result.outcome == SOS_TRAIN_STOPPED && result.last.round == stop);
            check(result.learned == (isfinite(result.last.primal) && norm > 0));
            if (stop == 1) check(!result.learned); /* a sixth of the examples, asked at w = 0 */
        }
        lesson_free(&l);
    }
}

/* With epsilon as the only way to end, no constraint of any example is violated by more than it (1-slack: their mean). */
static void epsilon_bounds_the_violation_of_every_constraint(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(40); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 6);
        const double C = C_of_case(c), epsilon = 1e-3;
        sos_train_settings s = to_the_end(C);
        s.gap = 0;
        s.epsilon = epsilon;
        s.slacks = (size_t)(c % 2);
        if (c % 3 == 0) s.step = 1;
        const sos_oracle asked = { .examples = l.count, .user = &l, .violate = lesson_violate };
        sos_train_result result;
        sos_error error;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        check(result.outcome == SOS_TRAIN_EPSILON || (result.outcome == SOS_TRAIN_GAP && result.last.gap == 0));
        /* Then the objective is within C epsilon of the optimum (Joachims, Finley and Yu, 2009, theorem 5). */
        quadratic q = lesson_quadratic(&l, C);
        const double optimum = quadratic_solve(&q, NULL);
        check(result.last.primal <= optimum + C * epsilon + 1e-6 * (1 + optimum));
        quadratic_free(&q);
        lesson_free(&l);
    }
}

/* Examples that contradict each other: the same features, all labels turned round. */
static void an_optimum_of_zero_is_said_to_be_so(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(20); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sample_recipe wanted = { .n = 5, .noise = 0.5 };
        plan p = plan_create(2, 1, &FREE);
        sos_model *m = plan_build(&p);
        double hidden[4];
        plan_weights_random(&r, &p, hidden);
        sample s = sample_random(&r, &p, &wanted, hidden);
        sos_example *examples[2];
        examples[0] = sample_build(&p, m, &s);
        for (size_t i = 0; i < s.n; i++) s.truth[i] ^= 1;
        examples[1] = sample_build(&p, m, &s);
        sos_train_settings settings = to_the_end(C_of_case(c));
        settings.slacks = c % 3;
        settings.gap = 1e-4;
        sos_train_result result;
        sos_error error;
        check_ok(sos_model_set_weights(m, (double[]){ 1, 2, 3, 4 }, &error), error);
        check_ok(sos_train(m, 2, examples, &settings, &result, &error), error);
        check(result.outcome == SOS_TRAIN_GAP && result.zero);
        for (size_t j = 0; j < 4; j++) check(sos_model_weights(m)[j] == 0);
        sos_example_free(examples[0]);
        sos_example_free(examples[1]);
        sample_free(&s);
        sos_model_free(m);
        plan_free(&p);
    }
}

/* Nothing can be wrong, so nothing is to be learned: the objective itself is 0. */
static void examples_that_do_not_care_give_zero(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, 5);
    static const uint8_t NONE[5];
    sos_error error;
    for (size_t i = 0; i < l.count; i++)
        check_ok(sos_example_set_truth(l.examples[i], l.samples[i].truth, NONE, &error), error);
    sos_train_settings s = to_the_end(1);
    sos_train_result result;
    check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
    check(result.zero && result.outcome == SOS_TRAIN_GAP && result.last.primal == 0 && result.last.dual == 0);
    check(result.last.gap == 0 && result.last.round < 5);
    lesson_free(&l);
}

/* A gap that rounding does not allow must not keep training for ever. */
static void a_gap_of_zero_ends(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(5); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 5);
        sos_train_settings s = to_the_end(1);
        s.gap = 0;
        s.rounds = 0;
        s.seconds = 3;
        sos_train_result result;
        sos_error error;
        check_ok(sos_train(l.model, l.count, l.examples, &s, &result, &error), error);
        check(result.outcome != SOS_TRAIN_SECONDS);
        lesson_free(&l);
    }
}

/* Numbers of very different sizes: C = 1e15, or features of 1e8 beside tables of 1.  Doubles do not solve such programs;
 * training must notice, and still come to the optimum.  With C so large the mean slack is that of C = 1e9, unless that is
 * nearly 0. */
static void a_very_large_C_is_learned(void **state)
{
    (void)state;
    size_t reached = 0, cases = 0;
    for (uint64_t number = 0; number < test_cases(12); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sample_recipe wanted = { .n = 6, .pairs = 4, .cliques = 4, .noise = 0.4 };
        const sos_group groups[] = { FREE, TABLES[c % TABLES_COUNT], NONNEGATIVE };
        lesson l = lesson_random(&r, 2, 3, groups, 8, &wanted);
        sos_train_settings s = sos_train_defaults();
        sos_train_result usual, result;
        sos_error error;
        const sos_oracle asked = { .examples = l.count, .user = &l, .violate = lesson_violate };
        s.C = 1e9;
        s.rounds = 400;
        check_ok(sos_train_oracle(l.model, &asked, &s, &usual, &error), error);
        s.C = 1e15;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        if (result.outcome != SOS_TRAIN_GAP && result.outcome != SOS_TRAIN_STALLED)
            test_fail(__FILE__, __LINE__, "outcome %d after %zu rounds, gap %g", (int)result.outcome, result.last.round,
                      result.last.gap);
        const double value = (double)lesson_objective(&l, 1e15, sos_model_weights(l.model), NULL);
        check(is_close(value, result.last.primal, 1e-6));
        if (!(usual.last.primal > 1e6)) { /* no slack is left, and the last place of a weight counts more than the objective */
            lesson_free(&l);
            continue;
        }
        cases++;
        reached += result.outcome == SOS_TRAIN_GAP;
        const double mean = result.last.primal / 1e15, bound = result.last.dual / 1e15, known = usual.last.primal / 1e9;
        if (bound > known * (1 + 1e-6) || (result.outcome == SOS_TRAIN_GAP && mean > known * (1 + 2 * s.gap)))
            test_fail(__FILE__, __LINE__, "C = 1e9: %.10g; C = 1e15: %.10g and %.10g", known, mean, bound);
        lesson_free(&l);
    }
    check(cases > 0 && reached == cases);
}

static void features_of_any_size_are_learned(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(12); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sample_recipe wanted = { .n = 6, .pairs = 4, .cliques = 4, .noise = 0.4 };
        const sos_group groups[] = { FREE, TABLES[c % TABLES_COUNT], NONNEGATIVE };
        lesson l = lesson_random(&r, 2, 3, groups, 8, &wanted);
        sos_train_settings s = sos_train_defaults();
        sos_train_result usual, result;
        sos_error error;
        const sos_oracle asked = { .examples = l.count, .user = &l, .violate = lesson_violate };
        s.C = 100;
        s.rounds = 400;
        check_ok(sos_train_oracle(l.model, &asked, &s, &usual, &error), error);
        for (size_t i = 0; i < l.count; i++)
            for (size_t f = 0; f < l.samples[i].features_count; f++) l.samples[i].features[f].value *= 0x1p27; /* 1.3e8 */
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        if (result.outcome != SOS_TRAIN_GAP || result.last.primal > usual.last.primal * (1 + s.gap))
            test_fail(__FILE__, __LINE__, "outcome %d after %zu rounds, gap %g, objective %.10g, with features of 1 %.10g",
                      (int)result.outcome, result.last.round, result.last.gap, result.last.primal, usual.last.primal);
        const double value = (double)lesson_objective(&l, s.C, sos_model_weights(l.model), NULL);
        check(is_close(value, result.last.primal, 1e-6) && result.last.dual <= value * (1 + 1e-9));
        lesson_free(&l);
    }
}

/* ---- (j) bad input ---- */

static void bad_training_is_refused(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 1, 2, 5), other = lesson_of_case(&r, 2, 2, 5);
    sos_error error;
    sos_example *mixed[] = { l.examples[0], other.examples[0] }, *without = NULL, *missing[] = { l.examples[0], NULL };
    check_ok(sos_example_create(l.model, 5, &without, &error), error);
    sos_example *unknown[] = { l.examples[0], without };
    double *w = test_room(NULL, l.plan.weights, sizeof *w);
    plan_weights_random(&r, &l.plan, w);
    check_ok(sos_model_set_weights(l.model, w, &error), error);

    check_error(sos_train(l.model, 2, unknown, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "example 1", "true label");
    check_error(sos_train(l.model, 2, mixed, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "example 1", "group");
    check_error(sos_train(l.model, 2, missing, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "example 1");
    check_error(sos_train(l.model, 0, l.examples, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "example");
    check_is(sos_train(NULL, 1, l.examples, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_train(l.model, 1, NULL, NULL, NULL, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_train_oracle(l.model, NULL, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_train_oracle(l.model, &(sos_oracle){ .examples = 1 }, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_error(sos_evaluate(l.model, 2, mixed, &(sos_work){ .threads = 1 }, NULL, w, &error), SOS_ERR_ARGUMENT, error,
                "example 1");

    static const double BAD[] = { 0, -1, NAN, INFINITY, -INFINITY };
    for (size_t b = 0; b < 5; b++) {
        sos_train_settings s = sos_train_defaults();
        s.C = BAD[b];
        check_error(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "C is");
    }
    static const size_t FIELDS[] = { offsetof(sos_train_settings, gap), offsetof(sos_train_settings, epsilon),
                                     offsetof(sos_train_settings, seconds), offsetof(sos_train_settings, step),
                                     offsetof(sos_train_settings, qp_gap) };
    for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++)
        for (size_t b = 1; b < 3; b++) {
            sos_train_settings s = sos_train_defaults();
            memcpy((char *)&s + FIELDS[f], &BAD[b], sizeof(double));
            check_is(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT);
        }
    check(!memcmp(sos_model_weights(l.model), w, l.plan.weights * sizeof *w));
    free(w);
    sos_example_free(without);
    lesson_free(&l);
    lesson_free(&other);
}

static sos_status fail_at_third(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                sos_error *error)
{
    if (i != 2) return lesson_violate(user, i, w, difference, loss, missed, error);
    snprintf(error->message, sizeof error->message, "the dog ate it");
    error->status = SOS_ERR_IO;
    return SOS_ERR_IO;
}

static sos_status not_a_number(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                               sos_error *error)
{
    const sos_status status = lesson_violate(user, i, w, difference, loss, missed, error);
    *loss = NAN;
    return status;
}

static void a_failing_oracle_ends_training_with_its_words(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    const sample_recipe wanted = { .n = 5, .noise = 0.5 };
    lesson l = lesson_random(&r, 2, 1, &FREE, 4, &wanted);
    sos_error error;
    for (int threads = 1; threads <= 4; threads *= 2) {
        sos_train_settings s = to_the_end(1);
        s.work.threads = threads;
        const sos_oracle failing = { .examples = l.count, .user = &l, .violate = fail_at_third },
                         empty = { .examples = l.count, .user = &l, .violate = not_a_number };
        check_error(sos_train_oracle(l.model, &failing, &s, NULL, &error), SOS_ERR_IO, error, "example 2", "the dog ate it");
        check_error(sos_train_oracle(l.model, &empty, &s, NULL, &error), SOS_ERR_ARGUMENT, error, "example 0");
    }
    lesson_free(&l);
}

/* An oracle that finds only part of the violation, and says so: what it missed counts in the primal value. */
static sos_status miss_some(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                            sos_error *error)
{
    const sos_status status = lesson_violate(user, i, w, difference, loss, missed, error);
    *missed = 0.125;
    return status;
}

static void what_an_oracle_missed_counts(void **state)
{
    (void)state;
    size_t stalled = 0;
    for (uint64_t number = 0; number < test_cases(10); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 5);
        quadratic q = lesson_quadratic(&l, 1);
        const double optimum = quadratic_solve(&q, NULL);
        const sos_oracle asked = { .examples = l.count, .user = &l, .violate = miss_some };
        sos_train_settings s = to_the_end(1);
        s.rounds = 60;
        sos_train_result result;
        sos_error error;
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        check(result.last.primal >= optimum + 0.125 - 1e-6 && result.last.dual <= optimum + 1e-9);
        check(result.outcome == SOS_TRAIN_STALLED || result.outcome == SOS_TRAIN_ROUNDS); /* epsilon is off */
        stalled += result.outcome == SOS_TRAIN_STALLED;
        quadratic_free(&q);
        lesson_free(&l);
    }
    check(stalled > 0);
}

static void evaluation_is_the_mean_loss_of_predictions(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(20); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 6);
        double *w = test_room(NULL, l.plan.weights, sizeof *w), losses[8], mean, sum = 0;
        sos_error error;
        plan_weights_random(&r, &l.plan, w);
        check_ok(sos_model_set_weights(l.model, w, &error), error);
        check_ok(sos_evaluate(l.model, l.count, l.examples, &(sos_work){ .threads = (int)(c % 3) }, losses, &mean, &error),
                 error);
        for (size_t i = 0; i < l.count; i++) {
            uint8_t y[EXHAUSTIVE_MAX];
            check_ok(sos_model_predict(l.model, l.examples[i], NULL, y, NULL, &error), error);
            check(is_close(losses[i], (double)sample_delta(&l.plan, &l.samples[i], y), 1e-12));
            sum += losses[i] / (double)l.count;
        }
        check(is_close(mean, sum, 1e-12));
        check_ok(sos_evaluate(l.model, l.count, l.examples, &(sos_work){ .threads = 1 }, NULL, &mean, NULL), error);
        free(w);
        lesson_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_of_a_round_is_solved),
        cmocka_unit_test(training_reaches_the_optimum_of_the_program_with_every_constraint),
        cmocka_unit_test(the_objective_is_that_of_cvxopt),
        cmocka_unit_test(every_iterate_is_submodular_and_every_round_in_order),
        cmocka_unit_test(planes_are_gradients_of_the_objective),
        cmocka_unit_test(data_of_a_submodular_model_are_learned_as_their_noise_goes),
        cmocka_unit_test(nonnegative_pairs_alone_train_associative_markov_networks),
        cmocka_unit_test(more_labels_are_trained_by_expansion_moves),
        cmocka_unit_test(what_an_approximate_oracle_forgets_the_cache_remembers),
        cmocka_unit_test(a_path_is_the_trainings_it_is_made_of),
        cmocka_unit_test(points_of_a_path_are_within_the_gap),
        cmocka_unit_test(bad_paths_are_refused),
        cmocka_unit_test(cross_validation_judges_by_what_was_not_learned_from),
        cmocka_unit_test(threads_repeats_and_memory_do_not_change_a_bit),
        cmocka_unit_test(all_settings_reach_the_same_objective),
        cmocka_unit_test(limits_end_training_with_the_best_weights),
        cmocka_unit_test(training_says_whether_it_has_learned_anything),
        cmocka_unit_test(epsilon_bounds_the_violation_of_every_constraint),
        cmocka_unit_test(an_optimum_of_zero_is_said_to_be_so),
        cmocka_unit_test(examples_that_do_not_care_give_zero),
        cmocka_unit_test(a_gap_of_zero_ends),
        cmocka_unit_test(a_very_large_C_is_learned),
        cmocka_unit_test(features_of_any_size_are_learned),
        cmocka_unit_test(bad_training_is_refused),
        cmocka_unit_test(a_failing_oracle_ends_training_with_its_words),
        cmocka_unit_test(what_an_oracle_missed_counts),
        cmocka_unit_test(evaluation_is_the_mean_loss_of_predictions),
    };
    return cmocka_run_group_tests_name("train", tests, NULL, NULL);
}
