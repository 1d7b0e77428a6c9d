/* aov_draw.c: passes. They need one drawing with one sample per pixel, at its centre, which tells
 * the visible triangle. From that triangle and the camera the rows of passes are computed, band by
 * band and in double precision (aov_resolve.c).
 */
#include "frame/aov.h"

#include "base/text.h"
#include "marrow/legend.h"

#include <string.h>

/* enumerators of scene.h, which materials of the rasterizer use */
enum { ALPHA_MASK = 1, ALPHA_BLEND = 2 };

/* Passes that the rasterizer draws directly. */
static const struct {
    bool drawn;
    bool with_picture; /* averages all samples; else one sample, at the pixel's centre */
    mrw_target_kind kind;
} drawn_aovs[MRW_AOV_COUNT] = {[MRW_AOV_COLOR] = {true, true, MRW_TARGET_LINEAR},
                               [MRW_AOV_COVERAGE] = {true, true, MRW_TARGET_ALPHA},
                               [MRW_AOV_NORMAL] = {true, false, MRW_TARGET_NORMAL},
                               [MRW_AOV_ALBEDO] = {true, false, MRW_TARGET_ALBEDO}};

/* Returns the first request of the same pass. */
static uint32_t first_like(const mrw_frame_def *def, uint32_t index)
{
    uint32_t i = 0;
    while (def->aovs[i].aov != def->aovs[index].aov) {
        i++;
    }
    return i;
}

/* ---- with the picture ------------------------------------------------------------------------ */

/* Adds the targets of passes that are drawn with the picture, or of those that are not. */
static void add_targets(const mrwi_frame_aovs *aovs, const mrw_frame_def *def, bool with_picture,
                        mrw_target *targets, mrw_shadow_span **spans, uint32_t *count)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        if (drawn_aovs[aov].drawn && drawn_aovs[aov].with_picture == with_picture &&
            first_like(def, i) == i) {
            spans[*count] = aovs->kept[i].spans;
            targets[(*count)++] = mrw_target_of(drawn_aovs[aov].kind, &aovs->images[i]);
        }
    }
}

/* Returns a key that is equal for equal backgrounds of a pass. */
static uint64_t background_key(const mrw_frame_def *def, mrw_aov aov)
{
    const uint8_t *c = def->background;
    uint64_t key = (uint64_t)aov;
    if (aov == MRW_AOV_COLOR) {
        const bool plate = def->backplate;
        key |= (uint64_t)def->environment_background << 8 | (uint64_t)def->transparent << 9 |
               (uint64_t)plate << 10 | (uint64_t)def->shading << 16 | (uint64_t)def->channel << 24;
        key |= (uint64_t)c[0] << 32 | (uint64_t)c[1] << 40 | (uint64_t)c[2] << 48;
    }
    return key;
}

mrw_status mrwi_frame_prepare_aovs(mrwi_base_arena *arena, mrwi_frame_aovs *aovs,
                                   const mrw_frame_def *def, mrw_target *targets,
                                   mrw_shadow_span **spans, uint32_t *count, mrw_error *error)
{
    if (def->aov_count == 0) {
        return MRW_OK;
    }
    aovs->images = mrwi_base_arena_alloc(arena, def->aov_count, sizeof *aovs->images);
    if (!aovs->images || !mrwi_frame_reserve_kept(aovs, def->aov_count)) {
        return mrwi_base_fail_memory(error, def->aov_count * sizeof *aovs->images);
    }
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov_info *info = mrw_aov_info_of(def->aovs[i].aov);
        mrwi_frame_kept_image *kept = &aovs->kept[i];
        if (def->environment_background || def->backplate) {
            kept->image.width = 0; /* each frame may have another background */
        }
        mrw_status status =
            mrwi_frame_keep_image(kept, background_key(def, def->aovs[i].aov), def->width,
                                  def->height, info->format, info->channels, error);
        if (status) {
            return status;
        }
        aovs->images[i] = kept->image;
    }
    aovs->count = def->aov_count;
    add_targets(aovs, def, true, targets, spans, count);
    return MRW_OK;
}

