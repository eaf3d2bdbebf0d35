/* example_dialogues.c - examples from simulated dialogues: photographs as they are marked, and what was answered before. */
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/marks/marks.h"
#include "segment/model/model.h"
#include "segment/person/person.h"

/* Examples of a photograph: its own scribbles, or simulated ones; and a moment of a dialogue of clicks. */
enum { SCRIBBLED, CLICKED };
enum { CLICKS = 9 }; /* by then most objects are found */

typedef struct subject {
    const s3svm_segment_model *model;
    size_t count, number; /* of photographs, and of this one */
    const s3svm_marked *pictures, *picture;
    s3svm_photo photo;
    sos_random random;
    sos_error *error;
} subject;

static sos_status moment_example(const subject *s, const s3svm_simulated_dialogue *t, sos_example **out)
{
    sos_example *x = NULL;
    sos_status status = s3svm_segment_example_create(s->model, &t->in, &x, s->error);
    if (!status) status = s3svm_segment_example_mark(s->model, &t->in, &s->photo, x, NULL, s->error);
    if (!status) status = sos_example_set_truth(x, s->picture->truth, NULL, s->error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

/* The example of the moment after so many steps, or of the last one where there is nothing more to correct. */
static sos_status moment_make(subject *s, const s3svm_simulated_opening *opening, size_t steps, sos_example **out)
{
    const s3svm_segment_response *networks = &s->model->parts->response;
    s3svm_simulated_dialogue t = { 0 };
    s3svm_maps evidence = { 0 };
    bool right;
    sos_status status = SOS_OK;
    if (networks->evidence)
        status = s3svm_simulated_evidence(s->count, s->pictures, s->number, &s->random, &evidence, s->error);
    if (!status) status = s3svm_simulated_dialogue_begin(&t, s->picture, &s->photo, opening, &evidence, s->error);
    if (!status) status = s3svm_simulated_dialogue_until(&t, networks, steps, &right, s->error);
    if (!status) status = moment_example(s, &t, out);
    s3svm_simulated_dialogue_end(&t);
    s3svm_maps_free(&evidence);
    return status;
}

static sos_status scribbled_make(subject *s, sos_example **out)
{
    s3svm_simulated_opening opening = { .person = s3svm_simulation_defaults() };
    size_t counts[S3SVM_MARKS];
    s3svm_marks_count(&s->picture->marks, counts);
    opening.own = counts[S3SVM_MARK_OBJECT] + counts[S3SVM_MARK_BACKGROUND] > 0;
    opening.person.kind = S3SVM_SIMULATED_SCRIBBLES;
    opening.person.both = true;
    opening.person.seed = sos_random_bits(&s->random);
    return moment_make(s, &opening, 1, out);
}

/* Every third dialogue begins with two strokes. */
static sos_status clicked_make(subject *s, sos_example **out)
{
    s3svm_simulated_opening opening = { .person = s3svm_simulation_defaults() };
    if (!sos_random_below(&s->random, 3)) {
        opening.person.kind = S3SVM_SIMULATED_HURRIED;
        opening.person.both = true;
    }
    return moment_make(s, &opening, 1 + (size_t)sos_random_below(&s->random, CLICKS), out);
}

static sos_status picture_make(subject *s, sos_example *out[])
{
    if (!s->picture->truth) return sos_fail(s->error, SOS_ERR_ARGUMENT, "no true labels to learn from");
    sos_status status = s3svm_photo_create(&s->picture->photograph, 1, &s->photo, s->error);
    if (!status) status = scribbled_make(s, &out[SCRIBBLED]);
    if (!status) status = clicked_make(s, &out[CLICKED]);
    s3svm_photo_free(&s->photo);
    return status;
}

sos_status s3svm_segment_model_dialogues(const s3svm_segment_model *p, size_t count, const s3svm_marked photographs[],
                                         uint64_t seed, const bool mine[], const sos_work *work, sos_example *examples[],
                                         sos_error *error)
{
    const sos_work w = work ? *work : (sos_work){ 0 };
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int used = sos_thread_count(w.threads);
    (void)used; /* where OpenMP is missing */
    if (!p->parts->response.dialogues) return sos_fail(error, SOS_ERR_ARGUMENT, "the model does not learn from dialogues");
    for (size_t i = 0; i < count * S3SVM_SEGMENT_MOMENTS; i++) examples[i] = NULL;
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < count; i++) {
        if (mine && !mine[i]) continue;
        size_t before;
#pragma omp atomic capture
        before = begun++;
        sos_error why = { SOS_CANCELLED, "stopped while examples were made" };
        const uint64_t key[2] = { seed, i };
        subject s = { .model = p,
                      .count = count,
                      .number = i,
                      .pictures = photographs,
                      .picture = &photographs[i],
                      .random = sos_random_seeded(sos_hash(SOS_HASH_START, key, sizeof key)),
                      .error = &why };
        const bool go_on = s3svm_segment_progress(&w, "examples", (double)before / (double)count);
        const sos_status status = go_on ? picture_make(&s, &examples[i * S3SVM_SEGMENT_MOMENTS]) : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "picture", error);
    for (size_t i = 0; i < count * S3SVM_SEGMENT_MOMENTS && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}
