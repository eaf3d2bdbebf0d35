#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#endif

#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static char folder[64];

int scratch_make(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sos-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int scratch_remove(void **state)
{
    scratch_clear();
    return scratch_remove_empty(state);
}

int scratch_remove_empty(void **state)
{
    (void)state;
    return rmdir(folder);
}

const char *scratch_folder(void) { return folder; }

const char *scratch(const char *name)
{
    static char paths[2][400];
    static size_t turn;
    turn = 1 - turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

size_t scratch_each(void (*visit)(const char *path))
{
    size_t count = 0;
    DIR *d = opendir(folder);
    check(d != NULL);
    for (const struct dirent *entry; (entry = readdir(d));) {
        if (entry->d_name[0] == '.') continue;
        if (visit) visit(scratch(entry->d_name));
        count++;
    }
    closedir(d);
    return count;
}

size_t scratch_count(void) { return scratch_each(NULL); }

static void file_remove(const char *path) { check(!unlink(path)); }

void scratch_clear(void) { scratch_each(file_remove); }
