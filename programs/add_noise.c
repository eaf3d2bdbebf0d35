/* add_noise.c - s3svm add-noise: noisy copies of pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "options.h"
#include "pictures.h"
#include <s3svm/dataset.h>
#include <s3svm/noise.h>

typedef struct copying {
    s3svm_noise noise;
    s3svm_folder_list inputs;
    s3svm_item *items;  /* names and paths of the inputs */
    const char *folder; /* of the noisy ones */
    char **outputs;     /* paths, one per input */
    s3svm_task_result *results;
    size_t done;
    bool force;
    double seconds;
} copying;

static int items_make(copying *k)
{
    const size_t n = k->inputs.count;
    s3svm_item *items = calloc(n + 1, sizeof *items); /* never 0 bytes */
    k->items = items;
    k->results = calloc(n + 1, sizeof *k->results);
    bool room = items && k->results;
    for (size_t i = 0; room && i < n; i++) {
        items[i] = (s3svm_item){ .name = sos_path_stem(k->inputs.paths[i]), .image = k->inputs.paths[i] };
        room = items[i].name;
    }
    return room ? COMMAND_DONE : command_fail("no memory for %zu names", n);
}

/* The paths to write, if nothing is lost by it. */
static int outputs_make(copying *k)
{
    char **outputs = NULL;
    int code = items_make(k);
    if (!code) code = picture_outputs_make(k->inputs.count, k->items, NULL, k->folder, k->force, &outputs);
    k->outputs = outputs;
    return code;
}

static void copying_free(copying *k)
{
    picture_outputs_free(k->inputs.count, k->outputs);
    for (size_t i = 0; k->items && i < k->inputs.count; i++) free(k->items[i].name);
    free(k->items);
    free(k->results);
    s3svm_folder_list_free(&k->inputs);
}

static sos_status picture_copy(void *user, size_t i, sos_error *error)
{
    const copying *k = user;
    s3svm_image clean, noisy;
    s3svm_plane plane;
    sos_status status = s3svm_image_read(k->inputs.paths[i], S3SVM_IMAGE_GREY, &clean, error);
    if (status) return status;
    status = s3svm_noise_add(&k->noise, s3svm_noise_stream(k->inputs.paths[i]), &clean, &plane, error);
    s3svm_image_free(&clean);
    if (status) return status;
    status = s3svm_plane_to_image(&plane, &noisy, error);
    s3svm_plane_free(&plane);
    if (status) return status;
    status = s3svm_image_write(&noisy, k->outputs[i], error);
    s3svm_image_free(&noisy);
    return status;
}

static int pictures_copy(copying *k)
{
    const picture_job job = {
        .what = k->folder, .phase = "adding noise", .count = k->inputs.count, .threads = 1, .work = picture_copy, .user = k
    };
    return pictures_run(&job, k->results, &k->done, &k->seconds);
}

static const char *model_name(const copying *k) { return s3svm_noise_name(k->noise.model); }

static void json_print(const copying *k)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "output", k->folder);
    sos_json_text(&out, "noise", model_name(k));
    sos_json_real(&out, "sigma", k->noise.sigma);
    sos_json_count(&out, "seed", k->noise.seed);
    sos_json_real(&out, "seconds", k->seconds);
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < k->inputs.count; i++) {
        if (!k->results[i].done) continue;
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "clean", k->inputs.paths[i]);
        sos_json_text(&out, "noisy", k->outputs[i]);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    pictures_failed_json(&out, k->inputs.count, k->items, k->results);
    sos_json_close(&out, '}');
}

static void text_print(const copying *k)
{
    printf("%s\n  pictures     %zu\n  noise        %s, sigma %g, seed %llu\n  seconds      %.4f\n", k->folder, k->done,
           model_name(k), k->noise.sigma, (unsigned long long)k->noise.seed, k->seconds);
}

/* The pictures in DIR/labels. */
static int folder_take(copying *k, const char *data)
{
    size_t others = 0;
    sos_error error;
    char *labels = sos_path_join(data, "labels", "");
    if (!labels) return command_fail("no memory for a path");
    int code = COMMAND_DONE;
    if (!sos_path_is_folder(data))
        code = command_fail("'%s' is not a folder; for single pictures, give the output folder with -o", data);
    else if (s3svm_folder_pictures(labels, &k->inputs, &others, &error))
        code = command_fail("%s", error.message);
    else if (!k->inputs.count)
        code = command_fail("there are no pictures in '%s'", labels);
    if (!code && others)
        fprintf(stderr, "s3svm: note: %zu other file%s in '%s' ignored\n", others, others == 1 ? "" : "s", labels);
    free(labels);
    return code;
}

