/* test_cli_causes.c: why a golden test fails, told by name: each part of a model that changes, the
 * suite, the framing; and that what has not changed stays where it was. */
#include "golden_fixture.h"
#include "marrow/codecs.h"

/* ---- a model of known parts ------------------------------------------------------------------ */

#define BODY 60 /* vertices: two columns, 2 wide and 2 high */

/* What a variant of the model has otherwise. */
typedef struct variant {
    float tip[2]; /* of the ear; usually 0.4, 3 */
    float lost;   /* weight that Head loses to Hips in each of two vertices */
    float length; /* of Run, seconds */
    float hidden; /* how high a vertex lies that no triangle shows; usually 0 */
    const char *color;
    const char *joint;
    uint8_t texel;
} variant;

/* The encoded colour #e0b090, by the formula of sRGB in double precision. */
#define COLOR "0.745404,0.434154,0.278894"
/* #d9aa88 */
#define OTHER "0.693872,0.401978,0.246201"

static const variant usual = {{0.4f, 3.0f}, 0.0f, 0.917f, 0.0f, COLOR, "Head", 200};

typedef struct model_data {
    float body[BODY][3];
    float ear[4][3]; /* and the hidden one */
    float weights[BODY][4];
    float times[2];
    float turns[2][4];
    float poses[2][16];
    float uv[BODY][2];
    uint16_t joints[BODY][4];
    uint16_t body_indices[(BODY / 2 - 1) * 6];
    uint16_t ear_indices[6];
} model_data;

static void fill(const variant *v, model_data *d)
{
    *d = (model_data){.times = {0, v->length}};
    for (int i = 0; i < BODY; i++) {
        const float y = 2.0f * (float)(i / 2) / (float)(BODY / 2 - 1);
        const bool hips = i < 17, changed = i >= BODY - 2;
        d->body[i][0] = i % 2 ? 1.0f : -1.0f;
        d->body[i][1] = y;
        d->uv[i][0] = i % 2 ? 1.0f : 0.0f;
        d->uv[i][1] = 1.0f - y / 2.0f;
        d->joints[i][1] = 1;
        d->weights[i][0] = hips ? 1.0f : changed ? v->lost : 0.0f;
        d->weights[i][1] = 1.0f - d->weights[i][0];
    }
    for (int i = 0; i + 1 < BODY / 2; i++) {
        const int quad[6] = {0, 1, 2, 2, 1, 3};
        for (int k = 0; k < 6; k++) {
            d->body_indices[6 * i + k] = (uint16_t)(2 * i + quad[k]);
        }
    }
    const float ear[4][3] = {
        {0.2f, 2, 0}, {0.6f, 2, 0}, {v->tip[0], v->tip[1], 0}, {0, 2 + v->hidden, 0}};
    memcpy(d->ear, ear, sizeof ear);
    /* a triangle of no area, from the hidden vertex to itself over the first */
    const uint16_t indices[6] = {0, 1, 2, 3, 3, 0};
    memcpy(d->ear_indices, indices, sizeof indices);
    for (int k = 0; k < 2; k++) {
        d->turns[k][3] = 1;
        for (int i = 0; i < 4; i++) {
            d->poses[k][5 * i] = 1;
        }
    }
}

static void put_picture(uint8_t texel)
{
    uint8_t pixels[4 * 4 * 3];
    mrw_image image = {.pixels = pixels, .width = 4, .height = 4, .channels = 3};
    mrw_bytes bytes;
    memset(pixels, 255, sizeof pixels);
    pixels[0] = texel;
    ck_assert_int_eq(mrw_png_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write("fur.png", bytes.data, bytes.size, NULL), MRW_OK);
    mrw_bytes_free(&bytes);
}

static void put_view(FILE *file, size_t offset, size_t size, const char *end)
{
    fprintf(file, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}%s", offset, size, end);
}

static void put_accessor(FILE *file, int view, int component, size_t count, const char *type,
                         const char *more)
{
    fprintf(file, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
            view ? "," : "", view, component, count, type, more);
}

