/* sketch.c - free-hand sketches: subjects, one to a cell, words, and scenes. */
#include <math.h>
#include <string.h>

#include "drawing/hand.h"
#include "drawing/kinds.h"
#include "drawing/subjects.h"

/* ---- subjects made from numbers ---- */

static void smoke_draw(s3svm_hand *h, double x, double y)
{
    for (size_t i = 0; i < 5; i++) s3svm_hand_knot(h, x + (i & 1 ? 5 : -1) + 2 * (double)i, y - 6 * (double)i, false);
    s3svm_hand_open(h);
}

static void window_draw(s3svm_hand *h, double x, double y, double w, double t)
{
    s3svm_hand_rectangle(h, x, y, x + w, y + t);
    s3svm_hand_line(h, x + w / 2, y, x + w / 2, y + t);
    s3svm_hand_line(h, x, y + t / 2, x + w, y + t / 2);
}

static void house_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const double left = s3svm_between(c, 10, 18), right = s3svm_between(c, 80, 90), eaves = s3svm_between(c, 42, 52),
                 top = s3svm_between(c, 10, 20);
    const double ridge = s3svm_between(c, 0, 1) < 0.5 ? 0 : 16, middle = (left + right) / 2,
                 door = s3svm_between(c, 0, 1) < 0.5 ? 0.18 : 0.62;
    if (s3svm_chance(c, 0.75)) {
        s3svm_hand_rectangle(h, right - 22, top, right - 13, eaves - 4);
        smoke_draw(h, right - 18, top - 2);
    }
    s3svm_hand_rectangle(h, left, eaves, right, 92);
    s3svm_hand_knot(h, left - 6, eaves + 1, true);
    s3svm_hand_knot(h, middle - ridge, top + 2, true);
    s3svm_hand_knot(h, middle + ridge, top + 2, true);
    s3svm_hand_knot(h, right + 6, eaves + 1, true);
    s3svm_hand_closed(h, &s3svm_paper);
    const double at = left + door * (right - left);
    s3svm_hand_rectangle(h, at, 66, at + 14, 92);
    s3svm_hand_knot(h, at + 11, 80, false);
    s3svm_hand_dots(h);
    window_draw(h, door < 0.4 ? right - 34 : left + 9, eaves + 11, 20, 17);
    if (!(ridge > 0)) s3svm_hand_blob(h, middle, (top + eaves) / 2 + 3, 6, 6, 0.05, &s3svm_paper);
    s3svm_hand_line(h, 0, 92, 100, 92);
}

static void tree_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const double crown = s3svm_between(c, 30, 36), w = s3svm_between(c, 5, 8);
    s3svm_hand_knot(h, 50 - w, crown + 20, false);
    s3svm_hand_knot(h, 50 - w, 76, false);
    s3svm_hand_knot(h, 50 - w - 7, 94, true);
    s3svm_hand_knot(h, 50 + w + 7, 94, true);
    s3svm_hand_knot(h, 50 + w, 76, false);
    s3svm_hand_knot(h, 50 + w, crown + 20, false);
    s3svm_hand_closed(h, &s3svm_paper);
    const double half_width = s3svm_between(c, 28, 36), half_height = s3svm_between(c, 22, 26);
    s3svm_hand_bumps(h, 50, crown, half_width, half_height, s3svm_pick(c, 7, 11));
    for (size_t i = s3svm_pick(c, 0, 5); i; i--) {
        const double x = s3svm_between(c, 30, 70), y = s3svm_between(c, 20, 46);
        s3svm_hand_blob(h, x, y, 3, 3, 0.1, s3svm_chance(c, 0.5) ? &s3svm_ink : &s3svm_paper);
    }
    s3svm_hand_line(h, 50, 72, 51, 84);
}

