/* frame.c: the spine. scene + clip + time + view -> image.
 *
 *   file - load -> scene - anim -> pose -> palette - skin -> vertices - raster -> image
 *
 * mrwi_frame_pose_nodes(), mrwi_frame_skin_draws() (vertices.c) and mrwi_frame_render() call the
 * rooms in this order; mix.c is the way from clips to local transforms. A renderer's arena is reset
 * at each frame and keeps its high-water mark, so a sequence allocates nothing once it runs.
 */
#include "frame/frame.h"

#include "anim/poser.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* ---- renderers: the work memory of one thread ------------------------------------------------ */

mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error)
{
    mrw_renderer *renderer = mrwi_base_alloc_zero(1, sizeof *renderer);
    mrw_status status;
    if (!renderer) {
        return mrwi_base_fail_memory(error, sizeof *renderer);
    }
    status = mrw_raster_create(&renderer->raster, error);
    if (status != MRW_OK) {
        mrwi_base_free(renderer);
        return status;
    }
    *out = renderer;
    return MRW_OK;
}

void mrw_renderer_free(mrw_renderer *renderer)
{
    if (!renderer) {
        return;
    }
    for (uint32_t i = 0; i < renderer->playhead_count; i++) {
        mrwi_base_free(renderer->playheads[i].cursors);
    }
    mrwi_base_free(renderer->playheads);
    for (int i = 0; i < MRW_SHADOW_LIGHTS; i++) {
        mrwi_frame_free_shadow_memory(&renderer->shadows[i]);
    }
    mrwi_frame_free_kept(renderer);
    mrw_occlusion_free(renderer->occlusion);
    mrw_raster_free(renderer->raster);
    mrwi_base_arena_free(&renderer->arena);
    mrwi_base_free(renderer);
}

/* Room for the playheads of count clips. */
static bool reserve_playheads(mrw_renderer *renderer, uint32_t count)
{
    mrwi_frame_playhead *grown;
    if (count <= renderer->playhead_count) {
        return true;
    }
    grown = mrwi_base_realloc(renderer->playheads, renderer->playhead_count * sizeof *grown, count,
                              sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + renderer->playhead_count, 0, (count - renderer->playhead_count) * sizeof *grown);
    renderer->playheads = grown;
    renderer->playhead_count = count;
    return true;
}

/* ---- pose: clip and time -> matrices --------------------------------------------------------- */

mrw_status mrwi_frame_poses_begin(mrw_renderer *renderer, const mrw_instance *instances,
                                  uint32_t count, mrw_isa isa, mrwi_frame_poses *poses,
                                  mrw_error *error)
{
    mrwi_base_arena_reset(&renderer->arena);
    memset(renderer->targets, 0, sizeof renderer->targets);
    renderer->posed = (mrwi_frame_posed){0};
    renderer->aovs = (mrwi_frame_aovs){0};
    renderer->described = false;
    renderer->sorted_bands = 0;
    renderer->isa = mrwi_base_isa_resolve(isa);
    return mrwi_frame_poses_begin_more(renderer, instances, count, poses, error);
}

mrw_status mrwi_frame_poses_begin_more(mrw_renderer *renderer, const mrw_instance *instances,
                                       uint32_t count, mrwi_frame_poses *poses, mrw_error *error)
{
    uint32_t playheads = 0;
    for (uint32_t i = 0; i < count; i++) {
        playheads += mrwi_frame_playheads_of(&instances[i]);
    }
    *poses = (mrwi_frame_poses){.instances = instances, .count = count};
    poses->items = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *poses->items);
    if (!poses->items || !mrwi_frame_pose_cache_begin(&renderer->arena, poses) ||
        !reserve_playheads(renderer, playheads)) {
        return mrwi_base_fail_memory(error, count * sizeof *poses->items);
    }
    return MRW_OK;
}

/* The joint of a skin that lies nearest the root: nodes are sorted parents first. */
static uint32_t root_joint(const mrw_scene *scene, const mrw_skin *skin)
{
    const uint32_t *joints = scene->joints + skin->first_joint;
    uint32_t root = 0;
    for (uint32_t j = 1; j < skin->joint_count; j++) {
        root = joints[j] < joints[root] ? j : root;
    }
    return root;
}

