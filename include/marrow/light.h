/* light.h: lights, rigs of them, and environments. Knows cameras, no scene and no surface.
 *
 * The lighting of a frame is an array of lights, any number of them, and a hemisphere of ambient
 * light. Frames make it of a rig, which is placed relative to a camera, of the lights of files and
 * of definitions of lights (mrw_light_def), or it is the caller's own:
 *
 *     mrw_light lights[MRW_RIG_LIGHTS];
 *     mrw_lighting lighting;
 *     mrw_light_rig_studio(&def.camera, lights, &lighting);
 *     lighting.sky[2] = 0.4f;                            a bluer sky
 *     def.lighting = &lighting;                          of mrw_frame_def (frame.h)
 *
 * All of that is data: nothing is allocated or kept between calls, arrays of lights are the
 * caller's. Colours are linear RGB, not negative. All vectors are in world space: right-handed, Y
 * up. An environment, light from all around, is an object, which many frames can share.
 *
 * Threads: every function may be called by any number of threads, as long as no two write the same
 * memory. Nothing here can fail, but for making environments; pointers are not NULL, where nothing
 * else is said.
 */
#ifndef MARROW_LIGHT_H
#define MARROW_LIGHT_H

#include "base.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of KHR_lights_punctual. */
typedef enum mrw_light_type {
    MRW_LIGHT_DIRECTIONAL, /* equally strong everywhere, as from far away */
    MRW_LIGHT_POINT,       /* from a position in all directions, weaker with the distance */
    MRW_LIGHT_SPOT         /* from a position into a cone */
} mrw_light_type;

/* What a light sees, for shadows: see below. */
typedef struct mrw_shadow_map mrw_shadow_map;

/* A light in world space. All zeros is a directional light that is off, and a colour of zeros any
 * other. */
typedef struct mrw_light {
    mrw_light_type type;
    /* Directional lights and spots: unit vector from what is lit towards the light, against the way
     * it shines (of a spot: along its axis). */
    float to_light[3];
    /* Points and spots: where they stand. */
    float position[3];
    /* The radiance of a white matt surface that faces the light, for points and spots at distance
     * 1: 1 is white. It is color * intensity of KHR_lights_punctual divided by pi. */
    float color[3];
    /* Strength of its highlights, times color; 0 for none, 1 for real lights. How sharp highlights
     * are is up to the material. */
    float specular;
    /* Points and spots: the distance at which their light ends; 0: nowhere. */
    float range;
    /* Spots: angles from the axis in radians, 0 <= inner <= outer <= pi. Within the inner cone the
     * light is full, beyond the outer one there is none. */
    float inner_cone;
    float outer_cone;
    /* Whether it casts shadows in frames that have them (mrw_frame_def.shadows). mrw_light_place
     * has it so; of rigs only the first light casts any, the key. */
    bool throws_shadow;
    /* The shadows that it casts: how far it sees, borrowed as long as this is used; NULL: none, it
     * shines through everything. Frames that have shadows fill it in. */
    const mrw_shadow_map *shadow;
    /* A tutorial's lamp, as mrw_light_place_classic makes it; false: the fields below are not read,
     * and points and spots weaken with the square of the distance. */
    bool classic;
    /* Points and spots: constant, linear and quadratic: 1 / (c + l d + q d^2) of their light is
     * left at distance d. Not negative. */
    float attenuation[3];
    /* What of its color comes from all around, on LAMBERT, PHONG, CLAY and WIRE of raster.h, as
     * strong on every side and in shadow, and what of it falls on matt surfaces. */
    float ambient, diffuse;
} mrw_light;

/* Light from all around, made ready for surfaces: see below. */
typedef struct mrw_environment mrw_environment;

/* All the light of a frame. All zeros is darkness. */
typedef struct mrw_lighting {
    /* light_count of them, borrowed as long as this is used; may be NULL when there are none. They
     * are added in this order: another order may change the last bit of a sum. */
    const mrw_light *lights;
    uint32_t light_count;
    /* Ambient light: radiance of a white matt surface, from `ground` where its normal is against
     * the axis to `sky` where it is along the axis, by the cosine. */
    float up[3]; /* the axis, unit */
    float sky[3];
    float ground[3];
    /* Light from all around, borrowed as long as this is used; NULL: none, and then the fields
     * below are not read. mrw_environment_place fills in the first three. */
    const mrw_environment *environment;
    /* Turns directions of the world into the environment's: a rotation, column-major, 3x3. */
    float world_to_environment[9];
    /* What the environment's radiance is multiplied by, 0 or more. */
    float environment_intensity;
    /* Whether surfaces give back what light loses between the facets of a rough one (Fdez-Aguera
     * 2019). Without it rough metals are up to half darker than what surrounds them. */
    bool environment_compensation;
} mrw_lighting;

