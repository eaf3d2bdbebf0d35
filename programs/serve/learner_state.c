/* learner_state.c - how far learning is, in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/output.h"
#include "learner.h"

static const char FILE_NAME[] = "learning.json";

const char *learning_name(learning s)
{
    static const char *const NAMES[LEARNINGS] = { "idle", "running", "stopped", "done", "failed" };
    return NAMES[s];
}

void learner_save(learner *l)
{
    sos_output out;
    sos_error error;
    char *text;
    size_t length;
    if (sos_output_open_memory(&out, &error)) return; /* it is written again */
    sos_json j = { .file = out.file };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "state", learning_name(l->state));
    sos_json_text(&j, "message", l->message);
    sos_json_real(&j, "seconds", l->seconds + (l->state == LEARNING_RUNNING ? sos_seconds() - l->began : 0));
    sos_json_count(&j, "photographs", l->photographs);
    sos_json_close(&j, '}');
    if (sos_output_take(&out, &text, &length)) return;
    if (!directory_write(l->server->folder->own, FILE_NAME, text, length, &error)) l->saved = sos_seconds();
    free(text);
}

/* A server that was killed while it learned did not come to write that it stopped. */
void learner_restore(learner *l)
{
    char *text;
    size_t length;
    sos_error error;
    sos_json_value *whole;
    if (directory_read(l->server->folder->own, FILE_NAME, JSON_MAX, &text, &length, &error)) return;
    if (!sos_json_read(text, length, FILE_NAME, &whole, &error)) {
        const char *state = sos_json_value_text(sos_json_value_member(whole, "state"));
        const double seconds = sos_json_value_number(sos_json_value_member(whole, "seconds"));
        const char *message = sos_json_value_text(sos_json_value_member(whole, "message"));
        const bool failed = state && !strcmp(state, "failed");
        const bool begun = failed || (state && (!strcmp(state, "running") || !strcmp(state, "stopped")));
        if (begun) l->state = failed ? LEARNING_FAILED : LEARNING_STOPPED;
        if (begun)
            snprintf(l->message, sizeof l->message, "%s", failed && message ? message : "learning was stopped, and can go on");
        if (begun && seconds > 0 && seconds < 1e9) l->seconds = seconds;
        sos_json_free(whole);
    }
    free(text);
}
