/* test_unet.c - the network computes what its drawing says, in one piece or in tiles, forwards and backwards, and learns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "vision/unet_fields.h"

/* ---------------------------------------------------------------- by hand */

/* Channels of a picture in doubles, 0 outside. */
typedef struct stack {
    size_t width, height, channels;
    double *values;
} stack;

static stack stack_new(size_t width, size_t height, size_t channels)
{
    const size_t size = width * height * channels;
    double *values = test_room(NULL, size, sizeof *values);
    memset(values, 0, size * sizeof *values);
    return (stack){ width, height, channels, values };
}

static double stack_get(const stack *s, long x, long y, size_t c)
{
    const bool inside = x >= 0 && y >= 0 && x < (long)s->width && y < (long)s->height;
    return inside ? s->values[((size_t)y * s->width + (size_t)x) * s->channels + c] : 0;
}

static double *stack_at(const stack *s, size_t x, size_t y, size_t c)
{
    return &s->values[(y * s->width + x) * s->channels + c];
}

/* A convolution by the next numbers; the input is freed unless it is kept. */
static stack convolved(stack in, size_t channels, bool leaky, const double **numbers, bool keep)
{
    const double *w = *numbers, *b = w + 9 * in.channels * channels;
    stack out = stack_new(in.width, in.height, channels);
    for (size_t y = 0; y < in.height; y++)
        for (size_t x = 0; x < in.width; x++)
            for (size_t k = 0; k < channels; k++) {
                double sum = b[k];
                for (size_t t = 0; t < 9; t++)
                    for (size_t c = 0; c < in.channels; c++)
                        sum += w[(t * in.channels + c) * channels + k] *
                               stack_get(&in, (long)x + (long)(t % 3) - 1, (long)y + (long)(t / 3) - 1, c);
                *stack_at(&out, x, y, k) = leaky && sum < 0 ? sum / 10 : sum;
            }
    *numbers = b + channels;
    if (!keep) free(in.values);
    return out;
}

static stack halved(const stack *in)
{
    stack out = stack_new(in->width / 2, in->height / 2, in->channels);
    for (size_t y = 0; y < in->height; y++)
        for (size_t x = 0; x < in->width; x++)
            for (size_t c = 0; c < in->channels; c++) *stack_at(&out, x / 2, y / 2, c) += *stack_at(in, x, y, c) / 4;
    return out;
}

/* Adds what comes up from the smaller size. */
static stack joined(stack small, stack large)
{
    for (size_t y = 0; y < large.height; y++)
        for (size_t x = 0; x < large.width; x++)
            for (size_t c = 0; c < large.channels; c++) *stack_at(&large, x, y, c) += *stack_at(&small, x / 2, y / 2, c);
    free(small.values);
    return large;
}

static stack twice(stack in, size_t first, size_t second, const double **numbers)
{
    return convolved(convolved(in, first, true, numbers, false), second, true, numbers, false);
}

/* The responses of a picture whose sides are multiples of 4, as unet.h draws the network. */
static void responses_by_hand(const double numbers[], size_t width, size_t height, const float picture[], double response[])
{
    const double *next = numbers;
    stack in = stack_new(width, height, 1);
    for (size_t i = 0; i < width * height; i++) in.values[i] = (double)picture[i];
    stack whole = twice(in, 8, 8, &next), half = twice(halved(&whole), 16, 16, &next);
    stack quarter = twice(halved(&half), 24, 24, &next);
    half = twice(joined(convolved(quarter, 16, false, &next, false), half), 16, 16, &next);
    whole = twice(joined(convolved(half, 8, false, &next, false), whole), 8, 8, &next);
    for (size_t i = 0; i < width * height; i++) {
        response[i] = next[8];
        for (size_t c = 0; c < 8; c++) response[i] += next[c] * whole.values[i * 8 + c];
    }
    assert_ptr_equal(next + 9, numbers + S3SVM_UNET_NUMBERS);
    free(whole.values);
}

/* ---------------------------------------------------------------- the network */

static s3svm_unet network_random(uint64_t seed)
{
    s3svm_unet u;
    sos_error error;
    sos_random r = sos_random_seeded(seed);
    check_ok(s3svm_unet_create(&u, &error), error);
    s3svm_unet_start(seed, u.numbers);
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS; i++) u.numbers[i] += (float)(0.02 * sos_random_normal(&r));
    return u;
}

