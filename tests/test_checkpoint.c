/* test_checkpoint.c - training that is killed at any moment goes on from its checkpoint to the same bytes; a file that is
 * damaged or of something else is refused.
 *
 * What is killed runs in a child process, on one thread: threads do not survive a fork. */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- files ---- */

typedef struct folder {
    char path[256], checkpoint[300], answer[300];
} folder;

static folder sos_folder_create(void)
{
    folder f;
    const char *root = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%s/sos-checkpoint-XXXXXX", root && *root ? root : "/tmp");
    check(mkdtemp(f.path) != NULL);
    snprintf(f.checkpoint, sizeof f.checkpoint, "%s/state", f.path);
    snprintf(f.answer, sizeof f.answer, "%s/answer", f.path);
    return f;
}

/* How many files there are; removed: and takes them away. */
static size_t folder_files(const folder *f, bool removed)
{
    size_t count = 0;
    DIR *list = opendir(f->path);
    check(list != NULL);
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[600];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", f->path, entry->d_name);
        if (removed) check(!remove(path));
        count++;
    }
    closedir(list);
    return count;
}

static void folder_free(const folder *f)
{
    folder_files(f, true);
    check(!rmdir(f->path));
}

static char *bytes_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = test_room(NULL, 1 << 24, 1);
    *length = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

static void bytes_write(const char *path, const char bytes[], size_t length)
{
    FILE *file = fopen(path, "wb");
    check(file != NULL);
    check(fwrite(bytes, 1, length, file) == length);
    check(!fclose(file));
}

/* ---- training, in three ways ---- */

typedef enum way { BY_EXAMPLES, BY_ORACLE, BY_PATH, WAYS } way;

static const double PATH[] = { 0.3, 3, 30 };
enum { PATH_COUNT = sizeof PATH / sizeof *PATH };

static const sos_group GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .patch_width = 2, .patch_height = 2 },
    { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
    { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true, .stiffness = 3 },
    { .name = "share", .kind = SOS_GROUP_COUNT, .size = 4, .shares = (const double[]){ 0, 0.2, 0.7, 1 }, .strengths = 2 },
};

static lesson lesson_of_case(uint64_t number)
{
    sos_random r = test_case_begin(number);
    const sample_recipe wanted = { .n = 9, .pairs = 8, .cliques = 4, .noise = 0.3 };
    return lesson_random(&r, 2, 5, GROUPS, 6, &wanted);
}

static sos_train_settings settings_for(const char *checkpoint)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 30;
    s.gap = 1e-4;
    s.rounds = 400;
    s.work.threads = 1;
    s.checkpoint = checkpoint;
    s.checkpoint_seconds = 0; /* after every round */
    return s;
}

static sos_status train(lesson *l, way how, const sos_train_settings *s, sos_train_result *result, sos_error *error)
{
    const sos_oracle asked = { .examples = l->count, .user = l, .violate = lesson_violate };
    sos_path_point path[PATH_COUNT];
    size_t best;
    if (how == BY_EXAMPLES) return sos_train(l->model, l->count, l->examples, s, result, error);
    if (how == BY_ORACLE) return sos_train_oracle(l->model, &asked, s, result, error);
    const sos_status status = sos_train_path(l->model, l->count, l->examples, 2, l->examples, PATH_COUNT, PATH, s, path, &best,
                                             error);
    if (!status) *result = path[PATH_COUNT - 1].result;
    return status;
}

/* What must be the same however often training was killed. */
typedef struct answer {
    double primal, dual, C;
    size_t round, planes, oracle_calls;
    int outcome;
    double weights[64];
} answer;

