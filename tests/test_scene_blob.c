/* test_scene_blob.c: whole scenes: hash, warnings, failing memory, and blobs an enemy wrote. */
#include "scene_fixture.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "marrow/load.h"
#include "scene/blob.h"

/* ---- a scene with everything ----------------------------------------------------------------- */

/* Calls as long as all went well. */
#define TRY(call) (status = status ? status : (call))

static mrw_status fill_geometry(mrwi_scene_builder *b, mrw_error *error)
{
    static const float uv[6] = {0, 0, 1, 0, 0, 1}, move[9] = {0, 0, 1}, color[12] = {1};
    static const float tangents[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    static const uint32_t joints[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0};
    static const float weights[9] = {0.3f, 0.7f, 0, 1, 0, 0, 0.1f, 0.1f, 0};
    const mrwi_scene_target_input target = {"up", move, move, move};
    mrwi_scene_mesh_input in = triangle_mesh();
    in.material = 0;
    in.uvs[0] = in.uvs[1] = uv;
    in.colors = color;
    in.tangents = tangents;
    in.influence_count = 3;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 2;
    in.targets = &target;
    in.target_count = 1;
    mrw_status status = mrwi_scene_builder_mesh(b, &in, NULL, error);
    mrwi_scene_mesh_input plain = square_mesh();
    TRY(mrwi_scene_builder_mesh(b, &plain, NULL, error));
    const uint32_t skin_joints[2] = {0, 2};
    TRY(mrwi_scene_builder_skin(b, "skin", skin_joints, NULL, 2, NULL, error));
    TRY(mrwi_scene_builder_draw(b, 2, 0, 0, error));
    TRY(mrwi_scene_builder_draw(b, 1, 0, MRW_NONE, error));
    TRY(mrwi_scene_builder_draw(b, 1, 1, MRW_NONE, error));
    return status;
}

static mrw_status fill_clips(mrwi_scene_builder *b, mrw_error *error)
{
    static const double times[3] = {0.5, 0.25, 1};
    static const float turns[12] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, weights[3] = {0, 1, 0};
    mrw_status status = mrwi_scene_builder_clip(b, "Armature|Walk", 0.25, error);
    mrwi_scene_channel_input in = linear(2, MRW_PATH_ROTATION, 4, 3, times, turns);
    TRY(mrwi_scene_builder_channel(b, &in, error));
    in = linear(1, MRW_PATH_WEIGHTS, 1, 3, times, weights);
    TRY(mrwi_scene_builder_channel(b, &in, error));
    TRY(mrwi_scene_builder_clip(b, "Run", 0, error));
    in = linear(1, MRW_PATH_SCALE, 3, 1, times, turns);
    in.interpolation = MRW_INTERPOLATION_CUBICSPLINE;
    TRY(mrwi_scene_builder_channel(b, &in, error));
    return status;
}

static mrw_status fill_looks(mrwi_scene_builder *b, mrw_error *error)
{
    static const uint8_t rgba[16] = {1, 2, 3, 4};
    const mrwi_scene_image_input image = {"img", "i.png", 2, 2, rgba, NULL};
    const mrw_texture texture = {.image = 0};
    mrw_material material = mrw_material_default();
    const mrw_scene_camera camera = {.node = 1, .yfov = 1, .near_plane = 0.1f};
    const mrw_scene_light light = {.node = 2, .color = {1, 1, 1}, .intensity = 3, .outer_cone = 1};
    uint32_t index;
    material.alpha_mode = MRW_ALPHA_MASK;
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material.maps[m].texture = 0;
        material.maps[m].uv_set = 1;
    }
    mrw_status status = mrwi_scene_builder_image(b, &image, &index, error);
    TRY(mrwi_scene_builder_texture(b, "tex", &texture, &index, error));
    TRY(mrwi_scene_builder_material(b, "mat", &material, &index, error));
    TRY(mrwi_scene_builder_camera(b, "cam", &camera, error));
    TRY(mrwi_scene_builder_light(b, "lamp", &light, error));
    return status;
}

