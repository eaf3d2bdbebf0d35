/* resample.c - pictures, marks, labels and maps in blocks, and back. */
#include "vision/resample.h"

#include <string.h>

#include "vision/marks.h"

/* ---------------------------------------------------------------- blocks */

static size_t parts_of(size_t side, size_t factor) { return (side + factor - 1) / factor; }

s3svm_blocks s3svm_blocks_of(const s3svm_image *picture, size_t factor)
{
    return (s3svm_blocks){ .factor = factor,
                           .width = picture->width,
                           .height = picture->height,
                           .columns = parts_of(picture->width, factor),
                           .rows = parts_of(picture->height, factor) };
}

s3svm_blocks s3svm_blocks_within(const s3svm_image *picture, size_t most)
{
    size_t factor = 1;
    while (most && parts_of(picture->width, factor) * parts_of(picture->height, factor) > most) factor++;
    return s3svm_blocks_of(picture, factor);
}

/* One block: from left and top to before right and bottom. */
typedef struct block {
    size_t left, top, right, bottom;
} block;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static block block_at(const s3svm_blocks *b, size_t column, size_t row)
{
    const size_t f = b->factor;
    return (block){ column * f, row * f, least(column * f + f, b->width), least(row * f + f, b->height) };
}

/* ---------------------------------------------------------------- smaller */

static void block_mean(const s3svm_image *picture, const block *b, uint8_t mean[])
{
    const uint64_t count = (b->right - b->left) * (b->bottom - b->top);
    uint64_t sums[4] = { count / 2, count / 2, count / 2, count / 2 };
    for (size_t y = b->top; y < b->bottom; y++)
        for (size_t x = b->left; x < b->right; x++)
            for (size_t c = 0; c < picture->channels; c++)
                sums[c] += picture->pixels[picture->channels * (y * picture->width + x) + c];
    for (size_t c = 0; c < picture->channels; c++) mean[c] = (uint8_t)(sums[c] / count);
}

sos_status s3svm_blocks_mean(const s3svm_blocks *b, const s3svm_image *picture, s3svm_image *out, sos_error *error)
{
    const sos_status status = s3svm_image_create(b->columns, b->rows, picture->channels, out, error);
    if (status) return status;
    uint8_t *mean = out->pixels;
    for (size_t row = 0; row < b->rows; row++)
        for (size_t column = 0; column < b->columns; column++, mean += picture->channels) {
            const block one = block_at(b, column, row);
            block_mean(picture, &one, mean);
        }
    return SOS_OK;
}

static float block_mean_real(const float values[], size_t width, const block *b)
{
    double sum = 0;
    for (size_t y = b->top; y < b->bottom; y++)
        for (size_t x = b->left; x < b->right; x++) sum += (double)values[y * width + x];
    return (float)(sum / (double)((b->right - b->left) * (b->bottom - b->top)));
}

sos_status s3svm_blocks_maps(const s3svm_blocks *b, const s3svm_maps *maps, s3svm_maps *out, sos_error *error)
{
    const sos_status status = s3svm_maps_create(b->columns, b->rows, maps->channels, out, error);
    if (status) return status;
    float *mean = out->values;
    for (size_t c = 0; c < maps->channels; c++)
        for (size_t row = 0; row < b->rows; row++)
            for (size_t column = 0; column < b->columns; column++) {
                const block one = block_at(b, column, row);
                *mean++ = block_mean_real(maps->values + c * maps->width * maps->height, maps->width, &one);
            }
    return SOS_OK;
}

static uint8_t block_mark(const s3svm_image *marks, const block *b)
{
    size_t counts[S3SVM_MARKS] = { 0 };
    for (size_t y = b->top; y < b->bottom; y++)
        for (size_t x = b->left; x < b->right; x++) counts[marks->pixels[y * marks->width + x]]++;
    if (counts[S3SVM_MARK_OBJECT] + counts[S3SVM_MARK_BACKGROUND])
        return counts[S3SVM_MARK_OBJECT] >= counts[S3SVM_MARK_BACKGROUND] ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND;
    int best = S3SVM_MARK_NONE;
    for (int mark = S3SVM_MARK_PERHAPS_OBJECT; mark < S3SVM_MARKS; mark++)
        if (counts[mark] > counts[best]) best = mark;
    return (uint8_t)best;
}

