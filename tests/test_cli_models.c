/* test_cli_models.c: the command's ways to get a model: formats, standard input, compiled scenes,
 * limits. Runs the program $MARROW (build/marrow when unset) in a folder of its own. */
#include "cli_fixture.h"

/* $A is the folder of assets. */
static void enter_models(void)
{
    enter();
    setenv("A", assets, 1);
}

/* A failure that is told with warnings, or after something was printed. */
static void assert_ended(int expected, const char *part)
{
    assert_status(expected);
    assert_said(part);
}

START_TEST(compiled_scenes_draw_the_same)
{
    static const char *const models[] = {"demo:figure", "demo:tentacle", "demo:blob", "demo:stage",
                                         "\"$A/figure.m3d\""};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        shell("marrow compile -q %s -o m.marrow", models[i]);
        assert_status(0);
        shell("marrow render -q %s --count 3 --size 90 -o a_{frame}.png && "
              "marrow render -q m.marrow --count 3 --size 90 -o b_{frame}.png && "
              "cmp a_0.png b_0.png && cmp a_1.png b_1.png && cmp a_2.png b_2.png",
              models[i]);
        assert_status(0);
        shell("marrow info m.marrow --json");
        assert_status(0);
        ck_assert_ptr_nonnull(strstr(out, "\"marrow\""));
    }
}
END_TEST

/* What may be the cause of a picture of nothing, and what helps. */
START_TEST(blank_pictures_warn)
{
    shell("marrow render demo:blob --size 40 --eye 0,0,100 --target 0,0,200 -o a.png");
    assert_ended(0, "1 picture shows nothing but the background: all of it is beside, behind or");
    shell("marrow render demo:blob --size 40 --scale 0.00001 --eye 0,0,100 --target 0,0,0 "
          "--count 2 -o a_{frame}.png");
    assert_ended(0, "pictures show nothing but the background: what is in view is smaller");
    shell("marrow render demo:blob --size 40 --eye 0,0,100 --target 0,0,200 --strict -o b.png");
    ck_assert_int_ne(status, 0);
    shell("marrow render demo:blob --size 40 -o a.png");
    assert_ended(0, "");
    ck_assert_ptr_null(strstr(err, "background"));
    write_plain_triangle();
    shell("marrow render tri.gltf --size 40 --azimuth 180 --elevation 0 -o a.png");
    assert_ended(0, "only the backs of its triangles are seen; --sides both draws them");
    shell("marrow render tri.gltf --size 40 --azimuth 180 --elevation 0 --sides both -o a.png");
    assert_ended(0, "");
    ck_assert_ptr_null(strstr(err, "background"));
    shell("marrow render tri.gltf --size 40 --azimuth 180 --elevation 0 --flip-winding -o a.png");
    ck_assert_ptr_null(strstr(err, "background"));
}
END_TEST

/* One of the lanterns is a box that is turned inside out. */
START_TEST(models_that_show_their_inside_warn)
{
    shell("marrow render \"$A/lanterns.glb\" --size 40 --time 0 -o a.png");
    assert_ended(0, "mesh \"Inside\" is closed and its triangles face inwards");
    shell("marrow render \"$A/lanterns.glb\" --size 40 --time 0 --sides both -o a.png");
    assert_status(0);
    ck_assert_ptr_null(strstr(err, "inwards"));
    shell("marrow render demo:figure --flip-winding --size 40 -o a.png");
    assert_ended(0, "face inwards");
    shell("marrow render demo:stage --size 40 -o a.png");
    assert_status(0);
    ck_assert_ptr_null(strstr(err, "inwards"));
}
END_TEST

