/* test_growth.c: what a file costs grows with its size, not with the square of it.
 *
 * Every step from a file to a picture is done with n things and with 8 n of them, in CPU time of
 * this thread (and of the import helper), the least of several runs. A linear step takes 8 times
 * as long, up to 13 where 8 n things no longer fit into a busy machine's caches; a quadratic one
 * takes 64 times as long; the bound lies between.
 */
#include "test.h"

#include "marrow/clips.h"
#include "marrow/frame.h"
#include "marrow/load.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TIMES        8u
#define MOST         (TIMES * 2.5)
#define LEAST_ROUNDS 3
#define MOST_ROUNDS  24    /* on a busy machine the least time takes long to come by */
#define TOO_SHORT    0.015 /* seconds in which caches and pages count for more than the work */

/* ---- bytes ----------------------------------------------------------------------------------- */

typedef struct buffer {
    char *data;
    size_t size, room;
} buffer;

static void *extend(buffer *b, size_t size)
{
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size) + 4096;
        b->data = realloc(b->data, b->room);
        ck_assert_ptr_nonnull(b->data);
    }
    b->size += size;
    return b->data + b->size - size;
}

static void put_bytes(buffer *b, const void *data, size_t size)
{
    if (size > 0) {
        memcpy(extend(b, size), data, size);
    }
}

