/* minimize.c - s3svm minimize: the minimum of the energy in each file, with its proof. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/error.h"
#include "base/json.h"
#include "base/number.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "progress.h"

/* What the command line says. */
typedef struct request {
    const char *output;
    bool json, uai_energies, maximal, keep_all;
    int format, device;
    int64_t threads;
    size_t memory_limit;
} request;

static const char *device_word(sos_device device) { return device == SOS_DEVICE_CARD ? "card" : "cpu"; }

/* One FILE. */
typedef struct piece {
    const char *path; /* as given */
    char *output;     /* where its labels go, or NULL */
    input in;
    uint8_t *labels;
    sos_minimize_result result;
    sos_error error; /* its status is SOS_OK while nothing has failed */
} piece;

typedef struct job {
    const request *r;
    size_t count;
    piece *pieces;
} job;

static size_t ones_count(const piece *p)
{
    size_t ones = 0;
    for (size_t v = 0; v < sos_energy_variables(p->in.energy); v++) ones += p->labels[v];
    return ones;
}

static void error_json(const piece *p, sos_json *out)
{
    sos_json_open(out, NULL, '{');
    sos_json_text(out, "file", text_name(p->path));
    sos_json_text(out, "error", p->error.message);
    sos_json_close(out, '}');
}

static void piece_json(const piece *p, sos_json *out)
{
    const sos_energy *e = p->in.energy;
    const sos_minimize_result *r = &p->result;
    sos_json_open(out, NULL, '{');
    sos_json_text(out, "file", p->in.name);
    sos_json_real(out, "energy", r->energy);
    sos_json_real(out, "lower_bound", r->lower_bound);
    sos_json_real(out, "rounding", r->rounding);
    sos_json_count(out, "variables", sos_energy_variables(e));
    sos_json_count(out, "cliques", sos_energy_cliques(e));
    sos_json_count(out, "tables", sos_energy_tables(e));
    sos_json_count(out, "concaves", sos_energy_concaves(e));
    sos_json_count(out, "ones", ones_count(p));
    if (p->in.format == SOS_FORMAT_DIMACS) {
        sos_json_real(out, "flow", r->energy);
        sos_json_count(out, "cut_source_side", ones_count(p) + 1);
    }
    sos_json_count(out, "bits", (uint64_t)r->bits);
    sos_json_text(out, "device", device_word(r->device));
    sos_json_count(out, "fixed", r->fixed);
    sos_json_count(out, "augmentations", r->augmentations);
    sos_json_count(out, "pushes", r->pushes);
    sos_json_count(out, "adoptions", r->adoptions);
    sos_json_count(out, "growths", r->growths);
    sos_json_count(out, "bytes", sos_energy_bytes(e) + r->bytes);
    sos_json_count(out, "bytes_energy", sos_energy_bytes(e));
    sos_json_count(out, "bytes_minimizer", r->bytes);
    sos_json_real(out, "seconds_read", p->in.seconds);
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
    if (!isfinite(r->energy - r->lower_bound))
        fputs("  certificate  none: sums of the costs are beyond the range of doubles\n", out);
    else if (r->energy == r->lower_bound)
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

static void piece_print(const piece *p, FILE *out)
{
    const sos_energy *e = p->in.energy;
    const sos_minimize_result *r = &p->result;
    const size_t n = sos_energy_variables(e), ones = ones_count(p);
    char text[SOS_REAL_TEXT];
    sizes_print(out, &p->in);
    certificate_print(out, r);
    if (p->in.format == SOS_FORMAT_DIMACS) {
        fprintf(out, "  flow         %s\n", sos_number_print(r->energy, text));
        fprintf(out, "  cut          %zu of %zu nodes on the side of the source\n", ones + 1, n + 2);
    }
    fprintf(out, "  labels       %zu of %zu are 1; %" PRIu64 " decided before the flow\n", ones, n, r->fixed);
    fprintf(out, "  flow steps   %" PRIu64 " augmentations, %" PRIu64 " pushes, %" PRIu64 " adoptions (%d bits)\n",
            r->augmentations, r->pushes, r->adoptions, r->bits);
    fprintf(out, "  seconds      read %.4f, build %.4f, reduce %.4f, solve %.4f\n", p->in.seconds, r->seconds_build,
            r->seconds_reduce, r->seconds_solve);
    fputs("  memory       ", out);
    bytes_print(out, sos_energy_bytes(e) + r->bytes);
    fputs(" (energy ", out);
    bytes_print(out, sos_energy_bytes(e));
    fputs(", minimizer ", out);
    bytes_print(out, r->bytes);
    fputs(")\n", out);
}

/* ---------------------------------------------------------------- files */

/* Several files: DIRECTORY/NAME.labels, which must not meet. */
static int names_check(const command *self, const job *j)
{
    for (size_t i = 0; i < j->count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *one = j->pieces[k].path, *other = j->pieces[i].path;
            if (!strcmp(one, "-") && !strcmp(other, "-")) return options_wrong(self, "'-' is given twice");
            if (j->r->output && !strcmp(sos_path_name(one), sos_path_name(other)))
                return options_wrong(self, "the labels of '%s' and '%s' would be written to the same file", one, other);
        }
    return COMMAND_DONE;
}

static int outputs_name(const job *j)
{
    const char *output = j->r->output;
    bool room = true;
    for (size_t i = 0; i < j->count && output && room; i++) {
        piece *p = &j->pieces[i];
        p->output = j->count == 1 ? sos_path_join("", output, "")
                                  : sos_path_join(output, sos_path_name(text_name(p->path)), ".labels");
        room = p->output;
    }
    return room ? COMMAND_DONE : command_fail("no memory for the names of %zu files", j->count);
}

/* No FILE is written over. */
static int outputs_check(const job *j)
{
    int code = COMMAND_DONE;
    for (size_t i = 0; i < j->count && !code; i++)
        for (size_t k = 0; k < j->count && !code; k++) {
            const file_use read = { "", j->pieces[k].path }, written = { "-o", j->pieces[i].output };
            code = files_guard(1, &read, 1, &written);
        }
    return code;
}

static void piece_read(const request *r, piece *p)
{
    if (input_read(&p->in, p->path, files_format(r->format), r->uai_energies, &p->error)) return;
    const size_t n = sos_energy_variables(p->in.energy);
    p->labels = malloc(n ? n : 1);
    if (!p->labels) (void)sos_fail(&p->error, SOS_ERR_MEMORY, "%.200s: no memory for %zu labels", p->in.name, n);
}

static void piece_write(piece *p)
{
    sos_error why;
    if (!p->output || p->error.status) return;
    if (labels_write(p->output, p->labels, sos_energy_variables(p->in.energy), &why)) p->error = why;
}

/* ---------------------------------------------------------------- all of them at once */

/* The pieces that could be read, side by side as the library takes them. */
typedef struct batch {
    size_t count;
    piece **pieces;
    const sos_energy **energies;
    uint8_t **labels;
    sos_minimize_result *results;
} batch;

static bool batch_create(const job *j, batch *b)
{
    *b = (batch){ .pieces = calloc(j->count, sizeof *b->pieces),
                  .energies = calloc(j->count, sizeof *b->energies),
                  .labels = calloc(j->count, sizeof *b->labels),
                  .results = calloc(j->count, sizeof *b->results) };
    if (!b->pieces || !b->energies || !b->labels || !b->results) return false;
    for (size_t i = 0; i < j->count; i++) {
        piece *p = &j->pieces[i];
        if (p->error.status) continue;
        b->pieces[b->count] = p;
        b->energies[b->count] = p->in.energy;
        b->labels[b->count] = p->labels;
        b->results[b->count++].energy = NAN; /* stays where an energy fails */
    }
    return true;
}

static void batch_free(batch *b)
{
    free(b->pieces);
    free(b->energies);
    free(b->labels);
    free(b->results);
}

/* The batch says only what the first failure is: those that failed are run again, to hear why. */
static void results_take(const batch *b, const sos_minimize_settings *settings)
{
    for (size_t i = 0; i < b->count; i++) {
        piece *p = b->pieces[i];
        sos_error why;
        p->result = b->results[i];
        if (isnan(p->result.energy) && sos_minimize(p->in.energy, settings, p->labels, &p->result, &why))
            (void)sos_fail(&p->error, why.status, "%.200s: %.290s", p->in.name, why.message);
    }
}

static sos_minimize_settings settings_of(const request *r, progress *p)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.maximal = r->maximal;
    s.reduce = !r->keep_all;
    s.memory_limit = r->memory_limit;
    s.device = (sos_device)r->device;
    s.work.progress = progress_report;
    s.work.user = p;
    return s;
}

