/* predict.c - s3svm predict: the labels of least energy under a model, for pictures and for the examples of a file. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* strdup */
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "pictures.h"
#include "progress.h"
#include <s3svm/dataset.h>

typedef struct request {
    const char *model, *problem, *output, *scribbles;
    int64_t threads;
    bool force, json;
} request;

/* ---------------------------------------------------------------- examples from a file */

typedef struct prediction {
    sos_model *model;
    const char *name; /* of the problem, for people */
    size_t count;
    sos_example **examples;
    uint8_t **labels;
    size_t *n;
    double *losses; /* NaN: no truth */
    sos_minimize_result *results;
    double seconds;
} prediction;

static bool prediction_allocate(prediction *p)
{
    const size_t room = p->count ? p->count : 1;
    p->labels = calloc(room, sizeof *p->labels);
    p->n = calloc(room, sizeof *p->n);
    p->losses = calloc(room, sizeof *p->losses);
    p->results = calloc(room, sizeof *p->results);
    bool ok = p->labels && p->n && p->losses && p->results;
    for (size_t i = 0; ok && i < p->count; i++) {
        p->n[i] = sos_example_variables(p->examples[i]);
        p->labels[i] = malloc(p->n[i]);
        ok = p->labels[i];
    }
    return ok;
}

static void prediction_free(prediction *p)
{
    for (size_t i = 0; p->labels && i < p->count; i++) free(p->labels[i]);
    free(p->labels);
    free(p->n);
    free(p->losses);
    free(p->results);
    sos_problem_free(p->count, p->examples);
    sos_model_free(p->model);
}

static int prediction_read(prediction *p, const char *model, const char *problem)
{
    char *text = NULL;
    size_t length = 0;
    sos_error error;
    if (sos_model_read(model, &p->model, &error)) return command_fail("%s", error.message);
    if (text_read(problem, &text, &length, &error)) return command_fail("%s", error.message);
    p->name = text_name(problem);
    const sos_status status = sos_problem_parse(text, length, p->name, p->model, NULL, &p->count, &p->examples, &error);
    free(text);
    if (status) return command_fail("%s", error.message);
    return prediction_allocate(p) ? COMMAND_DONE : command_fail("no memory for the labels of %zu examples", p->count);
}

static int prediction_make(prediction *p)
{
    progress shown;
    sos_error error;
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.progress = progress_report;
    settings.user = &shown;
    sos_status status = SOS_OK;
    size_t i = 0;
    progress_begin(&shown, p->name);
    for (; i < p->count; i++) {
        status = sos_model_predict(p->model, p->examples[i], &settings, p->labels[i], &p->results[i], &error);
        if (status) break;
        p->losses[i] = sos_example_truth(p->examples[i]) ? sos_example_loss(p->examples[i], p->labels[i]) : NAN;
    }
    progress_end(&shown);
    p->seconds = progress_clock() - shown.started;
    if (status == SOS_CANCELLED && progress_interrupted()) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s: example %zu: %s", p->name, i, error.message) : COMMAND_DONE;
}

/* The mean loss of the examples with truths; NaN: there are none. */
static double mean_loss(const prediction *p, size_t *truths, size_t *worst)
{
    double sum = 0;
    *truths = *worst = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (isnan(p->losses[i])) continue;
        if (!*truths || p->losses[i] > p->losses[*worst]) *worst = i;
        ++*truths;
        sum += p->losses[i];
    }
    return *truths ? sum / (double)*truths : NAN;
}

static size_t variables_count(const prediction *p)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += p->n[i];
    return sum;
}

static void json_print(const prediction *p, const char *model)
{
    size_t truths, worst;
    const double loss = mean_loss(p, &truths, &worst);
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "file", p->name);
    sos_json_text(&out, "model", model);
    sos_json_count(&out, "variables", variables_count(p));
    sos_json_real(&out, "loss", loss);
    sos_json_count(&out, "truths", truths);
    sos_json_real(&out, "seconds", p->seconds);
    sos_json_open(&out, "examples", '[');
    for (size_t i = 0; i < p->count; i++) {
        sos_json_open(&out, NULL, '{');
        sos_json_count(&out, "variables", p->n[i]);
        sos_json_real(&out, "energy", p->results[i].energy);
        sos_json_real(&out, "lower_bound", p->results[i].lower_bound);
        sos_json_real(&out, "loss", p->losses[i]);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    sos_json_close(&out, '}');
}

