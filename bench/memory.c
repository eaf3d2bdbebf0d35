/* memory.c - reported memory, and the growth of the process. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

void section_memory(bench *b)
{
    static const column COLUMNS[] = {
        { "kind", "kind", 9, COLUMN_TEXT },
        { "energy", "energy", 6, 1 },
        { "minimizer", "minimizer", 9, 1 },
        { "sum", "sum", 6, 1 },
        { "limit", "limit", 5, 0 },
        { "resident", "process grew by", 15, 1 },
        { "within", "within", 6, COLUMN_TEXT },
    };
    const image_size *size = &SIZES[b->quick ? 1 : 2];
    char title[128];
    snprintf(title, sizeof title, "Memory, bytes per pixel at %s", size->name);
    report_table(&b->report, "memory", title, LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < KINDS_END; i++) {
        const recipe wanted = kind_recipe(&KINDS[i], size);
        instance p = instance_generate(&wanted, 1);
        memory_settle();
        const double pixels = (double)p.n, before = memory_resident();
        const outcome o = solve(&p, NULL);
        const double grew = memory_peak() - before, held = (double)o.result.bytes;
        report_row(&b->report, (cell[]){ { .text = KINDS[i].name },
                                         { .number = (o.bytes - held) / pixels },
                                         { .number = held / pixels },
                                         { .number = o.bytes / pixels },
                                         { .number = wanted.bytes_limit },
                                         { .number = grew / pixels },
                                         { .text = within(NAN, NAN, o.bytes / pixels, wanted.bytes_limit) } });
        instance_free(&p);
    }
    report_table_end(&b->report);
}
