/* own_maps.c - custom maps in a model: its last group of weights, and the fact "maps". */
#include "tasks/own_maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"
#include "tasks/own_maps_parts.h"

enum {
    VERSION = 1, /* of the fact "maps" */
    KIND_ROOM = 16
};
static const char KEY[] = "maps";

static const char *const KIND_NAMES[] = { "no", "weights", "odds", "bins" }; /* in the order of s3svm_maps_kind */

static bool is_kind(s3svm_maps_kind kind) { return (unsigned)kind <= S3SVM_MAPS_BINS; }
const char *s3svm_maps_kind_name(s3svm_maps_kind kind) { return is_kind(kind) ? KIND_NAMES[kind] : NULL; }

/* ---------------------------------------------------------------- memory */

void s3svm_own_maps_free(s3svm_own_maps *o)
{
    free(o->mean);
    free(o->deviation);
    free(o->first);
    free(o->knots);
    *o = (s3svm_own_maps){ 0 };
}

sos_status s3svm_own_maps_create(const sos_model *m, s3svm_maps_kind kind, size_t channels, uint32_t group, s3svm_own_maps *out,
                                 sos_error *error)
{
    s3svm_own_maps o = { .kind = kind, .channels = channels, .labels = sos_model_labels(m), .group = group };
    bool room = true;
    if (kind == S3SVM_MAPS_WEIGHTS) {
        o.mean = calloc(channels, sizeof *o.mean);
        o.deviation = calloc(channels, sizeof *o.deviation);
        room = o.mean && o.deviation;
    } else if (kind == S3SVM_MAPS_BINS) {
        o.first = calloc(channels + 1, sizeof *o.first);
        o.knots = calloc(channels, S3SVM_OWN_MAPS_KNOTS_MAX * sizeof *o.knots);
        room = o.first && o.knots;
    }
    if (!room) {
        s3svm_own_maps_free(&o);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for what is said of %zu channels of maps", channels);
    }
    *out = o;
    return SOS_OK;
}

sos_status s3svm_own_maps_odds_check(size_t channels, size_t labels, sos_error *error)
{
    if (channels == labels || (channels == 1 && labels == 2)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "odds: the maps have %zu channels, but there are %zu labels: one channel each%s",
                    channels, labels, labels == 2 ? ", or one for the second" : "");
}

/* ---------------------------------------------------------------- the group */

static sos_group group_of(const s3svm_own_maps *o)
{
    switch (o->kind) {
    case S3SVM_MAPS_WEIGHTS: return (sos_group){ .name = KEY, .kind = SOS_GROUP_FREE, .size = o->channels };
    case S3SVM_MAPS_BINS: return (sos_group){ .name = KEY, .kind = SOS_GROUP_FREE, .size = o->first[o->channels] };
    default: return (sos_group){ .name = KEY, .kind = SOS_GROUP_NONNEGATIVE, .size = 1 };
    }
}

sos_status s3svm_own_maps_group_add(const s3svm_own_maps *o, sos_model *m, sos_error *error)
{
    uint32_t number;
    if (o->kind == S3SVM_MAPS_NONE) return SOS_OK;
    const sos_group group = group_of(o);
    return sos_model_add_group(m, &group, &number, error);
}

static sos_status group_check(const sos_model *m, const s3svm_own_maps *o, sos_error *error)
{
    const sos_group *is = sos_model_group(m, o->group), should = group_of(o);
    if (!strcmp(is->name, should.name) && is->kind == should.kind && is->size == should.size) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's last group is not that of its fact \"%s\"", KEY);
}

/* ---------------------------------------------------------------- the fact */

static void maps_write(sos_json *j, const void *data)
{
    const s3svm_own_maps *o = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_text(j, "kind", s3svm_maps_kind_name(o->kind));
    sos_json_count(j, "channels", o->channels);
    if (o->kind == S3SVM_MAPS_WEIGHTS) {
        sos_json_floats(j, "means", o->channels, o->mean);
        sos_json_floats(j, "deviations", o->channels, o->deviation);
    }
    if (o->kind == S3SVM_MAPS_BINS) {
        sos_json_open(j, "knots", '[');
        for (size_t c = 0; c < o->channels; c++)
            sos_json_floats(j, NULL, o->first[c + 1] - o->first[c], o->knots + o->first[c]);
        sos_json_close(j, ']');
    }
    sos_json_close(j, '}');
}

