/* light.h: lights, rigs of lights, and environments. Knows cameras, but neither scenes nor
 * surfaces.
 *
 * The lighting of a frame is an array of any number of lights and a hemisphere of ambient light. A
 * frame builds it from a rig, which is placed relative to a camera, from the lights of files, and
 * from light definitions (mrw_light_def). A program can also supply its own:
 *
 *     mrw_light lights[MRW_RIG_LIGHTS];
 *     mrw_lighting lighting;
 *     mrw_light_rig_studio(MRW_RIG_SOFT, &def.camera, lights, &lighting);
 *     lighting.sky[2] = 0.4f;                            a bluer sky
 *     def.lighting = &lighting;                          of mrw_frame_def (frame.h)
 *
 * All of this is plain data: nothing is allocated or kept between calls, and arrays of lights
 * belong to the caller. Colours are linear RGB and not negative. All vectors are in world space:
 * right-handed, Y up. An environment, light from all directions, is an object that many frames can
 * share.
 *
 * Threads: any number of threads may call every function, as long as no two write the same memory.
 * Only the creation of environments can fail. Pointers are not NULL unless a comment says so.
 */
#ifndef MARROW_LIGHT_H
#define MARROW_LIGHT_H

#include "base.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of lights, as in KHR_lights_punctual. */
typedef enum mrw_light_type {
    MRW_LIGHT_DIRECTIONAL, /* equally strong everywhere, as from far away */
    MRW_LIGHT_POINT,       /* from a position in all directions; weakens with distance */
    MRW_LIGHT_SPOT         /* from a position into a cone; weakens with distance */
} mrw_light_type;

/* The depths that a light sees, for its shadows; defined below. */
typedef struct mrw_shadow_map mrw_shadow_map;

/* A light in world space. All zeros is a directional light that is off; any light is off if its
 * colour is zero. */
typedef struct mrw_light {
    mrw_light_type type;
    /* Directional lights and spots: unit vector from the lit surface towards the light, against the
     * direction in which it shines (for a spot, along its axis). */
    float to_light[3];
    /* Points and spots: position. */
    float position[3];
    /* Radiance of a white matt surface that faces the light, for points and spots at distance 1; 1
     * is white. It equals color * intensity of KHR_lights_punctual divided by pi. */
    float color[3];
    /* Factor on `color` for highlights: 0 for none, 1 for real lights. The material decides how
     * sharp highlights are. */
    float specular;
    /* Points and spots: distance at which the light ends; 0: unlimited. */
    float range;
    /* Spots: angles from the axis in radians, 0 <= inner <= outer <= pi. The light is full inside
     * the inner cone, and zero outside the outer cone. */
    float inner_cone;
    float outer_cone;
    /* Casts shadows in frames that have them (mrw_frame_def.shadows). mrw_light_place sets it. In
     * rigs only the first light, the key, casts shadows. */
    bool throws_shadow;
    /* Shadow map of the light, borrowed as long as this struct is in use; NULL: none, so the light
     * shines through everything. Frames with shadows fill it in. */
    const mrw_shadow_map *shadow;
    /* A classic lamp as in tutorials, made by mrw_light_place_classic. false: the fields below are
     * ignored, and points and spots weaken with the square of the distance. */
    bool classic;
    /* Points and spots: constant c, linear l and quadratic q, not negative. At distance d the light
     * is multiplied by 1 / (c + l d + q d^2). */
    float attenuation[3];
    /* Factors on `color`: `ambient` for undirected light on the surfaces of LAMBERT, PHONG, CLAY
     * and WIRE (raster.h), equally strong on every side and in shadow; `diffuse` for light on matt
     * surfaces. */
    float ambient, diffuse;
} mrw_light;

/* Light from all directions, prepared for surfaces; described below. */
typedef struct mrw_environment mrw_environment;

