#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- seeds and failing ---- */

static const uint64_t SEED = 20240601;
static uint64_t case_seed;

uint64_t test_cases(uint64_t count)
{
    double scale = SANITIZED ? 0.15 : 1;
    const char *text = getenv("SOS_TEST_SCALE");
    if (text && atof(text) > 0) scale = atof(text);
    const double cases = ceil((double)count * scale);
    return cases < 1 ? 1 : (uint64_t)cases;
}

/* A crash in a case names its seed too, then goes the way it would have gone. */
static void (*crashed_before)(int);

static void crashed(int number)
{
    print_error("signal %d; repeat with SOS_TEST_SEED=%" PRIu64 "\n", number, case_seed);
    signal(number, crashed_before);
    raise(number);
}

static void watch_for_crashes(void)
{
    void (*before)(int) = signal(SIGSEGV, crashed);
    if (before != crashed) crashed_before = before;
}

sos_random test_case_begin(uint64_t c)
{
    watch_for_crashes();
    const char *text = getenv("SOS_TEST_SEED");
    case_seed = (text && *text ? strtoull(text, NULL, 10) : SEED) + c;
    return sos_random_seeded(case_seed);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_error("%s\nrepeat with SOS_TEST_SEED=%" PRIu64 "\n", message, case_seed);
    _fail(file, line);
}

void test_peer_missing(const char *name)
{
    const char *required = getenv("SOS_PEERS_REQUIRED");
    if (required && !strcmp(required, "1")) test_fail(__FILE__, __LINE__, "%s is not installed, but required", name);
    print_message("%s is not installed\n", name);
}

void check_status(const char *file, int line, sos_status status, sos_status wanted, const sos_error *error)
{
    if (status == wanted) return;
    test_fail(file, line, "status is \"%s\", not \"%s\"; message: %s", sos_status_name(status), sos_status_name(wanted),
              error && status ? error->message : "");
}

void check_words(const char *file, int line, sos_status wanted, const sos_error *error, ...)
{
    if (error->status != wanted)
        test_fail(file, line, "the error has status \"%s\", not \"%s\"", sos_status_name(error->status),
                  sos_status_name(wanted));
    if (!memchr(error->message, 0, sizeof error->message)) test_fail(file, line, "the message does not end");
    va_list words;
    va_start(words, error);
    for (const char *word; (word = va_arg(words, const char *));)
        if (!strstr(error->message, word)) test_fail(file, line, "no \"%s\" in: %s", word, error->message);
    va_end(words);
}

void *test_room(void *old, size_t count, size_t size)
{
    void *p = realloc(old, count * size + 1);
    if (!p) test_fail(__FILE__, __LINE__, "no memory for the test itself");
    return p;
}

/* ---- random costs, tables and concave functions ---- */

double cost_random(sos_random *r, costs kind)
{
    switch (kind) {
    case COSTS_SMALL: return (double)sos_random_below(r, 4);
    case COSTS_INTEGERS: return (double)sos_random_below(r, 1001);
    case COSTS_LARGE: return (double)sos_random_below(r, UINT64_C(1000000000001));
    case COSTS_DYADIC: return (double)sos_random_below(r, 257) / 64;
    case COSTS_REALS: return sos_random_uniform(r);
    case COSTS_HUGE: return 1e300 * sos_random_uniform(r);
    case COSTS_TINY: return 1e-300 * sos_random_uniform(r);
    case COSTS_MIXED:
    case COSTS_KINDS: break;
    }
    static const uint64_t SPANS[] = { 8, 60, 1800 };
    const uint64_t span = SPANS[sos_random_below(r, 3)];
    return ldexp(1 + sos_random_uniform(r), (int)sos_random_below(r, span) - (int)(span / 2));
}

double cost_signed(sos_random *r, costs kind)
{
    const double c = cost_random(r, kind);
    return sos_random_bits(r) & 1 ? c : -c;
}

static int ones_of(size_t S) { return __builtin_popcountll(S); }

/* F(S) += c where a in S and b is not. */
static void add_cut(size_t k, long double F[], size_t a, size_t b, double c)
{
    for (size_t S = 0; S < (size_t)1 << k; S++)
        if ((S >> a & 1) && !(S >> b & 1)) F[S] += c;
}