/* ---- Definitions ----------------------------------------------------------------------------- */

/* What a light is fixed to. */
typedef enum mrw_light_space {
    MRW_LIGHT_SPACE_WORLD,
    MRW_LIGHT_SPACE_CAMERA, /* view space: X right, Y up, the camera at the origin looks along -Z */
    MRW_LIGHT_SPACE_NODE    /* that of a node, with which the light moves and turns */
} mrw_light_space;

/* A light before it is placed, in the units of KHR_lights_punctual. Start from
 * mrw_light_def_default. */
typedef struct mrw_light_def {
    mrw_light_type type;
    /* The space of position and direction; default the world. */
    mrw_light_space space;
    /* MRW_LIGHT_SPACE_NODE: which one, by whoever knows nodes (frame.h). Default 0. */
    uint32_t node;
    /* Points and spots: where it stands. Default the origin. */
    float position[3];
    /* Directional lights and spots: the way the light travels, of any length but 0. Default 0, 0,
     * -1. */
    float direction[3];
    /* Linear RGB; default 1, 1, 1. */
    float color[3];
    /* Lux for directional lights, else candela: pi lights a white matt surface that faces the light
     * (of points and spots, at distance 1) to white. Not negative; default 1. */
    float intensity;
    /* As in mrw_light, whatever the scale of the space; default 0. */
    float range;
    /* As in mrw_light; default 0 and 45 degrees. */
    float inner_cone;
    float outer_cone;
    /* What only mrw_light_place_classic reads. Points and spots: constant, linear and quadratic, as
     * in mrw_light; default 1, 0, 0: as bright everywhere. */
    float attenuation[3];
    /* Strengths, times color * intensity, as in mrw_light; default 0, 1, 1. */
    float ambient, diffuse, specular;
} mrw_light_def;

/* The defaults named above. */
MRW_API mrw_light_def mrw_light_def_default(mrw_light_type type);

/* Places a light by the affine matrix from its space to the world, which turns and scales its
 * direction as any vector. The light's color is color * intensity / pi, at most the largest float,
 * and its `specular` 1. A light that comes to have no place, or needs a direction and has none, as
 * in a space that is scaled to nothing, is off: zeros, but for its type. */
MRW_API void mrw_light_place(const mrw_light_def *def, const mrw_mat4 *space_to_world,
                             mrw_light *out);

/* The same as tutorials of OpenGL have their lamps, whose numbers are used as they are: the light's
 * color is color * intensity, with no division by pi, and attenuation and strengths are those of
 * the definition. Its range and its cone are KHR_lights_punctual's. Frames place the lights that
 * they name so in modes with mrw_shading_info.classic_lights. */
MRW_API void mrw_light_place_classic(const mrw_light_def *def, const mrw_mat4 *space_to_world,
                                     mrw_light *out);

/* ---- Rigs ------------------------------------------------------------------------------------ */

/* Whether the rig of a frame's shading mode shines. */
typedef enum mrw_rig_use {
    MRW_RIG_AUTO, /* only where no file brings lights: see mrw_frame_def (frame.h) */
    MRW_RIG_OFF,
    MRW_RIG_ON /* whatever shines besides */
} mrw_rig_use;

/* What rigs, and the environment that goes with them, are fixed to. */
typedef enum mrw_light_frame {
    MRW_LIGHT_FRAME_CAMERA, /* what flatters from one side does so from all */
    MRW_LIGHT_FRAME_WORLD   /* light stays where it is for a camera at azimuth 0 */
} mrw_light_frame;

/* The most lights that a rig has. */
#define MRW_RIG_LIGHTS 3

/* The default rig: key, fill, rim and hemisphere, placed relative to the camera so that any model
 * is flattered from any side. Reads camera->world_to_view alone. Three directional lights, key and
 * rim with highlights; the hemisphere's axis is the world's Y. `lights` has room for MRW_RIG_LIGHTS
 * and is what out->lights points to. */
MRW_API void mrw_light_rig_studio(const mrw_camera *camera, mrw_light *lights, mrw_lighting *out);

/* One light over the camera's shoulder and a little flat ambient, as tutorials have it.
 * Otherwise as mrw_light_rig_studio. */
MRW_API void mrw_light_rig_single(const mrw_camera *camera, mrw_light *lights, mrw_lighting *out);

/* No light, and a hemisphere of 1/12 from above and 1/24 from below: for what is lit by the lights
 * of its file, so that nothing is black where they don't reach. */
