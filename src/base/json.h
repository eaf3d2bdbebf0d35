/* json.h - writes JSON.  Doubles are written so that they read back the same; NaN and infinities become null; bytes of a text
 * that are no UTF-8 become U+FFFD. */
#ifndef SOS_BASE_JSON_H
#define SOS_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sos_json {
    FILE *file;
    int depth;
    bool line;   /* all on one line */
    bool part;   /* of a larger text: no newline at the end */
    int row;     /* of what was opened by sos_json_open_row: its depth; 0: none is open */
    bool filled; /* something stands before in the innermost object or list */
} sos_json;

/* name is the member's name within an object, NULL within a list and at the top. */
void sos_json_open(sos_json *j, const char *name, char bracket);     /* '{' or '[' */
void sos_json_open_row(sos_json *j, const char *name, char bracket); /* with all that it holds on one line */
void sos_json_close(sos_json *j, char bracket);                      /* '}' or ']' */
void sos_json_text(sos_json *j, const char *name, const char *text);
void sos_json_real(sos_json *j, const char *name, double x);
void sos_json_count(sos_json *j, const char *name, uint64_t x);
void sos_json_truth(sos_json *j, const char *name, bool x);
void sos_json_raw(sos_json *j, const char *name, const char *json); /* a text that is JSON already, as it is */

/* Numbers of the list that is open: so many on a line, or all of them with 0. */
void sos_json_reals(sos_json *j, size_t count, const double x[], size_t on_a_line);

/* A list of floats in a row, with the digits that each needs to read back the same. */
void sos_json_floats(sos_json *j, const char *name, size_t count, const float x[]);

#endif
