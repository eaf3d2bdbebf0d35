/* dialogue.h - what somebody marked in a photograph, in the order in which it was marked.
 *
 *     s3svm_dialogue_create(photograph.width, photograph.height, &d, &error);
 *     s3svm_dialogue_add(d, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_STROKE, .label = S3SVM_MARK_OBJECT, .radius = 5, .count = 1,
 *                                         .points = &(s3svm_point){ 120, 80 } }, &error);
 *     s3svm_dialogue_draw(d, s3svm_dialogue_steps(d), &marks, &error);
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

typedef enum s3svm_shape {
    S3SVM_SHAPE_STROKE,  /* a line through points with a round pen; a click is a line of one point */
    S3SVM_SHAPE_BOX,     /* two opposite corners: the object lies between them, corners included */
    S3SVM_SHAPE_OUTLINE, /* a closed line drawn loosely around the object; it may cross itself */
    S3SVM_SHAPE_PIXELS,  /* a picture of S3SVM_MARK_ numbers: a file of scribbles */
    S3SVM_SHAPES
} s3svm_shape;

typedef struct s3svm_point {
    float x, y;
} s3svm_point;

/* Limits, so that no file takes hours or all of the memory. */
enum {
    S3SVM_DIALOGUE_STEPS_MAX = 1 << 16,
    S3SVM_DIALOGUE_OUTLINES_MAX = 1 << 8,       /* of which the last counts */
    S3SVM_DIALOGUE_POINTS_MAX = 1 << 18,        /* of all marks together */
    S3SVM_DIALOGUE_COORDINATE_MAX = 1 << 20,    /* of points, either sign */
    S3SVM_DIALOGUE_RADIUS_MAX = 1 << 16,        /* of pens */
    S3SVM_DIALOGUE_PICTURE_PIXELS_MAX = 1 << 28 /* of all S3SVM_SHAPE_PIXELS together */
};

typedef struct s3svm_mark {
    s3svm_shape shape;
    uint8_t label;             /* of a stroke: S3SVM_MARK_OBJECT or S3SVM_MARK_BACKGROUND; of others 0 */
    float radius;              /* of the pen of a stroke; one below 0.71 draws as 0.71, so that every point marks a pixel */
    size_t count;              /* of points: stroke 1 or more, box 2, outline 3 or more */
    const s3svm_point *points; /* NULL for pixels */
    const s3svm_image *pixels; /* S3SVM_SHAPE_PIXELS: one channel, of the photograph's size */
    uint64_t reserved[8];      /* 0 */
} s3svm_mark;

typedef struct s3svm_dialogue s3svm_dialogue;

/* For a photograph of this size, with no step. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_create(size_t width, size_t height, s3svm_dialogue **out, sos_error *error);
SOS_API void s3svm_dialogue_free(s3svm_dialogue *d); /* NULL is allowed */

/* A picture of S3SVM_MARK_ numbers as a dialogue of one step. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_of_marks(const s3svm_image *marks, s3svm_dialogue **out, sos_error *error);

SOS_API size_t s3svm_dialogue_width(const s3svm_dialogue *d);
SOS_API size_t s3svm_dialogue_height(const s3svm_dialogue *d);

/* A further step of count marks, 1 or more, in the order in which they were made.  Everything is copied.  Refused, with the
 * number of the mark: points that are no numbers or beyond the limits, a wrong number of points, a box or an outline with no
 * pixel of the photograph inside, pictures of another size or with other numbers than S3SVM_MARK_. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_add(s3svm_dialogue *d, size_t count, const s3svm_mark marks[], sos_error *error);

/* The same with a step of another dialogue. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_add_step(s3svm_dialogue *d, const s3svm_dialogue *from, size_t step,
                                                        sos_error *error);

SOS_API size_t s3svm_dialogue_steps(const s3svm_dialogue *d);

/* Keeps the first so many steps; a number that is not smaller than that of all steps changes nothing.  To take back the last
 * one: s3svm_dialogue_cut(d, s3svm_dialogue_steps(d) - 1). */
SOS_API void s3svm_dialogue_cut(s3svm_dialogue *d, size_t steps);

/* Marks of a step, and mark i of them.  Its points and pixels are the dialogue's, good until it is changed. */
SOS_API size_t s3svm_dialogue_count(const s3svm_dialogue *d, size_t step);
SOS_API s3svm_mark s3svm_dialogue_mark(const s3svm_dialogue *d, size_t step, size_t i);

/* What the first so many steps, or all if there are fewer, say of every pixel.  marks is a picture of one channel and of the
 * photograph's size, which the caller made, and receives S3SVM_MARK_ numbers:
 *
 *     stroke         pixels at most radius from the line get its label
 *     pixels         numbers as they are; "perhaps" never replaces object or background
 *     box, outline   outside is background, inside perhaps object where nothing else was said; strokes and pixels that say
 *                    object or background win, whether they came before or after
 *
 * Of strokes and pictures that contradict each other the later wins; of several boxes and outlines only the last counts.  The
 * inside of an outline that crosses itself is what it winds around (nonzero rule). */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_draw(const s3svm_dialogue *d, size_t steps, s3svm_image *marks,
                                                    sos_error *error);

/* The same of all steps, without what is only perhaps. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_draw_sure(const s3svm_dialogue *d, s3svm_image *marks, sos_error *error);

/* ---- files: JSON, as docs/formats.md describes it ---- */

/* Reads a file strictly: what is missing, unknown or beyond the limits is an error that names step and mark.  The dialogue is
 * the caller's to free.  Without libjansson reading fails and says so. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_read(const char *path, s3svm_dialogue **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_parse(const char *text, size_t length, const char *name, s3svm_dialogue **out,
                                                     sos_error *error);

/* A file of scribbles of any convention for a photograph of 3 channels, as s3svm_scribbles_read reads it: a list of marks as it
 * is, a picture as a single step. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_read_scribbles(const char *path, const s3svm_image *photograph,
                                                              const s3svm_scribbles_settings *settings, s3svm_dialogue **out,
                                                              s3svm_scribbles_found *found, sos_error *error);

/* Written by way of a temporary file and a rename; or into memory, to free.  What is written reads back as the same marks. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_write(const s3svm_dialogue *d, const char *path, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_encode(const s3svm_dialogue *d, char **text, size_t *length, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
