/* frame.h: scene + clip + time + view -> image. The spine of the library.
 *
 * A mrw_model is a scene prepared for drawing (textures with mipmaps); it is immutable and shared
 * by all threads. A mrw_renderer is the work memory of one thread. A frame draws an array of
 * instances; one model is the array of one.
 *
 *     mrw_model_create(scene, def.shading, threads, &model, &error);
 *     mrw_renderer_create(&renderer, &error);
 *     mrw_instance instance = mrw_instance_default(model);
 *     def.camera = ...;                                  of mrw_view_camera, for mrw_frame_extents
 *     mrw_render(renderer, &def, &instance, 1, threads, &image, &error);
 *
 * Spaces: matrices are column-major for column vectors. A scene's roots stand in model space, which
 * model_to_world places; cameras and what is posed are in world space.
 *
 * Memory: scenes outlive their models, models their instances; what a renderer hands out is its own
 * and valid until its next use. Everything else is borrowed for the call.
 *
 * Threads: one renderer is used by one thread at a time; functions that take `threads` (at least 1,
 * the calling one counted) start the others themselves, and give the same bits with any number.
 *
 * Errors: MRW_ERROR_MEMORY, MRW_ERROR_UNSUPPORTED for an instruction set that this machine lacks,
 * and what is named below. Indices out of range are a programmer's error.
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

/* A scene prepared for drawing. Immutable: any number of threads may draw it. */
typedef struct mrw_model mrw_model;

/* Prepares a scene, which is borrowed and must live longer, for a shading mode (MRW_SHADING_RAW
 * filters stored bytes, the others linear light). threads build textures in parallel. Only textures
 * that something drawn shows are prepared. The caller frees *out with mrw_model_free. */
MRW_API mrw_status mrw_model_create(const mrw_scene *scene, mrw_shading shading, int threads,
                                    mrw_model **out, mrw_error *error);

/* Which sides of triangles are drawn. */
typedef enum mrw_sides {
    MRW_SIDES_FILE, /* as materials say: MRW_MATERIAL_DOUBLE_SIDED */
    MRW_SIDES_BOTH,
    MRW_SIDES_FRONT
} mrw_sides;

/* What of a model is to be prepared, and for what. */
typedef struct mrw_model_def {
    /* That of the frames it is drawn in. Default lit. */
    mrw_shading shading;
    /* Keep the strongest so many of each vertex and let them sum to one; default 0: keep all. */
    uint32_t max_influences;
    /* For posing and measuring: none is prepared, what is drawn shows none, and nothing is
     * displaced. Default false. */
    bool no_textures;
    /* Maps that may be prepared, a bit each, of those that the mode reads and the base color:
     * MRW_MAP_BIT(MRW_MAP_BASE_COLOR) and so on; with MRW_MAPS_ALPHA alone base colors where their
     * alpha cuts or blends. What frames read says mrw_frame_maps. It is MRW_ERROR_USAGE where the
     * scene has no texels of one (mrw_load_def.maps). Default MRW_MAPS_ALL. */
    uint32_t maps;
    /* Textures are left to mrw_model_fill_textures, which must come before the model is drawn: so
     * that they need not hold more levels than are seen. Default false: all levels, at once. */
    bool later_textures;
    /* Normal maps are prepared whatever the mode reads: MRW_AOV_NORMAL shows those that are there.
     * Default false. */
    bool normals;
    /* What the file hides is shown (MRW_NODE_HIDDEN, MRW_NODE_NOT_SHOWN). Default false. */
    bool show_hidden;
    /* Which triangles are seen from behind. Default MRW_SIDES_FILE. */
    mrw_sides sides;
} mrw_model_def;

/* The defaults named above. */
MRW_API mrw_model_def mrw_model_def_default(void);

/* mrw_model_create with everything there is to choose. */
MRW_API mrw_status mrw_model_create_with(const mrw_scene *scene, const mrw_model_def *def,
                                         int threads, mrw_model **out, mrw_error *error);

/* Fills the textures of a model that was made with later_textures, on up to `threads` threads: with
 * the levels that mrw_frame_find_levels found to be shown, and the coarser ones. Textures below 256
 * x 256 texels get all of theirs. Once a model, while nothing else uses it; from then on the
 * scene's texels are not needed (mrw_scene_drop_texels). */
MRW_API mrw_status mrw_model_fill_textures(mrw_model *model, int threads, mrw_error *error);

/* Bytes of the model's textures, all levels that are kept; the scene's images are not counted. */
MRW_API uint64_t mrw_model_texture_memory(const mrw_model *model);

/* What max_influences took away; zeros when it took nothing. Weights are those of the scene, 1 in
 * all for each vertex. */
