/* stage.c: what is in a picture: the model, those of --add, and the camera that sees them. */
#include "base/memory.h"
#include "base/text.h"
#include "stage/cache.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A model of --add. */
typedef struct added_model {
    mrwi_stage_loaded *loaded; /* the cache's */
    const mrw_scene *scene;
    const mrw_model *prepared;
    uint32_t node; /* of the first model, or MRW_NONE */
    bool again;    /* another one on the stage before it is the same */
} added_model;

/* Where a clip was seen from when its textures were looked at. */
typedef struct kept_aim {
    bool known;
    mrw_camera camera;
    mrw_follow follow;
} kept_aim;

typedef struct mrw_stage_owned {
    mrw_stage_cache *cache; /* the stage's, or one of its own */
    mrw_stage_cache *own_cache;
    mrwi_stage_loaded *loaded; /* the model, where it is the cache's */
    const mrw_model *prepared;
    mrw_model *own_prepared; /* where it is not */
    added_model *added_models;
    uint32_t added_count;
    mrw_track *tracks; /* the model's, of which the first changes with the clip at hand */
    mrw_mix mix;
    mrw_view_def view;
    float aspect;
    bool framed;    /* and the camera stays for all clips */
    bool sequence;  /* see mrw_stage_begin */
    kept_aim *aims; /* one a clip, then one for none; NULL: aim anew each time */
} mrw_stage_owned;

/* ---- beginning ------------------------------------------------------------------------------- */

/* Finds what --camera and --follow name. */
static mrw_status choose_camera(mrw_stage *stage, mrw_error *error)
{
    const mrw_settings *settings = stage->model->settings;
    mrw_status status = MRW_OK;
    if (settings->camera) {
        status = mrw_scene_find_camera(stage->model->scene, settings->camera,
                                       &stage->frame.scene_camera, error);
        status = status == MRW_OK ? MRW_OK : mrwi_stage_prefix(error, stage->model->path, status);
    }
    if (status == MRW_OK && settings->follow) {
        status =
            mrw_stage_find_node(stage->model, settings->follow, &stage->frame.follow.node, error);
    }
    return status;
}

static mrw_status make_parts(mrw_stage *stage, mrw_error *error)
{
    const mrw_settings *settings = stage->model->settings;
    const mrw_stage_mix *mix = &stage->model->mix;
    mrw_stage_owned *owned = mrwi_base_alloc_zero(1, sizeof *owned);
    if (!owned) {
        return mrwi_base_fail_memory(error, sizeof *owned);
    }
    stage->owned = owned;
    owned->view = mrwi_stage_view(settings);
    owned->aspect = (float)settings->width / (float)settings->height;
    if (mix->track_count > 0) {
        owned->tracks = mrwi_base_alloc(mix->track_count, sizeof *owned->tracks);
        if (!owned->tracks) {
            return mrwi_base_fail_memory(error, mix->track_count * sizeof *owned->tracks);
        }
        memcpy(owned->tracks, mix->tracks, mix->track_count * sizeof *owned->tracks);
        owned->mix = (mrw_mix){owned->tracks, mix->track_count, mix->sync};
    }
    return MRW_OK;
}

