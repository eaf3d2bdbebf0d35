/* fuzz_train.c - any bytes as a small problem to train on, solved by the library with settings that are taken from them as
 * well, and by a program of its own that lists every labelling and every side of the cone, and climbs the dual program one
 * coordinate after the other (Hildreth, 1957).  Weights are in the cone, the objective is what all labellings say it is, and no
 * bound is above the optimum. */
#include <math.h>
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

enum {
    EXAMPLES_MAX = 3,
    VARIABLES_MAX = 4,
    LABELLINGS_MAX = 1 << VARIABLES_MAX,
    FEATURES_MAX = 2,
    MEMBERS_MAX = 3,
    KNOTS_MAX = 5,
    CLIQUES_MAX = 3,
    WEIGHTS_MAX = 2 * FEATURES_MAX + 1 + (1 << MEMBERS_MAX) + KNOTS_MAX,
    SIDES_MAX = 1 + 6 + KNOTS_MAX,
    SWEEPS = 5000 /* nine of ten problems are solved by then */
};

static const double OUTSIDE = 1e-8;

/* Of the 2^n labellings, bit i is the label of variable i. */
typedef struct example {
    size_t truth, cliques;
    double feature[VARIABLES_MAX][FEATURES_MAX], pair, count;
    uint32_t members[CLIQUES_MAX][MEMBERS_MAX];
    double phi[CLIQUES_MAX];
    double psi[LABELLINGS_MAX][WEIGHTS_MAX], loss[LABELLINGS_MAX];
} example;

/* A free group, pairs of the first two variables, a table of k members, and a function of the count of all of them. */
typedef struct problem {
    size_t n, examples, features, k, knots, weights, pairs_at, table_at, counts_at;
    bool anchored;
    double C, gap;
    example example[EXAMPLES_MAX];
    size_t sides;
    double side[SIDES_MAX][WEIGHTS_MAX]; /* of the cone: side . w >= 0 */
} problem;

static size_t labellings(const problem *p) { return (size_t)1 << p->n; }
static double number_take(fuzz_source *s) { return ((double)fuzz_byte(s) - 128) / 16; }
static double strength_take(fuzz_source *s) { return (double)fuzz_below(s, 9) / 4; }

static double dot(size_t n, const double a[], const double b[])
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* ---------------------------------------------------------------- the problem */

/* An entry of the table, or a knot, as a weight; without one where the group is anchored. */
static void weight_add(const problem *p, size_t first, size_t entry, double amount, double row[])
{
    if (p->anchored && !entry) return;
    row[first + entry - (p->anchored ? 1 : 0)] += amount;
}

/* The function of the count is linear between its knots. */
static void count_add(const problem *p, double share, double amount, double row[])
{
    const double at = share * (double)(p->knots - 1), before = fmin(floor(at), (double)(p->knots - 2));
    weight_add(p, p->counts_at, (size_t)before, amount * (1 - (at - before)), row);
    weight_add(p, p->counts_at, (size_t)before + 1, amount * (at - before), row);
}

static void psi_find(const problem *p, const example *x, size_t labels, double psi[])
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->features; j++) psi[2 * j + (labels >> i & 1)] += x->feature[i][j];
    if ((labels & 1) != (labels >> 1 & 1)) psi[p->pairs_at] += x->pair;
    for (size_t c = 0; c < x->cliques; c++) {
        size_t set = 0;
        for (size_t b = 0; b < p->k; b++) set |= (labels >> x->members[c][b] & 1) << b;
        weight_add(p, p->table_at, set, x->phi[c], psi);
    }
    count_add(p, (double)__builtin_popcountll(labels) / (double)p->n, x->count, psi);
}