typedef struct mrw_influence_cut {
    uint64_t vertices;    /* that lost influences */
    float largest_weight; /* the largest weight that one influence had which was dropped */
    float largest_sum;    /* the largest sum of weights that one vertex lost */
} mrw_influence_cut;

/* What was taken away when the model was made. */
MRW_API mrw_influence_cut mrw_model_influence_cut(const mrw_model *model);

/* A number that no other model of this process has or will have, not 0: for those who keep what
 * they made of one, and must not take a new model for a freed one that stood at the same address.
 */
MRW_API uint64_t mrw_model_id(const mrw_model *model);

/* Frees a model, not its scene. NULL is allowed. */
MRW_API void mrw_model_free(mrw_model *model);

/* What an instance shows. */
typedef enum mrw_pose {
    MRW_POSE_CLIP, /* a clip at a time; the rest pose when clip is MRW_NONE */
    MRW_POSE_REST, /* nodes as stored in the file, skinned */
    MRW_POSE_BIND  /* each joint at the inverse of its inverse bind matrix */
} mrw_pose;

/* ---- Instances ------------------------------------------------------------------------------- */

/* One clip of a mix. */
typedef enum mrw_track_mode {
    MRW_TRACK_BLEND,    /* part of the weighted mean that the mix begins with */
    MRW_TRACK_OVERRIDE, /* laid over what came before: what it animates goes from that to its own
                           by its weight */
    MRW_TRACK_ADDITIVE  /* its difference to its own first pose, on top of what came before */
} mrw_track_mode;

/* A clip and how it takes part. */
typedef struct mrw_track {
    mrw_track_mode mode;
    /* Index into the scene's clips. */
    uint32_t clip;
    float weight;  /* not negative. BLEND: a share, of all the shares; OVERRIDE: 0 ... 1 */
    uint32_t node; /* only this node and those below it; MRW_NONE: all nodes */
} mrw_track;

/* Several clips in place of one. The BLEND tracks come first: their mean (see mrw_blend), or the
 * rest pose where there are none, is what the others are laid over, in order (see mrw_layer). */
typedef struct mrw_mix {
    const mrw_track *tracks;
    uint32_t track_count;
    /* BLEND tracks share their phase: see mrw_synced_duration. The others, and without sync all,
     * play at their own speed. */
    bool sync;
} mrw_mix;

/* Seconds: with sync the mean of the durations of the BLEND tracks by weight, else that of the
 * longest of the BLEND tracks and of the OVERRIDE tracks on all nodes. Layers on a part of the
 * body, and additive ones, don't make it longer: they are laid over what plays. */
MRW_API double mrw_mix_duration(const mrw_scene *scene, const mrw_mix *mix);

/* The node that carries a character through the world in a clip: the first one, from the roots
 * down, whose translation the clip changes and which is a joint or has one below it; in a scene
 * without skins, whose translation the clip changes. MRW_NONE when there is none. */
MRW_API uint32_t mrw_model_root(const mrw_model *model, uint32_t clip);

/* A model somewhere, in some pose. Start from mrw_instance_default. */
typedef struct mrw_instance {
    const mrw_model *model;
    mrw_pose pose;
    /* Index into the scene's clips, or MRW_NONE. */
    uint32_t clip;
    /* Plays in place of the clip; borrowed; NULL: the clip. */
    const mrw_mix *mix;
    /* Seconds from the clip's start. */
    double time;
    /* Times beyond the end begin again at the start, each clip of a mix by its own duration
     * (together with sync). Default false: they are clamped. */
    bool loop;
    /* Without loop: times before the start and beyond the end are not clamped, and channels go on
     * there as their file says (mrw_extrapolation). Default false. */
    bool beyond;
    /* Of the frames, for loop: a clip that lasts N whole frames is repeated after exactly N (see
     * mrw_wrap_time). Default 0/0: after its duration. */
    mrw_rate rate;
    /* Default keep; LOOP walks on with each loop of `loop`. In a mix it is done to each clip,
     * before they are mixed. */
    mrw_root_motion root_motion;
    /* Affine; default the identity. Attached: to the parent node, not to the world. */
    mrw_mat4 model_to_world;
    /* Default linear. */
    mrw_skinning skinning;
    /* model_to_world leads to parent_node of instance `parent`, which comes before this one, and
     * moves with it. Default false. */
    bool attached;
    /* An instance of the same array, and a node of its scene; read when attached. */
    uint32_t parent;
    uint32_t parent_node;
} mrw_instance;

/* An instance at the clip's start with the identity transform; the first clip if there is one. */
MRW_API mrw_instance mrw_instance_default(const mrw_model *model);

/* How long it plays: the duration of its mix or clip, 0 for a pose. */
MRW_API double mrw_instance_duration(const mrw_instance *instance);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A camera that goes with a node: wherever the node has moved from `origin`, the camera has moved
 * from where it was placed by the same vector, up and down too; it does not turn. So the node stays
 * at one point of the picture. */
