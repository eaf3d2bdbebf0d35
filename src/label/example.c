/* example.c - pictures as examples of a model for labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "label/groups.h"
#include "label/model.h"

/* No estimate is believed beyond this log p: a network that is sure and wrong must not outweigh all that is around a pixel. */
static const double LEAST = -9;

/* Textures and places count little beside the networks, which know them too: with 1 the weights learn the pictures by heart. */
static const double SHADE = 0.1;

/* A picture on its way to an example. */
typedef struct example_builder {
    const s3svm_label_model *model;
    const s3svm_label_look *look;
    const s3svm_label_view *view;
    uint8_t *likely; /* NULL, or for each pixel the label that the networks find most likely */
    sos_example *x;
} example_builder;

/* ---------------------------------------------------------------- unaries */

static void likely_find(size_t n, size_t labels, const float responses[], uint8_t out[])
{
    for (size_t i = 0; i < n; i++) {
        const float *r = responses + i * labels;
        size_t best = 0;
        for (size_t l = 1; l < labels; l++)
            if (r[l] > r[best]) best = l;
        out[i] = (uint8_t)best;
    }
}

/* -log p. */
static sos_status responses_set(const example_builder *s, sos_error *error)
{
    const s3svm_label_features *f = s->model->features;
    const size_t n = s3svm_image_size(s->look->picture), labels = f->labels;
    float *responses = malloc(n * labels * sizeof *responses);
    double *cost = malloc(n * labels * sizeof *cost);
    sos_status status = responses && cost ? s3svm_label_responses(f, s->view, s->look->fold, responses, error)
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for the responses of %zu pixels", n);
    for (size_t i = 0; !status && i < n * labels; i++) cost[i] = -fmax((double)responses[i], LEAST);
    if (!status && s->likely) likely_find(n, labels, responses, s->likely);
    if (!status) status = sos_example_set_costs(s->x, S3SVM_LABEL_GROUP_RESPONSE, cost, error);
    free(responses);
    free(cost);
    return status;
}

/* Which cell of a grid over the picture each pixel lies in. */
static void cells_find(const s3svm_image *picture, uint32_t out[])
{
    const size_t width = picture->width, height = picture->height;
    for (size_t i = 0; i < width * height; i++)
        out[i] = (uint32_t)(i / width * S3SVM_LABEL_ROWS / height * S3SVM_LABEL_COLUMNS +
                            i % width * S3SVM_LABEL_COLUMNS / width);
}