static mrw_status build_everything(const char *format, const char *root, const char *warning,
                                   mrw_scene **out, mrw_error *error)
{
    mrwi_scene_builder *b;
    *out = NULL;
    mrw_status status = mrwi_scene_builder_create("all.glb", format, &b, error);
    if (status) {
        return status;
    }
    const float weight = 0.5f;
    mrwi_scene_node_input leaf = {.name = "leaf", .parent = 1, .rest = identity};
    mrwi_scene_node_input top = {.name = root, .parent = MRW_NONE, .is_matrix = true};
    top.matrix = (mrw_mat4){{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    top.weights = &weight;
    top.weight_count = 1;
    mrwi_scene_node_input mid = {.name = "mid", .parent = 1, .rest = identity};
    if (warning) {
        mrwi_scene_builder_warn(b, "%s", warning);
    }
    TRY(mrwi_scene_builder_node(b, &leaf, NULL, error));
    TRY(mrwi_scene_builder_node(b, &top, NULL, error));
    TRY(mrwi_scene_builder_node(b, &mid, NULL, error));
    TRY(fill_looks(b, error));
    TRY(fill_geometry(b, error));
    TRY(fill_clips(b, error));
    TRY(mrwi_scene_builder_finish(b, out, error));
    mrwi_scene_builder_free(b);
    return status;
}

static mrw_scene *everything(const char *format, const char *root, const char *warning)
{
    mrw_scene *s;
    mrw_error error = {0};
    mrw_status status = build_everything(format, root, warning, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return s;
}

/* What tests/data/sail_hash.py prints, which reads the model and writes the form of scene.h by
 * itself. */
START_TEST(hashes_are_the_documented_ones)
{
    static const struct {
        mrw_scene_part kind;
        const char *hash;
    } parts[] = {
        {MRW_PART_NODES, "b3b1cc933160f2cb7bf381b59227cf9782df2f4eeb5ccf874f68130d4a5b87f3"},
        {MRW_PART_SHAPES, "56442c285b694975d0563aed2112340d734bbe1337e930a10bab70c04a63f585"},
        {MRW_PART_WEIGHTS, "6c4ea063bd5bee76225a3e83382e9d7f50bb80378a1fde19d072496059e1fcd8"},
        {MRW_PART_MATERIALS, "be105ab77f861e7e8e92edd1bbe95faf45d1760f07c2e4610ecdd7cf32598ad5"},
        {MRW_PART_IMAGES, "4a982b94b58a00ca0ecb2685fec882f19dd71dfc7757c212718156d2952dcb83"},
        {MRW_PART_SKINS, "42e9de3e6ce741e098e5054f68014ae2fe7a3dfd352e9bdd7212329656e74119"},
        {MRW_PART_CLIPS, "079b11374e8678ed3541f58783fba8b58a8ba5bd06975cf244964c4626906bb0"},
    };
    mrw_scene *s = NULL;
    uint8_t hash[32];
    char text[65];
    ck_assert_int_eq(mrw_load_file("tests/data/sail.gltf", NULL, &s, NULL), MRW_OK);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_uint_eq(mrw_scene_part_count(s, parts[i].kind), 1);
        mrw_scene_part_hash(s, parts[i].kind, 0, hash);
        mrwi_base_sha256_text(hash, text);
        ck_assert_str_eq(text, parts[i].hash);
    }
    ck_assert_uint_eq(mrw_scene_part_count(s, MRW_PART_CAMERAS), 0);
    ck_assert_uint_eq(mrw_scene_part_count(s, MRW_PART_LIGHTS), 0);
    mrw_scene_hash_text(s, text);
    ck_assert_str_eq(text, "15fd8cdc278adfd56f57c0715225b8385580f176a425c0581e0d5b10b8b549e7");
    ck_assert_uint_eq(MRW_SCENE_FORMULA, 2);
    mrw_scene_free(s);
}
END_TEST

static void *copy_blob(const mrw_scene *s, uint64_t size)
{
    void *blob = mrwi_base_alloc((size_t)size, 1);
    memcpy(blob, s->blob, (size_t)(size < s->blob_size ? size : s->blob_size));
    return blob;
}

/* Kinds of which some part has another hash, a bit each. */
static uint32_t changed_parts(const mrw_scene *a, const mrw_scene *b)
{
    uint32_t changed = 0;
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        const uint32_t count = mrw_scene_part_count(a, (mrw_scene_part)kind);
        ck_assert_uint_eq(mrw_scene_part_count(b, (mrw_scene_part)kind), count);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t x[32], y[32];
            mrw_scene_part_hash(a, (mrw_scene_part)kind, i, x);
            mrw_scene_part_hash(b, (mrw_scene_part)kind, i, y);
            changed |= memcmp(x, y, 32) != 0 ? 1u << kind : 0;
        }
    }
    return changed;
}

