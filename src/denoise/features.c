/* features.c - groups and facts of models of denoising. */
#include "denoise/features.h"

#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"

enum {
    VERSION = 1, /* of the fact "features" */
    KIND_ROOM = 16
};
static const char TASK[] = "denoise";

const char *sos_denoise_name(sos_denoise_kind kind) { return kind == SOS_DENOISE_PAPER ? "paper" : "full"; }

void sos_denoise_features_free(sos_denoise_features *f)
{
    sos_response_free(&f->response);
    sos_own_maps_free(&f->maps);
}

/* Full models have networks, unless users' maps stand for them. */
static bool has_networks(const sos_denoise_features *f) { return f->kind == SOS_DENOISE_FULL && !f->alone; }

/* ---------------------------------------------------------------- groups */

typedef struct group_list {
    sos_group groups[SOS_DENOISE_GROUPS];
} group_list;

/* Features of free groups cost w[l] times their value for label l: the difference of both is what counts. */
static group_list groups_of(const sos_denoise_features *f)
{
    const char *single = f->alone ? "constant" : "grey";
    if (f->kind == SOS_DENOISE_PAPER)
        return (group_list){ { { .name = single, .kind = SOS_GROUP_FREE, .size = 1 },
                               { .name = "patch", .kind = SOS_GROUP_TABLE, .size = 4 } } };
    const sos_group patch = {
        .name = "patch", .kind = SOS_GROUP_TABLE, .size = 9, .anchored = true, .patch_width = 3, .patch_height = 3
    };
    if (f->alone) return (group_list){ { { .name = single, .kind = SOS_GROUP_FREE, .size = 1 }, patch } };
    return (group_list){ { { .name = "response", .kind = SOS_GROUP_FREE, .size = f->knots }, patch } };
}

static sos_status groups_add(sos_model *m, const sos_denoise_features *f, sos_error *error)
{
    const group_list list = groups_of(f);
    sos_status status = SOS_OK;
    for (size_t g = 0; g < SOS_DENOISE_GROUPS && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    return status;
}

static sos_status groups_check(const sos_model *m, const sos_denoise_features *f, sos_error *error)
{
    const group_list list = groups_of(f);
    if (sos_model_labels(m) == 2 && sos_facts_groups(m, SOS_DENOISE_GROUPS, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of denoising",
                    sos_denoise_name(f->kind));
}

/* ---------------------------------------------------------------- facts */

static void features_write(sos_json *j, const void *data)
{
    const sos_denoise_features *f = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_text(j, "model", sos_denoise_name(f->kind));
    if (f->alone) sos_json_truth(j, "alone", true);
    if (has_networks(f)) {
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

static sos_status facts_set(sos_model *m, const sos_denoise_features *f, sos_error *error)
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

static void knots_read(sos_facts *t, sos_denoise_features *f)
{
    f->knots = sos_facts_reals(t, t->whole, "knots", 2, SOS_DENOISE_KNOTS_MAX, f->knot);
    for (size_t i = 1; i < f->knots; i++)
        if (!(f->knot[i] > f->knot[i - 1])) sos_facts_wrong(t, "knot %zu is not above the one before", i);
}

static void facts_read(sos_facts *t, sos_denoise_features *f)
{
    static const char *const paper[] = { "version", "model", NULL }, *const alone[] = { "version", "model", "alone", NULL };
    static const char *const full[] = { "version", "model", "undecided", "knots", "networks", NULL };
    f->kind = kind_read(t);
    f->alone = sos_json_value_truth(sos_json_value_member(t->whole, "alone"));
    sos_facts_members(t, t->whole, f->alone ? alone : has_networks(f) ? full : paper);
    if (t->status || !has_networks(f)) return;
    t->status = sos_response_create(&f->response, t->error);
    f->undecided = sos_facts_real(t, t->whole, "undecided");
    knots_read(t, f);
    networks_read(t, &f->response);
}

sos_status sos_denoise_features_read(const sos_model *m, sos_denoise_features *f, sos_error *error)
{
    *f = (sos_denoise_features){ 0 };
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_open(m, "features", error);
    facts_read(&t, f);
    status = sos_facts_close(&t);
    if (!status) status = groups_check(m, f, error);
    if (!status) status = sos_own_maps_read(m, &f->maps, error);
    if (status) sos_denoise_features_free(f);
    return status;
}

sos_status sos_denoise_features_model(const sos_denoise_features *f, sos_model **out, sos_error *error)
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
