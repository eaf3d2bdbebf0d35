/* test_segment.c - the models of segmentation are the energies they claim to be, learn to segment, read back from their facts,
 * and put up with any picture and marks. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "dialogue_support.h"
#include "segment/features/maps.h"
#include "segment/features/paper.h"
#include "segment/features/response.h"
#include "segment/marks/data.h"
#include "segment/model/model.h"
#include "support.h"
#include "vision/colour.h"
#include "vision/kmeans.h"
#include "vision/superpixel.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 6, WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT };
static const char *const METHODS[] = { "amn", "s3svm" };

static s3svm_marked picture_new(size_t width, size_t height)
{
    s3svm_marked p = { 0 };
    sos_error error;
    check_ok(s3svm_image_create(width, height, 3, &p.photograph, &error), error);
    p.truth = test_room(NULL, width * height, 1);
    p.care = test_room(NULL, width * height, 1);
    check_ok(s3svm_image_create(width, height, 1, &p.marks, &error), error);
    memset(p.truth, 0, width * height);
    memset(p.care, 1, width * height);
    return p;
}

/* An ellipse on a background, both of noisy colours, with a stroke on each. */
static s3svm_marked picture_random(sos_random *r, size_t width, size_t height)
{
    s3svm_marked p = picture_new(width, height);
    double colour[2][3];
    const double cx = (double)width * (0.4 + 0.2 * sos_random_uniform(r)), cy = (double)height * 0.5;
    const double rx = (double)width * (0.15 + 0.1 * sos_random_uniform(r)), ry = (double)height * 0.3;
    for (size_t c = 0; c < 3; c++) {
        colour[0][c] = 60 + 60 * sos_random_uniform(r);
        colour[1][c] = colour[0][c] + 50;
    }
    for (size_t i = 0; i < width * height; i++) {
        const double x = ((double)(i % width) - cx) / rx, y = ((double)(i / width) - cy) / ry;
        p.truth[i] = x * x + y * y < 1;
        for (size_t c = 0; c < 3; c++)
            p.photograph.pixels[3 * i + c] = (uint8_t)fmax(0, fmin(255, colour[p.truth[i]][c] + 25 * sos_random_normal(r)));
        if (fabs(y) < 0.1 && fabs(x) < 0.5) p.marks.pixels[i] = S3SVM_MARK_OBJECT;
        if (i / width == 2) p.marks.pixels[i] = S3SVM_MARK_BACKGROUND;
    }
    return p;
}

static struct {
    s3svm_marked pictures[COUNT];
    sos_model *models[2][2]; /* by features and method, trained */
    s3svm_segment_model *prepared[2][2];
} shared;

static s3svm_segment_settings settings_of(int features, int method, int threads)
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    s.features = (s3svm_segment_features)features;
    s.method = (s3svm_segment_method)method;
    s.work.threads = threads;
    s.samples = 300;
    return s;
}

static sos_model *model_new(int features, int method, int threads)
{
    sos_model *m;
    sos_error error;
    const s3svm_segment_settings s = settings_of(features, method, threads);
    check_ok(s3svm_segment_create(&s, COUNT, shared.pictures, &m, &error), error);
    return m;
}

static s3svm_segment_model *prepare(const sos_model *m)
{
    s3svm_segment_model *p;
    sos_error error;
    check_ok(s3svm_segment_model_create(m, &p, &error), error);
    return p;
}

static void model_train(sos_model *m, int features, int method)
{
    s3svm_segment_model *p = prepare(m);
    sos_example *x[COUNT];
    sos_error error;
    check_ok(s3svm_segment_model_examples(p, COUNT, shared.pictures, NULL, NULL, NULL, x, &error), error);
    s3svm_segment_model_free(p);
    sos_train_settings s = s3svm_segment_training((s3svm_segment_features)features, (s3svm_segment_method)method);
    s.gap = 0.2;
    s.rounds = 12;
    check_ok(sos_train(m, COUNT, x, &s, NULL, &error), error);
    for (size_t i = 0; i < COUNT; i++) sos_example_free(x[i]);
}

static int shared_create(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    for (size_t i = 0; i < COUNT; i++) shared.pictures[i] = picture_random(&r, WIDTH, HEIGHT);
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 2; k++) {
            shared.models[f][k] = model_new(f, k, 2);
            model_train(shared.models[f][k], f, k);
            shared.prepared[f][k] = prepare(shared.models[f][k]);
        }
    return 0;
}

static int shared_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) s3svm_marked_free(&shared.pictures[i]);
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 2; k++) {
            sos_model_free(shared.models[f][k]);
            s3svm_segment_model_free(shared.prepared[f][k]);
        }
    return 0;
}

