/* dialogue.h - what somebody marked in a photograph, in the order in which it was marked.
 *
 *     sos_dialogue_create(photograph.width, photograph.height, &d, &error);
 *     sos_dialogue_add(d, 1, &(sos_mark){ .shape = SOS_SHAPE_STROKE, .label = SOS_MARK_OBJECT, .radius = 5, .count = 1,
 *                                         .points = &(sos_point){ 120, 80 } }, &error);
 *     sos_dialogue_draw(d, sos_dialogue_steps(d), &marks, &error);
 *
 * A dialogue is a list of steps, and a step is what was marked at once: a stroke, or all strokes of a file of scribbles. Labels
 * are then looked at, and the next step corrects them.  Taking a step back is cutting the list, so that it equals never having
 * made it.
 *
 * Points are in pixels: (x, y) is the centre of column x, row y, counted from 0.  They may lie outside of the photograph; what
 * is drawn there is cut off.  One thread at a time for each dialogue; several may read one. */
#ifndef S3SVM_DIALOGUE_H
#define S3SVM_DIALOGUE_H

#include <s3svm/marks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_shape {
    SOS_SHAPE_STROKE,  /* a line through points with a round pen; a click is a line of one point */
    SOS_SHAPE_BOX,     /* two opposite corners: the object lies between them, corners included */
    SOS_SHAPE_OUTLINE, /* a closed line drawn loosely around the object; it may cross itself */
    SOS_SHAPE_PIXELS,  /* a picture of SOS_MARK_ numbers: a file of scribbles */
    SOS_SHAPES
} sos_shape;

typedef struct sos_point {
    float x, y;
} sos_point;

/* Limits, so that no file takes hours or all of the memory. */
enum {
    SOS_DIALOGUE_STEPS_MAX = 1 << 16,
    SOS_DIALOGUE_OUTLINES_MAX = 1 << 8,       /* of which the last counts */
    SOS_DIALOGUE_POINTS_MAX = 1 << 18,        /* of all marks together */
    SOS_DIALOGUE_COORDINATE_MAX = 1 << 20,    /* of points, either sign */
    SOS_DIALOGUE_RADIUS_MAX = 1 << 16,        /* of pens */
    SOS_DIALOGUE_PICTURE_PIXELS_MAX = 1 << 28 /* of all SOS_SHAPE_PIXELS together */
};

typedef struct sos_mark {
    sos_shape shape;
    uint8_t label;           /* of a stroke: SOS_MARK_OBJECT or SOS_MARK_BACKGROUND; of others 0 */
    float radius;            /* of the pen of a stroke; one below 0.71 draws as 0.71, so that every point marks a pixel */
    size_t count;            /* of points: stroke 1 or more, box 2, outline 3 or more */
    const sos_point *points; /* NULL for pixels */
    const sos_image *pixels; /* SOS_SHAPE_PIXELS: one channel, of the photograph's size */
    uint64_t reserved[4];    /* 0 */
} sos_mark;

typedef struct sos_dialogue sos_dialogue;

/* For a photograph of this size, with no step. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_create(size_t width, size_t height, sos_dialogue **out, sos_error *error);
SOS_API void sos_dialogue_free(sos_dialogue *d); /* NULL is fine */
SOS_MUST_USE SOS_API sos_status sos_dialogue_copy(const sos_dialogue *d, sos_dialogue **out, sos_error *error);

SOS_API size_t sos_dialogue_width(const sos_dialogue *d);
SOS_API size_t sos_dialogue_height(const sos_dialogue *d);

/* A further step of count marks, 1 or more, in the order in which they were made.  Everything is copied.  Refused, with the
 * number of the mark: points that are no numbers or beyond the limits, a wrong number of points, a box or an outline with no
 * pixel of the photograph inside, pictures of another size or with other numbers than SOS_MARK_. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_add(sos_dialogue *d, size_t count, const sos_mark marks[], sos_error *error);

/* The same with a step of another dialogue. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_add_step(sos_dialogue *d, const sos_dialogue *from, size_t step, sos_error *error);

SOS_API size_t sos_dialogue_steps(const sos_dialogue *d);

/* Keeps the first so many steps; a number that is not smaller than that of all steps changes nothing.  To take back the last
 * one: sos_dialogue_cut(d, sos_dialogue_steps(d) - 1). */
SOS_API void sos_dialogue_cut(sos_dialogue *d, size_t steps);

/* Marks of a step, and mark i of them.  Its points and pixels are the dialogue's, good until it is changed. */
SOS_API size_t sos_dialogue_count(const sos_dialogue *d, size_t step);
SOS_API sos_mark sos_dialogue_mark(const sos_dialogue *d, size_t step, size_t i);

/* What the first so many steps, or all if there are fewer, say of every pixel.  marks is a picture of one channel and of the
 * photograph's size, which the caller made, and receives SOS_MARK_ numbers:
 *
 *     stroke         pixels at most radius from the line get its label
 *     pixels         numbers as they are; "perhaps" never replaces object or background
 *     box, outline   outside is background, inside perhaps object where nothing else was said; strokes and pixels that say
 *                    object or background win, whether they came before or after
 *
 * Of strokes and pictures that contradict each other the later wins; of several boxes and outlines only the last counts.  The
 * inside of an outline that crosses itself is what it winds around (nonzero rule). */
SOS_MUST_USE SOS_API sos_status sos_dialogue_draw(const sos_dialogue *d, size_t steps, sos_image *marks, sos_error *error);

/* ---- files: JSON, as docs/formats.md describes it ---- */

/* Reads a file strictly: what is missing, unknown or beyond the limits is an error that names step and mark.  The dialogue is
 * the caller's to free.  Without libjansson reading fails and says so. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_read(const char *path, sos_dialogue **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_dialogue_parse(const char *text, size_t length, const char *name, sos_dialogue **out,
                                                   sos_error *error);

/* A file of scribbles of any convention for a photograph of 3 channels, as sos_scribbles_read reads it: a list of marks as it
 * is, a picture as a single step. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_read_scribbles(const char *path, const sos_image *photograph,
                                                            const sos_scribbles_settings *settings, sos_dialogue **out,
                                                            sos_scribbles_found *found, sos_error *error);

/* Written by way of a temporary file and a rename; or into memory, to free.  What is written reads back as the same marks. */
SOS_MUST_USE SOS_API sos_status sos_dialogue_write(const sos_dialogue *d, const char *path, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_dialogue_encode(const sos_dialogue *d, char **text, size_t *length, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
