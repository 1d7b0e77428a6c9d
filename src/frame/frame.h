/* frame.h: what the files of the frame share: models, the parts of a renderer, and the steps from
 * a pose to a picture.
 *
 * A renderer (mrw_renderer) is the memory of one thread. It is cut by role, and a function takes
 * only the parts that it needs:
 *
 *     mrwi_frame_posed     what is drawn: poses, vertices and draws of all instances
 *     mrwi_frame_picture   one picture of it: definition, camera and threads; read-only
 *     mrwi_frame_scratch   work memory of a frame: arena, rasterizer and playheads
 *     mrwi_frame_lights    memory of shadow maps and occlusion, kept from frame to frame
 *     mrwi_frame_aovs      images of passes, kept from frame to frame
 *
 * The files call each other in one direction:
 *
 *     finish, describe - frame - overlay, aov_draw - job - draws - vertices - pose
 *
 * frame.c is the spine. draws.c has the draws of all instances, vertices.c their vertices, pose.c
 * their matrices; job.c turns draws into a job of the rasterizer, with its lights.
 */
#ifndef MRWI_FRAME_FRAME_H
#define MRWI_FRAME_FRAME_H

#include "base/memory.h"
#include "frame/workers.h"
#include "marrow/frame.h"

#include <stdatomic.h>

/* ---- models ---------------------------------------------------------------------------------- */

/* Influences of the vertices of a scene, cut to the number per vertex that was asked for. */
typedef struct mrwi_frame_influences {
    mrw_skin_group *groups; /* scene->groups with pointers in place of indices */
    uint16_t *cut_joints;   /* influences of the groups that were cut, or NULL */
    float *cut_weights;
    mrw_influence_cut cut;
} mrwi_frame_influences;

/* Kinds of textures that are made of an image:
 * - one per encoding;
 * - one for normals (SPREADS), and one for the base colours of materials that blend (COVERS);
 * - four for heights, by how they continue beyond the edges: HEIGHTS clamps, + 1 repeats across,
 *   + 2 repeats down;
 * - one per cutoff of alpha in masked materials (MASKS). An image has MRWI_FRAME_CUTOFFS of them; a
 *   mask with any other cutoff takes the texture for blending. */
#define MRWI_FRAME_CUTOFFS 4
enum {
    MRWI_FRAME_SPREADS = MRW_ENCODING_COUNT,
    MRWI_FRAME_COVERS,
    MRWI_FRAME_HEIGHTS,
    MRWI_FRAME_MASKS = MRWI_FRAME_HEIGHTS + 4,
    MRWI_FRAME_TEXTURES = MRWI_FRAME_MASKS + MRWI_FRAME_CUTOFFS
};

typedef struct mrwi_frame_texture {
    mrw_raster_texture *texture; /* NULL if nothing drawn shows it */
    _Atomic uint32_t finest;     /* finest level known to be shown, until the texture is filled */
} mrwi_frame_texture;

/* Vertices that displacement maps move, and how far (displacement.c). */
typedef struct mrwi_frame_displacement mrwi_frame_displacement;

/* A scene prepared for drawing; all frames and threads share it. */
struct mrw_model {
    uint64_t id;
    const mrw_scene *scene;
    mrw_poser *poser;
    mrw_shading shading;
    bool normals;                   /* normal maps are wanted, whatever the mode reads */
    uint32_t maps;                  /* mrw_model_def.maps: bits of the maps that may be prepared */
    mrwi_frame_texture *textures;   /* MRWI_FRAME_TEXTURES per image */
    float *cutoffs;                 /* MRWI_FRAME_CUTOFFS per image, of its masks; 0: unused */
    float *height_scales;           /* one per image: mrw_raster_height_scale of a HEIGHT map, or 0
                                       if it holds normals */
    bool *damaged;                  /* one per image: mrw_model_is_damaged */
    mrw_raster_material *materials; /* the scene's, then the default material */
    uint32_t *moving_maps;          /* one per material: bits of the maps that clips move over it */
    mrwi_frame_influences influences;
    mrwi_frame_displacement *displacement; /* NULL: nothing is moved */
    float *pivots;   /* float[3] per joint: its origin in the geometry's space */
    uint32_t *roots; /* one per clip: mrw_model_root */
    mrw_sides sides;
    bool shows_hidden; /* draw nodes that the file hides */
    bool *left_out;    /* [node] never drawn; NULL: none */
};

