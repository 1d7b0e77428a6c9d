/* test_cli_views.c: several views of one pose as a user types them. What is expected of a picture
 * is the one that a command of that view alone draws.
 */
#include "cli_fixture.h"
#include "marrow/codecs.h"

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
         "can write only one picture, not 2; choose one with --time and one view", 0},
        {"figure --views front,buttom", "did you mean bottom", 2},
        {"figure --views top --elevation 3", "--views and --elevation cannot be combined", 2},
        {"stage --camera 0 --camera Orbit", "are the same camera; leave one out", 3},
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

/* An animation per view, and sheets, are made of the same pictures. A sheet has a row per view. */
START_TEST(animations_and_sheets)
{
    shell("marrow render demo:figure --size 48 --views front,top --count 3 -o '{view}.apng'");
    assert_status(0);
    assert_said("6 pictures of 48x48 in 2 animations");
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 90 --count 3 -o own.apng && "
          "cmp own.apng top.apng");
    assert_status(0);
    shell("marrow render demo:figure --size 48 --views front,top --count 3 --sheet 3 -o sheet.png");
    assert_status(0);
    assert_said("6 pictures of 48x48 in a sheet");
    shell("marrow render demo:figure --size 48 --views front,top --count 3 --sheet 3 "
          "-o '{view}.png'");
    assert_status(0);
    assert_said("in 2 sheets");
    shell("marrow render demo:figure --size 48 --azimuth 0 --elevation 0 --count 3 --sheet 3 "
          "-o own.png && cmp own.png front.png");
    assert_status(0);
}
END_TEST

/* Returns the picture in a cell of a sheet without labels: 24x24 pixels with gaps of 4. */
static mrw_image cell_of(const char *path, uint32_t column, uint32_t row)
{
    mrw_image sheet, cell;
    mrw_error error;
    ck_assert_msg(mrw_image_read(path, 3, &sheet, &error) == MRW_OK, "%s", error.text);
    ck_assert_int_eq(mrw_image_create(24, 24, 3, &cell, &error), MRW_OK);
    for (uint32_t y = 0; y < 24; y++) {
        const size_t from = ((4 + row * 28 + y) * sheet.width + 4 + column * 28) * 3;
        memcpy(cell.pixels + (size_t)y * 24 * 3, sheet.pixels + from, 24 * 3);
    }
    mrw_image_free(&sheet);
    return cell;
}

/* The cell of `sheet` shows what the file `single` does. */
static void assert_cell(const char *sheet, uint32_t column, uint32_t row, const char *single)
{
    mrw_image a = cell_of(sheet, column, row), b;
    mrw_error error;
    ck_assert_msg(mrw_image_read(single, 3, &b, &error) == MRW_OK, "%s", error.text);
    ck_assert_msg(memcmp(a.pixels, b.pixels, 24 * 24 * 3) == 0, "column %u, row %u of %s is not %s",
                  column, row, sheet, single);
    mrw_image_free(&a);
    mrw_image_free(&b);
}

