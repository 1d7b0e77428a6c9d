/* frame.h: scene + clip + time + view -> image. The core of the library.
 *
 * A mrw_model is a scene prepared for drawing (textures with mipmaps). It is immutable and shared
 * by all threads. A mrw_renderer is the work memory of one thread. A frame draws an array of
 * instances; to draw a single model, pass an array of one.
 *
 *     mrw_model_create(scene, def.shading, threads, &model, &error);
 *     mrw_renderer_create(&renderer, &error);
 *     mrw_instance instance = mrw_instance_default(model);
 *     def.camera = ...;                          from mrw_view_camera and mrw_frame_extents
 *     mrw_render(renderer, &def, &instance, 1, threads, &image, &error);
 *
 * Spaces: matrices are column-major, for column vectors. A scene's roots are in model space;
 * model_to_world places them in the world. Cameras and posed geometry are in world space.
 *
 * Memory: a scene must outlive its models, and a model its instances. Memory that a renderer
 * returns belongs to the renderer and is valid until its next use. Everything else is borrowed for
 * the call.
 *
 * Threads: a renderer is used by one thread at a time. Functions with a `threads` parameter (at
 * least 1, including the calling thread) start the other threads themselves. Results are identical
 * bit for bit for any number of threads.
 *
 * Errors: every function may return MRW_ERROR_MEMORY, MRW_ERROR_CPU for an instruction set that
 * this machine lacks, and the errors named below. An index out of range is a programming error.
 */
#ifndef MARROW_FRAME_H
#define MARROW_FRAME_H

#include "anim.h"
#include "aov.h"
#include "image.h"
#include "light.h"
#include "raster.h"
#include "scene.h"
#include "skin.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models ---------------------------------------------------------------------------------- */

/* A scene prepared for drawing. Immutable: any number of threads may draw it at the same time. */
typedef struct mrw_model mrw_model;

/* Prepares a scene for a shading mode: MRW_SHADING_RAW filters stored bytes, the other modes filter
 * linear light. The scene is borrowed and must outlive the model. Textures are built on up to
 * `threads` threads, and only those used by something drawn. The caller frees *out with
 * mrw_model_free. */
MRW_API mrw_status mrw_model_create(const mrw_scene *scene, mrw_shading shading, int threads,
                                    mrw_model **out, mrw_error *error);

/* Sides of triangles that are drawn. */
typedef enum mrw_sides {
    MRW_SIDES_FILE, /* each material's MRW_MATERIAL_DOUBLE_SIDED decides */
    MRW_SIDES_BOTH,
    MRW_SIDES_FRONT
} mrw_sides;

/* Parts of a model to prepare. Start from mrw_model_def_default. */
typedef struct mrw_model_def {
    /* Shading mode of the frames that draw the model. Default lit. */
    mrw_shading shading;
    /* Maximum number of influences per vertex. The strongest are kept and rescaled to sum to one.
     * Default 0: keep all. */
    uint32_t max_influences;
    /* Prepare no textures, for models that are only posed and measured: draws show none, and
     * nothing is displaced. Default false. */
    bool no_textures;
    /* Maps that may be prepared, one bit each, such as MRW_MAP_BIT(MRW_MAP_BASE_COLOR). Only the
     * base colour and the maps that the mode reads are prepared. MRW_MAPS_ALPHA alone prepares base
     * colours whose alpha cuts holes or blends. mrw_frame_maps returns the maps that a frame reads.
     * Preparing a map whose texels the scene lacks (mrw_load_def.maps) is MRW_ERROR_USAGE. Default
     * MRW_MAPS_ALL. */
    uint32_t maps;
    /* Leave the textures to mrw_model_fill_textures, which must be called before the model is
     * drawn. This saves the memory of mip levels that no picture shows. Default false: prepare all
     * levels at once. */
    bool later_textures;
    /* Prepare normal maps even if the shading mode does not read them. MRW_AOV_NORMAL uses the
     * normal maps that were prepared. Default false. */
    bool normals;
    /* Draw nodes that the file hides (MRW_NODE_HIDDEN, MRW_NODE_NOT_SHOWN). Default false. */
    bool show_hidden;
    /* One value per node of the scene: true for nodes whose meshes are not drawn, whatever the file
     * and `show_hidden` say. Each node has its own value, also below another one. Lights of these
     * nodes shine. NULL, the default: none. Copied. */
    const bool *left_out;
    /* Sides of triangles that are drawn. Default MRW_SIDES_FILE. */
    mrw_sides sides;
} mrw_model_def;

/* Returns the defaults named above. */
MRW_API mrw_model_def mrw_model_def_default(void);

/* Prepares a scene as mrw_model_create does, with all options. */
MRW_API mrw_status mrw_model_create_with(const mrw_scene *scene, const mrw_model_def *def,
                                         int threads, mrw_model **out, mrw_error *error);

/* Fills the textures of a model created with later_textures, on up to `threads` threads. Keeps the
 * levels that mrw_frame_find_levels found and all coarser ones; textures below 256 x 256 texels get
 * all their levels. Call once per model, while nothing else uses it. Afterwards the scene's texels
 * are no longer needed (mrw_scene_drop_texels). */
MRW_API mrw_status mrw_model_fill_textures(mrw_model *model, int threads, mrw_error *error);

