/* test_cli.c: the command as a user runs it: names, statuses, messages, and what it leaves behind.
 *
 * Each test runs the program $MARROW (build/marrow when unset) through the shell in a folder of its
 * own. Models are the built-in ones and a triangle written here, whose answers are known by hand.
 */
#include "cli_fixture.h"

/* ---- bad input ------------------------------------------------------------------------------- */

START_TEST(bad_files)
{
    shell("marrow render none.glb -o a.png");
    assert_refused(3, "none.glb");
    shell("mkdir d; marrow render d -o a.png");
    assert_refused(3, "d: ");
    shell("touch empty.glb; marrow info empty.glb");
    assert_refused(3, "empty.glb");
    shell("echo 'hello world, this is text' >text.glb; marrow bake text.glb --json");
    assert_refused(3, "text.glb");
    shell("head -c 5000 '%s/blob.glb' >cut.glb; marrow render cut.glb -o a.png", assets);
    assert_refused(3, "cut.glb");
    write_triangle("past.gltf", "Go", "Back", 30, "");
    shell("marrow render past.gltf -o a.png");
    assert_refused(3, "past.gltf");
    assert_said("accessor");
    write_triangle("wide.gltf", "Go", "Back", 3, "");
    shell("sed -i 's/\"mesh\":0/&,\"scale\":[3e38,1,1]/' wide.gltf; marrow render wide.gltf -o "
          "a.png");
    assert_refused(3, "wide.gltf: the model is too large");
    shell("marrow render demo:nothing -o a.png");
    assert_status(3);
    ck_assert(!exists("a.png"));
}
END_TEST

/* As nobody, because root may read everything. */
START_TEST(no_permission)
{
    bool root = geteuid() == 0;
    const char *as = root ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    write_plain_triangle();
    shell("%s '%s' --version", as, program);
    if (status != 0) {
        SKIP("no_permission: cannot run the program as another user");
        return;
    }
    shell("chmod 000 tri.gltf; %s '%s' render tri.gltf -o a.png", as, program);
    assert_refused(3, "tri.gltf");
    shell("chmod 444 tri.gltf; mkdir closed; chmod 555 closed; %s '%s' render tri.gltf "
          "-o closed/a.png",
          as, program);
    assert_refused(4, "closed");
    shell("%s '%s' render tri.gltf -o closed/sub/a.png", as, program);
    assert_refused(4, "closed");
    ck_assert(!exists("closed/a.png"));
}
END_TEST

START_TEST(bad_places)
{
    shell("touch file; marrow render demo:blob -o file/a.png");
    assert_refused(4, "file");
    shell("marrow render demo:blob -o /proc/nowhere/a.png");
    assert_refused(4, "/proc/nowhere");
    shell("mkdir a.png; marrow render demo:blob -o a.png/");
    assert_status(0); /* a folder is fine, whatever its name */
    ck_assert(exists("a.png/blob.png"));
    shell("mkdir -p s/s_0000.png; marrow render demo:blob --frames 0 -o 's/s_{frame:04}.png'");
    assert_refused(4, "folder");
}
END_TEST

START_TEST(full_disk)
{
    shell("mkdir small; unshare -m sh -c 'mount -t tmpfs -o size=64k none small && "
          "{ \"%s\" render demo:figure --size 1024 --count 4 -o \"small/{frame}.png\"; s=$?; "
          "find small -type f -size 0 -o -name \"*.tmp*\" -o -name \".*\" | grep -v \"^small$\"; "
          "exit $s; }'",
          program);
    if (strstr(err, "unshare") || strstr(err, "mount")) {
        SKIP("full_disk: no mount namespace here");
    } else {
        assert_refused(4, "No space left");
    }
    /* The same through a limit on the size of files. */
    shell("mkdir lim; ulimit -f 8; marrow render demo:figure --size 1024 -o lim/a.png");
    assert_refused(4, "lim/a.png");
    ck_assert_int_eq(count_files("lim"), 0);
}
END_TEST

START_TEST(bad_options)
{
    shell("marrow render demo:blob --size 0");
    assert_refused(2, "1 to 16384");
    shell("marrow render demo:blob --size 100000x100000");
    assert_refused(2, "1 to 16384");
    shell("marrow render demo:blob --aa 3");
    assert_refused(2, "1, 2, 4 or 8");
    shell("marrow render demo:blob --sise 3");
    assert_refused(2, "did you mean --size");
    shell("marrow rendr demo:blob");
    assert_refused(2, "did you mean render");
    shell("marrow render demo:blob --near 5 --far 4 -o a.png");
    assert_refused(2, "near");
    shell("marrow render demo:blob --eye 1,2,3 --target 1,2,3 -o a.png");
    assert_refused(2, "eye");
    shell("marrow render demo:blob -o a.tif");
    assert_refused(2, ".png");
    shell("marrow render demo:blob -o noending");
    assert_refused(2, ".png");
    shell("marrow render demo:blob -o '{modle}.png'");
    assert_refused(2, "model");
    shell("marrow render demo:blob -o a.png --light pint:pos=0,1,0");
    assert_refused(2, "did you mean point?");
    shell("marrow render demo:blob -o a.png --light none --light directional:dri=0,-1,0");
    assert_refused(2, "did you mean dir?");
    shell("marrow render demo:figure --shading channel:zinc -o a.png");
    assert_refused(2, "there is no channel \"zinc\"; there are base, alpha,");
    shell("marrow render demo:figure --shading channel:roughnes -o a.png");
    assert_refused(2, "did you mean roughness?");
    shell("marrow render demo:figure --shading weights -o a.png");
    assert_refused(2, "weights:JOINT");
    shell("marrow render demo:figure --shading matcap -o a.png");
    assert_refused(2, "expected matcap:FILE");
    shell("marrow render demo:figure --shading uv:1 -o a.png");
    assert_refused(2, "uv with nothing after it");
    shell("marrow render demo:blob --isa quantum");
    assert_refused(2, "scalar");
    ck_assert(!exists("a.png"));
}
END_TEST

START_TEST(things_the_file_lacks)
{
    shell("marrow render demo:figure --clip Wakl -o a.png");
    assert_refused(3, "Walk");
    shell("marrow render demo:figure --clip Walk --frames 0-999 -o 'a_{frame}.png'");
    assert_refused(3, "outside");
    assert_said("Walk");
    shell("marrow bake demo:figure --clip 99");
    assert_refused(3, "99");
    shell("marrow render demo:figure --camera none -o a.png");
    assert_refused(3, "camera");
    shell("marrow render demo:figure --light point:pos=0,0,0@hedd -o a.png");
    assert_refused(3, "did you mean head?");
    shell("marrow render demo:figure --shading weights:hed -o a.png");
    assert_refused(
        3, "demo:figure: --shading weights:JOINT: there is no joint \"hed\"; did you mean head?");
    shell("marrow render demo:stage --shading weights:lid -o a.png");
    assert_refused(3, "there is no joint \"lid\": the model has none");
    ck_assert_int_eq(count_files("."), 2); /* .out, .err */
}
END_TEST

START_TEST(kernels_this_machine_lacks)
{
    mrw_isa lacking = MRW_ISA_NEON;
    if (mrw_isa_available(lacking)) {
        lacking = MRW_ISA_AVX2;
    }
    shell("marrow render demo:blob --isa %s -o a.png", mrw_isa_name(lacking));
    assert_refused(77, mrw_isa_name(lacking));
    shell("marrow bake demo:blob --isa %s", mrw_isa_name(lacking));
    assert_refused(77, mrw_isa_name(lacking));
    shell("MARROW_ISA=%s marrow render demo:blob -o a.png", mrw_isa_name(lacking));
    assert_refused(77, "MARROW_ISA");
    shell("MARROW_ISA=quantum marrow render demo:blob -o a.png");
    assert_refused(2, "MARROW_ISA");
}
END_TEST

START_TEST(marrow_isa_counts_for_every_command)
{
    static const char *const lines[] = {"render demo:blob -o a.png",
                                        "sheet demo:blob",
                                        "sprites demo:blob",
                                        "batch -",
                                        "info demo:blob",
                                        "bake demo:blob",
                                        "pick demo:blob --at 1,1",
                                        "diff demo:blob demo:blob",
                                        "compile demo:blob -o a.marrow",
                                        "doctor",
                                        "init demo:blob",
                                        "test",
                                        "accept",
                                        "report merge .",
                                        "view demo:blob --play none.txt",
                                        "bench pose --quick"};
    ck_assert_int_eq(sizeof lines / sizeof *lines,
                     MRW_COMMAND_COUNT - 3); /* and version, help, completions */
    const mrw_isa lacking = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_AVX2 : MRW_ISA_NEON;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("MARROW_ISA=%s marrow %s", mrw_isa_name(lacking), lines[i]);
        assert_refused(77, "MARROW_ISA");
        assert_said(mrw_isa_name(lacking));
        shell("MARROW_ISA=bogus marrow %s", lines[i]);
        assert_refused(2, "MARROW_ISA: unknown instruction set");
    }
    ck_assert_int_eq(count_files("."), 2); /* .out, .err */
    shell("MARROW_ISA=bogus marrow --version && MARROW_ISA=bogus marrow help && MARROW_ISA=bogus "
          "marrow render --help");
    assert_status(0);
    shell("MARROW_ISA= marrow info demo:blob && MARROW_ISA=auto marrow info demo:blob");
    assert_status(0);
    shell("MARROW_ISA=bogus marrow render demo:blob --isa scalar -o a.png");
    assert_status(0);
}
END_TEST

