/* frame.c: the spine. scene + clip + time + view -> image.
 *
 *   file - load -> scene - anim -> pose -> palette - skin -> vertices - raster -> image
 *
 * pose_instance() and mrw_render() call the rooms in this order. A renderer's arena is reset at
 * each frame and keeps its high-water mark, so a sequence allocates nothing once it runs.
 */
#include "frame.h"

#include "base/cpu.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* ---- renderers: the work memory of one thread ----------------------------------------------- */

mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error)
{
    mrw_renderer *renderer = mrwi_alloc_zero(1, sizeof *renderer);
    mrw_status status;
    if (!renderer)
        return mrwi_fail_memory(error, sizeof *renderer);
    status = mrw_raster_create(&renderer->raster, error);
    if (status != MRW_OK) {
        mrwi_free(renderer);
        return status;
    }
    *out = renderer;
    return MRW_OK;
}

void mrw_renderer_free(mrw_renderer *renderer)
{
    if (!renderer)
        return;
    for (uint32_t i = 0; i < renderer->playhead_count; i++)
        mrwi_free(renderer->playheads[i].cursors);
    mrwi_free(renderer->playheads);
    mrw_raster_free(renderer->raster);
    mrwi_arena_free(&renderer->arena);
    mrwi_free(renderer);
}

/* Room for the playheads of count instances. */
static bool reserve_playheads(mrw_renderer *renderer, uint32_t count)
{
    struct mrwi_playhead *grown;
    if (count <= renderer->playhead_count)
        return true;
    grown = mrwi_realloc(renderer->playheads, renderer->playhead_count * sizeof *grown, count,
                         sizeof *grown);
    if (!grown)
        return false;
    memset(grown + renderer->playhead_count, 0, (count - renderer->playhead_count) * sizeof *grown);
    renderer->playheads = grown;
    renderer->playhead_count = count;
    return true;
}

/* The cursors of an instance's clip, kept while it plays the same one. NULL (search each time) is a
 * valid answer, so a failed allocation costs speed only. */
static uint32_t *cursors_of(mrw_renderer *renderer, uint32_t slot, const mrw_scene *scene,
                            uint32_t clip)
{
    struct mrwi_playhead *head = &renderer->playheads[slot];
    uint32_t count;
    if (clip == MRW_NONE)
        return NULL;
    count = scene->clips[clip].channel_count;
    if (!head->cursors || head->scene != scene || head->clip != clip ||
        head->cursor_count != count) {
        mrwi_free(head->cursors);
        *head =
            (struct mrwi_playhead){scene, clip, mrwi_alloc_zero(count, sizeof(uint32_t)), count};
    }
    return head->cursors;
}

/* ---- pose: clip and time -> matrices -------------------------------------------------------- */

/* The joint of a skin that lies nearest the root: nodes are sorted parents first. */
static uint32_t root_joint(const mrw_scene *scene, const mrw_skin *skin)
{
    const uint32_t *joints = scene->joints + skin->first_joint;
    uint32_t root = 0;
    for (uint32_t j = 1; j < skin->joint_count; j++)
        root = joints[j] < joints[root] ? j : root;
    return root;
}

/* Splits the palettes into motions and scales. */
static mrw_status build_motions(mrwi_arena *arena, const mrw_model *model, struct mrwi_pose *pose,
                                mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    pose->motions = mrwi_arena_alloc(arena, scene->skins_count, sizeof *pose->motions);
    if (!pose->motions)
        return mrwi_fail_memory(error, scene->skins_count * sizeof *pose->motions);
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        struct mrwi_motions *out = &pose->motions[s];
        out->motions = mrwi_arena_alloc(arena, skin->joint_count, sizeof *out->motions);
        out->scales = mrwi_arena_alloc(arena, skin->joint_count, sizeof *out->scales);
        if (!out->motions || !out->scales)
            return mrwi_fail_memory(error, skin->joint_count * sizeof *out->scales);
        if (!mrw_dual_quaternion_palette(
                &(mrw_dual_quaternion_job){.joint_count = skin->joint_count,
                                           .palette = pose->palettes[s],
                                           .pivots = model->pivots + 3 * (size_t)skin->first_joint,
                                           .root = root_joint(scene, skin),
                                           .out_motions = out->motions,
                                           .out_scales = out->scales}))
            out->scales = NULL;
    }
    return MRW_OK;
}

