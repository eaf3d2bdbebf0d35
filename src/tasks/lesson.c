/* lesson.c - makes the lessons of all tasks, from folders or pictures in memory. */
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "tasks/facts.h"
#include "tasks/lesson_making.h"
#include "tasks/share.h"

static void examples_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}

void s3svm_lesson_free(s3svm_lesson *l)
{
    sos_model_free(l->model);
    examples_free(l->count, l->examples);
    examples_free(l->validation_count, l->validation);
    if (l->rest_free) l->rest_free(l->rest);
    *l = (s3svm_lesson){ 0 };
}

sos_status s3svm_lesson_room(size_t count, sos_example ***out, sos_error *error)
{
    *out = calloc(count ? count : 1, sizeof(sos_example *));
    return *out ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", count);
}

/* ---------------------------------------------------------------- model and examples */

static sos_status lesson_model_make(s3svm_lesson_making *k, const s3svm_lesson_set *learned, sos_error *error)
{
    sos_model **m = &k->lesson.model;
    if (k->from) return sos_model_copy(k->from, m, error);
    const sos_status status = k->task->steps->model(k->plan.own, &learned->list, &k->work, m, error);
    return status ? status : s3svm_maps_list_learn(&k->plan.maps, &learned->maps, *m, error);
}

static sos_status lesson_examples_make(s3svm_lesson_making *k, const s3svm_lesson_set *learned, const s3svm_lesson_set *other,
                                       sos_error *error)
{
    const s3svm_lesson_steps *steps = k->task->steps;
    s3svm_lesson *l = &k->lesson;
    void *prepared;
    sos_status status = k->task->prepare(l->model, &prepared, error);
    if (status) return status;
    status = steps->examples(k->plan.own, prepared, &learned->list, true, &k->work, &l->count, &l->examples, error);
    if (!status && other->list.count)
        status = steps->examples(k->plan.own, prepared, &other->list, false, &k->work, &l->validation_count, &l->validation,
                                 error);
    k->task->release(prepared);
    return status;
}

