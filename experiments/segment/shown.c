#include "experiments/segment/shown.h"

#include <math.h>
#include <stdlib.h>

#include <s3svm/cutout.h>

#include "base/error.h"

/* Pictures are as large as the page shows them, so that the page stays small: at most so wide, and of so many pixels. */
enum { WIDTH = 200, PIXELS = 28000 };

void s3svm_shown_free(s3svm_shown *s)
{
    s3svm_image_free(&s->picture);
    s3svm_image_free(&s->marks);
    free(s->labels);
    *s = (s3svm_shown){ 0 };
}

/* The pixels of the full picture that make pixel i of the reduced one: from, to of columns and rows. */
static void block_of(const s3svm_shown *s, size_t i, size_t x[2], size_t y[2])
{
    const size_t column = i % s->picture.width, row = i / s->picture.width;
    x[0] = column * s->full_width / s->picture.width;
    x[1] = (column + 1) * s->full_width / s->picture.width;
    y[0] = row * s->full_height / s->picture.height;
    y[1] = (row + 1) * s->full_height / s->picture.height;
}

static void colour_shrink(const s3svm_shown *s, const s3svm_image *from, size_t i, uint8_t out[3])
{
    size_t x[2], y[2], sum[3] = { 0 };
    block_of(s, i, x, y);
    const size_t count = (x[1] - x[0]) * (y[1] - y[0]);
    for (size_t v = y[0]; v < y[1]; v++)
        for (size_t u = x[0]; u < x[1]; u++)
            for (size_t c = 0; c < 3; c++) sum[c] += from->pixels[3 * (v * from->width + u) + c];
    for (size_t c = 0; c < 3; c++) out[c] = (uint8_t)((sum[c] + count / 2) / count);
}

/* How many pixels of a block have this value, of how many. */
static size_t block_count(const s3svm_shown *s, const uint8_t values[], uint8_t value, size_t i, size_t *of)
{
    size_t x[2], y[2], count = 0;
    block_of(s, i, x, y);
    *of = (x[1] - x[0]) * (y[1] - y[0]);
    for (size_t v = y[0]; v < y[1]; v++)
        for (size_t u = x[0]; u < x[1]; u++) count += values[v * s->full_width + u] == value;
    return count;
}

/* Thin scribbles must not vanish: one pixel in three is enough. */
static uint8_t mark_shrink(const s3svm_shown *s, const uint8_t marks[], size_t i)
{
    size_t of;
    const size_t object = block_count(s, marks, S3SVM_MARK_OBJECT, i, &of);
    const size_t background = block_count(s, marks, S3SVM_MARK_BACKGROUND, i, &of);
    if (3 * (object + background) < of) return S3SVM_MARK_NONE;
    return object >= background ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND;
}

sos_status s3svm_shown_create(const s3svm_image *photograph, s3svm_shown *out, sos_error *error)
{
    const s3svm_image *p = photograph;
    const double scale = fmin(fmin(1, WIDTH / (double)p->width), sqrt(PIXELS / (double)s3svm_image_size(p)));
    const size_t width = (size_t)fmax(1, scale * (double)p->width), height = (size_t)fmax(1, scale * (double)p->height);
    s3svm_shown s = { .full_width = p->width, .full_height = p->height };
    sos_status status = s3svm_image_create(width, height, 3, &s.picture, error);
    if (!status) status = s3svm_image_create(width, height, 1, &s.marks, error);
    if (!status && !(s.labels = malloc(s3svm_image_size(&s.picture))))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture");
    for (size_t i = 0; !status && i < s3svm_image_size(&s.picture); i++) colour_shrink(&s, p, i, s.picture.pixels + 3 * i);
    if (status)
        s3svm_shown_free(&s);
    else
        *out = s;
    return status;
}

static sos_status overlay_make(s3svm_shown *s, const uint8_t labels[], const s3svm_image *marks, s3svm_image *out,
                               sos_error *error)
{
    for (size_t i = 0; i < s3svm_image_size(&s->picture); i++) {
        size_t of;
        s->labels[i] = !labels || 2 * block_count(s, labels, 1, i, &of) > of;
        s->marks.pixels[i] = marks ? mark_shrink(s, marks->pixels, i) : S3SVM_MARK_NONE;
    }
    return s3svm_cutout_overlay(&s->picture, s->labels, marks ? &s->marks : NULL, 1, out, error);
}

/* To 6 bits, which nobody sees, but a PNG of a photograph then takes two thirds. */
static void shades_reduce(s3svm_image *picture)
{
    for (size_t i = 0; i < 3 * s3svm_image_size(picture); i++)
        picture->pixels[i] = (uint8_t)((picture->pixels[i] & 0xfc) | picture->pixels[i] >> 6);
}

void s3svm_shown_overlay(s3svm_report *page, s3svm_shown *s, const uint8_t labels[], const s3svm_image *marks, const char *said)
{
    s3svm_image picture = { 0 };
    if (page->status) return;
    s3svm_report_fail(page, overlay_make(s, labels, marks, &picture, page->error));
    if (!page->status) {
        shades_reduce(&picture);
        s3svm_report_picture(page, &picture, "%s", said);
    }
    s3svm_image_free(&picture);
}

static int dearest_first(const void *a, const void *b)
{
    const s3svm_shown_candidate *x = a, *y = b;
    if (x->worth != y->worth) return x->worth < y->worth ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

void s3svm_shown_order(size_t count, s3svm_shown_candidate list[]) { qsort(list, count, sizeof *list, dearest_first); }
