#include "experiments/common/results.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/path.h"

static void head_json(sos_json *j, const s3svm_results_head *h)
{
    sos_json_text(j, "experiment", h->experiment);
    sos_json_text(j, "version", sos_version());
    sos_json_text(j, "command", h->command);
    sos_json_text(j, "data", h->data);
    sos_json_count(j, "images", h->images);
    sos_json_count(j, "training_images", h->train);
    if (h->validation) sos_json_count(j, "validation_images", h->validation);
    sos_json_count(j, "test_images", h->test);
    sos_json_count(j, "splits", h->splits);
    sos_json_count(j, "splits_planned", h->splits_planned);
    sos_json_count(j, "seed", h->seed);
    sos_json_real(j, "seconds", h->seconds);
}

static sos_status numbers_write(const s3svm_results_head *h, const s3svm_results_writers *w, const void *results,
                                const char *path, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    sos_json j = { .file = out.file };
    sos_json_open(&j, NULL, '{');
    head_json(&j, h);
    w->numbers(&j, results);
    sos_json_close(&j, '}');
    return sos_output_commit(&out);
}

static sos_status table_write(const s3svm_results_head *h, const s3svm_results_writers *w, const void *results,
                              const char *path, sos_error *error)
{
    s3svm_csv c;
    s3svm_csv_open(&c, path, error);
    for (size_t i = 0; h->columns[i]; i++) s3svm_csv_text(&c, h->columns[i]);
    s3svm_csv_row(&c);
    w->table(&c, results);
    return s3svm_csv_close(&c);
}

static sos_status page_write(const s3svm_results_head *h, const s3svm_results_writers *w, const void *results, const char *path,
                             sos_error *error)
{
    s3svm_report page;
    s3svm_report_open(&page, path, h->title, h->subtitle, error);
    w->page(&page, h, results);
    return s3svm_report_close(&page);
}

sos_status s3svm_results_write(const s3svm_results_head *head, const s3svm_results_writers *writers, const void *results,
                               const char *folder, sos_error *error)
{
    sos_status status = sos_folder_create(folder, error);
    if (status) return status;
    char *page = sos_path_join(folder, "index", ".html"), *numbers = sos_path_join(folder, "results", ".json");
    char *table = sos_path_join(folder, "results", ".csv");
    if (!page || !numbers || !table) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of files");
    if (!status) status = numbers_write(head, writers, results, numbers, error);
    if (!status) status = table_write(head, writers, results, table, error);
    if (!status) status = page_write(head, writers, results, page, error);
    free(page);
    free(numbers);
    free(table);
    return status;
}

void s3svm_results_facts(s3svm_report *page, const s3svm_results_head *h, const char *pictures)
{
    char validation[60] = "";
    if (h->validation) snprintf(validation, sizeof validation, ", %zu to choose C by", h->validation);
    s3svm_report_fact(page, pictures, "%zu, %s", h->images, h->data);
    s3svm_report_fact(page, "Splits", "%zu, each with %zu to learn from%s and %zu to test on; seed %llu", h->splits, h->train,
                      validation, h->test, (unsigned long long)h->seed);
    if (h->splits < h->splits_planned)
        s3svm_report_fact(page, "Not complete", "%zu of %zu splits are done", h->splits, h->splits_planned);
}

void s3svm_results_run(s3svm_report *page, const s3svm_results_head *h)
{
    s3svm_report_fact(page, "Time in all", "%.0f s", h->seconds);
    s3svm_report_fact(page, "Version", "s3svm %s", sos_version());
    s3svm_report_code(page, "%s", h->command);
}