/* ---- talk ------------------------------------------------------------------------------------ */

START_TEST(help_and_version)
{
    shell("marrow --version");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, MRW_VERSION));
    ck_assert_ptr_nonnull(strstr(out, "pixel version"));
    shell("marrow help");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "MARROW_ISA"));
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_msg(strlen(line) <= 80, "help is too wide: '%s'", line);
    }
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)i);
        shell("marrow help");
        ck_assert_ptr_nonnull(strstr(out, command->summary));
        shell("marrow %s --help", command->name);
        assert_status(0);
        for (int e = 0; e < 3; e++) {
            ck_assert_ptr_nonnull(strstr(out, command->examples[e]));
        }
        ck_assert_str_eq(err, "");
        for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
            ck_assert_msg(strlen(line) <= 80 && line[strlen(line) - 1] != ' ',
                          "help is untidy: '%s'", line);
        }
    }
    shell("marrow help rendr");
    assert_refused(2, "render");
    shell("marrow");
    assert_refused(2, "help");
}
END_TEST

START_TEST(quiet_and_verbose)
{
    shell("marrow render demo:blob -o a.png -q");
    assert_status(0);
    ck_assert_str_eq(err, "");
    shell("marrow render demo:blob -o a.png -v --isa scalar -j 2");
    assert_status(0);
    assert_said("kernels scalar, 2 threads (as requested)");
    shell("marrow render demo:blob -o a.png -v -j 1");
    assert_said(", 1 thread (as requested)");
    shell("marrow render demo:blob -o a.png -v");
    ck_assert_msg(strstr(err, " thread") && strstr(err, "cgroup quota"), "%s", err);
    assert_said("scene hash");
    shell("marrow render demo:blob -o a.png");
    ck_assert_msg(strchr(err, '\n') == err + strlen(err) - 1, "one line: %s", err);
    ck_assert_ptr_null(strchr(err, '\033'));
    ck_assert_str_eq(out, "");
}
END_TEST

/* What takes longer than a second is told by the picture: never "0 a second". */
START_TEST(the_pace_of_slow_pictures)
{
    shell("marrow render demo:blob --size 2800x1600 --png best -o slow.png");
    assert_status(0);
    const char *time = strstr(err, "slow.png in ");
    ck_assert_msg(time, "%s", err);
    const double seconds = strtod(time + strlen("slow.png in "), NULL);
    ck_assert_msg(strstr(err, seconds > 1.0 ? " s per picture)" : " per second)") ||
                      fabs(seconds - 1.0) < 0.1, /* it is rounded */
                  "%s", err);
    ck_assert_msg(!strstr(err, "(0"), "%s", err);
    shell("marrow render demo:blob --size 16 -o fast.png");
    assert_said(" per second)");
}
END_TEST

/* The tentacle's vertices have up to 8 influences. */
START_TEST(skinning_is_chosen_and_the_cut_reported)
{
    static const char *const ways[] = {"", "--skinning dual-quaternion", "--max-influences 2",
                                       "--max-influences 2 --skinning dual-quaternion"};
    static char seen[4][2000];
    for (int i = 0; i < 4; i++) {
        shell("marrow bake demo:tentacle --json --time 0.6 %s", ways[i]);
        assert_status(0);
        snprintf(seen[i], sizeof seen[i], "%.1999s", out);
        for (int k = 0; k < i; k++) {
            ck_assert_msg(strcmp(seen[i], seen[k]) != 0, "'%s' and '%s' agree", ways[i], ways[k]);
        }
    }
    shell("marrow bake demo:tentacle --json --time 0.6 --skinning linear --max-influences 8");
    ck_assert_msg(strncmp(out, seen[0], sizeof seen[0] - 1) == 0, "the default is no cut");
    shell("marrow bake demo:tentacle --max-influences 8 -v");
    assert_said("cut to 8 influences: 0 of 5449 skinned vertices lost some; the largest weight "
                "dropped was 0.0000, the largest sum 0.0000");
    shell("marrow render demo:tentacle --max-influences 4 -v --size 8 -o a.png");
    assert_status(0);
    assert_said("cut to 4 influences: ");
    ck_assert_ptr_null(strstr(err, " 0 of 5449"));
    shell("marrow render demo:tentacle --max-influences 0 -o b.png");
    assert_refused(2, "--max-influences '0'");
    shell("marrow bake demo:tentacle --skinning dual");
    assert_refused(2, "expected linear or dual-quaternion");
}
END_TEST

START_TEST(standard_output_that_fails)
{
    if (!exists("/dev/full")) {
        return;
    }
    shell("marrow info demo:blob >/dev/full");
    assert_status(4);
    assert_said("standard output");
    shell("marrow render demo:blob -o - >/dev/full");
    assert_status(4);
    shell("marrow help render | head -1");
    assert_status(0);
}
END_TEST

/* Names from files can't drive the terminal, nor leave the folder. */
START_TEST(strangers_names)
{
    write_triangle("tri.gltf", "red\\u001b[31m", "../../up\\nline", 3, "");
    shell("marrow info tri.gltf");
    assert_status(0);
    ck_assert_ptr_null(strchr(out, '\033'));
    shell("marrow render tri.gltf --clip all --size 8 -o 'o/{clip}.png'");
    assert_status(0);
    ck_assert(exists("o/red__31m.png"));
    ck_assert_int_eq(count_files("o"), 2);
    shell("marrow info tri.gltf --json");
    cJSON *json = cJSON_Parse(out);
    ck_assert_ptr_nonnull(json);
    cJSON_Delete(json);
    write_triangle("same.gltf", "a b", "a?b", 3, "");
    shell("marrow render same.gltf --clip all -o 'o/{clip}.png'");
    assert_refused(3, "a?b"); /* only the file can tell */
}
END_TEST

/* Longer than a file's name may be: cut, and refused where nothing is left of what differs. */
START_TEST(long_clip_names)
{
    char first[301], second[301], path[300];
    memset(first, 'a', 300);
    memset(second, 'a', 300);
    first[300] = second[300] = '\0';
    second[199] = 'b';
    write_triangle("tri.gltf", first, second, 3, "");
    shell("marrow render tri.gltf --clip all --count 2 --size 8 -o 'o/{clip}_{frame}.png'");
    assert_status(0);
    ck_assert_int_eq(count_files("o"), 4);
    snprintf(path, sizeof path, "o/%.200s_1.png", second);
    ck_assert(exists(path));
    second[199] = 'a';
    second[200] = 'b';
    write_triangle("tri.gltf", first, second, 3, "");
    shell("marrow render tri.gltf --clip all --count 2 --size 8 -o 'p/{clip}_{frame}.png'");
    assert_refused(3, "would both be written");
    ck_assert(!exists("p"));
}
END_TEST

START_TEST(strict)
{
    write_triangle("tri.gltf", "Go", "Back", 3, ",\"material\":0");
    shell("sed -i 's|\"nodes\":\\[{|\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":"
          "{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"no.png\"}],&|' "
          "tri.gltf");
    shell("marrow render tri.gltf --size 8 -o a.png");
    assert_status(0);
    assert_said("warning:");
    assert_said("no.png");
    shell("marrow render tri.gltf --size 8 -o b.png --strict -q");
    assert_status(5);
    ck_assert_str_eq(err, "");
    assert_png("b.png", 8, 8, 2);
    shell("marrow info tri.gltf --strict --json");
    assert_status(5);
    ck_assert_ptr_nonnull(strstr(out, "\"found\": false"));
    shell("echo '{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{}]}' "
          ">bare.gltf; marrow render bare.gltf --size 8 -o bare.png --strict");
    assert_status(5);
    assert_said("no triangles");
    assert_png("bare.png", 8, 8, 2);
    shell("marrow bake bare.gltf --json");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "\"meshes\": [], \"aabb_min\": null"));
    shell("marrow info demo:blob --strict");
    assert_status(0);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(default_names)
{
    shell("marrow render demo:figure --size 16");
    assert_status(0);
    assert_png("figure.png", 16, 16, 2);
    shell("marrow render demo:figure --size 17");
    assert_refused(4, "--force");
    assert_png("figure.png", 16, 16, 2);
    shell("marrow render demo:figure --size 17 --force");
    assert_status(0);
    assert_png("figure.png", 17, 17, 2);
    shell("marrow render demo:figure --size 18 -o figure.png");
    assert_status(0); /* -o means it */
    assert_png("figure.png", 18, 18, 2);
    shell("marrow render demo:figure --clip Walk --frames 0,3 --size 16");
    assert_status(0);
    ck_assert(exists("figure_Walk_0000.png") && exists("figure_Walk_0003.png"));
    shell("marrow render demo:blob demo:tentacle --size 9x7 --background none -o some/new/folder/");
    assert_status(0);
    assert_png("some/new/folder/blob.png", 9, 7, 6);
    assert_png("some/new/folder/tentacle.png", 9, 7, 6);
    shell("marrow render demo:blob demo:tentacle --size 9 -o x.png");
    assert_refused(2, "x_{model}.png");
}
END_TEST

