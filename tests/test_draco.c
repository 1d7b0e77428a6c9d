/* test_draco.c: KHR_draco_mesh_compression. The buffers in tests/data/draco are of a grid that
 * scripts/make_draco.py and this program compute each for itself, in formulas of integers. */
#include "load_gltf.h"

#include "base/sha256.h"
#include "load/draco.h"

#include <sys/stat.h>
#include <unistd.h>

/* An emulated helper cannot be started: there the module of `make same-arm64` is used. */
#ifdef __aarch64__
#define IN_PROCESS true
#else
#define IN_PROCESS false
#endif

enum { WIDTH = 12, HEIGHT = 9, POINTS = WIDTH * HEIGHT, FACES = 2 * (WIDTH - 1) * (HEIGHT - 1) };

static mrw_scene *try_with(const mrw_load_def *def, const char *json)
{
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_load_memory(json, strlen(json), "t.gltf", NULL, def, &scene, &error);
    ck_assert_int_eq(status, error.status);
    return scene;
}

static mrw_scene *load_draco(const char *json)
{
    mrw_load_def def = mrw_load_def_default();
    def.no_sandbox = IN_PROCESS;
    mrw_scene *scene = try_with(&def, json);
    ck_assert_msg(scene, "%s", error.text);
    return scene;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static int bump(int i, int j)
{
    return (7 * i * i + 5 * j * j + 3 * i * j) % 17;
}

/* Puts a file of tests/data/draco at the start of the buffer. */
static size_t put_file(const char *name)
{
    static uint8_t data[16384];
    char path[200];
    snprintf(path, sizeof path, "tests/data/draco/%s.drc", name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    reset();
    put_bytes(data, size);
    return size;
}

#define REQUIRED ",'extensionsRequired':['KHR_draco_mesh_compression']"
#define SHAPE(type, count, shape)                                                                  \
    "{'componentType':" #type ",'count':" #count ",'type':'" #shape "'}"
#define COLOR_SHAPE "{'componentType':5121,'count':108,'type':'VEC4','normalized':true}"
#define GRID_ACCESSORS                                                                             \
    SHAPE(5125, 528, SCALAR)                                                                       \
    "," SHAPE(5126, 108, VEC3) "," SHAPE(5126, 108, VEC3) "," SHAPE(                               \
        5126, 108, VEC2) "," COLOR_SHAPE "," SHAPE(5121, 108, VEC4) "," SHAPE(5126, 108, VEC4)
#define GRID_NAMES                                                                                 \
    "'indices':0,'attributes':{'POSITION':1,'NORMAL':2,'TEXCOORD_0':3,'COLOR_0':4,'JOINTS_0':5,"   \
    "'WEIGHTS_0':6}"
#define GRID_IDS "{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2,'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5}"
#define DRACO(view, ids)                                                                           \
    "'extensions':{'KHR_draco_mesh_compression':{'bufferView':" #view ",'attributes':" ids "}}"
#define GRID_PRIMITIVE "{" GRID_NAMES "," DRACO(0, GRID_IDS) "}"
#define SKIN           "'skins':[{'joints':[1,2,3,4]}]"
#define SKINNED        ",'nodes':[{'mesh':0,'skin':0},{},{},{},{}]," SKIN REQUIRED

static const char *grid(void)
{
    return gltf("],'accessors':[" GRID_ACCESSORS "],'meshes':[{'primitives':[" GRID_PRIMITIVE
                "]}]" SKINNED);
}

/* The point that a vertex is, found by its position, which must be within half a step of it. */
static int point_of(const float *p, double half)
{
    int i = (int)(p[0] * 8 + 0.5f), j = (int)(p[1] * 8 + 0.5f);
    ck_assert(i >= 0 && i < WIDTH && j >= 0 && j < HEIGHT);
    check_floats(p, (const double[]){i / 8.0, j / 8.0, bump(i, j) / 32.0}, 3, half + 1e-7);
    return j * WIDTH + i;
}

/* A quantised normal is a point of the octahedron, of which two coordinates are rounded and the
 * third is the rest: none is off by more than a step. */
static void check_normal(const float *got, int i, int j, double step)
{
    int z = bump(i, j) - 8 != 0 ? bump(i, j) - 8 : 1;
    const double want[3] = {i - 6, j - 4, z};
    double sum = fabs(want[0]) + fabs(want[1]) + fabs(want[2]), all = 0.0, squares = 0.0;
    for (int c = 0; c < 3; c++) {
        all += fabs((double)got[c]);
        squares += (double)got[c] * (double)got[c];
    }
    ck_assert_double_eq_tol(squares, 1.0, 1e-5);
    for (int c = 0; c < 3; c++) {
        ck_assert_double_eq_tol((double)got[c] / all, want[c] / sum, step + 1e-6);
    }
}

static void check_influences(const mrw_scene *s, uint32_t vertex, int i, int j, double half)
{
    const mrw_influence_group *group = &s->groups[s->meshes[0].first_group];
    ck_assert_uint_eq(s->meshes[0].group_count, 1);
    ck_assert_uint_eq(group->influence_count, 2);
    for (uint32_t k = 0; k < 2; k++) {
        size_t at = group->first_influence + vertex * 2 + k;
        bool first = s->influence_joints[at] == (uint32_t)(i % 4);
        ck_assert_uint_eq(s->influence_joints[at], (uint32_t)(first ? i % 4 : (i + 1) % 4));
        /* normalised over two that may both be off */
        ck_assert_double_eq_tol((double)s->influence_weights[at], (first ? 9 + j : 23 - j) / 32.0,
                                2 * half + 1e-6);
    }
}

/* Every triangle once, from its smallest point on. */
static int triangle_code(const int v[3])
{
    int s = v[0] < v[1] && v[0] < v[2] ? 0 : v[1] < v[2] ? 1 : 2;
    return (v[s] * POINTS + v[(s + 1) % 3]) * POINTS + v[(s + 2) % 3];
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void check_triangles(const int points[3 * FACES])
{
    int got[FACES], want[FACES], count = 0;
    for (int j = 0; j + 1 < HEIGHT; j++) {
        for (int i = 0; i + 1 < WIDTH; i++) {
            int a = j * WIDTH + i;
            want[count++] = triangle_code((const int[]){a, a + 1, a + WIDTH + 1});
            want[count++] = triangle_code((const int[]){a, a + WIDTH + 1, a + WIDTH});
        }
    }
    for (int f = 0; f < FACES; f++) {
        got[f] = triangle_code(points + 3 * f);
    }
    qsort(got, FACES, sizeof *got, compare_ints);
    qsort(want, FACES, sizeof *want, compare_ints);
    ck_assert_mem_eq(got, want, sizeof want);
}

static void check_grid(const mrw_scene *s, bool quantized)
{
    /* half a step of 11, 10 and 8 bits over the greatest extent of an attribute */
    const double position = quantized ? 11.0 / 8 / 2047 / 2 : 0.0;
    const double uv = quantized ? 1.0 / 1023 / 2 : 0.0,
                 weight = quantized ? 23.0 / 32 / 255 / 2 : 0.0;
    int points[3 * FACES];
    ck_assert_uint_eq(s->meshes_count, 1);
    const mrw_mesh *mesh = &s->meshes[0];
    ck_assert_uint_eq(mesh->vertex_count, POINTS);
    ck_assert_uint_eq(mesh->triangle_count, FACES);
    for (uint32_t k = 0; k < 3 * FACES; k++) {
        size_t v = corner(s, 0, k);
        int point = point_of(s->positions + 3 * (mesh->position + v), position);
        int i = point % WIDTH, j = point / WIDTH;
        points[k] = point;
        check_normal(s->normals + 3 * (mesh->normal + v), i, j, quantized ? 2.0 / 254 : 0.0);
        check_floats(s->uvs + 2 * (mesh->uv[0] + v), (const double[]){i / 11.0, j / 8.0}, 2,
                     uv + 1e-7);
        check_floats(
            s->colors + 4 * (mesh->color + v),
            (const double[]){i * 20 / 255.0, j * 25 / 255.0, i * j / 255.0, (255 - i) / 255.0}, 4,
            1e-6);
        check_influences(s, (uint32_t)v, i, j, weight);
    }
    check_triangles(points);
}

/* SHA-256 of all that was decoded: the same on every machine. */
static const struct {
    const char *name;
    bool quantized;
    const char *hash;
} grids[] = {
    {"grid-smallest", true, "04b8fb10457aab3aabca0942b7fe7a2d42fd50dc5b1e53c5cc55412f4e2b9c2d"},
    {"grid-default", true, "f88460cbe5f9368f2b4a725fb562b8e9125d573cb06fee6beb0a1d9d7c1a1880"},
    {"grid-fastest", true, "f88460cbe5f9368f2b4a725fb562b8e9125d573cb06fee6beb0a1d9d7c1a1880"},
    {"grid-sequential", true, "e1fb7a9a0e1ac90c725decabf122fbbf96533bdbad46f45dc983c9b1eb0ceb0a"},
    {"grid-floats", false, "bb778eea22aeb03bccf5d57e10544dcd92701b6cb9a1304a3d9cbe268a0ef6f6"},
};

static void hash_scene(const mrw_scene *s, char out[65])
{
    const mrw_mesh *mesh = &s->meshes[0];
    const size_t count = mesh->vertex_count;
    uint8_t hash[32];
    mrwi_base_sha256 state;
    mrwi_base_sha256_begin(&state);
    mrwi_base_sha256_add(&state, s->indices, 3 * mesh->triangle_count * sizeof *s->indices);
    mrwi_base_sha256_add(&state, s->positions + 3 * mesh->position, 12 * count);
    mrwi_base_sha256_add(&state, s->normals + 3 * mesh->normal, 12 * count);
    mrwi_base_sha256_add(&state, s->uvs + 2 * mesh->uv[0], 8 * count);
    mrwi_base_sha256_add(&state, s->influence_weights, 8 * count);
    mrwi_base_sha256_end(&state, hash);
    for (int i = 0; i < 32; i++) {
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
    }
}

START_TEST(decodes)
{
    char hash[65];
    put_file(grids[_i].name);
    mrw_scene *scene = load_draco(grid());
    ck_assert_uint_eq(scene->warnings_count, 0);
    check_grid(scene, grids[_i].quantized);
    hash_scene(scene, hash);
    ck_assert_str_eq(hash, grids[_i].hash);
    mrw_scene_free(scene);
}
END_TEST

/* Integers stay what they are: KHR_mesh_quantization. */
START_TEST(decodes_integers)
{
    put_file("grid-short");
    mrw_scene *s = load_draco(gltf("],'accessors':[" SHAPE(5123, 528, SCALAR) "," SHAPE(
        5122, 108, VEC3) ",{'componentType':5123,'count':108,'type':'VEC3','normalized':true}],"
                         "'meshes':[{'primitives':[{'indices':0,'attributes':{'POSITION':1,'COLOR_"
                         "0':2}," DRACO(0, "{'POSITION':0,'COLOR_0':1}") "}]}]" ONE_NODE));
    const mrw_mesh *mesh = &s->meshes[0];
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(mesh->triangle_count, FACES);
    for (uint32_t k = 0; k < 3 * FACES; k++) {
        size_t v = corner(s, 0, k);
        const float *p = s->positions + 3 * (mesh->position + v);
        int i = (int)(p[0] + 600) / 100, j = (int)(p[1] + 400) / 100;
        check_floats(p, (const double[]){i * 100 - 600, j * 100 - 400, bump(i, j) * -30}, 3, 0.0);
        check_floats(
            s->colors + 4 * (mesh->color + v),
            (const double[]){i * 5000 / 65535.0, j * 8000 / 65535.0, (65535 - i) / 65535.0, 1.0}, 4,
            1e-6);
    }
    mrw_scene_free(s);
}
END_TEST

/* ---- arithmetic ------------------------------------------------------------------------------ */

START_TEST(dequantizes)
{
    mrwi_load_draco_attribute a = {.kind = MRWI_LOAD_DRACO_QUANTIZED,
                                   .components = 2,
                                   .bits = 10,
                                   .minimum = {-3.0f, 100.0f},
                                   .range = 5.0f};
    const uint32_t q[] = {0, 1023, 512, 1};
    float out[4];
    mrwi_load_draco_dequantize(&a, q, 2, out);
    check_floats(out, (const double[]){-3.0, 105.0, -3.0 + 512 * 5.0 / 1023, 100 + 5.0 / 1023}, 4,
                 1e-5);
    a.bits = 1;
    mrwi_load_draco_dequantize(&a, (const uint32_t[]){1, 0}, 1, out);
    check_floats(out, (const double[]){2.0, 100.0}, 2, 0.0);
}
END_TEST

START_TEST(opens_octahedra)
{
    /* the centre is +X, the corners -X, the middles of the edges the other axes */
    static const struct {
        uint32_t s, t;
        double want[3];
    } cases[] = {{127, 127, {1, 0, 0}}, {0, 0, {-1, 0, 0}},   {254, 254, {-1, 0, 0}},
                 {254, 127, {0, 1, 0}}, {0, 127, {0, -1, 0}}, {127, 254, {0, 0, 1}},
                 {127, 0, {0, 0, -1}},  {0, 254, {-1, 0, 0}}};
    float out[3];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrwi_load_draco_octahedral(cases[i].s, cases[i].t, 8, out);
        check_floats(out, cases[i].want, 3, 1e-6);
    }
    /* whatever the sides, |x| + |y| + |z| is what was folded */
    for (uint32_t s = 0; s <= 14; s++) {
        for (uint32_t t = 0; t <= 14; t++) {
            mrwi_load_draco_octahedral(s, t, 4, out);
            double y = s / 7.0 - 1, z = t / 7.0 - 1, x = 1 - fabs(y) - fabs(z);
            if (x < 0) {
                double folded = 1 - fabs(z);
                z = (z < 0 ? -1 : 1) * (1 - fabs(y));
                y = (y < 0 ? -1 : 1) * folded;
            }
            double length = sqrt(x * x + y * y + z * z);
            ck_assert(fabs((double)out[1]) <= 1.0);
            check_floats(out, (const double[]){x / length, y / length, z / length}, 1, 1e-6);
            ck_assert_double_eq_tol(fabs((double)out[1]), fabs(y / length), 1e-6);
            ck_assert_double_eq_tol(fabs((double)out[2]), fabs(z / length), 1e-6);
        }
    }
    mrwi_load_draco_octahedral(1u << 30, 1u << 30, 2, out); /* of a damaged file */
    ck_assert(isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]));
}
END_TEST

