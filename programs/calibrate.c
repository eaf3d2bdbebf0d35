/* calibrate.c - s3svm calibrate: from what a network says to honest log odds, by a few labelled pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/maps.h>

#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "pictures.h"
#include "progress.h"

typedef struct request {
    const char *data, *maps, *calibration, *output; /* output: a file that ends in .json, a folder, or NULL */
    bool force, json;
    int64_t threads;
} request;

typedef struct calibrating {
    const request *r;
    char *maps_folder, *labels_folder;
    s3svm_folder_list files; /* of maps: all that there are */
    s3svm_maps_calibration calibration;
    s3svm_maps_calibration_report report; /* pictures is 0 where nothing was learned */
    size_t without;                       /* labels whose picture has no maps */

    /* What is learned from. */
    size_t count;
    char **labels;
    s3svm_maps *maps;
    s3svm_truth *truths;

    /* What is written. */
    s3svm_item *items;
    char **outputs;
    s3svm_task_result *results;
    size_t done;
    double seconds;
} calibrating;

static void learned_free(calibrating *k)
{
    for (size_t i = 0; i < k->count; i++) {
        free(k->labels[i]);
        if (k->maps) s3svm_maps_free(&k->maps[i]);
        if (k->truths) s3svm_truth_free(&k->truths[i]);
    }
    free(k->labels);
    free(k->maps);
    free(k->truths);
}

static void calibrating_free(calibrating *k)
{
    learned_free(k);
    picture_outputs_free(k->files.count, k->outputs);
    for (size_t i = 0; k->items && i < k->files.count; i++) free(k->items[i].name);
    free(k->items);
    free(k->results);
    free(k->maps_folder);
    free(k->labels_folder);
    s3svm_folder_list_free(&k->files);
}

static bool writes_maps(const request *r) { return r->output && !sos_path_ends(r->output, ".json"); }

/* ---------------------------------------------------------------- what there is */

/* Where a picture has both, .npy counts. */
static void twins_drop(s3svm_folder_list *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        char *path = files->paths[i];
        const size_t stem = strlen(path) - strlen(".npy");
        const bool twin = kept && strlen(files->paths[kept - 1]) == strlen(path) &&
                          !strncmp(files->paths[kept - 1], path, stem);
        if (twin)
            free(path); /* NAME.png comes behind NAME.npy */
        else
            files->paths[kept++] = path;
    }
    files->count = kept;
}

static int maps_find(calibrating *k)
{
    const request *r = k->r;
    size_t others;
    sos_error error;
    k->maps_folder = r->maps ? sos_path_join(r->maps, "", "") : sos_path_join(r->data, "maps", "");
    k->labels_folder = sos_path_join(r->data, "labels", "");
    if (!k->maps_folder || !k->labels_folder) return command_fail("no memory for a path");
    if (s3svm_folder_maps(k->maps_folder, &k->files, &others, &error)) return command_fail("%s", error.message);
    twins_drop(&k->files);
    return k->files.count ? COMMAND_DONE : command_fail("there are no maps (.npy or .png) in '%s'", k->maps_folder);
}

/* The maps of a picture, or NULL. */
static const char *maps_of(const calibrating *k, const char *name)
{
    for (size_t i = 0; i < k->files.count; i++) {
        const char *file = sos_path_name(k->files.paths[i]);
        const size_t length = strlen(file) - strlen(".npy");
        if (length == strlen(name) && !strncmp(file, name, length)) return k->files.paths[i];
    }
    return NULL;
}

/* ---------------------------------------------------------------- learning */

