/* json_read.h - reads JSON, strictly: one value of UTF-8 text and nothing behind it, no member twice, all numbers within the
 * range of doubles; and only so much of it as memory should be spent on, whoever wrote it. */
#ifndef SOS_BASE_JSON_READ_H
#define SOS_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A value of a text that was read; it belongs to the whole. */
typedef struct sos_json_value sos_json_value;

enum {
    SOS_JSON_DEPTH_MAX = 1024,       /* brackets within brackets */
    SOS_JSON_BRACKETS_MAX = 1 << 22, /* lists and objects */
    SOS_JSON_VALUES_MAX = 1 << 25 /* values that stand in them; each takes 24 bytes, and as much again while its list is read */
};

/* Reads length bytes.  name is for messages: "name: line 3, column 7: ...".  *whole is to free. */
SOS_MUST_USE sos_status sos_json_read(const char *text, size_t length, const char *name, sos_json_value **whole,
                                      sos_error *error);
void sos_json_free(sos_json_value *whole); /* NULL is fine */

/* ---- values; NULL stands for one that is not there ---- */

typedef enum sos_json_kind {
    SOS_JSON_NONE, /* of NULL */
    SOS_JSON_NULL,
    SOS_JSON_TRUTH,
    SOS_JSON_NUMBER,
    SOS_JSON_TEXT,
    SOS_JSON_LIST,
    SOS_JSON_OBJECT
} sos_json_kind;

sos_json_kind sos_json_value_kind(const sos_json_value *v);
bool sos_json_value_truth(const sos_json_value *v);       /* false for all but true */
double sos_json_value_number(const sos_json_value *v);    /* NaN for what is not a number; -0 keeps its sign */
const char *sos_json_value_text(const sos_json_value *v); /* NULL for what is no text */

/* How many values stand in a list or an object; 0 for others. */
size_t sos_json_value_size(const sos_json_value *v);
const sos_json_value *sos_json_value_item(const sos_json_value *list, size_t i);
const sos_json_value *sos_json_value_member(const sos_json_value *object, const char *name);

/* The name of a member that is not in the list, which ends with NULL; NULL: there is none. */
const char *sos_json_value_stranger(const sos_json_value *object, const char *const known[]);

/* ---- texts that have been read ---- */

typedef struct sos_json_span {
    const char *text;
    size_t length;
} sos_json_span;

/* The members of an object as the texts they are: *at starts at the text of the object, and moves on.  false: no more. */
bool sos_json_member_next(const char **at, sos_json_span *name, sos_json_span *value);

/* How deep brackets lie within each other, in any text. */
size_t sos_json_depth(const char *text, size_t length);

#endif
