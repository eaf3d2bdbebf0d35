/* predict.c - s3svm predict: the labels of least energy under a model, for pictures and for the examples of a file. */
#include "predict.h"

#include <stdio.h>

#include <s3svm/task.h>

#include "options.h"

static const s3svm_option OPTIONS[] = {
    { "model", 'm', S3SVM_SETS_TEXT(request, model), "MODEL", "a model of s3svm train, or the name of one inside", 0, 0 },
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "DIR", "write the pictures here", 0, 0 },
    { "scribbles", 0, S3SVM_SETS_TEXT(request, scribbles), "DIR", "of models that need some (../scribbles of a picture)", 0,
      0 },
    { "maps", 0, S3SVM_SETS_TEXT(request, maps), "DIR", "NAME.npy of models that need features of yours (../maps)", 0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "replace pictures that are there", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N", "so many pictures at once (0: as many as there are cores)", 0,
      4096 },
    { "problem", 0, S3SVM_SETS_TEXT(request, problem), "FILE", "examples instead of pictures; -o is then a file of labels", 0,
      0 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static void tasks_list(void)
{
    for (size_t i = 0; s3svm_task_at(i); i++) printf("  %-8s %s\n", s3svm_task_at(i)->name, s3svm_task_at(i)->shows);
}

static int predict_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (!r.problem) return predict_pictures(self, &r, count, argv);
    if (count) return options_wrong(self, "unexpected argument '%s'", argv[0]);
    return predict_problem(self, &r);
}

const command predict_command = {
    .name = "predict",
    .arguments = "[-m MODEL] PICTURE... -o DIR | -m MODEL --problem FILE",
    .summary = "restore pictures, or label examples, by a learned model",
    .details = "Finds the labels of least energy: for every example in FILE ('-': standard input), which must declare\n"
               "the labels and groups of the model.  -o then writes the labels, a line per example, '-' to standard\n"
               "output.  Where examples have true labels, says how large the loss is.\n"
               "\n"
               "Or for pictures, or all pictures of a folder or of its folder images, and writes them to DIR under the\n"
               "same names as PNG.  MODEL is a file, or the name of a model inside the program; without -m one inside\n"
               "is chosen by what the pictures are and have beside them.  A picture that fails does not keep others\n"
               "from being done.  What is written depends on the model's task:",
    .list = tasks_list,
    .examples = "  s3svm predict noisy.png -o clean\n"
                "  s3svm predict -m model.json scans/*.png -o restored --json\n"
                "  s3svm predict -m model.json photographs/images --scribbles photographs/scribbles -o masks\n"
                "  s3svm predict -m model.json --problem new.txt -o labels.txt\n",
    .run = predict_run,
};
