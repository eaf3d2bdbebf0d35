/* make_data.c - s3svm make-data: pictures to learn from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "options.h"
#include "progress.h"
#include <s3svm/drawing.h>

typedef struct making {
    const char *folder; /* as given */
    char *labels;       /* the folder of the pictures */
    int64_t count, seed;
    s3svm_sides size;
    bool force, json;
    char **paths;
    double *ink;
    double seconds;
} making;

/* The first half are shapes, the second sketches. */
static int64_t shapes_count(const making *m) { return (m->count + 1) / 2; }

static bool making_allocate(making *m)
{
    m->labels = sos_path_join(m->folder, "labels", "");
    m->paths = calloc((size_t)m->count, sizeof *m->paths);
    m->ink = calloc((size_t)m->count, sizeof *m->ink);
    bool ok = m->labels && m->paths && m->ink;
    for (int64_t i = 0; ok && i < m->count; i++) {
        const int64_t shapes = shapes_count(m);
        char name[64];
        snprintf(name, sizeof name, m->count < 199 ? "%s-%02lld" : "%s-%06lld", i < shapes ? "shapes" : "sketch",
                 (long long)(i < shapes ? i + 1 : i + 1 - shapes));
        m->paths[i] = sos_path_join(m->labels, name, ".png");
        ok = m->paths[i];
    }
    return ok;
}

static void making_free(making *m)
{
    for (int64_t i = 0; m->paths && i < m->count; i++) free(m->paths[i]);
    free(m->paths);
    free(m->ink);
    free(m->labels);
}

/* Before anything is written: what would be lost? */
static int overwriting_check(const making *m)
{
    for (int64_t i = 0; !m->force && i < m->count; i++)
        if (sos_path_exists(m->paths[i])) return command_fail("'%s' already exists; --force replaces it", m->paths[i]);
    return COMMAND_DONE;
}

static sos_status picture_make(making *m, int64_t i, sos_error *error)
{
    s3svm_image image;
    const uint64_t seed = s3svm_drawing_seed((uint64_t)m->seed, (uint64_t)i);
    sos_status status = s3svm_drawing_make(m->size.width, m->size.height, i >= shapes_count(m), seed, &image, error);
    if (status) return status;
    m->ink[i] = s3svm_drawing_ink(&image);
    status = s3svm_image_write(&image, m->paths[i], error);
    s3svm_image_free(&image);
    return status;
}

static int pictures_make(making *m)
{
    progress shown;
    sos_error error;
    sos_status status = sos_folder_create(m->labels, &error);
    int64_t i = 0;
    progress_begin(&shown, m->labels);
    for (; !status && i < m->count; i++) {
        if (!progress_report(&shown, "drawing", (double)i / (double)m->count)) break;
        status = picture_make(m, i, &error);
    }
    progress_end(&shown);
    m->seconds = sos_seconds() - shown.started;
    if (status) return command_fail("%s", error.message);
    if (i == m->count) return COMMAND_DONE;
    command_fail("interrupted: %lld of %lld pictures are written", (long long)i, (long long)m->count);
    return COMMAND_INTERRUPTED;
}

static double mean_ink(const making *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->count; i++) sum += m->ink[i];
    return sum / (double)m->count;
}

static void json_print(const making *m)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "data", m->folder);
    sos_json_count(&out, "width", m->size.width);
    sos_json_count(&out, "height", m->size.height);
    sos_json_count(&out, "seed", (uint64_t)m->seed);
    sos_json_real(&out, "ink", mean_ink(m));
    sos_json_real(&out, "seconds", m->seconds);
    sos_json_open(&out, "images", '[');
    for (int64_t i = 0; i < m->count; i++) {
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "file", m->paths[i]);
        sos_json_text(&out, "kind", i < shapes_count(m) ? "shapes" : "sketch");
        sos_json_real(&out, "ink", m->ink[i]);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    sos_json_close(&out, '}');
}

static void text_print(const making *m)
{
    const int64_t shapes = shapes_count(m);
    printf("%s\n  pictures     %lld of %zu by %zu pixels: %lld of shapes, %lld sketches\n", m->labels, (long long)m->count,
           m->size.width, m->size.height, (long long)shapes, (long long)(m->count - shapes));
    printf("  ink          %.1f %% of the pixels\n  seconds      %.4f\n", 100 * mean_ink(m), m->seconds);
}

static int size_check(const command *self, const making *m)
{
    const size_t least = S3SVM_DRAWING_SIDE_MIN, most = S3SVM_IMAGE_SIDE_MAX, width = m->size.width, height = m->size.height;
    if (width < least || height < least || width > most || height > most || height > S3SVM_IMAGE_PIXELS_MAX / width)
        return options_wrong(self, "--size %zux%zu: sides have %zu to %zu pixels, and a picture at most %d", width, height,
                             least, most, S3SVM_IMAGE_PIXELS_MAX);
    return OPTIONS_RUN;
}

static const s3svm_option OPTIONS[] = {
    { "count", 0, S3SVM_SETS_INTEGER(making, count), "N", "number of pictures (default 20)", 1, 1000000 },
    { "size", 0, S3SVM_SETS_SIDES(making, size), "WxH", "width and height in pixels (default 400x200)", 0, 0 },
    { "seed", 0, S3SVM_SETS_INTEGER(making, seed), "N",
      "seed: the same seed gives the same pictures on every machine (default 1)", 0, INT64_MAX },
    { "force", 0, S3SVM_SETS_FLAG(making, force), NULL, "replace existing pictures", 0, 0 },
    { "json", 0, S3SVM_SETS_FLAG(making, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int make_data_run(const command *self, int argc, char *argv[])
{
    making m = { .count = 20, .seed = 1, .size = { 400, 200 } };
    int count;
    int code = options_parse_table(self, OPTIONS, &m, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (!count) return options_wrong(self, "no kind of data given: denoising");
    if (strcmp(argv[0], "denoising")) return options_wrong(self, "unknown kind of data '%s'; there is denoising", argv[0]);
    if (count != 2) return options_wrong(self, count < 2 ? "no DIR given" : "give one DIR");
    if (!*argv[1]) return options_wrong(self, "DIR has no name");
    code = size_check(self, &m);
    if (code != OPTIONS_RUN) return code;

    m.folder = argv[1];
    code = making_allocate(&m) ? overwriting_check(&m) : command_fail("no memory for %lld pictures", (long long)m.count);
    if (!code) code = pictures_make(&m);
    if (!code && m.json)
        json_print(&m);
    else if (!code)
        text_print(&m);
    making_free(&m);
    return code;
}

const command make_data_command = {
    .name = "make-data",
    .arguments = "denoising DIR",
    .summary = "make black and white drawings to learn from",
    .details = "Writes DIR/labels/shapes-01.png ..., lines and geometric shapes of various thickness, and\n"
               "DIR/labels/sketch-01.png ..., the same number of free-hand sketches: black ink (0) on white paper\n"
               "(255). s3svm add-noise then makes noisy pictures of them.",
    .examples = "  s3svm make-data denoising drawings\n"
                "  s3svm make-data denoising drawings --count 100 --size 640x480 --seed 7\n"
                "  s3svm make-data denoising drawings --force --json\n",
    .run = make_data_run,
};
