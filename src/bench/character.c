/* character.c: writes a textured character as a glb: fifteen tubes (a body with its head, two
 * legs, two arms, ten fingers) around a skeleton of 67 joints, with four influences per vertex, two
 * textures, and a clip with baked keys, 30 per second.
 *
 *                  head
 *        fingers --arm--|--arm-- fingers       T pose, 1.7 m high, front to +Z
 *                     hips
 *                   leg  leg
 */
#include "bench/character.h"
#include "bench/internal.h"

#include <marrow/load.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI     3.14159265f
#define CHAINS 15
#define JOINTS 67
#define KEYS   61

/* A chain of joints, each the parent of the next, and the tube around them. */
typedef struct chain {
    uint32_t joints; /* number of joints */
    uint32_t parent; /* parent of the first joint; MRW_NONE: none */
    float start[3];  /* position of the first joint in the world */
    float step[3];   /* offset from joint to joint, along one axis */
    float radius;    /* radius of the tube */
    uint32_t rings, sides;
    uint32_t texture;
    uint32_t first; /* index of the first joint */
} chain;

/* ---- the skeleton ---------------------------------------------------------------------------- */

/* Triangles grow with fineness * (2 * fineness - 1). */
static void make_limbs(uint32_t fineness, chain chains[CHAINS])
{
    chains[0] = (chain){9, MRW_NONE, {0, 0.95f, 0}, {0, 0.09f, 0}, 0.15f, 48, 16, 0, 0};
    for (uint32_t side = 0; side < 2; side++) {
        float x = side == 0 ? 1.0f : -1.0f;
        chain *leg = &chains[1 + side], *arm = &chains[3 + side];
        *leg = (chain){5, 0, {0.1f * x, 0.9f, 0}, {0, -0.21f, 0}, 0.085f, 48, 16, 0, 9 + 5 * side};
        *arm = (chain){4,  6, {0.16f * x, 1.45f, 0}, {0.17f * x, 0, 0}, 0.055f, 48,
                       16, 0, 19 + 4 * side};
        for (uint32_t finger = 0; finger < 5; finger++) {
            float z = 0.02f * ((float)finger - 2.0f);
            chains[5 + 5 * side + finger] = (chain){4,
                                                    arm->first + 3,
                                                    {0.74f * x, 1.45f, z},
                                                    {0.03f * x, 0, 0},
                                                    0.009f,
                                                    14,
                                                    12,
                                                    1,
                                                    27 + 20 * side + 4 * finger};
        }
    }
    for (int i = 0; i < CHAINS; i++) {
        chains[i].rings *= 2 * fineness - 1;
        chains[i].sides *= fineness;
    }
}

/* Computes the rest position of a joint in the world. */
static void joint_place(const chain *c, uint32_t joint, float out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = c->start[k] + (float)joint * c->step[k];
    }
}

static const chain *chain_of(const chain chains[CHAINS], uint32_t joint)
{
    int c = 0;
    while (joint < chains[c].first || joint >= chains[c].first + chains[c].joints) {
        c++;
    }
    return &chains[c];
}

/* ---- the mesh -------------------------------------------------------------------------------- */

typedef struct vertex {
    float position[3];
    float normal[3];
    float uv[2];
    uint16_t joints[4];
    float weights[4];
} vertex;

/* Weighs the four joints around `at`, counted in joints, by the uniform cubic B-spline. */
static void weigh(const chain *c, float at, vertex *v)
{
    float t = at - floorf(at), s = 1.0f - t;
    const float weights[4] = {s * s * s / 6.0f, (3 * t * t * t - 6 * t * t + 4) / 6.0f,
                              (3 * s * s * s - 6 * s * s + 4) / 6.0f, t * t * t / 6.0f};
    for (int i = 0; i < 4; i++) {
        int joint = (int)floorf(at) - 1 + i, last = (int)c->joints - 1, slot = 0;
        joint = joint < 0 ? 0 : joint > last ? last : joint;
        while (v->weights[slot] > 0.0f && v->joints[slot] != c->first + (uint32_t)joint) {
            slot++;
        }
        v->joints[slot] = (uint16_t)(c->first + (uint32_t)joint);
        v->weights[slot] += weights[i];
    }
}

