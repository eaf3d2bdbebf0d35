/* make_scribbles.c - s3svm make-scribbles: marks as people would make them, from true masks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "pictures.h"
#include "progress.h"

/* What the command line says. */
typedef struct request {
    const char *data, *output, *model;
    int kind;
    bool both, one, hasty, whole, png, force, json;
    int64_t seed, corrections, threads;
    double radius, margin;
} request;

/* What became of a photograph. */
typedef struct sheet {
    size_t steps, counts[S3SVM_MARKS];
    bool right; /* nothing was left to correct */
} sheet;

typedef struct making {
    const request *r;
    s3svm_dataset set;
    s3svm_segment_model *model; /* for corrections; NULL: none are made */
    char *folder, **paths;
    sheet *sheets;
    s3svm_task_result *results;
    size_t done;
    double seconds;
} making;

static void making_free(making *m)
{
    for (size_t i = 0; m->paths && i < m->set.count; i++) free(m->paths[i]);
    free(m->paths);
    free(m->folder);
    free(m->sheets);
    free(m->results);
    s3svm_segment_model_free(m->model);
    s3svm_dataset_free(&m->set);
}

/* ---------------------------------------------------------------- before */

static int model_take(making *m)
{
    const char *name = m->r->model ? m->r->model : "segment";
    sos_model *file;
    sos_error error;
    bool inside;
    if (model_find(name, &file, &inside, &error)) return command_fail("%s", error.message);
    const sos_status status = s3svm_segment_model_create(file, &m->model, &error);
    sos_model_free(file);
    return status ? command_fail("%s: %s", name, error.message) : COMMAND_DONE;
}

static int paths_make(making *m)
{
    const request *r = m->r;
    const size_t n = m->set.count;
    m->folder = sos_path_join(r->output, "scribbles", "");
    m->paths = calloc(n, sizeof *m->paths);
    m->sheets = calloc(n, sizeof *m->sheets);
    m->results = calloc(n, sizeof *m->results);
    if (!m->folder || !m->paths || !m->sheets || !m->results) return command_fail("no memory for %zu photographs", n);
    for (size_t i = 0; i < n; i++) {
        m->paths[i] = sos_path_join(m->folder, m->set.items[i].name, r->png ? ".png" : ".json");
        if (!m->paths[i]) return command_fail("no memory for %zu photographs", n);
        const int code = picture_output_check(&m->set.items[i], r->model, m->paths[i], r->force);
        if (code) return code;
    }
    sos_error error;
    return sos_folder_create(m->folder, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
}

static int making_begin(making *m)
{
    sos_error error;
    const s3svm_dataset_images images = m->r->corrections ? S3SVM_IMAGES_REQUIRED : S3SVM_IMAGES_OPTIONAL;
    if (s3svm_dataset_open(m->r->data, images, false, &m->set, &error)) return command_fail("%s", error.message);
    if (s3svm_dataset_tell_truths(&m->set, S3SVM_UNSURE_TOLD, false, NULL, &error)) return command_fail("%s", error.message);
    const int code = m->r->corrections ? model_take(m) : COMMAND_DONE;
    return code ? code : paths_make(m);
}

/* ---------------------------------------------------------------- one photograph */

/* A photograph in memory. */
typedef struct easel {
    const making *m;
    sheet *sheet;
    s3svm_image photograph; /* empty where nothing is corrected */
    s3svm_truth truth;
    s3svm_simulation person;
    s3svm_dialogue *d;
    s3svm_segmenter *segmenter; /* NULL where nothing is corrected */
} easel;

static bool goes_on(void *user, const char *phase, double done)
{
    (void)user;
    (void)phase;
    (void)done;
    return !progress_interrupted();
}

static sos_status easel_begin(easel *e, const s3svm_item *item, sos_error *error)
{
    const request *r = e->m->r;
    sos_status status = s3svm_truth_read(item->labels, &item->truth, &e->truth, error);
    if (!status && r->corrections) status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &e->photograph, error);
    if (!status) status = s3svm_dialogue_create(e->truth.width, e->truth.height, &e->d, error);
    if (status) return status;
    e->person = s3svm_simulation_defaults();
    e->person.kind = (s3svm_simulated)r->kind;
    e->person.both = !r->one;
    e->person.hasty = r->hasty;
    e->person.radius = r->radius;
    e->person.whole = r->whole;
    e->person.margin = r->margin;
    e->person.seed = sos_hash((uint64_t)r->seed ^ SOS_HASH_START, item->name, strlen(item->name));
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.tidying.specks = 1; /* the person corrects what the model finds */
    settings.work = (sos_work){ .threads = 1, .progress = goes_on };
    return r->corrections ? s3svm_segmenter_create(e->m->model, &e->photograph, &settings, &e->segmenter, error) : SOS_OK;
}

