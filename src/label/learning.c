/* learning.c - features learned from pictures with true labels: clusters, and networks that tell labels. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "label/features.h"
#include "label/inputs.h"
#include "vision/kmeans.h"

/* Pixels from one sample for the networks to the next: 600 samples of a picture of 180 x 120, or 36000 of 60 pictures. */
static const double SAMPLE_STEP = 6;

/* Points for the clusters, from all pictures together: 625 for each of 32 clusters. */
enum { CLUSTER_POINTS = 20000 };

/* How networks learn (s3svm_perceptron_settings).  With half of the units left out instead of 3 in 10 they were 0.3 points
 * worse on pictures not learned from; with 40 epochs instead of 20 as good, but too sure (docs/notes/labeling.md). */
static const double DROP = 0.3, DECAY = 0.003;
static const size_t EPOCHS = 20;

/* Added to the variances of inputs: colours of few pictures differ less than those of all pictures. */
static const double VARIANCE_MORE = 0.25;

s3svm_label_learning s3svm_label_learning_defaults(void)
{
    return (s3svm_label_learning){ .clusters = 32, .edges = 1, .folds = 6, .epochs = EPOCHS, .seed = 1 };
}

/* What is drawn from the pictures to learn from. */
typedef struct harvest {
    float *inputs;         /* of the networks */
    s3svm_sample *samples; /* places are the numbers of their pictures */
    size_t count, inputs_room, samples_room;
    float *textures, *edges;
    size_t texture_count, edge_count, texture_room, edge_room;
} harvest;

static void harvest_free(harvest *h)
{
    free(h->inputs);
    free(h->samples);
    free(h->textures);
    free(h->edges);
}

static bool samples_take(const s3svm_label_pictures *p, size_t i, const s3svm_label_view *v, harvest *h)
{
    const size_t step = s3svm_label_view_length(v, SAMPLE_STEP);
    const size_t most = h->count + ((v->width + step - 1) / step) * ((v->height + step - 1) / step);
    if (!sos_grow(&h->inputs, &h->inputs_room, most * S3SVM_LABEL_INPUTS) || !sos_grow(&h->samples, &h->samples_room, most))
        return false;
    for (size_t y = step / 2 < v->height ? step / 2 : 0; y < v->height; y += step)
        for (size_t x = step / 2 < v->width ? step / 2 : 0; x < v->width; x += step) {
            const size_t pixel = y * v->width + x;
            if (p->care && p->care[i] && !p->care[i][pixel]) continue;
            s3svm_label_inputs(v, x, y, h->inputs + h->count * S3SVM_LABEL_INPUTS);
            const uint8_t label = p->truths[i][pixel];
            const float weight = p->weights && label < p->labels ? (float)p->weights[label] : 1;
            h->samples[h->count++] = (s3svm_sample){ .place = (uint32_t)i, .weight = weight, .label = label };
        }
    return true;
}

static bool points_take(const s3svm_label_view *v, size_t count, sos_random *r, harvest *h)
{
    if (!sos_grow(&h->textures, &h->texture_room, (h->texture_count + count) * S3SVM_LABEL_TEXTURE) ||
        !sos_grow(&h->edges, &h->edge_room, (h->edge_count + count) * S3SVM_LABEL_EDGE))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t y = (size_t)sos_random_below(r, v->height), x = (size_t)sos_random_below(r, v->width);
        s3svm_label_texture_at(v, x, y, h->textures + h->texture_count++ * S3SVM_LABEL_TEXTURE);
    }
    for (size_t i = 0; i < count && v->width > 1 && v->height > 1; i++) {
        const size_t y = (size_t)sos_random_below(r, v->height - 1), x = (size_t)sos_random_below(r, v->width - 1);
        s3svm_label_edge_at(v, 1, x, y, h->edges + h->edge_count++ * S3SVM_LABEL_EDGE);
    }
    return true;
}

static sos_status harvest_make(const s3svm_label_pictures *p, uint64_t seed, harvest *h, sos_error *error)
{
    sos_random r = sos_random_seeded(seed);
    const size_t each = CLUSTER_POINTS / p->count + 1;
    for (size_t i = 0; i < p->count; i++) {
        s3svm_label_view *v;
        const sos_status status = s3svm_label_view_create(&p->pictures[i], &v, error);
        if (status) return status;
        const bool room = samples_take(p, i, v, h) && points_take(v, each, &r, h);
        s3svm_label_view_free(v);
        if (!room) return sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu pictures", p->count);
    }
    return SOS_OK;
}

