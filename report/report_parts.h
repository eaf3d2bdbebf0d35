/* report_parts.h - what the parts of a report share; for report*.c only.
 *
 * The page is HTML that is well-formed XML too, so that any tool can read it. */
#ifndef S3SVM_REPORT_REPORT_PARTS_H
#define S3SVM_REPORT_REPORT_PARTS_H

#include "report/report.h"

/* Closes what is open unless it is of the kind that goes on.  False after a failure. */
bool s3svm_report_enter(s3svm_report *r, s3svm_report_block block);
void s3svm_report_table_close(s3svm_report *r);
void s3svm_report_pictures_close(s3svm_report *r);

/* Markup as it is; text escaped, between markup. */
void s3svm_report_put(const s3svm_report *r, const char *markup);
void s3svm_report_put_escaped(const s3svm_report *r, const char *before, const char *text, const char *behind);

/* The text that a format and its values make, until the next one; NULL where memory is short. */
const char *s3svm_report_formatted(s3svm_report *r, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

/* A box that scrolls by itself where the page is narrower than what it holds; the keyboard reaches it. */
void s3svm_report_scroll_open(const s3svm_report *r, const char *name);
void s3svm_report_caption(const s3svm_report *r, const char *title, const char *note);

/* A cell shaded by a share of 0 ... 1, so lightly that its text stays readable; kind: its class, or "". */
void s3svm_report_heat_open(const s3svm_report *r, double share, const char *kind);

#endif