/* "fox.gltf": Body on the joints Hips and Head, Ear, the clip Run, the material Main. */
static void put_model(const variant *v)
{
    model_data d;
    char range[200];
    fill(v, &d);
    put_picture(v->texel);
    ck_assert_int_eq(mrw_file_write("fox.bin", &d, sizeof d, NULL), MRW_OK);
    FILE *file = fopen("fox.gltf", "w");
    fprintf(file,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2,3]}],"
            "\"nodes\":[{\"name\":\"Hips\",\"children\":[1]},{\"name\":\"%s\"},"
            "{\"name\":\"body\",\"mesh\":0,\"skin\":0},{\"name\":\"ear\",\"mesh\":1}],"
            "\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":5}],"
            "\"materials\":[{\"name\":\"Main\",\"doubleSided\":true,"
            "\"extensions\":{\"KHR_materials_unlit\":{}},"
            "\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s,1],\"baseColorTexture\":{\"index\":"
            "0}}}],"
            "\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"fur.png\"}],"
            "\"meshes\":[{\"name\":\"Body\",\"primitives\":[{\"material\":0,\"indices\":7,"
            "\"attributes\":{\"POSITION\":0,\"WEIGHTS_0\":2,\"JOINTS_0\":6,\"TEXCOORD_0\":9}}]},"
            "{\"name\":\"Ear\",\"primitives\":[{\"material\":0,\"indices\":8,"
            "\"attributes\":{\"POSITION\":1}}]}],"
            "\"animations\":[{\"name\":\"Run\",\"samplers\":[{\"input\":3,\"output\":4}],"
            "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}],"
            "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"fox.bin\"}],\"bufferViews\":[",
            v->joint, v->color, sizeof d);
    put_view(file, offsetof(model_data, body), sizeof d.body, ",");
    put_view(file, offsetof(model_data, ear), sizeof d.ear, ",");
    put_view(file, offsetof(model_data, weights), sizeof d.weights, ",");
    put_view(file, offsetof(model_data, times), sizeof d.times, ",");
    put_view(file, offsetof(model_data, turns), sizeof d.turns, ",");
    put_view(file, offsetof(model_data, poses), sizeof d.poses, ",");
    put_view(file, offsetof(model_data, joints), sizeof d.joints, ",");
    put_view(file, offsetof(model_data, body_indices), sizeof d.body_indices, ",");
    put_view(file, offsetof(model_data, ear_indices), sizeof d.ear_indices, ",");
    put_view(file, offsetof(model_data, uv), sizeof d.uv, "],\"accessors\":[");
    put_accessor(file, 0, 5126, BODY, "VEC3", ",\"min\":[-1,0,0],\"max\":[1,2,0]");
    snprintf(range, sizeof range, ",\"min\":[0,1,0],\"max\":[0.6,3,0]");
    put_accessor(file, 1, 5126, 4, "VEC3", range);
    put_accessor(file, 2, 5126, BODY, "VEC4", "");
    put_accessor(file, 3, 5126, 2, "SCALAR", ",\"min\":[0],\"max\":[1]");
    put_accessor(file, 4, 5126, 2, "VEC4", "");
    put_accessor(file, 5, 5126, 2, "MAT4", "");
    put_accessor(file, 6, 5123, BODY, "VEC4", "");
    put_accessor(file, 7, 5123, (BODY / 2 - 1) * 6, "SCALAR", "");
    put_accessor(file, 8, 5123, 6, "SCALAR", "");
    put_accessor(file, 9, 5126, BODY, "VEC2", "");
    fprintf(file, "]}");
    fclose(file);
}

/* 32 pixels a unit: the model is 2 wide and 3 high, and seen from the front without a border. */
#define SUITE                                                                                      \
    "[defaults]\nmodel = fox.gltf\nsize = 64x96\naa = 1\nazimuth = 0\nelevation = 0\northo = "     \
    "yes\n"                                                                                        \
    "margin = 0\n"

