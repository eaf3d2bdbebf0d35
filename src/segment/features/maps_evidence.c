/* maps_evidence.c - what a user's network says of a photograph, and how far marks agree with it.
 *
 * The network knows nothing of marks: it may have found another object, or a part of this one.  So its log odds x come with
 * what marks say of them: how sure it is, and of what, under the marks; where its object is one piece with a mark; and where
 * paths along which it does not change its mind lead to. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/colour.h"
#include "vision/components.h"
#include "vision/marks.h"

static const double SOFT = 0.02;       /* sides, of the blur: the surroundings, as for the labels of GrabCut */
static const double DEPTH_MOST = 0.2;  /* sides: from there on its outline is far */
static const double SIZE_LEAST = 1e-3; /* of the photograph: smaller objects are all alike */
static const float FAR_LEAST = 1e-6F;  /* of both distances together, where they are 0 */

sos_status s3svm_mapping_evidence_sets(const s3svm_mapping *m, const float evidence[], sos_error *error)
{
    uint8_t *mask = malloc(m->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for evidence of %zu pixels", m->n);
    for (size_t i = 0; i < m->n; i++) mask[i] = evidence[i] > 0;
    sos_status status = s3svm_mark_features_set(m->mark_features, S3SVM_MARK_SET_EVIDENCE, m->n, mask, error);
    for (size_t i = 0; i < m->n; i++) mask[i] = !mask[i];
    if (!status) status = s3svm_mark_features_set(m->mark_features, S3SVM_MARK_SET_NOT_EVIDENCE, m->n, mask, error);
    free(mask);
    return status;
}

static void map_set(const s3svm_mapping *m, s3svm_segment_map map, double value)
{
    for (size_t i = 0; i < m->n; i++) s3svm_mapping_map(m, map)[i] = (float)value;
}

/* ---------------------------------------------------------------- agreement */

/* Twice the mean chance of being object, less 1, under the marks that were given; 0 without such.
 * *count receives how many there are. */
static double opinion_under(const s3svm_mapping *m, uint8_t mark, size_t *count)
{
    const s3svm_image *given = m->turn->given;
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (given->pixels[i] != mark) continue;
        sum += 2 * sos_logistic((double)m->turn->evidence[i]) - 1;
        ++*count;
    }
    return *count ? sum / (double)*count : 0;
}

/* From -1, marks say the contrary, to 1, they say the same, or there are none. */
static void agreement_maps(const s3svm_mapping *m)
{
    size_t objects, backgrounds;
    const double object = opinion_under(m, S3SVM_MARK_OBJECT, &objects),
                 background = opinion_under(m, S3SVM_MARK_BACKGROUND, &backgrounds);
    const double kinds = (double)(objects > 0) + (double)(backgrounds > 0),
                 trust = kinds > 0 ? (object - background) / kinds : 1;
    map_set(m, S3SVM_MAP_EVIDENCE_OBJECT, object);
    map_set(m, S3SVM_MAP_EVIDENCE_BACKGROUND, background);
    for (size_t i = 0; i < m->n; i++)
        s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE_TRUSTED)[i] = (float)(trust * (double)m->turn->evidence[i]);
}

/* ---------------------------------------------------------------- parts */

/* Which of the connected parts of what is called object have an object mark. */
static sos_status part_map(const s3svm_mapping *m, sos_error *error)
{
    const s3svm_marked_set *object = &m->mark_features->sets[S3SVM_MARK_SET_EVIDENCE];
    const uint8_t *given = m->turn->given->pixels;
    uint32_t *parts = malloc(m->n * sizeof *parts);
    size_t count = 0, marked = 0;
    sos_status status = parts ? s3svm_components(m->features->width, m->features->height, object->mask, parts, &count, error)
                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for parts of %zu pixels", m->n);
    bool *has_mark = calloc(count + 1, sizeof *has_mark);
    if (!status && !has_mark) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu parts", count);
    for (size_t i = 0; i < m->n && !status; i++) {
        if (given[i] != S3SVM_MARK_OBJECT) continue;
        has_mark[parts[i]] = true;
        marked++;
    }
    for (size_t i = 0; i < m->n && !status && marked; i++)
        if (object->mask[i]) s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE_PART)[i] = has_mark[parts[i]] ? 1 : -1;
    free(parts);
    free(has_mark);
    return status;
}

/* ---------------------------------------------------------------- places */

static void depth_map(const s3svm_mapping *m)
{
    const s3svm_marked_set *object = &m->mark_features->sets[S3SVM_MARK_SET_EVIDENCE],
                           *background = &m->mark_features->sets[S3SVM_MARK_SET_NOT_EVIDENCE];
    for (size_t i = 0; i < m->n; i++) {
        const s3svm_marked_set *other = object->mask[i] ? background : object;
        const double far = other->count ? (double)other->values[S3SVM_MARK_FEATURE_CROW][i] / (DEPTH_MOST * m->features->side)
                                        : 1;
        s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE_DEPTH)[i] = (float)(object->mask[i] ? fmin(1, far) : -fmin(1, far));
    }
}

static sos_status path_map(const s3svm_mapping *m, sos_error *error)
{
    float *room = malloc((S3SVM_SEGMENT_LABELS + 1) * m->n * sizeof *room);
    if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for paths of %zu pixels", m->n);
    float *far[S3SVM_SEGMENT_LABELS] = { room + m->n, room + 2 * m->n };
    for (size_t i = 0; i < m->n; i++) room[i] = (float)sos_logistic((double)m->turn->evidence[i]);
    const sos_status status = s3svm_mapping_chance_paths(m, room, far, error);
    const float *o = far[S3SVM_SEGMENT_OBJECT], *b = far[S3SVM_SEGMENT_BACKGROUND];
    for (size_t i = 0; i < m->n && !status && s3svm_mapping_has_both(m); i++)
        s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE_PATH)[i] = (b[i] - o[i]) / (b[i] + o[i] + FAR_LEAST);
    free(room);
    return status;
}

static sos_status soft_map(const s3svm_mapping *m, sos_error *error)
{
    const s3svm_photo_features *s = m->features;
    float *soft = s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE_SOFT);
    for (size_t i = 0; i < m->n; i++) soft[i] = m->turn->evidence[i];
    return s3svm_colour_blur(s->width, s->height, 1, SOFT * s->side, m->threads, soft, error);
}

sos_status s3svm_mapping_evidence(s3svm_mapping *m, sos_error *error)
{
    if (!m->turn || !m->turn->evidence) return SOS_OK;
    const size_t called = m->mark_features->sets[S3SVM_MARK_SET_EVIDENCE].count;
    for (size_t i = 0; i < m->n; i++) s3svm_mapping_map(m, S3SVM_MAP_EVIDENCE)[i] = m->turn->evidence[i];
    map_set(m, S3SVM_MAP_EVIDENCE_KNOWN, 1);
    map_set(m, S3SVM_MAP_EVIDENCE_SIZE, sos_log((double)called / (double)m->n + SIZE_LEAST));
    agreement_maps(m);
    depth_map(m);
    sos_status status = soft_map(m, error);
    if (!status) status = s3svm_mapping_evidence_means(m, error);
    if (!status) status = part_map(m, error);
    return status ? status : path_map(m, error);
}
