#include "learn/planes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "learn/dense.h"

bool sos_planes_add(sos_planes *p, size_t d, const double a[], double b, uint32_t group)
{
    double *copy = malloc((d ? d : 1) * sizeof *copy);
    if (!copy || !sos_grow(&p->list, &p->room, p->count + 1)) {
        free(copy);
        return false;
    }
    memcpy(copy, a, d * sizeof *copy);
    p->list[p->count++] = (sos_plane){ .a = copy, .b = b, .group = group };
    return true;
}

void sos_planes_free(sos_planes *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->list[i].a);
    free(p->list);
    *p = (sos_planes){ 0 };
}

bool sos_planes_has(const sos_planes *p, size_t d, const double a[], double b, uint32_t group)
{
    bool found = false;
    for (size_t k = 0; k < p->count && !found; k++) {
        const sos_plane *plane = &p->list[k];
        found = plane->group == group && plane->b == b && !memcmp(plane->a, a, d * sizeof *a);
    }
    return found;
}

void sos_planes_drop_first(sos_planes *p, size_t count)
{
    if (!count) return;
    for (size_t k = 0; k < count; k++) free(p->list[k].a);
    p->count -= count;
    memmove(p->list, p->list + count, p->count * sizeof *p->list);
}

void sos_planes_drop_behind(sos_planes *p, size_t count)
{
    while (p->count > count) free(p->list[--p->count].a);
}

void sos_planes_drop_idle(sos_planes *p, size_t idle)
{
    size_t kept = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (p->list[k].idle > idle)
            free(p->list[k].a);
        else
            p->list[kept++] = p->list[k];
    }
    p->count = kept;
}

double sos_plane_slack(const sos_plane *p, size_t d, const double w[]) { return p->b - sos_dot(d, p->a, w); }
