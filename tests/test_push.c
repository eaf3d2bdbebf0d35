/* test_push.c - concave cliques kept as lists, whose excess is pushed in bulk, give the answers of the network of pairs. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "minimize/minimizer.h"

enum { WIDTH = 17, HEIGHT = 11, PIXELS = WIDTH * HEIGHT, REGIONS_MAX = 40 };

static sos_minimizer *minimizer(bool pairs)
{
    sos_minimizer *m = NULL;
    sos_error error;
    check_ok(sos_minimizer_create(&m, &error), error);
    sos_minimizer_pair(m, pairs);
    return m;
}

static double cost_of(sos_random *r, bool whole)
{
    const double x = 200 * sos_random_uniform(r) - 100;
    return whole ? rint(x) : x;
}

static void set_unaries(sos_random *r, sos_energy *e, bool whole, double bias)
{
    sos_error error;
    for (size_t v = 0; v < PIXELS; v++) check_ok(sos_energy_set_unary(e, v, 0, cost_of(r, whole) + bias, &error), error);
}

/* A concave function with some changes of slope, of members that are drawn, with amounts or without. */
static void add_region(sos_random *r, sos_energy *e, bool whole)
{
    uint32_t member[PIXELS];
    double amount[PIXELS], place[8] = { 0 }, value[8] = { 0 }, total = 0, slope = 60;
    const uint64_t one_in = 1 + sos_random_below(r, 6);
    const bool weighted = sos_random_below(r, 3) == 0;
    size_t k = 0, knots = 2 + sos_random_below(r, 6);
    for (uint32_t v = 0; v < PIXELS; v++)
        if (sos_random_below(r, one_in) == 0) {
            amount[k] = weighted ? (double)(1 + sos_random_below(r, 5)) : 1;
            total += amount[k];
            member[k++] = v;
        }
    if (k < 20) return;
    for (size_t j = 1; j < knots; j++) {
        place[j] = whole ? floor(total * (double)j / (double)(knots - 1)) : total * (double)j / (double)(knots - 1);
        value[j] = value[j - 1] + slope * (place[j] - place[j - 1]);
        slope -= whole ? (double)sos_random_below(r, 60) : 60 * sos_random_uniform(r);
    }
    sos_error error;
    check_ok(sos_energy_add_pieces(e, k, member, weighted ? amount : NULL, knots, place, value, whole ? 1 : 0.7, &error),
             error);
}

static sos_energy *energy_random(sos_random *r, bool whole)
{
    sos_energy *e;
    sos_error error;
    uint32_t table;
    check_ok(sos_energy_create(PIXELS, &e, &error), error);
    const double weight = (double)sos_random_below(r, 40), f[4] = { 0, weight, weight + 3, 0 };
    check_ok(sos_energy_add_table(e, 2, f, &table, &error), error);
    check_ok(sos_energy_add_patches(e, table, WIDTH, HEIGHT, 2, 1, NULL, &error), error);
    check_ok(sos_energy_add_patches(e, table, WIDTH, HEIGHT, 1, 2, NULL, &error), error);
    set_unaries(r, e, whole, 0);
    for (size_t i = sos_random_below(r, REGIONS_MAX); i-- > 0;) add_region(r, e, whole);
    return e;
}

typedef struct answer {
    uint8_t labels[PIXELS];
    sos_minimize_result result;
} answer;

static void run(sos_minimizer *m, const sos_energy *e, sos_start start, bool maximal, answer *a)
{
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    s.start = start;
    s.maximal = maximal;
    check_ok(sos_minimizer_run(m, e, &s, a->labels, &a->result, &error), error);
}

static void check_same(const answer *a, const answer *b)
{
    check(!memcmp(a->labels, b->labels, PIXELS));
    check(a->result.energy == b->result.energy);
    check(fabs(a->result.lower_bound - b->result.lower_bound) <= 1e-9 * (1 + fabs(b->result.energy)));
    check(a->result.lower_bound <= a->result.energy);
    check(a->result.rounding <= 1e-9 * (1 + fabs(b->result.energy)));
}

