/* fuzz_marks.c - any bytes as a list of marks: read or refused.  What is read is drawn, written, and reads back with the same
 * bytes. */
#include <stdio.h>
#include <string.h>

#include <s3svm/dialogue.h>

#include "fuzz.h"

enum { PIXELS_MOST = 1 << 16 }; /* that are drawn */

static void draw(const s3svm_dialogue *d)
{
    s3svm_image marks;
    sos_error error;
    if (s3svm_dialogue_width(d) * s3svm_dialogue_height(d) > PIXELS_MOST) return;
    fuzz_check(!s3svm_image_create(s3svm_dialogue_width(d), s3svm_dialogue_height(d), 1, &marks, &error));
    for (size_t steps = 0; steps <= s3svm_dialogue_steps(d); steps++) {
        fuzz_check(!s3svm_dialogue_draw(d, steps, &marks, &error));
        for (size_t i = 0; i < s3svm_image_size(&marks); i++) fuzz_check(marks.pixels[i] < S3SVM_MARKS);
    }
    s3svm_image_free(&marks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = fuzz_copy(data, size), *text[2];
    size_t length[2];
    s3svm_dialogue *d, *again;
    sos_error error = { SOS_OK, "" };
    if (s3svm_dialogue_parse(copy, size, "input", &d, &error)) {
        fuzz_check(error.message[0]);
        free(copy);
        return 0;
    }
    fuzz_accepted++;
    draw(d);
    fuzz_check(!s3svm_dialogue_encode(d, &text[0], &length[0], &error));
    fuzz_check(!s3svm_dialogue_parse(text[0], length[0], "output", &again, &error));
    fuzz_check(!s3svm_dialogue_encode(again, &text[1], &length[1], &error));
    fuzz_check(length[0] == length[1] && !memcmp(text[0], text[1], length[0]));
    free(text[0]);
    free(text[1]);
    s3svm_dialogue_free(d);
    s3svm_dialogue_free(again);
    free(copy);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
#define HEAD "{\"format\": \"s3svm marks\", \"version\": 1, \"width\": 9, \"height\": 7, \"steps\": "
    static const char *const TEXTS[] = {
        HEAD "[]}",
        HEAD "[[{\"shape\": \"stroke\", \"label\": \"object\", \"radius\": 2.5, \"points\": [3, 4, 5.5, 1, -2, 9]}]]}",
        HEAD "[[{\"shape\": \"box\", \"points\": [1, 1, 6, 5]}], [{\"shape\": \"outline\", \"points\": [0, 0, 8, 1, 4, 6]}]]}",
        HEAD "[[{\"shape\": \"pixels\", \"runs\": [20, 0, 10, 1, 30, 2, 2, 3, 1, 4]}]]}",
    };
#undef HEAD
    if (i >= sizeof TEXTS / sizeof *TEXTS) return false;
    *out = (fuzz_bytes){ fuzz_copy(TEXTS[i], strlen(TEXTS[i])), strlen(TEXTS[i]) };
    return true;
}