/* Rows are what --rows says; each cell is the picture that a run without a sheet writes. */
START_TEST(rows_of_sheets)
{
#define DRAW "marrow render demo:figure --size 24 --views front,left,top --count 2 -q "
    shell(DRAW "-o '{view}_{n}.png' && ls *_*.png");
    ck_assert_str_eq(out, "front_0.png\nfront_3.png\nleft_1.png\nleft_4.png\ntop_2.png\n"
                          "top_5.png\n");
    shell(DRAW "--sheet 2 -o view.png && " DRAW "--sheet 3 --rows time -o time.png && " DRAW
               "--sheet 6 --rows clip -o clip.png && " DRAW
               "--sheet 2 --rows direction -o direction.png && cmp view.png direction.png");
    assert_status(0);
    assert_png("view.png", 2 * 28 + 4, 3 * 28 + 4, 2);
    assert_png("time.png", 3 * 28 + 4, 2 * 28 + 4, 2);
    assert_png("clip.png", 6 * 28 + 4, 28 + 4, 2);
    static const char *const names[] = {"front_0.png", "left_1.png", "top_2.png",
                                        "front_3.png", "left_4.png", "top_5.png"};
    for (uint32_t i = 0; i < 6; i++) {
        assert_cell("view.png", i / 3, i % 3, names[i]);
        assert_cell("time.png", i % 3, i / 3, names[i]);
        assert_cell("clip.png", i, 0, names[i]);
    }
    shell(DRAW "--sheet 3 -o a.png");
    assert_refused(2, "--sheet 3 would split the rows of this sheet, which have 2 pictures; use "
                      "--sheet 2, or choose other rows with --rows");
    shell(DRAW "--sheet 4 -o a.png --rows view");
    assert_status(0);
    shell(DRAW "--sheet 3 -o a.png --dry-run");
    assert_status(2);
    shell("marrow render demo:figure --views front,top --fps 30 --sheet 8 -o a.png");
    assert_refused(2, "use a smaller --size or fewer frames, or choose other rows with --rows");
    shell("marrow render demo:figure --rows view -o a.png");
    assert_refused(2, "--rows has no effect without --sheet");
    /* Two clips of 4 views and 3 times: side by side where there is room. */
    shell("marrow render demo:figure --size 24 --clip Walk --clip Run --directions 4 --count 3 "
          "--sheet 6 "
          "-o two.png && marrow render demo:figure --size 24 --clip Walk --clip Run --directions 4 "
          "--count 3 -q -o '{clip}_{dir}_{n}.png' && ls Walk_s_* Run_n_*");
    assert_png("two.png", 6 * 28 + 4, 4 * 28 + 4, 2);
    assert_cell("two.png", 1, 0, "Walk_s_4.png");
    assert_cell("two.png", 5, 2, "Run_n_22.png");
}
END_TEST

/* A still stays one, from several sides. */
START_TEST(sheets_of_stills)
{
    shell("marrow render demo:figure --size 24 --views front,left,top,iso --sheet 4 -o row.png");
    assert_status(0);
    assert_said("4 pictures of 24x24 in a sheet of 116x32");
    shell("marrow render demo:figure --size 24 --directions 8 --sheet 4 -o two.png");
    assert_said("8 pictures of 24x24 in a sheet of 116x60");
    shell("marrow render demo:figure --size 24 --sheet 8 -o clip.png"); /* one view: its clip */
    assert_said("33 pictures of 24x24");
}
END_TEST

/* A clip whose keys are all equal has one picture in a sheet; the other one, of 1 s, its usual
 * many, and both if the times are given. */
START_TEST(sheets_of_clips_that_hold)
{
    /* Positions of a triangle, times 0 and 1, translations of Hold and of Go. */
    static const char data[] =
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAIA/AAAAAA"
        "AAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAA=";
    char text[4000];
    snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0}}]}],\"buffers\":[{\"byteLength\":92,\"uri\":"
        "\"data:application/octet-stream;base64,%s\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":92}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
        "\"max\":[1,1,0]},{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,\"count\":2,"
        "\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},{\"bufferView\":0,\"byteOffset\":44,"
        "\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},{\"bufferView\":0,\"byteOffset\":68,"
        "\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],\"animations\":["
        "{\"name\":\"Hold\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":2}]},"
        "{\"name\":\"Go\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":3}]}]}",
        data);
    test_write_text("h.gltf", text);
    shell("marrow sheet h.gltf --clip Hold --size 16 -o s.png");
    assert_status(0);
    assert_said("1 picture");
    shell("marrow sheet h.gltf --clip Go --count 4 --size 16 -o s.png");
    assert_said("4 pictures");
    shell("marrow sheet h.gltf --clip Hold --count 4 --size 16 -o s.png");
    assert_said("4 pictures");
    shell("marrow sheet h.gltf --clip Go --size 16 -o s.png");
    ck_assert_ptr_null(strstr(err, "1 picture"));
    assert_said(" pictures of 16x16");
}
END_TEST

