#include "experiments/common/csv.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

void s3svm_csv_open(s3svm_csv *c, const char *path, sos_error *error)
{
    c->filled = false;
    c->status = sos_output_open(&c->output, path, error);
}

/* The file to write a field to, behind its comma; NULL after a failure. */
static FILE *field(s3svm_csv *c)
{
    if (c->status) return NULL;
    if (c->filled) fputc(',', c->output.file);
    c->filled = true;
    return c->output.file;
}

void s3svm_csv_text(s3svm_csv *c, const char *text)
{
    FILE *file = field(c);
    if (!file) return;
    if (!text) text = "";
    /* Empty text is quoted too: a row of nothing else would be an empty line, which readers skip. */
    if (*text && !strpbrk(text, ",\"\r\n") && text[0] != ' ' && text[strlen(text) - 1] != ' ') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *p = text; *p; p++) {
        if (*p == '"') fputc('"', file);
        fputc(*p, file);
    }
    fputc('"', file);
}

void s3svm_csv_real(s3svm_csv *c, double x)
{
    if (!isfinite(x)) {
        s3svm_csv_text(c, NULL);
        return;
    }
    FILE *file = field(c);
    char text[SOS_REAL_TEXT];
    if (file) fputs(sos_number_print(x, text), file);
}

void s3svm_csv_count(s3svm_csv *c, size_t x)
{
    FILE *file = field(c);
    if (file) fprintf(file, "%zu", x);
}

void s3svm_csv_row(s3svm_csv *c)
{
    if (!c->status) fputc('\n', c->output.file);
    c->filled = false;
}

sos_status s3svm_csv_close(s3svm_csv *c)
{
    if (c->filled) s3svm_csv_row(c);
    if (!c->status) c->status = sos_output_commit(&c->output);
    return c->status;
}

void s3svm_csv_abandon(s3svm_csv *c)
{
    if (!c->status) sos_output_abandon(&c->output);
    c->status = SOS_CANCELLED;
}
