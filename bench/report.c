/* report.c - writes tables row by row, so that an interrupted run has shown its results. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

void report_open(report *r, const char *path, const char *about)
{
    *r = (report){ .first_section = true };
    if (!path) return;
    r->json = fopen(path, "w");
    if (!r->json) {
        perror(path);
        exit(1);
    }
    fprintf(r->json, "{ %s,\n  \"sections\": {", about);
}

void report_close(report *r)
{
    if (!r->json) return;
    fprintf(r->json, "\n  }\n}\n");
    if (fclose(r->json)) perror("JSON");
}

static void rule(const report *r)
{
    for (size_t c = 0; c < r->count; c++) {
        const bool number = r->columns[c].digits != COLUMN_TEXT;
        printf("| ");
        for (int i = number; i < r->columns[c].width; i++) putchar('-');
        printf(number ? ": " : " ");
    }
    printf("|\n");
}

void report_table(report *r, const char *name, const char *title, size_t count, const column columns[])
{
    r->columns = columns;
    r->count = count;
    r->first_row = true;
    printf("\n%s\n\n", title);
    for (size_t c = 0; c < count; c++)
        printf(columns[c].digits == COLUMN_TEXT ? "| %-*s " : "| %*s ", columns[c].width, columns[c].head);
    printf("|\n");
    rule(r);
    if (r->json) fprintf(r->json, "%s\n    \"%s\": [", r->first_section ? "" : ",", name);
    r->first_section = false;
}

static void cell_print(const column *c, cell value)
{
    if (c->digits == COLUMN_TEXT)
        printf("| %-*s ", c->width, value.text);
    else if (isnan(value.number))
        printf("| %*s ", c->width, "-");
    else
        printf("| %*.*f ", c->width, c->digits, value.number);
}

static void cell_write(FILE *json, const column *c, cell value)
{
    fprintf(json, "\"%s\": ", c->key);
    if (c->digits == COLUMN_TEXT)
        fprintf(json, "\"%s\"", value.text);
    else if (isnan(value.number))
        fprintf(json, "null");
    else
        fprintf(json, "%.9g", value.number);
}

void report_row(report *r, const cell cells[])
{
    for (size_t c = 0; c < r->count; c++) cell_print(&r->columns[c], cells[c]);
    printf("|\n");
    fflush(stdout);
    if (!r->json) return;
    fprintf(r->json, "%s\n      { ", r->first_row ? "" : ",");
    for (size_t c = 0; c < r->count; c++) {
        cell_write(r->json, &r->columns[c], cells[c]);
        fprintf(r->json, c + 1 < r->count ? ", " : " }");
    }
    r->first_row = false;
}

void report_table_end(report *r)
{
    if (r->json) fprintf(r->json, "\n    ]");
}