MRW_API void mrw_light_rig_dim(mrw_lighting *out);

/* ---- Shadows --------------------------------------------------------------------------------- */

/* Faces of the map of a light that shines in all directions: +X, -X, +Y, -Y, +Z, -Z. */
#define MRW_SHADOW_FACES 6
/* Lights of a frame that can have maps; further ones shine through everything. */
#define MRW_SHADOW_LIGHTS 16
/* Limits of a map's size and softness. */
#define MRW_SHADOW_MIN_SIZE     128
#define MRW_SHADOW_MAX_SIZE     8192
#define MRW_SHADOW_MAX_SOFTNESS 8

/* A box in world space. */
typedef struct mrw_shadow_bounds {
    float min[3];
    float max[3];
} mrw_shadow_bounds;

/* Texels x0 ... x1 - 1 of MRW_SHADOW_SPAN_ROWS rows of a shadow map; none where x0 >= x1. */
#define MRW_SHADOW_SPAN_ROWS 32
typedef struct mrw_shadow_span {
    int32_t x0, x1;
} mrw_shadow_span;

/* A shadow map (Williams, "Casting Curved Shadows on Curved Surfaces", 1978): how far a light sees,
 * a depth a texel. mrw_shadow_frame makes one without depths; those are what MRW_TARGET_DEPTH
 * (raster.h) holds of a frame of `size` x `size` pixels of one sample that is seen through
 * mrw_shadow_view, face after face.
 *
 * With q = position - origin, texels along right and down are counted from the middle of a face,
 * dot(q, right) * texels, and the depth is depth_offset + depth_scale * dot(q, forward); in a
 * perspective both divide: dot(q, right) * texels / dot(q, forward), depth_offset + depth_scale /
 * dot(q, forward). */
struct mrw_shadow_map {
    /* 1, or MRW_SHADOW_FACES: then forward is the axis a of the face, of either sign, right the
     * axis a + 1 and down a + 2, in the circle X, Y, Z. */
    uint32_t faces;
    /* Texels a side of a face. */
    uint32_t size;
    /* From a row of depths to the next, in floats: size at least. */
    uint32_t stride;
    /* faces * size rows of size depths, 0 near to 1 far and where nothing is; 4 floats behind them
     * can be read. Borrowed; the caller's. */
    const float *depths;
    /* For each face its rows from the top, MRW_SHADOW_SPAN_ROWS at a time: outside of their span
     * all depths are 1, which spares looking at them. NULL: that is not known. Borrowed. */
    const mrw_shadow_span *spans;
    /* Texels by which a shadow's border is soft: each place is the mean of a square of 2 * softness
     * + 1 texels, those on its border in part. 0 ... MRW_SHADOW_MAX_SOFTNESS. */
    float softness;
    bool perspective;
    float origin[3];
    float right[3], down[3], forward[3]; /* unit */
    float texels;
    float depth_offset, depth_scale;
};

/* Lays out the map of a light that shines on what lies in a box, which holds all that is to cast
 * shadows; size and softness are within the limits above. Directional lights see the whole box;
 * their texels stand still while the box hardly changes. Spots see their cone; points, and spots
 * wider than 1.2 radians, see all directions, in six faces of half the size. False: it casts no
 * shadow, being off, without throws_shadow or too far away. */
MRW_API bool mrw_shadow_frame(const mrw_light *light, const mrw_shadow_bounds *bounds,
                              uint32_t size, float softness, mrw_shadow_map *out);

/* What a face sees. Faces may be mirrored: casters are drawn whichever way they face. */
MRW_API void mrw_shadow_view(const mrw_shadow_map *map, uint32_t face, mrw_mat4 *world_to_clip);

/* ---- environments ---------------------------------------------------------------------------- */

