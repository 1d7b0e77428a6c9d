/* bench_skin.c: what skinning costs, in ns a vertex, for every instruction set of this machine.
 *
 * Positions and normals of 30,000 and of 1,000,000 vertices, with 1, 2, 4 and 8 influences among 67
 * joints, neighbours sharing joints as they do in a mesh. Beside the kernels run a plain loop, as a
 * tutorial has it, and a memcpy of as many bytes as skinning reads and writes, all in turn, so that
 * ratios hold on a busy machine, too. Each figure is the median of several runs' processor time.
 *
 * Usage: bench_skin [ISA]
 */
#include "marrow/skin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_VERTICES 1000000u
#define MAX_COUNT    8u
#define JOINTS       67u
#define RUNS         41
#define RUN_VERTICES 300000u /* at least, in one run */

#define COPY_BYTES(count) ((2 * 12 + 2 * 16 + 6 * (count)) / 2)
#define MAX_COPY          (MAX_VERTICES * COPY_BYTES(MAX_COUNT))

typedef struct work {
    _Alignas(64) mrw_mat4 palette[JOINTS];
    mrw_dual_quaternion motions[JOINTS];
    float *positions, *normals, *out_positions, *out_normals, *weights;
    uint16_t *joints;
    char *copy;
} work;

static work the_work;

/* ---- input ----------------------------------------------------------------------------------- */

static float random_unit(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

/* Written, so that every page is there. */
static void *make_array(size_t size)
{
    void *out = aligned_alloc(64, (size + 127) / 64 * 64);
    if (out == NULL)
        exit(1);
    memset(out, 0, (size + 127) / 64 * 64);
    return out;
}

static float *make_floats(size_t count)
{
    float *out = make_array(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = random_unit();
    return out;
}

static void make_work(work *w)
{
    for (uint32_t j = 0; j < JOINTS; j++) {
        for (int k = 0; k < 16; k++)
            w->palette[j].m[k] = k == 15 ? 1.0f : k % 4 == 3 ? 0.0f : random_unit();
        for (int k = 0; k < 4; k++) {
            w->motions[j].real[k] = random_unit();
            w->motions[j].dual[k] = random_unit();
        }
    }
    w->positions = make_floats(3 * (size_t)MAX_VERTICES);
    w->normals = make_floats(3 * (size_t)MAX_VERTICES);
    w->out_positions = make_array(MAX_VERTICES * 4 * sizeof(float));
    w->out_normals = make_array(MAX_VERTICES * 4 * sizeof(float));
    w->weights = make_array(MAX_VERTICES * MAX_COUNT * sizeof(float));
    w->joints = make_array(MAX_VERTICES * MAX_COUNT * sizeof(uint16_t));
    w->copy = make_array(2 * MAX_COPY);
}

/* Sixty vertices in a row hang on joints near to each other. */
static void make_influences(work *w, uint32_t count)
{
    for (uint32_t v = 0; v < MAX_VERTICES; v++) {
        const uint32_t base = v / 60u * 7u;
        float sum = 0.0f;
        for (uint32_t i = 0; i < count; i++) {
            w->joints[v * count + i] =
                (uint16_t)((base + (uint32_t)(5.0f + 4.9f * random_unit())) % JOINTS);
            sum += w->weights[v * count + i] = 1.1f + random_unit();
        }
        for (uint32_t i = 0; i < count; i++)
            w->weights[v * count + i] /= sum;
    }
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* The loop of a tutorial's shader: a matrix a vertex, then matrix times vector. */
static void plain_loop(const work *w, size_t vertex_count, size_t count)
{
    for (size_t v = 0; v < vertex_count; v++) {
        float m[16] = {0};
        for (size_t i = 0; i < count; i++) {
            const float weight = w->weights[v * count + i];
            const float *joint = w->palette[w->joints[v * count + i]].m;
            for (int k = 0; k < 16; k++)
                m[k] += weight * joint[k];
        }
        const float *p = w->positions + 3 * v, *n = w->normals + 3 * v;
        float *out_p = w->out_positions + 4 * v, *out_n = w->out_normals + 4 * v;
        for (int r = 0; r < 4; r++) {
            out_p[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
            out_n[r] = m[r] * n[0] + m[4 + r] * n[1] + m[8 + r] * n[2];
        }
    }
}

/* Reads and writes as many bytes as skinning does in all: two float[3] in, two float[4] out, and
 * the influences. */
static void copy_loop(const work *w, size_t vertex_count, size_t count)
{
    memcpy(w->copy, w->copy + MAX_COPY, vertex_count * COPY_BYTES(count));
    __asm__ volatile("" ::: "memory");
}

enum way { PLAIN, COPY, KERNELS, DUAL };

static void run_way(work *w, enum way way, mrw_isa isa, uint32_t vertex_count, uint32_t count)
{
    if (way == PLAIN) {
        plain_loop(w, vertex_count, count);
        return;
    }
    if (way == COPY) {
        copy_loop(w, vertex_count, count);
        return;
    }
    const mrw_skin_group group = {0, vertex_count, count, w->joints, w->weights};
    const mrw_skin_job job = {.groups = &group,
                              .group_count = 1,
                              .palette = w->palette,
                              .motions = way == DUAL ? w->motions : NULL,
                              .positions = w->positions,
                              .normals = w->normals,
                              .out_positions = w->out_positions,
                              .out_normals = w->out_normals,
                              .isa = isa};
    mrw_skin_vertices(&job);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Processor time: what others on the machine take is not counted. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

typedef struct contestant {
    const char *name;
    enum way way;
    mrw_isa isa;
} contestant;

#define MAX_CONTESTANTS (2 + 2 * MRW_ISA_COUNT)

static size_t list_contestants(mrw_isa only, contestant out[MAX_CONTESTANTS])
{
    size_t n = 0;
    out[n++] = (contestant){"plain", PLAIN, MRW_ISA_SCALAR};
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa) && (only == MRW_ISA_AUTO || only == (mrw_isa)isa))
            out[n++] = (contestant){mrw_isa_name((mrw_isa)isa), KERNELS, (mrw_isa)isa};
    }
    out[n++] = (contestant){"memcpy", COPY, MRW_ISA_SCALAR};
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa) && (only == MRW_ISA_AUTO || only == (mrw_isa)isa))
            out[n++] = (contestant){mrw_isa_name((mrw_isa)isa), DUAL, (mrw_isa)isa};
    }
    return n;
}

