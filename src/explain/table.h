/* table.h: tables on a terminal. */
#ifndef MRWI_EXPLAIN_TABLE_H
#define MRWI_EXPLAIN_TABLE_H

#include "marrow/text.h"

#define MRWI_EXPLAIN_TABLE_COLUMNS 7

/* A table whose columns get their widths from all cells. Zero-initialise, then set title and heads.
 */
typedef struct mrwi_explain_table {
    const char *title;
    /* NULL: no more columns; a leading '>' aligns right. */
    const char *heads[MRWI_EXPLAIN_TABLE_COLUMNS];
    mrw_text cells; /* texts of all cells, each with its NUL */
    uint32_t count; /* number of cells so far */
} mrwi_explain_table;

/* Adds a cell, row by row. A name is escaped; "-" stands for an empty one. */
void mrwi_explain_table_text(mrwi_explain_table *t, const char *text);
void mrwi_explain_table_name(mrwi_explain_table *t, const char *name);
void mrwi_explain_table_number(mrwi_explain_table *t, uint64_t value);
void mrwi_explain_table_fixed(mrwi_explain_table *t, double value, int decimals);

/* Writes and frees a table. One without rows is left out. */
void mrwi_explain_table_print(mrwi_explain_table *t, mrw_text *out);

#endif
