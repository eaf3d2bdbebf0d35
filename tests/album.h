/* album.h - pictures that are large enough to learn from as from real ones: discs in noise, with a feature and 2x2 patches. */
#ifndef SOS_TESTS_ALBUM_H
#define SOS_TESTS_ALBUM_H

#include <sos/learn.h>

enum { ALBUM_MOST = 16, ALBUM_WEIGHTS = 32 }; /* and no more weights than that */

typedef struct album {
    size_t count;
    sos_model *model;
    sos_example *examples[ALBUM_MOST];
} album;

/* odd: every so many-th picture is of noise alone; 0: none. */
album album_create(size_t count, size_t odd);
void album_free(album *a);

/* The defaults with a C at which training takes some rounds. */
sos_train_settings album_settings(void);

/* w receives the weights. */
sos_train_result album_train(album *a, const sos_train_settings *s, double w[]);

#endif
