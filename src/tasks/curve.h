/* curve.h - how a training went, round by round. */
#ifndef SOS_TASKS_CURVE_H
#define SOS_TASKS_CURVE_H

#include "report/report.h"

typedef struct sos_curve_point {
    double C, seconds, primal, dual;
} sos_curve_point;

typedef struct sos_curve {
    size_t count, room;
    sos_curve_point *points;
} sos_curve;

void sos_curve_free(sos_curve *c); /* leaves it empty; an empty one is fine */

/* Bounds against seconds: all points, or with C > 0 those of this C. */
void sos_curve_chart(sos_report *page, const sos_curve *c, double C, const char *title, const char *note);

#endif
