/* Who calls the library for graphics cards, with one that simulates a card: answers are those of the CPU, whatever fails. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "album.h"
#include "support.h"

enum { BATCH = 7, TABLES = 3 };

static double random_cost(sos_random *r, bool whole)
{
    const double x = (double)sos_random_below(r, 2001) - 1000;
    return whole ? x : x / 700 + x / 3000;
}

/* A submodular table: covers and cuts. */
static void patch_table(sos_random *r, bool whole, double f[16])
{
    memset(f, 0, 16 * sizeof *f);
    for (int i = 0; i < 5; i++) {
        const unsigned cover = 1 + (unsigned)sos_random_below(r, 15);
        const double cost = fabs(random_cost(r, whole));
        for (unsigned S = 0; S < 16; S++) f[S] += (S & cover) && (i % 2 || (S & cover) != cover) ? cost : 0;
    }
    const double base = random_cost(r, whole);
    for (unsigned S = 0; S < 16; S++) f[S] += base;
}

static sos_energy *noise_energy(sos_random *r, size_t n, bool whole)
{
    sos_error error;
    sos_energy *e;
    check_ok(sos_energy_create(n, &e, &error), error);
    for (size_t p = 0; p < n; p++)
        check_ok(sos_energy_set_unary(e, p, random_cost(r, whole), random_cost(r, whole), &error), error);
    return e;
}

/* The function of a patch is submodular where both covers and cuts are; the cut of a set and the rest of it is. */
static sos_energy *grid_energy(sos_random *r, size_t width, size_t height, bool whole)
{
    sos_error error;
    sos_energy *e = noise_energy(r, width * height, whole);
    for (uint32_t t = 0; t < TABLES; t++) {
        double f[16];
        uint32_t number;
        patch_table(r, whole, f);
        check_ok(sos_energy_add_table(e, 4, f, &number, &error), error);
    }
    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            const uint32_t p = (uint32_t)(y * width + x), w = (uint32_t)width, patch[] = { p, p + 1, p + w, p + w + 1 };
            check_ok(sos_energy_add_cliques(e, (uint32_t)sos_random_below(r, TABLES), 1, patch, NULL, &error), error);
        }
    return e;
}

/* A submodular table of two, not symmetric. */
static void pair_table(sos_random *r, bool whole, double f[4])
{
    for (int S = 0; S < 4; S++) f[S] = random_cost(r, whole);
    f[3] = f[1] + f[2] - f[0] - fabs(random_cost(r, whole)) / 4;
}

static void pair_add(sos_random *r, sos_energy *e, bool weighted, uint32_t a, uint32_t b)
{
    sos_error error;
    const double weight = (double)sos_random_below(r, 100) / 7;
    const uint32_t pair[] = { a, b }, turned[] = { b, a };
    check_ok(sos_energy_add_cliques(e, (uint32_t)sos_random_below(r, TABLES), 1, sos_random_below(r, 2) ? pair : turned,
                                    weighted ? &weight : NULL, &error),
             error);
}

/* Pairs of neighbours, nine of ten of them and some twice, one way round or the other. */
static sos_energy *pairs_energy(sos_random *r, size_t width, size_t height, bool whole, bool diagonals)
{
    sos_error error;
    sos_energy *e = noise_energy(r, width * height, whole);
    for (uint32_t t = 0; t < TABLES; t++) {
        double f[4];
        uint32_t number;
        pair_table(r, whole, f);
        check_ok(sos_energy_add_table(e, 2, f, &number, &error), error);
    }
    for (uint32_t p = 0; p < width * height; p++) {
        const uint32_t w = (uint32_t)width, right = p % w + 1 < w, below = p / w + 1 < height;
        const bool there[] = { right, below, diagonals && right && below, diagonals && below && p % w };
        const uint32_t other[] = { p + 1, p + w, p + w + 1, p + w - 1 };
        for (int i = 0; i < 4; i++)
            for (uint64_t often = there[i] ? (sos_random_below(r, 20) + 17) / 18 : 0; often; often--)
                pair_add(r, e, !whole, p, other[i]);
    }
    return e;
}

/* Some other energy: a pair more, which no card takes. */
static sos_energy *other_energy(sos_random *r, size_t width, size_t height)
{
    static const double PAIR[] = { 0, 5, 5, 0 };
    sos_error error;
    uint32_t table;
    sos_energy *e = grid_energy(r, width, height, true);
    check_ok(sos_energy_add_table(e, 2, PAIR, &table, &error), error);
    check_ok(sos_energy_add_cliques(e, table, 1, (uint32_t[]){ 0, (uint32_t)(width * height - 1) }, NULL, &error), error);
    return e;
}

typedef struct answers {
    uint8_t *labels[BATCH];
    sos_minimize_result results[BATCH];
} answers;

static void answers_make(answers *a, sos_energy *const e[BATCH])
{
    for (size_t i = 0; i < BATCH; i++) a->labels[i] = test_room(NULL, sos_energy_variables(e[i]), 1);
}

