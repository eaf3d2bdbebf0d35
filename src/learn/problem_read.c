/* problem_read.c - learning problems as text (docs/formats.md, "Problem files"). */
#include "learn/problem_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

sos_status sos_problem_no_memory(const sos_problem_reader *r)
{
    return sos_scan_fail(r->s, SOS_ERR_MEMORY, "no memory to read further");
}

sos_status sos_problem_allow(const sos_problem_reader *r, const char *what, size_t amount, size_t *left)
{
    if (amount > *left)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%s: too many for a file of %zu bytes", what,
                             (size_t)(r->s->end - r->s->text));
    *left -= amount;
    return SOS_OK;
}

/* The next token, without taking it. */
static sos_scanner peek(const sos_problem_reader *r)
{
    sos_scanner next = *r->s;
    sos_scan_next(&next);
    return next;
}

bool sos_problem_number_follows(const sos_problem_reader *r)
{
    const sos_scanner next = peek(r);
    const char c = next.length ? *next.token : 'x';
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

bool sos_problem_take_word(sos_problem_reader *r, const char *word)
{
    const sos_scanner next = peek(r);
    if (!sos_scan_is(&next, word)) return false;
    *r->s = next;
    return true;
}

static sos_status example_begin(sos_problem_reader *r)
{
    sos_status status = sos_problem_flush(r);
    if (status) return status;
    r->within = true;
    r->number = r->count;
    const size_t groups = sos_model_groups(r->m);
    size_t functions = groups; /* what an example has at least */
    for (uint32_t g = 0; g < groups; g++) functions += sos_model_group(r->m, g)->strengths;
    status = sos_scan_count(r->s, "the number of variables", UINT32_MAX, &r->n);
    if (status) return status;
    if (!r->n) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "an example needs variables");
    status = sos_problem_allow(r, "the variables of the example", r->n, &r->numbers_left);
    if (!status) status = sos_problem_allow(r, "groups and examples", functions, &r->numbers_left);
    if (status) return status;
    if (!sos_grow(&r->examples, &r->room, r->count + 1)) return sos_problem_no_memory(r);
    sos_error inner;
    if (sos_example_create(r->m, r->n, &r->examples[r->count], &inner)) return sos_scan_blame(r->s, &inner, "");
    r->count++;
    r->truth = r->loss = r->scale = false;
    memset(r->seen, 0, groups);
    return SOS_OK;
}

static sos_status problem_fill(sos_problem_reader *r, const sos_model *expected)
{
    sos_status status = sos_problem_read_header(r);
    if (!status && expected) status = sos_problem_compare_groups(r, expected);
    if (status) return status;
    r->m = expected ? expected : r->own;
    r->seen = calloc(sos_model_groups(r->m) + 1, 1);
    if (!r->seen) return sos_problem_no_memory(r);
    while (!status && !sos_scan_is(r->s, "end")) {
        status = sos_scan_is(r->s, "example") ? example_begin(r) : sos_problem_read_item(r);
        if (!status) sos_scan_next(r->s);
    }
    if (!status) status = sos_problem_flush(r);
    r->within &= status != SOS_OK;
    return status ? status : sos_scan_finish(r->s);
}

static void scratch_free(sos_problem_reader *r)
{
    sos_problem_batch *batches[] = { &r->pairs, &r->cliques };
    for (size_t i = 0; i < 2; i++) {
        free(batches[i]->variables);
        free(batches[i]->groups);
        free(batches[i]->phi);
    }
    free(r->seen);
    free(r->features);
    free(r->start);
    free(r->index);
    free(r->labels);
    free(r->numbers);
}

/* "file:line: ..." becomes "file:line: example 3: ...". */
static sos_status example_blame(const sos_problem_reader *r, const sos_error *inner, sos_error *error)
{
    const char *colon = inner->message + strlen(inner->message), *name_end = inner->message;
    for (size_t i = 0; i < 200 && r->s->name[i]; i++) name_end++;
    if (name_end < colon) colon = name_end + 1 + strspn(name_end + 1, "0123456789");
    if (!r->within) return sos_fail(error, inner->status, "%s", inner->message);
    return sos_fail(error, inner->status, "%.*s: example %zu%.260s", (int)(colon - inner->message), inner->message, r->number,
                    colon);
}

sos_status sos_problem_parse(const char *text, size_t length, const char *name, const sos_model *expected, sos_model **model,
                             size_t *count, sos_example ***examples, sos_error *error)
{
    if (!text || !count || !examples || (!model && !expected))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for what is in it was given");
    sos_error inner = { SOS_OK, "" };
    sos_scanner s = { text, text, text + length, text, 0, name ? name : "text", true, &inner };
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.at += 3; /* the mark some editors put in front of UTF-8 */
    const size_t paid = length < SIZE_MAX / 64 ? 16 * length : length;
    sos_problem_reader r = { .s = &s, .weights_left = ((size_t)1 << 22) + paid, .numbers_left = ((size_t)1 << 20) + paid };
    sos_status status = problem_fill(&r, expected);
    scratch_free(&r);
    if (!status && !r.examples) r.examples = calloc(1, sizeof *r.examples); /* none: still an array */
    if (!status && !r.examples) status = sos_scan_fail(&s, SOS_ERR_MEMORY, "no memory for a list");
    if (status) {
        sos_problem_free(r.count, r.examples);
        sos_model_free(r.own);
        return example_blame(&r, &inner, error);
    }
    if (model)
        *model = r.own;
    else
        sos_model_free(r.own);
    *count = r.count;
    *examples = r.examples;
    return SOS_OK;
}

sos_status sos_problem_read(const char *path, const sos_model *expected, sos_model **model, size_t *count,
                            sos_example ***examples, sos_error *error)
{
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = sos_problem_parse(text, length, path, expected, model, count, examples, error);
    free(text);
    return status;
}

void sos_problem_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}