/* All light of a frame. All zeros is darkness. */
typedef struct mrw_lighting {
    /* Array of light_count lights, borrowed as long as this struct is in use; may be NULL if there
     * are none. Lights are added in this order: another order may change the last bit of a sum. */
    const mrw_light *lights;
    uint32_t light_count;
    /* Ambient light: radiance of a white matt surface, from `ground` for a normal against the axis
     * to `sky` for a normal along it, interpolated by the cosine. */
    float up[3]; /* the axis, a unit vector */
    float sky[3];
    float ground[3];
    /* Environment, borrowed as long as this struct is in use; NULL: none, and the fields below are
     * ignored. mrw_environment_place fills in this and the next two. */
    const mrw_environment *environment;
    /* Rotation from world directions to the environment's, a column-major 3x3 matrix. */
    float world_to_environment[9];
    /* Factor on the environment's radiance, 0 or more. */
    float environment_intensity;
    /* Return the light that rough surfaces lose between their facets (Fdez-Aguera 2019). Without it
     * rough metals are up to half darker than their surroundings. */
    bool environment_compensation;
    /* Widen the highlights of curved surfaces as pixel versions 7 and 8 did: edges glow more. */
    bool wide_highlights;
} mrw_lighting;

/* ---- Definitions ----------------------------------------------------------------------------- */

/* The space that a light is fixed to. */
typedef enum mrw_light_space {
    MRW_LIGHT_SPACE_WORLD,
    MRW_LIGHT_SPACE_CAMERA, /* view space: X right, Y up, the camera at the origin looks along -Z */
    MRW_LIGHT_SPACE_NODE    /* space of a node; the light moves and turns with it */
} mrw_light_space;

/* A light before it is placed, in the units of KHR_lights_punctual. Start from
 * mrw_light_def_default. */
typedef struct mrw_light_def {
    mrw_light_type type;
    /* Space of position and direction; default the world. */
    mrw_light_space space;
    /* MRW_LIGHT_SPACE_NODE: the node. Its meaning is up to the code that knows nodes (frame.h).
     * Default 0. */
    uint32_t node;
    /* Points and spots: position. Default the origin. */
    float position[3];
    /* Directional lights and spots: direction in which the light travels, of any length except 0.
     * Default 0, 0, -1. */
    float direction[3];
    /* Linear RGB; default 1, 1, 1. */
    float color[3];
    /* Lux for directional lights, otherwise candela: pi makes a white matt surface that faces the
     * light white (for points and spots, at distance 1). Not negative; default 1. */
    float intensity;
    /* Range as in mrw_light, regardless of the space's scale; default 0. */
    float range;
    /* Cones as in mrw_light; default 0 and 45 degrees. */
    float inner_cone;
    float outer_cone;
    /* Points and spots: constant, linear and quadratic attenuation as in mrw_light. Default 1, 0,
     * 0: no attenuation. Only mrw_light_place_classic reads this and the next fields. */
    float attenuation[3];
    /* Factors on color * intensity as in mrw_light; default 0, 1, 1. */
    float ambient, diffuse, specular;
} mrw_light_def;

/* Returns the defaults named above. */
MRW_API mrw_light_def mrw_light_def_default(mrw_light_type type);

/* Places a light with the affine matrix from its space to the world, which turns and scales its
 * direction like any vector. The light's color is color * intensity / pi, at most the largest
 * float; its `specular` is 1. A light is off (zeros except for its type) if it ends up without a
 * position, or without a direction that it needs, as in a space with scale 0. */
MRW_API void mrw_light_place(const mrw_light_def *def, const mrw_mat4 *space_to_world,
                             mrw_light *out);

/* Places a light like the lamps of OpenGL tutorials, whose numbers are used unchanged: the light's
 * color is color * intensity without division by pi, and attenuation and factors are those of the
 * definition. Range and cones still follow KHR_lights_punctual. Frames place mrw_frame_def.lights
 * with this function in modes with mrw_shading_info.classic_lights. */
