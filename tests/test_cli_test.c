/* test_cli_test.c: `marrow test` and `marrow accept` as a user meets them: goldens that are made,
 * missing, spoilt, accepted; what is refused; what is left behind. */
#include "golden_fixture.h"

#include <signal.h>

/* ---- a first run ----------------------------------------------------------------------------- */

/* Nothing passes that nobody has looked at. */
START_TEST(first_run)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n");
    shell("marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0000: there is no golden yet (and 1 more of 2 frames)\n");
    assert_printed("1 case: 1 failed in ");
    assert_printed("results are in results; --report DIR shows them; if they are right, run: "
                   "marrow accept 't/go'\n");
    assert_png("results/t/go/Go_0000.png", 64, 48, 2);
    assert_png("results/t/go/Go_0015.png", 64, 48, 2);
    ck_assert(!exists("golden"));
    ck_assert(exists("results/.gitignore"));
    shell("marrow accept --dry-run");
    assert_status(0);
    ck_assert_str_eq(out, "t/go/Go_0000: new\nt/go/Go_0015: new\n");
    assert_said("2 goldens would be written");
    ck_assert(!exists("golden"));
    shell("marrow accept 't/go'");
    assert_status(0);
    assert_said("2 goldens written");
    shell("marrow test");
    assert_status(0);
    assert_printed("1 case: 1 passed in ");
    ck_assert(!exists("results/t"));
    ck_assert_int_eq(count_files("golden"), 4); /* golden.txt, and the parts of the model */
    shell("marrow accept");
    assert_status(0);
    assert_said("nothing to accept");
}
END_TEST

/* A second run writes the same bytes, whatever wrote them, however many threads. */
START_TEST(updates_are_the_same)
{
    char first[65], other[65];
    make_goldens();
    fingerprint("golden", first);
    shell("marrow test --update=all");
    assert_status(0);
    assert_printed("updated t/go: goldens of 2 frames written: 0 new, 2 changed");
    fingerprint("golden", other);
    ck_assert_str_eq(first, other);
    shell("rm -r golden; marrow test -j 8; marrow accept");
    assert_status(0);
    fingerprint("golden", other);
    ck_assert_str_eq(first, other);
    shell("marrow test --update");
    assert_printed("1 case: 1 passed");
    ck_assert_int_eq(count_files("results"), 2);
}
END_TEST

/* ---- spoilt goldens -------------------------------------------------------------------------- */

START_TEST(one_pixel)
{
    make_goldens();
    spoil_pixel("golden/t/go/Go_0015.png", 3, 5, 1);
    shell("marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0015: 1 of ");
    assert_printed("by at most 1");
    assert_printed("within 1x1 at 3,5");
    assert_png("results/t/go/Go_0015.png", 64, 48, 2);
    assert_png("results/t/go/Go_0015.diff.png", 64, 48, 2);
    assert_png("results/t/go/Go_0015.expected.png", 64, 48, 2);
    assert_png("results/t/go/Go_0000.expected.png", 64, 48, 2);
    ck_assert(!exists("results/t/go/Go_0000.png"));
    shell("cmp golden/t/go/Go_0015.png results/t/go/Go_0015.expected.png");
    assert_status(0);
    shell("marrow accept --dry-run");
    assert_printed("t/go/Go_0015: 1 of ");
    shell("marrow test --update=missing");
    assert_status(1);
    shell("marrow test --update");
    assert_status(0);
    assert_printed("updated t/go: goldens of 1 frame written: 0 new, 1 changed");
    shell("marrow test");
    assert_status(0);
}
END_TEST

START_TEST(missing_golden)
{
    make_goldens();
    shell("rm golden/t/go/Go_0015.png; marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0015: there is no golden yet\n");
    spoil_pixel("golden/t/go/Go_0000.png", 0, 0, 1);
    shell("marrow test --update=missing");
    assert_status(1);
    ck_assert(exists("golden/t/go/Go_0015.png"));
    assert_printed("failed t/go: Go_0000: 1 of ");
    ck_assert(!exists("results/t/go/Go_0015.png"));
    shell("rm golden/t/go/golden.txt; marrow test --update=missing");
    assert_status(1);
    ck_assert(exists("golden/t/go/golden.txt"));
    shell("marrow accept; marrow test");
    assert_status(0);
}
END_TEST

