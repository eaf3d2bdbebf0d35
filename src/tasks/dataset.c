/* dataset.c - matches the files of a data set by name. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <s3svm/dataset.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/random.h"
#include <s3svm/dataset.h>
#include <s3svm/image.h>

/* ---- one of its folders ---- */

typedef struct picture {
    char *name, *path;
} picture;

typedef struct subfolder {
    char *folder;
    size_t count;
    picture *pictures; /* in the order of their names */
} subfolder;

static void subfolder_free(subfolder *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->pictures[i].name);
        free(s->pictures[i].path);
    }
    free(s->pictures);
    free(s->folder);
    *s = (subfolder){ 0 };
}

static int by_name(const void *a, const void *b) { return strcmp(((const picture *)a)->name, ((const picture *)b)->name); }

/* Takes the paths out of the list. */
static bool subfolder_take(subfolder *s, s3svm_folder_list *list)
{
    s->pictures = calloc(list->count + 1, sizeof *s->pictures);
    if (!s->pictures) return false;
    for (size_t i = 0; i < list->count; i++) {
        char *name = sos_path_stem(list->paths[i]);
        if (!name) return false;
        s->pictures[s->count++] = (picture){ .name = name, .path = list->paths[i] };
        list->paths[i] = NULL;
    }
    qsort(s->pictures, s->count, sizeof *s->pictures, by_name);
    return true;
}

static sos_status subfolder_check(const subfolder *s, sos_error *error)
{
    if (!s->count) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no pictures in '%.300s'", s->folder);
    for (size_t i = 1; i < s->count; i++)
        if (!strcmp(s->pictures[i - 1].name, s->pictures[i].name))
            return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' and '%.200s' have the same name", s->pictures[i - 1].path,
                            s->pictures[i].path);
    return SOS_OK;
}

static sos_status subfolder_open(const char *folder, const char *kind, subfolder *s, sos_error *error)
{
    const bool scribbles = !strcmp(kind, "scribbles");
    s3svm_folder_list list = { 0 };
    size_t others;
    s->folder = sos_path_join(folder, kind, "");
    if (!s->folder) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", folder);
    sos_status status = scribbles ? s3svm_folder_scribbles(s->folder, &list, &others, error)
                                  : s3svm_folder_pictures(s->folder, &list, &others, error);
    if (!status && !subfolder_take(s, &list))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the names in '%.200s'", s->folder);
    s3svm_folder_list_free(&list);
    return status ? status : subfolder_check(s, error);
}

/* Whether both have the same names: the first that only one of them has is to blame. */
static sos_status subfolders_compare(const subfolder *a, const subfolder *b, sos_error *error)
{
    for (size_t i = 0; i < a->count || i < b->count; i++) {
        const int order = i == a->count ? 1 : i == b->count ? -1 : strcmp(a->pictures[i].name, b->pictures[i].name);
        const subfolder *has = order < 0 ? a : b, *lacks = order < 0 ? b : a;
        if (order)
            return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' has no picture of the same name in '%.200s'",
                            has->pictures[i].path, lacks->folder);
    }
    return SOS_OK;
}

static bool subfolder_has(const subfolder *s, const char *name)
{
    const picture wanted = { .name = (char *)name };
    return s->count && bsearch(&wanted, s->pictures, s->count, sizeof wanted, by_name);
}

/* Passes over what has no partner among the labels; returns how many. */
static size_t subfolder_pass(subfolder *s, const subfolder *labels)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (subfolder_has(labels, s->pictures[i].name)) {
            s->pictures[kept++] = s->pictures[i];
            continue;
        }
        free(s->pictures[i].name);
        free(s->pictures[i].path);
    }
    const size_t passed = s->count - kept;
    s->count = kept;
    return passed;
}

/* ---- opening ---- */

/* labels, images and scribbles of a folder being opened; a subfolder without a folder is not there. */
typedef struct subfolders {
    subfolder labels, images, scribbles;
    size_t passed; /* images */
} subfolders;

/* Whether s3svm serve works on the folder, so that some of it may not be done yet. */
static sos_status unfinished_find(const char *folder, bool *unfinished, sos_error *error)
{
    char *path = sos_path_join(folder, ".s3svm", "");
    if (!path) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", folder);
    *unfinished = sos_path_is_folder(path);
    free(path);
    return SOS_OK;
}

static sos_status subfolders_open(const char *folder, s3svm_dataset_images images, bool scribbles, subfolders *s,
                                  sos_error *error)
{
    if (!sos_path_is_folder(folder)) return sos_fail(error, SOS_ERR_IO, "'%.300s' is not a folder", folder);
    char *path = sos_path_join(folder, "images", "");
    if (!path) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", folder);
    const bool there = sos_path_exists(path), wanted = images == S3SVM_IMAGES_REQUIRED || there;
    free(path);
    bool unfinished = false;
    sos_status status = unfinished_find(folder, &unfinished, error);
    if (!status) status = subfolder_open(folder, "labels", &s->labels, error);
    const bool flat = unfinished && !there; /* s3svm serve takes photographs that lie in the folder itself, too */
    if (!status && wanted) status = subfolder_open(folder, flat ? "." : "images", &s->images, error);
    if (!status && unfinished) s->passed = subfolder_pass(&s->images, &s->labels);
    if (!status && wanted) status = subfolders_compare(&s->labels, &s->images, error);
    if (!status && scribbles) status = subfolder_open(folder, "scribbles", &s->scribbles, error);
    if (!status && unfinished) subfolder_pass(&s->scribbles, &s->labels);
    if (!status && scribbles) status = subfolders_compare(&s->labels, &s->scribbles, error);
    return status;
}

