/* test_output.c: names of files from templates, which picture goes to which file, and the writers:
 * whole files or none, from any number of threads. */
#include "test.h"

#include "base/parallel.h"
#include "marrow/codecs.h"

#include <dirent.h>
#include <fcntl.h>
#include <marrow/output.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- templates ------------------------------------------------------------------------------- */

static const mrw_template_values fox = {.model = "fox",
                                        .clip = "Run fast/../x",
                                        .view = "main",
                                        .aov = "weights:Hip.L",
                                        .dir = "sw",
                                        .frame = 7,
                                        .n = 12,
                                        .time = 0.5};

START_TEST(templates_by_hand)
{
    static const struct {
        const char *text, *expected;
        uint32_t fields;
    } cases[] = {
        {"out/a.png", "out/a.png", 0},
        {"{model}_{frame:04}.png", "fox_0007.png", MRW_FIELD_MODEL | MRW_FIELD_FRAME},
        {"{frame}{frame:3}", "7007", MRW_FIELD_FRAME},
        {"f_####.png", "f_0007.png", MRW_FIELD_FRAME},
        {"f_%04d.png", "f_0007.png", MRW_FIELD_FRAME},
        {"f_%d.png", "f_7.png", MRW_FIELD_FRAME},
        {"{clip}.png", "Run_fast_.._x.png", MRW_FIELD_CLIP},
        {"{time}|{time:3}|{view}", "0.5|0.500|main", MRW_FIELD_TIME | MRW_FIELD_VIEW},
        {"100%%_{{x}}_c#.png", "100%_{x}_c#.png", 0},
        {"a%4x_%8", "a%4x_%8", 0},
        {"50% done.png", "50% done.png", 0},
        {"{aov}.exr", "weights_Hip.L.exr", MRW_FIELD_AOV},
        {"{dir}_{n}_{n:03}.png", "sw_12_012.png", MRW_FIELD_DIR | MRW_FIELD_N},
        {"{model}_{page}.png", "fox_{page}.png", MRW_FIELD_MODEL | MRW_FIELD_PAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[256];
        uint32_t fields = 99;
        mrw_error error = {0};
        ck_assert_msg(mrw_template_check(cases[i].text, &fields, &error) == MRW_OK, "%s",
                      error.text);
        ck_assert_uint_eq(fields, cases[i].fields);
        ck_assert_int_eq(mrw_template_expand(cases[i].text, &fox, out, sizeof out, &error), MRW_OK);
        ck_assert_str_eq(out, cases[i].expected);
    }
}
END_TEST

/* A file's name has 255 bytes at most. Names of clips and views give way, all pictures of a clip
 * alike: 20 digits are kept free for a number. Names of models have 200 bytes at most. */
START_TEST(long_names)
{
    static const struct {
        const char *text;
        size_t model, clip, view;             /* bytes of the names */
        size_t cut_model, cut_clip, cut_view; /* and of what is left */
        const char *expected;                 /* M, C and V are the names */
    } cases[] = {
        {"{clip}.png", 1, 200, 1, 0, 200, 0, "C.png"},
        {"{clip}.png", 1, 201, 1, 0, 200, 0, "C.png"},
        {"{clip}.png", 1, 900, 1, 0, 200, 0, "C.png"},
        {"{view}{clip}.png", 1, 190, 51, 0, 190, 51, "VC.png"}, /* 251 bytes and the ending */
        {"{clip}_{frame:04}_of_a_longer_name_.png", 1, 215, 1, 0, 200, 0,
         "C_0007_of_a_longer_name_.png"},
        {"{model}_{clip}.png", 300, 300, 1, 200, 50, 0, "M_C.png"},
        {"{model}_{clip}.png", 200, 50, 1, 200, 50, 0, "M_C.png"},
        {"{view}-{clip}", 1, 300, 300, 0, 127, 127, "V-C"},
        {"{view}-{clip}", 1, 300, 50, 0, 200, 50, "V-C"},
        {"{clip}/{model}{view}/x", 3, 300, 300, 3, 200, 200, "C/MV/x"}, /* each folder by itself */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[3][1000] = {{0}}, cut[3][300] = {{0}}, out[1200], expected[1200];
        const size_t sizes[3] = {cases[i].model, cases[i].clip, cases[i].view};
        const size_t left[3] = {cases[i].cut_model, cases[i].cut_clip, cases[i].cut_view};
        for (int k = 0; k < 3; k++) {
            memset(names[k], "mcv"[k], sizes[k]);
            memcpy(cut[k], names[k], left[k]);
        }
        const mrw_template_values values = {
            .model = names[0], .clip = names[1], .view = names[2], .frame = 7, .time = 0.5};
        static const char letters[] = "MCV";
        expected[0] = '\0';
        for (const char *p = cases[i].expected; *p != '\0'; p++) {
            const char *letter = strchr(letters, *p), plain[2] = {*p, '\0'};
            strcat(expected, letter ? cut[letter - letters] : plain);
        }
        mrw_error error = {0};
        ck_assert_int_eq(mrw_template_expand(cases[i].text, &values, out, sizeof out, &error),
                         MRW_OK);
        ck_assert_str_eq(out, expected);
    }
}
END_TEST

START_TEST(broken_templates)
{
    static const struct {
        const char *text, *part;
    } cases[] = {{"{modle}.png", "model"},   {"{frame", "without"},      {"a}.png", "without"},
                 {"{frame:x}.png", "width"}, {"{clip:04}.png", "width"}, {"{}.png", "unknown"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t fields;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_template_check(cases[i].text, &fields, &error), MRW_ERROR_USAGE);
        ck_assert_msg(strstr(error.text, cases[i].part), "%s", error.text);
    }
    char small[9];
    mrw_error error;
    ck_assert_int_eq(mrw_template_expand("{model}_{frame:04}", &fox, small, 8, &error),
                     MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_template_expand("{model}_0007", &fox, small, 9, &error), MRW_OK);
    ck_assert_str_eq(small, "fox_0007");
}
END_TEST

START_TEST(corrected_templates)
{
    char out[256];
    ck_assert_str_eq(mrw_template_add("a.png", 0x3ff, out, sizeof out),
                     "a_{model}_{clip}_{frame:04}_{time}_{view}_{aov}_{dir}_{n}_{page}_{path}.png");
    ck_assert_str_eq(mrw_template_add("out/a.png", MRW_FIELD_FRAME, out, sizeof out),
                     "out/a_{frame:04}.png");
    ck_assert_str_eq(mrw_template_add("o.d/a", MRW_FIELD_CLIP | MRW_FIELD_FRAME, out, sizeof out),
                     "o.d/a_{clip}_{frame:04}");
    ck_assert_str_eq(mrw_template_add("out/", MRW_FIELD_MODEL, out, sizeof out), "out/{model}");
    ck_assert_str_eq(mrw_template_add("a.json", MRW_FIELD_PAGE, out, sizeof out), "a_{page}.json");
}
END_TEST

START_TEST(pages)
{
    static const struct {
        const char *path;
        uint32_t page;
        const char *expected;
    } cases[] = {{"a.png", 3, "a.png"},
                 {"a{page}.png", 0, "a0.png"},
                 {"{page}/a_{page}", 12, "12/a_12"},
                 {"{page", 1, "{page"}};
    char out[8];
    mrw_error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(
            mrw_output_page_path(cases[i].path, cases[i].page, out, sizeof out, &error), MRW_OK);
        ck_assert_str_eq(out, cases[i].expected);
    }
    ck_assert_int_eq(mrw_output_page_path("{page}1234567", 0, out, sizeof out, &error),
                     MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_output_page_path("{page}{page}{page}", 123, out, sizeof out, &error),
                     MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_output_page_path("{page}123456", 0, out, sizeof out, &error), MRW_OK);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

#define FRAMES 12
#define WIDTH  20
#define HEIGHT 14

static mrw_image images[FRAMES];
static mrw_output_picture pictures[FRAMES];

/* Picture 7 shows what 4 shows, and 9 what 0 shows. */
static uint32_t shown(uint32_t index)
{
    return index == 7 ? 4 : index == 9 ? 0 : index;
}

static void set_up(void)
{
    test_folder_enter();
    for (uint32_t i = 0; i < FRAMES; i++) {
        ck_assert_int_eq(mrw_image_create(WIDTH, HEIGHT, 3, &images[i], NULL), MRW_OK);
        for (uint32_t p = 0; p < WIDTH * HEIGHT * 3; p++) {
            images[i].pixels[p] = (uint8_t)(p * (shown(i) + 3) + p / 7 * shown(i));
        }
        pictures[i] = (mrw_output_picture){
            .clip_name = "Run", .frame = i, .time = (double)i / 8.0, .view_name = "front"};
    }
}

static void tear_down(void)
{
    for (int i = 0; i < FRAMES; i++) {
        mrw_image_free(&images[i]);
    }
    test_folder_remove();
}

/* Entries of a folder, those that begin with a dot, too; -1: there is none. */
static int entries(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder) {
        return -1;
    }
    for (const struct dirent *e; (e = readdir(folder));) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

static const char *const endings[] = {".png", ".apng"};

static mrw_output_names names_of(const char *path, bool collected)
{
    return (mrw_output_names){.path = path,
                              .ending = endings[0],
                              .model = "fox",
                              .collected = collected,
                              .clip_count = 1,
                              .most_frames = FRAMES,
                              .view_count = 1};
}

static mrw_status make(const char *path, bool collected, mrw_output_files *out, mrw_error *error)
{
    const mrw_output_names names = names_of(path, collected);
    return mrw_output_files_make(&names, pictures, FRAMES, out, error);
}

START_TEST(files_by_hand)
{
    static const struct {
        const char *path, *first, *last;
        bool collected;
        uint32_t count;
    } cases[] = {
        {NULL, "fox_Run_0000.png", "fox_Run_0011.png", false, FRAMES},
        {"out/", "out/fox_Run_0000.png", "out/fox_Run_0011.png", false, FRAMES},
        {".", "./fox_Run_0000.png", "./fox_Run_0011.png", false, FRAMES},
        {"a/{frame}.png", "a/0.png", "a/11.png", false, FRAMES},
        {"{view}{time:3}.png", "front0.000.png", "front1.375.png", false, FRAMES},
        {"a.apng", "a.apng", "a.apng", true, 1},
        {NULL, "fox.png", "fox.png", true, 1},
        {"-", "-", "-", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_output_files files;
        mrw_error error = {0};
        ck_assert_msg(make(cases[i].path, cases[i].collected, &files, &error) == MRW_OK, "%s",
                      error.text);
        ck_assert_uint_eq(files.count, cases[i].count);
        ck_assert_uint_eq(files.picture_count, FRAMES);
        ck_assert_str_eq(files.paths[files.of[0]], cases[i].first);
        ck_assert_str_eq(files.paths[files.of[FRAMES - 1]], cases[i].last);
        mrw_output_files_free(&files);
    }
    const mrw_output_names one = names_of("dir/", false);
    mrw_output_files files;
    ck_assert_int_eq(mrw_output_files_make(&one, pictures, 1, &files, NULL), MRW_OK);
    ck_assert_str_eq(files.paths[0], "dir/fox.png");
    mrw_output_files_free(&files);
}
END_TEST

START_TEST(two_pictures_to_a_file_are_refused)
{
    mrw_output_files files;
    mrw_error error = {0};
    ck_assert_int_eq(make("out/a.png", false, &files, &error), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text, "-o would write several of the 12 pictures to 'out/a.png'; use -o "
                                 "'out/a_{frame:04}.png'");
    ck_assert_int_eq(make("-", false, &files, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "-o - can write only one picture, not 12"));
    for (uint32_t i = 6; i < FRAMES; i++) {
        pictures[i].clip = 1;
        pictures[i].frame = i - 6;
        pictures[i].clip_name = "Walk";
    }
    mrw_output_names names = names_of("{frame}.png", false);
    names.clip_count = 2;
    ck_assert_int_eq(mrw_output_files_make(&names, pictures, FRAMES, &files, &error),
                     MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "use -o '{frame}_{clip}.png'"));
    names.path = "{clip}_{frame}.png";
    for (uint32_t i = 6; i < FRAMES; i++) {
        pictures[i].clip_name = "Run"; /* the file's fault: nothing tells them apart */
    }
    ck_assert_int_eq(mrw_output_files_make(&names, pictures, FRAMES, &files, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "clips 'Run' and 'Run' would both be written to"));
    /* what is the same picture shares a file */
    for (uint32_t i = 0; i < FRAMES; i++) {
        pictures[i] = pictures[0];
    }
    names.path = "a.png";
    ck_assert_int_eq(mrw_output_files_make(&names, pictures, FRAMES, &files, &error), MRW_OK);
    ck_assert_uint_eq(files.count, 1);
    mrw_output_files_free(&files);
}
END_TEST

/* Picture i shows time i / 3 from view i % 3. */
static void look_from_three_views(void)
{
    static const char *const names[] = {"front", "top", "a/b"};
    for (uint32_t i = 0; i < FRAMES; i++) {
        pictures[i].frame = i / 3;
        pictures[i].time = i / 3;
        pictures[i].view = i % 3;
        pictures[i].view_name = names[i % 3];
    }
}

START_TEST(files_of_views)
{
    static const struct {
        const char *path, *first, *third;
        bool collected, apart;
        uint32_t pictures, count;
    } cases[] = {
        {NULL, "fox_Run_0000_front.png", "fox_Run_0000_a_b.png", false, false, FRAMES, FRAMES},
        {"out/", "out/fox_front.png", "out/fox_a_b.png", false, false, 3, 3},
        {"{view}/{frame}.png", "front/0.png", "a_b/0.png", false, false, FRAMES, FRAMES},
        {"{view}.apng", "front.apng", "a_b.apng", true, true, FRAMES, 3},
        {"out/", "out/fox_front.png", "out/fox_a_b.png", true, true, FRAMES, 3},
        {"sheet.png", "sheet.png", "sheet.png", true, false, FRAMES, 1},
        {NULL, "fox.png", "fox.png", true, false, FRAMES, 1},
        {"{view}.png", "front.png", "a_b.png", true, false, FRAMES, 3},
    };
    look_from_three_views();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_output_names names = names_of(cases[i].path, cases[i].collected);
        mrw_output_files files;
        mrw_error error = {0};
        names.view_count = 3;
        names.views_apart = cases[i].apart;
        names.most_frames = cases[i].pictures / 3;
        ck_assert_msg(mrw_output_files_make(&names, pictures, cases[i].pictures, &files, &error) ==
                          MRW_OK,
                      "%s", error.text);
        ck_assert_uint_eq(files.count, cases[i].count);
        ck_assert_str_eq(files.paths[files.of[0]], cases[i].first);
        ck_assert_str_eq(files.paths[files.of[2]], cases[i].third);
        mrw_output_files_free(&files);
    }
}
END_TEST

