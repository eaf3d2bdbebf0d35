/* segment_album.c - s3svm segment for many photographs: a folder with its scribbles, or single ones and a folder of scribbles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "album.h"
#include "base/path.h"
#include "base/threads.h"
#include "options.h"
#include "pictures.h"
#include "progress.h"
#include "segment.h"
#include "segment_unsure.h"

/* What is written of each photograph, as OUTDIR/SHELF/NAME.png. */
enum { MASKS, CUTOUTS, OVERLAYS, SHELVES };
static const char *const SHELF_NAMES[SHELVES] = { "masks", "cutouts", "overlays" };

/* Photographs and what became of them. */
typedef struct gallery {
    const request *r;
    cutter c;
    album a;
    char *folders[SHELVES];
    char **outputs[SHELVES];
    cutting *cuttings;
    s3svm_task_result *results;
    int threads; /* for each photograph */
    size_t done;
    double seconds;
    bool *there;      /* with maps: its pictures are there already */
    char *list;       /* with maps: the path of the list of the unsure */
    unsure_row *rows; /* of it, the least sure first */
    size_t listed;
} gallery;

static void gallery_free(gallery *g)
{
    for (int i = 0; i < SHELVES; i++) {
        picture_outputs_free(g->a.count, g->outputs[i]);
        free(g->folders[i]);
    }
    free(g->cuttings);
    free(g->results);
    free(g->there);
    free(g->list);
    free(g->rows);
    album_free(&g->a);
    cutter_free(&g->c);
}

/* Whether all pictures of a photograph are there: files appear complete or not at all. */
static bool is_there(const gallery *g, size_t i)
{
    for (int shelf = 0; shelf < SHELVES; shelf++)
        if (!sos_path_exists(g->outputs[shelf][i])) return false;
    return true;
}

/* The paths to write, if nothing is lost by it, and room for what will become of the photographs. */
static int gallery_prepare(gallery *g)
{
    const request *r = g->r;
    const picture_model m = { .path = r->model_path };
    int code = COMMAND_DONE;
    for (int i = 0; i < SHELVES && !code; i++) {
        g->folders[i] = sos_path_join(r->mask, SHELF_NAMES[i], "");
        code = g->folders[i]
                   ? picture_outputs_make(g->a.count, g->a.items, &m, g->folders[i], r->force || r->maps, &g->outputs[i])
                   : command_fail("no memory for a path");
    }
    if (code) return code;
    g->cuttings = calloc(g->a.count, sizeof *g->cuttings);
    g->results = calloc(g->a.count, sizeof *g->results);
    g->there = calloc(g->a.count, sizeof *g->there);
    g->rows = calloc(g->a.count, sizeof *g->rows);
    if (!g->cuttings || !g->results || !g->there || !g->rows) return command_fail("no memory for %zu photographs", g->a.count);
    for (size_t i = 0; i < g->a.count && r->maps && !r->force; i++) g->there[i] = is_there(g, i);
    return COMMAND_DONE;
}

static bool goes_on(void *user, const char *phase, double done)
{
    (void)user;
    (void)phase;
    (void)done;
    return !progress_interrupted();
}

static sos_status photograph_cut(void *user, size_t i, sos_error *error)
{
    gallery *g = user;
    const s3svm_item *item = &g->a.items[i];
    const sos_work work = { .threads = g->threads, .progress = goes_on };
    cutting *k = &g->cuttings[i];
    *k = (cutting){ .photograph = item->image,
                    .scribbles = item->scribbles,
                    .maps = item->maps,
                    .mask = g->outputs[MASKS][i],
                    .cutout = g->outputs[CUTOUTS][i],
                    .overlay = g->outputs[OVERLAYS][i],
                    .doubt = -1 };
    sos_error why;
    const sos_status status = g->there[i] ? unsure_recall(&g->c, k, &why) : cutting_run(g->r, &g->c, &work, k, &why);
    if (!status) return SOS_OK;
    const bool named = strstr(why.message, item->name); /* failures of files say which */
    return sos_fail(error, status, "%.200s%s%.290s", named ? "" : item->image, named ? "" : ": ", why.message);
}

/* Photographs side by side; the threads that are left over help inside of each. */
static int gallery_cut(gallery *g)
{
    const int threads = sos_thread_count((int)g->r->threads);
    const int workers = (size_t)threads < g->a.count ? threads : (int)g->a.count;
    g->threads = threads / workers;
    const picture_job job = {
        .what = g->r->mask, .phase = "segmenting", .count = g->a.count, .threads = workers, .work = photograph_cut, .user = g
    };
    return pictures_run(&job, g->results, &g->done, &g->seconds);
}

/* ---------------------------------------------------------------- the unsure */

