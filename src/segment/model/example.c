/* example.c - from a marked photograph to an example of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/marks/marks.h"
#include "segment/model/model.h"
#include "vision/bins.h"
#include "vision/distance.h"
#include "vision/marks.h"

/* ---------------------------------------------------------------- features, by group */

/* An example being filled, and room for one group's features, up to two of each pixel. */
typedef struct filling {
    s3svm_segment_input in;
    const s3svm_photo *photo; /* or NULL */
    float *response;          /* to receive it, or NULL */
    const s3svm_segment_parts *f;
    sos_example *x;
    size_t n;
    double unit; /* what a feature of a pixel counts */
    size_t *start;
    uint32_t *index;
    double *value;
} filling;

static double unit_of(const s3svm_segment_parts *f) { return 1 / f->relations; }

static void filling_free(filling *a)
{
    free(a->start);
    free(a->index);
    free(a->value);
    *a = (filling){ 0 };
}

static sos_status filling_create(const s3svm_segment_input *in, const s3svm_segment_parts *f, sos_example *x, filling *a,
                                 sos_error *error)
{
    const size_t n = s3svm_image_size(in->photograph);
    *a = (filling){ .in = *in,
                    .f = f,
                    .x = x,
                    .n = n,
                    .unit = unit_of(f),
                    .start = malloc((n + 1) * sizeof *a->start),
                    .index = calloc(2 * n, sizeof *a->index),
                    .value = malloc(2 * n * sizeof *a->value) };
    if (a->start && a->index && a->value) return SOS_OK;
    filling_free(a);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
}

static void start_each(filling *a, size_t each)
{
    for (size_t i = 0; i <= a->n; i++) a->start[i] = i * each;
}

/* One feature of each pixel, by the index that is there. */
static sos_status ones_set(filling *a, uint32_t group, sos_error *error)
{
    start_each(a, 1);
    for (size_t i = 0; i < a->n; i++) a->value[i] = a->unit;
    return sos_example_set_features(a->x, group, a->start, a->index, a->value, error);
}

static sos_status marks_set(filling *a, sos_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < a->n; i++) {
        a->start[i] = count;
        a->value[count] = a->unit;
        const uint8_t mark = a->in.marks->pixels[i];
        if (s3svm_mark_is_sure(mark)) a->index[count++] = mark == S3SVM_MARK_BACKGROUND;
    }
    a->start[a->n] = count;
    return sos_example_set_features(a->x, S3SVM_SEGMENT_MARKS, a->start, a->index, a->value, error);
}

static sos_status colours_find(const s3svm_segment_input *in, size_t n, float ratios[], sos_error *error)
{
    s3svm_cache_key key = s3svm_cache_key_of("colours of scribbles", 1);
    if (in->cache) s3svm_segment_key(&key, in, true);
    if (s3svm_cache_find(in->cache, &key, ratios, n * sizeof *ratios)) return SOS_OK;
    const sos_status status = s3svm_segment_colours(in, ratios, error);
    if (!status) s3svm_cache_keep(in->cache, &key, ratios, n * sizeof *ratios);
    return status;
}

static sos_status colours_set(filling *a, sos_error *error)
{
    float *ratios = malloc(a->n * sizeof *ratios);
    sos_status status = ratios ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", a->n);
    if (!status) status = colours_find(&a->in, a->n, ratios, error);
    if (!status) {
        for (size_t i = 0; i < a->n; i++) a->value[i] = a->unit * (double)ratios[i];
        status = sos_example_set_dense_features(a->x, S3SVM_SEGMENT_COLOURS, a->value, 1, 0, error);
    }
    free(ratios);
    return status;
}

static uint32_t bin_of(const float edges[S3SVM_SEGMENT_EDGES], float x)
{
    uint32_t bin = 0;
    while (bin < S3SVM_SEGMENT_EDGES && x > edges[bin]) bin++;
    return bin;
}

