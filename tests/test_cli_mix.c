/* test_cli_mix.c: clips at the same time, several models, cameras that follow, and joints, as a
 * user types them. The triangle's answers are known by hand; the figure stands in for real models.
 */
#include "cli_fixture.h"

/* The triangle, and points that nothing moves: in front of where it ends, behind that, beside it,
 * and behind the camera of `aim`. */
static void write_points(void)
{
    write_plain_triangle();
    shell("sed -e 's/\"scenes\":\\[{\"nodes\":\\[0\\]}\\]/\"scenes\":[{\"nodes\":[0,1,2,3,4]}]/' "
          "-e 's/{\"name\":\"mover\",\"mesh\":0}/&,"
          "{\"name\":\"front\",\"translation\":[0.25,0.25,3]},"
          "{\"name\":\"behind\",\"translation\":[0.25,0.25,-1]},"
          "{\"name\":\"beside\",\"translation\":[-1,0.25,-1]},"
          "{\"name\":\"back\",\"translation\":[0,0,20]}/' tri.gltf >points.gltf");
    assert_status(0);
}

/* Half the height of the picture is the depth, half its width twice that. */
static const char aim[] = "--eye 0,0,10 --target 0,0,0 --fov 90 --size 200x100";

/* ---- answers --------------------------------------------------------------------------------- */

/* Line `index` of what was written to standard output; free it. */
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

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number", key);
    return item->valuedouble;
}

static bool truth(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsBool(item), "%s is no truth", key);
    return cJSON_IsTrue(item);
}

static bool is_null(const cJSON *object, const char *key)
{
    return cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, key));
}

static const cJSON *joint(const cJSON *line, const char *name)
{
    const cJSON *each;
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(line, "joints"))
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(each, "name")->valuestring, name) == 0) {
            return each;
        }
    }
    ck_abort_msg("no joint %s", name);
    return NULL;
}

/* An entry of an array of three. */
static double entry(const cJSON *object, const char *key, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, key), index)->valuedouble;
}

/* Renders with --json; *hashes are those of all pictures, each with a newline. */
static void hashes_of(const char *options, char *hashes, size_t size)
{
    const cJSON *each;
    hashes[0] = '\0';
    shell("marrow render demo:figure --size 64 --json -o 'h_{frame}.png' %s", options);
    assert_status(0);
    cJSON *json = answer(0);
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(json, "pictures"))
    {
        size_t used = strlen(hashes);
        snprintf(hashes + used, size - used, "%s\n",
                 cJSON_GetObjectItemCaseSensitive(each, "pixel_hash")->valuestring);
    }
    cJSON_Delete(json);
}

static void assert_same_pictures(bool same, const char *first, const char *second)
{
    static char a[4096], b[4096];
    hashes_of(first, a, sizeof a);
    hashes_of(second, b, sizeof b);
    ck_assert_uint_gt(strlen(a), 60);
    ck_assert_msg((strcmp(a, b) == 0) == same, "%s and %s: %s%s", first, second, a, b);
}

/* ---- mixes ----------------------------------------------------------------------------------- */

START_TEST(blends_of_the_same)
{
    assert_same_pictures(true, "--clip Walk --count 3", "--blend Walk:0.3,Walk:0.7 --count 3");
    assert_same_pictures(true, "--clip Walk --count 3", "--blend Walk:1,Run:0 --sync --count 3");
    assert_same_pictures(false, "--clip Walk --count 3", "--blend Walk:1,Run:1 --sync --count 3");
    assert_same_pictures(true, "--blend 0:2,Run:6 --time 0.3",
                         "--blend Walk:0.25,1:0.75 --time 0.3");
    /* at its start a clip differs in nothing from its first pose */
    assert_same_pictures(true, "--clip Walk --time 0 --fit rest",
                         "--clip Walk --layer Wave --additive --time 0 --fit rest");
}
END_TEST

