/* test_iqm.c: the reader of Inter-Quake Models, from files written here: what is known by hand, and
 * poses that a slow evaluator finds from the same tables, in the file's own space. */
#include "test.h"

#include "base/memory.h"
#include "marrow/anim.h"
#include "marrow/clips.h"
#include "marrow/load.h"

#include <unistd.h>

/* ---- writing a file -------------------------------------------------------------------------- */

/* Numbers of the header behind the magic. */
enum {
    VERSION,
    FILE_SIZE,
    FLAGS,
    NUM_TEXT,
    OFS_TEXT,
    NUM_MESHES,
    OFS_MESHES,
    NUM_VERTEX_ARRAYS,
    NUM_VERTEXES,
    OFS_VERTEX_ARRAYS,
    NUM_TRIANGLES,
    OFS_TRIANGLES,
    OFS_ADJACENCY,
    NUM_JOINTS,
    OFS_JOINTS,
    NUM_POSES,
    OFS_POSES,
    NUM_ANIMS,
    OFS_ANIMS,
    NUM_FRAMES,
    NUM_FRAME_CHANNELS,
    OFS_FRAMES,
    OFS_BOUNDS,
    NUM_COMMENT,
    OFS_COMMENT,
    NUM_EXTENSIONS,
    OFS_EXTENSIONS,
    FIELDS
};

enum { BYTE, UBYTE, SHORT, USHORT, INT, UINT, HALF, FLOAT, DOUBLE };
enum { POSITION, TEXCOORD, NORMAL, TANGENT, BLEND_INDEXES, BLEND_WEIGHTS, COLOR };

static uint8_t file[1 << 20];
static size_t file_size;

static void put(uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        ck_assert_uint_lt(file_size, sizeof file);
        file[file_size++] = (uint8_t)(value >> 8 * i);
    }
}

static void put32(uint32_t value)
{
    put(value, 4);
}

static void put_float(double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    put32(bits);
}

static void put_floats(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        put_float(values[i]);
    }
}

static void set(size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++) {
        file[at + i] = (uint8_t)(value >> 8 * i);
    }
}

static uint32_t get(size_t at)
{
    return file[at] | (uint32_t)file[at + 1] << 8 | (uint32_t)file[at + 2] << 16 |
           (uint32_t)file[at + 3] << 24;
}

static size_t field(int which)
{
    return 16 + 4 * (size_t)which;
}

/* The array of a count and an offset begins here. */
static void section(int count_field, int offset_field, uint32_t count)
{
    set(field(count_field), count);
    set(field(offset_field), count > 0 ? (uint32_t)file_size : 0);
}

/* All names; each is found by its text. */
static const char names[] =
    "\0body\0hat\0paint.png\0figure\0Figure.PCX\0root\0arm\0wave\0spin\0still";

static uint32_t name(const char *text)
{
    for (size_t i = 0; i < sizeof names; i++) {
        if ((i == 0 || names[i - 1] == '\0') && strcmp(names + i, text) == 0) {
            return (uint32_t)i;
        }
    }
    ck_abort_msg("no name \"%s\"", text);
    return 0;
}

static void begin(void)
{
    file_size = 0;
    for (size_t i = 0; i < 16; i++) {
        put((uint64_t) "INTERQUAKEMODEL"[i], 1);
    }
    for (int i = 0; i < FIELDS; i++) {
        put32(i == VERSION ? 2 : 0);
    }
    section(NUM_TEXT, OFS_TEXT, sizeof names);
    for (size_t i = 0; i < sizeof names; i++) {
        put((uint64_t)names[i], 1);
    }
}

static void end(void)
{
    set(field(FILE_SIZE), (uint32_t)file_size);
}

static void put_mesh(const char *mesh, const char *material, uint32_t vertices[2],
                     uint32_t triangles[2])
{
    put32(name(mesh));
    put32(name(material));
    put32(vertices[0]);
    put32(vertices[1]);
    put32(triangles[0]);
    put32(triangles[1]);
}

/* Entries of vertex arrays are written first, each then gets its place. */
static size_t next_entry;

static void put_entry(uint32_t type, uint32_t format, uint32_t size)
{
    put32(type);
    put32(0);
    put32(format);
    put32(size);
    put32(0);
}

static void begin_array(void)
{
    set(next_entry + 16, (uint32_t)file_size);
    next_entry += 20;
}

/* ---- a model with joints and clips ----------------------------------------------------------- */

#define HALF_ROOT 0.70710678118654752

/* Two triangles of a body and one of a hat, clockwise in the file. */
#define VERTICES 7
static const double positions[VERTICES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 2, 1},
                                              {0, 0, 2}, {1, 0, 2}, {0, 1, 3}};
static const uint32_t triangles[3][3] = {{0, 2, 1}, {1, 2, 3}, {4, 6, 5}};
static const int blend_indexes[VERTICES][4] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0},
                                               {1, 0, 0, 0}, {1, 9, 0, 0}, {0, 1, 1, 0},
                                               {0, 0, 0, 0}};
static const int blend_weights[VERTICES][4] = {{255, 0, 0, 0},  {155, 100, 0, 0}, {255, 0, 0, 0},
                                               {200, 55, 0, 0}, {255, 0, 0, 0},   {100, 100, 55, 0},
                                               {0, 0, 0, 0}};

#define JOINTS   2
#define CHANNELS 10

typedef struct bone {
    const char *name;
    int parent;
    double rest[CHANNELS]; /* translation, rotation, scale */
    uint32_t mask;
    double offset[CHANNELS], scale[CHANNELS];
} bone;

/* The arm comes first, so that a parent stands behind its child. */
static const bone bones[JOINTS] = {
    {"arm",
     1,
     {0, 2, 0.5, HALF_ROOT, 0, 0, HALF_ROOT, 1, 2, 4},
     0x3fa,
     {0.25, 1, -1, 0, -1, 0, 0.5, 0.5, 1, 1.5},
     {0, 0.0001, 0, 0.00003, 0.00002, 0.00001, 0.00001, 0.00001, 0.00002, 0.00003}},
    {"root",
     -1,
     {1, 2, 3, 0, 0, HALF_ROOT, HALF_ROOT, 1, 1, 1},
     0x005,
     {-1, 0.5, 2, 0.5, 0.5, 0.5, 0.5, 1, 1, 1},
     {0.001, 0, -0.0005, 0, 0, 0, 0, 0, 0, 0}},
};

