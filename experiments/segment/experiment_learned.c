/* experiment_learned.c - the weights of the models of the first split: what features say, and what tables cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "experiments/segment/experiment_report.h"
#include "segment/model/model.h"
#include "vision/kmeans.h"

enum { ENTRIES = 16, CLUSTERS = S3SVM_SEGMENT_CLUSTERS, SHOWN = 20 /* whose tables are shown */, NAME_ROOM = 48 };

static const double EVEN = 3; /* clusters with smaller differences of grey values have no direction */

/* How much feature j of a free group speaks for the object: what background costs more. */
static double vote(const sos_model *m, uint32_t group, size_t j)
{
    const double *w = sos_model_weights(m) + sos_model_group_offset(m, group) + 2 * j;
    return w[0] - w[1];
}

/* ---------------------------------------------------------------- numbers */

static void weight_cell(s3svm_report *page, double x)
{
    char text[S3SVM_NUMBER_TEXT];
    s3svm_report_number(page, x, "%s", s3svm_fixed_text(x, 2, text));
}

/* The weights of pairs of neighbours; NULL: the model has none. */
static const double *pairs_of(const sos_model *m)
{
    for (uint32_t g = 0; g < sos_model_groups(m); g++)
        if (!strcmp(sos_model_group(m, g)->name, "pairs")) return sos_model_weights(m) + sos_model_group_offset(m, g);
    return NULL;
}

static void numbers_table(s3svm_report *page, const s3svm_segment_results *r)
{
    static const s3svm_column columns[] = { { .name = "Model" },
                                            { .name = "weights" },
                                            { .name = "object", .group = "Scribbles" },
                                            { .name = "background", .group = "Scribbles" },
                                            { .name = "log ratio of colours" },
                                            { .name = "constant", .group = "Pairs" },
                                            { .name = "contrast", .group = "Pairs" } };
    s3svm_report_text(page, "Weights of the first split. For features of pixels, the difference between the costs of "
                            "background and object is shown: positive weights favour the object. Scribbles are evidence, not "
                            "constraints. Neighbours with different labels cost a constant and a term that decreases with "
                            "contrast. In S3SVM a weight of a pixel counts a quarter of one of a table.");
    s3svm_report_table(page, "Single weights", 7, columns);
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        const sos_model *m = r->models[c];
        if (!m) continue;
        const bool paper = s3svm_contender_row(c)->features == S3SVM_SEGMENT_PAPER;
        const double *pairs = pairs_of(m);
        s3svm_report_cell(page, "%s", s3svm_contender_names[c]);
        s3svm_report_number(page, (double)sos_model_weight_count(m), "%zu", sos_model_weight_count(m));
        for (size_t k = 0; k < 2; k++) weight_cell(page, vote(m, S3SVM_SEGMENT_MARKS, k));
        weight_cell(page, paper ? vote(m, S3SVM_SEGMENT_COLOURS, 0) : NAN);
        for (size_t k = 0; k < S3SVM_SEGMENT_PAIRS; k++) weight_cell(page, pairs ? pairs[k] : NAN);
    }
}

/* ---------------------------------------------------------------- functions of what pixels look like */

static void look_chart(s3svm_report *page, const s3svm_segment_results *r, size_t look, const char *title, const char *axis)
{
    static const size_t full[] = { S3SVM_CONTENDER_AMN_FULL, S3SVM_CONTENDER_FULL };
    double x[2][S3SVM_SEGMENT_KNOTS_MAX], y[2][S3SVM_SEGMENT_KNOTS_MAX];
    s3svm_series series[2];
    size_t lines = 0;
    for (size_t k = 0; k < 2; k++) {
        const sos_model *m = r->models[full[k]];
        s3svm_segment_parts *parts = NULL;
        if (!m || page->status) continue;
        s3svm_report_fail(page, s3svm_segment_parts_read(m, &parts, page->error));
        if (page->status) return;
        const size_t count = parts->knots[look];
        for (size_t i = 0; i < count; i++) {
            x[lines][i] = (double)parts->knot[look][i];
            y[lines][i] = vote(m, (uint32_t)(S3SVM_SEGMENT_FIRST + look), i);
        }
        series[lines] = (s3svm_series){
            .name = s3svm_contender_names[full[k]], .count = count, .x = x[lines], .y = y[lines], .style = (int)full[k] + 1
        };
        lines++;
        s3svm_segment_parts_free(parts);
    }
    if (lines)
        s3svm_report_chart(
            page, &(s3svm_chart){ .title = title,
                                  .note = "Positive values favour the object. Linear between knots, constant beyond them.",
                                  .x = { .name = axis },
                                  .y = { .name = "background less object, cost", .zero = true },
                                  .count = lines,
                                  .series = series });
}

