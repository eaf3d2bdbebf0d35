/* json_response.c - answers that are JSON objects. */
#include "json_response.h"

#include <stdio.h>

/* Where members go that no memory was found for. */
static FILE *nowhere;

bool json_response_prepare(void)
{
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    return nowhere;
}

void json_response_begin(json_response *w)
{
    *w = (json_response){ 0 };
    w->failed = sos_output_open_memory(&w->out, &w->error);
    w->json = (sos_json){ .file = w->failed ? nowhere : w->out.file };
    sos_json_open(&w->json, NULL, '{');
}

void json_response_end(json_response *w, response *a, int status)
{
    char *text = NULL;
    size_t length = 0;
    sos_json_close(&w->json, '}');
    if (w->failed || sos_output_take(&w->out, &text, &length))
        response_memory(a);
    else
        response_bytes(a, status, "application/json", text, length);
}