/* ---- primitives ------------------------------------------------------------------------------ */

/* A mesh has two primitives of one buffer view, one of another, and one that is not compressed. */
START_TEST(several_primitives)
{
    size_t size = put_file("grid-default");
    size_t plain = PUT(float, TRIANGLE);
    mrw_scene *s = load_draco(
        gltf(",{'buffer':0,'byteLength':%zu},{'buffer':0,'byteOffset':%zu,'byteLength':36}],"
             "'accessors':[" GRID_ACCESSORS
             ",{'bufferView':2,'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{"
             "'primitives':[" GRID_PRIMITIVE "," GRID_PRIMITIVE ",{" GRID_NAMES
             "," DRACO(1, GRID_IDS) "},{'attributes':{'POSITION':7}}]}]" SKINNED,
             size, plain));
    ck_assert_uint_eq(s->warnings_count, 1); /* the last one follows its node */
    ck_assert_uint_eq(s->meshes_count, 4);
    for (int m = 0; m < 3; m++) {
        ck_assert_uint_eq(s->meshes[m].triangle_count, FACES);
    }
    ck_assert_uint_eq(s->meshes[3].triangle_count, 1);
    mrw_scene_free(s);
}
END_TEST

/* A Draco mesh is triangles, also where a decoder may make a strip of them. */
START_TEST(strips_are_triangles)
{
    put_file("grid-default");
    mrw_scene *s = load_draco(gltf("],'accessors':[" GRID_ACCESSORS
                                   "],'meshes':[{'primitives':[{'mode':5," GRID_NAMES
                                   "," DRACO(0, GRID_IDS) "}]}]" SKINNED));
    ck_assert_uint_eq(s->warnings_count, 0);
    check_grid(s, true);
    mrw_scene_free(s);
}
END_TEST

