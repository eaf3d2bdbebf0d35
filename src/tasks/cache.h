/* cache.h - what took long to compute, in a folder, found again by all that it was computed from.
 *
 * A key is made of the name and the version of a computation and of all of its input; it must change when the computation
 * does.  What is found was kept whole, by the same key: anything else in the folder, or no folder, is as if nothing were
 * there.  Several programs may use one folder at a time.
 *
 *     s3svm_cache_key key = s3svm_cache_key_of("gradient clusters", 1);
 *     s3svm_cache_key_add(&key, picture->pixels, bytes);
 *     if (s3svm_cache_find(folder, &key, clusters, n)) return SOS_OK;
 *     ... compute ...
 *     s3svm_cache_keep(folder, &key, clusters, n); */
#ifndef S3SVM_TASKS_CACHE_H
#define S3SVM_TASKS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

typedef struct s3svm_cache_key {
    uint64_t parts[2];
} s3svm_cache_key;

s3svm_cache_key s3svm_cache_key_of(const char *computation, uint64_t version);
void s3svm_cache_key_add(s3svm_cache_key *key, const void *data, size_t bytes);
void s3svm_cache_key_add_number(s3svm_cache_key *key, uint64_t number);

/* The usual folder, to free: $XDG_CACHE_HOME/s3svm, or else $HOME/.cache/s3svm.  NULL: neither is known. */
char *s3svm_cache_usual(void);

/* Makes the folder if it is not there, and sees whether files can be made in it. */
SOS_MUST_USE sos_status s3svm_cache_open(const char *folder, sos_error *error);

/* Whether so many bytes were kept by this key; data receives them if so, and may be changed if not.  folder NULL: no. */
bool s3svm_cache_find(const char *folder, const s3svm_cache_key *key, void *data, size_t bytes);

/* Keeps them, if that is possible: a full disk only means to compute them again.  folder NULL: not. */
void s3svm_cache_keep(const char *folder, const s3svm_cache_key *key, const void *data, size_t bytes);

#endif