/* Returns true if textures show only the readable part of an image that was left encoded, because
 * the JPEG is damaged (mrw_load_def.later_jpegs). It is known once textures are filled. */
MRW_API bool mrw_model_is_damaged(const mrw_model *model, uint32_t image);

/* Returns the bytes of all levels that the model's textures keep, without the scene's images. */
MRW_API uint64_t mrw_model_texture_memory(const mrw_model *model);

/* Influences dropped because of max_influences. A vertex' weights in the scene sum to 1. */
typedef struct mrw_influence_cut {
    uint64_t vertices;    /* vertices that lost influences */
    float largest_weight; /* largest weight of a single dropped influence */
    float largest_sum;    /* largest sum of dropped weights at one vertex */
} mrw_influence_cut;

/* Returns the influences that were dropped when the model was created. */
MRW_API mrw_influence_cut mrw_model_influence_cut(const mrw_model *model);

/* Returns a number, never 0, that no other model of this process has or will have. Use it as the
 * key of a cache: a new model may get the address of a freed one, but never its id. */
MRW_API uint64_t mrw_model_id(const mrw_model *model);

/* Frees a model, but not its scene. NULL is allowed. */
MRW_API void mrw_model_free(mrw_model *model);

/* Pose of an instance. */
typedef enum mrw_pose {
    MRW_POSE_CLIP, /* a clip at a time; the rest pose if clip is MRW_NONE */
    MRW_POSE_REST, /* nodes as stored in the file, skinned */
    MRW_POSE_BIND  /* each joint at the inverse of its inverse bind matrix */
} mrw_pose;

/* ---- Instances ------------------------------------------------------------------------------- */

/* How a track of a mix is combined with the others. */
typedef enum mrw_track_mode {
    MRW_TRACK_BLEND,    /* Part of the weighted mean that the mix starts from. */
    MRW_TRACK_OVERRIDE, /* Moves the pose made so far towards this clip's pose by its weight; only
                           what the clip animates changes. */
    MRW_TRACK_ADDITIVE  /* Adds the clip's difference from its own first pose. */
} mrw_track_mode;

/* One clip of a mix. */
typedef struct mrw_track {
    mrw_track_mode mode;
    /* Index into the scene's clips. */
    uint32_t clip;
    float weight;  /* not negative. BLEND: a share of the sum of all shares; OVERRIDE: 0 ... 1 */
    uint32_t node; /* root of the only subtree affected; MRW_NONE: all nodes */
} mrw_track;

/* Several clips played together in place of one. The BLEND tracks come first. Their mean (see
 * mrw_blend), or the rest pose if there are none, is the base. The other tracks are layered over it
 * in order (see mrw_layer). Materials are not mixed, and tracks with a node do not change them: the
 * BLEND track with the largest weight sets them, the first among equals; then each other track does
 * whose weight is at least 0.5. */
typedef struct mrw_mix {
    const mrw_track *tracks;
    uint32_t track_count;
    /* Play the BLEND tracks in phase (see mrw_synced_duration). Other tracks play at their own
     * speed, and so do all tracks if this is false. */
    bool sync;
} mrw_mix;

/* Returns the duration of a mix in seconds. With sync, it is the weighted mean of the durations of
 * the BLEND tracks. Without, it is the duration of the longest track among the BLEND tracks and the
 * OVERRIDE tracks on all nodes. Additive tracks and tracks on a part of the body do not extend
 * it. */
MRW_API double mrw_mix_duration(const mrw_scene *scene, const mrw_mix *mix);

/* Returns the node that carries a character through the world in a clip, or MRW_NONE if there is
 * none. It is the first node, parents first, whose translation the clip animates and which is a
 * joint or has a joint below it. In a scene without skins it is the first node whose translation
 * the clip animates. */
MRW_API uint32_t mrw_model_root(const mrw_model *model, uint32_t clip);

/* A model with a pose and a place in the world. Start from mrw_instance_default. */
typedef struct mrw_instance {
    const mrw_model *model;
    mrw_pose pose;
    /* Index into the scene's clips, or MRW_NONE: the rest pose. */
    uint32_t clip;
    /* Mix to play in place of the clip. Borrowed. NULL: play the clip. */
    const mrw_mix *mix;
    /* Seconds from the clip's start. */
    double time;
    /* The clip is shown at time * speed + offset, or at `offset` alone if `still` is set. A speed
     * of 0, the default, means 1. A sequence sets `time` of all its instances alike. */
    double speed;
    double offset;
    bool still;
    /* Repeat the clip: times beyond the end wrap around to the start. Each clip of a mix wraps by
     * its own duration, BLEND tracks with sync by their common one. Default false: times are
     * clamped. */
    bool loop;
    /* Do not clamp times outside the clip when `loop` is false; channels continue as the file says
     * (mrw_extrapolation). Default false. */
    bool beyond;
    /* Frame rate used by `loop`: a clip that lasts N whole frames repeats after exactly N frames
     * (see mrw_wrap_time). Default 0/0: it repeats after its duration. */
    mrw_rate rate;
    /* Root motion. Default keep. LOOP moves the root on with each repetition caused by `loop`. In a
     * mix it is applied to each clip before mixing. */
    mrw_root_motion root_motion;
    /* Affine transform; the identity by default. For an attached instance it leads to the parent
     * node instead of the world. */
    mrw_mat4 model_to_world;
    /* Skinning method. Default linear. */
    mrw_skinning skinning;
    /* Attach this instance to a node: it moves with `parent_node` of instance `parent`, which must
     * come earlier in the array. Default false. */
    bool attached;
    /* Index of an instance in the same array, and of a node in its scene. Read only if attached. */
    uint32_t parent;
    uint32_t parent_node;
} mrw_instance;

