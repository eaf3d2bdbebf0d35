/* bench.c - the instances and single runs. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

const recipe RECIPES[RECIPES_END] = {
    /* name, size, part inked, noise, side of the patches, prior and its strength, tables, at most: ratio, bytes per pixel */
    { "pair4_400x200_s05", 400, 200, 0.19, 0.5, 1, prior_potts, 5000, 1, 1.0, NAN },
    { "gc_400x200_s05", 400, 200, 0.19, 0.5, 2, prior_square_root, 5000, 1, 1.5, 160 },
    { "rand50_400x200_s05", 400, 200, 0.19, 0.5, 2, prior_random, 6000, 50, 1.5, 160 },
    { "gc_400x200_s08_l12", 400, 200, 0.19, 0.8, 2, prior_square_root, 12000, 1, 6, 160 },
    { "card9_200x100_s05", 200, 100, 0.19, 0.5, 3, prior_count, 2000, 1, 4, 250 },
    { "rand9_200x100_s05", 200, 100, 0.19, 0.5, 3, prior_random, 2250, 50, 4, 250 },
    { "hard9_200x100", 200, 100, 0.08, 1.0, 3, prior_hard, 2000, 1, 12, 250 },
    { "purenoise_400x200_l020", 400, 200, NOISE_ONLY, 0.3, 2, prior_square_root, 2000, 1, NAN, 160 },
    { "easy_400x200_s02", 400, 200, 0.19, 0.2, 2, prior_square_root, 1000, 1, NAN, 160 },
};

const image_size SIZES[SIZES_END] = {
    { "400x200", 400, 200, 21 }, { "800x400", 800, 400, 9 }, { "1600x800", 1600, 800, 7 }, { "3200x1600", 3200, 1600, 5 }
};

const kind KINDS[KINDS_END] = { { "pairs", PAIR4, 4 }, { "2x2", GC, 4 }, { "3x3 count", CARD9, 3 }, { "3x3 hard", HARD9, 3 } };

recipe kind_recipe(const kind *k, const image_size *size)
{
    recipe out = RECIPES[k->recipe];
    out.width = size->width;
    out.height = size->height;
    return out;
}

instance *bench_instance(bench *b, size_t number)
{
    instance *p = &b->instances[number];
    if (!p->name) *p = instance_get(&RECIPES[number]);
    return p;
}

outcome solve(const instance *p, const sos_minimize_settings *settings)
{
    outcome o;
    sos_error error;
    uint8_t *labels = room(p->n, 1);
    const double start = seconds_computed();
    sos_energy *e = instance_build(p);
    sos_minimize_settings one = settings ? *settings : sos_minimize_defaults();
    one.work.threads = 1; /* whose time is taken */
    must(sos_minimize(e, &one, labels, &o.result, &error), &error);
    o.bytes = (double)(sos_energy_bytes(e) + o.result.bytes);
    sos_energy_free(e);
    o.seconds = seconds_computed() - start;
    free(labels);
    return o;
}

const char *verdict(bench *b, const instance *p, const sos_minimize_result *r)
{
    const bool proven = r->energy == r->lower_bound && r->rounding == 0;
    if (proven && r->energy == p->optimum) return "optimum";
    if (proven && isnan(p->optimum)) return "proven";
    b->failed = true;
    return "WRONG";
}

const char *within(double ratio, double limit, double bytes, double bytes_limit)
{
    if (isnan(limit) && isnan(bytes_limit)) return "-";
    if (ratio > limit || bytes > bytes_limit) return "over";
    return isnan(ratio) && !isnan(limit) ? "-" : "ok"; /* without the peer nobody knows */
}

static int *integers(size_t count, const double x[])
{
    int *out = room(count, sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = (int)x[i];
    return out;
}

peer peer_of(const instance *pairs)
{
    peer p = { .cost0 = integers(pairs->n, pairs->cost0), .cost1 = integers(pairs->n, pairs->cost1) };
    p.ends = room(2 * pairs->cliques, sizeof *p.ends);
    for (size_t i = 0; i < 2 * pairs->cliques; i++) p.ends[i] = (int)pairs->variables[i];
    p.problem = (maxflow_problem){ (int)pairs->n, (int)pairs->cliques, p.cost0,         p.cost1,
                                   p.ends,        (int)pairs->f[1],    (int)pairs->f[2] };
    return p;
}

void peer_free(peer *p)
{
    free(p->cost0);
    free(p->cost1);
    free(p->ends);
}

double peer_seconds(const peer *p, double *flow)
{
    const double start = seconds_computed();
    *flow = (double)maxflow_peer_solve(&p->problem);
    return seconds_computed() - start;
}
