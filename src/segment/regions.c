/* regions.c - superpixels of a photograph, whose pixels should agree. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "segment/parts.h"
#include "vision/superpixel.h"

/* About how many superpixels a photograph has at each scale: small ones keep to outlines, large ones carry what is known of a
 * part of the object to all of it.  On validation pictures of one split 6.5 % of the pixels are wrong without superpixels, 6.1
 * with { 400, 100, 25 }, 5.9 with these. */
static const size_t PIECES[SOS_SEGMENT_SCALES] = { 100, 25, 6 };

/* The share of pixels that may disagree before robust P^n costs no more. */
static const double REACH = 0.3;

/* The superpixels of one scale, as lists of their pixels, and what their functions count. */
typedef struct piece_list {
    size_t count;
    uint32_t *pieces, *members;
    size_t *start;
    double *phi;
} piece_list;

static void pieces_free(piece_list *l)
{
    free(l->pieces);
    free(l->members);
    free(l->start);
    free(l->phi);
}

static sos_status pieces_create(const sos_segment_input *in, size_t about, piece_list *l, sos_error *error)
{
    const size_t n = sos_image_size(in->photograph);
    *l = (piece_list){ .pieces = malloc(n * sizeof *l->pieces), .members = malloc(n * sizeof *l->members) };
    if (!l->pieces || !l->members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for superpixels of %zu pixels", n);
    sos_superpixel_settings settings = sos_superpixel_defaults();
    settings.count = about < n ? about : n;
    settings.threads = in->threads;
    const sos_status status = sos_superpixels(in->photograph, &settings, l->pieces, &l->count, error);
    if (status) return status;
    l->start = malloc((l->count + 1) * sizeof *l->start);
    l->phi = calloc(l->count * SOS_SEGMENT_SCALES, sizeof *l->phi);
    if (!l->start || !l->phi) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", l->count);
    sos_superpixel_lists(n, l->pieces, l->count, l->start, l->members);
    return SOS_OK;
}

/* Costs are for every pixel of a superpixel: then large and small ones weigh what their pixels do. */
static sos_status robust_add(piece_list *l, size_t scale, uint32_t group, sos_example *x, sos_error *error)
{
    for (size_t p = 0; p < l->count; p++) l->phi[p * SOS_SEGMENT_SCALES + scale] = (double)(l->start[p + 1] - l->start[p]);
    return sos_example_add_regions(x, group, l->count, l->start, l->members, REACH, l->phi, error);
}

static sos_status counts_add(piece_list *l, uint32_t group, sos_example *x, sos_error *error)
{
    for (size_t p = 0; p < l->count; p++) l->phi[p] = (double)(l->start[p + 1] - l->start[p]);
    return sos_example_add_counts(x, group, l->count, l->start, l->members, NULL, l->phi, error);
}

sos_status sos_segment_regions_add(const sos_segment_parts *f, const sos_segment_input *in, sos_example *x, sos_error *error)
{
    const uint32_t first = sos_segment_regions(f);
    const bool counts = sos_segment_has_counts(f);
    sos_status status = SOS_OK;
    for (size_t scale = 0; scale < SOS_SEGMENT_SCALES && !status; scale++) {
        piece_list l;
        status = pieces_create(in, PIECES[scale], &l, error);
        if (!status)
            status = counts ? counts_add(&l, first + (uint32_t)scale, x, error) : robust_add(&l, scale, first, x, error);
        pieces_free(&l);
    }
    return status;
}
