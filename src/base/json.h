/* json.h - writes JSON.  Doubles are written so that they read back the same; NaN and infinities become null. */
#ifndef SOS_BASE_JSON_H
#define SOS_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sos_json {
    FILE *file;
    int depth;
    bool line;   /* all on one line */
    bool filled; /* something stands before in the innermost object or array */
} sos_json;

/* name is the member's name within an object, NULL within an array and at the top. */
void sos_json_open(sos_json *j, const char *name, char bracket); /* '{' or '[' */
void sos_json_close(sos_json *j, char bracket);                  /* '}' or ']' */
void sos_json_text(sos_json *j, const char *name, const char *text);
void sos_json_real(sos_json *j, const char *name, double x);
void sos_json_count(sos_json *j, const char *name, uint64_t x);
void sos_json_truth(sos_json *j, const char *name, bool x);

/* Prints x as an integer where it is one, else the shortest text that reads back the same. */
enum { SOS_JSON_REAL_TEXT = 40 };
const char *sos_json_real_text(double x, char text[SOS_JSON_REAL_TEXT]);

#endif