static mrw_status pose_skeleton(mrw_renderer *renderer, uint32_t slot, const mrw_instance *instance,
                                struct mrwi_pose *pose, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    mrwi_arena *arena = &renderer->arena;
    uint32_t clip = instance->pose == MRW_POSE_CLIP ? instance->clip : MRW_NONE;
    mrw_transform *locals = mrwi_arena_alloc(arena, scene->nodes_count, sizeof *locals);
    uint8_t *animated = mrwi_arena_alloc(arena, scene->nodes_count, sizeof *animated);
    pose->scene = scene;
    pose->weights = mrwi_arena_alloc(arena, scene->weights_count, sizeof *pose->weights);
    pose->node_to_world = mrwi_arena_alloc(arena, scene->nodes_count, sizeof *pose->node_to_world);
    pose->palettes = mrwi_arena_alloc(arena, scene->skins_count, sizeof *pose->palettes);
    if (!locals || !animated || !pose->weights || !pose->node_to_world || !pose->palettes)
        return mrwi_fail_memory(error, scene->nodes_count * sizeof *pose->node_to_world);

    mrw_sample(&(mrw_sample_job){.scene = scene,
                                 .clip = clip,
                                 .time = instance->time,
                                 .cursors = cursors_of(renderer, slot, scene, clip),
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = pose->weights});
    mrw_local_to_world(&(mrw_world_job){.scene = scene,
                                        .locals = locals,
                                        .animated = animated,
                                        .model_to_world = &instance->model_to_world,
                                        .node_to_world = pose->node_to_world});
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        pose->palettes[s] =
            mrwi_arena_alloc(arena, scene->skins[s].joint_count, sizeof **pose->palettes);
        if (!pose->palettes[s])
            return mrwi_fail_memory(error, scene->skins[s].joint_count * sizeof **pose->palettes);
        mrw_build_palette(&(mrw_palette_job){.scene = scene,
                                             .skin = s,
                                             .bind = instance->pose == MRW_POSE_BIND,
                                             .model_to_world = &instance->model_to_world,
                                             .node_to_world = pose->node_to_world,
                                             .geometry_to_world = pose->palettes[s]});
    }
    pose->motions = NULL;
    return instance->skinning == MRW_SKINNING_DUAL_QUATERNION
               ? build_motions(arena, instance->model, pose, error)
               : MRW_OK;
}

/* ---- vertices: morph and skin --------------------------------------------------------------- */

/* The base streams of a mesh, or what morphing made of them. */
struct streams {
    const float *positions;
    const float *normals;
    const float *tangents;
};

static struct streams base_streams(const mrw_scene *scene, const mrw_mesh *mesh)
{
    return (struct streams){
        scene->positions + (size_t)mesh->position * 3, scene->normals + (size_t)mesh->normal * 3,
        mesh->tangent == MRW_NONE ? NULL : scene->tangents + (size_t)mesh->tangent * 4};
}

/* The targets that are on; *count is 0 when the mesh keeps its base shape. */
static mrw_morph_delta *active_targets(mrwi_arena *arena, const struct mrwi_pose *pose,
                                       const mrw_draw *draw, uint32_t *count)
{
    const mrw_scene *scene = pose->scene;
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const mrw_node *node = &scene->nodes[draw->node];
    mrw_morph_delta *deltas = mrwi_arena_alloc(arena, mesh->target_count, sizeof *deltas);
    *count = 0;
    for (uint32_t t = 0; deltas && t < mesh->target_count && t < node->weight_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        float weight = pose->weights[node->first_weight + t];
        if (weight == 0.0f || target->entry_count == 0)
            continue;
        deltas[(*count)++] = (mrw_morph_delta){
            .weight = weight,
            .count = target->entry_count,
            .vertices = scene->morph_vertices + target->first_entry,
            .positions = scene->morph_positions + (size_t)target->first_entry * 3,
            .normals = target->normal == MRW_NONE
                           ? NULL
                           : scene->morph_normals + (size_t)target->normal * 3,
            .tangents = target->tangent == MRW_NONE
                            ? NULL
                            : scene->morph_tangents + (size_t)target->tangent * 3};
    }
    return deltas;
}

