/* scribbles_strokes.c - strokes in colour: what they are drawn on, which colours they have, and what these mean. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/marks/scribbles.h"
#include "vision/components.h"

typedef s3svm_scribbles_reading reading;

enum {
    STROKES = S3SVM_STROKE_BLACK + 1,
    PAPER = S3SVM_STROKE_UNCLEAR + 1, /* what strokes are drawn on */
    CLASSES
};

/* Clear colours: white and black within a tenth of the range, others of a chroma as pens of drawing programs have. */
enum { WHITE = 230, BLACK = 25, CHROMA = 96 };

enum {
    PHOTOGRAPH_SLACK = 12, /* how far JPEG takes a pixel from the photograph's */
    PAPER_SHARE = 4,       /* paper is at least a fourth of the pixels */
    STROKE_SHARE = 50,     /* colours of less than a fiftieth of the strokes are where soft ones end or cross */
    UNCLEAR_MOST = 2       /* soft ends of strokes have at most so many times the pixels of clear ones */
};

static const char *const STROKE_NAMES[STROKES] = {
    "auto", "red", "yellow", "green", "cyan", "blue", "magenta", "white", "black"
};

const char *s3svm_stroke_name(s3svm_stroke stroke) { return STROKE_NAMES[stroke]; }

/* The hue in degrees of a colour whose largest channel is most, and the smallest chroma > 0 less. */
static int hue_of(const uint8_t p[3], int most, int chroma)
{
    if (most == p[0]) return (360 + 60 * (p[1] - p[2]) / chroma) % 360;
    if (most == p[1]) return 120 + 60 * (p[2] - p[0]) / chroma;
    return 240 + 60 * (p[0] - p[1]) / chroma;
}

int s3svm_stroke_of(const uint8_t colour[3])
{
    static const struct {
        int end, stroke;
    } SECTORS[] = { { 45, S3SVM_STROKE_RED },   { 75, S3SVM_STROKE_YELLOW }, { 165, S3SVM_STROKE_GREEN },
                    { 195, S3SVM_STROKE_CYAN }, { 270, S3SVM_STROKE_BLUE },  { 330, S3SVM_STROKE_MAGENTA },
                    { 360, S3SVM_STROKE_RED } };
    int most = colour[0], least = colour[0];
    for (int c = 1; c < 3; c++) {
        most = colour[c] > most ? colour[c] : most;
        least = colour[c] < least ? colour[c] : least;
    }
    if (least >= WHITE) return S3SVM_STROKE_WHITE;
    if (most <= BLACK) return S3SVM_STROKE_BLACK;
    const int chroma = most - least;
    if (chroma < CHROMA) return S3SVM_STROKE_UNCLEAR;
    const int hue = hue_of(colour, most, chroma);
    int sector = 0;
    while (hue >= SECTORS[sector].end) sector++;
    return SECTORS[sector].stroke;
}

bool s3svm_scribbles_are_near(const uint8_t a[3], const uint8_t b[3])
{
    for (int c = 0; c < 3; c++)
        if (abs(a[c] - b[c]) > PHOTOGRAPH_SLACK) return false;
    return true;
}

typedef enum paper { PAPER_WHITE, PAPER_BLACK, PAPER_GREY, PAPER_PHOTOGRAPH, PAPERS } paper;
static const char *const PAPER_NAMES[PAPERS] = { "white", "black", "grey", "the photograph" };

/* What a picture with strokes shows. */
typedef struct drawing {
    paper paper;
    uint8_t grey;           /* of grey paper */
    size_t counts[CLASSES]; /* of pixels */
    uint8_t means[CLASSES]; /* which mark a class stands for */
    size_t clear;           /* pixels of clear strokes */
    uint8_t *classes;       /* of each pixel */
    bool lossy;             /* over a photograph, in a file that has changed all of it a little */
    size_t own[CLASSES];    /* pixels of a clear colour that are the photograph's */
    size_t parts[CLASSES];  /* in how many parts strokes are, over a photograph */
} drawing;

