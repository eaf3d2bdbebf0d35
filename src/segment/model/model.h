/* model.h - inside a prepared model of segmentation. */
#ifndef S3SVM_SEGMENT_MODEL_H
#define S3SVM_SEGMENT_MODEL_H

#include "segment/model/parts.h"

struct s3svm_segment_model {
    s3svm_segment_parts *parts;
    sos_model *model;     /* groups and weights, without facts */
    double *hard_weights; /* with which no labelling that contradicts a mark is the best */
};

/* An example of a photograph without marks: all that is between its pixels, and maps of users. */
SOS_MUST_USE sos_status s3svm_segment_example_create(const s3svm_segment_model *p, const s3svm_segment_input *in,
                                                     sos_example **out, sos_error *error);

/* Sets, or sets again, the features of its pixels by the marks.  photo: of the photograph, or NULL.  response, if not NULL,
 * receives the log odds of all pixels, of a full model. */
SOS_MUST_USE sos_status s3svm_segment_example_mark(const s3svm_segment_model *p, const s3svm_segment_input *in,
                                                   const s3svm_photo *photo, sos_example *x, float response[],
                                                   sos_error *error);

/* As s3svm_segment_outline_learn, but from the second look that the model has, if it has one. */
SOS_MUST_USE sos_status s3svm_outline_adapt(sos_model *m, size_t count, const s3svm_marked pictures[], const sos_work *work,
                                            sos_error *error);

#endif
