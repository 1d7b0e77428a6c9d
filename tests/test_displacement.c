/* test_displacement.c: vertices moved by height maps, against what this program computes in double
 * by itself; nothing tears; what shows them sees where they went. */
#include "scene_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/derive.h"

#include <marrow/marrow.h>
#include <unistd.h>

/* ---- heights of our own ---------------------------------------------------------------------- */

#define WIDE 7u
#define HIGH 5u

static uint8_t texels[WIDE * HIGH * 4];

/* Reds of all kinds; the other channels must not count. */
static const uint8_t *make_texels(void)
{
    random_state = 42;
    for (size_t i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)random_u32();
    }
    return texels;
}

static double red(int x, int y, mrw_wrap wrap)
{
    const int sides[2] = {(int)WIDE, (int)HIGH};
    int at[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        const int n = sides[i];
        switch (wrap) {
        case MRW_WRAP_REPEAT:
            at[i] = ((at[i] % n) + n) % n;
            break;
        case MRW_WRAP_CLAMP:
            at[i] = at[i] < 0 ? 0 : at[i] >= n ? n - 1 : at[i];
            break;
        default:
            at[i] = ((at[i] % (2 * n)) + 2 * n) % (2 * n);
            at[i] = at[i] < n ? at[i] : 2 * n - 1 - at[i];
            break;
        }
    }
    return texels[4 * (at[1] * (int)WIDE + at[0])] / 255.0;
}

/* OpenGL 4.6, 8.14.3: four texels around, each by itself through the wrap. */
static double height(double u, double v, mrw_wrap wrap)
{
    const double x = u * WIDE - 0.5, y = v * HIGH - 0.5;
    const int i = (int)floor(x), j = (int)floor(y);
    const double a = x - i, b = y - j;
    return (1 - a) * (1 - b) * red(i, j, wrap) + a * (1 - b) * red(i + 1, j, wrap) +
           (1 - a) * b * red(i, j + 1, wrap) + a * b * red(i + 1, j + 1, wrap);
}

static uint32_t add_material(mrwi_scene_builder *b, mrw_wrap wrap, float scale, float midlevel)
{
    const mrwi_scene_image_input image = {
        .path = "h.png", .width = WIDE, .height = HIGH, .rgba = make_texels()};
    mrw_texture texture = {.wrap_u = wrap, .wrap_v = wrap};
    mrw_material material = mrw_material_default();
    mrw_material_map *map = &material.maps[MRW_MAP_DISPLACEMENT];
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &map->texture, NULL), MRW_OK);
    map->factor[0] = scale;
    map->factor[1] = midlevel;
    map->uv_set = 1;
    map->uv_transform[0] = 1.5f;
    map->uv_transform[2] = 0.25f;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, NULL), MRW_OK);
    return index;
}

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
} stage;

static void set_up(stage *s, mrw_scene *scene)
{
    mrw_error error = {0};
    s->scene = scene;
    ck_assert_msg(mrw_model_create(scene, MRW_SHADING_LIT, 1, &s->model, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
}

static void tear_down(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static const mrw_posed_draw *pose(stage *s, mrw_isa isa)
{
    const mrw_posed_draw *posed;
    mrw_error error = {0};
    ck_assert_msg(mrw_pose_instance(s->renderer, &s->instance, isa, &posed, &error) == MRW_OK, "%s",
                  error.text);
    return posed;
}

/* ---- one square, by hand --------------------------------------------------------------------- */

/* A grid in the plane z = 0, from 0 to 1, morphed by (0, 0, 1) times 1 + x and turned about X by a
 * joint, with coordinates that leave 0 ... 1 on the second set. */
#define SIDE 5

static float grid[SIDE * SIDE * 3], grid_normals[SIDE * SIDE * 3], grid_uvs[SIDE * SIDE * 2];
static float grid_moved[SIDE * SIDE * 3], grid_weights[SIDE * SIDE];
static uint32_t grid_joints[SIDE * SIDE], grid_indices[(SIDE - 1) * (SIDE - 1) * 6];

static mrwi_scene_mesh_input grid_mesh(void)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < SIDE * SIDE; v++) {
        const float x = (float)(v % SIDE) / (SIDE - 1), y = (float)(v / SIDE) / (SIDE - 1);
        memcpy(grid + 3 * v, (const float[]){x, y, 0}, 3 * sizeof *grid);
        memcpy(grid_normals + 3 * v, (const float[]){0, 0, 1}, 3 * sizeof *grid);
        memcpy(grid_uvs + 2 * v, (const float[]){2.3f * x - 0.7f, 1.9f * y - 0.4f},
               2 * sizeof *grid);
        grid_moved[3 * v + 2] = 1 + x;
        grid_weights[v] = 1;
        if (v % SIDE + 1 < SIDE && v / SIDE + 1 < SIDE) {
            const uint32_t six[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
            memcpy(grid_indices + n, six, sizeof six);
            n += 6;
        }
    }
    return (mrwi_scene_mesh_input){.material = MRW_NONE,
                                   .vertex_count = SIDE * SIDE,
                                   .index_count = n,
                                   .indices = grid_indices,
                                   .positions = grid,
                                   .normals = grid_normals,
                                   .uvs = {NULL, grid_uvs}};
}

static mrw_scene *one_grid(mrw_wrap wrap, float scale, float midlevel)
{
    static const mrwi_scene_target_input target = {"t", grid_moved, NULL, NULL};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input in = grid_mesh();
    const float weight = 0.5f;
    mrwi_scene_node_input body = {.parent = MRW_NONE, .rest = identity};
    mrwi_scene_node_input joint = {.parent = MRW_NONE, .rest = identity};
    uint32_t node, bone, skin;
    body.weights = &weight;
    body.weight_count = 1;
    joint.rest.rotation[0] = 0.6f; /* turns by 2 asin 0.6 */
    joint.rest.rotation[3] = 0.8f;
    joint.rest.translation[1] = 3;
    in.material = add_material(b, wrap, scale, midlevel);
    in.influence_count = 1;
    in.joints = grid_joints;
    in.weights = grid_weights;
    in.joint_limit = 1;
    in.targets = &target;
    in.target_count = 1;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &body, &node, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_node(b, &joint, &bone, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "s", &bone, NULL, 1, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), skin, NULL), MRW_OK);
    return finish(b);
}

