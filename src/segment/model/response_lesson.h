/* response_lesson.h - pixels that networks learn from. */
#ifndef S3SVM_SEGMENT_RESPONSE_LESSON_H
#define S3SVM_SEGMENT_RESPONSE_LESSON_H

#include "segment/features/features.h"

typedef struct s3svm_response_lesson {
    size_t inputs, count; /* maps; pixels */
    float *maps;          /* inputs numbers of each pixel, side by side */
    uint8_t *labels;      /* what each is */
    uint32_t *pictures;   /* where it comes from */
    size_t epochs;        /* how often each is seen */
    double decay, spread; /* as perceptron.h has them */
} s3svm_response_lesson;

/* With room for so many pixels, count 0. */
SOS_MUST_USE sos_status s3svm_response_lesson_create(size_t inputs, size_t room, s3svm_response_lesson *out, sos_error *error);
void s3svm_response_lesson_free(s3svm_response_lesson *l); /* leaves it empty; an empty one is fine */

/* Trains each network on the pixels of all pictures but its own; settings: seed and work. */
SOS_MUST_USE sos_status s3svm_response_learn(const s3svm_response_lesson *l, const s3svm_segment_settings *settings,
                                             s3svm_segment_response *r, sos_error *error);

/* ---- response_dialogues.c ---- */

/* Trains networks on simulated dialogues about photographs with truths, with or without marks of their own: first with simple
 * answers, then with those of the networks; settings: samples, seed and work. */
SOS_MUST_USE sos_status s3svm_response_learn_dialogues(size_t count, const s3svm_marked pictures[],
                                                       const s3svm_segment_settings *settings, s3svm_segment_response *r,
                                                       sos_error *error);

#endif