/* F(S) += c min(|S cap A|, t). */
static void add_count(size_t k, long double F[], size_t A, int t, double c)
{
    for (size_t S = 0; S < (size_t)1 << k; S++) F[S] += (long double)c * (ones_of(S & A) < t ? ones_of(S & A) : t);
}

/* F(S) += c where S cap A is neither empty nor A. */
static void add_split(size_t k, long double F[], size_t A, double c)
{
    for (size_t S = 0; S < (size_t)1 << k; S++)
        if ((S & A) && (S & A) != A) F[S] += c;
}

/* F(S) += sum over S of c_i, either sign. */
static void add_modular(sos_random *r, size_t k, long double F[], costs kind)
{
    for (size_t i = 0; i < k; i++) {
        const double c = cost_signed(r, kind);
        for (size_t S = 0; S < (size_t)1 << k; S++)
            if (S >> i & 1) F[S] += c;
    }
}

/* F(S) += c h(w(S)) for random w_i in 0 ... 3 and h = min(., t), or the square root where costs may be real. */
static void add_weighted_count(sos_random *r, size_t k, long double F[], costs kind)
{
    long double w[SOS_TABLE_MEMBERS_MAX];
    for (size_t i = 0; i < k; i++) w[i] = (long double)sos_random_below(r, 4);
    const bool root = kind >= COSTS_REALS && (sos_random_bits(r) & 1);
    const long double c = cost_random(r, kind), t = (long double)(1 + sos_random_below(r, 2 * k));
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        long double sum = 0;
        for (size_t i = 0; i < k; i++) sum += S >> i & 1 ? w[i] : 0;
        F[S] += c * (root ? sqrtl(sum) : sum < t ? sum : t);
    }
}

static void add_cuts(sos_random *r, size_t k, long double F[], costs kind)
{
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            if (a != b && sos_random_below(r, 3)) add_cut(k, F, a, b, cost_random(r, kind));
}

/* Arcs of a chain through all members in a random order: every one of its k + 1 ends is a tight set. */
static void add_chain(sos_random *r, size_t k, long double F[], costs kind)
{
    uint32_t order[SOS_TABLE_MEMBERS_MAX];
    members_random(r, k, k, order);
    for (size_t i = 1; i < k; i++) add_cut(k, F, order[i - 1], order[i], cost_random(r, kind));
}

static void add_counts(sos_random *r, size_t k, long double F[], costs kind)
{
    for (uint64_t terms = 1 + sos_random_below(r, 4); terms; terms--)
        add_count(k, F, (size_t)sos_random_below(r, UINT64_C(1) << k), 1 + (int)sos_random_below(r, k), cost_random(r, kind));
}

static void add_cover(sos_random *r, size_t k, long double F[], costs kind)
{
    for (uint64_t terms = 1 + sos_random_below(r, 6); terms; terms--)
        add_count(k, F, (size_t)sos_random_below(r, UINT64_C(1) << k), 1, cost_random(r, kind));
}

static void add_splits(sos_random *r, size_t k, long double F[], costs kind)
{
    add_split(k, F, ((size_t)1 << k) - 1, cost_random(r, kind));
    if (sos_random_bits(r) & 1) add_split(k, F, (size_t)sos_random_below(r, UINT64_C(1) << k), cost_random(r, kind));
}

/* Sums are taken with more digits than doubles have, so that rounding stays far below the tolerance of the library. */
void table_random(sos_random *r, size_t k, costs kind, double f[])
{
    static void (*const FAMILIES[])(sos_random *, size_t, long double[], costs) = {
        add_weighted_count, add_cuts, add_counts, add_cover, add_splits, add_chain,
    };
    enum { COUNT = sizeof FAMILIES / sizeof *FAMILIES };
    const size_t entries = (size_t)1 << k;
    long double *F = test_room(NULL, entries, sizeof *F);
    for (size_t S = 0; S < entries; S++) F[S] = 0;
    if (sos_random_below(r, 12)) FAMILIES[sos_random_below(r, COUNT)](r, k, F, kind);
    if (!sos_random_below(r, 4)) FAMILIES[sos_random_below(r, COUNT)](r, k, F, kind);
    if (sos_random_bits(r) & 1) add_modular(r, k, F, kind);
    const double constant = sos_random_below(r, 3) ? 0 : cost_signed(r, kind);
    const size_t reflect = sos_random_bits(r) & 1 ? entries - 1 : 0;
    for (size_t S = 0; S < entries; S++) f[S] = (double)(F[S ^ reflect] + constant);
    free(F);
}