/* ---- pixels' centres ------------------------------------------------------------------------- */

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

/* Gives the draws as passes see them: blended surfaces are solid where alpha is one half or more.
 */
static mrw_status make_solid(mrwi_base_arena *arena, const mrwi_frame_posed *posed,
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
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, posed->draw_count, sizeof *draws);
    mrw_raster_material *materials = mrwi_base_arena_alloc(arena, blended, sizeof *materials);
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

/* Draws posed instances without light, one sample per pixel. The job has targets or a visitor. */
static mrw_status draw_surfaces(mrwi_frame_scratch *scratch, const mrwi_frame_posed *posed,
                                int threads, mrw_raster_job *job, mrw_error *error)
{
    mrw_status status = make_solid(&scratch->arena, posed, &job->draws, error);
    if (status) {
        return status;
    }
    job->draw_count = posed->draw_count;
    job->samples = 1;
    job->isa = scratch->isa;
    job->threads = threads;
    return mrw_raster_draw_frame(scratch->raster, job, error);
}

/* Starts what is visible in a picture, without its images. */
static mrw_status begin_seen(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                             mrwi_frame_seen *out, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const mrwi_frame_posed *posed = picture->posed;
    *out = (mrwi_frame_seen){
        .posed = posed,
        .draws = mrwi_frame_list_draws(arena, posed),
        .camera = mrwi_frame_intrinsics_of(&picture->camera, def->width, def->height)};
    return out->draws ? MRW_OK
                      : mrwi_base_fail_memory(error, posed->draw_count * sizeof *out->draws);
}

static mrw_status make_image(mrwi_base_arena *arena, const mrw_frame_def *def, mrw_image *out,
                             mrw_error *error)
{
    const size_t pixels = (size_t)def->width * def->height;
    uint8_t *data = mrwi_base_arena_alloc(arena, pixels + 16, mrw_format_size(MRW_FORMAT_U32));
    if (!data) {
        return mrwi_base_fail_memory(error, pixels * mrw_format_size(MRW_FORMAT_U32));
    }
    *out = (mrw_image){def->width, def->height, 1, MRW_FORMAT_U32, data, NULL};
    return MRW_OK;
}

/* Draws the images of *seen: the draw and the triangle that are visible at each pixel's centre. */
static mrw_status draw_seen(mrwi_frame_scratch *scratch, const mrwi_frame_picture *picture,
                            mrwi_frame_seen *seen, mrw_error *error)
{
    mrw_status status = make_image(&scratch->arena, picture->def, &seen->ids, error);
    if (status) {
        return status;
    }
    status = make_image(&scratch->arena, picture->def, &seen->triangles, error);
    if (status) {
        return status;
    }
    const mrw_target targets[] = {mrw_target_of(MRW_TARGET_ID, &seen->ids),
                                  mrw_target_of(MRW_TARGET_TRIANGLE, &seen->triangles)};
    mrw_raster_job job = mrwi_frame_raster_job(picture->def, &picture->camera);
    job.targets = targets;
    job.target_count = 2;
    return draw_surfaces(scratch, picture->posed, picture->threads, &job, error);
}

