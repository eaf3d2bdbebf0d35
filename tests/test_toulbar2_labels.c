/* test_toulbar2_labels.c - small energies with several labels against toulbar2, run as a program; skipped where it is not
 * installed.  Expansion moves need not reach its optimum, but never pass it. */
#define _POSIX_C_SOURCE 200809L
#include "multi_energy_support.h"

#include <stdio.h>
#include <unistd.h>

static bool nothing_found;

static bool is_installed(void) { return system("command -v toulbar2 >/dev/null 2>&1") == 0; }

/* All L^k costs of a term, less the least of them, which is returned: costs of the wcsp format are integers >= 0. */
static double write_term(FILE *file, const many *p, const term *t)
{
    size_t tuples = 1;
    for (size_t q = 0; q < t->k; q++) tuples *= p->labels;
    double *cost = test_room(NULL, tuples, sizeof *cost), least = INFINITY;
    uint8_t *y = test_room(NULL, p->n, 1);
    for (size_t i = 0; i < tuples; i++) {
        for (size_t q = 0, left = i; q < t->k; q++, left /= p->labels) y[t->variables[q]] = (uint8_t)(left % p->labels);
        cost[i] = (double)term_value(p, t, y);
        least = fmin(least, cost[i]);
    }
    fprintf(file, "%zu", t->k);
    for (size_t q = 0; q < t->k; q++) fprintf(file, " %u", (unsigned)t->variables[q]);
    fprintf(file, " 0 %zu\n", tuples);
    for (size_t i = 0; i < tuples; i++) {
        for (size_t q = 0, left = i; q < t->k; q++, left /= p->labels) fprintf(file, "%zu ", left % p->labels);
        fprintf(file, "%.0f\n", cost[i] - least);
    }
    free(y);
    free(cost);
    return least;
}

/* Returns what must be added to the optimum of the file. */
static double write_wcsp(const many *p, const char *path)
{
    FILE *file = fopen(path, "w");
    check(file != NULL);
    fprintf(file, "sos %zu %zu %zu 1000000000\n", p->n, p->labels, p->n + p->count);
    for (size_t i = 0; i < p->n; i++) fprintf(file, "%zu ", p->labels);
    fprintf(file, "\n");
    double offset = p->constant;
    for (size_t i = 0; i < p->n; i++) {
        const double *u = p->unary + i * p->labels;
        double least = u[0];
        for (size_t l = 1; l < p->labels; l++) least = fmin(least, u[l]);
        fprintf(file, "1 %zu 0 %zu\n", i, p->labels);
        for (size_t l = 0; l < p->labels; l++) fprintf(file, "%zu %.0f\n", l, u[l] - least);
        offset += least;
    }
    for (size_t t = 0; t < p->count; t++) offset += write_term(file, p, &p->terms[t]);
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

/* A grid of pixels that have a liking each, with all patches of 2x2 or all pairs, and some larger cliques. */
static many grid_of(sos_random *r, size_t width, size_t height, size_t labels, bool pairs)
{
    many p = many_random(r, width * height, labels, 0, 1, COSTS_INTEGERS);
    term all = { .kind = TERM_TABLES, .k = 4 };
    term_fill(r, &p, COSTS_INTEGERS, &all);
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = 0; x + 1 < width; x++)
            for (uint32_t way = 0; way < (pairs ? 2 : 1); way++) {
                term *t = many_add(&p, pairs ? TERM_POTTS : TERM_TABLES, pairs ? 2 : 4);
                const uint32_t W = (uint32_t)width, i = y * W + x,
                               corner[4] = { i, way ? i + 1 : i + W, pairs ? i : i + 1, i + W + 1 };
                for (size_t q = 0; q < t->k; q++) t->variables[q] = corner[q];
                if (pairs) {
                    t->weight = 100 + floor(cost_random(r, COSTS_INTEGERS) / 2);
                    continue;
                }
                t->g = test_room(NULL, labels << 4, sizeof *t->g);
                memcpy(t->g, all.g, (labels << 4) * sizeof *t->g);
            }
    free(all.g);
    for (int c = 0; c < 3; c++) {
        term *t = many_add(&p, c % 2 ? TERM_PN : TERM_ROBUST, 5);
        term_fill(r, &p, COSTS_INTEGERS, t);
        t->weight = 1;
    }
    return p;
}

static void expansion_moves_never_beat_toulbar2(void **state)
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
    size_t cases = 0, optima = 0;
    double worst = 0, sum = 0;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        many p = grid_of(&r, 4, 3 + (size_t)sos_random_below(&r, 2), 3 + (size_t)sos_random_below(&r, 2),
                         sos_random_bits(&r) & 1);
        double optimum;
        const double offset = write_wcsp(&p, path);
        if (!run_toulbar2(path, &optimum)) test_fail(__FILE__, __LINE__, "toulbar2 found no optimum in its time");
        optimum += offset;
        sos_multi_energy *e = many_build(&p, false);
        uint8_t *y = test_room(NULL, p.n, 1);
        sos_expand_result result;
        sos_error error;
        check_ok(sos_expand(e, NULL, y, &result, &error), error);
        if (result.energy < optimum || result.lower_bound > optimum)
            test_fail(__FILE__, __LINE__, "%.17g and at least %.17g, but toulbar2's optimum is %.17g", result.energy,
                      result.lower_bound, optimum);
        if (isfinite(result.factor))
            check(result.energy - result.lower_bound <= result.factor * (optimum - result.lower_bound) * (1 + 1e-12));
        const double gap = optimum > result.lower_bound ? (result.energy - optimum) / (optimum - result.lower_bound) : 0;
        cases++;
        optima += result.energy == optimum;
        sum += gap;
        worst = fmax(worst, gap);
        free(y);
        sos_multi_energy_free(e);
        many_free(&p);
    }
    remove(path);
    rmdir(folder);
    print_message(
        "toulbar2's optimum was reached %zu times of %zu; gaps relative to optimum less bound: mean %.4f, worst %.4f\n", optima,
        cases, sum / (double)cases, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(expansion_moves_never_beat_toulbar2) };
    const int failed = cmocka_run_group_tests_name("toulbar2 labels", tests, NULL, NULL);
    return nothing_found ? 77 : failed; /* 77: ctest counts it as skipped */
}
