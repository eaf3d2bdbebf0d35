/* test_distance.c - distances against a search through all pixels, and against Dijkstra's algorithm at its plainest. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/distance.h"

typedef struct scene {
    size_t width, height, n;
    uint8_t *mask;
    float *distances;
} scene;

static scene scene_create(sos_random *r, size_t side)
{
    scene s = { .width = 1 + sos_random_below(r, side), .height = 1 + sos_random_below(r, side) };
    s.n = s.width * s.height;
    s.mask = test_room(NULL, s.n, 1);
    s.distances = test_room(NULL, s.n, sizeof(float));
    static const uint64_t RARITY[] = { 1, 2, 10, 100, 1000, 1000000 };
    const uint64_t rarity = RARITY[sos_random_below(r, 6)];
    for (size_t i = 0; i < s.n; i++) s.mask[i] = sos_random_below(r, rarity) ? 0 : (uint8_t)(1 + sos_random_below(r, 255));
    return s;
}

static void scene_free(scene *s)
{
    free(s->mask);
    free(s->distances);
}

static double searched(const scene *s, size_t i, bool city)
{
    double least = INFINITY;
    for (size_t j = 0; j < s->n; j++) {
        if (!s->mask[j]) continue;
        const double dx = (double)(i % s->width) - (double)(j % s->width), dy = (double)(i / s->width) - (double)(j / s->width);
        least = fmin(least, city ? fabs(dx) + fabs(dy) : dx * dx + dy * dy);
    }
    return city ? least : sqrt(least);
}

static void city_and_euclidean_distances_are_those_of_a_search(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 45);
        sos_error error;
        check_ok(s3svm_distance_city(s.width, s.height, s.mask, s.distances, &error), error);
        for (size_t i = 0; i < s.n; i++) check(s.distances[i] == (float)searched(&s, i, true));
        check_ok(s3svm_distance_euclidean(s.width, s.height, s.mask, 1, s.distances, &error), error);
        for (size_t i = 0; i < s.n; i++) check(s.distances[i] == (float)searched(&s, i, false));
        scene_free(&s);
    }
}

/* Long rows and columns, where squares are large: few pixels of the mask, so that the search is quick. */
static void long_images_are_exact(void **state)
{
    (void)state;
    enum { SIDE = 60000 };
    static uint8_t mask[SIDE * 2];
    static float distances[SIDE * 2];
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        size_t at[5];
        memset(mask, 0, sizeof mask);
        for (int k = 0; k < 5; k++) mask[at[k] = sos_random_below(&r, SIDE * 2)] = 1;
        const size_t width = c & 1 ? SIDE : 2, height = SIDE * 2 / width;
        sos_error error;
        check_ok(s3svm_distance_euclidean(width, height, mask, 1 + (int)(c % 3), distances, &error), error);
        for (size_t i = 0; i < SIDE * 2; i++) {
            double least = INFINITY;
            for (int k = 0; k < 5; k++) {
                const double dx = (double)(i % width) - (double)(at[k] % width),
                             dy = (double)(i / width) - (double)(at[k] / width);
                least = fmin(least, dx * dx + dy * dy);
            }
            check(distances[i] == (float)sqrt(least));
        }
    }
}

/* The cost of the step from i to a neighbour dx, dy away; NAN outside of the image. */
static float step_of(const scene *s, const s3svm_steps *steps, size_t i, int dx, int dy)
{
    const size_t x = i % s->width + (size_t)dx, y = i / s->width + (size_t)dy, j = y * s->width + x;
    if (x >= s->width || y >= s->height) return NAN;
    if (!dy) return steps->right[dx > 0 ? i : j];
    if (!dx) return steps->down[dy > 0 ? i : j];
    return dx == dy ? steps->down_right[dy > 0 ? i : j] : steps->down_left[dy > 0 ? i : j];
}

/* Dijkstra with a search for the nearest pixel in place of a heap. */
static void plain_dijkstra(const scene *s, const s3svm_steps *steps, float distances[])
{
    bool *done = test_room(NULL, s->n, sizeof *done);
    for (size_t i = 0; i < s->n; i++) {
        distances[i] = s->mask[i] ? 0 : INFINITY;
        done[i] = false;
    }
    for (;;) {
        size_t nearest = s->n;
        for (size_t i = 0; i < s->n; i++)
            if (!done[i] && distances[i] < INFINITY && (nearest == s->n || distances[i] < distances[nearest])) nearest = i;
        if (nearest == s->n) break;
        done[nearest] = true;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                if ((!dx && !dy) || (dx && dy && !steps->down_right)) continue;
                const float cost = step_of(s, steps, nearest, dx, dy);
                const size_t j = (size_t)((int64_t)nearest + dy * (int64_t)s->width + dx);
                if (!isnan(cost) && distances[nearest] + cost < distances[j]) distances[j] = distances[nearest] + cost;
            }
    }
    free(done);
}

