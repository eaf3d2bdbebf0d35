/* lesson.h - what models of segmentation learn from: settings of training, and examples made of folders. */
#ifndef SOS_SEGMENT_LESSON_H
#define SOS_SEGMENT_LESSON_H

#include <s3svm/task.h>

#include "tasks/own_maps.h"

/* Settings of s3svm train segment. */
typedef struct sos_segment_lesson_settings {
    int features; /* a sos_segment_features */
    int method;   /* a sos_segment_method */
    int64_t seed;
    const char *cache; /* a folder to keep features in, or NULL */
    bool dialogues;    /* learn from simulated ones */
    bool outlines;     /* labels found first are not the last word */
    int64_t split;     /* of the first folder, only what this split of an experiment learns from, from 1; 0: all */
    sos_maps_options maps;
} sos_segment_lesson_settings;

extern const sos_form sos_segment_lesson_form;

/* The lesson of a sos_task. */
SOS_MUST_USE sos_status sos_segment_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders,
                                                const char *validation, const sos_work *work, sos_lesson *out,
                                                sos_error *error);

#endif
