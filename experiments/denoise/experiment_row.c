/* experiment_row.c - s3svm experiment denoising: its options and its summary. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "experiments/common/choose.h"
#include "experiments/denoise/experiment.h"
#include "experiments/experiment.h"

enum { NOISE_PLAIN, NOISE_SHIFTED, NOISE_BOTH }; /* in the order of --noise */

/* Families of methods, in the order of --models. */
typedef enum family {
    FAMILY_PAPER,     /* baselines, pairs and the paper's tables */
    FAMILY_ALL,       /* these, the networks alone, and the full model */
    FAMILY_LINES,     /* a threshold, and models of directions and lines */
    FAMILY_ODDS,      /* a threshold, networks alone, pairs and lines on them, and the full model */
    FAMILY_EVERYTHING /* all of these */
} family;

typedef struct options {
    const char *data, *only;
    s3svm_reals sigma;
    s3svm_sides size;
    double shifted;
    int64_t splits, seed, noise_seed, count, samples;
    int noise, models;
    bool unclipped, no_curves, choose_C;
} options;

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(options, data), "DIR", "drawings in DIR/labels (default: generated drawings)", 0, 0 },
    { "sigma", 0, S3SVM_SETS_REALS(options, sigma), "LIST", "standard deviations of plain noise (default 0.5,0.7,1.0)", 0,
      S3SVM_DENOISE_NOISES_MAX - 1 },
    { "noise", 0, S3SVM_SETS_CHOICE(options, noise), "plain|shifted|both", "kinds of noise (default both)", 0, 0 },
    { "shifted-sigma", 0, S3SVM_SETS_REAL(options, shifted), "S", "standard deviation of shifted noise (default 150)", 0, 0 },
    { "unclipped", 0, S3SVM_SETS_FLAG(options, unclipped), NULL, "do not clip plain noise to 8 bits", 0, 0 },
    { "splits", 0, S3SVM_SETS_INTEGER(options, splits), "N", "number of random halves (default 5)", 1, 1000 },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed of the splits and of generated drawings (default 1)", 0,
      INT64_MAX },
    { "noise-seed", 0, S3SVM_SETS_INTEGER(options, noise_seed), "N", "seed of the noise (default 1)", 0, INT64_MAX },
    { "count", 0, S3SVM_SETS_INTEGER(options, count), "N", "number of generated drawings (default 20)", 2, 100000 },
    { "size", 0, S3SVM_SETS_SIDES(options, size), "WxH", "size of generated drawings (default 400x200)", 0, 0 },
    { "models", 0, S3SVM_SETS_CHOICE(options, models), "paper|all|lines|odds|everything",
      "which models to compare, see above (default all)", 0, 0 },
    { "only", 0, S3SVM_SETS_TEXT(options, only), "LIST", "compare only these models, and a threshold", 0, 0 },
    { "choose-C", 0, S3SVM_SETS_FLAG(options, choose_C), NULL,
      "choose C of each model by cross-validation on the training half", 0, 0 },
    { "samples", 0, S3SVM_SETS_INTEGER(options, samples), "N", "pixels for training the networks (default 0: 400000)", 0,
      INT64_MAX },
    { "no-curves", 0, S3SVM_SETS_FLAG(options, no_curves), NULL, "leave out the chart of error against C", 0, 0 },
    S3SVM_OPTIONS_END,
};

static void denoising_options_defaults(void *settings)
{
    *(options *)settings = (options){ .sigma = { 3, { 0.5, 0.7, 1 } },
                                      .size = { 400, 200 },
                                      .shifted = 150,
                                      .splits = 5,
                                      .seed = 1,
                                      .noise_seed = 1,
                                      .count = 20,
                                      .noise = NOISE_BOTH,
                                      .models = FAMILY_ALL };
}

/* ---------------------------------------------------------------- who takes part */

