#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "segment/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/segment.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "segment/model.h"
#include "tasks/cache.h"
#include "tasks/lesson_from.h"
#include "tasks/split.h"
#include "tasks/stream.h"

typedef sos_segment_lesson_settings wishes;

enum { SPLIT_SEED = 1 }; /* that of experiments, unless somebody says otherwise */

/* ---------------------------------------------------------------- settings */

static const sos_option OPTIONS[] = {
    { "method", 0, SOS_SETS_CHOICE(wishes, method), SOS_SEGMENT_METHOD_NAMES,
      "what is between pixels: pairs, 2x2 patches, regions (s3svm)", 0, 0 },
    { "features", 0, SOS_SETS_CHOICE(wishes, features), SOS_SEGMENT_FEATURES_NAMES, "the paper's, or our best (full)", 0, 0 },
    { "seed", 0, SOS_SETS_INTEGER(wishes, seed), "N", "of what is drawn at random while features are learned (1)", 0,
      INT64_MAX },
    { "cache", 0, SOS_SETS_TEXT(wishes, cache), "FOLDER", "keep features here, and find them again (off)", 0, 0 },
    { "dialogues", 0, SOS_SETS_FLAG(wishes, dialogues), NULL, "learn from simulated dialogues: marks, answers, corrections", 0,
      0 },
    { "outlines", 0, SOS_SETS_FLAG(wishes, outlines), NULL, "learn to look at outlines again, at full resolution", 0, 0 },
    { "split", 0, SOS_SETS_INTEGER(wishes, split), "N",
      "learn from what split N of experiments interactive and clicks learns from, of the first DIR (0: all)", 0, 1000 },
    SOS_MAPS_OPTIONS(wishes, maps),
    SOS_OPTIONS_END,
};

static void defaults(void *settings)
{
    *(wishes *)settings = (wishes){ .features = SOS_CHOICE_NONE, .method = SOS_CHOICE_NONE, .seed = 1 };
}

static sos_status check(const void *settings, sos_error *error)
{
    const wishes *w = settings;
    const bool full = w->features == SOS_CHOICE_NONE || w->features == SOS_SEGMENT_FULL;
    if (w->dialogues && (!full || w->maps.kind))
        return sos_fail(error, SOS_ERR_ARGUMENT, "--dialogues goes with --features full, and without --maps");
    if (w->split && w->maps.kind) return sos_fail(error, SOS_ERR_ARGUMENT, "--split goes without --maps");
    return sos_maps_options_check(&w->maps, error);
}

const sos_form sos_segment_lesson_form = { OPTIONS, sizeof(wishes), defaults, check };

/* Users' maps can stand for all features. */
static sos_segment_features features_of(const wishes *w)
{
    if (w->maps.alone) return SOS_SEGMENT_NONE;
    return w->features == SOS_CHOICE_NONE ? SOS_SEGMENT_FULL : (sos_segment_features)w->features;
}

static sos_segment_method method_of(const wishes *w)
{
    return w->method == SOS_CHOICE_NONE ? SOS_SEGMENT_S3SVM : (sos_segment_method)w->method;
}

/* What the settings come to with a model to learn away from: what it says, and nothing else. */
static sos_status wishes_find(const wishes *given, const sos_model *from, wishes *w, sos_error *error)
{
    *w = *given;
    if (!from) return SOS_OK;
    sos_segment_model *p;
    sos_status status = sos_segment_model_create(from, &p, error);
    if (status) return status;
    w->features = (int)sos_segment_model_features(p);
    w->method = (int)sos_segment_model_method(p);
    sos_segment_model_free(p);
    const bool features = given->features != SOS_CHOICE_NONE, method = given->method != SOS_CHOICE_NONE;
    status = sos_lesson_from_agrees("--features",
                                    features ? sos_segment_features_name((sos_segment_features)given->features) : NULL,
                                    sos_segment_features_name((sos_segment_features)w->features), error);
    if (!status)
        status = sos_lesson_from_agrees("--method", method ? sos_segment_method_name((sos_segment_method)given->method) : NULL,
                                        sos_segment_method_name((sos_segment_method)w->method), error);
    return status ? status : sos_lesson_from_maps(from, &w->maps, error);
}

