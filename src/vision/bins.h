/* bins.h - a number as a few features: how far it is between the knots around it.
 *
 * A weight per knot then stands for a function of the number that is piecewise linear between the knots and constant beyond the
 * first and the last one. */
#ifndef S3SVM_VISION_BINS_H
#define S3SVM_VISION_BINS_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Chooses up to count knots among the values, at quantiles: each stands for as many values as the others.  Knots increase;
 * there are fewer of them where values are equal, but at least one.  values, n > 0 of them and all finite, are sorted.
 * Returns the number of knots. */
size_t s3svm_bins_fit(size_t n, float values[], size_t count, float knots[]);

/* The two knots that a value lies between: knots[low] counts 1 - *share and knots[low + 1] counts *share.  Where there is one
 * knot only, low is 0 and *share 0. */
size_t s3svm_bins_place(size_t count, const float knots[], float value, float *share);

#endif
