/* test_triangulate.c: polygons with many corners. The triangles of a simple polygon have its area
 * in sum, which they only have if none overlaps another; and each has the polygon's winding. */
#include "test.h"

#include "import/triangulate.c"

#include <marrow/load.h>

static double *points; /* x, y per corner */
static uint32_t corner_count;

static void begin(uint32_t count)
{
    free(points);
    points = malloc(2 * sizeof *points * count);
    corner_count = 0;
}

static void add(double x, double y)
{
    points[2 * corner_count] = x;
    points[2 * corner_count + 1] = y;
    corner_count++;
}

/* In a plane that is turned in space; mirrored: the other winding, seen from the same side. */
static float *place(bool mirrored)
{
    float *out = malloc(3 * sizeof *out * corner_count);
    for (uint32_t i = 0; i < corner_count; i++) {
        const uint32_t from = mirrored ? corner_count - 1 - i : i;
        const double x = points[2 * from], y = points[2 * from + 1];
        out[3 * i] = (float)(0.36 * x - 0.8 * y + 5);
        out[3 * i + 1] = (float)(0.48 * x + 0.6 * y - 2);
        out[3 * i + 2] = (float)(-0.8 * x + 1);
    }
    return out;
}

/* Twice the area, as a vector: of the whole polygon by Newell's formula, of a triangle by a cross
 * product. */
static void area_of(const float *at, const uint32_t *corners, uint32_t count, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *a = at + 3 * (corners ? corners[i] : i);
        const float *b = at + 3 * (corners ? corners[(i + 1) % count] : (i + 1) % count);
        out[0] += (double)a[1] * (double)b[2] - (double)a[2] * (double)b[1];
        out[1] += (double)a[2] * (double)b[0] - (double)a[0] * (double)b[2];
        out[2] += (double)a[0] * (double)b[1] - (double)a[1] * (double)b[0];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t *triangles_of(const float *at)
{
    uint32_t *out = malloc(3 * sizeof *out * corner_count);
    ck_assert(mrwi_import_triangulate(at, corner_count, out));
    for (uint32_t i = 0; i < 3 * (corner_count - 2); i++) {
        ck_assert_uint_lt(out[i], corner_count);
    }
    return out;
}

/* Of a simple polygon. */
static void check(void)
{
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        float *at = place(mirrored);
        uint32_t *out = triangles_of(at);
        uint8_t *used = calloc(corner_count, 1);
        double whole[3], sum = 0;
        area_of(at, NULL, corner_count, whole);
        const double size = sqrt(dot(whole, whole));
        for (uint32_t t = 0; t < corner_count - 2; t++) {
            double part[3];
            area_of(at, out + 3 * t, 3, part);
            const double along = dot(part, whole) / size;
            ck_assert_double_ge(along, -1e-6 * size);
            sum += fabs(along);
            for (uint32_t k = 0; k < 3; k++) {
                used[out[3 * t + k]] = 1;
            }
        }
        ck_assert_double_le(fabs(sum - size), 1e-4 * size);
        for (uint32_t i = 0; i < corner_count; i++) {
            ck_assert_msg(used[i], "corner %u of %u is in no triangle", i, corner_count);
        }
        free(used);
        free(out);
        free(at);
    }
}

#define PI 3.14159265358979323846

START_TEST(small_polygons)
{
    begin(16);
    add(0, 0), add(4, 0), add(4, 1), add(1, 1), add(1, 3), add(4, 3), add(4, 4), add(0, 4);
    check(); /* a C */
    begin(16);
    add(0, 0), add(1, 0), add(2, 0), add(3, 0), add(3, 3), add(2, 3), add(1, 3), add(0, 3),
        add(0, 1.5);
    check(); /* corners on edges */
    begin(4);
    add(0, 0), add(2, 0), add(0, 2);
    check();
}
END_TEST

/* A square with a square hole: an edge leads there and back. */
START_TEST(holes)
{
    begin(16);
    add(0, 0), add(6, 0), add(6, 6), add(0, 6), add(0, 0);
    add(2, 2), add(2, 4), add(4, 4), add(4, 2), add(2, 2);
    check();
}
END_TEST

START_TEST(stars_and_waves)
{
    const uint32_t counts[] = {9, 50, 1001, TEST_ROUNDS(41138u)};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const uint32_t n = counts[c];
        begin(n); /* a circle with waves */
        for (uint32_t i = 0; i < n; i++) {
            const double a = 2 * PI * i / n, r = 1 + 0.3 * sin(37 * a);
            add(r * cos(a), r * sin(a));
        }
        check();
        begin(n); /* a star */
        for (uint32_t i = 0; i < n; i++) {
            const double a = 2 * PI * i / n, r = i % 2 ? 1 : 0.4;
            add(r * cos(a), r * sin(a));
        }
        check();
    }
}
END_TEST

