/* image_canvas.c - what readers of picture files fill, row after row: turned as the camera was held, in the kind that is
 * wanted. */
#include <stdlib.h>
#include <string.h>

#include "vision/image_codec.h"

enum { PROFILE_LEAST = 132, PROFILE_MOST = 1 << 22 }; /* bytes: a header and a count of tags; the largest are of printers */

static bool has_opacity(size_t channels) { return channels == 2 || channels == 4; }

/* 16 bits to 8, rounded to the nearest. */
static uint8_t byte_of(unsigned sample) { return (uint8_t)((sample * 255 + 32895) >> 16); }

s3svm_image s3svm_image_layout_seen(const s3svm_image_layout *layout)
{
    const bool lying = layout->orientation >= 5;
    return (s3svm_image){ .width = lying ? layout->height : layout->width, .height = lying ? layout->width : layout->height };
}

sos_status s3svm_image_canvas_open(s3svm_image_canvas *c, const s3svm_image_source *s, const s3svm_image_layout *layout)
{
    *c = (s3svm_image_canvas){ .source = s, .layout = *layout };
    const bool whole = s->whole;
    const s3svm_image seen = s3svm_image_layout_seen(layout);
    const size_t width = seen.width, height = seen.height;
    const size_t channels = whole ? (has_opacity(layout->channels) ? 4 : 3) : s->kind == S3SVM_IMAGE_COLOUR ? 3 : 1;
    uint8_t *pixels = malloc(width * height * channels);
    c->picture.image = (s3svm_image){ .width = width, .height = height, .channels = channels, .pixels = pixels };
    if (layout->deep && whole) c->picture.deep = malloc(width * height * channels * sizeof *c->picture.deep);
    if (layout->deep) c->row = malloc(layout->width * layout->channels);
    if (pixels && (!layout->deep || c->row) && (!layout->deep || !whole || c->picture.deep)) return SOS_OK;
    s3svm_image_canvas_free(c);
    return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory for %zu by %zu pixels", width, height);
}

void s3svm_image_canvas_free(s3svm_image_canvas *c)
{
    s3svm_picture_free(&c->picture);
    free(c->row);
    c->row = NULL;
}

/* The place of row y of the file in the picture: the number of its first pixel, and the step to the next. */
static size_t row_place(const s3svm_image_canvas *c, size_t y, ptrdiff_t *step)
{
    const unsigned o = c->layout.orientation;
    const bool lying = o >= 5, flip_x = o == 2 || o == 3 || o == 7 || o == 8, flip_y = o == 3 || o == 4 || o == 6 || o == 7;
    const size_t last_x = flip_x ? c->layout.width - 1 : 0, line = flip_y ? c->layout.height - 1 - y : y;
    const size_t at_x = lying ? line : last_x, at_y = lying ? last_x : line, width = c->picture.image.width;
    *step = (ptrdiff_t)(lying ? width : 1) * (flip_x ? -1 : 1);
    return at_y * width + at_x;
}

/* As they are, in the kind that is wanted: pixel x goes to to + x * step. */
static void row_put(s3svm_image_kind kind, const uint8_t *row, size_t width, size_t channels, uint8_t *to, ptrdiff_t step)
{
    for (size_t x = 0; x < width; x++, row += channels) {
        uint8_t *at = to + (ptrdiff_t)x * step;
        if (channels == 1 || kind == S3SVM_IMAGE_LABELS)
            s3svm_image_put_grey(kind, row[0], at);
        else if (channels == 2)
            s3svm_image_put_grey(kind, s3svm_over_white(row[0], row[1]), at);
        else if (channels == 3)
            s3svm_image_put_colour(kind, row[0], row[1], row[2], at);
        else
            s3svm_image_put_colour(kind, s3svm_over_white(row[0], row[3]), s3svm_over_white(row[1], row[3]),
                                   s3svm_over_white(row[2], row[3]), at);
    }
}

/* Which sample of a pixel of the file is channel k of the picture: grey is repeated. */
static size_t sample_of(size_t channels, size_t k)
{
    if (k == 3) return channels - 1;
    return channels >= 3 ? k : 0;
}

void s3svm_image_canvas_row(s3svm_image_canvas *c, size_t y, const uint8_t *row)
{
    const size_t from = c->layout.channels, channels = c->picture.image.channels, width = c->layout.width;
    ptrdiff_t step = 0;
    uint8_t *to = c->picture.image.pixels + row_place(c, y, &step) * channels;
    step *= (ptrdiff_t)channels;
    if (!c->source->whole) {
        row_put(c->source->kind, row, width, from, to, step);
        return;
    }
    for (size_t x = 0; x < width; x++)
        for (size_t k = 0; k < channels; k++) to[(ptrdiff_t)x * step + (ptrdiff_t)k] = row[x * from + sample_of(from, k)];
}

void s3svm_image_canvas_row_deep(s3svm_image_canvas *c, size_t y, const uint16_t *row)
{
    const size_t from = c->layout.channels, channels = c->picture.image.channels, width = c->layout.width;
    for (size_t i = 0; i < width * from; i++) c->row[i] = byte_of(row[i]);
    s3svm_image_canvas_row(c, y, c->row);
    if (!c->picture.deep) return;
    ptrdiff_t step = 0;
    uint16_t *to = c->picture.deep + row_place(c, y, &step) * channels;
    step *= (ptrdiff_t)channels;
    for (size_t x = 0; x < width; x++)
        for (size_t k = 0; k < channels; k++) to[(ptrdiff_t)x * step + (ptrdiff_t)k] = row[x * from + sample_of(from, k)];
}

sos_status s3svm_image_canvas_profile(s3svm_image_canvas *c, const uint8_t *profile, size_t length)
{
    s3svm_picture *p = &c->picture;
    if (!c->source->whole || !profile || length < PROFILE_LEAST || length > PROFILE_MOST || memcmp(profile + 16, "RGB ", 4))
        return SOS_OK;
    uint8_t *copy = malloc(length);
    if (!copy) return s3svm_image_source_fail(c->source, SOS_ERR_MEMORY, "no memory for a colour profile of %zu bytes", length);
    memcpy(copy, profile, length);
    free(p->profile);
    p->profile = copy;
    p->profile_length = length;
    return SOS_OK;
}

static bool is_opaque(const s3svm_picture *p)
{
    for (size_t i = 0; i < s3svm_image_size(&p->image); i++)
        if (p->deep ? p->deep[4 * i + 3] != UINT16_MAX : p->image.pixels[4 * i + 3] != UINT8_MAX) return false;
    return true;
}

/* Without the opacity, in place. */
static void opacity_drop(s3svm_picture *p)
{
    for (size_t i = 0; i < s3svm_image_size(&p->image); i++)
        for (size_t k = 0; k < 3; k++) {
            p->image.pixels[3 * i + k] = p->image.pixels[4 * i + k];
            if (p->deep) p->deep[3 * i + k] = p->deep[4 * i + k];
        }
    p->image.channels = 3;
}

void s3svm_image_canvas_close(s3svm_image_canvas *c, s3svm_picture *out)
{
    if (c->source->whole && c->picture.image.channels == 4 && is_opaque(&c->picture)) opacity_drop(&c->picture);
    *out = c->picture;
    c->picture = (s3svm_picture){ 0 };
    s3svm_image_canvas_free(c);
}
