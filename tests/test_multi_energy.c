/* test_multi_energy.c - energies with several labels: values by the definition, parametric forms, bounds, what is refused. */
#include "multi_energy_support.h"

static void values_are_those_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(800); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = (costs)(c % COSTS_KINDS);
        many p = many_random(&r, (size_t)sos_random_below(&r, 30), 2 + (size_t)sos_random_below(&r, 7), 12, 8, kind);
        sos_multi_energy *forms = many_build(&p, false), *tables = many_build(&p, true);
        uint8_t *y = test_room(NULL, p.n, 1);
        const bool adds_exactly = kind == COSTS_SMALL || kind == COSTS_INTEGERS || kind == COSTS_DYADIC;
        const long double off = adds_exactly ? 0 : many_tolerance(&p);
        for (int tries = 0; tries < 10; tries++) {
            many_labels_random(&r, &p, y);
            if (tries == 0) memset(y, (int)(c % p.labels), p.n);
            const long double value = many_value(&p, y);
            check(fabsl(value - sos_multi_energy_value(forms, y)) <= off);
            check(fabsl(value - sos_multi_energy_value(tables, y)) <= off);
            check(sos_multi_energy_lower_bound(forms) <= value + many_tolerance(&p));
            check(sos_multi_energy_lower_bound(tables) <= value + many_tolerance(&p));
        }
        check(sos_multi_energy_variables(forms) == p.n && sos_multi_energy_labels(forms) == p.labels);
        check(sos_multi_energy_cliques(forms) + sos_multi_energy_count_cliques(forms) == p.count);
        for (size_t i = 0; i < p.n * p.labels; i++)
            check(sos_multi_energy_unary(forms, i / p.labels, i % p.labels) == p.unary[i]);
        free(y);
        sos_multi_energy_free(forms);
        sos_multi_energy_free(tables);
        many_free(&p);
    }
}

/* The members of a term that counts, sorted, which is how they are read back. */
static bool has_members(const term *t, const uint32_t variables[])
{
    for (size_t q = 0; q < t->k; q++) {
        if (q && variables[q - 1] >= variables[q]) return false;
        bool found = false;
        for (size_t p = 0; p < t->k; p++) found |= t->variables[p] == variables[q];
        if (!found) return false;
    }
    return true;
}

static void check_count_term(const many *p, const term *t, sos_counts c)
{
    check(c.k == t->k && c.weight == t->weight && has_members(t, c.variables));
    check(c.kind == (t->kind == TERM_COUNTS ? SOS_COUNTS_COSTS : SOS_COUNTS_ROBUST));
    if (c.kind == SOS_COUNTS_COSTS) check_same_numbers(c.as.g, t->g, p->labels * (t->k + 1));
    for (size_t l = 0; c.kind == SOS_COUNTS_ROBUST && l < p->labels; l++)
        check(c.as.robust.agree[l] == t->agree[l] && c.as.robust.reach[l] == (t->kind == TERM_PN ? 1 : t->reach[l]) &&
              c.as.robust.most == t->most);
}

/* Cliques are numbered by size; among those of one size they keep the order of the terms. */
static void check_table_term(const many *p, const term *t, const sos_multi_energy *e, size_t number)
{
    const sos_clique c = sos_multi_energy_clique(e, number);
    size_t k;
    const double *g = sos_multi_energy_tables(e, c.table, &k);
    check(c.k == t->k && k == t->k && c.weight == t->weight && !memcmp(c.variables, t->variables, k * sizeof *c.variables));
    for (size_t S = 0; t->kind == TERM_POTTS && S < 4 * p->labels; S++) check(g[S] == (S % 4 == 1 || S % 4 == 2 ? 0.5 : 0));
    if (t->kind == TERM_TABLES) check_same_numbers(g, t->g, p->labels << k);
}

