/* test_tangents.c: tangents that files lack: small meshes by hand, a slow evaluator, whole meshes
 * with what their vertices carry. */
#include "scene_fixture.h"

#include "base/math.h"
#include "base/memory.h"
#include "scene/maps.h"
#include "scene/tangents.h"

static const float usual_transform[6] = {1, 0, 0, 0, 1, 0};

/* Corners that each are a source vertex of their own. */
enum { MOST = 1200 };
static float positions[MOST][3], normals[MOST][3], uvs[MOST][2];
static uint32_t corners[MOST], corner_count;
static mrwi_base_arena arena;

static void clear(void)
{
    corner_count = 0;
    mrwi_base_arena_reset(&arena);
}

static void add_corner(float x, float y, float z, float u, float v)
{
    const uint32_t c = corner_count++;
    memcpy(positions[c], (float[3]){x, y, z}, sizeof *positions);
    memcpy(normals[c], (float[3]){0, 0, 1}, sizeof *normals);
    memcpy(uvs[c], (float[2]){u, v}, sizeof *uvs);
    corners[c] = c;
}

static mrwi_scene_tangent_job job_of(const float (*transform)[6])
{
    return (mrwi_scene_tangent_job){.corners = corners,
                                    .corner_count = corner_count,
                                    .vertex_count = corner_count,
                                    .positions = positions[0],
                                    .uvs = uvs[0],
                                    .normals = normals[0],
                                    .uv_transform = transform};
}

static const float (*tangents_under(const float (*transform)[6]))[4]
{
    const mrwi_scene_tangent_job job = job_of(transform);
    float *out = NULL;
    ck_assert_int_eq(mrwi_scene_corner_tangents(&job, &arena, &out, NULL), MRW_OK);
    return (const float(*)[4])out;
}

static const float (*tangents(void))[4]
{
    return tangents_under(&usual_transform);
}

static void check(const float *tangent, double x, double y, double z, double w)
{
    ck_assert_double_eq_tol(tangent[0], x, 1e-6);
    ck_assert_double_eq_tol(tangent[1], y, 1e-6);
    ck_assert_double_eq_tol(tangent[2], z, 1e-6);
    ck_assert_double_eq(tangent[3], w);
}

/* What holds for every tangent. */
static void check_frame(const float *tangent, const float *normal)
{
    double length = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        length += (double)tangent[i] * tangent[i];
        along += (double)tangent[i] * normal[i];
    }
    ck_assert_double_eq_tol(length, 1, 1e-6);
    ck_assert_double_eq_tol(along, 0, 1e-6);
    ck_assert(tangent[3] == 1 || tangent[3] == -1);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* A square in the plane z = 0, x and y from 0 to 1; the texture stands upright on it: u grows with
 * x, v with falling y. */
static void upright_square(void)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(1, 0, 0, 1, 1);
    add_corner(1, 1, 0, 1, 0);
    add_corner(0, 0, 0, 0, 1);
    add_corner(1, 1, 0, 1, 0);
    add_corner(0, 1, 0, 0, 0);
}

START_TEST(a_square)
{
    upright_square();
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 6; c++) { /* the bitangent is up in the picture: z x x = y */
        check(t[c], 1, 0, 0, 1);
    }
}
END_TEST

/* What the map's transform makes of the coordinates counts. u' and v' are functions of x and y, as
 * u = x and v = 1 - y. */
START_TEST(a_square_under_transforms)
{
    static const struct {
        float transform[6];
        double tangent[4];
    } cases[] = {
        {{1, 0, 5, 0, 1, -7}, {1, 0, 0, 1}},      /* moved */
        {{0, 1, 0, -1, 0, 0}, {0, -1, 0, 1}},     /* u' = 1 - y, v' = -x: a turn by 90 degrees */
        {{0, -1, 0, 1, 0, 0}, {0, 1, 0, 1}},      /* the other way */
        {{-1, 0, 0, 0, 1, 0}, {-1, 0, 0, -1}},    /* mirrored */
        {{1, 0, 0, 0, -1, 0}, {1, 0, 0, -1}},     /* upside down */
        {{-3, 0, 0, 0, -0.5f, 0}, {-1, 0, 0, 1}}, /* both */
        {{1, 0.5f, 0, 0, 1, 0}, {1, 0, 0, 1}},    /* u' grows, v' stays: along x */
        {{1, 0, 0, 0.5f, 1, 0}, {0.89442719, 0.4472136, 0, 1}}, /* v' = x / 2 + 1 - y stays */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        upright_square();
        const float(*t)[4] = tangents_under(&cases[i].transform);
        for (uint32_t c = 0; c < 6; c++) {
            const double *e = cases[i].tangent;
            check(t[c], e[0], e[1], e[2], e[3]);
        }
    }
    static const float flat[6] = {2, 4, 0, 1, 2, 0}; /* all on one line of the texture */
    upright_square();
    const float(*t)[4] = tangents_under(&flat);
    for (uint32_t c = 0; c < 6; c++) {
        check_frame(t[c], normals[c]);
    }
}
END_TEST

/* Two squares side by side, the left one with the texture mirrored: u = |x|. */
static void mirrored_halves(void)
{
    upright_square();
    const float left[6][2] = {{-1, 0}, {0, 0}, {0, 1}, {-1, 0}, {0, 1}, {-1, 1}};
    for (uint32_t c = 0; c < 6; c++) {
        add_corner(left[c][0], left[c][1], 0, -left[c][0], 1 - left[c][1]);
    }
}

START_TEST(halves_that_mirror_each_other)
{
    mirrored_halves();
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 6; c++) {
        check(t[c], 1, 0, 0, 1);
        check(t[c + 6], -1, 0, 0, -1);
    }
}
END_TEST

