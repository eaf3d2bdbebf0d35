/* report.c - a page from its top to its bottom: its head, headings, text, facts, and the contents. */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Escape goes back from an enlarged picture; a click does without. */
static const char script[] = "addEventListener('keydown',function(e){if(e.key==='Escape')"
                             "document.querySelectorAll('.none').forEach(function(x){x.checked=true})});";

/* ---------------------------------------------------------------- what all parts use */

void s3svm_report_put(const s3svm_report *r, const char *markup) { fputs(markup, r->output.file); }

void s3svm_report_put_escaped(const s3svm_report *r, const char *before, const char *text, const char *behind)
{
    s3svm_report_put(r, before);
    s3svm_escape(r->output.file, text);
    s3svm_report_put(r, behind);
}

void s3svm_report_fail(s3svm_report *r, sos_status status)
{
    if (r->status || !status) return;
    r->status = status;
    sos_output_abandon(&r->output);
}

void s3svm_report_no_memory(s3svm_report *r, const char *what)
{
    if (!r->status) s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_MEMORY, "no memory for %s", what));
}

const char *s3svm_report_formatted(s3svm_report *r, const char *format, va_list values)
{
    s3svm_string_clear(&r->scratch);
    if (format)
        s3svm_string_vprint(&r->scratch, format, values);
    else
        s3svm_string_print(&r->scratch, "%s", "");
    if (r->scratch.failed) s3svm_report_no_memory(r, "the report");
    return r->status ? NULL : r->scratch.text;
}

void s3svm_report_scroll_open(const s3svm_report *r, const char *name)
{
    s3svm_report_put_escaped(r, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
                             name && *name ? name : "table", "\">\n");
}

void s3svm_report_caption(const s3svm_report *r, const char *title, const char *note)
{
    if (!title && !note) return;
    s3svm_report_put_escaped(r, "<figcaption>", title, "");
    if (note && *note) s3svm_report_put_escaped(r, "<span>", note, "</span>");
    s3svm_report_put(r, "</figcaption>\n");
}

void s3svm_report_heat_open(const s3svm_report *r, double share, const char *kind)
{
    fprintf(r->output.file, "<td%s%s%s style=\"--a:.%02ld\">", *kind ? " class=\"" : "", kind, *kind ? "\"" : "",
            lround(55 * (share > 0 ? fmin(1, share) : 0)));
}

bool s3svm_report_enter(s3svm_report *r, s3svm_report_block block)
{
    if (r->status) return false;
    if (r->block == block) return true;
    if (r->block == S3SVM_BLOCK_FACTS) s3svm_report_put(r, "</dl>\n");
    if (r->block == S3SVM_BLOCK_CHARTS) s3svm_report_put(r, "</div>\n");
    if (r->block == S3SVM_BLOCK_TABLE) s3svm_report_table_close(r);
    if (r->block == S3SVM_BLOCK_PICTURES) s3svm_report_pictures_close(r);
    r->block = block;
    if (block == S3SVM_BLOCK_FACTS) s3svm_report_put(r, "<dl>\n");
    if (block == S3SVM_BLOCK_CHARTS) s3svm_report_put(r, "<div class=\"charts\">\n");
    return !r->status;
}

/* ---------------------------------------------------------------- the page */

void s3svm_report_open(s3svm_report *r, const char *path, const char *title, const char *subtitle, sos_error *error)
{
    *r = (s3svm_report){ .error = error };
    r->status = sos_output_open(&r->output, path, error);
    if (r->status) return;
    s3svm_report_put(
        r, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';img-src data:;style-src 'unsafe-inline';"
           "script-src 'unsafe-inline'\"/>\n");
    s3svm_report_put_escaped(r, "<title>", title, "</title>\n<style>\n");
    s3svm_chart_style(r->output.file);
    s3svm_report_style(r->output.file);
    s3svm_report_put_escaped(r, "</style>\n</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
    if (subtitle && *subtitle) s3svm_report_put_escaped(r, "<p class=\"subtitle\">", subtitle, "</p>\n");
    s3svm_report_put(r, "</header>\n<main>\n");
}

/* The headings are known only at the end; the style puts the list of them on top. */
static void contents_put(const s3svm_report *r)
{
    if (r->headings < 2) return;
    s3svm_report_put(r, "<nav aria-label=\"Contents\"><ul>\n");
    const char *at = r->contents.text;
    for (size_t i = 0; i < r->headings; i++, at += strlen(at) + 1) {
        fprintf(r->output.file, "<li><a href=\"#section%zu\">", i + 1);
        s3svm_report_put_escaped(r, "", at, "</a></li>\n");
    }
    s3svm_report_put(r, "</ul></nav>\n");
}

static void report_free(s3svm_report *r)
{
    s3svm_string_free(&r->scratch);
    s3svm_string_free(&r->contents);
    s3svm_string_free(&r->kept);
    s3svm_string_free(&r->row);
    free(r->values);
    r->values = NULL;
    r->values_room = 0;
}

sos_status s3svm_report_close(s3svm_report *r)
{
    if (s3svm_report_enter(r, S3SVM_BLOCK_NONE)) {
        s3svm_report_put(r, "</main>\n");
        contents_put(r);
        s3svm_report_put_escaped(r, "<footer>s3svm ", sos_version(), "</footer>\n<script>");
        s3svm_report_put(r, script);
        s3svm_report_put(r, "</script>\n</body>\n</html>\n");
        r->status = sos_output_commit(&r->output);
    }
    report_free(r);
    return r->status;
}

void s3svm_report_abandon(s3svm_report *r)
{
    sos_output_abandon(&r->output);
    if (!r->status) r->status = SOS_CANCELLED;
    report_free(r);
}

/* ---------------------------------------------------------------- text */

void s3svm_report_heading(s3svm_report *r, const char *text)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    s3svm_string_print(&r->contents, "%s", text ? text : "");
    s3svm_string_mark(&r->contents);
    if (r->contents.failed) {
        s3svm_report_no_memory(r, "the report");
        return;
    }
    fprintf(r->output.file, "<h2 id=\"section%zu\">", ++r->headings);
    s3svm_report_put_escaped(r, "", text, "</h2>\n");
}

void s3svm_report_subheading(s3svm_report *r, const char *text)
{
    if (s3svm_report_enter(r, S3SVM_BLOCK_NONE)) s3svm_report_put_escaped(r, "<h3>", text, "</h3>\n");
}

void s3svm_report_text(s3svm_report *r, const char *format, ...)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = s3svm_report_formatted(r, format, values);
    va_end(values);
    if (text) s3svm_report_put_escaped(r, "<p>", text, "</p>\n");
}

void s3svm_report_code(s3svm_report *r, const char *format, ...)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = s3svm_report_formatted(r, format, values);
    va_end(values);
    if (text) s3svm_report_put_escaped(r, "<pre tabindex=\"0\"><code>", text, "</code></pre>\n");
}

void s3svm_report_fact(s3svm_report *r, const char *name, const char *format, ...)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_FACTS)) return;
    va_list values;
    va_start(values, format);
    const char *text = s3svm_report_formatted(r, format, values);
    va_end(values);
    if (!text) return;
    s3svm_report_put_escaped(r, "<div><dt>", name, "</dt>");
    s3svm_report_put_escaped(r, "<dd>", text, "</dd></div>\n");
}
