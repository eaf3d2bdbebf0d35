#include "thumbnails.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upload.h"

enum { SIDE = 160, KEPT = 512 }; /* pixels; thumbnails of some 40 kilobytes */

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

/* The mean colour of a block of k by k pixels, or of what the picture has of it. */
static void thumbnail_pixel(const s3svm_image *image, size_t left, size_t top, size_t k, uint8_t mean[3])
{
    size_t sums[3] = { 0 }, count = 0;
    for (size_t y = top; y < top + k && y < image->height; y++)
        for (size_t x = left; x < left + k && x < image->width; x++, count++)
            for (size_t c = 0; c < 3; c++) sums[c] += image->pixels[3 * (y * image->width + x) + c];
    for (size_t c = 0; c < 3; c++) mean[c] = (uint8_t)(count ? sums[c] / count : 0);
}

static sos_status image_shrink(const s3svm_image *image, s3svm_image *out, sos_error *error)
{
    const size_t longer = image->width > image->height ? image->width : image->height, k = (longer + SIDE - 1) / SIDE;
    const sos_status status = s3svm_image_create((image->width + k - 1) / k, (image->height + k - 1) / k, 3, out, error);
    if (status) return status;
    for (size_t y = 0; y < out->height; y++)
        for (size_t x = 0; x < out->width; x++) thumbnail_pixel(image, x * k, y * k, k, out->pixels + 3 * (y * out->width + x));
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
    if (!upload_read(bytes, length, name, false, &p, a)) return;
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
