/* frame.h: what the files of the frame share: models, renderers, and the two steps that
 * framing and sequences repeat on many threads. */
#ifndef MRWI_FRAME_FRAME_H
#define MRWI_FRAME_FRAME_H

#include "base/memory.h"
#include "frame/workers.h"
#include "marrow/frame.h"

#include <stdatomic.h>

/* What moves the vertices of a scene, no more influences a vertex than asked for. */
typedef struct mrwi_frame_influences {
    mrw_skin_group *groups; /* scene->groups with pointers in place of indices */
    uint16_t *cut_joints;   /* influences of the groups that were cut, or NULL */
    float *cut_weights;
    mrw_influence_cut cut;
} mrwi_frame_influences;

/* What is made of an image: a texture for each encoding; one more for normals, and for the base
 * colours of materials that blend; one for heights by how it goes on beyond its edges, of which
 * MRWI_FRAME_HEIGHTS clamps, + 1 repeats across and + 2 down; and one for each cutoff of its
 * texture's alpha in masked ones, of which there are so many: with any other cutoff it is taken as
 * if it blended. */
#define MRWI_FRAME_CUTOFFS 4
enum {
    MRWI_FRAME_SPREADS = MRW_ENCODING_COUNT,
    MRWI_FRAME_COVERS,
    MRWI_FRAME_HEIGHTS,
    MRWI_FRAME_MASKS = MRWI_FRAME_HEIGHTS + 4,
    MRWI_FRAME_TEXTURES = MRWI_FRAME_MASKS + MRWI_FRAME_CUTOFFS
};

typedef struct mrwi_frame_texture {
    mrw_raster_texture *texture; /* NULL where nothing drawn shows it */
    _Atomic uint32_t finest;     /* until it is filled: the finest level known to be shown */
} mrwi_frame_texture;

/* displacement.c: which vertices maps move, and how far. */
typedef struct mrwi_frame_displacement mrwi_frame_displacement;

/* A scene prepared for drawing; all frames and threads share it. */
struct mrw_model {
    uint64_t id;
    const mrw_scene *scene;
    mrw_poser *poser;
    mrw_shading shading;
    bool normals;                   /* normal maps are wanted whatever the mode reads */
    uint32_t maps;                  /* that may be prepared: mrw_model_def.maps */
    mrwi_frame_texture *textures;   /* MRWI_FRAME_TEXTURES an image */
    float *cutoffs;                 /* MRWI_FRAME_CUTOFFS an image, of its masks; 0: none yet */
    float *height_scales;           /* one an image that is a HEIGHT: mrw_raster_height_scale, or 0
                                       where it holds normals */
    mrw_raster_material *materials; /* the scene's, then the default material */
    uint32_t *moving_maps;          /* one per material: bits of the maps that clips move over it */
    mrwi_frame_influences influences;
    mrwi_frame_displacement *displacement; /* NULL: nothing is moved */
    float *pivots;   /* float[3] a joint: its origin in the geometry's space */
    uint32_t *roots; /* one a clip: mrw_model_root */
    mrw_sides sides;
    bool shows_hidden; /* what the file hides is drawn */
    bool *left_out;    /* [node] not drawn in any case; NULL: none */
};

/* Cursors of the clip that an instance, or a track of its mix, played last. */
typedef struct mrwi_frame_playhead {
    const mrw_scene *scene;
    uint32_t clip;
    uint32_t *cursors;
    uint32_t cursor_count; /* a new scene may stand where a freed one stood: the count must match */
} mrwi_frame_playhead;

/* Depths of a shadow map, kept from frame to frame: what nothing was seen in is not cleared again.
 * All zero at first. */
typedef struct mrwi_frame_shadow_memory {
    float *depths;
    size_t room;            /* floats */
    mrw_shadow_span *spans; /* outside of them depths are 1 in a map of this layout: */
    size_t span_room;
    uint32_t faces, size, stride;
} mrwi_frame_shadow_memory;

/* The poses of a frame: its instances, in the order in which they are posed. */
typedef struct mrwi_frame_poses {
    const mrw_instance *instances;
    uint32_t count;
    struct mrwi_frame_pose *items; /* arena memory; filled one after the other */
    uint32_t playhead;             /* the first that is still free */
    uint32_t *playing;  /* hash table of instances: the first of those that play the same */
    uint32_t *standing; /* and of those that stand in the same place as well */
    uint32_t table_mask;
} mrwi_frame_poses;