static void fir_draw(s3svm_hand *h)
{
    const size_t tiers = s3svm_pick(h->c, 3, 4);
    s3svm_hand_rectangle(h, 45, 82, 55, 96);
    for (size_t i = tiers; i-- > 0;) {
        const double y = 4 + 70 * (double)i / (double)tiers, w = 14 + 22 * (double)(i + 1) / (double)tiers,
                     low = y + 84 / (double)tiers + 4;
        s3svm_hand_knot(h, 50, y, true);
        s3svm_hand_knot(h, 50 + w * 0.45, y + (low - y) * 0.6, false);
        s3svm_hand_knot(h, 50 + w, low, true);
        s3svm_hand_knot(h, 50, low + 4, false);
        s3svm_hand_knot(h, 50 - w, low, true);
        s3svm_hand_knot(h, 50 - w * 0.45, y + (low - y) * 0.6, false);
        s3svm_hand_closed(h, &s3svm_paper);
    }
}

static void flower_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const size_t petals = s3svm_pick(c, 5, 9);
    const double x = s3svm_between(c, 46, 54), y = 32, begin = s3svm_between(c, 0, 1), inner = s3svm_between(c, 8, 11),
                 outer = s3svm_between(c, 27, 31);
    s3svm_hand_knot(h, x, y, false);
    s3svm_hand_knot(h, 52, 66, false);
    s3svm_hand_knot(h, 49, 98, false);
    s3svm_hand_open(h);
    s3svm_hand_strokes(h, s3svm_chance(c, 0.5) ? "o 50,86! 64,70 82,66! 72,84"
                                               : "o 50,80! 36,66 18,64! 28,80 o 50,92! 64,78 80,76! 70,90");
    for (size_t i = 0; i < petals; i++) {
        const double a = begin + (double)i / (double)petals, wide = 0.4 / (double)petals;
        const s3svm_spot l = sos_turn(a - wide), m = sos_turn(a), r = sos_turn(a + wide);
        s3svm_hand_knot(h, x + inner * 0.7 * m.x, y + inner * 0.7 * m.y, true);
        s3svm_hand_knot(h, x + 0.8 * outer * l.x, y + 0.8 * outer * l.y, false);
        s3svm_hand_knot(h, x + outer * m.x, y + outer * m.y, false);
        s3svm_hand_knot(h, x + 0.8 * outer * r.x, y + 0.8 * outer * r.y, false);
        s3svm_hand_closed(h, &s3svm_paper);
    }
    s3svm_hand_blob(h, x, y, inner, inner, 0.05, &s3svm_paper);
    for (size_t i = 0; i < 4; i++) {
        const s3svm_spot t = sos_turn(0.25 * (double)i);
        s3svm_hand_knot(h, x + 0.45 * inner * t.x, y + 0.45 * inner * t.y, false);
    }
    s3svm_hand_dots(h);
}

static void sun_draw(s3svm_hand *h)
{
    const size_t rays = s3svm_pick(h->c, 9, 14);
    const double begin = s3svm_between(h->c, 0, 1);
    for (size_t i = 0; i < rays; i++) {
        const s3svm_spot t = sos_turn(begin + (double)i / (double)rays);
        const double far = i & 1 ? 40 : 47;
        s3svm_hand_line(h, 50 + 30 * t.x, 50 + 30 * t.y, 50 + far * t.x, 50 + far * t.y);
    }
    s3svm_hand_blob(h, 50, 50, 22, 22, 0.04, &s3svm_paper);
    if (s3svm_chance(h->c, 0.5)) s3svm_hand_strokes(h, "d 43,46 57,46 s 40,55 50,61 60,55");
}

static void cloud_draw(s3svm_hand *h) { s3svm_hand_bumps(h, 50, 50, 38, 22, s3svm_pick(h->c, 7, 9)); }

static void hair_draw(s3svm_hand *h)
{
    switch (s3svm_pick(h->c, 0, 3)) {
    case 0: /* curls */
        for (size_t i = 0; i < 6; i++)
            s3svm_hand_blob(h, 22 + 11.2 * (double)i,
                            20 - (i == 0 || i == 5   ? -8
                                  : i == 1 || i == 4 ? 2
                                                     : 6),
                            9, 8, 0.1, &s3svm_paper);
        break;
    case 1: /* bristles */
        for (size_t i = 0; i < 11; i++) {
            const s3svm_spot t = sos_turn(0.56 + 0.038 * (double)i);
            s3svm_hand_line(h, 50 + 36 * t.x, 54 + 42 * t.y, 50 + 45 * t.x, 54 + 54 * t.y);
        }
        break;
    case 2: s3svm_hand_strokes(h, "o 12,60 8,30 26,8 52,4 78,8 93,30 88,60! 82,36 64,28! 50,34 34,26! 18,38"); break;
    default: s3svm_hand_strokes(h, "o 18,26! 26,-6! 74,-6! 82,26! 50,22 l 6,27 94,27 s 21,16 50,12 79,16");
    }
}