static int compare_falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void concave_random(sos_random *r, size_t k, costs kind, double g[])
{
    double *slope = test_room(NULL, k, sizeof *slope);
    const uint64_t few = sos_random_bits(r) & 1; /* one to three different slopes, as P^n Potts and its kin have */
    for (size_t m = 0; m < k; m++)
        slope[m] = few && m >= 1 + sos_random_below(r, 3) ? slope[sos_random_below(r, m)] : cost_signed(r, kind);
    qsort(slope, k, sizeof *slope, compare_falling);
    long double sum = sos_random_below(r, 3) ? 0 : cost_signed(r, kind);
    g[0] = (double)sum;
    for (size_t m = 0; m < k; m++) g[m + 1] = (double)(sum += slope[m]);
    free(slope);
}

void members_random(sos_random *r, size_t n, size_t k, uint32_t variables[])
{
    for (size_t b = 0; b < k; b++) {
        bool repeated;
        do {
            variables[b] = (uint32_t)sos_random_below(r, n);
            repeated = false;
            for (size_t a = 0; a < b; a++) repeated |= variables[a] == variables[b];
        } while (repeated);
    }
}

/* ---- problems ---- */

problem problem_create(size_t n)
{
    problem p = { .n = n };
    p.cost0 = test_room(NULL, n, sizeof *p.cost0);
    p.cost1 = test_room(NULL, n, sizeof *p.cost1);
    p.fixed = test_room(NULL, n, sizeof *p.fixed);
    for (size_t i = 0; i < n; i++) {
        p.cost0[i] = p.cost1[i] = 0;
        p.fixed[i] = SOS_FREE;
    }
    return p;
}

void problem_free(problem *p)
{
    for (size_t t = 0; t < p->table_count; t++) free(p->tables[t].f);
    for (size_t c = 0; c < p->concave_count; c++) {
        free(p->concaves[c].variables);
        free(p->concaves[c].g);
    }
    free(p->tables);
    free(p->cliques);
    free(p->concaves);
    free(p->cost0);
    free(p->cost1);
    free(p->fixed);
    *p = (problem){ 0 };
}

static bool is_power_of_two(size_t x) { return !(x & (x - 1)); }

/* Room for one more item, doubling at powers of two. */
static void *one_more(void *items, size_t count, size_t size)
{
    return is_power_of_two(count) ? test_room(items, count ? 2 * count : 1, size) : items;
}

uint32_t problem_add_table(problem *p, size_t k, const double f[])
{
    p->tables = one_more(p->tables, p->table_count, sizeof *p->tables);
    problem_table *t = &p->tables[p->table_count];
    *t = (problem_table){ k, test_room(NULL, (size_t)1 << k, sizeof *f) };
    memcpy(t->f, f, sizeof *f << k);
    return (uint32_t)p->table_count++;
}

void problem_add_clique(problem *p, uint32_t table, const uint32_t variables[], double weight)
{
    p->cliques = one_more(p->cliques, p->clique_count, sizeof *p->cliques);
    problem_clique *c = &p->cliques[p->clique_count++];
    *c = (problem_clique){ .table = table, .weight = weight };
    memcpy(c->variables, variables, p->tables[table].k * sizeof *variables);
}

void problem_add_concave(problem *p, size_t k, const uint32_t variables[], const double g[], double weight)
{
    p->concaves = one_more(p->concaves, p->concave_count, sizeof *p->concaves);
    problem_concave *c = &p->concaves[p->concave_count++];
    *c = (problem_concave){ k, test_room(NULL, k, sizeof *variables), test_room(NULL, k + 1, sizeof *g), weight };
    memcpy(c->variables, variables, k * sizeof *variables);
    memcpy(c->g, g, (k + 1) * sizeof *g);
}

static double weight_random(sos_random *r, costs kind)
{
    const uint64_t way = sos_random_below(r, 4);
    if (way == 0) return 1;
    if (way == 1) return 0;
    if (way == 2 || kind < COSTS_DYADIC) return (double)sos_random_below(r, 4);
    return kind == COSTS_DYADIC ? (double)sos_random_below(r, 13) / 4 : 2 * sos_random_uniform(r);
}