/* A roof over the y axis: the right side falls along (1, 0, -1), the left one rises along
 * (1, 0, 1). At the ridge, whose normal is z, both lie along x; at the eaves each has its own. */
START_TEST(a_roof)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(1, 0, -1, 1, 1);
    add_corner(0, 1, 0, 0, 0);
    add_corner(0, 1, 0, 0, 0);
    add_corner(-1, 0, -1, -1, 1);
    add_corner(0, 0, 0, 0, 1);
    memcpy(normals[1], (float[3]){0.70710678f, 0, 0.70710678f}, sizeof *normals);
    memcpy(normals[4], (float[3]){-0.70710678f, 0, 0.70710678f}, sizeof *normals);
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 6; c++) {
        if (c != 1 && c != 4) {
            check(t[c], 1, 0, 0, 1);
        }
    }
    check(t[1], 0.70710678, 0, -0.70710678, 1);
    check(t[4], 0.70710678, 0, 0.70710678, 1);
}
END_TEST

/* Triangles that share an edge at a vertex have the mean there, weighted by the angles of their
 * corners; without one each has its own. The first has u along x and a right angle at the origin;
 * the second u = x, v = x / 2 - y: v stays along (2, 1). Over the edge along y, where both have the
 * same coordinates, it has 45 degrees at the origin and 90 at (0, 1). */
START_TEST(edges_join)
{
    static const float second[2][3][2] = {{{0, 0}, {0, 1}, {-1, 1}}, {{0, 0}, {-1, 0}, {-1, -1}}};
    const double x = 2 / sqrt(5), y = 1 / sqrt(5);
    for (int apart = 0; apart < 2; apart++) {
        clear();
        add_corner(0, 0, 0, 0, 0);
        add_corner(1, 0, 0, 1, 0);
        add_corner(0, 1, 0, 0, -1);
        for (int c = 0; c < 3; c++) {
            const float *p = second[apart][c];
            add_corner(p[0], p[1], 0, p[0], p[0] / 2 - p[1]);
        }
        const float(*t)[4] = tangents();
        check(t[1], 1, 0, 0, 1);
        check(t[5], x, y, 0, 1);
        if (apart) {
            check(t[0], 1, 0, 0, 1);
            check(t[3], x, y, 0, 1);
            continue;
        }
        const double at_origin = hypot(2 + x, y), above = hypot(1 + 2 * x, 2 * y);
        check(t[0], (2 + x) / at_origin, y / at_origin, 0, 1);
        check(t[3], (2 + x) / at_origin, y / at_origin, 0, 1);
        check(t[2], (1 + 2 * x) / above, 2 * y / above, 0, 1);
        check(t[4], (1 + 2 * x) / above, 2 * y / above, 0, 1);
    }
}
END_TEST

/* ---- triangles without area ------------------------------------------------------------------ */

/* Two triangles on the edge from (0, 0) to (1, 1), in whose texture u grows with x, and aslant. A
 * triangle of no height on that edge can stand between them. */
static void two_directions(bool between)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(1, 0, 0, 1, 1);
    add_corner(1, 1, 0, 1, 0);
    if (between) {
        add_corner(0, 0, 0, 0, 1);
        add_corner(0, 0, 0, 0, 1);
        add_corner(1, 1, 0, 1, 0);
    }
    add_corner(0, 0, 0, 0, 1);
    add_corner(1, 1, 0, 1, 0);
    add_corner(-1, 2, 0, 0, 0);
}

/* In the second triangle u grows where v is 0: from (-1, 2) to (1, 1). At (0, 0) the angle between
 * (1, 1) and (-1, 2) is the acos of 1 / sqrt(10). */
START_TEST(directions_count_by_angle_whatever_the_size)
{
    for (int small = 0; small < 2; small++) {
        const double angles[2] = {M_PI / 4, acos(1 / sqrt(10))};
        two_directions(false);
        for (uint32_t c = 0; c < corner_count; c++) {
            for (int i = 0; i < 3; i++) {
                positions[c][i] *= small ? 0x1p-40f : 1;
            }
        }
        const double x = angles[0] + angles[1] * 2 / sqrt(5), y = -angles[1] / sqrt(5);
        const float(*t)[4] = tangents();
        check(t[0], x / hypot(x, y), y / hypot(x, y), 0, 1);
        check(t[3], x / hypot(x, y), y / hypot(x, y), 0, 1);
        check(t[1], 1, 0, 0, 1);
    }
}
END_TEST

/* As if it were not there. */
START_TEST(no_height_on_a_shared_edge)
{
    float expected[2][4];
    for (int between = 0; between < 2; between++) {
        two_directions(between);
        const float(*t)[4] = tangents();
        if (!between) {
            memcpy(expected[0], t[0], sizeof *expected);
            memcpy(expected[1], t[2], sizeof *expected);
        } else {
            check(t[0], expected[0][0], expected[0][1], 0, 1);
            check(t[6], expected[0][0], expected[0][1], 0, 1);
            check(t[2], expected[1][0], expected[1][1], 0, 1);
            check(t[7], expected[1][0], expected[1][1], 0, 1);
        }
    }
}
END_TEST

