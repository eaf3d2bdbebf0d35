#include "thumbnails.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upload.h"

enum {
    SIDE = 400,
    KEPT = 256
}; /* pixels, two for each of a screen's where these are small; thumbnails of some 200 kilobytes */

typedef struct thumbnail {
    uint64_t hash;
    uint8_t *bytes;
    size_t length;
} thumbnail;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static thumbnail kept[KEPT];
static size_t next; /* place to use */

static void bytes_answer(const uint8_t bytes[], size_t length, uint64_t hash, response *a)
{
    uint8_t *copy = malloc(length);
    if (!copy) {
        response_memory(a);
        return;
    }
    memcpy(copy, bytes, length);
    response_bytes(a, 200, "image/png", copy, length);
    a->lasting = true;
    snprintf(a->tag, sizeof a->tag, "%016" PRIx64, hash);
}

bool thumbnail_find(uint64_t hash, response *a)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KEPT && !found; i++) {
        found = kept[i].bytes && kept[i].hash == hash;
        if (found) bytes_answer(kept[i].bytes, kept[i].length, hash, a);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Where a pixel of the thumbnail lies along one side of the picture: from, and the share of each pixel it covers. */
typedef struct stretch {
    size_t first, count;
    double head, tail; /* shares of the first and of the last */
} stretch;

static stretch stretch_of(size_t at, size_t small, size_t large)
{
    const double step = (double)large / (double)small, from = (double)at * step, to = from + step;
    const size_t first = (size_t)from, end = (size_t)ceil(to - 1e-9), last = (end < large ? end : large) - 1;
    return (
        stretch){ .first = first, .count = last - first + 1, .head = (double)(first + 1) - from, .tail = to - (double)last };
}

static double stretch_weight(const stretch *s, size_t i)
{
    if (s->count == 1) return 1;
    return i == 0 ? s->head : i + 1 == s->count ? s->tail : 1;
}

/* The mean colour of what a pixel of the thumbnail covers. */
static void thumbnail_pixel(const s3svm_image *image, const stretch *across, const stretch *down, uint8_t mean[3])
{
    double sums[3] = { 0 }, whole = 0;
    for (size_t y = 0; y < down->count; y++)
        for (size_t x = 0; x < across->count; x++) {
            const uint8_t *in = image->pixels + 3 * ((down->first + y) * image->width + across->first + x);
            const double weight = stretch_weight(across, x) * stretch_weight(down, y);
            whole += weight;
            for (size_t c = 0; c < 3; c++) sums[c] += weight * in[c];
        }
    for (size_t c = 0; c < 3; c++) mean[c] = (uint8_t)(sums[c] / whole + 0.5);
}

static size_t side_of(size_t side, size_t longer)
{
    const size_t small = longer > SIDE ? (side * SIDE + longer / 2) / longer : side;
    return small ? small : 1;
}

/* The longer side gets SIDE pixels; pictures that are smaller stay as they are. */
static sos_status image_shrink(const s3svm_image *image, s3svm_image *out, sos_error *error)
{
    const size_t longer = image->width > image->height ? image->width : image->height;
    const sos_status status = s3svm_image_create(side_of(image->width, longer), side_of(image->height, longer), 3, out, error);
    if (status) return status;
    for (size_t y = 0; y < out->height; y++) {
        const stretch down = stretch_of(y, out->height, image->height);
        for (size_t x = 0; x < out->width; x++) {
            const stretch across = stretch_of(x, out->width, image->width);
            thumbnail_pixel(image, &across, &down, out->pixels + 3 * (y * out->width + x));
        }
    }
    return SOS_OK;
}

static void thumbnail_keep(uint64_t hash, uint8_t *bytes, size_t length)
{
    pthread_mutex_lock(&lock);
    thumbnail *t = &kept[next++ % KEPT];
    free(t->bytes);
    *t = (thumbnail){ .hash = hash, .bytes = bytes, .length = length };
    pthread_mutex_unlock(&lock);
}

void thumbnail_make(const char *bytes, size_t length, const char *name, uint64_t hash, response *a)
{
    picture p;
    s3svm_image small = { 0 };
    uint8_t *png;
    size_t size;
    sos_error error;
    if (!upload_decode(bytes, length, name, false, &p, a)) return;
    sos_status status = image_shrink(&p.image, &small, &error);
    if (!status) status = s3svm_image_encode(&small, &png, &size, &error);
    s3svm_image_free(&small);
    upload_free(&p);
    if (status) {
        response_failure(a, status, &error);
        return;
    }
    bytes_answer(png, size, hash, a);
    thumbnail_keep(hash, png, size);
}
