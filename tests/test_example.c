/* test_example.c - Psi, energy, loss and the most violated constraint of examples, against the definitions of model.h and by
 * trying all labellings; and every bad input. */
#include "learning_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups of all kinds; the tables of 1 to 5 members, tied and anchored in ways that differ by case. */
static size_t groups_of_case(uint64_t c, size_t labels, sos_group groups[])
{
    const bool swap = labels == 2 && (c & 1);
    const sos_group all[] = {
        { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
        { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
        { .name = "square",
          .kind = SOS_GROUP_TABLE,
          .size = 4,
          .anchored = c & 2,
          .swap = swap,
          .patch_width = 2,
          .patch_height = 2 },
        { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = c & 4 },
        { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2, .anchored = c & 8, .swap = swap },
        { .name = "bias", .kind = SOS_GROUP_FREE, .size = 1 },
        { .name = "single", .kind = SOS_GROUP_TABLE, .size = 1, .anchored = c & 16 },
        { .name = "five", .kind = SOS_GROUP_TABLE, .size = 5, .patch_width = c & 32 ? 5 : 0, .patch_height = c & 32 ? 1 : 0 },
        { .name = "prior", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
    };
    enum { COUNT = sizeof all / sizeof *all };
    size_t count = 0;
    for (size_t g = 0; g < COUNT && count < GROUPS_MAX; g++)
        if ((c / 3 + g) % COUNT < GROUPS_MAX) groups[count++] = all[g];
    return count;
}

static lesson lesson_of_case(sos_random *r, uint64_t c, size_t labels, size_t n)
{
    sos_group groups[GROUPS_MAX];
    const size_t count = groups_of_case(c, labels, groups);
    const sample_recipe wanted = {
        .n = n, .pairs = 3, .cliques = 2, .phi = c % 3, .scale = c % 5 == 2, .care = c & 1, .losses = c & 2, .noise = 0.2
    };
    return lesson_random(r, labels, count, groups, 1, &wanted);
}

static void labels_random(sos_random *r, size_t labels, size_t n, uint8_t y[])
{
    for (size_t i = 0; i < n; i++) y[i] = (uint8_t)sos_random_below(r, labels);
}

/* ---- values ---- */

static void psi_energy_and_loss_are_those_of_the_definitions(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(400); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = 2 + c % 4, n = 1 + (size_t)sos_random_below(&r, labels == 2 ? 10 : 5);
        lesson l = lesson_of_case(&r, c, labels, n);
        const sample *s = &l.samples[0];
        double *psi = test_room(NULL, l.plan.weights, sizeof *psi), *is = test_room(NULL, l.plan.weights, sizeof *is);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t y[EXHAUSTIVE_MAX];
        plan_weights_random(&r, &l.plan, w);
        check(!memcmp(sos_example_truth(l.examples[0]), s->truth, n));
        check(sos_example_loss(l.examples[0], s->truth) == 0);
        for (int again = 0; again < 8; again++) {
            labels_random(&r, labels, n, y);
            sample_psi(&l.plan, s, y, psi);
            sos_example_psi(l.examples[0], y, is);
            long double energy = 0;
            for (size_t j = 0; j < l.plan.weights; j++) { /* all numbers are dyadic, so sums are exact */
                if (is[j] != psi[j]) test_fail(__FILE__, __LINE__, "Psi is %g at weight %zu, not %g", is[j], j, psi[j]);
                energy += (long double)w[j] * is[j];
            }
            check(energy == sample_energy(&l.plan, s, w, y));
            const double loss = sos_example_loss(l.examples[0], y);
            check(fabsl(loss - sample_delta(&l.plan, s, y)) <= 1e-14L * (1 + loss));
        }
        check(sos_example_bytes(l.examples[0]) > n);
        free(psi);
        free(is);
        free(w);
        lesson_free(&l);
    }
}

/* The least value of energy less loss, its labels, and what the result says of it. */
static void check_least(const lesson *l, const double w[], bool augmented, const sos_minimize_settings *settings)
{
    const sample *s = &l->samples[0];
    uint8_t best[EXHAUSTIVE_MAX], y[EXHAUSTIVE_MAX];
    sos_minimize_result result;
    sos_error error;
    const long double least = sample_least(&l->plan, s, w, augmented, best);
    if (settings && settings->start == SOS_START_LABELS) memset(y, 1, sizeof y);
    check_ok(sos_example_minimize(l->examples[0], w, augmented, settings, y, &result, &error), error);
    for (size_t i = 0; i < s->n; i++) check(y[i] < 2);
    const long double value = sample_energy(&l->plan, s, w, y) - (augmented ? sample_delta(&l->plan, s, y) : 0);
    const long double slack = 1e-12L * (1 + fabsl(least)) + 2 * result.rounding;
    if (!(value <= least + slack))
        test_fail(__FILE__, __LINE__, "the labels cost %.17Lg, but %.17Lg is possible", value, least);
    check(fabsl(result.energy - value) <= slack && result.lower_bound <= least + slack);
    check(result.rounding <= 1e-3);
}

static void the_most_violated_constraint_is_found(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(250); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 1 + (size_t)sos_random_below(&r, 12));
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        sos_minimize_settings settings = sos_minimize_defaults();
        for (int again = 0; again < 6; again++) {
            plan_weights_random(&r, &l.plan, w);
            for (size_t j = 0; again % 3 == 1 && j < l.plan.weights; j++) w[j] *= 0x1p-6; /* the loss decides */
            for (size_t j = 0; again == 2 && j < l.plan.weights; j++) w[j] = 0;
            settings.start = again == 0 ? SOS_START_COLD : again == 5 ? SOS_START_LABELS : SOS_START_FLOW;
            check_least(&l, w, again & 1, again ? &settings : NULL);
            check_least(&l, w, true, &settings);
        }
        free(w);
        lesson_free(&l);
    }
}

/* Weights that doubles do not hold exactly, in the cone but for their rounding. */
static void weights_of_any_scale_are_minimised(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(100); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c & ~UINT64_C(2), 2, 1 + (size_t)sos_random_below(&r, 8));
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        const double scale = exp(20 * sos_random_uniform(&r) - 10) / 3;
        plan_weights_random(&r, &l.plan, w);
        for (size_t j = 0; j < l.plan.weights; j++) w[j] *= scale;
        const sample *s = &l.samples[0];
        uint8_t best[EXHAUSTIVE_MAX], y[EXHAUSTIVE_MAX];
        sos_error error;
        const long double least = sample_least(&l.plan, s, w, true, best);
        check_ok(sos_example_minimize(l.examples[0], w, true, NULL, y, NULL, &error), error);
        const long double value = sample_energy(&l.plan, s, w, y) - sample_delta(&l.plan, s, y);
        check(value <= least + 1e-5L * scale);
        free(w);
        lesson_free(&l);
    }
}

