/* tables.c: the results of `marrow bench` as JSON, or as Markdown tables, which are readable on a
 * terminal, too. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the machine ----------------------------------------------------------------------------- */

#define COMPILER_TEXT_(x) #x
#define COMPILER_TEXT(x)  COMPILER_TEXT_(x)
#if defined(__clang__)
static const char compiler[] = "clang " COMPILER_TEXT(__clang_major__);
#else
static const char compiler[] = "gcc " COMPILER_TEXT(__GNUC__);
#endif

#if defined(__OPTIMIZE__) && defined(NDEBUG)
static const bool optimized = true;
#else
static const bool optimized = false;
#endif

static void add_machine(const bench_results *results, const char *cpu, mrw_text *out)
{
    int cores = mrw_cpu_count();
    mrw_text_add(out, "%s, %d %s", cpu[0] ? cpu : "Unknown CPU", cores,
                 cores == 1 ? "core" : "cores");
    if (results->load >= 0.0) {
        mrw_text_add(out, " (load before: ");
        mrw_text_fixed(out, results->load, 1);
        mrw_text_add(out, ")");
    }
    mrw_text_add(out, ", kernels in use: %s. marrow %s, %s%s. Copying %s",
                 mrw_isa_name(results->isas[0]), MRW_VERSION, compiler,
                 optimized ? "" : " without optimisation: the figures mean little",
                 "256 KiB blocks: ");
    mrw_text_fixed(out, results->copy_speed[0], 1);
    mrw_text_add(out, " GB/s, 128 MiB: ");
    mrw_text_fixed(out, results->copy_speed[1], 1);
    mrw_text_add(out, " GB/s.\n");
}

/* ---- Markdown -------------------------------------------------------------------------------- */

#define MOST_COLUMNS (MRW_ISA_COUNT + 4)
#define CELL         128

typedef struct table {
    int columns, rows;
    bool right[MOST_COLUMNS]; /* align a column of numbers to the right */
    char (*cells)[MOST_COLUMNS][CELL];
} table;

static bool table_make(table *t, int columns, size_t most_rows)
{
    memset(t, 0, sizeof *t);
    t->columns = columns;
    t->cells = calloc(most_rows, sizeof *t->cells);
    return t->cells;
}

static char *cell(table *t, int column)
{
    return t->cells[t->rows][column];
}

static size_t column_width(const table *t, int column)
{
    size_t width = 3;
    for (int r = 0; r < t->rows; r++) {
        size_t length = strlen(t->cells[r][column]);
        width = length > width ? length : width;
    }
    return width;
}

static void table_print(const table *t, mrw_text *out)
{
    for (int r = 0; r < t->rows; r++) {
        for (int c = 0; c < t->columns; c++) {
            int width = (int)column_width(t, c);
            mrw_text_add(out, "| %*s ", t->right[c] ? width : -width, t->cells[r][c]);
        }
        mrw_text_add(out, "|\n");
        for (int c = 0; c < t->columns && r == 0; c++) {
            mrw_text_add(out, "|-%.*s%c", (int)column_width(t, c),
                         "-----------------------------------------------------------------------"
                         "---------------------------------------------------------",
                         t->right[c] ? ':' : '-');
        }
        mrw_text_add(out, "%s", r == 0 ? "|\n" : "");
    }
}

/* Lists the yardsticks of a row: "plain-loop 10.05 (5.3x), copy 0.41 (0.2x)". */
static void put_yardsticks(const bench_row *row, const bench_ways *ways, char *out)
{
    size_t length = 0;
    for (int w = 0; w < ways->count; w++) {
        const bench_way *way = &ways->way[w];
        if (way->isa == MRW_ISA_AUTO) {
            char value[32], ratio[32];
            double times = way->median / ways->way[0].median;
            mrw_format_fixed(way->median, row->decimals, value);
            mrw_format_fixed(times, times < 9.95 ? times < 0.095 ? 2 : 1 : 0, ratio);
            length += (size_t)snprintf(out + length, CELL - length, "%s%s %s (%sx)",
                                       length > 0 ? ", " : "", way->name, value, ratio);
        }
    }
}