/* Makes a vertex of the tube: s goes round, t along. u, v and the axis are right-handed. */
static vertex tube_vertex(const chain *c, float s, float t)
{
    vertex out = {.uv = {2.0f * s, 2.0f * t}};
    int axis = c->step[0] != 0.0f ? 0 : 1;
    float length = (float)(c->joints - 1), forward = c->step[axis] > 0.0f ? 1.0f : -1.0f;
    float at = (length + 0.8f) * t - 0.4f, middle = 2.0f * t - 1.0f;
    float taper = sqrtf(1.0f - powf(middle, 8.0f)) * (1.0f - 0.15f * middle);
    float turn[2] = {cosf(2.0f * PI * s), forward * sinf(2.0f * PI * s)};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    joint_place(c, 0, out.position);
    out.position[axis] += at * c->step[axis];
    out.position[u] += c->radius * taper * turn[0];
    out.position[v] += c->radius * taper * turn[1];
    out.normal[axis] = forward * powf(middle, 7.0f);
    out.normal[u] = turn[0];
    out.normal[v] = turn[1];
    float size = 0.0f;
    for (int k = 0; k < 3; k++) {
        size += out.normal[k] * out.normal[k];
    }
    for (int k = 0; k < 3; k++) {
        out.normal[k] /= sqrtf(size);
    }
    weigh(c, at > 0.0f ? at < length ? at : length : 0.0f, &out);
    return out;
}

/* The tubes of one texture: a primitive of the mesh. */
typedef struct part {
    uint32_t vertices, indices;     /* numbers of both */
    size_t vertices_at, indices_at; /* offsets in the binary chunk */
    float low[3], high[3];          /* bounding box */
} part;

static void add_part(const chain chains[CHAINS], uint32_t texture, mrw_text *bin, part *out)
{
    *out = (part){.vertices_at = bin->size, .low = {9, 9, 9}, .high = {-9, -9, -9}};
    for (int i = 0; i < CHAINS; i++) {
        const chain *c = &chains[i];
        for (uint32_t k = 0; c->texture == texture && k < (c->rings + 1) * (c->sides + 1); k++) {
            vertex v = tube_vertex(c, (float)(k % (c->sides + 1)) / (float)c->sides,
                                   (float)(k / (c->sides + 1)) / (float)c->rings);
            mrw_text_put(bin, &v, sizeof v);
            for (int a = 0; a < 3; a++) {
                out->low[a] = fminf(out->low[a], v.position[a]);
                out->high[a] = fmaxf(out->high[a], v.position[a]);
            }
            out->vertices++;
        }
    }
    out->indices_at = bin->size;
    uint32_t first = 0;
    for (int i = 0; i < CHAINS; i++) {
        const chain *c = &chains[i];
        for (uint32_t k = 0; c->texture == texture && k < c->rings * c->sides; k++) {
            uint32_t a = first + k / c->sides * (c->sides + 1) + k % c->sides;
            uint32_t d = a + c->sides + 1;
            const uint32_t quad[6] = {a, a + 1, d, a + 1, d + 1, d};
            mrw_text_put(bin, quad, sizeof quad);
            out->indices += 6;
        }
        first += c->texture == texture ? (c->rings + 1) * (c->sides + 1) : 0;
    }
}

/* ---- the clip -------------------------------------------------------------------------------- */

/* Writes the times, then the translations, rotations and scales of each joint. */
static void add_clip(const chain chains[CHAINS], mrw_text *bin)
{
    const float scale[3] = {1.0f, 1.0f, 1.0f};
    for (uint32_t k = 0; k < KEYS; k++) {
        float time = (float)k / 30.0f;
        mrw_text_put(bin, &time, sizeof time);
    }
    for (uint32_t j = 0; j < JOINTS; j++) {
        const chain *c = chain_of(chains, j);
        float rest[3], parent[3] = {0, 0, 0};
        joint_place(c, j - c->first, rest);
        uint32_t above = j > c->first ? j - 1 : c->parent;
        if (above != MRW_NONE) {
            joint_place(chain_of(chains, above), above - chain_of(chains, above)->first, parent);
        }
        for (uint32_t k = 0; k < KEYS; k++) {
            const float place[3] = {rest[0] - parent[0], rest[1] - parent[1], rest[2] - parent[2]};
            mrw_text_put(bin, place, sizeof place);
        }
        for (uint32_t k = 0; k < KEYS; k++) {
            float angle = 0.12f * sinf(2.0f * PI * (float)k / (KEYS - 1) + 0.7f * (float)j);
            const float turn[4] = {c->step[0] == 0.0f ? sinf(angle) : 0.0f, 0.0f,
                                   c->step[0] == 0.0f ? 0.0f : sinf(angle), cosf(angle)};
            mrw_text_put(bin, turn, sizeof turn);
        }
        for (uint32_t k = 0; k < KEYS; k++) {
            mrw_text_put(bin, scale, sizeof scale);
        }
    }
}

