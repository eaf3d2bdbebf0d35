/* fuzz_minimize.c - any bytes as a small energy, minimised in every way that there is, and by trying all labels in integers of
 * 128 bits.  The minimum is the same, labels are the smallest or the largest that attain it, bounds hold; and a table is taken
 * if and only if it is submodular. */
#include <math.h>
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

enum {
    VARIABLES_MAX = 9,
    CLIQUES_MAX = 8,
    MEMBERS_MAX = 4,
    PLACES = 40 /* costs are multiples of 2^-PLACES, and below 2^40; weights are small integers */
};

__extension__ typedef __int128 exact; /* in units of 2^-PLACES */

/* A double, and the same exactly. */
typedef struct cost {
    double value;
    exact units;
} cost;

static cost cost_of(double value) { return (cost){ value, (exact)ldexp(value, PLACES) }; }

typedef struct clique {
    size_t k;
    uint32_t members[VARIABLES_MAX];
    bool by_count; /* f is a function of how many members are 1, k + 1 costs; else of which, 2^k */
    cost f[1 << MEMBERS_MAX];
    int weight;
} clique;

typedef struct instance {
    size_t n, cliques;
    cost constant, unary[VARIABLES_MAX][2];
    uint8_t fixed[VARIABLES_MAX];
    clique clique[CLIQUES_MAX];
} instance;

/* Mostly small integers; some are large, some have binary places, so that sums of doubles are rounded. */
static cost cost_take(fuzz_source *s, bool whole)
{
    const unsigned kind = fuzz_byte(s) % 8;
    int m = (int)fuzz_byte(s) - 128;
    if (kind > 4) m = m * 256 + (int)fuzz_byte(s);
    const int shift = (kind > 6 ? 20 : 0) - (whole ? 0 : (int)fuzz_below(s, PLACES + 1));
    return cost_of(ldexp(m, shift));
}

/* ---------------------------------------------------------------- what is submodular */

/* By how much it is not. */
static exact table_violation(size_t k, const cost f[])
{
    exact worst = 0;
    for (size_t s = 0; s < (size_t)1 << k; s++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = i + 1; j < k; j++) {
                const size_t a = (size_t)1 << i, b = (size_t)1 << j;
                const exact amount = s & (a | b) ? 0 : f[s].units + f[s | a | b].units - f[s | a].units - f[s | b].units;
                if (amount > worst) worst = amount;
            }
    return worst;
}

static exact counts_violation(size_t k, const cost g[])
{
    exact worst = 0;
    for (size_t m = 1; m < k; m++) {
        const exact amount = g[m - 1].units + g[m + 1].units - 2 * g[m].units;
        if (amount > worst) worst = amount;
    }
    return worst;
}

/* A clique is taken if it is submodular but for the rounding of its caller's arithmetic (energy.h). */
static bool clique_fits(const clique *c)
{
    double largest = 0;
    for (size_t i = 0; i < (c->by_count ? c->k + 1 : (size_t)1 << c->k); i++) largest = fmax(largest, fabs(c->f[i].value));
    const exact violation = c->by_count ? counts_violation(c->k, c->f) : table_violation(c->k, c->f);
    return violation <= (exact)ldexp(largest, PLACES + 4 - 52);
}

/* Costs of sets that are hit, so that submodular tables of many members are not left to chance. */
static void table_cover(fuzz_source *s, bool whole, size_t k, cost f[])
{
    for (size_t part = fuzz_below(s, 4); part; part--) {
        const size_t hit = fuzz_below(s, (size_t)1 << k), all = fuzz_below(s, 2);
        const double c = fabs(cost_take(s, whole).value);
        for (size_t set = 0; set < (size_t)1 << k; set++)
            if (all ? (set & hit) != hit : (set & hit) != 0) f[set] = cost_of(f[set].value + c);
    }
}

/* ---------------------------------------------------------------- instances */

static void members_take(fuzz_source *s, size_t n, clique *c)
{
    uint32_t all[VARIABLES_MAX];
    for (uint32_t i = 0; i < n; i++) all[i] = i;
    for (size_t i = 0; i < c->k; i++) {
        const size_t other = i + fuzz_below(s, n - i);
        const uint32_t kept = all[i];
        c->members[i] = all[other];
        all[other] = kept;
    }
}

static void clique_take(fuzz_source *s, bool whole, size_t n, clique *c)
{
    const unsigned kind = fuzz_byte(s) % 4;
    c->by_count = kind == 3;
    c->k = 1 + fuzz_below(s, c->by_count || n < MEMBERS_MAX ? n : MEMBERS_MAX);
    members_take(s, n, c);
    const size_t entries = c->by_count ? c->k + 1 : (size_t)1 << c->k;
    if (kind == 1)
        table_cover(s, whole, c->k, c->f);
    else
        for (size_t i = 0; i < entries; i++) c->f[i] = cost_take(s, whole);
    c->weight = fuzz_byte(s) % 2 ? 1 : (int)fuzz_byte(s) % 5;
}

static void instance_take(fuzz_source *s, instance *p)
{
    const bool whole = fuzz_byte(s) % 2;
    p->n = 1 + fuzz_below(s, VARIABLES_MAX);
    p->constant = cost_take(s, whole);
    for (size_t i = 0; i < p->n; i++) {
        for (size_t l = 0; l < 2; l++) p->unary[i][l] = cost_take(s, whole);
        const unsigned fixed = fuzz_byte(s);
        p->fixed[i] = fixed < 8 ? 0 : fixed < 16 ? 1 : SOS_FREE;
    }
    const size_t cliques = fuzz_below(s, CLIQUES_MAX + 1);
    for (p->cliques = 0; p->cliques < cliques; p->cliques++) clique_take(s, whole, p->n, &p->clique[p->cliques]);
}

