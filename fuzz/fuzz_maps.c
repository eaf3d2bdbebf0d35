/* fuzz_maps.c - any bytes as maps of a picture, .npy or .png, and as a calibration: read or refused.  What is read is finite,
 * and stays so when it becomes log odds; a calibration that was read says the same when it is written and read again. */
#include <math.h>
#include <string.h>

#include <s3svm/maps.h>

#include "fuzz.h"

enum { NPY, PNG, CALIBRATION, KINDS };

static void maps_check(const s3svm_maps *m)
{
    for (size_t i = 0; i < m->width * m->height * m->channels; i++) fuzz_check(isfinite(m->values[i]));
}

/* As odds by a calibration, unless that is not for such numbers, or there are several channels. */
static void maps_use(s3svm_maps *m)
{
    const s3svm_maps_calibration honest = { .numbers = S3SVM_NUMBERS_PROBABILITIES, .scale = 2, .offset = -1 };
    s3svm_maps_calibration guess;
    sos_error error;
    double doubt = -1;
    if (m->channels == 1) {
        uint8_t *labels = calloc(m->width * m->height, 1);
        fuzz_check(labels && !s3svm_maps_calibration_guess(1, m, &guess, &error) && isfinite(guess.scale));
        if (s3svm_maps_apply(&honest, m, &error)) fuzz_check(!s3svm_maps_apply(NULL, m, &error));
        fuzz_check(!s3svm_maps_doubt(m, labels, &doubt, &error) && doubt >= 0 && doubt <= 1);
        free(labels);
    } else
        fuzz_check(s3svm_maps_apply(NULL, m, &error) == SOS_ERR_ARGUMENT);
    maps_check(m);
}

static void maps_try(const uint8_t *data, size_t size, const char *name)
{
    s3svm_maps maps = { 0 };
    sos_error error;
    if (s3svm_maps_parse(data, size, name, &maps, &error)) {
        fuzz_check(strstr(error.message, "input") && !maps.values);
        return;
    }
    fuzz_accepted++;
    maps_check(&maps);
    if (maps.width * maps.height <= 1 << 16) maps_use(&maps);
    s3svm_maps_free(&maps);
}

static void calibration_try(const char *text, size_t size)
{
    s3svm_maps_calibration c, again;
    sos_error error;
    if (s3svm_maps_calibration_parse(text, size, "input", &c, &error)) {
        fuzz_check(strstr(error.message, "input"));
        return;
    }
    fuzz_accepted++;
    fuzz_check(isfinite(c.scale) && isfinite(c.offset) && s3svm_maps_numbers_name(c.numbers));
    const char *path = fuzz_path(".json");
    fuzz_check(!s3svm_maps_calibration_write(&c, path, &error) && !s3svm_maps_calibration_read(path, &again, &error));
    fuzz_check(c.numbers == again.numbers && !memcmp(&c.scale, &again.scale, sizeof c.scale) &&
               !memcmp(&c.offset, &again.offset, sizeof c.offset));
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    switch (data[0] % KINDS) {
    case NPY: maps_try(copy, size - 1, "input.npy"); break;
    case PNG:
        fuzz_png_repair(copy, size - 1);
        maps_try(copy, size - 1, "input.png");
        break;
    default: calibration_try((const char *)copy, size - 1);
    }
    free(copy);
    return 0;
}

/* Probabilities of 3 x 2 pixels as an array, or as a picture. */
static fuzz_bytes array_seed(void)
{
    static const char HEAD[] = "\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
    static const float NUMBERS[] = { 0, 0.25F, 0.5F, 0.75F, 1, 0.9F };
    uint8_t bytes[sizeof HEAD - 1 + sizeof NUMBERS];
    memcpy(bytes, HEAD, sizeof HEAD - 1);
    bytes[8] = (uint8_t)(sizeof HEAD - 1 - 10);
    memcpy(bytes + sizeof HEAD - 1, NUMBERS, sizeof NUMBERS);
    return fuzz_input(NPY, bytes, sizeof bytes);
}

static fuzz_bytes picture_seed(void)
{
    uint8_t grey[] = { 0, 64, 128, 191, 255, 230 }, *bytes = NULL;
    const s3svm_image picture = { 3, 2, 1, grey };
    size_t length = 0;
    if (!s3svm_image_has_png() || s3svm_image_encode(&picture, &bytes, &length, NULL))
        return (fuzz_bytes){ fuzz_copy(NULL, 0), 0 };
    const fuzz_bytes out = fuzz_input(PNG, bytes, length);
    free(bytes);
    return out;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    switch (i) {
    case 0: *out = array_seed(); return true;
    case 1: *out = picture_seed(); return true;
    case 2:
        *out = sos_has("models") ? fuzz_text(CALIBRATION, "{\"format\": \"s3svm calibration\", \"version\": 1, "
                                                          "\"numbers\": \"odds\", \"scale\": 0.5, \"offset\": -1.25}")
                                 : (fuzz_bytes){ fuzz_copy(NULL, 0), 0 };
        return true;
    default: return false;
    }
}
