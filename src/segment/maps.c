#include "segment/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/assume.h"
#include "segment/mapping.h"
#include "vision/colour.h"
#include "vision/marks.h"

static sos_status marks_set(sos_mapping *m, const sos_image *marks, sos_error *error)
{
    static const uint8_t marks_of[SOS_SEGMENT_LABELS] = {
        [SOS_SEGMENT_BACKGROUND] = SOS_MARK_BACKGROUND, [SOS_SEGMENT_OBJECT] = SOS_MARK_OBJECT
    };
    uint8_t *mask = malloc(m->n);
    sos_status status = mask ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", m->n);
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++) {
        const sos_trace *set = &m->traces->sets[sos_mapping_marks(k)];
        sos_marks_mask(marks, marks_of[k], mask);
        status = sos_traces_set(m->traces, sos_mapping_marks(k), m->n, mask, error);
        m->mask[k] = set->mask;
        m->count[k] = set->count;
    }
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- places */

/* What object marks extend by, in sides, even if they are a point; and how many of their deviations are far, no matter how far.
 */
static const double SPREAD_LEAST = 0.02, FAR = 20;

/* Where the object marks are. */
typedef struct place {
    double x, y, spread_x, spread_y;
    double left, right, top, bottom;
} place;

static place place_of(const sos_mapping *m)
{
    const size_t width = m->scene->width;
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, count = (double)m->count[SOS_SEGMENT_OBJECT];
    place p = { .left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY };
    for (size_t i = 0; i < m->n; i++) {
        if (!m->mask[SOS_SEGMENT_OBJECT][i]) continue;
        const double x = (double)(i % width), y = (double)(i / width);
        x1 += x, y1 += y, x2 += x * x, y2 += y * y;
        p.left = fmin(p.left, x), p.right = fmax(p.right, x), p.top = fmin(p.top, y), p.bottom = fmax(p.bottom, y);
    }
    p.x = x1 / count, p.y = y1 / count;
    p.spread_x = sqrt(fmax(x2 / count - p.x * p.x, 0)) + SPREAD_LEAST * m->scene->side;
    p.spread_y = sqrt(fmax(y2 / count - p.y * p.y, 0)) + SPREAD_LEAST * m->scene->side;
    return p;
}

static void border_map(const sos_mapping *m)
{
    const size_t width = m->scene->width, height = m->scene->height;
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % width), y = (double)(i / width);
        const double edge = fmin(fmin(x, (double)(width - 1) - x), fmin(y, (double)(height - 1) - y));
        sos_mapping_map(m, SOS_MAP_BORDER)[i] = (float)(edge / m->scene->side);
    }
}

static void places_map(const sos_mapping *m)
{
    const place p = place_of(m);
    const double side = m->scene->side;
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % m->scene->width), y = (double)(i / m->scene->width);
        const double aside = (x - p.x) / p.spread_x, below = (y - p.y) / p.spread_y;
        const double out_x = fmax(fmax(p.left - x, x - p.right), 0), out_y = fmax(fmax(p.top - y, y - p.bottom), 0);
        sos_mapping_map(m, SOS_MAP_CENTRE)[i] = (float)fmin(sqrt(aside * aside + below * below), FAR);
        sos_mapping_map(m, SOS_MAP_ASIDE)[i] = (float)fmin(fabs(aside), FAR);
        sos_mapping_map(m, SOS_MAP_BELOW)[i] = (float)fmax(-FAR, fmin(FAR, below));
        sos_mapping_map(m, SOS_MAP_BOX)[i] = (float)(sqrt(out_x * out_x + out_y * out_y) / side);
        sos_mapping_map(m, SOS_MAP_EXTENT)[i] = (float)(sqrt(p.spread_x * p.spread_y) / side);
    }
}

/* ---------------------------------------------------------------- all */

static const double CUT_BLUR = 0.02; /* sides, 5 pixels of a picture of 75,000: what GrabCut says of the surroundings */