static void make_fox(const char *sections)
{
    put_model(&usual);
    put("t.suite.ini", SUITE "%s", sections);
    shell("marrow test --update; marrow test");
    assert_status(0);
}

/* What the first line of a run with another model is. */
static void assert_first(const variant *v, const char *line)
{
    put_model(v);
    shell("marrow test -v");
    ck_assert_msg(strncmp(out, line, strlen(line)) == 0, "'%s' is not '%s'", out, line);
}

static void assert_file_has(const char *path, const char *text)
{
    static char bytes[100000];
    slurp(path, bytes, sizeof bytes);
    ck_assert_msg(strstr(bytes, text), "%s: '%s' lacks '%s'", path, bytes, text);
}

/* ---- parts of models ------------------------------------------------------------------------- */

START_TEST(parts_by_name)
{
    variant v = usual;
    make_fox("[still]\n");
    v.lost = 0.9f; /* two vertices: 43 - 1.8 */
    assert_first(&v, "passed t/still: fox.gltf: weights of Body: Head has 41.2, had 43.0; nothing "
                     "that is compared differs");
    v = usual;
    v.color = OTHER;
    assert_first(&v, "failed t/still: fox.gltf: colour of Main #d9aa88, was #e0b090; Run_0000: ");
    v = usual;
    v.texel = 10;
    assert_first(&v, "failed t/still: fox.gltf: texture fur.png: another picture of the same size; "
                     "Run_0000: ");
    v = usual;
    v.length = 0.963f;
    assert_first(&v, "passed t/still: fox.gltf: Run lasts 0.963 s, was 0.917; nothing that is "
                     "compared differs");
    v = usual;
    v.joint = "Skull";
    assert_first(&v,
                 "passed t/still: fox.gltf: joint Skull was called Head; nothing that is compared "
                 "differs");
    v = usual;
    v.tip[1] = 7.0f;
    assert_first(&v,
                 "failed t/still: fox.gltf: shape of Ear: box 4.0 taller; framing would change: "
                 "the box grows by 4.0 upwards; Run_0000: ");
    v = usual;
    v.tip[0] = 0.5f; /* within the box */
    assert_first(&v, "failed t/still: fox.gltf: vertex positions of Ear; Run_0000: ");
    v.color = OTHER;
    v.length = 0.963f;
    assert_first(&v, "failed t/still: fox.gltf: vertex positions of Ear; colour of Main #d9aa88, "
                     "was #e0b090; Run lasts 0.963 s, was 0.917; Run_0000: ");
}
END_TEST

/* A texture that is gone is not said to have the size of the checker pattern. */
START_TEST(a_missing_texture)
{
    make_fox("[still]\n");
    shell("mv fur.png away; marrow test");
    assert_status(1);
    assert_printed("fox.gltf: texture fur.png is missing: a checker pattern stands in; Run_0000: ");
    shell("marrow test --update -q; mv away fur.png; marrow test");
    assert_printed("fox.gltf: texture fur.png was missing and has been found; Run_0000: ");
}
END_TEST

/* ---- the framing ----------------------------------------------------------------------------- */

static unsigned differing(void)
{
    unsigned count = 0;
    const char *at = strstr(out, "Run_0000: ");
    ck_assert_msg(at && sscanf(at, "Run_0000: %u of ", &count) == 1, "'%s'", out);
    return count;
}

/* Of the pixels only the ear's differ: its triangle is 0.4 wide, and of what is now 5 high the
 * picture shows the lowest unit, 0.4 x 1 at most: 410 pixels, and a border of one around both, at
 * most 2 x 34 + 14. Framed anew nearly all of the 4,300 pixels of the model do. */
