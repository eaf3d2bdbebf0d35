/* test_denoise.c - the models of denoising are the energies they claim to be, learn to restore, and read back from their facts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "denoise/features.h"
#include "experiments/denoise/designs.h"
#include "learn/model.h"
#include "support.h"
#include "vision/lines.h"
#include <s3svm/denoise.h>

enum { COUNT = 4, WIDTH = 60, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };

/* Drawings of a thick bar and a thin slanted line, with noise. */
typedef struct drawings {
    s3svm_plane noisy[COUNT];
    uint8_t truth[COUNT][PIXELS];
    const uint8_t *truths[COUNT];
} drawings;

static drawings *drawings_random(sos_random *r, double sigma)
{
    drawings *d = test_room(NULL, 1, sizeof *d);
    for (size_t i = 0; i < COUNT; i++) {
        sos_error error;
        check_ok(s3svm_plane_create(WIDTH, HEIGHT, &d->noisy[i], &error), error);
        d->truths[i] = d->truth[i];
        const double left = 5 + 20 * sos_random_uniform(r), top = 5 + 25 * sos_random_uniform(r),
                     slope = sos_random_uniform(r) - 0.5;
        for (size_t p = 0; p < PIXELS; p++) {
            const double x = (double)(p % WIDTH), y = (double)(p / WIDTH);
            const bool ink = (x >= left && x < left + 4) || fabs(y - top - slope * (x - 30)) < 1;
            d->truth[i][p] = ink;
            const double grey = (ink ? 0 : 1) + sigma * sos_random_normal(r);
            d->noisy[i].values[p] = (float)(rint(fmin(fmax(grey, 0), 1) * 255) / 255);
        }
    }
    return d;
}

static void drawings_free(drawings *d)
{
    for (size_t i = 0; i < COUNT; i++) s3svm_plane_free(&d->noisy[i]);
    free(d);
}

static sos_model *model_new(s3svm_drawing_design design, const drawings *d, int threads)
{
    sos_model *m;
    sos_error error;
    s3svm_denoise_settings s = s3svm_denoise_defaults();
    s.samples = 4000;
    s.work.threads = threads;
    check_ok(s3svm_denoise_preset_create(s3svm_drawing_design_preset(design), COUNT, d->noisy, d->truths, &s, &m, &error),
             error);
    return m;
}

/* Learning networks takes a while, so tests that do not change them share these. */
static struct {
    drawings *d;
    sos_model *full; /* without weights */
} shared;

static int shared_create(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    shared.d = drawings_random(&r, 0.6);
    shared.full = model_new(S3SVM_DESIGN_FULL, shared.d, 2);
    return 0;
}

static int shared_free(void **state)
{
    (void)state;
    drawings_free(shared.d);
    sos_model_free(shared.full);
    return 0;
}

/* A model that knows nothing but what a file of the shared one would say. */
static sos_model *full_copy(void)
{
    sos_model *m;
    sos_error error;
    check_ok(sos_model_create(2, &m, &error), error);
    for (uint32_t g = 0, number; g < sos_model_groups(shared.full); g++)
        check_ok(sos_model_add_group(m, sos_model_group(shared.full, g), &number, &error), error);
    check_ok(sos_model_set_weights(m, sos_model_weights(shared.full), &error), error);
    check_ok(sos_model_set_fact(m, "task", sos_model_fact(shared.full, "task"), &error), error);
    check_ok(sos_model_set_fact(m, "features", sos_model_fact(shared.full, "features"), &error), error);
    return m;
}

static s3svm_denoise_model *prepared(const sos_model *m)
{
    s3svm_denoise_model *p;
    sos_error error;
    check_ok(s3svm_denoise_model_create(m, &p, &error), error);
    return p;
}

static const s3svm_denoise_preset *preset_of(const s3svm_denoise_model *p)
{
    s3svm_drawing_design design = 0;
    while (strcmp(s3svm_drawing_design_preset(design)->name, s3svm_denoise_model_name(p)) != 0) design++;
    return s3svm_drawing_design_preset(design);
}

