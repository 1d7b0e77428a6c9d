/* builder.h: the interface with which a loader makes a scene.
 *
 * A loader pushes the parts of a file, in any order and in loose form. mrwi_scene_builder_finish
 * makes the invariants of scene.h true (sorts nodes, remaps, normalises, dedupes), validates,
 * hashes and freezes everything into one blob. All functions report limits and lack of memory
 * through `error`. An error is final: afterwards only mrwi_scene_builder_free may be called. Names
 * are any bytes up to the NUL, of which the first 4096 are kept; messages show them escaped. */
#ifndef MRWI_SCENE_BUILDER_H
#define MRWI_SCENE_BUILDER_H

#include "marrow/scene.h"

typedef struct mrwi_scene_builder mrwi_scene_builder;

/* Creates a builder. Messages contain file_name. */
mrw_status mrwi_scene_builder_create(const char *file_name, const char *format,
                                     mrwi_scene_builder **out, mrw_error *error);
void mrwi_scene_builder_free(mrwi_scene_builder *builder); /* NULL allowed */

/* Limits of a scene: for all its meshes, skins and clips together, as pushed. Without a call the
 * only limit is that of an index. */
typedef struct mrwi_scene_limits {
    uint64_t vertices, joints, keys;
} mrwi_scene_limits;
void mrwi_scene_builder_limit(mrwi_scene_builder *builder, const mrwi_scene_limits *limits);

/* Adds a line about something repaired or left out. It is kept in the scene, escaped, each text
 * once. After 200 warnings they are only counted. */
void mrwi_scene_builder_warn(mrwi_scene_builder *builder, const char *format, ...) MRW_PRINTF(2, 3);

/* ---- nodes: numbered by the loader in push order; parents may come later --------------------- */
typedef struct mrwi_scene_node_input {
    const char *name; /* NULL stands for an empty name */
    uint32_t parent;  /* push index, or MRW_NONE */
    bool is_matrix;   /* true if `matrix` is the local transform, else `rest` is */
    mrw_mat4 matrix;
    mrw_transform rest;   /* the builder normalises the rotation (zero: identity, with a warning) */
    const float *weights; /* default morph weights, copied */
    uint32_t weight_count;
    uint32_t flags; /* bits of MRW_NODE_... */
} mrwi_scene_node_input;
mrw_status mrwi_scene_builder_node(mrwi_scene_builder *b, const mrwi_scene_node_input *in,
                                   uint32_t *index, mrw_error *error);

/* ---- meshes ---------------------------------------------------------------------------------- */
typedef struct mrwi_scene_target_input {
    const char *name;
    const float *positions; /* vertex_count float[3] differences, or NULL */
    const float *normals;   /* differences, or NULL */
    const float *tangents;  /* float[3] differences, or NULL */
} mrwi_scene_target_input;

/* A mesh of the file; arrays are borrowed for the call. The builder checks indices and floats,
 * keeps triangles without area (they count for boxes), computes missing normals, and missing
 * tangents if a map that is drawn needs them (MRW_MATERIAL_MAPS), welds vertices equal in every
 * attribute (bit for bit, by a hash; -0 counts as 0), drops unused ones, sorts, cleans and
 * normalises influences, and groups vertices by influence count. Triangle order is kept. */
typedef struct mrwi_scene_mesh_input {
    const char *name;
    uint32_t material; /* index from mrwi_scene_builder_material, or MRW_NONE */
    uint32_t vertex_count;
    const uint32_t *indices; /* NULL stands for 0, 1, 2, ... */
    uint32_t index_count;    /* length of the triangle list, a multiple of 3 */
    const float *positions;  /* float[3] */
    const float *normals;    /* float[3] or NULL */
    /* if normals are missing: flat ones (glTF) instead of smooth ones by position and angle */
    bool flat_normals;
    bool shows_bones;      /* MRW_MESH_BONES */
    const float *tangents; /* float[4] or NULL */
    /* true if the tangents are used, and compared by welding, only if a map that is drawn needs
     * them (MRW_MATERIAL_MAPS) */
    bool tangents_if_drawn;
    const float *uvs[2];      /* float[2] or NULL */
    const float *colors;      /* float[4] or NULL */
    uint32_t influence_count; /* slots per vertex; unused ones have weight 0 */
    const uint32_t *joints;   /* vertex_count * influence_count, into the skin's joints */
    const float *weights;
    /* indices must be smaller: number of joints of the skin(s) it is drawn with */
    uint32_t joint_limit;
    const mrwi_scene_target_input *targets;
    uint32_t target_count;
} mrwi_scene_mesh_input;
mrw_status mrwi_scene_builder_mesh(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                                   uint32_t *index, mrw_error *error);

