/* import.h: declarations that the parts of the conversion from assimp's scene to ours share.
 *
 * assimp delivers a tree of C arrays that code which is known to fail has made from an untrusted
 * file: a count may stand beside a NULL array, an index may be too large, a float may be NaN. Every
 * stage checks what it reads; only the lengths of the arrays must be trusted.
 *
 * The source, what is read, does not change after assimp has finished with the file. The tree does
 * not change after its nodes were pushed. Later stages read both. A stage that makes something gets
 * the resources for it, and one that adds to the scene gets the builder. */
#ifndef MRWI_IMPORT_IMPORT_H
#define MRWI_IMPORT_IMPORT_H

#include "base/memory.h"
#include "import/fbx_bytes.h"
#include "import/io.h"
#include "import/polygons.h"
#include "load/reader.h"
#include "scene/builder.h"

#include <assimp/scene.h>

/* One node of the tree, parents first. */
typedef struct mrwi_import_node {
    const struct aiNode *source;
    const char *name;
    uint32_t parent; /* index of an earlier node, or MRW_NONE */
    uint32_t pushed; /* index of the node in the builder */
    /* the builder's node that takes its translation channels; == pushed unless the node has FBX's
     * InheritType 2 */
    uint32_t moved_by;
    uint32_t weight_count;
    mrw_mat4 to_parent; /* local transform in the file */
    mrw_mat4 to_root;   /* at rest, without axes and unit */
} mrwi_import_node;

/* For FBX's InheritType 2: a helper node between translation and rotation removes the parent's own
 * scale: L = T * inverse(S_parent) * R * S. */
typedef struct mrwi_import_unscale {
    uint32_t owner;       /* the node of InheritType 2 */
    uint32_t before;      /* the helper goes above this node: the owner or a link of its chain */
    uint32_t translation; /* the chain's ..._Translation link, or MRW_NONE */
    uint32_t parent;      /* node whose scale is undone */
    uint32_t parent_link; /* that node's ..._Scaling link, or MRW_NONE */
    float rest[3];        /* the parent's scale at rest, never 0 */
    uint32_t helper;      /* index of the helper in the builder */
} mrwi_import_unscale;

typedef struct mrwi_import_name {
    const char *name;
    uint32_t node;
} mrwi_import_name;

/* The encodings of colours: sRGB, else linear. */
typedef struct mrwi_import_colors {
    bool materials_srgb; /* true for materials and lights */
    bool vertices_srgb;
} mrwi_import_colors;

/* The file as assimp delivers it. */
typedef struct mrwi_import_source {
    const mrwi_load_read_job *job;
    const struct aiScene *scene;
    bool is_fbx;
    mrwi_import_extras extras;
    mrwi_import_colors colors;
    mrwi_import_polygons polygons; /* polygons that assimp has not cut */
} mrwi_import_source;

/* The nodes of a source, which can be found by name, and their placement in the world. */
typedef struct mrwi_import_tree {
    const mrwi_import_source *source;
    mrwi_import_node *nodes;
    uint32_t node_count;
    mrwi_import_name *names; /* sorted by name, then node */
    mrwi_import_unscale *unscales;
    uint32_t unscale_count;
    uint32_t axes; /* the builder's node above the tree, or MRW_NONE */
    float unit;    /* factor from the tree's unit to the world's */
} mrwi_import_tree;

/* The resources of a conversion: memory, a share of the job's limits, and its status. */
typedef struct mrwi_import_resources {
    const mrwi_load_read_job *job;
    uint64_t elements_left;  /* rest of def->max_elements */
    mrwi_base_arena keep;    /* memory until the end of the conversion */
    mrwi_base_arena scratch; /* memory for one mesh or channel */
    mrw_status status;
    mrw_error *error;
} mrwi_import_resources;

/* ---- import.c: the reader; failing, memory, small readers ------------------------------------ */

