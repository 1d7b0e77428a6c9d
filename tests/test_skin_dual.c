/* test_skin_dual.c: dual-quaternion skinning: the palette's split into scales and motions, and what
 * skinning makes of it, against a double evaluator that knows the split from the start. That all
 * kernels agree is test_skin.c's business. */
#include "test.h"

#include "marrow/skin.h"

#define JOINTS   8
#define VERTICES 32
#define COUNT    4
#define PI       3.14159265358979323846

static uint64_t random_state;

/* -1 ... 1 */
static double random_double(void)
{
    return test_random_double(&random_state, -1.0, 1.0);
}

/* ---- quaternions and matrices in double ------------------------------------------------------ */

static void turn(double x, double y, double z, double degrees, double q[4])
{
    double length = sqrt(x * x + y * y + z * z), s = sin(degrees * PI / 360.0);
    q[0] = x / length * s;
    q[1] = y / length * s;
    q[2] = z / length * s;
    q[3] = cos(degrees * PI / 360.0);
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void conjugate(const double a[4], double out[4])
{
    for (int i = 0; i < 4; i++) {
        out[i] = i < 3 ? -a[i] : a[i];
    }
}

/* q v q* of a unit quaternion */
static void rotate(const double q[4], const double v[3], double out[3])
{
    double p[4] = {v[0], v[1], v[2], 0}, half[4], back[4], whole[4];
    multiply(q, p, half);
    conjugate(q, back);
    multiply(half, back, whole);
    for (int i = 0; i < 3; i++) {
        out[i] = whole[i];
    }
}

/* A joint by its parts: A = Q S. */
typedef struct joint {
    double q[4];
    double s[9]; /* symmetric */
    double t[3];
    double pivot[3];
} joint;

static void apply9(const double m[9], const double v[3], double out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = m[r] * v[0] + m[3 + r] * v[1] + m[6 + r] * v[2];
    }
}

static mrw_mat4 matrix_of(const joint *j)
{
    mrw_mat4 m = {{0}};
    for (int c = 0; c < 3; c++) {
        double column[3], turned[3];
        for (int r = 0; r < 3; r++) {
            column[r] = j->s[3 * c + r];
        }
        rotate(j->q, column, turned);
        for (int r = 0; r < 3; r++) {
            m.m[4 * c + r] = (float)turned[r];
        }
        m.m[12 + c] = (float)j->t[c];
    }
    m.m[15] = 1.0f;
    return m;
}

static void set_scale(joint *j, double xx, double yy, double zz, double xy, double xz, double yz)
{
    const double s[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
    memcpy(j->s, s, sizeof s);
}

/* ---- one scene ------------------------------------------------------------------------------- */

typedef struct fixture {
    joint joints[JOINTS];
    float pivots[3 * JOINTS];
    _Alignas(64) mrw_mat4 palette[JOINTS];
    mrw_dual_quaternion motions[JOINTS];
    mrw_mat4 scales[JOINTS];
    bool scaled;
    float positions[3 * VERTICES + 16], normals[3 * VERTICES + 16], tangents[4 * VERTICES + 16];
    uint16_t indices[VERTICES * COUNT];
    float weights[VERTICES * COUNT];
} fixture;

typedef struct result {
    _Alignas(16) float positions[4 * VERTICES];
    _Alignas(16) float normals[4 * VERTICES];
    _Alignas(16) float tangents[4 * VERTICES];
} result;

/* Random vertices and influences, the largest weight first; joints turn by up to `degrees`. */
static void fill(fixture *f, double degrees)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < JOINTS; i++) {
        joint *j = &f->joints[i];
        turn(random_double(), random_double(), random_double(), degrees * random_double(), j->q);
        set_scale(j, 1, 1, 1, 0, 0, 0);
        for (int k = 0; k < 3; k++) {
            j->t[k] = (double)(float)random_double();
            j->pivot[k] = (double)(float)random_double();
        }
    }
    for (int i = 0; i < 4 * VERTICES; i++) {
        f->tangents[i] = (float)random_double();
        f->weights[i] = (float)(random_double() + 1.1);
        f->indices[i] = (uint16_t)((random_double() + 1.0) * 0.5 * JOINTS) % JOINTS;
    }
    for (int i = 0; i < 3 * VERTICES; i++) {
        f->positions[i] = (float)random_double();
        f->normals[i] = (float)random_double();
    }
    for (int v = 0; v < VERTICES; v++) {
        float *w = f->weights + COUNT * v, sum = 0;
        w[0] += 2.2f;
        for (int i = 0; i < COUNT; i++) {
            sum += w[i];
        }
        for (int i = 0; i < COUNT; i++) {
            w[i] /= sum;
        }
    }
}

