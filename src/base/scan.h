/* scan.h - text files cut into tokens, with messages that name the line. */
#ifndef SOS_BASE_SCAN_H
#define SOS_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Cuts a text into tokens.  The text need not be terminated.  Lines are counted only when an error needs one. */
typedef struct sos_scanner {
    const char *text, *at, *end;
    const char *token; /* the last one taken; length 0: the text has ended */
    size_t length;
    const char *name; /* of the file, for messages */
    bool comments;    /* '#' starts a comment that runs to the end of the line */
    sos_error *error;
} sos_scanner;

void sos_scan_next(sos_scanner *s);
void sos_scan_skip_line(sos_scanner *s);
bool sos_scan_is(const sos_scanner *s, const char *word); /* of the last token */

/* Fails with "name:line: ..." where line is that of the last token. */
sos_status sos_scan_fail(const sos_scanner *s, sos_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a call of the library that failed while reading; what says what was being read, or is "". */
sos_status sos_scan_blame(const sos_scanner *s, const sos_error *inner, const char *what);

/* "expected ..., found ..." about the last token. */
sos_status sos_scan_expected(const sos_scanner *s, const char *what);

/* Take the next token: this word; an integer 0 ... most; a finite real.  what names it in messages. */
sos_status sos_scan_word(sos_scanner *s, const char *word);
sos_status sos_scan_count(sos_scanner *s, const char *what, size_t most, size_t *count);
sos_status sos_scan_real(sos_scanner *s, const char *what, double *x);

/* Can count things of so many bytes each, the white space behind them included, still follow?  Asked before memory is taken
 * for them, so that no file makes the reader take more than a small multiple of its own size. */
sos_status sos_scan_room(const sos_scanner *s, const char *what, size_t count, size_t bytes);

/* Nothing but white space follows, and at least one character of it: a file cut within its last number is an error. */
sos_status sos_scan_finish(sos_scanner *s);

#endif