static void easel_end(easel *e)
{
    s3svm_segmenter_free(e->segmenter);
    s3svm_image_free(&e->photograph);
    s3svm_truth_free(&e->truth);
    s3svm_dialogue_free(e->d);
}

/* Labels behind the last step, and a correction of them. */
static sos_status easel_correct(easel *e, sos_error *error)
{
    enum { MARKS_MOST = 8 }; /* simulated steps have no more than 4 */
    const size_t step = s3svm_dialogue_steps(e->d) - 1, count = s3svm_dialogue_count(e->d, step);
    s3svm_mark marks[MARKS_MOST];
    for (size_t i = 0; i < count && i < MARKS_MOST; i++) marks[i] = s3svm_dialogue_mark(e->d, step, i);
    const sos_status status = s3svm_segmenter_mark(e->segmenter, count, marks, error);
    if (status) return status;
    const uint8_t *labels = s3svm_segmenter_labels(e->segmenter);
    return s3svm_simulate_correct(&e->person, e->truth.labels, e->truth.care, labels, e->d, &e->sheet->right, error);
}

static sos_status easel_write(easel *e, const char *path, sos_error *error)
{
    static const uint32_t COLOURS[S3SVM_MARKS] = { 0x000000, 0xff0000, 0x0000ff, 0xff8080, 0x8080ff };
    s3svm_image marks;
    sos_status status = s3svm_image_create(e->truth.width, e->truth.height, 1, &marks, error);
    if (status) return status;
    status = s3svm_dialogue_draw(e->d, SIZE_MAX, &marks, error);
    if (!status) s3svm_marks_count(&marks, e->sheet->counts);
    for (size_t i = 0; i < s3svm_image_size(&marks) && !status && e->m->r->png; i++) /* the convention "palette" */
        if (!s3svm_mark_is_sure(marks.pixels[i])) marks.pixels[i] = S3SVM_MARK_NONE;
    if (!status)
        status = e->m->r->png ? s3svm_image_write_palette(&marks, S3SVM_MARK_BACKGROUND + 1, COLOURS, path, error)
                              : s3svm_dialogue_write(e->d, path, error);
    s3svm_image_free(&marks);
    return status;
}

static sos_status photograph_mark(void *user, size_t i, sos_error *error)
{
    making *m = user;
    easel e = { .m = m, .sheet = &m->sheets[i] };
    sos_status status = easel_begin(&e, &m->set.items[i], error);
    if (!status) status = s3svm_simulate_first(&e.person, e.truth.labels, e.truth.care, e.d, error);
    for (int64_t k = 0; k < m->r->corrections && !status && !e.sheet->right; k++) status = easel_correct(&e, error);
    if (!status) status = easel_write(&e, m->paths[i], error);
    if (e.d) e.sheet->steps = s3svm_dialogue_steps(e.d);
    easel_end(&e);
    return status;
}

/* ---------------------------------------------------------------- what came out */

static void json_print(const making *m)
{
    const request *r = m->r;
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", m->folder);
    sos_json_text(&out, "kind", s3svm_simulated_name((s3svm_simulated)r->kind));
    sos_json_truth(&out, "both", !r->one);
    sos_json_truth(&out, "hasty", r->hasty);
    sos_json_count(&out, "corrections", (uint64_t)r->corrections);
    sos_json_count(&out, "seed", (uint64_t)r->seed);
    sos_json_real(&out, "seconds", m->seconds);
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < m->set.count; i++) {
        const sheet *s = &m->sheets[i];
        if (!m->results[i].done) continue;
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "name", m->set.items[i].name);
        sos_json_text(&out, "file", m->paths[i]);
        sos_json_count(&out, "steps", s->steps);
        sos_json_count(&out, "object_marks", s->counts[S3SVM_MARK_OBJECT]);
        sos_json_count(&out, "background_marks", s->counts[S3SVM_MARK_BACKGROUND]);
        sos_json_truth(&out, "right", s->right);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    pictures_failed_json(&out, m->set.count, m->set.items, m->results);
    sos_json_close(&out, '}');
}

static void text_print(const making *m)
{
    const request *r = m->r;
    size_t steps = 0, right = 0;
    for (size_t i = 0; i < m->set.count; i++) {
        steps += m->results[i].done ? m->sheets[i].steps : 0;
        right += m->results[i].done && m->sheets[i].right;
    }
    printf("%s\n  photographs  %zu: %s%s, seed %lld\n", m->folder, m->done, s3svm_simulated_name((s3svm_simulated)r->kind),
           r->hasty ? ", hasty" : "", (long long)r->seed);
    printf("  steps        %zu, of %zu photographs until all was right\n  seconds      %.4f\n", steps, right, m->seconds);
}

static int making_run(making *m)
{
    const picture_job job = { .what = m->folder,
                              .phase = "marking",
                              .count = m->set.count,
                              .threads = (int)m->r->threads,
                              .work = photograph_mark,
                              .user = m };
    const int code = pictures_run(&job, m->results, &m->done, &m->seconds);
    if (!m->done || code == COMMAND_INTERRUPTED) return code;
    if (m->r->json)
        json_print(m);
    else
        text_print(m);
    return code;
}

