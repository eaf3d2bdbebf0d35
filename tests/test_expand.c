/* test_expand.c - expansion moves against exhaustive search. */
#include "multi_energy_support.h"

#include <stdio.h>

/* ---- exhaustive expansion moves ---- */

/* The best expansion of a label from y, by trying all; of those that are equally good the smallest, which is their
 * intersection. */
static long double best_expansion(const many *p, const uint8_t y[], uint8_t label, uint8_t best[])
{
    uint8_t *z = test_room(NULL, p->n, 1);
    long double least = INFINITY;
    size_t common = 0;
    for (size_t T = 0; T < (size_t)1 << p->n; T++) {
        bool proper = true; /* those that have the label already are not in T */
        for (size_t i = 0; i < p->n; i++) {
            z[i] = T >> i & 1 ? label : y[i];
            proper &= !(T >> i & 1) || y[i] != label;
        }
        if (!proper) continue;
        const long double value = many_value(p, z);
        if (value > least) continue;
        common = value < least ? T : common & T;
        least = value;
    }
    for (size_t i = 0; i < p->n; i++) best[i] = common >> i & 1 ? label : y[i];
    free(z);
    return least;
}

static void least_unaries(const many *p, uint8_t y[])
{
    for (size_t i = 0; i < p->n; i++) {
        y[i] = 0;
        for (size_t l = 1; l < p->labels; l++)
            if (p->unary[i * p->labels + l] < p->unary[i * p->labels + y[i]]) y[i] = (uint8_t)l;
    }
}

/* The labellings that moves lead through, one after each move that is tried. */
typedef struct path {
    uint8_t *y; /* [moves + 1][n] */
    size_t moves, successes;
} path;

static path expand_exhaustively(const many *p, const uint8_t start[], const uint8_t order[])
{
    path a = { .y = test_room(NULL, p->n, 1) };
    memcpy(a.y, start, p->n);
    size_t tried[MANY_LABELS] = { 0 }, clock = 1; /* as many successes, plus 1 */
    for (bool pending = true; pending;) {
        pending = false;
        for (size_t i = 0; i < p->labels; i++) {
            const uint8_t l = order[i];
            if (tried[l] == clock) continue;
            a.y = test_room(a.y, (a.moves + 2) * p->n, 1);
            uint8_t *now = a.y + a.moves * p->n, *next = now + p->n;
            if (best_expansion(p, now, l, next) < many_value(p, now)) {
                clock++;
                a.successes++;
            }
            a.moves++;
            tried[l] = clock;
        }
        for (size_t l = 0; l < p->labels; l++) pending |= tried[l] != clock;
    }
    return a;
}

/* Stops before move number limit. */
typedef struct stopper {
    size_t calls, limit;
} stopper;

static bool stop_at(void *user, const char *phase, double done)
{
    stopper *s = user;
    (void)done;
    return strcmp(phase, "expansion moves") != 0 || s->calls++ < s->limit;
}

static void check_path(const many *p, const path *a, const sos_multi_energy *e, const sos_expand_settings *settings,
                       const uint8_t start[])
{
    uint8_t *y = test_room(NULL, p->n, 1);
    double last = INFINITY;
    for (size_t moves = 0; moves <= a->moves; moves++) {
        stopper stop = { 0, moves };
        sos_expand_settings s = *settings;
        s.work.progress = stop_at;
        s.work.user = &stop;
        sos_expand_result result;
        sos_error error;
        memcpy(y, start, p->n);
        const sos_status status = sos_expand(e, &s, y, &result, &error);
        check_is(status, moves < a->moves ? SOS_CANCELLED : SOS_OK);
        if (memcmp(y, a->y + moves * p->n, p->n) != 0)
            test_fail(__FILE__, __LINE__, "after %zu moves the labels cost %.17g, not %.17g", moves, result.energy,
                      (double)many_value(p, a->y + moves * p->n));
        check(result.energy == (double)many_value(p, y) && result.energy == sos_multi_energy_value(e, y));
        check(result.energy <= last && result.energy <= result.start_energy && result.lower_bound <= result.energy);
        check(result.moves == moves && result.converged == (moves == a->moves));
        if (moves == a->moves) check(result.successes == a->successes);
        last = result.energy;
    }
    free(y);
}