/* ---- poses ----------------------------------------------------------------------------------- */

/* Cursors of the clip that an instance, or a track of its mix, played last. */
typedef struct mrwi_frame_playhead {
    const mrw_scene *scene;
    uint32_t clip;
    uint32_t *cursors;
    uint32_t cursor_count; /* must match: a new scene may have the address of a freed one */
} mrwi_frame_playhead;

/* Poses of a frame: its instances, in the order in which they are posed. */
typedef struct mrwi_frame_poses {
    const mrw_instance *instances;
    uint32_t count;
    struct mrwi_frame_pose *items; /* arena memory; filled in order */
    uint32_t playhead;             /* first free playhead */
    uint32_t *playing;  /* hash table: the first instance of those with one playback state */
    uint32_t *standing; /* hash table: the first of those that also stand in one place */
    uint32_t table_mask;
} mrwi_frame_poses;

/* Content of a frame, which all its passes draw: the vertices of all instances, in the arena. */
typedef struct mrwi_frame_posed {
    mrwi_frame_poses poses;
    mrw_raster_draw *draws; /* draws of the rasterizer, by instance and draw; NULL: none posed */
    uint32_t draw_count;
    bool skinned;  /* draws have vertices; else they are described, or filled when drawn */
    bool tangents; /* vertices have all tangents of their meshes, read or not */
    mrwi_base_arena_mark end; /* arena memory behind this belongs to one picture */
} mrwi_frame_posed;

/* One picture of posed instances. Functions that draw it only read it. */
typedef struct mrwi_frame_picture {
    const mrw_frame_def *def;
    const mrwi_frame_posed *posed;
    mrw_camera camera;
    int threads;
} mrwi_frame_picture;

/* ---- renderers ------------------------------------------------------------------------------- */

/* Work memory of a frame. The arena is reset at each frame and keeps its high-water mark. */
typedef struct mrwi_frame_scratch {
    mrwi_base_arena arena;
    mrw_raster *raster;
    mrw_isa isa;                    /* instruction set of the current frame, resolved */
    mrwi_frame_playhead *playheads; /* mrwi_frame_playheads_of each instance */
    uint32_t playhead_count;
} mrwi_frame_scratch;

/* Depths of a shadow map, kept from frame to frame: only the spans in which something was seen are
 * cleared. All zero at first. */
typedef struct mrwi_frame_shadow_memory {
    float *depths;
    size_t room;            /* floats */
    mrw_shadow_span *spans; /* outside of them depths are 1 in a map of the layout below */
    mrw_shadow_span *last;  /* spans of the map before, while a map is drawn */
    size_t span_room;
    uint32_t faces, size, stride;
    uint32_t levels; /* levels that were made from the depths; 0: none */
} mrwi_frame_shadow_memory;

/* Memory of lights, kept from frame to frame. */
typedef struct mrwi_frame_lights {
    mrwi_frame_shadow_memory shadows[MRW_SHADOW_LIGHTS];
    mrw_occlusion *occlusion; /* NULL until it is first wanted */
    uint32_t shadowless;      /* lights of the last pass that got no shadow map */
} mrwi_frame_lights;

/* An image of a pass, kept from frame to frame: only the spans in which something was seen are
 * cleared. All zero at first. */
typedef struct mrwi_frame_kept_image {
    mrw_image image;        /* its memory may be larger; width 0: it may hold anything */
    size_t room;            /* bytes */
    uint64_t key;           /* names the background */
    mrw_shadow_span *spans; /* outside of them the image is background */
    uint32_t span_room;
} mrwi_frame_kept_image;

/* The passes of a frame (aov.h), and their memory. */
typedef struct mrwi_frame_aovs {
    mrw_image *images; /* one per request, or NULL; in the arena, with memory of `kept` */
    uint32_t count;
    mrw_intrinsics intrinsics;
    mrwi_frame_kept_image *kept; /* one per request (aov_memory.c) */
    uint32_t kept_count;
} mrwi_frame_aovs;

struct mrw_renderer {
    mrwi_frame_scratch scratch;
    mrwi_frame_posed posed; /* content of the last frame, until something else is posed */
    bool described;         /* the arena holds poses and targets of a frame that others draw */
    mrwi_frame_lights lights;
    mrwi_frame_aovs aovs;
    mrw_image targets[MRW_TARGET_COUNT]; /* kept targets of the current frame, in the arena */
    uint32_t sorted_bands;               /* the picture's; a frame may draw other things after it */
};

