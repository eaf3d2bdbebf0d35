/* scale.h - the scale of an axis: from numbers to pixels. */
#ifndef SOS_REPORT_SCALE_H
#define SOS_REPORT_SCALE_H

#include "report/ticks.h"

typedef struct sos_chart_scale {
    bool log;
    double low, high;
    double from, to; /* where low and high are drawn */
    sos_ticks ticks;
    bool any; /* something to draw */
} sos_chart_scale;

/* Whether a number can be drawn on such a scale. */
bool sos_scale_has(double x, bool log);

/* Widens the range to hold x, if it can be drawn. */
void sos_scale_cover(sos_chart_scale *s, double x);

/* Fixes range and marks, of which there are at most so many; zero: shows 0; tight: marks within the range, otherwise the range
 * ends at marks. */
void sos_scale_finish(sos_chart_scale *s, bool zero, size_t most, bool tight);

/* Where a number, and a mark, is drawn. */
double sos_scale_place(const sos_chart_scale *s, double x);
double sos_scale_tick(const sos_chart_scale *s, size_t i);

#endif
