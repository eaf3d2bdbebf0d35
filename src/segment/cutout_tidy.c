/* cutout_tidy.c - labels as people expect of a cut-out: no specks, and the part of the object that was marked. */
#include <s3svm/cutout.h>

#include <stdlib.h>

#include "base/error.h"
#include "vision/components.h"

/* A part of object or background. */
typedef struct part {
    size_t pixels;
    bool marked; /* a mark in it says what it is */
    bool object;
} part;

/* What parts there are, by their numbers for each pixel. */
static void parts_measure(const sos_image *marks, const uint8_t labels[], const uint32_t numbers[], part parts[])
{
    for (size_t i = 0; i < sos_image_size(marks); i++) {
        part *p = &parts[numbers[i]];
        p->pixels++;
        p->object = labels[i];
        p->marked = p->marked || marks->pixels[i] == (labels[i] ? SOS_MARK_OBJECT : SOS_MARK_BACKGROUND);
    }
}

/* Whether a part stays what it is.  connected is about objects only, and only where one of their parts is marked. */
static bool is_kept(const part *p, const sos_cutout_tidying *t, bool any_marked)
{
    if (p->marked) return true;
    if (t->connected && any_marked && p->object) return false;
    return p->pixels >= t->specks;
}

sos_cutout_tidying sos_cutout_tidying_defaults(size_t pixels)
{
    enum { SHARE = 10000 }; /* a speck is less than this part of the picture: 20 pixels of 0.2 megapixels */
    return (sos_cutout_tidying){ .specks = pixels / SHARE };
}

sos_status sos_cutout_tidy(const sos_image *marks, const sos_cutout_tidying *tidying, uint8_t labels[], size_t *changed,
                           sos_error *error)
{
    const size_t n = marks ? sos_image_size(marks) : 0;
    if (!n || !labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks or no labels were given");
    const sos_cutout_tidying t = tidying ? *tidying : sos_cutout_tidying_defaults(n);
    uint32_t *numbers = malloc(n * sizeof *numbers);
    part *parts = NULL;
    size_t count = 0, turned = 0;
    bool any_marked = false;
    sos_status status = numbers ? sos_components(marks->width, marks->height, labels, numbers, &count, error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for the parts of %zu pixels", n);
    if (!status) {
        parts = calloc(count, sizeof *parts);
        if (!parts) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu parts", count);
    }
    if (!status) {
        parts_measure(marks, labels, numbers, parts);
        for (size_t p = 0; p < count; p++) any_marked = any_marked || (parts[p].object && parts[p].marked);
        for (size_t i = 0; i < n; i++)
            if (!is_kept(&parts[numbers[i]], &t, any_marked)) {
                labels[i] = !labels[i];
                turned++;
            }
        if (changed) *changed = turned;
    }
    free(numbers);
    free(parts);
    return status;
}