/* Points of sequential meshes keep their order: point k of target and mesh belong together. */
START_TEST(morph_targets_come_from_accessors)
{
    static float delta[3 * POINTS];
    for (int k = 0; k < POINTS; k++) {
        delta[3 * k] = (float)k;
    }
    size_t size = put_file("grid-sequential");
    size_t target = put_bytes(delta, sizeof delta);
    mrw_scene *s = load_draco(
        gltf(",{'buffer':0,'byteLength':%zu},{'buffer':0,'byteOffset':%zu,'byteLength':1296}],"
             "'accessors':[" GRID_ACCESSORS
             ",{'bufferView':2,'componentType':5126,'count':108,'type':'VEC3'}],'meshes':[{"
             "'primitives':[{" GRID_NAMES
             ",'targets':[{'POSITION':7}]," DRACO(1, GRID_IDS) "}]}]" SKINNED,
             size, target));
    ck_assert_uint_eq(s->warnings_count, 0);
    check_grid(s, true);
    const mrw_mesh *mesh = &s->meshes[0];
    ck_assert_uint_eq(mesh->target_count, 1);
    const mrw_morph_target *t = &s->targets[mesh->first_target];
    ck_assert_uint_eq(t->entry_count, POINTS - 1); /* but point 0, which does not move */
    for (uint32_t e = 0; e < t->entry_count; e++) {
        uint32_t v = s->morph_vertices[t->first_entry + e];
        int point = point_of(s->positions + 3 * (mesh->position + v), 1e-3);
        ck_assert_double_eq((double)s->morph_positions[3 * (t->first_entry + e)], point);
    }
    mrw_scene_free(s);
}
END_TEST

