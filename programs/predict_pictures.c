/* predict_pictures.c - labels for pictures, and the pictures that show them. */
#include <stdio.h>
#include <stdlib.h>

#include "album.h"
#include "base/json.h"
#include "options.h"
#include "pictures.h"
#include "predict.h"

/* An album and what became of it. */
typedef struct gallery {
    album a;
    char **outputs;
    s3svm_task_result *results;
    size_t done;
    double seconds;
} gallery;

static void gallery_free(gallery *g)
{
    picture_outputs_free(g->a.count, g->outputs);
    free(g->results);
    album_free(&g->a);
}

/* By what the first picture has beside it. */
static int model_choose(const album *a, const request *r, picture_model *m)
{
    char *found = album_scribbles_path(&a->items[0], r->scribbles);
    picture_look look = { .scribbles = found || r->scribbles };
    free(found);
    if (!look.scribbles) look.coloured = picture_coloured(a->paths.count, a->paths.paths);
    return picture_model_choose(&look, m);
}

static void pictures_json(const gallery *g, const picture_model *m, const request *r)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", r->output);
    sos_json_text(&out, "model", m->name);
    sos_json_text(&out, "task", m->task->name);
    sos_json_real(&out, "seconds", g->seconds);
    sos_json_real(&out, "seconds_per_image", g->seconds / (double)g->done);
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < g->a.count; i++) {
        const s3svm_task_result *result = &g->results[i];
        if (!result->done) continue;
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "name", g->a.items[i].name);
        sos_json_text(&out, "file", g->a.items[i].image);
        sos_json_text(&out, "output", g->outputs[i]);
        sos_json_count(&out, "width", result->width);
        sos_json_count(&out, "height", result->height);
        sos_json_real(&out, "seconds", result->seconds);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    pictures_failed_json(&out, g->a.count, g->a.items, g->results);
    sos_json_close(&out, '}');
}

static void pictures_text(const gallery *g, const picture_model *m, const request *r)
{
    printf("%s\n  pictures     %zu\n  model        %s (%s)\n", r->output, g->done, m->name, m->task->name);
    printf("  seconds      %.4f: %.4f a picture\n", g->seconds, g->seconds / (double)g->done);
}

/* Labels what can be labelled; the exit code says whether that is all. */
static int gallery_label(gallery *g, const picture_model *m, const request *r)
{
    album *a = &g->a;
    const size_t wanted = a->count;
    int code = COMMAND_DONE;
    if (m->task->scribbles)
        code = album_scribbles(a, r->scribbles);
    else if (r->scribbles)
        code = command_fail("%s: scribbles are not for the task \"%s\"", m->name, m->task->name);
    if (!code && (s3svm_task_model_maps(m->model) || (r->maps && s3svm_task_model_evidence(m->model))))
        code = album_maps(a, r->maps);
    else if (!code && r->maps)
        code = command_fail("%s: the model was trained without maps", m->name);
    if (!code) code = picture_outputs_make(a->count, a->items, m, r->output, r->force, &g->outputs);
    g->results = code ? NULL : calloc(a->count, sizeof *g->results);
    if (!code && !g->results) code = command_fail("no memory for %zu pictures", a->count);
    if (code) return code;
    const s3svm_task_job job = {
        .model = m->model, .count = a->count, .items = a->items, .outputs = g->outputs, .work = { .threads = (int)r->threads }
    };
    code = pictures_label(&job, "predict", g->results, &g->done, &g->seconds);
    return !code && a->count < wanted ? COMMAND_FAILED : code;
}

int predict_pictures(const command *self, const request *r, int count, char *argv[])
{
    if (!count) return options_wrong(self, "no PICTURE and no --problem FILE given");
    if (!r->output || !*r->output) return options_wrong(self, "no DIR given: -o names the folder to write to");
    picture_model m = { 0 };
    gallery g = { 0 };
    int code = r->model ? picture_model_read(r->model, &m) : COMMAND_DONE;
    if (!code) code = album_fill(&g.a, count, argv);
    if (!code && !r->model) code = model_choose(&g.a, r, &m);
    if (!code) code = gallery_label(&g, &m, r);
    if (g.done && code != COMMAND_INTERRUPTED) {
        if (r->json)
            pictures_json(&g, &m, r);
        else
            pictures_text(&g, &m, r);
    }
    gallery_free(&g);
    picture_model_free(&m);
    return code;
}
