/* fuzz.h - what the targets of this folder share.  A target is a file fuzz_<what>.c with two functions: one that works on any
 * bytes, and one that makes inputs to begin with.  It is built as a program that replays files and its own inputs, damaged in
 * many ways (replay.c), which is a test; and with SOS_FUZZ=ON for clang's libFuzzer instead. */
#ifndef SOS_FUZZ_FUZZ_H
#define SOS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Reads the bytes, or refuses them; anything else is a failure: it aborts.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_bytes {
    uint8_t *data; /* to free */
    size_t size;
} fuzz_bytes;

/* Makes input number i; false: there are no more.  Each is one that is read, unless it is empty: where this build lacks what it
 * takes. */
bool fuzz_seed(size_t i, fuzz_bytes *out);

/* How many inputs were read, not refused; targets count. */
extern size_t fuzz_accepted;

/* Aborts where something does not hold, with the place. */
#define fuzz_check(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* Bytes from which a target makes something, one after the other; 0 behind the last one. */
typedef struct fuzz_source {
    const uint8_t *at, *end;
} fuzz_source;

unsigned fuzz_byte(fuzz_source *s);
size_t fuzz_below(fuzz_source *s, size_t n); /* less than n, which is at most 256 */

/* So many bytes that look random, others for each i: an input to begin with. */
fuzz_bytes fuzz_noise(size_t i, size_t size);

/* A byte that chooses, and a text or bytes behind it. */
fuzz_bytes fuzz_input(uint8_t choice, const void *data, size_t size);
fuzz_bytes fuzz_text(uint8_t choice, const char *text);

/* A copy of its own, so that reading past the end is seen; never NULL. */
void *fuzz_copy(const void *data, size_t size);

/* The path of a file of this process, and its content written; a whole file read, without data where it cannot be. */
const char *fuzz_path(const char *ending);
void fuzz_file_write(const char *path, const void *data, size_t size);
fuzz_bytes fuzz_file_read(const char *path);

/* Puts the checksums of a PNG right, since no chance would; other bytes stay as they are. */
void fuzz_png_repair(uint8_t *data, size_t size);

#endif
