#include <s3svm/noise_options.h>

#include "base/error.h"

sos_noise_options sos_noise_options_none(void) { return (sos_noise_options){ .model = -1, .seed = -1 }; }

sos_status sos_noise_options_check(const sos_noise_options *o, sos_error *error)
{
    if (o->sigma.count > SOS_NOISES_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--sigma takes up to %d numbers, not %zu", SOS_NOISES_MAX, o->sigma.count);
    for (size_t i = 0; i < o->sigma.count; i++)
        if (o->sigma.values[i] < 0)
            return sos_fail(error, SOS_ERR_ARGUMENT, "--sigma takes 0 or more, not %g", o->sigma.values[i]);
    return SOS_OK;
}

size_t sos_noise_options_make(const sos_noise_options *o, sos_noise out[SOS_NOISES_MAX])
{
    if (o->model < 0 && !o->sigma.count && o->seed < 0) return 0;
    const sos_noise usual = sos_noise_defaults(o->model < 0 ? SOS_NOISE_PLAIN : (sos_noise_model)o->model);
    const size_t count = o->sigma.count ? o->sigma.count : 1;
    for (size_t i = 0; i < count; i++) {
        out[i] = usual;
        if (o->sigma.count) out[i].sigma = o->sigma.values[i];
        out[i].seed = (o->seed < 0 ? usual.seed : (uint64_t)o->seed) + i;
    }
    return count;
}
