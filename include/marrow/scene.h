/* scene.h: a loaded model: immutable, flat, index-based.
 *
 * A scene is one block of memory (the blob) and a struct of pointers into it. Everything refers to
 * everything else by index; names are offsets into one pool of NUL-terminated UTF-8 strings (they
 * may repeat and may be empty). A caller may walk all arrays; nothing in them changes after
 * loading, so any number of threads may read one scene. It is made by load.h or by
 * mrw_scene_add_clips (clips.h), belongs to the caller and is freed as a whole by mrw_scene_free.
 *
 * The data model is that of glTF 2.0, whose sections are cited; what other formats hold is brought
 * into it. Spaces: a node's local transform leads from the node to its parent, and a root's parent
 * is the world (right-handed, Y up, metres where the file says its unit). A mesh has a space of its
 * own, which without a skin is that of its node. Vectors are columns, matrices column-major.
 *
 * Indices count elements of the array they lead to: entry i of positions, three floats each, is
 * positions[3 * i]. Fields called `name` are offsets into strings.
 *
 * Invariants, made when the scene is built and checked in one place (scene/validate.c):
 * - nodes are sorted parents first: nodes[i].parent < i or MRW_NONE;
 * - every index is in range and every float finite;
 * - influences of a vertex are sorted by descending weight (ties by joint), positive, sum to one;
 *   vertices without influences follow their node;
 * - keys strictly increase; LINEAR rotation keys are unit quaternions, each within 90 degrees of
 *   arc of its predecessor (dot >= 0);
 * - identical images, textures and materials are stored once; padding is zero;
 * - each array starts at a multiple of 64 bytes and is followed by at least 64 readable bytes.
 */
#ifndef MARROW_SCENE_H
#define MARROW_SCENE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A node of the tree (glTF 2.0, 3.5.2, 3.5.3). */
typedef struct mrw_node {
    uint32_t name;
    /* Index of a smaller node, or MRW_NONE for a root. */
    uint32_t parent;
    /* Index into matrices, or MRW_NONE: the node's local transform as filed. It stands for `rest`
     * in every clip that does not animate the node. Affine: its last row is 0 0 0 1. */
    uint32_t matrix;
    /* The node's morph weights at rest: weights[first_weight ...], of any size and sign.
     * weight_count is 0 when its meshes have no morph targets. */
    uint32_t first_weight;
    uint32_t weight_count;
    /* Local transform as filed (decomposed when it was a matrix): T * R * S, node to parent. The
     * rotation is a unit quaternion x, y, z, w. */
    mrw_transform rest;
    /* MRW_NODE_... */
    uint32_t flags;
} mrw_node;

/* Where no clip says otherwise, nothing is drawn of this node and of what lies below it,
 * and no light of theirs shines (KHR_node_visibility). It moves as if it were shown: what a skin
 * makes of its joints is hidden by the node of the mesh alone. */
#define MRW_NODE_HIDDEN 1u
/* What hides the nodes above does not hide this one (VisibilityInheritance of FBX). */
#define MRW_NODE_OWN_VISIBILITY 2u
/* Nothing is drawn of the node itself, whatever clips say; what lies below it is (Show of FBX). */
#define MRW_NODE_NOT_SHOWN 4u

/* One mesh under one node: what is drawn, in draw order. A node may have several. */
typedef struct mrw_draw {
    /* Also owner of the morph weights: it has at least as many as the mesh has targets. */
    uint32_t node;
    uint32_t mesh;
    /* MRW_NONE: rigid, drawn with the node's own matrix. With a skin the node's matrix is ignored
     * (glTF 2.0, 3.7.3.2). */
    uint32_t skin;
} mrw_draw;

/* ---- Meshes ---------------------------------------------------------------------------------- */

/* A triangle mesh with one material (a primitive of glTF 2.0, 3.7.2). Each attribute is a run of
 * vertex_count elements in its pool, starting at the index given; MRW_NONE where the mesh lacks it.
 * Everything is in mesh space; runs are tight, without a stride. */
typedef struct mrw_mesh {
    uint32_t name;
    /* MRW_NONE: mrw_material_default. */
    uint32_t material;
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* 3 * triangle_count entries of indices, each below vertex_count: numbers of the mesh's own
     * vertices. Counter-clockwise triangles face front. */
    uint32_t first_index;
    /* positions: float[3]. Always present. */
    uint32_t position;
    /* normals: float[3], unit. Always present. */
    uint32_t normal;
    /* tangents: float[4], unit xyz, w = +1 or -1: sign of the bitangent, cross(normal, xyz) * w.
     * Those of the file; where it has none and a map that is drawn needs them, computed as
     * MikkTSpace does, for the texture coordinates of the first such map, transformed. */
    uint32_t tangent;
    /* uvs: float[2], two sets; 0, 0 is the top left of a picture. */
    uint32_t uv[2];
    /* colors: float[4], linear RGBA, straight alpha. */
    uint32_t color;
    /* Groups of vertices by influence count; they cover all vertices, in order, and the count grows
     * from group to group. */
    uint32_t first_group;
    uint32_t group_count;
    /* That of the last group; 0 for a rigid mesh. */
    uint32_t max_influences;
    /* Morph targets; target t is driven by the node's weight t. */
    uint32_t first_target;
    uint32_t target_count;
    /* MRW_MESH_... */
    uint32_t flags;
} mrw_mesh;

