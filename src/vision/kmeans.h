/* kmeans.h - clusters of points in any number of dimensions: the centres c_1 ... c_k that make
 *
 *     sum_i min_j |x_i - c_j|^2
 *
 * small, by Lloyd's iterations from several starts (Arthur and Vassilvitskii, "k-means++", 2007, each centre the best of some
 * draws).  The same for every number of threads.  Points are rows of d numbers, one after another. */
#ifndef S3SVM_VISION_KMEANS_H
#define S3SVM_VISION_KMEANS_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Numbers of points must be less: squares of differences, and their sums over 2^20 dimensions, are floats then. */
#define S3SVM_POINT_MOST 1e15F

typedef struct s3svm_kmeans_settings {
    size_t clusters;
    size_t starts;     /* the best of so many is returned */
    size_t iterations; /* of a start, at most */
    double tolerance;  /* a start ends when an iteration lowers the sum by less than this part of it; 0: when nothing moves */
    uint64_t seed;
    int threads; /* 0: all cores */
} s3svm_kmeans_settings;

/* So many clusters, 3 starts of at most 50 iterations, tolerance 1e-4, all cores. */
s3svm_kmeans_settings s3svm_kmeans_defaults(size_t clusters);

typedef struct s3svm_kmeans_result {
    double objective;  /* the sum above */
    size_t iterations; /* of the start that won */
    size_t start;      /* which that was */
    size_t empty;      /* clusters without points: only where there are fewer different points than clusters */
} s3svm_kmeans_result;

/* centres receives clusters * d numbers, labels the number of every point's nearest centre, the first of several; labels,
 * result and error may be NULL.  A cluster that loses all its points takes the point farthest from its centre. */
SOS_MUST_USE sos_status s3svm_kmeans(size_t n, size_t d, const float points[], const s3svm_kmeans_settings *settings,
                                     float centres[], uint32_t labels[], s3svm_kmeans_result *result, sos_error *error);

/* The nearest of k centres for every point, and its squared distance; distances may be NULL. */
SOS_MUST_USE sos_status s3svm_kmeans_assign(size_t n, size_t d, const float points[], size_t k, const float centres[],
                                            int threads, uint32_t labels[], float distances[], sos_error *error);

#endif
