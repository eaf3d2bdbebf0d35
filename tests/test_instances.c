/* test_instances.c - the energies with known optima under $SOS_SHARED_DIR/instances; skipped where they are not. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(SOS_SHARED_DIR)
#define SOS_SHARED_DIR ""
#endif

static bool nothing_found;

static DIR *folder_open(char path[], size_t size)
{
    const char *shared = getenv("SOS_SHARED_DIR");
    snprintf(path, size, "%s/instances", shared && *shared ? shared : SOS_SHARED_DIR);
    return opendir(path);
}

static bool has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && !strcmp(name + n - m, ending);
}

/* The optimum of the first comment line, "... optimal energy 1234". */
static bool optimum_of(const char *path, double *optimum)
{
    static const char WORDS[] = "optimal energy ";
    char line[512] = "";
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const char *found = fgets(line, sizeof line, file) ? strstr(line, WORDS) : NULL;
    fclose(file);
    return found && sscanf(found + strlen(WORDS), "%lf", optimum) == 1;
}

/* The energy of labels, added up without sos_energy_value. */
static double recomputed(const sos_energy *e, const uint8_t labels[])
{
    double sum = sos_energy_constant(e);
    for (size_t i = 0; i < sos_energy_variables(e); i++) {
        double cost[2];
        sos_energy_unary(e, i, &cost[0], &cost[1]);
        sum += cost[labels[i]];
    }
    for (size_t c = 0; c < sos_energy_cliques(e); c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        size_t S = 0, k;
        for (size_t b = 0; b < clique.k; b++) S |= (size_t)labels[clique.variables[b]] << b;
        sum += clique.weight * sos_energy_table(e, clique.table, &k)[S];
    }
    return sum;
}

static void check_minimum(const sos_energy *e, const char *name, double optimum, bool reduce)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.reduce = reduce;
    sos_minimize_result result;
    sos_error error;
    uint8_t *labels = test_room(NULL, sos_energy_variables(e), 1);
    check_ok(sos_minimize(e, &s, labels, &result, &error), error);
    if (result.energy != optimum || result.lower_bound != optimum || recomputed(e, labels) != optimum)
        test_fail(__FILE__, __LINE__, "%s: energy %.17g (recomputed %.17g), lower bound %.17g, optimum %.17g", name,
                  result.energy, recomputed(e, labels), result.lower_bound, optimum);
    check(result.rounding == 0);
    free(labels);
}

static void check_file(const char *path, const char *name)
{
    double optimum;
    if (!optimum_of(path, &optimum)) test_fail(__FILE__, __LINE__, "%s has no optimum in its first line", name);
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_read(path, SOS_FORMAT_AUTO, &e, &error), error);
    check_minimum(e, name, optimum, true);
    check_minimum(e, name, optimum, false);
    sos_energy_free(e);
}

static void known_optima_are_found(void **state)
{
    (void)state;
    char folder[2048], path[4096];
    DIR *listing = folder_open(folder, sizeof folder);
    size_t files = 0;
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (!has_ending(entry->d_name, ".sos")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(path, entry->d_name);
        files++;
    }
    if (listing) closedir(listing);
    if (files) return;
    print_message("no instances found: set SOS_SHARED_DIR to the folder that holds instances/\n");
    nothing_found = true;
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_optima_are_found) };
    const int failed = cmocka_run_group_tests_name("instances", tests, NULL, NULL);
    return nothing_found ? 77 : failed; /* 77: ctest counts it as skipped */
}
