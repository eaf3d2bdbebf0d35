#include "segment/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "segment/data.h"

void sos_shrunk_free(sos_shrunk *s)
{
    sos_image_free(&s->picture);
    sos_image_free(&s->marks);
    *s = (sos_shrunk){ 0 };
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The mean of a block, and what most of its marked pixels say.  Blocks at the right and lower border may be smaller. */
static void block_shrink(const sos_segment_input *in, sos_shrunk *s, size_t x, size_t y)
{
    const sos_image *p = in->photograph;
    const size_t f = s->factor, right = least(x * f + f, p->width), place = y * s->picture.width + x;
    const size_t bottom = least(y * f + f, p->height), pixels = (right - x * f) * (bottom - y * f);
    size_t sum[3] = { 0 }, marks[3] = { 0 };
    for (size_t v = y * f; v < bottom; v++)
        for (size_t u = x * f; u < right; u++) {
            for (size_t c = 0; c < 3; c++) sum[c] += p->pixels[3 * (v * p->width + u) + c];
            marks[in->marks->pixels[v * p->width + u]]++;
        }
    for (size_t c = 0; c < 3; c++) s->picture.pixels[3 * place + c] = (uint8_t)((sum[c] + pixels / 2) / pixels);
    if (marks[SOS_MARK_OBJECT] + marks[SOS_MARK_BACKGROUND])
        s->marks.pixels[place] = marks[SOS_MARK_OBJECT] >= marks[SOS_MARK_BACKGROUND] ? SOS_MARK_OBJECT : SOS_MARK_BACKGROUND;
}

sos_status sos_shrunk_create(const sos_segment_input *in, size_t pixels, sos_shrunk *out, sos_error *error)
{
    const sos_image *p = in->photograph;
    const size_t f = (size_t)ceil(sqrt((double)sos_image_size(p) / (double)pixels));
    sos_shrunk s = { .factor = f };
    sos_status status = sos_image_create((p->width + f - 1) / f, (p->height + f - 1) / f, 3, &s.picture, error);
    if (status) return status;
    status = sos_image_create(s.picture.width, s.picture.height, 1, &s.marks, error);
    if (status) {
        sos_shrunk_free(&s);
        return status;
    }
    for (size_t y = 0; y < s.picture.height; y++)
        for (size_t x = 0; x < s.picture.width; x++) block_shrink(in, &s, x, y);
    *out = s;
    return SOS_OK;
}

/* Which two of `count` blocks a pixel lies between, and how far it is from the first to the second. */
typedef struct between {
    size_t low, high;
    float share;
} between;

static between between_of(size_t x, size_t factor, size_t count)
{
    const double at = fmax(0, fmin(((double)x + 0.5) / (double)factor - 0.5, (double)(count - 1)));
    const size_t low = (size_t)at;
    return (between){ .low = low, .high = low + 1 < count ? low + 1 : low, .share = (float)(at - (double)low) };
}

void sos_shrunk_grow(const sos_shrunk *s, const float values[], size_t width, size_t height, float out[])
{
    const size_t w = s->picture.width;
    for (size_t y = 0; y < height; y++) {
        const between v = between_of(y, s->factor, s->picture.height);
        for (size_t x = 0; x < width; x++) {
            const between u = between_of(x, s->factor, w);
            const float top = (1 - u.share) * values[v.low * w + u.low] + u.share * values[v.low * w + u.high];
            const float bottom = (1 - u.share) * values[v.high * w + u.low] + u.share * values[v.high * w + u.high];
            out[y * width + x] = (1 - v.share) * top + v.share * bottom;
        }
    }
}