/* The mesh's joints or its node's ancestors may scale non-uniformly (at rest or in a clip): its
 * normals need the cofactor matrix. */
#define MRW_MESH_NONUNIFORM 1u
/* The file had no normals; they were computed. */
#define MRW_MESH_COMPUTED_NORMALS 2u
/* They are those of flat triangles (glTF 2.0, 3.7.2.1), which stay flat however they are moved. */
#define MRW_MESH_FLAT_NORMALS 8u
/* Made here to show the bones of a file without triangles: drawn, but no geometry of the file. */
#define MRW_MESH_BONES 4u

/* A run of vertices with the same number of influences. The influences of vertex v are entries
 * first_influence + (v - first_vertex) * influence_count + i of influence_joints and
 * influence_weights. Joints are numbers within the skin, not nodes. Weights are above 0, the
 * largest first, and those of a vertex sum to one within 1e-4. */
typedef struct mrw_influence_group {
    /* Of the mesh, from 0. */
    uint32_t first_vertex;
    /* At least 1. */
    uint32_t vertex_count;
    /* 0: the vertices follow their node. */
    uint32_t influence_count;
    uint32_t first_influence;
} mrw_influence_group;

/* A morph target as differences to the base mesh (glTF 2.0, 3.7.2.2), stored for the vertices that
 * move. Entry e of entry_count concerns vertex morph_vertices[first_entry + e], a number of the
 * mesh's own vertices, strictly ascending. */
typedef struct mrw_morph_target {
    uint32_t name;
    /* Index into morph_vertices and morph_positions (float[3]). */
    uint32_t first_entry;
    uint32_t entry_count;
    /* First of entry_count float[3] in morph_normals, or MRW_NONE: normals stay. */
    uint32_t normal;
    /* First of entry_count float[3] in morph_tangents, or MRW_NONE: tangents stay, as those do that
     * are computed. The w of tangents never changes. */
    uint32_t tangent;
} mrw_morph_target;

/* ---- Skins ----------------------------------------------------------------------------------- */

/* A skin (glTF 2.0, 3.7.3). Joint j is node joints[first_joint + j], with the inverse bind matrix
 * geometry_to_joint[first_joint + j], affine: from the space of the skin's meshes to that of the
 * joint where the mesh was bound. Influences hold j. */
typedef struct mrw_skin {
    uint32_t name;
    uint32_t first_joint;
    /* 1 ... 65535 */
    uint32_t joint_count;
} mrw_skin;

/* ---- Clips ----------------------------------------------------------------------------------- */

/* An animation (glTF 2.0, 3.11). Its channels are in ascending order of node, then path, and each
 * path of a node has one at most; nodes without a channel rest. */
typedef struct mrw_clip {
    /* As `info` prints it; "clip_N" when the file gives none. */
    uint32_t name;
    /* As the file has it. */
    uint32_t full_name;
    uint32_t first_channel;
    uint32_t channel_count;
    /* Seconds in the file's own time at which the clip's time 0 lies. */
    double start;
    /* Seconds, not negative: the last key's time counted from start. */
    double duration;
} mrw_clip;

/* What a channel animates, and how many floats a value of it has. */
typedef enum mrw_path {
    MRW_PATH_TRANSLATION, /* width 3 */
    MRW_PATH_ROTATION,    /* width 4: unit quaternion x, y, z, w */
    MRW_PATH_SCALE,       /* width 3 */
    MRW_PATH_WEIGHTS,     /* width = the node's weight_count */
    MRW_PATH_VISIBILITY   /* width 1, STEP: 0 hides the node, as MRW_NODE_HIDDEN does; 1 shows it */
} mrw_path;

/* How values between two keys are found (glTF 2.0, appendix C). */
typedef enum mrw_interpolation {
    MRW_INTERPOLATION_STEP,       /* the value of the key before */
    MRW_INTERPOLATION_LINEAR,     /* rotations: spherical linear along the shorter arc */
    MRW_INTERPOLATION_CUBICSPLINE /* Hermite splines: in-tangent, value, out-tangent a key */
} mrw_interpolation;

/* How a channel goes on before its first key or behind its last. A cycle is all of its keys, and
 * lasts from the first to the last. */
typedef enum mrw_extrapolation {
    MRW_EXTRAPOLATION_HOLD,  /* the key's value holds: all that glTF has */
    MRW_EXTRAPOLATION_SLOPE, /* straight on, LINEAR as between the two keys at that end; rotations
                                turn on as fast, about the same axis. Others hold. */
    MRW_EXTRAPOLATION_REPEAT,
    MRW_EXTRAPOLATION_MIRROR,         /* cycles by turns backwards and forwards */
    MRW_EXTRAPOLATION_REPEAT_RELATIVE /* each cycle begins where the one before ended: moved by last
                                         value - first; rotations by last * first^-1 */
} mrw_extrapolation;

