/* json_text.h - parts of a text that has been found to be JSON, so that ends are where they must be: values as the texts they
 * are, which a tree would not keep. */
#ifndef SOS_LEARN_JSON_TEXT_H
#define SOS_LEARN_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sos_json_span {
    const char *text;
    size_t length;
} sos_json_span;

const char *sos_json_skip_space(const char *p);

/* Returns what follows the value at p; *depth, if not NULL, becomes how deep its brackets lie in each other. */
const char *sos_json_skip_value(const char *p, int *depth);

/* The next member of the object that *p is within, or false at its end.  The key has its quotes. */
bool sos_json_next_member(const char **p, sos_json_span *key, sos_json_span *value);

#endif
