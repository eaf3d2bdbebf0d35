#include "label/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "label/album.h"
#include "label/features.h"
#include "label/model.h"
#include "tasks/lesson_from.h"
#include "tasks/stream.h"
#include <s3svm/label.h>

typedef sos_label_lesson_settings wishes;

/* ---------------------------------------------------------------- settings */

static const sos_option OPTIONS[] = {
    { "model", 0, SOS_SETS_CHOICE(wishes, kind), SOS_LABEL_KINDS, "what the energy is made of (full)", 0, 0 },
    { "names", 0, SOS_SETS_TEXT(wishes, names), "LIST", "of the labels: sky,water=0000ff,...", 0, 0 },
    { "void", 0, SOS_SETS_INTEGER(wishes, unknown), "N", "the number for pixels without a label (255); -1: none", -1, 255 },
    { "seed", 0, SOS_SETS_INTEGER(wishes, seed), "N", "of what is drawn at random while features are learned (1)", 0,
      INT64_MAX },
    { "balance", 0, SOS_SETS_FLAG(wishes, balance), NULL, "rare labels count as much as frequent ones", 0, 0 },
    { "weights", 0, SOS_SETS_REALS(wishes, weights), "LIST", "what an error at a pixel of each label counts: 1,1,5", 0,
      SOS_REALS_MAX },
    SOS_MAPS_OPTIONS(wishes, maps),
    SOS_OPTIONS_END,
};

enum { NOT_SAID = -2 }; /* which number stands for no label */

static void defaults(void *settings)
{
    *(wishes *)settings = (wishes){ .kind = SOS_CHOICE_NONE, .unknown = NOT_SAID, .seed = 1 };
}

static sos_status weights_check(const wishes *w, sos_error *error)
{
    if (w->balance && w->weights.count) return sos_fail(error, SOS_ERR_ARGUMENT, "--balance finds the weights by itself");
    for (size_t l = 0; l < w->weights.count; l++)
        if (!(w->weights.values[l] > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "--weights: they are positive");
    return SOS_OK;
}

/* As many weights as labels. */
static sos_status weights_count(const wishes *w, size_t labels, sos_error *error)
{
    if (!w->weights.count || w->weights.count == labels) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "--weights: %zu weights for %zu labels", w->weights.count, labels);
}

static sos_status check(const void *settings, sos_error *error)
{
    const wishes *w = settings;
    sos_status status = weights_check(w, error);
    if (!status) status = sos_maps_options_check(&w->maps, error);
    if (status || !w->names) return status;
    sos_error why;
    sos_label_names *names = malloc(sizeof *names);
    if (!names) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    status = sos_label_names_parse(w->names, names, &why);
    if (status)
        (void)sos_fail(error, status, "--names: %.480s", why.message);
    else
        status = weights_count(w, names->count, error);
    free(names);
    return status;
}

const sos_form sos_label_lesson_form = { OPTIONS, sizeof(wishes), defaults, check };

/* ---------------------------------------------------------------- examples when they are asked */

/* What they are made from. */
typedef struct source {
    sos_stream stream;
    size_t labels;
    int unknown;
    bool seen;    /* features were learned from the first of them */
    bool weighed; /* by weights; else all labels count the same */
    double weights[SOS_LABELS_MAX];
    size_t counts[SOS_LABELS_MAX]; /* pixels of each label, on rank 0 */
    sos_label_model *model;
} source;

static void source_free(void *data)
{
    source *s = data;
    sos_stream_free(&s->stream);
    sos_label_model_free(s->model);
    free(s);
}

static sos_status source_make(void *user, size_t i, sos_example **out, sos_error *error)
{
    const source *s = user;
    sos_labelled p = { 0 };
    sos_status status = sos_labelled_read(&s->stream.data.items[i], s->labels, s->unknown, &p, error);
    if (status) return status;
    const bool seen = s->seen && i < SOS_STREAM_LEARN;
    const sos_label_look look = { .picture = &p.picture,
                                  .fold = seen ? sos_label_fold(s->model->features, i) : SOS_LABEL_NEW,
                                  .truth = p.truth,
                                  .care = p.care,
                                  .weights = s->weighed ? s->weights : NULL };
    status = sos_label_example_make(s->model, &look, out, error);
    sos_labelled_free(&p);
    return status;
}