/* Textures and places: one feature of each for every pixel. */
static sos_status features_set(const example_builder *s, sos_error *error)
{
    const size_t n = s3svm_image_size(s->look->picture);
    size_t *start = malloc((n + 1) * sizeof *start);
    uint32_t *index = malloc(n * sizeof *index);
    double *value = malloc(n * sizeof *value);
    sos_status status = start && index && value
                            ? s3svm_label_textures(s->model->features, s->view, index, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    for (size_t i = 0; !status && i <= n; i++) start[i] = i;
    for (size_t i = 0; !status && i < n; i++) value[i] = SHADE;
    if (!status) status = sos_example_set_features(s->x, S3SVM_LABEL_GROUP_TEXTURE, start, index, value, error);
    if (!status) cells_find(s->look->picture, index);
    if (!status) status = sos_example_set_features(s->x, S3SVM_LABEL_GROUP_PLACE, start, index, value, error);
    free(start);
    free(index);
    free(value);
    return status;
}

/* In place of all of these, one feature that all pixels have. */
static sos_status constant_set(const example_builder *s, sos_error *error)
{
    return sos_example_set_dense_features(s->x, S3SVM_LABEL_GROUP_CONSTANT, (double[]){ 1 }, 0, 0, error);
}

/* Nobody says what is likely: unknown pixels get the label that was known last, row by row. */
static void likely_guess(const example_builder *s)
{
    const s3svm_label_look *look = s->look;
    const size_t n = s3svm_image_size(look->picture);
    size_t first = 0;
    while (first < n && !look->care[first]) first++;
    uint8_t known = first < n ? look->truth[first] : 0;
    for (size_t i = 0; i < n; i++) {
        if (look->care[i]) known = look->truth[i];
        s->likely[i] = known;
    }
}

static sos_status unaries_set(const example_builder *s, sos_error *error)
{
    if (!s3svm_label_has_networks(s->model->features)) {
        if (s->likely) likely_guess(s);
        return constant_set(s, error);
    }
    const sos_status status = responses_set(s, error);
    return status ? status : features_set(s, error);
}

/* ---------------------------------------------------------------- one picture */

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
static sos_status builder_fill(const example_builder *s, sos_error *error)
{
    const s3svm_image *picture = s->look->picture;
    sos_status status = unaries_set(s, error);
    if (!status) status = s3svm_own_maps_fill(&s->model->maps, s->look->maps, picture->width, picture->height, 1, s->x, error);
    if (!status) status = s3svm_label_cliques_add(s->model, picture, s->view, s->x, error);
    return status ? status : sos_example_set_scale(s->x, 1 / (double)s3svm_image_size(picture), error);
}

static sos_status builder_make(example_builder *s, sos_error *error)
{
    s3svm_label_view *view;
    sos_status status = s3svm_label_view_create(s->look->picture, &view, error);
    if (status) return status;
    s->view = view;
    status = sos_example_create(s->model->model, s3svm_image_size(s->look->picture), &s->x, error);
    if (!status) status = builder_fill(s, error);
    s3svm_label_view_free(view);
    return status;
}

/* The energy of the truth is that of all pixels: those without a label get the one that is most likely. */
static sos_status truth_set(const example_builder *s, sos_error *error)
{
    const s3svm_label_look *look = s->look;
    for (size_t i = 0; look->care && i < s3svm_image_size(look->picture); i++)
        if (look->care[i]) s->likely[i] = look->truth[i];
    const sos_status status = sos_example_set_truth(s->x, look->care ? s->likely : look->truth, look->care, error);
    return !status && look->weights ? sos_example_set_class_loss(s->x, look->weights, error) : status;
}

sos_status s3svm_label_example_make(const s3svm_label_model *p, const s3svm_label_look *look, sos_example **out,
                                    sos_error *error)
{
    example_builder s = { .model = p, .look = look };
    if (look->picture->channels != 3)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a picture of %zu channels, not 3", look->picture->channels);
    if (look->truth && look->care && !(s.likely = malloc(s3svm_image_size(look->picture))))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of a picture");
    sos_status status = builder_make(&s, error);
    if (!status && look->truth) status = truth_set(&s, error);
    free(s.likely);
    if (status)
        sos_example_free(s.x);
    else
        *out = s.x;
    return status;
}

/* ---------------------------------------------------------------- pictures with labels */

sos_status s3svm_label_model_example(const s3svm_label_model *p, const s3svm_label_pictures *pictures, size_t i, bool seen,
                                     sos_example **out, sos_error *error)
{
    const s3svm_label_look look = { .picture = &pictures->pictures[i],
                                    .fold = seen ? s3svm_label_fold(p->features, i) : S3SVM_LABEL_NEW,
                                    .truth = pictures->truths ? pictures->truths[i] : NULL,
                                    .care = pictures->care ? pictures->care[i] : NULL,
                                    .weights = pictures->weights,
                                    .maps = pictures->maps ? &pictures->maps[i] : NULL };
    return s3svm_label_example_make(p, &look, out, error);
}

sos_status s3svm_label_model_examples(const s3svm_label_model *p, const s3svm_label_pictures *pictures, bool seen,
                                      const bool mine[], const sos_work *work, sos_example *examples[], sos_error *error)
{
    const sos_work w = work ? *work : (sos_work){ 0 };
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int workers = sos_thread_count(w.threads);
    (void)workers;
    for (size_t i = 0; i < pictures->count; i++) examples[i] = NULL;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t i = 0; i < pictures->count; i++) {
        if (mine && !mine[i]) continue;
        size_t before;
#pragma omp atomic capture
        before = begun++;
        sos_error why = { SOS_CANCELLED, "stopped while examples were made" };
        const bool go_on = !w.progress || w.progress(w.user, "examples", (double)before / (double)pictures->count);
        const sos_status status = go_on ? s3svm_label_model_example(p, pictures, i, seen, &examples[i], &why) : SOS_CANCELLED;
        sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "picture", error);
    for (size_t i = 0; status && i < pictures->count; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}
