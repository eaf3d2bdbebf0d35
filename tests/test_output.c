/* test_output.c - files that appear whole or not at all: where links lead, and what killed runs leave behind. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "scratch.h"
#include "support.h"

static sos_status write_text(const char *path, const char *text, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    fputs(text, o.file);
    return sos_output_commit(&o);
}

static bool holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    if (!file) return false;
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    return !strcmp(found, text);
}

static bool is_link(const char *path)
{
    struct stat found;
    return !lstat(path, &found) && S_ISLNK(found.st_mode);
}

static void check_made_through(const char *link, const char *target)
{
    char from[300], to[300];
    snprintf(from, sizeof from, "%s/%s", scratch_folder(), link);
    snprintf(to, sizeof to, "%s/%s", scratch_folder(), target);
    sos_error error;
    check(is_link(from) && access(to, F_OK));
    check_ok(write_text(from, "first", &error), error);
    check(is_link(from) && !is_link(to) && holds(to, "first"));
    check_ok(write_text(from, "second", &error), error);
    check(is_link(from) && !is_link(to) && holds(to, "second"));
}

static void a_link_that_leads_nowhere_is_followed(void **state)
{
    (void)state;
    scratch_clear();
    check(!symlink("made", scratch("relative")));
    check_made_through("relative", "made");
    check(!symlink(scratch("made too"), scratch("absolute")));
    check_made_through("absolute", "made too");
    check(!symlink("third", scratch("second")) && !symlink("second", scratch("first")));
    check_made_through("first", "third");
    check(is_link(scratch("second")));
    assert_int_equal(scratch_count(), 7); /* four links, three files, nothing temporary */
}

static void a_link_that_cannot_be_followed_stays(void **state)
{
    (void)state;
    scratch_clear();
    sos_error error;
    check(!symlink("b", scratch("a")) && !symlink("a", scratch("b")) && !symlink("no/such/folder/x", scratch("c")));
    check_error(write_text(scratch("a"), "x", &error), SOS_ERR_IO, error, "cannot write");
    check_error(write_text(scratch("c"), "x", &error), SOS_ERR_IO, error, "cannot write");
    check(is_link(scratch("a")) && is_link(scratch("b")) && is_link(scratch("c")));
    assert_int_equal(scratch_count(), 3);
}

/* A process that has ended, and its number. */
static pid_t ended_process(void)
{
    const pid_t child = fork();
    if (!child) _exit(0);
    int outcome;
    check(child > 0 && waitpid(child, &outcome, 0) == child);
    return child;
}

static void put(const char *name)
{
    FILE *file = fopen(scratch(name), "w");
    assert_non_null(file);
    fclose(file);
}

static bool is_there(const char *name)
{
    struct stat found;
    return !lstat(scratch(name), &found);
}

static void what_a_killed_run_left_is_removed_by_the_next(void **state)
{
    (void)state;
    scratch_clear();
    const pid_t child = fork();
    if (!child) {
        sos_output o;
        if (!sos_output_open(&o, scratch("model"), NULL)) {
            fputs("half of", o.file);
            fflush(o.file);
        }
        raise(SIGKILL);
    }
    int outcome;
    check(child > 0 && waitpid(child, &outcome, 0) == child && WIFSIGNALED(outcome));
    char left[64];
    snprintf(left, sizeof left, "model.%ld-0.tmp", (long)child);
    check(is_there(left) && !is_there("model"));
    sos_error error;
    check_ok(write_text(scratch("other"), "x", &error), error);
    check(is_there(left)); /* of another path */
    check_ok(write_text(scratch("model"), "whole", &error), error);
    check(!is_there(left) && holds(scratch("model"), "whole"));
    assert_int_equal(scratch_count(), 2);
}

static void nothing_else_is_removed(void **state)
{
    (void)state;
    scratch_clear();
    const long gone = (long)ended_process();
    char names[12][80];
    size_t count = 0;
    snprintf(names[count++], 80, "m.%ld-0.tmp", (long)getppid()); /* of a living process */
    snprintf(names[count++], 80, "m.%ld-7.tmp", (long)getpid());
    snprintf(names[count++], 80, "m.1-0.tmp");
    snprintf(names[count++], 80, "mm.%ld-0.tmp", gone);
    snprintf(names[count++], 80, "m.x.%ld-0.tmp", gone);
    snprintf(names[count++], 80, "m.%ld-0.tmp.old", gone);
    snprintf(names[count++], 80, "m.%ld-.tmp", gone);
    snprintf(names[count++], 80, "m.%ld-0.txt", gone);
    snprintf(names[count++], 80, "m.0%ld-0.tmp", gone);
    snprintf(names[count++], 80, "m.-%ld-0.tmp", gone);
    snprintf(names[count++], 80, "m.99999999999999999999-0.tmp");
    for (size_t i = 0; i < count; i++) put(names[i]);
    snprintf(names[count], 80, "m.%ld-1.tmp", gone); /* a link is nobody's temporary file */
    check(!symlink("elsewhere", scratch(names[count++])));
    sos_error error;
    check_ok(write_text(scratch("m"), "x", &error), error);
    for (size_t i = 0; i < count; i++)
        if (!is_there(names[i])) test_fail(__FILE__, __LINE__, "'%s' is gone", names[i]);
    assert_int_equal(scratch_count(), count + 1);
}

/* Also where the path says no folder, and where it is the target of a link. */
static void they_are_found_beside_the_file_itself(void **state)
{
    (void)state;
    scratch_clear();
    char left[64], before[1024];
    snprintf(left, sizeof left, "target.%ld-12.tmp", (long)ended_process());
    sos_error error;
    check(getcwd(before, sizeof before) && !chdir(scratch_folder()));
    put(left);
    check_ok(write_text("target", "x", &error), error);
    check(!is_there(left));
    put(left);
    check(!symlink("target", "link"));
    check_ok(write_text("link", "y", &error), error);
    check(!is_there(left) && holds("target", "y"));
    check(!chdir(before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_that_leads_nowhere_is_followed),         cmocka_unit_test(a_link_that_cannot_be_followed_stays),
        cmocka_unit_test(what_a_killed_run_left_is_removed_by_the_next), cmocka_unit_test(nothing_else_is_removed),
        cmocka_unit_test(they_are_found_beside_the_file_itself),
    };
    return cmocka_run_group_tests_name("output", tests, scratch_make, scratch_remove);
}