void problem_add_random_clique(sos_random *r, problem *p, size_t members, costs kind, bool weights)
{
    const size_t most = members < p->n ? members : p->n;
    if (!most) return;
    uint32_t table = UINT32_MAX;
    if (p->table_count && (sos_random_bits(r) & 1)) table = (uint32_t)sos_random_below(r, p->table_count);
    if (table == UINT32_MAX || p->tables[table].k > most) {
        const size_t k = 1 + (size_t)sos_random_below(r, most);
        double *f = test_room(NULL, (size_t)1 << k, sizeof *f);
        table_random(r, k, kind, f);
        table = problem_add_table(p, k, f);
        free(f);
    }
    uint32_t variables[SOS_TABLE_MEMBERS_MAX];
    const size_t k = p->tables[table].k;
    members_random(r, p->n, k, variables);
    if (p->clique_count && !sos_random_below(r, 5)) {
        const problem_clique *other = &p->cliques[sos_random_below(r, p->clique_count)];
        if (p->tables[other->table].k == k) memcpy(variables, other->variables, sizeof variables);
    }
    problem_add_clique(p, table, variables, weights ? weight_random(r, kind) : 1);
}

void problem_add_random_concave(sos_random *r, problem *p, size_t members, costs kind, bool weights)
{
    const size_t most = members < p->n ? members : p->n;
    if (!most) return;
    const size_t k = 1 + (size_t)sos_random_below(r, most);
    uint32_t *variables = test_room(NULL, k, sizeof *variables);
    double *g = test_room(NULL, k + 1, sizeof *g);
    members_random(r, p->n, k, variables);
    concave_random(r, k, kind, g);
    problem_add_concave(p, k, variables, g, weights ? weight_random(r, kind) : 1);
    free(variables);
    free(g);
}

static void unaries_random(sos_random *r, problem *p, costs kind)
{
    const uint64_t way = sos_random_below(r, 5); /* none, label 1 only, both */
    for (size_t i = 0; way && i < p->n; i++) {
        p->cost0[i] = way == 1 ? 0 : cost_signed(r, kind);
        p->cost1[i] = cost_signed(r, kind);
    }
}

problem problem_random(sos_random *r, const recipe *wanted)
{
    problem p = problem_create((size_t)sos_random_below(r, wanted->n + 1));
    unaries_random(r, &p, wanted->kind);
    if (sos_random_bits(r) & 1) p.constant = cost_signed(r, wanted->kind);
    for (uint64_t c = sos_random_below(r, wanted->cliques + 1); c; c--)
        problem_add_random_clique(r, &p, wanted->members, wanted->kind, wanted->weights);
    for (uint64_t c = sos_random_below(r, wanted->concaves + 1); c; c--)
        problem_add_random_concave(r, &p, SIZE_MAX, wanted->kind, wanted->weights);
    for (size_t i = 0; wanted->fixed && i < p.n; i++)
        if (!sos_random_below(r, 4)) p.fixed[i] = sos_random_bits(r) & 1;
    return p;
}

problem problem_grid(sos_random *r, size_t width, size_t height, costs kind)
{
    problem p = problem_create(width * height);
    for (size_t i = 0; i < p.n; i++) {
        p.cost0[i] = cost_random(r, kind);
        p.cost1[i] = cost_random(r, kind);
    }
    return p;
}

void problem_add_patches(problem *p, uint32_t table, size_t width, size_t height, size_t patch_width, size_t patch_height)
{
    for (size_t y = 0; y + patch_height <= height; y++)
        for (size_t x = 0; x + patch_width <= width; x++) {
            uint32_t variables[SOS_TABLE_MEMBERS_MAX];
            size_t b = 0;
            for (size_t dy = 0; dy < patch_height; dy++)
                for (size_t dx = 0; dx < patch_width; dx++) variables[b++] = (uint32_t)((y + dy) * width + x + dx);
            problem_add_clique(p, table, variables, 1);
        }
}

