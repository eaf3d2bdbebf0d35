/* test_output.c - files that appear whole or not at all: where links lead, and what killed runs leave behind. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* What a file of this name is written as by this process, if no other is there. */
static const char *temporary_name(const char *name)
{
    static char found[256];
    sos_output o;
    sos_error error;
    check_ok(sos_output_open(&o, scratch(name), &error), error);
    snprintf(found, sizeof found, "%s", strrchr(o.temporary, '/') + 1);
    sos_output_abandon(&o);
    return found;
}

/* Another process that opens an output, says so, and waits for its end by a signal. */
static pid_t writer_start(const char *path)
{
    int told[2];
    check(!pipe(told));
    const pid_t child = fork();
    if (!child) {
        sos_output o;
        if (!sos_output_open(&o, path, NULL)) {
            fputs("half of", o.file);
            fflush(o.file);
        }
        if (write(told[1], "x", 1) == 1) pause();
        _exit(1);
    }
    char word;
    close(told[1]);
    check(child > 0 && read(told[0], &word, 1) == 1);
    close(told[0]);
    return child;
}

static void writer_kill(pid_t child)
{
    int outcome;
    check(!kill(child, SIGKILL) && waitpid(child, &outcome, 0) == child && WIFSIGNALED(outcome));
}

static void what_a_killed_run_left_is_removed_by_the_next(void **state)
{
    (void)state;
    scratch_clear();
    writer_kill(writer_start(scratch("model")));
    check(!is_there("model"));
    assert_int_equal(scratch_count(), 1);
    sos_error error;
    check_ok(write_text(scratch("other"), "x", &error), error);
    assert_int_equal(scratch_count(), 2); /* what is left is of another path */
    check_ok(write_text(scratch("model"), "whole", &error), error);
    check(holds(scratch("model"), "whole"));
    assert_int_equal(scratch_count(), 2);
}

/* Whatever numbers processes have: a lock tells.  Here the other one could be in another container, or be stopped. */
static void what_is_being_written_stays(void **state)
{
    (void)state;
    scratch_clear();
    const pid_t child = writer_start(scratch("model"));
    check(!kill(child, SIGSTOP));
    char made[256], named[256]; /* by a number that no process here has */
    snprintf(made, sizeof made, "%s", temporary_name("model"));
    snprintf(named, sizeof named, "%.14s-99999999-0.tmp", made);
    snprintf(made + 14, sizeof made - 14, "-%ld-0.tmp", (long)child);
    check(is_there(made) && !rename(scratch(made), scratch(named)));
    sos_error error;
    check_ok(write_text(scratch("model"), "mine", &error), error);
    check(is_there(named));
    assert_int_equal(scratch_count(), 2);
    sos_output first, second; /* of one process, too */
    check_ok(sos_output_open(&first, scratch("model"), &error), error);
    check_ok(sos_output_open(&second, scratch("model"), &error), error);
    assert_int_equal(scratch_count(), 4);
    fputs("second", second.file);
    check_ok(sos_output_commit(&second), error);
    fputs("first", first.file);
    check_ok(sos_output_commit(&first), error);
    check(holds(scratch("model"), "first"));
    writer_kill(child);
    check_ok(write_text(scratch("model"), "mine", &error), error);
    assert_int_equal(scratch_count(), 1);
}

static void age(const char *name, long seconds)
{
    const struct timespec then = { .tv_sec = time(NULL) - seconds }, times[2] = { then, then };
    check(!utimensat(AT_FDCWD, scratch(name), times, 0));
}

/* Of another machine, whose locks may not be seen here: by their age. */
static void those_of_other_machines_stay_for_a_day(void **state)
{
    (void)state;
    scratch_clear();
    char other[256], old[256];
    snprintf(other, sizeof other, "%s", temporary_name("m"));
    other[2] = other[2] == 'a' ? 'b' : 'a';
    snprintf(old, sizeof old, "%s", other);
    old[3] = old[3] == 'a' ? 'b' : 'a';
    put(other);
    put(old);
    age(other, 3600);
    age(old, 2 * 86400);
    sos_error error;
    check_ok(write_text(scratch("m"), "x", &error), error);
    check(is_there(other) && !is_there(old));
}

