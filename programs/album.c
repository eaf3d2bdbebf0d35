#include "album.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "command.h"

static void item_free(sos_item *item)
{
    free(item->name);
    free(item->scribbles);
}

void album_free(album *a)
{
    for (size_t i = 0; a->items && i < a->count; i++) item_free(&a->items[i]);
    free(a->items);
    sos_folder_list_free(&a->paths);
}

/* Moves the paths of one list behind those of another. */
static bool list_append(sos_folder_list *to, sos_folder_list *from)
{
    char **larger = realloc(to->paths, (to->count + from->count + 1) * sizeof *larger); /* never 0 bytes */
    if (!larger) return false;
    memcpy(larger + to->count, from->paths, from->count * sizeof *larger);
    to->paths = larger;
    to->room = to->count += from->count;
    from->count = 0;
    return true;
}

static int picture_find(const char *path, sos_folder_list *found)
{
    found->paths = calloc(1, sizeof *found->paths);
    if (found->paths) found->paths[0] = sos_path_join("", path, "");
    found->count = found->paths ? 1 : 0;
    return found->count && found->paths[0] ? COMMAND_DONE : command_fail("no memory for a name");
}

/* Of a data set, the folder images/. */
static int folder_find(const char *path, sos_folder_list *found)
{
    size_t others;
    sos_error error;
    char *images = sos_path_join(path, "images", "");
    if (!images) return command_fail("no memory for a name");
    const char *folder = sos_path_is_folder(images) ? images : path;
    int code = sos_folder_pictures(folder, found, &others, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
    if (!code && !found->count) code = command_fail("there are no pictures in '%s'", folder);
    free(images);
    return code;
}

/* A picture, or all pictures of a folder. */
static int album_add(album *a, const char *path)
{
    sos_folder_list found = { 0 };
    int code = sos_path_is_folder(path) ? folder_find(path, &found) : picture_find(path, &found);
    if (!code && !list_append(&a->paths, &found)) code = command_fail("no memory for %zu names", found.count);
    sos_folder_list_free(&found);
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
        a->items[a->count++] = (sos_item){ .name = sos_path_stem(a->paths.paths[i]), .image = a->paths.paths[i] };
        room = a->items[i].name;
    }
    return room ? COMMAND_DONE : command_fail("no memory for %zu pictures", n);
}

/* ---------------------------------------------------------------- their scribbles */

/* The folder of the scribbles of a picture, to free: the one given, or scribbles/ beside the one that the picture lies in. */
static char *scribbles_folder(const sos_item *item, const char *given)
{
    if (given) return sos_path_join(given, "", "");
    char *folder = sos_path_folder(item->image), *beside = folder ? sos_path_join(folder, "../scribbles", "") : NULL;
    free(folder);
    return beside;
}

static char *scribbles_find(const sos_item *item, const char *folder)
{
    static const char *const endings[] = { ".png", ".pgm", ".ppm", ".jpg", ".jpeg" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = sos_path_join(folder, item->name, endings[i]);
        if (path && sos_path_exists(path)) return path;
        free(path);
    }
    return NULL;
}

char *album_scribbles_path(const sos_item *item, const char *given)
{
    char *folder = scribbles_folder(item, given), *found = folder ? scribbles_find(item, folder) : NULL;
    free(folder);
    return found;
}

static bool scribbles_take(sos_item *item, const char *given)
{
    item->scribbles = album_scribbles_path(item, given);
    if (item->scribbles) return true;
    char *folder = scribbles_folder(item, given);
    command_fail("'%s': there are no scribbles '%s.png' in '%s'; --scribbles names their folder", item->image, item->name,
                 folder ? folder : "");
    free(folder);
    return false;
}

int album_scribbles(album *a, const char *given)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (scribbles_take(&a->items[i], given))
            a->items[kept++] = a->items[i];
        else
            item_free(&a->items[i]);
    }
    a->count = kept;
    return kept ? COMMAND_DONE : COMMAND_FAILED;
}
