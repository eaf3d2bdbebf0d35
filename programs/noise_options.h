/* noise_options.h - the options of commands that add noise to drawings as they read them. */
#ifndef S3SVM_NOISE_OPTIONS_H
#define S3SVM_NOISE_OPTIONS_H

#include "base/json.h"
#include "command.h"
#include "options.h"
#include "vision/noise.h"

enum { NOISES_MAX = 16 };

typedef struct noise_choice {
    /* From the command line. */
    int model;         /* negative: not given, as seed */
    const char *sigma; /* a list */
    long seed;

    size_t count; /* 0: no option was given, so no noise is asked for */
    sos_noise noises[NOISES_MAX];
} noise_choice;

/* Rows of an option table, which needs <limits.h>. */
/* clang-format off */
#define NOISE_OPTIONS(n)                                                                                                       \
    { "noise", 0, OPTION_CHOICE, &(n).model, SOS_NOISE_MODELS, "add noise to DIR/labels instead of reading DIR/images", 0, 0 }, \
    { "sigma", 0, OPTION_TEXT, &(n).sigma, "S", "how strong (plain: 0.5 of the range; shifted: 150 grey values)", 0, 0 },      \
    { "seed", 0, OPTION_INTEGER, &(n).seed, "N", "of the noise (1)", 0, LONG_MAX }
/* clang-format on */

/* No option given. */
noise_choice noise_none(void);

/* Makes noises from the options, at most so many: number k has the seed plus k.  Returns OPTIONS_RUN or the exit code. */
int noise_check(const command *self, noise_choice *n, size_t most);

/* A member: a list of objects, empty where there is no noise. */
void noise_json(sos_json *out, const char *name, const noise_choice *n);

/* "plain noise, sigma 0.5, seed 1" */
enum { NOISE_TEXT = 100 };
const char *noise_text(const sos_noise *noise, char text[NOISE_TEXT]);

#endif
