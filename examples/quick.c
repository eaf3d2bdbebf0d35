/* quick.c - the example of the README: a 4x3 image with one wrong pixel, restored with a prior on 2x2 patches. */
#include <stdio.h>

#include <sos/sos.h>

int main(void)
{
    const double black[12] = { 0, 0, 4, 4, 0, 3, 4, 4, 0, 0, 4, 4 }, white[12] = { 4, 4, 0, 0, 4, 2, 0, 0, 4, 4, 0, 0 };
    const double patch[16] = { 0, 2, 2, 2, 2, 2, 4, 2, 2, 4, 2, 2, 2, 2, 2, 0 }; /* entry S: the cost of the pixels S white */
    sos_energy *e = NULL;
    sos_minimize_result result;
    sos_error error;
    uint32_t table;
    uint8_t labels[12];
    if (sos_energy_create(12, &e, &error) || sos_energy_set_unaries(e, black, white, &error) ||
        sos_energy_add_table(e, 4, patch, &table, &error) || sos_energy_add_patches(e, table, 4, 3, 2, 2, NULL, &error) ||
        sos_minimize(e, NULL, labels, &result, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("energy %g, lower bound %g\n", result.energy, result.lower_bound);
    for (int i = 0; i < 12; i++) printf("%d%c", labels[i], i % 4 == 3 ? '\n' : ' ');
    sos_energy_free(e);
    return 0;
}
