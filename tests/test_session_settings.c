/* test_session_settings.c: what the session makes of the plain values of settings. Defaults,
 * choices and ranges of options equal those of the rooms that use them. */
#include "test.h"

#include "options/table.h"
#include "session/compare.h"
#include "session/internal.h"

#include <marrow/clips.h>
#include <marrow/codecs.h>
#include <marrow/compare.h>
#include <marrow/golden.h>
#include <marrow/output.h>
#include <string.h>

static mrw_settings settings;

static void enter(void)
{
    mrw_settings_init(&settings);
}

static void leave(void)
{
    mrw_settings_free(&settings);
}

/* Sets an option of the settings and returns the status. */
static mrw_status set(const char *name, const char *value)
{
    mrw_error error;
    return mrw_settings_set(&settings, name, value, &error);
}

/* ---- defaults -------------------------------------------------------------------------------- */

#define SAME(field)  ck_assert_msg(made.field == usual.field, "%s", #field)
#define SAMES(field) ck_assert_msg(memcmp(made.field, usual.field, sizeof made.field) == 0, #field)

START_TEST(frames_have_their_defaults)
{
    const mrw_frame_def made = mrw_session_frame_def(&settings), usual = mrw_frame_def_default();
    SAME(width);
    SAME(height);
    SAME(samples);
    SAME(bits);
    SAME(shading);
    SAME(channel);
    SAME(filter);
    SAME(exposure);
    SAME(tonemap);
    SAMES(background);
    SAME(transparent);
    SAME(overlays);
    SAME(overlay_depth);
    SAME(overlay_alone);
    SAME(isa);
    SAME(view_count);
    SAME(scene_camera);
    SAME(follow.node);
    SAME(rig);
    SAME(rig_kind);
    SAME(file_lights);
    SAMES(ambient);
    SAME(light_frame);
    SAME(environment_degrees);
    SAME(environment_intensity);
    SAME(compensation);
    SAME(environment_background);
    SAME(environment_blur);
    SAME(backplate);
    SAME(shadows);
    SAME(shadow_size);
    SAME(shadow_softness);
    SAME(occlusion);
    SAME(occlusion_radius);
    SAME(occlusion_strength);
    SAME(ground);
    SAMES(ground_color);
    ck_assert(made.subject && !usual.subject); /* on purpose */
}
END_TEST

START_TEST(views_have_their_defaults)
{
    const mrw_view_def made = mrw_session_view_def(&settings), usual = mrw_view_def_default();
    SAME(azimuth_degrees);
    SAME(elevation_degrees);
    SAME(fov_degrees);
    SAME(orthographic);
    SAME(height);
    SAME(margin);
    SAME(near_plane);
    SAME(far_plane);
    SAME(has_eye);
    SAME(has_target);
    SAMES(eye);
    SAMES(target);
    SAMES(up);
    SAME(distance);
}
END_TEST

START_TEST(files_have_their_defaults)
{
    const mrw_load_def made = mrw_session_load_def(&settings, NULL);
    const mrw_load_def usual = mrw_load_def_default();
    SAME(texture_dir_count);
    SAME(asset_root);
    SAME(formats);
    SAME(input_format);
    SAME(scene);
    SAME(variant);
    SAME(max_file_size);
    SAME(max_texture_size);
    SAME(texture_memory);
    SAME(max_elements);
    SAME(max_vertices);
    SAME(max_joints);
    SAME(max_keys);
    SAME(import_seconds);
    SAME(import_memory);
    SAME(fbx_curves);
    SAME(from_first_key);
    SAME(material_colors);
    SAME(flip_v);
    SAME(flip_winding);
    SAME(clips_only);
    SAME(maps);
    SAME(no_sandbox);
    ck_assert_int_eq(made.threads, mrw_cpu_count()); /* on purpose; the default is 1 */
}
END_TEST

