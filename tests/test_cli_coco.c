/* test_cli_coco.c: `marrow bake --joints-format coco`: its masks beside the ids that the library
 * draws, its key points beside the lines that `--joints` writes, its names beside those of render.
 */
#include "cli_fixture.h"

#include <marrow/session.h>

#define WIDTH  96
#define HEIGHT 80
#define MODELS 3 /* the figure, and two blobs */

static const char options[] = "demo:figure --clip Run --count 3 --size 96x80 --add "
                              "demo:blob@hand.R --add demo:blob --eye 0,1,4 --target 0,1,0";

static cJSON *parse(const char *text)
{
    cJSON *json = cJSON_Parse(text);
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
    ck_assert_msg(cJSON_IsNumber(get(object, key)), "%s is no number", key);
    return get(object, key)->valuedouble;
}

static const char *text(const cJSON *object, const char *key)
{
    ck_assert_msg(cJSON_IsString(get(object, key)), "%s is no text", key);
    return get(object, key)->valuestring;
}

static double entry(const cJSON *object, const char *key, int index)
{
    return cJSON_GetArrayItem(get(object, key), index)->valuedouble;
}

/* ---- what a reader of the data set does ------------------------------------------------------ */

/* Run lengths of zeros and ones in turn, column by column. */
static void decode(const cJSON *mask, bool *shown)
{
    const cJSON *count;
    size_t at = 0;
    bool one = false;
    ck_assert(entry(mask, "size", 0) == HEIGHT && entry(mask, "size", 1) == WIDTH);
    cJSON_ArrayForEach(count, get(mask, "counts"))
    {
        for (int i = 0; i < count->valueint; i++, at++) {
            ck_assert(at < WIDTH * HEIGHT);
            shown[at % HEIGHT * WIDTH + at / HEIGHT] = one;
        }
        one = !one;
    }
    ck_assert_uint_eq(at, WIDTH * HEIGHT);
}

/* The annotation of a model in a picture, or NULL. */
static const cJSON *annotation(const cJSON *document, int picture, int model)
{
    const cJSON *each, *found = NULL;
    cJSON_ArrayForEach(each, get(document, "annotations"))
    {
        if (number(each, "image_id") == picture + 1 && number(each, "instance") == model) {
            ck_assert_ptr_null(found);
            found = each;
        }
    }
    return found;
}

/* ---- what the library draws ------------------------------------------------------------------ */

typedef struct drawn {
    uint32_t owners[3][WIDTH * HEIGHT]; /* [picture]: 1 and the model, or 0 */
    uint32_t firsts[MODELS + 1];        /* the number of each model's first draw */
} drawn;

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *unused)
{
    drawn *d = user;
    const uint32_t *ids = (const uint32_t *)mrw_frame_aov(frame->renderer, 0)->pixels;
    (void)unused;
    for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
        for (uint32_t m = 0; m < MODELS; m++) {
            if (ids[p] >= d->firsts[m] && ids[p] < d->firsts[m + 1]) {
                d->owners[frame->index][p] = m + 1;
            }
        }
    }
    return MRW_OK;
}

