/* marks.h - marks in a photograph, and files of scribbles (docs/segmentation.md).
 *
 * Marks are a picture of 1 channel and of the size of the photograph, with one number for each pixel.  Files of scribbles
 * follow one of these conventions:
 *
 *     palette  numbers 0 nothing, 1 object, 2 background; palette indices or grey values
 *     opencv   numbers 0 background, 1 object, 2 perhaps background, 3 perhaps object
 *     trimap   grey: 0 background, 255 object, anything between nothing
 *     colour   strokes of clear colours over white, black, grey, nothing (transparent) or the photograph itself
 *     list     a JSON list of marks in their order (<s3svm/dialogue.h>), recognised by the extension .json
 *
 * The convention is recognised from the content of the file.  If that is ambiguous, reading fails, and the message names the
 * possibilities. */
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

/* The mark of a pixel.  The first three are the numbers of the convention "palette"; marks of the object are odd. */
enum {
    S3SVM_MARK_NONE,
    S3SVM_MARK_OBJECT,
    S3SVM_MARK_BACKGROUND,
    S3SVM_MARK_PERHAPS_OBJECT, /* an initial label for methods that need one; may change */
    S3SVM_MARK_PERHAPS_BACKGROUND,
    S3SVM_MARKS
};

/* Whether the pixel is marked as object or background, not as "perhaps". */
static inline bool s3svm_mark_is_sure(uint8_t mark) { return mark == S3SVM_MARK_OBJECT || mark == S3SVM_MARK_BACKGROUND; }

/* Whether a mark is of the object, including "perhaps". */
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
    S3SVM_STROKE_AUTO, /* object: green, yellow, white, and red unless there is green; background: blue, black, and red if there
                          is green */
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
    s3svm_stroke object, background; /* for the convention "colour"; if one is named, other colours are ignored */
    uint64_t reserved[8];            /* 0 */
} s3svm_scribbles_settings;

typedef struct s3svm_scribbles_found {
    s3svm_convention convention; /* never S3SVM_CONVENTION_AUTO */
    char words[160];             /* a description with the colours; for strokes over a photograph, also numbers of pixels and
                                    parts */
    size_t own;                  /* pixels in a stroke's colour that belong to the photograph itself (lossy files) */
    s3svm_stroke own_stroke;     /* the most frequent colour among them */
    uint64_t reserved[8];        /* 0 */
} s3svm_scribbles_found;

/* Reads a file of scribbles for a photograph of 3 channels.  marks receives one channel of S3SVM_MARK_ numbers; the caller
 * frees it.  Fails for a size other than the photograph's, numbers that the convention does not have, a picture without marks,
 * and ambiguous files.  If strokes were drawn over the photograph and saved in a lossy format such as JPEG, its own colours are
 * told from strokes by comparison with the photograph; a third stroke colour is then refused unless colours are named. settings
 * may be NULL, and zeros in it mean automatic; found may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_scribbles_read(const char *path, const s3svm_image *photograph,
                                                     const s3svm_scribbles_settings *settings, s3svm_image *marks,
                                                     s3svm_scribbles_found *found, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