START_TEST(comparisons_have_their_defaults)
{
    const mrw_compare_def made = mrw_session_compare_def(&settings);
    const mrw_compare_def usual = mrw_compare_def_default();
    SAME(mode);
    SAME(max_delta);
    SAME(max_pixels);
    SAME(max_ratio);
    SAME(max_flip);
    SAME(pixels_per_degree);
    SAME(ignore_antialiasing);
    SAME(mask);
    SAME(isa);
    SAME(threads);
}
END_TEST

START_TEST(lights_have_their_defaults)
{
    static const char *const values[] = {"directional:dir=0,0,-1", "point:pos=0,0,0",
                                         "spot:pos=0,0,0,dir=0,0,-1"};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(set("light", values[i]), MRW_OK);
        const mrw_light_def made = mrw_session_light_def(&settings.lights.items[i]);
        const mrw_light_def usual = mrw_light_def_default((mrw_light_type)i);
        SAME(type);
        SAME(space);
        SAME(node);
        SAMES(position);
        SAMES(direction);
        SAMES(color);
        SAME(intensity);
        SAME(range);
        SAME(inner_cone);
        SAME(outer_cone);
        SAMES(attenuation);
        SAME(ambient);
        SAME(diffuse);
        SAME(specular);
    }
}
END_TEST

/* ---- translation ----------------------------------------------------------------------------- */

/* Everything that the session makes of settings. */
typedef struct all_made {
    mrw_frame_def frame;
    mrw_view_def view;
    mrw_load_def files;
    mrw_compare_def compare;
} all_made;

static void make(all_made *out)
{
    out->frame = mrw_session_frame_def(&settings);
    out->view = mrw_session_view_def(&settings);
    out->files = mrw_session_load_def(&settings, NULL);
    out->compare = mrw_session_compare_def(&settings);
}

/* The field that is made of the first field of each row. */
#define FIELD(name, field)                                                                         \
    {                                                                                              \
        name, offsetof(all_made, field), sizeof((all_made *)0)->field                              \
    }

static const struct {
    const char *name;
    size_t offset;
    size_t size;
} made_fields[] = {
    FIELD("size", frame.width),
    FIELD("aa", frame.samples),
    FIELD("bits", frame.bits),
    FIELD("shading", frame.shading),
    FIELD("filter", frame.filter),
    FIELD("rig", frame.rig_kind),
    FIELD("file-lights", frame.file_lights),
    FIELD("exposure", frame.exposure),
    FIELD("tonemap", frame.tonemap),
    FIELD("light-frame", frame.light_frame),
    FIELD("env-rotate", frame.environment_degrees),
    FIELD("env-intensity", frame.environment_intensity),
    FIELD("env-compensation", frame.compensation),
    FIELD("env-background", frame.environment_background),
    FIELD("env-blur", frame.environment_blur),
    FIELD("shadows", frame.shadows),
    FIELD("shadow-size", frame.shadow_size),
    FIELD("shadow-softness", frame.shadow_softness),
    FIELD("ground", frame.ground),
    FIELD("ao", frame.occlusion),
    FIELD("ao-radius", frame.occlusion_radius),
    FIELD("ao-strength", frame.occlusion_strength),
    FIELD("background", frame.background),
    FIELD("overlay", frame.overlays),
    FIELD("overlay-depth", frame.overlay_depth),
    FIELD("overlay-alone", frame.overlay_alone),
    FIELD("margin", view.margin),
    FIELD("azimuth", view.azimuth_degrees),
    FIELD("elevation", view.elevation_degrees),
    FIELD("eye", view.eye),
    FIELD("target", view.target),
    FIELD("up", view.up),
    FIELD("fov", view.fov_degrees),
    FIELD("ortho", view.orthographic),
    FIELD("view-height", view.height),
    FIELD("near", view.near_plane),
    FIELD("far", view.far_plane),
    FIELD("compare", compare.mode),
    FIELD("max-delta", compare.max_delta),
    FIELD("max-pixels", compare.max_pixels),
    FIELD("max-ratio", compare.max_ratio),
    FIELD("max-flip", compare.max_flip),
    FIELD("ignore-antialiasing", compare.ignore_antialiasing),
    FIELD("allow-format", files.formats),
    FIELD("input-format", files.input_format),
    FIELD("scene", files.scene),
    FIELD("variant", files.variant),
    FIELD("asset-root", files.asset_root),
    FIELD("max-file-size", files.max_file_size),
    FIELD("max-texture-size", files.max_texture_size),
    FIELD("texture-memory", files.texture_memory),
    FIELD("max-vertices", files.max_vertices),
    FIELD("max-joints", files.max_joints),
    FIELD("max-keys", files.max_keys),
    FIELD("import-seconds", files.import_seconds),
    FIELD("import-memory", files.import_memory),
    FIELD("fbx-curves", files.fbx_curves),
    FIELD("from-first-key", files.from_first_key),
    FIELD("material-colors", files.material_colors),
    FIELD("flip-v", files.flip_v),
    FIELD("flip-winding", files.flip_winding),
    FIELD("no-sandbox", files.no_sandbox),
};

