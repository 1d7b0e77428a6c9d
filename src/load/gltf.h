/* gltf.h: declarations that the parts of the glTF 2.0 reader share.
 *
 *   glb.c, gltf_json.c      bytes → JSON tree
 *   gltf_buffer.c           buffers and buffer views, opened when first used
 *   gltf_meshopt.c          EXT_meshopt_compression
 *   gltf_draco.c            KHR_draco_mesh_compression
 *   gltf_accessor.c         accessors → arrays of float or uint32
 *   gltf_node.c             node tree, skins, cameras, lights, draws
 *   gltf_material.c         materials, textures
 *   gltf_variants.c         KHR_materials_variants
 *   gltf_image.c            images
 *   gltf_triangles.c        indices, strips, fans
 *   gltf_mesh.c             primitives, morph targets
 *   gltf_instances.c        EXT_mesh_gpu_instancing
 *   gltf_anim.c             animations
 *   gltf_bones.c            bones of skins without triangles
 *   gltf_pointer.c          targets of KHR_animation_pointer
 *   gltf_animated.c         animations of materials
 *   gltf.c                  the order of all steps
 *
 * A function takes its inputs and outputs in this order: the file, or only its messages and its
 * document; results about it (tree, materials, images); the scene builder, if the function gives
 * something to it or warns. Failures are sticky (gltf_json.h): a function that returns bool says
 * whether to continue. */
#ifndef MRWI_LOAD_GLTF_H
#define MRWI_LOAD_GLTF_H

#include "load/glb.h"
#include "load/gltf_json.h"
#include "load/reader.h"
#include "load/texture.h"
#include "scene/builder.h"

/* ---- the file -------------------------------------------------------------------------------- */

/* The parsed JSON and its top-level arrays; made once (gltf.c). */
typedef struct mrwi_load_gltf_document {
    const cJSON *root;
    mrwi_load_json_list buffers, views, accessors, images, samplers, textures, materials, meshes,
        nodes, skins, scenes, animations, cameras, lights, variants;
    /* index of the variant whose materials are used; MRW_NONE: the primitives' own materials */
    uint32_t variant;
} mrwi_load_gltf_document;

/* The bytes of a buffer. It is opened when a buffer view first needs it (a fallback buffer of
 * EXT_meshopt_compression has no bytes). */
typedef struct mrwi_load_gltf_buffer {
    const uint8_t *data; /* NULL until opened */
    uint64_t size;       /* byteLength */
    void *owned;         /* for mrwi_base_free */
} mrwi_load_gltf_buffer;

typedef struct mrwi_load_gltf_view {
    const uint8_t *data; /* NULL until resolved */
    uint64_t size;
    uint32_t stride; /* 0: elements are tightly packed */
    void *owned;     /* decompressed bytes, for mrwi_base_free */
} mrwi_load_gltf_view;

/* The bytes that the document describes. */
typedef struct mrwi_load_gltf_bytes {
    const mrwi_sandbox_files *files; /* files of buffers with a URI */
    const uint8_t *bin;              /* the BIN chunk, or NULL */
    uint64_t bin_size;
    mrwi_load_gltf_buffer *buffers; /* buffers and views have one entry per JSON entry */
    mrwi_load_gltf_view *views;
} mrwi_load_gltf_bytes;

/* Remaining budgets, and their initial values, for messages. */
typedef struct mrwi_load_gltf_budget {
    uint64_t elements_left, max_elements; /* rows that are decoded */
    uint64_t bytes_left, max_bytes;       /* bytes of files and decompressed views */
} mrwi_load_gltf_budget;

/* The rows of an accessor, tightly packed, as they would be in a buffer view. */
typedef struct mrwi_load_gltf_rows {
    uint32_t accessor;
    const uint8_t *bytes;
} mrwi_load_gltf_rows;