/* Splits the palettes into motions and scales. */
static mrw_status build_motions(mrwi_base_arena *arena, const mrw_model *model,
                                mrwi_frame_pose *pose, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    pose->motions = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *pose->motions);
    if (!pose->motions) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *pose->motions);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        mrwi_frame_motions *out = &pose->motions[s];
        out->motions = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->motions);
        out->scales = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->scales);
        if (!out->motions || !out->scales) {
            return mrwi_base_fail_memory(error, skin->joint_count * sizeof *out->scales);
        }
        if (!mrw_dual_quaternion_palette(
                &(mrw_dual_quaternion_job){.joint_count = skin->joint_count,
                                           .palette = pose->palettes[s],
                                           .pivots = model->pivots + 3 * (size_t)skin->first_joint,
                                           .root = root_joint(scene, skin),
                                           .out_motions = out->motions,
                                           .out_scales = out->scales})) {
            out->scales = NULL;
        }
    }
    return MRW_OK;
}

static mrw_status build_palettes(mrwi_base_arena *arena, mrw_isa isa, mrwi_frame_pose *pose,
                                 mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    pose->palettes = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *pose->palettes);
    if (!pose->palettes) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *pose->palettes);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        pose->palettes[s] =
            mrwi_base_arena_alloc(arena, scene->skins[s].joint_count, sizeof **pose->palettes);
        if (!pose->palettes[s]) {
            return mrwi_base_fail_memory(error,
                                         scene->skins[s].joint_count * sizeof **pose->palettes);
        }
        mrw_build_palette(&(mrw_palette_job){.scene = scene,
                                             .skin = s,
                                             .bind = pose->instance->pose == MRW_POSE_BIND,
                                             .model_to_world = &pose->model_to_world,
                                             .node_to_world = pose->node_to_world,
                                             .geometry_to_world = pose->palettes[s],
                                             .isa = isa});
    }
    return MRW_OK;
}

/* The inverse of an affine matrix, by cofactors; false when it flattens. */
static bool invert_affine(const mrw_mat4 *in, mrw_mat4 *out)
{
    double c[4][3], rows[3][3];
    for (int k = 0; k < 12; k++) {
        c[k / 3][k % 3] = (double)in->m[4 * (k / 3) + k % 3];
    }
    for (int r = 0; r < 3; r++) {
        mrwi_base_cross3d(c[(r + 1) % 3], c[(r + 2) % 3], rows[r]);
    }
    const double determinant = mrwi_base_dot3d(c[0], rows[0]);
    *out = mrwi_base_mat4_identity();
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            out->m[4 * k + r] = (float)(rows[r][k] / determinant);
        }
        out->m[12 + r] = (float)(-mrwi_base_dot3d(rows[r], c[3]) / determinant);
    }
    for (int k = 0; k < 16; k++) {
        if (!(fabsf(out->m[k]) <= FLT_MAX)) {
            return false;
        }
    }
    return true;
}

/* In the bind pose joints stand where the mesh was bound to them; of two skins the first counts.
 * Rigid meshes stay where their nodes rest. */
static mrw_status place_bound_joints(mrwi_base_arena *arena, mrwi_frame_pose *pose,
                                     mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    mrw_mat4 *placed = mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *placed);
    if (!placed) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *placed);
    }
    memcpy(placed, pose->node_to_world, scene->nodes_count * sizeof *placed);
    for (uint32_t j = scene->joints_count; j-- > 0;) {
        mrw_mat4 joint_to_geometry;
        if (invert_affine(&scene->geometry_to_joint[j], &joint_to_geometry)) {
            mrwi_base_mat4_mul(&pose->model_to_world, &joint_to_geometry,
                               &placed[scene->joints[j]]);
        }
    }
    pose->placed = placed;
    return MRW_OK;
}

static mrw_status find_hidden(mrwi_base_arena *arena, mrwi_frame_pose *pose, mrw_error *error)
{
    const mrw_model *model = pose->instance->model;
    const bool by_file = model->poser->hides && !model->shows_hidden;
    if (!by_file) {
        pose->hidden = model->left_out;
        return MRW_OK;
    }
    bool *hidden = mrwi_base_arena_alloc(arena, pose->scene->nodes_count, sizeof *hidden);
    if (!hidden) {
        return mrwi_base_fail_memory(error, pose->scene->nodes_count);
    }
    const bool any = mrw_find_hidden(model->poser, pose->local->locals.animated, hidden);
    pose->hidden = pose->hidden_by_file = any ? hidden : NULL;
    if (!any || !model->left_out) {
        pose->hidden = any ? hidden : model->left_out;
        return MRW_OK;
    }
    bool *both = mrwi_base_arena_alloc(arena, pose->scene->nodes_count, sizeof *both);
    for (uint32_t i = 0; both && i < pose->scene->nodes_count; i++) {
        both[i] = hidden[i] || model->left_out[i];
    }
    pose->hidden = both;
    return both ? MRW_OK : mrwi_base_fail_memory(error, pose->scene->nodes_count);
}