/* ---------------------------------------------------------------- functions of regions */

/* What a pixel of a region costs, by the share of it that is object. */
static void regions_chart(s3svm_report *page, const s3svm_segment_results *r, size_t contender)
{
    const sos_model *m = r->models[contender];
    double x[S3SVM_SEGMENT_REGIONS][S3SVM_SEGMENT_SHARES], y[S3SVM_SEGMENT_REGIONS][S3SVM_SEGMENT_SHARES];
    s3svm_series series[S3SVM_SEGMENT_REGIONS];
    char title[80];
    size_t lines = 0;
    for (uint32_t g = 0; m && g < sos_model_groups(m) && lines < S3SVM_SEGMENT_REGIONS; g++) {
        const sos_group *group = sos_model_group(m, g);
        if (group->kind != SOS_GROUP_COUNT) continue;
        const double *w = sos_model_weights(m) + sos_model_group_offset(m, g);
        for (size_t k = 0; k < S3SVM_SEGMENT_SHARES; k++) {
            x[lines][k] = 100 * group->shares[k];
            y[lines][k] = k ? w[k - 1] : 0;
        }
        series[lines] = (s3svm_series){
            .name = group->name, .count = S3SVM_SEGMENT_SHARES, .x = x[lines], .y = y[lines], .style = (int)lines + 1
        };
        lines++;
    }
    if (!lines) return;
    snprintf(title, sizeof title, "What regions cost: %s", s3svm_contender_names[contender]);
    s3svm_report_chart(
        page,
        &(s3svm_chart){ .title = title,
                        .note = "Cost per pixel. Constrained to be concave: a region that is all object or all background is "
                                "cheaper than a mixed one.",
                        .x = { .name = "share of object, %" },
                        .y = { .name = "cost" },
                        .count = lines,
                        .series = series });
}

/* ---------------------------------------------------------------- the paper's features */

static uint8_t byte_of(double x) { return x > 0 ? (uint8_t)(x < 255 ? x + 0.5 : 255) : 0; }

/* Red for the object, blue for background, white between. */
static void heat_colour(double share, uint8_t out[3])
{
    static const double object[3] = { 190, 30, 45 }, background[3] = { 30, 80, 185 };
    const double *to = share > 0 ? object : background, strength = fmin(1, fabs(share));
    for (size_t c = 0; c < 3; c++) out[c] = byte_of(250 + strength * (to[c] - 250));
}

static void distances_show(s3svm_report *page, const sos_model *m)
{
    double most = 0;
    s3svm_image picture;
    if (page->status) return;
    s3svm_report_fail(page, s3svm_image_create(S3SVM_SEGMENT_BINS, S3SVM_SEGMENT_BINS, 3, &picture, page->error));
    if (page->status) return;
    for (size_t i = 0; i < s3svm_image_size(&picture); i++) most = fmax(most, fabs(vote(m, S3SVM_SEGMENT_DISTANCES, i)));
    for (size_t i = 0; i < s3svm_image_size(&picture); i++)
        heat_colour(most > 0 ? vote(m, S3SVM_SEGMENT_DISTANCES, i) / most : 0, picture.pixels + 3 * i);
    s3svm_report_picture(page, &picture, "full colour: ± %.2f", most);
    s3svm_image_free(&picture);
}

