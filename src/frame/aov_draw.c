/* aov_draw.c: what passes are made of: one drawing with one sample a pixel, at its centre, that
 * tells which triangle is seen where; band by band the rows of passes are computed from that
 * triangle and the camera, in double precision (aov_resolve.c).
 */
#include "frame/aov.h"

#include "base/text.h"
#include "marrow/legend.h"

#include <assert.h>
#include <string.h>

/* enumerators of scene.h, by which materials of the rasterizer are */
enum { ALPHA_MASK = 1, ALPHA_BLEND = 2 };

bool mrwi_frame_wants_aov(const mrw_frame_def *def, mrw_aov aov)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        if (def->aovs[i].aov == aov) {
            return true;
        }
    }
    return false;
}

const mrw_image *mrw_frame_aov(const mrw_renderer *renderer, uint32_t index)
{
    return index < renderer->aovs.count ? &renderer->aovs.images[index] : NULL;
}

mrw_intrinsics mrw_frame_intrinsics(const mrw_renderer *renderer)
{
    return renderer->aovs.intrinsics;
}

/* Pixels lie from 0 to the width where clip space lies from -w to w, downwards in the height; y and
 * z of the camera's space are those of view space, turned over. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height)
{
    const float *p = camera->view_to_clip.m, *v = camera->world_to_view.m;
    const double half_width = 0.5 * width, half_height = 0.5 * height;
    const int at = camera->orthographic ? 12 : 8;
    const double side = camera->orthographic ? -1.0 : 1.0;
    mrw_intrinsics out = {.near_plane = (double)camera->near_plane,
                          .far_plane = (double)camera->far_plane,
                          .orthographic = camera->orthographic};
    out.k[0] = (double)p[0] * half_width;
    out.k[2] = (1.0 - side * (double)p[at]) * half_width;
    out.k[4] = (double)p[5] * half_height;
    out.k[5] = (1.0 + side * (double)p[at + 1]) * half_height;
    out.k[8] = 1.0;
    for (int row = 0; row < 4; row++) {
        const double sign = row == 1 || row == 2 ? -1.0 : 1.0;
        for (int column = 0; column < 4; column++) {
            out.world_to_camera[4 * row + column] = sign * (double)v[4 * column + row];
        }
    }
    return out;
}

/* The draws as passes see them: what blends is there where its alpha is one half or more. */
static mrw_status make_solid(mrw_renderer *renderer, const mrwi_frame_posed *posed,
                             const mrw_raster_draw **out, mrw_error *error)
{
    uint32_t blended = 0;
    for (uint32_t i = 0; i < posed->draw_count; i++) {
        blended += posed->draws[i].material->alpha_mode == ALPHA_BLEND;
    }
    *out = posed->draws;
    if (blended == 0) {
        return MRW_OK;
    }
    mrw_raster_draw *draws =
        mrwi_base_arena_alloc(&renderer->arena, posed->draw_count, sizeof *draws);
    mrw_raster_material *materials =
        mrwi_base_arena_alloc(&renderer->arena, blended, sizeof *materials);
    if (!draws || !materials) {
        return mrwi_base_fail_memory(error, blended * sizeof *materials);
    }
    memcpy(draws, posed->draws, posed->draw_count * sizeof *draws);
    for (uint32_t i = 0; i < posed->draw_count; i++) {
        if (draws[i].material->alpha_mode == ALPHA_BLEND) {
            *materials = *draws[i].material;
            materials->alpha_mode = ALPHA_MASK;
            materials->alpha_cutoff = 0.5f;
            draws[i].material = materials++;
        }
    }
    *out = draws;
    return MRW_OK;
}

static mrw_status make_image(mrw_renderer *renderer, const mrw_frame_def *def, mrw_format format,
                             uint32_t channels, mrw_image *out, mrw_error *error)
{
    const size_t values = (size_t)def->width * def->height * channels;
    uint8_t *pixels = mrwi_base_arena_alloc(&renderer->arena, values + 16, mrw_format_size(format));
    if (!pixels) {
        return mrwi_base_fail_memory(error, values * mrw_format_size(format));
    }
    *out = (mrw_image){def->width, def->height, channels, format, pixels, NULL};
    return MRW_OK;
}