static void model_train(sos_model *m, const drawings *d)
{
    sos_example *x[COUNT];
    sos_error error;
    s3svm_denoise_model *p = prepared(m);
    check_ok(s3svm_denoise_model_examples(p, COUNT, d->noisy, d->truths, true, NULL, x, &error), error);
    sos_train_settings s = s3svm_denoise_preset_training(preset_of(p));
    s3svm_denoise_model_free(p);
    s.gap = 0.05;
    check_ok(sos_train(m, COUNT, x, &s, NULL, &error), error);
    for (size_t i = 0; i < COUNT; i++) sos_example_free(x[i]);
}

static double model_error(const sos_model *m, const drawings *d)
{
    size_t wrong = 0;
    s3svm_denoise_model *p = prepared(m);
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t labels[PIXELS];
        sos_error error;
        check_ok(s3svm_denoise_model_predict(p, &d->noisy[i], labels, &error), error);
        for (size_t k = 0; k < PIXELS; k++) wrong += labels[k] != d->truth[i][k];
    }
    s3svm_denoise_model_free(p);
    return (double)wrong / (COUNT * PIXELS);
}

/* What the best threshold, or calling everything paper, gives. */
static double threshold_error(const drawings *d)
{
    double least = 1;
    for (int t = 0; t <= 20; t++) {
        size_t wrong = 0;
        for (size_t i = 0; i < COUNT; i++)
            for (size_t p = 0; p < PIXELS; p++) wrong += (d->noisy[i].values[p] < (float)t / 20) != d->truth[i][p];
        least = fmin(least, (double)wrong / (COUNT * PIXELS));
    }
    return least;
}

static double psi_energy(const sos_model *m, const sos_example *x, const double w[], const uint8_t labels[])
{
    const size_t count = sos_model_weight_count(m);
    double *psi = test_room(NULL, count, sizeof *psi), sum = 0;
    sos_example_psi(x, labels, psi);
    for (size_t i = 0; i < count; i++) sum += w[i] * psi[i];
    free(psi);
    return sum;
}

/* E(y) = w sum_i |x_i - grey(y_i)| + sum of f over all 2x2 patches, but for a constant, over the number of pixels. */
static void paper_is_the_papers_energy(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        s3svm_plane p;
        sos_model *m;
        sos_example *x;
        const size_t width = 1 + sos_random_below(&r, 6), height = 1 + sos_random_below(&r, 6), n = width * height;
        check_ok(s3svm_plane_create(width, height, &p, &error), error);
        for (size_t i = 0; i < n; i++) p.values[i] = (float)(2 * sos_random_uniform(&r) - 0.5);
        check_ok(s3svm_denoise_create(S3SVM_DENOISE_PAPER, 0, NULL, NULL, NULL, &m, &error), error);
        s3svm_denoise_model *made = prepared(m);
        check_ok(s3svm_denoise_model_example_input(made, &(s3svm_denoise_input){ .noisy = &p }, false, &x, &error), error);
        s3svm_denoise_model_free(made);
        check(sos_model_weight_count(m) == 2 + 16);
        double w[18] = { -0.5, 0.5 }, expected[2] = { 0 }, found[2];
        for (size_t i = 2; i < 18; i++) w[i] = sos_random_normal(&r);
        for (size_t k = 0; k < 2; k++) {
            uint8_t y[36];
            for (size_t i = 0; i < n; i++) y[i] = (uint8_t)sos_random_below(&r, 2);
            for (size_t i = 0; i < n; i++) expected[k] += fabs((double)p.values[i] - (y[i] ? 0 : 1));
            for (size_t v = 0; v + 1 < height; v++)
                for (size_t u = 0; u + 1 < width; u++) {
                    const uint8_t *q = y + v * width + u;
                    expected[k] += w[2 + (q[0] | q[1] << 1 | q[width] << 2 | q[width + 1] << 3)];
                }
            found[k] = psi_energy(m, x, w, y) * (double)n;
        }
        check(fabs((found[1] - found[0]) - (expected[1] - expected[0])) < 1e-5);
        sos_example_free(x);
        sos_model_free(m);
        s3svm_plane_free(&p);
    }
}