/* Returns an instance with the identity transform, at the start of the scene's default_clip if it
 * has clips. */
MRW_API mrw_instance mrw_instance_default(const mrw_model *model);

/* Returns the duration in seconds of the instance's mix or clip; 0 for other poses. */
MRW_API double mrw_instance_duration(const mrw_instance *instance);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A camera that follows a node. The camera is moved by the vector from `origin` to the node's
 * position, vertically too, but it does not turn. The node therefore stays at one point of the
 * picture. */
typedef struct mrw_follow {
    uint32_t node;   /* node of the first instance; MRW_NONE (default): the camera does not move */
    float origin[3]; /* world space */
} mrw_follow;

/* Overlays that can be drawn over a picture, in the order in which they are drawn; later ones cover
 * earlier ones. Overlays sized by the models use mrw_frame_def.bounds if given, else the box of the
 * picture. */
typedef enum mrw_overlay {
    MRW_OVERLAY_GRID, /* grid on the ground at the lowest point, ten steps to each side; a step is
                         1, 2 or 5 times a power of ten, lines are at multiples of it */
    MRW_OVERLAY_WIRE, /* edges of all triangles, one pixel wide, fainter if the triangles are hardly
                         larger than that */
    /* normal of each vertex: 1/50 of the instance's box diagonal long, 1/512 of the picture's
     * shorter side wide, but at least 0.4 pixels */
    MRW_OVERLAY_NORMALS,
    MRW_OVERLAY_BOUNDS,  /* box around each instance's vertices */
    MRW_OVERLAY_FRUSTUM, /* cameras of files, and all lights: circles for lamps, outer cones for
                            spots, arrows for directional lights */
    MRW_OVERLAY_AXES, /* axes of each joint, and of the world's origin with letters: x red, y green,
                         z blue */
    MRW_OVERLAY_SKELETON, /* a bone from each joint to its parent joint, thick at the parent; all
                             nodes in scenes without joints */
    /* Names of the same joints, without namespaces, parents first. A name with no room is left
     * out. */
    MRW_OVERLAY_NAMES,
    MRW_OVERLAY_LABEL, /* mrw_frame_def.label, in the lower left corner */
    MRW_OVERLAY_COUNT
} mrw_overlay;

/* Returns the overlay's name as the --overlay option spells it. */
MRW_API const char *mrw_overlay_name(mrw_overlay overlay);

/* The picture before or after another one in time. */
typedef struct mrw_frame_neighbour {
    bool given;
    double time;       /* time of all instances that play something */
    mrw_camera camera; /* replaces mrw_frame_def.camera */
} mrw_frame_neighbour;

/* Viewpoint of the pictures of a sequence. */
typedef struct mrw_frame_view {
    mrw_camera camera;     /* used if scene_camera is MRW_NONE */
    uint32_t scene_camera; /* see mrw_frame_def.scene_camera */
} mrw_frame_view;

/* How a picture is drawn. Start from mrw_frame_def_default.
 *
 * `rig` decides which lights shine, by this table for every backend:
 *
 *     rig    shading   file has lights           lights that shine
 *     AUTO   lit       no                        the rig of the shading mode
 *     AUTO   lit       yes, and file_lights      the file's and mrw_light_rig_dim
 *     AUTO   others    any                       the rig of the shading mode
 *     OFF    all       yes, and file_lights      the file's
 *     ON     all       yes, and file_lights      the file's and the rig of the shading mode
 *
 * In all cases `lights` and `ambient` are added. The file's lights are those of the scenes of all
 * instances, placed for each picture as by mrw_frame_lights. Lights are added in this order: the
 * rig, the files, `lights`. "lit" means every mode that has environments (mrw_shading_info). Those
 * modes use the studio rig, the others the single rig; light_frame places both.
 *
 * Lit modes also have an environment, which replaces the rig's hemisphere. If `environment` is
 * given, it is used with any rig. If not, `studio` is used beside the rig or mrw_light_rig_dim,
 * with the factor of mrw_light_studio_share. Otherwise there is no environment. */