/* The curve of one path of one node. */
typedef struct mrw_channel {
    uint32_t node;
    uint32_t path;          /* mrw_path */
    uint32_t interpolation; /* mrw_interpolation */
    /* Floats a value; see mrw_path. */
    uint32_t width;
    /* At least 1. */
    uint32_t key_count;
    /* Index into key_times: key_count times in seconds from the clip's start, strictly increasing,
     * the last at most the clip's duration. */
    uint32_t first_time;
    /* Index into key_values: key_count * width floats, key after key; for CUBICSPLINE three times
     * as many, the tangents in units a second. */
    uint32_t first_value;
    /* mrw_extrapolation before the first key and after the last; HOLD with one key. */
    uint16_t before, after;
    /* So many cycles, at whose end the value holds; 0: for ever. 0 with HOLD and SLOPE. */
    uint16_t before_cycles, after_cycles;
} mrw_channel;

/* ---- Materials and textures ------------------------------------------------------------------ */

/* glTF 2.0, 3.9.4. OPAQUE: alpha does not count; MASK: the alpha cutoff makes holes; BLEND: drawn
 * over what is behind, back to front. */
typedef enum mrw_alpha_mode { MRW_ALPHA_OPAQUE, MRW_ALPHA_MASK, MRW_ALPHA_BLEND } mrw_alpha_mode;

/* The one place that lists the maps a material may have. X(identifier, name, srgb, drawn,
 * tangents):
 * - name: as `info` says it.
 * - srgb: 1: RGB is encoded as sRGB, alpha is linear. 0: all channels are linear numbers.
 * - drawn: 1: pictures show it. 0: no picture needs it yet, so it is told, hashed and compiled, but
 *   its image is named and not opened (MRW_IMAGE_UNSEEN), unless another map shows it. 2: pictures
 *   show it, but no pixel reads it: it moves vertices.
 * - tangents: 1: who draws it needs the mesh's tangents.
 *
 * New maps come last: hashes count them. Texels, what the factor multiplies, and where glTF has
 * them (sections of glTF 2.0, or the extension):
 * - BASE_COLOR: the colour and alpha of what the model is made of, times the vertex colour; of
 *   classic and specular-glossiness materials the diffuse colour (3.9.2).
 * - METALLIC_ROUGHNESS: green is roughness, blue metallic (3.9.2).
 * - NORMAL: the normal in the frame of tangent, bitangent and normal, as 2 rgb - 1; green is up.
 *   The factor's red and green are the scale of its x and y (3.9.3).
 * - OCCLUSION: red, how much light from all around comes in. The factor's red is the strength,
 *   0 ... 1, which blends it with 1 (3.9.3). A light map of classic formats is one, too.
 * - EMISSIVE: what shines by itself; the factor may be above 1 (3.9.3,
 *   KHR_materials_emissive_strength).
 * - SPECULAR: the colour of reflections. METALLIC_ROUGHNESS: what KHR_materials_specular multiplies
 *   the reflectance at normal incidence with. SPECULAR_GLOSSINESS: that reflectance itself, and
 *   alpha is glossiness, 1 - roughness (KHR_materials_pbrSpecularGlossiness). CLASSIC: the colour
 *   of highlights.
 * - OPACITY: one minus what shines through, in a map of its own, as classic formats have it. It is
 *   only told: BASE_COLOR's image, of that name and path, has it as its alpha, and a hash of both.
 * - HEIGHT: a bump map, drawn where there is no NORMAL: the mean of red, green and blue is the
 *   height, and white lies a 256th of the longer side above black (mrw_raster_heights_to_normals).
 *   The factor's red is the strength, which multiplies that; below 0, what is white is deep. An
 *   image that is a normal map, as exporters put it into this place, is shown as one, at strength 1
 *   (mrw_raster_are_normals).
 * - METALLIC, ROUGHNESS: red, in maps of their own; the factors are METALLIC_ROUGHNESS's.
 * - SPECULAR_STRENGTH: alpha; `specular` is its factor (KHR_materials_specular).
 * - CLEARCOAT: red; `clearcoat` is its factor (KHR_materials_clearcoat).
 * - CLEARCOAT_ROUGHNESS: green; `clearcoat_roughness` is its factor (the same).
 * - CLEARCOAT_NORMAL: the coat's normal, as NORMAL has it, with a scale of its own (the same). A
 *   coat without it has the normal of the surface, NORMAL does not bend it.
 * - SHEEN_COLOR: the colour of fibres on cloth (KHR_materials_sheen).
 * - SHEEN_ROUGHNESS: alpha; the factor is SHEEN_COLOR's (the same).
 * - DISPLACEMENT: red is the height by which vertices are moved along their normals, behind morph
 *   targets and skinning. Vertices of all draws that lie at one place in the mesh move together:
 *   the mean of what each asks for, along the mean of their normals. The factor's red is the scale,
 *   which multiplies it, in the units of the model as a whole (what nodes and joints scale is not
 *   scaled by it); green is the middle level, the height that stays where it is:
 *   (height - green) * red is the way. The texture is read between texels, whatever its filters
 *   are. */
