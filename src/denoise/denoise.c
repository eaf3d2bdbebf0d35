#include "denoise/denoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/response.h"
#include "tasks/facts.h"
#include "vision/bins.h"

enum {
    VERSION = 1, /* of the fact "features" */
    KNOTS_MAX = 256,
    KIND_ROOM = 16
};
static const char TASK[] = "denoise";

/* Where all responses of a patch are beyond this, as in 5 of 6 patches, nothing is left for the table to say; leaving them out
 * makes training five times faster and changes the error by less than its noise. */
static const double UNDECIDED = 3;

/* Log odds at which u has a weight: beyond them a pixel is as good as sure. */
static const float KNOTS[] = { -7,   -6,   -5,   -4.25F, -3.5F, -3,   -2.5F, -2,   -1.6F, -1.2F, -0.8F, -0.4F, 0,
                               0.4F, 0.8F, 1.2F, 1.6F,   2,     2.5F, 3,     3.5F, 4.25F, 5,     6,     7 };
enum { KNOTS_COUNT = sizeof KNOTS / sizeof *KNOTS };

const char *sos_denoise_name(sos_denoise_kind kind) { return kind == SOS_DENOISE_PAPER ? "paper" : "full"; }

sos_denoise_settings sos_denoise_defaults(void) { return (sos_denoise_settings){ .samples = 400000, .seed = 1 }; }

/* What the fact "features" says. */
typedef struct features {
    sos_denoise_kind kind;
    double undecided; /* full only, as what follows: patches count where a response is less than this on either side */
    size_t knots;
    float knot[KNOTS_MAX];
    sos_response response;
} features;

static void features_free(features *f) { sos_response_free(&f->response); }

/* ---------------------------------------------------------------- groups */

/* A free group of features of the pixels, and a table of the patches. */
enum { PIXELS, PATCHES, GROUPS };

typedef struct group_list {
    sos_group groups[GROUPS];
} group_list;

/* Features of free groups cost w[l] times their value for label l: the difference of both is what counts. */
static group_list groups_of(const features *f)
{
    if (f->kind == SOS_DENOISE_PAPER)
        return (group_list){ { { .name = "grey", .kind = SOS_GROUP_FREE, .size = 1 },
                               { .name = "patch", .kind = SOS_GROUP_TABLE, .size = 4 } } };
    const sos_group patch = {
        .name = "patch", .kind = SOS_GROUP_TABLE, .size = 9, .anchored = true, .patch_width = 3, .patch_height = 3
    };
    return (group_list){ { { .name = "response", .kind = SOS_GROUP_FREE, .size = f->knots }, patch } };
}

