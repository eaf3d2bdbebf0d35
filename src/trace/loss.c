/* loss.c - what errors cost in training: pixels by their class, and breaks of the centre line. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/features.h"
#include "vision/thin.h"

/* A gap of four pixels is within the two pixels on both sides that count as near: five in a row make a break. */
enum { STRETCH = 5 };

/* The first pixels of a centre line that a search from one of them meets; returns how many there are, at most STRETCH. */
static size_t stretch_find(size_t width, size_t height, const uint8_t line[], uint32_t from, uint32_t found[STRETCH])
{
    size_t count = 1;
    found[0] = from;
    for (size_t next = 0; next < count; next++)
        for (int d = 0; d < 9; d++) {
            const ptrdiff_t x = (ptrdiff_t)(found[next] % width) + d % 3 - 1, y = (ptrdiff_t)(found[next] / width) + d / 3 - 1;
            if (x < 0 || y < 0 || x >= (ptrdiff_t)width || y >= (ptrdiff_t)height) continue;
            const uint32_t pixel = (uint32_t)(y * (ptrdiff_t)width + x);
            size_t known = 0;
            while (known < count && found[known] != pixel) known++;
            if (!line[pixel] || known < count) continue;
            found[count++] = pixel;
            if (count == STRETCH) return count;
        }
    return count;
}

/* delta = broken / n where all of a stretch is missed, else 0: -delta is submodular, as losses of cliques must be.  A cost for
 * any pixel that is missed would not be. */
static sos_status breaks_add(const s3svm_trace_look *look, double cost, uint8_t line[], sos_example *x, sos_error *error)
{
    const size_t width = look->picture->width, height = look->picture->height, n = width * height;
    double delta[1 << STRETCH] = { cost / (double)n };
    for (size_t i = 0; i < n; i++) line[i] = look->truth[i] && (!look->care || look->care[i]);
    sos_status status = s3svm_thin(width, height, line, error);
    for (size_t i = 0; i < n && !status; i++) {
        uint32_t found[STRETCH];
        if (!line[i] || stretch_find(width, height, line, (uint32_t)i, found) < STRETCH) continue;
        status = sos_example_add_clique_loss(x, STRETCH, found, delta, error);
    }
    return status;
}

sos_status s3svm_trace_loss_add(const s3svm_trace_look *look, sos_example *x, sos_error *error)
{
    const double weights[] = { 1, look->loss->missed };
    sos_status status = sos_example_set_class_loss(x, weights, error);
    if (status || !(look->loss->broken > 0)) return status;
    uint8_t *line = malloc(s3svm_image_size(look->picture));
    if (!line) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a centre line");
    status = breaks_add(look, look->loss->broken, line, x, error);
    free(line);
    return status;
}