static bool belongs(size_t method, family f)
{
    const bool everything = f == FAMILY_EVERYTHING, lines = everything || f == FAMILY_LINES,
               odds = everything || f == FAMILY_ODDS, basic = everything || f <= FAMILY_ALL;
    if (method == S3SVM_BASELINE_THRESHOLD) return true;
    if (method < S3SVM_BASELINES) return basic;
    if (method == S3SVM_METHOD_NETWORKS) return odds || f == FAMILY_ALL;
    const s3svm_drawing_design kind = (s3svm_drawing_design)(method - S3SVM_METHOD_MODELS);
    if (kind == S3SVM_DESIGN_FULL) return odds || f == FAMILY_ALL;
    return s3svm_denoise_is_directed(kind) ? lines : s3svm_denoise_is_on_odds(kind) ? odds : basic;
}

/* Words of --only: networks alone, then the models, as methods are numbered. */
enum { WORDS = S3SVM_DENOISE_METHODS - S3SVM_METHOD_NETWORKS };
static const char *word_of(size_t which)
{
    return which ? s3svm_drawing_design_preset((s3svm_drawing_design)(which - 1))->name : "networks";
}

static sos_status methods_choose(const options *o, bool contends[S3SVM_DENOISE_METHODS], sos_error *error)
{
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++)
        contends[m] = o->only ? m == S3SVM_BASELINE_THRESHOLD : belongs(m, (family)o->models);
    if (!o->only) return SOS_OK;
    return s3svm_choose("--only", o->only, WORDS, word_of, "networks and models (see --help)", contends + S3SVM_METHOD_NETWORKS,
                        error);
}

static sos_status denoising_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    bool contends[S3SVM_DENOISE_METHODS];
    for (size_t i = 0; i < o->sigma.count; i++)
        if (o->sigma.values[i] < 0) return sos_fail(error, SOS_ERR_ARGUMENT, "--sigma must not be negative");
    if (o->shifted < 0) return sos_fail(error, SOS_ERR_ARGUMENT, "--shifted-sigma must not be negative");
    return methods_choose(o, contends, error);
}

static const s3svm_form FORM = { OPTIONS, sizeof(options), denoising_options_defaults, denoising_options_check };

/* ---------------------------------------------------------------- the run */

static void noise_add(s3svm_denoise_plan *p, const options *o, s3svm_noise_model model, double sigma)
{
    p->noise[p->noises++] = (s3svm_noise){
        .model = model, .sigma = sigma, .seed = (uint64_t)o->noise_seed, .unclipped = o->unclipped && model == S3SVM_NOISE_PLAIN
    };
}

static s3svm_denoise_plan plan_of(const options *o, const sos_work *work)
{
    s3svm_denoise_plan p = { .data = o->data,
                             .count = (size_t)o->count,
                             .width = o->size.width,
                             .height = o->size.height,
                             .drawings_seed = (uint64_t)o->seed,
                             .splits = (size_t)o->splits,
                             .seed = (uint64_t)o->seed,
                             .choose_C = o->choose_C,
                             .without_curves = o->no_curves,
                             .samples = (size_t)o->samples,
                             .threads = work->threads,
                             .progress = work->progress,
                             .user = work->user };
    for (size_t i = 0; i < o->sigma.count && o->noise != NOISE_SHIFTED; i++)
        noise_add(&p, o, S3SVM_NOISE_PLAIN, o->sigma.values[i]);
    if (o->noise != NOISE_PLAIN) noise_add(&p, o, S3SVM_NOISE_SHIFTED, o->shifted);
    return p;
}

static void row_print(FILE *out, const s3svm_denoise_results *r, size_t method)
{
    fprintf(out, "%-32s", s3svm_denoise_method_name(method));
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        char text[S3SVM_SPREAD_TEXT];
        fprintf(out, "  %14s", s3svm_spread_text(s3svm_denoise_error(r, noise, method), text));
    }
    fputc('\n', out);
}

