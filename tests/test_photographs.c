/* test_photographs.c - splits and folds never have the same photograph on two sides, and are those of before where all differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "scratch.h"
#include "support.h"
#include "tasks/photographs.h"

enum { MOST = 60 };

/* Photographs of random pictures: photograph[i] is the first that is the same as i. */
static size_t photographs_draw(sos_random *r, size_t photograph[])
{
    const size_t count = 3 + (size_t)sos_random_below(r, MOST - 2);
    for (size_t i = 0; i < count; i++) {
        const bool again = i && sos_random_below(r, 3) == 0;
        photograph[i] = again ? photograph[sos_random_below(r, i)] : i;
    }
    return count;
}

/* The same by looking at all pairs. */
static void pictures_with_the_same_hash_are_one_photograph(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        uint64_t hashes[MOST];
        size_t photograph[MOST], distinct = 0;
        sos_error error;
        const size_t count = (size_t)sos_random_below(&r, MOST);
        for (size_t i = 0; i < count; i++) hashes[i] = sos_random_below(&r, 40) * UINT64_C(0x9e3779b97f4a7c15);
        check_ok(s3svm_photographs_group(count, hashes, photograph, &error), error);
        for (size_t i = 0; i < count; i++) {
            size_t first = 0;
            while (hashes[first] != hashes[i]) first++;
            check(photograph[i] == first);
            distinct += first == i;
        }
        check(s3svm_photographs_count(count, photograph) == distinct);
    }
}

/* Models and splits go by it. */
static void a_photograph_has_the_same_hash_on_every_machine(void **state)
{
    (void)state;
    uint8_t pixels[] = { 1, 2, 3, 4, 5, 6 };
    const s3svm_image picture = { .width = 2, .height = 1, .channels = 3, .pixels = pixels };
    check(s3svm_photograph_hash(&picture) == UINT64_C(0xcfc5fbea9c3e488a));
    check(sos_hash_number(SOS_HASH_START, UINT64_C(0x0807060504030201)) == sos_hash(SOS_HASH_START, "\1\2\3\4\5\6\7\10", 8));
}

static size_t part_of(const s3svm_parts *p, size_t place)
{
    return place < p->train ? 0 : place < p->train + p->validation ? 1 : 2;
}

/* Permutations with parts as large as asked for, in which each photograph is in one part; or there is no room for one. */
static void photographs_stay_on_one_side_of_splits(void **state)
{
    (void)state;
    size_t refused = 0, mixed = 0;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        size_t photograph[MOST], order[MOST], place[MOST], sizes[MOST] = { 0 }, largest = 0;
        bool seen[MOST] = { false };
        s3svm_parts parts;
        sos_error error;
        const size_t count = photographs_draw(&r, photograph);
        const uint64_t seed = sos_random_bits(&r), split = sos_random_below(&r, 10);
        check_ok(s3svm_parts_usual(count, 0, 0, &parts, &error), error);
        for (size_t i = 0; i < count; i++)
            if (++sizes[photograph[i]] > largest) largest = sizes[photograph[i]];
        const sos_status status = s3svm_photographs_split(&parts, photograph, seed, split, order, &error);
        refused += status != SOS_OK;
        if (status) {
            check(status == SOS_ERR_ARGUMENT && largest > 1 && strstr(error.message, "same photograph"));
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            check(order[k] < count && !seen[order[k]]);
            seen[order[k]] = true;
            place[order[k]] = k;
        }
        for (size_t i = 0; i < count; i++) {
            check(part_of(&parts, place[i]) == part_of(&parts, place[photograph[i]]));
            mixed += photograph[i] != i;
        }
    }
    check(mixed > 2 * test_cases(500) && refused < test_cases(500) / 2);
}

/* Splits of folders without duplicates are those of s3svm_split, and folds those of i % folds. */
static void nothing_changes_where_all_photographs_differ(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        size_t photograph[MOST], order[MOST], plain[MOST], fold[MOST];
        s3svm_parts parts;
        sos_error error;
        const size_t count = 3 + (size_t)sos_random_below(&r, MOST - 2), folds = 2 + (size_t)sos_random_below(&r, 5);
        const uint64_t seed = sos_random_bits(&r), split = sos_random_bits(&r);
        for (size_t i = 0; i < count; i++) photograph[i] = i;
        check_ok(s3svm_parts_usual(count, 0, 0, &parts, &error), error);
        check_ok(s3svm_photographs_split(&parts, photograph, seed, split, order, &error), error);
        s3svm_split(count, seed, split, plain);
        check(!memcmp(order, plain, count * sizeof *order));
        check_ok(s3svm_photographs_fold(count, photograph, folds, fold, &error), error);
        for (size_t i = 0; i < count; i++) check(fold[i] == i % folds);
    }
}

