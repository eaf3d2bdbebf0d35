/* minimize.c - s3svm minimize: the minimum of the energy in each file, with its proof. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/json.h"
#include "base/number.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "progress.h"

#define SOLVERS "ibfs|augment" /* in the order of sos_solver */

typedef struct job {
    size_t count;
    input *inputs;
    const sos_energy **energies;
    uint8_t **labels;
    sos_minimize_result *results;

    const char *output;
    bool json, uai_energies, maximal, keep_all;
    int solver, format;
    int64_t threads;
    size_t memory_limit;
} job;

static size_t ones_count(const job *j, size_t i)
{
    size_t ones = 0;
    for (size_t v = 0; v < sos_energy_variables(j->energies[i]); v++) ones += j->labels[i][v];
    return ones;
}

static void json_print(const job *j, size_t i, sos_json *out)
{
    const sos_energy *e = j->energies[i];
    const sos_minimize_result *r = &j->results[i];
    sos_json_open(out, NULL, '{');
    sos_json_text(out, "file", j->inputs[i].name);
    sos_json_real(out, "energy", r->energy);
    sos_json_real(out, "lower_bound", r->lower_bound);
    sos_json_real(out, "rounding", r->rounding);
    sos_json_count(out, "variables", sos_energy_variables(e));
    sos_json_count(out, "cliques", sos_energy_cliques(e));
    sos_json_count(out, "tables", sos_energy_tables(e));
    sos_json_count(out, "concaves", sos_energy_concaves(e));
    sos_json_count(out, "ones", ones_count(j, i));
    if (j->inputs[i].format == SOS_FORMAT_DIMACS) {
        sos_json_real(out, "flow", r->energy);
        sos_json_count(out, "cut_source_side", ones_count(j, i) + 1);
    }
    sos_json_text(out, "solver", j->solver == SOS_SOLVER_IBFS ? "ibfs" : "augment");
    sos_json_count(out, "bits", (uint64_t)r->bits);
    sos_json_count(out, "fixed", r->fixed);
    sos_json_count(out, "augmentations", r->augmentations);
    sos_json_count(out, "pushes", r->pushes);
    sos_json_count(out, "adoptions", r->adoptions);
    sos_json_count(out, "growths", r->growths);
    sos_json_count(out, "bytes", sos_energy_bytes(e) + r->bytes);
    sos_json_count(out, "bytes_energy", sos_energy_bytes(e));
    sos_json_count(out, "bytes_minimizer", r->bytes);
    sos_json_real(out, "seconds_read", j->inputs[i].seconds);
    sos_json_real(out, "seconds_build", r->seconds_build);
    sos_json_real(out, "seconds_reduce", r->seconds_reduce);
    sos_json_real(out, "seconds_solve", r->seconds_solve);
    sos_json_close(out, '}');
}

/* "12.3 MB" */
static void bytes_print(FILE *out, size_t bytes)
{
    const double b = (double)bytes;
    if (b < 1e4)
        fprintf(out, "%zu bytes", bytes);
    else if (b < 1e6)
        fprintf(out, "%.1f kB", b / 1e3);
    else if (b < 1e9)
        fprintf(out, "%.1f MB", b / 1e6);
    else
        fprintf(out, "%.2f GB", b / 1e9);
}

static void certificate_print(FILE *out, const sos_minimize_result *r)
{
    char text[SOS_REAL_TEXT];
    fprintf(out, "  energy       %s\n", sos_number_print(r->energy, text));
    fprintf(out, "  lower bound  %s\n", sos_number_print(r->lower_bound, text));
    if (r->energy == r->lower_bound)
        fputs("  certificate  energy = lower bound: proven minimum\n", out);
    else
        fprintf(out, "  certificate  energy - lower bound = %.2g: proven minimum up to rounding\n",
                fmax(0, r->energy - r->lower_bound));
}

static void sizes_print(FILE *out, const input *in)
{
    const sos_energy *e = in->energy;
    const size_t cliques = sos_energy_cliques(e), tables = sos_energy_tables(e), concaves = sos_energy_concaves(e);
    fprintf(out, "%s\n  size         %zu variable%s, %zu clique%s with %zu table%s", in->name, sos_energy_variables(e),
            sos_energy_variables(e) == 1 ? "" : "s", cliques, cliques == 1 ? "" : "s", tables, tables == 1 ? "" : "s");
    if (concaves) fprintf(out, ", %zu concave clique%s", concaves, concaves == 1 ? "" : "s");
    fputc('\n', out);
}

