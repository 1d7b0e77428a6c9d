/* raster.h: the rasterizer: triangles to pixels. Takes arrays and knows nothing of scenes.
 *
 * Drawing a frame: vertices are transformed to clip space. Triangles are culled, clipped to the
 * near plane and a guard band, snapped to 8 sub-pixel bits, and binned into bands of scanlines;
 * each band belongs to one thread. Coverage and depth come from exact integer edge functions
 * (top-left rule), with one depth and triangle id per sample. Shading runs once per visible pixel
 * and triangle, over compacted lists. Transparent fragments are blended per sample, in the order of
 * their depths there. Then follow resolve, exposure and tone map, background, and colour encoding.
 *
 * The smallest (depth, draw order) wins a sample. The result therefore does not depend on the order
 * in which triangles are processed, on the kernels, or on the number of threads. Triangles are
 * clipped at the near and the far plane. Transparent fragments are blended far to near, and in draw
 * order at equal depths, so surfaces may intersect and draws may come in any order (Carpenter's
 * A-buffer, 1984). This holds up to MRW_RASTER_FRAGMENTS_MAX fragments per band. Coverage is
 * watertight: triangles that share an edge (the same two positions, in any draws) cover each sample
 * along it exactly once.
 *
 * Spaces: vertices are in world space. world_to_clip leads to clip space, with x and y in -w ... w
 * and depth in 0 ... w, near to far. Pixels are counted from the top left. Matrices are
 * column-major, for column vectors. Colours are linear unless a comment says sRGB.
 *
 * Threads: any number of threads may draw with one texture. A mrw_raster serves one caller at a
 * time.
 */
#ifndef MARROW_RASTER_H
#define MARROW_RASTER_H

#include "base.h"
#include "image.h"
#include "light.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shading modes. */
typedef enum mrw_shading {
    MRW_SHADING_LIT,     /* all light, with the material's own mrw_surface */
    MRW_SHADING_FLAT,    /* like LIT, with triangle normals and without normal maps */
    MRW_SHADING_CLAY,    /* all light on uniform matt grey surfaces */
    MRW_SHADING_LAMBERT, /* all lights on matt surfaces: only the base colour is used */
    /* Phong lighting as in OpenGL tutorials (Phong 1975): no division by pi, and no normalisation
     * of highlights. The result is the ambient light times the base colour, plus emission, plus for
     * each light its colour times base * N.L + specular * (R.L)^n where N.L is above 0. R is the
     * mirrored direction of the eye. MRW_SURFACE_CLASSIC uses its specular colour, and as n a
     * quarter of the shininess, which gives highlights of the same size. For METALLIC_ROUGHNESS the
     * specular colour is 1 - roughness, times the base colour for metals and times 0.5 otherwise.
     * For SPECULAR_GLOSSINESS it is glossiness times specular_color. In both cases n is (1 /
     * roughness^4 - 1) / 2. */
    MRW_SHADING_PHONG,
    MRW_SHADING_GOURAUD, /* the same per vertex, interpolated between vertices */
    MRW_SHADING_TOON,    /* all lights in bands, with a crisp highlight and a dark rim */
    MRW_SHADING_MATCAP,  /* looks normals up in mrw_raster_job.matcap, a picture of a ball */
    /* Wireframe: triangle edges, one pixel wide, drawn over hidden ones. An edge is opaque if the
     * triangle's smallest height is 4 pixels or more, and fades to nothing at 1 pixel, so that
     * dense meshes stay grey. */
    MRW_SHADING_WIRE,
    MRW_SHADING_UNLIT, /* base colours of all materials, as in KHR_materials_unlit */
    MRW_SHADING_RAW,   /* stored bytes, filtered and written: no lights, no encoding */
    /* Data modes: each byte is 255 times a value, never lit, exposed or tone-mapped. Values are
     * averaged at edges when there are several samples, and mixed by alpha where surfaces blend.
     * Alpha masks cut holes. The comments name the mrw_shading_channel that is shown. */
    MRW_SHADING_NORMAL,     /* NORMAL */
    MRW_SHADING_UV,         /* UV0 */
    MRW_SHADING_DEPTH,      /* VERTEX_COLOR filled in by frame/: white near, black far */
    MRW_SHADING_JOINT,      /* VERTEX_COLOR: a colour per joint */
    MRW_SHADING_INFLUENCES, /* VERTEX_COLOR: number of joints that move the vertex */
    MRW_SHADING_WEIGHTS,    /* VERTEX_COLOR: weight of one joint */
    MRW_SHADING_CHANNEL,    /* any channel */
    MRW_SHADING_COUNT
} mrw_shading;

/* Inputs of shading just before lighting: after maps, factors, filters and interpolation. Vectors
 * are unit vectors in world space, stored as n / 2 + 1/2. MRW_SHADING_CHANNEL encodes colours
 * (BASE, EMISSIVE, VERTEX_COLOR) as sRGB and writes everything else as plain numbers. */
typedef enum mrw_shading_channel {
    MRW_CHANNEL_BASE,            /* base colour: factor, vertex colour and map */
    MRW_CHANNEL_ALPHA,           /* its alpha, even for opaque materials */
    MRW_CHANNEL_METALLIC,        /* 0 for surfaces without it: mrw_surface */
    MRW_CHANNEL_ROUGHNESS,       /* that of CLASSIC comes from its shininess */
    MRW_CHANNEL_OCCLUSION,       /* includes its strength; 1 without a map */
    MRW_CHANNEL_EMISSIVE,        /* factor times map; values above 1 are clamped */
    MRW_CHANNEL_NORMAL_MAP,      /* tangent space, scaled; (0, 0, 1) without a map */
    MRW_CHANNEL_NORMAL,          /* normal of the visible side, with the normal map */
    MRW_CHANNEL_GEOMETRY_NORMAL, /* normal of the visible side, without the map */
    MRW_CHANNEL_TANGENT,         /* 1/2 for draws without tangents */
    MRW_CHANNEL_TANGENT_W,       /* bitangent's sign as 0 or 1; 1/2 without tangents */
    MRW_CHANNEL_UV0, /* fractions of u and v; frame/ passes them as the draw's red and green */
    MRW_CHANNEL_UV1, /* likewise, of the second set */
    MRW_CHANNEL_VERTEX_COLOR, /* the draw's colours; white if it has none */
    MRW_CHANNEL_COUNT
} mrw_shading_channel;

