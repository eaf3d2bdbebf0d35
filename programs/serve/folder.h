/* folder.h - a folder of somebody's photographs: images/, and what is done of them in scribbles/ and labels/.
 *
 * What is on the disk is all there is to know, so that nothing is lost whenever the server ends:
 *
 *     done      there is labels/NAME.png (or another picture of that name)
 *     marked    there is scribbles/NAME.json (or a picture)
 *     new       neither
 *
 * maps/NAME.npy or maps/NAME.png may say what a network thinks of a photograph, before anybody marks something.
 *
 * unsure.csv, which s3svm segment --maps writes, may say how unsure each photograph is: "name",share,...
 *
 * A revision is a hash of both: who saves says which one he saw, and is refused if another page was faster.  What is taken back
 * or replaced by a file of another ending is kept in .s3svm/aside. */
#ifndef S3SVM_SERVE_FOLDER_H
#define S3SVM_SERVE_FOLDER_H

#include <pthread.h>

#include <s3svm/dialogue.h>
#include <s3svm/maps.h>
#include <s3svm/segment.h>
#include <s3svm/truth.h>

#include "base/json.h"
#include "directory.h"
#include "route.h"

typedef enum progress_state { STATE_NEW, STATE_MARKED, STATE_DONE, STATES } progress_state;

typedef struct item {
    char key[KEY_LENGTH + 1];
    char image[DIRECTORY_NAME], stem[DIRECTORY_NAME];
    char scribbles[DIRECTORY_NAME], labels[DIRECTORY_NAME]; /* "": there is no such file */
    stamp seen[2];                                          /* of scribbles and labels, when the revision was computed */
    uint64_t revision;
    double unsure; /* by unsure.csv of the folder; below 0: not in it */
} item;

typedef struct folder {
    pthread_mutex_t lock; /* of everything */
    char title[DIRECTORY_NAME];
    char *path;
    int root, images, labels, scribbles, own, aside, models, held; /* -1: there is none yet */
    item *items;
    size_t count, done, marked, skipped;
    s3svm_truth_code code; /* of all labels, and the hash of the files that it was told from; 0: of none yet */
    uint64_t coded;
} folder;

/* Opens a folder that has images/, and holds it against other servers. */
SOS_MUST_USE sos_status folder_open(const char *path, folder **out, sos_error *error);
void folder_close(folder *f); /* NULL is fine */

/* Looks what is there now.  Under the lock, as all that follows. */
SOS_MUST_USE sos_status folder_look(folder *f, sos_error *error);
item *folder_find(folder *f, const char *key); /* NULL: there is none */

progress_state item_state(const item *i);
const char *state_name(progress_state s);

/* The revision of what is on the disk now, as 16 digits. */
SOS_MUST_USE sos_status item_revision(folder *f, item *i, char text[KEY_LENGTH + 1], sos_error *error);

/* The marks of an item, to free; NULL: none.  Its size is that of the photograph. */
SOS_MUST_USE sos_status item_marks(folder *f, const item *i, size_t width, size_t height, s3svm_dialogue **out,
                                   sos_error *error);
SOS_MUST_USE sos_status item_image(const folder *f, const item *i, char **bytes, size_t *length, sos_error *error);

/* What maps/ has of an item: numbers of a network, and how far to trust them. */
typedef struct item_maps {
    char name[DIRECTORY_NAME + 8]; /* of the file */
    char *bytes;                   /* to free; NULL: there are none, or they cannot be used */
    size_t length;
    s3svm_maps_calibration calibration;
    bool calibrated; /* by maps/calibration.json; else by what can be told from the numbers */
    sos_error wrong; /* why they cannot be used; "": nothing is wrong */
} item_maps;

/* A hash that goes on with what tells the maps of an item from others. */
uint64_t item_maps_hash(const folder *f, const item *i, uint64_t hash);
void item_maps_read(const folder *f, const item *i, item_maps *out);

/* Log odds of the object in a photograph of that size; empty where there are no maps, and where m->wrong says why they cannot
 * be used.  Frees what was read, and needs no lock. */
void item_maps_decode(item_maps *m, size_t width, size_t height, s3svm_maps *odds);

/* Writes marks; and labels, a PNG, after them, so that what has labels has marks.  Takes labels back. */
SOS_MUST_USE sos_status item_save(folder *f, item *i, const s3svm_dialogue *marks, sos_error *error);
SOS_MUST_USE sos_status item_finish(folder *f, item *i, const s3svm_dialogue *marks, const void *png, size_t length,
                                    sos_error *error);
SOS_MUST_USE sos_status item_undo(folder *f, item *i, sos_error *error);

/* What the numbers in the labels of all photographs that are done mean. */
SOS_MUST_USE sos_status folder_code(folder *f, s3svm_truth_code *out, sos_error *error);

/* The labels of a photograph that is done, which has width by height pixels, or, with 0, whatever its labels have. */
SOS_MUST_USE sos_status item_truth(const folder *f, const item *i, const s3svm_truth_code *code, size_t width, size_t height,
                                   s3svm_truth *out, sos_error *error);

/* A photograph that is done, with its marks and labels. */
SOS_MUST_USE sos_status item_marked(folder *f, const item *i, const s3svm_truth_code *code, s3svm_marked *out,
                                    sos_error *error);

#endif
