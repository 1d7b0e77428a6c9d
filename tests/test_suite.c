/* test_suite.c: suite files: what is read, which cases it makes, what is refused and how that is
 * said. */
#include "suite_fixture.h"

#include "base/memory.h"
#include "marrow/light.h"

/* What the cases of t.suite.ini with this text are called. */
static const char *names_of(const char *text)
{
    test_write_text("t.suite.ini", text);
    mrw_status status = load("t.suite.ini");
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return names();
}

static const mrw_case *only_case(const char *text)
{
    names_of(text);
    ck_assert_uint_eq(list.count, 1);
    return &list.items[0];
}

/* The suite is refused with "t.suite.ini:LINE: " and a message that has `part` in it. */
static void refused(const char *text, unsigned line, const char *part)
{
    char start[64];
    test_write_text("t.suite.ini", text);
    mrw_status status = load("t.suite.ini");
    snprintf(start, sizeof start, "t.suite.ini:%u: ", line);
    ck_assert_msg(status == MRW_ERROR_USAGE, "status %d, '%s' for %s", status, error.text, text);
    ck_assert_msg(strncmp(error.text, start, strlen(start)) == 0, "'%s' is not of line %u",
                  error.text, line);
    ck_assert_msg(strstr(error.text, part), "'%s' lacks '%s'", error.text, part);
}

/* ---- what is read ---------------------------------------------------------------------------- */

