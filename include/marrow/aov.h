/* aov.h: what a frame knows of its pixels besides their colour: passes ("arbitrary output
 * variables").
 *
 * Passes are numbers, exact and never averaged. But for COLOR, COVERAGE and the CRYPTO ones they
 * are those of one sample a pixel, its centre, whatever mrw_frame_def.samples is: of the nearest
 * surface there. Masks have their holes; a surface that is blended counts where its alpha is at
 * least one half, and is not there elsewhere (in the CRYPTO ones it has its part). Where nothing is
 * seen values are 0, if not said otherwise. The ground (mrw_frame_def.ground) counts in COLOR and
 * COVERAGE; the others do not have it.
 *
 * Pixel (x, y), counted from the top left, has its centre at (x + 0.5, y + 0.5). The space of the
 * camera that passes speak of is that of computer vision: x right, y down, z forward from the eye;
 * mrw_frame_intrinsics leads from it to pixels.
 *
 * The same bits on every machine, with every backend: this library's rasterizer draws them.
 */
#ifndef MARROW_AOV_H
#define MARROW_AOV_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrw_aov {
    /* Linear RGBA, premultiplied, of all samples, as it reaches the tone map: exposed; over the
     * background, or clear where the picture is. */
    MRW_AOV_COLOR,
    MRW_AOV_DEPTH,    /* along the view axis, in units of the world; +inf where nothing is */
    MRW_AOV_DISTANCE, /* from the eye along the ray through the pixel's centre; of parallel
                         projections DEPTH; +inf where nothing is */
    MRW_AOV_NORMAL,   /* unit, in world space, of the seen side, with the normal maps that the model
                         was prepared with: mrw_model_def.normals */
    MRW_AOV_POSITION, /* in world space */
    MRW_AOV_UV,       /* the mesh's first set as the file has it, v downwards, not wrapped */
    MRW_AOV_ALBEDO,   /* linear base colour: factor, map, colours of vertices; of models that were
                         prepared for MRW_SHADING_RAW as stored */
    /* Pixels, x right, y down: from the pixel's centre to where the same point of the surface lies
     * in the next (last) frame, which is skinned and seen from its own camera; and 1 where it is
     * seen there, 0 where something hides it, or it lies outside the picture. */
    MRW_AOV_FLOW_FORWARD,
    MRW_AOV_FLOW_BACKWARD,
    MRW_AOV_ID,          /* the draw's number: 1 and its place, or what the definition gives it */
    MRW_AOV_MATERIAL,    /* 1 and the material's place in the legend */
    MRW_AOV_JOINT,       /* 1 and the number of the node of the joint with the largest weight */
    MRW_AOV_TRIANGLE,    /* 1 and the triangle's number in its mesh */
    MRW_AOV_BARYCENTRIC, /* the point as a mean of the triangle's corners, in their order; sum 1 */
    MRW_AOV_WEIGHTS,     /* 0 ... 1: how much the joints of a name move the point */
    MRW_AOV_COVERAGE,    /* 0 ... 1: the share of the pixel that is covered, alpha counted */
    /* Cryptomatte 1.2.0 (Friedman and Jones, "Fully Automatic ID Mattes with Support for Motion
     * Blur and Transparency", 2015): six pairs of an id and its share of the pixel, largest first,
     * of equal ones the smaller id, its bits read as a whole number. At each sample the nearest
     * surface has its alpha, the next its alpha of what that leaves, and so on; what is opaque or
     * masked has all that is left to it. So the shares of all ids add up to COVERAGE, but for the
     * ground's part. They are those of surfaces by their depths however many there are, also where
     * the picture blends triangle by triangle (mrw_frame_sorted_bands); of a pixel that more than
     * MRW_RASTER_FRAGMENTS_MAX blended triangles cover the farthest are left out. */
    MRW_AOV_CRYPTO_OBJECT,
    MRW_AOV_CRYPTO_MATERIAL,
    MRW_AOV_COUNT
} mrw_aov;

/* A row of the table of passes. All text is static. */
typedef struct mrw_aov_info {
    const char *name;    /* as --aov has it: "flow-forward"; of WEIGHTS "weights" */
    mrw_format format;   /* F32 or U32 */
    uint32_t channels;   /* values a pixel */
    const char *letters; /* what OpenEXR calls its channels, a letter each: "XYZ"; "" for one that
                            needs none */
    const char *unit;    /* "world units" */
    const char *shows;   /* what it is, in a line */
    uint32_t maps;       /* that it reads beside what pictures do, a bit each: MRW_MAP_BIT */
} mrw_aov_info;

/* Never NULL; aov is below MRW_AOV_COUNT. */
MRW_API const mrw_aov_info *mrw_aov_info_of(mrw_aov aov);

/* A pass that is wanted. */
typedef struct mrw_aov_request {
    mrw_aov aov;
    /* Of WEIGHTS: the name of joints, borrowed; names may repeat, then all of them count. Else not
     * read. */
    const char *joint;
} mrw_aov_request;

/* A camera as computer vision has it. */
typedef struct mrw_intrinsics {
    /* Rows of K: (u w, v w, w) = K (x, y, z) for a point of the camera's space; u, v in pixels from
     * the top left. Orthographic: u = K[0] x + K[2], v = K[4] y + K[5], whatever z is. */
    double k[9];
    /* Rows of the rigid matrix from the world to the camera's space, for column vectors. */
    double world_to_camera[16];
    double near_plane, far_plane; /* far_plane 0: infinitely far */
    bool orthographic;
} mrw_intrinsics;

/* ---- Passes to look at ----------------------------------------------------------------------- */

/* What pictures of passes need to know. */
typedef struct mrw_aov_look {
    /* 0 where nothing is seen, which shows the background: a pass of TRIANGLE of the same picture.
     * COVERAGE does not read it. */
    const mrw_image *seen;
    float near_plane, far_plane; /* of DISTANCE: white and black; far_plane 0: infinitely far */
    /* Of POSITION: black and full red, green, blue. */
    float min[3], max[3];
    uint8_t background[4]; /* sRGB */
    bool transparent;      /* RGBA: the background is clear */
} mrw_aov_look;

/* Shows the numbers of a pass as colours:
 *
 * - DISTANCE, DEPTH: white at the near plane, black at the far one.
 *   Where that is nowhere, half as bright at twice the distance.
 *
 * - POSITION: x, y, z as red, green, blue, within a box.
 *
 * - BARYCENTRIC: the shares as red, green, blue.
 *
 * - COVERAGE, WEIGHTS: grey.
 *
 * - ID, MATERIAL, TRIANGLE, JOINT, CRYPTO: a colour a number.
 *   Hues a golden section of the circle apart, in three tones; of CRYPTO of the largest share's id.
 *
 * - FLOW: the colour wheel of Baker et al. 2011, the hue is the direction.
 *   What stands still is white; the fastest of the picture, or 1/16 pixel where that is more, is
 *   as strong as can be; black where the point is not seen in the other frame.
 *
 * - NORMAL: -1 ... 1 as 0 ... 255.
 *
 * - UV: without whole numbers.
 *
 * - ALBEDO, COLOR: as they are, cut off at 1.
 *
 * Numbers become bytes as they are, without gamma. `marrow render --aov-view` has NORMAL, UV,
 * DEPTH, JOINT, WEIGHTS and ALBEDO drawn by the shading mode of that name, where what is blended is
 * mixed, and joints blend between vertices. *out is made: U8, 3 or 4 channels; the caller frees it.
 */
MRW_API mrw_status mrw_aov_show(mrw_aov aov, const mrw_image *pass, const mrw_aov_look *look,
                                mrw_image *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
