#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <sos/minimize.h>

int options_wrong(const command *self, const char *format, ...)
{
    va_list arguments;
    char begin[128], end[128];
    snprintf(begin, sizeof begin, "s3svm %s: ", self->name);
    snprintf(end, sizeof end, "\nTry 's3svm %s --help'.\n", self->name);
    va_start(arguments, format);
    command_say(begin, format, arguments, end);
    va_end(arguments);
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

/* How wide the column of names is in helps. */
enum { HELP_COLUMN = 27 };

static void help_option(const s3svm_option *o)
{
    const bool value = o->kind != S3SVM_OPTION_FLAG;
    const char letter[] = { '-', o->letter, ',', ' ', '\0' };
    const int width = printf("  %s--%s%s%s", o->letter ? letter : "    ", o->name, value ? " " : "", value ? o->argument : "");
    if (width < HELP_COLUMN + 2)
        printf("%*s %s\n", HELP_COLUMN + 2 - width, "", o->help);
    else
        printf("\n%*s%s\n", HELP_COLUMN + 3, "", o->help);
}

/* Set by the commands that make manual pages and completions, which ask all others for help. */
static options_listener *help_listener;
static void *help_user;

void options_listen(options_listener *listener, void *user)
{
    help_listener = listener;
    help_user = user;
}

static int help_print(const command *self, const option_set sets[])
{
    if (help_listener) {
        help_listener(help_user, self, sets);
        return COMMAND_DONE;
    }
    printf("Usage: s3svm %s [options] %s\n\n%s\n", self->name, self->arguments, self->details);
    if (self->list) self->list();
    fputs("\nOptions:\n", stdout);
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++) help_option(o);
    help_option(&(s3svm_option){ "help", 'h', S3SVM_OPTION_FLAG, 0, NULL, "print this help", 0, 0 });
    printf("\nExamples:\n%s", self->examples);
    return COMMAND_DONE;
}

static int option_unknown(const command *self, const option_set sets[], const char *given, size_t length)
{
    const char *names[128];
    size_t count = 0;
    char word[64];
    names[count++] = "help";
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name && count < sizeof names / sizeof *names; o++) names[count++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), given);
    const char *nearest = options_nearest(word, names, count);
    if (nearest) return options_wrong(self, "unknown option '--%s'; did you mean '--%s'?", word, nearest);
    return options_wrong(self, "unknown option '--%s'", word);
}

/* An option as it was given: "--name", "--name=value", "-x" or "-xvalue". */
typedef struct word {
    const char *given;
    bool is_long;
    const char *name;
    size_t length;        /* of the name */
    const char *attached; /* the value, or NULL */
} word;

static word word_read(const char *given)
{
    word w = { .given = given, .is_long = given[1] == '-' };
    w.name = given + (w.is_long ? 2 : 1);
    w.length = w.is_long ? strcspn(w.name, "=") : 1;
    if (w.name[w.length]) w.attached = w.name + w.length + w.is_long;
    return w;
}

static bool word_is(const word *w, const char *name, char letter)
{
    return w->is_long ? strlen(name) == w->length && !memcmp(name, w->name, w->length) : letter == *w->name;
}

/* The option, and in *set the set that it is in; or NULL. */
static const s3svm_option *option_find(const option_set sets[], const word *w, const option_set **set)
{
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++)
            if (word_is(w, o->name, o->letter)) {
                *set = s;
                return o;
            }
    return NULL;
}

/* Takes the option at argv[*at], and its value if that is the next argument. */
static int option_take(const command *self, const option_set sets[], int argc, char *argv[], int *at)
{
    const word w = word_read(argv[*at]);
    const option_set *set = NULL;
    sos_error error;
    if (word_is(&w, "help", 'h')) return help_print(self, sets);
    const s3svm_option *o = option_find(sets, &w, &set);
    if (!o && w.is_long) return option_unknown(self, sets, w.name, w.length);
    if (!o) return options_wrong(self, "unknown option '-%c'", *w.name);
    const bool flag = o->kind == S3SVM_OPTION_FLAG;
    if (flag && w.attached) return options_wrong(self, "--%s takes no value ('%s')", o->name, w.given);
    if (!flag && !w.attached && *at + 1 >= argc) return options_wrong(self, "--%s needs a value (%s)", o->name, o->argument);
    const char *value = flag ? NULL : w.attached ? w.attached : argv[++*at];
    return s3svm_option_set(o, set->settings, value, &error) ? options_wrong(self, "%s", error.message) : OPTIONS_RUN;
}

int options_parse(const command *self, const option_set sets[], int argc, char *argv[], int *count)
{
    int kept = 0;
    bool ended = false;
    for (int at = 0; at < argc; at++) {
        if (ended || argv[at][0] != '-' || !argv[at][1]) {
            argv[kept++] = argv[at];
        } else if (!strcmp(argv[at], "--")) {
            ended = true;
        } else {
            const int outcome = option_take(self, sets, argc, argv, &at);
            if (outcome != OPTIONS_RUN) return outcome;
        }
    }
    *count = kept;
    return OPTIONS_RUN;
}

int options_parse_table(const command *self, const s3svm_option options[], void *settings, int argc, char *argv[], int *count)
{
    const option_set sets[] = { { options, settings }, { NULL, NULL } };
    return options_parse(self, sets, argc, argv, count);
}

void options_device_check(int device)
{
    char name[256];
    sos_error error;
    if (device == SOS_DEVICE_CARD && sos_card_name(name, sizeof name, &error)) command_note("on the CPU: %s", error.message);
}
