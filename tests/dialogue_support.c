#include "dialogue_support.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = ELLIPSE_WIDTH, HEIGHT = ELLIPSE_HEIGHT, PIXELS = WIDTH * HEIGHT };

s3svm_marked ellipse_random(sos_random *r, bool twin)
{
    s3svm_marked p = { 0 };
    sos_error error;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &p.photograph, &error), error);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &p.marks, &error), error);
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

s3svm_maps ellipse_odds(const s3svm_marked *p, sos_random *r)
{
    s3svm_maps x;
    sos_error error;
    check_ok(s3svm_maps_create(WIDTH, HEIGHT, 1, &x, &error), error);
    for (size_t i = 0; i < PIXELS; i++) x.values[i] = (float)((p->truth[i] ? 3 : -3) + sos_random_normal(r));
    return x;
}

static sos_model *model_of(size_t count, const s3svm_marked pictures[], bool evidence, int threads)
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    sos_model *m;
    sos_error error;
    s.method = S3SVM_SEGMENT_AMN;
    s.samples = 400;
    s.dialogues = true;
    s.evidence = evidence;
    s.work.threads = threads;
    check_ok(s3svm_segment_create(&s, count, pictures, &m, &error), error);
    s3svm_segment_model *p;
    check_ok(s3svm_segment_model_create(m, &p, &error), error);
    sos_example **x = test_room(NULL, count * S3SVM_SEGMENT_MOMENTS, sizeof *x);
    const sos_work work = { .threads = threads };
    check_ok(s3svm_segment_model_dialogues(p, count, pictures, 1, NULL, &work, x, &error), error);
    s3svm_segment_model_free(p);
    sos_train_settings t = s3svm_segment_training(S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_AMN);
    t.rounds = 30;
    t.gap = 0.1;
    check_ok(sos_train(m, count * S3SVM_SEGMENT_MOMENTS, x, &t, NULL, &error), error);
    for (size_t i = 0; i < count * S3SVM_SEGMENT_MOMENTS; i++) sos_example_free(x[i]);
    free(x);
    return m;
}

sos_model *dialogue_model_of(size_t count, const s3svm_marked pictures[], int threads)
{
    return model_of(count, pictures, false, threads);
}

sos_model *evidence_model_of(size_t count, const s3svm_marked pictures[], int threads)
{
    return model_of(count, pictures, true, threads);
}

s3svm_dialogue *dialogue_copy(const s3svm_dialogue *d)
{
    s3svm_dialogue *copy;
    sos_error error;
    check_ok(s3svm_dialogue_create(s3svm_dialogue_width(d), s3svm_dialogue_height(d), &copy, &error), error);
    for (size_t step = 0; step < s3svm_dialogue_steps(d); step++)
        check_ok(s3svm_dialogue_add_step(copy, d, step, &error), error);
    return copy;
}

void rectangle_mark(s3svm_image *marks, const size_t rectangle[4])
{
    for (size_t i = 0; i < s3svm_image_size(marks); i++) {
        const size_t x = i % marks->width - rectangle[0], y = i / marks->width - rectangle[1]; /* huge where it is below 0 */
        if (!s3svm_mark_is_sure(marks->pixels[i]))
            marks->pixels[i] = x < rectangle[2] && y < rectangle[3] ? S3SVM_MARK_PERHAPS_OBJECT : S3SVM_MARK_BACKGROUND;
    }
}

sos_status picture_segment(const s3svm_segment_model *m, const s3svm_image *photograph, const s3svm_image *marks,
                           const s3svm_segmentation_settings *settings, uint8_t labels[], s3svm_segmentation_result *result,
                           sos_error *error)
{
    s3svm_dialogue *d;
    sos_status status = s3svm_dialogue_of_marks(marks, &d, error);
    if (status) return status;
    status = s3svm_photograph_segment(m, photograph, d, settings, labels, result, error);
    s3svm_dialogue_free(d);
    return status;
}

sos_status soft_segment(const s3svm_segment_model *m, const s3svm_marked *p, int threads, uint8_t labels[], sos_error *error)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.hard = false;
    settings.tidying.specks = 1;
    settings.work.threads = threads;
    return picture_segment(m, &p->photograph, &p->marks, &settings, labels, NULL, error);
}