START_TEST(one_sequence_of_several_clips)
{
    shell("marrow render demo:figure --blend Walk:1,Run:1 --dry-run -o '{clip}_{frame}.png'");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "Walk_Run_32.png")); /* as long as Walk: 1.067 s */
    ck_assert_ptr_null(strstr(out, "Walk_Run_33.png"));
    shell("marrow render demo:figure --blend Walk:1,Run:1 --sync --dry-run -o '{frame}.png'");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "26.png")); /* (1.067 + 0.72) / 2 = 0.893 s */
    ck_assert_ptr_null(strstr(out, "27.png"));
    shell("marrow render demo:figure --clip all --together --dry-run -o '{clip}_{frame}.png'");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "Walk_Run_Wave_84.png")); /* Wave: 2.8 s */
    ck_assert_ptr_null(strstr(out, "Wave_0.png\tWave\t"));
    shell("marrow render demo:figure --clip all --dry-run -o '{clip}_{frame}.png'");
    ck_assert_ptr_nonnull(strstr(out, "Run_0.png")); /* without it: one after the other */
    shell("marrow render demo:figure --clip Run --layer Wave@chest --dry-run -o '{frame}.png'");
    assert_status(0);
    ck_assert_ptr_null(strstr(out, "22.png")); /* layers make nothing longer than Run's 0.72 s */
}
END_TEST

/* The hat hangs on the head, the shoes don't: of all meshes only that of the body changes. */
START_TEST(layers_leave_the_rest_alone)
{
    shell("marrow bake demo:figure --clip Walk --time 0.4 --joints -");
    assert_status(0);
    cJSON *plain = answer(0);
    shell("marrow bake demo:figure --clip Walk --layer Wave@upperarm.R --time 0.4 --joints -");
    assert_status(0);
    cJSON *layered = answer(0);
    const cJSON *each;
    bool changed = false;
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(plain, "joints"))
    {
        const char *name = cJSON_GetObjectItemCaseSensitive(each, "name")->valuestring;
        const char *right = strstr(name, ".R");
        bool same =
            cJSON_Compare(cJSON_GetObjectItemCaseSensitive(each, "world"),
                          cJSON_GetObjectItemCaseSensitive(joint(layered, name), "world"), true);
        bool leg = strstr(name, "thigh") || strstr(name, "shin") || strstr(name, "foot") ||
                   strstr(name, "toe") || strstr(name, "clavicle");
        ck_assert_msg(same || (right && !leg), "%s moved", name);
        changed = changed || !same;
    }
    ck_assert(changed);
    cJSON_Delete(plain);
    cJSON_Delete(layered);
}
END_TEST

/* ---- root motion ----------------------------------------------------------------------------- */

/* The triangle goes from z = 0 to 2 in a second. */
static void expect_z(const char *options, double z)
{
    shell("marrow bake tri.gltf --clip Go --json %s", options);
    assert_status(0);
    cJSON *json = answer(0);
    ck_assert_double_eq_tol(entry(json, "aabb_min", 2), z, 1e-6);
    cJSON_Delete(json);
}

START_TEST(root_motion)
{
    write_plain_triangle();
    expect_z("--time 0.75", 1.5);
    expect_z("--time 0.75 --root-motion keep", 1.5);
    expect_z("--time 0.75 --root-motion strip", 0.0);
    expect_z("--frames 45 --wrap loop", 1.0);
    expect_z("--frames 45 --wrap loop --root-motion loop", 3.0);
    expect_z("--times 7.25 --wrap loop --root-motion loop", 14.5);
    expect_z("--times 7.25 --wrap pingpong", 1.5);
    shell("marrow bake tri.gltf --blend Go:1,Back:1 --time 0.5 --json --root-motion strip");
    assert_status(0);
}
END_TEST

