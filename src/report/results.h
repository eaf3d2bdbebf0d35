/* results.h - what an experiment leaves in a folder: a page for people, JSON and CSV for programs. */
#ifndef SOS_REPORT_RESULTS_H
#define SOS_REPORT_RESULTS_H

#include <sos/status.h>

/* Writes one of the files.  command: how the experiment was run. */
typedef sos_status sos_results_writer(const void *results, const char *path, const char *command, sos_error *error);

typedef struct sos_results_writers {
    sos_results_writer *page, *numbers, *table;
} sos_results_writers;

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there. */
SOS_MUST_USE sos_status sos_results_write(const void *results, const sos_results_writers *writers, const char *folder,
                                          const char *command, sos_error *error);

#endif
