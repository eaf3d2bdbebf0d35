/* adapt_folds.c - learning from somebody's own photographs, with folds that find out whether it helped. */
#include <stdlib.h>
#include <string.h>

#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "base/error.h"
#include "base/threads.h"
#include "segment/adapt.h"
#include "segment/response.h"
#include "tasks/cache.h"
#include "tasks/score.h"

enum { CACHE_VERSION = 1 }; /* changes when folds would come out otherwise */
static const double IOU = 0.9;

sos_adapt_settings sos_adapt_defaults(void) { return (sos_adapt_settings){ .folds = 4, .seed = 1 }; }

/* ---------------------------------------------------------------- what a photograph takes */

/* Clicks until the labels are good; a person whom nothing is left to correct is content, too. */
static sos_status clicks_count(sos_segmenter *s, const sos_marked *p, sos_dialogue *d, sos_adapt_score *out, sos_error *error)
{
    *out = (sos_adapt_score){ .clicks = SOS_ADAPT_CLICKS };
    bool good = false;
    for (size_t click = 0; click < SOS_ADAPT_CLICKS && (!good || click < SOS_ADAPT_FEW); click++) {
        bool right = false;
        sos_status status = click ? sos_simulate_correct(NULL, p->truth, p->care, sos_segmenter_labels(s), d, &right, error)
                                  : sos_simulate_first(NULL, p->truth, p->care, d, error);
        if (status || right) return status;
        const sos_mark mark = sos_dialogue_mark(d, click, 0);
        status = sos_segmenter_mark(s, 1, &mark, error);
        if (status) return status;
        const sos_score score = sos_score_of(sos_image_size(&p->photograph), sos_segmenter_labels(s), p->truth, p->care);
        if (click < SOS_ADAPT_FEW) out->error = score.pixels ? sos_score_error(&score) : 0;
        if (!good && sos_score_iou(&score) >= IOU) {
            good = true;
            out->clicks = (double)(click + 1);
        }
    }
    return SOS_OK;
}

/* What a photograph takes. */
static sos_status photograph_judge(const sos_segment_model *m, const sos_marked *photograph, sos_adapt_score *out,
                                   sos_error *error)
{
    const sos_image *picture = &photograph->photograph;
    sos_segmenter *s = NULL;
    sos_dialogue *d = NULL;
    sos_cutout_settings settings = sos_cutout_defaults();
    settings.work.threads = 1;
    sos_status status = sos_segmenter_create(m, picture, &settings, &s, error);
    if (!status) status = sos_dialogue_create(picture->width, picture->height, &d, error);
    if (!status) status = clicks_count(s, photograph, d, out, error);
    sos_dialogue_free(d);
    sos_segmenter_free(s);
    return status;
}

/* ---------------------------------------------------------------- folds */

/* Before and after. */
enum { MODELS = 2 };

typedef struct folds {
    const sos_model *from;
    size_t count, folds;
    const sos_marked *photographs;
    const sos_adapt_settings *settings;
    sos_adapt_score *scores[MODELS]; /* of every photograph */
    const sos_marked **chosen;       /* room for count */
    sos_error *error;
} folds;