static void add_inverse_binds(const chain chains[CHAINS], mrw_text *bin)
{
    for (uint32_t j = 0; j < JOINTS; j++) {
        const chain *c = chain_of(chains, j);
        float place[3];
        joint_place(c, j - c->first, place);
        const float m[16] = {1, 0, 0, 0, 0,         1,         0,         0,
                             0, 0, 1, 0, -place[0], -place[1], -place[2], 1};
        mrw_text_put(bin, m, sizeof m);
    }
}

/* ---- textures -------------------------------------------------------------------------------- */

#define GRAIN 2.0f /* gives 1024 x 1024 texels a PNG of 1.5 MB */

static mrw_status add_texture(uint32_t side, uint32_t number, mrw_text *bin, size_t *size,
                              mrw_error *error)
{
    static const char zeros[4];
    mrw_image image;
    size_t start = bin->size;
    mrw_status status = mrw_image_create(side, side, 3, &image, error);
    if (status) {
        return status;
    }
    bench_paint(image.pixels, side, 3, GRAIN, number);
    status = bench_stb_write(&image, number != 0, bin, error);
    mrw_image_free(&image);
    *size = bin->size - start;
    mrw_text_put(bin, zeros, (4 - *size % 4) % 4);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The contents of the binary chunk. Offsets and sizes are bytes. */
typedef struct layout {
    part parts[2];
    size_t clip, binds, textures[2], texture_sizes[2];
} layout;

static void json_view(mrw_text *json, const char *before, size_t offset, size_t length,
                      size_t stride)
{
    mrw_text_add(json, "%s{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu", before, offset,
                 length);
    if (stride > 0) {
        mrw_text_add(json, ", \"byteStride\": %zu", stride);
    }
    mrw_text_add(json, "}");
}

/* Writes the views. 0 and 1, 2 and 3: vertices and indices of the parts; 4: the clip; 5: inverse
 * bind matrices; 6 and 7: textures. */
static void json_views(const layout *l, size_t size, mrw_text *json)
{
    mrw_text_add(json, ", \"buffers\": [{\"byteLength\": %zu}], \"bufferViews\": [", size);
    for (int p = 0; p < 2; p++) {
        const part *of = &l->parts[p];
        json_view(json, p > 0 ? ", " : "", of->vertices_at, of->vertices * sizeof(vertex),
                  sizeof(vertex));
        json_view(json, ", ", of->indices_at, of->indices * sizeof(uint32_t), 0);
    }
    json_view(json, ", ", l->clip, l->binds - l->clip, 0);
    json_view(json, ", ", l->binds, JOINTS * sizeof(mrw_mat4), 0);
    for (int t = 0; t < 2; t++) {
        json_view(json, ", ", l->textures[t], l->texture_sizes[t], 0);
    }
    mrw_text_add(json, "]");
}

enum { FLOAT = 5126, USHORT = 5123, UINT = 5125 }; /* glTF 2.0, 3.6.2.2 */

/* Writes an accessor without its closing brace, so that the caller can add to it. */
static void json_accessor(mrw_text *json, uint32_t view, size_t offset, size_t count,
                          uint32_t component, const char *type)
{
    mrw_text_add(json,
                 "{\"bufferView\": %u, \"byteOffset\": %zu, \"count\": %zu, \"componentType\": %u, "
                 "\"type\": \"%s\"",
                 view, offset, count, component, type);
}

static void json_floats(mrw_text *json, const char *key, const float *values, int count)
{
    char number[32];
    mrw_text_add(json, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        mrw_format_float(values[i], number);
        mrw_text_add(json, "%s%s", i > 0 ? ", " : "", number);
    }
    mrw_text_add(json, "]");
}

/* Writes the accessors. 0 to 5 and 6 to 11: the parts; 12: inverse bind matrices; 13: times; from
 * 14 + 3 j on: translations, rotations and scales of joint j. */
static void json_accessors(const layout *l, mrw_text *json)
{
    static const float first = 0.0f, last = (KEYS - 1) / 30.0f;
    mrw_text_add(json, ", \"accessors\": [");
    for (uint32_t p = 0; p < 2; p++) {
        const part *of = &l->parts[p];
        json_accessor(json, 2 * p, offsetof(vertex, position), of->vertices, FLOAT, "VEC3");
        json_floats(json, "min", of->low, 3);
        json_floats(json, "max", of->high, 3);
        mrw_text_add(json, "}, ");
        json_accessor(json, 2 * p, offsetof(vertex, normal), of->vertices, FLOAT, "VEC3");
        mrw_text_add(json, "}, ");
        json_accessor(json, 2 * p, offsetof(vertex, uv), of->vertices, FLOAT, "VEC2");
        mrw_text_add(json, "}, ");
        json_accessor(json, 2 * p, offsetof(vertex, joints), of->vertices, USHORT, "VEC4");
        mrw_text_add(json, "}, ");
        json_accessor(json, 2 * p, offsetof(vertex, weights), of->vertices, FLOAT, "VEC4");
        mrw_text_add(json, "}, ");
        json_accessor(json, 2 * p + 1, 0, of->indices, UINT, "SCALAR");
        mrw_text_add(json, "}, ");
    }
    json_accessor(json, 5, 0, JOINTS, FLOAT, "MAT4");
    mrw_text_add(json, "}, ");
    json_accessor(json, 4, 0, KEYS, FLOAT, "SCALAR");
    json_floats(json, "min", &first, 1);
    json_floats(json, "max", &last, 1);
    mrw_text_add(json, "}");
    for (uint32_t j = 0; j < JOINTS; j++) {
        static const char *const types[3] = {"VEC3", "VEC4", "VEC3"};
        static const size_t before[3] = {0, 3, 7};
        for (uint32_t path = 0; path < 3; path++) {
            size_t floats = KEYS * (1 + 10 * (size_t)j + before[path]);
            mrw_text_add(json, ", ");
            json_accessor(json, 4, floats * sizeof(float), KEYS, FLOAT, types[path]);
            mrw_text_add(json, "}");
        }
    }
    mrw_text_add(json, "]");
}

static void json_mesh(mrw_text *json)
{
    static const char *const attributes[5] = {"POSITION", "NORMAL", "TEXCOORD_0", "JOINTS_0",
                                              "WEIGHTS_0"};
    mrw_text_add(json, ", \"meshes\": [{\"primitives\": [");
    for (uint32_t p = 0; p < 2; p++) {
        mrw_text_add(json, "%s{\"attributes\": {", p > 0 ? ", " : "");
        for (uint32_t a = 0; a < 5; a++) {
            mrw_text_add(json, "%s\"%s\": %u", a > 0 ? ", " : "", attributes[a], 6 * p + a);
        }
        mrw_text_add(json, "}, \"indices\": %u, \"material\": %u}", 6 * p + 5, p);
    }
    mrw_text_add(json, "]}]");
}

static void json_materials(mrw_text *json)
{
    mrw_text_add(json, ", \"materials\": [");
    for (int t = 0; t < 2; t++) {
        mrw_text_add(json, "%s{\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": %d}}}",
                     t > 0 ? ", " : "", t);
    }
    mrw_text_add(json, "], \"textures\": [{\"source\": 0}, {\"source\": 1}], "
                       "\"images\": [{\"bufferView\": 6, \"mimeType\": \"image/png\"}, "
                       "{\"bufferView\": 7, \"mimeType\": \"image/jpeg\"}]");
}