mrw_status mrw_stage_begin(mrw_stage *stage, const mrw_stage_model *model, bool sequence,
                           mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_fit usual = sequence ? MRW_FIT_CLIP : MRW_FIT_FRAME;
    *stage = (mrw_stage){.model = model,
                         .frame = mrwi_stage_frame(settings),
                         .threads = mrw_stage_threads(settings)};
    stage->fit = mrw_settings_given(settings, "fit") ? (mrw_fit)settings->fit : usual;
    mrw_status status = make_parts(stage, error);
    if (status == MRW_OK) {
        stage->owned->sequence = sequence;
        status = choose_camera(stage, error);
    }
    if (status != MRW_OK) {
        mrw_stage_free(stage);
    }
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Says what --max-influences took away, if it was given. */
static void tell_cut(const mrw_stage_host *host, const mrw_scene *scene, const mrw_model *model,
                     uint32_t most)
{
    const mrw_influence_cut cut = mrw_model_influence_cut(model);
    char text[256], weight[32], sum[32];
    uint64_t skinned = 0;
    if (most == 0) {
        return;
    }
    for (uint32_t g = 0; g < scene->groups_count; g++) {
        skinned += scene->groups[g].influence_count > 0 ? scene->groups[g].vertex_count : 0;
    }
    mrwi_base_format_fixed((double)cut.largest_weight, 4, weight);
    mrwi_base_format_fixed((double)cut.largest_sum, 4, sum);
    snprintf(text, sizeof text,
             "cut to %u influences: %llu of %llu skinned vertices lost some; the largest weight "
             "dropped was %s, the largest sum %s",
             most, (unsigned long long)cut.vertices, (unsigned long long)skinned, weight, sum);
    mrwi_stage_detail(host, text);
}

static mrw_model_def model_def(const mrw_stage *stage)
{
    mrw_model_def def = mrw_model_def_default();
    def.shading = stage->frame.shading;
    def.max_influences = stage->model->settings->max_influences;
    def.later_textures = stage->fewest_levels;
    return def;
}

/* A model of the cache. */
static mrw_status prepare_loaded(const mrw_stage *stage, mrwi_stage_loaded *loaded,
                                 const mrw_stage_host *host, const mrw_model **out,
                                 mrw_error *error)
{
    const mrw_model_def def = model_def(stage);
    bool made;
    mrw_status status = mrwi_stage_loaded_model(loaded, &def, stage->threads, out, &made, error);
    if (status == MRW_OK && made) {
        tell_cut(host, mrwi_stage_loaded_scene(loaded), *out, def.max_influences);
    }
    return status;
}

/* The model itself, which need not be of the cache. */
static mrw_status prepare_model(const mrw_stage *stage, const mrw_stage_host *host,
                                mrw_error *error)
{
    mrw_stage_owned *owned = stage->owned;
    const mrw_scene *scene = stage->model->scene;
    const mrw_model_def def = model_def(stage);
    owned->loaded = mrwi_stage_cache_find(owned->cache, scene);
    if (owned->loaded) {
        return prepare_loaded(stage, owned->loaded, host, &owned->prepared, error);
    }
    mrw_status status =
        mrw_model_create_with(scene, &def, stage->threads, &owned->own_prepared, error);
    owned->prepared = owned->own_prepared;
    if (status == MRW_OK) {
        tell_cut(host, scene, owned->prepared, def.max_influences);
    }
    return status;
}

/* What the models loaded so far leave of --texture-memory. */
static uint64_t memory_left(const mrw_stage *stage)
{
    const mrw_stage_owned *owned = stage->owned;
    uint64_t left = stage->model->settings->texture_memory;
    for (uint32_t i = 0; i <= owned->added_count; i++) {
        const added_model *p = i == 0 ? NULL : &owned->added_models[i - 1];
        const mrw_scene *scene = p ? p->scene : stage->model->scene;
        const uint64_t used = scene && !(p && p->again) ? mrw_scene_texture_memory(scene) : 0;
        left -= used < left ? used : left;
    }
    return left;
}

/* The model, or one of --add, that is what is asked for; NULL when none of them is. */
static mrwi_stage_loaded *find_on_stage(const mrw_stage *stage, const mrwi_stage_wanted *wanted)
{
    const mrw_stage_owned *owned = stage->owned;
    if (owned->loaded && mrwi_stage_loaded_is(owned->loaded, wanted)) {
        return owned->loaded;
    }
    for (uint32_t i = 0; i < owned->added_count; i++) {
        const added_model *p = &owned->added_models[i];
        if (p->loaded && !p->again && mrwi_stage_loaded_is(p->loaded, wanted)) {
            return p->loaded;
        }
    }
    return NULL;
}

/* A model that stands on the stage already takes no more memory. Another one is read with all that
 * the settings allow, so that stages can share it, and again with what is left where it takes more
 * than that. */
static mrw_status take_added(const mrw_stage *stage, mrwi_stage_wanted *wanted,
                             mrw_settings *reading, added_model *p, mrw_error *error)
{
    mrw_stage_cache *cache = stage->owned->cache;
    p->loaded = find_on_stage(stage, wanted);
    p->again = p->loaded;
    if (!p->loaded) {
        const uint64_t left = memory_left(stage);
        mrw_status status = mrwi_stage_cache_take(cache, wanted, &p->loaded, error);
        if (status == MRW_OK &&
            mrw_scene_texture_memory(mrwi_stage_loaded_scene(p->loaded)) > left) {
            mrwi_stage_cache_give(cache, p->loaded);
            reading->texture_memory = left;
            status = mrwi_stage_cache_take(cache, wanted, &p->loaded, error);
        }
        if (status != MRW_OK) {
            return status;
        }
        mrwi_stage_cache_keep(cache, p->loaded);
    }
    p->scene = mrwi_stage_loaded_scene(p->loaded);
    return MRW_OK;
}

/* Loads MODEL or MODEL@NODE; a file that has the whole name is meant first. */
static mrw_status load_added_one(const mrw_stage *stage, const char *text,
                                 const mrw_stage_host *host, added_model *p, mrw_error *error)
{
    const char *at = access(text, F_OK) == 0 ? NULL : mrw_split_at(text);
    size_t length = at ? (size_t)(at - text) : strlen(text);
    mrw_settings settings = *stage->model->settings;
    char path[4096];
    p->node = MRW_NONE;
    if (length >= sizeof path) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "--add: the path is too long");
    }
    memcpy(path, text, length);
    path[length] = '\0';
    settings.anims.count = 0; /* these are about the first model */
    settings.scene = NULL;
    settings.input_format = NULL;
    mrwi_stage_wanted wanted = mrwi_stage_want(path, &settings, host);
    mrw_status status = take_added(stage, &wanted, &settings, p, error);
    if (status == MRW_OK) {
        status = prepare_loaded(stage, p->loaded, host, &p->prepared, error);
    }
    if (status == MRW_OK && at) {
        status = mrw_stage_find_node(stage->model, at + 1, &p->node, error);
    }
    return status;
}