/* What is not there to tell apart gets clusters of zeros. */
static sos_status clusters_learn(const harvest *h, const s3svm_label_learning *s, s3svm_label_features *f, sos_error *error)
{
    s3svm_kmeans_settings k = s3svm_kmeans_defaults(f->clusters);
    k.seed = s->seed;
    k.threads = s->work.threads;
    sos_status status = SOS_OK;
    if (f->clusters)
        status = s3svm_kmeans(h->texture_count, S3SVM_LABEL_TEXTURE, h->textures, &k, f->centres, NULL, NULL, error);
    k.clusters = f->edges;
    if (!status && h->edge_count)
        status = s3svm_kmeans(h->edge_count, S3SVM_LABEL_EDGE, h->edges, &k, f->edge, NULL, NULL, error);
    return status;
}

/* A network learns from the samples of all pictures but those of its fold; of all, if there is one fold only. */
static sos_status network_learn(const harvest *h, const s3svm_label_learning *s, size_t fold, s3svm_label_features *f,
                                sos_error *error)
{
    float *features = malloc(h->count * S3SVM_LABEL_INPUTS * sizeof *features);
    s3svm_sample *chosen = malloc(h->count * sizeof *chosen);
    s3svm_samples samples = { .features = features, .samples = chosen };
    sos_status status = features && chosen ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu samples", h->count);
    for (size_t i = 0; !status && i < h->count; i++) {
        if (f->folds > 1 && s3svm_label_fold(f, h->samples[i].place) == fold) continue;
        memcpy(features + samples.count * S3SVM_LABEL_INPUTS, h->inputs + i * S3SVM_LABEL_INPUTS,
               S3SVM_LABEL_INPUTS * sizeof *features);
        chosen[samples.count++] = h->samples[i];
    }
    s3svm_perceptron_settings n = s3svm_perceptron_defaults();
    n.epochs = s->epochs;
    n.decay = DECAY;
    n.drop = DROP;
    n.spread = VARIANCE_MORE;
    n.vary = s3svm_label_inputs_vary;
    n.seed = s->seed + fold;
    n.progress = s->work.progress;
    n.user = s->work.user;
    if (!status) status = s3svm_perceptron_train(&f->networks[fold], &samples, &n, error);
    free(features);
    free(chosen);
    return status;
}

static sos_status networks_learn(const harvest *h, const s3svm_label_learning *s, s3svm_label_features *f, sos_error *error)
{
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(s->work.threads);
    (void)workers;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t fold = 0; fold < f->folds; fold++) {
        sos_error why = { SOS_OK, "" };
        const sos_status status = network_learn(h, s, fold, f, &why);
        sos_failure_note(&failure, fold, status, &why);
    }
    return sos_failure_status(&failure, "network", error);
}

static sos_status features_learn(const s3svm_label_pictures *p, const s3svm_label_learning *s, s3svm_label_features *f,
                                 sos_error *error)
{
    harvest h = { 0 };
    sos_status status = harvest_make(p, s->seed, &h, error);
    if (!status && !h.count) status = sos_fail(error, SOS_ERR_ARGUMENT, "no pixel of the pictures has a known label");
    if (!status) status = clusters_learn(&h, s, f, error);
    if (!status) status = networks_learn(&h, s, f, error);
    harvest_free(&h);
    return status;
}

sos_status s3svm_label_features_learn(const s3svm_label_pictures *p, const s3svm_label_learning *settings,
                                      s3svm_label_features **out, sos_error *error)
{
    const s3svm_label_learning s = settings ? *settings : s3svm_label_learning_defaults();
    sos_status status = s3svm_label_pictures_check(p, error);
    if (status) return status;
    s3svm_label_features *f;
    const size_t folds = s.folds < p->count ? s.folds : p->count;
    if (!s.alone && (!s.clusters || !folds))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no clusters of texture, or no networks, to learn");
    status = s3svm_label_features_create(p->labels, s.alone ? 0 : s.clusters, s.edges, s.alone ? 0 : folds, &f, error);
    if (status) return status;
    status = features_learn(p, &s, f, error);
    if (status)
        s3svm_label_features_free(f);
    else
        *out = f;
    return status;
}