/* Returns the channel's name in --shading channel:NAME. */
MRW_API const char *mrw_shading_channel_name(mrw_shading_channel channel);

/* The inputs of a shading mode and the processing of its colours. */
typedef struct mrw_shading_info {
    /* Name as in --shading, with a colon and a word if the mode takes an argument. */
    const char *name;
    /* One-line description. */
    const char *shows;
    /* Reads lights, ambient light and normals. */
    bool lit;
    /* Shows an mrw_shading_channel. */
    bool data;
    /* Looks up mrw_raster_job.matcap by normals, normal maps included; reads no light. */
    bool matcap;
    /* Reads environments, too; frames use the studio's rig and environment by default
     * (mrw_frame_def). If false, they use other default lights. */
    bool environment;
    /* Reads all maps and factors of materials. If false, only base colour, its map and alpha. */
    bool materials;
    /* Reads base colours. If false, only their alpha. */
    bool base_color;
    /* Uses triangle normals and reads no normal maps. */
    bool flat;
    /* Lights vertices: the light arrives as the colours of draws, which frames compute
     * (mrw_raster_light_vertices). */
    bool at_vertices;
    /* Treats the lights of a frame as classic lamps of tutorials: mrw_light_place_classic. */
    bool classic_lights;
    /* Shows the base colour of `unlit` materials unchanged. */
    bool keeps_unlit;
    /* Reads the exposure, and the tone map, respectively. */
    bool exposed, tone_mapped;
    /* Outputs linear light, encoded as sRGB. If false, bytes are 255 times the output. */
    bool encoded;
    /* Needs colour textures in MRW_ENCODING_RAW. If false, in COLOR. */
    bool stored;
} mrw_shading_info;

/* Returns the properties of a mode, never NULL. */
MRW_API const mrw_shading_info *mrw_shading_info_of(mrw_shading shading);

/* Tone maps: how light of any strength becomes colours in 0 ... 1. Used by modes with
 * mrw_shading_info.tone_mapped, in LIT for unlit materials, too. A tone map is applied to a pixel's
 * average over its samples, divided by alpha. The result is laid over the background, which is not
 * tone-mapped. */
typedef enum mrw_tonemap {
    MRW_TONEMAP_NONE, /* clamp each channel at 1 */
    /* Filmic: Stephen Hill's fit (BakingLab, 2016) of the ACES rendering transform and its output
     * transform for sRGB displays. As in three.js, colours are divided by 0.6 first, for
     * surroundings brighter than a cinema. Hues change, and bright colours turn white. */
    MRW_TONEMAP_ACES,
    /* Khronos PBR Neutral (2024). Colours of 0.08 ... 0.8 are reduced by 0.04, which is what a
     * smooth dielectric adds to its base colour under white light of strength 1. Brighter colours
     * are compressed and turn white. Hues stay, and greys stay grey. */
    MRW_TONEMAP_NEUTRAL
} mrw_tonemap;

/* Texture filters. The level of detail is log2 of the longer side of the pixel's footprint, in
 * texels of the finest level, from analytic derivatives (Heckbert 1989), and at least 0. At level 0
 * the texture is magnified; a material with `nearest` then shows the nearest texel of the finest
 * level, whatever the filter. */
typedef enum mrw_filter {
    MRW_FILTER_NEAREST,   /* nearest texel of the finest level */
    MRW_FILTER_BILINEAR,  /* 2 x 2 texels of the finest level */
    MRW_FILTER_TRILINEAR, /* default: 2 x 2 texels of each of the two levels around the level of
                             detail (Williams 1983), or as the map's `minify` says */
    MRW_FILTER_ANISO /* mean of up to 16 such probes along the longer axis of the footprint; the
                        level of detail follows from the shorter axis, or from a 16th of the longer
                        one if that is larger */
} mrw_filter;

/* The meaning of an image's bytes, and the precision of the stored levels. */
typedef enum mrw_encoding {
    MRW_ENCODING_COLOR, /* sRGB with straight alpha; stored linear, 16 bits per channel */
    MRW_ENCODING_RAW,   /* for MRW_SHADING_RAW: bytes as they are; 16 bits per channel */
    MRW_ENCODING_DATA,  /* linear values (roughness, normals, occlusion ...); 8 bits per channel,
                           each level rounded to nearest */
    MRW_ENCODING_COUNT
} mrw_encoding;

/* A texture with its mipmaps. Level 0 is the image; each further level has half the sides, rounded
 * down, to 1 x 1. A filled texture is immutable, so any number of threads may draw with it. */
typedef struct mrw_raster_texture mrw_raster_texture;

/* The meaning of a texture's alpha, which decides how the levels after the first are made. Alpha
 * itself is averaged like any channel. */
