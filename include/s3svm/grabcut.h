/* grabcut.h - object and background of a photograph from a few marked pixels (Rother, Kolmogorov and Blake, "GrabCut", 2004),
 * as OpenCV does it: a mixture of Gaussians of the colours of either side, and
 *
 *     E(y) = sum_i -log p(x_i | y_i) + sum_ij gamma / |ij| exp(-beta |x_i - x_j|^2) [y_i != y_j]
 *
 * over pixels that are not marked for certain and pairs of 8-neighbours at distance |ij|, where 1 / beta is twice the mean of
 * |x_i - x_j|^2.  Mixtures and labels are updated alternately. */
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
    size_t iterations;         /* maximal number; it stops earlier when nothing changes any more */
    double gamma;              /* strength of the pairs */
    uint64_t seed;             /* of the initial mixtures, found by k-means */
    s3svm_grabcut_step *steps; /* receives up to "iterations" steps, or NULL */
    sos_work work;             /* progress is called before every iteration */
    uint64_t reserved[8];      /* 0 */
} s3svm_grabcut_settings;

/* 5 components, 10 iterations, gamma 50, all cores, no callback. */
SOS_API s3svm_grabcut_settings s3svm_grabcut_defaults(void);

typedef struct s3svm_grabcut_result {
    size_t iterations;
    bool converged; /* further iterations would change nothing */
    bool one_sided; /* all pixels were object, or all background: no iteration was made */
    double beta;
    double seconds_start, seconds_mixtures, seconds_cut; /* k-means and pairs; learning and evaluating; minimising */
    uint64_t reserved[8];                                /* 0 */
} s3svm_grabcut_result;

/* Segments a photograph of 3 channels by marks of its size.  S3SVM_MARK_OBJECT and S3SVM_MARK_BACKGROUND do not change.  All
 * other marks are the initial labels, with S3SVM_MARK_NONE as background, and become S3SVM_MARK_PERHAPS_OBJECT or
 * S3SVM_MARK_PERHAPS_BACKGROUND, even if no iteration was made.  settings and result may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_grabcut(const s3svm_image *photograph, s3svm_image *marks,
                                              const s3svm_grabcut_settings *settings, s3svm_grabcut_result *result,
                                              sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
