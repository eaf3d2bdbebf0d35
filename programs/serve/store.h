/* store.h - the pictures that are open, within bounds: the ones that were used least recently go when there are too many.
 *
 * A picture is the user's who found it until it is released; it may be removed meanwhile, and goes when nobody uses it.  What
 * segmenters hold (session.h) counts, and goes first: it can be computed again. */
#ifndef S3SVM_SERVE_STORE_H
#define S3SVM_SERVE_STORE_H

#include <pthread.h>

#include <s3svm/image.h>
#include <s3svm/maps.h>

#include "request.h"
#include "route.h"

typedef struct picture {
    char id[ID_LENGTH + 1], name[100];
    s3svm_image image;   /* 3 channels; of a drawing 1 */
    s3svm_picture given; /* what the file says besides: its colour profile; and, where it has opacity or 16 bits, its pixels */
    uint8_t *file;       /* a JPEG that shows the same, or NULL */
    size_t length;       /* of the file */
    bool drawing;
    s3svm_maps odds;          /* of the object, by somebody's network; empty: none are known */
    char note[300];           /* why the maps that are there are not used; "": nothing is wrong with them */
    uint64_t source;          /* the files of the folder that it is of; 0: of none */
    struct session *sessions; /* under the store's lock, as all that follows */
    size_t bytes, users;
    uint64_t used;
    bool gone;
    struct picture *next;
} picture;

enum { GONE = 256 }; /* ids that are remembered, so that whoever asks learns that they were there */

typedef struct store {
    pthread_mutex_t lock;
    picture *pictures;
    size_t count, bytes;
    size_t count_most, bytes_most;
    uint64_t now; /* counts uses */
    char gone[GONE][ID_LENGTH + 1];
    size_t gone_count;
} store;

void store_begin(store *s, size_t count_most, size_t bytes_most);
void store_end(store *s); /* frees everything; nobody uses any of it */

/* Takes what *p holds, gives it an id, and returns it to use; NULL: there is no room, *p is as it was, and a says why. */
picture *store_add(store *s, picture *p, response *a);

picture *store_find(store *s, const char *id, bool drawing, response *a);
picture *store_find_source(store *s, uint64_t source); /* the one that was used last; NULL: it is not open */
void store_release(store *s, picture *p);
bool store_remove(store *s, const char *id);

/* Makes room for so many bytes and counts them; they are given back by the same call with fewer. */
void store_count(store *s, picture *p, size_t before, size_t after);

#endif
