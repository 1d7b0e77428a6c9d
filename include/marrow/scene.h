/* scene.h: a loaded model: immutable, flat, index-based.
 *
 * A scene is one block of memory (the blob) and a struct of pointers into it. Objects refer to each
 * other by index. Names are offsets into one pool of NUL-terminated UTF-8 strings; they may repeat
 * and may be empty. A caller may walk all arrays. After loading only mrw_scene_drop_texels changes
 * them, so any number of threads may read one scene. load.h and mrw_scene_add_clips (clips.h)
 * create scenes. A scene belongs to the caller, who frees it as a whole with mrw_scene_free.
 *
 * The data model is that of glTF 2.0, whose sections are cited; other formats are converted to it.
 * Spaces: a node's local transform maps from the node's space to its parent's. A root's parent is
 * the world: right-handed, Y up, in metres if the file states its unit. A mesh has its own space;
 * without a skin, this is the space of its node. Vectors are columns, matrices are column-major.
 *
 * An index counts elements of the array it refers to: entry i of positions, which has three floats
 * per element, is positions[3 * i]. Fields called `name` are offsets into strings.
 *
 * Invariants, established when the scene is built and checked in one place (scene/validate.c):
 * - nodes are sorted parents first: nodes[i].parent < i or MRW_NONE;
 * - every index is in range and every float is finite;
 * - the influences of a vertex are sorted by descending weight (ties by joint), positive, and sum
 *   to one; vertices without influences follow their node;
 * - key times strictly increase; LINEAR rotation keys are unit quaternions, each within 90 degrees
 *   of arc of its predecessor (dot >= 0);
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
    /* Index of the parent, always smaller than the node's own, or MRW_NONE for a root. */
    uint32_t parent;
    /* Index into matrices: the node's local transform, if the file gives it as a matrix; else
     * MRW_NONE. It is used in place of `rest` in every clip that does not animate the node. Affine:
     * its last row is 0 0 0 1. */
    uint32_t matrix;
    /* The node's morph weights at rest: weights[first_weight ...], of any size and sign.
     * weight_count is 0 if its meshes have no morph targets. */
    uint32_t first_weight;
    uint32_t weight_count;
    /* Local transform from the file, node to parent: T * R * S. If the file gives a matrix, this is
     * its decomposition. The rotation is a unit quaternion x, y, z, w. */
    mrw_transform rest;
    /* Sum of MRW_NODE_... flags. */
    uint32_t flags;
} mrw_node;

/* Hides this node's draws and lights and those of all nodes below it, unless a clip says otherwise
 * (KHR_node_visibility). A hidden node still moves. A skinned mesh is hidden by the node that draws
 * it, never by its joints. */
#define MRW_NODE_HIDDEN 1u
/* The visibility of the nodes above does not hide this one (VisibilityInheritance of FBX). */
#define MRW_NODE_OWN_VISIBILITY 2u
/* Hides the node's own draws and lights, whatever clips say; nodes below it are still shown (Show
 * of FBX). */
#define MRW_NODE_NOT_SHOWN 4u

/* One mesh under one node. Draws are in drawing order; a node may have several. */
typedef struct mrw_draw {
    /* Node that places the mesh and holds its morph weights. Its weight_count is at least the
     * mesh's target_count. */
    uint32_t node;
    uint32_t mesh;
    /* Index into skins, or MRW_NONE: rigid, drawn with the node's own matrix. With a skin the
     * node's matrix is ignored (glTF 2.0, 3.7.3.2). */
    uint32_t skin;
} mrw_draw;

/* ---- Meshes ---------------------------------------------------------------------------------- */

/* A triangle mesh with one material (a primitive of glTF 2.0, 3.7.2). Each attribute is a run of
 * vertex_count elements in its pool, starting at the given index; MRW_NONE if the mesh lacks it.
 * All attributes are in mesh space, and runs are tightly packed. */
typedef struct mrw_mesh {
    uint32_t name;
    /* Index into materials, or MRW_NONE: mrw_material_default. */
    uint32_t material;
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* First of 3 * triangle_count entries of indices, each a vertex number of this mesh, below
     * vertex_count. Counter-clockwise triangles face front. */
    uint32_t first_index;
    /* Start in positions: float[3]. Always present. */
    uint32_t position;
    /* Start in normals: float[3], unit length. Always present. */
    uint32_t normal;
    /* Start in tangents: float[4], unit xyz; w = +1 or -1 is the sign of the bitangent,
     * cross(normal, xyz) * w. They come from the file. If the file has none and a drawn map needs
     * them, MikkTSpace computes them from the transformed texture coordinates of the first such
     * map. */
    uint32_t tangent;
    /* Starts in uvs: two sets of float[2]; 0, 0 is the top left of a picture. */
    uint32_t uv[2];
    /* Start in colors: float[4], linear RGBA, straight alpha. */
    uint32_t color;
    /* Groups of vertices by influence count. They cover all vertices in order, with ascending
     * counts. */
    uint32_t first_group;
    uint32_t group_count;
    /* Influence count of the last group; 0 for a rigid mesh. */
    uint32_t max_influences;
    /* Morph targets. The node's weight t drives target t. */
    uint32_t first_target;
    uint32_t target_count;
    /* Sum of MRW_MESH_... flags. */
    uint32_t flags;
} mrw_mesh;