/* Morph, then skin, then along the normal, which the joint has turned; the instance scales all. */
START_TEST(moved_as_by_hand)
{
    static const double cosine = 0.28, sine = 0.96; /* of that turn */
    const mrw_wrap wrap = (mrw_wrap)_i;
    stage s;
    set_up(&s, one_grid(wrap, 0.3f, 0.4f));
    s.instance.model_to_world.m[0] = s.instance.model_to_world.m[5] =
        s.instance.model_to_world.m[10] = 2;
    s.instance.model_to_world.m[12] = 7;
    const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
    const mrw_mesh *mesh = &s.scene->meshes[0];
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = s.scene->positions + 3 * (size_t)(mesh->position + v);
        const float *uv = s.scene->uvs + 2 * (size_t)(mesh->uv[1] + v);
        const double way = 0.3 * (height(1.5 * (double)uv[0] + 0.25, (double)uv[1], wrap) - 0.4);
        const double x = (double)p[0], y = (double)p[1], z = 0.5 * (1 + x) + way;
        const double want[3] = {7 + 2 * x, 2 * (3 + cosine * y - sine * z),
                                2 * (sine * y + cosine * z)};
        for (uint32_t i = 0; i < 3; i++) {
            ck_assert_msg(fabs((double)posed[0].positions[4 * v + i] - want[i]) < 3e-6,
                          "wrap %d, vertex %u, %u: %.9g, not %.9g", _i, v, i,
                          (double)posed[0].positions[4 * v + i], want[i]);
        }
    }
    tear_down(&s);
}
END_TEST

/* A scale of one axis stretches the way as it stretches the model. */
START_TEST(the_instance_stretches_ways)
{
    stage s, plain;
    set_up(&s, one_grid(MRW_WRAP_REPEAT, 0.3f, 0.4f));
    set_up(&plain, one_grid(MRW_WRAP_REPEAT, 0.3f, 0.4f));
    s.instance.model_to_world.m[10] = 3;
    const mrw_posed_draw *a = pose(&s, MRW_ISA_AUTO), *b = pose(&plain, MRW_ISA_AUTO);
    for (uint32_t v = 0; v < a[0].vertex_count; v++) {
        for (uint32_t i = 0; i < 3; i++) {
            ck_assert_float_eq_tol(a[0].positions[4 * v + i],
                                   b[0].positions[4 * v + i] * (i == 2 ? 3.0f : 1.0f), 1e-5f);
        }
    }
    tear_down(&s);
    tear_down(&plain);
}
END_TEST

/* Nothing to move is nothing done: the same bits as without a map. */
START_TEST(a_scale_of_zero_changes_nothing)
{
    stage s, none;
    set_up(&s, one_grid(MRW_WRAP_REPEAT, 0, 0.5f));
    mrw_scene *bare;
    ck_assert_int_eq(mrwi_scene_displace(s.scene, NULL, "m", &bare, NULL), MRW_OK);
    ck_assert_uint_eq(bare->materials[0].maps[MRW_MAP_DISPLACEMENT].texture, MRW_NONE);
    set_up(&none, bare);
    const mrw_posed_draw *a = pose(&s, MRW_ISA_AUTO), *b = pose(&none, MRW_ISA_AUTO);
    ck_assert_mem_eq(a[0].positions, b[0].positions, a[0].vertex_count * 16);
    ck_assert_mem_eq(a[0].normals, b[0].normals, a[0].vertex_count * 16);
    tear_down(&s);
    tear_down(&none);
}
END_TEST

