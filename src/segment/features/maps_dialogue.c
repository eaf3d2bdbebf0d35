/* maps_dialogue.c - how far a dialogue has come: how much is marked, what was marked last, and what was found before that. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/marks.h"

/* Logarithms of distances are those of the distance in sides and this; where there is no such mark it is as far as no pixel
 * can be, as the crow flies and along paths. */
static const double NEAR = 0.01, FARTHEST = 1.5, FARTHEST_PATH = 10;

static const double DEPTH_MOST = 0.2;  /* sides: from there on the outline found before is far */
static const double SIZE_LEAST = 1e-4; /* of the picture: a click in a photograph of a megapixel */

/* ---------------------------------------------------------------- sets */

static void sure_mask(const s3svm_image *marks, uint8_t mask[])
{
    for (size_t i = 0; i < s3svm_image_size(marks); i++) mask[i] = s3svm_mark_is_sure(marks->pixels[i]);
}

static sos_status before_set(const s3svm_mapping *m, const uint8_t before[], uint8_t mask[], sos_error *error)
{
    for (size_t i = 0; i < m->n; i++) mask[i] = !before[i];
    const sos_status status = s3svm_mark_features_set(m->mark_features, S3SVM_MARK_SET_NOT_BEFORE, m->n, mask, error);
    return status ? status : s3svm_mark_features_set(m->mark_features, S3SVM_MARK_SET_BEFORE, m->n, before, error);
}

sos_status s3svm_mapping_turn(const s3svm_mapping *m, const s3svm_segment_turn *turn, sos_error *error)
{
    s3svm_mark_features *t = m->mark_features;
    uint8_t *mask = malloc(m->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the dialogue of %zu pixels", m->n);
    sos_status status = turn->before ? before_set(m, turn->before, mask, error) : SOS_OK;
    s3svm_marks_mask(turn->last, S3SVM_MARK_OBJECT, mask);
    if (!status) status = s3svm_mark_features_set(t, S3SVM_MARK_SET_LAST_OBJECT, m->n, mask, error);
    s3svm_marks_mask(turn->last, S3SVM_MARK_BACKGROUND, mask);
    if (!status) status = s3svm_mark_features_set(t, S3SVM_MARK_SET_LAST_BACKGROUND, m->n, mask, error);
    sure_mask(turn->last, mask);
    if (!status) status = s3svm_mark_features_set(t, S3SVM_MARK_SET_LAST, m->n, mask, error);
    s3svm_marks_mask(turn->given, S3SVM_MARK_BACKGROUND, mask);
    if (!status) status = s3svm_mark_features_set(t, S3SVM_MARK_SET_GIVEN, m->n, mask, error);
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- maps */

/* The logarithms of distances from a set. */
static void distance_map(const s3svm_mapping *m, s3svm_mark_set set, s3svm_mark_feature kind, s3svm_segment_map map)
{
    const size_t count = m->mark_features->sets[set].count;
    const float *far = s3svm_mark_features_of(m->mark_features, set, kind);
    const double farthest = kind == S3SVM_MARK_FEATURE_PATH ? FARTHEST_PATH : FARTHEST;
    float *logs = s3svm_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++) logs[i] = (float)sos_log((count ? (double)far[i] / m->features->side : farthest) + NEAR);
}

static void size_map(const s3svm_mapping *m, size_t count, s3svm_segment_map map)
{
    const float size = (float)sos_log((double)count / (double)m->n + SIZE_LEAST);
    for (size_t i = 0; i < m->n; i++) s3svm_mapping_map(m, map)[i] = size;
}

/* Labels found before as +1 and -1, and how deep a pixel lies on its side, from -1 to 1.  Both are 0 before the first step. */
static void before_maps(const s3svm_mapping *m, const uint8_t before[])
{
    const s3svm_marked_set *object = &m->mark_features->sets[S3SVM_MARK_SET_BEFORE],
                           *background = &m->mark_features->sets[S3SVM_MARK_SET_NOT_BEFORE];
    for (size_t i = 0; i < m->n; i++) {
        const s3svm_marked_set *other = before[i] ? background : object;
        const double far = other->count ? (double)other->values[S3SVM_MARK_FEATURE_CROW][i] / (DEPTH_MOST * m->features->side)
                                        : 1;
        s3svm_mapping_map(m, S3SVM_MAP_BEFORE)[i] = before[i] ? 1 : -1;
        s3svm_mapping_map(m, S3SVM_MAP_BEFORE_DEPTH)[i] = (float)(before[i] ? fmin(1, far) : -fmin(1, far));
    }
}

void s3svm_mapping_dialogue(const s3svm_mapping *m, const s3svm_segment_turn *turn)
{
    size_t counts[S3SVM_MARKS];
    if (turn->before) before_maps(m, turn->before);
    distance_map(m, S3SVM_MARK_SET_LAST_OBJECT, S3SVM_MARK_FEATURE_CROW, S3SVM_MAP_LAST_OBJECT);
    distance_map(m, S3SVM_MARK_SET_LAST_BACKGROUND, S3SVM_MARK_FEATURE_CROW, S3SVM_MAP_LAST_BACKGROUND);
    distance_map(m, S3SVM_MARK_SET_LAST, S3SVM_MARK_FEATURE_PATH, S3SVM_MAP_LAST_PATH);
    distance_map(m, S3SVM_MARK_SET_GIVEN, S3SVM_MARK_FEATURE_CROW, S3SVM_MAP_GIVEN_BACKGROUND);
    distance_map(m, S3SVM_MARK_SET_GIVEN, S3SVM_MARK_FEATURE_PATH, S3SVM_MAP_GIVEN_PATH);
    s3svm_marks_count(turn->given, counts);
    size_map(m, counts[S3SVM_MARK_OBJECT], S3SVM_MAP_SIZE_OBJECT);
    size_map(m, counts[S3SVM_MARK_BACKGROUND], S3SVM_MAP_SIZE_BACKGROUND);
}