START_TEST(two_views_to_a_file_are_refused)
{
    static const struct {
        const char *path, *file, *line;
        bool apart;
    } cases[] = {
        {"a_{frame}.png", "a_0.png", "a_{frame}_{view}.png", false},
        {"a.png", "a.png", "a_{frame:04}_{view}.png", false},
        {"a.apng", "a.apng", "a_{view}.apng", true},
        {"a_{view}.png", "a_front.png", "a_{view}_{frame:04}.png", false},
    };
    mrw_output_files files;
    mrw_error error = {0};
    look_from_three_views();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_output_names names = names_of(cases[i].path, cases[i].apart);
        char text[200];
        names.view_count = 3;
        names.views_apart = cases[i].apart;
        names.most_frames = 4;
        snprintf(text, sizeof text,
                 "-o would write several of the 12 pictures to '%s'; use -o '%s'", cases[i].file,
                 cases[i].line);
        ck_assert_int_eq(mrw_output_files_make(&names, pictures, FRAMES, &files, &error),
                         MRW_ERROR_USAGE);
        ck_assert_str_eq(error.text, text);
    }
    pictures[1].view_name = "front"; /* two cameras of the file */
    mrw_output_names names = names_of("{view}{frame}.png", false);
    names.view_count = 3;
    ck_assert_int_eq(mrw_output_files_make(&names, pictures, FRAMES, &files, &error),
                     MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "views 'front' and 'front' would both be written to 'front0.png'; "
                                 "render them one by one, each with its own -o");
}
END_TEST

