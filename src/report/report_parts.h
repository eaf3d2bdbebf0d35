/* report_parts.h - what the parts of a report share; for report*.c only.
 *
 * The page is HTML that is well-formed XML too, so that any tool can read it. */
#ifndef SOS_REPORT_PARTS_H
#define SOS_REPORT_PARTS_H

#include "report/report.h"

/* Closes what is open unless it is of the kind that goes on.  False after a failure. */
bool sos_report_enter(sos_report *r, sos_report_block block);
void sos_report_table_close(sos_report *r);
void sos_report_pictures_close(sos_report *r);

/* Markup as it is; text escaped, between markup. */
void sos_report_put(const sos_report *r, const char *markup);
void sos_report_put_escaped(const sos_report *r, const char *before, const char *text, const char *behind);

/* The text that a format and its values make, until the next one; NULL where memory is short. */
const char *sos_report_formatted(sos_report *r, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

/* A box that scrolls by itself where the page is narrower than what it holds; the keyboard reaches it. */
void sos_report_scroll_open(const sos_report *r, const char *name);
void sos_report_caption(const sos_report *r, const char *title, const char *note);

/* A cell shaded by a share of 0 ... 1, so lightly that its text stays readable; kind: its class, or "". */
void sos_report_heat_open(const sos_report *r, double share, const char *kind);

#endif