/* The mesh's joints or its node's ancestors may scale non-uniformly (at rest or in a clip): its
 * normals need the cofactor matrix. */
#define MRW_MESH_NONUNIFORM 1u
/* The normals were computed, because the file has none. */
#define MRW_MESH_COMPUTED_NORMALS 2u
/* The normals are those of flat triangles (glTF 2.0, 3.7.2.1) and stay flat after deformation. */
#define MRW_MESH_FLAT_NORMALS 8u
/* The mesh was made by marrow to show the bones of a file without triangles. It is drawn, but is
 * not geometry of the file. */
#define MRW_MESH_BONES 4u

/* A run of vertices with the same number of influences. The influences of vertex v are entries
 * first_influence + (v - first_vertex) * influence_count + i of influence_joints and
 * influence_weights. Joints are indices within the skin, not nodes. Weights are positive, largest
 * first, and sum to one per vertex within 1e-4. */
typedef struct mrw_influence_group {
    /* Index of the first vertex, counted within the mesh. */
    uint32_t first_vertex;
    /* Number of vertices, at least 1. */
    uint32_t vertex_count;
    /* Influences per vertex; 0: the vertices follow their node. */
    uint32_t influence_count;
    uint32_t first_influence;
} mrw_influence_group;

/* A morph target, stored as differences from the base mesh (glTF 2.0, 3.7.2.2) for the vertices
 * that move. Entry e of entry_count belongs to vertex morph_vertices[first_entry + e]. These vertex
 * numbers are those of the mesh, strictly ascending. */
typedef struct mrw_morph_target {
    uint32_t name;
    /* Index into morph_vertices and morph_positions (float[3]). */
    uint32_t first_entry;
    uint32_t entry_count;
    /* First of entry_count float[3] in morph_normals, or MRW_NONE: normals do not change. */
    uint32_t normal;
    /* First of entry_count float[3] in morph_tangents, or MRW_NONE: tangents do not change.
     * MRW_NONE for computed tangents. The w of a tangent never changes. */
    uint32_t tangent;
} mrw_morph_target;

/* ---- Skins ----------------------------------------------------------------------------------- */

/* A skin (glTF 2.0, 3.7.3). Joint j is node joints[first_joint + j]. Its inverse bind matrix
 * geometry_to_joint[first_joint + j] is affine and leads from the space of the skin's meshes to
 * that of the joint at bind time. Influences store j. */
typedef struct mrw_skin {
    uint32_t name;
    uint32_t first_joint;
    /* Number of joints, 1 ... 65535. */
    uint32_t joint_count;
} mrw_skin;

/* ---- Clips ----------------------------------------------------------------------------------- */

/* An animation (glTF 2.0, 3.11). Its channels are sorted by node, then path; each path of a node
 * has at most one channel. Nodes without a channel are at rest. material_channels lists
 * the material properties that it animates. */
typedef struct mrw_clip {
    /* Name as `info` prints it; "clip_N" if the file gives none. */
    uint32_t name;
    /* Name as written in the file. */
    uint32_t full_name;
    uint32_t first_channel;
    uint32_t channel_count;
    /* Time in seconds on the file's own time axis at which the clip's time 0 lies. */
    double start;
    /* Seconds, not negative: the time of the last key of all channels, counted from start. */
    double duration;
} mrw_clip;

/* Property that a channel animates, and its number of floats per value (width). */
typedef enum mrw_path {
    MRW_PATH_TRANSLATION, /* width 3 */
    MRW_PATH_ROTATION,    /* width 4: unit quaternion x, y, z, w */
    MRW_PATH_SCALE,       /* width 3 */
    MRW_PATH_WEIGHTS,     /* width = the node's weight_count */
    MRW_PATH_VISIBILITY   /* width 1, STEP: 0 hides the node as MRW_NODE_HIDDEN does; 1 shows it */
} mrw_path;

/* Interpolation between two keys (glTF 2.0, appendix C). */
typedef enum mrw_interpolation {
    MRW_INTERPOLATION_STEP,       /* value of the earlier key */
    MRW_INTERPOLATION_LINEAR,     /* straight; rotations spherically, along the shorter arc */
    MRW_INTERPOLATION_CUBICSPLINE /* Hermite splines; each key has an in-tangent, a value and an
                                     out-tangent */
} mrw_interpolation;

/* Behaviour of a channel before its first key or after its last. A cycle spans all keys, from the
 * first to the last. */
