/* lesson.h - what models of denoising learn from: settings of training, and the steps of lessons. */
#ifndef S3SVM_DENOISE_LESSON_H
#define S3SVM_DENOISE_LESSON_H

#include <s3svm/noise_options.h>

#include "tasks/lesson_steps.h"

/* Settings of s3svm train denoise. */
typedef struct s3svm_denoise_lesson_settings {
    int kind; /* a s3svm_denoise_kind */
    s3svm_noise_options noise;
    int64_t samples; /* pixels that networks learn from; 0: the default */
    int64_t seed;    /* of what is drawn at random while features are learned */
    s3svm_maps_options maps;
} s3svm_denoise_lesson_settings;

extern const s3svm_form s3svm_denoise_lesson_form;
extern const s3svm_lesson_steps s3svm_denoise_lesson_steps;

#endif