#define MADE_FIELDS (sizeof made_fields / sizeof *made_fields)

/* Changes a byte of what a row sets, and checks that the session makes something else of it. */
static void assert_is_made(const mrwi_options_option *option)
{
    char *field = (char *)&settings + option->offset;
    all_made before, after;
    size_t i = 0;
    while (i < MADE_FIELDS && strcmp(made_fields[i].name, option->shown.name) != 0) {
        i++;
    }
    ck_assert_msg(i < MADE_FIELDS, "add --%s to made_fields", option->shown.name);
    make(&before);
    *field = (char)(*field ^ 1);
    make(&after);
    *field = (char)(*field ^ 1);
    ck_assert_msg(memcmp((const char *)&before + made_fields[i].offset,
                         (const char *)&after + made_fields[i].offset, made_fields[i].size) != 0,
                  "--%s is not translated", option->shown.name);
}

/* Returns true if a row sets a field of a part that another room's struct is made of. */
static bool is_translated(const mrwi_options_option *option)
{
    static const struct {
        size_t offset;
        size_t size;
    } parts[] = {
        {offsetof(mrw_settings, picture), sizeof settings.picture},
        {offsetof(mrw_settings, camera.view), sizeof settings.camera.view},
        {offsetof(mrw_settings, files), sizeof settings.files},
        {offsetof(mrw_settings, compare.pictures), sizeof settings.compare.pictures},
    };
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        found = found || (option->offset >= parts[i].offset &&
                          option->offset < parts[i].offset + parts[i].size);
    }
    return found;
}

START_TEST(no_option_is_forgotten)
{
    size_t rows = 0;
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (is_translated(&mrwi_options[i])) {
            assert_is_made(&mrwi_options[i]);
            rows++;
        }
    }
    ck_assert_uint_eq(rows, MADE_FIELDS);
}
END_TEST

START_TEST(values_of_several_fields_are_made)
{
    ck_assert_int_eq(set("size", "30x40"), MRW_OK);
    ck_assert_int_eq(set("background", "none"), MRW_OK);
    ck_assert_int_eq(set("ground", "#010203"), MRW_OK);
    ck_assert_int_eq(set("light", "ambient:color=1,2,3"), MRW_OK);
    ck_assert_int_eq(set("eye", "1,2,3"), MRW_OK);
    ck_assert_int_eq(set("target", "4,5,6"), MRW_OK);
    ck_assert_int_eq(set("texture-dir", "d"), MRW_OK);
    const mrw_frame_def frame = mrw_session_frame_def(&settings);
    const mrw_view_def view = mrw_session_view_def(&settings);
    const mrw_load_def files = mrw_session_load_def(&settings, NULL);
    ck_assert_uint_eq(frame.height, 40);
    ck_assert(frame.transparent && frame.shadows);
    ck_assert_mem_eq(frame.ground_color, ((const uint8_t[]){1, 2, 3}), 3);
    ck_assert_mem_eq(frame.ambient, ((const float[]){1, 2, 3}), sizeof frame.ambient);
    ck_assert_int_eq(frame.rig, MRW_RIG_OFF);
    ck_assert(view.has_eye && view.has_target);
    ck_assert_mem_eq(view.target, ((const float[]){4, 5, 6}), sizeof view.target);
    ck_assert_uint_eq(files.texture_dir_count, 1);
    ck_assert_str_eq(files.texture_dirs[0], "d");
}
END_TEST

