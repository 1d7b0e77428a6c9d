/* test_cli_sprites.c: `marrow sprites`: what it makes of a model alone, the SpriteFrames resource
 * for Godot 4, shadows that fit in. The resource is read by a parser of its own grammar (Godot's
 * VariantParser: tags, values, constructors), strictly. */
#include "cli_fixture.h"

#include <ctype.h>
#include <marrow/marrow.h>
#include <math.h>

/* ---- the grammar of .tres -------------------------------------------------------------------- */

static char document[400000];
static const char *at;

static void skip_space(void)
{
    while (*at == ' ' || *at == '\n' || *at == '\t') {
        at++;
    }
}

static void expect(const char *token)
{
    skip_space();
    ck_assert_msg(strncmp(at, token, strlen(token)) == 0, "'%s' expected at '%.60s'", token, at);
    at += strlen(token);
}

static bool take(const char *token)
{
    skip_space();
    const bool there = strncmp(at, token, strlen(token)) == 0;
    at += there ? strlen(token) : 0;
    return there;
}

static void read_name(char name[64])
{
    size_t used = 0;
    skip_space();
    while (isalnum((unsigned char)*at) || *at == '_') {
        ck_assert_uint_lt(used, 63);
        name[used++] = *at++;
    }
    ck_assert_msg(used > 0, "a name expected at '%.60s'", at);
    name[used] = '\0';
}

static cJSON *read_string(void)
{
    char text[1000];
    size_t used = 0;
    expect("\"");
    while (*at != '"') {
        ck_assert(*at != '\0' && used + 1 < sizeof text);
        if (*at == '\\') {
            at++;
            ck_assert_msg(*at == '"' || *at == '\\' || *at == 'u', "escape \\%c", *at);
            if (*at == 'u') {
                unsigned code = 0;
                ck_assert_int_eq(sscanf(at + 1, "%4x", &code), 1);
                ck_assert_uint_lt(code, 128);
                text[used++] = (char)code;
                at += 5;
                continue;
            }
        }
        text[used++] = *at++;
    }
    at++;
    text[used] = '\0';
    return cJSON_CreateString(text);
}

static cJSON *read_value(void);

static cJSON *read_list(const char *end)
{
    cJSON *list = cJSON_CreateArray();
    while (!take(end)) {
        cJSON_AddItemToArray(list, read_value());
        if (!take(",")) {
            expect(end);
            break;
        }
    }
    return list;
}

static cJSON *read_dictionary(void)
{
    cJSON *object = cJSON_CreateObject();
    while (!take("}")) {
        cJSON *key = read_string();
        expect(":");
        ck_assert(!cJSON_HasObjectItem(object, key->valuestring));
        cJSON_AddItemToObject(object, key->valuestring, read_value());
        cJSON_Delete(key);
        if (!take(",")) {
            expect("}");
            break;
        }
    }
    return object;
}

/* Numbers, strings, &"names", true, false, [arrays], {dictionaries}, and Name(arguments) as an
 * object of one member. */
static cJSON *read_value(void)
{
    char name[64];
    skip_space();
    if (*at == '-' || isdigit((unsigned char)*at)) {
        char *end;
        const double value = strtod(at, &end);
        at = end;
        return cJSON_CreateNumber(value);
    }
    if (*at == '"') {
        return read_string();
    }
    if (take("&")) {
        return read_string();
    }
    if (take("[")) {
        return read_list("]");
    }
    if (take("{")) {
        return read_dictionary();
    }
    read_name(name);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        return cJSON_CreateBool(name[0] == 't');
    }
    expect("(");
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, name, read_list(")"));
    return object;
}

/* [tag key=value ...], then lines of key = value: {"tag": ..., "own": {...}, "lines": {...}} */
static cJSON *read_tag(void)
{
    char name[64];
    cJSON *tag = cJSON_CreateObject();
    expect("[");
    read_name(name);
    cJSON_AddStringToObject(tag, "tag", name);
    cJSON *own = cJSON_AddObjectToObject(tag, "own");
    while (!take("]")) {
        read_name(name);
        expect("=");
        cJSON_AddItemToObject(own, name, read_value());
    }
    cJSON *lines = cJSON_AddObjectToObject(tag, "lines");
    for (skip_space(); *at != '[' && *at != '\0'; skip_space()) {
        read_name(name);
        expect("=");
        cJSON_AddItemToObject(lines, name, read_value());
    }
    return tag;
}

