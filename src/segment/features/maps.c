#include "segment/features/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/features/assume.h"
#include "segment/features/mapping.h"
#include "vision/colour.h"
#include "vision/marks.h"

static sos_status marks_set(s3svm_mapping *m, const s3svm_image *marks, sos_error *error)
{
    static const uint8_t marks_of[S3SVM_SEGMENT_LABELS] = {
        [S3SVM_SEGMENT_BACKGROUND] = S3SVM_MARK_BACKGROUND, [S3SVM_SEGMENT_OBJECT] = S3SVM_MARK_OBJECT
    };
    uint8_t *mask = malloc(m->n);
    sos_status status = mask ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", m->n);
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS && !status; k++) {
        const s3svm_marked_set *set = &m->mark_features->sets[s3svm_mapping_marks(k)];
        s3svm_marks_mask(marks, marks_of[k], mask);
        status = s3svm_mark_features_set(m->mark_features, s3svm_mapping_marks(k), m->n, mask, error);
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

static place place_of(const s3svm_mapping *m)
{
    const size_t width = m->features->width;
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, count = (double)m->count[S3SVM_SEGMENT_OBJECT];
    place p = { .left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY };
    for (size_t i = 0; i < m->n; i++) {
        if (!m->mask[S3SVM_SEGMENT_OBJECT][i]) continue;
        const double x = (double)(i % width), y = (double)(i / width);
        x1 += x, y1 += y, x2 += x * x, y2 += y * y;
        p.left = fmin(p.left, x), p.right = fmax(p.right, x), p.top = fmin(p.top, y), p.bottom = fmax(p.bottom, y);
    }
    p.x = x1 / count, p.y = y1 / count;
    p.spread_x = sqrt(fmax(x2 / count - p.x * p.x, 0)) + SPREAD_LEAST * m->features->side;
    p.spread_y = sqrt(fmax(y2 / count - p.y * p.y, 0)) + SPREAD_LEAST * m->features->side;
    return p;
}

static void border_map(const s3svm_mapping *m)
{
    const size_t width = m->features->width, height = m->features->height;
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % width), y = (double)(i / width);
        const double edge = fmin(fmin(x, (double)(width - 1) - x), fmin(y, (double)(height - 1) - y));
        s3svm_mapping_map(m, S3SVM_MAP_BORDER)[i] = (float)(edge / m->features->side);
    }
}

static void places_map(const s3svm_mapping *m)
{
    const place p = place_of(m);
    const double side = m->features->side;
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % m->features->width), y = (double)(i / m->features->width);
        const double aside = (x - p.x) / p.spread_x, below = (y - p.y) / p.spread_y;
        const double out_x = fmax(fmax(p.left - x, x - p.right), 0), out_y = fmax(fmax(p.top - y, y - p.bottom), 0);
        s3svm_mapping_map(m, S3SVM_MAP_CENTRE)[i] = (float)fmin(sqrt(aside * aside + below * below), FAR);
        s3svm_mapping_map(m, S3SVM_MAP_ASIDE)[i] = (float)fmin(fabs(aside), FAR);
        s3svm_mapping_map(m, S3SVM_MAP_BELOW)[i] = (float)fmax(-FAR, fmin(FAR, below));
        s3svm_mapping_map(m, S3SVM_MAP_BOX)[i] = (float)(sqrt(out_x * out_x + out_y * out_y) / side);
        s3svm_mapping_map(m, S3SVM_MAP_EXTENT)[i] = (float)(sqrt(p.spread_x * p.spread_y) / side);
    }
}

/* ---------------------------------------------------------------- all */

static const double CUT_BLUR = 0.02; /* sides, 5 pixels of a picture of 75,000: what GrabCut says of the surroundings */

static sos_status blur_map(const s3svm_mapping *m, s3svm_segment_map map, sos_error *error)
{
    const s3svm_photo_features *s = m->features;
    return s3svm_colour_blur(s->width, s->height, 1, CUT_BLUR * s->side, m->threads, s3svm_mapping_map(m, map), error);
}