/* A model that cannot be read has a cell that says so; the others are drawn. */
START_TEST(sheets_of_unreadable_models)
{
    shell("echo nothing >bad.glb; marrow sheet demo:figure gone.glb bad.glb demo:blob --count 2 "
          "--size 64 -o all.png");
    assert_status(3);
    assert_said("error: gone.glb: there is no such file");
    assert_said("error: bad.glb: ");
    assert_said("12 pictures of 64x64 in a sheet of ");
    shell(
        "marrow render gone.glb demo:figure --size 64 --sheet 4 --count 3 -o b.png; marrow render "
        "demo:figure --size 64 --sheet 4 --count 3 -q -o c.png; ffmpeg -y -v error -i b.png -vf "
        "crop=204:68:68:4 -f rawvideo -pix_fmt rgb24 b.raw; ffmpeg -y -v error -i c.png -vf "
        "crop=204:68:0:4 -f rawvideo -pix_fmt rgb24 c.raw; cmp b.raw c.raw && od -An -v -t x1 "
        "-w3 b.raw | sort -u | wc -l");
    assert_status(0);
    assert_said("4 pictures of 64x64 in a sheet");
    shell("marrow sheet gone.glb bad.glb -o none.png");
    assert_status(3);
    ck_assert(!exists("none.png"));
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

/* A triangle on a skin whose joints say that +X is ahead: the left ones are at -Z. `side` 1 turns
 * that about. */
static void put_turned(const char *path, int side)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(
        file,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":["
        "{\"mesh\":0,\"skin\":0},{\"name\":\"root\",\"children\":[2,3,4,5]},"
        "{\"name\":\"arm.L\",\"translation\":[0,1,%d]},"
        "{\"name\":\"arm.R\",\"translation\":[0,1,%d]},"
        "{\"name\":\"leg.L\",\"translation\":[0,0,%d]},"
        "{\"name\":\"leg.R\",\"translation\":[0,0,%d]}],"
        "\"skins\":[{\"joints\":[1,2,3,4,5]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
        "\"WEIGHTS_0\":2},\"material\":0}]}],\"materials\":[{\"doubleSided\":true}],"
        "\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,1,0.5]},"
        "{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":2,\"componentType\":5121,\"normalized\":true,\"count\":3,"
        "\"type\":\"VEC4\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12},"
        "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],"
        "\"buffers\":[{\"byteLength\":60,\"uri\":\"turned.bin\"}]}",
        2 * side - 1, 1 - 2 * side, 2 * side - 1, 1 - 2 * side);
    fclose(file);
    const float corners[9] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.5f, 0.0f, 1.0f, 0.0f};
    uint8_t bytes[60] = {0};
    memcpy(bytes, corners, 36);
    for (int v = 0; v < 3; v++) {
        bytes[48 + 4 * v] = 255;
    }
    ck_assert_int_eq(mrw_file_write("turned.bin", bytes, sizeof bytes, NULL), MRW_OK);
}

START_TEST(the_front_is_found)
{
    static const struct {
        const char *options, *same;
        double azimuth;
    } cases[] = {{"", "--azimuth 120", 120.0},
                 {"--azimuth auto --elevation 40", "--azimuth 120 --elevation 40", 120.0},
                 {"--size 40 --ortho", "--size 40 --ortho --azimuth 120", 120.0},
                 {"--azimuth 30", "--azimuth 30", 30.0},
                 {"--elevation 20", "--azimuth 30 --elevation 20", 30.0},
                 {"--follow root", "--azimuth 30 --follow root", 30.0},
                 {"--views 0/0", "--azimuth 0 --elevation 0", 0.0},
                 {"--rotate 0,70,0", "--azimuth 120 --rotate 0,70,0", 120.0},
                 {"--scale -1,1,1", "--azimuth -60 --scale -1,1,1", -60.0},
                 {"--add demo:blob", "--azimuth 120 --add demo:blob", 120.0}};
    put_turned("turned.gltf", 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("marrow render turned.gltf -q -o a.png --force --json %s", cases[i].options);
        assert_status(0);
        cJSON *json = cJSON_Parse(out);
        const cJSON *azimuth =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(pictures_of(json), 0), "azimuth");
        ck_assert_msg(cJSON_IsNumber(azimuth) && azimuth->valuedouble == cases[i].azimuth, "%s",
                      cases[i].options);
        cJSON_Delete(json);
        shell("marrow render turned.gltf -q -o b.png --force %s; cmp a.png b.png", cases[i].same);
        ck_assert_msg(status == 0, "%s", cases[i].options);
    }
    shell("marrow render turned.gltf -v -o a.png");
    assert_said("front: +X, of joints: left and right (2); the camera's azimuth is 120\n");
    shell("marrow render turned.gltf -q --json --force -o a.png --eye 3,3,3 | grep '\"azimuth\": "
          "*null'");
    assert_status(0);
    shell("marrow render turned.gltf --azimuth automatic");
    assert_status(2);
    assert_said("expected a number from -36000 to 36000, or auto");
    shell("marrow compile turned.gltf -o t.marrow -q && marrow render t.marrow -o c.png -q --force "
          "&& marrow render turned.gltf -o a.png -q && cmp a.png c.png");
    assert_status(0);
    shell("marrow init turned.gltf --azimuth auto --size 32 -o t.suite.ini -q; grep -c '^azimuth = "
          "auto' "
          "t.suite.ini");
    assert_status(0);
}
END_TEST