#define FRAMES        5
#define ROW           10
#define FRAME_OF_SPIN 3
static const uint16_t frames[FRAMES][ROW] = {
    {0, 65535, 1, 2, 3, 4, 5, 6, 7, 8},
    {1000, 20000, 30000, 40000, 50000, 60000, 65535, 0, 1, 2},
    {9, 8, 7, 60000, 50000, 40000, 30000, 20000, 10000, 0},
    {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000},
    {65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535},
};

static void put_skeleton(void)
{
    section(NUM_JOINTS, OFS_JOINTS, JOINTS);
    for (int j = 0; j < JOINTS; j++) {
        put32(name(bones[j].name));
        put32((uint32_t)bones[j].parent);
        put_floats(bones[j].rest, CHANNELS);
    }
}

static void put_anim(const char *anim, uint32_t first, uint32_t count, double rate, uint32_t flags)
{
    put32(name(anim));
    put32(first);
    put32(count);
    put_float(rate);
    put32(flags);
}

/* "wave" is three frames, "spin" two that go round, "still" one without a rate. */
static void put_clips(void)
{
    section(NUM_POSES, OFS_POSES, JOINTS);
    for (int j = 0; j < JOINTS; j++) {
        put32((uint32_t)bones[j].parent);
        put32(bones[j].mask);
        put_floats(bones[j].offset, CHANNELS);
        put_floats(bones[j].scale, CHANNELS);
    }
    section(NUM_ANIMS, OFS_ANIMS, 3);
    put_anim("wave", 0, 3, 10, 0);
    put_anim("spin", FRAME_OF_SPIN, 2, 4, 1);
    put_anim("still", 1, 1, 0, 0);
    set(field(NUM_FRAME_CHANNELS), ROW);
    section(NUM_FRAMES, OFS_FRAMES, FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        for (int c = 0; c < ROW; c++) {
            put(frames[f][c], 2);
        }
    }
}

static void put_meshes(const char *material)
{
    section(NUM_MESHES, OFS_MESHES, 2);
    put_mesh("body", material, (uint32_t[]){0, 4}, (uint32_t[]){0, 2});
    put_mesh("hat", "", (uint32_t[]){4, 3}, (uint32_t[]){2, 1});
    section(NUM_TRIANGLES, OFS_TRIANGLES, 3);
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 3; i++) {
            put32(triangles[t][i]);
        }
    }
    set(field(NUM_VERTEXES), VERTICES);
    section(NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS, 7);
    next_entry = file_size;
    put_entry(POSITION, FLOAT, 3);
    put_entry(TEXCOORD, FLOAT, 2);
    put_entry(NORMAL, FLOAT, 3);
    put_entry(BLEND_INDEXES, UBYTE, 4);
    put_entry(BLEND_WEIGHTS, UBYTE, 4);
    put_entry(COLOR, UBYTE, 4);
    put_entry(16 + name("wave"), DOUBLE, 1000); /* a program's own, which is not looked at */
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        put_floats(positions[v], 3);
    }
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        put_floats((double[]){0.25 * v, 1.0 - 0.125 * v}, 2);
    }
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        put_floats((double[]){0, -2, 0}, 3);
    }
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        for (int i = 0; i < 4; i++) {
            put((uint64_t)blend_indexes[v][i], 1);
        }
    }
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        for (int i = 0; i < 4; i++) {
            put((uint64_t)blend_weights[v][i], 1);
        }
    }
    begin_array();
    for (int v = 0; v < VERTICES; v++) {
        put32(v < 4 ? 0x400080ffu : 0xff000000u); /* 255, 128, 0, 64; the hat's are black */
    }
}

static void whole_of(const char *material)
{
    begin();
    put_meshes(material);
    put_skeleton();
    put_clips();
    end();
}

static void whole(void)
{
    whole_of("");
}

static void clips_alone(void)
{
    begin();
    put_clips();
    end();
}

/* ---- loading --------------------------------------------------------------------------------- */

static mrw_error error;

static mrw_status try_load(size_t size, const char *folder, mrw_scene **out)
{
    mrw_load_def def = mrw_load_def_default();
    memset(&error, 0, sizeof error);
    return mrw_load_memory(file, size, "t.iqm", folder, &def, out, &error);
}

static mrw_scene *load(void)
{
    mrw_scene *scene = NULL;
    const mrw_status status = try_load(file_size, NULL, &scene);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

static void refuses(const char *said)
{
    mrw_scene *scene = NULL;
    ck_assert_int_eq(try_load(file_size, NULL, &scene), MRW_ERROR_INPUT);
    ck_assert_ptr_null(scene);
    ck_assert_int_eq(strncmp(error.text, "t.iqm: ", 7), 0);
    ck_assert_msg(strstr(error.text, said), "\"%s\" lacks \"%s\"", error.text, said);
}

static bool warned(const mrw_scene *s, const char *words)
{
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        if (strstr(mrw_scene_string(s, s->warnings[i]), words)) {
            return true;
        }
    }
    return false;
}

static void check_near(const float *got, const double *wanted, int count, double bound)
{
    for (int i = 0; i < count; i++) {
        ck_assert_msg(fabs((double)got[i] - wanted[i]) < bound, "value %d is %.9g, not %.9g", i,
                      (double)got[i], wanted[i]);
    }
}

/* A place of the file in our world. */
static void turned(const double v[3], double out[3])
{
    out[0] = v[0];
    out[1] = v[2];
    out[2] = -v[1];
}

static const mrw_mesh *mesh_named(const mrw_scene *s, const char *wanted)
{
    for (uint32_t i = 0; i < s->meshes_count; i++) {
        if (strcmp(mrw_scene_string(s, s->meshes[i].name), wanted) == 0) {
            return &s->meshes[i];
        }
    }
    ck_abort_msg("no mesh \"%s\"", wanted);
    return NULL;
}

/* ---- the slow evaluator, in the file's space ------------------------------------------------- */

typedef struct matrix {
    double m[3][4];
} matrix;