static void face_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    static const char *const EYES[] = { "d 36,46 64,46", "o 28,46 36,41 44,46 36,51 d 36,46 o 56,46 64,41 72,46 64,51 d 64,46",
                                        "s 30,47 36,43 42,47 s 58,47 64,43 70,47",
                                        "c 35,46 9,8 c 65,46 9,8 s 44,45 50,43 56,45 d 35,46 65,46" };
    static const char *const NOSES[] = { "s 50,48 45,62 51,64", "s 46,60 50,64 54,60", "c 50,60 5,5" };
    static const char *const MOUTHS[] = { "s 34,72 50,82 66,72", "o 36,72! 50,74 64,72! 50,86", "s 38,78 50,75 62,78",
                                          "c 50,78 7,6" };
    s3svm_hand_strokes(h, "o 14,50 6,48 5,60 14,64 o 86,50 94,48 95,60 86,64");
    s3svm_hand_blob(h, 50, 54, 37, 43, 0.03, &s3svm_paper);
    s3svm_hand_strokes(h, EYES[s3svm_pick(c, 0, 3)]);
    s3svm_hand_strokes(h, NOSES[s3svm_pick(c, 0, 2)]);
    s3svm_hand_strokes(h, MOUTHS[s3svm_pick(c, 0, 3)]);
    if (s3svm_chance(c, 0.65)) s3svm_hand_strokes(h, "s 28,36 35,33 43,36 s 57,36 65,33 72,36");
    hair_draw(h);
}

/* A range with snow on its peaks. */
static void mountains_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    for (size_t range = 0; range < 3; range++) {
        const double x = range == 0   ? 30
                         : range == 1 ? 72
                                      : 48,
                     top = range == 2 ? s3svm_between(c, 34, 44) : s3svm_between(c, 12, 30), w = s3svm_between(c, 28, 36);
        s3svm_hand_knot(h, x - w, 86, true);
        s3svm_hand_knot(h, x - 0.45 * w, top + 0.5 * (86 - top), true);
        s3svm_hand_knot(h, x, top, true);
        s3svm_hand_knot(h, x + 0.3 * w, top + 0.34 * (86 - top), true);
        s3svm_hand_knot(h, x + w, 86, true);
        s3svm_hand_closed(h, &s3svm_paper);
        const double snow = top + 0.28 * (86 - top);
        s3svm_hand_knot(h, x - 0.25 * w, snow, true);
        s3svm_hand_knot(h, x - 0.1 * w, snow + 5, true);
        s3svm_hand_knot(h, x, snow - 2, true);
        s3svm_hand_knot(h, x + 0.1 * w, snow + 6, true);
        s3svm_hand_knot(h, x + 0.25 * w, snow, true);
        s3svm_hand_open(h);
    }
    s3svm_hand_line(h, 2, 86, 98, 86);
}

static void spiral_draw(s3svm_hand *h)
{
    const double turns = s3svm_between(h->c, 2.6, 4);
    for (size_t i = 0; i < 60; i++) {
        const double t = (double)i / 59;
        const s3svm_spot d = sos_turn(turns * t);
        s3svm_hand_knot(h, 50 + 44 * t * d.x, 50 + 44 * t * d.y, false);
    }
    s3svm_hand_open(h);
}

static void star_draw(s3svm_hand *h)
{
    const double tilt = s3svm_between(h->c, -0.03, 0.03);
    for (size_t i = 0; i < 5; i++) {
        const s3svm_spot t = sos_turn(tilt - 0.25 + 0.4 * (double)i);
        s3svm_hand_knot(h, 50 + 45 * t.x, 52 + 45 * t.y, true);
    }
    s3svm_hand_closed(h, &s3svm_paper);
}