/* Goldens stay where they were seen from: another front of the model, and the fixed azimuth of
 * before, are no other framing. */
START_TEST(goldens_keep_their_side)
{
    static const char line[] = "[defaults]\nmodel = turned.gltf\nsize = 32\n[a]\n%s";
    char suite_text[200];
    put_turned("turned.gltf", 0);
    snprintf(suite_text, sizeof suite_text, line, "azimuth = 30\n");
    ck_assert_int_eq(mrw_file_write("t.suite.ini", suite_text, strlen(suite_text), NULL), MRW_OK);
    shell("marrow test --update -q; sed -i '/--azimuth/d' golden/t/a/golden.txt; sed -i "
          "'/azimuth/d' t.suite.ini; marrow test -v");
    assert_status(0);
    shell("marrow test --update=all -q; cp golden/t/a/*.png front.png; marrow render turned.gltf "
          "--size 32 --azimuth 120 -o b.png -q; cmp front.png b.png");
    assert_status(0);
    put_turned("turned.gltf", 1);
    shell("marrow test; grep -c framing results/t/a/* || true");
    ck_assert_ptr_null(strstr(out, "framing"));
    /* a suite that says where from is taken at its word */
    shell("echo 'azimuth = 30' >>t.suite.ini; marrow test");
    assert_status(1);
}
END_TEST

/* The picture at `place` of an answer shows what the one at `other_place` of another does. */
static void assert_same_picture(cJSON *one, int place, cJSON *other, int other_place)
{
    const cJSON *a = cJSON_GetArrayItem(pictures_of(one), place);
    const cJSON *b = cJSON_GetArrayItem(pictures_of(other), other_place);
    ck_assert(a && b);
    ck_assert_str_eq(text_of(a, "pixel_hash"), text_of(b, "pixel_hash"));
}

/* In a parallel projection of a given height around a given point the distance is not seen: each
 * picture of a turntable, at one time or at times of its own, is that of a view alone. */
#define STANDING "--elevation 20 --ortho --view-height 2.4 --target 0,0.9,0 --fps 10 "

START_TEST(a_turntable_is_views)
{
    cJSON *still = render(STANDING "--turntable 4 --azimuth 10 --time 0.3 -o 't_{frame}.png'");
    cJSON *moving = render(STANDING "--turntable 4 --azimuth 10 --count 4 -o 'm_{n:02}.png'");
    ck_assert_int_eq(cJSON_GetArraySize(pictures_of(still)), 4);
    ck_assert_int_eq(cJSON_GetArraySize(pictures_of(moving)), 4);
    for (int v = 0; v < 4; v++) {
        char options[300];
        snprintf(options, sizeof options, STANDING "--azimuth %d --time 0.3 -o a.png", 10 + 90 * v);
        cJSON *alone = render(options);
        snprintf(options, sizeof options, STANDING "--azimuth %d --count 4 -o 'a_{frame}.png'",
                 10 + 90 * v);
        cJSON *times = render(options);
        assert_same_picture(still, v, alone, 0);
        assert_same_picture(moving, v, times, v);
        const cJSON *at = cJSON_GetArrayItem(pictures_of(still), v);
        ck_assert_double_eq(cJSON_GetObjectItem(at, "azimuth")->valuedouble, 10 + 90 * v);
        ck_assert_double_eq(cJSON_GetObjectItem(at, "frame")->valuedouble, v);
        ck_assert_double_eq(cJSON_GetObjectItem(at, "time")->valuedouble, 0.3);
        cJSON_Delete(alone);
        cJSON_Delete(times);
    }
    cJSON_Delete(still);
    cJSON_Delete(moving);
    shell("ls t_3.png m_00.png m_03.png");
    assert_status(0);
}
END_TEST

