/* unet.h - a small convolution network in the shape of a U (Ronneberger, Fischer and Brox, "U-Net: convolutional networks for
 * biomedical image segmentation", 2015) from a plane to a response at every pixel.
 *
 * Three sizes, whole, half and quarter, with 8, 16 and 24 channels; all convolutions are of 3 x 3 pixels, with zeros around the
 * picture.  What comes up from a smaller size is added to what the larger one had:
 *
 *     whole    1 > 8 > 8 --------------------------------- + > 8 > 8 > response
 *     half             8 > 16 > 16 ---------- + > 16 > 16 > 8
 *     quarter                     16 > 24 > 24 > 16
 *
 * 1 / (1 + exp(-response)) estimates how likely the label is 1.  All arithmetic is in a fixed order, so that results are the
 * same on every machine and for every number of threads. */
#ifndef S3SVM_VISION_UNET_H
#define S3SVM_VISION_UNET_H

#include <stdint.h>

#include <s3svm/plane.h>
#include <sos/work.h>

enum { S3SVM_UNET_NUMBERS = 23289 };

typedef struct s3svm_unet {
    float *numbers; /* layer by layer, weights and then offsets; of a weight, the output's channel runs fastest, then the
                     * input's, then what is right of a pixel, then what is below */
} s3svm_unet;

/* A network of zeros. */
SOS_MUST_USE sos_status s3svm_unet_create(s3svm_unet *out, sos_error *error);
void s3svm_unet_free(s3svm_unet *u); /* leaves it empty; an empty one is fine */

/* The responses of a picture; out has its size. */
SOS_MUST_USE sos_status s3svm_unet_apply(const s3svm_unet *u, const s3svm_plane *in, int threads, s3svm_plane *out,
                                         sos_error *error);

/* A picture to learn from, all borrowed. */
typedef struct s3svm_unet_picture {
    const s3svm_plane *plane;
    const uint8_t *truth, *care; /* 0 or not; care NULL: all pixels count */
    double share;                /* how often it is looked at, compared with others */
    size_t fold;                 /* the network with this number does not see it */
} s3svm_unet_picture;

typedef struct s3svm_unet_settings {
    size_t steps; /* of four patches of 96 x 96 pixels each */
    double rate;  /* of the first steps; it falls to 0 in equal steps */
    uint64_t seed;
    sos_work work;
} s3svm_unet_settings;

/* Fits networks by stochastic gradients (Kingma and Ba, "Adam: a method for stochastic optimization", 2015).  Three of four
 * patches are around a pixel of label 1; each is turned by any angle, mirrored or not, and larger or smaller.  On failure
 * networks are unchanged. */
SOS_MUST_USE sos_status s3svm_unet_train(size_t count, s3svm_unet networks[], size_t pictures,
                                         const s3svm_unet_picture picture[], const s3svm_unet_settings *settings,
                                         sos_error *error);

#endif
