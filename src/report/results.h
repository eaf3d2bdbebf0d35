/* results.h - what an experiment leaves in a folder: index.html for people, results.json and results.csv for programs. */
#ifndef SOS_REPORT_RESULTS_H
#define SOS_REPORT_RESULTS_H

#include "base/json.h"
#include "report/csv.h"
#include "report/report.h"

/* What all experiments tell about themselves. */
typedef struct sos_results_head {
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
} sos_results_head;

/* What differs; results are the experiment's own. */
typedef struct sos_results_writers {
    void (*page)(sos_report *page, const sos_results_head *head, const void *results);
    void (*numbers)(sos_json *j, const void *results); /* members behind those of the head */
    void (*table)(sos_csv *c, const void *results);    /* rows below the names of the columns */
} sos_results_writers;

/* Writes all three into a folder, which is made if it is not there. */
SOS_MUST_USE sos_status sos_results_write(const sos_results_head *head, const sos_results_writers *writers, const void *results,
                                          const char *folder, sos_error *error);

/* Facts of the head for the end of a page: what its pictures are ("Photographs") and how they are split; and behind facts of
 * its own, time, version and command. */
void sos_results_facts(sos_report *page, const sos_results_head *head, const char *pictures);
void sos_results_run(sos_report *page, const sos_results_head *head);

#endif