/* renderer.c: starts the poses of a frame: resets the arena and makes room. */
mrw_status mrwi_frame_poses_begin(mrw_renderer *renderer, const mrw_instance *instances,
                                  uint32_t count, mrw_isa isa, mrwi_frame_poses *poses,
                                  mrw_error *error);
/* Keeps the posed instances for another picture, and drops what belonged to the last one. */
void mrwi_frame_keep_posed(mrw_renderer *renderer, const mrw_instance *instances, uint32_t count,
                           mrw_isa isa);
/* Drops targets and passes after a failure. */
void mrwi_frame_forget(mrw_renderer *renderer);

/* ---- pose.c, pose_cache.c, mix.c, look.c ----------------------------------------------------- */

/* A palette in the form of dual-quaternion skinning. */
typedef struct mrwi_frame_motions {
    mrw_dual_quaternion *motions;
    mrw_mat4 *scales; /* NULL when none scales */
} mrwi_frame_motions;

/* Local transforms and morph weights that an instance plays. Arena memory. */
typedef struct mrwi_frame_locals {
    mrw_transform *locals;
    uint8_t *animated;
    float *weights;
} mrwi_frame_locals;

/* Streams of a mesh, as stored or morphed. */
typedef struct mrwi_frame_streams {
    const float *positions;
    const float *normals;
    const float *tangents;
} mrwi_frame_streams;

/* Materials of a scene at a time, in arena memory or those of the scene and the model. */
typedef struct mrwi_frame_look {
    const mrw_material *materials;
    const mrw_raster_material *converted; /* the rasterizer's, then the default material; NULL: not
                                             yet found */
} mrwi_frame_look;

/* State that instances with one playback state share: everything known before they are placed. */
typedef struct mrwi_frame_local_pose {
    mrwi_frame_locals locals;
    mrwi_frame_look look;
    mrwi_frame_streams *morphed;            /* one per draw; without positions: not yet morphed */
    const struct mrwi_frame_pose *measured; /* the first pose with this state that fit.c measured */
} mrwi_frame_local_pose;

/* Memory for the vertices of one draw, which all draws of a crowd share. Arena memory. */
typedef struct mrwi_frame_shared {
    float *positions, *normals, *tangents; /* float[4] per vertex */
} mrwi_frame_shared;

/* Palettes of the skins of a posed instance. */
typedef struct mrwi_frame_palettes {
    mrw_mat4 **matrices;         /* one per skin */
    mrwi_frame_motions *motions; /* one per skin; NULL: linear skinning */
} mrwi_frame_palettes;

/* Nodes, palettes and vertices of one posed instance; arena memory. */
typedef struct mrwi_frame_pose {
    struct mrwi_frame_pose *first; /* first pose of instances that play the same in one place, often
                                      this one; they share everything below */
    const mrw_instance *instance;
    const mrw_scene *scene;
    mrwi_frame_local_pose *local;
    mrw_mat4 model_to_world; /* the instance's, behind the node it is attached to */
    mrw_mat4 *node_to_world;
    const mrw_mat4
        *placed; /* node_to_world for all other uses; differs for joints in the bind pose */
    mrwi_frame_palettes palettes;
    const bool *hidden;         /* one per node; NULL: no node is hidden */
    const bool *hidden_by_file; /* the same without left_out, whose lights shine */
    mrw_posed_draw *draws;      /* set in `first` only: one per draw; NULL: not yet skinned */
    mrw_skin_job *jobs;         /* in `first`: one per draw, which fill it later; NULL: skinned */
    bool measured;              /* set in `first` only, by fit.c */
} mrwi_frame_pose;

/* Counters for tests, of all threads. */
typedef struct mrwi_frame_statistics {
    _Atomic uint64_t pictures; /* pictures drawn */
    _Atomic uint64_t plays;    /* instances whose clips were sampled */
    _Atomic uint64_t places;   /* instances whose nodes were placed */
    _Atomic uint64_t morphs;   /* draws that were morphed */
    _Atomic uint64_t skins;    /* draws that were skinned */
} mrwi_frame_statistics;
extern mrwi_frame_statistics mrwi_frame_counts; /* defined in pose.c */