typedef struct mrw_frame_def {
    /* Size in pixels, each 1 ... MRW_IMAGE_MAX_SIDE. Default 512 x 512. */
    uint32_t width;
    uint32_t height;
    /* Samples per pixel: 1, 2, 4 or 8. Default 4. */
    uint32_t samples;
    /* Bits per channel of the picture: 8 (MRW_FORMAT_U8) or 16 (MRW_FORMAT_U16). Default 8. */
    uint32_t bits;
    /* Shading mode; must be the one the models were created for. Default lit. */
    mrw_shading shading;
    /* Channel that MRW_SHADING_CHANNEL shows. Default base. */
    mrw_shading_channel channel;
    /* Texture for MRW_SHADING_MATCAP, which requires one. Borrowed; see mrw_raster_job. */
    const mrw_raster_texture *matcap;
    /* Name of the joints whose weights MRW_SHADING_WEIGHTS shows. Not NULL in that mode. */
    const char *joint;
    /* Texture filter. Default trilinear. */
    mrw_filter filter;
    /* Factor on all light of the picture, 0 ... 1e6. Default 1. */
    float exposure;
    /* Tone map. Default neutral. Not all modes use one: see mrw_shading_info. */
    mrw_tonemap tonemap;
    /* Background colour in sRGB with straight alpha. Only a mrw_pass with 4 channels shows the
     * alpha; pictures with 3 channels are opaque. Default #b8c3d3, 255. */
    uint8_t background[4];
    /* A picture in place of `background`, such as mrw_image_fill_gradient and mrw_image_cover make:
     * an image of 3 channels with the size of the pictures, sRGB, U8 for 8 bits and U16 for 16.
     * Colour targets then have 3 channels and its format. Its values come out as they are, whatever
     * the exposure and the tone map, and what is drawn is blended over it in linear light. Read
     * neither with `transparent` nor where the environment is shown. Borrowed. Default NULL:
     * `background`. */
    const mrw_image *backplate;
    /* Write RGBA over a clear background and ignore `background`. Default false. */
    bool transparent;
    /* Fill the picture's subject mask. A pixel is 1 if an opaque or masked surface covers any of
     * its samples, or if a transparent surface with alpha above 0 was blended into any. Default
     * false: the picture has no mask. */
    bool subject;
    /* Targets to keep for mrw_frame_target: the sum of 1u << MRW_TARGET_DEPTH, _ID and _TRIANGLE.
     * Default 0: none. */
    uint32_t targets;
    /* Passes to draw for mrw_frame_aov. Borrowed. Default NULL: none. */
    const mrw_aov_request *aovs;
    uint32_t aov_count;
    /* Overlays drawn over the picture: the sum of 1u << MRW_OVERLAY_... The line widths given there
     * hold up to a picture size of 512 pixels; beyond, lines grow with the smaller side. Overlays
     * are blended in linear light, and count for `subject`. Default 0: none. */
    uint32_t overlays;
    /* Hide overlays behind nearer opaque and masked surfaces. The grid is always hidden by them,
     * text never. Default false: overlays are in front of everything. */
    bool overlay_depth;
    /* Draw neither the models nor the ground, but let them hide overlays. Default false. */
    bool overlay_alone;
    /* Text of MRW_OVERLAY_LABEL in UTF-8. Borrowed. Default NULL: no label. */
    const char *label;
    /* Sequences: one label per time, in place of label. Default NULL. */
    const char *const *labels;
    /* Number of each draw for MRW_AOV_ID. Draws are counted through the scenes of all instances.
     * Borrowed. Default NULL: 1, 2, 3 ... */
    const uint32_t *ids;
    /* Neighbours for MRW_AOV_FLOW_BACKWARD and _FORWARD. Not given by default: the camera is then
     * the same, and each instance is one frame earlier or later (1/30 s if its rate is 0/0),
     * wrapping around if it loops. Sequences use the neighbouring times and cameras of their lists
     * where there are any. */
    mrw_frame_neighbour last, next;
    /* Sequences: one per picture, in place of last and next. Default NULL. */
    const mrw_frame_neighbour *lasts, *nexts;
    /* Draw the passes only. The picture and its subject mask are left unchanged. Default false. */
    bool no_picture;
    /* Reuse the pose of the last picture: this renderer drew the same instances at the same times
     * and nothing else since. Skips posing, and skinning of up to 2^20 vertices. Default false. */
    bool same_pose;
    /* Instruction set. Default MRW_ISA_AUTO. All give the same bits. */
    mrw_isa isa;
    /* Camera used if scene_camera is MRW_NONE. */
    mrw_camera camera;
    /* Sequences: number of pictures per time, each from its own viewpoint (see `views` and
     * `cameras`). Default 1. */
    uint32_t view_count;
    /* Sequences: one per view, in place of camera and scene_camera. Borrowed. Default NULL. */
    const mrw_frame_view *views;
    /* Sequences: one camera per picture, all views of a time together, in place of camera,
     * scene_camera and views. Borrowed. Default NULL. */
    const mrw_camera *cameras;
    /* Sequences: draw a frame even if it shows the same as another one. Default false. */
    bool every;
    /* Sequences: if above 0, a time is not started before the sink has received every picture that
     * lies this many times or more before it. This bounds the pictures held by a sink that writes
     * in order. Use with `every`: a picture that shows the same as another one is passed on along
     * with it. Default 0: no limit. */
    uint32_t ahead;
    /* Index of a camera of the first instance's scene, animated with it. Default MRW_NONE. */
    uint32_t scene_camera;
    /* Node that `camera` follows. Default: none. */
    mrw_follow follow;
    /* Use of the rig; see above. Default AUTO. */
    mrw_rig_use rig;
    /* Kind of the rig. `studio` should be made for it: another is too bright or dark. Default soft.
     */
    mrw_rig_kind rig_kind;
    /* Let the lights of files shine. Default true. */
    bool file_lights;
    /* light_count more lights, placed for each picture. Their nodes are those of the first
     * instance. Borrowed. Default NULL: none. */
    const mrw_light_def *lights;
    uint32_t light_count;
    /* Ambient light from all sides: linear RGB radiance of a matt white surface. Default 0, 0,
     * 0. */
    float ambient[3];
    /* Frame of reference of the rig and of `studio`: they turn with the camera of each picture
     * (default), or stay as for a camera at azimuth 0. Other environments never turn. */
    mrw_light_frame light_frame;
    /* Environments; see above. They may be the same one. Borrowed. Default NULL: none. */
    const mrw_environment *environment;
    const mrw_environment *studio;
    /* Rotation in degrees and intensity, as for mrw_environment_place. Default 0 and 1. */
    float environment_degrees, environment_intensity;
    /* Default AUTO. */
    mrw_compensation compensation;
    /* See mrw_raster_job. Default false and 0. */
    bool environment_background;
    float environment_blur;
    /* Let lights cast shadows: the first MRW_SHADOW_LIGHTS of those that reach what is drawn and
     * have mrw_light.throws_shadow. That is the key light of a rig, and every light of files and of
     * `lights`. Blended surfaces cast shadows by their alpha. Default false. */
    bool shadows;
    /* Size and softness of shadow maps, as for mrw_shadow_frame. Default 2048 and 5. A map of size
     * 2048 takes up to 23 MB per light, and 35 MB for a lamp with six faces. */
    uint32_t shadow_size;
    float shadow_softness;
    /* Ambient occlusion: surfaces nearby reduce the light from all around (environments, `ambient`,
     * hemispheres of rigs), but not the light of lamps. Default false. The radius, above 0, is a
     * share of the longest side of `bounds`, or of the picture's own box without has_bounds. The
     * strength is that of mrw_occlusion_find. Default 0.1 and 1. A blended surface occludes where
     * its alpha is at least one half. */
    bool occlusion;
    float occlusion_radius;
    float occlusion_strength;
    /* A ground plane at the lowest point of `bounds`, which fades out far around them and is not
     * seen from below. It receives shadows but casts none. Its shadows and occlusion end before
     * the border of the picture (mrw_raster_draw.ground). The camera's range should extend beyond
     * what is drawn. Default none. */
    mrw_ground ground;
    uint8_t ground_color[3]; /* sRGB colour of MRW_GROUND_COLOR, which is matt */
    /* With has_bounds, the box of everything that the pictures of a sequence show, so that shadows
     * do not move where nothing else does. Default false: each picture uses its own box, and so
     * does a picture whose contents leave these bounds. */
    bool has_bounds;
    mrw_shadow_bounds bounds;
    /* Lighting of the picture, or of all pictures of a sequence, in place of all of the above.
     * Borrowed. Default NULL. */
    const mrw_lighting *lighting;
} mrw_frame_def;

