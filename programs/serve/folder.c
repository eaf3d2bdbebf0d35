/* folder.c - what is in a folder, and its state. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"

enum {
    ITEMS_MAX = 20000, /* of which each takes a kilobyte */
    UNSURE_MAX = 1 << 23
};

/* ---------------------------------------------------------------- opening */

static void directory_close(int directory)
{
    if (directory >= 0) close(directory);
}

void folder_close(folder *f)
{
    if (!f) return;
    const int directories[] = { f->root, f->images, f->labels, f->scribbles, f->own, f->aside, f->models, f->held };
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) directory_close(directories[i]);
    pthread_mutex_destroy(&f->lock);
    free(f->items);
    free(f->path);
    free(f);
}

/* Two servers on one folder would not see each other's pages. */
static sos_status folder_hold(folder *f, sos_error *error)
{
    f->held = openat(f->own, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (f->held < 0) return sos_fail(error, SOS_ERR_IO, "'%.200s/.s3svm/lock': %s", f->path, strerror(errno));
    if (!flock(f->held, LOCK_EX | LOCK_NB)) return SOS_OK;
    if (errno != EWOULDBLOCK) return sos_fail(error, SOS_ERR_IO, "'%.200s/.s3svm/lock': %s", f->path, strerror(errno));
    return sos_fail(error, SOS_ERR_IO, "'%.200s': another s3svm serve works on this folder", f->path);
}

/* Photographs are in images/; where there is no such folder, in the folder itself, which must then have some: nothing is made
 * in a folder that was named by mistake. */
static sos_status images_open(folder *f, sos_error *error)
{
    f->images = directory_open(f->root, "images", false);
    const bool flat = f->images < 0 && errno == ENOENT;
    if (flat) f->images = directory_open(f->root, ".", false);
    if (f->images < 0)
        return sos_fail(error, SOS_ERR_IO, "'%.200s/images': %s; photographs belong there, and it must be no link", f->path,
                        strerror(errno));
    const sos_status status = flat ? folder_look(f, error) : SOS_OK;
    if (status || !flat || f->count) return status;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' has no photographs, neither in it nor in a folder images", f->path);
}

/* A folder that may be missing.  What cannot be opened now, but is there, must not look as if it were empty: it would be
 * written over. */
static sos_status directory_find(const folder *f, const char *name, int *directory, sos_error *error)
{
    *directory = directory_open(f->root, name, false);
    if (*directory >= 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return SOS_OK;
    return sos_fail(error, SOS_ERR_IO, "'%.200s/%s': %s", f->path, name, strerror(errno));
}

static sos_status directories_open(folder *f, sos_error *error)
{
    f->root = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->root < 0) return sos_fail(error, SOS_ERR_IO, "'%.200s': %s", f->path, strerror(errno));
    sos_status status = images_open(f, error);
    if (!status) status = directory_find(f, "labels", &f->labels, error);
    if (!status) status = directory_find(f, "scribbles", &f->scribbles, error);
    if (!status) status = directory_find(f, "models", &f->models, error);
    if (status) return status;
    f->own = directory_open(f->root, ".s3svm", true);
    if (f->own >= 0) f->aside = directory_open(f->own, "aside", true);
    if (f->own < 0 || f->aside < 0) return sos_fail(error, SOS_ERR_IO, "'%.200s/.s3svm': %s", f->path, strerror(errno));
    return folder_hold(f, error);
}

static void directories_sweep(const folder *f)
{
    const int directories[] = { f->labels, f->scribbles, f->own, f->models };
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) directory_sweep(directories[i]);
}

sos_status folder_open(const char *path, folder **out, sos_error *error)
{
    folder *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a folder");
    f->root = f->images = f->labels = f->scribbles = f->own = f->aside = f->models = f->held = -1;
    pthread_mutex_init(&f->lock, NULL);
    f->path = realpath(path, NULL);
    sos_status status = f->path ? directories_open(f, error)
                                : sos_fail(error, SOS_ERR_IO, "'%.200s': %s", path, strerror(errno));
    if (!status) {
        snprintf(f->title, sizeof f->title, "%s", sos_path_name(f->path));
        directories_sweep(f);
        status = folder_look(f, error);
    }
    if (status)
        folder_close(f);
    else
        *out = f;
    return status;
}

/* ---------------------------------------------------------------- looking */

static bool is_photograph_name(const char *name)
{
    static const char *const ENDINGS[] = { ".png", ".jpg", ".jpeg", ".pgm", ".ppm" };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (sos_path_ends(name, ENDINGS[i])) return true;
    if (sos_path_ends(name, ".webp")) return s3svm_image_has_webp();
    return (sos_path_ends(name, ".tif") || sos_path_ends(name, ".tiff")) && s3svm_image_has_tiff();
}