/* mix.c: returns the number of playheads that an instance needs. */
uint32_t mrwi_frame_playheads_of(const mrw_instance *instance);
/* Returns true when the instance depends on the time. */
bool mrwi_frame_plays(const mrw_instance *instance);
/* Computes the local transforms and morph weights of an instance at its time, in the arena: its
 * clip or mix. `playhead` is the first of its own. */
mrw_status mrwi_frame_play(mrwi_frame_scratch *scratch, uint32_t playhead,
                           const mrw_instance *instance, mrwi_frame_locals *out, mrw_error *error);
/* Returns the position, in seconds, of an instance in its clip, or of a track of its mix. */
double mrwi_frame_clip_time(const mrw_instance *instance);
double mrwi_frame_track_time(const mrw_instance *instance, const mrw_track *track);
/* Finds the roots of a scene's clips, see mrw_model_root. The caller frees *roots. */
mrw_status mrwi_frame_find_roots(const mrw_scene *scene, uint32_t **roots, mrw_error *error);

/* Returns the time in seconds at which an instance plays its clip, before clamping and wrapping. */
static inline double mrwi_frame_time(const mrw_instance *instance)
{
    const double speed = instance->speed != 0.0 ? instance->speed : 1.0;
    return instance->still ? instance->offset : instance->time * speed + instance->offset;
}

/* look.c: returns true when the instance plays a clip that animates materials. */
bool mrwi_frame_animates_materials(const mrw_instance *instance);
/* Computes the materials of an instance that animates them, at its time: materials_count, in the
 * arena. mrw_mix says what a mix does. */
mrw_status mrwi_frame_play_materials(mrwi_base_arena *arena, const mrw_instance *instance,
                                     mrw_material **out, mrw_error *error);
/* Gives the look of a pose; the first call finds it. */
mrw_status mrwi_frame_find_look(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                mrwi_frame_look *out, mrw_error *error);

/* pose_cache.c: makes room for the hash tables, unless the instance is alone. Returns false without
 * memory. */
bool mrwi_frame_pose_cache_begin(mrwi_base_arena *arena, mrwi_frame_poses *poses);
/* Return the first instance with the same playback state as `index`, or the first that also stands
 * in the same place once that is known; possibly `index`. Call in ascending order. */
uint32_t mrwi_frame_first_playing(mrwi_frame_poses *poses, uint32_t index);
uint32_t mrwi_frame_first_standing(mrwi_frame_poses *poses, uint32_t index);
/* Samples instance `index`, or takes the result of another one. Call in ascending order. */
mrw_status mrwi_frame_play_cached(mrwi_frame_scratch *scratch, mrwi_frame_poses *poses,
                                  uint32_t index, mrwi_frame_local_pose **out, mrw_error *error);

/* pose.c: starts further poses in the same arena, beside those that are there. */
mrw_status mrwi_frame_poses_begin_more(mrwi_frame_scratch *scratch, const mrw_instance *instances,
                                       uint32_t count, mrwi_frame_poses *poses, mrw_error *error);
/* Poses instance `index`: matrices only. Call in ascending order. */
mrw_status mrwi_frame_pose_nodes(mrwi_frame_scratch *scratch, mrwi_frame_poses *poses,
                                 uint32_t index, mrw_error *error);

/* Returns true when a draw of a pose is hidden. */
static inline bool mrwi_frame_hides(const mrwi_frame_pose *pose, uint32_t draw)
{
    return pose->hidden && pose->hidden[pose->scene->draws[draw].node];
}

/* ---- vertices.c, displacement.c, draws.c ----------------------------------------------------- */

/* Gives the vertices of a posed instance: one entry per draw; the first call makes them. Instances
 * in one place share this memory: change it only if pose->first->draws was NULL before the call. */
mrw_status mrwi_frame_skin_draws(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                 bool tangents, mrw_posed_draw **out, mrw_error *error);
/* Does the same but for the skinning, which pose->first->jobs do later, each into `memory`.
 * The model must not have a displacement. */
mrw_status mrwi_frame_skin_draws_later(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                       bool tangents, const mrwi_frame_shared *memory,
                                       mrw_posed_draw **out, mrw_error *error);
/* Makes the job that skins the positions alone of a draw, which is not hidden; morphs them first.
 * All vertices of instances that share a local pose must be made this way, or none. The output is
 * left to set. */
