#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = ELLIPSE_WIDTH, HEIGHT = ELLIPSE_HEIGHT, PIXELS = WIDTH * HEIGHT };

sos_marked ellipse_random(sos_random *r, bool twin)
{
    sos_marked p = { 0 };
    sos_error error;
    check_ok(sos_image_create(WIDTH, HEIGHT, 3, &p.photograph, &error), error);
    check_ok(sos_image_create(WIDTH, HEIGHT, 1, &p.marks, &error), error);
    p.truth = test_room(NULL, PIXELS, 1);
    p.care = test_room(NULL, PIXELS, 1);
    const double left = sos_random_below(r, 2) ? 0.28 : 0.72, dark = 50 + 60 * sos_random_uniform(r);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) / WIDTH, y = (double)(i / WIDTH) / HEIGHT;
        const double a = hypot((x - left) / 0.17, (y - 0.5) / 0.3), b = hypot((x - 1 + left) / 0.17, (y - 0.5) / 0.3);
        p.truth[i] = a < 1;
        p.care[i] = fabs(a - 1) > 0.05;
        for (size_t c = 0; c < 3; c++)
            p.photograph.pixels[3 * i + c] = (uint8_t)fmax(
                0, fmin(255, dark + (a < 1 || (twin && b < 1) ? 70 : 0) + 10 * (double)c + 15 * sos_random_normal(r)));
    }
    return p;
}

sos_model *dialogue_model_of(size_t count, const sos_marked pictures[], int threads)
{
    sos_segment_settings s = sos_segment_defaults();
    sos_model *m;
    sos_error error;
    s.method = SOS_SEGMENT_AMN;
    s.samples = 400;
    s.dialogues = true;
    s.work.threads = threads;
    check_ok(sos_segment_create(&s, count, pictures, &m, &error), error);
    sos_segment_model *p;
    check_ok(sos_segment_model_create(m, &p, &error), error);
    sos_example **x = test_room(NULL, count * SOS_SEGMENT_MOMENTS, sizeof *x);
    const sos_work work = { .threads = threads };
    check_ok(sos_segment_model_dialogues(p, count, pictures, 1, &work, x, &error), error);
    sos_segment_model_free(p);
    sos_train_settings t = sos_segment_training(SOS_SEGMENT_FULL, SOS_SEGMENT_AMN);
    t.rounds = 30;
    t.gap = 0.1;
    check_ok(sos_train(m, count * SOS_SEGMENT_MOMENTS, x, &t, NULL, &error), error);
    for (size_t i = 0; i < count * SOS_SEGMENT_MOMENTS; i++) sos_example_free(x[i]);
    free(x);
    return m;
}