/* The data that KHR_draco_mesh_compression has compressed (gltf_draco.c). */
typedef struct mrwi_load_gltf_draco {
    uint8_t *answer; /* the importer's answer, for mrwi_base_free, or NULL */
    size_t answer_size;
    uint32_t *mesh_of_view; /* per JSON entry: the mesh in the answer, or MRW_NONE */
    uint32_t count;         /* number of meshes */
    uint32_t failures;      /* number of views that could not be opened */
    /* The current primitive, between begin and end. */
    const uint32_t *indices; /* a triangle list; NULL if the primitive is not compressed */
    mrwi_load_gltf_rows *rows;
    uint32_t points, index_count, row_count, wrong_counts;
} mrwi_load_gltf_draco;

/* The state for turning an accessor of the file into numbers. */
typedef struct mrwi_load_gltf_file {
    const mrwi_load_read_job *job;
    mrwi_load_json json; /* messages and the sticky status */
    const mrwi_load_gltf_document *document;
    mrwi_load_gltf_bytes bytes;
    mrwi_load_gltf_budget budget;
    mrwi_load_gltf_draco draco;
    mrwi_base_arena scratch; /* memory until the end of the current element */
    mrwi_load_progress progress;
} mrwi_load_gltf_file;

/* Allocates scratch memory, not zeroed. NULL and a sticky failure when out of memory. */
void *mrwi_load_gltf_scratch(mrwi_load_gltf_file *file, size_t count, size_t size);

/* Takes count rows from the element budget, or bytes from the byte budget. Anything that a few
 * bytes of a file can make large, by referring to it many times, is charged before it is made. */
bool mrwi_load_gltf_charge(mrwi_load_gltf_file *file, uint64_t count);
bool mrwi_load_gltf_charge_bytes(mrwi_load_gltf_file *file, uint64_t bytes);

/* ---- gltf_buffer.c --------------------------------------------------------------------------- */
/* Returns buffer view `index`, decompressed. NULL after a failure. */
const mrwi_load_gltf_view *mrwi_load_gltf_view_open(mrwi_load_gltf_file *file, uint32_t index);
/* Returns the bytes of buffer `index` at offset, of which length exist. NULL after a failure. */
const uint8_t *mrwi_load_gltf_buffer_range(mrwi_load_gltf_file *file, uint32_t index,
                                           uint64_t offset, uint64_t length);
void mrwi_load_gltf_bytes_free(mrwi_load_gltf_bytes *bytes,
                               const mrwi_load_gltf_document *document);

/* ---- gltf_meshopt.c -------------------------------------------------------------------------- */
/* Decompresses a view with the extension object `extension`. Its uncompressed size must be
 * `length`. */
bool mrwi_load_gltf_meshopt(mrwi_load_gltf_file *file, const cJSON *extension, uint64_t length,
                            uint32_t stride, mrwi_load_gltf_view *out);
/* The filters, in place (EXT_meshopt_compression, appendix B). They are public for the tests. */
void mrwi_load_meshopt_octahedral8(uint8_t *data, size_t count);  /* 4 bytes per element */
void mrwi_load_meshopt_octahedral16(uint8_t *data, size_t count); /* 8 bytes per element */
void mrwi_load_meshopt_quaternion(uint8_t *data, size_t count);   /* 8 bytes per element */
void mrwi_load_meshopt_exponential(uint8_t *data, size_t count);  /* 4 bytes per value */

/* ---- gltf_accessor.c ------------------------------------------------------------------------- */
enum {
    MRWI_LOAD_INT8 = 5120,
    MRWI_LOAD_UINT8 = 5121,
    MRWI_LOAD_INT16 = 5122,
    MRWI_LOAD_UINT16 = 5123,
    MRWI_LOAD_UINT32 = 5125,
    MRWI_LOAD_FLOAT = 5126
};

/* Rows that are stored separately. */
typedef struct mrwi_load_sparse {
    uint32_t count;
    uint32_t type; /* type of the indices */
    const uint8_t *indices;
    const uint8_t *values; /* tightly packed */
} mrwi_load_sparse;

