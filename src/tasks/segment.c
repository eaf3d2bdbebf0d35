#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "tasks/segment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "tasks/facts.h"
#include "tasks/segment_features.h"
#include "tasks/segment_response.h"
#include "tasks/segment_scale.h"
#include "vision/bins.h"
#include "vision/distance.h"
#include "vision/kmeans.h"
#include "vision/lanes.h"

enum {
    VERSION = 1, /* of the fact "features" */
    KIND_ROOM = 16,
    HASH_ROOM = 17,
    EDGES = 9, /* between bins of distances */
    BINS = EDGES + 1,
    CLUSTERS = 50,
    STATES = 4,     /* of a cluster: under object scribbles or not, under background scribbles or not */
    SAMPLES = 1000, /* pixels of each picture that clusters and bins are learned from */
    KNOTS_MAX = 64,
    PREDICT_MAX = 1 << 20, /* pixels: larger pictures are labelled at a lower resolution, nearer to those of training */
    PICTURES_MAX = 100000  /* that networks have seen */
};
static const char TASK[] = "segment";

/* What a pixel looks like to the full model. */
enum { RESPONSE, RATIO, FULL_MAPS };
static const char *const FULL_NAMES[FULL_MAPS] = { "response", "ratio" };

/* Log odds at which their functions bend: beyond them a pixel is as good as sure. */
static const float RESPONSE_KNOTS[] = { -8,   -6.5F, -5.5F, -4.5F, -3.75F, -3,   -2.5F, -2,    -1.6F, -1.2F, -0.8F, -0.4F, 0,
                                        0.4F, 0.8F,  1.2F,  1.6F,  2,      2.5F, 3,     3.75F, 4.5F,  5.5F,  6.5F,  8 };
static const float RATIO_KNOTS[] = { -20, -15, -11, -8, -6, -4.5F, -3, -2, -1, 0, 1, 2, 3, 4.5F, 6, 8, 11, 15, 20 };

const char *sos_segment_features_name(sos_segment_features features)
{
    return features == SOS_SEGMENT_PAPER ? "paper" : "full";
}

const char *sos_segment_method_name(sos_segment_method method) { return method == SOS_SEGMENT_AMN ? "amn" : "s3svm"; }

sos_segment_settings sos_segment_defaults(void)
{
    return (sos_segment_settings){ .features = SOS_SEGMENT_FULL, .method = SOS_SEGMENT_S3SVM, .seed = 1 };
}

/* What the fact "features" says. */
typedef struct parts {
    sos_segment_features kind;
    sos_segment_method method;
    float edges[2][EDGES];                            /* paper: distances from object and background scribbles */
    float patches[CLUSTERS * SOS_SEGMENT_PATCH];      /* paper: centres of clusters */
    float gradients[CLUSTERS * SOS_SEGMENT_GRADIENT]; /* s3svm: centres of clusters */
    size_t knots[FULL_MAPS];                          /* full: where functions of the response and of the ratio bend */
    float knot[FULL_MAPS][KNOTS_MAX];
    sos_segment_response response; /* full */
} parts;

static void parts_free(parts *f)
{
    if (f) sos_segment_response_free(&f->response);
    free(f);
}

/* ---------------------------------------------------------------- groups */

/* Free groups come first, then pairs or tables. */
enum { SCRIBBLES, COLOURS, DISTANCES, PATCHES, PAPER_GROUPS, FULL_FIRST = SCRIBBLES + 1 };
enum { CONSTANT, CONTRAST, PAIR_FEATURES };
enum { GROUPS_MAX = PAPER_GROUPS + CLUSTERS, NAME_ROOM = 16 };

typedef struct group_list {
    size_t count, relations; /* all groups; and the first of pairs or tables */
    sos_group groups[GROUPS_MAX];
    char names[CLUSTERS][NAME_ROOM];
} group_list;

static void group_append(group_list *list, const char *name, sos_group_kind kind, size_t size)
{
    list->groups[list->count++] = (sos_group){ .name = name, .kind = kind, .size = size };
}

