/* bench.h: what `marrow bench` measures: the rows, which of them are wanted, their figures. The
 * command calls bench_run once and prints; this room prints nothing.
 *
 * A row is a piece of work on generated input. It is done by the kernels of each instruction set in
 * turn and by yardsticks (a copy of as many bytes, stb_image_write, ...) in the same run, so that
 * ratios mean something on any machine.
 */
#ifndef MARROW_BENCH_H
#define MARROW_BENCH_H

#include <marrow/options.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* How large the input of a row is; a row states what it needs. */
enum {
    BENCH_VERTICES,
    BENCH_INFLUENCES,
    BENCH_TRIANGLES,
    BENCH_WIDTH, /* of a picture of 16:9 */
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
    const char *name; /* of the instruction set or yardstick */
    mrw_isa isa;      /* MRW_ISA_AUTO: a yardstick */
    bench_work work;
    double median; /* seconds a call until bench_scale; then in the row's unit */
    double best;
    int runs;
} bench_way;

#define BENCH_MOST_WAYS (MRW_ISA_COUNT + 2)

typedef struct bench_ways {
    bench_way way[BENCH_MOST_WAYS];
    int count; /* kernels first, the fastest first of all, then yardsticks */
} bench_ways;

typedef struct bench_row {
    const char *name;
    const char *work; /* what is done, as the table shows it */
    const char *unit;
    bool higher;  /* more is better */
    int decimals; /* of the table */
    /* Fills in *out, which is zeroed: a contestant for each of b's instruction sets, then
     * yardsticks */
    mrw_status (*run)(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
    uint32_t choice; /* what else `run` must know */
    uint32_t sizes[BENCH_SIZES];
} bench_row;

/* How the cost of `row` grows with one of its sizes. */
#define BENCH_POINTS 4

typedef struct bench_growth {
    bench_row row;
    int size; /* BENCH_... */
    uint32_t at[BENCH_POINTS];
} bench_growth;

#define BENCH_ROWS    42
#define BENCH_GROWTHS 9

/* In the order in which they run and are told. Names are stable. */
extern const bench_row bench_rows[BENCH_ROWS];
extern const bench_growth bench_growths[BENCH_GROWTHS];

/* ---- running them ---------------------------------------------------------------------------- */

typedef struct bench_choice {
    bool rows[BENCH_ROWS];
    bool growths[BENCH_GROWTHS];
    uint32_t count; /* of both */
} bench_choice;

/* The rows and growths that names mean: a whole name is that row alone, else it is the beginning of
 * names, up to a dash, or a pattern. No names: all. */
mrw_status bench_choose(const mrw_text_list *names, bench_choice *out, mrw_error *error);

typedef struct bench_job {
    bench_choice choice;
    mrw_isa isa; /* this one alone; MRW_ISA_AUTO: MARROW_ISA's, else all that this machine has */
    bool quick;  /* each figure from as few calls as there can be */
    bool (*stopped)(void);     /* asked often: true ends the run with MRW_ERROR_CANCELLED */
    void (*row_is_done)(void); /* once for each that was chosen */
} bench_job;

/* Blocks that are copied to see how fast memory is: one that lies in the caches of a core, and one
 * that lies in no cache. */
#define BENCH_COPIES 2
extern const size_t bench_copies[BENCH_COPIES]; /* bytes */

typedef struct bench_results {
    mrw_isa isas[MRW_ISA_COUNT]; /* that were measured, the fastest first */
    int isa_count;
    double load; /* average of the minute before: what else the machine does; below 0: not known */
    bench_ways rows[BENCH_ROWS];                    /* count 0: not run */
    bench_way growths[BENCH_GROWTHS][BENCH_POINTS]; /* runs 0: not run */
    double copy_speed[BENCH_COPIES];                /* GB a second; 0: out of memory */
} bench_results;

/* Measures what the job has chosen. Files go to a folder below TMPDIR, which is removed at the end.
 * *out is large: let it be static. */
mrw_status bench_run(const bench_job *job, bench_results *out, mrw_error *error);

#endif