static void answers_free(answers *a)
{
    for (size_t i = 0; i < BATCH; i++) free(a->labels[i]);
}

static void solve(sos_energy *const e[BATCH], sos_device device, answers *a)
{
    sos_error error;
    sos_minimize_settings s = sos_minimize_defaults();
    s.device = device;
    s.work.threads = 2;
    check_ok(sos_minimize_batch(BATCH, (const sos_energy *const *)e, &s, a->labels, a->results, &error), error);
}

/* Grids of several sizes and costs, of patches and of pairs, the third of which is none, the last too large for the simulated
 * card's memory. */
static void energies_make(sos_random *r, sos_energy *e[BATCH])
{
    for (size_t i = 0; i + 1 < BATCH; i++) {
        const size_t width = 2 + sos_random_below(r, 60), height = 2 + sos_random_below(r, 60);
        e[i] = i == 2  ? other_energy(r, width, height)
               : i < 4 ? grid_energy(r, width, height, i % 2)
                       : pairs_energy(r, 2 + (width - 2) / (i == 5 ? 20 : 1), height, sos_random_below(r, 2), i == 5);
    }
    e[BATCH - 1] = grid_energy(r, 240, 230, true);
}

/* Labels of both, and what is proven. */
static void check_same(sos_energy *const e[BATCH], const answers *card, const answers *cpu)
{
    for (size_t i = 0; i < BATCH; i++) {
        check(!memcmp(card->labels[i], cpu->labels[i], sos_energy_variables(e[i])));
        check(card->results[i].energy == cpu->results[i].energy && card->results[i].bits == cpu->results[i].bits);
        check(card->results[i].rounding == cpu->results[i].rounding);
        check(card->results[i].lower_bound <= card->results[i].energy);
        check(card->results[i].energy - card->results[i].lower_bound <=
              2 * card->results[i].rounding + 1e-9 * fabs(card->results[i].energy));
    }
}

static size_t count_on(const answers *a, sos_device device)
{
    size_t count = 0;
    for (size_t i = 0; i < BATCH; i++) count += a->results[i].device == device;
    return count;
}

/* fault: NULL, or of card_simulated.cpp; on_card: so many energies are to be solved there. */
static void check_batches(const char *fault, size_t on_card)
{
    for (uint64_t c = 0; c < 8; c++) {
        sos_random r = test_case_begin(c);
        sos_energy *e[BATCH];
        answers card, cpu;
        energies_make(&r, e);
        answers_make(&card, e);
        answers_make(&cpu, e);
        if (fault) check(!setenv("SOS_CARD_FAULT", fault, 1));
        solve(e, SOS_DEVICE_CARD, &card);
        check(!unsetenv("SOS_CARD_FAULT"));
        solve(e, SOS_DEVICE_CPU, &cpu);
        check_same(e, &card, &cpu);
        check(on_card == SIZE_MAX || count_on(&card, SOS_DEVICE_CARD) == on_card);
        check(count_on(&cpu, SOS_DEVICE_CPU) == BATCH);
        answers_free(&card);
        answers_free(&cpu);
        for (size_t i = 0; i < BATCH; i++) sos_energy_free(e[i]);
    }
}

static void a_batch_on_the_card_has_the_labels_of_the_cpu(void **state)
{
    (void)state;
    check_batches(NULL, BATCH - 2);
}

static void what_the_card_fails_at_the_cpu_does(void **state)
{
    (void)state;
    check_batches("name", 0);
    check_batches("lay", 0);
    check_batches("start", 0);
    check_batches("finish", 0);
    check_batches("unsolved", SIZE_MAX);
}

static void while_the_card_is_slow_the_cpu_does_its_work(void **state)
{
    (void)state;
    check_batches("slow", 0);
    check_batches("late", SIZE_MAX);
    check_batches("vain", 0);
}

static void a_minimizer_uses_it_and_the_cpu_in_turns(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    sos_minimizer *m;
    sos_minimize_result result;
    sos_minimize_settings s = sos_minimize_defaults();
    enum { W = 40, H = 33 };
    uint8_t *labels = test_room(NULL, W * H, 1), *expected = test_room(NULL, W * H, 1);
    sos_energy *e = grid_energy(&r, W, H, true);
    s.work.threads = 1; /* a second one would race the card */
    check_ok(sos_minimizer_create(&m, &error), error);
    for (int i = 0; i < 6; i++) {
        s.device = i % 3 == 1 ? SOS_DEVICE_CARD : SOS_DEVICE_CPU;
        s.start = SOS_START_FLOW;
        check_ok(sos_energy_set_unary(e, (size_t)i, 0, -500, &error), error);
        check_ok(sos_minimizer_run(m, e, &s, labels, &result, &error), error);
        check(result.device == s.device && result.energy == result.lower_bound);
        s.start = SOS_START_COLD;
        s.device = SOS_DEVICE_CPU;
        check_ok(sos_minimize(e, &s, expected, NULL, &error), error);
        check(!memcmp(labels, expected, W * H));
    }
    sos_minimizer_free(m);
    sos_energy_free(e);
    free(labels);
    free(expected);
}