typedef struct mrw_follow {
    uint32_t node;   /* of the first instance; MRW_NONE, the default: the camera stands still */
    float origin[3]; /* world space */
} mrw_follow;

/* What can be drawn over a picture, in the order in which they cover each other. What lies around
 * the model goes by the box of mrw_frame_def.bounds, or else the picture's. */
typedef enum mrw_overlay {
    MRW_OVERLAY_GRID, /* on the ground at the lowest point, ten steps to each side; steps are 1, 2
                         or 5 times a power of ten, lines go through whole numbers of them */
    MRW_OVERLAY_WIRE, /* the edges of all triangles, a pixel wide, fainter where these are hardly
                         larger */
    MRW_OVERLAY_NORMALS,  /* at each vertex, 1/50 of the diagonal of the instance's box long */
    MRW_OVERLAY_BOUNDS,   /* the box of each instance's vertices */
    MRW_OVERLAY_FRUSTUM,  /* the cameras of files, and all lights: circles where lamps stand, the
                             outer cones of spots, arrows of directional lights */
    MRW_OVERLAY_AXES,     /* of each joint and, with names, of the world's origin: x red, y green, z
                             blue */
    MRW_OVERLAY_SKELETON, /* a bone from each joint to the one above it, thick near that; of scenes
                             without joints all nodes */
    /* Of the same joints, without namespaces, parents first; those without room are left out. */
    MRW_OVERLAY_NAMES,
    MRW_OVERLAY_LABEL, /* mrw_frame_def.label, in the lower left corner */
    MRW_OVERLAY_COUNT
} mrw_overlay;

/* As --overlay has it. */
MRW_API const char *mrw_overlay_name(mrw_overlay overlay);

/* The picture before or after another one. */
typedef struct mrw_frame_neighbour {
    bool given;
    double time;       /* of all instances that play something */
    mrw_camera camera; /* in place of mrw_frame_def.camera */
} mrw_frame_neighbour;

/* Where the pictures of a sequence are seen from. */
typedef struct mrw_frame_view {
    mrw_camera camera;     /* used when scene_camera is MRW_NONE */
    uint32_t scene_camera; /* as of mrw_frame_def */
} mrw_frame_view;

/* How a picture is drawn. Start from mrw_frame_def_default.
 *
 * What lights it is decided by `rig`, in one place for all who draw:
 *
 *     rig    shading   files bring lights       what shines
 *     AUTO   lit       no                       the rig of the shading mode
 *     AUTO   lit       yes, and file_lights     these and mrw_light_rig_dim
 *     AUTO   others    whatever                 the rig of the shading mode
 *     OFF    all       yes, and file_lights     these
 *     ON     all       yes, and file_lights     these and the rig of the shading mode
 *
 * and, in all of these, `lights` and `ambient`. Lights of files are those of the scenes of all
 * instances, as mrw_frame_lights places them: anew for each picture. They are added in this order:
 * the rig, files, `lights`. Lit stands for all modes that have environments (mrw_shading_info):
 * their rig is studio, that of the others single, both placed as light_frame says.
 *
 * Lit modes have an environment besides: `environment`, whatever the rig, else
 * `studio`: at half of its strength where the rig shines, a third of that where only lights of
 * files do, otherwise not. It takes the place of the rig's hemisphere. */
