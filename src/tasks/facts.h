/* facts.h - what models for pictures have in common: the fact "task"; groups that must be those of their kind; and the fact
 * "features", JSON that is read as strictly as it was written, members in their order, nothing more, nothing less.
 *
 * The first thing that is wrong is remembered, and every later call does nothing, so that a reader checks once, at its end. */
#ifndef SOS_TASKS_FACTS_H
#define SOS_TASKS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* "name": of the first member, and of further ones, with the comma before it. */
void sos_facts_name(sos_facts *f, const char *name);
void sos_facts_next(sos_facts *f, const char *name);

/* A text of less than room bytes, without escapes. */
void sos_facts_text(sos_facts *f, size_t room, char out[]);

/* A finite number; an integer in min ... max. */
double sos_facts_real(sos_facts *f);
size_t sos_facts_count(sos_facts *f, size_t min, size_t max);

/* A list of at least min and at most max numbers, all finite as floats.  Returns how many there are. */
size_t sos_facts_reals(sos_facts *f, size_t min, size_t max, float out[]);

/* {"version": N, "model": "NAME", how the features of all models begin.  Versions above most are refused. */
SOS_MUST_USE sos_status sos_facts_kind(sos_facts *f, size_t most, size_t room, char name[], sos_error *error);

/* The end: SOS_OK, or SOS_ERR_FORMAT with key, place and what was expected. */
SOS_MUST_USE sos_status sos_facts_end(sos_facts *f, sos_error *error);

/* ---- whole facts ---- */

/* Whether the fact "task" is this: SOS_ERR_FORMAT if not. */
SOS_MUST_USE sos_status sos_facts_task(const sos_model *m, const char *task, sos_error *error);

/* Whether the groups of a model are these, in this order. */
bool sos_facts_groups(const sos_model *m, size_t count, const sos_group groups[]);

/* Sets a fact to what write prints. */
typedef void sos_facts_writer(FILE *file, const void *data);
SOS_MUST_USE sos_status sos_facts_set(sos_model *m, const char *key, sos_facts_writer *write, const void *data,
                                      sos_error *error);

/* Prints [x, ...], with digits enough for a float to read back the same. */
void sos_facts_print(FILE *file, size_t count, const float x[]);

#endif
