/* mixture.h - mixtures of Gaussians with full covariances, in few dimensions (3 for colours):
 *
 *     p(x) = sum_c w_c (2 pi)^(-d/2) |S_c|^(-1/2) exp(-1/2 (x - m_c)^T S_c^-1 (x - m_c))
 *
 * learned from points that belong to one component each, as GrabCut does it, or by expectation-maximisation.  The same for
 * every number of threads.  Points are rows of d numbers, one after another. */
#ifndef S3SVM_VISION_MIXTURE_H
#define S3SVM_VISION_MIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

enum { S3SVM_MIXTURE_DIMENSIONS_MAX = 32, S3SVM_MIXTURE_COMPONENTS_MAX = 255 };

typedef struct s3svm_mixture {
    size_t d, components;
    double *weight;     /* components; they sum to 1; a component of weight 0 takes no part */
    double *mean;       /* components * d */
    double *covariance; /* components * d * d */
    double *whitening; /* components * d * d: lower triangular F with F S F^T = 1, so that the exponent is -1/2 |F (x - m)|^2 */
    double *offset;    /* components: log (2 pi)^(-d/2) |S|^(-1/2) */
    double *log_weight; /* components */
    void *block;
} s3svm_mixture;

/* The remedy for covariances that are singular. */
typedef struct s3svm_mixture_ridge {
    double ridge;       /* added to the diagonal ... */
    double determinant; /* ... of covariances whose determinant is at most this; 0: of all */
} s3svm_mixture_ridge;

/* 0.01 where the determinant is at most 1e-6: for colours 0 ... 255. */
s3svm_mixture_ridge s3svm_mixture_ridge_grabcut(void);

/* A mixture whose components all have weight 0. */
SOS_MUST_USE sos_status s3svm_mixture_create(size_t components, size_t d, s3svm_mixture *out, sos_error *error);
void s3svm_mixture_free(s3svm_mixture *m); /* leaves it empty; an empty one is fine */

/* Sets a component.  The covariance, of which the lower triangle is read, gets the ridge, and if it is not positive definite
 * even then, a larger one.  ridge NULL: only that. */
SOS_MUST_USE sos_status s3svm_mixture_set(s3svm_mixture *m, size_t component, double weight, const double mean[],
                                          const double covariance[], const s3svm_mixture_ridge *ridge, sos_error *error);

/* Weights, means and covariances of the points that have each label, labels below the number of components; a label that no
 * point has leaves a component of weight 0. */
SOS_MUST_USE sos_status s3svm_mixture_learn(s3svm_mixture *m, size_t n, const float points[], const uint32_t labels[],
                                            const s3svm_mixture_ridge *ridge, sos_error *error);

/* Components by k-means (kmeans.h), one start of so many iterations, then s3svm_mixture_learn. */
SOS_MUST_USE sos_status s3svm_mixture_start(s3svm_mixture *m, size_t n, const float points[], size_t iterations, uint64_t seed,
                                            const s3svm_mixture_ridge *ridge, int threads, sos_error *error);

/* Expectation-maximisation from m as it is, until the mean log-likelihood rises by less than tolerance or the iterations are
 * used up.  *mean_log, if not NULL, receives the mean log-likelihood of the mixture before the last iteration: of the one that
 * is returned it is only known that it is at least that, but for the ridge. */
SOS_MUST_USE sos_status s3svm_mixture_improve(s3svm_mixture *m, size_t n, const float points[], size_t iterations,
                                              double tolerance, const s3svm_mixture_ridge *ridge, int threads, double *mean_log,
                                              sos_error *error);

/* log p(x) of every point into log_density, and into best the component of the largest density, not counting weights; the
 * first of several.  Either may be NULL.  A mixture without a component of weight > 0 gives -1e300. */
void s3svm_mixture_evaluate(const s3svm_mixture *m, size_t n, const float points[], double log_density[], uint8_t best[],
                            int threads);

#endif