static sos_status traces_find(const s3svm_mapping *m, sos_error *error)
{
    enum { WITHOUT_DIALOGUE = 10 };
    static const s3svm_mark_query queries[] = {
        { S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_TEXTURE },   { S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_TEXTURE },
        { S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_LAB },       { S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_LAB },
        { S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_SOFT },      { S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_SOFT },
        { S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_PATH },      { S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_PATH },
        { S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_CROW },      { S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_CROW },
        { S3SVM_MARK_SET_LAST, S3SVM_MARK_FEATURE_PATH }, /* those of dialogues from here */
        { S3SVM_MARK_SET_GIVEN, S3SVM_MARK_FEATURE_PATH },       { S3SVM_MARK_SET_GIVEN, S3SVM_MARK_FEATURE_CROW },
        { S3SVM_MARK_SET_LAST_OBJECT, S3SVM_MARK_FEATURE_CROW }, { S3SVM_MARK_SET_LAST_BACKGROUND, S3SVM_MARK_FEATURE_CROW },
        { S3SVM_MARK_SET_BEFORE, S3SVM_MARK_FEATURE_CROW },      { S3SVM_MARK_SET_NOT_BEFORE, S3SVM_MARK_FEATURE_CROW },
        { S3SVM_MARK_SET_EVIDENCE, S3SVM_MARK_FEATURE_CROW },    { S3SVM_MARK_SET_NOT_EVIDENCE, S3SVM_MARK_FEATURE_CROW }
    };
    enum { ALL = sizeof queries / sizeof *queries, WITHOUT_EVIDENCE = ALL - 2 };
    const size_t count = !m->turn ? WITHOUT_DIALOGUE : m->turn->evidence ? ALL : WITHOUT_EVIDENCE;
    return s3svm_mark_features_find(m->mark_features, m->features, count, queries, m->threads, error);
}

/* Several parts at a time, each on one thread. */
static sos_status parts_do(const s3svm_mapping *m, size_t count, s3svm_mapping_part *const parts[], sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(m->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        s3svm_mapping own = *m;
        sos_error why;
        own.threads = 1;
        const sos_status status = parts[i](&own, &why);
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "maps", error);
}

/* GrabCut from the marks, and all that follows from it. */
static sos_status refined_part(s3svm_mapping *m, sos_error *error)
{
    sos_status status = m->pieces ? s3svm_mapping_refine(m, error) : SOS_OK;
    if (!status && m->pieces) status = s3svm_mapping_refined_means(m, error);
    if (!status) status = s3svm_mapping_refined_paths(m, error);
    memcpy(s3svm_mapping_map(m, S3SVM_MAP_REFINED_SOFT), s3svm_mapping_map(m, S3SVM_MAP_REFINED_RATIO), m->n * sizeof(float));
    if (!status) status = blur_map(m, S3SVM_MAP_REFINED_SOFT, error);
    return status ? status : blur_map(m, S3SVM_MAP_GRABCUT, error);
}

static sos_status second_part(s3svm_mapping *m, sos_error *error)
{
    sos_status status = m->pieces ? s3svm_mapping_second(m, error) : SOS_OK;
    if (!status && m->pieces) status = s3svm_mapping_second_means(m, error);
    if (!status && m->pieces) status = s3svm_mapping_large_means(m, error);
    return status ? status : blur_map(m, S3SVM_MAP_SECOND, error);
}

static sos_status places_part(s3svm_mapping *m, sos_error *error)
{
    (void)error;
    s3svm_mapping_distances(m);
    border_map(m);
    if (m->count[S3SVM_SEGMENT_OBJECT]) places_map(m);
    return SOS_OK;
}

static sos_status maps_fill(s3svm_mapping *m, sos_error *error)
{
    enum { FIRST = 8, WITHOUT_PIECES = 4, THEN = 2 };
    static s3svm_mapping_part *const first[FIRST] = { s3svm_mapping_soft_paths,   s3svm_mapping_frame,    places_part,
                                                      s3svm_mapping_evidence,     s3svm_mapping_walk_far, s3svm_mapping_walk,
                                                      s3svm_mapping_walk_colours, s3svm_mapping_nearest };
    static s3svm_mapping_part *const then[THEN] = { refined_part, second_part };
    s3svm_mapping_colours(m);
    sos_status status = s3svm_mapping_pieces_create(m, error);
    if (!status) status = parts_do(m, m->pieces ? FIRST : WITHOUT_PIECES, first, error);
    if (!status) status = parts_do(m, THEN, then, error);
    s3svm_mapping_pieces_free(m);
    return status;
}

void s3svm_segment_view_free(s3svm_segment_view *v)
{
    free(v->maps);
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++) s3svm_mixture_free(&v->refined[k]);
    *v = (s3svm_segment_view){ 0 };
}