static s3svm_plane plane_random(sos_random *r, size_t width, size_t height)
{
    s3svm_plane p;
    sos_error error;
    check_ok(s3svm_plane_create(width, height, &p, &error), error);
    for (size_t i = 0; i < width * height; i++) p.values[i] = (float)sos_random_normal(r);
    return p;
}

static double *doubles_of(const float numbers[])
{
    double *out = test_room(NULL, S3SVM_UNET_NUMBERS, sizeof *out);
    for (size_t i = 0; i < S3SVM_UNET_NUMBERS; i++) out[i] = (double)numbers[i];
    return out;
}

static void fields_fill(s3svm_unet_fields *f, const s3svm_plane *p)
{
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            f->field[0].values[s3svm_unet_at(&f->field[0], x, y)] = p->values[y * p->width + x];
}

static void responses_are_what_the_drawing_says(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        const size_t width = 4 * (1 + sos_random_below(&r, 10)), height = 4 * (1 + sos_random_below(&r, 6));
        s3svm_unet u = network_random(c);
        s3svm_plane in = plane_random(&r, width, height), out = plane_random(&r, width, height);
        double *numbers = doubles_of(u.numbers), *expected = test_room(NULL, width * height, sizeof *expected);
        responses_by_hand(numbers, width, height, in.values, expected);
        check_ok(s3svm_unet_apply(&u, &in, 1, &out, &error), error);
        for (size_t i = 0; i < width * height; i++)
            check(fabs((double)out.values[i] - expected[i]) < 1e-4 * (1 + fabs(expected[i])));
        free(numbers);
        free(expected);
        s3svm_plane_free(&in);
        s3svm_plane_free(&out);
        s3svm_unet_free(&u);
    }
}

/* sum_i slope_i response_i, by hand. */
static double weighed(const double numbers[], const s3svm_plane *in, const float slope[], double response[])
{
    double sum = 0;
    responses_by_hand(numbers, in->width, in->height, in->values, response);
    for (size_t i = 0; i < s3svm_plane_size(in); i++) sum += (double)slope[i] * response[i];
    return sum;
}

/* Against differences of what is computed by hand, so small that no sum changes its sign. */
static void slopes_are_differences(void **state)
{
    (void)state;
    enum { WIDTH = 12, HEIGHT = 8, TRIED = 60 };
    const double small = 1e-7;
    sos_random r = test_case_begin(0);
    sos_error error;
    s3svm_unet_fields f;
    s3svm_unet u = network_random(7);
    s3svm_plane in = plane_random(&r, WIDTH, HEIGHT);
    float *gradient = test_room(NULL, S3SVM_UNET_NUMBERS, sizeof *gradient);
    double *numbers = doubles_of(u.numbers), response[WIDTH * HEIGHT];
    check_ok(s3svm_unet_fields_create(WIDTH, HEIGHT, true, &f, &error), error);
    fields_fill(&f, &in);
    memset(gradient, 0, S3SVM_UNET_NUMBERS * sizeof *gradient);
    s3svm_unet_forward(&u, &f);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) f.response_slope[i] = (float)sos_random_normal(&r);
    s3svm_unet_backward(&u, &f, gradient);
    for (size_t k = 0; k < TRIED + 9; k++) {
        const size_t i = k < TRIED ? sos_random_below(&r, S3SVM_UNET_NUMBERS) : S3SVM_UNET_NUMBERS - 1 - (k - TRIED);
        const double kept = numbers[i];
        numbers[i] = kept + small;
        const double above = weighed(numbers, &in, f.response_slope, response);
        numbers[i] = kept - small;
        const double below = weighed(numbers, &in, f.response_slope, response), slope = (above - below) / (2 * small);
        numbers[i] = kept;
        if (fabs(slope - (double)gradient[i]) > 2e-3 * (1 + fabs(slope)))
            fail_msg("number %zu: %g, by differences %g", i, (double)gradient[i], slope);
    }
    free(numbers);
    free(gradient);
    s3svm_unet_fields_free(&f);
    s3svm_plane_free(&in);
    s3svm_unet_free(&u);
}

