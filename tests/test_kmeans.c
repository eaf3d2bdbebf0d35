/* test_kmeans.c - clusters: every point belongs to its nearest centre, no iteration makes things worse, and threads change
 * nothing. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/kmeans.h"

typedef struct cloud {
    size_t n, d, k;
    float *points, *centres;
    uint32_t *labels;
} cloud;

/* Points around some centres, or whole numbers with many ties, or all the same. */
static cloud cloud_create(sos_random *r, size_t n, size_t d, size_t k)
{
    cloud c = { n,
                d,
                k,
                test_room(NULL, n * d, sizeof(float)),
                test_room(NULL, k * d, sizeof(float)),
                test_room(NULL, n, sizeof(uint32_t)) };
    const uint64_t kind = sos_random_below(r, 4);
    for (size_t i = 0; i < n; i++) {
        const double around = 100 * (double)sos_random_below(r, 4);
        for (size_t j = 0; j < d; j++)
            c.points[i * d + j] = kind == 0   ? 7
                                  : kind == 1 ? (float)sos_random_below(r, 3)
                                              : (float)(around + 10 * sos_random_normal(r));
    }
    return c;
}

static void cloud_free(cloud *c)
{
    free(c->points);
    free(c->centres);
    free(c->labels);
}

static double squared_distance(const cloud *c, size_t i, size_t centre)
{
    double sum = 0;
    for (size_t j = 0; j < c->d; j++) {
        const double d = (double)c->points[i * c->d + j] - (double)c->centres[centre * c->d + j];
        sum += d * d;
    }
    return sum;
}

/* Every label is that of a nearest centre, as far as floats can tell; returns the sum of distances. */
static double check_assignment(const cloud *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < c->k; k++) least = fmin(least, squared_distance(c, i, k));
        check(c->labels[i] < c->k);
        const double own = squared_distance(c, i, c->labels[i]);
        check(own <= least * (1 + 1e-5) + 1e-6);
        sum += own;
    }
    return sum;
}

static cloud random_cloud(sos_random *r)
{
    static const size_t DIMENSIONS[] = { 1, 2, 3, 12, 27 };
    const size_t n = 1 + sos_random_below(r, 300), d = DIMENSIONS[sos_random_below(r, 5)];
    return cloud_create(r, n, d, 1 + sos_random_below(r, 20));
}

static void points_belong_to_their_nearest_centre(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(300); i++) {
        sos_random r = test_case_begin(i);
        cloud c = random_cloud(&r);
        s3svm_kmeans_settings s = s3svm_kmeans_defaults(c.k);
        s.seed = i;
        s.starts = 1 + i % 3;
        s3svm_kmeans_result result;
        sos_error error;
        check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, c.centres, c.labels, &result, &error), error);
        const double sum = check_assignment(&c);
        check(fabs(sum - result.objective) <= 1e-5 * sum + 1e-6);
        check(result.start < s.starts && result.iterations <= s.iterations);
        uint32_t *again = test_room(NULL, c.n, sizeof *again);
        float *distances = test_room(NULL, c.n, sizeof *distances);
        check_ok(s3svm_kmeans_assign(c.n, c.d, c.points, c.k, c.centres, 1, again, distances, &error), error);
        check(!memcmp(again, c.labels, c.n * sizeof *again));
        for (size_t k = 0; k < c.n; k++)
            check(fabs((double)distances[k] - squared_distance(&c, k, again[k])) <= 1e-5 * (double)distances[k] + 1e-6);
        free(again);
        free(distances);
        cloud_free(&c);
    }
}

static void iterations_never_raise_the_sum(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(60); i++) {
        sos_random r = test_case_begin(i);
        cloud c = random_cloud(&r);
        s3svm_kmeans_settings s = { .clusters = c.k, .starts = 1, .seed = i };
        sos_error error;
        double before = INFINITY;
        for (s.iterations = 0; s.iterations < 12; s.iterations++) {
            s3svm_kmeans_result result;
            check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, c.centres, NULL, &result, &error), error);
            check(result.objective <= before * (1 + 1e-5) + 1e-6);
            before = result.objective;
        }
        cloud_free(&c);
    }
}

/* At the end each centre is the mean of its points. */
static void centres_that_rest_are_means(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(60); i++) {
        sos_random r = test_case_begin(i);
        cloud c = random_cloud(&r);
        s3svm_kmeans_settings s = { .clusters = c.k, .starts = 2, .iterations = 1000, .seed = i };
        sos_error error;
        check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, c.centres, c.labels, NULL, &error), error);
        for (size_t k = 0; k < c.k; k++)
            for (size_t j = 0; j < c.d; j++) {
                double sum = 0, count = 0;
                for (size_t p = 0; p < c.n; p++)
                    if (c.labels[p] == k) sum += (double)c.points[p * c.d + j], count++;
                if (count > 0) check(fabs(sum / count - (double)c.centres[k * c.d + j]) <= 1e-4);
            }
        cloud_free(&c);
    }
}