static void nothing_else_is_removed(void **state)
{
    (void)state;
    scratch_clear();
    char host[16], names[14][80];
    size_t count = 0;
    snprintf(host, sizeof host, "%.8s", temporary_name("m") + 2);
    snprintf(names[count++], 80, "mm.%s-7-0.tmp", host);
    snprintf(names[count++], 80, "m.x.%s-7-0.tmp", host);
    snprintf(names[count++], 80, "m.%s-7-0.tmp.old", host);
    snprintf(names[count++], 80, "m.%s-7-.tmp", host);
    snprintf(names[count++], 80, "m.%s--0.tmp", host);
    snprintf(names[count++], 80, "m.%s-7-0.txt", host);
    snprintf(names[count++], 80, "m.0%s-7-0.tmp", host);
    snprintf(names[count++], 80, "m.%s7-0.tmp", host);
    snprintf(names[count++], 80, "m.7-0.tmp");
    snprintf(names[count++], 80, "m.-7-0.tmp");
    for (size_t i = 0; i < count; i++) put(names[i]);
    for (size_t i = 0; i < count; i++) age(names[i], 2 * 86400);
    snprintf(names[count], 80, "m.%s-7-1.tmp", host); /* a link and a pipe are nobody's temporary files */
    check(!symlink("mm", scratch(names[count++])));
    snprintf(names[count], 80, "m.%s-7-2.tmp", host);
    check(!mkfifo(scratch(names[count++]), 0666));
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
    char left[256], before[1024];
    snprintf(left, sizeof left, "%s", temporary_name("target"));
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

/* What a stream knows by the time that it is flushed differs: a large block goes past its buffer, many small ones do not. */
static void check_failure(const char *path, size_t block, const char *reason)
{
    static const char zeros[1 << 20];
    sos_output o;
    sos_error error;
    check_ok(sos_output_open(&o, path, &error), error);
    for (size_t at = 0; at + block <= sizeof zeros; at += block) fwrite(zeros + at, 1, block, o.file);
    check_error(sos_output_commit(&o), SOS_ERR_IO, error, reason);
    check(strstr(error.message, path));
}

/* Files that may not grow so far stand for a disk that is full: what tells the reason is the same. */
static void what_cannot_be_written_leaves_nothing_and_says_why(void **state)
{
    (void)state;
    scratch_clear();
    struct rlimit before, small;
    check(!getrlimit(RLIMIT_FSIZE, &before));
    small = before;
    small.rlim_cur = 100000;
    check(!setrlimit(RLIMIT_FSIZE, &small) && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    const size_t blocks[] = { 1, 1000, 4096, 1 << 16, 1 << 20 };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) check_failure(scratch("large"), blocks[i], strerror(EFBIG));
    check(!setrlimit(RLIMIT_FSIZE, &before));
    assert_int_equal(scratch_count(), 0);
    if (access("/dev/full", W_OK)) return;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) check_failure("/dev/full", blocks[i], strerror(ENOSPC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_that_leads_nowhere_is_followed),
        cmocka_unit_test(a_link_that_cannot_be_followed_stays),
        cmocka_unit_test(what_a_killed_run_left_is_removed_by_the_next),
        cmocka_unit_test(what_is_being_written_stays),
        cmocka_unit_test(those_of_other_machines_stay_for_a_day),
        cmocka_unit_test(nothing_else_is_removed),
        cmocka_unit_test(they_are_found_beside_the_file_itself),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing_and_says_why),
    };
    return cmocka_run_group_tests_name("output", tests, scratch_make, scratch_remove);
}