static void split(fixture *f)
{
    f->scaled = mrw_dual_quaternion_palette(
        &(mrw_dual_quaternion_job){JOINTS, f->palette, f->pivots, 0, f->motions, f->scales});
}

/* Joints' parts -> palette -> motions and scales. */
static void build(fixture *f)
{
    for (int i = 0; i < JOINTS; i++) {
        f->palette[i] = matrix_of(&f->joints[i]);
        for (int k = 0; k < 3; k++) {
            f->pivots[3 * i + k] = (float)f->joints[i].pivot[k];
        }
    }
    split(f);
}

static void skin(const fixture *f, uint32_t influences, bool dual, result *out)
{
    mrw_skin_group group = {0, VERTICES, influences, f->indices, f->weights};
    float ones[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
        ones[v] = 1.0f;
    }
    if (influences == 1) {
        group.weights = ones;
    }
    memset(out, 0, sizeof *out);
    mrw_skin_vertices(&(mrw_skin_job){.groups = &group,
                                      .group_count = 1,
                                      .palette = dual ? NULL : f->palette,
                                      .motions = dual ? f->motions : NULL,
                                      .scales = dual && f->scaled ? f->scales : NULL,
                                      .cofactor_normals = true,
                                      .positions = f->positions,
                                      .normals = f->normals,
                                      .tangents = f->tangents,
                                      .out_positions = out->positions,
                                      .out_normals = out->normals,
                                      .out_tangents = out->tangents});
}

static void assert_near(const float *actual, const float *expected, int count, double tolerance)
{
    for (int i = 0; i < count; i++) {
        ck_assert_msg(fabs((double)actual[i] - (double)expected[i]) <= tolerance,
                      "%d: %.9g, expected %.9g", i, (double)actual[i], (double)expected[i]);
    }
}

static void assert_same(const result *actual, const result *expected, double tolerance)
{
    assert_near(actual->positions, expected->positions, 4 * VERTICES, tolerance);
    assert_near(actual->normals, expected->normals, 4 * VERTICES, tolerance);
    assert_near(actual->tangents, expected->tangents, 4 * VERTICES, tolerance);
}

/* ---- the palette ----------------------------------------------------------------------------- */

/* A quarter turn about z, then (2, -4, 8). With h = sqrt(1/2): real = (0, 0, h, h) and
 * dual = (2, -4, 8, 0) real / 2 = (-h, -3 h, 4 h, -4 h). */
START_TEST(motion_of_a_matrix_by_hand)
{
    const mrw_mat4 m = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 2, -4, 8, 1}};
    const float h = 0.70710678f;
    const float real[4] = {0, 0, h, h}, dual[4] = {-h, -3 * h, 4 * h, -4 * h};
    const mrw_mat4 one = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    mrw_dual_quaternion motion;
    mrw_mat4 scale;
    ck_assert(
        !mrw_dual_quaternion_palette(&(mrw_dual_quaternion_job){1, &m, NULL, 0, &motion, &scale}));
    assert_near(motion.real, real, 4, 1e-6);
    assert_near(motion.dual, dual, 4, 4e-6);
    ck_assert_mem_eq(&scale, &one, sizeof one);
}
END_TEST