typedef struct mrwi_load_accessor {
    uint32_t count;
    uint32_t rows, columns; /* a vector has one column */
    uint32_t type;          /* MRWI_LOAD_INT8 ... */
    uint32_t stride;
    bool normalized;
    const uint8_t *data; /* NULL stands for zeros */
    mrwi_load_sparse sparse;
} mrwi_load_accessor;

/* Returns the number of floats per row: 1 ... 16. */
static inline uint32_t mrwi_load_accessor_width(const mrwi_load_accessor *a)
{
    return a->rows * a->columns;
}

/* Reads the description of an accessor, but not its bytes. */
bool mrwi_load_accessor_describe(mrwi_load_gltf_file *file, uint32_t index,
                                 mrwi_load_accessor *out);
/* Checks an accessor and finds its bytes. */
bool mrwi_load_accessor_open(mrwi_load_gltf_file *file, uint32_t index, mrwi_load_accessor *out);

/* Decodes `count` rows (in order, or those listed in rows) to floats in scratch memory. normalized
 * integers become -1 ... 1 or 0 ... 1. NULL after a failure. */
float *mrwi_load_accessor_floats(mrwi_load_gltf_file *file, const mrwi_load_accessor *a,
                                 const uint32_t *rows, uint32_t count);
/* Do the same, also to unsigned integers; but rows that the file holds in this form, without gaps
 * and aligned, are not copied. The result is valid as long as the file's bytes (for a Draco mesh:
 * until mrwi_load_gltf_draco_end). */
const float *mrwi_load_accessor_borrow_floats(mrwi_load_gltf_file *file,
                                              const mrwi_load_accessor *a, const uint32_t *rows,
                                              uint32_t count);
const uint32_t *mrwi_load_accessor_uints(mrwi_load_gltf_file *file, const mrwi_load_accessor *a,
                                         const uint32_t *rows, uint32_t count);

/* Returns the index of the first value that is not finite, or count. */
size_t mrwi_load_first_nonfinite(const float *values, size_t count);

/* ---- gltf_variants.c ------------------------------------------------------------------------- */
/* Reads the variants, reports them to def, and sets the one that def wants. Warns if the file
 * requires a choice and def has none. */
bool mrwi_load_gltf_choose_variant(mrwi_load_json *json, mrwi_base_arena *keep,
                                   const mrw_load_def *def, mrwi_scene_builder *builder,
                                   mrwi_load_gltf_document *document);
/* Returns the object that holds a primitive's "material": a mapping of the chosen variant, or the
 * primitive itself. Both may be malformed. */
const cJSON *mrwi_load_gltf_material_holder(const mrwi_load_gltf_document *document,
                                            const cJSON *primitive);

/* ---- gltf_triangles.c ------------------------------------------------------------------------ */
/* Modes of primitives that have triangles (glTF 2.0, 5.24.4). */
enum { MRWI_LOAD_GLTF_TRIANGLES = 4, MRWI_LOAD_GLTF_STRIP = 5, MRWI_LOAD_GLTF_FAN = 6 };

typedef struct mrwi_load_gltf_triangles {
    const uint32_t *indices; /* NULL stands for 0, 1, 2, ... */
    uint32_t index_count;
} mrwi_load_gltf_triangles;

/* Reads the triangles of a primitive with file_vertices vertices, as a list in scratch memory. */
bool mrwi_load_gltf_read_triangles(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                   const cJSON *primitive, uint64_t mode, uint32_t file_vertices,
                                   mrwi_load_gltf_triangles *out);

/* ---- gltf_instances.c ------------------------------------------------------------------------ */
/* The instances of a node, in its space. Each array has `count` elements, or is NULL. */
typedef struct mrwi_load_gltf_instances {
    uint32_t count; /* 0: the node has no instances and draws its mesh once */
    const float *translations, *rotations, *scales; /* each of float[3], float[4], float[3] */
} mrwi_load_gltf_instances;

/* Returns the attributes of a node's instances, or NULL if it has none. */
const cJSON *mrwi_load_gltf_instancing(mrwi_load_json *json, const cJSON *node);
/* Reads the instances of node `node` into scratch memory. */
bool mrwi_load_gltf_read_instances(mrwi_load_gltf_file *file, uint32_t node,
                                   mrwi_load_gltf_instances *out);