/* The best of all ways to split few points, by trying each. */
static double best_split(const cloud *c)
{
    double best = INFINITY;
    for (uint32_t split = 0; split < UINT32_C(1) << c->n; split++) {
        double sum = 0;
        for (uint32_t side = 0; side < 2; side++)
            for (size_t j = 0; j < c->d; j++) {
                double count = 0, first = 0, second = 0;
                for (size_t i = 0; i < c->n; i++)
                    if ((split >> i & 1) == side) {
                        const double x = (double)c->points[i * c->d + j];
                        count++;
                        first += x;
                        second += x * x;
                    }
                if (count > 0) sum += second - first * first / count;
            }
        best = fmin(best, sum);
    }
    return best;
}

static void many_starts_find_the_best_split(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(40); i++) {
        sos_random r = test_case_begin(i);
        cloud c = cloud_create(&r, 2 + sos_random_below(&r, 9), 2, 2);
        s3svm_kmeans_settings s = { .clusters = 2, .starts = 60, .iterations = 100, .seed = i };
        s3svm_kmeans_result result;
        sos_error error;
        check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, c.centres, NULL, &result, &error), error);
        const double best = best_split(&c);
        check(fabs(result.objective - best) <= 1e-4 * best + 1e-3);
        cloud_free(&c);
    }
}

static void empty_clusters_are_refilled(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_cases(100); i++) {
        sos_random r = test_case_begin(i);
        const size_t different = 1 + sos_random_below(&r, 12), n = 40;
        float points[40], centres[12];
        uint32_t labels[40];
        for (size_t p = 0; p < n; p++) points[p] = (float)(p < different ? p * p : sos_random_below(&r, different));
        for (size_t p = different; p < n; p++) points[p] *= points[p];
        s3svm_kmeans_settings s = { .clusters = 12, .starts = 1, .iterations = 100, .seed = i };
        s3svm_kmeans_result result;
        sos_error error;
        check_ok(s3svm_kmeans(n, 1, points, &s, centres, labels, &result, &error), error);
        check(result.empty == 12 - different);
        check(result.objective == 0);
    }
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    sos_random r = test_case_begin(1);
    cloud c = cloud_create(&r, 20000, 12, 9);
    float *one = test_room(NULL, c.k * c.d, sizeof *one);
    uint32_t *labels = test_room(NULL, c.n, sizeof *labels);
    s3svm_kmeans_settings s = { .clusters = c.k, .starts = 2, .iterations = 6, .seed = 5, .threads = 1 };
    s3svm_kmeans_result first, other;
    sos_error error;
    check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, one, labels, &first, &error), error);
    for (s.threads = 2; s.threads < 6; s.threads++) {
        check_ok(s3svm_kmeans(c.n, c.d, c.points, &s, c.centres, c.labels, &other, &error), error);
        check(!memcmp(one, c.centres, c.k * c.d * sizeof *one) && !memcmp(labels, c.labels, c.n * sizeof *labels));
        check(first.objective == other.objective && first.iterations == other.iterations && first.start == other.start);
    }
    free(one);
    free(labels);
    cloud_free(&c);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    float points[4] = { 1, 2, 3, NAN }, centres[4] = { 0 };
    uint32_t labels[4];
    s3svm_kmeans_settings s = s3svm_kmeans_defaults(2);
    sos_error error;
    check_error(s3svm_kmeans(2, 2, points, &s, centres, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "number 1 of point 1");
    check_error(s3svm_kmeans(0, 2, points, &s, centres, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "0 points");
    check_error(s3svm_kmeans(1, 0, points, &s, centres, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "0 dimensions");
    check_error(s3svm_kmeans(SIZE_MAX / 2, 4, points, &s, centres, NULL, NULL, &error), SOS_ERR_RANGE, error, "too many");
    check_error(s3svm_kmeans(2, 1, points, NULL, centres, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "number of clusters");
    s.clusters = 0;
    check_error(s3svm_kmeans(1, 2, points, &s, centres, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "0 clusters");
    centres[3] = INFINITY;
    check_error(s3svm_kmeans_assign(1, 2, points, 2, centres, 0, labels, NULL, &error), SOS_ERR_ARGUMENT, error, "centre 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_belong_to_their_nearest_centre),
        cmocka_unit_test(iterations_never_raise_the_sum),
        cmocka_unit_test(centres_that_rest_are_means),
        cmocka_unit_test(many_starts_find_the_best_split),
        cmocka_unit_test(empty_clusters_are_refilled),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("kmeans", tests, NULL, NULL);
}