/* In the child: trains and leaves its answer. */
static void child(uint64_t number, way how, const folder *f, const char *checkpoint)
{
    lesson l = lesson_of_case(number);
    const sos_train_settings s = settings_for(checkpoint);
    sos_train_result result;
    sos_error error;
    if (train(&l, how, &s, &result, &error)) {
        fprintf(stderr, "training failed: %s\n", error.message);
        _exit(2);
    }
    answer a;
    memset(&a, 0, sizeof a);
    a.primal = result.last.primal;
    a.dual = result.last.dual;
    a.C = result.last.C;
    a.round = result.last.round;
    a.planes = result.last.planes;
    a.oracle_calls = result.last.oracle_calls;
    a.outcome = (int)result.outcome;
    if (l.plan.weights > 64) _exit(3);
    memcpy(a.weights, sos_model_weights(l.model), l.plan.weights * sizeof *a.weights);
    FILE *file = fopen(f->answer, "wb");
    if (!file || fwrite(&a, sizeof a, 1, file) != 1 || fclose(file)) _exit(4);
    lesson_free(&l);
    _exit(0);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_for(double seconds)
{
    const struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
    nanosleep(&t, NULL);
}

/* Runs a child, killed after so many seconds (negative: never).  True: it came to its end. */
static bool run(uint64_t number, way how, const folder *f, const char *checkpoint, double seconds)
{
    const pid_t process = fork();
    check(process >= 0);
    if (!process) child(number, how, f, checkpoint);
    if (seconds >= 0) {
        sleep_for(seconds);
        kill(process, SIGKILL);
    }
    int status;
    check(waitpid(process, &status, 0) == process);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) test_fail(__FILE__, __LINE__, "the child ends with status %d", status);
    return true;
}

static answer answer_read(const folder *f)
{
    answer a;
    FILE *file = fopen(f->answer, "rb");
    check(file != NULL);
    check(fread(&a, sizeof a, 1, file) == 1);
    fclose(file);
    return a;
}

/* ---- killing ---- */

static void killed_and_resumed_training_gives_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(6); number++)
        for (way how = 0; how < WAYS; how++) {
            const folder f = sos_folder_create();
            const double began = now();
            check(run(number, how, &f, NULL, -1));
            const answer wanted = answer_read(&f);
            sos_random r = test_case_begin(number);
            const double whole = 2 * (now() - began) + 0.01; /* checkpoints take time too */
            size_t kills = 0;
            while (kills < 25 && !run(number, how, &f, f.checkpoint, whole * sos_random_uniform(&r))) kills++;
            if (kills == 25) check(run(number, how, &f, f.checkpoint, -1));
            const answer is = answer_read(&f);
            if (memcmp(&is, &wanted, sizeof is) != 0)
                test_fail(__FILE__, __LINE__,
                          "way %d, after %zu kills: %zu rounds, %zu calls, primal %.17g, dual %.17g; without: %zu rounds, %zu "
                          "calls, primal %.17g, dual %.17g",
                          (int)how, kills, is.round, is.oracle_calls, is.primal, is.dual, wanted.round, wanted.oracle_calls,
                          wanted.primal, wanted.dual);
            folder_free(&f);
        }
}

/* ---- stopping, in this process ---- */

typedef struct stopper {
    size_t rounds, stop_at;
} stopper;

static bool stop_after(void *user, const sos_train_round *round)
{
    stopper *s = user;
    (void)round;
    return ++s->rounds != s->stop_at;
}

/* A checkpoint of some rounds. */
static void leave_checkpoint(lesson *l, way how, const char *path, size_t rounds)
{
    stopper at = { 0, rounds };
    sos_train_settings s = settings_for(path);
    s.watch = stop_after;
    s.work.user = &at;
    sos_train_result result;
    sos_error error;
    remove(path);
    check_error(train(l, how, &s, &result, &error), SOS_CANCELLED, error, "stopped");
    check(!result.resumed && result.outcome == SOS_TRAIN_STOPPED && result.last.round == rounds);
}