/* What all passes of a frame draw: the vertices of all instances, in the arena. */
typedef struct mrwi_frame_posed {
    mrwi_frame_poses poses;
    mrw_raster_draw *draws; /* the rasterizer's, in instance and draw order; NULL: none posed */
    uint32_t draw_count;
    bool skinned;             /* draws have their vertices: else they are only described */
    bool tangents;            /* all that meshes have, whatever reads them */
    mrwi_base_arena_mark end; /* what follows in the arena belongs to one picture of these */
} mrwi_frame_posed;

/* An image of passes, kept from frame to frame: what nothing was seen in is not cleared again. All
 * zero at first. */
typedef struct mrwi_frame_kept_image {
    mrw_image image;        /* its memory may be larger */
    size_t room;            /* bytes */
    uint64_t key;           /* what is where nothing is seen */
    mrw_shadow_span *spans; /* outside of them that is all */
    uint32_t span_room;
} mrwi_frame_kept_image;

/* The passes of a frame, see aov.h. */
typedef struct mrwi_frame_aovs {
    mrw_image *images; /* one a request, or NULL; in the arena, with memory of `kept` */
    uint32_t count;
    mrw_intrinsics intrinsics;
} mrwi_frame_aovs;

struct mrw_renderer {
    mrwi_base_arena arena; /* reset each frame */
    mrw_raster *raster;
    mrw_isa isa;                    /* of the frame at hand, resolved */
    mrwi_frame_playhead *playheads; /* one a clip that plays, see mrwi_frame_playheads_of */
    uint32_t playhead_count;
    mrwi_frame_posed posed; /* what the last frame drew, until something else is posed */
    bool described;         /* poses and targets of a frame that others draw are in the arena */
    mrwi_frame_aovs aovs;
    mrwi_frame_kept_image *kept; /* aov_memory.c: one a request */
    uint32_t kept_count;
    mrw_image targets[MRW_TARGET_COUNT]; /* of the frame at hand, in the arena: those kept */
    uint32_t sorted_bands; /* of the picture, which is not the last that is drawn of a frame */
    uint32_t shadowless;   /* lights of the pass at hand, for which there were no shadow maps */
    mrwi_frame_shadow_memory shadows[MRW_SHADOW_LIGHTS];
    mrw_occlusion *occlusion; /* NULL: none was wanted yet */
};

/* A palette in the form that dual-quaternion skinning wants. */
typedef struct mrwi_frame_motions {
    mrw_dual_quaternion *motions;
    mrw_mat4 *scales; /* NULL when none scales */
} mrwi_frame_motions;

/* What an instance plays: local transforms and morph weights. Arena memory. */
typedef struct mrwi_frame_locals {
    mrw_transform *locals;
    uint8_t *animated;
    float *weights;
} mrwi_frame_locals;

/* The base streams of a mesh, or what morphing made of them. */
typedef struct mrwi_frame_streams {
    const float *positions;
    const float *normals;
    const float *tangents;
} mrwi_frame_streams;

/* The materials of a scene at a time, and what the rasterizer takes in their place, behind which is
 * the default material. Arena memory, or the scene's and the model's. */
typedef struct mrwi_frame_look {
    const mrw_material *materials;
    const mrw_raster_material *converted; /* NULL: not yet found */
} mrwi_frame_look;

/* What instances that play the same have in common: all that is known before they are placed. */
typedef struct mrwi_frame_local_pose {
    mrwi_frame_locals locals;
    mrwi_frame_look look;
    mrwi_frame_streams *morphed; /* one a draw; without positions: not yet morphed */
} mrwi_frame_local_pose;

/* The nodes, palettes, morph weights and vertices of one posed instance; arena memory. */
typedef struct mrwi_frame_pose {
    struct mrwi_frame_pose *first; /* that plays the same in the same place, mostly itself: what
                                      follows is shared with it */
    const mrw_instance *instance;
    const mrw_scene *scene;
    mrwi_frame_local_pose *local;
    mrw_mat4 model_to_world; /* the instance's, behind the node it is attached to */
    mrw_mat4 *node_to_world;
    const mrw_mat4 *placed;      /* where nodes are for all others: node_to_world, but for joints in
                                    the bind pose */
    mrw_mat4 **palettes;         /* one a skin */
    const bool *hidden;          /* one a node, or NULL: none is */
    const bool *hidden_by_file;  /* the same without those of left_out: their lights shine */
    mrwi_frame_motions *motions; /* one a skin, or NULL: linear skinning */
    mrw_posed_draw *draws;       /* of the first alone: one a draw; NULL: not yet skinned */
} mrwi_frame_pose;

/* Playheads that an instance needs. */
uint32_t mrwi_frame_playheads_of(const mrw_instance *instance);

