/* raster.h: triangles -> pixels. Takes arrays, knows no scene.
 *
 * How a frame is drawn: vertices to clip space; triangles culled, clipped to the near plane and a
 * guard band, snapped to 8 sub-pixel bits, binned into bands of scanlines; a thread owns a band:
 * coverage and depth by exact integer edge functions (top-left rule), one depth and triangle id per
 * sample; shading once per visible pixel and triangle over compacted lists; blending of transparent
 * fragments, sample by sample in the order of their depths there; resolve, exposure and tone map,
 * background, colour encoding.
 *
 * The winner of a sample is the smallest (depth, draw order), so the result does not depend on the
 * order in which triangles are processed, on the kernels, or on the number of threads. Triangles
 * are cut at the near and the far plane. Transparent fragments are blended far to near, equally
 * near ones in draw order, so that surfaces may cross and draws come in any order (Carpenter's
 * A-buffer, 1984); that is kept up to MRW_RASTER_FRAGMENTS_MAX of them a band. Coverage is
 * watertight: triangles that share an edge (the same two positions, in whatever draws) cover each
 * sample along it exactly once.
 *
 * Spaces: vertices are given in world space, world_to_clip leads to clip space with x and y in
 * -w ... w and depth 0 ... w (near to far); pixels are counted from the top left. Matrices are
 * column-major for column vectors. Colours are linear unless sRGB is said.
 *
 * Threads: a texture may be drawn with by any number of threads, a mrw_raster by one caller at a
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

/* How surfaces are shown. */
typedef enum mrw_shading {
    MRW_SHADING_LIT,     /* all light, by the surface that the material says: mrw_surface */
    MRW_SHADING_FLAT,    /* as LIT, with the normals of triangles and no normal maps */
    MRW_SHADING_CLAY,    /* all light, every surface the same matt grey */
    MRW_SHADING_LAMBERT, /* all lights, every surface matt: the base colour alone */
    /* Light as in tutorials of OpenGL (Phong 1975), without division by pi and without making
     * highlights of all sizes equally strong: ambient light times the base colour, and of each lamp
     * its colour times base * N.L + specular * (R.L)^n, where N.L is above 0 and R is the direction
     * that mirrors the eye. Of MRW_SURFACE_CLASSIC the specular colour is as it is and n a quarter
     * of the shininess, which makes highlights as large; of METALLIC_ROUGHNESS the specular colour
     * is 1 - roughness times 0.5, of metals times the base colour, of SPECULAR_GLOSSINESS
     * glossiness times specular_color, and n is (1 / roughness^4 - 1) / 2. Emission is added. */
    MRW_SHADING_PHONG,
    MRW_SHADING_GOURAUD, /* the same at vertices, between which it is interpolated */
    MRW_SHADING_TOON,    /* all lights in bands, a crisp highlight, a dark rim */
    MRW_SHADING_MATCAP,  /* mrw_raster_job.matcap, a picture of a ball, by normals */
    /* The edges of triangles, over what they hide: a pixel wide, whole where a triangle's least
     * height is 4 pixels or more, and fainter down to none at 1, so that dense meshes stay grey. */
    MRW_SHADING_WIRE,
    MRW_SHADING_UNLIT, /* base colours, as KHR_materials_unlit has them, of all materials */
    MRW_SHADING_RAW,   /* stored bytes filtered and written: no lights, no encoding */
    /* Data: the bytes are 255 times the numbers, never lit, exposed or tone-mapped. Means of them
     * at edges, where there are several samples, and mixed by their alpha where surfaces blend;
     * masks cut their holes. Which number: mrw_shading_channel. */
    MRW_SHADING_NORMAL,     /* NORMAL */
    MRW_SHADING_UV,         /* UV0 */
    MRW_SHADING_DEPTH,      /* VERTEX_COLOR, which frame/ makes: white near, black far */
    MRW_SHADING_JOINT,      /* the same: a colour for each joint */
    MRW_SHADING_INFLUENCES, /* the same: how many joints move a vertex */
    MRW_SHADING_WEIGHTS,    /* the same: how much one joint moves it */
    MRW_SHADING_CHANNEL,    /* any */
    MRW_SHADING_COUNT
} mrw_shading;

/* Inputs of shading as they reach the light: after maps, factors, filters and interpolation.
 * Vectors are of length one in world space and stand as n / 2 + 1/2. Colours (BASE, EMISSIVE,
 * VERTEX_COLOR) are encoded as sRGB in MRW_SHADING_CHANNEL, all else is written as the number is.
 */
typedef enum mrw_shading_channel {
    MRW_CHANNEL_BASE,            /* base colour: factor, vertex colour, map */
    MRW_CHANNEL_ALPHA,           /* its alpha, of opaque materials, too */
    MRW_CHANNEL_METALLIC,        /* 0 where the surface has none: mrw_surface */
    MRW_CHANNEL_ROUGHNESS,       /* 1 of CLASSIC */
    MRW_CHANNEL_OCCLUSION,       /* with its strength; 1 without a map */
    MRW_CHANNEL_EMISSIVE,        /* factor times map; above 1 cut off */
    MRW_CHANNEL_NORMAL_MAP,      /* in tangent space, scaled; (0, 0, 1) without a map */
    MRW_CHANNEL_NORMAL,          /* of the seen side, with the map */
    MRW_CHANNEL_GEOMETRY_NORMAL, /* of the seen side, without it */
    MRW_CHANNEL_TANGENT,         /* 1/2 for draws without tangents; so is */
    MRW_CHANNEL_TANGENT_W,       /* the sign of the bitangent: 0 or 1 */
    MRW_CHANNEL_UV0,             /* fractions of red and green of the draw's colours, where */
    MRW_CHANNEL_UV1,             /* frame/ puts u and v of a set */
    MRW_CHANNEL_VERTEX_COLOR,    /* the draw's colours; white without */
    MRW_CHANNEL_COUNT
} mrw_shading_channel;

