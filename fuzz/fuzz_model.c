/* fuzz_model.c - any text as a model: read or refused.  A model that is read is written and reads back as the same bytes. */
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    sos_model *m = NULL, *again = NULL;
    sos_error error;
    if (sos_model_parse(text, size, "input", &m, &error)) {
        fuzz_check(strstr(error.message, "input") && !m);
    } else {
        fuzz_accepted++;
        char *first = NULL, *second = NULL;
        size_t first_length = 0, second_length = 0;
        fuzz_check(!sos_model_write_memory(m, &first, &first_length, &error));
        fuzz_check(!sos_model_parse(first, first_length, "written", &again, &error));
        fuzz_check(!sos_model_write_memory(again, &second, &second_length, &error));
        fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
        free(first);
        free(second);
    }
    sos_model_free(m);
    sos_model_free(again);
    free(text);
    return 0;
}

/* A model of two or three labels with groups of each kind. */
static sos_model *model_make(size_t labels, bool patch)
{
    const sos_group groups[] = { { .name = "colour \xc3\xa4", .kind = SOS_GROUP_FREE, .size = 3 },
                                 { .name = "pairs", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
                                 { .name = "patches",
                                   .kind = SOS_GROUP_TABLE,
                                   .size = 4,
                                   .anchored = !patch,
                                   .swap = patch && labels == 2,
                                   .patch_width = patch ? 2 : 0,
                                   .patch_height = patch ? 2 : 0 },
                                 { .name = "lines", .kind = SOS_GROUP_TABLE, .size = 5, .counted = patch, .reversal = !patch },
                                 { .name = "share",
                                   .kind = SOS_GROUP_COUNT,
                                   .size = 4,
                                   .shares = (const double[]){ 0, 0.25, 0.75, 1 },
                                   .anchored = patch,
                                   .strengths = 2 },
                                 { .name = "own",
                                   .kind = SOS_GROUP_TABLE,
                                   .size = 2,
                                   .class_of = (const uint32_t[]){ UINT32_MAX, 1, 1, 0 },
                                   .stiffness = 0.5 } };
    sos_model *m = NULL;
    fuzz_check(!sos_model_create(labels, &m, NULL));
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        uint32_t number;
        fuzz_check(!sos_model_add_group(m, &groups[i], &number, NULL));
    }
    fuzz_check(!sos_model_set_fact(m, "features", "{\"version\": 1, \"knots\": [0.1, -2e-5]}", NULL));
    return m;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i == 4) return false;
    sos_model *m = model_make(2 + i / 2, i % 2);
    char *text = NULL;
    fuzz_check(!sos_model_write_memory(m, &text, &out->size, NULL));
    sos_model_free(m);
    out->data = (uint8_t *)text;
    return true;
}