/* The local transforms and morph weights of an instance, in the renderer's arena: its clip or mix
 * at its time. `playhead` is the first of its own. Defined in mix.c. */
mrw_status mrwi_frame_play(mrw_renderer *renderer, uint32_t playhead, const mrw_instance *instance,
                           mrwi_frame_locals *out, mrw_error *error);

/* look.c: returns whether an instance plays a clip that animates materials. */
bool mrwi_frame_animates_materials(const mrw_instance *instance);
/* The materials of an instance that animates them, at its time: materials_count, in the arena. In a
 * mix see mrw_mix. */
mrw_status mrwi_frame_play_materials(mrw_renderer *renderer, const mrw_instance *instance,
                                     mrw_material **out, mrw_error *error);
/* The look of a pose, found at the first call. */
mrw_status mrwi_frame_find_look(mrw_renderer *renderer, const mrwi_frame_pose *pose,
                                mrwi_frame_look *out, mrw_error *error);
/* model.c: a material as the rasterizer takes it. rest: as in the scene, which decides on its
 * textures. */
mrw_raster_material mrwi_frame_convert_material(const mrw_model *model, const mrw_material *rest,
                                                const mrw_material *in);

/* mix.c: the seconds of a clip at which an instance, or a track of its mix, is. */
double mrwi_frame_clip_time(const mrw_instance *instance);
double mrwi_frame_track_time(const mrw_instance *instance, const mrw_track *track);

/* Finds the roots of a scene's clips, see mrw_model_root. The caller frees *roots. */
mrw_status mrwi_frame_find_roots(const mrw_scene *scene, uint32_t **roots, mrw_error *error);

/* Starts the poses of a frame: resets the arena and makes room. */
mrw_status mrwi_frame_poses_begin(mrw_renderer *renderer, const mrw_instance *instances,
                                  uint32_t count, mrw_isa isa, mrwi_frame_poses *poses,
                                  mrw_error *error);

/* Starts further poses in the same arena, next to those that are there. */
mrw_status mrwi_frame_poses_begin_more(mrw_renderer *renderer, const mrw_instance *instances,
                                       uint32_t count, mrwi_frame_poses *poses, mrw_error *error);

/* pose_cache.c: makes room for the hash tables, unless the instance is alone. False when out of
 * memory. */
bool mrwi_frame_pose_cache_begin(mrwi_base_arena *arena, mrwi_frame_poses *poses);

/* The first instance that plays what `index` does, which may be itself: all before it being asked
 * for. The same of those that stand in one place as well, once it is known where. */
uint32_t mrwi_frame_first_playing(mrwi_frame_poses *poses, uint32_t index);
uint32_t mrwi_frame_first_standing(mrwi_frame_poses *poses, uint32_t index);

/* What instance `index` plays, all before it being posed: sampled, or another one's. */
mrw_status mrwi_frame_play_cached(mrw_renderer *renderer, mrwi_frame_poses *poses, uint32_t index,
                                  mrwi_frame_local_pose **out, mrw_error *error);

/* Poses instance `index` of a poses, all before it being posed: matrices only. */
mrw_status mrwi_frame_pose_nodes(mrw_renderer *renderer, mrwi_frame_poses *poses, uint32_t index,
                                 mrw_error *error);

/* Returns the time in seconds at which an instance plays its clip, before clamping and wrapping. */
static inline double mrwi_frame_time(const mrw_instance *instance)
{
    const double speed = instance->speed != 0.0 ? instance->speed : 1.0;
    return instance->still ? instance->offset : instance->time * speed + instance->offset;
}

/* Whether a draw of a pose is hidden. */
static inline bool mrwi_frame_hides(const mrwi_frame_pose *pose, uint32_t draw)
{
    return pose->hidden && pose->hidden[pose->scene->draws[draw].node];
}

/* The vertices of an instance that is posed: one entry per draw, made at the first call. Those of
 * instances in one place are the same memory: whoever changes them does it where pose->first->draws
 * was NULL before. */
mrw_status mrwi_frame_skin_draws(mrw_renderer *renderer, const mrwi_frame_pose *pose, bool tangents,
                                 mrw_posed_draw **out, mrw_error *error);

/* displacement.c: what there is to be moved in a model that is otherwise complete; *out is NULL
 * when there is nothing. */
mrw_status mrwi_frame_displacement_create(const mrw_model *model, mrwi_frame_displacement **out,
                                          mrw_error *error);
void mrwi_frame_displacement_free(mrwi_frame_displacement *displacement);
/* Moves the vertices of all draws of a pose that are skinned, whose model has a displacement. */
mrw_status mrwi_frame_displace(mrw_renderer *renderer, const mrwi_frame_pose *pose,
                               mrw_posed_draw *draws, mrw_error *error);