typedef enum mrw_extrapolation {
    MRW_EXTRAPOLATION_HOLD,  /* holds the key's value, as glTF does */
    MRW_EXTRAPOLATION_SLOPE, /* continues straight, at the slope LINEAR has at that end; rotations
                                keep turning at the same speed about the same axis. Channels that
                                are not LINEAR hold. */
    MRW_EXTRAPOLATION_REPEAT,
    MRW_EXTRAPOLATION_MIRROR,         /* cycles alternate backwards and forwards */
    MRW_EXTRAPOLATION_REPEAT_RELATIVE /* each cycle starts where the one before ended: offset by
                                         last value - first; rotations by last * first^-1 */
} mrw_extrapolation;

/* The animation curve of one path of one node. */
typedef struct mrw_channel {
    uint32_t node;
    uint32_t path;          /* mrw_path */
    uint32_t interpolation; /* mrw_interpolation */
    /* Floats per value; see mrw_path. */
    uint32_t width;
    /* Number of keys, at least 1. */
    uint32_t key_count;
    /* Index into key_times: key_count times in seconds from the clip's start, strictly increasing,
     * at most the clip's duration. */
    uint32_t first_time;
    /* Index into key_values: key_count * width floats, key after key. CUBICSPLINE stores three
     * times as many, with tangents in units per second. */
    uint32_t first_value;
    /* mrw_extrapolation before the first key and after the last. HOLD if there is one key. */
    uint16_t before, after;
    /* Number of cycles, after which the value holds; 0: forever. 0 with HOLD and SLOPE. */
    uint16_t before_cycles, after_cycles;
} mrw_channel;

/* ---- Materials and textures ------------------------------------------------------------------ */

/* Alpha mode (glTF 2.0, 3.9.4). OPAQUE ignores alpha; MASK cuts holes where alpha is below the
 * cutoff; BLEND draws the surface over what is behind it, back to front. */
typedef enum mrw_alpha_mode { MRW_ALPHA_OPAQUE, MRW_ALPHA_MASK, MRW_ALPHA_BLEND } mrw_alpha_mode;

/* The list of all maps a material may have. X(identifier, name, srgb, drawn, tangents):
 * - name: name that `info` prints.
 * - srgb: 1: RGB is sRGB-encoded, alpha is linear. 0: all channels are linear.
 * - drawn: 1: pictures show the map. 0: no picture shows the map. It is listed, hashed and
 *   compiled, but its image is not opened (MRW_IMAGE_UNSEEN) unless another map uses it. 2: the map
 *   moves vertices and is not read per pixel.
 * - tangents: 1: drawing the map requires the mesh's tangents.
 *
 * New maps are added at the end, because hashes use their numbers. The list below says what the
 * texels mean, what the factor multiplies, and where the map is defined (a section of glTF 2.0, or
 * the extension):
 * - BASE_COLOR: colour and alpha of the material, multiplied by the vertex colour; the diffuse
 *   colour in classic and specular-glossiness materials (3.9.2).
 * - METALLIC_ROUGHNESS: green is roughness, blue is metallic (3.9.2).
 * - NORMAL: normal in the frame of tangent, bitangent and normal, as 2 rgb - 1; green is up. The
 *   factor's red and green scale its x and y (3.9.3).
 * - OCCLUSION: red is the share of ambient light that reaches the surface. The factor's red is the
 *   strength s, 0 ... 1: the share used is 1 + s * (red - 1) (3.9.3). Light maps of classic formats
 *   are stored here, too.
 * - EMISSIVE: light emitted by the surface. The factor may exceed 1 (3.9.3,
 *   KHR_materials_emissive_strength).
 * - SPECULAR: colour of reflections. In METALLIC_ROUGHNESS materials, KHR_materials_specular
 *   multiplies the reflectance at normal incidence by it. In SPECULAR_GLOSSINESS materials it is
 *   that reflectance itself, and alpha is glossiness, 1 - roughness
 *   (KHR_materials_pbrSpecularGlossiness). In CLASSIC materials it is the colour of highlights.
 * - OPACITY: opacity in a separate map, as classic formats store it. It is only listed. It is drawn
 *   as the alpha of BASE_COLOR's image, which keeps its name and path and gets a hash of both
 *   images.
 * - HEIGHT: a bump map, drawn if the material lacks NORMAL. The height is the mean of red, green
 *   and blue; white is higher than black by 1/256 of the texture's longer side
 *   (mrw_raster_heights_to_normals). The factor's red is the strength and multiplies the height;
 *   below 0, white is lower than black. Some exporters put a normal map here. Such an image is
 *   drawn as a normal map at strength 1 (mrw_raster_are_normals).
 * - METALLIC, ROUGHNESS: red, in maps of their own, with the factors of METALLIC_ROUGHNESS.
 * - SPECULAR_STRENGTH: alpha; `specular` is its factor (KHR_materials_specular).
 * - CLEARCOAT: red; `clearcoat` is its factor (KHR_materials_clearcoat).
 * - CLEARCOAT_ROUGHNESS: green; `clearcoat_roughness` is its factor (the same extension).
 * - CLEARCOAT_NORMAL: normal of the coat, like NORMAL, with a scale of its own (the same
 *   extension). A coat without this map uses the normal of the surface, without the NORMAL map.
 * - SHEEN_COLOR: colour of fibres on cloth (KHR_materials_sheen).
 * - SHEEN_ROUGHNESS: alpha, with the factor of SHEEN_COLOR (the same extension).
 * - DISPLACEMENT: red is the height by which vertices move along their normals, after morph targets
 *   and skinning. All vertices of a model at one place move together, by the mean of their
 *   distances, along the mean of their normals. The factor's red is the scale in the units of the
 *   model as a whole; scales of nodes and joints do not affect it. The factor's green is the middle
 *   level, the height that does not move: the distance is (height - green) * red. The texture is
 *   sampled linearly, whatever its filters are. */
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
    bool drawn; /* true also for maps that move vertices: the image is opened */
    bool tangents;
} mrw_map_info;

