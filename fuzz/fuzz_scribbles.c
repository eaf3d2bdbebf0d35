/* fuzz_scribbles.c - any bytes as scribbles on a photograph of 8 x 6 pixels: marks, or a reason why not.  The first byte
 * chooses the convention and the colours of strokes, the rest is the file. */
#include <stdio.h>
#include <string.h>

#include <s3svm/marks.h>

#include "fuzz.h"

enum { WIDTH = 8, HEIGHT = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    uint8_t pixels[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(90 + i % 70);
    const s3svm_image photograph = { WIDTH, HEIGHT, 3, pixels };
    const s3svm_scribbles_settings settings = { .convention = (s3svm_convention)(data[0] % (S3SVM_CONVENTION_COLOUR + 1)),
                                                .object = data[0] & 64 ? S3SVM_STROKE_RED : S3SVM_STROKE_AUTO,
                                                .background = data[0] & 128 ? S3SVM_STROKE_BLUE : S3SVM_STROKE_AUTO };
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    fuzz_png_repair(copy, size - 1);
    const char *path = fuzz_path(".scribbles");
    fuzz_file_write(path, copy, size - 1);
    s3svm_image marks = { 0 };
    s3svm_scribbles_found found;
    sos_error error = { SOS_OK, "" };
    if (s3svm_scribbles_read(path, &photograph, &settings, &marks, &found, &error)) {
        fuzz_check(error.message[0] && !marks.pixels);
    } else {
        fuzz_accepted++;
        fuzz_check(marks.width == WIDTH && marks.height == HEIGHT && marks.channels == 1);
        fuzz_check(found.convention != S3SVM_CONVENTION_AUTO && strlen(found.words) < sizeof found.words);
        size_t marked = 0;
        for (size_t i = 0; i < s3svm_image_size(&marks); i++) {
            fuzz_check(marks.pixels[i] < S3SVM_MARKS);
            marked += marks.pixels[i] != S3SVM_MARK_NONE;
        }
        fuzz_check(marked > 0);
    }
    remove(path);
    s3svm_image_free(&marks);
    free(copy);
    return 0;
}

/* Scribbles in one of the conventions; without data where this build cannot write pictures of that format. */
static fuzz_bytes scribbles(s3svm_convention convention, const char *ending)
{
    static const uint8_t numbers[][2] = {
        [S3SVM_CONVENTION_PALETTE] = { 1, 2 }, [S3SVM_CONVENTION_OPENCV] = { 3, 0 }, [S3SVM_CONVENTION_TRIMAP] = { 255, 0 }
    };
    const bool colour = convention == S3SVM_CONVENTION_COLOUR;
    uint8_t pixels[WIDTH * HEIGHT * 3];
    memset(pixels, colour ? 255 : convention == S3SVM_CONVENTION_TRIMAP ? 128 : 0, sizeof pixels);
    for (size_t i = 0; i < WIDTH; i++) {
        if (colour) {
            memcpy(pixels + 3 * i, "\xff\0\0", 3);
            memcpy(pixels + 3 * (4 * WIDTH + i), "\0\0\xff", 3);
            continue;
        }
        pixels[i] = numbers[convention][0];
        pixels[4 * WIDTH + i] = numbers[convention][1];
    }
    const s3svm_image image = { WIDTH, HEIGHT, colour ? 3 : 1, pixels };
    const char *path = fuzz_path(ending);
    const fuzz_bytes bytes = s3svm_image_write(&image, path, NULL) ? (fuzz_bytes){ NULL, 0 } : fuzz_file_read(path);
    remove(path);
    return bytes;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i == 2 * S3SVM_CONVENTION_COLOUR) return false;
    const s3svm_convention convention = (s3svm_convention)(1 + i / 2);
    const fuzz_bytes bytes = scribbles(convention, i % 2 ? ".png" : convention == S3SVM_CONVENTION_COLOUR ? ".ppm" : ".pgm");
    *out = fuzz_input((uint8_t)convention, bytes.data, bytes.size);
    free(bytes.data);
    return true;
}
