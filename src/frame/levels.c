/* levels.c: the finest levels of textures that pictures show, found before the textures are filled:
 * each picture is posed and drawn as far as its triangles (mrw_raster_finest_levels).
 */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "scene/maps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    mrwi_frame_workers workers;
    const mrw_frame_def *def;
    double *times;
    uint32_t count;
    int threads_inside; /* threads per picture: 1 unless there is a single time */
} search;

/* Returns true when finer levels may still be found. */
static bool is_open(const mrwi_frame_texture *texture)
{
    return texture && texture->texture && atomic_load(&texture->finest) > 0;
}

static void note(mrwi_frame_texture *texture, uint32_t level)
{
    uint32_t known = atomic_load(&texture->finest);
    while (level < known && !atomic_compare_exchange_weak(&texture->finest, &known, level)) {
    }
}

/* Textures of a draw, by the rasterizer's maps. */
typedef struct draw_textures {
    mrwi_frame_texture *map[MRW_RASTER_MAP_COUNT];
} draw_textures;

static draw_textures textures_of(const mrw_model *model, uint32_t material)
{
    const mrw_material *in = material == MRW_NONE ? NULL : &model->scene->materials[material];
    draw_textures out = {{NULL}};
    mrw_map kind;
    for (uint32_t next = 0; mrwi_scene_drawn_map(in, &next, &kind);) {
        out.map[mrwi_frame_raster_map(kind)] = mrwi_frame_map_texture(model, in, kind);
    }
    return out;
}

/* Loads the known levels of a draw's textures. Returns true when any is open. */
static bool load_levels(const draw_textures *textures, uint32_t levels[MRW_RASTER_MAP_COUNT])
{
    bool open = false;
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        levels[m] = is_open(textures->map[m]) ? atomic_load(&textures->map[m]->finest) : 0;
        open = open || levels[m] > 0;
    }
    return open;
}

/* Looks at those draws of a job that have open textures. */
static mrw_status look_at(mrwi_frame_scratch *scratch, const mrwi_frame_poses *poses,
                          mrw_raster_job *job, mrw_error *error)
{
    const size_t total = job->draw_count;
    mrw_raster_draw *draws = mrwi_base_arena_alloc(&scratch->arena, total, sizeof *draws);
    draw_textures *textures = mrwi_base_arena_alloc(&scratch->arena, total, sizeof *textures);
    uint32_t(*levels)[MRW_RASTER_MAP_COUNT] =
        mrwi_base_arena_alloc(&scratch->arena, total, sizeof *levels);
    uint32_t count = 0;
    if (!draws || !textures || !levels) {
        return mrwi_base_fail_memory(error, total * sizeof *draws);
    }
    draw_textures *next = textures;
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrw_model *model = poses->instances[i].model;
        const mrw_scene *scene = model->scene;
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            *next++ = textures_of(model, scene->meshes[scene->draws[d].mesh].material);
        }
    }
    for (size_t i = 0; i < total; i++) {
        if (load_levels(&textures[i], levels[count])) {
            draws[count] = job->draws[i];
            textures[count++] = textures[i];
        }
    }
    job->draws = draws;
    job->draw_count = count;
    if (count == 0) {
        return MRW_OK;
    }
    mrw_status status = mrw_raster_finest_levels(scratch->raster, job, levels[0], error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
            if (textures[i].map[m]) {
                note(textures[i].map[m], levels[i][m]);
            }
        }
    }
    return MRW_OK;
}

/* Returns true while any texture is open. */
static bool any_open(const mrwi_frame_workers *workers)
{
    for (uint32_t i = 0; i < workers->instance_count; i++) {
        const mrw_model *model = workers->instances[i].model;
        for (uint32_t t = 0; t < model->scene->images_count * MRWI_FRAME_TEXTURES; t++) {
            if (is_open(&model->textures[t])) {
                return true;
            }
        }
    }
    return false;
}

/* With more pictures than this, textures of up to MIDDLE_TEXTURE texels keep all levels. That takes
 * up to 11 MB each; posing the pictures to look at them would make a sequence of small pictures a
 * third slower. */
#define FEW_PICTURES   16
#define MIDDLE_TEXTURE (1024u * 1024u)

/* Keeps all levels of middle-sized textures. */
static void keep_middle_textures(const mrwi_frame_workers *workers)
{
    for (uint32_t i = 0; i < workers->instance_count; i++) {
        const mrw_model *model = workers->instances[i].model;
        for (uint32_t t = 0; t < model->scene->images_count * MRWI_FRAME_TEXTURES; t++) {
            const mrw_image_info *image = &model->scene->images[t / MRWI_FRAME_TEXTURES];
            if ((uint64_t)image->width * image->height <= MIDDLE_TEXTURE) {
                note(&model->textures[t], 0);
            }
        }
    }
}

/* Keeps all levels of masked and blended base colours. Lights may see them from nearer than the
 * camera, and so may the neighbouring pictures, in which flow looks for surfaces that hide a
 * point. */
static void keep_caster_textures(const mrwi_frame_poses *poses)
{
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrw_scene *scene = poses->instances[i].model->scene;
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            const uint32_t material = scene->meshes[scene->draws[d].mesh].material;
            if (material != MRW_NONE && scene->materials[material].alpha_mode != MRW_ALPHA_OPAQUE) {
                const draw_textures textures = textures_of(poses->instances[i].model, material);
                mrwi_frame_texture *color = textures.map[MRW_RASTER_MAP_BASE_COLOR];
                if (color) {
                    note(color, 0);
                }
            }
        }
    }
}