/* Returns the defaults named above. The camera is all zeros and must be set. */
MRW_API mrw_frame_def mrw_frame_def_default(void);

/* Returns the maps that frames read, one bit each, for mrw_load_def.maps and mrw_model_def.maps:
 * the maps of the shading mode and of the passes, MRW_MAP_DISPLACEMENT because it moves vertices,
 * and MRW_MAPS_ALPHA. Reads def->shading, channel, aovs and aov_count. */
MRW_API uint32_t mrw_frame_maps(const mrw_frame_def *def);

/* The work memory of one thread, kept from frame to frame. */
typedef struct mrw_renderer mrw_renderer;

/* Creates a renderer. The caller frees *out with mrw_renderer_free. */
MRW_API mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error);

/* Frees a renderer. NULL is allowed. */
MRW_API void mrw_renderer_free(mrw_renderer *renderer);

/* Draws one picture with up to `threads` threads. *out and its subject mask are reused if size,
 * channels and format match, else created. The caller owns *out, zeroes it before the first use and
 * frees it with mrw_image_free. instance_count is at least 1. A camera of the file without a valid
 * direction is MRW_ERROR_INPUT (mrw_view_from_lens). */
MRW_API mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                              const mrw_instance *instances, uint32_t instance_count, int threads,
                              mrw_image *out, mrw_error *error);

/* Draws def's overlays over an existing picture of def's size that shows the instances from def's
 * camera. The pixels are those that mrw_render would give with the overlays. The picture is RGB or
 * RGBA, U8 or U16. */
MRW_API mrw_status mrw_frame_draw_overlays(mrw_renderer *renderer, const mrw_frame_def *def,
                                           const mrw_instance *instances, uint32_t instance_count,
                                           int threads, mrw_image *picture, mrw_error *error);

/* ---- Lights of files ------------------------------------------------------------------------- */

/* Finds the lights of the scenes of all instances, placed by their poses, in the order of instances
 * and then of the scene. *out points to *count lights. They belong to the renderer until its next
 * use, including drawing: copy them before you pass them as mrw_frame_def.lighting. Pictures find
 * these lights by themselves.
 *
 * A light is at its node's origin and shines along the node's -Z. Its range and cones stay as
 * filed, whatever the node's scale. See mrw_light_place. */
MRW_API mrw_status mrw_frame_lights(mrw_renderer *renderer, const mrw_instance *instances,
                                    uint32_t instance_count, mrw_isa isa, const mrw_light **out,
                                    uint32_t *count, mrw_error *error);

/* ---- Targets and passes ---------------------------------------------------------------------- */

