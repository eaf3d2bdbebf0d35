#include "denoise/lesson.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "denoise/data.h"
#include "denoise/features.h"
#include "tasks/facts.h"
#include "tasks/lesson_from.h"
#include "tasks/stream.h"

typedef sos_denoise_lesson_settings wishes;

/* ---------------------------------------------------------------- settings */

static const sos_option OPTIONS[] = {
    SOS_NOISE_OPTIONS(wishes, noise, SOS_NOISES_MAX),
    { "model", 0, SOS_SETS_CHOICE(wishes, kind), SOS_DENOISE_KINDS,
      "what pixels know and which cliques there are, see below (full)", 0, 0 },
    SOS_MAPS_OPTIONS(wishes, maps),
    SOS_OPTIONS_END,
};

static void defaults(void *settings)
{
    *(wishes *)settings = (wishes){ .kind = SOS_CHOICE_NONE, .noise = sos_noise_options_none() };
}

static sos_status check(const void *settings, sos_error *error)
{
    const wishes *w = settings;
    const sos_status status = sos_noise_options_check(&w->noise, error);
    if (!status && w->maps.kind && w->noise.sigma.count > 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--maps: a drawing has maps of one noisy picture, not of several sigmas");
    return status ? status : sos_maps_options_check(&w->maps, error);
}

const sos_form sos_denoise_lesson_form = { OPTIONS, sizeof(wishes), defaults, check };

/* ---------------------------------------------------------------- examples when they are asked */

/* What they are made from. */
typedef struct source {
    sos_stream stream;
    size_t noises;
    sos_noise noise[SOS_NOISES_MAX];
    sos_denoise_model *model;
} source;

static void source_free(void *data)
{
    source *s = data;
    sos_stream_free(&s->stream);
    sos_denoise_model_free(s->model);
    free(s);
}

static sos_status source_make(void *user, size_t i, sos_example **out, sos_error *error)
{
    const source *s = user;
    sos_plane noisy;
    uint8_t *truth;
    const sos_dataset *d = &s->stream.data;
    sos_status status = sos_drawing_read(&d->items[i % d->count], s->noises ? &s->noise[i / d->count] : NULL, &noisy, &truth,
                                         error);
    if (status) return status;
    const sos_denoise_input in = { .noisy = &noisy, .truth = truth };
    status = sos_denoise_model_example_input(s->model, &in, true, out, error);
    sos_plane_free(&noisy);
    free(truth);
    return status;
}

/* ---------------------------------------------------------------- drawings and examples */

/* A lesson being made. */
typedef struct making {
    const sos_model *from; /* or NULL */
    sos_denoise_kind kind;
    sos_maps_options maps;
    size_t noises;
    sos_noise noise[SOS_NOISES_MAX];
    const sos_work *work;
    sos_crew crew;           /* of processes that make the lesson together */
    bool *mine, *mine_other; /* examples of this one; NULL: all */
    source *source;          /* where examples are made when they are asked */
    sos_drawings learned, other;
    sos_maps_list learned_maps, other_maps;
    sos_lesson lesson;
} making;

/* hash, if not NULL, receives that of the folder's files, on rank 0, which reads all drawings; the others read their own. */
static sos_status drawings_read(const making *k, const char *folder, sos_drawings *out, sos_maps_list *maps, bool **mine,
                                uint64_t *hash, sos_error *error)
{
    const bool first = sos_crew_rank(&k->crew) == 0;
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_OPTIONAL, false, &d, error);
    if (status) return status;
    status = sos_maps_list_read(&k->maps, &d, k->work, maps, error);
    if (!status && hash && first) status = sos_dataset_hash(&d, hash, error);
    if (!status) status = sos_share_pictures(&k->crew, &d, k->noises ? k->noises : 1, mine, error);
    if (!status) status = sos_drawings_load(&d, k->noises, k->noise, first ? NULL : *mine, out, error);
    sos_dataset_free(&d);
    return status;
}

/* Opens what is learned from as a source; features are learned, on rank 0, from the first drawings. */
static sos_status source_open(making *k, const char *folder, sos_error *error)
{
    source *s = k->source = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    s->noises = k->noises;
    memcpy(s->noise, k->noise, sizeof s->noise);
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_OPTIONAL, false, &d, error);
    if (!status) status = sos_stream_open(&s->stream, &k->crew, &d, k->noises ? k->noises : 1, &k->lesson.fingerprint, error);
    if (status || sos_crew_rank(&k->crew) || k->from) return status;
    d = sos_stream_first(&s->stream);
    return sos_drawings_load(&d, k->noises, k->noise, NULL, &k->learned, error);
}

/* Gives the source to the lesson. */
static sos_status source_leave(making *k, sos_error *error)
{
    source *s = k->source;
    sos_status status = sos_denoise_model_create(k->lesson.model, &s->model, error);
    status = sos_stream_leave(&s->stream, &k->crew, status, source_make, source_free, &k->lesson, error);
    if (!status) k->source = NULL;
    return status;
}