START_TEST(shards_keep_their_files)
{
    static const uint32_t kept[] = {1, 4, 7, 10};
    mrw_output_files files;
    ck_assert_int_eq(make("{frame}.png", false, &files, NULL), MRW_OK);
    ck_assert_int_eq(mrw_output_files_keep(&files, kept, 4, NULL), MRW_OK);
    ck_assert_uint_eq(files.count, 4);
    ck_assert_uint_eq(files.picture_count, 4);
    ck_assert_str_eq(files.paths[files.of[0]], "1.png");
    ck_assert_str_eq(files.paths[files.of[3]], "10.png");
    ck_assert_int_eq(mrw_output_files_keep(&files, kept, 0, NULL), MRW_OK);
    ck_assert_uint_eq(files.count, 0);
    mrw_output_files_free(&files);
}
END_TEST

START_TEST(several_models_need_names)
{
    static const char *const same_names[] = {"a b", "a_b"}, *const other_names[] = {"a", "b"};
    static const char *const paths[] = {"u/a b.glb", "../v/a_b.glb"};
    static const char *const alike[] = {"/u/a.glb", "u/./a.obj"};
    const mrw_output_models same[] = {{same_names, paths, 2, NULL, NULL}},
                            other[] = {{other_names, paths, 2, NULL, NULL}},
                            twice[] = {{same_names, alike, 2, "{path}_{clip}.png", NULL}},
                            one[] = {{same_names, paths, 1, NULL, NULL}};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_output_check_models("x.png", 0, other, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "use -o 'x_{model}.png'"));
    ck_assert_int_eq(mrw_output_check_models("-", 0, other, &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_output_check_models(NULL, 0, same, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "two models are called 'a_b'"));
    ck_assert_ptr_nonnull(strstr(error.text, "use -o '{path}.png'"));
    ck_assert_int_eq(mrw_output_check_models("o/", 0, twice, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "use -o 'o/{path}_{clip}.png'"));
    ck_assert_int_eq(mrw_output_check_models("o/{model}_{clip}.png", MRW_FIELD_MODEL, same, &error),
                     MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "use -o 'o/{path}_{clip}.png'"));
    ck_assert_int_eq(mrw_output_check_models("{path}.png", MRW_FIELD_PATH, same, &error), MRW_OK);
    ck_assert_int_eq(mrw_output_check_models("{n}.png", MRW_FIELD_N, twice, &error), MRW_OK);
    ck_assert_int_eq(mrw_output_check_models("{path}.png", MRW_FIELD_PATH, twice, &error),
                     MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "two models have the path 'u/a'"));
    ck_assert_int_eq(mrw_output_check_models(NULL, 0, other, &error), MRW_OK);
    ck_assert_int_eq(mrw_output_check_models("{model}.png", MRW_FIELD_MODEL, other, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_output_check_models("x.png", 0, one, &error), MRW_OK);
}
END_TEST

