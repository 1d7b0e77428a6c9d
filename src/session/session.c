/* session.c: builds the contents of pictures: the model, the models of --add, and their clips. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/text.h"
#include "options/table.h"
#include "session/state.h"

#include <float.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A model of --add. */
typedef struct mrwi_session_added {
    mrwi_session_loaded *loaded; /* Owned by the session's cache. */
    const mrw_scene *scene;
    const mrw_model *prepared;
    uint32_t node; /* Parent node in the first model, or MRW_NONE. */
    bool again;    /* An earlier model of the session is the same one. */
    uint32_t clip; /* Clip that --add names, or MRW_NONE. */
    mrw_placement placement;
} added_model;

/* ---- beginning ------------------------------------------------------------------------------- */

/* Allocates session->owned and what depends on the settings alone. The caller frees the session if
 * this fails. */
static mrw_status make_owned(mrw_session *session, mrw_error *error)
{
    const mrw_settings *settings = session->model->settings;
    const mrw_session_mix *mix = &session->model->mix;
    mrw_session_owned *owned = mrwi_base_alloc_zero(1, sizeof *owned);
    if (!owned) {
        return mrwi_base_fail_memory(error, sizeof *owned);
    }
    session->owned = owned;
    owned->view_count = mrw_session_view_count(settings);
    owned->views = mrwi_base_alloc(owned->view_count, sizeof *owned->views);
    owned->aims = mrwi_base_alloc_zero(
        owned->view_count * mrwi_session_aims_of_view(session->model->scene), sizeof *owned->aims);
    if (mrwi_session_shares_distance(settings)) {
        owned->extents = mrwi_base_alloc(owned->view_count, sizeof *owned->extents);
    }
    if (!owned->views || !owned->aims ||
        (!owned->extents && mrwi_session_shares_distance(settings))) {
        return mrwi_base_fail_memory(error, owned->view_count * sizeof *owned->aims);
    }
    owned->aspect = (float)settings->picture.width / (float)settings->picture.height;
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

mrw_status mrw_session_begin(mrw_session *session, const mrw_session_model *model, bool sequence,
                             mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_frame_def *frame = &session->frame;
    *session = (mrw_session){.model = model,
                             .frame = mrw_session_frame_def(settings),
                             .threads = mrw_session_threads(settings)};
    session->fit = mrw_session_fit(settings, sequence);
    mrw_status status = make_owned(session, error);
    if (status) {
        goto out;
    }
    mrw_session_owned *owned = session->owned;
    owned->sequence = sequence;
    status = mrwi_session_find_views(model, owned->views, error);
    if (status) {
        goto out;
    }
    frame->view_count = mrw_session_turns(settings) ? 1 : owned->view_count;
    frame->scene_camera = owned->views[0].scene_camera;
    if (settings->camera.follow) {
        status = mrw_session_find_node(model, settings->camera.follow, &frame->follow.node, error);
        if (status) {
            goto out;
        }
    }
    if (settings->lights.count > 0) {
        status = mrwi_session_lights(model, &owned->lights, error);
        frame->lights = owned->lights;
        frame->light_count = (uint32_t)settings->lights.count;
    }
out:
    if (status) {
        mrw_session_free(session);
    }
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Tells the host which influences --max-influences cut. most: that limit; 0 without the option. */
static void tell_cut(const mrw_session_host *host, const mrw_scene *scene, const mrw_model *model,
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
    mrwi_session_detail(host, text);
}

/* Tells the host how many nodes and channels of the file hide something. */
static void tell_hidden(const mrw_session_host *host, const mrw_scene *scene, bool shows_it)
{
    char text[256];
    uint32_t nodes = 0, curves = 0;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        nodes += (scene->nodes[i].flags & (MRW_NODE_HIDDEN | MRW_NODE_NOT_SHOWN)) != 0;
    }
    for (uint32_t i = 0; i < scene->channels_count; i++) {
        curves += scene->channels[i].path == MRW_PATH_VISIBILITY;
    }
    if (nodes > 0 || curves > 0) {
        snprintf(text, sizeof text,
                 "the file hides %u of %u nodes, and clips hide and show some in %u channels; %s",
                 nodes, scene->nodes_count, curves,
                 shows_it ? "--show-hidden draws them all" : "--show-hidden would draw them");
        mrwi_session_detail(host, text);
    }
}

static mrw_model_def model_def(const mrw_session *session)
{
    mrw_model_def def = mrw_model_def_default();
    def.shading = session->frame.shading;
    def.max_influences = session->model->settings->model.max_influences;
    def.show_hidden = session->model->settings->model.show_hidden;
    def.sides = (mrw_sides)session->model->settings->model.sides;
    def.later_textures = session->fewest_levels;
    def.maps = mrwi_session_prepared_maps(session);
    for (uint32_t i = 0; i < session->frame.aov_count; i++) {
        def.normals = def.normals || session->frame.aovs[i].aov == MRW_AOV_NORMAL;
    }
    return def;
}

/* Prepares a model of the cache, which must have been loaded with the same rules for left-out nodes
 * as def->left_out. */
static mrw_status prepare_loaded(const mrw_session *session, mrwi_session_loaded *loaded,
                                 const mrw_model_def *def, const mrw_session_host *host,
                                 const mrw_model **out, mrw_error *error)
{
    bool made;
    mrw_status status = mrwi_session_loaded_model(loaded, def, session->threads, out, &made, error);
    if (status) {
        return status;
    }
    if (made) {
        tell_cut(host, mrwi_session_loaded_scene(loaded), *out, def->max_influences);
        tell_hidden(host, mrwi_session_loaded_scene(loaded), def->show_hidden);
    }
    return MRW_OK;
}

/* ---- parts that are left out ----------------------------------------------------------------- */

/* Applies one rule of --hide and --show to all nodes that it matches. MRW_ERROR_INPUT, with the
 * nearest names, if it matches none. */
static mrw_status apply_rule(const mrw_session_model *model, const mrw_node_rule *rule,
                             bool *left_out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    uint32_t first;
    mrw_status status = mrw_session_find_node(model, rule->node, &first, error);
    if (status) {
        return status;
    }
    bool *matches = mrwi_base_alloc_zero(scene->nodes_count, sizeof *matches);
    if (!matches) {
        return mrwi_base_fail_memory(error, scene->nodes_count);
    }
    for (uint32_t i = first; i < scene->nodes_count; i++) { /* parents come first */
        const char *name = mrw_scene_string(scene, scene->nodes[i].name);
        const uint32_t parent = scene->nodes[i].parent;
        matches[i] = i == first || strcmp(rule->node, name) == 0 ||
                     mrwi_base_glob(rule->node, name) || (parent != MRW_NONE && matches[parent]);
        left_out[i] = matches[i] ? !rule->show : left_out[i];
    }
    mrwi_base_free(matches);
    return MRW_OK;
}

/* Prepares the model itself, which may be outside the cache, without the nodes that --hide and
 * --show leave out. */
static mrw_status prepare_model(const mrw_session *session, const mrw_session_host *host,
                                mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    const mrw_scene *scene = session->model->scene;
    const mrw_node_rules *rules = &session->model->settings->model.parts;
    mrw_model_def def = model_def(session);
    bool *left_out = NULL;
    mrw_status status = MRW_OK;
    if (rules->count > 0) {
        left_out = mrwi_base_alloc_zero(scene->nodes_count, sizeof *left_out);
        if (!left_out) {
            return mrwi_base_fail_memory(error, scene->nodes_count);
        }
        for (size_t i = 0; i < rules->count; i++) {
            status = apply_rule(session->model, &rules->items[i], left_out, error);
            if (status) {
                goto out;
            }
        }
    }
    def.left_out = left_out;
    owned->loaded = mrwi_session_cache_find(owned->cache, scene);
    if (owned->loaded) {
        status = prepare_loaded(session, owned->loaded, &def, host, &owned->prepared, error);
        goto out;
    }
    status = mrw_model_create_with(scene, &def, session->threads, &owned->own_prepared, error);
    if (status) {
        goto out;
    }
    owned->prepared = owned->own_prepared;
    tell_cut(host, scene, owned->prepared, def.max_influences);
    tell_hidden(host, scene, def.show_hidden);
out:
    mrwi_base_free(left_out);
    return status;
}

/* Returns how much of --texture-memory the models loaded so far have left, in bytes. */
static uint64_t memory_left(const mrw_session *session)
{
    const mrw_session_owned *owned = session->owned;
    uint64_t left = session->model->settings->files.texture_memory;
    for (uint32_t i = 0; i <= owned->added_count; i++) {
        const added_model *p = i == 0 ? NULL : &owned->added_models[i - 1];
        const mrw_scene *scene = p ? p->scene : session->model->scene;
        const uint64_t used = scene && !(p && p->again) ? mrw_scene_texture_memory(scene) : 0;
        left -= used < left ? used : left;
    }
    return left;
}

/* Returns the session's model, or a model of --add, that matches `wanted`; NULL if none does. */
static mrwi_session_loaded *find_in_session(const mrw_session *session,
                                            const mrwi_session_wanted *wanted)
{
    const mrw_session_owned *owned = session->owned;
    if (owned->loaded && mrwi_session_loaded_is(owned->loaded, wanted)) {
        return owned->loaded;
    }
    for (uint32_t i = 0; i < owned->added_count; i++) {
        const added_model *p = &owned->added_models[i];
        if (p->loaded && !p->again && mrwi_session_loaded_is(p->loaded, wanted)) {
            return p->loaded;
        }
    }
    return NULL;
}

/* Loads a model of --add. One that the session has already takes no more texture memory. Any other
 * is loaded with all the memory that the settings allow, so that sessions can share it, and loaded
 * again with the memory that is left if it takes more than that. */
static mrw_status take_added(const mrw_session *session, mrwi_session_wanted *wanted,
                             mrw_settings *reading, added_model *p, mrw_error *error)
{
    mrw_session_cache *cache = session->owned->cache;
    p->loaded = find_in_session(session, wanted);
    p->again = p->loaded;
    if (!p->loaded) {
        const uint64_t left = memory_left(session);
        mrw_status status = mrwi_session_cache_take(cache, wanted, &p->loaded, error);
        if (status) {
            return status;
        }
        if (mrw_scene_texture_memory(mrwi_session_loaded_scene(p->loaded)) > left) {
            mrwi_session_cache_give(cache, p->loaded);
            reading->files.texture_memory = left;
            status = mrwi_session_cache_take(cache, wanted, &p->loaded, error);
            if (status) {
                return status;
            }
        }
        mrwi_session_cache_keep(cache, p->loaded);
    }
    p->scene = mrwi_session_loaded_scene(p->loaded);
    return MRW_OK;
}

mrw_status mrwi_session_split_added(const char *text, mrwi_session_reading *out, mrw_error *error)
{
    mrw_status status = mrw_placement_parse(text, &out->placement, error);
    const size_t length = out->placement.length;
    out->path[0] = out->node[0] = '\0';
    if (status) {
        return status;
    }
    if (length >= sizeof out->path) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "--add: the path is too long");
    }
    memcpy(out->path, text, length);
    out->path[length] = '\0';
    const char *at = access(out->path, F_OK) == 0 ? NULL : mrw_split_at(out->path);
    if (at) {
        memcpy(out->node, at + 1, strlen(at + 1) + 1);
        out->path[at - out->path] = '\0';
    }
    return MRW_OK;
}