/* Flips two bits of every byte of an array, one after the other. Where that is still a scene, the
 * hash must be another, by the kinds of part allowed alone; with none allowed it must stay. Returns
 * how many flips were a scene. */
static uint32_t flip_array(const mrw_scene *s, const void *array, size_t size, uint32_t allowed)
{
    const size_t at = (size_t)((const char *)array - (const char *)s->blob);
    uint32_t scenes = 0;
    for (size_t k = 0; k < 2 * size; k++) {
        const size_t i = k / 2;
        uint8_t *blob = copy_blob(s, s->blob_size);
        mrw_scene *other;
        blob[at + i] ^= (uint8_t)(1 + k % 2);
        if (mrwi_scene_from_blob(blob, s->blob_size, "x", &other, NULL)) {
            mrwi_base_free(blob);
            continue;
        }
        const uint32_t changed = changed_parts(s, other);
        ck_assert_msg((changed & ~allowed) == 0 && (changed != 0) == (allowed != 0),
                      "byte %zu of %zu: %#x", i, size, changed);
        ck_assert_int_eq(memcmp(mrw_scene_hash(s), mrw_scene_hash(other), 32) != 0, changed != 0);
        mrw_scene_free(other);
        scenes++;
    }
    return scenes;
}

/* Nothing of a scene is forgotten, and each change is told by the right part. */
START_TEST(hash_covers_every_array)
{
#define BIT(kind)           (1u << MRW_PART_##kind)
#define FLIP(name, allowed) flip_array(s, s->name, s->name##_count * sizeof *s->name, allowed)
#define FLIPS(name, per, allowed)                                                                  \
    flip_array(s, s->name, s->name##_count * sizeof *s->name * (per), allowed)
    mrw_scene *s = everything("glb2", "root", "a texture is missing");
    const uint32_t any = ~0u;
    ck_assert_uint_gt(flip_array(s, s->strings + 1, s->format - 1, any), 20);
    ck_assert_uint_gt(flip_array(s, s->strings + s->format, 3, 0), 2);
    ck_assert_uint_gt(FLIP(nodes, BIT(NODES)), 50);
    ck_assert_uint_gt(FLIP(matrices, BIT(NODES)), 40);
    ck_assert_uint_gt(FLIP(weights, BIT(NODES)), 3);
    ck_assert_uint_gt(FLIP(draws, BIT(NODES)), 1);
    ck_assert_uint_gt(FLIP(meshes, BIT(SHAPES) | BIT(NODES)), 2);
    ck_assert_uint_gt(FLIP(indices, BIT(SHAPES)), 2);
    ck_assert_uint_gt(FLIPS(positions, 3, BIT(SHAPES)), 50);
    ck_assert_uint_gt(FLIPS(normals, 3, BIT(SHAPES)), 20);
    ck_assert_uint_gt(FLIPS(tangents, 4, BIT(SHAPES)), 20);
    ck_assert_uint_gt(FLIPS(uvs, 2, BIT(SHAPES)), 40);
    ck_assert_uint_gt(FLIPS(colors, 4, BIT(SHAPES)), 40);
    FLIP(groups, BIT(WEIGHTS));
    ck_assert_uint_gt(FLIP(influence_joints, BIT(WEIGHTS)), 0);
    ck_assert_uint_gt(FLIP(influence_weights, BIT(WEIGHTS)), 3);
    ck_assert_uint_gt(FLIP(targets, BIT(SHAPES)), 0);
    ck_assert_uint_gt(FLIP(morph_vertices, BIT(SHAPES)), 0);
    ck_assert_uint_gt(FLIPS(morph_positions, 3, BIT(SHAPES)), 10);
    ck_assert_uint_gt(FLIPS(morph_normals, 3, BIT(SHAPES)), 10);
    ck_assert_uint_gt(FLIPS(morph_tangents, 3, BIT(SHAPES)), 10);
    ck_assert_uint_gt(FLIP(skins, BIT(SKINS)), 0);
    ck_assert_uint_gt(FLIP(joints, BIT(SKINS)), 0);
    ck_assert_uint_gt(FLIP(geometry_to_joint, BIT(SKINS)), 50);
    ck_assert_uint_gt(FLIP(clips, BIT(CLIPS)), 10);
    ck_assert_uint_gt(FLIP(channels, BIT(CLIPS)), 1);
    ck_assert_uint_gt(FLIP(key_times, BIT(CLIPS)), 10);
    ck_assert_uint_gt(FLIP(key_values, BIT(CLIPS)), 10);
    ck_assert_uint_gt(FLIP(materials, BIT(MATERIALS)), 20);
    ck_assert_uint_gt(FLIP(textures, BIT(MATERIALS)), 2);
    ck_assert_uint_gt(FLIPS(texels, 4, 0), 15);
    ck_assert_uint_gt(flip_array(s, s->images, 8, BIT(IMAGES)), 1);
    ck_assert_uint_eq(flip_array(s, s->images->hash, 32, BIT(IMAGES)), 64);
    ck_assert_uint_gt(FLIP(cameras, BIT(CAMERAS)), 10);
    ck_assert_uint_gt(FLIP(lights, BIT(LIGHTS)), 20);
    FLIP(warnings, 0);
#undef FLIPS
#undef FLIP
#undef BIT
    mrw_scene_free(s);
}
END_TEST

START_TEST(hash_is_of_the_scene)
{
    mrw_scene *s = everything("glb2", "root", NULL);
    mrw_scene *same = everything("gltf2", "root", "a texture is missing");
    mrw_scene *other = everything("glb2", "Root", NULL);
    ck_assert_int_eq(memcmp(mrw_scene_hash(s), mrw_scene_hash(same), 32), 0);
    ck_assert_int_ne(memcmp(mrw_scene_hash(s), mrw_scene_hash(other), 32), 0);
    char text[65];
    mrw_scene_hash_text(s, text);
    ck_assert_uint_eq(strlen(text), 64);
    ck_assert_uint_eq(strspn(text, "0123456789abcdef"), 64);
    ck_assert_str_eq(string_at(same, same->warnings[0]), "a texture is missing");
    ck_assert_str_eq(string_at(same, same->format), "gltf2");
    mrw_scene_free(s);
    mrw_scene_free(same);
    mrw_scene_free(other);
}
END_TEST

START_TEST(warnings_once_and_few)
{
    mrwi_scene_builder *b = begin();
    for (int i = 0; i < 3; i++) {
        mrwi_scene_builder_warn(b, "the %s", "same\n");
    }
    for (int i = 0; i < 1000; i++) {
        mrwi_scene_builder_warn(b, "number %d", i);
    }
    mrw_scene *s = finish(b);
    ck_assert_str_eq(string_at(s, s->warnings[0]), "the same\\x0A");
    ck_assert_str_eq(string_at(s, s->warnings[1]), "number 0");
    ck_assert_uint_eq(s->warnings_count, 201);
    ck_assert_str_eq(string_at(s, s->warnings[200]), "801 more warnings were left out");
    mrw_scene_free(s);
}
END_TEST

/* Every allocation of the whole build may fail: a status, no crash, no leak. */
START_TEST(out_of_memory)
{
    uint32_t failures = 0;
    for (uint32_t n = 1; n < 10000; n++) {
        mrw_scene *s;
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        mrw_status status = build_everything("glb2", "root", "careful", &s, &error);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (!fired) {
            ck_assert_int_eq(status, MRW_OK);
            mrw_scene_free(s);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        ck_assert_ptr_null(s);
        failures++;
    }
    ck_assert_uint_gt(failures, 50);
    ck_assert_uint_lt(failures, 9999);
}
END_TEST

/* ---- blobs ----------------------------------------------------------------------------------- */

/* Follows every reference the engine would follow; sanitizers and assertions watch. */
static double walk_mesh(const mrw_scene *s, const mrw_mesh *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        sum += s->positions[3 * (m->position + s->indices[m->first_index + i])];
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        sum += s->normals[3 * (m->normal + v)];
        sum += m->tangent == MRW_NONE ? 0 : s->tangents[4 * (m->tangent + v)];
        for (int set = 0; set < 2; set++) {
            sum += m->uv[set] == MRW_NONE ? 0 : s->uvs[2 * (m->uv[set] + v)];
        }
        sum += m->color == MRW_NONE ? 0 : s->colors[4 * (m->color + v)];
    }
    for (uint32_t t = 0; t < m->target_count; t++) {
        const mrw_morph_target *target = &s->targets[m->first_target + t];
        for (uint32_t e = 0; e < target->entry_count; e++) {
            ck_assert_uint_lt(s->morph_vertices[target->first_entry + e], m->vertex_count);
            sum += s->morph_positions[3 * (target->first_entry + e)];
        }
    }
    return sum;
}

static double walk_draw(const mrw_scene *s, const mrw_draw *draw)
{
    const mrw_mesh *m = &s->meshes[draw->mesh];
    double sum = walk_mesh(s, m);
    for (uint32_t t = 0; t < m->target_count; t++) {
        sum += s->weights[s->nodes[draw->node].first_weight + t];
    }
    for (uint32_t g = 0; g < m->group_count; g++) {
        const mrw_influence_group *group = &s->groups[m->first_group + g];
        for (uint32_t i = 0; i < group->vertex_count * group->influence_count; i++) {
            const mrw_skin *skin = &s->skins[draw->skin];
            uint32_t joint = s->influence_joints[group->first_influence + i];
            ck_assert_uint_lt(joint, skin->joint_count);
            sum += s->geometry_to_joint[skin->first_joint + joint].m[0];
            sum += s->nodes[s->joints[skin->first_joint + joint]].rest.scale[0];
        }
    }
    if (m->material != MRW_NONE &&
        s->materials[m->material].maps[MRW_MAP_BASE_COLOR].texture != MRW_NONE) {
        const mrw_texture *t =
            &s->textures[s->materials[m->material].maps[MRW_MAP_BASE_COLOR].texture];
        const mrw_image_info *image = &s->images[t->image];
        sum += s->texels[4 * (image->first_texel + (size_t)image->width * image->height) - 1];
    }
    return sum;
}

static double walk_scene(const mrw_scene *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->draws_count; i++) {
        sum += walk_draw(s, &s->draws[i]);
    }
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        sum += (double)strlen(string_at(s, s->nodes[i].name));
        ck_assert(s->nodes[i].parent == MRW_NONE || s->nodes[i].parent < i);
        sum += s->nodes[i].matrix == MRW_NONE ? 0 : s->matrices[s->nodes[i].matrix].m[0];
    }
    for (uint32_t c = 0; c < s->clips_count; c++) {
        sum += (double)strlen(string_at(s, s->clips[c].name));
        for (uint32_t k = 0; k < s->clips[c].channel_count; k++) {
            const mrw_channel *channel = &s->channels[s->clips[c].first_channel + k];
            uint32_t floats = channel->width * channel->key_count;
            floats *= channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
            sum += s->key_values[channel->first_value + floats - 1];
            sum += s->key_times[channel->first_time + channel->key_count - 1];
            sum += s->nodes[channel->node].rest.scale[0];
        }
    }
    for (uint32_t i = 0; i < s->cameras_count; i++) {
        sum += s->nodes[s->cameras[i].node].rest.scale[0];
    }
    for (uint32_t i = 0; i < s->lights_count; i++) {
        sum += s->nodes[s->lights[i].node].rest.scale[0];
    }
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        sum += (double)strlen(string_at(s, s->warnings[i]));
    }
    return sum + (double)strlen(string_at(s, s->format));
}

