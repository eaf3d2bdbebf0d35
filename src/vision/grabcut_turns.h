/* grabcut_turns.h - GrabCut over any variables that have colours, such as pixels and superpixels: mixtures of the colours of
 * either side, and a cut by them, in turns.
 *
 * A variable has one colour or several, the points; it costs share times the sum of -log p(x | side) over its points. */
#ifndef S3SVM_VISION_GRABCUT_TURNS_H
#define S3SVM_VISION_GRABCUT_TURNS_H

#include <sos/energy.h>

#include <s3svm/grabcut.h>

#include "vision/mixture.h"

typedef struct s3svm_grabcut_job {
    size_t variables;
    const uint8_t *marks; /* of variables; those that are sure keep their labels */
    sos_energy *energy;   /* pairs of variables, in units; unaries are set here */
    double unit;          /* costs are whole numbers of it: then flows are exact with 32 bits, and start from one another */
    double most;          /* no variable costs more; it outweighs all pairs of any variable */

    size_t points;
    const float *colours;     /* 3 each */
    const uint32_t *variable; /* of every point; NULL: point i is variable i */
    const uint32_t *order;    /* in which points are given to k-means; NULL: their own */
    double share;             /* how many pixels a point stands for */
    double log_least;         /* log densities are at least this */

    size_t components;         /* of either mixture */
    s3svm_mixture_ridge ridge; /* of their covariances */
    uint64_t seeds[2];         /* of k-means, background first */
    size_t iterations;         /* at most */
    bool cut_first;            /* the first cut is by the mixtures of k-means; else they are learned once more before it */
    bool labels_settle;        /* the end is when labels stay; else when all points stay in their components as well */
    s3svm_grabcut_step *steps; /* or NULL */
    sos_work work;
} s3svm_grabcut_job;

/* A power of two of which costs up to most take less than 2^29: 32-bit integers hold them, and sums of a few. */
double s3svm_grabcut_unit(double most);

/* labels: of variables, where to begin and the outcome.  mixtures receives those of the last cut, background first, to free;
 * one of a side without points is empty of weight.  result has iterations, converged and seconds.  On failure nothing is
 * changed but labels. */
SOS_MUST_USE sos_status s3svm_grabcut_turns(const s3svm_grabcut_job *job, uint8_t labels[], s3svm_mixture mixtures[2],
                                            s3svm_grabcut_result *result, sos_error *error);

#endif
