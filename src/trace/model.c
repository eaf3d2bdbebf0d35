/* model.c - models of thin structures: made, and prepared for use. */
#include "trace/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Of two folds, the second network of one would only have seen what the first one of the other says: on cracks they differ by
 * more than one in log odds.  Of four, it sees three of them. */
s3svm_trace_settings s3svm_trace_defaults(void) { return (s3svm_trace_settings){ .samples = 400000, .folds = 4, .seed = 1 }; }

/* Missed pixels count more than added ones: the F1 is best where a pixel is called a structure from odds of about 2 to 3 on. */
const s3svm_trace_loss s3svm_trace_usual_loss = { .missed = 1.5, .broken = 1 };

sos_train_settings s3svm_trace_training(void)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 1e3;
    s.gap = 2e-2;
    return s;
}

/* ---------------------------------------------------------------- made */

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Most of a picture is no structure. */
static const double SHARES[S3SVM_TRACE_THRESHOLDS] = { 0.7, 0.85, 0.94 };

static void thresholds_set(size_t n, float strengths[], float threshold[S3SVM_TRACE_THRESHOLDS])
{
    qsort(strengths, n, sizeof *strengths, compare);
    for (size_t i = 0; i < S3SVM_TRACE_THRESHOLDS; i++) {
        threshold[i] = strengths[(size_t)(SHARES[i] * (double)(n - 1))];
        if (i && !(threshold[i] > threshold[i - 1])) threshold[i] = threshold[i - 1] + 0.01F;
    }
}

/* Log odds that pixels may be called structures from. */
enum { EVENS = 46 };
static float even_at(size_t k) { return -3 + 0.1F * (float)k; }

/* Adds the F1 of a picture to the sum of each. */
static void evens_add(const s3svm_plane *response, const uint8_t truth[], const uint8_t care[], double sums[EVENS])
{
    double found[EVENS + 1] = { 0 }, extra[EVENS + 1] = { 0 }, all = 0;
    for (size_t i = 0; i < s3svm_plane_size(response); i++) {
        if (care && !care[i]) continue;
        size_t k = 0; /* how many of them the pixel is above */
        while (k < EVENS && response->values[i] > even_at(k)) k++;
        all += truth[i] != 0;
        found[k] += truth[i] != 0;
        extra[k] += truth[i] == 0;
    }
    double right = 0, wrong = 0;
    for (size_t k = EVENS; k-- > 0;) {
        right += found[k + 1];
        wrong += extra[k + 1];
        sums[k] += right > 0 ? 2 * right / (right + wrong + all) : 0;
    }
}

static float even_best(const double sums[EVENS])
{
    size_t best = 0;
    for (size_t k = 1; k < EVENS; k++)
        if (sums[k] > sums[best]) best = k;
    return even_at(best);
}

