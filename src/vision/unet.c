/* unet.c - networks applied to pictures, tile by tile. */
#include "vision/unet.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"
#include "vision/unet_fields.h"

/* A response depends on pixels up to 29 away; tiles are so large that what they share with others is a small part. */
enum { MARGIN = 32, TILE = 288 };

sos_status s3svm_unet_create(s3svm_unet *out, sos_error *error)
{
    out->numbers = calloc(S3SVM_UNET_NUMBERS, sizeof *out->numbers);
    return out->numbers ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a network");
}

void s3svm_unet_free(s3svm_unet *u)
{
    free(u->numbers);
    *u = (s3svm_unet){ 0 };
}

/* Tiles of about the same size along one side. */
typedef struct cut {
    size_t all, count, size; /* size: a multiple of S3SVM_UNET_STEP */
} cut;

static cut cut_of(size_t all)
{
    const size_t count = (all + TILE - 1) / TILE, each = (all + count - 1) / count;
    const size_t size = (each + S3SVM_UNET_STEP - 1) / S3SVM_UNET_STEP * S3SVM_UNET_STEP;
    return (cut){ all, (all + size - 1) / size, size };
}

/* What a tile answers for, and what it sees. */
typedef struct range {
    size_t begin, end, seen, seen_size;
} range;

static range range_of(const cut *c, size_t i)
{
    const size_t begin = i * c->size, end = begin + c->size < c->all ? begin + c->size : c->all;
    const size_t seen = begin > MARGIN ? begin - MARGIN : 0, seen_end = end + MARGIN < c->all ? end + MARGIN : c->all;
    return (range){ begin, end, seen, (seen_end - seen + S3SVM_UNET_STEP - 1) / S3SVM_UNET_STEP * S3SVM_UNET_STEP };
}

static sos_status tile_apply(const s3svm_unet *u, const s3svm_plane *in, const range *x, const range *y, s3svm_plane *out,
                             sos_error *error)
{
    s3svm_unet_fields f;
    const sos_status status = s3svm_unet_fields_create(x->seen_size, y->seen_size, false, &f, error);
    if (status) return status;
    s3svm_unet_field *input = &f.field[0];
    for (size_t j = 0; j < y->seen_size && y->seen + j < in->height; j++)
        for (size_t i = 0; i < x->seen_size && x->seen + i < in->width; i++)
            input->values[s3svm_unet_at(input, i, j)] = in->values[(y->seen + j) * in->width + x->seen + i];
    s3svm_unet_forward(u, &f);
    for (size_t j = y->begin; j < y->end; j++)
        for (size_t i = x->begin; i < x->end; i++)
            out->values[j * out->width + i] = f.response[(j - y->seen) * x->seen_size + i - x->seen];
    s3svm_unet_fields_free(&f);
    return SOS_OK;
}

sos_status s3svm_unet_apply(const s3svm_unet *u, const s3svm_plane *in, int threads, s3svm_plane *out, sos_error *error)
{
    const cut across = cut_of(in->width), down = cut_of(in->height);
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t t = 0; t < across.count * down.count; t++) {
        const range x = range_of(&across, t % across.count), y = range_of(&down, t / across.count);
        sos_error why;
        const sos_status failed = tile_apply(u, in, &x, &y, out, &why);
        if (failed) sos_failure_note(&failure, t, failed, &why);
    }
    return sos_failure_status(&failure, "tile", error);
}
