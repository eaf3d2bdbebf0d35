/* segment.c - s3svm segment: the object in a photograph, from scribbles or a rectangle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include <s3svm/cutout.h>
#include <s3svm/embedded.h>
#include <s3svm/option.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "progress.h"

typedef enum method { METHOD_S3SVM, METHOD_AMN, METHOD_GRABCUT, METHOD_UNSAID = -1 } method;
static const char *const METHODS[] = { "s3svm", "amn", "grabcut" };

/* The models that the program carries inside: for s3svm, for amn. */
static const char *const MODELS[] = { "segment", "segment-amn" };

typedef struct request {
    const char *photograph, *scribbles, *rectangle;
    const char *mask, *cutout, *overlay; /* to write, or NULL */
    const char *model_path;
    int method, convention, object, background;
    bool hard, connected, json;
    int64_t specks, iterations, pixels, threads;
    double edge;
} request;

typedef struct job {
    const request *r;
    method method;
    sos_segment_model *model; /* NULL: GrabCut */
    const char *model_name;
    sos_image photograph, marks;
    sos_scribbles_found found;
    size_t counts[SOS_MARKS];
    uint8_t *labels;
    double edge;
    sos_cutout_result result;
    size_t tidied; /* pixels */
    double seconds, seconds_pictures;
} job;

static void job_free(job *j)
{
    sos_segment_model_free(j->model);
    sos_image_free(&j->photograph);
    sos_image_free(&j->marks);
    free(j->labels);
}

static void note(const char *text) { fprintf(stderr, "s3svm: note: %s\n", text); }

/* ---------------------------------------------------------------- method */

/* Prepares a model, whose method --method must not contradict. */
static int model_prepare(job *j, const sos_model *m)
{
    sos_error error;
    if (sos_segment_model_create(m, &j->model, &error)) return command_fail("%s: %s", j->model_name, error.message);
    const method is = sos_segment_model_method(j->model) == SOS_SEGMENT_AMN ? METHOD_AMN : METHOD_S3SVM;
    if (j->method != METHOD_UNSAID && j->method != is)
        return command_fail("%s: a model for --method %s, not %s", j->model_name, METHODS[is], METHODS[j->method]);
    j->method = is;
    return COMMAND_DONE;
}

static int model_take(job *j)
{
    sos_error error;
    sos_model *m;
    bool named_inside;
    const char *path = j->r->model_path, *inside = MODELS[j->method == METHOD_AMN];
    j->model_name = path ? path : inside;
    const sos_status status = path ? model_find(path, &m, &named_inside, &error) : sos_embedded_model(inside, &m, &error);
    if (!status) {
        const int code = model_prepare(j, m);
        sos_model_free(m);
        return code;
    }
    if (path || j->method != METHOD_UNSAID) return command_fail("%s", error.message);
    j->method = METHOD_GRABCUT;
    fprintf(stderr, "s3svm: note: %s: the method is GrabCut\n", error.message);
    return COMMAND_DONE;
}

static int method_choose(job *j)
{
    j->method = (method)j->r->method;
    return j->method == METHOD_GRABCUT ? COMMAND_DONE : model_take(j);
}

/* ---------------------------------------------------------------- input */

static bool rectangle_parse(const char *text, long rectangle[4])
{
    sos_reals r;
    if (!sos_reals_parse(text, 4, &r) || r.count != 4) return false;
    for (int i = 0; i < 4; i++) {
        if (r.values[i] != rint(r.values[i]) || fabs(r.values[i]) > 1e9) return false;
        rectangle[i] = (long)r.values[i];
    }
    return rectangle[2] > 0 && rectangle[3] > 0;
}

static sos_status rectangle_apply(job *j, sos_error *error)
{
    long rectangle[4];
    size_t counts[SOS_MARKS];
    rectangle_parse(j->r->rectangle, rectangle); /* it was checked */
    sos_status status = SOS_OK;
    if (!j->marks.pixels) status = sos_image_create(j->photograph.width, j->photograph.height, 1, &j->marks, error);
    if (!status) status = sos_marks_rectangle(&j->marks, rectangle, error);
    if (status) return status;
    sos_marks_count(&j->marks, counts);
    if (counts[SOS_MARK_BACKGROUND] == 0 && counts[SOS_MARK_OBJECT] == 0) note("the rectangle is the whole photograph");
    return SOS_OK;
}

