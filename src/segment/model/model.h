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

/* ---- somebody's own photographs (own_lesson.c) ---- */

/* What photographs show by dialogues with a model: examples of some of their moments, and the bands around the outlines that it
 * finds first.  Everything comes from the model as it is, and serves all models that go on from it: these have its networks, so
 * that the same marks look the same to them. */
typedef struct s3svm_own_lesson s3svm_own_lesson;

/* Of photographs with truths; borrows the model and nothing else. */
SOS_MUST_USE sos_status s3svm_own_lesson_create(const s3svm_segment_model *p, size_t count,
                                                const s3svm_marked *const photographs[], uint64_t seed, const sos_work *work,
                                                s3svm_own_lesson **out, sos_error *error);
void s3svm_own_lesson_free(s3svm_own_lesson *l); /* NULL is fine */

/* Lists the examples of those photographs of which chosen is as wanted; returns how many.  list has room for as many as
 * s3svm_own_lesson_examples says. */
size_t s3svm_own_lesson_examples(const s3svm_own_lesson *l);
size_t s3svm_own_lesson_list(const s3svm_own_lesson *l, const bool chosen[], bool wanted, sos_example *list[]);

/* Lets m look at outlines as the photographs that are chosen show, from the way that it looks at them. */
SOS_MUST_USE sos_status s3svm_own_lesson_outlines(const s3svm_own_lesson *l, const bool chosen[], const sos_work *work,
                                                  sos_model *m, sos_error *error);

#endif