static void put(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(buffer *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert_int_lt(length, (int)sizeof text);
    put_bytes(b, text, (size_t)length);
}

static void put_u32(buffer *b, uint32_t v)
{
    put_bytes(b, &v, 4); /* scenes are little-endian anyway */
}

/* ---- glTF ------------------------------------------------------------------------------------ */

/* A GLB while it is written: its lists, each "a,b,c", and its binary part. */
typedef struct glb {
    buffer bin, views, accessors, nodes, meshes, skins, animations, materials, textures, images;
    uint32_t count; /* of views */
    uint32_t accessor_count;
} glb;

static void comma(buffer *b)
{
    put(b, "%s", b->size > 0 ? "," : "");
}

static uint32_t add_view(glb *g, const void *data, size_t size)
{
    while (g->bin.size % 4 != 0) {
        put(&g->bin, " ");
    }
    comma(&g->views);
    put(&g->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", g->bin.size, size);
    put_bytes(&g->bin, data, size);
    return g->count++;
}

/* Accessors are numbered like calls of this. */
static uint32_t add_accessor(glb *g, const void *data, size_t size, int type, uint32_t count,
                             const char *shape)
{
    uint32_t view = add_view(g, data, size);
    comma(&g->accessors);
    put(&g->accessors,
        "{\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":\"%s\","
        "\"min\":[0,0,0],\"max\":[9,9,9]}",
        view, type, count, shape);
    return g->accessor_count++;
}

static uint32_t add_floats(glb *g, const float *values, uint32_t count, uint32_t width)
{
    static const char *const shapes[] = {[1] = "SCALAR", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4"};
    return add_accessor(g, values, (size_t)count * width * 4, 5126, count, shapes[width]);
}

/* A mesh of count vertices of which every third is like another one, in `parts` primitives, each
 * with its own material where there are several, skinned to joints if there are any. */
static void add_mesh(glb *g, uint32_t count, uint32_t joints, uint32_t parts)
{
    float *positions = malloc(count * 12), *weights = malloc(count * 16);
    uint16_t *used = malloc(count * 8);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t v = i % 3 == 0 ? i / 2 : i;
        const float at[3] = {(float)(v % 1009), (float)(v * 7 % 1013), (float)(v * 31 % 1019)};
        const float share[4] = {0.4f, 0.3f, 0.2f, 0.1f};
        memcpy(positions + 3 * i, at, sizeof at);
        memcpy(weights + 4 * i, share, sizeof share);
        for (uint32_t k = 0; k < 4; k++) {
            used[4 * i + k] = (uint16_t)(joints ? (v * (k + 1) + k) % joints : 0);
        }
    }
    char skin[80] = "";
    const uint32_t position = add_floats(g, positions, count, 3);
    if (joints > 0) {
        const uint32_t j = add_accessor(g, used, count * 8, 5123, count, "VEC4");
        const uint32_t w = add_floats(g, weights, count, 4);
        snprintf(skin, sizeof skin, ",\"JOINTS_0\":%u,\"WEIGHTS_0\":%u", j, w);
    }
    comma(&g->meshes);
    put(&g->meshes, "{\"primitives\":[");
    for (uint32_t p = 0; p < parts; p++) {
        put(&g->meshes, "%s{\"attributes\":{\"POSITION\":%u%s}", p > 0 ? "," : "", position, skin);
        if (parts > 1) {
            put(&g->meshes, ",\"material\":%u", p);
        }
        put(&g->meshes, "}");
    }
    put(&g->meshes, "]}");
    free(positions);
    free(weights);
    free(used);
}

/* Rotates nodes first ... first + count - 1. */
static void add_clip(glb *g, const char *name, uint32_t first, uint32_t count)
{
    const float times[2] = {0, 1}, turns[8] = {0, 0, 0, 1, 0, 1, 0, 1};
    const uint32_t input = add_floats(g, times, 2, 1), output = add_floats(g, turns, 2, 4);
    comma(&g->animations);
    put(&g->animations, "{\"name\":\"%s\",\"samplers\":[{\"input\":%u,\"output\":%u}],", name,
        input, output);
    put(&g->animations, "\"channels\":[");
    for (uint32_t i = 0; i < count; i++) {
        put(&g->animations, "%s{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"rotation\"}}",
            i > 0 ? "," : "", first + i);
    }
    put(&g->animations, "]}");
}

static void put_list(buffer *out, const char *name, buffer *list)
{
    if (list->size > 0) {
        put(out, ",\"%s\":[", name);
        put_bytes(out, list->data, list->size);
        put(out, "]");
    }
    free(list->data);
}

static buffer finish_glb(glb *g)
{
    buffer text = {0}, out = {0};
    while (g->bin.size % 4 != 0) {
        put(&g->bin, " ");
    }
    put(&text, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}]", g->bin.size);
    put_list(&text, "bufferViews", &g->views);
    put_list(&text, "accessors", &g->accessors);
    put_list(&text, "nodes", &g->nodes);
    put_list(&text, "meshes", &g->meshes);
    put_list(&text, "skins", &g->skins);
    put_list(&text, "animations", &g->animations);
    put_list(&text, "materials", &g->materials);
    put_list(&text, "textures", &g->textures);
    put_list(&text, "images", &g->images);
    put(&text, "}");
    while (text.size % 4 != 0) {
        put(&text, " ");
    }
    put(&out, "glTF");
    put_u32(&out, 2);
    put_u32(&out, (uint32_t)(28 + text.size + g->bin.size));
    put_u32(&out, (uint32_t)text.size);
    put(&out, "JSON");
    put_bytes(&out, text.data, text.size);
    put_u32(&out, (uint32_t)g->bin.size);
    put_bytes(&out, "BIN", 4);
    put_bytes(&out, g->bin.data, g->bin.size);
    free(text.data);
    free(g->bin.data);
    return out;
}

/* ---- files with n of something --------------------------------------------------------------- */

static buffer many_vertices(uint32_t n)
{
    glb g = {0};
    add_mesh(&g, n / 3 * 3, 0, 1);
    put(&g.nodes, "{\"mesh\":0}");
    return finish_glb(&g);
}

/* A chain of joints, listed from its end, all of one name, all animated. */
static buffer many_joints(uint32_t n)
{
    glb g = {0};
    add_mesh(&g, 3000, n, 1);
    put(&g.nodes, "{\"mesh\":0,\"skin\":0}");
    put(&g.skins, "{\"joints\":[");
    for (uint32_t i = 0; i < n; i++) {
        put(&g.nodes, ",{\"name\":\"joint\"");
        if (i > 0) {
            put(&g.nodes, ",\"children\":[%u]", i);
        }
        put(&g.nodes, ",\"translation\":[0,1,0]}");
        put(&g.skins, "%s%u", i > 0 ? "," : "", i + 1);
    }
    put(&g.skins, "]}");
    add_clip(&g, "all", 1, n);
    return finish_glb(&g);
}

/* Half of them have the same short name. */
static buffer many_clips(uint32_t n)
{
    glb g = {0};
    add_mesh(&g, 300, 0, 1);
    put(&g.nodes, "{\"name\":\"door\",\"mesh\":0}");
    for (uint32_t i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, i % 2 ? "clip%u" : "armature%u|walk", i);
        add_clip(&g, name, 0, 1);
    }
    return finish_glb(&g);
}