mrw_status mrwi_frame_pose_nodes(mrw_renderer *renderer, mrwi_frame_poses *poses, uint32_t index,
                                 mrw_error *error)
{
    const mrw_instance *instance = &poses->instances[index];
    const mrw_scene *scene = instance->model->scene;
    mrwi_frame_pose *pose = &poses->items[index];
    mrwi_base_arena *arena = &renderer->arena;
    mrwi_frame_local_pose *local;
    mrw_status status = mrwi_frame_play_cached(renderer, poses, index, &local, error);
    if (status != MRW_OK) {
        return status;
    }
    *pose = (mrwi_frame_pose){.instance = instance,
                              .scene = scene,
                              .local = local,
                              .model_to_world = instance->model_to_world};
    if (instance->attached) {
        assert(instance->parent < index);
        mrwi_base_mat4_mul(&poses->items[instance->parent].placed[instance->parent_node],
                           &instance->model_to_world, &pose->model_to_world);
    }
    pose->first = &poses->items[mrwi_frame_first_standing(poses, index)];
    if (pose->first != pose) {
        *pose = *pose->first;
        pose->instance = instance;
        return MRW_OK;
    }
    atomic_fetch_add_explicit(&mrwi_frame_counts.places, 1, memory_order_relaxed);
    pose->node_to_world =
        mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *pose->node_to_world);
    if (!pose->node_to_world) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *pose->node_to_world);
    }
    mrw_local_to_world(&(mrw_world_job){.poser = instance->model->poser,
                                        .locals = local->locals.locals,
                                        .animated = local->locals.animated,
                                        .model_to_world = &pose->model_to_world,
                                        .node_to_world = pose->node_to_world,
                                        .isa = renderer->isa});
    pose->placed = pose->node_to_world;
    status = find_hidden(arena, pose, error);
    if (status == MRW_OK) {
        status = build_palettes(arena, renderer->isa, pose, error);
    }
    if (status == MRW_OK && instance->skinning == MRW_SKINNING_DUAL_QUATERNION) {
        status = build_motions(arena, instance->model, pose, error);
    }
    if (status == MRW_OK && instance->pose == MRW_POSE_BIND) {
        status = place_bound_joints(arena, pose, error);
    }
    return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

mrw_frame_def mrw_frame_def_default(void)
{
    return (mrw_frame_def){.width = 512,
                           .height = 512,
                           .samples = 4,
                           .bits = 8,
                           .shading = MRW_SHADING_LIT,
                           .filter = MRW_FILTER_TRILINEAR,
                           .exposure = 1.0f,
                           .tonemap = MRW_TONEMAP_NEUTRAL,
                           .background = {0xb8, 0xc3, 0xd3, 0xff},
                           .isa = MRW_ISA_AUTO,
                           .view_count = 1,
                           .scene_camera = MRW_NONE,
                           .follow = {.node = MRW_NONE},
                           .file_lights = true,
                           .shadow_size = 2048,
                           .shadow_softness = 1.0f,
                           .occlusion_radius = 0.1f,
                           .occlusion_strength = 1.0f,
                           .environment_intensity = 1.0f};
}

static mrw_raster_draw raster_draw(const mrw_instance *instance, const mrwi_frame_look *look,
                                   const mrw_posed_draw *posed)
{
    const mrw_model *model = instance->model;
    const mrw_scene *scene = model->scene;
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const bool no_material = mesh->material == MRW_NONE;
    mrw_raster_draw out = {
        .vertex_count = posed->vertex_count,
        .triangle_count = posed->triangle_count,
        .indices = scene->indices + mesh->first_index,
        .positions = posed->positions,
        .normals = posed->normals,
        .tangents = posed->tangents,
        .colors = mesh->color == MRW_NONE ? NULL : scene->colors + (size_t)mesh->color * 4,
        .mirrored = posed->mirrored,
        .flat = (mesh->flags & MRW_MESH_FLAT_NORMALS) != 0,
        .material = &look->converted[no_material ? scene->materials_count : mesh->material]};
    mrwi_frame_set_uvs(scene, mesh, no_material ? NULL : &look->materials[mesh->material], &out);
    return out;
}