/* Corners whose normals differ are no vertex, wherever the normals come from. */
START_TEST(normals_of_corners_part)
{
    static float own[6][3];
    two_directions(false);
    mrwi_scene_tangent_job job = job_of(&usual_transform);
    for (int c = 0; c < 6; c++) {
        memcpy(own[c], c < 3 ? (float[3]){0, 0, 1} : (float[3]){0.6f, 0, 0.8f}, sizeof own[c]);
    }
    job.normals = NULL;
    job.corner_normals = own[0];
    float *out = NULL;
    ck_assert_int_eq(mrwi_scene_corner_tangents(&job, &arena, &out, NULL), MRW_OK);
    for (uint32_t c = 0; c < 3; c++) {
        check(out + (size_t)4 * c, 1, 0, 0, 1);
    }
}
END_TEST

/* A direction that nearly is the normal's still is one. */
START_TEST(nearly_along_the_normal)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(0.005f, 0, 1, 1, 1);
    add_corner(0.005f, 1, 1, 1, 0);
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 3; c++) {
        check(t[c], 1, 0, 0, 1);
    }
}
END_TEST

/* One with two corners in one place takes no part, and what its vertices have elsewhere. */
START_TEST(two_corners_in_one_place)
{
    mirrored_halves();
    add_corner(1, 0, 0, 1, 1);
    add_corner(1, 0, 0, 0.25f, 0.5f);
    add_corner(-1, 1, 0, 1, 0);
    const float(*t)[4] = tangents();
    check(t[12], 1, 0, 0, 1);
    check_frame(t[13], normals[13]);
    check(t[14], -1, 0, 0, -1);
}
END_TEST

/* One whose corners lie on a line in space has angles of 0, 180 and 0 degrees. */
START_TEST(no_area_in_space)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(2, 2, 0, 2, 0);
    add_corner(1, 1, 0, 1.5f, 0); /* dP/du = dP/dv = (2, 2) */
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 3; c++) {
        check(t[c], 0.70710678, 0.70710678, 0, 1);
    }
}
END_TEST

/* Where, besides, the position stays while v grows, it is like one without area in the texture: it
 * goes with its neighbour, on which u grows along y, though that is mirrored. */
START_TEST(no_length_in_space)
{
    clear();
    add_corner(0, 0, 0, 0, 1);
    add_corner(2, 2, 0, 2, 0);
    add_corner(1, 1, 0, 1, 0);
    add_corner(2, 2, 0, 2, 0);
    add_corner(0, 0, 0, 0, 1);
    add_corner(2, 0, 0, 0, 0);
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 6; c++) {
        if (c == 2) {
            check_frame(t[c], normals[c]);
        } else {
            check(t[c], 0, 1, 0, -1);
        }
    }
}
END_TEST

/* Unit normals in all directions. */
static void random_normal(float *normal)
{
    do {
        for (int i = 0; i < 3; i++) {
            normal[i] = random_unit() - 0.5f;
        }
    } while (!mrwi_base_normalize3(normal));
}

/* Where nothing but rounding says what the tangent is: u grows along the normal; or at a fold two
 * directions cancel out. */
START_TEST(nothing_but_rounding)
{
    random_state = 3;
    for (int round = 0; round < 500; round++) {
        float n[3], p[3];
        random_normal(n);
        random_normal(p);
        clear();
        add_corner(0, 0, 0, 0, 0);
        add_corner(n[0], n[1], n[2], 1, 0);
        add_corner(p[0], p[1], p[2], 0, 1);
        add_corner(7, 0, 0, 0, 0);
        add_corner(7 + p[0], p[1], p[2], 1, 0);
        add_corner(7, 1, 0, 0, -1);
        add_corner(7, 0, 0, 0, 0);
        add_corner(7, 1, 0, 0, -1);
        add_corner(7 + p[0] * 3, p[1] * 3, p[2] * 3, -1, 0);
        for (uint32_t c = 0; c < corner_count; c++) {
            memcpy(normals[c], n, sizeof n);
        }
        const float(*t)[4] = tangents();
        for (uint32_t c = 0; c < corner_count; c++) {
            check_frame(t[c], n);
        }
    }
}
END_TEST

/* One without area in the texture joins a group of its neighbours and leads on to the next. Between
 * the square and the last triangle there is one whose corners are all on the line u = 1. With e, f
 * the sides of the last one, dP/dv = 2 e and 2 dP/du - dP/dv / 2 = f: u grows along (4, 1). */
START_TEST(no_area_in_the_texture)
{
    upright_square();
    add_corner(1, 0, 0, 1, 1);
    add_corner(2, 0.5f, 0, 1, 0.5f);
    add_corner(1, 1, 0, 1, 0);
    add_corner(1, 1, 0, 1, 0);
    add_corner(2, 0.5f, 0, 1, 0.5f);
    add_corner(2, 2, 0, 3, -0.5f);
    const float(*t)[4] = tangents();
    const double x = 4 / sqrt(17), y = 1 / sqrt(17);
    /* at (1, 1) the square's triangles have 45 degrees each, the last one 45 and atan(1 / 2) */
    const double square_angle = 90, angle = 45 + 26.5650511770780;
    const double mean[2] = {square_angle + angle * x, angle * y};
    const double length = hypot(mean[0], mean[1]);
    static const uint32_t shared[4] = {2, 4, 8, 9};
    for (int i = 0; i < 4; i++) {
        check(t[shared[i]], mean[0] / length, mean[1] / length, 0, 1);
    }
    check(t[0], 1, 0, 0, 1);
    check(t[1], 1, 0, 0, 1);
    check(t[6], 1, 0, 0, 1);
    check(t[7], x, y, 0, 1);
    check(t[10], x, y, 0, 1);
    check(t[11], x, y, 0, 1);
}
END_TEST

/* Between two orientations it goes with the one that comes first; its other corners have what their
 * vertices have. */
