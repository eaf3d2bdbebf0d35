#include "squares.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "measure.h"

/* Highest where half of the members are ones, 40 a member. */
static void region_add(sos_energy *e, size_t k, const uint32_t member[], size_t pieces)
{
    sos_error error;
    double *place = room(pieces + 2, sizeof *place), *value = room(pieces + 2, sizeof *value);
    size_t knots = 0;
    for (size_t j = 0; j < pieces + 2; j++) {
        const double x = rint((double)(k * j) / (double)(pieces + 1)), share = x / (double)k;
        if (knots && x <= place[knots - 1]) continue;
        place[knots] = x;
        value[knots++] = (double)k * 160 * share * (1 - share);
    }
    must(sos_energy_add_pieces(e, k, member, NULL, knots, place, value, 1, &error), &error);
    free(place);
    free(value);
}

/* Squares of so many pixels; the last ones may be cut. */
static void squares_add(sos_energy *e, const regions_case *c, size_t members)
{
    const size_t side = (size_t)sqrt((double)members);
    uint32_t *member = room(side * side, sizeof *member);
    for (size_t y = 0; y < c->height; y += side)
        for (size_t x = 0; x < c->width; x += side) {
            size_t k = 0;
            for (size_t i = 0; i < side * side; i++)
                if (x + i % side < c->width && y + i / side < c->height)
                    member[k++] = (uint32_t)((y + i / side) * c->width + x + i % side);
            if (k > 1) region_add(e, k, member, c->pieces);
        }
    free(member);
}

/* 64 sets of pixels wherever they lie. */
static void sets_add(sos_energy *e, const regions_case *c, sos_random *r)
{
    enum { SETS = 64 };
    const size_t n = c->width * c->height;
    uint8_t *set = room(n, 1);
    uint32_t *member = room(n, sizeof *member);
    for (size_t i = 0; i < n; i++) set[i] = (uint8_t)sos_random_below(r, SETS);
    for (size_t s = 0; s < SETS; s++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if (set[i] == s) member[k++] = (uint32_t)i;
        region_add(e, k, member, c->pieces);
    }
    free(set);
    free(member);
}

/* Squares of 60 pixels in strong noise. */
sos_energy *regions_build(const regions_case *c)
{
    static const double POTTS[] = { 0, 10, 10, 0 };
    sos_energy *e;
    sos_error error;
    uint32_t table;
    sos_random r = sos_random_seeded(1);
    must(sos_energy_create(c->width * c->height, &e, &error), &error);
    must(sos_energy_add_table(e, 2, POTTS, &table, &error), &error);
    must(sos_energy_add_patches(e, table, c->width, c->height, 2, 1, NULL, &error), &error);
    must(sos_energy_add_patches(e, table, c->width, c->height, 1, 2, NULL, &error), &error);
    for (size_t i = 0; i < c->width * c->height; i++) {
        const double square = (i % c->width / 60 + i / c->width / 60) % 2 ? 12 : -8;
        must(sos_energy_set_unary(e, i, 0, square + 160 * (sos_random_uniform(&r) - 0.5), &error), &error);
    }
    squares_add(e, c, c->members);
    if (c->layers) {
        squares_add(e, c, 4 * c->members);
        squares_add(e, c, 16 * c->members);
        sets_add(e, c, &r);
    }
    return e;
}