static sos_model *model_copy(const sos_model *from)
{
    sos_model *m;
    sos_error error;
    check_ok(sos_model_create(2, &m, &error), error);
    for (uint32_t g = 0, number; g < sos_model_groups(from); g++)
        check_ok(sos_model_add_group(m, sos_model_group(from, g), &number, &error), error);
    check_ok(sos_model_set_weights(m, sos_model_weights(from), &error), error);
    check_ok(sos_model_set_fact(m, "task", sos_model_fact(from, "task"), &error), error);
    check_ok(sos_model_set_fact(m, "features", sos_model_fact(from, "features"), &error), error);
    return m;
}

/* ---------------------------------------------------------------- features */

static const uint8_t *pixel_at(const s3svm_image *p, long x, long y)
{
    x = x < 0 ? 0 : x >= (long)p->width ? (long)p->width - 1 : x;
    y = y < 0 ? 0 : y >= (long)p->height ? (long)p->height - 1 : y;
    return p->pixels + 3 * ((size_t)y * p->width + (size_t)x);
}

static void patches_and_gradients_are_those_around_a_pixel(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        sos_random r = test_case_begin(c);
        const size_t w = 1 + sos_random_below(&r, 7), h = 1 + sos_random_below(&r, 7);
        s3svm_marked p = picture_random(&r, w, h);
        float *rows = test_room(NULL, w * h * S3SVM_SEGMENT_PATCH, sizeof *rows);
        s3svm_segment_patches(&p.photograph, rows);
        for (size_t i = 0; i < w * h; i++)
            for (long k = 0; k < 27; k++) {
                const uint8_t *q = pixel_at(&p.photograph, (long)(i % w) + k / 3 % 3 - 1, (long)(i / w) + k / 9 - 1);
                check(rows[27 * i + (size_t)k] == (float)q[k % 3]);
            }
        s3svm_segment_gradients(&p.photograph, rows);
        const float *g = rows;
        for (long y = 0; y + 1 < (long)h; y++)
            for (long x = 0; x + 1 < (long)w; x++)
                for (size_t k = 0; k < 3; k++, g += 4) {
                    const int a = pixel_at(&p.photograph, x, y)[k], b = pixel_at(&p.photograph, x + 1, y)[k];
                    const int d = pixel_at(&p.photograph, x, y + 1)[k], e = pixel_at(&p.photograph, x + 1, y + 1)[k];
                    check(g[0] == (float)(a - b) && g[1] == (float)(a - d));
                    check(g[2] == (float)(a - e) && g[3] == (float)(b - d));
                }
        free(rows);
        s3svm_marked_free(&p);
    }
}

static void colours_of_marks_tell_object_from_background(void **state)
{
    (void)state;
    s3svm_marked *p = &shared.pictures[0];
    float ratios[PIXELS];
    sos_error error;
    const s3svm_segment_input in = s3svm_marked_input(p);
    check_ok(s3svm_segment_colours(&in, ratios, &error), error);
    size_t right = 0;
    for (size_t i = 0; i < PIXELS; i++) right += (ratios[i] > 0) == p->truth[i];
    check(4 * right > 3 * PIXELS);
    uint8_t marked[PIXELS] = { [5] = S3SVM_MARK_OBJECT };
    const s3svm_image marks = { WIDTH, HEIGHT, 1, marked };
    const s3svm_segment_input one = { .photograph = &p->photograph, .marks = &marks, .threads = 1 };
    check_ok(s3svm_segment_colours(&one, ratios, &error), error);
    for (size_t i = 0; i < PIXELS; i++) check(ratios[i] == 0);
}

/* Every number is finite, whatever the picture; ratios of distances lie where they must. */
static void maps_are_finite(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        const size_t w = 1 + sos_random_below(&r, 20), h = 1 + sos_random_below(&r, 20), n = w * h;
        s3svm_marked p = picture_random(&r, w, h);
        if (c % 3 == 0) memset(p.photograph.pixels, 77, 3 * n);
        for (size_t i = 0; i < n; i++)
            p.marks.pixels[i] = (uint8_t)(sos_random_below(&r, 5) ? 0 : sos_random_below(&r, 1 + c % 4));
        for (size_t i = 0; i < n; i++) p.marks.pixels[i] = p.marks.pixels[i] > 2 ? 0 : p.marks.pixels[i];
        s3svm_photo_features scene;
        s3svm_segment_view v;
        sos_error error;
        check_ok(s3svm_photo_features_create(&p.photograph, 1, &scene, &error), error);
        check(scene.width == w && scene.height == h && scene.n == n);
        check_ok(s3svm_segment_view_create(&scene, &p.marks, NULL, 1, NULL, &v, &error), error);
        for (size_t i = 0; i < S3SVM_SEGMENT_MAPS * n; i++) check(isfinite(v.maps[i]));
        for (size_t i = 0; i < n; i++) {
            const float path = v.maps[S3SVM_MAP_PATH_RATIO * n + i], walk = v.maps[S3SVM_MAP_WALK * n + i];
            check(path >= 0 && path <= 1 && walk >= 0 && walk <= 1.0001F);
        }
        s3svm_segment_view_free(&v);
        s3svm_photo_features_free(&scene);
        s3svm_marked_free(&p);
    }
}

/* ---------------------------------------------------------------- energies */

