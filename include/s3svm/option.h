/* option.h - settings as a table: what each is called, which values it takes, and where in a struct it lies.
 *
 * One table serves command lines, their help and other languages:
 *
 *     typedef struct wishes {
 *         bool json;
 *         int64_t seed;
 *     } wishes;
 *     static const sos_option OPTIONS[] = {
 *         { "json", 0, SOS_SETS_FLAG(wishes, json), NULL, "print a JSON object", 0, 0 },
 *         { "seed", 0, SOS_SETS_INTEGER(wishes, seed), "N", "of the noise (1)", 0, INT64_MAX },
 *         SOS_OPTIONS_END,
 *     };
 *     wishes w = { .seed = 1 };
 *     sos_option_set(sos_option_find(OPTIONS, "seed"), &w, "7", &error); */
#ifndef S3SVM_OPTION_H
#define S3SVM_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOS_REALS_MAX = 64 };

typedef struct sos_reals {
    size_t count;
    double values[SOS_REALS_MAX];
} sos_reals;

enum { SOS_TEXTS_MAX = 16 };

typedef struct sos_texts {
    size_t count;
    const char *values[SOS_TEXTS_MAX]; /* borrowed */
} sos_texts;

typedef struct sos_sides {
    size_t width, height;
} sos_sides;

typedef enum sos_option_kind {
    SOS_OPTION_FLAG,    /* bool: set to true; the text may be NULL, or "true" or "false" */
    SOS_OPTION_TEXT,    /* const char *, borrowed */
    SOS_OPTION_INTEGER, /* int64_t, least ... most */
    SOS_OPTION_REAL,    /* double, finite */
    SOS_OPTION_BYTES,   /* size_t, with K, M or G for powers of 1024 */
    SOS_OPTION_CHOICE,  /* int: the number of the word in argument, "first|second"; SOS_CHOICE_NONE may stand for no choice */
    SOS_OPTION_REALS,   /* sos_reals: finite numbers with commas between them, at most most */
    SOS_OPTION_SIDES,   /* sos_sides: "400x200" */
    SOS_OPTION_TEXTS    /* sos_texts: one more each time, at most SOS_TEXTS_MAX */
} sos_option_kind;

typedef struct sos_option {
    const char *name; /* NULL ends a table */
    char letter;      /* on command lines, besides the name; 0: none */
    sos_option_kind kind;
    size_t offset;        /* of the value in the struct */
    const char *argument; /* what help calls the value */
    const char *help;
    int64_t least, most; /* of an integer; most: of numbers */
} sos_option;

enum { SOS_CHOICE_NONE = -1 };

#define SOS_OPTIONS_END                                                                                                        \
    {                                                                                                                          \
        NULL, 0, SOS_OPTION_FLAG, 0, NULL, NULL, 0, 0                                                                          \
    }

/* Kind and offset of a member; the compiler complains where its type is not that of the kind. */
#define SOS_OPTION_AT(settings, member, type)                                                                                  \
    (offsetof(settings, member) + 0 * sizeof(1 ? (type *)NULL : &((settings *)NULL)->member))
#define SOS_SETS_FLAG(settings, member)    SOS_OPTION_FLAG, SOS_OPTION_AT(settings, member, bool)
#define SOS_SETS_TEXT(settings, member)    SOS_OPTION_TEXT, SOS_OPTION_AT(settings, member, const char *)
#define SOS_SETS_INTEGER(settings, member) SOS_OPTION_INTEGER, SOS_OPTION_AT(settings, member, int64_t)
#define SOS_SETS_REAL(settings, member)    SOS_OPTION_REAL, SOS_OPTION_AT(settings, member, double)
#define SOS_SETS_BYTES(settings, member)   SOS_OPTION_BYTES, SOS_OPTION_AT(settings, member, size_t)
#define SOS_SETS_CHOICE(settings, member)  SOS_OPTION_CHOICE, SOS_OPTION_AT(settings, member, int)
#define SOS_SETS_REALS(settings, member)   SOS_OPTION_REALS, SOS_OPTION_AT(settings, member, sos_reals)
#define SOS_SETS_SIDES(settings, member)   SOS_OPTION_SIDES, SOS_OPTION_AT(settings, member, sos_sides)
#define SOS_SETS_TEXTS(settings, member)   SOS_OPTION_TEXTS, SOS_OPTION_AT(settings, member, sos_texts)

/* The option of that name, or NULL. */
SOS_API const sos_option *sos_option_find(const sos_option options[], const char *name);

/* Sets the member of the struct at settings to what the text says: SOS_ERR_ARGUMENT, with the name of the option and what it
 * takes, where it says anything else. */
SOS_MUST_USE SOS_API sos_status sos_option_set(const sos_option *o, void *settings, const char *text, sos_error *error);

/* "0.5,0.7,1": 1 to most finite numbers.  Returns whether the text is that; *out is left alone if not. */
SOS_API bool sos_reals_parse(const char *text, size_t most, sos_reals *out);

/* A struct of settings as a whole. */
typedef struct sos_form {
    const sos_option *options;
    size_t size; /* of the struct */
    void (*defaults)(void *settings);
    sos_status (*check)(const void *settings, sos_error *error); /* of what single options cannot know; NULL: nothing */
} sos_form;

/* A struct with its defaults, to free; NULL: no memory. */
SOS_API void *sos_form_create(const sos_form *form);

#ifdef __cplusplus
}
#endif

#endif