/* Draws a mesh at a node. Indices are checked when finishing. A mesh with influences may be drawn
 * without a skin: it then follows its node (the builder makes a rigid copy if it is also drawn
 * skinned). Draws of meshes without triangles are left out. A node gets zero weights for targets
 * without one. */
mrw_status mrwi_scene_builder_draw(mrwi_scene_builder *b, uint32_t node, uint32_t mesh,
                                   uint32_t skin, mrw_error *error);

/* Adds a skin. nodes: push indices; geometry_to_joint NULL stands for identities. Both are
 * copied. */
mrw_status mrwi_scene_builder_skin(mrwi_scene_builder *b, const char *name, const uint32_t *nodes,
                                   const mrw_mat4 *geometry_to_joint, uint32_t joint_count,
                                   uint32_t *index, mrw_error *error);

/* Adds bones for a file without triangles: `count` octahedra, each moved by its node. Offsets are
 * those of mrwi_scene_builder_skin; positions are as mrwi_scene_place_bone writes them, bone after
 * bone. */
#define MRWI_SCENE_BONE_VERTICES 6
#define MRWI_SCENE_BONE_INDICES  24
mrw_status mrwi_scene_builder_bones(mrwi_scene_builder *b, const uint32_t *nodes,
                                    const mrw_mat4 *offsets, const float *positions, uint32_t count,
                                    mrw_error *error);
/* Writes MRWI_SCENE_BONE_VERTICES points. Head and tail must differ. */
void mrwi_scene_place_bone(const float *head, const float *tail, float *out);

/* ---- clips: channels go to the clip begun last ----------------------------------------------- */
mrw_status mrwi_scene_builder_clip(mrwi_scene_builder *b, const char *full_name, double start,
                                   mrw_error *error);
/* The keys of a channel. They are sorted, deduplicated (the later one wins), and cleaned of
 * non-finite ones with a warning; LINEAR and STEP rotations are normalised, LINEAR ones
 * sign-aligned. More weights than the node has are cut with a warning; with fewer the channel is
 * left out. times are the file's own; the clip's start is subtracted. Everything is copied. A clip
 * has one channel per node and path: later ones are dropped with a warning. A clip's duration is
 * its last key's time. */
typedef struct mrwi_scene_channel_input {
    uint32_t node; /* push index of the node */
    mrw_path path;
    mrw_interpolation interpolation;
    uint32_t width;
    uint32_t key_count;
    const double *times;
    const float *values; /* key_count * width, or * 3 for CUBICSPLINE */
    /* mrw_extrapolation and cycles; a channel with a single key holds */
    uint16_t before, after, before_cycles, after_cycles;
} mrwi_scene_channel_input;
mrw_status mrwi_scene_builder_channel(mrwi_scene_builder *b, const mrwi_scene_channel_input *in,
                                      mrw_error *error);

/* Animates a property of a material, which must have been given to
 * mrwi_scene_builder_animated_material. In `in`, node, path, width, before and after are ignored:
 * the property gives the width. The first channel of a property counts. *first is the time of the
 * first key, from the clip's start; NaN if no key is left. */
typedef struct mrwi_scene_material_target {
    uint32_t material; /* index of the material in the builder */
    mrw_map map;       /* the map that has the property */
    mrw_material_property property;
} mrwi_scene_material_target;
mrw_status mrwi_scene_builder_material_channel(mrwi_scene_builder *b,
                                               const mrwi_scene_material_target *target,
                                               const mrwi_scene_channel_input *in, double *first,
                                               mrw_error *error);

/* ---- materials; index fields inside refer to earlier pushes; names are given apart ----------- */
typedef struct mrwi_scene_image_input {
    const char *name;
    const char *path; /* path in the file; NULL when embedded */
    uint32_t width, height;
    const uint8_t *rgba; /* copied; NULL: the builder makes the visible checker and sets MISSING */
    /* True for an image without texels, only with names: MRW_IMAGE_UNSEEN, unless
     * mrwi_scene_builder_texels follows. No draw may show it then. */
    bool unseen;
} mrwi_scene_image_input;
mrw_status mrwi_scene_builder_image(mrwi_scene_builder *b, const mrwi_scene_image_input *in,
                                    uint32_t *index, mrw_error *error);