static sos_status blur_map(const sos_mapping *m, sos_segment_map map, sos_error *error)
{
    const sos_segment_scene *s = m->scene;
    return sos_colour_blur(s->width, s->height, 1, CUT_BLUR * s->side, m->threads, sos_mapping_map(m, map), error);
}

static sos_status traces_find(const sos_mapping *m, bool dialogue, sos_error *error)
{
    enum { WITHOUT_DIALOGUE = 10 };
    static const sos_trace_wish wishes[] = {
        { SOS_TRACE_OBJECT, SOS_TRACE_TEXTURE },   { SOS_TRACE_BACKGROUND, SOS_TRACE_TEXTURE },
        { SOS_TRACE_OBJECT, SOS_TRACE_LAB },       { SOS_TRACE_BACKGROUND, SOS_TRACE_LAB },
        { SOS_TRACE_OBJECT, SOS_TRACE_SOFT },      { SOS_TRACE_BACKGROUND, SOS_TRACE_SOFT },
        { SOS_TRACE_OBJECT, SOS_TRACE_PATH },      { SOS_TRACE_BACKGROUND, SOS_TRACE_PATH },
        { SOS_TRACE_OBJECT, SOS_TRACE_CROW },      { SOS_TRACE_BACKGROUND, SOS_TRACE_CROW },
        { SOS_TRACE_LAST, SOS_TRACE_PATH }, /* those of dialogues from here */
        { SOS_TRACE_GIVEN, SOS_TRACE_PATH },       { SOS_TRACE_GIVEN, SOS_TRACE_CROW },
        { SOS_TRACE_LAST_OBJECT, SOS_TRACE_CROW }, { SOS_TRACE_LAST_BACKGROUND, SOS_TRACE_CROW },
        { SOS_TRACE_BEFORE, SOS_TRACE_CROW },      { SOS_TRACE_NOT_BEFORE, SOS_TRACE_CROW }
    };
    const size_t all = sizeof wishes / sizeof *wishes;
    return sos_traces_find(m->traces, m->scene, dialogue ? all : WITHOUT_DIALOGUE, wishes, m->threads, error);
}

/* Several parts at a time, each on one thread. */
static sos_status parts_do(const sos_mapping *m, size_t count, sos_mapping_part *const parts[], sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(m->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        sos_mapping own = *m;
        sos_error why;
        own.threads = 1;
        const sos_status status = parts[i](&own, &why);
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "maps", error);
}

/* GrabCut from the marks, and all that follows from it. */
static sos_status refined_part(sos_mapping *m, sos_error *error)
{
    sos_status status = m->pieces ? sos_mapping_refine(m, error) : SOS_OK;
    if (!status && m->pieces) status = sos_mapping_refined_means(m, error);
    if (!status) status = sos_mapping_refined_paths(m, error);
    memcpy(sos_mapping_map(m, SOS_MAP_REFINED_SOFT), sos_mapping_map(m, SOS_MAP_REFINED_RATIO), m->n * sizeof(float));
    if (!status) status = blur_map(m, SOS_MAP_REFINED_SOFT, error);
    return status ? status : blur_map(m, SOS_MAP_GRABCUT, error);
}

static sos_status second_part(sos_mapping *m, sos_error *error)
{
    sos_status status = m->pieces ? sos_mapping_second(m, error) : SOS_OK;
    if (!status && m->pieces) status = sos_mapping_second_means(m, error);
    if (!status && m->pieces) status = sos_mapping_large_means(m, error);
    return status ? status : blur_map(m, SOS_MAP_SECOND, error);
}

static sos_status places_part(sos_mapping *m, sos_error *error)
{
    (void)error;
    sos_mapping_distances(m);
    border_map(m);
    if (m->count[SOS_SEGMENT_OBJECT]) places_map(m);
    return SOS_OK;
}