/* Takes the blob. True when it was accepted. */
static bool try_blob(void *blob, uint64_t size)
{
    mrw_scene *s;
    mrw_error error = {0};
    mrw_status status = mrwi_scene_from_blob(blob, size, "x.marrow", &s, &error);
    if (status) {
        ck_assert_int_eq(status, MRW_ERROR_INPUT);
        ck_assert_ptr_null(s);
        ck_assert_int_eq(strncmp(error.text, "x.marrow: ", 10), 0);
        mrwi_base_free(blob);
        return false;
    }
    volatile double sum = walk_scene(s);
    (void)sum;
    mrw_scene_free(s);
    return true;
}

START_TEST(blob_round_trip)
{
    mrw_scene *s = everything("glb2", "root", "w"), *copy;
    ck_assert_int_eq(
        mrwi_scene_from_blob(copy_blob(s, s->blob_size), s->blob_size, "x", &copy, NULL), MRW_OK);
    ck_assert_int_eq(memcmp(mrw_scene_hash(s), mrw_scene_hash(copy), 32), 0);
    ck_assert_str_eq(string_at(copy, copy->warnings[0]), "w");
    ck_assert_double_eq(walk_scene(s), walk_scene(copy));
    mrw_scene_free(copy);
    for (uint64_t size = 0; size < s->blob_size; size += 1 + size / 16) {
        ck_assert(!try_blob(copy_blob(s, size), size));
    }
    ck_assert(!try_blob(copy_blob(s, s->blob_size + 64), s->blob_size + 64));
    mrw_scene_free(s);
}
END_TEST