/* Walk lasts 32 frames, and the float nearest to 32/30 seconds: each loop draws the same again. */
START_TEST(loops_repeat_to_the_bit)
{
    shell("marrow render demo:figure --clip Walk --wrap loop --frames 0-319 --size 16 -v "
          "-o 'w{frame}.png' && cmp w1.png w33.png && cmp w31.png w319.png && "
          "! cmp -s w1.png w31.png");
    assert_status(0);
    assert_said("288 of the pictures are identical to others");
    shell(
        "marrow render demo:figure --clip Walk --wrap loop --frames 0-95 --size 16 -v --fit frame "
        "-o 'f{frame}.png' && marrow render demo:figure --clip Walk --wrap loop --frames 40 "
        "--size 16 -q --fit frame -o alone.png && cmp f40.png alone.png && "
        "! cmp -s f40.png w40.png");
    assert_status(0);
    assert_said("64 of the pictures are identical to others");
    shell("marrow render demo:figure --blend Walk:1,Walk:2 --wrap loop --frames 0-95 --size 16 -v "
          "-o 'm{frame}.png'");
    assert_status(0);
    assert_said("64 of the pictures are identical to others");
}
END_TEST

/* ---- joints ---------------------------------------------------------------------------------- */

START_TEST(joints_by_hand)
{
    write_points();
    shell("marrow bake points.gltf --times 0,1 --joints - %s", aim);
    assert_status(0);
    cJSON *line = answer(1);
    ck_assert_int_eq((int)number(line, "width"), 200);
    ck_assert_double_eq(number(line, "time"), 1.0);
    ck_assert_double_eq_tol(number(line, "tolerance"), 0.05 * sqrt(2.0), 1e-9);
    const cJSON *behind = joint(line, "behind");
    ck_assert_double_eq_tol(number(behind, "depth"), 11.0, 1e-5);
    ck_assert_double_eq_tol(number(behind, "x"), (0.25 / 22.0 + 1.0) * 100.0, 1e-4);
    ck_assert_double_eq_tol(number(behind, "y"), (1.0 - 0.25 / 11.0) * 50.0, 1e-4);
    ck_assert_double_eq_tol(number(behind, "surface_depth"), 8.0, 1e-5);
    ck_assert(truth(behind, "inside") && truth(behind, "hidden") && truth(behind, "occluded"));
    ck_assert_double_eq_tol(entry(behind, "world", 14), -1.0, 1e-6);
    const cJSON *front = joint(line, "front");
    ck_assert_double_eq_tol(number(front, "surface_depth"), 8.0, 1e-5);
    ck_assert(truth(front, "inside") && !truth(front, "hidden") && !truth(front, "occluded"));
    const cJSON *beside = joint(line, "beside");
    ck_assert_double_eq_tol(number(beside, "x"), (1.0 - 1.0 / 22.0) * 100.0, 1e-4);
    ck_assert(is_null(beside, "surface_depth") && !truth(beside, "hidden"));
    const cJSON *back = joint(line, "back");
    ck_assert_double_eq_tol(number(back, "depth"), -10.0, 1e-5);
    ck_assert(is_null(back, "x") && !truth(back, "inside"));
    cJSON_Delete(line);
}
END_TEST

/* Depth and size of a parallel view: the point keeps its place whatever its depth. */
START_TEST(joints_in_parallel_views)
{
    write_points();
    shell("marrow bake points.gltf --times 1 --joints - --ortho --eye 0,0,10 --target 0,0,0");
    assert_status(0);
    cJSON *line = answer(0);
    const cJSON *front = joint(line, "front"), *behind = joint(line, "behind");
    ck_assert_double_eq_tol(number(front, "x"), number(behind, "x"), 1e-4);
    ck_assert_double_eq_tol(number(front, "depth"), 7.0, 1e-5);
    ck_assert_double_eq_tol(number(behind, "surface_depth"), 8.0, 1e-5);
    ck_assert(truth(behind, "hidden") && !truth(front, "hidden"));
    cJSON_Delete(line);
}
END_TEST

