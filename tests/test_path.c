/* test_path.c - parts of paths, and whether two names are one file. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "scratch.h"
#include "support.h"

static void check_text(char *made, const char *wanted)
{
    assert_non_null(made);
    assert_string_equal(made, wanted);
    free(made);
}

static void test_parts_of_paths(void **state)
{
    (void)state;
    static const char *const parts[][4] = {
        /* path, folder, name, stem */
        { "a", ".", "a", "a" },
        { "a.png", ".", "a.png", "a" },
        { "./a.png", ".", "a.png", "a" },
        { "/a.png", "/", "a.png", "a" },
        { "x/y/a.b.png", "x/y", "a.b.png", "a.b" },
        { "x.y/a", "x.y", "a", "a" },
        { "x/.hidden", "x", ".hidden", ".hidden" },
        { "x/", "x", "", "" },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        check_text(sos_path_folder(parts[i][0]), parts[i][1]);
        assert_string_equal(sos_path_name(parts[i][0]), parts[i][2]);
        check_text(sos_path_stem(parts[i][0]), parts[i][3]);
    }
    check_text(sos_path_join("x", "a", ".png"), "x/a.png");
    check_text(sos_path_join("x/", "a", ""), "x/a");
    check_text(sos_path_join("", "a", ""), "a");
    check(sos_path_ends("a.png", ".png") && sos_path_ends("x/a.PnG", ".png"));
    check(!sos_path_ends(".png", ".png") && !sos_path_ends("a.pgm", ".png") && !sos_path_ends("apng", ".png"));
}

static void file_make(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void test_names_of_one_file_meet(void **state)
{
    (void)state;
    char there[512], other[512], twin[512], soft[512], round[512];
    snprintf(there, sizeof there, "%s/there", scratch_folder());
    snprintf(other, sizeof other, "%s/other", scratch_folder());
    snprintf(twin, sizeof twin, "%s/twin", scratch_folder());
    snprintf(soft, sizeof soft, "%s/link", scratch_folder());
    snprintf(round, sizeof round, "%s/./there", scratch_folder());
    assert_true(sos_path_meets(there, round)); /* before either is there */
    assert_false(sos_path_meets(there, other));
    assert_false(sos_path_is_same(there, round));
    file_make(there);
    file_make(other);
    assert_int_equal(link(there, twin), 0);
    assert_int_equal(symlink("there", soft), 0);
    const char *const same[] = { there, round, twin, soft };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_true(sos_path_meets(there, same[i]));
        assert_true(sos_path_is_same(same[i], there));
        assert_false(sos_path_meets(other, same[i]));
    }
    assert_false(sos_path_meets(there, "there"));
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_paths),
        cmocka_unit_test(test_names_of_one_file_meet),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
