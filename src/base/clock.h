/* clock.h - seconds that only go forward. */
#ifndef SOS_BASE_CLOCK_H
#define SOS_BASE_CLOCK_H

double sos_seconds(void);

#endif