#define MRW_MATERIAL_MAPS(X)                                                                       \
    X(BASE_COLOR, "base color", 1, 1, 0)                                                           \
    X(METALLIC_ROUGHNESS, "metallic-roughness", 0, 1, 0)                                           \
    X(NORMAL, "normal", 0, 1, 1)                                                                   \
    X(OCCLUSION, "occlusion", 0, 1, 0)                                                             \
    X(EMISSIVE, "emissive", 1, 1, 0)                                                               \
    X(SPECULAR, "specular", 1, 1, 0)                                                               \
    X(OPACITY, "opacity", 0, 0, 0)                                                                 \
    X(HEIGHT, "height", 0, 1, 1)                                                                   \
    X(METALLIC, "metallic", 0, 1, 0)                                                               \
    X(ROUGHNESS, "roughness", 0, 1, 0)                                                             \
    X(SPECULAR_STRENGTH, "specular strength", 0, 1, 0)                                             \
    X(CLEARCOAT, "clearcoat", 0, 1, 0)                                                             \
    X(CLEARCOAT_ROUGHNESS, "clearcoat roughness", 0, 1, 0)                                         \
    X(CLEARCOAT_NORMAL, "clearcoat normal", 0, 1, 1)                                               \
    X(SHEEN_COLOR, "sheen color", 1, 1, 0)                                                         \
    X(SHEEN_ROUGHNESS, "sheen roughness", 0, 1, 0)                                                 \
    X(DISPLACEMENT, "displacement", 0, 2, 0)

typedef enum mrw_map {
#define MRW_MAP_ENUM(map, name, srgb, drawn, tangents) MRW_MAP_##map,
    MRW_MATERIAL_MAPS(MRW_MAP_ENUM)
#undef MRW_MAP_ENUM
        MRW_MAP_COUNT
} mrw_map;

/* A row of the table above. */
typedef struct mrw_map_info {
    const char *name;
    bool srgb;
    bool drawn; /* or moves vertices: its image is opened */
    bool tangents;
} mrw_map_info;

/* Maps as a set have a bit each. */
#define MRW_MAP_BIT(map) (1u << (map))
#define MRW_MAPS_ALL     UINT32_MAX
/* The alpha of base colours, where it cuts holes or blends: a bit beside those of maps, for who
 * does not read the colour. */
#define MRW_MAPS_ALPHA (1u << 31)

/* What the table says of a map below MRW_MAP_COUNT. It lasts as long as the program. */
MRW_API const mrw_map_info *mrw_map_info_of(mrw_map map);

/* A map of a material: a texture, and how it lies on a mesh. */
typedef struct mrw_material_map {
    /* MRW_NONE: the material lacks this map, and all else has its usual value; but the factors of
     * BASE_COLOR, METALLIC_ROUGHNESS, EMISSIVE, SPECULAR and SHEEN_COLOR count without a texture,
     * too. */
    uint32_t texture;
    /* The mesh's uv[0] or uv[1]. In a mesh that lacks the set, all its vertices are at 0, 0. */
    uint32_t uv_set;
    /* m: u' = m[0] u + m[1] v + m[2], v' = m[3] u + m[4] v + m[5]; usually 1 0 0 0 1 0. Holds
     * KHR_texture_transform. Each map has its own. */
    float uv_transform[6];
    /* Multiplies the texel, channel by channel, once it is linear; usually 1 1 1 1.
     * - BASE_COLOR: linear RGBA, straight alpha, each 0 ... 1.
     * - METALLIC_ROUGHNESS: [1] roughness, [2] metallic, each 0 ... 1.
     * - EMISSIVE: linear RGB, not negative; usually 0 0 0 1.
     * - SPECULAR: linear RGB, 0 ... 1, but for METALLIC_ROUGHNESS materials not negative; [3]
     *   glossiness, 0 ... 1.
     * - SHEEN_COLOR: linear RGB, 0 ... 1; [3] the roughness of the sheen, 0 ... 1; usually all 0.
     * - HEIGHT: [0] -MRW_BUMPS_MOST ... MRW_BUMPS_MOST.
     * - DISPLACEMENT: [0] scale, [1] middle level; usually 1 0 0 0. */
    float factor[4];
} mrw_material_map;

/* How a material meets the light, and what of its fields and factors counts. The others have their
 * usual values. */
