/* dataset.h - data sets: folders with images/, labels/ and, for some tasks, scribbles/ and maps/.
 *
 * Files with the same name, up to the extension, belong together.  Opening a data set reads names and sizes only, and fails if
 * a file is missing, occurs twice, has no counterpart or differs in size from it; the message names the file.
 *
 * A folder that s3svm serve works on also has a subfolder .s3svm.  In it, pictures without labels, and their scribbles, are
 * unfinished: they are skipped, and counted. */
#ifndef S3SVM_DATASET_H
#define S3SVM_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of the numbers in pictures of true labels (<s3svm/truth.h>).  All zeros: it follows from each picture alone. */
typedef struct s3svm_truth_code {
    int32_t object; /* 1 or 255; 0: unknown */
    int32_t unsure; /* the number of pixels that are not sure; -1: none */
} s3svm_truth_code;

typedef struct s3svm_item {
    char *name;      /* of its files, without folder and extension */
    char *image;     /* path; NULL: there is no folder images */
    char *labels;    /* path; never NULL */
    char *scribbles; /* path; NULL: not requested */
    size_t width, height;
    char *maps;             /* path; NULL: not requested */
    s3svm_truth_code truth; /* for labels of objects (s3svm_dataset_tell_truths) */
    uint64_t reserved[8];   /* 0 (status.h) */
} s3svm_item;

typedef struct s3svm_dataset {
    char *folder;
    size_t count;         /* at least 1 */
    s3svm_item *items;    /* sorted by name */
    size_t passed;        /* number of unfinished pictures that were skipped, in a folder of s3svm serve */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_dataset;

typedef enum s3svm_dataset_images { S3SVM_IMAGES_OPTIONAL, S3SVM_IMAGES_REQUIRED } s3svm_dataset_images;

/* Opens a data set.  scribbles: whether it must have scribbles.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_open(const char *folder, s3svm_dataset_images images, bool scribbles,
                                                   s3svm_dataset *out, sos_error *error);
SOS_API void s3svm_dataset_free(s3svm_dataset *d); /* leaves it empty; freeing an empty one does nothing */

/* Removes the items whose keep is false; at least one must remain. */
SOS_API void s3svm_dataset_keep(s3svm_dataset *d, const bool keep[]);

/* Finds the custom maps (<s3svm/maps.h>) of all items, maps/NAME.npy or, where there is none, NAME.png: SOS_ERR_IO if a file is
 * missing, SOS_ERR_ARGUMENT if its size differs from that of the picture. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_find_maps(s3svm_dataset *d, sos_error *error);

/* A hash of the names and contents of all files, which identifies the training data of a model. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_hash(const s3svm_dataset *d, uint64_t *hash, sos_error *error);

/* A random order of 0 ... count - 1 that depends on seed and split only; the first ones are for training. */
SOS_API void s3svm_split(size_t count, uint64_t seed, uint64_t split, size_t order[]);

/* ---- any folder ---- */

/* Paths of files. */
typedef struct s3svm_folder_list {
    size_t count, room;
    char **paths;
} s3svm_folder_list;

/* The pictures in a folder, by their extensions (.png, .jpg, .jpeg, .pgm, .ppm), sorted bytewise by name.  Names that begin
 * with a dot are skipped; *others receives the number of other files.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_folder_pictures(const char *path, s3svm_folder_list *out, size_t *others,
                                                      sos_error *error);

/* The same for files of scribbles: pictures, and lists of marks (.json, <s3svm/dialogue.h>). */
SOS_MUST_USE SOS_API sos_status s3svm_folder_scribbles(const char *path, s3svm_folder_list *out, size_t *others,
                                                       sos_error *error);

/* The same for files of maps (.npy, .png; <s3svm/maps.h>). */
SOS_MUST_USE SOS_API sos_status s3svm_folder_maps(const char *path, s3svm_folder_list *out, size_t *others, sos_error *error);

SOS_API void s3svm_folder_list_free(s3svm_folder_list *list); /* leaves it empty; freeing an empty one does nothing */

#ifdef __cplusplus
}
#endif

#endif