static void draw(drawn *d)
{
    static const mrw_aov_request request = {.aov = MRW_AOV_ID};
    static const char *const words[] = {
        "render",   "demo:figure", "--clip",           "Run",   "--count",   "3",     "--size",
        "96x80",    "--add",       "demo:blob@hand.R", "--add", "demo:blob", "--eye", "0,1,4",
        "--target", "0,1,0"};
    mrw_settings settings;
    mrw_scene *scene;
    mrw_session_model model;
    mrw_session session;
    mrw_picture_list pictures;
    mrw_crew *crew;
    mrw_error error;
    const mrw_session_sink sink = {.user = d, .put = receive};
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_parse(&settings, sizeof words / sizeof *words, words, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_session_load("demo:figure", &settings, NULL, &scene, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_model_init("demo:figure", scene, &settings, &model, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_session_pictures(&model, true, &pictures, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_begin(&session, &model, true, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_prepare(&session, NULL, &error), MRW_OK);
    d->firsts[0] = 1;
    for (uint32_t m = 0; m < MODELS; m++) {
        d->firsts[m + 1] = d->firsts[m] + session.scenes[m]->draws_count;
    }
    session.frame.aovs = &request;
    session.frame.aov_count = 1;
    session.frame.every = true;
    ck_assert_int_eq(mrw_crew_create(mrw_backend_none(), 1, &crew, &error), MRW_OK);
    ck_assert_int_eq(
        mrw_session_perform(&session, pictures.items, pictures.count, crew, &sink, &error), MRW_OK);
    mrw_crew_free(crew);
    mrw_session_free(&session);
    mrw_picture_list_free(&pictures);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
}

/* Box, area and mask of an annotation against pixels; returns how many there are. */
static int assert_mask(const cJSON *at, const uint32_t *owners, uint32_t owner)
{
    static bool shown[WIDTH * HEIGHT];
    int left = WIDTH, top = HEIGHT, right = 0, bottom = 0, area = 0;
    memset(shown, 0, sizeof shown);
    if (at) {
        decode(get(at, "segmentation"), shown);
    }
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const bool is = owners[y * WIDTH + x] == owner;
            ck_assert_msg(shown[y * WIDTH + x] == is, "%d, %d", x, y);
            left = is && x < left ? x : left;
            top = is && y < top ? y : top;
            right = is && x >= right ? x + 1 : right;
            bottom = is && y >= bottom ? y + 1 : bottom;
            area += is;
        }
    }
    if (at) {
        ck_assert(number(at, "area") == area && number(at, "iscrowd") == 0);
        ck_assert(entry(at, "bbox", 0) == left && entry(at, "bbox", 1) == top);
        ck_assert(entry(at, "bbox", 2) == right - left && entry(at, "bbox", 3) == bottom - top);
    }
    return area;
}

START_TEST(masks_are_those_of_ids)
{
    static drawn d;
    int models[MODELS] = {0};
    draw(&d);
    shell("marrow bake %s --joints - --joints-format coco", options);
    assert_status(0);
    cJSON *document = parse(out);
    const cJSON *each;
    double last = 0.0;
    for (int p = 0; p < 3; p++) {
        for (int m = 0; m < MODELS; m++) {
            const cJSON *at = annotation(document, p, m);
            const int area = assert_mask(at, d.owners[p], (uint32_t)m + 1);
            ck_assert_msg((area > 0) == !!at, "picture %d, model %d: %d", p, m, area);
            ck_assert(!at || number(at, "category_id") == (m == 0 ? 1 : 2));
            models[m] += area;
        }
    }
    ck_assert(models[0] > 300 && models[1] > 300 && models[2] > 300);
    cJSON_ArrayForEach(each, get(document, "annotations"))
    {
        ck_assert(number(each, "id") > last);
        last = number(each, "id");
    }
    ck_assert_int_eq(cJSON_GetArraySize(get(document, "categories")), 2);
    cJSON_Delete(document);
}
END_TEST

/* ---- key points ------------------------------------------------------------------------------ */

/* 0: not in the picture; else 1 behind something else, 2 not. */
static int assert_key_points(const cJSON *at, const cJSON *line, int seen[3])
{
    const cJSON *each;
    int i = 0, shown = 0;
    cJSON_ArrayForEach(each, get(line, "joints"))
    {
        const bool inside = cJSON_IsTrue(get(each, "inside")) && number(each, "depth01") >= 0 &&
                            number(each, "depth01") <= 1;
        const int wanted = !inside ? 0 : cJSON_IsTrue(get(each, "occluded")) ? 1 : 2;
        ck_assert(entry(at, "keypoints", 3 * i + 2) == wanted);
        ck_assert(entry(at, "keypoints", 3 * i) == (inside ? number(each, "x") : 0));
        ck_assert(entry(at, "keypoints", 3 * i + 1) == (inside ? number(each, "y") : 0));
        shown += wanted > 0;
        seen[wanted]++;
        i++;
    }
    ck_assert_int_eq(cJSON_GetArraySize(get(at, "keypoints")), 3 * i);
    ck_assert(number(at, "num_keypoints") == shown);
    return i;
}

/* Edges lead from joints to those that hang on them. */
static void assert_category(const cJSON *category, const cJSON *line)
{
    const cJSON *joints = get(line, "joints"), *names = get(category, "keypoints"), *edge;
    const int count = cJSON_GetArraySize(joints);
    int edges = 0;
    ck_assert_int_eq(cJSON_GetArraySize(names), count);
    for (int i = 0; i < count; i++) {
        const cJSON *joint = cJSON_GetArrayItem(joints, i), *parent = get(joint, "parent");
        ck_assert_str_eq(cJSON_GetArrayItem(names, i)->valuestring, text(joint, "name"));
        for (int k = 0; k < count && cJSON_IsNumber(parent); k++) {
            edges += number(cJSON_GetArrayItem(joints, k), "node") == parent->valuedouble;
        }
    }
    ck_assert_int_eq(cJSON_GetArraySize(get(category, "skeleton")), edges);
    ck_assert_int_gt(edges, 10);
    cJSON_ArrayForEach(edge, get(category, "skeleton"))
    {
        const int from = cJSON_GetArrayItem(edge, 0)->valueint, to = edge->child->next->valueint;
        ck_assert(number(cJSON_GetArrayItem(joints, from - 1), "node") ==
                  number(cJSON_GetArrayItem(joints, to - 1), "parent"));
    }
}

/* The figure is so near that its feet are below the picture. */
START_TEST(key_points_are_joints)
{
    static const char near[] = "demo:figure --clip Run --time 0.3 --size 96x80 --eye 1,1.4,1.6 "
                               "--target 0,1.2,0";
    int seen[3] = {0};
    shell("marrow bake %s --joints - --joints-format coco", near);
    assert_status(0);
    cJSON *document = parse(out);
    shell("marrow bake %s --joints -", near);
    assert_status(0);
    cJSON *joints = parse(out);
    ck_assert_int_eq(assert_key_points(annotation(document, 0, 0), joints, seen), 49);
    assert_category(cJSON_GetArrayItem(get(document, "categories"), 0), joints);
    ck_assert_msg(seen[0] > 4 && seen[1] > 0 && seen[2] > 10, "%d %d %d", seen[0], seen[1],
                  seen[2]);
    cJSON_Delete(joints);
    cJSON_Delete(document);
}
END_TEST

/* ---- people ---------------------------------------------------------------------------------- */

/* Joints of demo:figure, which has no face, in the order of COCO's key points. */
static const char *const people[17] = {
    NULL,         NULL,        NULL,        NULL,     NULL,     "upperarm.L",
    "upperarm.R", "forearm.L", "forearm.R", "hand.L", "hand.R", "thigh.L",
    "thigh.R",    "shin.L",    "shin.R",    "foot.L", "foot.R"};

static const cJSON *joint_called(const cJSON *line, const char *name)
{
    const cJSON *each;
    cJSON_ArrayForEach(each, get(line, "joints"))
    {
        if (strcmp(text(each, "name"), name) == 0) {
            return each;
        }
    }
    ck_abort_msg("there is no joint %s", name);
    return NULL;
}

START_TEST(people_have_seventeen_points)
{
    static const char run[] = "demo:figure --clip Run --time 0.3 --size 96x80";
    shell("marrow bake %s --add demo:blob --add demo:figure:pos=1,0,0 --joints - --joints-format "
          "coco-17",
          run);
    assert_status(0);
    cJSON *document = parse(out);
    shell("marrow bake %s --add demo:blob --add demo:figure:pos=1,0,0 --joints -", run);
    assert_status(0);
    cJSON *line = parse(out);
    const cJSON *category = cJSON_GetArrayItem(get(document, "categories"), 0);
    const cJSON *person = annotation(document, 0, 0);
    ck_assert_int_eq(cJSON_GetArraySize(get(document, "categories")), 2); /* people, the blob */
    ck_assert_str_eq(text(category, "name"), "person");
    ck_assert_int_eq(cJSON_GetArraySize(get(category, "keypoints")), 17);
    ck_assert_str_eq(cJSON_GetArrayItem(get(category, "keypoints"), 9)->valuestring, "left_wrist");
    ck_assert_int_eq(cJSON_GetArraySize(get(category, "skeleton")), 19);
    ck_assert(number(annotation(document, 0, 2), "category_id") == number(person, "category_id"));
    ck_assert(number(annotation(document, 0, 1), "category_id") == 2);
    ck_assert(number(annotation(document, 0, 1), "num_keypoints") == 0);
    ck_assert_int_eq(cJSON_GetArraySize(get(annotation(document, 0, 1), "keypoints")), 51);
    ck_assert(number(person, "num_keypoints") == 12);
    for (int k = 0; k < 17; k++) {
        const cJSON *joint = people[k] ? joint_called(line, people[k]) : NULL;
        const double v = entry(person, "keypoints", 3 * k + 2);
        ck_assert(joint ? v == (cJSON_IsTrue(get(joint, "occluded")) ? 1 : 2) : v == 0);
        ck_assert(entry(person, "keypoints", 3 * k) == (joint ? number(joint, "x") : 0.0));
        ck_assert(entry(person, "keypoints", 3 * k + 1) == (joint ? number(joint, "y") : 0.0));
    }
    cJSON_Delete(line);
    cJSON_Delete(document);
}
END_TEST

/* As render lists them: the first word of each line. */
static void assert_names(const cJSON *document, const char *wanted)
{
    char names[4000] = "";
    const cJSON *each;
    cJSON_ArrayForEach(each, get(document, "images"))
    {
        const size_t used = strlen(names);
        ck_assert(number(each, "width") == 64 && number(each, "height") == 48);
        snprintf(names + used, sizeof names - used, "%s\n", text(each, "file_name"));
    }
    ck_assert_str_eq(names, wanted);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* A line per time and view, with the numbers that each view has alone. */
START_TEST(lines_of_views)
{
    static const char walk[] = "demo:blob --clip Emote --count 2 --size 64x48 --joints -";
    static const struct {
        const char *name, *angles;
    } views[] = {{"front", "--azimuth 0 --elevation 0"},
                 {"az30_el10", "--azimuth 30 --elevation 10"}};
    cJSON *lines[2][2];
    for (int v = 0; v < 2; v++) {
        const char *end;
        shell("marrow bake %s %s -q", walk, views[v].angles);
        assert_status(0);
        ck_assert_ptr_null(strstr(out, "\"view\""));
        lines[v][0] = cJSON_ParseWithOpts(out, &end, 0);
        lines[v][1] = cJSON_ParseWithOpts(end, &end, 0);
    }
    shell("marrow bake %s --views front,30/10 -q", walk);
    assert_status(0);
    const char *end = out;
    for (int i = 0; i < 4; i++) {
        cJSON *line = cJSON_ParseWithOpts(end, &end, 0), *same = lines[i % 2][i / 2];
        ck_assert_str_eq(text(line, "view"), views[i % 2].name);
        ck_assert(number(line, "azimuth") == (i % 2 == 0 ? 0.0 : 30.0));
        cJSON_DeleteItemFromObject(line, "view");
        cJSON_DeleteItemFromObject(line, "azimuth");
        cJSON_DeleteItemFromObject(line, "elevation");
        ck_assert(cJSON_Compare(line, same, true));
        cJSON_Delete(line);
    }
    ck_assert_uint_eq(strspn(end, "\n"), strlen(end));
    for (int i = 0; i < 4; i++) {
        cJSON_Delete(lines[i % 2][i / 2]);
    }
    shell("marrow bake %s --directions 8 | wc -l; marrow bake %s --azimuth 0,90 --elevation 0,20 | "
          "wc "
          "-l; marrow bake demo:blob --time 0.1 --size 16 --turntable 3 --joints - -q | wc -l",
          walk, walk);
    ck_assert_str_eq(out, "16\n8\n3\n");
    /* Numbers and meshes are the same from all sides. */
    shell("marrow bake demo:blob --views front,left --joints j --json -q | wc -l");
    ck_assert_str_eq(out, "1\n");
    shell("marrow bake demo:figure --clip Walk --count 2 --size 64x48 --views front,left --joints "
          "c.json --joints-format coco -q >t && cat c.json");
    assert_status(0);
    cJSON *document = parse(out);
    assert_names(document, "figure_Walk_0000_front.png\nfigure_Walk_0000_left.png\n"
                           "figure_Walk_0001_front.png\nfigure_Walk_0001_left.png\n");
    ck_assert_int_eq(cJSON_GetArraySize(get(document, "annotations")), 4);
    ck_assert_str_eq(text(cJSON_GetArrayItem(get(document, "images"), 3), "view"), "left");
    cJSON_Delete(document);
}
END_TEST

/* ---- documents ------------------------------------------------------------------------------- */

START_TEST(pictures_are_called_as_render_calls_them)
{
    static const char *const forms[][2] = {
        {"--clip Walk --count 3", ""},
        {"--clip Walk --time 0.5", ""},
        {"--clip all --count 2", "p/{clip}_{frame:04}.png"},
        {"--clip Run", "'q_{frame}.png'"}, /* all of its frames */
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        static char wanted[4000];
        const char *name = forms[i][1];
        shell("marrow render demo:figure %s --size 64x48 --dry-run %s %s | cut -f1", forms[i][0],
              name[0] ? "-o" : "", name);
        assert_status(0);
        snprintf(wanted, sizeof wanted, "%.3999s", out);
        shell("marrow bake demo:figure %s --size 64x48 --joints c.json --joints-format coco %s %s; "
              "cat c.json",
              forms[i][0], name[0] ? "--images" : "", name);
        assert_status(0);
        cJSON *document = parse(out);
        assert_names(document, wanted);
        cJSON_Delete(document);
    }
}
END_TEST

/* The same whatever the threads, and with the numbers of --id in its legend. */
START_TEST(documents_are_whole)
{
    shell(
        "marrow bake %s -j 1 --joints a.json --joints-format coco && marrow bake %s -j 4 --joints "
        "b.json --joints-format coco && cmp a.json b.json",
        options, options);
    assert_status(0);
    shell("marrow bake %s --id blob=9 --joints c.json --joints-format coco && cat c.json", options);
    assert_status(0);
    cJSON *document = parse(out);
    const cJSON *each;
    int blobs = 0;
    cJSON_ArrayForEach(each, get(get(document, "legend"), "ids"))
    {
        ck_assert((number(each, "id") == 9) ==
                  (strcmp(text(each, "model"), "blob") == 0 || number(each, "id") == 9));
        blobs += number(each, "id") == 9;
    }
    ck_assert_int_gt(blobs, 1);
    cJSON_Delete(document);
    /* what is seen nowhere has no annotation */
    shell("marrow bake demo:blob --joints - --joints-format coco --eye 0,0,9 --target 0,0,20");
    assert_status(0);
    document = parse(out);
    ck_assert_int_eq(cJSON_GetArraySize(get(document, "annotations")), 0);
    ck_assert_int_eq(cJSON_GetArraySize(get(document, "images")), 1);
    cJSON_Delete(document);
}
END_TEST

START_TEST(bad_words)
{
    shell("marrow bake demo:blob --joints-format coco");
    assert_refused(2, "--joints-format has no effect without --joints");
    shell("marrow bake demo:blob --joints a --joints-format yolo");
    assert_refused(2, "expected lines, coco or coco-17");
    shell("marrow bake demo:blob --joints a --joints-format coco-17");
    assert_refused(3, "needs a human figure");
    shell("marrow bake demo:figure --views front,left");
    assert_refused(2, "--views has no effect without --joints");
    shell("marrow bake demo:blob --joints a --images 'x.png'");
    assert_refused(2, "--images has no effect without --joints-format coco");
    shell("marrow bake demo:blob --joints a --id Blob=3");
    assert_refused(2, "--id has no effect without --joints-format coco");
    shell("marrow bake demo:figure --clip Run --count 2 --joints a --joints-format coco --images "
          "x.png");
    assert_refused(2, "--images would write several of the 2 pictures to 'x.png'; use --images "
                      "'x_{frame:04}.png'");
    shell("marrow bake demo:blob --joints a --joints-format coco --images -");
    assert_refused(2, "--images");
    shell("marrow bake demo:blob --joints a --joints-format coco --images 'x_{nothing}.png'");
    assert_refused(2, "{nothing}");
    shell("marrow bake demo:blob --joints a --joints-format coco --images 'x_{aov}.png'");
    assert_refused(2, "--images 'x_{aov}.png': the name of a picture can contain {model}");
    shell("marrow bake demo:blob --joints a --joints-format coco --images x.jpg");
    assert_refused(2, "--images 'x.jpg'");
    ck_assert(!exists("a"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli coco");
    TCase *tc = tcase_create("cli coco");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, masks_are_those_of_ids);
    tcase_add_test(tc, key_points_are_joints);
    tcase_add_test(tc, pictures_are_called_as_render_calls_them);
    tcase_add_test(tc, documents_are_whole);
    tcase_add_test(tc, people_have_seventeen_points);
    tcase_add_test(tc, lines_of_views);
    tcase_add_test(tc, bad_words);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
