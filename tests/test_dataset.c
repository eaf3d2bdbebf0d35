/* test_dataset.c - folders of pictures: files of one name come together, and whatever does not fit is refused with its name;
 * the hash sees every byte and every name; splits are fair; drawings are what was stored, or that with noise. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "denoise/data.h"
#include "support.h"
#include <s3svm/dataset.h>

/* ---- a scratch folder; every test begins with an empty one ---- */

static char root[64];

static const char *in_root(const char *name)
{
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, 512, "%s/%s", root, name);
    return path;
}

static int root_make(void **state)
{
    (void)state;
    strcpy(root, "/tmp/sos-dataset-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int root_remove(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", root);
    return system(line); /* NOLINT: the name is our own */
}

static void folders_make(const char *const names[])
{
    for (size_t i = 0; names[i]; i++) assert_int_equal(mkdir(in_root(names[i]), 0777), 0);
}

/* A grey picture of so many pixels, all of one value. */
static void picture_write(const char *name, int width, int height, int grey)
{
    FILE *file = fopen(in_root(name), "wb");
    assert_non_null(file);
    fprintf(file, "P5\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; i++) fputc(grey, file);
    assert_int_equal(fclose(file), 0);
}

static void text_write(const char *name, const char *text)
{
    FILE *file = fopen(in_root(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static sos_status set_open(s3svm_dataset_images images, bool scribbles, s3svm_dataset *d, sos_error *error)
{
    return s3svm_dataset_open(root, images, scribbles, d, error);
}

/* That opening fails, changes nothing and names these. */
#define check_refused(wanted, images, scribbles, ...)                                                                          \
    do {                                                                                                                       \
        s3svm_dataset refused_ = { 0 };                                                                                        \
        sos_error why_;                                                                                                        \
        check_error(set_open(images, scribbles, &refused_, &why_), wanted, why_, __VA_ARGS__);                                 \
        check(!refused_.count && !refused_.items && !refused_.folder);                                                         \
    } while (0)

/* ---- opening ---- */

static void test_items_come_in_the_order_of_their_names_with_path_and_size(void **state)
{
    (void)state;
    folders_make((const char *const[]){ "labels", "images", NULL });
    /* As names a comes before a-b, as files a-b.pgm before a.pgm. */
    picture_write("labels/a.pgm", 5, 3, 0);
    picture_write("labels/a-b.pgm", 4, 2, 0);
    picture_write("labels/c.d.pgm", 1, 1, 0);
    picture_write("images/a.PGM", 5, 3, 9);
    picture_write("images/a-b.pgm", 4, 2, 9);
    picture_write("images/c.d.ppm", 1, 1, 9); /* by content it is a PGM */
    text_write("labels/readme.txt", "not a picture");
    text_write("labels/.hidden.png", "not looked at");
    s3svm_dataset d;
    sos_error error;
    check_ok(set_open(S3SVM_IMAGES_REQUIRED, false, &d, &error), error);
    assert_int_equal(d.count, 3);
    assert_string_equal(d.folder, root);
    assert_string_equal(d.items[0].name, "a");
    assert_string_equal(d.items[1].name, "a-b");
    assert_string_equal(d.items[2].name, "c.d");
    assert_string_equal(d.items[0].image, in_root("images/a.PGM"));
    assert_string_equal(d.items[1].labels, in_root("labels/a-b.pgm"));
    assert_string_equal(d.items[2].image, in_root("images/c.d.ppm"));
    assert_null(d.items[0].scribbles);
    assert_int_equal(d.items[0].width, 5);
    assert_int_equal(d.items[0].height, 3);
    assert_int_equal(d.items[2].width, 1);
    s3svm_dataset_free(&d);
    assert_int_equal(d.count, 0);
    s3svm_dataset_free(&d);
}

static void test_images_may_be_absent_only_where_that_is_allowed(void **state)
{
    (void)state;
    folders_make((const char *const[]){ "labels", NULL });
    picture_write("labels/a.pgm", 2, 2, 0);
    s3svm_dataset d;
    sos_error error;
    check_ok(set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    assert_null(d.items[0].image);
    s3svm_dataset_free(&d);
    check_refused(SOS_ERR_IO, S3SVM_IMAGES_REQUIRED, false, "images");
    check_refused(SOS_ERR_IO, S3SVM_IMAGES_OPTIONAL, true, "scribbles");
    folders_make((const char *const[]){ "images", NULL });
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "there are no pictures", "/images");
}

static void test_what_is_not_done_yet_is_passed_over(void **state)
{
    (void)state;
    s3svm_dataset d;
    sos_error error;
    folders_make((const char *const[]){ "labels", "images", "scribbles", ".s3svm", NULL });
    for (char c = 'a'; c <= 'e'; c++) {
        char name[16];
        snprintf(name, sizeof name, "images/%c.pgm", c);
        picture_write(name, 3, 2, 0);
    }
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_REQUIRED, true, "there are no pictures", "/labels");
    picture_write("labels/b.pgm", 3, 2, 0);
    picture_write("labels/d.pgm", 3, 2, 0);
    picture_write("scribbles/a.pgm", 3, 2, 0);
    picture_write("scribbles/b.pgm", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_REQUIRED, true, "/labels/d.pgm'", "no picture of the same name",
                  "/scribbles'");
    picture_write("scribbles/d.pgm", 3, 2, 0);
    check_ok(set_open(S3SVM_IMAGES_REQUIRED, true, &d, &error), error);
    check(d.count == 2 && d.passed == 3 && !strcmp(d.items[0].name, "b") && !strcmp(d.items[1].name, "d"));
    check(strstr(d.items[1].image, "images/d.pgm") && strstr(d.items[1].scribbles, "scribbles/d.pgm"));
    s3svm_dataset_free(&d);
    picture_write("labels/f.pgm", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_REQUIRED, true, "/labels/f.pgm'", "no picture of the same name", "/images'");
    assert_int_equal(unlink(in_root("labels/f.pgm")), 0);
    assert_int_equal(rmdir(in_root(".s3svm")), 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_REQUIRED, true, "/images/a.pgm'", "/labels'");
}

static void test_what_does_not_fit_is_named(void **state)
{
    (void)state;
    s3svm_dataset d;
    sos_error error;
    check_error(s3svm_dataset_open(in_root("nowhere"), S3SVM_IMAGES_OPTIONAL, false, &d, &error), SOS_ERR_IO, error, "nowhere",
                "is not a folder");
    check_refused(SOS_ERR_IO, S3SVM_IMAGES_OPTIONAL, false, "labels");
    folders_make((const char *const[]){ "labels", "images", "scribbles", NULL });
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "there are no pictures", "/labels");
    picture_write("labels/b.pgm", 3, 2, 0);
    picture_write("images/b.pgm", 3, 2, 0);
    picture_write("labels/d.pgm", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "/labels/d.pgm'", "no picture of the same name", "/images'");
    picture_write("images/d.pgm", 2, 3, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "/images/d.pgm' has 2 by 3", "/labels/d.pgm' 3 by 2");
    picture_write("images/d.pgm", 3, 2, 0);
    picture_write("images/c.pgm", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "/images/c.pgm'", "/labels'");
    picture_write("labels/c.pgm", 3, 2, 0);
    picture_write("images/c.png", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, false, "/images/c.pgm' and", "/images/c.png' have the same name");
    assert_int_equal(unlink(in_root("images/c.png")), 0);
    picture_write("scribbles/b.pgm", 3, 2, 0);
    picture_write("scribbles/c.pgm", 3, 2, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, true, "/labels/d.pgm'", "/scribbles'");
    picture_write("scribbles/d.pgm", 3, 1, 0);
    check_refused(SOS_ERR_ARGUMENT, S3SVM_IMAGES_OPTIONAL, true, "/scribbles/d.pgm' has 3 by 1");
    picture_write("scribbles/d.pgm", 3, 2, 0);
    check_ok(set_open(S3SVM_IMAGES_REQUIRED, true, &d, &error), error);
    assert_string_equal(d.items[2].scribbles, in_root("scribbles/d.pgm"));
    s3svm_dataset_free(&d);
    text_write("labels/c.pgm", "hello");
    check_refused(SOS_ERR_FORMAT, S3SVM_IMAGES_OPTIONAL, false, "/labels/c.pgm");
}

/* Names in bits: a set is fine if both folders have the same, and else a name that only one of them has is to blame. */
static void test_random_folders_are_accepted_if_and_only_if_the_names_agree(void **state)
{
    (void)state;
    enum { NAMES = 4 };
    folders_make((const char *const[]){ "labels", "images", NULL });
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const unsigned labels = 1 + (unsigned)sos_random_below(&r, (1 << NAMES) - 1);
        const unsigned images = sos_random_below(&r, 2) ? labels : 1 + (unsigned)sos_random_below(&r, (1 << NAMES) - 1);
        for (unsigned i = 0; i < NAMES; i++) {
            char label[32], image[32];
            snprintf(label, sizeof label, "labels/%c.pgm", (char)('p' + i));
            snprintf(image, sizeof image, "images/%c.pgm", (char)('p' + i));
            unlink(in_root(label));
            unlink(in_root(image));
            if (labels >> i & 1) picture_write(label, 2, 2, 0);
            if (images >> i & 1) picture_write(image, 2, 2, 0);
        }
        s3svm_dataset d = { 0 };
        sos_error error;
        const sos_status status = set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error);
        check((status == SOS_OK) == (labels == images));
        if (!status) check(d.count == (size_t)__builtin_popcount(labels));
        if (status) {
            const char *end = strstr(error.message, ".pgm'");
            check(end && end[-1] >= 'p' && (labels ^ images) >> (end[-1] - 'p') & 1);
        }
        s3svm_dataset_free(&d);
    }
}