static void text_print(const prediction *p, FILE *out)
{
    size_t truths, worst;
    const double loss = mean_loss(p, &truths, &worst);
    fprintf(out, "%s\n  size         %zu example%s, %zu variables\n", p->name, p->count, p->count == 1 ? "" : "s",
            variables_count(p));
    if (truths)
        fprintf(out, "  loss         %.5g on average of %zu with true labels; the worst is %.5g, of example %zu\n", loss,
                truths, p->losses[worst], worst);
    else
        fputs("  loss         unknown: there are no true labels\n", out);
    fprintf(out, "  seconds      %.4f\n", p->seconds);
}

static int problem_predict(const command *self, const request *r)
{
    if (!r->model) return options_wrong(self, "no MODEL given: -m names it");
    const bool standard = r->output && !strcmp(r->output, "-");
    if (r->json && standard) return options_wrong(self, "--json and -o - both want standard output");

    prediction p = { 0 };
    sos_error error;
    int code = prediction_read(&p, r->model, r->problem);
    if (!code) code = prediction_make(&p);
    if (!code && r->output && label_rows_write(r->output, p.count, p.labels, p.n, &error))
        code = command_fail("%s", error.message);
    if (!code && r->json)
        json_print(&p, r->model);
    else if (!code)
        text_print(&p, standard ? stderr : stdout);
    prediction_free(&p);
    return code;
}

/* ---------------------------------------------------------------- pictures */

typedef struct album {
    sos_folder_list paths;
    sos_item *items; /* borrow the paths; names and scribbles are their own */
    char **outputs;
    sos_task_result *results;
    double seconds;
} album;

static void album_free(album *a)
{
    const size_t count = a->paths.count;
    picture_outputs_free(count, a->outputs);
    for (size_t i = 0; a->items && i < count; i++) {
        free(a->items[i].name);
        free(a->items[i].scribbles);
    }
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
    a->items = calloc(n, sizeof *a->items);
    a->results = calloc(n, sizeof *a->results);
    bool room = a->items && a->results;
    for (size_t i = 0; i < n && room; i++) {
        a->items[i] = (sos_item){ .name = sos_path_stem(a->paths.paths[i]), .image = a->paths.paths[i] };
        room = a->items[i].name;
    }
    return room ? COMMAND_DONE : command_fail("no memory for %zu pictures", n);
}

/* The folder scribbles/ beside the one that a picture lies in, to free. */
static char *scribbles_beside(const char *picture)
{
    const char *slash = strrchr(picture, '/');
    char *folder = strdup(slash ? picture : "."), *beside = NULL;
    if (folder && slash) folder[slash == picture ? 1 : slash - picture] = 0;
    if (folder) beside = sos_path_join(folder, "../scribbles", "");
    free(folder);
    return beside;
}

static int scribbles_find(sos_item *item, const char *given)
{
    static const char *const endings[] = { ".png", ".pgm" };
    char *folder = given ? sos_path_join(given, "", "") : scribbles_beside(item->image);
    for (size_t i = 0; folder && !item->scribbles && i < sizeof endings / sizeof *endings; i++) {
        char *path = sos_path_join(folder, item->name, endings[i]);
        if (path && sos_path_exists(path))
            item->scribbles = path;
        else
            free(path);
    }
    int code = folder ? COMMAND_DONE : command_fail("no memory for a name");
    if (!code && !item->scribbles)
        code = command_fail("'%s': there are no scribbles '%s.png' in '%s'; --scribbles names their folder", item->image,
                            item->name, folder);
    free(folder);
    return code;
}

static int album_scribbles(album *a, const picture_model *m, const request *r)
{
    int code = COMMAND_DONE;
    if (!m->task->scribbles && r->scribbles)
        return command_fail("%s: scribbles are not for the task \"%s\"", m->name, m->task->name);
    for (size_t i = 0; m->task->scribbles && i < a->paths.count && !code; i++)
        code = scribbles_find(&a->items[i], r->scribbles);
    return code;
}

