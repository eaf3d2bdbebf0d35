/* album.c - see album.h. */
#include "album.h"

#include <string.h>

#include "support.h"

enum { WIDE = 24, HIGH = 16 };

/* A disc in noise, with one feature and a table of patches. */
static sos_example *picture(const sos_model *m, sos_random *r, double middle)
{
    uint8_t truth[WIDE * HIGH];
    uint32_t index[2 * WIDE * HIGH], patches[4 * WIDE * HIGH];
    size_t start[WIDE * HIGH + 1], count = 0;
    double value[2 * WIDE * HIGH];
    for (size_t i = 0; i < WIDE * HIGH; i++) {
        const double x = (double)(i % WIDE) - middle, y = (double)(i / WIDE) - HIGH / 2.0;
        truth[i] = x * x + y * y < 25;
        start[i] = 2 * i;
        index[2 * i] = 0;
        index[2 * i + 1] = 1;
        value[2 * i] = 1;
        value[2 * i + 1] = truth[i] + 3 * (sos_random_uniform(r) - 0.5);
    }
    start[WIDE * HIGH] = 2 * (size_t)WIDE * HIGH;
    for (uint32_t y = 0; y + 1 < HIGH; y++)
        for (uint32_t x = 0; x + 1 < WIDE; x++, count++) {
            const uint32_t v = y * WIDE + x;
            memcpy(patches + 4 * count, (uint32_t[]){ v, v + 1, v + WIDE, v + WIDE + 1 }, 4 * sizeof v);
        }
    sos_example *e;
    sos_error error;
    check_ok(sos_example_create(m, WIDE * HIGH, &e, &error), error);
    check_ok(sos_example_set_features(e, 0, start, index, value, &error), error);
    check_ok(sos_example_add_cliques(e, 1, count, patches, NULL, &error), error);
    check_ok(sos_example_set_scale(e, 1.0 / (WIDE * HIGH), &error), error);
    check_ok(sos_example_set_truth(e, truth, NULL, &error), error);
    return e;
}

album album_create(size_t count, size_t odd)
{
    album a = { .count = count };
    sos_error error;
    uint32_t group;
    sos_random r = test_case_begin(0);
    check_ok(sos_model_create(2, &a.model, &error), error);
    const sos_group grey = { .name = "grey", .kind = SOS_GROUP_FREE, .size = 2 };
    const sos_group patch = { .name = "patch", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true };
    check_ok(sos_model_add_group(a.model, &grey, &group, &error), error);
    check_ok(sos_model_add_group(a.model, &patch, &group, &error), error);
    check(count <= ALBUM_MOST);
    for (size_t i = 0; i < count; i++)
        a.examples[i] = picture(a.model, &r, odd && i % odd == 0 ? -WIDE : 6 + 2 * (double)(i % 6));
    return a;
}

void album_free(album *a)
{
    for (size_t i = 0; i < a->count; i++) sos_example_free(a->examples[i]);
    sos_model_free(a->model);
}

sos_train_settings album_settings(void)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 1000;
    return s;
}

sos_train_result album_train(album *a, const sos_train_settings *s, double w[])
{
    sos_train_result result;
    sos_error error;
    check_ok(sos_train(a->model, a->count, a->examples, s, &result, &error), error);
    memcpy(w, sos_model_weights(a->model), sos_model_weight_count(a->model) * sizeof *w);
    return result;
}
