#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int options_wrong(const command *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "s3svm %s: ", self->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 's3svm %s --help'.\n", self->name);
    return COMMAND_USAGE;
}

/* How many letters must be changed, added or left out (Levenshtein); words beyond 31 letters are cut. */
static size_t word_distance(const char *a, const char *b)
{
    size_t row[32];
    const size_t width = strlen(b) < 31 ? strlen(b) : 31;
    for (size_t j = 0; j <= width; j++) row[j] = j;
    for (size_t i = 1; a[i - 1] && i < 32; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t least = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < least) least = row[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = least;
        }
    }
    return row[width];
}

const char *options_nearest(const char *word, const char *const words[], size_t count)
{
    const char *nearest = NULL;
    size_t best = 3; /* distances from 3 on are chance */
    for (size_t i = 0; i < count; i++) {
        if (!words[i]) continue;
        const bool begins = strlen(word) >= 2 && !strncmp(words[i], word, strlen(word));
        const size_t distance = begins ? 0 : word_distance(word, words[i]);
        if (distance < best && distance < strlen(words[i])) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

static void help_option(const option *o)
{
    char left[64];
    const bool value = o->kind != OPTION_FLAG;
    const char letter[] = { '-', o->letter, ',', ' ', '\0' };
    snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name, value ? " " : "", value ? o->argument : "");
    printf("  %-27s%s%s\n", left, strlen(left) < 27 ? " " : "\n                              ", o->help);
}

static int help_print(const command *self, const option options[])
{
    printf("Usage: s3svm %s [options] %s\n\n%s\n\nOptions:\n", self->name, self->arguments, self->details);
    for (const option *o = options; o->name; o++) help_option(o);
    help_option(&(option){ "help", 'h', OPTION_FLAG, NULL, NULL, "print this", 0, 0 });
    printf("\nExamples:\n%s", self->examples);
    return COMMAND_DONE;
}

/* The number of word in "first|second|third", or -1. */
static int choice_find(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    for (int number = 0;; number++) {
        const char *bar = strchr(choices, '|');
        if ((bar ? (size_t)(bar - choices) : strlen(choices)) == length && !strncmp(choices, word, length)) return number;
        if (!bar) return -1;
        choices = bar + 1;
    }
}

static bool bytes_parse(const char *text, size_t *bytes)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9') return false;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *units = "KMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (errno || (*end && (!unit || end[1]))) return false;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (number > SIZE_MAX >> shift) return false;
    *bytes = (size_t)number << shift;
    return true;
}

static int integer_set(const command *self, const option *o, const char *text)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < o->least || number > o->most)
        return options_wrong(self, "--%s takes an integer from %ld to %ld, not '%s'", o->name, o->least, o->most, text);
    *(long *)o->value = number;
    return OPTIONS_RUN;
}

static int real_set(const command *self, const option *o, const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number)) return options_wrong(self, "--%s takes a number, not '%s'", o->name, text);
    *(double *)o->value = number;
    return OPTIONS_RUN;
}

static int value_set(const command *self, const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)o->value = true; return OPTIONS_RUN;
    case OPTION_TEXT: *(const char **)o->value = text; return OPTIONS_RUN;
    case OPTION_INTEGER: return integer_set(self, o, text);
    case OPTION_REAL: return real_set(self, o, text);
    case OPTION_BYTES:
        if (bytes_parse(text, o->value)) return OPTIONS_RUN;
        return options_wrong(self, "--%s takes a number of bytes such as 500M or 2G, not '%s'", o->name, text);
    case OPTION_CHOICE: break;
    }
    const int choice = choice_find(o->argument, text);
    if (choice < 0) return options_wrong(self, "--%s takes one of %s, not '%s'", o->name, o->argument, text);
    *(int *)o->value = choice;
    return OPTIONS_RUN;
}

static int option_unknown(const command *self, const option options[], const char *given, size_t length)
{
    const char *names[64];
    size_t count = 0;
    char word[64];
    for (const option *o = options; o->name && count < 63; o++) names[count++] = o->name;
    names[count++] = "help";
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), given);
    const char *nearest = options_nearest(word, names, count);
    if (nearest) return options_wrong(self, "unknown option '--%s'; did you mean '--%s'?", word, nearest);
    return options_wrong(self, "unknown option '--%s'", word);
}

/* Takes the option at argv[*at], and its value if that is the next argument. */
static int option_take(const command *self, const option options[], int argc, char *argv[], int *at)
{
    const char *given = argv[*at];
    const bool word = given[1] == '-';
    const char *name = given + (word ? 2 : 1), *equals = word ? strchr(name, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - name) : word ? strlen(name) : 1;
    if ((word && length == 4 && !memcmp(name, "help", 4)) || (!word && *name == 'h')) return help_print(self, options);
    const option *o = options;
    while (o->name && !(word ? strlen(o->name) == length && !memcmp(o->name, name, length) : o->letter == *name)) o++;
    if (!o->name && word) return option_unknown(self, options, name, length);
    if (!o->name) return options_wrong(self, "unknown option '-%c'", *name);
    const char *attached = equals ? equals + 1 : !word && name[1] ? name + 1 : NULL;
    if (o->kind == OPTION_FLAG && attached) return options_wrong(self, "--%s takes no value ('%s')", o->name, given);
    if (o->kind == OPTION_FLAG || attached) return value_set(self, o, attached);
    if (*at + 1 >= argc) return options_wrong(self, "--%s needs a value (%s)", o->name, o->argument);
    return value_set(self, o, argv[++*at]);
}

int options_parse(const command *self, const option options[], int argc, char *argv[], int *count)
{
    int kept = 0;
    bool ended = false;
    for (int at = 0; at < argc; at++) {
        if (ended || argv[at][0] != '-' || !argv[at][1]) {
            argv[kept++] = argv[at];
        } else if (!strcmp(argv[at], "--")) {
            ended = true;
        } else {
            const int outcome = option_take(self, options, argc, argv, &at);
            if (outcome != OPTIONS_RUN) return outcome;
        }
    }
    *count = kept;
    return OPTIONS_RUN;
}

size_t options_reals(const char *text, size_t most, double values[])
{
    size_t count = 0;
    if (text[strspn(text, "0123456789.,eE+-")]) return 0;
    for (const char *p = text;; p++) {
        char *end;
        const double x = strtod(p, &end);
        if (end == p || !isfinite(x) || count == most || (*end && *end != ',')) return 0;
        values[count++] = x;
        p = end;
        if (!*p) return count;
    }
}

bool options_size(const char *text, size_t *width, size_t *height)
{
    unsigned long sides[2];
    for (int i = 0; i < 2; i++) {
        char *end;
        if (*text < '0' || *text > '9') return false;
        errno = 0;
        sides[i] = strtoul(text, &end, 10);
        if (errno || *end != (i ? '\0' : 'x')) return false;
        text = end + 1;
    }
    *width = sides[0];
    *height = sides[1];
    return true;
}
