/* scratch.h - a folder for the files of a test program: scratch_make and scratch_remove are its group's set-up and tear-down.
 */
#ifndef SOS_TESTS_SCRATCH_H
#define SOS_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

int scratch_make(void **state);
int scratch_remove(void **state);       /* with the files in it */
int scratch_remove_empty(void **state); /* fails where a test has left a file, a temporary one say */

const char *scratch_folder(void);

/* The path of a file in it, good until the call after the next. */
const char *scratch(const char *name);

/* How many files are in it, calling visit, unless NULL, for each; files only. */
size_t scratch_each(void (*visit)(const char *path));
size_t scratch_count(void);
void scratch_clear(void);

#endif