/* Replaces the arrays of a mesh without influences by those of all instances, in scratch memory. */
bool mrwi_load_gltf_repeat(mrwi_load_gltf_file *file, const mrwi_load_gltf_instances *instances,
                           mrwi_scene_mesh_input *in);

/* ---- gltf_node.c ----------------------------------------------------------------------------- */
typedef struct mrwi_load_gltf_mesh mrwi_load_gltf_mesh;

typedef struct mrwi_load_gltf_node {
    uint32_t parent;
    uint32_t mesh; /* MRW_NONE if it has none */
    uint32_t skin;
    uint32_t weight_count;          /* number of morph targets of its mesh */
    bool reachable;                 /* true if the drawn scene contains it */
    mrwi_load_gltf_mesh *instanced; /* its mesh with all instances; NULL if it has none */
} mrwi_load_gltf_node;

/* The result for a primitive. */
typedef struct mrwi_load_gltf_primitive {
    /* object whose "material" is the primitive's: see mrwi_load_gltf_material_holder */
    const cJSON *holder;
    uint32_t mesh;       /* index in the builder; MRW_NONE if nothing is drawn */
    bool has_influences; /* false without JOINTS_0: it follows its node even under a skin */
} mrwi_load_gltf_primitive;

struct mrwi_load_gltf_mesh {
    mrwi_load_json_list primitive_list;
    mrwi_load_gltf_primitive *primitives; /* one per primitive; set by mrwi_load_gltf_push_meshes */
    uint32_t target_count;
    const cJSON *first_target_name; /* head of a list; NULL if there is none */
    /* number of joints of the smallest skin it is drawn with; 0 if never skinned */
    uint32_t joint_limit;
    bool drawn;      /* true if it is under a reachable node */
    bool drawn_once; /* true if such a node has no instances */
};

/* The tree: one entry per JSON entry. */
typedef struct mrwi_load_gltf_tree {
    mrwi_load_gltf_node *nodes;
    mrwi_load_gltf_mesh *meshes;
} mrwi_load_gltf_tree;

/* Reads the nodes, and the properties of meshes (already read) that depend on them. scene is that
 * of mrw_load_def. */
bool mrwi_load_gltf_read_tree(mrwi_load_gltf_file *file, mrwi_base_arena *keep, const char *scene,
                              mrwi_load_gltf_tree *tree);
/* Pushes nodes and skins: push index = index in the file. */
bool mrwi_load_gltf_push_nodes(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder);
bool mrwi_load_gltf_push_skins(mrwi_load_gltf_file *file, mrwi_scene_builder *builder);
bool mrwi_load_gltf_push_draws(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder);
/* Pushes bones for a file with skins and without triangles (gltf_bones.c). */
bool mrwi_load_gltf_push_bones(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder);
/* Pushes cameras and lights. */
bool mrwi_load_gltf_push_views(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                               const mrwi_load_gltf_tree *tree, mrwi_scene_builder *builder);

/* ---- gltf_draco.c ---------------------------------------------------------------------------- */
/* Decodes all compressed primitives of meshes that are drawn. */
bool mrwi_load_gltf_draco_decode(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                 const mrwi_load_gltf_tree *tree, mrwi_scene_builder *builder);
bool mrwi_load_gltf_draco_has(const cJSON *primitive);
/* Selects a compressed primitive. From begin to end, its triangles and the rows of its compressed
 * accessors are those of its Draco mesh. */
bool mrwi_load_gltf_draco_begin(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                const cJSON *primitive);
void mrwi_load_gltf_draco_end(mrwi_load_gltf_file *file);
/* Warns of a compressed primitive whose failure was forgiven. Returns true if it can be read
 * without the extension. */
bool mrwi_load_gltf_draco_warn(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                               const cJSON *primitive);
/* Returns the rows of an accessor of the current primitive; NULL if it is not compressed. */
const uint8_t *mrwi_load_gltf_draco_rows(const mrwi_load_gltf_file *file, uint32_t accessor,
                                         uint32_t *count);