/* Pixels of each label, picture by picture. */
static sos_status source_count(source *s, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < s->stream.data.count && !status; i++) {
        size_t counts[SOS_LABELS_MAX] = { 0 };
        sos_labelled p = { 0 };
        status = sos_labelled_read(&s->stream.data.items[i], s->labels, s->unknown, &p, error);
        if (status) return status;
        const uint8_t *truth = p.truth, *care = p.care;
        const sos_label_pictures one = {
            .count = 1, .labels = s->labels, .pictures = &p.picture, .truths = &truth, .care = &care
        };
        sos_label_pictures_count(&one, counts);
        for (size_t l = 0; l < s->labels; l++) s->counts[l] += counts[l];
        sos_labelled_free(&p);
    }
    return status;
}

/* ---------------------------------------------------------------- the lesson */

/* A lesson being made. */
typedef struct making {
    const wishes *w;
    const sos_model *from; /* or NULL */
    sos_label_kind kind;
    int unknown; /* the number for pixels without a label */
    sos_maps_options map;
    const sos_work *work;
    sos_crew crew;           /* of processes that make the lesson together */
    bool *mine, *mine_other; /* examples of this one; NULL: all */
    sos_label_names names;
    double balanced[SOS_LABELS_MAX]; /* weights of labels */
    source *source;                  /* where examples are made when they are asked */
    sos_label_album album, other_album;
    sos_label_selection learned, other;
    sos_maps_list maps, other_maps;
    sos_lesson lesson;
} making;

/* Photographs of a folder whose labels are known by name; ranks but the first read their own. */
static sos_status photographs_read(const making *k, const sos_dataset *d, sos_label_album *album, const sos_maps_list *maps,
                                   bool **mine, sos_label_selection *all, sos_error *error)
{
    sos_status status = sos_share_pictures(&k->crew, d, 1, mine, error);
    if (!status) status = sos_label_album_read(d, &k->names, sos_crew_rank(&k->crew) ? *mine : NULL, album, error);
    if (!status) status = sos_label_selection_make(album, k->names.count, album->count, NULL, all, error);
    if (!status) all->chosen.maps = maps->maps;
    return status;
}

/* What the model to learn away from says of labels, and whether the settings agree. */
static sos_status from_read(making *k, sos_error *error)
{
    const wishes *w = k->w;
    sos_label_model *p;
    sos_status status = sos_label_model_create(k->from, &p, error);
    if (status) return status;
    k->kind = sos_label_model_design(p)->kind;
    memcpy(&k->names, sos_label_model_names(p), sizeof k->names);
    sos_label_model_free(p);
    status = sos_lesson_from_agrees("--model", w->kind == SOS_CHOICE_NONE ? NULL : sos_label_kind_name((sos_label_kind)w->kind),
                                    sos_label_kind_name(k->kind), error);
    if (!status && w->names) status = sos_fail(error, SOS_ERR_ARGUMENT, "--names: the model of --from has names of its own");
    if (!status && w->unknown != NOT_SAID && (int)w->unknown != k->names.unknown)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--void %d: the model of --from says %d", (int)w->unknown, k->names.unknown);
    k->unknown = k->names.unknown;
    return status ? status : sos_lesson_from_maps(k->from, &k->map, error);
}

static sos_status wishes_find(making *k, sos_error *error)
{
    const wishes *w = k->w;
    if (k->from) return from_read(k, error);
    k->kind = w->kind == SOS_CHOICE_NONE ? SOS_LABEL_FULL : (sos_label_kind)w->kind;
    k->unknown = w->unknown == NOT_SAID ? SOS_LABEL_VOID : (int)w->unknown;
    return w->names ? sos_label_names_parse(w->names, &k->names, error) : SOS_OK;
}