/* A picture of several tiles is as one that is seen as a whole; threads change no bit. */
static void tiles_are_seamless(void **state)
{
    (void)state;
    enum { WIDTH = 700, HEIGHT = 300 };
    sos_random r = test_case_begin(0);
    sos_error error;
    s3svm_unet_fields f;
    s3svm_unet u = network_random(11);
    s3svm_plane in = plane_random(&r, WIDTH, HEIGHT),
                out[2] = { plane_random(&r, WIDTH, HEIGHT), plane_random(&r, WIDTH, HEIGHT) };
    for (int i = 0; i < 2; i++) check_ok(s3svm_unet_apply(&u, &in, 1 + 2 * i, &out[i], &error), error);
    check(!memcmp(out[0].values, out[1].values, s3svm_plane_size(&in) * sizeof *in.values));
    check_ok(s3svm_unet_fields_create(WIDTH, HEIGHT, false, &f, &error), error);
    fields_fill(&f, &in);
    s3svm_unet_forward(&u, &f);
    check(!memcmp(out[0].values, f.response, s3svm_plane_size(&in) * sizeof *in.values));
    s3svm_unet_fields_free(&f);
    for (int i = 0; i < 2; i++) s3svm_plane_free(&out[i]);
    s3svm_plane_free(&in);
    s3svm_unet_free(&u);
}

static void sizes_need_no_fours(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    s3svm_unet u = network_random(13);
    for (size_t width = 1; width < 8; width += 3)
        for (size_t height = 1; height < 12; height += 5) {
            s3svm_plane in = plane_random(&r, width, height), out = plane_random(&r, width, height);
            double *numbers = doubles_of(u.numbers), expected[8 * 12];
            const size_t padded_width = (width + 3) / 4 * 4, padded_height = (height + 3) / 4 * 4;
            float padded[8 * 12] = { 0 };
            for (size_t i = 0; i < width * height; i++) padded[i / width * padded_width + i % width] = in.values[i];
            responses_by_hand(numbers, padded_width, padded_height, padded, expected);
            check_ok(s3svm_unet_apply(&u, &in, 1, &out, &error), error);
            for (size_t i = 0; i < width * height; i++) {
                const double e = expected[i / width * padded_width + i % width];
                check(fabs((double)out.values[i] - e) < 1e-4 * (1 + fabs(e)));
            }
            free(numbers);
            s3svm_plane_free(&in);
            s3svm_plane_free(&out);
        }
    s3svm_unet_free(&u);
}

/* ---------------------------------------------------------------- learning */

enum { SIDE = 80, PIXELS = SIDE * SIDE, PICTURES = 4 };

typedef struct drawing {
    s3svm_plane plane;
    uint8_t truth[PIXELS], care[PIXELS];
} drawing;

/* Bright lines in noise; what lies to the left does not count, and is labelled wrongly. */
static void drawing_make(uint64_t seed, drawing *d)
{
    sos_random r = sos_random_seeded(seed);
    d->plane = plane_random(&r, SIDE, SIDE);
    memset(d->truth, 0, sizeof d->truth);
    for (int line = 0; line < 4; line++) {
        const double dx = sos_random_normal(&r), dy = sos_random_normal(&r), length = sqrt(dx * dx + dy * dy);
        const double x0 = SIDE * sos_random_uniform(&r), y0 = SIDE * sos_random_uniform(&r);
        for (size_t i = 0; i < PIXELS; i++)
            if (fabs(((double)(i % SIDE) - x0) * dy - ((double)(i / SIDE) - y0) * dx) < 1.5 * length) d->truth[i] = 1;
    }
    for (size_t i = 0; i < PIXELS; i++) {
        d->plane.values[i] += d->truth[i] ? 2 : 0;
        d->care[i] = i % SIDE >= 10;
        if (!d->care[i]) d->truth[i] = !d->truth[i];
    }
}

static double share_wrong(const s3svm_unet *u, const drawing *d)
{
    size_t wrong = 0, all = 0;
    sos_error error;
    s3svm_plane out;
    check_ok(s3svm_plane_create(SIDE, SIDE, &out, &error), error);
    check_ok(s3svm_unet_apply(u, &d->plane, 1, &out, &error), error);
    for (size_t i = 0; i < PIXELS; i++) {
        all += d->care[i];
        wrong += d->care[i] && (out.values[i] > 0) != (d->truth[i] != 0);
    }
    s3svm_plane_free(&out);
    return (double)wrong / (double)all;
}