START_TEST(templates_that_collide)
{
    shell("marrow render demo:figure --clip Walk --count 3 --size 16 -o 'out/a.png'");
    assert_refused(2, "out/a_{frame:04}.png");
    ck_assert(!exists("out"));
    shell("marrow render demo:figure --clip Walk --clip Run --count 3 --size 16 -o 'a_####.png'");
    assert_refused(2, "a_####_{clip}.png");
    shell("marrow render demo:figure --clip Walk --clip Run --count 3 --size 16 "
          "-o 'out/a_####_{clip}.png'");
    assert_status(0);
    ck_assert_int_eq(count_files("out"), 6);
    ck_assert(exists("out/a_0002_Run.png"));
    shell("marrow render demo:figure --frames 0-2,1 --size 16 -o 'twice/%%d.png'");
    assert_status(0); /* the same frame twice is one file */
    ck_assert_int_eq(count_files("twice"), 3);
}
END_TEST

START_TEST(numbering)
{
    shell("marrow render demo:figure --clip Walk --size 8 -o 'all/{frame:04}.png' --fps 10");
    assert_status(0);
    ck_assert_int_eq(count_files("all"), 11); /* 1.0667 s: frames 0 ... 10 */
    shell("marrow render demo:figure --clip Walk --size 8 -o 'n/{frame}.png' --fps 10 --frames "
          "-1,5-7x2");
    assert_status(0);
    ck_assert(exists("n/10.png") && exists("n/5.png") && exists("n/7.png"));
    shell("marrow render demo:figure --clip Walk --size 8 -o 't/{frame}_{time:2}.png' --times "
          "0.25,0.5");
    assert_status(0);
    ck_assert(exists("t/0_0.25.png") && exists("t/1_0.50.png"));
    shell("cmp all/0005.png n/5.png");
    assert_status(0); /* the camera depends on the clip, not on the frames chosen */
}
END_TEST

START_TEST(one_picture_to_stdout)
{
    shell("marrow render demo:blob --size 20x10 -o - >pic; marrow render demo:blob --size 20x10 "
          "-o file.png; cmp pic file.png");
    assert_status(0);
    assert_png("pic", 20, 10, 2);
    shell("marrow render demo:figure --count 2 -o -");
    assert_refused(2, "one picture");
    shell("marrow render demo:figure demo:blob -o -");
    assert_refused(2, "one");
}
END_TEST

START_TEST(sheets_and_animations)
{
    static char bytes[400000];
    shell("marrow render demo:figure --clip Walk --count 5 --size 30x20 --sheet 3 -o sheet.png");
    assert_status(0);
    assert_png("sheet.png", 3 * 34 + 4, 2 * 24 + 4, 2);
    ck_assert_ptr_nonnull(strstr(err, "5 pictures of 30x20 in a sheet of 106x52, to sheet.png"));
    shell("marrow render demo:figure --clip Walk --loop --fps 10 --size 24 -o walk.apng");
    assert_status(0);
    assert_png("walk.apng", 24, 24, 2);
    size_t size = slurp("walk.apng", bytes, sizeof bytes);
    int controls = 0;
    for (size_t i = 0; i + 4 < size; i++) {
        controls += memcmp(bytes + i, "fcTL", 4) == 0;
    }
    ck_assert_int_eq(controls, 11);
    /* pictures of one frame know their subject, others have none */
    shell("marrow render demo:figure --count 2 --size 24 -o 'walk_{frame}.png'; "
          "grep -c mrSB walk_0.png walk_1.png sheet.png walk.apng");
    ck_assert_str_eq(out, "walk_0.png:1\nwalk_1.png:1\nsheet.png:0\nwalk.apng:0\n");
    shell("marrow render demo:figure --count 900 --size 4096 --sheet 30 -o big.png");
    assert_refused(2, "16384");
    shell("marrow render demo:figure --shard 1/2 -o walk.apng");
    assert_refused(2, "shard");
    shell("marrow render demo:figure --count 4 --sheet 2 -o s.apng");
    assert_refused(2, "a name that ends in .png, or leave out --sheet");
    ck_assert_int_ne(access("s.apng", F_OK), 0);
}
END_TEST

/* What a format does not have is not asked for in vain. */
START_TEST(options_of_formats)
{
    static const struct {
        const char *options, *part;
    } refused[] = {
        {"--quality 50 -o a.png", "--quality has no effect on this file, only on .jpg or .webp"},
        {"--quality 50 -o a.gif", "--quality"},
        {"--quality 50 --sheet 2 -o a.png", "--quality"},
        {"--quality 50", "--quality"},
        {"--matte red -o a.webp", "--matte has no effect on this file, only on .jpg or .gif"},
        {"--matte red --stream rgba -o - >a", "--matte"},
        {"--dither -o a.jpg", "--dither has no effect on this file, only on .gif"},
        {"--dither --atlas a.json -o a.png", "--dither"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        shell("marrow render demo:figure --size 16 %s", refused[i].options);
        assert_refused(2, refused[i].part);
    }
    shell("R='marrow render demo:figure --size 16 --count 2 -q'; $R --quality 50 -o q.webp && "
          "$R --quality 50 --matte red -o 'q{frame}.jpeg' && $R --quality 50 --sheet 2 -o q.jpg && "
          "$R --matte red --dither -o q.GIF");
    assert_status(0);
}
END_TEST

START_TEST(sprite_sheets)
{
#define RENDER "marrow render demo:figure --clip Walk --count 4 --size 32 --background none "
    static const struct {
        const char *options, *part;
    } refused[] = {
        {"--trim frame -o a.png", "--trim"},
        {"--atlas a.txt -o a.png", "--atlas 'a.txt': the name must end in .json"},
        {"--atlas a.json -o - >a.png",
         "--atlas refers to the sheet by its file name; give -o a name"},
        {"--atlas a.json -o a.apng", "a sprite sheet is a picture; give it a name that ends in"},
        {"--atlas a.json -o 'a{page}.png'", "use --atlas 'a_{page}.json'"},
        {"--atlas 'a{page}.json' -o a.png", "use -o 'a_{page}.png'"},
        {"--sheet 2 -o 'a{page}.png'", "{page} in -o stands for the page number of a sprite sheet"},
        {"--atlas a.json -o 'a_{clip}.png' --clip all", "use the fields of -o in --atlas"},
        {"--atlas a.json -o a.png --extrude 3", "use --gap 6"},
        {"--atlas a.json -o a.png --page-size 50", "put {page} into -o"},
        {"--atlas a.json -o a.png --page-size 20", "does not fit on a page of 20x20"},
        {"--atlas a.json -o a.png --bits 16", "--bits"},
        {"--atlas 'a{page}.json' -o 'a{page}.png' --json=a0.json",
         "--atlas and --json would both write a0.json"},
        {"--atlas a.json -o a.png --shard 1/2", "--shard"},
        {"--pivot hips -o a.png", "--pivot"},
        {"--atlas-numbers --sheet 2 -o a.png", "--atlas-numbers"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[300];
        snprintf(line, sizeof line, RENDER "%s", refused[i].options);
        shell(line);
        assert_refused(2, refused[i].part);
    }
    shell("marrow render demo:figure --atlas a.json --trim all");
    assert_refused(2, "--trim: only pictures without a background have transparent pixels; add "
                      "--background none");
    shell("marrow render demo:figure --atlas a.json --bleed --background white");
    assert_refused(2, "--bleed: only pictures");
    shell("ls");
    ck_assert_msg(!strstr(out, "a.json") && !strstr(out, "a.apng"), "%s", out);
    shell(RENDER "--atlas a.json -o a.png --pivot hip");
    assert_refused(3, "demo:figure: there is no node \"hip\"");
    shell(RENDER "--atlas a.json -o a.png --pivot hips --eye 0,1,1 --target 0,1,5");
    assert_refused(3, "--pivot: the node is behind the camera in frame 0");
    shell("ls");
    ck_assert_msg(!strstr(out, "a.json"), "%s", out);
    /* pages hold what one sheet does, on any number of threads */
    shell(RENDER
          "--directions 4 --trim clip --extrude 1 --bleed --atlas one.json -o one.png -j1 && "
          "cp one.png first.png && cp one.json first.json && " RENDER
          "--directions 4 --trim clip --extrude 1 --bleed --atlas one.json -o one.png -j3 && "
          "cmp one.png first.png && cmp one.json first.json");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(err, "16 pictures of 32x32 in a sprite sheet of "));
    /* looking for pivots changes no pixel of other views */
    shell(RENDER "--directions 4 --trim clip --extrude 1 --bleed --pivot hips --atlas pivots.json "
                 "-o pivots.png && cmp pivots.png one.png && grep -c '\"pivot\": ' pivots.json");
    assert_status(0);
    ck_assert_str_eq(out, "16\n");
    shell("grep -o '\"Walk/[nesw]*/[0-9]*\":' one.json | wc -l");
    ck_assert_int_eq(atoi(out), 16);
    /* the last picture is the first one again */
    shell(RENDER "--page-size 64 --atlas 'p{page}.json' -o 'p{page}.png' -v");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(err, "in a sprite sheet of 3 pages"));
    ck_assert_ptr_nonnull(strstr(err, "wrote p2.json"));
    assert_png("p2.png", 40, 40, 6);
    shell(RENDER "--page-size 64 --atlas 'p{page}.json' -o 'p{page}.png' -q --json | "
                 "grep -o 'p[0-9].png'");
    ck_assert_str_eq(out, "p0.png\np1.png\np2.png\np0.png\n");
    /* what is read is not written */
    shell("marrow compile demo:blob -q -o q.marrow && mv q.marrow q1.png && marrow render q1.png "
          "--count 3 --size 32 --page-size 64 --atlas 'q{page}.json' -o 'q{page}.png'");
    assert_refused(2, "q1.png");
    /* cells of a contact sheet, with another gap */
    shell(RENDER "--sheet 2 --gap 0 -o cells.png");
    assert_status(0);
    assert_png("cells.png", 64, 64, 6);
#undef RENDER
}
END_TEST