START_TEST(lights_are_made)
{
    ck_assert_int_eq(set("light", "spot:pos=1,2,3,dir=4,5,6,color=7,8,9,intensity=10,range=11,"
                                  "inner=20,outer=30,attenuation=12,13,14,ambient=15,diffuse=16,"
                                  "specular=17@Hub"),
                     MRW_OK);
    const mrw_light_entry *entry = settings.lights.items;
    const mrw_light_def made = mrw_session_light_def(entry);
    const float numbers[] = {made.position[0],    made.position[2],    made.direction[1],
                             made.color[2],       made.intensity,      made.range,
                             made.attenuation[0], made.attenuation[2], made.ambient,
                             made.diffuse,        made.specular};
    const float expected[] = {1, 3, 5, 9, 10, 11, 12, 14, 15, 16, 17};
    ck_assert_mem_eq(numbers, expected, sizeof numbers);
    ck_assert_int_eq(made.type, MRW_LIGHT_SPOT);
    ck_assert_int_eq(made.space, MRW_LIGHT_SPACE_NODE);
    ck_assert(made.inner_cone == entry->inner_cone && made.outer_cone == entry->outer_cone);
    ck_assert(made.inner_cone > 0.349f && made.inner_cone < 0.3491f);
    ck_assert_str_eq(entry->node, "Hub");
}
END_TEST

/* ---- what the program adds ------------------------------------------------------------------- */

static void hear_text(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static void hear_detail(void *user, const char *text)
{
    hear_text(user, text);
}

static void hear_variant(void *user, const char *name)
{
    hear_text(user, name);
}

static void see_file(void *user, int fd)
{
    (void)user;
    (void)fd;
}

static void see_progress(void *user, uint32_t done, uint32_t count)
{
    (void)user;
    (void)done;
    (void)count;
}

START_TEST(the_host_hears_of_loading)
{
    int user;
    const mrw_session_host host = {.user = &user,
                                   .machine_warning = hear_text,
                                   .detail = hear_detail,
                                   .variant_found = hear_variant,
                                   .file_opened = see_file,
                                   .progress = see_progress,
                                   .clips_only = true};
    settings.run.threads = 3;
    settings.run.isa = MRW_ISA_SCALAR;
    const mrw_load_def made = mrw_session_load_def(&settings, &host);
    ck_assert_int_eq(made.threads, 3);
    ck_assert(made.clips_only);
    ck_assert(made.machine_warning == hear_text && made.machine_warning_user == &user);
    ck_assert(made.detail == hear_detail && made.detail_user == &user);
    ck_assert(made.variant_found == hear_variant && made.variant_found_user == &user);
    ck_assert(made.file_opened == see_file && made.file_opened_user == &user);
    ck_assert(made.progress == see_progress && made.progress_user == &user);
    ck_assert_int_eq(mrw_session_frame_def(&settings).isa, MRW_ISA_SCALAR);
}
END_TEST

/* ---- words ----------------------------------------------------------------------------------- */

/* Checks that a row has these choices, in this order. */
static void assert_choices(const char *name, const char *const *words, size_t count)
{
    const mrwi_options_option *option = mrwi_options_option_find(name, strlen(name));
    const char *word = option->shown.argument;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(word, "|");
        ck_assert_msg(strlen(words[i]) == length && memcmp(words[i], word, length) == 0, "--%s: %s",
                      name, words[i]);
        word += length;
        ck_assert_msg((*word == '|') == (i + 1 < count), "--%s has other choices", name);
        word += *word == '|';
    }
}