/* ---- what is wrong --------------------------------------------------------------------------- */

static void expect_warning(const char *json, uint32_t meshes, const char *part)
{
    mrw_scene *s = load_draco(json);
    ck_assert_msg(has_warning(s, part), "%s: %s", part,
                  s->warnings_count > 0 ? mrw_scene_string(s, s->warnings[0]) : "no warning");
    ck_assert(has_warning(s, "mesh 0 primitive 0"));
    ck_assert_uint_eq(s->meshes_count, meshes);
    mrw_scene_free(s);
}

#define PRIMITIVE(accessors, body)                                                                 \
    gltf("],'accessors':[" accessors "],'meshes':[{'primitives':[{" body "}]}]" SKINNED)

START_TEST(misfits)
{
    put_file("grid-default");
    /* counts are the mesh's */
    expect_warning(PRIMITIVE(SHAPE(5125, 531, SCALAR) "," SHAPE(5126, 107, VEC3),
                             "'indices':0,'attributes':{'POSITION':1}," DRACO(0, "{'POSITION':0}")),
                   1, "2 of its accessors have different counts");
    expect_warning(PRIMITIVE(SHAPE(5125, 528, SCALAR) "," SHAPE(5126, 108, VEC2),
                             "'indices':0,'attributes':{'POSITION':1}," DRACO(0, "{'POSITION':0}")),
                   0, "has a different type");
    expect_warning(PRIMITIVE(SHAPE(5125, 528, SCALAR) "," SHAPE(5122, 108, VEC3),
                             "'indices':0,'attributes':{'POSITION':1}," DRACO(0, "{'POSITION':0}")),
                   0, "has a different type");
    /* 255 in an int8 */
    expect_warning(
        PRIMITIVE(SHAPE(5125, 528, SCALAR) "," SHAPE(5126, 108, VEC3) "," SHAPE(5120, 108, VEC4),
                  "'indices':0,'attributes':{'POSITION':1,'COLOR_0':2}," DRACO(
                      0, "{'POSITION':0,'COLOR_0':3}")),
        0, "has a different type");
    expect_warning(PRIMITIVE(SHAPE(5125, 528, SCALAR) "," SHAPE(5126, 108, VEC3),
                             "'indices':0,'attributes':{'POSITION':1}," DRACO(0, "{'POSITION':9}")),
                   0, "is attribute 9");
    expect_warning(PRIMITIVE(SHAPE(5125, 528, SCALAR) "," SHAPE(5126, 108, VEC3),
                             "'indices':0,'attributes':{'POSITION':1}," DRACO(7, "{'POSITION':0}")),
                   0, "buffer views");
    /* what is not compressed must have as many rows */
    size_t plain = PUT(float, TRIANGLE);
    expect_warning(
        gltf(",{'buffer':0,'byteOffset':%zu,'byteLength':36}],'accessors':[" SHAPE(
                 5125, 528,
                 SCALAR) "," SHAPE(5126, 108,
                                   VEC3) ",{'bufferView':1,'componentType':5126,'count':3,'type':'"
                                         "VEC3'}],'meshes':[{"
                                         "'primitives':[{'indices':0,'attributes':{'POSITION':1,'"
                                         "NORMAL':2}," DRACO(0, "{'POSITION':0}") "}]}]" ONE_NODE,
             plain),
        0, "has 3 elements");
}
END_TEST