/* As --shading channel:NAME has it. */
MRW_API const char *mrw_shading_channel_name(mrw_shading_channel channel);

/* What a shading mode reads, and what becomes of its colours. */
typedef struct mrw_shading_info {
    /* As --shading has it; with a colon and a word where it takes an argument. */
    const char *name;
    /* What it shows, in a line. */
    const char *shows;
    /* Lights and ambient light are read, and normals are wanted. */
    bool lit;
    /* Shows an mrw_shading_channel. */
    bool data;
    /* Normals are wanted, normal maps included, to look up mrw_raster_job.matcap; no light is. */
    bool matcap;
    /* Environments are read as well, and frames have the studio's rig and environment for it
     * (mrw_frame_def); else lights of their own. */
    bool environment;
    /* All maps and numbers of materials are read, else the base colour, its map and alpha. */
    bool materials;
    /* Base colours are read, else their alpha alone. */
    bool base_color;
    /* Normals are those of triangles, and no normal maps are read. */
    bool flat;
    /* Light falls on vertices: it comes as colours of draws, which frames make
     * (mrw_raster_light_vertices). */
    bool at_vertices;
    /* Lights that a frame names are tutorials' lamps: mrw_light_place_classic. */
    bool classic_lights;
    /* Materials that are `unlit` show their base colour, as it is. */
    bool keeps_unlit;
    /* Exposure is read, and the tone map. */
    bool exposed, tone_mapped;
    /* What comes out is linear light and is encoded as sRGB; else the bytes are 255 times it. */
    bool encoded;
    /* Textures of colours are wanted in MRW_ENCODING_RAW, else in COLOR. */
    bool stored;
} mrw_shading_info;

/* Never NULL. */
MRW_API const mrw_shading_info *mrw_shading_info_of(mrw_shading shading);

/* How the light of a picture, which may be of any strength, becomes colours of 0 ... 1, in modes
 * that have one (mrw_shading_info); LIT has it of unlit materials, too. It sees a pixel's colour
 * once its samples are averaged and the alpha is taken out again; the result is laid over the
 * background, which has none. */
typedef enum mrw_tonemap {
    MRW_TONEMAP_NONE, /* what is brighter than 1 is cut off, channel by channel */
    /* As in films: Stephen Hill's fit (BakingLab, 2016) of the ACES rendering transform and its
     * output transform for sRGB displays. Before it colours are divided by 0.6, for surroundings
     * brighter than a cinema's, as three.js does. Hues change, and what is bright turns white. */
    MRW_TONEMAP_ACES,
    /* Khronos PBR Neutral (2024). Colours of 0.08 ... 0.8 come out less by 0.04, which is what a
     * smooth dielectric adds to its base colour under white light of strength 1; what is brighter
     * is compressed and turns white. Hues stay, and greys stay grey. */
    MRW_TONEMAP_NEUTRAL
} mrw_tonemap;

/* How textures are read. The level of detail is log2 of the longer side of the pixel's footprint,
 * in texels of the finest level, from analytic derivatives (Heckbert 1989), and at least 0. Where
 * it is 0, the texture is magnified, and a material with `nearest` shows the nearest texel of the
 * finest level whatever the filter. */
typedef enum mrw_filter {
    MRW_FILTER_NEAREST,   /* the nearest texel of the finest level */
    MRW_FILTER_BILINEAR,  /* 2 x 2 texels of the finest level */
    MRW_FILTER_TRILINEAR, /* the default: 2 x 2 texels each of the two levels around the level of
                             detail (Williams 1983), or what the map's `minify` says */
    MRW_FILTER_ANISO      /* the mean of up to 16 such probes along the longer axis of the
                             footprint, whose shorter axis, or a 16th of the longer one, makes the
                             level of detail */
} mrw_filter;

/* What the bytes of an image stand for, and in how many bits its levels are kept. */
typedef enum mrw_encoding {
    MRW_ENCODING_COLOR, /* sRGB with straight alpha; 16 bits a channel, linear */
    MRW_ENCODING_RAW,   /* for MRW_SHADING_RAW: as they are; 16 bits a channel */
    MRW_ENCODING_DATA,  /* numbers (roughness, normals, occlusion ...), linear as they are; 8 bits a
                           channel, each level rounded to nearest */
    MRW_ENCODING_COUNT
} mrw_encoding;

/* A texture with its mipmaps: level 0 is the image, each following one has half the sides, rounded
 * down, to 1 x 1. Once it is filled it is immutable, and any number of threads may draw with it. */
typedef struct mrw_raster_texture mrw_raster_texture;

/* What the alpha of a texture says, by which the levels after the first are made. Alpha itself is
 * averaged like any channel. */