/* The same pixels in smaller files, of every kind. */
START_TEST(png_best)
{
    static char bytes[400000];
    static const char *const kinds[] = {"-o %s.png", "--count 2 -o %s.apng",
                                        "--count 3 --sheet 2 -o %s_sheet.png"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t sizes[2];
        for (int best = 0; best < 2; best++) {
            char arguments[64], command[160];
            snprintf(arguments, sizeof arguments, kinds[i], best ? "best" : "fast");
            snprintf(command, sizeof command, "marrow render demo:figure --size 60 --png %s %s >&2",
                     best ? "best" : "fast", arguments);
            shell(command);
            assert_status(0);
            sizes[best] = slurp(strrchr(arguments, ' ') + 1, bytes, sizeof bytes);
        }
        ck_assert_uint_lt(sizes[1], sizes[0]);
    }
    shell("marrow diff fast.png best.png && marrow diff fast_sheet.png best_sheet.png");
    assert_status(0);
    shell("marrow render demo:figure --size 60 -o preset.png && cmp preset.png fast.png");
    assert_status(0);
    shell("marrow render demo:figure --png huge -o x.png");
    assert_refused(2, "fast or best");
}
END_TEST

START_TEST(dry_run)
{
    shell("marrow render demo:figure --clip Walk --frames 0-9x3 --dry-run -o 'd/{frame:02}.png'");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "d/09.png\tWalk\tframe 9\t0.3 s\n"));
    ck_assert(!exists("d"));
    shell("marrow render demo:figure --clip Walk --count 2 --dry-run --json");
    cJSON *json = cJSON_Parse(out);
    ck_assert(!cJSON_IsTrue(cJSON_GetObjectItem(json, "written")));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "pictures")), 2);
    cJSON_Delete(json);
}
END_TEST

/* Files whole or absent when a signal comes, and the status the shell would give. */
START_TEST(signals)
{
    shell("mkdir s; '%s' render demo:figure --clip Walk --fps 2000 --size 800 -q -o "
          "'s/{frame}.png' & "
          "p=$!; until [ -e s/5.png ]; do sleep 0.05; done; "
          "kill -TERM $p; wait $p",
          program);
    assert_status(143);
    shell("for f in s/*; do tail -c 8 $f | head -c 4; done | grep -c IEND");
    ck_assert_int_gt(count_files("s"), 0);
    shell("find s -type f ! -name '*.png'");
    ck_assert_str_eq(out, "");
    shell("for f in s/*.png; do tail -c 8 \"$f\" | head -c 4 | grep -q IEND || echo $f; done");
    ck_assert_str_eq(out, "");
}
END_TEST

/* ---- the same pixels ------------------------------------------------------------------------- */

/* All pixel hashes of a render --json, joined. */
static const char *hashes(const char *options)
{
    static char text[20][4000];
    static int slot;
    slot = (slot + 1) % 20;
    shell("marrow render demo:figure --clip Run --size 64 -q --json --force -o 'h/{frame}.png' %s",
          options);
    assert_status(0);
    text[slot][0] = '\0';
    cJSON *json = cJSON_Parse(out), *picture;
    ck_assert_ptr_nonnull(json);
    cJSON_ArrayForEach(picture, cJSON_GetObjectItem(json, "pictures"))
    {
        strcat(text[slot], cJSON_GetObjectItem(picture, "pixel_hash")->valuestring);
        strcat(text[slot], " ");
    }
    cJSON_Delete(json);
    return text[slot];
}

START_TEST(kernels_and_threads_agree)
{
    char options[64];
    const char *expected = hashes("--count 4 --isa scalar -j 1");
    ck_assert_uint_eq(strlen(expected), 4 * 65);
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        for (int threads = 1; threads <= 3 && mrw_isa_available((mrw_isa)isa); threads++) {
            snprintf(options, sizeof options, "--count 4 --isa %s -j %d",
                     mrw_isa_name((mrw_isa)isa), threads);
            ck_assert_str_eq(hashes(options), expected);
        }
    }
}
END_TEST

START_TEST(shards_make_the_whole)
{
    const char *whole = hashes("--count 5");
    const char *parts[3] = {hashes("--count 5 --shard 1/3"), hashes("--count 5 --shard 2/3"),
                            hashes("--count 5 --shard 3/3")};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(strncmp(whole + 65 * i, parts[i % 3] + 65 * (i / 3), 64), 0);
    }
    ck_assert_uint_eq(strlen(parts[0]) + strlen(parts[1]) + strlen(parts[2]), 5 * 65);
}
END_TEST

/* Each option that should change the picture does. */
START_TEST(options_have_effect)
{
    static const char *const options[] = {"--aa 1",
                                          "--shading raw",
                                          "--shading lambert",
                                          "--filter nearest",
                                          "--filter bilinear",
                                          "--background red",
                                          "--background none",
                                          "--fit rest",
                                          "--fit clip",
                                          "--fit all",
                                          "--margin 0.2",
                                          "--azimuth -20",
                                          "--elevation 60",
                                          "--eye 2,1,2",
                                          "--target 0,1,0",
                                          "--up 1,0,0",
                                          "--fov 70",
                                          "--ortho",
                                          "--far 3",
                                          "--rotate 0,90,0",
                                          "--scale 1,2,1",
                                          "--pose bind",
                                          "--skinning dual-quaternion",
                                          "--max-influences 1",
                                          "--time 0.3",
                                          "--light none",
                                          "--light ambient:color=0.2,0.2,0.3",
                                          "--light directional:dir=-1,-1,-1@camera",
                                          "--light directional:dir=-1,-1,-1@hand.R",
                                          "--light default --light directional:dir=0,-1,0",
                                          "--light-frame world --azimuth 45",
                                          "--size 48x49",
                                          "--eye 2,1,2 --translate 0.5,0,0"};
    static char seen[40][65];
    int count = 0;
    for (int i = -1; i < (int)(sizeof options / sizeof *options); i++) {
        shell("marrow render demo:figure --json -q %s %s -o e.png", i < 0 ? "" : options[i],
              i < 0 || !strstr(options[i], "--size") ? "--size 48" : "");
        assert_status(0);
        const char *hash = strstr(out, "pixel_hash");
        ck_assert_ptr_nonnull(hash);
        snprintf(seen[count], sizeof seen[count], "%.64s", hash + 14);
        for (int k = 0; k < count; k++) {
            ck_assert_msg(strcmp(seen[k], seen[count]) != 0, "%s changes nothing", options[i]);
        }
        count++;
    }
    shell("marrow render demo:stage --size 32 -o a.png -q --camera 0 && "
          "marrow render demo:stage --size 32 -o b.png -q && ! cmp -s a.png b.png");
    assert_status(0);
}
END_TEST

