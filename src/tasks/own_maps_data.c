/* own_maps_data.c - custom maps in folders: maps/NAME.npy beside images/NAME.png, and the options of training. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/path.h"
#include "tasks/own_maps.h"
#include "vision/maps_file.h"

sos_status s3svm_maps_options_check(const s3svm_maps_options *o, sos_error *error)
{
    if (!o->alone || o->kind != S3SVM_MAPS_NONE) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "--maps-alone needs --maps weights, odds or bins");
}

sos_status s3svm_own_maps_load(const s3svm_item *item, size_t width, size_t height, size_t channels, s3svm_maps *out,
                               sos_error *error)
{
    s3svm_maps maps;
    if (!item->maps)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' has no maps: the model needs maps/%.100s.npy, of %zu channels",
                        item->name, item->name, channels);
    const sos_status status = s3svm_maps_read(item->maps, &maps, error);
    if (status) return status;
    if (maps.width == width && maps.height == height && (!channels || maps.channels == channels)) {
        *out = maps;
        return SOS_OK;
    }
    if (maps.width != width || maps.height != height)
        (void)sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its picture %zu by %zu", item->maps,
                       maps.width, maps.height, width, height);
    else
        (void)sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu channels; there must be %zu", item->maps, maps.channels,
                       channels);
    s3svm_maps_free(&maps);
    return SOS_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- data sets */

/* NAME.npy or, where there is only that, NAME.png; NULL: no memory to look for both. */
static char *maps_path(const char *folder, const char *name)
{
    char *npy = sos_path_join(folder, name, ".npy"), *png = sos_path_join(folder, name, ".png");
    char *const found = !npy || !png ? NULL : !sos_path_exists(npy) && sos_path_exists(png) ? png : npy;
    if (found != npy) free(npy);
    if (found != png) free(png);
    return found;
}

static sos_status item_find(const char *folder, s3svm_item *item, sos_error *error)
{
    size_t width, height, channels;
    free(item->maps);
    item->maps = maps_path(folder, item->name);
    if (!item->maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", folder);
    const sos_status status = s3svm_maps_probe(item->maps, &width, &height, &channels, error);
    if (status) return status;
    if (width == item->width && height == item->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its picture %zu by %zu", item->maps, width,
                    height, item->width, item->height);
}

sos_status s3svm_dataset_find_maps(s3svm_dataset *d, sos_error *error)
{
    char *folder = sos_path_join(d->folder, "maps", "");
    if (!folder) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", d->folder);
    sos_status status = SOS_OK;
    for (size_t i = 0; i < d->count && !status; i++) status = item_find(folder, &d->items[i], error);
    free(folder);
    return status;
}

static void unused_tell(const s3svm_dataset *d, const sos_work *work)
{
    char line[400];
    char *folder = sos_path_join(d->folder, "maps", "");
    if (folder && work->tell && sos_path_is_folder(folder)) {
        snprintf(line, sizeof line, "'%.200s' is not used: --maps weights, odds or bins says how", folder);
        work->tell(work->user, line);
    }
    free(folder);
}

void s3svm_maps_list_free(s3svm_maps_list *list)
{
    for (size_t i = 0; i < list->count; i++) s3svm_maps_free(&list->maps[i]);
    free(list->maps);
    *list = (s3svm_maps_list){ 0 };
}

sos_status s3svm_maps_list_read(const s3svm_maps_options *o, s3svm_dataset *d, const sos_work *work, s3svm_maps_list *out,
                                sos_error *error)
{
    if (o->kind == S3SVM_MAPS_NONE) {
        unused_tell(d, work);
        return SOS_OK;
    }
    sos_status status = s3svm_dataset_find_maps(d, error);
    if (status) return status;
    s3svm_maps_list list = { .maps = calloc(d->count, sizeof *list.maps) };
    if (!list.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the maps of %zu pictures", d->count);
    for (; list.count < d->count && !status; list.count++) {
        const s3svm_item *item = &d->items[list.count];
        status = s3svm_own_maps_load(item, item->width, item->height, list.maps[0].channels, &list.maps[list.count], error);
    }
    if (status)
        s3svm_maps_list_free(&list);
    else
        *out = list;
    return status;
}

/* Reads the maps of an item, if there are some. */
static sos_status item_try(const char *folder, s3svm_item *item, s3svm_maps *out, sos_error *error)
{
    char *path = sos_path_join(folder, item->name, ".npy");
    const bool there = path && sos_path_exists(path);
    *out = (s3svm_maps){ 0 };
    if (!path) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the path '%.200s'", folder);
    free(path);
    if (!there) return SOS_OK;
    const sos_status status = item_find(folder, item, error);
    return status ? status : s3svm_own_maps_load(item, item->width, item->height, 0, out, error);
}

sos_status s3svm_maps_list_add(s3svm_dataset *d, s3svm_maps_list *list, sos_error *error)
{
    char *folder = sos_path_join(d->folder, "maps", "");
    s3svm_maps *maps = realloc(list->maps, (list->count + d->count + 1) * sizeof *maps);
    if (maps) list->maps = maps;
    sos_status status = folder && maps ? SOS_OK
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for the maps of %zu pictures", d->count);
    size_t i = 0;
    for (; i < d->count && !status; i++) status = item_try(folder, &d->items[i], &maps[list->count + i], error);
    if (!status) list->count += d->count;
    while (status && i) s3svm_maps_free(&maps[list->count + --i]);
    free(folder);
    return status;
}

sos_status s3svm_maps_list_learn(const s3svm_maps_options *o, const s3svm_maps_list *list, sos_model *m, sos_error *error)
{
    const s3svm_maps_settings settings = { .kind = (s3svm_maps_kind)o->kind };
    return s3svm_maps_learn(m, &settings, list->count, list->maps, error);
}