START_TEST(a_case)
{
    test_write_text("art/hero/suite.ini", "\xef\xbb\xbf; a comment\r\n"
                                          "[defaults]\r\n"
                                          "size = 160x120 ; small\r\n"
                                          "\r\n"
                                          "  # another\r\n"
                                          "[walk]\r\n"
                                          "model = ../hero.glb\r\n"
                                          "clip: Walk\r\n"
                                          "frames=0-10x5\r\n"
                                          "max_degrees = 0.5\r\n"
                                          "check = pose, pixels\r\n"
                                          "tags = slow,  big\r\n"
                                          "xfail = see the list\r\n"
                                          "background = #fff\r\n"
                                          "ortho = yes");
    ck_assert_msg(load("art/hero") == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(list.count, 1);
    const mrw_case *c = &list.items[0];
    ck_assert_str_eq(c->suite, "hero");
    ck_assert_str_eq(c->name, "walk");
    ck_assert_str_eq(c->suite_file, "art/hero/suite.ini");
    ck_assert_uint_eq(c->line, 6);
    ck_assert_str_eq(c->golden, "art/hero/golden/hero/walk");
    ck_assert_str_eq(c->results, "art/hero/results/hero/walk");
    ck_assert_str_eq(c->model, "art/hero/../hero.glb");
    ck_assert_int_eq(c->settings.command, MRW_COMMAND_TEST);
    ck_assert_uint_eq(c->settings.picture.width, 160);
    ck_assert_uint_eq(c->settings.picture.height, 120);
    ck_assert_uint_eq(c->settings.animation.clips.count, 1);
    ck_assert_str_eq(c->settings.animation.clips.items[0], "Walk");
    ck_assert_uint_eq(c->settings.animation.frame_count, 1);
    ck_assert_int_eq(c->settings.animation.frames[0].step, 5);
    ck_assert(c->settings.camera.view.orthographic);
    ck_assert_uint_eq(c->settings.picture.background[0], 255);
    ck_assert(mrw_settings_given(&c->settings, "size"));
    ck_assert(!mrw_settings_given(&c->settings, "aa"));
    ck_assert_uint_eq(c->checks, MRW_CHECK_PIXELS | MRW_CHECK_POSE);
    ck_assert_double_eq(c->max_degrees, 0.5);
    ck_assert_double_eq(c->max_distance, 0.0);
    ck_assert_uint_eq(c->tag_count, 2);
    ck_assert_str_eq(c->tags[0], "slow");
    ck_assert_str_eq(c->tags[1], "big");
    ck_assert_str_eq(c->xfail, "see the list");
    ck_assert_ptr_null(c->skip);
    ck_assert(!c->store_hash);
}
END_TEST

START_TEST(what_holds_without_keys)
{
    const mrw_case *c = only_case("[a]\nmodel = demo:figure\n");
    ck_assert_str_eq(c->model, "demo:figure");
    ck_assert_uint_eq(c->checks, MRW_CHECK_PIXELS);
    ck_assert_uint_eq(c->settings.picture.width, 512);
    ck_assert_uint_eq(c->settings.cases.repeat, 1);
    ck_assert_str_eq(c->golden, "golden/t/a");
    ck_assert_str_eq(c->results, "results/t/a");
    ck_assert_uint_eq(c->tag_count, 0);
    ck_assert_ptr_null(c->xfail);
}
END_TEST

/* The help of a key ends in what holds without it, in brackets: saying that changes nothing. */
START_TEST(what_help_says_holds_without_keys)
{
    int shown = 0;
    for (size_t i = 0; i < mrw_suite_key_count() && !mrw_suite_key_at(i).option; i++) {
        const mrw_suite_key key = mrw_suite_key_at(i);
        const char *value = strrchr(key.help, '[');
        char text[200];
        if (!value) {
            continue;
        }
        snprintf(text, sizeof text, "[without]\nmodel = a\n[with]\nmodel = a\n%s = %.*s\n",
                 key.name, (int)strcspn(value + 1, "]"), value + 1);
        test_write_text("s.suite.ini", text);
        ck_assert_msg(load("s.suite.ini") == MRW_OK, "%s: %s", text, error.text);
        const mrw_case *without = &list.items[0], *with = &list.items[1];
        ck_assert_uint_eq(without->checks, with->checks);
        ck_assert_uint_eq(without->checks, MRW_CHECK_PIXELS);
        ck_assert(!without->store_hash && !with->store_hash);
        ck_assert(!without->refit && !with->refit);
        ck_assert_str_eq(without->golden, "golden/s/without");
        ck_assert_str_eq(with->golden, "golden/s/with");
        shown++;
    }
    ck_assert_int_eq(shown, 4);
}
END_TEST

START_TEST(hashes_and_key_frames)
{
    const mrw_case *c =
        only_case("[a]\nmodel = m.glb\nstore = hash\nkey-frames = 0,5-9x2\ngolden = .\n");
    ck_assert(c->store_hash);
    ck_assert_uint_eq(c->key_frame_count, 2);
    ck_assert_int_eq(c->key_frames[1].first, 5);
    ck_assert_int_eq(c->key_frames[1].last, 9);
    ck_assert_int_eq(c->key_frames[1].step, 2);
    ck_assert_str_eq(c->golden, "t/a");
}
END_TEST

START_TEST(goldens_elsewhere)
{
    test_write_text("a/b/x.suite.ini", "[c]\nmodel = m.glb\ngolden = ../g/./h/\n");
    ck_assert_int_eq(load("a/b/"), MRW_OK);
    ck_assert_str_eq(list.items[0].golden, "a/b/../g/h/x/c");
    test_write_text("a/b/x.suite.ini", "[c]\nmodel = m.glb\ngolden = .\n");
    ck_assert_int_eq(load("./a//b"), MRW_OK);
    ck_assert_str_eq(list.items[0].golden, "a/b/x/c");
    ck_assert_str_eq(list.items[0].suite_file, "a/b/x.suite.ini");
}
END_TEST

START_TEST(paths_lead_from_the_suite)
{
    test_write_text("s/t.suite.ini", "[a]\nmodel = /abs/m.glb\nanim = more.fbx + demo:figure\n"
                                     "add = horse.glb@hand + /x/y.glb + demo:blob@head\n"
                                     "texture-dir = ../textures\nasset-root = ..\nenv = a/sky.hdr\n"
                                     "mask = rect:1,2,3,4 + image:m/a.png + node:a/b\n");
    ck_assert_msg(load("s") == MRW_OK, "%s", error.text);
    const mrw_case *c = &list.items[0];
    ck_assert_str_eq(c->model, "/abs/m.glb");
    ck_assert_uint_eq(c->settings.animation.anims.count, 2);
    ck_assert_str_eq(c->settings.animation.anims.items[0], "s/more.fbx");
    ck_assert_str_eq(c->settings.animation.anims.items[1], "demo:figure");
    ck_assert_uint_eq(c->settings.model.added.count, 3);
    ck_assert_str_eq(c->settings.model.added.items[0], "s/horse.glb@hand");
    ck_assert_str_eq(c->settings.model.added.items[1], "/x/y.glb");
    ck_assert_str_eq(c->settings.model.added.items[2], "demo:blob@head");
    ck_assert_str_eq(c->settings.model.texture_dirs.items[0], "s/../textures");
    ck_assert_str_eq(c->settings.files.asset_root, "s/..");
    ck_assert_str_eq(c->settings.environment, "s/a/sky.hdr");
    ck_assert_str_eq(c->settings.compare.masks.items[0], "rect:1,2,3,4");
    ck_assert_str_eq(c->settings.compare.masks.items[1], "image:s/m/a.png");
    ck_assert_str_eq(c->settings.compare.masks.items[2], "node:a/b");
    test_write_text("s/t.suite.ini",
                    "[a]\nmodel = m\nshading = lit, matcap:balls/clay.png, matcap:/b.png, "
                    "weights:a/b\n");
    ck_assert_msg(load("s") == MRW_OK, "%s", error.text);
    ck_assert_str_eq(list.items[1].settings.shading_argument, "s/balls/clay.png");
    ck_assert_str_eq(list.items[2].settings.shading_argument, "/b.png");
    ck_assert_str_eq(list.items[3].settings.shading_argument, "a/b");
    test_write_text("u/t.suite.ini", "[a]\nmodel = m\nenv = studio\n"); /* no path */
    ck_assert_msg(load("u") == MRW_OK, "%s", error.text);
    ck_assert_str_eq(list.items[0].settings.environment, "studio");
}
END_TEST

/* ---- lists ----------------------------------------------------------------------------------- */

START_TEST(lists_make_cases)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"[h]\nmodel=m\nclip = Walk, Run\n", "t/h.Walk t/h.Run"},
        {"[h]\nmodel=m\nclip = A , B\nsize = 8, 16x4\n", "t/h.A.8 t/h.A.16x4 t/h.B.8 t/h.B.16x4"},
        {"[h]\nmodel=m\nsize = 8, 16\nclip = A,B\n", "t/h.8.A t/h.8.B t/h.16.A t/h.16.B"},
        {"[defaults]\nmodel=m\naa=1,4\n[b]\nclip=A,B\n[a]\n",
         "t/b.A.1 t/b.A.4 t/b.B.1 t/b.B.4 t/a.1 t/a.4"},
        {"[a]\n[defaults]\nmodel=x/h.glb, demo:blob\n", "t/a.x_h.glb t/a.demo_blob"},
        {"[a]\nmodel=m\nframes = 0,5 | 7-9x2\n", "t/a.0_5 t/a.7-9x2"},
        {"[a]\nmodel=m\ntimes = 0,0.5|1\n", "t/a.0_0.5 t/a.1"},
        {"[a]\nmodel=m\ntranslate = 0,0,1|-1,0,0\n", "t/a.0_0_1 t/a.-1_0_0"},
        {"[a]\nmodel=m\nscale = 1|2,2,1\n", "t/a.1 t/a.2_2_1"},
        {"[a]\nmodel=m\nblend = A:1,B:2|A:1\n", "t/a.A_1_B_2 t/a.A_1"},
        {"[a]\nmodel=m\nmask = rect:1,2,3,4 | node:x + node:y\n",
         "t/a.rect_1_2_3_4 t/a.node_x_node_y"},
        {"[a]\nmodel=m\nallow-format = md5,x|all\n", "t/a.md5_x t/a.all"},
        {"[a]\nmodel=m\nstore=hash\nkey-frames=0,1|2\n", "t/a.0_1 t/a.2"},
        {"[a]\nmodel=m\nstore=hash, pictures\n", "t/a.hash t/a.pictures"},
        {"[a]\nmodel=m\northo = yes, no\n", "t/a.yes t/a.no"},
        {"[a]\nmodel=m\nclip = A + B, C\ntogether = yes\n", "t/a.A_B t/a.C"},
        {"[a]\nmodel=m\ncheck=pose, bounds\ntags=x, y\nskip=one, two\n", "t/a"},
        {"[a]\nmodel=m\nclip = W\xc3\xa4lk, ../x\n", "t/a.W__lk t/a.__.x"},
    };
    for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(names_of(cases[i].text), cases[i].names);
    }
    /* Whatever a safe name is, it is the one that the library makes. */
    char safe[64], expected[160];
    names_of("[a]\nmodel=m\nclip = ../x, b\n");
    snprintf(expected, sizeof expected, "t/a.%s t/a.b", mrw_safe_file_name("../x", safe, 64));
    ck_assert_str_eq(names(), expected);
    ck_assert_str_eq(list.items[0].settings.animation.clips.items[0], "../x");
}
END_TEST

