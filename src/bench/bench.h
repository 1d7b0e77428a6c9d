/* bench.h: the measurements of `marrow bench`: the rows, the choice of rows, their figures, and
 * tables of them. The command calls bench_run once and prints a table; this room prints nothing.
 *
 * A row is a piece of work on generated input. The kernels of each instruction set do it in turn.
 * In the same run yardsticks (a copy of as many bytes, stb_image_write, ...) are measured, so that
 * ratios mean something on any machine.
 */
#ifndef MARROW_BENCH_H
#define MARROW_BENCH_H

#include <marrow/json.h>
#include <marrow/options.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* Sizes of a row's input. A row gives the ones that it uses. */
enum {
    BENCH_VERTICES,
    BENCH_INFLUENCES,
    BENCH_TRIANGLES,
    BENCH_WIDTH, /* width of a 16:9 picture */
    BENCH_SAMPLES,
    BENCH_JOINTS,
    BENCH_LIGHTS,
    BENCH_THREADS,
    BENCH_SIZES
};

#define BENCH_HEIGHT(width) ((width) / 16 * 9)

typedef struct bench bench;
typedef struct bench_row bench_row;

/* One contestant of a row: the kernels of an instruction set, or a yardstick. */
typedef mrw_status (*bench_work)(void *data, mrw_isa isa, mrw_error *error);

typedef struct bench_way {
    const char *name; /* name of the instruction set or yardstick */
    mrw_isa isa;      /* MRW_ISA_AUTO: a yardstick */
    bench_work work;
    double median; /* seconds per call; after bench_scale the row's unit */
    double best;   /* best value, in the same unit */
    int runs;      /* number of measurements; 0: not run */
} bench_way;

#define BENCH_MOST_WAYS (MRW_ISA_COUNT + 2)

typedef struct bench_ways {
    bench_way way[BENCH_MOST_WAYS];
    int count; /* kernels come first, the fastest instruction set at the top, then yardsticks */
} bench_ways;

typedef struct bench_row {
    const char *name;
    const char *work; /* description of the work in the table */
    const char *unit;
    bool higher;  /* more is better */
    int decimals; /* decimals of figures in the table */
    /* Fills in *out, which is zeroed: a contestant for each instruction set of b, then yardsticks.
     * A failure leaves *out undefined. */
    mrw_status (*run)(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
    uint32_t choice; /* variant of the work; its meaning depends on `run` */
    uint32_t sizes[BENCH_SIZES];
} bench_row;

#define BENCH_POINTS 4

/* A series of rows that shows how the cost of `row` grows with one of its sizes. */
typedef struct bench_growth {
    bench_row row;
    int size;                  /* the size that grows: BENCH_VERTICES ... */
    uint32_t at[BENCH_POINTS]; /* its values */
} bench_growth;

#define BENCH_ROWS    47
#define BENCH_GROWTHS 9

/* All rows, in the order in which they run and are printed. Names are stable. */
extern const bench_row bench_rows[BENCH_ROWS];
extern const bench_growth bench_growths[BENCH_GROWTHS];

/* ---- running them ---------------------------------------------------------------------------- */

typedef struct bench_choice {
    bool rows[BENCH_ROWS];
    bool growths[BENCH_GROWTHS];
    uint32_t count; /* number of rows and growths that are chosen */
} bench_choice;

/* Finds the rows and growths that names stand for: a whole name is that row alone. Anything else is
 * the beginning of names, up to a dash, or a pattern. No names choose all. */
mrw_status bench_choose(const mrw_text_list *names, bench_choice *out, mrw_error *error);

typedef struct bench_job {
    bench_choice choice;
    /* The only instruction set to measure. MRW_ISA_AUTO: the one that MARROW_ISA names, or without
     * that variable all that this machine has. */
    mrw_isa isa;
    bool quick;                /* measure with as few calls as possible */
    bool (*stopped)(void);     /* called often; true ends the run with MRW_ERROR_CANCELLED */
    void (*row_is_done)(void); /* called once for each chosen row and growth */
} bench_job;

/* Sizes of the blocks whose copy measures the speed of memory: the first fits into the caches of a
 * core, the second into no cache. */
#define BENCH_COPIES 2
extern const size_t bench_copies[BENCH_COPIES]; /* bytes */

typedef struct bench_results {
    mrw_isa isas[MRW_ISA_COUNT]; /* the instruction sets that were measured, the fastest first */
    int isa_count;
    double load;                 /* load average of the minute before; below 0: not known */
    bench_ways rows[BENCH_ROWS]; /* count 0: not run */
    bench_way growths[BENCH_GROWTHS][BENCH_POINTS]; /* runs 0: not run */
    double copy_speed[BENCH_COPIES];                /* GB per second; 0: out of memory */
} bench_results;

/* Runs the rows that the job has chosen. Files go to a folder below TMPDIR, which is removed at the
 * end. *out is large: let it be static. */
mrw_status bench_run(const bench_job *job, bench_results *out, mrw_error *error);

/* ---- tables.c -------------------------------------------------------------------------------- */

/* Adds the machine and all measured rows as Markdown, or as an answer in JSON. cpu: the name of the
 * CPU, or "". */
void bench_results_tables(const bench_results *results, const char *cpu, mrw_text *out);
void bench_results_json(const bench_results *results, const char *cpu, bool quick, mrw_json *json);
/* Adds a line per chosen row: its name, work and unit. */
void bench_list(const bench_choice *chosen, mrw_text *out);

#endif
