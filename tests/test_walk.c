/* test_walk.c - superpixels as a graph, and random walks: what is measured is found again pixel by pixel, and the values of
 * walks solve their equations, as elimination does. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/colour.h"
#include "vision/contrast.h"
#include "vision/superpixel_graph.h"
#include "vision/walk.h"

/* ---------------------------------------------------------------- superpixels */

typedef struct scene {
    s3svm_image picture;
    size_t n;
    float *lab;
    s3svm_superpixel_graph graph;
} scene;

static scene scene_create(sos_random *r)
{
    const size_t width = 1 + sos_random_below(r, 40), height = 1 + sos_random_below(r, 40);
    scene s = { .n = width * height };
    s3svm_superpixel_settings settings = s3svm_superpixel_defaults();
    sos_error error;
    check_ok(s3svm_image_create(width, height, 3, &s.picture, &error), error);
    for (size_t i = 0; i < 3 * s.n; i++)
        s.picture.pixels[i] = (uint8_t)(40 * (i / 3 % width / 9 + i / 3 / width / 7) + sos_random_below(r, 30));
    s.lab = test_room(NULL, 3 * s.n, sizeof *s.lab);
    check_ok(s3svm_colour_lab(&s.picture, 1, s.lab, &error), error);
    settings.size = 20 + (double)sos_random_below(r, 60);
    check_ok(s3svm_superpixel_graph_create(&s.picture, s.lab, &settings, &s.graph, &error), error);
    return s;
}

static void scene_free(scene *s)
{
    s3svm_image_free(&s->picture);
    free(s->lab);
    s3svm_superpixel_graph_free(&s->graph);
}

/* The means of one superpixel, by looking at all pixels. */
static void check_piece(const scene *s, size_t p)
{
    const s3svm_superpixel *q = &s->graph.pieces[p];
    double count = 0, lab[3] = { 0 }, x = 0, y = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->graph.piece[i] != p) continue;
        for (size_t k = 0; k < 3; k++) lab[k] += (double)s->lab[3 * i + k];
        x += (double)(i % s->picture.width), y += (double)(i / s->picture.width), count++;
    }
    check(q->pixels == count && count > 0);
    for (size_t k = 0; k < 3; k++) check(fabs(q->lab[k] - lab[k] / count) < 1e-9);
    check(fabs(q->x * sqrt((double)s->n) - x / count) < 1e-9 && fabs(q->y * sqrt((double)s->n) - y / count) < 1e-9);
}

/* The outline of two superpixels, by looking at all pairs of pixels of a column and its right, a row and its lower neighbour.
 */
static void check_outlines(const scene *s)
{
    const s3svm_superpixel_graph *g = &s->graph;
    const size_t count = g->count, width = s->picture.width;
    const double beta = s3svm_contrast_beta(&s->picture, 4);
    double *outline = test_room(NULL, count * count, sizeof *outline), *alike = test_room(NULL, count * count, sizeof *alike);
    memset(outline, 0, count * count * sizeof *outline);
    memset(alike, 0, count * count * sizeof *alike);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++) {
            const size_t dx = i % width > j % width ? i % width - j % width : j % width - i % width;
            const size_t dy = i / width > j / width ? i / width - j / width : j / width - i / width;
            if (dx + dy != 1 || g->piece[i] == g->piece[j]) continue;
            double square = 0;
            for (size_t k = 0; k < 3; k++)
                square += pow((double)s->picture.pixels[3 * i + k] - (double)s->picture.pixels[3 * j + k], 2);
            outline[g->piece[i] * count + g->piece[j]]++;
            alike[g->piece[i] * count + g->piece[j]] += exp(-beta * square);
        }
    for (size_t k = 0; k < count * count; k++)
        check((double)g->outline[k] == outline[k] && fabs((double)g->alike[k] - alike[k]) < 1e-4);
    free(outline);
    free(alike);
}

static void superpixels_are_measured_as_their_pixels_are(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(12); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r);
        for (size_t p = 0; p < s.graph.count; p++) check_piece(&s, p);
        check_outlines(&s);
        scene_free(&s);
    }
}