static void bench(work *w, const contestant *list, size_t n, uint32_t vertex_count, uint32_t count)
{
    static double runs[MAX_CONTESTANTS][RUNS];
    const uint32_t repeats = (RUN_VERTICES + vertex_count - 1) / vertex_count;
    for (int run = -1; run < RUNS; run++) { /* the first warms up */
        for (size_t c = 0; c < n; c++) {
            run_way(w, list[c].way, list[c].isa, vertex_count, count);
            const double start = now();
            for (uint32_t k = 0; k < repeats; k++)
                run_way(w, list[c].way, list[c].isa, vertex_count, count);
            if (run >= 0)
                runs[c][run] = (now() - start) * 1e9 / repeats / vertex_count;
        }
    }
    printf("  %9u %10u", vertex_count, count);
    for (size_t c = 0; c < n; c++)
        printf(" %7.2f", median(runs[c], RUNS));
    printf("\n");
}

int main(int argc, char **argv)
{
    static const uint32_t vertex_counts[] = {30000, MAX_VERTICES}, counts[] = {1, 2, 4, MAX_COUNT};
    contestant list[MAX_CONTESTANTS];
    mrw_isa only = MRW_ISA_AUTO;
    if (argc > 1 && !(mrw_isa_from_name(argv[1], &only) && mrw_isa_available(only))) {
        fprintf(stderr, "bench_skin: no instruction set %s here\n", argv[1]);
        return 77;
    }
    const size_t n = list_contestants(only, list);
    make_work(&the_work);
    printf("Skinning positions and normals in ns a vertex, one core, median of %d runs; right of\n"
           "memcpy: dual quaternions\n  %9s %10s",
           RUNS, "vertices", "influences");
    for (size_t c = 0; c < n; c++)
        printf(" %7s", list[c].name);
    printf("\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        make_influences(&the_work, counts[i]);
        for (size_t k = 0; k < sizeof vertex_counts / sizeof *vertex_counts; k++)
            bench(&the_work, list, n, vertex_counts[k], counts[i]);
    }
    return 0;
}
