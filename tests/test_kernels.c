/* test_kernels.c: every kernel of the product in every instruction set of this machine against the
 * scalar one, bit for bit, on random and hostile input, at every short length and alignment; and
 * that no kernel is missing here.
 *
 * `kernels --time`, which `make kernels` runs after the tests, measures them, too. */
#include "kernels.h"
#include "kernels_bytes.h"
#include "kernels_cover.h"
#include "kernels_environment.h"
#include "kernels_flip.h"
#include "kernels_fragments.h"
#include "kernels_front.h"
#include "kernels_occlusion.h"
#include "kernels_pixel.h"
#include "kernels_pose.h"
#include "kernels_shade.h"
#include "kernels_skin.h"

#include <dirent.h>
#include <time.h>

static const kernel_row rows[] = {SKIN_ROWS,        POSE_ROWS,      BYTES_ROWS, FLIP_TABLE,
                                  FRONT_ROWS,       COVER_ROWS,     SHADE_ROWS, FRAGMENTS_ROWS,
                                  ENVIRONMENT_ROWS, OCCLUSION_ROWS, PIXEL_TABLE};

#define ROW_COUNT ((int)(sizeof rows / sizeof *rows))

/* ---- the same bits --------------------------------------------------------------------------- */

START_TEST(every_kernel_gives_the_bits_of_scalar)
{
    const kernel_row *row = &rows[_i / MRW_ISA_COUNT];
    const mrw_isa isa = (mrw_isa)(_i % MRW_ISA_COUNT);
    if (isa == MRW_ISA_AUTO || isa == MRW_ISA_SCALAR || !mrw_isa_available(isa)) {
        return;
    }
    number_state = (uint32_t)_i + 1;
    row->check(isa, row->variant);
}
END_TEST

/* ---- none is missing ------------------------------------------------------------------------- */

/* What the names of files end in that are written for one instruction set. */
static bool names_an_instruction_set(const char *name)
{
    static const char *const ends[] = {"_sse2.c", "_avx2.c", "_avx512.c",
                                       "_neon.c", "_f4.c",   "_x86.c"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool file_has(const char *path, const char *word)
{
    static char text[1 << 18];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert_uint_lt(size, sizeof text - 1);
    text[size] = '\0';
    return strstr(text, word);
}

static bool is_checked(const char *path)
{
    const size_t length = (size_t)(strrchr(path, '_') ? strrchr(path, '_') + 1 - path : 0);
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strlen(rows[i].sources) == length && memcmp(rows[i].sources, path, length) == 0) {
            return true;
        }
    }
    return false;
}

/* A member more in a table of kernels is one more to check. */
static void check_table_sizes(void)
{
    static const struct {
        const char *table;
        size_t size, checked;
    } tables[] = {{"mrwi_skin_kernels", sizeof(mrwi_skin_kernels), 12},
                  {"mrwi_anim_pose_kernels", sizeof(mrwi_anim_pose_kernels), 3},
                  {"mrwi_image_png_rows_kernels", sizeof(mrwi_image_png_rows_kernels), 5},
                  {"mrwi_raster_front_kernels", sizeof(mrwi_raster_front_kernels), 2},
                  {"mrwi_raster_cover_kernels", sizeof(mrwi_raster_cover_kernels), 3},
                  {"mrwi_compare_flip_kernels", sizeof(mrwi_compare_flip_kernels), 3},
                  {"mrwi_compare_pixel_kernels", sizeof(mrwi_compare_pixel_kernels), 6},
                  {"mrwi_shade_occlusion_kernels", sizeof(mrwi_shade_occlusion_kernels), 4},
                  {"mrwi_shade_kernels", sizeof(mrwi_shade_kernels), 3 + 3}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        ck_assert_msg(tables[i].size == tables[i].checked * sizeof(void (*)(void)),
                      "%s has another number of kernels than are checked here", tables[i].table);
    }
}

