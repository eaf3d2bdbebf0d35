/* data.h - marked photographs as inputs. */
#ifndef S3SVM_SEGMENT_DATA_H
#define S3SVM_SEGMENT_DATA_H

#include <s3svm/dialogue.h>
#include <s3svm/segment.h>

/* Reads image and scribbles of an item of a data set, and its labels if asked for: grey values 0 background, 255 object, 128
 * for the band along the outline where nobody can be sure.  With labels it may have no scribbles: then nothing is marked. */
SOS_MUST_USE sos_status s3svm_marked_read(const s3svm_item *item, bool truth, s3svm_marked *out, sos_error *error);

/* As s3svm_marked_read, without labels.  *list receives the list of marks that the scribbles are, to free; NULL where they are
 * a picture. */
SOS_MUST_USE sos_status s3svm_marked_read_list(const s3svm_item *item, s3svm_marked *out, s3svm_dialogue **list,
                                               sos_error *error);

/* A marked photograph as an input; one thread, no cache. */
static inline s3svm_segment_input s3svm_marked_input(const s3svm_marked *m)
{
    return (s3svm_segment_input){
        .photograph = &m->photograph, .marks = &m->marks, .threads = 1, .maps = m->maps.values ? &m->maps : NULL
    };
}

/* Tells the caller's callback from any thread, one at a time; false: it wants to stop. */
bool s3svm_segment_progress(const sos_work *work, const char *phase, double done);

#endif