MRW_API void mrw_light_place_classic(const mrw_light_def *def, const mrw_mat4 *space_to_world,
                                     mrw_light *out);

/* ---- Rigs ------------------------------------------------------------------------------------ */

/* When the rig of a frame's shading mode is used. */
typedef enum mrw_rig_use {
    MRW_RIG_AUTO, /* only if no file brings lights: see mrw_frame_def (frame.h) */
    MRW_RIG_OFF,
    MRW_RIG_ON /* always, in addition to other lights */
} mrw_rig_use;

/* Use of mrw_lighting.environment_compensation. */
typedef enum mrw_compensation {
    MRW_COMPENSATION_AUTO, /* for mrw_frame_def.studio only (frame.h) */
    MRW_COMPENSATION_OFF,
    MRW_COMPENSATION_ON
} mrw_compensation;

/* The space that rigs, and the environment that goes with them, are fixed to. */
typedef enum mrw_light_frame {
    MRW_LIGHT_FRAME_CAMERA, /* lights move with the camera, so a model looks equally good from all
                               sides */
    MRW_LIGHT_FRAME_WORLD   /* lights stay where they are for a camera at azimuth 0 */
} mrw_light_frame;

/* Kinds of the rig for modes that have environments. Each has a studio that goes with it:
 * mrw_environment_create_studio. */
typedef enum mrw_rig_kind {
    MRW_RIG_SOFT,       /* a high key in a bright studio, whose boxes are fill and rim */
    MRW_RIG_THREE_POINT /* key, fill and rim in a studio half as bright, and wide highlights: the
                           default of pixel versions 7 and 8 */
} mrw_rig_kind;

/* Largest number of lights in a rig. */
#define MRW_RIG_LIGHTS 3

/* Builds a rig of this kind and a hemisphere, placed relative to the camera to flatter any model
 * from any side. Reads only camera->world_to_view. All lights are directional; the key, and the rim
 * of MRW_RIG_THREE_POINT, have highlights. The hemisphere's axis is the world's Y. `lights` has
 * room for MRW_RIG_LIGHTS, and out->lights points to it. */
MRW_API void mrw_light_rig_studio(mrw_rig_kind kind, const mrw_camera *camera, mrw_light *lights,
                                  mrw_lighting *out);

/* Returns the factor on the studio's radiance: beside its rig, or beside the lights of a file. In
 * the second case a white matt surface has a radiance of 1/12. */
MRW_API float mrw_light_studio_share(mrw_rig_kind kind, bool beside_rig);

/* Builds a rig of one light over the camera's shoulder and a little uniform ambient light, as in
 * tutorials. Otherwise like mrw_light_rig_studio. */
MRW_API void mrw_light_rig_single(const mrw_camera *camera, mrw_light *lights, mrw_lighting *out);

/* Builds a rig without lights: a hemisphere of 1/12 from above and 1/24 from below. It is for
 * models lit by the lights of their file, so that surfaces beyond their reach are not black. */
MRW_API void mrw_light_rig_dim(mrw_lighting *out);

/* ---- Shadows --------------------------------------------------------------------------------- */

/* Faces of the shadow map of a light that shines in all directions: +X, -X, +Y, -Y, +Z, -Z. */
#define MRW_SHADOW_FACES 6
/* Largest number of lights per frame that can have shadow maps; further lights shine through
 * everything. */
#define MRW_SHADOW_LIGHTS 16
/* Limits of a shadow map's size, in texels, and of softness, in percent. */
#define MRW_SHADOW_MIN_SIZE     128
#define MRW_SHADOW_MAX_SIZE     8192
#define MRW_SHADOW_MAX_SOFTNESS 50
/* Largest number of levels of a map besides its depths. */
#define MRW_SHADOW_LEVELS 8

/* A box in world space. */
typedef struct mrw_shadow_bounds {
    float min[3];
    float max[3];
} mrw_shadow_bounds;