static void prediction_is_minimisation_with_the_weights_of_the_model(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(50); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, c, 2, 1 + (size_t)sos_random_below(&r, 8));
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t y[EXHAUSTIVE_MAX], z[EXHAUSTIVE_MAX];
        sos_error error;
        sos_minimize_result result;
        plan_weights_random(&r, &l.plan, w);
        check_ok(sos_model_set_weights(l.model, w, &error), error);
        check_ok(sos_model_predict(l.model, l.examples[0], NULL, y, &result, &error), error);
        check_ok(sos_example_minimize(l.examples[0], w, false, NULL, z, NULL, &error), error);
        check(!memcmp(y, z, l.samples[0].n));
        free(w);
        lesson_free(&l);
    }
}

/* ---- regions ---- */

enum { REGION_COLOUR, REGION_EDGE, REGION_AREA, REGION_GROUPS, REGIONS_MAX = 4 };
static const sos_group REGION_GROUP[REGION_GROUPS] = {
    [REGION_COLOUR] = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
    [REGION_EDGE] = { .name = "edge", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
    [REGION_AREA] = { .name = "area", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
};

/* Regions as plain data: which variables, as bits; strengths; and how many may disagree before the cost stops growing. */
typedef struct areas {
    size_t count;
    uint32_t members[REGIONS_MAX];
    double phi[REGIONS_MAX][2];
    size_t reach[REGIONS_MAX];
    const double *cost; /* of labels, variable by variable; NULL: none */
} areas;

/* Costs of labels for the group of edges, which has one weight: at random, or NULL. */
typedef struct own_costs {
    double cost[EXHAUSTIVE_MAX * 8];
} own_costs;

static own_costs costs_set(sos_random *r, size_t labels, size_t n, sos_example *x)
{
    own_costs c = { 0 };
    sos_error error;
    for (int again = 0; again < 2; again++) { /* the second ones count */
        for (size_t i = 0; i < n * labels; i++) c.cost[i] = (double)sos_random_below(r, 33) / 8 - 2;
        check_ok(sos_example_set_costs(x, REGION_EDGE, c.cost, &error), error);
    }
    return c;
}

/* Two calls, of different reaches; with and without phi. */
static areas areas_add(sos_random *r, uint64_t c, size_t n, sos_example *x)
{
    areas a = { .count = REGIONS_MAX };
    sos_error error;
    for (size_t first = 0; first < REGIONS_MAX; first += REGIONS_MAX / 2) {
        const bool ones = first && (c & 1);
        const double share = first ? 0.5 : 0.3;
        size_t start[REGIONS_MAX / 2 + 1] = { 0 };
        uint32_t variables[REGIONS_MAX / 2 * EXHAUSTIVE_MAX];
        for (size_t i = 0; i < REGIONS_MAX / 2; i++) {
            const size_t at = first + i;
            size_t k = 0;
            a.members[at] = 1 + (uint32_t)sos_random_below(r, ((uint64_t)1 << n) - 1);
            for (size_t v = n; v-- > 0;) /* from the last: order is no matter */
                if (a.members[at] >> v & 1) variables[start[i] + k++] = (uint32_t)v;
            start[i + 1] = start[i] + k;
            a.reach[at] = (size_t)(share * (double)k) > 1 ? (size_t)(share * (double)k) : 1;
            for (size_t j = 0; j < 2; j++) a.phi[at][j] = ones ? 1 : (double)sos_random_below(r, 9) / 4;
        }
        check_ok(sos_example_add_regions(x, REGION_AREA, REGIONS_MAX / 2, start, variables, share,
                                         ones ? NULL : &a.phi[first][0], &error),
                 error);
    }
    return a;
}

/* d of the definition, label by label; as a share of the reach. */
static double area_cost(const areas *a, size_t at, size_t labels, size_t n, const uint8_t y[])
{
    size_t least = n;
    for (size_t l = 0; l < labels; l++) {
        size_t without = 0;
        for (size_t i = 0; i < n; i++) without += (a->members[at] >> i & 1) && y[i] != l;
        if (without < least) least = without;
    }
    return fmin(1, (double)least / (double)a->reach[at]);
}

static long double areas_energy(const lesson *l, const areas *a, const double w[], const uint8_t y[])
{
    const sample *s = &l->samples[0];
    const double *of = w + l->plan.groups[REGION_AREA].offset;
    long double sum = 0;
    for (size_t i = 0; i < a->count; i++)
        sum += (long double)area_cost(a, i, l->plan.labels, s->n, y) * (a->phi[i][0] * of[0] + a->phi[i][1] * of[1]);
    for (size_t i = 0; a->cost && i < s->n; i++)
        sum += (long double)w[l->plan.groups[REGION_EDGE].offset] * a->cost[i * l->plan.labels + y[i]];
    return sample_energy(&l->plan, s, w, y) + sum * (s->scale > 0 ? s->scale : 1);
}

static lesson region_lesson(sos_random *r, uint64_t c, size_t labels, size_t n)
{
    const sample_recipe wanted = { .n = n, .pairs = 2, .phi = c & 4, .scale = c & 8, .care = c & 2, .noise = 0.2 };
    return lesson_random(r, labels, REGION_GROUPS, REGION_GROUP, 1, &wanted);
}

static void psi_of_regions_is_that_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(200); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = 2 + c % 4, n = 1 + (size_t)sos_random_below(&r, labels == 2 ? 10 : 6);
        lesson l = region_lesson(&r, c, labels, n);
        areas a = areas_add(&r, c, n, l.examples[0]);
        const own_costs own = costs_set(&r, labels, n, l.examples[0]);
        a.cost = own.cost;
        double *psi = test_room(NULL, l.plan.weights, sizeof *psi), *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t y[EXHAUSTIVE_MAX];
        for (int again = 0; again < 8; again++) {
            long double energy = 0;
            plan_weights_random(&r, &l.plan, w);
            labels_random(&r, labels, n, y);
            sos_example_psi(l.examples[0], y, psi);
            for (size_t j = 0; j < l.plan.weights; j++) energy += (long double)w[j] * psi[j];
            const long double is = areas_energy(&l, &a, w, y);
            check(fabsl(energy - is) <= 1e-13L * (1 + fabsl(is)));
        }
        free(psi);
        free(w);
        lesson_free(&l);
    }
}