static mrw_status morph(mrwi_arena *arena, const struct mrwi_pose *pose, const mrw_draw *draw,
                        struct streams *streams, mrw_error *error)
{
    const mrw_mesh *mesh = &pose->scene->meshes[draw->mesh];
    uint32_t count = 0;
    mrw_morph_delta *targets;
    mrw_morph_job job;
    if (mesh->target_count == 0)
        return MRW_OK;
    targets = active_targets(arena, pose, draw, &count);
    if (!targets)
        return mrwi_fail_memory(error, mesh->target_count * sizeof *targets);
    if (count == 0)
        return MRW_OK;
    job = (mrw_morph_job){.vertex_count = mesh->vertex_count,
                          .targets = targets,
                          .target_count = count,
                          .positions = streams->positions,
                          .normals = streams->normals,
                          .tangents = streams->tangents};
    job.out_positions = mrwi_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    job.out_normals = mrwi_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    if (streams->tangents)
        job.out_tangents = mrwi_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    if (!job.out_positions || !job.out_normals || (streams->tangents && !job.out_tangents))
        return mrwi_fail_memory(error, mesh->vertex_count * 10 * sizeof(float));
    mrw_morph_vertices(&job);
    *streams = (struct streams){job.out_positions, job.out_normals, job.out_tangents};
    return MRW_OK;
}

/* The three columns of the 3x3 part have equal lengths and right angles, to a relative 1e-4:
 * normals may use it as it is. */
static bool is_conformal(const mrw_mat4 *m)
{
    const float *x = m->m, *y = m->m + 4, *z = m->m + 8;
    float xx = mrwi_dot3(x, x), yy = mrwi_dot3(y, y), zz = mrwi_dot3(z, z);
    float limit = 1e-4f * xx;
    return fabsf(xx - yy) <= limit && fabsf(xx - zz) <= limit && fabsf(mrwi_dot3(x, y)) <= limit &&
           fabsf(mrwi_dot3(x, z)) <= limit && fabsf(mrwi_dot3(y, z)) <= limit;
}

/* Morphs and skins one draw into arena streams. */
static mrw_status skin_draw(mrw_renderer *renderer, const mrw_instance *instance,
                            const struct mrwi_pose *pose, uint32_t index, mrw_isa isa,
                            bool tangents, mrw_posed_draw *out, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    const mrw_draw *draw = &scene->draws[index];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    mrwi_arena *arena = &renderer->arena;
    struct streams streams = base_streams(scene, mesh);
    mrw_mat4 rigid = pose->node_to_world[draw->node];
    mrw_skin_job job = {.groups = instance->model->groups + mesh->first_group,
                        .group_count = mesh->group_count,
                        .isa = isa};
    mrw_status status = morph(arena, pose, draw, &streams, error);
    if (status != MRW_OK)
        return status;
    if (instance->pose == MRW_POSE_BIND && draw->skin != MRW_NONE)
        rigid = instance->model_to_world;
    job.rigid = &rigid;
    job.palette = draw->skin == MRW_NONE ? NULL : pose->palettes[draw->skin];
    if (pose->motions && draw->skin != MRW_NONE) {
        job.motions = pose->motions[draw->skin].motions;
        job.scales = pose->motions[draw->skin].scales;
    }
    job.cofactor_normals =
        (mesh->flags & MRW_MESH_NONUNIFORM) || !is_conformal(&instance->model_to_world);
    job.positions = streams.positions;
    job.normals = streams.normals;
    job.tangents = tangents ? streams.tangents : NULL;
    job.out_positions = mrwi_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    job.out_normals = mrwi_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    if (job.tangents)
        job.out_tangents = mrwi_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    if (!job.out_positions || !job.out_normals || (job.tangents && !job.out_tangents))
        return mrwi_fail_memory(error, mesh->vertex_count * 12 * sizeof(float));
    mrw_skin_vertices(&job);
    *out = (mrw_posed_draw){.draw = index,
                            .vertex_count = mesh->vertex_count,
                            .positions = job.out_positions,
                            .normals = job.out_normals,
                            .tangents = job.out_tangents,
                            .mirrored = mrwi_mat4_det3(job.palette ? job.palette : &rigid) < 0};
    return MRW_OK;
}

