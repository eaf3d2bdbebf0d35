/* lesson.h - what models of thin structures learn from: settings of training, and the steps of lessons. */
#ifndef S3SVM_TRACE_LESSON_H
#define S3SVM_TRACE_LESSON_H

#include "tasks/lesson_steps.h"

/* Settings of s3svm train trace. */
typedef struct s3svm_trace_lesson_settings {
    int kind;        /* a s3svm_trace_kind */
    int64_t samples; /* pixels that networks learn from; 0: the default */
    int64_t seed;    /* of what is drawn at random while networks learn */
    double missed, broken;
    s3svm_maps_options maps;
} s3svm_trace_lesson_settings;

extern const s3svm_form s3svm_trace_lesson_form;
extern const s3svm_lesson_steps s3svm_trace_lesson_steps;

#endif
