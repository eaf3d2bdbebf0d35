/* report.c - a page from its top to its bottom: its head, headings, text, facts, and the contents. */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Escape goes back from an enlarged picture; a click does without. */
static const char script[] = "addEventListener('keydown',function(e){if(e.key==='Escape')"
                             "document.querySelectorAll('.none').forEach(function(x){x.checked=true})});";

/* ---------------------------------------------------------------- what all parts use */

void sos_report_put(const sos_report *r, const char *markup) { fputs(markup, r->output.file); }

void sos_report_put_escaped(const sos_report *r, const char *before, const char *text, const char *behind)
{
    sos_report_put(r, before);
    sos_escape(r->output.file, text);
    sos_report_put(r, behind);
}

void sos_report_fail(sos_report *r, sos_status status)
{
    if (r->status || !status) return;
    r->status = status;
    sos_output_abandon(&r->output);
}

void sos_report_no_memory(sos_report *r, const char *what)
{
    if (!r->status) sos_report_fail(r, sos_fail(r->error, SOS_ERR_MEMORY, "no memory for %s", what));
}

const char *sos_report_formatted(sos_report *r, const char *format, va_list values)
{
    sos_string_clear(&r->scratch);
    if (format)
        sos_string_vprint(&r->scratch, format, values);
    else
        sos_string_print(&r->scratch, "%s", "");
    if (r->scratch.failed) sos_report_no_memory(r, "the report");
    return r->status ? NULL : r->scratch.text;
}

void sos_report_scroll_open(const sos_report *r, const char *name)
{
    sos_report_put_escaped(r, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
                           name && *name ? name : "table", "\">\n");
}

void sos_report_caption(const sos_report *r, const char *title, const char *note)
{
    if (!title && !note) return;
    sos_report_put_escaped(r, "<figcaption>", title, "");
    if (note && *note) sos_report_put_escaped(r, "<span>", note, "</span>");
    sos_report_put(r, "</figcaption>\n");
}

void sos_report_heat_open(const sos_report *r, double share, const char *kind)
{
    fprintf(r->output.file, "<td%s%s%s style=\"--a:.%02ld\">", *kind ? " class=\"" : "", kind, *kind ? "\"" : "",
            lround(55 * (share > 0 ? fmin(1, share) : 0)));
}

bool sos_report_enter(sos_report *r, sos_report_block block)
{
    if (r->status) return false;
    if (r->block == block) return true;
    if (r->block == SOS_BLOCK_FACTS) sos_report_put(r, "</dl>\n");
    if (r->block == SOS_BLOCK_CHARTS) sos_report_put(r, "</div>\n");
    if (r->block == SOS_BLOCK_TABLE) sos_report_table_close(r);
    if (r->block == SOS_BLOCK_PICTURES) sos_report_pictures_close(r);
    r->block = block;
    if (block == SOS_BLOCK_FACTS) sos_report_put(r, "<dl>\n");
    if (block == SOS_BLOCK_CHARTS) sos_report_put(r, "<div class=\"charts\">\n");
    return !r->status;
}

/* ---------------------------------------------------------------- the page */

void sos_report_open(sos_report *r, const char *path, const char *title, const char *subtitle, sos_error *error)
{
    *r = (sos_report){ .error = error };
    r->status = sos_output_open(&r->output, path, error);
    if (r->status) return;
    sos_report_put(
        r, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';img-src data:;style-src 'unsafe-inline';"
           "script-src 'unsafe-inline'\"/>\n");
    sos_report_put_escaped(r, "<title>", title, "</title>\n<style>\n");
    sos_chart_style(r->output.file);
    sos_report_style(r->output.file);
    sos_report_put_escaped(r, "</style>\n</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
    if (subtitle && *subtitle) sos_report_put_escaped(r, "<p class=\"subtitle\">", subtitle, "</p>\n");
    sos_report_put(r, "</header>\n<main>\n");
}

/* The headings are known only at the end; the style puts the list of them on top. */
static void contents_put(const sos_report *r)
{
    if (r->headings < 2) return;
    sos_report_put(r, "<nav aria-label=\"Contents\"><ul>\n");
    const char *at = r->contents.text;
    for (size_t i = 0; i < r->headings; i++, at += strlen(at) + 1) {
        fprintf(r->output.file, "<li><a href=\"#section%zu\">", i + 1);
        sos_report_put_escaped(r, "", at, "</a></li>\n");
    }
    sos_report_put(r, "</ul></nav>\n");
}

static void report_free(sos_report *r)
{
    sos_string_free(&r->scratch);
    sos_string_free(&r->contents);
    sos_string_free(&r->kept);
    sos_string_free(&r->row);
    free(r->values);
    r->values = NULL;
    r->values_room = 0;
}

sos_status sos_report_close(sos_report *r)
{
    if (sos_report_enter(r, SOS_BLOCK_NONE)) {
        sos_report_put(r, "</main>\n");
        contents_put(r);
        sos_report_put_escaped(r, "<footer>s3svm ", sos_version(), "</footer>\n<script>");
        sos_report_put(r, script);
        sos_report_put(r, "</script>\n</body>\n</html>\n");
        r->status = sos_output_commit(&r->output);
    }
    report_free(r);
    return r->status;
}

void sos_report_abandon(sos_report *r)
{
    sos_output_abandon(&r->output);
    if (!r->status) r->status = SOS_CANCELLED;
    report_free(r);
}

/* ---------------------------------------------------------------- text */

void sos_report_heading(sos_report *r, const char *text)
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    sos_string_print(&r->contents, "%s", text ? text : "");
    sos_string_mark(&r->contents);
    if (r->contents.failed) {
        sos_report_no_memory(r, "the report");
        return;
    }
    fprintf(r->output.file, "<h2 id=\"section%zu\">", ++r->headings);
    sos_report_put_escaped(r, "", text, "</h2>\n");
}

void sos_report_subheading(sos_report *r, const char *text)
{
    if (sos_report_enter(r, SOS_BLOCK_NONE)) sos_report_put_escaped(r, "<h3>", text, "</h3>\n");
}

void sos_report_text(sos_report *r, const char *format, ...)
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = sos_report_formatted(r, format, values);
    va_end(values);
    if (text) sos_report_put_escaped(r, "<p>", text, "</p>\n");
}

void sos_report_code(sos_report *r, const char *format, ...)
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = sos_report_formatted(r, format, values);
    va_end(values);
    if (text) sos_report_put_escaped(r, "<pre tabindex=\"0\"><code>", text, "</code></pre>\n");
}

void sos_report_fact(sos_report *r, const char *name, const char *format, ...)
{
    if (!sos_report_enter(r, SOS_BLOCK_FACTS)) return;
    va_list values;
    va_start(values, format);
    const char *text = sos_report_formatted(r, format, values);
    va_end(values);
    if (!text) return;
    sos_report_put_escaped(r, "<div><dt>", name, "</dt>");
    sos_report_put_escaped(r, "<dd>", text, "</dd></div>\n");
}