START_TEST(files_that_are_no_environments)
{
    shell("marrow render demo:blob --size 32 -o e.png --env no.hdr");
    assert_status(3);
    ck_assert_msg(strstr(err, "no.hdr: "), "%s", err);
    shell("marrow render demo:blob --size 32 -o e.png --env none && "
          "marrow render demo:blob --size 32 -o f.png --env e.png");
    assert_status(3);
    ck_assert_msg(strstr(err, "e.png: not a Radiance or OpenEXR picture"), "%s", err);
}
END_TEST

START_TEST(files_that_are_no_matcaps)
{
    shell("marrow render demo:blob --size 32 -o e.png --shading matcap:no.png");
    assert_refused(3, "no.png: cannot open it");
    shell("marrow render demo:blob --size 32x16 -o e.png");
    assert_status(0);
    shell("marrow render demo:blob --size 32 -o f.png --shading matcap:e.png");
    assert_refused(3, "e.png: the picture is 32x16, but a matcap is a ball that fills a square");
    shell("head -c 200 e.png >cut.png; "
          "marrow render demo:blob --size 32 -o f.png --shading matcap:cut.png");
    assert_refused(3, "cut.png: ");
    ck_assert(!exists("f.png"));
}
END_TEST

START_TEST(doctor)
{
    shell("marrow doctor");
    assert_status(0);
    shell("marrow doctor --json");
    assert_status(0);
    cJSON *json = cJSON_Parse(out);
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(json, "agrees")));
    ck_assert_int_ge(cJSON_GetArraySize(cJSON_GetObjectItem(json, "findings")), 3);
    ck_assert_int_eq(cJSON_GetObjectItem(json, "cpus")->valueint, mrw_cpu_limits_now().affinity);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(json, "cgroup_quota"));
    const cJSON *importer = cJSON_GetObjectItem(json, "importer");
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(importer, "works")));
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(importer, "seccomp")) == /* else it says why not */
              cJSON_IsNull(cJSON_GetObjectItem(importer, "message")));
    cJSON_Delete(json);
}
END_TEST

/* Without an importer most formats cannot be read; the pictures are the same. */
START_TEST(doctor_without_an_importer)
{
    shell("MARROW_IMPORTER=/nonexistent/importer marrow doctor");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "does not work: the import helper /nonexistent/importer"));
    shell("MARROW_IMPORTER=/nonexistent/importer marrow doctor --json");
    assert_status(0);
    cJSON *json = cJSON_Parse(out);
    const cJSON *importer = cJSON_GetObjectItem(json, "importer");
    ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(importer, "works")));
    ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(importer, "seccomp")));
    ck_assert_ptr_nonnull(
        strstr(cJSON_GetStringValue(cJSON_GetObjectItem(importer, "message")), "MARROW_IMPORTER"));
    cJSON_Delete(json);
}
END_TEST

/* Beyond the end of a clip all frames are one: drawn once, written each. */
START_TEST(equal_pictures_are_written_each)
{
    shell("marrow render demo:figure --times 0.2,77,0.2,88,99 --size 24 -o 'p{frame}.png' --json "
          "-v -j 2");
    assert_status(0);
    assert_said("3 of the pictures are identical to others");
    cJSON *json = cJSON_Parse(out);
    const cJSON *pictures = cJSON_GetObjectItem(json, "pictures");
    ck_assert_int_eq(cJSON_GetArraySize(pictures), 5);
    for (int i = 0; i < 5; i++) {
        static const char same[] = "01011";
        for (int k = 0; k < 5; k++) {
            const cJSON *a = cJSON_GetObjectItem(cJSON_GetArrayItem(pictures, i), "pixel_hash");
            const cJSON *b = cJSON_GetObjectItem(cJSON_GetArrayItem(pictures, k), "pixel_hash");
            bool equal = strcmp(cJSON_GetStringValue(a), cJSON_GetStringValue(b)) == 0;
            ck_assert(equal == (same[i] == same[k]));
        }
    }
    cJSON_Delete(json);
    shell("cmp p0.png p2.png && cmp p1.png p3.png && cmp p1.png p4.png && ! cmp -s p0.png p1.png");
    assert_status(0);
    /* in a sheet and an animation they are what they are one by one */
    shell("for t in 0.2 77 0.2 88 99; do"
          "  marrow render demo:figure --time $t --size 24 -o s_$t.png -q --fit clip || exit; done;"
          "marrow diff -q s_0.2.png p0.png && marrow diff -q s_88.png p3.png && "
          "marrow render demo:figure --times 0.2,77,0.2,88,99 --size 24 -o a.apng -v -j 3 && "
          "marrow render demo:figure --times 0.2,77,0.2,88,99 --size 24 -o b.apng -q -j 1 && "
          "cmp a.apng b.apng && "
          "marrow render demo:figure --times 0.2,77,0.2,88,99 --size 24 --sheet 2 -o a.png -q");
    assert_status(0);
    assert_said("3 of the pictures are identical to others");
    assert_png("a.png", 2 * 28 + 4, 3 * 28 + 4, 2);
}
END_TEST

/* Threads that wait sleep soon, unless the user wants otherwise: GNU's runtime prints how often
 * they look before they do. (The others don't print it.) */
START_TEST(waiting_threads_sleep)
{
    shell("unset OMP_WAIT_POLICY GOMP_SPINCOUNT; export OMP_DISPLAY_ENV=VERBOSE; marrow --version");
    assert_status(0);
    const char *last = NULL;
    for (const char *at = err; (at = strstr(at, "GOMP_SPINCOUNT")); at++) {
        last = at;
    }
    if (last) {
        ck_assert_msg(strncmp(last, "GOMP_SPINCOUNT = '2000'", 23) == 0, "%.40s", last);
        shell("export OMP_WAIT_POLICY=active OMP_DISPLAY_ENV=VERBOSE; marrow --version");
        ck_assert_ptr_null(strstr(err, "GOMP_SPINCOUNT = '2000'"));
    }
}
END_TEST

/* ---- info and bake --------------------------------------------------------------------------- */

static double number(const cJSON *object, const char *key, int index)
{
    const cJSON *value = cJSON_GetObjectItem(object, key);
    ck_assert_msg(value, "no %s", key);
    return cJSON_IsArray(value) ? cJSON_GetArrayItem(value, index)->valuedouble
                                : value->valuedouble;
}

START_TEST(info_by_hand)
{
    write_plain_triangle();
    shell("marrow info tri.gltf --json");
    assert_status(0);
    cJSON *json = cJSON_Parse(out);
    ck_assert_ptr_nonnull(json);
    ck_assert_double_eq(number(json, "schema", 0), 1);
    ck_assert_double_eq(number(json, "nodes", 0), 1);
    ck_assert_str_eq(cJSON_GetObjectItem(json, "model")->valuestring, "tri.gltf");
    const cJSON *clip = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "clips"), 1);
    ck_assert_str_eq(cJSON_GetObjectItem(clip, "name")->valuestring, "Back");
    ck_assert_double_eq(number(clip, "duration", 0), 1);
    ck_assert_double_eq(number(clip, "channels", 0), 1);
    ck_assert_double_eq(number(clip, "keys", 0), 2);
    const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "meshes"), 0);
    ck_assert_double_eq(number(mesh, "vertices", 0), 3);
    ck_assert_double_eq(number(mesh, "triangles", 0), 1);
    const cJSON *bounds = cJSON_GetObjectItem(json, "bounds_rest");
    ck_assert_double_eq(number(bounds, "max", 0), 1);
    ck_assert_double_eq(number(bounds, "min", 2), 0);
    ck_assert_uint_eq(strlen(cJSON_GetObjectItem(json, "scene_hash")->valuestring), 64);
    static const char *const arrays[] = {"skins",   "materials", "textures",
                                         "cameras", "lights",    "warnings"};
    for (int i = 0; i < 6; i++) {
        ck_assert(cJSON_IsArray(cJSON_GetObjectItem(json, arrays[i])));
    }
    cJSON_Delete(json);
    shell("marrow info tri.gltf");
    ck_assert_ptr_nonnull(strstr(out, "Back"));
    ck_assert_ptr_nonnull(strstr(out, "Clips (2)"));
}
END_TEST

/* Columns stand whatever the names are: 41 characters have a line of their own, five of Japanese
 * take ten columns, an accent of its own none. */