static sos_status distances_set(filling *a, sos_error *error)
{
    static const uint8_t kinds[2] = { S3SVM_MARK_OBJECT, S3SVM_MARK_BACKGROUND };
    uint8_t *mask = malloc(a->n);
    float *distances = malloc(a->n * sizeof *distances);
    sos_status status = mask && distances ? SOS_OK
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", a->n);
    memset(a->index, 0, a->n * sizeof *a->index);
    for (size_t k = 0; k < 2 && !status; k++) {
        s3svm_marks_mask(a->in.marks, kinds[k], mask);
        status = s3svm_distance_city(a->in.photograph->width, a->in.photograph->height, mask, distances, error);
        for (size_t i = 0; i < a->n && !status; i++)
            a->index[i] = a->index[i] * S3SVM_SEGMENT_BINS + bin_of(a->f->edges[k], distances[i]);
    }
    if (!status) status = ones_set(a, S3SVM_SEGMENT_DISTANCES, error);
    free(mask);
    free(distances);
    return status;
}

static sos_status patches_set(filling *a, sos_error *error)
{
    const sos_status status = s3svm_segment_clusters(&a->in, S3SVM_SEGMENT_3X3, a->f->patches, a->index, error);
    if (status) return status;
    uint32_t state[S3SVM_SEGMENT_CLUSTERS] = { 0 };
    for (size_t i = 0; i < a->n; i++)
        if (a->in.marks->pixels[i]) state[a->index[i]] |= a->in.marks->pixels[i] == S3SVM_MARK_OBJECT ? 1 : 2;
    for (size_t i = 0; i < a->n; i++) a->index[i] = a->index[i] * S3SVM_SEGMENT_STATES + state[a->index[i]];
    return ones_set(a, S3SVM_SEGMENT_PATCHES, error);
}

/* A look as how far it is between the two knots around it. */
static sos_status look_set(filling *a, size_t k, const float values[], sos_error *error)
{
    for (size_t i = 0; i < a->n; i++) {
        float share;
        const size_t low = s3svm_bins_place(a->f->knots[k], a->f->knot[k], values[i], &share);
        a->index[2 * i] = (uint32_t)low;
        a->index[2 * i + 1] = (uint32_t)low + 1;
        a->value[2 * i] = a->unit * (1 - (double)share);
        a->value[2 * i + 1] = a->unit * (double)share;
    }
    start_each(a, 2);
    return sos_example_set_features(a->x, (uint32_t)(S3SVM_SEGMENT_FIRST + k), a->start, a->index, a->value, error);
}

static uint32_t nearness_of(double sides)
{
    uint32_t bin = 0;
    while (bin < S3SVM_SEGMENT_NEARNESS && sides > s3svm_segment_nearness[bin]) bin++;
    return bin;
}

/* The label found before, and how far the last marks are; nothing in the first step. */
static sos_status before_set(filling *a, sos_error *error)
{
    const s3svm_image *photograph = a->in.photograph;
    const s3svm_segment_moment *moment = a->in.moment && a->in.moment->before ? a->in.moment : NULL;
    uint8_t *mask = malloc(a->n);
    float *far = malloc(a->n * sizeof *far);
    const double side = sqrt((double)a->n);
    sos_status status = mask && far ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", a->n);
    for (size_t i = 0; i < a->n && moment && !status; i++) mask[i] = s3svm_mark_is_sure(moment->last->pixels[i]);
    if (moment && !status)
        status = s3svm_distance_euclidean(photograph->width, photograph->height, mask, a->in.threads, far, error);
    for (size_t i = 0; i < a->n && moment && !status; i++) {
        a->index[i] = moment->before[i] * (S3SVM_SEGMENT_NEARNESS + 1) + nearness_of((double)far[i] / side);
        a->value[i] = a->unit;
    }
    start_each(a, moment ? 1 : 0);
    if (!status) status = sos_example_set_features(a->x, S3SVM_SEGMENT_BEFORE, a->start, a->index, a->value, error);
    free(mask);
    free(far);
    return status;
}

static sos_status full_set(filling *a, sos_error *error)
{
    float *looks = malloc(S3SVM_SEGMENT_LOOKS * a->n * sizeof *looks);
    sos_status status = looks ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for looks of %zu pixels", a->n);
    if (!status)
        status = s3svm_segment_response_apply(&a->f->response, &a->in, a->photo, looks + S3SVM_SEGMENT_RESPONSE * a->n,
                                              looks + S3SVM_SEGMENT_RATIO * a->n, error);
    for (size_t k = 0; k < S3SVM_SEGMENT_LOOKS && !status; k++) status = look_set(a, k, looks + k * a->n, error);
    if (!status && a->response) memcpy(a->response, looks + S3SVM_SEGMENT_RESPONSE * a->n, a->n * sizeof *looks);
    free(looks);
    return !status && a->f->response.dialogues ? before_set(a, error) : status;
}