static void both_models_restore(void **state)
{
    (void)state;
    sos_random r = test_case_begin(1);
    drawings *test = drawings_random(&r, 0.6);
    double errors[2];
    for (int kind = S3SVM_DENOISE_PAPER; kind <= S3SVM_DENOISE_FULL; kind++) {
        sos_model *m = kind == S3SVM_DENOISE_FULL ? full_copy() : model_new(S3SVM_DESIGN_PAPER, shared.d, 0);
        s3svm_denoise_model *p = prepared(m);
        assert_string_equal(s3svm_denoise_model_name(p), kind ? "full" : "paper");
        s3svm_denoise_model_free(p);
        model_train(m, shared.d);
        errors[kind] = model_error(m, test);
        sos_model_free(m);
    }
    check(errors[S3SVM_DENOISE_PAPER] < 0.5 * threshold_error(test));
    check(errors[S3SVM_DENOISE_FULL] < 0.8 * errors[S3SVM_DENOISE_PAPER]);
    drawings_free(test);
}

/* What is prepared stays as it was: through training of the model that it came from, and its end. */
static void prepared_models_stand_alone(void **state)
{
    (void)state;
    sos_error error;
    uint8_t before[PIXELS], after[PIXELS], trained[PIXELS];
    sos_model *m = model_new(S3SVM_DESIGN_PAPER, shared.d, 0);
    s3svm_denoise_model *p = prepared(m);
    check_ok(s3svm_denoise_model_predict(p, &shared.d->noisy[0], before, &error), error);
    model_train(m, shared.d);
    s3svm_denoise_model *q = prepared(m);
    sos_model_free(m);
    check_ok(s3svm_denoise_model_predict(p, &shared.d->noisy[0], after, &error), error);
    check_ok(s3svm_denoise_model_predict(q, &shared.d->noisy[0], trained, &error), error);
    assert_memory_equal(before, after, PIXELS);
    assert_memory_not_equal(before, trained, PIXELS);
    s3svm_denoise_model_free(p);
    s3svm_denoise_model_free(q);
    s3svm_denoise_model_free(NULL);
}

static bool never(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    ++*(int *)user;
    return false;
}

static void making_examples_can_be_stopped(void **state)
{
    (void)state;
    sos_error error;
    int calls = 0;
    sos_example *x[COUNT];
    const sos_work work = { .progress = never, .user = &calls };
    s3svm_denoise_model *p = prepared(shared.full);
    check_is(s3svm_denoise_model_examples(p, COUNT, shared.d->noisy, shared.d->truths, true, &work, x, &error), SOS_CANCELLED);
    check(calls == 1);
    for (size_t i = 0; i < COUNT; i++) assert_null(x[i]);
    s3svm_denoise_model_free(p);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    sos_model *m = model_new(S3SVM_DESIGN_FULL, shared.d, 1);
    assert_string_equal(sos_model_fact(m, "features"), sos_model_fact(shared.full, "features"));
    sos_model_free(m);
}

static void pictures_of_any_size_are_fine(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 2, 2 }, { 2, 7 }, { 3, 3 }, { 5, 70 } };
    for (int design = 0; design < S3SVM_DESIGNS; design++) {
        sos_model *m = design == S3SVM_DESIGN_FULL ? full_copy() : model_new((s3svm_drawing_design)design, shared.d, 0);
        s3svm_denoise_model *made = prepared(m);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            s3svm_plane p;
            uint8_t labels[350];
            sos_error error;
            check_ok(s3svm_plane_create(sizes[i][0], sizes[i][1], &p, &error), error);
            check_ok(s3svm_denoise_model_predict(made, &p, labels, &error), error);
            p.values[0] = NAN;
            check_error(s3svm_denoise_model_predict(made, &p, labels, &error), SOS_ERR_ARGUMENT, error, "pixel 0");
            s3svm_plane_free(&p);
        }
        s3svm_denoise_model_free(made);
        sos_model_free(m);
    }
}