START_TEST(info_has_columns_whatever_the_names)
{
    static const char title[] = "Clips (2)\n";
    write_plain_triangle();
    shell("sed 's/\"Go\"/\"Armature_mixamo.com_Layer0_Walk_on_spot_41\"/; "
          "s/\"Back\"/\"後ろに歩くe\xcc\x81\"/' tri.gltf >long.gltf; marrow info long.gltf");
    assert_status(0);
    const char *table = strstr(out, title);
    ck_assert_msg(table, "%s", out);
    const char expected[] = "  #  name                                      seconds  first key  "
                            "last key  channels  keys\n"
                            "  0  Armature_mixamo.com_Layer0_Walk_on_spot_41\n"
                            "                                                 1.000      0.000     "
                            "1.000         1     2\n"
                            "  1  後ろに歩くe\xcc\x81                                 1.000      "
                            "0.000     1.000         1"
                            "     2\n";
    table += strlen(title);
    ck_assert_msg(strncmp(table, expected, strlen(expected)) == 0, "%s", table);
}
END_TEST

static void assert_tidy(void)
{
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_msg(strlen(line) <= 80 && line[strlen(line) - 1] != ' ', "untidy: '%s'", line);
    }
}

/* `marrow help CHAPTER` prints the file src/help/CHAPTER.md as it is, and tables of the program
 * below some. Older names of chapters still find them. */
START_TEST(help_prints_chapters)
{
    static const struct {
        const char *asked, *chapter, *has[3];
    } rows[] = {
        {"getting-started", NULL, {"## Exit status", "## Fields of -o", "MARROW_ISA"}},
        {"clips", NULL, {"--blend", "--layer", "--anim"}},
        {"cameras", NULL, {"--views", "--turntable", "--fit"}},
        {"look", NULL, {"\n    lambert  ", "\n    raw  ", "## Shadows"}},
        {"looks", NULL, {"\n    --ground\n", "\npost: ", "## Changing a look"}},
        {"shading", "look", {"\n    lambert  ", "\n    raw  ", "## Shadows"}},
        {"lights", "look", {"spot", "@camera", "directional"}},
        {"sheets-and-sprites", NULL, {"--atlas", "--sheet", "--trim"}},
        {"animations-and-video", NULL, {".gif", "y4m", "ffmpeg"}},
        {"passes", NULL, {"\n    depth  ", "\n    cryptomatte  ", "--aov"}},
        {"aov", "passes", {"\n    weights:JOINT  ", "\n    coverage  ", "--aov"}},
        {"goldens", NULL, {"\n    model = ", "\n    xfail = REASON ", "[defaults]"}},
        {"suite", "goldens", {"\n    size = WxH", "\n    clip = ", "[defaults]"}},
        {"continuous-integration", NULL, {"scripts/ci.sh", "--shard", "GITHUB"}},
        {"ci", "continuous-integration", {"scripts/ci.sh", "--shard", "GITHUB"}},
        {"formats", NULL, {"\n    Collada ", "--allow-format", "-o - --stream y4m"}},
        {"library", NULL, {"#include <marrow/marrow.h>", "pkg-config", "mrw_render"}},
        {"speed", NULL, {"marrow bench", "threads", "ms"}},
        {"determinism", NULL, {"doctor", "compile", "SIMD"}},
        {"opengl", NULL, {"marrow view", "\n    goldens of the software backend\n", "gl-ratio"}},
        {"backend", "opengl", {"GL=1", "--gl-device", "gl-ratio"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *chapter = rows[i].chapter ? rows[i].chapter : rows[i].asked;
        shell("marrow help %s >shown", rows[i].asked);
        assert_status(0);
        shell("f='%s/../src/help/%s.md'; cmp \"$f\" shown -n $(wc -c <\"$f\")", assets, chapter);
        assert_status(0);
        shell("cat shown");
        for (int k = 0; k < 3; k++) {
            ck_assert_msg(strstr(out, rows[i].has[k]), "%s lacks %s", chapter, rows[i].has[k]);
        }
        assert_tidy();
        shell("marrow help | grep -cE '^  %s  '", chapter);
        ck_assert_str_eq(out, "1\n");
    }
    shell("ls '%s/../src/help' | grep -c '[.]md$'; marrow help | sed -n '/^Chapters/,/^$/p' | grep "
          "-cE '^  "
          "[a-z]'",
          assets);
    ck_assert_str_eq(out, "17\n17\n");
    shell("marrow help formts");
    assert_refused(2, "did you mean formats?");
}
END_TEST

/* Lines that `marrow help WORDS` shows, and files that it does not read. */
START_TEST(help_finds_what_has_to_do_with_words)
{
    static const char *const rows[][3] = {
        {"gif", "  -o, --output NAME.gif ", "      --dither "},
        {"shadow", "      --shadows ", "      --shadow-softness "},
        {"camera", "      --azimuth ", "      --camera NAME|INDEX"},
        {"json", "      --json[=FILE] ", "      --atlas FILE.json "},
        {"--sheet", "      belongs to              render, sheet, sprites\n", "--columns\n"},
        {"-o", "  -o, --output PATH ", "belongs to"},
        {"--no-ground", "      --ground[=COLOR] ", "belongs to"},
        {"SHADOW", "      --shadows ", "\n  look  "},
        {"contact sheet", "  marrow help sheet ", "      --sheet COLUMNS "},
        {"width", "      --size WxH|N ", "Options that mention it"},
        {"xfail", "    xfail = REASON ", "From `marrow help goldens`, "},
        {"NO_COLOR",
         "- `NO_COLOR`: ", "From `marrow help getting-started`, Environment variables\n"},
        {"wireframe", "      --overlay wire ", "      --shading wire "},
        {"golden", "Options, of test\n", "  marrow help accept "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shell("marrow help %s", rows[i][0]);
        assert_status(0);
        ck_assert_msg(strstr(out, rows[i][1]) && strstr(out, rows[i][2]), "%s:\n%s", rows[i][0],
                      out);
        for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
            ck_assert_msg(strlen(line) <= 80 && line[strlen(line) - 1] != ' ', "untidy: '%s'",
                          line);
        }
    }
    shell("marrow help ../x");
    assert_refused(2, "about '../x'; `marrow help` lists commands and chapters");
    shell("marrow help $(printf 'x%%.0s' $(seq 500))");
    assert_refused(2, "there is no command, chapter or option about 'xxx");
    shell("marrow help ''");
    assert_refused(2, "an argument is empty");
    shell("marrow help --");
    assert_refused(2, "about '--'");
    shell("marrow help a b c d e f g h i j k");
    ck_assert(status == 0 || status == 2);
    shell("marrow help shadw");
    assert_refused(2, "did you mean shad");
}
END_TEST

/* Most people need few of the options; --all has the others. */
START_TEST(help_of_render_is_short_unless_all_is_asked_for)
{
    shell("marrow help render | grep -cE '^  (-[a-zA-Z], |    )--'");
    ck_assert_str_eq(out, "30\n");
    shell("marrow help render | tail -2");
    ck_assert_msg(strstr(out, "`marrow help render --all` shows all"), "%s", out);
    shell("marrow help render >a; marrow render --help >b; cmp a b && marrow help render --all >a; "
          "marrow render --all --help >b; cmp a b");
    assert_status(0);
    shell("cat a");
    ck_assert(strstr(out, "--env-compensation") && !strstr(out, "shows all"));
    shell("marrow help --all");
    assert_status(0);
    ck_assert(strstr(out, "--max-flip") && strstr(out, "--env-compensation"));
    shell("marrow version >a; marrow -V >b; marrow --version >c; cmp a b && cmp a c && cat a");
    assert_status(0);
    ck_assert(strstr(out, "pixel version"));
}
END_TEST

START_TEST(bake_by_hand)
{
    static const double times[] = {0, 0.5, 1}, asked_z[] = {0, 1, 2};
    write_plain_triangle();
    shell("marrow bake tri.gltf --json --clip Go --times 0,0.5,9");
    assert_status(0);
    char *line = strtok(out, "\n");
    for (int i = 0; i < 3; i++, line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        ck_assert_ptr_nonnull(json);
        const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "meshes"), 0);
        ck_assert_str_eq(cJSON_GetObjectItem(json, "clip")->valuestring, "Go");
        ck_assert_str_eq(cJSON_GetObjectItem(json, "up")->valuestring, "Y");
        ck_assert_str_eq(cJSON_GetObjectItem(mesh, "node")->valuestring, "mover");
        ck_assert_str_eq(cJSON_GetObjectItem(mesh, "mesh")->valuestring, "tri");
        ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(mesh, "skinned")));
        ck_assert_double_eq(number(json, "time", 0), times[i]);
        ck_assert_double_eq(number(json, "area", 0), 0.5);
        ck_assert_double_eq(number(json, "aabb_max", 0), 1);
        ck_assert_double_eq(number(json, "aabb_min", 2), asked_z[i]);
        ck_assert_double_eq(number(mesh, "aabb_max", 2), asked_z[i]);
        ck_assert_double_eq_tol(number(json, "area_centroid", 0), 1.0 / 3.0, 1e-15);
        ck_assert_double_eq_tol(number(json, "area_centroid", 2), asked_z[i], 1e-15);
        cJSON_Delete(json);
    }
    ck_assert_ptr_null(line);
    shell("marrow bake tri.gltf --json --time 1.25 --wrap loop");
    cJSON *json = cJSON_Parse(out);
    ck_assert_double_eq(number(json, "aabb_min", 2), 0.5);
    ck_assert_double_eq(number(json, "time", 0), 0.25);
    cJSON_Delete(json);
    shell("marrow bake tri.gltf --json --pose rest --allow-format all");
    json = cJSON_Parse(out);
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(json, "clip")));
    ck_assert_double_eq(number(json, "aabb_min", 2), 0);
    cJSON_Delete(json);
}
END_TEST