/* A set of maps has one bit per map. */
#define MRW_MAP_BIT(map) (1u << (map))
#define MRW_MAPS_ALL     UINT32_MAX
/* An extra bit in a set of maps: the alpha of base colours, for callers that need it to cut holes
 * or to blend, but do not read the colour. */
#define MRW_MAPS_ALPHA (1u << 31)

/* Returns the table row of a map; map is below MRW_MAP_COUNT. Static storage. */
MRW_API const mrw_map_info *mrw_map_info_of(mrw_map map);

/* A map of a material: a texture and its placement on a mesh. */
typedef struct mrw_material_map {
    /* Index into textures, or MRW_NONE: the material lacks this map, and the other fields have
     * their usual values. The factors of BASE_COLOR, METALLIC_ROUGHNESS, EMISSIVE, SPECULAR and
     * SHEEN_COLOR apply without a texture, too. */
    uint32_t texture;
    /* 0 or 1: the mesh's uv[0] or uv[1]. If the mesh lacks the set, all its vertices are at 0,
     * 0. */
    uint32_t uv_set;
    /* Texture transform m: u' = m[0] u + m[1] v + m[2], v' = m[3] u + m[4] v + m[5]; usually 1 0 0
     * 0 1 0. Each map has its own. KHR_texture_transform is stored in it. */
    float uv_transform[6];
    /* Factor on the texel, channel by channel, after it is linear; usually 1 1 1 1.
     * - BASE_COLOR: linear RGBA, straight alpha, each 0 ... 1.
     * - METALLIC_ROUGHNESS: [1] roughness, [2] metallic, each 0 ... 1.
     * - EMISSIVE: linear RGB, not negative; usually 0 0 0 1.
     * - SPECULAR: linear RGB, 0 ... 1 (METALLIC_ROUGHNESS materials: 0 or more); [3] glossiness, 0
     *   ... 1.
     * - SHEEN_COLOR: linear RGB, 0 ... 1; [3] roughness of the sheen, 0 ... 1; usually all 0.
     * - HEIGHT: [0] strength, -MRW_BUMPS_MOST ... MRW_BUMPS_MOST.
     * - DISPLACEMENT: [0] scale, [1] middle level; usually 1 0 0 0. */
    float factor[4];
} mrw_material_map;

/* Reflection model of a material. It decides which fields and factors are used; the others have
 * their usual values. */
typedef enum mrw_material_model {
    /* glTF 2.0, 3.9 and appendix B. Uses everything except `shininess`. */
    MRW_MATERIAL_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness. BASE_COLOR is the diffuse colour, SPECULAR the specular
     * colour and glossiness. `ior`, `specular`, clearcoat, metallic, roughness and their maps are
     * not used: the extensions exclude each other. */
    MRW_MATERIAL_SPECULAR_GLOSSINESS,
    /* Phong, Blinn and Lambert of other formats: BASE_COLOR is the diffuse colour, SPECULAR the
     * colour of the highlight at its brightest, and `shininess` its exponent. Fields and maps are
     * those of SPECULAR_GLOSSINESS, but `shininess` replaces glossiness. MRW_SHADING_PHONG shows
     * these numbers as the maker's program did, MRW_SHADING_LIT as microfacets of a roughness and a
     * reflectance: see MRW_SURFACE_CLASSIC in raster.h. */
    MRW_MATERIAL_CLASSIC
} mrw_material_model;

/* The appearance of a surface. Out-of-range numbers of a file are clamped, with a warning. */
typedef struct mrw_material {
    uint32_t name;
    /* mrw_alpha_mode */
    uint32_t alpha_mode;
    /* Cutoff of MASK: alpha below this is a hole. Not negative; usually 0.5. */
    float alpha_cutoff;
    /* Sum of MRW_MATERIAL_... flags. */
    uint32_t flags;
    /* mrw_material_model; usually 0. */
    uint32_t model;
    /* Index of refraction (KHR_materials_ior): 0 for infinite, or at least 1; usually 1.5. The
     * reflectance at normal incidence is ((ior - 1) / (ior + 1))^2. */
    float ior;
    /* Strength of the non-metallic reflection (specularFactor of KHR_materials_specular): 0 ... 1;
     * usually 1. */
    float specular;
    /* Strength and roughness of a clear layer on top (clearcoatFactor and clearcoatRoughnessFactor
     * of KHR_materials_clearcoat): 0 ... 1; usually 0. */
    float clearcoat;
    float clearcoat_roughness;
    /* Exponent n of the Blinn-Phong highlight around the half vector, 0 ... MRW_SHININESS_MOST;
     * usually 0: no highlight. An exponent given for a Phong highlight around the reflected ray is
     * multiplied by four. */
    float shininess;
    /* Maps, indexed by mrw_map. */
    mrw_material_map maps[MRW_MAP_COUNT];
} mrw_material;