START_TEST(formats_go_by_endings)
{
    static const struct {
        const char *path;
        uint32_t columns;
        mrw_output_format format;
    } cases[] = {{NULL, 0, MRW_OUTPUT_PNG},        {"a.png", 0, MRW_OUTPUT_PNG},
                 {"a.APNG", 0, MRW_OUTPUT_APNG},   {"-", 0, MRW_OUTPUT_PNG},
                 {"a.png", 3, MRW_OUTPUT_SHEET},   {NULL, 1, MRW_OUTPUT_SHEET},
                 {"x.apng/", 4, MRW_OUTPUT_SHEET}, {"a.MP4", 0, MRW_OUTPUT_MP4},
                 {"a.webm", 0, MRW_OUTPUT_WEBM},   {"a.mov", 0, MRW_OUTPUT_MOV},
                 {"a.y4m", 0, MRW_OUTPUT_PNG},     {"a.rgba", 0, MRW_OUTPUT_PNG}};
    mrw_output_format format;
    mrw_error error = {0};
    uint32_t fields;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(mrw_output_find_format(cases[i].path, cases[i].columns, &format, &error),
                         MRW_OK);
        ck_assert_int_eq((int)format, (int)cases[i].format);
    }
    ck_assert_int_eq(mrw_output_find_format("s.apng", 3, &format, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "a name that ends in .png, or leave out --sheet"));
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT; i++) {
        const mrw_output_info *info = mrw_output_describe((mrw_output_format)i);
        ck_assert(info->name && info->endings[0][0] == '.');
    }
    ck_assert_int_eq(mrw_output_check_path("a.gif", endings, 2, &fields, &error), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text, "-o 'a.gif': the name must end in .png or .apng, or be a folder/");
    ck_assert_int_eq(mrw_output_check_path(".png", endings, 2, &fields, &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_output_check_path("{clip}.png", endings, 2, &fields, &error), MRW_OK);
    ck_assert_uint_eq(fields, MRW_FIELD_CLIP);
}
END_TEST