sos_status s3svm_trace_thresholds_learn(s3svm_trace_features *f, const s3svm_trace_pictures *pictures, int threads,
                                        sos_error *error)
{
    size_t n = 0, taken = 0;
    double sums[EVENS] = { 0 };
    sos_status status = SOS_OK;
    for (size_t i = 0; i < pictures->count; i++) n += s3svm_image_size(&pictures->images[i]);
    float *strengths = malloc(n * sizeof *strengths);
    if (!strengths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the strengths of %zu pixels", n);
    for (size_t i = 0; i < pictures->count && !status; i++) {
        const s3svm_trace_look look = { .picture = &pictures->images[i],
                                        .fold = s3svm_evidence_fold(&f->evidence, i),
                                        .threads = threads };
        s3svm_plane response;
        s3svm_directions where;
        status = s3svm_trace_respond(f, &look, &response, error);
        if (status) break;
        evens_add(&response, pictures->truths[i], pictures->cares ? pictures->cares[i] : NULL, sums);
        status = s3svm_trace_directions(&response, &where, error);
        s3svm_plane_free(&response);
        if (status) break;
        memcpy(strengths + taken, where.strength, s3svm_image_size(&pictures->images[i]) * sizeof *strengths);
        taken += s3svm_image_size(&pictures->images[i]);
        s3svm_directions_free(&where);
    }
    if (!status) thresholds_set(n, strengths, f->threshold);
    if (!status) f->even = even_best(sums);
    free(strengths);
    return status;
}

static sos_status features_learn(const s3svm_trace_pictures *pictures, const s3svm_trace_settings *s, s3svm_trace_features *f,
                                 sos_error *error)
{
    const s3svm_evidence_pictures seen = { pictures->count, pictures->images, pictures->truths, pictures->cares };
    const s3svm_evidence_settings settings = { .samples = s->samples, .folds = s->folds, .seed = s->seed, .work = s->work };
    f->alone = s->alone;
    for (size_t i = 0; i < S3SVM_TRACE_THRESHOLDS; i++) f->threshold[i] = (float)(i + 1);
    if (f->alone) return SOS_OK;
    const sos_status status = s3svm_evidence_train(&seen, &settings, &f->evidence, error);
    return status ? status : s3svm_trace_thresholds_learn(f, pictures, s->work.threads, error);
}

sos_status s3svm_trace_create(s3svm_trace_kind kind, const s3svm_trace_pictures *pictures, const s3svm_trace_settings *settings,
                              sos_model **out, sos_error *error)
{
    const s3svm_trace_settings usual = s3svm_trace_defaults();
    if ((unsigned)kind >= S3SVM_TRACE_KIND_COUNT)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a model of thin structures of kind %d", (int)kind);
    s3svm_trace_features f = { .design = s3svm_trace_design_of(kind) };
    sos_status status = settings ? sos_reserved_check("s3svm_trace_settings", settings, error) : SOS_OK;
    if (!status) status = sos_reserved_check("s3svm_trace_pictures", pictures, error);
    if (!status) status = features_learn(pictures, settings ? settings : &usual, &f, error);
    if (!status) status = s3svm_trace_features_model(&f, out, error);
    s3svm_trace_features_free(&f);
    return status;
}

/* ---------------------------------------------------------------- prepared */

sos_status s3svm_trace_model_create(const sos_model *m, s3svm_trace_model **out, sos_error *error)
{
    s3svm_trace_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of thin structures");
    sos_status status = s3svm_trace_features_read(m, &p->features, error);
    if (!status) status = sos_model_copy(m, &p->model, error);
    if (status)
        s3svm_trace_model_free(p);
    else
        *out = p;
    return status;
}

void s3svm_trace_model_free(s3svm_trace_model *p)
{
    if (!p) return;
    s3svm_trace_features_free(&p->features);
    sos_model_free(p->model);
    free(p);
}

sos_status s3svm_trace_look_example(const s3svm_trace_model *p, const s3svm_trace_look *look, const s3svm_plane *response,
                                    sos_example **out, sos_error *error)
{
    s3svm_plane own = { 0 };
    sos_example *x;
    sos_status status = sos_example_create(p->model, s3svm_image_size(look->picture), &x, error);
    if (status) return status;
    if (!response) status = s3svm_trace_respond(&p->features, look, &own, error);
    if (!status) status = s3svm_trace_features_apply(&p->features, look, response ? response : &own, x, error);
    s3svm_plane_free(&own);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

sos_status s3svm_trace_model_example(const s3svm_trace_model *p, const s3svm_image *picture, const s3svm_maps *maps,
                                     sos_example **out, sos_error *error)
{
    const s3svm_trace_look look = { .picture = picture, .fold = S3SVM_EVIDENCE_NEW, .maps = maps };
    return s3svm_trace_look_example(p, &look, NULL, out, error);
}

sos_status s3svm_trace_model_predict(const s3svm_trace_model *p, const s3svm_image *picture, const s3svm_maps *maps,
                                     uint8_t labels[], sos_error *error)
{
    sos_example *x;
    sos_status status = s3svm_trace_model_example(p, picture, maps, &x, error);
    if (status) return status;
    status = sos_model_predict(p->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

sos_status s3svm_trace_examples_make(const s3svm_trace_model *p, const s3svm_trace_pictures *pictures,
                                     const s3svm_trace_loss *loss, bool seen, const bool mine[], const sos_work *work,
                                     sos_example *examples[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < pictures->count; i++) examples[i] = NULL;
    for (size_t i = 0; i < pictures->count && !status; i++) {
        if (mine && !mine[i]) continue;
        if (work && work->progress && !work->progress(work->user, "examples", (double)i / (double)pictures->count))
            status = sos_fail(error, SOS_CANCELLED, "stopped");
        const s3svm_trace_look look = { .picture = &pictures->images[i],
                                        .fold = seen ? s3svm_evidence_fold(&p->features.evidence, i) : S3SVM_EVIDENCE_NEW,
                                        .threads = work ? work->threads : 0,
                                        .maps = pictures->maps ? &pictures->maps[i] : NULL,
                                        .truth = pictures->truths[i],
                                        .care = pictures->cares ? pictures->cares[i] : NULL,
                                        .loss = loss };
        if (!status) status = s3svm_trace_look_example(p, &look, NULL, &examples[i], error);
    }
    for (size_t i = 0; i < pictures->count && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}

sos_status s3svm_trace_model_examples(const s3svm_trace_model *p, const s3svm_trace_pictures *pictures, bool to_learn,
                                      const sos_work *work, sos_example *examples[], sos_error *error)
{
    const sos_status status = sos_reserved_check("s3svm_trace_pictures", pictures, error);
    if (status) return status;
    return s3svm_trace_examples_make(p, pictures, to_learn ? &s3svm_trace_usual_loss : NULL, to_learn, NULL, work, examples,
                                     error);
}