/* What most pixels are is what the strokes were drawn on. */
static sos_status paper_find(const reading *r, drawing *c)
{
    size_t counts[PAPERS] = { 0 }, greys[256] = { 0 };
    const size_t n = s3svm_image_size(&r->colour);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = r->colour.pixels + 3 * i;
        const int stroke = s3svm_stroke_of(p);
        counts[PAPER_WHITE] += stroke == S3SVM_STROKE_WHITE;
        counts[PAPER_BLACK] += stroke == S3SVM_STROKE_BLACK;
        counts[PAPER_PHOTOGRAPH] += s3svm_scribbles_are_near(p, r->photograph->pixels + 3 * i);
        if (stroke == S3SVM_STROKE_UNCLEAR && p[0] == p[1] && p[0] == p[2]) greys[p[0]]++;
    }
    for (size_t v = 0; v < 256; v++)
        if (greys[v] > counts[PAPER_GREY]) {
            counts[PAPER_GREY] = greys[v];
            c->grey = (uint8_t)v;
        }
    c->paper = PAPER_WHITE;
    for (int k = 1; k < PAPERS; k++)
        if (counts[k] > counts[c->paper]) c->paper = (paper)k;
    if (counts[c->paper] >= n / PAPER_SHARE) return SOS_OK;
    return sos_fail(
        r->error, SOS_ERR_FORMAT,
        "%.200s: no strokes can be recognised; the ground must be white, black, grey, transparent or the photograph itself",
        r->path);
}

static int class_of(const reading *r, const drawing *c, size_t i)
{
    const uint8_t *p = r->colour.pixels + 3 * i;
    const int stroke = s3svm_stroke_of(p);
    switch (c->paper) {
    case PAPER_WHITE: return stroke == S3SVM_STROKE_WHITE ? PAPER : stroke;
    case PAPER_BLACK: return stroke == S3SVM_STROKE_BLACK ? PAPER : stroke;
    case PAPER_GREY: return p[0] == c->grey && p[1] == c->grey && p[2] == c->grey ? PAPER : stroke;
    case PAPER_PHOTOGRAPH:
    case PAPERS: break;
    }
    return s3svm_scribbles_are_near(p, r->photograph->pixels + 3 * i) ? PAPER : stroke;
}

static bool has(const drawing *c, int class) { return c->counts[class] && c->counts[class] >= c->clear / STROKE_SHARE; }

/* How many parts the strokes of each class have: those of a photograph's own colours have many. */
static sos_status parts_count(const reading *r, drawing *c)
{
    const size_t n = s3svm_image_size(&r->colour);
    uint32_t *parts = malloc(n * sizeof *parts);
    if (!parts) return sos_fail(r->error, SOS_ERR_MEMORY, "no memory for the strokes of %zu pixels", n);
    size_t count, next = 0;
    const sos_status status = s3svm_components(r->colour.width, r->colour.height, c->classes, parts, &count, r->error);
    for (size_t i = 0; !status && i < n; i++) {
        if (parts[i] != next) continue; /* numbers come in the order of first pixels */
        c->parts[c->classes[i]]++;
        next++;
    }
    free(parts);
    return status;
}

static sos_status classes_find(const reading *r, drawing *c)
{
    const size_t n = s3svm_image_size(&r->colour);
    sos_status status = SOS_OK;
    for (size_t i = 0; i < n; i++) c->classes[i] = (uint8_t)class_of(r, c, i);
    c->lossy = c->paper == PAPER_PHOTOGRAPH && s3svm_scribbles_is_lossy(r);
    if (c->lossy) status = s3svm_scribbles_own(r, PAPER, S3SVM_STROKE_BLACK, c->classes, c->own);
    if (!status && c->paper == PAPER_PHOTOGRAPH) status = parts_count(r, c);
    for (size_t i = 0; i < n; i++) c->counts[c->classes[i]]++;
    for (int k = 1; k < STROKES; k++) c->clear += c->counts[k];
    return status;
}

