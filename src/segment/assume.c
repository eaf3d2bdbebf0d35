#include "segment/assume.h"

#include <stdlib.h>

#include "base/error.h"
#include "segment/mapping.h"
#include "vision/marks.h"

enum { MARGIN = 8 }; /* the middle is the sides less 1 / MARGIN on either end */

bool sos_segment_is_middle(const sos_image *picture, size_t i)
{
    const size_t width = picture->width, height = picture->height, x = i % width, y = i / width;
    return x >= width / MARGIN && x < width - width / MARGIN && y >= height / MARGIN && y < height - height / MARGIN;
}

static sos_status no_memory(const sos_image *marks, sos_error *error)
{
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for what is assumed of %zu by %zu pixels", marks->width, marks->height);
}

sos_status sos_segment_assume_inside(const uint8_t found[], int threads, sos_image *marks, sos_error *error)
{
    const size_t n = sos_image_size(marks);
    uint8_t *background = calloc(n, 1);
    float *depth = malloc(n * sizeof *depth), most = 0;
    sos_status status = background && depth ? SOS_OK : no_memory(marks, error);
    for (size_t i = 0; i < n && !status; i++) background[i] = !found[i];
    if (!status) status = sos_distance_euclidean(marks->width, marks->height, background, threads, depth, error);
    for (size_t i = 0; i < n && !status; i++) most = depth[i] > most ? depth[i] : most;
    for (size_t i = 0; i < n && !status; i++)
        if (most > 0 && depth[i] >= most / 2 && marks->pixels[i] != SOS_MARK_BACKGROUND) marks->pixels[i] = SOS_MARK_OBJECT;
    free(background);
    free(depth);
    return status;
}

/* Where GrabCut begins with the object. */
static void start_find(const sos_image *marks, uint8_t start[])
{
    if (sos_marks_mask(marks, SOS_MARK_PERHAPS_OBJECT, start)) return;
    for (size_t i = 0; i < sos_image_size(marks); i++)
        start[i] = sos_segment_is_middle(marks, i) && marks->pixels[i] != SOS_MARK_BACKGROUND;
}

static sos_status object_assume(const sos_segment_scene *scene, int threads, sos_image *marks, sos_error *error)
{
    uint8_t *found = malloc(scene->n);
    if (!found) return no_memory(marks, error);
    start_find(marks, found);
    sos_status status = sos_mapping_propose(scene, marks, threads, found, error);
    if (!status) status = sos_segment_assume_inside(found, threads, marks, error);
    free(found);
    return status;
}

sos_status sos_segment_assume(const sos_segment_scene *scene, int threads, sos_image *marks, sos_error *error)
{
    const size_t width = marks->width, height = marks->height;
    size_t counts[SOS_MARKS];
    sos_marks_count(marks, counts);
    for (size_t i = 0; i < scene->n; i++) {
        const size_t x = i % width, y = i / width;
        const bool frame = !x || !y || x + 1 == width || y + 1 == height;
        if (frame && !sos_mark_is_sure(marks->pixels[i])) marks->pixels[i] = SOS_MARK_BACKGROUND;
    }
    const sos_status status = counts[SOS_MARK_OBJECT] ? SOS_OK : object_assume(scene, threads, marks, error);
    for (size_t i = 0; i < scene->n && !status; i++)
        if (!sos_mark_is_sure(marks->pixels[i])) marks->pixels[i] = SOS_MARK_NONE;
    return status;
}