typedef enum mrw_texture_alpha {
    /* Nothing, or a number like the others: channels are averaged one by one. */
    MRW_TEXTURE_ALPHA_PLAIN,
    /* How much of a texel is there, as where materials blend: of MRW_ENCODING_COLOR, colours are
     * averaged weighted by alpha (that is, premultiplied, and stored straight again), so that the
     * colour behind what is see-through leaves no fringe; and texels of any level without alpha,
     * the first included, take the colour of what is near, which filtering mixes in. Where nothing
     * has alpha, and of RAW ones, all stays as it is. */
    MRW_TEXTURE_ALPHA_COVERS,
    /* Whether a texel is there, as where materials are masked: as COVERS, and then the alpha of
     * each level is scaled such that as large a share of it, filtered, reaches the cutoff as of the
     * first level's texels (Castano, "Computing Alpha Mipmaps", 2010). Else what is thin, as leaves
     * are, would vanish at a distance. */
    MRW_TEXTURE_ALPHA_MASKS,
    /* Of MRW_ENCODING_DATA that are normals: what the image has is not read. Alpha becomes the
     * square root of 1 - r, r being the length of the mean of unit normals that vary to all sides
     * as those that a texel stands for vary in the direction where they do least: 0 at the first
     * level, the more the farther they spread, and nothing of a groove or an edge, whose normals
     * lie on one line. Maps of normals with it widen highlights by what their levels have averaged
     * away (Toksvig, "Mipmapping Normal Maps", 2005; with all that a groove varies by, its walls
     * would mirror lights that they do not see, since highlights are widened to all sides). */
    MRW_TEXTURE_ALPHA_SPREAD
} mrw_texture_alpha;

/* Makes a texture of width * height texels and fills it with all levels of `rgba`, as
 * mrw_raster_texture_fill does; where rgba is NULL, that is left to do, and until then nothing may
 * be drawn with it. Sides of 0 or above 16384 are MRW_ERROR_INPUT. The caller frees *out; after a
 * failure it is NULL. */
MRW_API mrw_status mrw_raster_texture_create(const uint8_t *rgba, uint32_t width, uint32_t height,
                                             mrw_encoding encoding, mrw_raster_texture **out,
                                             mrw_error *error);

/* Says what the alpha is for; PLAIN unless it is called. Before the texture is filled; SPREAD, and
 * nothing else, with MRW_ENCODING_DATA. cutoff, with MASKS: what the texture's alpha, 0 ... 1, must
 * reach for a texel to be seen; at 0 or less all are, above 1 none, and the alpha of such levels is
 * not scaled. */
MRW_API void mrw_raster_texture_set_alpha(mrw_raster_texture *texture, mrw_texture_alpha alpha,
                                          float cutoff);

/* Builds the mip pyramid (box filter, in linear light for colour) of width * height RGBA8 texels,
 * rows from the top, which are only read during the call, and keeps its levels from `finest` on
 * (see mrw_raster_finest_levels; 0 keeps all, and the last level is always kept). A level is the
 * same whichever are kept. Once a texture, by one thread. Fails only for want of memory, and may
 * then be tried again. */
MRW_API mrw_status mrw_raster_texture_fill(mrw_raster_texture *texture, const uint8_t *rgba,
                                           uint32_t finest, mrw_error *error);

/* How high white lies above black in a bump map of strength 1: a part of its longer side as it lies
 * on the surface. Files give heights no unit; so relief looks the same whatever the size of the
 * model and the number of texels. Of a wall's 2 metres it is 8 mm. */
#define MRW_RASTER_RELIEF (1.0 / 256.0)

/* Makes a normal map of a bump map, whose height is the mean of red, green and blue: `out` has
 * width * height RGBA8 texels as well, green up, for a texture of MRW_ENCODING_DATA with
 * MRW_TEXTURE_ALPHA_SPREAD; another strength than 1, below 0 to turn bumps into dents, is the
 * normal_scale it is drawn with. What lies beyond an edge is the other edge where it repeats, else
 * the edge itself. Slopes are divided by `scale`, above 0, which the normal_scale is to make good:
 * that of mrw_raster_height_scale wastes least of the 8 bits. rgba and out are the caller's and do
 * not overlap. */
MRW_API void mrw_raster_heights_to_normals(const uint8_t *rgba, uint32_t width, uint32_t height,
                                           bool repeats_u, bool repeats_v, float scale,
                                           uint8_t *out);

/* How steep a bump map is: 4 or a half, a quarter ... of it, down to 1/64, so that normals whose
 * slopes are divided by it lean neither too little nor too much. (256 x 256 texels are looked at.)
 */
MRW_API float mrw_raster_height_scale(const uint8_t *rgba, uint32_t width, uint32_t height);

/* Whether an image is a normal map: exporters put such into the place of bump maps. More than half
 * of its texels are blue and of unit length (256 x 256 of them are looked at). */
MRW_API bool mrw_raster_are_normals(const uint8_t *rgba, uint32_t width, uint32_t height);

/* Bytes that its levels take; 0 before it is filled. */
MRW_API uint64_t mrw_raster_texture_memory(const mrw_raster_texture *texture);

/* A level of a texture: rows of `width` RGBA texels with straight alpha, `stride` texels apart; 16
 * bits a channel (0 ... 65535), of MRW_ENCODING_DATA 8 (0 ... 255). */
typedef struct mrw_raster_texture_level {
    uint32_t width, height, stride;
    const void *texels;
} mrw_raster_texture_level;

/* Levels of the largest texture. */
#define MRW_RASTER_TEXTURE_LEVELS 15

/* What a texture that is filled holds, for those who draw by other means. */
typedef struct mrw_raster_texture_info {
    uint64_t id; /* of no other texture of this process, before or later; not 0 */
    mrw_encoding encoding;
    mrw_texture_alpha alpha;
    uint32_t width, height; /* of level 0, kept or not */
    uint32_t level_count;   /* down to 1 x 1 */
    uint32_t finest;        /* the first that is kept; finer ones are not looked up */
    mrw_raster_texture_level levels[MRW_RASTER_TEXTURE_LEVELS]; /* from `finest` on */
} mrw_raster_texture_info;
MRW_API mrw_raster_texture_info mrw_raster_texture_look(const mrw_raster_texture *texture);