/* ---------------------------------------------------------------- photographs and examples */

typedef struct album {
    size_t count;
    sos_marked *pictures; /* their maps are borrowed */
    sos_maps_list maps;
    bool *mine; /* [count] whose examples are this rank's; NULL: all */
} album;

static void album_free(album *a)
{
    for (size_t i = 0; i < a->count; i++) {
        a->pictures[i].maps = (sos_maps){ 0 };
        sos_marked_free(&a->pictures[i]);
    }
    free(a->pictures);
    free(a->mine);
    sos_maps_list_free(&a->maps);
}

/* Which photographs of a folder, behind those that are there, are this rank's. */
static sos_status album_deal(album *a, const sos_crew *crew, const sos_dataset *d, sos_error *error)
{
    bool *mine;
    sos_status status = sos_share_pictures(crew, d, 1, &mine, error);
    if (status || !mine) return status;
    bool *all = realloc(a->mine, (a->count + d->count) * sizeof *all);
    if (all) {
        memcpy(all + a->count, mine, d->count * sizeof *all);
        a->mine = all;
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    }
    free(mine);
    return status;
}

/* Adds the photographs of a folder, or those that are this rank's: others stay empty. */
static sos_status album_add(album *a, const sos_dataset *d, bool all, sos_error *error)
{
    sos_status status = SOS_OK;
    sos_marked *pictures = realloc(a->pictures, (a->count + d->count) * sizeof *pictures);
    if (!pictures) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    a->pictures = pictures;
    for (size_t i = 0; i < d->count && !status; i++) {
        a->pictures[a->count] = (sos_marked){ 0 };
        if (all || sos_share_has(a->mine, a->count))
            status = sos_marked_read(&d->items[i], true, &a->pictures[a->count], error);
        if (!status && a->maps.maps) a->pictures[a->count].maps = a->maps.maps[i];
        a->count += !status;
    }
    return status;
}

/* Dialogues can do without scribbles. */
static bool needs_scribbles(const wishes *w, const char *folder)
{
    char *path = sos_path_join(folder, "scribbles", "");
    const bool there = path && sos_path_is_folder(path);
    free(path);
    return there || !w->dialogues;
}

static void passed_tell(const sos_dataset *d, const sos_work *work)
{
    char line[200];
    if (!d->passed || !work->tell) return;
    snprintf(line, sizeof line, "%.100s: %zu photographs have labels, %zu have none yet and are passed over", d->folder,
             d->count, d->passed);
    work->tell(work->user, line);
}

/* Leaves the half that a split of an experiment learns from, where a split is asked for. */
static sos_status half_keep(sos_dataset *d, int64_t split, sos_error *error)
{
    if (!split) return SOS_OK;
    sos_parts parts;
    const sos_status status = sos_parts_usual(d->count, 0, 0, &parts, error);
    if (status) return status;
    size_t *order = malloc(d->count * sizeof *order);
    bool *keep = calloc(d->count, sizeof *keep);
    if (order && keep) {
        sos_split(d->count, SPLIT_SEED, (uint64_t)split - 1, order);
        for (size_t i = 0; i < parts.train; i++) keep[order[i]] = true;
        sos_dataset_keep(d, keep);
    }
    const bool done = order && keep;
    free(order);
    free(keep);
    return done ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split of %zu photographs", d->count);
}

/* hash, if not NULL, gets that of the folder's files added, on rank 0; only such folders are split.  Rank 0 reads all
 * photographs, the others their own; dialogues choose among all. */