static void example_take(fuzz_source *s, const problem *p, example *x)
{
    x->truth = fuzz_below(s, labellings(p));
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->features; j++) x->feature[i][j] = number_take(s);
    x->pair = strength_take(s);
    x->count = strength_take(s);
    x->cliques = fuzz_below(s, CLIQUES_MAX + 1);
    for (size_t c = 0; c < x->cliques; c++) {
        const size_t first = fuzz_below(s, p->n), step = p->n == 4 && fuzz_below(s, 2) ? 3 : 1;
        for (size_t b = 0; b < p->k; b++) x->members[c][b] = (uint32_t)((first + step * b) % p->n);
        x->phi[c] = strength_take(s);
    }
    for (size_t y = 0; y < labellings(p); y++) {
        psi_find(p, x, y, x->psi[y]);
        x->loss[y] = (double)__builtin_popcountll(y ^ x->truth) / (double)p->n;
    }
}

static void sides_list(problem *p)
{
    p->side[p->sides++][p->pairs_at] = 1;
    for (size_t set = 0; set < (size_t)1 << p->k; set++)
        for (size_t i = 0; i < p->k; i++)
            for (size_t j = i + 1; j < p->k; j++) {
                const size_t a = (size_t)1 << i, b = (size_t)1 << j;
                if (set & (a | b)) continue;
                double *row = p->side[p->sides++];
                weight_add(p, p->table_at, set | a, 1, row);
                weight_add(p, p->table_at, set | b, 1, row);
                weight_add(p, p->table_at, set | a | b, -1, row);
                weight_add(p, p->table_at, set, -1, row);
            }
    for (size_t m = 1; m + 1 < p->knots; m++) {
        double *row = p->side[p->sides++];
        weight_add(p, p->counts_at, m, 2, row);
        weight_add(p, p->counts_at, m - 1, -1, row);
        weight_add(p, p->counts_at, m + 1, -1, row);
    }
}

static void problem_take(fuzz_source *s, problem *p)
{
    static const double C[] = { 1, 10, 0.1, 100 }, GAPS[] = { 1e-3, 1e-6, 0.1, 0 };
    p->n = 2 + fuzz_below(s, VARIABLES_MAX - 1);
    p->examples = 1 + fuzz_below(s, EXAMPLES_MAX);
    p->features = 1 + fuzz_below(s, FEATURES_MAX);
    p->k = p->n > 2 ? 2 + fuzz_below(s, 2) : 2;
    p->knots = 2 + fuzz_below(s, KNOTS_MAX - 1);
    p->anchored = fuzz_below(s, 2);
    p->C = C[fuzz_below(s, 4)];
    p->gap = GAPS[fuzz_below(s, 4)];
    const size_t gone = p->anchored ? 1 : 0;
    p->pairs_at = 2 * p->features;
    p->table_at = p->pairs_at + 1;
    p->counts_at = p->table_at + ((size_t)1 << p->k) - gone;
    p->weights = p->counts_at + p->knots - gone;
    for (size_t i = 0; i < p->examples; i++) example_take(s, p, &p->example[i]);
    sides_list(p);
}

/* ---------------------------------------------------------------- by all labellings */

/* 1/2 |w|^2 + C/n sum_i max_y (Delta(y_i, y) - w . (Psi(x_i, y) - Psi(x_i, y_i))) */
static double objective(const problem *p, const double w[])
{
    double sum = 0;
    for (size_t i = 0; i < p->examples; i++) {
        const example *x = &p->example[i];
        double most = 0;
        for (size_t y = 0; y < labellings(p); y++) {
            const double slack = x->loss[y] - dot(p->weights, w, x->psi[y]) + dot(p->weights, w, x->psi[x->truth]);
            most = fmax(most, slack);
        }
        sum += most;
    }
    return dot(p->weights, w, w) / 2 + p->C * sum / (double)p->examples;
}

/* w = sum_iy alpha_iy (Psi(x_i, y) - Psi(x_i, y_i)) + sum_r beta_r side_r, with alpha and beta at least 0, and sum_y alpha_iy =
 * C/n. */