/* A buffer that is not there is looked for a few times, not once a primitive. */
START_TEST(missing_buffer)
{
    char primitives[40 * 200] = "", views[40 * 50] = "";
    for (int i = 0; i < 40; i++) {
        snprintf(views + strlen(views), sizeof views - strlen(views),
                 ",{'buffer':1,'byteLength':%d}", 100 + i);
        snprintf(primitives + strlen(primitives), sizeof primitives - strlen(primitives),
                 "%s{'indices':0,'attributes':{'POSITION':1},'extensions':{"
                 "'KHR_draco_mesh_compression':{'bufferView':%d,'attributes':{'POSITION':0}}}}",
                 i > 0 ? "," : "", i + 1);
    }
    put_file("grid-default");
    mrw_scene *s = load_draco(gltf("%s],'accessors':[" SHAPE(5125, 528, SCALAR) "," SHAPE(
                                       5126, 108, VEC3) "],'meshes':[{'primitives':[%s]}]" ONE_NODE,
                                   views, primitives));
    ck_assert_uint_eq(s->meshes_count, 0);
    ck_assert(
        has_warning(s, "mesh 0 primitive 39: its Draco mesh cannot be read: its buffer view"));
    mrw_scene_free(s);
}
END_TEST

/* Its accessors have data of their own: these are read where the Draco mesh is damaged. */
START_TEST(falls_back)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        size_t size = put_file("grid-default");
        size_t plain = PUT(float, TRIANGLE), order = PUT(uint16_t, 0, 1, 2);
        memset(bin.data + 20, 0xa5, damaged ? size - 20 : 0);
        mrw_scene *s = load_draco(gltf(
            ",{'buffer':0,'byteLength':%zu},{'buffer':0,'byteOffset':%zu,'byteLength':36},{"
            "'buffer':0,'byteOffset':%zu,'byteLength':6}],'accessors':[{'bufferView':3,"
            "'componentType':5123,'count':3,'type':'SCALAR'},{'bufferView':2,'componentType':5126,"
            "'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{'indices':0,'attributes':{"
            "'POSITION':1}," DRACO(1, "{'POSITION':0}") "}]}]" ONE_NODE,
            size, plain, order));
        ck_assert_uint_eq(s->meshes_count, 1);
        ck_assert_uint_eq(s->meshes[0].triangle_count, damaged ? 1 : FACES);
        ck_assert(!damaged || has_warning(s, "data of their own"));
        mrw_scene_free(s);
    }
}
END_TEST