START_TEST(damaged_golden)
{
    make_goldens();
    shell("head -c 200 golden/t/go/Go_0000.png >x; mv x golden/t/go/Go_0000.png; marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0000: the golden is damaged: golden/t/go/Go_0000.png: ");
    ck_assert(!exists("results/t/go/Go_0000.expected.png"));
    shell("marrow test --update=missing");
    assert_status(1);
    shell("marrow accept");
    assert_status(0);
    assert_printed("t/go/Go_0000: replaces a damaged golden\n");
    shell("marrow test");
    assert_status(0);
    shell(": >golden/t/go/Go_0000.png; marrow test");
    assert_status(1);
    assert_printed("damaged");
    shell("rm golden/t/go/Go_0000.png; mkdir golden/t/go/Go_0000.png; marrow test");
    assert_status(1);
    assert_printed("damaged");
    /* Nobody writes into the pipe: it is not waited for. */
    shell("rmdir golden/t/go/Go_0000.png; mkfifo golden/t/go/Go_0000.png; marrow test");
    assert_status(1);
    assert_printed("golden/t/go/Go_0000.png: this is not a regular file");
    shell("rm results/t/go/Go_0000.png; mkfifo results/t/go/Go_0000.png; marrow accept 2>&1");
    assert_status(3);
    assert_printed("results/t/go/Go_0000.png: this is not a regular file");
}
END_TEST

START_TEST(damaged_texts)
{
    make_goldens();
    shell("sed -i 's/^pixel_version/pixel-version/' golden/t/go/golden.txt; marrow test");
    assert_status(1);
    assert_printed("failed t/go: golden/t/go/golden.txt:2: unknown line 'pixel-version'\n");
    shell("marrow test --update=missing");
    assert_status(1);
    shell("marrow accept");
    assert_status(0);
    ck_assert_str_eq(out, "t/go: golden.txt\n");
    shell("marrow test");
    assert_status(0);
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pose, bounds\n");
    shell("marrow test --update; sed -i '$d' golden/t/go/pose.txt; marrow test");
    assert_status(1);
    assert_printed("Go_0015: joints not in the golden: mover at frame 15\n");
    shell("sed -i '2s/$/ 7/' golden/t/go/bounds.txt; marrow test");
    assert_status(1);
    assert_printed("the golden is damaged: golden/t/go/bounds.txt:2: there is extra text");
    shell("rm golden/t/go/pose.txt; marrow test");
    assert_status(1);
    assert_printed("Go_0000: there is no golden for its pose yet; the golden is damaged: ");
    shell("marrow test --update; marrow test");
    assert_status(0);
}
END_TEST

START_TEST(another_size)
{
    make_goldens();
    shell("sed -i 's/64x48/32x24/' t.suite.ini; marrow test");
    assert_status(1);
    assert_printed(
        "failed t/go: the suite changed: size = 32x24, was 64x48; Go_0000: 64x48 expected, "
        "32x24 got (and 1 more of 2 frames)");
    assert_png("results/t/go/Go_0000.diff.png", 64, 48, 2);
}
END_TEST

/* ---- models that changed --------------------------------------------------------------------- */

START_TEST(renamed_clip)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n[back]\nmodel = tri.gltf\nclip = "
              "Back\n");
    shell("marrow test --update; sed -i 's/\"Go\"/\"Goes\"/' tri.gltf; marrow test");
    assert_status(1);
    assert_printed("failed t/go: ");
    assert_printed("there is no clip \"Go\"; there are Goes, Back");
    assert_printed("2 cases: 1 passed, 1 failed in ");
    assert_not_printed("failed t/back");
    /* There is nothing of it to accept. */
    shell("marrow accept");
    assert_said("nothing to accept");
}
END_TEST

START_TEST(broken_model)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n[gone]\nmodel = gone.glb\n[bad]\n"
              "model = bad.glb\n");
    shell("echo nonsense >bad.glb; marrow test --update");
    assert_status(1);
    assert_printed("failed t/gone: gone.glb: ");
    assert_printed("failed t/bad: bad.glb: ");
    assert_printed("3 cases: 1 passed, 2 failed in ");
}
END_TEST

