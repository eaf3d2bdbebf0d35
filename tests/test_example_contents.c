/* test_example_contents.c - what an example holds can be read back; fixed variables keep their labels in whatever is minimised;
 * the energy that an example gives away is the one of its weights.  Against the plain data, and by trying all labellings. */
#include "learning_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sos_group GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
    { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
    { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true },
    { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3 },
};
enum { CONTRAST = 1, GROUPS_COUNT = sizeof GROUPS / sizeof *GROUPS };

static lesson lesson_of_case(sos_random *r, uint64_t c, size_t labels, size_t n)
{
    const sample_recipe wanted = { .n = n,
                                   .pairs = 4,
                                   .cliques = 3,
                                   .phi = c % 2,
                                   .scale = c % 3 == 0,
                                   .care = c % 4 == 1,
                                   .losses = c % 5 < 2,
                                   .noise = 0.3 };
    return lesson_random(r, labels, GROUPS_COUNT, GROUPS, 1, &wanted);
}

/* ---- fixed variables ---- */

/* Fixes about a third; where a variable counts, for training, to its true label. */
static void fix_some(sos_random *r, const lesson *l, bool to_learn, uint8_t fixed[])
{
    const sample *s = &l->samples[0];
    sos_error error;
    for (size_t i = 0; i < s->n; i++) {
        fixed[i] = SOS_LABEL_FREE;
        if (sos_random_below(r, 3)) continue;
        const bool truly = to_learn && (!s->care || s->care[i]);
        fixed[i] = truly ? s->truth[i] : (uint8_t)sos_random_below(r, l->plan.labels);
    }
    if (sos_random_below(r, 2)) {
        check_ok(sos_example_fix_all(l->examples[0], fixed, &error), error);
    } else {
        check_ok(sos_example_fix_all(l->examples[0], NULL, &error), error);
        for (size_t i = 0; i < s->n; i++) check_ok(sos_example_fix(l->examples[0], i, fixed[i], &error), error);
    }
    for (size_t i = 0; i < s->n; i++) check(sos_example_fixed(l->examples[0], i) == fixed[i]);
}

static bool keeps(const uint8_t fixed[], size_t n, const uint8_t y[])
{
    bool kept = true;
    for (size_t i = 0; i < n; i++) kept &= fixed[i] == SOS_LABEL_FREE || fixed[i] == y[i];
    return kept;
}

static long double value_of(const lesson *l, const double w[], bool augmented, const uint8_t y[])
{
    const sample *s = &l->samples[0];
    return sample_energy(&l->plan, s, w, y) - (augmented ? sample_delta(&l->plan, s, y) : 0);
}

/* With two labels the least of all labellings that keep the fixed ones, with more a local minimum of expansions. */
static void check_fixed_least(const lesson *l, const uint8_t fixed[], const double w[], bool augmented, sos_start start)
{
    const size_t labels = l->plan.labels, n = l->samples[0].n;
    uint8_t y[EXHAUSTIVE_MAX] = { 0 }, z[EXHAUSTIVE_MAX] = { 0 };
    sos_minimize_settings settings = sos_minimize_defaults();
    sos_minimize_result result;
    sos_error error;
    settings.start = start;
    for (size_t i = 0; i < n; i++) y[i] = (uint8_t)(i % labels); /* where to start from; it need not keep them */
    check_ok(sos_example_minimize(l->examples[0], w, augmented, &settings, y, &result, &error), error);
    check(keeps(fixed, n, y));
    const long double value = value_of(l, w, augmented, y), slack = 1e-11L * (1 + fabsl(value)) + 2 * result.rounding;
    check(fabsl(result.energy - value) <= slack);
    if (labels == 2) {
        do check(!keeps(fixed, n, z) || value_of(l, w, augmented, z) >= value - slack);
        while (labelling_next(labels, n, z));
        return;
    }
    for (size_t label = 0; label < labels; label++)
        for (size_t T = 0; T < (size_t)1 << n; T++) {
            for (size_t i = 0; i < n; i++) z[i] = T >> i & 1 ? (uint8_t)label : y[i];
            check(!keeps(fixed, n, z) || value_of(l, w, augmented, z) >= value - slack);
        }
}

static void fixed_variables_keep_their_labels(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(200); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 3 ? 2 : 3 + c % 2, n = 3 + (size_t)sos_random_below(&r, labels == 2 ? 7 : 3);
        lesson l = lesson_of_case(&r, c, labels, n);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        uint8_t fixed[EXHAUSTIVE_MAX];
        for (int again = 0; again < 4; again++) {
            const bool augmented = again & 1;
            plan_weights_random(&r, &l.plan, w);
            fix_some(&r, &l, augmented, fixed);
            check_fixed_least(&l, fixed, w, augmented, SOS_START_COLD);
            check_fixed_least(&l, fixed, w, augmented, labels == 2 ? SOS_START_FLOW : SOS_START_LABELS);
        }
        free(w);
        lesson_free(&l);
    }
}