/* What passes are drawn as, without another step. */
static const struct {
    bool drawn;
    bool with_picture; /* of all samples; else of one, at the pixel's centre */
    mrw_target_kind kind;
} drawn_aovs[MRW_AOV_COUNT] = {[MRW_AOV_COLOR] = {true, true, MRW_TARGET_LINEAR},
                               [MRW_AOV_COVERAGE] = {true, true, MRW_TARGET_ALPHA},
                               [MRW_AOV_NORMAL] = {true, false, MRW_TARGET_NORMAL},
                               [MRW_AOV_ALBEDO] = {true, false, MRW_TARGET_ALBEDO}};

/* The first request of the same pass. */
static uint32_t first_like(const mrw_frame_def *def, uint32_t index)
{
    uint32_t i = 0;
    while (def->aovs[i].aov != def->aovs[index].aov) {
        i++;
    }
    return i;
}

/* Adds the targets of passes that are drawn with the picture, or of those that are not. */
static void add_targets(const mrw_renderer *renderer, const mrw_frame_def *def, bool with_picture,
                        mrw_target *targets, mrw_shadow_span **spans, uint32_t *count)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        if (drawn_aovs[aov].drawn && drawn_aovs[aov].with_picture == with_picture &&
            first_like(def, i) == i) {
            spans[*count] = renderer->kept[i].spans;
            targets[(*count)++] = mrw_target_of(drawn_aovs[aov].kind, &renderer->aovs.images[i]);
        }
    }
}

/* Tells what is where nothing is seen. */
static uint64_t background_key(const mrw_frame_def *def, mrw_aov aov)
{
    const uint8_t *c = def->background;
    uint64_t key = (uint64_t)aov;
    if (aov == MRW_AOV_COLOR) {
        key |= (uint64_t)def->environment_background << 8 | (uint64_t)def->transparent << 9 |
               (uint64_t)def->shading << 16 | (uint64_t)def->channel << 24;
        key |= (uint64_t)c[0] << 32 | (uint64_t)c[1] << 40 | (uint64_t)c[2] << 48;
    }
    return key;
}

mrw_status mrwi_frame_prepare_aovs(mrw_renderer *renderer, const mrw_frame_def *def,
                                   mrw_target *targets, mrw_shadow_span **spans, uint32_t *count,
                                   mrw_error *error)
{
    mrwi_frame_aovs *aovs = &renderer->aovs;
    if (def->aov_count == 0) {
        return MRW_OK;
    }
    aovs->images = mrwi_base_arena_alloc(&renderer->arena, def->aov_count, sizeof *aovs->images);
    if (!aovs->images || !mrwi_frame_reserve_kept(renderer, def->aov_count)) {
        return mrwi_base_fail_memory(error, def->aov_count * sizeof *aovs->images);
    }
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov_info *info = mrw_aov_info_of(def->aovs[i].aov);
        mrwi_frame_kept_image *kept = &renderer->kept[i];
        if (def->environment_background) {
            kept->image.width = 0; /* another one in each frame */
        }
        mrw_status status =
            mrwi_frame_keep_image(kept, background_key(def, def->aovs[i].aov), def->width,
                                  def->height, info->format, info->channels, error);
        if (status != MRW_OK) {
            return status;
        }
        aovs->images[i] = kept->image;
    }
    aovs->count = def->aov_count;
    add_targets(renderer, def, true, targets, spans, count);
    return MRW_OK;
}

const mrwi_frame_aov_draw *mrwi_frame_list_draws(mrwi_base_arena *arena,
                                                 const mrwi_frame_posed *posed)
{
    const mrwi_frame_poses *poses = &posed->poses;
    mrwi_frame_aov_draw *out = mrwi_base_arena_alloc(arena, posed->draw_count, sizeof *out);
    uint32_t *materials = mrwi_base_arena_alloc(arena, poses->count, sizeof *materials);
    uint32_t *firsts = mrwi_base_arena_alloc(arena, poses->count, sizeof *firsts);
    uint32_t n = 0;
    if (!out || !materials || !firsts) {
        return NULL;
    }
    mrw_frame_number_materials(poses->instances, poses->count, materials);
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrw_scene *scene = poses->items[i].scene;
        uint32_t first = 0;
        while (poses->instances[first].model != poses->instances[i].model) {
            first++;
        }
        firsts[i] = n;
        for (uint32_t d = 0; d < scene->draws_count; d++, n++) {
            const uint32_t material = scene->meshes[scene->draws[d].mesh].material;
            out[n] = (mrwi_frame_aov_draw){
                .pose = &poses->items[i],
                .draw = d,
                .material =
                    materials[i] + (material == MRW_NONE ? scene->materials_count : material),
                .first_like = firsts[first] + d};
        }
    }
    return out;
}