static mrw_status load_added(mrw_stage *stage, const mrw_stage_host *host, mrw_error *error)
{
    const mrw_text_list *added = &stage->model->settings->added;
    mrw_stage_owned *owned = stage->owned;
    mrw_status status = MRW_OK;
    owned->added_models = mrwi_base_alloc_zero(added->count, sizeof *owned->added_models);
    if (!owned->added_models) {
        return mrwi_base_fail_memory(error, added->count * sizeof *owned->added_models);
    }
    for (size_t i = 0; i < added->count && status == MRW_OK; i++) {
        added_model *p = &owned->added_models[owned->added_count++];
        status = load_added_one(stage, added->items[i], host, p, error);
    }
    return status;
}

static mrw_instance place(const mrw_stage *stage, const added_model *p)
{
    const mrw_settings *settings = stage->model->settings;
    mrw_instance instance = mrw_instance_default(p ? p->prepared : stage->owned->prepared);
    instance.pose = (mrw_pose)settings->pose;
    instance.skinning = (mrw_skinning)settings->skinning;
    instance.loop = settings->wrap == MRW_TIME_LOOP;
    instance.root_motion = (mrw_root_motion)settings->root_motion;
    if (!p) {
        mrw_view_model_transform(settings->translate, settings->rotate, settings->scale,
                                 &instance.model_to_world);
    } else if (p->node != MRW_NONE) {
        instance.attached = true;
        instance.parent_node = p->node;
    }
    return instance;
}

static mrw_status place_instances(mrw_stage *stage, mrw_error *error)
{
    const mrw_stage_owned *owned = stage->owned;
    const uint32_t count = owned->added_count + 1;
    stage->instances = mrwi_base_alloc_zero(count, sizeof *stage->instances);
    stage->scenes = mrwi_base_alloc_zero(count, sizeof *stage->scenes);
    if (!stage->instances || !stage->scenes) {
        return mrwi_base_fail_memory(error, count * sizeof *stage->instances);
    }
    stage->instance_count = count;
    stage->instances[0] = place(stage, NULL);
    stage->scenes[0] = stage->model->scene;
    for (uint32_t i = 1; i < count; i++) {
        stage->instances[i] = place(stage, &owned->added_models[i - 1]);
        stage->scenes[i] = owned->added_models[i - 1].scene;
    }
    return MRW_OK;
}

