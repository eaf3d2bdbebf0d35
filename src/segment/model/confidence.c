#include "segment/model/confidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/marginals.h>

#include "base/error.h"
#include "vision/distance.h"
#include "vision/superpixel.h"

enum {
    PIECES = 200,       /* superpixels, about */
    PIECE_LEAST = 30,   /* pixels of one that is proposed: smaller ones are slivers along the outline; */
    PIECE_SHARE = 1000, /* in small pictures such a part of all */
    NONE = -1
};

/* A superpixel, or the part of one that has a label, without what is marked. */
typedef struct piece {
    size_t pixels;
    double rise; /* of the least energy, if all of it has the other label */
} piece;

typedef struct finding {
    const s3svm_confidence_input *in;
    size_t n;
    uint32_t *superpixel; /* [n] */
    int32_t *piece_of;    /* [n] or NONE */
    uint8_t *labels;      /* [n] of least energy */
    size_t *start;        /* [count + 1] into members */
    uint32_t *members;    /* [n] pixels, piece by piece */
    piece *pieces;
    size_t count;
    double *rises; /* [2 count] */
    float *depth;  /* [n] room */
    uint8_t *mask; /* [n] room */
    sos_error *error;
} finding;

static void finding_free(finding *f)
{
    free(f->superpixel);
    free(f->piece_of);
    free(f->labels);
    free(f->start);
    free(f->members);
    free(f->pieces);
    free(f->rises);
    free(f->depth);
    free(f->mask);
}

static sos_status finding_create(finding *f)
{
    const size_t n = f->n;
    f->superpixel = malloc(n * sizeof *f->superpixel);
    f->piece_of = malloc(n * sizeof *f->piece_of);
    f->labels = malloc(n);
    f->members = malloc(n * sizeof *f->members);
    f->depth = malloc(n * sizeof *f->depth);
    f->mask = malloc(n);
    if (f->superpixel && f->piece_of && f->labels && f->members && f->depth && f->mask) return SOS_OK;
    return sos_fail(f->error, SOS_ERR_MEMORY, "no memory for the confidence of %zu pixels", n);
}

/* ---------------------------------------------------------------- pieces */

/* Numbers the pieces by their first pixels; *id receives the number of every superpixel's part with label 0 and with label 1.
 */
static void pieces_number(finding *f, int32_t id[])
{
    for (size_t i = 0; i < f->n; i++) {
        int32_t *number = &id[2 * f->superpixel[i] + f->labels[i]];
        f->piece_of[i] = NONE;
        if (f->in->marked[i]) continue;
        if (*number == NONE) *number = (int32_t)f->count++;
        f->piece_of[i] = *number;
    }
}

static void pieces_fill(finding *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->piece_of[i] != NONE) f->pieces[f->piece_of[i]].pixels++;
    for (size_t p = 0; p < f->count; p++) f->start[p + 1] = f->start[p] + f->pieces[p].pixels;
    for (size_t i = 0; i < f->n; i++)
        if (f->piece_of[i] != NONE) f->members[f->start[f->piece_of[i]]++] = (uint32_t)i;
    for (size_t p = f->count; p-- > 0;) f->start[p + 1] = f->start[p];
    f->start[0] = 0;
}

/* Superpixels, cut where the labels of least energy change. */
static sos_status pieces_find(finding *f)
{
    s3svm_superpixel_settings s = s3svm_superpixel_defaults();
    sos_minimize_settings minimize = sos_minimize_defaults();
    size_t count = 0;
    s.count = PIECES;
    s.threads = f->in->work->threads;
    minimize.work = *f->in->work;
    sos_status status = s3svm_superpixels(f->in->picture, &s, f->superpixel, &count, f->error);
    if (!status) status = sos_minimize(f->in->energy, &minimize, f->labels, NULL, f->error);
    if (status) return status;
    int32_t *id = malloc((2 * count + 1) * sizeof *id);
    f->start = calloc(2 * count + 1, sizeof *f->start);
    f->pieces = calloc(2 * count + 1, sizeof *f->pieces);
    f->rises = malloc((4 * count + 1) * sizeof *f->rises);
    if (id && f->start && f->pieces && f->rises) {
        for (size_t k = 0; k < 2 * count; k++) id[k] = NONE;
        pieces_number(f, id);
        pieces_fill(f);
    } else
        status = sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    free(id);
    return status;
}