/* Cliques first ... end - 1, which share a table, in one call. */
static void build_run(const problem *p, sos_energy *e, size_t first, size_t end)
{
    const uint32_t table = p->cliques[first].table;
    const size_t k = p->tables[table].k, count = end - first;
    uint32_t *variables = test_room(NULL, count * k, sizeof *variables);
    double *weights = test_room(NULL, count, sizeof *weights);
    bool weighted = false;
    for (size_t c = 0; c < count; c++) {
        memcpy(variables + c * k, p->cliques[first + c].variables, k * sizeof *variables);
        weights[c] = p->cliques[first + c].weight;
        weighted |= weights[c] != 1;
    }
    sos_error error;
    check_ok(sos_energy_add_cliques(e, table, count, variables, weighted ? weights : NULL, &error), error);
    free(variables);
    free(weights);
}

void problem_build_rest(const problem *p, sos_energy *e, size_t tables, size_t cliques, size_t concaves)
{
    sos_error error;
    for (size_t t = tables; t < p->table_count; t++) {
        uint32_t number = UINT32_MAX;
        check_ok(sos_energy_add_table(e, p->tables[t].k, p->tables[t].f, &number, &error), error);
        check(number == t);
    }
    for (size_t c = cliques, end; c < p->clique_count; c = end) {
        for (end = c + 1; end < p->clique_count && p->cliques[end].table == p->cliques[c].table;) end++;
        build_run(p, e, c, end);
    }
    for (size_t c = concaves; c < p->concave_count; c++)
        check_ok(sos_energy_add_concave(e, p->concaves[c].k, p->concaves[c].variables, p->concaves[c].g, p->concaves[c].weight,
                                        &error),
                 error);
}

sos_energy *problem_build(const problem *p)
{
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_create(p->n, &e, &error), error);
    check_ok(sos_energy_add_constant(e, p->constant, &error), error);
    check_ok(sos_energy_set_unaries(e, p->cost0, p->cost1, &error), error);
    for (size_t i = 0; i < p->n; i++)
        if (p->fixed[i] != SOS_FREE) check_ok(sos_energy_fix(e, i, p->fixed[i], &error), error);
    problem_build_rest(p, e, 0, 0, 0);
    return e;
}

long double problem_value(const problem *p, const uint8_t labels[])
{
    long double sum = p->constant;
    for (size_t i = 0; i < p->n; i++) sum += labels[i] ? p->cost1[i] : p->cost0[i];
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_clique *clique = &p->cliques[c];
        const problem_table *t = &p->tables[clique->table];
        size_t S = 0;
        for (size_t b = 0; b < t->k; b++)
            if (labels[clique->variables[b]]) S += (size_t)1 << b;
        sum += (long double)clique->weight * t->f[S];
    }
    for (size_t c = 0; c < p->concave_count; c++) {
        size_t ones = 0;
        for (size_t b = 0; b < p->concaves[c].k; b++)
            if (labels[p->concaves[c].variables[b]]) ones++;
        sum += (long double)p->concaves[c].weight * p->concaves[c].g[ones];
    }
    return sum;
}

static long double largest_of(size_t count, const double f[])
{
    double largest = 0;
    for (size_t S = 0; S < count; S++) largest = fmax(largest, fabs(f[S]));
    return largest;
}

long double problem_magnitude(const problem *p)
{
    long double sum = fabs(p->constant);
    for (size_t i = 0; i < p->n; i++) sum += fmax(fabs(p->cost0[i]), fabs(p->cost1[i]));
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_table *t = &p->tables[p->cliques[c].table];
        sum += p->cliques[c].weight * largest_of((size_t)1 << t->k, t->f);
    }
    for (size_t c = 0; c < p->concave_count; c++)
        sum += p->concaves[c].weight * largest_of(p->concaves[c].k + 1, p->concaves[c].g);
    return sum;
}

/* The same with the largest weight, at least 1, for all cliques: costs that count little may set the scale of all. */
static long double problem_heaviest(const problem *p)
{
    problem heaviest = *p;
    double weight = 1;
    for (size_t c = 0; c < p->clique_count; c++) weight = fmax(weight, p->cliques[c].weight);
    heaviest.cliques = test_room(NULL, p->clique_count, sizeof *p->cliques);
    for (size_t c = 0; c < p->clique_count; c++) {
        heaviest.cliques[c] = p->cliques[c];
        heaviest.cliques[c].weight = weight;
    }
    const long double magnitude = problem_magnitude(&heaviest);
    free(heaviest.cliques);
    return magnitude;
}

static bool are_multiples(size_t count, const double f[], double unit)
{
    for (size_t S = 0; S < count; S++)
        if (f[S] / unit != rint(f[S] / unit)) return false;
    return true;
}