static long double areas_value(const lesson *l, const areas *a, const double w[], bool augmented, const uint8_t y[])
{
    return areas_energy(l, a, w, y) - (augmented ? sample_delta(&l->plan, &l->samples[0], y) : 0);
}

/* With two labels the least energy of all, with more that of the labels that an expansion reaches. */
static void check_regions_least(const lesson *l, const areas *a, const double w[], bool augmented,
                                const sos_minimize_settings *settings)
{
    const size_t labels = l->plan.labels, n = l->samples[0].n;
    uint8_t y[EXHAUSTIVE_MAX], z[EXHAUSTIVE_MAX] = { 0 };
    sos_minimize_result result;
    sos_error error;
    check_ok(sos_example_minimize(l->examples[0], w, augmented, settings, y, &result, &error), error);
    const long double value = areas_value(l, a, w, augmented, y), slack = 1e-11L * (1 + fabsl(value)) + 2 * result.rounding;
    check(fabsl(result.energy - value) <= slack);
    do check(labels > 2 || areas_value(l, a, w, augmented, z) >= value - slack);
    while (labels == 2 && labelling_next(labels, n, z));
    for (size_t label = 0; labels > 2 && label < labels; label++)
        for (size_t T = 0; T < (size_t)1 << n; T++) {
            for (size_t i = 0; i < n; i++) z[i] = T >> i & 1 ? (uint8_t)label : y[i];
            check(areas_value(l, a, w, augmented, z) >= value - slack);
        }
}

static void the_most_violated_constraint_is_found_with_regions(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(150); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 3 ? 2 : 3, n = 1 + (size_t)sos_random_below(&r, labels == 2 ? 10 : 6);
        lesson l = region_lesson(&r, c, labels, n);
        areas a = areas_add(&r, c, n, l.examples[0]);
        const own_costs own = costs_set(&r, labels, n, l.examples[0]);
        a.cost = own.cost;
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        const size_t area = l.plan.groups[REGION_AREA].offset;
        sos_minimize_settings settings = sos_minimize_defaults();
        for (int again = 0; again < 5; again++) {
            double kept[2] = { 0 };
            if (again) memcpy(kept, w + area, sizeof kept);
            plan_weights_random(&r, &l.plan, w);
            if (again == 2) memcpy(w + area, kept, sizeof kept); /* the same regions, other unaries */
            if (again == 3) w[area] = w[area + 1] = 0;
            settings.start = again && labels == 2 ? SOS_START_FLOW : SOS_START_COLD;
            check_regions_least(&l, &a, w, again & 1, again ? &settings : NULL);
            check_regions_least(&l, &a, w, true, &settings);
        }
        free(w);
        lesson_free(&l);
    }
}

/* Regions that are added after the example was minimised count from then on. */
static void regions_can_be_added_at_any_time(void **state)
{
    (void)state;
    for (size_t labels = 2; labels < 4; labels++) {
        uint64_t c;
        sos_random r = test_shape_begin(labels, &c);
        lesson l = region_lesson(&r, c, labels, 5);
        areas none = { 0 };
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        plan_weights_random(&r, &l.plan, w);
        check_regions_least(&l, &none, w, true, NULL);
        const size_t before = sos_example_bytes(l.examples[0]);
        const areas a = areas_add(&r, c, 5, l.examples[0]);
        check(sos_example_bytes(l.examples[0]) > before);
        check_regions_least(&l, &a, w, true, NULL);
        free(w);
        lesson_free(&l);
    }
}

static void bad_costs_are_refused(void **state)
{
    (void)state;
    uint64_t c;
    sos_random r = test_shape_begin(0, &c);
    lesson l = region_lesson(&r, c, 3, 4);
    sos_example *x = l.examples[0];
    sos_error error;
    double cost[12] = { 0 };
    check_error(sos_example_set_costs(x, REGION_COLOUR, cost, &error), SOS_ERR_ARGUMENT, error, "costs");
    check_error(sos_example_set_costs(x, REGION_GROUPS, cost, &error), SOS_ERR_ARGUMENT, error, "group 3");
    check_is(sos_example_set_costs(x, REGION_EDGE, NULL, &error), SOS_ERR_ARGUMENT);
    cost[7] = NAN;
    check_error(sos_example_set_costs(x, REGION_EDGE, cost, &error), SOS_ERR_ARGUMENT, error, "variable 2");
    cost[7] = INFINITY;
    check_error(sos_example_set_costs(x, REGION_EDGE, cost, &error), SOS_ERR_ARGUMENT, error, "variable 2");
    lesson_free(&l);
}

static void bad_regions_are_refused(void **state)
{
    (void)state;
    uint64_t c;
    sos_random r = test_shape_begin(0, &c);
    lesson l = region_lesson(&r, c, 3, 4);
    sos_example *x = l.examples[0];
    sos_error error;
    static const size_t START[] = { 0, 2, 4 }, LATE[] = { 1, 2, 4 }, EMPTY[] = { 0, 2, 2 }, BACK[] = { 0, 3, 2 };
    static const size_t MANY[] = { 0, 2, 7 };
    static const uint32_t V[] = { 0, 1, 2, 3, 0, 1, 2 }, FAR[] = { 0, 1, 2, 4 }, TWICE[] = { 0, 1, 3, 3 };
    static const double PHI[] = { 1, 1, 1, -1 }, NO_NUMBER[] = { 1, NAN, 1, 1 };
    static const double SHARES[] = { -0.1, 0.6, NAN, INFINITY };
    check_error(sos_example_add_regions(x, REGION_COLOUR, 2, START, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "regions");
    check_error(sos_example_add_regions(x, REGION_GROUPS, 2, START, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "group 3");
    check_is(sos_example_add_regions(x, REGION_AREA, 2, NULL, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_regions(x, REGION_AREA, 2, START, NULL, 0.3, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_regions(x, REGION_AREA, 2, LATE, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_add_regions(x, REGION_AREA, 2, EMPTY, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "region 1");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, BACK, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "region 1");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, MANY, V, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "region 1");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, START, FAR, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "region 1",
                "variable 4");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, START, TWICE, 0.3, NULL, &error), SOS_ERR_ARGUMENT, error, "twice");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, START, V, 0.3, PHI, &error), SOS_ERR_ARGUMENT, error, "region 1",
                "phi");
    check_error(sos_example_add_regions(x, REGION_AREA, 2, START, V, 0.3, NO_NUMBER, &error), SOS_ERR_ARGUMENT, error,
                "region 0");
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        check_error(sos_example_add_regions(x, REGION_AREA, 2, START, V, SHARES[i], NULL, &error), SOS_ERR_ARGUMENT, error,
                    "reach");
    check_ok(sos_example_add_regions(x, REGION_AREA, 0, NULL, NULL, 0.3, NULL, &error), error);
    double *w = test_room(NULL, l.plan.weights, sizeof *w);
    const areas none = { 0 };
    plan_weights_random(&r, &l.plan, w);
    check_regions_least(&l, &none, w, true, NULL); /* nothing was left behind */
    free(w);
    lesson_free(&l);
}

