/* segment.c - s3svm segment: the object in a photograph, from scribbles or a rectangle. */
#include "segment.h"

#include <math.h>
#include <string.h>

#include <s3svm/option.h>

#include "base/path.h"
#include "files.h"
#include "options.h"
#include "progress.h"

/* A picture to write. */
typedef struct output {
    const char *option, *path;
    const char *endings; /* that it may have, for people */
} output;

static bool ending_is_fine(const output *o)
{
    static const char *const ENDINGS[] = { ".png", ".pgm", ".ppm", ".jpg", ".jpeg", ".webp", ".tif", ".tiff" };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (sos_path_ends(o->path, ENDINGS[i])) return strstr(o->endings, ENDINGS[i]);
    return false;
}

/* Before work begins: can the files be written, and is nothing lost by it? */
static int outputs_check(const command *self, const request *r, const char *path)
{
    const output outputs[] = { { "-o", r->mask, ".png, .pgm, .tif or .tiff" },
                               { "--cutout", r->cutout,
                                 r->backdrop ? ".png, .jpg, .jpeg, .webp, .tif, .tiff or .ppm" : ".png, .webp, .tif or .tiff" },
                               { "--overlay", r->overlay, ".png, .jpg, .jpeg, .webp, .tif, .tiff or .ppm" },
                               { "--confidence", r->confidence, ".png, .pgm, .tif or .tiff" } };
    const file_use read[] = { { "", path },    { "", r->scribbles },  { "", r->marks },
                              { "", r->maps }, { "", r->model_path }, { "", r->backdrop } };
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    file_use written[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) {
        const output *o = &outputs[i];
        if (o->path && !ending_is_fine(o))
            return options_wrong(self, "%s takes a name that ends in %s, not '%s'", o->option, o->endings, o->path);
        written[i] = (file_use){ o->option, o->path };
    }
    return files_guard(sizeof read / sizeof *read, read, OUTPUTS, written);
}

/* What must hold for one photograph and for many. */
static int request_check(const command *self, const request *r)
{
    long rectangle[4];
    if (r->rectangle && !rectangle_parse(r->rectangle, rectangle))
        return options_wrong(self, "--rect takes x,y,width,height in whole pixels, not '%s'", r->rectangle);
    for (size_t i = 0; i < r->clicks.count; i++) {
        s3svm_point point;
        if (!click_parse(r->clicks.items[i].text, &point))
            return options_wrong(self, "--%s takes x,y in pixels, not '%s'", r->clicks.items[i].option->name,
                                 r->clicks.items[i].text);
    }
    if (r->method >= 0 && r->model_path && !s3svm_segmenter_method_at((size_t)r->method)->model)
        return options_wrong(self, "GrabCut has no model: -m is for other methods");
    if (!isnan(r->edge) && !(r->edge >= 0.5 && r->edge <= 16))
        return options_wrong(self, "--edge takes 0.5 to 16, not %g", r->edge);
    if (r->marks && (r->scribbles || r->convention || r->object || r->background))
        return options_wrong(self, "--marks cannot be combined with --scribbles and its options");
    if (r->calibration && !r->maps) return options_wrong(self, "--calibration needs --maps");
    if (r->hard && r->soft) return options_wrong(self, "--hard and --soft contradict each other");
    if (r->object && r->object == r->background)
        return options_wrong(self, "object and background strokes must differ in colour");
    return COMMAND_DONE;
}

static bool is_marked(const request *r) { return r->scribbles || r->rectangle || r->marks || r->clicks.count; }

static int single_check(const command *self, const request *r, const char *path)
{
    if (!is_marked(r) && !r->maps) return options_wrong(self, "no marks given: give --click, --rect, --scribbles or --marks");
    if (!r->mask && !r->cutout && !r->overlay && !r->confidence)
        return options_wrong(self, "nothing to write: give -o, --cutout, --overlay or --confidence");
    if (!r->cutout && (r->trim || r->backdrop)) return options_wrong(self, "--trim and --backdrop need --cutout");
    if (!r->scribbles && (r->convention || r->object || r->background))
        return options_wrong(self, "--convention, --object and --background need --scribbles");
    if (r->force)
        return options_wrong(self, "--force is for several photographs: the files of a single one are always replaced");
    return outputs_check(self, r, path);
}

static int cutting_do(const request *r, const cutter *c, cutting *k)
{
    progress shown;
    sos_error error;
    progress_begin(&shown, k->photograph);
    const sos_work work = { .threads = (int)r->threads, .progress = progress_report, .user = &shown };
    const sos_status status = cutting_run(r, c, &work, k, &error);
    progress_end(&shown);
    if (status == SOS_CANCELLED) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

static void cutting_json(const request *r, const cutter *c, const cutting *k)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    cutting_members(&out, r, c, k);
    sos_json_close(&out, '}');
}