/* That it is another scene is said before pixels; and is no failure by itself. */
START_TEST(another_scene)
{
    make_goldens();
    shell("sed -i 's/\"tri\"/\"TRI\"/' tri.gltf; marrow test -v");
    assert_status(0);
    assert_printed(
        "passed t/go: tri.gltf: mesh TRI was called tri; nothing that is compared differs");
    shell("sed -i 's/\"min\":\\[0,0,0\\]/&/; s/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' tri.gltf; "
          "marrow test");
    assert_status(1);
    assert_printed("failed t/go: tri.gltf: node mover has a different rest pose; mesh TRI was "
                   "called tri; framing would change: the box grows by 1.0 upwards; Go_0000: ");
    shell("marrow accept --dry-run");
    assert_printed("t/go/Go_0000: tri.gltf: node mover has a different rest pose; mesh TRI was "
                   "called tri; ");
    assert_printed("\nt/go/Go_0015: "); /* told once */
    assert_printed("\nt/go: framing: the box grows by 1.0 upwards\n");
    shell("marrow test --update");
    assert_status(0);
    assert_printed(
        "updated t/go: tri.gltf: node mover has a different rest pose; mesh TRI was called tri; "
        "the framing changes: the box grows by 1.0 upwards; goldens of 2 frames written");
    shell("marrow test -v");
    assert_status(0);
    assert_not_printed("mover");
}
END_TEST

/* A golden.txt of version 1, as an older marrow left it: its scene hash is of another formula and
 * says nothing, all else is compared. */
START_TEST(goldens_of_an_older_marrow)
{
    static const char old[] = "sed -i -E -e '1s/4/1/' "
                              "-e '/^(scene_formula|size|option|part|camera|time|end)/d' "
                              "-e 's/^scene .*/scene \"tri.gltf\" "
                              "c26d6a1509c79b3e80b8e80663a5c54c1690cfbb1f47ca901d858e5f751e12f9/' "
                              "golden/t/go/golden.txt; ";
    char command[600];
    make_goldens();
    shell("head -3 golden/t/go/golden.txt");
    assert_printed("marrow golden 4\npixel_version");
    assert_printed("\nscene_formula 2\n");
    snprintf(command, sizeof command, "%s head -2 golden/t/go/golden.txt; marrow test -v", old);
    shell(command);
    assert_status(0);
    assert_printed("marrow golden 1\npixel_version");
    assert_printed(
        "passed t/go: golden.txt was made by an older marrow: scene not compared; nothing "
        "that is compared differs");
    assert_printed(
        "note: 1 case was framed again: golden.txt is from an older marrow and contains no camera; "
        "marrow test --update adds it\n");
    assert_not_printed("importer changed");
    shell("marrow test --strict; marrow test --update=new; marrow test --against \"$MARROW\" -v");
    assert_status(0);
    assert_not_printed("older marrow: scene not compared; goldens");
    /* pictures still are */
    shell("sed -i 's/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' tri.gltf; marrow test");
    assert_status(1);
    assert_printed("failed t/go: golden.txt was made by an older marrow: scene not compared; "
                   "Go_0000: ");
    assert_not_printed("importer changed");
    shell("marrow test --update");
    assert_status(0);
    assert_printed(
        "updated t/go: golden.txt was made by an older marrow: scene not compared; goldens "
        "of ");
    shell("head -1 golden/t/go/golden.txt; marrow test -v");
    assert_status(0);
    assert_printed("marrow golden 4\n");
    assert_not_printed("scene not compared");
    /* from a marrow to come */
    shell("sed -i 's/^scene_formula 2/scene_formula 3/' golden/t/go/golden.txt; marrow test -v");
    assert_status(0);
    assert_printed(
        "passed t/go: golden.txt was made by a newer marrow: scene not compared; nothing "
        "that is compared differs");
    shell("marrow test --update");
    assert_printed("golden.txt written");
    shell("rm golden/t/go/golden.txt; marrow test");
    assert_status(1);
    assert_printed("golden/t/go/golden.txt is missing: it records the scene and pixel version");
}
END_TEST

START_TEST(another_pixel_version)
{
    make_goldens();
    shell("sed -i 's/^pixel_version .*/pixel_version 999/' golden/t/go/golden.txt; marrow test -v");
    assert_status(0);
    assert_printed("the goldens have pixel version 999, but this marrow draws version ");
    shell("marrow test --update; grep -c 999 golden/t/go/golden.txt");
    ck_assert_str_eq(strrchr(out, '\n') - 1, "0\n");
}
END_TEST

