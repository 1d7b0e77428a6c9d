/* shade.h: shading of visible fragments, in stages over compacted lists.
 *
 * shade_spec.c says what is computed, one fragment at a time, and is the scalar kernel;
 * shade_kernel.h does it in lanes, one source compiled once an ISA. A fragment's result depends on
 * the fragment alone, so all give the same bits. Coverage code hands
 * lists of fragments over and gets premultiplied linear colour back; it never looks into materials
 * except for alpha_mode.
 */
#ifndef MRWI_SHADE_SHADE_H
#define MRWI_SHADE_SHADE_H

#include "marrow/raster.h"
#include "shade/fragments.h"
#include "shade/shadow.h"

#include <assert.h>

#define MRWI_SHADE_SUBPIXEL 256 /* positions on the screen are multiples of 1/256 pixel */

/* A vertex of the shading stream: 32 bytes, 32-byte aligned. Made by the vertex stage and by the
 * clipper. x, y are snapped to 1/256 pixel, origin top left, y down, |x|, |y| <= 16384 (so that
 * differences are exact in float). */
typedef struct mrwi_shade_vertex {
    float x, y;
    float inv_w;      /* 1 / clip w; 1 in orthographic views */
    float u, v;       /* after the material's uv transform */
    float nx, ny, nz; /* unit, world space */
} mrwi_shade_vertex;

/* What vertices may have besides: float[4] each. */
typedef enum mrwi_shade_stream {
    MRWI_SHADE_COLOR,    /* linear RGBA, straight alpha */
    MRWI_SHADE_TANGENT,  /* x, y, z in world space, the sign of the bitangent */
    MRWI_SHADE_POSITION, /* x, y, z in world space, 1; for lights that stand somewhere, shadows
                             and flat draws */
    MRWI_SHADE_UVS,      /* u, v of two more_uvs, transformed; further streams the next ones */
    MRWI_SHADE_STREAM_COUNT = MRWI_SHADE_UVS + (MRW_RASTER_MORE_UVS + 1) / 2
} mrwi_shade_stream;

/* The stream that has the coordinates of a map with uvs > 0, and which of its floats is u. */
static inline uint32_t mrwi_shade_uvs_stream(uint32_t uvs)
{
    return MRWI_SHADE_UVS + (uvs - 1) / 2;
}
static inline uint32_t mrwi_shade_uvs_float(uint32_t uvs)
{
    return 2 * ((uvs - 1) % 2);
}

/* Maps that lie in tangent space: a bit each. */
#define MRWI_SHADE_TANGENT_MAPS                                                                    \
    (1u << MRW_RASTER_MAP_NORMAL | 1u << MRW_RASTER_MAP_CLEARCOAT_NORMAL)

/* Those that a draw has, of uvs those that its maps take: a bit each. Every draw has positions. */
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

/* Whether some light stands somewhere: its direction is another everywhere. */
bool mrwi_shade_has_placed_lights(const mrw_lighting *lighting);

/* The lights that reach a part of a picture, in their order, and how far they do: arrays, so that
 * kernels test many at once, and padded by MRWI_SHADE_LIST_PAD that reach nothing. A light that
 * is left out would add exactly nothing: beyond its range its share is clamp(1 - (d / range)^4) =
 * 0, and what is multiplied with that is finite. */