/* Psi of pairs counts neighbours that differ, and their likeness; Psi of tables counts what 2x2 patches look like, each for
 * four: against weights of pixels, tables count so much more. */
static const double TABLES = 4;

static void relations_are_those_of_the_grid(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++)
        for (uint64_t c = 0; c < test_cases(10); c++) {
            sos_random r = test_case_begin(c);
            const sos_model *m = shared.models[0][method];
            const size_t w = 1 + sos_random_below(&r, 8), h = 1 + sos_random_below(&r, 8), n = w * h;
            s3svm_marked p = picture_random(&r, w, h);
            const s3svm_segment_input in = s3svm_marked_input(&p);
            sos_example *x;
            sos_error error;
            check_ok(s3svm_segment_model_example(shared.prepared[0][method], &in, NULL, NULL, &x, &error), error);
            double *psi = test_room(NULL, sos_model_weight_count(m), sizeof *psi), constant = 0, likeness = 0, sum = 0, all = 0;
            double patterns[16] = { 0 };
            uint8_t y[64];
            for (size_t i = 0; i < n; i++) y[i] = (uint8_t)sos_random_below(&r, 2);
            sos_example_psi(x, y, psi);
            for (int pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < n; i++)
                    for (size_t j = i + 1; j < n; j++) {
                        if (!(j == i + w || (j == i + 1 && j % w))) continue;
                        double d = 0;
                        for (size_t k = 0; k < 3; k++)
                            d += pow((double)p.photograph.pixels[3 * i + k] - (double)p.photograph.pixels[3 * j + k], 2);
                        if (!pass) sum += d, all++;
                        if (pass && y[i] != y[j]) constant++, likeness += exp(-(sum > 0 ? all / (2 * sum) : 0) * d);
                    }
            for (size_t v = 0; v + 1 < h; v++)
                for (size_t u = 0; u + 1 < w; u++) {
                    const uint8_t *q = y + v * w + u;
                    patterns[q[0] | q[1] << 1 | q[w] << 2 | q[w + 1] << 3]++;
                }
            const uint32_t first = 4;
            const double *found = psi + sos_model_group_offset(m, first);
            if (method == S3SVM_SEGMENT_AMN) {
                check(fabs(found[0] * (double)n - constant) < 1e-9 && fabs(found[1] * (double)n - likeness) < 1e-6);
            } else
                for (size_t S = 0; S < 16; S++) {
                    double over_clusters = 0;
                    for (size_t g = 0; g < 50; g++) over_clusters += found[16 * g + S];
                    check(fabs(over_clusters * (double)n - TABLES * patterns[S]) < 1e-9);
                }
            free(psi);
            sos_example_free(x);
            s3svm_marked_free(&p);
        }
}

/* How many of the six pairs of all patches of 2x2 have different labels: sides, diagonals. */
static void patch_pairs_count(size_t w, size_t h, const uint8_t y[], double counts[2])
{
    counts[0] = counts[1] = 0;
    for (size_t v = 0; v + 1 < h; v++)
        for (size_t u = 0; u + 1 < w; u++) {
            const uint8_t *q = y + v * w + u;
            counts[0] += (q[0] != q[1]) + (q[w] != q[w + 1]) + (q[0] != q[w]) + (q[1] != q[w + 1]);
            counts[1] += (q[0] != q[w + 1]) + (q[1] != q[w]);
        }
}

/* The model of a method with the paper's features, an example of a picture, and Psi of random labels. */
typedef struct looked {
    sos_model *model;
    sos_example *x;
    double *psi;
    uint8_t y[WIDTH * HEIGHT];
} looked;

static looked look(sos_random *r, const s3svm_marked *p, int method, double relations)
{
    looked l;
    sos_error error;
    s3svm_segment_settings s = settings_of(S3SVM_SEGMENT_PAPER, method, 1);
    s.relations = relations;
    check_ok(s3svm_segment_create(&s, COUNT, shared.pictures, &l.model, &error), error);
    s3svm_segment_model *prepared = prepare(l.model);
    check(s3svm_segment_model_method(prepared) == (s3svm_segment_method)method);
    const s3svm_segment_input in = s3svm_marked_input(p);
    check_ok(s3svm_segment_model_example(prepared, &in, NULL, NULL, &l.x, &error), error);
    for (size_t i = 0; i < sizeof l.y; i++) l.y[i] = sos_random_below(r, 4) == 0;
    l.psi = test_room(NULL, sos_model_weight_count(l.model), sizeof *l.psi);
    sos_example_psi(l.x, l.y, l.psi);
    s3svm_segment_model_free(prepared);
    return l;
}

static void looked_free(looked *l)
{
    sos_model_free(l->model);
    sos_example_free(l->x);
    free(l->psi);
}

