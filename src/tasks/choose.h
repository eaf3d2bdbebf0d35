/* choose.h - some of several things that have names, by a list such as "amn,counts". */
#ifndef SOS_TASKS_CHOOSE_H
#define SOS_TASKS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/status.h>

/* The word of one of them. */
typedef const char *sos_word_of(size_t which);

/* Sets chosen[i] for each word of the list, and leaves the others alone.  An empty list is an error, as is a word that is none
 * of theirs; option and words, as people know them, are for its message. */
SOS_MUST_USE sos_status sos_choose(const char *option, const char *list, size_t count, sos_word_of *word, const char *words,
                                   bool chosen[], sos_error *error);

#endif
