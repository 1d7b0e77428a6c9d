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
    MRWI_RASTER_COLOR,   /* linear RGBA, straight alpha */
    MRWI_RASTER_TANGENT, /* x, y, z in world space, the sign of the bitangent */
    MRWI_RASTER_UVS,     /* u, v of both more_uvs, transformed, where a map takes one of them */
    MRWI_RASTER_STREAM_COUNT
} mrwi_raster_stream;

static inline bool mrwi_raster_takes_more_uvs(const mrw_raster_material *material)
{
    bool takes = false;
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        assert(material->maps[m].uvs <= MRW_RASTER_MORE_UVS);
        takes = takes || (material->maps[m].texture && material->maps[m].uvs > 0);
    }
    return takes;
}

/* Those that a draw has: a bit each. */
static inline uint32_t mrwi_raster_streams_of(const mrw_raster_draw *draw)
{
    return (draw->colors ? 1u << MRWI_RASTER_COLOR : 0u) |
           (draw->tangents ? 1u << MRWI_RASTER_TANGENT : 0u) |
           (mrwi_raster_takes_more_uvs(draw->material) ? 1u << MRWI_RASTER_UVS : 0u);
}

/* A triangle that survived culling and clipping, in draw order: its number is its id. Its vertices
 * stay in the draw's order, whichever side is seen. */
typedef struct mrwi_raster_triangle {
    uint32_t vertex[3];  /* into the frame's shading stream */
    uint32_t draw_flags; /* draw index << 1 | 1 when the back side is seen (normal is flipped) */
} mrwi_raster_triangle;

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
    mrw_lighting lighting;
    mrw_shading shading;
    mrw_filter filter;
    /* World-space vector from a surface point towards the eye for the pixel (x, y), any length:
     * ray0 + x * ray_dx + y * ray_dy; constant in orthographic views. */
    float ray0[3], ray_dx[3], ray_dy[3];
    mrwi_raster_tone tone; /* of shade_pixels; RAW with MRW_SHADING_UNLIT, else never */
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

typedef struct mrwi_raster_shade_kernels {
    /* rgba[i] = colour of fragment i: linear (or raw when MRW_SHADING_UNLIT), premultiplied by
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

/* Background bytes -> linear premultiplied, such that encode gives the bytes back (all 0 where
 * alpha is 0). For 3 channels the caller sets alpha to 255 first. */
void mrwi_raster_shade_background(const uint8_t srgb[4], bool raw, float out[4]);

#endif