/* A program that lists every labelling that keeps the fixed labels; the truth has them where it does not count. */
static quadratic fixed_quadratic(const lesson *l, const uint8_t fixed[], double C)
{
    const sample *s = &l->samples[0];
    const size_t weights = l->plan.weights;
    quadratic q = quadratic_create(weights + 1, weights);
    double *truth = test_room(NULL, weights, sizeof *truth), *psi = test_room(NULL, weights, sizeof *psi);
    uint8_t y[EXHAUSTIVE_MAX] = { 0 }, reference[EXHAUSTIVE_MAX];
    for (size_t i = 0; i < s->n; i++) reference[i] = fixed[i] == SOS_LABEL_FREE ? s->truth[i] : fixed[i];
    q.cost[weights] = C;
    sample_psi(&l->plan, s, reference, truth);
    do {
        if (!keeps(fixed, s->n, y)) continue;
        sample_psi(&l->plan, s, y, psi);
        double *row = quadratic_row(&q, (double)sample_delta(&l->plan, s, y));
        for (size_t j = 0; j < weights; j++) row[j] = psi[j] - truth[j];
        row[weights] = 1;
    } while (labelling_next(l->plan.labels, s->n, y));
    quadratic_add_cone(&q, &l->plan);
    free(truth);
    free(psi);
    return q;
}

static void training_respects_fixed_variables(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(60); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        lesson l = lesson_of_case(&r, 4 * c + 1, 2, 6); /* some variables do not count */
        uint8_t fixed[EXHAUSTIVE_MAX];
        fix_some(&r, &l, true, fixed);
        quadratic q = fixed_quadratic(&l, fixed, 10);
        const double optimum = quadratic_solve(&q, NULL);
        sos_train_settings s = sos_train_defaults();
        s.C = 10;
        s.gap = 1e-5;
        s.rounds = 200;
        sos_train_result result;
        sos_error error;
        check_ok(sos_train(l.model, 1, l.examples, &s, &result, &error), error);
        if (!(fabs(result.last.primal - optimum) <= 1e-3 * (optimum + 0.1)))
            test_fail(__FILE__, __LINE__, "%.10g, but the optimum is %.10g", result.last.primal, optimum);
        quadratic_free(&q);
        lesson_free(&l);
    }
}

