/* status.h - the rules that every call of libsos and libs3svm follows: how errors are reported, how work is cancelled, how
 * structs grow; and the version of the headers.
 *
 * A call that can fail returns a sos_status.  Its last argument is a sos_error, which receives the message; it may be NULL.  On
 * failure the call leaves its other arguments unchanged unless its comment says otherwise.  The library never prints, exits or
 * aborts.
 *
 * A call that does not return a sos_status does not check its arguments: pointers must not be NULL, and an index must be less
 * than the corresponding count.  (Builds with SOS_CHECKS assert this.)
 *
 * A progress callback that returns false cancels the work, and the call returns SOS_CANCELLED.  Calls that improve a result
 * step by step then set their outputs to the best result so far, and their comments say so; all others leave their outputs
 * unchanged.
 *
 * Structs that may grow end with an array named "reserved", which must be zero: take a struct from its defaults function, or
 * set it to { 0 }, before setting members.  Structs that the library fills have zeros there.  New members take their space from
 * it, with zero meaning the previous behaviour, so the size of a struct never changes while the SOVERSION of the library stays
 * the same.  A value other than zero is refused (SOS_ERR_ARGUMENT): the program was written for a newer version.  Structs
 * without "reserved" never change. */
#ifndef SOS_STATUS_H
#define SOS_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* The version of these headers: MAJOR.MINOR.PATCH, for a release candidate with a suffix such as "-rc.1", and one number for
 * comparisons.  While MAJOR is 0, programs must be recompiled when MINOR changes. */
#define SOS_VERSION_MAJOR  1
#define SOS_VERSION_MINOR  0
#define SOS_VERSION_PATCH  0
#define SOS_VERSION_SUFFIX "-rc.1"
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
    SOS_ERR_MEMORY,         /* an allocation failed, or the memory limit of the settings would be exceeded */
    SOS_ERR_FORMAT,         /* the content of a file is invalid; the message names the line */
    SOS_ERR_IO,             /* a file cannot be opened, read or written */
    SOS_CANCELLED           /* a progress callback returned false */
} sos_status;

typedef struct sos_error {
    sos_status status;
    char message[512]; /* one line without a full stop, always terminated */
} sos_error;

/* A short name such as "not submodular"; never NULL. */
SOS_API const char *sos_status_name(sos_status status);

/* The version of the loaded library, "MAJOR.MINOR.PATCH". */
SOS_API const char *sos_version(void);

/* Whether the loaded library has a feature; false for unknown names:
 *
 *     "openmp"    several threads; without it every call runs on one
 *     "models"    model files can be read and written: always
 *     "avx2"      the processor has AVX2, and minimisation uses it
 *     "checks"    built with SOS_CHECKS: slow, with internal assertions
 *
 * sos_feature returns the name of feature 0, 1, ..., and NULL after the last. */
SOS_API bool sos_has(const char *feature);
SOS_API const char *sos_feature(size_t number);

/* A progress callback, called from time to time.  phase names what is being done; done is the fraction of it that is complete,
 * in [0, 1], or negative if unknown.  Return false to cancel the work: the call then returns SOS_CANCELLED. */
typedef bool sos_progress(void *user, const char *phase, double done);

#ifdef __cplusplus
}
#endif

#endif