static void mutate(uint8_t *blob, uint64_t size)
{
    static const uint32_t nasty[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                     0x7f800000, 0x7fc00000, 0xff800000, 2,          0xfffffffe};
    uint32_t changes = 1 + random_u32() % 3;
    for (uint32_t i = 0; i < changes; i++) {
        uint64_t at = random_u32() % (size / 4) * 4;
        uint32_t word;
        memcpy(&word, blob + at, 4);
        switch (random_u32() % 4) {
        case 0:
            word = nasty[random_u32() % COUNT(nasty)];
            break;
        case 1:
            word += random_u32() % 5 - 2;
            break;
        case 2:
            word ^= 1u << random_u32() % 32;
            break;
        default:
            word = random_u32();
        }
        memcpy(blob + at, &word, 4);
    }
}

START_TEST(blob_mutations)
{
    mrw_scene *s = everything("glb2", "root", "w");
    const mrwi_scene_blob_header *header = s->blob;
    random_state = 42;
    uint32_t accepted = 0, refused = 0;
    for (int round = 0; round < TEST_ROUNDS(20000); round++) {
        uint8_t *blob = copy_blob(s, s->blob_size);
        /* mostly the entries; sometimes the header with its table */
        if (round % 8 == 0) {
            mutate(blob, sizeof *header);
        } else {
            uint64_t first = header->sections[random_u32() % MRWI_SCENE_SECTION_COUNT].offset;
            mutate(blob + first, 128);
        }
        if (try_blob(blob, s->blob_size)) {
            accepted++;
        } else {
            refused++;
        }
    }
    ck_assert_uint_gt(accepted, TEST_ROUNDS(500));
    ck_assert_uint_gt(refused, TEST_ROUNDS(10000));
    mrw_scene_free(s);
}
END_TEST

