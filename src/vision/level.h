/* level.h - planes in which thin structures stand out alike whatever the light: the difference from the mean around a pixel, in
 * units of the deviation around it.
 *
 *     out = (x - m) / (s + least),   m: the mean of x under a Gaussian, s^2: that of (x - m)^2 under a wider one.
 *
 * Large black areas, such as the frame around a round field of view, count in neither and are 0 in the result, so that their
 * borders are no edges. */
#ifndef S3SVM_VISION_LEVEL_H
#define S3SVM_VISION_LEVEL_H

#include <stdint.h>

#include <s3svm/image.h>

typedef struct s3svm_level_settings {
    double near; /* standard deviation of the Gaussian of the mean, in pixels */
    double far;  /* of the one of the deviation */
    double least;
} s3svm_level_settings;

/* Pixels of a black area: all channels are below one sixteenth of the range in some square of 17 x 17 pixels that has the
 * pixel. frame receives 1 for each of them and 0 for others. */
SOS_MUST_USE sos_status s3svm_level_frame(const s3svm_image *picture, uint8_t frame[], sos_error *error);

/* Levels a plane of the size of its frame.  *out is created. */
SOS_MUST_USE sos_status s3svm_level(const s3svm_plane *in, const uint8_t frame[], const s3svm_level_settings *settings,
                                    s3svm_plane *out, sos_error *error);

#endif
