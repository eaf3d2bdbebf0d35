/* regions.c - large cliques that cost a concave function of the count: as lists, whose excess is pushed in bulk, and as pairs
 * with auxiliary nodes, in turns; cold, from the flow before a change, and from labels. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minimize/minimizer.h"
#include "photographs.h"

typedef struct regions_case {
    const char *name;
    size_t width, height, members, pieces; /* members of a region, changes of slope */
    bool layers;                           /* regions of three more sizes, and sets of pixels anywhere */
    bool long_one;
} regions_case;

static const regions_case REGIONS[] = {
    { "squares", 320, 240, 9, 4, false, false },
    { "squares", 320, 240, 100, 4, false, false },
    { "squares", 320, 240, 1024, 1, false, false },
    { "squares", 320, 240, 1024, 4, false, false },
    { "squares", 320, 240, 1024, 16, false, true },
    { "squares", 320, 240, 1024, 50, false, true },
    { "squares", 320, 240, 10000, 4, false, false },
    { "squares", 500, 375, 100000, 4, false, true },
    { "squares and sets", 500, 375, 1600, 4, true, false },
};

/* Highest where half of the members are ones, 40 a member. */
static void region_add(sos_energy *e, size_t k, const uint32_t member[], size_t pieces)
{
    sos_error error;
    double *place = room(pieces + 2, sizeof *place), *value = room(pieces + 2, sizeof *value);
    size_t knots = 0;
    for (size_t j = 0; j < pieces + 2; j++) {
        const double x = rint((double)(k * j) / (double)(pieces + 1)), share = x / (double)k;
        if (knots && x <= place[knots - 1]) continue;
        place[knots] = x;
        value[knots++] = (double)k * 160 * share * (1 - share);
    }
    must(sos_energy_add_pieces(e, k, member, NULL, knots, place, value, 1, &error), &error);
    free(place);
    free(value);
}

/* Squares of so many pixels; the last ones may be cut. */
static void squares_add(sos_energy *e, const regions_case *c, size_t members)
{
    const size_t side = (size_t)sqrt((double)members);
    uint32_t *member = room(side * side, sizeof *member);
    for (size_t y = 0; y < c->height; y += side)
        for (size_t x = 0; x < c->width; x += side) {
            size_t k = 0;
            for (size_t i = 0; i < side * side; i++)
                if (x + i % side < c->width && y + i / side < c->height)
                    member[k++] = (uint32_t)((y + i / side) * c->width + x + i % side);
            if (k > 1) region_add(e, k, member, c->pieces);
        }
    free(member);
}

/* 64 sets of pixels wherever they lie. */
static void sets_add(sos_energy *e, const regions_case *c, sos_random *r)
{
    enum { SETS = 64 };
    const size_t n = c->width * c->height;
    uint8_t *set = room(n, 1);
    uint32_t *member = room(n, sizeof *member);
    for (size_t i = 0; i < n; i++) set[i] = (uint8_t)sos_random_below(r, SETS);
    for (size_t s = 0; s < SETS; s++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if (set[i] == s) member[k++] = (uint32_t)i;
        region_add(e, k, member, c->pieces);
    }
    free(set);
    free(member);
}

/* Squares of 60 pixels in strong noise. */
static sos_energy *regions_build(const regions_case *c)
{
    static const double POTTS[] = { 0, 10, 10, 0 };
    sos_energy *e;
    sos_error error;
    uint32_t table;
    sos_random r = sos_random_seeded(1);
    must(sos_energy_create(c->width * c->height, &e, &error), &error);
    must(sos_energy_add_table(e, 2, POTTS, &table, &error), &error);
    must(sos_energy_add_patches(e, table, c->width, c->height, 2, 1, NULL, &error), &error);
    must(sos_energy_add_patches(e, table, c->width, c->height, 1, 2, NULL, &error), &error);
    for (size_t i = 0; i < c->width * c->height; i++) {
        const double square = (i % c->width / 60 + i / c->width / 60) % 2 ? 12 : -8;
        must(sos_energy_set_unary(e, i, 0, square + 160 * (sos_random_uniform(&r) - 0.5), &error), &error);
    }
    squares_add(e, c, c->members);
    if (c->layers) {
        squares_add(e, c, 4 * c->members);
        squares_add(e, c, 16 * c->members);
        sets_add(e, c, &r);
    }
    return e;
}

typedef struct regions_outcome {
    series cold, warm, labels, packed;
    double kept; /* bytes of the minimizer with its flow packed */
    sos_minimize_result result;
    uint8_t *found;
} regions_outcome;

static double regions_run(sos_minimizer *m, const sos_energy *e, sos_start start, regions_outcome *o)
{
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    s.start = start;
    s.work.threads = 1;
    const double began = seconds_computed();
    must(sos_minimizer_run(m, e, &s, o->found, &o->result, &error), &error);
    return seconds_computed() - began;
}

/* Every hundredth variable takes costs of the other label, or takes them back. */
static void unaries_turn(sos_energy *e)
{
    sos_error error;
    double zero, one;
    for (size_t i = 0; i < sos_energy_variables(e); i += 100) {
        sos_energy_unary(e, i, &zero, &one);
        must(sos_energy_set_unary(e, i, one, zero, &error), &error);
    }
}

