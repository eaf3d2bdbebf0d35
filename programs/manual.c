/* manual.c - s3svm manual: manual pages, from the tables that the helps are made of. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/output.h"
#include "base/path.h"
#include "command.h"
#include "options.h"

/* ---------------------------------------------------------------- roff */

/* Text as roff: a backslash, a hyphen, and a point or a quote at the beginning of a line mean something else there. */
static void text_print(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool first = !i || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\'')) fputs("\\&", file);
        if (text[i] == '\\')
            fputs("\\e", file);
        else if (text[i] == '-')
            fputs("\\-", file);
        else if (text[i] == '|')
            fputs("|\\:", file); /* a long list of choices may be broken here */
        else
            fputc(text[i], file);
    }
}

static void line_print(FILE *file, const char *text)
{
    text_print(file, text, strlen(text));
    fputc('\n', file);
}

/* Lines as they are: tables of words in details, and examples. */
static void plain_print(FILE *file, const char *text)
{
    fputs(".nf\n", file);
    text_print(file, text, strlen(text));
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', file);
    fputs(".fi\n", file);
}

/* Paragraphs: those of which a line is indented stay as they are. */
static void paragraphs_print(FILE *file, const char *text)
{
    for (bool first = true; *text; first = false) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        bool plain = *text == ' ';
        for (size_t i = 0; i + 1 < length; i++) plain = plain || (text[i] == '\n' && text[i + 1] == ' ');
        if (!first) fputs(".PP\n", file);
        if (plain) fputs(".nf\n", file);
        text_print(file, text, length);
        fputs(plain ? "\n.fi\n" : "\n", file);
        text += length + (end ? 2 : 0);
    }
}

