/* serve.c - s3svm serve: the page, and what it asks. */
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "serve/serve.h"

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(serve_options, data), "DIR", "a folder of yours, with photographs in its folder images", 0,
      0 },
    { "port", 0, S3SVM_SETS_INTEGER(serve_options, port), "N", "the port (8573); 0: any that is free", 0, 65535 },
    { "host", 0, S3SVM_SETS_TEXT(serve_options, host), "ADDR", "be reached by others, too, with the token in the printed link",
      0, 0 },
    { "open", 0, S3SVM_SETS_FLAG(serve_options, open), NULL, "open the page in the browser", 0, 0 },
    { "model", 'm', S3SVM_SETS_TEXT(serve_options, model), "MODEL", "a model of s3svm train segment, to use and to learn from",
      0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(serve_options, threads), "N", "so many threads (0: as many as there are cores)", 0,
      4096 },
    { "json", 0, S3SVM_SETS_FLAG(serve_options, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int serve_run(const command *self, int argc, char *argv[])
{
    serve_options r = { .port = 8573 };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "unexpected argument '%s'", argv[0]);
#if SOS_HAVE_MICROHTTPD
    return serve(&r);
#else
    return command_fail("built without libmicrohttpd, which the page needs (Debian: libmicrohttpd-dev)");
#endif
}

const command serve_command = {
    .name = "serve",
    .arguments = "",
    .summary = "a page in the browser: mark, cut out, learn",
    .details = "Starts a server for this machine alone and prints its address: a page on which objects are cut out of\n"
               "photographs by strokes, and drawings restored.  It needs no network and no files.  Ctrl-C ends it.\n"
               "\n"
               "With --data DIR the photographs in DIR/images can be marked one after the other.  What is done goes\n"
               "to DIR/scribbles and DIR/labels, as s3svm train segment reads it, and the page can learn from it;\n"
               "models are kept in DIR/models.\n"
               "\n"
               "--host ADDR (0.0.0.0: all) lets other machines in.  They need the token of the link that is printed.\n"
               "The connection is not encrypted.\n"
               "\n"
               "Programs may use the server, too: docs/api.md describes what it answers.",
    .examples = "  s3svm serve --open\n"
                "  s3svm serve --data photographs\n",
    .run = serve_run,
};