/* Cold, from labels of any kind, from the answer, and from the flow of energies with other unaries and weights. */
static void check_starts(sos_random *r, sos_energy *e, bool whole, bool maximal)
{
    sos_minimizer *lists = minimizer(false);
    for (int round = 0; round < 4; round++) {
        sos_minimizer *pairs = minimizer(true);
        answer wanted, got;
        run(pairs, e, SOS_START_COLD, maximal, &wanted);
        run(lists, e, round ? SOS_START_FLOW : SOS_START_COLD, maximal, &got);
        check_same(&got, &wanted);
        for (size_t v = 0; v < PIXELS; v++) got.labels[v] = sos_random_below(r, 2) == 0;
        run(lists, e, SOS_START_LABELS, maximal, &got);
        check_same(&got, &wanted);
        check(got.result.warm);
        for (size_t v = 0; v < PIXELS; v++) got.labels[v] ^= round & 1 && sos_random_below(r, 20) == 0;
        run(lists, e, SOS_START_LABELS, maximal, &got); /* from the answer, or near it */
        check_same(&got, &wanted);
        sos_minimizer_free(pairs);
        sos_error error;
        set_unaries(r, e, whole, (double)round * 7 - 10);
        const double weight = whole ? 1 + round : 0.7 + 0.1 * round;
        for (size_t c = 0; round & 1 && c < sos_energy_concaves(e); c++)
            check_ok(sos_energy_set_concave_weights(e, c, 1, &weight, &error), error);
    }
    sos_minimizer_free(lists);
}

static void answers_are_those_of_pairs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(120); c++) {
        sos_random r = test_case_begin(c);
        const bool whole = c & 1;
        sos_energy *e = energy_random(&r, whole);
        check_starts(&r, e, whole, c & 2);
        sos_energy_free(e);
    }
}

static void fixed_variables_are_kept(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        sos_energy *e = energy_random(&r, c & 1);
        for (size_t v = 0; v < PIXELS; v++)
            if (sos_random_below(&r, 5) == 0) check_ok(sos_energy_fix(e, v, (int)sos_random_below(&r, 2), &error), error);
        check_starts(&r, e, c & 1, c & 2);
        sos_energy_free(e);
    }
}

/* Otherwise the tests above would compare the network of pairs with itself. */
static void lists_take_less_memory_than_pairs(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(5);
    sos_energy *e = energy_random(&r, true);
    for (int i = 0; i < 10; i++) add_region(&r, e, true);
    sos_minimizer *lists = minimizer(false), *pairs = minimizer(true);
    answer a, b;
    run(lists, e, SOS_START_COLD, false, &a);
    run(pairs, e, SOS_START_COLD, false, &b);
    check_same(&a, &b);
    check(3 * a.result.bytes < 2 * b.result.bytes);
    sos_minimizer_free(lists);
    sos_minimizer_free(pairs);
    sos_energy_free(e);
}

/* What is left to do then is little: over all energies no more than a third of the work. */
static void the_answer_is_a_good_start(void **state)
{
    (void)state;
    uint64_t cold = 0, again = 0;
    for (uint64_t c = 0; c < 40; c++) {
        sos_random r = test_case_begin(c);
        sos_energy *e = energy_random(&r, true);
        for (int i = 0; i < 10; i++) add_region(&r, e, true);
        sos_minimizer *lists = minimizer(false);
        answer a;
        run(lists, e, SOS_START_COLD, false, &a);
        cold += a.result.augmentations;
        run(lists, e, SOS_START_LABELS, false, &a);
        again += a.result.augmentations;
        sos_minimizer_free(lists);
        sos_energy_free(e);
    }
    if (again > cold / 3)
        test_fail(__FILE__, __LINE__, "%zu discharges from the answer, %zu cold", (size_t)again, (size_t)cold);
}

