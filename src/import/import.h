/* import.h: the inside of the conversion of assimp's scene to ours.
 *
 * What assimp hands over is a tree of C arrays made from a stranger's file by code that is known to
 * go wrong: a count may stand beside a NULL array, an index past its end, a float that is no
 * number. Every stage checks what it reads; only the lengths of the arrays must be taken on trust.
 *
 * What is read, the source, does not change once assimp is done with the file, nor does the tree
 * once its nodes are pushed: the stages that follow get both to read. A stage that makes something
 * of them gets the resources for it, and one that adds to the scene, the builder.
 */
#ifndef MRWI_IMPORT_IMPORT_H
#define MRWI_IMPORT_IMPORT_H

#include "base/memory.h"
#include "import/fbx_bytes.h"
#include "import/mtl.h"
#include "import/polygons.h"
#include "import/visibility.h"
#include "load/reader.h"
#include "scene/builder.h"

#include <assimp/scene.h>

/* One node of the tree, parents first. */
typedef struct mrwi_import_node {
    const struct aiNode *source;
    const char *name;
    uint32_t parent;   /* index of an earlier node, or MRW_NONE */
    uint32_t pushed;   /* the builder's number of the node */
    uint32_t moved_by; /* the builder's node that takes its translation channels; == pushed unless
                          the node is of FBX's InheritType 2 */
    uint32_t weight_count;
    mrw_mat4 to_parent; /* as filed */
    mrw_mat4 to_root;   /* at rest, before axes and unit are applied */
} mrwi_import_node;

/* FBX, InheritType 2: a helper node between translation and rotation takes the parent's own scale
 * off again: L = T * inverse(S_parent) * R * S. */
typedef struct mrwi_import_unscale {
    uint32_t owner;       /* the node of InheritType 2 */
    uint32_t before;      /* the helper goes above this node: the owner or a link of its chain */
    uint32_t translation; /* the chain's ..._Translation link, or MRW_NONE */
    uint32_t parent;      /* node whose scale is undone */
    uint32_t parent_link; /* that node's ..._Scaling link, or MRW_NONE */
    float rest[3];        /* the parent's scale at rest, never 0 */
    uint32_t helper;      /* the builder's number of the helper */
} mrwi_import_unscale;

typedef struct mrwi_import_name {
    const char *name;
    uint32_t node;
} mrwi_import_name;

/* Which colours are encoded as sRGB; the others are linear. */
typedef struct mrwi_import_colors {
    bool materials_srgb; /* and lights */
    bool vertices_srgb;
} mrwi_import_colors;

/* What assimp made of a file. */
typedef struct mrwi_import_source {
    const mrwi_load_read_job *job;
    const struct aiScene *scene;
    bool is_fbx;
    mrwi_import_fbx_sliders sliders;   /* of an FBX file's blend shapes */
    mrwi_import_beyond beyond;         /* channels of an FBX or Collada file that go on */
    mrwi_import_visibility visibility; /* of an FBX or Collada file */
    mrwi_import_mtl mtl;               /* of an OBJ file */
    mrwi_import_colors colors;
    mrwi_import_polygons polygons; /* polygons that assimp has not cut */
} mrwi_import_source;

/* The nodes of a source, looked up by name, and how they lie in the world. */
typedef struct mrwi_import_tree {
    const mrwi_import_source *source;
    mrwi_import_node *nodes;
    uint32_t node_count;
    mrwi_import_name *names; /* sorted by name, then node */
    mrwi_import_unscale *unscales;
    uint32_t unscale_count;
    uint32_t axes; /* the builder's node above the tree, or MRW_NONE */
    float unit;    /* what one unit of the tree becomes in the world */
} mrwi_import_tree;

/* What converting takes, memory and a share of the job's limits, and whether it failed. */
typedef struct mrwi_import_resources {
    const mrwi_load_read_job *job;
    uint64_t elements_left;  /* of def->max_elements */
    mrwi_base_arena keep;    /* lives as long as the conversion */
    mrwi_base_arena scratch; /* of one mesh or channel */
    mrw_status status;
    mrw_error *error;
} mrwi_import_resources;

/* ---- import.c: the reader; failing, memory, small readers ------------------------------------ */

/* Reads any format assimp reads. Runs in the import helper, or in the process with no_sandbox. */
mrw_status mrwi_import_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error);

/* Sets the status; the message begins with the file's name. Returns false. */
bool mrwi_import_fail(mrwi_import_resources *res, const char *format, ...) MRW_PRINTF(2, 3);
/* Takes over the status of a builder call; true when it is MRW_OK. */
bool mrwi_import_ok(mrwi_import_resources *res, mrw_status status);
/* Arena memory, zeroed; NULL with the status set. */
void *mrwi_import_keep(mrwi_import_resources *res, uint64_t count, size_t size);
void *mrwi_import_scratch(mrwi_import_resources *res, uint64_t count, size_t size);
/* Counts elements against the limit. */
bool mrwi_import_charge(mrwi_import_resources *res, uint64_t count);
/* The text of a string, "" when it is not terminated. */
const char *mrwi_import_text(const struct aiString *string);
/* The name as the file has it: without marks. "" when out of memory, with the status set. */
const char *mrwi_import_unmarked(const mrwi_import_source *source, const char *name,
                                 mrwi_import_resources *res);
/* A number of any type from metadata (NULL allowed). */
bool mrwi_import_number(const struct aiMetadata *metadata, const char *key, double *out);
/* A text from metadata (NULL allowed); "" when there is none. */
const char *mrwi_import_word(const struct aiMetadata *metadata, const char *key);

/* ---- colors.c: what colours are encoded as --------------------------------------------------- */

