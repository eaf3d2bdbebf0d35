/* view.c - what is measured in a noisy picture. */
#include "base/clock.h"
#include "base/elementary.h"
#include "denoise/features.h"

void s3svm_denoise_view_free(s3svm_denoise_view *v)
{
    s3svm_plane_free(&v->response);
    s3svm_directions_free(&v->where);
    s3svm_directions_free(&v->fine);
    *v = (s3svm_denoise_view){ 0 };
}

sos_status s3svm_denoise_directions(const s3svm_denoise_key *k, size_t steps, const s3svm_plane *noisy,
                                    const s3svm_plane *response, s3svm_directions *out, sos_error *error)
{
    if (!response->values) return s3svm_directions_find(noisy, k->blur, steps, out, error);
    s3svm_plane seen;
    sos_status status = s3svm_plane_create(noisy->width, noisy->height, &seen, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_plane_size(noisy); i++) seen.values[i] = (float)sos_logistic(-(double)response->values[i]);
    status = s3svm_directions_find(&seen, k->blur, steps, out, error);
    s3svm_plane_free(&seen);
    return status;
}

sos_status s3svm_denoise_view_create(const s3svm_denoise_features *f, const s3svm_plane *noisy, int threads,
                                     s3svm_denoise_view *out, sos_error *error)
{
    s3svm_denoise_view v = { 0 };
    sos_status status = SOS_OK;
    const double began = sos_seconds();
    if (s3svm_design_has_networks(&f->design)) status = s3svm_response_apply(&f->response, noisy, threads, &v.response, error);
    v.seconds_response = sos_seconds() - began;
    if (!status && s3svm_design_has_directions(&f->design))
        status = s3svm_denoise_directions(&f->key, f->key.steps, noisy, &v.response, &v.where, error);
    if (!status && s3svm_design_has_long_lines(&f->design))
        status = s3svm_denoise_directions(&f->key, f->key.long_steps, noisy, &v.response, &v.fine, error);
    v.seconds_directions = sos_seconds() - began - v.seconds_response;
    if (status)
        s3svm_denoise_view_free(&v);
    else
        *out = v;
    return status;
}