static sos_adapt_course course_of(const folds *f, size_t fold)
{
    const double each = 1 / (double)(f->folds + 1);
    return (sos_adapt_course){
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
static sos_status fold_judge(const folds *f, size_t fold, const sos_model *learned, sos_adapt_course *course)
{
    const sos_model *files[MODELS] = { f->from, learned };
    sos_segment_model *models[MODELS] = { NULL };
    sos_failure failure = { 0 };
    const int used = sos_thread_count(f->settings->threads);
    (void)used; /* where OpenMP is missing */
    sos_status status = SOS_OK;
    size_t begun = 0;
    const size_t kept = (f->count - fold + f->folds - 1) / f->folds;
    for (size_t k = 0; k < MODELS && !status; k++) status = sos_segment_model_create(files[k], &models[k], f->error);
    if (!status) {
#pragma omp parallel for schedule(dynamic) num_threads(used)
        for (size_t j = 0; j < MODELS * kept; j++) {
            const size_t i = fold + j / MODELS * f->folds;
            sos_error why = { SOS_CANCELLED, "stopped while photographs were marked" };
            size_t before;
#pragma omp atomic capture
            before = begun++;
            const bool go_on = sos_adapt_tell(course, (double)before / (double)(MODELS * kept), NULL);
            const sos_status judged = go_on ? photograph_judge(models[j % MODELS], &f->photographs[i],
                                                               &f->scores[j % MODELS][i], &why)
                                            : SOS_CANCELLED;
            if (judged) sos_failure_note(&failure, i, judged, &why);
        }
        status = sos_failure_status(&failure, "photograph", f->error);
    }
    for (size_t k = 0; k < MODELS; k++) sos_segment_model_free(models[k]);
    return status;
}

static sos_status fold_do(const folds *f, size_t fold, sos_adapt_course *course)
{
    sos_model *learned = NULL;
    const size_t count = photographs_choose(f, fold, true);
    sos_status status = sos_adapt_learn(f->from, count, f->chosen, course, &learned, f->error);
    course->phase = SOS_ADAPT_JUDGE;
    if (!status) status = fold_judge(f, fold, learned, course);
    sos_model_free(learned);
    return status;
}

/* Everything that a fold comes from. */
static sos_cache_key fold_key(const folds *f, size_t fold)
{
    sos_cache_key key = sos_cache_key_of("fold of one's own photographs", CACHE_VERSION);
    const char *features = sos_model_fact(f->from, "features");
    sos_cache_key_add_number(&key, f->settings->seed);
    sos_cache_key_add_number(&key, f->folds);
    sos_cache_key_add_number(&key, fold);
    sos_cache_key_add(&key, sos_model_weights(f->from), sos_model_weight_count(f->from) * sizeof(double));
    if (features) sos_cache_key_add(&key, features, strlen(features));
    for (size_t i = 0; i < f->count; i++) {
        const sos_marked *p = &f->photographs[i];
        const size_t n = sos_image_size(&p->photograph);
        sos_cache_key_add_number(&key, sos_segment_response_hash(&p->photograph));
        sos_cache_key_add(&key, p->truth, n);
        sos_cache_key_add(&key, p->care, n);
        if (p->marks.pixels) sos_cache_key_add(&key, p->marks.pixels, n);
    }
    return key;
}

static sos_adapt_score score_mean(const folds *f, size_t model, size_t first, size_t step)
{
    sos_adapt_score mean = { 0 };
    size_t count = 0;
    for (size_t i = first; i < f->count; i += step, count++) {
        mean.clicks += f->scores[model][i].clicks;
        mean.error += f->scores[model][i].error;
    }
    return (sos_adapt_score){ mean.clicks / (double)count, mean.error / (double)count };
}

/* Finds the scores of a fold in the cache, or finds them out and keeps them. */
static sos_status fold_find(const folds *f, size_t fold)
{
    sos_adapt_course course = course_of(f, fold);
    sos_adapt_score *kept = malloc(MODELS * f->count * sizeof *kept);
    const sos_cache_key key = fold_key(f, fold);
    const size_t bytes = f->count * sizeof *kept;
    sos_status status = kept ? SOS_OK : sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu scores", f->count);
    if (!status && sos_cache_find(f->settings->cache, &key, kept, MODELS * bytes)) {
        for (size_t i = fold; i < f->count; i += f->folds)
            for (size_t k = 0; k < MODELS; k++) f->scores[k][i] = kept[k * f->count + i];
    } else if (!status) {
        status = fold_do(f, fold, &course);
        for (size_t k = 0; k < MODELS && !status; k++) memcpy(kept + k * f->count, f->scores[k], bytes);
        if (!status) sos_cache_keep(f->settings->cache, &key, kept, MODELS * bytes);
    }
    free(kept);
    if (status || !f->settings->watch) return status;
    const sos_adapt_event e = { .phase = SOS_ADAPT_JUDGE,
                                .fold = fold,
                                .folds = f->folds,
                                .share = course.to,
                                .judged = true,
                                .before = score_mean(f, 0, fold, f->folds),
                                .after = score_mean(f, 1, fold, f->folds) };
    if (f->settings->watch(f->settings->user, &e)) return SOS_OK;
    return sos_fail(f->error, SOS_CANCELLED, "stopped after fold %zu of %zu", fold + 1, f->folds);
}

static sos_status folds_do(const folds *f, sos_model **out, sos_adapt_result *result)
{
    sos_status status = SOS_OK;
    for (size_t fold = 0; fold < f->folds && !status; fold++) status = fold_find(f, fold);
    if (status) return status;
    *result = (sos_adapt_result){ .photographs = f->count };
    if (f->folds) {
        result->before = score_mean(f, 0, 0, 1);
        result->after = score_mean(f, 1, 0, 1);
        result->better = result->after.clicks < result->before.clicks;
    }
    for (size_t i = 0; i < f->count; i++) f->chosen[i] = &f->photographs[i];
    sos_adapt_course course = course_of(f, f->folds);
    return sos_adapt_learn(f->from, f->count, f->chosen, &course, out, f->error);
}

static sos_status check(size_t count, const sos_marked photographs[], const sos_adapt_settings *s, sos_error *error)
{
    if (count < SOS_ADAPT_LEAST)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu photographs to learn from; %d or more are needed", count,
                        SOS_ADAPT_LEAST);
    if (s->folds == 1) return sos_fail(error, SOS_ERR_ARGUMENT, "one fold would keep all photographs aside");
    for (size_t i = 0; i < count; i++)
        if (!photographs[i].truth || !photographs[i].care)
            return sos_fail(error, SOS_ERR_ARGUMENT, "photograph %zu has no true labels to learn from", i);
    return sos_reserved_check("sos_adapt_settings", s, error);
}

sos_status sos_segment_adapt(const sos_model *from, size_t count, const sos_marked photographs[],
                             const sos_adapt_settings *settings, sos_model **out, sos_adapt_result *result, sos_error *error)
{
    const sos_adapt_settings s = settings ? *settings : sos_adapt_defaults();
    sos_adapt_result own;
    sos_status status = check(count, photographs, &s, error);
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
