/* status.h - what holds for every call of libsos and libs3svm: how it reports what went wrong, how it is stopped, how structs
 * grow; and which version this is.
 *
 * A call that can fail returns a sos_status and takes, as its last argument, a sos_error to fill (NULL if the caller does not
 * want the words).  On failure the call's other arguments are unchanged unless its comment says otherwise.  The library never
 * prints, exits or aborts.
 *
 * A call that returns no sos_status does not check its arguments: what it is given must not be NULL, and a number that counts
 * from 0 must be below the count that goes with it.  (Builds with SOS_CHECKS assert it.)
 *
 * A progress callback that returns false stops the work, and the call returns SOS_CANCELLED.  Calls that improve an answer
 * step by step have then set their outputs to the best so far, and say so; all others have left their outputs alone.
 *
 * Structs that may grow end with "reserved".  It is zero: take a struct from its defaults function or set it to { 0 } before
 * its members are set, and what the library fills has zeros there.  New members will take their room from it, zero meaning
 * "as before", so that the size of a struct never changes while the SOVERSION of the library is the same.  What is not zero
 * is refused (SOS_ERR_ARGUMENT): the program was made for a newer version.  Structs without it stay as they are. */
#ifndef SOS_STATUS_H
#define SOS_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* The version of these headers, MAJOR.MINOR.PATCH, and as one number to compare.  While MAJOR is 0 programs must be compiled
 * again for another MINOR. */
#define SOS_VERSION_MAJOR  0
#define SOS_VERSION_MINOR  2
#define SOS_VERSION_PATCH  0
#define SOS_VERSION_NUMBER (SOS_VERSION_MAJOR * 10000 + SOS_VERSION_MINOR * 100 + SOS_VERSION_PATCH)

#if defined(__GNUC__)
#define SOS_API      __attribute__((visibility("default")))
#define SOS_MUST_USE __attribute__((warn_unused_result))
#else
#define SOS_API
#define SOS_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_status {
    SOS_OK = 0,
    SOS_ERR_ARGUMENT,       /* NULL, an index or size out of bounds, NaN or an infinity */
    SOS_ERR_NOT_SUBMODULAR, /* a table or count function; the message names the set, the pair and the violation */
    SOS_ERR_RANGE,          /* more variables, cliques or members than the library can number */
    SOS_ERR_MEMORY,         /* an allocation failed, or the memory limit of the settings would be passed */
    SOS_ERR_FORMAT,         /* the content of a file; the message names the line */
    SOS_ERR_IO,             /* the operating system: a file cannot be opened, read or written */
    SOS_CANCELLED           /* a progress callback asked to stop */
} sos_status;

typedef struct sos_error {
    sos_status status;
    char message[512]; /* one line without a full stop, always terminated */
} sos_error;

/* A short name such as "not submodular"; never NULL. */
SOS_API const char *sos_status_name(sos_status status);

/* "MAJOR.MINOR.PATCH" of the library that is running. */
SOS_API const char *sos_version(void);

/* Whether the library that is running has a feature; false for names it does not know:
 *
 *     "openmp"    several threads; without it all calls run on one
 *     "models"    model files can be read and written (libjansson)
 *     "avx2"      the processor has AVX2, and minimising uses it
 *     "checks"    built with SOS_CHECKS: slow, asserts what must hold
 *
 * sos_feature lists the names: number 0, 1, ... up to NULL. */
SOS_API bool sos_has(const char *feature);
SOS_API const char *sos_feature(size_t number);

/* A progress callback: called now and then with how far a phase has come; done is in [0, 1], or negative where that cannot
 * be known.  Return false to stop the work: the call then returns SOS_CANCELLED. */
typedef bool sos_progress(void *user, const char *phase, double done);

#ifdef __cplusplus
}
#endif

#endif
