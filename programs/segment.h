/* segment.h - what the parts of s3svm segment share: what the command line says, the method, and one photograph's way through
 * it.
 */
#ifndef S3SVM_SEGMENT_COMMAND_H
#define S3SVM_SEGMENT_COMMAND_H

#include <s3svm/cutout.h>

#include "base/json.h"
#include "command.h"

typedef enum method { METHOD_S3SVM, METHOD_AMN, METHOD_GRABCUT, METHOD_UNSAID = -1 } method;

/* What the command line says. */
typedef struct request {
    const char *scribbles, *rectangle;   /* scribbles: of several photographs, their folder */
    const char *marks;                   /* a list of marks in their order */
    const char *mask, *cutout, *overlay; /* to write, or NULL; mask: of several photographs, the folder for all */
    const char *model_path, *maps;       /* maps: of several photographs, their folder */
    int method, convention, object, background;
    bool hard, soft, connected, force, json;
    int64_t specks, iterations, pixels, threads;
    double edge;
} request;

/* How photographs are segmented: any number of threads may use one. */
typedef struct cutter {
    method method;
    sos_segment_model *model; /* NULL: GrabCut */
    const char *model_name;
    size_t maps; /* channels of users' maps that the model needs */
} cutter;

/* Returns the exit code. */
int cutter_create(const request *r, cutter *c);
void cutter_free(cutter *c);
const char *cutter_method(const cutter *c);

/* One photograph: its files, and what became of it. */
typedef struct cutting {
    const char *photograph, *scribbles, *maps;
    const char *mask, *cutout, *overlay; /* to write, or NULL */
    size_t width, height;
    sos_scribbles_found found;
    size_t counts[SOS_MARKS];
    bool rectangle_is_all; /* of the photograph */
    sos_cutout_result result;
    size_t tidied; /* pixels */
    double seconds, seconds_pictures;
} cutting;

/* Reads, segments and writes one photograph.  Nothing but the files and *k is left. */
SOS_MUST_USE sos_status cutting_run(const request *r, const cutter *c, const sos_work *work, cutting *k, sos_error *error);

/* Its rectangle in whole pixels; returns whether the text is one. */
bool rectangle_parse(const char *text, long rectangle[4]);

/* What had to be assumed, as notes; the name of the photograph stands before them unless it is NULL. */
void cutting_notes(const request *r, const cutting *k, const char *name);
void cutting_text(const request *r, const cutter *c, const cutting *k);
void cutting_members(sos_json *out, const request *r, const cutter *c, const cutting *k); /* of a JSON object */

/* Several photographs: pictures and folders.  Returns the exit code. */
int segment_album(const command *self, const request *r, int count, char *argv[]);

#endif
