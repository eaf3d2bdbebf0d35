/* test_example_grid.c - patches, neighbours and dense features of examples are the lists that they stand for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { PIXEL, CONTRAST, SQUARE, ROW, COLUMN, CUBE, KEYED, GROUPS };

static const sos_group GROUP[GROUPS] = {
    [PIXEL] = { .name = "pixel", .kind = SOS_GROUP_FREE, .size = 3 },
    [CONTRAST] = { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
    [SQUARE] = { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4 },
    [ROW] = { .name = "row", .kind = SOS_GROUP_TABLE, .size = 3 },
    [COLUMN] = { .name = "column", .kind = SOS_GROUP_TABLE, .size = 2 },
    [CUBE] = { .name = "cube", .kind = SOS_GROUP_TABLE, .size = 8 },
    [KEYED] = { .name = "keyed", .kind = SOS_GROUP_TABLE, .size = 4, .strengths = 3 },
};

static sos_model *model_create(size_t labels)
{
    sos_model *m = NULL;
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(labels, &m, &error), error);
    for (size_t g = 0; g < GROUPS; g++) check_ok(sos_model_add_group(m, &GROUP[g], &number, &error), error);
    return m;
}

static sos_example *example_create(const sos_model *m, size_t n)
{
    sos_example *x = NULL;
    sos_error error;
    check_ok(sos_example_create(m, n, &x, &error), error);
    return x;
}

static void check_same_parts(const sos_example *a, const sos_example *b)
{
    check(sos_example_parts(a) == sos_example_parts(b));
    for (size_t i = 0; i < sos_example_parts(a); i++) {
        const sos_part p = sos_example_part(a, i), q = sos_example_part(b, i);
        check(p.kind == q.kind && p.group == q.group && p.k == q.k && !p.phi == !q.phi);
        check(p.kind != SOS_PART_CLIQUE || p.as.strength == q.as.strength);
        check(!memcmp(p.variables, q.variables, p.k * sizeof *p.variables));
        const size_t numbers = !p.phi ? 0 : p.kind == SOS_PART_PAIR ? GROUP[CONTRAST].size : 1;
        for (size_t j = 0; j < numbers; j++) check(p.phi[j] == q.phi[j]);
    }
}

/* Some are 0. */
static double *phi_random(sos_random *r, size_t count)
{
    double *phi = test_room(NULL, count + 1, sizeof *phi);
    for (size_t i = 0; i < count; i++) phi[i] = (double)sos_random_below(r, 4) / 2;
    return phi;
}

/* ---- patches ---- */

/* All places where a box of the patch's size lies inside of the grid, by trying all voxels as its first corner. */
static size_t patches_by_search(const size_t grid[3], const size_t patch[3], uint32_t members[])
{
    size_t count = 0;
    const size_t n = grid[0] * grid[1] * grid[2], k = patch[0] * patch[1] * patch[2];
    for (size_t v = 0; v < n; v++) {
        const size_t at[3] = { v % grid[0], v / grid[0] % grid[1], v / grid[0] / grid[1] };
        if (at[0] + patch[0] > grid[0] || at[1] + patch[1] > grid[1] || at[2] + patch[2] > grid[2]) continue;
        for (size_t b = 0; b < k; b++)
            members[count * k + b] = (uint32_t)((at[0] + b % patch[0]) + grid[0] * (at[1] + b / patch[0] % patch[1]) +
                                                grid[0] * grid[1] * (at[2] + b / patch[0] / patch[1]));
        count++;
    }
    return count;
}

static void check_patches(sos_random *r, const sos_model *m, uint32_t group, const size_t grid[3], const size_t patch[3])
{
    const size_t n = grid[0] * grid[1] * grid[2], each = GROUP[group].strengths ? GROUP[group].strengths : 1;
    sos_example *whole = example_create(m, n + 1), *listed = example_create(m, n + 1);
    uint32_t *members = test_room(NULL, (n + 1) * GROUP[group].size, sizeof *members);
    const size_t count = patches_by_search(grid, patch, members);
    double *phi = sos_random_below(r, 2) ? phi_random(r, count * each) : NULL;
    sos_error error;
    check_ok(sos_example_add_cliques(listed, group, count, members, phi, &error), error);
    if (grid[2] == 1 && patch[2] == 1)
        check_ok(sos_example_add_patches(whole, group, grid[0], grid[1], patch[0], patch[1], phi, &error), error);
    else
        check_ok(
            sos_example_add_volume_patches(whole, group, grid[0], grid[1], grid[2], patch[0], patch[1], patch[2], phi, &error),
            error);
    check_same_parts(whole, listed);
    free(phi);
    free(members);
    sos_example_free(whole);
    sos_example_free(listed);
}

