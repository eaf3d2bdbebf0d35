/* text.h - text on its way into pages and charts: strings that grow, and what keeps any bytes harmless inside markup. */
#ifndef S3SVM_REPORT_TEXT_H
#define S3SVM_REPORT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A string that grows; starts as zeros.  Once memory fails it stays as it was, and says so. */
typedef struct s3svm_string {
    char *text; /* terminated; NULL while nothing was added */
    size_t length, room;
    bool failed;
} s3svm_string;

void s3svm_string_print(s3svm_string *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void s3svm_string_vprint(s3svm_string *s, const char *format, va_list values) __attribute__((format(printf, 2, 0)));
void s3svm_string_mark(s3svm_string *s); /* adds a zero byte, so that one string holds several */
void s3svm_string_clear(s3svm_string *s);
void s3svm_string_free(s3svm_string *s); /* leaves it empty */

/* The character at *text, which moves behind it; 0 at the end.  What is not UTF-8, or no character that XML allows, is
 * U+FFFD. */
uint32_t s3svm_xml_next(const char **text);

/* Writes text for use between tags or inside a quoted attribute of HTML or SVG.  NULL writes nothing. */
void s3svm_escape(FILE *file, const char *text);

void s3svm_base64_write(FILE *file, const uint8_t bytes[], size_t length);

/* x with at most digits significant digits, for reading and not for reading back, in any locale: "0.0125", "−3", "2×10⁶";
 * an en dash for what is not finite. */
enum { S3SVM_NUMBER_TEXT = 48 };
const char *s3svm_number_text(double x, int digits, char text[S3SVM_NUMBER_TEXT]);

/* The same with a fixed number of decimals, 0 ... 9, for numbers below each other; where that would be long or show nothing of
 * x, as by s3svm_number_text. */
const char *s3svm_fixed_text(double x, int decimals, char text[S3SVM_NUMBER_TEXT]);

/* How many decimals show the largest of some numbers with so many digits. */
int s3svm_decimals(size_t count, const double x[], int digits);

#endif