/* A flow that waits in little memory is as good a start, after weights and unaries changed, as one that does not. */
static void packed_flows_go_on(void **state)
{
    (void)state;
    uint64_t cold = 0, kept = 0, packed = 0;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        sos_energy *e = energy_random(&r, false);
        for (int i = 0; i < 10; i++) add_region(&r, e, false);
        sos_minimizer *m[2] = { minimizer(false), minimizer(false) };
        for (int round = 0; round < 4; round++) {
            answer wanted, got, flow;
            sos_minimizer *fresh = minimizer(false);
            sos_error error;
            run(fresh, e, SOS_START_COLD, false, &wanted);
            run(m[0], e, SOS_START_FLOW, false, &got);
            run(m[1], e, SOS_START_FLOW, false, &flow);
            check_same(&got, &wanted);
            check(got.result.lower_bound == flow.result.lower_bound && got.result.rounding == flow.result.rounding);
            check(got.result.warm == flow.result.warm);
            cold += round ? wanted.result.augmentations : 0;
            kept += round ? flow.result.augmentations : 0;
            packed += round ? got.result.augmentations : 0;
            check(sos_minimizer_pack(m[0], e) < 2 * got.result.bytes / 3);
            sos_minimizer_pack(m[0], e); /* again: nothing is left to do */
            sos_minimizer_free(fresh);
            for (size_t v = 0; v < PIXELS; v++) {
                double zero, one;
                sos_energy_unary(e, v, &zero, &one);
                check_ok(sos_energy_set_unary(e, v, zero, one + cost_of(&r, false) / 20, &error), error);
            }
            const double weight = 0.7 + 0.02 * round;
            for (size_t i = 0; round < 2 && i < sos_energy_concaves(e); i++)
                check_ok(sos_energy_set_concave_weights(e, i, 1, &weight, &error), error);
        }
        for (int i = 0; i < 2; i++) sos_minimizer_free(m[i]);
        sos_energy_free(e);
    }
    if (3 * packed > 2 * cold || packed > 2 * kept)
        test_fail(__FILE__, __LINE__, "%zu discharges cold, %zu from flows, %zu from packed ones", (size_t)cold, (size_t)kept,
                  (size_t)packed);
}

/* Where there is nothing to pack, and where labels came between. */
static void packing_does_no_harm(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(6);
    sos_energy *e = energy_random(&r, true), *other = energy_random(&r, true);
    for (int i = 0; i < 10; i++) add_region(&r, e, true);
    for (int pairs = 0; pairs < 2; pairs++) {
        sos_minimizer *m = minimizer(pairs);
        answer wanted, got;
        sos_minimizer_pack(m, e); /* before the first run */
        run(m, e, SOS_START_COLD, false, &wanted);
        sos_minimizer_pack(m, other); /* not what was solved */
        sos_minimizer_pack(m, e);
        memset(got.labels, 1, sizeof got.labels);
        run(m, e, SOS_START_LABELS, false, &got);
        check_same(&got, &wanted);
        sos_minimizer_pack(m, e);
        run(m, other, SOS_START_FLOW, false, &got);
        check(!got.result.warm);
        run(m, e, SOS_START_FLOW, false, &got);
        check_same(&got, &wanted);
        sos_minimizer_free(m);
    }
    sos_energy_free(other);
    sos_energy_free(e);
}

static bool stop_at_once(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    ++*(int *)user;
    return false;
}

static void cancelling_leaves_labels_alone(void **state)
{
    (void)state;
    sos_random r = sos_random_seeded(7);
    sos_energy *e = energy_random(&r, true);
    for (int i = 0; i < 10; i++) add_region(&r, e, true);
    uint8_t labels[PIXELS];
    memset(labels, 9, sizeof labels);
    int asked = 0;
    sos_minimize_settings s = sos_minimize_defaults();
    s.work.progress = stop_at_once;
    s.work.user = &asked;
    sos_error error;
    check(sos_minimize(e, &s, labels, NULL, &error) == SOS_CANCELLED);
    check(asked == 1);
    for (size_t v = 0; v < PIXELS; v++) check(labels[v] == 9);
    sos_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_pairs),
        cmocka_unit_test(fixed_variables_are_kept),
        cmocka_unit_test(lists_take_less_memory_than_pairs),
        cmocka_unit_test(the_answer_is_a_good_start),
        cmocka_unit_test(packed_flows_go_on),
        cmocka_unit_test(packing_does_no_harm),
        cmocka_unit_test(cancelling_leaves_labels_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