static sos_status paper_set(filling *a, sos_error *error)
{
    sos_status status = colours_set(a, error);
    if (!status) status = distances_set(a, error);
    return status ? status : patches_set(a, error);
}

static sos_status looks_set(filling *a, sos_error *error)
{
    if (a->f->kind == S3SVM_SEGMENT_PAPER) return paper_set(a, error);
    if (a->f->kind == S3SVM_SEGMENT_FULL) return full_set(a, error);
    memset(a->index, 0, a->n * sizeof *a->index);
    return ones_set(a, S3SVM_SEGMENT_CONSTANT_ONE, error);
}

/* ---------------------------------------------------------------- one example */

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
static sos_status photograph_add(const s3svm_segment_parts *f, const s3svm_segment_input *in, sos_example *x, sos_error *error)
{
    const s3svm_image *p = in->photograph;
    const s3svm_maps *maps = f->response.evidence ? NULL : in->maps;
    sos_status status = s3svm_own_maps_fill(&f->maps, maps, p->width, p->height, unit_of(f), x, error);
    if (!status) status = s3svm_segment_relations_add(f, in, x, error);
    return status ? status : sos_example_set_scale(x, 1 / (unit_of(f) * (double)s3svm_image_size(p)), error);
}

sos_status s3svm_segment_example_create(const s3svm_segment_model *p, const s3svm_segment_input *in, sos_example **out,
                                        sos_error *error)
{
    sos_example *x = NULL;
    sos_status status = sos_example_create(p->model, s3svm_image_size(in->photograph), &x, error);
    if (!status) status = photograph_add(p->parts, in, x, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

sos_status s3svm_segment_example_mark(const s3svm_segment_model *p, const s3svm_segment_input *in, const s3svm_photo *photo,
                                      sos_example *x, float response[], sos_error *error)
{
    filling a;
    sos_status status = filling_create(in, p->parts, x, &a, error);
    if (status) return status;
    a.photo = photo;
    a.response = response;
    status = marks_set(&a, error);
    if (!status) status = looks_set(&a, error);
    filling_free(&a);
    return status;
}

sos_status s3svm_segment_model_example(const s3svm_segment_model *p, const s3svm_segment_input *in, const uint8_t truth[],
                                       const uint8_t care[], sos_example **out, sos_error *error)
{
    sos_status status = sos_reserved_check("s3svm_segment_input", in, error);
    if (!status) status = s3svm_segment_check(in, p->parts->response.dialogues, error);
    if (!status) status = s3svm_segment_maps_check(p->parts, in->maps, in->photograph->width, in->photograph->height, error);
    if (status) return status;
    sos_example *x = NULL;
    status = s3svm_segment_example_create(p, in, &x, error);
    if (!status) status = s3svm_segment_example_mark(p, in, NULL, x, NULL, error);
    if (!status && truth) status = sos_example_set_truth(x, truth, care, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

/* ---------------------------------------------------------------- many examples */

static sos_status marked_example_make(const s3svm_segment_model *p, const s3svm_marked *m, const char *cache, sos_example **out,
                                      sos_error *error)
{
    s3svm_segment_input in = s3svm_marked_input(m);
    in.cache = cache;
    if (!m->truth) return sos_fail(error, SOS_ERR_ARGUMENT, "no true labels to learn from");
    return s3svm_segment_model_example(p, &in, m->truth, NULL, out, error);
}

sos_status s3svm_segment_model_examples(const s3svm_segment_model *p, size_t count, const s3svm_marked photographs[],
                                        const char *cache, const bool mine[], const sos_work *work, sos_example *examples[],
                                        sos_error *error)
{
    const sos_work w = work ? *work : (sos_work){ 0 };
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int used = sos_thread_count(w.threads);
    (void)used; /* where OpenMP is missing */
    for (size_t i = 0; i < count; i++) examples[i] = NULL;
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        if (mine && !mine[i]) continue;
        size_t before;
#pragma omp atomic capture
        before = begun++;
        sos_error why = { SOS_CANCELLED, "stopped while features were computed" };
        const bool go_on = s3svm_segment_progress(&w, "examples", (double)before / (double)count);
        const sos_status status = go_on ? marked_example_make(p, &photographs[i], cache, &examples[i], &why) : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "picture", error);
    for (size_t i = 0; i < count && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}