/* Poses and skins all instances; of tangents those that the picture reads, or all. */
static mrw_status gather_draws(mrw_renderer *renderer, bool tangents, mrwi_frame_posed *out,
                               mrw_error *error)
{
    mrwi_frame_poses *poses = &out->poses;
    size_t total = 0;
    out->tangents = tangents;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->draws_count;
    }
    out->draws = mrwi_base_arena_alloc(&renderer->arena, total, sizeof *out->draws);
    if (!out->draws) {
        return mrwi_base_fail_memory(error, total * sizeof *out->draws);
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        mrw_posed_draw *posed;
        mrwi_frame_look look = {0};
        mrw_status status = mrwi_frame_pose_nodes(renderer, poses, i, error);
        if (status == MRW_OK) {
            status = mrwi_frame_find_look(renderer, &poses->items[i], &look, error);
        }
        if (status == MRW_OK) {
            status = mrwi_frame_skin_draws(renderer, &poses->items[i], tangents, &posed, error);
        }
        if (status != MRW_OK) {
            return status;
        }
        for (uint32_t d = 0; d < poses->items[i].scene->draws_count; d++) {
            mrw_raster_draw *draw = &out->draws[out->draw_count++];
            *draw = raster_draw(&poses->instances[i], &look, &posed[d]);
            draw->id = out->draw_count;
        }
    }
    out->skinned = true;
    out->end = mrwi_base_arena_now(&renderer->arena);
    return MRW_OK;
}

mrw_raster_job mrwi_frame_raster_job(const mrw_frame_def *def, const mrw_camera *camera)
{
    mrw_raster_job job = {.shading = def->shading,
                          .channel = def->channel,
                          .matcap = def->matcap,
                          .filter = def->filter,
                          .exposure = def->exposure,
                          .tonemap = def->tonemap,
                          .samples = def->samples,
                          .environment_background = def->environment_background,
                          .width = def->width,
                          .height = def->height};
    const float *view = camera->world_to_view.m;
    mrwi_base_mat4_mul(&camera->view_to_clip, &camera->world_to_view, &job.view.world_to_clip);
    job.view.orthographic = camera->orthographic;
    for (int i = 0; i < 3; i++) {
        job.view.view_back[i] = view[4 * i + 2]; /* third row: +Z of view space in the world */
    }
    if (!def->transparent) {
        memcpy(job.background, def->background, sizeof job.background);
    }
    return job;
}

mrwi_frame_statistics mrwi_frame_counts;

/* Into renderer->posed. */
static mrw_status pose_frame(mrw_renderer *renderer, const mrw_instance *instances, uint32_t count,
                             mrw_isa isa, bool tangents, mrw_error *error)
{
    mrwi_frame_posed posed = {0};
    mrw_status status =
        mrwi_frame_poses_begin(renderer, instances, count, isa, &posed.poses, error);
    if (status == MRW_OK) {
        status = gather_draws(renderer, tangents, &posed, error);
    }
    if (status == MRW_OK) {
        renderer->posed = posed;
    }
    return status;
}

mrw_status mrwi_frame_pose_more(mrw_renderer *renderer, const mrw_instance *instances,
                                uint32_t count, bool tangents, mrwi_frame_posed *out,
                                mrw_error *error)
{
    *out = (mrwi_frame_posed){0};
    mrw_status status = mrwi_frame_poses_begin_more(renderer, instances, count, &out->poses, error);
    return status == MRW_OK ? gather_draws(renderer, tangents, out, error) : status;
}

/* The instances are as they were: their vertices are still in the arena. */
static void keep_posed(mrw_renderer *renderer, const mrw_instance *instances, uint32_t count,
                       mrw_isa isa)
{
    mrwi_frame_poses *poses = &renderer->posed.poses;
    assert(renderer->posed.draws && poses->count == count);
    mrwi_base_arena_back(&renderer->arena, &renderer->posed.end);
    memset(renderer->targets, 0, sizeof renderer->targets);
    renderer->aovs = (mrwi_frame_aovs){0};
    renderer->isa = mrwi_base_isa_resolve(isa);
    poses->instances = instances;
    for (uint32_t i = 0; i < count; i++) {
        assert(poses->items[i].scene == instances[i].model->scene);
        poses->items[i].instance = &instances[i];
    }
}