START_TEST(all_kernels_agree)
{
    static const mrw_isa kinds[] = {MRW_ISA_SCALAR, MRW_ISA_SSE2, MRW_ISA_AVX2, MRW_ISA_AVX512,
                                    MRW_ISA_NEON};
    stage s, other;
    set_up(&s, one_grid(MRW_WRAP_MIRROR, 0.3f, 0.4f));
    set_up(&other, one_grid(MRW_WRAP_MIRROR, 0.3f, 0.4f));
    const mrw_posed_draw *a = pose(&s, MRW_ISA_SCALAR);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (mrw_isa_available(kinds[i])) {
            const mrw_posed_draw *b = pose(&other, kinds[i]);
            ck_assert_mem_eq(a[0].positions, b[0].positions, a[0].vertex_count * 16);
            ck_assert_mem_eq(a[0].normals, b[0].normals, a[0].vertex_count * 16);
        }
    }
    tear_down(&s);
    tear_down(&other);
}
END_TEST

/* ---- normals and tangents -------------------------------------------------------------------- */

static void check3(const float *got, const double want[3])
{
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol((double)got[i], want[i], 1e-5);
    }
}

/* A plane whose map rises evenly along its diagonal becomes a slope. Its normal is that of the
 * slope, and its tangent, (1, 0, 0) before, is turned as the shortest turn does that takes (0, 0,
 * 1) to it. */
START_TEST(normals_follow)
{
    static uint8_t ramp[64 * 4];
    static float uvs[SIDE * SIDE * 2], tangents[SIDE * SIDE * 4];
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input in = grid_mesh();
    for (int i = 0; i < 64; i++) {
        ramp[4 * i] = (uint8_t)(4 * i);
    }
    for (uint32_t v = 0; v < SIDE * SIDE; v++) { /* clear of the edge texels */
        uvs[2 * v] = 0.1f + 0.4f * grid[3 * v] + 0.4f * grid[3 * v + 1];
        tangents[4 * v] = tangents[4 * v + 3] = 1;
    }
    in.uvs[0] = uvs;
    in.uvs[1] = NULL;
    in.tangents = tangents;
    const uint32_t node = add_node(b, "n", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), MRW_NONE, NULL), MRW_OK);
    mrw_scene *base = finish(b), *displaced;
    const mrwi_scene_heights heights = {64, 1, ramp, {1}, 2.0f, 0.5f, false};
    ck_assert_int_eq(mrwi_scene_displace(base, &heights, "m", &displaced, NULL), MRW_OK);
    mrw_scene_free(base);
    ck_assert_uint_eq(displaced->meshes[0].material, 0); /* it had none */
    stage s;
    set_up(&s, displaced);
    const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
    const double slope = 2.0 * 0.4 * 64 * 4 / 255.0, length = sqrt(1 + 2 * slope * slope);
    const double a = -slope / length, c = 1 / length, normal[3] = {a, a, c};
    const double tangent[3] = {c + a * a / (1 + c), -a * a / (1 + c), -a};
    for (uint32_t v = 0; v < posed[0].vertex_count; v++) {
        check3(posed[0].normals + 4 * v, normal);
        check3(posed[0].tangents + 4 * v, tangent);
        ck_assert(posed[0].tangents[4 * v + 3] == 1.0f);
    }
    tear_down(&s);
}
END_TEST

/* Two squares at a right angle, with normals of their own, of two nodes and two materials: the
 * shared edge moves along the mean and stays one; what is grey all over turns no normal. */
START_TEST(a_hard_edge_stays_hard_and_closed)
{
    static const uint8_t grey[4] = {255, 0, 0, 255};
    const float floor_at[12] = {0, 0, 0, 1, 0, 0, 1, 0, -1, 0, 0, -1};
    const float wall_at[12] = {0, 0, -1, 1, 0, -1, 1, 1, -1, 0, 1, -1};
    const float up[12] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    const float front[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input in = {.vertex_count = 4, .index_count = 6, .indices = corners};
    for (int i = 0; i < 2; i++) {
        in.positions = i == 0 ? floor_at : wall_at;
        in.normals = i == 0 ? up : front;
        material.ior = 1.0f + (float)i;
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &in.material, NULL),
                         MRW_OK);
        const uint32_t mesh = add_mesh(b, &in);
        ck_assert_int_eq(
            mrwi_scene_builder_draw(b, add_node(b, "n", MRW_NONE), mesh, MRW_NONE, NULL), MRW_OK);
    }
    mrw_scene *base = finish(b), *displaced;
    const mrwi_scene_heights heights = {1, 1, grey, {1}, 0.5f, 0.0f, false};
    ck_assert_int_eq(mrwi_scene_displace(base, &heights, "m", &displaced, NULL), MRW_OK);
    mrw_scene_free(base);
    stage s;
    set_up(&s, displaced);
    const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
    const double half = 0.5 * 0.70710678;
    int at_edge = 0;
    for (int d = 0; d < 2; d++) {
        const mrw_mesh *mesh = &displaced->meshes[d];
        for (uint32_t v = 0; v < 4; v++) {
            const float *p = displaced->positions + 3 * (size_t)(mesh->position + v);
            const float *q = posed[d].positions + 4 * v;
            const bool edge = p[1] == 0.0f && p[2] == -1.0f;
            const double y = edge ? half : d == 0 ? 0.5 : 0, z = edge ? half : d == 1 ? 0.5 : 0;
            ck_assert_double_eq_tol((double)q[1] - (double)p[1], y, 1e-6);
            ck_assert_double_eq_tol((double)q[2] - (double)p[2], z, 1e-6);
            at_edge += edge;
        }
    }
    ck_assert_int_eq(at_edge, 4);
    tear_down(&s);
}
END_TEST

