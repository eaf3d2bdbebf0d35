/* bench.h - what the sections of the benchmark share: the instances, one run of ours, the peer. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/sos.h>

#include "instance.h"
#include "maxflow_peer.h"
#include "measure.h"
#include "report.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The instances, and what they may take.  The first is the one libmaxflow runs on. */
enum { PAIR4, GC, RAND50, GC_L12, CARD9, RAND9, HARD9, PURENOISE, EASY, RECIPES_END };
extern const recipe RECIPES[RECIPES_END];

/* Kinds of images that are generated in several sizes. */
enum { SIZES_END = 4, KINDS_END = 4 };

typedef struct image_size {
    const char *name;
    size_t width, height, runs;
} image_size;

typedef struct kind {
    const char *name;
    size_t recipe, sizes; /* the first so many of SIZES; no more than those of the kind before */
} kind;

extern const image_size SIZES[SIZES_END];
extern const kind KINDS[KINDS_END];
recipe kind_recipe(const kind *k, const image_size *size);

typedef struct bench {
    report report;
    bool quick;
    bool failed;                     /* an answer was wrong */
    const char *plot;                /* where the plot goes, or NULL */
    instance instances[RECIPES_END]; /* of RECIPES, got when first asked for */
} bench;

instance *bench_instance(bench *b, size_t number);

/* One run of ours: an energy from arrays to labels, and everything freed again. */
typedef struct outcome {
    double seconds;
    double bytes; /* of the energy and the minimizer */
    sos_minimize_result result;
} outcome;

outcome solve(const instance *p, const sos_minimize_settings *settings);

/* Is the answer proven, and the one that is known?  If not, the benchmark has failed. */
const char *verdict(bench *b, const instance *p, const sos_minimize_result *r);

/* "ok", "over", or "-" where there is nothing to compare with; NAN: no such figure or limit. */
const char *within(double ratio, double limit, double bytes, double bytes_limit);

/* The peer, on an instance of pairs. */
typedef struct peer {
    maxflow_problem problem;
    int *cost0, *cost1, *ends;
} peer;

peer peer_of(const instance *pairs);
void peer_free(peer *p);
double peer_seconds(const peer *p, double *flow);

/* The sections: each prints its tables. */
void section_bars(bench *b);
void section_growth(bench *b);
void section_large(bench *b);
void section_warm(bench *b);
void section_reduce(bench *b);
void section_batch(bench *b);
void section_hinge(bench *b);
void section_memory(bench *b);
void section_counts(bench *b);
void section_regions(bench *b);
void section_strokes(bench *b);
void section_learn(bench *b);
void section_path(bench *b);
void section_tuning(bench *b);
void section_cluster(bench *b);

#endif
