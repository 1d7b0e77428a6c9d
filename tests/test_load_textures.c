/* test_load_textures.c: textures whose files are not called quite what the model calls them: where
 * they are looked for, in which order, and that no spelling leads out. The tables say what is
 * found; each file holds a picture of its own size, so that it is seen which was taken.
 */
#include "load_gltf.h"

#include "load/opened.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders --------------------------------------------------------------------------------- */

static void remove_folder(void)
{
    char command[PATH_MAX + 20];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'", test_folder());
    ck_assert_int_eq(system(command), 0);
    test_folder_remove();
}

/* A TGA of width x 1 white pixels, whatever it is called. */
static void write_picture(const char *name, uint8_t width)
{
    uint8_t tga[18 + 3 * 255] = {0, 0, 2, [12] = width, [14] = 1, [16] = 24, [17] = 0x20};
    memset(tga + 18, 255, 3 * (size_t)width);
    test_write(test_path(name), tga, 18 + 3 * (size_t)width);
}

/* ---- loading --------------------------------------------------------------------------------- */

static char told[2000];

static void hear(void *user, const char *line)
{
    (void)user;
    ck_assert_ptr_null(strchr(line, '\n'));
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s|", line);
}

static void write_gltf(const char *uri)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"%s\"}],\"textures\":[{"
             "\"source\":0}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{"
             "\"index\":0}}}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":"
             "\"VEC3\"},{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{"
             "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
             "\"material\":0}]}],\"nodes\":[{\"mesh\":0}]}",
             uri);
    test_write(test_path("model/m.gltf"), json, strlen(json));
}

static void write_obj(const char *path)
{
    static const char obj[] = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\n"
                              "f 1/1 2/1 3/1\n";
    char mtl[600];
    snprintf(mtl, sizeof mtl, "newmtl a\nmap_Kd %s\n", path);
    test_write(test_path("model/m.obj"), obj, strlen(obj));
    test_write(test_path("model/m.mtl"), mtl, strlen(mtl));
}

/* The width of the picture that was taken; 0: none, and one warning. */
static uint32_t taken(const char *model, const mrw_load_def *from)
{
    mrw_scene *s = NULL;
    mrw_load_def def = *from;
    memset(&error, 0, sizeof error);
    told[0] = '\0';
    def.detail = hear;
    mrw_load_file(test_path(model), &def, &s, &error);
    ck_assert_msg(s, "%s", error.text);
    ck_assert_uint_eq(s->images_count, 1);
    const bool found = (s->images[0].flags & MRW_IMAGE_MISSING) == 0;
    const uint32_t width = found ? s->images[0].width : 0;
    ck_assert_msg(s->warnings_count == (found ? 0 : 1), "%s",
                  s->warnings_count > 0 ? mrw_scene_string(s, s->warnings[0]) : "no warning");
    ck_assert(found || strstr(mrw_scene_string(s, s->warnings[0]), "texture \""));
    mrw_scene_free(s);
    return width;
}