/* The matrices in the line are the camera: they lead to the same pixel. */
START_TEST(joints_of_a_framed_figure)
{
    shell("marrow bake demo:figure --clip Run --count 3 --size 320x200 --joints j.json; "
          "cat j.json; test $(wc -l <j.json) = 3");
    assert_status(0);
    cJSON *line = answer(2);
    int count = 0, inside = 0, hidden = 0;
    const cJSON *each;
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(line, "joints"))
    {
        double view[4], clip[4];
        for (int r = 0; r < 4; r++) {
            view[r] = entry(line, "world_to_view", 12 + r);
            for (int k = 0; k < 3; k++) {
                view[r] += entry(line, "world_to_view", 4 * k + r) * entry(each, "world", 12 + k);
            }
        }
        for (int r = 0; r < 4; r++) {
            clip[r] = 0.0;
            for (int k = 0; k < 4; k++) {
                clip[r] += entry(line, "view_to_clip", 4 * k + r) * view[k];
            }
        }
        ck_assert_double_eq_tol(number(each, "x"), (clip[0] / clip[3] + 1) * 160, 1e-2);
        ck_assert_double_eq_tol(number(each, "y"), (1 - clip[1] / clip[3]) * 100, 1e-2);
        ck_assert_double_eq_tol(number(each, "depth01"), clip[2] / clip[3], 1e-4);
        count++;
        inside += truth(each, "inside");
        hidden += truth(each, "occluded");
    }
    ck_assert_int_eq(count, 49); /* the joints of its skins, each once */
    ck_assert_int_eq(inside, 49);
    ck_assert(hidden > 0 && hidden < 49);
    cJSON_Delete(line);
}
END_TEST

/* Column-major: final is world times offset. */
static void assert_final(const cJSON *joint, const cJSON *world)
{
    for (int i = 0; i < 16; i++) {
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            sum += entry(world, "world", 4 * k + i % 4) * entry(joint, "offset", i / 4 * 4 + k);
        }
        ck_assert_double_eq_tol(entry(joint, "final", i), sum, 1e-6);
    }
}

/* Skins have their joints in the order that info tells. */
START_TEST(joints_bring_the_matrices_of_shaders)
{
    shell("marrow info demo:figure --json");
    cJSON *info = answer(0);
    shell("marrow bake demo:figure --clip Run --time 0.3 --translate 1,2,3 --joints -");
    assert_status(0);
    cJSON *line = answer(0);
    const cJSON *each, *skins = cJSON_GetObjectItemCaseSensitive(line, "skins");
    const cJSON *told = cJSON_GetObjectItemCaseSensitive(info, "skins");
    ck_assert_int_eq(cJSON_GetArraySize(skins), cJSON_GetArraySize(told));
    ck_assert_int_eq(cJSON_GetArraySize(skins), 2);
    for (int s = 0; s < 2; s++) {
        const cJSON *names =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(told, s), "joints");
        const cJSON *name = names->child;
        cJSON_ArrayForEach(each,
                           cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(skins, s), "joints"))
        {
            const char *called = cJSON_GetObjectItemCaseSensitive(each, "name")->valuestring;
            ck_assert_str_eq(called, name->valuestring);
            assert_final(each, joint(line, called));
            name = name->next;
        }
        ck_assert_ptr_null(name);
    }
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(line, "joints"))
    {
        assert_final(each, each);
    }
    cJSON_Delete(line);
    cJSON_Delete(info);
    write_points(); /* without a skin */
    shell("marrow bake points.gltf --times 0 --joints - %s", aim);
    line = answer(0);
    ck_assert(is_null(joint(line, "front"), "offset") && is_null(joint(line, "front"), "final"));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(line, "skins")), 0);
    cJSON_Delete(line);
}
END_TEST

/* ---- following and adding -------------------------------------------------------------------- */

