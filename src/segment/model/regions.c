/* regions.c - regions of a photograph, whose pixels should agree: superpixels, and pixels of similar colours. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"
#include "segment/model/parts.h"
#include "vision/colour.h"
#include "vision/contrast.h"
#include "vision/kmeans.h"
#include "vision/superpixel.h"

/* About how many superpixels a photograph has at each scale: small ones keep to outlines, large ones carry what is known of a
 * part of the object to all of it.  On validation pictures of one split 6.5 % of the pixels are wrong without superpixels, 6.1
 * with { 400, 100, 25 }, 5.9 with these. */
static const size_t PIECES[S3SVM_SEGMENT_SCALES] = { 100, 25, 6 };

/* Sets of pixels of similar colours, wherever they lie: what is known under the marks reaches parts that nothing connects with
 * them.  On the same pictures 4.6 % are wrong with them as well.  Their centres are found among so many pixels. */
enum { COLOURS = 64, COLOUR_SAMPLES = 16384, COLOUR_ITERATIONS = 15 };

/* The share of pixels that may disagree before robust P^n costs no more. */
static const double REACH = 0.3;

/* Regions of one kind, as lists of their pixels, and what their functions count. */
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

static sos_status superpixels_find(const s3svm_segment_input *in, size_t about, piece_list *l, sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    s3svm_superpixel_settings settings = s3svm_superpixel_defaults();
    settings.count = about < n ? about : n;
    settings.threads = in->threads;
    return s3svm_superpixels(in->photograph, &settings, l->pieces, &l->count, error);
}

