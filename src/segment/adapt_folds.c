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
#include "tasks/photographs.h"
#include "tasks/score.h"

enum { CACHE_VERSION = 2 }; /* changes when folds would come out otherwise */
static const double IOU = 0.9;

s3svm_adapt_settings s3svm_adapt_defaults(void) { return (s3svm_adapt_settings){ .folds = 4, .seed = 1 }; }

/* ---------------------------------------------------------------- what a photograph takes */

/* Of a photograph: clicks, and wrong pixels by strokes. */
typedef struct score {
    s3svm_adapt_score clicks;
    double strokes;
} score;

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
        const s3svm_score found = s3svm_score_of(s3svm_image_size(&p->photograph), s3svm_segmenter_labels(s), p->truth,
                                                 p->care);
        if (click < S3SVM_ADAPT_FEW) out->error = found.pixels ? s3svm_score_error(&found) : 0;
        if (!good && s3svm_score_iou(&found) >= IOU) {
            good = true;
            out->clicks = (double)(click + 1);
        }
    }
    return SOS_OK;
}

/* Wrong pixels by the photograph's own strokes, all at once, or by simulated ones where it has none of both kinds. */
static sos_status strokes_count(s3svm_segmenter *s, const s3svm_marked *p, s3svm_dialogue *d, double *wrong, sos_error *error)
{
    s3svm_simulation person = s3svm_simulation_defaults();
    const size_t n = s3svm_image_size(&p->photograph);
    const uint8_t *marks = p->marks.pixels;
    person.kind = S3SVM_SIMULATED_SCRIBBLES;
    person.both = true;
    const bool own = marks && memchr(marks, S3SVM_MARK_OBJECT, n) && memchr(marks, S3SVM_MARK_BACKGROUND, n);
    const s3svm_mark drawn = { .shape = S3SVM_SHAPE_PIXELS, .pixels = &p->marks };
    s3svm_segmenter_cut(s, 0);
    s3svm_dialogue_cut(d, 0);
    sos_status status = own ? s3svm_dialogue_add(d, 1, &drawn, error)
                            : s3svm_simulate_first(&person, p->truth, p->care, d, error);
    if (!status) status = s3svm_segmenter_replay(s, d, 1, error);
    if (status) return status;
    const s3svm_score found = s3svm_score_of(n, s3svm_segmenter_labels(s), p->truth, p->care);
    *wrong = found.pixels ? s3svm_score_error(&found) : 0;
    return SOS_OK;
}

/* What a photograph takes. */
static sos_status photograph_judge(const s3svm_segment_model *m, const s3svm_marked *photograph, score *out, sos_error *error)
{
    const s3svm_image *picture = &photograph->photograph;
    s3svm_segmenter *s = NULL;
    s3svm_dialogue *d = NULL;
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.tidying.specks = 1; /* what the model finds is judged, not what tidying makes of it */
    settings.work.threads = 1;
    sos_status status = s3svm_segmenter_create(m, picture, &settings, &s, error);
    if (!status) status = s3svm_dialogue_create(picture->width, picture->height, &d, error);
    if (!status) status = clicks_count(s, photograph, d, &out->clicks, error);
    if (!status) status = strokes_count(s, photograph, d, &out->strokes, error);
    s3svm_dialogue_free(d);
    s3svm_segmenter_free(s);
    return status;
}

/* ---------------------------------------------------------------- folds */

/* Before and after. */
enum { MODELS = 2 };

/* How far the work has come at the end of each step: looking at photographs, weights of all folds, what they are worth, the
 * model of all photographs. */
static const double LOOKED = 0.2, WEIGHED = 0.5, JUDGED = 0.9;

typedef struct folds {
    const sos_model *from;
    size_t count, folds, weights; /* photographs; folds; weights of the model */
    const s3svm_marked *photographs;
    const s3svm_adapt_settings *settings;
    size_t *fold; /* of each photograph: the same one is never on both sides */
    s3svm_own_lesson *lesson;
    score *scores[MODELS]; /* of every photograph */
    double *found;         /* of each fold and strength: weights, then the loss on what the fold keeps aside */
    bool *chosen;          /* photographs that are learned from */
    sos_error *error;
} folds;

static size_t found_size(const folds *f) { return f->weights + 1; }

static double *found_at(const folds *f, size_t fold, size_t strength)
{
    return f->found + (fold * S3SVM_ADAPT_STRENGTHS + strength) * found_size(f);
}