mrw_status mrwi_session_read_added(const mrw_settings *settings, const char *text,
                                   mrwi_session_reading *out, mrw_error *error)
{
    mrw_settings *own = &out->settings;
    mrw_status status = mrwi_session_split_added(text, out, error);
    if (status) {
        return status;
    }
    *own = *settings;
    own->animation.anims.count = 0; /* this and the rest are about the first model alone */
    own->files.scene = NULL;
    own->files.variant = NULL;
    own->files.input_format = NULL;
    own->model.displacement = NULL;
    own->model.parts.count = 0;
    own->model.subdivide = 0;
    return MRW_OK;
}

/* Loads and prepares one model of --add, and finds its parent node and its clip. */
static mrw_status load_added_one(const mrw_session *session, const char *text,
                                 const mrw_session_host *host, added_model *p, mrw_error *error)
{
    const mrw_model_def def = model_def(session);
    mrwi_session_reading reading;
    p->node = p->clip = MRW_NONE;
    mrw_status status = mrwi_session_read_added(session->model->settings, text, &reading, error);
    if (status) {
        return status;
    }
    const mrwi_session_source source = {.path = reading.path};
    mrwi_session_wanted wanted = mrwi_session_want(&source, &reading.settings, host);
    status = take_added(session, &wanted, &reading.settings, p, error);
    if (status) {
        return status;
    }
    status = prepare_loaded(session, p->loaded, &def, host, &p->prepared, error);
    if (status) {
        return status;
    }
    if (reading.node[0] != '\0') {
        status = mrw_session_find_node(session->model, reading.node, &p->node, error);
        if (status) {
            return status;
        }
    }
    p->placement = reading.placement;
    if (!p->placement.clip) {
        return MRW_OK;
    }
    const mrw_session_model model = {.path = reading.path, .scene = p->scene};
    return mrwi_session_find_clip(&model, p->placement.clip, p->placement.clip_length, &p->clip,
                                  error);
}

