/* album.h - the pictures that a command line names, one by one or as folders, and the scribbles and maps that belong to them.
 */
#ifndef S3SVM_ALBUM_H
#define S3SVM_ALBUM_H

#include <s3svm/dataset.h>

typedef struct album {
    size_t count;      /* of items; at first that of the paths */
    s3svm_item *items; /* borrow the paths; names, scribbles and maps are their own */
    s3svm_folder_list paths;
} album;

/* All pictures of some paths: of a folder all that it has, or that its folder images has.  Returns the exit code, after which
 * the album is to free. */
int album_fill(album *a, int count, char *argv[]);
void album_free(album *a);

/* The path of the scribbles of a picture, to free; NULL: there are none.  They lie in the folder given, or where that is NULL
 * in scribbles/ beside the folder of the picture. */
char *album_scribbles_path(const s3svm_item *item, const char *given);

/* Takes the scribbles of all pictures.  Those that have none are named and left out; COMMAND_FAILED where none is left. */
int album_scribbles(album *a, const char *given);

/* The same, but those that have none stay, without. */
void album_scribbles_optional(album *a, const char *given);

/* The same for maps of users, NAME.npy or NAME.png, in the folder given or in maps/ beside the folder of the picture. */
int album_maps(album *a, const char *given);

#endif