static void branch_grow(s3svm_hand *h, double x, double y, double angle, double length, size_t depth)
{
    const s3svm_spot t = sos_turn(angle);
    const double bend = s3svm_between(h->c, -0.12, 0.12) * length, x1 = x + length * t.x, y1 = y + length * t.y;
    s3svm_hand_knot(h, x, y, false);
    s3svm_hand_knot(h, (x + x1) / 2 - bend * t.y, (y + y1) / 2 + bend * t.x, false);
    s3svm_hand_knot(h, x1, y1, false);
    s3svm_hand_open(h);
    if (!depth) return;
    const double before = h->radius;
    h->radius *= 0.8;
    for (int side = -1; side < 2; side += 2) {
        const double turned = angle + side * s3svm_between(h->c, 0.06, 0.11);
        branch_grow(h, x1, y1, turned, length * s3svm_between(h->c, 0.62, 0.78), depth - 1);
    }
    h->radius = before;
}

static void bare_tree_draw(s3svm_hand *h)
{
    h->radius *= 1.5;
    branch_grow(h, 50, 96, -0.25, 30, 4);
    s3svm_hand_line(h, 26, 96, 74, 96);
}

typedef struct maker {
    void (*draw)(s3svm_hand *h);
    bool simple;
} maker;

static const maker MAKERS[] = { { house_draw, false }, { tree_draw, true },    { fir_draw, true },   { flower_draw, false },
                                { face_draw, false },  { sun_draw, true },     { cloud_draw, true }, { mountains_draw, true },
                                { star_draw, true },   { spiral_draw, false }, { face_draw, false }, { bare_tree_draw, false },
                                { flower_draw, false } };
enum { MAKER_COUNT = sizeof MAKERS / sizeof *MAKERS };

/* ---- what is on a sheet ---- */

static bool subject_fits(size_t i, bool simple)
{
    return !simple || (i < MAKER_COUNT ? MAKERS[i].simple : s3svm_subjects[i - MAKER_COUNT].simple);
}

/* Subject number n of all that fit: those of numbers that follow each other are spread over the list, and differ. */
static size_t subject_choose(uint64_t n, bool simple)
{
    const size_t all = s3svm_subject_count + MAKER_COUNT;
    size_t fit = 0, at = 0;
    for (size_t i = 0; i < all; i++) fit += subject_fits(i, simple);
    if (!fit) return 0;
    size_t rest = (size_t)(n % fit) * (fit % 19 ? 19 : 17) % fit;
    while (!subject_fits(at, simple) || rest-- > 0) at++;
    return at;
}

static void subject_draw(s3svm_hand *h, uint64_t n, bool simple, double x, double y, double side)
{
    const size_t i = subject_choose(n, simple);
    s3svm_canvas *c = h->c;
    const bool mirrored = i >= MAKER_COUNT && !s3svm_subjects[i - MAKER_COUNT].upright && s3svm_chance(c, 0.5);
    s3svm_hand_place(h, c, x, y, side, mirrored, fmin(s3svm_hand_pen(c), fmax(side / 40, 0.65)));
    if (i < MAKER_COUNT)
        MAKERS[i].draw(h);
    else
        s3svm_hand_strokes(h, s3svm_subjects[i - MAKER_COUNT].strokes);
}

/* A subject in every cell. */
static void subjects_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const size_t cells = c->columns * c->rows;
    for (size_t i = 0; i < cells; i++) {
        const double x = ((double)(i % c->columns) + s3svm_between(c, 0.46, 0.54)) * c->cell_width;
        const double y = ((double)(i / c->columns) + s3svm_between(c, 0.47, 0.53)) * c->cell_height;
        subject_draw(h, c->seed * cells + i, c->unit < 0.35, x, y, s3svm_between(c, 148, 178) * c->unit);
    }
}

static const char *const WORDS[] = { "hello", "river", "energy", "garden", "pencil", "quick", "brown",  "fox",
                                     "jumps", "over",  "lazy",   "dog",    "noise",  "black", "white",  "paper",
                                     "sum",   "graph", "cut",    "flow",   "zebra",  "six",   "2013",   "42",
                                     "yes",   "maybe", "winter", "kite",   "a",      "the",   "letter", "1768",
                                     "95",    "vowel", "jazz",   "apple",  "min",    "of",    "to",     "and" };