/* Writes the nodes: 0 to 66 are the joints, 67 has the mesh. */
static void json_nodes(const chain chains[CHAINS], mrw_text *json)
{
    mrw_text_add(json, ", \"nodes\": [");
    for (uint32_t j = 0; j < JOINTS; j++) {
        bool any = false;
        mrw_text_add(json, "{\"name\": \"joint_%u\"", j);
        for (uint32_t child = j + 1; child < JOINTS; child++) {
            const chain *c = chain_of(chains, child);
            if ((child > c->first ? child - 1 : c->parent) == j) {
                mrw_text_add(json, "%s%u", any ? ", " : ", \"children\": [", child);
                any = true;
            }
        }
        mrw_text_add(json, "%s}, ", any ? "]" : "");
    }
    mrw_text_add(json, "{\"name\": \"character\", \"mesh\": 0, \"skin\": 0}], "
                       "\"skins\": [{\"inverseBindMatrices\": 12, \"joints\": [");
    for (uint32_t j = 0; j < JOINTS; j++) {
        mrw_text_add(json, "%s%u", j > 0 ? ", " : "", j);
    }
    mrw_text_add(json, "]}]");
}

static void json_clip(mrw_text *json)
{
    static const char *const paths[3] = {"translation", "rotation", "scale"};
    mrw_text_add(json, ", \"animations\": [{\"name\": \"Move\", \"samplers\": [");
    for (uint32_t i = 0; i < 3 * JOINTS; i++) {
        mrw_text_add(json, "%s{\"input\": 13, \"output\": %u}", i > 0 ? ", " : "", 14 + i);
    }
    mrw_text_add(json, "], \"channels\": [");
    for (uint32_t i = 0; i < 3 * JOINTS; i++) {
        mrw_text_add(json, "%s{\"sampler\": %u, \"target\": {\"node\": %u, \"path\": \"%s\"}}",
                     i > 0 ? ", " : "", i, i / 3, paths[i % 3]);
    }
    mrw_text_add(json, "]}], \"scene\": 0, \"scenes\": [{\"nodes\": [0, 67]}]");
}