static sos_status view_fill(s3svm_mapping *m, const s3svm_image *marks, sos_error *error)
{
    sos_status status = marks_set(m, marks, error);
    if (!status && m->turn) status = s3svm_mapping_turn(m, m->turn, error);
    if (!status && m->turn && m->turn->evidence) status = s3svm_mapping_evidence_sets(m, m->turn->evidence, error);
    if (!status) status = traces_find(m, error);
    if (!status) status = maps_fill(m, error);
    if (!status && m->turn) s3svm_mapping_dialogue(m, m->turn);
    return status;
}

static s3svm_segment_sight sight_of(const s3svm_segment_turn *turn)
{
    if (!turn) return S3SVM_SIGHT_MARKS;
    return turn->sees_evidence ? S3SVM_SIGHT_EVIDENCE : S3SVM_SIGHT_DIALOGUE;
}

sos_status s3svm_segment_view_create(const s3svm_photo_features *features, const s3svm_image *marks,
                                     const s3svm_segment_turn *turn, int threads, s3svm_mark_features *mark_features,
                                     s3svm_segment_view *out, sos_error *error)
{
    s3svm_segment_view v = { .n = features->n, .count = s3svm_segment_sight_maps(sight_of(turn)) };
    v.maps = calloc(v.count * v.n, sizeof *v.maps);
    if (!v.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", v.n);
    s3svm_mark_features once = { 0 };
    s3svm_mapping m = { .features = features,
                        .n = features->n,
                        .threads = threads,
                        .mark_features = mark_features ? mark_features : &once,
                        .turn = turn,
                        .view = &v };
    const sos_status status = view_fill(&m, marks, error);
    s3svm_mark_features_free(&once);
    if (status)
        s3svm_segment_view_free(&v);
    else
        *out = v;
    return status;
}

/* ---------------------------------------------------------------- of a photograph */

/* What a dialogue says, in blocks; what is not said is assumed in marks. */
typedef struct turning {
    s3svm_image marks, given, last;
    uint8_t *before;
    s3svm_maps evidence;
} turning;

static void turning_free(turning *t)
{
    s3svm_image_free(&t->marks);
    s3svm_image_free(&t->given);
    s3svm_image_free(&t->last);
    s3svm_maps_free(&t->evidence);
    free(t->before);
}

/* Log odds that leave less doubt are all alike. */
static const float EVIDENCE_MOST = 6;

static sos_status evidence_find(const s3svm_segment_input *in, const s3svm_photo *photo, turning *t, sos_error *error)
{
    if (!in->maps || !in->maps->values) return SOS_OK;
    const sos_status status = s3svm_blocks_maps(&photo->blocks, in->maps, &t->evidence, error);
    if (status) return status;
    float *x = t->evidence.values;
    for (size_t i = 0; i < photo->features.n; i++) x[i] = fmaxf(-EVIDENCE_MOST, fminf(EVIDENCE_MOST, x[i]));
    return SOS_OK;
}

static sos_status turning_find(const s3svm_segment_input *in, const s3svm_photo *photo, bool evidence, turning *t,
                               sos_error *error)
{
    const s3svm_segment_moment *moment = in->moment;
    sos_status status = s3svm_blocks_marks(&photo->blocks, in->marks, &t->given, error);
    if (!status) status = s3svm_blocks_marks(&photo->blocks, in->marks, &t->marks, error);
    if (!status) status = s3svm_blocks_marks(&photo->blocks, moment ? moment->last : in->marks, &t->last, error);
    if (!status && moment && moment->before) {
        t->before = malloc(photo->features.n);
        if (!t->before) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", photo->features.n);
        s3svm_blocks_middle(&photo->blocks, moment->before, t->before);
    }
    if (!status && evidence) status = evidence_find(in, photo, t, error);
    return status ? status : s3svm_segment_assume(&photo->features, t->evidence.values, in->threads, &t->marks, error);
}

sos_status s3svm_segment_view_find(const s3svm_segment_input *in, const s3svm_photo *photo, s3svm_segment_sight sight,
                                   s3svm_segment_view *v, sos_error *error)
{
    turning t = { 0 };
    const bool dialogue = sight != S3SVM_SIGHT_MARKS, evidence = sight == S3SVM_SIGHT_EVIDENCE;
    sos_status status = dialogue ? turning_find(in, photo, evidence, &t, error)
                                 : s3svm_blocks_marks(&photo->blocks, in->marks, &t.marks, error);
    if (!status) {
        const s3svm_segment_turn turn = { &t.given, &t.last, t.before, evidence, t.evidence.values };
        status = s3svm_segment_view_create(&photo->features, &t.marks, dialogue ? &turn : NULL, in->threads,
                                           photo->mark_features, v, error);
    }
    turning_free(&t);
    return status;
}