static void every_round_can_be_the_last_one_before_a_break(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    for (way how = 0; how < BY_PATH; how++) {
        lesson l = lesson_of_case(0);
        const size_t bytes = l.plan.weights * sizeof(double);
        double *wanted = test_room(NULL, bytes, 1);
        sos_train_result whole, result;
        sos_error error;
        sos_train_settings s = settings_for(NULL);
        check_ok(train(&l, how, &s, &whole, &error), error);
        memcpy(wanted, sos_model_weights(l.model), bytes);
        check(whole.last.round > 4 && !whole.resumed);
        s.checkpoint = f.checkpoint;
        for (size_t rounds = 2; rounds < whole.last.round; rounds += 1 + rounds / 4) {
            leave_checkpoint(&l, how, f.checkpoint, rounds);
            check_ok(train(&l, how, &s, &result, &error), error);
            check(result.resumed && result.outcome == whole.outcome && result.zero == whole.zero);
            check(result.last.round == whole.last.round && result.last.oracle_calls == whole.last.oracle_calls);
            check(result.last.primal == whole.last.primal && result.last.dual == whole.last.dual);
            check(!memcmp(sos_model_weights(l.model), wanted, bytes));
            /* What has ended, started once more, ends the same way. */
            check_ok(train(&l, how, &s, &result, &error), error);
            check(!memcmp(sos_model_weights(l.model), wanted, bytes));
        }
        free(wanted);
        lesson_free(&l);
    }
    folder_free(&f);
}

static void threads_may_change_in_between(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(1);
    const size_t bytes = l.plan.weights * sizeof(double);
    double *wanted = test_room(NULL, bytes, 1);
    sos_train_result result;
    sos_error error;
    sos_train_settings s = settings_for(NULL);
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    memcpy(wanted, sos_model_weights(l.model), bytes);
    leave_checkpoint(&l, BY_EXAMPLES, f.checkpoint, 4);
    s.checkpoint = f.checkpoint;
    s.work.threads = 2;
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(result.resumed && !memcmp(sos_model_weights(l.model), wanted, bytes));
    free(wanted);
    lesson_free(&l);
    folder_free(&f);
}

/* ---- ends before the goal ---- */

/* Whatever ends training early leaves a checkpoint, however long it is until the next one, and from there it goes on to the
 * same bytes. */
static void whatever_ends_training_early_leaves_a_checkpoint(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    for (int how = 0; how < 3; how++) {
        lesson l = lesson_of_case(4);
        const size_t bytes = l.plan.weights * sizeof(double);
        double *wanted = test_room(NULL, bytes, 1);
        sos_train_result whole, result;
        sos_error error;
        sos_train_settings s = settings_for(NULL);
        check_ok(train(&l, BY_EXAMPLES, &s, &whole, &error), error);
        memcpy(wanted, sos_model_weights(l.model), bytes);
        check(whole.last.round > 5);

        sos_train_settings early = s;
        stopper at = { 0, 4 };
        early.checkpoint = s.checkpoint = f.checkpoint;
        early.checkpoint_seconds = s.checkpoint_seconds = 1e6;
        remove(f.checkpoint);
        if (how == 0) early.rounds = 4;
        if (how == 1) early.seconds = 1e-9;
        if (how == 2) early.watch = stop_after, early.work.user = &at;
        const sos_status status = train(&l, BY_EXAMPLES, &early, &result, &error);
        check(status == (how == 2 ? SOS_CANCELLED : SOS_OK));
        static const sos_train_outcome OUTCOMES[] = { SOS_TRAIN_ROUNDS, SOS_TRAIN_SECONDS, SOS_TRAIN_STOPPED };
        check(result.outcome == OUTCOMES[how] && folder_files(&f, false) == 1 && !result.checkpoint_error.status);
        if (how == 0) { /* the rounds are used up: once more is the same */
            double *first = test_room(NULL, bytes, 1);
            const sos_train_result before = result;
            memcpy(first, sos_model_weights(l.model), bytes);
            check_ok(train(&l, BY_EXAMPLES, &early, &result, &error), error);
            check(result.resumed && result.outcome == SOS_TRAIN_ROUNDS && result.last.round == 4);
            check(result.last.primal == before.last.primal && !memcmp(first, sos_model_weights(l.model), bytes));
            free(first);
        }
        check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
        check(result.resumed && result.outcome == whole.outcome && result.last.round == whole.last.round);
        check(!memcmp(sos_model_weights(l.model), wanted, bytes));
        folder_files(&f, true);
        free(wanted);
        lesson_free(&l);
    }
    folder_free(&f);
}

