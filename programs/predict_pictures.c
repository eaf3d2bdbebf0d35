/* predict_pictures.c - labels for pictures, and the pictures that show them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "options.h"
#include "pictures.h"
#include "predict.h"

/* ---------------------------------------------------------------- pictures */

typedef struct album {
    size_t count;    /* of items; at first that of the paths */
    sos_item *items; /* borrow the paths; names and scribbles are their own */
    sos_folder_list paths;
    char **outputs;
    sos_task_result *results;
    size_t done;
    double seconds;
} album;

static void item_free(sos_item *item)
{
    free(item->name);
    free(item->scribbles);
}

static void album_free(album *a)
{
    picture_outputs_free(a->count, a->outputs);
    for (size_t i = 0; a->items && i < a->count; i++) item_free(&a->items[i]);
    free(a->items);
    free(a->results);
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

static int album_fill(album *a, int count, char *argv[])
{
    int code = COMMAND_DONE;
    for (int i = 0; i < count && !code; i++) code = album_add(a, argv[i]);
    if (code) return code;
    const size_t n = a->paths.count;
    a->items = calloc(n + 1, sizeof *a->items); /* never 0 bytes */
    a->results = calloc(n + 1, sizeof *a->results);
    bool room = a->items && a->results;
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

/* The path of the scribbles, to free; NULL: there are none. */
static char *scribbles_find(const sos_item *item, const char *folder)
{
    static const char *const endings[] = { ".png", ".pgm" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = sos_path_join(folder, item->name, endings[i]);
        if (path && sos_path_exists(path)) return path;
        free(path);
    }
    return NULL;
}

static bool scribbles_take(sos_item *item, const char *given)
{
    char *folder = scribbles_folder(item, given);
    item->scribbles = folder ? scribbles_find(item, folder) : NULL;
    if (!item->scribbles)
        command_fail("'%s': there are no scribbles '%s.png' in '%s'; --scribbles names their folder", item->image, item->name,
                     folder ? folder : "");
    free(folder);
    return item->scribbles;
}

/* Pictures without scribbles are left out. */
static int album_scribbles(album *a, const picture_model *m, const request *r)
{
    size_t kept = 0;
    if (!m->task->scribbles && r->scribbles)
        return command_fail("%s: scribbles are not for the task \"%s\"", m->name, m->task->name);
    for (size_t i = 0; m->task->scribbles && i < a->count; i++) {
        if (scribbles_take(&a->items[i], r->scribbles))
            a->items[kept++] = a->items[i];
        else
            item_free(&a->items[i]);
    }
    if (m->task->scribbles) a->count = kept;
    return a->count ? COMMAND_DONE : COMMAND_FAILED;
}

/* ---------------------------------------------------------------- labels for them */

/* By what the first picture has beside it. */
static int model_choose(const album *a, const request *r, picture_model *m)
{
    const sos_item *first = &a->items[0];
    char *folder = scribbles_folder(first, r->scribbles), *found = folder ? scribbles_find(first, folder) : NULL;
    picture_look look = { .scribbles = found || r->scribbles };
    free(folder);
    free(found);
    if (!look.scribbles) look.coloured = picture_coloured(a->paths.count, a->paths.paths);
    return picture_model_choose(&look, m);
}

static void failures_json(sos_json *out, const album *a)
{
    sos_json_open(out, "failed", '[');
    for (size_t i = 0; i < a->count; i++) {
        if (a->results[i].done) continue;
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", a->items[i].name);
        sos_json_text(out, "file", a->items[i].image);
        sos_json_text(out, "error", a->results[i].error.message);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static void pictures_json(const album *a, const picture_model *m, const request *r)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", r->output);
    sos_json_text(&out, "model", m->name);
    sos_json_text(&out, "task", m->task->name);
    sos_json_real(&out, "seconds", a->seconds);
    sos_json_real(&out, "seconds_per_image", pictures_seconds(a->count, a->results));
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < a->count; i++) {
        if (!a->results[i].done) continue;
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "name", a->items[i].name);
        sos_json_text(&out, "file", a->items[i].image);
        sos_json_text(&out, "output", a->outputs[i]);
        sos_json_count(&out, "width", a->results[i].width);
        sos_json_count(&out, "height", a->results[i].height);
        sos_json_real(&out, "seconds", a->results[i].seconds);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    if (a->done < a->count) failures_json(&out, a);
    sos_json_close(&out, '}');
}

static void pictures_text(const album *a, const picture_model *m, const request *r)
{
    printf("%s\n  pictures     %zu\n  model        %s (%s)\n", r->output, a->done, m->name, m->task->name);
    printf("  seconds      %.4f: %.4f a picture\n", a->seconds, pictures_seconds(a->count, a->results));
}

/* Labels what can be labelled; the exit code says whether that is all. */
static int album_label(album *a, const picture_model *m, const request *r)
{
    const size_t wanted = a->count;
    char **outputs = NULL;
    int code = album_scribbles(a, m, r);
    if (!code) code = picture_outputs_make(a->count, a->items, m, r->output, r->force, &outputs);
    if (code) return code;
    a->outputs = outputs;
    const sos_task_job job = {
        .model = m->model, .count = a->count, .items = a->items, .outputs = a->outputs, .work = { .threads = (int)r->threads }
    };
    code = pictures_label(&job, "predict", a->results, &a->done, &a->seconds);
    return !code && a->count < wanted ? COMMAND_FAILED : code;
}

int predict_pictures(const command *self, const request *r, int count, char *argv[])
{
    if (!count) return options_wrong(self, "no PICTURE and no --problem FILE given");
    if (!r->output || !*r->output) return options_wrong(self, "no DIR given: -o names the folder to write to");
    picture_model m = { 0 };
    album a = { 0 };
    int code = r->model ? picture_model_read(r->model, &m) : COMMAND_DONE;
    if (!code) code = album_fill(&a, count, argv);
    if (!code && !r->model) code = model_choose(&a, r, &m);
    if (!code) code = album_label(&a, &m, r);
    if (a.done && code != COMMAND_INTERRUPTED) {
        if (r->json)
            pictures_json(&a, &m, r);
        else
            pictures_text(&a, &m, r);
    }
    album_free(&a);
    picture_model_free(&m);
    return code;
}