/* Returns a target that def asked for, for the last picture drawn: an image of one channel, depth
 * as F32, ids and triangles as U32. raster.h defines the values. An id is the draw's index plus 1;
 * draws are counted through the scenes of all instances, in their order. Returns NULL if the target
 * was not asked for or the renderer was used for something else since. The image belongs to the
 * renderer and is valid until its next use. */
MRW_API const mrw_image *mrw_frame_target(const mrw_renderer *renderer, mrw_target_kind kind);

/* Returns pass `index` of def's aovs, for the last picture that the renderer drew or that a crew
 * passed on. aov.h defines the values. Returns NULL if the renderer was used for something else
 * since. The image belongs to the renderer and is valid until its next use. */
MRW_API const mrw_image *mrw_frame_aov(const mrw_renderer *renderer, uint32_t index);

/* Returns the camera of the passes of the last picture. Its definition must have had passes. */
MRW_API mrw_intrinsics mrw_frame_intrinsics(const mrw_renderer *renderer);

/* Returns the number of bands of the last frame that have too many transparent fragments to be
 * blended exactly: see MRW_RASTER_FRAGMENTS_MAX. */
MRW_API uint32_t mrw_frame_sorted_bands(const mrw_renderer *renderer);

/* Returns the number of lights of the last frame whose shadows were left out: they reach it and
 * could cast shadows, but MRW_SHADOW_LIGHTS others come before them. The order is that of files,
 * then mrw_frame_def.lights. */
MRW_API uint32_t mrw_frame_shadowless_lights(const mrw_renderer *renderer);

/* One of several drawings of the same vertices, such as a light's view drawn before the
 * camera's. */
typedef struct mrw_pass {
    /* Size, samples, camera and appearance, as for a picture. `subject`, `targets`, `cameras` and
     * `isa` are not read. The shading mode must be that of the models, even if the pass shades
     * nothing. */
    const mrw_frame_def *def;
    /* Images to draw into, each of a different kind. Ids are those of mrw_frame_target. Colour has
     * 3 or 4 channels; if def is transparent, 3 channels show black behind it. The caller owns the
     * memory. */
    const mrw_target *targets;
    uint32_t target_count;
} mrw_pass;

/* Poses the instances once, skins up to 2^20 vertices once and more for each pass, then draws all
 * passes in order with up to `threads` threads. Each pass has the same bits as when drawn alone.
 * After a failure the contents of the targets are undefined. */
MRW_API mrw_status mrw_render_passes(mrw_renderer *renderer, const mrw_instance *instances,
                                     uint32_t instance_count, const mrw_pass *passes,
                                     uint32_t pass_count, mrw_isa isa, int threads,
                                     mrw_error *error);

/* Targets that mrw_frame_mark_node reads. */
#define MRW_NODE_TARGETS (1u << MRW_TARGET_ID | 1u << MRW_TARGET_TRIANGLE)

/* Sets marks[p] to 1 where pixel p shows the given node of one instance, and leaves all other marks
 * unchanged, so that several nodes can be marked in turn. Returns the number of pixels that show
 * the node.
 *
 * A surface belongs to a node if its draw hangs at that node or below. A skinned triangle also
 * belongs if the joint that it follows is that node or below. Each corner follows the joint of its
 * largest weight, or the draw's node if it has no weights. The triangle follows the joint shared by
 * two or three corners, else that of its first corner. Instances attached to the node do not belong
 * to it.
 *
 * ids and triangles are targets of a frame of these instances. marks has width * height bytes, rows
 * from the top. */
MRW_API size_t mrw_frame_mark_node(const mrw_image *ids, const mrw_image *triangles,
                                   const mrw_instance *instances, uint32_t instance, uint32_t node,
                                   uint8_t *marks);

/* ---- Described frames ------------------------------------------------------------------------ */

/* How to compute the vertices of a draw: morph targets are added to the streams of its mesh, then
 * the result is skinned. */
typedef struct mrw_vertex_source {
    /* NULL: the draw already has its final vertices (the ground, and displaced meshes). */
    const mrw_model *model;
    const mrw_scene *scene; /* the model's scene */
    uint32_t instance;      /* index into the array of instances */
    uint32_t draw;          /* index into the scene's draws */
    /* Job for mrw_skin_vertices without its outputs. `positions`, `normals` and `tangents` are the
     * mesh's own streams, tightly packed, without morph targets. tangents is NULL if nothing in the
     * picture reads them. */
    mrw_skin_job skin;
    /* Morph targets with a weight, as for mrw_morph_job. */
    const mrw_morph_delta *targets;
    uint32_t target_count;
} mrw_vertex_source;

/* A picture ready to be drawn, except that its vertices are not deformed yet. */
typedef struct mrw_frame_description {
    /* Job that mrw_render would draw: the same draws in the same order, materials, view, lights
     * with their shadow maps, ground, and targets (memory of the picture and of the targets in
     * def). Vertex streams are NULL if `sources` must compute them. They are present, and sources
     * agree, if the job needed the vertices itself (shadows, ground, light per vertex, depth as
     * colours). */
    mrw_raster_job job;
    /* One source for each of the job's draws. */
    const mrw_vertex_source *sources;
} mrw_frame_description;