/* ---- textures -------------------------------------------------------------------------------- */

/* True when settings may ask for a part of a clip's pictures: then the whole of it counts, too, so
 * that the levels kept are the same whichever part it is. */
static bool names_pictures(const mrw_stage *stage)
{
    const mrw_settings *settings = stage->model->settings;
    return !stage->owned->sequence || mrw_settings_given(settings, "frames") ||
           mrw_settings_given(settings, "times") || mrw_settings_given(settings, "count");
}

/* Finds the levels of textures that pictures of one clip show. */
static mrw_status find_levels(mrw_stage *stage, const mrw_picture *pictures, uint32_t count,
                              mrw_error *error)
{
    const bool each = stage->fit == MRW_FIT_FRAME;
    double *times = mrwi_base_alloc(count, sizeof *times);
    mrw_camera *cameras = mrwi_base_alloc(each ? count : 0, sizeof *cameras);
    mrw_status status =
        times && cameras ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *times);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        times[i] = pictures[i].play_time;
        if (each || i == 0) {
            mrw_stage_play(stage, &pictures[i]);
            status = mrw_stage_aim(stage, error);
        }
        if (each) {
            cameras[i] = stage->frame.camera;
        }
    }
    if (status == MRW_OK) {
        mrw_frame_def frame = stage->frame;
        frame.cameras = each ? cameras : NULL;
        status = mrw_frame_find_levels(&frame, stage->instances, stage->instance_count, times,
                                       count, names_pictures(stage), stage->threads, error);
    }
    mrwi_base_free(times);
    mrwi_base_free(cameras);
    return status;
}

/* The same of all pictures that settings ask for, those of other shards too. */
static mrw_status find_all_levels(mrw_stage *stage, mrw_error *error)
{
    mrw_stage_owned *owned = stage->owned;
    mrw_picture_list list = {0};
    const uint32_t aims = stage->model->scene->clips_count + 1;
    owned->aims = mrwi_base_alloc_zero(aims, sizeof *owned->aims);
    if (!owned->aims) {
        return mrwi_base_fail_memory(error, aims * sizeof *owned->aims);
    }
    mrw_status status = mrw_stage_pictures(stage->model, owned->sequence, &list, error);
    for (uint32_t first = 0, end; first < list.count && status == MRW_OK; first = end) {
        for (end = first; end < list.count && list.items[end].clip == list.items[first].clip;) {
            end++;
        }
        status = find_levels(stage, list.items + first, end - first, error);
    }
    mrw_picture_list_free(&list);
    return status;
}

/* Whether an instance before shows the same model. */
static bool is_again(const mrw_stage *stage, uint32_t instance)
{
    for (uint32_t i = 0; i < instance; i++) {
        if (stage->instances[i].model == stage->instances[instance].model) {
            return true;
        }
    }
    return false;
}

/* Models and scenes are the stage's alone, so it may change them. */
static mrw_status fill_textures(mrw_stage *stage, const mrw_stage_host *host, mrw_error *error)
{
    uint64_t memory = 0;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < stage->instance_count && status == MRW_OK; i++) {
        if (!is_again(stage, i)) {
            mrw_model *model = (void *)(uintptr_t)stage->instances[i].model;
            status = mrw_model_fill_textures(model, stage->threads, error);
            memory += mrw_model_texture_memory(model);
        }
    }
    for (uint32_t i = 0; i < stage->instance_count && status == MRW_OK; i++) {
        mrw_scene_drop_texels((mrw_scene *)(uintptr_t)stage->scenes[i]);
    }
    if (status == MRW_OK && memory > 0) {
        char text[64], size[32];
        mrwi_base_format_fixed((double)memory * 1e-6, 1, size);
        snprintf(text, sizeof text, "textures: %s MB", size);
        mrwi_stage_detail(host, text);
    }
    return status;
}