/* Turns whose largest component is each of the four, and exact half turns. */
START_TEST(every_rotation_is_recognised)
{
    static const double axes[7][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},
                                      {0, 1, -1}, {-1, 0, 1}, {1, -2, 3}};
    for (int a = 0; a < 7; a++) {
        for (int degrees = -360; degrees <= 360; degrees += 15) {
            joint j = {.t = {1, 2, 3}};
            mrw_dual_quaternion motion;
            mrw_mat4 scale;
            turn(axes[a][0], axes[a][1], axes[a][2], degrees, j.q);
            set_scale(&j, 1, 1, 1, 0, 0, 0);
            mrw_mat4 m = matrix_of(&j);
            mrw_dual_quaternion_palette(
                &(mrw_dual_quaternion_job){1, &m, NULL, 0, &motion, &scale});
            double dot = 0, length = 0;
            for (int k = 0; k < 4; k++) {
                dot += (double)motion.real[k] * j.q[k];
                length += (double)motion.real[k] * (double)motion.real[k];
            }
            ck_assert_double_ge(fabs(dot), 1.0 - 1e-6);
            ck_assert_double_le(fabs(length - 1.0), 1e-6);
        }
    }
}
END_TEST

/* The symmetric factor of a matrix made of known parts comes back. */
START_TEST(scale_and_shear_are_recognised)
{
    static fixture f;
    random_state = 20;
    for (int round = 0; round < 100; round++) {
        fill(&f, 180.0);
        for (int i = 0; i < JOINTS; i++) {
            double d = 0.3 * random_double(), e = 0.3 * random_double(), g = 0.3 * random_double();
            double k =
                i % 2 ? 1.0 : 1e-3; /* 1 ... 2 on the diagonal dominates: positive definite */
            set_scale(&f.joints[i], k * (1.5 + 0.5 * random_double()),
                      k * (1.5 + 0.5 * random_double()), k * (1.5 + 0.5 * random_double()), k * d,
                      k * e, k * g);
        }
        build(&f);
        ck_assert(f.scaled);
        for (int i = 0; i < JOINTS; i++) {
            double largest = i % 2 ? 2.0 : 2e-3;
            for (int k = 0; k < 9; k++) {
                ck_assert_double_le(
                    fabs((double)f.scales[i].m[4 * (k / 3) + k % 3] - f.joints[i].s[k]),
                    1e-6 * largest);
            }
        }
    }
}
END_TEST

/* ---- against linear skinning ----------------------------------------------------------------- */

/* All influences of a vertex say the same rigid motion. */
START_TEST(rigid_joints_move_as_in_linear_skinning)
{
    static fixture f;
    static result linear, dual;
    random_state = 21;
    for (int round = 0; round < 50; round++) {
        fill(&f, 180.0);
        for (int i = 1; i < JOINTS; i++) {
            f.joints[i] = f.joints[0];
        }
        build(&f);
        ck_assert(!f.scaled);
        skin(&f, COUNT, false, &linear);
        skin(&f, COUNT, true, &dual);
        assert_same(&dual, &linear, 3e-6);
    }
}
END_TEST

/* One influence: any matrix, also one that shears, mirrors, flattens to a plane, a line or a point.
 */
START_TEST(a_single_influence_is_its_matrix)
{
    static fixture f;
    static result linear, dual;
    random_state = 22;
    for (int round = 0; round < 200; round++) {
        fill(&f, 180.0);
        build(&f);
        for (int i = 0; i < JOINTS; i++) {
            float *m = f.palette[i].m;
            float u = (float)random_double(), v = (float)random_double();
            for (int k = 0; k < 12; k++) {
                m[k] = k % 4 == 3 ? 0.0f : (float)random_double();
            }
            for (int r = 0; r < 3 && i < 6; r++) {
                m[8 + r] = i == 3 ? u * m[r] + v * m[4 + r] : i > 3 ? v * m[r] : m[8 + r];
                m[4 + r] = i > 3 ? u * m[r] : m[4 + r];
                m[0 + r] = i == 5 ? 0.0f : m[r];
                m[4 + r] = i == 5 ? 0.0f : m[4 + r];
                m[8 + r] = i == 5 ? 0.0f : m[8 + r];
            }
        }
        split(&f);
        ck_assert(f.scaled);
        skin(&f, 1, false, &linear);
        skin(&f, 1, true, &dual);
        assert_near(dual.positions, linear.positions, 4 * VERTICES, 1e-5);
        assert_near(dual.tangents, linear.tangents, 4 * VERTICES, 1e-5);
        for (int v = 0; v < VERTICES; v++) {
            if (f.indices[v] < 3 || f.indices[v] > 5) { /* the determinant's sign is no rounding */
                assert_near(dual.normals + 4 * v, linear.normals + 4 * v, 4, 1e-5);
            }
        }
    }
}
END_TEST

