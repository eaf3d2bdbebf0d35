#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#endif

#include "label/label.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/threads.h"
#include "tasks/facts.h"
#include "vision/superpixel.h"

enum {
    VERSION = 1, /* of the fact "features" */
    WORD_ROOM = 16,
    COLUMNS = 9, /* cells that places are counted in */
    ROWS = 6,
    REACHES = 2, /* kinds of patches: of neighbours, and of pixels further apart */
    TABLES_MAX = REACHES * SOS_LABEL_CLUSTERS_MAX,
    GROUPS_MAX = TABLES_MAX + 8,
    GROUP_NAME = 32,
    SCALES = 2 /* sizes of superpixels */
};
static const char TASK[] = "label";

/* No estimate is believed beyond this log p. */
static const double LEAST = -9;

/* Textures and places count little beside the networks, which know them too: with 1 the weights learn the pictures by heart. */
static const double SHADE = 0.1;
static const double SHADE_PATCH = 0.3; /* the same for tables */

/* Of the patches of neighbours there is one at each pixel, of the others at every second column. */
static const size_t REACH_STEP[REACHES] = { 1, 2 };
static const double REACH_FAR = 8; /* pixels, in a picture of 180 x 120 */
static const char *const REACH_NAMES[REACHES] = { "patch", "far patch" };

static const double REGION_SIZE[SCALES] = { 60, 240 }; /* pixels, in a picture of 180 x 120 */
static const double REGION_REACH = 0.3;
static const double USUAL_PIXELS = 180 * 120;

static const char *const KIND_NAMES[SOS_LABEL_KINDS_COUNT] = { "unary", "pairwise", "tables", "full" };
const char *sos_label_kind_name(sos_label_kind kind) { return KIND_NAMES[kind]; }

static bool has_tables(sos_label_kind kind) { return kind == SOS_LABEL_TABLES || kind == SOS_LABEL_FULL; }

/* ---------------------------------------------------------------- groups */

/* Unaries first; then what the kind has. */
enum { RESPONSE, TEXTURE, PLACE, UNARIES, EDGE = UNARIES, PATCH = UNARIES };

typedef struct group_list {
    size_t count;
    sos_group groups[GROUPS_MAX];
    char names[TABLES_MAX][GROUP_NAME]; /* of the tables */
} group_list;

