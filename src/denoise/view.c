/* view.c - what is measured in a noisy picture. */
#include "base/clock.h"
#include "base/elementary.h"
#include "denoise/features.h"

void sos_denoise_view_free(sos_denoise_view *v)
{
    sos_plane_free(&v->response);
    sos_directions_free(&v->where);
    sos_directions_free(&v->fine);
    *v = (sos_denoise_view){ 0 };
}

sos_status sos_denoise_directions(const sos_denoise_key *k, size_t steps, const sos_plane *noisy, const sos_plane *response,
                                  sos_directions *out, sos_error *error)
{
    if (!response->values) return sos_directions_find(noisy, k->blur, steps, out, error);
    sos_plane seen;
    sos_status status = sos_plane_create(noisy->width, noisy->height, &seen, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(noisy); i++) seen.values[i] = (float)sos_logistic(-(double)response->values[i]);
    status = sos_directions_find(&seen, k->blur, steps, out, error);
    sos_plane_free(&seen);
    return status;
}

sos_status sos_denoise_view_create(const sos_denoise_features *f, const sos_plane *noisy, int threads, sos_denoise_view *out,
                                   sos_error *error)
{
    sos_denoise_view v = { 0 };
    sos_status status = SOS_OK;
    const double began = sos_seconds();
    if (sos_design_has_networks(&f->design)) status = sos_response_apply(&f->response, noisy, threads, &v.response, error);
    v.seconds_response = sos_seconds() - began;
    if (!status && sos_design_has_directions(&f->design))
        status = sos_denoise_directions(&f->key, f->key.steps, noisy, &v.response, &v.where, error);
    if (!status && sos_design_has_long_lines(&f->design))
        status = sos_denoise_directions(&f->key, f->key.long_steps, noisy, &v.response, &v.fine, error);
    v.seconds_directions = sos_seconds() - began - v.seconds_response;
    if (status)
        sos_denoise_view_free(&v);
    else
        *out = v;
    return status;
}
