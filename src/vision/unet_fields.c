/* unet_fields.c - convolutions, and the order in which a network has them. */
#include "vision/unet_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "vision/perceptron_layers.h"

/* ---------------------------------------------------------------- the network */

static const struct {
    uint8_t channels, halved; /* how often the picture has been halved */
} SHAPES[S3SVM_UNET_FIELDS] = { { 1, 0 },  { 8, 0 },  { 8, 0 },  { 8, 1 },  { 16, 1 }, { 16, 1 },
                                { 16, 2 }, { 24, 2 }, { 24, 2 }, { 16, 2 }, { 16, 1 }, { 16, 1 },
                                { 16, 1 }, { 8, 1 },  { 8, 0 },  { 8, 0 },  { 8, 0 } };

/* LEAKY and PLAIN are convolutions, LEAKY with h(a) = a for a > 0, a / 10 else behind it.  HALVE takes means of 2 x 2 pixels.
 * JOIN makes 2 x 2 pixels of one, and adds what a field of that size had. */
typedef enum kind { LEAKY, PLAIN, HALVE, JOIN } kind;
typedef struct step {
    kind kind;
    uint8_t from, with; /* with: of JOIN */
} step;

/* Step i makes field i + 1. */
static const step STEPS[S3SVM_UNET_FIELDS - 1] = { { LEAKY, 0, 0 },  { LEAKY, 1, 0 }, { HALVE, 2, 0 },  { LEAKY, 3, 0 },
                                                   { LEAKY, 4, 0 },  { HALVE, 5, 0 }, { LEAKY, 6, 0 },  { LEAKY, 7, 0 },
                                                   { PLAIN, 8, 0 },  { JOIN, 9, 5 },  { LEAKY, 10, 0 }, { LEAKY, 11, 0 },
                                                   { PLAIN, 12, 0 }, { JOIN, 13, 2 }, { LEAKY, 14, 0 }, { LEAKY, 15, 0 } };

enum { LAST = S3SVM_UNET_FIELDS - 1, SIDE = 3, TAPS = SIDE * SIDE, TURNED_MAX = TAPS * 24 * 24 };

static bool is_convolution(const step *s) { return s->kind == LEAKY || s->kind == PLAIN; }

static size_t weights_of(size_t i)
{
    return is_convolution(&STEPS[i]) ? (size_t)TAPS * SHAPES[STEPS[i].from].channels * SHAPES[i + 1].channels : 0;
}

static size_t numbers_of(size_t i) { return is_convolution(&STEPS[i]) ? weights_of(i) + SHAPES[i + 1].channels : 0; }

void s3svm_unet_start(uint64_t seed, float numbers[])
{
    sos_random r = sos_random_seeded(seed);
    memset(numbers, 0, S3SVM_UNET_NUMBERS * sizeof *numbers);
    for (size_t i = 0; i < LAST; i++) {
        const double deviation = sqrt(2.0 / (TAPS * SHAPES[STEPS[i].from].channels));
        for (size_t k = 0; k < weights_of(i); k++) numbers[k] = (float)(deviation * sos_random_normal(&r));
        numbers += numbers_of(i);
    }
    for (size_t c = 0; c < SHAPES[LAST].channels; c++) numbers[c] = (float)(0.05 * sos_random_normal(&r));
    numbers[SHAPES[LAST].channels] = -2;
}

/* ---------------------------------------------------------------- memory */

static bool field_create(s3svm_unet_field *f, bool learns)
{
    const size_t size = (f->width + 2) * (f->height + 2) * f->channels;
    f->values = calloc(size, sizeof *f->values);
    f->slopes = learns && f->values ? calloc(size, sizeof *f->slopes) : NULL;
    return f->values && (f->slopes || !learns);
}

sos_status s3svm_unet_fields_create(size_t width, size_t height, bool learns, s3svm_unet_fields *out, sos_error *error)
{
    s3svm_unet_fields f = { 0 };
    f.response = calloc(width * height, sizeof *f.response);
    f.response_slope = learns ? calloc(width * height, sizeof *f.response_slope) : NULL;
    f.turned = learns ? calloc(TURNED_MAX, sizeof *f.turned) : NULL;
    bool there = f.response && (!learns || (f.response_slope && f.turned));
    for (size_t i = 0; i < S3SVM_UNET_FIELDS && there; i++) {
        f.field[i] = (s3svm_unet_field){ .width = width >> SHAPES[i].halved,
                                         .height = height >> SHAPES[i].halved,
                                         .channels = SHAPES[i].channels };
        there = field_create(&f.field[i], learns);
    }
    if (!there) {
        s3svm_unet_fields_free(&f);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network on %zu x %zu pixels", width, height);
    }
    *out = f;
    return SOS_OK;
}