/* Room for pictures that have labels; of those that have maps too, count of them, the paths of labels move over. */
static int labels_find(calibrating *k)
{
    s3svm_folder_list found = { 0 };
    size_t others;
    sos_error error;
    if (s3svm_folder_pictures(k->labels_folder, &found, &others, &error)) return command_fail("%s", error.message);
    k->labels = calloc(found.count + 1, sizeof *k->labels);
    bool room = k->labels;
    for (size_t i = 0; i < found.count && room; i++) {
        char *name = sos_path_stem(found.paths[i]);
        room = name;
        if (name && maps_of(k, name)) {
            k->labels[k->count++] = found.paths[i];
            found.paths[i] = NULL;
        } else
            k->without++;
        free(name);
    }
    s3svm_folder_list_free(&found);
    k->maps = calloc(k->count + 1, sizeof *k->maps);
    k->truths = calloc(k->count + 1, sizeof *k->truths);
    if (!room || !k->maps || !k->truths) return command_fail("no memory for %zu pictures", k->count);
    if (k->count) return COMMAND_DONE;
    return command_fail("no picture has labels in '%s' and maps in '%s'", k->labels_folder, k->maps_folder);
}

/* What the numbers in all labels mean. */
static sos_status code_find(const calibrating *k, s3svm_truth_code *code, sos_error *error)
{
    s3svm_truth_survey *survey;
    sos_status status = s3svm_truth_survey_create(S3SVM_UNSURE_TOLD, &survey, error);
    if (status) return status;
    for (size_t i = 0; i < k->count && !status; i++) {
        s3svm_image numbers;
        status = s3svm_image_read(k->labels[i], S3SVM_IMAGE_LABELS, &numbers, error);
        if (status) break;
        status = s3svm_truth_survey_add(survey, &numbers, k->labels[i], error);
        s3svm_image_free(&numbers);
    }
    if (!status) status = s3svm_truth_survey_end(survey, false, NULL, code, error);
    s3svm_truth_survey_free(survey);
    return status;
}

static sos_status picture_read(calibrating *k, size_t i, const s3svm_truth_code *code, sos_error *error)
{
    char *name = sos_path_stem(k->labels[i]);
    const char *maps = name ? maps_of(k, name) : NULL;
    free(name);
    sos_status status = maps ? s3svm_maps_read(maps, &k->maps[i], error) : SOS_ERR_MEMORY;
    if (!status) status = s3svm_truth_read(k->labels[i], code, &k->truths[i], error);
    if (status) return status;
    const s3svm_maps *m = &k->maps[i];
    const s3svm_truth *t = &k->truths[i];
    if (m->channels == 1 && m->width == t->width && m->height == t->height) return SOS_OK;
    if (error) {
        error->status = SOS_ERR_ARGUMENT;
        if (m->channels != 1)
            snprintf(error->message, sizeof error->message, "'%.200s' has %zu channels; evidence has one", maps, m->channels);
        else
            snprintf(error->message, sizeof error->message, "'%.200s' has %zu by %zu pixels, its labels %zu by %zu", maps,
                     m->width, m->height, t->width, t->height);
    }
    return SOS_ERR_ARGUMENT;
}