START_TEST(baked_files)
{
    write_plain_triangle();
    shell("marrow bake tri.gltf --time 0.5 -o p.obj");
    assert_status(0);
    shell("cat p.obj");
    ck_assert_str_eq(out, "o 0_mover_tri\nv 0 0 1\nv 1 0 1\nv 0 1 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
                          "f 1//1 2//2 3//3\n");
    shell("marrow bake tri.gltf --time 0.5 -o p.ply && grep -a -c . p.ply");
    assert_status(0);
    static char ply[4096];
    size_t size = slurp("p.ply", ply, sizeof ply);
    const char *body = strstr(ply, "end_header\n") + 11;
    float z;
    ck_assert_uint_eq(size - (size_t)(body - ply), 3 * 32 + 13);
    memcpy(&z, body + 8, 4);
    ck_assert_float_eq(z, 1.0f);
    shell("marrow bake tri.gltf --times 0,1 -o p.obj");
    assert_refused(2, "p_{frame:04}.obj");
    shell("marrow bake tri.gltf --times 0,1 -o p.png");
    assert_refused(2, ".obj");
}
END_TEST

START_TEST(clips_are_found)
{
    shell("marrow render demo:figure --clip 'W*' --size 8 -o '{clip}.png'");
    assert_status(0);
    ck_assert(exists("Walk.png") && exists("Wave.png") && !exists("Run.png"));
    shell("marrow render demo:figure --clip 1 --size 8 -o 'i_{clip}.png'");
    ck_assert(exists("i_Run.png"));
    shell("marrow render demo:figure --clip all --clip Run --size 8 -o 'a/{clip}.png'");
    ck_assert_int_eq(count_files("a"), 3);
}
END_TEST

START_TEST(clips_of_other_files)
{
    shell(
        "marrow bake demo:figure --clip Walk --time 0.4 --json >own && "
        "marrow bake demo:figure --anim demo:figure --clip figure/Walk --time 0.4 --json >both && "
        "sed 's,figure/Walk,Walk,' both | cmp - own");
    assert_status(0);
    assert_said("demo:figure: 51 of 51 joints matched");
    shell("marrow compile demo:figure --anim demo:figure -o both.marrow && "
          "marrow render both.marrow --clip '*' --size 8 -o 'c/{clip}.png'");
    assert_status(0);
    ck_assert_int_eq(count_files("c"), 6);
    shell("marrow render demo:figure --anim demo:figure -q --size 8 -o '{clip}.png'");
    assert_status(0);
    ck_assert(exists("figure_Walk.png")); /* not the model's own */
    ck_assert_str_eq(err, "");
    shell("marrow render demo:figure --anim demo:figure --size 8 -o last.png");
    assert_said("clip figure/Walk: 1 picture");
    shell("marrow render both.marrow --size 8 -o kept.png");
    assert_said("clip figure/Walk: 1 picture");
    shell("marrow render demo:figure --pose rest --size 8 -o rest.png");
    assert_status(0);
    ck_assert_ptr_null(strstr(err, "clip "));
    shell("marrow render demo:figure --clip all --size 8 -o 'all_{clip}.png'");
    assert_said("3 clips: 3 pictures");
    shell("marrow info demo:figure --anim demo:tentacle");
    assert_refused(3, "tentacle: none of the 24 joints that its clips move (joint_00, ");
    shell("marrow info demo:figure --anim nothing.glb");
    assert_refused(3, "nothing.glb: there is no such file");
}
END_TEST

/* A tank, and a bullet far below it: of the picture of both next to nothing is seen. */
START_TEST(parts_far_away_are_named)
{
    shell("cat >far.obj <<'E'\no Tank\nv -1 0 -1\nv 1 0 -1\nv 1 2 0\nv -1 2 0\nf 1 2 3 4\n"
          "o Bullet\nv 0 -419 0\nv 0.1 -419 0\nv 0 -418.9 0\nf 5 6 7\nE\n"
          "marrow render far.obj --size 200 -o far.png");
    assert_status(0);
    assert_said("far.obj: 1 picture shows less than 0.1 % of what is framed: node \"Bullet\" lies "
                "419 units below the rest; --hide 'Bullet' leaves it out");
    shell("marrow render far.obj --size 200 --strict -o far.png");
    assert_status(5);
    shell("marrow render far.obj --size 200 --strict --hide Bullet -o near.png");
    assert_status(0);
    shell("marrow render far.obj --size 200 --strict --hide 'B*' -o pattern.png && "
          "cmp near.png pattern.png");
    assert_status(0);
    shell("marrow render far.obj --size 200 --strict --eye 0,1,200 --target 0,1,0 -o eye.png");
    assert_status(0);
    shell("marrow render far.obj --size 200 --hide Bulet -o x.png");
    assert_refused(3, "there is no node \"Bulet\"; did you mean Bullet?");
    shell("marrow bake far.obj --hide Bullet --json | grep -c Bullet");
    ck_assert_str_eq(out, "0\n");
    shell("marrow render far.obj --hide Tank --hide Bullet --size 64 -o none.png");
    assert_status(0);
}
END_TEST

/* The last rule that matches a node decides, for all below it too. Hashes stay. */
START_TEST(parts_are_hidden_and_shown)
{
#define PARTS "marrow render demo:figure --size 48 --time 0.3 "
    shell(PARTS "-o all.png --json | grep -o '\"scene_hash\": \"[0-9a-f]*'");
    char hash[100];
    ck_assert_uint_lt(strlen(out), sizeof hash);
    memcpy(hash, out, strlen(out) + 1);
    shell(PARTS "--hide '*' --show Hat -o hat.png --json | grep -o '\"scene_hash\": \"[0-9a-f]*'");
    ck_assert_str_eq(out, hash);
    /* The hat alone fills the picture: hidden nodes take no part in framing. */
    shell("marrow pick demo:figure --hide '*' --show Hat --time 0.3 --size 48 --at 24,24 --json | "
          "grep -o '\"node\": \"[A-Za-z]*'; cmp -s hat.png all.png");
    assert_status(1);
    ck_assert_str_eq(out, "\"node\": \"Hat\n");
    shell(PARTS "--hide Hat --show Hat -o same.png -q && cmp same.png all.png && " PARTS
                "--hide '*' --show '*' -o same.png -q && cmp same.png all.png && " PARTS
                "--hide Hat --show '*' --hide Hat -o a.png -q && " PARTS
                "--hide Hat -o b.png -q && cmp a.png b.png");
    assert_status(0);
    shell("marrow bake demo:figure --hide '*' --show Hat -o hat.obj -q && marrow bake demo:figure "
          "-o all.obj -q && grep -c '^v ' hat.obj all.obj");
    ck_assert_str_eq(out, "hat.obj:2280\nall.obj:12278\n");
    shell(PARTS "--hide '*' -o none.png");
    assert_status(0);
    assert_said(
        "shows nothing but the background: --hide, or the file, leaves out all of it; --show ");
    shell(PARTS "--hide '*' --show Hatt -o none.png");
    assert_refused(3, "there is no node \"Hatt\"; did you mean Hat?");
    shell(PARTS "--show Hat -o none.png");
    assert_refused(2, "--show has no effect without --hide");
}
END_TEST

/* A triangle that is red, or blue in the variant Night. */
START_TEST(variants_are_chosen)
{
    shell("cat >v.gltf <<'E'\n"
          "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_materials_variants\"],"
          "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"Day\"},"
          "{\"name\":\"Night\"}]}},\"nodes\":[{\"mesh\":0}],\"materials\":[{"
          "\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0,1]}},{"
          "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0,0,1,1]}}],\"meshes\":[{"
          "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0,\"extensions\":{"
          "\"KHR_materials_variants\":{\"mappings\":[{\"material\":1,\"variants\":[1]}]}}}]}],"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":"
          "\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,"
          "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64,"
          "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}\nE\n"
          "marrow info v.gltf --json");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "\"variants\": [\"Day\", \"Night\"]"));
    shell("marrow info v.gltf");
    ck_assert_ptr_nonnull(strstr(out, "Variants"));
    ck_assert_ptr_nonnull(strstr(out, "Night"));
    shell("marrow render v.gltf --shading unlit --size 32 -o day.png && "
          "marrow render v.gltf --variant Night --shading unlit --size 32 -o night.png && "
          "marrow render v.gltf --variant 1 --shading unlit --size 32 -o one.png && "
          "marrow render v.gltf --variant 0 --shading unlit --size 32 -o none.png && "
          "cmp night.png one.png && ! cmp -s day.png night.png");
    assert_status(0);
    shell("printf '[v]\\nmodel = v.gltf\\nvariant = Night\\nshading = unlit\\nsize = 32\\n' "
          ">v.suite.ini && marrow test --update v.suite.ini");
    assert_status(0);
    shell("marrow render v.gltf --variant Nigt -o x.png");
    assert_refused(3, "there is no variant \"Nigt\"; did you mean Night?");
}
END_TEST