static void groups_of(const parts *f, group_list *list)
{
    *list = (group_list){ 0 };
    group_append(list, "scribbles", SOS_GROUP_FREE, 2);
    if (f->kind == SOS_SEGMENT_PAPER) {
        group_append(list, "colours", SOS_GROUP_FREE, 1);
        group_append(list, "distances", SOS_GROUP_FREE, BINS * BINS);
        group_append(list, "patches", SOS_GROUP_FREE, CLUSTERS * STATES);
    } else
        for (size_t k = 0; k < FULL_MAPS; k++) group_append(list, FULL_NAMES[k], SOS_GROUP_FREE, f->knots[k]);
    list->relations = list->count;
    if (f->method == SOS_SEGMENT_AMN) group_append(list, "pairs", SOS_GROUP_NONNEGATIVE, PAIR_FEATURES);
    for (size_t c = 0; f->method == SOS_SEGMENT_S3SVM && c < CLUSTERS; c++) {
        snprintf(list->names[c], NAME_ROOM, "gradient %zu", c);
        group_append(list, list->names[c], SOS_GROUP_TABLE, 4);
    }
}

static sos_status groups_add(sos_model *m, const parts *f, sos_error *error)
{
    group_list list;
    groups_of(f, &list);
    sos_status status = SOS_OK;
    for (size_t g = 0; g < list.count && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    return status;
}

static bool group_is(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind && a->size == b->size && a->anchored == b->anchored &&
           a->swap == b->swap && a->patch_width == b->patch_width && a->patch_height == b->patch_height;
}

static sos_status groups_check(const sos_model *m, const parts *f, sos_error *error)
{
    group_list list;
    groups_of(f, &list);
    bool same = sos_model_labels(m) == 2 && sos_model_groups(m) == list.count;
    for (uint32_t g = 0; same && g < list.count; g++) same = group_is(sos_model_group(m, g), &list.groups[g]);
    if (same) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s %s model of segmentation",
                    sos_segment_features_name(f->kind), sos_segment_method_name(f->method));
}

/* ---------------------------------------------------------------- facts */

/* 9 digits are enough for a float to read back the same. */
static void reals_write(FILE *file, const char *name, size_t count, const float x[])
{
    fprintf(file, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) fprintf(file, "%s%.9g", i ? ", " : "", (double)x[i]);
    fputs("]", file);
}

static void response_write(const sos_segment_response *r, FILE *file)
{
    fprintf(file, ", \"learned from\": %zu, \"hashes\": [", r->pictures);
    for (size_t i = 0; i < r->pictures; i++) fprintf(file, "%s\"%016" PRIx64 "\"", i ? ", " : "", r->hashes[i]);
    fputs("]", file);
    for (size_t k = 0; k < SOS_SEGMENT_NETWORKS; k++)
        reals_write(file, "network", sos_perceptron_numbers(r->networks[k].inputs), r->networks[k].numbers);
}

static void features_write(const parts *f, FILE *file)
{
    fprintf(file, "{\"version\": %d, \"model\": \"%s\", \"method\": \"%s\"", VERSION, sos_segment_features_name(f->kind),
            sos_segment_method_name(f->method));
    if (f->kind == SOS_SEGMENT_PAPER) {
        reals_write(file, "object distances", EDGES, f->edges[0]);
        reals_write(file, "background distances", EDGES, f->edges[1]);
        reals_write(file, "patches", CLUSTERS * SOS_SEGMENT_PATCH, f->patches);
    }
    if (f->kind == SOS_SEGMENT_FULL) {
        for (size_t k = 0; k < FULL_MAPS; k++) reals_write(file, FULL_NAMES[k], f->knots[k], f->knot[k]);
        response_write(&f->response, file);
    }
    if (f->method == SOS_SEGMENT_S3SVM) reals_write(file, "gradients", CLUSTERS * SOS_SEGMENT_GRADIENT, f->gradients);
    fputs("}", file);
}

static sos_status facts_set(sos_model *m, const parts *f, sos_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the facts of a model");
    features_write(f, file);
    const bool written = !ferror(file);
    sos_status status = fclose(file) || !written ? sos_fail(error, SOS_ERR_MEMORY, "no memory for the facts of a model")
                                                 : SOS_OK;
    if (!status) status = sos_model_set_fact(m, "task", "\"segment\"", error);
    if (!status) status = sos_model_set_fact(m, "features", text, error);
    free(text);
    return status;
}

static sos_status task_check(const sos_model *m, sos_error *error)
{
    char task[KIND_ROOM];
    sos_facts t = sos_facts_begin(m, "task");
    sos_facts_text(&t, sizeof task, task);
    const sos_status status = sos_facts_end(&t, error);
    if (status) return status;
    return strcmp(task, TASK) ? sos_fail(error, SOS_ERR_FORMAT, "a model for the task \"%s\", not \"%s\"", task, TASK) : SOS_OK;
}

