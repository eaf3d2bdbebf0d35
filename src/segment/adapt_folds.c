/* adapt_folds.c - learning from somebody's own photographs, with folds that find out whether it helped. */
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/adapt.h"
#include "segment/features/features.h"
#include "tasks/cache.h"
#include "tasks/score.h"

enum { CACHE_VERSION = 1 }; /* changes when folds would come out otherwise */
static const double IOU = 0.9;

s3svm_adapt_settings s3svm_adapt_defaults(void) { return (s3svm_adapt_settings){ .folds = 4, .seed = 1 }; }

/* ---------------------------------------------------------------- what a photograph takes */

/* Clicks until the labels are good; a person whom nothing is left to correct is content, too. */
static sos_status clicks_count(s3svm_segmenter *s, const s3svm_marked *p, s3svm_dialogue *d, s3svm_adapt_score *out,
                               sos_error *error)
{
    *out = (s3svm_adapt_score){ .clicks = S3SVM_ADAPT_CLICKS };
    bool good = false;
    for (size_t click = 0; click < S3SVM_ADAPT_CLICKS && (!good || click < S3SVM_ADAPT_FEW); click++) {
        bool right = false;
        sos_status status = click ? s3svm_simulate_correct(NULL, p->truth, p->care, s3svm_segmenter_labels(s), d, &right, error)
                                  : s3svm_simulate_first(NULL, p->truth, p->care, d, error);
        if (status || right) return status;
        const s3svm_mark mark = s3svm_dialogue_mark(d, click, 0);
        status = s3svm_segmenter_mark(s, 1, &mark, error);
        if (status) return status;
        const s3svm_score score = s3svm_score_of(s3svm_image_size(&p->photograph), s3svm_segmenter_labels(s), p->truth,
                                                 p->care);
        if (click < S3SVM_ADAPT_FEW) out->error = score.pixels ? s3svm_score_error(&score) : 0;
        if (!good && s3svm_score_iou(&score) >= IOU) {
            good = true;
            out->clicks = (double)(click + 1);
        }
    }
    return SOS_OK;
}

/* What a photograph takes. */
static sos_status photograph_judge(const s3svm_segment_model *m, const s3svm_marked *photograph, s3svm_adapt_score *out,
                                   sos_error *error)
{
    const s3svm_image *picture = &photograph->photograph;
    s3svm_segmenter *s = NULL;
    s3svm_dialogue *d = NULL;
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.tidying.specks = 1; /* what the model finds is judged, not what tidying makes of it */
    settings.work.threads = 1;
    sos_status status = s3svm_segmenter_create(m, picture, &settings, &s, error);
    if (!status) status = s3svm_dialogue_create(picture->width, picture->height, &d, error);
    if (!status) status = clicks_count(s, photograph, d, out, error);
    s3svm_dialogue_free(d);
    s3svm_segmenter_free(s);
    return status;
}

/* ---------------------------------------------------------------- folds */

/* Before and after. */
enum { MODELS = 2 };

typedef struct folds {
    const sos_model *from;
    size_t count, folds;
    const s3svm_marked *photographs;
    const s3svm_adapt_settings *settings;
    s3svm_adapt_score *scores[MODELS]; /* of every photograph */
    const s3svm_marked **chosen;       /* room for count */
    sos_error *error;
} folds;

static s3svm_adapt_progress progress_of(const folds *f, size_t fold)
{
    const double each = 1 / (double)(f->folds + 1);
    return (s3svm_adapt_progress){
        .settings = f->settings, .fold = fold, .folds = f->folds, .from = (double)fold * each, .to = (double)(fold + 1) * each
    };
}

/* The photographs that a fold learns from, or else those that it keeps aside; returns how many. */
static size_t photographs_choose(const folds *f, size_t fold, bool learn)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        if ((i % f->folds == fold) != learn) f->chosen[count++] = &f->photographs[i];
    return count;
}