static double loss_at(const folds *f, size_t fold, size_t strength) { return found_at(f, fold, strength)[f->weights]; }

static s3svm_adapt_progress progress_of(const folds *f, s3svm_adapt_phase phase, size_t fold, double from, double to)
{
    return (s3svm_adapt_progress){
        .settings = f->settings, .phase = phase, .fold = fold, .folds = f->folds, .from = from, .to = to
    };
}

/* A part of the work that has so many. */
static double part(double from, double to, size_t number, size_t count)
{
    return from + (to - from) * (double)number / (double)count;
}

/* All photographs but those that a fold keeps aside; all, for fold number folds. */
static void photographs_choose(const folds *f, size_t fold)
{
    for (size_t i = 0; i < f->count; i++) f->chosen[i] = f->fold[i] != fold;
}

/* ---- weights ---- */

static sos_status strength_find(const folds *f, size_t fold, size_t strength)
{
    const double from = part(LOOKED, WEIGHED, fold, f->folds), to = part(LOOKED, WEIGHED, fold + 1, f->folds);
    s3svm_adapt_progress progress = progress_of(f, S3SVM_ADAPT_WEIGHTS, fold, part(from, to, strength, S3SVM_ADAPT_STRENGTHS),
                                                part(from, to, strength + 1, S3SVM_ADAPT_STRENGTHS));
    double *out = found_at(f, fold, strength);
    sos_model *m = NULL;
    sos_status status = sos_model_copy(f->from, &m, f->error);
    if (!status) status = s3svm_adapt_weights(f->lesson, f->chosen, strength, &progress, m, f->error);
    if (!status) status = s3svm_adapt_loss(f->lesson, f->chosen, m, f->settings->work.threads, &out[f->weights], f->error);
    if (!status) memcpy(out, sos_model_weights(m), f->weights * sizeof *out);
    sos_model_free(m);
    return status;
}

/* The strength with the least loss on photographs that were kept aside, in all folds but one. */
static size_t strength_choose(const folds *f, size_t but)
{
    size_t best = 0;
    double least = 0;
    if (!f->folds) return S3SVM_ADAPT_USUAL;
    for (size_t k = 0; k < S3SVM_ADAPT_STRENGTHS; k++) {
        double loss = 0;
        for (size_t fold = 0; fold < f->folds; fold++)
            if (fold != but) loss += loss_at(f, fold, k);
        if (!k || loss < least) {
            best = k;
            least = loss;
        }
    }
    return best;
}