typedef enum mrw_material_model {
    /* glTF 2.0, 3.9 and appendix B. All but `shininess`. */
    MRW_MATERIAL_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness: BASE_COLOR is its diffuse colour, SPECULAR its specular
     * colour and glossiness. `ior`, `specular`, the clearcoat, metallic, roughness and their maps
     * do not count: the extensions exclude each other. */
    MRW_MATERIAL_SPECULAR_GLOSSINESS,
    /* Phong, Blinn and Lambert of other formats, as physical as they can be: for a light of
     * illuminance E that falls in at the cosine N.L,
     *
     *     (base / pi + specular * (n + 8) / (8 pi) * (N.H)^n) * N.L * E
     *
     * where base and specular are the BASE_COLOR and the SPECULAR of the material and n its
     * shininess. Fields and maps as for SPECULAR_GLOSSINESS, and `shininess`; no glossiness. */
    MRW_MATERIAL_CLASSIC
} mrw_material_model;

/* What pictures show of a surface. Numbers of a file that are out of range are brought into it,
 * with a warning. */
typedef struct mrw_material {
    uint32_t name;
    /* mrw_alpha_mode */
    uint32_t alpha_mode;
    /* MASK: alpha below this is a hole. Not negative; usually 0.5. */
    float alpha_cutoff;
    /* MRW_MATERIAL_... */
    uint32_t flags;
    /* mrw_material_model; usually 0. */
    uint32_t model;
    /* Index of refraction (KHR_materials_ior): 0, which stands for an infinite one, or at least 1;
     * usually 1.5. Reflectance at normal incidence: ((ior - 1) / (ior + 1))^2. */
    float ior;
    /* Strength of the reflection that is not metallic (specularFactor of KHR_materials_specular):
     * 0 ... 1; usually 1. */
    float specular;
    /* A clear layer on top: how much of it there is, and its roughness (clearcoatFactor and
     * clearcoatRoughnessFactor of KHR_materials_clearcoat): 0 ... 1; usually 0. */
    float clearcoat;
    float clearcoat_roughness;
    /* Exponent n of Blinn and Phong's highlight around the half vector, 0 ... MRW_SHININESS_MOST;
     * usually 0: no highlight. A Phong exponent around the reflected ray counts four times. */
    float shininess;
    /* By mrw_map. */
    mrw_material_map maps[MRW_MAP_COUNT];
} mrw_material;

/* At a hundred times the usual strength bumps are walls. */
#define MRW_BUMPS_MOST 100.0f

/* A highlight of this exponent falls to one half within 0.3 degrees. */
#define MRW_SHININESS_MOST 65536.0f

/* Each field has its usual value: the default material of glTF 2.0 (3.9.6), which is white,
 * metallic and rough, opaque, single-sided, and has no maps. */
MRW_API mrw_material mrw_material_default(void);

/* Flags of a material. DOUBLE_SIDED: backs are drawn, too, with turned normals. UNLIT is
 * KHR_materials_unlit: colour-managed, no lights. */
#define MRW_MATERIAL_DOUBLE_SIDED 1u
#define MRW_MATERIAL_UNLIT        2u

/* What a texture shows outside of 0 ... 1 (glTF 2.0, 3.8.4.3). */
typedef enum mrw_wrap { MRW_WRAP_REPEAT, MRW_WRAP_CLAMP, MRW_WRAP_MIRROR } mrw_wrap;

/* What is read of a texture that is seen smaller than it is (glTF 2.0, minFilter): what of a level,
 * and of which of them, by the level of detail. */
typedef enum mrw_minify {
    MRW_MINIFY_LINEAR_MIPMAP_LINEAR, /* 2 x 2 texels of the two levels around */
    MRW_MINIFY_NEAREST_MIPMAP_LINEAR,
    MRW_MINIFY_LINEAR_MIPMAP_NEAREST, /* of the nearest level */
    MRW_MINIFY_NEAREST_MIPMAP_NEAREST,
    MRW_MINIFY_LINEAR, /* of the picture itself: glitters */
    MRW_MINIFY_NEAREST
} mrw_minify;

/* An image and how it is read. */
typedef struct mrw_texture {
    uint32_t name;
    uint32_t image;
    /* mrw_wrap, across and down. */
    uint32_t wrap_u;
    uint32_t wrap_v;
    /* 1: the file asks for nearest magnification (pixel art); else 0. */
    uint16_t nearest;
    /* mrw_minify. */
    uint16_t minify;
} mrw_texture;

/* Decoded pixels: width * height RGBA, 8 bits a channel, rows from the top, no padding, at
 * texels + first_texel * 4 (MRW_IMAGE_DEEP: and what follows them). Images of a model with the same
 * hash are stored once, with the name and path of the first; a map of mrw_displacement that is one
 * of them without MRW_IMAGE_DEEP is there again with it.
 *
 * A picture that no draw shows is not opened: it is MRW_IMAGE_UNSEEN, 0 x 0, without texels, and
 * only its name and path are known and hashed. */