static void text_print(const job *j, size_t i, FILE *out)
{
    const sos_energy *e = j->energies[i];
    const sos_minimize_result *r = &j->results[i];
    const size_t n = sos_energy_variables(e), ones = ones_count(j, i);
    char text[SOS_REAL_TEXT];
    sizes_print(out, &j->inputs[i]);
    certificate_print(out, r);
    if (j->inputs[i].format == SOS_FORMAT_DIMACS) {
        fprintf(out, "  flow         %s\n", sos_number_print(r->energy, text));
        fprintf(out, "  cut          %zu of %zu nodes on the side of the source\n", ones + 1, n + 2);
    }
    fprintf(out, "  labels       %zu of %zu are 1; %" PRIu64 " decided before the flow\n", ones, n, r->fixed);
    fprintf(out, "  flow steps   %" PRIu64 " augmentations, %" PRIu64 " pushes, %" PRIu64 " adoptions (%d bits)\n",
            r->augmentations, r->pushes, r->adoptions, r->bits);
    fprintf(out, "  seconds      read %.4f, build %.4f, reduce %.4f, solve %.4f\n", j->inputs[i].seconds, r->seconds_build,
            r->seconds_reduce, r->seconds_solve);
    fputs("  memory       ", out);
    bytes_print(out, sos_energy_bytes(e) + r->bytes);
    fputs(" (energy ", out);
    bytes_print(out, sos_energy_bytes(e));
    fputs(", minimizer ", out);
    bytes_print(out, r->bytes);
    fputs(")\n", out);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Several files: DIRECTORY/NAME.labels, which must not meet. */
static int names_check(const command *self, int count, char *files[], const char *output)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            if (!strcmp(files[i], "-") && !strcmp(files[k], "-")) return options_wrong(self, "'-' is given twice");
            if (output && !strcmp(base_name(files[i]), base_name(files[k])))
                return options_wrong(self, "the labels of '%s' and '%s' would be one file", files[k], files[i]);
        }
    return OPTIONS_RUN;
}

static sos_status outputs_write(const job *j, sos_error *error)
{
    if (!j->output) return SOS_OK;
    if (j->count == 1) return labels_write(j->output, j->labels[0], sos_energy_variables(j->energies[0]), error);
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < j->count; i++) {
        const char *name = base_name(j->inputs[i].name);
        const size_t room = strlen(j->output) + strlen(name) + 16;
        char *path = malloc(room);
        if (!path) {
            *error = (sos_error){ SOS_ERR_MEMORY, "no memory for the name of a file" };
            return SOS_ERR_MEMORY;
        }
        snprintf(path, room, "%s/%s.labels", j->output, name);
        status = labels_write(path, j->labels[i], sos_energy_variables(j->energies[i]), error);
        free(path);
    }
    return status;
}

static bool job_allocate(job *j, size_t count)
{
    j->count = count;
    j->inputs = calloc(count, sizeof *j->inputs);
    j->energies = calloc(count, sizeof *j->energies);
    j->labels = calloc(count, sizeof *j->labels);
    j->results = calloc(count, sizeof *j->results);
    return j->inputs && j->energies && j->labels && j->results;
}

static void job_free(job *j)
{
    for (size_t i = 0; j->inputs && i < j->count; i++) input_free(&j->inputs[i]);
    for (size_t i = 0; j->labels && i < j->count; i++) free(j->labels[i]);
    free(j->inputs);
    free(j->energies);
    free(j->labels);
    free(j->results);
}

static int job_read(job *j, char *files[])
{
    sos_error error;
    for (size_t i = 0; i < j->count; i++) {
        if (input_read(&j->inputs[i], files[i], (sos_format)j->format, j->uai_energies, &error))
            return command_fail("%s", error.message);
        j->energies[i] = j->inputs[i].energy;
        const size_t n = sos_energy_variables(j->energies[i]);
        j->labels[i] = malloc(n ? n : 1);
        if (!j->labels[i]) return command_fail("no memory for %zu labels", n);
    }
    return COMMAND_DONE;
}