START_TEST(several_at_once)
{
    const mrw_case *c = only_case("[a]\nmodel=m\nclip = Walk + Run\nlayer = Wave@Spine + Nod\n");
    ck_assert_uint_eq(c->settings.animation.clips.count, 2);
    ck_assert_str_eq(c->settings.animation.clips.items[1], "Run");
    ck_assert_uint_eq(c->settings.animation.layers.count, 2);
    c = only_case(
        "[a]\nmodel=m\nfile-lights = off\nlight = default + spot:pos=0,1,0,dir=0,-1,0@Hub + "
        "ambient:color=1,0,0\n");
    ck_assert_uint_eq(c->settings.lights.count, 1);
    ck_assert_str_eq(c->settings.lights.items[0].node, "Hub");
    ck_assert(c->settings.picture.rig == MRW_RIG_ON && c->settings.picture.ambient[0] == 1.0f &&
              !c->settings.picture.file_lights);
    c = only_case("[a]\nmodel=m\nclip = a+b\n"); /* no spaces: a name */
    ck_assert_uint_eq(c->settings.animation.clips.count, 1);
    ck_assert_str_eq(c->settings.animation.clips.items[0], "a+b");
}
END_TEST

/* Lights have commas, so that bars part them. */
START_TEST(lights_make_cases)
{
    ck_assert_str_eq(names_of("[a]\nmodel=m\nlight = none | point:pos=0,1,0 + default\n"
                              "file-lights = on, off\n"),
                     "t/a.none.on t/a.none.off t/a.point_pos_0_1_0_default.on "
                     "t/a.point_pos_0_1_0_default.off");
    ck_assert_int_eq(list.items[0].settings.picture.rig, MRW_RIG_OFF);
    ck_assert_int_eq(list.items[3].settings.picture.rig, MRW_RIG_ON);
    ck_assert(list.items[2].settings.picture.file_lights);
    ck_assert(!list.items[3].settings.picture.file_lights);
    refused("[a]\nmodel=m\nlight = point:po=0,1,0\n", 3, "unknown key 'po' in point");
    refused("[a]\nmodel=m\nfile-lights = onn\n", 3, "did you mean on");
}
END_TEST