static void denoising_results_print(FILE *out, const s3svm_denoise_results *r)
{
    fprintf(out, "Wrong pixels on test images, %%, mean%s of %zu random %s of %zu drawings\n\n",
            r->plan.splits > 1 ? " and deviation" : "", r->plan.splits, r->plan.splits == 1 ? "half" : "halves", r->images);
    fprintf(out, "%-32s", "");
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        const s3svm_noise *n = &r->plan.noise[noise];
        char text[40];
        snprintf(text, sizeof text, "%s %g", s3svm_noise_name(n->model), n->sigma);
        fprintf(out, "  %14s", text);
    }
    fputc('\n', out);
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++)
        if (!s3svm_denoise_outcome_at(r, 0, 0, m)->missing) row_print(out, r, m);
    fprintf(out, "%-32s  %14.2f\n", "all white", 100 * r->white_error);
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        s3svm_rivals rivals[S3SVM_DENOISE_RIVALS];
        char title[S3SVM_DENOISE_NOISE_TEXT];
        s3svm_denoise_rivals(r, noise, rivals);
        s3svm_contest_print(out, &r->contests[noise], s3svm_denoise_noise_text(&r->plan.noise[noise], title),
                            S3SVM_DENOISE_RIVALS, rivals);
    }
}

static sos_status denoising_run(const void *settings, const sos_work *work, const char *folder, const char *command,
                                FILE *summary, sos_error *error)
{
    s3svm_denoise_plan plan = plan_of(settings, work);
    s3svm_denoise_results results;
    sos_status status = methods_choose(settings, plan.contends, error);
    if (!status) status = s3svm_denoise_experiment(&plan, &results, error);
    if (status == SOS_CANCELLED) return sos_fail(error, status, "no report was written");
    if (status) return status;
    status = s3svm_denoise_report(&results, folder, command, error);
    if (!status) denoising_results_print(summary, &results);
    s3svm_denoise_results_free(&results);
    return status;
}

const s3svm_experiment s3svm_denoise_experiment_row = {
    .name = "denoising",
    .summary = "restore noisy drawings with learned models and tuned baselines",
    .details = "Section 5.1 of the paper: black and white drawings with Gaussian noise, half of them for training\n"
               "and half for testing. Learned models, and baselines tuned on the same half, see the same pictures.\n"
               "--models chooses the methods:\n"
               "\n"
               "  paper       tuned baselines; on grey values, pairs of 4 and 8 neighbours, and the paper's tables\n"
               "  all         the same, networks alone, and the full model\n"
               "  lines       on grey values and directions: keyed pairs, pairs and tables of lines and long lines\n"
               "  odds        networks alone, the same models on their output, and the full model\n"
               "  everything  all of these; slow\n"
               "\n"
               "--only long-line-pairs,long-lines names single methods instead: networks, models of s3svm train\n"
               "denoise except far-counts, and designs for comparison:\n"
               "\n"
               "  pairs4, pairs8    grey values; pairs of 4 or 8 neighbours\n"
               "  keyed             grey values, direction and strength of lines in the blurred picture; pairs of 8\n"
               "                    neighbours by their angle to the direction\n"
               "  line-pairs        the same, and all pairs of 7 pixels along lines, with a weight for each distance\n"
               "  line-pair-tables  the same, with a table for each distance\n"
               "  lines             keyed pairs, and tables of costs of the same 7 pixels: higher order\n"
               "  long-line-pairs, long-line-pair-tables, long-lines\n"
               "                    the same three, and also with 7 pixels 3 apart, where a line is clear\n"
               "  odds-pairs, odds-line-pairs, odds-line-pair-tables, odds-lines, odds-long-line-pairs,\n"
               "  odds-long-line-pair-tables, odds-long-lines\n"
               "                    the same on the output of the networks, with one weight",
    .examples = "  s3svm experiment denoising -o report\n"
                "  s3svm experiment denoising --data drawings --sigma 0.7 --splits 2 -o report\n"
                "  s3svm experiment denoising --noise shifted --models paper -o report\n",
    .form = &FORM,
    .run = denoising_run,
};
