#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "tasks/label.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "tasks/facts.h"
#include "vision/lanes.h"
#include "vision/superpixel.h"

enum {
    VERSION = 1, /* of the fact "features" */
    WORD_ROOM = 16,
    COLUMNS = 9, /* cells that places are counted in */
    ROWS = 6,
    GROUPS_MAX = SOS_LABEL_CLUSTERS_MAX + 8,
    GROUP_NAME = 32,
    SCALES = 2 /* sizes of superpixels */
};
static const char TASK[] = "label";

/* No estimate is believed beyond this log p. */
static const double LEAST = -9;

/* Textures and places count little beside the networks, which know them too: with 1 the weights learn the pictures by heart. */
static const double SHADE = 0.1;
static const double SHADE_PATCH = 0.1; /* the same for tables, which know labels by the kind of edge */

static const double REGION_SIZE[SCALES] = { 60, 240 }; /* pixels, in a picture of 180 x 120 */
static const double REGION_REACH = 0.3;
static const double USUAL_PIXELS = 180 * 120;

static const char *const KIND_NAMES[SOS_LABEL_KINDS_COUNT] = { "unary", "pairwise", "tables", "full" };
const char *sos_label_kind_name(sos_label_kind kind) { return KIND_NAMES[kind]; }

static bool has_tables(sos_label_kind kind) { return kind == SOS_LABEL_TABLES || kind == SOS_LABEL_FULL; }

/* ---------------------------------------------------------------- groups */

/* Unaries first; then what the kind has. */
enum { RESPONSE, TEXTURE, PLACE, UNARIES, EDGE = UNARIES, PATCH };

typedef struct group_list {
    size_t count;
    sos_group groups[GROUPS_MAX];
    char names[SOS_LABEL_CLUSTERS_MAX][GROUP_NAME]; /* of the tables */
} group_list;

static void groups_of(sos_label_kind kind, const sos_label_features *f, group_list *g)
{
    g->groups[RESPONSE] = (sos_group){ .name = "response", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 };
    g->groups[TEXTURE] = (sos_group){ .name = "texture", .kind = SOS_GROUP_FREE, .size = f->clusters };
    g->groups[PLACE] = (sos_group){ .name = "place", .kind = SOS_GROUP_FREE, .size = (size_t)COLUMNS * ROWS };
    g->count = UNARIES;
    if (kind != SOS_LABEL_UNARY)
        g->groups[g->count++] = (sos_group){ .name = "edge", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
    for (size_t c = 0; has_tables(kind) && c < f->edges; c++) {
        snprintf(g->names[c], GROUP_NAME, "patch %zu", c);
        g->groups[g->count++] = (sos_group){
            .name = g->names[c], .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .patch_width = 2, .patch_height = 2
        };
    }
    if (kind == SOS_LABEL_FULL)
        g->groups[g->count++] = (sos_group){ .name = "region", .kind = SOS_GROUP_NONNEGATIVE, .size = SCALES };
}

static group_list *group_list_make(sos_label_kind kind, const sos_label_features *f, sos_error *error)
{
    group_list *g = calloc(1, sizeof *g);
    if (g)
        groups_of(kind, f, g);
    else
        (void)sos_fail(error, SOS_ERR_MEMORY, "no memory for the groups of a model");
    return g;
}

static sos_status groups_add(sos_model *m, const group_list *list, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t g = 0; g < list->count && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list->groups[g], &number, error);
    }
    return status;
}

static bool group_is(const sos_group *a, const sos_group *b)
{
    return !strcmp(a->name, b->name) && a->kind == b->kind && a->size == b->size && a->anchored == b->anchored &&
           a->swap == b->swap && a->patch_width == b->patch_width && a->patch_height == b->patch_height;
}

static sos_status groups_check(const sos_model *m, sos_label_kind kind, const sos_label_features *f, sos_error *error)
{
    group_list *list = group_list_make(kind, f, error);
    if (!list) return SOS_ERR_MEMORY;
    bool same = sos_model_labels(m) == f->labels && sos_model_groups(m) == list->count;
    for (uint32_t g = 0; same && g < list->count; g++) same = group_is(sos_model_group(m, g), &list->groups[g]);
    free(list);
    if (same) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of labels",
                    sos_label_kind_name(kind));
}

/* ---------------------------------------------------------------- facts written */

