/* cutout_lay.c - cut-outs made ready for where they go: cut to the object, laid over a picture or a colour. */
#include <string.h>

#include <s3svm/cutout.h>

#include "base/error.h"
#include "vision/resize.h"

static sos_status cutout_check(const s3svm_picture *cutout, sos_error *error)
{
    if (cutout && cutout->image.pixels && cutout->image.channels == 4) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "no cut-out of 4 channels was given");
}

/* ---------------------------------------------------------------- cut to the object */

typedef struct box {
    size_t left, top, right, bottom; /* the last two are behind it */
} box;

static bool is_seen(const s3svm_picture *p, size_t i)
{
    return p->deep ? p->deep[4 * i + 3] > 0 : p->image.pixels[4 * i + 3] > 0;
}

static box box_find(const s3svm_picture *p)
{
    const size_t width = p->image.width;
    box b = { width, p->image.height, 0, 0 };
    for (size_t i = 0; i < s3svm_image_size(&p->image); i++) {
        const size_t x = i % width, y = i / width;
        if (!is_seen(p, i)) continue;
        if (x < b.left) b.left = x;
        if (x >= b.right) b.right = x + 1;
        if (y < b.top) b.top = y;
        if (y >= b.bottom) b.bottom = y + 1;
    }
    return b.right ? b : (box){ 0, 0, width, p->image.height };
}

sos_status s3svm_cutout_trim(s3svm_picture *cutout, size_t rectangle[4], sos_error *error)
{
    const sos_status status = cutout_check(cutout, error);
    if (status) return status;
    const box b = box_find(cutout);
    const size_t width = b.right - b.left, height = b.bottom - b.top, before = cutout->image.width;
    for (size_t y = 0; y < height; y++) { /* rows move towards the front only */
        const size_t from = 4 * ((b.top + y) * before + b.left), to = 4 * y * width;
        memmove(cutout->image.pixels + to, cutout->image.pixels + from, 4 * width);
        if (cutout->deep) memmove(cutout->deep + to, cutout->deep + from, 4 * width * sizeof *cutout->deep);
    }
    cutout->image.width = width;
    cutout->image.height = height;
    if (rectangle) memcpy(rectangle, (const size_t[4]){ b.left, b.top, width, height }, 4 * sizeof *rectangle);
    return SOS_OK;
}

/* ---------------------------------------------------------------- over a picture */

/* Rounded to the nearest. */
static uint32_t blend(uint32_t front, uint32_t back, uint32_t opacity, uint32_t most)
{
    return (uint32_t)(((uint64_t)front * opacity + (uint64_t)back * (most - opacity) + most / 2) / most);
}

sos_status s3svm_cutout_lay(s3svm_picture *cutout, const s3svm_image *backdrop, sos_error *error)
{
    sos_status status = cutout_check(cutout, error);
    if (status) return status;
    if (!backdrop || !backdrop->pixels || backdrop->channels != 3)
        return sos_fail(error, SOS_ERR_ARGUMENT, "no backdrop of 3 channels was given");
    s3svm_image back;
    s3svm_image *image = &cutout->image;
    status = s3svm_image_cover(backdrop, image->width, image->height, &back, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(image); i++) { /* in place: three samples where four were */
        const uint32_t opacity = image->pixels[4 * i + 3], fine = cutout->deep ? cutout->deep[4 * i + 3] : 0;
        for (size_t c = 0; c < 3; c++) {
            const uint32_t behind = back.pixels[3 * i + c];
            image->pixels[3 * i + c] = (uint8_t)blend(image->pixels[4 * i + c], behind, opacity, UINT8_MAX);
            if (cutout->deep)
                cutout->deep[3 * i + c] = (uint16_t)blend(cutout->deep[4 * i + c], 257 * behind, fine, UINT16_MAX);
        }
    }
    image->channels = 3;
    s3svm_image_free(&back);
    return SOS_OK;
}
