/* clock.h - a monotonic clock, in seconds. */
#ifndef SOS_BASE_CLOCK_H
#define SOS_BASE_CLOCK_H

double sos_seconds(void);

/* Of processor time: what the calling thread has used, and all threads of the program together. */
double sos_seconds_of_thread(void);
double sos_seconds_of_program(void);

#endif
