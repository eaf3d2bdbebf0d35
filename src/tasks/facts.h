/* facts.h - what models for pictures have in common: the fact "task"; groups that must be those of their kind; and facts such
 * as "features", JSON that is read strictly: every member must be there, and no other.
 *
 * The first thing that is wrong is remembered, and every later call does nothing, so that a reader checks once, at its end. */
#ifndef S3SVM_TASKS_FACTS_H
#define S3SVM_TASKS_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/model.h>

#include "base/json.h"
#include "base/json_read.h"

typedef struct s3svm_facts {
    const char *key;
    sos_json_value *whole; /* NULL after a failure to read it */
    sos_status status;     /* of the first failure */
    sos_error *error;
} s3svm_facts;

/* Reads the fact of that key; a model without it is wrong.  To close. */
s3svm_facts s3svm_facts_open(const sos_model *m, const char *key, sos_error *error);

/* SOS_OK, or the first failure: SOS_ERR_FORMAT with the key and what is wrong.  After this the facts are empty. */
SOS_MUST_USE sos_status s3svm_facts_close(s3svm_facts *f);

/* Notes a failure, unless there was one before. */
void s3svm_facts_wrong(s3svm_facts *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Members of an object, by their names: a text of less than room bytes on one line, a number, an integer in min ... max. */
void s3svm_facts_text(s3svm_facts *f, const sos_json_value *object, const char *name, size_t room, char out[]);
double s3svm_facts_real(s3svm_facts *f, const sos_json_value *object, const char *name);
size_t s3svm_facts_count(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max);

/* A list of min ... max values; NULL after a failure. */
const sos_json_value *s3svm_facts_list(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max);

/* A list of min ... max numbers, all finite as floats.  Returns how many there are. */
size_t s3svm_facts_reals(s3svm_facts *f, const sos_json_value *object, const char *name, size_t min, size_t max, float out[]);

/* The same for a list that is no member; what: for messages. */
size_t s3svm_facts_numbers(s3svm_facts *f, const sos_json_value *list, const char *what, size_t min, size_t max, float out[]);

/* Refuses an object with other members than these; the names end with NULL. */
void s3svm_facts_members(s3svm_facts *f, const sos_json_value *object, const char *const names[]);

/* "version" and "model", how the features of all models begin.  Versions above most are refused. */
void s3svm_facts_kind(s3svm_facts *f, size_t most, size_t room, char name[]);

/* ---- whole facts ---- */

/* The fact "task", as a text of less than room bytes. */
SOS_MUST_USE sos_status s3svm_facts_task_name(const sos_model *m, size_t room, char name[], sos_error *error);

/* Whether the fact "task" is this: SOS_ERR_FORMAT if not. */
SOS_MUST_USE sos_status s3svm_facts_task(const sos_model *m, const char *task, sos_error *error);

/* Whether the groups of a model are these, in this order; behind them that of maps of one's own, where there are some
 * (own_maps.h). */
bool s3svm_facts_groups(const sos_model *m, size_t count, const sos_group groups[]);

/* Sets a fact to what write prints, which is one line. */
typedef void s3svm_facts_writer(sos_json *j, const void *data);
SOS_MUST_USE sos_status s3svm_facts_set(sos_model *m, const char *key, s3svm_facts_writer *write, const void *data,
                                        sos_error *error);

/* Sets a fact to a text. */
SOS_MUST_USE sos_status s3svm_facts_set_text(sos_model *m, const char *key, const char *text, sos_error *error);

#endif