/* ---- what is found --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint8_t width;
} pictures[] = {
    {"model/wood.png", 1},
    {"model/Wood2.TGA", 2},
    {"model/textures/brick.png", 3},
    {"model/tex/stone.bmp", 4},
    {"model/Textures/sand.JPG", 5},
    {"model/Maps/Old/Iron.png", 6},
    {"model/both.jpg", 7},
    {"model/both.png", 8},
    {"model/textures/both.tga", 9},
    {"model/CASE.png", 10},
    {"model/case.png", 11},
    {"model/Case.jpg", 12},
    {"dir/far.png", 13},
    {"dir/textures/Farther.PNG", 14},
    {"model/textures/far.jpg", 15},
    {"model/wood.001", 16},
    {"model/plain", 17},
    {"model/hair.png.png", 18},
    {"out.png", 19},
    {"model/sub/a.b.png", 20},
    {"dir/sub/Deep.png", 21},
};

static const struct {
    const char *path;
    uint8_t width; /* 0: none */
} cases[] = {
    {"wood.png", 1},     {"WOOD.PNG", 1},      {"Wood.jpg", 1},          {"wood2.tga", 2},
    {"wood2.png", 2},    {"brick.png", 3},     {"Brick.JPEG", 3},        {"elsewhere/brick.png", 3},
    {"stone.png", 4},    {"sand.jpg", 5},      {"maps/old/iron.PNG", 6}, {"MAPS/OLD/iron.jpg", 6},
    {"iron.png", 0}, /* Maps is none of the usual folders */
    {"both.gif", 8}, /* png before jpg */
    {"both.tga", 9}, /* its own name, though in another folder */
    {"BOTH.TGA", 9},     {"case.png", 11},     {"Case.png", 10}, /* the first by bytes */
    {"CASE.jpg", 12},    {"case.tga", 11},                       /* its own letters */
    {"CASE.bmp", 10},    {"far.png", 13},                        /* exactly, in a texture folder */
    {"FAR.PNG", 13}, /* by its name in any case before another ending */
    {"far.bmp", 13}, /* png before jpg, whatever the folder */
    {"farther.png", 14}, {"sub/deep.jpg", 21}, {"wood.001", 16},         {"wood.002", 0},
    {"plain", 17},       {"hair.png", 0}, /* nor is hair.png.png that */
    {"sub/A.B.tga", 20}, {"none.png", 0},
};

static void write_pictures(void)
{
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        write_picture(pictures[i].name, pictures[i].width);
    }
}

static mrw_load_def def_with_folder(const char *const *dirs)
{
    mrw_load_def def = mrw_load_def_default();
    def.texture_dirs = dirs;
    def.texture_dir_count = 2;
    return def;
}

START_TEST(by_names_that_are_alike)
{
    char dir[PATH_MAX];
    write_pictures();
    snprintf(dir, sizeof dir, "%s/dir", test_folder());
    const char *const dirs[] = {"/nonexistent", dir};
    const mrw_load_def def = def_with_folder(dirs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_gltf(cases[i].path);
        const uint32_t gltf_width = taken("model/m.gltf", &def);
        ck_assert_msg(gltf_width == cases[i].width, "%s: %u", cases[i].path, gltf_width);
        write_obj(cases[i].path);
        const uint32_t obj_width = taken("model/m.obj", &def);
        ck_assert_msg(obj_width == cases[i].width, "obj, %s: %u", cases[i].path, obj_width);
    }
    remove_folder();
}
END_TEST

/* Quotes and blanks around it, and what programs of Windows write. */
START_TEST(by_names_in_other_words)
{
    static const struct {
        const char *path;
        uint8_t width;
    } spellings[] = {
        {" wood.png", 1},
        {"wood.png \\t", 1},
        {"\\\"wood.png\\\"", 1},
        {" \\\" wood.png\\\" ", 1},
        {"'wood.png'", 1},
        {"C:\\\\art\\\\WOOD.PNG", 1},
        {"\\\"C:\\\\art\\\\wood.png\\\"", 1},
        {"Maps\\\\Old\\\\iron.png", 6},
        {".\\\\maps\\\\old\\\\iron.png", 6},
        {"maps/old/ iron.png", 6},
        {"%20wood.png%20", 1},
    };
    write_pictures();
    const mrw_load_def def = mrw_load_def_default();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        write_gltf(spellings[i].path);
        const uint32_t width = taken("model/m.gltf", &def);
        ck_assert_msg(width == spellings[i].width, "%s: %u", spellings[i].path, width);
    }
    remove_folder();
}
END_TEST

