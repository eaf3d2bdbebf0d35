/* choose.h - chooses named things by a list such as "amn,counts". */
#ifndef S3SVM_EXPERIMENTS_COMMON_CHOOSE_H
#define S3SVM_EXPERIMENTS_COMMON_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/status.h>

/* The word of one of them. */
typedef const char *s3svm_word_of(size_t which);

/* Sets chosen[i] for each word of the list, and leaves the others alone.  An empty list is an error, as is a word that is none
 * of theirs; option and words, as people know them, are for its message. */
SOS_MUST_USE sos_status s3svm_choose(const char *option, const char *list, size_t count, s3svm_word_of *word, const char *words,
                                     bool chosen[], sos_error *error);

#endif