/* ---- nothing tears --------------------------------------------------------------------------- */

typedef struct edge {
    float ends[6];
} edge;

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(edge));
}

static mrw_scene *load_moon(uint32_t levels)
{
    static uint8_t noise[16 * 8 * 4];
    mrw_scene *base, *displaced, *cut;
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file("assets/moon/moon.glb", NULL, &base, &error) == MRW_OK, "%s",
                  error.text);
    random_state = 7;
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (uint8_t)random_u32();
    }
    const mrwi_scene_heights heights = {16, 8, noise, {1}, 0.2f, 0.5f, false};
    ck_assert_int_eq(mrwi_scene_displace(base, &heights, "m", &displaced, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_subdivide(displaced, levels, UINT64_MAX, "m", &cut, NULL), MRW_OK);
    mrw_scene_free(base);
    mrw_scene_free(displaced);
    return cut;
}

/* Each edge of a closed surface has a triangle on both sides: it is there once each way, between
 * places that are the same to the bit, across the seam and the two materials, posed as it may be.
 * The edges of poles, where two corners are one place, are no edges. */
START_TEST(no_cracks)
{
    stage s;
    set_up(&s, load_moon((uint32_t)_i));
    for (int frame = 0; frame < 3; frame++) {
        s.instance.time = 0.5 * frame;
        const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
        size_t count = 0, room = 0;
        for (uint32_t d = 0; d < s.scene->draws_count; d++) {
            room += 3 * (size_t)s.scene->meshes[s.scene->draws[d].mesh].triangle_count;
        }
        edge *there = mrwi_base_alloc_zero(room, sizeof *there);
        edge *back = mrwi_base_alloc_zero(room, sizeof *back);
        for (uint32_t d = 0; d < s.scene->draws_count; d++) {
            const mrw_mesh *mesh = &s.scene->meshes[s.scene->draws[d].mesh];
            const uint32_t *indices = s.scene->indices + mesh->first_index;
            for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++) {
                const float *p = posed[d].positions + 4 * (size_t)indices[c];
                const float *q =
                    posed[d].positions + 4 * (size_t)indices[c % 3 == 2 ? c - 2 : c + 1];
                if (memcmp(p, q, 12) != 0) {
                    memcpy(there[count].ends, p, 12);
                    memcpy(there[count].ends + 3, q, 12);
                    memcpy(back[count].ends, q, 12);
                    memcpy(back[count].ends + 3, p, 12);
                    count++;
                }
            }
        }
        qsort(there, count, sizeof *there, compare_edges);
        qsort(back, count, sizeof *back, compare_edges);
        ck_assert_uint_gt(count, 1000);
        ck_assert_mem_eq(there, back, count * sizeof *there);
        mrwi_base_free(there);
        mrwi_base_free(back);
    }
    tear_down(&s);
}
END_TEST

/* ---- who sees it ----------------------------------------------------------------------------- */

/* Framing measures where vertices went. */
START_TEST(extents_are_of_what_is_moved)
{
    const mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    stage s;
    set_up(&s, load_moon(1));
    s.instance.time = 1;
    ck_assert_int_eq(mrw_frame_extents(&s.instance, 1, MRW_FIT_FRAME, &view, 1.0f, MRW_ISA_AUTO, 2,
                                       &extents, NULL),
                     MRW_OK);
    const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t d = 0; d < s.scene->draws_count; d++) {
        for (size_t k = 0; k < 4 * (size_t)posed[d].vertex_count; k++) {
            const float x = posed[d].positions[k];
            if (k % 4 < 3) {
                low[k % 4] = x < low[k % 4] ? x : low[k % 4];
                high[k % 4] = x > high[k % 4] ? x : high[k % 4];
            }
        }
    }
    ck_assert(high[1] > 0.52f);
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq(extents.aabb_min[i], low[i]);
        ck_assert_float_eq(extents.aabb_max[i], high[i]);
    }
    tear_down(&s);
}
END_TEST

/* The same moon as a mesh without joints and maps, whose vertices lie where those of another one
 * were posed. */