static void option_print(FILE *file, const s3svm_option *o)
{
    fputs(".TP\n", file);
    if (o->letter) fprintf(file, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", file);
    text_print(file, o->name, strlen(o->name));
    fputs("\\fR", file);
    if (o->kind != S3SVM_OPTION_FLAG) {
        fputs(" \\fI", file);
        text_print(file, o->argument, strlen(o->argument));
        fputs("\\fR", file);
    }
    fputc('\n', file);
    line_print(file, o->help);
}

/* The head of a page: S3SVM-TRAIN-DENOISE(1), s3svm-train-denoise - summary. */
static void head_print(FILE *file, const char *name, const char *summary)
{
    fputs(".TH \"", file);
    for (const char *c = name; *c; c++) fputc(*c == ' ' ? '-' : toupper((unsigned char)*c), file);
    fprintf(file, "\" 1 \"\" \"s3svm %s\" \"s3svm\"\n.ad l\n.SH NAME\n", sos_version());
    for (const char *c = name; *c; c++) text_print(file, *c == ' ' ? "-" : c, 1);
    fputs(" \\- ", file);
    line_print(file, summary);
}

/* ---------------------------------------------------------------- pages */

/* Where pages go: all to standard output, or each to a file of a folder. */
typedef struct pages {
    const char *folder; /* NULL: standard output */
    const char *wanted; /* the only one that is wanted, or NULL */
    size_t count;
    sos_status status; /* of the first failure */
    sos_error error;
} pages;

typedef struct page {
    const char *name; /* "s3svm train denoise" */
    const command *self;
    const option_set *sets;
} page;

static void command_write(FILE *file, const page *p)
{
    const command *c = p->self;
    head_print(file, p->name, c->summary);
    fprintf(file, ".SH SYNOPSIS\n\\fBs3svm ");
    text_print(file, c->name, strlen(c->name));
    fputs("\\fR [options] ", file);
    line_print(file, c->arguments);
    fputs(".SH DESCRIPTION\n", file);
    paragraphs_print(file, c->details);
    if (c->child) fputs(".PP\n", file);
    for (size_t i = 0; c->child && c->child(i); i++) line_print(file, c->child(i));
    fputs(".SH OPTIONS\n", file);
    for (const option_set *s = p->sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++) option_print(file, o);
    option_print(file, &(s3svm_option){ "help", 'h', S3SVM_OPTION_FLAG, 0, NULL, "print a short help", 0, 0 });
    fputs(".SH EXAMPLES\n", file);
    plain_print(file, c->examples);
    fputs(".SH SEE ALSO\n\\fBs3svm\\fR(1)\n", file);
}

static void overview_write(FILE *file, const page *p)
{
    (void)p;
    head_print(file, "s3svm", "exact minimisation and learning of sum-of-submodular energies");
    fputs(".SH SYNOPSIS\n\\fBs3svm\\fR \\fICOMMAND\\fR [options] ...\n.SH COMMANDS\n", file);
    for (size_t i = 0; commands[i]; i++) {
        fputs(".TP\n\\fBs3svm\\-", file);
        text_print(file, commands[i]->name, strlen(commands[i]->name));
        fputs("\\fR(1)\n", file);
        line_print(file, commands[i]->summary);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprint the version\n"
          ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a short help\n",
          file);
    fputs(".SH EXIT STATUS\n0: done. 1: something failed, as the message says. 2: the command line is wrong. "
          "130: interrupted by Ctrl\\-C.\n",
          file);
}

/* folder/s3svm-train-denoise.1 */
static char *page_path(const pages *all, const char *name)
{
    char *path = sos_path_join(all->folder, name, ".1");
    for (char *at = path ? path + strlen(all->folder) : NULL; at && *at; at++)
        if (*at == ' ') *at = '-';
    return path;
}

static void page_add(pages *all, const page *p, void (*write)(FILE *file, const page *p))
{
    sos_output out;
    if (all->status || (all->wanted && strcmp(all->wanted, p->name) != 0)) return;
    all->count++;
    if (!all->folder) {
        write(stdout, p);
        return;
    }
    char *path = page_path(all, p->name);
    all->status = path ? sos_output_open(&out, path, &all->error)
                       : sos_fail(&all->error, SOS_ERR_MEMORY, "no memory for the name of a page");
    if (!all->status) {
        write(out.file, p);
        all->status = sos_output_commit(&out);
    }
    free(path);
}

static void command_add(void *user, const command *self, const option_set sets[])
{
    char name[80];
    snprintf(name, sizeof name, "s3svm %s", self->name);
    page_add(user, &(page){ name, self, sets }, command_write);
}

static void pages_make(pages *all)
{
    page_add(all, &(page){ "s3svm", NULL, NULL }, overview_write);
    options_listen(command_add, all);
    for (size_t i = 0; commands[i]; i++) command_describe(commands[i]);
    options_listen(NULL, NULL);
}

/* ---------------------------------------------------------------- the command */

typedef struct request {
    const char *folder;
} request;

static const s3svm_option OPTIONS[] = {
    { "output", 'o', S3SVM_SETS_TEXT(request, folder), "DIR", "write all pages to this folder: s3svm-train.1 and so on", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int manual_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    char name[128] = "s3svm";
    pages all = { 0 };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (r.folder && count) return options_wrong(self, "unexpected argument '%s': -o writes all pages", argv[0]);
    if (count > 2) return options_wrong(self, "unexpected argument '%s'", argv[2]);
    for (int i = 0; i < count; i++) snprintf(name + strlen(name), sizeof name - strlen(name), " %.50s", argv[i]);
    all.folder = r.folder;
    all.wanted = r.folder ? NULL : name;
    if (r.folder && sos_folder_create(r.folder, &all.error)) return command_fail("%s", all.error.message);
    pages_make(&all);
    if (all.status) return command_fail("%s", all.error.message);
    return all.count ? COMMAND_DONE : options_wrong(self, "there is no page '%s'", name);
}

const command manual_command = {
    .name = "manual",
    .arguments = "[COMMAND [TASK]]",
    .summary = "print manual pages",
    .details = "Prints the manual page of a command, or of s3svm itself, in the format of man. 'make install'\n"
               "installs all of them: man s3svm, man s3svm-train, man s3svm-train-denoise and so on.",
    .examples = "  s3svm manual train | man -l -\n"
                "  s3svm manual -o man1\n",
    .run = manual_run,
};
