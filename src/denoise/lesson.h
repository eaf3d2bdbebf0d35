/* lesson.h - what models of denoising learn from: settings of training, and examples made of folders. */
#ifndef SOS_DENOISE_LESSON_H
#define SOS_DENOISE_LESSON_H

#include <s3svm/noise_options.h>
#include <s3svm/task.h>

#include "tasks/own_maps.h"

/* Settings of s3svm train denoise. */
typedef struct sos_denoise_lesson_settings {
    int kind; /* a sos_denoise_kind */
    sos_noise_options noise;
    sos_maps_options maps;
} sos_denoise_lesson_settings;

extern const sos_form sos_denoise_lesson_form;

/* The lesson of a sos_task. */
SOS_MUST_USE sos_status sos_denoise_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders,
                                                const char *validation, const sos_work *work, sos_lesson *out,
                                                sos_error *error);

#endif