typedef struct climb {
    const problem *p;
    double w[WEIGHTS_MAX], alpha[EXAMPLES_MAX][LABELLINGS_MAX], beta[SIDES_MAX];
} climb;

static void side_step(climb *c, size_t r)
{
    const double *row = c->p->side[r], square = dot(c->p->weights, row, row);
    if (square == 0) return;
    const double step = fmax(-c->beta[r], -dot(c->p->weights, row, c->w) / square);
    c->beta[r] += step;
    for (size_t j = 0; j < c->p->weights; j++) c->w[j] += step * row[j];
}

/* How much alpha_iy would raise the dual value. */
static double slope(const climb *c, size_t i, size_t y)
{
    const example *x = &c->p->example[i];
    return x->loss[y] - dot(c->p->weights, c->w, x->psi[y]);
}

/* Moves weight from the labelling that wants it least to the one that wants it most. */
static void example_step(climb *c, size_t i)
{
    const example *x = &c->p->example[i];
    size_t up = 0, down = SIZE_MAX;
    double most = -INFINITY, least = INFINITY, square = 0;
    for (size_t y = 0; y < labellings(c->p); y++) {
        const double s = slope(c, i, y);
        if (s > most) most = s, up = y;
        if (c->alpha[i][y] > 0 && s < least) least = s, down = y;
    }
    if (down == SIZE_MAX || !(most > least)) return;
    for (size_t j = 0; j < c->p->weights; j++) square += pow(x->psi[up][j] - x->psi[down][j], 2);
    const double step = square > 0 ? fmin(c->alpha[i][down], (most - least) / square) : c->alpha[i][down];
    c->alpha[i][up] += step;
    c->alpha[i][down] -= step;
    for (size_t j = 0; j < c->p->weights; j++) c->w[j] += step * (x->psi[up][j] - x->psi[down][j]);
}

/* The dual value, which no objective is below. */
static double dual_value(const climb *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->p->examples; i++) sum += dot(labellings(c->p), c->alpha[i], c->p->example[i].loss);
    return sum - dot(c->p->weights, c->w, c->w) / 2;
}

/* Climbs until the objective of its weights is as near as asked, and they are outside the cone by so little that it makes no
 * difference; returns the dual value, and whether it is. */
static double climb_all(climb *c, double near, bool *reached)
{
    const problem *p = c->p;
    for (size_t i = 0; i < p->examples; i++) c->alpha[i][p->example[i].truth] = p->C / (double)p->examples;
    *reached = false;
    for (size_t sweep = 0; sweep < SWEEPS && !*reached; sweep++) {
        double outside = 0;
        for (size_t i = 0; i < p->examples; i++) example_step(c, i);
        for (size_t r = 0; r < p->sides; r++) side_step(c, r);
        if (sweep % 16) continue;
        for (size_t r = 0; r < p->sides; r++) outside = fmax(outside, -dot(p->weights, p->side[r], c->w));
        *reached = outside <= OUTSIDE && objective(p, c->w) - dual_value(c) <= near;
    }
    return dual_value(c);
}

/* ---------------------------------------------------------------- by the library */

static sos_model *model_make(const problem *p)
{
    static const double SHARES[KNOTS_MAX - 1][KNOTS_MAX] = {
        { 0, 1 }, { 0, 0.5, 1 }, { 0, 1.0 / 3, 2.0 / 3, 1 }, { 0, 0.25, 0.5, 0.75, 1 }
    };
    const sos_group groups[] = {
        { .name = "feature", .kind = SOS_GROUP_FREE, .size = p->features },
        { .name = "pair", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
        { .name = "table", .kind = SOS_GROUP_TABLE, .size = p->k, .anchored = p->anchored },
        { .name = "count", .kind = SOS_GROUP_COUNT, .size = p->knots, .shares = SHARES[p->knots - 2], .anchored = p->anchored },
    };
    sos_model *m = NULL;
    uint32_t number;
    fuzz_check(!sos_model_create(2, &m, NULL));
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) fuzz_check(!sos_model_add_group(m, &groups[g], &number, NULL));
    fuzz_check(sos_model_weight_count(m) == p->weights && sos_model_group_offset(m, 3) == p->counts_at);
    return m;
}

