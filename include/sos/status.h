/* status.h - how every call of libsos reports what went wrong.
 *
 * A call that can fail returns a sos_status and takes, as its last argument, a sos_error to fill (NULL if the caller does not
 * want the words).  On failure the call's other arguments are unchanged unless its comment says otherwise.  The library never
 * prints, exits or aborts. */
#ifndef SOS_STATUS_H
#define SOS_STATUS_H

#include <stdbool.h>

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

/* A progress callback: called now and then with how far a phase has come; done is in [0, 1], or negative where that cannot
 * be known.  Return false to stop the work: the call then returns SOS_CANCELLED. */
typedef bool sos_progress(void *user, const char *phase, double done);

#ifdef __cplusplus
}
#endif

#endif