/* The seconds are those of a call: what they ended goes on by as much. */
static void seconds_are_those_of_a_call(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(4);
    sos_train_settings s = settings_for(f.checkpoint);
    s.seconds = 1e-9;
    sos_train_result result;
    sos_error error;
    for (size_t call = 1; call < 4; call++) {
        check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
        check(result.outcome == SOS_TRAIN_SECONDS && result.last.round == call);
    }
    lesson_free(&l);
    folder_free(&f);
}

typedef struct failing {
    lesson *l;
    size_t calls, fail_at;
    sos_status status;
} failing;

static sos_status fail_once(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                            sos_error *error)
{
    failing *x = user;
    if (++x->calls != x->fail_at) return lesson_violate(x->l, i, w, difference, loss, missed, error);
    snprintf(error->message, sizeof error->message, "the network is down");
    return error->status = x->status;
}

/* An oracle that fails, or that cancels, in the middle of a round loses nothing of the rounds before. */
static void an_error_leaves_a_checkpoint_too(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(5);
    const size_t bytes = l.plan.weights * sizeof(double);
    double *wanted = test_room(NULL, bytes, 1);
    sos_train_result whole, result;
    sos_error error;
    sos_train_settings s = settings_for(NULL);
    s.slacks = 1;
    failing x = { .l = &l };
    const sos_oracle asked = { .examples = l.count, .user = &x, .violate = fail_once };
    check_ok(sos_train_oracle(l.model, &asked, &s, &whole, &error), error);
    memcpy(wanted, sos_model_weights(l.model), bytes);
    s.checkpoint = f.checkpoint;
    s.checkpoint_seconds = 1e6;
    for (size_t calls = 1; calls < whole.last.oracle_calls; calls += 5) {
        const bool cancels = calls % 2;
        x = (failing){ .l = &l, .fail_at = calls, .status = cancels ? SOS_CANCELLED : SOS_ERR_IO };
        const sos_status status = sos_train_oracle(l.model, &asked, &s, &result, &error);
        check(status == x.status);
        if (cancels) check(result.outcome == SOS_TRAIN_STOPPED && result.last.round == (calls - 1) / l.count);
        if (!cancels) check(strstr(error.message, "the network is down") != NULL);
        check(folder_files(&f, false) == 1);
        check_ok(sos_train_oracle(l.model, &asked, &s, &result, &error), error);
        check(result.resumed && result.last.round == whole.last.round && result.last.primal == whole.last.primal);
        check(!memcmp(sos_model_weights(l.model), wanted, bytes));
        folder_files(&f, true);
    }
    free(wanted);
    lesson_free(&l);
    folder_free(&f);
}

typedef struct disk {
    rlim_t room;       /* bytes that a file may have from round 3 on */
    size_t told, last; /* rounds that said so */
    char words[512];
} disk;

static bool fill_disk(void *user, const sos_train_round *round)
{
    disk *d = user;
    struct rlimit limit;
    if (round->checkpoint_error) {
        d->told++;
        memcpy(d->words, round->checkpoint_error->message, sizeof d->words);
    }
    getrlimit(RLIMIT_FSIZE, &limit);
    if (round->round == 3) limit.rlim_cur = d->room;
    return !setrlimit(RLIMIT_FSIZE, &limit);
}