static void edges_text(const float edges[S3SVM_SEGMENT_EDGES], char text[160])
{
    size_t length = 0;
    for (size_t i = 0; i < S3SVM_SEGMENT_EDGES && length < 140; i++)
        length += (size_t)snprintf(text + length, 160 - length, "%s%g", i ? ", " : "", (double)edges[i]);
}

static void distances(s3svm_report *page, const s3svm_segment_results *r)
{
    static const size_t paper[] = { S3SVM_CONTENDER_AMN, S3SVM_CONTENDER_S3SVM };
    const char *heads[4] = { "", "", "", "" };
    s3svm_segment_parts *parts = NULL;
    char edges[2][160];
    size_t columns = 0;
    for (size_t k = 0; k < 2; k++)
        if (r->models[paper[k]]) heads[columns++] = s3svm_contender_names[paper[k]];
    if (page->status || !columns) return;
    s3svm_report_fail(
        page, s3svm_segment_parts_read(r->models[paper[0]] ? r->models[paper[0]] : r->models[paper[1]], &parts, page->error));
    if (page->status) return;
    for (size_t k = 0; k < 2; k++) edges_text(parts->edges[k], edges[k]);
    s3svm_segment_parts_free(parts);
    s3svm_report_text(page,
                      "The paper's distance features have a weight for each pair of distances. From top to bottom the "
                      "distance from the nearest object scribble grows: rows end at %s pixels. From left to right the "
                      "distance from the nearest background scribble grows: columns end at %s. Red favours the object, "
                      "blue the background.",
                      edges[0], edges[1]);
    s3svm_report_pictures(page, "Weights of distances", 4, heads);
    s3svm_report_picture_row(page, NULL);
    for (size_t k = 0; k < 2; k++)
        if (r->models[paper[k]]) distances_show(page, r->models[paper[k]]);
}

/* What a colour's occurrence under scribbles says, over the clusters. */
static void patches_bars(s3svm_report *page, const s3svm_segment_results *r)
{
    static const char *const names[S3SVM_SEGMENT_STATES] = { "under no scribble", "under object only", "under background only",
                                                             "under both" };
    const size_t shown = r->models[S3SVM_CONTENDER_S3SVM] ? S3SVM_CONTENDER_S3SVM : S3SVM_CONTENDER_AMN;
    const sos_model *m = r->models[shown];
    double means[S3SVM_SEGMENT_STATES], deviations[S3SVM_SEGMENT_STATES], votes[CLUSTERS];
    char title[120];
    if (!m) return;
    for (size_t state = 0; state < S3SVM_SEGMENT_STATES; state++) {
        for (size_t k = 0; k < CLUSTERS; k++) votes[k] = vote(m, S3SVM_SEGMENT_PATCHES, k * S3SVM_SEGMENT_STATES + state);
        means[state] = s3svm_mean(CLUSTERS, votes);
        deviations[state] = s3svm_deviation(CLUSTERS, votes);
    }
    snprintf(title, sizeof title, "Colour clusters: %s", s3svm_contender_names[shown]);
    s3svm_report_bars(
        page,
        &(s3svm_bars){ .title = title,
                       .note = "Weights of a pixel's cluster of 3x3 colours, by where else in the image the cluster occurs: "
                               "mean and standard deviation over the 50 clusters. Values to the right favour the object.",
                       .axis = "background less object, cost",
                       .count = S3SVM_SEGMENT_STATES,
                       .names = names,
                       .values = means,
                       .spreads = deviations });
}

/* ---------------------------------------------------------------- tables */

/* A cluster of 2x2 patches. */
typedef struct cluster {
    size_t number, count; /* count: of patches that belong to it */
    uint8_t colours[4][3];
    double across, down; /* how much darker it is left than right, above than below */
} cluster;

