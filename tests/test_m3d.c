/* test_m3d.c: the reader of text M3D, from files written here whose answers are known by hand. */
#include "test.h"

#include "base/memory.h"
#include "marrow/anim.h"
#include "marrow/load.h"

#include <stdarg.h>

/* ---- a model in parts that tests replace ----------------------------------------------------- */

static char text[20000];

static const char materials[] = "***************Materials***\n"
                                "Name: red paint\nDiffuse: 0.5 0.25 1\nFresnel0: 0 0 0\n"
                                "Roughness: 0.5\nAlphaClip: 0\nMaterialTypeName: Skinned\n"
                                "DiffuseMap: none\nNormalMap: none\n\n"
                                "Name: leaf\nDiffuse: 1 1 1\nFresnel0: 0 0 0\n"
                                "Roughness: 0.5\nAlphaClip: 1\nMaterialTypeName: Skinned\n"
                                "DiffuseMap: no such.dds\nNormalMap: n.dds\n\n";

static const char subsets[] =
    "***************SubsetTable***\n"
    "SubsetID: 0 VertexStart: 0 VertexCount: 3 FaceStart: 0 FaceCount: 1\n"
    "SubsetID: 1 VertexStart: 1 VertexCount: 3 FaceStart: 1 FaceCount: 1\n\n";

#define VERTEX(position, uv, weights, bones)                                                       \
    "Position: " position "\nTangent: 1 0 0 1\nNormal: 0 0 1\nTex-Coords: " uv                     \
    "\nBlendWeights: " weights "\nBlendIndices: " bones "\n\n"

static const char vertices[] =
    "***************Vertices***\n" VERTEX("0 0 5", "0 0", "1 0 0 0", "0 0 0 0")
        VERTEX("0 1 5", "0 1", "0.25 0.5 0", "0 1 0 1") VERTEX("1 0 5", "1 0", "0 1 0 0", "0 1 0 0")
            VERTEX("1 1 6", "1 1", "0 0 0.5 0", "0 0 1 0");

static const char triangles[] = "***************Triangles***\n0 1 2\n1 3 2\n\n";

/* Bone 1 stands at (1, 2, 3) of the file. */
static const char bones[] = "***************BoneOffsets***\n"
                            "BoneOffset0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n"
                            "BoneOffset1 1 0 0 0 0 1 0 0 0 0 1 0 -1 -2 -3 1\n\n"
                            "***************BoneHierarchy***\n"
                            "ParentIndexOfBone0: -1\nParentIndexOfBone1: 0\n\n";

#define KEY(time, at) "Time: " time " Pos: " at " Scale: 1 1 1 Quat: 0.6 0 0 0.8\n"

static const char clips[] =
    "***************AnimationClips***\nAnimationClip Nod\n{\n"
    "\tBone0 #Keyframes: 0\n\t{\n\t}\n"
    "\tBone1 #Keyframes: 2\n\t{\n" KEY("0.5", "1 2 3") KEY("1.5", "1 4 7") "\t}\n}\n";

static const char *header(const char *counts)
{
    static char out[300];
    unsigned n[5];
    ck_assert_int_eq(sscanf(counts, "%u %u %u %u %u", &n[0], &n[1], &n[2], &n[3], &n[4]), 5);
    snprintf(out, sizeof out,
             "***************m3d-File-Header***\n#Materials %u\n#Vertices %u\n#Triangles %u\n"
             "#Bones %u\n#AnimationClips %u\n\n",
             n[0], n[1], n[2], n[3], n[4]);
    return out;
}

static void join(int count, ...)
{
    va_list parts;
    text[0] = '\0';
    va_start(parts, count);
    for (int i = 0; i < count; i++) {
        strcat(text, va_arg(parts, const char *));
    }
    va_end(parts);
}

static void whole(void)
{
    join(7, header("2 4 2 2 1"), materials, subsets, vertices, triangles, bones, clips);
}