/* version, model and method, and no further. */
static sos_status kind_read(sos_facts *t, sos_segment_features *kind, sos_segment_method *method, sos_error *error)
{
    char name[KIND_ROOM], how[KIND_ROOM];
    sos_facts_mark(t, '{');
    sos_facts_name(t, "version");
    const size_t version = sos_facts_count(t, 1, 1000000);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "model");
    sos_facts_text(t, sizeof name, name);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "method");
    sos_facts_text(t, sizeof how, how);
    if (t->wrong) return sos_facts_end(t, error);
    if (version > VERSION)
        return sos_fail(error, SOS_ERR_FORMAT, "the model's features have version %zu; this program knows up to %d", version,
                        VERSION);
    *kind = strcmp(name, sos_segment_features_name(SOS_SEGMENT_PAPER)) ? SOS_SEGMENT_FULL : SOS_SEGMENT_PAPER;
    *method = strcmp(how, sos_segment_method_name(SOS_SEGMENT_AMN)) ? SOS_SEGMENT_S3SVM : SOS_SEGMENT_AMN;
    if (!strcmp(name, sos_segment_features_name(*kind)) && !strcmp(how, sos_segment_method_name(*method))) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "an unknown model of segmentation: \"%s\", \"%s\"", name, how);
}

static void list_read(sos_facts *t, const char *name, size_t count, float out[])
{
    sos_facts_mark(t, ',');
    sos_facts_name(t, name);
    sos_facts_reals(t, count, count, out);
}

static void paper_read(sos_facts *t, parts *f)
{
    list_read(t, "object distances", EDGES, f->edges[0]);
    list_read(t, "background distances", EDGES, f->edges[1]);
    list_read(t, "patches", CLUSTERS * SOS_SEGMENT_PATCH, f->patches);
}

static void knots_read(sos_facts *t, parts *f, size_t k)
{
    sos_facts_mark(t, ',');
    sos_facts_name(t, FULL_NAMES[k]);
    f->knots[k] = sos_facts_reals(t, 2, KNOTS_MAX, f->knot[k]);
    for (size_t i = 1; i < f->knots[k] && !t->wrong; i++)
        if (!(f->knot[k][i] > f->knot[k][i - 1])) t->wrong = "knots that increase";
}

static uint64_t hash_read(sos_facts *t)
{
    char text[HASH_ROOM];
    sos_facts_text(t, sizeof text, text);
    if (!t->wrong && (strlen(text) != HASH_ROOM - 1 || strspn(text, "0123456789abcdef") != HASH_ROOM - 1))
        t->wrong = "a hash of 16 digits";
    return t->wrong ? 0 : strtoull(text, NULL, 16);
}

static sos_status full_read(sos_facts *t, parts *f, sos_error *error)
{
    for (size_t k = 0; k < FULL_MAPS; k++) knots_read(t, f, k);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "learned from");
    const size_t pictures = sos_facts_count(t, 1, PICTURES_MAX);
    const sos_status status = sos_segment_response_create(pictures, &f->response, error);
    if (status) return status;
    sos_facts_mark(t, ',');
    sos_facts_name(t, "hashes");
    for (size_t i = 0; i < pictures && !t->wrong; i++) {
        sos_facts_mark(t, i ? ',' : '[');
        f->response.hashes[i] = hash_read(t);
    }
    sos_facts_mark(t, ']');
    for (size_t k = 0; k < SOS_SEGMENT_NETWORKS; k++)
        list_read(t, "network", sos_perceptron_numbers(SOS_SEGMENT_MAPS), f->response.networks[k].numbers);
    return SOS_OK;
}

