/* noise_options.h - the options of commands that add noise to drawings as they read them. */
#ifndef S3SVM_NOISE_OPTIONS_H
#define S3SVM_NOISE_OPTIONS_H

#include "base/json.h"
#include "command.h"
#include "options.h"
#include <s3svm/noise.h>

enum { NOISES_MAX = 16 };

typedef struct noise_choice {
    /* From the command line. */
    int model; /* negative: not given, as seed */
    sos_reals sigma;
    int64_t seed;

    size_t count; /* 0: no option was given, so no noise is asked for */
    sos_noise noises[NOISES_MAX];
} noise_choice;

/* Rows of the option table of a struct with a noise_choice, for at most so many noises. */
/* clang-format off */
#define NOISE_OPTIONS(settings, member, most)                                                                                                       \
    { "noise", 0, SOS_SETS_CHOICE(settings, member.model), SOS_NOISE_MODELS, "add noise to DIR/labels instead of reading DIR/images", 0, 0 }, \
    { "sigma", 0, SOS_SETS_REALS(settings, member.sigma), "S", "how strong (plain: 0.5 of the range; shifted: 150 grey values)", 0, most },      \
    { "seed", 0, SOS_SETS_INTEGER(settings, member.seed), "N", "of the noise (1)", 0, INT64_MAX }
/* clang-format on */

/* No option given. */
noise_choice noise_none(void);

/* Makes noises from the options: number k has the seed plus k.  Returns OPTIONS_RUN or the exit code. */
int noise_check(const command *self, noise_choice *n);

/* A member: a list of objects, empty where there is no noise. */
void noise_json(sos_json *out, const char *name, const noise_choice *n);

/* "plain noise, sigma 0.5, seed 1" */
enum { NOISE_TEXT = 100 };
const char *noise_text(const sos_noise *noise, char text[NOISE_TEXT]);

#endif