void bench_put_glb(const mrw_text *json, const mrw_text *bin, mrw_text *out)
{
    const uint32_t spaces = (uint32_t)(4 - json->size % 4) % 4;
    const uint32_t json_size = (uint32_t)json->size + spaces, bin_size = (uint32_t)bin->size;
    const uint32_t head[5] = {0x46546c67u, 2, 12 + 8 + json_size + 8 + bin_size, json_size,
                              0x4e4f534au};
    const uint32_t chunk[2] = {bin_size, 0x004e4942u};
    mrw_text_put(out, head, sizeof head);
    mrw_text_put(out, json->data, json->size);
    mrw_text_put(out, "   ", spaces);
    mrw_text_put(out, chunk, sizeof chunk);
    mrw_text_put(out, bin->data, bin->size);
}

mrw_status bench_character_glb(uint32_t side, uint32_t fineness, mrw_text *out, mrw_error *error)
{
    chain chains[CHAINS];
    layout l;
    mrw_text bin = {0}, json = {0};
    mrw_status status = MRW_OK;
    make_limbs(fineness, chains);
    for (uint32_t p = 0; p < 2; p++) {
        add_part(chains, p, &bin, &l.parts[p]);
    }
    l.clip = bin.size;
    add_clip(chains, &bin);
    l.binds = bin.size;
    add_inverse_binds(chains, &bin);
    for (uint32_t t = 0; t < 2; t++) {
        l.textures[t] = bin.size;
        status = add_texture(side, t, &bin, &l.texture_sizes[t], error);
        if (status) {
            goto out;
        }
    }
    mrw_text_add(&json, "{\"asset\": {\"version\": \"2.0\"}");
    json_views(&l, bin.size, &json);
    json_accessors(&l, &json);
    json_mesh(&json);
    json_materials(&json);
    json_nodes(chains, &json);
    json_clip(&json);
    mrw_text_add(&json, "}");
    bench_put_glb(&json, &bin, out);
    status = bin.failed || json.failed || out->failed ? bench_fail_memory(error) : MRW_OK;
out:
    mrw_text_free(&bin);
    mrw_text_free(&json);
    return status;
}

/* ---- loading it ------------------------------------------------------------------------------ */

#define TEXTURE_SIDE 1024u

mrw_status bench_character_load(mrw_shading shading, uint32_t fineness, uint32_t width,
                                float margin, bench_character *out, mrw_error *error)
{
    mrw_text glb = {0};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    const float aspect = (float)width / (float)BENCH_HEIGHT(width);
    memset(out, 0, sizeof *out);
    mrw_status status = bench_character_glb(TEXTURE_SIDE, fineness, &glb, error);
    if (status) {
        goto out;
    }
    status = mrw_load_memory(glb.data, glb.size, "character.glb", NULL, NULL, &out->scene, error);
    if (status) {
        goto out;
    }
    status = mrw_model_create(out->scene, shading, 1, &out->model, error);
    if (status) {
        goto out;
    }
    view.margin = margin;
    out->instance = mrw_instance_default(out->model);
    out->frame = mrw_frame_def_default();
    out->frame.width = width;
    out->frame.height = BENCH_HEIGHT(width);
    out->frame.shading = shading;
    status = mrw_frame_extents(&out->instance, 1, MRW_FIT_CLIP, &view, aspect, MRW_ISA_AUTO, 1,
                               &extents, error);
    if (status) {
        goto out;
    }
    status = mrw_view_camera(&view, &extents, aspect, &out->frame.camera, error);
out:
    mrw_text_free(&glb);
    return status;
}

void bench_character_free(bench_character *character)
{
    mrw_model_free(character->model);
    mrw_scene_free(character->scene);
    memset(character, 0, sizeof *character);
}

mrw_status bench_character_picture(mrw_image *out, mrw_error *error)
{
    bench_character character;
    mrw_renderer *renderer = NULL;
    mrw_status status = bench_character_load(MRW_SHADING_LIT, 1, 1280, 0.05f, &character, error);
    if (status) {
        goto out;
    }
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        goto out;
    }
    character.frame.samples = 4;
    status = mrw_render(renderer, &character.frame, &character.instance, 1, 1, out, error);
out:
    mrw_renderer_free(renderer);
    bench_character_free(&character);
    return status;
}