typedef struct mrw_frame_def {
    /* Pixels, 1 ... MRW_IMAGE_MAX_SIDE each; default 512 x 512. */
    uint32_t width;
    uint32_t height;
    /* 1, 2, 4 or 8 a pixel; default 4. */
    uint32_t samples;
    /* Of each channel of the picture: 8 (MRW_FORMAT_U8), or 16 (MRW_FORMAT_U16). Default 8. */
    uint32_t bits;
    /* Default lit; must be the one its models were created for. */
    mrw_shading shading;
    /* Of MRW_SHADING_CHANNEL; default base. */
    mrw_shading_channel channel;
    /* Of MRW_SHADING_MATCAP, where it is not NULL; borrowed: see mrw_raster_job. */
    const mrw_raster_texture *matcap;
    /* Of MRW_SHADING_WEIGHTS: the name of joints whose weights are shown, which is not NULL there.
     */
    const char *joint;
    /* Default trilinear. */
    mrw_filter filter;
    /* A factor on all light of the picture, 0 ... 1e6; default 1. */
    float exposure;
    /* Default neutral. Not all modes have one: mrw_shading_info. */
    mrw_tonemap tonemap;
    /* sRGB and straight alpha, which passes to 4 channels show; pictures of 3 are opaque. Default
     * #b8c3d3, 255. */
    uint8_t background[4];
    /* Write RGBA over a clear background; background is not used. Default false. */
    bool transparent;
    /* Fill the picture's subject: 1 where an opaque or masked surface covers any sample of the
     * pixel, or a transparent one with alpha above 0 was blended into any. Default false: the
     * picture has none. */
    bool subject;
    /* What to keep of a picture besides, for mrw_frame_target: the sum of 1u << MRW_TARGET_DEPTH,
     * _ID and _TRIANGLE. Default 0: nothing. */
    uint32_t targets;
    /* Passes that are drawn besides, for mrw_frame_aov; borrowed. Default NULL, none. */
    const mrw_aov_request *aovs;
    uint32_t aov_count;
    /* What is drawn over the picture: the sum of 1u << MRW_OVERLAY_... Lines are as many pixels
     * wide as said there in pictures up to 512 pixels, and grow with the smaller side. They are
     * blended in linear light; `subject` counts them. Default 0: nothing. */
    uint32_t overlays;
    /* Overlays are hidden by opaque and masked surfaces that are nearer, but for text. The grid
     * always is. Default false: they are in front of all. */
    bool overlay_depth;
    /* The models are not drawn, nor what they stand on, and yet hide overlays. Default false. */
    bool overlay_alone;
    /* Of MRW_OVERLAY_LABEL: UTF-8, borrowed; NULL, the default: there is none. */
    const char *label;
    /* Sequences: one a time, in place of label; default NULL. */
    const char *const *labels;
    /* Of MRW_AOV_ID: the number of each draw, counted through the draws of the scenes of all
     * instances; borrowed. Default NULL: 1, 2, 3 ... */
    const uint32_t *ids;
    /* For MRW_AOV_FLOW_BACKWARD and _FORWARD. Not given, the default: each instance at its own time
     * and a frame before or behind it (1/30 s where its rate is 0/0), which it loops over where it
     * does; the same camera. Sequences: the times and cameras before and behind in their lists,
     * where there are any. */
    mrw_frame_neighbour last, next;
    /* Sequences: one a picture, in place of last and next; default NULL. */
    const mrw_frame_neighbour *lasts, *nexts;
    /* The passes alone are wanted: the picture is left as it is, and so is its subject. Default
     * false. */
    bool no_picture;
    /* The instances are those of the last picture that this renderer drew, at the same times: they
     * need not be posed and skinned again. Nothing else was done with the renderer since. Default
     * false. */
    bool same_pose;
    /* Default MRW_ISA_AUTO. All give the same bits. */
    mrw_isa isa;
    /* Used when scene_camera is MRW_NONE. */
    mrw_camera camera;
    /* Sequences: so many pictures a time, each seen from elsewhere, as `views` or `cameras` say.
     * Default 1. */
    uint32_t view_count;
    /* Sequences: one a view, in place of camera and scene_camera; borrowed. Default NULL. */
    const mrw_frame_view *views;
    /* Sequences: one a picture, those of a time one after another, in place of all of these;
     * borrowed. Default NULL. */
    const mrw_camera *cameras;
    /* Sequences: also draw frames that show the same as another one. Default false. */
    bool every;
    /* Sequences: above 0, a time is not begun before all that lie so many before it were given to
     * the sink: who writes pictures in order keeps few of them. Goes with `every`: what shows the
     * same as another one is given along with it. Default 0: pictures come as they are done. */
    uint32_t ahead;
    /* A camera of the first instance's scene, animated with it. Default MRW_NONE. */
    uint32_t scene_camera;
    /* Moves `camera`; default: nothing to follow. */
    mrw_follow follow;
    /* Default AUTO. */
    mrw_rig_use rig;
    /* Whether the lights of files shine. Default true. */
    bool file_lights;
    /* light_count lights, placed anew for each picture; nodes are those of the first instance.
     * Borrowed; default NULL, none. */
    const mrw_light_def *lights;
    uint32_t light_count;
    /* Ambient light from all sides: radiance of a white matt surface. Default 0, 0, 0. */
    float ambient[3];
    /* Whether the rig, and an environment that is `studio`, turn with the camera of each picture
     * (the default) or stay where they are for a camera at azimuth 0. Other environments stay. */
    mrw_light_frame light_frame;
    /* Environments, borrowed; default NULL, none. They may be the same. */
    const mrw_environment *environment;
    const mrw_environment *studio;
    /* As of mrw_environment_place; default 0 and 1. */
    float environment_degrees;
    float environment_intensity;
    /* As of mrw_lighting; default false. */
    bool environment_compensation;
    /* As of mrw_raster_job; default false. */
    bool environment_background;
    /* Whether lights cast shadows: of the first MRW_SHADOW_LIGHTS that reach what is drawn and cast
     * any (mrw_light.throws_shadow): of rigs the key, of files and `lights` all. Blended surfaces
     * cast them by their alpha. Default false. */
    bool shadows;
    /* As of mrw_shadow_frame; default 2048 and 1. A light's map takes 16 MB at 2048. */
    uint32_t shadow_size;
    float shadow_softness;
    /* Ambient occlusion: light from all around (environments, `ambient`, the hemispheres of rigs)
     * comes less to where other surfaces are near; lamps are not touched. Default false. The radius
     * is a share of the longest side of `bounds`, above 0, or without has_bounds of the picture's
     * own box; the strength is that of mrw_occlusion_find. Default 0.1 and 1. Blended surfaces hide
     * light where their alpha is at least one half. */
    bool occlusion;
    float occlusion_radius;
    float occlusion_strength;
    /* A plane at the lowest point of `bounds`, which fades out far around them; seen from below
     * there is none. It catches shadows, and throws none. Cameras should see beyond what is drawn.
     * Default none. */
    mrw_ground ground;
    uint8_t ground_color[3]; /* sRGB; of MRW_GROUND_COLOR, which is matt */
    /* With has_bounds, the box of all that the pictures of a sequence show, so that shadows stand
     * still where nothing moves. Default false, and for a picture that leaves it: the box of each
     * picture by itself. */
    bool has_bounds;
    mrw_shadow_bounds bounds;
    /* What lights the picture, or all pictures of a sequence, in place of all of these. Borrowed.
     * Default NULL. */
    const mrw_lighting *lighting;
} mrw_frame_def;