/* Strongest bump factor. At a hundred times the usual strength bumps look like walls. */
#define MRW_BUMPS_MOST 100.0f

/* Largest shininess. A highlight with this exponent falls to one half within 0.3 degrees. */
#define MRW_SHININESS_MOST 65536.0f

/* Returns the default material of glTF 2.0 (3.9.6), in which each field has its usual value: white,
 * metallic and rough, opaque, single-sided, without maps. */
MRW_API mrw_material mrw_material_default(void);

/* Flags of a material. DOUBLE_SIDED: back faces are drawn, too, with reversed normals. UNLIT is
 * KHR_materials_unlit: colour-managed, no lights. */
#define MRW_MATERIAL_DOUBLE_SIDED 1u
#define MRW_MATERIAL_UNLIT        2u

/* Texture lookup outside of 0 ... 1 (glTF 2.0, 3.8.4.3). */
typedef enum mrw_wrap { MRW_WRAP_REPEAT, MRW_WRAP_CLAMP, MRW_WRAP_MIRROR } mrw_wrap;

/* Minification filter of a texture (minFilter of glTF 2.0): the texels read from a mip level, and
 * the levels chosen by the level of detail. */
typedef enum mrw_minify {
    MRW_MINIFY_LINEAR_MIPMAP_LINEAR, /* 2 x 2 texels from each of the two nearest levels */
    MRW_MINIFY_NEAREST_MIPMAP_LINEAR,
    MRW_MINIFY_LINEAR_MIPMAP_NEAREST, /* 2 x 2 texels from the nearest level */
    MRW_MINIFY_NEAREST_MIPMAP_NEAREST,
    MRW_MINIFY_LINEAR, /* full-size image only: shimmers */
    MRW_MINIFY_NEAREST
} mrw_minify;

/* An image and its sampler. */
typedef struct mrw_texture {
    uint32_t name;
    uint32_t image;
    /* mrw_wrap across (u) and down (v). */
    uint32_t wrap_u;
    uint32_t wrap_v;
    /* 1 if the file asks for nearest magnification (pixel art), else 0. */
    uint16_t nearest;
    /* mrw_minify */
    uint16_t minify;
} mrw_texture;

/* Decoded pixels: width * height RGBA, 8 bits per channel, rows from the top, tightly packed, at
 * texels + first_texel * 4. With MRW_IMAGE_DEEP more data follows them; with MRW_IMAGE_ENCODED
 * there are none yet. Images of a model with the same hash are stored once, under the first one's
 * name and path. The exception: if mrw_displacement uses an image that is stored without
 * MRW_IMAGE_DEEP, a second copy with MRW_IMAGE_DEEP is stored.
 *
 * An image that no draw shows is not opened: it is MRW_IMAGE_UNSEEN, 0 x 0, without texels, and
 * only its name and path are known and hashed. */
typedef struct mrw_image_info {
    uint32_t name;
    /* Path as written in the file; empty if embedded. */
    uint32_t path;
    /* Size in pixels, each 1 ... 65536; 0 if unseen. */
    uint32_t width;
    uint32_t height;
    /* Index of the first texel, in texels of 4 bytes. */
    uint32_t first_texel;
    /* Sum of MRW_IMAGE_... flags. */
    uint32_t flags;
    /* SHA-256 of the image's file (PNG, JPEG ...). A base colour image merged with an opacity image
     * has a hash of both hashes. For formats with bare texels, and scenes compiled by older
     * versions, it is mrw_image_hash of the RGBA texels. All zeros if there was nothing to hash:
     * the image is unseen or its file was not found. */
    uint8_t hash[32];
} mrw_image_info;

/* Flags of an image. */

/* The model names no file for the image. */
#define MRW_IMAGE_EMBEDDED 1u
/* The image was not found, could not be decoded, or exceeds --texture-memory. A checker pattern
 * stands in. */
#define MRW_IMAGE_MISSING 2u
/* Some texel is not opaque. */
#define MRW_IMAGE_ALPHA 4u
/* No draw shows the image: it is not opened and has no texels. */
#define MRW_IMAGE_UNSEEN 8u
/* The image has no texels, because its maps are not read (mrw_load_def.maps) or the scene dropped
 * them. Width and height are those of the image's header. No map of it can be drawn.
 * MRW_IMAGE_ALPHA then means that some texel may not be opaque. */
