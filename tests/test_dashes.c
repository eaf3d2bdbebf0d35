/* test_dashes.c - dashed curves: what is drawn, what is true, and what models see of their lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/noise.h>

#include "denoise/features.h"
#include "experiments/denoise/dashes_drawing.h"
#include "support.h"
#include "vision/lines.h"

enum { SIDE = 96, COUNT = 3 };

typedef struct sheet {
    s3svm_image drawn, joined;
    s3svm_plane seen;
    uint8_t truth[SIDE * SIDE];
} sheet;

static sheet sheet_make(uint64_t seed)
{
    sheet s;
    sos_error error;
    check_ok(s3svm_dashes_make(SIDE, seed, &s.drawn, &s.joined, &error), error);
    const s3svm_noise noise = { .model = S3SVM_NOISE_PLAIN, .sigma = 0.2, .seed = 1 };
    check_ok(s3svm_noise_add(&noise, seed, &s.drawn, &s.seen, &error), error);
    for (size_t i = 0; i < SIDE * SIDE; i++) s.truth[i] = s.joined.pixels[i] < 128;
    return s;
}

static void sheet_free(sheet *s)
{
    s3svm_image_free(&s->drawn);
    s3svm_image_free(&s->joined);
    s3svm_plane_free(&s->seen);
}

/* Curves are joined: more ink than their dashes, each in one piece from frame to frame; single dashes are drawn beside them. */
static void curves_are_joined_and_dashes_are_not(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20); c++) {
        test_case_begin(c);
        sheet a = sheet_make(c), again = sheet_make(c), other = sheet_make(c + 1000);
        size_t gaps = 0, dashes = 0, singles = 0;
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            const bool ink = a.drawn.pixels[i] == 0, curve = a.joined.pixels[i] == 0;
            check(ink || a.drawn.pixels[i] == 255);
            gaps += curve && !ink;
            dashes += curve && ink;
            singles += ink && !curve;
        }
        check(!memcmp(a.drawn.pixels, again.drawn.pixels, SIDE * SIDE) &&
              memcmp(a.drawn.pixels, other.drawn.pixels, SIDE * SIDE));
        check(gaps > dashes / 4 && gaps < 2 * dashes && singles > dashes / 4 && singles < 2 * dashes);
        sheet_free(&a);
        sheet_free(&again);
        sheet_free(&other);
    }
    s3svm_image drawn, joined;
    sos_error error;
    check(s3svm_dashes_make((size_t)1 << 40, 1, &drawn, &joined, &error) != SOS_OK);
}

/* Psi of the functions of lines, against lines that are counted here: with F(s) = s, and with F = 1 above one knot. */
static void functions_see_shares_of_lines(void **state)
{
    (void)state;
    sheet sheets[COUNT];
    s3svm_plane seen[COUNT];
    const uint8_t *truths[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        sheets[i] = sheet_make(i);
        seen[i] = sheets[i].seen;
        truths[i] = sheets[i].truth;
    }
    sos_model *m;
    s3svm_denoise_model *p;
    sos_example *x;
    s3svm_denoise_features f;
    s3svm_directions d;
    sos_error error;
    check_ok(s3svm_denoise_create(S3SVM_DENOISE_FAR_COUNTS, COUNT, seen, truths, NULL, &m, &error), error);
    check_ok(s3svm_denoise_model_create(m, &p, &error), error);
    check_ok(s3svm_denoise_model_example_input(p, &(s3svm_denoise_input){ .noisy = &seen[1] }, false, &x, &error), error);
    check_ok(s3svm_denoise_features_read(m, &f, &error), error);
    check_ok(s3svm_directions_find(&seen[1], f.key.blur, f.key.steps, &d, &error), error);
    check(f.key.length == 25 && f.key.thresholds == 1);

    double *psi = test_room(NULL, sos_model_weight_count(m), sizeof *psi), shares = 0, full = 0, found = 0;
    sos_example_psi(x, sheets[1].truth, psi);
    s3svm_line_place places[25];
    size_t lines = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        if (!(d.strength[i] >= f.key.threshold[0])) continue;
        s3svm_line_places(25, f.key.steps, d.direction[i], places);
        size_t ink = 0, inside = 0;
        for (size_t q = 0; q < 25; q++) {
            const long u = (long)(i % SIDE) + places[q].x, v = (long)(i / SIDE) + places[q].y;
            if (u < 0 || v < 0 || u >= SIDE || v >= SIDE) continue;
            inside++;
            ink += sheets[1].truth[v * SIDE + u];
        }
        if (inside < 25) continue;
        lines++;
        shares += (double)ink / 25;
        full += fmax(0, (double)ink / 25 - 0.9) / 0.1;
    }
    const uint32_t last = (uint32_t)(sos_model_groups(m) - 1);
    const sos_group *g = sos_model_group(m, last);
    const double *w = psi + sos_model_group_offset(m, last), n = SIDE * SIDE;
    check(g->kind == SOS_GROUP_COUNT && lines > 20);
    for (size_t k = 1; k < g->size; k++) found += g->shares[k] * w[k - 1];
    check(fabs(found * n - shares) < 1e-6 && fabs(w[g->size - 2] * n - full) < 1e-6);

    free(psi);
    s3svm_directions_free(&d);
    s3svm_denoise_features_free(&f);
    sos_example_free(x);
    s3svm_denoise_model_free(p);
    sos_model_free(m);
    for (size_t i = 0; i < COUNT; i++) sheet_free(&sheets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_joined_and_dashes_are_not),
        cmocka_unit_test(functions_see_shares_of_lines),
    };
    return cmocka_run_group_tests_name("dashes", tests, NULL, NULL);
}