mrw_status mrwi_frame_pose_picture(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t count, mrw_error *error)
{
    const bool tangents = mrwi_frame_wants_aov(def, MRW_AOV_NORMAL);
    if (def->same_pose && (renderer->posed.tangents || !tangents)) {
        keep_posed(renderer, instances, count, def->isa);
        return MRW_OK;
    }
    return pose_frame(renderer, instances, count, def->isa, tangents, error);
}

static mrw_status pass_job(mrw_renderer *renderer, const mrwi_frame_posed *frame,
                           const mrw_frame_def *def, mrw_raster_job *out, mrw_error *error)
{
    const mrwi_frame_pose *first = &frame->poses.items[0];
    mrw_camera camera;
    mrw_status status = mrwi_frame_camera(def, first->scene, first->placed, &camera, error);
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t i = 0; i < frame->poses.count; i++) {
        assert(frame->poses.instances[i].model->shading == def->shading);
    }
    *out = mrwi_frame_raster_job(def, &camera);
    out->draws = frame->draws;
    out->draw_count = frame->draw_count;
    status = mrwi_frame_show_data(renderer, &frame->poses, def, &camera, out, error);
    if (status == MRW_OK) {
        status = mrwi_frame_lighting(renderer, &frame->poses, def, &camera, &out->lighting, error);
    }
    if (status == MRW_OK && mrw_shading_info_of(def->shading)->at_vertices) {
        status = mrwi_frame_light_vertices(renderer, &camera, out, error);
    }
    if (def->overlay_alone) {
        out->draw_count = 0;
    }
    return status;
}

static bool shows_light(const mrw_raster_job *job)
{
    bool shows = false;
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target_kind kind = job->targets[i].kind;
        shows = shows || kind == MRW_TARGET_COLOR || kind == MRW_TARGET_LINEAR ||
                kind == MRW_TARGET_ALPHA;
    }
    return shows && mrw_shading_info_of(job->shading)->lit;
}

/* All of a pass but its targets, threads and kernels, which are set: what lights throw and lie on
 * comes last, as it looks at what is drawn. */
static mrw_status add_light(mrw_renderer *renderer, const mrw_frame_def *def, mrw_raster_job *job,
                            mrw_error *error)
{
    mrw_status status = MRW_OK;
    renderer->shadowless = 0;
    if (def->overlay_alone) {
        return MRW_OK;
    }
    if (def->shadows && shows_light(job)) {
        status = mrwi_frame_draw_shadow_maps(renderer, def, job, error);
    }
    if (status == MRW_OK && def->ground && shows_light(job)) {
        status = mrwi_frame_add_ground(renderer, def, job, error);
    }
    if (status == MRW_OK && def->occlusion && shows_light(job)) {
        status = mrwi_frame_find_occlusion(renderer, def, job, error);
    }
    return status;
}

/* spans: as of mrw_raster_job. */
static mrw_status draw_pass(mrw_renderer *renderer, const mrw_pass *pass,
                            mrw_shadow_span *const *spans, int threads, mrw_error *error)
{
    mrw_raster_job job;
    mrw_status status = pass_job(renderer, &renderer->posed, pass->def, &job, error);
    if (status != MRW_OK) {
        return status;
    }
    job.targets = pass->targets;
    job.target_count = pass->target_count;
    job.target_spans = spans;
    job.isa = renderer->isa;
    job.threads = threads;
    status = add_light(renderer, pass->def, &job, error);
    if (status != MRW_OK) {
        return status;
    }
    atomic_fetch_add_explicit(&mrwi_frame_counts.pictures, 1, memory_order_relaxed);
    status = mrw_raster_draw_frame(renderer->raster, &job, error);
    renderer->sorted_bands = mrw_raster_sorted_bands(renderer->raster);
    return status;
}

mrw_status mrwi_frame_complete(mrw_renderer *renderer, const mrw_frame_def *def,
                               mrw_target targets[MRW_TARGET_COUNT], uint32_t target_count,
                               int threads, mrw_image *picture, mrw_error *error)
{
    mrw_shadow_span *spans[MRW_TARGET_COUNT] = {NULL};
    mrw_frame_def solid = *def;
    solid.background[3] = 255; /* as pictures of 3 channels have it */
    mrw_status status =
        mrwi_frame_prepare_aovs(renderer, def, targets, spans, &target_count, error);
    if (status == MRW_OK && target_count > 0) {
        const mrw_pass pass = {&solid, targets, target_count};
        status = draw_pass(renderer, &pass, spans, threads, error);
    }
    return status == MRW_OK ? mrwi_frame_finish(renderer, def, threads, picture, error) : status;
}