/* The defaults named above; the camera is all zeros and has to be set. */
MRW_API mrw_frame_def mrw_frame_def_default(void);

/* The maps that frames read, a bit each, for mrw_load_def.maps and mrw_model_def.maps: those of the
 * shading mode and of the passes, what moves vertices (MRW_MAP_DISPLACEMENT), and MRW_MAPS_ALPHA.
 * def->shading, channel, aovs and aov_count are read. */
MRW_API uint32_t mrw_frame_maps(const mrw_frame_def *def);

/* Work memory of one thread, kept from frame to frame. */
typedef struct mrw_renderer mrw_renderer;

/* The caller frees *out with mrw_renderer_free. */
MRW_API mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error);

/* NULL is allowed. */
MRW_API void mrw_renderer_free(mrw_renderer *renderer);

/* Draws one picture with up to `threads` threads. `out` is created when its pixels are NULL or its
 * size, channels or format differ, else reused; so is its subject. It is the caller's, who zeroes
 * it before its first use and frees it with mrw_image_free. instance_count is at least 1. A camera
 * of the file that looks nowhere is MRW_ERROR_INPUT (mrw_view_from_lens). */
MRW_API mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                              const mrw_instance *instances, uint32_t instance_count, int threads,
                              mrw_image *out, mrw_error *error);

/* Draws the overlays of def over a picture that shows the instances from def's camera, of its size:
 * for those who lay them over what is drawn already. The pixels are those that mrw_render gives
 * with the overlays. picture is RGB or RGBA, of U8 or U16. */
MRW_API mrw_status mrw_frame_draw_overlays(mrw_renderer *renderer, const mrw_frame_def *def,
                                           const mrw_instance *instances, uint32_t instance_count,
                                           int threads, mrw_image *picture, mrw_error *error);

/* ---- Lights of files ------------------------------------------------------------------------- */

/* The lights of the scenes of all instances where their poses put them, in instance and scene
 * order: *out points to *count of them. They are the renderer's until its next use, also for a
 * picture: copy what is to light one as mrw_frame_def.lighting. Pictures find them by themselves.
 *
 * A light shines along its node's -Z and stands at its origin; range and cones stay as filed under
 * any scale. mrw_light_place says the rest. */
MRW_API mrw_status mrw_frame_lights(mrw_renderer *renderer, const mrw_instance *instances,
                                    uint32_t instance_count, mrw_isa isa, const mrw_light **out,
                                    uint32_t *count, mrw_error *error);

/* ---- Targets and passes ---------------------------------------------------------------------- */

/* What one of def's targets holds of the picture that the renderer drew last: an image of one
 * channel, depth as F32, ids and triangles as U32; raster.h says what its values are. An id is 1
 * and the number of the draw, counted through the draws of the scenes of all instances, in the
 * order of instances. NULL when the target was not asked for or something else was done since. It
 * is the renderer's, and valid until the renderer's next use. */
MRW_API const mrw_image *mrw_frame_target(const mrw_renderer *renderer, mrw_target_kind kind);

/* Pass `index` of def's aovs, of the picture that the renderer drew last, or that a crew has passed
 * on: aov.h says what its values are. NULL when something else was done since. It is the
 * renderer's, and valid until the renderer's next use. */