/* All tags of a file. */
static cJSON *read_tres(const char *path)
{
    cJSON *tags = cJSON_CreateArray();
    ck_assert_uint_lt(slurp(path, document, sizeof document), sizeof document - 1);
    at = document;
    for (skip_space(); *at != '\0'; skip_space()) {
        cJSON_AddItemToArray(tags, read_tag());
    }
    return tags;
}

static cJSON *read_json(const char *path)
{
    static char text[400000];
    ck_assert_uint_lt(slurp(path, text, sizeof text), sizeof text - 1);
    cJSON *json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(json);
    return json;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(item, "there is no %s", name);
    return item;
}

static int number(const cJSON *list, int index)
{
    return cJSON_GetArrayItem(list, index)->valueint;
}

static const cJSON *find_tag(const cJSON *tags, const char *kind, const char *id)
{
    const cJSON *tag;
    cJSON_ArrayForEach(tag, tags)
    {
        if (strcmp(member(tag, "tag")->valuestring, kind) == 0 &&
            strcmp(member(member(tag, "own"), "id")->valuestring, id) == 0) {
            return tag;
        }
    }
    ck_abort_msg("there is no %s %s", kind, id);
    return NULL;
}

/* The region of a frame is that of the JSON's frame. */
static void assert_region(const cJSON *tags, const cJSON *texture, const cJSON *frame)
{
    const cJSON *id = member(texture, "SubResource");
    const cJSON *tag = find_tag(tags, "sub_resource", cJSON_GetArrayItem(id, 0)->valuestring);
    const cJSON *lines = member(tag, "lines"), *box = member(frame, "frame");
    const cJSON *region = member(member(lines, "region"), "Rect2");
    const cJSON *page = cJSON_GetArrayItem(member(member(lines, "atlas"), "ExtResource"), 0);
    static const char *const names[] = {"x", "y", "w", "h"};
    ck_assert_str_eq(member(member(tag, "own"), "type")->valuestring, "AtlasTexture");
    find_tag(tags, "ext_resource", page->valuestring);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(number(region, i), member(box, names[i])->valueint);
    }
    const cJSON *margin = cJSON_GetObjectItem(lines, "margin");
    const cJSON *source = member(frame, "spriteSourceSize"), *size = member(frame, "sourceSize");
    margin = margin ? member(margin, "Rect2") : NULL;
    ck_assert_int_eq(margin ? number(margin, 0) : 0, member(source, "x")->valueint);
    ck_assert_int_eq(margin ? number(margin, 1) : 0, member(source, "y")->valueint);
    ck_assert_int_eq(number(region, 2) + (margin ? number(margin, 2) : 0),
                     member(size, "w")->valueint);
    ck_assert_int_eq(number(region, 3) + (margin ? number(margin, 3) : 0),
                     member(size, "h")->valueint);
}

/* A resource says what the JSON beside it says; all frames are on one page. */
static void assert_same(const char *tres, const char *json)
{
    cJSON *tags = read_tres(tres), *atlas = read_json(json);
    const int count = cJSON_GetArraySize(tags);
    const cJSON *first = cJSON_GetArrayItem(tags, 0), *last = cJSON_GetArrayItem(tags, count - 1);
    const cJSON *own = member(first, "own"), *animation;
    ck_assert_str_eq(member(first, "tag")->valuestring, "gd_resource");
    ck_assert_str_eq(member(own, "type")->valuestring, "SpriteFrames");
    ck_assert_int_eq(member(own, "format")->valueint, 3);
    ck_assert_int_eq(member(own, "load_steps")->valueint, count - 1); /* resources, and it */
    ck_assert_str_eq(member(last, "tag")->valuestring, "resource");
    const cJSON *sheet = find_tag(tags, "ext_resource", "1");
    ck_assert_str_eq(member(member(sheet, "own"), "type")->valuestring, "Texture2D");
    ck_assert_str_eq(member(member(sheet, "own"), "path")->valuestring,
                     member(member(atlas, "meta"), "image")->valuestring);
    const cJSON *animations = member(member(last, "lines"), "animations");
    ck_assert_int_eq(cJSON_GetArraySize(animations),
                     cJSON_GetArraySize(member(atlas, "animations")));
    cJSON_ArrayForEach(animation, animations)
    {
        const char *name = member(animation, "name")->valuestring;
        const cJSON *names = member(member(atlas, "animations"), name), *frame;
        int index = 0;
        ck_assert_int_eq(cJSON_GetArraySize(member(animation, "frames")),
                         cJSON_GetArraySize(names));
        cJSON_ArrayForEach(frame, member(animation, "frames"))
        {
            const char *key = cJSON_GetArrayItem(names, index++)->valuestring;
            const cJSON *same = member(member(atlas, "frames"), key);
            const double seconds =
                member(frame, "duration")->valuedouble / member(animation, "speed")->valuedouble;
            ck_assert_double_le(fabs(1000.0 * seconds - member(same, "duration")->valueint), 1.0);
            assert_region(tags, member(frame, "texture"), same);
        }
    }
    cJSON_Delete(tags);
    cJSON_Delete(atlas);
}

