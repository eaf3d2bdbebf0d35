/* adapt.h - a model of segmentation learns from somebody's own photographs, and by how much that helps.
 *
 *     s3svm_embedded_model("segment", &from, &error);
 *     s3svm_segment_adapt(from, count, photographs, NULL, &model, &result, &error);
 *     if (result.better) sos_model_write(model, "mine.json", &error);
 *
 * It learns away from a model that has learned from dialogues: weights are changed as far as the photographs ask for it
 * (1/2 |w - w0|^2 in place of 1/2 |w|^2), and the network that looks at outlines again goes on from where it is.  So ten
 * photographs help already.  Whether they do is found out by cross-validation: each photograph is marked, by simulated clicks
 * (<s3svm/simulate.h>), with a model that has not learned from it. */
#ifndef S3SVM_ADAPT_H
#define S3SVM_ADAPT_H

#include <s3svm/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { S3SVM_ADAPT_LEAST = 4 }; /* photographs, of which more teach more */

typedef enum s3svm_adapt_phase {
    S3SVM_ADAPT_WEIGHTS,  /* examples of simulated dialogues, and rounds of training */
    S3SVM_ADAPT_OUTLINES, /* the second look at outlines */
    S3SVM_ADAPT_JUDGE     /* clicks on the photographs that were kept aside */
} s3svm_adapt_phase;

/* What photographs took on average: clicks until the intersection over union is 0.90, at most S3SVM_ADAPT_CLICKS of them, and
 * the share of wrong pixels after S3SVM_ADAPT_FEW. */
enum { S3SVM_ADAPT_CLICKS = 20, S3SVM_ADAPT_FEW = 3 };
typedef struct s3svm_adapt_score {
    double clicks, error;
} s3svm_adapt_score;

typedef struct s3svm_adapt_event {
    s3svm_adapt_phase phase;
    size_t fold, folds;           /* fold == folds: the model of all photographs */
    double share;                 /* of everything that is done, 0 to 1 */
    const sos_train_round *round; /* of S3SVM_ADAPT_WEIGHTS, when a round is done; else NULL */
    bool judged;                  /* the fold is done, and before and after are what its photographs took */
    s3svm_adapt_score before, after;
    uint64_t reserved[8]; /* 0 */
} s3svm_adapt_event;

/* Called by one thread at a time; false: stop. */
typedef bool s3svm_adapt_watch(void *user, const s3svm_adapt_event *event);

typedef struct s3svm_adapt_settings {
    size_t folds; /* of the cross-validation, 2 or more; as many as there are photographs, if that is fewer; 0: none is done */
    uint64_t seed;
    const char *cache; /* a folder, which is there, where folds that are done are kept and found again; or NULL */
    sos_work work;
    s3svm_adapt_watch *watch; /* or NULL; gets work.user */
    uint64_t reserved[8];     /* 0 */
} s3svm_adapt_settings;

/* 4 folds, seed 1, no cache, all cores, unwatched. */
SOS_API s3svm_adapt_settings s3svm_adapt_defaults(void);

typedef struct s3svm_adapt_result {
    size_t photographs;
    s3svm_adapt_score before, after; /* of the model to learn away from, and of those that the folds learned */
    bool better;                     /* fewer clicks than before; false without folds */
    uint64_t reserved[8];            /* 0 */
} s3svm_adapt_result;

/* Learns from count photographs with truths, S3SVM_ADAPT_LEAST or more.  settings and result may be NULL.  Stopped by watch it
 * returns SOS_CANCELLED; the cache then has the folds that are done. */
SOS_MUST_USE SOS_API sos_status s3svm_segment_adapt(const sos_model *from, size_t count, const s3svm_marked photographs[],
                                                    const s3svm_adapt_settings *settings, sos_model **out,
                                                    s3svm_adapt_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