/* Whatever is done to a buffer: a warning or a mesh, soon. */
START_TEST(damage)
{
    char json[sizeof text];
    mrw_load_def def = mrw_load_def_default();
    def.no_sandbox = IN_PROCESS;
    for (int k = 0; k < 120; k++) {
        size_t size = put_file(grids[k % 5].name);
        size_t at = (size_t)k * 7919 % size;
        if (k % 3 == 0) {
            bin.size = at + 1;
        } else {
            bin.data[k % 3 == 1 ? at : 11 + at % 40] ^= (uint8_t)(1 << k % 8);
        }
        snprintf(json, sizeof json, "%s", grid());
        mrw_scene *s = try_with(&def, json);
        ck_assert_msg(s, "%d: %s", k, error.text);
        ck_assert_uint_le(s->meshes_count, 1);
        ck_assert(s->meshes_count == 1 || has_warning(s, "mesh 0 primitive 0"));
        mrw_scene_free(s);
    }
}
END_TEST

/* A few bytes that claim very many faces, of each connectivity. */
START_TEST(claims)
{
    static const uint8_t headers[][24] = {
        /* sequential: 2^31 faces and points as varints, indices uncompressed */
        {'D',  'R',  'A',  'C',  'O', 2,    2,    1,    0,    0, 0,
         0x80, 0x80, 0x80, 0x80, 8,   0x80, 0x80, 0x80, 0x80, 8, 1},
        {'D',  'R',  'A',  'C',  'O', 2,    2,    1,    0,    0, 0,
         0x80, 0x80, 0x80, 0x80, 2,   0x80, 0x80, 0x80, 0x80, 1, 0},
        /* edgebreaker: traversal, vertices, faces */
        {'D',  'R',  'A',  'C',  'O', 2,    2,    1,    1,    0, 0, 0,
         0x80, 0x80, 0x80, 0x80, 1,   0x80, 0x80, 0x80, 0x80, 1, 0, 0},
        {'D',  'R',  'A',  'C',  'O',  2,    2,    1,    1, 0, 0, 2,
         0x80, 0x80, 0x80, 0x20, 0x80, 0x80, 0x80, 0x20, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        reset();
        put_bytes(headers[i], sizeof headers[i]);
        expect_warning(grid(), 0, "Draco mesh cannot be read"); /* not that it took too long */
    }
    /* other versions, a cloud of points, and no Draco at all */
    put_file("grid-default");
    bin.data[6] = 1;
    expect_warning(grid(), 0, "bitstream 2.1");
    bin.data[6] = 2;
    bin.data[7] = 0;
    expect_warning(grid(), 0, "point cloud");
    reset();
    put_bytes("nothing of the kind", 19);
    expect_warning(grid(), 0, "does not contain a Draco mesh");
}
END_TEST

START_TEST(limits)
{
    put_file("grid-default");
    char json[sizeof text];
    snprintf(json, sizeof json, "%s", grid());
    mrw_load_def def = mrw_load_def_default();
    def.no_sandbox = IN_PROCESS;
    def.max_elements = 1000;
    mrw_scene *s = try_with(&def, json);
    ck_assert_msg(s, "%s", error.text);
    ck_assert(has_warning(s, "more elements"));
    mrw_scene_free(s);
}
END_TEST

#ifndef __aarch64__
START_TEST(both_ways)
{
    put_file("grid-smallest");
    char json[sizeof text];
    snprintf(json, sizeof json, "%s", grid());
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *helped = try_with(&def, json);
    ck_assert_msg(helped, "%s", error.text);
    def.no_sandbox = true;
    mrw_scene *own = try_with(&def, json);
    ck_assert_msg(own, "%s", error.text);
    ck_assert_mem_eq(mrw_scene_hash(own), mrw_scene_hash(helped), 32);
    mrw_scene_free(own);
    mrw_scene_free(helped);
    setenv("MARROW_IMPORTER", "/nowhere/marrow-import", 1);
    def.no_sandbox = false;
    ck_assert_ptr_null(try_with(&def, json));
    ck_assert_msg(error.status == MRW_ERROR_TOOL, "%s", error.text);
}
END_TEST
#endif

/* ---- models ---------------------------------------------------------------------------------- */

static mrw_scene *load_file(const char *path)
{
    mrw_load_def def = mrw_load_def_default();
    def.no_sandbox = IN_PROCESS;
    def.import_seconds = 600.0; /* on a machine under load, too */
    mrw_scene *scene = NULL;
    ck_assert_msg(mrw_load_file(path, &def, &scene, &error) == MRW_OK, "%s", error.text);
    return scene;
}

/* Corners of the tentacle beside those of its original: each has one within half a step. */
START_TEST(the_tentacle)
{
    mrw_scene *plain = load_file("assets/tentacle.glb"),
              *s = load_file("assets/draco/tentacle.glb");
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->meshes[0].triangle_count, plain->meshes[0].triangle_count);
    const double half = 1.731 / 2047 / 2; /* its height is its greatest extent */
    const float *a = s->positions + 3 * s->meshes[0].position;
    const float *b = plain->positions + 3 * plain->meshes[0].position;
    for (uint32_t v = 0; v < s->meshes[0].vertex_count; v++) {
        double nearest = 1.0;
        for (uint32_t w = 0; w < plain->meshes[0].vertex_count && nearest > half; w++) {
            double most = 0.0;
            for (int c = 0; c < 3; c++) {
                most = fmax(most,
                            fabs((double)a[3 * v + (uint32_t)c] - (double)b[3 * w + (uint32_t)c]));
            }
            nearest = fmin(nearest, most);
        }
        ck_assert_double_le(nearest, half + 1e-6);
    }
    mrw_scene_free(s);
    mrw_scene_free(plain);
}
END_TEST