/* ---------------------------------------------------------------- designs */

/* What an energy is by the words of the design, in code of the test's own: numbers of groups are found by their names. */
typedef struct scene {
    const sos_model *m;
    const s3svm_denoise_features *f;
    const s3svm_plane *p;
    const s3svm_directions *d, *fine; /* fine: of long lines */
    const double *w;
    const uint8_t *y;
} scene;

static uint32_t group_named(const sos_model *m, const char *name)
{
    for (uint32_t g = 0; g < sos_model_groups(m); g++)
        if (!strcmp(sos_model_group(m, g)->name, name)) return g;
    fail_msg("no group '%s'", name);
    return 0;
}

/* What a labelling S of a clique costs. */
static double table_cost(const scene *s, const char *name, size_t S)
{
    const uint32_t g = group_named(s->m, name);
    const size_t class = sos_model_table_class(s->m, g, S);
    return class == SIZE_MAX ? 0 : s->w[sos_model_group_offset(s->m, g) + class];
}

static double single_cost(const scene *s, const char *name, size_t feature, double value, size_t i)
{
    return value * s->w[sos_model_group_offset(s->m, group_named(s->m, name)) + 2 * feature + s->y[i]];
}

static double strength_cost(const scene *s, size_t i)
{
    const s3svm_denoise_key *k = &s->f->key;
    const double x = (double)s->d->strength[i];
    for (size_t j = 0; j + 1 < k->knots; j++) {
        const double a = (double)k->knot[j], b = (double)k->knot[j + 1];
        if (x <= a && !j) return single_cost(s, "strength", 0, 1, i);
        if (x >= a && x <= b)
            return single_cost(s, "strength", j, (b - x) / (b - a), i) +
                   single_cost(s, "strength", j + 1, (x - a) / (b - a), i);
    }
    return single_cost(s, "strength", k->knots - 1, 1, i);
}

static size_t strength_class(const scene *s, size_t i)
{
    size_t class = 0;
    for (size_t t = 0; t < s->f->key.thresholds; t++) class += s->d->strength[i] >= s->f->key.threshold[t];
    return class;
}

/* The angle between two lines, in steps: their difference, or what is missing to half a turn. */
static size_t turn_between(const scene *s, double turns, size_t i)
{
    const double steps = (double)s->d->steps, difference = fabs(turns * 2 * steps - (double)s->d->direction[i]);
    return (size_t)lrint(fmin(difference, steps - difference));
}

static double neighbours_cost(const scene *s, unsigned cliques)
{
    static const struct {
        int x, y;
        double turns;
    } ways[] = { { 1, 0, 0 }, { 1, 1, 0.125 }, { 0, 1, 0.25 }, { -1, 1, 0.375 } };
    const int w = (int)s->p->width, h = (int)s->p->height;
    double sum = 0;
    for (int i = 0; i < w * h; i++)
        for (size_t k = 0; k < 4; k++) {
            const int x = i % w + ways[k].x, y = i / w + ways[k].y, other = y * w + x;
            char name[40];
            if (x < 0 || x >= w || y >= h) continue;
            const bool differ = s->y[i] != s->y[other], corner = k % 2;
            if (cliques & 1U << S3SVM_CLIQUES_PAIRS4 && !corner && differ) sum += table_cost(s, "pair", 1);
            if (cliques & 1U << S3SVM_CLIQUES_PAIRS8 && differ) sum += table_cost(s, corner ? "pair across" : "pair", 1);
            if (!(cliques & 1U << S3SVM_CLIQUES_KEYED)) continue;
            const int clear = s->d->strength[other] > s->d->strength[i] ? other : i, second = i + other - clear;
            snprintf(name, sizeof name, "pair %zu, turn %zu", strength_class(s, (size_t)clear),
                     turn_between(s, ways[k].turns, (size_t)clear));
            sum += table_cost(s, name, (size_t)(s->y[clear] | s->y[second] << 1));
        }
    return sum;
}