static int photograph_read(job *j)
{
    const request *r = j->r;
    const sos_scribbles_settings settings = { .convention = (sos_convention)r->convention,
                                              .object = (sos_stroke)r->object,
                                              .background = (sos_stroke)r->background };
    sos_error error;
    sos_status status = sos_image_read(r->photograph, SOS_IMAGE_COLOUR, &j->photograph, &error);
    if (!status && r->scribbles)
        status = sos_scribbles_read(r->scribbles, &j->photograph, &settings, &j->marks, &j->found, &error);
    if (!status && r->scribbles) sos_marks_count(&j->marks, j->counts);
    if (!status && r->rectangle) status = rectangle_apply(j, &error);
    if (status) return command_fail("%s", error.message);
    j->labels = malloc(sos_image_size(&j->photograph));
    return j->labels ? COMMAND_DONE
                     : command_fail("no memory for %zu by %zu labels", j->photograph.width, j->photograph.height);
}

/* ---------------------------------------------------------------- output */

static sos_status mask_write(const job *j, sos_error *error)
{
    sos_image mask;
    sos_status status = sos_image_create(j->photograph.width, j->photograph.height, 1, &mask, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(&mask); i++) mask.pixels[i] = j->labels[i] ? 255 : 0;
    status = sos_image_write(&mask, j->r->mask, error);
    sos_image_free(&mask);
    return status;
}

static sos_status cutout_write(const job *j, sos_error *error)
{
    sos_image picture;
    sos_status status = sos_cutout_matte(&j->photograph, j->labels, j->edge, (int)j->r->threads, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, j->r->cutout, error);
    sos_image_free(&picture);
    return status;
}

static sos_status overlay_write(const job *j, sos_error *error)
{
    sos_image picture;
    sos_status status = sos_cutout_overlay(&j->photograph, j->labels, &j->marks, (int)j->r->threads, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, j->r->overlay, error);
    sos_image_free(&picture);
    return status;
}

static sos_status pictures_write(job *j, progress *shown, sos_error *error)
{
    const double began = sos_seconds();
    sos_status status = SOS_OK;
    if (!progress_report(shown, "writing", -1)) return SOS_CANCELLED;
    if (j->r->cutout) status = cutout_write(j, error);
    if (!status && j->r->overlay) status = overlay_write(j, error);
    if (!status && j->r->mask) status = mask_write(j, error);
    j->seconds_pictures = sos_seconds() - began;
    return status;
}

/* ---------------------------------------------------------------- the run */

static sos_cutout_settings settings_make(const request *r, progress *shown)
{
    sos_cutout_settings s = sos_cutout_defaults();
    if (r->iterations) s.grabcut.iterations = (size_t)r->iterations;
    if (r->pixels) s.pixels = (size_t)r->pixels;
    s.hard = r->hard;
    s.work = (sos_work){ .threads = (int)r->threads, .progress = progress_report, .user = shown };
    return s;
}

/* Specks are what nobody wants in a cut-out. */
static sos_status labels_tidy(job *j, sos_error *error)
{
    const size_t n = sos_image_size(&j->photograph);
    sos_cutout_tidying t = sos_cutout_tidying_defaults(n);
    t.connected = j->r->connected;
    if (j->r->specks >= 0) t.specks = (size_t)j->r->specks;
    const sos_status status = sos_cutout_tidy(&j->marks, &t, j->labels, &j->tidied, error);
    j->result.object = 0;
    for (size_t i = 0; i < n; i++) j->result.object += j->labels[i];
    return status;
}

static int job_run(job *j)
{
    progress shown;
    sos_error error;
    progress_begin(&shown, j->r->photograph);
    const sos_cutout_settings settings = settings_make(j->r, &shown);
    j->edge = isnan(j->r->edge) ? sos_cutout_edge(sos_image_size(&j->photograph)) : j->r->edge;
    sos_status status = sos_cutout_segment(j->model, &j->photograph, &j->marks, &settings, j->labels, &j->result, &error);
    if (!status) status = labels_tidy(j, &error);
    if (!status) status = pictures_write(j, &shown, &error);
    progress_end(&shown);
    j->seconds = sos_seconds() - shown.started;
    if (status == SOS_CANCELLED) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

static void assumptions_print(const job *j)
{
    const size_t n = sos_image_size(&j->photograph), object = j->result.object;
    if (j->result.border_assumed)
        note("no background is marked: the border of the photograph was taken for background");
    else if (j->result.background_assumed)
        note("no background is marked: what is not marked was taken for background to begin with");
    if (j->result.object_assumed && !j->r->rectangle)
        note("no object is marked: it was looked for from the middle of the photograph");
    if (!object || object == n) note(object ? "all of the photograph is object" : "nothing of the photograph is object");
}

static double object_share(const job *j) { return (double)j->result.object / (double)sos_image_size(&j->photograph); }

static void json_print(const job *j)
{
    const request *r = j->r;
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "file", r->photograph);
    if (r->mask) sos_json_text(&out, "output", r->mask);
    if (r->cutout) sos_json_text(&out, "cutout", r->cutout);
    if (r->overlay) sos_json_text(&out, "overlay", r->overlay);
    sos_json_count(&out, "width", j->photograph.width);
    sos_json_count(&out, "height", j->photograph.height);
    sos_json_text(&out, "method", METHODS[j->method]);
    if (j->model) sos_json_text(&out, "model", j->model_name);
    if (r->scribbles) sos_json_text(&out, "convention", sos_convention_name(j->found.convention));
    if (r->scribbles) sos_json_text(&out, "scribbles", j->found.words);
    if (r->rectangle) sos_json_text(&out, "rectangle", r->rectangle);
    sos_json_count(&out, "object_marks", j->counts[SOS_MARK_OBJECT]);
    sos_json_count(&out, "background_marks", j->counts[SOS_MARK_BACKGROUND]);
    sos_json_truth(&out, "background_assumed", j->result.background_assumed);
    sos_json_truth(&out, "object_assumed", j->result.object_assumed);
    sos_json_real(&out, "object", object_share(j));
    sos_json_count(&out, "reduction", j->result.reduction);
    sos_json_count(&out, "band", j->result.band);
    sos_json_count(&out, "tidied", j->tidied);
    sos_json_real(&out, "seconds", j->seconds);
    sos_json_real(&out, "seconds_solve", j->result.seconds_solve);
    sos_json_real(&out, "seconds_refine", j->result.seconds_refine);
    sos_json_real(&out, "seconds_pictures", j->seconds_pictures);
    sos_json_close(&out, '}');
}