static int calibration_learn(calibrating *k)
{
    s3svm_truth_code code;
    sos_error error;
    progress shown;
    const int found = labels_find(k);
    if (found) return found;
    progress_begin(&shown, k->r->data);
    const sos_work work = { .threads = (int)k->r->threads };
    sos_status status = code_find(k, &code, &error);
    for (size_t i = 0; i < k->count && !status; i++) {
        status = picture_read(k, i, &code, &error);
        if (!status && !progress_report(&shown, "reading", (double)i / (double)k->count)) status = SOS_CANCELLED;
    }
    if (!status) status = s3svm_maps_calibrate(k->count, k->maps, k->truths, &work, &k->calibration, &k->report, &error);
    progress_end(&shown);
    if (status == SOS_CANCELLED) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

static int calibration_get(calibrating *k)
{
    sos_error error;
    if (!k->r->calibration) return calibration_learn(k);
    const sos_status status = s3svm_maps_calibration_read(k->r->calibration, &k->calibration, &error);
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

/* ---------------------------------------------------------------- writing */

static int outputs_make(calibrating *k)
{
    const size_t n = k->files.count;
    sos_error error;
    k->items = calloc(n, sizeof *k->items);
    k->outputs = calloc(n, sizeof *k->outputs);
    k->results = calloc(n, sizeof *k->results);
    bool room = k->items && k->outputs && k->results;
    for (size_t i = 0; i < n && room; i++) {
        k->items[i] = (s3svm_item){ .name = sos_path_stem(k->files.paths[i]), .image = k->files.paths[i] };
        k->outputs[i] = k->items[i].name ? sos_path_join(k->r->output, k->items[i].name, ".npy") : NULL;
        room = k->outputs[i];
        const int code = room ? picture_output_check(&k->items[i], k->r->calibration, k->outputs[i], k->r->force)
                              : COMMAND_DONE;
        if (code) return code;
    }
    if (!room) return command_fail("no memory for %zu names", n);
    return sos_folder_create(k->r->output, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
}

static sos_status maps_convert(void *user, size_t i, sos_error *error)
{
    const calibrating *k = user;
    s3svm_maps maps = { 0 };
    sos_error why = { 0 };
    sos_status status = s3svm_maps_read(k->files.paths[i], &maps, error);
    if (status) return status;
    status = s3svm_maps_apply(&k->calibration, &maps, &why);
    if (status && error) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "'%.200s': %.250s", k->files.paths[i], why.message);
    }
    if (!status) status = s3svm_npy_write(&maps, k->outputs[i], error);
    s3svm_maps_free(&maps);
    return status;
}

static int maps_write(calibrating *k)
{
    const int code = outputs_make(k);
    if (code) return code;
    const picture_job job = { .what = k->r->output,
                              .phase = "calibrating",
                              .count = k->files.count,
                              .threads = (int)k->r->threads,
                              .work = maps_convert,
                              .user = k };
    return pictures_run(&job, k->results, &k->done, &k->seconds);
}

static int output_write(calibrating *k)
{
    sos_error error;
    if (!k->r->output) return COMMAND_DONE;
    if (writes_maps(k->r)) return maps_write(k);
    return s3svm_maps_calibration_write(&k->calibration, k->r->output, &error) ? command_fail("%s", error.message)
                                                                               : COMMAND_DONE;
}

/* ---------------------------------------------------------------- what came out */

static void score_json(sos_json *out, const char *name, s3svm_maps_score s)
{
    sos_json_open(out, name, '{');
    sos_json_real(out, "log_loss", s.loss);
    sos_json_real(out, "calibration_error", s.astray);
    sos_json_close(out, '}');
}

static void json_print(const calibrating *k)
{
    const s3svm_maps_calibration_report *report = &k->report;
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "numbers", s3svm_maps_numbers_name(k->calibration.numbers));
    sos_json_real(&out, "scale", k->calibration.scale);
    sos_json_real(&out, "offset", k->calibration.offset);
    if (report->pictures) {
        sos_json_count(&out, "pictures", report->pictures);
        score_json(&out, "before", report->before);
        score_json(&out, "after", report->after);
        score_json(&out, "others", report->others);
    }
    if (k->r->output) sos_json_text(&out, "output", k->r->output);
    if (k->outputs) sos_json_count(&out, "maps", k->done);
    if (k->outputs) pictures_failed_json(&out, k->files.count, k->items, k->results);
    sos_json_close(&out, '}');
}

static void text_print(const calibrating *k)
{
    static const char *const WORDS[] = { "log odds", "probabilities, 0 to 1", "probabilities, 0 to 255" };
    const s3svm_maps_calibration_report *report = &k->report;
    printf("%s\n  numbers      %s\n", k->r->output ? k->r->output : k->r->data, WORDS[k->calibration.numbers]);
    printf("  log odds     %.4g times theirs, %+.4g\n", k->calibration.scale, k->calibration.offset);
    if (report->pictures) {
        printf("  pictures     %zu\n", report->pictures);
        printf("  log loss     %.4f before, %.4f after", report->before.loss, report->after.loss);
        if (report->pictures > 1) printf("; of pictures left out %.4f", report->others.loss);
        printf("\n  astray       %.4f before, %.4f after", report->before.astray, report->after.astray);
        if (report->pictures > 1) printf("; of pictures left out %.4f", report->others.astray);
        puts("");
    }
    if (k->outputs) printf("  maps         %zu, %.2f seconds\n", k->done, k->seconds);
}