START_TEST(no_area_between_orientations)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        clear();
        for (int k = 0; k < 2; k++) {
            if (k == swapped) { /* below the x axis: u = x, v = -y */
                add_corner(0, 0, 0, 0, 0);
                add_corner(1, -1, 0, 1, 1);
                add_corner(1, 0, 0, 1, 0);
            } else { /* left of the y axis: u along y, v along -x: mirrored */
                add_corner(0, 0, 0, 0, 0);
                add_corner(0, 1, 0, 1, 0);
                add_corner(-1, 1, 0, 1, 1);
            }
        }
        add_corner(0, 0, 0, 0, 0);
        add_corner(1, 0, 0, 1, 0);
        add_corner(0, 1, 0, 1, 0);
        const float(*t)[4] = tangents();
        check(t[6], !swapped, swapped, 0, swapped ? -1 : 1);
        check(t[7], 1, 0, 0, 1);
        check(t[8], 0, 1, 0, -1);
    }
}
END_TEST

START_TEST(no_texture_at_all)
{
    upright_square();
    memset(uvs, 0, sizeof uvs);
    const float(*t)[4] = tangents();
    for (uint32_t c = 0; c < 6; c++) {
        check_frame(t[c], normals[c]);
        ck_assert_double_eq(t[c][3], 1);
        ck_assert_mem_eq(t[c], t[0], sizeof *t);
    }
    clear();
    const mrwi_scene_tangent_job job = job_of(&usual_transform); /* and no triangles */
    float *out;
    ck_assert_int_eq(mrwi_scene_corner_tangents(&job, &arena, &out, NULL), MRW_OK);
}
END_TEST

/* ---- a slow evaluator ------------------------------------------------------------------------ */

/* The method word by word: each corner looks at all others. */
typedef struct slow_mesh {
    int partner[MOST];    /* corner that begins the edge of the other triangle, or -1 */
    int side[MOST / 3];   /* +1, -1, 0: undecided, 2: left out */
    bool plain[MOST / 3]; /* has a direction */
    double direction[MOST / 3][3];
    int group[MOST]; /* first corner of its group; -1 */
} slow_mesh;

static slow_mesh slow;

static bool one_place(uint32_t a, uint32_t b)
{
    const float *p = positions[a], *q = positions[b];
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool one_vertex(uint32_t a, uint32_t b)
{
    const float *n = normals[a], *m = normals[b];
    return one_place(a, b) && n[0] == m[0] && n[1] == m[1] && n[2] == m[2] &&
           uvs[a][0] == uvs[b][0] && uvs[a][1] == uvs[b][1];
}

static uint32_t turn(uint32_t corner, uint32_t by)
{
    return corner / 3 * 3 + (corner + by) % 3;
}

/* Solves J [dP/du dP/dv] = edges by the inverse of the 2 x 2 matrix. */
static void slow_triangle(uint32_t t)
{
    double a[2][2], e[2][3];
    for (uint32_t k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) {
            a[k][i] = (double)uvs[3 * t + 1 + k][i] - uvs[3 * t][i];
        }
        for (int i = 0; i < 3; i++) {
            e[k][i] = (double)positions[3 * t + 1 + k][i] - positions[3 * t][i];
        }
    }
    const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    double by_u = 0, by_v = 0;
    for (int i = 0; i < 3; i++) {
        const double v = det == 0 ? 0 : (a[0][0] * e[1][i] - a[1][0] * e[0][i]) / det;
        slow.direction[t][i] = det == 0 ? 0 : (a[1][1] * e[0][i] - a[0][1] * e[1][i]) / det;
        by_u += slow.direction[t][i] * slow.direction[t][i];
        by_v += v * v;
    }
    slow.plain[t] = by_u > 0 && by_v > 0;
    slow.side[t] = !slow.plain[t] ? 0 : det > 0 ? 1 : -1;
    for (uint32_t k = 0; k < 3; k++) {
        if (one_place(3 * t + k, 3 * t + (k + 1) % 3)) {
            slow.side[t] = 2;
            slow.plain[t] = false;
        }
    }
}

static void slow_partners(void)
{
    for (uint32_t a = 0; a < corner_count; a++) {
        slow.partner[a] = -1;
    }
    for (uint32_t a = 0; a < corner_count; a++) {
        for (uint32_t b = a + 1; b < corner_count && slow.partner[a] < 0; b++) {
            if (slow.partner[b] < 0 && slow.side[a / 3] != 2 && slow.side[b / 3] != 2 &&
                one_vertex(a, turn(b, 1)) && one_vertex(b, turn(a, 1))) {
                slow.partner[a] = (int)b;
                slow.partner[b] = (int)a;
            }
        }
    }
}

static void slow_spread(int corner, int group, int side)
{
    if (corner < 0 || slow.group[corner] >= 0) {
        return;
    }
    int *own = &slow.side[corner / 3];
    *own = *own == 0 ? side : *own;
    if (*own == side) {
        slow.group[corner] = group;
        const int along = slow.partner[corner];
        slow_spread(along < 0 ? -1 : (int)turn((uint32_t)along, 1), group, side);
        slow_spread(slow.partner[turn((uint32_t)corner, 2)], group, side);
    }
}

/* v minus its part along n, unit. False where little is left. */
static bool slow_flatten(double *v, const float *n)
{
    double nn = 0, vn = 0, before = 0, after = 0;
    for (int i = 0; i < 3; i++) {
        nn += (double)n[i] * n[i];
        vn += v[i] * n[i];
        before += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++) {
        v[i] -= vn / nn * n[i];
        after += v[i] * v[i];
    }
    for (int i = 0; i < 3 && after > 0; i++) {
        v[i] /= sqrt(after);
    }
    return sqrt(after) > 1e-3 * sqrt(before);
}