void s3svm_unet_fields_free(s3svm_unet_fields *f)
{
    for (size_t i = 0; i < S3SVM_UNET_FIELDS; i++) {
        free(f->field[i].values);
        free(f->field[i].slopes);
    }
    free(f->response);
    free(f->response_slope);
    free(f->turned);
    *f = (s3svm_unet_fields){ 0 };
}

/* ---------------------------------------------------------------- convolutions */

enum { BLOCK = 8 }; /* pixels in a row whose sums stay in registers together */

/* Eight output channels of some pixels in a row: in points to the upper left of what the first one sees.  A row of three
 * pixels is a run of channels, of the picture and of the weights. */
SOS_INLINE void block_sums(const float *in, size_t row, size_t channels, const float *w, size_t outputs, size_t pixels,
                           s3svm_places sum[])
{
    for (size_t y = 0; y < SIDE; y++, in += row)
        for (size_t i = 0; i < SIDE * channels; i++, w += outputs) {
            const s3svm_places weight = *s3svm_places_at(w);
            for (size_t p = 0; p < pixels; p++) sum[p] += in[p * channels + i] * weight;
        }
}

/* Where a convolution reads and writes. */
typedef struct pass {
    const s3svm_unet_field *from, *to;
    const float *in;
    float *out;
    const float *weights, *offsets; /* offsets NULL: none */
    bool leaky;
} pass;

SOS_INLINE void block_make(const pass *p, size_t x, size_t y, size_t pixels)
{
    const size_t channels = p->from->channels, outputs = p->to->channels;
    const float *in = p->in + s3svm_unet_at(p->from, x, y) - (p->from->width + 3) * channels;
    for (size_t first = 0; first < outputs; first += S3SVM_PLACES) {
        s3svm_places sum[BLOCK];
        s3svm_places start = { 0 };
        if (p->offsets) start = *s3svm_places_at(p->offsets + first);
        for (size_t i = 0; i < pixels; i++) sum[i] = start;
        block_sums(in, (p->from->width + 2) * channels, channels, p->weights + first, outputs, pixels, sum);
        for (size_t i = 0; i < pixels; i++) {
            if (p->leaky) s3svm_places_leaky(&sum[i], &sum[i], &sum[i]);
            *s3svm_places_to(p->out + s3svm_unet_at(p->to, x + i, y) + first) = sum[i];
        }
    }
}

/* The last block of a row may share pixels with the one before: they get the same values again. */
SOS_INLINE void convolve(const pass *p)
{
    const size_t width = p->to->width;
    for (size_t y = 0; y < p->to->height; y++) {
        for (size_t x = 0; x + BLOCK <= width; x += BLOCK) block_make(p, x, y, BLOCK);
        if (width < BLOCK)
            for (size_t x = 0; x < width; x++) block_make(p, x, y, 1);
        else if (width % BLOCK)
            block_make(p, width - BLOCK, y, BLOCK);
    }
}

/* ---------------------------------------------------------------- forwards */

SOS_INLINE void halve(const s3svm_unet_field *from, s3svm_unet_field *to)
{
    const size_t channels = to->channels, row = (from->width + 2) * channels;
    for (size_t y = 0; y < to->height; y++)
        for (size_t x = 0; x < to->width; x++) {
            const float *in = from->values + s3svm_unet_at(from, 2 * x, 2 * y);
            float *out = to->values + s3svm_unet_at(to, x, y);
            for (size_t c = 0; c < channels; c++)
                out[c] = ((in[c] + in[channels + c]) + (in[row + c] + in[row + channels + c])) * 0.25F;
        }
}

SOS_INLINE void join(const s3svm_unet_field *from, const s3svm_unet_field *with, s3svm_unet_field *to)
{
    for (size_t y = 0; y < to->height; y++)
        for (size_t x = 0; x < to->width; x++) {
            const float *up = from->values + s3svm_unet_at(from, x / 2, y / 2);
            const size_t at = s3svm_unet_at(to, x, y);
            for (size_t c = 0; c < to->channels; c++) to->values[at + c] = up[c] + with->values[at + c];
        }
}