START_TEST(compiled_scenes_have_names)
{
    shell("marrow compile demo:stage");
    assert_status(0);
    ck_assert_int_eq(access("stage.marrow", F_OK), 0);
    shell("marrow compile demo:stage");
    assert_refused(4, "stage.marrow: the file exists; --force overwrites it");
    shell("marrow compile demo:stage --force && marrow compile stage.marrow -o again.marrow && "
          "cmp stage.marrow again.marrow");
    assert_status(0);
    shell("marrow compile demo:stage -o -  | cmp - stage.marrow");
    assert_status(0);
    shell("marrow compile demo:stage -o stage.glb");
    assert_refused(2, "must end in .marrow");
    shell("marrow compile nothing.glb -o nothing.marrow");
    assert_refused(3, "there is no such file");
    ck_assert_int_ne(access("nothing.marrow", F_OK), 0);
    shell("head -c 5000 stage.marrow >cut.marrow; marrow render cut.marrow -o cut.png");
    assert_refused(3, "cut.marrow: the compiled scene is damaged");
    ck_assert_int_ne(access("cut.png", F_OK), 0);
}
END_TEST

START_TEST(models_come_from_standard_input)
{
    shell("marrow render -q demo:figure --size 90 -o a.png && "
          "cat \"$A/figure.glb\" | marrow render -q - --size 90 -o b.png && cmp a.png b.png");
    assert_status(0);
    /* twice the same one: the copies cover each other */
    shell("cat \"$A/figure.glb\" | marrow render -q - --add - --size 90 -o c.png && "
          "cmp a.png c.png");
    assert_status(0);
    shell("cat \"$A/figure.m3d\" | marrow info - --texture-dir \"$A\"");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "m3d"));
    shell("cat \"$A/stage.glb\" | marrow render - --size 20");
    assert_status(0);
    ck_assert_int_eq(access("stdin.png", F_OK), 0);
    shell("echo o cube | marrow info -");
    assert_refused(3, "standard input: unknown format; marrow reads glTF 2.0");
    shell("echo o cube | marrow info - --input-format gltf");
    assert_refused(3, "standard input: this is not glTF");
    shell("cat \"$A/stage.glb\" | marrow info - -");
    assert_ended(2, "only one model can be read from standard input");
    shell("marrow info -");
    assert_refused(3, "standard input: the file is empty");
    shell("cat \"$A/stage.glb\" | marrow info - --max-file-size 1000");
    assert_refused(3, "--max-file-size");
}
END_TEST

START_TEST(formats_are_checked_first)
{
    shell("marrow info no.glb --allow-format qqq");
    assert_refused(2, "--allow-format qqq: unknown format; expected one of md5, x, ogre, mdl, all");
    shell("marrow info no.glb --input-format qqq");
    assert_refused(2, "--input-format qqq: unknown format; expected one of");
    shell("printf 'IDP2' >a.md2; marrow info a.md2 --allow-format all");
    assert_refused(3, "a.md2: this is MD2");
    shell("printf 'INTERQUAKEMODEL' >a.iqm; marrow info a.iqm");
    assert_refused(3, "a.iqm: the file ends within its header");
    shell("printf 'xof 0303txt 0032' >a.x; marrow info a.x");
    assert_refused(3, "--allow-format x");
}
END_TEST

START_TEST(limits_are_named)
{
    shell("marrow info demo:figure --max-vertices 1k");
    assert_refused(3, "--max-vertices");
    shell("marrow info demo:figure --max-joints 3");
    assert_refused(3, "--max-joints");
    shell("marrow info demo:figure --max-keys 3");
    assert_refused(3, "--max-keys");
    shell("marrow info \"$A/figure.glb\" --max-file-size 1k");
    assert_refused(3, "--max-file-size");
    shell("marrow info demo:figure --max-texture-size 4x4 --strict");
    assert_ended(5, "larger than allowed");
    shell("marrow info demo:figure --texture-memory 1M --strict");
    assert_ended(5, "--texture-memory");
    shell("marrow render demo:figure --texture-memory 4x4");
    assert_refused(2, "--texture-memory");
}
END_TEST

/* The figure's picture takes 15411952 bytes: 1024 * 1024 * 4, and 8 * (1025 * 1025 + 513 * 513 +
 * 257 * 257 + ... + 2 * 2). What is left counts for all models of a command, each once. */
