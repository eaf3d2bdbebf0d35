#include "body.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json_read.h"

void body_free(body *b)
{
    s3svm_dialogue_free(b->marks);
    b->marks = NULL;
}

/* Where a member of text goes; NULL: it is none. */
static char *member_text(body *b, const char *name)
{
    const struct {
        const char *name;
        char *text;
    } members[] = { { "method", b->method }, { "view", b->view },   { "example", b->example },
                    { "action", b->action }, { "model", b->model }, { "revision", b->revision } };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!strcmp(members[i].name, name)) return members[i].text;
    return NULL;
}

/* null is as if it were not there. */
static bool text_read(const sos_json_value *v, const char *name, char out[], response *a)
{
    const char *text = sos_json_value_text(v);
    if (sos_json_value_kind(v) == SOS_JSON_NULL || sos_json_value_kind(v) == SOS_JSON_NONE) return true;
    if (!text || strlen(text) > BODY_WORD) {
        response_fail(a, 400, "json", "\"%s\" is a text of at most %d bytes", name, BODY_WORD);
        return false;
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool body_marks_read(sos_json_span span, body *b, response *a)
{
    sos_error error;
    const sos_status status = s3svm_dialogue_parse(span.text, span.length, "marks", &b->marks, &error);
    b->hash = sos_hash(SOS_HASH_START, span.text, span.length);
    if (status) {
        b->marks = NULL;
        if (status == SOS_ERR_MEMORY)
            response_failure(a, status, &error);
        else
            response_fail(a, 422, "marks", "%s", error.message);
    } else if (s3svm_dialogue_steps(b->marks) > BODY_STEPS_MAX)
        response_fail(a, 422, "marks", "marks: %zu steps are more than %d", s3svm_dialogue_steps(b->marks), BODY_STEPS_MAX);
    return !a->status;
}

/* The text of a member, as it was sent. */
static bool span_find(const request *q, const char *name, sos_json_span *out)
{
    const char *at = q->body;
    sos_json_span found;
    while (sos_json_member_next(&at, &found, out))
        if (found.length == strlen(name) + 2 && !memcmp(found.text + 1, name, strlen(name))) return true;
    return false;
}

static bool member_read(const request *q, const sos_json_value *whole, const char *name, body *b, response *a)
{
    const sos_json_value *v = sos_json_value_member(whole, name);
    const sos_json_kind kind = sos_json_value_kind(v);
    sos_json_span span;
    if (!strcmp(name, "quick") || !strcmp(name, "connected")) {
        *(*name == 'q' ? &b->quick : &b->connected) = sos_json_value_truth(v);
        if (kind != SOS_JSON_NONE && kind != SOS_JSON_TRUTH) response_fail(a, 400, "json", "\"%s\" is true or false", name);
        return !a->status;
    }
    if (strcmp(name, "marks") != 0) return text_read(v, name, member_text(b, name), a);
    if (kind == SOS_JSON_NONE || kind == SOS_JSON_NULL) return true;
    if (!span_find(q, name, &span)) {
        response_fail(a, 400, "json", "\"marks\" is not found: its name must be written plainly");
        return false;
    }
    return body_marks_read(span, b, a);
}

static bool members_read(const request *q, const sos_json_value *whole, const char *const known[], body *b, response *a)
{
    char shown[80];
    const char *stranger = sos_json_value_stranger(whole, known);
    if (sos_json_value_kind(whole) != SOS_JSON_OBJECT) {
        response_fail(a, 400, "json", "the request is no JSON object");
        return false;
    }
    if (stranger) {
        response_fail(a, 400, "json", "the member \"%s\" is not known here", sos_harmless(stranger, sizeof shown, shown));
        return false;
    }
    for (size_t i = 0; known[i]; i++)
        if (!member_read(q, whole, known[i], b, a)) return false;
    return true;
}

/* Before memory is taken for what a text holds, whoever sent it. */
static bool body_size_is_fine(const request *q)
{
    size_t brackets = 0, values = 0;
    for (size_t i = 0; i < q->length; i++) {
        brackets += q->body[i] == '[' || q->body[i] == '{';
        values += q->body[i] == ',';
    }
    return brackets <= BODY_BRACKETS_MAX && values <= BODY_VALUES_MAX;
}

bool body_read(const request *q, const char *const known[], body *out, response *a)
{
    sos_json_value *whole;
    sos_error error;
    body b = { .quick = false };
    if (!q->length) {
        response_fail(a, 400, "json", "the request is empty; it should be a JSON object");
        return false;
    }
    if (!body_size_is_fine(q)) {
        response_fail(a, 413, "large", "the request has more than %d brackets or %d values", BODY_BRACKETS_MAX,
                      BODY_VALUES_MAX);
        return false;
    }
    const sos_status status = sos_json_read(q->body, q->length, "request", &whole, &error);
    if (status == SOS_ERR_MEMORY)
        response_failure(a, status, &error);
    else if (status)
        response_fail(a, 400, "json", "%s", error.message);
    if (status) return false;
    const bool fine = members_read(q, whole, known, &b, a);
    sos_json_free(whole);
    b.hash = sos_hash(b.hash, &b.connected, sizeof b.connected);
    if (fine)
        *out = b;
    else
        body_free(&b);
    return fine;
}

bool body_marks_fit(const body *b, size_t width, size_t height, response *a)
{
    if (!b->marks)
        response_fail(a, 400, "json", "\"marks\" is missing");
    else if (s3svm_dialogue_width(b->marks) != width || s3svm_dialogue_height(b->marks) != height)
        response_fail(a, 422, "marks", "marks of %zu by %zu pixels; the picture has %zu by %zu", s3svm_dialogue_width(b->marks),
                      s3svm_dialogue_height(b->marks), width, height);
    return !a->status;
}

size_t number_read(const char *text, size_t most, size_t missing)
{
    size_t x = 0, i = 0;
    if (!text || !*text) return missing;
    for (; text[i] >= '0' && text[i] <= '9' && x <= most; i++) x = 10 * x + (size_t)(text[i] - '0');
    return text[i] || x > most ? missing : x;
}