static void notes_print(const calibrating *k)
{
    if (k->without) command_note("%zu labels in '%s' have no maps in '%s'", k->without, k->labels_folder, k->maps_folder);
    if (k->calibration.scale <= 0)
        command_note("the scale is %g: what the network says is the contrary of the labels, or nothing about them",
                     k->calibration.scale);
    else if (k->report.pictures > 1 && k->report.others.loss > k->report.before.loss)
        command_note("on pictures that were left out the calibration is worse than none: more labelled pictures are needed");
}

/* ---------------------------------------------------------------- the command */

static const s3svm_option OPTIONS[] = {
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "PATH",
      "write the calibration (FILE.json), or calibrated maps of all pictures into a folder", 0, 0 },
    { "maps", 0, S3SVM_SETS_TEXT(request, maps), "DIR", "folder of the maps (default DATA/maps)", 0, 0 },
    { "calibration", 0, S3SVM_SETS_TEXT(request, calibration), "FILE", "use this calibration instead of learning one", 0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "replace existing maps", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N", "number of threads (default 0: all cores)", 0, 4096 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int request_check(const command *self, const request *r)
{
    if (!r->calibration) return COMMAND_DONE;
    if (!writes_maps(r)) return options_wrong(self, "--calibration needs -o DIR: the folder for calibrated maps");
    return COMMAND_DONE;
}

static int calibrate_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    calibrating k = { .r = &r };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count != 1) return options_wrong(self, count ? "one DATA folder at a time" : "no DATA given");
    if (r.output && !*r.output) return options_wrong(self, "-o names no file");
    r.data = argv[0];
    code = request_check(self, &r);
    if (code) return code;
    const file_use written = { "-o", writes_maps(&r) ? NULL : r.output };
    code = dataset_guard(r.data, 1, &written);
    if (!code) code = maps_find(&k);
    if (!code) code = calibration_get(&k);
    if (!code) code = output_write(&k);
    if (!code || k.done) {
        notes_print(&k);
        if (r.json)
            json_print(&k);
        else
            text_print(&k);
    }
    calibrating_free(&k);
    return code;
}

const command calibrate_command = {
    .name = "calibrate",
    .arguments = "DATA [-o FILE.json | -o DIR]",
    .summary = "turn what a network says into honest log odds",
    .details = "Learns from a few labelled pictures how far to trust a network: a scale and an offset that turn its\n"
               "numbers into log odds of the object (Platt's method; each picture counts the same).\n"
               "\n"
               "DATA has labels/NAME.png and maps/NAME.npy of one channel, or NAME.png with probabilities of 8 bits.\n"
               "Pixels of 128 in the labels are left out. Maps without labels are not learned from, but converted\n"
               "with -o DIR. The numbers may be log odds of any scale, probabilities, or probabilities times 255:\n"
               "which, is found. Log loss and expected calibration error are reported before and after, and on\n"
               "pictures that were left out in turn.\n"
               "\n"
               "s3svm segment --maps reads the file with --calibration FILE.json.",
    .examples = "  s3svm calibrate photographs -o calibration.json\n"
                "  s3svm segment photo.jpg --click 320,240 --maps photo.npy --calibration calibration.json -o mask.png\n"
                "  s3svm calibrate photographs -o photographs/honest\n"
                "  s3svm calibrate more --calibration calibration.json -o more/honest\n",
    .run = calibrate_run,
};