static float random_cost(sos_random *r, uint64_t kind)
{
    switch (kind) {
    case 0: return (float)sos_random_below(r, 3);                /* many of them 0 */
    case 1: return (float)exp(20 * sos_random_normal(r));        /* of all magnitudes */
    case 2: return sos_random_below(r, 3) ? 1 : (float)INFINITY; /* walls */
    default: return (float)(1 + 100 * sos_random_uniform(r));
    }
}

/* The same bits: both add the costs of a path to floats in its order, and adding never changes the order of sums. */
static void geodesic_distances_are_dijkstras(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 24);
        float *paid = test_room(NULL, 4 * s.n, sizeof *paid), *wanted = test_room(NULL, s.n, sizeof *wanted);
        for (size_t i = 0; i < 4 * s.n; i++) paid[i] = random_cost(&r, c % 4);
        s3svm_steps steps = { paid, paid + s.n, paid + 2 * s.n, paid + 3 * s.n, NULL };
        if (c / 4 % 2) steps.down_right = steps.down_left = NULL;
        sos_error error;
        check_ok(s3svm_distance_geodesic(s.width, s.height, s.mask, &steps, s.distances, &error), error);
        plain_dijkstra(&s, &steps, wanted);
        check(!memcmp(s.distances, wanted, s.n * sizeof *wanted));
        free(paid);
        free(wanted);
        scene_free(&s);
    }
}

static void steps_are_lengths_and_contrasts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(50); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r, 12);
        const size_t channels = 1 + sos_random_below(&r, 4);
        float *values = test_room(NULL, s.n * channels, sizeof *values);
        for (size_t i = 0; i < s.n * channels; i++) values[i] = (float)sos_random_normal(&r);
        s3svm_steps steps;
        sos_error error;
        check_ok(s3svm_steps_create(s.width, s.height, channels, values, 3, &steps, &error), error);
        for (size_t i = 0; i < s.n; i++)
            for (int k = 0; k < 8; k++) {
                static const int DX[8] = { 1, 1, 0, -1, -1, -1, 0, 1 }, DY[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
                const float cost = step_of(&s, &steps, i, DX[k], DY[k]);
                if (isnan(cost)) continue;
                const size_t j = (size_t)((int64_t)i + DY[k] * (int64_t)s.width + DX[k]);
                double sum = 0;
                for (size_t q = 0; q < channels; q++)
                    sum += pow((double)values[i * channels + q] - (double)values[j * channels + q], 2);
                check(fabs((double)cost - sqrt(k % 2 ? 2 : 1) - 3 * sqrt(sum)) < 1e-5);
            }
        s3svm_steps_free(&steps);
        free(values);
        scene_free(&s);
    }
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    enum { WIDTH = 400, HEIGHT = 300 };
    static uint8_t mask[WIDTH * HEIGHT];
    static float distances[2][WIDTH * HEIGHT];
    sos_random r = test_case_begin(0);
    sos_error error;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) mask[i] = !sos_random_below(&r, 5000);
    for (int threads = 1; threads < 6; threads++) {
        check_ok(s3svm_distance_euclidean(WIDTH, HEIGHT, mask, threads, distances[threads > 1], &error), error);
        check(threads == 1 || !memcmp(distances[0], distances[1], sizeof distances[0]));
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const uint8_t mask[4] = { 0 };
    const float paid[4] = { 1, 1, -1, 1 };
    float distances[4];
    sos_error error;
    check_error(s3svm_distance_city(0, 4, mask, distances, &error), SOS_ERR_RANGE, error, "0 by 4");
    check_error(s3svm_distance_euclidean(1 << 20, 2, mask, 1, distances, &error), SOS_ERR_RANGE, error, "1048576 by 2");
    check_error(s3svm_distance_city(2, 2, NULL, distances, &error), SOS_ERR_ARGUMENT, error, "no mask");
    check_error(s3svm_distance_geodesic(2, 2, mask, &(s3svm_steps){ paid, paid, NULL, NULL, NULL }, distances, &error),
                SOS_ERR_ARGUMENT, error, "(0, 1)", "-1");
    check_error(s3svm_distance_geodesic(2, 2, mask, &(s3svm_steps){ paid, paid, paid, NULL, NULL }, distances, &error),
                SOS_ERR_ARGUMENT, error, "diagonals");
    check_ok(s3svm_distance_city(2, 2, mask, distances, &error), error);
    check(isinf(distances[0]) && isinf(distances[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(city_and_euclidean_distances_are_those_of_a_search),
        cmocka_unit_test(long_images_are_exact),
        cmocka_unit_test(geodesic_distances_are_dijkstras),
        cmocka_unit_test(steps_are_lengths_and_contrasts),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