mrw_status mrw_stage_prepare(mrw_stage *stage, const mrw_stage_host *host, mrw_error *error)
{
    mrw_stage_owned *owned = stage->owned;
    mrw_status status = MRW_OK;
    owned->cache = stage->cache;
    if (!owned->cache) {
        status = mrw_stage_cache_create(&owned->own_cache, error);
        owned->cache = owned->own_cache;
    }
    if (status == MRW_OK) {
        status = prepare_model(stage, host, error);
    }
    if (status == MRW_OK) {
        status = load_added(stage, host, error);
    }
    if (status == MRW_OK) {
        status = place_instances(stage, error);
    }
    if (status == MRW_OK && stage->fewest_levels) {
        status = find_all_levels(stage, error);
        status = status == MRW_OK ? fill_textures(stage, host, error) : status;
    }
    return status;
}

void mrw_stage_free(mrw_stage *stage)
{
    mrw_stage_owned *owned = stage->owned;
    if (owned) {
        mrw_model_free(owned->own_prepared);
        mrw_stage_cache_free(owned->own_cache);
        mrwi_base_free(owned->added_models);
        mrwi_base_free(owned->tracks);
        mrwi_base_free(owned->aims);
        mrwi_base_free(owned);
    }
    mrwi_base_free(stage->instances);
    mrwi_base_free(stage->scenes);
    *stage = (mrw_stage){0};
}

/* ---- playing --------------------------------------------------------------------------------- */

/* The clip of an added model while the model plays `clip`: the one of the same name, or its first.
 */
static uint32_t clip_of_added(const mrw_scene *theirs, const mrw_scene *ours, uint32_t clip)
{
    if (theirs->clips_count == 0) {
        return MRW_NONE;
    }
    for (uint32_t c = 0; clip != MRW_NONE && c < theirs->clips_count; c++) {
        if (strcmp(mrw_scene_string(theirs, theirs->clips[c].name),
                   mrw_scene_string(ours, ours->clips[clip].name)) == 0) {
            return c;
        }
    }
    return 0;
}

static void play_clip(mrw_stage *stage, uint32_t clip)
{
    mrw_stage_owned *owned = stage->owned;
    stage->instances[0].clip = clip;
    if (owned->tracks) {
        if (!stage->model->mix.fixed) {
            owned->tracks[0].clip = clip;
        }
        stage->instances[0].mix = &owned->mix;
    }
    for (uint32_t i = 1; i < stage->instance_count; i++) {
        stage->instances[i].clip = clip_of_added(stage->scenes[i], stage->scenes[0], clip);
    }
}

void mrw_stage_play(mrw_stage *stage, const mrw_picture *picture)
{
    play_clip(stage, picture->clip);
    mrw_rate rate = mrw_stage_clip_rate(stage->model, picture->clip);
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        stage->instances[i].time = picture->play_time;
        stage->instances[i].rate = rate;
    }
}

/* ---- the camera ------------------------------------------------------------------------------ */

static mrw_status start_following(mrw_stage *stage, mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    mrw_status status = mrw_renderer_create(&renderer, error);
    if (status == MRW_OK) {
        status = mrw_follow_node(renderer, &stage->instances[0], stage->frame.follow.node,
                                 &stage->frame.follow, error);
    }
    mrw_renderer_free(renderer);
    return status;
}

static mrw_status extents_of(mrw_stage *stage, mrw_fit fit, mrw_extents *out, mrw_error *error)
{
    return mrw_frame_extents_following(
        stage->instances, stage->instance_count, &stage->frame.follow, fit, &stage->owned->view,
        stage->owned->aspect, stage->frame.isa, stage->threads, out, error);
}

/* Every clip in turn, each with the clips that the others play along with it. */
static mrw_status extents_of_all(mrw_stage *stage, mrw_extents *out, mrw_error *error)
{
    const uint32_t count = stage->model->scene->clips_count;
    const uint32_t now = stage->instances[0].clip;
    mrw_status status = MRW_OK;
    for (uint32_t c = 0; c < count && status == MRW_OK; c++) {
        mrw_extents part;
        play_clip(stage, c);
        status = extents_of(stage, MRW_FIT_CLIP, c == 0 ? out : &part, error);
        if (status == MRW_OK && c > 0) {
            mrw_extents_merge(out, &part);
        }
    }
    play_clip(stage, now);
    return status;
}

