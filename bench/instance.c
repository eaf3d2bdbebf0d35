/* instance.c - drawings in noise, priors on their patches, and the same from files. */
#include "instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static const double SCALE = 10000; /* costs are integers of this many to the unit, so that minima can be compared exactly */

/* Drawings. */

typedef struct drawing {
    size_t width, height, inked;
    uint8_t *ink;
} drawing;

static double between(sos_random *r, double least, double most) { return least + (most - least) * sos_random_uniform(r); }

static void pen_press(drawing *d, double x, double y, double radius)
{
    const double w = (double)d->width - 1, h = (double)d->height - 1;
    for (double v = fmax(0, ceil(y - radius)); v <= fmin(h, y + radius); v++)
        for (double u = fmax(0, ceil(x - radius)); u <= fmin(w, x + radius); u++) {
            uint8_t *pixel = &d->ink[(size_t)v * d->width + (size_t)u];
            if ((u - x) * (u - x) + (v - y) * (v - y) > radius * radius || *pixel) continue;
            *pixel = 1;
            d->inked++;
        }
}

static void draw_shape(drawing *d, sos_random *r)
{
    const bool blot = sos_random_below(r, 5) == 0, straight = sos_random_below(r, 2);
    const double length = blot ? 1 : between(r, 30, 200), radius = blot ? between(r, 10, 30) : between(r, 2, 5);
    const double turn = straight ? 0 : between(r, -6, 6) / length;
    double x = between(r, 0, (double)d->width), y = between(r, 0, (double)d->height), angle = between(r, 0, 6.2832);
    for (double s = 0; s < length; s++) {
        pen_press(d, x, y, radius);
        x += cos(angle);
        y += sin(angle);
        angle += turn;
    }
}

void draw(size_t width, size_t height, double part, sos_random *r, uint8_t ink[])
{
    drawing d = { .width = width, .height = height, .ink = ink };
    while ((double)d.inked < part * (double)(width * height)) draw_shape(&d, r);
}

/* cost of label y = |x - y| where x is what was seen. */
static void make_unaries(const recipe *r, sos_random *random, instance *p)
{
    uint8_t *ink = room(p->n, 1);
    if (r->ink != NOISE_ONLY) draw(p->width, p->height, r->ink, random, ink);
    for (size_t i = 0; i < p->n; i++) {
        const double x = r->ink == NOISE_ONLY ? fmin(1, fmax(0, 0.5 + r->sigma * sos_random_normal(random)))
                                              : ink[i] + r->sigma * sos_random_normal(random);
        p->cost0[i] = rint(SCALE * fabs(x));
        p->cost1[i] = rint(SCALE * fabs(x - 1));
    }
    free(ink);
}

/* Priors. */

static size_t ones(size_t S) { return (size_t)__builtin_popcountll(S); }

/* How many pairs of neighbours in a patch of side x side pixels differ. */
static size_t differing(size_t side, size_t S)
{
    size_t count = 0;
    for (size_t i = 0; i < side * side; i++) {
        if (i % side + 1 < side) count += (S >> i ^ S >> (i + 1)) & 1;
        if (i + side < side * side) count += (S >> i ^ S >> (i + side)) & 1;
    }
    return count;
}

void prior_potts(sos_random *r, size_t k, double strength, double f[])
{
    (void)r;
    for (size_t S = 0; S < (size_t)1 << k; S++) f[S] = S % 3 ? strength : 0;
}

void prior_square_root(sos_random *r, size_t k, double strength, double f[])
{
    (void)r;
    for (size_t S = 0; S < (size_t)1 << k; S++) f[S] = rint(strength * sqrt((double)differing(2, S)));
}

static double count_cost(size_t k, size_t m) { return sqrt((double)(m * (k - m)) / (double)(k / 2 * ((k + 1) / 2))); }

void prior_count(sos_random *r, size_t k, double strength, double f[])
{
    (void)r;
    for (size_t S = 0; S < (size_t)1 << k; S++) f[S] = rint(strength * count_cost(k, ones(S)));
}

void prior_hard(sos_random *r, size_t k, double strength, double f[])
{
    (void)r;
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        const double m = (double)ones(S), pairs = (double)differing(3, S);
        f[S] = rint(strength * (fmin(3, fmin(m, (double)k - m)) + 0.15 * pairs));
    }
}

/* f += sum over pairs i, j of w_ij [S separates them] + sum over members of a_i, with w_ij uniform in 0 ... 2 mean and a_i
 * uniform in -tilt ... tilt: submodular; integers where means are. */
static void add_random_pairs(sos_random *r, size_t k, double mean, double tilt, double f[])
{
    for (size_t i = 0; i < k; i++) {
        const double a = rint(between(r, -tilt, tilt));
        for (size_t S = 0; S < (size_t)1 << k; S++) f[S] += S >> i & 1 ? a : 0;
        for (size_t j = 0; j < i; j++) {
            const double w = rint(between(r, 0, 2 * mean));
            for (size_t S = 0; S < (size_t)1 << k; S++) f[S] += (S >> i ^ S >> j) & 1 ? w : 0;
        }
    }
}

/* What one entry may move without making any inequality f(S+i) + f(S+j) >= f(S+i+j) + f(S) fail, rounding included. */
static double count_slack(size_t k, double strength)
{
    double least = INFINITY;
    for (size_t m = 0; m + 2 <= k; m++) least = fmin(least, 2 * count_cost(k, m + 1) - count_cost(k, m) - count_cost(k, m + 2));
    return fmax(0, (strength * least - 2) / 4);
}