/* Takes the data set over as a source; features are learned, on rank 0, from the first photographs. */
static sos_status source_open(making *k, sos_dataset *d, sos_error *error)
{
    const bool first = sos_crew_rank(&k->crew) == 0;
    source *s = k->source = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    s->labels = k->names.count;
    s->unknown = k->names.unknown;
    s->seen = !k->from;
    sos_status status = sos_stream_open(&s->stream, &k->crew, d, 1, NULL, error);
    if (!status && first) status = source_count(s, error);
    if (status || !first || k->from) return status;
    const sos_dataset few = sos_stream_first(&s->stream);
    status = sos_label_album_read(&few, &k->names, NULL, &k->album, error);
    return status ? status : sos_label_selection_make(&k->album, k->names.count, k->album.count, NULL, &k->learned, error);
}

/* Gives the source to the lesson. */
static sos_status source_leave(making *k, sos_error *error)
{
    source *s = k->source;
    const double *weights = k->learned.chosen.weights;
    s->weighed = weights;
    if (weights) memcpy(s->weights, weights, s->labels * sizeof *weights);
    sos_status status = sos_label_model_create(k->lesson.model, &s->model, error);
    status = sos_stream_leave(&s->stream, &k->crew, status, source_make, source_free, &k->lesson, error);
    if (!status) k->source = NULL;
    return status;
}

/* Names as given, or made for as many labels as there are. */
static sos_status learned_read(making *k, const char *folder, sos_error *error)
{
    const bool given = k->w->names || k->from;
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    status = sos_label_names_find(given ? &k->names : NULL, &d, k->unknown, &k->names, error);
    if (!status) status = sos_maps_list_read(&k->map, &d, k->work, &k->maps, error);
    if (!status && !sos_crew_rank(&k->crew)) status = sos_dataset_hash(&d, &k->lesson.fingerprint, error);
    if (!status && k->work->stream)
        status = source_open(k, &d, error);
    else if (!status)
        status = photographs_read(k, &d, &k->album, &k->maps, &k->mine, &k->learned, error);
    sos_dataset_free(&d);
    return status;
}

static sos_status other_read(making *k, const char *folder, sos_error *error)
{
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    status = sos_maps_list_read(&k->map, &d, k->work, &k->other_maps, error);
    if (!status) status = photographs_read(k, &d, &k->other_album, &k->other_maps, &k->mine_other, &k->other, error);
    sos_dataset_free(&d);
    return status;
}

/* A label that does not occur can still be named, and is never found: people should know. */
static void absent_tell(const making *k, const char *data, const size_t counts[])
{
    for (size_t l = 0; k->work->tell && l < k->names.count; l++) {
        char line[400];
        if (counts[l]) continue;
        snprintf(line, sizeof line, "'%.200s' has no pixel of label %zu, '%s': nothing can be learned about it", data, l,
                 k->names.name[l]);
        k->work->tell(k->work->user, line);
    }
}

static sos_status labels_weigh(making *k, const char *data, sos_error *error)
{
    sos_status status = weights_count(k->w, k->names.count, error);
    status = sos_crew_agree(&k->crew, sos_crew_rank(&k->crew), status, error);
    if (status) return status;
    size_t counts[SOS_LABELS_MAX] = { 0 };
    if (!sos_crew_rank(&k->crew)) {
        if (k->source)
            memcpy(counts, k->source->counts, sizeof counts);
        else
            sos_label_pictures_count(&k->learned.chosen, counts);
        absent_tell(k, data, counts);
    }
    status = sos_crew_broadcast(&k->crew, sizeof counts, counts, error);
    if (status) return status;
    sos_label_balance(k->names.count, counts, k->balanced);
    const double *weights = k->w->balance ? k->balanced : k->w->weights.count ? k->w->weights.values : NULL;
    k->learned.chosen.weights = k->other.chosen.weights = weights;
    return SOS_OK;
}

