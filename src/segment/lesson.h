/* lesson.h - what models of segmentation learn from: settings of training, and the steps of lessons. */
#ifndef S3SVM_SEGMENT_LESSON_H
#define S3SVM_SEGMENT_LESSON_H

#include "tasks/lesson_steps.h"

/* Settings of s3svm train segment. */
typedef struct s3svm_segment_lesson_settings {
    int features; /* a s3svm_segment_features */
    int method;   /* a s3svm_segment_method */
    int64_t seed;
    int64_t samples;   /* pixels of each photograph that networks learn from; 0: the default */
    int64_t unsure;    /* the number of what nobody can be sure of, or S3SVM_UNSURE_TOLD */
    const char *cache; /* a folder to keep features in, or NULL */
    bool dialogues;    /* learn from simulated ones */
    bool evidence;     /* and what to make of a user's network in them */
    bool outlines;     /* labels found first are not the last word */
    int64_t split;     /* of the first folder, only what this split of an experiment learns from, from 1; 0: all */
    s3svm_maps_options maps;
} s3svm_segment_lesson_settings;

extern const s3svm_form s3svm_segment_lesson_form;
extern const s3svm_lesson_steps s3svm_segment_lesson_steps;

#endif