void prior_random(sos_random *r, size_t k, double strength, double f[])
{
    const double half = strength / 2, slack = count_slack(k, half);
    for (size_t S = 0; S < (size_t)1 << k; S++) f[S] = rint(half * count_cost(k, ones(S)) + between(r, -slack, slack));
    add_random_pairs(r, k, half / (double)(k / 2 * ((k + 1) / 2)), strength / 20, f);
}

void table_nudge(sos_random *r, size_t k, double size, double f[])
{
    add_random_pairs(r, k, size / (double)(k / 2 * ((k + 1) / 2)), size / 2, f);
}

/* Cliques. */

static void add_clique(instance *p, sos_random *r, size_t x, size_t y, size_t width, size_t height)
{
    uint32_t *members = p->variables + p->cliques * p->k;
    for (size_t b = 0; b < width * height; b++) members[b] = (uint32_t)((y + b / width) * p->width + x + b % width);
    p->table_of[p->cliques++] = p->tables > 1 ? (uint32_t)sos_random_below(r, p->tables) : 0;
}

static void make_cliques(const recipe *r, sos_random *random, instance *p)
{
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            if (r->side == 1) {
                if (x + 1 < p->width) add_clique(p, random, x, y, 2, 1);
                if (y + 1 < p->height) add_clique(p, random, x, y, 1, 2);
            } else if (x + r->side <= p->width && y + r->side <= p->height) {
                add_clique(p, random, x, y, r->side, r->side);
            }
        }
}

static instance instance_room(const recipe *r, size_t n, size_t k, size_t tables, size_t cliques)
{
    instance p = { .name = r->name, .width = r->width, .height = r->height, .n = n, .k = k, .tables = tables };
    p.cost0 = room(n, sizeof *p.cost0);
    p.cost1 = room(n, sizeof *p.cost1);
    p.f = room(tables << k, sizeof *p.f);
    p.variables = room(cliques * k, sizeof *p.variables);
    p.table_of = room(cliques, sizeof *p.table_of);
    p.optimum = NAN;
    return p;
}

instance instance_generate(const recipe *r, uint64_t seed)
{
    sos_random random = sos_random_seeded(seed);
    const size_t n = r->width * r->height, k = r->side == 1 ? 2 : r->side * r->side;
    instance p = instance_room(r, n, k, r->tables, r->side == 1 ? 2 * n : n);
    p.source = "generated";
    make_unaries(r, &random, &p);
    for (size_t t = 0; t < r->tables; t++) r->prior(&random, k, r->strength, p.f + (t << k));
    make_cliques(r, &random, &p);
    return p;
}

/* Files. */

/* The number in the first line, "# ... optimal energy 1234". */
static double optimum_of(const char *path)
{
    static const char WORDS[] = "optimal energy ";
    char line[512] = "";
    FILE *file = fopen(path, "r");
    const char *found = file && fgets(line, sizeof line, file) ? strstr(line, WORDS) : NULL;
    if (file) fclose(file);
    return found ? strtod(found + strlen(WORDS), NULL) : NAN;
}

static instance instance_copy(const recipe *r, const sos_energy *e)
{
    size_t k;
    const size_t n = sos_energy_variables(e), cliques = sos_energy_cliques(e);
    (void)sos_energy_table(e, 0, &k);
    instance p = instance_room(r, n, k, sos_energy_tables(e), cliques);
    for (size_t i = 0; i < n; i++) sos_energy_unary(e, i, &p.cost0[i], &p.cost1[i]);
    for (uint32_t t = 0; t < p.tables; t++) memcpy(p.f + ((size_t)t << k), sos_energy_table(e, t, &k), sizeof(double) << k);
    for (; p.cliques < cliques; p.cliques++) {
        const sos_clique c = sos_energy_clique(e, p.cliques);
        memcpy(p.variables + p.cliques * k, c.variables, k * sizeof *c.variables);
        p.table_of[p.cliques] = c.table;
    }
    return p;
}

instance instance_get(const recipe *r)
{
    char path[4096];
    const char *shared = getenv("SOS_SHARED_DIR");
    sos_energy *e = NULL;
    sos_error error;
    if (!shared || !*shared) return instance_generate(r, 1);
    snprintf(path, sizeof path, "%s/instances/%s.sos", shared, r->name);
    const sos_status status = sos_energy_read(path, SOS_FORMAT_SOS, &e, &error);
    if (status == SOS_ERR_IO) return instance_generate(r, 1);
    must(status, &error);
    instance p = instance_copy(r, e);
    p.source = "file";
    p.optimum = optimum_of(path);
    sos_energy_free(e);
    return p;
}

void instance_free(instance *p)
{
    free(p->cost0);
    free(p->cost1);
    free(p->f);
    free(p->variables);
    free(p->table_of);
}

sos_energy *instance_build(const instance *p)
{
    sos_energy *e = NULL;
    sos_error error;
    uint32_t number;
    must(sos_energy_create(p->n, &e, &error), &error);
    must(sos_energy_set_unaries(e, p->cost0, p->cost1, &error), &error);
    for (size_t t = 0; t < p->tables; t++) must(sos_energy_add_table(e, p->k, instance_table(p, t), &number, &error), &error);
    if (p->tables == 1)
        must(sos_energy_add_cliques(e, 0, p->cliques, p->variables, NULL, &error), &error);
    else
        must(sos_energy_add_listed(e, p->cliques, p->table_of, p->variables, NULL, &error), &error);
    return e;
}

void instance_restore(const instance *p, sos_energy *e)
{
    sos_error error;
    must(sos_energy_set_unaries(e, p->cost0, p->cost1, &error), &error);
    for (uint32_t t = 0; t < p->tables; t++) must(sos_energy_set_table(e, t, instance_table(p, t), &error), &error);
}