typedef enum mrw_texture_alpha {
    /* No meaning, or a value like the others: channels are averaged separately. */
    MRW_TEXTURE_ALPHA_PLAIN,
    /* Opacity, as for blended materials. In MRW_ENCODING_COLOR, colours are averaged weighted by
     * alpha (premultiplied, then stored straight), so the colour of transparent texels leaves no
     * fringe. Texels with alpha 0, of every level, take the colour of nearby texels, since
     * filtering mixes it in. If no texel has alpha, and for RAW textures, colours stay unchanged.
     */
    MRW_TEXTURE_ALPHA_COVERS,
    /* A mask, as for masked materials: like COVERS, then the alpha of each level is scaled so that
     * the same share of it, filtered, reaches the cutoff as of the first level's texels (Castano,
     * "Computing Alpha Mipmaps", 2010). Without this, thin shapes such as leaves would vanish at a
     * distance. */
    MRW_TEXTURE_ALPHA_MASKS,
    /* Spread of normals, for normal maps in MRW_ENCODING_DATA. The image's own alpha is ignored.
     * Alpha becomes sqrt(1 - r), where r is the length of the mean of unit normals that vary in all
     * directions as much as the texel's normals vary in the direction where they vary least. It is
     * 0 at the first level and grows with the spread. A groove or an edge gives 0, because its
     * normals lie on one line. Normal maps with this alpha widen highlights by the detail that
     * their levels have averaged away (Toksvig, "Mipmapping Normal Maps", 2005). Highlights are
     * widened in all directions; the full spread of a groove would therefore make its walls mirror
     * lights that they do not see. */
    MRW_TEXTURE_ALPHA_SPREAD
} mrw_texture_alpha;

/* Creates a texture of width * height texels, and fills it with all levels of `rgba` as
 * mrw_raster_texture_fill does. If `rgba` is NULL, the texture must be filled later, before
 * anything is drawn with it. Sides of 0 or above 16384 are MRW_ERROR_INPUT. The caller frees *out;
 * after a failure it is NULL. */
MRW_API mrw_status mrw_raster_texture_create(const uint8_t *rgba, uint32_t width, uint32_t height,
                                             mrw_encoding encoding, mrw_raster_texture **out,
                                             mrw_error *error);

/* Sets the meaning of the alpha; the default is PLAIN. Call it before the texture is filled. With
 * MRW_ENCODING_DATA only SPREAD is allowed. `cutoff` is used with MASKS: the alpha, 0 ... 1, from
 * which a texel is visible. At 0 or less all texels are visible, above 1 none; the alpha of levels
 * is then not scaled. */
MRW_API void mrw_raster_texture_set_alpha(mrw_raster_texture *texture, mrw_texture_alpha alpha,
                                          float cutoff);

/* Builds the mip pyramid from width * height RGBA8 texels with rows from the top, using a box
 * filter, in linear light for colours. Keeps the levels from `finest` on (see
 * mrw_raster_finest_levels); 0 keeps all, and the last level is always kept. A level is the same
 * whichever others are kept. `rgba` is only read during the call. Call it once per texture, from
 * one thread. Fails only if memory runs out; it may then be called again. */
MRW_API mrw_status mrw_raster_texture_fill(mrw_raster_texture *texture, const uint8_t *rgba,
                                           uint32_t finest, mrw_error *error);

/* Height of white above black in a bump map of strength 1, as a fraction of the map's longer side
 * on the surface. Files give no unit for heights; this way relief looks the same for any size of
 * the model and any number of texels. On a wall of 2 metres it is 8 mm. */
#define MRW_RASTER_RELIEF (1.0 / 256.0)

/* Converts a bump map to a normal map. The height is the mean of red, green and blue. `out`
 * receives width * height RGBA8 texels with green up, for a texture of MRW_ENCODING_DATA with
 * MRW_TEXTURE_ALPHA_SPREAD. Other strengths than 1 are applied when drawing, as normal_scale;
 * negative ones turn bumps into dents. Beyond an edge lies the opposite edge if the map repeats,
 * otherwise the edge itself. Slopes are divided by `scale`, which is above 0; multiply normal_scale
 * by it. The value of mrw_raster_height_scale makes the best use of the 8 bits. `rgba` and `out`
 * belong to the caller and do not overlap. */
MRW_API void mrw_raster_heights_to_normals(const uint8_t *rgba, uint32_t width, uint32_t height,
                                           bool repeats_u, bool repeats_v, float scale,
                                           uint8_t *out);

/* Returns how steep a bump map is: 4 or a half, a quarter ... of it, down to 1/64. Normals with
 * slopes divided by this lean neither too little nor too much. Samples at most 256 x 256 texels. */
MRW_API float mrw_raster_height_scale(const uint8_t *rgba, uint32_t width, uint32_t height);

/* Returns true if an image is a normal map, which exporters sometimes write in place of a bump map:
 * more than half of its texels are blue and of unit length. Samples up to 256 x 256 texels. */
MRW_API bool mrw_raster_are_normals(const uint8_t *rgba, uint32_t width, uint32_t height);

/* Returns the size of a texture's levels in bytes; 0 before it is filled. */
MRW_API uint64_t mrw_raster_texture_memory(const mrw_raster_texture *texture);

/* A level of a texture: rows of `width` RGBA texels with straight alpha, `stride` texels apart. 16
 * bits per channel (0 ... 65535); 8 bits (0 ... 255) for MRW_ENCODING_DATA. */
typedef struct mrw_raster_texture_level {
    uint32_t width, height, stride;
    const void *texels;
} mrw_raster_texture_level;

/* Number of levels of the largest texture. */
#define MRW_RASTER_TEXTURE_LEVELS 15

/* The contents of a filled texture, for other renderers. */
typedef struct mrw_raster_texture_info {
    uint64_t id; /* unique in this process, also among freed textures; not 0 */
    mrw_encoding encoding;
    mrw_texture_alpha alpha;
    uint32_t width, height; /* size of level 0, even if it is not kept */
    uint32_t level_count;   /* number of levels down to 1 x 1 */
    uint32_t finest;        /* first level that is kept; finer ones are not read */
    mrw_raster_texture_level levels[MRW_RASTER_TEXTURE_LEVELS]; /* valid from `finest` on */
} mrw_raster_texture_info;
/* Returns the contents of a filled texture. They belong to the texture. */
MRW_API mrw_raster_texture_info mrw_raster_texture_look(const mrw_raster_texture *texture);

/* Frees a texture, which no draw may use any more. NULL is allowed. */
MRW_API void mrw_raster_texture_free(mrw_raster_texture *texture);