static void pictures_json(const album *a, const picture_model *m, const request *r)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", r->output);
    sos_json_text(&out, "model", m->name);
    sos_json_text(&out, "task", m->task->name);
    sos_json_real(&out, "seconds", a->seconds);
    sos_json_real(&out, "seconds_per_image", pictures_seconds(a->paths.count, a->results));
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < a->paths.count; i++) {
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
    sos_json_close(&out, '}');
}

static void pictures_text(const album *a, const picture_model *m, const request *r)
{
    printf("%s\n  pictures     %zu\n  model        %s (%s)\n", r->output, a->paths.count, m->name, m->task->name);
    printf("  seconds      %.4f: %.4f a picture\n", a->seconds, pictures_seconds(a->paths.count, a->results));
}

static int album_label(album *a, const picture_model *m, const request *r)
{
    char **outputs = NULL;
    int code = album_scribbles(a, m, r);
    if (!code) code = picture_outputs_make(a->paths.count, a->items, r->output, r->force, &outputs);
    if (code) return code;
    a->outputs = outputs;
    const sos_task_job job = { .task = m->task,
                               .model = m->model,
                               .count = a->paths.count,
                               .items = a->items,
                               .outputs = a->outputs,
                               .threads = (int)r->threads };
    return pictures_label(&job, "predict", a->results, &a->seconds);
}

static int pictures_predict(const command *self, const request *r, int count, char *argv[])
{
    if (!count) return options_wrong(self, "no PICTURE and no --problem FILE given");
    if (!r->output || !*r->output) return options_wrong(self, "no DIR given: -o names the folder to write to");
    picture_model m;
    album a = { 0 };
    int code = picture_model_read(r->model, &m);
    if (!code) code = album_fill(&a, count, argv);
    if (!code) code = album_label(&a, &m, r);
    if (!code && r->json)
        pictures_json(&a, &m, r);
    else if (!code)
        pictures_text(&a, &m, r);
    album_free(&a);
    picture_model_free(&m);
    return code;
}

/* ---------------------------------------------------------------- the command */

static const sos_option OPTIONS[] = {
    { "model", 'm', SOS_SETS_TEXT(request, model), "MODEL", "the model, as s3svm train writes it", 0, 0 },
    { "output", 'o', SOS_SETS_TEXT(request, output), "DIR", "write the pictures here", 0, 0 },
    { "scribbles", 0, SOS_SETS_TEXT(request, scribbles), "DIR", "of models that need some (../scribbles of a picture)", 0, 0 },
    { "force", 0, SOS_SETS_FLAG(request, force), NULL, "replace pictures that are there", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(request, threads), "N", "so many pictures at once (0: as many as there are cores)", 0,
      4096 },
    { "problem", 0, SOS_SETS_TEXT(request, problem), "FILE", "examples instead of pictures; -o is then a file of labels", 0,
      0 },
    { "json", 0, SOS_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    SOS_OPTIONS_END,
};

static int predict_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (!r.problem) return pictures_predict(self, &r, count, argv);
    if (count) return options_wrong(self, "what is '%s' for?", argv[0]);
    return problem_predict(self, &r);
}

const command predict_command = {
    .name = "predict",
    .arguments = "[-m MODEL] PICTURE... -o DIR | -m MODEL --problem FILE",
    .summary = "restore pictures, or label examples, by a learned model",
    .details = "Finds the labels of least energy.  For pictures, or all pictures of a folder or of its folder images,\n"
               "and writes them to DIR under the same names as PNG; what they show depends on the model's task:\n"
               "denoise restores drawings, black on white; segment writes masks, the object white, by scribbles of the\n"
               "same name (s3svm help train segment); label writes the labels in their colours.  Without -m the model\n"
               "that the program carries inside restores noisy drawings.\n"
               "\n"
               "Or for every example in FILE ('-': standard input), which must declare the labels and groups of the\n"
               "model.  -o then writes the labels, a line per example, '-' to standard output.  Where examples have\n"
               "true labels, says how large the loss is.",
    .examples = "  s3svm predict noisy.png -o clean\n"
                "  s3svm predict -m model.json scans/*.png -o restored --json\n"
                "  s3svm predict -m model.json photographs/images --scribbles photographs/scribbles -o masks\n"
                "  s3svm predict -m model.json --problem new.txt -o labels.txt\n",
    .run = predict_run,
};