static sos_status model_make(making *k, sos_error *error)
{
    sos_label_features *f;
    const sos_label_design design = sos_label_design_of(k->kind);
    if (k->from) return sos_model_copy(k->from, &k->lesson.model, error);
    sos_label_learning s = sos_label_learning_defaults();
    s.seed = (uint64_t)k->w->seed;
    s.threads = k->work->threads;
    s.progress = k->work->progress;
    s.user = k->work->user;
    s.alone = k->map.alone;
    sos_status status = sos_label_features_learn(&k->learned.chosen, &s, &f, error);
    if (status) return status;
    status = sos_label_create(&design, f, &k->names, &k->lesson.model, error);
    sos_label_features_free(f);
    return status ? status : sos_maps_list_learn(&k->map, &k->maps, k->lesson.model, error);
}

/* seen: the features were learned from these pictures. */
static sos_status examples_make(const making *k, const sos_label_model *p, const sos_label_pictures *pictures,
                                const bool mine[], bool seen, size_t *count, sos_example ***out, sos_error *error)
{
    sos_work work = *k->work;
    work.mine = mine;
    sos_example **examples = calloc(pictures->count ? pictures->count : 1, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", pictures->count);
    const sos_status status = sos_label_model_examples(p, pictures, seen, &work, examples, error);
    if (status) {
        free(examples);
        return status;
    }
    *count = pictures->count;
    *out = examples;
    return SOS_OK;
}

static sos_status all_examples_make(making *k, sos_error *error)
{
    sos_lesson *l = &k->lesson;
    sos_label_model *p;
    sos_status status = sos_label_model_create(l->model, &p, error);
    if (status) return status;
    status = examples_make(k, p, &k->learned.chosen, k->mine, !k->from, &l->count, &l->examples, error);
    if (!status)
        status = examples_make(k, p, &k->other.chosen, k->mine_other, false, &l->validation_count, &l->validation, error);
    sos_label_model_free(p);
    return status;
}

static sos_status lesson_make(making *k, const char *data, sos_error *error)
{
    sos_error why;
    const size_t rank = sos_crew_rank(&k->crew);
    sos_status status = rank ? SOS_OK : model_make(k, &why);
    status = sos_share_model(&k->crew, status, &k->lesson.model, &why);
    if (!status) status = k->source ? source_leave(k, &why) : all_examples_make(k, &why);
    status = sos_crew_agree(&k->crew, rank, status, &why);
    return status ? sos_fail(error, status, "%.200s: %.290s", data, why.message) : SOS_OK;
}

sos_status sos_label_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders, const char *validation,
                                 const sos_work *work, sos_lesson *out, sos_error *error)
{
    const char *data = folders->values[0];
    making *k = calloc(1, sizeof *k); /* names are too large for small stacks */
    if (!k) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    k->w = settings;
    k->from = from;
    k->map = k->w->maps;
    k->work = work;
    k->lesson.training = sos_label_training();
    sos_status status = sos_crew_join(&k->crew, work->communicator, error);
    if (status) {
        free(k);
        return status;
    }
    status = wishes_find(k, error);
    if (!status && work->stream && (validation || k->map.kind))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--stream goes without --validation and --maps");
    if (!status) status = learned_read(k, data, error);
    if (!status && validation) status = other_read(k, validation, error);
    status = sos_crew_agree(&k->crew, sos_crew_rank(&k->crew), status, error);
    if (!status) status = labels_weigh(k, data, error);
    if (!status) status = lesson_make(k, data, error);
    if (k->source) source_free(k->source);
    free(k->mine);
    free(k->mine_other);
    sos_label_selection_free(&k->learned);
    sos_label_selection_free(&k->other);
    sos_label_album_free(&k->album);
    sos_label_album_free(&k->other_album);
    sos_maps_list_free(&k->maps);
    sos_maps_list_free(&k->other_maps);
    if (status)
        sos_lesson_free(&k->lesson);
    else
        *out = k->lesson;
    free(k);
    return status;
}
