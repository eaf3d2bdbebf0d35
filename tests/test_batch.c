/* test_batch.c - a batch of energies is what each would be alone, for any number of threads. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 24 };

typedef struct batch {
    problem problems[COUNT];
    sos_energy *energies[COUNT];
    uint8_t *labels[COUNT], *wanted[COUNT];
    sos_minimize_result results[COUNT], expected[COUNT];
} batch;

/* Energies of every kind and of very different sizes, so that threads finish out of order. */
static void batch_create(batch *b, uint64_t c)
{
    sos_random r = test_case_begin(c);
    for (size_t i = 0; i < COUNT; i++) {
        const recipe wanted = { (costs)(i % COSTS_KINDS), 12, 14, 6, i & 1, true, true };
        if (i % 5) {
            b->problems[i] = problem_random(&r, &wanted);
        } else {
            double f[16];
            b->problems[i] = problem_grid(&r, 6 + 8 * i / 5, 20, COSTS_INTEGERS);
            table_random(&r, 4, COSTS_INTEGERS, f);
            problem_add_patches(&b->problems[i], problem_add_table(&b->problems[i], 4, f), 6 + 8 * i / 5, 20, 2, 2);
        }
        b->energies[i] = problem_build(&b->problems[i]);
        b->labels[i] = test_room(NULL, b->problems[i].n, 1);
        b->wanted[i] = test_room(NULL, b->problems[i].n, 1);
    }
}

static void batch_free(batch *b)
{
    for (size_t i = 0; i < COUNT; i++) {
        problem_free(&b->problems[i]);
        sos_energy_free(b->energies[i]);
        free(b->labels[i]);
        free(b->wanted[i]);
    }
}

static void solve_alone(batch *b, const sos_minimize_settings *s)
{
    sos_error error;
    for (size_t i = 0; i < COUNT; i++) check_ok(sos_minimize(b->energies[i], s, b->wanted[i], &b->expected[i], &error), error);
}

static void check_same(const sos_minimize_result *a, const sos_minimize_result *b)
{
    check(a->energy == b->energy && a->lower_bound == b->lower_bound && a->rounding == b->rounding);
    check(a->bits == b->bits && a->warm == b->warm && a->fixed == b->fixed);
    check(a->augmentations == b->augmentations && a->pushes == b->pushes);
    check(a->adoptions == b->adoptions && a->growths == b->growths);
}

/* The settings, or the defaults, for so many threads. */
static sos_minimize_settings on_threads(const sos_minimize_settings *settings, int threads)
{
    sos_minimize_settings s = settings ? *settings : sos_minimize_defaults();
    s.work.threads = threads;
    return s;
}

static void check_batch(batch *b, const sos_minimize_settings *settings, int threads)
{
    const sos_minimize_settings s = on_threads(settings, threads);
    sos_error error;
    for (size_t i = 0; i < COUNT; i++) memset(b->labels[i], 9, b->problems[i].n);
    memset(b->results, 0, sizeof b->results);
    check_ok(sos_minimize_batch(COUNT, (const sos_energy *const *)b->energies, &s, b->labels, b->results, &error), error);
    for (size_t i = 0; i < COUNT; i++) {
        check(!memcmp(b->labels[i], b->wanted[i], b->problems[i].n));
        check_same(&b->results[i], &b->expected[i]);
        check_certificate(&b->problems[i], b->labels[i], &b->results[i]);
    }
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    static const int THREADS[] = { 1, 2, 4, 0, 2, 64 };
    for (uint64_t c = 0; c < test_cases(12); c++) {
        static batch b;
        batch_create(&b, c * 1000);
        sos_minimize_settings s = sos_minimize_defaults();
        s.maximal = c & 1;
        s.reduce = !(c & 2);
        solve_alone(&b, &s);
        for (size_t t = 0; t < sizeof THREADS / sizeof *THREADS; t++) check_batch(&b, &s, THREADS[t]);
        batch_free(&b);
    }
}

static void a_memory_limit_holds_per_energy_and_the_others_are_solved(void **state)
{
    (void)state;
    static batch b;
    static const int THREADS[] = { 1, 2, 4 };
    batch_create(&b, 0);
    solve_alone(&b, NULL);
    sos_minimize_settings s = sos_minimize_defaults();
    s.memory_limit = b.expected[10].bytes - 1; /* of the grids, 0 and 5 fit and 10, 15, 20 do not */
    check(b.expected[5].bytes < s.memory_limit && b.expected[15].bytes > s.memory_limit);
    for (size_t t = 0; t < 3; t++) {
        sos_error error;
        s.work.threads = THREADS[t];
        for (size_t i = 0; i < COUNT; i++) memset(b.labels[i], 9, b.problems[i].n);
        check_error(sos_minimize_batch(COUNT, (const sos_energy *const *)b.energies, &s, b.labels, b.results, &error),
                    SOS_ERR_MEMORY, error, "energy 10", "limit");
        for (size_t i = 0; i < COUNT; i++) {
            if (b.expected[i].bytes > s.memory_limit) continue;
            check(!memcmp(b.labels[i], b.wanted[i], b.problems[i].n));
            check_same(&b.results[i], &b.expected[i]);
        }
    }
    batch_free(&b);
}