/* The candy wrapper. One joint rests, the other is twisted by half a turn about y; the vertex
 * (1, 2, 0) hangs on both alike. Linear: (1 - 1) / 2 = 0 from the axis. Dual quaternions: a quarter
 * turn, to (0, 2, -1). With weights 3/4 and 1/4 the radius stays 1, too. */
START_TEST(a_twist_keeps_the_radius)
{
    static fixture f;
    static result out;
    const float quarter[4] = {0, 2, -1, 1};
    fill(&f, 0.0);
    for (int i = 0; i < JOINTS; i++) {
        f.joints[i] = (joint){.q = {0, 0, 0, 1}, .s = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    }
    build(&f);
    f.palette[1] = (mrw_mat4){{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}};
    split(&f);
    for (int v = 0; v < VERTICES; v++) {
        const float weights[2][2] = {{0.5f, 0.5f}, {0.75f, 0.25f}};
        memcpy(f.positions + 3 * v, (float[3]){1, 2, 0}, 3 * sizeof(float));
        memcpy(f.indices + 2 * v, (uint16_t[2]){0, 1}, 2 * sizeof(uint16_t));
        memcpy(f.weights + 2 * v, weights[v % 2], 2 * sizeof(float));
    }
    skin(&f, 2, false, &out);
    ck_assert(out.positions[0] == 0.0f && out.positions[1] == 2.0f && out.positions[2] == 0.0f);
    skin(&f, 2, true, &out);
    assert_near(out.positions, quarter, 4, 1e-6);
    const double x = (double)out.positions[4], z = (double)out.positions[6];
    ck_assert_double_le(fabs(x * x + z * z - 1.0), 1e-6);
    ck_assert_float_gt(out.positions[4], 0.5f); /* between the ends: about 37 degrees */
}
END_TEST

/* ---- against double -------------------------------------------------------------------------- */

/* Two phases by definition; quaternions by their products. */
static void evaluate(const fixture *f, int vertex, double out[3])
{
    const joint *first = &f->joints[f->indices[COUNT * vertex]];
    const double common = (f->joints[0].s[0] + f->joints[0].s[4] + f->joints[0].s[8]) / 3.0;
    double v[3], scaled[3] = {0, 0, 0}, real[4] = {0}, dual[4] = {0}, length = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = (double)f->positions[3 * vertex + k];
    }
    for (int i = 0; i < COUNT; i++) {
        const joint *j = &f->joints[f->indices[COUNT * vertex + i]];
        double w = (double)f->weights[COUNT * vertex + i], from[3], grown[3], back[3], dot = 0;
        /* S (v - pivot) + common pivot, and the motion that still ends at A v + t */
        for (int k = 0; k < 3; k++) {
            from[k] = v[k] - j->pivot[k];
        }
        apply9(j->s, from, grown);
        for (int k = 0; k < 3; k++) {
            scaled[k] += w * (grown[k] + common * j->pivot[k]);
        }
        apply9(j->s, j->pivot, back);
        for (int k = 0; k < 3; k++) {
            back[k] = common * j->pivot[k] - back[k];
        }
        double turned[3], t[4] = {0}, product[4];
        rotate(j->q, back, turned);
        for (int k = 0; k < 3; k++) {
            t[k] = j->t[k] - turned[k];
        }
        multiply(t, j->q, product);
        for (int k = 0; k < 4; k++) {
            dot += first->q[k] * j->q[k];
        }
        w = dot < 0 ? -w : w;
        for (int k = 0; k < 4; k++) {
            real[k] += w * j->q[k];
            dual[k] += w * 0.5 * product[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        length += real[k] * real[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 4; k++) {
        real[k] /= length;
        dual[k] /= length;
    }
    double turned[3], back[4], t[4];
    rotate(real, scaled, turned);
    conjugate(real, back);
    multiply(dual, back, t);
    for (int k = 0; k < 3; k++) {
        out[k] = turned[k] + 2.0 * t[k];
    }
}

static void check_against_double(const fixture *f)
{
    static result out;
    skin(f, COUNT, true, &out);
    for (int v = 0; v < VERTICES; v++) {
        double expected[3];
        evaluate(f, v, expected);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_le(fabs((double)out.positions[4 * v + k] - expected[k]), 2e-5);
        }
    }
}

START_TEST(rigid_joints_blend_as_motions)
{
    static fixture f;
    random_state = 23;
    for (int round = 0; round < 50; round++) {
        fill(&f, 360.0); /* half of the quaternions lie on the other side */
        build(&f);
        ck_assert(!f.scaled);
        check_against_double(&f);
    }
}
END_TEST

START_TEST(uniform_scales_blend_linearly)
{
    static fixture f;
    random_state = 24;
    for (int round = 0; round < 50; round++) {
        fill(&f, 360.0);
        for (int i = 0; i < JOINTS; i++) {
            double s = 1.25 + random_double();
            set_scale(&f.joints[i], s, s, s, 0, 0, 0);
        }
        build(&f);
        check_against_double(&f);
    }
}
END_TEST

START_TEST(shears_blend_linearly)
{
    static fixture f;
    random_state = 25;
    for (int round = 0; round < 50; round++) {
        fill(&f, 360.0);
        for (int i = 0; i < JOINTS; i++) {
            set_scale(&f.joints[i], 1.2 + 0.4 * random_double(), 1.2 + 0.4 * random_double(),
                      1.2 + 0.4 * random_double(), 0.3 * random_double(), 0.3 * random_double(),
                      0.3 * random_double());
        }
        build(&f);
        check_against_double(&f);
    }
}
END_TEST

/* ---- properties ------------------------------------------------------------------------------ */

/* q and -q are one motion: exactly, as all products of two signs stay. */
START_TEST(antipodal_motions_give_the_same_bits)
{
    static fixture f;
    static result before, after;
    random_state = 26;
    for (int round = 0; round < 20; round++) {
        fill(&f, 180.0);
        set_scale(&f.joints[round % JOINTS], 1, 2, 3, 0, 0, 0);
        build(&f);
        skin(&f, COUNT, true, &before);
        for (int i = 0; i < JOINTS; i++) {
            bool negate = random_double() < 0.0;
            for (int k = 0; k < 4 && negate; k++) {
                f.motions[i].real[k] = -f.motions[i].real[k];
                f.motions[i].dual[k] = -f.motions[i].dual[k];
            }
        }
        skin(&f, COUNT, true, &after);
        ck_assert_mem_eq(&before, &after, sizeof before);
    }
}
END_TEST

/* A map W from world to world in front of all joints: W after the old picture. Here: larger by 3,
 * and mirrored. */
static void check_world_map(double scale, double mirror)
{
    static fixture f, g;
    static result before, after;
    fill(&f, 180.0);
    set_scale(&f.joints[3], 1.5, 1.5, 1.5, 0, 0, 0);
    set_scale(&f.joints[4], 1.5, 0.5, 1.0, 0, 0, 0);
    build(&f);
    g = f;
    for (int i = 0; i < JOINTS; i++) {
        for (int k = 0; k < 16; k++) {
            if (k % 4 < 3) {
                g.palette[i].m[k] *= (float)(k % 4 == 0 ? scale * mirror : scale);
            }
        }
    }
    split(&g);
    skin(&f, COUNT, true, &before);
    skin(&g, COUNT, true, &after);
    for (int v = 0; v < VERTICES; v++) {
        for (int k = 0; k < 3; k++) {
            double expected =
                (double)before.positions[4 * v + k] * (k == 0 ? scale * mirror : scale);
            ck_assert_double_le(fabs((double)after.positions[4 * v + k] - expected), 3e-5 * scale);
        }
    }
}

START_TEST(a_scaled_model_is_the_picture_scaled)
{
    random_state = 27;
    for (int round = 0; round < 20; round++) {
        check_world_map(3.0, 1.0);
        check_world_map(0.01, 1.0);
    }
}
END_TEST

START_TEST(a_mirrored_model_is_the_picture_mirrored)
{
    random_state = 28;
    for (int round = 0; round < 20; round++) {
        check_world_map(1.0, -1.0);
    }
}
END_TEST

/* A head twice as large that nods by 60 degrees about its joint at (0, 16, 0): what hangs there on
 * head and neck alike stays there. */
START_TEST(a_joint_that_scales_stays_joined)
{
    static fixture f;
    static result out;
    const float place[4] = {0, 16, 0, 1};
    fill(&f, 0.0);
    for (int i = 0; i < JOINTS; i++) {
        f.joints[i] = (joint){.q = {0, 0, 0, 1}, .s = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    }
    joint *head = &f.joints[1];
    double there[3] = {0, 32, 0}, turned[3];
    turn(1, 0, 0, 60, head->q);
    set_scale(head, 2, 2, 2, 0, 0, 0);
    head->pivot[1] = 16;
    rotate(head->q, there, turned);
    for (int k = 0; k < 3; k++) {
        head->t[k] = (k == 1 ? 16.0 : 0.0) - turned[k];
    }
    build(&f);
    for (int v = 0; v < VERTICES; v++) {
        memcpy(f.positions + 3 * v, place, 3 * sizeof(float));
        memcpy(f.indices + 2 * v, (uint16_t[2]){0, 1}, 2 * sizeof(uint16_t));
        memcpy(f.weights + 2 * v, (float[2]){0.5f, 0.5f}, 2 * sizeof(float));
    }
    skin(&f, 2, true, &out);
    assert_near(out.positions, place, 4, 1e-5);
}
END_TEST

/* What is no number, or none that can be computed with, gives no NaN. */
START_TEST(hostile_palettes_are_harmless)
{
    static const float values[] = {0.0f, -0.0f, 1e-45f, 3.4e38f, -3.4e38f, 1e-30f, 1.0f, INFINITY};
    static fixture f;
    static result out;
    random_state = 29;
    for (int round = 0; round < 300; round++) {
        fill(&f, 180.0);
        for (int i = 0; i < JOINTS; i++) {
            for (int k = 0; k < 16; k++) {
                f.palette[i].m[k] = k % 4 == 3 ? (k == 15 ? 1.0f : 0.0f)
                                               : values[(int)((random_double() + 1.0) * 3.99)];
            }
        }
        split(&f);
        skin(&f, COUNT, true, &out);
        for (int i = 0; i < 4 * VERTICES; i++) {
            ck_assert(!isnan(out.positions[i]) && !isnan(out.normals[i]) &&
                      !isnan(out.tangents[i]));
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("skin_dual");
    TCase *palette = tcase_create("palette");
    tcase_add_test(palette, motion_of_a_matrix_by_hand);
    tcase_add_test(palette, every_rotation_is_recognised);
    tcase_add_test(palette, scale_and_shear_are_recognised);
    suite_add_tcase(s, palette);
    TCase *values = tcase_create("values");
    tcase_add_test(values, rigid_joints_move_as_in_linear_skinning);
    tcase_add_test(values, a_single_influence_is_its_matrix);
    tcase_add_test(values, a_twist_keeps_the_radius);
    tcase_add_test(values, rigid_joints_blend_as_motions);
    tcase_add_test(values, uniform_scales_blend_linearly);
    tcase_add_test(values, shears_blend_linearly);
    suite_add_tcase(s, values);
    TCase *properties = tcase_create("properties");
    tcase_add_test(properties, antipodal_motions_give_the_same_bits);
    tcase_add_test(properties, a_scaled_model_is_the_picture_scaled);
    tcase_add_test(properties, a_mirrored_model_is_the_picture_mirrored);
    tcase_add_test(properties, a_joint_that_scales_stays_joined);
    tcase_add_test(properties, hostile_palettes_are_harmless);
    suite_add_tcase(s, properties);
    return s;
}

TEST_MAIN(suite())
