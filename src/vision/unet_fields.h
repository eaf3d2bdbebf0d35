/* unet_fields.h - what a network (unet.h) computes of one piece of a picture, forwards and, to learn, backwards. */
#ifndef S3SVM_VISION_UNET_FIELDS_H
#define S3SVM_VISION_UNET_FIELDS_H

#include "vision/unet.h"

enum { S3SVM_UNET_FIELDS = 17, S3SVM_UNET_STEP = 4 }; /* sides of pieces are multiples of it */

/* Channels of every pixel of a piece, with a border of zeros. */
typedef struct s3svm_unet_field {
    size_t width, height, channels;
    float *values, *slopes; /* the loss derived by the values; NULL if nothing is learned */
} s3svm_unet_field;

/* Where the channels of a pixel are, the first inner one being (0, 0). */
static inline size_t s3svm_unet_at(const s3svm_unet_field *f, size_t x, size_t y)
{
    return ((y + 1) * (f->width + 2) + x + 1) * f->channels;
}

typedef struct s3svm_unet_fields {
    s3svm_unet_field field[S3SVM_UNET_FIELDS]; /* the first is the input, with one channel */
    float *response, *response_slope;          /* without borders */
    float *turned;                             /* weights as the way back needs them */
} s3svm_unet_fields;

/* Zeros; width and height are multiples of S3SVM_UNET_STEP. */
SOS_MUST_USE sos_status s3svm_unet_fields_create(size_t width, size_t height, bool learns, s3svm_unet_fields *out,
                                                 sos_error *error);
void s3svm_unet_fields_free(s3svm_unet_fields *f);

/* From the input to the response. */
void s3svm_unet_forward(const s3svm_unet *u, s3svm_unet_fields *f);

/* From the slope of the response to that of all numbers, which is added to gradient. */
void s3svm_unet_backward(const s3svm_unet *u, s3svm_unet_fields *f, float gradient[]);

/* Random weights to begin with: responses are small, of a label that is rare. */
void s3svm_unet_start(uint64_t seed, float numbers[]);

#endif
