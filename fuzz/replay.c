/* replay.c - runs a target without a fuzzer:
 *
 *     fuzz_<what> FILE...      on these files, such as a crash that libFuzzer has found
 *     fuzz_<what> -s FOLDER    writes the inputs that the target makes itself: a corpus for libFuzzer
 *     fuzz_<what>              on those inputs and the files of SOS_FUZZ_CORPUS, then on damaged ones for SOS_FUZZ_SECONDS (1)
 *
 * The damage is that of SOS_TEST_SEED (0).  An input that brings the target down is written to a file, to be replayed. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "fuzz.h"

enum {
    SEEDS_MAX = 64,
    INPUTS_MAX = 1000,        /* with those of a corpus */
    SIZE_MAX_GROWN = 1 << 14, /* an input grows to so many bytes at most */
    DAMAGE_MAX = 6            /* changes of one input */
};

static fuzz_bytes running; /* what the target works on */

/* By the book a handler of signals must not open files, but this program is lost anyway. */
static void input_keep(int number)
{
    const char *path = fuzz_path(".crash");
    FILE *file = fopen(path, "wb");
    if (file && fwrite(running.data, 1, running.size, file) == running.size && !fclose(file))
        fprintf(stderr, "the input is in %s\n", path);
    signal(number, SIG_DFL);
    raise(number);
}

static void run(fuzz_bytes input)
{
    running = input;
    LLVMFuzzerTestOneInput(input.data, input.size);
}

/* ---------------------------------------------------------------- damage */

static void bytes_remove(sos_random *r, fuzz_bytes *b)
{
    const size_t first = (size_t)sos_random_below(r, b->size), most = b->size - first;
    const size_t count = 1 + (size_t)sos_random_below(r, sos_random_below(r, 4) ? (most < 8 ? most : 8) : most);
    memmove(b->data + first, b->data + first + count, b->size - first - count);
    b->size -= count;
}

/* Inserts a part of another input, or of itself. */
static void bytes_insert(sos_random *r, fuzz_bytes from, fuzz_bytes *b)
{
    if (!from.size || b->size >= SIZE_MAX_GROWN) return;
    const size_t first = (size_t)sos_random_below(r, from.size), most = from.size - first;
    const size_t count = 1 + (size_t)sos_random_below(r, most < 64 ? most : 64), at = (size_t)sos_random_below(r, b->size + 1);
    uint8_t *part = fuzz_copy(from.data + first, count), *larger = realloc(b->data, b->size + count);
    fuzz_check(larger != NULL);
    memmove(larger + at + count, larger + at, b->size - at);
    memcpy(larger + at, part, count);
    free(part);
    b->data = larger;
    b->size += count;
}

/* A digit, letter or mark where another one was keeps texts readable for longer than any byte would. */
static void byte_change(sos_random *r, fuzz_bytes *b)
{
    static const char signs[] = "0123456789-+.eE \n,:\"[]{}#aznx";
    static const uint8_t odd[] = { 0, 1, 2, 3, 4, 127, 128, 254, 255 };
    uint8_t *at = b->data + sos_random_below(r, b->size);
    switch (sos_random_below(r, 4)) {
    case 0: *at ^= (uint8_t)(1U << sos_random_below(r, 8)); break;
    case 1: *at = (uint8_t)signs[sos_random_below(r, sizeof signs - 1)]; break;
    case 2: *at = odd[sos_random_below(r, sizeof odd)]; break;
    default: *at = (uint8_t)(*at + (sos_random_below(r, 2) ? 1 : 255));
    }
}

/* A number that is large, or not a number, in place of some bytes. */
static void number_change(sos_random *r, fuzz_bytes *b)
{
    static const char *const numbers[] = {
        "-1", "0", "1e308", "-1e308", "1e-320", "nan", "inf", "4294967296", "18446744073709551615", "99999999999999999999999",
        "0.1"
    };
    const char *number = numbers[sos_random_below(r, sizeof numbers / sizeof *numbers)];
    bytes_insert(r, (fuzz_bytes){ (uint8_t *)(uintptr_t)number, strlen(number) }, b);
}