/* ---- joints ---------------------------------------------------------------------------------- */

START_TEST(turned_joint)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pixels, pose, bounds\n");
    shell("marrow test --update; marrow test");
    assert_status(0);
    /* One degree about Z. */
    shell("sed -i 's/\"mesh\":0/&,\"rotation\":[0,0,0.008726535,0.999961923]/' tri.gltf; "
          "marrow test");
    assert_status(1);
    assert_printed(
        "Go_0000: mover turned 1 degrees at frame 0; the bounding box is off by 0.017; ");
    shell("marrow test --update=all; marrow accept; marrow test");
    assert_status(0);
    /* Joints alone, with a limit. */
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pose\nmax-degrees = 1.5\n"
              "max-distance = 0.001\n");
    shell("sed -i 's/0.008726535,0.999961923/0.0,1.0/' tri.gltf; marrow test");
    assert_status(0);
    ck_assert(!exists("results/t"));
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pose\nmax-degrees = 0.5\n"
              "max-distance = 0.001\n");
    shell("marrow test");
    assert_status(1);
    assert_printed("; Go_0000: mover turned 1 degrees at frame 0 (and 1 more of 2 frames)");
    shell("marrow accept");
    assert_printed("t/go/Go_0015: mover turned 1 degrees\n");
    shell("marrow test");
    assert_status(0);
}
END_TEST

START_TEST(joint_golden_by_hand)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,30\ncheck = pose, bounds\n");
    shell("marrow test --update; cat golden/t/go/pose.txt golden/t/go/bounds.txt");
    assert_status(0);
    assert_printed("marrow pose 1\n"
                   "frame Go_0000\n"
                   "joint \"mover\" 1 0 0 0 1 0 0 0 1 0 0 0\n"
                   "frame Go_0030\n"
                   "joint \"mover\" 1 0 0 0 1 0 0 0 1 0 0 2\n"
                   "marrow bounds 1\n"
                   "frame Go_0000 0 0 0 1 1 0\n"
                   "frame Go_0030 0 0 2 1 1 2\n");
    shell("sed -i 's/0 0 2$/0 0 1.98/' golden/t/go/pose.txt; marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0030: mover moved 0.02 at frame 30\n");
    ck_assert(!exists("results/t/go/Go_0030.png"));
}
END_TEST

/* ---- pictures of nothing --------------------------------------------------------------------- */

START_TEST(blank_picture)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\neye = 0,0,9\ntarget = 0,0,99\n");
    shell("marrow test --update");
    assert_status(1);
    assert_printed("failed t/go: Go_0000: there is no golden yet; the picture is blank");
    ck_assert(!exists("golden/t/go/Go_0000.png"));
    shell("marrow accept");
    assert_status(1);
    ck_assert_str_eq(out, "refused t/go/Go_0000: new; blank (--allow-blank accepts it)\n");
    ck_assert(!exists("golden/t/go/Go_0000.png"));
    shell("marrow accept --allow-blank");
    assert_status(0);
    shell("marrow test; grep empty golden/t/go/golden.txt");
    assert_status(0);
    assert_printed("empty Go_0000\n");
    /* A golden that somebody copied there is not enough. */
    shell("sed -i '/^empty/d' golden/t/go/golden.txt; marrow test");
    assert_status(1);
    assert_printed("failed t/go: Go_0000: the picture is blank");
    shell("marrow test --update");
    assert_status(1);
    shell("marrow test --update --allow-blank");
    assert_status(0);
    shell("marrow test");
    assert_status(0);
}
END_TEST

START_TEST(cut_picture)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\neye = 0.3,0.3,0.01\ntarget = 0.3,0.3,0\nnear = 0.001\n");
    shell("marrow test --update");
    assert_status(1);
    assert_printed("the picture is ");
    shell("marrow accept");
    assert_status(1);
}
END_TEST

/* ---- places that can't be written ------------------------------------------------------------ */

START_TEST(results_folder_is_a_file)
{
    char before[65], after[65];
    make_goldens();
    fingerprint("golden", before);
    shell("rm -r results; touch results; marrow test");
    assert_refused(4, "results: cannot make the folder: Not a directory");
    shell("marrow test --update=all");
    assert_refused(4, "results");
    shell("marrow test --out /proc/nowhere/results");
    assert_refused(4, "/proc");
    fingerprint("golden", after);
    ck_assert_str_eq(before, after);
    shell("marrow test --out elsewhere/deep");
    assert_status(0);
    ck_assert(exists("elsewhere/deep/results.json"));
}
END_TEST