/* vertices.c: what moves the vertices of a draw of an instance that is posed; its instance is left
 * to set. mirrored: as of mrw_posed_draw. */
mrw_status mrwi_frame_describe_draw(mrw_renderer *renderer, const mrwi_frame_pose *pose,
                                    uint32_t index, mrw_vertex_source *out, bool *mirrored,
                                    mrw_error *error);

/* model.c: whether triangles of a material are seen from behind. */
bool mrwi_frame_shows_both_sides(const mrw_model *model, const mrw_material *material);

/* model.c: the texture of a material's map that has one. */
mrwi_frame_texture *mrwi_frame_map_texture(const mrw_model *model, const mrw_material *material,
                                           mrw_map map);

/* maps.c: whether pictures of the model read a map that has a texture: what is not there is a
 * checker in base colours alone. */
bool mrwi_frame_shows_map(const mrw_model *model, const mrw_material *material, mrw_map map);
/* What the rasterizer calls a map that is drawn; MRW_RASTER_MAP_COUNT: no pixel reads it. */
mrw_raster_map_kind mrwi_frame_raster_map(mrw_map map);
/* mrwi_scene_drawn_map of those that pixels read. */
const mrw_material_map *mrwi_frame_next_map(const mrw_material *material, uint32_t *next,
                                            mrw_map *map);

/* Fills in maps and uv_transform of a material whose textures are made. `rest`, the material as in
 * the scene, decides on textures and on maps that share coordinates, so these are the same at all
 * times. */
void mrwi_frame_convert_maps(const mrw_model *model, const mrw_material *rest,
                             const mrw_material *in, mrw_raster_material *out);

/* Fills in uvs and more_uvs of a draw that shows a material, NULL for the default one; the draw has
 * the converted one already. The uvs are the scene's. */
void mrwi_frame_set_uvs(const mrw_scene *scene, const mrw_mesh *mesh, const mrw_material *material,
                        mrw_raster_draw *draw);

/* fit.c: the times at which MRW_FIT_CLIP measures instances; with out NULL only counts them. 0 when
 * nothing plays. */
uint32_t mrwi_frame_fit_times(const mrw_instance *instances, uint32_t count, double *out);

/* ---- frame.c --------------------------------------------------------------------------------- */

/* For tests: how much was done so far, by all threads. */
typedef struct mrwi_frame_statistics {
    _Atomic uint64_t pictures; /* drawn */
    _Atomic uint64_t plays;    /* instances whose clips were sampled */
    _Atomic uint64_t places;   /* instances whose nodes were placed */
    _Atomic uint64_t morphs;   /* draws that were morphed */
    _Atomic uint64_t skins;    /* draws that were skinned */
} mrwi_frame_statistics;
extern mrwi_frame_statistics mrwi_frame_counts;

/* camera.c */
/* The def of one picture of a sequence. */
mrw_frame_def mrwi_frame_seen_from(const mrw_frame_def *def, uint32_t time, uint32_t view);

/* How far a followed node is from its origin; zero without one. */
void mrwi_frame_follow_offset(const mrw_follow *follow, const mrw_mat4 *node_to_world,
                              float out[3]);
/* The camera of a frame: the definition's, or one of the first instance's scene where its pose has
 * put it. */
mrw_status mrwi_frame_camera(const mrw_frame_def *def, const mrw_scene *scene,
                             const mrw_mat4 *node_to_world, mrw_camera *out, mrw_error *error);

/* lights.c: what lights a frame whose instances are posed, seen from a camera. The lights are in
 * the arena. */
mrw_status mrwi_frame_lighting(mrw_renderer *renderer, const mrwi_frame_poses *poses,
                               const mrw_frame_def *def, const mrw_camera *camera,
                               mrw_lighting *out, mrw_error *error);

/* ground.c: adds the ground of a definition to the draws of a job. */
mrw_status mrwi_frame_add_ground(mrw_renderer *renderer, const mrw_frame_def *def,
                                 mrw_raster_job *job, mrw_error *error);

/* catcher.c: pixels outside of which no shadow of the job's maps lies on the plane at a height.
 * False: there are none. */
bool mrwi_frame_find_caught(const mrw_raster_job *job, double y, mrw_raster_window *out);

/* shadows.c: the box of the job's vertices; with none its sides are negative. */
mrw_shadow_bounds mrwi_frame_measure(const mrw_raster_job *job);
/* Draws the shadow maps of the lights of a job, which is otherwise complete, and puts
 * them into its lighting. Their depths are the renderer's, and those of its next job. */