sos_status s3svm_blocks_marks(const s3svm_blocks *b, const s3svm_image *marks, s3svm_image *out, sos_error *error)
{
    const sos_status status = s3svm_image_create(b->columns, b->rows, 1, out, error);
    if (status) return status;
    if (b->factor == 1) memcpy(out->pixels, marks->pixels, s3svm_image_size(out));
    for (size_t row = 0; row < b->rows && b->factor > 1; row++) {
        const block first = block_at(b, 0, row);
        if (s3svm_marks_are_none((first.bottom - first.top) * b->width, marks->pixels + first.top * b->width)) continue;
        for (size_t column = 0; column < b->columns; column++) {
            const block one = block_at(b, column, row);
            out->pixels[row * b->columns + column] = block_mark(marks, &one);
        }
    }
    return SOS_OK;
}

void s3svm_blocks_middle(const s3svm_blocks *b, const uint8_t values[], uint8_t out[])
{
    if (b->factor == 1) memcpy(out, values, s3svm_blocks_size(b));
    for (size_t row = 0; row < b->rows && b->factor > 1; row++)
        for (size_t column = 0; column < b->columns; column++) {
            const size_t x = least(column * b->factor + b->factor / 2, b->width - 1);
            const size_t y = least(row * b->factor + b->factor / 2, b->height - 1);
            out[row * b->columns + column] = values[y * b->width + x];
        }
}

/* ---------------------------------------------------------------- larger */

/* Where the middle of a pixel falls among the middles of blocks: the block before, the one after, and how far beyond the first
 * it is, 2 factor being the distance between them. */
typedef struct place {
    size_t before, after, beyond;
} place;

static place place_of(size_t pixel, size_t factor, size_t blocks)
{
    if (2 * pixel + 1 < factor) return (place){ 0, 0, 0 };
    const size_t position = 2 * pixel + 1 - factor, before = position / (2 * factor);
    return (place){ before, before + 1 < blocks ? before + 1 : before, position % (2 * factor) };
}

void s3svm_blocks_grow(const s3svm_blocks *b, const float values[], float out[])
{
    const float whole = (float)(2 * b->factor);
    for (size_t y = 0; y < b->height; y++) {
        const place row = place_of(y, b->factor, b->rows);
        const float *upper = values + row.before * b->columns, *lower = values + row.after * b->columns;
        const float down = (float)row.beyond / whole;
        for (size_t x = 0; x < b->width; x++) {
            const place column = place_of(x, b->factor, b->columns);
            const float right = (float)column.beyond / whole;
            const float above = (1 - right) * upper[column.before] + right * upper[column.after];
            const float below = (1 - right) * lower[column.before] + right * lower[column.after];
            out[y * b->width + x] = (1 - down) * above + down * below;
        }
    }
}

void s3svm_blocks_grow_labels(const s3svm_blocks *b, const uint8_t labels[], uint8_t out[])
{
    const size_t whole = 2 * b->factor;
    if (b->factor == 1) memcpy(out, labels, s3svm_blocks_size(b));
    for (size_t y = 0; y < b->height && b->factor > 1; y++) {
        const place row = place_of(y, b->factor, b->rows);
        const uint8_t *upper = labels + row.before * b->columns, *lower = labels + row.after * b->columns;
        for (size_t x = 0; x < b->width; x++) {
            const place column = place_of(x, b->factor, b->columns);
            const size_t above = upper[column.before] * (whole - column.beyond) + upper[column.after] * column.beyond;
            const size_t below = lower[column.before] * (whole - column.beyond) + lower[column.after] * column.beyond;
            out[y * b->width + x] = 2 * (above * (whole - row.beyond) + below * row.beyond) >= whole * whole;
        }
    }
}