typedef struct mrw_image_info {
    uint32_t name;
    /* As written in the file; empty when embedded. */
    uint32_t path;
    /* Pixels, 1 ... 65536 a side; 0 when unseen. */
    uint32_t width;
    uint32_t height;
    /* In texels of 4 bytes. */
    uint32_t first_texel;
    /* MRW_IMAGE_... */
    uint32_t flags;
    /* SHA-256 of the bytes of its PNG, JPEG ... file; of a base texture that an opacity texture is
     * part of, of both hashes. Where a format holds bare texels, and in a
     * scene that an older marrow compiled, mrw_image_hash of the RGBA texels. All zero when there
     * was nothing to hash: unseen, or no file found. */
    uint8_t hash[32];
} mrw_image_info;

/* Flags of an image. */

/* The model names no file for it. */
#define MRW_IMAGE_EMBEDDED 1u
/* Not found, not decodable, or more than --texture-memory allows: a checker stands in. */
#define MRW_IMAGE_MISSING 2u
/* Some texel is not opaque. */
#define MRW_IMAGE_ALPHA 4u
/* No draw shows it: not opened, no texels. */
#define MRW_IMAGE_UNSEEN 8u
/* The image has no texels: nothing reads its maps (mrw_load_def.maps), or the scene has dropped
 * them. Width and height are those of its header, and no map with it can be drawn.
 * MRW_IMAGE_ALPHA says then that some texel may be not opaque. */
#define MRW_IMAGE_UNDECODED 16u
/* A picture of 16 bits a channel that a DISPLACEMENT map shows: red is read with all of them there.
 * The low bytes of red, a byte a pixel, follow its texels: (width * height + 3) / 4 entries more,
 * with zeros at their end. */
#define MRW_IMAGE_DEEP 32u

/* The bytes that an image of this size takes for drawing: 4 a texel in the scene, and 8 a texel in
 * each mip level, whose rows and columns have one more. */
MRW_API uint64_t mrw_image_memory(uint32_t width, uint32_t height);

/* ---- Cameras and lights ---------------------------------------------------------------------- */

/* A camera (glTF 2.0, 3.10). It looks along its node's -Z, up is the node's +Y. */
typedef struct mrw_scene_camera {
    uint32_t name;
    uint32_t node;
    /* 0: perspective; else 1. */
    uint32_t orthographic;
    /* Perspective: full vertical angle in radians, above 0 and below pi. */
    float yfov;
    /* Perspective: width / height; 0: that of the picture. */
    float aspect;
    /* Orthographic: half width and half height, above 0. */
    float xmag, ymag;
    /* Distances from the camera. near is above 0, for an orthographic camera not negative; far lies
     * beyond it, or is 0: infinite, a perspective's only. */
    float near_plane;
    float far_plane;
} mrw_scene_camera;

typedef enum mrw_scene_light_type {
    MRW_SCENE_LIGHT_DIRECTIONAL,
    MRW_SCENE_LIGHT_POINT,
    MRW_SCENE_LIGHT_SPOT
} mrw_scene_light_type;

/* A light of the file, as KHR_lights_punctual has it. mrw_frame_def (frame.h) says which pictures
 * it lights. */
typedef struct mrw_scene_light {
    uint32_t name;
    /* Directional lights and spots shine along its -Z. */
    uint32_t node;
    /* mrw_scene_light_type */
    uint32_t type;
    /* Linear RGB, not negative. */
    float color[3];
    /* As glTF has it: lux for directional lights, else candela. Those of other formats, which have
     * no unit of light, are as strong as filed where the model is: pi is full light on a surface
     * that faces the light. */
    float intensity;
    /* Where its light ends, not negative; 0: infinite. */
    float range;
    /* Spots: angles from the axis in radians, 0 <= inner <= outer <= pi. */
    float inner_cone;
    float outer_cone;
} mrw_scene_light;

/* ---- The scene ------------------------------------------------------------------------------- */

/* The one place that lists the arrays of a scene: X(name, element type, elements per entry). Entry
 * i of an array begins at element i * elements per entry; `name_count` counts entries.
 *
 * - strings: text of all names, each ended by a NUL; offset 0 is the empty one.
 * - nodes, matrices, weights: the tree; matrices lead from a node to its parent.
 * - draws: what is drawn, in this order.
 * - meshes, and their pools: indices ... colors; groups, influence_joints and influence_weights;
 *   targets and morph_vertices ... morph_tangents, in mesh space.
 * - skins, joints (nodes) and geometry_to_joint (inverse bind matrices), one for each joint.
 * - clips, channels, key_times (seconds) and key_values.
 * - materials, textures, images, texels (RGBA, 8 bits).
 * - cameras, lights.
 * - warnings: offsets of strings: what was repaired or left out while loading. */