/* The tangent of a group. False where it hangs on rounding. */
static bool slow_mean(int group, double *sum)
{
    const float *n = normals[group];
    bool sure = true;
    double weight = 0, length = 0;
    memset(sum, 0, 3 * sizeof *sum);
    for (uint32_t c = 0; c < corner_count; c++) {
        if (slow.group[c] != group || !slow.plain[c / 3]) {
            continue;
        }
        double d[3], p[2][3], cross[3], dot = 0;
        for (int i = 0; i < 3; i++) {
            d[i] = slow.direction[c / 3][i];
            p[0][i] = (double)positions[turn(c, 1)][i] - positions[c][i];
            p[1][i] = (double)positions[turn(c, 2)][i] - positions[c][i];
        }
        sure = slow_flatten(d, n) && slow_flatten(p[0], n) && slow_flatten(p[1], n) && sure;
        for (int i = 0; i < 3; i++) {
            cross[i] =
                p[0][(i + 1) % 3] * p[1][(i + 2) % 3] - p[0][(i + 2) % 3] * p[1][(i + 1) % 3];
            dot += p[0][i] * p[1][i];
        }
        const double angle =
            atan2(sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]), dot);
        weight += angle;
        for (int i = 0; i < 3; i++) {
            sum[i] += d[i] * angle;
        }
    }
    for (int i = 0; i < 3; i++) {
        length += sum[i] * sum[i];
    }
    for (int i = 0; i < 3; i++) {
        sum[i] /= sqrt(length);
    }
    return sure && weight > 1e-6 && sqrt(length) > 1e-3 * weight;
}

/* Compares each corner; returns how many were sure. */
static uint32_t compare_with_slow(const float (*t)[4])
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < corner_count / 3; i++) {
        slow_triangle(i);
    }
    slow_partners();
    memset(slow.group, 0xff, sizeof slow.group);
    for (uint32_t c = 0; c < corner_count; c++) {
        if (slow.plain[c / 3]) {
            slow_spread((int)c, (int)c, slow.side[c / 3]);
        }
    }
    for (uint32_t c = 0; c < corner_count; c++) {
        uint32_t from = c;
        check_frame(t[c], normals[c]);
        if (slow.group[c] < 0) { /* the first of its vertex that has one */
            for (from = 0;
                 from < corner_count && !(slow.group[from] >= 0 && one_vertex(from, c));) {
                from++;
            }
        }
        double mean[3];
        if (from < corner_count && slow_mean(slow.group[from], mean)) {
            check(t[c], mean[0], mean[1], mean[2], -slow.side[from / 3]);
            compared++;
        }
    }
    return compared;
}

static void sphere_corner(uint32_t i, uint32_t j, uint32_t across, uint32_t down)
{
    const double pi = 3.14159265358979, a = 2 * pi * (i % across) / across, b = pi * j / down;
    const double ring = j == down ? 0 : sin(b);
    add_corner((float)(ring * cos(a)), (float)cos(b), (float)(ring * sin(a)),
               (float)i / (float)across, (float)j / (float)down);
    memcpy(normals[corner_count - 1], positions[corner_count - 1], sizeof *normals);
}