static sos_status album_read(album *a, const char *folder, const wishes *w, const sos_crew *crew, const sos_work *work,
                             uint64_t *hash, sos_error *error)
{
    const bool first = sos_crew_rank(crew) == 0;
    sos_dataset d;
    uint64_t own = 0;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, needs_scribbles(w, folder), &d, error);
    if (status) return status;
    passed_tell(&d, work);
    if (!a->count && hash) status = half_keep(&d, w->split, error);
    if (!status && !a->count) status = sos_maps_list_read(&w->maps, &d, work, &a->maps, error);
    if (!status && hash && first) status = sos_dataset_hash(&d, &own, error);
    if (!status && hash) *hash = *hash ? sos_hash(*hash, &own, sizeof own) : own;
    if (!status) status = album_deal(a, crew, &d, error);
    if (!status) status = album_add(a, &d, first || w->dialogues, error);
    sos_dataset_free(&d);
    return status;
}

/* Which photographs have an unsure band along their outlines; returns how many. */
static size_t banded_find(const album *a, sos_marked banded[])
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (memchr(a->pictures[i].care, 0, sos_image_size(&a->pictures[i].photograph))) banded[count++] = a->pictures[i];
    return count;
}

/* Of photographs that were chosen, those whose moments this rank makes examples of. */
static sos_status moments_deal(const sos_crew *crew, size_t count, const sos_marked pictures[], bool **mine, sos_error *error)
{
    double *cost = malloc((count + 1) * sizeof *cost);
    if (!cost) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu photographs", count);
    for (size_t i = 0; i < count; i++) cost[i] = (double)sos_image_size(&pictures[i].photograph);
    const sos_status status = sos_crew_deal(crew, count, cost, mine, error);
    free(cost);
    return status;
}

/* Energies learn where outlines are from masks that have a band where nobody can be sure: others, if there are such, are taken
 * for coarse, and only networks learn from them. */
static sos_status moments_make(const sos_segment_model *m, const sos_crew *crew, const album *a, const sos_segment_settings *s,
                               size_t *count, sos_example ***out, sos_error *error)
{
    bool *mine = NULL;
    sos_work work = s->work;
    sos_marked *fine = malloc((a->count + 1) * sizeof *fine);
    sos_example **examples = calloc(a->count * SOS_SEGMENT_MOMENTS + 1, sizeof(sos_example *));
    const size_t banded = fine ? banded_find(a, fine) : 0, used = banded ? banded : a->count;
    sos_status status = fine && examples
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for examples of %zu photographs", a->count);
    if (!status) status = moments_deal(crew, used, banded ? fine : a->pictures, &mine, error);
    work.mine = mine;
    if (!status) status = sos_segment_model_dialogues(m, used, banded ? fine : a->pictures, s->seed, &work, examples, error);
    free(fine);
    free(mine);
    if (status) {
        free(examples);
        return status;
    }
    *count = used * SOS_SEGMENT_MOMENTS;
    *out = examples;
    return SOS_OK;
}

