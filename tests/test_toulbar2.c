/* test_toulbar2.c - small higher-order energies against toulbar2, run as a program; skipped where it is not installed. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool nothing_found;

static bool is_installed(void) { return system("command -v toulbar2 >/dev/null 2>&1") == 0; }

/* Costs of the wcsp format are integers >= 0: every function is written less its least value, and those are added up. */
static double least_of(size_t count, const double f[])
{
    double least = f[0];
    for (size_t S = 1; S < count; S++) least = fmin(least, f[S]);
    return least;
}

static double write_unary(FILE *file, size_t i, double cost0, double cost1)
{
    const double least = fmin(cost0, cost1);
    fprintf(file, "1 %zu 0 2\n0 %.0f\n1 %.0f\n", i, cost0 - least, cost1 - least);
    return least;
}

static double write_clique(FILE *file, const problem_table *t, const problem_clique *c)
{
    const double least = c->weight * least_of((size_t)1 << t->k, t->f);
    fprintf(file, "%zu", t->k);
    for (size_t b = 0; b < t->k; b++) fprintf(file, " %u", (unsigned)c->variables[b]);
    fprintf(file, " 0 %zu\n", (size_t)1 << t->k);
    for (size_t S = 0; S < (size_t)1 << t->k; S++) {
        for (size_t b = 0; b < t->k; b++) fprintf(file, "%d ", (int)(S >> b & 1));
        fprintf(file, "%.0f\n", c->weight * t->f[S] - least);
    }
    return least;
}

/* Returns what must be added to the optimum of the file. */
static double write_wcsp(const problem *p, const char *path)
{
    FILE *file = fopen(path, "w");
    check(file != NULL);
    fprintf(file, "sos %zu 2 %zu %.0Lf\n", p->n, p->n + p->clique_count, 4 * problem_magnitude(p) + 1000);
    for (size_t i = 0; i < p->n; i++) fprintf(file, "2 ");
    fprintf(file, "\n");
    double offset = p->constant;
    for (size_t i = 0; i < p->n; i++) offset += write_unary(file, i, p->cost0[i], p->cost1[i]);
    for (size_t c = 0; c < p->clique_count; c++) offset += write_clique(file, &p->tables[p->cliques[c].table], &p->cliques[c]);
    check(!fclose(file));
    return offset;
}

/* The number after "Optimum:" in what the program prints. */
static bool run_toulbar2(const char *path, double *optimum)
{
    char command[512], line[1024];
    snprintf(command, sizeof command, "timeout 20 toulbar2 %s 2>/dev/null", path);
    FILE *output = popen(command, "r");
    if (!output) return false;
    bool found = false;
    while (fgets(line, sizeof line, output)) {
        const char *word = strstr(line, "Optimum: ");
        if (word) found = sscanf(word + strlen("Optimum: "), "%lf", optimum) == 1;
    }
    pclose(output);
    return found;
}

static void check_agreement(const problem *p, const char *path)
{
    double theirs;
    const double offset = write_wcsp(p, path);
    if (!run_toulbar2(path, &theirs)) test_fail(__FILE__, __LINE__, "toulbar2 found no optimum in its time");
    sos_energy *e = problem_build(p);
    uint8_t *labels = test_room(NULL, p->n, 1);
    sos_minimize_result result;
    sos_error error;
    check_ok(sos_minimize(e, NULL, labels, &result, &error), error);
    check_certificate(p, labels, &result);
    if (result.energy != theirs + offset)
        test_fail(__FILE__, __LINE__, "the minimum is %.0f, but %.0f for toulbar2", result.energy, theirs + offset);
    free(labels);
    sos_energy_free(e);
}

static problem grid_of(sos_random *r, size_t dx, size_t dy)
{
    problem p = problem_grid(r, 6, 5, COSTS_INTEGERS);
    double f[64];
    table_random(r, dx * dy, COSTS_INTEGERS, f);
    problem_add_patches(&p, problem_add_table(&p, dx * dy, f), 6, 5, dx, dy);
    return p;
}

static problem tangle(sos_random *r)
{
    problem p = problem_grid(r, 25, 1, COSTS_INTEGERS);
    for (int c = 0; c < 30; c++) problem_add_random_clique(r, &p, 5, COSTS_INTEGERS, false);
    for (size_t c = 0; c < p.clique_count; c++) p.cliques[c].weight = (double)sos_random_below(r, 4);
    return p;
}

static void higher_order_energies_agree_with_toulbar2(void **state)
{
    (void)state;
    if (!is_installed()) {
        test_peer_missing("toulbar2");
        nothing_found = true;
        skip();
    }
    const char *root = getenv("TMPDIR");
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s/sos-toulbar2-XXXXXX", root && *root ? root : "/tmp");
    check(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/energy.wcsp", folder);
    for (uint64_t c = 0; c < test_cases(40); c++) {
        sos_random r = test_case_begin(c);
        problem p = c % 4 == 0   ? grid_of(&r, 2, 2)
                    : c % 4 == 1 ? grid_of(&r, 3, 1)
                    : c % 4 == 2 ? grid_of(&r, 3, 2)
                                 : tangle(&r);
        check_agreement(&p, path);
        problem_free(&p);
    }
    remove(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(higher_order_energies_agree_with_toulbar2) };
    const int failed = cmocka_run_group_tests_name("toulbar2", tests, NULL, NULL);
    return nothing_found ? 77 : failed; /* 77: ctest counts it as skipped */
}