START_TEST(only_the_ear_is_red)
{
    variant v = usual;
    make_fox("[still]\n");
    v.tip[1] = 7.0f;
    put_model(&v);
    shell("marrow test");
    assert_status(1);
    ck_assert_uint_gt(differing(), 50);
    ck_assert_uint_le(differing(), 410 + 82);
    put("t.suite.ini", SUITE "[still]\nrefit = true\n");
    shell("marrow test");
    assert_status(1);
    assert_not_printed("framing");
    ck_assert_uint_gt(differing(), 2000);
}
END_TEST

START_TEST(framing_alone)
{
    static const char line[] = "failed t/still: fox.gltf: shape of Ear: box 4.0 taller; framing "
                               "would change: the box grows "
                               "by 4.0 upwards\n";
    variant v = usual;
    make_fox("[still]\n");
    v.hidden = 5.0f; /* at 7, and no pixel shows it */
    put_model(&v);
    shell("marrow test");
    assert_status(1);
    ck_assert_msg(strncmp(out, line, strlen(line)) == 0, "%s", out);
    shell("marrow test --junit junit.xml");
    assert_file_has("junit.xml",
                    "<failure type=\"framing\" message=\"fox.gltf: shape of Ear: box 4.0 "
                    "taller; framing would change: the box grows by 4.0 upwards\">");
    ck_assert(exists("results/t/still/framed/Run_0000.png"));
    ck_assert(exists("results/t/still/framed/golden.txt"));
    shell("marrow accept --framing --dry-run");
    ck_assert_str_eq(out, "t/still: framing: the box grows by 4.0 upwards\n");
    shell("marrow test");
    assert_status(1);
    shell("marrow accept --framing");
    assert_status(0);
    shell("marrow test -v");
    assert_status(0);
    assert_printed("passed t/still (1 frame");
    ck_assert(!exists("results/t/still"));
    /* what was accepted is what a fresh suite would have */
    shell("cp -r golden kept; marrow test --update=all; diff -r golden kept");
    assert_status(0);
}
END_TEST

START_TEST(framing_and_more)
{
    variant v = usual;
    make_fox(
        "[still]\n[hashed]\nstore = hash\nframes = 0-3\nkey-frames = 1\ncheck = pixels, pose\n");
    v.tip[1] = 7.0f;
    put_model(&v);
    shell("marrow test");
    assert_status(1);
    shell("marrow accept --framing");
    assert_status(1);
    ck_assert_str_eq(
        out,
        "left t/still: framing: the box grows by 4.0 upwards; 1 of 1 frames also differ (without "
        "--framing both changes are accepted)\nleft t/hashed: framing: the box grows by 4.0 "
        "upwards; 4 of 4 frames also differ (without --framing both changes are accepted)\n");
    shell("marrow test --update=missing");
    assert_status(1);
    assert_printed("framing would change: the box grows by 4.0 upwards; Run_0000: ");
    shell("marrow accept; marrow test");
    assert_status(0);
    shell("cp -r golden kept; marrow test --update=all; diff -r golden kept");
    assert_status(0);
    /* and back, by updating */
    put_model(&usual);
    shell("marrow test --update");
    assert_status(0);
    assert_printed(
        "updated t/still: fox.gltf: shape of Ear: box 4.0 lower; the framing changes: the box "
        "shrinks by 4.0 from above; goldens of 1 frame written");
    shell("cp -r golden kept2; marrow test --update=all; diff -r golden kept2; marrow test");
    assert_status(0);
}
END_TEST