static void a_truth_that_fixed_labels_contradict_is_refused(void **state)
{
    (void)state;
    for (size_t labels = 2; labels < 4; labels++) {
        sos_random r = test_case_begin(labels);
        const sample_recipe wanted = { .n = 5, .pairs = 2, .cliques = 2, .noise = 0.3 };
        lesson l = lesson_random(&r, labels, GROUPS_COUNT, GROUPS, 2, &wanted);
        sos_example *x = l.examples[1];
        const uint8_t *truth = l.samples[1].truth;
        const int other = (truth[3] + 1) % (int)labels;
        uint8_t y[5], care[5] = { 1, 1, 1, 0, 1 };
        double loss, *psi = test_room(NULL, 2 * l.plan.weights, sizeof *psi);
        sos_error error;
        check_ok(sos_example_fix(x, 3, other, &error), error);
        check_error(sos_train(l.model, 2, l.examples, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "example 1", "variable 3");
        check_error(sos_example_minimize(x, sos_model_weights(l.model), true, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error,
                    "variable 3");
        check_ok(sos_evaluate(l.model, 2, l.examples, &(sos_work){ .threads = 1 }, NULL, &loss, &error),
                 error); /* which counts the error */
        check_ok(sos_model_predict(l.model, x, NULL, y, NULL, &error), error);
        check(y[3] == other && sos_example_loss(x, y) >= 0.2);

        /* Psi knows nothing of it, and the truth is what was given. */
        sos_example_psi(x, truth, psi);
        sample_psi(&l.plan, &l.samples[1], truth, psi + l.plan.weights);
        check(!memcmp(psi, psi + l.plan.weights, l.plan.weights * sizeof *psi));
        check(!memcmp(sos_example_truth(x), truth, 5) && sos_example_loss(x, truth) == 0);

        sos_train_settings s = sos_train_defaults();
        s.rounds = 5;
        check_ok(sos_example_set_truth(x, truth, care, &error), error);
        check_ok(sos_train(l.model, 2, l.examples, &s, NULL, &error), error);
        check_ok(sos_example_set_truth(x, truth, NULL, &error), error);
        check_ok(sos_example_fix(x, 3, SOS_LABEL_FREE, &error), error);
        check_ok(sos_train(l.model, 2, l.examples, &s, NULL, &error), error);
        free(psi);
        lesson_free(&l);
    }
}

static void bad_fixing_is_refused(void **state)
{
    (void)state;
    for (size_t labels = 2; labels < 4; labels++) {
        sos_random r = test_case_begin(labels);
        lesson l = lesson_of_case(&r, 0, labels, 4);
        sos_error error;
        const uint8_t bad[] = { 0, 1, (uint8_t)labels, SOS_LABEL_FREE };
        check_error(sos_example_fix(l.examples[0], 4, 0, &error), SOS_ERR_ARGUMENT, error, "variable 4");
        check_error(sos_example_fix(l.examples[0], 1, (int)labels, &error), SOS_ERR_ARGUMENT, error, "variable 1", "labels");
        check_error(sos_example_fix(l.examples[0], 1, -1, &error), SOS_ERR_ARGUMENT, error, "-1");
        check_error(sos_example_fix_all(l.examples[0], bad, &error), SOS_ERR_ARGUMENT, error, "variable 2");
        check_is(sos_example_fix(NULL, 0, 0, NULL), SOS_ERR_ARGUMENT);
        check_is(sos_example_fix_all(NULL, bad, NULL), SOS_ERR_ARGUMENT);
        for (size_t i = 0; i < 4; i++) check(sos_example_fixed(l.examples[0], i) == SOS_LABEL_FREE);
        lesson_free(&l);
    }
}

/* ---- energies ---- */

static void the_energy_of_an_example_is_that_of_its_weights(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(150); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 3 ? 2 : 3, n = 2 + (size_t)sos_random_below(&r, labels == 2 ? 6 : 3);
        lesson l = lesson_of_case(&r, c, labels, n);
        double *w = test_room(NULL, l.plan.weights, sizeof *w);
        const sos_energy *two = NULL;
        const sos_multi_energy *more = NULL;
        sos_minimizer *own = NULL;
        sos_error error;
        check_ok(sos_minimizer_create(&own, &error), error);
        for (int again = 0; again < 4; again++) {
            uint8_t y[EXHAUSTIVE_MAX] = { 0 };
            plan_weights_random(&r, &l.plan, w);
            if (labels == 2)
                check_ok(sos_example_energy(l.examples[0], w, again & 1, &two, &error), error);
            else
                check_ok(sos_example_multi_energy(l.examples[0], w, again & 1, &more, &error), error);
            const double scale = sos_example_scale(l.examples[0]);
            do {
                const long double wanted = value_of(&l, w, again & 1, y);
                const double value = scale * (two ? sos_energy_value(two, y) : sos_multi_energy_value(more, y));
                check(fabsl(value - wanted) <= 1e-11L * (1 + fabsl(wanted)));
            } while (labelling_next(labels, n, y));
            if (!two) continue;
            uint8_t mine[EXHAUSTIVE_MAX], theirs[EXHAUSTIVE_MAX];
            sos_minimize_settings warm = sos_minimize_defaults();
            warm.start = SOS_START_FLOW;
            check_ok(sos_minimizer_run(own, two, &warm, mine, NULL, &error), error);
            check_ok(sos_example_minimize(l.examples[0], w, again & 1, NULL, theirs, NULL, &error), error);
            check(!memcmp(mine, theirs, n));
        }
        if (two) check_error(sos_example_multi_energy(l.examples[0], w, false, &more, &error), SOS_ERR_ARGUMENT, error, "two");
        if (more) check_error(sos_example_energy(l.examples[0], w, false, &two, &error), SOS_ERR_ARGUMENT, error, "3 labels");
        w[0] = NAN;
        if (two) check_is(sos_example_energy(l.examples[0], w, false, &two, &error), SOS_ERR_ARGUMENT);
        check_is(sos_example_energy(NULL, w, false, &two, &error), SOS_ERR_ARGUMENT);
        sos_minimizer_free(own);
        free(w);
        lesson_free(&l);
    }
}

/* ---- contents ---- */

static const sample_clique *clique_find(const sample *s, size_t group, size_t *at)
{
    while (*at < s->cliques_count && s->cliques[*at].group != group) ++*at;
    return *at < s->cliques_count ? &s->cliques[(*at)++] : NULL;
}

/* Parts come by size, then in the order added: those of a group in the order of the plain data. */
static void check_parts(const lesson *l)
{
    const sample *s = &l->samples[0];
    const sos_example *x = l->examples[0];
    size_t cliques[GROUPS_COUNT] = { 0 }, pairs = 0, losses = 0, counted = 0;
    for (size_t i = 0; i < sos_example_parts(x); i++) {
        const sos_part p = sos_example_part(x, i);
        if (p.kind == SOS_PART_PAIR) {
            const sample_pair *q = &s->pairs[pairs++];
            check(p.k == 2 && p.group == q->group && !memcmp(p.variables, q->variables, 2 * sizeof *p.variables));
            for (size_t j = 0; j < 2; j++) check((p.phi ? p.phi[j] : 1) == q->phi[j]);
        } else if (p.kind == SOS_PART_CLIQUE) {
            const sample_clique *q = clique_find(s, p.group, &cliques[p.group]);
            check(q && p.k == GROUPS[p.group].size && !memcmp(p.variables, q->variables, p.k * sizeof *p.variables));
            check((p.phi ? *p.phi : 1) == q->phi);
            counted++;
        } else {
            check(p.kind == SOS_PART_LOSS);
            losses++;
        }
    }
    check(pairs == s->pairs_count && counted == s->cliques_count && losses == s->losses_count);
}

static void what_was_put_in_can_be_read_back(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(100); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = c % 3 ? 2 : 3, n = 5;
        lesson l = lesson_of_case(&r, c, labels, n);
        const sample *s = &l.samples[0];
        sos_example *x = l.examples[0];
        check(sos_example_variables(x) == n && sos_example_fits(x, l.model));
        check(sos_example_scale(x) == (s->scale > 0 ? s->scale : 1) && !memcmp(sos_example_truth(x), s->truth, n));
        check(!sos_example_care(x) == !s->care);
        for (size_t i = 0; s->care && i < n; i++) check(!sos_example_care(x)[i] == !s->care[i]);
        check(!sos_example_class_loss(x) == !s->class_weight);
        if (s->loss && !s->class_weight) check(!memcmp(sos_example_variable_loss(x), s->loss, n * labels * sizeof(double)));
        const sos_feature_list f = sos_example_features(x, 0);
        size_t seen = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = f.start[i]; j < f.start[i + 1]; j++, seen++) {
                bool found = false;
                for (size_t k = 0; k < s->features_count; k++)
                    found |= s->features[k].variable == i && s->features[k].index == f.index[j] &&
                             s->features[k].value == (f.value ? f.value[j] : 1);
                check(found);
            }
        check(seen == s->features_count && !sos_example_features(x, CONTRAST).start);
        check_parts(&l);

        double cost[5 * 3 * 2];
        sos_error error;
        for (size_t i = 0; i < n * labels * 2; i++) cost[i] = sos_random_normal(&r);
        check(!sos_example_costs(x, CONTRAST));
        check_ok(sos_example_set_costs(x, CONTRAST, cost, &error), error);
        check(!memcmp(sos_example_costs(x, CONTRAST), cost, n * labels * 2 * sizeof *cost));
        static const size_t START[] = { 0, 3, 5 };
        static const uint32_t MEMBERS[] = { 4, 0, 2, 1, 3 }, SORTED[] = { 0, 2, 4 };
        const double phi[] = { 1, 2, 3, 4 };
        const size_t before = sos_example_parts(x);
        check_ok(sos_example_add_regions(x, CONTRAST, 2, START, MEMBERS, 0.4, phi, &error), error);
        check_ok(sos_example_add_regions(x, CONTRAST, 1, START, MEMBERS, 0, NULL, &error), error);
        check(sos_example_parts(x) == before + 3);
        const sos_part first = sos_example_part(x, before), second = sos_example_part(x, before + 1);
        const sos_part third = sos_example_part(x, before + 2);
        check(first.kind == SOS_PART_REGION && first.group == CONTRAST && first.k == 3 && first.as.reach == 1);
        check(!memcmp(first.variables, SORTED, sizeof SORTED) && first.phi[0] == 1 && first.phi[1] == 2);
        check(second.k == 2 && second.phi[0] == 3 && second.phi[1] == 4 && !third.phi && third.as.reach == 1);
        lesson_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_variables_keep_their_labels),
        cmocka_unit_test(training_respects_fixed_variables),
        cmocka_unit_test(a_truth_that_fixed_labels_contradict_is_refused),
        cmocka_unit_test(bad_fixing_is_refused),
        cmocka_unit_test(the_energy_of_an_example_is_that_of_its_weights),
        cmocka_unit_test(what_was_put_in_can_be_read_back),
    };
    return cmocka_run_group_tests_name("contents of examples", tests, NULL, NULL);
}