#define MRW_SCENE_ARRAYS(X)                                                                        \
    X(strings, char, 1)                                                                            \
    X(nodes, mrw_node, 1)                                                                          \
    X(matrices, mrw_mat4, 1)                                                                       \
    X(weights, float, 1)                                                                           \
    X(draws, mrw_draw, 1)                                                                          \
    X(meshes, mrw_mesh, 1)                                                                         \
    X(indices, uint32_t, 1)                                                                        \
    X(positions, float, 3)                                                                         \
    X(normals, float, 3)                                                                           \
    X(tangents, float, 4)                                                                          \
    X(uvs, float, 2)                                                                               \
    X(colors, float, 4)                                                                            \
    X(groups, mrw_influence_group, 1)                                                              \
    X(influence_joints, uint16_t, 1)                                                               \
    X(influence_weights, float, 1)                                                                 \
    X(targets, mrw_morph_target, 1)                                                                \
    X(morph_vertices, uint32_t, 1)                                                                 \
    X(morph_positions, float, 3)                                                                   \
    X(morph_normals, float, 3)                                                                     \
    X(morph_tangents, float, 3)                                                                    \
    X(skins, mrw_skin, 1)                                                                          \
    X(joints, uint32_t, 1)                                                                         \
    X(geometry_to_joint, mrw_mat4, 1)                                                              \
    X(clips, mrw_clip, 1)                                                                          \
    X(channels, mrw_channel, 1)                                                                    \
    X(key_times, double, 1)                                                                        \
    X(key_values, float, 1)                                                                        \
    X(materials, mrw_material, 1)                                                                  \
    X(textures, mrw_texture, 1)                                                                    \
    X(images, mrw_image_info, 1)                                                                   \
    X(texels, uint8_t, 4)                                                                          \
    X(cameras, mrw_scene_camera, 1)                                                                \
    X(lights, mrw_scene_light, 1)                                                                  \
    X(warnings, uint32_t, 1)

/* A scene: for each array above a pointer and the count of its entries, `positions` and
 * `positions_count`. An array without entries has count 0 and is not to be read. */
typedef struct mrw_scene {
#define MRW_SCENE_FIELD(name, type, per)                                                           \
    const type *name;                                                                              \
    uint32_t name##_count;
    MRW_SCENE_ARRAYS(MRW_SCENE_FIELD)
#undef MRW_SCENE_FIELD
    /* String: "gltf2", "glb2", ... */
    uint32_t format;
    /* The block all pointers point into, 64-byte aligned, of blob_size bytes. */
    const void *blob;
    uint64_t blob_size;
    /* The library's own. */
    struct mrwi_scene_kept_hash *kept_hash;
} mrw_scene;

/* The text of a string offset, such as a name: NUL-terminated UTF-8, a stranger's (see
 * mrw_escape_text). Valid as long as the scene. */
static inline const char *mrw_scene_string(const mrw_scene *scene, uint32_t offset)
{
    return scene->strings + offset;
}

/* The name of the scene's format; of a compiled scene that of the format it was compiled from, or
 * "" where an older marrow compiled it. */
MRW_API const char *mrw_scene_source_format(const mrw_scene *scene);

/* The sum of mrw_image_memory over the images of a scene, checkers and what is unseen aside. */
MRW_API uint64_t mrw_scene_texture_memory(const mrw_scene *scene);

/* ---- Hashes ---------------------------------------------------------------------------------- */