static void subfolders_free(subfolders *s)
{
    subfolder_free(&s->labels);
    subfolder_free(&s->images);
    subfolder_free(&s->scribbles);
}

static char *path_take(subfolder *s, size_t i)
{
    char *path = s->count ? s->pictures[i].path : NULL;
    if (path) s->pictures[i].path = NULL;
    return path;
}

static sos_status dataset_fill(s3svm_dataset *d, const char *folder, subfolders *s, sos_error *error)
{
    d->folder = strdup(folder);
    d->items = calloc(s->labels.count, sizeof *d->items);
    if (!d->folder || !d->items) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", s->labels.count);
    d->count = s->labels.count;
    d->passed = s->passed;
    for (size_t i = 0; i < d->count; i++) {
        d->items[i] = (s3svm_item){ .name = s->labels.pictures[i].name,
                                    .image = path_take(&s->images, i),
                                    .labels = path_take(&s->labels, i),
                                    .scribbles = path_take(&s->scribbles, i) };
        s->labels.pictures[i].name = NULL;
    }
    return SOS_OK;
}

static sos_status item_size_check(const s3svm_item *item, const char *path, sos_error *error)
{
    size_t width, height;
    if (!path || sos_path_ends(path, ".json")) return SOS_OK; /* a list of marks: its size is compared when it is read */
    const sos_status status = s3svm_image_probe(path, &width, &height, error);
    if (status) return status;
    if (width == item->width && height == item->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.180s' has %zu by %zu pixels, but '%.180s' %zu by %zu", path, width, height,
                    item->labels, item->width, item->height);
}

static sos_status sizes_read(s3svm_dataset *d, sos_error *error)
{
    for (size_t i = 0; i < d->count; i++) {
        s3svm_item *item = &d->items[i];
        sos_status status = s3svm_image_probe(item->labels, &item->width, &item->height, error);
        if (!status) status = item_size_check(item, item->image, error);
        if (!status) status = item_size_check(item, item->scribbles, error);
        if (status) return status;
    }
    return SOS_OK;
}

sos_status s3svm_dataset_open(const char *folder, s3svm_dataset_images images, bool scribbles, s3svm_dataset *out,
                              sos_error *error)
{
    subfolders s = { 0 };
    s3svm_dataset d = { 0 };
    sos_status status = subfolders_open(folder, images, scribbles, &s, error);
    if (!status) status = dataset_fill(&d, folder, &s, error);
    if (!status) status = sizes_read(&d, error);
    subfolders_free(&s);
    if (status)
        s3svm_dataset_free(&d);
    else
        *out = d;
    return status;
}

static void item_free(s3svm_item *item)
{
    free(item->name);
    free(item->image);
    free(item->labels);
    free(item->scribbles);
    free(item->maps);
}

void s3svm_dataset_keep(s3svm_dataset *d, const bool keep[])
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++)
        if (keep[i])
            d->items[kept++] = d->items[i];
        else
            item_free(&d->items[i]);
    d->count = kept;
}

void s3svm_dataset_free(s3svm_dataset *d)
{
    for (size_t i = 0; i < d->count; i++) item_free(&d->items[i]);
    free(d->items);
    free(d->folder);
    *d = (s3svm_dataset){ 0 };
}

/* ---- what it holds ---- */

/* The bytes and their number, which keeps files apart. */
static sos_status file_hash(const char *path, uint64_t *hash, sos_error *error)
{
    unsigned char bytes[1 << 14];
    size_t got, length = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot open '%.300s': %s", path, strerror(errno));
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
        *hash = sos_hash(*hash, bytes, got);
        length += got;
    }
    const int number = ferror(file) ? errno : 0;
    fclose(file);
    if (number) return sos_fail(error, SOS_ERR_IO, "cannot read '%.300s': %s", path, strerror(number));
    char text[32];
    const int digits = snprintf(text, sizeof text, "%zu;", length);
    *hash = sos_hash(*hash, text, (size_t)digits);
    return SOS_OK;
}

sos_status s3svm_dataset_hash(const s3svm_dataset *d, uint64_t *hash, sos_error *error)
{
    uint64_t h = SOS_HASH_START;
    for (size_t i = 0; i < d->count; i++) {
        const s3svm_item *item = &d->items[i];
        const char *const paths[] = { item->labels, item->image, item->scribbles };
        h = sos_hash(h, item->name, strlen(item->name) + 1);
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            const unsigned char there = paths[k] != NULL;
            h = sos_hash(h, &there, 1);
            const sos_status status = there ? file_hash(paths[k], &h, error) : SOS_OK;
            if (status) return status;
        }
        const sos_status status = item->maps ? file_hash(item->maps, &h, error) : SOS_OK;
        if (status) return status;
    }
    *hash = h;
    return SOS_OK;
}

/* The seed is spread over all bits first: seeds and splits that are near each other must not meet. */
void s3svm_split(size_t count, uint64_t seed, uint64_t split, size_t order[])
{
    sos_random r = sos_random_seeded(seed);
    r = sos_random_seeded(sos_random_bits(&r) ^ split);
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)sos_random_below(&r, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}
