/* test_allocation.c - every allocation fails in turn: the call says so, loses nothing, and works when repeated.
 *
 * Linked with --wrap for malloc, calloc, realloc and aligned_alloc, and with the static library, so that its calls come by
 * here.  With --wrap for free too, blocks are counted; without, leaks are left to LeakSanitizer. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block) __attribute__((weak)); /* missing where free is not wrapped */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static bool armed;      /* count, and fail when the countdown ends */
static bool lasting;    /* fail from then on, not just once */
static long countdown;  /* allocations that still succeed */
static long failures;   /* that were forced since arming */
static long seen_calls; /* allocations while armed */

static bool fails(void)
{
    if (!armed) return false;
    seen_calls++;
    if (countdown-- > 0) return false;
    if (countdown < -1 && !lasting) return false;
    failures++;
    return true;
}

static long live; /* blocks taken and not freed */

static void *taken(void *block)
{
    if (block) live++;
    return block;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : taken(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : taken(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : taken(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails()) return NULL;
    void *block = __real_realloc(old, size);
    if (!old && block) live++;
    return block;
}

void __wrap_free(void *block)
{
    if (block) live--;
    __real_free(block);
}

/* A call under the countdown.  Where an allocation failed in it, it must say SOS_ERR_MEMORY with words, and succeed when
 * repeated; otherwise it must succeed at once. */
#define attempt(call)                                                                                                          \
    do {                                                                                                                       \
        sos_error error = { SOS_OK, "" };                                                                                      \
        const long before = failures;                                                                                          \
        armed = true;                                                                                                          \
        const sos_status first = (call);                                                                                       \
        armed = false;                                                                                                         \
        if (failures == before) {                                                                                              \
            check_ok(first, error);                                                                                            \
        } else {                                                                                                               \
            check_error(first, SOS_ERR_MEMORY, error, "memory");                                                               \
            check_ok((call), error);                                                                                           \
        }                                                                                                                      \
    } while (0)

/* ---- the scenarios ---- */

static sos_energy *build(const problem *p)
{
    sos_energy *e = NULL;
    attempt(sos_energy_create(p->n, &e, &error));
    attempt(sos_energy_add_constant(e, p->constant, &error));
    attempt(sos_energy_set_unaries(e, p->cost0, p->cost1, &error));
    for (size_t i = 0; i < p->n; i++)
        if (p->fixed[i] != SOS_FREE) attempt(sos_energy_fix(e, i, p->fixed[i], &error));
    for (size_t t = 0; t < p->table_count; t++) {
        uint32_t number = UINT32_MAX;
        attempt(sos_energy_add_table(e, p->tables[t].k, p->tables[t].f, &number, &error));
        check(number == t);
    }
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_clique *q = &p->cliques[c];
        if (c == p->clique_count / 2) attempt(sos_energy_reserve(e, q->table, 3, &error));
        attempt(sos_energy_add_cliques(e, q->table, 1, q->variables, q->weight == 1 ? NULL : &q->weight, &error));
    }
    for (size_t c = 0; c < p->concave_count; c++)
        attempt(sos_energy_add_concave(e, p->concaves[c].k, p->concaves[c].variables, p->concaves[c].g, &error));
    check(sos_energy_cliques(e) == p->clique_count && sos_energy_concaves(e) == p->concave_count);
    return e;
}

static void run(sos_minimizer *m, const problem *p, const sos_energy *e, const sos_minimize_settings *s)
{
    const oracle o = problem_solve_exhaustively(p);
    uint8_t labels[EXHAUSTIVE_MAX];
    sos_minimize_result result;
    memset(labels, s->start == SOS_START_LABELS, sizeof labels);
    attempt(sos_minimizer_run(m, e, s, labels, &result, &error));
    check_answer(p, &o, s->maximal, labels, &result);
}

/* Another unary, then again from the last flow and from a guess, with both solvers. */
static void run_all(problem *p, sos_energy *e)
{
    sos_minimizer *m = NULL;
    sos_minimize_settings s = sos_minimize_defaults();
    attempt(sos_minimizer_create(&m, &error));
    run(m, p, e, &s);
    p->cost1[0] += 3;
    attempt(sos_energy_set_unary(e, 0, p->cost0[0], p->cost1[0], &error));
    s.start = SOS_START_FLOW;
    run(m, p, e, &s);
    s.start = SOS_START_LABELS;
    s.reduce = false;
    run(m, p, e, &s);
    s.start = SOS_START_COLD;
    s.solver = SOS_SOLVER_AUGMENT;
    s.maximal = true;
    run(m, p, e, &s);
    sos_minimizer_free(m);
}

static problem problem_of_case(uint64_t c)
{
    sos_random r = test_case_begin(c);
    problem p = problem_grid(&r, 3, 3, COSTS_SMALL);
    p.constant = 2;
    if (c == 1) p.fixed[4] = 1;
    double f[16];
    table_random(&r, 4, COSTS_SMALL, f);
    problem_add_patches(&p, problem_add_table(&p, 4, f), 3, 3, 2, 2);
    for (int more = 0; c && more < 3; more++) problem_add_random_clique(&r, &p, 5, COSTS_SMALL, true);
    for (uint64_t more = 0; more < c; more++) problem_add_random_concave(&r, &p, 9, COSTS_SMALL);
    return p;
}

static void build_and_minimise(uint64_t c)
{
    problem p = problem_of_case(c);
    sos_energy *e = build(&p);
    run_all(&p, e);
    sos_energy_free(e);
    problem_free(&p);
}

/* A minimizer that has served a small energy must grow for a larger one, and shrink again. */
static void grow_and_shrink(uint64_t c)
{
    problem small = problem_of_case(0), large = problem_of_case(2);
    sos_energy *e = problem_build(&small), *larger = problem_build(&large);
    sos_minimizer *m = NULL;
    sos_minimize_settings s = sos_minimize_defaults();
    s.solver = c & 1 ? SOS_SOLVER_AUGMENT : SOS_SOLVER_IBFS;
    attempt(sos_minimizer_create(&m, &error));
    run(m, &small, e, &s);
    run(m, &large, larger, &s);
    s.start = SOS_START_FLOW;
    run(m, &large, larger, &s);
    run(m, &small, e, &s);
    sos_minimizer_free(m);
    sos_energy_free(e);
    sos_energy_free(larger);
    problem_free(&small);
    problem_free(&large);
}

static void minimise_at_once_and_in_a_batch(uint64_t c)
{
    problem p = problem_of_case(c);
    const oracle o = problem_solve_exhaustively(&p);
    sos_energy *e = problem_build(&p);
    const sos_energy *energies[] = { e, e };
    uint8_t rows[2][EXHAUSTIVE_MAX], *labels[] = { rows[0], rows[1] };
    sos_minimize_result results[2];
    attempt(sos_minimize(e, NULL, labels[0], &results[0], &error));
    check_answer(&p, &o, false, labels[0], &results[0]);
    attempt(sos_minimize_batch(2, energies, NULL, 1, labels, results, &error));
    for (size_t i = 0; i < 2; i++) check_answer(&p, &o, false, labels[i], &results[i]);
    sos_energy_free(e);
    problem_free(&p);
}

static void parse_and_minimise(uint64_t c)
{
    static const char TEXT[] = "sos 1\nvariables 4\ncliques 3\ntables 2\nunary\n0 5\n3 0\n2 2\n0 1\n"
                               "table 2\n0 2 2 0\ntable 3\n0 3 3 4 3 4 4 3\n"
                               "clique 0 0 1\nclique 0 3 2\nclique 1 1 2 3\n";
    static const uint8_t ZEROS[4], MIXED[4] = { 0, 1, 1, 0 };
    (void)c;
    sos_energy *e = NULL;
    attempt(sos_energy_parse(TEXT, sizeof TEXT - 1, "text", SOS_FORMAT_SOS, &e, &error));
    check(sos_energy_variables(e) == 4 && sos_energy_cliques(e) == 3);
    check(sos_energy_value(e, ZEROS) == 5);
    check(sos_energy_value(e, MIXED) == 0 + 0 + 2 + 0 + 2 + 2 + 4);
    sos_energy_free(e);
}

/* ---- every allocation in turn ---- */

static void check_every_allocation(void (*scenario)(uint64_t), uint64_t c)
{
    for (int way = 0; way < 2; way++)
        for (long n = 0;; n++) {
            const long before = live;
            lasting = way;
            countdown = n;
            failures = seen_calls = 0;
            scenario(c);
            check(seen_calls > 0); /* else the library's calls do not come by here */
            if (__real_free && live != before)
                test_fail(__FILE__, __LINE__, "with allocation %ld failing, %ld blocks are lost", n, live - before);
            if (!failures) break;
        }
}

static void building_and_minimising_survives(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 3; c++) check_every_allocation(build_and_minimise, c);
}

static void a_minimizer_that_grows_survives(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) check_every_allocation(grow_and_shrink, c);
}

static void one_call_and_a_batch_survive(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 3; c++) check_every_allocation(minimise_at_once_and_in_a_batch, c);
}

static void parsing_survives(void **state)
{
    (void)state;
    check_every_allocation(parse_and_minimise, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_and_minimising_survives),
        cmocka_unit_test(a_minimizer_that_grows_survives),
        cmocka_unit_test(one_call_and_a_batch_survive),
        cmocka_unit_test(parsing_survives),
    };
    return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