/* Messages about the view itself carry no path. */
static mrw_status about_model(const mrw_stage *stage, mrw_status status, mrw_error *error)
{
    return status == MRW_ERROR_INPUT ? mrwi_stage_prefix(error, stage->model->path, status)
                                     : status;
}

mrw_status mrw_stage_extents(mrw_stage *stage, mrw_extents *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    bool each = stage->fit == MRW_FIT_ALL && stage->model->settings->pose == MRW_POSE_CLIP &&
                stage->model->scene->clips_count > 0 && !stage->model->mix.fixed;
    if (stage->frame.follow.node != MRW_NONE) {
        status = start_following(stage, error);
    }
    if (status == MRW_OK) {
        status =
            each ? extents_of_all(stage, out, error) : extents_of(stage, stage->fit, out, error);
    }
    return about_model(stage, status, error);
}

/* True when what is drawn may leave what is framed: a clip, the pose at rest; loops that go on, the
 * first of them. */
static bool may_leave_extents(const mrw_stage *stage)
{
    return stage->fit == MRW_FIT_REST ||
           stage->model->settings->root_motion == MRW_ROOT_MOTION_LOOP;
}

/* Then near and far, which enclose the extents, must not cut it: it is seen as far as the picture
 * reaches. Where the camera stands is the same. */
static mrw_status widen(const mrw_stage *stage, const mrw_extents *extents, mrw_camera *camera,
                        mrw_error *error)
{
    const mrw_stage_owned *owned = stage->owned;
    mrw_view_def view = owned->view;
    if (!(view.near_plane > 0.0f)) {
        const float nearest = camera->near_plane * 0.05f, steady = camera->far_plane * 1e-3f;
        const float wide = nearest > steady ? nearest : steady; /* depth has 24 bits */
        view.near_plane = wide < camera->near_plane ? wide : camera->near_plane;
    }
    if (!(view.far_plane > 0.0f)) {
        view.far_plane = camera->far_plane * 20.0f;
    }
    return mrw_view_camera(&view, extents, owned->aspect, camera, error);
}

mrw_status mrw_stage_aim_at(mrw_stage *stage, const mrw_extents *extents, mrw_error *error)
{
    const mrw_stage_owned *owned = stage->owned;
    mrw_camera *camera = &stage->frame.camera;
    mrw_status status = mrw_view_camera(&owned->view, extents, owned->aspect, camera, error);
    if (status == MRW_OK && may_leave_extents(stage)) {
        status = widen(stage, extents, camera, error);
    }
    return about_model(stage, status, error);
}

/* Where the camera of the clip at hand was kept, or is to be; NULL: nowhere. */
static kept_aim *aim_of_clip(const mrw_stage *stage)
{
    const uint32_t clip = stage->instances[0].clip;
    if (!stage->owned->aims || stage->fit != MRW_FIT_CLIP) {
        return NULL;
    }
    return &stage->owned->aims[clip == MRW_NONE ? stage->model->scene->clips_count : clip];
}

mrw_status mrw_stage_aim(mrw_stage *stage, mrw_error *error)
{
    mrw_extents extents;
    if (stage->frame.scene_camera != MRW_NONE || stage->owned->framed) {
        return MRW_OK;
    }
    kept_aim *kept = aim_of_clip(stage);
    if (kept && kept->known) {
        stage->frame.camera = kept->camera;
        stage->frame.follow = kept->follow;
        return MRW_OK;
    }
    mrw_status status = mrw_stage_extents(stage, &extents, error);
    if (status == MRW_OK) {
        status = mrw_stage_aim_at(stage, &extents, error);
    }
    stage->owned->framed =
        status == MRW_OK && (stage->fit == MRW_FIT_ALL || stage->fit == MRW_FIT_REST);
    if (status == MRW_OK && kept) {
        *kept = (kept_aim){true, stage->frame.camera, stage->frame.follow};
    }
    return status;
}
