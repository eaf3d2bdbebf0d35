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
    S3SVM_MARK_NONE,
    S3SVM_MARK_OBJECT,
    S3SVM_MARK_BACKGROUND,
    S3SVM_MARK_PERHAPS_OBJECT, /* a start for methods that need one; never certain */
    S3SVM_MARK_PERHAPS_BACKGROUND,
    S3SVM_MARKS
};

/* Whether somebody marked the pixel for certain. */
static inline bool s3svm_mark_is_sure(uint8_t mark) { return mark == S3SVM_MARK_OBJECT || mark == S3SVM_MARK_BACKGROUND; }

/* Whether a mark says object, for certain or perhaps. */
static inline bool s3svm_mark_is_object(uint8_t mark) { return mark & 1; }

/* How many pixels have each mark. */
SOS_API void s3svm_marks_count(const s3svm_image *marks, size_t counts[S3SVM_MARKS]);

/* ---- files of scribbles ---- */

typedef enum s3svm_convention {
    S3SVM_CONVENTION_AUTO,
    S3SVM_CONVENTION_PALETTE,
    S3SVM_CONVENTION_OPENCV,
    S3SVM_CONVENTION_TRIMAP,
    S3SVM_CONVENTION_COLOUR,
    S3SVM_CONVENTION_LIST
} s3svm_convention;

/* The names on the command line, in the order of s3svm_convention and s3svm_stroke. */
#define S3SVM_CONVENTIONS "auto|palette|opencv|trimap|colour|list"
#define S3SVM_STROKES     "auto|red|yellow|green|cyan|blue|magenta|white|black"
SOS_API const char *s3svm_convention_name(s3svm_convention convention);

/* Colours that strokes can have. */
typedef enum s3svm_stroke {
    S3SVM_STROKE_AUTO, /* object: green, yellow, white and, unless there is green, red; background: blue, black, red beside
                        * green
                        */
    S3SVM_STROKE_RED,
    S3SVM_STROKE_YELLOW,
    S3SVM_STROKE_GREEN,
    S3SVM_STROKE_CYAN,
    S3SVM_STROKE_BLUE,
    S3SVM_STROKE_MAGENTA,
    S3SVM_STROKE_WHITE,
    S3SVM_STROKE_BLACK
} s3svm_stroke;
SOS_API const char *s3svm_stroke_name(s3svm_stroke stroke);

typedef struct s3svm_scribbles_settings {
    s3svm_convention convention;
    s3svm_stroke object, background; /* for the convention "colour"; where one is named, other colours mean nothing */
    uint64_t reserved[8];            /* 0 */
} s3svm_scribbles_settings;

typedef struct s3svm_scribbles_found {
    s3svm_convention convention; /* never S3SVM_CONVENTION_AUTO */
    char words[160];             /* the same for people, with the colours; over a photograph with pixels and parts of each */
    size_t own;                  /* pixels of a stroke's colour that the photograph has itself, and a lossy file has shifted */
    s3svm_stroke own_stroke;     /* the colour that most of them have */
    uint64_t reserved[8];        /* 0 */
} s3svm_scribbles_found;

/* Reads a file of scribbles for a photograph of 3 channels.  marks receives one channel of S3SVM_MARK_ numbers, the caller's to
 * free.  Refused: another size than the photograph's, numbers that the convention has not, a picture in which nothing is
 * marked, and what can be read in more than one way.  Over the photograph in a lossy file, as JPEG, the colours of the
 * photograph are told from strokes by what it has around them; a third colour of strokes is then refused, unless colours are
 * named.  settings, zeros for what is recognised, and found may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_scribbles_read(const char *path, const s3svm_image *photograph,
                                                     const s3svm_scribbles_settings *settings, s3svm_image *marks,
                                                     s3svm_scribbles_found *found, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