static void pairs_of_patches_are_all_six(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    for (int k = 0; k < 2; k++) {
        const double relations = k ? 2 : 4;
        looked l = look(&r, &shared.pictures[0], S3SVM_SEGMENT_KEYED_PAIRS, k ? relations : 0);
        double counts[2], found[2] = { 0 };
        patch_pairs_count(WIDTH, HEIGHT, l.y, counts);
        for (uint32_t g = 0; g < 50; g++)
            for (size_t j = 0; j < 2; j++) found[j] += l.psi[sos_model_group_offset(l.model, 4 + g) + j];
        for (size_t j = 0; j < 2; j++) check(fabs(found[j] * WIDTH * HEIGHT - relations * counts[j]) < 1e-6);
        looked_free(&l);
    }
}

/* The regions of a kind, and how many: superpixels of three sizes, and pixels of similar colours. */
enum { REGIONS = 4 };
static size_t regions_find(const s3svm_image *photograph, size_t kind, uint32_t pieces[])
{
    static const size_t about[REGIONS] = { 100, 25, 6, 64 };
    size_t count = about[kind];
    sos_error error;
    if (kind < 3) {
        s3svm_superpixel_settings s = s3svm_superpixel_defaults();
        s.count = about[kind];
        check_ok(s3svm_superpixels(photograph, &s, pieces, &count, &error), error);
    } else {
        s3svm_kmeans_settings s = s3svm_kmeans_defaults(count);
        static float lab[WIDTH * HEIGHT * 3], centres[64 * 3];
        s.starts = 1;
        s.iterations = 15;
        check_ok(s3svm_colour_lab(photograph, 1, lab, &error), error);
        check_ok(s3svm_kmeans(WIDTH * HEIGHT, 3, lab, &s, centres, pieces, NULL, &error), error);
    }
    return count;
}

/* What robust P^n of the regions of a kind costs for a weight of 1. */
static double regions_cost(const s3svm_image *photograph, size_t kind, const uint8_t y[])
{
    uint32_t pieces[WIDTH * HEIGHT];
    const size_t count = regions_find(photograph, kind, pieces);
    double sum = 0;
    for (size_t p = 0; p < count; p++) {
        size_t size = 0, ones = 0;
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            if (pieces[i] == p) size++, ones += y[i];
        if (!size) continue;
        const double reach = fmax(1, floor(0.3 * (double)size)), minority = fmin((double)ones, (double)(size - ones));
        sum += (double)size * fmin(1, minority / reach);
    }
    return sum;
}

static void regions_cost_by_how_many_disagree(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    looked l = look(&r, &shared.pictures[1], S3SVM_SEGMENT_ROBUST, 0);
    const uint32_t group = (uint32_t)(sos_model_groups(l.model) - 1);
    check(sos_model_group(l.model, group)->size == REGIONS);
    for (size_t k = 0; k < REGIONS; k++) {
        const double found = l.psi[sos_model_group_offset(l.model, group) + k] * WIDTH * HEIGHT;
        check(fabs(found - regions_cost(&shared.pictures[1].photograph, k, l.y)) < 1e-6);
    }
    looked_free(&l);
    looked counts = look(&r, &shared.pictures[1], S3SVM_SEGMENT_COUNTS, 1);
    for (uint32_t k = 0; k < REGIONS; k++) { /* a function s of the share counts what is object */
        const sos_group *g = sos_model_group(counts.model, 5 + k);
        const double *psi = counts.psi + sos_model_group_offset(counts.model, 5 + k);
        double found = 0, objects = 0;
        check(g->kind == SOS_GROUP_COUNT && g->anchored);
        for (size_t j = 1; j < g->size; j++) found += g->shares[j] * psi[j - 1];
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) objects += counts.y[i];
        check(fabs(found * WIDTH * HEIGHT - objects) < 1e-6);
    }
    looked_free(&counts);
    looked alone = look(&r, &shared.pictures[1], S3SVM_SEGMENT_UNARIES, 0);
    check(sos_model_groups(alone.model) == 4);
    looked_free(&alone);
}

/* The pairs of a kind join pixels of one region, each with two others (fewer in small ones), and know its contrast. */
static void pairs_at_random_stay_in_their_region(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    const s3svm_image *photograph = &shared.pictures[1].photograph;
    looked l = look(&r, &shared.pictures[1], S3SVM_SEGMENT_SCATTERED, 0);
    const uint32_t first = (uint32_t)(sos_model_groups(l.model) - REGIONS);
    const double *all = l.psi + sos_model_group_offset(l.model, first);
    for (size_t k = 0; k < REGIONS; k++) {
        uint32_t pieces[WIDTH * HEIGHT];
        const size_t count = regions_find(photograph, k, pieces);
        /* One region object, all else background: no pair is cut.  One pixel object: those that it has are. */
        for (size_t p = 0; p < count; p++) {
            uint8_t y[WIDTH * HEIGHT] = { 0 };
            size_t size = 0, one = 0;
            for (size_t i = 0; i < WIDTH * HEIGHT; i++)
                if (pieces[i] == p) y[i] = 1, one = i, size++;
            sos_example_psi(l.x, y, l.psi);
            check(all[S3SVM_SEGMENT_PAIRS * k] == 0 && all[S3SVM_SEGMENT_PAIRS * k + 1] == 0);
            if (!size) continue;
            memset(y, 0, sizeof y);
            y[one] = 1;
            sos_example_psi(l.x, y, l.psi);
            const double cut = all[S3SVM_SEGMENT_PAIRS * k] * WIDTH * HEIGHT, near = all[S3SVM_SEGMENT_PAIRS * k + 1];
            check(fabs(cut - (size > 2 ? 2 : (double)size - 1)) < 1e-9);
            check(near * WIDTH * HEIGHT <= cut + 1e-9 && (size < 2 || near > 0));
        }
    }
    looked_free(&l);
}