enum { LIST = 400 }; /* letters: eight colours with their numbers */

/* " (1200 pixels in 2 parts)", over a photograph, whose own colours may look like strokes: numbers help to see what is what. */
static const char *extent(const drawing *c, int k, char text[60])
{
    text[0] = '\0';
    if (c->paper == PAPER_PHOTOGRAPH)
        snprintf(text, 60, " (%zu pixels in %zu part%s)", c->counts[k], c->parts[k], c->parts[k] == 1 ? "" : "s");
    return text;
}

/* "red, green and blue" */
static const char *strokes_list(const drawing *c, char text[LIST])
{
    int count = 0;
    size_t used = 0;
    for (int k = 1; k < STROKES; k++) count += has(c, k);
    text[0] = '\0';
    for (int k = 1, at = 0; k < STROKES && used < LIST; k++) {
        char numbers[60];
        if (!has(c, k)) continue;
        const char *before = !at ? "" : at + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, LIST - used, "%s%s%s", before, STROKE_NAMES[k], extent(c, k, numbers));
        at++;
    }
    return text;
}

static sos_status strokes_ambiguous(const reading *r, const drawing *c)
{
    char list[LIST];
    return sos_fail(
        r->error, SOS_ERR_FORMAT,
        "%.200s: there are %s strokes over %s, and it is not clear which mark the object; --object and --background "
        "name their colours",
        r->path, strokes_list(c, list), PAPER_NAMES[c->paper]);
}

static sos_status own_fail(const reading *r, size_t pixels)
{
    return sos_fail(
        r->error, SOS_ERR_FORMAT,
        "%.200s: no strokes can be distinguished from the photograph's own colours, which lossy compression has changed (%zu "
        "pixels could be some); draw in a PNG, or with a colour that the photograph has not",
        r->path, pixels);
}

/* Where soft strokes over a plain paper are many but clear colours few, the colours are not those that we know. */
static sos_status strokes_check(const reading *r, const drawing *c)
{
    if (c->clear && (c->paper == PAPER_PHOTOGRAPH || c->counts[S3SVM_STROKE_UNCLEAR] <= UNCLEAR_MOST * c->clear)) return SOS_OK;
    size_t i = 0, own = 0;
    const size_t n = s3svm_image_size(&r->colour);
    for (int k = 1; k < STROKES; k++) own += c->own[k];
    if (own) return own_fail(r, own);
    while (i < n && c->classes[i] != S3SVM_STROKE_UNCLEAR) i++;
    if (i == n)
        return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: nothing is marked: all pixels are %s", r->path,
                        c->paper == PAPER_PHOTOGRAPH ? "as in the photograph" : PAPER_NAMES[c->paper]);
    const uint8_t *p = r->colour.pixels + 3 * i;
    return sos_fail(
        r->error, SOS_ERR_FORMAT,
        "%.200s: pixel (%zu, %zu) has the colour #%02x%02x%02x, and so much is of no clear colour that strokes cannot "
        "be told; draw with red for the object and blue for the background",
        r->path, i % r->colour.width, i / r->colour.width, p[0], p[1], p[2]);
}

static sos_status strokes_by_name(const reading *r, drawing *c)
{
    const s3svm_stroke object = r->settings.object, background = r->settings.background;
    if (object == background)
        return sos_fail(r->error, SOS_ERR_ARGUMENT, "object and background strokes cannot both be %s", STROKE_NAMES[object]);
    if (object) c->means[object] = S3SVM_MARK_OBJECT;
    if (background) c->means[background] = S3SVM_MARK_BACKGROUND;
    if ((object && c->counts[object]) || (background && c->counts[background])) return SOS_OK;
    char list[LIST];
    if (c->own[object] || c->own[background]) return own_fail(r, c->own[object] + c->own[background]);
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: there are no strokes of that colour, but %s ones over %s", r->path,
                    strokes_list(c, list), PAPER_NAMES[c->paper]);
}