static sos_status rises_find(finding *f, s3svm_confidence *out)
{
    sos_marginals_settings s = sos_marginals_defaults();
    sos_marginals_result r;
    s.work = *f->in->work;
    const sos_status status = sos_min_marginals(f->in->energy, f->count, f->start, f->members, &s, f->labels, f->rises, NULL,
                                                &r, f->error);
    if (status) return status;
    for (size_t p = 0; p < f->count; p++) f->pieces[p].rise = f->rises[2 * p + !f->labels[f->members[f->start[p]]]];
    out->doubt = f->in->scale * r.doubt;
    return SOS_OK;
}

/* ---------------------------------------------------------------- where to look next */

/* A share of the energy in pixels: what a wrong pixel costs in training is one of as many as the picture has. */
static double per_pixel(const finding *f, double energy, size_t pixels)
{
    return f->in->scale * energy * (double)f->n / (double)pixels;
}

/* The first of the pieces that are turned over by the least rise of the energy, all of it together; NONE if all pixels are
 * marked, or all pieces are slivers.  By the rise per pixel, by what single pixels say, and by sums and products of them it was
 * wrong less often (docs/notes/segmentation.md). */
static int32_t piece_choose(const finding *f)
{
    const size_t share = f->n / PIECE_SHARE, least = share < PIECE_LEAST ? share : PIECE_LEAST;
    int32_t best = NONE;
    for (size_t p = 0; p < f->count; p++) {
        if (f->pieces[p].pixels < least) continue;
        if (best == NONE || f->pieces[p].rise < f->pieces[best].rise) best = (int32_t)p;
    }
    return best;
}

/* How far pixel i is from beyond the end of the picture. */
static float end_distance(const s3svm_image *picture, size_t i)
{
    const size_t x = i % picture->width, y = i / picture->width, right = picture->width - 1 - x,
                 below = picture->height - 1 - y;
    const size_t across = x < right ? x : right, down = y < below ? y : below;
    return (float)((across < down ? across : down) + 1);
}

/* The pixel of a piece that is farthest from the outside of it. */
static sos_status innermost_find(finding *f, int32_t chosen, size_t *place)
{
    const s3svm_image *picture = f->in->picture;
    float deepest = -1;
    for (size_t i = 0; i < f->n; i++) f->mask[i] = f->piece_of[i] != chosen;
    const sos_status status = s3svm_distance_euclidean(picture->width, picture->height, f->mask, f->in->work->threads, f->depth,
                                                       f->error);
    for (size_t i = 0; i < f->n && !status; i++) {
        const float depth = fminf(f->depth[i], end_distance(picture, i));
        if (f->mask[i] || depth <= deepest) continue;
        deepest = depth;
        *place = i;
    }
    return status;
}

static sos_status next_find(finding *f, s3svm_confidence *out)
{
    const int32_t chosen = piece_choose(f);
    size_t place = 0;
    if (chosen == NONE) return SOS_OK;
    const sos_status status = innermost_find(f, chosen, &place);
    if (status) return status;
    const piece *p = &f->pieces[chosen];
    out->found = true;
    out->next = (s3svm_point){ (float)(place % f->in->picture->width), (float)(place / f->in->picture->width) };
    out->confidence = fmin(per_pixel(f, p->rise, p->pixels), S3SVM_CONFIDENCE_MOST);
    return SOS_OK;
}

/* ---------------------------------------------------------------- the whole */

static void confidence_paint(const finding *f, float confidence[])
{
    for (size_t i = 0; i < f->n; i++) {
        const piece *p = f->piece_of[i] == NONE ? NULL : &f->pieces[f->piece_of[i]];
        confidence[i] = (float)(p ? fmin(per_pixel(f, p->rise, p->pixels), S3SVM_CONFIDENCE_MOST) : S3SVM_CONFIDENCE_MOST);
    }
}

sos_status s3svm_confidence_find(const s3svm_confidence_input *in, float confidence[], s3svm_confidence *out, sos_error *error)
{
    finding f = { .in = in, .n = s3svm_image_size(in->picture), .error = error };
    sos_status status = finding_create(&f);
    if (!status) status = pieces_find(&f);
    if (!status) status = rises_find(&f, out);
    if (!status) status = next_find(&f, out);
    if (!status) confidence_paint(&f, confidence);
    out->pieces = f.count;
    finding_free(&f);
    return status;
}

sos_status s3svm_confidence_image(size_t width, size_t height, const float confidence[], s3svm_image *out, sos_error *error)
{
    const sos_status status = s3svm_image_create(width, height, 1, out, error);
    for (size_t i = 0; i < width * height && !status; i++) {
        const double c = (double)confidence[i];
        out->pixels[i] = c >= S3SVM_CONFIDENCE_MOST ? 255 : (uint8_t)lround(255 * c / (1 + c));
    }
    return status;
}
