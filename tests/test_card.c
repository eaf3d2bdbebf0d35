/* Grids as a graphics card solves them, by the same code on the CPU: against exhaustive search, and against sos_minimize. */
#include <stdlib.h>
#include <string.h>

#include "cuda/simulate.h"
#include "support.h"

enum { TABLES = 3, EXHAUSTIVE = 16 };

/* A random grid with all that it points to. */
typedef struct random_grid {
    sos_grid grid;
    int64_t *unary, *strength, *table;
    uint16_t *which;
    uint8_t *labels;
} random_grid;

static size_t pixels_of(const sos_grid *g) { return (size_t)g->width * g->height; }

/* A submodular function that is 0 at none and all: cuts and covers, less a base of theirs by the greedy order. */
static void function_random(sos_random *r, int64_t unit, int64_t f[SOS_GRID_SETS])
{
    memset(f, 0, SOS_GRID_SETS * sizeof *f);
    for (int i = 0; i < 3; i++) {
        const unsigned cover = 1 + (unsigned)sos_random_below(r, 15);
        const int64_t cost = (int64_t)sos_random_below(r, 50) * unit;
        for (unsigned S = 0; S < SOS_GRID_SETS; S++) f[S] += S & cover ? cost : 0;
    }
    for (int i = 0; i < SOS_GRID_PAIRS; i++) {
        const int64_t cost = (int64_t)sos_random_below(r, 20) * unit;
        for (unsigned S = 0; S < SOS_GRID_SETS; S++)
            f[S] += (S >> SOS_GRID_PAIR[i][0] & 1) > (S >> SOS_GRID_PAIR[i][1] & 1) ? cost : 0;
    }
    int64_t base[4];
    for (unsigned b = 0, S = 0; b < 4; S |= 1U << b++) base[b] = f[S | 1U << b] - f[S];
    for (unsigned S = 0; S < SOS_GRID_SETS; S++)
        for (unsigned b = 0; b < 4; b++) f[S] -= S >> b & 1 ? base[b] : 0;
}

/* unit: of all costs; many ties where it is 1. */
static random_grid grid_random(sos_random *r, size_t width, size_t height, int64_t unit)
{
    const size_t n = width * height;
    random_grid g = { .unary = test_room(NULL, n, sizeof *g.unary),
                      .strength = test_room(NULL, SOS_GRID_PAIRS * n, sizeof *g.strength),
                      .table = test_room(NULL, TABLES * SOS_GRID_SETS, sizeof *g.table),
                      .which = test_room(NULL, n, sizeof *g.which),
                      .labels = test_room(NULL, n, 1) };
    const uint64_t spread = sos_random_below(r, 3) ? 40 : 1;
    for (size_t p = 0; p < n; p++) g.unary[p] = ((int64_t)sos_random_below(r, 2 * spread + 1) - (int64_t)spread) * unit;
    for (size_t i = 0; i < SOS_GRID_PAIRS * n; i++)
        g.strength[i] = sos_random_below(r, 2) ? (int64_t)sos_random_below(r, 30) * unit : 0;
    for (size_t p = 0; p < n; p++) g.which[p] = (uint16_t)sos_random_below(r, TABLES);
    for (size_t t = 0; t < TABLES; t++) function_random(r, unit, g.table + t * SOS_GRID_SETS);
    const bool tables = sos_random_below(r, 2);
    g.grid = (sos_grid){ .width = (uint32_t)width,
                         .height = (uint32_t)height,
                         .unary = g.unary,
                         .tables = tables ? TABLES : 0,
                         .table = g.table,
                         .which = sos_random_below(r, 4) ? g.which : NULL,
                         .strength = g.strength,
                         .labels = g.labels };
    return g;
}

static void grid_free(random_grid *g)
{
    free(g->unary);
    free(g->strength);
    free(g->table);
    free(g->which);
    free(g->labels);
}

/* f of the patch at pixel p, by the definition. */
static int64_t cost_of(const sos_grid *g, size_t p, unsigned S)
{
    if (g->tables) return g->table[(g->which ? g->which[p] : 0) * (size_t)SOS_GRID_SETS + S];
    int64_t cost = 0;
    for (size_t i = 0; i < SOS_GRID_PAIRS; i++)
        if ((S >> SOS_GRID_PAIR[i][0] & 1) && !(S >> SOS_GRID_PAIR[i][1] & 1)) cost += g->strength[SOS_GRID_PAIRS * p + i];
    return cost;
}

static int64_t energy_of(const sos_grid *g, const uint8_t y[])
{
    int64_t energy = 0;
    for (size_t p = 0; p < pixels_of(g); p++) energy += y[p] ? g->unary[p] : 0;
    for (size_t row = 0; row + 1 < g->height; row++)
        for (size_t x = 0; x + 1 < g->width; x++) {
            const size_t p = row * g->width + x, below = p + g->width;
            energy += cost_of(g, p, (unsigned)(y[p] | y[p + 1] << 1 | y[below] << 2 | y[below + 1] << 3));
        }
    return energy;
}

static int64_t bound_of(const sos_grid *g) { return (int64_t)((uint64_t)g->bound_high << 32) + g->bound_low; }

