/* minimize.c - speed and memory of sos_minimize, compared with libmaxflow on pairs, and speed of sos_train.
 *
 *     minimize [--quick] [--only SECTION] [--json FILE] [--plot FILE]
 *
 * Times are medians over runs, of the processor's time of one thread (on the wall in "batch"; "learn" says), building and
 * solving together from arrays in memory unless a section says otherwise.  Ours and the peer take turns, so that noise hits
 * both. docs/benchmarks.md says what the figures mean. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static const struct {
    const char *name;
    void (*run)(bench *b);
    bool asked; /* runs only where it is asked for */
} SECTIONS[] = {
    { "bars", section_bars, false },       { "growth", section_growth, false },  { "warm", section_warm, false },
    { "reduce", section_reduce, false },   { "batch", section_batch, false },    { "hinge", section_hinge, false },
    { "memory", section_memory, false },   { "counts", section_counts, false },  { "regions", section_regions, false },
    { "strokes", section_strokes, false }, { "learn", section_learn, false },    { "path", section_path, true },
    { "tuning", section_tuning, true },    { "cluster", section_cluster, true }, { "large", section_large, true }
};

static int usage(void)
{
    fprintf(stderr, "usage: minimize [--quick] [--only SECTION] [--json FILE] [--plot FILE.svg]\nsections:");
    for (size_t i = 0; i < LENGTH(SECTIONS); i++) fprintf(stderr, " %s", SECTIONS[i].name);
    fprintf(stderr, "\n$SOS_SHARED_DIR/instances holds the instances; they are generated where it does not\n");
    return 2;
}

static bool is_section(const char *name)
{
    for (size_t i = 0; i < LENGTH(SECTIONS); i++)
        if (!strcmp(name, SECTIONS[i].name)) return true;
    return false;
}

/* The processor's name as Linux tells it. */
static void processor(char name[], size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "an unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
}

static void introduce(bench *b, const char *json)
{
    char cpu[128], about[512], date[32];
    const time_t now = time(NULL);
    const char *peer_name = maxflow_peer_exists() ? "libmaxflow" : "none";
    processor(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(about, sizeof about,
             "\"date\": \"%s\", \"processor\": \"%s\", \"version\": \"%s\", \"peer\": \"%s\", \"quick\": %s", date, cpu,
             sos_version(), peer_name, b->quick ? "true" : "false");
    printf("libsos %s on %s, %s\n", sos_version(), cpu, date);
    if (!maxflow_peer_exists()) printf("libmaxflow was not there when this was built: times only, no ratios\n");
    report_open(&b->report, json, about);
}

int main(int argc, char *argv[])
{
    bench b = { 0 };
    const char *json = NULL, *only = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--quick"))
            b.quick = true;
        else if (!strcmp(argv[i], "--json") && more)
            json = argv[++i];
        else if (!strcmp(argv[i], "--plot") && more)
            b.plot = argv[++i];
        else if (!strcmp(argv[i], "--only") && more && is_section(argv[i + 1]))
            only = argv[++i];
        else
            return usage();
    }
    introduce(&b, json);
    for (size_t i = 0; i < LENGTH(SECTIONS); i++)
        if (only ? !strcmp(only, SECTIONS[i].name) : !SECTIONS[i].asked) SECTIONS[i].run(&b);
    report_close(&b.report);
    for (size_t i = 0; i < RECIPES_END; i++) instance_free(&b.instances[i]);
    if (b.failed) fprintf(stderr, "minimize: an answer was wrong\n");
    return b.failed;
}