/* The models' scores of the photographs kept aside. */
static sos_status fold_judge(const folds *f, size_t fold, const sos_model *learned, s3svm_adapt_progress *progress)
{
    const sos_model *files[MODELS] = { f->from, learned };
    s3svm_segment_model *models[MODELS] = { NULL };
    sos_failure failure = { 0 };
    const int used = sos_thread_count(f->settings->work.threads);
    (void)used; /* where OpenMP is missing */
    sos_status status = SOS_OK;
    size_t begun = 0;
    const size_t kept = (f->count - fold + f->folds - 1) / f->folds;
    for (size_t k = 0; k < MODELS && !status; k++) status = s3svm_segment_model_create(files[k], &models[k], f->error);
    if (!status) {
#pragma omp parallel for schedule(dynamic) num_threads(used)
        for (size_t j = 0; j < MODELS * kept; j++) {
            const size_t i = fold + j / MODELS * f->folds;
            sos_error why = { SOS_CANCELLED, "stopped while photographs were marked" };
            size_t before;
#pragma omp atomic capture
            before = begun++;
            const bool go_on = s3svm_adapt_tell(progress, (double)before / (double)(MODELS * kept), NULL);
            const sos_status judged = go_on ? photograph_judge(models[j % MODELS], &f->photographs[i],
                                                               &f->scores[j % MODELS][i], &why)
                                            : SOS_CANCELLED;
            if (judged) sos_failure_note(&failure, i, judged, &why);
        }
        status = sos_failure_status(&failure, "photograph", f->error);
    }
    for (size_t k = 0; k < MODELS; k++) s3svm_segment_model_free(models[k]);
    return status;
}

static sos_status fold_do(const folds *f, size_t fold, s3svm_adapt_progress *progress)
{
    sos_model *learned = NULL;
    const size_t count = photographs_choose(f, fold, true);
    sos_status status = s3svm_adapt_learn(f->from, count, f->chosen, progress, &learned, f->error);
    progress->phase = S3SVM_ADAPT_JUDGE;
    if (!status) status = fold_judge(f, fold, learned, progress);
    sos_model_free(learned);
    return status;
}

/* Everything that a fold comes from. */
static s3svm_cache_key fold_key(const folds *f, size_t fold)
{
    s3svm_cache_key key = s3svm_cache_key_of("fold of one's own photographs", CACHE_VERSION);
    const char *features = sos_model_fact(f->from, "features");
    s3svm_cache_key_add_number(&key, f->settings->seed);
    s3svm_cache_key_add_number(&key, f->folds);
    s3svm_cache_key_add_number(&key, fold);
    s3svm_cache_key_add(&key, sos_model_weights(f->from), sos_model_weight_count(f->from) * sizeof(double));
    if (features) s3svm_cache_key_add(&key, features, strlen(features));
    for (size_t i = 0; i < f->count; i++) {
        const s3svm_marked *p = &f->photographs[i];
        const size_t n = s3svm_image_size(&p->photograph);
        s3svm_cache_key_add_number(&key, s3svm_segment_response_hash(&p->photograph));
        s3svm_cache_key_add(&key, p->truth, n);
        s3svm_cache_key_add(&key, p->care, n);
        if (p->marks.pixels) s3svm_cache_key_add(&key, p->marks.pixels, n);
    }
    return key;
}

static s3svm_adapt_score score_mean(const folds *f, size_t model, size_t first, size_t step)
{
    s3svm_adapt_score mean = { 0 };
    size_t count = 0;
    for (size_t i = first; i < f->count; i += step, count++) {
        mean.clicks += f->scores[model][i].clicks;
        mean.error += f->scores[model][i].error;
    }
    return (s3svm_adapt_score){ mean.clicks / (double)count, mean.error / (double)count };
}