START_TEST(a_turntable_is_a_sequence)
{
    shell("marrow render demo:figure --size 48 --turntable 6 -o t.apng --fps 12");
    assert_status(0);
    assert_said("6 pictures of 48x48 in an animation");
    shell("marrow render demo:figure --size 48 --turntable 6 --sheet 3 -o t.png");
    assert_status(0);
    assert_said("in a sheet of 160x108");
    shell("marrow render demo:figure --size 48 --turntable 6 --shard 2/3 --json -q -o "
          "'{frame}.png' | grep -o '\"frame\": *[0-9]*'; ls ?.png");
    assert_status(0);
    ck_assert_msg(strstr(out, "1.png\n4.png"), "%s", out);
    shell("marrow render demo:figure --size 48 --turntable 3 --count 3 --aov flow-forward,depth "
          "-o 'f_{frame}.exr'");
    assert_status(0);
    shell("marrow render demo:figure --turntable 4 --count 5");
    assert_status(2);
    assert_said("--turntable 4 needs one time or 4 times, but there are 5; use --count 4");
    shell("marrow render demo:figure --turntable 4 -o a.png");
    assert_status(2);
    assert_said("use -o 'a_{frame:04}.png'");
}
END_TEST

START_TEST(directions_are_views)
{
    static const char *const names[] = {"s", "sw", "w", "nw", "n", "ne", "e", "se"};
    cJSON *all = render(STANDING "--directions 8 --count 2 -o '{dir}_{frame}.png'");
    ck_assert_int_eq(cJSON_GetArraySize(pictures_of(all)), 16);
    for (int v = 0; v < 8; v++) {
        char options[300];
        snprintf(options, sizeof options, STANDING "--azimuth %d --count 2 -o 'a_{frame}.png'",
                 45 * v);
        cJSON *alone = render(options);
        for (int f = 0; f < 2; f++) {
            const cJSON *at = cJSON_GetArrayItem(pictures_of(all), 8 * f + v);
            ck_assert_str_eq(text_of(at, "dir"), names[v]);
            ck_assert_str_eq(text_of(at, "view"), names[v]);
            assert_same_picture(all, 8 * f + v, alone, f);
        }
        cJSON_Delete(alone);
    }
    cJSON_Delete(all);
    assert_planned("marrow render demo:figure --directions 16 --azimuth 90 -o '{n}_{dir}.png' "
                   "--time 50%",
                   "15_sse.png\tWalk\tframe 0\t0.5333333611488342 s\tsse\n");
    assert_planned("marrow render demo:figure --directions 4 --count 2 -o '{dir}.apng'",
                   "n.apng\t");
    shell("marrow render demo:figure -o '{dir}.png'");
    assert_status(2);
    assert_said("{dir} in -o stands for a direction of --directions, but there is none");
}
END_TEST

START_TEST(lists_of_angles_are_views)
{
    cJSON *all = render("--azimuth 0,90 --elevation 0,90,5 --count 2 -o '{view}_{frame}.png'");
    cJSON *views = render("--views front,left,top,90/90,0/5,90/5 --count 2 -o 'v_{n}.png'");
    static const char *const names[] = {"front", "left", "top", "az90_el90", "az0_el5", "az90_el5"};
    for (int i = 0; i < 12; i++) {
        ck_assert_str_eq(text_of(cJSON_GetArrayItem(pictures_of(all), i), "view"), names[i % 6]);
        assert_same_picture(all, i, views, i);
    }
    cJSON_Delete(all);
    cJSON_Delete(views);
}
END_TEST

/* Several models in one sheet: rows of it are the sheets of each; in one animation: the pictures of
 * one behind those of the other. */
