/* data.h - files of true labels, and marked photographs as inputs. */
#ifndef SOS_SEGMENT_DATA_H
#define SOS_SEGMENT_DATA_H

#include <s3svm/segment.h>

/* Grey values in files of true labels; the unsure band along the outline is neither. */
enum { SOS_TRUTH_FILE_BACKGROUND = 0, SOS_TRUTH_FILE_UNSURE = 128, SOS_TRUTH_FILE_OBJECT = 255 };

/* A file of true labels: 1 channel of SOS_TRUTH_FILE_ values, and nothing else. */
SOS_MUST_USE sos_status sos_truth_file_read(const char *path, sos_image *out, sos_error *error);

/* A marked photograph as an input; one thread, no cache. */
static inline sos_segment_input sos_marked_input(const sos_marked *m)
{
    return (sos_segment_input){
        .photograph = &m->photograph, .marks = &m->marks, .threads = 1, .maps = m->maps.values ? &m->maps : NULL
    };
}

/* Tells the caller's callback from any thread, one at a time; false: it wants to stop. */
bool sos_segment_progress(const sos_work *work, const char *phase, double done);

#endif