/* A disk that is full at a checkpoint does not end training: rounds and the result say so, and the weights are the same. */
static void a_full_disk_is_a_warning(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(6);
    const size_t bytes = l.plan.weights * sizeof(double);
    double *wanted = test_room(NULL, bytes, 1);
    sos_train_result whole, result;
    sos_error error;
    sos_train_settings s = settings_for(NULL);
    check_ok(train(&l, BY_EXAMPLES, &s, &whole, &error), error);
    memcpy(wanted, sos_model_weights(l.model), bytes);
    s.checkpoint = f.checkpoint;
    disk d = { .room = 100 };
    s.watch = fill_disk;
    s.work.user = &d;
    struct rlimit limit;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    const sos_status status = train(&l, BY_EXAMPLES, &s, &result, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, before);
    check_ok(status, error);
    check(result.outcome == whole.outcome && result.last.round == whole.last.round && !result.last.checkpoint_error);
    check(!memcmp(sos_model_weights(l.model), wanted, bytes));
    check(d.told == whole.last.round - 3 && strstr(d.words, f.checkpoint));
    check(result.checkpoint_error.status == SOS_ERR_IO && strstr(result.checkpoint_error.message, f.checkpoint));
    check(folder_files(&f, false) == 1); /* that of round 2, whole */
    s = settings_for(f.checkpoint);
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(result.resumed && !result.checkpoint_error.status && !memcmp(sos_model_weights(l.model), wanted, bytes));
    free(wanted);
    lesson_free(&l);
    folder_free(&f);
}

/* ---- the file ---- */

typedef struct observer {
    const folder *f;
    int file; /* the checkpoint of the round before, still open; -1: none yet */
    ino_t number;
    char *bytes;
    size_t length;
    size_t replaced, bad;
} observer;

static bool observe(void *user, const sos_train_round *round)
{
    observer *o = user;
    struct stat is;
    (void)round;
    if (o->file >= 0) { /* whoever has the old file open still reads it, whole */
        char *again = test_room(NULL, o->length, 1);
        const ssize_t length = pread(o->file, again, o->length + 1, 0);
        if (length != (ssize_t)o->length || memcmp(again, o->bytes, o->length) != 0) o->bad++;
        free(again);
    }
    if (!stat(o->f->checkpoint, &is)) {
        if (o->file >= 0 && is.st_ino != o->number) o->replaced++;
        if (o->file >= 0) close(o->file);
        free(o->bytes);
        o->file = open(o->f->checkpoint, O_RDONLY);
        o->number = is.st_ino;
        o->bytes = bytes_read(o->f->checkpoint, &o->length);
    }
    if (folder_files(o->f, false) > (o->file >= 0) + 1) o->bad++; /* the file and its lock: no temporary file stays */
    return true;
}

static void the_file_is_only_ever_replaced_whole(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(2);
    observer o = { .f = &f, .file = -1 };
    sos_train_settings s = settings_for(f.checkpoint);
    s.watch = observe;
    s.work.user = &o;
    sos_train_result result;
    sos_error error;
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(o.bad == 0 && o.replaced >= result.last.round - 3);
    close(o.file);
    free(o.bytes);
    lesson_free(&l);
    folder_free(&f);
}

static void nothing_is_written_before_its_time(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(3);
    sos_train_settings s = settings_for(f.checkpoint);
    s.checkpoint_seconds = 1e6;
    sos_train_result result;
    sos_error error;
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(!result.resumed && folder_files(&f, false) == 0);
    lesson_free(&l);
    folder_free(&f);
}

/* ---- files that are no good ---- */

