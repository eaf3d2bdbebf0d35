/* adapt.c - a model that goes on learning: its weights, then how it looks at outlines.
 *
 * The networks that judge pixels stay as they are.  Going on with them too was tried (docs/notes/clicks.md): first clicks did
 * better, and later ones worse by more. */
#include "segment/adapt.h"

#include <stdlib.h>

#include "base/error.h"
#include "segment/lesson.h"
#include "segment/task.h"

/* ---------------------------------------------------------------- who is told */

bool s3svm_adapt_tell(s3svm_adapt_progress *c, double done, const sos_train_round *round)
{
    static const double BEGINS[] = { [S3SVM_ADAPT_WEIGHTS] = 0, [S3SVM_ADAPT_OUTLINES] = 0.4, [S3SVM_ADAPT_JUDGE] = 0.7 };
    const double ends = c->phase == S3SVM_ADAPT_JUDGE ? 1 : BEGINS[c->phase + 1];
    const double within = BEGINS[c->phase] + (done > 0 ? done : 0) * (ends - BEGINS[c->phase]);
    bool go_on = true;
    if (!c->settings->watch) return true;
#pragma omp critical(s3svm_adapt_tell)
    {
        const s3svm_adapt_event e = {
            .phase = c->phase, .fold = c->fold, .folds = c->folds, .share = c->from + within * (c->to - c->from), .round = round
        };
        if (!c->stopped) c->stopped = !c->settings->watch(c->settings->work.user, &e);
        go_on = !c->stopped;
    }
    return go_on;
}

/* The same as a sos_progress. */
static bool progress_callback(void *progress, const char *phase, double done)
{
    (void)phase;
    return s3svm_adapt_tell(progress, done, NULL);
}

/* ---------------------------------------------------------------- weights */

static bool round_tell(void *progress, const sos_train_round *round)
{
    s3svm_adapt_progress *c = progress;
    return s3svm_adapt_tell(c, 1 - (round->gap < 1 ? round->gap : 1), round);
}

static const double C_EXAMPLE = 2.5; /* C of each example: at ten times that 20 photographs are learned by heart */

/* The weights of a lesson's model, away from those that they are. */
static sos_status weights_train(s3svm_lesson *l, const sos_model *from, s3svm_adapt_progress *progress, sos_error *error)
{
    sos_train_settings settings = l->training;
    settings.C = C_EXAMPLE * (double)l->count;
    settings.from = sos_model_weights(from);
    settings.memory = sos_train_defaults().memory; /* a server has other uses for it */
    settings.work.threads = progress->settings->work.threads;
    settings.watch = round_tell;
    settings.work.user = progress;
    return sos_train(l->model, l->count, l->examples, &settings, NULL, error);
}

/* ---------------------------------------------------------------- the lesson */

/* A photograph with its truth as a file has it, whose pixels go to numbers. */
static s3svm_task_picture picture_of(const s3svm_marked *p, uint8_t numbers[])
{
    const size_t width = p->photograph.width, height = p->photograph.height;
    for (size_t i = 0; i < width * height; i++) numbers[i] = !p->care[i] ? 128 : p->truth[i] ? 255 : 0;
    return (s3svm_task_picture){
        .in = { .width = width, .height = height, .colour = p->photograph, .marks = p->marks },
        .labels = { .width = width, .height = height, .channels = 1, .pixels = numbers },
    };
}

/* That of training by dialogues, with a second look at outlines; all masks count as exact. */
static sos_status lesson_make(const sos_model *from, size_t count, const s3svm_task_picture pictures[], const sos_work *work,
                              uint64_t seed, s3svm_lesson *out, sos_error *error)
{
    s3svm_segment_lesson_settings settings;
    const s3svm_lesson_data data = { .count = count, .pictures = pictures };
    s3svm_segment_lesson_form.defaults(&settings);
    settings.dialogues = settings.outlines = settings.coarse = true;
    settings.seed = (int64_t)seed;
    return s3svm_lesson_make(&s3svm_segment_task, &settings, from, &data, NULL, work, out, error);
}

static sos_status model_adapt(const sos_model *from, size_t count, const s3svm_task_picture pictures[],
                              s3svm_adapt_progress *progress, sos_model **out, sos_error *error)
{
    const sos_work work = { .threads = progress->settings->work.threads, .progress = progress_callback, .user = progress };
    s3svm_lesson l;
    progress->phase = S3SVM_ADAPT_WEIGHTS;
    sos_status status = lesson_make(from, count, pictures, &work, progress->settings->seed, &l, error);
    if (status) return status;
    status = weights_train(&l, from, progress, error);
    progress->phase = S3SVM_ADAPT_OUTLINES;
    if (!status) status = l.finish(l.rest, l.model, &work, error);
    if (!status) {
        *out = l.model;
        l.model = NULL;
    }
    s3svm_lesson_free(&l);
    return status;
}

sos_status s3svm_adapt_learn(const sos_model *from, size_t count, const s3svm_marked *const photographs[],
                             s3svm_adapt_progress *progress, sos_model **out, sos_error *error)
{
    size_t pixels = 0;
    for (size_t i = 0; i < count; i++) pixels += s3svm_image_size(&photographs[i]->photograph);
    s3svm_task_picture *pictures = malloc((count + 1) * sizeof *pictures);
    uint8_t *numbers = malloc(pixels + 1), *next = numbers;
    sos_status status = pictures && numbers ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    for (size_t i = 0; i < count && !status; i++) {
        pictures[i] = picture_of(photographs[i], next);
        next += s3svm_image_size(&photographs[i]->photograph);
    }
    if (!status) status = model_adapt(from, count, pictures, progress, out, error);
    free(pictures);
    free(numbers);
    return status;
}