static void print_rows(const bench_results *results, mrw_text *out)
{
    table t;
    if (!table_make(&t, 3 + results->isa_count, BENCH_ROWS + 1)) {
        out->failed = true;
        return;
    }
    snprintf(cell(&t, 0), CELL, "row");
    snprintf(cell(&t, 1), CELL, "work, unit");
    for (int i = 0; i < results->isa_count; i++) {
        snprintf(cell(&t, 2 + i), CELL, "%s", mrw_isa_name(results->isas[i]));
        t.right[2 + i] = true;
    }
    snprintf(cell(&t, 2 + results->isa_count), CELL, "reference (to %s)",
             mrw_isa_name(results->isas[0]));
    t.rows = 1;
    for (size_t r = 0; r < BENCH_ROWS; r++) {
        const bench_row *row = &bench_rows[r];
        if (results->rows[r].count == 0) {
            continue;
        }
        snprintf(cell(&t, 0), CELL, "%s", row->name);
        snprintf(cell(&t, 1), CELL, "%s, %s", row->work, row->unit);
        for (int i = 0; i < results->isa_count; i++) {
            char number[32];
            mrw_format_fixed(results->rows[r].way[i].median, row->decimals, number);
            snprintf(cell(&t, 2 + i), CELL, "%s", number);
        }
        put_yardsticks(row, &results->rows[r], cell(&t, 2 + results->isa_count));
        t.rows++;
    }
    if (t.rows > 1) {
        mrw_text_add(out, "\n");
        table_print(&t, out);
    }
    free(t.cells);
}

/* Writes a size such as 30,000; a width as the size of the picture, 1280x720. */
static void put_size(const bench_growth *growth, uint32_t value, char out[32])
{
    if (growth->size == BENCH_WIDTH) {
        snprintf(out, 32, "%ux%u", value, BENCH_HEIGHT(value));
    } else if (value >= 1000000) {
        snprintf(out, 32, "%u,%03u,%03u", value / 1000000, value / 1000 % 1000, value % 1000);
    } else if (value >= 1000) {
        snprintf(out, 32, "%u,%03u", value / 1000, value % 1000);
    } else {
        snprintf(out, 32, "%u", value);
    }
}

static void print_growths(const bench_results *results, mrw_text *out)
{
    table t;
    if (!table_make(&t, 2 + BENCH_POINTS, BENCH_GROWTHS + 1)) {
        out->failed = true;
        return;
    }
    snprintf(cell(&t, 0), CELL, "row");
    snprintf(cell(&t, 1), CELL, "work, unit");
    for (int p = 0; p < BENCH_POINTS; p++) {
        snprintf(cell(&t, 2 + p), CELL, "%s", p == 0 ? "size: cost" : "");
    }
    t.rows = 1;
    for (size_t g = 0; g < BENCH_GROWTHS; g++) {
        const bench_growth *growth = &bench_growths[g];
        if (results->growths[g][0].runs == 0) {
            continue;
        }
        snprintf(cell(&t, 0), CELL, "%s", growth->row.name);
        snprintf(cell(&t, 1), CELL, "%s, %s", growth->row.work, growth->row.unit);
        for (int p = 0; p < BENCH_POINTS; p++) {
            char size[32], number[32];
            put_size(growth, growth->at[p], size);
            mrw_format_fixed(results->growths[g][p].median, growth->row.decimals, number);
            snprintf(cell(&t, 2 + p), CELL, "%s: %s", size, number);
        }
        t.rows++;
    }
    if (t.rows > 1) {
        mrw_text_add(out, "\n");
        table_print(&t, out);
    }
    free(t.cells);
}

void bench_results_tables(const bench_results *results, const char *cpu, mrw_text *out)
{
    add_machine(results, cpu, out);
    print_rows(results, out);
    print_growths(results, out);
}

