/* progress.h - how far long work has come, on standard error, and what stops it (signals.h).
 *
 * On a terminal one line with an estimate appears after two seconds and is kept up to date; elsewhere a plain line comes every
 * ten seconds.  Ctrl-C, SIGTERM and SIGHUP make progress_report return false, so that the library stops. */
#ifndef S3SVM_PROGRESS_H
#define S3SVM_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct progress {
    const char *what;
    bool terminal, shown;
    double started, last; /* seconds */
    atomic_flag busy;     /* a thread is printing; the others go on */
} progress;

void progress_begin(progress *p, const char *what);
bool progress_report(void *p, const char *phase, double done); /* a sos_progress; any thread */
bool progress_due(progress *p);                                /* is it time for a line?  For one thread */
void progress_line(progress *p, const char *text);             /* shows this line */
void progress_note(progress *p, const char *text);             /* a line that stays */
void progress_end(progress *p);                                /* removes the line */
void progress_tell(void *p, const char *line);                 /* a line that stays: tell of a sos_work */
bool progress_interrupted(void);
void progress_silence(void); /* nothing is shown from now on; Ctrl-C is still heard */

#endif
