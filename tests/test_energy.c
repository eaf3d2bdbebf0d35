/* test_energy.c - building an energy: what it holds, what it refuses and why, and that refusals change nothing. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sos_energy *energy_of(size_t n)
{
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_create(n, &e, &error), error);
    return e;
}

static uint32_t add_table(sos_energy *e, size_t k, const double f[])
{
    uint32_t table = UINT32_MAX;
    sos_error error;
    check_ok(sos_energy_add_table(e, k, f, &table, &error), error);
    return table;
}

/* Everything the public functions tell about an energy, added up so that any change shows. */
typedef struct picture {
    size_t variables, cliques, tables, concaves;
    double constant, unaries, fixed, costs, members, weights, zeros, ones;
} picture;

static double mix(double sum, double x) { return sum * 0.75 + x; }

static picture picture_of(const sos_energy *e)
{
    picture p = { .variables = sos_energy_variables(e),
                  .cliques = sos_energy_cliques(e),
                  .tables = sos_energy_tables(e),
                  .concaves = sos_energy_concaves(e),
                  .constant = sos_energy_constant(e) };
    for (size_t i = 0; i < p.variables; i++) {
        double cost0, cost1;
        sos_energy_unary(e, i, &cost0, &cost1);
        p.unaries = mix(mix(p.unaries, cost0), cost1);
        p.fixed = mix(p.fixed, sos_energy_fixed(e, i));
    }
    for (size_t t = 0; t < p.tables; t++) {
        size_t k;
        const double *f = sos_energy_table(e, (uint32_t)t, &k);
        for (size_t S = 0; S < (size_t)1 << k; S++) p.costs = mix(p.costs, f[S]);
    }
    for (size_t c = 0; c < p.cliques; c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        for (size_t b = 0; b < clique.k; b++) p.members = mix(p.members, clique.variables[b]);
        p.weights = mix(mix(p.weights, clique.weight), clique.table);
    }
    for (size_t c = 0; c < p.concaves; c++) {
        const sos_pieces concave = sos_energy_pieces(e, c);
        for (size_t m = 0; m <= concave.k; m++) p.costs = mix(p.costs, concave.value[m]);
        for (size_t b = 0; b < concave.k; b++) p.members = mix(p.members, concave.variables[b]);
        p.weights = mix(p.weights, concave.weight);
    }
    uint8_t *labels = test_room(NULL, p.variables, 1);
    memset(labels, 0, p.variables);
    p.zeros = sos_energy_value(e, labels);
    memset(labels, 1, p.variables);
    p.ones = sos_energy_value(e, labels);
    free(labels);
    return p;
}

static void check_same(const sos_energy *e, const picture *before)
{
    const picture after = picture_of(e);
    check(!memcmp(before, &after, sizeof after));
}

/* A small energy with one of everything. */
static sos_energy *sample(void)
{
    sos_energy *e = energy_of(6);
    sos_error error;
    for (size_t i = 0; i < 6; i++) check_ok(sos_energy_set_unary(e, i, (double)i, 3 - (double)i, &error), error);
    const double pair[] = { 0, 2, 2, 0 }, triple[] = { 1, 3, 3, 4, 3, 4, 4, 4 }, g[] = { 0, 3, 5, 5, 4 };
    add_table(e, 2, pair);
    add_table(e, 3, triple);
    const uint32_t pairs[] = { 0, 1, 1, 2, 5, 4 }, triples[] = { 3, 1, 0 }, members[] = { 5, 0, 2, 3 };
    const double weights[] = { 2.5 };
    check_ok(sos_energy_add_cliques(e, 0, 3, pairs, NULL, &error), error);
    check_ok(sos_energy_add_cliques(e, 1, 1, triples, weights, &error), error);
    check_ok(sos_energy_add_concave(e, 4, members, g, 0.75, &error), error);
    check_ok(sos_energy_fix(e, 4, 1, &error), error);
    check_ok(sos_energy_add_constant(e, 7, &error), error);
    return e;
}

static void accessors_tell_what_was_given(void **state)
{
    (void)state;
    sos_energy *e = sample();
    check(sos_energy_variables(e) == 6 && sos_energy_cliques(e) == 4);
    check(sos_energy_tables(e) == 2 && sos_energy_concaves(e) == 1);
    check(sos_energy_constant(e) == 7 && sos_energy_bytes(e) > 0);
    double cost0, cost1;
    sos_energy_unary(e, 4, &cost0, &cost1);
    check(cost0 == 4 && cost1 == -1);
    for (size_t i = 0; i < 6; i++) check(sos_energy_fixed(e, i) == (i == 4 ? 1 : SOS_FREE));
    size_t k = 0;
    check(sos_energy_table(e, 1, &k)[4] == 3 && k == 3);
    const sos_clique second = sos_energy_clique(e, 1), last = sos_energy_clique(e, 3);
    check(second.k == 2 && second.table == 0 && second.weight == 1);
    check(second.variables[0] == 1 && second.variables[1] == 2);
    check(last.k == 3 && last.table == 1 && last.weight == 2.5);
    check(last.variables[0] == 3 && last.variables[1] == 1 && last.variables[2] == 0);
    const sos_pieces concave = sos_energy_pieces(e, 0);
    check(concave.k == 4 && concave.value[2] == 5 && concave.value[4] == 4 && concave.weight == 0.75);
    unsigned members = 0;
    for (size_t b = 0; b < 4; b++) members |= 1U << concave.variables[b];
    check(members == (1U << 5 | 1U << 0 | 1U << 2 | 1U << 3));
    sos_energy_free(e);
}

