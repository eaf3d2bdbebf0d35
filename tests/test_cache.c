#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* setenv, truncate */
#endif

/* test_cache.c - what is kept is found by its key, and by nothing else; what was damaged is not. */
#include "scratch.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasks/cache.h"

/* ---- keys ---- */

/* Every difference in what a key is made of, however it is cut into pieces, makes another key. */
static void keys_tell_all_input_apart(void **state)
{
    (void)state;
    s3svm_cache_key keys[6];
    keys[0] = s3svm_cache_key_of("ab", 1);
    keys[1] = s3svm_cache_key_of("ab", 2);
    keys[2] = s3svm_cache_key_of("a", 1);
    s3svm_cache_key_add(&keys[2], "b", 1);
    keys[3] = s3svm_cache_key_of("a", 1);
    s3svm_cache_key_add(&keys[3], "", 0);
    keys[4] = keys[3];
    s3svm_cache_key_add(&keys[4], "", 0);
    keys[5] = keys[3];
    s3svm_cache_key_add_number(&keys[5], 0);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < i; k++) check(keys[i].parts[0] != keys[k].parts[0] && keys[i].parts[1] != keys[k].parts[1]);
    const s3svm_cache_key again = s3svm_cache_key_of("ab", 1);
    check(!memcmp(&again, &keys[0], sizeof again));
}

static void a_changed_bit_changes_both_parts(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        uint8_t data[100];
        const size_t n = 1 + (size_t)sos_random_below(&r, sizeof data);
        for (size_t i = 0; i < n; i++) data[i] = (uint8_t)sos_random_below(&r, 256);
        s3svm_cache_key a = s3svm_cache_key_of("bits", 1), b = a;
        s3svm_cache_key_add(&a, data, n);
        data[sos_random_below(&r, n)] ^= (uint8_t)(1U << sos_random_below(&r, 8));
        s3svm_cache_key_add(&b, data, n);
        check(a.parts[0] != b.parts[0] && a.parts[1] != b.parts[1]);
    }
}

/* ---- keeping ---- */

static void what_is_kept_is_found(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        const size_t n = (size_t)sos_random_below(&r, 3000);
        uint8_t data[3000], found[3000];
        for (size_t i = 0; i < n; i++) data[i] = (uint8_t)sos_random_below(&r, 256);
        s3svm_cache_key key = s3svm_cache_key_of("kept", c), other = s3svm_cache_key_of("other", c);
        check(!s3svm_cache_find(scratch_folder(), &key, found, n));
        s3svm_cache_keep(scratch_folder(), &key, data, n);
        check(s3svm_cache_find(scratch_folder(), &key, found, n) && !memcmp(data, found, n));
        check(!s3svm_cache_find(scratch_folder(), &other, found, n));
        check(!s3svm_cache_find(scratch_folder(), &key, found, n + 1));
        check(!n || !s3svm_cache_find(scratch_folder(), &key, found, n - 1));
        s3svm_cache_keep(scratch_folder(), &key, data, n); /* again is fine */
        check(s3svm_cache_find(scratch_folder(), &key, found, n));
    }
    check(scratch_count() == test_cases(30)); /* nothing temporary is left */
}

static size_t damage_at;

static void file_damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    check(file && !fseek(file, (long)damage_at, SEEK_SET));
    const int byte = getc(file);
    check(byte != EOF && !fseek(file, (long)damage_at, SEEK_SET) && putc(byte ^ 4, file) != EOF && !fclose(file));
}

static void file_shorten(const char *path) { check(!truncate(path, (off_t)damage_at)); }

/* Whatever byte is wrong, and wherever the file ends too early. */
static void damaged_files_are_not_found(void **state)
{
    (void)state;
    const uint8_t data[20] = { 1, 2, 3 };
    uint8_t found[20];
    const s3svm_cache_key key = s3svm_cache_key_of("damaged", 1);
    s3svm_cache_keep(scratch_folder(), &key, data, sizeof data);
    enum { BYTES = 8 + 16 + 16 + 20 };
    for (damage_at = 0; damage_at < BYTES; damage_at++) {
        scratch_each(file_damage);
        check(!s3svm_cache_find(scratch_folder(), &key, found, sizeof found));
        scratch_each(file_damage); /* the same bit: whole again */
        check(s3svm_cache_find(scratch_folder(), &key, found, sizeof found));
    }
    for (damage_at = BYTES; damage_at-- > 0;) {
        scratch_each(file_shorten);
        check(!s3svm_cache_find(scratch_folder(), &key, found, sizeof found));
    }
    s3svm_cache_keep(scratch_folder(), &key, data, sizeof data); /* replaced by a whole one */
    check(s3svm_cache_find(scratch_folder(), &key, found, sizeof found) && !memcmp(found, data, sizeof data));
}

static void without_a_folder_nothing_is_kept(void **state)
{
    (void)state;
    char byte = 1;
    const s3svm_cache_key key = s3svm_cache_key_of("nothing", 1);
    s3svm_cache_keep(NULL, &key, &byte, 1);
    check(!s3svm_cache_find(NULL, &key, &byte, 1));
    s3svm_cache_keep("/no/such/folder", &key, &byte, 1);
    check(!s3svm_cache_find("/no/such/folder", &key, &byte, 1));
}

/* ---- folders ---- */

static void the_usual_folder_is_that_of_the_environment(void **state)
{
    (void)state;
    check(!setenv("XDG_CACHE_HOME", "/some/where", 1) && !setenv("HOME", "/home/me", 1));
    char *usual = s3svm_cache_usual();
    check(usual && !strcmp(usual, "/some/where/s3svm"));
    free(usual);
    check(!setenv("XDG_CACHE_HOME", "relative", 1)); /* which the standard says to pass over */
    usual = s3svm_cache_usual();
    check(usual && !strcmp(usual, "/home/me/.cache/s3svm"));
    free(usual);
    check(!unsetenv("XDG_CACHE_HOME") && !unsetenv("HOME"));
    check(!s3svm_cache_usual());
}

static void folders_are_made_or_refused(void **state)
{
    (void)state;
    char path[128];
    sos_error error;
    snprintf(path, sizeof path, "%s/deep/er", scratch_folder());
    check_ok(s3svm_cache_open(path, &error), error);
    check_ok(s3svm_cache_open(path, &error), error);
    check(!rmdir(path));
    snprintf(path, sizeof path, "%s/deep", scratch_folder());
    check(!rmdir(path));
    snprintf(path, sizeof path, "%s/file", scratch_folder());
    FILE *file = fopen(path, "w");
    check(file && !fclose(file));
    check_error(s3svm_cache_open(path, &error), SOS_ERR_IO, error, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_tell_all_input_apart),
        cmocka_unit_test(a_changed_bit_changes_both_parts),
        cmocka_unit_test_setup_teardown(what_is_kept_is_found, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(damaged_files_are_not_found, scratch_make, scratch_remove),
        cmocka_unit_test(without_a_folder_nothing_is_kept),
        cmocka_unit_test(the_usual_folder_is_that_of_the_environment),
        cmocka_unit_test_setup_teardown(folders_are_made_or_refused, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