mrw_status mrwi_frame_draw_shadow_maps(mrw_renderer *renderer, const mrw_frame_def *def,
                                       mrw_raster_job *job, mrw_error *error);
void mrwi_frame_free_shadow_memory(mrwi_frame_shadow_memory *memory);

/* occlusion.c: finds how open what a job shows, which is otherwise complete but for targets, is to
 * light from all around, and puts that into it. Nothing where no such light shines. */
mrw_status mrwi_frame_find_occlusion(mrw_renderer *renderer, const mrw_frame_def *def,
                                     mrw_raster_job *job, mrw_error *error);

/* gouraud.c: gives the draws of a job the light at their vertices as colours. */
mrw_status mrwi_frame_light_vertices(mrw_renderer *renderer, const mrw_camera *camera,
                                     mrw_raster_job *job, mrw_error *error);

/* data.c: gives the draws of a job the colours that modes show which show data of vertices, in the
 * arena; the job then has draws of its own. Nothing for other modes. */
mrw_status mrwi_frame_show_data(mrw_renderer *renderer, const mrwi_frame_poses *poses,
                                const mrw_frame_def *def, const mrw_camera *camera,
                                mrw_raster_job *job, mrw_error *error);

/* A colour for a number: any few in a row differ. */
void mrwi_frame_number_color(uint32_t number, float out[3]);

/* The rasterizer's job of a definition seen from a camera, without draws, light and targets. */
mrw_raster_job mrwi_frame_raster_job(const mrw_frame_def *def, const mrw_camera *camera);

/* Poses and skins the instances of a picture into renderer->posed, unless they are there. */
mrw_status mrwi_frame_pose_picture(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t count, mrw_error *error);
/* Poses and skins further instances next to what is in the renderer's arena. */
mrw_status mrwi_frame_pose_more(mrw_renderer *renderer, const mrw_instance *instances,
                                uint32_t count, bool tangents, mrwi_frame_posed *out,
                                mrw_error *error);

/* Draws renderer->posed to the targets of a picture, if there are any, and those of its passes, and
 * finishes it. targets: target_count of them, and room for all. */
mrw_status mrwi_frame_complete(mrw_renderer *renderer, const mrw_frame_def *def,
                               mrw_target targets[MRW_TARGET_COUNT], uint32_t target_count,
                               int threads, mrw_image *picture, mrw_error *error);

/* After a failure: there are no targets, and no passes. */
void mrwi_frame_forget(mrw_renderer *renderer);

/* finish.c: what follows once the picture of renderer->posed is drawn: overlays are drawn over it,
 * and the passes are made that were not drawn with it. */
mrw_status mrwi_frame_finish(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                             mrw_image *picture, mrw_error *error);
/* Draws a picture with the backend of a crew, as number `worker`, and finishes it. */
mrw_status mrwi_frame_draw_with(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                const mrw_instance *instances, uint32_t count, int threads,
                                mrw_image *picture, mrw_error *error);

/* overlay.c: draws the overlays of a definition of renderer->posed over a picture. */
mrw_status mrwi_frame_draw_overlays(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                                    mrw_image *picture, mrw_error *error);

void mrwi_frame_free_kept(mrw_renderer *renderer);

/* aov_draw.c: makes room for the passes of a definition, and adds the targets of those that are
 * drawn with the picture. */
mrw_status mrwi_frame_prepare_aovs(mrw_renderer *renderer, const mrw_frame_def *def,
                                   mrw_target *targets, mrw_shadow_span **spans, uint32_t *count,
                                   mrw_error *error);
/* Makes the others, of renderer->posed. */
mrw_status mrwi_frame_make_aovs(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                                mrw_error *error);
bool mrwi_frame_wants_aov(const mrw_frame_def *def, mrw_aov aov);

/* mrw_render without its checks; the drawer of the software backend is a renderer. */
mrw_status mrwi_frame_render(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error);

/* targets.c: gets the picture of a definition ready to be drawn to, and makes room for what else it
 * keeps. *count targets in out. */
mrw_status mrwi_frame_prepare_targets(mrw_renderer *renderer, const mrw_frame_def *def,
                                      mrw_image *picture, mrw_target out[MRW_TARGET_COUNT],
                                      uint32_t *count, mrw_error *error);

/* Poses what a frame shows and makes the rasterizer's job of it, whose targets and threads are left
 * to set. Its lights are in the arena. */
mrw_status mrwi_frame_job(mrw_renderer *renderer, const mrw_frame_def *def,
                          const mrw_instance *instances, uint32_t count, mrwi_frame_poses *poses,
                          mrw_raster_job *out, mrw_error *error);

#endif