START_TEST(limits_of_lists)
{
    char text[4000] = "[a]\nmodel = m\n", *p = text + strlen(text);
    static const char *const keys[] = {"azimuth", "elevation", "margin"};
    for (int k = 0; k < 3; k++) {
        p += sprintf(p, "%s = ", keys[k]);
        for (int i = 0; i < 22; i++) {
            p += sprintf(p, "%s%s%d", i ? "," : "", k == 2 ? "0.0" : "", i);
        }
        p += sprintf(p, "\n");
    }
    refused(text, 1, "more than 10000 cases"); /* 22^3 = 10648 */
    ck_assert_str_eq(names_of("[a]\nmodel=m\n"), "t/a");
    char *big = malloc(400000);
    ck_assert_ptr_nonnull(big);
    p = big +
        sprintf(big, "[defaults]\nmodel = m\naa=1,2,4,8\nfilter=nearest,bilinear,trilinear\n");
    for (int i = 0; i < 9000; i++) {
        p += sprintf(p, "[s%d]\n", i);
    }
    refused(big, 4 + 8334, "more than 100000 cases in all"); /* 8333 * 12 = 99996 */
    free(big);
}
END_TEST

START_TEST(long_names)
{
    char text[1000];
    snprintf(text, sizeof text, "[%.48s]\nmodel=m\nclip=%.150s,b\n",
             "123456789012345678901234567890123456789012345678",
             "1234567890123456789012345678901234567890123456789012345678901234567890"
             "1234567890123456789012345678901234567890123456789012345678901234567890"
             "1234567890");
    names_of(text); /* 48 + 1 + 150 = 199 */
    snprintf(text, sizeof text, "[%.48s]\nmodel=m\nclip=%.150s12,b\n",
             "123456789012345678901234567890123456789012345678",
             "1234567890123456789012345678901234567890123456789012345678901234567890"
             "1234567890123456789012345678901234567890123456789012345678901234567890"
             "1234567890");
    refused(text, 1, "longer than 200 bytes");
}
END_TEST

/* ---- defaults -------------------------------------------------------------------------------- */

START_TEST(own_keys_replace_defaults)
{
    names_of("[defaults]\nmodel=m\nsize=8\ntags=a,b\nclip=A,B\n[x]\nsize=9\ntags=c\nclip=C\n");
    ck_assert_str_eq(names(), "t/x");
    ck_assert_uint_eq(list.items[0].settings.picture.width, 9);
    ck_assert_uint_eq(list.items[0].tag_count, 1);
    ck_assert_uint_eq(list.items[0].settings.animation.clips.count, 1);
    names_of("[defaults]\nmodel=m\ntime=1\n[x]\ntimes=2\n");
    ck_assert_uint_eq(list.items[0].settings.animation.time_count, 1);
    ck_assert_double_eq(list.items[0].settings.animation.times[0], 2.0);
}
END_TEST