/* ---- gltf_image.c ---------------------------------------------------------------------------- */
typedef struct mrwi_load_gltf_images {
    const mrw_load_def *def;
    const mrwi_sandbox_files *files;
    uint32_t *index; /* per JSON entry: index in the builder, MRW_NONE until named */
    bool *shown;
    /* per JSON entry: maps that show it; see mrwi_load_texture_source */
    uint32_t *maps;
    mrwi_load_texture_job *jobs; /* images that were opened and have not reached the builder */
    uint32_t job_count;
    uint64_t job_texels;
    mrwi_load_texture_budget left;
    mrwi_load_progress *progress;
} mrwi_load_gltf_images;

/* Starts with `count` images, none of which has a name yet. */
bool mrwi_load_gltf_start_images(mrwi_load_json *json, mrwi_base_arena *keep,
                                 const mrwi_load_read_job *job, uint32_t count,
                                 mrwi_load_gltf_images *out);
/* Tells the builder the name of an image. */
bool mrwi_load_gltf_name_image(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                               mrwi_load_gltf_images *images, mrwi_scene_builder *builder,
                               uint32_t index);
/* Starts decoding a named image, once. */
bool mrwi_load_gltf_show_image(mrwi_load_gltf_file *file, mrwi_load_gltf_images *images,
                               mrwi_scene_builder *builder, uint32_t index);
/* Gives the texels of all these images to the builder. */
bool mrwi_load_gltf_take_images(mrwi_load_json *json, mrwi_load_gltf_images *images,
                                mrwi_scene_builder *builder);
void mrwi_load_gltf_images_free(mrwi_load_gltf_images *images); /* call after decoding has ended */

/* ---- gltf_material.c ------------------------------------------------------------------------- */
/* The materials: one entry per JSON entry. */
typedef struct mrwi_load_gltf_materials {
    uint32_t *index; /* index in the builder */
    bool *drawn;     /* true if some triangles have it */
    bool *animated;  /* true if an animation points at it */
    float *clear;    /* alpha in place of KHR_materials_transmission; 0 if there is none */
} mrwi_load_gltf_materials;

/* The parts of KHR_texture_transform; rotation in radians. */
typedef struct mrwi_load_gltf_transform {
    float offset[2];
    double rotation;
    float scale[2];
} mrwi_load_gltf_transform;

/* Returns true if a material has KHR_materials_pbrSpecularGlossiness, which replaces
 * pbrMetallicRoughness. */
bool mrwi_load_gltf_is_glossy(const cJSON *material);
/* Finds the map that a pointer names, relative to the material: "/normalTexture". Returns the rest
 * of the pointer, or NULL if it names no map that is read. */
const char *mrwi_load_gltf_find_map(const cJSON *material, const char *pointer, mrw_map *map);
/* Reads the texture transform of a map from the file. Malformed parts get their usual values,
 * without another warning. */
mrwi_load_gltf_transform mrwi_load_gltf_rest_transform(mrwi_load_json *json, const cJSON *material,
                                                       mrw_map map);

/* Marks the materials that are drawn. */
void mrwi_load_gltf_find_drawn(const mrwi_load_gltf_document *document,
                               const mrwi_load_gltf_tree *tree,
                               mrwi_load_gltf_materials *materials);
bool mrwi_load_gltf_push_materials(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                   mrwi_load_gltf_materials *materials,
                                   mrwi_load_gltf_images *images, mrwi_scene_builder *builder);

/* ---- gltf_mesh.c, gltf_anim.c ---------------------------------------------------------------- */
/* Reads the primitives and targets of each mesh into the tree. */
bool mrwi_load_gltf_read_meshes(mrwi_load_json *json, mrwi_base_arena *keep,
                                const mrwi_load_gltf_document *document,
                                mrwi_load_gltf_mesh *meshes);