/* Lines of a kind, "line" or "long line": of pixels so many steps apart along directions d, of the first class and above. */
static double lines_cost(const scene *s, const char *line, const s3svm_directions *d, size_t stride, size_t first, bool tables)
{
    const size_t length = s->f->key.length, span = (length - 1) * stride + 1;
    double sum = 0;
    for (size_t i = 0; i < s3svm_plane_size(s->p); i++) {
        s3svm_line_place places[S3SVM_DENOISE_LENGTH_MAX * S3SVM_DENOISE_STRIDE_MAX];
        uint8_t y[S3SVM_DENOISE_LENGTH_MAX];
        char name[40];
        size_t S = 0, inside = 0;
        if (strength_class(s, i) < first || (i % s->p->width + i / s->p->width) % s->f->key.every) continue;
        s3svm_line_places(span, d->steps, d->direction[i], places);
        for (size_t k = 0; k < span; k += stride) {
            const int u = (int)(i % s->p->width) + places[k].x, v = (int)(i / s->p->width) + places[k].y;
            if (u < 0 || v < 0 || u >= (int)s->p->width || v >= (int)s->p->height) continue;
            y[inside++] = s->y[v * (int)s->p->width + u];
        }
        if (inside < length) continue;
        for (size_t k = 0; k < length; k++) S |= (size_t)y[k] << k;
        snprintf(name, sizeof name, "%s %zu", line, strength_class(s, i));
        if (tables) sum += table_cost(s, name, S);
        for (size_t a = 0; a < length; a++)
            for (size_t b = a + 1; b < length && !tables; b++) {
                snprintf(name, sizeof name, "%s %zu, distance %zu", line, strength_class(s, i), b - a);
                sum += table_cost(s, name, (size_t)(y[a] | y[b] << 1));
            }
    }
    return sum;
}

static double design_cost(const scene *s)
{
    const s3svm_denoise_design *d = &s->f->design;
    double sum = neighbours_cost(s, d->cliques);
    if (s3svm_design_has_lines(d)) sum += lines_cost(s, "line", s->d, 1, 1, d->cliques & 1U << S3SVM_CLIQUES_LINE_TABLES);
    if (s3svm_design_has_long_lines(d))
        sum += lines_cost(s, "long line", s->fine, s->f->key.long_stride, s->f->key.long_class,
                          d->cliques & 1U << S3SVM_CLIQUES_LONG_TABLES);
    for (size_t i = 0; i < s3svm_plane_size(s->p); i++) {
        const double x = (double)s->p->values[i];
        if (d->unaries & 1U << S3SVM_UNARY_GREY) sum += single_cost(s, "grey", 0, fabs(x) - fabs(x - 1), i);
        if (d->unaries & 1U << S3SVM_UNARY_CONSTANT) sum += single_cost(s, "constant", 0, 1, i);
        if (d->unaries & 1U << S3SVM_UNARY_STRENGTH) sum += strength_cost(s, i);
    }
    return sum;
}

static void designs_are_the_energies_that_they_name(void **state)
{
    (void)state;
    for (s3svm_drawing_design design = S3SVM_DESIGN_PAIRS4; design <= S3SVM_DESIGN_LONG_LINES; design++) {
        sos_random r = test_case_begin(design);
        sos_model *m = model_new(design, shared.d, 2);
        s3svm_denoise_model *made = prepared(m);
        s3svm_denoise_features f;
        s3svm_directions d, fine;
        sos_example *x;
        sos_error error;
        check_ok(s3svm_denoise_features_read(m, &f, &error), error);
        assert_string_equal(s3svm_denoise_model_name(made), s3svm_drawing_design_preset(design)->name);
        const s3svm_plane *p = &shared.d->noisy[0];
        check_ok(s3svm_directions_find(p, f.key.blur > 0 ? f.key.blur : 1, f.key.steps ? f.key.steps : 8, &d, &error), error);
        check_ok(s3svm_directions_find(p, f.key.blur > 0 ? f.key.blur : 1, 16, &fine, &error), error);
        check_ok(s3svm_denoise_model_example_input(made, &(s3svm_denoise_input){ .noisy = p }, false, &x, &error), error);
        double *w = test_room(NULL, sos_model_weight_count(m), sizeof *w);
        uint8_t y[PIXELS];
        for (size_t i = 0; i < sos_model_weight_count(m); i++) w[i] = sos_random_normal(&r);
        for (size_t i = 0; i < PIXELS; i++) y[i] = (uint8_t)sos_random_below(&r, 2);
        const double expected = design_cost(&(scene){ m, &f, p, &d, &fine, w, y }) / PIXELS;
        check(fabs(psi_energy(m, x, w, y) - expected) < 1e-4 * (1 + fabs(expected)));
        free(w);
        sos_example_free(x);
        s3svm_directions_free(&d);
        s3svm_directions_free(&fine);
        s3svm_denoise_features_free(&f);
        s3svm_denoise_model_free(made);
        sos_model_free(m);
    }
}

