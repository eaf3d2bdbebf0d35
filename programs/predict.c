/* predict.c - s3svm predict: the labels of least energy under a model, for pictures and for the examples of a file. */
#include "predict.h"

#include <stdio.h>

#include <s3svm/task.h>

#include "options.h"

static const s3svm_option OPTIONS[] = {
    { "model", 'm', S3SVM_SETS_TEXT(request, model), "MODEL", "a model of s3svm train, or the name of a built-in one", 0, 0 },
    { "output", 'o', S3SVM_SETS_TEXT(request, output), "DIR", "folder for the results", 0, 0 },
    { "scribbles", 0, S3SVM_SETS_TEXT(request, scribbles), "DIR",
      "folder of scribbles, for models that need them (default: ../scribbles of a picture)", 0, 0 },
    { "maps", 0, S3SVM_SETS_TEXT(request, maps), "DIR",
      "folder of NAME.npy, for models that need maps (default: ../maps of a picture), or as evidence (default: none)", 0, 0 },
    { "force", 0, S3SVM_SETS_FLAG(request, force), NULL, "replace existing pictures", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(request, threads), "N",
      "number of pictures processed in parallel (default 0: all cores)", 0, 4096 },
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
    .summary = "restore or label pictures, or label examples, with a model",
    .details = "Finds the labels of least energy.\n"
               "\n"
               "With --problem, for every example in FILE ('-': standard input), which must declare the labels and\n"
               "groups of the model; -o writes the labels, one line per example ('-': standard output). The loss is\n"
               "printed if examples have true labels.\n"
               "\n"
               "Otherwise for pictures, or for all pictures in a folder or in its subfolder images; the results are\n"
               "written to DIR as PNG under the same names. MODEL is a file, or the name of a built-in model;\n"
               "without -m, a built-in model is chosen by the pictures and the files beside them. If a picture\n"
               "fails, the others are still processed. What is written depends on the task of the model:",
    .list = tasks_list,
    .examples = "  s3svm predict noisy.png -o clean\n"
                "  s3svm predict -m model.json scans/*.png -o restored --json\n"
                "  s3svm predict -m model.json photographs/images --scribbles photographs/scribbles -o masks\n"
                "  s3svm predict -m model.json --problem new.txt -o labels.txt\n",
    .run = predict_run,
};
