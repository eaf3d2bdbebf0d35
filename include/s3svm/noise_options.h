/* noise_options.h - noise as people ask for it: a model, one or several sigmas, a seed. */
#ifndef S3SVM_NOISE_OPTIONS_H
#define S3SVM_NOISE_OPTIONS_H

#include <s3svm/noise.h>
#include <s3svm/option.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_NOISES_MAX = 16 };

typedef struct s3svm_noise_options {
    int model; /* a s3svm_noise_model; negative: not said, as seed */
    s3svm_reals sigma;
    int64_t seed;
} s3svm_noise_options;

/* Rows of the table of a struct with s3svm_noise_options as a member, for up to most noises. */
/* clang-format off */
#define S3SVM_NOISE_OPTIONS(settings, member, most)                                                                              \
    { "noise", 0, S3SVM_SETS_CHOICE(settings, member.model), S3SVM_NOISE_MODELS,                                                   \
      "add noise to DIR/labels instead of reading DIR/images", 0, 0 },                                                         \
    { "sigma", 0, S3SVM_SETS_REALS(settings, member.sigma), "S",                                                                 \
      "how strong (plain: 0.5 of the range; shifted: 150 grey values)", 0, most },                                             \
    { "seed", 0, S3SVM_SETS_INTEGER(settings, member.seed), "N", "of the noise (1)", 0, INT64_MAX }
/* clang-format on */

/* Nothing said: no noise. */
SOS_API s3svm_noise_options s3svm_noise_options_none(void);

SOS_MUST_USE SOS_API sos_status s3svm_noise_options_check(const s3svm_noise_options *o, sos_error *error);

/* The noises that are asked for, if anything is said: one for each sigma; number k has the seed plus k.  Returns how many. */
SOS_API size_t s3svm_noise_options_make(const s3svm_noise_options *o, s3svm_noise out[S3SVM_NOISES_MAX]);

#ifdef __cplusplus
}
#endif

#endif