static void text_print(const job *j)
{
    const request *r = j->r;
    printf("%s\n  size         %zu by %zu pixels\n", r->photograph, j->photograph.width, j->photograph.height);
    if (r->scribbles)
        printf("  scribbles    %s (%zu and %zu pixels)\n", j->found.words, j->counts[SOS_MARK_OBJECT],
               j->counts[SOS_MARK_BACKGROUND]);
    if (r->rectangle) printf("  rectangle    %s\n", r->rectangle);
    printf("  method       %s%s%s\n", METHODS[j->method], j->model ? ", model " : "", j->model ? j->model_name : "");
    if (j->result.reduction > 1)
        printf("  solved       at 1/%zu of the sides, and %zu pixels along the outline at full size\n", j->result.reduction,
               j->result.band);
    printf("  object       %.2f %% of the pixels\n", 100 * object_share(j));
    printf("  seconds      %.4f: %.4f to segment, %.4f for the pictures\n", j->seconds,
           j->result.seconds_solve + j->result.seconds_refine, j->seconds_pictures);
}

/* ---------------------------------------------------------------- the command line */

/* A picture to write. */
typedef struct output {
    const char *option, *path;
    const char *endings; /* that it may have, for people */
} output;

static bool ending_is_fine(const output *o)
{
    static const char *const ENDINGS[] = { ".png", ".pgm", ".ppm", ".jpg", ".jpeg" };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (sos_path_ends(o->path, ENDINGS[i])) return strstr(o->endings, ENDINGS[i]);
    return false;
}

/* Before work begins: can the files be written, and is nothing lost by it? */
static int outputs_check(const command *self, const request *r)
{
    const output outputs[] = { { "-o", r->mask, ".png or .pgm" },
                               { "--cutout", r->cutout, ".png" },
                               { "--overlay", r->overlay, ".png, .jpg, .jpeg or .ppm" } };
    const file_use read[] = { { "", r->photograph }, { "", r->scribbles }, { "", r->model_path } };
    file_use written[3];
    for (int i = 0; i < 3; i++) {
        const output *o = &outputs[i];
        if (o->path && !ending_is_fine(o))
            return options_wrong(self, "%s takes a name that ends in %s, not '%s'", o->option, o->endings, o->path);
        written[i] = (file_use){ o->option, o->path };
    }
    return files_guard(3, read, 3, written);
}

static int request_check(const command *self, const request *r, int count, char *argv[])
{
    long rectangle[4];
    if (!count) return options_wrong(self, "no PHOTO given");
    if (count > 1) return options_wrong(self, "one PHOTO at a time: what is '%s' for?", argv[1]);
    if (!r->scribbles && !r->rectangle)
        return options_wrong(self, "nothing says where the object is: give --scribbles or --rect");
    if (!r->mask && !r->cutout && !r->overlay) return options_wrong(self, "nothing to write: give -o, --cutout or --overlay");
    if (r->rectangle && !rectangle_parse(r->rectangle, rectangle))
        return options_wrong(self, "--rect takes x,y,width,height in whole pixels, not '%s'", r->rectangle);
    if (r->method == METHOD_GRABCUT && r->model_path) return options_wrong(self, "GrabCut has no model: -m is for the others");
    if (!isnan(r->edge) && !(r->edge >= 0.5 && r->edge <= 16))
        return options_wrong(self, "--edge takes 0.5 to 16, not %g", r->edge);
    if (!r->scribbles && (r->convention || r->object || r->background))
        return options_wrong(self, "--convention, --object and --background are about --scribbles");
    if (r->object && r->object == r->background)
        return options_wrong(self, "object and background strokes must differ in colour");
    return outputs_check(self, r);
}