MRW_API const mrw_image *mrw_frame_aov(const mrw_renderer *renderer, uint32_t index);

/* The camera of the passes of the picture drawn last, whose definition had any. */
MRW_API mrw_intrinsics mrw_frame_intrinsics(const mrw_renderer *renderer);

/* How many bands of the frame last drawn with this renderer have too many transparent fragments to
 * be blended exactly: see MRW_RASTER_FRAGMENTS_MAX. */
MRW_API uint32_t mrw_frame_sorted_bands(const mrw_renderer *renderer);

/* How many lights of it could cast shadows that reach it, but come behind MRW_SHADOW_LIGHTS others:
 * in their order, which is that of files, then of mrw_frame_def.lights. */
MRW_API uint32_t mrw_frame_shadowless_lights(const mrw_renderer *renderer);

/* One of several drawings of the same vertices: what a light sees, say, before what the camera
 * sees. */
typedef struct mrw_pass {
    /* Size, samples, camera and looks, as of a picture; `subject`, `targets`, `cameras` and `isa`
     * are not read. The shading must be that of the models also where nothing is shaded. */
    const mrw_frame_def *def;
    /* Where it goes, each a kind of its own, with ids as those of mrw_frame_target. Colour takes 3
     * or 4 channels: where def is transparent, 3 show black behind it. The memory is the caller's.
     */
    const mrw_target *targets;
    uint32_t target_count;
} mrw_pass;

/* Poses and skins the instances once, then draws pass after pass with up to `threads` threads; each
 * gives the bits that it gives alone. After a failure the targets hold anything. */
MRW_API mrw_status mrw_render_passes(mrw_renderer *renderer, const mrw_instance *instances,
                                     uint32_t instance_count, const mrw_pass *passes,
                                     uint32_t pass_count, mrw_isa isa, int threads,
                                     mrw_error *error);

/* The targets that mrw_frame_mark_node reads. */
#define MRW_NODE_TARGETS (1u << MRW_TARGET_ID | 1u << MRW_TARGET_TRIANGLE)

/* Sets marks[p] to 1 where pixel p shows a node of one instance, and leaves all other marks as they
 * are, so that several nodes can be marked one after the other. A surface belongs to a node when
 * its draw hangs there or at a node below; with a skin also when the joint it follows most is that
 * node or below it: each corner of the triangle follows the joint of its largest weight (the draw's
 * node where it has none), and the triangle the joint of two or three of its corners, or that of
 * its first corner when they follow three. Instances that are attached to the node are no part of
 * it. ids and triangles are targets of a frame of these instances; marks has width * height bytes,
 * rows from the top. Returns the number of pixels that belong. */
MRW_API size_t mrw_frame_mark_node(const mrw_image *ids, const mrw_image *triangles,
                                   const mrw_instance *instances, uint32_t instance, uint32_t node,
                                   uint8_t *marks);

/* ---- Described frames ------------------------------------------------------------------------ */

/* How the vertices of a draw come to be: morph targets are added to the streams of its mesh, which
 * then are skinned. */
typedef struct mrw_vertex_source {
    /* NULL: the vertices are not made but there, as the draw has them (the ground, and what
     * displacement maps move). */
    const mrw_model *model;
    const mrw_scene *scene; /* the model's */
    uint32_t instance;      /* of the array */
    uint32_t draw;          /* of the scene */
    /* For mrw_skin_vertices, but that there are no results: `positions`, `normals` and `tangents`
     * are the mesh's own, one after another in its order, without the targets. tangents is NULL
     * where nothing of the picture reads them. */
    mrw_skin_job skin;
    /* As of mrw_morph_job: those that are on. */
    const mrw_morph_delta *targets;
    uint32_t target_count;
} mrw_vertex_source;

/* A picture that is ready to be drawn, but that its vertices are not moved yet. */
typedef struct mrw_frame_description {
    /* What mrw_render draws: the same draws in the same order, materials, view, lights with their
     * shadow maps, ground, targets (memory of the picture, and of what def keeps besides). Streams
     * of vertices are NULL where they are not known: `sources` makes them. Where something is
     * computed of all vertices (shadows, ground, light at vertices, depth as colours) they are
     * there, and sources say the same. */
    mrw_raster_job job;
    /* One for each of the job's draws. */
    const mrw_vertex_source *sources;
} mrw_frame_description;

/* All that mrw_render does before triangles become pixels, for those who draw by other means: poses
 * the instances, places camera and lights, makes `picture` and the targets of def ready, and
 * decides everything about a model that there is to decide. What draws fills job.targets; then
 * mrw_frame_target has those that def asks for. *out is the renderer's, and valid until its next
 * use. */
MRW_API mrw_status mrw_frame_describe(mrw_renderer *renderer, const mrw_frame_def *def,
                                      const mrw_instance *instances, uint32_t instance_count,
                                      int threads, mrw_image *picture, mrw_frame_description *out,
                                      mrw_error *error);

