/* confidence.h - how sure the labels of least energy are, piece by piece of the picture, and where to look next. */
#ifndef S3SVM_SEGMENT_CONFIDENCE_H
#define S3SVM_SEGMENT_CONFIDENCE_H

#include <s3svm/segmenter.h>
#include <sos/energy.h>

/* A picture with its energy; scale: what the energy's unit is worth. */
typedef struct s3svm_confidence_input {
    const sos_energy *energy;
    double scale;
    const s3svm_image *picture;
    const uint8_t *marked; /* of each pixel: somebody has said what it is */
    const sos_work *work;
} s3svm_confidence_input;

/* Fills confidence, a number for each pixel, and *out, whose place is in pixels of the picture. */
SOS_MUST_USE sos_status s3svm_confidence_find(const s3svm_confidence_input *in, float confidence[], s3svm_confidence *out,
                                              sos_error *error);

#endif
