/* table.h: tables on a terminal. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <marrow/text.h>

#define CLI_TABLE_COLUMNS 7

/* A table whose columns get their widths from all cells. Zero-initialise, then set title and heads.
 */
typedef struct cli_table {
    const char *title;
    const char *heads[CLI_TABLE_COLUMNS]; /* NULL: no more columns; a leading '>' aligns right */
    mrw_text cells;                       /* texts of all cells, each with its NUL */
    uint32_t count;                       /* number of cells so far */
} cli_table;

/* Adds a cell, row by row. A name is escaped; "-" stands for an empty one. */
void cli_table_text(cli_table *t, const char *text);
void cli_table_name(cli_table *t, const char *name);
void cli_table_number(cli_table *t, uint64_t value);
void cli_table_fixed(cli_table *t, double value, int decimals);

/* Writes and frees a table. One without rows is left out. */
void cli_table_print(cli_table *t, mrw_text *out);

#endif
