/* completion.c - s3svm completion: what a shell can complete, from the tables that the helps are made of. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"

typedef enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH } shell;

/* ---------------------------------------------------------------- words */

/* Prints 'text' for a shell: a quote inside ends the text, stands by itself, and begins it again. */
static void quoted_print(const char *text)
{
    putchar('\'');
    for (; *text; text++) fputs(*text == '\'' ? "'\\''" : (const char[]){ *text, '\0' }, stdout);
    putchar('\'');
}

/* The choices of an option, with spaces between them. */
static void choices_print(const s3svm_option *o)
{
    for (const char *c = o->argument; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

/* ---------------------------------------------------------------- bash, and zsh by way of bash's functions */

/* One case of the function: the words of a command, and what may follow an option with choices. */
static void bash_command(void *user, const command *self, const option_set sets[])
{
    (void)user;
    printf("    '%s')\n        words='--help", self->name);
    for (size_t i = 0; self->child && self->child(i); i++) printf(" %s", self->child(i));
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++) printf(" --%s", o->name);
    fputs("'\n        case $before in\n", stdout);
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++)
            if (o->kind == S3SVM_OPTION_CHOICE) {
                printf("        --%s) words='", o->name);
                choices_print(o);
                fputs("' ;;\n", stdout);
            }
    fputs("        esac\n        ;;\n", stdout);
}

static void bash_print(void)
{
    fputs("# bash completion of s3svm, written by 's3svm completion bash'\n"
          "_s3svm()\n"
          "{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name=${COMP_WORDS[1]-} words=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words='help version",
          stdout);
    for (size_t i = 0; commands[i]; i++) printf(" %s", commands[i]->name);
    fputs("'\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    case $name:$COMP_CWORD in\n",
          stdout);
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->child)
            printf("    %s:2) ;;\n    %s:*) name=\"$name ${COMP_WORDS[2]}\" ;;\n", commands[i]->name, commands[i]->name);
    fputs("    esac\n"
          "    case ${name%% -*} in\n",
          stdout);
    options_listen(bash_command, NULL);
    for (size_t i = 0; commands[i]; i++) command_describe(commands[i]);
    options_listen(NULL, NULL);
    fputs("    esac\n"
          "    if [ \"${word:0:1}\" = - ] || [ \"${before:0:2}\" = -- ] || [ \"$COMP_CWORD\" -eq 2 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -o bashdefault -o default -F _s3svm s3svm\n",
          stdout);
}

static void zsh_print(void)
{
    fputs("#compdef s3svm\n"
          "# zsh completion of s3svm, written by 's3svm completion zsh'\n"
          "autoload -U +X bashcompinit && bashcompinit\n"
          "mapfile() { shift; local name=$1; eval \"$name=(\\${(f)\\\"\\$(cat)\\\"})\"; }\n",
          stdout);
    bash_print();
}

/* ---------------------------------------------------------------- fish */

/* The condition under which the options of a command are offered. */
static void fish_condition(const command *self)
{
    const char *space = strchr(self->name, ' ');
    printf(" -n '__fish_seen_subcommand_from %.*s", (int)(space ? space - self->name : (long)strlen(self->name)), self->name);
    if (space) printf("; and __fish_seen_subcommand_from %s", space + 1);
    putchar('\'');
}

static void fish_command(void *user, const command *self, const option_set sets[])
{
    (void)user;
    for (size_t i = 0; self->child && self->child(i); i++) {
        fputs("complete -c s3svm -f", stdout);
        fish_condition(self);
        printf(" -a %s\n", self->child(i));
    }
    for (const option_set *s = sets; s->options; s++)
        for (const s3svm_option *o = s->options; o->name; o++) {
            fputs("complete -c s3svm", stdout);
            fish_condition(self);
            printf(" -l %s", o->name);
            if (o->letter) printf(" -s %c", o->letter);
            if (o->kind == S3SVM_OPTION_CHOICE) {
                fputs(" -x -a '", stdout);
                choices_print(o);
                putchar('\'');
            } else if (o->kind != S3SVM_OPTION_FLAG)
                fputs(" -r", stdout);
            fputs(" -d ", stdout);
            quoted_print(o->help);
            putchar('\n');
        }
}

static void fish_print(void)
{
    fputs("# fish completion of s3svm, written by 's3svm completion fish'\n", stdout);
    for (size_t i = 0; commands[i]; i++) {
        printf("complete -c s3svm -f -n __fish_use_subcommand -a %s -d ", commands[i]->name);
        quoted_print(commands[i]->summary);
        putchar('\n');
    }
    options_listen(fish_command, NULL);
    for (size_t i = 0; commands[i]; i++) command_describe(commands[i]);
    options_listen(NULL, NULL);
}

/* ---------------------------------------------------------------- the command */

static const s3svm_option NONE[] = { S3SVM_OPTIONS_END };

static int completion_run(const command *self, int argc, char *argv[])
{
    static const char *const SHELLS[] = { "bash", "zsh", "fish" }; /* in the order of shell */
    static void (*const PRINT[])(void) = { [SHELL_BASH] = bash_print, [SHELL_ZSH] = zsh_print, [SHELL_FISH] = fish_print };
    int count;
    const int code = options_parse_table(self, NONE, NULL, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count != 1) return options_wrong(self, "give one of bash, zsh and fish");
    for (size_t i = 0; i < sizeof SHELLS / sizeof *SHELLS; i++)
        if (!strcmp(SHELLS[i], argv[0])) {
            PRINT[i]();
            return COMMAND_DONE;
        }
    return options_wrong(self, "there is no completion for '%s': give one of bash, zsh and fish", argv[0]);
}

const command completion_command = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .details = "Prints a script with which a shell completes commands, tasks, options and their values. 'make\n"
               "install' installs these scripts.",
    .examples = "  source <(s3svm completion bash)\n"
                "  s3svm completion fish >~/.config/fish/completions/s3svm.fish\n",
    .run = completion_run,
};
