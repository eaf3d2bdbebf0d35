/* noise_options.c - options for noise. */
#include <s3svm/noise_options.h>

#include "base/error.h"

s3svm_noise_options s3svm_noise_options_none(void) { return (s3svm_noise_options){ .model = -1, .seed = -1 }; }

sos_status s3svm_noise_options_check(const s3svm_noise_options *o, sos_error *error)
{
    if (o->sigma.count > S3SVM_NOISES_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--sigma takes up to %d numbers, not %zu", S3SVM_NOISES_MAX, o->sigma.count);
    for (size_t i = 0; i < o->sigma.count; i++)
        if (o->sigma.values[i] < 0)
            return sos_fail(error, SOS_ERR_ARGUMENT, "--sigma must not be negative: %g", o->sigma.values[i]);
    return SOS_OK;
}

size_t s3svm_noise_options_make(const s3svm_noise_options *o, s3svm_noise out[S3SVM_NOISES_MAX])
{
    if (o->model < 0 && !o->sigma.count && o->seed < 0) return 0;
    const s3svm_noise usual = s3svm_noise_defaults(o->model < 0 ? S3SVM_NOISE_PLAIN : (s3svm_noise_model)o->model);
    const size_t count = o->sigma.count ? o->sigma.count : 1;
    for (size_t i = 0; i < count; i++) {
        out[i] = usual;
        if (o->sigma.count) out[i].sigma = o->sigma.values[i];
        out[i].seed = (o->seed < 0 ? usual.seed : (uint64_t)o->seed) + i;
    }
    return count;
}
