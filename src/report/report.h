/* report.h - writes a report: one HTML file that needs nothing else, in light and dark, on paper, on a phone, read aloud.
 *
 * Calls write one thing after the other, from top to bottom.  Things of a kind that follow each other stand together: facts in
 * one list, charts side by side; cells fill the table opened before them row by row, pictures their grid.  All text is escaped.
 * Nothing is borrowed beyond a call.  Texts and formats may be NULL where there is nothing to say.
 *
 * The first failure is kept, what follows it does nothing, and closing returns it:
 *
 *     sos_report r;
 *     sos_report_open(&r, "index.html", "Denoising", "20 drawings, 5 splits", error);
 *     sos_report_fact(&r, "Images", "%zu", images);
 *     sos_report_table(&r, "Error on test images, %", 2, (const sos_column[]){ { .name = "Method" },
 *                                                                        { .name = "Error", .best = SOS_BEST_LEAST } });
 *     for (size_t i = 0; i < methods; i++) {
 *         sos_report_cell(&r, "%s", name[i]);
 *         sos_report_number(&r, mean[i], "%.2f ± %.2f", mean[i], deviation[i]);
 *     }
 *     sos_report_chart(&r, &chart);
 *     return sos_report_close(&r);
 */
#ifndef SOS_REPORT_REPORT_H
#define SOS_REPORT_REPORT_H

#include <stdint.h>

#include "base/output.h"
#include "report/chart.h"
#include "report/text.h"
#include <s3svm/image.h>

enum { SOS_REPORT_COLUMNS_MAX = 64 };

typedef enum sos_best { SOS_BEST_NONE, SOS_BEST_LEAST, SOS_BEST_MOST } sos_best;

typedef struct sos_column {
    const char *name;
    const char *group; /* columns side by side with the same one share a head above theirs */
    sos_best best;     /* which numbers are set off */
    bool text;         /* aligned left; the first column always is */
} sos_column;

/* What is open: a kind of thing that goes on until another one begins. */
typedef enum sos_report_block {
    SOS_BLOCK_NONE,
    SOS_BLOCK_FACTS,
    SOS_BLOCK_TABLE,
    SOS_BLOCK_CHARTS,
    SOS_BLOCK_PICTURES
} sos_report_block;

typedef struct sos_report {
    sos_output output;
    sos_status status; /* of the first failure */
    sos_error *error;
    sos_report_block block;
    sos_string scratch;  /* one text at a time */
    sos_string contents; /* headings, one behind the other */
    size_t headings;

    sos_string kept; /* cells of a table, heads of a grid */
    double *values;  /* of the cells; NaN: no number */
    size_t values_room, cells, columns;
    sos_best best[SOS_REPORT_COLUMNS_MAX];
    bool text[SOS_REPORT_COLUMNS_MAX];
    sos_string row; /* what a row of pictures shows */
    size_t grids, pictures;
} sos_report;

/* The file appears under its name when it is closed, whole or not at all. */
void sos_report_open(sos_report *r, const char *path, const char *title, const char *subtitle, sos_error *error);
SOS_MUST_USE sos_status sos_report_close(sos_report *r);
void sos_report_abandon(sos_report *r); /* leaves nothing; instead of closing, or after */

/* What its user failed in, unless status is SOS_OK or something failed before.  What fails leaves no file behind. */
void sos_report_fail(sos_report *r, sos_status status);
void sos_report_no_memory(sos_report *r, const char *what); /* the same for memory: "no memory for WHAT" */

void sos_report_heading(sos_report *r, const char *text); /* listed in the contents */
void sos_report_subheading(sos_report *r, const char *text);
void sos_report_text(sos_report *r, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a paragraph */
void sos_report_code(sos_report *r, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a command, as typed */
void sos_report_fact(sos_report *r, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A table; cells follow.  In columns with a best one, those numbers are set off that are it or print the same. */
void sos_report_table(sos_report *r, const char *caption, size_t columns, const sos_column column[]);
void sos_report_cell(sos_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell that says a number; a dash where it is not finite. */
void sos_report_number(sos_report *r, double x, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A share in per cent with two decimals, and where it is finite its deviation: "1.23 ± 0.04". */
void sos_report_share(sos_report *r, double share, double deviation);

/* With its title, its note and, folded away, its numbers. */
void sos_report_chart(sos_report *r, const sos_chart *chart);
void sos_report_bars(sos_report *r, const sos_bars *bars);

/* A grid of pictures with a head over each column; rows follow, and in each its pictures from left to right, an image NULL
 * leaving a gap.  What is said of a picture stands below it.  A click shows a picture as large as the window, where the arrow
 * keys go on to the next at the same place; another click or Escape goes back. */
void sos_report_pictures(sos_report *r, const char *caption, size_t columns, const char *const heads[]);
void sos_report_picture_row(sos_report *r, const char *name);
void sos_report_picture(sos_report *r, const sos_image *image, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Learned tables over patches of width x height pixels, at most 9: bit dy * width + dx of S stands for the pixel (dx, dy). */
typedef struct sos_patches {
    const char *caption;
    size_t width, height;
    size_t count;             /* of tables */
    const char *const *names; /* of the tables; NULL: none */
    const double *costs;      /* count times 2^(width * height) */
    bool ink;                 /* label 1 is drawn dark, as ink; otherwise label 0 is */
    bool sorted;              /* cheapest first, otherwise by S */
    size_t most;              /* where there are more, only so many: the cheapest and the dearest; 0: 64 */
} sos_patches;

/* One table: every labelling drawn with its cost below; of more than four pixels, once for all turned, mirrored and inverted
 * ones that cost the same, with their number.  Several tables: one row for each, or if of more than four pixels, one below the
 * other. */
void sos_report_patches(sos_report *r, const sos_patches *patches);

typedef struct sos_matrix {
    const char *caption;
    const char *rows, *columns; /* what they are: "truth", "result" */
    size_t count;
    const char *const *names;
    const double *values; /* count rows of count; shown as shares of their rows */
} sos_matrix;

void sos_report_matrix(sos_report *r, const sos_matrix *matrix);
void sos_report_legend(sos_report *r, size_t count, const char *const names[], const uint32_t colours[]); /* 0xRRGGBB */

/* The CSS of the page, without that of charts. */
void sos_report_style(FILE *file);

#endif