START_TEST(texture_memory_is_of_all_models)
{
    static const char second[] = "image 0 \"figure\": 1024x1024 texels take 15411952 bytes for "
                                 "drawing, mip levels included, but only 15411951 are left";
    shell("marrow render demo:figure --add demo:figure --texture-memory 15411952 -o a.png --strict "
          "--size 64");
    assert_status(0);
    shell("marrow compile demo:figure -o f.marrow -q");
    shell("marrow render demo:figure --add f.marrow --texture-memory 30823904 -o a.png --strict "
          "--size 64");
    assert_status(0);
    shell("marrow render demo:figure --add f.marrow --texture-memory 30823903 -o b.png --strict "
          "--size 64");
    assert_ended(5, second);
    shell("marrow render demo:figure --add f.marrow --texture-memory 30823903 -o c.png -j 4 "
          "--size 64 && cmp b.png c.png");
    assert_status(0);
    /* the same in a suite, where models are shared by cases */
    shell("printf '[defaults]\\nmodel = demo:figure\\nsize = 64\\nadd = f.marrow\\n[all]\\n"
          "[less]\\ntexture-memory = 30823903\\n' >t.suite.ini; marrow test --update --strict; "
          "ls golden/t/less/*.png");
    ck_assert_msg(strstr(err, second), "%s", err);
    shell("cmp golden/t/less/*.png b.png && cmp golden/t/all/*.png a.png");
    assert_status(0);
    /* and in a compiled scene */
    shell("marrow render demo:figure --texture-memory 1M -o d.png -q; marrow render f.marrow "
          "--texture-memory 1M -o e.png; cmp d.png e.png");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(err, "image 0 \"figure\": 1024x1024 texels take 15411952 bytes"));
}
END_TEST

/* 500 glasses, one behind the other, 200 or more pixels wide: of the 524,288 fragments that a band
 * of 8 rows may have they take 800,000. */
static void write_glasses(const char *path, int count)
{
    const float corners[] = {-1, -1, 0, 3, -1, 0, -1, 3, 0};
    char text[256];
    FILE *file = fopen(path, "w");
    base64((const unsigned char *)corners, sizeof corners, text);
    fprintf(file, "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[");
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%d", i ? "," : "", i);
    }
    fprintf(file, "]}],'nodes':[");
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s{'mesh':0,'translation':[0,0,%g]}", i ? "," : "", i * 0.0001);
    }
    fprintf(file,
            "],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':0}]}],"
            "'materials':[{'alphaMode':'BLEND','doubleSided':true,'pbrMetallicRoughness':{"
            "'baseColorFactor':[1,0,0,0.1]}}],'buffers':[{'byteLength':36,"
            "'uri':'data:application/octet-stream;base64,%s'}],'bufferViews':[{'buffer':0,"
            "'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
            "'type':'VEC3','min':[-1,-1,0],'max':[3,3,0]}]}",
            text);
    fclose(file);
    shell("sed -i \"s/'/\\\"/g\" %s", path);
    assert_status(0);
}

START_TEST(too_many_transparent_fragments_are_told)
{
    static const char draw[] = "marrow render glass.gltf --eye 0,0,1 --target 0,0,0 --size 256 "
                               "--aa 1 --time 0 -o glass.png";
    write_glasses("glass.gltf", 100);
    shell("%s --strict", draw);
    assert_status(0);
    write_glasses("glass.gltf", 500);
    shell("%s", draw);
    assert_status(0);
    assert_said("glass.gltf: 1 picture has more than 524288 transparent fragments");
    shell("%s --strict", draw);
    assert_status(5);
    test_write_text(
        "t.suite.ini",
        "[a]\nmodel = glass.gltf\neye = 0,0,1\ntarget = 0,0,0\nsize = 256x256\naa = 1\n");
    shell("marrow test --update --allow-blank -q; marrow test");
    assert_status(0);
    assert_said("glass.gltf: 1 picture has more than 524288 transparent fragments");
}
END_TEST

/* Every command that draws tells of lights without shadows: which they are, once for all pictures.
 */