static int segment_single(const command *self, const request *r, const char *path)
{
    cutter c = { 0 };
    cutting k = { .photograph = path,
                  .scribbles = r->marks ? r->marks : r->scribbles,
                  .maps = r->maps,
                  .mask = r->mask,
                  .cutout = r->cutout,
                  .overlay = r->overlay,
                  .confidence = r->confidence };
    int code = single_check(self, r, path);
    if (code) return code;
    code = cutter_create(r, &c);
    if (!code && c.maps && !r->maps)
        code = command_fail("%s: the model needs maps of %zu channels: --maps names the file", c.model_name, c.maps);
    if (!code && !is_marked(r) && !c.evidence) code = command_fail("no marks given: this model proposes nothing by maps alone");
    if (!code && r->confidence && !c.model) code = command_fail("--confidence is for methods with a model, not GrabCut");
    if (!code) code = cutting_do(r, &c, &k);
    if (!code) cutting_notes(r, &k, NULL);
    if (!code && r->json)
        cutting_json(r, &c, &k);
    else if (!code)
        cutting_text(r, &c, &k);
    cutter_free(&c);
    return code;
}

static const s3svm_option OPTIONS[] = {
    { "click", 0, S3SVM_SETS_SEQUENCE(request, clicks), "X,Y", "mark this pixel as object; may be repeated", 0, 0 },
    { "click-background", 0, S3SVM_SETS_SEQUENCE(request, clicks), "X,Y",
      "mark this pixel as background; may be repeated; later clicks correct earlier ones", 0, 0 },
    { "scribbles", 's', S3SVM_SETS_TEXT(request, scribbles), "FILE",
      "marks of object and background; for several photographs, a folder", 0, 0 },
    { "marks", 0, S3SVM_SETS_TEXT(request, marks), "FILE.json", "marks in the order in which they were made; later ones win", 0,
      0 },
    { "rect", 0, S3SVM_SETS_TEXT(request, rectangle), "X,Y,W,H",
      "the object is inside this rectangle; scribbles take precedence", 0, 0 },
    { "output", 'o', S3SVM_SETS_TEXT(request, mask), "FILE",
      "write the mask, white object on black; for several photographs, a folder", 0, 0 },
    { "cutout", 0, S3SVM_SETS_TEXT(request, cutout), "FILE",
      "write the object alone, with a soft edge on a transparent background", 0, 0 },
    { "trim", 0, S3SVM_SETS_FLAG(request, trim), NULL, "crop the cut-out to the object", 0, 0 },
    { "backdrop", 0, S3SVM_SETS_TEXT(request, backdrop), "COLOUR|FILE",
      "put the cut-out on a colour (white, #f0f0e8) or a picture (default: transparent)", 0, 0 },
    { "overlay", 0, S3SVM_SETS_TEXT(request, overlay), "FILE", "write the photograph with outline and scribbles", 0, 0 },
    { "confidence", 0, S3SVM_SETS_TEXT(request, confidence), "FILE",
      "write how sure each piece of the photograph is, in grey, and say where to look next", 0, 0 },
    { "method", 0, S3SVM_SETS_CHOICE(request, method), S3SVM_SEGMENTER_METHODS, "the method (default s3svm)", 0, 0 },
    { "model", 'm', S3SVM_SETS_TEXT(request, model_path), "MODEL",
      "a model of s3svm train segment, or the name of a built-in one", 0, 0 },
    { "maps", 0, S3SVM_SETS_TEXT(request, maps), "FILE",
      "what a network says of the photograph (.npy, or .png with 8-bit probabilities), or their folder", 0, 0 },
    { "calibration", 0, S3SVM_SETS_TEXT(request, calibration), "FILE", "how the maps become log odds (s3svm calibrate)", 0, 0 },
    { "convention", 0, S3SVM_SETS_CHOICE(request, convention), S3SVM_CONVENTIONS,
      "meaning of the pixels of scribbles (default auto)", 0, 0 },
    { "object", 0, S3SVM_SETS_CHOICE(request, object), S3SVM_STROKES, "colour of strokes on the object (default auto)", 0, 0 },
    { "background", 0, S3SVM_SETS_CHOICE(request, background), S3SVM_STROKES,
      "colour of strokes on the background (default auto)", 0, 0 },
    { "soft", 0, S3SVM_SETS_FLAG(request, soft), NULL, "treat marks as strong evidence only (learned methods)", 0, 0 },
    { "hard", 0, S3SVM_SETS_FLAG(request, hard), NULL, "marked pixels keep their label (default)", 0, 0 },
    { "connected", 0, S3SVM_SETS_FLAG(request, connected), NULL, "keep only what is connected to an object mark", 0, 0 },
    { "specks", 0, S3SVM_SETS_INTEGER(request, specks), "N",
      "remove parts of fewer than N pixels (default: a ten thousandth of all); 0: keep all", 0, INT64_MAX },
    { "iterations", 0, S3SVM_SETS_INTEGER(request, iterations), "N", "maximal number of iterations of GrabCut (default 10)", 1,
      1000 },
    { "pixels", 0, S3SVM_SETS_INTEGER(request, pixels), "N",
      "solve larger photographs at a reduced size (method-dependent default)", 1, INT64_MAX },
    { "edge", 0, S3SVM_SETS_REAL(request, edge), "PIXELS", "half the width of the soft edge of the cut-out (default: by size)",
      0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "for several photographs: replace existing pictures", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N", "number of threads (default 0: all cores)", 0, 4096 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int segment_run(const command *self, int argc, char *argv[])
{
    request r = { .method = S3SVM_CHOICE_NONE, .specks = -1, .edge = NAN };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (!count) return options_wrong(self, "no PHOTO given");
    code = request_check(self, &r);
    if (code) return code;
    const bool many = count > 1 || sos_path_is_folder(argv[0]);
    return many ? segment_album(self, &r, count, argv) : segment_single(self, &r, argv[0]);
}

const command segment_command = {
    .name = "segment",
    .arguments = "PHOTO --scribbles FILE -o MASK | DIR -o OUTDIR",
    .summary = "cut the object out of a photograph",
    .details = "Finds the object that clicks, scribbles or a rectangle mark in a photograph, and writes a mask, the\n"
               "object alone, or the photograph with the outline. Photographs are PNG, JPEG, WebP, TIFF, HEIC, PGM\n"
               "or PPM, depending on how the program was built (s3svm version).\n"
               "\n"
               "Scribbles are a picture of the size of the photograph, in one of these conventions:\n"
               "  palette   numbers 0 nothing, 1 object, 2 background (palette indices or grey values)\n"
               "  opencv    numbers 0 background, 1 object, 2 perhaps background, 3 perhaps object\n"
               "  trimap    black background, white object, any other grey nothing\n"
               "  colour    strokes over white, black, transparent or the photograph: red, green, yellow or white on\n"
               "            the object, blue or black on the background, or green on the object and red on the\n"
               "            background; --object and --background name other colours\n"
               "The convention is recognised unless the picture is ambiguous. --marks FILE.json is a list of marks\n"
               "in order instead, as written by s3svm make-scribbles.\n"
               "\n"
               "Marked pixels keep their label unless --soft is given; if marks contradict each other, the later one\n"
               "wins.\n"
               "\n"
               "In a folder, all photographs are segmented, or those in its subfolder images, with scribbles of the\n"
               "same name in the folder scribbles beside it, or in the folder given by --scribbles. OUTDIR receives\n"
               "masks, cutouts and overlays. If a photograph fails, the others are still processed, and the exit\n"
               "code is 1.\n"
               "\n"
               "With --maps a network of yours says where it sees the object: log odds, probabilities or bytes, of one\n"
               "channel. Marks confirm or refute it, and photographs without marks get what it proposes. In a folder\n"
               "those whose pictures are there already are skipped, and OUTDIR/unsure.csv lists all of them, the\n"
               "least sure first; with -o the folder of the photographs, s3svm serve --data shows them in this order.",
    .examples = "  s3svm segment photo.jpg --click 320,240 --click-background 20,30 --cutout object.png\n"
                "  s3svm segment photo.jpg --scribbles scribbles.png -o mask.png\n"
                "  s3svm segment photo.jpg --scribbles strokes.png --cutout object.png --overlay look.png\n"
                "  s3svm segment photo.jpg --rect 120,40,300,260 --method grabcut -o mask.png\n"
                "  s3svm segment photo.jpg --scribbles strokes.png --object green --background red -o mask.png\n"
                "  s3svm segment photo.jpg --marks marks.json -o mask.png\n"
                "  s3svm segment photographs -o found\n"
                "  s3svm segment photographs --maps photographs/maps -o photographs\n"
                "  s3svm segment *.jpg --scribbles strokes -o found --json\n",
    .run = segment_run,
};
