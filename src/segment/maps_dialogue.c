/* maps_dialogue.c - how far a dialogue has come: how much is marked, what was marked last, and what was found before that. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/mapping.h"
#include "vision/marks.h"

/* Logarithms of distances are those of the distance in sides and this; where there is no such mark it is as far as no pixel
 * can be, as the crow flies and along paths. */
static const double NEAR = 0.01, FARTHEST = 1.5, FARTHEST_PATH = 10;

static const double DEPTH_MOST = 0.2;  /* sides: from there on the outline found before is far */
static const double SIZE_LEAST = 1e-4; /* of the picture: a click in a photograph of a megapixel */

typedef struct dialogue {
    const sos_mapping *m;
    uint8_t *mask;
    float *far, *other; /* distances */
    sos_error *error;
} dialogue;

/* The logarithms of distances from the mask, which has so many pixels: along paths where steps are given. */
static sos_status distance_map(const dialogue *d, size_t count, const sos_steps *steps, sos_segment_map map)
{
    const sos_segment_scene *s = d->m->scene;
    float *logs = sos_mapping_map(d->m, map);
    sos_status status = SOS_OK;
    if (count && steps) status = sos_distance_geodesic(s->width, s->height, d->mask, steps, d->far, d->error);
    if (count && !steps) status = sos_distance_euclidean(s->width, s->height, d->mask, d->m->threads, d->far, d->error);
    const double farthest = steps ? FARTHEST_PATH : FARTHEST;
    for (size_t i = 0; i < d->m->n && !status; i++)
        logs[i] = (float)sos_log((count ? (double)d->far[i] / s->side : farthest) + NEAR);
    return status;
}

static sos_status last_maps(const dialogue *d, const sos_image *last)
{
    size_t count = sos_marks_mask(last, SOS_MARK_OBJECT, d->mask);
    sos_status status = distance_map(d, count, NULL, SOS_MAP_LAST_OBJECT);
    count = sos_marks_mask(last, SOS_MARK_BACKGROUND, d->mask);
    if (!status) status = distance_map(d, count, NULL, SOS_MAP_LAST_BACKGROUND);
    count = 0;
    for (size_t i = 0; i < d->m->n; i++) count += d->mask[i] = sos_mark_is_sure(last->pixels[i]);
    return status ? status : distance_map(d, count, &d->m->scene->colour_steps, SOS_MAP_LAST_PATH);
}

static void size_map(const dialogue *d, size_t count, sos_segment_map map)
{
    const float size = (float)sos_log((double)count / (double)d->m->n + SIZE_LEAST);
    for (size_t i = 0; i < d->m->n; i++) sos_mapping_map(d->m, map)[i] = size;
}

/* Background that somebody marked, without the frame. */
static sos_status given_maps(const dialogue *d, const sos_image *given)
{
    const size_t object = sos_marks_mask(given, SOS_MARK_OBJECT, d->mask);
    const size_t background = sos_marks_mask(given, SOS_MARK_BACKGROUND, d->mask);
    size_map(d, object, SOS_MAP_SIZE_OBJECT);
    size_map(d, background, SOS_MAP_SIZE_BACKGROUND);
    const sos_status status = distance_map(d, background, NULL, SOS_MAP_GIVEN_BACKGROUND);
    return status ? status : distance_map(d, background, &d->m->scene->colour_steps, SOS_MAP_GIVEN_PATH);
}

/* Labels found before as +1 and -1, and how deep a pixel lies on its side, from -1 to 1.  Both are 0 before the first step. */
static sos_status before_maps(const dialogue *d, const uint8_t before[])
{
    const sos_segment_scene *s = d->m->scene;
    if (!before) return SOS_OK;
    sos_status status = sos_distance_euclidean(s->width, s->height, before, d->m->threads, d->far, d->error);
    for (size_t i = 0; i < s->n; i++) d->mask[i] = !before[i];
    if (!status) status = sos_distance_euclidean(s->width, s->height, d->mask, d->m->threads, d->other, d->error);
    for (size_t i = 0; i < s->n && !status; i++) {
        const double depth = (before[i] ? (double)d->other[i] : -(double)d->far[i]) / (DEPTH_MOST * s->side);
        sos_mapping_map(d->m, SOS_MAP_BEFORE)[i] = before[i] ? 1 : -1;
        sos_mapping_map(d->m, SOS_MAP_BEFORE_DEPTH)[i] = (float)fmax(-1, fmin(1, depth));
    }
    return status;
}

sos_status sos_mapping_dialogue(const sos_mapping *m, const sos_segment_turn *turn, sos_error *error)
{
    const dialogue d = { .m = m,
                         .mask = malloc(m->n),
                         .far = malloc(m->n * sizeof *d.far),
                         .other = malloc(m->n * sizeof *d.other),
                         .error = error };
    sos_status status = d.mask && d.far && d.other
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for the dialogue of %zu pixels", m->n);
    if (!status) status = before_maps(&d, turn->before);
    if (!status) status = last_maps(&d, turn->last);
    if (!status) status = given_maps(&d, turn->given);
    free(d.mask);
    free(d.far);
    free(d.other);
    return status;
}
