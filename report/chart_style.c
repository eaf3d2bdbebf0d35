/* chart_style.c - how charts look, in light and dark. */
#include "report/chart.h"

/* Chosen so that under normal vision and simulated protanopia, deuteranopia and tritanopia (Machado and others, 2009) every two
 * differ by 14 or more in CIE Lab, with a contrast of 3 or more to the page. */
const uint32_t s3svm_palette_light[S3SVM_PALETTE] = { 0x0059bc, 0xe0602f, 0x2a6b4a, 0x7a1a78,
                                                      0x3596cd, 0x7b6000, 0x7c808a, 0x6e060b };
const uint32_t s3svm_palette_dark[S3SVM_PALETTE] = { 0x69acff, 0xfc9f6a, 0x5fe8b0, 0xc060b5,
                                                     0xb8ddff, 0xe2da40, 0x9fa5a9, 0xee4a6c };

static void palette_style(FILE *file, const uint32_t colours[S3SVM_PALETTE])
{
    for (size_t i = 0; i < S3SVM_PALETTE; i++) fprintf(file, ";--c%zu:#%06x", i, (unsigned)colours[i]);
    fputs("}", file);
}

void s3svm_chart_style(FILE *file)
{
    fputs(":root{--page:#fff;--ink:#1d2127;--soft:#5b6470;--rule:#e3e6ea", file);
    palette_style(file, s3svm_palette_light);
    fputs("\n@media screen and (prefers-color-scheme:dark){:root{--page:#15181c;--ink:#e4e7eb;--soft:#9aa4b0;--rule:#2c3239",
          file);
    palette_style(file, s3svm_palette_dark);
    fputs("}\n", file);
    for (size_t i = 0; i < S3SVM_PALETTE; i++) fprintf(file, ".s%zu{color:var(--c%zu)}", i, i);
    fputs("\n.chart text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;"
          "font-variant-numeric:tabular-nums;fill:var(--ink)}\n"
          ".chart .tick{fill:var(--soft)}\n"
          ".chart .title{font-size:15px;font-weight:600}\n"
          ".chart .sheet{fill:var(--page)}\n"
          ".chart path{fill:none}\n"
          ".chart .grid{stroke:var(--rule)}\n"
          ".chart .axis{stroke:var(--soft)}\n"
          ".chart .diagonal{stroke:var(--soft);stroke-dasharray:5 4}\n"
          ".chart .line{stroke:currentColor;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n"
          ".chart .dashes{stroke-dasharray:6 5}\n"
          ".chart .spread{stroke:currentColor;stroke-width:1.3}\n"
          ".chart .mark{fill:currentColor;stroke:currentColor;stroke-width:1.5}\n"
          ".chart .open{fill:var(--page);stroke-width:1.8}\n"
          ".chart .cross{fill:none;stroke-width:2}\n"
          ".chart .cloud .mark{fill-opacity:.55;stroke-width:1}\n"
          ".chart .rest{fill:transparent}\n"
          ".chart .bar{fill:currentColor}\n"
          ".chart .bar+.spread{stroke:var(--ink)}\n",
          file);
}