mrw_status mrwi_frame_position_job(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                   uint32_t index, mrw_skin_job *out, mrw_error *error);
/* Describes what moves the vertices of a draw of a posed instance, for another backend. Sets all
 * but out->instance. mirrored: see mrw_posed_draw. */
mrw_status mrwi_frame_describe_draw(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                    uint32_t index, mrw_vertex_source *out, bool *mirrored,
                                    mrw_error *error);

/* Finds the vertices that displacement moves in a model that is otherwise complete; *out is NULL
 * when there are none. */
mrw_status mrwi_frame_displacement_create(const mrw_model *model, mrwi_frame_displacement **out,
                                          mrw_error *error);
void mrwi_frame_displacement_free(mrwi_frame_displacement *displacement);
/* Moves the skinned vertices of all draws of a pose whose model has a displacement. */
mrw_status mrwi_frame_displace(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                               mrw_posed_draw *draws, mrw_error *error);

/* draws.c: returns the rasterizer's draw of a posed draw. */
mrw_raster_draw mrwi_frame_raster_draw(const mrw_instance *instance, const mrwi_frame_look *look,
                                       const mrw_posed_draw *posed);
/* Writes the vertices of a draw that is filled when it is drawn. Call it before reading them. */
static inline void mrwi_frame_fill(const mrw_raster_draw *draw)
{
    if (draw->fill) {
        draw->fill(draw->fill_user);
    }
}
/* Poses and skins instances into renderer->posed. `tangents`: all, or only those that the picture
 * reads. Without `skinned`, the draws of many instances may be filled when they are drawn, so that
 * their vertices take no memory. */
mrw_status mrwi_frame_pose_all(mrw_renderer *renderer, const mrw_instance *instances,
                               uint32_t count, mrw_isa isa, bool tangents, bool skinned,
                               mrw_error *error);
/* Poses and skins the instances of a picture into renderer->posed, unless they are there. */
mrw_status mrwi_frame_pose_picture(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t count, mrw_error *error);
/* Poses and skins further instances beside those in the arena. */
mrw_status mrwi_frame_pose_more(mrwi_frame_scratch *scratch, const mrw_instance *instances,
                                uint32_t count, bool tangents, mrwi_frame_posed *out,
                                mrw_error *error);

/* ---- model.c, maps.c: materials and textures ------------------------------------------------- */

/* Converts a material to the rasterizer's. `rest` is the same material as in the scene; it decides
 * on textures. */
mrw_raster_material mrwi_frame_convert_material(const mrw_model *model, const mrw_material *rest,
                                                const mrw_material *in);
/* Returns true when triangles of the material are visible from behind. */
bool mrwi_frame_shows_both_sides(const mrw_model *model, const mrw_material *material);

/* fill.c: fills the textures of a model; all: with all levels, not only those that were found. */
mrw_status mrwi_frame_fill_textures(const mrw_model *model, bool all, int threads,
                                    mrw_error *error);

/* maps.c: returns the encoding in which a map's image is read. */
mrw_encoding mrwi_frame_map_encoding(mrw_map map, mrw_shading shading);
/* Returns the use of alpha in the texture of a material's map. Sets *cutoff to the alpha that masks
 * must reach, else to 0. */
mrw_texture_alpha mrwi_frame_map_alpha(const mrw_material *material, mrw_map map, float *cutoff);
/* Returns the texture of a material's map; the map must have one. */
mrwi_frame_texture *mrwi_frame_map_texture(const mrw_model *model, const mrw_material *material,
                                           mrw_map map);
/* Returns true when pictures of the model read a map that has a texture. A missing texture is drawn
 * as a checker in base colours only. */
bool mrwi_frame_shows_map(const mrw_model *model, const mrw_material *material, mrw_map map);
/* Returns the rasterizer's name of a drawn map, or MRW_RASTER_MAP_COUNT if no pixel reads it. */
mrw_raster_map_kind mrwi_frame_raster_map(mrw_map map);
/* Returns the next map that pixels read, like mrwi_scene_drawn_map. */
const mrw_material_map *mrwi_frame_next_map(const mrw_material *material, uint32_t *next,
                                            mrw_map *map);
/* Fills in maps and uv_transform of a material whose textures exist. `rest`, the material as in the
 * scene, decides on textures and on maps that share coordinates, so these are the same at all
 * times. */
