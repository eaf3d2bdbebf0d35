/* plugin.c - where parts of the command lie, and what is in them. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if !defined(SOS_PLUGINS)
#define SOS_PLUGINS "../lib/s3svm" /* where they are installed, seen from the command */
#endif

bool plugin_find(const char *name, char path[PLUGIN_PATH])
{
    char own[PLUGIN_PATH - 64];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return false;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    snprintf(path, PLUGIN_PATH, "%s/s3svm-%s.so", own, name);
    if (!access(path, R_OK)) return true;
    snprintf(path, PLUGIN_PATH, "%s/%s/s3svm-%s.so", own, SOS_PLUGINS, name);
    return !access(path, R_OK);
}

/* ISO C has no way from one kind of pointer to the other. */
bool plugin_symbol(void *plugin, const char *name, void *out)
{
    void *found = dlsym(plugin, name);
    memcpy(out, &found, sizeof found);
    return found;
}