/* ---- more than two labels ---- */

/* Energy less loss, by the definition. */
static long double augmented_value(const lesson *l, const double w[], const uint8_t y[])
{
    return sample_energy(&l->plan, &l->samples[0], w, y) - sample_delta(&l->plan, &l->samples[0], y);
}

/* No labels that one expansion reaches cost less. */
static void check_no_expansion(const lesson *l, const double w[], const uint8_t y[], long double slack)
{
    const sample *s = &l->samples[0];
    const long double value = augmented_value(l, w, y);
    uint8_t z[EXHAUSTIVE_MAX];
    for (size_t label = 0; label < l->plan.labels; label++)
        for (size_t T = 0; T < (size_t)1 << s->n; T++) {
            for (size_t i = 0; i < s->n; i++) z[i] = T >> i & 1 ? (uint8_t)label : y[i];
            check(augmented_value(l, w, z) >= value - slack);
        }
}

static void several_labels_come_to_a_minimum_among_expansions(void **state)
{
    (void)state;
    size_t least_found = 0, tries = 0;
    for (uint64_t number = 0; number < test_cases(120); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = 3 + (size_t)sos_random_below(&r, 2), n = 1 + (size_t)sos_random_below(&r, 5);
        lesson l = lesson_of_case(&r, c, labels, n);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t best[EXHAUSTIVE_MAX], y[EXHAUSTIVE_MAX], start[EXHAUSTIVE_MAX];
        for (int again = 0; again < 4; again++) {
            sos_minimize_settings settings = sos_minimize_defaults();
            sos_minimize_result result;
            sos_error error;
            plan_weights_random(&r, &l.plan, w);
            for (size_t j = 0; again == 1 && j < l.plan.weights; j++) w[j] *= 0x1p-6;
            labels_random(&r, labels, n, start);
            memcpy(y, start, n);
            settings.start = again & 1 ? SOS_START_LABELS : SOS_START_FLOW;
            check_ok(sos_example_minimize(l.examples[0], w, true, &settings, y, &result, &error), error);
            const long double value = augmented_value(&l, w, y), least = sample_least(&l.plan, &l.samples[0], w, true, best);
            const long double slack = 1e-12L * (1 + fabsl(least)) + 2 * result.rounding;
            check(fabsl(result.energy - value) <= slack && result.lower_bound <= least + slack && value >= least - slack);
            check(value <= augmented_value(&l, w, l.samples[0].truth) + slack);
            if (again & 1) check(value <= augmented_value(&l, w, start) + slack);
            check_no_expansion(&l, w, y, slack);
            least_found += value <= least + slack;
            tries++;
        }
        free(w);
        lesson_free(&l);
    }
    print_message("the least of all was found %zu times of %zu\n", least_found, tries);
}

/* An oracle over sos_example_minimize, for any number of labels. */
static sos_status violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                          sos_error *error)
{
    const lesson *l = user;
    sos_example *x = l->examples[i];
    const size_t d = l->plan.weights;
    uint8_t y[EXHAUSTIVE_MAX];
    sos_minimize_result r;
    const sos_status status = sos_example_minimize(x, w, true, NULL, y, &r, error);
    if (status) return status;
    double *base = test_room(NULL, d, sizeof *base);
    sos_example_psi(x, y, difference);
    sos_example_psi(x, sos_example_truth(x), base);
    for (size_t j = 0; j < d; j++) difference[j] -= base[j];
    free(base);
    *loss = sos_example_loss(x, y);
    *missed = 2 * r.rounding;
    return SOS_OK;
}

/* Training by expansion moves comes close to training that tries all labellings, and every model is submodular. */
static void three_labels_are_learned(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(6); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        sos_group groups[GROUPS_MAX];
        const size_t count = groups_of_case(c, 3, groups);
        const sample_recipe wanted = { .n = 5, .pairs = 3, .cliques = 2, .noise = 0.1 };
        lesson l = lesson_random(&r, 3, count, groups, 4, &wanted);
        sos_train_settings s = sos_train_defaults();
        sos_train_result moves, all;
        sos_error error;
        s.gap = 1e-2;
        s.rounds = 300;
        const sos_oracle by_moves = { .examples = l.count, .user = &l, .violate = violate, .approximate = true },
                         by_all = { .examples = l.count, .user = &l, .violate = lesson_violate };
        check_ok(sos_train_oracle(l.model, &by_moves, &s, &moves, &error), error);
        const double *w = sos_model_weights(l.model);
        size_t group;
        check(plan_holds(&l.plan, w, &group));
        const long double objective = lesson_objective(&l, s.C, w, NULL);
        check_ok(sos_train_oracle(l.model, &by_all, &s, &all, &error), error);
        check(objective <= 1.1L * all.last.primal && moves.last.dual <= all.last.primal * (1 + 1e-6));
        lesson_free(&l);
    }
}

/* ---- how examples are put together ---- */

typedef struct fixture {
    sos_model *model;
    sos_example *example; /* of 4 variables */
} fixture;

enum { COLOUR, CONTRAST, SQUARE, PAIR, BIAS };