/* Each pixel has one pair of bins of distances and one state of a cluster; marks are counted. */
static void free_groups_count_every_pixel_once(void **state)
{
    (void)state;
    const s3svm_marked *p = &shared.pictures[1];
    const s3svm_segment_input in = s3svm_marked_input(p);
    for (int features = 0; features < 2; features++) {
        const sos_model *m = shared.models[features][0];
        sos_example *x;
        sos_error error;
        check_ok(s3svm_segment_model_example(shared.prepared[features][0], &in, p->truth, p->care, &x, &error), error);
        double *psi = test_room(NULL, sos_model_weight_count(m), sizeof *psi);
        sos_example_psi(x, p->truth, psi);
        double marks[2] = { 0 }, objects = 0;
        for (size_t i = 0; i < PIXELS; i++) {
            objects += p->truth[i];
            if (p->marks.pixels[i]) marks[p->marks.pixels[i] - 1]++;
        }
        check(fabs(psi[1] * PIXELS - marks[0]) < 1e-9 && psi[0] == 0); /* no mark contradicts the truth */
        check(fabs(psi[2] * PIXELS - marks[1]) < 1e-9 && psi[3] == 0);
        for (uint32_t g = features ? 1 : 2; g < (features ? 3 : 4); g++) {
            double sums[2] = { 0 };
            const size_t at = sos_model_group_offset(m, g);
            for (size_t k = 0; k < 2 * sos_model_group(m, g)->size; k++) sums[k % 2] += psi[at + k];
            check(fabs(sums[1] * PIXELS - objects) < 1e-3 && fabs(sums[0] * PIXELS - (PIXELS - objects)) < 1e-3);
        }
        free(psi);
        sos_example_free(x);
    }
}

/* ---------------------------------------------------------------- models */

static double wrong_of(const s3svm_segment_model *m, const s3svm_marked *p)
{
    const size_t n = s3svm_image_size(&p->photograph);
    uint8_t *labels = test_room(NULL, n, 1);
    sos_error error;
    size_t wrong = 0;
    check_ok(soft_segment(m, p, 0, labels, &error), error);
    for (size_t i = 0; i < n; i++) wrong += labels[i] != p->truth[i];
    free(labels);
    return (double)wrong / (double)n;
}

static void all_models_segment(void **state)
{
    (void)state;
    sos_random r = test_case_begin(7);
    for (size_t c = 0; c < 3; c++) {
        s3svm_marked p = picture_random(&r, WIDTH, HEIGHT);
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < 2; k++) {
                const double wrong = wrong_of(shared.prepared[f][k], &p);
                if (wrong >= 0.05)
                    test_fail(__FILE__, __LINE__, "%s %s: %.1f %% wrong",
                              s3svm_segment_features_name((s3svm_segment_features)f), METHODS[k], 100 * wrong);
            }
        s3svm_marked_free(&p);
    }
}

static void large_pictures_are_labelled_at_a_lower_resolution(void **state)
{
    (void)state;
    sos_random r = test_case_begin(3);
    s3svm_marked p = picture_random(&r, 1300, 900);
    const size_t n = s3svm_image_size(&p.photograph);
    s3svm_segmentation_result result;
    sos_error error;
    uint8_t *labels = test_room(NULL, n, 1);
    size_t wrong = 0;
    check_ok(picture_segment(shared.prepared[1][0], &p.photograph, &p.marks, NULL, labels, &result, &error), error);
    for (size_t i = 0; i < n; i++) wrong += labels[i] != p.truth[i];
    check(result.reduction == 2 && wrong < n / 20);
    free(labels);
    s3svm_marked_free(&p);
}

static void hard_marks_are_honoured(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(4); c++) {
        sos_random r = test_case_begin(c);
        s3svm_marked p = picture_random(&r, WIDTH, HEIGHT);
        for (size_t k = 0; k < 40; k++) /* many contradict what the picture shows */
            p.marks.pixels[sos_random_below(&r, PIXELS)] = (uint8_t)(1 + sos_random_below(&r, 2));
        uint8_t labels[PIXELS];
        sos_error error;
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < 2; k++) {
                check_ok(picture_segment(shared.prepared[f][k], &p.photograph, &p.marks, NULL, labels, NULL, &error), error);
                for (size_t i = 0; i < PIXELS; i++)
                    check(!p.marks.pixels[i] || labels[i] == (p.marks.pixels[i] == S3SVM_MARK_OBJECT));
            }
        s3svm_marked_free(&p);
    }
}

