/* main.c - s3svm: the list of subcommands, and what all of them say and print. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <sos/sos.h>

#include <s3svm/image.h>

#include "command.h"
#include "files.h"
#include "heif.h"
#include "options.h"
#include "ranks.h"
#include "signals.h"

const command *const commands[] = { &segment_command,   &serve_command,      &train_command,      &predict_command,
                                    &evaluate_command,  &inspect_command,    &calibrate_command,  &make_scribbles_command,
                                    &minimize_command,  &convert_command,    &experiment_command, &make_data_command,
                                    &add_noise_command, &completion_command, &manual_command,     NULL };
enum { COMMANDS = sizeof commands / sizeof *commands - 1 };

/* What people want, each with the first of its commands in the list. */
static const struct {
    const char *title;
    const command *first;
} GROUPS[] = { { "Cut objects out of photographs:", &segment_command },
               { "Learn from your own pictures:", &train_command },
               { "Minimise energies in files:", &minimize_command },
               { "Repeat experiments and make data:", &experiment_command },
               { "Shell and manual:", &completion_command } };

static const char *group_title(const command *first)
{
    for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++)
        if (GROUPS[i].first == first) return GROUPS[i].title;
    return NULL;
}

void command_describe(const command *c)
{
    char word[] = "--help", *alone[] = { word, NULL };
    c->run(c, 1, alone);
    for (size_t i = 0; c->child && c->child(i); i++) {
        char child[64], *words[] = { child, word, NULL };
        snprintf(child, sizeof child, "%s", c->child(i));
        c->run(c, 2, words);
    }
}

/* The first words of a process that does not speak itself. */
static struct {
    bool holding;
    char words[500];
} held;

void command_hold(void) { held.holding = true; }
const char *command_held(void) { return held.words; }

void command_say(const char *begin, const char *format, va_list arguments, const char *end)
{
    if (held.holding) {
        if (!held.words[0]) vsnprintf(held.words, sizeof held.words, format, arguments);
        return;
    }
    fputs(begin, stderr);
    vfprintf(stderr, format, arguments);
    fputs(end, stderr);
}

int command_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    command_say("s3svm: ", format, arguments, "\n");
    va_end(arguments);
    return COMMAND_FAILED;
}

void command_note(const char *format, ...)
{
    va_list arguments;
    if (held.holding) return;
    va_start(arguments, format);
    command_say("s3svm: note: ", format, arguments, "\n");
    va_end(arguments);
}

static int help_print(FILE *file)
{
    fputs("Usage: s3svm COMMAND [options] ...\n\n"
          "Cuts objects out of photographs, learns from examples, and minimises sum-of-submodular energies exactly.\n",
          file);
    for (size_t i = 0; i < COMMANDS; i++) {
        const char *title = group_title(commands[i]);
        if (title) fprintf(file, "\n%s\n", title);
        fprintf(file, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("  help           show how to use a command\n"
          "  version        print the version and the built-in features\n"
          "\n"
          "Options:\n"
          "  -V, --version  print the version\n"
          "  -h, --help     print this help\n"
          "\n"
          "Examples:\n"
          "  s3svm segment photo.jpg --click 320,240 --cutout object.png\n"
          "  s3svm serve --open\n"
          "  s3svm help segment\n",
          file);
    return file == stdout ? COMMAND_DONE : COMMAND_USAGE;
}

static const command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    const char *names[COMMANDS + 2] = { "help", "version" };
    for (size_t i = 0; i < COMMANDS; i++) names[i + 2] = commands[i]->name;
    const char *nearest = options_nearest(name, names, COMMANDS + 2);
    fprintf(stderr, "s3svm: unknown command '%s'", name);
    if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
    fputs("\nTry 's3svm --help'.\n", stderr);
    return NULL;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static bool asks_for_help(const char *word) { return is_one_of(word, "help", "--help", "-h"); }
static bool asks_for_version(const char *word) { return is_one_of(word, "version", "--version", "-V"); }

/* A part that is there or not, and what it takes. */
static void part_print(const char *name, bool there, const char *with, const char *without)
{
    printf("  %-12s %s\n", name, there ? with : without);
}

/* "version" says what was built in, too. */
static int version_print(bool parts)
{
    printf("s3svm %s\n", sos_version());
    if (!parts) return COMMAND_DONE;
    part_print("threads", sos_has("openmp"), "all cores (OpenMP)", "one: built without OpenMP");
    part_print("processor", sos_has("avx2"), "AVX2 is used", "any");
    part_print("PNG", s3svm_image_has_png(), "can be read and written (libpng)", "built without libpng (Debian: libpng-dev)");
    part_print("JPEG", s3svm_image_has_jpeg(), "can be read and written (libjpeg)",
               "built without libjpeg (Debian: libjpeg62-turbo-dev)");
    part_print("WebP", s3svm_image_has_webp(), "can be read and written (libwebp)",
               "built without libwebp (Debian: libwebp-dev)");
    part_print("TIFF", s3svm_image_has_tiff(), "can be read and written (libtiff)",
               "built without libtiff 4.5 (Debian: libtiff-dev)");
    part_print("HEIC", heif_is_there(), "can be read by s3svm segment (libheif)",
               "built without libheif (Debian: libheif-dev)");
#if SOS_HAVE_MICROHTTPD
    part_print("page", true, "s3svm serve (libmicrohttpd)", "");
#else
    part_print("page", false, "", "none: built without libmicrohttpd (Debian: libmicrohttpd-dev)");
#endif
    const char *kinds = ranks_kinds();
    part_print("MPI", *kinds, kinds,
               "training runs on one machine: built without MPI (Debian: libopenmpi-dev or libmpich-dev)");
    if (sos_has("checks")) puts("  checks       invariants are checked: slow");
    return COMMAND_DONE;
}

static int dispatch(int argc, char *argv[])
{
    if (argc < 2) return help_print(stderr);
    const bool help = asks_for_help(argv[1]);
    if (help && (argc == 2 || asks_for_help(argv[2]) || asks_for_version(argv[2]))) return help_print(stdout);
    if (asks_for_version(argv[1])) return version_print(!strcmp(argv[1], "version"));
    const command *c = command_find(argv[help ? 2 : 1]);
    if (!c) return COMMAND_USAGE;
    char word[] = "--help";
    if (!help) return c->run(c, argc - 2, argv + 2);
    argv[argc] = word; /* in place of NULL: "help train denoise" becomes "train denoise --help" */
    return c->run(c, argc - 2, argv + 3);
}

int main(int argc, char *argv[])
{
    sos_error error;
    signals_prepare();
    const int code = dispatch(argc, argv);
    return standard_finish(&error) ? command_fail("%s", error.message) : code;
}
