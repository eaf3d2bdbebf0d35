/* tidy.c - connected parts of labels by runs along rows, and which of them stay. */
#include "segment/model/tidy.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void s3svm_tidier_free(s3svm_tidier *t)
{
    free(t->runs);
    *t = (s3svm_tidier){ 0 };
}

/* ---------------------------------------------------------------- runs */

static size_t run_length(const uint8_t labels[], size_t left)
{
    const uint8_t *other = memchr(labels, labels[0] ? 0 : 1, left);
    return other ? (size_t)(other - labels) : left;
}

static size_t runs_count(size_t width, size_t height, const uint8_t labels[])
{
    size_t count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x += run_length(labels + y * width + x, width - x)) count++;
    return count;
}

sos_status s3svm_tidier_reserve(s3svm_tidier *t, size_t width, size_t height, const uint8_t labels[], sos_error *error)
{
    const size_t count = runs_count(width, height, labels) + 1;
    if (sos_grow(&t->runs, &t->room, count)) return SOS_OK;
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the parts of %zu by %zu pixels", width, height);
}

static size_t length_of(const s3svm_run *r) { return r[1].first - r[0].first; }

/* ---------------------------------------------------------------- parts */

/* The first run of a part, by way of parents; paths are halved on the way. */
static size_t root_of(s3svm_run runs[], size_t i)
{
    while (runs[i].parent != i) {
        runs[i].parent = runs[runs[i].parent].parent;
        i = runs[i].parent;
    }
    return i;
}

static void unite(s3svm_run runs[], size_t a, size_t b)
{
    a = root_of(runs, a);
    b = root_of(runs, b);
    if (a < b)
        runs[b].parent = (uint32_t)a;
    else
        runs[a].parent = (uint32_t)b;
}

/* Unites a run with those above it that it touches: *above is the first that does not end before it, end the end of their row.
 */
static void run_unite(s3svm_run runs[], size_t run, size_t width, const uint8_t labels[], size_t *above, size_t end)
{
    const size_t first = runs[run].first - width, behind = runs[run + 1].first - width;
    const uint8_t label = labels[runs[run].first];
    while (*above < end && runs[*above + 1].first < first) ++*above;
    for (size_t i = *above; i < end && runs[i].first <= behind; i++) {
        const size_t corner = label; /* objects touch along corners as well */
        const bool touch = runs[i].first < behind + corner && first < runs[i + 1].first + corner;
        if (touch && labels[runs[i].first] == label) unite(runs, run, i);
    }
}

/* All runs, with their parts; returns how many there are. */
static size_t parts_find(size_t width, size_t height, const uint8_t labels[], s3svm_run runs[])
{
    size_t count = 0, row = 0; /* runs; the first of the row above */
    for (size_t y = 0; y < height; y++) {
        const size_t begin = count;
        for (size_t x = 0; x < width; x += run_length(labels + y * width + x, width - x), count++)
            runs[count] = (s3svm_run){ .first = (uint32_t)(y * width + x), .parent = (uint32_t)count };
        runs[count].first = (uint32_t)((y + 1) * width);
        for (size_t run = begin, above = row; y && run < count; run++) run_unite(runs, run, width, labels, &above, begin);
        row = begin;
    }
    return count;
}

static void parts_measure(const s3svm_image *marks, const uint8_t labels[], size_t count, s3svm_run runs[])
{
    for (size_t i = 0; i < count; i++) {
        const size_t first = runs[i].first, length = length_of(&runs[i]);
        const int mark = labels[first] ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND;
        s3svm_run *part = &runs[root_of(runs, i)];
        part->pixels += (uint32_t)length;
        part->marked = part->marked || memchr(marks->pixels + first, mark, length);
    }
}

/* ---------------------------------------------------------------- tidying */

/* Whether a part stays what it is.  connected is about objects only, and only where one of their parts is marked. */
static bool is_kept(const s3svm_run *part, bool object, bool connected, size_t specks)
{
    return part->marked || (!(connected && object) && part->pixels >= specks);
}

size_t s3svm_tidier_tidy(s3svm_tidier *t, const s3svm_tidying *tidying, const s3svm_image *marks, uint8_t labels[])
{
    enum { SHARE = 10000 }; /* a speck is less than this part of the picture: 20 pixels of 0.2 megapixels */
    const size_t n = s3svm_image_size(marks), specks = tidying->specks ? tidying->specks : n / SHARE;
    size_t changed = 0;
    bool connected = false;
    if (specks <= 1 && !tidying->connected) return 0;
    const size_t count = parts_find(marks->width, marks->height, labels, t->runs);
    parts_measure(marks, labels, count, t->runs);
    for (size_t i = 0; i < count && tidying->connected && !connected; i++)
        connected = t->runs[i].parent == i && t->runs[i].marked && labels[t->runs[i].first];
    for (size_t i = 0; i < count; i++) {
        const size_t first = t->runs[i].first, length = length_of(&t->runs[i]);
        if (is_kept(&t->runs[root_of(t->runs, i)], labels[first], connected, specks)) continue;
        memset(labels + first, !labels[first], length);
        changed += length;
    }
    return changed;
}