static void all_that_was_put_in_can_be_read_and_copied(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, (size_t)sos_random_below(&r, 12), 2 + (size_t)sos_random_below(&r, 7), 12, 6,
                             (costs)(c % COSTS_KINDS));
        sos_multi_energy *e = many_build(&p, false), *copy = NULL, *fresh = many_build(&p, false);
        check(sos_multi_energy_constant(e) == p.constant);
        size_t counted = 0, tabled = 0;
        for (size_t t = 0; t < p.count; t++)
            if (p.terms[t].kind != TERM_TABLES && p.terms[t].kind != TERM_POTTS)
                check_count_term(&p, &p.terms[t], sos_multi_energy_counts(e, counted++));
        for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
            for (size_t t = 0; t < p.count; t++)
                if (p.terms[t].k == k && (p.terms[t].kind == TERM_TABLES || p.terms[t].kind == TERM_POTTS))
                    check_table_term(&p, &p.terms[t], e, tabled++);
        check(counted == sos_multi_energy_count_cliques(e) && tabled == sos_multi_energy_cliques(e));

        sos_error error;
        check_ok(sos_multi_energy_copy(e, &copy, &error), error);
        check_same_multi(e, copy);
        check_ok(sos_multi_energy_add_constant(copy, 1, &error), error);
        check_ok(sos_multi_energy_set_unaries(copy, NULL, &error), error);
        for (size_t i = 0; i < counted; i++)
            check_ok(sos_multi_energy_set_count_weights(copy, i, 1, (double[]){ 5 }, &error), error);
        if (p.n > 1) check_ok(sos_multi_energy_add_potts(copy, 1, (uint32_t[]){ 0, 1 }, NULL, &error), error);
        check_same_multi(e, fresh);
        sos_multi_energy_free(e);
        uint8_t *y = test_room(NULL, p.n, 1);
        memset(y, 0, p.n);
        check(isfinite(sos_multi_energy_value(copy, y)));
        free(y);
        sos_multi_energy_free(copy);
        sos_multi_energy_free(fresh);
        many_free(&p);
    }
}

/* Volumes as sos_energy has them. */
static void volumes_have_patches_too(void **state)
{
    (void)state;
    sos_multi_energy *several = NULL;
    sos_energy *two = NULL;
    sos_error error;
    uint32_t set, table;
    const double g[3 * 16] = { 0 };
    check_ok(sos_multi_energy_create(3 * 4 * 5, 3, &several, &error), error);
    check_ok(sos_energy_create(3 * 4 * 5, &two, &error), error);
    check_ok(sos_multi_energy_add_tables(several, 4, g, &set, &error), error);
    check_ok(sos_energy_add_table(two, 4, g, &table, &error), error);
    check_ok(sos_multi_energy_add_volume_patches(several, set, 3, 4, 5, 2, 1, 2, NULL, &error), error);
    check_ok(sos_energy_add_volume_patches(two, table, 3, 4, 5, 2, 1, 2, NULL, &error), error);
    check(sos_multi_energy_cliques(several) == 2 * 4 * 4 && sos_energy_cliques(two) == 2 * 4 * 4);
    for (size_t c = 0; c < 32; c++)
        check(
            !memcmp(sos_multi_energy_clique(several, c).variables, sos_energy_clique(two, c).variables, 4 * sizeof(uint32_t)));
    sos_multi_energy_free(several);
    sos_energy_free(two);
}

/* One clique alone, of up to 6 members: the bound is its least value. */
static void the_bound_of_one_clique_is_its_least_value(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        const size_t k = 1 + (size_t)sos_random_below(&r, 5);
        many p = many_random(&r, k, 2 + (size_t)sos_random_below(&r, 3), 0, 1, COSTS_INTEGERS);
        memset(p.unary, 0, p.n * p.labels * sizeof *p.unary);
        const term_kind kind = (term_kind)sos_random_below(&r, TERM_KINDS);
        if (kind == TERM_POTTS && k < 2) {
            many_free(&p);
            continue;
        }
        term_fill(&r, &p, COSTS_INTEGERS, many_add(&p, kind, kind == TERM_POTTS ? 2 : k));
        for (int tables = 0; tables < 2; tables++) {
            sos_multi_energy *e = many_build(&p, tables);
            if (sos_multi_energy_lower_bound(e) != (double)many_least(&p))
                test_fail(__FILE__, __LINE__, "the bound is %g, the least value %g", sos_multi_energy_lower_bound(e),
                          (double)many_least(&p));
            sos_multi_energy_free(e);
        }
        many_free(&p);
    }
}