void mrwi_frame_convert_maps(const mrw_model *model, const mrw_material *rest,
                             const mrw_material *in, mrw_raster_material *out);
/* Fills in uvs and more_uvs of a draw, with the scene's coordinates. `material` is NULL for the
 * default one; the draw already has the converted material. */
void mrwi_frame_set_uvs(const mrw_scene *scene, const mrw_mesh *mesh, const mrw_material *material,
                        mrw_raster_draw *draw);

/* ---- camera.c -------------------------------------------------------------------------------- */

/* Returns the definition of one picture of a sequence. */
mrw_frame_def mrwi_frame_seen_from(const mrw_frame_def *def, uint32_t time, uint32_t view);
/* Computes how far a followed node is from its origin; zero without one. */
void mrwi_frame_follow_offset(const mrw_follow *follow, const mrw_mat4 *node_to_world,
                              float out[3]);
/* Finds the camera of a frame: the definition's, or one of the first instance's scene where its
 * pose puts it. */
mrw_status mrwi_frame_camera(const mrw_frame_def *def, const mrw_scene *scene,
                             const mrw_mat4 *node_to_world, mrw_camera *out, mrw_error *error);
/* Starts a picture of posed instances: finds its camera. def and posed must outlive it. */
mrw_status mrwi_frame_picture_begin(const mrw_frame_def *def, const mrwi_frame_posed *posed,
                                    int threads, mrwi_frame_picture *out, mrw_error *error);
/* Returns the camera in the form of computer vision, for a picture of this size. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height);
/* Transforms a point of the world to the camera's space. */
void mrwi_frame_to_camera(const mrw_intrinsics *camera, const float *position, double out[3]);

/* fit.c: lists the times at which MRW_FIT_CLIP measures instances, and returns their number; 0 when
 * nothing plays. out NULL: only counts. */
uint32_t mrwi_frame_fit_times(const mrw_instance *instances, uint32_t count, double *out);

/* ---- job.c and its steps --------------------------------------------------------------------- */

/* Returns the rasterizer's job of a definition and a camera, without draws, light and targets. */
mrw_raster_job mrwi_frame_raster_job(const mrw_frame_def *def, const mrw_camera *camera);
/* Makes the job of a picture: draws, data as colours, and lights in the arena. Targets, threads and
 * kernels are left to set, and so are shadows, ground and occlusion. */
mrw_status mrwi_frame_picture_job(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                                  mrw_raster_job *out, mrw_error *error);
/* Adds shadows, ground and occlusion to a job that is otherwise complete: they depend on what is
 * drawn. */
mrw_status mrwi_frame_add_light(mrwi_frame_scratch *scratch, mrwi_frame_lights *memory,
                                const mrw_frame_def *def, mrw_raster_job *job, mrw_error *error);

/* lights.c: finds the light of a picture. The lights are in the arena. */
mrw_status mrwi_frame_lighting(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                               mrw_lighting *out, mrw_error *error);

/* ground.c: adds the ground of a definition to the draws of a job. */
mrw_status mrwi_frame_add_ground(mrwi_base_arena *arena, const mrw_frame_def *def,
                                 mrw_raster_job *job, mrw_error *error);

/* catcher.c: finds pixels outside of which no shadow of the job's maps lies on the plane at height
 * y. Returns false when there are none. */
bool mrwi_frame_find_caught(const mrw_raster_job *job, double y, mrw_raster_window *out);
/* Finds pixels outside of which ambient occlusion leaves the plane at height y alone: those that
 * show it within a distance of the box. */
mrw_raster_window mrwi_frame_window_around(const mrw_raster_job *job, const mrw_shadow_bounds *box,
                                           double y, double distance);

/* occlusion.c: returns the radius of ambient occlusion in world units; 0: there is none, as without
 * vertices or without ambient light. */
float mrwi_frame_occlusion_radius(const mrw_frame_def *def, const mrw_raster_job *job);

/* shadows.c: returns the box of the job's vertices; with none its sides are negative. */
mrw_shadow_bounds mrwi_frame_measure(const mrw_raster_job *job);
/* Draws the shadow maps of the lights of a job, which is otherwise complete, and puts them into its
 * lighting. Their depths stay valid until the next call with this memory. */
mrw_status mrwi_frame_draw_shadow_maps(mrwi_frame_scratch *scratch, mrwi_frame_lights *memory,
                                       const mrw_frame_def *def, mrw_raster_job *job,
                                       mrw_error *error);