static void odd_pictures_and_marks_are_fine(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 2, 2 }, { 5, 40 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int marks = 0; marks < 4; marks++) {
            s3svm_marked p = picture_new(sizes[i][0], sizes[i][1]);
            const s3svm_segment_input in = s3svm_marked_input(&p);
            const size_t n = s3svm_image_size(&p.photograph);
            memset(p.photograph.pixels, 90, 3 * n);
            if (marks & 1) p.marks.pixels[0] = S3SVM_MARK_OBJECT;
            if (marks & 2) p.marks.pixels[n - 1] = S3SVM_MARK_BACKGROUND;
            uint8_t labels[200];
            sos_example *x;
            sos_error error;
            for (int f = 0; f < 2; f++)
                for (int k = 0; k < 2; k++) check_ok(soft_segment(shared.prepared[f][k], &p, 0, labels, &error), error);
            p.marks.pixels[n - 1] = 3;
            check_error(s3svm_segment_model_example(shared.prepared[0][0], &in, NULL, NULL, &x, &error), SOS_ERR_ARGUMENT,
                        error, "is 3", "0 none");
            p.photograph.channels = 1;
            check_error(s3svm_segment_model_example(shared.prepared[0][0], &in, NULL, NULL, &x, &error), SOS_ERR_ARGUMENT,
                        error, "3 channels", "has 1");
            s3svm_marked_free(&p);
        }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        sos_model *m = model_new(f, 1, 1);
        assert_string_equal(sos_model_fact(m, "features"), sos_model_fact(shared.models[f][1], "features"));
        sos_model_free(m);
    }
}

/* One of several threads that use one prepared model. */
typedef struct helper {
    const s3svm_segment_model *model;
    const s3svm_marked *picture;
    uint8_t labels[PIXELS];
    sos_status status;
    pthread_t thread;
} helper;

static void *help(void *data)
{
    helper *h = data;
    sos_error error;
    h->status = soft_segment(h->model, h->picture, 1, h->labels, &error);
    return NULL;
}

static void a_prepared_model_serves_several_threads_at_once(void **state)
{
    (void)state;
    enum { HELPERS = 8 };
    static helper helpers[HELPERS], alone;
    for (int f = 0; f < 2; f++) {
        for (size_t i = 0; i < HELPERS; i++) {
            helpers[i] = (helper){ .model = shared.prepared[f][1], .picture = &shared.pictures[i % COUNT] };
            check(!pthread_create(&helpers[i].thread, NULL, help, &helpers[i]));
        }
        for (size_t i = 0; i < HELPERS; i++) check(!pthread_join(helpers[i].thread, NULL));
        for (size_t i = 0; i < HELPERS; i++) {
            alone = (helper){ .model = helpers[i].model, .picture = helpers[i].picture };
            help(&alone);
            check(!alone.status && !helpers[i].status && !memcmp(alone.labels, helpers[i].labels, PIXELS));
        }
    }
}

/* The scene of a photograph serves all marks. */
static void maps_depend_on_the_marks_and_not_on_what_was_before(void **state)
{
    (void)state;
    const s3svm_marked *p = &shared.pictures[0], *q = &shared.pictures[1];
    const s3svm_image *marks[3] = { &p->marks, &q->marks, &p->marks };
    s3svm_photo_features scene;
    s3svm_segment_view views[3];
    sos_error error;
    check_ok(s3svm_photo_features_create(&p->photograph, 1, &scene, &error), error);
    for (size_t k = 0; k < 3; k++)
        check_ok(s3svm_segment_view_create(&scene, marks[k], NULL, 1, NULL, &views[k], &error), error);
    const size_t bytes = S3SVM_SEGMENT_MAPS * views[0].n * sizeof *views[0].maps;
    check(!memcmp(views[0].maps, views[2].maps, bytes) && memcmp(views[0].maps, views[1].maps, bytes) != 0);
    for (size_t k = 0; k < 3; k++) s3svm_segment_view_free(&views[k]);
    s3svm_photo_features_free(&scene);
}

static void models_read_back_from_files(void **state)
{
    (void)state;
    char path[] = "/tmp/test_segment_XXXXXX";
    const int file = mkstemp(path);
    check(file >= 0);
    close(file);
    for (int f = 0; f < 2; f++) {
        sos_model *m;
        sos_error error;
        uint8_t a[PIXELS], b[PIXELS];
        const s3svm_marked *p = &shared.pictures[2];
        check_ok(sos_model_write(shared.models[f][1], path, &error), error);
        check_ok(sos_model_read(path, &m, &error), error);
        s3svm_segment_model *back = prepare(m);
        check(s3svm_segment_model_features(back) == (s3svm_segment_features)f);
        check(s3svm_segment_model_method(back) == S3SVM_SEGMENT_S3SVM);
        sos_model_free(m); /* what was prepared borrows nothing */
        check_ok(soft_segment(back, p, 0, a, &error), error);
        check_ok(soft_segment(shared.prepared[f][1], p, 0, b, &error), error);
        s3svm_segment_model_free(back);
        check(!memcmp(a, b, PIXELS));
    }
    unlink(path);
}

