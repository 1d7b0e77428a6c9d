/* changed_cases.c: finds the cases that have the inputs that their goldens were made of. Cheap
 * checks come first: most models need not be loaded, because a text file has already shown that the
 * case changed. */
#include "golden/changed_cases.h"

#include "base/parallel.h"
#include "base/text.h"
#include "golden/failure.h"
#include "golden/options.h"
#include "golden/pictures.h"
#include "session/cache.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct work {
    const mrwi_golden_search *search;
    mrw_session_host host; /* Host for loading. It passes no warnings; drawing gives those. */
    mrwi_golden_scenes scenes;
    mrw_session_cache *added; /* Models of --add */
    atomic_bool stop;
    mrwi_golden_failure failure;
} work;

/* ---- goldens --------------------------------------------------------------------------------- */

/* Returns true when the case uses a picture file of which golden.txt has no hash. */
static bool has_unknown_picture(const mrw_settings *settings)
{
    const char *environment = settings->environment;
    return settings->picture.shading == MRW_SHADING_MATCAP ||
           settings->picture.backplate == MRW_BACKPLATE_PICTURE ||
           (environment && strcmp(environment, "studio") != 0 && strcmp(environment, "none") != 0);
}

/* Returns true when a file begins and ends as a PNG does (PNG third edition, 5.2 and 11.2.5). This
 * excludes cut files and pointers to files elsewhere. */