/* The textures of a material: the maps of scene.h that are drawn, with the same names. */
typedef enum mrw_raster_map_kind {
    MRW_RASTER_MAP_BASE_COLOR,          /* multiplies base_color, including alpha */
    MRW_RASTER_MAP_METALLIC_ROUGHNESS,  /* green multiplies roughness, blue multiplies metallic */
    MRW_RASTER_MAP_NORMAL,              /* 2 rgb - 1, x and y times normal_scale */
    MRW_RASTER_MAP_OCCLUSION,           /* red: share of the ambient light that arrives */
    MRW_RASTER_MAP_EMISSIVE,            /* multiplies emissive */
    MRW_RASTER_MAP_SPECULAR,            /* multiplies specular_color; alpha multiplies glossiness */
    MRW_RASTER_MAP_METALLIC,            /* red multiplies metallic */
    MRW_RASTER_MAP_ROUGHNESS,           /* red multiplies roughness */
    MRW_RASTER_MAP_SPECULAR_STRENGTH,   /* alpha multiplies specular */
    MRW_RASTER_MAP_CLEARCOAT,           /* red multiplies clearcoat */
    MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS, /* green multiplies clearcoat_roughness */
    MRW_RASTER_MAP_CLEARCOAT_NORMAL,    /* like NORMAL, with clearcoat_normal_scale */
    MRW_RASTER_MAP_SHEEN_COLOR,         /* multiplies sheen_color */
    MRW_RASTER_MAP_SHEEN_ROUGHNESS,     /* alpha multiplies sheen_roughness */
    MRW_RASTER_MAP_COUNT
} mrw_raster_map_kind;

/* A texture and its placement on a mesh. */
typedef struct mrw_raster_map {
    /* Borrowed; NULL: no texture, and the other fields are ignored. Colour textures have
     * MRW_ENCODING_RAW for MRW_SHADING_RAW, otherwise COLOR. DATA is shown as linear values. */
    const mrw_raster_texture *texture;
    /* mrw_wrap of scene.h, across and down: 0 repeat, 1 clamp, 2 mirror. */
    uint32_t wrap_u, wrap_v;
    /* Magnify with the nearest texel. */
    bool nearest;
    /* mrw_minify of scene.h: how MRW_FILTER_TRILINEAR minifies the texture. 0: as described there.
     * 1: the nearest texel of each of the two levels. 2 and 3: the level nearest to the level of
     * detail, with 2 x 2 texels or the nearest one. 4 and 5: the finest level, likewise. */
    uint32_t minify;
    /* Texture coordinates of the draw: 0 is uvs, k up to MRW_RASTER_MORE_UVS is more_uvs[k - 1]. */
    uint32_t uvs;
} mrw_raster_map;

/* Surface models of MRW_SHADING_LIT. Roughness is increased where highlights would be smaller than
 * a pixel and flicker: by the detail that the levels of a normal map have averaged away
 * (MRW_TEXTURE_ALPHA_SPREAD), and by how much interpolated normals turn from pixel to pixel
 * (Tokuyoshi and Kaplanyan, "Improved Geometric Specular Antialiasing", 2019). Magnified maps and
 * surfaces that hardly turn within a pixel are not changed. V is the direction to the eye, L the
 * direction to a light, N the normal, H the bisector of V and L. */
typedef enum mrw_surface {
    /* glTF 2.0, appendix B: a mix of metal and dielectric by `metallic`; GGX microfacets with
     * height-correlated masking (Heitz 2014); Schlick's Fresnel (1994). Includes the Khronos
     * extensions specular, ior and clearcoat. */
    MRW_SURFACE_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness: the same microfacets. base_color is the diffuse colour,
     * specular_color the reflectance, and roughness is 1 - glossiness. */
    MRW_SURFACE_SPECULAR_GLOSSINESS,
    /* Phong and Blinn, shown by the same microfacets; n is the shininess, 0 for no highlight. The
     * roughness is the fourth root of 2 / (n + 2) (Walter et al. 2007). f0 is specular_color times
     * 0.08, and at most 0.2; f90 is its largest channel, so nothing is brighter at grazing angles.
     * src/shade/LOOK.md gives the reasons. */
    MRW_SURFACE_CLASSIC
} mrw_surface;

/* The look of a draw. A factor applies even without its map, which then counts as 1. */
typedef struct mrw_raster_material {
    /* Linear RGBA, straight alpha, 0 ... 1. */
    float base_color[4];
    /* Textures, indexed by mrw_raster_map_kind. */
    mrw_raster_map maps[MRW_RASTER_MAP_COUNT];
    /* mrw_alpha_mode of scene.h: 0 opaque, 1 mask, 2 blend. */
    uint32_t alpha_mode;
    /* MASK: alpha below this is a hole. Tested per sample, so a pixel may be covered in part. */
    float alpha_cutoff;
    /* MASK: replaces the cutoff by nine cutoffs (k + 0.5) / 9 in repeating squares of 3 x 3 pixels,
     * so that alpha decides how many of them are covered. For translucent shadow casters: the mean
     * over any three by three texels shows no pattern (ordered dithering, Bayer 1973). */
    bool screen_door;
    /* Draw back faces, with inverted normals. If false, they are culled. */
    bool double_sided;
    /* Ignores lights, but the colours are colour-managed. */
    bool unlit;
    mrw_surface surface;
    /* METALLIC_ROUGHNESS; 0 ... 1. A roughness below 0.045 counts as 0.045. */
    float metallic, roughness;
    /* METALLIC_ROUGHNESS: reflectance of the dielectric at normal incidence (0.04 for an ior of
     * 1.5). specular_color tints it, `specular` scales it. */
    float reflectance, specular;
    /* Linear RGB; white is the default for METALLIC_ROUGHNESS. */
    float specular_color[3];
    /* SPECULAR_GLOSSINESS; 0 ... 1. */
    float glossiness;
    /* CLASSIC: the exponent n, 0 ... 4096. */
    float shininess;
    /* Linear RGB, not negative; added after all light. */
    float emissive[3];
    /* Factors on x and y of the normal maps. */
    float normal_scale, clearcoat_normal_scale;
    /* Strength of the occlusion map, 0 ... 1. */
    float occlusion_strength;
    /* KHR_materials_clearcoat; 0: no coat. */
    float clearcoat, clearcoat_roughness;
    /* METALLIC_ROUGHNESS: KHR_materials_sheen, approximated: the layers below are dimmed by what
     * the fibres reflect to the eye, whatever the light. The colour is linear RGB, 0 ... 1; black
     * means no sheen. The roughness is 0 ... 1; below 0.07 it counts as 0.07. */
    float sheen_color[3], sheen_roughness;
    /* Transform m of the draw's uvs: u' = m[0] u + m[1] v + m[2], v' = m[3] u + m[4] v + m[5]. */
    float uv_transform[6];
} mrw_raster_material;