/* A chain of half of them, and the others below one node. */
static buffer many_nodes(uint32_t n)
{
    glb g = {0};
    add_mesh(&g, 300, 0, 1);
    put(&g.nodes, "{\"mesh\":0,\"children\":[");
    for (uint32_t i = 1; i <= n / 2; i++) {
        put(&g.nodes, "%u,", i);
    }
    put(&g.nodes, "%u]}", n - 1);
    for (uint32_t i = 1; i < n; i++) {
        put(&g.nodes, ",{\"name\":\"node%u\"", i % 2 ? i : 0);
        if (i > n / 2 + 1) {
            put(&g.nodes, ",\"children\":[%u]", i - 1);
        }
        put(&g.nodes, "}");
    }
    add_clip(&g, "all", 0, n);
    return finish_glb(&g);
}

/* A mesh a node, each drawn. */
static buffer many_meshes(uint32_t n)
{
    glb g = {0};
    for (uint32_t i = 0; i < n; i++) {
        add_mesh(&g, 3, 0, 1);
        comma(&g.nodes);
        put(&g.nodes, "{\"name\":\"mesh\",\"mesh\":%u}", i);
    }
    return finish_glb(&g);
}

/* A material a primitive, each with a picture of its own: a TGA of one pixel. */
static buffer many_materials(uint32_t n)
{
    glb g = {0};
    add_mesh(&g, 3, 0, n);
    put(&g.nodes, "{\"mesh\":0}");
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t tga[21] = {0, 0, 2, 0, 0, 0, 0,  0, 0,          0,
                                 0, 0, 1, 0, 1, 0, 24, 0, (uint8_t)i, (uint8_t)(i >> 8),
                                 0};
        comma(&g.images);
        put(&g.images, "{\"bufferView\":%u}", add_view(&g, tga, sizeof tga));
        comma(&g.textures);
        put(&g.textures, "{\"source\":%u}", i);
        comma(&g.materials);
        put(&g.materials,
            "{\"name\":\"m%u\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%u}}}", i,
            i);
    }
    return finish_glb(&g);
}

/* A strip of n vertices in Frank Luna's text format, n / 50 bones, n / 50 materials. */
static buffer many_of_m3d(uint32_t n)
{
    const uint32_t bones = n / 50, triangles = bones * 40;
    buffer b = {0};
    put(&b, "***m3d-File-Header***\n#Materials %u\n#Vertices %u\n#Triangles %u\n#Bones %u\n", bones,
        n, triangles, bones);
    put(&b, "#AnimationClips 1\n\n***Materials***\n");
    for (uint32_t i = 0; i < bones; i++) {
        put(&b,
            "Name: m%u\nDiffuse: 1 1 1\nFresnel0: 0 0 0\nRoughness: 1\nAlphaClip: 0\n"
            "MaterialTypeName: Skinned\nDiffuseMap: x.dds\nNormalMap: y.dds\n\n",
            i);
    }
    put(&b, "***SubsetTable***\n");
    for (uint32_t i = 0; i < bones; i++) {
        put(&b, "SubsetID: %u VertexStart: %u VertexCount: 50 FaceStart: %u FaceCount: 40\n", i,
            50 * i, 40 * i);
    }
    put(&b, "\n***Vertices***\n");
    for (uint32_t i = 0; i < n; i++) {
        put(&b,
            "Position: %u %u %u\nTangent: 1 0 0 1\nNormal: 0 0 -1\nTex-Coords: 0 0\n"
            "BlendWeights: 1 0 0 0\nBlendIndices: %u 0 0 0\n\n",
            i % 2, i, i % 7, i % (bones < 256 ? bones : 256));
    }
    put(&b, "***Triangles***\n");
    for (uint32_t i = 0; i < triangles; i++) {
        put(&b, "%u %u %u\n", i / 40 * 50 + i % 40, i / 40 * 50 + i % 40 + 1,
            i / 40 * 50 + i % 40 + 2);
    }
    put(&b, "\n***BoneOffsets***\n");
    for (uint32_t i = 0; i < bones; i++) {
        put(&b, "BoneOffset%u 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n", i);
    }
    put(&b, "\n***BoneHierarchy***\n");
    for (uint32_t i = 0; i < bones; i++) {
        put(&b, "ParentIndexOfBone%u: %d\n", i, (int)i - 1);
    }
    put(&b, "\n***AnimationClips***\nAnimationClip walk\n{\n");
    for (uint32_t i = 0; i < bones; i++) {
        put(&b, "Bone%u #Keyframes: 1\n{\nTime: 0 Pos: 0 0 0 Scale: 1 1 1 Quat: 0 0 0 1\n}\n", i);
    }
    put(&b, "}\n");
    return b;
}