/* ---- Framing --------------------------------------------------------------------------------- */

/* What a camera is to see. */
typedef enum mrw_fit {
    MRW_FIT_CLIP,  /* everything the clip (or mix) ever reaches: every 1/30 s and its end, at most
                      600 times, evenly spread when those are too few. Of several instances the
                      longest counts. With `loop`, one loop. */
    MRW_FIT_FRAME, /* the instances as they are posed */
    MRW_FIT_REST,  /* the rest pose */
    MRW_FIT_ALL /* all clips, and the mix: each instance by itself, where its parent is as given */
} mrw_fit;

/* Gathers the exact extents of the skinned vertices of all instances for a view; see
 * mrw_extents_begin. Independent of frame rate, frame choice and threads. */
MRW_API mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count,
                                     mrw_fit fit, const mrw_view_def *view, float aspect,
                                     mrw_isa isa, int threads, mrw_extents *out, mrw_error *error);

/* A follow of a node of the first instance, with its position at time 0 as the origin. */
MRW_API mrw_status mrw_follow_node(mrw_renderer *renderer, const mrw_instance *first, uint32_t node,
                                   mrw_follow *out, mrw_error *error);

/* mrw_frame_extents for a camera that follows: what the camera would see, had it stood still and
 * the world moved. follow may be NULL. */
MRW_API mrw_status mrw_frame_extents_following(const mrw_instance *instances,
                                               uint32_t instance_count, const mrw_follow *follow,
                                               mrw_fit fit, const mrw_view_def *view, float aspect,
                                               mrw_isa isa, int threads, mrw_extents *out,
                                               mrw_error *error);

/* The same of several views, an entry of `out` each: all is posed and skinned once. */
MRW_API mrw_status mrw_frame_extents_of_views(const mrw_instance *instances,
                                              uint32_t instance_count, const mrw_follow *follow,
                                              mrw_fit fit, const mrw_view_def *views,
                                              uint32_t view_count, float aspect, mrw_isa isa,
                                              int threads, mrw_extents *out, mrw_error *error);

/* ---- Levels of textures ---------------------------------------------------------------------- */

/* Finds which levels of textures pictures will show, and notes them in the instances' models, which
 * are made with later_textures and not filled yet: those of pictures of def (its size, samples,
 * filter, camera and what else places it) at the given times, each a picture of
 * mrw_render_sequence; and with whole_clip, where def->cameras is NULL, those of times all over
 * what the instances play, at most 16, so that what is found hardly depends on the times given. The
 * pictures at the times given then have the pixels that all levels would give; others would be
 * blurred, and must not be drawn. For more than 16 pictures, textures of up to 1024 x 1024 texels
 * keep all their levels: looking takes longer than that is worth. May be called any number of times
 * before the textures are filled, not by several threads for the same models; the order does not
 * matter. */
MRW_API mrw_status mrw_frame_find_levels(const mrw_frame_def *def, const mrw_instance *instances,
                                         uint32_t instance_count, const double *times,
                                         uint32_t time_count, bool whole_clip, int threads,
                                         mrw_error *error);

/* ---- Sequences ------------------------------------------------------------------------------- */

/* What draws pictures: software, or another backend. A crew has a drawer for each of its worker
 * numbers. draw is called on the thread that works under that number at the time, which need not be
 * the one of the sequence before, and never twice at once for one drawer. create and free are
 * called on the thread that calls the functions of the crew. All functions are given; create and
 * draw fill in *error where they fail. */
typedef struct mrw_backend {
    const char *name;
    void *user; /* for create */
    /* Makes a drawer. `renderer` is the worker's own work memory, for posing; the drawer may keep
     * it, and may be it. */
    mrw_status (*create)(void *user, mrw_renderer *renderer, void **out, mrw_error *error);
    /* mrw_render: draws one picture with up to `threads` threads. What is `out` afterwards is what
     * the sink sees; it may be left alone. */
    mrw_status (*draw)(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                       uint32_t instance_count, int threads, mrw_image *out, mrw_error *error);
    void (*free)(void *drawer);
} mrw_backend;

/* This library's rasterizer: pictures as mrw_render draws them. Static storage. */
MRW_API const mrw_backend *mrw_backend_software(void);

/* Draws nothing, and leaves pictures empty: for sinks that pose the instances themselves. Static
 * storage. */
MRW_API const mrw_backend *mrw_backend_none(void);

/* What a number of threads draw with, kept from sequence to sequence: a renderer, a drawer and a
 * picture each. At work on one sequence at a time. */
typedef struct mrw_crew mrw_crew;

/* A crew of `threads` (at least 1), whose members are made when they are first wanted. backend must
 * outlive it. The caller frees *out with mrw_crew_free. */