START_TEST(models_share_a_file)
{
    shell("marrow render demo:figure demo:blob --size 40 --count 3 --sheet 3 -o both.png");
    assert_status(0);
    assert_said("6 pictures of 40x40 in a sheet of 136x92, to both.png");
    shell("for m in figure blob; do marrow render demo:$m --size 40 --count 3 --sheet 3 -q "
          "-o $m.png; done; ffmpeg -v error -i figure.png -i blob.png -filter_complex "
          "'[0]crop=136:44:0:0[a];[1]crop=136:48:0:0[b];[a][b]vstack,format=rgb24' -f rawvideo "
          "own.raw && ffmpeg -v error -i both.png -pix_fmt rgb24 -f rawvideo both.raw && "
          "cmp own.raw both.raw");
    assert_status(0);
    shell("marrow render demo:figure demo:blob --size 40 --count 3 -o both.apng --json | "
          "grep -c '\"model\"' && ffprobe -v error -count_frames -show_entries "
          "stream=nb_read_frames -of csv=p=0 both.apng");
    assert_status(0);
    ck_assert_str_eq(out, "2\n6\n");
    shell("marrow render demo:figure demo:blob --size 8 --count 3 --stream rgba -o - | wc -c");
    assert_status(0);
    ck_assert_str_eq(out, "1536\n");
    shell("marrow render demo:figure demo:blob --size 40 --count 3 -o both.gif && ffprobe -v error "
          "-count_frames -show_entries stream=nb_read_frames -of csv=p=0 both.gif");
    assert_status(0);
    ck_assert_str_eq(out, "6\n");
    shell("marrow render demo:figure demo:blob --size 40 --count 2 -o '{model}.apng' && "
          "marrow render demo:figure demo:blob --size 40 --count 2 --sheet 2 && ls blob.apng "
          "figure.apng blob.png figure.png");
    assert_status(4); /* sheets of each are there already */
    shell("marrow render demo:figure demo:blob --size 40 --count 2 --sheet 2 -o - | head -c 4 | "
          "tail -c 3");
    assert_status(0);
    ck_assert_str_eq(out, "PNG");
    shell("marrow render demo:figure nothing.glb --size 40 -o none.apng");
    assert_status(3);
    shell("ls none.apng");
    assert_status(2);
    shell("marrow render demo:figure demo:blob -o a.png");
    assert_status(2);
    assert_said("2 models would be written to the same files; use -o 'a_{model}.png'");
}
END_TEST

/* What lies where in a sheet is in one file, and a file says it of one sheet. */
START_TEST(sprites_of_models)
{
#define BOTH "marrow render demo:figure demo:blob --size 40 --count 2 "
    shell(BOTH "--atlas at.json -o 'at_{model}.png'");
    assert_status(2);
    assert_said("2 models would be written to the same files; use --atlas 'at_{model}.json'");
    shell(BOTH "--atlas at.json");
    assert_status(2);
    assert_said("use --atlas 'at_{model}.json'");
    shell(BOTH "--atlas 'at_{model}.json' -o at.png");
    assert_status(2);
    assert_said("use the fields of -o in --atlas");
    shell("ls at*");
    assert_status(2);
    shell(BOTH
          "--atlas 'at_{model}.json' -o 'at_{model}.png' && " BOTH
          "--atlas one.json -o one.png && grep -c '\"image\": \"at_blob.png\"' at_blob.json && "
          "ls at_* one.*");
    assert_status(0);
    ck_assert_str_eq(out, "1\nat_blob.json\nat_blob.png\nat_figure.json\nat_figure.png\none.json\n"
                          "one.png\n");
}
END_TEST

/* Labels take 49 rows of pixels per row of pictures (a heading of one line, captions of two), and
 * change none of these. */
START_TEST(sheets_are_labelled)
{
    shell("marrow render demo:figure --clip Walk --clip Run --size 40 --count 2 --sheet 2 --labels "
          "-o named.png && marrow render demo:figure --clip Walk --clip Run --size 40 --count 2 "
          "--sheet 2 -q -o plain.png");
    assert_status(0);
    assert_said("4 pictures of 40x40 in a sheet of 92x190, to named.png");
    shell("ffmpeg -y -v error -i named.png -filter_complex '[0]split=3[x][y][z];[x]crop=92:40:0:24"
          "[a];[y]crop=92:40:0:117[b];[a][b]vstack,format=rgb24[o];[z]crop=92:20:0:4,format=rgb24"
          "[p]' -map '[o]' -f rawvideo named.raw -map '[p]' -f rawvideo text.raw && "
          "ffmpeg -y -v error -i plain.png -filter_complex '[0]split[x][y];[x]crop=92:40:0:4[a];"
          "[y]crop=92:40:0:48[b];[a][b]vstack,format=rgb24' -f rawvideo plain.raw && "
          "cmp named.raw plain.raw && od -An -v -t x1 -w3 text.raw | sort -u | head -3 | wc -l");
    assert_status(0);
    ck_assert_str_eq(out, "3\n"); /* more than the background */
    shell("marrow render demo:figure --labels -o a.png");
    assert_status(2);
    assert_said("--labels has no effect without --sheet");
}
END_TEST

/* Each clip a row of 36 pixels and its pictures; a model without clips from four sides; many clips
 * side by side, 15 at the most at this size. */
