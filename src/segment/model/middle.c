#include "segment/model/middle.h"

#include <math.h>
#include <string.h>

/* The bounding box of what is perhaps object, and its centre of mass. */
static s3svm_disc open_part(const s3svm_image *marks)
{
    s3svm_disc d = { .left = marks->width, .top = marks->height };
    size_t count = 0;
    for (size_t y = 0, i = 0; y < marks->height; y++)
        for (size_t x = 0; x < marks->width; x++, i++) {
            if (marks->pixels[i] != S3SVM_MARK_PERHAPS_OBJECT) continue;
            d.left = x < d.left ? x : d.left;
            d.right = x + 1 > d.right ? x + 1 : d.right;
            d.top = y < d.top ? y : d.top;
            d.bottom = y + 1;
            d.x += (double)x;
            d.y += (double)y;
            count++;
        }
    if (!count) return (s3svm_disc){ 0 };
    d.x /= (double)count;
    d.y /= (double)count;
    return d;
}

/* Of a bent outline the centre of mass may lie outside. */
s3svm_disc s3svm_marks_middle(const s3svm_image *marks)
{
    s3svm_disc d = open_part(marks);
    const size_t width = d.right - d.left, height = d.bottom - d.top;
    const double centre[2] = { d.x, d.y };
    double least = INFINITY;
    for (size_t y = d.top; y < d.bottom; y++)
        for (size_t x = d.left; x < d.right; x++) {
            const double dx = (double)x - centre[0], dy = (double)y - centre[1], square = dx * dx + dy * dy;
            if (marks->pixels[y * marks->width + x] != S3SVM_MARK_PERHAPS_OBJECT || square >= least) continue;
            least = square;
            d.x = (double)x;
            d.y = (double)y;
        }
    d.radius = (double)(width < height ? width : height) / 4;
    return d;
}

/* ---------------------------------------------------------------- GrabCut around it */

/* Columns left ... right - 1, rows top ... bottom - 1. */
typedef struct window {
    size_t left, top, right, bottom;
} window;

/* What is not sure to be background; empty where all of it is. */
static window unsure_part(const s3svm_image *marks)
{
    window w = { .left = marks->width, .top = marks->height };
    for (size_t y = 0; y < marks->height; y++)
        for (size_t x = 0; x < marks->width; x++) {
            if (marks->pixels[y * marks->width + x] == S3SVM_MARK_BACKGROUND) continue;
            w.left = x < w.left ? x : w.left;
            w.right = x + 1 > w.right ? x + 1 : w.right;
            w.top = y < w.top ? y : w.top;
            w.bottom = y + 1;
        }
    return w;
}

/* By half of its length at either end. */
static void widen(size_t *from, size_t *to, size_t side)
{
    const size_t more = (*to - *from + 1) / 2;
    *from = *from > more ? *from - more : 0;
    *to = *to + more < side ? *to + more : side;
}

static void part_copy(const s3svm_image *whole, const window *w, s3svm_image *part)
{
    const size_t pixel = whole->channels, row = part->width * pixel;
    for (size_t y = 0; y < part->height; y++)
        memcpy(part->pixels + y * row, whole->pixels + ((w->top + y) * whole->width + w->left) * pixel, row);
}

static void part_return(const s3svm_image *part, const window *w, s3svm_image *whole)
{
    for (size_t y = 0; y < part->height; y++)
        memcpy(whole->pixels + (w->top + y) * whole->width + w->left, part->pixels + y * part->width, part->width);
}

sos_status s3svm_grabcut_around(const s3svm_image *picture, s3svm_image *marks, const s3svm_grabcut_settings *settings,
                                sos_error *error)
{
    window w = unsure_part(marks);
    if (w.left >= w.right) return SOS_OK;
    widen(&w.left, &w.right, marks->width);
    widen(&w.top, &w.bottom, marks->height);
    s3svm_image seen = { 0 }, part = { 0 };
    sos_status status = s3svm_image_create(w.right - w.left, w.bottom - w.top, picture->channels, &seen, error);
    if (!status) status = s3svm_image_create(w.right - w.left, w.bottom - w.top, 1, &part, error);
    if (!status) {
        part_copy(picture, &w, &seen);
        part_copy(marks, &w, &part);
        status = s3svm_grabcut(&seen, &part, settings, NULL, error);
    }
    if (!status) part_return(&part, &w, marks);
    s3svm_image_free(&seen);
    s3svm_image_free(&part);
    return status;
}
