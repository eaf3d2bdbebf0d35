/* segment.h - what the parts of s3svm segment share: what the command line says, the method, and one photograph's way through
 * it.
 */
#ifndef S3SVM_SEGMENT_COMMAND_H
#define S3SVM_SEGMENT_COMMAND_H

#include <s3svm/cutout.h>
#include <s3svm/option.h>
#include <s3svm/segmenter.h>

#include "base/json.h"
#include "command.h"

/* What the command line says. */
typedef struct request {
    const char *scribbles, *rectangle;   /* scribbles: of several photographs, their folder */
    const char *marks;                   /* a list of marks in their order */
    s3svm_sequence clicks;               /* --click and --click-background */
    const char *mask, *cutout, *overlay; /* to write, or NULL; mask: of several photographs, the folder for all */
    const char *confidence;              /* the same */
    const char *model_path, *maps;       /* maps: of several photographs, their folder */
    const char *calibration;             /* of the maps, a file */
    int method;                          /* of s3svm_segmenter_method_at; below 0: not said */
    int convention, object, background;
    const char *backdrop; /* a colour or a picture, or NULL */
    bool hard, soft, connected, trim, force, json;
    int64_t specks, iterations, pixels, threads;
    double edge;
} request;

/* How photographs are segmented: any number of threads may use one. */
typedef struct cutter {
    s3svm_segment_model *model; /* NULL: GrabCut */
    const char *method, *model_name;
    size_t maps;   /* channels of users' maps that the model needs */
    bool evidence; /* maps are of one channel, and become log odds: by the calibration or by themselves */
    const s3svm_maps_calibration *calibration; /* NULL: none was given */
    s3svm_maps_calibration given;
    s3svm_image backdrop; /* a single pixel is a colour; without pixels: none */
} cutter;

/* Returns the exit code. */
int cutter_create(const request *r, cutter *c);
void cutter_free(cutter *c);

/* One photograph: its files, and what became of it. */
typedef struct cutting {
    const char *photograph, *scribbles, *maps;
    const char *mask, *cutout, *overlay, *confidence; /* to write, or NULL */
    size_t width, height;
    s3svm_scribbles_found found;
    size_t counts[S3SVM_MARKS];
    size_t clicks[2];      /* on the background, on the object */
    bool rectangle_is_all; /* of the photograph */
    s3svm_segmentation_result result;
    double doubt;                                                    /* s3svm_maps_doubt; below 0: unknown */
    s3svm_confidence sure;                                           /* with a confidence to write */
    size_t box[4];                                                   /* of a cut-out that was trimmed: x, y, width, height */
    double seconds, seconds_read, seconds_segment, seconds_pictures; /* the parts make up the whole */
} cutting;

/* Reads, segments and writes one photograph.  Nothing but the files and *k is left. */
SOS_MUST_USE sos_status cutting_run(const request *r, const cutter *c, const sos_work *work, cutting *k, sos_error *error);

/* Its rectangle in whole pixels, and where a click is; return whether the text is one. */
bool rectangle_parse(const char *text, long rectangle[4]);
bool click_parse(const char *text, s3svm_point *point);

/* A photograph in memory. */
typedef struct photograph {
    const request *r;
    const cutter *c;
    const sos_work *work;
    cutting *k;
    s3svm_picture picture;    /* with all that its file says */
    s3svm_image image;        /* what is seen of it; its pixels are the picture's where that is opaque */
    s3svm_dialogue *dialogue; /* all that was marked, in order */
    s3svm_image marks;        /* the same, drawn */
    s3svm_maps maps;
    uint8_t *labels;
    float *confidence; /* NULL: nobody asks */
} photograph;

/* What scribbles or a list say, then the rectangle, then clicks; all of it is drawn, too. */
SOS_MUST_USE sos_status photograph_mark(photograph *p, sos_error *error);

/* A colour, or the picture of a file, for cut-outs to lie on.  SOS_ERR_ARGUMENT where the text is neither. */
SOS_MUST_USE sos_status backdrop_read(const char *text, s3svm_image *out, sos_error *error);

/* Writes the pictures that *k names. */
SOS_MUST_USE sos_status photograph_write(photograph *p, sos_error *error);

/* What had to be assumed, as notes; the name of the photograph stands before them unless it is NULL. */
void cutting_notes(const request *r, const cutting *k, const char *name);
void cutting_text(const request *r, const cutter *c, const cutting *k);
void cutting_members(sos_json *out, const request *r, const cutter *c, const cutting *k); /* of a JSON object */

/* Maps of a photograph as its method takes them; and the doubt of labels by them, where they are evidence. */
SOS_MUST_USE sos_status evidence_read(const cutter *c, const char *path, s3svm_maps *out, sos_error *error);
SOS_MUST_USE sos_status evidence_doubt(const cutter *c, const s3svm_maps *maps, const uint8_t labels[], double *doubt,
                                       sos_error *error);

/* Several photographs: pictures and folders.  Returns the exit code. */
int segment_album(const command *self, const request *r, int count, char *argv[]);

#endif