/* One instance, all the way from clip and time to world-space vertices. */
mrw_status mrwi_pose_instance(mrw_renderer *renderer, uint32_t slot, const mrw_instance *instance,
                              mrw_isa isa, bool tangents, struct mrwi_pose *pose,
                              mrw_posed_draw **out, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    mrw_posed_draw *draws = mrwi_arena_alloc(&renderer->arena, scene->draws_count, sizeof *draws);
    mrw_status status = MRW_OK;
    if (!draws || !reserve_playheads(renderer, slot + 1))
        return mrwi_fail_memory(error, scene->draws_count * sizeof *draws);
    status = pose_skeleton(renderer, slot, instance, pose, error);
    for (uint32_t i = 0; i < scene->draws_count && status == MRW_OK; i++)
        status = skin_draw(renderer, instance, pose, i, isa, tangents, &draws[i], error);
    *out = draws;
    return status;
}

/* Unit length; a zero vector becomes +Z, so that no reader meets one. */
static void normalize_stream(float *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, v += 4)
        if (!mrwi_normalize3(v)) {
            v[0] = v[1] = 0.0f;
            v[2] = 1.0f;
        }
}

mrw_status mrw_pose_instance(mrw_renderer *renderer, const mrw_instance *instance, mrw_isa isa,
                             const mrw_posed_draw **out, mrw_error *error)
{
    struct mrwi_pose pose;
    mrw_posed_draw *draws = NULL;
    mrwi_fp fp;
    mrw_status status = mrwi_isa_check(isa, error);
    if (status != MRW_OK)
        return status;
    fp = mrwi_fp_enter();
    mrwi_arena_reset(&renderer->arena);
    status = mrwi_pose_instance(renderer, 0, instance, mrwi_isa_resolve(isa), true, &pose, &draws,
                                error);
    for (uint32_t i = 0; status == MRW_OK && i < pose.scene->draws_count; i++) {
        normalize_stream((float *)draws[i].normals, draws[i].vertex_count);
        if (draws[i].tangents)
            normalize_stream((float *)draws[i].tangents, draws[i].vertex_count);
    }
    mrwi_fp_leave(fp);
    *out = draws;
    return status;
}

/* ---- frames --------------------------------------------------------------------------------- */

mrw_frame_def mrw_frame_def_default(void)
{
    return (mrw_frame_def){.width = 512,
                           .height = 512,
                           .samples = 4,
                           .shading = MRW_SHADING_LIT,
                           .filter = MRW_FILTER_TRILINEAR,
                           .background = {0xe6, 0xe8, 0xeb, 0xff},
                           .isa = MRW_ISA_AUTO,
                           .scene_camera = MRW_NONE};
}

/* The camera of a frame: the definition's, or one of the first instance's scene where its pose has
 * put it. */
static mrw_status frame_camera(const mrw_frame_def *def, const struct mrwi_pose *pose,
                               mrw_camera *out, mrw_error *error)
{
    const mrw_scene_camera *camera;
    mrw_lens lens;
    if (def->scene_camera == MRW_NONE) {
        *out = def->camera;
        return MRW_OK;
    }
    camera = &pose->scene->cameras[def->scene_camera];
    lens = (mrw_lens){.yfov = camera->orthographic ? 0.0f : camera->yfov,
                      .xmag = camera->xmag,
                      .ymag = camera->ymag,
                      .aspect = camera->aspect,
                      .near_plane = camera->near_plane,
                      .far_plane = camera->far_plane};
    return mrw_view_from_lens(&pose->node_to_world[camera->node], &lens,
                              (float)def->width / (float)def->height, out, error);
}

static mrw_raster_draw raster_draw(const mrw_instance *instance, const mrw_posed_draw *posed)
{
    const mrw_model *model = instance->model;
    const mrw_scene *scene = model->scene;
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    uint32_t material = mesh->material == MRW_NONE ? scene->materials_count : mesh->material;
    uint32_t uv_set =
        mesh->material == MRW_NONE ? 0 : scene->materials[material].base_color_texture.uv_set;
    uint32_t uv = mesh->uv[uv_set];
    return (mrw_raster_draw){
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .indices = scene->indices + mesh->first_index,
        .positions = posed->positions,
        .normals = posed->normals,
        .uvs = uv == MRW_NONE ? NULL : scene->uvs + (size_t)uv * 2,
        .colors = mesh->color == MRW_NONE ? NULL : scene->colors + (size_t)mesh->color * 4,
        .mirrored = posed->mirrored,
        .material = &model->materials[material]};
}

