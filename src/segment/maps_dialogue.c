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

/* ---------------------------------------------------------------- sets */

static void sure_mask(const sos_image *marks, uint8_t mask[])
{
    for (size_t i = 0; i < sos_image_size(marks); i++) mask[i] = sos_mark_is_sure(marks->pixels[i]);
}

static sos_status before_set(const sos_mapping *m, const uint8_t before[], uint8_t mask[], sos_error *error)
{
    for (size_t i = 0; i < m->n; i++) mask[i] = !before[i];
    const sos_status status = sos_traces_set(m->traces, SOS_TRACE_NOT_BEFORE, m->n, mask, error);
    return status ? status : sos_traces_set(m->traces, SOS_TRACE_BEFORE, m->n, before, error);
}

sos_status sos_mapping_turn(const sos_mapping *m, const sos_segment_turn *turn, sos_error *error)
{
    sos_traces *t = m->traces;
    uint8_t *mask = malloc(m->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the dialogue of %zu pixels", m->n);
    sos_status status = turn->before ? before_set(m, turn->before, mask, error) : SOS_OK;
    sos_marks_mask(turn->last, SOS_MARK_OBJECT, mask);
    if (!status) status = sos_traces_set(t, SOS_TRACE_LAST_OBJECT, m->n, mask, error);
    sos_marks_mask(turn->last, SOS_MARK_BACKGROUND, mask);
    if (!status) status = sos_traces_set(t, SOS_TRACE_LAST_BACKGROUND, m->n, mask, error);
    sure_mask(turn->last, mask);
    if (!status) status = sos_traces_set(t, SOS_TRACE_LAST, m->n, mask, error);
    sos_marks_mask(turn->given, SOS_MARK_BACKGROUND, mask);
    if (!status) status = sos_traces_set(t, SOS_TRACE_GIVEN, m->n, mask, error);
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- maps */

/* The logarithms of distances from a set. */
static void distance_map(const sos_mapping *m, sos_trace_set set, sos_trace_kind kind, sos_segment_map map)
{
    const size_t count = m->traces->sets[set].count;
    const float *far = sos_traces_of(m->traces, set, kind);
    const double farthest = kind == SOS_TRACE_PATH ? FARTHEST_PATH : FARTHEST;
    float *logs = sos_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++) logs[i] = (float)sos_log((count ? (double)far[i] / m->scene->side : farthest) + NEAR);
}

static void size_map(const sos_mapping *m, size_t count, sos_segment_map map)
{
    const float size = (float)sos_log((double)count / (double)m->n + SIZE_LEAST);
    for (size_t i = 0; i < m->n; i++) sos_mapping_map(m, map)[i] = size;
}

/* Labels found before as +1 and -1, and how deep a pixel lies on its side, from -1 to 1.  Both are 0 before the first step. */
static void before_maps(const sos_mapping *m, const uint8_t before[])
{
    const sos_trace *object = &m->traces->sets[SOS_TRACE_BEFORE], *background = &m->traces->sets[SOS_TRACE_NOT_BEFORE];
    for (size_t i = 0; i < m->n; i++) {
        const sos_trace *other = before[i] ? background : object;
        const double far = other->count ? (double)other->values[SOS_TRACE_CROW][i] / (DEPTH_MOST * m->scene->side) : 1;
        sos_mapping_map(m, SOS_MAP_BEFORE)[i] = before[i] ? 1 : -1;
        sos_mapping_map(m, SOS_MAP_BEFORE_DEPTH)[i] = (float)(before[i] ? fmin(1, far) : -fmin(1, far));
    }
}

void sos_mapping_dialogue(const sos_mapping *m, const sos_segment_turn *turn)
{
    size_t counts[SOS_MARKS];
    if (turn->before) before_maps(m, turn->before);
    distance_map(m, SOS_TRACE_LAST_OBJECT, SOS_TRACE_CROW, SOS_MAP_LAST_OBJECT);
    distance_map(m, SOS_TRACE_LAST_BACKGROUND, SOS_TRACE_CROW, SOS_MAP_LAST_BACKGROUND);
    distance_map(m, SOS_TRACE_LAST, SOS_TRACE_PATH, SOS_MAP_LAST_PATH);
    distance_map(m, SOS_TRACE_GIVEN, SOS_TRACE_CROW, SOS_MAP_GIVEN_BACKGROUND);
    distance_map(m, SOS_TRACE_GIVEN, SOS_TRACE_PATH, SOS_MAP_GIVEN_PATH);
    sos_marks_count(turn->given, counts);
    size_map(m, counts[SOS_MARK_OBJECT], SOS_MAP_SIZE_OBJECT);
    size_map(m, counts[SOS_MARK_BACKGROUND], SOS_MAP_SIZE_BACKGROUND);
}
