/* learn.c - models of segmentation: what their features are made of, learned from marked photographs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "segment/marks/marks.h"
#include "segment/model/parts.h"
#include "vision/bins.h"
#include "vision/distance.h"
#include "vision/kmeans.h"
#include "vision/marks.h"

enum {
    SAMPLES = 1000,       /* pixels of each picture that clusters and bins are learned from: 75 pictures give 1,500 a cluster */
    SAMPLES_MAX = 1000000 /* that can be asked for */
};

/* Log odds at which the function of the response bends, and log ratios at which that of GrabCut's mixtures does: closer where
 * it is not clear what a pixel is, and beyond the last it is as good as sure. */
static const float RESPONSE_KNOTS[] = { -8,   -6.5F, -5.5F, -4.5F, -3.75F, -3,   -2.5F, -2,    -1.6F, -1.2F, -0.8F, -0.4F, 0,
                                        0.4F, 0.8F,  1.2F,  1.6F,  2,      2.5F, 3,     3.75F, 4.5F,  5.5F,  6.5F,  8 };
static const float RATIO_KNOTS[] = { -20, -15, -11, -8, -6, -4.5F, -3, -2, -1, 0, 1, 2, 3, 4.5F, 6, 8, 11, 15, 20 };

/* Rows of d numbers from all pictures. */
typedef struct points {
    size_t d, count;
    float *values;
} points;

/* Room for SAMPLES rows of each picture. */
static sos_status points_create(size_t pictures, size_t d, points *p, sos_error *error)
{
    *p = (points){ .d = d, .values = malloc(pictures * SAMPLES * d * sizeof *p->values) };
    return p->values ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu pictures", pictures);
}

/* SAMPLES of n rows, drawn with repetition: all alike whatever n is. */
static void points_draw(points *p, size_t n, const float rows[], sos_random *random)
{
    for (size_t s = 0; n && s < SAMPLES; s++, p->count++)
        memcpy(p->values + p->count * p->d, rows + sos_random_below(random, n) * p->d, p->d * sizeof *rows);
}

/* The key of what is learned from pictures. */
static s3svm_cache_key pictures_key(const s3svm_segment_settings *s, const char *what, size_t count,
                                    const s3svm_marked pictures[])
{
    s3svm_cache_key key = s3svm_cache_key_of(what, 1);
    if (!s->cache) return key;
    s3svm_cache_key_add_number(&key, s->seed);
    for (size_t i = 0; i < count; i++) {
        const s3svm_segment_input in = s3svm_marked_input(&pictures[i]);
        s3svm_segment_key(&key, &in, false);
    }
    return key;
}

static sos_status clusters_learn(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[],
                                 s3svm_segment_size size, float centres[], sos_error *error)
{
    const size_t d = s3svm_segment_patch_numbers(size);
    points p;
    sos_status status = points_create(count, d, &p, error);
    sos_random random = sos_random_seeded(s->seed);
    for (size_t i = 0; i < count && !status; i++) {
        const s3svm_image *picture = &pictures[i].photograph;
        const size_t n = s3svm_segment_patch_count(picture, size);
        float *rows = malloc((n + 1) * d * sizeof *rows);
        if (!rows) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for patches of %zu pixels", n);
        if (!status) {
            s3svm_segment_patch_describe(picture, size, rows);
            points_draw(&p, n, rows, &random);
        }
        free(rows);
    }
    if (!status && !p.count) status = sos_fail(error, SOS_ERR_ARGUMENT, "the pictures are too small to learn from");
    if (!status) {
        s3svm_kmeans_settings k = s3svm_kmeans_defaults(S3SVM_SEGMENT_CLUSTERS);
        k.seed = s->seed;
        k.threads = s->work.threads;
        status = s3svm_kmeans(p.count, d, p.values, &k, centres, NULL, NULL, error);
    }
    free(p.values);
    return status;
}

static sos_status pictures_cluster(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[],
                                   s3svm_segment_size size, float centres[], sos_error *error)
{
    const size_t bytes = S3SVM_SEGMENT_CLUSTERS * s3svm_segment_patch_numbers(size) * sizeof *centres;
    const s3svm_cache_key key = pictures_key(s, size == S3SVM_SEGMENT_2X2 ? "gradients" : "patches", count, pictures);
    if (s3svm_cache_find(s->cache, &key, centres, bytes)) return SOS_OK;
    const sos_status status = clusters_learn(s, count, pictures, size, centres, error);
    if (!status) s3svm_cache_keep(s->cache, &key, centres, bytes);
    return status;
}

static sos_status edges_learn(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[], uint8_t mark,
                              float edges[S3SVM_SEGMENT_EDGES], sos_error *error)
{
    points p;
    sos_status status = points_create(count, 1, &p, error);
    sos_random random = sos_random_seeded(s->seed);
    for (size_t i = 0; i < count && !status; i++) {
        const s3svm_segment_input in = s3svm_marked_input(&pictures[i]);
        const size_t n = s3svm_image_size(in.photograph);
        uint8_t *mask = malloc(n);
        float *distances = malloc(n * sizeof *distances);
        if (!mask || !distances) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", n);
        if (!status && s3svm_marks_mask(in.marks, mark, mask)) {
            status = s3svm_distance_city(in.photograph->width, in.photograph->height, mask, distances, error);
            if (!status) points_draw(&p, n, distances, &random);
        }
        free(mask);
        free(distances);
    }
    float knots[S3SVM_SEGMENT_EDGES + 2];
    size_t found = 0;
    if (!status && p.count) found = s3svm_bins_fit(p.count, p.values, S3SVM_SEGMENT_EDGES + 2, knots);
    for (size_t e = 0; e < S3SVM_SEGMENT_EDGES; e++) edges[e] = found ? knots[e + 1 < found ? e + 1 : found - 1] : 0;
    free(p.values);
    return status;
}