/* Counts that lie in a table that is consistent with itself. */
START_TEST(blob_wrong_counts)
{
    mrw_scene *s = everything("glb2", "root", "w");
    for (int section = 0; section < MRWI_SCENE_SECTION_COUNT; section++) {
        for (int step = -1; step <= 1; step += 2) {
            mrwi_scene_blob_header header = *(const mrwi_scene_blob_header *)s->blob;
            if (step < 0 && header.sections[section].count == 0) {
                continue;
            }
            header.sections[section].count += (uint64_t)step;
            ck_assert(mrwi_scene_blob_layout(&header));
            uint8_t *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
            memcpy(blob, &header, sizeof header);
            const mrwi_scene_blob_header *from = s->blob;
            for (int i = 0; i < MRWI_SCENE_SECTION_COUNT; i++) {
                uint64_t count = from->sections[i].count - (i == section && step < 0 ? 1 : 0);
                memcpy(blob + header.sections[i].offset,
                       (const uint8_t *)s->blob + from->sections[i].offset,
                       (size_t)(count * mrwi_scene_sections[i].entry_size));
            }
            bool accepted = try_blob(blob, header.size);
            /* one draw, clip or warning less can still be a scene; a lost vertex cannot */
            if (section == MRWI_SCENE_SECTION_positions || section == MRWI_SCENE_SECTION_nodes ||
                section == MRWI_SCENE_SECTION_key_times ||
                section == MRWI_SCENE_SECTION_influence_joints) {
                ck_assert(!accepted);
            }
        }
    }
    mrw_scene_free(s);
}
END_TEST

