#include "noise_options.h"

#include <inttypes.h>
#include <stdio.h>

noise_choice noise_none(void) { return (noise_choice){ .model = -1, .seed = -1 }; }

int noise_check(const command *self, noise_choice *n)
{
    if (n->model < 0 && !n->sigma.count && n->seed < 0) return OPTIONS_RUN;
    const sos_noise usual = sos_noise_defaults(n->model < 0 ? SOS_NOISE_PLAIN : (sos_noise_model)n->model);
    if (!n->sigma.count) n->sigma.values[n->sigma.count++] = usual.sigma;
    n->count = n->sigma.count;
    for (size_t i = 0; i < n->count; i++) {
        if (n->sigma.values[i] < 0) return options_wrong(self, "--sigma takes 0 or more, not %g", n->sigma.values[i]);
        n->noises[i] = usual;
        n->noises[i].sigma = n->sigma.values[i];
        n->noises[i].seed = (n->seed < 0 ? usual.seed : (uint64_t)n->seed) + i;
    }
    return OPTIONS_RUN;
}

static const char *model_name(const sos_noise *noise) { return noise->model == SOS_NOISE_PLAIN ? "plain" : "shifted"; }

void noise_json(sos_json *out, const char *name, const noise_choice *n)
{
    sos_json_open(out, name, '[');
    for (size_t i = 0; i < n->count; i++) {
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "model", model_name(&n->noises[i]));
        sos_json_real(out, "sigma", n->noises[i].sigma);
        sos_json_count(out, "seed", n->noises[i].seed);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

const char *noise_text(const sos_noise *noise, char text[NOISE_TEXT])
{
    snprintf(text, NOISE_TEXT, "%s noise, sigma %g, seed %" PRIu64, model_name(noise), noise->sigma, noise->seed);
    return text;
}