/* Centres of the colours of every so manieth pixel. */
static sos_status centres_find(size_t n, const float lab[], int threads, float centres[], sos_error *error)
{
    const size_t step = (n + COLOUR_SAMPLES - 1) / COLOUR_SAMPLES, count = (n + step - 1) / step;
    float *samples = malloc(count * 3 * sizeof *samples);
    if (!samples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu colours", count);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) samples[3 * i + c] = lab[3 * i * step + c];
    s3svm_kmeans_settings settings = s3svm_kmeans_defaults(COLOURS);
    settings.starts = 1;
    settings.iterations = COLOUR_ITERATIONS;
    settings.threads = threads;
    const sos_status status = s3svm_kmeans(count, 3, samples, &settings, centres, NULL, NULL, error);
    free(samples);
    return status;
}

static sos_status colours_find(const s3svm_segment_input *in, piece_list *l, sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    float *lab = malloc(n * 3 * sizeof *lab), centres[COLOURS * 3];
    if (!lab) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the colours of %zu pixels", n);
    sos_status status = s3svm_colour_lab(in->photograph, in->threads, lab, error);
    if (!status) status = centres_find(n, lab, in->threads, centres, error);
    if (!status) status = s3svm_kmeans_assign(n, 3, lab, COLOURS, centres, in->threads, l->pieces, NULL, error);
    l->count = COLOURS;
    free(lab);
    return status;
}

/* A region without pixels is none. */
static void empty_drop(piece_list *l)
{
    const size_t end = l->start[l->count];
    size_t kept = 0;
    for (size_t p = 0; p < l->count; p++)
        if (l->start[p + 1] > l->start[p]) l->start[kept++] = l->start[p];
    l->start[kept] = end;
    l->count = kept;
}

static sos_status pieces_create(const s3svm_segment_input *in, size_t kind, piece_list *l, sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    *l = (piece_list){ .pieces = malloc(n * sizeof *l->pieces), .members = malloc(n * sizeof *l->members) };
    if (!l->pieces || !l->members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for regions of %zu pixels", n);
    const sos_status status = kind < S3SVM_SEGMENT_SCALES ? superpixels_find(in, PIECES[kind], l, error)
                                                          : colours_find(in, l, error);
    if (status) return status;
    l->start = malloc((l->count + 1) * sizeof *l->start);
    l->phi = calloc(l->count * S3SVM_SEGMENT_REGIONS, sizeof *l->phi);
    if (!l->start || !l->phi) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu regions", l->count);
    s3svm_superpixel_lists(n, l->pieces, l->count, l->start, l->members);
    empty_drop(l);
    return SOS_OK;
}

/* Costs are for every pixel of a region: then large and small ones weigh what their pixels do. */
static sos_status robust_add(piece_list *l, size_t kind, uint32_t group, sos_example *x, sos_error *error)
{
    for (size_t p = 0; p < l->count; p++) l->phi[p * S3SVM_SEGMENT_REGIONS + kind] = (double)(l->start[p + 1] - l->start[p]);
    return sos_example_add_regions(x, group, l->count, l->start, l->members, REACH, l->phi, error);
}

static sos_status counts_add(piece_list *l, uint32_t group, sos_example *x, sos_error *error)
{
    for (size_t p = 0; p < l->count; p++) l->phi[p] = (double)(l->start[p + 1] - l->start[p]);
    return sos_example_add_counts(x, group, l->count, l->start, l->members, NULL, l->phi, error);
}

/* Pairs of neighbours in a list, which is closed. */
static size_t round_list(const s3svm_image *photograph, double beta, size_t k, const uint32_t member[], uint32_t pairs[],
                         double phi[])
{
    const size_t count = k > 2 ? k : k / 2; /* two pixels are one pair, and one is none */
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = member[i], b = member[i + 1 < k ? i + 1 : 0];
        pairs[2 * i] = a;
        pairs[2 * i + 1] = b;
        s3svm_segment_pair_phi(photograph, beta, a, b, phi + S3SVM_SEGMENT_PAIRS * i);
    }
    return count;
}

/* Pairs of pixels of the same region at random: those beside each other when one goes round the region in a random order.  So
 * each pixel has two.  Going round twice gained nothing.  pairs and phi have room for a pair a pixel; returns how many there
 * are. */
static size_t scattered_list(const s3svm_image *photograph, const piece_list *l, size_t kind, uint32_t pairs[], double phi[])
{
    const double beta = s3svm_contrast_beta(photograph, 4);
    sos_random random = sos_random_seeded(kind);
    size_t count = 0;
    for (size_t p = 0; p < l->count; p++) {
        const size_t k = l->start[p + 1] - l->start[p];
        uint32_t *member = l->members + l->start[p];
        sos_random_shuffle(&random, k, member);
        count += round_list(photograph, beta, k, member, pairs + 2 * count, phi + S3SVM_SEGMENT_PAIRS * count);
    }
    return count;
}

static sos_status scattered_add(const s3svm_image *photograph, const piece_list *l, size_t kind, uint32_t group, sos_example *x,
                                sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    uint32_t *pairs = malloc(2 * n * sizeof *pairs);
    double *phi = malloc(S3SVM_SEGMENT_PAIRS * n * sizeof *phi);
    sos_status status = pairs && phi ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", n);
    if (!status) status = sos_example_add_pairs(x, group, scattered_list(photograph, l, kind, pairs, phi), pairs, phi, error);
    free(pairs);
    free(phi);
    return status;
}

sos_status s3svm_segment_regions_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, sos_example *x,
                                     sos_error *error)
{
    const uint32_t first = s3svm_segment_regions(f);
    sos_status status = SOS_OK;
    for (size_t kind = 0; kind < S3SVM_SEGMENT_REGIONS && !status; kind++) {
        const uint32_t own = first + (uint32_t)kind;
        piece_list l;
        status = pieces_create(in, kind, &l, error);
        if (!status)
            status = s3svm_segment_has_counts(f)      ? counts_add(&l, own, x, error)
                     : s3svm_segment_has_scattered(f) ? scattered_add(in->photograph, &l, kind, own, x, error)
                                                      : robust_add(&l, kind, first, x, error);
        pieces_free(&l);
    }
    return status;
}
