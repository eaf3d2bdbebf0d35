/* reply.c - answers: errors, and bytes. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "writing.h"

void reply_free(reply *a)
{
    if (!a->borrowed) free((void *)a->bytes);
    *a = (reply){ 0 };
}

void reply_static(reply *a, const char *type, const void *bytes, size_t length)
{
    reply_free(a);
    *a = (reply){ .status = 200, .type = type, .bytes = bytes, .length = length, .borrowed = true };
}

void reply_bytes(reply *a, int status, const char *type, void *bytes, size_t length)
{
    reply_free(a);
    *a = (reply){ .status = status, .type = type, .bytes = bytes, .length = length };
}

void reply_memory(reply *a)
{
    static const char TEXT[] = "{\"error\": {\"code\": \"memory\", \"message\": \"there is no memory for this\"}}\n";
    reply_static(a, "application/json", TEXT, sizeof TEXT - 1);
    a->status = 503;
    a->again = true;
}

void reply_fail(reply *a, int status, const char *code, const char *format, ...)
{
    char message[600];
    writing w;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    writing_begin(&w);
    sos_json_open(&w.json, "error", '{');
    sos_json_text(&w.json, "code", code);
    sos_json_text(&w.json, "message", message);
    sos_json_close(&w.json, '}');
    writing_end(&w, a, status);
    a->again = status == 503 || status == 429;
}

void reply_failure(reply *a, sos_status status, const sos_error *error)
{
    switch (status) {
    case SOS_ERR_MEMORY: reply_fail(a, 503, "memory", "%s", error->message); break;
    case SOS_ERR_IO: reply_fail(a, 500, "file", "%s", error->message); break;
    case SOS_CANCELLED: reply_fail(a, 409, "superseded", "a newer request took the place of this one"); break;
    default: reply_fail(a, 422, "refused", "%s", error->message); break;
    }
}