static void stem_of(const char *name, char stem[DIRECTORY_NAME])
{
    const char *dot = strrchr(name, '.');
    snprintf(stem, DIRECTORY_NAME, "%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

/* The first file of a stem, of one of the endings that are wanted; "" where there is none. */
static void partner_find(int directory, const names *all, const char *stem, bool list, char out[DIRECTORY_NAME])
{
    const size_t length = strlen(stem);
    size_t low = 0, high = all->count;
    *out = '\0';
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strncmp(all->list[middle], stem, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < all->count && !strncmp(all->list[low], stem, length); low++) {
        const char *name = all->list[low];
        if (name[length] != '.' || strchr(name + length + 1, '.')) continue;
        const bool json = sos_path_ends(name, ".json");
        if (!(json ? list : is_photograph_name(name))) continue;
        const stamp found = directory_stamp(directory, name);
        if (!stamp_is_there(&found)) continue;
        snprintf(out, DIRECTORY_NAME, "%s", name);
        if (json || !list) return; /* a list comes before pictures */
    }
}

static sos_status list_open(int directory, names *out, sos_error *error)
{
    *out = (names){ 0 };
    return directory < 0 ? SOS_OK : directory_list(directory, 4 * ITEMS_MAX, out, error);
}

/* Of two photographs with the same name but for the ending the first counts. */
static bool is_twin(const folder *f, const item *i) { return f->count && !strcmp(f->items[f->count - 1].stem, i->stem); }

static int by_stem(const void *a, const void *b)
{
    const int order = strcmp(((const item *)a)->stem, ((const item *)b)->stem);
    return order ? order : strcmp(((const item *)a)->image, ((const item *)b)->image);
}

static int by_name(const void *a, const void *b) { return strcmp(((const item *)a)->stem, ((const item *)b)->stem); }

/* Keeps what is known of an item that was there before. */
static void item_keep(const item *before, size_t count, item *i)
{
    const item *known = count ? bsearch(i, before, count, sizeof *i, by_stem) : NULL;
    if (!known) return;
    memcpy(i->seen, known->seen, sizeof i->seen);
    i->revision = known->revision;
}

static void items_fill(folder *f, const names *images, const names *scribbles, const names *labels, item *items)
{
    const item *before = f->items;
    const size_t known = f->count;
    size_t found = 0;
    for (size_t k = 0; k < images->count; k++) {
        item i = { .revision = 0 };
        const stamp there = directory_stamp(f->images, images->list[k]);
        if (!is_photograph_name(images->list[k]) || !stamp_is_there(&there)) continue;
        snprintf(i.image, sizeof i.image, "%s", images->list[k]);
        stem_of(i.image, i.stem);
        snprintf(i.key, sizeof i.key, "%016" PRIx64, sos_hash(SOS_HASH_START, i.image, strlen(i.image)));
        partner_find(f->scribbles, scribbles, i.stem, true, i.scribbles);
        partner_find(f->labels, labels, i.stem, false, i.labels);
        item_keep(before, known, &i);
        items[found++] = i;
    }
    if (found) qsort(items, found, sizeof *items, by_stem);
    f->items = items;
    f->count = f->done = f->marked = f->skipped = 0;
    for (size_t k = 0; k < found; k++) {
        if (is_twin(f, &items[k])) {
            f->skipped++;
            continue;
        }
        items[f->count++] = items[k];
        f->done += item_state(&items[k]) == STATE_DONE;
        f->marked += item_state(&items[k]) == STATE_MARKED;
    }
}

/* ---------------------------------------------------------------- the unsure */

/* The next name of the list, which stands in quotes that are doubled inside, and its number; what is no such row is passed
 * over. NULL: there are no more. */
static char *row_next(char **at, double *unsure)
{
    while (**at) {
        char *name = *at, *end = name + strcspn(name, "\n"), *from = name, *to = name;
        *at = end + (*end == '\n');
        *end = '\0';
        if (*from++ != '"') continue;
        for (; *from && (*from != '"' || from[1] == '"'); from++) from += *from == '"', *to++ = *from;
        if (from[0] != '"' || from[1] != ',') continue;
        char *number = from + 2, *behind;
        *unsure = strtod(number, &behind);
        *to = '\0';
        if (behind > number && *unsure >= 0 && *unsure <= 1) return name;
    }
    return NULL;
}

/* The list is no more than a help: what cannot be read says nothing. */
static void unsure_read(folder *f)
{
    char *text, *name;
    size_t length;
    double unsure;
    sos_error error;
    for (size_t i = 0; i < f->count; i++) f->items[i].unsure = -1;
    const stamp there = directory_stamp(f->root, "unsure.csv");
    if (!stamp_is_there(&there) || directory_read(f->root, "unsure.csv", UNSURE_MAX, &text, &length, &error)) return;
    char *line = realloc(text, length + 1);
    if (line) {
        line[length] = '\0';
        for (char *at = line; (name = row_next(&at, &unsure));) {
            item key = { .unsure = unsure };
            snprintf(key.stem, sizeof key.stem, "%s", name);
            item *found = f->count ? bsearch(&key, f->items, f->count, sizeof key, by_name) : NULL;
            if (found) found->unsure = unsure;
        }
    }
    free(line ? line : text);
}

sos_status folder_look(folder *f, sos_error *error)
{
    names images = { 0 }, scribbles = { 0 }, labels = { 0 };
    item *before = f->items;
    sos_status status = list_open(f->images, &images, error);
    if (!status) status = list_open(f->scribbles, &scribbles, error);
    if (!status) status = list_open(f->labels, &labels, error);
    item *items = status ? NULL : calloc(images.count + 1, sizeof *items);
    if (!status && !items) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", images.count);
    if (!status) {
        items_fill(f, &images, &scribbles, &labels, items);
        unsure_read(f);
        free(before);
    }
    names_free(&images);
    names_free(&scribbles);
    names_free(&labels);
    return status;
}

item *folder_find(folder *f, const char *key)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->items[i].key, key)) return &f->items[i];
    return NULL;
}

progress_state item_state(const item *i) { return *i->labels ? STATE_DONE : *i->scribbles ? STATE_MARKED : STATE_NEW; }

const char *state_name(progress_state s)
{
    static const char *const NAMES[STATES] = { "new", "marked", "done" };
    return NAMES[s];
}
