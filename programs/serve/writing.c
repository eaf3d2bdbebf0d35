/* writing.c - answers that are JSON objects. */
#include "writing.h"

#include <stdio.h>

/* Where members go that no memory was found for. */
static FILE *nowhere;

bool writing_prepare(void)
{
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    return nowhere;
}

void writing_begin(writing *w)
{
    *w = (writing){ 0 };
    w->failed = sos_output_open_memory(&w->out, &w->error);
    w->json = (sos_json){ .file = w->failed ? nowhere : w->out.file };
    sos_json_open(&w->json, NULL, '{');
}

void writing_end(writing *w, reply *a, int status)
{
    char *text = NULL;
    size_t length = 0;
    sos_json_close(&w->json, '}');
    if (w->failed || sos_output_take(&w->out, &text, &length))
        reply_memory(a);
    else
        reply_bytes(a, status, "application/json", text, length);
}
