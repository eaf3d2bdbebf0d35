/* album.h - all photographs of a folder with their true labels, in memory, and some of them to learn from or to test on. */
#ifndef SOS_LABEL_ALBUM_H
#define SOS_LABEL_ALBUM_H

#include "label/data.h"

typedef struct sos_label_album {
    size_t count;
    char **names; /* of the items */
    sos_labelled *pictures;
} sos_label_album;

/* Labels as given, or, where given is NULL, made for as many as the pictures of a folder have; unknown: the number of pixels
 * without a label, or -1. */
SOS_MUST_USE sos_status sos_label_names_find(const sos_label_names *given, const sos_dataset *d, int unknown,
                                             sos_label_names *out, sos_error *error);

/* wanted, if not NULL, says which photographs are read; the others stay empty. */
SOS_MUST_USE sos_status sos_label_album_read(const sos_dataset *d, const sos_label_names *names, const bool wanted[],
                                             sos_label_album *out, sos_error *error);
void sos_label_album_free(sos_label_album *a); /* leaves it empty; an empty one is fine */

/* Some photographs of an album, which they borrow from. */
typedef struct sos_label_selection {
    sos_label_pictures chosen; /* as those who learn take them */
    sos_image *pictures;
    const uint8_t **truths, **care;
} sos_label_selection;

/* The first count of an order, or, where order is NULL, of the album.  No photographs are fine. */
SOS_MUST_USE sos_status sos_label_selection_make(const sos_label_album *a, size_t labels, size_t count, const size_t order[],
                                                 sos_label_selection *out, sos_error *error);
void sos_label_selection_free(sos_label_selection *s); /* leaves it empty; an empty one is fine */

#endif