static void one_energy_may_appear_many_times(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    const recipe wanted = { COSTS_INTEGERS, 12, 14, 6, 1, true, true };
    problem p = problem_random(&r, &wanted);
    sos_energy *e = problem_build(&p);
    const oracle o = problem_solve_exhaustively(&p);
    const sos_energy *energies[50];
    static uint8_t rows[50][EXHAUSTIVE_MAX];
    uint8_t *labels[50];
    sos_minimize_result results[50];
    for (size_t i = 0; i < 50; i++) {
        energies[i] = e;
        labels[i] = rows[i];
    }
    sos_error error;
    const sos_minimize_settings s = on_threads(NULL, 4);
    check_ok(sos_minimize_batch(50, energies, &s, labels, results, &error), error);
    for (size_t i = 0; i < 50; i++) check_answer(&p, &o, false, labels[i], &results[i]);
    sos_energy_free(e);
    problem_free(&p);
}

static void an_empty_batch_is_no_error(void **state)
{
    (void)state;
    sos_error error;
    check_ok(sos_minimize_batch(0, NULL, NULL, NULL, NULL, &error), error);
}

static void results_and_error_may_be_left_out(void **state)
{
    (void)state;
    static batch b;
    batch_create(&b, 0);
    solve_alone(&b, NULL);
    const sos_minimize_settings s = on_threads(NULL, 2);
    check_is(sos_minimize_batch(COUNT, (const sos_energy *const *)b.energies, &s, b.labels, NULL, NULL), SOS_OK);
    for (size_t i = 0; i < COUNT; i++) check(!memcmp(b.labels[i], b.wanted[i], b.problems[i].n));
    batch_free(&b);
}

typedef struct watch {
    uint64_t calls, stop_at;
    int inside; /* calls at this moment; the library sees to it that there is one at most */
    bool alone;
} watch;

static bool watching(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    watch *w = user;
    w->alone &= ++w->inside == 1;
    const bool go_on = ++w->calls != w->stop_at;
    w->inside--;
    return go_on;
}

/* Done, and as alone; or not begun or not finished, and left alone. */
static bool is_done_or_untouched(const batch *b, size_t i)
{
    const size_t n = b->problems[i].n;
    if (b->results[i].bits) return !memcmp(b->labels[i], b->wanted[i], n);
    for (size_t v = 0; v < n; v++)
        if (b->labels[i][v] != 9) return false;
    return true;
}

static void a_batch_can_be_cancelled_at_any_moment(void **state)
{
    (void)state;
    static batch b;
    batch_create(&b, 0);
    solve_alone(&b, NULL);
    const sos_energy *const *energies = (const sos_energy *const *)b.energies;
    watch w = { .alone = true };
    sos_minimize_settings s = sos_minimize_defaults();
    s.work.progress = watching;
    s.work.user = &w;
    s.work.threads = 2;
    sos_error error;
    check_ok(sos_minimize_batch(COUNT, energies, &s, b.labels, b.results, &error), error);
    check(w.calls > 4 && w.alone);
    const uint64_t calls = w.calls;
    for (uint64_t stop = 1; stop <= calls; stop += calls / 12 + 1)
        for (int threads = 1; threads <= 4; threads += 3) {
            w = (watch){ .stop_at = stop, .alone = true };
            s.work.threads = threads;
            memset(b.results, 0, sizeof b.results);
            for (size_t i = 0; i < COUNT; i++) memset(b.labels[i], 9, b.problems[i].n);
            check_error(sos_minimize_batch(COUNT, energies, &s, b.labels, b.results, &error), SOS_CANCELLED, error,
                        "cancelled");
            check(w.calls == stop && w.alone);
            for (size_t i = 0; i < COUNT; i++) check(is_done_or_untouched(&b, i));
        }
    batch_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(a_memory_limit_holds_per_energy_and_the_others_are_solved),
        cmocka_unit_test(one_energy_may_appear_many_times),
        cmocka_unit_test(an_empty_batch_is_no_error),
        cmocka_unit_test(results_and_error_may_be_left_out),
        cmocka_unit_test(a_batch_can_be_cancelled_at_any_moment),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
