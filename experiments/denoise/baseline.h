/* baseline.h - what a learned model of denoising is compared with: methods of one or two parameters, tuned on a training set.
 *
 * Label 1 is ink (grey 0), label 0 paper (grey 1).  The three energies have the paper's unary terms, sum_i |x_i - grey(y_i)|.
 */
#ifndef S3SVM_EXPERIMENTS_DENOISE_BASELINE_H
#define S3SVM_EXPERIMENTS_DENOISE_BASELINE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/plane.h>

typedef enum s3svm_baseline_kind {
    S3SVM_BASELINE_THRESHOLD,     /* ink is what is darker than the parameter */
    S3SVM_BASELINE_MEDIAN,        /* the same for the median of a square around the pixel */
    S3SVM_BASELINE_POTTS4,        /* the parameter for each of the 4 neighbours with another label */
    S3SVM_BASELINE_POTTS8,        /* of the 8 neighbours, those across a corner count 1 / sqrt(2) */
    S3SVM_BASELINE_GENERIC_CUTS,  /* times the square root of the number of differing edges of each 2x2 patch */
    S3SVM_BASELINE_POTTS4_OFFSET, /* the same two where ink costs an offset more than its grey value says */
    S3SVM_BASELINE_GENERIC_CUTS_OFFSET,
    S3SVM_BASELINES
} s3svm_baseline_kind;

typedef struct s3svm_baseline {
    s3svm_baseline_kind kind;
    double parameter; /* a grey value, or the strength lambda >= 0 */
    size_t radius;    /* of the median, else 0 */
    double offset;    /* of those with an offset, else 0 */
} s3svm_baseline;

/* "threshold", "median", "potts4", "potts8", "generic-cuts", "potts4-offset", "generic-cuts-offset" */
const char *s3svm_baseline_name(s3svm_baseline_kind kind);

/* The parameters with the least mean fraction of wrong pixels over count pictures, which *training_error (may be NULL)
 * receives.  Grey values are tried in steps of 1/255, radii from 1 to 6; strengths from 2^-6 to 2^4 in steps of sqrt(2), then
 * around the best in steps of 2^(1/8), then of 2^(1/32); offsets from -0.9 to 0.9 in steps of 0.15, each with strengths in
 * steps of 2, then around the best in steps of 0.05 and of 0.0125, in turn with strengths.  threads: 0 means all cores; the
 * result is the same. */
SOS_MUST_USE sos_status s3svm_baseline_tune(s3svm_baseline_kind kind, size_t count, const s3svm_plane noisy[],
                                            const uint8_t *const truths[], int threads, s3svm_baseline *out,
                                            double *training_error, sos_error *error);

/* labels receives a label per pixel. */
SOS_MUST_USE sos_status s3svm_baseline_predict(const s3svm_baseline *b, const s3svm_plane *noisy, uint8_t labels[],
                                               sos_error *error);

#endif