START_TEST(folders_are_made_and_files_kept)
{
    mrw_output_files files;
    mrw_error error = {0};
    test_write_text("taken", "");
    ck_assert_int_eq(make("new/deep/{frame}.png", false, &files, NULL), MRW_OK);
    ck_assert_int_eq(mrw_output_files_prepare(&files, false, &error), MRW_OK);
    ck_assert_int_eq(entries("new/deep"), 0);
    test_write_text("new/deep/3.png", "");
    ck_assert_int_eq(mrw_output_files_prepare(&files, false, &error), MRW_ERROR_OUTPUT);
    ck_assert_str_eq(error.text, "new/deep/3.png: the file exists; overwrite it with --force, or "
                                 "choose another name with -o");
    ck_assert_int_eq(mrw_output_files_prepare(&files, true, &error), MRW_OK);
    ck_assert_int_eq(mkdir("new/deep/5.png", 0700), 0);
    ck_assert_int_eq(mrw_output_files_prepare(&files, true, &error), MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "new/deep/5.png: this is a folder"));
    mrw_output_files_free(&files);
    ck_assert_int_eq(make("taken/{frame}.png", false, &files, NULL), MRW_OK);
    ck_assert_int_eq(mrw_output_files_prepare(&files, true, &error), MRW_ERROR_OUTPUT);
    mrw_output_files_free(&files);
}
END_TEST

/* ---- writers --------------------------------------------------------------------------------- */

static const mrw_rate rates[FRAMES] = {[0 ... FRAMES - 1] = {25, 1}}; /* one a file */

static const mrw_output_sprite sprites[FRAMES] = {
    [0 ... FRAMES - 1] = {"Walk/000", "Walk", "Walk", NULL, 0.1, false, {0}}};

static int stream = -1; /* where streams go */

/* Labels and cells of sheets in six columns; NULL: none. */
static const mrw_output_label *labels;
static const uint32_t *cells;

static mrw_output_def def_of(mrw_output_format format, const mrw_output_files *files)
{
    return (mrw_output_def){.format = format,
                            .files = files,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .channels = 3,
                            .png = mrw_png_def_default(),
                            .workers = 4,
                            .columns = labels ? 6 : 5,
                            .gap = 4,
                            .sprites = {.labels = sprites, .page_size = 16384},
                            .background = {9, 8, 7, 255},
                            .labels = labels,
                            .cells = cells,
                            .rates = rates,
                            .stream = stream};
}

/* Another program makes the file. */
static bool is_made_elsewhere(mrw_output_format format)
{
    return format == MRW_OUTPUT_MP4 || format == MRW_OUTPUT_WEBM || format == MRW_OUTPUT_MOV;
}

static bool is_skipped(mrw_output_format format)
{
    if (!is_made_elsewhere(format) || system("ffmpeg -version >/dev/null 2>&1") == 0) {
        return false;
    }
    SKIP("no ffmpeg here");
    return true;
}

typedef struct puts {
    mrw_output *output;
    atomic_int status; /* mrw_status of a failure, whichever came last */
} puts_job;

/* The first of equal ones puts the others, too. */
static void put_one(void *user, int64_t index, int worker)
{
    puts_job *job = user;
    if (shown((uint32_t)index) != (uint32_t)index) {
        return;
    }
    for (uint32_t i = (uint32_t)index; i < FRAMES; i++) {
        if (shown(i) == (uint32_t)index) {
            mrw_status status =
                mrw_output_put(job->output, worker, i, (uint32_t)index, &images[i], NULL);
            if (status != MRW_OK) {
                atomic_store(&job->status, status);
            }
        }
    }
}

static mrw_status write_all(mrw_output_format format, const mrw_output_files *files, int threads,
                            mrw_bytes *bytes)
{
    const mrw_output_def def = def_of(format, files);
    puts_job job = {.status = MRW_OK};
    ck_assert_int_eq(mrw_output_open(&def, &job.output, NULL), MRW_OK);
    mrwi_base_parallel_for(threads, FRAMES, put_one, &job);
    mrw_status status = (mrw_status)atomic_load(&job.status);
    if (status == MRW_OK) {
        status = mrw_output_finish(job.output, bytes, NULL);
    }
    mrw_output_free(job.output);
    return status;
}

static void assert_file(const char *path, const mrw_bytes *expected)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_eq(size, expected->size);
    ck_assert_mem_eq(bytes, expected->data, size);
}

