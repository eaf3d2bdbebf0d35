#include "report/results.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/path.h"

sos_status sos_results_write(const void *results, const sos_results_writers *writers, const char *folder, const char *command,
                             sos_error *error)
{
    sos_status status = sos_folder_create(folder, error);
    if (status) return status;
    char *page = sos_path_join(folder, "index", ".html"), *numbers = sos_path_join(folder, "results", ".json");
    char *table = sos_path_join(folder, "results", ".csv");
    if (!page || !numbers || !table) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of files");
    if (!status) status = writers->numbers(results, numbers, command, error);
    if (!status) status = writers->table(results, table, command, error);
    if (!status) status = writers->page(results, page, command, error);
    free(page);
    free(numbers);
    free(table);
    return status;
}