/* Returns true if the surface has sheen. */
static inline bool mrw_raster_has_sheen(const mrw_raster_material *m)
{
    const float *c = m->sheen_color;
    return m->surface == MRW_SURFACE_METALLIC_ROUGHNESS &&
           (c[0] > 0.0f || c[1] > 0.0f || c[2] > 0.0f);
}

/* Texture coordinates for maps that do not use the draw's uvs: one of the draw's sets with the
 * map's own transform. */
typedef struct mrw_raster_uvs {
    /* vertex_count float[2], or NULL: all 0 before the transform. */
    const float *uvs;
    /* Like uv_transform of mrw_raster_material. */
    float transform[6];
} mrw_raster_uvs;

/* Enough sets to place each map differently. */
#define MRW_RASTER_MORE_UVS (MRW_RASTER_MAP_COUNT - 1)

/* A rectangle of pixels: x0 ... x1 - 1 in rows y0 ... y1 - 1. */
typedef struct mrw_raster_window {
    int32_t x0, y0, x1, y1;
} mrw_raster_window;

/* The ground below the model. */
typedef enum mrw_ground {
    MRW_GROUND_NONE,
    /* Shadow catcher: black, with an alpha scaled by the share of the light there that shadows
     * block, measured as luminance. */
    MRW_GROUND_CATCHER,
    MRW_GROUND_COLOR /* coloured ground, with its own material */
} mrw_ground;

/* An indexed triangle list in world space; counter-clockwise is the front. Positions and normals
 * are float[4] per vertex, as written by mrw_skin_vertices. Triangles with NaN or infinite
 * positions are not drawn. All memory is borrowed for the call. */
typedef struct mrw_raster_draw {
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* 3 * triangle_count indices, each below vertex_count. */
    const uint32_t *indices;
    /* vertex_count float[4]: x, y, z, 1. */
    const float *positions;
    /* vertex_count float[4]: x, y, z, 0; any length. */
    const float *normals;
    /* vertex_count float[2], or NULL: all 0. */
    const float *uvs;
    /* vertex_count float[4], linear RGBA, straight alpha, or NULL: white. */
    const float *colors;
    /* vertex_count float[4]: x, y, z of any length, then the sign s of the bitangent, which is
     * cross(normal, tangent) * s. NULL: normal maps are ignored. */
    const float *tangents;
    /* Further texture coordinates. A set that no map of the material uses costs nothing. */
    mrw_raster_uvs more_uvs[MRW_RASTER_MORE_UVS];
    bool mirrored; /* the transform's determinant is negative: clockwise is the front */
    bool flat;     /* use triangle normals instead of `normals` */
    /* A draw with ground other than NONE is drawn before all other transparent draws, behind them.
     * Its shadows and occlusion fade out over the last eighth of the picture's shorter side, so
     * that the border of the picture cuts none. CATCHER needs a lit mode and a blended material. */
    mrw_ground ground;
    /* Pixels to which the draw is limited; the rest of the frame costs nothing. NULL: no limit. */
    const mrw_raster_window *window;
    uint32_t id;                         /* value in MRW_TARGET_ID, from 1; 0 is the background */
    const mrw_raster_material *material; /* not NULL */
    /* NULL, or what writes positions, normals and tangents: the rasterizer calls it on its calling
     * thread right before it reads them. It reads one draw after another, so many can share one
     * memory. mrw_raster_light_vertices does not call it. */
    void (*fill)(const void *user);
    const void *fill_user;
} mrw_raster_draw;

/* The camera of a frame. */
typedef struct mrw_raster_view {
    mrw_mat4 world_to_clip;
    /* World-space unit vector towards the viewer; only for highlights of orthographic views. */
    float view_back[3];
    bool orthographic;
} mrw_raster_view;

/* Computes the colours that MRW_SHADING_GOURAUD shows: the draw's colours with their alpha, their
 * RGB times the light of PHONG at the vertices (Gouraud, "Continuous Shading of Curved Surfaces",
 * 1971). As in tutorials, all of it is multiplied by the base colour, highlights included; the
 * specular colour of METALLIC_ROUGHNESS is therefore 1 - roughness here, times 0.5 for non-metals.
 * Ignores maps, shadows and emission. Back faces get the light of the front. `eye` is a point and
 * 1, or for orthographic views the unit vector towards the viewer and 0. `out` holds
 * draw->vertex_count colours. */
MRW_API void mrw_raster_light_vertices(const mrw_raster_draw *draw, const mrw_lighting *lighting,
                                       const float eye[4], float (*out)[4]);

/* The contents of a target. Colour, linear, alpha and coverage combine all samples of a pixel. The
 * others show its first sample, which is the centre if there is only one; there, transparent draws
 * leave the values of the surface behind them. */
