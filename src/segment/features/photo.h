/* photo.h - what a full model computes of a photograph independent of the marks. */
#ifndef S3SVM_SEGMENT_PHOTO_H
#define S3SVM_SEGMENT_PHOTO_H

#include "segment/features/mark_features.h"
#include "vision/resample.h"

enum { S3SVM_SEGMENT_MAPS_PIXELS = 75000 }; /* of a photograph that maps are made of; larger ones are reduced */

typedef struct s3svm_photo {
    s3svm_blocks blocks;                /* what maps are made of */
    s3svm_photo_features features;      /* of their means */
    float *lab;                         /* 3 numbers for each pixel of the photograph: its colours */
    s3svm_mark_features *mark_features; /* what the last marks left: one thread at a time */
} s3svm_photo;

/* Of a photograph of 3 channels. */
SOS_MUST_USE sos_status s3svm_photo_create(const s3svm_image *photograph, int threads, s3svm_photo *out, sos_error *error);
void s3svm_photo_free(s3svm_photo *s); /* leaves it empty; an empty one is fine */

#endif