static sos_status progress_report(const s3svm_segment_settings *s, const char *phase, sos_error *error)
{
    if (s3svm_segment_progress(&s->work, phase, -1)) return SOS_OK;
    return sos_fail(error, SOS_CANCELLED, "stopped while learning features");
}

static sos_status paper_learn(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[],
                              s3svm_segment_parts *f, sos_error *error)
{
    sos_status status = progress_report(s, "distances", error);
    if (!status) status = edges_learn(s, count, pictures, S3SVM_MARK_OBJECT, f->edges[0], error);
    if (!status) status = edges_learn(s, count, pictures, S3SVM_MARK_BACKGROUND, f->edges[1], error);
    if (!status) status = progress_report(s, "patches", error);
    if (status) return status;
    return pictures_cluster(s, count, pictures, S3SVM_SEGMENT_3X3, f->patches, error);
}

static sos_status full_learn(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[],
                             s3svm_segment_parts *f, sos_error *error)
{
    f->knots[S3SVM_SEGMENT_RESPONSE] = sizeof RESPONSE_KNOTS / sizeof *RESPONSE_KNOTS;
    f->knots[S3SVM_SEGMENT_RATIO] = sizeof RATIO_KNOTS / sizeof *RATIO_KNOTS;
    memcpy(f->knot[S3SVM_SEGMENT_RESPONSE], RESPONSE_KNOTS, sizeof RESPONSE_KNOTS);
    memcpy(f->knot[S3SVM_SEGMENT_RATIO], RATIO_KNOTS, sizeof RATIO_KNOTS);
    return s3svm_segment_response_train(count, pictures, s, &f->response, error);
}

static sos_status features_learn(const s3svm_segment_settings *s, size_t count, const s3svm_marked pictures[],
                                 s3svm_segment_parts *f, sos_error *error)
{
    sos_status status = SOS_OK;
    if (f->kind == S3SVM_SEGMENT_PAPER) status = paper_learn(s, count, pictures, f, error);
    if (f->kind == S3SVM_SEGMENT_FULL) status = full_learn(s, count, pictures, f, error);
    if (status || !s3svm_segment_has_patches(f)) return status;
    status = progress_report(s, "gradients", error);
    if (status) return status;
    return pictures_cluster(s, count, pictures, S3SVM_SEGMENT_2X2, f->gradients, error);
}

static sos_status pictures_check(size_t count, const s3svm_marked pictures[], sos_error *error)
{
    if (!count || !pictures) return sos_fail(error, SOS_ERR_ARGUMENT, "no training pictures for a model of segmentation");
    for (size_t i = 0; i < count; i++) {
        const s3svm_segment_input in = s3svm_marked_input(&pictures[i]);
        sos_error why;
        const sos_status status = s3svm_segment_check(&in, false, &why);
        if (status) return sos_fail(error, status, "picture %zu: %s", i, why.message);
    }
    return SOS_OK;
}

s3svm_segment_settings s3svm_segment_defaults(void)
{
    return (
        s3svm_segment_settings){ .features = S3SVM_SEGMENT_FULL, .method = S3SVM_SEGMENT_S3SVM, .samples = 2500, .seed = 1 };
}

sos_status s3svm_segment_create(const s3svm_segment_settings *settings, size_t count, const s3svm_marked pictures[],
                                sos_model **out, sos_error *error)
{
    const s3svm_segment_settings defaults = s3svm_segment_defaults();
    const s3svm_segment_settings *s = settings ? settings : &defaults;
    if ((unsigned)s->features > S3SVM_SEGMENT_NONE || (unsigned)s->method >= S3SVM_SEGMENT_DESIGNS)
        return sos_fail(error, SOS_ERR_ARGUMENT, "unknown features %d or method %d of segmentation", (int)s->features,
                        (int)s->method);
    if (!s->samples || s->samples > SAMPLES_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu samples of a picture; 1 to %d are possible", s->samples, SAMPLES_MAX);
    if (!(s->relations >= 0) || isinf(s->relations))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the factor of weights between pixels cannot be %g", s->relations);
    sos_status status = sos_reserved_check("s3svm_segment_settings", s, error);
    if (!status) status = pictures_check(count, pictures, error);
    if (status) return status;
    s3svm_segment_parts *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a model");
    f->kind = s->features;
    f->method = s->method;
    f->relations = s->relations > 0 ? s->relations : s3svm_segment_method_relations(s->method);
    status = features_learn(s, count, pictures, f, error);
    if (!status) status = s3svm_segment_parts_model(f, out, error);
    s3svm_segment_parts_free(f);
    return status;
}