/* Frees a texture, which no draw may use any more. NULL is allowed. */
MRW_API void mrw_raster_texture_free(mrw_raster_texture *texture);

/* What textures of a material are for: the maps of scene.h that are drawn, by the same names. */
typedef enum mrw_raster_map_kind {
    MRW_RASTER_MAP_BASE_COLOR,          /* multiplies base_color, alpha as well */
    MRW_RASTER_MAP_METALLIC_ROUGHNESS,  /* green multiplies roughness, blue metallic */
    MRW_RASTER_MAP_NORMAL,              /* 2 rgb - 1, x and y times normal_scale */
    MRW_RASTER_MAP_OCCLUSION,           /* red: how much of the ambient light comes here */
    MRW_RASTER_MAP_EMISSIVE,            /* multiplies emissive */
    MRW_RASTER_MAP_SPECULAR,            /* multiplies specular_color, alpha glossiness */
    MRW_RASTER_MAP_METALLIC,            /* red multiplies metallic */
    MRW_RASTER_MAP_ROUGHNESS,           /* red multiplies roughness */
    MRW_RASTER_MAP_SPECULAR_STRENGTH,   /* alpha multiplies specular */
    MRW_RASTER_MAP_CLEARCOAT,           /* red multiplies clearcoat */
    MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS, /* green multiplies clearcoat_roughness */
    MRW_RASTER_MAP_CLEARCOAT_NORMAL,    /* as NORMAL, times clearcoat_normal_scale */
    MRW_RASTER_MAP_SHEEN_COLOR,         /* multiplies sheen_color */
    MRW_RASTER_MAP_SHEEN_ROUGHNESS,     /* alpha multiplies sheen_roughness */
    MRW_RASTER_MAP_COUNT
} mrw_raster_map_kind;

/* A texture, and how it lies on a mesh. */
typedef struct mrw_raster_map {
    /* Borrowed; NULL: none, and nothing else here is read. Of colours MRW_ENCODING_RAW for
     * MRW_SHADING_RAW, else COLOR; DATA is shown as linear numbers. */
    const mrw_raster_texture *texture;
    /* mrw_wrap of scene.h, across and down: 0 repeat, 1 clamp, 2 mirror. */
    uint32_t wrap_u, wrap_v;
    /* Magnify with the nearest texel. */
    bool nearest;
    /* mrw_minify of scene.h: how MRW_FILTER_TRILINEAR minifies it. 0 is as said there; 1 takes the
     * nearest texel of both levels, 2 2 x 2 texels and 3 the nearest one of the level nearest to
     * the level of detail, 4 and 5 the same of the finest level. */
    uint32_t minify;
    /* Which coordinates of the draw: 0 its uvs, k up to MRW_RASTER_MORE_UVS its more_uvs[k - 1]. */
    uint32_t uvs;
} mrw_raster_map;

/* What MRW_SHADING_LIT makes of a material. Roughness grows where highlights would be smaller than
 * a pixel and flicker: by what the levels of a normal map have averaged away
 * (MRW_TEXTURE_ALPHA_SPREAD), and by how much interpolated normals turn from pixel to pixel
 * (Tokuyoshi and Kaplanyan, "Improved Geometric Specular Antialiasing", 2019). Magnified maps, and
 * surfaces that hardly turn within a pixel, are not changed. Not of CLASSIC. V is the direction to
 * the eye, L that to a light, N the normal, H the bisector of V and L. */
typedef enum mrw_surface {
    /* glTF 2.0, appendix B: a mixture of a metal and a dielectric by `metallic`, microfacets of
     * GGX with height-correlated masking (Heitz 2014), Fresnel by Schlick (1994). With the
     * specular, ior and clearcoat extensions of Khronos. */
    MRW_SURFACE_METALLIC_ROUGHNESS,
    /* KHR_materials_pbrSpecularGlossiness: the same microfacets; base_color is the diffuse colour,
     * specular_color the reflectance, roughness 1 - glossiness. */
    MRW_SURFACE_SPECULAR_GLOSSINESS,
    /* Blinn-Phong (Blinn 1977), normalised: base_color + specular_color (n + 8) / 8 (N.H)^n, n
     * being the shininess; no highlight where that is 0. */
    MRW_SURFACE_CLASSIC
} mrw_surface;

/* How a draw looks. Factors of maps count without the maps, too, which then are 1. */
typedef struct mrw_raster_material {
    /* Linear RGBA, straight alpha, 0 ... 1. */
    float base_color[4];
    /* By mrw_raster_map_kind. */
    mrw_raster_map maps[MRW_RASTER_MAP_COUNT];
    /* mrw_alpha_mode of scene.h: 0 opaque, 1 mask, 2 blend. */
    uint32_t alpha_mode;
    /* MASK: alpha below this is a hole, sample by sample: a pixel may be covered in part. */
    float alpha_cutoff;
    /* MASK: in its place, nine cutoffs (k + 0.5) / 9 in squares of 3 x 3 pixels that repeat, so
     * that alpha says how many of them are covered. For what casts shadows though light shines
     * through: the mean over any three texels by three has no pattern (ordered dithering, Bayer
     * 1973). */
    bool screen_door;
    /* Else what faces away is not drawn; seen backs have turned normals. */
    bool double_sided;
    /* No lights, but colour-managed. */
    bool unlit;
    mrw_surface surface;
    /* METALLIC_ROUGHNESS; 0 ... 1. A roughness below 0.045 counts as that. */
    float metallic, roughness;
    /* METALLIC_ROUGHNESS: reflectance of the dielectric seen head on, 0.04 for an ior of 1.5, which
     * specular_color tints and `specular` scales. */
    float reflectance, specular;
    /* Linear RGB. White where METALLIC_ROUGHNESS is as usual. */
    float specular_color[3];
    /* SPECULAR_GLOSSINESS; 0 ... 1. */
    float glossiness;
    /* CLASSIC: the exponent n, 0 ... 4096. */
    float shininess;
    /* Linear RGB, not negative; added behind all light. */
    float emissive[3];
    float normal_scale, clearcoat_normal_scale;
    /* Of the occlusion map: 0 ... 1. */
    float occlusion_strength;
    /* KHR_materials_clearcoat; 0: none. */
    float clearcoat, clearcoat_roughness;
    /* METALLIC_ROUGHNESS: KHR_materials_sheen, approximately: what lies below is dimmed by what the
     * fibres reflect to the eye, whatever the light. Linear RGB, 0 ... 1, black: none; 0 ... 1, of
     * which 0.07 is the least that counts. */
    float sheen_color[3], sheen_roughness;
    /* Of the draw's uvs; m: u' = m[0] u + m[1] v + m[2], v' = m[3] u + m[4] v + m[5]. */
    float uv_transform[6];
} mrw_raster_material;