static matrix compose(const double v[CHANNELS])
{
    const double length = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    const double x = v[3] / length, y = v[4] / length, z = v[5] / length, w = v[6] / length;
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    matrix out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = turn[r][c] * v[7 + c];
        }
        out.m[r][3] = v[r];
    }
    return out;
}

static matrix times(const matrix *a, const matrix *b)
{
    matrix out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            out.m[r][c] = c == 3 ? a->m[r][3] : 0;
            for (int k = 0; k < 3; k++) {
                out.m[r][c] += a->m[r][k] * b->m[k][c];
            }
        }
    }
    return out;
}

static matrix inverse(const matrix *a)
{
    matrix out;
    double det = 0;
    for (int c = 0; c < 3; c++) {
        det += a->m[0][c] * (a->m[1][(c + 1) % 3] * a->m[2][(c + 2) % 3] -
                             a->m[1][(c + 2) % 3] * a->m[2][(c + 1) % 3]);
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out.m[c][r] = (a->m[r1][c1] * a->m[r2][c2] - a->m[r1][c2] * a->m[r2][c1]) / det;
        }
    }
    for (int r = 0; r < 3; r++) {
        out.m[r][3] =
            -(out.m[r][0] * a->m[0][3] + out.m[r][1] * a->m[1][3] + out.m[r][2] * a->m[2][3]);
    }
    return out;
}

/* Both joints' world matrices: the root is the second. */
static void world_of(const double values[JOINTS][CHANNELS], matrix out[JOINTS])
{
    const matrix arm = compose(values[0]);
    out[1] = compose(values[1]);
    out[0] = times(&out[1], &arm);
}

static void values_at(int frame, double out[JOINTS][CHANNELS])
{
    int next = 0;
    for (int j = 0; j < JOINTS; j++) {
        for (int c = 0; c < CHANNELS; c++) {
            out[j][c] = (double)(float)bones[j].offset[c];
            if (bones[j].mask >> c & 1) {
                out[j][c] += frames[frame][next++] * (double)(float)bones[j].scale[c];
            }
        }
    }
}

/* A vertex as frame `frame` has it; -1: at rest. */
static void posed(int frame, int vertex, double out[3])
{
    double rest[JOINTS][CHANNELS], values[JOINTS][CHANNELS], sum[3] = {0}, all = 0;
    matrix bound[JOINTS], world[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        memcpy(rest[j], bones[j].rest, sizeof rest[j]);
        memcpy(values[j], bones[j].rest, sizeof values[j]);
    }
    if (frame >= 0) {
        values_at(frame, values);
    }
    world_of((const double(*)[CHANNELS])rest, bound);
    world_of((const double(*)[CHANNELS])values, world);
    for (int i = 0; i < 4; i++) {
        const double weight = blend_weights[vertex][i];
        if (weight == 0) {
            continue;
        }
        const matrix undone = inverse(&bound[blend_indexes[vertex][i]]);
        const matrix m = times(&world[blend_indexes[vertex][i]], &undone);
        const double *p = positions[vertex];
        for (int r = 0; r < 3; r++) {
            sum[r] += weight * (m.m[r][0] * p[0] + m.m[r][1] * p[1] + m.m[r][2] * p[2] + m.m[r][3]);
        }
        all += weight;
    }
    for (int r = 0; r < 3; r++) {
        sum[r] = all > 0 ? sum[r] / all : positions[vertex][r];
    }
    turned(sum, out);
}

/* ---- marrow's answer ------------------------------------------------------------------------- */

/* World matrices of the skin's joints times their inverse bind matrices; clip MRW_NONE: at rest. */
static void palette_of(const mrw_scene *s, uint32_t clip, double time, mrw_mat4 *out)
{
    mrw_poser *poser = NULL;
    ck_assert_int_eq(mrw_poser_create(s, &poser, &error), MRW_OK);
    mrw_transform *locals = mrwi_base_alloc(s->nodes_count, sizeof *locals);
    uint8_t *animated = mrwi_base_alloc(s->nodes_count, 1);
    float *weights = mrwi_base_alloc(s->weights_count, sizeof *weights);
    mrw_mat4 *world = mrwi_base_alloc(s->nodes_count, sizeof *world);
    mrw_mat4 *palette = mrwi_base_alloc(s->joints_count, sizeof *palette);
    mrw_sample(&(mrw_sample_job){.poser = poser,
                                 .clip = clip,
                                 .time = time,
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = weights});
    mrw_local_to_world(&(mrw_world_job){
        .poser = poser, .locals = locals, .animated = animated, .node_to_world = world});
    mrw_build_palette(
        &(mrw_palette_job){.scene = s, .node_to_world = world, .geometry_to_world = palette});
    memcpy(out, palette, s->joints_count * sizeof *out);
    mrwi_base_free(locals);
    mrwi_base_free(animated);
    mrwi_base_free(weights);
    mrwi_base_free(world);
    mrwi_base_free(palette);
    mrw_poser_free(poser);
}

/* Which vertex of the file is at a place, or -1. */
static int vertex_at(const float p[3])
{
    for (int v = 0; v < VERTICES; v++) {
        double place[3];
        turned(positions[v], place);
        if ((double)p[0] == place[0] && (double)p[1] == place[1] && (double)p[2] == place[2]) {
            return v;
        }
    }
    return -1;
}

/* Compares each vertex of a mesh, as a clip has it at a time, with the slow evaluator's. */
static void check_mesh(const mrw_scene *s, const mrw_mesh *mesh, const mrw_mat4 *palette, int frame)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &s->groups[mesh->first_group + g];
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            const float *p = s->positions + 3 * ((size_t)mesh->position + group->first_vertex + v);
            double wanted[3];
            float got[3] = {group->influence_count == 0 ? p[0] : 0,
                            group->influence_count == 0 ? p[1] : 0,
                            group->influence_count == 0 ? p[2] : 0};
            ck_assert_int_ge(vertex_at(p), 0);
            posed(frame, vertex_at(p), wanted);
            for (uint32_t i = 0; i < group->influence_count; i++) {
                const uint32_t at = group->first_influence + v * group->influence_count + i;
                const float *m = palette[s->influence_joints[at]].m;
                for (int r = 0; r < 3; r++) {
                    got[r] += s->influence_weights[at] *
                              (m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
                }
            }
            check_near(got, wanted, 3, 2e-4);
        }
    }
}