/* Two networks, of which each does not see every other picture. */
static void networks_learn(drawing d[PICTURES], size_t steps, int threads, s3svm_unet networks[2])
{
    sos_error error;
    s3svm_unet_picture seen[PICTURES];
    const s3svm_unet_settings s = { .steps = steps, .rate = 5e-3, .seed = 3, .work.threads = threads };
    for (size_t i = 0; i < PICTURES; i++) seen[i] = (s3svm_unet_picture){ &d[i].plane, d[i].truth, d[i].care, 1, i % 2 };
    for (size_t k = 0; k < 2; k++) check_ok(s3svm_unet_create(&networks[k], &error), error);
    check_ok(s3svm_unet_train(2, networks, PICTURES, seen, &s, &error), error);
}

static void lines_are_learned(void **state)
{
    (void)state;
    static drawing d[PICTURES], other;
    s3svm_unet networks[2];
    for (size_t i = 0; i < PICTURES; i++) drawing_make(i, &d[i]);
    drawing_make(PICTURES, &other);
    networks_learn(d, SANITIZED ? 3 : 80, 2, networks);
    for (size_t k = 0; k < 2; k++) {
        const double wrong = share_wrong(&networks[k], &other);
        if (!SANITIZED && wrong > 0.06) fail_msg("network %zu: %.1f %% wrong", k, 100 * wrong);
        s3svm_unet_free(&networks[k]);
    }
    for (size_t i = 0; i < PICTURES; i++) s3svm_plane_free(&d[i].plane);
    s3svm_plane_free(&other.plane);
}

/* Nor does a network depend on a picture that it does not see. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { STEPS = 3 };
    static drawing d[PICTURES];
    s3svm_unet one[2], three[2], changed[2];
    const size_t bytes = S3SVM_UNET_NUMBERS * sizeof(float);
    for (size_t i = 0; i < PICTURES; i++) drawing_make(i, &d[i]);
    networks_learn(d, STEPS, 1, one);
    networks_learn(d, STEPS, 3, three);
    for (size_t i = 0; i < PIXELS; i++) d[0].plane.values[i] += 1;
    networks_learn(d, STEPS, 2, changed);
    check(!memcmp(one[0].numbers, three[0].numbers, bytes) && !memcmp(one[1].numbers, three[1].numbers, bytes));
    check(!memcmp(one[0].numbers, changed[0].numbers, bytes) && memcmp(one[1].numbers, changed[1].numbers, bytes) != 0);
    for (size_t k = 0; k < 2; k++) {
        s3svm_unet_free(&one[k]);
        s3svm_unet_free(&three[k]);
        s3svm_unet_free(&changed[k]);
    }
    for (size_t i = 0; i < PICTURES; i++) s3svm_plane_free(&d[i].plane);
}

static bool never(void *user, const char *phase, double done)
{
    (void)user, (void)phase, (void)done;
    return false;
}

static void learning_can_be_stopped(void **state)
{
    (void)state;
    sos_error error;
    s3svm_unet u = network_random(1);
    drawing *d = test_room(NULL, 1, sizeof *d);
    drawing_make(0, d);
    double *before = doubles_of(u.numbers), *after;
    const s3svm_unet_picture seen = { &d->plane, d->truth, NULL, 1, 9 };
    const s3svm_unet_settings s = { .steps = 5, .rate = 5e-3, .work.progress = never };
    assert_int_equal(s3svm_unet_train(1, &u, 1, &seen, &s, &error), SOS_CANCELLED);
    after = doubles_of(u.numbers);
    check(!memcmp(before, after, S3SVM_UNET_NUMBERS * sizeof *before));
    free(before);
    free(after);
    s3svm_plane_free(&d->plane);
    free(d);
    s3svm_unet_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_what_the_drawing_says),
        cmocka_unit_test(slopes_are_differences),
        cmocka_unit_test(tiles_are_seamless),
        cmocka_unit_test(sizes_need_no_fours),
        cmocka_unit_test(lines_are_learned),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(learning_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