static void photographs_stay_in_one_fold(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        size_t photograph[MOST], fold[MOST], sizes[8] = { 0 };
        sos_error error;
        const size_t count = photographs_draw(&r, photograph), folds = 2 + (size_t)sos_random_below(&r, 5);
        check_ok(s3svm_photographs_fold(count, photograph, folds, fold, &error), error);
        for (size_t i = 0; i < count; i++) {
            check(fold[i] < folds && fold[i] == fold[photograph[i]]);
            sizes[fold[i]] += photograph[i] == i;
        }
        for (size_t k = 1; k < folds; k++) check(sizes[0] >= sizes[k] && sizes[0] - sizes[k] <= 1);
    }
}

/* A picture of two colours, one pixel of which may differ. */
static void picture_write(const char *path, size_t width, size_t height, uint8_t odd)
{
    s3svm_image p;
    sos_error error;
    check_ok(s3svm_image_create(width, height, 3, &p, &error), error);
    memset(p.pixels, 90, 3 * width * height);
    p.pixels[7] = odd;
    check_ok(s3svm_image_write(&p, path, &error), error);
    s3svm_image_free(&p);
}

static void labels_write(const char *path, size_t width, size_t height, uint8_t value)
{
    s3svm_image p;
    sos_error error;
    check_ok(s3svm_image_create(width, height, 1, &p, &error), error);
    memset(p.pixels, 0, width * height);
    p.pixels[value] = 255;
    check_ok(s3svm_image_write(&p, path, &error), error);
    s3svm_image_free(&p);
}

/* However their files are called and encoded; labels, which differ, do not count. */
static void pixels_alone_make_a_photograph(void **state)
{
    (void)state;
    static const struct {
        const char *name, *kind;
        size_t width, height;
        uint8_t odd;
        size_t same;
    } FILES[] = {
        { "apple", "png", 8, 6, 1, 0 }, { "bear", "ppm", 8, 6, 1, 0 }, { "cat", "png", 6, 8, 1, 2 },
        { "dog", "png", 8, 6, 2, 3 },   { "egg", "ppm", 8, 6, 2, 3 },  { "fox", "png", 8, 6, 1, 0 },
    };
    enum { COUNT = sizeof FILES / sizeof *FILES };
    char path[400];
    s3svm_dataset d;
    sos_error error;
    size_t photograph[COUNT];
    check_ok(sos_folder_create(scratch("data"), &error), error);
    check_ok(sos_folder_create(scratch("data/images"), &error), error);
    check_ok(sos_folder_create(scratch("data/labels"), &error), error);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(path, sizeof path, "data/images/%s.%s", FILES[i].name, FILES[i].kind);
        picture_write(scratch(path), FILES[i].width, FILES[i].height, FILES[i].odd);
        snprintf(path, sizeof path, "data/labels/%s.png", FILES[i].name);
        labels_write(scratch(path), FILES[i].width, FILES[i].height, (uint8_t)i);
    }
    check_ok(s3svm_dataset_open(scratch("data"), S3SVM_IMAGES_REQUIRED, false, &d, &error), error);
    check_ok(s3svm_dataset_photographs(&d, photograph, &error), error);
    for (size_t i = 0; i < COUNT; i++) {
        check(photograph[i] == FILES[i].same);
        check(!remove(d.items[i].image) && !remove(d.items[i].labels));
    }
    s3svm_dataset_free(&d);
    check(!remove(scratch("data/images")) && !remove(scratch("data/labels")) && !remove(scratch("data")));
}

/* The photographs of the paper's experiment all differ, so that its five splits are what they were. */
static void splits_of_interactive_are_what_they_were(void **state)
{
    (void)state;
    enum { COUNT = 151 };
    s3svm_dataset d;
    sos_error error;
    size_t photograph[COUNT], order[COUNT], plain[COUNT];
    const char *shared = getenv("SOS_SHARED_DIR");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/data/interactive", shared ? shared : "../shared");
    if (!sos_path_is_folder(folder)) skip();
    check_ok(s3svm_dataset_open(folder, S3SVM_IMAGES_REQUIRED, false, &d, &error), error);
    check(d.count == COUNT);
    check_ok(s3svm_dataset_photographs(&d, photograph, &error), error);
    check(s3svm_photographs_count(COUNT, photograph) == COUNT);
    s3svm_parts parts;
    check_ok(s3svm_parts_usual(COUNT, 0, 0, &parts, &error), error);
    for (uint64_t split = 0; split < 5; split++) {
        check_ok(s3svm_photographs_split(&parts, photograph, 1, split, order, &error), error);
        s3svm_split(COUNT, 1, split, plain);
        check(!memcmp(order, plain, sizeof order));
    }
    s3svm_dataset_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_with_the_same_hash_are_one_photograph),
        cmocka_unit_test(a_photograph_has_the_same_hash_on_every_machine),
        cmocka_unit_test(photographs_stay_on_one_side_of_splits),
        cmocka_unit_test(nothing_changes_where_all_photographs_differ),
        cmocka_unit_test(photographs_stay_in_one_fold),
        cmocka_unit_test(pixels_alone_make_a_photograph),
        cmocka_unit_test(splits_of_interactive_are_what_they_were),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