/* Copies a mesh that was read, with its own primitives. NULL after a failure. */
mrwi_load_gltf_mesh *mrwi_load_gltf_copy_mesh(mrwi_load_json *json, mrwi_base_arena *keep,
                                              const mrwi_load_gltf_mesh *mesh);
/* Pushes the meshes that are drawn. Materials must have been pushed. */
bool mrwi_load_gltf_push_meshes(mrwi_load_gltf_file *file, mrwi_load_gltf_tree *tree,
                                const mrwi_load_gltf_materials *materials,
                                mrwi_scene_builder *builder);
bool mrwi_load_gltf_push_animations(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                                    const mrwi_load_gltf_materials *materials,
                                    mrwi_scene_builder *builder);
/* Reads the keys of a sampler; in->path and in->width are set. */
bool mrwi_load_gltf_read_sampler(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                 const cJSON *sampler, mrwi_scene_channel_input *in);

/* ---- gltf_pointer.c -------------------------------------------------------------------------- */
/* The target of a channel: a node, or each node that draws a mesh, or a material. The others are
 * MRW_NONE; all are if the channel is not animated. */
typedef struct mrwi_load_gltf_target {
    uint32_t node;
    mrw_path path;
    uint32_t mesh;     /* a mesh, for its default weights */
    uint32_t material; /* JSON entry of a material */
    mrw_map map;       /* the map that has the property */
    mrw_material_property property;
} mrwi_load_gltf_target;

/* Reads the KHR_animation_pointer of a channel's target. If marrow does not animate its object, all
 * of *out is MRW_NONE, after one warning per kind of object. */
bool mrwi_load_gltf_read_pointer(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                                 mrwi_scene_builder *builder, const cJSON *target,
                                 mrwi_load_gltf_target *out);
/* Returns the JSON entry of the material that a channel's target points at; MRW_NONE if it points
 * at something else or at a missing material. Reports nothing about malformed targets. */
uint32_t mrwi_load_gltf_pointed_material(const mrwi_load_gltf_document *document,
                                         const cJSON *target);

/* ---- gltf_animated.c ------------------------------------------------------------------------- */
/* Sets `animated` of materials. */
void mrwi_load_gltf_find_animated(const mrwi_load_gltf_document *document,
                                  mrwi_load_gltf_materials *materials);

/* The properties of materials that one animation has channels for. */
typedef struct mrwi_load_gltf_animated {
    const mrwi_load_gltf_materials *materials;
    /* bits of mrw_material_property, MRW_MAP_COUNT per material; NULL until one is found */
    uint16_t *found;
    struct mrwi_load_gltf_animated_map *maps; /* maps with channels, each once */
    uint32_t count, room;
} mrwi_load_gltf_animated;

bool mrwi_load_gltf_push_material_channel(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                          mrwi_load_gltf_animated *animated,
                                          mrwi_scene_builder *builder, const cJSON *sampler,
                                          const mrwi_load_gltf_target *target);
/* Ends an animation: adds constant channels for properties of which it animates only a part
 * (mrw_material_channel). */
bool mrwi_load_gltf_complete_materials(mrwi_load_gltf_file *file, mrwi_load_gltf_animated *animated,
                                       mrwi_scene_builder *builder);

/* ---- gltf.c ---------------------------------------------------------------------------------- */
/* Reads a .gltf or .glb. */
mrw_status mrwi_load_gltf_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error);

/* ---- gltf_extensions.c ----------------------------------------------------------------------- */
/* Returns the arguments of `npx @gltf-transform/cli` that convert a file to one without the
 * extension, or NULL if none is known. */
const char *mrwi_load_gltf_conversion(const char *extension);
/* Refuses a file that requires an unsupported extension which may change shapes. */
bool mrwi_load_gltf_check_extensions(mrwi_load_json *json, const cJSON *root);
/* Warns once about all unsupported extensions, used or required, and says what they may change. */
bool mrwi_load_gltf_tell_extensions(mrwi_load_json *json, const cJSON *root,
                                    mrwi_scene_builder *builder);

#endif
