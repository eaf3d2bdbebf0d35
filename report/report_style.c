/* report_style.c - how a report looks: calm, one column, with boxes of their own for what is wider than a phone. */
#include "report/report.h"

/* Light; dark follows the reader's setting, but paper is always light. */
static const char colours[] =
    ":root{color-scheme:light dark;--panel:#f5f6f8;--heat:0 89 188;--cold:205 92 20;--good:#e2f1e6;--accent:#0059bc}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--panel:#1d2126;--heat:105 172 "
    "255;--cold:245 150 80;--good:#1d3a2a;--accent:#69acff}}\n";

/* The contents are written last and shown on top. */
static const char page[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{display:flex;flex-direction:column;max-width:70rem;margin:0 auto;padding:3rem 1.25rem 2rem;background:var(--page);"
    "color:var(--ink);font:1rem/1.6 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;"
    "overflow-wrap:break-word}\n"
    "header,nav{order:-1}\n"
    "main{min-width:0}\n"
    "h1{font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.01em;margin:0}\n"
    ".subtitle{font-size:1.1rem;color:var(--soft);margin:.6rem 0 0;max-width:46rem}\n"
    "nav{margin:1.4rem 0 .4rem;padding:.7rem 0;border:solid var(--rule);border-width:1px 0}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;list-style:none;margin:0;padding:0;font-size:.95rem}\n"
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}\n"
    "h2{font-size:1.4rem;line-height:1.3;font-weight:620;margin:3.2rem 0 1rem;scroll-margin-top:1rem}\n"
    "h3{font-size:1.08rem;line-height:1.4;font-weight:620;margin:2.2rem 0 .7rem}\n"
    "p{max-width:46rem;margin:0 0 1rem}\n"
    "pre{margin:0 0 1.2rem;padding:.8rem 1rem;overflow-x:auto;background:var(--panel);border-radius:6px;"
    "font:.88rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}\n"
    "footer{margin-top:4rem;padding-top:.8rem;border-top:1px solid var(--rule);font-size:.85rem;color:var(--soft)}\n";

static const char blocks[] =
    "figure{margin:1.6rem 0 2rem;min-width:0}\n"
    "figcaption{margin:0 0 .7rem;max-width:46rem;font-weight:600;line-height:1.4}\n"
    "figcaption span{display:block;font-weight:400;font-size:.92rem;color:var(--soft);margin-top:.15rem}\n"
    ".scroll{position:relative;overflow-x:auto;-webkit-overflow-scrolling:touch}\n"
    ".scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.45rem 1.6rem;margin:1.4rem 0 2rem;max-width:60rem;"
    "font-variant-numeric:tabular-nums}\n"
    "dl div{display:contents}dt{color:var(--soft)}dd{margin:0}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:2rem 2.4rem;"
    "margin:1.6rem 0 2.4rem}\n"
    ".charts figure{margin:0}.charts .wide{grid-column:1/-1}\n"
    ".chart{display:block;width:100%;height:auto;max-width:calc(var(--w)*1.16px);min-width:calc(var(--w)*.74px)}\n"
    "details{margin:.4rem 0 0;font-size:.88rem;color:var(--soft)}summary{cursor:pointer;width:max-content}\n"
    "details .scroll{max-height:20rem;overflow:auto;margin-top:.4rem}details table{font-size:.85rem}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;list-style:none;margin:1rem 0 1.4rem;padding:0;font-size:.95rem}\n"
    ".legend i{display:inline-block;width:1.1em;height:1.1em;margin-right:.5em;vertical-align:-.2em;border-radius:3px;"
    "box-shadow:0 0 0 1px var(--soft);background:var(--colour)}\n";

static const char tables[] =
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.95rem;line-height:1.4}\n"
    "th,td{padding:.42rem .9rem;text-align:right;vertical-align:baseline}\n"
    "th:first-child,td:first-child{padding-left:.2rem}\n"
    "th{font-weight:500}\n"
    "thead th{color:var(--soft);font-size:.88rem;vertical-align:bottom}\n"
    "thead tr:last-child th{border-bottom:1.5px solid var(--soft)}\n"
    ".grid tbody tr+tr>*{border-top:1px solid var(--rule)}\n"
    ".grid tbody th,.heat tbody th{position:sticky;left:0;min-width:7.5rem;background:var(--page)}\n"
    ".grid tbody tr:hover,.grid tbody tr:hover th{background:var(--panel)}\n"
    ".grid td{white-space:nowrap}\n"
    "th.t,td.t,tbody th{text-align:left}tbody .t{white-space:nowrap}tbody .long{white-space:normal;min-width:14rem}\n"
    "th.group{text-align:center;border-bottom:1px solid var(--rule)}\n"
    ".best{background:var(--good);font-weight:650}\n"
    ".heat th,.heat td{padding:.3rem .5rem}.heat thead tr:last-child th{border-bottom:0}.heat thead th{text-align:center}\n"
    ".heat td{text-align:center;background:rgb(var(--heat)/var(--a,0));border:1px solid var(--page)}\n"
    ".heat .below{--heat:var(--cold)}\n"
    ".heat .is{font-weight:650;outline:1.5px solid var(--soft);outline-offset:-2px}.heat .sum{color:var(--soft)}\n";