/* Draws posed instances without light, one sample a pixel, as a job says that has targets or a
 * visitor. */
static mrw_status draw_surfaces(mrw_renderer *renderer, const mrwi_frame_posed *posed, int threads,
                                mrw_raster_job *job, mrw_error *error)
{
    mrw_status status = make_solid(renderer, posed, &job->draws, error);
    if (status != MRW_OK) {
        return status;
    }
    job->draw_count = posed->draw_count;
    job->samples = 1;
    job->isa = renderer->isa;
    job->threads = threads;
    return mrw_raster_draw_frame(renderer->raster, job, error);
}

/* *out without what is seen by it. */
static mrw_status look_from(mrw_renderer *renderer, const mrw_frame_def *def,
                            const mrw_camera *camera, const mrwi_frame_posed *posed,
                            mrwi_frame_seen *out, mrw_error *error)
{
    *out = (mrwi_frame_seen){.posed = posed,
                             .draws = mrwi_frame_list_draws(&renderer->arena, posed),
                             .camera = mrwi_frame_intrinsics_of(camera, def->width, def->height)};
    return out->draws ? MRW_OK
                      : mrwi_base_fail_memory(error, posed->draw_count * sizeof *out->draws);
}

/* Which draw and which of its triangles is seen at the centre of each pixel. */
static mrw_status draw_seen(mrw_renderer *renderer, const mrw_frame_def *def,
                            const mrw_camera *camera, mrwi_frame_seen *seen, int threads,
                            mrw_error *error)
{
    mrw_status status = make_image(renderer, def, MRW_FORMAT_U32, 1, &seen->ids, error);
    if (status == MRW_OK) {
        status = make_image(renderer, def, MRW_FORMAT_U32, 1, &seen->triangles, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    const mrw_target targets[] = {mrw_target_of(MRW_TARGET_ID, &seen->ids),
                                  mrw_target_of(MRW_TARGET_TRIANGLE, &seen->triangles)};
    mrw_raster_job job = mrwi_frame_raster_job(def, camera);
    job.targets = targets;
    job.target_count = 2;
    return draw_surfaces(renderer, seen->posed, threads, &job, error);
}

static void copy_repeated(const mrw_renderer *renderer, const mrw_frame_def *def)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const uint32_t first = first_like(def, i);
        const mrw_image *from = &renderer->aovs.images[first];
        if (drawn_aovs[def->aovs[i].aov].drawn && first != i) {
            renderer->kept[i].image.width = 0; /* it is not kept clear */
            memcpy(renderer->aovs.images[i].pixels, from->pixels,
                   (size_t)from->width * from->height * from->channels *
                       mrw_format_size(from->format));
        }
    }
}

static bool wants_centers(const mrw_frame_def *def)
{
    bool wants = false;
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        wants = wants || (!drawn_aovs[aov].with_picture && !mrwi_frame_is_crypto(aov));
    }
    return wants;
}

/* The instances in the picture before (-1) or after (1). */
static mrw_instance *move_instances(mrw_renderer *renderer, const mrw_frame_neighbour *neighbour,
                                    int direction)
{
    const mrwi_frame_poses *poses = &renderer->posed.poses;
    mrw_instance *out = mrwi_base_arena_alloc(&renderer->arena, poses->count, sizeof *out);
    for (uint32_t i = 0; out && i < poses->count; i++) {
        out[i] = poses->instances[i];
        const mrw_rate rate = out[i].rate;
        const double frame =
            rate.num > 0 && rate.den > 0 ? (double)rate.den / (double)rate.num : 1.0 / 30.0;
        if (mrwi_frame_plays(&out[i])) {
            out[i].time = neighbour->given ? neighbour->time : out[i].time + direction * frame;
        }
    }
    return out;
}