static sos_example *example_make(const problem *p, const example *x, const sos_model *m)
{
    sos_example *out = NULL;
    double values[VARIABLES_MAX * FEATURES_MAX];
    uint8_t truth[VARIABLES_MAX];
    uint32_t all[VARIABLES_MAX];
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->features; j++) values[i * p->features + j] = x->feature[i][j];
        truth[i] = x->truth >> i & 1;
        all[i] = (uint32_t)i;
    }
    fuzz_check(!sos_example_create(m, p->n, &out, NULL));
    fuzz_check(!sos_example_set_dense_features(out, 0, values, (ptrdiff_t)p->features, 1, NULL));
    fuzz_check(!sos_example_add_pairs(out, 1, 1, (uint32_t[]){ 0, 1 }, &x->pair, NULL));
    for (size_t c = 0; c < x->cliques; c++) fuzz_check(!sos_example_add_cliques(out, 2, 1, x->members[c], &x->phi[c], NULL));
    fuzz_check(!sos_example_add_counts(out, 3, 1, (size_t[]){ 0, p->n }, all, NULL, &x->count, NULL));
    fuzz_check(!sos_example_set_truth(out, truth, NULL, NULL));
    return out;
}

static sos_train_settings settings_take(fuzz_source *s, const problem *p)
{
    sos_train_settings t = sos_train_defaults();
    t.C = p->C;
    t.gap = p->gap;
    t.rounds = 500;
    t.work.threads = 1;
    t.slacks = fuzz_below(s, EXAMPLES_MAX + 1);
    t.step = fuzz_below(s, 2) ? 1 : t.step;
    t.cache = fuzz_below(s, 4);
    t.idle = fuzz_below(s, 2) ? 0 : 2 + fuzz_below(s, 8);
    t.warm = fuzz_below(s, 2);
    t.memory = fuzz_below(s, 4) ? 0 : 1;
    return t;
}

static void answer_check(const problem *p, const sos_model *m, const sos_train_result *r)
{
    const double *w = sos_model_weights(m), near = 1e-5 * (1 + p->C), tiny = 1e-9 * (1 + p->C);
    const double value = objective(p, w);
    bool reached;
    climb c = { .p = p };
    for (size_t j = 0; j < p->sides; j++) fuzz_check(dot(p->weights, p->side[j], w) >= -1e-12 * (1 + fabs(value)));
    /* Weights of cliques are rounded to 26 bits for the flow, and what that may miss is in the primal value. */
    fuzz_check(value <= r->last.primal + tiny && r->last.primal - value <= near && r->last.dual <= r->last.primal);
    if (r->outcome == SOS_TRAIN_GAP) fuzz_check(r->last.primal - r->last.dual <= p->gap * r->last.primal + tiny);
    const double bound = climb_all(&c, near, &reached);
    fuzz_check(value >= bound - near);
    if (reached) fuzz_check(r->last.dual <= bound + 3 * near);
    fuzz_accepted++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static problem p;
    fuzz_source s = { data, data + size };
    sos_example *examples[EXAMPLES_MAX];
    sos_train_result r;
    memset(&p, 0, sizeof p);
    problem_take(&s, &p);
    const sos_train_settings settings = settings_take(&s, &p);
    sos_model *m = model_make(&p);
    for (size_t i = 0; i < p.examples; i++) examples[i] = example_make(&p, &p.example[i], m);
    fuzz_check(!sos_train(m, p.examples, examples, &settings, &r, NULL));
    answer_check(&p, m, &r);
    for (size_t i = 0; i < p.examples; i++) sos_example_free(examples[i]);
    sos_model_free(m);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i < 12) *out = fuzz_noise(i, 120);
    return i < 12;
}
