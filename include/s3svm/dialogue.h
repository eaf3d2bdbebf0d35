/* dialogue.h - the marks that a person makes in a photograph, in their order.
 *
 *     s3svm_dialogue_create(photograph.width, photograph.height, &d, &error);
 *     s3svm_dialogue_add(d, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_STROKE, .label = S3SVM_MARK_OBJECT, .radius = 5, .count = 1,
 *                                         .points = &(s3svm_point){ 120, 80 } }, &error);
 *     s3svm_dialogue_draw(d, s3svm_dialogue_steps(d), &marks, &error);
 *
 * A dialogue is a list of steps, and a step consists of marks that are made together: a stroke, or all strokes of a file of
 * scribbles.  The labels after a step are corrected by the next.  Taking back a step removes it from the list, as if it had
 * never been made.
 *
 * Points are in pixels: (x, y) is the centre of column x, row y, counted from 0.  They may lie outside the photograph; marks
 * are clipped to it.  Only one thread may change a dialogue at a time; several may read it. */
#ifndef S3SVM_DIALOGUE_H
#define S3SVM_DIALOGUE_H

#include <s3svm/marks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum s3svm_shape {
    S3SVM_SHAPE_STROKE,  /* a line through points, drawn with a round pen; a click is a line of one point */
    S3SVM_SHAPE_BOX,     /* two opposite corners: the object is inside, corners included */
    S3SVM_SHAPE_OUTLINE, /* a closed line drawn loosely around the object; it may cross itself */
    S3SVM_SHAPE_PIXELS,  /* a picture of S3SVM_MARK_ numbers, such as a file of scribbles */
    S3SVM_SHAPES
} s3svm_shape;

typedef struct s3svm_point {
    float x, y;
} s3svm_point;

/* Limits, which bound the time and memory that a file can take. */
enum {
    S3SVM_DIALOGUE_STEPS_MAX = 1 << 16,
    S3SVM_DIALOGUE_OUTLINES_MAX = 1 << 8,       /* only the last one is used */
    S3SVM_DIALOGUE_POINTS_MAX = 1 << 18,        /* of all marks together */
    S3SVM_DIALOGUE_COORDINATE_MAX = 1 << 20,    /* of points, either sign */
    S3SVM_DIALOGUE_RADIUS_MAX = 1 << 16,        /* of pens */
    S3SVM_DIALOGUE_PICTURE_PIXELS_MAX = 1 << 28 /* of all S3SVM_SHAPE_PIXELS together */
};

typedef struct s3svm_mark {
    s3svm_shape shape;
    uint8_t label;             /* for a stroke: S3SVM_MARK_OBJECT or S3SVM_MARK_BACKGROUND; for others 0 */
    float radius;              /* of the pen of a stroke, in pixels; at least 0.71 is used, so that every point marks a pixel */
    size_t count;              /* number of points: stroke 1 or more, box 2, outline 3 or more */
    const s3svm_point *points; /* NULL for pixels */
    const s3svm_image *pixels; /* S3SVM_SHAPE_PIXELS: one channel, of the photograph's size */
    uint64_t reserved[8];      /* 0 */
} s3svm_mark;

typedef struct s3svm_dialogue s3svm_dialogue;

/* Creates a dialogue without steps for a photograph of this size.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_create(size_t width, size_t height, s3svm_dialogue **out, sos_error *error);
SOS_API void s3svm_dialogue_free(s3svm_dialogue *d); /* NULL is allowed */

/* Makes a dialogue of one step from a picture of S3SVM_MARK_ numbers.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_of_marks(const s3svm_image *marks, s3svm_dialogue **out, sos_error *error);

SOS_API size_t s3svm_dialogue_width(const s3svm_dialogue *d);
SOS_API size_t s3svm_dialogue_height(const s3svm_dialogue *d);

/* Adds a step of count marks, at least 1, in the order in which they were made.  Everything is copied.  Fails, with the number
 * of the mark, for points that are not finite or exceed the limits, a wrong number of points, a box or an outline that contains
 * no pixel of the photograph, and pictures of another size or with numbers other than S3SVM_MARK_. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_add(s3svm_dialogue *d, size_t count, const s3svm_mark marks[], sos_error *error);

/* Adds a copy of a step of another dialogue. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_add_step(s3svm_dialogue *d, const s3svm_dialogue *from, size_t step,
                                                        sos_error *error);

SOS_API size_t s3svm_dialogue_steps(const s3svm_dialogue *d);

/* Keeps the first steps and removes the others; changes nothing if there are no more than that.  To take back the last step:
 * s3svm_dialogue_cut(d, s3svm_dialogue_steps(d) - 1). */
SOS_API void s3svm_dialogue_cut(s3svm_dialogue *d, size_t steps);

/* How many steps both begin with. */
SOS_API size_t s3svm_dialogue_common(const s3svm_dialogue *a, const s3svm_dialogue *b);

/* The number of marks of a step, and mark i of it, whose points and pixels belong to the dialogue and are valid until it
 * changes. */
SOS_API size_t s3svm_dialogue_count(const s3svm_dialogue *d, size_t step);
SOS_API s3svm_mark s3svm_dialogue_mark(const s3svm_dialogue *d, size_t step, size_t i);

/* Draws the marks of the first steps (all if there are fewer).  marks is a picture of one channel and of the photograph's size,
 * created by the caller, and receives S3SVM_MARK_ numbers:
 *
 *     stroke         pixels within radius of the line get its label
 *     pixels         numbers are copied; "perhaps" never replaces object or background
 *     box, outline   outside is background; inside is perhaps object where there is no other mark.  Strokes and pixels of
 * object or background take precedence, whether they came before or after
 *
 * If strokes or pictures contradict each other, the later one wins; of several boxes and outlines only the last counts.  The
 * inside of an outline that crosses itself is defined by the nonzero winding rule. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_draw(const s3svm_dialogue *d, size_t steps, s3svm_image *marks,
                                                    sos_error *error);

/* The same for all steps, without "perhaps" marks. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_draw_sure(const s3svm_dialogue *d, s3svm_image *marks, sos_error *error);

/* ---- files: JSON (docs/formats.md) ---- */

/* Reads a file, or parses a text; name is for messages.  Missing or unknown members, and values beyond the limits, are errors
 * that name step and mark.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_read(const char *path, s3svm_dialogue **out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_parse(const char *text, size_t length, const char *name, s3svm_dialogue **out,
                                                     sos_error *error);

/* Reads a file of scribbles of any convention for a photograph of 3 channels, like s3svm_scribbles_read: a list of marks keeps
 * its steps, a picture becomes a single step.  settings and found may be NULL.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_read_scribbles(const char *path, const s3svm_image *photograph,
                                                              const s3svm_scribbles_settings *settings, s3svm_dialogue **out,
                                                              s3svm_scribbles_found *found, sos_error *error);

/* Writes a file, by a temporary file that is then renamed; or encodes in memory, where the caller frees *text with free().
 * Reading it back gives the same marks. */
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_write(const s3svm_dialogue *d, const char *path, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_dialogue_encode(const s3svm_dialogue *d, char **text, size_t *length, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
