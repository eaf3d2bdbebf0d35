/* csv.h - tables of comma-separated values: fields quoted as in RFC 4180, rows ended by a line feed, numbers that read back the
 * same in any locale.
 *
 * The first failure is kept, what follows it does nothing, and closing returns it. */
#ifndef SOS_REPORT_CSV_H
#define SOS_REPORT_CSV_H

#include "base/output.h"

typedef struct sos_csv {
    sos_output output;
    sos_status status; /* of the first failure */
    bool filled;       /* the row has a field */
} sos_csv;

/* The file appears under its name when it is closed, whole or not at all. */
void sos_csv_open(sos_csv *c, const char *path, sos_error *error);
void sos_csv_text(sos_csv *c, const char *text); /* NULL as "" */
void sos_csv_real(sos_csv *c, double x);         /* empty where x is not finite */
void sos_csv_count(sos_csv *c, size_t x);
void sos_csv_row(sos_csv *c); /* ends the row */
SOS_MUST_USE sos_status sos_csv_close(sos_csv *c);
void sos_csv_abandon(sos_csv *c);

#endif