/* Texels x0 ... x1 - 1 in MRW_SHADOW_SPAN_ROWS rows of a shadow map; empty if x0 >= x1. */
#define MRW_SHADOW_SPAN_ROWS 32
typedef struct mrw_shadow_span {
    int32_t x0, x1;
} mrw_shadow_span;

/* A shadow map (Williams, "Casting Curved Shadows on Curved Surfaces", 1978): the depths that a
 * light sees, one per texel. mrw_shadow_frame makes a map without depths. To fill them in, draw for
 * each face a frame of `size` x `size` pixels with one sample through mrw_shadow_view, into
 * MRW_TARGET_DEPTH (raster.h). Then make its levels with mrw_shadow_reduce.
 *
 * With q = position - origin, texels along right and down are counted from the middle of a face:
 * dot(q, right) * texels. The depth is depth_offset + depth_scale * dot(q, forward). In perspective
 * both are divided: dot(q, right) * texels / dot(q, forward), and depth_offset + depth_scale /
 * dot(q, forward).
 *
 * Shadows are sharp where they begin and grow soft with the distance (Fernando, "Percentage-Closer
 * Soft Shadows", 2005): a lookup first finds the mean depth of what lies before the place, then
 * averages over a square that is as wide as the border of a shadow from there. Wide squares are
 * looked up in levels: level k shows one of each 2^k x 2^k texels. */
struct mrw_shadow_map {
    /* 1 or MRW_SHADOW_FACES. With MRW_SHADOW_FACES, forward of a face is an axis a with either
     * sign, right is axis a + 1 and down axis a + 2, cyclically in X, Y, Z. */
    uint32_t faces;
    /* Texels per side of a face. */
    uint32_t size;
    /* Distance of rows of depths in floats, at least `size`. */
    uint32_t stride;
    /* faces * size rows of `size` depths: 0 near to 1 far, and 1 for the background; then the
     * levels. mrw_shadow_floats returns how many floats these are. Borrowed; the caller's. */
    const float *depths;
    /* Spans of each face's rows from the top, one per MRW_SHADOW_SPAN_ROWS rows. All depths outside
     * are 1, so they need not be read. NULL: unknown. Borrowed. */
    const mrw_shadow_span *spans;
    /* Width of soft borders in texels, per depth between a caster and its shadow; at least 0. It is
     * never less than 3 texels. */
    float softness;
    /* Largest width of soft borders in texels, 0 or more; the levels suffice for it. */
    float widest;
    /* Number of levels, at most MRW_SHADOW_LEVELS. */
    uint32_t levels;
    /* World units by which a surface at a right angle to the light is moved along its normal before
     * it is looked up. Surfaces that face the light are not moved. */
    float lift;
    bool perspective;
    float origin[3];
    float right[3], down[3], forward[3]; /* unit vectors */
    float texels;
    float depth_offset, depth_scale;
};

/* Lays out the shadow map of a light for a box that contains all shadow casters. size and softness
 * are within the limits above. softness is the width of a shadow's soft border, in percent of the
 * distance from the caster to the shadow: a caster as far away as the model is tall makes a border
 * of so many percent of the model's height. 0: sharp everywhere. (The sun has 0.9.) A point or spot
 * is a lamp whose width is so many percent of its distance from the middle of the box. Borders are
 * at most 1792 texels wide, those of points and spots about an eighth of a face; faces of 64 texels
 * have none. Directional lights see the whole box; their texels stay in place while the box hardly
 * changes. Spots see their cone. Points, and spots wider than 1.2 radians, see all directions, in
 * six faces of half the size. Returns false if the light casts no shadow: it is off, lacks
 * throws_shadow, or is too far away. */
MRW_API bool mrw_shadow_frame(const mrw_light *light, const mrw_shadow_bounds *bounds,
                              uint32_t size, float softness, mrw_shadow_map *out);