static sos_status parts_read(const sos_model *m, parts *f, sos_error *error)
{
    sos_status status = task_check(m, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    status = kind_read(&t, &f->kind, &f->method, error);
    if (!status && f->kind == SOS_SEGMENT_PAPER) paper_read(&t, f);
    if (!status && f->kind == SOS_SEGMENT_FULL) status = full_read(&t, f, error);
    if (status) return status;
    if (f->method == SOS_SEGMENT_S3SVM) list_read(&t, "gradients", CLUSTERS * SOS_SEGMENT_GRADIENT, f->gradients);
    sos_facts_mark(&t, '}');
    status = sos_facts_end(&t, error);
    return status ? status : groups_check(m, f, error);
}

/* Reads and checks everything; *out is to free. */
static sos_status features_read(const sos_model *m, parts **out, sos_error *error)
{
    parts *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a model");
    const sos_status status = parts_read(m, f, error);
    if (status)
        parts_free(f);
    else
        *out = f;
    return status;
}

sos_status sos_segment_kind_of(const sos_model *m, sos_segment_features *kind, sos_segment_method *method, sos_error *error)
{
    const sos_status status = task_check(m, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    sos_segment_features looks;
    sos_segment_method how;
    const sos_status known = kind_read(&t, &looks, &how, error);
    if (!known) {
        *kind = looks;
        *method = how;
    }
    return known;
}

/* ---------------------------------------------------------------- learning features */

/* Rows of d numbers from all pictures. */
typedef struct points {
    size_t d, count;
    float *values;
} points;

/* Room for SAMPLES rows of each picture. */
static sos_status points_create(size_t pictures, size_t d, points *p, sos_error *error)
{
    *p = (points){ .d = d, .values = malloc(pictures * SAMPLES * d * sizeof *p->values) };
    return p->values ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for samples of %zu pictures", pictures);
}

/* SAMPLES of n rows, drawn with repetition: all alike whatever n is. */
static void points_draw(points *p, size_t n, const float rows[], sos_random *random)
{
    for (size_t s = 0; n && s < SAMPLES; s++, p->count++)
        memcpy(p->values + p->count * p->d, rows + sos_random_below(random, n) * p->d, p->d * sizeof *rows);
}

typedef void describe(const sos_image *picture, float rows[]);

static sos_status pictures_cluster(const sos_segment_settings *s, size_t count, const sos_scribbled pictures[], size_t d,
                                   describe *fill, bool inner, float centres[], sos_error *error)
{
    points p;
    sos_status status = points_create(count, d, &p, error);
    sos_random random = sos_random_seeded(s->seed);
    for (size_t i = 0; i < count && !status; i++) {
        const sos_image *picture = &pictures[i].picture;
        const size_t n = inner ? (picture->width - 1) * (picture->height - 1) : sos_image_size(picture);
        float *rows = malloc((n + 1) * d * sizeof *rows);
        if (!rows) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for patches of %zu pixels", n);
        if (!status) {
            fill(picture, rows);
            points_draw(&p, n, rows, &random);
        }
        free(rows);
    }
    if (!status && !p.count) status = sos_fail(error, SOS_ERR_ARGUMENT, "the pictures are too small to learn from");
    if (!status) {
        sos_kmeans_settings k = sos_kmeans_defaults(CLUSTERS);
        k.seed = s->seed;
        k.threads = s->threads;
        status = sos_kmeans(p.count, d, p.values, &k, centres, NULL, NULL, error);
    }
    free(p.values);
    return status;
}

static sos_status edges_learn(const sos_segment_settings *s, size_t count, const sos_scribbled pictures[], uint8_t scribble,
                              float edges[EDGES], sos_error *error)
{
    points p;
    sos_status status = points_create(count, 1, &p, error);
    sos_random random = sos_random_seeded(s->seed);
    for (size_t i = 0; i < count && !status; i++) {
        const sos_segment_input in = { .picture = &pictures[i].picture, .scribbles = pictures[i].scribbles };
        const size_t n = sos_image_size(in.picture);
        uint8_t *mask = malloc(n);
        float *distances = malloc(n * sizeof *distances);
        if (!mask || !distances) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", n);
        if (!status && sos_segment_mask(&in, scribble, mask)) {
            status = sos_distance_city(in.picture->width, in.picture->height, mask, distances, error);
            if (!status) points_draw(&p, n, distances, &random);
        }
        free(mask);
        free(distances);
    }
    float knots[EDGES + 2];
    size_t found = 0;
    if (!status && p.count) found = sos_bins_fit(p.count, p.values, EDGES + 2, knots);
    for (size_t e = 0; e < EDGES; e++) edges[e] = found ? knots[e + 1 < found ? e + 1 : found - 1] : 0;
    free(p.values);
    return status;
}

static sos_status progress_report(const sos_segment_settings *s, const char *phase, sos_error *error)
{
    if (!s->progress || s->progress(s->user, phase, -1)) return SOS_OK;
    return sos_fail(error, SOS_CANCELLED, "stopped while learning features");
}

static sos_status paper_learn(const sos_segment_settings *s, size_t count, const sos_scribbled pictures[], parts *f,
                              sos_error *error)
{
    sos_status status = progress_report(s, "distances", error);
    if (!status) status = edges_learn(s, count, pictures, SOS_SCRIBBLE_OBJECT, f->edges[0], error);
    if (!status) status = edges_learn(s, count, pictures, SOS_SCRIBBLE_BACKGROUND, f->edges[1], error);
    if (!status) status = progress_report(s, "patches", error);
    if (status) return status;
    return pictures_cluster(s, count, pictures, SOS_SEGMENT_PATCH, sos_segment_patches, false, f->patches, error);
}

static sos_status full_learn(const sos_segment_settings *s, size_t count, const sos_scribbled pictures[], parts *f,
                             sos_error *error)
{
    const sos_segment_response_settings r = {
        .seed = s->seed, .threads = s->threads, .progress = s->progress, .user = s->user
    };
    f->knots[RESPONSE] = sizeof RESPONSE_KNOTS / sizeof *RESPONSE_KNOTS;
    f->knots[RATIO] = sizeof RATIO_KNOTS / sizeof *RATIO_KNOTS;
    memcpy(f->knot[RESPONSE], RESPONSE_KNOTS, sizeof RESPONSE_KNOTS);
    memcpy(f->knot[RATIO], RATIO_KNOTS, sizeof RATIO_KNOTS);
    return sos_segment_response_train(count, pictures, &r, &f->response, error);
}

static sos_status features_learn(const sos_segment_settings *s, size_t count, const sos_scribbled pictures[], parts *f,
                                 sos_error *error)
{
    sos_status status = f->kind == SOS_SEGMENT_PAPER ? paper_learn(s, count, pictures, f, error)
                                                     : full_learn(s, count, pictures, f, error);
    if (status || f->method == SOS_SEGMENT_AMN) return status;
    status = progress_report(s, "gradients", error);
    if (status) return status;
    return pictures_cluster(s, count, pictures, SOS_SEGMENT_GRADIENT, sos_segment_gradients, true, f->gradients, error);
}

static sos_status pictures_check(size_t count, const sos_scribbled pictures[], sos_error *error)
{
    if (!count || !pictures) return sos_fail(error, SOS_ERR_ARGUMENT, "models of segmentation learn from pictures; none given");
    for (size_t i = 0; i < count; i++) {
        const sos_segment_input in = { .picture = &pictures[i].picture, .scribbles = pictures[i].scribbles };
        sos_error why;
        const sos_status status = sos_segment_check(&in, &why);
        if (status) return sos_fail(error, status, "picture %zu: %s", i, why.message);
    }
    return SOS_OK;
}

static sos_status model_create(const parts *f, sos_model **out, sos_error *error)
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

sos_status sos_segment_create(const sos_segment_settings *settings, size_t count, const sos_scribbled pictures[],
                              sos_model **out, sos_error *error)
{
    const sos_segment_settings defaults = sos_segment_defaults();
    const sos_segment_settings *s = settings ? settings : &defaults;
    sos_status status = pictures_check(count, pictures, error);
    if (status) return status;
    parts *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a model");
    f->kind = s->features;
    f->method = s->method;
    status = features_learn(s, count, pictures, f, error);
    if (!status) status = model_create(f, out, error);
    parts_free(f);
    return status;
}

/* ---------------------------------------------------------------- features of an example */

/* An example being filled, and room for one group's features. */
typedef struct filling {
    sos_segment_input in;
    const parts *f;
    sos_example *x;
    size_t n;
    size_t *start;
    uint32_t *index;
    double *value;
} filling;

static void filling_free(filling *a)
{
    free(a->start);
    free(a->index);
    free(a->value);
}

static sos_status filling_create(const sos_segment_input *in, const parts *f, sos_example *x, size_t each, filling *a,
                                 sos_error *error)
{
    const size_t n = sos_image_size(in->picture);
    *a = (filling){ .in = *in,
                    .f = f,
                    .x = x,
                    .n = n,
                    .start = malloc((n + 1) * sizeof *a->start),
                    .index = calloc(n * each, sizeof *a->index),
                    .value = malloc(n * each * sizeof *a->value) };
    if (a->start && a->index && a->value) return SOS_OK;
    filling_free(a);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
}

static void start_each(filling *a, size_t each)
{
    for (size_t i = 0; i <= a->n; i++) a->start[i] = i * each;
}

static sos_status scribbles_set(filling *a, sos_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < a->n; i++) {
        a->start[i] = count;
        if (a->in.scribbles[i]) a->index[count++] = a->in.scribbles[i] == SOS_SCRIBBLE_BACKGROUND;
    }
    a->start[a->n] = count;
    return sos_example_set_features(a->x, SCRIBBLES, a->start, a->index, NULL, error);
}

static sos_status colours_set(filling *a, sos_error *error)
{
    float *ratios = malloc(a->n * sizeof *ratios);
    sos_status status = ratios ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", a->n);
    if (!status) status = sos_segment_colours(&a->in, ratios, error);
    if (!status) {
        start_each(a, 1);
        for (size_t i = 0; i < a->n; i++) a->value[i] = (double)ratios[i];
        memset(a->index, 0, a->n * sizeof *a->index);
        status = sos_example_set_features(a->x, COLOURS, a->start, a->index, a->value, error);
    }
    free(ratios);
    return status;
}

static uint32_t bin_of(const float edges[EDGES], float x)
{
    uint32_t bin = 0;
    while (bin < EDGES && x > edges[bin]) bin++;
    return bin;
}

static sos_status distances_set(filling *a, sos_error *error)
{
    static const uint8_t kinds[2] = { SOS_SCRIBBLE_OBJECT, SOS_SCRIBBLE_BACKGROUND };
    uint8_t *mask = malloc(a->n);
    float *distances = malloc(a->n * sizeof *distances);
    sos_status status = mask && distances ? SOS_OK
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for distances of %zu pixels", a->n);
    memset(a->index, 0, a->n * sizeof *a->index);
    for (size_t k = 0; k < 2 && !status; k++) {
        sos_segment_mask(&a->in, kinds[k], mask);
        status = sos_distance_city(a->in.picture->width, a->in.picture->height, mask, distances, error);
        for (size_t i = 0; i < a->n && !status; i++) a->index[i] = a->index[i] * BINS + bin_of(a->f->edges[k], distances[i]);
    }
    start_each(a, 1);
    if (!status) status = sos_example_set_features(a->x, DISTANCES, a->start, a->index, NULL, error);
    free(mask);
    free(distances);
    return status;
}

/* The nearest cluster of every row that a description has. */
static sos_status clusters_find(const sos_segment_input *in, describe *fill, size_t n, size_t d, const float centres[],
                                uint32_t clusters[], sos_error *error)
{
    float *rows = malloc((n + 1) * d * sizeof *rows);
    if (!rows) return sos_fail(error, SOS_ERR_MEMORY, "no memory for patches of %zu pixels", n);
    fill(in->picture, rows);
    const sos_status status = sos_kmeans_assign(n, d, rows, CLUSTERS, centres, in->threads, clusters, NULL, error);
    free(rows);
    return status;
}

static sos_status patches_set(filling *a, sos_error *error)
{
    const sos_status status = clusters_find(&a->in, sos_segment_patches, a->n, SOS_SEGMENT_PATCH, a->f->patches, a->index,
                                            error);
    if (status) return status;
    uint32_t state[CLUSTERS] = { 0 };
    for (size_t i = 0; i < a->n; i++)
        if (a->in.scribbles[i]) state[a->index[i]] |= a->in.scribbles[i] == SOS_SCRIBBLE_OBJECT ? 1 : 2;
    for (size_t i = 0; i < a->n; i++) a->index[i] = a->index[i] * STATES + state[a->index[i]];
    start_each(a, 1);
    return sos_example_set_features(a->x, PATCHES, a->start, a->index, NULL, error);
}

static sos_status map_set(filling *a, size_t k, const float values[], sos_error *error)
{
    for (size_t i = 0; i < a->n; i++) {
        float share;
        const size_t low = sos_bins_place(a->f->knots[k], a->f->knot[k], values[i], &share);
        a->index[2 * i] = (uint32_t)low;
        a->index[2 * i + 1] = (uint32_t)low + 1;
        a->value[2 * i] = 1 - (double)share;
        a->value[2 * i + 1] = (double)share;
    }
    start_each(a, 2);
    return sos_example_set_features(a->x, (uint32_t)(FULL_FIRST + k), a->start, a->index, a->value, error);
}

static sos_status full_set(filling *a, sos_error *error)
{
    float *maps = malloc(FULL_MAPS * a->n * sizeof *maps);
    sos_status status = maps ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for maps of %zu pixels", a->n);
    if (!status)
        status = sos_segment_response_apply(&a->f->response, &a->in, maps + RESPONSE * a->n, maps + RATIO * a->n, error);
    for (size_t k = 0; k < FULL_MAPS && !status; k++) status = map_set(a, k, maps + k * a->n, error);
    free(maps);
    return status;
}

static sos_status paper_set(filling *a, sos_error *error)
{
    sos_status status = colours_set(a, error);
    if (!status) status = distances_set(a, error);
    return status ? status : patches_set(a, error);
}

/* ---------------------------------------------------------------- relations of an example */

static size_t pairs_list(const sos_image *p, double beta, uint32_t pairs[], double phi[])
{
    size_t count = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            for (int down = 0; down < 2; down++) {
                if (down ? y + 1 == p->height : x + 1 == p->width) continue;
                const size_t i = y * p->width + x, j = i + (down ? p->width : 1);
                pairs[2 * count] = (uint32_t)i;
                pairs[2 * count + 1] = (uint32_t)j;
                phi[PAIR_FEATURES * count + CONSTANT] = 1;
                phi[PAIR_FEATURES * count + CONTRAST] = sos_exp(-beta * sos_segment_difference(p, i, j));
                count++;
            }
    return count;
}

static sos_status pairs_add(const filling *a, uint32_t group, sos_error *error)
{
    uint32_t *pairs = malloc(4 * a->n * sizeof *pairs);
    double *phi = malloc(2 * PAIR_FEATURES * a->n * sizeof *phi);
    sos_status status = SOS_OK;
    if (pairs && phi) {
        const size_t count = pairs_list(a->in.picture, sos_segment_beta(a->in.picture), pairs, phi);
        status = sos_example_add_pairs(a->x, group, count, pairs, phi, error);
    } else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for pairs of %zu pixels", a->n);
    free(pairs);
    free(phi);
    return status;
}

static sos_status tables_add(const filling *a, uint32_t group, sos_error *error)
{
    const sos_image *p = a->in.picture;
    if (p->width < 2 || p->height < 2) return SOS_OK;
    const size_t count = (p->width - 1) * (p->height - 1);
    uint32_t *groups = malloc(count * sizeof *groups), *members = malloc(4 * count * sizeof *members), *m = members;
    sos_status status = groups && members ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", count);
    if (!status)
        status = clusters_find(&a->in, sos_segment_gradients, count, SOS_SEGMENT_GRADIENT, a->f->gradients, groups, error);
    if (!status) {
        for (size_t c = 0; c < count; c++) groups[c] += group;
        for (size_t y = 0; y + 1 < p->height; y++)
            for (size_t x = 0; x + 1 < p->width; x++)
                for (size_t b = 0; b < 4; b++) *m++ = (uint32_t)((y + b / 2) * p->width + x + b % 2);
        status = sos_example_add_listed(a->x, count, groups, members, NULL, error);
    }
    free(groups);
    free(members);
    return status;
}

static sos_status relations_add(const filling *a, sos_error *error)
{
    group_list list;
    groups_of(a->f, &list);
    const uint32_t group = (uint32_t)list.relations;
    return a->f->method == SOS_SEGMENT_AMN ? pairs_add(a, group, error) : tables_add(a, group, error);
}

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
static sos_status example_fill(filling *a, const uint8_t truth[], const uint8_t care[], sos_error *error)
{
    sos_status status = scribbles_set(a, error);
    if (!status) status = a->f->kind == SOS_SEGMENT_PAPER ? paper_set(a, error) : full_set(a, error);
    if (!status) status = relations_add(a, error);
    if (!status) status = sos_example_set_scale(a->x, 1 / (double)a->n, error);
    if (!status && truth) status = sos_example_set_truth(a->x, truth, care, error);
    return status;
}

sos_status sos_segment_example(const sos_model *m, const sos_image *picture, const uint8_t scribbles[], const uint8_t truth[],
                               const uint8_t care[], sos_example **out, sos_error *error)
{
    const sos_segment_input in = { .picture = picture, .scribbles = scribbles, .threads = 1 };
    sos_status status = sos_segment_check(&in, error);
    if (status) return status;
    parts *f = NULL;
    status = features_read(m, &f, error);
    if (status) return status;
    sos_example *x = NULL;
    filling a = { 0 };
    status = sos_example_create(m, sos_image_size(picture), &x, error);
    if (!status) status = filling_create(&in, f, x, 2, &a, error);
    if (!status) status = example_fill(&a, truth, care, error);
    filling_free(&a);
    parts_free(f);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

/* ---------------------------------------------------------------- training and prediction */

sos_train_settings sos_segment_training(sos_segment_features features, sos_segment_method method)
{
    sos_train_settings s = sos_train_defaults();
    s.C = sos_segment_cs(features, method)[SOS_SEGMENT_CS / 2];
    s.gap = 1e-2;
    s.epsilon = 1e-3;
    return s;
}

const double *sos_segment_cs(sos_segment_features features, sos_segment_method method)
{
    static const double paper[SOS_SEGMENT_CS] = { 1e3, 1e4, 1e5 }, full[SOS_SEGMENT_CS] = { 1e2, 1e3, 1e4 };
    (void)method;
    return features == SOS_SEGMENT_PAPER ? paper : full;
}

/* Weights with which no labelling that contradicts a scribble is the best: doing so costs more than all else can. */
static double *weights_hard(const sos_model *m)
{
    const size_t count = sos_model_weight_count(m), at = sos_model_group_offset(m, SCRIBBLES);
    double *w = malloc(count * sizeof *w), most = 1;
    if (!w) return NULL;
    memcpy(w, sos_model_weights(m), count * sizeof *w);
    for (size_t j = 0; j < count; j++) most += fabs(w[j]);
    for (size_t k = 0; k < 2; k++)
        for (size_t label = 0; label < 2; label++) w[at + 2 * k + label] = k == label ? 100 * most : 0;
    return w;
}

/* Labels of a picture as it is. */
static sos_status labels_find(const sos_model *m, const sos_segment_input *in, bool hard, uint8_t labels[], sos_error *error)
{
    sos_example *x;
    sos_status status = sos_segment_example(m, in->picture, in->scribbles, NULL, NULL, &x, error);
    if (status) return status;
    double *w = hard ? weights_hard(m) : NULL;
    if (hard && !w)
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for weights");
    else if (hard)
        status = sos_example_minimize(x, w, false, NULL, labels, NULL, error);
    else
        status = sos_model_predict(m, x, NULL, labels, NULL, error);
    free(w);
    sos_example_free(x);
    return status;
}

/* Labels by those of the smaller picture, linear between its pixels. */
static sos_status labels_grow(const sos_segment_input *in, const sos_shrunk *s, const uint8_t small[], bool hard,
                              uint8_t labels[], sos_error *error)
{
    const size_t n = sos_image_size(in->picture), blocks = sos_image_size(&s->picture);
    float *values = malloc(blocks * sizeof *values), *grown = malloc(n * sizeof *grown);
    sos_status status = values && grown ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) {
        for (size_t i = 0; i < blocks; i++) values[i] = small[i];
        sos_shrunk_grow(s, values, in->picture->width, in->picture->height, grown);
        for (size_t i = 0; i < n; i++)
            labels[i] = hard && in->scribbles[i] ? in->scribbles[i] == SOS_SCRIBBLE_OBJECT : grown[i] > 0.5F;
    }
    free(values);
    free(grown);
    return status;
}

sos_status sos_segment_predict(const sos_model *m, const sos_image *picture, const uint8_t scribbles[], bool hard,
                               uint8_t labels[], sos_error *error)
{
    const sos_segment_input in = { .picture = picture, .scribbles = scribbles, .threads = 1 };
    sos_status status = sos_segment_check(&in, error);
    if (status) return status;
    if (sos_image_size(picture) <= PREDICT_MAX) return labels_find(m, &in, hard, labels, error);
    sos_shrunk s;
    status = sos_shrunk_create(&in, PREDICT_MAX, &s, error);
    if (status) return status;
    const sos_segment_input smaller = { .picture = &s.picture, .scribbles = s.scribbles, .threads = 1 };
    uint8_t *small = malloc(sos_image_size(&s.picture));
    status = small ? labels_find(m, &smaller, hard, small, error)
                   : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", sos_image_size(&s.picture));
    if (!status) status = labels_grow(&in, &s, small, hard, labels, error);
    free(small);
    sos_shrunk_free(&s);
    return status;
}