/* Pairs along directions restore better than pairs alone, and lines go through a file. */
static void lines_restore_and_read_back(void **state)
{
    (void)state;
    sos_random r = test_case_begin(2);
    drawings *test = drawings_random(&r, 0.6);
    sos_model *lines = model_new(S3SVM_DESIGN_LINES, shared.d, 0), *pairs = model_new(S3SVM_DESIGN_PAIRS4, shared.d, 0), *again;
    sos_error error;
    char *text;
    size_t length;
    model_train(lines, shared.d);
    model_train(pairs, shared.d);
    check(model_error(lines, test) < 0.9 * model_error(pairs, test));
    check_ok(sos_model_write_memory(lines, &text, &length, &error), error);
    check_ok(sos_model_parse(text, length, "lines", &again, &error), error);
    check(model_error(again, test) == model_error(lines, test));
    free(text);
    sos_model_free(again);
    sos_model_free(lines);
    sos_model_free(pairs);
    drawings_free(test);
}

static void odds_models_share_what_networks_say(void **state)
{
    (void)state;
    sos_random r = test_case_begin(3);
    drawings *test = drawings_random(&r, 0.6);
    sos_model *lines = model_new(S3SVM_DESIGN_ODDS_LINES, shared.d, 2),
              *other = model_new(S3SVM_DESIGN_ODDS_LINES, shared.d, 1);
    assert_string_equal(sos_model_fact(lines, "features"), sos_model_fact(other, "features"));
    model_train(lines, shared.d);
    check(model_error(lines, test) < 0.5 * threshold_error(test));
    sos_model_free(lines);
    sos_model_free(other);
    drawings_free(test);
}

/* ---------------------------------------------------------------- models that lie */

