#include "segment/sight.h"

#include <stdlib.h>

#include "base/error.h"
#include "vision/colour.h"

void sos_segment_sight_free(sos_segment_sight *s)
{
    sos_segment_scene_free(&s->scene);
    free(s->lab);
    if (s->traces) sos_traces_free(s->traces);
    free(s->traces);
    *s = (sos_segment_sight){ 0 };
}

static sos_status scene_find(sos_segment_sight *s, const sos_image *photograph, int threads, sos_error *error)
{
    sos_image small = { 0 };
    sos_status status = sos_blocks_mean(&s->blocks, photograph, &small, error);
    if (!status) status = sos_segment_scene_create(&small, threads, &s->scene, error);
    sos_image_free(&small);
    return status;
}

sos_status sos_segment_sight_create(const sos_image *photograph, int threads, sos_segment_sight *out, sos_error *error)
{
    const size_t n = sos_image_size(photograph);
    sos_segment_sight s = { .blocks = sos_blocks_within(photograph, SOS_SEGMENT_MAPS_PIXELS),
                            .lab = malloc(3 * n * sizeof *s.lab),
                            .traces = calloc(1, sizeof *s.traces) };
    sos_status status = s.lab && s.traces ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    if (!status) status = sos_colour_lab(photograph, threads, s.lab, error);
    if (!status) status = scene_find(&s, photograph, threads, error);
    if (status)
        sos_segment_sight_free(&s);
    else
        *out = s;
    return status;
}
