/* shade.h: shading of fragments, in stages over compacted lists.
 *
 * shade_spec.c specifies the result, one fragment at a time, and is the scalar kernel;
 * shade_kernel.h computes it in lanes, one source compiled once per instruction set. A fragment's
 * result depends on the fragment alone, so all kernels give the same bits. Coverage code passes
 * lists of fragments and gets premultiplied linear colours back; it never looks into materials
 * except for alpha_mode.
 *
 *   shade_*      the kernels: shade_spec.c is the specification; shade_kernel.h has the lanes, with
 *                attribute_kernel.h (interpolation), texel_kernel.h, light_kernel.h,
 *                encode_kernel.h (bytes), gather_kernel.h (lists) and shade_block.h (what stages
 *                pass on)
 *   fragments.h  lists of fragments
 *   frame.c      constants of a frame: rays, channel, tone
 *   mode.c       the table of shading modes
 *   lamps.c      the lights that reach a part of a picture
 *   shadow.c     shadow maps made ready for shading (shadow.h)
 *   texture.c    textures and their mipmaps; texture_alpha.c: levels whose alpha counts
 *   heights.c    bump maps to normal maps
 *   occlusion*   screen-space ambient occlusion (occlusion.h)
 */
#ifndef MRWI_SHADE_SHADE_H
#define MRWI_SHADE_SHADE_H

#include "marrow/raster.h"
#include "shade/fragments.h"
#include "shade/shadow.h"

#include <assert.h>

#define MRWI_SHADE_SUBPIXEL 256 /* positions on the screen are multiples of 1/256 pixel */

/* A vertex of the shading stream: 32 bytes, 32-byte aligned. The vertex stage and the clipper make
 * it. x, y are snapped to 1/256 pixel, origin top left, y down, |x|, |y| <= 16384 (so that
 * differences are exact in float). */
typedef struct mrwi_shade_vertex {
    float x, y;
    float inv_w;      /* 1 / clip w; 1 in orthographic views */
    float u, v;       /* after the material's uv transform */
    float nx, ny, nz; /* unit, world space */
} mrwi_shade_vertex;

/* Optional streams of vertices: float[4] each. */
typedef enum mrwi_shade_stream {
    MRWI_SHADE_COLOR,    /* linear RGBA, straight alpha */
    MRWI_SHADE_TANGENT,  /* x, y, z in world space, the sign of the bitangent */
    MRWI_SHADE_POSITION, /* x, y, z in world space, 1; for placed lights, shadows and flat draws */
    MRWI_SHADE_UVS,      /* u, v of two more_uvs, transformed; further streams hold the next ones */
    MRWI_SHADE_STREAM_COUNT = MRWI_SHADE_UVS + (MRW_RASTER_MORE_UVS + 1) / 2
} mrwi_shade_stream;

/* Returns the stream with the coordinates of a map with uvs > 0. */
static inline uint32_t mrwi_shade_uvs_stream(uint32_t uvs)
{
    return MRWI_SHADE_UVS + (uvs - 1) / 2;
}
static inline uint32_t mrwi_shade_uvs_float(uint32_t uvs)
{
    return 2 * ((uvs - 1) % 2);
}

/* The maps in tangent space, one bit each. */
#define MRWI_SHADE_TANGENT_MAPS                                                                    \
    (1u << MRW_RASTER_MAP_NORMAL | 1u << MRW_RASTER_MAP_CLEARCOAT_NORMAL)

/* Returns the streams of a draw, one bit each: of uvs those that its maps use. Every draw has
 * positions. */
static inline uint32_t mrwi_shade_streams_of(const mrw_raster_draw *draw)
{
    uint32_t streams = 1u << MRWI_SHADE_POSITION;
    streams |= draw->colors ? 1u << MRWI_SHADE_COLOR : 0u;
    streams |= draw->tangents ? 1u << MRWI_SHADE_TANGENT : 0u;
    for (uint32_t m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        const mrw_raster_map *map = &draw->material->maps[m];
        assert(map->uvs <= MRW_RASTER_MORE_UVS);
        if (map->texture && map->uvs > 0) {
            streams |= 1u << mrwi_shade_uvs_stream(map->uvs);
        }
    }
    return streams;
}

/* A triangle that survived culling and clipping, in draw order: its number is its id. Its vertices
 * stay in the draw's order, whichever side is seen. */