START_TEST(own_keys_put_defaults_out_of_force)
{
    const mrw_case *c = only_case("[defaults]\nmodel=m\nfit=all\nazimuth=3\n[x]\neye=1,2,3\n");
    ck_assert(!mrw_settings_given(&c->settings, "fit"));
    ck_assert(!mrw_settings_given(&c->settings, "azimuth"));
    c = only_case("[defaults]\nmodel=m\nframes=0-9\nclip=A,B\n[x]\npose=rest\n");
    ck_assert_uint_eq(c->settings.animation.clips.count, 0);
    ck_assert_uint_eq(c->settings.animation.frame_count, 0);
    c = only_case("[defaults]\nmodel=m\npose=rest\n[x]\nclip=A\n");
    ck_assert_uint_eq(c->settings.animation.pose, 0);
    names_of("[defaults]\nmodel=m\nmax-delta=2\n[x]\ncompare=pixel, exact\n");
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(list.items[0].settings.compare.pictures.max_delta, 2);
    ck_assert_uint_eq(list.items[1].settings.compare.pictures.max_delta, 0);
    names_of("[defaults]\nmodel=m\nexposure=2\ntonemap=aces\n[x]\nshading=lit, lambert, unlit\n");
    ck_assert_uint_eq(list.count, 3);
    for (size_t i = 0; i < 3; i++) { /* what a case's shading does not have is out of force */
        ck_assert(mrw_settings_given(&list.items[i].settings, "exposure") == (i < 2));
        ck_assert(mrw_settings_given(&list.items[i].settings, "tonemap") == (i < 1));
    }
    names_of("[defaults]\nmodel=m\nstore=hash\nkey-frames=0\n[x]\nstore=pictures\n");
    names_of("[defaults]\nmodel=m\ncheck=pose\nmax-degrees=1\n[x]\ncheck=pixels\n");
    c = only_case("[defaults]\nmodel=m\ncompare=pixel\nmax-delta=2\nmask=node:a\n"
                  "check=pixels,pose\nmax-degrees=1\n[x]\nstore=hash\n");
    ck_assert(c->store_hash);
    ck_assert_uint_eq(c->settings.compare.pictures.mode, 0);
    ck_assert_uint_eq(c->settings.compare.pictures.max_delta, 0);
    ck_assert_uint_eq(c->settings.compare.masks.count, 0);
    ck_assert_double_eq(c->max_degrees, 1.0);
    c = only_case("[defaults]\nmodel=m\nstore=hash\nkey-frames=0\n[x]\ncompare=perceptual\n");
    ck_assert(!c->store_hash);
    ck_assert_uint_eq(c->key_frame_count, 0);
    c = only_case("[defaults]\nmodel=m\nstore=hash\n[x]\nmask=node:a\n");
    ck_assert(!c->store_hash);
    c = only_case("[defaults]\nmodel=m\nstore=hash\n[x]\ncompare=exact\n");
    ck_assert(c->store_hash);
    refused("[defaults]\nmodel=m\ncompare=pixel\nstore=hash\n[x]\n", 4,
            "can't be combined with `compare`");
    refused("[defaults]\nmodel=m\n[x]\ncompare=pixel\nstore=hash\n", 5,
            "can't be combined with `compare`");
    /* but not when no case asks for it */
    refused("[defaults]\nmodel=m\nmax-delta=2\n[x]\n", 4, "without --compare pixel");
    refused("[defaults]\nmodel=m\nmax-delta=2\ncompare=exact\n[x]\n", 5, "without --compare pixel");
    refused("[defaults]\nmodel=m\nkey-frames=0\n[x]\n", 3, "without `store = hash`");
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(unknown_keys)
{
    refused("[a]\nmodle = m\n", 2, "unknown key 'modle'; did you mean model");
    refused("[a]\nmodel = m\n\nsise = 3\n", 4, "unknown key 'sise'; did you mean size");
    refused("[a]\nmax_detla = 3\n", 2, "did you mean max-delta");
    refused("[a]\nzzzzzzzzzzzz = 3\n", 2, "marrow help suite");
    refused("[a]\n\"size\" = 3\n", 2, "unknown key");
    refused("[a]\ndemo:figure\n", 2, "unknown key 'demo'");
}
END_TEST

/* Every row of the table is a key, or is refused for a reason. */
START_TEST(options_that_are_no_keys)
{
    static const char *const of_the_command_line[] = {
        "output",  "sheet",        "force",        "dry-run",    "json",     "shard",
        "jobs",    "bits",         "views",        "aov",        "aov-view", "id",
        "isa",     "all",          "strict",       "quiet",      "verbose",  "help",
        "version", "gl-device",    "turntable",    "directions", "stream",   "quality",
        "matte",   "dither",       "atlas",        "gap",        "extrude",  "bleed",
        "trim",    "page-size",    "power-of-two", "labels",     "pivot",    "atlas-numbers",
        "rows",    "atlas-format", "depth-scale",  "timeout",    "max-work", "memory"};
    for (size_t i = 0; i < sizeof of_the_command_line / sizeof(char *); i++) {
        char text[128], part[128];
        snprintf(text, sizeof text, "[a]\nmodel=m\n%s = 1\n", of_the_command_line[i]);
        snprintf(part, sizeof part, "'%s' is not a key of suites: ", of_the_command_line[i]);
        refused(text, 3, part);
    }
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        bool key =
            option->group == MRW_OPTIONS_COMPARE || mrw_option_belongs(option, MRW_COMMAND_RENDER);
        for (size_t k = 0; k < sizeof of_the_command_line / sizeof(char *); k++) {
            key = key && strcmp(option->name, of_the_command_line[k]) != 0;
        }
        char text[128];
        if (strcmp(option->name, "name") == 0) {
            continue; /* of `init`; suites have a key of this name */
        }
        snprintf(text, sizeof text, "[a]\nmodel=m\n%s = ?\n", option->name);
        test_write_text("t.suite.ini", text);
        mrw_status status = load("t.suite.ini");
        ck_assert_msg((status == MRW_OK || !strstr(error.text, "not a key of suites")) == key,
                      "%s: %s", option->name, error.text);
    }
}
END_TEST