/* ---- hash ---- */

static uint64_t set_hash(void)
{
    s3svm_dataset d;
    sos_error error;
    uint64_t hash = 0;
    check_ok(set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    check_ok(s3svm_dataset_hash(&d, &hash, &error), error);
    s3svm_dataset_free(&d);
    return hash;
}

static void test_the_hash_sees_bytes_names_and_kinds_and_nothing_else(void **state)
{
    (void)state;
    folders_make((const char *const[]){ "labels", NULL });
    picture_write("labels/a.pgm", 4, 4, 7);
    picture_write("labels/b.pgm", 4, 4, 8);
    const uint64_t first = set_hash();
    assert_true(set_hash() == first);
    text_write("labels/notes.txt", "passed over");
    assert_true(set_hash() == first);

    picture_write("labels/b.pgm", 4, 4, 9);
    const uint64_t other = set_hash();
    assert_true(other != first);
    assert_int_equal(rename(in_root("labels/b.pgm"), in_root("labels/c.pgm")), 0);
    assert_true(set_hash() != other);
    assert_int_equal(rename(in_root("labels/c.pgm"), in_root("labels/b.pgm")), 0);
    assert_true(set_hash() == other);

    folders_make((const char *const[]){ "images", NULL });
    picture_write("images/a.pgm", 4, 4, 1);
    picture_write("images/b.pgm", 4, 4, 2);
    const uint64_t both = set_hash();
    assert_true(both != other);
    assert_int_equal(rename(in_root("images"), in_root("kept")), 0);
    assert_int_equal(rename(in_root("labels"), in_root("images")), 0);
    assert_int_equal(rename(in_root("kept"), in_root("labels")), 0);
    assert_true(set_hash() != both);

    /* Another folder with the same content. */
    const uint64_t turned = set_hash();
    char before[64];
    strcpy(before, root);
    strcat(root, "-moved");
    assert_int_equal(rename(before, root), 0);
    assert_true(set_hash() == turned);

    s3svm_dataset d;
    sos_error error;
    uint64_t untouched = 5;
    check_ok(set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    assert_int_equal(unlink(in_root("labels/b.pgm")), 0);
    check_error(s3svm_dataset_hash(&d, &untouched, &error), SOS_ERR_IO, error, "labels/b.pgm");
    assert_true(untouched == 5);
    s3svm_dataset_free(&d);
}

/* ---- splits ---- */

static void test_splits_are_permutations_of_seed_and_split_alone(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        size_t order[40], again[40];
        bool seen[40] = { false };
        const size_t count = (size_t)sos_random_below(&r, 41);
        const uint64_t seed = sos_random_bits(&r), split = sos_random_bits(&r);
        s3svm_split(count, seed, split, order);
        s3svm_split(count, seed, split, again);
        check(!memcmp(order, again, count * sizeof *order));
        for (size_t i = 0; i < count; i++) {
            check(order[i] < count && !seen[order[i]]);
            seen[order[i]] = true;
        }
    }
    /* The same on every machine: the generator and the shuffle written again in Python gave this. */
    size_t order[5];
    s3svm_split(5, 1, 0, order);
    const size_t known[5] = { 4, 3, 1, 0, 2 };
    assert_memory_equal(order, known, sizeof known);
}

/* Every number comes first, and every one last, equally often: 6000 draws of 6, 1000 each, standard deviation 29. */
static void test_splits_are_fair(void **state)
{
    (void)state;
    int first[6] = { 0 }, last[6] = { 0 };
    for (uint64_t i = 0; i < 6000; i++) {
        size_t order[6];
        s3svm_split(6, i / 100, i % 100, order);
        first[order[0]]++;
        last[order[5]]++;
    }
    for (size_t i = 0; i < 6; i++) {
        assert_in_range(first[i], 850, 1150);
        assert_in_range(last[i], 850, 1150);
    }
}

/* ---- drawings ---- */

static void test_dark_pixels_are_ink_and_ink_is_black(void **state)
{
    (void)state;
    uint8_t grey[] = { 0, 127, 128, 255, 1, 254 }, labels[6], wanted[] = { 1, 1, 0, 0, 1, 0 };
    const s3svm_image picture = { .width = 3, .height = 2, .channels = 1, .pixels = grey };
    s3svm_image back;
    sos_error error;
    s3svm_drawing_truth(&picture, labels);
    assert_memory_equal(labels, wanted, sizeof wanted);
    check_ok(s3svm_drawing_picture(3, 2, labels, &back, &error), error);
    assert_int_equal(back.channels, 1);
    for (size_t i = 0; i < 6; i++) assert_int_equal(back.pixels[i], wanted[i] ? 0 : 255);
    s3svm_image_free(&back);
}

static void test_drawings_are_read_or_made_noisy_as_add_noise_does(void **state)
{
    (void)state;
    folders_make((const char *const[]){ "labels", NULL });
    picture_write("labels/black.pgm", 20, 10, 0);
    picture_write("labels/white.pgm", 8, 30, 255);
    s3svm_dataset d;
    s3svm_drawings drawn;
    sos_error error;
    check_ok(set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    check_error(s3svm_drawings_load(&d, 0, NULL, NULL, &drawn, &error), SOS_ERR_ARGUMENT, error, root, "images/", "--noise");
    s3svm_noise noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    noise.seed = 77;
    check_ok(s3svm_drawings_load(&d, 1, &noise, NULL, &drawn, &error), error);
    s3svm_dataset_free(&d);
    assert_int_equal(drawn.count, 2);
    assert_string_equal(drawn.names[0], "black");
    assert_string_equal(drawn.names[1], "white");
    for (size_t i = 0; i < 200; i++) assert_int_equal(drawn.truths[0][i], 1);
    for (size_t i = 0; i < 240; i++) assert_int_equal(drawn.truths[1][i], 0);

    /* The same noisy pictures by way of files. */
    folders_make((const char *const[]){ "images", NULL });
    for (size_t i = 0; i < 2; i++) {
        char name[64];
        s3svm_image clean, written;
        s3svm_plane noisy;
        snprintf(name, sizeof name, "labels/%s.pgm", drawn.names[i]);
        check_ok(s3svm_image_read(in_root(name), S3SVM_IMAGE_GREY, &clean, &error), error);
        check_ok(s3svm_noise_add(&noise, s3svm_noise_stream(name), &clean, &noisy, &error), error);
        check_ok(s3svm_plane_to_image(&noisy, &written, &error), error);
        snprintf(name, sizeof name, "images/%s.pgm", drawn.names[i]);
        check_ok(s3svm_image_write(&written, in_root(name), &error), error);
        s3svm_image_free(&clean);
        s3svm_image_free(&written);
        s3svm_plane_free(&noisy);
    }
    s3svm_drawings read;
    check_ok(set_open(S3SVM_IMAGES_OPTIONAL, false, &d, &error), error);
    check_ok(s3svm_drawings_load(&d, 0, NULL, NULL, &read, &error), error);
    for (size_t i = 0; i < 2; i++) {
        const size_t n = s3svm_plane_size(&drawn.noisy[i]);
        assert_int_equal(s3svm_plane_size(&read.noisy[i]), n);
        assert_memory_equal(read.noisy[i].values, drawn.noisy[i].values, n * sizeof(float));
        assert_memory_equal(read.truths[i], drawn.truths[i], n);
    }
    s3svm_drawings_free(&read);
    s3svm_drawings_free(&drawn);
    assert_int_equal(drawn.count, 0);
    s3svm_drawings_free(&drawn);

    text_write("images/white.pgm", "P5\n8 30\n255\ncut");
    check_error(s3svm_drawings_load(&d, 0, NULL, NULL, &read, &error), SOS_ERR_FORMAT, error, "images/white.pgm");
    s3svm_dataset_free(&d);
}

#define test(f) cmocka_unit_test_setup_teardown(f, root_make, root_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(test_items_come_in_the_order_of_their_names_with_path_and_size),
        test(test_images_may_be_absent_only_where_that_is_allowed),
        test(test_what_is_not_done_yet_is_passed_over),
        test(test_what_does_not_fit_is_named),
        test(test_random_folders_are_accepted_if_and_only_if_the_names_agree),
        test(test_the_hash_sees_bytes_names_and_kinds_and_nothing_else),
        cmocka_unit_test(test_splits_are_permutations_of_seed_and_split_alone),
        cmocka_unit_test(test_splits_are_fair),
        cmocka_unit_test(test_dark_pixels_are_ink_and_ink_is_black),
        test(test_drawings_are_read_or_made_noisy_as_add_noise_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