/* Cold; again with one unary in a hundred changed, from the flow; back, from the labels; and both from flows that were packed.
 * The energy is as before then. */
static void regions_measure(sos_energy *e, bool pairs, regions_outcome *o)
{
    sos_error error;
    sos_minimizer *m;
    must(sos_minimizer_create(&m, &error), &error);
    sos_minimizer_pair(m, pairs);
    series_add(&o->cold, regions_run(m, e, SOS_START_COLD, o));
    unaries_turn(e);
    series_add(&o->warm, regions_run(m, e, SOS_START_FLOW, o));
    unaries_turn(e);
    series_add(&o->labels, regions_run(m, e, SOS_START_LABELS, o));
    for (int i = 0; i < 2 && !pairs; i++) {
        o->kept = (double)sos_minimizer_pack(m, e);
        unaries_turn(e);
        series_add(&o->packed, regions_run(m, e, SOS_START_FLOW, o));
    }
    sos_minimizer_free(m);
}

static void regions_row(bench *b, const char *name, const regions_case *c, sos_energy *e)
{
    const size_t n = sos_energy_variables(e);
    regions_outcome o[2] = { { .found = room(n, 1) }, { .found = room(n, 1) } };
    for (size_t run = 0; run < (b->quick ? 1 : 3); run++)
        for (int pairs = 1; pairs >= 0; pairs--) regions_measure(e, pairs, &o[pairs]);
    const bool same = o[0].result.energy == o[1].result.energy && !memcmp(o[0].found, o[1].found, n);
    b->failed = b->failed || !same;
    const double cold = series_median(&o[0].cold), before = series_median(&o[1].cold);
    report_row(&b->report, (cell[]){ { .text = name },
                                     { .number = (double)n },
                                     { .number = c ? (double)c->members : NAN },
                                     { .number = c ? (double)c->pieces : NAN },
                                     { .number = 1e3 * before },
                                     { .number = 1e3 * cold },
                                     { .number = before / cold },
                                     { .number = 1e3 * series_median(&o[1].warm) },
                                     { .number = 1e3 * series_median(&o[0].warm) },
                                     { .number = 1e3 * series_median(&o[1].labels) },
                                     { .number = 1e3 * series_median(&o[0].labels) },
                                     { .number = 1e3 * series_median(&o[0].packed) },
                                     { .number = (double)o[1].result.bytes / (double)n },
                                     { .number = (double)o[0].result.bytes / (double)n },
                                     { .number = o[0].kept / (double)n },
                                     { .text = same ? "same" : "WRONG" } });
    for (int i = 0; i < 2; i++) free(o[i].found);
    sos_energy_free(e);
}

/* Photographs, after some rounds of learning from them: early weights decide little, which is harder. */
static void regions_photographs(bench *b)
{
    static const size_t ROUNDS[] = { 8, 24 };
    for (size_t r = 0; r < (b->quick ? 0 : LENGTH(ROUNDS)); r++) {
        sos_energy *energies[PHOTOGRAPHS];
        char name[32];
        const size_t count = photographs_learn(ROUNDS[r], energies);
        snprintf(name, sizeof name, "photo, %zu rounds", ROUNDS[r]);
        for (size_t i = 0; i < count; i++) regions_row(b, name, NULL, energies[i]);
    }
}

/* Energies in files of $SOS_BENCH_ENERGIES. */
static void regions_files(bench *b, const char *folder)
{
    struct dirent **list;
    const int count = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        sos_energy *e;
        sos_error error;
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (strstr(path, ".sosb") && !sos_energy_read(path, SOS_FORMAT_AUTO, &e, &error))
            regions_row(b, list[i]->d_name, NULL, e);
        free(list[i]);
    }
    if (count >= 0) free(list);
}

void section_regions(bench *b)
{
    static const column COLUMNS[] = {
        { "kind", "kind", 16, COLUMN_TEXT },
        { "variables", "variables", 9, 0 },
        { "members", "members", 7, 0 },
        { "pieces", "pieces", 6, 0 },
        { "pairs", "pairs, cold", 11, 1 },
        { "lists", "lists, cold", 11, 1 },
        { "faster", "faster", 6, 2 },
        { "pairs_warm", "pairs, flow", 11, 1 },
        { "lists_warm", "lists, flow", 11, 1 },
        { "pairs_labels", "pairs, labels", 13, 1 },
        { "lists_labels", "lists, labels", 13, 1 },
        { "lists_packed", "lists, packed", 13, 1 },
        { "pairs_bytes", "pairs, bytes", 12, 0 },
        { "lists_bytes", "lists, bytes", 12, 0 },
        { "packed_bytes", "packed, bytes", 13, 0 },
        { "answer", "answer", 6, COLUMN_TEXT },
    };
    const char *folder = getenv("SOS_BENCH_ENERGIES");
    report_table(&b->report, "regions", "Large cliques, functions of the count (ms, one thread; bytes a variable)",
                 LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < LENGTH(REGIONS); i++)
        if (!(b->quick && REGIONS[i].long_one)) regions_row(b, REGIONS[i].name, &REGIONS[i], regions_build(&REGIONS[i]));
    regions_photographs(b);
    if (folder) regions_files(b, folder);
    report_table_end(&b->report);
}