static mrw_status load_added(mrw_session *session, const mrw_session_host *host, mrw_error *error)
{
    const mrw_text_list *added = &session->model->settings->model.added;
    mrw_session_owned *owned = session->owned;
    owned->added_models = mrwi_base_alloc_zero(added->count, sizeof *owned->added_models);
    if (!owned->added_models) {
        return mrwi_base_fail_memory(error, added->count * sizeof *owned->added_models);
    }
    for (size_t i = 0; i < added->count; i++) {
        added_model *p = &owned->added_models[owned->added_count++];
        mrw_status status = load_added_one(session, added->items[i], host, p, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Returns the instance of a model of --add, or of the session's model if p is NULL. */
static mrw_instance place(const mrw_session *session, const added_model *p)
{
    const mrw_settings *settings = session->model->settings;
    mrw_instance instance = mrw_instance_default(p ? p->prepared : session->owned->prepared);
    instance.pose = (mrw_pose)settings->animation.pose;
    instance.skinning = (mrw_skinning)settings->model.skinning;
    instance.loop = settings->animation.wrap == MRW_TIME_LOOP;
    instance.beyond = settings->animation.wrap == MRW_TIME_FILE;
    instance.root_motion = (mrw_root_motion)settings->animation.root_motion;
    if (!p) {
        mrw_view_model_transform(settings->model.translate, settings->model.rotate,
                                 settings->model.scale, &instance.model_to_world);
        return instance;
    }
    const mrw_placement *at = &p->placement;
    const float scale[3] = {at->scale, at->scale, at->scale};
    mrw_view_model_transform(at->position, at->rotation, scale, &instance.model_to_world);
    instance.still = at->has_time;
    instance.offset = at->time;
    instance.speed = at->speed;
    if (p->node != MRW_NONE) {
        instance.attached = true;
        instance.parent_node = p->node;
    }
    return instance;
}

/* Places the copies of --copies in rows behind and beside the model, which stands at the left of
 * the front row. Each gets a square with room for the rest pose, times --spread. */
static mrw_status place_copies(mrw_session *session, uint32_t copies, mrw_error *error)
{
    const mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    uint32_t row = 1;
    mrw_status status = mrw_frame_extents(session->instances, 1, MRW_FIT_REST, &view, 1.0f,
                                          session->frame.isa, session->threads, &extents, error);
    if (status) {
        return status;
    }
    const float width = extents.aabb_max[0] - extents.aabb_min[0];
    const float depth = extents.aabb_max[2] - extents.aabb_min[2];
    const mrw_model_settings *settings = &session->model->settings->model;
    const float most = (float)settings->spread * (width > depth ? width : depth);
    const float step = most > 0.0f && most <= FLT_MAX ? most : 0.0f; /* there may be no vertices */
    while (row * row < copies) {
        row++;
    }
    for (uint32_t i = 1; i < copies; i++) {
        const uint32_t at = session->model_count + i - 1;
        mrw_instance *copy = &session->instances[at];
        *copy = session->instances[0];
        copy->model_to_world.m[12] += step * (float)(i % row);
        copy->model_to_world.m[14] -= step * (float)(i / row);
        copy->offset = settings->stagger * (double)i;
        copy->loop = copy->loop || settings->stagger > 0.0; /* otherwise the staggered copies would
                                                             * stop one after another */
        session->scenes[at] = session->scenes[0];
    }
    return MRW_OK;
}

static mrw_status place_instances(mrw_session *session, mrw_error *error)
{
    const mrw_session_owned *owned = session->owned;
    const uint32_t copies = session->model->settings->model.copies;
    const uint32_t count = owned->added_count + copies;
    session->instances = mrwi_base_alloc_zero(count, sizeof *session->instances);
    session->scenes = mrwi_base_alloc_zero(count, sizeof *session->scenes);
    if (!session->instances || !session->scenes) {
        return mrwi_base_fail_memory(error, count * sizeof *session->instances);
    }
    if (session->model->settings->model.stagger > 0.0 &&
        session->model->settings->animation.wrap == MRW_TIME_PINGPONG) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--stagger and --wrap pingpong cannot be combined; use --wrap loop");
    }
    session->instance_count = count;
    session->model_count = owned->added_count + 1;
    session->instances[0] = place(session, NULL);
    session->scenes[0] = session->model->scene;
    for (uint32_t i = 1; i < session->model_count; i++) {
        session->instances[i] = place(session, &owned->added_models[i - 1]);
        session->scenes[i] = owned->added_models[i - 1].scene;
    }
    return copies > 1 ? place_copies(session, copies, error) : MRW_OK;
}

/* ---- textures -------------------------------------------------------------------------------- */

/* Finds the levels of textures that the pictures of all shards show. If the settings may ask for a
 * part of a clip's pictures, levels are found for the whole clip, so that the levels kept do not
 * depend on the part. */
static mrw_status find_levels(mrw_session *session, mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    const bool whole_clips =
        !owned->sequence || (mrwi_options_roles(session->model->settings) & MRWI_OPTIONS_PART) != 0;
    mrw_picture_list list = {0};
    owned->keeps_aims = true;
    mrw_status status = mrw_session_pictures(session->model, owned->sequence, &list, error);
    if (status) {
        goto out;
    }
    for (uint32_t at = 0, run; at < list.count; at += run) {
        mrwi_session_views views;
        run = mrwi_session_clip_run(list.items + at, list.count - at);
        status = mrwi_session_shoot(session, list.items + at, run, NULL, &views, error);
        if (status) {
            goto out;
        }
        mrw_frame_def frame = session->frame;
        frame.views = views.views;
        frame.cameras = views.cameras;
        status =
            mrw_frame_find_levels(&frame, session->instances, session->instance_count, views.times,
                                  views.time_count, whole_clips, session->threads, error);
        mrwi_session_views_free(&views);
        if (status) {
            goto out;
        }
    }
out:
    mrw_picture_list_free(&list);
    return status;
}

/* Returns true if an earlier instance shows the same model. */
static bool is_again(const mrw_session *session, uint32_t instance)
{
    for (uint32_t i = 0; i < instance; i++) {
        if (session->instances[i].model == session->instances[instance].model) {
            return true;
        }
    }
    return false;
}

/* Warns about damaged images that the loads left encoded. */
static void warn_of_damage(const mrw_session *session, const mrw_session_host *host)
{
    const mrw_text_list *added = &session->model->settings->model.added;
    for (uint32_t i = 0; i < session->model_count; i++) {
        mrwi_session_reading reading = {.path = ""};
        if (i > 0) {
            mrwi_session_split_added(added->items[i - 1], &reading, NULL);
        }
        if (!is_again(session, i)) {
            mrwi_session_warn_of_damage(host, i > 0 ? reading.path : session->model->path,
                                        session->scenes[i], session->instances[i].model);
        }
    }
}

/* Fills the levels of textures that the pictures show and drops the scenes' texels. It changes
 * models and scenes, which is safe because no other session uses them. */
static mrw_status fill_fewest(mrw_session *session, const mrw_session_host *host, mrw_error *error)
{
    uint64_t memory = 0;
    mrw_status found = find_levels(session, error);
    if (found) {
        return found;
    }
    for (uint32_t i = 0; i < session->instance_count; i++) {
        if (!is_again(session, i)) {
            mrw_model *model = (void *)(uintptr_t)session->instances[i].model;
            mrw_status status = mrw_model_fill_textures(model, session->threads, error);
            if (status) {
                return status;
            }
            memory += mrw_model_texture_memory(model);
        }
    }
    for (uint32_t i = 0; i < session->instance_count; i++) {
        mrw_scene_drop_texels((mrw_scene *)(uintptr_t)session->scenes[i]);
    }
    if (memory > 0) {
        char text[64], size[32];
        mrwi_base_format_fixed((double)memory * 1e-6, 1, size);
        snprintf(text, sizeof text, "textures: %s MB", size);
        mrwi_session_detail(host, text);
    }
    warn_of_damage(session, host);
    return MRW_OK;
}

/* Writes a line such as "front: +X, of joints: left and right (12), feet (2), against face (1)". */
static void put_front(const mrw_front *front, mrw_text *out)
{
    static const char *const names[MRW_FRONT_SIGNS] = {"left and right", "feet", "face", "spine"};
    const float angle = front->azimuth_degrees;
    const float x = angle == 90.0f ? 1.0f : angle == -90.0f ? -1.0f : 0.0f;
    const float z = x != 0.0f ? 0.0f : angle == 0.0f ? 1.0f : -1.0f;
    const char *before = " of joints:";
    mrw_text_add(out, "front: %c%c,", x + z > 0.0f ? '+' : '-', x != 0.0f ? 'X' : 'Z');
    if (!front->of_joints) {
        mrw_text_puts(out, " by the format's convention");
        return;
    }
    for (int i = 0; i < MRW_FRONT_SIGNS; i++) {
        const float ahead = x * front->ways[i][0] + z * front->ways[i][1];
        if (front->ways[i][0] != 0.0f || front->ways[i][1] != 0.0f) {
            mrw_text_add(out, "%s %s%s (%u)", before, ahead < 0.5f ? "against " : "", names[i],
                         front->counts[i]);
            before = ",";
        }
    }
}

/* Tells the host where the model's front is, if the camera was placed by it. */
static mrw_status tell_front(const mrw_session *session, const mrw_session_host *host,
                             mrw_error *error)
{
    mrw_text text = {0};
    mrw_front front;
    if (!host || !host->detail || !mrw_settings_finds_front(session->model->settings)) {
        return MRW_OK;
    }
    mrw_status status = mrwi_session_find_front(session->model, &front, error);
    if (status) {
        return status;
    }
    put_front(&front, &text);
    mrw_text_add(&text, "; the camera's azimuth is %d",
                 (int)session->owned->views[0].view.azimuth_degrees);
    mrwi_session_detail(host, text.failed ? "front: found" : text.data);
    mrw_text_free(&text);
    return MRW_OK;
}

/* Takes the environments, matcaps and backgrounds that settings name, from the cache. */
static mrw_status choose_shading(mrw_session *session, mrw_error *error)
{
    const mrw_settings *settings = session->model->settings;
    mrw_session_cache *cache = session->owned->cache;
    mrw_status status = mrwi_session_find_channel(settings, &session->frame, error);
    if (status) {
        return status;
    }
    status = mrwi_session_environments_choose(mrwi_session_cache_environments(cache), settings,
                                              &session->frame, error);
    if (status) {
        return status;
    }
    status = mrwi_session_matcaps_choose(mrwi_session_cache_matcaps(cache), settings,
                                         &session->frame, error);
    if (status) {
        return status;
    }
    return mrwi_session_backplate_make(mrwi_session_cache_backplates(cache), settings,
                                       session->threads, &session->frame,
                                       &session->owned->backplate, error);
}

mrw_status mrw_session_prepare(mrw_session *session, const mrw_session_host *host, mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    mrw_status status = MRW_OK;
    owned->cache = session->cache;
    if (!owned->cache) {
        status = mrw_session_cache_create(&owned->own_cache, error);
        if (status) {
            return status;
        }
        owned->cache = owned->own_cache;
    }
    status = choose_shading(session, error);
    if (status) {
        return status;
    }
    status = prepare_model(session, host, error);
    if (status) {
        return status;
    }
    status = load_added(session, host, error);
    if (status) {
        return status;
    }
    status = place_instances(session, error);
    if (status) {
        return status;
    }
    status = tell_front(session, host, error);
    if (status) {
        return status;
    }
    status = mrwi_session_number_draws(session, host, &owned->ids, error);
    session->frame.ids = owned->ids;
    if (status) {
        return status;
    }
    status = mrwi_session_find_joint(session, error);
    if (status) {
        return status;
    }
    if (owned->sequence) {
        mrwi_session_warn_of_short_clips(session->model, host);
    }
    return session->fewest_levels ? fill_fewest(session, host, error) : MRW_OK;
}

void mrw_session_free(mrw_session *session)
{
    mrw_session_owned *owned = session->owned;
    if (owned) {
        mrw_model_free(owned->own_prepared);
        mrw_session_cache_free(owned->own_cache);
        mrwi_base_free(owned->added_models);
        mrwi_base_free(owned->lights);
        mrw_image_free(&owned->backplate);
        mrwi_base_free(owned->ids);
        mrwi_base_free(owned->tracks);
        mrwi_base_free(owned->aims);
        mrwi_base_free(owned->views);
        mrwi_base_free(owned->extents);
        mrwi_base_free(owned);
    }
    mrwi_base_free(session->instances);
    mrwi_base_free(session->scenes);
    *session = (mrw_session){0};
}

/* ---- playing --------------------------------------------------------------------------------- */

/* Returns the clip that an added model plays while the model plays `clip`: the one of the same
 * name, or its default clip. */
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
    return theirs->default_clip;
}

void mrwi_session_play_clip(mrw_session *session, uint32_t clip)
{
    mrw_session_owned *owned = session->owned;
    session->instances[0].clip = clip;
    if (owned->tracks) {
        if (!session->model->mix.fixed) {
            owned->tracks[0].clip = clip;
        }
        session->instances[0].mix = &owned->mix;
    }
    for (uint32_t i = 1; i < session->model_count; i++) {
        const uint32_t named = owned->added_models[i - 1].clip;
        session->instances[i].clip =
            named != MRW_NONE ? named : clip_of_added(session->scenes[i], session->scenes[0], clip);
    }
    for (uint32_t i = session->model_count; i < session->instance_count; i++) {
        session->instances[i].clip = clip;
        session->instances[i].mix = session->instances[0].mix;
    }
}

void mrw_session_play(mrw_session *session, const mrw_picture *picture)
{
    mrw_session_owned *owned = session->owned;
    owned->at = picture->view;
    if (owned->view_count > 1) {
        session->frame.scene_camera = owned->views[owned->at].scene_camera;
    }
    mrwi_session_play_clip(session, picture->clip);
    const mrw_rate rate = mrw_session_time_rate(session->model, picture->clip);
    for (uint32_t i = 0; i < session->instance_count; i++) {
        session->instances[i].time = picture->play_time;
        session->instances[i].rate = rate;
    }
}
