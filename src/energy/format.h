/* format.h - what the readers and writers of energy files share: tokens, numbers, and files that appear whole or not at all. */
#ifndef SOS_ENERGY_FORMAT_H
#define SOS_ENERGY_FORMAT_H

#include <stdio.h>

#include <sos/format.h>

#include "base/error.h"

/* All bytes of a text file, the caller's to free; a zero byte is refused. */
sos_status sos_text_read(const char *path, char **text, size_t *length, sos_error *error);

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

/* The shortest text that reads back as the same double, whatever the locale; integers below 2^53 plainly. */
enum { SOS_REAL_TEXT = 40 };
const char *sos_real_print(double x, char text[SOS_REAL_TEXT]);

/* A file that is written beside its path and renamed when whole.  A path that is no regular file (a pipe, a terminal) is
 * written straight. */
typedef struct sos_output {
    FILE *file;
    char *path, *temporary; /* temporary NULL: written straight */
    sos_error *error;
} sos_output;

sos_status sos_output_open(sos_output *o, const char *path, sos_error *error);
sos_status sos_output_commit(sos_output *o);
void sos_output_abandon(sos_output *o);
void sos_output_real(sos_output *o, double x, char behind); /* the number, then one character */

sos_status sos_format_sos_read(sos_scanner *s, sos_energy **out);
sos_status sos_format_uai_read(sos_scanner *s, bool energies, sos_energy **out);
sos_status sos_format_dimacs_read(sos_scanner *s, sos_energy **out);

/* Each checks first whether the format can hold e, then writes all of it to o. */
sos_status sos_format_sos_write(const sos_energy *e, sos_output *o);
sos_status sos_format_uai_write(const sos_energy *e, bool energies, sos_output *o);
sos_status sos_format_dimacs_write(const sos_energy *e, sos_output *o);

#endif