static void order_random(sos_random *r, size_t labels, uint8_t order[])
{
    uint32_t numbers[MANY_LABELS];
    members_random(r, labels, labels, numbers);
    for (size_t l = 0; l < labels; l++) order[l] = (uint8_t)numbers[l];
}

static void every_move_is_the_best_expansion(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC };
    for (uint64_t c = 0; c < test_cases(1500); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = 3 + (size_t)sos_random_below(&r, 2), n = (size_t)sos_random_below(&r, 8);
        many p = many_random(&r, n, labels, 6, 5, KINDS[sos_random_below(&r, 3)]);
        sos_multi_energy *e = many_build(&p, false);
        sos_expand_settings s = sos_expand_defaults();
        uint8_t order[MANY_LABELS], *start = test_room(NULL, n, 1);
        order_random(&r, labels, order);
        s.order = order;
        s.reduce = sos_random_bits(&r) & 1;
        if (sos_random_bits(&r) & 1) {
            s.start = SOS_EXPAND_LABELS;
            many_labels_random(&r, &p, start);
        } else {
            least_unaries(&p, start);
        }
        path a = expand_exhaustively(&p, start, order);
        check_path(&p, &a, e, &s, start);
        free(a.y);
        free(start);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

/* Costs that doubles cannot add up exactly: nothing but rounding is left to gain. */
static void no_expansion_gains_more_than_rounding(void **state)
{
    (void)state;
    static const costs KINDS[] = { COSTS_REALS, COSTS_LARGE, COSTS_HUGE, COSTS_TINY, COSTS_MIXED };
    for (uint64_t c = 0; c < test_cases(1000); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = 3 + (size_t)sos_random_below(&r, 2), n = 1 + (size_t)sos_random_below(&r, 8);
        many p = many_random(&r, n, labels, 6, 6, KINDS[sos_random_below(&r, 5)]);
        sos_multi_energy *e = many_build(&p, false);
        sos_expand_settings s = sos_expand_defaults();
        s.shuffle = sos_random_bits(&r) & 1;
        s.seed = sos_random_bits(&r);
        uint8_t *y = test_room(NULL, n, 1), *z = test_room(NULL, n, 1);
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(e, &s, y, &result, &error), error);
        const long double value = many_value(&p, y), off = many_tolerance(&p) + 2 * (long double)result.rounding;
        check(fabsl(value - result.energy) <= many_tolerance(&p) && result.converged);
        for (size_t l = 0; l < labels; l++) {
            const long double best = best_expansion(&p, y, (uint8_t)l, z);
            if (best < value - off)
                test_fail(__FILE__, __LINE__, "label %zu lowers %.17Lg to %.17Lg, %.3Lg allowed", l, value, best, off);
        }
        free(z);
        free(y);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

/* f(S) = g_1(S) + g_0(C - S), and for cliques that count likewise. */
static sos_energy *binary_energy(const many *p)
{
    sos_energy *e;
    sos_error error;
    check_ok(sos_energy_create(p->n, &e, &error), error);
    check_ok(sos_energy_add_constant(e, p->constant, &error), error);
    for (size_t i = 0; i < p->n; i++) check_ok(sos_energy_set_unary(e, i, p->unary[2 * i], p->unary[2 * i + 1], &error), error);
    for (size_t t = 0; t < p->count; t++) {
        const term *x = &p->terms[t];
        const size_t all = ((size_t)1 << x->k) - 1;
        double constant, *g = term_tables(p, x, &constant), *f = test_room(NULL, all + 1, sizeof *f);
        uint32_t table;
        for (size_t S = 0; S <= all; S++) f[S] = g[all + 1 + S] + g[all & ~S];
        check_ok(sos_energy_add_table(e, x->k, f, &table, &error), error);
        check_ok(sos_energy_add_cliques(e, table, 1, x->variables, &x->weight, &error), error);
        check_ok(sos_energy_add_constant(e, constant, &error), error);
        free(f);
        free(g);
    }
    return e;
}

static void two_labels_are_minimised_exactly(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(1500); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = (costs)sos_random_below(&r, COSTS_KINDS);
        many p = many_random(&r, (size_t)sos_random_below(&r, 20), 2, 12, 6, kind);
        sos_multi_energy *e = many_build(&p, false);
        sos_energy *binary = binary_energy(&p);
        uint8_t *y = test_room(NULL, p.n, 1), *z = test_room(NULL, p.n, 1);
        sos_expand_settings s = sos_expand_defaults();
        sos_expand_result result;
        sos_minimize_result minimum;
        sos_error error;
        if (sos_random_bits(&r) & 1) {
            s.start = SOS_EXPAND_LABELS;
            many_labels_random(&r, &p, y);
        }
        check_ok(sos_expand(e, &s, y, &result, &error), error);
        check_ok(sos_minimize(binary, NULL, z, &minimum, &error), error);
        const double off = (double)many_tolerance(&p) + 2 * (result.rounding + minimum.rounding);
        if (fabs(result.energy - minimum.energy) > off)
            test_fail(__FILE__, __LINE__, "the energy is %.17g, but %.17g is the minimum, %.3g allowed", result.energy,
                      minimum.energy, off);
        check(result.converged && result.exact && result.factor == 1 && result.lower_bound <= result.energy);
        const bool adds_exactly = kind == COSTS_SMALL || kind == COSTS_INTEGERS || kind == COSTS_DYADIC;
        if (adds_exactly) check(result.energy == minimum.energy && !memcmp(y, z, p.n));
        free(z);
        free(y);
        sos_energy_free(binary);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

static void parametric_forms_move_like_their_tables(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, 4 + (size_t)sos_random_below(&r, 30), 3 + (size_t)sos_random_below(&r, 4), 20, 7,
                             sos_random_bits(&r) & 1 ? COSTS_INTEGERS : COSTS_SMALL);
        uint8_t *y = test_room(NULL, p.n, 1), *z = test_room(NULL, p.n, 1);
        sos_expand_result by_form, by_table;
        sos_error error;
        sos_multi_energy *e = many_build(&p, false), *f = many_build(&p, true);
        check_ok(sos_expand(e, NULL, y, &by_form, &error), error);
        check_ok(sos_expand(f, NULL, z, &by_table, &error), error);
        check(by_form.energy == by_table.energy && !memcmp(y, z, p.n));
        sos_multi_energy_free(e);
        sos_multi_energy_free(f);
        free(y);
        free(z);
        many_free(&p);
    }
}

/* ---- what is guaranteed ---- */

static void the_minimum_is_within_the_factor(void **state)
{
    (void)state;
    size_t finite = 0;
    double worst = 0;
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = 3 + (size_t)sos_random_below(&r, 2);
        many p = many_random(&r, 1 + (size_t)sos_random_below(&r, 6), labels, 8, 4, COSTS_INTEGERS);
        if (c % 2) /* Potts pairs and P^n alone, which have a factor */
            for (size_t t = 0; t < p.count; t++)
                if (p.terms[t].kind != TERM_POTTS && p.terms[t].kind != TERM_PN) p.terms[t].weight = 0;
        sos_multi_energy *e = many_build(&p, false);
        uint8_t *y = test_room(NULL, p.n, 1);
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(e, NULL, y, &result, &error), error);
        const double least = (double)many_least(&p), over = result.energy - least;
        check(over >= 0 && result.lower_bound <= least && result.factor >= 1);
        if (isfinite(result.factor)) {
            finite++;
            check(result.energy - result.lower_bound <= result.factor * (least - result.lower_bound) * (1 + 1e-12));
        }
        if (result.exact) check(over == 0);
        worst = fmax(worst, least > result.lower_bound ? over / (least - result.lower_bound) : 0);
        free(y);
        sos_multi_energy_free(e);
        many_free(&p);
    }
    check(finite > 10);
    print_message("%zu factors were finite; the worst gap was %.3f of the least energy over the bound\n", finite, worst);
}