START_TEST(lights_without_shadows_are_told)
{
    char given[2048] = "";
    for (int i = 0; i < 18; i++) {
        const size_t at = strlen(given);
        snprintf(given + at, sizeof given - at, " --light directional:dir=%d,-9,1", i - 9);
    }
    shell("marrow render demo:blob --count 2 --size 32 --shadows %s -o {frame}.png", given);
    assert_status(0);
    assert_said("of 18 lights that could cast shadows, the last 2 cast none");
    ck_assert_ptr_null(strstr(strstr(err, "cast none") + 1, "cast none"));
    write_glasses("one.gltf", 1);
    write_glasses("two.gltf", 2);
    shell("marrow diff one.gltf two.gltf --size 32 --shadows %s -o d/", given);
    assert_said("the last 2 cast none");
    *strstr(given, " --light directional:dir=7,") = '\0';
    shell("marrow render demo:blob --size 32 --shadows %s -o a.png", given);
    assert_status(0);
    ck_assert_ptr_null(strstr(err, "cast none"));
}
END_TEST

/* ---- placed models --------------------------------------------------------------------------- */

#define PLACED "--size 96x64 --eye 6,3,9 --target 0.5,0.8,1 --fov 40 -q"

/* A placed model beside one that is left out is drawn as if it were alone, with the options of
 * the same names. */
START_TEST(placed_models)
{
    static const char *const pairs[][2] = {
        {"pos=1,0,2,rot=0,90,20,scale=1.5,clip=Bounce,time=0.4",
         "--translate 1,0,2 --rotate 0,90,20 --scale 1.5 --clip Bounce --time 0.4"},
        {"speed=2,clip=Bounce", "--clip Bounce --time 0.6"},
        {"clip=Emote", "--clip Emote --time 0.3"},
        {"scale=0.5, pos=-1, 0.5, 0", "--scale 0.5 --translate -1,0.5,0 --clip Emote --time 0.3"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        shell("marrow render demo:figure --hide '*' --time 0.3 --add 'demo:blob:%s' " PLACED
              " -o a.png && marrow render demo:blob %s " PLACED " -o b.png && cmp a.png b.png",
              pairs[i][0], pairs[i][1]);
        assert_status(0);
    }
    /* Beside a node, and in a suite, where '|' separates cases. */
    shell("marrow render demo:figure --add demo:blob@hips:pos=0,1,0,scale=0.2 " PLACED
          " -o c.png && marrow render demo:figure " PLACED " -o d.png && ! cmp -s c.png d.png");
    assert_status(0);
    test_write_text("s.suite.ini",
                    "[a]\nmodel = demo:figure\nsize = 32\nadd = demo:blob:pos=1,0,0 + "
                    "demo:blob@hips:scale=0.2 | demo:tentacle:time=0.5\n");
    shell("marrow test --list && marrow test --update -q");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "s/a.demo_blob_pos_1_0_0_demo_blob_hips_scale_0.2\n"));
}
END_TEST