/* Copies the instances, moved to the time of the previous (-1) or the next (1) picture. */
static mrw_instance *move_instances(mrwi_base_arena *arena, const mrwi_frame_poses *poses,
                                    const mrw_frame_neighbour *neighbour, int direction)
{
    mrw_instance *out = mrwi_base_arena_alloc(arena, poses->count, sizeof *out);
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

/* Finds what is visible in the previous (-1) or the next (1) picture. *out is in the arena. */
static mrw_status see_neighbour(mrwi_frame_scratch *scratch, const mrwi_frame_picture *picture,
                                int direction, const mrwi_frame_seen **out, mrw_error *error)
{
    mrwi_base_arena *arena = &scratch->arena;
    mrw_frame_def moved = *picture->def;
    const mrw_frame_neighbour *neighbour = direction < 0 ? &moved.last : &moved.next;
    const mrwi_frame_poses *poses = &picture->posed->poses;
    const mrw_instance *instances = move_instances(arena, poses, neighbour, direction);
    mrwi_frame_posed *posed = mrwi_base_arena_alloc(arena, 1, sizeof *posed);
    mrwi_frame_seen *seen = mrwi_base_arena_alloc(arena, 1, sizeof *seen);
    mrwi_frame_picture there;
    if (!instances || !posed || !seen) {
        return mrwi_base_fail_memory(error, poses->count * sizeof *instances);
    }
    *out = seen;
    if (neighbour->given) {
        moved.camera = neighbour->camera;
    }
    mrw_status status = mrwi_frame_pose_more(scratch, instances, poses->count, false, posed, error);
    if (status) {
        return status;
    }
    status = mrwi_frame_picture_begin(&moved, posed, picture->threads, &there, error);
    if (status) {
        return status;
    }
    status = begin_seen(arena, &there, seen, error);
    return status ? status : draw_seen(scratch, &there, seen, error);
}

/* Draws the passes of pixels' centres: some in the rasterizer, the others from the visible triangle
 * while the rasterizer draws. */
static mrw_status draw_centers(mrwi_frame_scratch *scratch, const mrwi_frame_aovs *aovs,
                               const mrwi_frame_picture *picture, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    mrwi_frame_seen seen;
    mrw_status status = begin_seen(&scratch->arena, picture, &seen, error);
    if (status) {
        return status;
    }
    if (mrwi_frame_wants_aov(def, MRW_AOV_FLOW_BACKWARD)) {
        status = see_neighbour(scratch, picture, -1, &seen.last, error);
        if (status) {
            return status;
        }
    }
    if (mrwi_frame_wants_aov(def, MRW_AOV_FLOW_FORWARD)) {
        status = see_neighbour(scratch, picture, 1, &seen.next, error);
        if (status) {
            return status;
        }
    }
    mrw_target targets[MRW_TARGET_COUNT];
    mrw_shadow_span *spans[MRW_TARGET_COUNT];
    mrw_raster_job job = mrwi_frame_raster_job(def, &picture->camera);
    job.targets = targets;
    job.target_spans = spans;
    add_targets(aovs, def, false, targets, spans, &job.target_count);
    if (mrwi_frame_resolves_aovs(def)) {
        job.visit = mrwi_frame_resolve_band;
        job.visit_user =
            mrwi_frame_prepare_resolver(&scratch->arena, aovs->kept, &seen, def, picture->threads);
        if (!job.visit_user) {
            return mrwi_base_fail_memory(error, def->width);
        }
    }
    return draw_surfaces(scratch, picture->posed, picture->threads, &job, error);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool wants_centers(const mrw_frame_def *def)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        if (!drawn_aovs[aov].with_picture && !mrwi_frame_is_crypto(aov)) {
            return true;
        }
    }
    return false;
}

/* Copies drawn passes to their second and further requests. */
static void copy_repeated(mrwi_frame_aovs *aovs, const mrw_frame_def *def)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const uint32_t first = first_like(def, i);
        const mrw_image *from = &aovs->images[first];
        if (drawn_aovs[def->aovs[i].aov].drawn && first != i) {
            aovs->kept[i].image.width = 0; /* its spans do not hold for the copy */
            memcpy(aovs->images[i].pixels, from->pixels,
                   (size_t)from->width * from->height * from->channels *
                       mrw_format_size(from->format));
        }
    }
}

mrw_status mrwi_frame_make_aovs(mrwi_frame_scratch *scratch, mrwi_frame_aovs *aovs,
                                const mrwi_frame_picture *picture, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    aovs->intrinsics = mrwi_frame_intrinsics_of(&picture->camera, def->width, def->height);
    if (wants_centers(def)) {
        mrw_status status = draw_centers(scratch, aovs, picture, error);
        if (status) {
            return status;
        }
    }
    mrw_status status = mrwi_frame_make_crypto(scratch, aovs, picture, error);
    if (status) {
        return status;
    }
    copy_repeated(aovs, def);
    return MRW_OK;
}