#define MRW_IMAGE_UNDECODED 16u
/* The image is a 16-bit image used by a DISPLACEMENT map, which reads red in full precision. The
 * low bytes of red, one per pixel, follow the texels in (width * height + 3) / 4 more texel
 * entries, padded with zeros. */
#define MRW_IMAGE_DEEP 32u
/* The image is a JPEG that was left encoded (mrw_load_def.later_jpegs). At its first texel stands
 * the size of the file's bytes, a uint32_t, then come the bytes, padded with zeros to a multiple of
 * 4; mrw_image_decode turns them into texels. Width and height are those of the header. Creating a
 * model, or filling its textures, decodes it. A scene with such an image cannot be compiled. */
#define MRW_IMAGE_ENCODED 64u

/* Returns the number of bytes that an image of this size takes for drawing: 4 per texel in the
 * scene, and 8 per texel in each mip level, which has one more row and column. */
MRW_API uint64_t mrw_image_memory(uint32_t width, uint32_t height);

/* ---- Animated materials ---------------------------------------------------------------------- */

/* Property of a material that a clip can animate (KHR_animation_pointer), and its width: the number
 * of floats per value. Values mean what the property of the same name means in glTF. */
typedef enum mrw_material_property {
    MRW_PROPERTY_BASE_COLOR,        /* width 4: baseColorFactor, linear RGBA */
    MRW_PROPERTY_ROUGHNESS,         /* width 1: roughnessFactor */
    MRW_PROPERTY_METALLIC,          /* width 1: metallicFactor */
    MRW_PROPERTY_EMISSIVE_COLOR,    /* width 3: emissiveFactor, linear RGB */
    MRW_PROPERTY_EMISSIVE_STRENGTH, /* width 1: emissiveStrength, a factor on the colour */
    MRW_PROPERTY_ALPHA_CUTOFF,      /* width 1: alphaCutoff */
    MRW_PROPERTY_UV_OFFSET,         /* width 2: offset of KHR_texture_transform */
    MRW_PROPERTY_UV_ROTATION,       /* width 1: rotation of KHR_texture_transform, radians */
    MRW_PROPERTY_UV_SCALE,          /* width 2: scale of KHR_texture_transform */
    MRW_PROPERTY_COUNT
} mrw_material_property;

/* The animation curve of one property of one material. Before its first key and after its last it
 * holds. The array is sorted by clip, material, map, property, and each of these has at most one
 * channel. If a clip animates the emissive colour or its strength, it has channels for both. If it
 * animates one part of a texture transform, it has channels for all three. */
typedef struct mrw_material_channel {
    uint32_t clip;
    /* Index into materials. */
    uint32_t material;
    /* mrw_map that the property belongs to: BASE_COLOR also for ALPHA_CUTOFF. */
    uint32_t map;
    uint32_t property;      /* mrw_material_property */
    uint32_t interpolation; /* mrw_interpolation */
    /* Number of keys, at least 1. */
    uint32_t key_count;
    /* Index into key_times, as in mrw_channel. */
    uint32_t first_time;
    /* Index into key_values, as in mrw_channel. */
    uint32_t first_value;
} mrw_material_channel;

/* ---- Cameras and lights ---------------------------------------------------------------------- */

/* A camera (glTF 2.0, 3.10). It looks along its node's -Z; up is the node's +Y. */
typedef struct mrw_scene_camera {
    uint32_t name;
    uint32_t node;
    /* 0: perspective; 1: orthographic. */
    uint32_t orthographic;
    /* Perspective: full vertical angle in radians, above 0 and below pi. */
    float yfov;
    /* Perspective: width / height; 0: that of the picture. */
    float aspect;
    /* Orthographic: half width and half height, above 0. */
    float xmag, ymag;
    /* Distances from the camera. near_plane is above 0, or not negative for orthographic cameras.
     * far_plane is greater, or 0 for infinity (perspective only). */
    float near_plane;
    float far_plane;
} mrw_scene_camera;

typedef enum mrw_scene_light_type {
    MRW_SCENE_LIGHT_DIRECTIONAL,
    MRW_SCENE_LIGHT_POINT,
    MRW_SCENE_LIGHT_SPOT
} mrw_scene_light_type;

/* A light of the file, as KHR_lights_punctual defines it. mrw_frame_def (frame.h) says which
 * pictures it lights. */
typedef struct mrw_scene_light {
    uint32_t name;
    /* Node that places the light. Directional lights and spots shine along its -Z. */
    uint32_t node;
    /* mrw_scene_light_type */
    uint32_t type;
    /* Linear RGB, not negative. */
    float color[3];
    /* Intensity in glTF units: lux for directional lights, else candela. Other formats define no
     * unit. Their lights are scaled so that strength 1 in the file gives pi lux at the model, which
     * makes a white matt surface that faces the light white. Files from Blender 2.80 and later are
     * read in watts. */
    float intensity;
    /* Distance at which the light ends, not negative; 0: infinite. */
    float range;
    /* Spots: angles from the axis in radians, 0 <= inner <= outer <= pi. */
    float inner_cone;
    float outer_cone;
} mrw_scene_light;