/* ---------------------------------------------------------------- the command */

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(request, data), "DIR", "folder with labels (true masks) and, for corrections, images", 0, 0 },
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "OUT", "write OUT/scribbles/NAME.json; OUT may be DIR", 0, 0 },
    { "kind", 0, S3SVM_SETS_CHOICE(request, kind), S3SVM_SIMULATED_NAMES, "what is marked first (default scribbles)", 0, 0 },
    { "both", 0, S3SVM_SETS_FLAG(request, both), NULL, "mark object and background at once (default)", 0, 0 },
    { "one", 0, S3SVM_SETS_FLAG(request, one), NULL, "mark the object only; no click in addition to a box or an outline", 0,
      0 },
    { "hasty", 0, S3SVM_SETS_FLAG(request, hasty), NULL, "mark like a person in a hurry, not where marks help most", 0, 0 },
    { "corrections", 0, S3SVM_SETS_INTEGER(request, corrections), "N",
      "number of corrections of the labels of a model (default 0)", 0, 1000 },
    { "model", 'm', S3SVM_SETS_TEXT(request, model), "MODEL",
      "the model to correct, or the name of a built-in one (default segment)", 0, 0 },
    { "radius", 0, S3SVM_SETS_REAL(request, radius), "PIXELS", "radius of clicks in pixels; lines have 0.6 of it (default 5)",
      0, 0 },
    { "whole", 0, S3SVM_SETS_FLAG(request, whole), NULL, "clicks keep their radius even where the true region is thinner", 0,
      0 },
    { "margin", 0, S3SVM_SETS_REAL(request, margin), "SHARE",
      "fraction by which boxes and outlines are too large (default 0.1)", 0, 0 },
    { "seed", 0, S3SVM_SETS_INTEGER(request, seed), "N", "seed: the same seed and file name give the same marks (default 1)", 0,
      INT64_MAX },
    { "png", 0, S3SVM_SETS_FLAG(request, png), NULL, "write pictures of all marks, NAME.png, instead of lists", 0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "replace existing files", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N",
      "number of photographs processed in parallel (default 0: all cores)", 0, 4096 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int request_check(const command *self, const request *r, int count, char *argv[])
{
    if (count) return options_wrong(self, "unexpected argument '%s': --data names the folder", argv[0]);
    if (!r->data) return options_wrong(self, "no --data DIR given");
    if (!r->output || !*r->output) return options_wrong(self, "no OUT given: -o names the folder to write to");
    if (r->both && r->one) return options_wrong(self, "--both and --one contradict each other");
    if (r->model && !r->corrections) return options_wrong(self, "-m needs --corrections");
    if (!(r->radius > 0 && r->radius <= 1000))
        return options_wrong(self, "--radius takes a number above 0, at most 1000, not %g", r->radius);
    if (!(r->margin >= 0 && r->margin <= 1)) return options_wrong(self, "--margin takes 0 to 1, not %g", r->margin);
    return COMMAND_DONE;
}

static int make_scribbles_run(const command *self, int argc, char *argv[])
{
    request r = { .kind = S3SVM_SIMULATED_SCRIBBLES, .seed = 1, .radius = 5, .margin = 0.1 };
    making m = { .r = &r };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    code = request_check(self, &r, count, argv);
    if (code) return code;
    code = making_begin(&m);
    if (!code) code = making_run(&m);
    making_free(&m);
    return code;
}

const command make_scribbles_command = {
    .name = "make-scribbles",
    .arguments = "--data DIR -o OUT",
    .summary = "simulate the marks of a person, from true masks",
    .details = "Reads the true masks in DIR/labels (0 background, 255 object, 128 not sure) and writes lists of\n"
               "marks to OUT/scribbles, which s3svm segment and s3svm train read like scribbles:\n"
               "  clicks      a disk in the middle of the object, and one in the background\n"
               "  strokes     a short line in each\n"
               "  scribbles   a long line through the object, and three lines around it\n"
               "  box         the bounding box of the object, enlarged by a tenth, and a click on the object\n"
               "  outline     a smooth line around the object, and a click on it\n"
               "With --corrections, a model then segments the photograph in DIR/images, and each correction is a\n"
               "click in the middle of the largest error; with --hasty, a click or a short line somewhere in any\n"
               "error.",
    .examples = "  s3svm make-scribbles --data photographs -o photographs\n"
                "  s3svm make-scribbles --data photographs -o marked --kind clicks --one --corrections 10\n"
                "  s3svm make-scribbles --data photographs -o marked --hasty --corrections 5 -m model.json --seed 3\n"
                "  s3svm make-scribbles --data photographs -o boxes --kind box --one --json\n",
    .run = make_scribbles_run,
};