START_TEST(following)
{
    write_points();
    shell("marrow bake points.gltf --times 0,0.5,1 --follow mover --joints - %s", aim);
    assert_status(0);
    for (int i = 0; i < 3; i++) {
        cJSON *line = answer(i);
        const cJSON *mover = joint(line, "mover"), *behind = joint(line, "behind");
        ck_assert_double_eq_tol(number(mover, "x"), 100.0, 1e-4);
        ck_assert_double_eq_tol(number(mover, "y"), 50.0, 1e-4);
        ck_assert_double_eq_tol(number(mover, "depth"), 10.0, 1e-5);
        ck_assert_double_eq_tol(number(behind, "depth"), 11.0 + i, 1e-5);
        cJSON_Delete(line);
    }
}
END_TEST

/* A second triangle on the point in front hides what lies farther, but not that point: it stands on
 * it, and goes on from there to z = 3 + 2. */
START_TEST(adding)
{
    write_points();
    shell("marrow bake points.gltf --times 0 --add tri.gltf@front --joints - %s", aim);
    assert_status(0);
    cJSON *line = answer(0);
    ck_assert(!truth(joint(line, "front"), "hidden"));
    ck_assert_double_eq_tol(number(joint(line, "mover"), "depth"), 10.0, 1e-5);
    cJSON_Delete(line);
    shell("marrow bake points.gltf --times 1 --add tri.gltf@beside --add tri.gltf --joints - %s",
          aim);
    assert_status(0);
    shell("marrow render points.gltf --time 1 -o a.png && marrow render points.gltf --time 1 "
          "--add tri.gltf@beside -o b.png && ! cmp -s a.png b.png");
    assert_status(0);
    /* a file whose name has an @ */
    shell("cp tri.gltf two@2x.gltf; marrow render tri.gltf --add two@2x.gltf -o c.png");
    assert_status(0);
    shell("marrow render tri.gltf --add two@2x.gltf@mover --count 2 -o 'd_{frame}.png'");
    assert_status(0);
}
END_TEST

/* ---- bad input ------------------------------------------------------------------------------- */

START_TEST(unknown_names)
{
    shell("marrow render demo:figure --blend Walk:1,Rum:1 -o a.png");
    assert_refused(3, "there is no clip \"Rum\"");
    assert_said("did you mean Run");
    shell("marrow render demo:figure --layer Wafe@chest -o a.png");
    assert_refused(3, "did you mean Wave");
    shell("marrow render demo:figure --layer Wave@chst -o a.png");
    assert_refused(3, "demo:figure: there is no node \"chst\"; did you mean chest");
    shell("marrow bake demo:figure --follow hpis --joints -");
    assert_refused(3, "did you mean hips");
    shell("marrow render demo:figure --add demo:blob@haed -o a.png");
    assert_refused(3, "did you mean head");
    shell("marrow render demo:figure --add none.glb@head -o a.png");
    assert_refused(3, "none.glb");
    ck_assert(!exists("a.png"));
}
END_TEST

START_TEST(bad_words)
{
    shell("marrow render demo:figure --blend Walk,Run -o a.png");
    assert_refused(2, "--blend 'Walk,Run'");
    shell("marrow render demo:figure --layer Wave@ -o a.png");
    assert_refused(2, "--layer");
    shell("marrow bake demo:figure --json --joints -");
    assert_refused(2, "standard output");
    shell("marrow render demo:figure --joints j.json -o a.png");
    assert_refused(2, "belongs to `bake`");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli mix");
    TCase *tc = tcase_create("cli mix");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, blends_of_the_same);
    tcase_add_test(tc, one_sequence_of_several_clips);
    tcase_add_test(tc, layers_leave_the_rest_alone);
    tcase_add_test(tc, root_motion);
    tcase_add_test(tc, loops_repeat_to_the_bit);
    tcase_add_test(tc, joints_by_hand);
    tcase_add_test(tc, joints_in_parallel_views);
    tcase_add_test(tc, joints_of_a_framed_figure);
    tcase_add_test(tc, joints_bring_the_matrices_of_shaders);
    tcase_add_test(tc, following);
    tcase_add_test(tc, adding);
    tcase_add_test(tc, unknown_names);
    tcase_add_test(tc, bad_words);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
