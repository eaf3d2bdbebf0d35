/* adapt.h - adapts a model of segmentation to a user's own photographs, and measures the gain.
 *
 *     s3svm_embedded_model("segment", &from, &error);
 *     s3svm_segment_adapt(from, count, photographs, NULL, &model, &result, &error);
 *     if (result.better) sos_model_write(model, "mine.json", &error);
 *
 * Training starts from a model that was trained on dialogues: its weights change only as far as the photographs require
 * (1/2 |w - w0|^2 in place of 1/2 |w|^2), and the network that refines outlines is trained further.  Ten photographs can be
 * enough.  Whether they help is measured by cross-validation: each photograph is segmented, with simulated clicks
 * (<s3svm/simulate.h>), by a model that was not trained on it. */
#ifndef S3SVM_ADAPT_H
#define S3SVM_ADAPT_H

#include <s3svm/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_ADAPT_LEAST = 4 }; /* the least number of photographs */

typedef enum s3svm_adapt_phase {
    S3SVM_ADAPT_WEIGHTS,  /* making examples from simulated dialogues, and training weights */
    S3SVM_ADAPT_OUTLINES, /* training the refinement of outlines */
    S3SVM_ADAPT_JUDGE     /* simulated clicks on the photographs that were held out */
} s3svm_adapt_phase;

/* Means over photographs: clicks until the intersection over union is 0.90, at most S3SVM_ADAPT_CLICKS, and the fraction of
 * wrong pixels after S3SVM_ADAPT_FEW clicks. */
enum { S3SVM_ADAPT_CLICKS = 20, S3SVM_ADAPT_FEW = 3 };
typedef struct s3svm_adapt_score {
    double clicks, error;
} s3svm_adapt_score;

typedef struct s3svm_adapt_event {
    s3svm_adapt_phase phase;
    size_t fold, folds;           /* fold == folds: the model of all photographs */
    double share;                 /* fraction of all work that is done, 0 to 1 */
    const sos_train_round *round; /* in phase S3SVM_ADAPT_WEIGHTS, after a round; else NULL */
    bool judged;                  /* the fold is done, and before and after are the scores of its photographs */
    s3svm_adapt_score before, after;
    uint64_t reserved[8]; /* 0 */
} s3svm_adapt_event;

/* Called by one thread at a time.  Return false to cancel. */
typedef bool s3svm_adapt_watch(void *user, const s3svm_adapt_event *event);

typedef struct s3svm_adapt_settings {
    size_t folds; /* of the cross-validation, 2 or more, but no more than there are photographs; 0: no cross-validation */
    uint64_t seed;
    const char *cache; /* an existing folder in which finished folds are kept for the next call; or NULL */
    sos_work work;
    s3svm_adapt_watch *watch; /* or NULL; receives work.user */
    uint64_t reserved[8];     /* 0 */
} s3svm_adapt_settings;

/* 4 folds, seed 1, no cache, all cores, no callbacks. */
SOS_API s3svm_adapt_settings s3svm_adapt_defaults(void);

typedef struct s3svm_adapt_result {
    size_t photographs;
    s3svm_adapt_score before, after;      /* of the original model, and of those that were trained on the folds */
    bool better;                          /* fewer clicks than before; false without folds */
    double strokes_before, strokes_after; /* fraction of wrong pixels by the photographs' own marks, or by simulated strokes */
    uint64_t reserved[6];                 /* 0 */
} s3svm_adapt_result;

/* Learns from count photographs with truths, at least S3SVM_ADAPT_LEAST.  settings and result may be NULL.  The caller frees
 * *out.  On SOS_CANCELLED the cache has the finished folds. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_adapt(const sos_model *from, size_t count, const s3svm_marked photographs[],
                                                    const s3svm_adapt_settings *settings, sos_model **out,
                                                    s3svm_adapt_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