static void cliques_are_numbered_by_size_then_as_added(void **state)
{
    (void)state;
    sos_energy *e = energy_of(4);
    sos_error error;
    const double zeros[8] = { 0 };
    const uint32_t t3 = add_table(e, 3, zeros), t1 = add_table(e, 1, zeros), t2 = add_table(e, 2, zeros);
    const uint32_t a[] = { 0, 1, 2 }, b[] = { 3 }, c[] = { 1, 0, 2, 3 }, d[] = { 3, 2, 1 };
    check_ok(sos_energy_add_cliques(e, t3, 1, a, NULL, &error), error);
    check_ok(sos_energy_add_cliques(e, t1, 1, b, NULL, &error), error);
    check_ok(sos_energy_add_cliques(e, t2, 2, c, NULL, &error), error);
    check_ok(sos_energy_add_cliques(e, t3, 1, d, NULL, &error), error);
    const uint32_t first[] = { 3, 1, 2, 0, 3 };
    const size_t sizes[] = { 1, 2, 2, 3, 3 };
    for (size_t i = 0; i < 5; i++) {
        check(sos_energy_clique(e, i).k == sizes[i]);
        check(sos_energy_clique(e, i).variables[0] == first[i]);
    }
    sos_energy_free(e);
}

static void value_follows_the_definition(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(800); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { (costs)(c % COSTS_KINDS), 30, 20, 6, 3, true, true };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        uint8_t labels[30] = { 0 };
        for (int repeat = 0; repeat < 4; repeat++) {
            for (size_t i = 0; i < p.n; i++) labels[i] = sos_random_bits(&r) & 1;
            const long double difference = sos_energy_value(e, labels) - problem_value(&p, labels);
            check(fabsl(difference) <= (problem_is_multiple_of(&p, 1) ? 0 : 64 * DBL_EPSILON * problem_magnitude(&p)));
        }
        sos_energy_free(e);
        problem_free(&p);
    }
}

static void value_of_many_terms_is_exact_for_integers(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    problem p = problem_grid(&r, 130, 110, COSTS_INTEGERS);
    double f[16];
    table_random(&r, 4, COSTS_INTEGERS, f);
    problem_add_patches(&p, problem_add_table(&p, 4, f), 130, 110, 2, 2);
    sos_energy *e = problem_build(&p);
    uint8_t *labels = test_room(NULL, p.n, 1);
    for (size_t i = 0; i < p.n; i++) labels[i] = sos_random_bits(&r) & 1;
    check(sos_energy_value(e, labels) == problem_value(&p, labels));
    free(labels);
    sos_energy_free(e);
    problem_free(&p);
}

static void check_patches(sos_random *r, size_t width, size_t height, size_t patch_width, size_t patch_height, bool weighted)
{
    problem p = problem_create(width * height + 2);
    double f[64];
    const size_t k = patch_width * patch_height;
    table_random(r, k, COSTS_INTEGERS, f);
    const uint32_t table = problem_add_table(&p, k, f);
    sos_energy *whole = problem_build(&p);
    problem_add_patches(&p, table, width, height, patch_width, patch_height);
    double *weights = test_room(NULL, p.clique_count, sizeof *weights);
    for (size_t c = 0; weighted && c < p.clique_count; c++) p.cliques[c].weight = weights[c] = (double)sos_random_below(r, 9);
    sos_energy *one_by_one = problem_build(&p);
    sos_error error;
    check_ok(sos_energy_add_patches(whole, table, width, height, patch_width, patch_height, weighted ? weights : NULL, &error),
             error);
    check(sos_energy_cliques(whole) == p.clique_count);
    for (size_t c = 0; c < p.clique_count; c++) {
        const sos_clique a = sos_energy_clique(whole, c), b = sos_energy_clique(one_by_one, c);
        check(a.k == b.k && a.table == b.table && a.weight == b.weight);
        check(!memcmp(a.variables, b.variables, k * sizeof *a.variables));
    }
    sos_energy_free(whole);
    sos_energy_free(one_by_one);
    problem_free(&p);
    free(weights);
}

static void patches_equal_the_explicit_list(void **state)
{
    (void)state;
    static const size_t SHAPES[][2] = { { 1, 1 }, { 2, 1 }, { 1, 2 }, { 2, 2 }, { 3, 1 }, { 3, 2 }, { 2, 3 } };
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const size_t *shape = SHAPES[c % (sizeof SHAPES / sizeof *SHAPES)];
        check_patches(&r, (size_t)sos_random_below(&r, 8), (size_t)sos_random_below(&r, 8), shape[0], shape[1], c & 1);
    }
}

