/* facts.h - reads the JSON of a model's facts, as strictly as it was written: members in their order, nothing more, nothing
 * less.
 *
 * The first thing that is wrong is remembered, and every later call does nothing, so that a reader checks once, at its end. */
#ifndef SOS_TASKS_FACTS_H
#define SOS_TASKS_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/model.h>

typedef struct sos_facts {
    const char *key, *text, *at;
    const char *wrong; /* what was expected and not found at `at`, or NULL */
} sos_facts;

/* Begins with the fact of that key; a model without it is wrong. */
sos_facts sos_facts_begin(const sos_model *m, const char *key);

/* A character such as a bracket or a comma, with spaces before it. */
void sos_facts_mark(sos_facts *f, char mark);

/* Whether the next character is this one; it is then passed. */
bool sos_facts_has(sos_facts *f, char mark);

/* "name": of a member. */
void sos_facts_name(sos_facts *f, const char *name);

/* A text of less than room bytes, without escapes. */
void sos_facts_text(sos_facts *f, size_t room, char out[]);

/* A finite number; an integer in min ... max. */
double sos_facts_real(sos_facts *f);
size_t sos_facts_count(sos_facts *f, size_t min, size_t max);

/* A list of at least min and at most max numbers, all finite as floats.  Returns how many there are. */
size_t sos_facts_reals(sos_facts *f, size_t min, size_t max, float out[]);

/* The end: SOS_OK, or SOS_ERR_FORMAT with key, place and what was expected. */
SOS_MUST_USE sos_status sos_facts_end(sos_facts *f, sos_error *error);

#endif