SOS_INLINE void forward(const s3svm_unet *u, s3svm_unet_fields *f)
{
    const float *numbers = u->numbers;
    for (size_t i = 0; i < LAST; i++) {
        const step *s = &STEPS[i];
        s3svm_unet_field *from = &f->field[s->from], *to = &f->field[i + 1];
        if (s->kind == HALVE)
            halve(from, to);
        else if (s->kind == JOIN)
            join(from, &f->field[s->with], to);
        else
            convolve(&(pass){ from, to, from->values, to->values, numbers, numbers + weights_of(i), s->kind == LEAKY });
        numbers += numbers_of(i);
    }
    const s3svm_unet_field *last = &f->field[LAST];
    for (size_t y = 0; y < last->height; y++)
        for (size_t x = 0; x < last->width; x++) {
            const float *in = last->values + s3svm_unet_at(last, x, y);
            float sum = numbers[last->channels];
            for (size_t c = 0; c < last->channels; c++) sum += numbers[c] * in[c];
            f->response[y * last->width + x] = sum;
        }
}

static void forward_plain(const s3svm_unet *u, s3svm_unet_fields *f) { forward(u, f); }
SOS_TARGET_AVX2 static void forward_avx2(const s3svm_unet *u, s3svm_unet_fields *f) { forward(u, f); }

void s3svm_unet_forward(const s3svm_unet *u, s3svm_unet_fields *f)
{
    if (sos_has_avx2())
        forward_avx2(u, f);
    else
        forward_plain(u, f);
}

/* ---------------------------------------------------------------- backwards */

/* The slope of the values, of which h is the outside, becomes that of the sums inside. */
SOS_INLINE void leaky_back(s3svm_unet_field *f)
{
    for (size_t y = 0; y < f->height; y++) {
        const size_t at = s3svm_unet_at(f, 0, y);
        for (size_t i = at; i < at + f->width * f->channels; i += S3SVM_PLACES) {
            const s3svm_places value = *s3svm_places_at(f->values + i);
            s3svm_places slope = *s3svm_places_at(f->slopes + i);
            s3svm_places_leaky(&value, &slope, &slope);
            *s3svm_places_to(f->slopes + i) = slope;
        }
    }
}

/* Adds a run of weights' slopes, of one row of pixels: taps 8 or 3. */
SOS_INLINE void run_slopes(const float *in, size_t channels, const float *slopes, size_t outputs, size_t width, size_t taps,
                           float *gradient)
{
    s3svm_places sum[BLOCK] = { 0 };
    for (size_t x = 0; x < width; x++) {
        const s3svm_places slope = *s3svm_places_at(slopes + x * outputs);
        for (size_t i = 0; i < taps; i++) sum[i] += in[x * channels + i] * slope;
    }
    for (size_t i = 0; i < taps; i++) *s3svm_places_to(gradient + i * outputs) += sum[i];
}

SOS_INLINE void weights_slopes(const s3svm_unet_field *from, const s3svm_unet_field *to, float *gradient)
{
    const size_t channels = from->channels, outputs = to->channels, run = SIDE * channels;
    for (size_t y = 0; y < to->height; y++)
        for (size_t below = 0; below < SIDE; below++) {
            const float *in = from->values + s3svm_unet_at(from, 0, y + below) - (from->width + 3) * channels;
            for (size_t k = 0; k < outputs; k += S3SVM_PLACES) {
                const float *slopes = to->slopes + s3svm_unet_at(to, 0, y) + k;
                float *out = gradient + below * run * outputs + k;
                if (channels == 1)
                    run_slopes(in, 1, slopes, outputs, to->width, SIDE, out);
                else
                    for (size_t i = 0; i < run; i += BLOCK)
                        run_slopes(in + i, channels, slopes, outputs, to->width, BLOCK, out + i * outputs);
            }
        }
}

SOS_INLINE void offsets_slopes(const s3svm_unet_field *to, float *gradient)
{
    for (size_t y = 0; y < to->height; y++) {
        const float *slopes = to->slopes + s3svm_unet_at(to, 0, y);
        for (size_t x = 0; x < to->width; x++)
            for (size_t c = 0; c < to->channels; c++) gradient[c] += slopes[x * to->channels + c];
    }
}