/* The patches of a volume by their definition, each voxel by its coordinates. */
static void check_volume(sos_random *r, const size_t size[3], const size_t patch[3], bool weighted)
{
    const size_t n = size[0] * size[1] * size[2], k = patch[0] * patch[1] * patch[2];
    problem p = problem_create(n + 1);
    double *f = test_room(NULL, (size_t)1 << k, sizeof *f);
    table_random(r, k, COSTS_INTEGERS, f);
    const uint32_t table = problem_add_table(&p, k, f);
    sos_energy *whole = problem_build(&p);
    for (size_t at = 0; at < n; at++) {
        const size_t x = at % size[0], y = at / size[0] % size[1], z = at / size[0] / size[1];
        if (x + patch[0] > size[0] || y + patch[1] > size[1] || z + patch[2] > size[2]) continue;
        uint32_t members[SOS_TABLE_MEMBERS_MAX];
        for (size_t b = 0; b < k; b++) {
            const size_t dx = b % patch[0], dy = b / patch[0] % patch[1], dz = b / patch[0] / patch[1];
            members[b] = (uint32_t)(x + dx + size[0] * (y + dy) + size[0] * size[1] * (z + dz));
        }
        problem_add_clique(&p, table, members, weighted ? (double)sos_random_below(r, 9) : 1);
    }
    double *weights = test_room(NULL, p.clique_count, sizeof *weights);
    for (size_t c = 0; c < p.clique_count; c++) weights[c] = p.cliques[c].weight;
    sos_energy *one_by_one = problem_build(&p);
    sos_error error;
    check_ok(sos_energy_add_volume_patches(whole, table, size[0], size[1], size[2], patch[0], patch[1], patch[2],
                                           weighted ? weights : NULL, &error),
             error);
    check_same_energy(whole, one_by_one);
    sos_energy_free(whole);
    sos_energy_free(one_by_one);
    problem_free(&p);
    free(weights);
    free(f);
}

static void patches_of_a_volume_equal_the_explicit_list(void **state)
{
    (void)state;
    static const size_t SHAPES[][3] = { { 1, 1, 1 }, { 2, 2, 2 }, { 3, 2, 1 }, { 1, 2, 3 }, { 1, 1, 4 }, { 2, 1, 2 } };
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const size_t size[] = { (size_t)sos_random_below(&r, 6), (size_t)sos_random_below(&r, 6),
                                (size_t)sos_random_below(&r, 6) };
        check_volume(&r, size, SHAPES[c % (sizeof SHAPES / sizeof *SHAPES)], c & 1);
    }
}