static void noise_write(sos_json *j, const void *data)
{
    const s3svm_lesson_plan *plan = data;
    sos_json_open(j, NULL, '[');
    for (size_t i = 0; i < plan->noises; i++) {
        sos_json_open(j, NULL, '{');
        sos_json_text(j, "model", s3svm_noise_name(plan->noise[i].model));
        sos_json_real(j, "sigma", plan->noise[i].sigma);
        sos_json_count(j, "seed", plan->noise[i].seed);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

/* Features are learned on the first process, for all. */
static sos_status lesson_fill(s3svm_lesson_making *k, const s3svm_lesson_set *learned, const s3svm_lesson_set *other,
                              s3svm_lesson_stream **stream, sos_error *error)
{
    s3svm_lesson *l = &k->lesson;
    k->task->steps->training(k->plan.own, &l->training, &l->values);
    sos_status status = s3svm_lesson_is_first(k) ? lesson_model_make(k, learned, error) : SOS_OK;
    status = s3svm_share_model(&k->share, status, &l->model, error);
    if (!status && k->task->noise) status = s3svm_facts_set(l->model, "noise", noise_write, &k->plan, error);
    if (!status)
        status = *stream ? s3svm_lesson_stream_leave(k, stream, error) : lesson_examples_make(k, learned, other, error);
    return sos_share_agree(&k->share, status, error);
}

/* ---------------------------------------------------------------- what is learned after the weights */

typedef struct rest {
    const s3svm_lesson_steps *steps;
    void *own;
    s3svm_lesson_set learned;
} rest;

static void rest_free(void *data)
{
    rest *r = data;
    s3svm_lesson_set_free(&r->learned);
    r->steps->end(r->own);
    free(r);
}

static sos_status rest_learn(const void *data, sos_model *m, const sos_work *work, sos_error *error)
{
    const rest *r = data;
    return r->steps->finish(r->own, &r->learned.list, m, work, error);
}

/* Hands plan and pictures over to the lesson. */
static sos_status rest_leave(s3svm_lesson_making *k, s3svm_lesson_set *learned, sos_error *error)
{
    rest *r = malloc(sizeof *r);
    if (!r) return sos_fail(error, SOS_ERR_MEMORY, "no memory for what is learned after the weights");
    *r = (rest){ k->task->steps, k->plan.own, *learned };
    r->learned.list.share = NULL; /* all examples are made */
    k->plan.own = NULL;
    *learned = (s3svm_lesson_set){ 0 };
    k->lesson.finish = rest_learn;
    k->lesson.rest = r;
    k->lesson.rest_free = rest_free;
    return SOS_OK;
}

/* ---------------------------------------------------------------- lessons */

static sos_status data_check(const s3svm_lesson_data *data, sos_error *error)
{
    const sos_status status = sos_reserved_check("s3svm_lesson_data", data, error);
    if (status || !data->folders.count || !data->count) return status;
    return sos_fail(error, SOS_ERR_ARGUMENT, "data are given both as folders and as pictures in memory");
}

static sos_status lesson_plan_check(const s3svm_lesson_making *k, const s3svm_lesson_data *data,
                                    const s3svm_lesson_data *validation, sos_error *error)
{
    const s3svm_lesson_plan *plan = &k->plan;
    if (plan->maps.kind && data->folders.count > 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--maps needs a single folder of pictures");
    if (!data->stream) return SOS_OK;
    if (data->folders.count != 1) return sos_fail(error, SOS_ERR_ARGUMENT, "--stream needs a single folder");
    if (validation || plan->maps.kind)
        return sos_fail(error, SOS_ERR_ARGUMENT, "--stream cannot be combined with --validation or --maps");
    if (plan->needed) return sos_fail(error, SOS_ERR_ARGUMENT, "--stream cannot be combined with %s", plan->needed);
    return SOS_OK;
}

/* Messages that name no picture name the folder. */
static void error_place(const s3svm_lesson_data *data, sos_status status, sos_error *error)
{
    if (!status || !error || !data->folders.count) return;
    const sos_error why = *error;
    (void)sos_fail(error, status, "%.200s: %.290s", data->folders.values[0], why.message);
}

static sos_status lesson_make(s3svm_lesson_making *k, const s3svm_lesson_data *data, const s3svm_lesson_data *validation,
                              sos_error *error)
{
    s3svm_lesson_set learned = { .list.share = &k->share }, other = { .list.share = &k->share };
    s3svm_lesson_stream *stream = NULL;
    sos_status status = lesson_plan_check(k, data, validation, error);
    if (!status && data->stream)
        status = s3svm_lesson_stream_open(k, data->folders.values[0], &learned, &stream, error);
    else if (!status)
        status = s3svm_lesson_set_fill(k, data, true, &learned, error);
    if (!status && validation) status = s3svm_lesson_set_fill(k, validation, false, &other, error);
    status = sos_share_agree(&k->share, status, error);
    if (!status) {
        status = lesson_fill(k, &learned, &other, &stream, error);
        error_place(data, status, error);
    }
    if (!status && k->plan.finishes && s3svm_lesson_is_first(k)) status = rest_leave(k, &learned, error);
    s3svm_lesson_stream_free(stream);
    s3svm_lesson_set_free(&learned);
    s3svm_lesson_set_free(&other);
    return status;
}

sos_status s3svm_lesson_make(const s3svm_task *task, const void *settings, const sos_model *from, const s3svm_lesson_data *data,
                             const s3svm_lesson_data *validation, const sos_work *work, s3svm_lesson *out, sos_error *error)
{
    s3svm_lesson_making k = { .task = task, .from = from, .work = work ? *work : (sos_work){ 0 } };
    sos_error own;
    if (!error) error = &own;
    sos_status status = data_check(data, error);
    if (!status && validation) status = data_check(validation, error);
    if (!status) status = sos_reserved_check("sos_work", &k.work, error);
    if (!status) status = sos_share_join(&k.share, k.work.communicator, error);
    if (status) return status;
    status = task->steps->begin(settings, from, &k.plan, error);
    status = sos_share_agree(&k.share, status, error);
    if (!status) status = lesson_make(&k, data, validation, error);
    if (k.plan.own) task->steps->end(k.plan.own);
    if (status)
        s3svm_lesson_free(&k.lesson);
    else
        *out = k.lesson;
    return status;
}