static void patches_equal_the_list_of_their_cliques(void **state)
{
    (void)state;
    static const struct {
        uint32_t group;
        size_t patch[3];
    } SHAPES[] = { { SQUARE, { 2, 2, 1 } }, { SQUARE, { 4, 1, 1 } }, { ROW, { 3, 1, 1 } },   { COLUMN, { 1, 2, 1 } },
                   { CUBE, { 2, 2, 2 } },   { CUBE, { 4, 2, 1 } },   { KEYED, { 2, 2, 1 } }, { KEYED, { 1, 2, 2 } } };
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        sos_model *m = model_create(2 + (size_t)sos_random_below(&r, 2));
        const size_t shape = (size_t)sos_random_below(&r, sizeof SHAPES / sizeof *SHAPES);
        const size_t grid[3] = { 1 + (size_t)sos_random_below(&r, 6), 1 + (size_t)sos_random_below(&r, 6),
                                 SHAPES[shape].patch[2] > 1 ? 1 + (size_t)sos_random_below(&r, 4) : 1 };
        check_patches(&r, m, SHAPES[shape].group, grid, SHAPES[shape].patch);
        sos_model_free(m);
    }
}

/* ---- neighbours ---- */

/* In the order that model.h says: the other pixels by what has to be added to x and y. */
static size_t neighbours_by_search(size_t width, size_t height, int neighbours, uint32_t pairs[])
{
    static const int STEP[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { -1, 1 } };
    size_t count = 0;
    for (size_t i = 0; i < width * height; i++)
        for (int d = 0; d < neighbours / 2; d++) {
            const long x = (long)(i % width) + STEP[d][0], y = (long)(i / width) + STEP[d][1];
            if (x < 0 || x >= (long)width || y >= (long)height) continue;
            pairs[2 * count] = (uint32_t)i;
            pairs[2 * count++ + 1] = (uint32_t)(y * (long)width + x);
        }
    return count;
}

static void neighbours_equal_the_list_of_their_pairs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        sos_model *m = model_create(2 + (size_t)(c % 2));
        const size_t width = (size_t)sos_random_below(&r, 7), height = (size_t)sos_random_below(&r, 7), n = width * height;
        const int neighbours = sos_random_below(&r, 2) ? 4 : 8;
        sos_example *whole = example_create(m, n + 1), *listed = example_create(m, n + 1);
        uint32_t *pairs = test_room(NULL, 8 * n + 1, sizeof *pairs);
        const size_t count = neighbours_by_search(width, height, neighbours, pairs);
        double *phi = sos_random_below(&r, 2) ? phi_random(&r, count * GROUP[CONTRAST].size) : NULL;
        sos_error error;
        check_ok(sos_example_add_pairs(listed, CONTRAST, count, pairs, phi, &error), error);
        check_ok(sos_example_add_grid_pairs(whole, CONTRAST, width, height, neighbours, phi, &error), error);
        check_same_parts(whole, listed);
        free(phi);
        free(pairs);
        sos_example_free(whole);
        sos_example_free(listed);
        sos_model_free(m);
    }
}

/* ---- features ---- */

/* A layout of n x size numbers: where the first one is, and the strides. */
typedef struct layout {
    size_t first;
    ptrdiff_t variable, feature;
} layout;

