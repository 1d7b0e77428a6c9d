/* builder.h: how a loader makes a scene.
 *
 * A loader pushes what it found, in any order and in loose form; mrwi_scene_builder_finish makes
 * the invariants of scene.h true (sorts nodes, remaps, normalises, dedupes), validates, hashes and
 * freezes everything into one blob. All functions report out of memory and limits through `error`.
 * An error is final: the builder is then good for nothing but mrwi_scene_builder_free. Names are
 * any bytes up to the NUL, of which the first 4096 are kept; messages show them escaped.
 */
#ifndef MRWI_SCENE_BUILDER_H
#define MRWI_SCENE_BUILDER_H

#include "marrow/scene.h"

typedef struct mrwi_scene_builder mrwi_scene_builder;

/* file_name stands in messages. */
mrw_status mrwi_scene_builder_create(const char *file_name, const char *format,
                                     mrwi_scene_builder **out, mrw_error *error);
void mrwi_scene_builder_free(mrwi_scene_builder *builder); /* NULL allowed */

/* What a scene may hold: of all its meshes, skins and clips together, as pushed. Without a call
 * there is no limit but that of an index. */
typedef struct mrwi_scene_limits {
    uint64_t vertices, joints, keys;
} mrwi_scene_limits;
void mrwi_scene_builder_limit(mrwi_scene_builder *builder, const mrwi_scene_limits *limits);

/* One line about something repaired or left out; kept in the scene, escaped, each text once. After
 * 200 they are only counted. */
void mrwi_scene_builder_warn(mrwi_scene_builder *builder, const char *format, ...) MRW_PRINTF(2, 3);