/*
 * What a scene is made of, each part with a hash of its own, so that two scenes can be told apart
 * part by part. Part `index` of a kind belongs to entry `index` of the scene's array; the nodes are
 * one part together, with what they draw.
 *
 * A part is hashed in a canonical form: "marrow KIND" and a newline in ASCII, then its fields in
 * the order of their numbers, each as
 *
 *     number (u32), size in bytes (u64), value
 *
 * with all integers and IEEE floats little-endian. A field that has its usual value, given in
 * brackets below, is left out, and so is an empty array or name. What is added to scenes later gets
 * new numbers, so a scene without it keeps its hash. Neither the layout of the blob, nor the
 * format's name and the warnings count, nor what an image looks like once it is decoded. Names
 * count: clips, nodes and cameras are chosen by them. They are the bytes without the NUL.
 *
 *     scene     n: the hashes of all parts of kind n (mrw_scene_part), one behind the other
 *     nodes     1 the hash of each node  2 draws: u32 node, mesh, skin, each
 *               3 u32 of each mesh that is MRW_MESH_NONUNIFORM
 *     node      1 name  2 u32 parent [MRW_NONE]  3 translation [0 0 0]  4 rotation [0 0 0 1]
 *               5 scale [1 1 1]  6 its matrix, 16 floats  7 morph weights, a float each
 *               8 u32 flags [0]
 *     shape     1 name  2 u32 material [MRW_NONE]  3 u32 flags but MRW_MESH_NONUNIFORM [0]
 *               4 indices, u32 each  5 positions  6 normals  7 tangents  8, 9 uv  10 colors
 *               11 the hash of each morph target
 *     target    1 name  2 vertices, u32 each  3 positions  4 normals  5 tangents
 *     weights   none for a rigid mesh; 1 groups: u32 vertex_count, influence_count, each
 *               2 joints, u16 each  3 weights, a float each, in the order of the groups
 *     material  1 name  2 u32 alpha_mode [0]  3 alpha_cutoff [0.5]  4 u32 flags [0]
 *               5 the base colour's factor [1 1 1 1]
 *               6 + m: the hash of map m of MRW_MATERIAL_MAPS, from 0, if it has a texture
 *               256 u32 model [0]  257 ior [1.5]  258 specular [1]  259 clearcoat [0]
 *               260 clearcoat_roughness [0]  261 shininess [0]
 *               512 + m: the factor of map m, if it has no texture and counts without
 *               [1 1 1 1; emissive 0 0 0 1]; the base colour is 5
 *     map       1 name of the texture  2 u32 image  3, 4 u32 wrap_u, wrap_v [0]  5 u32 nearest [0]
 *               6 u32 uv_set [0]  7 uv_transform [1 0 0 0 1 0]
 *               8 factor [1 1 1 1]; of the base colour none  9 u32 minify [0]
 *     image     1 name  2 path  3 its hash, where it has one
 *     skin      1 name  2 joints, u32 each  3 geometry_to_joint, 16 floats each
 *     clip      1 name  2 full_name  3 double start [0]  4 double duration [0]
 *               5 the hash of each channel
 *     channel   1 u32 node  2 u32 path [0]  3 u32 interpolation [0]  4 times, a double each
 *               5 values, a float each  6 u32 before [0]  7 u32 after [0]
 *               8 u32 before_cycles [0]  9 u32 after_cycles [0]
 *     camera    1 name  2 u32 node  3 u32 orthographic [0]  4 yfov [0]  5 aspect [0]  6 xmag [0]
 *               7 ymag [0]  8 near_plane [0]  9 far_plane [0]
 *     light     1 name  2 u32 node  3 u32 type [0]  4 color [1 1 1]  5 intensity [1]  6 range [0]
 *               7 inner_cone [0]  8 outer_cone [0]
 */
typedef enum mrw_scene_part {
    MRW_PART_NODES = 1, /* one */
    MRW_PART_SHAPES,    /* one a mesh: its surface and morph targets */
    MRW_PART_WEIGHTS,   /* one a mesh: its influences */
    MRW_PART_MATERIALS, /* with their maps */
    MRW_PART_IMAGES,
    MRW_PART_SKINS,
    MRW_PART_CLIPS,
    MRW_PART_CAMERAS,
    MRW_PART_LIGHTS,
    MRW_PART_END
} mrw_scene_part;

/* The formula above. Goldens and manifests hold it beside the hash: hashes of two formulas say
 * nothing of each other. Formula 1 covered the blob as it was then. */
#define MRW_SCENE_FORMULA 2

/* Parts of a kind. */
MRW_API uint32_t mrw_scene_part_count(const mrw_scene *scene, mrw_scene_part kind);

/* The hash of part `index`, which is less than the count. It is made anew by each call, which takes
 * about a second a gigabyte. Thread-safe. */
MRW_API void mrw_scene_part_hash(const mrw_scene *scene, mrw_scene_part kind, uint32_t index,
                                 uint8_t out[32]);

/* The hash of the scene, of those of all its parts: 32 bytes that last as long as the scene. Equal
 * scenes, equal hash, on every little-endian machine, whether or not pixels were decoded. Made when
 * it is first asked for. Thread-safe. */
MRW_API const uint8_t *mrw_scene_hash(const mrw_scene *scene);

/* The hash as 64 lower-case hexadecimal digits and a NUL. */
MRW_API void mrw_scene_hash_text(const mrw_scene *scene, char out[65]);

/* Finds a clip as the command does: exact name, full name, index from 0, then glob (`*`, `?`,
 * `[...]`); the first that matches. With nothing found returns MRW_ERROR_INPUT and a message with
 * the nearest names. */
MRW_API mrw_status mrw_scene_find_clip(const mrw_scene *scene, const char *pattern, uint32_t *out,
                                       mrw_error *error);

/* Finds a camera by name or index from 0; otherwise as mrw_scene_find_clip. */
MRW_API mrw_status mrw_scene_find_camera(const mrw_scene *scene, const char *name, uint32_t *out,
                                         mrw_error *error);

/* The times of the first and the last key of a clip, of all its channels, in seconds from its
 * start; clip is below clips_count. Without channels it returns false and sets both to 0. */
MRW_API bool mrw_scene_key_span(const mrw_scene *scene, uint32_t clip, double *first, double *last);

/* ---- Life ------------------------------------------------------------------------------------ */

/* Gives the memory of all images back, once models have been made of the scene: they have textures
 * of their own, and are drawn as before. The rest of the scene and its hashes stay, but it cannot
 * be prepared for drawing or compiled again: its images are MRW_IMAGE_UNDECODED. While nothing else
 * uses the scene. */
MRW_API void mrw_scene_drop_texels(mrw_scene *scene);

/* Frees a scene. NULL is allowed. */
MRW_API void mrw_scene_free(mrw_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