START_TEST(a_png_a_picture)
{
    for (int threads = 1; threads <= 4; threads++) {
        mrw_output_files files;
        mrw_bytes none = {0};
        ck_assert_int_eq(make("{frame}.png", false, &files, NULL), MRW_OK);
        ck_assert_int_eq(write_all(MRW_OUTPUT_PNG, &files, threads, &none), MRW_OK);
        ck_assert_uint_eq(none.size, 0);
        ck_assert_int_eq(entries("."), FRAMES);
        for (uint32_t i = 0; i < FRAMES; i++) {
            mrw_bytes expected;
            ck_assert_int_eq(mrw_png_encode(&images[i], &expected, NULL), MRW_OK);
            assert_file(files.paths[files.of[i]], &expected);
            ck_assert_int_eq(remove(files.paths[files.of[i]]), 0);
            mrw_bytes_free(&expected);
        }
        mrw_output_files_free(&files);
    }
}
END_TEST

START_TEST(an_animation)
{
    mrw_bytes expected;
    ck_assert_int_eq(mrw_apng_encode(images, FRAMES, rates[0], &expected, NULL), MRW_OK);
    for (int threads = 1; threads <= 4; threads++) {
        mrw_output_files files;
        mrw_bytes bytes = {0};
        ck_assert_int_eq(make("a.apng", true, &files, NULL), MRW_OK);
        ck_assert_int_eq(write_all(MRW_OUTPUT_APNG, &files, threads, &bytes), MRW_OK);
        ck_assert_uint_eq(bytes.size, 0);
        assert_file("a.apng", &expected);
        ck_assert_int_eq(entries("."), 1);
        mrw_output_files_free(&files);
        ck_assert_int_eq(make("-", true, &files, NULL), MRW_OK);
        ck_assert_int_eq(write_all(MRW_OUTPUT_APNG, &files, threads, &bytes), MRW_OK);
        ck_assert_uint_eq(bytes.size, expected.size);
        ck_assert_mem_eq(bytes.data, expected.data, bytes.size);
        mrw_bytes_free(&bytes);
        mrw_output_files_free(&files);
    }
    mrw_bytes_free(&expected);
}
END_TEST

/* Five columns and three rows, four pixels apart: tile i lies at 4 + (i mod 5) * 24 and
 * 4 + (i / 5) * 18. */
START_TEST(a_sheet)
{
    mrw_output_files files;
    mrw_bytes bytes = {0};
    mrw_image sheet = {0};
    uint32_t width, height, tiles = 0;
    mrw_output *output;
    ck_assert_int_eq(make("s.png", true, &files, NULL), MRW_OK);
    const mrw_output_def def = def_of(MRW_OUTPUT_SHEET, &files);
    ck_assert_int_eq(mrw_output_open(&def, &output, NULL), MRW_OK);
    mrw_output_size(output, 0, &width, &height);
    ck_assert_uint_eq(width, 5 * 24 + 4);
    ck_assert_uint_eq(height, 3 * 18 + 4);
    mrw_output_free(output);
    ck_assert_int_eq(entries("."), 0);
    ck_assert_int_eq(write_all(MRW_OUTPUT_SHEET, &files, 3, &bytes), MRW_OK);
    ck_assert_int_eq(mrw_image_read("s.png", 3, &sheet, NULL), MRW_OK);
    ck_assert_uint_eq(sheet.width, width);
    ck_assert_uint_eq(sheet.height, height);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            static const uint8_t ground[3] = {9, 8, 7};
            const uint32_t column = (x - 4) / 24, row = (y - 4) / 18, i = row * 5 + column;
            const uint32_t dx = (x - 4) % 24, dy = (y - 4) % 18;
            const bool tile = x >= 4 && y >= 4 && i < FRAMES && dx < WIDTH && dy < HEIGHT;
            const uint8_t *pixel = sheet.pixels + ((size_t)y * width + x) * 3;
            ck_assert_mem_eq(pixel, tile ? images[i].pixels + (dy * WIDTH + dx) * 3 : ground, 3);
            tiles += tile;
        }
    }
    ck_assert_uint_eq(tiles, FRAMES * WIDTH * HEIGHT);
    mrw_image_free(&sheet);
    mrw_output_files_free(&files);
}
END_TEST

/* Seven pictures of a group and five of another, which begins in column 3 of the second of three
 * rows: cell i lies at 4 + (i mod 6) * 24 and 4 + (i / 6) * 54, a strip of 20 rows above it and one
 * of 16 below. Texts are seen in their strips and nowhere else. */