typedef struct mrwi_shade_triangle {
    uint32_t vertex[3];  /* into the frame's shading stream */
    uint32_t draw_flags; /* draw index << 1 | 1 when the back side is seen (normal is flipped) */
} mrwi_shade_triangle;

typedef mrw_raster_lamp mrwi_shade_light;

/* Returns true if a light is placed, so that its direction differs from point to point. */
bool mrwi_shade_has_placed_lights(const mrw_lighting *lighting);

/* The lights that reach a part of a picture, in their order, and their reach, as arrays, so that
 * kernels test many at once. They are padded by MRWI_SHADE_LIST_PAD lights that reach nothing. A
 * light that is left out would add exactly nothing: beyond its range its share is clamp(1 - (d /
 * range)^4) = 0, and it is multiplied with finite values. */
typedef struct mrwi_shade_lamps {
    uint32_t count;
    bool any_placed;
    /* Spheres outside which the lights give nothing; that of a spot encloses its cone. x, y, z:
     * centres, not read for lights that reach everything. reach: squared radii, or infinity. */
    float *x, *y, *z;
    float *reach;
    uint32_t *light; /* indices of the frame's lights */
    bool *placed;    /* true for lights that are not directional */
} mrwi_shade_lamps;

/* A box in world space, between two corners. */
typedef struct mrwi_shade_world_box {
    float low[3], high[3];
} mrwi_shade_world_box;

/* lamps.c: returns the bytes of the arrays for so many lights. */
size_t mrwi_shade_lamps_size(uint32_t count);
/* Places the arrays in such memory, which is aligned to 64 bytes. */
void mrwi_shade_lamps_place(void *memory, uint32_t count, mrwi_shade_lamps *out);
/* Finds the lights that reach the box. `out` is placed in memory for all lights. */
void mrwi_shade_lamps_find(const mrw_lighting *lighting, const mrwi_shade_world_box *box,
                           mrwi_shade_lamps *out);
/* Keeps the lights of `from` that reach the box, in order. `to` may be `from`. */
void mrwi_shade_lamps_keep(const mrwi_shade_lamps *from, const mrwi_shade_world_box *box,
                           mrwi_shade_lamps *to);

/* Returns true if there is ambient light: a hemisphere or an environment. */
bool mrwi_shade_has_ambient_light(const mrw_lighting *lighting);

/* Fills out[lighting->light_count]. */
void mrwi_shade_prepare_lights(const mrw_lighting *lighting, mrwi_shade_light *out);

/* The processing of resolved colours. */
typedef enum mrwi_shade_curve {
    MRWI_SHADE_CURVE_SRGB,    /* encoded as sRGB */
    MRWI_SHADE_CURVE_RAW,     /* written unchanged */
    MRWI_SHADE_CURVE_EXPOSED, /* times exposure, then sRGB */
    MRWI_SHADE_CURVE_ACES,    /* times exposure, through a tone map (mrw_tonemap), then sRGB */
    MRWI_SHADE_CURVE_NEUTRAL,
    MRWI_SHADE_CURVE_COUNT
} mrwi_shade_curve;

typedef struct mrwi_shade_tone {
    mrwi_shade_curve curve;
    float exposure; /* 0 ... 1e6; not read by SRGB and RAW */
} mrwi_shade_tone;

/* The data that all fragments of a frame share, read-only. */
typedef struct mrwi_shade_frame {
    const mrwi_shade_vertex *vertices;
    /* Parallel to vertices; NULL when no draw has it. Read only for triangles whose draw has it. */
    const float (*streams[MRWI_SHADE_STREAM_COUNT])[4];
    const mrwi_shade_triangle *triangles;
    const mrw_raster_draw *draws;
    mrw_lighting lighting;          /* all but its lights, which `lights` replaces */
    const mrwi_shade_light *lights; /* prepared, lighting.light_count of them */
    bool placed_lights;             /* mrwi_shade_has_placed_lights */
    const mrwi_shade_lamps *lamps;  /* NULL: all lights */
    /* mrwi_shade_prepare_shadows; if there are any, positions are present. */
    const mrwi_shade_shadow *shadows;
    uint32_t shadow_count;
    const mrw_raster_occlusion *occlusion; /* NULL: none; with it, positions are present */
    int32_t width, height;                 /* size of the picture, for occlusion and the ground */
    /* mrwi_shade_ground_border of the picture. */
    float ground_border;
    mrw_shading shading;
    mrw_shading_channel channel; /* for modes that show data */
    mrw_filter filter;
    /* World-space vector from a surface point towards the eye for the pixel (x, y), any length:
     * ray0 + x * ray_dx + y * ray_dy; constant in orthographic views. */
    float ray0[3], ray_dx[3], ray_dy[3];
    const mrw_raster_texture *matcap; /* for MRW_SHADING_MATCAP */
    float up[3];                      /* the camera's, any length */
    mrwi_shade_tone tone; /* for shade_pixels; RAW in modes that are not encoded, and only there */
} mrwi_shade_frame;