/* What was taken is told; what is found by its name is not. */
START_TEST(what_was_taken_is_told)
{
    char dir[PATH_MAX];
    write_pictures();
    snprintf(dir, sizeof dir, "%s/dir", test_folder());
    const char *const dirs[] = {"/nonexistent", dir};
    const mrw_load_def def = def_with_folder(dirs);
    write_gltf("wood.png");
    ck_assert_uint_eq(taken("model/m.gltf", &def), 1);
    ck_assert_str_eq(told, "");
    write_gltf("x/Brick.tga");
    ck_assert_uint_eq(taken("model/m.gltf", &def), 3);
    ck_assert_msg(strstr(told, "m.gltf: texture \"x/Brick.tga\" is missing; "
                               "\"textures/brick.png\" is used instead|"),
                  "%s", told);
    write_obj("farther.jpg");
    ck_assert_uint_eq(taken("model/m.obj", &def), 14);
    ck_assert_msg(strstr(told, "\"textures/Farther.PNG\" of ") &&
                      strstr(told, "/dir is used instead|"),
                  "%s", told);
    remove_folder();
}
END_TEST

/* Packs of models have their textures in a folder beside the models'. */
START_TEST(in_folders_beside_the_model)
{
    static const struct {
        const char *path;
        uint32_t width;
    } beside[] = {
        {"../Textures/color.png", 40},
        {"..\\\\Textures\\\\color.png", 40},
        {"C:\\\\Users\\\\me\\\\pack\\\\TEXTURES\\\\Color.tga", 40},
        {"color.png", 40},
        {"../tex/stone.bmp", 41},
        {"../Texture/grass.jpg", 42},
        {"../textures/brick.png", 43},
        {"../../work/SourceImages/color.png", 0}, /* another picture of that name */
        {"../Maps/sand.png", 0},                  /* Maps is not among the folders */
        {"textures/near.png", 44},                /* the model's own folder comes first */
        {"../Textures/linked.png", 0},
        {"../Textures/folder.png", 0},
        {"../Textures/../secret.png", 0},
        {"secret.png", 0},
    };
    write_picture("Textures/color.png", 40);
    write_picture("tex/stone.bmp", 41);
    write_picture("Texture/grass.jpg", 42);
    write_picture("textures/brick.png", 43);
    write_picture("model/textures/near.png", 44);
    write_picture("textures/near.png", 45);
    write_picture("Maps/sand.png", 46);
    write_picture("secret.png", 47);
    ck_assert_int_eq(symlink("../secret.png", test_path("Textures/linked.png")), 0);
    ck_assert_int_eq(mkdir(test_path("Textures/folder.png"), 0700), 0);
    mrw_load_def def = mrw_load_def_default();
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        write_gltf(beside[i].path);
        const uint32_t width = taken("model/m.gltf", &def);
        ck_assert_msg(width == beside[i].width, "%s: %u", beside[i].path, width);
    }
    write_gltf("../Textures/color.png");
    ck_assert_uint_eq(taken("model/m.gltf", &def), 40);
    ck_assert_msg(strstr(told, "m.gltf: texture \"../Textures/color.png\" is missing; "
                               "\"color.png\" of ../Textures/ is used instead|"),
                  "%s", told);
    write_obj("../Textures/color.png"); /* by the import helper */
    ck_assert_uint_eq(taken("model/m.obj", &def), 40);
    char root[PATH_MAX];
    snprintf(root, sizeof root, "%s/model", test_folder());
    def.asset_root = root;
    write_gltf("../Textures/color.png");
    ck_assert_uint_eq(taken("model/m.gltf", &def), 0);
    remove_folder();
}
END_TEST

/* A link in place of the folder is not followed. */
START_TEST(links_beside_the_model)
{
    write_picture("model/other.png", 50);
    write_picture("elsewhere/color.png", 40);
    ck_assert_int_eq(symlink("elsewhere", test_path("Textures")), 0);
    const mrw_load_def def = mrw_load_def_default();
    write_gltf("../Textures/color.png");
    ck_assert_uint_eq(taken("model/m.gltf", &def), 0);
    remove_folder();
}
END_TEST

/* ---- nothing outside ------------------------------------------------------------------------- */

