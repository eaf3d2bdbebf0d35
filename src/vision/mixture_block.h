/* mixture_block.h - the density of 64 points at a time: a block of logarithms, component by component, then their largest, then
 * the sum of exponentials.  For mixture.c and mixture_learn.c. */
#ifndef S3SVM_VISION_MIXTURE_BLOCK_H
#define S3SVM_VISION_MIXTURE_BLOCK_H

#include <math.h>

#include "base/lanes.h"
#include "vision/mixture.h"

enum {
    S3SVM_MIXTURE_BLOCK = 64,         /* points: the logarithms of 5 components stay in the first cache */
    S3SVM_MIXTURE_THREADS_FROM = 4096 /* points; fewer are done before other threads have woken up */
};
#define S3SVM_MIXTURE_LOG_LEAST (-1e300) /* stands for the logarithm of nothing, and of what has overflowed */

/* One component of weight 0, and one of some weight > 0 (s3svm_mixture_set, unchecked). */
void s3svm_mixture_component_clear(s3svm_mixture *m, size_t c);
void s3svm_mixture_component_set(s3svm_mixture *m, size_t c, double weight, const double mean[], const double S[],
                                 const s3svm_mixture_ridge *wanted);
SOS_MUST_USE sos_status s3svm_mixture_ridge_check(const s3svm_mixture_ridge *r, sos_error *error);

/* The points of a block as columns; a block that is not full repeats its last point. */
SOS_INLINE void s3svm_mixture_take(size_t d, size_t count, const float points[], double x[])
{
    for (size_t l = 0; l < S3SVM_MIXTURE_BLOCK; l++)
        for (size_t j = 0; j < d; j++) x[j * S3SVM_MIXTURE_BLOCK + l] = (double)points[(l < count ? l : count - 1) * d + j];
}

/* offset - 1/2 |F (x - m)|^2 for four points of a block. */
SOS_INLINE void s3svm_mixture_log(const s3svm_mixture *m, size_t c, const double x[], sos_lanes *log)
{
    const size_t d = m->d;
    const double *F = m->whitening + c * d * d, *mean = m->mean + c * d;
    sos_lanes square = { 0 };
    for (size_t i = 0; i < d; i++) {
        sos_lanes y = { 0 };
        for (size_t j = 0; j <= i; j++) y += (*sos_lanes_at(x + j * S3SVM_MIXTURE_BLOCK) - mean[j]) * F[i * d + j];
        square += y * y;
    }
    *log = m->offset[c] - square * 0.5;
}

/* offset - 1/2 |F (x - m)|^2 in three dimensions. */
SOS_INLINE void s3svm_mixture_log_3(const s3svm_mixture *m, size_t c, const double x[], sos_lanes *log)
{
    const double *F = m->whitening + c * 9, *mean = m->mean + c * 3;
    const sos_lanes x0 = *sos_lanes_at(x) - mean[0], x1 = *sos_lanes_at(x + S3SVM_MIXTURE_BLOCK) - mean[1],
                    x2 = *sos_lanes_at(x + 2 * S3SVM_MIXTURE_BLOCK) - mean[2];
    const sos_lanes y0 = x0 * F[0], y1 = x0 * F[3] + x1 * F[4], y2 = x0 * F[6] + x1 * F[7] + x2 * F[8];
    *log = m->offset[c] - (y0 * y0 + y1 * y1 + y2 * y2) * 0.5;
}

/* Logarithms of the weighted densities of all components for four points, their largest, and the component whose density is
 * largest.  Components are S3SVM_MIXTURE_BLOCK numbers apart. */
SOS_INLINE void s3svm_mixture_point_logs(const s3svm_mixture *m, bool three, const double x[], double logs[], double largest[],
                                         double best[])
{
    const sos_lanes least = { S3SVM_MIXTURE_LOG_LEAST, S3SVM_MIXTURE_LOG_LEAST, S3SVM_MIXTURE_LOG_LEAST,
                              S3SVM_MIXTURE_LOG_LEAST };
    sos_lanes most = { -INFINITY, -INFINITY, -INFINITY, -INFINITY }, most_weighted = most, number = { 0 };
    for (size_t c = 0; c < m->components; c++) {
        const double here = (double)c;
        const sos_lanes name = { here, here, here, here };
        sos_lanes u;
        if (three)
            s3svm_mixture_log_3(m, c, x, &u);
        else
            s3svm_mixture_log(m, c, x, &u);
        sos_lanes_raise(&u, &least);
        const sos_flags better = u > most;
        const sos_lanes v = u + m->log_weight[c];
        sos_lanes_take(&number, &name, &better);
        sos_lanes_take(&most, &u, &better);
        sos_lanes_raise(&most_weighted, &v);
        *sos_lanes_to(logs + c * S3SVM_MIXTURE_BLOCK) = v;
    }
    *sos_lanes_to(largest) = most_weighted;
    *sos_lanes_to(best) = number;
}

SOS_INLINE void s3svm_mixture_logs(const s3svm_mixture *m, const double x[], double logs[], double largest[], double best[])
{
    const bool three = m->d == 3;
    for (size_t l = 0; three && l < S3SVM_MIXTURE_BLOCK; l += SOS_LANES)
        s3svm_mixture_point_logs(m, true, x + l, logs + l, largest + l, best + l);
    for (size_t l = 0; !three && l < S3SVM_MIXTURE_BLOCK; l += SOS_LANES)
        s3svm_mixture_point_logs(m, false, x + l, logs + l, largest + l, best + l);
}

/* Turns logarithms into exp(log - largest), in place; sum receives their sums. */
SOS_INLINE void s3svm_mixture_exponentials(size_t components, double logs[], const double largest[], double sum[])
{
    for (size_t l = 0; l < S3SVM_MIXTURE_BLOCK; l += SOS_LANES) {
        sos_lanes s = { 0 };
        for (size_t c = 0; c < components; c++) {
            sos_lanes e = *sos_lanes_at(logs + c * S3SVM_MIXTURE_BLOCK + l) - *sos_lanes_at(largest + l);
            sos_lanes_exp(&e);
            *sos_lanes_to(logs + c * S3SVM_MIXTURE_BLOCK + l) = e;
            s += e;
        }
        *sos_lanes_to(sum + l) = s;
    }
}

SOS_INLINE void s3svm_mixture_log_densities(const double largest[], double sum[])
{
    for (size_t l = 0; l < S3SVM_MIXTURE_BLOCK; l += SOS_LANES) {
        sos_lanes log = *sos_lanes_at(sum + l);
        sos_lanes_log(&log);
        *sos_lanes_to(sum + l) = *sos_lanes_at(largest + l) + log;
    }
}

#endif