static mrw_scene *load(void)
{
    mrw_error error;
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_load_memory(text, strlen(text), "t.m3d", NULL, NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

static const char *refusal(void)
{
    static mrw_error error;
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(mrw_load_memory(text, strlen(text), "t.m3d", NULL, NULL, &scene, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_null(scene);
    ck_assert_int_eq(strncmp(error.text, "t.m3d: ", 7), 0);
    return error.text;
}

/* Loads the text with its first `from` replaced, and expects a message that holds `said`. */
static void refuses(const char *from, const char *to, const char *said)
{
    static char rest[20000];
    whole();
    char *at = strstr(text, from);
    ck_assert_msg(at, "no \"%s\"", from);
    strcpy(rest, at + strlen(from));
    strcpy(at, to);
    strcat(text, rest);
    const char *message = refusal();
    ck_assert_msg(strstr(message, said), "\"%s\" lacks \"%s\"", message, said);
}

static void check_floats(const float *got, int count, ...)
{
    va_list wanted;
    va_start(wanted, count);
    for (int i = 0; i < count; i++) {
        double value = va_arg(wanted, double);
        ck_assert_msg(fabs((double)got[i] - value) < 1e-6, "value %d is %g, not %g", i,
                      (double)got[i], value);
    }
    va_end(wanted);
}

/* ---- geometry -------------------------------------------------------------------------------- */

START_TEST(z_is_mirrored_and_triangles_keep_their_order)
{
    whole();
    mrw_scene *s = load();
    ck_assert_str_eq(mrw_scene_string(s, s->format), "m3d");
    ck_assert_uint_eq(s->draws_count, 2);
    const mrw_mesh *mesh = &s->meshes[0];
    ck_assert_uint_eq(mesh->vertex_count, 3);
    /* Vertices of one mesh are sorted by their number of influences: find each by its place. */
    const float *p = s->positions + 3 * (size_t)mesh->position;
    const uint32_t *i = s->indices + mesh->first_index;
    check_floats(p + 3 * i[0], 3, 0.0, 0.0, -5.0);
    check_floats(p + 3 * i[1], 3, 0.0, 1.0, -5.0);
    check_floats(p + 3 * i[2], 3, 1.0, 0.0, -5.0);
    check_floats(s->normals + 3 * (size_t)mesh->normal, 3, 0.0, 0.0, -1.0);
    check_floats(s->uvs + 2 * ((size_t)mesh->uv[0] + i[1]), 2, 0.0, 1.0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(subsets_have_their_materials)
{
    whole();
    mrw_scene *s = load();
    const mrw_mesh *second = &s->meshes[s->draws[1].mesh];
    ck_assert_uint_eq(second->vertex_count, 3);
    ck_assert_str_eq(mrw_scene_string(s, second->name), "leaf");
    const mrw_material *red = &s->materials[s->meshes[0].material];
    const mrw_material *leaf = &s->materials[second->material];
    ck_assert_str_eq(mrw_scene_string(s, red->name), "red paint");
    check_floats(red->maps[MRW_MAP_BASE_COLOR].factor, 4, 0.5, 0.25, 1.0, 1.0);
    ck_assert_uint_eq(red->alpha_mode, MRW_ALPHA_OPAQUE);
    ck_assert_uint_eq(red->maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    ck_assert_uint_eq(leaf->alpha_mode, MRW_ALPHA_MASK);
    ck_assert_float_eq(leaf->alpha_cutoff, 0.1f);
    ck_assert_uint_ne(leaf->maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    ck_assert_uint_eq(red->maps[MRW_MAP_NORMAL].texture, MRW_NONE);
    ck_assert_uint_eq(leaf->maps[MRW_MAP_NORMAL].texture, 1);
    ck_assert_uint_eq(s->images_count, 2);
    ck_assert_str_eq(mrw_scene_string(s, s->images[0].path), "no such.dds");
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, MRW_IMAGE_MISSING);
    ck_assert_str_eq(mrw_scene_string(s, s->images[1].path), "n.dds");
    ck_assert_uint_eq(s->images[1].flags, mrw_map_info_of(MRW_MAP_NORMAL)->drawn
                                              ? MRW_IMAGE_MISSING
                                              : MRW_IMAGE_UNSEEN);
    ck_assert_uint_gt(s->tangents_count, 0); /* of leaf, by its normal map */
    ck_assert_uint_eq(s->warnings_count, 2); /* a map each is not there */
    ck_assert_ptr_nonnull(strstr(mrw_scene_string(s, s->warnings[0]), "material \"leaf\""));
    mrw_scene_free(s);
}
END_TEST

/* The book's shaders: m = 256 (1 - roughness), and FresnelR0 is a reflectance: a colour of 1 times
 * that of an infinite ior. The fourth power of our roughness is 2 / (m + 2). */
START_TEST(highlights_are_the_books)
{
    static const struct {
        const char *roughness;
        double fourth;
    } cases[] = {{"0.5", 2.0 / 130}, {"0.75", 2.0 / 66}, {"0", 2.0 / 258},
                 {"1", 1},           {"7", 1},           {"-1e9", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char material[300];
        snprintf(material, sizeof material,
                 "***Materials***\nName: m\nDiffuse: 1 1 1\nFresnel0: 0.5 0.25 0.125\n"
                 "Roughness: %s\nAlphaClip: 0\nMaterialTypeName: Default\nDiffuseMap: none\n"
                 "NormalMap: none\n",
                 cases[i].roughness);
        join(5, header("1 3 1 0 0"), material,
             "***SubsetTable***\n"
             "SubsetID: 0 VertexStart: 0 VertexCount: 3 FaceStart: 0 FaceCount: 1\n",
             "***Vertices***\n"
             "Position: 0 0 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n"
             "Position: 0 1 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n"
             "Position: 1 0 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n",
             "***Triangles***\n0 1 2\n");
        mrw_scene *s = load();
        const mrw_material *m = &s->materials[s->meshes[0].material];
        const float *factor = m->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
        ck_assert_uint_eq(m->model, MRW_MATERIAL_METALLIC_ROUGHNESS);
        ck_assert_float_eq(m->ior, 0);
        ck_assert_float_eq(factor[2], 0);
        check_floats(m->maps[MRW_MAP_SPECULAR].factor, 3, 0.5, 0.25, 0.125);
        ck_assert_double_eq_tol(pow((double)factor[1], 4), cases[i].fourth, 1e-6);
        mrw_scene_free(s);
    }
}
END_TEST

/* A subset without triangles shows nothing, so nobody looks for its picture. */
START_TEST(unused_materials_open_no_picture)
{
    join(7, header("2 4 2 2 1"), materials,
         "***************SubsetTable***\n"
         "SubsetID: 0 VertexStart: 0 VertexCount: 4 FaceStart: 0 FaceCount: 2\n"
         "SubsetID: 1 VertexStart: 0 VertexCount: 0 FaceStart: 2 FaceCount: 0\n\n",
         vertices, triangles, bones, clips);
    mrw_scene *s = load();
    ck_assert_uint_eq(s->draws_count, 1);
    ck_assert_uint_eq(s->images_count, 2);
    ck_assert_str_eq(mrw_scene_string(s, s->images[0].path), "no such.dds");
    ck_assert_uint_eq(s->images[0].flags, MRW_IMAGE_UNSEEN);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

/* The influences of the vertex at a place, as a weight by joint. */
static void weights_at(const mrw_scene *s, const mrw_mesh *mesh, double x, double y, double out[2])
{
    out[0] = out[1] = -1.0;
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &s->groups[mesh->first_group + g];
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            const float *p = s->positions + 3 * ((size_t)mesh->position + group->first_vertex + v);
            if ((double)p[0] != x || (double)p[1] != y) {
                continue;
            }
            out[0] = out[1] = 0.0;
            for (uint32_t i = 0; i < group->influence_count; i++) {
                uint32_t at = group->first_influence + v * group->influence_count + i;
                out[s->influence_joints[at]] += (double)s->influence_weights[at];
            }
        }
    }
}

START_TEST(the_fourth_weight_is_the_rest)
{
    double w[2];
    whole();
    mrw_scene *s = load();
    /* 0.25 of bone 0, 0.5 of bone 1, and the rest of 0.25 goes to the fourth: bone 1. */
    weights_at(s, &s->meshes[0], 0.0, 1.0, w);
    ck_assert_double_eq_tol(w[0], 0.25, 1e-6);
    ck_assert_double_eq_tol(w[1], 0.75, 1e-6);
    /* 0, 0, 0.5 of bone 1, rest 0.5 of bone 0: a stored fourth of 0 is not read. */
    weights_at(s, &s->meshes[1], 1.0, 1.0, w);
    ck_assert_double_eq_tol(w[0], 0.5, 1e-6);
    ck_assert_double_eq_tol(w[1], 0.5, 1e-6);
    mrw_scene_free(s);
}
END_TEST

START_TEST(models_without_bones_are_rigid)
{
    join(5, header("0 3 1 0 0"), "***Materials***\n", "***SubsetTable***\n",
         "***Vertices***\n"
         "Position: 0 0 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n"
         "Position: 0 1 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n"
         "Position: 1 0 0 Tangent: 1 0 0 1 Normal: 0 0 1 Tex-Coords: 0 0\n",
         "***Triangles***\n0 1 2\n");
    mrw_scene *s = load();
    ck_assert_uint_eq(s->draws_count, 1);
    ck_assert_uint_eq(s->draws[0].skin, MRW_NONE);
    const mrw_material *m = &s->materials[s->meshes[0].material];
    ck_assert_uint_eq(m->model, MRW_MATERIAL_CLASSIC); /* matt */
    check_floats(m->maps[MRW_MAP_BASE_COLOR].factor, 4, 1.0, 1.0, 1.0, 1.0);
    check_floats(m->maps[MRW_MAP_SPECULAR].factor, 3, 0.0, 0.0, 0.0);
    ck_assert_float_eq(m->shininess, 0);
    ck_assert_uint_eq(s->skins_count, 0);
    mrw_scene_free(s);
}
END_TEST

/* ---- bones and clips ------------------------------------------------------------------------- */

START_TEST(offsets_give_the_rest_pose)
{
    whole();
    mrw_scene *s = load();
    ck_assert_uint_eq(s->skins_count, 1);
    ck_assert_uint_eq(s->skins[0].joint_count, 2);
    uint32_t bone = s->joints[1];
    ck_assert_str_eq(mrw_scene_string(s, s->nodes[bone].name), "Bone1");
    ck_assert_str_eq(mrw_scene_string(s, s->nodes[s->nodes[bone].parent].name), "Bone0");
    check_floats(s->nodes[bone].rest.translation, 3, 1.0, 2.0, -3.0);
    check_floats(s->geometry_to_joint[1].m + 12, 4, -1.0, -2.0, 3.0, 1.0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(a_turned_offset_is_mirrored)
{
    static char rest[20000];
    whole();
    /* Row vectors: x becomes z, y stays, z becomes -x. In columns and with z mirrored: x becomes
     * -z, and z becomes x. */
    char *at = strstr(text, "BoneOffset1 1 0 0 0 0 1 0 0 0 0 1 0 -1 -2 -3 1");
    strcpy(rest, strchr(at, '\n'));
    strcpy(at, "BoneOffset1 0 0 1 0 0 1 0 0 -1 0 0 0 4 5 6 1");
    strcat(text, rest);
    mrw_scene *s = load();
    check_floats(s->geometry_to_joint[1].m, 16, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0,
                 0.0, 0.0, 4.0, 5.0, -6.0, 1.0);
    /* At rest the bone undoes it: origin where p R + t = 0, p = (-6, -5, 4), z mirrored. */
    check_floats(s->nodes[s->joints[1]].rest.translation, 3, -6.0, -5.0, -4.0);
    mrw_scene_free(s);
}
END_TEST

static const mrw_channel *channel_of(const mrw_scene *s, uint32_t node, mrw_path path)
{
    const mrw_clip *clip = &s->clips[0];
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const mrw_channel *c = &s->channels[clip->first_channel + i];
        if (c->node == node && c->path == (uint32_t)path) {
            return c;
        }
    }
    return NULL;
}

START_TEST(clips_have_their_names_and_keys)
{
    whole();
    mrw_scene *s = load();
    ck_assert_uint_eq(s->clips_count, 1);
    ck_assert_str_eq(mrw_scene_string(s, s->clips[0].name), "Nod");
    ck_assert_double_eq(s->clips[0].duration, 1.5);
    ck_assert_ptr_null(channel_of(s, s->joints[0], MRW_PATH_TRANSLATION));
    const mrw_channel *c = channel_of(s, s->joints[1], MRW_PATH_TRANSLATION);
    ck_assert_ptr_nonnull(c);
    ck_assert_uint_eq(c->interpolation, MRW_INTERPOLATION_LINEAR);
    ck_assert_double_eq(s->key_times[c->first_time], 0.5);
    check_floats(s->key_values + c->first_value, 6, 1.0, 2.0, -3.0, 1.0, 4.0, -7.0);
    c = channel_of(s, s->joints[1], MRW_PATH_ROTATION);
    check_floats(s->key_values + c->first_value, 4, -0.6, 0.0, 0.0, 0.8);
    mrw_scene_free(s);
}
END_TEST

/* ---- refusals and repairs -------------------------------------------------------------------- */

START_TEST(damage_is_refused_with_the_line)
{
    refuses("#Vertices 4", "#Vertices 4000", "line 3: 4000 is too large");
    refuses("#Vertices 4", "#Vertices 5",
            "found \"***************Triangles***\" where Position: was expected");
    refuses("#Vertices 4", "#Vertices 3", "where the section Triangles was expected");
    refuses("Position: 0 0 5", "Position: 0 zero 5", "found \"zero\" where a number was expected");
    refuses("Position: 0 0 5", "Position: 0 1e39 5", "too large");
    refuses("Position: 0 0 5", "Position: 0 nan 5", "found \"nan\" where a number was expected");
    refuses("0 1 2\n", "0 1 4\n", "4 is too large: 3 is the maximum");
    refuses("0 1 2\n", "0 1 -2\n", "found \"-2\" where a whole number was expected");
    refuses("BlendIndices: 0 0", "BlendIndices: 2 0", "2 is too large: 1 is the maximum");
    refuses("FaceStart: 1", "FaceStart: 3", "3 is too large: 2 is the maximum");
    refuses("FaceStart: 1", "FaceStart: 2", "1 is too large: 0 is the maximum");
    refuses("SubsetID: 1", "SubsetID: 2", "2 is too large: 1 is the maximum");
    refuses("BoneOffset1", "BoneOffset2", "found \"BoneOffset2\" where BoneOffset1 was expected");
    refuses("Bone0: -1", "Bone0: 7", "7 is too large");
    refuses("Bone0: -1", "Bone0: 1", "its own ancestor");
    refuses("#Keyframes: 2", "#Keyframes: 3", "where Time: was expected");
    refuses("#Keyframes: 2", "#Keyframes: 99999", "99999 is too large");
    refuses("***Materials***", "***Stuff***", "where the section Materials was expected");
}
END_TEST

START_TEST(every_truncation_ends_well)
{
    whole();
    size_t length = strlen(text);
    static char copy[20000];
    strcpy(copy, text);
    for (size_t size = 40; size + 4 < length; size++) {
        memcpy(text, copy, size);
        text[size] = '\0';
        mrw_error error;
        mrw_scene *scene = NULL;
        memset(&error, 0, sizeof error);
        mrw_status status = mrw_load_memory(text, size, "t.m3d", NULL, NULL, &scene, &error);
        ck_assert_msg(status == MRW_ERROR_INPUT, "cut to %zu bytes: %d", size, status);
    }
}
END_TEST

START_TEST(limits_hold)
{
    mrw_error error;
    mrw_scene *scene = NULL;
    mrw_load_def def = mrw_load_def_default();
    whole();
    def.max_elements = 5;
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(mrw_load_memory(text, strlen(text), "t.m3d", NULL, &def, &scene, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "more than the 5 elements"));
}
END_TEST

START_TEST(every_failed_allocation_is_reported)
{
    whole();
    for (uint64_t n = 1;; n++) {
        mrw_error error = {MRW_OK, ""};
        mrw_scene *scene = NULL;
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_load_memory(text, strlen(text), "t.m3d", NULL, NULL, &scene, &error);
        bool done = mrwi_base_alloc_fail_pending();
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

START_TEST(a_flat_offset_is_repaired)
{
    static char rest[20000];
    whole();
    char *at = strstr(text, "BoneOffset1 1 0 0 0 0 1 0 0 0 0 1");
    strcpy(rest, at + strlen("BoneOffset1 1 0 0 0 0 1 0 0 0 0 1"));
    strcpy(at, "BoneOffset1 1 0 0 0 0 1 0 0 0 0 0");
    strcat(text, rest);
    mrw_scene *s = load();
    bool said = false;
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        said = said || strstr(mrw_scene_string(s, s->warnings[i]), "BoneOffset1 has no inverse");
    }
    ck_assert(said);
    mrw_scene_free(s);
}
END_TEST

START_TEST(the_figure_reads)
{
    mrw_error error;
    mrw_scene *scene = NULL;
    mrw_status status = mrw_load_file("assets/figure.m3d", NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(scene->warnings_count, 0);
    ck_assert_uint_eq(scene->skins[0].joint_count, 49);
    ck_assert_uint_eq(scene->clips_count, 2);
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("m3d");
    TCase *tc = tcase_create("m3d");
    tcase_add_test(tc, z_is_mirrored_and_triangles_keep_their_order);
    tcase_add_test(tc, subsets_have_their_materials);
    tcase_add_test(tc, highlights_are_the_books);
    tcase_add_test(tc, unused_materials_open_no_picture);
    tcase_add_test(tc, the_fourth_weight_is_the_rest);
    tcase_add_test(tc, models_without_bones_are_rigid);
    tcase_add_test(tc, offsets_give_the_rest_pose);
    tcase_add_test(tc, a_turned_offset_is_mirrored);
    tcase_add_test(tc, clips_have_their_names_and_keys);
    tcase_add_test(tc, damage_is_refused_with_the_line);
    tcase_add_test(tc, every_truncation_ends_well);
    tcase_add_test(tc, limits_hold);
    tcase_add_test(tc, a_flat_offset_is_repaired);
    tcase_add_test(tc, every_failed_allocation_is_reported);
    tcase_add_test(tc, the_figure_reads);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