static bool loops(const char *tres)
{
    cJSON *tags = read_tres(tres);
    const cJSON *last = cJSON_GetArrayItem(tags, cJSON_GetArraySize(tags) - 1);
    const cJSON *animations = member(member(last, "lines"), "animations");
    const bool answer = cJSON_IsTrue(member(cJSON_GetArrayItem(animations, 0), "loop"));
    cJSON_Delete(tags);
    return answer;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* All clips, eight directions, eight frames, trimmed, clear, and nothing is overwritten. */
START_TEST(alone)
{
    shell("marrow sprites demo:figure --size 32");
    assert_status(0);
    ck_assert(exists("figure-sprites.png") && exists("figure-sprites.json"));
    ck_assert(!exists("figure-sprites.tres"));
    cJSON *atlas = read_json("figure-sprites.json");
    const cJSON *animations = member(atlas, "animations");
    ck_assert_int_eq(cJSON_GetArraySize(animations), 3 * 8);
    ck_assert_int_eq(cJSON_GetArraySize(member(animations, "Walk/sw")), 8);
    ck_assert(cJSON_IsTrue(member(member(member(atlas, "frames"), "Walk/sw/003"), "trimmed")));
    cJSON_Delete(atlas);
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_read("figure-sprites.png", 0, &image, NULL), MRW_OK);
    ck_assert_int_eq(image.channels, 4);
    mrw_image_free(&image);
    shell("marrow sprites demo:figure --size 32");
    assert_refused(4, "the file exists");
    shell("rm figure-sprites.png && marrow sprites demo:figure --size 32");
    assert_refused(4, "figure-sprites.json: the file exists");
    shell("marrow sprites demo:figure --size 32 --force -q");
    assert_status(0);
    shell("marrow sprites demo:figure demo:blob --size 16 --directions 4 -q -o out/");
    assert_status(0);
    ck_assert(exists("out/figure-sprites.json") && exists("out/figure-sprites.png"));
}
END_TEST

/* Each default gives way to an option. */
START_TEST(options)
{
    shell(
        "marrow sprites demo:figure --size 32 --clip Walk --azimuth 90 --count 3 --background red "
        "--trim none -q -o a.png");
    assert_status(0);
    cJSON *atlas = read_json("a.json");
    ck_assert_int_eq(cJSON_GetArraySize(member(atlas, "frames")), 3);
    ck_assert_int_eq(cJSON_GetArraySize(member(member(atlas, "animations"), "Walk")), 3);
    cJSON_Delete(atlas);
    shell("marrow sprites demo:figure --size 32 --page-size 64 -o b.png");
    assert_refused(2, "put {page} into -o");
    ck_assert(!exists("b.png") && !exists("b.json"));
    shell("marrow sprites demo:figure --size 32 --page-size 64 --clip Walk -q -o 'b{page}.png' "
          "--atlas-format godot");
    assert_status(0);
    ck_assert(exists("b0.json") && exists("b1.json") && exists("b.tres"));
    cJSON *tags = read_tres("b.tres");
    find_tag(tags, "ext_resource", "2");
    cJSON_Delete(tags);
    shell("marrow sprites demo:figure --labels -o c.png");
    assert_refused(2, "--labels is not an option of `sprites`");
}
END_TEST