/* A level of a shadow map. Level 0 is the map itself. A texel (i, j) of a face, counted with the
 * border, shows one texel of the map: that with x = (i - border) * step + 3 * (5 * j % ((step + 2)
 * / 3)), and y with i and j swapped. The border, and texels outside the map, have depth 1. */
typedef struct mrw_shadow_level {
    int32_t first;               /* index of its first depth */
    int32_t stride, face_texels; /* floats from row to row, and from face to face */
    int32_t border;              /* texels on each side; 0 in level 0 */
    int32_t step;                /* 2^level */
    float origin; /* coordinate of the map's corner, such that each texel shows its middle */
    float last;   /* last texel at which a row of 8 texels may begin */
} mrw_shadow_level;

/* Returns the number of floats that a map's depths and levels take. */
MRW_API size_t mrw_shadow_floats(const mrw_shadow_map *map);

/* Makes the levels of a map from its depths; `depths` is the memory of map->depths. Reads the map's
 * layout and spans. last: NULL, or the spans of a map of the same layout whose levels the memory
 * still holds; only what differs from it is written. threads: 1 or more; the result does not depend
 * on it. */
MRW_API void mrw_shadow_reduce(const mrw_shadow_map *map, const mrw_shadow_span *last,
                               float *depths, int threads);

/* Computes the view of a face. Faces may be mirrored, so shadow casters are drawn regardless of
 * their facing. */
MRW_API void mrw_shadow_view(const mrw_shadow_map *map, uint32_t face, mrw_mat4 *world_to_clip);

/* ---- environments ---------------------------------------------------------------------------- */

/* An environment is the radiance from every direction around the model, preprocessed so that
 * shading needs no sums over directions:
 *
 *     matt surfaces   irradiance as nine spherical harmonics per channel (Ramamoorthi and Hanrahan,
 *                     "An Efficient Representation for Irradiance Environment Maps", 2001): a
 *                     quadratic polynomial of the normal. It is exact for light within the first
 *                     three bands; for one small light it is off by up to 9 % of the largest value.
 *     reflections     radiance as mirrored by surfaces of nine roughnesses, the first factor of the
 *                     split sum (Karis, "Real Shading in Unreal Engine 4", 2013): the mean over
 *                     directions l around a direction r, weighted by D(h) V(r, l, r) (r.l). D is
 *                     the distribution of Trowbridge and Reitz (GGX) with alpha = roughness^2, V
 *                     its masking (glTF 2.0, B.3.2) for a view along r, and h is halfway between
 *                     r and l. Level k of 0 ... 8 has roughness k / 8; values between two levels
 *                     are blended.
 *
 * Y is up in an environment. An equirectangular picture shows the direction (x, y, z) at u = 0.5 +
 * atan2(z, x) / 2 pi from the left and v = 0.5 - asin(y) / pi from the top. Its middle is +X, and
 * +Z is a quarter from the right.
 *
 * An environment can also be visible behind the model (mrw_raster_job). Its picture is then kept
 * unchanged; without the picture it looks as in a smooth mirror.
 *
 * An environment never changes, so any number of threads and frames may use it concurrently. It
 * takes 2 MB, or 6 MB if the picture is wider than 512 pixels. A kept picture takes 16 more bytes
 * per pixel. */

/* Largest number of pixels of an environment's picture: 8192 x 4096. */
#define MRW_ENVIRONMENT_MAX_PIXELS ((uint64_t)1 << 25)

/* Creates an environment from an equirectangular picture: height rows of width pixels from the top,
 * three floats per pixel, linear RGB radiance, without padding. Sides are at least 1; a picture of
 * any shape covers all directions. Values above 2^30 are clamped to that. Pictures wider than 2048
 * are reduced first. Set keep_picture for environments that will be visible.
 *
 * The result is the same for any number of threads (1 or more) and on every machine. A picture of
 * 1024 x 512 takes a few tenths of a second of one CPU. The caller frees *out. Fails with
 * MRW_ERROR_INPUT if a value is negative, NaN or infinite, or if the picture is too large; also
 * fails if memory runs out. */
