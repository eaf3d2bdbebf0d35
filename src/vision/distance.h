/* distance.h - how far every pixel is from a set of pixels: along rows and columns, as the crow flies, or along paths whose
 * steps cost what the image says.  All are exact.  Where the set is empty, every distance is infinite. */
#ifndef S3SVM_VISION_DISTANCE_H
#define S3SVM_VISION_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#include <s3svm/image.h>

#include "base/error.h"

/* Whether distances in an image of this size can be found; mask and distances: whether they were given. */
SOS_MUST_USE static inline sos_status s3svm_distance_check(size_t width, size_t height, const void *mask, const void *distances,
                                                           sos_error *error)
{
    if (!width || !height || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_SIDE_MAX ||
        width > S3SVM_IMAGE_PIXELS_MAX / height)
        return sos_fail(error, SOS_ERR_RANGE, "distances in an image of %zu by %zu pixels", width, height);
    if (!mask || !distances) return sos_fail(error, SOS_ERR_ARGUMENT, "no mask or no place for distances was given");
    return SOS_OK;
}

/* |dx| + |dy| to the nearest pixel whose mask is not 0.  Two passes. */
SOS_MUST_USE sos_status s3svm_distance_city(size_t width, size_t height, const uint8_t mask[], float distances[],
                                            sos_error *error);

/* sqrt(dx^2 + dy^2) likewise, rounded once.  Linear time (Meijster, Roerdink and Hesselink, 2000; Felzenszwalb and
 * Huttenlocher, 2012): down and up the columns, then the lower envelope of one parabola for each pixel of a row.  threads: 0
 * for all cores. */
SOS_MUST_USE sos_status s3svm_distance_euclidean(size_t width, size_t height, const uint8_t mask[], int threads,
                                                 float distances[], sos_error *error);

/* What a step from pixel i to a neighbour costs, in either direction: one number >= 0 for each pixel, of no effect where the
 * neighbour lies outside of the image; an infinite one is a wall.  Without diagonals (both NULL) pixels have 4 neighbours, with
 * them 8. */
typedef struct s3svm_steps {
    const float *right, *down;
    const float *down_right, *down_left;
    float *block; /* that s3svm_steps_create made; NULL for arrays of others */
} s3svm_steps;

/* The least cost of a path from the mask to every pixel, a cost being added to a float at every step.  Dijkstra's algorithm
 * with a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, 1990), whose keys are the bits of the distances: linear time but for a
 * factor of at most 32, whatever the costs are; 9 bytes a pixel. */
SOS_MUST_USE sos_status s3svm_distance_geodesic(size_t width, size_t height, const uint8_t mask[], const s3svm_steps *steps,
                                                float distances[], sos_error *error);

/* Steps for that of
 *
 *     |ij| + contrast * |x_i - x_j|,
 *
 * x being points of so many channels side by side and |ij| 1 or the square root of 2.  steps receives four pointers into one
 * array, to be freed by s3svm_steps_free. */
SOS_MUST_USE sos_status s3svm_steps_create(size_t width, size_t height, size_t channels, const float values[], double contrast,
                                           s3svm_steps *steps, sos_error *error);
void s3svm_steps_free(s3svm_steps *steps); /* leaves them empty */

#endif