static void put_floats(buffer *b, uint32_t count, float value)
{
    for (uint32_t i = 0; i < count; i++) {
        put_bytes(b, &value, sizeof value);
    }
}

/* A strip of n vertices as an Inter-Quake Model, n / 50 meshes with a material each, and joints in
 * a chain whose children come first, with a clip. */
static buffer many_of_iqm(uint32_t n)
{
    enum { NAME = 8, FRAMES = 4 };
    const uint32_t parts = n / 50, text = 124, meshes = text + NAME * parts;
    const uint32_t arrays = meshes + 24 * parts, positions = arrays + 60;
    const uint32_t indexes = positions + 12 * n, weights = indexes + 2 * n;
    const uint32_t triangles = weights + n, joints = triangles + 12 * 40 * parts;
    const uint32_t poses = joints + 48 * parts, anims = poses + 88 * parts, frames = anims + 20;
    const uint32_t header[27] = {2,          frames + 2 * FRAMES * parts,
                                 0,          NAME * parts,
                                 text,       parts,
                                 meshes,     3,
                                 n,          arrays,
                                 40 * parts, triangles,
                                 0,          parts,
                                 joints,     parts,
                                 poses,      1,
                                 anims,      FRAMES,
                                 parts,      frames};
    buffer b = {0};
    put_bytes(&b, "INTERQUAKEMODEL", 16);
    put_bytes(&b, header, sizeof header);
    for (uint32_t i = 0; i < parts; i++) {
        char name[16] = "";
        snprintf(name, sizeof name, "m%u", i);
        put_bytes(&b, name, NAME);
    }
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t mesh[6] = {NAME * i, NAME * i, 50 * i, 50, 40 * i, 40};
        put_bytes(&b, mesh, sizeof mesh);
    }
    const uint32_t entries[15] = {0, 0, 7, 3, positions, 4, 0, 3, 1, indexes, 5, 0, 1, 1, weights};
    put_bytes(&b, entries, sizeof entries);
    for (uint32_t i = 0; i < n; i++) {
        const float place[3] = {(float)(i % 2), (float)i, (float)(i % 7)};
        put_bytes(&b, place, sizeof place);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint16_t joint = (uint16_t)(i % parts);
        put_bytes(&b, &joint, sizeof joint);
    }
    memset(extend(&b, n), 255, n);
    for (uint32_t i = 0; i < 40 * parts; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            put_u32(&b, i / 40 * 50 + i % 40 + corner);
        }
    }
    for (uint32_t i = 0; i < parts; i++) {
        put_u32(&b, NAME * i);
        put_u32(&b, i + 1 < parts ? i + 1 : UINT32_MAX);
        put_floats(&b, 6, 0.0f);
        put_floats(&b, 4, 1.0f);
    }
    for (uint32_t i = 0; i < parts; i++) {
        put_u32(&b, i + 1 < parts ? i + 1 : UINT32_MAX);
        put_u32(&b, 1);
        put_floats(&b, 6, 0.0f);
        put_floats(&b, 4, 1.0f);
        put_floats(&b, 10, 1e-6f);
    }
    const uint32_t anim[5] = {0, 0, FRAMES, 0, 1};
    put_bytes(&b, anim, sizeof anim);
    for (uint32_t i = 0; i < FRAMES * parts; i++) {
        const uint16_t number = (uint16_t)(i * 7919);
        put_bytes(&b, &number, sizeof number);
    }
    return b;
}