START_TEST(a_sheet_with_labels)
{
    static const uint8_t ground[3] = {9, 8, 7};
    mrw_output_label own[FRAMES];
    mrw_bytes first = {0};
    uint32_t own_cells[FRAMES];
    for (uint32_t i = 0; i < FRAMES; i++) {
        own_cells[i] = i < 7 ? i : i + 2;
        own[i] = (mrw_output_label){.heading = i < 7 ? "Walk \xc3\xa4, too long for a row" : "Run",
                                    .caption = i == 2 ? NULL : "0.5",
                                    .group = i < 7 ? 4 : 9};
    }
    labels = own;
    cells = own_cells;
    for (int threads = 1; threads <= 4; threads++) {
        mrw_output_files files;
        mrw_bytes bytes = {0};
        ck_assert_int_eq(make("-", true, &files, NULL), MRW_OK);
        ck_assert_int_eq(write_all(MRW_OUTPUT_SHEET, &files, threads, &bytes), MRW_OK);
        if (threads == 1) {
            first = bytes;
        } else {
            ck_assert_uint_eq(bytes.size, first.size);
            ck_assert_mem_eq(bytes.data, first.data, bytes.size);
            mrw_bytes_free(&bytes);
        }
        mrw_output_files_free(&files);
    }
    labels = NULL;
    cells = NULL;
    mrw_image sheet;
    ck_assert_int_eq(mrw_image_decode(first.data, first.size, 3, 0, "sheet", &sheet, NULL), MRW_OK);
    ck_assert_uint_eq(sheet.width, 6 * 24 + 4);
    ck_assert_uint_eq(sheet.height, 3 * 105 + 4);
    uint32_t headings[3][2] = {{0}}, captions[14] = {0}, elsewhere = 0; /* pixels in ink */
    for (uint32_t y = 0; y < sheet.height; y++) {
        for (uint32_t x = 0; x < sheet.width; x++) {
            const uint32_t column = x < 4 ? 0 : (x - 4) / 24, row = y < 4 ? 0 : (y - 4) / 105;
            const uint32_t dx = (x - 4) % 24, dy = (y - 4) % 105, cell = row * 6 + column;
            const uint32_t i = cell < 7 ? cell : cell - 2;
            const uint8_t *pixel = sheet.pixels + ((size_t)y * sheet.width + x) * 3;
            const bool taken = x >= 4 && y >= 4 && (cell < 7 || (cell > 8 && cell < 14));
            if (taken && dx < WIDTH && dy >= 71 && dy < 71 + HEIGHT) {
                ck_assert_mem_eq(pixel, images[i].pixels + ((dy - 71) * WIDTH + dx) * 3, 3);
            } else if (memcmp(pixel, ground, 3) == 0) {
                continue;
            } else if (y >= 4 && dy < 71) {
                headings[row][column / 3]++;
            } else if (taken && dx < WIDTH && dy >= 71 + HEIGHT && dy < 87 + HEIGHT) {
                captions[cell]++;
            } else {
                elsewhere++;
            }
        }
    }
    ck_assert_uint_eq(elsewhere, 0);
    ck_assert(headings[0][0] > 0 && headings[0][1] > 0); /* one, over all of the row */
    ck_assert(headings[1][0] > 0 && headings[1][1] > 0 && headings[2][0] > 0);
    ck_assert_uint_eq(headings[2][1], 0);
    for (uint32_t cell = 0; cell < 14; cell++) {
        ck_assert_msg((captions[cell] > 0) == (cell != 2 && cell != 7 && cell != 8), "%u", cell);
    }
    mrw_image_free(&sheet);
    mrw_bytes_free(&first);
}
END_TEST

/* Pictures that come in any order, and those that show the same, at their places. */
START_TEST(streams_are_in_order)
{
    static uint8_t bytes[FRAMES * WIDTH * HEIGHT * 4 + 1];
    for (int threads = 1; threads <= 4; threads++) {
        mrw_output_files files;
        mrw_bytes none = {0};
        stream = open("s", O_RDWR | O_CREAT | O_TRUNC, 0600);
        ck_assert_int_eq(make("-", true, &files, NULL), MRW_OK);
        ck_assert_int_eq(write_all(MRW_OUTPUT_STREAM_RGBA, &files, threads, &none), MRW_OK);
        ck_assert_uint_eq(none.size, 0);
        ck_assert_int_eq(pread(stream, bytes, sizeof bytes, 0), sizeof bytes - 1);
        for (uint32_t p = 0; p < FRAMES * WIDTH * HEIGHT; p++) {
            const uint32_t i = p / (WIDTH * HEIGHT), pixel = p % (WIDTH * HEIGHT);
            ck_assert_mem_eq(bytes + 4 * p, images[i].pixels + 3 * pixel, 3);
            ck_assert_uint_eq(bytes[4 * p + 3], 255);
        }
        close(stream);
        mrw_output_files_free(&files);
    }
}
END_TEST

START_TEST(sheets_that_are_too_large)
{
    mrw_output_files files;
    mrw_output *output = NULL;
    mrw_error error = {0};
    ck_assert_int_eq(make("s.png", true, &files, NULL), MRW_OK);
    mrw_output_def def = def_of(MRW_OUTPUT_SHEET, &files);
    def.width = 16384;
    ck_assert_int_eq(mrw_output_open(&def, &output, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "a sheet of 12 pictures would be 81944x58"));
    ck_assert_ptr_null(output);
    mrw_output_files_free(&files);
}
END_TEST

/* What is not finished leaves nothing: neither the file nor a temporary one. */
START_TEST(nothing_is_left_of_half_a_file)
{
    for (int f = 0; f < MRW_OUTPUT_FORMAT_COUNT; f++) {
        const bool collected = mrw_output_describe((mrw_output_format)f)->collects;
        mrw_output_files files;
        mrw_output *output;
        mrw_error error = {0};
        mrw_bytes bytes = {0};
        if (is_skipped((mrw_output_format)f)) {
            continue;
        }
        stream = open("/dev/null", O_WRONLY);
        ck_assert_int_eq(make(collected ? "half.png" : "{frame}.png", collected, &files, NULL),
                         MRW_OK);
        const mrw_output_def def = def_of((mrw_output_format)f, &files);
        ck_assert_int_eq(mrw_output_open(&def, &output, NULL), MRW_OK);
        for (uint32_t i = 0; i < 3; i++) {
            ck_assert_int_eq(mrw_output_put(output, 0, i, i, &images[i], NULL), MRW_OK);
        }
        ck_assert_int_eq(mrw_output_finish(output, &bytes, &error), MRW_ERROR_INTERNAL);
        mrw_output_free(output);
        ck_assert_int_eq(entries("."), collected ? 0 : 3);
        mrw_output_files_free(&files);
        close(stream);
        ck_assert_int_eq(system("rm -f *.png"), 0);
    }
}
END_TEST