static sos_status try_features(sos_model *m, const char *text, sos_error *error)
{
    s3svm_denoise_model *p;
    check_ok(sos_model_set_fact(m, "features", text, error), *error);
    const sos_status status = s3svm_denoise_model_create(m, &p, error);
    if (!status) s3svm_denoise_model_free(p);
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
        const char *word, *by, *says;
    } damages[] = {
        { "\"version\": 1", "\"version\": 3", "version 3" },
        { "\"version\": 1", "\"version\": 2", "has version 1" },
        { "\"version\": 1", "\"version\": 1.5", "integer" },
        { "\"version\"", "\"ersion\"", "version" },
        { "\"full\"", "\"fuller\"", "fuller" },
        { "\"full\"", "\"full\\u0000\"", "u0000" },
        { "\"full\"", "\"a name that is longer than any\"", "string" },
        { "\"full\"", "7", "string" },
        { "\"full\"", "\"paper\"", "no member" },
        { "\"undecided\": ", "\"undecided\": -", "" }, /* a number like others */
        { "\"undecided\": 3", "\"undecided\": 1e999", "overflow" },
        { "\"undecided\": 3", "\"undecided\": nan", "line 1" },
        { "\"undecided\": 3", "\"undecided\": 0x3", "line 1" },
        { "[-7, ", "[", "groups" },
        { "[-7, ", "[7, ", "knot 1" },
        { "[-7, ", "[1e39, ", "too large" },
        { "[-7, ", "[, ", "line 1" },
        { "\"inputs\": ", "\"inputs\": 1", "integer" },
        { "\"numbers\": [", "\"numbers\": [1, ", "must be a list of" },
        { "\"numbers\": [", "\"numbers\": [], \"x\": [", "no member \"x\"" },
        { "}]}", "}]", "truncated" },
        { "}]}", "}]} x", "end of file" },
    };
    sos_model *m = full_copy();
    const size_t length = strlen(sos_model_fact(m, "features"));
    char *good = test_room(NULL, length + 1, 1);
    memcpy(good, sos_model_fact(m, "features"), length + 1);
    sos_error error;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *bad = replaced(good, damages[i].word, damages[i].by);
        if (*damages[i].says)
            check_error(try_features(m, bad, &error), SOS_ERR_FORMAT, error, damages[i].says);
        else
            check_ok(try_features(m, bad, &error), error);
        free(bad);
    }
    for (uint64_t c = 0; c < test_cases(200); c++) { /* cut anywhere */
        sos_random q = test_case_begin(c);
        const size_t cut = (size_t)sos_random_below(&q, c % 2 ? 400 : length);
        const char kept = good[cut];
        good[cut] = '\0';
        check_is(try_features(m, good, &error), SOS_ERR_FORMAT);
        good[cut] = kept;
    }
    free(good);
    sos_model_free(m);
}

static void damaged_designs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word, *by, *says;
    } damages[] = {
        { "\"version\": 2", "\"version\": 1", "unknown model of denoising: \"long-lines\"" },
        { "\"long-lines\"", "\"keyed\"", "" }, /* a name: the design stands beside it */
        { "\"long-lines\"", "\"paper\"", "has version 1" },
        { "\"grey\"", "\"gray\"", "unaries" },
        { "\"grey\"", "\"strength\"", "repeated" },
        { "\"grey\"", "7", "unaries" },
        { "\"grey\", ", "", "groups" },
        { "\"line tables\"", "\"line pairs\"", "groups" },
        { "\"keyed pairs\", \"line tables\", ", "", "groups" },
        { "\"cliques\"", "\"clique\"", "cliques" },
        { "\"blur\": 2", "\"blur\": 0", "blur" },
        { "\"blur\": 2", "\"blur\": 65", "blur" },
        { "\"steps\": 8", "\"steps\": 6", "multiple of 4" },
        { "\"steps\": 8", "\"steps\": 36", "steps" },
        { "\"length\": ", "\"length\": 1", "tables of lines of 17 pixels" },
        { "\"length\": ", "\"length\": 0.", "length" },
        { "\"thresholds\": [", "\"thresholds\": [1e9, ", "threshold 1" },
        { "\"thresholds\": [", "\"thresholds\": [-1e9, ", "groups" },
        { "\"long_steps\": 16", "\"long_steps\": 33", "long_steps" },
        { "\"long_stride\": 3", "\"long_stride\": 9", "long_stride" },
        { "\"long_class\": 2", "\"long_class\": 0", "long_class" },
        { "\"long_class\": 2", "\"long_class\": 1", "groups" },
        { "\", \"long line tables\"", "\"", "long_steps" },
        { "\"direction\"", "\"directions\"", "directions" },
        { "\"blur\"", "\"x\": 1, \"blur\"", "no member \"x\"" },
    };
    sos_model *m = model_new(S3SVM_DESIGN_LONG_LINES, shared.d, 0);
    sos_error error;
    char *good = test_room(NULL, strlen(sos_model_fact(m, "features")) + 1, 1);
    strcpy(good, sos_model_fact(m, "features"));
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *bad = replaced(good, damages[i].word, damages[i].by);
        if (*damages[i].says)
            check_error(try_features(m, bad, &error), SOS_ERR_FORMAT, error, damages[i].says);
        else
            check_ok(try_features(m, bad, &error), error);
        free(bad);
    }
    free(good);
    sos_model_free(m);
}

