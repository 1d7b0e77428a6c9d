/* aov.h: passes ("arbitrary output variables"): per-pixel data of a frame besides colour.
 *
 * Pass values are exact numbers and are never averaged. Except for COLOR, COVERAGE and CRYPTO, they
 * belong to the nearest surface at one sample per pixel, its centre, whatever mrw_frame_def.samples
 * is. Alpha masks cut holes. A blended surface counts if its alpha is at least one half, else not
 * at all (in CRYPTO it counts by its share). Values are 0 where no surface is seen, unless stated
 * otherwise. The ground (mrw_frame_def.ground) appears only in COLOR and COVERAGE.
 *
 * Pixel (x, y), counted from the top left, has its centre at (x + 0.5, y + 0.5). Camera space in
 * passes follows computer vision: x right, y down, z forward from the eye. mrw_frame_intrinsics
 * leads from it to pixels.
 *
 * Results have the same bits on every machine and with every backend, because this library's
 * rasterizer draws the passes.
 */
#ifndef MARROW_AOV_H
#define MARROW_AOV_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrw_aov {
    /* Linear RGBA, premultiplied, from all samples, before the tone map and after exposure; over
     * the background, or over a clear one for transparent pictures. */
    MRW_AOV_COLOR,
    MRW_AOV_DEPTH,    /* along the view axis, in world units; +inf without a surface */
    MRW_AOV_DISTANCE, /* from the eye along the ray through the pixel's centre; equal to DEPTH in
                         parallel projections; +inf without a surface */
    MRW_AOV_NORMAL, /* unit normal in world space of the visible side, with the normal maps prepared
                       with the model: mrw_model_def.normals */
    MRW_AOV_POSITION, /* in world space */
    MRW_AOV_UV,       /* first set of texture coordinates as filed, v downwards, not wrapped */
    MRW_AOV_ALBEDO,   /* linear base colour: factor, map and vertex colour; as stored in models
                         prepared for MRW_SHADING_RAW */
    /* Motion in pixels, x right, y down, from the pixel's centre to the place of the same surface
     * point in the next (last) frame, skinned and seen from that frame's own camera. The third
     * value is 1 if the point is visible there, and 0 if it is hidden or outside the picture. */
    MRW_AOV_FLOW_FORWARD,
    MRW_AOV_FLOW_BACKWARD,
    MRW_AOV_ID,       /* number of the draw: its index plus 1, or as mrw_frame_def.ids gives it */
    MRW_AOV_MATERIAL, /* 1 plus the material's index in the legend */
    MRW_AOV_JOINT,    /* 1 plus the node index of the joint with the largest weight */
    MRW_AOV_TRIANGLE, /* 1 plus the triangle's index in its mesh */
    MRW_AOV_BARYCENTRIC, /* weights of the triangle's corners, in their order; sum 1 */
    MRW_AOV_WEIGHTS,     /* 0 ... 1: share of the point's motion due to joints of one name */
    MRW_AOV_COVERAGE,    /* 0 ... 1: covered share of the pixel, including alpha */
    /* Cryptomatte 1.2.0 (Friedman and Jones, "Fully Automatic ID Mattes with Support for Motion
     * Blur and Transparency", 2015): six pairs of an id and its share of the pixel, largest share
     * first; among equal shares the smaller id, read as an integer, comes first. At each sample the
     * nearest surface has its alpha as share, the next one its alpha of the rest, and so on; an
     * opaque or masked surface takes all of the rest. The shares of all ids therefore sum to
     * COVERAGE, except for the share of the ground. Shares follow the depths of the surfaces,
     * however many there are, even if the picture blends triangle by triangle
     * (mrw_frame_sorted_bands). If more than MRW_RASTER_FRAGMENTS_MAX blended triangles cover a
     * pixel, the farthest are left out. */
    MRW_AOV_CRYPTO_OBJECT,
    MRW_AOV_CRYPTO_MATERIAL,
    MRW_AOV_COUNT
} mrw_aov;