static mrw_scene *frozen(const mrw_scene *from, const mrw_posed_draw *posed)
{
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "n", MRW_NONE);
    for (uint32_t d = 0; d < from->draws_count; d++) {
        const mrw_mesh *mesh = &from->meshes[from->draws[d].mesh];
        mrw_material material = from->materials[mesh->material];
        const mrw_material usual = mrw_material_default();
        float *p = mrwi_base_alloc(mesh->vertex_count, 3 * sizeof *p);
        float *n = mrwi_base_alloc(mesh->vertex_count, 3 * sizeof *n);
        mrwi_scene_mesh_input in = {.vertex_count = mesh->vertex_count,
                                    .index_count = 3 * mesh->triangle_count,
                                    .indices = from->indices + mesh->first_index,
                                    .positions = p,
                                    .normals = n};
        material.maps[MRW_MAP_DISPLACEMENT] = usual.maps[MRW_MAP_DISPLACEMENT];
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            memcpy(p + 3 * v, posed[d].positions + 4 * v, 3 * sizeof *p);
            memcpy(n + 3 * v, posed[d].normals + 4 * v, 3 * sizeof *n);
        }
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &in.material, NULL),
                         MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), MRW_NONE, NULL),
                         MRW_OK);
        mrwi_base_free(p);
        mrwi_base_free(n);
    }
    return finish(b);
}

static void draw(stage *s, bool shadows, mrw_image *out)
{
    mrw_light_def sun = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL);
    mrw_frame_def def = mrw_frame_def_default();
    const mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_error error = {0};
    sun.intensity = 3;
    memcpy(sun.direction, (const float[]){-0.6f, -1, -0.4f}, sizeof sun.direction);
    def.width = def.height = 160;
    def.samples = 1;
    def.shadows = shadows;
    def.shadow_size = 512;
    def.lights = &sun;
    def.light_count = 1;
    ck_assert_int_eq(mrw_frame_extents(&s->instance, 1, MRW_FIT_FRAME, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &def.camera, &error), MRW_OK);
    ck_assert_msg(mrw_render(s->renderer, &def, &s->instance, 1, 2, out, &error) == MRW_OK, "%s",
                  error.text);
}

static uint32_t differing(const mrw_image *a, const mrw_image *b, int by)
{
    uint32_t count = 0;
    ck_assert_uint_eq(a->width, b->width);
    ck_assert_uint_eq(a->channels, b->channels);
    for (size_t i = 0; i < (size_t)a->width * a->height * a->channels; i++) {
        count += abs(a->pixels[i] - b->pixels[i]) > by;
    }
    return count;
}

/* Light, depth and the shadow that it throws on itself: the picture is that of the frozen mesh, but
 * for the rounding of normals that are made unit twice. */
START_TEST(pictures_and_shadows_see_it)
{
    mrw_image moved = {0}, still = {0}, dark = {0};
    stage s, other;
    set_up(&s, load_moon(2));
    s.instance.time = 0.7;
    set_up(&other, frozen(s.scene, pose(&s, MRW_ISA_AUTO)));
    draw(&s, true, &moved);
    draw(&other, true, &still);
    draw(&other, false, &dark);
    ck_assert_uint_le(differing(&moved, &still, 1), 20);
    ck_assert_uint_gt(differing(&moved, &dark, 8), 500);
    mrw_image_free(&moved);
    mrw_image_free(&still);
    mrw_image_free(&dark);
    tear_down(&s);
    tear_down(&other);
}
END_TEST

/* ---- the option ------------------------------------------------------------------------------ */

START_TEST(values_are_read)
{
    static const struct {
        const char *text;
        size_t path;
        double scale, midlevel;
    } good[] = {
        {"h.png:2", 5, 2, 0.5}, {"h.png:-0.5:0", 5, -0.5, 0}, {"a:b.png:1:0.25", 7, 1, 0.25},
        {"a:1:2:3", 3, 2, 3},   {"none", 0, 0, 0.5},          {"none:1", 4, 1, 0.5}};
    static const char *const bad[] = {
        "h.png", ":1", "h.png:", "h.png:x", "h.png:1:", "", "h.png:1e10", "h.png:nan", ":1:2"};
    mrw_displacement d;
    for (size_t i = 0; i < COUNT(good); i++) {
        ck_assert_msg(mrw_displacement_parse(good[i].text, &d), "%s", good[i].text);
        ck_assert_uint_eq(d.path_length, good[i].path);
        ck_assert_double_eq_tol((double)d.scale, good[i].scale, 1e-9);
        ck_assert_double_eq_tol((double)d.midlevel, good[i].midlevel, 1e-9);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_msg(!mrw_displacement_parse(bad[i], &d), "%s", bad[i]);
    }
}
END_TEST

/* ---- 16 bits --------------------------------------------------------------------------------- */

#define RAMP 32u

/* Steps of a hundredth of those of 8 bits; 65535 at the end. */
static uint16_t ramp_at(uint32_t x)
{
    return x + 1 < RAMP ? (uint16_t)(30000 + 3 * x) : 65535;
}

/* A ramp as a decoded picture of 16 bits, in memory of the library's. */
static uint8_t *make_deep_ramp(bool deep)
{
    uint8_t *rgba = mrwi_base_alloc_zero(RAMP + RAMP / 4, 4);
    for (uint32_t x = 0; x < RAMP; x++) {
        rgba[4 * x] = (uint8_t)(ramp_at(x) >> 8);
        rgba[4 * x + 3] = 255;
        rgba[4 * RAMP + x] = deep ? (uint8_t)(ramp_at(x) & 0xff) : 0;
    }
    return rgba;
}

