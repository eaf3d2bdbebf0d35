/* utf8.h - characters in UTF-8. */
#ifndef SOS_BASE_UTF8_H
#define SOS_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

enum { SOS_UTF8_REPLACEMENT = 0xfffd };

/* The character at *text, which moves behind it; 0 at the end.  A byte that belongs to no character is U+FFFD by itself: forms
 * that are too long, surrogates and numbers above 0x10ffff are none. */
uint32_t sos_utf8_next(const char **text);

bool sos_utf8_is_valid(const char *text);

#endif
