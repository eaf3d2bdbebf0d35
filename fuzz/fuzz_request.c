/* fuzz_request.c - any bytes as what s3svm serve reads of requests: bodies of JSON, paths, Host, cookies, JPEG files to strip.
 * They are read or refused, with an answer; what a word of a path says is what the path says there. */
#include <stdio.h>
#include <string.h>

#include <sos/status.h>

#include "body.h"
#include "fuzz.h"
#include "guard.h"
#include "jpeg_strip.h"
#include "json_response.h"
#include "route.h"

enum { BODY, PATH, GUARD, STRIP, KINDS };

/* ---------------------------------------------------------------- bodies */

static void refusal_check(response *a)
{
    fuzz_check(a->status >= 400 && a->status <= 503 && a->length && a->bytes);
    response_free(a);
}

static void body_try(const char *text, size_t size)
{
    static const char *const KNOWN[] = { "method",   "marks",  "quick", "connected", "view",
                                         "revision", "action", "model", "example",   NULL };
    const request q = { .body = (char *)text, .length = size };
    response a = { 0 };
    body b;
    if (!body_read(&q, KNOWN, &b, &a)) {
        refusal_check(&a);
        return;
    }
    fuzz_accepted++;
    fuzz_check(!a.status && strlen(b.method) <= BODY_WORD && strlen(b.revision) <= BODY_WORD);
    if (b.marks) fuzz_check(s3svm_dialogue_steps(b.marks) <= BODY_STEPS_MAX);
    if (!body_marks_fit(&b, 9, 7, &a)) refusal_check(&a);
    body_free(&b);
}

/* ---------------------------------------------------------------- paths */

static const route ROUTES[] = {
    { "/", VERB_GET, CONTENT_NONE, false, POOL_NONE, NULL },
    { "/page/NAME", VERB_GET, CONTENT_NONE, false, POOL_NONE, NULL },
    { "/api/pictures/ID/image", VERB_GET, CONTENT_NONE, false, POOL_NONE, NULL },
    { "/api/pictures/ID", VERB_DELETE, CONTENT_NONE, false, POOL_NONE, NULL },
    { "/api/tracers/NAME", VERB_GET, CONTENT_JSON, false, POOL_NONE, NULL },
    { "/api/folder/KEY/marks", VERB_PUT, CONTENT_NONE, false, POOL_NONE, NULL },
    { NULL, VERB_OTHER, CONTENT_NONE, false, POOL_NONE, NULL },
};

static void path_try(const char *text)
{
    request q = { .verb = VERB_GET, .path = text };
    response a = { 0 };
    const route *found = route_find(ROUTES, &q, &a);
    if (!found) {
        refusal_check(&a);
    } else {
        const char *at = strstr(text, q.word);
        fuzz_accepted++;
        fuzz_check(!a.status && at && !strchr(q.word, '/') && q.word[0] != '.' && strlen(q.word) <= WORD_MAX);
    }
    fuzz_check(content_of(text) <= CONTENT_PICTURE);
    fuzz_check(number_read(text, 500, 7) <= 500);
}

/* ---------------------------------------------------------------- who asks */

/* Lines: Host, Origin, Cookie, Authorization. */
static void guard_try(char *text)
{
    guard g = {
        .open = true, .address = "10.0.0.1", .machine = "here", .token = "0123456789abcdef0123456789abcdef", .cookie = "s3svm-1"
    };
    const char *lines[4] = { "", "", "", "" };
    for (size_t i = 0; i < 4 && text; i++) {
        lines[i] = text;
        text = strchr(text, '\n');
        if (text) *text++ = '\0';
    }
    const request q = { .verb = VERB_POST,
                        .path = "/api/pictures",
                        .host = lines[0],
                        .origin = *lines[1] ? lines[1] : NULL,
                        .cookie = lines[2],
                        .authorization = *lines[3] ? lines[3] : NULL,
                        .mark = "1" };
    response a = { 0 };
    guard_check(&g, &q, true, &a);
    if (a.status) {
        refusal_check(&a);
        return;
    }
    fuzz_accepted++;
    fuzz_check(strstr(lines[2], g.token) || strstr(lines[3], g.token));
    fuzz_check(!q.origin || strlen(q.origin) == 7 + strlen(q.host));
    g.open = false;
    if (host_is_ours(&g, q.host)) fuzz_check(strstr("127.0.0.1[::1]localhost", (char[]){ q.host[0], 0 }) || q.host[0] == 'L');
}

/* ---------------------------------------------------------------- all of them */

static void strip_try(const uint8_t *data, size_t size)
{
    uint8_t *out = fuzz_copy(data, size); /* room for as many */
    const size_t kept = jpeg_strip(data, size, out);
    fuzz_check(kept <= size);
    if (kept) {
        uint8_t *again = fuzz_copy(out, kept);
        fuzz_accepted++;
        fuzz_check(jpeg_strip(out, kept, again) == kept && !memcmp(out, again, kept));
        free(again);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_check(json_response_prepare());
    if (!size) return 0;
    char *text = malloc(size);
    fuzz_check(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0'; /* as the server has it behind a body */
    switch (data[0] % KINDS) {
    case BODY: body_try(text, size - 1); break;
    case PATH: path_try(text); break;
    case GUARD: guard_try(text); break;
    default: strip_try(data + 1, size - 1); break;
    }
    free(text);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
#define MARKS                                                                                                                  \
    "{\"format\": \"s3svm marks\", \"version\": 1, \"width\": 9, \"height\": 7, \"steps\": [[{\"shape\": \"stroke\", "         \
    "\"label\": \"object\", \"radius\": 2.5, \"points\": [3, 4, 5.5, 1]}]]}"
    static const struct {
        uint8_t kind;
        const char *text;
    } SEEDS[] = {
        { BODY, "{\"method\": \"s3svm\", \"quick\": true, \"marks\": " MARKS "}" },
        { BODY, "{\"connected\": true, \"model\": \"lines.json\", \"marks\": " MARKS "}" },
        { BODY, "{\"revision\": \"af63e14c8601f50b\", \"marks\": " MARKS ", \"view\": null}" },
        { BODY, "{\"action\": \"start\", \"model\": \"learned-1\", \"example\": \"fruit\"}" },
        { PATH, "/" },
        { PATH, "/page/main.js" },
        { PATH, "/api/tracers/lines.json" },
        { PATH, "/api/pictures/0123456789abcdef0123456789abcdef/image" },
        { GUARD, "10.0.0.1:80\nhttp://10.0.0.1:80\na=b; s3svm-1=0123456789abcdef0123456789abcdef; c=d\n" },
        { GUARD, "[::1]:9\n\n\nBearer 0123456789abcdef0123456789abcdef" },
    };
#undef MARKS
    static const uint8_t FILE_BYTES[] = { 0xff, 0xd8, 0xff, 0xe0, 0, 4,    1,    2, 0xff, 0xe1, 0, 5, 'E',  'x', 'i',
                                          0xff, 0xfe, 0,    3,    9, 0xff, 0xda, 0, 4,    1,    2, 3, 0xff, 0xd9 };
    enum { COUNT = sizeof SEEDS / sizeof *SEEDS };
    if (i > COUNT) return false;
    if (i == COUNT)
        *out = fuzz_input(STRIP, FILE_BYTES, sizeof FILE_BYTES);
    else
        *out = fuzz_text(SEEDS[i].kind, SEEDS[i].text);
    return true;
}