START_TEST(no_spelling_leads_out)
{
    static const char *const spellings[] = {
        "../out.png",
        "../OUT.PNG",
        "..\\\\out.png",
        "..\\\\Out.tga",
        "%2e%2e/out.png",
        "%2e%2e%2fOUT.png",
        "%2e%2e\\\\out.bmp",
        "textures/../../out.png",
        "textures/..\\\\..\\\\OUT.png",
        "tex/../../Out.jpg",
        "./../OUT.PNG",
        " ../OUT.PNG ",
        "\\\"../OUT.PNG\\\"",
        "'..'/OUT.PNG",
        "C:..\\\\OUT.PNG",
        "\\\\\\\\server\\\\share\\\\OUT.PNG",
        "//OUT.PNG",
        "link/OUT.PNG",
        "LINK/out.PNG",
        "Linked.PNG",
        "linked.tga",
        "dirlink.png",
        "..",
        ". ",
        "textures/.. ",
        "a\\u0001/../../OUT.PNG",
    };
    char absolute[PATH_MAX];
    write_picture("out.png", 19);
    write_picture("secret/hidden.png", 30);
    write_picture("model/wood.png", 1);
    ck_assert_int_eq(symlink("..", test_path("model/link")), 0);
    ck_assert_int_eq(symlink("../out.png", test_path("model/linked.png")), 0);
    ck_assert_int_eq(symlink("../secret", test_path("model/textures")), 0);
    snprintf(absolute, sizeof absolute, "%s/secret", test_folder());
    ck_assert_int_eq(symlink(absolute, test_path("model/tex")), 0);
    ck_assert_int_eq(symlink("/proc/self/root", test_path("model/Textures")), 0);
    ck_assert_int_eq(mkdir(test_path("model/dirlink.png"), 0700), 0);
    const mrw_load_def def = mrw_load_def_default();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        write_gltf(spellings[i]);
        const uint32_t width = taken("model/m.gltf", &def);
        ck_assert_msg(width == 0, "%s: %u", spellings[i], width);
    }
    static const char *const hidden[] = {"hidden.png", "HIDDEN.png", "textures/hidden.png",
                                         "TEXTURES/hidden.png"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        write_gltf(hidden[i]);
        ck_assert_uint_eq(taken("model/m.gltf", &def), 0);
        write_obj(hidden[i]);
        ck_assert_uint_eq(taken("model/m.obj", &def), 0);
    }
    snprintf(absolute, sizeof absolute, "%s/OUT.PNG", test_folder());
    write_gltf(absolute);
    ck_assert_uint_eq(taken("model/m.gltf", &def), 0);
    remove_folder();
}
END_TEST

/* With an asset root its folders count, too, and no others. */
START_TEST(below_an_asset_root)
{
    write_picture("out.png", 19);
    write_picture("assets/shared/Iron.png", 6);
    write_picture("assets/model/textures/brick.png", 3);
    write_picture("model/wood.png", 1);
    char from[PATH_MAX], to[PATH_MAX], root[PATH_MAX];
    snprintf(root, sizeof root, "%s/assets", test_folder());
    mrw_load_def def = mrw_load_def_default();
    def.asset_root = root;
    static const struct {
        const char *uri;
        uint32_t width;
    } below[] = {{"../shared/iron.PNG", 6}, {"../SHARED/iron.tga", 6}, {"brick.tga", 3},
                 {"../../OUT.PNG", 0},      {"../../out.png", 0},      {"iron.png", 0}};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        write_gltf(below[i].uri);
        snprintf(from, sizeof from, "%s/model/m.gltf", test_folder());
        snprintf(to, sizeof to, "%s/assets/model/m.gltf", test_folder());
        ck_assert_int_eq(rename(from, to), 0);
        const uint32_t width = taken("assets/model/m.gltf", &def);
        ck_assert_msg(width == below[i].width, "%s: %u", below[i].uri, width);
    }
    remove_folder();
}
END_TEST

/* ---- caches ---------------------------------------------------------------------------------- */

