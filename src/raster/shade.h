/* shade.h: shading of visible fragments, in stages over compacted lists.
 *
 * shade_spec.c says what is computed, one fragment at a time, and is the scalar kernel;
 * shade_kernel.h does it in lanes, one source compiled once an ISA. A fragment's result depends on
 * the fragment alone, so all give the same bits. Coverage code hands
 * lists of fragments over and gets premultiplied linear colour back; it never looks into materials
 * except for alpha_mode.
 */
#ifndef MRWI_RASTER_SHADE_H
#define MRWI_RASTER_SHADE_H

#include "marrow/raster.h"
#include "raster/shadow.h"

#include <assert.h>

/* A vertex of the shading stream: 32 bytes, 32-byte aligned. Made by the vertex stage and by the
 * clipper. x, y are snapped to 1/256 pixel, origin top left, y down, |x|, |y| <= 16384 (so that
 * differences are exact in float). */
typedef struct mrwi_raster_shade_vertex {
    float x, y;
    float inv_w;      /* 1 / clip w; 1 in orthographic views */
    float u, v;       /* after the material's uv transform */
    float nx, ny, nz; /* unit, world space */
} mrwi_raster_shade_vertex;

/* What vertices may have besides: float[4] each. */
typedef enum mrwi_raster_stream {
    MRWI_RASTER_COLOR,    /* linear RGBA, straight alpha */
    MRWI_RASTER_TANGENT,  /* x, y, z in world space, the sign of the bitangent */
    MRWI_RASTER_POSITION, /* x, y, z in world space, 1; for lights that stand somewhere, shadows
                             and flat draws */
    MRWI_RASTER_UVS,      /* u, v of two more_uvs, transformed; further streams the next ones */
    MRWI_RASTER_STREAM_COUNT = MRWI_RASTER_UVS + (MRW_RASTER_MORE_UVS + 1) / 2
} mrwi_raster_stream;

/* The stream that has the coordinates of a map with uvs > 0, and which of its floats is u. */
static inline uint32_t mrwi_raster_uvs_stream(uint32_t uvs)
{
    return MRWI_RASTER_UVS + (uvs - 1) / 2;
}
static inline uint32_t mrwi_raster_uvs_float(uint32_t uvs)
{
    return 2 * ((uvs - 1) % 2);
}

/* Maps that lie in tangent space: a bit each. */
#define MRWI_RASTER_TANGENT_MAPS                                                                   \
    (1u << MRW_RASTER_MAP_NORMAL | 1u << MRW_RASTER_MAP_CLEARCOAT_NORMAL)

/* Those that a draw has, of uvs those that its maps take: a bit each. Every draw has positions. */
static inline uint32_t mrwi_raster_streams_of(const mrw_raster_draw *draw)
{
    uint32_t streams = 1u << MRWI_RASTER_POSITION;
    streams |= draw->colors ? 1u << MRWI_RASTER_COLOR : 0u;
    streams |= draw->tangents ? 1u << MRWI_RASTER_TANGENT : 0u;
    for (uint32_t m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        const mrw_raster_map *map = &draw->material->maps[m];
        assert(map->uvs <= MRW_RASTER_MORE_UVS);
        if (map->texture && map->uvs > 0) {
            streams |= 1u << mrwi_raster_uvs_stream(map->uvs);
        }
    }
    return streams;
}

/* A triangle that survived culling and clipping, in draw order: its number is its id. Its vertices
 * stay in the draw's order, whichever side is seen. */
typedef struct mrwi_raster_triangle {
    uint32_t vertex[3];  /* into the frame's shading stream */
    uint32_t draw_flags; /* draw index << 1 | 1 when the back side is seen (normal is flipped) */
} mrwi_raster_triangle;

typedef mrw_raster_lamp mrwi_raster_light;

/* Whether some light stands somewhere: its direction is another everywhere. */
bool mrwi_raster_has_placed_lights(const mrw_lighting *lighting);

/* The lights that reach a part of a picture, in their order, and how far they do: arrays, so that
 * kernels test many at once, and padded by MRWI_RASTER_SHADE_PAD that reach nothing. A light that
 * is left out would add exactly nothing: beyond its range its share is clamp(1 - (d / range)^4) =
 * 0, and what is multiplied with that is finite. */
typedef struct mrwi_raster_lamps {
    uint32_t count;
    bool any_placed;
    /* Spheres outside of which they give nothing, that of a spot around its cone: the middles, not
     * read of those that reach everything, and the squares of the radii, or infinite. */
    float *x, *y, *z;
    float *reach;
    uint32_t *light; /* numbers of the frame's lights */
    bool *placed;    /* as of those */
} mrwi_raster_lamps;

/* Whether any light comes from all around: a hemisphere or an environment. */
bool mrwi_raster_has_ambient_light(const mrw_lighting *lighting);

/* Fills out[lighting->light_count]. */
void mrwi_raster_prepare_lights(const mrw_lighting *lighting, mrwi_raster_light *out);

/* What becomes of colours once they are resolved. */
typedef enum mrwi_raster_curve {
    MRWI_RASTER_CURVE_SRGB,    /* encoded as sRGB */
    MRWI_RASTER_CURVE_RAW,     /* written as they are */
    MRWI_RASTER_CURVE_EXPOSED, /* times exposure, then sRGB */
    MRWI_RASTER_CURVE_ACES,    /* times exposure, through a tone map (mrw_tonemap), then sRGB */
    MRWI_RASTER_CURVE_NEUTRAL,
    MRWI_RASTER_CURVE_COUNT
} mrwi_raster_curve;