static void means_and_the_nearest_are_those_of_a_search(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(12); c++) {
        sos_random r = test_case_begin(c);
        scene s = scene_create(&r);
        const s3svm_superpixel_graph *g = &s.graph;
        float *values = test_room(NULL, s.n, sizeof *values), *means = test_room(NULL, g->count, sizeof *means);
        double *sums = test_room(NULL, g->count, sizeof *sums), *squares = test_room(NULL, g->count, sizeof *squares);
        uint8_t *set = test_room(NULL, g->count, 1);
        memset(sums, 0, g->count * sizeof *sums);
        for (size_t i = 0; i < s.n; i++) sums[g->piece[i]] += (double)(values[i] = (float)sos_random_uniform(&r));
        s3svm_superpixel_graph_pool(g, values, means);
        for (size_t p = 0; p < g->count; p++) check(fabs((double)means[p] - sums[p] / g->pieces[p].pixels) < 1e-4);
        s3svm_superpixel_graph_paint(g, means, values);
        for (size_t i = 0; i < s.n; i++) check(values[i] == means[g->piece[i]]);
        for (size_t p = 0; p < g->count; p++) set[p] = c && !sos_random_below(&r, 4);
        s3svm_superpixel_graph_nearest(g, set, 7, squares);
        for (size_t p = 0; p < g->count; p++) {
            double least = INFINITY;
            for (size_t q = 0; q < g->count; q++) {
                const s3svm_superpixel *a = &g->pieces[p], *b = &g->pieces[q];
                const double square = pow(a->lab[0] - b->lab[0], 2) + pow(a->lab[1] - b->lab[1], 2) +
                                      pow(a->lab[2] - b->lab[2], 2) + 7 * (pow(a->x - b->x, 2) + pow(a->y - b->y, 2));
                if (set[q] && square < least) least = square;
            }
            check(squares[p] == least || fabs(squares[p] - least) < 1e-9);
        }
        free(values);
        free(means);
        free(sums);
        free(squares);
        free(set);
        scene_free(&s);
    }
}

/* ---------------------------------------------------------------- walks */

enum { NODES = 12 };

static double strength_of(const void *data, size_t from, size_t to) { return ((const double(*)[NODES])data)[from][to]; }

/* v of the equations (w_i + sum_j s_ij) v_i - sum_j s_ij v_j = w_i t_i, by elimination. */
static void solve(size_t n, double s[NODES][NODES], const float tied[], const float weight[], double v[])
{
    double a[NODES][NODES + 1] = { { 0 } };
    for (size_t i = 0; i < n; i++) {
        a[i][i] = (double)weight[i];
        a[i][n] = (double)weight[i] * (double)tied[i];
        for (size_t j = 0; j < n; j++)
            if (j != i) a[i][i] += s[i][j], a[i][j] -= s[i][j];
    }
    for (size_t p = 0; p < n; p++)
        for (size_t i = 0; i < n; i++) {
            const double f = i == p ? 0 : a[i][p] / a[p][p];
            for (size_t j = p; j <= n; j++) a[i][j] -= f * a[p][j];
        }
    for (size_t i = 0; i < n; i++) v[i] = a[i][n] / a[i][i];
}

static void walks_end_where_their_equations_say(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        const size_t n = 2 + sos_random_below(&r, NODES - 1);
        double s[NODES][NODES] = { { 0 } }, v[NODES];
        float tied[NODES], weight[NODES], values[NODES];
        for (size_t i = 0; i < n; i++) {
            tied[i] = (float)sos_random_uniform(&r);
            weight[i] = (float)(0.05 + (sos_random_below(&r, 4) ? 0 : 100 * sos_random_uniform(&r)));
            for (size_t j = 0; j < i; j++)
                if (sos_random_below(&r, 2)) s[i][j] = s[j][i] = (double)(float)sos_random_uniform(&r);
        }
        s3svm_walk_graph g;
        sos_error error;
        check_ok(s3svm_walk_graph_create(n, strength_of, s, &g, &error), error);
        size_t edges = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) edges += s[i][j] > 0;
        check(g.count == n && g.start[0] == 0 && g.start[n] == edges);
        s3svm_walk_run(&g, tied, weight, 400, values);
        solve(n, s, tied, weight, v);
        for (size_t i = 0; i < n; i++) check(fabs((double)values[i] - v[i]) < 1e-4);
        s3svm_walk_graph_free(&g);
    }
}

static void nodes_that_nothing_reaches_keep_their_value(void **state)
{
    (void)state;
    const double none[NODES][NODES] = { { 0 } };
    const float tied[3] = { 0.2F, 0.5F, 0.7F }, weight[3] = { 0, 1, 0 };
    float values[3];
    s3svm_walk_graph g;
    sos_error error;
    check_ok(s3svm_walk_graph_create(3, strength_of, none, &g, &error), error);
    s3svm_walk_run(&g, tied, weight, 5, values);
    check(!memcmp(values, tied, sizeof tied));
    s3svm_walk_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superpixels_are_measured_as_their_pixels_are),
        cmocka_unit_test(means_and_the_nearest_are_those_of_a_search),
        cmocka_unit_test(walks_end_where_their_equations_say),
        cmocka_unit_test(nodes_that_nothing_reaches_keep_their_value),
    };
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
