#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#endif

#include "minimize/card_open.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/error.h"

static const char LIBRARY[] = "libsos-cuda.so";

/* One card, and what was found when it was first asked for. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const sos_card_ops *ops;
static sos_error why;
static atomic_bool tried, open;

/* Beside this library, or where the system looks. */
static void *library_load(void)
{
    Dl_info here;
    char path[4096];
    void *found = NULL;
    if (dladdr(&mutex, &here) && here.dli_fname && strrchr(here.dli_fname, '/')) {
        const int length = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
        const int written = snprintf(path, sizeof path, "%.*s/%s", length, here.dli_fname, LIBRARY);
        if (written > 0 && (size_t)written < sizeof path) found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return found ? found : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void load(void)
{
    size_t memory;
    void *library = library_load();
    const char *reason = library ? NULL : dlerror();
    const sos_card_ops *found = library ? dlsym(library, SOS_CARD_OPS) : NULL;
    if (!library)
        (void)sos_fail(&why, SOS_ERR_IO, "no %s for graphics cards: %s", LIBRARY, reason ? reason : "it cannot be loaded");
    else if (!found)
        (void)sos_fail(&why, SOS_ERR_IO, "%s is of another version", LIBRARY);
    else if (found->name(&memory, &why))
        ops = found;
    atomic_store(&open, ops != NULL);
    atomic_store(&tried, true);
}

bool sos_card_is_open(void) { return atomic_load(&open); }

bool sos_card_is_there(void)
{
    if (!atomic_load(&tried)) { /* else nobody waits for who uses it */
        pthread_mutex_lock(&mutex);
        if (!atomic_load(&tried)) load();
        pthread_mutex_unlock(&mutex);
    }
    return sos_card_is_open();
}

const sos_card_ops *sos_card_take(bool wait, size_t *memory, sos_error *error)
{
    if (wait ? pthread_mutex_lock(&mutex) : pthread_mutex_trylock(&mutex)) {
        (void)sos_fail(error, SOS_ERR_IO, "the graphics card is in use");
        return NULL;
    }
    if (!atomic_load(&tried)) load();
    if (ops && ops->name(memory, error)) return ops;
    if (!ops && error) *error = why;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

void sos_card_leave(void) { pthread_mutex_unlock(&mutex); }

sos_status sos_card_name(char name[], size_t room, sos_error *error)
{
    size_t memory;
    sos_error found = { SOS_OK, "" };
    if (!name || !room) return sos_fail(error, SOS_ERR_ARGUMENT, "no room for the name of a card was given");
    const sos_card_ops *card = sos_card_take(true, &memory, &found);
    if (card) {
        snprintf(name, room, "%s", card->name(&memory, &found));
        sos_card_leave();
        return SOS_OK;
    }
    return sos_fail(error, found.status, "%s", found.message);
}