/* Whether there are fibres on a surface. */
static inline bool mrw_raster_has_sheen(const mrw_raster_material *m)
{
    const float *c = m->sheen_color;
    return m->surface == MRW_SURFACE_METALLIC_ROUGHNESS &&
           (c[0] > 0.0f || c[1] > 0.0f || c[2] > 0.0f);
}

/* Coordinates of maps that do not take the draw's uvs: a set of the draw's, moved as the map wants
 * it. */
typedef struct mrw_raster_uvs {
    /* vertex_count float[2], or NULL: all 0, wherever they are moved to. */
    const float *uvs;
    /* As mrw_raster_material's uv_transform. */
    float transform[6];
} mrw_raster_uvs;

/* Enough for each map to lie in its own way. */
#define MRW_RASTER_MORE_UVS (MRW_RASTER_MAP_COUNT - 1)

/* Pixels x0 ... x1 - 1 of rows y0 ... y1 - 1. */
typedef struct mrw_raster_window {
    int32_t x0, y0, x1, y1;
} mrw_raster_window;

/* What lies under all that is drawn. */
typedef enum mrw_ground {
    MRW_GROUND_NONE,
    /* Shows shadows alone: black, its alpha times the share that shadows take of the light there,
     * by its luminance. */
    MRW_GROUND_CATCHER,
    MRW_GROUND_COLOR /* its material */
} mrw_ground;

/* An indexed triangle list in world space; counter-clockwise faces front. Positions and normals are
 * float[4] a vertex, as mrw_skin_vertices writes them. Triangles with positions that are not finite
 * are not drawn. All memory is borrowed for the call. */
typedef struct mrw_raster_draw {
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* 3 * triangle_count, each below vertex_count. */
    const uint32_t *indices;
    /* vertex_count float[4]: x, y, z, 1. */
    const float *positions;
    /* vertex_count float[4]: x, y, z, 0; any length. */
    const float *normals;
    /* vertex_count float[2], or NULL: all 0. */
    const float *uvs;
    /* vertex_count float[4], linear RGBA, straight alpha, or NULL: white. */
    const float *colors;
    /* vertex_count float[4]: x, y, z of any length, and the sign of the bitangent, which is
     * cross(normal, tangent) times it; or NULL: normal maps are not seen. */
    const float *tangents;
    /* Cost nothing where no map of the material takes them. */
    mrw_raster_uvs more_uvs[MRW_RASTER_MORE_UVS];
    /* The transform's determinant is negative: clockwise faces front. */
    bool mirrored;
    /* Lit with the normals of its triangles, in the place of `normals`. */
    bool flat;
    /* Not NONE: of transparent draws it comes first, behind all others. CATCHER needs a mode that
     * is lit, and a material that is blended. */
    mrw_ground ground;
    /* Outside of these pixels the draw is left out, which costs nothing there; NULL: nowhere. */
    const mrw_raster_window *window;
    /* For MRW_TARGET_ID: 1 ... , 0 is the background. */
    uint32_t id;
    /* Not NULL. */
    const mrw_raster_material *material;
} mrw_raster_draw;

/* Where a frame is seen from. */
typedef struct mrw_raster_view {
    mrw_mat4 world_to_clip;
    /* World-space unit vector towards the viewer; read for highlights of orthographic views
     * alone. */
    float view_back[3];
    bool orthographic;
} mrw_raster_view;

/* Colours that MRW_SHADING_GOURAUD shows: the draw's, alpha and all, their RGB times the light of
 * PHONG at the vertices (Gouraud, "Continuous Shading of Curved Surfaces", 1971). As in tutorials
 * all of it is multiplied with the base colour, highlights as well: the specular colour of
 * METALLIC_ROUGHNESS is here 1 - roughness, times 0.5 where it is no metal. No maps, no shadows and
 * no emission; what is seen from behind has the light of its front. `eye`: a point and 1, or for
 * orthographic views the unit vector towards the viewer and 0. out: draw->vertex_count. */
MRW_API void mrw_raster_light_vertices(const mrw_raster_draw *draw, const mrw_lighting *lighting,
                                       const float eye[4], float (*out)[4]);

/* What a target is told of each pixel. Colour, linear, alpha and coverage are of all samples of a
 * pixel; the others of its first, which is the centre where there is but one, and there transparent
 * draws leave what is behind them. */