#define CHOICES(name, ...)                                                                         \
    do {                                                                                           \
        static const char *const words[] = {__VA_ARGS__};                                          \
        assert_choices(name, words, sizeof words / sizeof *words);                                 \
    } while (0)

START_TEST(choices_are_enumerators)
{
    CHOICES("filter", [MRW_FILTER_NEAREST] = "nearest", [MRW_FILTER_BILINEAR] = "bilinear",
            [MRW_FILTER_TRILINEAR] = "trilinear", [MRW_FILTER_ANISO] = "aniso");
    CHOICES("tonemap", [MRW_TONEMAP_NONE] = "none", [MRW_TONEMAP_ACES] = "aces",
            [MRW_TONEMAP_NEUTRAL] = "neutral");
    CHOICES("rig", [MRW_RIG_SOFT] = "soft", [MRW_RIG_THREE_POINT] = "three-point");
    CHOICES("env-compensation", [MRW_COMPENSATION_AUTO] = "auto", [MRW_COMPENSATION_OFF] = "off",
            [MRW_COMPENSATION_ON] = "on");
    CHOICES("light-frame", [MRW_LIGHT_FRAME_CAMERA] = "camera", [MRW_LIGHT_FRAME_WORLD] = "world");
    CHOICES("fit", [MRW_FIT_CLIP] = "clip", [MRW_FIT_FRAME] = "frame", [MRW_FIT_REST] = "rest",
            [MRW_FIT_ALL] = "all");
    CHOICES(
        "sides", [MRW_SIDES_FILE] = "file", [MRW_SIDES_BOTH] = "both", [MRW_SIDES_FRONT] = "front");
    CHOICES("skinning", [MRW_SKINNING_LINEAR] = "linear",
            [MRW_SKINNING_DUAL_QUATERNION] = "dual-quaternion");
    CHOICES("pose", [MRW_POSE_CLIP] = "clip", [MRW_POSE_REST] = "rest", [MRW_POSE_BIND] = "bind");
    CHOICES("root-motion", [MRW_ROOT_MOTION_KEEP] = "keep", [MRW_ROOT_MOTION_STRIP] = "strip",
            [MRW_ROOT_MOTION_LOOP] = "loop");
    CHOICES("wrap", [MRW_TIME_REFUSE] = "none", [MRW_TIME_CLAMP] = "clamp",
            [MRW_TIME_LOOP] = "loop", [MRW_TIME_PINGPONG] = "pingpong", [MRW_TIME_FILE] = "file");
    CHOICES("compare", [MRW_COMPARE_EXACT] = "exact", [MRW_COMPARE_PIXEL] = "pixel",
            [MRW_COMPARE_PERCEPTUAL] = "perceptual");
    CHOICES("material-colors", [MRW_MATERIAL_COLORS_AUTO] = "auto",
            [MRW_MATERIAL_COLORS_SRGB] = "srgb", [MRW_MATERIAL_COLORS_LINEAR] = "linear");
    CHOICES("retarget", [MRW_RETARGET_AUTO] = "auto", [MRW_RETARGET_OFF] = "off",
            [MRW_RETARGET_POSE] = "pose");
    CHOICES("trim", [MRW_TRIM_NONE] = "none", [MRW_TRIM_FRAME] = "frame", [MRW_TRIM_CLIP] = "clip",
            [MRW_TRIM_ALL] = "all");
    CHOICES("update", [MRW_UPDATE_MISSING - 1] = "missing", [MRW_UPDATE_CHANGED - 1] = "changed",
            [MRW_UPDATE_ALL - 1] = "all"); /* 0 is "not given" */
    CHOICES("png", [MRW_PNG_FAST] = "fast", [MRW_PNG_BEST] = "best");
}
END_TEST