static int list_write(gallery *g)
{
    sos_error error;
    for (size_t i = 0; i < g->a.count; i++) {
        const cutting *k = &g->cuttings[i];
        if (!g->results[i].done || k->doubt < 0) continue;
        const double object = (double)k->result.object / (double)(k->width * k->height);
        g->rows[g->listed++] = (unsure_row){ g->a.items[i].name, k->doubt, object };
    }
    if (!g->listed) return COMMAND_DONE;
    unsure_sort(g->listed, g->rows);
    g->list = sos_path_join(g->r->mask, "unsure", ".csv");
    if (!g->list) return command_fail("no memory for a path");
    return unsure_write(g->list, g->listed, g->rows, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
}

static void list_json(const gallery *g, sos_json *out)
{
    if (!g->list) return;
    sos_json_text(out, "list", g->list);
    sos_json_open(out, "unsure", '[');
    for (size_t i = 0; i < g->listed; i++) {
        sos_json_open_row(out, NULL, '{');
        sos_json_text(out, "name", g->rows[i].name);
        sos_json_real(out, "unsure", g->rows[i].doubt);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static size_t count_there(const gallery *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->a.count; i++) count += g->there[i] && g->results[i].done;
    return count;
}

/* ---------------------------------------------------------------- what came out */

static void gallery_json(const gallery *g)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", g->r->mask);
    sos_json_text(&out, "method", g->c.method);
    if (g->c.model) sos_json_text(&out, "model", g->c.model_name);
    sos_json_real(&out, "seconds", g->seconds);
    sos_json_real(&out, "seconds_per_image", g->seconds / (double)g->done);
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < g->a.count; i++) {
        if (!g->results[i].done) continue;
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "name", g->a.items[i].name);
        cutting_members(&out, g->r, &g->c, &g->cuttings[i]);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    list_json(g, &out);
    pictures_failed_json(&out, g->a.count, g->a.items, g->results);
    sos_json_close(&out, '}');
}

static void gallery_text(const gallery *g)
{
    const cutter *c = &g->c;
    printf("%s\n  photographs  %zu: masks, cutouts and overlays\n", g->r->mask, g->done);
    printf("  method       %s%s%s\n", c->method, c->model ? ", model " : "", c->model ? c->model_name : "");
    if (count_there(g)) printf("  skipped      %zu: they were there\n", count_there(g));
    if (g->list) printf("  unsure       %s: %s first\n", g->list, g->rows[0].name);
    printf("  seconds      %.4f: %.4f a photograph\n", g->seconds, g->seconds / (double)g->done);
}

static int gallery_check(const command *self, const request *r)
{
    if (!r->mask || !*r->mask) return options_wrong(self, "no OUTDIR given: -o names the folder to write to");
    if (r->confidence) return options_wrong(self, "--confidence is for a single photograph");
    if (r->cutout || r->overlay)
        return options_wrong(self,
                             "--cutout and --overlay are for a single photograph; for several, all pictures are written to "
                             "-o OUTDIR");
    if (r->marks)
        return options_wrong(self,
                             "--marks is for a single photograph; for several, put NAME.json into the folder of scribbles");
    if (r->clicks.count) return options_wrong(self, "--click is for a single photograph");
    if (r->rectangle) return options_wrong(self, "--rect is for a single photograph");
    if (r->scribbles && !sos_path_is_folder(r->scribbles))
        return options_wrong(self, "for several photographs --scribbles must be a folder, not '%s'", r->scribbles);
    return COMMAND_DONE;
}

/* With evidence no marks are needed. */
static int album_marks(gallery *g)
{
    if (!g->r->maps || !g->c.evidence) return album_scribbles(&g->a, g->r->scribbles);
    album_scribbles_optional(&g->a, g->r->scribbles);
    return COMMAND_DONE;
}

int segment_album(const command *self, const request *r, int count, char *argv[])
{
    int code = gallery_check(self, r);
    if (code) return code;
    gallery g = { .r = r };
    code = cutter_create(r, &g.c);
    if (!code) code = album_fill(&g.a, count, argv);
    const size_t wanted = g.a.count;
    if (!code) code = album_marks(&g);
    if (!code && (g.c.maps || (r->maps && g.c.evidence))) code = album_maps(&g.a, r->maps);
    if (!code && r->maps && !g.c.maps && !g.c.evidence) code = command_fail("the model was trained without maps");
    if (!code) code = gallery_prepare(&g);
    if (!code) code = gallery_cut(&g);
    for (size_t i = 0; i < g.a.count && g.done; i++)
        if (g.results[i].done && !g.there[i]) cutting_notes(r, &g.cuttings[i], g.a.items[i].image);
    if (g.done && r->maps && code != COMMAND_INTERRUPTED && list_write(&g)) code = COMMAND_FAILED;
    if (g.done && code != COMMAND_INTERRUPTED) {
        if (r->json)
            gallery_json(&g);
        else
            gallery_text(&g);
    }
    if (!code && g.a.count < wanted) code = COMMAND_FAILED;
    gallery_free(&g);
    return code;
}
