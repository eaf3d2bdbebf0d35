/* lesson_stream.c - the pictures of a folder as a source of examples that are made when needed and not kept. */
#include <stdlib.h>

#include "base/error.h"
#include "tasks/lesson_making.h"

struct s3svm_lesson_stream {
    const s3svm_task *task;
    s3svm_lesson_plan plan; /* once it is the stream's */
    s3svm_dataset data;
    bool *mine;     /* NULL: all */
    void *prepared; /* or NULL */
    sos_example_source source;
};

void s3svm_lesson_stream_free(s3svm_lesson_stream *s)
{
    if (!s) return;
    s3svm_dataset_free(&s->data);
    free(s->mine);
    if (s->prepared) s->task->release(s->prepared);
    if (s->plan.own) s->task->steps->end(s->plan.own);
    free(s);
}

static void rest_free(void *rest) { s3svm_lesson_stream_free(rest); }

sos_status s3svm_lesson_stream_open(s3svm_lesson_making *k, const char *folder, s3svm_lesson_set *first,
                                    s3svm_lesson_stream **out, sos_error *error)
{
    s3svm_lesson_stream *s = *out = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    s->task = k->task;
    s3svm_lesson_set dealt = { 0 };
    const bool reads = s3svm_lesson_is_first(k);
    sos_status status = s3svm_lesson_folder_open(k, folder, true, true, &s->data, error);
    if (!status && reads) status = s3svm_dataset_hash(&s->data, &k->lesson.fingerprint, error);
    if (!status) status = s3svm_maps_list_read(&k->plan.maps, &s->data, &k->work, &dealt.maps, error); /* none, and says so */
    if (!status) status = s3svm_lesson_folder_deal(k, &s->data, &dealt, error);
    s->mine = dealt.list.mine;
    if (status || !reads || k->from) return status;
    s3svm_dataset few = s->data;
    if (few.count > S3SVM_STREAM_LEARN) few.count = S3SVM_STREAM_LEARN;
    return s3svm_lesson_set_add(k, &few, NULL, first, error);
}

static bool stream_has(void *stream, size_t i)
{
    const s3svm_lesson_stream *s = stream;
    return !s->mine || s->mine[i];
}

static sos_status stream_make(void *stream, size_t i, sos_example **out, sos_error *error)
{
    const s3svm_lesson_stream *s = stream;
    s3svm_lesson_picture p = { 0 };
    sos_status status = s3svm_lesson_picture_read(s->task, &s->plan, &s->data, i, &p, error);
    if (!status) status = s->task->steps->example(s->plan.own, s->prepared, &p, i, out, error);
    s3svm_lesson_picture_free(&p);
    return status;
}

sos_status s3svm_lesson_stream_leave(s3svm_lesson_making *k, s3svm_lesson_stream **stream, sos_error *error)
{
    s3svm_lesson_stream *s = *stream;
    s3svm_lesson *l = &k->lesson;
    sos_status status = k->task->prepare(l->model, &s->prepared, error);
    status = sos_share_agree(&k->share, status, error);
    if (!status) status = sos_share_broadcast(&k->share, sizeof l->fingerprint, &l->fingerprint, error);
    if (status) return status;
    l->count = s3svm_lesson_folder_count(&k->plan, &s->data);
    s->source = (sos_example_source){
        .count = l->count, .user = s, .make = stream_make, .has = stream_has, .identity = l->fingerprint
    };
    s->plan = k->plan;
    k->plan.own = NULL;
    l->source = &s->source;
    l->rest = s;
    l->rest_free = rest_free;
    *stream = NULL;
    return SOS_OK;
}