/* Does everything that mrw_render does before triangles become pixels, for other backends: poses
 * the instances, places camera and lights, prepares `picture` and the targets of def, and makes
 * every decision about the models. The backend then fills job.targets; mrw_frame_target returns
 * those that def asks for. *out belongs to the renderer and is valid until its next use. */
MRW_API mrw_status mrw_frame_describe(mrw_renderer *renderer, const mrw_frame_def *def,
                                      const mrw_instance *instances, uint32_t instance_count,
                                      int threads, mrw_image *picture, mrw_frame_description *out,
                                      mrw_error *error);

/* ---- Framing --------------------------------------------------------------------------------- */

/* Poses that a camera must contain. */
typedef enum mrw_fit {
    MRW_FIT_CLIP,  /* everything the clip (or mix) reaches: every 1/30 s and its end, or 600 evenly
                      spread times if that would be more. The longest instance counts. With `loop`,
                      one loop. */
    MRW_FIT_FRAME, /* the instances as posed */
    MRW_FIT_REST,  /* the rest pose */
    MRW_FIT_ALL    /* every clip and the mix of each instance, one instance at a time, its parent as
                      given */
} mrw_fit;

/* Computes the exact extents of the skinned vertices of all instances for a view; see
 * mrw_extents_begin. The result does not depend on frame rate, chosen frames or threads. */
MRW_API mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count,
                                     mrw_fit fit, const mrw_view_def *view, float aspect,
                                     mrw_isa isa, int threads, mrw_extents *out, mrw_error *error);

/* Makes a follow of a node of the first instance, with the node's position at time 0 as origin. */
MRW_API mrw_status mrw_follow_node(mrw_renderer *renderer, const mrw_instance *first, uint32_t node,
                                   mrw_follow *out, mrw_error *error);

/* Computes extents as mrw_frame_extents does, for a camera that follows a node: as if the camera
 * stood still and the world moved. follow may be NULL. */
MRW_API mrw_status mrw_frame_extents_following(const mrw_instance *instances,
                                               uint32_t instance_count, const mrw_follow *follow,
                                               mrw_fit fit, const mrw_view_def *view, float aspect,
                                               mrw_isa isa, int threads, mrw_extents *out,
                                               mrw_error *error);

/* Computes the extents of several views; `out` has one entry per view. Poses and skins only
 * once. */
MRW_API mrw_status mrw_frame_extents_of_views(const mrw_instance *instances,
                                              uint32_t instance_count, const mrw_follow *follow,
                                              mrw_fit fit, const mrw_view_def *views,
                                              uint32_t view_count, float aspect, mrw_isa isa,
                                              int threads, mrw_extents *out, mrw_error *error);

/* ---- Levels of textures ---------------------------------------------------------------------- */

/* Finds the mip levels that pictures will show, and records them in the instances' models, which
 * must be created with later_textures and not yet filled. The pictures are those that
 * mrw_render_sequence would draw of def (its size, samples, filter, camera and what moves the
 * camera) at the given times. With whole_clip, unless def->cameras is given, up to 16 times spread
 * over what the instances play are added, so that the result hardly depends on the given times.
 *
 * Pictures at the given times then have the same pixels as with all levels. Do not draw others:
 * they would be blurred. For more than 16 pictures, textures of up to 1024 x 1024 texels keep all
 * levels, because searching would take longer than it saves. May be called repeatedly, in any
 * order, before the textures are filled, but not by several threads for the same models. */
MRW_API mrw_status mrw_frame_find_levels(const mrw_frame_def *def, const mrw_instance *instances,
                                         uint32_t instance_count, const double *times,
                                         uint32_t time_count, bool whole_clip, int threads,
                                         mrw_error *error);

/* ---- Sequences ------------------------------------------------------------------------------- */

/* A drawing backend: this library's rasterizer or another one. A crew creates one drawer per worker
 * number. draw is called on the thread that currently works under that number, which may differ
 * from one sequence to the next, but never twice at once for one drawer. create and free are called
 * on the thread that calls the crew's functions. All functions are required; create and draw fill
 * *error on failure. */
typedef struct mrw_backend {
    const char *name;
    void *user; /* passed to create */
    /* Creates a drawer. `renderer` is the worker's own work memory, for posing. The drawer may keep
     * the pointer, or be the renderer itself. */
    mrw_status (*create)(void *user, mrw_renderer *renderer, void **out, mrw_error *error);
    /* Draws one picture with up to `threads` threads, as mrw_render does. The sink receives `out`
     * as it is afterwards; a drawer may leave it unchanged. */
    mrw_status (*draw)(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                       uint32_t instance_count, int threads, mrw_image *out, mrw_error *error);
    void (*free)(void *drawer);
} mrw_backend;

/* Returns this library's rasterizer, which draws pictures as mrw_render does. Static storage. */
MRW_API const mrw_backend *mrw_backend_software(void);

/* Returns a backend that draws nothing and leaves pictures empty, for sinks that pose the instances
 * themselves. Static storage. */
MRW_API const mrw_backend *mrw_backend_none(void);

/* A group of threads, each with a renderer, a drawer and a picture that are kept from sequence to
 * sequence. A crew works on one sequence at a time. */
typedef struct mrw_crew mrw_crew;

/* Creates a crew of `threads` (at least 1) threads. Renderers and drawers are created when first
 * needed. The backend must outlive the crew. The caller frees *out with mrw_crew_free. */
