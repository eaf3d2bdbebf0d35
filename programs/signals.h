/* signals.h - what may end the program early: Ctrl-C, a scheduler, a terminal that is closed.  They are taken alike. */
#ifndef S3SVM_SIGNALS_H
#define S3SVM_SIGNALS_H

#include <stdbool.h>

/* Once, before all else: a reader that has gone, and a file that may not grow, are errors of writing, not the end. */
void signals_prepare(void);

/* From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program; a further one after half a second ends it.
 * Those that were ignored when the program was started, as by nohup, stay so. */
void signals_catch(void);
bool signals_caught(void);

/* Whether a signal is not ignored. */
bool signals_is_heard(int number);

#endif