/* And tells job->def->detail of it, where there are some. */
mrwi_import_colors mrwi_import_find_colors(const mrwi_import_source *source);
/* Three numbers from 0 to 1, or above, to linear ones, in place. */
void mrwi_import_decode_color(float color[3]);

/* ---- tree.c: the tree, and matrices ---------------------------------------------------------- */

mrw_mat4 mrwi_import_matrix(const struct aiMatrix4x4 *m);   /* to column-major */
bool mrwi_import_inverse(const mrw_mat4 *m, mrw_mat4 *out); /* affine; false when singular */
mrw_mat4 mrwi_import_rotation(const float x[3], const float y[3], const float z[3],
                              const float origin[3]);

/* The first node of a name, or MRW_NONE. */
uint32_t mrwi_import_find(const mrwi_import_tree *tree, const char *name);
/* All nodes of a name: names[*first] ... names[*first + result - 1]. */
uint32_t mrwi_import_find_all(const mrwi_import_tree *tree, const char *name, uint32_t *first);
/* Gives a node whose local transform is in->matrix to the builder, its name without marks. */
bool mrwi_import_push_node(const mrwi_import_source *source, const mrwi_scene_node_input *in,
                           mrwi_import_resources *res, mrwi_scene_builder *builder,
                           uint32_t *index);
/* Makes the tree and gives its nodes to the builder, with those that FBX's InheritType 2 needs. */
bool mrwi_import_push_tree(const mrwi_import_source *source, mrwi_import_resources *res,
                           mrwi_scene_builder *builder, mrwi_import_tree *out);

/* ---- fbx.c: what is special about FBX -------------------------------------------------------- */

/* True for the links of a pivot chain, "Name_$AssimpFbx$_PreRotation" and so on. */
bool mrwi_import_is_link(const char *name);
/* The length of the model's name in that of a link, whose *kind is what follows, "PreRotation"; of
 * all else the whole length, and *kind NULL. */
size_t mrwi_import_model_name(const char *name, const char **kind);
/* True when `link` is a link of the chain of `name`; *kind is what follows, "PreRotation". */
bool mrwi_import_link_of(const char *link, const char *name, const char **kind);
/* From axes and unit in the metadata, with warnings; false, with nothing set, for other formats. */
bool mrwi_import_fbx_axes(const mrwi_import_source *source, mrwi_scene_builder *builder,
                          float *unit, mrw_mat4 *out);
/* Product of the Geometric* links above a mesh node; false when there are none. */
bool mrwi_import_fbx_geometric(const mrwi_import_tree *tree, uint32_t node, mrw_mat4 *out);
/* Lists in tree->unscales the nodes of InheritType 2 that need a helper. (*above)[node] is the
 * entry whose helper goes above that node, or MRW_NONE. */
bool mrwi_import_fbx_find_unscales(mrwi_import_tree *tree, mrwi_import_resources *res,
                                   uint32_t **above);
/* Channels of a clip that assimp leaves to be understood: identity for the links of a chain whose
 * node has a channel of its own (F1), and the inverse of animated scales for the helpers (F3).
 * channel_of[node] is the clip's channel of that node or NULL. */
bool mrwi_import_fbx_push_implied(const mrwi_import_tree *tree,
                                  const struct aiNodeAnim *const *channel_of,
                                  double ticks_per_second, mrwi_import_resources *res,
                                  mrwi_scene_builder *builder);

/* ---- morphs.c: what moves the targets -------------------------------------------------------- */

/* The weights of a node's targets when no clip moves them, as many as its meshes have targets at
 * most; in scratch memory. */
bool mrwi_import_rest_weights(const mrwi_import_source *source, const struct aiNode *node,
                              mrwi_import_resources *res, uint32_t *count, float **out);
bool mrwi_import_push_morph_channels(const mrwi_import_tree *tree, const struct aiAnimation *clip,
                                     double ticks_per_second, mrwi_import_resources *res,
                                     mrwi_scene_builder *builder);

/* ---- material.c, mesh.c, bones.c, views.c, anim.c -------------------------------------------- */

/* (*numbers)[material] is the builder's number of it, or MRW_NONE. */
bool mrwi_import_push_materials(const mrwi_import_source *source, mrwi_import_resources *res,
                                mrwi_scene_builder *builder, uint32_t **numbers);
/* And skins and draws. *any: there are triangles. */
bool mrwi_import_push_meshes(const mrwi_import_tree *tree, const uint32_t *materials,
                             mrwi_import_resources *res, mrwi_scene_builder *builder, bool *any);
/* For a file without triangles. */
bool mrwi_import_push_bones(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);
/* Cameras and lights. */
bool mrwi_import_push_views(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);
bool mrwi_import_push_clips(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder);

/* Keys of one kind as the builder takes them, in scratch memory. */
typedef struct mrwi_import_keys {
    uint32_t count;
    double *times; /* seconds */
    float *values;
    mrwi_import_ends ends;
} mrwi_import_keys;
/* Room for keys. */
bool mrwi_import_begin_keys(uint32_t count, uint32_t width, mrwi_import_resources *res,
                            mrwi_import_keys *out);
bool mrwi_import_vector_keys(const struct aiVectorKey *from, uint32_t count,
                             double ticks_per_second, mrwi_import_resources *res,
                             mrwi_import_keys *out);
/* Pushes keys of a width of 3, 4 or a node's weights, LINEAR. */
bool mrwi_import_push_channel(uint32_t node, mrw_path path, uint32_t width,
                              const mrwi_import_keys *keys, mrwi_import_resources *res,
                              mrwi_scene_builder *builder);

#endif