typedef enum mrw_target_kind {
    /* U8 or U16, 3 or 4 channels: the picture, encoded as sRGB if the mode is. The stride must be a
     * multiple of a pixel's size, at most INT32_MAX / height pixels. */
    MRW_TARGET_COLOR,
    /* F32 or U16, one channel: clip z / w, 0 (near) to 1 (far, and background). Linear across a
     * triangle on the screen; computed in single precision and clamped to the depths of the
     * triangle's corners. U16 is 65535 times that, rounded to nearest. */
    MRW_TARGET_DEPTH,
    /* U32, one channel: `id` of the visible draw; 0: background. */
    MRW_TARGET_ID,
    /* U32, one channel: index of the visible triangle in its draw, also if the near plane splits
     * it; MRW_NONE: background. */
    MRW_TARGET_TRIANGLE,
    /* U8, one channel: 1 if an opaque or masked surface covers any sample of the pixel, or if a
     * transparent one with alpha above 0 was blended into any; otherwise 0. */
    MRW_TARGET_COVERAGE,
    /* F32, 4 channels, premultiplied: the colours of MRW_TARGET_COLOR before tone map and encoding,
     * from all samples. Includes the exposure if the mode has one, and the background with its
     * alpha. */
    MRW_TARGET_LINEAR,
    /* F32, one channel: alpha of all samples, 0 ... 1, without the background. */
    MRW_TARGET_ALPHA,
    /* F32, 3 channels, for opaque and masked surfaces where the pixel's centre lies on the triangle
     * of its first sample; 0 elsewhere. NORMAL holds the vector that MRW_SHADING_CHANNEL shows
     * encoded, ALBEDO the linear BASE colour. Both are the same in every shading mode: maps,
     * normals, tangents, texture coordinates and colours of draws are read for them even if
     * job.shading does not use these. */
    MRW_TARGET_NORMAL,
    MRW_TARGET_ALBEDO,
    MRW_TARGET_COUNT
} mrw_target_kind;

/* Memory to draw a frame into; it belongs to the caller. */
typedef struct mrw_target {
    mrw_target_kind kind;
    mrw_format format;
    uint32_t channels; /* values per pixel */
    /* Rows of the frame from the top, aligned for the format. All values of the frame's width are
     * written; padding between rows is left alone. */
    void *data;
    /* Bytes from one row to the next: at least a row's size, and a multiple of a value's size. */
    size_t stride;
} mrw_target;

/* Returns a target that covers a whole image, which must have the size of the frame. */
MRW_API mrw_target mrw_target_of(mrw_target_kind kind, const mrw_image *image);

/* A draw's share of a pixel. */
typedef struct mrw_raster_share {
    uint32_t draw;  /* index in the job */
    uint32_t share; /* above 0; MRW_RASTER_SHARE_ALL is the whole pixel */
} mrw_raster_share;

#define MRW_RASTER_SHARE_ALL 0x80000000u

/* Receiver of the shares of draws in pixels. */
typedef struct mrw_raster_shares {
    /* Called once for each pixel that is not empty, with one share per draw, in no particular
     * order. `shares` is valid only during the call. Called concurrently by threads, each for its
     * own pixels: worker 0 ... threads - 1. */
    void (*take)(void *user, int worker, uint32_t x, uint32_t y, const mrw_raster_share *shares,
                 uint32_t count);
    void *user;
} mrw_raster_shares;

/* Ambient occlusion of a picture: how much of the ambient light reaches its surfaces past nearby
 * ones. mrw_occlusion_find makes it. A fragment uses its own pixel or, if that shows another
 * surface, the neighbour with the nearest depth. All memory is borrowed. */
typedef struct mrw_raster_occlusion {
    /* Visibility 0 ... 1 of pixel (x, y) at y * stride + x, including a border of one pixel on
     * every side. */
    const float *visibility;
    /* Depth of the surface at each pixel's centre along the view's axis, in radii; same layout. */
    const float *depths;
    uint32_t stride;
    /* Axis for the same depth of a world-space point p: dot(axis, p) + axis[3]. */
    float axis[4];
} mrw_raster_occlusion;

/* A triangle of a draw. */
typedef struct mrw_raster_source {
    uint32_t draw, triangle; /* index of the draw, index of its triangle */
} mrw_raster_source;

/* The visible triangles of a band, at the first sample of each pixel. The rows y0 ... y1 - 1 run
 * from a multiple of MRW_SHADOW_SPAN_ROWS to the next one or to the end of the frame; from a
 * multiple of 8 if a target holds colours or alpha of transparent surfaces. */
typedef struct mrw_raster_seen {
    uint32_t y0, y1;
    /* Pixels x0 ... x1 - 1 of rows touch_y0 ... touch_y1 - 1. Everything outside is empty; if x0 ==
     * x1, the whole band is. */
    uint32_t x0, x1, touch_y0, touch_y1;
    /* For pixel (x, y) at (y - y0) * stride + x: index of the visible triangle in `sources`, or
     * MRW_RASTER_NOTHING. Pieces of a triangle that the near plane cuts have separate indices. */
    const int32_t *ids;
    size_t stride;
    const mrw_raster_source *sources;
} mrw_raster_seen;

#define MRW_RASTER_NOTHING INT32_MAX

/* Receives each band once, before the next frame is drawn, on the thread that drew it: worker 0 ...
 * threads - 1, one band at a time. */
typedef void (*mrw_raster_visitor)(void *user, int worker, const mrw_raster_seen *seen);