/* An importer that rounds otherwise frames alike, and is no failure; the golden's camera stays. */
START_TEST(framing_within_a_quarter_of_a_pixel)
{
    variant v = usual;
    make_fox("[still]\ncompare = pixel\nmax-pixels = 200\nmax-delta = 255\n");
    v.hidden = 1.0f + 0.2f / 32.0f; /* a fifth of a pixel; half of it on each side */
    put_model(&v);
    shell("marrow test -v");
    assert_status(0);
    assert_not_printed("framing");
    v.hidden = 1.0f + 1.0f / 32.0f;
    put_model(&v);
    shell("marrow test -v");
    assert_status(1);
    assert_printed("framing would change: the box grows by 0.031 upwards (1 frame, ");
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static void change_suite(const char *section)
{
    put("t.suite.ini", SUITE "%s", section);
    shell("marrow test");
}

/* Goldens of one time that were drawn when it was framed as its whole clip stay so. */
#define RUN "[run]\nmodel = demo:figure\nclip = Run\ntime = 0.3\nshadows = yes\n"

START_TEST(framing_of_one_time)
{
    make_fox(RUN);
    assert_file_has("golden/t/run/golden.txt", "option \"--fit=frame\"\n");
    make_fox(RUN "fit = clip\n");
    shell("sed -i '/--fit=clip/d' golden/t/run/golden.txt; cp -r golden old");
    change_suite(RUN);
    assert_status(0);
    shell("marrow test -v");
    assert_printed("passed t/run (1 frame");
    shell("marrow test --changed");
    assert_status(0);
    change_suite(RUN "refit = yes\n");
    assert_status(1);
    change_suite(RUN "fit = frame\n");
    assert_status(1);
    assert_printed("the suite changed: fit = frame, was not given");
    /* made anew, they are framed as they are */
    change_suite(RUN);
    shell("marrow test --update=all; cmp -s golden/t/run/Run_0000.png old/t/run/Run_0000.png");
    assert_status(1);
    assert_file_has("golden/t/run/golden.txt", "option \"--fit=frame\"\n");
    shell("marrow test");
    assert_status(0);
}
END_TEST

START_TEST(suite_by_name)
{
    make_fox("[run]\ncount = 4\n");
    change_suite("[run]\ncount = 8\n");
    assert_status(1);
    assert_printed(
        "failed t/run: the suite changed: count = 8, was 4; Run_0001: not compared: the frame "
        "is at 0.131 s, but the golden is at 0.306 s (and 6 more of 8 frames)\n");
    change_suite("[run]\nfps = 10\n");
    assert_printed(
        "the suite changed: fps = 10, was not given; count not given, was 4; Run_0001: not "
        "compared: the frame is at 0.100 s, but the golden is at 0.306 s (and ");
    change_suite("[run]\nframes = 0,2,30\nwrap = clamp\n");
    assert_printed("the suite changed: frames = 0,2,30, was not given; ");
    change_suite("[run]\ncount = 4\nazimuth = 40\n");
    assert_printed(
        "failed t/run: the suite changed: azimuth = 40, was 0; Run_0000: not compared: the "
        "golden uses another camera (and 3 more of 4 frames)\n");
    change_suite("[run]\ncount = 4\nsize = 32x48\n");
    assert_printed(
        "failed t/run: the suite changed: size = 32x48, was 64x96; Run_0000: 64x96 expected, "
        "32x48 got (and ");
    change_suite("[run]\ncount = 4\nbackground = #123456\n");
    assert_printed(
        "failed t/run: the suite changed: background = #123456, was not given; Run_0000: ");
    change_suite("[run]\ncount = 4\ntags = slow\ncompare = pixel\n");
    assert_status(0);
    change_suite("[run]\ncount = 4\northo = no\n");
    assert_status(1);
    assert_printed(
        "the suite changed: ortho not given, was yes; Run_0000: not compared: the golden "
        "uses another camera (and ");
    /* what says the same in other words */
    change_suite("[run]\ncount = 4\nup = 0,1,0\n");
    assert_status(0);
    change_suite("[run]\ncount = 4\nrotate = 0,0,0\n");
    assert_status(0);
    /* taken over */
    change_suite("[run]\ncount = 8\n");
    shell("marrow accept; marrow test -v");
    assert_status(0);
    assert_printed("passed t/run (8 frames");
}
END_TEST

START_TEST(poses_at_other_times)
{
    make_fox("[run]\ncount = 4\ncheck = pose, bounds\n");
    change_suite("[run]\ncount = 8\ncheck = pose, bounds\n");
    assert_status(1);
    assert_printed(
        "failed t/run: the suite changed: count = 8, was 4; Run_0001: not compared: the frame "
        "is at 0.131 s, but the golden is at 0.306 s (and 6 more of 8 frames)\n");
}
END_TEST

/* Where the old model is at hand. */
START_TEST(vertices_one_by_one)
{
    variant v = usual;
    put_model(&v);
    shell("mkdir old; cp fox.gltf fox.bin fur.png old");
    v.tip[0] = 0.5f;
    v.tip[1] = 7.0f;
    v.hidden = 1.0f;
    put_model(&v);
    shell("marrow diff old/fox.gltf fox.gltf --size 64x96 --fps 4");
    assert_status(1);
    /* by the square root of 0.1 x 0.1 + 4 x 4 */
    assert_said("shape of Ear: 2 of 4 vertices moved; vertex 2 moved by 4.00125 (the farthest), "
                "from 0.4,3,0 to 0.5,7,0\n");
    ck_assert_ptr_null(strstr(err, "shape of Body"));
}
END_TEST

/* ---- one line a model ------------------------------------------------------------------------ */

START_TEST(cases_below_their_cause)
{
    variant v = usual;
    make_fox("[a]\n[other]\nmodel = demo:blob\n[b]\nazimuth = 20\n");
    v.color = OTHER;
    put_model(&v);
    put("t.suite.ini", SUITE "[a]\n[other]\nmodel = demo:blob\ncount = 2\n[b]\nazimuth = 20\n");
    shell("GITHUB_STEP_SUMMARY=summary marrow test --junit junit.xml");
    assert_status(1);
    assert_printed(
        "fox.gltf: colour of Main #d9aa88, was #e0b090 (2 cases; -v lists them; the worst "
        "one:)\n  failed t/");
    assert_printed("\nfailed t/other: the suite changed: count = 2, was not given; ");
    ck_assert_ptr_null(strstr(strstr(out, "colour of Main") + 1, "colour of Main"));
    shell("marrow test -v");
    assert_printed("fox.gltf: colour of Main #d9aa88, was #e0b090\n  failed t/a: Run_0000: ");
    assert_printed("\n  failed t/b: Run_0000: ");
    ck_assert(strstr(out, "t/b") < strstr(out, "t/other"));
    shell("GITHUB_STEP_SUMMARY=summary marrow test --junit junit.xml");
    assert_file_has("junit.xml",
                    "<failure type=\"pixels\" message=\"fox.gltf: colour of Main #d9aa88, "
                    "was #e0b090; Run_0000: ");
    assert_file_has("junit.xml",
                    "    <system-out>fox.gltf: colour of Main #d9aa88, was #e0b090\n  a\n  b\n"
                    "</system-out>\n  </testsuite>");
    shell("GITHUB_ACTIONS=true marrow test");
    assert_status(1);
    char *text = strstr(out, "::error ") ? out : err;
    ck_assert_msg(strstr(text,
                         "::error file=t.suite.ini,line=9,title=2 cases::fox.gltf: colour of Main "
                         "#d9aa88, was #e0b090%0At/a: Run_0000: "),
                  "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "%0At/b: Run_0000: "));
    ck_assert_ptr_nonnull(strstr(text, "title=t/other::the suite changed: "));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("causes");
    TCase *tc = tcase_create("causes");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, parts_by_name);
    tcase_add_test(tc, only_the_ear_is_red);
    tcase_add_test(tc, a_missing_texture);
    tcase_add_test(tc, framing_alone);
    tcase_add_test(tc, framing_of_one_time);
    tcase_add_test(tc, framing_and_more);
    tcase_add_test(tc, framing_within_a_quarter_of_a_pixel);
    tcase_add_test(tc, suite_by_name);
    tcase_add_test(tc, poses_at_other_times);
    tcase_add_test(tc, vertices_one_by_one);
    tcase_add_test(tc, cases_below_their_cause);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