static sos_status groups_add(sos_model *m, const features *f, sos_error *error)
{
    const group_list list = groups_of(f);
    sos_status status = SOS_OK;
    for (size_t g = 0; g < GROUPS && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    return status;
}

static sos_status groups_check(const sos_model *m, const features *f, sos_error *error)
{
    const group_list list = groups_of(f);
    if (sos_model_labels(m) == 2 && sos_facts_groups(m, GROUPS, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of denoising",
                    sos_denoise_name(f->kind));
}

/* ---------------------------------------------------------------- facts */

static void features_write(sos_json *j, const void *data)
{
    const features *f = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_text(j, "model", sos_denoise_name(f->kind));
    if (f->kind == SOS_DENOISE_FULL) {
        sos_json_real(j, "undecided", f->undecided);
        sos_json_floats(j, "knots", f->knots, f->knot);
        sos_json_open(j, "networks", '[');
        for (size_t s = 0; s < SOS_RESPONSE_STAGES; s++) {
            const sos_perceptron *p = &f->response.stages[s];
            sos_json_open(j, NULL, '{');
            sos_json_count(j, "inputs", p->inputs);
            sos_json_floats(j, "numbers", sos_perceptron_numbers(p), p->numbers);
            sos_json_close(j, '}');
        }
        sos_json_close(j, ']');
    }
    sos_json_close(j, '}');
}

static sos_status facts_set(sos_model *m, const features *f, sos_error *error)
{
    const sos_status status = sos_facts_set_text(m, "task", TASK, error);
    return status ? status : sos_facts_set(m, "features", features_write, f, error);
}

static void networks_read(sos_facts *t, sos_response *r)
{
    static const char *const members[] = { "inputs", "numbers", NULL };
    const sos_json_value *list = sos_facts_list(t, t->whole, "networks", SOS_RESPONSE_STAGES, SOS_RESPONSE_STAGES);
    for (size_t s = 0; s < SOS_RESPONSE_STAGES; s++) {
        const sos_json_value *network = sos_json_value_item(list, s);
        const size_t inputs = r->stages[s].inputs, numbers = sos_perceptron_numbers(&r->stages[s]);
        sos_facts_members(t, network, members);
        sos_facts_count(t, network, "inputs", inputs, inputs);
        sos_facts_reals(t, network, "numbers", numbers, numbers, r->stages[s].numbers);
    }
}

static sos_denoise_kind kind_read(sos_facts *t)
{
    char name[KIND_ROOM];
    sos_facts_kind(t, VERSION, sizeof name, name);
    for (sos_denoise_kind kind = SOS_DENOISE_PAPER; !t->status && kind <= SOS_DENOISE_FULL; kind++)
        if (!strcmp(name, sos_denoise_name(kind))) return kind;
    sos_facts_wrong(t, "an unknown model of denoising: \"%s\"", name);
    return SOS_DENOISE_PAPER;
}

static void knots_read(sos_facts *t, features *f)
{
    f->knots = sos_facts_reals(t, t->whole, "knots", 2, KNOTS_MAX, f->knot);
    for (size_t i = 1; i < f->knots; i++)
        if (!(f->knot[i] > f->knot[i - 1])) sos_facts_wrong(t, "knot %zu is not above the one before", i);
}

static void facts_read(sos_facts *t, features *f)
{
    static const char *const paper[] = { "version", "model", NULL };
    static const char *const full[] = { "version", "model", "undecided", "knots", "networks", NULL };
    f->kind = kind_read(t);
    sos_facts_members(t, t->whole, f->kind == SOS_DENOISE_FULL ? full : paper);
    if (t->status || f->kind != SOS_DENOISE_FULL) return;
    t->status = sos_response_create(&f->response, t->error);
    f->undecided = sos_facts_real(t, t->whole, "undecided");
    knots_read(t, f);
    networks_read(t, &f->response);
}

/* Reads and checks everything; *f is to free. */
static sos_status features_read(const sos_model *m, features *f, sos_error *error)
{
    *f = (features){ 0 };
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_open(m, "features", error);
    facts_read(&t, f);
    status = sos_facts_close(&t);
    if (!status) status = groups_check(m, f, error);
    if (status) features_free(f);
    return status;
}

sos_status sos_denoise_kind_of(const sos_model *m, sos_denoise_kind *kind, sos_error *error)
{
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_open(m, "features", error);
    const sos_denoise_kind found = kind_read(&t);
    status = sos_facts_close(&t);
    if (!status) *kind = found;
    return status;
}

/* ---------------------------------------------------------------- models */

static sos_status values_check(const sos_plane *noisy, sos_error *error)
{
    for (size_t i = 0; i < sos_plane_size(noisy); i++)
        if (!isfinite(noisy->values[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "the grey value of pixel %zu is not finite", i);
    return SOS_OK;
}

static sos_status pictures_check(size_t count, const sos_plane noisy[], const uint8_t *const truths[], sos_error *error)
{
    if (!count || !truths)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the full model of denoising learns from drawings; none given");
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        const sos_status status = values_check(&noisy[i], &why);
        if (status) return sos_fail(error, status, "picture %zu: %s", i, why.message);
    }
    return SOS_OK;
}

static sos_status features_learn(size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                                 const sos_denoise_settings *settings, features *f, sos_error *error)
{
    const sos_status status = pictures_check(count, noisy, truths, error);
    if (status) return status;
    const sos_response_settings s = { .samples = settings->samples,
                                      .seed = settings->seed,
                                      .threads = settings->threads,
                                      .progress = settings->progress,
                                      .user = settings->user };
    f->undecided = UNDECIDED;
    f->knots = KNOTS_COUNT;
    memcpy(f->knot, KNOTS, sizeof KNOTS);
    return sos_response_train(count, noisy, truths, &s, &f->response, error);
}

static sos_status model_create(const features *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = sos_model_create(2, &m, error);
    if (status) return status;
    status = groups_add(m, f, error);
    if (!status) status = facts_set(m, f, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

sos_status sos_denoise_create(sos_denoise_kind kind, size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                              const sos_denoise_settings *settings, sos_model **out, sos_error *error)
{
    if (kind != SOS_DENOISE_PAPER && kind != SOS_DENOISE_FULL)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a model of denoising of kind %d", (int)kind);
    const sos_denoise_settings defaults = sos_denoise_defaults();
    features f = { .kind = kind };
    sos_status status = SOS_OK;
    if (kind == SOS_DENOISE_FULL) status = features_learn(count, noisy, truths, settings ? settings : &defaults, &f, error);
    if (!status) status = model_create(&f, out, error);
    features_free(&f);
    return status;
}

/* ---------------------------------------------------------------- examples */

/* The features of all pixels of a picture, so many each. */
typedef struct unaries {
    size_t *start;
    uint32_t *index;
    double *value;
} unaries;

static void unaries_free(unaries *u)
{
    free(u->start);
    free(u->index);
    free(u->value);
}

static sos_status unaries_create(size_t n, size_t each, unaries *u, sos_error *error)
{
    *u = (unaries){ .start = calloc(n + 1, sizeof *u->start),
                    .index = calloc(n * each, sizeof *u->index),
                    .value = calloc(n * each, sizeof *u->value) };
    if (!u->start || !u->index || !u->value) {
        unaries_free(u);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    }
    for (size_t i = 0; i <= n; i++) u->start[i] = i * each;
    return SOS_OK;
}

static sos_status unaries_give(sos_example *x, unaries *u, sos_error *error)
{
    const sos_status status = sos_example_set_features(x, PIXELS, u->start, u->index, u->value, error);
    unaries_free(u);
    return status;
}

/* |x - 0| - |x - 1|: what ink costs more than paper. */
static sos_status greys_set(sos_example *x, const sos_plane *noisy, sos_error *error)
{
    unaries u;
    const sos_status status = unaries_create(sos_plane_size(noisy), 1, &u, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(noisy); i++) {
        const double grey = (double)noisy->values[i];
        u.value[i] = fabs(grey) - fabs(grey - 1);
    }
    return unaries_give(x, &u, error);
}

static sos_status responses_set(sos_example *x, const features *f, const sos_plane *response, sos_error *error)
{
    unaries u;
    const sos_status status = unaries_create(sos_plane_size(response), 2, &u, error);
    if (status) return status;
    for (size_t i = 0; i < sos_plane_size(response); i++) {
        float share;
        const size_t low = sos_bins_place(f->knots, f->knot, response->values[i], &share);
        u.index[2 * i] = (uint32_t)low;
        u.index[2 * i + 1] = (uint32_t)low + 1;
        u.value[2 * i] = 1 - (double)share;
        u.value[2 * i + 1] = (double)share;
    }
    return unaries_give(x, &u, error);
}

/* Copies the numbers of the pixels of a patch and returns their least distance from being undecided; 0 without responses. */
static double patch_members(const sos_plane *noisy, const sos_plane *response, size_t left, size_t top, size_t side,
                            uint32_t members[])
{
    double least = response ? INFINITY : 0;
    for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < side; i++) {
            const size_t pixel = (top + j) * noisy->width + left + i;
            members[j * side + i] = (uint32_t)pixel;
            if (response) least = fmin(least, fabs((double)response->values[pixel]));
        }
    return least;
}

/* All patches of side x side pixels; where there are responses, those with one below the limit. */
static sos_status patches_add(sos_example *x, const sos_plane *noisy, size_t side, const sos_plane *response, double limit,
                              sos_error *error)
{
    if (noisy->width < side || noisy->height < side) return SOS_OK;
    const size_t most = (noisy->width - side + 1) * (noisy->height - side + 1), k = side * side;
    uint32_t *members = malloc(most * k * sizeof *members);
    if (!members) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", most);
    size_t count = 0;
    for (size_t top = 0; top + side <= noisy->height; top++)
        for (size_t left = 0; left + side <= noisy->width; left++)
            count += patch_members(noisy, response, left, top, side, members + count * k) <= limit;
    const sos_status status = sos_example_add_cliques(x, PATCHES, count, members, NULL, error);
    free(members);
    return status;
}

static sos_status paper_fill(sos_example *x, const sos_plane *noisy, sos_error *error)
{
    const sos_status status = greys_set(x, noisy, error);
    return status ? status : patches_add(x, noisy, 2, NULL, 0, error);
}

static sos_status full_fill(sos_example *x, const features *f, const sos_plane *noisy, sos_error *error)
{
    sos_plane response;
    sos_status status = sos_response_apply(&f->response, noisy, 0, &response, error);
    if (status) return status;
    status = responses_set(x, f, &response, error);
    if (!status) status = patches_add(x, noisy, 3, &response, f->undecided, error);
    sos_plane_free(&response);
    return status;
}

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
static sos_status example_fill(sos_example *x, const features *f, const sos_plane *noisy, const uint8_t truth[],
                               sos_error *error)
{
    sos_status status = f->kind == SOS_DENOISE_PAPER ? paper_fill(x, noisy, error) : full_fill(x, f, noisy, error);
    if (!status) status = sos_example_set_scale(x, 1 / (double)sos_plane_size(noisy), error);
    if (!status && truth) status = sos_example_set_truth(x, truth, NULL, error);
    return status;
}

/* ---------------------------------------------------------------- prepared models */

struct sos_denoise_model {
    features f;
    sos_model *model; /* groups and weights of the model, without its facts */
};

static sos_status weights_copy(const sos_model *m, const features *f, sos_model **out, sos_error *error)
{
    sos_model *copy;
    sos_status status = sos_model_create(2, &copy, error);
    if (status) return status;
    status = groups_add(copy, f, error);
    if (!status) status = sos_model_set_weights(copy, sos_model_weights(m), error);
    if (status)
        sos_model_free(copy);
    else
        *out = copy;
    return status;
}

sos_status sos_denoise_model_create(const sos_model *m, sos_denoise_model **out, sos_error *error)
{
    sos_denoise_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of denoising");
    sos_status status = features_read(m, &p->f, error);
    if (!status) status = weights_copy(m, &p->f, &p->model, error);
    if (status)
        sos_denoise_model_free(p);
    else
        *out = p;
    return status;
}

void sos_denoise_model_free(sos_denoise_model *p)
{
    if (!p) return;
    features_free(&p->f);
    sos_model_free(p->model);
    free(p);
}

sos_denoise_kind sos_denoise_model_kind(const sos_denoise_model *p) { return p->f.kind; }

sos_status sos_denoise_model_example(const sos_denoise_model *p, const sos_plane *noisy, const uint8_t truth[],
                                     sos_example **out, sos_error *error)
{
    sos_example *x;
    sos_status status = values_check(noisy, error);
    if (!status) status = sos_example_create(p->model, sos_plane_size(noisy), &x, error);
    if (status) return status;
    status = example_fill(x, &p->f, noisy, truth, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

sos_status sos_denoise_model_examples(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                      const uint8_t *const truths[], bool to_learn, const sos_work *work,
                                      sos_example *examples[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count; i++) examples[i] = NULL;
    for (size_t i = 0; i < count && !status; i++) {
        if (work && work->progress && !work->progress(work->user, "examples", (double)i / (double)count))
            status = sos_fail(error, SOS_CANCELLED, "stopped");
        if (!status) status = sos_denoise_model_example(p, &noisy[i], truths[i], &examples[i], error);
        if (!status && to_learn) status = sos_denoise_weigh(p->f.kind, examples[i], error);
    }
    for (size_t i = 0; i < count && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}

sos_status sos_denoise_model_predict(const sos_denoise_model *p, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    sos_example *x;
    sos_status status = sos_denoise_model_example(p, noisy, NULL, &x, error);
    if (status) return status;
    status = sos_model_predict(p->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

sos_status sos_denoise_example(const sos_model *m, const sos_plane *noisy, const uint8_t truth[], sos_example **out,
                               sos_error *error)
{
    sos_denoise_model *p;
    sos_status status = sos_denoise_model_create(m, &p, error);
    if (status) return status;
    status = sos_denoise_model_example(p, noisy, truth, out, error);
    sos_denoise_model_free(p);
    return status;
}

sos_status sos_denoise_predict(const sos_model *m, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    sos_denoise_model *p;
    sos_status status = sos_denoise_model_create(m, &p, error);
    if (status) return status;
    status = sos_denoise_model_predict(p, noisy, labels, error);
    sos_denoise_model_free(p);
    return status;
}

/* ---------------------------------------------------------------- training */

/* With energies per pixel, weights are of the order of 1 and the hinge of 0.01 to 0.1, so a C in the hundreds still pulls the
 * tables towards 0: at sigma 1 the paper's model has 4.5, 3.3, 3.19 and 3.19 % wrong test pixels for C = 1e2 ... 1e5, where
 * tuned Generic Cuts have 3.30.  The full model has good unaries, and needs less; there a C of 1e2 ... 1e3 makes no difference
 * but to small sigmas, which want 3e2. */
sos_train_settings sos_denoise_training(sos_denoise_kind kind)
{
    sos_train_settings s = sos_train_defaults();
    const bool paper = kind == SOS_DENOISE_PAPER;
    s.C = paper ? 1e4 : 300;
    s.gap = paper ? 2e-3 : 1e-2;
    return s;
}

sos_status sos_denoise_weigh(sos_denoise_kind kind, sos_example *x, sos_error *error)
{
    static const double weights[] = { 1, 1.6 }; /* paper, ink */
    return kind == SOS_DENOISE_PAPER ? sos_example_set_class_loss(x, weights, error) : SOS_OK;
}