/* One frame: draws, view, lighting and targets. All memory is the caller's. */
typedef struct mrw_raster_job {
    /* Array of draw_count draws. At equal depths an earlier opaque surface is visible. */
    const mrw_raster_draw *draws;
    uint32_t draw_count;
    mrw_raster_view view;
    /* Lights. mrw_shading_info says which modes read them, and likewise exposure and tone map. */
    mrw_lighting lighting;
    /* Occlusion of the ambient light and the environment, made for this view and size; NULL: none.
     * Borrowed. */
    const mrw_raster_occlusion *occlusion;
    mrw_shading shading;
    mrw_shading_channel channel; /* for MRW_SHADING_CHANNEL */
    /* Required by MRW_SHADING_MATCAP, otherwise ignored; borrowed. A picture of a ball that fills a
     * square, in MRW_ENCODING_COLOR with its finest level; its alpha is ignored. A surface shows
     * the point of the ball with the same normal, whatever its base colour; alpha is the surface's.
     * As in three.js, the normal is relative to the direction of the eye, so a ball looks the same
     * anywhere in the picture: x points right, across that direction and the camera's up, and y
     * across both. u = 0.5 + 0.495 x, v = 0.5 - 0.495 y, which stays just inside the rim. Always
     * bilinear. */
    const mrw_raster_texture *matcap;
    mrw_filter filter;
    /* Factor on all light in the picture, 0 ... 1e6: 1 leaves it unchanged, 0 is black. It does not
     * affect `background`. */
    float exposure;
    mrw_tonemap tonemap;
    /* Samples per pixel, 1, 2, 4 or 8, at the standard positions of D3D11. */
    uint32_t samples;
    /* Background as sRGB bytes with straight alpha, written unchanged. A colour target with 3
     * channels treats it as opaque. */
    uint8_t background[4];
    /* Picture in place of `background`, or NULL: see mrw_frame_def. Borrowed. */
    const mrw_image *backplate;
    /* LIT: show the lighting's environment, if it has one, instead of the background. Each pixel
     * shows the environment in the direction of its centre, at the strength that surfaces mirror,
     * blended in linear light and with exposure and tone map. An orthographic view has a single
     * direction and colour. `environment_blur`, 0 ... 1, is the roughness of those surfaces. */
    bool environment_background;
    float environment_blur;
    /* Size in pixels, 1 ... MRW_IMAGE_MAX_SIDE per side. */
    uint32_t width, height;
    /* Output: target_count targets, each of a different kind. Data that no target shows is not
     * computed: without COLOR, LINEAR and ALPHA nothing is lit, and lights, exposure, tone map and
     * background are not read. */
    const mrw_target *targets;
    uint32_t target_count;
    /* NULL, or a receiver of shares, which replaces targets and visitor: the job must have neither.
     * Each sample is an equal part of its pixel. In a sample, the nearest layer takes its alpha,
     * the next layer its alpha of the remainder, and so on in order of depth, for any number of
     * layers; an opaque or masked surface takes the whole remainder. The alpha is that of the base
     * colour: factor, map and vertex colours. If a pixel has more than MRW_RASTER_FRAGMENTS_MAX
     * transparent layers, those of the farthest triangles are dropped. Shares are integers and
     * therefore equal on every machine. The shares of a sample that ends at an opaque layer add up
     * to the whole sample. */
    const mrw_raster_shares *shares;
    /* NULL, or one span per MRW_SHADOW_SPAN_ROWS rows from the top. In: outside the spans, the F32
     * target of MRW_TARGET_DEPTH, which must exist, already holds 1 and is not cleared. Out: the
     * spans enclose all pixels that triangles touched. Empty areas of a map that is redrawn often
     * thus cost nothing. */
    mrw_shadow_span *depth_spans;
    /* NULL, or the same for targets other than COLOR: for each target, NULL or as many spans. In:
     * outside the spans, the target already holds its background. */
    mrw_shadow_span *const *target_spans;
    /* NULL, or a visitor that sees the bands of opaque and masked surfaces while they are still in
     * the CPU's caches. */
    mrw_raster_visitor visit;
    void *visit_user;
    /* Instruction set of the kernels; all give the same bits. */
    mrw_isa isa;
    /* Number of threads that share the bands, and the vertices and triangles of draws with 65536 or
     * more of these. 1: starts no thread. */
    int threads;
} mrw_raster_job;

/* Work memory of the rasterizer. It is kept between frames, so only the first frame allocates. Use
 * one per calling thread: two frames must not be drawn with it at the same time. */
typedef struct mrw_raster mrw_raster;

/* Creates work memory. The caller frees *out with mrw_raster_free. Fails only if memory runs out.
 */
MRW_API mrw_status mrw_raster_create(mrw_raster **out, mrw_error *error);

/* Frees work memory. NULL is allowed. */
MRW_API void mrw_raster_free(mrw_raster *raster);

/* Draws one frame. Fails only if memory runs out or this machine lacks the ISA. Arguments out of
 * range, and targets with a wrong format, number of channels or stride, are programming errors. */
MRW_API mrw_status mrw_raster_draw_frame(mrw_raster *raster, const mrw_raster_job *job,
                                         mrw_error *error);

/* Largest number of transparent fragments in a band of 8 rows that are blended exactly. A band with
 * more blends its transparent triangles one after another, in the order of their centroids' depths;
 * where two of them cross, one hides the other. Fragments with alpha 0 do not count, nor do hidden
 * ones as far as they are detected. The limit is the same in all bands, for any threads and ISA. */
#define MRW_RASTER_FRAGMENTS_MAX 524288u

/* Returns the number of bands of the last frame that exceeded this limit. */
MRW_API uint32_t mrw_raster_sorted_bands(const mrw_raster *raster);

/* ---- Ambient occlusion ----------------------------------------------------------------------- */

/* Work memory for ambient occlusion, which is computed from the depths on the screen alone. It is
 * kept between pictures; use one per calling thread.
 *
 *     mrw_occlusion_begin(memory, &depths, &error);
 *     mrw_raster_draw_frame(raster, &depths, &error);
 *     mrw_occlusion_find(memory, &depths, radius, strength, &occlusion);
 */
typedef struct mrw_occlusion mrw_occlusion;

/* Creates work memory. The caller frees *out with mrw_occlusion_free. */
MRW_API mrw_status mrw_occlusion_create(mrw_occlusion **out, mrw_error *error);