static bool never(void *user, const char *phase, double done)
{
    (void)user, (void)phase, (void)done;
    return false;
}

static bool three_times(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    return ++*(int *)user <= 3;
}

static void it_can_be_cancelled_while_the_card_works(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    sos_energy *e = grid_energy(&r, 200, 200, true);
    int asked = 0;
    sos_minimize_settings s = sos_minimize_defaults();
    uint8_t *labels = test_room(NULL, 40000, 1);
    memset(labels, 7, 40000);
    s.device = SOS_DEVICE_CARD;
    s.work = (sos_work){ .threads = 2, .progress = three_times, .user = &asked };
    check(!setenv("SOS_CARD_FAULT", "slow", 1));
    check(sos_minimize(e, &s, labels, NULL, &error) == SOS_CANCELLED);
    check(!unsetenv("SOS_CARD_FAULT"));
    for (size_t i = 0; i < 40000; i++) check(labels[i] == 7);
    sos_energy_free(e);
    free(labels);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    sos_energy *e = grid_energy(&r, 20, 20, true);
    sos_minimize_settings s = sos_minimize_defaults();
    uint8_t labels[400];
    memset(labels, 7, sizeof labels);
    s.device = SOS_DEVICE_CARD;
    s.work.progress = never;
    check(sos_minimize(e, &s, labels, NULL, &error) == SOS_CANCELLED);
    check(sos_minimize_batch(1, (const sos_energy *[]){ e }, &s, (uint8_t *[]){ labels }, NULL, &error) == SOS_CANCELLED);
    for (size_t i = 0; i < sizeof labels; i++) check(labels[i] == 7);
    sos_energy_free(e);
}

static size_t solved_on_card(void)
{
    const char *solved = getenv("SOS_CARD_SOLVED");
    return solved ? strtoull(solved, NULL, 10) : 0;
}

/* The weights of the CPU, and its rounds; on the card: as many minimisations as it makes. */
static void check_training(const sos_train_settings *settings, const char *fault, bool all)
{
    album a = album_create(ALBUM_MOST, 0);
    double cpu[ALBUM_WEIGHTS], card[ALBUM_WEIGHTS];
    sos_train_settings s = *settings;
    s.device = SOS_DEVICE_CPU;
    const sos_train_result expected = album_train(&a, &s, cpu);
    const size_t before = solved_on_card();
    s.device = SOS_DEVICE_CARD;
    if (fault) check(!setenv("SOS_CARD_FAULT", fault, 1));
    const sos_train_result got = album_train(&a, &s, card);
    check(!unsetenv("SOS_CARD_FAULT"));
    check(!memcmp(cpu, card, sos_model_weight_count(a.model) * sizeof *cpu));
    check(got.last.round == expected.last.round && got.last.oracle_calls == expected.last.oracle_calls);
    check(got.last.primal == expected.last.primal && got.last.dual == expected.last.dual);
    check(!all || solved_on_card() - before == got.last.oracle_calls);
    album_free(&a);
}

static void training_on_the_card_finds_the_weights_of_the_cpu(void **state)
{
    (void)state;
    sos_train_settings s = album_settings();
    check_training(&s, NULL, true);
    check_training(&s, "start", false);
    check_training(&s, "unsolved", false);
    s.warm = false;
    s.slacks = 1;
    check_training(&s, NULL, true);
    s.slacks = ALBUM_MOST;
    s.work.threads = 1;
    s.cache = 0;
    s.gap = 1e-9; /* weights of cliques in full, which are the CPU's */
    check_training(&s, NULL, false);
}

static void small_energies_stay_on_the_cpu_of_themselves(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    sos_minimize_result result;
    sos_energy *e = grid_energy(&r, 20, 20, true);
    uint8_t labels[400];
    char name[64];
    check_ok(sos_card_name(name, sizeof name, &error), error);
    check(!strcmp(name, "a simulated card"));
    check_ok(sos_minimize(e, NULL, labels, &result, &error), error);
    check(result.device == SOS_DEVICE_CPU);
    sos_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_on_the_card_has_the_labels_of_the_cpu),
        cmocka_unit_test(what_the_card_fails_at_the_cpu_does),
        cmocka_unit_test(while_the_card_is_slow_the_cpu_does_its_work),
        cmocka_unit_test(a_minimizer_uses_it_and_the_cpu_in_turns),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(it_can_be_cancelled_while_the_card_works),
        cmocka_unit_test(training_on_the_card_finds_the_weights_of_the_cpu),
        cmocka_unit_test(small_energies_stay_on_the_cpu_of_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
