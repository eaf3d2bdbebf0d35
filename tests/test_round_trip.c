/* test_round_trip.c - random energies of every shape go through every format that can hold them and come back the same: few
 * variables with many cliques, tables that no clique has, functions of the count of both kinds, all variables fixed. */
#include <stdio.h>

#include "multi_energy_support.h"
#include "scratch.h"

/* What a format holds, and how exactly. */
typedef struct holder {
    const char *name;
    sos_format format;
    costs kinds[COSTS_KINDS];
    size_t kinds_count, members;
    bool counts, fixed, bits;
    double tolerance; /* of what it can be off, unless it keeps the bits */
} holder;

static const holder HOLDERS[] = {
    { "e.sos",
      SOS_FORMAT_SOS,
      { COSTS_SMALL, COSTS_INTEGERS, COSTS_LARGE, COSTS_DYADIC, COSTS_REALS, COSTS_HUGE, COSTS_TINY, COSTS_MIXED },
      8,
      7,
      true,
      true,
      true,
      0 },
    { "e.sosb",
      SOS_FORMAT_BINARY,
      { COSTS_SMALL, COSTS_INTEGERS, COSTS_LARGE, COSTS_DYADIC, COSTS_REALS, COSTS_HUGE, COSTS_TINY, COSTS_MIXED },
      8,
      7,
      true,
      true,
      true,
      0 },
    { "e.uai",
      SOS_FORMAT_UAI_ENERGIES,
      { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS },
      4,
      5,
      true,
      false,
      false,
      1e-14 },
    { "e.uai", SOS_FORMAT_UAI, { COSTS_SMALL, COSTS_DYADIC, COSTS_REALS, COSTS_TINY }, 4, 5, true, false, false, 1e-12 },
    { "e.max",
      SOS_FORMAT_DIMACS,
      { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS },
      4,
      2,
      false,
      false,
      false,
      1e-13 },
};

/* ---- random shapes ---- */

/* Mostly few of a thing, now and then far more than of all others. */
static size_t amount_random(sos_random *r, size_t few, size_t most)
{
    return (size_t)sos_random_below(r, sos_random_below(r, 4) ? few + 1 : most + 1);
}

enum { KNOTS_MOST = 6, MEMBERS_MOST = 20, VALUES_MOST = KNOTS_MOST * MANY_LABELS };

/* A function of the count, or of an amount, linear between knots. */
typedef struct curve {
    size_t k, knots;
    bool weighed; /* amounts are given */
    uint32_t variables[MEMBERS_MOST];
    double amounts[MEMBERS_MOST], place[KNOTS_MOST], value[VALUES_MOST], weight;
} curve;

/* n > 0.  Whole numbers, or quarters, so that the amounts add up to the last place exactly. */
static curve curve_random(sos_random *r, size_t n, size_t labels)
{
    curve c = { .k = 1 + (size_t)sos_random_below(r, n < MEMBERS_MOST ? n : MEMBERS_MOST), .weighed = sos_random_bits(r) & 1 };
    const double unit = sos_random_bits(r) & 1 ? 1 : 0.25;
    double total = 0;
    members_random(r, n, c.k, c.variables);
    for (size_t i = 0; i < c.k; i++) {
        c.amounts[i] = c.weighed ? unit * (double)(!i + sos_random_below(r, 5)) : 1;
        total += c.amounts[i];
    }
    c.place[c.knots++] = 0;
    for (double at = unit; at < total && c.knots + 1 < KNOTS_MOST; at += unit * (double)(1 + sos_random_below(r, 3)))
        c.place[c.knots++] = at;
    c.place[c.knots++] = total;
    for (size_t l = 0; l < labels; l++) {
        double *value = c.value + l * c.knots, slope = (double)sos_random_below(r, 9) - 3;
        value[0] = sos_random_below(r, 2) ? 0 : -1.5;
        for (size_t j = 1; j < c.knots; j++) {
            value[j] = value[j - 1] + slope * (c.place[j] - c.place[j - 1]);
            slope -= (double)sos_random_below(r, 3);
        }
    }
    c.weight = sos_random_below(r, 2) ? 1 : 0.75;
    return c;
}

static problem shape_random(sos_random *r, const holder *h, costs kind)
{
    const size_t concaves = h->counts ? amount_random(r, 2, 60) : 0;
    problem p = problem_random(r, &(recipe){ .kind = kind,
                                             .n = amount_random(r, 3, 16),
                                             .cliques = amount_random(r, 8, 60),
                                             .members = 1 + (size_t)sos_random_below(r, h->members),
                                             .weights = sos_random_bits(r) & 1 });
    const size_t most = sos_random_bits(r) & 1 ? 1 : SIZE_MAX;
    for (size_t c = 0; c < concaves; c++) problem_add_random_concave(r, &p, most, kind, sos_random_bits(r) & 1);
    const uint64_t fixed = h->fixed ? sos_random_below(r, 3) : 0; /* none, some, all */
    for (size_t i = 0; fixed && i < p.n; i++)
        if (fixed == 2 || !sos_random_below(r, 4)) p.fixed[i] = sos_random_bits(r) & 1;
    for (size_t t = amount_random(r, 0, 20); t; t--) {
        double f[1 << 3];
        const size_t k = 1 + (size_t)sos_random_below(r, h->members < 3 ? h->members : 3);
        table_random(r, k, kind, f);
        problem_add_table(&p, k, f);
    }
    return p;
}