typedef struct mrwi_raster_tone {
    mrwi_raster_curve curve;
    float exposure; /* 0 ... 1e6; not read by SRGB and RAW */
} mrwi_raster_tone;

/* What all fragments of a frame share. */
typedef struct mrwi_raster_shade_frame {
    const mrwi_raster_shade_vertex *vertices;
    /* Parallel to vertices; NULL when no draw has it. Read only for triangles whose draw has it. */
    const float (*streams[MRWI_RASTER_STREAM_COUNT])[4];
    const mrwi_raster_triangle *triangles;
    const mrw_raster_draw *draws;
    mrw_lighting lighting;           /* of which the lights are read here: */
    const mrwi_raster_light *lights; /* lighting.light_count */
    bool placed_lights;              /* mrwi_raster_has_placed_lights */
    const mrwi_raster_lamps *lamps;  /* NULL: all lights */
    /* mrwi_raster_prepare_shadows; with any, positions are there. */
    const mrwi_raster_shadow *shadows;
    uint32_t shadow_count;
    const mrw_raster_occlusion *occlusion; /* NULL: none; with it positions are there */
    int32_t width, height;                 /* of the picture; of occlusion */
    mrw_shading shading;
    mrw_shading_channel channel; /* of modes that show data */
    mrw_filter filter;
    /* World-space vector from a surface point towards the eye for the pixel (x, y), any length:
     * ray0 + x * ray_dx + y * ray_dy; constant in orthographic views. */
    float ray0[3], ray_dx[3], ray_dy[3];
    const mrw_raster_texture *matcap; /* of MRW_SHADING_MATCAP */
    float up[3];                      /* the camera's, any length */
    mrwi_raster_tone tone; /* of shade_pixels; RAW where the mode is not encoded, else never */
} mrwi_raster_shade_frame;

/* Fragments of one list: any triangles, positions in pixels (pixel centre = n + 0.5), multiples of
 * 1/256. Arrays are padded: MRWI_RASTER_SHADE_PAD entries beyond count may be read, and must be
 * valid triangle numbers (the caller repeats the last). With other_x and other_y, a fragment whose
 * triangle does not cover (x, y) is shaded at (other_x, other_y) instead; they are NULL where
 * positions are final. */
#define MRWI_RASTER_SHADE_PAD 16
typedef struct mrwi_raster_shade_list {
    uint32_t count;
    const float *x;
    const float *y;
    const uint32_t *triangle;
    const float *other_x;
    const float *other_y;
} mrwi_raster_shade_list;

struct mrwi_raster_gather;    /* internal.h */
struct mrwi_raster_fragments; /* internal.h */
struct mrwi_raster_pixels;    /* internal.h */

#define MRWI_RASTER_SHADE_MAX 1024 /* longest list; callers split */

#define MRWI_RASTER_MOST_PROBES 16 /* of MRW_FILTER_ANISO */

typedef struct mrwi_raster_shade_kernels {
    /* rgba[i] = colour of fragment i: linear (or raw when the mode is), premultiplied by
     * alpha, 0 ... 65536 and never NaN; alpha is 1 for opaque and masked materials. rgba is padded
     * as the list is. */
    void (*shade)(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                  float (*rgba)[4]);
    /* alpha[i] = base colour alpha of fragment i (factor * texture * vertex colour), for the mask
     * test. */
    void (*alpha)(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                  float *alpha);
    /* Encodes count resolved pixels (premultiplied linear RGBA, not yet over the background) to
     * bytes: channels 3: over background (linear, opaque); 4: un-premultiplied straight alpha over
     * a premultiplied background. The background, which comes out as written, is neither exposed
     * nor tone-mapped. */
    void (*encode)(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, mrwi_raster_tone tone, uint8_t *out);
    /* Appends the fragments of a row's pixels x0 ... x1 - 1 to the lists, and the pixels. Returns
     * where it stopped: before x1 when the list must be emptied first. */
    int32_t (*gather)(const struct mrwi_raster_gather *row, struct mrwi_raster_fragments *fragments,
                      struct mrwi_raster_pixels *pixels);
    /* Encodes the pixels of the list, whose colours are rgba[slot], as encode does, each to its
     * place in the picture. */
    void (*write_pixels)(const struct mrwi_raster_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, mrwi_raster_tone tone,
                         uint8_t *pixels);
    /* shade and encode in one, for opaque and masked fragments that are a pixel each: fragment i is
     * written as pixel where[i] of the picture. */
    void (*shade_pixels)(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels);
} mrwi_raster_shade_kernels;

/* The kernels of an instruction set. */
const mrwi_raster_shade_kernels *mrwi_raster_shade_kernels_for(mrw_isa isa);

/* A background of pictures with 16 bits a channel: linear and premultiplied, and as it is written
 * where nothing is drawn, which is 257 times the bytes. */
typedef struct mrwi_raster_deep_background {
    float linear[4];
    uint16_t written[4];
} mrwi_raster_deep_background;
void mrwi_raster_deep_background_of(const uint8_t srgb[4], bool raw,
                                    mrwi_raster_deep_background *out);

/* As the kernels' encode, to 16 bits a channel, the curve evaluated in double; one for all
 * instruction sets. */
void mrwi_raster_encode_deep(const float (*rgba)[4], uint32_t count,
                             const mrwi_raster_deep_background *background, uint32_t channels,
                             mrwi_raster_tone tone, uint16_t *out);

/* Background bytes -> linear premultiplied, such that encode gives the bytes back (all 0 where
 * alpha is 0). For 3 channels the caller sets alpha to 255 first. */
void mrwi_raster_shade_background(const uint8_t srgb[4], bool raw, float out[4]);

#endif