typedef enum mrw_target_kind {
    /* U8 or U16, 3 or 4 channels: the picture, encoded as sRGB in either where the mode is. Its
     * rows must be whole pixels apart: the stride is a multiple of a pixel's size, at most
     * INT32_MAX / height pixels. */
    MRW_TARGET_COLOR,
    /* F32 or U16, one channel: clip z / w, 0 (near) to 1 (far, and where nothing is). It is linear
     * across a triangle on the screen, computed in single precision and kept within the depths of
     * the triangle's corners. U16: times 65535, rounded to the nearest. */
    MRW_TARGET_DEPTH,
    /* U32, one channel: the `id` of the draw that is seen; 0: the background. */
    MRW_TARGET_ID,
    /* U32, one channel: which of its draw's triangles is seen, also where the near plane cut it in
     * several; MRW_NONE: the background. */
    MRW_TARGET_TRIANGLE,
    /* U8, one channel: 1 where an opaque or masked surface covers any sample of the pixel, or a
     * transparent one with alpha above 0 was blended into any; else 0. */
    MRW_TARGET_COVERAGE,
    /* F32, 4 channels: the colours of MRW_TARGET_COLOR before tone map and encoding, of all
     * samples: times the exposure where the mode has one, over the background, whose alpha counts,
     * and premultiplied. */
    MRW_TARGET_LINEAR,
    /* F32, one channel: 0 ... 1, the alpha of all samples before there is a background. */
    MRW_TARGET_ALPHA,
    /* F32, 3 channels, of opaque and masked surfaces where the pixel's centre lies on the triangle
     * of its first sample; 0 where nothing is. What MRW_SHADING_CHANNEL shows of NORMAL, as the
     * vector it stands for, and of BASE, linear. They are the same in every shading mode: the
     * draws' maps, normals, tangents, texture coordinates and colours are read for them even where
     * job.shading does not show these. */
    MRW_TARGET_NORMAL,
    MRW_TARGET_ALBEDO,
    MRW_TARGET_COUNT
} mrw_target_kind;

/* Memory that a frame is drawn to; the caller's. */
typedef struct mrw_target {
    mrw_target_kind kind;
    mrw_format format;
    uint32_t channels; /* values a pixel */
    /* As many rows as the frame has, from the top, aligned for the format. All values of the
     * frame's width are written, what lies between the rows is left alone. */
    void *data;
    /* Bytes from one row to the next: at least those of a row, and a multiple of a value's. */
    size_t stride;
} mrw_target;

/* A target that is all of an image, which must have the size of the frame. */
MRW_API mrw_target mrw_target_of(mrw_target_kind kind, const mrw_image *image);

/* How much of a pixel is a draw's. */
typedef struct mrw_raster_share {
    uint32_t draw;  /* its place in the job */
    uint32_t share; /* above 0; MRW_RASTER_SHARE_ALL: the whole pixel */
} mrw_raster_share;

#define MRW_RASTER_SHARE_ALL 0x80000000u

/* Takes what each pixel shows of which draws. */
typedef struct mrw_raster_shares {
    /* Called once for each pixel of which anything is seen, with one share a draw, in no particular
     * order; `shares` is on loan. Threads call it at once, each for pixels of its own: worker 0 ...
     * threads - 1. */
    void (*take)(void *user, int worker, uint32_t x, uint32_t y, const mrw_raster_share *shares,
                 uint32_t count);
    void *user;
} mrw_raster_shares;

/* How much of the light from all around comes to the surfaces of a picture past what stands near
 * them: mrw_occlusion_find makes it. Fragments take what the pixel around them says of the surface
 * that they are of, by its depth. All is borrowed. */
typedef struct mrw_raster_occlusion {
    /* 0 ... 1, of pixel (x, y) at y * stride + x, and of one more pixel to every side. */
    const float *visibility;
    /* Likewise: how far away what is seen at a pixel's centre is, in radii along the view's axis.
     */
    const float *depths;
    uint32_t stride;
    /* The same of a point p of the world: dot(axis, p) + axis[3]. */
    float axis[4];
} mrw_raster_occlusion;

/* A triangle of a draw. */
typedef struct mrw_raster_source {
    uint32_t draw, triangle; /* their numbers */
} mrw_raster_source;

/* What is seen at the first samples of a band's pixels: rows y0 ... y1 - 1, from one multiple of
 * MRW_SHADOW_SPAN_ROWS, or of 8 where a target has colours or alpha of something transparent, to
 * the next or to the end of the frame. */
typedef struct mrw_raster_seen {
    uint32_t y0, y1;
    /* Pixels x0 ... x1 - 1 of rows touch_y0 ... touch_y1 - 1; elsewhere nothing is seen, and where
     * x0 == x1 nowhere. */
    uint32_t x0, x1, touch_y0, touch_y1;
    /* Of pixel (x, y) at (y - y0) * stride + x: which of `sources` is seen, or MRW_RASTER_NOTHING.
     * Pieces of a triangle that the near plane has cut have numbers of their own. */
    const int32_t *ids;
    size_t stride;
    const mrw_raster_source *sources;
} mrw_raster_seen;

#define MRW_RASTER_NOTHING INT32_MAX

/* Is given each band once, before the next frame is drawn, by the thread that drew it: worker 0 ...
 * threads - 1, one band at a time. */
typedef void (*mrw_raster_visitor)(void *user, int worker, const mrw_raster_seen *seen);

