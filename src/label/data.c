#include "label/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---------------------------------------------------------------- names */

/* The first are as far apart as possible for most eyes; later ones go around the circle of hues in golden steps. */
static uint32_t usual_colour(size_t label)
{
    static const uint32_t first[] = { 0xb03a2e, 0xf5d76e, 0x2874a6, 0xeaf2f8, 0x1e8449, 0xa6763d,
                                      0x85c1e9, 0x7d3c98, 0xff8c00, 0x17a589, 0xff69b4, 0x555555 };
    if (label < sizeof first / sizeof *first) return first[label];
    const double hue = 6 * fmod(0.61803398875 * (double)label, 1);
    uint32_t colour = 0;
    for (int c = 0; c < 3; c++) {
        const double away = fabs(fmod(hue + 6 - 2 * c, 6) - 3); /* 3 at the hue of the channel, 0 opposite */
        const double light = 0.25 + 0.6 * fmin(1, fmax(0, away - 1));
        colour = colour << 8 | (uint32_t)(255 * light);
    }
    return colour;
}

static sos_status count_check(size_t count, sos_error *error)
{
    if (count >= 2 && count <= SOS_LABELS_MAX) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%zu label%s; there must be 2 to %d", count, count == 1 ? "" : "s",
                    SOS_LABELS_MAX);
}

sos_status sos_label_names_default(size_t count, sos_label_names *out, sos_error *error)
{
    const sos_status status = count_check(count, error);
    if (status) return status;
    out->count = count;
    out->unknown = SOS_LABEL_VOID;
    for (size_t l = 0; l < count; l++) {
        snprintf(out->name[l], SOS_LABEL_NAME, "label %zu", l);
        out->colour[l] = usual_colour(l);
    }
    return SOS_OK;
}

/* One of the list: name, or name=colour. */
static sos_status name_parse(const char *text, size_t length, size_t label, sos_label_names *out, sos_error *error)
{
    const char *equals = memchr(text, '=', length);
    const size_t letters = equals ? (size_t)(equals - text) : length;
    if (!letters || letters >= SOS_LABEL_NAME)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the name of label %zu has %zu letters; 1 to %d are possible", label, letters,
                        SOS_LABEL_NAME - 1);
    for (size_t i = 0; i < letters; i++)
        if (text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 127 || (unsigned char)text[i] > 127)
            return sos_fail(error, SOS_ERR_ARGUMENT, "the name of label %zu has a letter that is not allowed", label);
    memcpy(out->name[label], text, letters);
    out->name[label][letters] = '\0';
    out->colour[label] = usual_colour(label);
    if (!equals) return SOS_OK;
    const char *colour = equals + 1 + (equals[1] == '#');
    const size_t digits = length - (size_t)(colour - text);
    if (digits != 6 || strspn(colour, "0123456789abcdefABCDEF") < 6)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the colour of label %zu, '%.*s', is not of the form rrggbb", label,
                        (int)(length - letters - 1), equals + 1);
    out->colour[label] = (uint32_t)strtoul(colour, NULL, 16);
    return SOS_OK;
}

sos_status sos_label_names_parse(const char *text, sos_label_names *out, sos_error *error)
{
    size_t count = 0;
    for (const char *at = text;; count++) {
        const size_t length = strcspn(at, ",");
        if (count == SOS_LABELS_MAX) return count_check(count + 1, error);
        const sos_status status = name_parse(at, length, count, out, error);
        if (status) return status;
        for (size_t l = 0; l < count; l++)
            if (!strcmp(out->name[l], out->name[count]))
                return sos_fail(error, SOS_ERR_ARGUMENT, "two labels have the name '%s'", out->name[l]);
        at += length;
        if (!*at++) break;
    }
    out->count = ++count;
    out->unknown = SOS_LABEL_VOID;
    return count_check(count, error);
}

/* ---------------------------------------------------------------- pictures */

void sos_labelled_free(sos_labelled *p)
{
    sos_image_free(&p->picture);
    free(p->truth);
    free(p->care);
    *p = (sos_labelled){ 0 };
}

sos_status sos_label_truth_read(const sos_item *item, size_t count, int unknown, sos_image *out, sos_error *error)
{
    if (!item->labels) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no true labels", item->name);
    sos_image labels;
    const sos_status status = sos_image_read(item->labels, SOS_IMAGE_LABELS, &labels, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(&labels); i++) {
        const size_t label = labels.pixels[i], width = labels.width;
        if (label < count || (int)label == unknown) continue;
        sos_image_free(&labels);
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "'%.300s': column %zu, row %zu has label %zu, but there are %zu labels, from 0 on", item->labels,
                        i % width, i / width, label, count);
    }
    *out = labels;
    return SOS_OK;
}

/* care is made only where something is unknown. */
static sos_status care_find(int unknown, size_t n, sos_labelled *p, sos_error *error)
{
    size_t some = 0;
    for (size_t i = 0; i < n; i++) some += p->truth[i] == unknown;
    if (!some) return SOS_OK;
    p->care = malloc(n);
    if (!p->care) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    for (size_t i = 0; i < n; i++) {
        p->care[i] = p->truth[i] != unknown;
        if (!p->care[i]) p->truth[i] = 0;
    }
    return SOS_OK;
}

sos_status sos_labelled_read(const sos_item *item, size_t count, int unknown, sos_labelled *out, sos_error *error)
{
    sos_labelled p = { 0 };
    sos_image labels = { 0 };
    if (!item->image) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has no photograph", item->name);
    sos_status status = sos_image_read(item->image, SOS_IMAGE_COLOUR, &p.picture, error);
    if (!status) status = sos_label_truth_read(item, count, unknown, &labels, error);
    p.truth = labels.pixels;
    if (!status && (labels.width != p.picture.width || labels.height != p.picture.height))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", item->labels,
                          labels.width, labels.height, p.picture.width, p.picture.height);
    if (!status) status = care_find(unknown, sos_image_size(&p.picture), &p, error);
    if (status)
        sos_labelled_free(&p);
    else
        *out = p;
    return status;
}

sos_status sos_label_count(const sos_dataset *d, int unknown, size_t *count, sos_error *error)
{
    size_t most = 0;
    for (size_t i = 0; i < d->count; i++) {
        sos_image labels;
        const sos_status status = sos_label_truth_read(&d->items[i], 256, unknown, &labels, error);
        if (status) return status;
        for (size_t j = 0; j < sos_image_size(&labels); j++)
            if (labels.pixels[j] != unknown && labels.pixels[j] >= most) most = (size_t)labels.pixels[j] + 1;
        sos_image_free(&labels);
    }
    if (most < 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the pictures in '%.300s' have %s; there must be 2 or more", d->folder,
                        most ? "one label only, 0" : "no labels");
    *count = most;
    return SOS_OK;
}

sos_status sos_label_picture(const sos_label_names *names, size_t width, size_t height, const uint8_t labels[],
                             const uint8_t care[], sos_image *out, sos_error *error)
{
    const sos_status status = sos_image_create(width, height, 3, out, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) {
        const bool known = (!care || care[i]) && labels[i] < names->count;
        const uint32_t colour = known ? names->colour[labels[i]] : 0;
        for (size_t c = 0; c < 3; c++) out->pixels[3 * i + c] = (uint8_t)(colour >> (16 - 8 * c));
    }
    return SOS_OK;
}
