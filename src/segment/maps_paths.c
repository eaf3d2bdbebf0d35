/* maps_paths.c - how far a pixel is from the marks: as the crow flies, and along paths on which little changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "segment/mapping.h"
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
static void ratio_of_distances(const sos_mapping *m, sos_segment_map map)
{
    const float *object = m->far[SOS_SEGMENT_OBJECT], *background = m->far[SOS_SEGMENT_BACKGROUND];
    float *ratio = sos_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++)
        ratio[i] = sos_mapping_has_both(m) ? object[i] / (object[i] + background[i] + DIVISOR_LEAST) : 0.5F;
}

static void logs_of_distances(const sos_mapping *m, size_t label, sos_segment_map map)
{
    float *logs = sos_mapping_map(m, map);
    for (size_t i = 0; i < m->n; i++) {
        const double far = m->count[label] ? (double)m->far[label][i] / m->scene->side : FARTHEST;
        logs[i] = (float)sos_log(far + NEAR);
    }
}

/* The three maps of distances that were found last. */
static void distances_map(const sos_mapping *m, sos_segment_map ratio, sos_segment_map object, sos_segment_map background)
{
    ratio_of_distances(m, ratio);
    logs_of_distances(m, SOS_SEGMENT_OBJECT, object);
    logs_of_distances(m, SOS_SEGMENT_BACKGROUND, background);
}

/* Distances from the marks along paths, both kinds at a time. */
static sos_status paths_find(sos_mapping *m, const sos_steps *steps, sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(m->threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for num_threads(used)
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++) {
        sos_error why;
        const sos_status status = sos_distance_geodesic(m->scene->width, m->scene->height, m->mask[k], steps, m->far[k], &why);
        if (status) sos_failure_note(&failure, k, status, &why);
    }
    return sos_failure_status(&failure, "label", error);
}

/* Distances along paths on which the chance of being object, by a ratio, changes little. */
static sos_status chances_find(sos_mapping *m, sos_segment_map ratio, double blur, sos_error *error)
{
    const sos_segment_scene *s = m->scene;
    sos_steps steps;
    for (size_t i = 0; i < m->n; i++) m->room[i] = (float)sos_logistic((double)sos_mapping_map(m, ratio)[i]);
    sos_status status = sos_colour_blur(s->width, s->height, 1, blur * s->side, m->threads, m->room, error);
    if (!status) status = sos_steps_create(s->width, s->height, 1, m->room, CHANCE_CONTRAST * s->side, &steps, error);
    if (status) return status;
    status = paths_find(m, &steps, error);
    sos_steps_free(&steps);
    return status;
}

static sos_status crow_find(sos_mapping *m, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++)
        status = sos_distance_euclidean(m->scene->width, m->scene->height, m->mask[k], m->threads, m->far[k], error);
    return status;
}

sos_status sos_mapping_paths(sos_mapping *m, sos_error *error)
{
    sos_status status = chances_find(m, SOS_MAP_SOFT_RATIO, 0, error);
    if (!status) distances_map(m, SOS_MAP_PATH_RATIO, SOS_MAP_PATH_OBJECT, SOS_MAP_PATH_BACKGROUND);
    if (!status) status = chances_find(m, SOS_MAP_REFINED_RATIO, REFINED_BLUR, error);
    if (!status) ratio_of_distances(m, SOS_MAP_REFINED_PATH);
    if (!status) status = paths_find(m, &m->scene->colour_steps, error);
    if (!status) distances_map(m, SOS_MAP_COLOUR_RATIO, SOS_MAP_COLOUR_OBJECT, SOS_MAP_COLOUR_BACKGROUND);
    if (!status) status = crow_find(m, error);
    if (!status) distances_map(m, SOS_MAP_EUCLID_RATIO, SOS_MAP_EUCLID_OBJECT, SOS_MAP_EUCLID_BACKGROUND);
    return status;
}

/* ---------------------------------------------------------------- the frame */

/* The frame of the picture, but where object marks are near, and background marks; distances are as the crow flies. */
static size_t frame_mask(const sos_mapping *m, uint8_t mask[])
{
    const size_t width = m->scene->width, height = m->scene->height;
    const double wide = FRAME_WIDTH * m->scene->side, clear = FRAME_CLEARANCE * m->scene->side;
    size_t count = 0;
    for (size_t i = 0; i < m->n; i++) {
        const double x = (double)(i % width), y = (double)(i / width);
        const double edge = fmin(fmin(x, (double)(width - 1) - x), fmin(y, (double)(height - 1) - y));
        const bool far = !m->count[SOS_SEGMENT_OBJECT] || (double)m->far[SOS_SEGMENT_OBJECT][i] > clear;
        count += mask[i] = (edge < wide && far) || m->mask[SOS_SEGMENT_BACKGROUND][i];
    }
    return count;
}

static sos_status frame_map(sos_mapping *m, const uint8_t mask[], size_t count, float far[], sos_error *error)
{
    const sos_segment_scene *s = m->scene;
    sos_status status = sos_distance_geodesic(s->width, s->height, mask, &s->frame_steps, far, error);
    for (size_t i = 0; i < m->n && !status; i++)
        sos_mapping_map(m, SOS_MAP_FRAME_PATH)[i] = (float)sos_log((double)far[i] / s->side + NEAR);
    if (!status) status = sos_mapping_logs(m, mask, count, 3, s->lab, error);
    for (size_t i = 0; i < m->n && !status; i++)
        sos_mapping_map(m, SOS_MAP_FRAME_LOG)[i] = (float)fmax(m->logs[i], SOS_SEGMENT_LOG_LEAST);
    return status;
}

sos_status sos_mapping_frame(sos_mapping *m, sos_error *error)
{
    uint8_t *mask = malloc(m->n);
    float *far = malloc(m->n * sizeof *far);
    sos_status status = mask && far ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a frame of %zu pixels", m->n);
    const size_t count = status ? 0 : frame_mask(m, mask);
    if (count) status = frame_map(m, mask, count, far, error);
    free(mask);
    free(far);
    return status;
}
