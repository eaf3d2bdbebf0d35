#include "vision/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"

/* Rounds halves away from 0, so that a place and its mirror image round alike. */
static int rounded(double x) { return (int)(x < 0 ? -floor(0.5 - x) : floor(x + 0.5)); }

void s3svm_line_places(size_t length, size_t steps, size_t direction, s3svm_line_place places[])
{
    /* Directions are rounded to multiples of 2^-40, so that a diagonal, whose cosine and sine may differ in the last place, is
     * one. */
    const double grain = 0x1p40;
    const sos_direction way = sos_turn((double)direction / (2 * (double)steps));
    const double dx = rint(way.x * grain), dy = rint(way.y * grain);
    const double longer = fmax(fabs(dx), fabs(dy));
    for (size_t i = 0; i < length; i++) {
        const double t = (double)i - (double)(length / 2);
        places[i] = (s3svm_line_place){ rounded(t * dx / longer), rounded(t * dy / longer) };
    }
}

void s3svm_lines_free(s3svm_lines *l)
{
    free(l->start);
    free(l->members);
    free(l->middle);
    *l = (s3svm_lines){ 0 };
}

/* Copies the numbers of the pixels of a line that are inside the picture, and returns how many. */
static size_t members_find(const s3svm_directions *d, size_t pixel, size_t length, const s3svm_line_place places[],
                           uint32_t members[])
{
    const ptrdiff_t width = (ptrdiff_t)d->width, height = (ptrdiff_t)d->height;
    const ptrdiff_t x = (ptrdiff_t)pixel % width, y = (ptrdiff_t)pixel / width;
    size_t inside = 0;
    for (size_t i = 0; i < length; i++) {
        const ptrdiff_t u = x + places[i].x, v = y + places[i].y;
        if (u >= 0 && u < width && v >= 0 && v < height) members[inside++] = (uint32_t)(v * width + u);
    }
    return inside;
}

static void lines_fill(const s3svm_directions *d, size_t length, const s3svm_line_place places[], const uint8_t wanted[],
                       s3svm_lines_border border, s3svm_lines *out)
{
    out->start[0] = 0;
    for (size_t i = 0; i < d->width * d->height; i++) {
        if (wanted && !wanted[i]) continue;
        const size_t first = out->start[out->count];
        const size_t inside = members_find(d, i, length, places + d->direction[i] * length, out->members + first);
        if (inside < length && border == S3SVM_LINES_LEFT_OUT) continue;
        out->middle[out->count++] = (uint32_t)i;
        out->start[out->count] = first + inside;
    }
}

sos_status s3svm_lines_find(const s3svm_directions *d, size_t length, const uint8_t wanted[], s3svm_lines_border border,
                            s3svm_lines *out, sos_error *error)
{
    if (!length || length > S3SVM_LINES_LENGTH_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "lines of %zu pixels; 1 to %d are possible", length, S3SVM_LINES_LENGTH_MAX);
    const size_t n = d->width * d->height;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) most += !wanted || wanted[i];
    s3svm_line_place *places = malloc(d->steps * length * sizeof *places);
    s3svm_lines l = { .start = malloc((most + 1) * sizeof *l.start),
                      .members = malloc((most * length + 1) * sizeof *l.members),
                      .middle = malloc((most + 1) * sizeof *l.middle) };
    if (!places || !l.start || !l.members || !l.middle) {
        free(places);
        s3svm_lines_free(&l);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu lines of %zu pixels", most, length);
    }
    for (size_t direction = 0; direction < d->steps; direction++)
        s3svm_line_places(length, d->steps, direction, places + direction * length);
    lines_fill(d, length, places, wanted, border, &l);
    free(places);
    *out = l;
    return SOS_OK;
}