/* A row of the table of passes. All text is static. */
typedef struct mrw_aov_info {
    const char *name;    /* name for the --aov option: "flow-forward"; "weights" for WEIGHTS */
    mrw_format format;   /* F32 or U32 */
    uint32_t channels;   /* values per pixel */
    const char *letters; /* OpenEXR names of its channels, one letter each: "XYZ"; "" if there is
                            only one, which needs none */
    const char *unit;    /* such as "world units" */
    const char *shows;   /* description in one line */
    uint32_t maps;       /* maps that the pass reads in addition to those of pictures, one bit each:
                            MRW_MAP_BIT */
} mrw_aov_info;

/* Returns the table row of a pass, never NULL; aov is below MRW_AOV_COUNT. Static storage. */
MRW_API const mrw_aov_info *mrw_aov_info_of(mrw_aov aov);

/* A requested pass. */
typedef struct mrw_aov_request {
    mrw_aov aov;
    /* Name of joints for WEIGHTS, borrowed. If several joints have this name, all count. Not read
     * for other passes. */
    const char *joint;
} mrw_aov_request;

/* A camera in the form used in computer vision. */
typedef struct mrw_intrinsics {
    /* Rows of K: (u w, v w, w) = K (x, y, z) for a point in camera space; u, v in pixels from the
     * top left. Orthographic: u = K[0] x + K[2], v = K[4] y + K[5], whatever z is. */
    double k[9];
    /* Rows of the rigid matrix from world to camera space, for column vectors. */
    double world_to_camera[16];
    double near_plane, far_plane; /* far_plane 0: infinity */
    bool orthographic;
} mrw_intrinsics;

/* ---- Passes to look at ----------------------------------------------------------------------- */

/* Inputs for pictures of passes. */
typedef struct mrw_aov_look {
    /* A TRIANGLE pass of the same picture, 0 where no surface is seen; the background is shown
     * there. Not read for COVERAGE. */
    const mrw_image *seen;
    float near_plane, far_plane; /* DISTANCE, DEPTH: white and black; far_plane 0: infinity */
    /* Box for POSITION: min is black, max is full red, green, blue. */
    float min[3], max[3];
    uint8_t background[4]; /* sRGB */
    bool transparent;      /* RGBA with a clear background */
} mrw_aov_look;

/* Renders the numbers of a pass as colours:
 *
 * - DISTANCE, DEPTH: white at the near plane, black at the far plane. If that is infinite, half as
 *   bright at twice the distance.
 *
 * - POSITION: x, y, z as red, green, blue, within a box.
 *
 * - BARYCENTRIC: the shares as red, green, blue.
 *
 * - COVERAGE, WEIGHTS: grey.
 *
 * - ID, MATERIAL, TRIANGLE, JOINT, CRYPTO: one colour per number, with hues a golden section of the
 *   circle apart, in three tones; CRYPTO shows the id with the largest share.
 *
 * - FLOW: the colour wheel of Baker et al. 2011; hue is direction. Points that do not move are
 *   white. The fastest point of the picture, or 1/16 pixel if that is more, has full strength.
 *   Points not visible in the other frame are black.
 *
 * - NORMAL: -1 ... 1 mapped to 0 ... 255.
 *
 * - UV: the fractional part.
 *
 * - ALBEDO, COLOR: unchanged, clamped at 1.
 *
 * Numbers become bytes directly, without gamma. `marrow render --aov-view` draws NORMAL, UV, DEPTH,
 * JOINT, WEIGHTS and ALBEDO with the shading mode of that name instead, which mixes blended
 * surfaces and interpolates joints between vertices. Creates *out: U8, 3 or 4 channels. The caller
 * frees it with mrw_image_free. */
MRW_API mrw_status mrw_aov_show(mrw_aov aov, const mrw_image *pass, const mrw_aov_look *look,
                                mrw_image *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