/* As the settings say, or as the model to learn away from does. */
static sos_status kind_find(making *k, int wanted, sos_error *error)
{
    k->kind = wanted == SOS_CHOICE_NONE ? SOS_DENOISE_FULL : (sos_denoise_kind)wanted;
    if (!k->from) return SOS_OK;
    sos_denoise_model *p;
    const sos_status status = sos_denoise_model_create(k->from, &p, error);
    if (status) return status;
    k->kind = sos_denoise_model_kind(p);
    sos_denoise_model_free(p);
    return sos_lesson_from_agrees("--model", wanted == SOS_CHOICE_NONE ? NULL : sos_denoise_name((sos_denoise_kind)wanted),
                                  sos_denoise_name(k->kind), error);
}

static sos_status model_make(making *k, sos_error *error)
{
    if (k->from) return sos_model_copy(k->from, &k->lesson.model, error);
    sos_denoise_settings s = sos_denoise_defaults();
    s.threads = k->work->threads;
    s.progress = k->work->progress;
    s.user = k->work->user;
    s.alone = k->maps.alone;
    const sos_status status = sos_denoise_create(k->kind, k->learned.count, k->learned.noisy,
                                                 (const uint8_t *const *)k->learned.truths, &s, &k->lesson.model, error);
    return status ? status : sos_maps_list_learn(&k->maps, &k->learned_maps, k->lesson.model, error);
}

static sos_status examples_make(const making *k, const sos_denoise_model *p, const sos_drawings *d, const sos_maps_list *maps,
                                const bool mine[], bool to_learn, size_t *count, sos_example ***out, sos_error *error)
{
    sos_work work = *k->work;
    work.mine = mine;
    sos_example **examples = calloc(d->count ? d->count : 1, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", d->count);
    const sos_status status = sos_denoise_examples_make(p, d->count, d->noisy, (const uint8_t *const *)d->truths, maps->maps,
                                                        to_learn, &work, examples, error);
    if (status) {
        free(examples);
        return status;
    }
    *count = d->count;
    *out = examples;
    return SOS_OK;
}

static sos_status all_examples_make(making *k, sos_error *error)
{
    sos_lesson *l = &k->lesson;
    sos_denoise_model *p;
    sos_status status = sos_denoise_model_create(l->model, &p, error);
    if (status) return status;
    status = examples_make(k, p, &k->learned, &k->learned_maps, k->mine, true, &l->count, &l->examples, error);
    if (!status)
        status = examples_make(k, p, &k->other, &k->other_maps, k->mine_other, false, &l->validation_count, &l->validation,
                               error);
    sos_denoise_model_free(p);
    return status;
}

/* ---------------------------------------------------------------- the lesson */

static void noise_write(sos_json *j, const void *data)
{
    const making *k = data;
    sos_json_open(j, NULL, '[');
    for (size_t i = 0; i < k->noises; i++) {
        sos_json_open(j, NULL, '{');
        sos_json_text(j, "model", sos_noise_name(k->noise[i].model));
        sos_json_real(j, "sigma", k->noise[i].sigma);
        sos_json_count(j, "seed", k->noise[i].seed);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

/* read: whether the drawings were. */
static sos_status lesson_make(making *k, const char *data, sos_status read, sos_error *error)
{
    sos_error why;
    const size_t rank = sos_crew_rank(&k->crew);
    sos_status status = sos_crew_agree(&k->crew, rank, read, error);
    if (status) return status;
    if (!rank) status = model_make(k, &why);
    status = sos_share_model(&k->crew, status, &k->lesson.model, &why);
    if (!status) status = k->source ? source_leave(k, &why) : all_examples_make(k, &why);
    status = sos_crew_agree(&k->crew, rank, status, &why);
    if (!status) status = sos_facts_set(k->lesson.model, "noise", noise_write, k, &why);
    return status ? sos_fail(error, status, "%.200s: %.290s", data, why.message) : SOS_OK;
}

sos_status sos_denoise_lesson_make(const void *settings, const sos_model *from, const sos_texts *folders,
                                   const char *validation, const sos_work *work, sos_lesson *out, sos_error *error)
{
    const char *data = folders->values[0];
    const wishes *w = settings;
    making k = { .from = from, .maps = w->maps, .work = work };
    k.noises = sos_noise_options_make(&w->noise, k.noise);
    sos_status status = sos_crew_join(&k.crew, work->communicator, error);
    if (status) return status;
    status = kind_find(&k, w->kind, error);
    if (!status && from) status = sos_lesson_from_maps(from, &k.maps, error);
    if (!status && work->stream && (validation || k.maps.kind))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--stream goes without --validation and --maps");
    if (!status && work->stream)
        status = source_open(&k, data, error);
    else if (!status)
        status = drawings_read(&k, data, &k.learned, &k.learned_maps, &k.mine, &k.lesson.fingerprint, error);
    if (!status && validation) status = drawings_read(&k, validation, &k.other, &k.other_maps, &k.mine_other, NULL, error);
    status = lesson_make(&k, data, status, error);
    if (k.source) source_free(k.source);
    free(k.mine);
    free(k.mine_other);
    sos_drawings_free(&k.learned);
    sos_drawings_free(&k.other);
    sos_maps_list_free(&k.learned_maps);
    sos_maps_list_free(&k.other_maps);
    k.lesson.training = sos_denoise_training(k.kind);
    if (status)
        sos_lesson_free(&k.lesson);
    else
        *out = k.lesson;
    return status;
}