static exact clique_value(const clique *c, size_t labels)
{
    size_t set = 0, count = 0;
    for (size_t i = 0; i < c->k; i++) {
        const size_t one = labels >> c->members[i] & 1;
        set |= one << i;
        count += one;
    }
    return c->weight * c->f[c->by_count ? count : set].units;
}

static exact value_of(const instance *p, size_t labels)
{
    exact sum = p->constant.units;
    for (size_t i = 0; i < p->n; i++) sum += p->unary[i][labels >> i & 1].units;
    for (size_t c = 0; c < p->cliques; c++) sum += clique_value(&p->clique[c], labels);
    return sum;
}

static bool is_allowed(const instance *p, size_t labels)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->fixed[i] != SOS_FREE && (labels >> i & 1) != p->fixed[i]) return false;
    return true;
}

/* The minimum, and the meet and the join of all labels that attain it, which attain it, too. */
typedef struct answer {
    exact least;
    size_t smallest, largest;
} answer;

static answer search(const instance *p)
{
    answer a = { 0 };
    bool found = false;
    for (size_t labels = 0; labels < (size_t)1 << p->n; labels++) {
        if (!is_allowed(p, labels)) continue;
        const exact value = value_of(p, labels);
        if (!found || value < a.least) a = (answer){ value, labels, labels };
        if (value == a.least) a.smallest &= labels, a.largest |= labels;
        found = true;
    }
    return a;
}

/* ---------------------------------------------------------------- against the library */

/* Takes away cliques that are refused, which must be those that are not submodular. */
static sos_energy *energy_make(instance *p)
{
    sos_energy *e = NULL;
    size_t kept = 0;
    fuzz_check(!sos_energy_create(p->n, &e, NULL) && !sos_energy_add_constant(e, p->constant.value, NULL));
    for (size_t i = 0; i < p->n; i++) {
        fuzz_check(!sos_energy_set_unary(e, i, p->unary[i][0].value, p->unary[i][1].value, NULL));
        if (p->fixed[i] != SOS_FREE) fuzz_check(!sos_energy_fix(e, i, p->fixed[i], NULL));
    }
    for (size_t i = 0; i < p->cliques; i++) {
        const clique *c = &p->clique[i];
        const double weight = c->weight;
        double f[1 << MEMBERS_MAX];
        uint32_t table;
        const bool fits = clique_fits(c);
        for (size_t s = 0; s < (c->by_count ? c->k + 1 : (size_t)1 << c->k); s++) f[s] = c->f[s].value;
        const sos_status status = c->by_count ? sos_energy_add_concave(e, c->k, c->members, f, weight, NULL)
                                              : sos_energy_add_table(e, c->k, f, &table, NULL);
        fuzz_check(status == (fits ? SOS_OK : SOS_ERR_NOT_SUBMODULAR));
        if (!fits) continue;
        if (!c->by_count) fuzz_check(!sos_energy_add_cliques(e, table, 1, c->members, &weight, NULL));
        if (kept != i) p->clique[kept] = *c;
        kept++;
    }
    p->cliques = kept;
    return e;
}

/* A double of the library in units, rounded up: what it says of numbers in units stays the same. */
static exact units_above(double x) { return (exact)ceil(ldexp(x, PLACES)); }

static void result_check(const instance *p, const answer *a, bool maximal, const uint8_t y[], const sos_minimize_result *r)
{
    size_t labels = 0;
    for (size_t i = 0; i < p->n; i++) {
        fuzz_check(y[i] <= 1);
        labels |= (size_t)y[i] << i;
    }
    fuzz_check(is_allowed(p, labels));
    const exact value = value_of(p, labels);
    fuzz_check(units_above(r->lower_bound) <= a->least);
    fuzz_check(value - a->least <= units_above(2 * r->rounding));
    if (r->rounding > 0) return;
    fuzz_check(value == a->least);
    fuzz_check(labels == (maximal ? a->largest : a->smallest));
}

static void run(const instance *p, const answer *a, const sos_energy *e, sos_minimizer *m, const sos_minimize_settings *s)
{
    uint8_t y[VARIABLES_MAX];
    sos_minimize_result r;
    for (size_t i = 0; i < p->n; i++) y[i] = i & 1; /* a guess, where one is asked for */
    fuzz_check(!sos_minimizer_run(m, e, s, y, &r, NULL));
    result_check(p, a, s->maximal, y, &r);
}

/* Other unaries, so that a flow is there to start from. */
static void unaries_change(fuzz_source *s, instance *p, sos_energy *e)
{
    for (size_t i = 0; i < p->n; i += 2) {
        p->unary[i][1] = cost_take(s, true);
        fuzz_check(!sos_energy_set_unary(e, i, p->unary[i][0].value, p->unary[i][1].value, NULL));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static instance p;
    fuzz_source s = { data, data + size };
    sos_minimizer *m = NULL;
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.work.threads = 1;
    memset(&p, 0, sizeof p);
    instance_take(&s, &p);
    sos_energy *e = energy_make(&p);
    fuzz_accepted++;
    fuzz_check(!sos_minimizer_create(&m, NULL));
    for (int round = 0; round < 2; round++) {
        const answer a = search(&p);
        for (int way = 0; way < 12; way++) {
            settings.start = (sos_start)(way % 3);
            settings.maximal = way / 3 % 2;
            settings.reduce = way / 6;
            run(&p, &a, e, m, &settings);
        }
        unaries_change(&s, &p, e);
    }
    sos_minimizer_free(m);
    sos_energy_free(e);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i < 6) *out = fuzz_noise(i, 200);
    return i < 6;
}