void bench_list(const bench_choice *chosen, mrw_text *out)
{
    for (size_t r = 0; r < BENCH_ROWS; r++) {
        if (chosen->rows[r]) {
            mrw_text_add(out, "%-20s  %s, %s\n", bench_rows[r].name, bench_rows[r].work,
                         bench_rows[r].unit);
        }
    }
    for (size_t g = 0; g < BENCH_GROWTHS; g++) {
        if (chosen->growths[g]) {
            mrw_text_add(out, "%-20s  %s, %s\n", bench_growths[g].row.name,
                         bench_growths[g].row.work, bench_growths[g].row.unit);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Rounds to four decimals: more are noise. */
static void json_number(mrw_json *json, const char *key, double value)
{
    mrw_json_double(mrw_json_key(json, key), floor(value * 1e4 + 0.5) / 1e4);
}

static void json_machine(const bench_results *results, const char *cpu, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "machine"), '{');
    mrw_json_string(mrw_json_key(json, "cpu"), cpu[0] ? cpu : NULL);
    mrw_json_uint(mrw_json_key(json, "cores"), (uint64_t)mrw_cpu_count());
    mrw_json_key(json, "load");
    results->load >= 0.0 ? mrw_json_double(json, results->load) : mrw_json_null(json);
    mrw_json_string(mrw_json_key(json, "kernels"), mrw_isa_name(results->isas[0]));
    mrw_json_open(mrw_json_key(json, "isas"), '[');
    for (int i = 0; i < results->isa_count; i++) {
        mrw_json_string(json, mrw_isa_name(results->isas[i]));
    }
    mrw_json_close(json, ']');
    mrw_json_string(mrw_json_key(json, "compiler"), compiler);
    mrw_json_bool(mrw_json_key(json, "optimized"), optimized);
    mrw_json_open(mrw_json_key(json, "copy"), '[');
    for (size_t i = 0; i < BENCH_COPIES; i++) {
        mrw_json_open(json, '{');
        mrw_json_uint(mrw_json_key(json, "bytes"), bench_copies[i]);
        json_number(json, "gb_per_second", results->copy_speed[i]);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
}

static const char *size_name(int size)
{
    static const char *const names[BENCH_SIZES] = {
        [BENCH_VERTICES] = "vertices",   [BENCH_INFLUENCES] = "influences",
        [BENCH_TRIANGLES] = "triangles", [BENCH_WIDTH] = "width",
        [BENCH_SAMPLES] = "samples",     [BENCH_JOINTS] = "joints",
        [BENCH_LIGHTS] = "lights",       [BENCH_THREADS] = "threads"};
    return names[size];
}

/* Opens an object and adds the name, work, unit and sizes of a row, without the size `but`. */
static void json_row_head(const bench_row *row, int but, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_string(mrw_json_key(json, "name"), row->name);
    mrw_json_string(mrw_json_key(json, "work"), row->work);
    mrw_json_string(mrw_json_key(json, "unit"), row->unit);
    mrw_json_string(mrw_json_key(json, "better"), row->higher ? "higher" : "lower");
    mrw_json_open(mrw_json_key(json, "sizes"), '{');
    for (int s = 0; s < BENCH_SIZES; s++) {
        if (row->sizes[s] > 0 && s != but) {
            mrw_json_uint(mrw_json_key(json, size_name(s)), row->sizes[s]);
        }
    }
    mrw_json_close(json, '}');
}

static void json_figure(const bench_way *way, mrw_json *json)
{
    json_number(json, "median", way->median);
    json_number(json, "best", way->best);
    mrw_json_uint(mrw_json_key(json, "runs"), (uint64_t)way->runs);
}

static void json_row(const bench_row *row, const bench_ways *ways, mrw_json *json)
{
    json_row_head(row, -1, json);
    for (int yardsticks = 0; yardsticks < 2; yardsticks++) {
        mrw_json_open(mrw_json_key(json, yardsticks ? "yardsticks" : "figures"), '[');
        for (int w = 0; w < ways->count; w++) {
            const bench_way *way = &ways->way[w];
            if ((way->isa == MRW_ISA_AUTO) == (yardsticks == 1)) {
                mrw_json_open(json, '{');
                mrw_json_string(mrw_json_key(json, yardsticks ? "name" : "isa"), way->name);
                json_figure(way, json);
                if (yardsticks) {
                    json_number(json, "ratio", way->median / ways->way[0].median);
                }
                mrw_json_close(json, '}');
            }
        }
        mrw_json_close(json, ']');
    }
    mrw_json_close(json, '}');
}

static void json_growth(const bench_growth *growth, const bench_way *points, mrw_json *json)
{
    json_row_head(&growth->row, growth->size, json);
    mrw_json_string(mrw_json_key(json, "isa"), points[0].name);
    mrw_json_string(mrw_json_key(json, "of"), size_name(growth->size));
    mrw_json_open(mrw_json_key(json, "points"), '[');
    for (int p = 0; p < BENCH_POINTS; p++) {
        mrw_json_open(json, '{');
        mrw_json_uint(mrw_json_key(json, "at"), growth->at[p]);
        json_figure(&points[p], json);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
}

void bench_results_json(const bench_results *results, const char *cpu, bool quick, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "schema"), 1);
    mrw_json_string(mrw_json_key(json, "version"), MRW_VERSION);
    json_machine(results, cpu, json);
    mrw_json_bool(mrw_json_key(json, "quick"), quick);
    mrw_json_open(mrw_json_key(json, "rows"), '[');
    for (size_t r = 0; r < BENCH_ROWS; r++) {
        if (results->rows[r].count > 0) {
            json_row(&bench_rows[r], &results->rows[r], json);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_open(mrw_json_key(json, "growth"), '[');
    for (size_t g = 0; g < BENCH_GROWTHS; g++) {
        if (results->growths[g][0].runs > 0) {
            json_growth(&bench_growths[g], results->growths[g], json);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    mrw_json_line(json);
}