/* Finds the scores of a fold in the cache, or finds them out and keeps them. */
static sos_status fold_find(const folds *f, size_t fold)
{
    s3svm_adapt_progress progress = progress_of(f, fold);
    s3svm_adapt_score *kept = malloc(MODELS * f->count * sizeof *kept);
    const s3svm_cache_key key = fold_key(f, fold);
    const size_t bytes = f->count * sizeof *kept;
    sos_status status = kept ? SOS_OK : sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu scores", f->count);
    if (!status && s3svm_cache_find(f->settings->cache, &key, kept, MODELS * bytes)) {
        for (size_t i = fold; i < f->count; i += f->folds)
            for (size_t k = 0; k < MODELS; k++) f->scores[k][i] = kept[k * f->count + i];
    } else if (!status) {
        status = fold_do(f, fold, &progress);
        for (size_t k = 0; k < MODELS && !status; k++) memcpy(kept + k * f->count, f->scores[k], bytes);
        if (!status) s3svm_cache_keep(f->settings->cache, &key, kept, MODELS * bytes);
    }
    free(kept);
    if (status || !f->settings->watch) return status;
    const s3svm_adapt_event e = { .phase = S3SVM_ADAPT_JUDGE,
                                  .fold = fold,
                                  .folds = f->folds,
                                  .share = progress.to,
                                  .judged = true,
                                  .before = score_mean(f, 0, fold, f->folds),
                                  .after = score_mean(f, 1, fold, f->folds) };
    if (f->settings->watch(f->settings->work.user, &e)) return SOS_OK;
    return sos_fail(f->error, SOS_CANCELLED, "stopped after fold %zu of %zu", fold + 1, f->folds);
}

static sos_status folds_do(const folds *f, sos_model **out, s3svm_adapt_result *result)
{
    sos_status status = SOS_OK;
    for (size_t fold = 0; fold < f->folds && !status; fold++) status = fold_find(f, fold);
    if (status) return status;
    *result = (s3svm_adapt_result){ .photographs = f->count };
    if (f->folds) {
        result->before = score_mean(f, 0, 0, 1);
        result->after = score_mean(f, 1, 0, 1);
        result->better = result->after.clicks < result->before.clicks;
    }
    for (size_t i = 0; i < f->count; i++) f->chosen[i] = &f->photographs[i];
    s3svm_adapt_progress progress = progress_of(f, f->folds);
    return s3svm_adapt_learn(f->from, f->count, f->chosen, &progress, out, f->error);
}

static sos_status adapt_check(size_t count, const s3svm_marked photographs[], const s3svm_adapt_settings *s, sos_error *error)
{
    if (count < S3SVM_ADAPT_LEAST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu photographs; at least %d are needed", count, S3SVM_ADAPT_LEAST);
    if (s->folds == 1) return sos_fail(error, SOS_ERR_ARGUMENT, "with one fold there would be no photographs to train on");
    for (size_t i = 0; i < count; i++)
        if (!photographs[i].truth || !photographs[i].care)
            return sos_fail(error, SOS_ERR_ARGUMENT, "photograph %zu has no true labels", i);
    return sos_reserved_check("s3svm_adapt_settings", s, error);
}

sos_status s3svm_segment_adapt(const sos_model *from, size_t count, const s3svm_marked photographs[],
                               const s3svm_adapt_settings *settings, sos_model **out, s3svm_adapt_result *result,
                               sos_error *error)
{
    const s3svm_adapt_settings s = settings ? *settings : s3svm_adapt_defaults();
    s3svm_adapt_result own;
    sos_status status = adapt_check(count, photographs, &s, error);
    if (status) return status;
    folds f = { .from = from,
                .count = count,
                .folds = s.folds < count ? s.folds : count,
                .photographs = photographs,
                .settings = &s,
                .scores = { calloc(count, sizeof *f.scores[0]), calloc(count, sizeof *f.scores[1]) },
                .chosen = calloc(count, sizeof *f.chosen),
                .error = error };
    status = f.scores[0] && f.scores[1] && f.chosen
                 ? folds_do(&f, out, result ? result : &own)
                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for scores of %zu photographs", count);
    free(f.scores[0]);
    free(f.scores[1]);
    free(f.chosen);
    return status;
}