/* ---------------------------------------------------------------- models that lie */

static sos_status try_features(sos_model *m, const char *text, sos_error *error)
{
    s3svm_segment_model *p = NULL;
    check_ok(sos_model_set_fact(m, "features", text, error), *error);
    const sos_status status = s3svm_segment_model_create(m, &p, error);
    s3svm_segment_model_free(p);
    return status;
}

/* The text with the first occurrence of a word replaced. */
static char *replaced(const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);
    check(at != NULL);
    const size_t room = strlen(text) + strlen(by) + 1;
    char *out = test_room(NULL, room, 1);
    snprintf(out, room, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
    return out;
}

static void damaged_facts_are_refused(void **state)
{
    (void)state;
    static const struct {
        int features;
        const char *word, *by, *says;
    } damages[] = {
        { 1, "\"version\": 1", "\"version\": 2", "version 2" },
        { 1, "\"full\"", "\"fuller\"", "fuller" },
        { 1, "\"full\"", "\"paper\"", "no member \"response\"" },
        { 1, "\"s3svm\"", "\"amn\"", "no member \"gradients\"" },
        { 1, "\"s3svm\"", "\"svm\"", "svm" },
        { 1, "\"response\": [-", "\"response\": [", "increase" },
        { 1, "\"response\": [", "\"response\": [-9, ", "groups" },
        { 1, "\"learned from\": 6", "\"learned from\": 7", "list of 7" },
        { 1, "\"learned from\": 6", "\"learned from\": 1e9", "integer" },
        { 1, "\"hashes\": [\"", "\"hashes\": [\"x", "16 digits" },
        { 1, "\"hashes\": [\"", "\"hashes\": [\"1\", \"", "hashes" },
        { 1, "\"networks\": [[", "\"networks\": [[1, ", "a network must be a list of" },
        { 0, "\"patches\": [", "\"patches\": [1, ", "must be a list of" },
        { 0, "\"object distances\": [", "\"object distances\": [1e99, ", "must be a list of" },
        { 0, "\"gradients\": [", "\"gradients\": [], [", "line 1" },
    };
    sos_error error;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        sos_model *m = model_copy(shared.models[damages[i].features][1]);
        char *bad = replaced(sos_model_fact(m, "features"), damages[i].word, damages[i].by);
        check_error(try_features(m, bad, &error), SOS_ERR_FORMAT, error, damages[i].says);
        free(bad);
        sos_model_free(m);
    }
    for (uint64_t c = 0; c < test_cases(60); c++) { /* cut anywhere */
        sos_random q = test_case_begin(c);
        sos_model *m = model_copy(shared.models[c % 2][1]);
        const size_t length = strlen(sos_model_fact(m, "features"));
        char *text = test_room(NULL, length + 1, 1);
        memcpy(text, sos_model_fact(m, "features"), length + 1);
        text[sos_random_below(&q, c % 3 ? 400 : length)] = '\0';
        check_is(try_features(m, text, &error), SOS_ERR_FORMAT);
        free(text);
        sos_model_free(m);
    }
}

static void other_models_are_refused(void **state)
{
    (void)state;
    sos_model *m;
    sos_error error;
    s3svm_segment_model *none = NULL;
    check_ok(sos_model_create(2, &m, &error), error);
    check_error(s3svm_segment_model_create(m, &none, &error), SOS_ERR_FORMAT, error, "task");
    check_ok(sos_model_set_fact(m, "task", "\"denoise\"", &error), error);
    check_error(s3svm_segment_model_create(m, &none, &error), SOS_ERR_FORMAT, error, "denoise");
    sos_model_free(m);
    check_error(s3svm_segment_create(NULL, 0, NULL, &m, &error), SOS_ERR_ARGUMENT, error, "no training pictures");
    s3svm_marked p = picture_new(4, 4);
    s3svm_segment_settings newer = s3svm_segment_defaults();
    newer.reserved[0] = 1;
    check_error(s3svm_segment_create(&newer, 1, &p, &m, &error), SOS_ERR_ARGUMENT, error, "s3svm_segment_settings.reserved");
    s3svm_segment_settings unknown = s3svm_segment_defaults();
    unknown.method = (s3svm_segment_method)77;
    check_error(s3svm_segment_create(&unknown, 1, &p, &m, &error), SOS_ERR_ARGUMENT, error, "method 77");
    s3svm_segment_input in = s3svm_marked_input(&p);
    sos_example *x;
    in.reserved[0] = 1;
    check_error(s3svm_segment_model_example(shared.prepared[0][0], &in, NULL, NULL, &x, &error), SOS_ERR_ARGUMENT, error,
                "s3svm_segment_input.reserved");
    uint8_t *truth = p.truth;
    p.truth = NULL;
    check_error(s3svm_segment_create(NULL, 1, &p, &m, &error), SOS_ERR_ARGUMENT, error, "picture 0", "true labels");
    p.truth = truth;
    p.marks.pixels[3] = 9;
    check_error(s3svm_segment_create(NULL, 1, &p, &m, &error), SOS_ERR_ARGUMENT, error, "picture 0", "is 9");
    s3svm_marked_free(&p);
}