static void small_grids_are_solved_to_the_smallest_minimum(void **state)
{
    (void)state;
    static const int64_t UNITS[] = { 1, 1000, INT64_C(1) << 40 };
    for (uint64_t c = 0; c < test_cases(600); c++) {
        sos_random r = test_case_begin(c);
        sos_error error;
        size_t width = 2, height = 2;
        do {
            width = 2 + sos_random_below(&r, 7);
            height = 2 + sos_random_below(&r, 7);
        } while (width * height > EXHAUSTIVE);
        const int64_t unit = UNITS[c % 3];
        random_grid g = grid_random(&r, width, height, unit);
        check_ok(sos_card_simulate(&g.grid, unit > 1000 || c % 2 ? 64 : 32, &error), error);
        int64_t least = INT64_MAX;
        uint32_t smallest = 0, found = 0;
        for (uint32_t Y = 0; Y < UINT32_C(1) << width * height; Y++) {
            uint8_t y[EXHAUSTIVE];
            for (size_t p = 0; p < width * height; p++) y[p] = Y >> p & 1;
            const int64_t energy = energy_of(&g.grid, y);
            if (energy < least) smallest = Y;
            if (energy == least) smallest &= Y;
            if (energy < least) least = energy;
        }
        for (size_t p = 0; p < width * height; p++) found |= (uint32_t)g.labels[p] << p;
        check(g.grid.solved && bound_of(&g.grid) == least && found == smallest);
        grid_free(&g);
    }
}

/* The same energy for the library, which gets its costs as doubles: integers below 2^53. */
static sos_energy *energy_build(const sos_grid *g)
{
    sos_error error;
    sos_energy *e;
    check_ok(sos_energy_create(pixels_of(g), &e, &error), error);
    for (size_t p = 0; p < pixels_of(g); p++) check_ok(sos_energy_set_unary(e, p, 0, (double)g->unary[p], &error), error);
    for (size_t row = 0; row + 1 < g->height; row++)
        for (size_t x = 0; x + 1 < g->width; x++) {
            const uint32_t p = (uint32_t)(row * g->width + x), members[] = { p, p + 1, p + g->width, p + g->width + 1 };
            double f[SOS_GRID_SETS];
            uint32_t table;
            for (unsigned S = 0; S < SOS_GRID_SETS; S++) f[S] = (double)cost_of(g, p, S);
            check_ok(sos_energy_add_table(e, 4, f, &table, &error), error);
            check_ok(sos_energy_add_cliques(e, table, 1, members, NULL, &error), error);
        }
    return e;
}

static void check_by_minimize(random_grid *g, int bits)
{
    sos_error error;
    sos_minimize_result result;
    uint8_t *labels = test_room(NULL, pixels_of(&g->grid), 1);
    sos_energy *e = energy_build(&g->grid);
    check_ok(sos_minimize(e, NULL, labels, &result, &error), error);
    check_ok(sos_card_simulate(&g->grid, bits, &error), error);
    check(g->grid.solved && (double)bound_of(&g->grid) == result.energy);
    check(!memcmp(labels, g->labels, pixels_of(&g->grid)));
    sos_energy_free(e);
    free(labels);
}

static void grids_of_several_tiles_have_the_labels_of_sos_minimize(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(24); c++) {
        sos_random r = test_case_begin(c);
        random_grid g = grid_random(&r, 2 + sos_random_below(&r, 90), 2 + sos_random_below(&r, 90), c % 2 ? 1 : 1000);
        check_by_minimize(&g, c % 3 ? 32 : 64);
        grid_free(&g);
    }
}

/* What one end has too much the other needs, and nothing but weak links lies between. */
static void what_is_far_away_is_reached(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 4; c++) {
        sos_random r = test_case_begin(c);
        const size_t length = 700, width = c % 2 ? 2 : length, height = c % 2 ? length : 3;
        random_grid g = grid_random(&r, width, height, 1);
        memset(g.unary, 0, width * height * sizeof *g.unary);
        g.unary[0] = 1000;
        g.unary[width * height - 1] = -1000;
        g.grid.tables = 0;
        for (size_t i = 0; i < SOS_GRID_PAIRS * width * height; i++) g.strength[i] = c < 2 ? 900 : 7;
        check_by_minimize(&g, 32);
        grid_free(&g);
    }
}

static void costs_of_zero_leave_what_is_free(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    sos_error error;
    random_grid g = grid_random(&r, 33, 32, 1);
    memset(g.unary, 0, pixels_of(&g.grid) * sizeof *g.unary);
    check_ok(sos_card_simulate(&g.grid, 32, &error), error);
    check(g.grid.solved && bound_of(&g.grid) == 0);
    for (size_t p = 0; p < pixels_of(&g.grid); p++) check(g.labels[p] == 0);
    grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_grids_are_solved_to_the_smallest_minimum),
        cmocka_unit_test(grids_of_several_tiles_have_the_labels_of_sos_minimize),
        cmocka_unit_test(what_is_far_away_is_reached),
        cmocka_unit_test(costs_of_zero_leave_what_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