static sos_energy *energy_random(sos_random *r, const holder *h, costs kind, double *magnitude)
{
    problem p = shape_random(r, h, kind);
    sos_energy *e = problem_build(&p);
    *magnitude = 1 + (double)problem_magnitude(&p);
    for (size_t c = h->counts && p.n && kind < COSTS_HUGE ? amount_random(r, 1, 20) : 0; c; c--) {
        const curve x = curve_random(r, p.n, 1);
        sos_error error;
        check_ok(sos_energy_add_pieces(e, x.k, x.variables, x.weighed ? x.amounts : NULL, x.knots, x.place, x.value, x.weight,
                                       &error),
                 error);
        for (size_t j = 0; j < x.knots; j++) *magnitude += fabs(x.value[j]);
    }
    problem_free(&p);
    return e;
}

/* ---- two labels ---- */

static sos_energy *through_memory(const sos_energy *e, sos_format format)
{
    sos_energy *again = NULL;
    sos_error error;
    char *text = NULL;
    size_t length;
    check_ok(sos_energy_write_memory(e, format, &text, &length, &error), error);
    check_ok(sos_energy_parse(text, length, "t", format, &again, &error), error);
    free(text);
    return again;
}

/* All labellings cost the same but for one constant, which potentials and flows need not hold. */
static void check_same_costs(const sos_energy *a, const sos_energy *b, sos_random *r, double tolerance)
{
    const size_t n = sos_energy_variables(a);
    check(n == sos_energy_variables(b));
    uint8_t *labels = test_room(NULL, n + 1, 1);
    double constant = 0;
    for (int t = 0; t < 30; t++) {
        for (size_t i = 0; i < n; i++) labels[i] = t && (sos_random_bits(r) & 1);
        const double difference = sos_energy_value(a, labels) - sos_energy_value(b, labels);
        if (!t) constant = difference;
        check(fabs(difference - constant) <= tolerance);
    }
    free(labels);
}

static void every_format_gives_back_what_it_was_given(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        const holder *h = &HOLDERS[c % (sizeof HOLDERS / sizeof *HOLDERS)];
        double magnitude;
        sos_energy *e = energy_random(&r, h, h->kinds[sos_random_below(&r, h->kinds_count)], &magnitude);
        sos_energy *again = through_memory(e, h->format);
        if (h->bits)
            check_same_energy(e, again);
        else
            check_same_costs(e, again, &r, h->tolerance * magnitude);
        sos_energy_free(again);
        sos_energy_free(e);
    }
}

/* A file is the bytes that go into memory, and its ending names the format. */
static void files_are_read_as_memory_is(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        const holder *h = &HOLDERS[c % (sizeof HOLDERS / sizeof *HOLDERS)];
        const sos_format format = h->format == SOS_FORMAT_UAI_ENERGIES ? h->format : SOS_FORMAT_AUTO;
        double magnitude;
        sos_energy *e = energy_random(&r, h, h->kinds[sos_random_below(&r, h->kinds_count)], &magnitude), *read = NULL;
        sos_error error;
        check_ok(sos_energy_write(e, scratch(h->name), format, &error), error);
        check_ok(sos_energy_read(scratch(h->name), format, &read, &error), error);
        sos_energy *parsed = through_memory(e, h->format);
        check_same_energy(read, parsed);
        sos_energy_free(parsed);
        sos_energy_free(read);
        sos_energy_free(e);
    }
}

/* ---- several labels ---- */

static void several_labels_come_back_to_the_bit(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(800); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = (costs)(c % COSTS_KINDS);
        many p = many_random(&r, amount_random(&r, 3, 12), 2 + (size_t)sos_random_below(&r, 7), amount_random(&r, 9, 40),
                             sos_random_bits(&r) & 1 ? 1 : 8, kind);
        sos_multi_energy *e = many_build(&p, false), *again = NULL;
        sos_error error;
        char *text = NULL;
        size_t length;
        for (size_t i = p.n && kind < COSTS_HUGE ? amount_random(&r, 1, 20) : 0; i; i--) {
            const curve x = curve_random(&r, p.n, p.labels);
            check_ok(sos_multi_energy_add_pieces(e, x.k, x.variables, x.weighed ? x.amounts : NULL, x.knots, x.place, x.value,
                                                 x.weight, &error),
                     error);
        }
        check_ok(sos_multi_energy_write_memory(e, SOS_FORMAT_MULTI, &text, &length, &error), error);
        check_ok(sos_multi_energy_parse(text, length, "t", c & 1 ? SOS_FORMAT_AUTO : SOS_FORMAT_MULTI, &again, &error), error);
        check_same_multi(e, again);
        free(text);
        sos_multi_energy_free(again);
        sos_multi_energy_free(e);
        many_free(&p);
    }
}

/* The smallest of all functions of the count: one member, two costs of a byte each. */
static void the_binary_form_holds_the_smallest_cliques(void **state)
{
    (void)state;
    for (size_t count = 1; count < 40; count++) {
        sos_energy *e = NULL;
        sos_error error;
        check_ok(sos_energy_create(1, &e, &error), error);
        for (size_t c = 0; c < count; c++)
            check_ok(sos_energy_add_concave(e, 1, (uint32_t[]){ 0 }, (double[]){ 0, 1 }, 1, &error), error);
        sos_energy *again = through_memory(e, SOS_FORMAT_BINARY);
        check_same_energy(e, again);
        sos_energy_free(again);
        sos_energy_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_back_what_it_was_given),
        cmocka_unit_test(files_are_read_as_memory_is),
        cmocka_unit_test(several_labels_come_back_to_the_bit),
        cmocka_unit_test(the_binary_form_holds_the_smallest_cliques),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