static void costs_and_weights_can_be_set_again(void **state)
{
    (void)state;
    sos_multi_energy *e;
    sos_error error;
    uint32_t set;
    const double first[12] = { 0, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0 }, second[12] = { 5, 0, 0, -6, 0, 0, 0, 0, 1, 1, 1, 1 };
    const uint8_t same[3] = { 0, 0, 0 }, mixed[3] = { 0, 1, 2 };
    check_ok(sos_multi_energy_create(3, 3, &e, &error), error);
    check_ok(sos_multi_energy_add_tables(e, 2, first, &set, &error), error);
    check_ok(sos_multi_energy_add_cliques(e, set, 2, (uint32_t[]){ 0, 1, 1, 2 }, NULL, &error), error);
    check(sos_multi_energy_value(e, same) == 0 && sos_multi_energy_value(e, mixed) == 1 + 2 + 2 + 3);
    check_ok(sos_multi_energy_set_weights(e, 1, 1, (double[]){ 10 }, &error), error);
    check(sos_multi_energy_value(e, mixed) == 1 + 2 + 10 * (2 + 3));
    check_ok(sos_multi_energy_set_tables(e, set, second, &error), error);
    check(sos_multi_energy_value(e, same) == 11 * (-6 + 0 + 1));
    check_ok(sos_multi_energy_set_unary(e, 2, (double[]){ 1, 2, 100 }, &error), error);
    check(sos_multi_energy_unary(e, 2, 2) == 100 && sos_multi_energy_unary(e, 1, 2) == 0);
    check_ok(sos_multi_energy_set_unaries(e, NULL, &error), error);
    check(sos_multi_energy_unary(e, 2, 2) == 0);
    check_ok(sos_multi_energy_add_robust(e, 3, (uint32_t[]){ 2, 0, 1 }, (double[]){ 1, 2, 3 }, NULL, 4, 1, &error), error);
    check_ok(sos_multi_energy_set_count_weights(e, 0, 1, (double[]){ 0.5 }, &error), error);
    check(sos_multi_energy_value(e, same) == 11 * (-6 + 0 + 1) + 0.5);
    check(isnan(sos_multi_energy_value(e, (uint8_t[]){ 0, 3, 0 })));
    sos_multi_energy_free(e);
}