static int frequent_first(const void *a, const void *b)
{
    const cluster *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Colours with twice these differences, around grey; gradient has, for each channel, x0 - x1, x0 - x2, x0 - x3 and x1 - x2. */
static void cluster_fill(const float gradient[S3SVM_SEGMENT_GRADIENT], cluster *out)
{
    for (size_t c = 0; c < 3; c++) {
        const float *g = gradient + 4 * c;
        const double x[4] = { 0, -(double)g[0], -(double)g[1], -(double)g[2] }, mean = (x[0] + x[1] + x[2] + x[3]) / 4;
        for (size_t b = 0; b < 4; b++) out->colours[b][c] = byte_of(127.5 + 2 * (x[b] - mean));
        out->across += (x[1] + x[3] - x[0] - x[2]) / 6;
        out->down += (x[2] + x[3] - x[0] - x[1]) / 6;
    }
}

/* How often the clusters occur in the test pictures that are shown first. */
static sos_status clusters_count(const s3svm_segment_results *r, const float centres[], cluster clusters[], sos_error *error)
{
    enum { PICTURES = 8 };
    const size_t *test = s3svm_segment_order(r, 0) + r->train + r->validation;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < r->test && i < PICTURES && !status; i++) {
        const s3svm_image *p = &r->pictures[test[i]].photograph;
        if (p->width < 2 || p->height < 2) continue;
        const size_t n = (p->width - 1) * (p->height - 1);
        float *rows = malloc(n * S3SVM_SEGMENT_GRADIENT * sizeof *rows);
        uint32_t *nearest = malloc(n * sizeof *nearest);
        if (!rows || !nearest) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for patches");
        if (!status) s3svm_segment_gradients(p, rows);
        if (!status)
            status = s3svm_kmeans_assign(n, S3SVM_SEGMENT_GRADIENT, rows, CLUSTERS, centres, r->plan.threads, nearest, NULL,
                                         error);
        for (size_t j = 0; j < n && !status; j++) clusters[nearest[j]].count++;
        free(rows);
        free(nearest);
    }
    return status;
}

/* "3: 6.6 % ↑", on one line: the arrow points to where it is darker. */
static void cluster_name(const cluster *c, size_t rank, double all, char text[NAME_ROOM])
{
    static const char *const arrows[] = { "←", "↖", "↑", "↗", "→", "↘", "↓", "↙" };
    const double share = all > 0 ? 100 * (double)c->count / all : 0, eighth = atan2(1, 1);
    const int side = (int)lrint(atan2(c->down, c->across) / eighth) & 7;
    snprintf(text, NAME_ROOM, "%zu:\u00a0%.1f\u00a0%%\u00a0%s", rank + 1, share,
             hypot(c->across, c->down) < EVEN ? "·" : arrows[side]);
}

/* The means of all clusters, 10 in a row, with lines between them. */
static void clusters_draw(s3svm_report *page, const cluster clusters[CLUSTERS])
{
    enum { COLUMNS = 10, ROWS = CLUSTERS / COLUMNS, TILE = 32, GAP = 6, STEP = TILE + GAP };
    static const char *const heads[] = { "", "" };
    s3svm_image picture;
    if (page->status) return;
    s3svm_report_fail(page, s3svm_image_create(STEP * COLUMNS - GAP, STEP * ROWS - GAP, 3, &picture, page->error));
    if (page->status) return;
    for (size_t i = 0; i < s3svm_image_size(&picture); i++) {
        const size_t x = i % picture.width, y = i / picture.width, u = x % STEP, v = y % STEP;
        const cluster *c = &clusters[y / STEP * COLUMNS + x / STEP];
        if (u < TILE && v < TILE)
            memcpy(picture.pixels + 3 * i, c->colours[v / (TILE / 2) * 2 + u / (TILE / 2)], 3);
        else
            memset(picture.pixels + 3 * i, 255, 3);
    }
    s3svm_report_pictures(page, "Clusters of 2x2 patches", 2, heads);
    s3svm_report_picture_row(page, "1 to 10, 11 to 20, ...");
    s3svm_report_picture(page, &picture, "differences of colours, doubled, around grey");
    s3svm_image_free(&picture);
}