static fuzz_bytes damaged(sos_random *r, size_t count, const fuzz_bytes seeds[])
{
    const fuzz_bytes seed = seeds[sos_random_below(r, count)];
    fuzz_bytes b = { fuzz_copy(seed.data, seed.size), seed.size };
    for (size_t n = 1 + (size_t)sos_random_below(r, DAMAGE_MAX); n && b.size; n--) {
        switch (sos_random_below(r, 6)) {
        case 0: bytes_remove(r, &b); break;
        case 1: bytes_insert(r, seeds[sos_random_below(r, count)], &b); break;
        case 2: number_change(r, &b); break;
        default: byte_change(r, &b);
        }
    }
    return b;
}

/* ---------------------------------------------------------------- running */

static int files_run(int count, char *paths[])
{
    for (int i = 0; i < count; i++) {
        const fuzz_bytes input = fuzz_file_read(paths[i]);
        if (!input.data) {
            fprintf(stderr, "cannot read '%s'\n", paths[i]);
            return 1;
        }
        run(input);
        free(input.data);
    }
    return 0;
}

static void seeds_write(const char *folder, size_t count, const fuzz_bytes seeds[])
{
    for (size_t i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%.500s/seed-%02zu", folder, i);
        fuzz_file_write(path, seeds[i].data, seeds[i].size);
    }
}

/* Inputs that a fuzzer has found, which reach what those of our own do not; they are damaged, too. */
static size_t corpus_read(size_t most, fuzz_bytes inputs[])
{
    const char *folder = getenv("SOS_FUZZ_CORPUS");
    DIR *files = folder && *folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    size_t count = 0;
    while (files && count < most && (entry = readdir(files))) {
        char path[600];
        snprintf(path, sizeof path, "%.300s/%.255s", folder, entry->d_name);
        if (entry->d_name[0] == '.') continue;
        inputs[count] = fuzz_file_read(path);
        fuzz_check(inputs[count].data != NULL);
        run(inputs[count++]);
    }
    if (files) closedir(files);
    return count;
}

/* An input of our own that is refused tests nothing. */
static void seeds_run(size_t count, const fuzz_bytes seeds[])
{
    for (size_t i = 0; i < count; i++) {
        const size_t before = fuzz_accepted;
        run(seeds[i]);
        if (fuzz_accepted != before || seeds[i].size <= 1) continue;
        fprintf(stderr, "input %zu is refused\n", i);
        abort();
    }
}

static double number_of(const char *variable, double otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtod(text, NULL) : otherwise;
}

static void damage_run(size_t count, const fuzz_bytes seeds[])
{
    const double seconds = number_of("SOS_FUZZ_SECONDS", 1), began = sos_seconds();
    const uint64_t first = (uint64_t)number_of("SOS_TEST_SEED", 0);
    uint64_t runs = 0;
    for (; sos_seconds() - began < seconds; runs++) {
        sos_random r = sos_random_seeded(first + runs);
        const fuzz_bytes input = damaged(&r, count, seeds);
        run(input);
        free(input.data);
    }
    printf("%zu inputs, and %" PRIu64 " damaged ones from seed %" PRIu64 "; %zu were read\n", count, runs, first,
           fuzz_accepted);
}

int main(int argc, char *argv[])
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], input_keep);
    if (argc > 1 && strcmp(argv[1], "-s") != 0) return files_run(argc - 1, argv + 1);
    static fuzz_bytes seeds[INPUTS_MAX];
    size_t count = 0;
    while (count < SEEDS_MAX && fuzz_seed(count, &seeds[count])) count++;
    fuzz_check(count > 0);
    if (argc > 2) seeds_write(argv[2], count, seeds);
    if (argc == 1) seeds_run(count, seeds);
    if (argc == 1) count += corpus_read(INPUTS_MAX - count, seeds + count);
    if (argc == 1) damage_run(count, seeds);
    for (size_t i = 0; i < count; i++) free(seeds[i].data);
    return 0;
}
