/* marks.h - what people marked in a photograph, and the files in which they did (docs/segmentation.md).
 *
 * Marks are a picture of 1 channel and of the size of the photograph, with one number for each pixel.  Files of scribbles have
 * conventions of their own:
 *
 *     palette  numbers 0 nothing, 1 object, 2 background; palette indices or grey values
 *     opencv   numbers 0 background, 1 object, 2 perhaps background, 3 perhaps object
 *     trimap   grey: 0 background, 255 object, anything between nothing
 *     colour   strokes of clear colours over white, black, grey, nothing (transparent) or the photograph itself
 *     list     no picture, but a list of marks in their order: JSON (<s3svm/dialogue.h>), told by the ending .json
 *
 * Which of these a file follows is recognised where its content leaves no doubt; where it does, reading fails and says what to
 * choose from. */
#ifndef S3SVM_MARKS_H
#define S3SVM_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a pixel.  The first three are the numbers of the convention "palette"; those of objects are odd. */
enum {
    SOS_MARK_NONE,
    SOS_MARK_OBJECT,
    SOS_MARK_BACKGROUND,
    SOS_MARK_PERHAPS_OBJECT, /* a start for methods that need one; never certain */
    SOS_MARK_PERHAPS_BACKGROUND,
    SOS_MARKS
};

/* Whether somebody marked the pixel for certain. */
static inline bool sos_mark_is_sure(uint8_t mark) { return mark == SOS_MARK_OBJECT || mark == SOS_MARK_BACKGROUND; }

/* Whether a mark says object, for certain or perhaps. */
static inline bool sos_mark_is_object(uint8_t mark) { return mark & 1; }

/* How many pixels have each mark. */
SOS_API void sos_marks_count(const sos_image *marks, size_t counts[SOS_MARKS]);

/* A rectangle (x, y, width, height) that holds the object: what lies outside becomes background, what lies inside and is not
 * marked perhaps object.  Marks of object and background win over the rectangle.  What lies outside of the picture is cut off;
 * a rectangle of which nothing is left is an error. */
SOS_MUST_USE SOS_API sos_status sos_marks_rectangle(sos_image *marks, const long rectangle[4], sos_error *error);

/* ---- files of scribbles ---- */

typedef enum sos_convention {
    SOS_CONVENTION_AUTO,
    SOS_CONVENTION_PALETTE,
    SOS_CONVENTION_OPENCV,
    SOS_CONVENTION_TRIMAP,
    SOS_CONVENTION_COLOUR,
    SOS_CONVENTION_LIST
} sos_convention;

/* The names on the command line, in the order of sos_convention and sos_stroke. */
#define SOS_CONVENTIONS "auto|palette|opencv|trimap|colour|list"
#define SOS_STROKES     "auto|red|yellow|green|cyan|blue|magenta|white|black"
SOS_API const char *sos_convention_name(sos_convention convention);

/* Colours that strokes can have. */
typedef enum sos_stroke {
    SOS_STROKE_AUTO, /* object: green, yellow, white and, unless there is green, red; background: blue, black, red beside green
                      */
    SOS_STROKE_RED,
    SOS_STROKE_YELLOW,
    SOS_STROKE_GREEN,
    SOS_STROKE_CYAN,
    SOS_STROKE_BLUE,
    SOS_STROKE_MAGENTA,
    SOS_STROKE_WHITE,
    SOS_STROKE_BLACK
} sos_stroke;
SOS_API const char *sos_stroke_name(sos_stroke stroke);

typedef struct sos_scribbles_settings {
    sos_convention convention;
    sos_stroke object, background; /* for the convention "colour"; where one is named, other colours mean nothing */
    uint64_t reserved[8];          /* 0 */
} sos_scribbles_settings;

typedef struct sos_scribbles_found {
    sos_convention convention; /* never SOS_CONVENTION_AUTO */
    char words[160];           /* the same for people, with the colours; over a photograph with pixels and parts of each */
    size_t own;                /* pixels of a stroke's colour that the photograph has itself, and a lossy file has shifted */
    sos_stroke own_stroke;     /* the colour that most of them have */
    uint64_t reserved[6];      /* 0 */
} sos_scribbles_found;

/* Reads a file of scribbles for a photograph of 3 channels.  marks receives one channel of SOS_MARK_ numbers, the caller's to
 * free.  Refused: another size than the photograph's, numbers that the convention has not, a picture in which nothing is
 * marked, and what can be read in more than one way.  Over the photograph in a lossy file, as JPEG, the colours of the
 * photograph are told from strokes by what it has around them; a third colour of strokes is then refused, unless colours are
 * named.  settings, zeros for what is recognised, and found may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_scribbles_read(const char *path, const sos_image *photograph,
                                                   const sos_scribbles_settings *settings, sos_image *marks,
                                                   sos_scribbles_found *found, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