MRW_API mrw_status mrw_crew_create(const mrw_backend *backend, int threads, mrw_crew **out,
                                   mrw_error *error);

/* NULL is allowed. */
MRW_API void mrw_crew_free(mrw_crew *crew);

/* A picture of a sequence, as it is drawn. Pointers are valid during the call. */
typedef struct mrw_sequence_frame {
    uint32_t index;   /* into the times of the sequence; of several views: time * views + view */
    uint32_t same_as; /* the first frame of the sequence with the same picture, mostly itself */
    int worker;       /* 0 ... threads - 1: of calls at the same time each has another one */
    int threads;      /* as many may be used for this picture */
    const mrw_image *image;        /* empty where the backend draws none */
    mrw_renderer *renderer;        /* the thread's: to ask for the targets of def, or to pose */
    const mrw_frame_def *def;      /* with its camera */
    const mrw_instance *instances; /* as they were drawn, at the frame's time */
    uint32_t instance_count;
} mrw_sequence_frame;

/* Receives the pictures of a sequence, each on the thread that drew it, in any order and possibly
 * several at once. Pictures that are the same come one right after the other on one thread, the one
 * of `same_as` first. Anything but MRW_OK (with *error filled) stops the sequence. */
typedef mrw_status (*mrw_frame_sink)(void *user, const mrw_sequence_frame *frame, mrw_error *error);

/* Draws time_count frames, one a thread, with all instances that play a clip at times[i]; instances
 * and their times are otherwise as given. Same bits as mrw_render one by one. Frames whose nodes
 * and morph weights are the same, to the bit, and their cameras, are drawn once: at equal times,
 * beyond the end of a clip, in loops that come back, between the keys of STEP. Once each thread has
 * drawn two frames nothing is allocated any more, unless frames grow. A single time uses all
 * threads itself. With def->view_count each time is posed and skinned once for all its views, which
 * are drawn one after another. Of several failures that of the first frame is told, whatever the
 * threads: frames before it are drawn and received, none is begun after it. */
MRW_API mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                                       uint32_t instance_count, const double *times,
                                       uint32_t time_count, int threads, mrw_frame_sink sink,
                                       void *user, mrw_error *error);

/* mrw_render_sequence with the threads and the backend of a crew. */
MRW_API mrw_status mrw_crew_render(mrw_crew *crew, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t instance_count,
                                   const double *times, uint32_t time_count, mrw_frame_sink sink,
                                   void *user, mrw_error *error);

/* Draws another picture, with a worker's drawer: for a sink that looks at two together, in the call
 * that gave it that worker. Otherwise as mrw_render; targets of the picture before are gone. */
MRW_API mrw_status mrw_crew_draw(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                 const mrw_instance *instances, uint32_t instance_count,
                                 int threads, mrw_image *out, mrw_error *error);

/* ---- Posed geometry -------------------------------------------------------------------------- */

/* The deformed vertices of one draw: float[4] streams as mrw_skin_vertices writes them, displaced
 * where the material has such a map (MRW_MAP_DISPLACEMENT): normals and tangents turn with it.
 * Normals are unit; those of a mesh with MRW_MESH_FLAT_NORMALS are of its triangles as they lie
 * now. */
typedef struct mrw_posed_draw {
    /* Index into the scene's draws. */
    uint32_t draw;
    /* Those of the mesh; 0 of a draw that is hidden (MRW_NODE_HIDDEN), which has no streams. */
    uint32_t vertex_count;
    uint32_t triangle_count;
    /* vertex_count float[4] each, 16-byte aligned, world space. */
    const float *positions;
    const float *normals;
    /* NULL when the mesh has none. */
    const float *tangents;
    /* Clockwise triangles face front: the determinant of the node's matrix, or of the first joint's
     * with a skin, is negative. */
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
    /* One per node; with MRW_POSE_BIND joints stand where the (first) skin was bound to them. */
    const mrw_mat4 *node_to_world;
} mrw_posed_instance;

/* mrw_pose_instance for all instances of a frame, attached ones included. *out points to one entry
 * per instance and is valid until the renderer's next use. Instances that show the same in the same
 * place point to the same vertices. */
MRW_API mrw_status mrw_pose_instances(mrw_renderer *renderer, const mrw_instance *instances,
                                      uint32_t instance_count, mrw_isa isa,
                                      const mrw_posed_instance **out, mrw_error *error);

/* The camera that mrw_render uses: def's, moved by def's follow, or the file's. first and posed
 * are the first instance and what it was posed to. */
MRW_API mrw_status mrw_frame_camera(const mrw_frame_def *def, const mrw_instance *first,
                                    const mrw_posed_instance *posed, mrw_camera *out,
                                    mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
