/* dataset.h - a folder of pictures that belong together: images/, labels/ and, for some tasks, scribbles/ and maps/.
 *
 * Files with the same name but for the ending belong together.  Opening looks at names and sizes only, and refuses a folder in
 * which a file is missing, stands twice, has no partner or has another size than its partner: the message names it.
 *
 * A folder on which s3svm serve works has a folder .s3svm beside them.  There pictures without labels, and their scribbles, are
 * not done yet: they are passed over, and counted. */
#ifndef S3SVM_DATASET_H
#define S3SVM_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the numbers in pictures of true labels stand for (<s3svm/truth.h>).  All zeros: each picture tells by itself. */
typedef struct s3svm_truth_code {
    int32_t object; /* 1 or 255; 0: not known */
    int32_t unsure; /* -1: none is */
} s3svm_truth_code;

typedef struct s3svm_item {
    char *name;      /* of its files, without folder and ending */
    char *image;     /* paths; NULL: there is no such folder */
    char *labels;    /* never NULL */
    char *scribbles; /* NULL: not asked for */
    size_t width, height;
    char *maps;             /* NULL: not asked for */
    s3svm_truth_code truth; /* of the labels of an object (s3svm_dataset_tell_truths) */
    uint64_t reserved[8];   /* 0 (status.h) */
} s3svm_item;

typedef struct s3svm_dataset {
    char *folder;
    size_t count; /* at least 1, in the order of the names */
    s3svm_item *items;
    size_t passed;        /* pictures without labels, in a folder on which s3svm serve works */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_dataset;

typedef enum s3svm_dataset_images { S3SVM_IMAGES_OPTIONAL, S3SVM_IMAGES_REQUIRED } s3svm_dataset_images;

/* scribbles: whether the folder must have some. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_open(const char *folder, s3svm_dataset_images images, bool scribbles,
                                                   s3svm_dataset *out, sos_error *error);
SOS_API void s3svm_dataset_free(s3svm_dataset *d); /* leaves it empty; freeing an empty one does nothing */

/* Leaves the items whose keep is true, at least one of them, in their order. */
SOS_API void s3svm_dataset_keep(s3svm_dataset *d, const bool keep[]);

/* Finds maps/NAME.npy, numbers of one's own for each pixel (<s3svm/maps.h>), of all items: SOS_ERR_IO where a file is missing,
 * SOS_ERR_ARGUMENT where one has another size than its picture. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_find_maps(s3svm_dataset *d, sos_error *error);

/* A hash of the names and the bytes of all files: what a model has learned from. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_hash(const s3svm_dataset *d, uint64_t *hash, sos_error *error);

/* The numbers 0 ... count - 1 in an order that depends on seed and split only: the first ones are for training. */
SOS_API void s3svm_split(size_t count, uint64_t seed, uint64_t split, size_t order[]);

/* ---- any folder ---- */

/* Paths of files, to free. */
typedef struct s3svm_folder_list {
    size_t count, room;
    char **paths;
} s3svm_folder_list;

/* The pictures in a folder by their endings (.png, .jpg, .jpeg, .pgm, .ppm), sorted by their names as bytes.  Names that begin
 * with a point are passed over; *others says how many more files there are. */
SOS_MUST_USE SOS_API sos_status s3svm_folder_pictures(const char *path, s3svm_folder_list *out, size_t *others,
                                                      sos_error *error);

/* Files of scribbles likewise: pictures, and lists of marks (.json, <s3svm/dialogue.h>). */
SOS_MUST_USE SOS_API sos_status s3svm_folder_scribbles(const char *path, s3svm_folder_list *out, size_t *others,
                                                       sos_error *error);

SOS_API void s3svm_folder_list_free(s3svm_folder_list *list); /* leaves it empty; freeing an empty one does nothing */

#ifdef __cplusplus
}
#endif

#endif
