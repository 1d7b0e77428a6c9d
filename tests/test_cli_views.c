/* test_cli_views.c: several views of one pose as a user types them. What is expected of a picture
 * is the one that a command of that view alone draws.
 */
#include "cli_fixture.h"

static cJSON *pictures_of(cJSON *answer)
{
    return cJSON_GetObjectItemCaseSensitive(answer, "pictures");
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsString(item), "%s is no text", key);
    return item->valuestring;
}

/* Renders demo:figure as options say; the answer. */
static cJSON *render(const char *options)
{
    shell("marrow render demo:figure --size 48 -q --json --force %s", options);
    assert_status(0);
    cJSON *json = cJSON_Parse(out);
    ck_assert_msg(json, "no JSON: %s", out);
    return json;
}

START_TEST(views_are_commands_of_their_own)
{
    static const char *const alone[][2] = {{"front", "--azimuth 0 --elevation 0"},
                                           {"left", "--azimuth 90 --elevation 0"},
                                           {"top", "--azimuth 0 --elevation 90"},
                                           {"iso", "--azimuth 45 --elevation 35.264"},
                                           {"az-20.5_el7", "--azimuth -20.5 --elevation 7"}};
    cJSON *all = render("--views front,left,top,iso,-20.5/7 --frames 3,9 -o '{view}_{frame}.png'");
    ck_assert_int_eq(cJSON_GetArraySize(pictures_of(all)), 10);
    for (int v = 0; v < 5; v++) {
        char options[200];
        snprintf(options, sizeof options, "%s --frames 3,9 -o 'own_{view}_{frame}.png'",
                 alone[v][1]);
        cJSON *own = render(options);
        for (int f = 0; f < 2; f++) {
            const cJSON *one = cJSON_GetArrayItem(pictures_of(all), f * 5 + v);
            const cJSON *other = cJSON_GetArrayItem(pictures_of(own), f);
            ck_assert_str_eq(text_of(one, "view"), alone[v][0]);
            ck_assert_str_eq(text_of(one, "pixel_hash"), text_of(other, "pixel_hash"));
            shell("cmp %s %s", text_of(one, "file"), text_of(other, "file"));
            assert_status(0);
        }
        cJSON_Delete(own);
    }
    cJSON_Delete(all);
}
END_TEST

/* Passes, of which flow looks at the times before and behind from the same view. */
START_TEST(passes_of_views)
{
    static const char options[] =
        "--aov depth,normal,flow-forward,flow-backward --count 3 --fit frame";
    shell("marrow render demo:figure --size 48 --views front,top %s -o 'all/{view}_{frame}.exr'",
          options);
    assert_status(0);
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 0 %s "
          "-o 'own/front_{frame}.exr'",
          options);
    assert_status(0);
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 90 %s "
          "-o 'own/top_{frame}.exr'",
          options);
    assert_status(0);
    shell("ls all | wc -l && diff -r all own");
    assert_status(0);
    ck_assert_str_eq(out, "6\n");
}
END_TEST

static void assert_planned(const char *command, const char *line)
{
    shell("%s --dry-run", command);
    assert_status(0);
    ck_assert_msg(strstr(out, line), "%s: %s", command, out);
}

START_TEST(names_of_files)
{
    assert_planned("marrow render demo:figure --views front,30/15",
                   "figure_front.png\tWalk\tframe 0\t0 s\tfront\n"
                   "figure_az30_el15.png\tWalk\tframe 0\t0 s\taz30_el15\n");
    assert_planned("marrow render demo:figure --views front,top --count 2",
                   "figure_Walk_0001_top.png\t");
    assert_planned("marrow render demo:stage --camera 1 --camera Orbit", "stage_Plan.png\t");
    assert_planned("marrow render demo:stage --camera 1 --camera Orbit", "stage_Orbit.png\t");
    assert_planned("marrow render demo:stage --camera 1 -o '{view}.png'", "Plan.png\t");
}
END_TEST

START_TEST(what_is_refused)
{
    static const struct {
        const char *options, *text;
        int status;
    } cases[] = {
        {"figure --views front,top -o a.png", "use -o 'a_{view}.png'", 2},
        {"figure --views front,top --count 3 -o a.apng", "use -o 'a_{view}.apng'", 2},
        {"figure --views front,top -o - | cat",
         "takes one picture, not 2; choose one with --time and one view", 0},
        {"figure --views front,buttom", "did you mean bottom", 2},
        {"figure --views top --elevation 3", "--views and --elevation exclude each other", 2},
        {"stage --camera 0 --camera Orbit", "are one camera; leave one out", 3},
        {"stage --camera 0 --camera Orbti", "Orbit", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("marrow render demo:%s", cases[i].options);
        assert_status(cases[i].status);
        assert_said(cases[i].text);
    }
    shell("ls");
    ck_assert_str_eq(out, "");
}
END_TEST

/* An animation a view, and sheets, are made of the same pictures; a sheet as wide as there are
 * views has a row a time. */
START_TEST(animations_and_sheets)
{
    shell("marrow render demo:figure --size 48 --views front,top --count 3 -o '{view}.apng'");
    assert_status(0);
    assert_said("6 pictures of 48x48 in 2 animations");
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 90 --count 3 -o own.apng && "
          "cmp own.apng top.apng");
    assert_status(0);
    shell("marrow render demo:figure --size 48 --views front,top --count 3 --sheet 2 -o sheet.png");
    assert_status(0);
    assert_said("6 pictures of 48x48 in a sheet");
    shell("marrow render demo:figure --size 48 --views front,top --count 3 --sheet 2 "
          "-o '{view}.png'");
    assert_status(0);
    assert_said("in 2 sheets");
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 0 --count 3 --sheet 2 "
          "-o own.png && cmp own.png front.png");
    assert_status(0);
}
END_TEST

START_TEST(shards_have_whole_times)
{
    shell("marrow render demo:figure --views front,top --frames 0-4 --shard 2/2 --dry-run | cut -f "
          "3,5");
    assert_status(0);
    ck_assert_str_eq(out, "frame 1\tfront\nframe 1\ttop\nframe 3\tfront\nframe 3\ttop\n");
}
END_TEST

/* Of long names 40 characters are written, whole ones. */
START_TEST(labels_are_cut)
{
    static char first[200], second[200];
    for (int i = 0; i < 40; i++) {
        memcpy(first + 2 * i, "\xc3\xa4", 2);
    }
    memcpy(second, first, sizeof second);
    memcpy(first + 80, "bbbbb", 5);
    memcpy(second + 80, "c", 1);
    write_triangle("long.gltf", first, second, 3, "");
    shell("for c in %s %s; do marrow render long.gltf --clip $c --frames 0,1 --size 96x32 "
          "--fit clip --overlay label -o \"$(echo $c | tail -c 2){frame}.png\" -q || exit 1; done; "
          "cmp b0.png c0.png && cmp b1.png c1.png && ! cmp -s b0.png b1.png",
          first, second);
    assert_status(0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli views");
    TCase *tc = tcase_create("cli views");
    tcase_add_checked_fixture(tc, enter, leave);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, views_are_commands_of_their_own);
    tcase_add_test(tc, passes_of_views);
    tcase_add_test(tc, names_of_files);
    tcase_add_test(tc, what_is_refused);
    tcase_add_test(tc, animations_and_sheets);
    tcase_add_test(tc, shards_have_whole_times);
    tcase_add_test(tc, labels_are_cut);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
