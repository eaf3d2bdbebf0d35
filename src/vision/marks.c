#include "vision/marks.h"

#include <string.h>

#include "base/error.h"

sos_status s3svm_photograph_check(const s3svm_image *photograph, sos_error *error)
{
    if (!photograph || !photograph->pixels || !s3svm_image_size(photograph))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no photograph was given");
    if (photograph->channels == 3) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "a photograph of 3 channels is needed, this one has %zu", photograph->channels);
}

sos_status s3svm_labels_check(const s3svm_image *photograph, const uint8_t labels[], sos_error *error)
{
    const sos_status status = s3svm_photograph_check(photograph, error);
    if (status) return status;
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no labels were given");
    for (size_t i = 0; i < s3svm_image_size(photograph); i++)
        if (labels[i] > 1)
            return sos_fail(error, SOS_ERR_ARGUMENT, "pixel (%zu, %zu) has label %d", i % photograph->width,
                            i / photograph->width, labels[i]);
    return SOS_OK;
}

sos_status s3svm_marks_check(const s3svm_image *photograph, const s3svm_image *marks, uint8_t end, sos_error *error)
{
    const sos_status status = s3svm_photograph_check(photograph, error);
    if (status) return status;
    if (!marks || !marks->pixels) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks were given");
    if (marks->channels != 1 || marks->width != photograph->width || marks->height != photograph->height)
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "the marks have %zu by %zu pixels with %zu channels, the photograph %zu by %zu", marks->width,
                        marks->height, marks->channels, photograph->width, photograph->height);
    for (size_t i = 0; i < s3svm_image_size(marks); i++)
        if (marks->pixels[i] >= end)
            return sos_fail(error, SOS_ERR_ARGUMENT, "the mark of column %zu, row %zu is %d; marks are %s", i % marks->width,
                            i / marks->width, marks->pixels[i],
                            end == S3SVM_MARKS ? "0 to 4" : "0 none, 1 object, 2 background");
    return SOS_OK;
}

size_t s3svm_marks_mask(const s3svm_image *marks, uint8_t mark, uint8_t mask[])
{
    size_t count = 0;
    for (size_t i = 0; i < s3svm_image_size(marks); i++) count += mask[i] = marks->pixels[i] == mark;
    return count;
}

bool s3svm_marks_are_none(size_t count, const uint8_t marks[])
{
    return !count || (marks[0] == S3SVM_MARK_NONE && !memcmp(marks, marks + 1, count - 1));
}

/* Row by row: in most of them nothing is marked. */
void s3svm_marks_count(const s3svm_image *marks, size_t counts[S3SVM_MARKS])
{
    memset(counts, 0, S3SVM_MARKS * sizeof *counts);
    for (size_t y = 0; y < marks->height; y++) {
        const uint8_t *row = marks->pixels + y * marks->width;
        if (s3svm_marks_are_none(marks->width, row)) {
            counts[S3SVM_MARK_NONE] += marks->width;
            continue;
        }
        for (size_t x = 0; x < marks->width; x++)
            if (row[x] < S3SVM_MARKS) counts[row[x]]++;
    }
}
