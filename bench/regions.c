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
#include "squares.h"

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