/* Poses all instances; *draws are the rasterizer's, in instance and draw order. */
static mrw_status gather_draws(mrw_renderer *renderer, const mrw_frame_def *def,
                               const mrw_instance *instances, uint32_t count,
                               struct mrwi_pose *first, mrw_raster_draw **draws,
                               uint32_t *draw_count, mrw_error *error)
{
    size_t total = 0;
    *draw_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert(instances[i].model->shading == def->shading);
        total += instances[i].model->scene->draws_count;
    }
    *draws = mrwi_arena_alloc(&renderer->arena, total, sizeof **draws);
    if (!*draws)
        return mrwi_fail_memory(error, total * sizeof **draws);
    for (uint32_t i = 0; i < count; i++) {
        struct mrwi_pose pose;
        mrw_posed_draw *posed;
        mrw_status status =
            mrwi_pose_instance(renderer, i, &instances[i], mrwi_isa_resolve(def->isa), false,
                               i == 0 ? first : &pose, &posed, error);
        if (status != MRW_OK)
            return status;
        for (uint32_t d = 0; d < instances[i].model->scene->draws_count; d++) {
            (*draws)[*draw_count] = raster_draw(&instances[i], &posed[d]);
            (*draws)[*draw_count].id = *draw_count + 1;
            (*draw_count)++;
        }
    }
    return MRW_OK;
}

static mrw_status prepare_image(const mrw_frame_def *def, mrw_image *image, mrw_error *error)
{
    uint32_t channels = def->transparent ? 4 : 3;
    if (image->pixels && image->width == def->width && image->height == def->height &&
        image->channels == channels)
        return MRW_OK;
    mrw_image_free(image);
    return mrw_image_create(def->width, def->height, channels, image, error);
}

static mrw_raster_job raster_job(const mrw_frame_def *def, const mrw_camera *camera)
{
    mrw_raster_job job = {.shading = def->shading,
                          .filter = def->filter,
                          .samples = def->samples,
                          .orthographic = camera->orthographic,
                          .isa = mrwi_isa_resolve(def->isa)};
    const float *view = camera->world_to_view.m;
    mrwi_mat4_mul(&camera->view_to_clip, &camera->world_to_view, &job.world_to_clip);
    for (int i = 0; i < 3; i++)
        job.view_back[i] = view[4 * i + 2]; /* third row: +Z of view space in the world */
    if (!def->transparent)
        memcpy(job.background, def->background, sizeof job.background);
    if (def->shading == MRW_SHADING_LIT)
        mrw_light_rig_studio(camera, &job.rig);
    else
        mrw_light_rig_single(camera, &job.rig);
    return job;
}

mrw_status mrwi_render(mrw_renderer *renderer, const mrw_frame_def *def,
                       const mrw_instance *instances, uint32_t count, int threads, mrw_image *out,
                       mrw_error *error)
{
    struct mrwi_pose first;
    mrw_raster_draw *draws;
    mrw_raster_job job;
    mrw_camera camera;
    uint32_t draw_count;
    mrw_status status;

    mrwi_arena_reset(&renderer->arena);
    status = gather_draws(renderer, def, instances, count, &first, &draws, &draw_count, error);
    if (status == MRW_OK)
        status = frame_camera(def, &first, &camera, error);
    if (status == MRW_OK)
        status = prepare_image(def, out, error);
    if (status != MRW_OK)
        return status;
    job = raster_job(def, &camera);
    job.draws = draws;
    job.draw_count = draw_count;
    job.image = out;
    job.threads = threads;
    return mrw_raster_draw_frame(renderer->raster, &job, error);
}

mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                      const mrw_instance *instances, uint32_t instance_count, int threads,
                      mrw_image *out, mrw_error *error)
{
    mrw_status status = mrwi_isa_check(def->isa, error);
    assert(renderer && instances && instance_count > 0 && out && threads > 0);
    if (status == MRW_OK) {
        mrwi_fp fp = mrwi_fp_enter();
        status = mrwi_render(renderer, def, instances, instance_count, threads, out, error);
        mrwi_fp_leave(fp);
    }
    return status;
}
