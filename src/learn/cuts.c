/* cuts.c - lists of planes. */
#include "learn/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool sos_cuts_add(sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group)
{
    double *copy = malloc((d ? d : 1) * sizeof *copy);
    if (!copy || !sos_grow(&cuts->list, &cuts->room, cuts->count + 1)) {
        free(copy);
        return false;
    }
    memcpy(copy, a, d * sizeof *copy);
    cuts->list[cuts->count++] = (sos_cut){ .a = copy, .b = b, .group = group };
    return true;
}

void sos_cuts_free(sos_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++) free(cuts->list[i].a);
    free(cuts->list);
    *cuts = (sos_cuts){ 0 };
}

bool sos_cuts_has(const sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group)
{
    bool found = false;
    for (size_t k = 0; k < cuts->count && !found; k++) {
        const sos_cut *cut = &cuts->list[k];
        found = cut->group == group && cut->b == b && !memcmp(cut->a, a, d * sizeof *a);
    }
    return found;
}

void sos_cuts_drop_first(sos_cuts *cuts, size_t count)
{
    if (!count) return;
    for (size_t k = 0; k < count; k++) free(cuts->list[k].a);
    cuts->count -= count;
    memmove(cuts->list, cuts->list + count, cuts->count * sizeof *cuts->list);
}

void sos_cuts_drop_behind(sos_cuts *cuts, size_t count)
{
    while (cuts->count > count) free(cuts->list[--cuts->count].a);
}

void sos_cuts_drop_idle(sos_cuts *cuts, size_t idle)
{
    size_t kept = 0;
    for (size_t k = 0; k < cuts->count; k++) {
        if (cuts->list[k].idle > idle)
            free(cuts->list[k].a);
        else
            cuts->list[kept++] = cuts->list[k];
    }
    cuts->count = kept;
}