/* The texels of an unseen image, which may come late: its index, and those of textures and
 * materials, do not change until mrwi_scene_builder_finish merges equal ones. */
typedef struct mrwi_scene_texels {
    uint32_t width, height;
    /* A block of mrwi_base_alloc, which the builder owns from now on, also if the call fails. NULL
     * stands for the checker, unless: */
    uint8_t *rgba;
    bool undecoded; /* true for only width, height and alpha: MRW_IMAGE_UNDECODED */
    /* A block like rgba. For undecoded texels: their alpha, width * height, for
     * MRWI_SCENE_ALPHA_BY_TEXELS; NULL if opaque or not needed. */
    uint8_t *opacity;
    bool deep;        /* true if rgba is longer, as MRW_IMAGE_DEEP says */
    bool encoded;     /* true if rgba is what MRW_IMAGE_ENCODED says */
    bool joined;      /* set by mrwi_scene_builder_texels: there was an image with this hash */
    uint8_t hash[32]; /* SHA-256 of the image's bytes; zeros if there are none */
    /* Set by mrwi_scene_texels_find, in any thread, like the hash of an image that has no bytes but
     * these texels. If undecoded: some texels may not be opaque. */
    bool alpha;
} mrwi_scene_texels;
void mrwi_scene_texels_find(mrwi_scene_texels *texels);
mrw_status mrwi_scene_builder_texels(mrwi_scene_builder *b, uint32_t image,
                                     mrwi_scene_texels *texels, mrw_error *error);
/* Stands for a mrw_alpha_mode: the alpha of the base texture decides, see alpha.c. */
#define MRWI_SCENE_ALPHA_BY_TEXELS 3u
/* Flips texture coordinates, or the winding of triangles, from now on, with everything computed
 * from them. Normals of a file are turned with its triangles if they agree with them. */
void mrwi_scene_builder_flip(mrwi_scene_builder *b, bool v, bool winding);
/* Hides all textures of materials from now on. */
void mrwi_scene_builder_hide_textures(mrwi_scene_builder *b);
/* Returns the material of things without one: no highlights, white, MRW_MATERIAL_CLASSIC. */
mrw_material mrwi_scene_matt(void);
/* Add entries. These four ignore in->name, and equal entries share an index (also images whose hash
 * is equal: the first one's name and path stay). Numbers of materials that are out of range are
 * clamped, with a warning; cameras and lights with such numbers are left out, with a warning. */
mrw_status mrwi_scene_builder_texture(mrwi_scene_builder *b, const char *name,
                                      const mrw_texture *in, uint32_t *index, mrw_error *error);
mrw_status mrwi_scene_builder_material(mrwi_scene_builder *b, const char *name,
                                       const mrw_material *in, uint32_t *index, mrw_error *error);
/* Adds a material that clips animate: it keeps its own index. */
mrw_status mrwi_scene_builder_animated_material(mrwi_scene_builder *b, const char *name,
                                                const mrw_material *in, uint32_t *index,
                                                mrw_error *error);
/* Returns true if a drawn map of a given material (or MRW_NONE) uses a set of texture
 * coordinates. */
bool mrwi_scene_builder_shows_uvs(const mrwi_scene_builder *b, uint32_t material, uint32_t set);
mrw_status mrwi_scene_builder_camera(mrwi_scene_builder *b, const char *name,
                                     const mrw_scene_camera *in, mrw_error *error);
mrw_status mrwi_scene_builder_light(mrwi_scene_builder *b, const char *name,
                                    const mrw_scene_light *in, mrw_error *error);

/* Freezes the scene. The builder is used up in any case, and must still be freed. */
mrw_status mrwi_scene_builder_finish(mrwi_scene_builder *builder, mrw_scene **out,
                                     mrw_error *error);

/* ---- blobs ----------------------------------------------------------------------------------- */
/* Makes a scene of a blob (format of scene/blob.c) after checking every offset, count, index and
 * float as if an attacker had written it. Takes ownership of blob (mrwi_base_alloc) on success. */
mrw_status mrwi_scene_from_blob(void *blob, uint64_t size, const char *file_name, mrw_scene **out,
                                mrw_error *error);

#endif