MRW_API mrw_status mrw_crew_create(const mrw_backend *backend, int threads, mrw_crew **out,
                                   mrw_error *error);

/* Frees a crew. NULL is allowed. */
MRW_API void mrw_crew_free(mrw_crew *crew);

/* A picture of a sequence, passed to the sink. Pointers are valid during the call. */
typedef struct mrw_sequence_frame {
    uint32_t index;         /* index into the sequence's times; with views: time * views + view */
    uint32_t same_as;       /* first frame of the sequence with the same picture, often this one */
    int worker;             /* 0 ... threads - 1; different in calls that run at the same time */
    int threads;            /* number of threads that may be used for this picture */
    const mrw_image *image; /* empty if the backend draws none */
    mrw_renderer *renderer; /* the worker's, to read def's targets or to pose */
    const mrw_frame_def *def;      /* definition of this picture, with its camera */
    const mrw_instance *instances; /* instances as drawn, at the frame's time */
    uint32_t instance_count;
} mrw_sequence_frame;

/* Receives the pictures of a sequence, each on the thread that drew it, in any order and possibly
 * several at once. Frames with the same picture arrive one right after the other on one thread,
 * `same_as` first. Returning anything but MRW_OK (with *error filled) stops the sequence. */
typedef mrw_status (*mrw_frame_sink)(void *user, const mrw_sequence_frame *frame, mrw_error *error);

/* Draws time_count frames, one per thread. All instances that play a clip or mix are drawn at
 * times[i]; otherwise they are as given. The bits are those of single mrw_render calls.
 *
 * Frames are drawn once if their nodes, morph weights and cameras are equal to the bit: at equal
 * times, beyond the end of a clip, in repeated loops, between STEP keys. Once each thread has drawn
 * two frames, nothing more is allocated unless frames grow. A single time uses all threads itself.
 * With def->view_count each time is posed and skinned once for all its views, which are drawn one
 * after another.
 *
 * If several frames fail, the error of the first of them is returned, for any number of threads:
 * frames before it are drawn and received, and none after it is started. */
MRW_API mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                                       uint32_t instance_count, const double *times,
                                       uint32_t time_count, int threads, mrw_frame_sink sink,
                                       void *user, mrw_error *error);

/* Draws a sequence as mrw_render_sequence does, with the threads and the backend of a crew. */
MRW_API mrw_status mrw_crew_render(mrw_crew *crew, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t instance_count,
                                   const double *times, uint32_t time_count, mrw_frame_sink sink,
                                   void *user, mrw_error *error);

/* Draws another picture with a worker's drawer, for a sink that compares two pictures. Call it only
 * in the sink call that named this worker. Otherwise as mrw_render; the targets of the earlier
 * picture are lost. */
MRW_API mrw_status mrw_crew_draw(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                 const mrw_instance *instances, uint32_t instance_count,
                                 int threads, mrw_image *out, mrw_error *error);

/* ---- Posed geometry -------------------------------------------------------------------------- */

/* The deformed vertices of one draw: float[4] streams as mrw_skin_vertices writes them. If the
 * material has a displacement map (MRW_MAP_DISPLACEMENT), vertices are displaced and normals and
 * tangents turned accordingly. Normals are unit length; meshes with MRW_MESH_FLAT_NORMALS have the
 * normals of the deformed triangles. */
typedef struct mrw_posed_draw {
    /* Index into the scene's draws. */
    uint32_t draw;
    /* Counts of the mesh; 0 for a hidden draw (MRW_NODE_HIDDEN), which has no streams. */
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* vertex_count float[4] each, 16-byte aligned, in world space. */
    const float *positions;
    const float *normals;
    /* NULL if the mesh has no tangents. */
    const float *tangents;
    /* Front faces are clockwise: the determinant of the node's matrix, or of the first joint's with
     * a skin, is negative. */
    bool mirrored;
} mrw_posed_draw;

/* Poses and skins one instance. *out points to one entry per draw of the scene, in order, and is
 * valid until the renderer's next use. */
MRW_API mrw_status mrw_pose_instance(mrw_renderer *renderer, const mrw_instance *instance,
                                     mrw_isa isa, const mrw_posed_draw **out, mrw_error *error);

/* One of several instances that are posed together. */
typedef struct mrw_posed_instance {
    /* One per draw of the scene, in order. */
    const mrw_posed_draw *draws;
    /* One per node. With MRW_POSE_BIND, joints are where their first skin was bound to them. */
    const mrw_mat4 *node_to_world;
} mrw_posed_instance;

/* Poses and skins all instances of a frame, including attached ones. *out points to one entry per
 * instance and is valid until the renderer's next use. Instances with the same pose and place share
 * their vertices. */
MRW_API mrw_status mrw_pose_instances(mrw_renderer *renderer, const mrw_instance *instances,
                                      uint32_t instance_count, mrw_isa isa,
                                      const mrw_posed_instance **out, mrw_error *error);

/* Returns the camera that mrw_render uses: def's camera moved by def's follow, or the file's
 * camera. first and posed are the first instance and its pose. */
MRW_API mrw_status mrw_frame_camera(const mrw_frame_def *def, const mrw_instance *first,
                                    const mrw_posed_instance *posed, mrw_camera *out,
                                    mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