static int look_into(const char *folder, int depth)
{
    int found = 0;
    DIR *dir = opendir(folder);
    ck_assert_msg(dir, "no %s here: run this from the repository's root", folder);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[512];
        const char *dot = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!dot && depth > 0 && e->d_name[0] != '.') {
            found += look_into(path, depth - 1);
        }
        if (!dot || (strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0)) {
            continue;
        }
        if (!names_an_instruction_set(e->d_name) &&
            !file_has(path, "__attribute__((target")) { /* these can hide in any file */
            continue;
        }
        ck_assert_msg(is_checked(path), "%s: no row of test_kernels.c checks its kernels", path);
        found++;
    }
    closedir(dir);
    return found;
}

START_TEST(no_kernel_is_missing)
{
    ck_assert_int_ge(look_into("src", 2), 16);
    check_table_sizes();
    ck_assert(names_an_instruction_set("new_avx512.c") && !is_checked("src/raster/new_avx512.c"));
}
END_TEST

/* ---- timing ---------------------------------------------------------------------------------- */

#define TIMED_RUNS 31

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

static double median(double *values)
{
    qsort(values, TIMED_RUNS, sizeof *values, compare_doubles);
    return values[TIMED_RUNS / 2];
}

static double time_copy(size_t bytes)
{
    static char copy[2][1 << 22];
    ck_assert_uint_le(bytes, 2 * sizeof copy[0]);
    const double start = now();
    memcpy(copy[0], copy[1], bytes / 2);
    __asm__ volatile("" ::: "memory");
    return now() - start;
}

/* Whether it runs other code than the ones before it. */
static bool has_its_own(const kernel_row *row, int isa)
{
    if (isa == MRW_ISA_AUTO || !mrw_isa_available((mrw_isa)isa)) {
        return false;
    }
    for (int other = 0; other < isa; other++) {
        if (other != MRW_ISA_AUTO && mrw_isa_available((mrw_isa)other) &&
            row->table((mrw_isa)other) == row->table((mrw_isa)isa)) {
            return false;
        }
    }
    return true;
}

/* All in turn, so that ratios hold on a busy machine, too. */
static void time_row(const kernel_row *row)
{
    static double times[MRW_ISA_COUNT][TIMED_RUNS], copies[TIMED_RUNS];
    for (int run = -2; run < TIMED_RUNS; run++) { /* the first warm up */
        size_t bytes = 0;
        for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
            if (!has_its_own(row, isa)) {
                continue;
            }
            const double start = now();
            bytes = row->work((mrw_isa)isa, row->variant);
            if (run >= 0) {
                times[isa][run] = now() - start;
            }
        }
        copies[run < 0 ? 0 : run] = time_copy(bytes);
    }
    const double scalar = median(times[MRW_ISA_SCALAR]), copy = median(copies);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        if (has_its_own(row, isa)) {
            const double t = median(times[isa]);
            printf("%-14s %-8s %9.2f us %7.2f of scalar %7.1f of memcpy\n", row->name,
                   mrw_isa_name((mrw_isa)isa), t * 1e6, t / scalar, t / copy);
        }
    }
}

START_TEST(timing)
{
    time_row(&rows[_i]);
    fflush(stdout);
}
END_TEST

static Suite *suite(bool timed)
{
    Suite *s = suite_create("kernels");
    TCase *tc = tcase_create("kernels");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, every_kernel_gives_the_bits_of_scalar, 0, ROW_COUNT * MRW_ISA_COUNT);
    tcase_add_test(tc, no_kernel_is_missing);
    suite_add_tcase(s, tc);
    if (timed) {
        TCase *timings = tcase_create("timings");
        tcase_set_timeout(timings, 60);
        tcase_add_loop_test(timings, timing, 0, ROW_COUNT);
        suite_add_tcase(s, timings);
    }
    return s;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(suite(argc > 1 && strcmp(argv[1], "--time") == 0));
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