/* A picture is enlarged while its radio button is checked; the last label lies over all and checks none. */
static const char pictures[] =
    ".pictures{width:100%;table-layout:fixed}\n"
    ".pictures th,.pictures th:first-child{padding:.2rem .35rem;text-align:left}\n"
    ".pictures td,.pictures td:first-child{padding:0 .35rem .9rem;text-align:left;vertical-align:top}\n"
    ".pictures thead tr:last-child th{border-bottom:0}\n"
    ".pictures tbody th,.pictures tbody th:first-child{padding-top:.8rem;font-size:.88rem;color:var(--soft)}\n"
    ".pictures img{display:block;width:100%;height:auto;border-radius:2px;box-shadow:0 0 0 1px var(--rule);cursor:zoom-in}\n"
    ".pictures .said{display:block;margin-top:.25rem;font-size:.88rem}\n"
    ".px,.pictures input:checked+label img{image-rendering:pixelated}\n"
    ".pictures input,.none{position:absolute;opacity:0;width:1px;height:1px;margin:0;pointer-events:none}\n"
    ".pictures input:focus-visible+label img{outline:3px solid var(--accent);outline-offset:2px}\n"
    ".pictures .back{display:none}\n"
    ".pictures input:checked+label{position:fixed;inset:0;z-index:8;background:#0c0d0f}\n"
    ".pictures input:checked+label img{width:100%;height:calc(100% - 3.4rem);max-width:none!important;object-fit:contain;"
    "box-shadow:none;outline:none;border-radius:0;padding:1rem 1rem 0}\n"
    ".pictures input:checked~.back{display:flex;position:fixed;inset:0;z-index:9;align-items:flex-end;justify-content:center;"
    "padding:.9rem;color:#fff;cursor:zoom-out;text-align:center}\n";

static const char patches[] =
    ".patches{display:flex;flex-wrap:wrap;gap:1rem .8rem;list-style:none;margin:0 0 1rem;padding:0;"
    "font-variant-numeric:tabular-nums}\n"
    ".patches.few{display:grid;grid-template-columns:repeat(8,max-content)}\n"
    ".patches li{width:4.7rem;text-align:center;white-space:nowrap;font-size:.86rem;line-height:1.3}\n"
    ".patches .gap{align-self:center;color:var(--soft);width:auto;padding:0 .5rem}\n"
    ".patch{display:block;margin:0 auto .35rem}.patches .patch{width:2.6rem}.meter{width:3.6rem}thead "
    ".patch{width:1.5rem;margin-bottom:.1rem}\n"
    ".patch rect{stroke:#8a929c;stroke-width:.06}.patch .paper{fill:#fff}.patch .dark{fill:#14171a}\n"
    ".meter{display:block;height:4px;margin:.25rem auto 0;background:var(--rule);border-radius:2px;overflow:hidden}\n"
    ".meter i{display:block;height:100%;background:var(--accent)}\n"
    ".times{color:var(--soft);font-size:.8rem}\n";

static const char elsewhere[] =
    "@media (max-width:40rem){body{padding:1.6rem 1rem}h1{font-size:1.6rem}h2{margin-top:2.4rem}"
    "dl{display:block}dd{margin:0 0 .8rem}.patches{gap:1rem .4rem}.patches.few{grid-template-columns:repeat(4,1fr)}"
    ".grid tbody th{white-space:normal}}\n"
    "@media print{body{display:block;max-width:none;padding:0;font-size:10pt}nav,details{display:none}.scroll{overflow:visible}"
    "figure,tr,li,dl{break-inside:avoid}h2,h3,figcaption{break-after:avoid}.charts{grid-template-columns:1fr "
    "1fr}.chart{min-width:0}.pictures{min-width:0!important}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

void s3svm_report_style(FILE *file)
{
    /* Several strings: compilers need not take one as long as all of them. */
    const char *const parts[] = { colours, page, blocks, tables, pictures, patches, elsewhere };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) fputs(parts[i], file);
}