START_TEST(a_sphere)
{
    enum { ACROSS = 16, DOWN = 10 };
    clear();
    for (uint32_t j = 0; j < DOWN; j++) {
        for (uint32_t i = 0; i < ACROSS; i++) { /* the rows at the poles have collapsed triangles */
            static const uint32_t at[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
            for (int k = 0; k < 6; k++) {
                sphere_corner(i + at[k][0], j + at[k][1], ACROSS, DOWN);
            }
        }
    }
    const float(*t)[4] = tangents();
    ck_assert_uint_gt(compare_with_slow(t), corner_count * 95 / 100);
    for (uint32_t c = 0; c < corner_count; c++) { /* u goes round the y axis, about */
        const float *p = positions[c];
        if (fabsf(p[1]) < 0.9f) {
            const double ring = hypot((double)p[0], (double)p[2]);
            ck_assert_double_gt((t[c][0] * -p[2] + t[c][2] * p[0]) / ring, 0.97);
        }
    }
}
END_TEST

/* Triangles between few points, with few normals and texture coordinates: edges of many triangles,
 * mirrored ones, all kinds without area. */
START_TEST(crowded_soups)
{
    static const float some_normals[3][3] = {
        {0.36f, 0.48f, 0.8f}, {-0.28f, 0.9f, 0.3340659f}, {0.62f, -0.1f, -0.7782f}};
    uint32_t compared = 0, all = 0;
    random_state = 5;
    for (int round = 0; round < 6; round++) {
        const uint32_t points = 2 + (uint32_t)round / 2, kinds = 1 + (uint32_t)round % 3;
        clear();
        for (int c = 0; c < MOST; c++) {
            uint32_t r[5];
            for (int i = 0; i < 5; i++) {
                r[i] = random_u32() % (i < 3 ? points : 3);
            }
            add_corner((float)r[0], (float)r[1] * 1.25f, (float)r[2] * 0.75f, (float)r[3],
                       (float)r[4]);
            memcpy(normals[c], some_normals[random_u32() % kinds], sizeof *normals);
        }
        compared += compare_with_slow(tangents());
        all += MOST;
    }
    ck_assert_uint_gt(compared, all / 3);
}
END_TEST

/* Numbers from 1e-38 to 1e38. */
START_TEST(wild_soups)
{
    random_state = 11;
    for (int round = 0; round < 20; round++) {
        static const float scales[4] = {1e-38f, 1e38f, 1, 1e-20f};
        const float place = scales[round % 4], texture = scales[round / 4 % 4];
        const float transform[6] = {place, 0, 0, random_unit(), texture, 3e38f};
        clear();
        for (int c = 0; c < MOST; c++) {
            add_corner((random_unit() - 0.5f) * place, (random_unit() - 0.5f) * place,
                       (random_unit() - 0.5f), (random_unit() - 0.5f) * texture,
                       random_unit() * texture);
            random_normal(normals[c]);
        }
        const float(*t)[4] = round % 2 ? tangents_under(&transform) : tangents();
        for (uint32_t c = 0; c < corner_count; c++) {
            check_frame(t[c], normals[c]);
        }
    }
}
END_TEST

/* ---- many around one place ------------------------------------------------------------------- */

enum { MANY = 100000 };

/* Would take minutes if corners of a vertex, or triangles of an edge, were compared with each
 * other. */
START_TEST(many_around_a_vertex)
{
    float *p = calloc(MANY + 1, sizeof(float[3])), *n = calloc(MANY + 1, sizeof(float[3]));
    float *uv = calloc(MANY + 1, sizeof(float[2])), *out;
    uint32_t *c = calloc(MANY, sizeof(uint32_t[3]));
    for (uint32_t v = 0; v <= MANY; v++) {
        double angle = 6.283185307179586 * v / MANY;
        p[3 * v] = v == MANY ? 0 : (float)cos(angle);
        p[3 * v + 1] = v == MANY ? 0 : (float)sin(angle);
        uv[2 * v] = p[3 * v];
        uv[2 * v + 1] = -p[3 * v + 1];
        n[3 * v + 2] = 1;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        c[3 * i] = MANY;
        c[3 * i + 1] = i;
        c[3 * i + 2] = (i + 1) % MANY;
    }
    const mrwi_scene_tangent_job job = {.corners = c,
                                        .corner_count = 3 * MANY,
                                        .vertex_count = MANY + 1,
                                        .positions = p,
                                        .uvs = uv,
                                        .normals = n,
                                        .uv_transform = &usual_transform};
    ck_assert_int_eq(mrwi_scene_corner_tangents(&job, &arena, &out, NULL), MRW_OK);
    check(out, 1, 0, 0, 1);
    mrwi_base_arena_reset(&arena);
    for (uint32_t i = 0; i < MANY; i++) { /* all at the edge from the hub to vertex 0 */
        const bool up = i < MANY / 2;
        c[3 * i + 1] = up ? 0 : 1 + i;
        c[3 * i + 2] = up ? 1 + i : 0;
    }
    ck_assert_int_eq(mrwi_scene_corner_tangents(&job, &arena, &out, NULL), MRW_OK);
    mrwi_base_arena_reset(&arena);
    free(p);
    free(n);
    free(uv);
    free(c);
}
END_TEST

/* ---- whole meshes ---------------------------------------------------------------------------- */

START_TEST(maps_that_need_them)
{
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_map_info *info = mrw_map_info_of((mrw_map)m);
        mrw_material material = mrw_material_default();
        material.maps[m].texture = 0;
        ck_assert_ptr_eq(mrwi_scene_tangent_map(&material),
                         info->drawn && info->tangents ? &material.maps[m] : NULL);
    }
    ck_assert(mrw_map_info_of(MRW_MAP_NORMAL)->tangents);
    ck_assert(!mrw_map_info_of(MRW_MAP_BASE_COLOR)->tangents);
}
END_TEST

/* As mrwi_scene_builder_mesh does it for a mesh whose material has this map, drawn and in need of
 * tangents. */
static mrw_status push_mapped(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                              const mrw_material_map *map, mrw_error *error)
{
    const mrwi_scene_mesh_source source = {.in = in,
                                           .tangent_map = map,
                                           .file = "model.glb",
                                           .label = "mesh 0",
                                           .warnings = &b->warnings,
                                           .scratch = &b->scratch};
    mrw_mesh mesh = {.material = MRW_NONE};
    uint32_t joint_end, pushed;
    mrw_status status = mrwi_scene_build_mesh(&b->draft, &source, &mesh, &joint_end, error);
    if (!status) {
        status = mrwi_scene_pool_push(&b->mesh_joints, MRWI_SCENE_SECTION_indices, &joint_end,
                                      "model.glb", error);
    }
    if (!status) {
        status = mrwi_scene_push(&b->draft, MRWI_SCENE_SECTION_meshes, &mesh, &pushed, error);
    }
    return mrwi_scene_settle(b, status);
}

static mrw_scene *build_mapped(const mrwi_scene_mesh_input *in, uint32_t uv_set)
{
    mrw_material_map map = mrw_material_default().maps[0];
    map.uv_set = uv_set;
    mrwi_scene_builder *b = begin();
    mrw_error error = {0};
    ck_assert_msg(push_mapped(b, in, &map, &error) == MRW_OK, "%s", error.text);
    return finish(b); /* which validates it */
}

/* The mirrored halves with six vertices, of which two are on the seam, as 0 and 3:
 *
 *     5 - 3 - 2
 *     |   |   |
 *     4 - 0 - 1
 */
static const float halves[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, -1, 0, 0, -1, 1, 0};
static const float halves_normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float halves_uvs[12] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0};
static const uint32_t halves_indices[12] = {0, 1, 2, 0, 2, 3, 4, 0, 3, 4, 3, 5};

static mrwi_scene_mesh_input halves_mesh(void)
{
    return (mrwi_scene_mesh_input){.material = MRW_NONE,
                                   .vertex_count = 6,
                                   .indices = halves_indices,
                                   .index_count = 12,
                                   .positions = halves,
                                   .normals = halves_normals,
                                   .uvs = {halves_uvs, NULL}};
}