static void volumes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sos_energy *e = energy_of(24);
    const double f[256] = { 0 };
    sos_error error;
    const uint32_t table = add_table(e, 8, f);
    const picture before = picture_of(e);
    const size_t half = SIZE_MAX / 2;
    check_error(sos_energy_add_volume_patches(e, table, 2, 3, 5, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "2x3x5",
                "24 variables");
    check_error(sos_energy_add_volume_patches(e, table, 4, half, half, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error,
                "24 variables");
    check_error(sos_energy_add_volume_patches(e, table, 2, 3, 4, 2, 2, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "2x2x1",
                "8 members");
    check_error(sos_energy_add_volume_patches(e, table, 2, 3, 4, 2, 0, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "2x0x2");
    check_error(sos_energy_add_volume_patches(e, table, 2, 3, 4, 3, 3, 3, NULL, &error), SOS_ERR_ARGUMENT, error, "3x3x3");
    check_error(sos_energy_add_volume_patches(e, 9, 2, 3, 4, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "table 9");
    check_error(sos_energy_add_volume_patches(e, table, 2, 2, 2, 2, 2, 2, (double[]){ -1 }, &error), SOS_ERR_ARGUMENT, error,
                "weight -1");
    check_ok(sos_energy_add_volume_patches(e, table, 2, 3, 1, 2, 2, 2, NULL, &error), error);
    check_ok(sos_energy_add_volume_patches(e, table, 0, half, half, 2, 2, 2, NULL, &error), error);
    check_same(e, &before);
    sos_energy_free(e);
}

static void a_smaller_image_has_no_patches(void **state)
{
    (void)state;
    sos_energy *e = energy_of(10);
    const double f[16] = { 0 };
    sos_error error;
    const uint32_t table = add_table(e, 4, f);
    check_ok(sos_energy_add_patches(e, table, 1, 9, 2, 2, NULL, &error), error);
    check_ok(sos_energy_add_patches(e, table, 9, 1, 2, 2, NULL, &error), error);
    check_ok(sos_energy_add_patches(e, table, 0, 0, 2, 2, NULL, &error), error);
    check(sos_energy_cliques(e) == 0);
    sos_energy_free(e);
}

static void a_copy_is_the_same_and_its_own(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { (costs)(c % COSTS_KINDS), 9, 9, 5, c & 1 ? 2 : 0, c & 2, c & 4 };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p), *copy = NULL, *again = NULL;
        sos_error error;
        check_ok(sos_energy_copy(e, &copy, &error), error);
        check_same_energy(e, copy);
        /* Each can change without the other. */
        const picture before = picture_of(e);
        check_ok(sos_energy_add_constant(copy, 1, &error), error);
        check_ok(sos_energy_set_unaries(copy, NULL, NULL, &error), error);
        check_ok(sos_energy_fix_all(copy, NULL, &error), error);
        for (uint32_t t = 0; t < sos_energy_tables(copy); t++) {
            double *f = calloc((size_t)1 << p.tables[t].k, sizeof *f);
            check_ok(sos_energy_set_table(copy, t, f, &error), error);
            free(f);
        }
        const size_t tables = p.table_count, cliques = p.clique_count, concaves = p.concave_count;
        for (int more = 0; more < 3; more++) problem_add_random_clique(&r, &p, 5, wanted.kind, true);
        problem_add_random_concave(&r, &p, 5, wanted.kind, true);
        problem_build_rest(&p, copy, tables, cliques, concaves);
        check_same(e, &before);
        check_ok(sos_energy_copy(e, &again, &error), error);
        sos_energy_free(e);
        check_same(again, &before);
        sos_energy_free(again);
        sos_energy_free(copy);
        problem_free(&p);
    }
    sos_error error;
    sos_energy *e = energy_of(1), *out = e;
    check_error(sos_energy_copy(NULL, &out, &error), SOS_ERR_ARGUMENT, error, "no energy");
    check_error(sos_energy_copy(e, NULL, &error), SOS_ERR_ARGUMENT, error, "no place");
    check(out == e);
    sos_energy_free(e);
}

static void all_variables_can_be_fixed_at_once(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const uint8_t some[] = { 0, SOS_FREE, 1, SOS_FREE, SOS_FREE, 0 }, bad[] = { 0, 1, 2, 3, 0, 0 };
    check_ok(sos_energy_fix_all(e, some, &error), error);
    for (size_t i = 0; i < 6; i++) check(sos_energy_fixed(e, i) == some[i]);
    const picture before = picture_of(e);
    check_error(sos_energy_fix_all(e, bad, &error), SOS_ERR_ARGUMENT, error, "variable 3", "label 3");
    check_same(e, &before);
    check_ok(sos_energy_fix_all(e, NULL, &error), error);
    for (size_t i = 0; i < 6; i++) check(sos_energy_fixed(e, i) == SOS_FREE);
    check_ok(sos_energy_fix(e, 2, 1, &error), error);
    for (size_t i = 0; i < 6; i++) check(sos_energy_fixed(e, i) == (i == 2 ? 1 : SOS_FREE));
    sos_energy_free(e);
    e = energy_of(0);
    check_ok(sos_energy_fix_all(e, some, &error), error);
    check_ok(sos_energy_fix_all(e, NULL, &error), error);
    sos_energy_free(e);
}

static void weights_of_concave_cliques_can_change(void **state)
{
    (void)state;
    sos_energy *e = energy_of(4);
    sos_error error;
    const uint32_t members[] = { 0, 1, 2, 3 };
    const double g[] = { 1, 4, 6, 7, 7 }, weights[] = { 2, 0 }, bad[] = { 1, -1 }, nan[] = { NAN, 1 };
    const uint8_t two[] = { 1, 0, 1, 0 };
    for (size_t c = 0; c < 3; c++) check_ok(sos_energy_add_concave(e, 4 - c, members, g, 1, &error), error);
    check(sos_energy_value(e, two) == 6 + 6 + 4);
    check_ok(sos_energy_set_concave_weights(e, 1, 2, weights, &error), error);
    check(sos_energy_value(e, two) == 6 + 2 * 6 + 0);
    check(sos_energy_pieces(e, 0).weight == 1 && sos_energy_pieces(e, 1).weight == 2 && sos_energy_pieces(e, 2).weight == 0);
    const picture before = picture_of(e);
    check_ok(sos_energy_set_concave_weights(e, 3, 0, NULL, &error), error);
    check_error(sos_energy_set_concave_weights(e, 1, 2, bad, &error), SOS_ERR_ARGUMENT, error, "weight -1");
    check_error(sos_energy_set_concave_weights(e, 0, 2, nan, &error), SOS_ERR_ARGUMENT, error, "weight");
    check_error(sos_energy_set_concave_weights(e, 2, 2, weights, &error), SOS_ERR_ARGUMENT, error, "there are 3");
    check_error(sos_energy_set_concave_weights(e, SIZE_MAX, 2, weights, &error), SOS_ERR_ARGUMENT, error, "there are 3");
    check_error(sos_energy_set_concave_weights(e, 0, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "no weights");
    check_error(sos_energy_add_concave(e, 2, members, g, -0.5, &error), SOS_ERR_ARGUMENT, error, "weight -0.5");
    check_error(sos_energy_add_concave(e, 2, members, g, INFINITY, &error), SOS_ERR_ARGUMENT, error, "weight inf");
    check_same(e, &before);
    sos_energy_free(e);
}

static void what_is_given_is_copied(void **state)
{
    (void)state;
    sos_energy *e = energy_of(3);
    sos_error error;
    double cost0[] = { 1, 2, 3 }, cost1[] = { 4, 5, 6 }, f[] = { 0, 1, 1, 0 }, weights[] = { 3 }, g[] = { 0, 2, 3 };
    uint32_t variables[] = { 0, 2 };
    check_ok(sos_energy_set_unaries(e, cost0, cost1, &error), error);
    const uint32_t table = add_table(e, 2, f);
    check_ok(sos_energy_add_cliques(e, table, 1, variables, weights, &error), error);
    check_ok(sos_energy_add_concave(e, 2, variables, g, 1, &error), error);
    const picture before = picture_of(e);
    memset(cost0, 0, sizeof cost0);
    memset(cost1, 0, sizeof cost1);
    memset(f, 0, sizeof f);
    memset(weights, 0, sizeof weights);
    memset(g, 0, sizeof g);
    memset(variables, 0, sizeof variables);
    check_same(e, &before);
    sos_energy_free(e);
}

static void no_array_of_unaries_means_zeros(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const double ones[] = { 1, 1, 1, 1, 1, 1 };
    double cost0, cost1;
    check_ok(sos_energy_set_unaries(e, NULL, ones, &error), error);
    sos_energy_unary(e, 5, &cost0, &cost1);
    check(cost0 == 0 && cost1 == 1);
    check_ok(sos_energy_set_unaries(e, ones, NULL, &error), error);
    sos_energy_unary(e, 0, &cost0, &cost1);
    check(cost0 == 1 && cost1 == 0);
    sos_energy_free(e);
}

static void a_table_that_changes_takes_its_cliques_along(void **state)
{
    (void)state;
    sos_energy *e = energy_of(3);
    sos_error error;
    const double first[] = { 0, 1, 1, 0 }, second[] = { 0, 5, 7, 2 };
    const uint32_t variables[] = { 0, 1, 1, 2 };
    const uint8_t labels[] = { 1, 0, 1 };
    const uint32_t table = add_table(e, 2, first);
    check_ok(sos_energy_add_cliques(e, table, 2, variables, NULL, &error), error);
    check(sos_energy_value(e, labels) == 2);
    check_ok(sos_energy_set_table(e, table, second, &error), error);
    check(sos_energy_value(e, labels) == 12);
    sos_energy_free(e);
}

static void reserving_changes_nothing_to_see(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    check_ok(sos_energy_reserve(e, 0, 1000, &error), error);
    check_same(e, &before);
    const sos_clique clique = sos_energy_clique(e, 0);
    const uint32_t variables[] = { 2, 3 };
    for (int c = 0; c < 1000; c++) check_ok(sos_energy_add_cliques(e, 0, 1, variables, NULL, &error), error);
    check(sos_energy_clique(e, 0).variables == clique.variables); /* nothing moved */
    check_error(sos_energy_reserve(e, 2, 1, &error), SOS_ERR_ARGUMENT, error, "table 2");
    check_error(sos_energy_reserve(e, 0, SIZE_MAX, &error), SOS_ERR_RANGE, error, "too many");
    check_error(sos_energy_reserve(e, 0, SIZE_MAX / 2, &error), SOS_ERR_RANGE, error, "too many");
    sos_energy_free(e);
}

static void costs_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    static const double BAD[] = { NAN, INFINITY, -INFINITY };
    static const char *const WORDS[] = { "nan", "inf", "-inf" };
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    for (size_t b = 0; b < 3; b++) {
        const double bad = BAD[b], three[] = { 0, bad, 0, 0, 0, 0 };
        const double f[] = { 0, 1, bad, 0 }, g[] = { 0, 1, bad }, weights[] = { 1, bad };
        const uint32_t variables[] = { 0, 1, 2, 3 };
        uint32_t table = 77;
        check_error(sos_energy_add_constant(e, bad, &error), SOS_ERR_ARGUMENT, error, WORDS[b]);
        check_error(sos_energy_set_unary(e, 3, bad, 0, &error), SOS_ERR_ARGUMENT, error, "variable 3", WORDS[b]);
        check_error(sos_energy_set_unary(e, 3, 0, bad, &error), SOS_ERR_ARGUMENT, error, "variable 3", WORDS[b]);
        check_error(sos_energy_set_unaries(e, three, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 1", WORDS[b]);
        check_error(sos_energy_set_unaries(e, NULL, three, &error), SOS_ERR_ARGUMENT, error, "variable 1", WORDS[b]);
        check_error(sos_energy_add_table(e, 2, f, &table, &error), SOS_ERR_ARGUMENT, error, "2", WORDS[b]);
        check_error(sos_energy_set_table(e, 0, f, &error), SOS_ERR_ARGUMENT, error, "2", WORDS[b]);
        check_error(sos_energy_add_concave(e, 2, variables, g, 1, &error), SOS_ERR_ARGUMENT, error, "2", WORDS[b]);
        check_error(sos_energy_add_cliques(e, 0, 2, variables, weights, &error), SOS_ERR_ARGUMENT, error, "clique 1", WORDS[b]);
        check_error(sos_energy_add_patches(e, 0, 3, 1, 2, 1, weights, &error), SOS_ERR_ARGUMENT, error, "clique 1", WORDS[b]);
        check(table == 77);
    }
    check_same(e, &before);
    sos_energy_free(e);
}

static void costs_too_large_to_add_are_refused(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    const double f[] = { 0, DBL_MAX, DBL_MAX, 0 }, g[] = { 0, DBL_MAX, 0 };
    const uint32_t variables[] = { 0, 1 };
    uint32_t table = 77;
    check_error(sos_energy_add_table(e, 2, f, &table, &error), SOS_ERR_RANGE, error, "entry 1");
    check_error(sos_energy_set_table(e, 0, f, &error), SOS_ERR_RANGE, error, "entry 1");
    check_error(sos_energy_add_concave(e, 2, variables, g, 1, &error), SOS_ERR_RANGE, error, "count 1");
    check_error(sos_energy_set_unary(e, 0, -DBL_MAX, DBL_MAX, &error), SOS_ERR_ARGUMENT, error, "variable 0");
    check(table == 77);
    check_same(e, &before);
    check_ok(sos_energy_add_constant(e, DBL_MAX, &error), error);
    const picture full = picture_of(e);
    check_error(sos_energy_add_constant(e, DBL_MAX, &error), SOS_ERR_ARGUMENT, error, "constant");
    check_same(e, &full);
    sos_energy_free(e);
}

static void a_table_that_is_not_submodular_is_refused_with_the_reason(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    double f[16] = { 0 };
    uint32_t table = 77;
    /* Only at S = {1}, with i = 0 and j = 3: f({0,1,3}) + f({1}) - f({0,1}) - f({1,3}) = 2.5; others have slack. */
    for (size_t S = 0; S < 16; S++) {
        const double m = __builtin_popcountll(S);
        f[S] = 10 * m * (4 - m);
    }
    check_ok(sos_energy_add_table(e, 4, f, &table, &error), error);
    f[11] += 22.5;
    check_error(sos_energy_add_table(e, 4, f, &table, &error), SOS_ERR_NOT_SUBMODULAR, error, "not submodular",
                "S = ", "i = ", "j = ", "2.5");
    check_error(sos_energy_set_table(e, 2, f, &error), SOS_ERR_NOT_SUBMODULAR, error, "2.5");
    check(table == 2);
    const double pair[] = { 0, 1, 2, 3.25 };
    check_error(sos_energy_set_table(e, 0, pair, &error), SOS_ERR_NOT_SUBMODULAR, error, "S = 0,", "i = 0,", "j = 1,", "0.25");
    check(sos_energy_tables(e) == 3 && before.tables == 2);
    sos_energy_free(e);
}

/* Every single violated square is found and named, whatever its S, i and j. */
static void the_violated_square_is_named(void **state)
{
    (void)state;
    sos_energy *e = energy_of(5);
    for (size_t S = 0; S < 32; S++)
        for (size_t j = 0; j < 5; j++)
            for (size_t i = 0; i < j; i++) {
                if (S >> i & 1 || S >> j & 1) continue;
                /* Supermodular in i and j where the other members are as in S, by 1; submodular by 2 elsewhere. */
                double f[32];
                for (size_t T = 0; T < 32; T++) {
                    const size_t other = T & ~((size_t)1 << i | (size_t)1 << j);
                    const double m = __builtin_popcountll(T);
                    f[T] = -1000 * m * m;
                    if (T >> i & 1 && T >> j & 1) f[T] += other == S ? 2001 : 1998 - 1000 * __builtin_popcountll(other ^ S);
                }
                sos_error error;
                uint32_t table = 77;
                char words[3][32];
                snprintf(words[0], sizeof words[0], "S = %zu,", S);
                snprintf(words[1], sizeof words[1], "i = %zu,", i);
                snprintf(words[2], sizeof words[2], "j = %zu,", j);
                check_error(sos_energy_add_table(e, 5, f, &table, &error), SOS_ERR_NOT_SUBMODULAR, error, words[0], words[1],
                            words[2]);
                check(table == 77 && sos_energy_tables(e) == 0);
            }
    sos_energy_free(e);
}

static void rounding_of_the_caller_is_accepted(void **state)
{
    (void)state;
    sos_energy *e = energy_of(3);
    sos_error error;
    uint32_t table;
    const uint32_t variables[] = { 0, 1, 2 };
    const double ulp = DBL_EPSILON;
    const double modular[] = { 1, 0.1, 0.2, -0.7 + 8 * ulp }, beyond[] = { 1, 0.1, 0.2, -0.7 + 32 * ulp };
    check_ok(sos_energy_add_table(e, 2, modular, &table, &error), error);
    check_is(sos_energy_add_table(e, 2, beyond, &table, &error), SOS_ERR_NOT_SUBMODULAR);
    const double linear[] = { 0, 0.1, 0.1 + 0.1, 0.1 + 0.1 + 0.1 }, convex[] = { 0, 0.1, 0.2, 0.3 + 1e-12 };
    check_ok(sos_energy_add_concave(e, 3, variables, linear, 1, &error), error);
    check_is(sos_energy_add_concave(e, 3, variables, convex, 1, &error), SOS_ERR_NOT_SUBMODULAR);
    sos_energy_free(e);
}

static void a_count_function_that_is_not_concave_is_refused_with_the_reason(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    const uint32_t variables[] = { 0, 1, 2, 3 };
    const double g[] = { 0, 4, 5, 6.5, 6 };
    check_error(sos_energy_add_concave(e, 4, variables, g, 1, &error), SOS_ERR_NOT_SUBMODULAR, error, "not concave", "m = 2",
                "0.5");
    check_same(e, &before);
    sos_energy_free(e);
}

static void members_out_of_range_or_twice_are_refused(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    const uint32_t beyond[] = { 0, 1, 2, 6 }, far[] = { UINT32_MAX, 0 }, twice[] = { 0, 1, 3, 3 }, mixed[] = { 3, 0, 3 };
    const double g[] = { 0, 1, 1, 1, 1 };
    check_error(sos_energy_add_cliques(e, 0, 2, beyond, NULL, &error), SOS_ERR_ARGUMENT, error, "clique 1", "variable 6");
    check_error(sos_energy_add_cliques(e, 0, 1, far, NULL, &error), SOS_ERR_ARGUMENT, error, "clique 0", "4294967295");
    check_error(sos_energy_add_cliques(e, 0, 2, twice, NULL, &error), SOS_ERR_ARGUMENT, error, "clique 1", "variable 3",
                "twice");
    check_error(sos_energy_add_cliques(e, 1, 1, mixed, NULL, &error), SOS_ERR_ARGUMENT, error, "clique 0", "twice");
    check_error(sos_energy_add_concave(e, 4, beyond, g, 1, &error), SOS_ERR_ARGUMENT, error, "variable 6");
    check_error(sos_energy_add_concave(e, 4, twice, g, 1, &error), SOS_ERR_ARGUMENT, error, "variable 3", "twice");
    check_error(sos_energy_add_concave(e, 3, mixed, g, 1, &error), SOS_ERR_ARGUMENT, error, "variable 3", "twice");
    check_error(sos_energy_set_unary(e, 6, 0, 0, &error), SOS_ERR_ARGUMENT, error, "variable 6");
    check_error(sos_energy_fix(e, 6, 0, &error), SOS_ERR_ARGUMENT, error, "variable 6");
    check_error(sos_energy_fix(e, 5, 3, &error), SOS_ERR_ARGUMENT, error, "3");
    check_error(sos_energy_fix(e, 5, -1, &error), SOS_ERR_ARGUMENT, error, "-1");
    check_same(e, &before);
    sos_energy_free(e);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    sos_energy *e = sample(), *out = e;
    sos_error error;
    const picture before = picture_of(e);
    const double f[4] = { 0 };
    const uint32_t variables[] = { 0, 1, 2, 3, 4, 5, 0 };
    uint32_t table = 77;
    check_error(sos_energy_create(SIZE_MAX, &out, &error), SOS_ERR_RANGE, error, "variables");
    check_error(sos_energy_create(SIZE_MAX / 2, &out, &error), SOS_ERR_RANGE, error, "variables");
    check(out == e);
    check_error(sos_energy_add_table(e, 0, f, &table, &error), SOS_ERR_ARGUMENT, error, "0 members");
    check_error(sos_energy_add_table(e, 17, f, &table, &error), SOS_ERR_ARGUMENT, error, "17 members");
    check_error(sos_energy_add_table(e, SIZE_MAX, f, &table, &error), SOS_ERR_ARGUMENT, error, "members");
    check_error(sos_energy_set_table(e, 2, f, &error), SOS_ERR_ARGUMENT, error, "table 2");
    check_error(sos_energy_add_cliques(e, 2, 1, variables, NULL, &error), SOS_ERR_ARGUMENT, error, "table 2");
    if (SIZE_MAX > UINT32_MAX) /* else there is no memory for so many */
        check_error(sos_energy_add_cliques(e, 0, SIZE_MAX / 4, variables, NULL, &error), SOS_ERR_RANGE, error, "cliques");
    check_error(sos_energy_add_cliques(e, 0, SIZE_MAX, variables, NULL, &error), SOS_ERR_RANGE, error, "cliques");
    check_error(sos_energy_add_concave(e, 0, variables, f, 1, &error), SOS_ERR_ARGUMENT, error, "members");
    check_error(sos_energy_add_concave(e, 7, variables, f, 1, &error), SOS_ERR_ARGUMENT, error, "7 members");
    check_error(sos_energy_add_concave(e, SIZE_MAX, variables, f, 1, &error), SOS_ERR_ARGUMENT, error, "members");
    check_error(sos_energy_add_patches(e, 0, 3, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "2x2", "2 members");
    check_error(sos_energy_add_patches(e, 0, 3, 2, 0, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "0x2");
    check_error(sos_energy_add_patches(e, 0, 4, 2, 2, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "4x2", "6 variables");
    check_error(sos_energy_add_patches(e, 0, SIZE_MAX / 2, 4, 2, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "6 variables");
    check_error(sos_energy_add_patches(e, 7, 3, 2, 2, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "table 7");
    check(table == 77);
    check_same(e, &before);
    sos_energy_free(e);
}

static void negative_weights_are_refused(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    const uint32_t variables[] = { 0, 1, 2, 3 };
    const double weights[] = { 0, -0.5 };
    check_error(sos_energy_add_cliques(e, 0, 2, variables, weights, &error), SOS_ERR_ARGUMENT, error, "clique 1", "-0.5");
    check_error(sos_energy_add_patches(e, 0, 3, 1, 2, 1, weights, &error), SOS_ERR_ARGUMENT, error, "clique 1", "-0.5");
    check_same(e, &before);
    sos_energy_free(e);
}

static void missing_arrays_are_refused(void **state)
{
    (void)state;
    sos_energy *e = sample();
    sos_error error;
    const picture before = picture_of(e);
    const double f[] = { 0, 0, 0, 0 };
    const uint32_t variables[] = { 0, 1 };
    uint32_t table = 77;
    check_is(sos_energy_create(3, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_table(e, 2, NULL, &table, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_table(e, 2, f, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_set_table(e, 0, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_cliques(e, 0, 1, NULL, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_concave(e, 2, NULL, f, 1, &error), SOS_ERR_ARGUMENT);
    check_is(sos_energy_add_concave(e, 2, variables, NULL, 1, &error), SOS_ERR_ARGUMENT);
    check_same(e, &before);
    sos_energy_free(e);
}

static void errors_need_no_place_for_words(void **state)
{
    (void)state;
    sos_energy *e = sample();
    const double bad[] = { 0, 0, 0, 1 };
    uint32_t table;
    check_is(sos_energy_create(SIZE_MAX, &e, NULL), SOS_ERR_RANGE);
    check_is(sos_energy_add_table(e, 2, bad, &table, NULL), SOS_ERR_NOT_SUBMODULAR);
    check_is(sos_energy_set_unary(e, 9, 0, 0, NULL), SOS_ERR_ARGUMENT);
    sos_energy_free(e);
    sos_energy_free(NULL);
}

static void a_refused_list_leaves_room_for_the_right_one(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_INTEGERS, 12, 12, 4, 2, true, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p);
        for (size_t t = 0; t < p.table_count; t++) {
            uint32_t variables[8] = { 0 };
            double weights[2] = { 2.5, sos_random_bits(&r) & 1 ? -1 : 0.3 };
            sos_error error;
            members_random(&r, p.n, p.tables[t].k, variables);
            variables[p.tables[t].k] = (uint32_t)p.n;
            check_is(sos_energy_add_cliques(e, (uint32_t)t, 2, variables, weights, &error), SOS_ERR_ARGUMENT);
        }
        const size_t cliques = p.clique_count, tables = p.table_count;
        problem_add_random_clique(&r, &p, 4, COSTS_INTEGERS, true);
        problem_build_rest(&p, e, tables, cliques, p.concave_count);
        uint8_t labels[12];
        for (size_t i = 0; i < p.n; i++) labels[i] = sos_random_bits(&r) & 1;
        check(sos_energy_cliques(e) == p.clique_count);
        check(sos_energy_value(e, labels) == problem_value(&p, labels));
        sos_energy_free(e);
        problem_free(&p);
    }
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int a = SOS_OK; a <= SOS_CANCELLED; a++) {
        check(sos_status_name((sos_status)a)[0]);
        for (int b = SOS_OK; b < a; b++) check(strcmp(sos_status_name((sos_status)a), sos_status_name((sos_status)b)));
    }
    check(sos_status_name((sos_status)99) != NULL);
}

static void the_version_is_that_of_the_headers(void **state)
{
    (void)state;
    int major, minor, patch;
    check(sscanf(sos_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    check(major == SOS_VERSION_MAJOR && minor == SOS_VERSION_MINOR && patch == SOS_VERSION_PATCH);
    check(major * 10000 + minor * 100 + patch == SOS_VERSION_NUMBER);
}

static void features_can_be_asked_for(void **state)
{
    (void)state;
    size_t count = 0;
    for (const char *name; (name = sos_feature(count)) != NULL; count++) {
        for (size_t i = 0; i < count; i++) check(strcmp(name, sos_feature(i)));
        (void)sos_has(name);
    }
    check(count >= 4 && !sos_feature(count + 100));
    check(!sos_has("") && !sos_has("teleportation"));
#if defined(SOS_CHECKS)
    check(sos_has("checks"));
#else
    check(!sos_has("checks"));
#endif
    check(sos_has("models"));
}

/* What a program for a newer version might have set. */
static void reserved_members_must_be_zero(void **state)
{
    (void)state;
    sos_error error = { SOS_OK, "" };
    sos_energy *e = NULL;
    sos_multi_energy *several = NULL;
    sos_model *m = NULL;
    uint8_t y[3] = { 9, 9, 9 };
    uint32_t number = 99;
    check_ok(sos_energy_create(3, &e, &error), error);
    check_ok(sos_multi_energy_create(3, 3, &several, &error), error);
    check_ok(sos_model_create(2, &m, &error), error);
    enum { ROOM = sizeof((sos_minimize_settings *)0)->reserved / sizeof(uint64_t) };
    for (size_t i = 0; i < ROOM; i++) {
        sos_minimize_settings s = sos_minimize_defaults();
        s.reserved[i] = 1;
        check_error(sos_minimize(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "sos_minimize_settings.reserved");
    }
    sos_expand_settings moves = sos_expand_defaults();
    moves.reserved[0] = 1;
    check_error(sos_expand(several, &moves, y, NULL, &error), SOS_ERR_ARGUMENT, error, "sos_expand_settings.reserved");
    sos_group group = { .name = "tables", .kind = SOS_GROUP_TABLE, .size = 2 };
    group.reserved[0] = UINT64_MAX;
    check_error(sos_model_add_group(m, &group, &number, &error), SOS_ERR_ARGUMENT, error, "sos_group.reserved");
    for (size_t i = 0; i < 3; i++) check(y[i] == 9);
    check(number == 99 && sos_model_groups(m) == 0);
    sos_model_free(m);
    sos_multi_energy_free(several);
    sos_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accessors_tell_what_was_given),
        cmocka_unit_test(cliques_are_numbered_by_size_then_as_added),
        cmocka_unit_test(value_follows_the_definition),
        cmocka_unit_test(value_of_many_terms_is_exact_for_integers),
        cmocka_unit_test(patches_equal_the_explicit_list),
        cmocka_unit_test(patches_of_a_volume_equal_the_explicit_list),
        cmocka_unit_test(volumes_that_do_not_fit_are_refused),
        cmocka_unit_test(a_smaller_image_has_no_patches),
        cmocka_unit_test(a_copy_is_the_same_and_its_own),
        cmocka_unit_test(all_variables_can_be_fixed_at_once),
        cmocka_unit_test(weights_of_concave_cliques_can_change),
        cmocka_unit_test(what_is_given_is_copied),
        cmocka_unit_test(no_array_of_unaries_means_zeros),
        cmocka_unit_test(a_table_that_changes_takes_its_cliques_along),
        cmocka_unit_test(reserving_changes_nothing_to_see),
        cmocka_unit_test(costs_that_are_no_numbers_are_refused),
        cmocka_unit_test(costs_too_large_to_add_are_refused),
        cmocka_unit_test(a_table_that_is_not_submodular_is_refused_with_the_reason),
        cmocka_unit_test(the_violated_square_is_named),
        cmocka_unit_test(rounding_of_the_caller_is_accepted),
        cmocka_unit_test(a_count_function_that_is_not_concave_is_refused_with_the_reason),
        cmocka_unit_test(members_out_of_range_or_twice_are_refused),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(negative_weights_are_refused),
        cmocka_unit_test(missing_arrays_are_refused),
        cmocka_unit_test(errors_need_no_place_for_words),
        cmocka_unit_test(a_refused_list_leaves_room_for_the_right_one),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(the_version_is_that_of_the_headers),
        cmocka_unit_test(features_can_be_asked_for),
        cmocka_unit_test(reserved_members_must_be_zero),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
