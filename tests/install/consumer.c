/* consumer.c - a program as a user of the installed library would write it: the minimum of y0 - 2 y1 + [y0 != y1] is -1, at
 * (1, 1) and, with fewer ones and so the minimal minimiser, at (0, 1). */
#include <sos/sos.h>
#include <stdio.h>

int main(void)
{
    const double cost1[] = { 1, -2 }, differ[] = { 0, 1, 1, 0 };
    const uint32_t both[] = { 0, 1 };
    uint8_t labels[2] = { 9, 9 };
    uint32_t table;
    sos_energy *e = NULL;
    sos_error error = { SOS_OK, "" };
    sos_minimize_result result = { 0 };

    sos_status status = sos_energy_create(2, &e, &error);
    if (!status) status = sos_energy_set_unaries(e, NULL, cost1, &error);
    if (!status) status = sos_energy_add_table(e, 2, differ, &table, &error);
    if (!status) status = sos_energy_add_cliques(e, table, 1, both, NULL, &error);
    if (!status) status = sos_minimize(e, NULL, labels, &result, &error);
    sos_energy_free(e);
    if (status) fprintf(stderr, "%s: %s\n", sos_status_name(status), error.message);
    if (status) return 1;
    printf("%s %g %d%d\n", sos_version(), result.energy, labels[0], labels[1]);
    return 0;
}