bool problem_is_multiple_of(const problem *p, double unit)
{
    bool is = problem_heaviest(p) / unit <= 0x1p52L && are_multiples(1, &p->constant, unit) &&
              are_multiples(p->n, p->cost0, unit) && are_multiples(p->n, p->cost1, unit);
    for (size_t c = 0; is && c < p->clique_count; c++) {
        const problem_table *t = &p->tables[p->cliques[c].table];
        is = are_multiples(1, &p->cliques[c].weight, sqrt(unit)) && are_multiples((size_t)1 << t->k, t->f, sqrt(unit));
    }
    for (size_t c = 0; is && c < p->concave_count; c++) {
        const problem_concave *x = &p->concaves[c];
        is = are_multiples(1, &x->weight, sqrt(unit)) && are_multiples(x->k + 1, x->g, sqrt(unit));
    }
    return is;
}

/* ---- two energies ---- */

bool same_bits(double x, double y) { return !memcmp(&x, &y, sizeof x); }

void check_same_energy(const sos_energy *a, const sos_energy *b)
{
    check(sos_energy_variables(a) == sos_energy_variables(b));
    check(sos_energy_tables(a) == sos_energy_tables(b));
    check(sos_energy_cliques(a) == sos_energy_cliques(b));
    check(sos_energy_concaves(a) == sos_energy_concaves(b));
    check(same_bits(sos_energy_constant(a), sos_energy_constant(b)));
    for (size_t i = 0; i < sos_energy_variables(a); i++) {
        double a0, a1, b0, b1;
        sos_energy_unary(a, i, &a0, &a1);
        sos_energy_unary(b, i, &b0, &b1);
        check(same_bits(a0, b0) && same_bits(a1, b1) && sos_energy_fixed(a, i) == sos_energy_fixed(b, i));
    }
    for (uint32_t t = 0; t < sos_energy_tables(a); t++) {
        size_t ka, kb;
        const double *f = sos_energy_table(a, t, &ka), *g = sos_energy_table(b, t, &kb);
        check(ka == kb && !memcmp(f, g, sizeof *f << ka));
    }
    for (size_t c = 0; c < sos_energy_cliques(a); c++) {
        const sos_clique x = sos_energy_clique(a, c), y = sos_energy_clique(b, c);
        check(x.k == y.k && x.table == y.table && same_bits(x.weight, y.weight));
        check(!memcmp(x.variables, y.variables, x.k * sizeof *x.variables));
    }
    for (size_t c = 0; c < sos_energy_concaves(a); c++) {
        const sos_pieces x = sos_energy_pieces(a, c), y = sos_energy_pieces(b, c);
        check(x.k == y.k && !memcmp(x.variables, y.variables, x.k * sizeof *x.variables));
        check(x.knots == y.knots && !memcmp(x.value, y.value, x.knots * sizeof *x.value) && same_bits(x.weight, y.weight));
        check(!x.place == !y.place && (!x.place || !memcmp(x.place, y.place, x.knots * sizeof *x.place)));
        check(!x.amounts == !y.amounts && (!x.amounts || !memcmp(x.amounts, y.amounts, x.k * sizeof *x.amounts)));
    }
}

/* ---- the oracle ---- */

static bool keeps_fixed(const problem *p, const uint8_t labels[])
{
    for (size_t i = 0; i < p->n; i++)
        if (p->fixed[i] != SOS_FREE && labels[i] != p->fixed[i]) return false;
    return true;
}

oracle problem_solve_exhaustively(const problem *p)
{
    assert_true(p->n <= EXHAUSTIVE_MAX);
    oracle o = { .minimum = INFINITY };
    for (uint64_t y = 0; y < UINT64_C(1) << p->n; y++) {
        uint8_t labels[EXHAUSTIVE_MAX] = { 0 };
        for (size_t i = 0; i < p->n; i++) labels[i] = y >> i & 1;
        if (!keeps_fixed(p, labels)) continue;
        const long double value = problem_value(p, labels);
        if (value > o.minimum) continue;
        const bool first = value < o.minimum;
        o.minimum = value;
        for (size_t i = 0; i < p->n; i++) {
            o.minimal[i] = first ? labels[i] : o.minimal[i] & labels[i];
            o.maximal[i] = first ? labels[i] : o.maximal[i] | labels[i];
        }
    }
    return o;
}