/* ---- nodes: numbered by the loader in push order; parents may come later --------------------- */
typedef struct mrwi_scene_node_input {
    const char *name; /* NULL: empty */
    uint32_t parent;  /* push index, or MRW_NONE */
    bool is_matrix;   /* matrix is the local transform; else rest */
    mrw_mat4 matrix;
    mrw_transform rest;   /* rotation is normalised by the builder (zero: identity, warned) */
    const float *weights; /* default morph weights, copied */
    uint32_t weight_count;
    uint32_t flags; /* MRW_NODE_... */
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

/* A mesh as the file has it; arrays are borrowed for the call. The builder checks indices and
 * floats, keeps triangles without area (they count for boxes), computes missing normals, and
 * missing tangents where a map that is drawn needs them (MRW_MATERIAL_MAPS), welds vertices equal
 * in every attribute (bit for bit, by a hash; -0 counts as 0), drops unused ones, sorts, cleans and
 * normalises influences, groups vertices by influence count. Triangle order is kept. */
typedef struct mrwi_scene_mesh_input {
    const char *name;
    uint32_t material; /* index from mrwi_scene_builder_material, or MRW_NONE */
    uint32_t vertex_count;
    const uint32_t *indices; /* NULL: 0, 1, 2, ... */
    uint32_t index_count;    /* of a triangle list, a multiple of 3 */
    const float *positions;  /* float[3] */
    const float *normals;    /* float[3] or NULL */
    bool flat_normals;       /* when missing: flat (glTF) instead of smooth by position and angle */
    bool shows_bones;        /* MRW_MESH_BONES */
    const float *tangents;   /* float[4] or NULL */
    bool tangents_if_drawn;  /* they are taken, and take part in welding, only where a map that is
                                drawn needs them (MRW_MATERIAL_MAPS) */
    const float *uvs[2];     /* float[2] or NULL */
    const float *colors;     /* float[4] or NULL */
    uint32_t influence_count; /* slots a vertex; unused ones have weight 0 */
    const uint32_t *joints;   /* vertex_count * influence_count, into the skin's joints */
    const float *weights;
    uint32_t joint_limit; /* joints of the skin(s) it is drawn with: indices must be smaller */
    const mrwi_scene_target_input *targets;
    uint32_t target_count;
} mrwi_scene_mesh_input;
mrw_status mrwi_scene_builder_mesh(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                                   uint32_t *index, mrw_error *error);

/* The indices are checked when finishing. A mesh with influences may be drawn without a skin: it
 * then follows its node (the builder makes a rigid copy where it is also drawn skinned). Draws of
 * meshes without triangles are left out. A node gets zero weights for the targets it has none for.
 */
mrw_status mrwi_scene_builder_draw(mrwi_scene_builder *b, uint32_t node, uint32_t mesh,
                                   uint32_t skin, mrw_error *error);

/* nodes: push indices; geometry_to_joint NULL means identities. Both copied. */
mrw_status mrwi_scene_builder_skin(mrwi_scene_builder *b, const char *name, const uint32_t *nodes,
                                   const mrw_mat4 *geometry_to_joint, uint32_t joint_count,
                                   uint32_t *index, mrw_error *error);

/* Bones for a file without triangles: `count` octahedra, one a node, which moves it; offsets as of
 * mrwi_scene_builder_skin; positions as mrwi_scene_place_bone writes them, bone after bone. */
#define MRWI_SCENE_BONE_VERTICES 6
#define MRWI_SCENE_BONE_INDICES  24
mrw_status mrwi_scene_builder_bones(mrwi_scene_builder *b, const uint32_t *nodes,
                                    const mrw_mat4 *offsets, const float *positions, uint32_t count,
                                    mrw_error *error);
/* MRWI_SCENE_BONE_VERTICES points; head and tail differ. */
void mrwi_scene_place_bone(const float *head, const float *tail, float *out);

/* ---- clips: channels go to the clip begun last ----------------------------------------------- */
mrw_status mrwi_scene_builder_clip(mrwi_scene_builder *b, const char *full_name, double start,
                                   mrw_error *error);
/* Keys are sorted, deduplicated (the later wins), cleaned of non-finite ones with a warning;
 * LINEAR and STEP rotations normalised, LINEAR ones sign-aligned. More weights than the node has
 * are cut with a warning, fewer leave the channel out. times are the file's own; the clip's start
 * is subtracted. Copied. Only one channel per node and path of a clip: later ones are dropped with
 * a warning. A clip's duration is its last key's time. */
typedef struct mrwi_scene_channel_input {
    uint32_t node; /* push index */
    mrw_path path;
    mrw_interpolation interpolation;
    uint32_t width;
    uint32_t key_count;
    const double *times;
    const float *values; /* key_count * width, or * 3 for CUBICSPLINE */
    /* mrw_extrapolation and cycles; they hold where a single key is left */
    uint16_t before, after, before_cycles, after_cycles;
} mrwi_scene_channel_input;
mrw_status mrwi_scene_builder_channel(mrwi_scene_builder *b, const mrwi_scene_channel_input *in,
                                      mrw_error *error);

/* Animates a property of a material, which must have been given to
 * mrwi_scene_builder_animated_material. Of `in`, node, path, width, before and after are ignored:
 * the property gives the width. The first channel of a property counts. *first is the time of the
 * first key, from the clip's start; NaN if no key is left. */
typedef struct mrwi_scene_material_target {
    uint32_t material; /* index from the builder */
    mrw_map map;       /* that the property belongs to */
    mrw_material_property property;
} mrwi_scene_material_target;
mrw_status mrwi_scene_builder_material_channel(mrwi_scene_builder *b,
                                               const mrwi_scene_material_target *target,
                                               const mrwi_scene_channel_input *in, double *first,
                                               mrw_error *error);

/* ---- materials; index fields inside refer to earlier pushes; names are given apart ----------- */
typedef struct mrwi_scene_image_input {
    const char *name;
    const char *path; /* as written; NULL when embedded */
    uint32_t width, height;
    const uint8_t *rgba; /* copied; NULL: the builder makes the visible checker and sets MISSING */
    bool unseen;         /* no texels, only the names: MRW_IMAGE_UNSEEN, unless
                            mrwi_scene_builder_texels follows; no draw may show it then */
} mrwi_scene_image_input;
mrw_status mrwi_scene_builder_image(mrwi_scene_builder *b, const mrwi_scene_image_input *in,
                                    uint32_t *index, mrw_error *error);

/* The texels of an unseen image, which may come late: its index, and those of textures and
 * materials, stay until mrwi_scene_builder_finish makes equal ones one. */
typedef struct mrwi_scene_texels {
    uint32_t width, height;
    uint8_t *rgba;    /* a block of mrwi_base_alloc, the builder's from now on, also when the call
                         fails;    NULL: the checker, but for: */
    bool undecoded;   /* only width, height and alpha: MRW_IMAGE_UNDECODED */
    uint8_t *opacity; /* as rgba; undecoded: the alpha of the texels, width * height, for
                         MRWI_SCENE_ALPHA_BY_TEXELS; NULL: opaque, or nobody asks */
    bool deep;        /* rgba is longer, as MRW_IMAGE_DEEP says */
    bool joined;      /* set by mrwi_scene_builder_texels: there was an image with this hash */
    uint8_t hash[32]; /* SHA-256 of the image's bytes; all zero where there are none */
    bool alpha; /* set by mrwi_scene_texels_find, in any thread, as the hash of an image that has no
                   bytes but these texels; undecoded: some may be not opaque */
} mrwi_scene_texels;
void mrwi_scene_texels_find(mrwi_scene_texels *texels);
mrw_status mrwi_scene_builder_texels(mrwi_scene_builder *b, uint32_t image,
                                     mrwi_scene_texels *texels, mrw_error *error);
/* In place of a mrw_alpha_mode, what the alpha of the base texture makes of it: see alpha.c. */
#define MRWI_SCENE_ALPHA_BY_TEXELS 3u
/* From now on texture coordinates are turned upside down, and triangles around, with what is
 * computed of them; normals of a file are turned with its triangles where they agree with them. */
void mrwi_scene_builder_flip(mrwi_scene_builder *b, bool v, bool winding);
/* From now on materials show no texture. */
void mrwi_scene_builder_hide_textures(mrwi_scene_builder *b);
/* What has no material of a file's, and no highlights: white, MRW_MATERIAL_CLASSIC. */
mrw_material mrwi_scene_matt(void);
/* in->name is ignored in these four; equal entries share an index (images whose hash is equal,
 * too: the first one's name and path stay). Numbers of materials that are out of range are brought
 * into it, with a warning; cameras and lights with such are left out, with a warning. */
mrw_status mrwi_scene_builder_texture(mrwi_scene_builder *b, const char *name,
                                      const mrw_texture *in, uint32_t *index, mrw_error *error);
mrw_status mrwi_scene_builder_material(mrwi_scene_builder *b, const char *name,
                                       const mrw_material *in, uint32_t *index, mrw_error *error);
/* The same for a material that clips animate: it keeps an index of its own. */
mrw_status mrwi_scene_builder_animated_material(mrwi_scene_builder *b, const char *name,
                                                const mrw_material *in, uint32_t *index,
                                                mrw_error *error);
/* Whether a map of a material that was given (or MRW_NONE) that is drawn is on a set of texture
 * coordinates. */
bool mrwi_scene_builder_shows_uvs(const mrwi_scene_builder *b, uint32_t material, uint32_t set);
mrw_status mrwi_scene_builder_camera(mrwi_scene_builder *b, const char *name,
                                     const mrw_scene_camera *in, mrw_error *error);
mrw_status mrwi_scene_builder_light(mrwi_scene_builder *b, const char *name,
                                    const mrw_scene_light *in, mrw_error *error);

/* Freezes. The builder is used up either way (still to be freed). */
mrw_status mrwi_scene_builder_finish(mrwi_scene_builder *builder, mrw_scene **out,
                                     mrw_error *error);

/* ---- blobs ----------------------------------------------------------------------------------- */
/* Makes a scene of a blob (format of scene/blob.c) after checking every offset, count, index and
 * float as if an enemy had written it. Takes ownership of blob (mrwi_base_alloc) on success. */
mrw_status mrwi_scene_from_blob(void *blob, uint64_t size, const char *file_name, mrw_scene **out,
                                mrw_error *error);

#endif