static int files_take(copying *k, int count, char *argv[])
{
    k->inputs.paths = calloc((size_t)count, sizeof *k->inputs.paths);
    if (!k->inputs.paths) return command_fail("no memory for %d names", count);
    for (int i = 0; i < count; i++) {
        k->inputs.paths[i] = sos_path_join("", argv[i], "");
        if (!k->inputs.paths[i]) return command_fail("no memory for %d names", count);
        k->inputs.count++;
    }
    return COMMAND_DONE;
}

typedef struct request {
    int model;
    double sigma;
    int64_t seed;
    const char *output;
    bool force, json;
} request;

static const s3svm_option OPTIONS[] = {
    { "noise", 0, S3SVM_SETS_CHOICE(request, model), S3SVM_NOISE_MODELS, "model of the noise (default plain)", 0, 0 },
    { "sigma", 0, S3SVM_SETS_REAL(request, sigma), "S",
      "standard deviation (default: plain 0.5 of the range, shifted 150 grey values)", 0, 0 },
    { "seed", 0, S3SVM_SETS_INTEGER(request, seed), "N", "seed: the same seed and file name give the same noise (default 1)", 0,
      INT64_MAX },
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "OUTDIR", "folder for the noisy pictures (default DIR/images)", 0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "replace existing pictures", 0, 0 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int add_noise_run(const command *self, int argc, char *argv[])
{
    request r = { .model = S3SVM_NOISE_PLAIN, .sigma = NAN, .seed = -1 }; /* the defaults of the model */
    copying k = { 0 };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (!count) return options_wrong(self, "no DIR or PICTURE given");
    if (r.sigma < 0) return options_wrong(self, "--sigma must not be negative: %g", r.sigma);
    if (r.output && !*r.output) return options_wrong(self, "OUTDIR has no name");
    const bool data = count == 1 && (!r.output || sos_path_is_folder(argv[0]));
    if (!data && !r.output) return options_wrong(self, "no OUTDIR given: PICTURE... needs -o");

    k.force = r.force;
    k.noise = s3svm_noise_defaults((s3svm_noise_model)r.model);
    if (r.seed >= 0) k.noise.seed = (uint64_t)r.seed;
    if (!isnan(r.sigma)) k.noise.sigma = r.sigma;
    char *images = sos_path_join(argv[0], "images", "");
    k.folder = r.output ? r.output : images;
    code = images ? COMMAND_DONE : command_fail("no memory for a path");
    if (!code) code = data ? folder_take(&k, argv[0]) : files_take(&k, count, argv);
    if (!code) code = outputs_make(&k);
    if (!code) code = pictures_copy(&k);
    if (k.done && code != COMMAND_INTERRUPTED) {
        if (r.json)
            json_print(&k);
        else
            text_print(&k);
    }
    copying_free(&k);
    free(images);
    return code;
}

const command add_noise_command = {
    .name = "add-noise",
    .arguments = "DIR | PICTURE... -o OUTDIR",
    .summary = "make noisy copies of pictures",
    .details = "Reads the pictures in DIR/labels and writes noisy copies with the same names to DIR/images, or reads\n"
               "single pictures. All are written as grey PNG. The noise is Gaussian, independent for each pixel, and\n"
               "clipped to 8 bits. It depends on the seed and on the name of the file, not on the other files. If a\n"
               "picture fails, the others are still processed.\n"
               "\n"
               "  plain    x = y + N(0, sigma), y in 0 ... 1\n"
               "  shifted  x = (y + N(255, sigma)) / 2, y in 0 ... 255: black becomes about 127",
    .examples = "  s3svm add-noise drawings\n"
                "  s3svm add-noise drawings --noise shifted --sigma 150 --seed 3\n"
                "  s3svm add-noise drawings --sigma 1 -o drawings-1.0/images\n"
                "  s3svm add-noise one.png two.png -o noisy --json\n",
    .run = add_noise_run,
};