/* Reads any format that assimp reads. It runs in the import helper, or in the process with
 * no_sandbox. */
mrw_status mrwi_import_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error);

/* Sets the status; the message begins with the file's name. Returns false. */
bool mrwi_import_fail(mrwi_import_resources *res, const char *format, ...) MRW_PRINTF(2, 3);
/* Records the status of a builder call. Returns true if it is MRW_OK. */
bool mrwi_import_ok(mrwi_import_resources *res, mrw_status status);
/* Allocates zeroed arena memory; NULL with the status set. */
void *mrwi_import_keep(mrwi_import_resources *res, uint64_t count, size_t size);
void *mrwi_import_scratch(mrwi_import_resources *res, uint64_t count, size_t size);
/* Counts elements against the limit. */
bool mrwi_import_charge(mrwi_import_resources *res, uint64_t count);
/* Returns the text of a string, "" if it has no NUL. */
const char *mrwi_import_text(const struct aiString *string);
/* Returns the name as the file has it: without marks. "" when out of memory, with the status
 * set. */
const char *mrwi_import_unmarked(const mrwi_import_source *source, const char *name,
                                 mrwi_import_resources *res);
/* Reads a number of any type from metadata (may be NULL). */
bool mrwi_import_number(const struct aiMetadata *metadata, const char *key, double *out);
/* Reads a text from metadata (may be NULL); "" if there is none. */
const char *mrwi_import_word(const struct aiMetadata *metadata, const char *key);

/* ---- colors.c: what colours are encoded as --------------------------------------------------- */

/* Finds the encodings of the file's colours, and reports them to job->def->detail if there are
 * any. */
mrwi_import_colors mrwi_import_find_colors(const mrwi_import_source *source);
/* Makes three numbers of 0 ... 1, or above, linear, in place. */
void mrwi_import_decode_color(float color[3]);

/* ---- blender.c: materials of Blender's exporter ---------------------------------------------- */

/* Returns true for an FBX file whose materials hold the numbers of a Principled BSDF. */
bool mrwi_import_has_principled(const mrwi_import_source *source);
/* Sets reflectance, roughness and metal from ShininessExponent, SpecularFactor and
 * ReflectionFactor. */
void mrwi_import_read_principled(float exponent, float specular, float reflection,
                                 mrw_material *out);

/* ---- tree.c: the tree, and matrices ---------------------------------------------------------- */

mrw_mat4 mrwi_import_matrix(const struct aiMatrix4x4 *m);   /* makes it column-major */
bool mrwi_import_inverse(const mrw_mat4 *m, mrw_mat4 *out); /* affine; false if singular */
mrw_mat4 mrwi_import_rotation(const float x[3], const float y[3], const float z[3],
                              const float origin[3]);

/* Returns the first node of a name, or MRW_NONE. */
uint32_t mrwi_import_find(const mrwi_import_tree *tree, const char *name);
/* Finds all nodes of a name: names[*first] ... names[*first + result - 1]. */
uint32_t mrwi_import_find_all(const mrwi_import_tree *tree, const char *name, uint32_t *first);
/* Pushes a node whose local transform is in->matrix, its name without marks. */
bool mrwi_import_push_node(const mrwi_import_source *source, const mrwi_scene_node_input *in,
                           mrwi_import_resources *res, mrwi_scene_builder *builder,
                           uint32_t *index);
/* Makes the tree and pushes its nodes, with those that FBX's InheritType 2 needs. */
bool mrwi_import_push_tree(const mrwi_import_source *source, mrwi_import_resources *res,
                           mrwi_scene_builder *builder, mrwi_import_tree *out);

/* ---- fbx.c: what is special about FBX -------------------------------------------------------- */

/* Returns true for links of a pivot chain, "Name_$AssimpFbx$_PreRotation" and so on. */
bool mrwi_import_is_link(const char *name);
/* Returns the length of the model's name in that of a link; *kind is the rest, "PreRotation". For
 * other names returns the whole length, and *kind is NULL. */
