/* maps_paths.c - distances of pixels from the marks: Euclidean, and along paths on which little changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/colour.h"
#include "vision/perceptron.h"

/* Logarithms of distances are those of the distance and a hundredth of a side, 3 pixels of a picture of 75,000: nearer is not
 * told apart.  Where there is no such mark it is as far as no pixel can be. */
static const double NEAR = 0.01, FARTHEST = 10;

static const double REFINED_BLUR = 0.004; /* 1 pixel of 75,000, in sides: GrabCut's ratio is that of single pixels */
static const double CHANCE_CONTRAST = 1;  /* a chance that goes from 0 to 1 is worth one side */

/* The frame: so wide, in sides, and no nearer than this to what is marked as object, which may well touch it. */
static const double FRAME_WIDTH = 0.01, FRAME_CLEARANCE = 0.15;

static const float DIVISOR_LEAST = 1e-6F; /* of ratios, where both distances are 0 */

/* o / (o + b) */
static void ratio_map(const s3svm_mapping *m, const float object[], const float background[], s3svm_segment_map map)
{
    float *ratio = s3svm_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++)
        ratio[i] = s3svm_mapping_has_both(m) ? object[i] / (object[i] + background[i] + DIVISOR_LEAST) : 0.5F;
}

static void logs_map(const s3svm_mapping *m, size_t count, const float far[], s3svm_segment_map map)
{
    float *logs = s3svm_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++) logs[i] = (float)sos_log((count ? (double)far[i] / m->features->side : FARTHEST) + NEAR);
}

/* Distances from object and background marks, and the maps that are made of them. */
typedef struct distances {
    const float *object, *background;
    s3svm_segment_map ratio, object_log, background_log;
} distances;

static void distances_map(const s3svm_mapping *m, const distances *d)
{
    ratio_map(m, d->object, d->background, d->ratio);
    logs_map(m, m->count[S3SVM_SEGMENT_OBJECT], d->object, d->object_log);
    logs_map(m, m->count[S3SVM_SEGMENT_BACKGROUND], d->background, d->background_log);
}

void s3svm_mapping_distances(const s3svm_mapping *m)
{
    const distances paths = { s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_PATH),
                              s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_PATH),
                              S3SVM_MAP_COLOUR_RATIO, S3SVM_MAP_COLOUR_OBJECT, S3SVM_MAP_COLOUR_BACKGROUND };
    const distances crow = { s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_CROW),
                             s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_BACKGROUND, S3SVM_MARK_FEATURE_CROW),
                             S3SVM_MAP_EUCLID_RATIO, S3SVM_MAP_EUCLID_OBJECT, S3SVM_MAP_EUCLID_BACKGROUND };
    distances_map(m, &paths);
    distances_map(m, &crow);
}

/* ---------------------------------------------------------------- paths of a ratio */

sos_status s3svm_mapping_chance_paths(const s3svm_mapping *m, const float chances[], float *far[], sos_error *error)
{
    const s3svm_photo_features *s = m->features;
    s3svm_steps steps;
    sos_status status = s3svm_steps_create(s->width, s->height, 1, chances, CHANCE_CONTRAST * s->side, &steps, error);
    if (status) return status;
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS && !status; k++)
        status = s3svm_distance_geodesic(s->width, s->height, m->mask[k], &steps, far[k], error);
    s3svm_steps_free(&steps);
    return status;
}

/* Distances along paths on which the chance of being object, by a ratio, changes little. */
static sos_status chances_find(const s3svm_mapping *m, s3svm_segment_map ratio, double blur, float chances[], float *far[],
                               sos_error *error)
{
    const s3svm_photo_features *s = m->features;
    for (size_t i = 0; i < m->n; i++) chances[i] = (float)sos_logistic((double)s3svm_mapping_map(m, ratio)[i]);
    const sos_status status = s3svm_colour_blur(s->width, s->height, 1, blur * s->side, m->threads, chances, error);
    return status ? status : s3svm_mapping_chance_paths(m, chances, far, error);
}