/* Returns true when something is drawn with one sample, at the pixel's centre, whatever the picture
 * has: it may show triangles that lie between the picture's samples. */
static bool sees_centres(const mrw_frame_def *def)
{
    return def->aov_count > 0 || def->occlusion || def->overlays != 0;
}

/* Looks at everything that a picture draws of a job. */
static mrw_status look_at_picture(mrwi_frame_scratch *scratch, const mrw_frame_def *def,
                                  const mrwi_frame_poses *poses, const mrw_raster_job *job,
                                  mrw_error *error)
{
    mrw_raster_job own = *job;
    if (def->shadows || mrwi_frame_wants_aov(def, MRW_AOV_FLOW_FORWARD) ||
        mrwi_frame_wants_aov(def, MRW_AOV_FLOW_BACKWARD)) {
        keep_caster_textures(poses);
    }
    mrw_status status = look_at(scratch, poses, &own, error);
    if (status || job->samples <= 1 || !sees_centres(def)) {
        return status;
    }
    own = *job;
    own.samples = 1;
    return look_at(scratch, poses, &own, error);
}

static void look_at_time(void *user, int64_t index, int worker)
{
    search *s = user;
    mrwi_frame_workers *workers = &s->workers;
    mrw_renderer *renderer = workers->crew->renderers[worker];
    mrwi_frame_poses poses;
    mrw_raster_job job;
    mrw_error error = {0};
    if (!mrwi_frame_workers_go_on(workers, index) || !any_open(workers)) {
        return;
    }
    const mrw_instance *posed = mrwi_frame_workers_at(workers, worker, s->times[index]);
    for (uint32_t v = 0; v < s->def->view_count; v++) {
        mrw_frame_def def = mrwi_frame_seen_from(s->def, (uint32_t)index, v);
        def.same_pose = v > 0;
        mrw_status status =
            mrwi_frame_job(renderer, &def, posed, workers->instance_count, &poses, &job, &error);
        if (!status) {
            job.threads = s->threads_inside;
            status = look_at_picture(&renderer->scratch, &def, &poses, &job, &error);
        }
        if (status) {
            mrwi_frame_workers_fail(workers, index, status, &error);
            return;
        }
    }
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Maximal number of times from the whole clip; only the given times have to be exact. */
#define MOST_CLIP_TIMES 16

/* Lists the given times and some of the whole clip, sorted, each once. With cameras it keeps the
 * given times as they are. */
static mrw_status list_times(search *s, const double *times, uint32_t count, bool whole_clip,
                             mrw_error *error)
{
    const mrw_instance *instances = s->workers.instances;
    const uint32_t instance_count = s->workers.instance_count;
    const bool whole = whole_clip && !s->def->cameras;
    const uint32_t more = whole ? mrwi_frame_fit_times(instances, instance_count, NULL) : 0;
    const uint32_t apart = more / MOST_CLIP_TIMES + 1;
    s->times = mrwi_base_alloc((size_t)count + more, sizeof *s->times);
    if (!s->times) {
        return mrwi_base_fail_memory(error, count * sizeof *s->times);
    }
    memcpy(s->times, times, count * sizeof *times);
    s->count = count;
    if (s->def->cameras) {
        return MRW_OK;
    }
    double *clip = s->times + count;
    if (more > 0) {
        mrwi_frame_fit_times(instances, instance_count, clip);
    }
    uint32_t total = count;
    for (uint32_t i = 0; i < more; i += apart) {
        s->times[total++] = clip[i];
    }
    qsort(s->times, total, sizeof *s->times, compare_times);
    s->count = 0;
    for (uint32_t i = 0; i < total; i++) {
        if (s->count == 0 || s->times[i] != s->times[s->count - 1]) {
            s->times[s->count++] = s->times[i];
        }
    }
    return MRW_OK;
}

static mrw_status find(search *s, int threads, mrw_error *error)
{
    const mrw_instance *instances = s->workers.instances;
    const uint32_t instance_count = s->workers.instance_count;
    bool plays = false;
    for (uint32_t i = 0; i < instance_count; i++) {
        plays = plays || mrwi_frame_plays(&instances[i]);
    }
    if (!s->def->cameras && !plays) {
        s->count = 1; /* all pictures are the same */
    }
    mrw_status status =
        mrwi_frame_workers_create(&s->workers, NULL, mrwi_frame_workers_count(threads, s->count),
                                  instances, instance_count, error);
    if (status) {
        goto out;
    }
    s->threads_inside = s->count == 1 ? threads : 1;
    mrwi_base_parallel_for(s->workers.size, s->count, look_at_time, s);
    status = mrwi_frame_workers_end(&s->workers, error);
out:
    mrwi_frame_workers_free(&s->workers);
    return status;
}

mrw_status mrw_frame_find_levels(const mrw_frame_def *def, const mrw_instance *instances,
                                 uint32_t instance_count, const double *times, uint32_t time_count,
                                 bool whole_clip, int threads, mrw_error *error)
{
    search s = {.def = def, .workers = {.instances = instances, .instance_count = instance_count}};
    assert(instances && instance_count > 0 && times && time_count > 0 && threads > 0);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if ((uint64_t)time_count * def->view_count > FEW_PICTURES) {
        keep_middle_textures(&s.workers);
    }
    if (status || !any_open(&s.workers)) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = list_times(&s, times, time_count, whole_clip, error);
    if (!status) {
        status = find(&s, threads, error);
    }
    mrwi_base_free(s.times);
    mrwi_base_fp_leave(fp);
    return status;
}
