/* lesson.h - what models for labels learn from: settings of training, and examples made of folders. */
#ifndef SOS_LABEL_LESSON_H
#define SOS_LABEL_LESSON_H

#include <s3svm/task.h>

#include "tasks/own_maps.h"

/* Settings of s3svm train label. */
typedef struct sos_label_lesson_settings {
    int kind;          /* a sos_label_kind */
    const char *names; /* as sos_label_names_parse takes them; NULL: made for as many labels as there are */
    int64_t unknown;   /* the number of pixels without a label; -1: none */
    int64_t seed;
    bool balance;      /* all labels together count alike, however rare */
    sos_reals weights; /* what an error at a pixel of each label counts; none: 1 */
    sos_maps_options maps;
} sos_label_lesson_settings;

extern const sos_form sos_label_lesson_form;

/* The lesson of a sos_task. */
SOS_MUST_USE sos_status sos_label_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders,
                                              const char *validation, const sos_work *work, sos_lesson *out, sos_error *error);

#endif