size_t mrwi_import_model_name(const char *name, const char **kind);
/* Returns true if `link` is a link of the chain of `name`; *kind is the rest, "PreRotation". */
bool mrwi_import_link_of(const char *link, const char *name, const char **kind);
/* Reads axes and unit from the metadata, with warnings. Returns false, with nothing set, for other
 * formats. */
bool mrwi_import_fbx_axes(const mrwi_import_source *source, mrwi_scene_builder *builder,
                          float *unit, mrw_mat4 *out);
/* Multiplies the Geometric* links above a mesh node. Returns false if there are none. */
bool mrwi_import_fbx_geometric(const mrwi_import_tree *tree, uint32_t node, mrw_mat4 *out);
/* Lists in tree->unscales the nodes of InheritType 2 that need a helper. (*above)[node] is the
 * entry whose helper goes above that node, or MRW_NONE. */
bool mrwi_import_fbx_find_unscales(mrwi_import_tree *tree, mrwi_import_resources *res,
                                   uint32_t **above);
/* Pushes channels that assimp only implies in a clip: identity for the links of a chain whose node
 * has its own channel (F1), and the inverse of animated scales for the helpers (F3).
 * channel_of[node] is the clip's channel of that node or NULL. */
bool mrwi_import_fbx_push_implied(const mrwi_import_tree *tree,
                                  const struct aiNodeAnim *const *channel_of,
                                  double ticks_per_second, mrwi_import_resources *res,
                                  mrwi_scene_builder *builder);

/* ---- morphs.c: what moves the targets -------------------------------------------------------- */

/* Finds the weights of a node's targets when no clip moves them, in scratch memory. There are at
 * most as many as its meshes have targets. */
bool mrwi_import_rest_weights(const mrwi_import_source *source, const struct aiNode *node,
                              mrwi_import_resources *res, uint32_t *count, float **out);
bool mrwi_import_push_morph_channels(const mrwi_import_tree *tree, const struct aiAnimation *clip,
                                     double ticks_per_second, mrwi_import_resources *res,
                                     mrwi_scene_builder *builder);

/* ---- material.c, mesh.c, bones.c, views.c, anim.c -------------------------------------------- */

/* Pushes the materials. (*numbers)[material] is its index in the builder, or MRW_NONE. */
bool mrwi_import_push_materials(const mrwi_import_source *source, mrwi_import_resources *res,
                                mrwi_scene_builder *builder, uint32_t **numbers);
/* Pushes meshes with their skins and draws. *any: there are triangles. */
bool mrwi_import_push_meshes(const mrwi_import_tree *tree, const uint32_t *materials,
                             mrwi_import_resources *res, mrwi_scene_builder *builder, bool *any);
/* Pushes bones, for a file without triangles. */
bool mrwi_import_push_bones(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);
/* Pushes cameras and lights. */
bool mrwi_import_push_views(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);
bool mrwi_import_push_clips(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);

/* Keys of one kind for the builder, in scratch memory. */
typedef struct mrwi_import_keys {
    uint32_t count;
    double *times; /* seconds */
    float *values;
    mrwi_import_ends ends;
} mrwi_import_keys;
/* Allocates room for keys. */
bool mrwi_import_begin_keys(uint32_t count, uint32_t width, mrwi_import_resources *res,
                            mrwi_import_keys *out);
bool mrwi_import_vector_keys(const struct aiVectorKey *from, uint32_t count,
                             double ticks_per_second, mrwi_import_resources *res,
                             mrwi_import_keys *out);
/* Pushes LINEAR keys with a width of 3, 4 or a node's number of weights. */
bool mrwi_import_push_channel(uint32_t node, mrw_path path, uint32_t width,
                              const mrwi_import_keys *keys, mrwi_import_resources *res,
                              mrwi_scene_builder *builder);

#endif