static sos_status maps_fill(sos_mapping *m, sos_error *error)
{
    enum { FIRST = 7, WITHOUT_PIECES = 3, THEN = 2 };
    static sos_mapping_part *const first[FIRST] = { sos_mapping_soft_paths, sos_mapping_frame, places_part,
                                                    sos_mapping_walk_far,   sos_mapping_walk,  sos_mapping_walk_colours,
                                                    sos_mapping_nearest };
    static sos_mapping_part *const then[THEN] = { refined_part, second_part };
    sos_mapping_colours(m);
    sos_status status = sos_mapping_pieces_create(m, error);
    if (!status) status = parts_do(m, m->pieces ? FIRST : WITHOUT_PIECES, first, error);
    if (!status) status = parts_do(m, THEN, then, error);
    sos_mapping_pieces_free(m);
    return status;
}

void sos_segment_view_free(sos_segment_view *v)
{
    free(v->maps);
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++) sos_mixture_free(&v->refined[k]);
    *v = (sos_segment_view){ 0 };
}

static sos_status view_fill(sos_mapping *m, const sos_image *marks, const sos_segment_turn *turn, sos_error *error)
{
    sos_status status = marks_set(m, marks, error);
    if (!status && turn) status = sos_mapping_turn(m, turn, error);
    if (!status) status = traces_find(m, turn, error);
    if (!status) status = maps_fill(m, error);
    if (!status && turn) sos_mapping_dialogue(m, turn);
    return status;
}

sos_status sos_segment_view_create(const sos_segment_scene *scene, const sos_image *marks, const sos_segment_turn *turn,
                                   int threads, sos_traces *traces, sos_segment_view *out, sos_error *error)
{
    sos_segment_view v = { .n = scene->n, .count = turn ? SOS_SEGMENT_DIALOGUE_MAPS : SOS_SEGMENT_MAPS };
    v.maps = calloc(v.count * v.n, sizeof *v.maps);
    if (!v.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", v.n);
    sos_traces once = { 0 };
    sos_mapping m = { .scene = scene, .n = scene->n, .threads = threads, .traces = traces ? traces : &once, .view = &v };
    const sos_status status = view_fill(&m, marks, turn, error);
    sos_traces_free(&once);
    if (status)
        sos_segment_view_free(&v);
    else
        *out = v;
    return status;
}

/* ---------------------------------------------------------------- of a photograph */

/* What a dialogue says, in blocks; what is not said is assumed in marks. */
typedef struct turning {
    sos_image marks, given, last;
    uint8_t *before;
} turning;

static void turning_free(turning *t)
{
    sos_image_free(&t->marks);
    sos_image_free(&t->given);
    sos_image_free(&t->last);
    free(t->before);
}

static sos_status turning_find(const sos_segment_input *in, const sos_segment_sight *sight, turning *t, sos_error *error)
{
    const sos_segment_moment *moment = in->moment;
    sos_status status = sos_blocks_marks(&sight->blocks, in->marks, &t->given, error);
    if (!status) status = sos_blocks_marks(&sight->blocks, in->marks, &t->marks, error);
    if (!status) status = sos_blocks_marks(&sight->blocks, moment ? moment->last : in->marks, &t->last, error);
    if (!status && moment && moment->before) {
        t->before = malloc(sight->scene.n);
        if (!t->before) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", sight->scene.n);
        sos_blocks_middle(&sight->blocks, moment->before, t->before);
    }
    return status ? status : sos_segment_assume(&sight->scene, in->threads, &t->marks, error);
}

sos_status sos_segment_view_find(const sos_segment_input *in, const sos_segment_sight *sight, bool dialogues,
                                 sos_segment_view *v, sos_error *error)
{
    turning t = { 0 };
    sos_status status = dialogues ? turning_find(in, sight, &t, error)
                                  : sos_blocks_marks(&sight->blocks, in->marks, &t.marks, error);
    if (!status) {
        const sos_segment_turn turn = { &t.given, &t.last, t.before };
        status = sos_segment_view_create(&sight->scene, &t.marks, dialogues ? &turn : NULL, in->threads, sight->traces, v,
                                         error);
    }
    turning_free(&t);
    return status;
}
