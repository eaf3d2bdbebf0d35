/* report.h - writes a report: one HTML file that needs nothing else, in light and dark, on paper, on a phone, read aloud.
 *
 * Calls write one thing after the other, from top to bottom.  Things of a kind that follow each other stand together: facts in
 * one list, charts side by side; cells fill the table opened before them row by row, pictures their grid.  All text is escaped.
 * Nothing is borrowed beyond a call.  Texts and formats may be NULL where there is nothing to say.
 *
 * The first failure is kept, what follows it does nothing, and closing returns it:
 *
 *     s3svm_report r;
 *     s3svm_report_open(&r, "index.html", "Denoising", "20 drawings, 5 splits", error);
 *     s3svm_report_fact(&r, "Images", "%zu", images);
 *     s3svm_report_table(&r, "Error on test images, %", 2, (const s3svm_column[]){ { .name = "Method" },
 *                                                                        { .name = "Error", .best = S3SVM_BEST_LEAST } });
 *     for (size_t i = 0; i < methods; i++) {
 *         s3svm_report_cell(&r, "%s", name[i]);
 *         s3svm_report_number(&r, mean[i], "%.2f ± %.2f", mean[i], deviation[i]);
 *     }
 *     s3svm_report_chart(&r, &chart);
 *     return s3svm_report_close(&r);
 */
#ifndef S3SVM_REPORT_REPORT_H
#define S3SVM_REPORT_REPORT_H

#include <stdint.h>

#include "base/output.h"
#include "report/chart.h"
#include "report/text.h"
#include <s3svm/image.h>

enum { S3SVM_REPORT_COLUMNS_MAX = 64 };

typedef enum s3svm_best { S3SVM_BEST_NONE, S3SVM_BEST_LEAST, S3SVM_BEST_MOST } s3svm_best;

typedef struct s3svm_column {
    const char *name;
    const char *group; /* columns side by side with the same one share a head above theirs */
    s3svm_best best;   /* which numbers are set off */
    bool text;         /* aligned left; the first column always is */
} s3svm_column;

/* What is open: a kind of thing that goes on until another one begins. */
typedef enum s3svm_report_block {
    S3SVM_BLOCK_NONE,
    S3SVM_BLOCK_FACTS,
    S3SVM_BLOCK_TABLE,
    S3SVM_BLOCK_CHARTS,
    S3SVM_BLOCK_PICTURES
} s3svm_report_block;

typedef struct s3svm_report {
    sos_output output;
    sos_status status; /* of the first failure */
    sos_error *error;
    s3svm_report_block block;
    s3svm_string scratch;  /* one text at a time */
    s3svm_string contents; /* headings, one behind the other */
    size_t headings;

    s3svm_string kept; /* cells of a table, heads of a grid */
    double *values;    /* of the cells; NaN: no number */
    size_t values_room, cells, columns;
    s3svm_best best[S3SVM_REPORT_COLUMNS_MAX];
    bool text[S3SVM_REPORT_COLUMNS_MAX];
    s3svm_string row; /* what a row of pictures shows */
    size_t grids, pictures;
} s3svm_report;

/* The file appears under its name when it is closed, whole or not at all. */
void s3svm_report_open(s3svm_report *r, const char *path, const char *title, const char *subtitle, sos_error *error);
SOS_MUST_USE sos_status s3svm_report_close(s3svm_report *r);
void s3svm_report_abandon(s3svm_report *r); /* leaves nothing; instead of closing, or after */

/* What its user failed in, unless status is SOS_OK or something failed before.  What fails leaves no file behind. */
void s3svm_report_fail(s3svm_report *r, sos_status status);
void s3svm_report_no_memory(s3svm_report *r, const char *what); /* the same for memory: "no memory for WHAT" */

void s3svm_report_heading(s3svm_report *r, const char *text); /* listed in the contents */
void s3svm_report_subheading(s3svm_report *r, const char *text);
void s3svm_report_text(s3svm_report *r, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a paragraph */
void s3svm_report_code(s3svm_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* a command, as typed */
void s3svm_report_fact(s3svm_report *r, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A table; cells follow.  In columns with a best one, those numbers are set off that are it or print the same. */
void s3svm_report_table(s3svm_report *r, const char *caption, size_t columns, const s3svm_column column[]);
void s3svm_report_cell(s3svm_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell that says a number; a dash where it is not finite. */
void s3svm_report_number(s3svm_report *r, double x, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A share in per cent with two decimals, and where it is finite its deviation: "1.23 ± 0.04". */
void s3svm_report_share(s3svm_report *r, double share, double deviation);

/* With its title, its note and, folded away, its numbers. */
void s3svm_report_chart(s3svm_report *r, const s3svm_chart *chart);
void s3svm_report_bars(s3svm_report *r, const s3svm_bars *bars);

/* A grid of pictures with a head over each column; rows follow, and in each its pictures from left to right, an image NULL
 * leaving a gap.  What is said of a picture stands below it.  A click shows a picture as large as the window, where the arrow
 * keys go on to the next at the same place; another click or Escape goes back. */
void s3svm_report_pictures(s3svm_report *r, const char *caption, size_t columns, const char *const heads[]);
void s3svm_report_picture_row(s3svm_report *r, const char *name);
void s3svm_report_picture(s3svm_report *r, const s3svm_image *image, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Learned tables over patches of width x height pixels, at most 9: bit dy * width + dx of S stands for the pixel (dx, dy). */
typedef struct s3svm_patches {
    const char *caption;
    size_t width, height;
    size_t count;             /* of tables */
    const char *const *names; /* of the tables; NULL: none */
    const double *costs;      /* count times 2^(width * height) */
    bool ink;                 /* label 1 is drawn dark, as ink; otherwise label 0 is */
    bool sorted;              /* cheapest first, otherwise by S */
    size_t most;              /* where there are more, only so many: the cheapest and the dearest; 0: 64 */
} s3svm_patches;

/* One table: every labelling drawn with its cost below; of more than four pixels, once for all turned, mirrored and inverted
 * ones that cost the same, with their number.  Several tables: one row for each, or if of more than four pixels, one below the
 * other. */
void s3svm_report_patches(s3svm_report *r, const s3svm_patches *patches);

typedef struct s3svm_matrix {
    const char *caption;
    const char *rows, *columns; /* what they are: "truth", "result" */
    size_t count;
    const char *const *names;
    const double *values; /* count rows of count; shown as shares of their rows */
} s3svm_matrix;

void s3svm_report_matrix(s3svm_report *r, const s3svm_matrix *matrix);
void s3svm_report_legend(s3svm_report *r, size_t count, const char *const names[], const uint32_t colours[]); /* 0xRRGGBB */

/* The CSS of the page, without that of charts. */
void s3svm_report_style(FILE *file);

#endif