/* The way back is a convolution as well, by the weights turned round. */
SOS_INLINE void weights_turn(size_t channels, size_t outputs, const float *w, float *turned)
{
    for (size_t tap = 0; tap < TAPS; tap++)
        for (size_t k = 0; k < outputs; k++)
            for (size_t c = 0; c < channels; c++)
                turned[(tap * outputs + k) * channels + c] = w[((TAPS - 1 - tap) * channels + c) * outputs + k];
}

SOS_INLINE void convolve_back(s3svm_unet_field *from, s3svm_unet_field *to, const step *s, const float *weights, float *turned,
                              float *gradient)
{
    if (s->kind == LEAKY) leaky_back(to);
    weights_slopes(from, to, gradient);
    offsets_slopes(to, gradient + TAPS * from->channels * to->channels);
    if (from->channels < S3SVM_PLACES) return; /* the picture */
    weights_turn(from->channels, to->channels, weights, turned);
    convolve(&(pass){ to, from, to->slopes, from->slopes, turned, NULL, false });
}

/* The larger field has a slope already: of where it was joined. */
SOS_INLINE void halve_back(s3svm_unet_field *from, const s3svm_unet_field *to)
{
    for (size_t y = 0; y < from->height; y++)
        for (size_t x = 0; x < from->width; x++) {
            float *out = from->slopes + s3svm_unet_at(from, x, y);
            const float *in = to->slopes + s3svm_unet_at(to, x / 2, y / 2);
            for (size_t c = 0; c < from->channels; c++) out[c] += in[c] * 0.25F;
        }
}

SOS_INLINE void join_back(s3svm_unet_field *from, s3svm_unet_field *with, const s3svm_unet_field *to)
{
    const size_t channels = to->channels, row = (to->width + 2) * channels;
    memcpy(with->slopes, to->slopes, row * (to->height + 2) * sizeof *to->slopes);
    for (size_t y = 0; y < from->height; y++)
        for (size_t x = 0; x < from->width; x++) {
            const float *in = to->slopes + s3svm_unet_at(to, 2 * x, 2 * y);
            float *out = from->slopes + s3svm_unet_at(from, x, y);
            for (size_t c = 0; c < channels; c++) out[c] = (in[c] + in[channels + c]) + (in[row + c] + in[row + channels + c]);
        }
}

SOS_INLINE void response_back(const s3svm_unet_fields *f, const float *weights, float *gradient)
{
    const s3svm_unet_field *last = &f->field[LAST];
    for (size_t y = 0; y < last->height; y++)
        for (size_t x = 0; x < last->width; x++) {
            const size_t at = s3svm_unet_at(last, x, y);
            const float slope = f->response_slope[y * last->width + x];
            for (size_t c = 0; c < last->channels; c++) {
                gradient[c] += slope * last->values[at + c];
                last->slopes[at + c] = slope * weights[c];
            }
            gradient[last->channels] += slope;
        }
}

SOS_INLINE void backward(const s3svm_unet *u, s3svm_unet_fields *f, float gradient[])
{
    size_t at = 0;
    for (size_t i = 0; i < LAST; i++) at += numbers_of(i);
    response_back(f, u->numbers + at, gradient + at);
    for (size_t i = LAST; i-- > 0;) {
        const step *s = &STEPS[i];
        s3svm_unet_field *from = &f->field[s->from], *to = &f->field[i + 1];
        at -= numbers_of(i);
        if (s->kind == HALVE)
            halve_back(from, to);
        else if (s->kind == JOIN)
            join_back(from, &f->field[s->with], to);
        else
            convolve_back(from, to, s, u->numbers + at, f->turned, gradient + at);
    }
}

static void backward_plain(const s3svm_unet *u, s3svm_unet_fields *f, float gradient[]) { backward(u, f, gradient); }
SOS_TARGET_AVX2 static void backward_avx2(const s3svm_unet *u, s3svm_unet_fields *f, float gradient[])
{
    backward(u, f, gradient);
}

void s3svm_unet_backward(const s3svm_unet *u, s3svm_unet_fields *f, float gradient[])
{
    if (sos_has_avx2())
        backward_avx2(u, f, gradient);
    else
        backward_plain(u, f, gradient);
}