static const char *word_next(s3svm_hand *h)
{
    return WORDS[h->word = (h->word + h->word_step) % (sizeof WORDS / sizeof *WORDS)];
}

static double word_width(const char *word)
{
    double width = 0;
    for (; *word; word++) width += s3svm_letter_width(*word);
    return width;
}

/* Writes a word with its lower left corner at (x, y) of the line of writing; size is a letter's box of 100. */
static void word_draw(s3svm_hand *h, const char *word, double x, double y, double size, double radius)
{
    s3svm_canvas *c = h->c;
    const double slant = s3svm_between(c, 0.05, 0.25);
    for (; *word; word++) {
        const char *strokes = s3svm_letter_strokes(*word);
        const double middle = x + 0.5 * size;
        s3svm_hand_place(h, c, middle, y - 0.2 * size + s3svm_between(c, -0.02, 0.02) * size, size, false, radius);
        h->down.x -= slant * size / 100;
        h->tremble *= 0.7;
        if (strokes) s3svm_hand_strokes(h, strokes);
        x += s3svm_letter_width(*word) * size / 100;
    }
}

static void writing_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const double lines = fmax(floor(c->height / (s3svm_between(c, 52, 72) * c->unit)), 1), pitch = c->height / lines,
                 size = pitch * 0.92;
    const double radius = fmax(fmin(s3svm_hand_pen(c), size / 22), 0.65);
    for (size_t i = 0; i < (size_t)lines; i++) {
        const double y = ((double)i + 0.7) * pitch;
        double x = size * s3svm_between(c, 0.1, 0.5);
        for (size_t n = 0; n < 4000; n++) {
            const char *word = word_next(h);
            const double width = word_width(word) * size / 100;
            if (x + width > c->width && x > size) break;
            word_draw(h, word, x, y, size, radius);
            x += width + size * s3svm_between(c, 0.22, 0.4);
        }
    }
}

/* A subject, and beside it a few words. */
static void note_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    const size_t cells = c->columns * c->rows, first = s3svm_pick(c, 0, 1);
    for (size_t i = 0; i < cells; i++) {
        const double left = (double)(i % c->columns) * c->cell_width, top = (double)(i / c->columns) * c->cell_height,
                     u = c->unit;
        if (i % 2 == first || cells == 1) {
            subject_draw(h, c->seed * cells + i, u < 0.35, left + 100 * u, top + 100 * u, s3svm_between(c, 145, 170) * u);
            continue;
        }
        const double radius = s3svm_hand_pen(c);
        for (size_t k = 0; k < 3; k++) {
            const char *word = word_next(h);
            const double size = fmin(68 * u, 0.92 * c->cell_width / word_width(word) * 100);
            word_draw(h, word, left + s3svm_between(c, 4, 20) * u, top + (50 + 58 * (double)k) * u, size,
                      fmax(fmin(radius, size / 22), 0.65));
        }
    }
}

/* A wavy line from border to border that hides what is behind it. */
static void hill_draw(s3svm_hand *h, double y, double rise)
{
    s3svm_canvas *c = h->c;
    const size_t n = (size_t)fmin(3 + c->width / (50 * c->unit), 100);
    s3svm_hand_place(h, c, 0, 0, 100, false, s3svm_hand_pen(c));
    h->middle = (s3svm_spot){ 50, 50 }; /* pixels are the square's units here */
    h->right = (s3svm_spot){ 1, 0 };
    h->down = (s3svm_spot){ 0, 1 };
    memset(h->warp, 0, sizeof h->warp);
    for (size_t i = 0; i < n; i++)
        s3svm_hand_knot(h, (1.1 * (double)i / (double)(n - 1) - 0.05) * c->width, y + rise * s3svm_between(c, -1, 1), false);
    s3svm_hand_knot(h, 1.05 * c->width, c->height + 40 * c->unit, true);
    s3svm_hand_knot(h, -0.05 * c->width, c->height + 40 * c->unit, true);
    s3svm_hand_closed(h, &s3svm_paper);
}