/* Nobody knows whether ffmpeg ended well. */
START_TEST(children_that_are_not_waited_for)
{
    mrw_output_files files;
    mrw_bytes bytes;
    if (is_skipped(MRW_OUTPUT_MP4)) {
        return;
    }
    ck_assert_int_eq(make("a.mp4", true, &files, NULL), MRW_OK);
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(write_all(MRW_OUTPUT_MP4, &files, 2, &bytes), MRW_ERROR_OUTPUT);
    signal(SIGCHLD, SIG_DFL);
    ck_assert_int_eq(entries("."), 0);
    mrw_output_files_free(&files);
}
END_TEST

static void do_nothing(void *user, int64_t index, int worker)
{
    (void)user;
    (void)index;
    (void)worker;
}

/* A disk that is full after so many bytes. It is so only once threads run: clang's OpenMP keeps a
 * shared file of a kilobyte, which the limit would cut, too; and not while Check writes down what
 * it was told. */
START_TEST(a_full_disk)
{
    struct rlimit usual;
    mrwi_base_parallel_for(2, 2, do_nothing, NULL);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit little = {90, usual.rlim_max};
    for (int f = 0; f < MRW_OUTPUT_FORMAT_COUNT; f++) {
        const bool collected = mrw_output_describe((mrw_output_format)f)->collects;
        mrw_output_files files;
        mrw_bytes bytes = {0};
        if (is_skipped((mrw_output_format)f)) {
            continue;
        }
        stream = open("/dev/full", O_WRONLY);
        ck_assert_int_eq(make(collected ? "full.png" : "{frame}.png", collected, &files, NULL),
                         MRW_OK);
        const int limited = setrlimit(RLIMIT_FSIZE, &little);
        const mrw_status status = write_all((mrw_output_format)f, &files, 2, &bytes);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &usual), 0);
        ck_assert_int_eq(limited, 0);
        ck_assert_int_eq(status, MRW_ERROR_OUTPUT);
        ck_assert_int_eq(entries("."), 0);
        mrw_output_files_free(&files);
        close(stream);
    }
}
END_TEST

/* Files of several models: those that are there already keep their places. */
START_TEST(files_of_models)
{
    char *const first[] = {"c", "a", "b"}, *const second[] = {"d", "b", "e", "c"};
    const uint32_t of_first[] = {0, 1, 0, 2}, of_second[] = {1, 0, 3, 2, 1};
    static const char *const expected[] = {"c", "a", "b", "d", "e"};
    static const uint32_t expected_of[] = {0, 1, 0, 2, 2, 3, 0, 4, 2};
    mrw_output_files files = {0};
    mrw_error error;
    ck_assert_int_eq(
        mrw_output_files_append(
            &files, &(mrw_output_files){(char **)first, 3, (uint32_t *)of_first, 4}, &error),
        MRW_OK);
    ck_assert_int_eq(
        mrw_output_files_append(
            &files, &(mrw_output_files){(char **)second, 4, (uint32_t *)of_second, 5}, &error),
        MRW_OK);
    ck_assert_uint_eq(files.count, 5);
    ck_assert_uint_eq(files.picture_count, 9);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(files.paths[i], expected[i]);
    }
    ck_assert_mem_eq(files.of, expected_of, sizeof expected_of);
    mrw_output_files_free(&files);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("output");
    TCase *names = tcase_create("names"), *files = tcase_create("files");
    tcase_add_test(names, templates_by_hand);
    tcase_add_test(names, long_names);
    tcase_add_test(names, broken_templates);
    tcase_add_test(names, corrected_templates);
    tcase_add_test(names, pages);
    suite_add_tcase(s, names);
    tcase_add_checked_fixture(files, set_up, tear_down);
    tcase_set_timeout(files, 60);
    tcase_add_test(files, files_by_hand);
    tcase_add_test(files, two_pictures_to_a_file_are_refused);
    tcase_add_test(files, files_of_models);
    tcase_add_test(files, files_of_views);
    tcase_add_test(files, two_views_to_a_file_are_refused);
    tcase_add_test(files, shards_keep_their_files);
    tcase_add_test(files, several_models_need_names);
    tcase_add_test(files, formats_go_by_endings);
    tcase_add_test(files, folders_are_made_and_files_kept);
    tcase_add_test(files, a_png_a_picture);
    tcase_add_test(files, an_animation);
    tcase_add_test(files, a_sheet);
    tcase_add_test(files, a_sheet_with_labels);
    tcase_add_test(files, streams_are_in_order);
    tcase_add_test(files, sheets_that_are_too_large);
    tcase_add_test(files, nothing_is_left_of_half_a_file);
    tcase_add_test(files, children_that_are_not_waited_for);
    tcase_add_test(files, a_full_disk);
    suite_add_tcase(s, files);
    return s;
}

TEST_MAIN(suite())