/* What was read is told apart from what would be read now: a better name may turn up later. */
START_TEST(a_better_name_that_turns_up)
{
    write_picture("model/Wood.jpg", 1);
    write_gltf("wood.png");
    const mrw_load_def def = mrw_load_def_default();
    static const char *const steps[] = {"model/textures/WOOD.PNG", "model/WOOD.PNG",
                                        "model/wood.png"};
    for (size_t i = 0; i <= sizeof steps / sizeof *steps; i++) {
        char path[512], folder[MRWI_BASE_PATH_MAX];
        mrwi_load_opened opened = {0};
        mrw_scene *s = NULL;
        snprintf(path, sizeof path, "%s", test_path("model/m.gltf"));
        ck_assert_int_eq(mrwi_load_file_noting(path, &def, &opened, &s, &error), MRW_OK);
        ck_assert_uint_eq(s->images[0].width, i + 1);
        mrwi_load_folder_of(path, folder);
        ck_assert(mrwi_load_opened_again(&opened, folder, &def));
        if (i < sizeof steps / sizeof *steps) {
            write_picture(steps[i], (uint8_t)(i + 2));
            ck_assert(!mrwi_load_opened_again(&opened, folder, &def));
        }
        mrwi_load_opened_free(&opened);
        mrw_scene_free(s);
    }
    remove_folder();
}
END_TEST

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Many textures that are not there, beside many files: folders are read once. */
START_TEST(large_folders)
{
    enum { FILES = 100000, TEXTURES = 2000 };
    char path[512];
    write_picture("model/textures/wood.png", 1);
    snprintf(path, sizeof path, "%s/model", test_folder());
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "File %d.png", i);
        const int file = openat(fd, path, O_WRONLY | O_CREAT, 0600);
        ck_assert_int_ge(file, 0);
        close(file);
    }
    close(fd);
    char *json = malloc(400 + (size_t)TEXTURES * 300);
    char *at = json + sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"images\":[");
    for (int i = 0; i < TEXTURES; i++) {
        at += sprintf(at, "%s{\"uri\":\"C:/art/none %d.png\"}", i ? "," : "", i);
    }
    at += sprintf(at, "],\"textures\":[");
    for (int i = 0; i < TEXTURES; i++) {
        at += sprintf(at, "%s{\"source\":%d}", i ? "," : "", i);
    }
    at += sprintf(at, "],\"materials\":[");
    for (int i = 0; i < TEXTURES; i++) {
        at += sprintf(at, "%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}",
                      i ? "," : "", i);
    }
    at += sprintf(at, "],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{"
                      "\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{"
                      "\"primitives\":[");
    for (int i = 0; i < TEXTURES; i++) {
        at += sprintf(at, "%s{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":%d}",
                      i ? "," : "", i);
    }
    at += sprintf(at, "]}],\"nodes\":[{\"mesh\":0}]}");
    test_write(test_path("model/m.gltf"), json, (size_t)(at - json));
    free(json);
    mrw_scene *s = NULL;
    const double start = mrw_clock_seconds(MRW_CLOCK_PROCESS);
    snprintf(path, sizeof path, "%s", test_path("model/m.gltf"));
    ck_assert_int_eq(mrw_load_file(path, NULL, &s, &error), MRW_OK);
    const double seconds = mrw_clock_seconds(MRW_CLOCK_PROCESS) - start;
    ck_assert_uint_eq(s->images_count, TEXTURES);
    ck_assert_msg(seconds < 20.0, "%.1f s", seconds);
    mrw_scene_free(s);
    remove_folder();
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static Suite *suite(void)
{
    Suite *s = suite_create("load_textures");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, by_names_that_are_alike);
    tcase_add_test(all, by_names_in_other_words);
    tcase_add_test(all, what_was_taken_is_told);
    tcase_add_test(all, in_folders_beside_the_model);
    tcase_add_test(all, links_beside_the_model);
    tcase_add_test(all, no_spelling_leads_out);
    tcase_add_test(all, below_an_asset_root);
    tcase_add_test(all, a_better_name_that_turns_up);
    tcase_add_test(all, large_folders);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
