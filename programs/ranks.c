#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/share.h"
#include "command.h"
#include "communicator_mpi.h"
#include "plugin.h"
#include "progress.h"

static const char *const KINDS[] = { "openmpi", "mpich" };
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* ---------------------------------------------------------------- how the process was started */

/* By a launcher, as one of how many; which MPI it speaks. */
typedef struct launch {
    size_t size;      /* 0: by none, or it does not say */
    bool launched;    /* by a launcher */
    const char *kind; /* of KINDS, or NULL: any */
} launch;

static size_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? (size_t)strtoul(text, NULL, 10) : 0;
}

static launch launch_find(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE")) return (launch){ number_of("OMPI_COMM_WORLD_SIZE"), true, "openmpi" };
    if (getenv("PMI_SIZE")) return (launch){ number_of("PMI_SIZE"), true, "mpich" };
    if (getenv("PMIX_RANK")) return (launch){ 0, true, NULL };
    if (getenv("PMI_RANK")) return (launch){ 0, true, "mpich" };
    return (launch){ number_of("SLURM_STEP_NUM_TASKS"), false, NULL };
}

/* ---------------------------------------------------------------- plug-ins */

/* What was loaded; there is one world. */
static struct {
    sos_communicator comm;
    s3svm_mpi_closer *close;
    bool open;
} world;

static int plugin_open(const char *path)
{
    s3svm_mpi_opener *open = NULL;
    sos_error error = { SOS_OK, "" };
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!plugin) return command_fail("cannot load the MPI plug-in: %s", dlerror());
    if (!plugin_symbol(plugin, S3SVM_MPI_OPEN, &open) || !plugin_symbol(plugin, S3SVM_MPI_CLOSE, &world.close))
        return command_fail("'%s' is not the MPI plug-in of this version", path);
    if (open(&world.comm, &error)) return command_fail("%s", error.message);
    world.open = true;
    return COMMAND_DONE;
}

const char *ranks_kinds(void)
{
    static char text[64];
    char path[PLUGIN_PATH];
    text[0] = '\0';
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (plugin_find(KINDS[i], path))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", KINDS[i]);
    return text;
}

/* Processes that do not know of each other would all write the same file. */
static int refuse(const launch *l)
{
    char many[32] = "several";
    if (l->size) snprintf(many, sizeof many, "%zu", l->size);
    if (!l->launched)
        return command_fail("srun started %s processes that cannot communicate: give it --mpi=pmix or --mpi=pmi2", many);
    return command_fail("started as one of %s processes, but there is no plug-in for %s (s3svm version lists those installed): "
                        "build with its headers, -DSOS_MPI=ON",
                        many, l->kind ? l->kind : "MPI");
}

/* S3SVM_MPI=none is for those whose environment deceives; openmpi and mpich choose, and a path is taken as it is. */
static int launch_join(const launch *l)
{
    char path[PLUGIN_PATH];
    const char *wanted = getenv("S3SVM_MPI");
    if (wanted && strchr(wanted, '/')) return plugin_open(wanted);
    const char *kind = wanted && *wanted ? wanted : l->kind;
    if (!l->launched) return refuse(l);
    if (kind) return plugin_find(kind, path) ? plugin_open(path) : refuse(&(launch){ l->size, true, kind });
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (plugin_find(KINDS[i], path)) return plugin_open(path);
    return refuse(l);
}

int ranks_begin(const sos_communicator **out)
{
    const launch l = launch_find();
    const char *wanted = getenv("S3SVM_MPI");
    *out = NULL;
    if ((wanted && !strcmp(wanted, "none")) || l.size == 1 || (!l.launched && l.size < 2)) return COMMAND_DONE;
    const int code = launch_join(&l);
    if (code || world.comm.size < 2) return code;
    *out = &world.comm;
    if (world.comm.rank) {
        command_hold();
        progress_silence();
        if (!freopen("/dev/null", "w", stdout)) return command_fail("cannot open /dev/null");
    }
    return COMMAND_DONE;
}

/* ---------------------------------------------------------------- together */

int ranks_settle(const sos_communicator *comm, int code)
{
    sos_share share;
    sos_error error = { SOS_OK, "" };
    if (!comm) return code;
    if (sos_share_join(&share, comm, &error)) return command_fail("%s", error.message);
    int64_t worst = code;
    snprintf(error.message, sizeof error.message, "rank %zu: %.480s", comm->rank, command_held());
    const sos_status status = sos_share_agree(&share, code ? SOS_ERR_ARGUMENT : SOS_OK, &error);
    if (sos_share_max(&share, 1, &worst, &error)) return command_fail("%s", error.message);
    if (status && !code && ranks_is_first(comm)) command_fail("%s", error.message);
    return (int)worst;
}

bool ranks_any(const sos_communicator *ranks, bool here)
{
    int64_t any = here;
    sos_error error;
    return !ranks || ranks->max(ranks->user, 1, &any, &error) ? here : any;
}

int ranks_share_text(const sos_communicator *ranks, char **text, size_t *length)
{
    sos_error error = { SOS_OK, "" };
    if (!ranks) return COMMAND_DONE;
    uint64_t size = *length;
    if (ranks->broadcast(ranks->user, sizeof size, &size, &error)) return command_fail("%s", error.message);
    if (ranks->rank) *text = malloc((size_t)size + 1);
    *length = (size_t)size;
    const int code = ranks_settle(ranks, *text ? COMMAND_DONE : command_fail("no memory for a text of %zu bytes", *length));
    if (code) return code;
    if (ranks->broadcast(ranks->user, *length, *text, &error)) return command_fail("%s", error.message);
    (*text)[*length] = '\0';
    return COMMAND_DONE;
}

void ranks_end(int code)
{
    if (!world.open) return;
    world.open = false;
    fflush(NULL);
    world.close(code);
}
