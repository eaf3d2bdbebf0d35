/* number.h - numbers as text, the same in every locale. */
#ifndef SOS_BASE_NUMBER_H
#define SOS_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SOS_NUMBER_MAX = 1000, /* characters of a number that is read; every double has a text much shorter */
    SOS_REAL_TEXT = 40     /* room for a number that is printed */
};

/* [+-] digits [. digits] [e [+-] digits], at least one digit before the e, and nothing else: the nearest double, which is
 * infinite where the number is beyond all of them.  The text need not be terminated. */
bool sos_number_parse(const char *text, size_t length, double *x);

/* The shortest text that reads back as the same double; integers below 2^53 plainly; inf, -inf or nan, which nobody reads. */
const char *sos_number_print(double x, char text[SOS_REAL_TEXT]);

/* Nine digits at most, which is what a float needs to read back the same (rounded from the double that the text is). */
const char *sos_number_print_float(float x, char text[SOS_REAL_TEXT]);

#endif