/* What the middle of the texels of a ramp and the middle between two are moved by. */
static void check_ramp(mrw_scene *scene, double scale, double level)
{
    stage s;
    set_up(&s, scene);
    const mrw_posed_draw *posed = pose(&s, MRW_ISA_AUTO);
    for (uint32_t v = 0; v < 2 * RAMP - 2; v++) {
        const double red =
            v % 2 == 0 ? ramp_at(v / 2) : 0.5 * (ramp_at(v / 2) + ramp_at(v / 2 + 1));
        const double z = (red / 65535.0 - level) * scale,
                     got = (double)posed[0].positions[4 * v + 2];
        ck_assert_msg(fabs(got - z) < 1e-5, "%u: %.7f, not %.7f", v, got, z);
    }
    tear_down(&s);
}

/* A strip of triangles whose vertices lie on the middles of texels and of their edges. */
static mrw_scene *strip(uint32_t material, mrwi_scene_builder *b)
{
    enum { COUNT_OF = 2 * RAMP - 2 };
    static float at[COUNT_OF * 3], up[COUNT_OF * 3], uvs[COUNT_OF * 2];
    static uint32_t corners[(COUNT_OF - 2) * 3];
    for (uint32_t v = 0; v < COUNT_OF; v++) {
        memcpy(at + 3 * v, (const float[]){(float)v, (float)(v % 2), 0}, 3 * sizeof *at);
        memcpy(up + 3 * v, (const float[]){0, 0, 1}, 3 * sizeof *up);
        uvs[2 * v] = (0.5f * (float)v + 0.5f) / RAMP;
        uvs[2 * v + 1] = 0.5f;
    }
    for (uint32_t t = 0; t < COUNT_OF - 2; t++) {
        const uint32_t three[3] = {t, t + 1 + t % 2, t + 2 - t % 2};
        memcpy(corners + 3 * t, three, sizeof three);
    }
    const mrwi_scene_mesh_input in = {.material = material,
                                      .vertex_count = COUNT_OF,
                                      .index_count = (COUNT_OF - 2) * 3,
                                      .indices = corners,
                                      .positions = at,
                                      .normals = up,
                                      .uvs = {uvs, NULL}};
    const uint32_t node = add_node(b, "n", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

/* As loaders do: an image that others show, too, is stored once, and with all its bits where any of
 * them has them, whichever comes first. It is the same behind a file of `marrow compile`. */
START_TEST(ramps_of_16_bits_have_no_steps)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    static const mrw_map maps[2] = {MRW_MAP_DISPLACEMENT, MRW_MAP_BASE_COLOR};
    uint32_t images[2], index;
    for (int i = 0; i < 2; i++) {
        const mrwi_scene_image_input input = {.path = i == 0 ? "a.png" : "b.png", .unseen = true};
        mrw_texture texture = {.wrap_u = MRW_WRAP_CLAMP};
        ck_assert_int_eq(mrwi_scene_builder_image(b, &input, &images[i], NULL), MRW_OK);
        texture.image = images[i];
        ck_assert_int_eq(
            mrwi_scene_builder_texture(b, NULL, &texture, &material.maps[maps[i]].texture, NULL),
            MRW_OK);
    }
    for (int i = 0; i < 2; i++) {
        const int at = _i == 0 ? i : 1 - i;
        mrwi_scene_texels deep = {.width = RAMP,
                                  .height = 1,
                                  .rgba = make_deep_ramp(at == 0),
                                  .deep = at == 0,
                                  .hash = {7}};
        mrwi_scene_texels_find(&deep);
        ck_assert_int_eq(mrwi_scene_builder_texels(b, images[at], &deep, NULL), MRW_OK);
    }
    material.maps[MRW_MAP_DISPLACEMENT].factor[0] = 20.0f;
    material.maps[MRW_MAP_DISPLACEMENT].factor[1] = 0.25f;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, NULL), MRW_OK);
    mrw_scene *scene = strip(index, b), *back;
    ck_assert_uint_eq(scene->images_count, 1);
    ck_assert_uint_eq(scene->images[0].flags, MRW_IMAGE_DEEP);
    ck_assert_uint_eq(scene->texels_count, RAMP + RAMP / 4);
    mrw_bytes file;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_scene_compile(scene, &file, NULL), MRW_OK);
    ck_assert_msg(mrw_load_memory(file.data, file.size, "m.marrow", NULL, NULL, &back, &error) ==
                      MRW_OK,
                  "%s", error.text);
    mrw_bytes_free(&file);
    ck_assert_mem_eq(mrw_scene_hash(scene), mrw_scene_hash(back), 32);
    check_ramp(scene, 20, 0.25);
    check_ramp(back, 20, 0.25);
}
END_TEST