/* n triangles, and n / 50 objects, through the import helper. */
static buffer many_of_obj(uint32_t n)
{
    buffer b = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (i % 50 == 0) {
            put(&b, "o part%u\n", i);
        }
        put(&b, "v %u 0 0\nv %u 1 0\nv %u 0 1\nf -3 -2 -1\n", i, i, i);
    }
    return b;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum { LOAD, COMPILE, LOAD_COMPILED, PREPARE, FRAME, ADD_CLIPS, LOAD_BY_TWO, STEPS };
static const char *const step_names[STEPS] = {"load",  "compile",   "load the compiled", "prepare",
                                              "frame", "add clips", "load by 2 threads"};

/* Of this thread, which waits for others by turning, and of processes that have ended. */
static double now(void)
{
    struct timespec t;
    struct rusage children;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 +
           (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e-6;
}

/* Ends a step: keeps the least time. */
static void end_step(double *start, double times[STEPS], int step)
{
    const double end = now();
    times[step] = end - *start < times[step] ? end - *start : times[step];
    *start = now();
}

static void good(mrw_status status, const mrw_error *error)
{
    ck_assert_msg(status == MRW_OK, "%s", error->text);
}

/* From the scene to where its vertices are at one time. */
static void check_frame(const mrw_model *model, const mrw_scene *scene)
{
    mrw_error error;
    mrw_extents extents;
    mrw_view_def view = mrw_view_def_default();
    mrw_instance instance = mrw_instance_default(model);
    uint32_t clip = 0;
    const char *name = scene->clips_count
                           ? mrw_scene_string(scene, scene->clips[scene->clips_count - 1].name)
                           : NULL;
    if (name) {
        good(mrw_scene_find_clip(scene, name, &clip, &error), &error);
    }
    good(
        mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, 1, MRW_ISA_AUTO, 1, &extents, &error),
        &error);
}

static void run_steps(const buffer *file, const char *name, double times[STEPS])
{
    mrw_error error;
    mrw_scene *scene, *again, *both;
    mrw_model *model;
    mrw_bytes compiled;
    double start = now();
    mrw_load_def def = mrw_load_def_default();
    def.import_seconds = 1000; /* by the clock, which runs on while the machine has other work */
    good(mrw_load_memory(file->data, file->size, name, NULL, &def, &scene, &error), &error);
    end_step(&start, times, LOAD);
    good(mrw_scene_compile(scene, &compiled, &error), &error);
    end_step(&start, times, COMPILE);
    good(mrw_load_memory(compiled.data, compiled.size, "x.marrow", NULL, NULL, &again, &error),
         &error);
    end_step(&start, times, LOAD_COMPILED);
    good(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error), &error);
    end_step(&start, times, PREPARE);
    check_frame(model, scene);
    end_step(&start, times, FRAME);
    if (scene->clips_count > 0) {
        mrw_clip_source source = {.scene = again, .name = "again"};
        good(mrw_scene_add_clips(scene, &source, 1, &both, &error), &error);
        mrw_scene_free(both);
    }
    end_step(&start, times, ADD_CLIPS);
    def.threads = 2;
    mrw_scene *same;
    good(mrw_load_memory(file->data, file->size, name, NULL, &def, &same, &error), &error);
    end_step(&start, times, LOAD_BY_TWO);
    ck_assert_mem_eq(mrw_scene_hash(same), mrw_scene_hash(scene), 32);
    mrw_scene_free(same);
    mrw_model_free(model);
    mrw_scene_free(again);
    mrw_scene_free(scene);
    mrw_bytes_free(&compiled);
}

/* The first step that takes too long with TIMES as much; STEPS when there is none. */
static int find_slow(const double small[STEPS], const double large[STEPS])
{
    for (int i = 0; i < STEPS; i++) {
        if (large[i] > TOO_SHORT && large[i] > MOST * small[i]) {
            return i;
        }
    }
    return STEPS;
}

/* Takes the least times of both files, until no step is slow or the rounds are over. Returns the
 * slow step, or STEPS. */
