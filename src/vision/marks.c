#include "vision/marks.h"

#include <string.h>

#include "base/error.h"

sos_status sos_photograph_check(const sos_image *photograph, sos_error *error)
{
    if (!photograph || !photograph->pixels || !sos_image_size(photograph))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no photograph was given");
    if (photograph->channels == 3) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "a photograph of 3 channels is needed, this one has %zu", photograph->channels);
}

sos_status sos_labels_check(const sos_image *photograph, const uint8_t labels[], sos_error *error)
{
    const sos_status status = sos_photograph_check(photograph, error);
    if (status) return status;
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no labels were given");
    for (size_t i = 0; i < sos_image_size(photograph); i++)
        if (labels[i] > 1)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel (%zu, %zu) has label %d", i % photograph->width,
                            i / photograph->width, labels[i]);
    return SOS_OK;
}

sos_status sos_marks_check(const sos_image *photograph, const sos_image *marks, uint8_t end, sos_error *error)
{
    const sos_status status = sos_photograph_check(photograph, error);
    if (status) return status;
    if (!marks || !marks->pixels) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks were given");
    if (marks->channels != 1 || marks->width != photograph->width || marks->height != photograph->height)
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "the marks have %zu by %zu pixels with %zu channels, the photograph %zu by %zu", marks->width,
                        marks->height, marks->channels, photograph->width, photograph->height);
    for (size_t i = 0; i < sos_image_size(marks); i++)
        if (marks->pixels[i] >= end)
            return sos_fail(error, SOS_ERR_ARGUMENT, "the mark of column %zu, row %zu is %d; marks are %s", i % marks->width,
                            i / marks->width, marks->pixels[i], end == SOS_MARKS ? "0 to 4" : "0 none, 1 object, 2 background");
    return SOS_OK;
}

size_t sos_marks_mask(const sos_image *marks, uint8_t mark, uint8_t mask[])
{
    size_t count = 0;
    for (size_t i = 0; i < sos_image_size(marks); i++) count += mask[i] = marks->pixels[i] == mark;
    return count;
}

void sos_marks_count(const sos_image *marks, size_t counts[SOS_MARKS])
{
    memset(counts, 0, SOS_MARKS * sizeof *counts);
    for (size_t i = 0; i < sos_image_size(marks); i++)
        if (marks->pixels[i] < SOS_MARKS) counts[marks->pixels[i]]++;
}

/* Whether a number from start on, length of them, holds x; by doubles, since start + length may be too much for a long. */
static bool is_within(size_t x, long start, long length)
{
    return (double)x >= (double)start && (double)x < (double)start + (double)length;
}

static bool overlaps(size_t side, long start, long length)
{
    return length > 0 && (double)start < (double)side && (double)start + (double)length > 0;
}

sos_status sos_marks_rectangle(sos_image *marks, const long rectangle[4], sos_error *error)
{
    const long *r = rectangle;
    if (!overlaps(marks->width, r[0], r[2]) || !overlaps(marks->height, r[1], r[3]))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the rectangle %ld,%ld,%ld,%ld has no pixel of a photograph of %zu by %zu",
                        r[0], r[1], r[2], r[3], marks->width, marks->height);
    for (size_t y = 0; y < marks->height; y++)
        for (size_t x = 0; x < marks->width; x++) {
            uint8_t *mark = marks->pixels + y * marks->width + x;
            if (sos_mark_is_sure(*mark)) continue;
            if (!is_within(x, r[0], r[2]) || !is_within(y, r[1], r[3]))
                *mark = SOS_MARK_BACKGROUND;
            else if (*mark == SOS_MARK_NONE)
                *mark = SOS_MARK_PERHAPS_OBJECT;
        }
    return SOS_OK;
}