START_TEST(a_sheet_of_a_model)
{
    shell("marrow sheet demo:figure && marrow sheet demo:swatches && ls *.png");
    assert_status(0);
    ck_assert_str_eq(out, "figure-sheet.png\nswatches-sheet.png\n");
    assert_said("24 pictures of 128x128 in a sheet of 1060x508, to figure-sheet.png");
    assert_said("4 pictures of 128x128 in a sheet of 532x172, to swatches-sheet.png");
    shell("marrow sheet demo:figure --size 9");
    assert_refused(4, "figure-sheet.png: the file exists; overwrite it with --force");
    shell("marrow sheet demo:figure demo:swatches --size 10 --count 2 -o all.png");
    assert_status(0);
    assert_said("10 pictures of 10x10 in a sheet of 116x172, to all.png");
    shell("marrow sheet demo:figure --json -o a.png | tr '{' '\n' | grep -c '\"clip\": \"Wave\"'");
    assert_status(0);
    ck_assert_str_eq(out, "8\n");
    shell("marrow sheet demo:figure --aov depth");
    assert_refused(2, "--aov is not an option of `sheet`");
    shell("marrow sheet demo:figure -o a.gif");
    assert_refused(2, "must end in .png");
    shell("for j in 1 3; do marrow sheet demo:blob -j $j -q -o $j.png; done; cmp 1.png 3.png");
    assert_status(0);
    shell("marrow sheet demo:figure demo:blob --count 1 --size 16 -q -o in/ && ls in");
    assert_status(0);
    ck_assert_str_eq(out, "blob-sheet.png\nfigure-sheet.png\n");
    shell("marrow help sheet | grep -oE '\\[(128x128|512x512|all|the first|8)\\]' | sort");
    ck_assert_str_eq(out, "[128x128]\n[8]\n[all]\n");
}
END_TEST

START_TEST(a_sheet_of_many_clips)
{
    FILE *file = fopen("many.gltf", "w");
    fprintf(file, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":32,\"uri\":"
                  "\"data:;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAAAA=\"}],"
                  "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,"
                  "\"byteOffset\":8,\"byteLength\":24}],\"accessors\":[{\"bufferView\":0,"
                  "\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],"
                  "\"max\":[1]},{\"bufferView\":1,\"componentType\":5126,\"count\":2,"
                  "\"type\":\"VEC3\"}],\"nodes\":[{}],\"scenes\":[{\"nodes\":[0]}],"
                  "\"animations\":[");
    for (int i = 0; i < 3000; i++) {
        fprintf(file,
                "%s{\"name\":\"%0400d\",\"samplers\":[{\"input\":0,\"output\":1}],"
                "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                "\"path\":\"translation\"}}]}",
                i > 0 ? "," : "", i);
    }
    fputs("]}", file);
    fclose(file);
    shell("marrow sheet many.gltf");
    assert_status(2);
    assert_said("a sheet of 24000 pictures would be 15844x43804, over 16384 pixels per side; use a "
                "smaller --size, fewer frames or other --sheet columns");
    shell("marrow sheet many.gltf --size 8 --count 2");
    assert_status(0);
    assert_said("6000 pictures of 8x8 in a sheet of ");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli views");
    TCase *tc = tcase_create("cli views");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, views_are_commands_of_their_own);
    tcase_add_test(tc, passes_of_views);
    tcase_add_test(tc, names_of_files);
    tcase_add_test(tc, what_is_refused);
    tcase_add_test(tc, animations_and_sheets);
    tcase_add_test(tc, rows_of_sheets);
    tcase_add_test(tc, sheets_of_stills);
    tcase_add_test(tc, sheets_of_clips_that_hold);
    tcase_add_test(tc, sheets_of_unreadable_models);
    tcase_add_test(tc, shards_have_whole_times);
    tcase_add_test(tc, labels_are_cut);
    tcase_add_test(tc, the_front_is_found);
    tcase_add_test(tc, goldens_keep_their_side);
    tcase_add_test(tc, a_turntable_is_views);
    tcase_add_test(tc, a_turntable_is_a_sequence);
    tcase_add_test(tc, directions_are_views);
    tcase_add_test(tc, lists_of_angles_are_views);
    tcase_add_test(tc, models_share_a_file);
    tcase_add_test(tc, sprites_of_models);
    tcase_add_test(tc, sheets_are_labelled);
    tcase_add_test(tc, a_sheet_of_a_model);
    tcase_add_test(tc, a_sheet_of_many_clips);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