typedef struct mrwi_shade_lamps {
    uint32_t count;
    bool any_placed;
    /* Spheres outside of which they give nothing, that of a spot around its cone: the middles, not
     * read of those that reach everything, and the squares of the radii, or infinite. */
    float *x, *y, *z;
    float *reach;
    uint32_t *light; /* numbers of the frame's lights */
    bool *placed;    /* as of those */
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

/* Whether any light comes from all around: a hemisphere or an environment. */
bool mrwi_shade_has_ambient_light(const mrw_lighting *lighting);

/* Fills out[lighting->light_count]. */
void mrwi_shade_prepare_lights(const mrw_lighting *lighting, mrwi_shade_light *out);

/* What becomes of colours once they are resolved. */
typedef enum mrwi_shade_curve {
    MRWI_SHADE_CURVE_SRGB,    /* encoded as sRGB */
    MRWI_SHADE_CURVE_RAW,     /* written as they are */
    MRWI_SHADE_CURVE_EXPOSED, /* times exposure, then sRGB */
    MRWI_SHADE_CURVE_ACES,    /* times exposure, through a tone map (mrw_tonemap), then sRGB */
    MRWI_SHADE_CURVE_NEUTRAL,
    MRWI_SHADE_CURVE_COUNT
} mrwi_shade_curve;

typedef struct mrwi_shade_tone {
    mrwi_shade_curve curve;
    float exposure; /* 0 ... 1e6; not read by SRGB and RAW */
} mrwi_shade_tone;

/* What all fragments of a frame share. */
typedef struct mrwi_shade_frame {
    const mrwi_shade_vertex *vertices;
    /* Parallel to vertices; NULL when no draw has it. Read only for triangles whose draw has it. */
    const float (*streams[MRWI_SHADE_STREAM_COUNT])[4];
    const mrwi_shade_triangle *triangles;
    const mrw_raster_draw *draws;
    mrw_lighting lighting;          /* of which the lights are read here: */
    const mrwi_shade_light *lights; /* lighting.light_count */
    bool placed_lights;             /* mrwi_shade_has_placed_lights */
    const mrwi_shade_lamps *lamps;  /* NULL: all lights */
    /* mrwi_shade_prepare_shadows; with any, positions are there. */
    const mrwi_shade_shadow *shadows;
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
    mrwi_shade_tone tone; /* of shade_pixels; RAW where the mode is not encoded, else never */
} mrwi_shade_frame;

/* frame.c: sets the rays to the eye, and the camera's up, from the job's view. */
void mrwi_shade_set_rays(mrwi_shade_frame *shade, const mrw_raster_job *job);
/* Returns the channel that the job's mode shows, if it shows data. */
mrw_shading_channel mrwi_shade_channel_of(const mrw_raster_job *job);
/* Returns the job's exposure, tone map and encoding, as far as its mode has them. */
mrwi_shade_tone mrwi_shade_tone_of(const mrw_raster_job *job);

#define MRWI_SHADE_MOST_PROBES 16 /* of MRW_FILTER_ANISO */

typedef struct mrwi_shade_kernels {
    /* rgba[i] = colour of fragment i: linear (or raw when the mode is), premultiplied by
     * alpha, 0 ... 65536 and never NaN; alpha is 1 for opaque and masked materials. rgba is padded
     * as the list is. */
    void (*shade)(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4]);
    /* alpha[i] = base colour alpha of fragment i (factor * texture * vertex colour), for the mask
     * test. */
    void (*alpha)(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha);
    /* Encodes count resolved pixels (premultiplied linear RGBA, not yet over the background) to
     * bytes: channels 3: over background (linear, opaque); 4: un-premultiplied straight alpha over
     * a premultiplied background. The background, which comes out as written, is neither exposed
     * nor tone-mapped. */
    void (*encode)(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, mrwi_shade_tone tone, uint8_t *out);
    /* Appends the fragments of a row's pixels x0 ... x1 - 1 to the lists, and the pixels. Returns
     * where it stopped: before x1 when the list must be emptied first. */
    int32_t (*gather)(const mrwi_shade_gather *row, mrwi_shade_fragments *fragments,
                      mrwi_shade_pixels *pixels);
    /* Encodes the pixels of the list, whose colours are rgba[slot], as encode does, each to its
     * place in the picture. */
    void (*write_pixels)(const mrwi_shade_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, mrwi_shade_tone tone,
                         uint8_t *pixels);
    /* shade and encode in one, for opaque and masked fragments that are a pixel each: fragment i is
     * written as pixel where[i] of the picture. */
    void (*shade_pixels)(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels);
} mrwi_shade_kernels;

/* mode.c: what the toon mode's highlight is multiplied with, of the material's factors alone: maps
 * would make it ragged. */
void mrwi_shade_toon_shine(const mrw_raster_material *material, float out[3]);

/* The kernels of an instruction set. */
const mrwi_shade_kernels *mrwi_shade_kernels_for(mrw_isa isa);

/* A background of pictures with 16 bits a channel: linear and premultiplied, and as it is written
 * where nothing is drawn, which is 257 times the bytes. */
typedef struct mrwi_shade_deep_background {
    float linear[4];
    uint16_t written[4];
} mrwi_shade_deep_background;
void mrwi_shade_deep_background_of(const uint8_t srgb[4], bool raw,
                                   mrwi_shade_deep_background *out);

/* As the kernels' encode, to 16 bits a channel, the curve evaluated in double; one for all
 * instruction sets. */
void mrwi_shade_encode_deep(const float (*rgba)[4], uint32_t count,
                            const mrwi_shade_deep_background *background, uint32_t channels,
                            mrwi_shade_tone tone, uint16_t *out);

/* Background bytes -> linear premultiplied, such that encode gives the bytes back (all 0 where
 * alpha is 0). For 3 channels the caller sets alpha to 255 first. */
void mrwi_shade_background_of(const uint8_t srgb[4], bool raw, float out[4]);

#endif