static sos_status marked_make(const sos_segment_model *m, const album *a, const sos_segment_settings *s, size_t *count,
                              sos_example ***out, sos_error *error)
{
    sos_work work = s->work;
    work.mine = a->mine;
    sos_example **examples = calloc(a->count ? a->count : 1, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", a->count);
    const sos_status status = sos_segment_model_examples(m, a->count, a->pictures, s->cache, &work, examples, error);
    if (status) {
        free(examples);
        return status;
    }
    *count = a->count;
    *out = examples;
    return SOS_OK;
}

static sos_status examples_make(const sos_segment_model *m, const sos_crew *crew, const album *a, const sos_segment_settings *s,
                                size_t *count, sos_example ***out, sos_error *error)
{
    return s->dialogues ? moments_make(m, crew, a, s, count, out, error) : marked_make(m, a, s, count, out, error);
}

/* ---------------------------------------------------------------- the lesson */

static sos_segment_settings settings_of(const wishes *w, const sos_work *work)
{
    sos_segment_settings s = sos_segment_defaults();
    s.features = features_of(w);
    s.method = method_of(w);
    s.seed = (uint64_t)w->seed;
    s.cache = w->cache;
    s.dialogues = w->dialogues;
    s.work = *work;
    return s;
}

static const size_t FLOWS = (size_t)4 << 30; /* bytes: flows of some hundred examples */

static void training_set(const wishes *w, sos_lesson *l)
{
    const sos_segment_features features = features_of(w);
    const sos_segment_method method = method_of(w);
    l->training = sos_segment_training(features, method);
    if (w->dialogues) l->training.memory = FLOWS; /* there are two examples of each photograph */
    l->values.count = SOS_SEGMENT_CS;
    memcpy(l->values.values, sos_segment_cs(features, method), SOS_SEGMENT_CS * sizeof(double));
}

static sos_status model_make(const wishes *w, const sos_model *from, const sos_segment_settings *s, const album *learned,
                             sos_model **out, sos_error *error)
{
    if (from) return sos_model_copy(from, out, error);
    const sos_status status = sos_segment_create(s, learned->count, learned->pictures, out, error);
    return status ? status : sos_maps_list_learn(&w->maps, &learned->maps, *out, error);
}

/* ---- examples when they are asked ---- */

/* What they are made from. */
typedef struct source {
    sos_stream stream;
    char *cache; /* or NULL */
    sos_segment_model *model;
} source;

static void source_free(void *data)
{
    source *s = data;
    sos_stream_free(&s->stream);
    sos_segment_model_free(s->model);
    free(s->cache);
    free(s);
}

static sos_status source_make(void *user, size_t i, sos_example **out, sos_error *error)
{
    const source *s = user;
    sos_marked p = { 0 };
    const sos_work alone = { .threads = 1 };
    sos_status status = sos_marked_read(&s->stream.data.items[i], true, &p, error);
    if (status) return status;
    status = sos_segment_model_examples(s->model, 1, &p, s->cache, &alone, out, error);
    sos_marked_free(&p);
    return status;
}

static sos_status source_check(const wishes *w, const sos_texts *folders, const char *validation, sos_error *error)
{
    if (folders->count == 1 && !validation && !w->maps.kind && !w->dialogues && !w->outlines && !w->split) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT,
                    "--stream goes with one folder, and without --validation, --maps, --dialogues, --outlines and --split");
}

/* Opens a folder as a source; features are learned, on rank 0, from the first photographs. */
static sos_status source_open(const wishes *w, const sos_crew *crew, const sos_model *from, const char *folder, album *learned,
                              uint64_t *hash, source **out, sos_error *error)
{
    source *s = *out = calloc(1, sizeof *s);
    if (s && w->cache) s->cache = strdup(w->cache);
    if (!s || (w->cache && !s->cache)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, true, &d, error);
    if (!status) status = sos_stream_open(&s->stream, crew, &d, 1, hash, error);
    if (status || sos_crew_rank(crew) || from) return status;
    d = sos_stream_first(&s->stream);
    return album_add(learned, &d, true, error);
}

/* Gives the source to the lesson. */
static sos_status source_leave(sos_crew *crew, source **from, sos_lesson *l, sos_error *error)
{
    source *s = *from;
    sos_status status = sos_segment_model_create(l->model, &s->model, error);
    status = sos_stream_leave(&s->stream, crew, status, source_make, source_free, l, error);
    if (!status) *from = NULL;
    return status;
}

static sos_status all_examples_make(sos_crew *crew, const sos_segment_settings *s, const album *learned, const album *other,
                                    sos_lesson *l, sos_error *error)
{
    sos_segment_model *prepared;
    sos_status status = sos_segment_model_create(l->model, &prepared, error);
    if (status) return status;
    status = examples_make(prepared, crew, learned, s, &l->count, &l->examples, error);
    if (!status) status = examples_make(prepared, crew, other, s, &l->validation_count, &l->validation, error);
    sos_segment_model_free(prepared);
    return status;
}

