/* response.c - answers: errors, and bytes. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_response.h"

void response_free(response *a)
{
    if (!a->borrowed) free((void *)a->bytes);
    *a = (response){ 0 };
}

void response_static(response *a, const char *type, const void *bytes, size_t length)
{
    response_free(a);
    *a = (response){ .status = 200, .type = type, .bytes = bytes, .length = length, .borrowed = true };
}

void response_bytes(response *a, int status, const char *type, void *bytes, size_t length)
{
    response_free(a);
    *a = (response){ .status = status, .type = type, .bytes = bytes, .length = length };
}

void response_memory(response *a)
{
    static const char TEXT[] = "{\"error\": {\"code\": \"memory\", \"message\": \"there is no memory for this\"}}\n";
    response_static(a, "application/json", TEXT, sizeof TEXT - 1);
    a->status = 503;
    a->again = true;
}

void response_fail(response *a, int status, const char *code, const char *format, ...)
{
    char message[600];
    json_response w;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    json_response_begin(&w);
    sos_json_open(&w.json, "error", '{');
    sos_json_text(&w.json, "code", code);
    sos_json_text(&w.json, "message", message);
    sos_json_close(&w.json, '}');
    json_response_end(&w, a, status);
    a->again = status == 503 || status == 429;
}

void response_failure(response *a, sos_status status, const sos_error *error)
{
    switch (status) {
    case SOS_ERR_MEMORY: response_fail(a, 503, "memory", "%s", error->message); break;
    case SOS_ERR_IO: response_fail(a, 500, "file", "%s", error->message); break;
    case SOS_CANCELLED: response_fail(a, 409, "superseded", "a newer request took the place of this one"); break;
    default: response_fail(a, 422, "refused", "%s", error->message); break;
    }
}