/* A file that the model shows with 8 bits comes again with 16. */
START_TEST(heights_from_outside_have_16_bits)
{
    mrwi_scene_builder *b = begin();
    const mrwi_scene_image_input input = {.path = "a.png", .unseen = true};
    mrw_texture texture = {.wrap_u = MRW_WRAP_CLAMP};
    mrw_material material = mrw_material_default();
    uint32_t index;
    mrwi_scene_texels deep = {
        .width = RAMP, .height = 1, .rgba = make_deep_ramp(false), .hash = {7}};
    mrwi_scene_heights heights = {.width = RAMP,
                                  .height = 1,
                                  .hash = {7},
                                  .rgba = make_deep_ramp(true),
                                  .scale = 3.0f,
                                  .midlevel = 0.5f,
                                  .deep = true};
    ck_assert_int_eq(mrwi_scene_builder_image(b, &input, &texture.image, NULL), MRW_OK);
    mrwi_scene_texels_find(&deep);
    ck_assert_int_eq(mrwi_scene_builder_texels(b, texture.image, &deep, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture,
                                                &material.maps[MRW_MAP_BASE_COLOR].texture, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, NULL), MRW_OK);
    mrw_scene *base = strip(index, b), *displaced, *again;
    ck_assert_int_eq(mrwi_scene_displace(base, &heights, "m", &displaced, NULL), MRW_OK);
    ck_assert_uint_eq(displaced->images_count, 2);
    ck_assert_uint_eq(displaced->images[1].flags, MRW_IMAGE_EMBEDDED | MRW_IMAGE_DEEP);
    ck_assert_int_eq(mrwi_scene_displace(displaced, &heights, "m", &again, NULL), MRW_OK);
    ck_assert_uint_eq(again->images_count, 2);
    mrwi_base_free((void *)(uintptr_t)heights.rgba);
    mrw_scene_free(base);
    check_ramp(displaced, 3, 0.5);
    check_ramp(again, 3, 0.5);
}
END_TEST

static mrw_status load_with(const char *displacement, const char *levels, mrw_scene **out,
                            mrw_error *error)
{
    mrw_settings settings;
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_set(&settings, "displacement", displacement, error), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&settings, "subdivide", levels, error), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&settings, "max-vertices", "10000", error), MRW_OK);
    const mrw_status status = mrw_session_load("assets/moon/moon.glb", &settings, NULL, out, error);
    mrw_settings_free(&settings);
    return status;
}