/* Hands them on while they are there. */
static sos_status chances_map(const s3svm_mapping *m, s3svm_segment_map ratio, double blur,
                              void (*map)(const s3svm_mapping *m, const float object[], const float background[]),
                              sos_error *error)
{
    float *room = malloc((S3SVM_SEGMENT_LABELS + 1) * m->n * sizeof *room);
    if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for paths of %zu pixels", m->n);
    float *far[S3SVM_SEGMENT_LABELS] = { room + m->n, room + 2 * m->n };
    const sos_status status = chances_find(m, ratio, blur, room, far, error);
    if (!status) map(m, far[S3SVM_SEGMENT_OBJECT], far[S3SVM_SEGMENT_BACKGROUND]);
    free(room);
    return status;
}

static void soft_map(const s3svm_mapping *m, const float object[], const float background[])
{
    const distances soft = { object, background, S3SVM_MAP_PATH_RATIO, S3SVM_MAP_PATH_OBJECT, S3SVM_MAP_PATH_BACKGROUND };
    distances_map(m, &soft);
}

static void refined_map(const s3svm_mapping *m, const float object[], const float background[])
{
    ratio_map(m, object, background, S3SVM_MAP_REFINED_PATH);
}

sos_status s3svm_mapping_soft_paths(s3svm_mapping *m, sos_error *error)
{
    return chances_map(m, S3SVM_MAP_SOFT_RATIO, 0, soft_map, error);
}

sos_status s3svm_mapping_refined_paths(s3svm_mapping *m, sos_error *error)
{
    return chances_map(m, S3SVM_MAP_REFINED_RATIO, REFINED_BLUR, refined_map, error);
}

/* ---------------------------------------------------------------- the frame */

/* The frame of the picture, but where object marks are near, and background marks; distances are as the crow flies. */
static void frame_mask(const s3svm_mapping *m, uint8_t mask[])
{
    const size_t width = m->features->width, height = m->features->height;
    const double wide = FRAME_WIDTH * m->features->side, clear = FRAME_CLEARANCE * m->features->side;
    const float *object = s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_OBJECT, S3SVM_MARK_FEATURE_CROW);
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % width), y = (double)(i / width);
        const double edge = fmin(fmin(x, (double)(width - 1) - x), fmin(y, (double)(height - 1) - y));
        const bool far = !m->count[S3SVM_SEGMENT_OBJECT] || (double)object[i] > clear;
        mask[i] = (edge < wide && far) || m->mask[S3SVM_SEGMENT_BACKGROUND][i];
    }
}

sos_status s3svm_mapping_frame(s3svm_mapping *m, sos_error *error)
{
    static const s3svm_mark_query queries[] = { { S3SVM_MARK_SET_FRAME, S3SVM_MARK_FEATURE_TIGHT },
                                                { S3SVM_MARK_SET_FRAME, S3SVM_MARK_FEATURE_LAB } };
    uint8_t *mask = malloc(m->n);
    if (!mask) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a frame of %zu pixels", m->n);
    frame_mask(m, mask);
    sos_status status = s3svm_mark_features_set(m->mark_features, S3SVM_MARK_SET_FRAME, m->n, mask, error);
    free(mask);
    if (!status) status = s3svm_mark_features_find(m->mark_features, m->features, 2, queries, m->threads, error);
    if (status || !m->mark_features->sets[S3SVM_MARK_SET_FRAME].count) return status;
    logs_map(m, 1, s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_FRAME, S3SVM_MARK_FEATURE_TIGHT),
             S3SVM_MAP_FRAME_PATH);
    memcpy(s3svm_mapping_map(m, S3SVM_MAP_FRAME_LOG),
           s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_FRAME, S3SVM_MARK_FEATURE_LAB), m->n * sizeof(float));
    return SOS_OK;
}