static int batch_minimize(const job *j, batch *b)
{
    progress p;
    sos_error error;
    sos_minimize_settings settings = settings_of(j->r, &p);
    settings.work.threads = (int)j->r->threads;
    options_device_check(j->r->device);
    progress_begin(&p, j->count == 1 ? text_name(j->pieces[0].path) : "batch");
    const sos_status status = sos_minimize_batch(b->count, b->energies, &settings, b->labels, b->results, &error);
    if (status != SOS_CANCELLED) results_take(b, &settings);
    progress_end(&p);
    if (status != SOS_CANCELLED) return COMMAND_DONE;
    command_fail("interrupted");
    return COMMAND_INTERRUPTED;
}

static int job_minimize(const job *j)
{
    batch b;
    const int code = batch_create(j, &b) ? batch_minimize(j, &b) : command_fail("no memory for %zu energies", j->count);
    batch_free(&b);
    return code;
}

/* ---------------------------------------------------------------- reports */

static void json_print(const job *j)
{
    sos_json out = { .file = stdout };
    if (j->count > 1) sos_json_open(&out, NULL, '[');
    for (size_t i = 0; i < j->count; i++) {
        if (!j->pieces[i].error.status)
            piece_json(&j->pieces[i], &out);
        else if (j->count > 1)
            error_json(&j->pieces[i], &out);
    }
    if (j->count > 1) sos_json_close(&out, ']');
}

