/* grabcut.h - object and background of a photograph from a few marked pixels (Rother, Kolmogorov and Blake, "GrabCut", 2004),
 * as OpenCV does it: a mixture of Gaussians of the colours of either side, and
 *
 *     E(y) = sum_i -log p(x_i | y_i) + sum_ij gamma / |ij| exp(-beta |x_i - x_j|^2) [y_i != y_j]
 *
 * over pixels that are not sure and pairs of 8-neighbours at distance |ij|, 1 / beta being twice the mean of |x_i - x_j|^2.
 * Mixtures and labels are found in turns. */
#ifndef S3SVM_GRABCUT_H
#define S3SVM_GRABCUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/image.h>
#include <s3svm/marks.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The energy of the labels before and after a cut, with the mixtures that the cut used.  after <= before. */
typedef struct s3svm_grabcut_step {
    double before, after;
} s3svm_grabcut_step;

typedef struct s3svm_grabcut_settings {
    size_t components;         /* of either mixture */
    size_t iterations;         /* at most: it ends when nothing changes any more */
    double gamma;              /* strength of the pairs */
    uint64_t seed;             /* of the first mixtures, by k-means */
    s3svm_grabcut_step *steps; /* iterations of them, to fill, or NULL */
    sos_work work;             /* its callback is called before every iteration; returning false ends it with SOS_CANCELLED */
    uint64_t reserved[8];      /* 0 */
} s3svm_grabcut_settings;

/* 5 components, 10 iterations, gamma 50, all cores, no callback. */
SOS_API s3svm_grabcut_settings s3svm_grabcut_defaults(void);

typedef struct s3svm_grabcut_result {
    size_t iterations;
    bool converged; /* more iterations would change nothing */
    bool one_sided; /* all pixels were object, or all background: there is nothing to learn, and nothing was done */
    double beta;
    double seconds_start, seconds_mixtures, seconds_cut; /* k-means and pairs; learning and evaluating; minimising */
    uint64_t reserved[8];                                /* 0 */
} s3svm_grabcut_result;

/* Segments a photograph of 3 channels by marks of its size.  Those that are sure stay as they are; all others say where to
 * begin, S3SVM_MARK_NONE as background, and become S3SVM_MARK_PERHAPS_OBJECT or S3SVM_MARK_PERHAPS_BACKGROUND, even where
 * nothing was done.  settings and result may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_grabcut(const s3svm_image *photograph, s3svm_image *marks,
                                              const s3svm_grabcut_settings *settings, s3svm_grabcut_result *result,
                                              sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
