/* filter.h - smoothing of planes: Gaussian, median, and averages along short lines.
 *
 * Every filter writes a plane of the size of its input, made by the caller; input and output must not be the same plane.
 * Beyond its border a plane goes on as its mirror image, so that no pixel counts more than others. */
#ifndef S3SVM_VISION_FILTER_H
#define S3SVM_VISION_FILTER_H

#include <stddef.h>

#include <sos/status.h>

#include <s3svm/plane.h>

enum {
    S3SVM_FILTER_REACH_MAX = 1024, /* pixels from the middle of a filter to its end */
    S3SVM_FILTER_TURNS_MAX = 1000000
};

/* A plane with so many mirrored pixels more on every side.  *out is created. */
SOS_MUST_USE sos_status s3svm_filter_pad(const s3svm_plane *in, size_t margin, s3svm_plane *out, sos_error *error);

/* The kernel of a Gaussian ends where 0.3 % of it are left outside. */
enum { S3SVM_GAUSS_SIGMAS = 3 };
size_t s3svm_gauss_reach(double sigma); /* pixels from its middle to its end */

/* Weights of a pixel and of those 1 ... reach away; with both sides they sum to 1. */
void s3svm_gauss_kernel(double sigma, size_t reach, float kernel[]);

/* Gaussian of standard deviation sigma > 0, cut off at 3 sigma.  O(sigma) a pixel. */
SOS_MUST_USE sos_status s3svm_filter_gauss(const s3svm_plane *in, double sigma, s3svm_plane *out, sos_error *error);

/* Median of the (2 radius + 1)^2 pixels around each, their values rounded to multiples of 1/255 and clipped to 0 ... 1.
 * O(radius) a pixel. */
SOS_MUST_USE sos_status s3svm_filter_median(const s3svm_plane *in, size_t radius, s3svm_plane *out, sos_error *error);

/* A line through a pixel: it reaches so many pixels to both sides, in a direction given by its angle in turns (0: along the
 * row; 1/4: down the column), and passes the pixel at a distance `aside` (to the left of its direction in a picture whose rows
 * go down: a positive one is above a line of angle 0). */
typedef struct s3svm_line {
    double angle; /* at most S3SVM_FILTER_TURNS_MAX either way */
    double reach;
    double aside;
} s3svm_line;

/* The margin that a line needs at most. */
size_t s3svm_line_margin(const s3svm_line *line);

/* Mean along the line around each pixel: a sample at every step along the longer axis, interpolated between two pixels of the
 * other.  padded is the input with so many pixels of margin, at least s3svm_line_margin; out has the size without margin.
 * O(reach) a pixel.  Several threads may work on one padded plane. */
SOS_MUST_USE sos_status s3svm_filter_line(const s3svm_plane *padded, size_t margin, const s3svm_line *line, s3svm_plane *out,
                                          sos_error *error);

#endif
