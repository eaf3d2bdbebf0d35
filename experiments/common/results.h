/* results.h - the files of a report: index.html, results.json and results.csv. */
#ifndef S3SVM_EXPERIMENTS_COMMON_RESULTS_H
#define S3SVM_EXPERIMENTS_COMMON_RESULTS_H

#include "base/json.h"
#include "experiments/common/csv.h"
#include "report/report.h"

/* What all experiments tell about themselves. */
typedef struct s3svm_results_head {
    const char *experiment;         /* as it is called on the command line */
    const char *title, *subtitle;   /* of the page */
    const char *data;               /* where the pictures are from */
    const char *command;            /* how it was run */
    size_t images;                  /* all pictures */
    size_t train, validation, test; /* how many of them each split has to learn from, to choose by (0: none), to test on */
    size_t splits, splits_planned;
    uint64_t seed; /* of the splits */
    double seconds;
    const char *const *columns; /* of results.csv, up to NULL */
} s3svm_results_head;

/* What differs; results are the experiment's own. */
typedef struct s3svm_results_writers {
    void (*page)(s3svm_report *page, const s3svm_results_head *head, const void *results);
    void (*numbers)(sos_json *j, const void *results); /* members behind those of the head */
    void (*table)(s3svm_csv *c, const void *results);  /* rows below the names of the columns */
} s3svm_results_writers;

/* Writes all three into a folder, which is made if it is not there. */
SOS_MUST_USE sos_status s3svm_results_write(const s3svm_results_head *head, const s3svm_results_writers *writers,
                                            const void *results, const char *folder, sos_error *error);

/* Facts of the head for the end of a page: what its pictures are ("Photographs") and how they are split; and behind facts of
 * its own, time, version and command. */
void s3svm_results_facts(s3svm_report *page, const s3svm_results_head *head, const char *pictures);
void s3svm_results_run(s3svm_report *page, const s3svm_results_head *head);

#endif