static void potts_pairs_have_factor_two(void **state)
{
    (void)state;
    sos_multi_energy *e;
    sos_error error;
    sos_expand_result result;
    uint8_t y[3];
    check_ok(sos_multi_energy_create(3, 4, &e, &error), error);
    check_ok(sos_multi_energy_add_potts(e, 2, (uint32_t[]){ 0, 1, 1, 2 }, (double[]){ 3, 5 }, &error), error);
    check_ok(sos_expand(e, NULL, y, &result, &error), error);
    check(result.factor == 2 && result.lower_bound == 0 && result.exact);
    /* A robust clique of which one in two may disagree: from 0 to 4, 2 with one that disagrees. */
    check_ok(sos_multi_energy_add_robust(e, 3, (uint32_t[]){ 2, 1, 0 }, (double[]){ 0, 0, 0, 0 }, (double[]){ 2, 2, 2, 2 }, 4,
                                         1, &error),
             error);
    check_ok(sos_expand(e, NULL, y, &result, &error), error);
    check(result.factor == 3 * 4 / 2.0);
    sos_multi_energy_free(e);
}

/* ---- settings ---- */

/* A grid with regions of each label, noise, 2x2 tables, pairs and larger regions. */
static many grid_random(sos_random *r, size_t width, size_t height, size_t labels)
{
    many p = many_random(r, width * height, labels, 0, 1, COSTS_INTEGERS);
    const double trust = 300 + 100 * (double)sos_random_below(r, 6);
    for (size_t i = 0; i < p.n; i++) {
        const size_t liked = i % width * labels / width;
        for (size_t l = 0; l < labels; l++) p.unary[i * labels + l] = cost_random(r, COSTS_INTEGERS) + (l == liked ? 0 : trust);
    }
    double f[MANY_LABELS << 4];
    for (size_t l = 0; l < labels; l++)
        for (size_t S = 0; S < 16; S++) {
            const size_t m = (size_t)__builtin_popcountll(S);
            f[16 * l + S] = (double)(m * (4 - m)) * (20 + 5 * (double)l) - (S == 9 ? 10 : 0);
        }
    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            term *t = many_add(&p, TERM_TABLES, 4);
            t->g = test_room(NULL, labels << 4, sizeof *t->g);
            memcpy(t->g, f, (labels << 4) * sizeof *t->g);
            for (uint32_t b = 0; b < 4; b++) t->variables[b] = (uint32_t)((y + b / 2) * width + x + b % 2);
            t->weight = (double)sos_random_below(r, 4);
        }
    for (size_t c = 0; c < 10; c++) term_fill(r, &p, COSTS_INTEGERS, many_add(&p, TERM_ROBUST, 12));
    return p;
}

