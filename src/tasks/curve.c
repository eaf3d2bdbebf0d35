#include "tasks/curve.h"

#include <stdlib.h>

void sos_curve_free(sos_curve *c)
{
    free(c->points);
    *c = (sos_curve){ 0 };
}

void sos_curve_chart(sos_report *page, const sos_curve *c, double C, const char *title, const char *note)
{
    double *seconds = malloc(3 * (c->count ? c->count : 1) * sizeof *seconds);
    if (!seconds) {
        sos_report_no_memory(page, "a chart");
        return;
    }
    double *primal = seconds + c->count, *dual = primal + c->count;
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (C > 0 && c->points[i].C != C) continue;
        seconds[count] = c->points[i].seconds;
        primal[count] = c->points[i].primal;
        dual[count++] = c->points[i].dual;
    }
    const sos_series series[] = { { .name = "primal", .count = count, .x = seconds, .y = primal },
                                  { .name = "dual", .count = count, .x = seconds, .y = dual } };
    sos_report_chart(page, &(sos_chart){ .title = title,
                                         .note = note,
                                         .x = { .name = "seconds", .zero = !(C > 0) },
                                         .y = { .name = "objective", .scale = SOS_SCALE_LOG },
                                         .count = 2,
                                         .series = series });
    free(seconds);
}