/* 9 digits are enough for a float to read back the same. */
static void reals_write(FILE *file, size_t count, const float x[])
{
    fputs("[", file);
    for (size_t i = 0; i < count; i++) fprintf(file, "%s%.9g", i ? ", " : "", (double)x[i]);
    fputs("]", file);
}

static void features_write(sos_label_kind kind, const sos_label_features *f, FILE *file)
{
    fprintf(file,
            "{\"version\": %d, \"model\": \"%s\", \"labels\": %zu, \"textures\": %zu, \"patches\": %zu, \"networks\": %zu",
            VERSION, sos_label_kind_name(kind), f->labels, f->clusters, f->edges, f->folds);
    fputs(", \"texture\": ", file);
    reals_write(file, f->clusters * SOS_LABEL_TEXTURE, f->centres);
    fputs(", \"patch\": ", file);
    reals_write(file, f->edges * SOS_LABEL_EDGE, f->edge);
    fputs(", \"network\": [", file);
    for (size_t k = 0; k < f->folds; k++) {
        if (k) fputs(", ", file);
        reals_write(file, sos_label_network_numbers(SOS_LABEL_INPUTS, f->labels), f->networks[k].numbers);
    }
    fputs("]}", file);
}

enum { NO_VOID = 256 };

static void names_write(const sos_label_names *n, FILE *file)
{
    fprintf(file, "{\"void\": %d, \"labels\": [", n->unknown < 0 ? NO_VOID : n->unknown);
    for (size_t l = 0; l < n->count; l++)
        fprintf(file, "%s{\"name\": \"%s\", \"colour\": \"#%06x\"}", l ? ", " : "", n->name[l], (unsigned)n->colour[l]);
    fputs("]}", file);
}

static sos_status facts_set(sos_model *m, sos_label_kind kind, const sos_label_features *f, const sos_label_names *n,
                            sos_error *error)
{
    char *texts[2] = { NULL, NULL };
    size_t length;
    bool written = true;
    for (size_t i = 0; i < 2; i++) {
        FILE *file = open_memstream(&texts[i], &length);
        if (file && i) features_write(kind, f, file);
        if (file && !i) names_write(n, file);
        written &= file && !ferror(file);
        written &= file && !fclose(file);
    }
    sos_status status = written ? sos_model_set_fact(m, "task", "\"label\"", error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for the facts of a model");
    if (!status) status = sos_model_set_fact(m, "labels", texts[0], error);
    if (!status) status = sos_model_set_fact(m, "features", texts[1], error);
    free(texts[0]);
    free(texts[1]);
    return status;
}

/* ---------------------------------------------------------------- facts read */

static sos_status task_check(const sos_model *m, sos_error *error)
{
    char task[WORD_ROOM];
    sos_facts t = sos_facts_begin(m, "task");
    sos_facts_text(&t, sizeof task, task);
    const sos_status status = sos_facts_end(&t, error);
    if (status) return status;
    return strcmp(task, TASK) ? sos_fail(error, SOS_ERR_FORMAT, "a model for the task \"%s\", not \"%s\"", task, TASK) : SOS_OK;
}

/* version and model, and no further. */
static sos_status kind_read(sos_facts *t, sos_label_kind *kind, sos_error *error)
{
    char name[WORD_ROOM];
    sos_facts_mark(t, '{');
    sos_facts_name(t, "version");
    const size_t version = sos_facts_count(t, 1, 1000000);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "model");
    sos_facts_text(t, sizeof name, name);
    if (t->wrong) return sos_facts_end(t, error);
    if (version > VERSION)
        return sos_fail(error, SOS_ERR_FORMAT, "the model's features have version %zu; this program knows up to %d", version,
                        VERSION);
    for (*kind = SOS_LABEL_UNARY; *kind <= SOS_LABEL_FULL; ++*kind)
        if (!strcmp(name, sos_label_kind_name(*kind))) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "an unknown model of labels: \"%s\"", name);
}

static size_t member_count(sos_facts *t, const char *name, size_t min, size_t max)
{
    sos_facts_mark(t, ',');
    sos_facts_name(t, name);
    return sos_facts_count(t, min, max);
}

static void member_reals(sos_facts *t, const char *name, size_t count, float out[])
{
    sos_facts_mark(t, ',');
    sos_facts_name(t, name);
    sos_facts_reals(t, count, count, out);
}

