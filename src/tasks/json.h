/* json.h - writes JSON.  Doubles are written so that they read back the same; NaN and infinities become null. */
#ifndef SOS_TASKS_JSON_H
#define SOS_TASKS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *file;
    int depth;
    bool line;   /* all on one line */
    bool filled; /* something stands before in the innermost object or array */
} json;

/* name is the member's name within an object, NULL within an array and at the top. */
void json_open(json *j, const char *name, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                  /* '}' or ']' */
void json_text(json *j, const char *name, const char *text);
void json_real(json *j, const char *name, double x);
void json_count(json *j, const char *name, uint64_t x);
void json_truth(json *j, const char *name, bool x);

/* Prints x as an integer where it is one, else the shortest text that reads back the same. */
enum { JSON_REAL_TEXT = 40 };
const char *json_real_text(double x, char text[JSON_REAL_TEXT]);

#endif
