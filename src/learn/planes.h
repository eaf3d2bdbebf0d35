/* planes.h - lists of cutting planes: slack >= b - a . w. */
#ifndef SOS_LEARN_PLANES_H
#define SOS_LEARN_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a group of examples, or a cached one of a single example. */
typedef struct sos_plane {
    double *a; /* owned */
    double b;
    uint32_t group; /* or example */
    uint32_t idle;  /* rounds since its multiplier was last over 0 */
    double multiplier;
    uint64_t born; /* of a cached one: the round that found it, of all */
} sos_plane;

typedef struct sos_planes {
    sos_plane *list;
    size_t count, room;
} sos_planes;

void sos_planes_free(sos_planes *p); /* leaves it empty */

/* Copies a plane of d weights to the end; false: no memory. */
bool sos_planes_add(sos_planes *p, size_t d, const double a[], double b, uint32_t group);
bool sos_planes_has(const sos_planes *p, size_t d, const double a[], double b, uint32_t group);

void sos_planes_drop_first(sos_planes *p, size_t count);
void sos_planes_drop_behind(sos_planes *p, size_t count); /* but for the first so many */
void sos_planes_drop_idle(sos_planes *p, size_t idle);    /* those that have been idle for more rounds than that */

/* What a plane says of the slack at w. */
double sos_plane_slack(const sos_plane *p, size_t d, const double w[]);

#endif