START_TEST(bad_values)
{
    refused("[a]\nmodel=m\nsize = 0\n", 3, "--size '0': expected WIDTHxHEIGHT");
    refused("[a]\nmodel=m\nbackend = gl why\n", 3,
            "backend 'gl why': expected soft and the reason");
    refused("[a]\nmodel=m\nbackend = soft\n", 3, "backend 'soft': expected soft and the reason");
    refused("[a]\nmodel=m\ngl-ratio = 0.9\n", 3, "gl-ratio '0.9': expected a share of pixels");
    refused("[a]\nmodel=m\nsize = 8, 0\n", 3, "--size '0'");
    refused("[defaults]\nsize=big\n[a]\nmodel=m\nsize=8\n", 2, "--size 'big'");
    refused("[a]\nmodel=m\nshading = lambret\n", 3, "did you mean lambert");
    refused("[a]\nmodel=m\northo = maybe\n", 3, "--ortho 'maybe'");
    refused("[a]\nmodel=m\ncheck = pixel\n", 3, "did you mean pixels");
    refused("[a]\nmodel=m\ncheck = pixels,\n", 3, "expected pixels, pose, bounds");
    refused("[a]\nmodel=m\nstore = hashes\n", 3, "did you mean hash");
    refused("[a]\nmodel=m\nstore = hash\nkey-frames = 1-\n", 4, "key-frames '1-'");
    refused("[a]\nmodel=m\nmask = box:1,2,3,4\n", 3, "rect:X,Y,WIDTH,HEIGHT");
    refused("[a]\nmodel=m\nmask = image:\n", 3, "--mask 'image:'");
    refused("[a]\nmodel=m\nmax-ratio = 2\n", 3, "from 0 to 1");
    refused("[a]\nmodel=m\nadd = x@\n", 3, "--add");
    refused("[a]\nmodel=m\nclip = A,,B\n", 3, "'clip' has an empty value");
    refused("[a]\nmodel=m\nclip =\n", 3, "'clip' has an empty value");
    refused("[a]\nmodel=m\nclip = A +  + B\n", 3, "'clip' has an empty value");
    refused("[a]\nmodel=m\nskip = ; why\n", 3, "'skip' has an empty value");
    refused("[a]\nmodel=m\ntags = a,\n", 3, "'tags' has an empty value");
    refused("[a]\nmodel = -\n", 2, "cannot read standard input");
    refused("[a]\nmodel=m\nadd = -@hand\n", 3, "cannot read standard input");
    refused("[a]\nmodel=m\ngolden = /tmp/g\n", 3, "relative to the suite");
    refused("[a]\nmodel=m\ngolden = results\n", 3, "a run writes to");
    refused("[a]\nmodel=m\ngolden = x/../results/./y\n", 3, "a run writes to");
}
END_TEST

/* hide and show of [defaults] come first, so a case has the last word. */
START_TEST(hide_and_show)
{
    const mrw_case *c = only_case("[defaults]\nmodel=m\nhide = A + B\n[a]\nshow = A\n");
    const mrw_node_rules *rules = &c->settings.model.parts;
    ck_assert_uint_eq(rules->count, 3);
    ck_assert(!rules->items[0].show && !rules->items[1].show && rules->items[2].show);
    ck_assert_str_eq(rules->items[2].node, "A");
    ck_assert_uint_eq(c->option_count, 3);
    ck_assert_str_eq(c->options[0], "--hide=A");
    ck_assert_str_eq(c->options[2], "--show=A");
}
END_TEST

START_TEST(a_name)
{
    const mrw_case *c = only_case("[a]\nmodel=m\n[defaults]\nname = Hero-2.x\n");
    ck_assert_str_eq(c->suite, "Hero-2.x");
    ck_assert_str_eq(c->golden, "golden/Hero-2.x/a");
    ck_assert(c->named);
    ck_assert(!only_case("[a]\nmodel=m\n")->named);
    refused("[defaults]\nname = a/b\n[a]\nmodel=m\n", 2, "write name = a_b");
    refused("[defaults]\nname = .a\n[a]\nmodel=m\n", 2, "write name = _a");
    refused("[defaults]\nname =\n[a]\nmodel=m\n", 2, "'name' has an empty value");
    refused("[defaults]\nmodel=m\n[a]\nname = b\n", 4, "move it to [defaults]");
    refused("[defaults]\nname = \xC0\xAF\n[a]\nmodel=m\n", 2, "invalid UTF-8");
    refused("[defaults]\nname = \xFF\n[a]\nmodel=m\n", 2, "invalid UTF-8");
    char text[300];
    memset(text, 'n', sizeof text);
    memcpy(text, "[defaults]\nname = ", 18);
    snprintf(text + 18 + 255, sizeof text - 18 - 255, "\n[a]\nmodel=m\n");
    refused(text, 2, "at most 198 are allowed");
}
END_TEST

START_TEST(goldens_are_never_among_results)
{
    test_write_text("results.suite.ini", "[a]\nmodel=m\ngolden=.\n");
    ck_assert_int_eq(load("results.suite.ini"), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "a run writes to"));
}
END_TEST

START_TEST(options_that_conflict)
{
    refused("[b]\nmodel=m\n[a]\nmodel=m\nframes=1\ntimes=1\n", 3,
            "case a: --frames and --times cannot be combined");
    refused("[a]\nmodel=m\nsync=yes\n", 1, "--sync has no effect without --blend");
    refused("[a]\nmodel=m\npose=rest\nclip=A\n", 1, "--pose and --clip");
    refused("[a]\nmodel=m\nmax-flip=0.1\ncompare=pixel\n", 1, "without --compare perceptual");
    refused("[a]\nmodel=m\nkey-frames=1\n", 3, "'key-frames' has no effect without");
    refused("[a]\nmodel=m\nmax-degrees=1\n", 3, "without `check = pose`");
    refused("[a]\nmodel=m\nmax-distance=1\n", 3, "without `check = pose`");
    names_of("[a]\nmodel=m\nmax-distance=1\ncheck=bounds\n");
    refused("[a]\nmodel=m\nstore=hash\ncompare=pixel\n", 3, "can't be combined with `compare`");
    refused("[a]\nmodel=m\nstore=hash\nmask=node:x\n", 3, "can't be combined with `mask`");
    refused("[a]\nsize=8\n", 1, "section [a] has no model");
}
END_TEST

