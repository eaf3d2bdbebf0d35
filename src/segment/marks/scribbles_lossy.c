/* scribbles_lossy.c - strokes over a photograph in a lossy file: which clear colours were drawn, and which are the photograph's
 * own, shifted by the loss.
 *
 * What a JPEG does to a pixel stays within what is around it: brightness and both colour differences are mixed with those of
 * the neighbours, and rounded.  A drawn pixel need not.  So a pixel of a clear colour is the photograph's own where these three
 * numbers lie in the range of the photograph around it, and it was drawn
 *
 *     where one of them does not, or
 *     where it belongs to a whole block of the colour that has little to do with what the photograph has there,
 *
 * and is not one of a few: what is lost is lost along edges, and leaves specks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/marks/scribbles.h"
#include "vision/components.h"

enum {
    REACH = 4,    /* pixels: colour is kept for squares of 2, and its errors run through blocks of 8 of them */
    SLACK = 32,   /* beyond the range around: what rounding adds at a quality of 30 */
    CHANGED = 64, /* grey values: more than what edges of saturated colours lose, over a whole block */
    BLOCK = 2,    /* pixels from the middle of a block to its sides */
    SPECK = 16    /* parts of fewer pixels are none: a dot of a pen has more */
};

typedef struct tone {
    int16_t v[3]; /* brightness, blue and red less brightness, about 0 ... 255 and -127 ... 127 */
} tone;

static tone tone_of(const uint8_t p[3])
{
    const int y = (77 * p[0] + 150 * p[1] + 29 * p[2]) / 256;
    return (tone){ { (int16_t)y, (int16_t)((p[2] - y) * 144 / 256), (int16_t)((p[0] - y) * 183 / 256) } };
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The pixels of a square around pixel i that lie in the picture: rows and columns from ... to - 1. */
typedef struct window {
    size_t x, y, x_end, y_end;
} window;

static window window_at(const s3svm_image *picture, size_t i, size_t reach)
{
    const size_t x = i % picture->width, y = i / picture->width;
    return (window){ x - least(x, reach), y - least(y, reach), least(x + reach + 1, picture->width),
                     least(y + reach + 1, picture->height) };
}

static bool is_explained(const s3svm_scribbles_reading *r, size_t i)
{
    const s3svm_image *photograph = r->photograph;
    const tone here = tone_of(r->colour.pixels + 3 * i);
    const window w = window_at(photograph, i, REACH);
    int low[3] = { INT16_MAX, INT16_MAX, INT16_MAX }, high[3] = { INT16_MIN, INT16_MIN, INT16_MIN };
    for (size_t y = w.y; y < w.y_end; y++)
        for (size_t x = w.x; x < w.x_end; x++) {
            const tone t = tone_of(photograph->pixels + 3 * (y * photograph->width + x));
            for (int c = 0; c < 3; c++) {
                low[c] = t.v[c] < low[c] ? t.v[c] : low[c];
                high[c] = t.v[c] > high[c] ? t.v[c] : high[c];
            }
        }
    for (int c = 0; c < 3; c++)
        if (here.v[c] < low[c] - SLACK || here.v[c] > high[c] + SLACK) return false;
    return true;
}

static bool is_changed(const s3svm_scribbles_reading *r, size_t i)
{
    const uint8_t *p = r->colour.pixels + 3 * i, *q = r->photograph->pixels + 3 * i;
    for (int c = 0; c < 3; c++)
        if (abs(p[c] - q[c]) >= CHANGED) return true;
    return false;
}

/* Whether all of a block around pixel i has its class and is changed. */
static bool is_block(const s3svm_scribbles_reading *r, const uint8_t classes[], size_t i)
{
    const window w = window_at(r->photograph, i, BLOCK);
    for (size_t y = w.y; y < w.y_end; y++)
        for (size_t x = w.x; x < w.x_end; x++) {
            const size_t j = y * r->photograph->width + x;
            if (classes[j] != classes[i] || !is_changed(r, j)) return false;
        }
    return true;
}

static void block_take(const s3svm_scribbles_reading *r, size_t i, uint8_t class, uint8_t drawn[])
{
    const window w = window_at(r->photograph, i, BLOCK);
    for (size_t y = w.y; y < w.y_end; y++) memset(drawn + y * r->photograph->width + w.x, class, w.x_end - w.x);
}

bool s3svm_scribbles_is_lossy(const s3svm_scribbles_reading *r)
{
    size_t shifted = 0, changed = 0;
    for (size_t i = 0; i < s3svm_image_size(&r->colour); i++) {
        const uint8_t *p = r->colour.pixels + 3 * i, *q = r->photograph->pixels + 3 * i;
        if (!s3svm_scribbles_are_near(p, q))
            changed++;
        else
            shifted += memcmp(p, q, 3) != 0;
    }
    return 4 * shifted > changed; /* a drawing program leaves the rest as it is, but for where soft strokes end */
}

/* The class of each pixel that was drawn, 0 for all others. */
static void drawn_find(const s3svm_scribbles_reading *r, const uint8_t classes[], uint8_t last, uint8_t drawn[])
{
    for (size_t i = 0; i < s3svm_image_size(&r->colour); i++) {
        if (!classes[i] || classes[i] > last) continue;
        if (!is_explained(r, i)) drawn[i] = classes[i];
        if (is_block(r, classes, i)) block_take(r, i, classes[i], drawn);
    }
}

static sos_status specks_remove(const s3svm_scribbles_reading *r, uint8_t drawn[])
{
    const size_t n = s3svm_image_size(&r->colour);
    uint32_t *parts = malloc(n * sizeof *parts);
    size_t count = 0, *sizes = NULL;
    sos_status status = parts ? SOS_OK : sos_fail(r->error, SOS_ERR_MEMORY, "no memory for the parts of %zu pixels", n);
    if (!status) status = s3svm_components(r->colour.width, r->colour.height, drawn, parts, &count, r->error);
    if (!status) {
        sizes = calloc(count, sizeof *sizes);
        if (!sizes) status = sos_fail(r->error, SOS_ERR_MEMORY, "no memory for %zu parts of strokes", count);
    }
    for (size_t i = 0; !status && i < n; i++) sizes[parts[i]]++;
    for (size_t i = 0; !status && i < n; i++)
        if (sizes[parts[i]] < SPECK) drawn[i] = 0;
    free(parts);
    free(sizes);
    return status;
}

sos_status s3svm_scribbles_own(const s3svm_scribbles_reading *r, uint8_t paper, uint8_t last, uint8_t classes[], size_t own[])
{
    const size_t n = s3svm_image_size(&r->colour);
    uint8_t *drawn = calloc(n, 1);
    if (!drawn) return sos_fail(r->error, SOS_ERR_MEMORY, "no memory for the strokes of %zu pixels", n);
    drawn_find(r, classes, last, drawn);
    const sos_status status = specks_remove(r, drawn);
    for (size_t i = 0; !status && i < n; i++) {
        if (!classes[i] || classes[i] > last || drawn[i]) continue;
        own[classes[i]]++;
        classes[i] = paper;
    }
    free(drawn);
    return status;
}
