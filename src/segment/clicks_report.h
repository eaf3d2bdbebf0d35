/* clicks_report.h - parts of the page about clicks; for clicks*.c only. */
#ifndef SOS_SEGMENT_CLICKS_REPORT_H
#define SOS_SEGMENT_CLICKS_REPORT_H

#include "report/report.h"
#include "segment/clicks.h"

void sos_clicks_charts(sos_report *page, const sos_clicks_results *r); /* against the number of clicks */
void sos_clicks_films(sos_report *page, const sos_clicks_results *r);

/* After what labels are judged: the last click, the data set's scribbles, boxes. */
typedef enum sos_clicks_moment { SOS_CLICKS_LAST, SOS_CLICKS_SCRIBBLES, SOS_CLICKS_BOX, SOS_CLICKS_MOMENTS } sos_clicks_moment;

extern const char *const sos_clicks_moments[SOS_CLICKS_MOMENTS]; /* for programs */

/* A number of a score after a moment: 0 IoU, 1 error, then the zones. */
enum { SOS_CLICKS_NUMBERS = 2 + SOS_CLICKS_ZONES };
sos_clicks_mean sos_clicks_moment_mean(const sos_clicks_results *r, size_t method, sos_clicks_moment moment, size_t number);

#endif