/* The source vertex at a position of the halves. */
static uint32_t source_at(const float *position)
{
    uint32_t v = 0;
    while (memcmp(position, halves + 3 * (size_t)v, 3 * sizeof *position) != 0) {
        v++;
    }
    return v;
}

/* Each corner has the tangent of its side, and refers to a vertex with the right position. */
static void check_sides(const mrw_scene *s)
{
    ck_assert_uint_eq(s->meshes[0].triangle_count, 4);
    for (uint32_t c = 0; c < 12; c++) {
        const uint32_t v = s->indices[c];
        const double side = c < 6 ? 1 : -1;
        ck_assert_uint_eq(source_at(s->positions + 3 * (size_t)v), halves_indices[c]);
        check(s->tangents + 4 * (size_t)v, side, 0, 0, side);
    }
}

START_TEST(all_of_a_vertex_is_split)
{
    static const float other_uvs[12] = {0, 0, 0.5f, 0, 0, 0.5f, 0.25f, 0.125f, 1, 1, 1, 0};
    float colors[24], moves[18] = {0}, turns[18] = {0};
    uint32_t joints[12];
    float weights[12];
    for (uint32_t v = 0; v < 6; v++) { /* the seam has two influences, the others one */
        const bool seam = v == 0 || v == 3;
        memcpy(colors + 4 * (size_t)v, (float[4]){(float)v / 8, 0, 0, 1}, 4 * sizeof *colors);
        joints[2 * v] = v;
        joints[2 * v + 1] = 7;
        weights[2 * v] = 0.75f;
        weights[2 * v + 1] = seam ? 0.25f : 0;
    }
    moves[3 * 3 + 2] = 0.5f; /* of the targets, one moves vertex 3, the other turns it and 1 */
    turns[3 * 3] = turns[3 * 1] = 0.25f;
    const mrwi_scene_target_input targets[2] = {{.positions = moves, .tangents = moves},
                                                {.normals = turns}};
    mrwi_scene_mesh_input in = halves_mesh();
    in.uvs[1] = other_uvs;
    in.colors = colors;
    in.influence_count = 2;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 8;
    in.targets = targets;
    in.target_count = 2;
    mrw_scene *s = build_mapped(&in, 0);
    const mrw_mesh *m = &s->meshes[0];
    ck_assert_uint_eq(m->vertex_count, 8);
    check_sides(s);
    ck_assert_uint_eq(m->group_count, 2);
    const mrw_influence_group expected[2] = {{0, 4, 1, 0}, {4, 4, 2, 4}};
    ck_assert_mem_eq(s->groups, expected, sizeof expected);
    for (uint32_t v = 0; v < 8; v++) {
        const uint32_t source = source_at(s->positions + 3 * (size_t)v);
        const uint32_t first = v < 4 ? v : 4 + 2 * (v - 4);
        ck_assert_uint_eq(s->influence_joints[first], source);
        ck_assert_float_eq(s->influence_weights[first], v < 4 ? 1 : 0.75f);
        ck_assert_float_eq(s->colors[4 * (m->color + v)], (float)source / 8);
        ck_assert_mem_eq(s->uvs + 2 * (size_t)(m->uv[0] + v), halves_uvs + 2 * (size_t)source, 8);
        ck_assert_mem_eq(s->uvs + 2 * (size_t)(m->uv[1] + v), other_uvs + 2 * (size_t)source, 8);
    }
    ck_assert_uint_eq(s->targets[0].entry_count, 2);
    ck_assert_uint_eq(s->targets[0].tangent, MRW_NONE); /* the computed ones stay */
    ck_assert_uint_eq(s->targets[1].entry_count, 3);
    for (uint32_t e = 0; e < 2; e++) {
        const uint32_t v = s->morph_vertices[s->targets[0].first_entry + e];
        ck_assert_uint_eq(source_at(s->positions + 3 * (size_t)v), 3);
        ck_assert_float_eq(s->morph_positions[3 * (s->targets[0].first_entry + e) + 2], 0.5f);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(nothing_else_is_split)
{
    static const float straight[12] = {0, 1, 1, 1, 1, 0, 0, 0, -1, 1, -1, 0}; /* u = x */
    mrwi_scene_mesh_input in = halves_mesh();
    in.uvs[0] = straight;
    mrw_scene *s = build_mapped(&in, 0);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 6);
    for (uint32_t v = 0; v < 6; v++) {
        check(s->tangents + 4 * (size_t)v, 1, 0, 0, 1);
    }
    mrw_scene_free(s);
}
END_TEST

/* Coordinates are those of the map's set; a mesh that lacks it has no tangents. */
START_TEST(the_set_of_the_map)
{
    static const float turned[12] = {1, 0, 1, 1, 0, 1, 0, 0, 1, -1, 0, -1}; /* u = 1 - y, v = x */
    mrwi_scene_mesh_input in = halves_mesh();
    in.uvs[1] = turned;
    mrw_scene *s = build_mapped(&in, 0);
    check_sides(s);
    mrw_scene_free(s);
    s = build_mapped(&in, 1);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 6);
    for (uint32_t v = 0; v < 6; v++) { /* v falls along -x = z x -y */
        check(s->tangents + 4 * (size_t)v, 0, -1, 0, -1);
    }
    mrw_scene_free(s);
    in.uvs[1] = NULL;
    s = build_mapped(&in, 1);
    ck_assert_uint_eq(s->meshes[0].tangent, MRW_NONE);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 6);
    mrw_scene_free(s);
}
END_TEST