/* Each invariant of scene.h, broken alone, is refused. */
START_TEST(blob_broken_invariants)
{
    mrw_scene *s = everything("glb2", "root", "w");
    const struct {
        const void *at;
        uint32_t value;
    } cases[] = {
        {&s->nodes[1].parent, 1},
        {&s->nodes[1].name, s->strings_count},
        {&s->nodes[1].rest.rotation[0], 0x3f800000},
        {&s->nodes[0].rest.scale[0], 0x7f800000},
        {&s->nodes[0].matrix, MRW_NONE},
        {&s->matrices[0].m[3], 0x3f800000},
        {&s->weights[0], 0x7fc00000},
        {&s->draws[0].skin, MRW_NONE},
        {&s->draws[0].skin, 1},
        {&s->draws[1].skin, 7},
        {&s->draws[0].node, s->nodes_count},
        {&s->meshes[0].vertex_count, 2},
        {&s->meshes[0].max_influences, 1},
        {&s->meshes[0].material, 1},
        {&s->indices[0], 3},
        {&s->positions[0], 0x7f800000},
        {&s->normals[2], 0x40000000},
        {&s->tangents[3], 0x3f000000},
        {&s->uvs[0], 0xff800000},
        {&s->groups[0].influence_count, 2},
        {&s->influence_weights[0], 0x3f000000},
        {&s->morph_vertices[0], 3},
        {&s->skins[0].joint_count, 1},
        {&s->joints[1], s->nodes_count},
        {&s->geometry_to_joint[0].m[15], 0},
        {&s->channels[0].node, s->nodes_count},
        {&s->channels[0].path, 4},
        {&s->channels[0].interpolation, 3},
        {&s->channels[0].width, 2},
        {&s->channels[0].key_count, 0},
        {&s->key_values[s->key_values_count - 1], 0x7fc00000},
        {&s->materials[0].alpha_mode, 3},
        {&s->materials[0].model, 3},
        {&s->materials[0].ior, 0x3f000000},
        {&s->materials[0].ior, 0x7f800000},
        {&s->materials[0].specular, 0x40000000},
        {&s->materials[0].clearcoat, 0x7fc00000},
        {&s->materials[0].clearcoat_roughness, 0xbf800000},
        {&s->materials[0].shininess, 0x7f800000},
        {&s->materials[0].maps[MRW_MAP_METALLIC_ROUGHNESS].factor[1], 0x40000000},
        {&s->materials[0].maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2], 0xbf800000},
        {&s->materials[0].maps[MRW_MAP_OCCLUSION].factor[0], 0x40000000},
        {&s->materials[0].maps[MRW_MAP_EMISSIVE].factor[0], 0xbf800000},
        {&s->materials[0].maps[MRW_MAP_EMISSIVE].factor[2], 0x7f800000},
        {&s->materials[0].maps[MRW_MAP_SPECULAR].factor[0], 0xbf800000},
        {&s->materials[0].maps[MRW_MAP_SPECULAR].factor[3], 0x40000000},
        {&s->materials[0].maps[MRW_MAP_BASE_COLOR].factor[0], 0x40000000},
        {&s->materials[0].maps[MRW_MAP_BASE_COLOR].texture, 1},
        {&s->materials[0].maps[MRW_MAP_BASE_COLOR].uv_set, 2},
        {&s->materials[0].maps[MRW_MAP_COUNT - 1].texture, 1},
        {&s->materials[0].maps[MRW_MAP_COUNT - 1].uv_set, 2},
        {&s->materials[0].maps[MRW_MAP_COUNT - 1].uv_transform[5], 0x7f800000},
        {&s->materials[0].maps[MRW_MAP_COUNT - 1].factor[3], 0x7fc00000},
        {&s->textures[0].image, 1},
        {&s->textures[0].wrap_u, 3},
        {&s->images[0].width, 3},
        {&s->images[0].height, 0},
        {&s->cameras[0].node, s->nodes_count},
        {&s->cameras[0].yfov, 0},
        {&s->lights[0].type, 3},
        {&s->lights[0].intensity, 0xbf800000},
        {&s->warnings[0], s->strings_count},
    };
    ck_assert(try_blob(copy_blob(s, s->blob_size), s->blob_size));
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *blob = copy_blob(s, s->blob_size);
        memcpy(blob + ((const uint8_t *)cases[i].at - (const uint8_t *)s->blob), &cases[i].value,
               4);
        ck_assert_msg(!try_blob(blob, s->blob_size), "case %zu was accepted", i);
    }
    mrw_scene_free(s);
}
END_TEST