static void check_pose(const mrw_scene *s, uint32_t clip, double time, int frame)
{
    mrw_mat4 palette[JOINTS];
    palette_of(s, clip, time, palette);
    check_mesh(s, mesh_named(s, "body"), palette, frame);
    check_mesh(s, mesh_named(s, "hat"), palette, frame);
}

/* ---- geometry -------------------------------------------------------------------------------- */

START_TEST(the_file_is_turned)
{
    whole();
    mrw_scene *s = load();
    ck_assert_str_eq(mrw_scene_string(s, s->format), "iqm");
    ck_assert_uint_eq(s->draws_count, 2);
    ck_assert_uint_eq(s->warnings_count, 0);
    const mrw_mesh *body = mesh_named(s, "body");
    ck_assert_uint_eq(body->vertex_count, 4);
    ck_assert_uint_eq(body->triangle_count, 2);
    /* Corners 0, 2, 1 of the file are 0, 1, 2 of ours. */
    static const int order[] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        const uint32_t v = s->indices[body->first_index + (uint32_t)i];
        double place[3];
        turned(positions[order[i]], place);
        check_near(s->positions + 3 * ((size_t)body->position + v), place, 3, 1e-30);
        check_near(s->normals + 3 * ((size_t)body->normal + v), (double[]){0, 0, 1}, 3, 1e-30);
        check_near(s->uvs + 2 * ((size_t)body->uv[0] + v),
                   (double[]){0.25 * order[i], 1.0 - 0.125 * order[i]}, 2, 1e-30);
    }
    mrw_scene_free(s);
}
END_TEST

/* 128 is 0.21586 by the formula of sRGB. */
START_TEST(colours_are_srgb)
{
    whole();
    mrw_scene *s = load();
    const mrw_mesh *body = mesh_named(s, "body");
    const double half = pow((128.0 / 255.0 + 0.055) / 1.055, 2.4);
    ck_assert_uint_ne(body->color, MRW_NONE);
    check_near(s->colors + 4 * (size_t)body->color, (double[]){1, half, 0, 64.0 / 255.0}, 4, 2e-5);
    ck_assert_uint_eq(mesh_named(s, "hat")->color, MRW_NONE); /* black all over: it has none */
    mrw_scene_free(s);
    mrw_load_def def = mrw_load_def_default();
    def.material_colors = MRW_MATERIAL_COLORS_LINEAR;
    ck_assert_int_eq(mrw_load_memory(file, file_size, "t.iqm", NULL, &def, &s, &error), MRW_OK);
    body = mesh_named(s, "body");
    check_near(s->colors + 4 * (size_t)body->color, (double[]){1, 128.0 / 255.0, 0, 64.0 / 255.0},
               4, 1e-6);
    mrw_scene_free(s);
}
END_TEST

/* One triangle whose positions, or what else is wanted, are in a format. */
static void triangle_in(uint32_t type, uint32_t format, uint32_t size, const uint64_t *raw,
                        int bytes)
{
    begin();
    section(NUM_MESHES, OFS_MESHES, 1);
    put_mesh("body", "", (uint32_t[]){0, 3}, (uint32_t[]){0, 1});
    section(NUM_TRIANGLES, OFS_TRIANGLES, 1);
    for (uint32_t i = 0; i < 3; i++) {
        put32(i);
    }
    set(field(NUM_VERTEXES), 3);
    section(NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS, type == POSITION ? 1 : 2);
    next_entry = file_size;
    if (type != POSITION) {
        put_entry(POSITION, FLOAT, 3);
    }
    put_entry(type, format, size);
    if (type != POSITION) {
        begin_array();
        for (int v = 0; v < 3; v++) {
            put_floats(positions[v], 3);
        }
    }
    put(0, 1); /* arrays need not be aligned */
    begin_array();
    for (uint32_t i = 0; i < 3 * size; i++) {
        put(raw[i % size], bytes);
    }
    end();
}