/* Rows of costs of the most frequent clusters, the least of each being 0. */
static void tables_draw(s3svm_report *page, const s3svm_segment_results *r, size_t contender, uint32_t first,
                        const cluster clusters[CLUSTERS])
{
    double costs[SHOWN][ENTRIES], all = 0, most = 0;
    char texts[SHOWN][NAME_ROOM], caption[200];
    const char *names[SHOWN];
    for (size_t k = 0; k < CLUSTERS; k++) all += (double)clusters[k].count;
    for (size_t k = 0; k < SHOWN; k++) {
        double least = INFINITY;
        sos_model_table(r->models[contender], first + (uint32_t)clusters[k].number, 0, costs[k]);
        for (size_t S = 0; S < ENTRIES; S++) least = fmin(least, costs[k][S]);
        for (size_t S = 0; S < ENTRIES; S++) most = fmax(most, costs[k][S] -= least);
        cluster_name(&clusters[k], k, all, texts[k]);
        names[k] = texts[k];
    }
    const double unit = most > 0 ? pow(10, floor(log10(most)) - 1) : 1; /* numbers below 100 */
    for (size_t k = 0; k < SHOWN * ENTRIES; k++) costs[k / ENTRIES][k % ENTRIES] /= unit;
    snprintf(caption, sizeof caption,
             "Costs of the 16 labellings of a patch, in units of %g, for the %d most frequent clusters of %d; white is object",
             unit, SHOWN, CLUSTERS);
    s3svm_report_patches(
        page,
        &(s3svm_patches){ .caption = caption, .width = 2, .height = 2, .count = SHOWN, .names = names, .costs = costs[0] });
}

static void tables(s3svm_report *page, const s3svm_segment_results *r, size_t contender)
{
    s3svm_segment_parts *parts = NULL;
    if (page->status || !r->models[contender]) return;
    s3svm_report_fail(page, s3svm_segment_parts_read(r->models[contender], &parts, page->error));
    if (page->status) return;
    cluster clusters[CLUSTERS] = { 0 };
    for (size_t k = 0; k < CLUSTERS; k++) {
        clusters[k].number = k;
        cluster_fill(parts->gradients + k * S3SVM_SEGMENT_GRADIENT, &clusters[k]);
    }
    s3svm_report_fail(page, clusters_count(r, parts->gradients, clusters, page->error));
    qsort(clusters, CLUSTERS, sizeof *clusters, frequent_first);
    if (!page->status) {
        s3svm_report_subheading(page, s3svm_contender_names[contender]);
        s3svm_report_text(page, "A table of 16 costs for each cluster of gradients, the most frequent cluster first, with its "
                                "share of the patches of some test images; the arrow points to the darker side. The least cost "
                                "of each table is 0. If a labelling along the edge costs little, outlines tend to follow the "
                                "edge.");
        clusters_draw(page, clusters);
        tables_draw(page, r, contender, s3svm_segment_relations(parts), clusters);
    }
    s3svm_segment_parts_free(parts);
}

void s3svm_segment_learned(s3svm_report *page, const s3svm_segment_results *r)
{
    numbers_table(page, r);
    look_chart(page, r, S3SVM_SEGMENT_RESPONSE, "What the networks say of a pixel", "response, log odds of object");
    look_chart(page, r, S3SVM_SEGMENT_RATIO, "What GrabCut's mixtures say of a pixel", "log ratio of densities");
    regions_chart(page, r, S3SVM_CONTENDER_COUNTS);
    regions_chart(page, r, S3SVM_CONTENDER_COUNTS_FULL);
    distances(page, r);
    patches_bars(page, r);
    tables(page, r, S3SVM_CONTENDER_S3SVM);
    tables(page, r, S3SVM_CONTENDER_FULL);
}