/* A comb with long teeth, and a spiral: ears are few, and triangles long. */
START_TEST(combs_and_spirals)
{
    const uint32_t teeth = TEST_ROUNDS(5000u), turns = 8, steps = TEST_ROUNDS(1000u);
    begin(2 * teeth + 4);
    add(0, -1), add(teeth, -1);
    for (uint32_t i = teeth; i > 0; i--) {
        add(i, 0), add(i - 0.5, 1000);
    }
    check();
    begin(4 * turns * steps);
    for (uint32_t i = 0; i < turns * steps; i++) {
        const double a = 2 * PI * i / steps, r = 1 + a;
        add(r * cos(a), r * sin(a));
    }
    for (uint32_t i = turns * steps; i-- > 0;) {
        const double a = 2 * PI * i / steps, r = 0.5 + a;
        add(r * cos(a), r * sin(a));
    }
    check();
}
END_TEST

/* A saw whose teeth crowd in a millionth of its length: one corner lies far away. */
START_TEST(crowded_corners)
{
    const uint32_t n = TEST_ROUNDS(20000u);
    begin(n + 2);
    for (uint32_t i = 0; i < n; i++) {
        add(i * 1e-3, i % 2 ? 0.02 : 0.01);
    }
    add(n * 1e-3, 1000);
    add(-1, 1000);
    check();
}
END_TEST

/* Polygons without a right answer end, with as many triangles as any. */
START_TEST(bad_polygons)
{
    const uint32_t n = TEST_ROUNDS(6000u);
    uint64_t state = 1;
    begin(n); /* all equal */
    for (uint32_t i = 0; i < n; i++) {
        add(1, 2);
    }
    float *at = place(false);
    free(triangles_of(at));
    free(at);
    begin(n); /* on a line */
    for (uint32_t i = 0; i < n; i++) {
        add(i % 2 ? i : -(double)i, 0);
    }
    at = place(false);
    free(triangles_of(at));
    free(at);
    begin(n); /* crossing itself all over */
    for (uint32_t i = 0; i < n; i++) {
        add(test_random_double(&state, 0, 1), test_random_double(&state, 0, 1));
    }
    at = place(false);
    free(triangles_of(at));
    free(at);
    begin(9); /* places that are not finite */
    for (uint32_t i = 0; i < 9; i++) {
        add(i == 4 ? (double)INFINITY : i, i == 6 ? (double)NAN : i * i);
    }
    at = place(false);
    free(triangles_of(at));
    free(at);
}
END_TEST

/* ---- in a file ------------------------------------------------------------------------------- */

/* An OBJ of one polygon: the importer keeps its triangles, and cuts small ones as assimp does. */
START_TEST(polygons_of_files)
{
    static const uint32_t counts[] = {3, 4, 8, 9, 500};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char text[20000] = "", *end = text;
        for (uint32_t i = 0; i < counts[c]; i++) {
            const double a = 2 * PI * i / counts[c];
            end += snprintf(end, 40, "v %.5f %.5f 0\n", cos(a), sin(a));
        }
        end += snprintf(end, 3, "f");
        for (uint32_t i = 0; i < counts[c]; i++) {
            end += snprintf(end, 12, " %u", i + 1);
        }
        end += snprintf(end, 3, "\n");
        mrw_scene *s = NULL;
        mrw_error error;
        ck_assert_msg(mrw_load_memory(text, strlen(text), "p.obj", NULL, NULL, &s, &error) ==
                          MRW_OK,
                      "%s", error.text);
        ck_assert_uint_eq(s->meshes[0].triangle_count, counts[c] - 2);
        double area = 0;
        for (uint32_t t = 0; t < s->meshes[0].triangle_count; t++) {
            const uint32_t *k = s->indices + s->meshes[0].first_index + 3 * t;
            double part[3];
            area_of(s->positions + 3 * (size_t)s->meshes[0].position, k, 3, part);
            ck_assert_double_gt(part[2], 0);
            area += part[2];
        }
        ck_assert_double_eq_tol(area, counts[c] * sin(2 * PI / counts[c]), 1e-3);
        mrw_scene_free(s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("triangulate");
    TCase *tc = tcase_create("triangulate");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, small_polygons);
    tcase_add_test(tc, holes);
    tcase_add_test(tc, stars_and_waves);
    tcase_add_test(tc, combs_and_spirals);
    tcase_add_test(tc, crowded_corners);
    tcase_add_test(tc, bad_polygons);
    tcase_add_test(tc, polygons_of_files);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
