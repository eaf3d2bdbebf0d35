/* report_support.h - what the tests of texts, charts and reports share: a reader of markup, and odd texts and numbers. */
#ifndef SOS_TESTS_REPORT_SUPPORT_H
#define SOS_TESTS_REPORT_SUPPORT_H

#include <stdio.h>

#include "support.h"

/* All of a file, to free. */
char *file_text(const char *path);

/* What a writer to a FILE writes, to free. */
FILE *written_begin(void);
char *written_end(FILE *file);

size_t occurrences(const char *text, const char *what);

/* Well-formed markup: tags nest, attributes are quoted and of different names, ids are unique, nothing unescaped, references to
 * ids lead somewhere, and the bytes are UTF-8.  Fails the test otherwise. */
void check_markup(const char *text);

/* Nothing is fetched from anywhere. */
void check_alone(const char *text);

/* What base64 stands for, to free. */
uint8_t *base64_read(const char *text, size_t length, size_t *count);

/* Reads "−1.5×10⁻³" as a person would. */
double shown_value(const char *text);

/* Bytes of all kinds, with a liking for those that mean something. */
void bytes_random(sos_random *r, char text[], size_t room);

/* A number of any size; and now and then none. */
double value_random(sos_random *r);
double odd_value(sos_random *r);

#endif