/* NAME.gltf: a chain of nodes that goes down from a height, 10 to the side with each. They all move
 * by 1 in a second, if `moves`. */
static void write_nodes(const char *name, const char *const *names, int count, float height,
                        bool moves)
{
    char nodes[1000] = "", channels[1000] = "", text[4000], path[64];
    for (int i = 0; i < count; i++) {
        char child[32] = "", *end = nodes + strlen(nodes);
        snprintf(child, sizeof child, ",'children':[%d]", i + 1);
        snprintf(end, sizeof nodes - strlen(nodes), "%s{'name':'%s','translation':[%d,%g,0]%s}",
                 i > 0 ? "," : "", names[i], i > 0 ? 10 : 0, (double)(i > 0 ? -height : height),
                 i + 1 < count ? child : "");
        end = channels + strlen(channels);
        snprintf(end, sizeof channels - strlen(channels),
                 "%s{'sampler':%d,'target':{'node':%d,'path':'translation'}}", i > 0 ? "," : "",
                 i > 0, i);
    }
    /* Times 0 and 1, then the ways of the first node and of the others. */
    const float bytes[14] = {0, 1, 0, height, 0, 1, height, 0, 10, -height, 0, 11, -height, 0};
    snprintf(path, sizeof path, "%s.bin", name);
    test_write(path, bytes, sizeof bytes);
    snprintf(text, sizeof text,
             "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],'nodes':[%s],"
             "'buffers':[{'byteLength':56,'uri':'%s'}],"
             "'bufferViews':[{'buffer':0,'byteLength':56}],'accessors':["
             "{'bufferView':0,'componentType':5126,'count':2,'type':'SCALAR','min':[0],'max':[1]},"
             "{'bufferView':0,'byteOffset':8,'componentType':5126,'count':2,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':32,'componentType':5126,'count':2,'type':'VEC3'}],"
             "'%s':[{'name':'go','channels':[%s],'samplers':[{'input':0,'output':1},"
             "{'input':0,'output':2}]}]}",
             nodes, path, moves ? "animations" : "extras", channels);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    snprintf(path, sizeof path, "%s.gltf", name);
    test_write_text(path, text);
}

/* Too few joints that match, and hips that stand twenty times as high in a model that is hardly
 * larger: sqrt(200) to sqrt(100.25). */
START_TEST(doubtful_clips_are_named)
{
    static const char *const ours[] = {"a", "b"}, *const theirs[] = {"a", "p", "q", "r"};
    write_nodes("model", ours, 2, 10, false);
    write_nodes("other", theirs, 4, 10, true);
    write_nodes("half", ours, 2, 10, true);
    write_nodes("low", ours, 2, 0.5f, true);
    shell("marrow info model.gltf --anim other.gltf");
    assert_status(0);
    assert_said("other.gltf: only 1 of the 4 joints that its clips move are in the model");
    shell("marrow info model.gltf --anim other.gltf --strict");
    assert_status(5);
    shell("marrow info model.gltf --anim low.gltf");
    assert_status(0);
    assert_said("low.gltf: the root's motion is scaled by 20.0000, but the model is 1.4124 times");
    shell("marrow info model.gltf --anim low.gltf --strict");
    assert_status(5);
    shell("marrow info model.gltf --anim half.gltf --strict");
    assert_status(0);
}
END_TEST

/* A triangle on one joint, which another file moves by 4: at half of its time by 2. */
START_TEST(clips_of_an_md5_animation)
{
    shell(
        "cat >a.md5mesh <<'E'\nMD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n\njoints "
        "{\n\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\t//\n}\n\nmesh {\nshader \"a\"\nnumverts 3\nvert 0 ( "
        "0 0 ) 0 1\nvert 1 ( 0 0 ) 1 1\nvert 2 ( 0 0 ) 2 1\nnumtris 1\ntri 0 0 1 2\nnumweights "
        "3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\nweight 2 0 1 ( 0 1 0 )\n}\n\nE\ncat "
        ">walk.md5anim <<'E'\nMD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 1\nframeRate "
        "24\nnumAnimatedComponents 1\n\nhierarchy {\n\"origin\" -1 1 0\t// \n}\n\nbounds {\n( 0 0 "
        "0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n\nframe 0 "
        "{\n0\n}\n\nframe 1 {\n4\n}\n\nE\nmarrow bake a.md5mesh --anim walk.md5anim --allow-format "
        "md5 --time 0.0208333333 --json");
    assert_status(0);
    assert_said("walk.md5anim: 1 of 1 joints matched");
    cJSON *json = cJSON_Parse(out);
    const cJSON *low = cJSON_GetObjectItem(json, "aabb_min");
    const cJSON *high = cJSON_GetObjectItem(json, "aabb_max");
    ck_assert_double_eq_tol(cJSON_GetArrayItem(low, 0)->valuedouble, 2.0, 1e-5);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(high, 0)->valuedouble, 3.0, 1e-5);
    cJSON_Delete(json);
}
END_TEST

START_TEST(scenes_are_chosen)
{
    shell("marrow info demo:figure --scene Figure --json");
    assert_status(0);
    shell("marrow render demo:figure --scene Figur");
    assert_refused(3, "there is no scene \"Figur\"; did you mean Figure?");
    shell("marrow bake demo:figure --scene 1");
    assert_refused(3, "there is no scene \"1\"");
    ck_assert(!exists("figure.png"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli");
    TCase *tc = tcase_create("cli");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, bad_files);
    tcase_add_test(tc, no_permission);
    tcase_add_test(tc, bad_places);
    tcase_add_test(tc, full_disk);
    tcase_add_test(tc, bad_options);
    tcase_add_test(tc, things_the_file_lacks);
    tcase_add_test(tc, kernels_this_machine_lacks);
    tcase_add_test(tc, marrow_isa_counts_for_every_command);
    tcase_add_test(tc, help_and_version);
    tcase_add_test(tc, quiet_and_verbose);
    tcase_add_test(tc, the_pace_of_slow_pictures);
    tcase_add_test(tc, skinning_is_chosen_and_the_cut_reported);
    tcase_add_test(tc, standard_output_that_fails);
    tcase_add_test(tc, strangers_names);
    tcase_add_test(tc, long_clip_names);
    tcase_add_test(tc, strict);
    tcase_add_test(tc, default_names);
    tcase_add_test(tc, templates_that_collide);
    tcase_add_test(tc, numbering);
    tcase_add_test(tc, one_picture_to_stdout);
    tcase_add_test(tc, sheets_and_animations);
    tcase_add_test(tc, options_of_formats);
    tcase_add_test(tc, sprite_sheets);
    tcase_add_test(tc, equal_pictures_are_written_each);
    tcase_add_test(tc, png_best);
    tcase_add_test(tc, dry_run);
    tcase_add_test(tc, signals);
    tcase_add_test(tc, kernels_and_threads_agree);
    tcase_add_test(tc, waiting_threads_sleep);
    tcase_add_test(tc, shards_make_the_whole);
    tcase_add_test(tc, options_have_effect);
    tcase_add_test(tc, files_that_are_no_environments);
    tcase_add_test(tc, files_that_are_no_matcaps);
    tcase_add_test(tc, doctor);
    tcase_add_test(tc, doctor_without_an_importer);
    tcase_add_test(tc, info_by_hand);
    tcase_add_test(tc, info_has_columns_whatever_the_names);
    tcase_add_test(tc, help_prints_chapters);
    tcase_add_test(tc, help_finds_what_has_to_do_with_words);
    tcase_add_test(tc, help_of_render_is_short_unless_all_is_asked_for);
    tcase_add_test(tc, bake_by_hand);
    tcase_add_test(tc, baked_files);
    tcase_add_test(tc, clips_are_found);
    tcase_add_test(tc, clips_of_other_files);
    tcase_add_test(tc, doubtful_clips_are_named);
    tcase_add_test(tc, variants_are_chosen);
    tcase_add_test(tc, parts_far_away_are_named);
    tcase_add_test(tc, parts_are_hidden_and_shown);
    tcase_add_test(tc, clips_of_an_md5_animation);
    tcase_add_test(tc, scenes_are_chosen);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