static bool is_whole_picture(const char *folder, const char *frame)
{
    static const uint8_t first[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const uint8_t last[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    char path[4096];
    uint8_t begin[sizeof first], end[sizeof last];
    const int length = snprintf(path, sizeof path, "%s/%s.png", folder, frame);
    FILE *file = length < (int)sizeof path ? fopen(path, "rb") : NULL;
    if (!file) {
        return false;
    }
    const bool whole = fread(begin, sizeof begin, 1, file) == 1 &&
                       memcmp(begin, first, sizeof first) == 0 &&
                       fseek(file, -(long)sizeof end, SEEK_END) == 0 &&
                       fread(end, sizeof end, 1, file) == 1 && memcmp(end, last, sizeof last) == 0;
    fclose(file);
    return whole;
}

/* Returns true when every frame has the goldens that the case asks for, not counting pictures. */
static bool has_frames(const mrw_case *c, const mrwi_golden_expected *goldens)
{
    const mrwi_golden_stored *stored = &goldens->stored;
    const bool hashes = (c->checks & MRW_CHECK_PIXELS) != 0 && c->store_hash;
    bool all = stored->time_count > 0;
    for (uint32_t i = 0; i < stored->time_count && all; i++) {
        const char *name = stored->times[i].name;
        all = ((c->checks & MRW_CHECK_POSE) == 0 ||
               mrwi_golden_poses_find(&goldens->poses, name, i)) &&
              ((c->checks & MRW_CHECK_BOUNDS) == 0 ||
               mrwi_golden_boxes_find(&goldens->boxes, name, i)) &&
              (!hashes || mrwi_golden_stored_find(stored, name, i));
    }
    return all;
}

/* Compares everything that needs no model. */
static mrw_status compare_texts(const mrw_case *c, const mrwi_golden_expected *goldens,
                                mrwi_base_arena *arena, bool *same, mrw_error *error)
{
    const mrwi_golden_stored *stored = &goldens->stored;
    mrwi_golden_options_change suite;
    *same = goldens->stored_file.there && !goldens->stored_file.fault &&
            !goldens->poses_file.fault && !goldens->boxes_file.fault && !goldens->foreign &&
            stored->version >= 3 && stored->pixel_version == MRW_PIXEL_VERSION &&
            stored->scene_formula == MRW_SCENE_FORMULA && !has_unknown_picture(&c->settings);
    if (!*same) {
        return MRW_OK;
    }
    mrw_status status = mrwi_golden_options_compare(c, stored, arena, &suite, error);
    if (status) {
        return status;
    }
    *same = !suite.text && !suite.size && has_frames(c, goldens);
    return MRW_OK;
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool is_scene(const mrw_scene *scene, const mrwi_golden_stored_scene *stored)
{
    char hash[65];
    mrw_scene_hash_text(scene, hash);
    return strcmp(hash, stored->hash) == 0;
}

/* Returns true when a model of --add has not changed. `stored` has as many scenes as there are
 * models. */
static bool is_added_same(work *w, const mrw_settings *settings, size_t index,
                          const mrwi_golden_stored *stored)
{
    mrwi_session_loaded *loaded = NULL;
    mrwi_session_reading reading;
    mrw_error why;
    if (mrwi_session_read_added(settings, settings->model.added.items[index], &reading, &why)) {
        return false;
    }
    reading.settings.run.threads = 1;
    const mrwi_session_source source = {.path = reading.path};
    const mrwi_session_wanted wanted = mrwi_session_want(&source, &reading.settings, &w->host);
    if (mrwi_session_cache_take(w->added, &wanted, &loaded, &why)) {
        return false;
    }
    mrwi_session_cache_keep(w->added, loaded); /* other cases have it, too */
    return is_scene(mrwi_session_loaded_scene(loaded), &stored->scenes[1 + index]);
}

/* Returns true when there are as many frames as would be drawn, and all their pictures. The clip's
 * duration can decide which of them are key frames. */
static bool has_pictures(const mrw_case *c, const mrw_scene *scene,
                         const mrwi_golden_expected *goldens, mrwi_base_arena *arena)
{
    mrw_settings settings = c->settings; /* the case still owns the lists */
    mrw_session_model model = {.path = NULL};
    mrw_picture_list pictures = {.items = NULL};
    mrwi_golden_frame_state *states = NULL;
    mrw_error why;
    settings.run.shard_index = settings.run.shard_count = 1;
    bool same =
        !mrw_session_model_init(c->model, scene, &settings, &model, &why) &&
        !mrw_session_pictures(&model, mrw_session_wants_sequence(&settings), &pictures, &why);
    if (same) {
        mrw_picture_list_share(&pictures, &settings, 0);
        states = mrwi_base_arena_alloc(arena, pictures.count, sizeof *states);
        same = states && pictures.count == goldens->stored.time_count;
    }
    if (same) {
        mrwi_golden_mark_key_frames(c, &model, &pictures, states);
    }
    for (uint32_t i = 0; i < pictures.count && same; i++) {
        same = (c->checks & MRW_CHECK_PIXELS) == 0 || !states[i].key ||
               is_whole_picture(goldens->folder, goldens->stored.times[i].name);
    }
    mrw_picture_list_free(&pictures);
    mrw_session_model_free(&model);
    return same;
}

static bool are_models_same(work *w, size_t index, const mrwi_golden_expected *goldens,
                            mrwi_base_arena *arena)
{
    const mrw_case *c = &w->search->drawn[index];
    const mrwi_golden_stored *stored = &goldens->stored;
    const mrw_scene *scene = NULL;
    mrw_error why;
    mrwi_golden_shared_scene *shared = &w->scenes.items[w->scenes.of_case[index]];
    bool same = !mrwi_golden_scene_take(shared, c, &w->host, 1, &scene, &why) &&
                is_scene(scene, &stored->scenes[0]);
    for (size_t i = 0; i < c->settings.model.added.count && same; i++) {
        same = is_added_same(w, &c->settings, i, stored);
    }
    return same && has_pictures(c, scene, goldens, arena);
}

/* ---- the cases ------------------------------------------------------------------------------- */

/* Finds out whether one case is left out. */
static void check_case(void *user, int64_t number, int worker)
{
    work *w = user;
    const size_t index = (size_t)number;
    const mrwi_golden_search *search = w->search;
    const mrw_test_def *def = search->def;
    const mrw_case *c = &search->drawn[index];
    mrwi_golden_expected goldens;
    mrwi_base_arena arena = {0};
    mrw_error error = {0};
    mrw_status status = MRW_OK;
    bool same = false;
    (void)worker;
    if (atomic_load(&w->stop) || c->skip || search->failed[index]) {
        goto out;
    }
    status = def->go_on ? def->go_on(def->user, &error) : MRW_OK;
    if (status) {
        goto out;
    }
    status = search->source->open(search->source->user, c, 1, &arena, &goldens, &error);
    if (status) {
        goto out;
    }
    status = compare_texts(c, &goldens, &arena, &same, &error);
    if (status) {
        goto out;
    }
    search->left_out[index] = same && are_models_same(w, index, &goldens, &arena);
out:
    mrwi_base_arena_free(&arena);
    if (status) {
        mrwi_golden_failure_note(&w->failure, index, status, &error);
        atomic_store(&w->stop, true);
    }
    mrwi_golden_scene_give(&w->scenes.items[w->scenes.of_case[index]]);
}

mrw_status mrwi_golden_find_unchanged(const mrwi_golden_search *search, mrw_error *error)
{
    const size_t count = search->cases->count;
    work w = {.search = search, .host = {.no_texels = true}};
    memset(search->left_out, 0, count * sizeof *search->left_out);
    mrwi_golden_failure_begin(&w.failure);
    mrw_status status = mrwi_golden_scenes_make(search->cases, NULL, &w.scenes, error);
    if (!status) {
        status = mrw_session_cache_create(&w.added, error);
    }
    if (!status) {
        mrwi_base_parallel_for(search->def->threads, (int64_t)count, check_case, &w);
    }
    const mrw_status failed = mrwi_golden_failure_end(&w.failure, status ? NULL : error);
    mrw_session_cache_free(w.added);
    mrwi_golden_scenes_free(&w.scenes);
    return status ? status : failed;
}