static bool stop(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return --*(int *)user > 0;
}

static void learning_can_be_stopped(void **state)
{
    (void)state;
    for (int features = 0; features < 2; features++)
        for (int calls = 1; calls < (features ? 9 : 4); calls++) {
            int left = calls;
            sos_model *m;
            sos_error error;
            s3svm_segment_settings s = settings_of(features, 1, 2);
            s.work.progress = stop;
            s.work.user = &left;
            check_is(s3svm_segment_create(&s, COUNT, shared.pictures, &m, &error), SOS_CANCELLED);
        }
}

/* ---------------------------------------------------------------- data */

static void image_put(const char *folder, const char *name, size_t width, size_t channels, const uint8_t pixels[],
                      char path[200])
{
    s3svm_image image;
    sos_error error;
    check_ok(s3svm_image_create(width, 2, channels, &image, &error), error);
    memcpy(image.pixels, pixels, width * 2 * channels);
    snprintf(path, 200, "%s/%s.png", folder, name);
    check_ok(s3svm_image_write(&image, path, &error), error);
    s3svm_image_free(&image);
}

static void items_are_read_as_the_data_set_says(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_segment_XXXXXX", image[200], labels[200], scribbles[200], wide[200];
    check(mkdtemp(folder) != NULL);
    const uint8_t photograph[18] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    image_put(folder, "image", 3, 3, photograph, image);
    image_put(folder, "labels", 3, 1, (const uint8_t[6]){ 0, 128, 255, 0, 0, 255 }, labels);
    image_put(folder, "scribbles", 3, 1, (const uint8_t[6]){ 0, 1, 2, 0, 0, 1 }, scribbles);
    image_put(folder, "wide", 4, 1, (const uint8_t[8]){ 0 }, wide);
    char name[] = "item";
    s3svm_item item = { .name = name, .image = image, .labels = labels, .scribbles = scribbles, .width = 3, .height = 2 };
    s3svm_marked s;
    sos_error error;
    check_ok(s3svm_marked_read(&item, true, &s, &error), error);
    check(!memcmp(s.truth, (const uint8_t[6]){ 0, 0, 1, 0, 0, 1 }, 6));
    check(!memcmp(s.care, (const uint8_t[6]){ 1, 0, 1, 1, 1, 1 }, 6));
    check(!memcmp(s.marks.pixels, (const uint8_t[6]){ 0, 1, 2, 0, 0, 1 }, 6));
    check(!memcmp(s.photograph.pixels, photograph, 18));
    s3svm_marked_free(&s);
    check_ok(s3svm_marked_read(&item, false, &s, &error), error);
    check(!s.truth && !s.care);
    s3svm_marked_free(&s);
    item.scribbles = labels;
    check_error(s3svm_marked_read(&item, true, &s, &error), SOS_ERR_FORMAT, error, "labels.png", "column 1, row 0 is 128");
    item.scribbles = scribbles;
    item.labels = scribbles;
    check_error(s3svm_marked_read(&item, true, &s, &error), SOS_ERR_FORMAT, error, "scribbles.png", "column 2, row 0 is 2;");
    item.labels = wide;
    check_error(s3svm_marked_read(&item, true, &s, &error), SOS_ERR_ARGUMENT, error, "wide.png", "4 by 2", "3 by 2");
    unlink(image);
    unlink(labels);
    unlink(scribbles);
    unlink(wide);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_and_gradients_are_those_around_a_pixel),
        cmocka_unit_test(colours_of_marks_tell_object_from_background),
        cmocka_unit_test(maps_are_finite),
        cmocka_unit_test(relations_are_those_of_the_grid),
        cmocka_unit_test(pairs_of_patches_are_all_six),
        cmocka_unit_test(regions_cost_by_how_many_disagree),
        cmocka_unit_test(pairs_at_random_stay_in_their_region),
        cmocka_unit_test(free_groups_count_every_pixel_once),
        cmocka_unit_test(all_models_segment),
        cmocka_unit_test(large_pictures_are_labelled_at_a_lower_resolution),
        cmocka_unit_test(hard_marks_are_honoured),
        cmocka_unit_test(odd_pictures_and_marks_are_fine),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_prepared_model_serves_several_threads_at_once),
        cmocka_unit_test(maps_depend_on_the_marks_and_not_on_what_was_before),
        cmocka_unit_test(models_read_back_from_files),
        cmocka_unit_test(damaged_facts_are_refused),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(learning_can_be_stopped),
        cmocka_unit_test(items_are_read_as_the_data_set_says),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}