static void groups_of(sos_label_kind kind, const sos_label_features *f, group_list *g)
{
    g->groups[RESPONSE] = (sos_group){ .name = "response", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 };
    g->groups[TEXTURE] = (sos_group){ .name = "texture", .kind = SOS_GROUP_FREE, .size = f->clusters };
    g->groups[PLACE] = (sos_group){ .name = "place", .kind = SOS_GROUP_FREE, .size = (size_t)COLUMNS * ROWS };
    g->count = UNARIES;
    if (kind == SOS_LABEL_PAIRWISE)
        g->groups[g->count++] = (sos_group){ .name = "edge", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 };
    for (size_t t = 0; has_tables(kind) && t < REACHES * f->edges; t++) {
        snprintf(g->names[t], GROUP_NAME, "%s %zu", REACH_NAMES[t / f->edges], t % f->edges);
        g->groups[g->count++] = (sos_group){
            .name = g->names[t], .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .patch_width = 2, .patch_height = 2
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

static sos_status groups_check(const sos_model *m, sos_label_kind kind, const sos_label_features *f, sos_error *error)
{
    group_list *list = group_list_make(kind, f, error);
    if (!list) return SOS_ERR_MEMORY;
    const bool same = sos_model_labels(m) == f->labels && sos_facts_groups(m, list->count, list->groups);
    free(list);
    if (same) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of labels",
                    sos_label_kind_name(kind));
}

/* ---------------------------------------------------------------- facts written */

/* What the facts "features" and "labels" are made of. */
typedef struct material {
    sos_label_kind kind;
    const sos_label_features *f;
    const sos_label_names *names;
} material;

static void features_write(FILE *file, const void *data)
{
    const material *all = data;
    const sos_label_features *f = all->f;
    fprintf(file,
            "{\"version\": %d, \"model\": \"%s\", \"labels\": %zu, \"textures\": %zu, \"patches\": %zu, \"networks\": %zu",
            VERSION, sos_label_kind_name(all->kind), f->labels, f->clusters, f->edges, f->folds);
    fputs(", \"texture\": ", file);
    sos_facts_print(file, f->clusters * SOS_LABEL_TEXTURE, f->centres);
    fputs(", \"patch\": ", file);
    sos_facts_print(file, f->edges * SOS_LABEL_EDGE, f->edge);
    fputs(", \"network\": [", file);
    for (size_t k = 0; k < f->folds; k++) {
        if (k) fputs(", ", file);
        sos_facts_print(file, sos_label_network_numbers(SOS_LABEL_INPUTS, f->labels), f->networks[k].numbers);
    }
    fputs("]}", file);
}

enum { NO_VOID = 256 };

static void names_write(FILE *file, const void *data)
{
    const material *all = data;
    const sos_label_names *n = all->names;
    fprintf(file, "{\"void\": %d, \"labels\": [", n->unknown < 0 ? NO_VOID : n->unknown);
    for (size_t l = 0; l < n->count; l++)
        fprintf(file, "%s{\"name\": \"%s\", \"colour\": \"#%06x\"}", l ? ", " : "", n->name[l], (unsigned)n->colour[l]);
    fputs("]}", file);
}

static sos_status facts_set(sos_model *m, const material *all, sos_error *error)
{
    sos_status status = sos_model_set_fact(m, "task", "\"label\"", error);
    if (!status) status = sos_facts_set(m, "labels", names_write, all, error);
    if (!status) status = sos_facts_set(m, "features", features_write, all, error);
    return status;
}

/* ---------------------------------------------------------------- facts read */

/* version and model, and no further. */
static sos_status kind_read(sos_facts *t, sos_label_kind *kind, sos_error *error)
{
    char name[WORD_ROOM];
    const sos_status status = sos_facts_kind(t, VERSION, sizeof name, name, error);
    if (status) return status;
    for (*kind = SOS_LABEL_UNARY; *kind <= SOS_LABEL_FULL; ++*kind)
        if (!strcmp(name, sos_label_kind_name(*kind))) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "an unknown model of labels: \"%s\"", name);
}

static size_t member_count(sos_facts *t, const char *name, size_t min, size_t max)
{
    sos_facts_next(t, name);
    return sos_facts_count(t, min, max);
}

static void member_reals(sos_facts *t, const char *name, size_t count, float out[])
{
    sos_facts_next(t, name);
    sos_facts_reals(t, count, count, out);
}

static void numbers_read(sos_facts *t, sos_label_features *f)
{
    member_reals(t, "texture", f->clusters * SOS_LABEL_TEXTURE, f->centres);
    member_reals(t, "patch", f->edges * SOS_LABEL_EDGE, f->edge);
    sos_facts_next(t, "network");
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
    sos_status status = sos_facts_task(m, TASK, error);
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
    sos_status status = sos_facts_task(m, TASK, error);
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
    sos_facts_next(t, "colour");
    sos_facts_text(t, sizeof colour, colour);
    sos_facts_mark(t, '}');
    if (!t->wrong && (colour[0] != '#' || strspn(colour + 1, "0123456789abcdefABCDEF") != 6)) t->wrong = "a colour #rrggbb";
    if (!t->wrong) n->colour[n->count++] = (uint32_t)strtoul(colour + 1, NULL, 16);
}

sos_status sos_label_names_of(const sos_model *m, sos_label_names *names, sos_error *error)
{
    sos_status status = sos_facts_task(m, TASK, error);
    if (status) return status;
    sos_facts t = sos_facts_begin(m, "labels");
    sos_label_names *n = calloc(1, sizeof *n);
    if (!n) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    sos_facts_mark(&t, '{');
    sos_facts_name(&t, "void");
    n->unknown = (int)sos_facts_count(&t, 0, NO_VOID);
    if (n->unknown == NO_VOID) n->unknown = -1;
    sos_facts_next(&t, "labels");
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
    if (!status) status = facts_set(m, &(material){ kind, features, names }, error);
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
    uint8_t *likely; /* NULL, or for each pixel the label that the networks find most likely */
    sos_example *x;
} scene;

static void likely_find(size_t n, size_t labels, const float responses[], uint8_t out[])
{
    for (size_t i = 0; i < n; i++) {
        const float *r = responses + i * labels;
        size_t best = 0;
        for (size_t l = 1; l < labels; l++)
            if (r[l] > r[best]) best = l;
        out[i] = (uint8_t)best;
    }
}

/* -log p. */
static sos_status responses_set(const scene *s, sos_error *error)
{
    const size_t n = sos_image_size(s->picture), labels = s->features->labels;
    float *responses = malloc(n * labels * sizeof *responses);
    double *cost = malloc(n * labels * sizeof *cost);
    sos_status status = responses && cost ? sos_label_responses(s->features, s->view, s->fold, responses, error)
                                          : sos_fail(error, SOS_ERR_MEMORY, "no memory for the responses of %zu pixels", n);
    for (size_t i = 0; !status && i < n * labels; i++) cost[i] = -fmax((double)responses[i], LEAST);
    if (!status && s->likely) likely_find(n, labels, responses, s->likely);
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

/* Patches of 2x2 pixels that are so far apart. */
typedef struct patch_list {
    size_t count;
    uint32_t *groups, *members;
    double *phi;
} patch_list;

/* How far the two of four colours are apart that differ most, squared. */
static double greatest_distance(const float lab[], const uint32_t members[4])
{
    double most = 0;
    for (size_t a = 1; a < 4; a++)
        for (size_t b = 0; b < a; b++) most = fmax(most, colour_distance(lab, members[a], members[b]));
    return most;
}

/* Fills in the patches of a reach; list->groups has the clusters of all places. */
static void patches_list(const scene *s, size_t reach, size_t distance, patch_list *list)
{
    const size_t width = s->picture->width, across = width - distance, places = across * (s->picture->height - distance);
    const float *lab = sos_label_view_lab(s->view);
    const uint32_t first = (uint32_t)(PATCH + reach * s->features->edges);
    double sum = 0;
    for (size_t p = 0; p < places; p++) {
        const size_t corner = p / across * width + p % across;
        if (p % across % REACH_STEP[reach]) continue;
        uint32_t *members = list->members + 4 * list->count;
        for (size_t q = 0; q < 4; q++) members[q] = (uint32_t)(corner + q / 2 * distance * width + q % 2 * distance);
        list->groups[list->count] = first + list->groups[p];
        list->phi[list->count] = greatest_distance(lab, members);
        sum += list->phi[list->count++];
    }
    const double beta = sum > 0 ? (double)list->count / (2 * sum) : 0, strength = SHADE_PATCH * (double)REACH_STEP[reach];
    for (size_t p = 0; p < list->count; p++) list->phi[p] = strength * sos_exp(-fmin(beta * list->phi[p], 700));
}

static sos_status patches_add(const scene *s, size_t reach, sos_error *error)
{
    const size_t distance = reach ? sos_label_view_length(s->view, REACH_FAR) : 1;
    if (s->picture->width <= distance || s->picture->height <= distance) return SOS_OK;
    const size_t most = (s->picture->width - distance) * (s->picture->height - distance);
    patch_list list = { .groups = malloc(most * sizeof *list.groups),
                        .members = malloc(4 * most * sizeof *list.members),
                        .phi = malloc(most * sizeof *list.phi) };
    sos_status status = list.groups && list.members && list.phi
                            ? sos_label_edges(s->features, s->view, distance, list.groups, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", most);
    if (!status) {
        patches_list(s, reach, distance, &list);
        status = sos_example_add_listed(s->x, list.count, list.groups, list.members, list.phi, error);
    }
    free(list.groups);
    free(list.members);
    free(list.phi);
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
    if (!status && s->kind == SOS_LABEL_PAIRWISE) status = pairs_add(s, error);
    for (size_t reach = 0; !status && has_tables(s->kind) && reach < REACHES; reach++) status = patches_add(s, reach, error);
    if (!status && s->kind == SOS_LABEL_FULL) status = regions_add(s, (uint32_t)(PATCH + REACHES * s->features->edges), error);
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

/* The energy of the truth is that of all pixels: those without a label get the one that is most likely. */
static sos_status truth_set(const scene *s, const uint8_t truth[], const uint8_t care[], sos_error *error)
{
    if (!care) return sos_example_set_truth(s->x, truth, NULL, error);
    for (size_t i = 0; i < sos_image_size(s->picture); i++)
        if (care[i]) s->likely[i] = truth[i];
    return sos_example_set_truth(s->x, s->likely, care, error);
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
    if (truth && care && !(s.likely = malloc(sos_image_size(picture))))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of a picture");
    if (!status) status = example_make(m, &s, error);
    if (!status && truth) status = truth_set(&s, truth, care, error);
    sos_label_features_free(&f);
    free(s.likely);
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

sos_train_settings sos_label_training(void)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 1000;
    s.gap = 3e-2;
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
