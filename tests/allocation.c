/* allocation.c - allocations that fail, and the functions that were called under it. */
#define _POSIX_C_SOURCE 200809L
#include "allocation.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block) __attribute__((weak)); /* missing where free is not wrapped */
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
char *__real_realpath(const char *path, char *resolved);
FILE *__real_open_memstream(char **text, size_t *length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
char *__wrap_realpath(const char *path, char *resolved);
FILE *__wrap_open_memstream(char **text, size_t *length);

bool allocation_armed;
static bool lasting;   /* fail from then on, not just once */
static long countdown; /* allocations that still succeed */
long allocation_failures;
static long seen_calls; /* allocations while allocation_armed */

static bool fails(void)
{
    if (!allocation_armed) return false;
    seen_calls++;
    if (countdown-- > 0) return false;
    if (countdown < -1 && !lasting) return false;
    allocation_failures++;
    errno = ENOMEM;
    return true;
}

static long live; /* blocks taken and not freed */

static void *taken(void *block)
{
    if (block) live++;
    return block;
}

/* What was not set is no label, and looks like none. */
void *__wrap_malloc(size_t size)
{
    void *block = fails() ? NULL : taken(__real_malloc(size));
    return block ? memset(block, 0xa5, size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : taken(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : taken(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails()) return NULL;
    void *block = __real_realloc(old, size);
    if (!old && block) live++;
    return block;
}

void __wrap_free(void *block)
{
    if (block) live--;
    __real_free(block);
}

/* What libc allocates for its callers to free. */
char *__wrap_strdup(const char *text) { return fails() ? NULL : taken(__real_strdup(text)); }
char *__wrap_strndup(const char *text, size_t length) { return fails() ? NULL : taken(__real_strndup(text, length)); }
char *__wrap_realpath(const char *path, char *resolved) { return fails() ? NULL : taken(__real_realpath(path, resolved)); }
FILE *__wrap_open_memstream(char **text, size_t *length)
{
    FILE *file = fails() ? NULL : __real_open_memstream(text, length);
    if (file) live++; /* the text, which is there when the stream is closed */
    return file;
}

/* ---- every allocation in turn ---- */

/* With allocation n failing, and all after it if `all`; true if there was one. */
static bool check_allocation(void (*scenario)(uint64_t), uint64_t c, long n, bool all)
{
    const long before = live;
    lasting = all;
    countdown = n;
    allocation_failures = seen_calls = 0;
    scenario(c);
    check(seen_calls > 0); /* else the library's calls do not come by here */
    if (__real_free && live != before)
        test_fail(__FILE__, __LINE__, "with allocation %ld failing, %ld blocks are lost", n, live - before);
    return allocation_failures;
}

/* Sanitizers are slow: with them every second one fails alone, the others with all after them. */
enum { WAYS_APART = SANITIZED ? 2 : 1 };

void check_every_allocation(void (*scenario)(uint64_t), uint64_t c)
{
    for (int way = 0; way < 2; way++)
        for (long n = way * (WAYS_APART - 1); check_allocation(scenario, c, n, way); n += WAYS_APART) continue;
}

/* Of a scenario that takes too long for all of them. */
void check_last_allocations(void (*scenario)(uint64_t), uint64_t c, long count)
{
    check(!check_allocation(scenario, c, LONG_MAX, false));
    const long all = seen_calls;
    for (long n = all > count ? all - count : 0; n < all; n++) check(check_allocation(scenario, c, n, false));
}

/* As many, of all, evenly spread from a first one that the seed says; in turns alone and with all after them. */
void check_some_allocations(void (*scenario)(uint64_t), uint64_t c, long count)
{
    check(!check_allocation(scenario, c, LONG_MAX, false));
    const long all = seen_calls, wanted = SANITIZED ? (count + 3) / 4 : count, step = all > wanted ? all / wanted : 1;
    sos_random r = test_case_begin(c);
    long way = 0;
    for (long n = (long)sos_random_below(&r, (uint64_t)step); n < all; n += step)
        check_allocation(scenario, c, n, way++ & 1); /* some make fewer where one has failed */
}

/* ---- which functions were attempted ---- */

enum { NAMES_MAX = 600, NAME_MAX_LENGTH = 80 };
static char noted[NAMES_MAX][NAME_MAX_LENGTH];
static size_t noted_count;

static bool is_noted(const char *name)
{
    for (size_t i = 0; i < noted_count; i++)
        if (!strcmp(noted[i], name)) return true;
    return false;
}

void allocation_note(const char *call)
{
    char name[NAME_MAX_LENGTH];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(call, "("), call);
    if (is_noted(name)) return;
    check(noted_count < NAMES_MAX);
    memcpy(noted[noted_count++], name, sizeof name);
}

/* Whether a declaration is of a function that can fail, and its name. */
static bool declaration_can_fail(const char *text, char name[NAME_MAX_LENGTH])
{
    const char *open = strchr(text, '('), *from = open;
    if (!open || !strstr(open, "sos_error *error")) return false;
    while (from > text && (isalnum((unsigned char)from[-1]) || from[-1] == '_')) from--;
    snprintf(name, NAME_MAX_LENGTH, "%.*s", (int)(open - from), from);
    return *name;
}

/* Functions that fail for want of something else than memory, whatever there is: the name of a card. */
static bool is_excused(const char *name) { return !strcmp(name, "sos_card_name"); }

static size_t header_check(char *text)
{
    size_t missing = 0;
    for (char *at = strstr(text, "SOS_API "), *end; at && (end = strchr(at, ';')); at = strstr(end + 1, "SOS_API ")) {
        char name[NAME_MAX_LENGTH];
        *end = '\0';
        if (!declaration_can_fail(at, name) || is_noted(name) || is_excused(name)) continue;
        fprintf(stderr, "no scenario calls %s\n", name);
        missing++;
    }
    return missing;
}

static size_t headers_check(const char *folder)
{
    char path[600];
    size_t missing = 0, found = 0;
    snprintf(path, sizeof path, "%.200s/include/%s", getenv("SOURCE_DIR"), folder);
    DIR *files = opendir(path);
    assert_non_null(files);
    for (const struct dirent *entry; (entry = readdir(files)); found++) {
        static char text[1 << 17];
        snprintf(path, sizeof path, "%.200s/include/%s/%.200s", getenv("SOURCE_DIR"), folder, entry->d_name);
        FILE *file = strstr(entry->d_name, ".h") ? fopen(path, "r") : NULL;
        if (!file) continue;
        const size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        check(length < sizeof text - 1);
        text[length] = '\0';
        missing += header_check(text);
    }
    closedir(files);
    check(found > 10);
    return missing;
}

void check_all_are_attempted(void)
{
    if (!getenv("SOURCE_DIR")) skip();
    assert_int_equal(headers_check("sos") + headers_check("s3svm"), 0);
}