#define ARCHER "../shared/models/drei-archer/archer.glb"

/* What its accessors say. */
START_TEST(the_archer)
{
    static const struct {
        uint32_t triangles;
        double low[3], high[3];
    } parts[] = {{110040, {-4.8315626, -7.6904183, -10.1398092}, {2.2266437, 3.6535705, 2.5686835}},
                 {103751, {-5.0478449, -7.6909004, -10.3672858}, {2.4051964, 3.9599077, 3.3289309}},
                 {6506, {-5.0358773, -6.6775747, -10.3666655}, {2.3716551, 3.8697489, 3.1489481}}};
    if (access(ARCHER, R_OK) != 0) {
        SKIP("the_archer: there is no %s", ARCHER);
        return;
    }
    mrw_scene *s = load_file(ARCHER);
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->meshes_count, 3);
    for (uint32_t m = 0; m < 3; m++) {
        const mrw_mesh *mesh = &s->meshes[m];
        ck_assert_uint_eq(mesh->triangle_count, parts[m].triangles);
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++) {
            double value = (double)s->positions[3 * mesh->position + v];
            /* encoders write bounds of what they encoded, widened by what they may be off */
            ck_assert(value >= parts[m].low[v % 3] - 1e-3 && value <= parts[m].high[v % 3] + 1e-3);
        }
    }
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("draco");
    TCase *tc = tcase_create("draco");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, decodes, 0, (int)(sizeof grids / sizeof *grids));
    tcase_add_test(tc, decodes_integers);
    tcase_add_test(tc, dequantizes);
    tcase_add_test(tc, opens_octahedra);
    tcase_add_test(tc, several_primitives);
    tcase_add_test(tc, strips_are_triangles);
    tcase_add_test(tc, morph_targets_come_from_accessors);
    tcase_add_test(tc, misfits);
    tcase_add_test(tc, missing_buffer);
    tcase_add_test(tc, falls_back);
    tcase_add_test(tc, damage);
    tcase_add_test(tc, claims);
    tcase_add_test(tc, limits);
#ifndef __aarch64__
    tcase_add_test(tc, both_ways);
#endif
    tcase_add_test(tc, the_tentacle);
    tcase_add_test(tc, the_archer);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