MRW_API mrw_status mrw_environment_create(const float *radiance, uint32_t width, uint32_t height,
                                          bool keep_picture, int threads, mrw_environment **out,
                                          mrw_error *error);

/* Creates an environment from the bytes of a Radiance picture (.hdr), as mrw_image_decode_hdr and
 * mrw_environment_create would together: the result and the errors are the same. Rows are decoded
 * where they are needed, on all threads, so a large file takes less time and no memory for its
 * floats. `name` is used in messages, escaped. The caller frees *out. */
MRW_API mrw_status mrw_environment_create_hdr(const void *data, size_t size, const char *name,
                                              bool keep_picture, int threads, mrw_environment **out,
                                              mrw_error *error);

/* Creates the built-in studio that goes with a rig: grey soft boxes (a key on the upper left, a
 * fill on the right, two strips behind) in a room with a lighter floor. The viewer is at +Z. A
 * white matt surface has a radiance of about 1 in the studio of MRW_RIG_SOFT and 0.5 in that of
 * MRW_RIG_THREE_POINT, and nearly as much from every side. The first takes a millisecond; the
 * second is prefiltered with `threads` threads (1 or more), which takes tenths of a second. Fails
 * only if memory runs out. The caller frees *out. */
MRW_API mrw_status mrw_environment_create_studio(mrw_rig_kind kind, int threads,
                                                 mrw_environment **out, mrw_error *error);

/* Number of reflection levels; level k is for roughness k / 8. */
#define MRW_ENVIRONMENT_LEVELS 9

/* A square map in an environment's texels. It shows the unfolded octahedron |x| + |y| + |z| = 1.
 * The upper half is the square |x| + |z| <= 1 around the middle; the lower half is the four
 * corners, each folded out over its edge. A border of one texel surrounds the map, so that two by
 * two texels can be blended everywhere: coordinate q in -1 ... 1 of an axis is at q * (side / 2 -
 * 1) + (side - 1) / 2. */
typedef struct mrw_environment_level {
    uint32_t first; /* index of its first texel, in the corner of the border */
    uint32_t side;  /* texels per side, including the border */
} mrw_environment_level;

/* The contents of an environment, for other renderers. All memory belongs to the environment. */
typedef struct mrw_environment_info {
    uint64_t id; /* unique in this process, also among freed environments; not 0 */
    /* Coefficients c of each channel. The radiance of a white matt surface with unit normal (x, y,
     * z), at least 0, is c[0] + (c[1] + c[4] x + c[5] y + c[6] z) x + (c[2] + c[7] y + c[8] z) y +
     * c[3] z. */
    float diffuse[3][9];
    mrw_environment_level levels[MRW_ENVIRONMENT_LEVELS];
    const float *texels; /* texel_count float[4]; the last component is unused */
    uint32_t texel_count;
    const float *picture; /* float[4] per pixel, rows from the top; NULL: not kept */
    uint32_t picture_width, picture_height;
} mrw_environment_info;
/* Returns the contents of an environment. */
MRW_API mrw_environment_info mrw_environment_look(const mrw_environment *environment);

/* Frees an environment. NULL is allowed. */
MRW_API void mrw_environment_free(mrw_environment *environment);

/* Sets environment, world_to_environment and environment_intensity of *lighting; its other fields
 * stay. `environment` may be NULL. The environment is rotated by `degrees` about the Y axis,
 * positive counter-clockwise seen from above. Without a camera its axes are then the world's. With
 * a camera they also turn with it, but only about the Y axis, so the viewer is at +Z and the ground
 * stays below. Reads only camera->world_to_view. */
MRW_API void mrw_environment_place(const mrw_environment *environment, float degrees,
                                   float intensity, const mrw_camera *camera,
                                   mrw_lighting *lighting);

#ifdef __cplusplus
}
#endif
#endif
