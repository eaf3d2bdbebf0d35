/* grabcut.h - object and background of a photograph from a few marked pixels (Rother, Kolmogorov and Blake, "GrabCut", 2004),
 * as OpenCV does it: a mixture of Gaussians of the colours of either side, and
 *
 *     E(y) = sum_i -log p(x_i | y_i) + sum_ij gamma / |ij| exp(-beta |x_i - x_j|^2) [y_i != y_j]
 *
 * over pixels that are not sure and pairs of 8-neighbours at distance |ij|, 1 / beta being twice the mean of |x_i - x_j|^2.
 * Mixtures and labels are found in turns. */
#ifndef SOS_VISION_GRABCUT_H
#define SOS_VISION_GRABCUT_H

#include "vision/mixture.h"
#include <s3svm/image.h>

/* What a mask says of a pixel; OpenCV's numbers.  Odd: object. */
enum { SOS_GRABCUT_BACKGROUND, SOS_GRABCUT_OBJECT, SOS_GRABCUT_PERHAPS_BACKGROUND, SOS_GRABCUT_PERHAPS_OBJECT };

/* The energy of the labels before and after a cut, with the mixtures that the cut used.  after <= before. */
typedef struct sos_grabcut_step {
    double before, after;
} sos_grabcut_step;

typedef struct sos_grabcut_settings {
    size_t components;       /* of either mixture */
    size_t iterations;       /* at most: it ends when nothing changes any more */
    double gamma;            /* strength of the pairs */
    uint64_t seed;           /* of the first mixtures, by k-means */
    int threads;             /* 0: all cores; the result is the same */
    sos_grabcut_step *steps; /* iterations of them, to fill, or NULL */
    sos_progress *progress;  /* before every iteration, or NULL; returning false ends it with SOS_CANCELLED */
    void *user;
} sos_grabcut_settings;

/* 5 components, 10 iterations, gamma 50, all cores, no callback. */
sos_grabcut_settings sos_grabcut_defaults(void);

typedef struct sos_grabcut_result {
    size_t iterations;
    bool converged; /* more iterations would change nothing */
    bool one_sided; /* all pixels were object, or all background: there is nothing to learn, and nothing was done */
    double beta;
    double seconds_start, seconds_mixtures, seconds_cut; /* k-means and pairs; learning and evaluating; minimising */
} sos_grabcut_result;

/* Segments a photograph of 3 channels.  mask has one number for each pixel, as above; pixels that are sure stay as they are,
 * the others become SOS_GRABCUT_PERHAPS_OBJECT or SOS_GRABCUT_PERHAPS_BACKGROUND.  mixtures, if not NULL, receives those of
 * the last cut, background first, the caller's to free; empty ones where one_sided.  settings, result and error may be NULL. */
SOS_MUST_USE sos_status sos_grabcut(const sos_image *photograph, uint8_t mask[], const sos_grabcut_settings *settings,
                                    sos_mixture mixtures[2], sos_grabcut_result *result, sos_error *error);

/* The mask of a rectangle that holds the object: perhaps object inside, background outside.  What lies outside of the image is
 * cut off; a rectangle of which nothing is left is an error. */
SOS_MUST_USE sos_status sos_grabcut_rectangle(size_t width, size_t height, long x, long y, long rectangle_width,
                                              long rectangle_height, uint8_t mask[], sos_error *error);

#endif