static void images_have_their_patches(void **state)
{
    (void)state;
    sos_multi_energy *e;
    sos_error error;
    uint32_t set;
    double g[48] = { 0 };
    g[16 + 15] = -1; /* label 1 in a whole patch */
    check_ok(sos_multi_energy_create(12, 3, &e, &error), error);
    check_ok(sos_multi_energy_add_tables(e, 4, g, &set, &error), error);
    check_ok(sos_multi_energy_add_patches(e, set, 4, 3, 2, 2, NULL, &error), error);
    check(sos_multi_energy_cliques(e) == 6);
    check(sos_multi_energy_value(e, (uint8_t[]){ 1, 1, 1, 0, 1, 1, 1, 2, 0, 1, 1, 0 }) == -3);
    sos_multi_energy_free(e);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    sos_multi_energy *e = NULL;
    sos_error error;
    uint32_t set = 77;
    check_error(sos_multi_energy_create(2, 1, &e, &error), SOS_ERR_ARGUMENT, error, "1 labels");
    check_error(sos_multi_energy_create(2, 0, &e, &error), SOS_ERR_ARGUMENT, error, "0 labels");
    check_error(sos_multi_energy_create(2, 256, &e, &error), SOS_ERR_ARGUMENT, error, "256 labels");
    check_error(sos_multi_energy_create(2, 3, NULL, &error), SOS_ERR_ARGUMENT, error, "no place");
    check(!e);
    check_ok(sos_multi_energy_create(3, 3, &e, &error), error);
    const double bad[12] = { 0, 1, 1, 0, 0, 1, 1, 3, 0, 0, 0, 0 };
    check_error(sos_multi_energy_add_tables(e, 2, bad, &set, &error), SOS_ERR_NOT_SUBMODULAR, error, "label 1", "S = 0",
                "i = 0", "j = 1");
    check_error(sos_multi_energy_add_tables(e, 0, bad, &set, &error), SOS_ERR_ARGUMENT, error, "0 members");
    check_error(sos_multi_energy_add_tables(e, 17, bad, &set, &error), SOS_ERR_ARGUMENT, error, "17 members");
    check_error(sos_multi_energy_add_tables(e, 2, NULL, &set, &error), SOS_ERR_ARGUMENT, error, "no costs");
    const double infinite[6] = { 0, 0, 0, 0, INFINITY, 0 };
    check_error(sos_multi_energy_add_tables(e, 1, infinite, &set, &error), SOS_ERR_ARGUMENT, error, "label 2", "entry 0");
    const double huge[6] = { 0, 0, 0, 0, 1e307, 0 };
    check_error(sos_multi_energy_add_tables(e, 1, huge, &set, &error), SOS_ERR_RANGE, error, "label 2", "too large");
    check(set == 77 && sos_multi_energy_cliques(e) == 0);
    check_error(sos_multi_energy_set_tables(e, 0, bad, &error), SOS_ERR_ARGUMENT, error, "tables 0");
    check_error(sos_multi_energy_add_cliques(e, 0, 1, (uint32_t[]){ 0, 1 }, NULL, &error), SOS_ERR_ARGUMENT, error, "table 0");
    check_error(sos_multi_energy_set_unary(e, 3, (double[]){ 0, 0, 0 }, &error), SOS_ERR_ARGUMENT, error, "variable 3");
    check_error(sos_multi_energy_set_unary(e, 1, (double[]){ 0, 0, NAN }, &error), SOS_ERR_ARGUMENT, error, "variable 1",
                "label 2");
    double unaries[9] = { 0 };
    unaries[4] = -INFINITY;
    check_error(sos_multi_energy_set_unaries(e, unaries, &error), SOS_ERR_ARGUMENT, error, "variable 1", "label 1");
    check_error(sos_multi_energy_add_constant(e, NAN, &error), SOS_ERR_ARGUMENT, error, "nan");

    const uint32_t three[3] = { 0, 1, 2 }, twice[3] = { 0, 1, 0 }, outside[3] = { 0, 1, 3 };
    const double agree[3] = { 0, 5, 0 }, reach[3] = { 1, 0, 1 };
    check_error(sos_multi_energy_add_robust(e, 3, three, agree, NULL, 4, 1, &error), SOS_ERR_NOT_SUBMODULAR, error, "label 1",
                "5", "4");
    check_error(sos_multi_energy_add_robust(e, 3, three, agree, NULL, 6, -1, &error), SOS_ERR_ARGUMENT, error, "weight -1");
    check_error(sos_multi_energy_add_robust(e, 3, twice, agree, NULL, 6, 1, &error), SOS_ERR_ARGUMENT, error,
                "variable 0 twice");
    check_error(sos_multi_energy_add_robust(e, 3, outside, agree, NULL, 6, 1, &error), SOS_ERR_ARGUMENT, error, "variable 3");
    check_error(sos_multi_energy_add_robust(e, 0, three, agree, NULL, 6, 1, &error), SOS_ERR_ARGUMENT, error, "members");
    check_error(sos_multi_energy_add_robust(e, 3, three, NULL, NULL, 6, 1, &error), SOS_ERR_ARGUMENT, error, "no costs");
    check_error(sos_multi_energy_add_robust(e, 3, three, agree, NULL, NAN, 1, &error), SOS_ERR_ARGUMENT, error, "nan");
    check_error(sos_multi_energy_add_robust(e, 3, three, agree, reach, 6, 1, &error), SOS_ERR_ARGUMENT, error, "label 1",
                "reach 0");
    double g[12] = { 0 };
    g[4 + 1] = -1;
    check_error(sos_multi_energy_add_counts(e, 3, three, g, 1, &error), SOS_ERR_NOT_SUBMODULAR, error, "label 1", "m = 1");
    check_error(sos_multi_energy_add_counts(e, 3, three, NULL, 1, &error), SOS_ERR_ARGUMENT, error, "no costs");
    check_error(sos_multi_energy_set_count_weights(e, 0, 1, (double[]){ 1 }, &error), SOS_ERR_ARGUMENT, error, "there are 0");
    check_error(sos_multi_energy_add_potts(e, 1, twice, (double[]){ -1 }, &error), SOS_ERR_ARGUMENT, error, "weight -1");
    check(sos_multi_energy_cliques(e) == 0 && sos_multi_energy_count_cliques(e) == 0);
    check(sos_multi_energy_value(e, (uint8_t[]){ 0, 1, 2 }) == 0);
    sos_multi_energy_free(e);
    sos_multi_energy_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_definition),
        cmocka_unit_test(all_that_was_put_in_can_be_read_and_copied),
        cmocka_unit_test(volumes_have_patches_too),
        cmocka_unit_test(the_bound_of_one_clique_is_its_least_value),
        cmocka_unit_test(costs_and_weights_can_be_set_again),
        cmocka_unit_test(images_have_their_patches),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("multi_energy", tests, NULL, NULL);
}