static void numbers_read(sos_facts *t, sos_label_features *f)
{
    member_reals(t, "texture", f->clusters * SOS_LABEL_TEXTURE, f->centres);
    member_reals(t, "patch", f->edges * SOS_LABEL_EDGE, f->edge);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "network");
    sos_facts_mark(t, '[');
    const size_t numbers = sos_label_network_numbers(SOS_LABEL_INPUTS, f->labels);
    for (size_t k = 0; k < f->folds; k++) {
        if (k) sos_facts_mark(t, ',');
        sos_facts_reals(t, numbers, numbers, f->networks[k].numbers);
    }
    sos_facts_mark(t, ']');
    sos_facts_mark(t, '}');
}

/* Reads and checks everything; *f is to free. */
static sos_status features_read(const sos_model *m, sos_label_kind *kind, sos_label_features *f, sos_error *error)
{
    sos_status status = task_check(m, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    status = kind_read(&t, kind, error);
    if (status) return status;
    const size_t labels = member_count(&t, "labels", 2, SOS_LABELS_MAX);
    const size_t clusters = member_count(&t, "textures", 1, SOS_LABEL_CLUSTERS_MAX);
    const size_t edges = member_count(&t, "patches", 1, SOS_LABEL_CLUSTERS_MAX);
    const size_t folds = member_count(&t, "networks", 1, SOS_LABEL_FOLDS_MAX);
    if (t.wrong) return sos_facts_end(&t, error);
    status = sos_label_features_create(labels, clusters, edges, folds, f, error);
    if (status) return status;
    numbers_read(&t, f);
    status = sos_facts_end(&t, error);
    if (!status) status = groups_check(m, *kind, f, error);
    if (status) sos_label_features_free(f);
    return status;
}

sos_status sos_label_kind_of(const sos_model *m, sos_label_kind *kind, sos_error *error)
{
    sos_status status = task_check(m, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "features");
    sos_label_kind found;
    status = kind_read(&t, &found, error);
    if (!status) *kind = found;
    return status;
}

static void name_read(sos_facts *t, sos_label_names *n)
{
    char colour[8];
    sos_facts_mark(t, '{');
    sos_facts_name(t, "name");
    sos_facts_text(t, SOS_LABEL_NAME, n->name[n->count]);
    sos_facts_mark(t, ',');
    sos_facts_name(t, "colour");
    sos_facts_text(t, sizeof colour, colour);
    sos_facts_mark(t, '}');
    if (!t->wrong && (colour[0] != '#' || strspn(colour + 1, "0123456789abcdefABCDEF") != 6)) t->wrong = "a colour #rrggbb";
    if (!t->wrong) n->colour[n->count++] = (uint32_t)strtoul(colour + 1, NULL, 16);
}

sos_status sos_label_names_of(const sos_model *m, sos_label_names *names, sos_error *error)
{
    sos_status status = task_check(m, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "labels");
    sos_label_names *n = calloc(1, sizeof *n);
    if (!n) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    sos_facts_mark(&t, '{');
    sos_facts_name(&t, "void");
    n->unknown = (int)sos_facts_count(&t, 0, NO_VOID);
    if (n->unknown == NO_VOID) n->unknown = -1;
    sos_facts_mark(&t, ',');
    sos_facts_name(&t, "labels");
    sos_facts_mark(&t, '[');
    do name_read(&t, n);
    while (!t.wrong && n->count < sos_model_labels(m) && sos_facts_has(&t, ','));
    sos_facts_mark(&t, ']');
    sos_facts_mark(&t, '}');
    status = sos_facts_end(&t, error);
    if (!status && n->count != sos_model_labels(m))
        status = sos_fail(error, SOS_ERR_FORMAT, "the model has %zu labels, but names of %zu", sos_model_labels(m), n->count);
    if (!status) *names = *n;
    free(n);
    return status;
}

/* ---------------------------------------------------------------- models */

sos_status sos_label_create(sos_label_kind kind, const sos_label_features *features, const sos_label_names *names,
                            sos_model **out, sos_error *error)
{
    if (kind < SOS_LABEL_UNARY || kind > SOS_LABEL_FULL)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a model of labels of kind %d", (int)kind);
    if (features->labels != names->count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "features of %zu labels, but names of %zu", features->labels, names->count);
    group_list *list = group_list_make(kind, features, error);
    if (!list) return SOS_ERR_MEMORY;
    sos_model *m = NULL;
    sos_status status = sos_model_create(features->labels, &m, error);
    if (!status) status = groups_add(m, list, error);
    if (!status) status = facts_set(m, kind, features, names, error);
    free(list);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

/* ---------------------------------------------------------------- unaries */

/* A picture on its way to an example. */
typedef struct scene {
    const sos_image *picture;
    sos_label_kind kind;
    const sos_label_features *features;
    const sos_label_view *view;
    size_t fold;
    sos_example *x;
} scene;

/* -log p. */
static sos_status responses_set(const scene *s, sos_error *error)
{
    const size_t n = sos_image_size(s->picture), labels = s->features->labels;
    float *responses = malloc(n * labels * sizeof *responses);
    double *cost = malloc(n * labels * sizeof *cost);
    sos_status status = responses && cost ? sos_label_responses(s->features, s->view, s->fold, responses, error)
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for the responses of %zu pixels", n);
    for (size_t i = 0; !status && i < n * labels; i++) cost[i] = -fmax((double)responses[i], LEAST);
    if (!status) status = sos_example_set_costs(s->x, RESPONSE, cost, error);
    free(responses);
    free(cost);
    return status;
}

/* Which cell of a grid over the picture each pixel lies in. */
static void cells_find(const sos_image *picture, uint32_t out[])
{
    const size_t width = picture->width, height = picture->height;
    for (size_t i = 0; i < width * height; i++)
        out[i] = (uint32_t)(i / width * ROWS / height * COLUMNS + i % width * COLUMNS / width);
}

/* Textures and places: one feature of each for every pixel. */
static sos_status features_set(const scene *s, sos_error *error)
{
    const size_t n = sos_image_size(s->picture);
    size_t *start = malloc((n + 1) * sizeof *start);
    uint32_t *index = malloc(n * sizeof *index);
    double *value = malloc(n * sizeof *value);
    sos_status status = start && index && value
                            ? sos_label_textures(s->features, s->view, index, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of %zu pixels", n);
    for (size_t i = 0; !status && i <= n; i++) start[i] = i;
    for (size_t i = 0; !status && i < n; i++) value[i] = SHADE;
    if (!status) status = sos_example_set_features(s->x, TEXTURE, start, index, value, error);
    if (!status) cells_find(s->picture, index);
    if (!status) status = sos_example_set_features(s->x, PLACE, start, index, value, error);
    free(start);
    free(index);
    free(value);
    return status;
}

/* ---------------------------------------------------------------- cliques */

static double colour_distance(const float lab[], size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) {
        const double d = (double)lab[3 * i + c] - (double)lab[3 * j + c];
        sum += d * d;
    }
    return sum;
}

/* All pairs of pixels side by side; returns how many. */
static size_t pairs_list(size_t width, size_t height, uint32_t pairs[])
{
    size_t count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x, others[] = { i + 1, i + width };
            const bool there[] = { x + 1 < width, y + 1 < height };
            for (size_t k = 0; k < 2; k++) {
                if (!there[k]) continue;
                pairs[2 * count] = (uint32_t)i;
                pairs[2 * count++ + 1] = (uint32_t)others[k];
            }
        }
    return count;
}

/* A constant, and the contrast exp(-d^2 / (2 mean d^2)) of the colours. */
static void contrasts_find(const float lab[], size_t count, const uint32_t pairs[], double phi[])
{
    double sum = 0;
    for (size_t p = 0; p < count; p++) {
        phi[2 * p] = 1;
        phi[2 * p + 1] = colour_distance(lab, pairs[2 * p], pairs[2 * p + 1]);
        sum += phi[2 * p + 1];
    }
    const double beta = sum > 0 ? (double)count / (2 * sum) : 0;
    for (size_t p = 0; p < count; p++) phi[2 * p + 1] = sos_exp(-fmin(beta * phi[2 * p + 1], 700));
}

static sos_status pairs_add(const scene *s, sos_error *error)
{
    const size_t most = 2 * sos_image_size(s->picture);
    uint32_t *pairs = malloc(2 * most * sizeof *pairs);
    double *phi = malloc(2 * most * sizeof *phi);
    sos_status status = pairs && phi ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", most);
    if (!status) {
        const size_t count = pairs_list(s->picture->width, s->picture->height, pairs);
        contrasts_find(sos_label_view_lab(s->view), count, pairs, phi);
        status = sos_example_add_pairs(s->x, EDGE, count, pairs, phi, error);
    }
    free(pairs);
    free(phi);
    return status;
}

static sos_status patches_add(const scene *s, sos_error *error)
{
    const size_t width = s->picture->width, height = s->picture->height;
    if (width < 2 || height < 2) return SOS_OK;
    const size_t count = (width - 1) * (height - 1);
    uint32_t *groups = malloc(count * sizeof *groups), *members = malloc(4 * count * sizeof *members);
    double *phi = malloc(count * sizeof *phi);
    sos_status status = groups && members && phi ? sos_label_edges(s->features, s->view, groups, error)
                                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", count);
    for (size_t p = 0; !status && p < count; p++) {
        const size_t corner = p / (width - 1) * width + p % (width - 1);
        groups[p] += PATCH;
        phi[p] = SHADE_PATCH;
        for (size_t q = 0; q < 4; q++) members[4 * p + q] = (uint32_t)(corner + q / 2 * width + q % 2);
    }
    if (!status) status = sos_example_add_listed(s->x, count, groups, members, phi, error);
    free(groups);
    free(members);
    free(phi);
    return status;
}

/* Pieces as lists of their pixels.  start: count + 1 numbers. */
static void pieces_list(size_t n, const uint32_t pieces[], size_t count, size_t start[], uint32_t members[])
{
    memset(start, 0, (count + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++) start[pieces[i] + 1]++;
    for (size_t p = 0; p < count; p++) start[p + 1] += start[p];
    for (size_t i = 0; i < n; i++) members[start[pieces[i]]++] = (uint32_t)i;
    for (size_t p = count; p > 0; p--) start[p] = start[p - 1];
    start[0] = 0;
}

/* Strengths are for every pixel of a piece. */
static sos_status pieces_give(const scene *s, uint32_t group, size_t scale, const uint32_t pieces[], size_t count,
                              sos_error *error)
{
    const size_t n = sos_image_size(s->picture);
    size_t *start = malloc((count + 1) * sizeof *start);
    uint32_t *members = malloc(n * sizeof *members);
    double *phi = calloc(count * SCALES, sizeof *phi);
    sos_status status = SOS_OK;
    if (start && members && phi) {
        pieces_list(n, pieces, count, start, members);
        for (size_t p = 0; p < count; p++) phi[p * SCALES + scale] = (double)(start[p + 1] - start[p]);
        status = sos_example_add_regions(s->x, group, count, start, members, REGION_REACH, phi, error);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    }
    free(start);
    free(members);
    free(phi);
    return status;
}

static sos_status regions_add(const scene *s, uint32_t group, sos_error *error)
{
    const size_t n = sos_image_size(s->picture);
    uint32_t *pieces = malloc(n * sizeof *pieces);
    sos_status status = pieces ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for superpixels");
    for (size_t scale = 0; scale < SCALES && !status; scale++) {
        sos_superpixel_settings settings = sos_superpixel_defaults();
        size_t count;
        settings.size = fmax(4, REGION_SIZE[scale] * (double)n / USUAL_PIXELS);
        settings.threads = 1;
        status = sos_superpixels(s->picture, &settings, pieces, &count, error);
        if (!status) status = pieces_give(s, group, scale, pieces, count, error);
    }
    free(pieces);
    return status;
}

/* ---------------------------------------------------------------- examples */

/* Energies are per pixel, as the loss is: then C means the same for pictures of all sizes. */
static sos_status scene_fill(const scene *s, sos_error *error)
{
    sos_status status = responses_set(s, error);
    if (!status) status = features_set(s, error);
    if (!status && s->kind != SOS_LABEL_UNARY) status = pairs_add(s, error);
    if (!status && has_tables(s->kind)) status = patches_add(s, error);
    if (!status && s->kind == SOS_LABEL_FULL) status = regions_add(s, (uint32_t)(PATCH + s->features->edges), error);
    return status ? status : sos_example_set_scale(s->x, 1 / (double)sos_image_size(s->picture), error);
}

static sos_status example_make(const sos_model *m, scene *s, sos_error *error)
{
    sos_label_view *view;
    sos_status status = sos_label_view_create(s->picture, &view, error);
    if (status) return status;
    s->view = view;
    status = sos_example_create(m, sos_image_size(s->picture), &s->x, error);
    if (!status) status = scene_fill(s, error);
    sos_label_view_free(view);
    return status;
}

sos_status sos_label_example(const sos_model *m, const sos_image *picture, const uint8_t truth[], const uint8_t care[],
                             int seen, sos_example **out, sos_error *error)
{
    sos_label_features f;
    scene s = { .picture = picture, .features = &f };
    if (picture->channels != 3) return sos_fail(error, SOS_ERR_ARGUMENT, "a picture of %zu channels, not 3", picture->channels);
    sos_status status = features_read(m, &s.kind, &f, error);
    if (status) return status;
    s.fold = seen < 0 ? SOS_LABEL_NEW : sos_label_fold(&f, (size_t)seen);
    status = example_make(m, &s, error);
    if (!status && truth) status = sos_example_set_truth(s.x, truth, care, error);
    sos_label_features_free(&f);
    if (status)
        sos_example_free(s.x);
    else
        *out = s.x;
    return status;
}

sos_status sos_label_examples(const sos_model *m, const sos_label_lesson *lesson, bool seen, int threads,
                              sos_example *examples[], sos_error *error)
{
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(threads);
    (void)workers;
    for (size_t i = 0; i < lesson->count; i++) examples[i] = NULL;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (size_t i = 0; i < lesson->count; i++) {
        sos_error why = { SOS_OK, "" };
        const uint8_t *care = lesson->care ? lesson->care[i] : NULL;
        const sos_status status = sos_label_example(m, &lesson->pictures[i], lesson->truths[i], care,
                                                    seen ? (int)i : SOS_LABEL_UNSEEN, &examples[i], &why);
        sos_failure_note(&failure, i, status, &why);
    }
    const sos_status status = sos_failure_status(&failure, "picture", error);
    for (size_t i = 0; status && i < lesson->count; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}

sos_train_settings sos_label_training(sos_label_kind kind)
{
    sos_train_settings s = sos_train_defaults();
    s.C = kind == SOS_LABEL_UNARY ? 10 : 1000;
    s.gap = 2e-2;
    return s;
}

sos_status sos_label_predict(const sos_model *m, const sos_image *picture, uint8_t labels[], sos_error *error)
{
    sos_example *x;
    sos_status status = sos_label_example(m, picture, NULL, NULL, SOS_LABEL_UNSEEN, &x, error);
    if (status) return status;
    status = sos_model_predict(m, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

/* Names are large, and few threads have deep stacks. */
static sos_label_names *names_make(const sos_model *m, sos_error *error)
{
    sos_label_names *n = malloc(sizeof *n);
    if (!n) (void)sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    if (n && sos_label_names_of(m, n, error)) {
        free(n);
        n = NULL;
    }
    return n;
}

static sos_status judge(const sos_label_names *names, const sos_item *item, const sos_image *labels, sos_confusion *out,
                        sos_error *error)
{
    sos_labelled p;
    sos_status status = sos_labelled_read(item, names->count, names->unknown, &p, error);
    if (status) return status;
    if (p.picture.width != labels->width || p.picture.height != labels->height)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", item->labels,
                          p.picture.width, p.picture.height, labels->width, labels->height);
    if (!status) status = sos_confusion_create(names->count, out, error);
    if (!status) sos_confusion_add(out, sos_image_size(labels), labels->pixels, p.truth, p.care);
    sos_labelled_free(&p);
    return status;
}

sos_status sos_label_judge(const sos_model *m, const sos_item *item, const sos_image *labels, sos_confusion *out,
                           sos_error *error)
{
    sos_error why = { SOS_OK, "" };
    sos_label_names *names = names_make(m, &why);
    const sos_status status = names ? judge(names, item, labels, out, &why) : why.status;
    free(names);
    return status ? sos_fail(error, status, "%s", why.message) : SOS_OK;
}

sos_status sos_label_show(const sos_model *m, const sos_image *labels, const char *path, sos_error *error)
{
    sos_error why = { SOS_OK, "" };
    sos_label_names *names = names_make(m, &why);
    if (!names) return sos_fail(error, why.status, "%s", why.message);
    const sos_status status = sos_image_write_palette(labels, names->count, names->colour, path, error);
    free(names);
    return status;
}