START_TEST(numbers_of_all_formats)
{
    static const struct {
        uint32_t format;
        int bytes;
        uint64_t raw[2];
        double values[2];
    } cases[] = {
        {BYTE, 1, {0x7f, 0x80}, {1, -1}},
        {BYTE, 1, {0x00, 0xff}, {1.0 / 255, -1.0 / 255}},
        {UBYTE, 1, {0xff, 0x33}, {1, 0.2}},
        {SHORT, 2, {0x7fff, 0x8000}, {1, -1}},
        {USHORT, 2, {0xffff, 0x3333}, {1, 0.2}},
        {INT, 4, {0x7fffffff, 0x80000000}, {1, -1}},
        {UINT, 4, {0xffffffff, 0x33333333}, {1, 0.2}},
        {HALF, 2, {0x3c00, 0xc100}, {1, -2.5}},
        {HALF, 2, {0x0001, 0x83ff}, {0x1p-24, -1023 * 0x1p-24}},
        {HALF, 2, {0x7bff, 0x8000}, {65504, 0}},
        {FLOAT, 4, {0x3e800000, 0xc0400000}, {0.25, -3}},
        {DOUBLE, 8, {0x3fd0000000000000, 0xc008000000000000}, {0.25, -3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        triangle_in(TEXCOORD, cases[i].format, 2, cases[i].raw, cases[i].bytes);
        mrw_scene *s = load();
        const mrw_mesh *mesh = mesh_named(s, "body");
        check_near(s->uvs + 2 * (size_t)mesh->uv[0], cases[i].values, 2, 1e-7);
        mrw_scene_free(s);
    }
    /* Positions of four numbers, the last of which says nothing: a mesh of one place is kept. */
    triangle_in(POSITION, SHORT, 4, (uint64_t[]){0x7fff, 0x8000, 0x7fff, 5}, 2);
    mrw_scene *s = load();
    check_near(s->positions, (double[]){1, 1, 1}, 3, 1e-7);
    mrw_scene_free(s);
}
END_TEST

START_TEST(influences_of_other_formats)
{
    static const struct {
        uint32_t index_format, index_bytes, weight_format, weight_bytes;
        uint64_t joint, weights[3];
    } cases[] = {
        {USHORT, 2, FLOAT, 4, 1, {0x3f400000, 0x3e800000, 0}},
        {INT, 4, USHORT, 2, 1, {0xc000, 0x4000, 0}},
        {UINT, 4, DOUBLE, 8, 1, {0x3fe8000000000000, 0x3fd0000000000000, 0}},
        {BYTE, 1, HALF, 2, 1, {0x3a00, 0x3400, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        section(NUM_MESHES, OFS_MESHES, 1);
        put_mesh("body", "", (uint32_t[]){0, 3}, (uint32_t[]){0, 1});
        section(NUM_TRIANGLES, OFS_TRIANGLES, 1);
        for (uint32_t v = 0; v < 3; v++) {
            put32(v);
        }
        set(field(NUM_VERTEXES), 3);
        section(NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS, 3);
        next_entry = file_size;
        put_entry(POSITION, FLOAT, 3);
        put_entry(BLEND_INDEXES, cases[i].index_format, 2);
        put_entry(BLEND_WEIGHTS, cases[i].weight_format, 3); /* one more than joints: not read */
        begin_array();
        for (int v = 0; v < 3; v++) {
            put_floats(positions[v], 3);
        }
        begin_array();
        for (int v = 0; v < 3; v++) {
            put(cases[i].joint, (int)cases[i].index_bytes);
            put(0, (int)cases[i].index_bytes);
        }
        begin_array();
        for (int v = 0; v < 9; v++) {
            put(cases[i].weights[v % 3], (int)cases[i].weight_bytes);
        }
        put_skeleton();
        end();
        mrw_scene *s = load();
        const mrw_mesh *mesh = mesh_named(s, "body");
        const mrw_influence_group *group = &s->groups[mesh->first_group];
        ck_assert_uint_eq(group->influence_count, 2);
        ck_assert_uint_eq(s->influence_joints[group->first_influence], 1);
        check_near(s->influence_weights + group->first_influence, (double[]){0.75, 0.25}, 2, 1e-4);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- materials ------------------------------------------------------------------------------- */

START_TEST(materials_may_name_pictures)
{
    mrw_scene *s = NULL;
    /* assets/figure.png lies there; a name without its extension finds it. */
    whole_of("figure");
    ck_assert_int_eq(try_load(file_size, "assets", &s), MRW_OK);
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert_str_eq(mrw_scene_string(s, s->images[0].path), "figure.png");
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, 0);
    ck_assert_uint_eq(s->warnings_count, 0);
    const mrw_material *m = &s->materials[mesh_named(s, "body")->material];
    ck_assert_str_eq(mrw_scene_string(s, m->name), "figure");
    ck_assert_uint_ne(m->maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    ck_assert_uint_eq(s->materials[mesh_named(s, "hat")->material].maps[MRW_MAP_BASE_COLOR].texture,
                      MRW_NONE);
    mrw_scene_free(s);
    whole_of("Figure.PCX");
    ck_assert_int_eq(try_load(file_size, "assets", &s), MRW_OK);
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, 0);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
    /* A name that is no picture's is no picture that is missing, but something said. */
    whole_of("wave");
    ck_assert_int_eq(try_load(file_size, "assets", &s), MRW_OK);
    ck_assert_uint_eq(s->images_count, 0);
    ck_assert(warned(s, "material \"wave\": there is no picture of that name next to the model"));
    mrw_scene_free(s);
    whole_of("paint.png");
    ck_assert_int_eq(try_load(file_size, "assets", &s), MRW_OK);
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, MRW_IMAGE_MISSING);
    ck_assert(warned(s, "texture \"paint.png\""));
    mrw_scene_free(s);
}
END_TEST

START_TEST(alpha_of_pictures_counts)
{
    /* Two texels wide, one high, 32 bits: blue, green, red, alpha. */
    uint8_t tga[26] = {[2] = 2, [12] = 2, [14] = 1, [16] = 32, [17] = 8};
    for (uint32_t alpha = 0; alpha < 2; alpha++) {
        mrw_scene *s = NULL;
        tga[21] = tga[25] = alpha ? 128 : 255;
        test_write(test_path("wave.tga"), tga, sizeof tga);
        whole_of("wave");
        ck_assert_int_eq(try_load(file_size, test_folder(), &s), MRW_OK);
        ck_assert_uint_eq(s->materials[mesh_named(s, "body")->material].alpha_mode,
                          alpha ? MRW_ALPHA_BLEND : MRW_ALPHA_OPAQUE);
        mrw_scene_free(s);
    }
    test_folder_remove();
}
END_TEST

/* ---- joints and clips ------------------------------------------------------------------------ */

START_TEST(joints_rest_where_they_were_bound)
{
    whole();
    mrw_scene *s = load();
    ck_assert_uint_eq(s->skins_count, 1);
    ck_assert_uint_eq(s->skins[0].joint_count, JOINTS);
    const mrw_node *arm = &s->nodes[s->joints[0]], *root = &s->nodes[s->joints[1]];
    ck_assert_str_eq(mrw_scene_string(s, arm->name), "arm");
    ck_assert_str_eq(mrw_scene_string(s, root->name), "root");
    ck_assert_uint_eq(arm->parent, s->joints[1]);
    ck_assert_uint_eq(root->parent, MRW_NONE);
    check_near(root->rest.translation, (double[]){1, 3, -2}, 3, 1e-30);
    check_near(root->rest.rotation, (double[]){0, HALF_ROOT, 0, HALF_ROOT}, 4, 1e-7);
    check_near(arm->rest.scale, (double[]){1, 4, 2}, 3, 1e-30);
    check_pose(s, MRW_NONE, 0, -1);
    mrw_scene_free(s);
}
END_TEST

START_TEST(clips_play_as_the_slow_evaluator_has_it)
{
    whole();
    mrw_scene *s = load();
    ck_assert_uint_eq(s->clips_count, 3);
    ck_assert_str_eq(mrw_scene_string(s, s->clips[0].name), "wave");
    ck_assert_double_eq_tol(s->clips[0].duration, 0.2, 1e-12);
    for (int f = 0; f < 3; f++) {
        check_pose(s, 0, f / 10.0, f);
    }
    /* It goes round: its first frame comes again, a frame's time behind the last. */
    ck_assert_str_eq(mrw_scene_string(s, s->clips[1].name), "spin");
    ck_assert_double_eq_tol(s->clips[1].duration, 0.5, 1e-12);
    check_pose(s, 1, 0, FRAME_OF_SPIN);
    check_pose(s, 1, 0.25, FRAME_OF_SPIN + 1);
    check_pose(s, 1, 0.5, FRAME_OF_SPIN);
    for (uint32_t i = 0; i < 2 * s->clips[0].channel_count; i++) {
        const mrw_channel *c = &s->channels[s->clips[0].first_channel + i];
        const bool repeats = c->key_count == 3 && i >= s->clips[0].channel_count;
        ck_assert_uint_eq(c->after, repeats ? MRW_EXTRAPOLATION_REPEAT : MRW_EXTRAPOLATION_HOLD);
        ck_assert_uint_eq(c->before, c->after);
    }
    ck_assert_double_eq(s->clips[2].duration, 0);
    check_pose(s, 2, 0, 1);
    mrw_scene_free(s);
}
END_TEST

START_TEST(loops_and_rates)
{
    whole();
    const size_t anims = get(field(OFS_ANIMS)), rows = get(field(OFS_FRAMES));
    /* Where the last frame is the first again nothing is added. */
    memcpy(file + rows + (FRAME_OF_SPIN + 1) * ROW * 2, file + rows + FRAME_OF_SPIN * ROW * 2,
           ROW * 2);
    mrw_scene *s = load();
    ck_assert_double_eq_tol(s->clips[1].duration, 0.25, 1e-12);
    mrw_scene_free(s);
    static const uint32_t none[] = {0x00000000, 0xc1200000, 0x7f800000, 0x7fc00000};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        set(anims + 12, none[i]); /* 0, -10, infinity, NaN: 25 frames a second */
        s = load();
        ck_assert_double_eq_tol(s->clips[0].duration, 2 / 25.0, 1e-12);
        mrw_scene_free(s);
    }
    set(anims + 8, 0);
    s = load();
    ck_assert_uint_eq(s->clips_count, 2);
    ck_assert(warned(s, "clip \"wave\" has no frames"));
    mrw_scene_free(s);
}
END_TEST

/* What stays has two keys however long the clip; without any channel frames take no bytes. */
START_TEST(what_stays_takes_no_keys)
{
    whole();
    const size_t poses = get(field(OFS_POSES)), anims = get(field(OFS_ANIMS));
    mrw_scene *s = load();
    uint32_t most = 0, pairs = 0;
    for (uint32_t i = 0; i < s->clips[0].channel_count; i++) {
        const mrw_channel *c = &s->channels[s->clips[0].first_channel + i];
        most = c->key_count > most ? c->key_count : most;
        pairs += c->key_count == 2;
    }
    ck_assert_uint_eq(most, 3);
    ck_assert_uint_eq(pairs, 2); /* the root's rotation and scale */
    mrw_scene_free(s);
    for (size_t j = 0; j < JOINTS; j++) {
        set(poses + 88 * j + 4, 0);
    }
    set(field(NUM_FRAMES), UINT32_MAX);
    set(field(NUM_FRAME_CHANNELS), 0);
    set(field(OFS_FRAMES), 0);
    set(anims + 8, UINT32_MAX);
    s = load();
    ck_assert_double_eq_tol(s->clips[0].duration, (double)(UINT32_MAX - 1) / 10.0, 1e-3);
    mrw_scene_free(s);
}
END_TEST

START_TEST(poses_of_other_joints_are_left_out)
{
    whole();
    set(field(NUM_JOINTS), 0);
    set(field(NUM_MESHES), 0);
    mrw_scene *s = load(); /* clips alone */
    ck_assert_uint_eq(s->clips_count, 3);
    mrw_scene_free(s);
    begin();
    put_clips();
    section(NUM_JOINTS, OFS_JOINTS, 1);
    put32(name("root"));
    put32(UINT32_MAX);
    put_floats(bones[1].rest, CHANNELS);
    end();
    s = load();
    ck_assert_uint_eq(s->clips_count, 0);
    ck_assert(warned(s, "the clips have 2 joints, but the model has 1"));
    mrw_scene_free(s);
    whole();
    set(get(field(OFS_POSES)), UINT32_MAX); /* the arm's parent */
    s = load();
    ck_assert_uint_eq(s->clips_count, 3);
    ck_assert(warned(s, "joint 0 has a different parent in the clips"));
    mrw_scene_free(s);
}
END_TEST

/* Clips of a file without names move the model's joints in order, just as its own do. */
START_TEST(clips_alone_are_added_by_order)
{
    whole();
    mrw_scene *model = load(), *joined = NULL;
    clips_alone();
    mrw_clip_source source = {.scene = load(), .name = "moves"};
    ck_assert_uint_eq(source.scene->nodes_count, JOINTS);
    ck_assert_str_eq(mrw_scene_string(source.scene, source.scene->nodes[0].name), "");
    mrw_status status = mrw_scene_add_clips(model, &source, 1, &joined, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(source.match.matched, JOINTS);
    ck_assert_uint_eq(joined->nodes_count, model->nodes_count);
    ck_assert_uint_eq(joined->clips_count, 6);
    for (int f = 0; f < 3; f++) {
        check_pose(joined, 3, f / 10.0, f);
    }
    mrw_scene_free(joined);
    mrw_scene_free((mrw_scene *)(uintptr_t)source.scene);
    /* Other parents are another rig. */
    clips_alone();
    set(get(field(OFS_POSES)), UINT32_MAX);
    set(get(field(OFS_POSES)) + 88, 0);
    source = (mrw_clip_source){.scene = load(), .name = "moves"};
    ck_assert_int_eq(mrw_scene_add_clips(model, &source, 1, &joined, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "or by order"));
    mrw_scene_free((mrw_scene *)(uintptr_t)source.scene);
    mrw_scene_free(model);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

START_TEST(damage_is_named)
{
    const uint32_t nowhere = 0x7fffffff;
    const struct {
        int section; /* whose offset `at` counts from; -1: the file's start */
        size_t at;
        uint32_t value;
        const char *said;
    } cases[] = {
        {-1, 0, 0, "this is not IQM"},
        {-1, field(VERSION), 1, "version 1, but marrow reads version 2"},
        {-1, field(FILE_SIZE), nowhere, "it is cut short"},
        {-1, field(OFS_MESHES), 0, "its meshes (2 of 24 bytes at 0) are not inside the file"},
        {-1, field(OFS_MESHES), 120, "its meshes"},
        {-1, field(OFS_MESHES), UINT32_MAX, "its meshes"},
        {-1, field(NUM_MESHES), UINT32_MAX, "its meshes"},
        {-1, field(NUM_TEXT), UINT32_MAX, "its text"},
        {-1, field(NUM_TEXT), 3, "its name"},
        {-1, field(NUM_VERTEXES), UINT32_MAX, "its positions"},
        {-1, field(NUM_VERTEXES), 6, "mesh 1: triangle 0 has vertex 6 of 6"},
        {-1, field(NUM_TRIANGLES), 2, "mesh 1: its triangles, 1 from 2 on, do not exist"},
        {-1, field(NUM_FRAMES), 2, "clip \"wave\": its frames, 3 from 0 on, do not exist"},
        {-1, field(NUM_FRAMES), UINT32_MAX, "its frames"},
        {-1, field(NUM_FRAME_CHANNELS), 9, "its poses have 10 channels, but its frames have 9"},
        {-1, field(NUM_FRAME_CHANNELS), UINT32_MAX, "poses have at most ten each"},
        {-1, field(NUM_VERTEX_ARRAYS), 0, "its vertices have no positions"},
        {OFS_VERTEX_ARRAYS, 8, 9, "its positions have 3 numbers of format 9"},
        {OFS_VERTEX_ARRAYS, 12, 2, "its positions have 2 numbers"},
        {OFS_VERTEX_ARRAYS, 12, UINT32_MAX, "its positions have 4294967295 numbers"},
        {OFS_VERTEX_ARRAYS, 16, nowhere, "its positions (7 of 12 bytes"},
        {OFS_VERTEX_ARRAYS, 60 + 8, FLOAT, "its blend indexes are not whole numbers"},
        {OFS_VERTEX_ARRAYS, 60 + 12, 0, "its blend indexes have 0 numbers"},
        {OFS_MESHES, 0, nowhere, "mesh 0: its name"},
        {OFS_MESHES, 4, nowhere, "the material of mesh 0: its name"},
        {OFS_MESHES, 16, UINT32_MAX, "mesh 0: its triangles"},
        {OFS_MESHES, 20, UINT32_MAX, "mesh 0: its triangles"},
        {OFS_TRIANGLES, 4, 7, "mesh 0: triangle 0 has vertex 7 of 7"},
        {OFS_JOINTS, 0, nowhere, "joint 0: its name"},
        {OFS_JOINTS, 4, 2, "joint 0: its parent, 2 of 2, does not exist"},
        {OFS_JOINTS, 52, 0, "is its own ancestor"},
        {OFS_JOINTS, 4, 0, "is its own ancestor"},
        {OFS_JOINTS, 8, 0x7f800000, "\"arm\": its transform is not finite"},
        {OFS_JOINTS, 8 + 28, 0x00000001, "joint 0: its transform is out of range"},
        {OFS_POSES, 0, 2, "pose 0: its parent"},
        {OFS_POSES, 4, 0, "its poses have 2 channels"},
        {OFS_ANIMS, 0, nowhere, "clip 0: its name"},
        {OFS_ANIMS, 4, UINT32_MAX, "clip \"wave\": its frames"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        whole();
        const size_t start = cases[i].section < 0 ? 0 : get(field(cases[i].section));
        set(start + cases[i].at, cases[i].value);
        refuses(cases[i].said);
    }
    whole();
    file[get(get(field(OFS_VERTEX_ARRAYS)) + 76)] = 2; /* the first blend index */
    refuses("vertex 0 follows joint 2 of 2");
}
END_TEST

/* A load of damaged bytes ends well: with a scene, or with a message that names the file. */
static void ends_well(size_t size)
{
    mrw_scene *scene = NULL;
    const mrw_status status = try_load(size, NULL, &scene);
    ck_assert_msg(status == MRW_OK || (status == MRW_ERROR_INPUT && !scene &&
                                       strncmp(error.text, "t.iqm: ", 7) == 0),
                  "status %d: %s", status, error.text);
    mrw_scene_free(scene);
}

START_TEST(every_truncation_ends_well)
{
    whole();
    const size_t size = file_size;
    for (size_t cut = 0; cut < size; cut++) {
        mrw_scene *scene = NULL;
        ck_assert_int_eq(try_load(cut, NULL, &scene), MRW_ERROR_INPUT);
        /* And where the header knows of no end. */
        if (cut > 124) {
            const uint32_t filed = get(field(FILE_SIZE));
            set(field(FILE_SIZE), 0);
            ends_well(cut);
            set(field(FILE_SIZE), filed);
        }
    }
}
END_TEST

START_TEST(every_number_of_the_header_may_be_wrong)
{
    whole();
    const uint32_t size = (uint32_t)file_size;
    const uint32_t values[] = {0,
                               1,
                               2,
                               3,
                               5,
                               123,
                               124,
                               125,
                               size - 1,
                               size,
                               size + 1,
                               0x10000,
                               1 << 24,
                               1u << 28,
                               0x33333334,
                               0x55555556,
                               1u << 31,
                               0xaaaaaaab,
                               UINT32_MAX - 3,
                               UINT32_MAX - 1,
                               UINT32_MAX};
    for (int f = 0; f < FIELDS; f++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            whole();
            set(field(f), values[i]);
            ends_well(file_size);
        }
    }
}
END_TEST

START_TEST(chance_damages)
{
    uint64_t state = 1;
    for (int round = 0; round < TEST_ROUNDS(20000); round++) {
        whole();
        for (int n = round % 4; n >= 0; n--) {
            const size_t at = 20 + test_random_below(&state, (uint32_t)file_size - 24);
            const uint32_t any = test_random(&state);
            if (round % 2) {
                file[at] = (uint8_t)(file[at] ^ 1u << any % 8);
            } else {
                set(at, any >> 8 & (any % 4 ? 0xff : 0xffffff));
            }
        }
        ends_well(file_size);
    }
}
END_TEST

/* Many meshes that are all of the same triangles, many clips of the same frames: a file of a few
 * kilobytes must not become gigabytes. */
START_TEST(shared_bytes_make_no_more_than_their_share)
{
    const uint32_t many = 6000;
    begin();
    section(NUM_TRIANGLES, OFS_TRIANGLES, many);
    for (uint32_t i = 0; i < 3 * many; i++) {
        put32(i % 3);
    }
    section(NUM_MESHES, OFS_MESHES, many);
    for (uint32_t i = 0; i < many; i++) {
        put_mesh("body", "", (uint32_t[]){0, 3}, (uint32_t[]){0, many});
    }
    set(field(NUM_VERTEXES), 3);
    section(NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS, 1);
    next_entry = file_size;
    put_entry(POSITION, FLOAT, 3);
    begin_array();
    for (int v = 0; v < 3; v++) {
        put_floats(positions[v], 3);
    }
    end();
    refuses("share so much of its");
    begin();
    put_clips();
    section(NUM_POSES, OFS_POSES, many);
    for (uint32_t j = 0; j < many; j++) {
        put32(UINT32_MAX);
        put32(j == 0 ? 1023 : 0);
        put_floats(bones[0].offset, CHANNELS);
        put_floats(bones[0].scale, CHANNELS);
    }
    section(NUM_ANIMS, OFS_ANIMS, many);
    for (uint32_t i = 0; i < many; i++) {
        put_anim("wave", 0, FRAMES, 10, 0);
    }
    end();
    refuses("share so much of its");
    /* Names that each begin a byte later in one long text. */
    const uint32_t joints = 2000, letters = 400000;
    begin();
    section(NUM_TEXT, OFS_TEXT, letters);
    for (uint32_t i = 0; i < letters; i++) {
        put('a' + i % 26, 1);
    }
    section(NUM_JOINTS, OFS_JOINTS, joints);
    for (uint32_t j = 0; j < joints; j++) {
        put32(j);
        put32(UINT32_MAX);
        put_floats(bones[0].rest, CHANNELS);
    }
    end();
    refuses("share so much of its");
}
END_TEST

START_TEST(limits_hold)
{
    mrw_scene *scene = NULL;
    static const char *const said[] = {"--max-vertices", "--max-joints", "--max-keys",
                                       "more than the 5 elements"};
    for (int i = 0; i < 4; i++) {
        mrw_load_def def = mrw_load_def_default();
        uint64_t *const limits[] = {&def.max_vertices, &def.max_joints, &def.max_keys,
                                    &def.max_elements};
        *limits[i] = i == 1 ? 1 : 5;
        whole();
        memset(&error, 0, sizeof error);
        ck_assert_int_eq(mrw_load_memory(file, file_size, "t.iqm", NULL, &def, &scene, &error),
                         MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, said[i]), "%s", error.text);
    }
}
END_TEST

START_TEST(every_failed_allocation_is_reported)
{
    whole_of("figure");
    for (uint64_t n = 1;; n++) {
        mrw_scene *scene = NULL;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = try_load(file_size, "assets", &scene);
        const bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_scene_free(scene);
        ck_assert_msg(status == (done ? MRW_OK : MRW_ERROR_MEMORY), "allocation %d", (int)n);
        ck_assert_msg(error.status == status, "allocation %d: no message", (int)n);
        if (done) {
            ck_assert_uint_gt(n, 30);
            return;
        }
    }
}
END_TEST

/* ---- other makers' files --------------------------------------------------------------------- */

#define CORPUS "../shared/models/guy-iqm/"

START_TEST(the_guy_of_raylib)
{
    mrw_scene *model = NULL, *moves = NULL, *joined = NULL;
    if (access(CORPUS "guy.iqm", R_OK) != 0) {
        SKIP("iqm: no models of others");
        return;
    }
    ck_assert_int_eq(mrw_load_file(CORPUS "guy.iqm", NULL, &model, &error), MRW_OK);
    ck_assert_int_eq(mrw_load_file(CORPUS "guyanim.iqm", NULL, &moves, &error), MRW_OK);
    ck_assert_uint_eq(model->skins[0].joint_count, 14);
    ck_assert_uint_eq(model->clips_count, 2);
    ck_assert_double_eq_tol(model->clips[1].duration, 2.5, 1e-12);
    mrw_clip_source source = {.scene = moves, .name = "guyanim"};
    ck_assert_int_eq(mrw_scene_add_clips(model, &source, 1, &joined, &error), MRW_OK);
    ck_assert_uint_eq(source.match.matched, 14);
    ck_assert_uint_eq(joined->clips_count, 4);
    mrw_mat4 own[14], added[14];
    palette_of(joined, 1, 1.0, own);
    palette_of(joined, 3, 1.0, added);
    ck_assert_mem_eq(own, added, sizeof own);
    mrw_scene_free(joined);
    mrw_scene_free(moves);
    mrw_scene_free(model);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("iqm");
    TCase *tc = tcase_create("iqm");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_file_is_turned);
    tcase_add_test(tc, colours_are_srgb);
    tcase_add_test(tc, numbers_of_all_formats);
    tcase_add_test(tc, influences_of_other_formats);
    tcase_add_test(tc, materials_may_name_pictures);
    tcase_add_test(tc, alpha_of_pictures_counts);
    tcase_add_test(tc, joints_rest_where_they_were_bound);
    tcase_add_test(tc, clips_play_as_the_slow_evaluator_has_it);
    tcase_add_test(tc, loops_and_rates);
    tcase_add_test(tc, what_stays_takes_no_keys);
    tcase_add_test(tc, poses_of_other_joints_are_left_out);
    tcase_add_test(tc, clips_alone_are_added_by_order);
    tcase_add_test(tc, damage_is_named);
    tcase_add_test(tc, every_truncation_ends_well);
    tcase_add_test(tc, every_number_of_the_header_may_be_wrong);
    tcase_add_test(tc, chance_damages);
    tcase_add_test(tc, shared_bytes_make_no_more_than_their_share);
    tcase_add_test(tc, limits_hold);
    tcase_add_test(tc, every_failed_allocation_is_reported);
    tcase_add_test(tc, the_guy_of_raylib);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
