/* convert.c - s3svm convert: an energy from one file format to another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/number.h"
#include "base/path.h"
#include "command.h"
#include "files.h"
#include "options.h"

/* Some files cannot hold a constant.  What the file lacks shows in the energy of any labelling: all zeros. */
static void constant_note(const sos_energy *e, const char *path, sos_format format)
{
    sos_energy *written;
    uint8_t *zeros = calloc(sos_energy_variables(e) + 1, 1);
    if (zeros && strcmp(path, "-") && !sos_energy_read(path, format, &written, NULL)) {
        const double here = sos_energy_value(e, zeros), there = sos_energy_value(written, zeros);
        char text[SOS_REAL_TEXT];
        if (fabs(here - there) > 1e-9 * (1 + fabs(here) + fabs(there)))
            fprintf(stderr, "s3svm: note: the file lacks a constant of %s, see its comment\n",
                    sos_number_print(here - there, text));
        sos_energy_free(written);
    }
    free(zeros);
}

static bool ends_in_uai(const char *path)
{
    const char *dot = strrchr(sos_path_name(path), '.');
    return dot && !strcmp(dot, ".uai");
}

typedef struct request {
    int from, to;
    bool uai_energies;
} request;

static const s3svm_option OPTIONS[] = {
    { "from", 0, S3SVM_SETS_CHOICE(request, from), FILES_FORMATS, "the format of IN (default auto)", 0, 0 },
    { "to", 0, S3SVM_SETS_CHOICE(request, to), FILES_FORMATS, "the format of OUT (default auto)", 0, 0 },
    { "uai-energies", 0, S3SVM_SETS_FLAG(request, uai_energies), NULL, "tables of UAI files are costs, in IN and in OUT", 0,
      0 },
    S3SVM_OPTIONS_END,
};

static int convert_run(const command *self, int argc, char *argv[])
{
    request r = { .from = SOS_FORMAT_AUTO, .to = SOS_FORMAT_AUTO };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count != 2) return options_wrong(self, "give two files, IN and OUT");
    if (!strcmp(argv[1], "-") && r.to == SOS_FORMAT_AUTO)
        return options_wrong(self, "standard output has no extension: give --to");
    if (r.uai_energies && (r.to == SOS_FORMAT_UAI || (r.to == SOS_FORMAT_AUTO && ends_in_uai(argv[1]))))
        r.to = SOS_FORMAT_UAI_ENERGIES;

    input in;
    sos_error error;
    const file_use read = { "", argv[0] }, written = { "OUT", argv[1] };
    if (files_guard(1, &read, 1, &written)) return COMMAND_FAILED;
    if (input_read(&in, argv[0], files_format(r.from), r.uai_energies, &error)) return command_fail("%s", error.message);
    const sos_status status = energy_write(in.energy, argv[1], files_format(r.to), &error);
    if (!status) constant_note(in.energy, argv[1], files_format(r.to));
    input_free(&in);
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

const command convert_command = {
    .name = "convert",
    .arguments = "IN OUT",
    .summary = "convert an energy to another file format",
    .details = "The format is recognised by the first word of IN, and by the extension of OUT: .sos, .sosb (binary),\n"
               ".uai, .max (DIMACS). '-' is standard input or output. UAI files can hold concave cliques of at most\n"
               "16 members, DIMACS files pairs only; neither can hold fixed variables.",
    .examples = "  s3svm convert energy.sos energy.uai\n"
                "  s3svm convert --uai-energies costs.uai energy.sos\n"
                "  s3svm convert graph.txt graph.sos --from dimacs\n"
                "  s3svm convert large.sos large.sosb\n"
                "  s3svm convert grid.sos - --to dimacs | gzip >grid.max.gz\n",
    .run = convert_run,
};