/* ---- checks of an answer ---- */

/* What doubles lose when they add the terms of an energy; equal terms may all round the same way. */
static long double summation_error(const problem *p)
{
    const size_t terms = 1 + p->n + p->clique_count + p->concave_count;
    return problem_magnitude(p) * DBL_EPSILON * (16 + (long double)terms);
}

/* Rounding costs to some 60 bits, and weights of 3 and more members to 26, must not move much. */
static long double rounding_allowed(const problem *p)
{
    bool coarse = false;
    for (size_t c = 0; c < p->clique_count; c++) {
        const double w = p->cliques[c].weight;
        coarse |= w != rint(w) && p->tables[p->cliques[c].table].k > 2;
    }
    return problem_heaviest(p) * (coarse ? 0x1p-20L : 0x1p-40L);
}

void check_certificate(const problem *p, const uint8_t labels[], const sos_minimize_result *result)
{
    for (size_t i = 0; i < p->n; i++) check(labels[i] == 0 || labels[i] == 1);
    check(keeps_fixed(p, labels));
    check(result->bits == 32 || result->bits == 64);
    check(result->fixed <= p->n);
    check(result->seconds_build >= 0 && result->seconds_reduce >= 0 && result->seconds_solve >= 0);

    const long double value = problem_value(p, labels);
    const bool integers = problem_is_multiple_of(p, 1);
    const long double lost = integers ? 0 : summation_error(p), allowed = integers ? 0 : rounding_allowed(p);
    if (!(result->rounding >= 0 && result->rounding <= allowed))
        test_fail(__FILE__, __LINE__, "rounding is %g, more than %Lg; costs add up to %Lg", result->rounding, allowed,
                  problem_magnitude(p));
    if (!(fabsl(result->energy - value) <= lost))
        test_fail(__FILE__, __LINE__, "energy is %.17g, but the labels cost %.20Lg", result->energy, value);
    if (!(fabsl((long double)result->energy - result->lower_bound) <= 2 * result->rounding + lost))
        test_fail(__FILE__, __LINE__, "energy is %.17g, lower bound %.17g, rounding %g; adding may lose %Lg", result->energy,
                  result->lower_bound, result->rounding, lost);
}

void check_answer(const problem *p, const oracle *o, bool maximal, const uint8_t labels[], const sos_minimize_result *result)
{
    check_certificate(p, labels, result);
    const long double value = problem_value(p, labels), lost = summation_error(p);
    const bool exact = problem_is_multiple_of(p, 0x1p-12);
    if (!(value <= o->minimum + (exact ? 0 : 2 * result->rounding + lost)))
        test_fail(__FILE__, __LINE__, "the labels cost %.20Lg, but %.20Lg is possible", value, o->minimum);
    if (!(result->lower_bound <= o->minimum + (exact && result->rounding == 0 ? 0 : lost)))
        test_fail(__FILE__, __LINE__, "%.17g is no lower bound of %.20Lg", result->lower_bound, o->minimum);
    for (size_t i = 0; exact && i < p->n; i++)
        if (labels[i] != (maximal ? o->maximal[i] : o->minimal[i]))
            test_fail(__FILE__, __LINE__, "not the %s minimiser, at variable %zu", maximal ? "maximal" : "minimal", i);
}

/* ---- cliques that count ---- */

typedef struct extra {
    double cost;
    uint32_t variable;
} extra;

static int compare_extra(const void *a, const void *b)
{
    const double x = ((const extra *)a)->cost, y = ((const extra *)b)->cost;
    return (x > y) - (x < y);
}

long double test_best_count(size_t k, const double cost[], const double g[], bool maximal, uint8_t labels[])
{
    extra *order = test_room(NULL, k, sizeof *order);
    for (size_t i = 0; i < k; i++) order[i] = (extra){ cost[i], (uint32_t)i };
    qsort(order, k, sizeof *order, compare_extra);
    long double sum = 0, best = g[0];
    size_t count = 0;
    for (size_t m = 1; m <= k; m++) {
        sum += order[m - 1].cost;
        if (sum + g[m] < best || (maximal && sum + g[m] == best)) {
            best = sum + g[m];
            count = m;
        }
    }
    memset(labels, 0, k);
    for (size_t m = 0; m < count; m++) labels[order[m].variable] = 1;
    free(order);
    return best;
}