static int measure(const buffer files[2], const char *name, double small[STEPS],
                   double large[STEPS])
{
    int slow = STEPS;
    for (int i = 0; i < STEPS; i++) {
        small[i] = large[i] = 1e9;
    }
    for (int round = 0; round < LEAST_ROUNDS || (slow < STEPS && round < MOST_ROUNDS); round++) {
        run_steps(&files[0], name, small);
        run_steps(&files[1], name, large);
        slow = find_slow(small, large);
    }
    return slow;
}

/* A step that looks slow is looked at again with 8 times as much of both: where it only left the
 * caches between the two, it grows with its size from there on. */
static void check_growth(buffer (*make)(uint32_t n), uint32_t n, const char *name)
{
    n = TEST_ROUNDS(n);
    double small[STEPS], large[STEPS];
    buffer files[2] = {make(n / TIMES), make(n)};
    int slow = measure(files, name, small, large);
    if (slow < STEPS) {
        free(files[0].data);
        files[0] = files[1];
        files[1] = make(n *= TIMES);
        slow = measure(files, name, small, large);
    }
    for (int i = 0; i < STEPS && getenv("GROWTH"); i++) {
        fprintf(stderr, "%9u %-17s %7.2f ms -> %7.2f ms\n", n, step_names[i], small[i] * 1e3,
                large[i] * 1e3);
    }
    free(files[0].data);
    free(files[1].data);
    ck_assert_msg(slow == STEPS, "%s: %.1f ms with %u, %.1f ms with %u", step_names[slow % STEPS],
                  small[slow % STEPS] * 1e3, n / TIMES, large[slow % STEPS] * 1e3, n);
}

START_TEST(vertices)
{
    check_growth(many_vertices, 200000, "x.glb");
}
END_TEST

START_TEST(joints)
{
    check_growth(many_joints, 8000, "x.glb");
}
END_TEST

START_TEST(clips)
{
    check_growth(many_clips, 4000, "x.glb");
}
END_TEST

START_TEST(nodes)
{
    check_growth(many_nodes, 40000, "x.glb");
}
END_TEST

START_TEST(meshes)
{
    check_growth(many_meshes, 10000, "x.glb");
}
END_TEST

START_TEST(materials)
{
    check_growth(many_materials, 4000, "x.glb");
}
END_TEST

START_TEST(m3d)
{
    check_growth(many_of_m3d, 40000, "x.m3d");
}
END_TEST

START_TEST(iqm)
{
    check_growth(many_of_iqm, 40000, "x.iqm");
}
END_TEST

START_TEST(obj)
{
    check_growth(many_of_obj, 80000, "x.obj");
}
END_TEST

/* ---- the measure itself ---------------------------------------------------------------------- */

/* A step that looks at every pair, as a search by name for every name does. */
START_TEST(quadratic_growth_is_found)
{
    double small[STEPS], large[STEPS];
    for (int i = 0; i < STEPS; i++) {
        small[i] = large[i] = i == PREPARE ? 1e9 : 0.0;
    }
    for (int round = 0; round < LEAST_ROUNDS; round++) {
        for (int side = 0; side < 2; side++) {
            volatile uint32_t sum = 0;
            double start = now();
            const uint32_t n = side ? 16000 : 16000 / TIMES;
            for (uint32_t i = 0; i < n; i++) {
                for (uint32_t k = 0; k < i; k++) {
                    sum = sum + (i ^ k);
                }
            }
            end_step(&start, side ? large : small, PREPARE);
        }
    }
    ck_assert_int_eq(find_slow(small, large), PREPARE);
    small[PREPARE] = large[PREPARE] / TIMES;
    ck_assert_int_eq(find_slow(small, large), STEPS);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("growth");
    TCase *t = tcase_create("growth");
    const char *importer = getenv("MARROW_IMPORTER");
    /* Memory is used again, so that new pages, which cost more than most steps, come once. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, quadratic_growth_is_found);
    tcase_add_test(t, vertices);
    tcase_add_test(t, joints);
    tcase_add_test(t, clips);
    tcase_add_test(t, nodes);
    tcase_add_test(t, meshes);
    tcase_add_test(t, materials);
    tcase_add_test(t, m3d);
    tcase_add_test(t, iqm);
    if (importer && access(importer, X_OK) == 0) {
        tcase_add_test(t, obj);
    }
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
