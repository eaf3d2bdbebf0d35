/* segment_pictures.c - s3svm segment: the pictures that are written of a photograph. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "segment.h"

/* ---------------------------------------------------------------- backdrops */

static const struct {
    const char *name;
    uint32_t colour; /* 0xRRGGBB */
} COLOURS[] = { { "white", 0xffffff },  { "black", 0x000000 },   { "gray", 0x808080 },    { "grey", 0x808080 },
                { "silver", 0xc0c0c0 }, { "red", 0xff0000 },     { "maroon", 0x800000 },  { "orange", 0xffa500 },
                { "yellow", 0xffff00 }, { "olive", 0x808000 },   { "lime", 0x00ff00 },    { "green", 0x008000 },
                { "aqua", 0x00ffff },   { "cyan", 0x00ffff },    { "teal", 0x008080 },    { "blue", 0x0000ff },
                { "navy", 0x000080 },   { "fuchsia", 0xff00ff }, { "magenta", 0xff00ff }, { "purple", 0x800080 } };

/* A name of the web, #rgb or #rrggbb. */
static bool colour_parse(const char *text, uint32_t *colour)
{
    for (size_t i = 0; i < sizeof COLOURS / sizeof *COLOURS; i++) {
        *colour = COLOURS[i].colour;
        if (!strcmp(COLOURS[i].name, text)) return true;
    }
    const size_t length = strlen(text);
    if (*text != '#' || (length != 4 && length != 7) || strspn(text + 1, "0123456789abcdefABCDEF") != length - 1) return false;
    const uint32_t x = (uint32_t)strtoul(text + 1, NULL, 16);
    *colour = length == 7 ? x : (x >> 8) * 0x110000 + (x >> 4 & 15) * 0x1100 + (x & 15) * 0x11;
    return true;
}

sos_status backdrop_read(const char *text, s3svm_image *out, sos_error *error)
{
    uint32_t colour;
    if (!colour_parse(text, &colour)) {
        if (sos_path_exists(text)) return s3svm_image_read(text, S3SVM_IMAGE_COLOUR, out, error);
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "--backdrop takes a colour such as white or #f0f0e8, or a picture, not '%.200s'", text);
    }
    const sos_status status = s3svm_image_create(1, 1, 3, out, error);
    for (int c = 0; c < 3 && !status; c++) out->pixels[c] = (uint8_t)(colour >> (16 - 8 * c) & 255);
    return status;
}

/* ---------------------------------------------------------------- what is written */

static sos_status mask_write(const photograph *p, sos_error *error)
{
    s3svm_image mask;
    sos_status status = s3svm_image_create(p->image.width, p->image.height, 1, &mask, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(&mask); i++) mask.pixels[i] = p->labels[i] ? 255 : 0;
    status = s3svm_image_write(&mask, p->k->mask, error);
    s3svm_image_free(&mask);
    return status;
}

static sos_status cutout_write(const photograph *p, sos_error *error)
{
    s3svm_picture picture = { 0 };
    const double edge = isnan(p->r->edge) ? s3svm_cutout_edge(s3svm_image_size(&p->image)) : p->r->edge;
    sos_status status = s3svm_cutout_picture(&p->picture, p->labels, edge, p->work->threads, &picture, error);
    if (!status && p->r->trim) status = s3svm_cutout_trim(&picture, p->k->box, error);
    if (!status && p->c->backdrop.pixels) status = s3svm_cutout_lay(&picture, &p->c->backdrop, error);
    if (!status) status = s3svm_picture_write(&picture, p->k->cutout, error);
    s3svm_picture_free(&picture);
    return status;
}

static sos_status overlay_write(const photograph *p, sos_error *error)
{
    s3svm_picture picture = { .profile = p->picture.profile, .profile_length = p->picture.profile_length };
    sos_status status = s3svm_cutout_overlay(&p->image, p->labels, &p->marks, p->work->threads, &picture.image, error);
    if (status) return status;
    status = s3svm_picture_write(&picture, p->k->overlay, error);
    s3svm_image_free(&picture.image);
    return status;
}

static sos_status confidence_write(const photograph *p, sos_error *error)
{
    s3svm_image picture;
    sos_status status = s3svm_confidence_image(p->image.width, p->image.height, p->confidence, &picture, error);
    if (status) return status;
    status = s3svm_image_write(&picture, p->k->confidence, error);
    s3svm_image_free(&picture);
    return status;
}

sos_status photograph_write(photograph *p, sos_error *error)
{
    cutting *k = p->k;
    sos_status status = SOS_OK;
    if (!p->work->progress(p->work->user, "writing", -1)) return SOS_CANCELLED;
    if (k->cutout) status = cutout_write(p, error);
    if (!status && k->overlay) status = overlay_write(p, error);
    if (!status && k->mask) status = mask_write(p, error);
    if (!status && k->confidence) status = confidence_write(p, error);
    return status;
}