START_TEST(placements_that_are_refused)
{
    static const char *const cases[][2] = {
        {"demo:blob:pos=", "pos takes three numbers from -1e30 to 1e30, as in 0,1.5,2"},
        {"demo:blob:pos=1,2", "pos takes three numbers"},
        {"demo:blob:pos=1,2,nan", "pos takes three numbers"},
        {"demo:blob:scale=0", "scale takes a number from 1e-6 to"},
        {"demo:blob:size=3", "unknown key 'size'; there are pos, rot, scale, clip, time, speed"},
        {"demo:blob:pos=1,2,3,pos=1,2,3", "pos is given twice"},
        {"demo:blob:time=1,speed=2", "does not play; leave out time or speed"},
        {"demo:blob:clip=", "clip takes the name of a clip"},
        {":pos=1,2,3", "the model is missing"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("marrow render demo:figure --add '%s' -o a.png", cases[i][0]);
        assert_refused(2, cases[i][1]);
    }
    shell("marrow render demo:figure --add demo:blob:clip=Bouce -o a.png");
    assert_refused(3, "demo:blob: there is no clip \"Bouce\"; did you mean Bounce");
    /* Colons of names stay theirs. */
    shell("cp %s/blob.glb 'a:b.glb'; cp %s/blob.glb 'c:pos.glb'; marrow render demo:figure --add "
          "a:b.glb --add 'c:pos.glb:scale=2' --size 16 -o a.png",
          assets, assets);
    assert_status(0);
    shell("marrow render demo:figure --copies 10000 -o a.png");
    assert_refused(2, "--copies");
    shell("marrow render demo:figure --spread 2 -o a.png");
    assert_refused(2, "--spread has no effect without --copies");
}
END_TEST

/* The second copy stands `spread` longer sides of the rest box to the right, and is ahead of the
 * first: the same as the model added there. */
START_TEST(copies_stand_apart)
{
    double box[6];
    shell("marrow info demo:figure --json");
    const char *at = strstr(out, "\"bounds_rest\": ");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at,
                            "\"bounds_rest\": {\"min\": [%lf, %lf, %lf], \"max\": [%lf, %lf, %lf]",
                            &box[0], &box[1], &box[2], &box[3], &box[4], &box[5]),
                     6);
    const float width = (float)box[3] - (float)box[0], depth = (float)box[5] - (float)box[2];
    const float step = 2.0f * (width > depth ? width : depth);
    shell("marrow render demo:figure --clip Walk --time 0.2 --copies 2 --spread 2 --stagger "
          "0.25 " PLACED " -o a.png && marrow render demo:figure --clip Walk --time 0.2 --add "
          "demo:figure:pos=%.9g,0,0,clip=Walk,time=0.45 " PLACED " -o b.png && cmp a.png b.png",
          (double)step);
    assert_status(0);
}
END_TEST

/* ---- equal names ----------------------------------------------------------------------------- */

/* {path} and {n} tell models of one name apart, and each suggested line works. */
START_TEST(models_of_one_name)
{
    static const char *const lines[] = {
        "",           "--time 0.2 --views front,top", "--frames 0,3",
        "--clip all", "-o 'o/{model}_{clip}.png'",    "-o o/"};
    shell("mkdir u1 u2 o; cp %s/figure.glb u1/scene.glb; cp %s/tentacle.glb u2/scene.glb", assets,
          assets);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("marrow render u1/scene.glb u2/scene.glb --size 8 %s", lines[i]);
        assert_status(2);
        assert_said("two models are called 'scene' and would be written to the same files; use ");
        char use[200];
        const char *at = strstr(err, "use -o '");
        ck_assert_ptr_nonnull(at);
        snprintf(use, sizeof use, "%s", at + 4);
        use[strcspn(use, "\n")] = '\0';
        const char *more = strstr(lines[i], "-o") ? "" : lines[i];
        shell(
            "rm -f u1/*.png u2/*.png; marrow render u1/scene.glb u2/scene.glb --size 8 %s %s -q && "
            "find . -name '*.png' | grep -c u1 && find . -name '*.png' | grep -c u2",
            more, use);
        assert_status(0);
    }
    shell("marrow render u1/scene.glb u2/scene.glb -o x.png");
    assert_refused(2, "use -o 'x_{path}.png'");
    shell("marrow sheet u1/scene.glb u2/scene.glb");
    assert_refused(2, "use -o '{path}-sheet.png'");
    shell(
        "marrow sheet u1/scene.glb u2/scene.glb -o '{path}-sheet.png' -q && ls u1/*.png u2/*.png");
    assert_status(0);
    ck_assert_str_eq(out, "u1/scene-sheet.png\nu2/scene-sheet.png\n");
    shell(
        "marrow render u1/scene.glb u2/scene.glb --atlas '{model}.json' -o '{path}.png' --size 8");
    assert_refused(2, "use --atlas '{path}.json'");
    shell(
        "marrow render u1/scene.glb u2/scene.glb --atlas '{path}.json' -o '{path}.png' --size 8 -q "
        "--count 2 && ls u1/*.json u2/*.json");
    assert_status(0);
    shell("rm -rf n; marrow render u1/scene.glb u2/scene.glb --size 8 --count 2 -o 'n/{n}.png' -q; "
          "ls n; rm -r n; for k in 1 2 3; do marrow render u1/scene.glb u2/scene.glb --size 8 "
          "--count 2 --shard $k/3 -o 'n/{n}.png' -q; done; ls n");
    ck_assert_str_eq(out, "0.png\n1.png\n2.png\n3.png\n0.png\n1.png\n2.png\n3.png\n");
    shell("cp u1/scene.glb u1/scene.gltf; marrow render "
          "u1/scene.glb u1/scene.gltf -o '{path}.png'");
    assert_refused(2, "two models have the path 'u1/scene'");
}
END_TEST