mrw_status mrwi_frame_render(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error)
{
    mrw_renderer *renderer = drawer;
    mrw_target targets[MRW_TARGET_COUNT];
    uint32_t target_count = 0;
    mrw_status status = mrwi_frame_pose_picture(renderer, def, instances, count, error);
    if (status == MRW_OK) {
        status = mrwi_frame_prepare_targets(renderer, def, out, targets, &target_count, error);
    }
    if (status == MRW_OK) {
        status = mrwi_frame_complete(renderer, def, targets, target_count, threads, out, error);
    }
    if (status != MRW_OK) {
        mrwi_frame_forget(renderer);
    }
    return status;
}

/* ---- described frames ------------------------------------------------------------------------ */

/* Whether something is computed of where vertices lie before they are drawn. */
static bool needs_vertices(const mrw_frame_def *def)
{
    const mrw_shading_info *mode = mrw_shading_info_of(def->shading);
    return (mode->lit && (def->shadows || def->ground || def->occlusion)) || mode->at_vertices ||
           def->shading == MRW_SHADING_DEPTH;
}

static mrw_status describe_draws(mrw_renderer *renderer, const mrw_frame_def *def,
                                 mrwi_frame_posed *frame, mrw_vertex_source *sources,
                                 mrw_error *error)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < frame->poses.count; i++) {
        const mrwi_frame_pose *pose = &frame->poses.items[i];
        mrw_posed_draw *posed = NULL;
        const bool displaced = frame->poses.instances[i].model->displacement;
        mrwi_frame_look look = {0};
        mrw_status status =
            def->same_pose ? MRW_OK : mrwi_frame_pose_nodes(renderer, &frame->poses, i, error);
        if (status == MRW_OK) {
            status = mrwi_frame_find_look(renderer, pose, &look, error);
        }
        if (status == MRW_OK && (displaced || needs_vertices(def))) {
            status = mrwi_frame_skin_draws(renderer, pose, false, &posed, error);
        }
        for (uint32_t d = 0; d < pose->scene->draws_count && status == MRW_OK; d++, n++) {
            const bool hides = mrwi_frame_hides(pose, d);
            const mrw_mesh *mesh = &pose->scene->meshes[pose->scene->draws[d].mesh];
            mrw_posed_draw one = {.draw = d,
                                  .vertex_count = hides ? 0 : mesh->vertex_count,
                                  .triangle_count = hides ? 0 : mesh->triangle_count};
            status = mrwi_frame_describe_draw(renderer, pose, d, &sources[n], &one.mirrored, error);
            if (displaced || hides) {
                sources[n] = (mrw_vertex_source){0};
            }
            sources[n].instance = i;
            frame->draws[n] = raster_draw(pose->instance, &look, posed ? &posed[d] : &one);
            frame->draws[n].id = n + 1;
        }
        if (status != MRW_OK) {
            return status;
        }
    }
    return MRW_OK;
}

