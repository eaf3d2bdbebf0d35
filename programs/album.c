#include "album.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "command.h"

static void item_free(s3svm_item *item)
{
    free(item->name);
    free(item->scribbles);
    free(item->maps);
}

void album_free(album *a)
{
    for (size_t i = 0; a->items && i < a->count; i++) item_free(&a->items[i]);
    free(a->items);
    s3svm_folder_list_free(&a->paths);
}

/* Moves the paths of one list behind those of another. */
static bool list_append(s3svm_folder_list *to, s3svm_folder_list *from)
{
    char **larger = realloc(to->paths, (to->count + from->count + 1) * sizeof *larger); /* never 0 bytes */
    if (!larger) return false;
    memcpy(larger + to->count, from->paths, from->count * sizeof *larger);
    to->paths = larger;
    to->room = to->count += from->count;
    from->count = 0;
    return true;
}

static int picture_find(const char *path, s3svm_folder_list *found)
{
    found->paths = calloc(1, sizeof *found->paths);
    if (found->paths) found->paths[0] = sos_path_join("", path, "");
    found->count = found->paths ? 1 : 0;
    return found->count && found->paths[0] ? COMMAND_DONE : command_fail("no memory for a name");
}

/* Of a data set, the folder images/. */
static int folder_find(const char *path, s3svm_folder_list *found)
{
    size_t others;
    sos_error error;
    char *images = sos_path_join(path, "images", "");
    if (!images) return command_fail("no memory for a name");
    const char *folder = sos_path_is_folder(images) ? images : path;
    int code = s3svm_folder_pictures(folder, found, &others, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
    if (!code && !found->count) code = command_fail("there are no pictures in '%s'", folder);
    free(images);
    return code;
}

/* A picture, or all pictures of a folder. */
static int album_add(album *a, const char *path)
{
    s3svm_folder_list found = { 0 };
    int code = sos_path_is_folder(path) ? folder_find(path, &found) : picture_find(path, &found);
    if (!code && !list_append(&a->paths, &found)) code = command_fail("no memory for %zu names", found.count);
    s3svm_folder_list_free(&found);
    return code;
}

int album_fill(album *a, int count, char *argv[])
{
    int code = COMMAND_DONE;
    for (int i = 0; i < count && !code; i++) code = album_add(a, argv[i]);
    if (code) return code;
    const size_t n = a->paths.count;
    a->items = calloc(n + 1, sizeof *a->items); /* never 0 bytes */
    bool room = a->items;
    for (size_t i = 0; i < n && room; i++) {
        a->items[a->count++] = (s3svm_item){ .name = sos_path_stem(a->paths.paths[i]), .image = a->paths.paths[i] };
        room = a->items[i].name;
    }
    return room ? COMMAND_DONE : command_fail("no memory for %zu pictures", n);
}

/* ---------------------------------------------------------------- what lies beside them */

/* Files of the pictures' names, in a folder of their own. */
typedef struct companion {
    const char *what;       /* the folder beside that of the pictures, and the option that names another */
    size_t member;          /* of an item, for the path */
    const char *endings[7]; /* NULL behind the last; the first is the usual one */
} companion;

static const companion SCRIBBLES = { "scribbles",
                                     offsetof(s3svm_item, scribbles),
                                     { ".png", ".pgm", ".ppm", ".jpg", ".jpeg", ".json", NULL } };
static const companion MAPS = { "maps", offsetof(s3svm_item, maps), { ".npy", ".png", NULL } };

/* The folder of the files, to free: the one given, or that beside the one that the picture lies in. */
static char *companion_folder(const companion *c, const s3svm_item *item, const char *given)
{
    if (given) return sos_path_join(given, "", "");
    char *folder = sos_path_folder(item->image), *beside = folder ? sos_path_join(folder, "../", c->what) : NULL;
    free(folder);
    return beside;
}

static char *companion_find(const companion *c, const s3svm_item *item, const char *folder)
{
    for (size_t i = 0; c->endings[i]; i++) {
        char *path = sos_path_join(folder, item->name, c->endings[i]);
        if (path && sos_path_exists(path)) return path;
        free(path);
    }
    return NULL;
}

static char *companion_path(const companion *c, const s3svm_item *item, const char *given)
{
    char *folder = companion_folder(c, item, given), *found = folder ? companion_find(c, item, folder) : NULL;
    free(folder);
    return found;
}

static bool companion_take(const companion *c, s3svm_item *item, const char *given)
{
    char **path = (char **)((char *)item + c->member);
    *path = companion_path(c, item, given);
    if (*path) return true;
    char *folder = companion_folder(c, item, given);
    command_fail("'%s': there are no %s '%s%s' in '%s'; --%s names their folder", item->image, c->what, item->name,
                 c->endings[0], folder ? folder : "", c->what);
    free(folder);
    return false;
}

static int companions_take(album *a, const companion *c, const char *given)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (companion_take(c, &a->items[i], given))
            a->items[kept++] = a->items[i];
        else
            item_free(&a->items[i]);
    }
    a->count = kept;
    return kept ? COMMAND_DONE : COMMAND_FAILED;
}

char *album_scribbles_path(const s3svm_item *item, const char *given) { return companion_path(&SCRIBBLES, item, given); }
int album_scribbles(album *a, const char *given) { return companions_take(a, &SCRIBBLES, given); }

void album_scribbles_optional(album *a, const char *given)
{
    for (size_t i = 0; i < a->count; i++) a->items[i].scribbles = album_scribbles_path(&a->items[i], given);
}

int album_maps(album *a, const char *given) { return companions_take(a, &MAPS, given); }
