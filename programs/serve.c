/* serve.c - s3svm serve: the page, and what it asks. */
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "serve/serve.h"

static const s3svm_option OPTIONS[] = {
    { "data", 0, S3SVM_SETS_TEXT(serve_options, data), "DIR", "a folder of photographs, or one with a subfolder images", 0, 0 },
    { "port", 0, S3SVM_SETS_INTEGER(serve_options, port), "N", "port (default 8573); 0: any free port", 0, 65535 },
    { "host", 0, S3SVM_SETS_TEXT(serve_options, host), "ADDR",
      "address at which other machines can reach the server, with the token in the printed link", 0, 0 },
    { "open", 0, S3SVM_SETS_FLAG(serve_options, open), NULL, "open the page in the browser", 0, 0 },
    { "model", 'm', S3SVM_SETS_TEXT(serve_options, model), "MODEL", "a model of s3svm train segment, to use and to learn from",
      0, 0 },
    { "trace", 0, S3SVM_SETS_TEXT(serve_options, trace), "MODEL", "a model of s3svm train trace; pages can send others", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(serve_options, threads), "N", "number of threads (default 0: all cores)", 0, 4096 },
    { "seconds", 0, S3SVM_SETS_REAL(serve_options, seconds), "S", "one request may compute for so long (default 300)", 0, 1e6 },
    { "json", 0, S3SVM_SETS_FLAG(serve_options, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int serve_run(const command *self, int argc, char *argv[])
{
    serve_options r = { .port = 8573, .seconds = 300 };
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
    .summary = "cut out, trace, restore and learn on a page in the browser",
    .details =
        "Starts a server on this machine and prints its address: a page on which strokes cut objects out of\n"
        "photographs, thin structures are traced, and drawings are restored. It needs no network and no files. Ctrl-C stops "
        "it.\n"
        "\n"
        "With --data DIR, the photographs in DIR/images, or in DIR itself, can be marked one after the other.\n"
        "Finished ones are saved to DIR/scribbles and DIR/labels, in the layout that s3svm train segment reads, and the page\n"
        "can learn from them; models are kept in DIR/models.\n"
        "\n"
        "--host ADDR (0.0.0.0: all addresses) makes the server reachable from other machines, which need the\n"
        "token in the printed link. The connection is not encrypted.\n"
        "\n"
        "docs/api.md describes the HTTP interface for programs.",
    .examples = "  s3svm serve --open\n"
                "  s3svm serve --data photographs\n"
                "  s3svm serve --trace vessels.json\n",
    .run = serve_run,
};