/*
 * An environment is the radiance from every direction around the model, prepared once so that a
 * surface needs no sums over directions:
 *
 *   matt surfaces   the irradiance by nine spherical harmonics a channel (Ramamoorthi and Hanrahan,
 *                   "An Efficient Representation for Irradiance Environment Maps", 2001): a
 *                   quadratic polynomial of the normal. It is exact for what the first three bands
 *                   hold; of one small light it is up to 9 % of the largest value off.
 *   reflections     the radiance as surfaces of nine roughnesses mirror it, the first factor of the
 *                   split sum (Karis, "Real Shading in Unreal Engine 4", 2013): the mean over
 *                   directions l around a direction r, weighted with D(h) V(r, l, r) (r.l), where D
 *                   is the distribution of Trowbridge and Reitz (GGX) with alpha = roughness^2, V
 *                   its masking (glTF 2.0, B.3.2) for a view along r, and h lies halfway between r
 *                   and l. Level k of 0 ... 8 is that of roughness k / 8; between
 *                   two of them, reflections are blended.
 *
 * In directions of the environment, Y is up. An equirectangular picture shows the direction (x, y,
 * z) at u = 0.5 + atan2(z, x) / 2 pi from the left and v = 0.5 - asin(y) / pi from the top: its
 * middle is +X, a quarter from the right +Z.
 *
 * It can also be seen itself, behind what it lights (mrw_raster_job): then its picture is kept, as
 * it is; without that it is seen as a smooth mirror shows it.
 *
 * An environment never changes: any number of threads and frames may use one at the same time. It
 * takes 2 MB, or 6 MB when the picture is wider than 512 pixels; a picture that is kept takes 16
 * bytes a pixel more. */

/* The most pixels of a picture that becomes an environment: 8192 x 4096. */
#define MRW_ENVIRONMENT_MAX_PIXELS ((uint64_t)1 << 25)

/* Makes an environment of an equirectangular picture: height rows of width pixels from the top,
 * three floats a pixel, linear RGB radiance, tight. Sides are at least 1; any shape is taken to be
 * all directions. Values above 2^30 count as that. Pictures wider than 2048 are made smaller first.
 * keep_picture: for environments that are seen.
 *
 * What comes out is the same for any number of threads (1 or more) and on every machine. A picture
 * of 1024 x 512 takes a few tenths of a second of one CPU. The caller frees *out. Fails with
 * MRW_ERROR_INPUT when a value is negative or no finite number or the picture is too large, and for
 * want of memory. */
MRW_API mrw_status mrw_environment_create(const float *radiance, uint32_t width, uint32_t height,
                                          bool keep_picture, int threads, mrw_environment **out,
                                          mrw_error *error);

/* The studio, which is part of the library: grey soft boxes, a key on the upper left, a fill on the
 * right and two strips behind, in a dim room with a lighter floor; the viewer stands at +Z. A white
 * matt surface in it shows a radiance of about 0.5, and from every side nearly as much. The caller
 * frees *out; it takes a millisecond, and fails only for want of memory. */
MRW_API mrw_status mrw_environment_create_studio(mrw_environment **out, mrw_error *error);

/* Levels of reflections: level k is for roughness k / 8. */
#define MRW_ENVIRONMENT_LEVELS 9

/* A square map in an environment's texels. It shows the octahedron |x| + |y| + |z| = 1 unfolded:
 * its upper half is the square |x| + |z| <= 1 around the middle, its lower half the four corners,
 * each turned out over its edge. Around it lies a border of one texel, so that two by two texels
 * can be blended everywhere: the place q in -1 ... 1 of an axis is q * (side / 2 - 1) + (side - 1)
 * / 2. */
typedef struct mrw_environment_level {
    uint32_t first; /* its first texel, in the corner of the border */
    uint32_t side;  /* texels, the border included */
} mrw_environment_level;

/* What an environment holds, for those who draw by other means. All memory is its own. */
typedef struct mrw_environment_info {
    uint64_t id; /* of no other environment of this process, before or later; not 0 */
    /* Of each channel, the radiance of a white matt surface with the unit normal (x, y, z), at
     * least 0: c[0] + (c[1] + c[4] x + c[5] y + c[6] z) x + (c[2] + c[7] y + c[8] z) y + c[3] z */
    float diffuse[3][9];
    mrw_environment_level levels[MRW_ENVIRONMENT_LEVELS];
    const float *texels; /* texel_count float[4], of which the last is not read */
    uint32_t texel_count;
    const float *picture; /* float[4] a pixel, rows from the top; NULL: it was not kept */
    uint32_t picture_width, picture_height;
} mrw_environment_info;
MRW_API mrw_environment_info mrw_environment_look(const mrw_environment *environment);

/* NULL is allowed. */
MRW_API void mrw_environment_free(mrw_environment *environment);

/* Sets environment, world_to_environment and environment_intensity of *lighting; the rest stays.
 * environment may be NULL. It is turned by `degrees` about the Y axis, positive counter-clockwise
 * seen from above. Without a camera the environment's axes are then the world's; with one they turn
 * with it about the Y axis alone, so that the viewer is at +Z and the ground stays below. Reads
 * camera->world_to_view alone. */
MRW_API void mrw_environment_place(const mrw_environment *environment, float degrees,
                                   float intensity, const mrw_camera *camera,
                                   mrw_lighting *lighting);

#ifdef __cplusplus
}
#endif
#endif