/* A mesh that no draw shows has no joints that no skin has, either. */
START_TEST(blob_joints_of_hidden_meshes)
{
    mrw_scene *s = everything("glb2", "root", "w");
    for (int broken = 0; broken < 2; broken++) {
        uint8_t *blob = copy_blob(s, s->blob_size);
        uint8_t *draw = blob + ((const uint8_t *)&s->draws[0] - (const uint8_t *)s->blob);
        const mrw_influence_group *group = &s->groups[s->meshes[0].first_group];
        const uint16_t *joints = &s->influence_joints[group->first_influence];
        const uint32_t plain = 1, none = MRW_NONE;
        const uint16_t joint = broken ? 2 : joints[0]; /* the skin has two */
        ck_assert_uint_eq(group->influence_count, 1);
        memcpy(draw + offsetof(mrw_draw, mesh), &plain, sizeof plain);
        memcpy(draw + offsetof(mrw_draw, skin), &none, sizeof none);
        memcpy(blob + ((const uint8_t *)joints - (const uint8_t *)s->blob), &joint, sizeof joint);
        ck_assert_int_eq(try_blob(blob, s->blob_size), !broken);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(blob_keys_increase)
{
    mrw_scene *s = everything("glb2", "root", "w");
    for (uint32_t i = 0; i < s->key_times_count; i++) {
        for (int k = 0; k < 2; k++) {
            uint8_t *blob = copy_blob(s, s->blob_size);
            const double wrong[2] = {NAN, 100};
            memcpy(blob + ((const uint8_t *)&s->key_times[i] - (const uint8_t *)s->blob), &wrong[k],
                   8);
            ck_assert(!try_blob(blob, s->blob_size));
        }
    }
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scene_blob");
    TCase *tc;
    tc = test_case(s, "a scene with everything");
    tcase_add_test(tc, hash_is_of_the_scene);
    tcase_add_test(tc, hashes_are_the_documented_ones);
    tcase_add_test(tc, hash_covers_every_array);
    tcase_add_test(tc, warnings_once_and_few);
    tcase_add_test(tc, out_of_memory);
    tc = test_case(s, "blobs");
    tcase_add_test(tc, blob_round_trip);
    tcase_add_test(tc, blob_mutations);
    tcase_add_test(tc, blob_wrong_counts);
    tcase_add_test(tc, blob_broken_invariants);
    tcase_add_test(tc, blob_joints_of_hidden_meshes);
    tcase_add_test(tc, blob_keys_increase);
    return s;
}

TEST_MAIN(suite())