/* As given, else beside the model; all materials get it, and the hash says so. */
START_TEST(textures_are_found)
{
    mrw_scene *s, *beside;
    mrw_error error = {0};
    ck_assert_msg(load_with("assets/moon/craters.png:0.5:0.25", "1", &s, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert_uint_eq(s->images[0].width, 96);
    for (uint32_t m = 0; m < 2; m++) {
        const mrw_material_map *map = &s->materials[m].maps[MRW_MAP_DISPLACEMENT];
        ck_assert_uint_eq(map->texture, 0);
        ck_assert(map->factor[0] == 0.5f && map->factor[1] == 0.25f);
    }
    ck_assert_msg(load_with("craters.png:0.5:0.25", "1", &beside, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_mem_eq(mrw_scene_hash(s), mrw_scene_hash(beside), 32);
    mrw_scene_free(beside);
    ck_assert_int_eq(load_with("craters.png:0.5:0.3", "1", &beside, &error), MRW_OK);
    ck_assert(memcmp(mrw_scene_hash(s), mrw_scene_hash(beside), 32) != 0);
    mrw_scene_free(beside);
    mrw_scene_free(s);
}
END_TEST

START_TEST(what_is_wrong_is_one_line)
{
    static const struct {
        const char *displacement, *levels, *words;
    } cases[] = {{"nowhere.png:1", "1", "--displacement nowhere.png: the texture does not exist"},
                 {"assets/moon:1", "1", "--displacement assets/moon: the texture "},
                 {"assets/moon/moon.glb:1", "1", "assets/moon/moon.glb"},
                 {"none", "4", "--subdivide 4 makes"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        mrw_scene *s = NULL;
        mrw_error error = {0};
        ck_assert_int_eq(load_with(cases[i].displacement, cases[i].levels, &s, &error),
                         MRW_ERROR_INPUT);
        ck_assert_ptr_null(s);
        ck_assert_msg(strstr(error.text, cases[i].words), "%s", error.text);
        ck_assert_ptr_null(strchr(error.text, '\n'));
    }
}
END_TEST

/* A PNG of 16 bits grey, with no bit lost. */
START_TEST(png_of_16_bits_is_read_as_such)
{
    const char *path = test_path("map.png");
    char value[PATH_MAX];
    uint16_t grey[RAMP];
    mrw_image image = {.width = RAMP,
                       .height = 1,
                       .channels = 1,
                       .format = MRW_FORMAT_U16,
                       .pixels = (void *)grey};
    mrw_bytes png;
    mrw_scene *s;
    mrw_error error = {0};
    for (uint32_t x = 0; x < RAMP; x++) {
        grey[x] = ramp_at(x);
    }
    snprintf(value, sizeof value, "%s:0.5", path);
    ck_assert_int_eq(mrw_png_encode(&image, &png, &error), MRW_OK);
    ck_assert_int_eq(mrw_file_write(path, png.data, png.size, &error), MRW_OK);
    ck_assert_msg(load_with(value, "1", &s, &error) == MRW_OK, "%s", error.text);
    const uint8_t *rgba = s->texels + (size_t)s->images[0].first_texel * 4;
    ck_assert_uint_eq(s->images[0].flags, MRW_IMAGE_EMBEDDED | MRW_IMAGE_DEEP);
    for (uint32_t x = 0; x < RAMP; x++) {
        ck_assert_uint_eq(rgba[4 * x] * 256u + rgba[4 * RAMP + x], grey[x]);
    }
    mrw_scene_free(s);
    mrw_bytes_free(&png);
    test_folder_remove();
}
END_TEST

/* What was loaded serves again as long as the map's file is what it was. */
START_TEST(another_map_is_another_model)
{
    const char *path = test_path("map.png");
    char value[PATH_MAX];
    mrw_session_cache *cache;
    mrw_settings settings;
    mrw_error error = {0};
    const mrw_scene *scenes[3];
    mrw_bytes map = {0};
    snprintf(value, sizeof value, "%s:0.2", path);
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_set(&settings, "displacement", value, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_cache_create(&cache, &error), MRW_OK);
    for (int i = 0; i < 3; i++) {
        const char *from = i < 2 ? "assets/moon/craters.png" : "assets/matcap.png";
        ck_assert_int_eq(mrwi_base_read_file(from, 1 << 20, &map, NULL, &error), MRW_OK);
        ck_assert_int_eq(mrw_file_write(path, map.data, map.size, &error), MRW_OK);
        mrw_bytes_free(&map);
        ck_assert_msg(mrw_session_cache_load(cache, "assets/moon/moon.glb", &settings, NULL,
                                             &scenes[i], &error) == MRW_OK,
                      "%s", error.text);
    }
    ck_assert_ptr_eq(scenes[0], scenes[1]);
    ck_assert_ptr_ne(scenes[0], scenes[2]);
    ck_assert_uint_eq(scenes[2]->images[0].width, 64);
    for (int i = 0; i < 3; i++) {
        mrw_session_cache_release(cache, scenes[i]);
    }
    mrw_session_cache_free(cache);
    mrw_settings_free(&settings);
    test_folder_remove();
}
END_TEST

/* A model that is added is not moved, one of --copies is. */
START_TEST(the_first_model_alone_is_moved)
{
    const mrw_scene *scene;
    mrw_session_cache *cache;
    mrw_settings settings;
    mrw_session_model model;
    mrw_session session;
    mrw_error error = {0};
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_set(&settings, "displacement", "craters.png:1:0", &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&settings, "subdivide", "1", &error), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&settings, "add", "assets/moon/moon.glb", &error), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&settings, "copies", "2", &error), MRW_OK);
    ck_assert_int_eq(mrw_session_cache_create(&cache, &error), MRW_OK);
    ck_assert_int_eq(
        mrw_session_cache_load(cache, "assets/moon/moon.glb", &settings, NULL, &scene, &error),
        MRW_OK);
    ck_assert_int_eq(
        mrw_session_model_init("assets/moon/moon.glb", scene, &settings, &model, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_begin(&session, &model, false, &error), MRW_OK);
    ck_assert_msg(mrw_session_prepare(&session, NULL, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(session.instance_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const bool moved =
            session.scenes[i]->materials[0].maps[MRW_MAP_DISPLACEMENT].texture != MRW_NONE;
        ck_assert(moved == (i != 1));
        ck_assert_uint_eq(session.scenes[i]->meshes[0].triangle_count, i != 1 ? 880 : 220);
    }
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_session_cache_release(cache, scene);
    mrw_session_cache_free(cache);
    mrw_settings_free(&settings);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("displacement");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, moved_as_by_hand, 0, 3);
    tcase_add_loop_test(tc, ramps_of_16_bits_have_no_steps, 0, 2);
    tcase_add_test(tc, heights_from_outside_have_16_bits);
    tcase_add_test(tc, png_of_16_bits_is_read_as_such);
    tcase_add_test(tc, the_instance_stretches_ways);
    tcase_add_test(tc, a_scale_of_zero_changes_nothing);
    tcase_add_test(tc, all_kernels_agree);
    tcase_add_test(tc, normals_follow);
    tcase_add_test(tc, a_hard_edge_stays_hard_and_closed);
    tcase_add_loop_test(tc, no_cracks, 0, 3);
    tcase_add_test(tc, extents_are_of_what_is_moved);
    tcase_add_test(tc, pictures_and_shadows_see_it);
    tcase_add_test(tc, values_are_read);
    tcase_add_test(tc, textures_are_found);
    tcase_add_test(tc, what_is_wrong_is_one_line);
    tcase_add_test(tc, another_map_is_another_model);
    tcase_add_test(tc, the_first_model_alone_is_moved);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