/* Frees work memory. NULL is allowed. */
MRW_API void mrw_occlusion_free(mrw_occlusion *memory);

/* Makes a job, whose size is set, draw its depths into the memory: sets its samples, targets and
 * spans. Fails only if memory runs out. */
MRW_API mrw_status mrw_occlusion_begin(mrw_occlusion *memory, mrw_raster_job *depths,
                                       mrw_error *error);

/* Computes the occlusion after that job has been drawn. The visibility is 1 - strength * s, at
 * least 0. s is the blocked share of the light from all directions, weighted by the cosine to the
 * triangles' normals. A surface at the distance t blocks (1 - (t / radius)^2)^2 of it: all at
 * distance 0, none from `radius` on. `radius` is above 0, in units of the world. Surfaces outside
 * the picture block nothing; visible ones count as solid behind. Reads view, ISA and threads of the
 * job; all ISAs and threads give the same bits. *out points into the memory and is valid until its
 * next use. */
MRW_API void mrw_occlusion_find(mrw_occlusion *memory, const mrw_raster_job *depths, float radius,
                                float strength, mrw_raster_occlusion *out);

/* ---- Prepared frames ------------------------------------------------------------------------- */

/* A light with everything precomputed that is the same for all surfaces. */
typedef struct mrw_raster_lamp {
    bool placed; /* point or spot at `position`; else directional */
    bool spot;
    float to_light[3], position[3], color[3]; /* from mrw_light */
    float shine[3];                           /* color times specular of mrw_light */
    bool fills;                               /* adds `ambient`: light without a direction */
    float ambient[3];
    bool attenuated; /* falls off by `attenuation`; else by the squared distance */
    float attenuation[3];
    float inv_range_squared; /* 0: unlimited range */
    /* Spot cone: at the cosine c to the axis, (c * cone_scale + cone_offset)^2 of the light
     * remains, clamped to 0 ... 1 before squaring. */
    float cone_scale, cone_offset;
    uint32_t shadow; /* k: uses shadows[k - 1] of the frame; 0: no shadow */
} mrw_raster_lamp;

/* A shadow map with everything precomputed that is the same for all its lookups. */
typedef struct mrw_raster_shadow {
    const float *depths;
    size_t floats;                /* mrw_shadow_floats */
    const mrw_shadow_span *spans; /* NULL: unknown */
    int32_t face_spans, size;     /* size: texels per side */
    bool cube, perspective;
    float origin[3], right[3], down[3], forward[3];
    float texels, middle, depth_offset, depth_scale; /* middle: half a side */
    float slope;                  /* depth per texel where the cosines to both axes are equal */
    float unit;                   /* depth of a texel's length; in perspective, times w */
    float lift, softness, widest; /* from mrw_shadow_map; widest is at least 3 */
    float near_caster; /* depth between a caster and its shadow from which the border is wider */
    float far_caster; /* distance from its caster, in depth as `unit`, at which a shadow is whole */
    uint32_t level_count; /* besides level 0 */
    mrw_shadow_level levels[MRW_SHADOW_LEVELS + 1];
} mrw_raster_shadow;

/* A job prepared for drawing, before its first pixel, for other renderers. */
typedef struct mrw_raster_look {
    /* World-space vector from a surface point towards the eye for pixel (x, y), counted from the
     * top left: ray0 + x * ray_dx + y * ray_dy, of any length. */
    float ray0[3], ray_dx[3], ray_dy[3];
    float up[3];                 /* the camera's up, any length */
    mrw_shading_channel channel; /* shown by data modes */
    /* Processing of resolved colours: multiplied by `exposure` and mapped by `tonemap` if
     * `exposed`, then encoded as sRGB if `encoded`. */
    bool exposed, encoded;
    float exposure;
    mrw_tonemap tonemap;
    float background[4];        /* premultiplied, linear if `encoded` */
    uint8_t background_srgb[4]; /* bytes where nothing is drawn */
    bool backdrop;              /* the environment is visible instead of the background */
    bool ambient;               /* there is ambient light */
    /* The ground's shadows and occlusion are shown by s(x) s(y): s(d) = (3 - 2 d) d^2, where d is
     * the number of pixels between a pixel and the nearer border, times this, at most 1. */
    float ground_border;
    mrw_raster_shadow shadows[MRW_SHADOW_LIGHTS];
    uint32_t shadow_count;
} mrw_raster_look;

/* Prepares a job for drawing. `lamps` has room for all lights of the job's lighting. */
MRW_API void mrw_raster_look_at(const mrw_raster_job *job, mrw_raster_lamp *lamps,
                                mrw_raster_look *out);

/* Returns the position of a sample (`samples` is 1, 2, 4 or 8) relative to the pixel's centre:
 * right and down, in 16ths of a pixel. */
MRW_API void mrw_raster_sample_at(uint32_t samples, uint32_t sample, int out[2]);

/* ---- Visible levels -------------------------------------------------------------------------- */

/* Finds the texture levels that a frame can show, without drawing it. For each map of each draw of
 * the job, lowers levels[i * MRW_RASTER_MAP_COUNT + map] to the finest level of its texture that
 * this job may read. The level is a lower bound of the footprint over each triangle that is not
 * culled; hidden ones count. Entries of maps without a texture, and entries that are 0 already,
 * stay unchanged. Start from MRW_FINEST_NONE and pass the same array for all frames. With the
 * smallest level of all frames as `finest` of mrw_raster_texture_fill, their pixels equal those of
 * a texture with all levels. Textures need not be filled. Reads the job's draws, view, size, filter
 * (NEAREST and BILINEAR always read level 0), samples, isa and threads; it needs no targets. Fails
 * like mrw_raster_draw_frame. */
#define MRW_FINEST_NONE 14u /* coarsest level of the largest texture */
MRW_API mrw_status mrw_raster_finest_levels(mrw_raster *raster, const mrw_raster_job *job,
                                            uint32_t *levels, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
