/* key.c - classes of strengths, learned from pictures. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/features.h"

/* Strokes are 1 to 5 pixels wide.  Directions are best where the blur is about as wide as the strokes, and noise is gone. */
static const double BLUR = 2, BLUR_SEEN = 1.5; /* of the noisy picture, and of what networks see */
enum {
    STEPS = 8,
    LENGTH = 7, /* pixels of a line: tables of 128 costs */
    EVERY = 1   /* lines go through all pixels: on every second one they take half the time, and say less */
};

/* Shares of the pixels that are below a threshold, and below a knot: most of a drawing is paper. */
static const double THRESHOLDS[] = { 0.5, 0.75, 0.9 };
static const double KNOTS[] = { 0.001, 0.01, 0.05, 0.2, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999 };
enum { THRESHOLDS_COUNT = sizeof THRESHOLDS / sizeof *THRESHOLDS, KNOTS_COUNT = sizeof KNOTS / sizeof *KNOTS };

/* Thin structures: a long line tells what it is part of, so its direction must be fine; and there are lines only where one
 * is clear. */
enum { FAR_STEPS = 32, FAR_LENGTH = 25 };
static const double FAR_THRESHOLD = 0.93;

/* Long lines: 7 pixels that are 3 apart reach 9 to either side, where 8 steps would be off by almost 2 pixels.  On 10 drawings
 * of seed 101 (networks, sigma 1, learned from 10 others) networks alone have 3.00 % wrong pixels, lines 2.94, long lines
 * alone 2.95 and both 2.91. */
enum { LONG_STEPS = 16, LONG_STRIDE = 3, LONG_CLASS = 2 };

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Values at given shares of n sorted ones, each above the one before; where too few differ, a little apart.  Returns how many.
 */
static size_t quantiles_take(size_t n, const float sorted[], size_t shares, const double share[], size_t least, float out[])
{
    size_t count = 0;
    for (size_t i = 0; i < shares; i++) {
        const float x = sorted[(size_t)(share[i] * (double)(n - 1))];
        if (!count || x > out[count - 1]) out[count++] = x;
    }
    while (count < least) {
        out[count] = out[count - 1] + 1;
        count++;
    }
    return count;
}

/* The strengths of all pixels of all pictures. */
static sos_status strengths_take(const s3svm_denoise_features *f, size_t count, const s3svm_plane noisy[], int threads,
                                 float strengths[], sos_error *error)
{
    sos_status status = SOS_OK;
    size_t taken = 0;
    for (size_t i = 0; i < count && !status; i++) {
        s3svm_denoise_view view;
        status = s3svm_denoise_view_create(f, &noisy[i], threads, &view, error);
        if (status) break;
        memcpy(strengths + taken, view.where.strength, s3svm_plane_size(&noisy[i]) * sizeof *strengths);
        taken += s3svm_plane_size(&noisy[i]);
        s3svm_denoise_view_free(&view);
    }
    return status;
}

sos_status s3svm_denoise_key_learn(s3svm_denoise_features *f, bool far, size_t count, const s3svm_plane noisy[], int threads,
                                   sos_error *error)
{
    s3svm_denoise_key *k = &f->key;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += s3svm_plane_size(&noisy[i]);
    float *strengths = malloc(n * sizeof *strengths);
    if (!strengths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the strengths of %zu pixels", n);
    k->blur = s3svm_design_has_networks(&f->design) ? BLUR_SEEN : BLUR;
    const size_t length = far ? FAR_LENGTH : LENGTH;
    k->steps = far ? FAR_STEPS : STEPS;
    k->every = far ? 1 : EVERY;
    k->length = s3svm_design_has_lines(&f->design) || s3svm_design_has_long_lines(&f->design) ? length : 0;
    k->long_steps = LONG_STEPS;
    k->long_stride = LONG_STRIDE;
    const sos_status status = strengths_take(f, count, noisy, threads, strengths, error);
    if (!status) {
        qsort(strengths, n, sizeof *strengths, compare);
        k->thresholds = far ? quantiles_take(n, strengths, 1, &FAR_THRESHOLD, 1, k->threshold)
                            : quantiles_take(n, strengths, THRESHOLDS_COUNT, THRESHOLDS, 1, k->threshold);
        k->knots = quantiles_take(n, strengths, KNOTS_COUNT, KNOTS, 2, k->knot);
        k->long_class = k->thresholds < LONG_CLASS ? k->thresholds : LONG_CLASS;
    }
    free(strengths);
    return status;
}