/* Labels on standard output are for a program; what is for people goes beside. */
static void text_print(const job *j)
{
    FILE *out = j->r->output && !strcmp(j->r->output, "-") ? stderr : stdout;
    for (size_t i = 0; i < j->count; i++)
        if (!j->pieces[i].error.status) piece_print(&j->pieces[i], out);
}

static int failures_list(const job *j)
{
    size_t failed = 0;
    for (size_t i = 0; i < j->count; i++) {
        if (!j->pieces[i].error.status) continue;
        command_fail("%s", j->pieces[i].error.message);
        failed++;
    }
    if (failed && j->count > 1) command_fail("%zu of %zu files failed", failed, j->count);
    return failed ? COMMAND_FAILED : COMMAND_DONE;
}

static int job_run(const command *self, const job *j)
{
    int code = names_check(self, j);
    if (!code) code = outputs_name(j);
    if (!code) code = outputs_check(j);
    if (code) return code;
    for (size_t i = 0; i < j->count; i++) piece_read(j->r, &j->pieces[i]);
    code = job_minimize(j);
    if (code) return code;
    for (size_t i = 0; i < j->count; i++) piece_write(&j->pieces[i]);
    if (j->r->json)
        json_print(j);
    else
        text_print(j);
    return failures_list(j);
}

static void job_free(job *j)
{
    for (size_t i = 0; i < j->count; i++) {
        free(j->pieces[i].output);
        input_free(&j->pieces[i].in);
        free(j->pieces[i].labels);
    }
    free(j->pieces);
}

static const s3svm_option OPTIONS[] = {
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "LABELS", "write one label per line; with several FILEs, to this folder",
      0, 0 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print JSON: an object, or an array for several FILEs", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N",
      "number of threads, for several FILEs or a large one (default 0: all cores)", 0, 4096 },
    { "maximal", 0, S3SVM_SETS_FLAG(request, maximal), NULL, "of all minima, find the one with most ones instead of fewest", 0,
      0 },
    { "no-reduce", 0, S3SVM_SETS_FLAG(request, keep_all), NULL, "do not fix variables before the flow", 0, 0 },
    { "uai-energies", 0, S3SVM_SETS_FLAG(request, uai_energies), NULL, "tables of UAI files are costs", 0, 0 },
    { "format", 0, S3SVM_SETS_CHOICE(request, format), FILES_FORMATS, "the format of the FILEs (default auto)", 0, 0 },
    { "device", 0, S3SVM_SETS_CHOICE(request, device), OPTIONS_DEVICES,
      "where: on a graphics card, which takes grids of 2x2 patches, or on the CPU (default auto)", 0, 0 },
    { "memory-limit", 0, S3SVM_SETS_BYTES(request, memory_limit), "BYTES",
      "fail instead of using more memory per FILE (K, M, G)", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int minimize_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    int count;
    int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count < 1) return options_wrong(self, "no FILE given");
    const bool standard = r.output && !strcmp(r.output, "-");
    if (r.json && standard) return options_wrong(self, "--json and -o - both write to standard output");
    if (count > 1 && standard) return options_wrong(self, "-o must be a directory for several FILEs");
    job j = { .r = &r, .pieces = calloc((size_t)count, sizeof *j.pieces) };
    if (!j.pieces) return command_fail("no memory for %d files", count);
    j.count = (size_t)count;
    for (int i = 0; i < count; i++) j.pieces[i].path = argv[i];
    code = job_run(self, &j);
    job_free(&j);
    return code;
}

const command minimize_command = {
    .name = "minimize",
    .arguments = "FILE...",
    .summary = "find the minimum of an energy, with a proof",
    .details = "Finds labels of least energy, and a lower bound that proves that they are. FILE is .sos text or its\n"
               "binary form, UAI MARKOV with binary variables, or DIMACS 'p max'; the first word tells which. '-' is\n"
               "standard input. Several FILEs are minimised in parallel; -o then names an existing folder, which\n"
               "receives NAME.labels for each. If a FILE fails, the others are still minimised, and the exit code is\n"
               "1.",
    .examples = "  s3svm minimize energy.sos\n"
                "  s3svm minimize energy.sos --json -o labels.txt\n"
                "  s3svm minimize *.sos --threads 4 -o results/\n"
                "  s3svm minimize --uai-energies model.uai\n"
                "  zcat graph.max.gz | s3svm minimize -\n",
    .run = minimize_run,
};
