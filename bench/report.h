/* report.h - tables of results: on the terminal as Markdown, and all of them in one JSON file. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { COLUMN_TEXT = -1 };

typedef struct column {
    const char *key; /* in JSON */
    const char *head;
    int width, digits; /* digits behind the point, or COLUMN_TEXT */
} column;

/* What stands in a row: a text where the column is one, else a number; NAN is printed as a dash, in JSON as null. */
typedef union cell {
    const char *text;
    double number;
} cell;

typedef struct report {
    FILE *json; /* or NULL */
    const column *columns;
    size_t count;
    bool first_section, first_row;
} report;

/* path NULL: no JSON.  about: what was run, an object's members as JSON. */
void report_open(report *r, const char *path, const char *about);
void report_close(report *r);

/* A table; name is its key in JSON.  Rows follow, one cell per column. */
void report_table(report *r, const char *name, const char *title, size_t count, const column columns[]);
void report_row(report *r, const cell cells[]);
void report_table_end(report *r);

#endif