/* Refused, by name, and the model keeps its weights. */
static void check_refused(lesson *l, const folder *f, const sos_train_settings *s, const char *what, size_t at)
{
    sos_train_result result;
    sos_error error;
    double *before = test_room(NULL, l->plan.weights, sizeof *before);
    memcpy(before, sos_model_weights(l->model), l->plan.weights * sizeof *before);
    const sos_status status = sos_train(l->model, l->count, l->examples, s, &result, &error);
    if (status != SOS_ERR_FORMAT && status != SOS_ERR_ARGUMENT)
        test_fail(__FILE__, __LINE__, "%s at %zu: \"%s\"", what, at, sos_status_name(status));
    if (!strstr(error.message, "checkpoint")) test_fail(__FILE__, __LINE__, "%s at %zu: %s", what, at, error.message);
    check(!memcmp(before, sos_model_weights(l->model), l->plan.weights * sizeof *before));
    check(folder_files(f, false) == 1); /* the file is still there for its owner */
    free(before);
}

static void damaged_checkpoints_are_refused(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(4);
    sos_random r = test_case_begin(4);
    const sos_train_settings s = settings_for(f.checkpoint);
    size_t length = 0;
    leave_checkpoint(&l, BY_EXAMPLES, f.checkpoint, 6);
    char *good = bytes_read(f.checkpoint, &length);
    check(good && length > 100);
    for (size_t left = 0; left < length; left += left < 300 ? 1 : 1 + (size_t)sos_random_below(&r, length / 100)) {
        bytes_write(f.checkpoint, good, left);
        check_refused(&l, &f, &s, "cut", left);
    }
    for (uint64_t flip = 0; flip < test_cases(800); flip++) {
        const size_t at = flip < 300 && flip < length ? flip : (size_t)sos_random_below(&r, length);
        const char bit = (char)(1 << sos_random_below(&r, 8));
        good[at] = (char)(good[at] ^ bit);
        bytes_write(f.checkpoint, good, length);
        check_refused(&l, &f, &s, "flipped", at);
        good[at] = (char)(good[at] ^ bit);
    }
    good = test_room(good, length + 8, 1);
    memset(good + length, 0, 8);
    bytes_write(f.checkpoint, good, length + 8);
    check_refused(&l, &f, &s, "longer", length);
    for (int garbage = 0; garbage < 20; garbage++) {
        const size_t size = (size_t)sos_random_below(&r, length);
        for (size_t i = 0; i < size; i++) good[i] = (char)sos_random_bits(&r);
        bytes_write(f.checkpoint, good, size);
        check_refused(&l, &f, &s, "garbage", size);
    }
    static const char TEXT[] = "variables 12\ncliques 3\n";
    bytes_write(f.checkpoint, TEXT, sizeof TEXT - 1);
    check_refused(&l, &f, &s, "text", 0);
    free(good);
    lesson_free(&l);
    folder_free(&f);
}

static void checkpoints_of_something_else_are_refused(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(5), other = lesson_of_case(6);
    sos_train_settings s = settings_for(f.checkpoint);
    leave_checkpoint(&l, BY_EXAMPLES, f.checkpoint, 5);
    check_refused(&other, &f, &s, "other examples", 0);
    s.C = 31;
    check_refused(&l, &f, &s, "other C", 0);
    s = settings_for(f.checkpoint);
    s.slacks = 3;
    check_refused(&l, &f, &s, "other slacks", 0);
    s = settings_for(f.checkpoint);
    l.count--;
    check_refused(&l, &f, &s, "fewer examples", 0);
    l.count++;

    sos_random r = test_case_begin(7);
    const sample_recipe wanted = { .n = 9, .pairs = 8, .cliques = 4, .noise = 0.3 };
    lesson smaller = lesson_random(&r, 2, 3, GROUPS, 6, &wanted);
    check_refused(&smaller, &f, &s, "other groups", 0);

    /* The truths are the same, but not what they are learned from. */
    sample *changed = &l.samples[2];
    for (size_t i = 0; i < changed->features_count; i++) changed->features[i].value += 0.5;
    sos_example *before = l.examples[2];
    l.examples[2] = sample_build(&l.plan, l.model, changed);
    check_refused(&l, &f, &s, "other features", 0);
    sos_example_free(before);
    lesson_free(&smaller);
    lesson_free(&l);
    lesson_free(&other);
    folder_free(&f);
}