static fixture fixture_create(size_t labels)
{
    const sos_group groups[] = {
        { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
        { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
        { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4 },
        { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2 },
        { .name = "bias", .kind = SOS_GROUP_FREE, .size = 1 },
    };
    fixture f = { 0 };
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(labels, &f.model, &error), error);
    for (size_t g = 0; g < 5; g++) check_ok(sos_model_add_group(f.model, &groups[g], &number, &error), error);
    check_ok(sos_example_create(f.model, 4, &f.example, &error), error);
    return f;
}

static void fixture_free(fixture *f)
{
    sos_example_free(f->example);
    sos_model_free(f->model);
}

static void check_psi(const fixture *f, const uint8_t y[], uint32_t group, size_t count, const double wanted[])
{
    double *psi = test_room(NULL, sos_model_weight_count(f->model), sizeof *psi);
    sos_example_psi(f->example, y, psi);
    const double *is = psi + sos_model_group_offset(f->model, group);
    for (size_t i = 0; i < count; i++)
        if (is[i] != wanted[i]) test_fail(__FILE__, __LINE__, "Psi is %g at %zu, not %g", is[i], i, wanted[i]);
    free(psi);
}

static void features_are_replaced_by_group(void **state)
{
    (void)state;
    fixture f = fixture_create(3);
    sos_error error;
    static const uint8_t Y[] = { 2, 0, 1, 2 };
    static const size_t START[] = { 0, 2, 3, 3, 6 }, NONE[] = { 0, 0, 0, 0, 0 }, ONE[] = { 0, 1, 2, 3, 4 };
    static const uint32_t INDEX[] = { 0, 1, 1, 2, 0, 2 }, ZERO[] = { 0, 0, 0, 0 };
    static const double VALUE[] = { 1.5, -2, 3, 0.25, 4, 0.5 };
    check_psi(&f, Y, COLOUR, 9, (double[9]){ 0 });
    check_ok(sos_example_set_features(f.example, COLOUR, START, INDEX, VALUE, &error), error);
    check_ok(sos_example_set_features(f.example, BIAS, ONE, ZERO, NULL, &error), error);
    check_psi(&f, Y, COLOUR, 9, (double[]){ 0, 0, 5.5, 3, 0, -2, 0, 0, 0.75 }); /* a feature that comes twice adds up */
    check_psi(&f, Y, BIAS, 3, (double[]){ 1, 1, 2 });
    check_ok(sos_example_set_features(f.example, COLOUR, START, INDEX, NULL, &error), error);
    check_psi(&f, Y, COLOUR, 9, (double[]){ 0, 0, 2, 1, 0, 1, 0, 0, 2 });
    check_ok(sos_example_set_features(f.example, COLOUR, NONE, NULL, NULL, &error), error);
    check_psi(&f, Y, COLOUR, 9, (double[9]){ 0 });
    check_psi(&f, Y, BIAS, 3, (double[]){ 1, 1, 2 });
    fixture_free(&f);
}

/* What was replaced is gone: an example holds as many bytes as one that never had it. */
static void what_is_replaced_is_not_counted(void **state)
{
    (void)state;
    fixture f = fixture_create(3), other = fixture_create(3);
    sos_error error;
    static const size_t START[] = { 0, 2, 3, 3, 6 }, ONE[] = { 0, 1, 2, 3, 4 };
    static const uint32_t INDEX[] = { 0, 1, 1, 2, 0, 2 };
    static const double VALUE[] = { 1.5, -2, 3, 0.25, 4, 0.5 };
    static const uint8_t TRUTH[] = { 2, 0, 1, 2 }, CARE[] = { 1, 1, 0, 1 };
    const double cost[4 * 3 * 2] = { 1, 2 }, loss[4 * 3] = { 0 };
    check_ok(sos_example_set_features(f.example, COLOUR, START, INDEX, VALUE, &error), error);
    const size_t bytes = sos_example_bytes(f.example);
    check_ok(sos_example_set_features(f.example, COLOUR, START, INDEX, VALUE, &error), error);
    check(sos_example_bytes(f.example) == bytes);
    check_ok(sos_example_set_costs(f.example, CONTRAST, cost, &error), error);
    check_ok(sos_example_set_costs(f.example, CONTRAST, cost, &error), error);
    check_ok(sos_example_set_truth(f.example, TRUTH, CARE, &error), error);
    check_ok(sos_example_set_loss(f.example, loss, &error), error);
    check_ok(sos_example_set_truth(f.example, TRUTH, NULL, &error), error);
    check_ok(sos_example_set_features(f.example, COLOUR, ONE, INDEX, NULL, &error), error);

    check_ok(sos_example_set_features(other.example, COLOUR, ONE, INDEX, NULL, &error), error);
    check_ok(sos_example_set_costs(other.example, CONTRAST, cost, &error), error);
    check_ok(sos_example_set_truth(other.example, TRUTH, NULL, &error), error);
    check(sos_example_bytes(f.example) == sos_example_bytes(other.example));
    fixture_free(&f);
    fixture_free(&other);
}

/* Pairs of groups, tables of two members and clique losses share cliques of two members inside; all in one example. */
static void pairs_and_tables_of_two_do_not_mix(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    static const uint32_t CHAIN[] = { 0, 1, 1, 2, 2, 3 };
    static const double PHI[] = { 1, 0.5, 2, 0, 0, 4 }, WEIGHTS[] = { 2, 0, 0.25 }, DELTA[] = { 0, 0, 0, 1 };
    static const uint8_t TRUTH[] = { 0, 0, 0, 0 }, Y[] = { 0, 1, 1, 0 }, CUT[] = { 0, 1, 0, 1 };
    check_ok(sos_example_set_truth(f.example, TRUTH, NULL, &error), error);
    check_ok(sos_example_add_cliques(f.example, PAIR, 3, CHAIN, WEIGHTS, &error), error);
    check_ok(sos_example_add_pairs(f.example, CONTRAST, 3, CHAIN, PHI, &error), error);
    check_ok(sos_example_add_clique_loss(f.example, 2, CHAIN + 2, DELTA, &error), error);
    check_ok(sos_example_add_pairs(f.example, CONTRAST, 1, CHAIN + 2, NULL, &error), error);
    check_ok(sos_example_add_cliques(f.example, PAIR, 1, CHAIN, NULL, &error), error);
    check_ok(sos_example_add_pairs(f.example, CONTRAST, 0, NULL, NULL, &error), error);
    check_psi(&f, Y, CONTRAST, 2, (double[]){ 1 + 0, 0.5 + 4 });
    check_psi(&f, CUT, CONTRAST, 2, (double[]){ 1 + 2 + 0 + 1, 0.5 + 0 + 4 + 1 });
    check_psi(&f, Y, PAIR, 4, (double[]){ 0, 0.25, 2 + 1, 0 });
    check(sos_example_loss(f.example, Y) == 0.5 + 1 && sos_example_loss(f.example, CUT) == 0.5);
    fixture_free(&f);
}

static void losses_replace_each_other(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    static const uint8_t TRUTH[] = { 0, 1, 1, 0 }, CARE[] = { 1, 1, 0, 1 }, WRONG[] = { 1, 0, 0, 1 }, OTHER[] = { 1, 1, 1, 1 };
    static const double BY_CLASS[] = { 2, 8 }, FULL[] = { 0, 3, 5, 0, 7, 0, 0, 11 };
    check(sos_example_truth(f.example) == NULL && sos_example_loss(f.example, WRONG) == 0);
    check_ok(sos_example_set_truth(f.example, TRUTH, NULL, &error), error);
    check(sos_example_loss(f.example, WRONG) == 1 && sos_example_loss(f.example, OTHER) == 0.5);
    check_ok(sos_example_set_class_loss(f.example, BY_CLASS, &error), error);
    check(sos_example_loss(f.example, WRONG) == (2 + 8 + 8 + 2) / 4.0);
    check_ok(sos_example_set_loss(f.example, FULL, &error), error);
    check(sos_example_loss(f.example, WRONG) == 3 + 5 + 7 + 11);
    check_ok(sos_example_set_truth(f.example, TRUTH, CARE, &error), error);
    check(sos_example_loss(f.example, WRONG) == 0.75); /* still in parts of all variables */
    check_ok(sos_example_set_loss(f.example, FULL, &error), error);
    check(sos_example_loss(f.example, WRONG) == 3 + 5 + 11);
    check_ok(sos_example_set_class_loss(f.example, BY_CLASS, &error), error);
    check(sos_example_loss(f.example, WRONG) == (2 + 8 + 2) / 4.0);
    fixture_free(&f);
}

/* The true labelling costs nothing, whatever was set before. */
static void a_new_truth_forgets_the_losses_of_the_old_one(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    static const uint8_t ZEROS[] = { 0, 0, 0, 0 }, ONES[] = { 1, 1, 1, 1 };
    static const double DELTA[] = { 0, 0, 0, 1 }, FULL[] = { 0, 9, 0, 9, 0, 9, 0, 9 };
    check_ok(sos_example_set_truth(f.example, ZEROS, NULL, &error), error);
    check_ok(sos_example_set_loss(f.example, FULL, &error), error);
    check_ok(sos_example_add_clique_loss(f.example, 2, (uint32_t[]){ 0, 1 }, DELTA, &error), error);
    check_ok(sos_example_set_truth(f.example, ONES, NULL, &error), error);
    check(sos_example_loss(f.example, ONES) == 0);
    check(sos_example_loss(f.example, ZEROS) == 1);
    double *w = test_room(NULL, sos_model_weight_count(f.model), sizeof *w);
    uint8_t y[4];
    memset(w, 0, sos_model_weight_count(f.model) * sizeof *w);
    sos_minimize_result result;
    check_ok(sos_example_minimize(f.example, w, true, NULL, y, &result, &error), error);
    check(result.energy == -1 && !memcmp(y, ZEROS, 4));
    free(w);
    fixture_free(&f);
}

static void an_example_may_outlive_its_model(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    uint32_t number;
    uint8_t y[4] = { 0, 1, 0, 0 };
    const size_t count = sos_model_weight_count(f.model);
    const sos_group more = { .name = "more", .kind = SOS_GROUP_FREE, .size = 7 };
    check_ok(sos_example_add_cliques(f.example, SQUARE, 1, (uint32_t[]){ 3, 2, 1, 0 }, NULL, &error), error);
    check_psi(&f, y, SQUARE, 16, (double[16]){ [4] = 1 });
    check_ok(sos_model_add_group(f.model, &more, &number, &error), error);
    check_error(sos_model_predict(f.model, f.example, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "group");
    sos_model_free(f.model);
    double *psi = test_room(NULL, count, sizeof *psi);
    sos_example_psi(f.example, (uint8_t[]){ 0, 1, 0, 0 }, psi);
    check(psi[3 * 2 + 2 + 4] == 1);
    free(psi);
    sos_example_free(f.example);
    sos_example_free(NULL);
}

/* ---- bad input ---- */

static void examples_need_variables(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_example *x = NULL;
    sos_error error;
    check_error(sos_example_create(f.model, 0, &x, &error), SOS_ERR_ARGUMENT, error, "variable");
    check_is(sos_example_create(NULL, 4, &x, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_create(f.model, 4, NULL, NULL), SOS_ERR_ARGUMENT);
    check(x == NULL);
    const sos_status status = sos_example_create(f.model, SIZE_MAX / 2, &x, &error);
    check(status == SOS_ERR_RANGE || status == SOS_ERR_MEMORY);
    fixture_free(&f);
}

static void bad_features_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_example *x = f.example;
    sos_error error;
    static const size_t START[] = { 0, 1, 2, 3, 4 }, LATE[] = { 1, 1, 2, 3, 4 }, BACK[] = { 0, 2, 1, 3, 4 };
    static const uint32_t INDEX[] = { 0, 1, 2, 0 }, LARGE[] = { 0, 1, 3, 0 };
    check_ok(sos_example_set_features(x, COLOUR, START, INDEX, NULL, &error), error);
    static const double BAD[] = { NAN, INFINITY, -INFINITY };
    for (size_t b = 0; b < 3; b++) {
        const double value[] = { 1, 1, BAD[b], 1 };
        check_error(sos_example_set_features(x, COLOUR, START, INDEX, value, &error), SOS_ERR_ARGUMENT, error, "variable 2",
                    "colour");
    }
    check_error(sos_example_set_features(x, COLOUR, START, LARGE, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 2",
                "feature 3", "colour");
    check_error(sos_example_set_features(x, COLOUR, BACK, INDEX, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 1");
    check_is(sos_example_set_features(x, COLOUR, LATE, INDEX, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_set_features(x, COLOUR, NULL, INDEX, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_set_features(x, COLOUR, START, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_set_features(x, 5, START, INDEX, NULL, &error), SOS_ERR_ARGUMENT, error, "group 5");
    check_error(sos_example_set_features(x, CONTRAST, START, INDEX, NULL, &error), SOS_ERR_ARGUMENT, error, "contrast");
    check_error(sos_example_set_features(x, SQUARE, START, INDEX, NULL, &error), SOS_ERR_ARGUMENT, error, "square");
    check_psi(&f, (uint8_t[]){ 0, 0, 1, 1 }, COLOUR, 6, (double[]){ 1, 1, 1, 0, 0, 1 }); /* still the first ones */
    fixture_free(&f);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_example *x = f.example;
    sos_error error;
    static const uint32_t GOOD[] = { 0, 1, 2, 3 }, FAR[] = { 0, 1, 2, 4 }, SAME[] = { 0, 1, 2, 2 };
    static const double BAD[] = { -1, -DBL_MIN, NAN, INFINITY };
    for (size_t b = 0; b < 4; b++) {
        const double phi[] = { 1, 1, 1, BAD[b] };
        check_error(sos_example_add_pairs(x, CONTRAST, 2, GOOD, phi, &error), SOS_ERR_ARGUMENT, error, "pair 1", "contrast");
    }
    check_error(sos_example_add_pairs(x, CONTRAST, 2, FAR, NULL, &error), SOS_ERR_ARGUMENT, error, "4");
    check_is(sos_example_add_pairs(x, CONTRAST, 2, SAME, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_pairs(x, CONTRAST, 2, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_add_pairs(x, 5, 2, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "group 5");
    check_error(sos_example_add_pairs(x, PAIR, 2, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "pair");
    check_error(sos_example_add_pairs(x, BIAS, 2, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "bias");
    check_psi(&f, (uint8_t[]){ 0, 1, 0, 1 }, CONTRAST, 2, (double[]){ 0, 0 });
    fixture_free(&f);
}

static void bad_cliques_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_example *x = f.example;
    sos_error error;
    static const uint32_t GOOD[] = { 0, 1, 2, 3 }, FAR[] = { 0, 1, 2, 4 }, SAME[] = { 0, 1, 1, 3 };
    static const uint32_t UNKNOWN[] = { PAIR, 9 }, UNEQUAL[] = { PAIR, SQUARE }, WRONG[] = { PAIR, CONTRAST };
    static const double BAD[] = { -1, NAN, INFINITY };
    for (size_t b = 0; b < 3; b++) {
        const double phi[] = { 1, BAD[b] };
        check_error(sos_example_add_cliques(x, PAIR, 2, GOOD, phi, &error), SOS_ERR_ARGUMENT, error, "1");
        check_error(sos_example_add_listed(x, 2, (uint32_t[]){ PAIR, PAIR }, GOOD, phi, &error), SOS_ERR_ARGUMENT, error, "1");
    }
    check_error(sos_example_add_cliques(x, SQUARE, 1, FAR, NULL, &error), SOS_ERR_ARGUMENT, error, "4");
    check_is(sos_example_add_cliques(x, SQUARE, 1, SAME, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_cliques(x, SQUARE, 1, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_add_cliques(x, 5, 1, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "group 5");
    check_error(sos_example_add_cliques(x, UINT32_MAX, 1, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "group");
    check_error(sos_example_add_cliques(x, COLOUR, 1, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "colour");
    check_error(sos_example_add_listed(x, 2, UNKNOWN, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "group 9");
    check_error(sos_example_add_listed(x, 2, WRONG, GOOD, NULL, &error), SOS_ERR_ARGUMENT, error, "contrast");
    check_is(sos_example_add_listed(x, 2, UNEQUAL, GOOD, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_listed(x, 2, NULL, GOOD, NULL, &error), SOS_ERR_ARGUMENT);
    check_psi(&f, (uint8_t[]){ 0, 1, 0, 1 }, SQUARE, 20, (double[20]){ 0 }); /* nothing was added */
    fixture_free(&f);
}

static void bad_scales_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    static const double BAD[] = { 0, -0.0, -1, NAN, INFINITY, 0x1p-1074 };
    for (size_t b = 0; b < 6; b++)
        check_error(sos_example_set_scale(f.example, BAD[b], &error), SOS_ERR_ARGUMENT, error, "scale");
    check_ok(sos_example_set_scale(f.example, 0.25, &error), error);
    check_ok(sos_example_add_pairs(f.example, CONTRAST, 1, (uint32_t[]){ 0, 1 }, NULL, &error), error);
    check_psi(&f, (uint8_t[]){ 0, 1, 0, 1 }, CONTRAST, 2, (double[]){ 0.25, 0.25 });
    fixture_free(&f);
}

static void bad_truths_and_losses_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_example *x = f.example;
    sos_error error;
    static const uint8_t GOOD[] = { 0, 1, 0, 1 }, LARGE[] = { 0, 1, 0, 2 };
    static const double BY_CLASS[] = { 1, 1 }, BAD[] = { -1, NAN, INFINITY }, FULL[] = { 0, 1, 1, 0, 0, 1, 1, 0 };
    check_error(sos_example_set_class_loss(x, BY_CLASS, &error), SOS_ERR_ARGUMENT, error, "true");
    check_error(sos_example_set_loss(x, FULL, &error), SOS_ERR_ARGUMENT, error, "true");
    check_error(sos_example_set_truth(x, LARGE, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 3", "label 2");
    check(sos_example_truth(x) == NULL);
    check_ok(sos_example_set_truth(x, GOOD, NULL, &error), error);
    check_is(sos_example_set_truth(x, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_set_truth(x, LARGE, NULL, &error), SOS_ERR_ARGUMENT);
    check(!memcmp(sos_example_truth(x), GOOD, 4));
    for (size_t b = 0; b < 3; b++) {
        const double by_class[] = { 1, BAD[b] };
        double full[8];
        memcpy(full, FULL, sizeof full);
        full[5] = BAD[b];
        check_error(sos_example_set_class_loss(x, by_class, &error), SOS_ERR_ARGUMENT, error, "label 1");
        check_error(sos_example_set_loss(x, full, &error), SOS_ERR_ARGUMENT, error, "variable 2");
    }
    static const double ON_TRUTH[] = { 0, 1, 1, 0.5, 0, 1, 1, 0 };
    check_error(sos_example_set_loss(x, ON_TRUTH, &error), SOS_ERR_ARGUMENT, error, "variable 1", "true");
    check_is(sos_example_set_loss(x, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_set_class_loss(x, NULL, &error), SOS_ERR_ARGUMENT);
    check(sos_example_loss(x, (uint8_t[]){ 1, 1, 1, 1 }) == 0.5);
    fixture_free(&f);
}

static void clique_losses_that_are_not_allowed_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2), three = fixture_create(3);
    sos_example *x = f.example;
    sos_error error;
    static const uint32_t V[] = { 0, 1 }, FAR[] = { 0, 4 }, SAME[] = { 1, 1 };
    static const uint8_t TRUTH[] = { 0, 0, 1, 0 };
    static const double GOOD[] = { 0, 0, 0, 1 }, FALLING[] = { 0, 1, 1, 1 }, NEGATIVE[] = { 0, -1, 0, 0 };
    static const double ON_TRUTH[] = { 1, 1, 1, 1 }, NO_NUMBER[] = { 0, 0, 0, NAN }, ENDLESS[] = { 0, 0, 0, INFINITY };
    check_error(sos_example_add_clique_loss(x, 2, V, GOOD, &error), SOS_ERR_ARGUMENT, error, "true");
    check_ok(sos_example_set_truth(x, TRUTH, NULL, &error), error);
    check_error(sos_example_add_clique_loss(x, 2, V, FALLING, &error), SOS_ERR_NOT_SUBMODULAR, error, "loss");
    check_error(sos_example_add_clique_loss(x, 2, V, NEGATIVE, &error), SOS_ERR_ARGUMENT, error, "negative");
    check_error(sos_example_add_clique_loss(x, 2, V, ON_TRUTH, &error), SOS_ERR_ARGUMENT, error, "true");
    check_is(sos_example_add_clique_loss(x, 2, V, NO_NUMBER, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_clique_loss(x, 2, V, ENDLESS, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_add_clique_loss(x, 2, FAR, GOOD, &error), SOS_ERR_ARGUMENT, error, "variable 4");
    check_is(sos_example_add_clique_loss(x, 2, SAME, GOOD, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_clique_loss(x, 0, V, GOOD, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_clique_loss(x, SOS_TABLE_MEMBERS_MAX + 1, V, GOOD, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_clique_loss(x, 2, NULL, GOOD, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_add_clique_loss(x, 2, V, NULL, &error), SOS_ERR_ARGUMENT);
    check(sos_example_loss(x, (uint8_t[]){ 1, 1, 1, 0 }) == 0.5);
    check_ok(sos_example_add_clique_loss(x, 2, V, GOOD, &error), error);
    check(sos_example_loss(x, (uint8_t[]){ 1, 1, 1, 0 }) == 1.5);
    check_ok(sos_example_set_truth(three.example, TRUTH, NULL, &error), error);
    check_error(sos_example_add_clique_loss(three.example, 2, V, GOOD, &error), SOS_ERR_ARGUMENT, error, "two labels");
    fixture_free(&f);
    fixture_free(&three);
}

static void bad_minimisations_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2), three = fixture_create(3);
    sos_error error;
    uint8_t y[4] = { 9, 9, 9, 9 };
    const size_t count = sos_model_weight_count(three.model);
    double *w = test_room(NULL, count, sizeof *w);
    memset(w, 0, count * sizeof *w);
    check_error(sos_example_minimize(three.example, w, true, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "true");
    sos_minimize_settings from = sos_minimize_defaults();
    from.start = SOS_START_LABELS;
    check_error(sos_example_minimize(three.example, w, false, &from, y, NULL, &error), SOS_ERR_ARGUMENT, error, "label 9");
    check_error(sos_example_minimize(f.example, w, true, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "true");
    check_error(sos_model_predict(f.model, three.example, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "group");
    check_ok(sos_example_add_cliques(f.example, SQUARE, 1, (uint32_t[]){ 0, 1, 2, 3 }, NULL, &error), error);
    check_ok(sos_example_add_pairs(f.example, CONTRAST, 1, (uint32_t[]){ 0, 1 }, NULL, &error), error);
    const double bad[] = { NAN, INFINITY };
    for (size_t b = 0; b < 2; b++) {
        w[1] = bad[b];
        check_error(sos_example_minimize(f.example, w, false, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "weight 1");
        w[1] = 0;
    }
    w[sos_model_group_offset(f.model, CONTRAST)] = -1;
    check_is(sos_example_minimize(f.example, w, false, NULL, y, NULL, &error), SOS_ERR_ARGUMENT);
    w[sos_model_group_offset(f.model, CONTRAST)] = 0;
    w[sos_model_group_offset(f.model, SQUARE)] = 1;
    check_is(sos_example_minimize(f.example, w, false, NULL, y, NULL, &error), SOS_ERR_NOT_SUBMODULAR);
    w[sos_model_group_offset(f.model, SQUARE)] = 0;
    check_is(sos_example_minimize(NULL, w, false, NULL, y, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_minimize(f.example, NULL, false, NULL, y, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_example_minimize(f.example, w, false, NULL, NULL, NULL, NULL), SOS_ERR_ARGUMENT);
    for (size_t i = 0; i < 4; i++) check(y[i] == 9);
    check_ok(sos_example_minimize(f.example, w, false, NULL, y, NULL, &error), error); /* it still works */
    free(w);
    fixture_free(&f);
    fixture_free(&three);
}

/* Finite weights whose energies are not. */
static void energies_beyond_doubles_are_refused(void **state)
{
    (void)state;
    fixture f = fixture_create(2);
    sos_error error;
    uint8_t y[4];
    double *w = test_room(NULL, sos_model_weight_count(f.model), sizeof *w);
    memset(w, 0, sos_model_weight_count(f.model) * sizeof *w);
    static const size_t START[] = { 0, 1, 1, 1, 1 };
    check_ok(sos_example_set_features(f.example, COLOUR, START, (uint32_t[]){ 0 }, (double[]){ 1e200 }, &error), error);
    w[1] = 1e200;
    const sos_status status = sos_example_minimize(f.example, w, false, NULL, y, NULL, &error);
    check(status == SOS_ERR_RANGE || status == SOS_ERR_ARGUMENT);
    free(w);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(psi_energy_and_loss_are_those_of_the_definitions),
        cmocka_unit_test(the_most_violated_constraint_is_found),
        cmocka_unit_test(weights_of_any_scale_are_minimised),
        cmocka_unit_test(prediction_is_minimisation_with_the_weights_of_the_model),
        cmocka_unit_test(psi_of_regions_is_that_of_the_definition),
        cmocka_unit_test(the_most_violated_constraint_is_found_with_regions),
        cmocka_unit_test(regions_can_be_added_at_any_time),
        cmocka_unit_test(bad_costs_are_refused),
        cmocka_unit_test(bad_regions_are_refused),
        cmocka_unit_test(several_labels_come_to_a_minimum_among_expansions),
        cmocka_unit_test(three_labels_are_learned),
        cmocka_unit_test(features_are_replaced_by_group),
        cmocka_unit_test(what_is_replaced_is_not_counted),
        cmocka_unit_test(pairs_and_tables_of_two_do_not_mix),
        cmocka_unit_test(losses_replace_each_other),
        cmocka_unit_test(a_new_truth_forgets_the_losses_of_the_old_one),
        cmocka_unit_test(an_example_may_outlive_its_model),
        cmocka_unit_test(examples_need_variables),
        cmocka_unit_test(bad_features_are_refused),
        cmocka_unit_test(bad_pairs_are_refused),
        cmocka_unit_test(bad_cliques_are_refused),
        cmocka_unit_test(bad_scales_are_refused),
        cmocka_unit_test(bad_truths_and_losses_are_refused),
        cmocka_unit_test(clique_losses_that_are_not_allowed_are_refused),
        cmocka_unit_test(bad_minimisations_are_refused),
        cmocka_unit_test(energies_beyond_doubles_are_refused),
    };
    return cmocka_run_group_tests_name("example", tests, NULL, NULL);
}