static int job_minimize(job *j)
{
    const char *name = j->count == 1 ? j->inputs[0].name : "batch";
    progress p;
    sos_error error;
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.solver = (sos_solver)j->solver;
    settings.maximal = j->maximal;
    settings.reduce = !j->keep_all;
    settings.memory_limit = j->memory_limit;
    settings.progress = progress_report;
    settings.user = &p;
    progress_begin(&p, name);
    const sos_status status = sos_minimize_batch(j->count, j->energies, &settings, (int)j->threads, j->labels, j->results,
                                                 &error);
    progress_end(&p);
    if (status == SOS_CANCELLED && progress_interrupted()) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s: %s", name, error.message) : COMMAND_DONE;
}

static int job_report(const job *j)
{
    sos_error error;
    if (outputs_write(j, &error)) return command_fail("%s", error.message);
    if (j->json) {
        sos_json out = { .file = stdout };
        if (j->count > 1) sos_json_open(&out, NULL, '[');
        for (size_t i = 0; i < j->count; i++) json_print(j, i, &out);
        if (j->count > 1) sos_json_close(&out, ']');
        return COMMAND_DONE;
    }
    /* Labels on standard output are for a program; what is for people goes beside. */
    FILE *out = j->output && !strcmp(j->output, "-") ? stderr : stdout;
    for (size_t i = 0; i < j->count; i++) text_print(j, i, out);
    return COMMAND_DONE;
}

static const sos_option OPTIONS[] = {
    { "output", 'o', SOS_SETS_TEXT(job, output), "LABELS", "write one label per line; several FILEs: to a directory", 0, 0 },
    { "json", 0, SOS_SETS_FLAG(job, json), NULL, "print JSON: an object; several FILEs: an array", 0, 0 },
    { "solver", 0, SOS_SETS_CHOICE(job, solver), SOLVERS, "ibfs is the fast one, augment is for comparison", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(job, threads), "N", "several FILEs on N threads (0: all cores)", 0, 4096 },
    { "maximal", 0, SOS_SETS_FLAG(job, maximal), NULL, "of all minima the one with most ones, not fewest", 0, 0 },
    { "no-reduce", 0, SOS_SETS_FLAG(job, keep_all), NULL, "leave everything to the flow", 0, 0 },
    { "uai-energies", 0, SOS_SETS_FLAG(job, uai_energies), NULL, "tables of UAI files are costs", 0, 0 },
    { "format", 0, SOS_SETS_CHOICE(job, format), FILES_FORMATS, "the format of the FILEs", 0, 0 },
    { "memory-limit", 0, SOS_SETS_BYTES(job, memory_limit), "BYTES", "fail rather than hold more per FILE (K, M, G)", 0, 0 },
    SOS_OPTIONS_END,
};

static int minimize_run(const command *self, int argc, char *argv[])
{
    job j = { 0 };
    int count;
    int code = options_parse_table(self, OPTIONS, &j, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count < 1) return options_wrong(self, "no FILE given");
    if (j.json && j.output && !strcmp(j.output, "-")) return options_wrong(self, "--json and -o - both want standard output");
    if (count > 1 && j.output && !strcmp(j.output, "-")) return options_wrong(self, "-o must be a directory for several FILEs");
    code = names_check(self, count, argv, j.output);
    if (code != OPTIONS_RUN) return code;
    code = job_allocate(&j, (size_t)count) ? job_read(&j, argv) : command_fail("no memory for %d files", count);
    if (!code) code = job_minimize(&j);
    if (!code) code = job_report(&j);
    job_free(&j);
    return code;
}

const command minimize_command = {
    .name = "minimize",
    .arguments = "FILE...",
    .summary = "the minimum of an energy, with its proof",
    .details = "Finds labels of the least energy and a lower bound that proves it.  FILE is .sos text, UAI MARKOV\n"
               "with binary variables, or DIMACS 'p max', told apart by the first word; '-' is standard input.\n"
               "Several FILEs are minimised side by side; -o then names a directory that exists, which receives\n"
               "NAME.labels for each.",
    .examples = "  s3svm minimize energy.sos\n"
                "  s3svm minimize energy.sos --json -o labels.txt\n"
                "  s3svm minimize *.sos --threads 4 -o results/\n"
                "  s3svm minimize --uai-energies model.uai\n"
                "  zcat graph.max.gz | s3svm minimize -\n",
    .run = minimize_run,
};