START_TEST(equal_names)
{
    refused("[h.Walk]\nmodel=m\n[h]\nmodel=m\nclip=Walk,Run\n", 3,
            "a second case is called h.Walk (the other is in line 1)");
    refused("[h]\nmodel=m\nclip=A,A\n", 1, "a second case is called h.A");
    refused("[h]\nmodel=m\nclip=a b,a_b\n", 1, "a second case is called h.a_b");
    refused("[Hero]\nmodel=m\n[b]\nmodel=m\n[hero]\nmodel=m\n", 5,
            "differ only in capital letters");
}
END_TEST

START_TEST(repeated_sections_and_keys)
{
    refused("[a]\nmodel=m\n[b]\nmodel=m\n[a]\n", 5, "section [a] already exists, in line 1");
    refused("[defaults]\n[a]\nmodel=m\n[defaults]\n", 4, "already exists, in line 1");
    refused("[a]\nmodel=m\nclip=A\nclip=B\n", 4, "'clip' is already set in line 3");
    refused("[a]\nmodel=m\nmax-delta=1\nmax_delta=2\n", 4, "is already set in line 3");
    refused("[a]\nmodel=m\ntime=1\ntimes=2\n", 4, "'times' is already set in line 3");
}
END_TEST

START_TEST(what_inih_would_forgive)
{
    char text[1000];
    snprintf(text, sizeof text, "[a]\nmodel=m\n; %0198d\n", 0);
    refused(text, 3, "the line has 200 bytes, but at most 198 are allowed");
    snprintf(text, sizeof text, "[a]\nmodel=m\n; %0196d\r\nsize=8\n; %0196d", 0, 0);
    names_of(text);
    ck_assert_uint_eq(list.items[0].settings.picture.width, 8);
    snprintf(text, sizeof text, "[a]\nmodel=m\n; %0197d", 0);
    refused(text, 3, "the line has 199 bytes");
    snprintf(text, sizeof text, "[%049d]\nmodel=m\n", 0);
    refused(text, 1, "the section name has 49 bytes, but at most 48 are allowed");
    snprintf(text, sizeof text, "[%048d]\nmodel=m\n", 0);
    names_of(text);
    ck_assert_uint_eq(strlen(list.items[0].name), 48);
    refused("[a]\nmodel=m\nclip = A,\n  B\n", 4, "begins with a space");
    refused("[a]\nmodel=m\n [b]\n", 3, "begins with a space");
    refused("[a]\n model=m\n", 2, "begins with a space");
    refused("model=m\n[a]\n", 1, "a key comes before the first section");
    refused("[a]\nmodel\n", 2, "expected `key = value`");
    refused("[a]\nmodel ; = m\n", 2, "expected `key = value`");
    refused("[a]\n= m\n", 2, "expected `key = value`");
    refused("[a\nmodel=m\n", 1, "no closing ']'");
    refused("[a] model=m\n", 1, "there is text after ']'");
    names_of("[a] ; fine\nmodel=m\n");
    refused("[]\nmodel=m\n", 1, "has no name");
    refused("[ ]\nmodel=m\n", 1, "has no name");
    refused("[my case]\nmodel=m\n", 1, "write [my_case]");
    refused("[ a ]\nmodel=m\n", 1, "write [a]");
    refused("[a ]\nmodel=m\n", 1, "write [a]");
    refused("[../a]\nmodel=m\n", 1, "is also a folder name");
    refused("[.a]\nmodel=m\n", 1, "is also a folder name");
    refused("[a/b]\nmodel=m\n", 1, "write [a_b]");
}
END_TEST

START_TEST(text_that_is_none)
{
    refused("[a]\nmodel=m\nskip=a\x1b[31m\n", 3, "control character");
    refused("[a]\nmodel=m\nskip=a\x7f\n", 3, "control character");
    refused("[a]\nmodel=m\nskip=\xc2\x9b\n", 3, "control character");
    refused("[a]\nmodel=m\n; \xff\n", 3, "invalid UTF-8");
    refused("[a]\nmodel=m\rsize=8\n", 2, "control character");
    names_of("[a]\nmodel\t=\tm\t\n\t\n");
    ck_assert_str_eq(list.items[0].model, "m");
    test_write("t.suite.ini", "[a]\nmodel=m\nclip=\0A\n", 20);
    ck_assert_int_eq(load("t.suite.ini"), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "t.suite.ini:3: the line contains a zero byte"));
    test_write("t.suite.ini", "\xff\xfe[\0a\0]\0", 8);
    ck_assert_int_eq(load("t.suite.ini"), MRW_ERROR_USAGE);
    char *big = malloc((1u << 20) + 1);
    ck_assert_ptr_nonnull(big);
    memset(big, '\n', (1u << 20) + 1);
    test_write("t.suite.ini", big, (1u << 20) + 1);
    ck_assert_int_eq(load("t.suite.ini"), MRW_ERROR_INPUT);
    test_write("t.suite.ini", big, 1u << 20);
    ck_assert_int_eq(load("t.suite.ini"), MRW_OK);
    ck_assert_uint_eq(list.count, 0);
    free(big);
}
END_TEST