static void reduction_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        many p = grid_random(&r, 12 + (size_t)sos_random_below(&r, 20), 10 + (size_t)sos_random_below(&r, 10),
                             3 + (size_t)sos_random_below(&r, 5));
        sos_multi_energy *e = many_build(&p, false);
        uint8_t *y[2];
        sos_expand_result results[2];
        for (int way = 0; way < 2; way++) {
            sos_expand_settings s = sos_expand_defaults();
            sos_error error;
            s.reduce = way;
            y[way] = test_room(NULL, p.n, 1);
            check_ok(sos_expand(e, &s, y[way], &results[way], &error), error);
            check(!memcmp(y[way], y[0], p.n) && results[way].energy == results[0].energy);
            check(results[way].moves == results[0].moves && results[way].successes == results[0].successes);
            check(results[way].variables <= results[0].variables);
        }
        for (int way = 0; way < 2; way++) free(y[way]);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

static void a_seed_repeats(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    many p = grid_random(&r, 20, 20, 6);
    sos_multi_energy *e = many_build(&p, false);
    sos_expand_settings s = sos_expand_defaults();
    sos_expand_result first, again;
    sos_error error;
    uint8_t *y = test_room(NULL, p.n, 1), *z = test_room(NULL, p.n, 1);
    s.shuffle = true;
    s.seed = 7;
    check_ok(sos_expand(e, &s, y, &first, &error), error);
    check_ok(sos_expand(e, &s, z, &again, &error), error);
    check(!memcmp(y, z, p.n) && first.energy == again.energy && first.moves == again.moves);
    free(y);
    free(z);
    sos_multi_energy_free(e);
    many_free(&p);
}