/* ---- The scene ------------------------------------------------------------------------------- */

/* The list of all arrays of a scene: X(name, element type, elements per entry). Entry i starts at
 * element i * elements per entry; `name_count` counts entries.
 *
 * - strings: the text of all names, NUL-terminated; offset 0 is the empty string.
 * - nodes, matrices, weights: the tree; matrices lead from a node to its parent.
 * - draws: draws in drawing order.
 * - meshes, and their pools: indices ... colors; groups, influence_joints and influence_weights;
 *   targets and morph_vertices ... morph_tangents, in mesh space.
 * - skins, joints (nodes) and geometry_to_joint (inverse bind matrices), one for each joint.
 * - clips, channels, key_times (seconds) and key_values.
 * - materials, textures, images, texels (RGBA, 8 bits).
 * - cameras, lights.
 * - warnings: offsets into strings: what was repaired or left out while loading.
 * - material_channels: the material properties that clips animate. */
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
    X(warnings, uint32_t, 1)                                                                       \
    X(material_channels, mrw_material_channel, 1)

/* A scene. Each array above has a pointer and a count of entries, such as `positions` and
 * `positions_count`. Do not read the pointer of an array whose count is 0. */
typedef struct mrw_scene {
#define MRW_SCENE_FIELD(name, type, per)                                                           \
    const type *name;                                                                              \
    uint32_t name##_count;
    MRW_SCENE_ARRAYS(MRW_SCENE_FIELD)
#undef MRW_SCENE_FIELD
    /* Offset into strings: "gltf2", "glb2", ... */
    uint32_t format;
    /* Index of the clip to play if none is chosen; 0 if there are no clips. It is the first one of
     * the file, or of the last source of mrw_scene_add_clips. Not hashed. */
    uint32_t default_clip;
    /* Block of blob_size bytes that all pointers point into, 64-byte aligned. */
    const void *blob;
    uint64_t blob_size;
    /* Internal to the library. */
    struct mrwi_scene_kept_hash *kept_hash;
} mrw_scene;

/* Returns the string at an offset, such as a name: NUL-terminated UTF-8. It comes from the file;
 * see mrw_escape_text before you print it. Valid as long as the scene. */
static inline const char *mrw_scene_string(const mrw_scene *scene, uint32_t offset)
{
    return scene->strings + offset;
}

/* Returns the name of the scene's format. For a compiled scene it is that of the format it was
 * compiled from, or "" if an older version compiled it. */
MRW_API const char *mrw_scene_source_format(const mrw_scene *scene);

/* Returns the sum of mrw_image_memory over the scene's images, except checkers and unseen
 * images. */
MRW_API uint64_t mrw_scene_texture_memory(const mrw_scene *scene);

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* Hashes of the parts of a scene, so that two scenes can be compared part by part. Part `index` of
 * a kind is entry `index` of the scene's array; all nodes together with their draws are one part.
 *
 * A part is hashed in a canonical form: "marrow KIND" and a newline in ASCII, then its fields by
 * ascending number, each as
 *
 *     number (u32), size in bytes (u64), value
 *
 * with all integers and IEEE floats little-endian. A field with its usual value, in brackets below,
 * is left out, and so is an empty array or name. Later additions to scenes get new numbers, so a
 * scene without them keeps its hash. The layout of the blob, the format's name, the warnings and
 * the decoded pixels of images are not hashed. Names are hashed, as bytes without the NUL, because
 * clips, nodes and cameras are chosen by name.
 *
 *     scene     n: the hashes of all parts of kind n (mrw_scene_part), concatenated
 *     nodes     1 the hash of each node  2 draws: u32 node, mesh, skin, each
 *               3 u32 of each mesh that is MRW_MESH_NONUNIFORM
 *     node      1 name  2 u32 parent [MRW_NONE]  3 translation [0 0 0]  4 rotation [0 0 0 1]
 *               5 scale [1 1 1]  6 its matrix, 16 floats  7 morph weights, a float each
 *               8 u32 flags [0]
 *     shape     1 name  2 u32 material [MRW_NONE]  3 u32 flags but MRW_MESH_NONUNIFORM [0]
 *               4 indices, u32 each  5 positions  6 normals  7 tangents  8, 9 uv  10 colors
 *               11 the hash of each morph target
 *     target    1 name  2 vertices, u32 each  3 positions  4 normals  5 tangents
 *     weights   empty for a rigid mesh; 1 groups: u32 vertex_count, influence_count, each
 *               2 joints, u16 each  3 weights, a float each, in the order of the groups
 *     material  1 name  2 u32 alpha_mode [0]  3 alpha_cutoff [0.5]  4 u32 flags [0]
 *               5 the base colour's factor [1 1 1 1]
 *               6 + m: the hash of map m of MRW_MATERIAL_MAPS, from 0, if it has a texture
 *               256 u32 model [0]  257 ior [1.5]  258 specular [1]  259 clearcoat [0]
 *               260 clearcoat_roughness [0]  261 shininess [0]
 *               512 + m: the factor of map m, if it has no texture but the factor still applies
 *               [as in mrw_material_map]; not for the base colour, whose factor is field 5
 *     map       1 name of the texture  2 u32 image  3, 4 u32 wrap_u, wrap_v [0]  5 u32 nearest [0]
 *               6 u32 uv_set [0]  7 uv_transform [1 0 0 0 1 0]
 *               8 factor [1 1 1 1], omitted for the base colour  9 u32 minify [0]
 *     image     1 name  2 path  3 its hash, if it has one
 *     skin      1 name  2 joints, u32 each  3 geometry_to_joint, 16 floats each
 *     clip      1 name  2 full_name  3 double start [0]  4 double duration [0]
 *               5 the hash of each channel  6 the hash of each material channel
 *     channel   1 u32 node  2 u32 path [0]  3 u32 interpolation [0]  4 times, a double each
 *               5 values, a float each  6 u32 before [0]  7 u32 after [0]
 *               8 u32 before_cycles [0]  9 u32 after_cycles [0]
 *     material channel
 *               1 u32 material  2 u32 map [0]  3 u32 property [0]  4 u32 interpolation [0]
 *               5 times, a double each  6 values, a float each
 *     camera    1 name  2 u32 node  3 u32 orthographic [0]  4 yfov [0]  5 aspect [0]  6 xmag [0]
 *               7 ymag [0]  8 near_plane [0]  9 far_plane [0]
 *     light     1 name  2 u32 node  3 u32 type [0]  4 color [1 1 1]  5 intensity [1]  6 range [0]
 *               7 inner_cone [0]  8 outer_cone [0] */
