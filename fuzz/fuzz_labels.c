/* fuzz_labels.c - any bytes as a small energy of several labels, by expansion moves and by relaxation, and by trying all
 * labellings in integers.  Values are those of the definition, no bound is above the minimum, what is called exact is the
 * minimum, and the factor holds. */
#include <math.h>
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

enum { VARIABLES_MAX = 5, LABELS_MAX = 4, PAIRS_MAX = 6 };

/* Costs are integers, so that all sums of doubles are exact. */
typedef struct pair {
    uint32_t i, j;
    long cost[LABELS_MAX][LABELS_MAX], weight;
} pair;

typedef struct instance {
    size_t n, labels, pairs;
    long unary[VARIABLES_MAX][LABELS_MAX];
    pair pair[PAIRS_MAX];
} instance;

/* ---------------------------------------------------------------- instances */

/* A table f_l for each label over [y_i = l], [y_j = l], as sosmulti has them: their sum is the cost of a pair. */
static void pair_take(fuzz_source *s, const instance *p, pair *out, double tables[])
{
    out->i = (uint32_t)fuzz_below(s, p->n);
    out->j = (uint32_t)((out->i + 1 + fuzz_below(s, p->n - 1)) % p->n);
    out->weight = (long)fuzz_below(s, 4);
    long f[LABELS_MAX][4];
    for (size_t l = 0; l < p->labels; l++) {
        const long a = (long)fuzz_below(s, 9), b = (long)fuzz_below(s, 9), both = (long)fuzz_below(s, 9);
        f[l][0] = 0;
        f[l][1] = a;
        f[l][2] = b;
        f[l][3] = both < a + b ? both : a + b;
        for (size_t set = 0; set < 4; set++) tables[4 * l + set] = (double)f[l][set];
    }
    for (size_t a = 0; a < p->labels; a++)
        for (size_t b = 0; b < p->labels; b++) {
            out->cost[a][b] = 0;
            for (size_t l = 0; l < p->labels; l++) out->cost[a][b] += f[l][(a == l ? 1 : 0) + (b == l ? 2 : 0)];
        }
}

static sos_multi_energy *instance_make(fuzz_source *s, instance *p)
{
    sos_multi_energy *e = NULL;
    double costs[VARIABLES_MAX * LABELS_MAX], tables[4 * LABELS_MAX];
    p->n = 2 + fuzz_below(s, VARIABLES_MAX - 1);
    p->labels = 2 + fuzz_below(s, LABELS_MAX - 1);
    fuzz_check(!sos_multi_energy_create(p->n, p->labels, &e, NULL));
    for (size_t i = 0; i < p->n; i++)
        for (size_t l = 0; l < p->labels; l++) costs[i * p->labels + l] = (double)(p->unary[i][l] = (long)fuzz_byte(s) % 32);
    fuzz_check(!sos_multi_energy_set_unaries(e, costs, NULL));
    for (p->pairs = 0; p->pairs < PAIRS_MAX && fuzz_byte(s) % 4; p->pairs++) {
        pair *q = &p->pair[p->pairs];
        uint32_t set;
        pair_take(s, p, q, tables);
        const uint32_t members[] = { q->i, q->j };
        const double weight = (double)q->weight;
        fuzz_check(!sos_multi_energy_add_tables(e, 2, tables, &set, NULL));
        fuzz_check(!sos_multi_energy_add_cliques(e, set, 1, members, &weight, NULL));
    }
    return e;
}

static long value_of(const instance *p, const uint8_t y[])
{
    long sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += p->unary[i][y[i]];
    for (size_t k = 0; k < p->pairs; k++) sum += p->pair[k].weight * p->pair[k].cost[y[p->pair[k].i]][y[p->pair[k].j]];
    return sum;
}

static long least_of(const instance *p)
{
    uint8_t y[VARIABLES_MAX] = { 0 };
    long least = value_of(p, y);
    for (size_t i = 0; i < p->n;) {
        const long value = value_of(p, y);
        if (value < least) least = value;
        for (i = 0; i < p->n && ++y[i] == p->labels; i++) y[i] = 0;
    }
    return least;
}

/* ---------------------------------------------------------------- against the library */

static void labels_check(const instance *p, long least, const uint8_t y[], double energy, double bound, bool exact)
{
    for (size_t i = 0; i < p->n; i++) fuzz_check(y[i] < p->labels);
    const long value = value_of(p, y);
    fuzz_check(energy >= (double)value && energy <= (double)value);
    fuzz_check(bound <= (double)least + 1e-9 * fabs((double)least));
    if (exact) fuzz_check(value == least);
}

static void expand(const instance *p, long least, const sos_multi_energy *e, sos_expander *x, bool reduce, bool shuffle)
{
    uint8_t y[VARIABLES_MAX];
    sos_expand_settings s = sos_expand_defaults();
    sos_expand_result r;
    s.reduce = reduce;
    s.shuffle = shuffle;
    fuzz_check(!sos_expander_run(x, e, &s, y, &r, NULL));
    labels_check(p, least, y, r.energy, r.lower_bound, r.exact);
    if (r.converged && isfinite(r.factor))
        fuzz_check(r.energy - r.lower_bound <= r.factor * ((double)least - r.lower_bound) + 1e-6);
    if (p->labels == 2) fuzz_check(r.exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static instance p;
    fuzz_source s = { data, data + size };
    uint8_t y[VARIABLES_MAX];
    sos_expander *x = NULL;
    sos_relax_result r;
    const sos_relax_settings settings = { .rounds = 20, .work.threads = 1 };
    memset(&p, 0, sizeof p);
    sos_multi_energy *e = instance_make(&s, &p);
    const long least = least_of(&p);
    fuzz_accepted++;
    fuzz_check(!sos_expander_create(&x, NULL));
    for (int way = 0; way < 4; way++) expand(&p, least, e, x, way & 1, way & 2);
    fuzz_check(!sos_expand(e, NULL, y, NULL, NULL) && !sos_relax(e, &settings, y, &r, NULL));
    labels_check(&p, least, y, r.energy, r.lower_bound, r.exact);
    sos_expander_free(x);
    sos_multi_energy_free(e);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i < 6) *out = fuzz_noise(i, 160);
    return i < 6;
}
