/* csv.h - tables of comma-separated values: fields quoted as in RFC 4180, rows ended by a line feed, numbers that read back the
 * same in any locale.
 *
 * The first failure is kept, what follows it does nothing, and closing returns it. */
#ifndef S3SVM_EXPERIMENTS_COMMON_CSV_H
#define S3SVM_EXPERIMENTS_COMMON_CSV_H

#include "base/output.h"

typedef struct s3svm_csv {
    sos_output output;
    sos_status status; /* of the first failure */
    bool filled;       /* the row has a field */
} s3svm_csv;

/* The file appears under its name when it is closed, whole or not at all. */
void s3svm_csv_open(s3svm_csv *c, const char *path, sos_error *error);
void s3svm_csv_text(s3svm_csv *c, const char *text); /* NULL as "" */
void s3svm_csv_real(s3svm_csv *c, double x);         /* empty where x is not finite */
void s3svm_csv_count(s3svm_csv *c, size_t x);
void s3svm_csv_row(s3svm_csv *c); /* ends the row */
SOS_MUST_USE sos_status s3svm_csv_close(s3svm_csv *c);
void s3svm_csv_abandon(s3svm_csv *c);

#endif