START_TEST(many_sections_and_keys)
{
    char *text = malloc(1000000), *p = text;
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i <= 10000; i++) {
        p += sprintf(p, "[s%d]\n", i);
    }
    refused(text, 10001, "more than 10000 sections");
    p = text + sprintf(text, "[a]\n");
    for (int i = 0; i <= 500; i++) {
        p += sprintf(p, "k%d=1\n", i);
    }
    refused(text, 502, "more than 500 keys");
    free(text);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

static const char healthy[] = "; a suite\n[defaults]\nmodel = demo:figure\nsize = 64x48, 32\n"
                              "check = pixels, pose\nmax-degrees = 0.5\ntags = a, b\n\n[walk]\n"
                              "clip = Walk + Run, Id?e\nframes = 0-10x5,-1 | 3\nmask = "
                              "rect:1,2,3,4 + image:x.png | node:head\ncompare = pixel\n"
                              "max_delta = 3\n[still]\nstore = hash\nkey-frames = 0,5\nskip = no\n"
                              "translate = 0,1,2|3,4,5\nadd = a.glb@hand + demo:blob\n";

/* Whatever stands in a suite ends in a status, and a failure in a message with the line. */
START_TEST(damaged_suites)
{
    static const char bits[][12] = {"=",   "[",           "]",    "\n",   " ;",     "|",
                                    " + ", ",",           "\xff", "\0",   "[a]\n",  "-",
                                    "/",   "99999999999", "\t",   "]\n[", "model=", ":"};
    uint64_t state = 1;
    uint32_t loaded = 0;
    for (int round = 0; round < TEST_ROUNDS(2000); round++) {
        char text[1200];
        size_t size = sizeof healthy - 1;
        memcpy(text, healthy, size);
        const uint32_t edits = 1 + test_random(&state) % 4;
        for (uint32_t i = 0; i < edits; i++) {
            const size_t at = test_random(&state) % size;
            const char *bit = bits[test_random(&state) % (sizeof bits / sizeof *bits)];
            const size_t length = bit[0] == '\0' ? 1 : strlen(bit);
            switch (test_random(&state) % 4) {
            case 0: /* a bit put in */
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, bit, length);
                size += length;
                break;
            case 1: /* some bytes lost */
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
                break;
            case 2: /* a byte changed */
                text[at] = (char)test_random(&state);
                break;
            default: /* a piece copied to another place */
                memmove(text + at, text + test_random(&state) % (at + 1),
                        size - at < 40 ? size - at : 40);
            }
        }
        test_write("t.suite.ini", text, size);
        mrw_status status = load("t.suite.ini");
        ck_assert(status == MRW_OK || status == MRW_ERROR_USAGE);
        ck_assert(status == MRW_OK || strncmp(error.text, "t.suite.ini:", 12) == 0);
        loaded += status == MRW_OK;
    }
    ck_assert_uint_gt(loaded, TEST_ROUNDS(100)); /* not all of it was refused at once */
}
END_TEST

/* Running out of memory anywhere is a status, and nothing is lost. */
START_TEST(out_of_memory)
{
    test_write_text("t.suite.ini", healthy);
    mrw_status status = MRW_ERROR_MEMORY;
    for (uint64_t n = 1; status != MRW_OK; n++) {
        mrwi_base_alloc_fail_at(n);
        status = load("t.suite.ini");
        ck_assert_msg(status == MRW_ERROR_MEMORY || mrwi_base_alloc_fail_pending(), "%s",
                      error.text);
    }
    mrwi_base_alloc_fail_at(0);
    ck_assert_uint_eq(list.count, 20); /* 2 * 2 * 2 * 2 + 2 * 2 */
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("suite");
    TCase *tc = tcase_create("suite");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, test_folder_enter, leave);
    tcase_add_test(tc, a_case);
    tcase_add_test(tc, what_holds_without_keys);
    tcase_add_test(tc, what_help_says_holds_without_keys);
    tcase_add_test(tc, hide_and_show);
    tcase_add_test(tc, a_name);
    tcase_add_test(tc, hashes_and_key_frames);
    tcase_add_test(tc, goldens_elsewhere);
    tcase_add_test(tc, paths_lead_from_the_suite);
    tcase_add_test(tc, lists_make_cases);
    tcase_add_test(tc, several_at_once);
    tcase_add_test(tc, lights_make_cases);
    tcase_add_test(tc, limits_of_lists);
    tcase_add_test(tc, long_names);
    tcase_add_test(tc, own_keys_replace_defaults);
    tcase_add_test(tc, own_keys_put_defaults_out_of_force);
    tcase_add_test(tc, unknown_keys);
    tcase_add_test(tc, options_that_are_no_keys);
    tcase_add_test(tc, bad_values);
    tcase_add_test(tc, goldens_are_never_among_results);
    tcase_add_test(tc, options_that_conflict);
    tcase_add_test(tc, equal_names);
    tcase_add_test(tc, repeated_sections_and_keys);
    tcase_add_test(tc, what_inih_would_forgive);
    tcase_add_test(tc, text_that_is_none);
    tcase_add_test(tc, many_sections_and_keys);
    tcase_add_test(tc, damaged_suites);
    tcase_add_test(tc, out_of_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
