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

typedef struct sos_item {
    char *name;      /* of its files, without folder and ending */
    char *image;     /* paths; NULL: there is no such folder */
    char *labels;    /* never NULL */
    char *scribbles; /* NULL: not asked for */
    size_t width, height;
    char *maps;           /* NULL: not asked for */
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_item;

typedef struct sos_dataset {
    char *folder;
    size_t count; /* at least 1, in the order of the names */
    sos_item *items;
    size_t passed;        /* pictures without labels, in a folder on which s3svm serve works */
    uint64_t reserved[7]; /* 0 (status.h) */
} sos_dataset;

typedef enum sos_dataset_images { SOS_IMAGES_OPTIONAL, SOS_IMAGES_REQUIRED } sos_dataset_images;

/* scribbles: whether the folder must have some. */
SOS_MUST_USE SOS_API sos_status sos_dataset_open(const char *folder, sos_dataset_images images, bool scribbles,
                                                 sos_dataset *out, sos_error *error);
SOS_API void sos_dataset_free(sos_dataset *d); /* leaves it empty; an empty one is fine */

/* Leaves the items whose keep is true, at least one of them, in their order. */
SOS_API void sos_dataset_keep(sos_dataset *d, const bool keep[]);

/* Finds maps/NAME.npy, numbers of one's own for each pixel (<s3svm/maps.h>), of all items: SOS_ERR_IO where a file is missing,
 * SOS_ERR_ARGUMENT where one has another size than its picture. */
SOS_MUST_USE SOS_API sos_status sos_dataset_find_maps(sos_dataset *d, sos_error *error);

/* A hash of the names and the bytes of all files: what a model has learned from. */
SOS_MUST_USE SOS_API sos_status sos_dataset_hash(const sos_dataset *d, uint64_t *hash, sos_error *error);

/* The numbers 0 ... count - 1 in an order that depends on seed and split only: the first ones are for training. */
SOS_API void sos_split(size_t count, uint64_t seed, uint64_t split, size_t order[]);

/* ---- any folder ---- */

/* Paths of files, to free. */
typedef struct sos_folder_list {
    size_t count, room;
    char **paths;
} sos_folder_list;

/* The pictures in a folder by their endings (.png, .jpg, .jpeg, .pgm, .ppm), sorted by their names as bytes.  Names that begin
 * with a point are passed over; *others says how many more files there are. */
SOS_MUST_USE SOS_API sos_status sos_folder_pictures(const char *path, sos_folder_list *out, size_t *others, sos_error *error);

/* Files of scribbles likewise: pictures, and lists of marks (.json, <s3svm/dialogue.h>). */
SOS_MUST_USE SOS_API sos_status sos_folder_scribbles(const char *path, sos_folder_list *out, size_t *others, sos_error *error);

SOS_API void sos_folder_list_free(sos_folder_list *list); /* leaves it empty; an empty one is fine */

#ifdef __cplusplus
}
#endif

#endif