typedef struct prop {
    void (*draw)(s3svm_hand *h);
    double least, most; /* size, for cells of 200 */
} prop;

/* Props along the width, standing at height y. */
static void props_draw(s3svm_hand *h, size_t count, const prop props[], size_t kinds, double y, double places)
{
    s3svm_canvas *c = h->c;
    for (size_t i = 0; i < count; i++) {
        const prop *p = &props[s3svm_pick(c, 0, kinds - 1)];
        const double size = s3svm_between(c, p->least, p->most) * c->unit,
                     x = ((double)i + s3svm_between(c, 0.3, 0.7)) / (double)count * c->width;
        const double foot = y + places * s3svm_between(c, -1, 1), radius = fmax(fmin(s3svm_hand_pen(c), size / 45), 0.65);
        s3svm_hand_place(h, c, x, foot - 0.45 * size, size, false, radius);
        p->draw(h);
    }
}

/* From back to front: sky, mountains, hills with trees and houses, flowers. */
static void scene_draw(s3svm_hand *h)
{
    s3svm_canvas *c = h->c;
    static const prop CLOUDS[] = { { cloud_draw, 50, 85 } };
    static const prop FAR[] = { { mountains_draw, 110, 150 }, { mountains_draw, 90, 130 } };
    static const prop NEAR[] = { { house_draw, 75, 105 },
                                 { tree_draw, 70, 105 },
                                 { fir_draw, 65, 105 },
                                 { bare_tree_draw, 70, 100 },
                                 { house_draw, 70, 90 } };
    static const prop FRONT[] = { { flower_draw, 52, 68 }, { fir_draw, 50, 70 }, { flower_draw, 48, 62 } };
    const double whole = fmin(c->width, c->height) / 200, before = c->unit, sky = 0.3 * c->height, u = whole;
    const size_t across = (size_t)fmax(c->width / (200 * u) + 0.5, 1);
    c->unit = whole; /* a scene is one, however large the picture */
    const double x = s3svm_between(c, 0.08, 0.92) * c->width, y = s3svm_between(c, 0.5, 0.7) * sky,
                 size = s3svm_between(c, 60, 80) * u;
    s3svm_hand_place(h, c, x, y, size, false, s3svm_hand_pen(c));
    sun_draw(h);
    props_draw(h, across + 1, CLOUDS, 1, sky, 6 * u);
    const double ground = 0.68 * c->height - s3svm_between(c, 0, 14) * u;
    if (s3svm_chance(c, 0.7)) props_draw(h, across + 1, FAR, 2, ground + 12 * u, 3 * u);
    for (size_t i = 0; ground + (double)i * 62 * u < c->height - 50 * u; i++) {
        const double top = ground + (double)i * 62 * u;
        hill_draw(h, top, 7 * u);
        props_draw(h, 2 * across - 1 + s3svm_pick(c, 0, 1), NEAR, 5, top + 22 * u, 6 * u);
    }
    if (s3svm_chance(c, 0.6)) hill_draw(h, c->height - 22 * u, 6 * u);
    props_draw(h, across + s3svm_pick(c, 0, 1), FRONT, 3, c->height - 6 * u, 3 * u);
    c->unit = before;
}

void s3svm_drawing_sketch(s3svm_canvas *c)
{
    static void (*const SHEETS[])(s3svm_hand *) = { subjects_draw, subjects_draw, scene_draw,   subjects_draw, note_draw,
                                                    subjects_draw, subjects_draw, writing_draw, subjects_draw, scene_draw };
    static const size_t STEPS[] = { 3, 7, 11, 13, 17 }; /* share no divisor with the number of words, 40 */
    s3svm_hand h = { .c = c, .word = s3svm_pick(c, 0, sizeof WORDS / sizeof *WORDS - 1) };
    h.word_step = STEPS[s3svm_pick(c, 0, 4)];
    const size_t kinds = c->unit < 0.35 ? 2 : sizeof SHEETS / sizeof *SHEETS; /* what is small must be simple */
    SHEETS[c->seed % kinds](&h);
}
