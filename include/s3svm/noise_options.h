/* noise_options.h - options for noise: a model, one or several sigmas, a seed. */
#ifndef S3SVM_NOISE_OPTIONS_H
#define S3SVM_NOISE_OPTIONS_H

#include <s3svm/noise.h>
#include <s3svm/option.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_NOISES_MAX = 16 };

typedef struct s3svm_noise_options {
    int model; /* a s3svm_noise_model; negative: not given */
    s3svm_reals sigma;
    int64_t seed; /* negative: not given */
} s3svm_noise_options;

/* Rows for the option table of a struct with a member of type s3svm_noise_options, for up to most sigmas. */
/* clang-format off */
#define S3SVM_NOISE_OPTIONS(settings, member, most)                                                                              \
    { "noise", 0, S3SVM_SETS_CHOICE(settings, member.model), S3SVM_NOISE_MODELS,                                                   \
      "add noise to DIR/labels instead of reading DIR/images", 0, 0 },                                                         \
    { "sigma", 0, S3SVM_SETS_REALS(settings, member.sigma), "S",                                                                 \
      "standard deviation (default: plain 0.5 of the range, shifted 150 grey values)", 0, most },                              \
    { "seed", 0, S3SVM_SETS_INTEGER(settings, member.seed), "N", "seed of the noise (default 1)", 0, INT64_MAX }
/* clang-format on */

/* No option given: no noise. */
SOS_API s3svm_noise_options s3svm_noise_options_none(void);

SOS_MUST_USE SOS_API sos_status s3svm_noise_options_check(const s3svm_noise_options *o, sos_error *error);

/* The noises that the options describe, one for each sigma; number k has the seed plus k.  Returns their count, 0 if no option
 * was given. */
SOS_API size_t s3svm_noise_options_make(const s3svm_noise_options *o, s3svm_noise out[S3SVM_NOISES_MAX]);

#ifdef __cplusplus
}
#endif

#endif