START_TEST(modes_are_the_choices_of_shading)
{
    const char *words[MRW_SHADING_COUNT];
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        words[i] = mrw_shading_info_of((mrw_shading)i)->name;
    }
    assert_choices("shading", words, MRW_SHADING_COUNT);
}
END_TEST

START_TEST(classic_keys_need_a_classic_mode)
{
    mrw_error error;
    ck_assert_int_eq(set("light", "point:pos=0,0,0,ambient=1"), MRW_OK);
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of((mrw_shading)i);
        char text[96];
        settings.picture.shading = (uint32_t)i;
        const mrw_status status = mrwi_options_check_lights(&settings, &error);
        ck_assert_int_eq(status, mode->classic_lights ? MRW_OK : MRW_ERROR_USAGE);
        snprintf(text, sizeof text, "no effect with --shading %s;", mode->name);
        ck_assert_msg(mode->classic_lights || strstr(error.text, text), "%s", error.text);
    }
}
END_TEST

START_TEST(passes_are_known)
{
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", mrw_aov_info_of((mrw_aov)i)->name,
                 i == MRW_AOV_WEIGHTS ? ":Hip" : "");
        ck_assert_msg(set("aov", name) == MRW_OK, "%s", name);
        ck_assert_uint_eq(settings.passes.count, (size_t)i + 1);
        ck_assert_uint_eq(settings.passes.items[i].aov, (uint32_t)i);
    }
}
END_TEST

START_TEST(overlays_are_known)
{
    for (int i = 0; i < MRW_OVERLAY_COUNT; i++) {
        ck_assert_int_eq(set("overlay", mrw_overlay_name((mrw_overlay)i)), MRW_OK);
        ck_assert_uint_eq(settings.picture.overlays, 1u << i);
    }
}
END_TEST

START_TEST(ranges_are_known)
{
    const struct {
        const char *name;
        int least, most;
    } ranges[] = {
        {"shadow-size", MRW_SHADOW_MIN_SIZE, MRW_SHADOW_MAX_SIZE},
        {"shadow-softness", 0, MRW_SHADOW_MAX_SOFTNESS},
        {"page-size", 1, MRW_IMAGE_MAX_SIDE},
        {"size", 1, MRW_IMAGE_MAX_SIDE},
    };
    char text[32];
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        for (int past = 0; past < 2; past++) {
            snprintf(text, sizeof text, "%d", ranges[i].least - past);
            ck_assert_msg((set(ranges[i].name, text) == MRW_OK) == !past, "%s", ranges[i].name);
            snprintf(text, sizeof text, "%d", ranges[i].most + past);
            ck_assert_msg((set(ranges[i].name, text) == MRW_OK) == !past, "%s", ranges[i].name);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session settings");
    TCase *tc = tcase_create("settings");
    tcase_add_checked_fixture(tc, enter, leave);
    suite_add_tcase(s, tc);
    tcase_add_test(tc, frames_have_their_defaults);
    tcase_add_test(tc, views_have_their_defaults);
    tcase_add_test(tc, files_have_their_defaults);
    tcase_add_test(tc, comparisons_have_their_defaults);
    tcase_add_test(tc, lights_have_their_defaults);
    tcase_add_test(tc, no_option_is_forgotten);
    tcase_add_test(tc, values_of_several_fields_are_made);
    tcase_add_test(tc, lights_are_made);
    tcase_add_test(tc, the_host_hears_of_loading);
    tcase_add_test(tc, choices_are_enumerators);
    tcase_add_test(tc, modes_are_the_choices_of_shading);
    tcase_add_test(tc, classic_keys_need_a_classic_mode);
    tcase_add_test(tc, passes_are_known);
    tcase_add_test(tc, overlays_are_known);
    tcase_add_test(tc, ranges_are_known);
    return s;
}

TEST_MAIN(suite())
