/* photographs.h - pictures that show the same photograph, which splits and folds keep on one side.
 *
 * Two pictures are the same photograph if they have the same size and the same pixels, however their files are called and
 * encoded: collections have a file for each object of a photograph.  What is learned from one of them has seen the others.
 *
 *     s3svm_dataset_photographs(&data, photograph, &error);
 *     s3svm_photographs_split(&parts, photograph, seed, split, order, &error);
 *
 * Where all photographs differ, orders and folds are those of s3svm_split and of i % folds. */
#ifndef S3SVM_TASKS_PHOTOGRAPHS_H
#define S3SVM_TASKS_PHOTOGRAPHS_H

#include <s3svm/dataset.h>
#include <s3svm/image.h>

#include "tasks/split.h"

/* Of size, channels and pixels. */
uint64_t s3svm_photograph_hash(const s3svm_image *picture);

/* photograph[i] receives the first of the pictures that have the hash of picture i.  O(count log count). */
SOS_MUST_USE sos_status s3svm_photographs_group(size_t count, const uint64_t hashes[], size_t photograph[], sos_error *error);

/* The same for a data set: reads all its pictures, or its labels where it has no pictures. */
SOS_MUST_USE sos_status s3svm_dataset_photographs(const s3svm_dataset *d, size_t photograph[], sos_error *error);

/* How many photographs there are. */
size_t s3svm_photographs_count(size_t count, const size_t photograph[]);

/* A random order of all pictures, as s3svm_split makes it: first those to train on, then validation, then test.  Pictures of
 * one photograph are all in one part, the first that has room for them when the first of them comes.  The parts have exactly
 * the sizes asked for; SOS_ERR_ARGUMENT where that cannot be. */
SOS_MUST_USE sos_status s3svm_photographs_split(const s3svm_parts *parts, const size_t photograph[], uint64_t seed,
                                                uint64_t split, size_t order[], sos_error *error);

/* The same by the hashes of pictures. */
SOS_MUST_USE sos_status s3svm_photographs_hashed_split(const s3svm_parts *parts, const uint64_t hashes[], uint64_t seed,
                                                       uint64_t split, size_t order[], sos_error *error);

/* Deals photographs out to folds, one after the other.  photograph: numbers below count that are equal where the photographs
 * are.  fold[i] receives the fold of picture i. */
SOS_MUST_USE sos_status s3svm_photographs_fold(size_t count, const size_t photograph[], size_t folds, size_t fold[],
                                               sos_error *error);

#endif
