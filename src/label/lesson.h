/* lesson.h - what models for labels learn from: settings of training, and the steps of lessons. */
#ifndef S3SVM_LABEL_LESSON_H
#define S3SVM_LABEL_LESSON_H

#include "tasks/lesson_steps.h"

/* Settings of s3svm train label. */
typedef struct s3svm_label_lesson_settings {
    int kind;          /* a s3svm_label_kind */
    const char *names; /* as s3svm_label_names_parse takes them; NULL: made for as many labels as there are */
    int64_t unknown;   /* the number of pixels without a label; -1: none */
    int64_t seed;
    bool balance;        /* all labels together count alike, however rare */
    s3svm_reals weights; /* what an error at a pixel of each label counts; none: 1 */
    s3svm_maps_options maps;
} s3svm_label_lesson_settings;

extern const s3svm_form s3svm_label_lesson_form;
extern const s3svm_lesson_steps s3svm_label_lesson_steps;

#endif