void mrwi_frame_free_shadow_memory(mrwi_frame_shadow_memory *memory);

/* occlusion.c: finds ambient occlusion for a job that is complete but for targets, and puts it into
 * the job. Does nothing without ambient light. *memory is created at the first use. */
mrw_status mrwi_frame_find_occlusion(mrwi_frame_scratch *scratch, mrw_occlusion **memory,
                                     const mrw_frame_def *def, mrw_raster_job *job,
                                     mrw_error *error);

/* gouraud.c: gives the draws of a job the light at their vertices as colours. */
mrw_status mrwi_frame_light_vertices(mrwi_base_arena *arena, const mrw_camera *camera,
                                     mrw_raster_job *job, mrw_error *error);

/* data.c: in modes that show data of vertices, gives the draws of a job colours that show it. The
 * job then has draws of its own, in the arena. Does nothing in other modes. */
mrw_status mrwi_frame_show_data(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                                mrw_raster_job *job, mrw_error *error);
/* Computes a colour for a number; consecutive numbers have different colours. */
void mrwi_frame_number_color(uint32_t number, float out[3]);

/* ---- frame.c: the spine ---------------------------------------------------------------------- */

/* Draws a picture; mrw_render without its checks. `drawer` is a renderer: this function is the draw
 * of the software backend. */
mrw_status mrwi_frame_render(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error);
/* Draws renderer->posed to the targets of a picture, if any, then its passes and overlays. targets:
 * target_count of them, with room for MRW_TARGET_COUNT. */
mrw_status mrwi_frame_complete(mrw_renderer *renderer, const mrw_frame_def *def,
                               mrw_target targets[MRW_TARGET_COUNT], uint32_t target_count,
                               int threads, mrw_image *image, mrw_error *error);
/* Poses the instances of a frame and makes its job without drawing it; targets and threads are left
 * to set. Its lights are in the arena. */
mrw_status mrwi_frame_job(mrw_renderer *renderer, const mrw_frame_def *def,
                          const mrw_instance *instances, uint32_t count, mrwi_frame_poses *poses,
                          mrw_raster_job *out, mrw_error *error);

/* targets.c: gets the picture of a definition ready to be drawn to, and makes room for the targets
 * to keep. Puts *count targets into out. */
mrw_status mrwi_frame_prepare_targets(mrwi_base_arena *arena, const mrw_frame_def *def,
                                      mrw_image *image, mrw_image kept[MRW_TARGET_COUNT],
                                      mrw_target out[MRW_TARGET_COUNT], uint32_t *count,
                                      mrw_error *error);

/* overlay.c: draws the overlays of a picture over its image. */
mrw_status mrwi_frame_draw_overlays(mrwi_frame_scratch *scratch, const mrwi_frame_picture *picture,
                                    mrw_image *image, mrw_error *error);

/* legend.c: returns the first instance that shows the same scene. */
uint32_t mrwi_frame_first_of_scene(const mrw_instance *instances, uint32_t instance);

/* aov.c: returns true when the definition requests the pass. */
bool mrwi_frame_wants_aov(const mrw_frame_def *def, mrw_aov aov);
/* aov_memory.c: drops the passes of the last frame, but not their memory. */
void mrwi_frame_forget_aovs(mrwi_frame_aovs *aovs);
void mrwi_frame_free_kept(mrwi_frame_aovs *aovs);
/* aov_draw.c: makes room for the passes of a definition, and adds the targets of those that are
 * drawn with the picture. */
mrw_status mrwi_frame_prepare_aovs(mrwi_base_arena *arena, mrwi_frame_aovs *aovs,
                                   const mrw_frame_def *def, mrw_target *targets,
                                   mrw_shadow_span **spans, uint32_t *count, mrw_error *error);
/* Makes the other passes of a picture. */
mrw_status mrwi_frame_make_aovs(mrwi_frame_scratch *scratch, mrwi_frame_aovs *aovs,
                                const mrwi_frame_picture *picture, mrw_error *error);

/* ---- finish.c -------------------------------------------------------------------------------- */

/* Draws a picture with the backend of a crew, as worker number `worker`, and finishes it. */
mrw_status mrwi_frame_draw_with(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                const mrw_instance *instances, uint32_t count, int threads,
                                mrw_image *image, mrw_error *error);

#endif