START_TEST(results_folder_is_read_only)
{
    bool root = geteuid() == 0;
    const char *as = root ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    make_goldens();
    shell("%s '%s' --version", as, program);
    if (status != 0) {
        SKIP("cannot run the program as another user");
        return;
    }
    shell("rm -r results; mkdir results; chmod 555 results; %s '%s' test", as, program);
    assert_refused(4, "results: results can't be written there");
    shell("chmod -R a-w golden; chmod 777 results; rm golden/t/go/Go_0000.png; "
          "chmod 555 golden/t/go; %s '%s' test --update",
          as, program);
    assert_refused(4, "golden/t/go/Go_0000.png");
}
END_TEST

START_TEST(golden_folder_is_a_file)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\n");
    shell("touch golden; marrow test --update");
    assert_refused(4, "golden: cannot make the folder");
    shell("marrow test");
    assert_status(1);
    shell("marrow accept");
    assert_status(4);
}
END_TEST

/* ---- ended half-way -------------------------------------------------------------------------- */

/* Killed at any moment: goldens are whole, and the next run works. */
START_TEST(killed)
{
    char text[8000] = "", before[65], after[65];
    write_plain_triangle();
    for (int i = 0; i < 60; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "[c%d]\nmodel = tri.gltf\nframes = 0-30\nsize = 200\n", i);
    }
    put_suite(text);
    shell("marrow test --update -q");
    assert_status(0);
    for (int i = 0; i < 60; i += 3) {
        char path[64];
        snprintf(path, sizeof path, "golden/t/c%d/Go_0007.png", i);
        spoil_pixel(path, 1, 1, 9);
    }
    fingerprint("golden", before);
    for (int i = 0; i < 6; i++) {
        shell("rm -rf results; '%s' test -q & sleep 0.%d; kill -9 $!; wait $!", program, 1 + i);
        fingerprint("golden", after);
        ck_assert_str_eq(before, after);
        if (status == 137 && !exists("results/results.json")) { /* it was fast enough otherwise */
            shell("marrow accept");
            assert_status(3);
            assert_said("there are no results to accept; run marrow test first");
        }
    }
    shell("'%s' test -q --update=all & sleep 0.3; kill -9 $!; wait $!", program);
    shell("marrow test");
    assert_not_printed("damaged");
    shell("marrow test --update --prune -q"); /* also what was being written when it was killed */
    assert_status(0);
    shell("marrow test");
    assert_status(0);
    fingerprint("golden", before);
    shell("rm -rf golden results; marrow test --update -q; marrow test");
    assert_status(0);
    fingerprint("golden", after);
    ck_assert_str_eq(before, after);
}
END_TEST

/* Two runs into one results folder: each would remove what the other has just written. */
START_TEST(two_at_once)
{
    write_plain_triangle();
    put_suite("[a]\nmodel = tri.gltf\nframes = 0-9\nsize = 64\n"
              "[b]\nmodel = tri.gltf\nframes = 0-9\nsize = 64\nazimuth = 20\n");
    for (int i = 0; i < 20; i++) {
        shell("rm -rf golden results; '%s' test --update=all & first=$!; "
              "'%s' test --update=all; second=$?; wait $first && exit $second",
              program, program);
        ck_assert_msg(status == 0, "pair %d: status %d: %s", i, status, err);
        shell("marrow test");
        assert_status(0);
    }
}
END_TEST

/* Waiting for another run ends with a signal, too, and nothing of the other's is touched. */
START_TEST(waiting_ends)
{
    write_plain_triangle();
    put_suite("[a]\nmodel = tri.gltf\n");
    shell("marrow test --update");
    assert_status(0);
    shell("exec 9<results; flock 9; '%s' test 2>said 9<&- & run=$!; "
          "until grep -q 'another run' said; do sleep 0.05; done 2>/dev/null; "
          "kill -TERM $run; wait $run; result=$?; cat said >&2; exit $result",
          program);
    assert_status(143);
    assert_said("results: another run is writing its results here");
    assert_said("stopped by a signal");
    ck_assert(exists("results/results.json"));
}
END_TEST