/* ---- shards ---------------------------------------------------------------------------------- */

/* Shards count over all models, and a shard does not read a model of which it has nothing. */
START_TEST(shards_of_stills)
{
    static const char *const names[] = {"figure", "blob", "tentacle"};
    for (int i = 0; i < 3; i++) {
        char file[40];
        shell(
            "rm -f *.png; marrow render demo:figure demo:blob demo:tentacle --shard %d/3 --size 8 "
            "-o '{model}.png' -q && ls *.png",
            i + 1);
        assert_status(0);
        snprintf(file, sizeof file, "%s.png\n", names[i]);
        ck_assert_str_eq(out, file);
    }
    shell("rm -f *.png; marrow render demo:figure gone.glb demo:blob --shard 1/3 --size 8 "
          "-o '{model}.png' && marrow render demo:figure gone.glb demo:blob --shard 3/3 --size 8 "
          "-o '{model}.png' -q && ls *.png");
    assert_status(0);
    ck_assert_str_eq(out, "blob.png\nfigure.png\n");
    shell("marrow render demo:figure gone.glb demo:blob --shard 2/3 --size 8 -o '{model}.png'");
    assert_status(3);
    shell("marrow render demo:figure --shard 5/9 -o a.png"); /* more shards than pictures */
    assert_status(0);
    ck_assert(!exists("a.png"));
    shell("marrow render demo:figure --shard 3/2 -o a.png");
    assert_status(2);
}
END_TEST

/* Together they draw each picture once, whether the number of times is known or clips say it. */
START_TEST(shards_of_sequences)
{
    static const char *const times[] = {"--count 4", "--times 0,0.2,0.5", "--turntable 5",
                                        "--clip all --fps 3", "--frames 0-6x2"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        shell("rm -rf all parts; O=\"%s --size 8 -q\"; marrow render demo:figure demo:blob "
              "demo:stage $O -o 'all/{model}_{clip}_{n}.png' && for k in 1 2 3 4; do marrow render "
              "demo:figure demo:blob demo:stage $O --shard $k/4 -o "
              "\"parts/$k/{model}_{clip}_{n}.png\""
              " || exit; ls parts/$k | wc -l; done; cat all/* | wc -c; cat parts/*/* | wc -c",
              times[i]);
        assert_status(0);
        int count[4];
        long whole, sum;
        ck_assert_int_eq(sscanf(out, "%d %d %d %d %ld %ld", count, count + 1, count + 2, count + 3,
                                &whole, &sum),
                         6);
        ck_assert_int_eq(whole, sum);
        for (int k = 1; k < 4; k++) { /* to one */
            ck_assert(count[k] == count[0] || count[k] == count[0] - 1);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli models");
    TCase *tc = tcase_create("cli models");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter_models, test_folder_remove);
    tcase_add_test(tc, compiled_scenes_draw_the_same);
    tcase_add_test(tc, blank_pictures_warn);
    tcase_add_test(tc, models_that_show_their_inside_warn);
    tcase_add_test(tc, compiled_scenes_have_names);
    tcase_add_test(tc, models_come_from_standard_input);
    tcase_add_test(tc, formats_are_checked_first);
    tcase_add_test(tc, limits_are_named);
    tcase_add_test(tc, texture_memory_is_of_all_models);
    tcase_add_test(tc, too_many_transparent_fragments_are_told);
    tcase_add_test(tc, lights_without_shadows_are_told);
    tcase_add_test(tc, placed_models);
    tcase_add_test(tc, placements_that_are_refused);
    tcase_add_test(tc, copies_stand_apart);
    tcase_add_test(tc, models_of_one_name);
    tcase_add_test(tc, shards_of_stills);
    tcase_add_test(tc, shards_of_sequences);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