/* Numbers that no training gives, but a file may: whatever comes out, nothing breaks. */
static void huge_numbers_break_nothing(void **state)
{
    (void)state;
    sos_model *m = full_copy();
    sos_error error;
    for (int i = 0; i < 8; i++) {
        char *bad = replaced(sos_model_fact(m, "features"), "\"numbers\": [", "\"numbers\": [-1e38, 1e38, 3e38, -3e38, ");
        char *start = strstr(bad, "3e38, -3e38, ") + strlen("3e38, -3e38, "), *end = start;
        for (int k = 0; k < 4; k++) end = strchr(end, ',') + 2; /* four numbers less make place for them */
        memmove(start, end, strlen(end) + 1);
        check_ok(try_features(m, bad, &error), error);
        free(bad);
    }
    sos_model_free(m);
}

static void other_models_are_refused(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    drawings *d = drawings_random(&r, 0.6);
    sos_model *m;
    s3svm_denoise_model *p;
    sos_error error;
    check_ok(sos_model_create(2, &m, &error), error);
    check_error(s3svm_denoise_model_create(m, &p, &error), SOS_ERR_FORMAT, error, "task");
    check_ok(sos_model_set_fact(m, "task", "\"segment\"", &error), error);
    check_error(s3svm_denoise_model_create(m, &p, &error), SOS_ERR_FORMAT, error, "segment");
    check_ok(sos_model_set_fact(m, "task", "\"denoise\"", &error), error);
    check_error(s3svm_denoise_model_create(m, &p, &error), SOS_ERR_FORMAT, error, "features");
    check_ok(sos_model_set_fact(m, "features", " { \"version\" : 1 , \"model\" : \"paper\" } ", &error), error);
    check_error(s3svm_denoise_model_create(m, &p, &error), SOS_ERR_FORMAT, error, "groups", "paper");
    sos_model_free(m);
    check_error(s3svm_denoise_create((s3svm_denoise_kind)77, 0, NULL, NULL, NULL, &m, &error), SOS_ERR_ARGUMENT, error, "77");
    check_error(s3svm_denoise_create(S3SVM_DENOISE_FULL, 0, NULL, NULL, NULL, &m, &error), SOS_ERR_ARGUMENT, error, "none");
    for (size_t i = 0; i < COUNT; i++) memset(d->truth[i], 0, PIXELS);
    check_error(s3svm_denoise_create(S3SVM_DENOISE_FULL, COUNT, d->noisy, d->truths, NULL, &m, &error), SOS_ERR_ARGUMENT, error,
                "has ink");
    d->noisy[2].values[7] = INFINITY;
    check_error(s3svm_denoise_create(S3SVM_DENOISE_FULL, COUNT, d->noisy, d->truths, NULL, &m, &error), SOS_ERR_ARGUMENT, error,
                "picture 2", "pixel 7");
    drawings_free(d);
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
    sos_random r = test_case_begin(0);
    drawings *d = drawings_random(&r, 0.6);
    for (int calls = 1; calls < 8; calls++) {
        int left = calls;
        sos_model *m;
        sos_error error;
        s3svm_denoise_settings s = s3svm_denoise_defaults();
        s.work.progress = stop;
        s.work.user = &left;
        check_is(s3svm_denoise_create(S3SVM_DENOISE_FULL, COUNT, d->noisy, d->truths, &s, &m, &error), SOS_CANCELLED);
    }
    drawings_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_is_the_papers_energy),
        cmocka_unit_test(both_models_restore),
        cmocka_unit_test(prepared_models_stand_alone),
        cmocka_unit_test(making_examples_can_be_stopped),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(pictures_of_any_size_are_fine),
        cmocka_unit_test(designs_are_the_energies_that_they_name),
        cmocka_unit_test(lines_restore_and_read_back),
        cmocka_unit_test(odds_models_share_what_networks_say),
        cmocka_unit_test(damaged_facts_are_refused),
        cmocka_unit_test(damaged_designs_are_refused),
        cmocka_unit_test(huge_numbers_break_nothing),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(learning_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}
