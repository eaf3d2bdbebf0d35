/* photo_features.h - features of a photograph that maps need, independent of the marks.
 *
 * Lengths are in sides of a square of as many pixels, so that they mean the same at every resolution. */
#ifndef S3SVM_SEGMENT_PHOTO_FEATURES_H
#define S3SVM_SEGMENT_PHOTO_FEATURES_H

#include "vision/distance.h"
#include "vision/superpixel_graph.h"
#include "vision/walk.h"

enum { S3SVM_PHOTO_TEXTURE = 5 }; /* numbers of a texture: a soft colour, and how rough the picture is, finely and coarsely */

typedef struct s3svm_photo_features {
    size_t width, height, n;
    double side;                          /* in pixels */
    float *lab;                           /* 3 n: colours */
    float *soft;                          /* 3 n: blurred, so that noise does not count */
    float *texture;                       /* S3SVM_PHOTO_TEXTURE n */
    s3svm_steps colour_steps;             /* for paths on which colours change little */
    s3svm_steps frame_steps;              /* the same, for paths that begin at the frame */
    s3svm_superpixel_graph small, large;  /* superpixels */
    s3svm_walk_graph near_walk, far_walk; /* steps between small ones that touch; and also between similar ones far away */
} s3svm_photo_features;

/* Of a photograph of 3 channels. */
SOS_MUST_USE sos_status s3svm_photo_features_create(const s3svm_image *photograph, int threads, s3svm_photo_features *out,
                                                    sos_error *error);
void s3svm_photo_features_free(s3svm_photo_features *s); /* leaves it empty; an empty one is fine */

#endif