START_TEST(godot)
{
    shell("marrow sprites demo:figure --size 32 --atlas-format godot -q -o g/hero.png");
    assert_status(0);
    assert_same("g/hero.tres", "g/hero.json");
    ck_assert(loops("g/hero.tres"));
    shell("marrow render demo:figure --clip Walk --times 0,0.1,0.4 --size 24 --atlas r/json/a.json "
          "--atlas-format godot -q -o r/a.png");
    assert_status(0);
    assert_same("r/json/a.tres", "r/json/a.json");
    ck_assert(!loops("r/json/a.tres"));
    write_triangle("t.gltf", "a \\\"b\\\" \\\\", "Back", 3, "");
    shell("marrow sprites t.gltf --size 16 --atlas-format godot -q -o t.png");
    assert_status(0);
    assert_same("t.tres", "t.json");
    shell("mkdir f.tres && marrow sprites t.gltf --size 16 --atlas-format godot -o f.png");
    assert_refused(4, "f.tres: this is a folder");
    ck_assert(!exists("f.png") && !exists("f.json"));
    shell("marrow render demo:figure --atlas-format godot -o x.png");
    assert_refused(2, "--atlas-format");
    shell("marrow sprites demo:figure --atlas-format unity -o x.png");
    assert_refused(2, "expected json or godot");
}
END_TEST

/* Pixels of the border of 8 cells of 64x64, which are side by side, that are not clear. */
static int count_cut(const char *path)
{
    mrw_image image = {0};
    int cut = 0;
    ck_assert_int_eq(mrw_image_read(path, 0, &image, NULL), MRW_OK);
    ck_assert_uint_eq(image.width, 512);
    ck_assert_uint_eq(image.height, 64);
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 512; x++) {
            const bool edge = y == 0 || y == 63 || x % 64 == 0 || x % 64 == 63;
            cut += edge && image.pixels[4 * (512 * y + x) + 3] != 0;
        }
    }
    mrw_image_free(&image);
    return cut;
}

/* Black pixels that are almost clear, 2 to 4 pixels from the border of such cells. */
static int count_faint(const char *path)
{
    mrw_image image = {0};
    int faint = 0;
    ck_assert_int_eq(mrw_image_read(path, 0, &image, NULL), MRW_OK);
    for (uint32_t y = 2; y < 62; y++) {
        for (uint32_t x = 0; x < 512; x++) {
            const uint32_t across = x % 64 < 32 ? x % 64 : 63 - x % 64;
            const uint8_t *p = image.pixels + 4 * (512 * y + x);
            faint += across >= 2 && across <= 4 && p[3] > 0 && p[3] < 100 && p[0] == 0;
        }
    }
    mrw_image_free(&image);
    return faint;
}

/* Shadows end within each picture: those of sprites have room, and those of render, which frames
 * the model alone, fade. Without their fade the latter would reach the border: they cover much of
 * the outermost eighth. */
START_TEST(shadows)
{
    static const char walk[] =
        "demo:figure --clip Walk --count 1 --size 64 --gap 0 --sheet 8 "
        "--ground --directions 8 --background none --rig three-point --margin 0.05";
    static const char *const suns[] = {"", "--light directional:dir=1,-0.6,0.4",
                                       "--light-frame world"};
    shell("marrow render %s -q -o r.png", walk);
    assert_status(0);
    ck_assert_int_eq(count_cut("r.png"), 0);
    ck_assert_int_gt(count_faint("r.png"), 20);
    for (size_t i = 0; i < sizeof suns / sizeof *suns; i++) {
        shell("marrow sprites %s --trim none %s --rows time -q -o s.png", walk, suns[i]);
        assert_status(0);
        ck_assert_int_eq(count_cut("s.png"), 0);
    }
}
END_TEST

/* The defaults that help prints, given as options, make the same files. */
START_TEST(defaults)
{
    static const char *const names[] = {"clip",  "count",     "loop",       "size",      "trim",
                                        "bleed", "page-size", "directions", "background"};
    char line[600] = "", want[40];
    shell("marrow help sprites --all");
    assert_status(0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(want, sizeof want, "  --%s ", names[i]);
        const char *row = strstr(out, want);
        ck_assert_msg(row, "help lacks --%s", names[i]);
        const char *value = strchr(row, '[');
        ck_assert(value);
        const size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " --%s=%.*s", names[i],
                 (int)strcspn(value + 1, "]"), value + 1);
    }
    shell("marrow sprites demo:tentacle -q -o a.png && marrow sprites demo:tentacle%s -q -o b.png",
          line);
    assert_status(0);
    shell("cmp a.png b.png && sed 's/b[.]png/a.png/' b.json | cmp a.json -");
    assert_status(0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_sprites");
    TCase *tc = tcase_create("cli_sprites");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, alone);
    tcase_add_test(tc, options);
    tcase_add_test(tc, godot);
    tcase_add_test(tc, shadows);
    tcase_add_test(tc, defaults);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
