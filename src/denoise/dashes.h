/* dashes.h - the experiment "dashes": dashed curves are to be joined, and single dashes that look like theirs left out.  What
 * is near a pixel does not tell which is which; how much of the line through it is ink does. */
#ifndef SOS_DENOISE_DASHES_H
#define SOS_DENOISE_DASHES_H

#include <s3svm/denoise.h>

#include "denoise/data.h"
#include "tasks/contest.h"

/* Methods in the order of the tables. */
enum { SOS_DASHES_METHODS = 5, SOS_DASHES_VALUES = 2, SOS_DASHES_SHOWN = 4 };

/* Through pixels closer to the frame than half a line, no line is whole: they are not learned from and not judged. */
enum { SOS_DASHES_FRAME = 12 };

extern const sos_denoise_kind sos_dashes_kinds[SOS_DASHES_METHODS];
extern const char *const sos_dashes_names[SOS_DASHES_METHODS];
extern const double sos_dashes_cs[SOS_DASHES_VALUES]; /* to choose C from */

typedef struct sos_dashes_plan {
    size_t count, side; /* of drawings, and pixels */
    double sigma;       /* of plain noise */
    uint64_t seed;      /* of drawings, noise and splits */
    size_t splits;      /* random halves */
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} sos_dashes_plan;

/* Of one method on one split. */
typedef struct sos_dashes_outcome {
    double error, iou; /* of the test drawings, without their frames: mean error; intersection over union of all pixels */
    double C, gap;
    size_t rounds, weights;
    double seconds_training; /* with the chosen C, all threads */
    double seconds_an_image; /* one thread, features included */
} sos_dashes_outcome;

typedef struct sos_dashes_results {
    sos_dashes_plan plan;
    sos_drawings drawings;
    size_t splits; /* that are complete */
    size_t train, test;
    double ink; /* share of the curves in all drawings, without frames */
    double seconds;
    size_t *orders;               /* [split][drawing] */
    sos_dashes_outcome *outcomes; /* [split][method] */
    sos_contest contest;
    uint8_t *labels[SOS_DASHES_METHODS][SOS_DASHES_SHOWN]; /* of the first test drawings of the first split */
    sos_model *models[SOS_DASHES_METHODS];                 /* of the first split */
} sos_dashes_results;

static inline sos_dashes_outcome *sos_dashes_outcome_at(const sos_dashes_results *r, size_t split, size_t method)
{
    return &r->outcomes[split * SOS_DASHES_METHODS + method];
}

/* Over the complete splits, of a member of the outcomes. */
sos_spread sos_dashes_spread(const sos_dashes_results *r, size_t method, size_t offset);

/* The last method against each of the others. */
enum { SOS_DASHES_RIVALS = SOS_DASHES_METHODS - 1 };
extern const sos_rivals sos_dashes_rivals[SOS_DASHES_RIVALS];

SOS_MUST_USE sos_status sos_dashes_experiment(const sos_dashes_plan *plan, sos_dashes_results *out, sos_error *error);
void sos_dashes_results_free(sos_dashes_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status sos_dashes_report(const sos_dashes_results *r, const char *folder, const char *command,
                                          sos_error *error);

#endif
