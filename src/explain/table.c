/* table.c: tables on a terminal. */
#include "explain/table.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define WIDEST 40 /* widest column on a terminal; longer texts get a line of their own */

void mrwi_explain_table_text(mrwi_explain_table *t, const char *text)
{
    mrw_text_put(&t->cells, text, strlen(text) + 1);
    t->count++;
}

void mrwi_explain_table_name(mrwi_explain_table *t, const char *name)
{
    char safe[256];
    mrwi_base_escape(name[0] ? name : "-", safe, sizeof safe);
    mrwi_explain_table_text(t, safe);
}

void mrwi_explain_table_number(mrwi_explain_table *t, uint64_t value)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)value);
    mrwi_explain_table_text(t, number);
}

void mrwi_explain_table_fixed(mrwi_explain_table *t, double value, int decimals)
{
    char number[32];
    mrwi_base_format_fixed(value, decimals, number);
    mrwi_explain_table_text(t, number);
}

/* Writes all rows. After a text that is too wide for its column a new line begins. */
static void print_rows(const mrwi_explain_table *t, uint32_t columns, const int *widths,
                       mrw_text *out)
{
    const char *p = t->cells.data;
    for (uint32_t i = 0, from = 0; i < columns + t->count; i++) {
        const uint32_t c = i % columns;
        const bool right = t->heads[c][0] == '>', last = c + 1 == columns;
        const char *text = i < columns ? t->heads[c] + right : p;
        from = c == 0 ? 2 : from + 2;
        const int shown = mrw_text_columns(text), width = widths[c];
        const int pad = shown < width ? width - shown : 0;
        mrw_text_add(out, "  %*s%s", right ? pad : 0, "", text);
        if (last) {
            mrw_text_puts(out, "\n");
        } else if (shown > width) {
            mrw_text_add(out, "\n%*s", (int)from + width, "");
        } else if (!right) {
            mrw_text_add(out, "%*s", pad, "");
        }
        from += (uint32_t)width;
        p += i < columns ? 0 : strlen(p) + 1;
    }
}

void mrwi_explain_table_print(mrwi_explain_table *t, mrw_text *out)
{
    uint32_t columns = 0;
    int widths[MRWI_EXPLAIN_TABLE_COLUMNS];
    while (columns < MRWI_EXPLAIN_TABLE_COLUMNS && t->heads[columns]) {
        columns++;
    }
    if (t->cells.failed) {
        out->failed = true;
    } else if (t->count > 0) {
        const char *p = t->cells.data;
        for (uint32_t c = 0; c < columns; c++) {
            widths[c] = mrw_text_columns(t->heads[c]) - (t->heads[c][0] == '>');
        }
        for (uint32_t i = 0; i < t->count; i++, p += strlen(p) + 1) {
            int width = mrw_text_columns(p);
            int *widest = &widths[i % columns];
            *widest = width > *widest ? (width < WIDEST ? width : WIDEST) : *widest;
        }
        mrw_text_add(out, "\n%s (%u)\n", t->title, t->count / columns);
        print_rows(t, columns, widths, out);
    }
    mrw_text_free(&t->cells);
}