/* One frame: what to draw, from where, in which light, and where to. All memory is the caller's. */
typedef struct mrw_raster_job {
    /* draw_count draws; of equally near opaque surfaces that of the earlier draw is seen. */
    const mrw_raster_draw *draws;
    uint32_t draw_count;
    mrw_raster_view view;
    /* Read where mrw_shading_info says so; and so are exposure and tone map. */
    mrw_lighting lighting;
    /* What is left of the ambient light and the environment of the lighting, of frames of this view
     * and size; NULL: all. Borrowed. */
    const mrw_raster_occlusion *occlusion;
    mrw_shading shading;
    mrw_shading_channel channel; /* of MRW_SHADING_CHANNEL */
    /* Of MRW_SHADING_MATCAP, which wants one, else not read; borrowed. A ball that fills a square,
     * of MRW_ENCODING_COLOR with its finest level, whose alpha does not count. A surface shows what
     * the ball shows where its normal is the same, whatever its base colour; alpha is the
     * surface's. The normal is taken relative to the direction of the eye: x to the right, across
     * that and the camera's up, y across both, as three.js has it, so that a ball looks the same
     * anywhere in the picture. u = 0.5 + 0.495 x, v = 0.5 - 0.495 y: just inside of the rim;
     * bilinear, whatever the filter. */
    const mrw_raster_texture *matcap;
    mrw_filter filter;
    /* A factor on all light that the picture shows, 0 ... 1e6: 1 leaves it as it is, 0 is black.
     * `background` has none. */
    float exposure;
    mrw_tonemap tonemap;
    /* 1, 2, 4 or 8 a pixel, D3D11 standard positions. */
    uint32_t samples;
    /* sRGB bytes and straight alpha; comes out as written. A colour target of 3 channels takes it
     * as opaque. */
    uint8_t background[4];
    /* LIT: show the lighting's environment, where it has one, in place of `background`: behind each
     * pixel what lies in the direction of its centre, in the strength that surfaces mirror it,
     * blended in linear light and through exposure and tone map as they are. An orthographic view
     * looks into one direction, and so sees one colour. */
    bool environment_background;
    /* Pixels, 1 ... MRW_IMAGE_MAX_SIDE a side. */
    uint32_t width, height;
    /* Out: target_count targets, each of a kind of its own. What none of them shows is not
     * computed: without one of COLOR, LINEAR and ALPHA no light falls on anything, and lights,
     * exposure, tone map and background are not read. */
    const mrw_target *targets;
    uint32_t target_count;
    /* NULL, or in the place of targets and a visitor, which are not there then. Of each sample,
     * which is an equal part of the pixel, the nearest layer has its alpha, the next its alpha of
     * what that left, and so on, in the order of their depths there, whatever the number of them;
     * what is opaque or masked has all that is left to it. The alpha is that of the base colour:
     * factor, map, colours of vertices. Of more than MRW_RASTER_FRAGMENTS_MAX transparent layers of
     * one pixel those of the farthest triangles are left out. Shares are whole numbers, and so the
     * same on every machine: the shares of a sample that ends at an opaque layer add up to all of
     * it. */
    const mrw_raster_shares *shares;
    /* NULL, or a span for each MRW_SHADOW_SPAN_ROWS rows from the top. In: outside of them the
     * target of MRW_TARGET_DEPTH and MRW_FORMAT_F32, which must be there, holds 1 already and is
     * not cleared. Out: they hold all pixels that triangles touched. So of a map that is drawn
     * again and again what nothing is seen in costs nothing. */
    mrw_shadow_span *depth_spans;
    /* The same for targets but COLOR, or NULL: one a target, NULL or as many spans. In: outside of
     * them the target holds already what is there where nothing is seen. */
    mrw_shadow_span *const *target_spans;
    /* NULL, or sees the bands of opaque and masked surfaces while they are in the caches. */
    mrw_raster_visitor visit;
    void *visit_user;
    /* All give the same bits. */
    mrw_isa isa;
    /* How many share the bands, and the vertices and triangles of draws that have 65536 of them or
     * more; 1: none is started. */
    int threads;
} mrw_raster_job;

/* Work memory of the rasterizer, kept between frames, so that they allocate nothing after the
 * first. One a thread of the caller: two frames must not be drawn with it at once. */
typedef struct mrw_raster mrw_raster;

/* The caller frees *out with mrw_raster_free. Fails only for want of memory. */
MRW_API mrw_status mrw_raster_create(mrw_raster **out, mrw_error *error);

/* NULL is allowed. */
MRW_API void mrw_raster_free(mrw_raster *raster);

/* Draws one frame. Fails only for want of memory or an ISA this machine lacks; out-of-range
 * arguments are programmer errors, and so are targets of a wrong format, channels or stride. */
MRW_API mrw_status mrw_raster_draw_frame(mrw_raster *raster, const mrw_raster_job *job,
                                         mrw_error *error);

/* A band of 8 rows whose transparent fragments are more than this blends its transparent triangles
 * one after another instead, in the order of the depths of their centroids: where they cross one
 * hides the other. Those of alpha 0 do not count, nor those that are hidden, as far as that is
 * found. The same in all bands, for any threads and ISA. */
#define MRW_RASTER_FRAGMENTS_MAX 524288u

/* How many bands of the last frame that was drawn had more. */
MRW_API uint32_t mrw_raster_sorted_bands(const mrw_raster *raster);

/* ---- Ambient occlusion ----------------------------------------------------------------------- */

/* Memory for finding how open surfaces are to light from all around, by their depths on the screen
 * alone; kept between pictures. One a thread of the caller.
 *
 *     mrw_occlusion_begin(memory, &depths, &error);
 *     mrw_raster_draw_frame(raster, &depths, &error);
 *     mrw_occlusion_find(memory, &depths, radius, strength, &occlusion);
 */
typedef struct mrw_occlusion mrw_occlusion;