typedef enum mrw_scene_part {
    MRW_PART_NODES = 1, /* one part */
    MRW_PART_SHAPES,    /* one per mesh: its surface and morph targets */
    MRW_PART_WEIGHTS,   /* one per mesh: its influences */
    MRW_PART_MATERIALS, /* with their maps */
    MRW_PART_IMAGES,
    MRW_PART_SKINS,
    MRW_PART_CLIPS,
    MRW_PART_CAMERAS,
    MRW_PART_LIGHTS,
    MRW_PART_END
} mrw_scene_part;

/* Version of the formula above. Goldens and manifests store it with the hash, because hashes of
 * different formulas cannot be compared. Formula 1 hashed the bytes of the blob. */
#define MRW_SCENE_FORMULA 2

/* Returns the number of parts of a kind. */
MRW_API uint32_t mrw_scene_part_count(const mrw_scene *scene, mrw_scene_part kind);

/* Computes the hash of part `index`, which is below the count. Every call computes it again, which
 * takes about a second per gigabyte. Thread-safe. */
MRW_API void mrw_scene_part_hash(const mrw_scene *scene, mrw_scene_part kind, uint32_t index,
                                 uint8_t out[32]);

/* Returns the hash of the scene, computed from the hashes of all its parts: 32 bytes, valid as long
 * as the scene. Equal scenes have equal hashes on every little-endian machine, whether or not
 * images were decoded. Computed on the first call. Thread-safe. */
MRW_API const uint8_t *mrw_scene_hash(const mrw_scene *scene);

/* Writes the scene's hash as 64 lower-case hexadecimal digits and a NUL. */
MRW_API void mrw_scene_hash_text(const mrw_scene *scene, char out[65]);

/* Finds a clip as the command does: by exact name, full name, index from 0, then glob (`*`, `?`,
 * `[...]`). The first match counts. If none matches, returns MRW_ERROR_INPUT and a message with the
 * nearest names. */
MRW_API mrw_status mrw_scene_find_clip(const mrw_scene *scene, const char *pattern, uint32_t *out,
                                       mrw_error *error);

/* Finds a camera by name or index from 0; otherwise as mrw_scene_find_clip. */
MRW_API mrw_status mrw_scene_find_camera(const mrw_scene *scene, const char *name, uint32_t *out,
                                         mrw_error *error);

/* Finds the entries of material_channels that belong to a clip: *first is the first one. Returns
 * their number. clip is below clips_count, or MRW_NONE: none. */
MRW_API uint32_t mrw_scene_material_channels(const mrw_scene *scene, uint32_t clip,
                                             uint32_t *first);

/* Finds the times of the first and the last key of all channels of a clip, in seconds from its
 * start. clip is below clips_count. Returns false and sets both to 0 if the clip has no
 * channels. */
MRW_API bool mrw_scene_key_span(const mrw_scene *scene, uint32_t clip, double *first, double *last);

/* ---- Life ------------------------------------------------------------------------------------ */

/* Frees the memory of all images. Call it once models have been created from the scene, while
 * nothing else uses the scene. The models have textures of their own and are drawn as before. The
 * rest of the scene and its hashes stay. The scene can no longer be prepared for drawing or
 * compiled, because its images become MRW_IMAGE_UNDECODED. */
MRW_API void mrw_scene_drop_texels(mrw_scene *scene);

/* Frees a scene. NULL is allowed. */
MRW_API void mrw_scene_free(mrw_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