/* What is seen there. *out: in the arena. */
static mrw_status see_neighbour(mrw_renderer *renderer, const mrw_frame_def *def,
                                const mrw_frame_neighbour *neighbour, int direction, int threads,
                                const mrwi_frame_seen **out, mrw_error *error)
{
    mrw_frame_def moved = *def;
    mrw_camera camera;
    const mrw_instance *instances = move_instances(renderer, neighbour, direction);
    mrwi_frame_posed *posed = mrwi_base_arena_alloc(&renderer->arena, 1, sizeof *posed);
    mrwi_frame_seen *seen = mrwi_base_arena_alloc(&renderer->arena, 1, sizeof *seen);
    if (!instances || !posed || !seen) {
        return mrwi_base_fail_memory(error, renderer->posed.poses.count * sizeof *instances);
    }
    *out = seen;
    if (neighbour->given) {
        moved.camera = neighbour->camera;
    }
    mrw_status status =
        mrwi_frame_pose_more(renderer, instances, renderer->posed.poses.count, false, posed, error);
    if (status == MRW_OK) {
        const mrwi_frame_pose *first = &posed->poses.items[0];
        status = mrwi_frame_camera(&moved, first->scene, first->placed, &camera, error);
    }
    if (status == MRW_OK) {
        status = look_from(renderer, def, &camera, posed, seen, error);
    }
    return status == MRW_OK ? draw_seen(renderer, def, &camera, seen, threads, error) : status;
}

/* Of pixels' centres: those that the rasterizer draws, and while it does so those that follow from
 * the triangle that is seen. */
static mrw_status draw_centers(mrw_renderer *renderer, const mrw_frame_def *def,
                               const mrw_camera *camera, const mrwi_frame_seen *seen, int threads,
                               mrw_error *error)
{
    mrw_target targets[MRW_TARGET_COUNT];
    mrw_shadow_span *spans[MRW_TARGET_COUNT];
    mrw_raster_job job = mrwi_frame_raster_job(def, camera);
    job.targets = targets;
    job.target_spans = spans;
    add_targets(renderer, def, false, targets, spans, &job.target_count);
    if (mrwi_frame_resolves_aovs(def)) {
        job.visit = mrwi_frame_resolve_band;
        job.visit_user = mrwi_frame_prepare_resolver(renderer, seen, def, threads);
        if (!job.visit_user) {
            return mrwi_base_fail_memory(error, def->width);
        }
    }
    return draw_surfaces(renderer, seen->posed, threads, &job, error);
}

static mrw_status make_of_centers(mrw_renderer *renderer, const mrw_frame_def *def,
                                  const mrw_camera *camera, int threads, mrw_error *error)
{
    mrwi_frame_seen seen;
    mrw_status status = look_from(renderer, def, camera, &renderer->posed, &seen, error);
    if (status == MRW_OK && mrwi_frame_wants_aov(def, MRW_AOV_FLOW_BACKWARD)) {
        status = see_neighbour(renderer, def, &def->last, -1, threads, &seen.last, error);
    }
    if (status == MRW_OK && mrwi_frame_wants_aov(def, MRW_AOV_FLOW_FORWARD)) {
        status = see_neighbour(renderer, def, &def->next, 1, threads, &seen.next, error);
    }
    return status == MRW_OK ? draw_centers(renderer, def, camera, &seen, threads, error) : status;
}

mrw_status mrwi_frame_make_aovs(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                                mrw_error *error)
{
    const mrwi_frame_pose *first = &renderer->posed.poses.items[0];
    mrw_camera camera;
    mrw_status status = mrwi_frame_camera(def, first->scene, first->placed, &camera, error);
    if (status != MRW_OK) {
        return status;
    }
    renderer->aovs.intrinsics = mrwi_frame_intrinsics_of(&camera, def->width, def->height);
    if (wants_centers(def)) {
        status = make_of_centers(renderer, def, &camera, threads, error);
    }
    if (status == MRW_OK) {
        status = mrwi_frame_make_crypto(renderer, def, &camera, threads, error);
    }
    if (status == MRW_OK) {
        copy_repeated(renderer, def);
    }
    return status;
}