static void places_where_nothing_can_be_written_are_errors(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(8);
    double *before = test_room(NULL, l.plan.weights, sizeof *before);
    memcpy(before, sos_model_weights(l.model), l.plan.weights * sizeof *before);
    char path[400];
    snprintf(path, sizeof path, "%s/missing/state", f.path);
    sos_train_settings s = settings_for(path);
    sos_error error;
    check_error(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_IO, error, "missing/state");
    s.checkpoint = f.path; /* a folder */
    const sos_status status = sos_train(l.model, l.count, l.examples, &s, NULL, &error);
    check(status == SOS_ERR_IO || status == SOS_ERR_FORMAT);
    check(!memcmp(before, sos_model_weights(l.model), l.plan.weights * sizeof *before));
    s.checkpoint = f.checkpoint;
    static const double BAD[] = { -1, NAN };
    for (size_t b = 0; b < 2; b++) {
        s.checkpoint_seconds = BAD[b];
        check_is(sos_train(l.model, l.count, l.examples, &s, NULL, &error), SOS_ERR_ARGUMENT);
    }
    free(before);
    lesson_free(&l);
    folder_free(&f);
}

/* ---- two at once ---- */

typedef struct rival {
    lesson *l;
    const folder *f;
    sos_status status;
    char words[512];
    bool came;
} rival;

/* In the middle of a training another one begins. */
static bool rival_begin(void *user, const sos_train_round *round)
{
    rival *v = user;
    if (round->round != 3) return true;
    sos_error error = { SOS_OK, "" };
    const sos_train_settings s = settings_for(v->f->checkpoint);
    sos_train_result result;
    v->status = train(v->l, BY_EXAMPLES, &s, &result, &error);
    snprintf(v->words, sizeof v->words, "%.500s", error.message);
    v->came = true;
    return true;
}

static void a_checkpoint_is_of_one_training_at_a_time(void **state)
{
    (void)state;
    const folder f = sos_folder_create();
    lesson l = lesson_of_case(3), other = lesson_of_case(3);
    rival v = { .l = &other, .f = &f };
    sos_train_settings s = settings_for(f.checkpoint);
    sos_train_result result;
    sos_error error;
    s.watch = rival_begin;
    s.work.user = &v;
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(v.came && v.status == SOS_ERR_IO && strstr(v.words, f.checkpoint) && strstr(v.words, "in use by another training"));
    char mine[64], lock[320];
    snprintf(mine, sizeof mine, "process %ld", (long)getpid());
    check(strstr(v.words, mine));
    s.watch = NULL; /* what a killed process leaves of a lock is in nobody's way */
    snprintf(lock, sizeof lock, "%s.lock", f.checkpoint);
    bytes_write(lock, "process 1 on nowhere", 20);
    check_ok(train(&l, BY_EXAMPLES, &s, &result, &error), error);
    check(folder_files(&f, false) == 1);
    lesson_free(&l);
    lesson_free(&other);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_and_resumed_training_gives_the_same_bytes), /* first: it forks */
        cmocka_unit_test(every_round_can_be_the_last_one_before_a_break),
        cmocka_unit_test(whatever_ends_training_early_leaves_a_checkpoint),
        cmocka_unit_test(seconds_are_those_of_a_call),
        cmocka_unit_test(an_error_leaves_a_checkpoint_too),
        cmocka_unit_test(a_full_disk_is_a_warning),
        cmocka_unit_test(the_file_is_only_ever_replaced_whole),
        cmocka_unit_test(a_checkpoint_is_of_one_training_at_a_time),
        cmocka_unit_test(nothing_is_written_before_its_time),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(checkpoints_of_something_else_are_refused),
        cmocka_unit_test(places_where_nothing_can_be_written_are_errors),
        cmocka_unit_test(threads_may_change_in_between),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
