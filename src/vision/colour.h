/* colour.h - colours in which distances mean something, and their blur.  Values are rows of channels, pixel after pixel: points
 * for kmeans.h and mixture.h. */
#ifndef S3SVM_VISION_COLOUR_H
#define S3SVM_VISION_COLOUR_H

#include <s3svm/image.h>

/* CIE L*a*b* (D65) of an image of 1 or 3 channels in sRGB: L 0 ... 100, a and b about -110 ... 110.  lab receives three numbers
 * for each pixel.  To 1e-5, with the same bits on every machine. */
SOS_MUST_USE sos_status s3svm_colour_lab(const s3svm_image *image, int threads, float lab[], sos_error *error);

/* Gaussian blur in place, channel by channel, the border repeated outwards.  The kernel ends at 3 sigma; sigma 0 does nothing.
 */
SOS_MUST_USE sos_status s3svm_colour_blur(size_t width, size_t height, size_t channels, double sigma, int threads,
                                          float values[], sos_error *error);

#endif