/* ---- scores ---- */

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
    for (size_t k = 0; k < MODELS && !status; k++) status = s3svm_segment_model_create(files[k], &models[k], f->error);
    if (!status) {
#pragma omp parallel for schedule(dynamic) num_threads(used)
        for (size_t j = 0; j < MODELS * f->count; j++) {
            const size_t i = j / MODELS;
            sos_error why = { SOS_CANCELLED, "stopped while photographs were marked" };
            size_t before;
#pragma omp atomic capture
            before = begun++;
            if (f->fold[i] != fold) continue;
            const bool go_on = s3svm_adapt_tell(progress, (double)before / (double)(MODELS * f->count), NULL);
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

/* A model with these weights that looks at outlines as the chosen photographs show. */
static sos_status outlines_add(const folds *f, const double weights[], s3svm_adapt_progress *progress, sos_model **out)
{
    const sos_work work = s3svm_adapt_work(progress);
    sos_model *m = NULL;
    sos_status status = sos_model_copy(f->from, &m, f->error);
    if (!status) status = sos_model_set_weights(m, weights, f->error);
    if (!status) status = s3svm_own_lesson_outlines(f->lesson, f->chosen, &work, m, f->error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

static sos_status scores_find(const folds *f, size_t fold)
{
    const double from = part(WEIGHED, JUDGED, fold, f->folds), to = part(WEIGHED, JUDGED, fold + 1, f->folds);
    const double between = from + 0.2 * (to - from);
    s3svm_adapt_progress outlines = progress_of(f, S3SVM_ADAPT_OUTLINES, fold, from, between);
    s3svm_adapt_progress judge = progress_of(f, S3SVM_ADAPT_JUDGE, fold, between, to);
    sos_model *learned = NULL;
    sos_status status = outlines_add(f, found_at(f, fold, strength_choose(f, fold)), &outlines, &learned);
    if (!status) status = fold_judge(f, fold, learned, &judge);
    sos_model_free(learned);
    return status;
}

/* ---- what is kept for the next call ---- */

/* Everything that a fold comes from. */
static s3svm_cache_key fold_key(const folds *f, const char *what, size_t fold)
{
    s3svm_cache_key key = s3svm_cache_key_of(what, CACHE_VERSION);
    const char *facts[] = { sos_model_fact(f->from, "features"), sos_model_fact(f->from, "outline") };
    s3svm_cache_key_add_number(&key, f->settings->seed);
    s3svm_cache_key_add_number(&key, f->folds);
    s3svm_cache_key_add_number(&key, fold);
    s3svm_cache_key_add(&key, sos_model_weights(f->from), f->weights * sizeof(double));
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (facts[k]) s3svm_cache_key_add(&key, facts[k], strlen(facts[k]));
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

/* Finds weights of a fold in the cache, or finds them out and keeps them. */
static sos_status weights_find(const folds *f, size_t fold)
{
    const s3svm_cache_key key = fold_key(f, "weights of a fold of one's own photographs", fold);
    const size_t bytes = S3SVM_ADAPT_STRENGTHS * found_size(f) * sizeof(double);
    sos_status status = SOS_OK;
    if (s3svm_cache_find(f->settings->cache, &key, found_at(f, fold, 0), bytes)) return SOS_OK;
    photographs_choose(f, fold);
    for (size_t k = 0; k < S3SVM_ADAPT_STRENGTHS && !status; k++) status = strength_find(f, fold, k);
    if (!status) s3svm_cache_keep(f->settings->cache, &key, found_at(f, fold, 0), bytes);
    return status;
}

/* Means over the photographs of a fold; of all, for fold number folds. */
static score score_mean(const folds *f, size_t model, size_t fold)
{
    score mean = { 0 };
    double count = 0;
    for (size_t i = 0; i < f->count; i++) {
        const score *s = &f->scores[model][i];
        if (fold != f->folds && f->fold[i] != fold) continue;
        mean.clicks.clicks += s->clicks.clicks;
        mean.clicks.error += s->clicks.error;
        mean.strokes += s->strokes;
        count++;
    }
    return (score){ { mean.clicks.clicks / count, mean.clicks.error / count }, mean.strokes / count };
}

static sos_status fold_tell(const folds *f, size_t fold)
{
    const s3svm_adapt_event e = { .phase = S3SVM_ADAPT_JUDGE,
                                  .fold = fold,
                                  .folds = f->folds,
                                  .share = part(WEIGHED, JUDGED, fold + 1, f->folds),
                                  .judged = true,
                                  .before = score_mean(f, 0, fold).clicks,
                                  .after = score_mean(f, 1, fold).clicks };
    if (!f->settings->watch || f->settings->watch(f->settings->work.user, &e)) return SOS_OK;
    return sos_fail(f->error, SOS_CANCELLED, "stopped after fold %zu of %zu", fold + 1, f->folds);
}

/* The same with the scores of a fold. */
static sos_status fold_find(const folds *f, size_t fold)
{
    score *kept = calloc(MODELS * f->count, sizeof *kept);
    const s3svm_cache_key key = fold_key(f, "scores of a fold of one's own photographs", fold);
    const size_t bytes = f->count * sizeof *kept;
    sos_status status = kept ? SOS_OK : sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu scores", f->count);
    photographs_choose(f, fold);
    if (!status && s3svm_cache_find(f->settings->cache, &key, kept, MODELS * bytes)) {
        for (size_t k = 0; k < MODELS; k++)
            for (size_t i = 0; i < f->count; i++)
                if (f->fold[i] == fold) f->scores[k][i] = kept[k * f->count + i];
    } else if (!status) {
        status = scores_find(f, fold);
        for (size_t k = 0; k < MODELS && !status; k++) memcpy(kept + k * f->count, f->scores[k], bytes);
        if (!status) s3svm_cache_keep(f->settings->cache, &key, kept, MODELS * bytes);
    }
    free(kept);
    return status ? status : fold_tell(f, fold);
}

/* ---------------------------------------------------------------- all of it */

static sos_status lesson_make(folds *f)
{
    s3svm_adapt_progress progress = progress_of(f, S3SVM_ADAPT_WEIGHTS, 0, 0, LOOKED);
    const sos_work work = s3svm_adapt_work(&progress);
    const s3svm_marked **list = calloc(f->count, sizeof *list);
    s3svm_segment_model *p = NULL;
    sos_status status = list ? s3svm_segment_model_create(f->from, &p, f->error)
                             : sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu photographs", f->count);
    for (size_t i = 0; i < f->count && list; i++) list[i] = &f->photographs[i];
    if (!status) status = s3svm_own_lesson_create(p, f->count, list, f->settings->seed, &work, &f->lesson, f->error);
    s3svm_segment_model_free(p);
    free(list);
    return status;
}

static sos_status all_learn(const folds *f, sos_model **out)
{
    const double from = f->folds ? JUDGED : LOOKED, between = from + 0.7 * (1 - from);
    s3svm_adapt_progress weights = progress_of(f, S3SVM_ADAPT_WEIGHTS, f->folds, from, between);
    s3svm_adapt_progress outlines = progress_of(f, S3SVM_ADAPT_OUTLINES, f->folds, between, 1);
    sos_model *m = NULL;
    photographs_choose(f, f->folds);
    sos_status status = sos_model_copy(f->from, &m, f->error);
    if (!status) status = s3svm_adapt_weights(f->lesson, f->chosen, strength_choose(f, f->folds), &weights, m, f->error);
    if (!status) status = outlines_add(f, sos_model_weights(m), &outlines, out);
    sos_model_free(m);
    return status;
}

static sos_status folds_do(folds *f, sos_model **out, s3svm_adapt_result *result)
{
    sos_status status = lesson_make(f);
    for (size_t fold = 0; fold < f->folds && !status; fold++) status = weights_find(f, fold);
    for (size_t fold = 0; fold < f->folds && !status; fold++) status = fold_find(f, fold);
    if (status) return status;
    *result = (s3svm_adapt_result){ .photographs = f->count };
    if (f->folds) {
        const score before = score_mean(f, 0, f->folds), after = score_mean(f, 1, f->folds);
        result->before = before.clicks;
        result->after = after.clicks;
        result->strokes_before = before.strokes;
        result->strokes_after = after.strokes;
        result->better = result->after.clicks < result->before.clicks;
    }
    return all_learn(f, out);
}

/* No more folds than different photographs. */
static sos_status photographs_deal(folds *f)
{
    uint64_t *hashes = malloc(f->count * sizeof *hashes);
    size_t *same = malloc(f->count * sizeof *same);
    sos_status status = hashes && same ? SOS_OK : sos_fail(f->error, SOS_ERR_MEMORY, "no memory for %zu photographs", f->count);
    for (size_t i = 0; i < f->count && !status; i++) hashes[i] = s3svm_photograph_hash(&f->photographs[i].photograph);
    if (!status) status = s3svm_photographs_group(f->count, hashes, same, f->error);
    if (!status) {
        const size_t different = s3svm_photographs_count(f->count, same);
        if (f->folds > different) f->folds = different;
        if (f->folds == 1) status = sos_fail(f->error, SOS_ERR_ARGUMENT, "all %zu photographs are the same", f->count);
    }
    if (!status && f->folds) status = s3svm_photographs_fold(f->count, same, f->folds, f->fold, f->error);
    if (!f->folds)
        for (size_t i = 0; i < f->count; i++) f->fold[i] = 1; /* of none */
    free(hashes);
    free(same);
    return status;
}

static void folds_free(folds *f)
{
    for (size_t k = 0; k < MODELS; k++) free(f->scores[k]);
    s3svm_own_lesson_free(f->lesson);
    free(f->fold);
    free(f->found);
    free(f->chosen);
}

static sos_status folds_create(folds *f)
{
    const size_t found = f->folds * S3SVM_ADAPT_STRENGTHS * found_size(f);
    for (size_t k = 0; k < MODELS; k++) f->scores[k] = calloc(f->count, sizeof *f->scores[k]);
    f->fold = calloc(f->count, sizeof *f->fold);
    f->found = calloc(found + 1, sizeof *f->found);
    f->chosen = calloc(f->count, sizeof *f->chosen);
    if (f->scores[0] && f->scores[1] && f->fold && f->found && f->chosen) return photographs_deal(f);
    return sos_fail(f->error, SOS_ERR_MEMORY, "no memory for scores of %zu photographs", f->count);
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
                .folds = s.folds,
                .weights = sos_model_weight_count(from),
                .photographs = photographs,
                .settings = &s,
                .error = error };
    status = folds_create(&f);
    if (!status) status = folds_do(&f, out, result ? result : &own);
    folds_free(&f);
    return status;
}
