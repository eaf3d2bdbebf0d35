/* overhead.c - what bench/python/overhead.py measures, by the C library alone: overhead FILE HEIGHT WIDTH RUNS.
 *
 * FILE has, as doubles, the costs of label 0 and of label 1 of all pixels, and the 16 costs of the patches.  Prints the
 * processor seconds of each run: building the energy, minimising it, freeing it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sos/sos.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sos_status once(size_t height, size_t width, const double costs[], uint8_t labels[], double *energy)
{
    const size_t n = height * width;
    sos_energy *e = NULL;
    sos_minimize_result result = { 0 };
    uint32_t table;
    sos_status status = sos_energy_create(n, &e, NULL);
    if (!status) status = sos_energy_set_unaries(e, costs, costs + n, NULL);
    if (!status) status = sos_energy_add_table(e, 4, costs + 2 * n, &table, NULL);
    if (!status) status = sos_energy_add_patches(e, table, width, height, 2, 2, NULL, NULL);
    if (!status) status = sos_minimize(e, NULL, labels, &result, NULL);
    sos_energy_free(e);
    *energy = result.energy;
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    const size_t height = strtoul(argv[2], NULL, 10), width = strtoul(argv[3], NULL, 10), runs = strtoul(argv[4], NULL, 10);
    const size_t count = 2 * height * width + 16;
    double *costs = malloc(count * sizeof *costs), energy = 0;
    uint8_t *labels = malloc(height * width);
    FILE *file = fopen(argv[1], "rb");
    if (!costs || !labels || !file || fread(costs, sizeof *costs, count, file) != count) return 1;
    for (size_t i = 0; i < runs; i++) {
        const double began = now();
        if (once(height, width, costs, labels, &energy)) return 1;
        printf("%.9f\n", now() - began);
    }
    printf("%.17g\n", energy);
    fclose(file);
    free(costs);
    free(labels);
    return 0;
}