/* In a lossy file a third colour may be the photograph's own. */
static bool is_crowded(const drawing *c)
{
    int count = 0;
    for (int k = 1; k < STROKES; k++) count += has(c, k);
    return c->lossy && count > 2;
}

static sos_status strokes_by_custom(const reading *r, drawing *c)
{
    if (is_crowded(c)) return strokes_ambiguous(r, c);
    const bool red = has(c, S3SVM_STROKE_RED), green = has(c, S3SVM_STROKE_GREEN), blue = has(c, S3SVM_STROKE_BLUE);
    const bool light = has(c, S3SVM_STROKE_YELLOW) || has(c, S3SVM_STROKE_WHITE);
    if (has(c, S3SVM_STROKE_CYAN) || has(c, S3SVM_STROKE_MAGENTA) || (red && green && blue) ||
        (red && light && !green && !blue))
        return strokes_ambiguous(r, c);
    if (red) c->means[S3SVM_STROKE_RED] = green ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_OBJECT;
    if (green) c->means[S3SVM_STROKE_GREEN] = S3SVM_MARK_OBJECT;
    if (has(c, S3SVM_STROKE_YELLOW)) c->means[S3SVM_STROKE_YELLOW] = S3SVM_MARK_OBJECT;
    if (has(c, S3SVM_STROKE_WHITE)) c->means[S3SVM_STROKE_WHITE] = S3SVM_MARK_OBJECT;
    if (blue) c->means[S3SVM_STROKE_BLUE] = S3SVM_MARK_BACKGROUND;
    if (has(c, S3SVM_STROKE_BLACK)) c->means[S3SVM_STROKE_BLACK] = S3SVM_MARK_BACKGROUND;
    return SOS_OK;
}

static void colour_words(reading *r, const drawing *c)
{
    char *words = r->found.words;
    const size_t room = sizeof r->found.words;
    size_t used = (size_t)snprintf(words, room, "colour, over %s:", PAPER_NAMES[c->paper]);
    const char *comma = "";
    for (int mark = S3SVM_MARK_OBJECT; mark <= S3SVM_MARK_BACKGROUND; mark++)
        for (int k = 1; k < STROKES; k++)
            if (c->means[k] == mark && c->counts[k] && used < room) {
                char numbers[60];
                used += (size_t)snprintf(words + used, room - used, "%s %s %s%s", comma, STROKE_NAMES[k],
                                         mark == S3SVM_MARK_OBJECT ? "object" : "background", extent(c, k, numbers));
                comma = ",";
            }
}

/* What was left to the photograph. */
static void own_tell(reading *r, const drawing *c)
{
    int most = 0;
    for (int k = 1; k < STROKES; k++) {
        r->found.own += c->own[k];
        if (c->own[k] > c->own[most]) most = k;
    }
    r->found.own_stroke = (s3svm_stroke)most;
}

static sos_status strokes_read(reading *r, drawing *c)
{
    sos_status status = paper_find(r, c);
    if (!status) status = classes_find(r, c);
    if (!status) status = strokes_check(r, c);
    if (!status) status = r->settings.object || r->settings.background ? strokes_by_name(r, c) : strokes_by_custom(r, c);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(&r->marks); i++) r->marks.pixels[i] = c->means[c->classes[i]];
    colour_words(r, c);
    own_tell(r, c);
    return SOS_OK;
}

sos_status s3svm_scribbles_strokes(reading *r)
{
    const size_t n = s3svm_image_size(&r->colour);
    drawing c = { .classes = malloc(n) };
    const sos_status status = c.classes ? strokes_read(r, &c)
                                        : sos_fail(r->error, SOS_ERR_MEMORY, "no memory for the strokes of %zu pixels", n);
    free(c.classes);
    return status;
}