static void dense_features_equal_their_list(void **state)
{
    (void)state;
    enum { N = 7, SIZE = 3 };
    const layout layouts[] = {
        { 0, SIZE, 1 },              /* rows of features */
        { 0, 1, N },                 /* planes */
        { N * SIZE - 1, -SIZE, -1 }, /* backwards */
        { 2, 2 * SIZE + 1, 2 },      /* with gaps */
        { 0, 0, 1 },                 /* all variables alike */
        { 0, 1, 0 },                 /* all features of a variable alike */
    };
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const layout l = layouts[c % (sizeof layouts / sizeof *layouts)];
        double numbers[64], value[N * SIZE];
        uint32_t index[N * SIZE];
        size_t start[N + 1];
        for (size_t i = 0; i < 64; i++) numbers[i] = c % 4 ? (double)sos_random_below(&r, 5) - 2 : 1;
        for (size_t i = 0; i <= N; i++) start[i] = i * SIZE;
        for (size_t k = 0; k < N * SIZE; k++) {
            index[k] = (uint32_t)(k % SIZE);
            value[k] = numbers[(ptrdiff_t)l.first + (ptrdiff_t)(k / SIZE) * l.variable + (ptrdiff_t)(k % SIZE) * l.feature];
        }
        sos_model *m = model_create(3);
        sos_example *dense = example_create(m, N), *listed = example_create(m, N);
        sos_error error;
        check_ok(sos_example_set_features(listed, PIXEL, start, index, value, &error), error);
        for (int again = 0; again < 2; again++) /* the second call replaces the features of the first */
            check_ok(sos_example_set_dense_features(dense, PIXEL, numbers + l.first, l.variable, l.feature, &error), error);
        const sos_feature_list a = sos_example_features(dense, PIXEL), b = sos_example_features(listed, PIXEL);
        check(!memcmp(a.start, b.start, sizeof start) && !memcmp(a.index, b.index, sizeof index) && !a.value == !b.value);
        check(!a.value || !memcmp(a.value, b.value, sizeof value));
        check(sos_example_bytes(dense) == sos_example_bytes(listed));
        sos_example_free(dense);
        sos_example_free(listed);
        sos_model_free(m);
    }
}

/* ---- bad input ---- */

static void what_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    sos_model *m = model_create(2);
    sos_example *x = example_create(m, 12);
    sos_error error;
    double value[36] = { 0 }, phi[64] = { 0 };
    check_ok(sos_example_set_dense_features(x, PIXEL, value, 3, 1, &error), error);
    value[3 * 7 + 2] = NAN;
    check_error(sos_example_set_dense_features(x, PIXEL, value, 3, 1, &error), SOS_ERR_ARGUMENT, error, "variable 7",
                "feature 2", "pixel");
    check_error(sos_example_set_dense_features(x, PIXEL, NULL, 3, 1, &error), SOS_ERR_ARGUMENT, error, "no features");
    check_error(sos_example_set_dense_features(x, SQUARE, value, 3, 1, &error), SOS_ERR_ARGUMENT, error, "square");
    check_error(sos_example_set_dense_features(x, GROUPS, value, 3, 1, &error), SOS_ERR_ARGUMENT, error, "group 7");
    check(sos_example_features(x, PIXEL).start[12] == 36);

    check_error(sos_example_add_patches(x, SQUARE, 4, 3, 3, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "3x2", "4 members");
    check_error(sos_example_add_patches(x, SQUARE, 4, 4, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "4x4", "12 variables");
    check_error(sos_example_add_patches(x, SQUARE, SIZE_MAX, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "12 variables");
    check_error(sos_example_add_patches(x, CONTRAST, 4, 3, 2, 1, NULL, &error), SOS_ERR_ARGUMENT, error, "contrast");
    check_error(sos_example_add_volume_patches(x, CUBE, 2, 3, 3, 2, 2, 2, NULL, &error), SOS_ERR_ARGUMENT, error, "2x3x3");
    phi[5] = -1;
    check_is(sos_example_add_patches(x, SQUARE, 4, 3, 2, 2, phi, &error), SOS_ERR_ARGUMENT);
    check_error(sos_example_add_patches(x, KEYED, 4, 3, 2, 2, phi, &error), SOS_ERR_ARGUMENT, error, "keyed", "-1");

    check_error(sos_example_add_grid_pairs(x, CONTRAST, 4, 3, 6, NULL, &error), SOS_ERR_ARGUMENT, error, "6 neighbours");
    check_error(sos_example_add_grid_pairs(x, CONTRAST, 5, 3, 4, NULL, &error), SOS_ERR_ARGUMENT, error, "5x3", "12 variables");
    check_error(sos_example_add_grid_pairs(x, SQUARE, 4, 3, 4, NULL, &error), SOS_ERR_ARGUMENT, error, "square");
    check_error(sos_example_add_grid_pairs(x, CONTRAST, 4, 3, 4, phi, &error), SOS_ERR_ARGUMENT, error, "pair 2", "contrast");
    check(sos_example_parts(x) == 0);
    sos_example_free(x);
    sos_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_equal_the_list_of_their_cliques),
        cmocka_unit_test(neighbours_equal_the_list_of_their_pairs),
        cmocka_unit_test(dense_features_equal_their_list),
        cmocka_unit_test(what_does_not_fit_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