/* An interrupt ends the run after the cases at work. */
START_TEST(interrupted)
{
    char text[30000] = "";
    for (int i = 0; i < 300; i++) { /* seconds of work on any machine */
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "[c%d]\nmodel = demo:figure\nsize = 1200\naa = 8\nazimuth = %d\n", i, i);
    }
    put_suite(text);
    shell("'%s' test & until find results -name '*.png' | grep -q .; do sleep 0.05; done "
          "2>/dev/null; "
          "kill -TERM $!; wait $!",
          program);
    assert_status(143);
    assert_said("stopped by a signal");
    ck_assert(exists("results/results.json"));
    shell("marrow accept --dry-run");
    assert_status(0);
}
END_TEST

/* ---- names of strangers ---------------------------------------------------------------------- */

START_TEST(hostile_names)
{
    static const char hostile[] = "</script>\\u001b[31m\\n::error::pwned";
    write_triangle("tri.gltf", hostile, "Back", 3, "");
    shell("sed -i 's/\"mover\"/\"]]>\\\\u001b[2J\\\\n::error::x\"/' tri.gltf");
    put_suite("[go]\nmodel = tri.gltf\nframes = 0,15\nclip = 0\ncheck = pixels, pose\n");
    shell("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md marrow test --junit j.xml --report r "
          "--report-inline i.html");
    assert_status(1);
    assert_printed("failed t/go: __script___31m___error__pwned_0000: there is no golden yet");
    shell("marrow test --update; sed -i 's/^\\(joint.*\\) 0$/\\1 0.5/' golden/t/go/pose.txt; "
          "GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md marrow test --junit j.xml --report r "
          "--report-inline i.html --json");
    assert_status(1);
    assert_said("]]>\\x1B[2J\\x0A::error::x moved 0.5");
    ck_assert_ptr_null(strchr(err, '\x1b'));
    ck_assert_ptr_null(strchr(out, '\x1b'));
    ck_assert_ptr_null(strstr(err, "\n::error::"));
    ck_assert_int_eq(system("grep -Ilr \"$(printf '\\033')\" j.xml r/index.html i.html summary.md "
                            "results/results.json golden"),
                     1 << 8);
    ck_assert_int_eq(system("grep -q '</script>.\\[31m' i.html r/index.html"), 1 << 8);
    ck_assert_int_eq(system("python3 -c 'import xml.dom.minidom as m; m.parse(\"j.xml\")' "
                            "2>/dev/null || ! command -v python3 >/dev/null"),
                     0);
    shell("marrow accept");
    assert_status(0);
    ck_assert_ptr_null(strchr(out, '\x1b'));
    shell("marrow test");
    assert_status(0);
}
END_TEST

/* Two clips that would share a file name. */
START_TEST(names_that_collide)
{
    write_triangle("tri.gltf", "a b", "a_b", 3, "");
    put_suite("[go]\nmodel = tri.gltf\nclip = all\n");
    shell("marrow test --update");
    assert_status(1);
    assert_printed("two frames would both be called a_b_0000.png");
    ck_assert(!exists("golden"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_test");
    TCase *t = tcase_create("goldens");
    tcase_set_timeout(t, 240);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, first_run);
    tcase_add_test(t, updates_are_the_same);
    tcase_add_test(t, one_pixel);
    tcase_add_test(t, missing_golden);
    tcase_add_test(t, damaged_golden);
    tcase_add_test(t, damaged_texts);
    tcase_add_test(t, another_size);
    tcase_add_test(t, renamed_clip);
    tcase_add_test(t, broken_model);
    tcase_add_test(t, another_scene);
    tcase_add_test(t, goldens_of_an_older_marrow);
    tcase_add_test(t, another_pixel_version);
    tcase_add_test(t, turned_joint);
    tcase_add_test(t, joint_golden_by_hand);
    tcase_add_test(t, blank_picture);
    tcase_add_test(t, cut_picture);
    tcase_add_test(t, results_folder_is_a_file);
    tcase_add_test(t, results_folder_is_read_only);
    tcase_add_test(t, golden_folder_is_a_file);
    tcase_add_test(t, killed);
    tcase_add_test(t, two_at_once);
    tcase_add_test(t, waiting_ends);
    tcase_add_test(t, interrupted);
    tcase_add_test(t, hostile_names);
    tcase_add_test(t, names_that_collide);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