static void sweeps_are_limited_and_a_limit_of_memory_holds(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    many p = grid_random(&r, 30, 20, 6);
    sos_multi_energy *e = many_build(&p, false);
    sos_expand_settings s = sos_expand_defaults();
    sos_expand_result result, limited;
    sos_error error;
    uint8_t *y = test_room(NULL, p.n, 1);
    s.sweeps = 1;
    check_ok(sos_expand(e, &s, y, &result, &error), error);
    check(result.sweeps == 1 && result.moves == 6 && !result.converged && !result.exact);
    s.sweeps = 0;
    check_ok(sos_expand(e, &s, y, &result, &error), error);
    check(result.converged && result.sweeps > 1);
    s.memory_limit = 2 * result.bytes;
    check_ok(sos_expand(e, &s, y, &limited, &error), error);
    check(limited.energy == result.energy && limited.bytes <= s.memory_limit);
    memset(y, 9, p.n);
    for (size_t part = 1; part < 64; part += 9) {
        s.memory_limit = result.bytes / 64 * part;
        const sos_status status = sos_expand(e, &s, y, &limited, &error);
        if (!status) break;
        check_error(status, SOS_ERR_MEMORY, error, "limit");
        check(y[0] == 9);
    }
    s.memory_limit = 1000;
    check_error(sos_expand(e, &s, y, NULL, &error), SOS_ERR_MEMORY, error, "limit");
    free(y);
    sos_multi_energy_free(e);
    many_free(&p);
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    sos_multi_energy *e;
    sos_error error;
    uint8_t y[2] = { 0, 3 };
    check_ok(sos_multi_energy_create(2, 3, &e, &error), error);
    sos_expand_settings s = sos_expand_defaults();
    s.start = SOS_EXPAND_LABELS;
    check_error(sos_expand(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "variable 1", "label 3", "there are 3");
    s.start = SOS_EXPAND_UNARIES;
    s.order = (const uint8_t[]){ 0, 1, 1 };
    check_error(sos_expand(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "order", "1");
    s.order = (const uint8_t[]){ 0, 1, 3 };
    check_error(sos_expand(e, &s, y, NULL, &error), SOS_ERR_ARGUMENT, error, "order", "3");
    check_error(sos_expand(e, NULL, NULL, NULL, &error), SOS_ERR_ARGUMENT, error, "no labels");
    check_error(sos_expand(NULL, NULL, y, NULL, &error), SOS_ERR_ARGUMENT, error, "no energy");
    uint32_t set;
    const double large[12] = { 0, 0, 0, -1e200 };
    check_ok(sos_multi_energy_add_tables(e, 2, large, &set, &error), error);
    check_ok(sos_multi_energy_add_cliques(e, set, 1, (uint32_t[]){ 0, 1 }, NULL, &error), error);
    check_ok(sos_multi_energy_add_potts(e, 1, (uint32_t[]){ 1, 0 }, (double[]){ 1e200 }, &error), error);
    check_error(sos_expand(e, NULL, y, NULL, &error), SOS_ERR_RANGE, error, "1e+200", "too large");
    check(y[0] == 0 && y[1] == 3);
    sos_multi_energy_free(e);
    check_ok(sos_multi_energy_create(0, 3, &e, &error), error);
    sos_expand_result result;
    check_ok(sos_expand(e, NULL, NULL, &result, &error), error);
    check(result.energy == 0 && result.converged);
    sos_multi_energy_free(e);
}

static void check_same_result(const sos_expand_result *a, const sos_expand_result *b)
{
    check(a->energy == b->energy && a->start_energy == b->start_energy && a->lower_bound == b->lower_bound);
    check(a->factor == b->factor && a->rounding == b->rounding && a->converged == b->converged && a->exact == b->exact);
    check(a->sweeps == b->sweeps && a->moves == b->moves && a->successes == b->successes && a->skipped == b->skipped);
    check(a->variables == b->variables);
}

/* One expander for energies of all sizes and kinds, stopped now and then, against calls that know nothing of each other. */
static void an_expander_answers_as_if_each_run_were_the_first(void **state)
{
    (void)state;
    sos_expander *x = NULL;
    sos_error error;
    check_ok(sos_expander_create(&x, &error), error);
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, (size_t)sos_random_below(&r, c % 7 ? 12 : 200), 2 + (size_t)sos_random_below(&r, 6), 20, 8,
                             (costs)(c % COSTS_KINDS));
        sos_multi_energy *e = many_build(&p, c & 1);
        uint8_t *wanted = test_room(NULL, p.n, 1), *y = test_room(NULL, p.n, 1);
        sos_expand_settings s = sos_expand_defaults();
        s.reduce = c & 2;
        s.shuffle = c & 4;
        s.seed = c;
        s.start = c & 8 ? SOS_EXPAND_LABELS : SOS_EXPAND_UNARIES;
        if (c % 11 == 0) s.memory_limit = 1 << 24;
        stopper stop = { 0, 1 + (size_t)sos_random_below(&r, 4) }, again = stop;
        if (c % 5 == 0) s.work.progress = stop_at;
        many_labels_random(&r, &p, y);
        memcpy(wanted, y, p.n);
        sos_expand_result alone, kept;
        s.work.user = &again;
        const sos_status first = sos_expand(e, &s, wanted, &alone, &error);
        s.work.user = &stop;
        check_is(sos_expander_run(x, e, &s, y, &kept, &error), first);
        check(first == SOS_OK || first == SOS_CANCELLED);
        check(!memcmp(y, wanted, p.n));
        check_same_result(&alone, &kept);
        free(wanted);
        free(y);
        sos_multi_energy_free(e);
        many_free(&p);
    }
    uint8_t y = 0;
    check_error(sos_expander_run(x, NULL, NULL, &y, NULL, &error), SOS_ERR_ARGUMENT, error, "no energy");
    check_error(sos_expander_create(NULL, &error), SOS_ERR_ARGUMENT, error, "no place");
    sos_expander_free(x);
    sos_expander_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expander_answers_as_if_each_run_were_the_first),
        cmocka_unit_test(every_move_is_the_best_expansion),
        cmocka_unit_test(no_expansion_gains_more_than_rounding),
        cmocka_unit_test(two_labels_are_minimised_exactly),
        cmocka_unit_test(parametric_forms_move_like_their_tables),
        cmocka_unit_test(the_minimum_is_within_the_factor),
        cmocka_unit_test(potts_pairs_have_factor_two),
        cmocka_unit_test(reduction_changes_nothing),
        cmocka_unit_test(a_seed_repeats),
        cmocka_unit_test(sweeps_are_limited_and_a_limit_of_memory_holds),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests_name("expand", tests, NULL, NULL);
}