static const sos_option OPTIONS[] = {
    { "scribbles", 's', SOS_SETS_TEXT(request, scribbles), "FILE", "what is marked as object and as background", 0, 0 },
    { "rect", 0, SOS_SETS_TEXT(request, rectangle), "X,Y,W,H", "the object lies in this rectangle; scribbles win over it", 0,
      0 },
    { "output", 'o', SOS_SETS_TEXT(request, mask), "FILE", "write the mask: white object, black background", 0, 0 },
    { "cutout", 0, SOS_SETS_TEXT(request, cutout), "FILE", "write the object alone, transparent around a soft edge", 0, 0 },
    { "overlay", 0, SOS_SETS_TEXT(request, overlay), "FILE", "write the photograph with outline and scribbles", 0, 0 },
    { "method", 0, SOS_SETS_CHOICE(request, method), "s3svm|amn|grabcut", "how to segment", 0, 0 },
    { "model", 'm', SOS_SETS_TEXT(request, model_path), "MODEL", "a model of s3svm train segment, or the name of one inside", 0,
      0 },
    { "convention", 0, SOS_SETS_CHOICE(request, convention), SOS_CONVENTIONS, "what the scribbles' pixels mean (auto)", 0, 0 },
    { "object", 0, SOS_SETS_CHOICE(request, object), SOS_STROKES, "the colour of strokes on the object (auto)", 0, 0 },
    { "background", 0, SOS_SETS_CHOICE(request, background), SOS_STROKES, "the colour of strokes on the background (auto)", 0,
      0 },
    { "hard", 0, SOS_SETS_FLAG(request, hard), NULL, "what is marked gets that label, whatever the method says", 0, 0 },
    { "connected", 0, SOS_SETS_FLAG(request, connected), NULL, "only what is connected with an object stroke", 0, 0 },
    { "specks", 0, SOS_SETS_INTEGER(request, specks), "N", "no parts of fewer pixels (a ten thousandth); 0: keep all", 0,
      INT64_MAX },
    { "iterations", 0, SOS_SETS_INTEGER(request, iterations), "N", "of GrabCut, at most (10)", 1, 1000 },
    { "pixels", 0, SOS_SETS_INTEGER(request, pixels), "N", "solve larger photographs at a reduced size", 1, INT64_MAX },
    { "edge", 0, SOS_SETS_REAL(request, edge), "PIXELS", "half the width of the cut-out's soft edge (by size)", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(request, threads), "N", "so many threads (0: as many as there are cores)", 0, 4096 },
    { "json", 0, SOS_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    SOS_OPTIONS_END,
};

static int segment_run(const command *self, int argc, char *argv[])
{
    request r = { .method = METHOD_UNSAID, .specks = -1, .edge = NAN };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    r.photograph = argv[0];
    code = request_check(self, &r, count, argv);
    if (code) return code;
    job j = { .r = &r };
    code = method_choose(&j);
    if (!code) code = photograph_read(&j);
    if (!code) code = job_run(&j);
    if (!code) assumptions_print(&j);
    if (!code && r.json)
        json_print(&j);
    else if (!code)
        text_print(&j);
    job_free(&j);
    return code;
}

const command segment_command = {
    .name = "segment",
    .arguments = "PHOTO --scribbles FILE -o MASK",
    .summary = "cut the object out of a photograph",
    .details = "Finds the object that scribbles, or a rectangle, mark in a photograph (PNG, JPEG, PGM, PPM), and writes\n"
               "a mask, the object alone, or the photograph with the outline.\n"
               "\n"
               "Scribbles are a picture of the size of the photograph, in one of these conventions:\n"
               "  palette   numbers 0 nothing, 1 object, 2 background (palette indices or grey values)\n"
               "  opencv    numbers 0 background, 1 object, 2 perhaps background, 3 perhaps object\n"
               "  trimap    black background, white object, any other grey nothing\n"
               "  colour    strokes over white, black, transparent or the photograph: red, green, yellow or white on\n"
               "            the object, blue or black on the background, or green on the object and red on the\n"
               "            background; --object and --background name other colours\n"
               "Which one is recognised, where that is not in doubt.",
    .examples = "  s3svm segment photo.jpg --scribbles scribbles.png -o mask.png\n"
                "  s3svm segment photo.jpg --scribbles strokes.png --cutout object.png --overlay look.png\n"
                "  s3svm segment photo.jpg --rect 120,40,300,260 --method grabcut -o mask.png\n"
                "  s3svm segment photo.jpg --scribbles strokes.png --object green --background red -o mask.png\n",
    .run = segment_run,
};