/* frame.c: sets the rays to the eye, and the camera's up, from the job's view. */
void mrwi_shade_set_rays(mrwi_shade_frame *shade, const mrw_raster_job *job);
/* Returns the channel that the job's mode shows, if it shows data. */
mrw_shading_channel mrwi_shade_channel_of(const mrw_raster_job *job);
/* Returns the job's exposure, tone map and encoding, as far as its mode has them. */
mrwi_shade_tone mrwi_shade_tone_of(const mrw_raster_job *job);

#define MRWI_SHADE_MOST_PROBES 16 /* most probes of MRW_FILTER_ANISO */

typedef struct mrwi_shade_kernels {
    /* Sets rgba[i] to the colour of fragment i: linear (or raw when the mode is), premultiplied by
     * alpha, 0 ... 65536 and never NaN; alpha is 1 for opaque and masked materials. rgba is padded
     * like the list. */
    void (*shade)(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4]);
    /* Sets alpha[i] to the base colour alpha of fragment i (factor * texture * vertex colour), for
     * the mask test. */
    void (*alpha)(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha);
    /* Encodes count resolved pixels (premultiplied linear RGBA, not yet over the background) to
     * bytes. With 3 channels, over the background (linear, opaque); with 4, as straight alpha over
     * a premultiplied background. The background, which appears exactly as written, is neither
     * exposed nor tone-mapped. */
    void (*encode)(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, mrwi_shade_tone tone, uint8_t *out);
    /* Appends the fragments of a row's pixels x0 ... x1 - 1 to the lists, and the pixels. Returns
     * the pixel before which it stopped: less than x1 if the list must be emptied first. */
    int32_t (*gather)(const mrwi_shade_gather *row, mrwi_shade_fragments *fragments,
                      mrwi_shade_pixels *pixels);
    /* Encodes the pixels of the list, whose colours are rgba[slot], like encode, each to its place
     * in the picture. */
    void (*write_pixels)(const mrwi_shade_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, mrwi_shade_tone tone,
                         uint8_t *pixels);
    /* Combines shade and encode, for opaque and masked fragments with one pixel each: fragment i is
     * written as pixel where[i] of the picture. */
    void (*shade_pixels)(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels);
} mrwi_shade_kernels;

/* How MRW_SHADING_LIT shows a classic material, by its shininess alone. */
typedef struct mrwi_shade_classic {
    bool matt;       /* no highlight: the shininess is 0 */
    float roughness; /* 0 ... 1 */
} mrwi_shade_classic;

/* mode.c: converts a shininess as MRW_SURFACE_CLASSIC says. */
mrwi_shade_classic mrwi_shade_classic_of(float shininess);

/* mode.c: computes the factor of the toon mode's highlight, from the material's factors alone: maps
 * would make it ragged. */
void mrwi_shade_toon_shine(const mrw_raster_material *material, float out[3]);

/* Returns the kernels of an instruction set. */
const mrwi_shade_kernels *mrwi_shade_kernels_for(mrw_isa isa);

/* A background for pictures with 16 bits per channel: linear and premultiplied, and as written
 * where nothing is drawn, which is 257 times the bytes. */
typedef struct mrwi_shade_deep_background {
    float linear[4];
    uint16_t written[4];
} mrwi_shade_deep_background;
void mrwi_shade_deep_background_of(const uint8_t srgb[4], bool raw,
                                   mrwi_shade_deep_background *out);

/* Encodes to 16 bits per channel like the kernels' encode, with the curve evaluated in double. All
 * instruction sets use this function. */
void mrwi_shade_encode_deep(const float (*rgba)[4], uint32_t count,
                            const mrwi_shade_deep_background *background, uint32_t channels,
                            mrwi_shade_tone tone, uint16_t *out);

/* Converts background bytes to linear premultiplied values, such that encode gives the bytes back
 * (all 0 where alpha is 0). For 3 channels the caller sets alpha to 255 first. */
void mrwi_shade_background_of(const uint8_t srgb[4], bool raw, float out[4]);

#endif