/* Features are learned on rank 0, for all.  *made: where examples are made when they are asked. */
static sos_status lesson_make(const wishes *w, sos_crew *crew, const sos_model *from, const sos_work *work,
                              const album *learned, const album *other, source **made, sos_lesson *l, sos_error *error)
{
    const sos_segment_settings s = settings_of(w, work);
    sos_status status = sos_crew_rank(crew) ? SOS_OK : model_make(w, from, &s, learned, &l->model, error);
    status = sos_share_model(crew, status, &l->model, error);
    if (!status) status = *made ? source_leave(crew, made, l, error) : all_examples_make(crew, &s, learned, other, l, error);
    training_set(w, l);
    return sos_crew_agree(crew, sos_crew_rank(crew), status, error);
}

/* ---------------------------------------------------------------- outlines */

/* The photographs, until the weights are there. */
typedef struct rest {
    album learned;
    char *cache; /* or NULL */
    bool go_on;  /* from the second look of the model to learn away from, if it has one */
} rest;

static void rest_free(void *data)
{
    rest *r = data;
    album_free(&r->learned);
    free(r->cache);
    free(r);
}

static sos_status outlines_learn(const void *data, sos_model *m, const sos_work *work, sos_error *error)
{
    const rest *r = data;
    sos_marked *fine = malloc((r->learned.count + 1) * sizeof *fine);
    if (!fine) return sos_fail(error, SOS_ERR_MEMORY, "no memory for outlines of %zu photographs", r->learned.count);
    const size_t banded = banded_find(&r->learned, fine), count = banded ? banded : r->learned.count;
    const sos_marked *pictures = banded ? fine : r->learned.pictures;
    const sos_status status = r->go_on ? sos_outline_adapt(m, count, pictures, work, error)
                                       : sos_segment_outline_learn(m, count, pictures, r->cache, work, error);
    free(fine);
    return status;
}

/* Hands the album over to the lesson. */
static sos_status outlines_leave(const wishes *w, bool go_on, album *learned, sos_lesson *l, sos_error *error)
{
    rest *r = calloc(1, sizeof *r);
    char *cache = w->cache ? strdup(w->cache) : NULL;
    if (!r || (w->cache && !cache)) {
        free(r);
        free(cache);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for outlines");
    }
    *r = (rest){ *learned, cache, go_on };
    *learned = (album){ 0 };
    l->finish = outlines_learn;
    l->rest = r;
    l->rest_free = rest_free;
    return SOS_OK;
}

sos_status sos_segment_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders,
                                   const char *validation, const sos_work *work, sos_lesson *out, sos_error *error)
{
    wishes found;
    const wishes *w = &found;
    album learned = { 0 }, other = { 0 };
    sos_lesson l = { 0 };
    source *made = NULL;
    sos_error why;
    sos_crew crew;
    sos_status status = sos_crew_join(&crew, work->communicator, error);
    if (status) return status;
    status = wishes_find(settings, from, &found, error);
    if (!status && w->maps.kind && folders->count > 1)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--maps goes with one folder of photographs");
    if (!status && w->cache) status = sos_cache_open(w->cache, error);
    if (!status && work->stream) status = source_check(w, folders, validation, error);
    if (!status && work->stream)
        status = source_open(w, &crew, from, folders->values[0], &learned, &l.fingerprint, &made, error);
    for (size_t i = 0; i < folders->count && !status && !work->stream; i++)
        status = album_read(&learned, folders->values[i], w, &crew, work, &l.fingerprint, error);
    if (!status && validation) status = album_read(&other, validation, w, &crew, work, NULL, error);
    status = sos_crew_agree(&crew, sos_crew_rank(&crew), status, error);
    if (!status) {
        status = lesson_make(w, &crew, from, work, &learned, &other, &made, &l, &why);
        if (status) sos_fail(error, status, "%.200s: %.290s", folders->values[0], why.message);
    }
    const bool outlines = features_of(w) == SOS_SEGMENT_FULL && w->outlines;
    if (!status && outlines && !sos_crew_rank(&crew)) status = outlines_leave(w, from, &learned, &l, error);
    if (made) source_free(made);
    album_free(&learned);
    album_free(&other);
    if (status)
        sos_lesson_free(&l);
    else
        *out = l;
    return status;
}
