/* test_cli_pick.c: `marrow pick` as a user types it: a triangle whose answers are known by hand,
 * and the figure beside the passes that the library draws. */
#include "cli_fixture.h"

#include <marrow/session.h>
#include <math.h>

/* Half the height of the picture is the depth, half its width twice that: where the triangle
 * starts, ten units away, five pixels a unit, and the middle is the corner between 99 and 100. */
static const char aim[] = "--eye 0,0,10 --target 0,0,0 --fov 90 --size 200x100";

/* Line `index` of standard output; free it. */
static cJSON *answer(int index)
{
    const char *line = out;
    for (int i = 0; i < index; i++) {
        line = strchr(line, '\n');
        ck_assert_ptr_nonnull(line);
        line++;
    }
    cJSON *json = cJSON_ParseWithLength(line, strcspn(line, "\n"));
    ck_assert_msg(json, "no JSON: %s%s", out, err);
    return json;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(item, "no %s", key);
    return item;
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = get(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number", key);
    return item->valuedouble;
}

static const char *text(const cJSON *object, const char *key)
{
    const cJSON *item = get(object, key);
    ck_assert_msg(cJSON_IsString(item), "%s is no text", key);
    return item->valuestring;
}

/* What is seen at the pixel that was asked for in this place. */
static const cJSON *surface(const cJSON *line, int place)
{
    return get(cJSON_GetArrayItem(get(line, "pixels"), place), "surface");
}

static void assert_numbers(const cJSON *object, const char *key, double a, double b, double c)
{
    const double wanted[3] = {a, b, c};
    ck_assert_int_eq(cJSON_GetArraySize(get(object, key)), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(cJSON_GetArrayItem(get(object, key), i)->valuedouble, wanted[i],
                                1e-5);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

START_TEST(a_triangle_by_hand)
{
    write_plain_triangle();
    shell("marrow pick tri.gltf --at 101,48 --at 0,99 --at 99,48 --json %s", aim);
    assert_status(0);
    cJSON *line = answer(0);
    ck_assert_str_eq(text(line, "model"), "tri.gltf");
    ck_assert_str_eq(text(line, "clip"), "Go");
    ck_assert(number(line, "width") == 200 && number(line, "height") == 100);
    ck_assert_int_eq(cJSON_GetArraySize(get(line, "pixels")), 3);
    const cJSON *at = surface(line, 0);
    ck_assert(number(cJSON_GetArrayItem(get(line, "pixels"), 1), "x") == 0);
    ck_assert(number(cJSON_GetArrayItem(get(line, "pixels"), 1), "y") == 99);
    ck_assert(cJSON_IsNull(surface(line, 1)) && cJSON_IsNull(surface(line, 2)));
    ck_assert(number(at, "id") == 1 && number(at, "instance") == 0);
    ck_assert_str_eq(text(at, "node"), "mover");
    ck_assert_str_eq(text(at, "mesh"), "tri");
    ck_assert_str_eq(text(at, "group"), "mover");
    ck_assert(cJSON_IsNull(get(at, "material")) && number(at, "material_number") == 1);
    ck_assert(number(at, "triangle") == 0 && number(at, "triangle_number") == 1);
    assert_numbers(at, "barycentric", 0.4, 0.3, 0.3); /* 1.5 pixels right, 1.5 up */
    assert_numbers(at, "position", 0.3, 0.3, 0.0);
    ck_assert_double_eq_tol(number(at, "depth"), 10.0, 1e-5);
    ck_assert_double_eq_tol(number(at, "distance"), sqrt(100.0 + 0.18), 1e-5);
    ck_assert(cJSON_IsNull(get(at, "joint")) && number(at, "joint_number") == 0);
    ck_assert_int_eq(cJSON_GetArraySize(get(at, "weights")), 0);
    cJSON_Delete(line);
}
END_TEST

START_TEST(answers_for_people)
{
    write_plain_triangle();
    shell("marrow pick tri.gltf --at 101,48 --at 0,99 %s", aim);
    assert_status(0);
    ck_assert_str_eq(out, "101,48: id 1, node mover, mesh tri\n"
                          "  at 0.3000, 0.3000, 0.0000, depth 10.0000, in triangle 0 of 1 at "
                          "0.4000, 0.3000, 0.3000\n"
                          "  no joint moves it\n"
                          "0,99: nothing\n");
    /* at its end the triangle is eight away: 6.25 pixels a unit */
    shell("marrow pick tri.gltf --at 101,48 --times 0,1 --add tri.gltf --id tri=9 %s", aim);
    assert_status(0);
    ck_assert_str_eq(
        out,
        "Go at 0 s\n"
        "101,48: id 9, model tri (instance 0), node mover, mesh tri\n"
        "  at 0.3000, 0.3000, 0.0000, depth 10.0000, in triangle 0 of 1 at 0.4000, 0.3000, "
        "0.3000\n"
        "  no joint moves it\n"
        "Go at 1 s\n"
        "101,48: id 9, model tri (instance 0), node mover, mesh tri\n"
        "  at 0.2400, 0.2400, 2.0000, depth 8.0000, in triangle 0 of 1 at 0.5200, 0.2400, 0.2400\n"
        "  no joint moves it\n");
}
END_TEST

/* ---- beside the passes ----------------------------------------------------------------------- */

#define WIDTH  96
#define HEIGHT 80

enum { ID, TRIANGLE, BARYCENTRIC, POSITION, DEPTH, DISTANCE, JOINT, WEIGHTS, PASSES };

static const mrw_aov_request wanted[PASSES] = {
    {.aov = MRW_AOV_ID},          {.aov = MRW_AOV_TRIANGLE},
    {.aov = MRW_AOV_BARYCENTRIC}, {.aov = MRW_AOV_POSITION},
    {.aov = MRW_AOV_DEPTH},       {.aov = MRW_AOV_DISTANCE},
    {.aov = MRW_AOV_JOINT},       {.aov = MRW_AOV_WEIGHTS, .joint = "spine1"}};

static double value(const mrw_renderer *renderer, uint32_t pass, uint32_t x, uint32_t y,
                    uint32_t channel)
{
    const mrw_image *image = mrw_frame_aov(renderer, pass);
    const size_t at = ((size_t)y * WIDTH + x) * image->channels + channel;
    return image->format == MRW_FORMAT_U32 ? (double)((const uint32_t *)image->pixels)[at]
                                           : (double)((const float *)image->pixels)[at];
}

/* Draws the passes of a command line as render would. */
static void draw_passes(mrw_settings *settings, mrw_session_model *model, mrw_scene **scene,
                        mrw_session *session, mrw_renderer **renderer)
{
    mrw_picture_list pictures;
    mrw_image image = {0};
    mrw_error error = {0};
    const bool sequence = mrw_session_wants_sequence(settings);
    ck_assert_int_eq(mrw_session_load("demo:figure", settings, NULL, scene, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_model_init("demo:figure", *scene, settings, model, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_session_pictures(model, sequence, &pictures, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_begin(session, model, sequence, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_prepare(session, NULL, &error), MRW_OK);
    mrw_session_play(session, &pictures.items[0]);
    ck_assert_int_eq(mrw_session_aim(session, &error), MRW_OK);
    session->frame.aovs = wanted;
    session->frame.aov_count = PASSES;
    ck_assert_int_eq(mrw_renderer_create(renderer, &error), MRW_OK);
    ck_assert_int_eq(mrw_render(*renderer, &session->frame, session->instances,
                                session->instance_count, 1, &image, &error),
                     MRW_OK);
    mrw_image_free(&image);
    mrw_picture_list_free(&pictures);
}

/* The largest of the joints' weights comes first, and all sum to one. */
static void assert_weights(const cJSON *at, double spine)
{
    const cJSON *each;
    double sum = 0.0, last = 1.0 + 1e-6;
    cJSON_ArrayForEach(each, get(at, "weights"))
    {
        ck_assert(number(each, "weight") <= last && number(each, "weight") > 0.0);
        last = number(each, "weight");
        sum += last;
        spine -= strcmp(text(each, "joint"), "spine1") == 0 ? last : 0.0;
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-6);
    ck_assert_double_eq_tol(spine, 0.0, 1e-6);
    each = cJSON_GetArrayItem(get(at, "weights"), 0);
    ck_assert_str_eq(text(each, "joint"), text(at, "joint"));
    ck_assert(number(each, "node_index") + 1 == number(at, "joint_number"));
}

/* "Body" is skinned; "Hat" hangs on a joint. */
START_TEST(picks_are_what_passes_show)
{
    static const char options[] =
        "demo:figure --clip Run --time 0.3 --size 96x80 --add "
        "demo:tentacle@hand.R --id Body=70000 --id tentacle=5 --eye 0,1,3 --target 0,1,0";
    const char *words[] = {"pick",  "demo:figure", "--clip", "Run",        "--time",
                           "0.3",   "--size",      "96x80",  "--add",      "demo:tentacle@hand.R",
                           "--id",  "Body=70000",  "--id",   "tentacle=5", "--eye",
                           "0,1,3", "--target",    "0,1,0"};
    char pixels[4000] = "";
    size_t used = 0;
    int shown = 0, skinned = 0, count = 0;
    mrw_settings settings;
    mrw_session_model model;
    mrw_session session;
    mrw_renderer *renderer;
    mrw_scene *scene;
    mrw_error error;
    mrw_settings_init(&settings);
    ck_assert_msg(mrw_settings_parse(&settings, sizeof words / sizeof *words, words, &error) ==
                      MRW_OK,
                  "%s", error.text);
    draw_passes(&settings, &model, &scene, &session, &renderer);
    for (uint32_t y = 2; y < HEIGHT; y += 6) {
        for (uint32_t x = 1; x < WIDTH; x += 5, count++) {
            used += (size_t)snprintf(pixels + used, sizeof pixels - used, " --at %u,%u", x, y);
        }
    }
    shell("marrow pick %s --json %s", options, pixels);
    assert_status(0);
    cJSON *line = answer(0);
    ck_assert_int_eq(cJSON_GetArraySize(get(line, "pixels")), count);
    for (int i = 0; i < count; i++) {
        const cJSON *pixel = cJSON_GetArrayItem(get(line, "pixels"), i), *at = surface(line, i);
        const uint32_t x = (uint32_t)number(pixel, "x"), y = (uint32_t)number(pixel, "y");
        const double id = value(renderer, ID, x, y, 0);
        if (id == 0.0) {
            ck_assert(cJSON_IsNull(at));
            continue;
        }
        ck_assert(number(at, "id") == id);
        ck_assert((id == 70000) == (strcmp(text(at, "node"), "Body") == 0));
        ck_assert((id == 5) == (strcmp(text(at, "model"), "tentacle") == 0));
        ck_assert(number(at, "triangle_number") == value(renderer, TRIANGLE, x, y, 0));
        ck_assert(number(at, "joint_number") == value(renderer, JOINT, x, y, 0));
        ck_assert((float)number(at, "depth") == (float)value(renderer, DEPTH, x, y, 0));
        ck_assert((float)number(at, "distance") == (float)value(renderer, DISTANCE, x, y, 0));
        for (int k = 0; k < 3; k++) {
            const uint32_t c = (uint32_t)k;
            ck_assert((float)cJSON_GetArrayItem(get(at, "barycentric"), k)->valuedouble ==
                      (float)value(renderer, BARYCENTRIC, x, y, c));
            ck_assert((float)cJSON_GetArrayItem(get(at, "position"), k)->valuedouble ==
                      (float)value(renderer, POSITION, x, y, c));
        }
        shown++;
        if (cJSON_GetArraySize(get(at, "weights")) > 0) {
            assert_weights(at, value(renderer, WEIGHTS, x, y, 0));
            skinned++;
        }
    }
    ck_assert_msg(shown > 40 && skinned > 20 && shown < count, "%d of %d, %d", shown, count,
                  skinned);
    cJSON_Delete(line);
    mrw_renderer_free(renderer);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
}
END_TEST

/* The legend that render gives besides says the same of ids, materials and joints. */
START_TEST(picks_are_what_the_legend_says)
{
    shell(
        "marrow render demo:figure --add demo:blob --aov id --size 32 -o a.exr --id Hat=30 --json");
    assert_status(0);
    cJSON *line = answer(0);
    const cJSON *legend = get(line, "legend"), *each;
    shell("marrow pick demo:figure --add demo:blob --id Hat=30 --at 256,256 --at 256,200 --at "
          "256,300 --at 240,100 --json");
    assert_status(0);
    cJSON *picked = answer(0);
    int found = 0;
    for (int i = 0; i < 4; i++) {
        const cJSON *at = surface(picked, i);
        cJSON_ArrayForEach(each, get(legend, "ids"))
        {
            if (!cJSON_IsNull(at) && number(each, "id") == number(at, "id")) {
                ck_assert_str_eq(text(each, "node"), text(at, "node"));
                ck_assert_str_eq(text(each, "model"), text(at, "model"));
                ck_assert_str_eq(text(each, "group"), text(at, "group"));
                ck_assert(number(each, "material_number") == number(at, "material_number"));
                found++;
            }
        }
        cJSON_ArrayForEach(each, get(legend, "joints"))
        {
            if (!cJSON_IsNull(at) && number(each, "number") == number(at, "joint_number")) {
                ck_assert_str_eq(text(each, "node"), text(at, "joint"));
                found++;
            }
        }
    }
    ck_assert_int_gt(found, 3);
    found = 0;
    cJSON_ArrayForEach(each, get(legend, "materials"))
    {
        ck_assert(number(each, "number") == ++found);
    }
    found = 0;
    cJSON_ArrayForEach(each, get(legend, "ids"))
    {
        found += number(each, "id") == 30 && strcmp(text(each, "node"), "Hat") == 0;
    }
    ck_assert_int_eq(found, 1);
    cJSON_Delete(picked);
    cJSON_Delete(line);
}
END_TEST

/* ---- what can be wrong ----------------------------------------------------------------------- */

START_TEST(bad_words)
{
    write_plain_triangle();
    shell("marrow pick tri.gltf");
    assert_refused(2, "pick needs a pixel to look at, as in --at 256,256");
    shell("marrow pick tri.gltf --at 200,5 --size 200x100");
    assert_refused(2, "--at 200,5 is outside the picture, which is 200x100: 0,0 to 199,99");
    shell("marrow pick tri.gltf --at 5,100 --size 200x100");
    assert_refused(2, "--at 5,100 is outside");
    static const char *const bad[] = {"5", "-1,5", "1.5,2", "1,2,3", "a,b", "", "1,16384"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shell("marrow pick tri.gltf --at '%s'", bad[i]);
        assert_refused(2, "--at");
    }
    shell("marrow pick tri.gltf --at 1,1 --aa 4");
    assert_refused(2, "--aa");
    shell("marrow pick none.gltf --at 1,1");
    assert_refused(3, "none.gltf");
    shell("marrow pick tri.gltf --at 1,1 --id mvoer=2");
    assert_refused(3, "there is no node or model \"mvoer\"; did you mean mover");
    shell("marrow pick tri.gltf --at 1,1 --id mover=0");
    assert_refused(2, "--id 'mover=0': expected NAME=N");
    shell("marrow pick tri.gltf --at 1,1 --json --clip Nowhere");
    assert_refused(3, "Nowhere");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli pick");
    TCase *tc = tcase_create("cli pick");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_triangle_by_hand);
    tcase_add_test(tc, answers_for_people);
    tcase_add_test(tc, picks_are_what_passes_show);
    tcase_add_test(tc, picks_are_what_the_legend_says);
    tcase_add_test(tc, bad_words);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
