/* option.h - settings described by a table: the name of each, the values it takes, and the member of a struct that holds it.
 *
 * The same table serves command lines, their help texts, and bindings for other languages:
 *
 *     typedef struct options {
 *         bool json;
 *         int64_t seed;
 *     } options;
 *     static const s3svm_option OPTIONS[] = {
 *         { "json", 0, S3SVM_SETS_FLAG(options, json), NULL, "print a JSON object", 0, 0 },
 *         { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of the noise (default 1)", 0, INT64_MAX },
 *         S3SVM_OPTIONS_END,
 *     };
 *     options o = { .seed = 1 };
 *     s3svm_option_set(s3svm_option_find(OPTIONS, "seed"), &o, "7", &error); */
#ifndef S3SVM_OPTION_H
#define S3SVM_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_REALS_MAX = 64 };

typedef struct s3svm_reals {
    size_t count;
    double values[S3SVM_REALS_MAX];
} s3svm_reals;

enum { S3SVM_TEXTS_MAX = 16 };

typedef struct s3svm_texts {
    size_t count;
    const char *values[S3SVM_TEXTS_MAX]; /* borrowed */
} s3svm_texts;

enum { S3SVM_SEQUENCE_MAX = 256 };

/* Options that may be repeated, in the order in which they were given. */
typedef struct s3svm_sequence {
    size_t count;
    struct {
        const struct s3svm_option *option;
        const char *text; /* borrowed */
    } items[S3SVM_SEQUENCE_MAX];
} s3svm_sequence;

typedef struct s3svm_sides {
    size_t width, height;
} s3svm_sides;

typedef enum s3svm_option_kind {
    S3SVM_OPTION_FLAG,    /* bool: set to true; the text may be NULL, or "true" or "false" */
    S3SVM_OPTION_TEXT,    /* const char *, borrowed */
    S3SVM_OPTION_INTEGER, /* int64_t, least ... most */
    S3SVM_OPTION_REAL,    /* double, finite */
    S3SVM_OPTION_BYTES,   /* size_t, with K, M or G for powers of 1024 */
    S3SVM_OPTION_CHOICE,  /* int: the index of the word in argument, "first|second"; S3SVM_CHOICE_NONE: not set */
    S3SVM_OPTION_REALS,   /* s3svm_reals: finite numbers separated by commas, at most "most" of them */
    S3SVM_OPTION_SIDES,   /* s3svm_sides: "400x200" */
    S3SVM_OPTION_TEXTS,   /* s3svm_texts: each use adds one, at most S3SVM_TEXTS_MAX */
    S3SVM_OPTION_SEQUENCE /* s3svm_sequence, which several options may share: each use adds one */
} s3svm_option_kind;

typedef struct s3svm_option {
    const char *name; /* NULL ends a table */
    char letter;      /* the short form on command lines; 0: none */
    s3svm_option_kind kind;
    size_t offset;        /* of the value in the struct */
    const char *argument; /* the name of the value in help texts; NULL for flags */
    const char *help;     /* one line */
    int64_t least, most;  /* range of an integer; most: the maximal count of S3SVM_OPTION_REALS */
} s3svm_option;

enum { S3SVM_CHOICE_NONE = -1 };

#define S3SVM_OPTIONS_END                                                                                                      \
    {                                                                                                                          \
        NULL, 0, S3SVM_OPTION_FLAG, 0, NULL, NULL, 0, 0                                                                        \
    }

/* Kind and offset of a member; the compiler reports a member whose type is not that of the kind. */
#define S3SVM_OPTION_AT(settings, member, type)                                                                                \
    (offsetof(settings, member) + 0 * sizeof(1 ? (type *)NULL : &((settings *)NULL)->member))
#define S3SVM_SETS_FLAG(settings, member)     S3SVM_OPTION_FLAG, S3SVM_OPTION_AT(settings, member, bool)
#define S3SVM_SETS_TEXT(settings, member)     S3SVM_OPTION_TEXT, S3SVM_OPTION_AT(settings, member, const char *)
#define S3SVM_SETS_INTEGER(settings, member)  S3SVM_OPTION_INTEGER, S3SVM_OPTION_AT(settings, member, int64_t)
#define S3SVM_SETS_REAL(settings, member)     S3SVM_OPTION_REAL, S3SVM_OPTION_AT(settings, member, double)
#define S3SVM_SETS_BYTES(settings, member)    S3SVM_OPTION_BYTES, S3SVM_OPTION_AT(settings, member, size_t)
#define S3SVM_SETS_CHOICE(settings, member)   S3SVM_OPTION_CHOICE, S3SVM_OPTION_AT(settings, member, int)
#define S3SVM_SETS_REALS(settings, member)    S3SVM_OPTION_REALS, S3SVM_OPTION_AT(settings, member, s3svm_reals)
#define S3SVM_SETS_SIDES(settings, member)    S3SVM_OPTION_SIDES, S3SVM_OPTION_AT(settings, member, s3svm_sides)
#define S3SVM_SETS_TEXTS(settings, member)    S3SVM_OPTION_TEXTS, S3SVM_OPTION_AT(settings, member, s3svm_texts)
#define S3SVM_SETS_SEQUENCE(settings, member) S3SVM_OPTION_SEQUENCE, S3SVM_OPTION_AT(settings, member, s3svm_sequence)

/* The option of that name, or NULL. */
SOS_API const s3svm_option *s3svm_option_find(const s3svm_option options[], const char *name);

/* Sets the member of the struct at settings from the text.  SOS_ERR_ARGUMENT if the text is not a valid value; the message
 * names the option and the values it takes. */
SOS_MUST_USE SOS_API sos_status s3svm_option_set(const s3svm_option *o, void *settings, const char *text, sos_error *error);

/* Parses 1 to most finite numbers, "0.5,0.7,1".  Returns false, with *out unchanged, if the text is something else. */
SOS_API bool s3svm_reals_parse(const char *text, size_t most, s3svm_reals *out);

/* A struct of settings: its options, its defaults and its check. */
typedef struct s3svm_form {
    const s3svm_option *options;
    size_t size; /* of the struct */
    void (*defaults)(void *settings);
    sos_status (*check)(const void *settings, sos_error *error); /* checks combinations of options; NULL: there is no check */
} s3svm_form;

/* Allocates a struct with its defaults, which the caller frees with free(); NULL: out of memory. */
SOS_API void *s3svm_form_create(const s3svm_form *form);

#ifdef __cplusplus
}
#endif

#endif