/* The caller frees *out with mrw_occlusion_free. */
MRW_API mrw_status mrw_occlusion_create(mrw_occlusion **out, mrw_error *error);

/* NULL is allowed. */
MRW_API void mrw_occlusion_free(mrw_occlusion *memory);

/* Has a job, whose size is set, draw depths into the memory: sets its samples, targets and spans.
 * Fails only for want of memory. */
MRW_API mrw_status mrw_occlusion_begin(mrw_occlusion *memory, mrw_raster_job *depths,
                                       mrw_error *error);

/* Once that job is drawn: the visibility is 1 - strength * s, at least 0, where s is the share of
 * what comes from all directions, by the cosine to the normal of the triangles, that is stopped:
 * all at no distance, (1 - (t / radius)^2)^2 at the distance t, nothing from the radius on, which
 * is in units of the world and above 0. What the picture does not show stops nothing; what it shows
 * is taken as solid behind. Of the job, view, ISA and threads are read, any of which give the same
 * bits. out lies in the memory, until its next use. */
MRW_API void mrw_occlusion_find(mrw_occlusion *memory, const mrw_raster_job *depths, float radius,
                                float strength, mrw_raster_occlusion *out);

/* ---- What a frame comes to ------------------------------------------------------------------- */

/* A light, as surfaces reckon with it: what is the same for all of them. */
typedef struct mrw_raster_lamp {
    bool placed; /* stands at `position`: a point or a spot; else directional */
    bool spot;
    float to_light[3]; /* mrw_light's */
    float position[3];
    float color[3];
    float shine[3]; /* mrw_light's color times its specular */
    bool fills;     /* there is `ambient`: light that has no direction */
    float ambient[3];
    bool attenuated; /* as `attenuation` has it; else by the square of the distance */
    float attenuation[3];
    float inv_range_squared; /* 0: no range */
    /* Of the cosine c to a spot's axis: (c * cone_scale + cone_offset)^2 of its light is left, held
     * in 0 ... 1 before it is squared. */
    float cone_scale, cone_offset;
    uint32_t shadow; /* k: that of the frame's shadows[k - 1]; 0: none */
} mrw_raster_lamp;

/* A shadow map, and what is the same for all that look at it. */
typedef struct mrw_raster_shadow {
    const float *depths;
    const mrw_shadow_span *spans; /* NULL: not known */
    int32_t face_spans;
    int32_t size, stride, face_texels; /* of a side, from row to row, of a whole face */
    bool cube, perspective;
    float origin[3], right[3], down[3], forward[3];
    float texels, middle; /* half a side */
    float depth_offset, depth_scale;
    float slope;        /* of depth, a texel, where the cosines to both axes are the same */
    float unit;         /* depth that a texel's length is; in a perspective times w */
    float reach, width; /* of the square that is averaged: half, whole */
    float share;        /* of a texel that lies in it */
    float last;         /* the last texel that rows may begin at */
    int32_t rows;       /* that the square may touch; and columns */
} mrw_raster_shadow;

/* What a job comes to before its first pixel, as the rasterizer takes it: for those who draw by
 * other means. */
typedef struct mrw_raster_look {
    /* World-space vector from a surface point towards the eye for the pixel (x, y), counted from
     * the top left, any length: ray0 + x * ray_dx + y * ray_dy. */
    float ray0[3], ray_dx[3], ray_dy[3];
    float up[3]; /* the camera's, any length */
    /* Of modes that show data: what they do show. */
    mrw_shading_channel channel;
    /* What becomes of resolved colours: times `exposure` and through `tonemap` where `exposed`;
     * then sRGB where `encoded`. */
    bool exposed, encoded;
    float exposure;
    mrw_tonemap tonemap;
    /* Of the colour target: what is behind, linear where `encoded`, premultiplied; and as it is
     * written where nothing is drawn. */
    float background[4];
    uint8_t background_srgb[4];
    /* The environment is seen, in its place. */
    bool backdrop;
    /* Light comes from all around. */
    bool ambient;
    mrw_raster_shadow shadows[MRW_SHADOW_LIGHTS];
    uint32_t shadow_count;
} mrw_raster_look;

/* lamps: room for all lights of the job's lighting. */
MRW_API void mrw_raster_look_at(const mrw_raster_job *job, mrw_raster_lamp *lamps,
                                mrw_raster_look *out);

/* Where sample `sample` of `samples` lies (1, 2, 4 or 8), from the pixel's centre: to the right and
 * down, in 16ths of a pixel. */
MRW_API void mrw_raster_sample_at(uint32_t samples, uint32_t sample, int out[2]);

/* ---- Levels that are seen -------------------------------------------------------------------- */

/* Which levels of textures a frame can show, without drawing it: for each map of each draw of the
 * job, lowers levels[i * MRW_RASTER_MAP_COUNT + map] to the finest level of its texture that
 * drawing this job may read, by a lower bound of the footprint over each triangle that is not
 * culled; hidden ones count. Maps without a texture, and those whose level is 0 already, keep
 * theirs. Start from MRW_FINEST_NONE, and hand the same
 * array on from frame to frame; with the smallest level of all frames as `finest` of
 * mrw_raster_texture_fill, their pixels are those of a texture with all levels. Textures need not
 * be filled. Of the job, the draws, view, size, filter (NEAREST and BILINEAR never leave
 * level 0 out), samples, isa and threads are read; it needs no targets. Fails as
 * mrw_raster_draw_frame does. */
#define MRW_FINEST_NONE 14u /* the coarsest level of the largest texture */
MRW_API mrw_status mrw_raster_finest_levels(mrw_raster *raster, const mrw_raster_job *job,
                                            uint32_t *levels, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