/* Poses, unless all is as it was, and makes room for draws: those that were may have vertices. */
static mrw_status begin_description(mrw_renderer *renderer, const mrw_frame_def *def,
                                    const mrw_instance *instances, uint32_t count,
                                    mrwi_frame_posed *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (def->same_pose) {
        keep_posed(renderer, instances, count, def->isa);
        out->poses = renderer->posed.poses;
    } else {
        status = mrwi_frame_poses_begin(renderer, instances, count, def->isa, &out->poses, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        out->draw_count += instances[i].model->scene->draws_count;
    }
    out->draws = mrwi_base_arena_alloc(&renderer->arena, out->draw_count, sizeof *out->draws);
    return out->draws ? MRW_OK : mrwi_base_fail_memory(error, out->draw_count * sizeof *out->draws);
}

static mrw_status describe(mrw_renderer *renderer, const mrw_frame_def *def,
                           const mrw_instance *instances, uint32_t count, int threads,
                           mrw_image *picture, mrw_frame_description *out, mrw_error *error)
{
    mrwi_frame_posed frame = {0};
    mrw_target *targets;
    mrw_vertex_source *sources;
    mrw_status status = begin_description(renderer, def, instances, count, &frame, error);
    renderer->described = true;
    if (status != MRW_OK) {
        return status;
    }
    /* one more: the ground */
    sources = mrwi_base_arena_alloc(&renderer->arena, frame.draw_count + 1, sizeof *sources);
    targets = mrwi_base_arena_alloc(&renderer->arena, MRW_TARGET_COUNT, sizeof *targets);
    if (!sources || !targets) {
        return mrwi_base_fail_memory(error, frame.draw_count * sizeof *sources);
    }
    status = describe_draws(renderer, def, &frame, sources, error);
    sources[frame.draw_count] = (mrw_vertex_source){0};
    if (status == MRW_OK && !def->same_pose) {
        frame.end = mrwi_base_arena_now(&renderer->arena);
        renderer->posed = frame;
    }
    *out = (mrw_frame_description){.sources = sources};
    if (status == MRW_OK) {
        status = pass_job(renderer, &frame, def, &out->job, error);
    }
    out->job.isa = renderer->isa;
    out->job.threads = threads;
    if (status == MRW_OK) {
        status = mrwi_frame_prepare_targets(renderer, def, picture, targets, &out->job.target_count,
                                            error);
        out->job.targets = targets;
    }
    return status == MRW_OK ? add_light(renderer, def, &out->job, error) : status;
}

mrw_status mrw_frame_describe(mrw_renderer *renderer, const mrw_frame_def *def,
                              const mrw_instance *instances, uint32_t instance_count, int threads,
                              mrw_image *picture, mrw_frame_description *out, mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(renderer && instances && instance_count > 0 && picture && out && threads > 0);
    if (status == MRW_OK) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = describe(renderer, def, instances, instance_count, threads, picture, out, error);
        mrwi_base_fp_leave(fp);
    }
    if (status != MRW_OK) {
        mrwi_frame_forget(renderer);
    }
    return status;
}

void mrwi_frame_forget(mrw_renderer *renderer)
{
    memset(renderer->targets, 0, sizeof renderer->targets);
    renderer->aovs = (mrwi_frame_aovs){0};
    for (uint32_t i = 0; i < renderer->kept_count; i++) {
        renderer->kept[i].image.width = 0; /* may hold anything */
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

uint32_t mrw_frame_sorted_bands(const mrw_renderer *renderer)
{
    return renderer->sorted_bands;
}

mrw_status mrwi_frame_job(mrw_renderer *renderer, const mrw_frame_def *def,
                          const mrw_instance *instances, uint32_t count, mrwi_frame_poses *poses,
                          mrw_raster_job *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (def->same_pose) {
        keep_posed(renderer, instances, count, def->isa);
    } else {
        status = pose_frame(renderer, instances, count, def->isa, false, error);
    }
    *poses = renderer->posed.poses;
    return status == MRW_OK ? pass_job(renderer, &renderer->posed, def, out, error) : status;
}

mrw_status mrw_render_passes(mrw_renderer *renderer, const mrw_instance *instances,
                             uint32_t instance_count, const mrw_pass *passes, uint32_t pass_count,
                             mrw_isa isa, int threads, mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(isa, error);
    assert(renderer && instances && instance_count > 0 && passes && threads > 0);
    if (status != MRW_OK) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = pose_frame(renderer, instances, instance_count, isa, false, error);
    for (uint32_t i = 0; i < pass_count && status == MRW_OK; i++) {
        status = draw_pass(renderer, &passes[i], NULL, threads, error);
    }
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                      const mrw_instance *instances, uint32_t instance_count, int threads,
                      mrw_image *out, mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(renderer && instances && instance_count > 0 && out && threads > 0);
    if (status == MRW_OK) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = mrwi_frame_render(renderer, def, instances, instance_count, threads, out, error);
        mrwi_base_fp_leave(fp);
    }
    return status;
}

mrw_status mrw_frame_draw_overlays(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t instance_count,
                                   int threads, mrw_image *picture, mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(renderer && instances && instance_count > 0 && picture && threads > 0);
    assert(picture->width == def->width && picture->height == def->height);
    if (status == MRW_OK) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = mrwi_frame_pose_picture(renderer, def, instances, instance_count, error);
        if (status == MRW_OK && def->overlays != 0) {
            status = mrwi_frame_draw_overlays(renderer, def, threads, picture, error);
        }
        mrwi_base_fp_leave(fp);
    }
    return status;
}