/* Normals that are computed, flat or smooth, have tangents, too; the file's own tangents count only
 * beside its own normals. */
START_TEST(with_computed_normals)
{
    float tangents_of_file[24] = {0};
    for (int flat = 0; flat < 2; flat++) {
        mrwi_scene_mesh_input in = halves_mesh();
        in.normals = NULL;
        in.flat_normals = flat;
        in.tangents = flat ? tangents_of_file : NULL;
        mrw_scene *s = build_mapped(&in, 0);
        ck_assert_uint_eq(s->meshes[0].flags,
                          MRW_MESH_COMPUTED_NORMALS | (flat ? MRW_MESH_FLAT_NORMALS : 0));
        ck_assert_uint_eq(s->meshes[0].vertex_count, 8);
        check_sides(s);
        ck_assert_uint_eq(s->warnings_count, 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* They stay as they are, but for what cannot be a tangent. */
START_TEST(the_files_own)
{
    float of_file[24];
    for (uint32_t v = 0; v < 6; v++) {
        memcpy(of_file + 4 * (size_t)v, (float[4]){0, v == 2 ? 0 : 2, 0, -1}, 4 * sizeof *of_file);
    }
    mrwi_scene_mesh_input in = halves_mesh();
    in.tangents = of_file;
    mrw_scene *s = build_mapped(&in, 0);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 6);
    for (uint32_t v = 0; v < 6; v++) {
        const float *t = s->tangents + 4 * (size_t)v;
        ck_assert_float_eq(t[3], -1);
        if (source_at(s->positions + 3 * (size_t)v) == 2) {
            check_frame(t, (float[3]){0, 0, 1});
        } else {
            check(t, 0, 1, 0, -1);
        }
    }
    ck_assert(warned(s, "tangents without a direction were replaced"));
    mrw_scene_free(s);
}
END_TEST

/* What the builder does is what the table says. */
START_TEST(the_builder_asks_the_table)
{
    static const uint8_t texel[4] = {0};
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_map_info *info = mrw_map_info_of((mrw_map)m);
        const bool needed = info->drawn && info->tangents;
        const mrwi_scene_image_input image = {.width = 1, .height = 1, .rgba = texel};
        const mrw_texture texture = {0};
        mrw_material material = mrw_material_default();
        mrwi_scene_mesh_input in = halves_mesh();
        mrwi_scene_builder *b = begin();
        uint32_t index;
        material.maps[m].texture = 0;
        ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &index, NULL), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &index, NULL), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &in.material, NULL),
                         MRW_OK);
        add_mesh(b, &in);
        mrw_scene *s = finish(b);
        ck_assert((s->meshes[0].tangent != MRW_NONE) == needed);
        ck_assert_uint_eq(s->meshes[0].vertex_count, needed ? 8 : 6);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static mrw_status build_failing(bool own_normals, uint64_t fail_at, bool *fired)
{
    const mrw_material_map map = mrw_material_default().maps[0];
    mrwi_scene_mesh_input in = halves_mesh();
    mrwi_scene_builder *b = begin();
    mrw_error error = {0};
    in.normals = own_normals ? in.normals : NULL;
    mrwi_base_alloc_fail_at(fail_at);
    mrw_status status = push_mapped(b, &in, &map, &error);
    *fired = !mrwi_base_alloc_fail_pending();
    mrwi_base_alloc_fail_at(0);
    ck_assert(status == MRW_OK || strstr(error.text, "memory"));
    mrwi_scene_builder_free(b);
    return status;
}

START_TEST(out_of_memory)
{
    for (int own = 0; own < 2; own++) {
        bool fired = true;
        uint32_t failures = 0;
        for (uint32_t n = 1; fired; n++) {
            mrw_status status = build_failing(own, n, &fired);
            ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
            failures += fired;
        }
        ck_assert_uint_gt(failures, 10);
    }
}
END_TEST

static void free_arena(void)
{
    mrwi_base_arena_free(&arena);
}

static Suite *suite(void)
{
    Suite *s = suite_create("tangents");
    TCase *tc = tcase_create("tangents");
    tcase_add_checked_fixture(tc, NULL, free_arena);
    tcase_add_test(tc, a_square);
    tcase_add_test(tc, a_square_under_transforms);
    tcase_add_test(tc, halves_that_mirror_each_other);
    tcase_add_test(tc, edges_join);
    tcase_add_test(tc, a_roof);
    tcase_add_test(tc, directions_count_by_angle_whatever_the_size);
    tcase_add_test(tc, no_height_on_a_shared_edge);
    tcase_add_test(tc, normals_of_corners_part);
    tcase_add_test(tc, nearly_along_the_normal);
    tcase_add_test(tc, two_corners_in_one_place);
    tcase_add_test(tc, no_area_in_space);
    tcase_add_test(tc, no_length_in_space);
    tcase_add_test(tc, nothing_but_rounding);
    tcase_add_test(tc, no_area_in_the_texture);
    tcase_add_test(tc, no_area_between_orientations);
    tcase_add_test(tc, no_texture_at_all);
    tcase_add_test(tc, a_sphere);
    tcase_add_test(tc, crowded_soups);
    tcase_add_test(tc, wild_soups);
    tcase_add_test(tc, many_around_a_vertex);
    tcase_add_test(tc, maps_that_need_them);
    tcase_add_test(tc, all_of_a_vertex_is_split);
    tcase_add_test(tc, nothing_else_is_split);
    tcase_add_test(tc, the_set_of_the_map);
    tcase_add_test(tc, with_computed_normals);
    tcase_add_test(tc, the_files_own);
    tcase_add_test(tc, the_builder_asks_the_table);
    tcase_add_test(tc, out_of_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