sos_status s3svm_own_maps_add(const s3svm_own_maps *o, sos_model *m, sos_error *error)
{
    sos_status status = s3svm_facts_set(m, KEY, maps_write, o, error);
    if (status) return status;
    status = s3svm_own_maps_group_add(o, m, error);
    if (status && sos_model_set_fact(m, KEY, NULL, NULL)) return status; /* removing a fact takes no memory */
    return status;
}

static s3svm_maps_kind kind_read(s3svm_facts *t)
{
    char name[KIND_ROOM] = "";
    const size_t version = s3svm_facts_count(t, t->whole, "version", 1, 1000000);
    if (!t->status && version > VERSION) s3svm_facts_wrong(t, "version %zu; this program supports up to %d", version, VERSION);
    s3svm_facts_text(t, t->whole, "kind", sizeof name, name);
    for (s3svm_maps_kind kind = S3SVM_MAPS_WEIGHTS; !t->status && kind <= S3SVM_MAPS_BINS; kind++)
        if (!strcmp(name, s3svm_maps_kind_name(kind))) return kind;
    s3svm_facts_wrong(t, "an unknown kind of maps: \"%s\"", name);
    return S3SVM_MAPS_NONE;
}

static void weights_read(s3svm_facts *t, s3svm_own_maps *o)
{
    s3svm_facts_reals(t, t->whole, "means", o->channels, o->channels, o->mean);
    s3svm_facts_reals(t, t->whole, "deviations", o->channels, o->channels, o->deviation);
    for (size_t c = 0; c < o->channels && !t->status; c++)
        if (!(o->deviation[c] > 0)) s3svm_facts_wrong(t, "the deviation of channel %zu is not positive", c);
}

static void bins_read(s3svm_facts *t, s3svm_own_maps *o)
{
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "knots", o->channels, o->channels);
    for (size_t c = 0; c < o->channels && !t->status; c++) {
        float *knots = o->knots + o->first[c];
        const size_t count = s3svm_facts_numbers(t, sos_json_value_item(list, c), "\"knots\" of a channel", 1,
                                                 S3SVM_OWN_MAPS_KNOTS_MAX, knots);
        for (size_t k = 1; k < count && !t->status; k++)
            if (!(knots[k] > knots[k - 1])) s3svm_facts_wrong(t, "knots of channel %zu do not increase", c);
        o->first[c + 1] = o->first[c] + count;
    }
}

static void members_check(s3svm_facts *t, s3svm_maps_kind kind)
{
    static const char *const weights[] = { "version", "kind", "channels", "means", "deviations", NULL };
    static const char *const bins[] = { "version", "kind", "channels", "knots", NULL };
    static const char *const odds[] = { "version", "kind", "channels", NULL };
    s3svm_facts_members(t, t->whole, kind == S3SVM_MAPS_WEIGHTS ? weights : kind == S3SVM_MAPS_BINS ? bins : odds);
}

static void facts_read(s3svm_facts *t, const sos_model *m, s3svm_own_maps *o)
{
    sos_error why;
    const s3svm_maps_kind kind = kind_read(t);
    members_check(t, kind);
    const size_t channels = s3svm_facts_count(t, t->whole, "channels", 1, S3SVM_MAPS_CHANNELS_MAX);
    if (!t->status && !sos_model_groups(m)) s3svm_facts_wrong(t, "the model has no groups");
    if (!t->status) t->status = s3svm_own_maps_create(m, kind, channels, (uint32_t)sos_model_groups(m) - 1, o, t->error);
    if (t->status) return;
    if (kind == S3SVM_MAPS_WEIGHTS) weights_read(t, o);
    if (kind == S3SVM_MAPS_BINS) bins_read(t, o);
    if (kind == S3SVM_MAPS_ODDS && s3svm_own_maps_odds_check(channels, o->labels, &why))
        s3svm_facts_wrong(t, "%s", why.message);
}

sos_status s3svm_own_maps_read(const sos_model *m, s3svm_own_maps *out, sos_error *error)
{
    s3svm_own_maps o = { 0 };
    sos_status status = SOS_OK;
    if (sos_model_fact(m, KEY)) {
        s3svm_facts t = s3svm_facts_open(m, KEY, error);
        facts_read(&t, m, &o);
        status = s3svm_facts_close(&t);
        if (!status) status = group_check(m, &o, error);
    }
    if (status)
        s3svm_own_maps_free(&o);
    else
        *out = o;
    return status;
}

sos_status s3svm_maps_needed(const sos_model *m, size_t *channels, sos_error *error)
{
    s3svm_own_maps o;
    const sos_status status = s3svm_own_maps_read(m, &o, error);
    if (status) return status;
    *channels = o.channels;
    s3svm_own_maps_free(&o);
    return SOS_OK;
}
