/* test_cli_suites.c: what `marrow test` does with suites: which cases run, how they are compared,
 * hashes in place of pictures, masks, folders, unused goldens, exit statuses. */
#include "golden_fixture.h"

/* ---- which cases ----------------------------------------------------------------------------- */

START_TEST(nothing_to_run)
{
    shell("marrow test");
    assert_refused(1, "there are no cases");
    put("t.suite.ini", "[defaults]\nsize = 64\n");
    shell("marrow test");
    assert_refused(1, "there are no cases");
    make_goldens();
    shell("marrow test -k nothing");
    assert_refused(2, "no case matches -k nothing");
    shell("marrow test --tag nothing");
    assert_refused(2, "no case matches --tag nothing");
    shell("marrow test nowhere");
    assert_status(3);
    shell("marrow accept nothing");
    assert_refused(2, "no case matches 'nothing'");
    shell("mkdir empty; cd empty; marrow accept");
    assert_status(2);
    shell("marrow test --last-failed");
    assert_status(0);
    assert_said("no case failed in the last run");
}
END_TEST

START_TEST(some_of_them)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go, Back\ntags = quick, walk\n"
              "[still]\nmodel = tri.gltf\npose = rest\n");
    shell("marrow test --list");
    assert_status(0);
    ck_assert_str_eq(out, "t/go.Go  [quick, walk]\nt/go.Back  [quick, walk]\nt/still\n");
    shell("marrow test --list --json");
    cJSON *list = cJSON_Parse(out);
    ck_assert_int_eq(cJSON_GetArraySize(list), 3);
    ck_assert_str_eq(cJSON_GetArrayItem(list, 1)->child->string, "suite");
    cJSON_Delete(list);
    ck_assert(!exists("results"));
    shell("marrow test --update -k 'go.*'");
    assert_printed("2 cases: 2 updated");
    shell("marrow test --tag walk");
    assert_printed("2 cases: 2 passed");
    shell("marrow test -k Bac -k 't/still' --list");
    ck_assert_str_eq(out, "t/go.Back  [quick, walk]\nt/still\n");
    shell("marrow test -k t/go --list | wc -l; marrow test -k 'o.?o' --list | wc -l");
    ck_assert_str_eq(out, "2\n0\n");
    shell("marrow test -k Back -k Sit");
    assert_refused(2, "no case matches -k Sit; marrow test --list");
    shell("marrow test");
    assert_status(1);
    assert_printed("3 cases: 2 passed, 1 failed");
    shell("marrow test --last-failed");
    assert_status(1);
    assert_printed("1 case: 1 failed");
    shell("marrow test --shard 1/2");
    assert_status(1);
    assert_printed("2 cases: 1 passed, 1 failed");
    shell("marrow test --shard 2/2");
    assert_status(0);
    assert_printed("1 case: 1 passed");
    shell("marrow test --shard 5/5");
    assert_status(0);
}
END_TEST

/* Several at once; one that names nothing stops all of them. */
START_TEST(accept_some)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go, Back\n[still]\nmodel = tri.gltf\npose = rest\n");
    shell("marrow test");
    shell("marrow accept t/still 't/go.O*'");
    assert_refused(2, "no case matches 't/go.O*'");
    ck_assert(!exists("golden"));
    shell("marrow accept 't/still' 't/go.B*'");
    assert_status(0);
    ck_assert(exists("golden/t/still/golden.txt") && exists("golden/t/go.Back/golden.txt"));
    ck_assert(!exists("golden/t/go.Go"));
    shell("marrow test");
    assert_printed("3 cases: 2 passed, 1 failed");
}
END_TEST

START_TEST(skipped)
{
    make_goldens();
    put_suite("[go]\nmodel = gone.gltf\nskip = until the new rig is in\n");
    shell("marrow test");
    assert_status(77);
    assert_printed("1 case: 1 skipped in ");
    shell("marrow test -v");
    assert_printed("skipped t/go: until the new rig is in (0 frames");
    /* Their goldens are not unused. */
    assert_not_printed("unused golden");
}
END_TEST

START_TEST(known_to_fail)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\nxfail = hips\n");
    shell("marrow test");
    assert_status(1);
    assert_printed("xpassed t/go: it passes, though it is known to fail: hips\n");
    spoil_pixel("golden/t/go/Go_0000.png", 1, 1, 255);
    shell("marrow test");
    assert_status(0);
    assert_printed("1 case: 1 xfailed in ");
    /* What is known to be wrong does not become a golden. */
    shell("marrow test --update=all; marrow accept");
    assert_said("nothing to accept");
    shell("marrow test");
    assert_printed("1 case: 1 xfailed in ");
}
END_TEST

START_TEST(fail_fast)
{
    write_plain_triangle();
    put_suite("[a]\nmodel = gone.gltf\n[b]\nmodel = tri.gltf\n[c]\nmodel = tri.gltf\n");
    shell("marrow test --fail-fast -j 1 -v");
    assert_status(1);
    assert_printed("failed t/a: ");
    assert_printed("skipped t/b: not run: another case failed earlier (--fail-fast)");
    assert_printed("3 cases: 1 failed, 2 skipped in ");
}
END_TEST

START_TEST(in_ci)
{
    make_goldens();
    shell("CI=true marrow test --update");
    assert_refused(2, "CI is set");
    shell("CI=true marrow test --update=missing");
    assert_refused(2, "--force");
    shell(
        "CI=true marrow test --update --force && CI=true marrow test && CI= marrow test --update");
    assert_status(0);
    /* Whatever else writes goldens. */
    shell("touch golden/t/go/Go_0099.png; CI=true marrow test --prune");
    assert_refused(2, "--prune: CI is set");
    spoil_pixel("golden/t/go/Go_0000.png", 1, 1, 1);
    shell("marrow test >/dev/null; CI=1 marrow accept");
    assert_refused(2, "CI is set, and nobody has looked at goldens accepted in CI");
    shell("CI=1 marrow accept --dry-run && marrow test");
    assert_status(1);
    ck_assert(exists("golden/t/go/Go_0099.png"));
    shell("CI=1 marrow accept --force; CI=1 marrow test --prune --force");
    assert_status(0);
    ck_assert(!exists("golden/t/go/Go_0099.png"));
    shell("marrow test --force");
    assert_refused(2, "--force has no effect without --update");
}
END_TEST

START_TEST(statuses)
{
    make_goldens();
    shell("marrow test --isa quantum");
    assert_status(2);
#if defined(__x86_64__)
    shell("marrow test --isa neon");
    assert_refused(77, "neon");
#endif
    shell("marrow test --isa scalar && marrow test --repeat 3");
    assert_status(0);
    put("t.suite.ini", "[go]\nmodle = tri.gltf\n");
    shell("marrow test");
    assert_refused(2, "t.suite.ini:2: ");
}
END_TEST

/* One thread or many: the same results, but for their seconds. */
START_TEST(threads_change_nothing)
{
    write_plain_triangle();
    put_suite(
        "[a]\nmodel = tri.gltf\nclip = Go, Back\nframes = 0-20\ncheck = pixels, pose, bounds\n"
        "[b]\nmodel = demo:blob\nfit = frame\nframes = 0-9\nstore = hash\nkey-frames = -1\n"
        "[c]\nmodel = gone.glb\n");
    shell("marrow test --update");
    spoil_pixel("golden/t/a.Back/Back_0007.png", 9, 9, 3);
    for (int j = 1; j <= 9; j += 2) {
        shell("marrow test -j %d --json | sed 's/\"seconds\": *[0-9.e-]*//g' >j%d.json; "
              "cmp j1.json j%d.json",
              j, j, j);
        assert_status(0);
    }
}
END_TEST

/* ---- how they are compared ------------------------------------------------------------------- */

START_TEST(hashes)
{
    write_plain_triangle();
    put_suite(
        "[go]\nmodel = tri.gltf\nclip = Go\nframes = 0-9\nstore = hash\nkey-frames = 0,-22\n");
    shell("marrow test --update; marrow test");
    assert_status(0);
    /* 30 is the last frame: -22 is 9. */
    ck_assert_int_eq(count_files("golden/t/go"), 3);
    ck_assert(exists("golden/t/go/Go_0000.png") && exists("golden/t/go/Go_0009.png"));
    shell("grep -c '^frame Go_....' golden/t/go/golden.txt; grep '^key' golden/t/go/golden.txt | "
          "cut -c1-11");
    ck_assert_str_eq(out, "8\nkey Go_0000\nkey Go_0009\n");
    shell("sed -i '/^frame Go_0004/s/.$/x/; /^frame Go_0004/y/x/0/; /^frame Go_0005/d' "
          "golden/t/go/golden.txt; sed -i 's/\\(^frame Go_0004 .*\\).$/\\1f/; "
          "s/\\(^frame Go_0004 .\\)./\\1e/' golden/t/go/golden.txt; "
          "marrow test");
    assert_status(1);
    assert_printed("Go_0004: pixels differ (by hash: only key frames have a golden picture)");
    assert_printed("(and 1 more of 10 frames)");
    assert_png("results/t/go/Go_0004.png", 64, 48, 2);
    shell("marrow accept");
    ck_assert_str_eq(out, "t/go/Go_0004: pixels differ (by hash)\nt/go/Go_0005: new\n");
    ck_assert_int_eq(count_files("golden/t/go"), 3);
    shell("marrow test");
    assert_status(0);
    spoil_pixel("golden/t/go/Go_0000.png", 2, 2, 1);
    shell("rm golden/t/go/Go_0009.png; marrow test");
    assert_status(1);
    assert_printed("Go_0000: 1 of ");
    shell("marrow test --update=missing");
    assert_status(1);
    ck_assert(exists("golden/t/go/Go_0009.png"));
    shell("marrow test --update; marrow test");
    assert_status(0);
    shell("marrow test --update=all; rm golden/t/go/golden.txt; marrow test");
    assert_status(1);
    assert_printed("there is no golden yet (and 9 more of 10 frames)");
    shell("marrow accept; marrow test");
    assert_status(0);
}
END_TEST

/* Frames that pass though they differ show themselves when another one fails. */
START_TEST(tolerance)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncompare = pixel\nmax-delta = 2\n");
    shell("marrow test --update");
    spoil_pixel("golden/t/go/Go_0000.png", 3, 3, 1);
    shell("marrow test; marrow test --update; marrow test");
    assert_status(0);
    ck_assert(!exists("results/t"));
    spoil_pixel("golden/t/go/Go_0015.png", 3, 3, 128);
    shell("marrow test --json");
    assert_status(1);
    ck_assert(exists("results/t/go/Go_0000.png") && exists("results/t/go/Go_0000.expected.png"));
    cJSON *json = cJSON_Parse(out);
    const cJSON *first =
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cases"), 0), "frames")
            ->child;
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(first, "passed")));
    cJSON_Delete(json);
    /* Only what failed is taken. */
    shell("marrow accept");
    ck_assert_ptr_null(strstr(out, "Go_0000"));
    shell("marrow test; sed -i 's/max-delta = 2/max-delta = 0/' t.suite.ini; marrow test");
    assert_status(1);
    assert_printed("Go_0000: 1 of ");
}
END_TEST

START_TEST(masks)
{
    write_plain_triangle();
    put_suite("[rect]\nmodel = tri.gltf\nmask = rect:0,0,4,4\n"
              "[image]\nmodel = tri.gltf\nmask = image:mask.png\n"
              "[node]\nmodel = tri.gltf\nmask = node:mover\n"
              "[both]\nmodel = tri.gltf\nmask = node:mover + rect:0,0,64,47\n");
    shell("marrow render demo:blob --background black --size 64x48 -o mask.png -q; "
          "marrow test --update");
    assert_status(0);
    spoil_pixel("golden/t/rect/Go_0000.png", 3, 3, 99);
    spoil_pixel("golden/t/image/Go_0000.png", 32, 24, 99);
    spoil_pixel("golden/t/node/Go_0000.png", 25, 30, 99);
    spoil_pixel("golden/t/both/Go_0000.png", 63, 46, 99);
    shell("marrow test");
    assert_status(0);
    spoil_pixel("golden/t/rect/Go_0000.png", 4, 3, 99);
    spoil_pixel("golden/t/node/Go_0000.png", 0, 0, 99);
    shell("marrow test");
    assert_status(1);
    assert_printed("failed t/rect: ");
    assert_printed("failed t/node: ");
    assert_printed("4 cases: 2 passed, 2 failed");
    shell("marrow render demo:blob --size 32x24 -o mask.png -q; marrow test -k image");
    assert_status(1);
    assert_printed("mask.png: the mask is 32x24, but the pictures are 64x48");
    shell("sed -i 's/node:mover/node:remover/' t.suite.ini; marrow test -k node");
    assert_status(1);
    assert_printed("remover");
    assert_printed("mover");
}
END_TEST

/* Nothing would be compared. */
START_TEST(masks_of_everything)
{
    write_plain_triangle();
    put_suite("[rect]\nmodel = tri.gltf\nmask = rect:0,0,64,40 + rect:0,40,999,999\n"
              "[image]\nmodel = tri.gltf\nmask = image:mask.png + node:mover\n");
    shell("marrow render demo:blob --size 64x48 -o mask.png -q; marrow test --update");
    assert_status(1);
    assert_printed("failed t/rect: the masks cover a whole picture");
    assert_printed("failed t/image: the masks cover a whole picture");
    ck_assert(!exists("golden/t"));
}
END_TEST

/* ---- folders --------------------------------------------------------------------------------- */

START_TEST(other_results)
{
    make_goldens();
    shell("marrow test --out there");
    assert_status(0);
    ck_assert(exists("there/results.json") && exists("there/.gitignore"));
    spoil_pixel("golden/t/go/Go_0000.png", 3, 3, 1);
    shell("mkdir kept; touch kept/own.txt; marrow test --out kept");
    assert_status(1);
    assert_printed("results are in kept; --report DIR shows them; if they are right, run: marrow "
                   "accept 't/go' --from kept\n");
    ck_assert(!exists("kept/.gitignore"));
    /* As downloaded from elsewhere. */
    shell("mv kept downloaded; rm -r results there; marrow accept --from downloaded");
    assert_status(0);
    assert_printed("t/go/Go_0000: 1 of ");
    shell("marrow test --out downloaded");
    assert_status(0);
    ck_assert(exists("downloaded/own.txt"));
    shell("marrow accept --from nowhere");
    assert_status(3);
}
END_TEST

/* Goldens have the names of results, and old results are removed. */
START_TEST(results_among_goldens)
{
    char before[65], after[65];
    make_goldens();
    fingerprint("golden", before);
    shell("marrow test --out golden");
    assert_refused(2, "golden: results must not go among the goldens");
    shell("marrow test --out ./golden/../golden/t");
    assert_refused(2, "results must not go among the goldens");
    shell("ln -s golden link; marrow test --update=all --out link/");
    assert_refused(2, "results must not go among the goldens");
    fingerprint("golden", after);
    ck_assert_str_eq(before, after);
    shell("sed -i 's/aa = 1/&\\ngolden = results/' t.suite.ini; rm -r results; marrow test "
          "--update");
    assert_refused(2, "t.suite.ini:4: golden 'results'");
    shell("sed -i 's/golden = results/golden = ./' t.suite.ini; marrow test --update; marrow test");
    assert_status(0);
    ck_assert(exists("t/go/Go_0000.png"));
    shell("marrow test --out .");
    assert_refused(2, "results must not go among the goldens");
}
END_TEST

/* Results that lack a picture, or have a wrong one, change nothing. */
START_TEST(results_not_whole)
{
    char before[65], after[65];
    make_goldens();
    spoil_pixel("golden/t/go/Go_0000.png", 3, 3, 1);
    fingerprint("golden", before);
    shell("marrow test; mv results/t/go/Go_0000.png x; marrow accept");
    assert_status(3);
    assert_said("run marrow test again");
    shell("head -c 300 x >results/t/go/Go_0000.png; marrow accept");
    assert_status(3);
    shell("cp x results/t/go/Go_0000.png; rm results/t/go/golden.txt; marrow accept");
    assert_status(3);
    shell("echo '{\"schema\":1' >results/results.json; marrow accept");
    assert_status(3);
    fingerprint("golden", after);
    ck_assert_str_eq(before, after);
}
END_TEST

/* A results folder is locked once, not once a case. */
START_TEST(more_cases_than_files)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nazimuth = 0, 1, 2, 3, 4, 5, 6, 7\n"
              "elevation = 0, 1, 2, 3, 4, 5, 6, 7\nstore = hash\n");
    shell("ulimit -n 40; marrow test --update; marrow test");
    assert_status(0);
    assert_printed("64 cases: 64 passed in ");
}
END_TEST

START_TEST(several_suites)
{
    write_plain_triangle();
    shell("mkdir -p one two three/one");
    put("one/suite.ini", "[go]\nmodel = ../tri.gltf\nsize = 32\n");
    put("two/suite.ini", "[go]\nmodel = ../tri.gltf\nsize = 32\n");
    shell("marrow test --update; marrow test");
    assert_status(0);
    ck_assert(exists("one/golden/one/go/Go_0000.png") && exists("two/results/results.json"));
    shell("grep '^scene ' one/golden/one/go/golden.txt | cut -c1-20");
    ck_assert_str_eq(out, "scene \"../tri.gltf\" \n");
    spoil_pixel("two/golden/two/go/Go_0000.png", 3, 3, 1);
    shell("marrow test --json");
    assert_status(1);
    assert_printed("two/results/two/go/Go_0000.png");
    assert_said("results are in the results folder of each suite");
    shell("cd two; marrow accept; cd ..; marrow test");
    assert_status(0);
    shell("marrow test --out all");
    assert_status(0);
    /* Two of one name. */
    put("three/one/suite.ini", "[go]\nmodel = ../../tri.gltf\nsize = 32\n");
    shell("marrow test --update");
    assert_status(0);
    shell("marrow test --out all");
    assert_refused(2, "two cases would write their results to all/one/go");
}
END_TEST

/* ---- names of suites ------------------------------------------------------------------------- */

/* A checkout may be called anything; `name` keeps the goldens. */
START_TEST(a_suite_with_a_name)
{
    write_plain_triangle();
    shell("mkdir repo; mv tri.gltf repo; cd repo; marrow init tri.gltf -q -o suite.ini --size 24; "
          "marrow test --update -q");
    assert_status(0);
    ck_assert(exists("repo/golden/tri/Go/golden.txt"));
    shell("mv repo src; cd src; marrow test");
    assert_status(0);
    assert_printed("2 cases: 2 passed");
    shell("cd src; marrow init tri.gltf --name hero -o two.suite.ini -q --size 24; marrow test "
          "two.suite.ini --update -q; cd golden; ls");
    ck_assert_str_eq(out, "hero\ntri\n");
    shell("marrow init src/tri.gltf --name he/ro");
    assert_refused(2, "write --name he_ro");
    /* Both are named where they share goldens. */
    shell("cd src; sed -i 's/^name = .*/name = TRI/' two.suite.ini; marrow test");
    assert_status(2);
    assert_said("two.suite.ini:1: this suite is called TRI, as is suite.ini except for capital");
}
END_TEST

/* Without a name, goldens under the old name of the folder are found, and none are written. */
START_TEST(a_checkout_with_another_name)
{
    char before[65], after[65];
    write_plain_triangle();
    shell("mkdir repo; mv tri.gltf repo");
    put("repo/suite.ini", "[go]\nmodel = tri.gltf\nsize = 24\nclip = Go, Back\n");
    shell("cd repo; marrow test --update -q");
    shell("mv repo src; cd src; marrow test");
    assert_status(1);
    assert_printed("golden/repo holds these cases: add `name = repo` to [defaults] of suite.ini\n");
    fingerprint("src/golden", before);
    shell("cd src; marrow test --update");
    assert_refused(2, "--update: golden/repo holds these cases: add `name = repo` to [defaults] of "
                      "suite.ini; --force writes new goldens");
    shell("cd src; marrow accept");
    assert_refused(2, "accept: golden/repo holds these cases: add `name = repo`");
    fingerprint("src/golden", after);
    ck_assert_str_eq(before, after);
    put("src/suite.ini",
        "[defaults]\nname = typo\n[go]\nmodel = tri.gltf\nsize = 24\nclip = Go, Back\n");
    shell("cd src; marrow test");
    assert_printed("golden/repo holds these cases: write `name = repo` in [defaults] of suite.ini");
    put("src/suite.ini", "[go]\nmodel = tri.gltf\nsize = 24\nclip = Go, Back\n[defaults]\nname = "
                         "repo\n");
    shell("cd src; marrow test");
    assert_status(0);
    assert_not_printed("holds these cases");
}
END_TEST

/* A new suite with the cases of another one is not a lost one. */
START_TEST(a_new_suite_beside_another)
{
    write_plain_triangle();
    put("a.suite.ini", "[go]\nmodel = tri.gltf\nsize = 24\n");
    shell("marrow test --update -q; cp a.suite.ini b.suite.ini; marrow test b.suite.ini");
    assert_status(1);
    assert_not_printed("holds these cases");
    shell("marrow test b.suite.ini --update -q");
    assert_status(0);
    shell("mv golden/b golden/c; marrow test b.suite.ini --update -q");
    assert_status(2);
    shell("marrow test b.suite.ini --update --force -q; ls golden");
    ck_assert_str_eq(out, "a\nb\nc\n");
}
END_TEST

/* What a case no longer uses is listed by full runs, removed by --prune, and nothing else is. */
START_TEST(unused_goldens)
{
    make_goldens();
    put_suite("[run]\nmodel = tri.gltf\nclip = Go\nframes = 15\n");
    shell("cp golden/t/go/golden.txt golden/t/go/pose.txt; echo mine >golden/t/go/notes.txt; "
          "cp golden/t/go/Go_0000.png golden/t/go/logo.png; touch "
          "golden/t/go/.Go_0001.png.7-7.tmp; marrow test "
          "--update");
    assert_status(0);
    assert_printed("5 unused goldens; --prune removes them:\n"
                   "  golden/t/go/.Go_0001.png.7-7.tmp\n"
                   "  golden/t/go/Go_0000.png\n"
                   "  golden/t/go/Go_0015.png\n"
                   "  golden/t/go/golden.txt\n"
                   "  golden/t/go/pose.txt\n");
    shell("marrow test -k run");
    assert_not_printed("unused golden");
    shell("marrow test --prune -k run");
    assert_status(2);
    shell("cp golden/t/run/Go_0015.png golden/t/run/Go_0099.png; marrow test --prune");
    assert_status(0);
    assert_printed("6 unused goldens removed:\n");
    shell("find golden/t/*/ -type f | sort");
    ck_assert_str_eq(out, "golden/t/go/logo.png\ngolden/t/go/notes.txt\ngolden/t/run/Go_0015.png\n"
                          "golden/t/run/golden.txt\n");
    /* Of a case that draws nothing nobody knows what it uses. */
    shell("mv tri.gltf x; marrow test --prune");
    assert_status(1);
    ck_assert(exists("golden/t/run/Go_0015.png"));
}
END_TEST

/* Old results of a case go before the run; what is not ours stays. */
START_TEST(old_results)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0-3\n");
    shell("marrow test; touch results/t/go/own.txt results/t/go/.Go_0000.png.1-2.tmp; "
          "marrow test --update");
    assert_status(0);
    shell("find results -type f | sort");
    ck_assert_str_eq(out, "results/.gitignore\nresults/results.json\nresults/t/go/own.txt\n");
}
END_TEST

/* ---- what is said ---------------------------------------------------------------------------- */

START_TEST(output)
{
    make_goldens();
    shell("marrow test -q");
    assert_status(0);
    ck_assert_str_eq(out, "");
    ck_assert_str_eq(err, "");
    shell("marrow test -v");
    assert_printed("passed t/go (2 frames, ");
    shell("marrow test --tap");
    assert_printed("TAP version 13\n");
    assert_not_printed("1 case");
    assert_said("1 case: 1 passed in ");
    spoil_pixel("golden/t/go/Go_0000.png", 3, 3, 1);
    shell("marrow test -q --junit out/j.xml --report-inline out/i.html --report out/r");
    assert_status(1);
    ck_assert_ptr_eq(strstr(out, "failed t/go: "), out);
    ck_assert_ptr_eq(strchr(out, '\n'), out + strlen(out) - 1);
    ck_assert(exists("out/j.xml") && exists("out/i.html") && exists("out/r/index.html"));
    shell("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=s.md marrow test");
    assert_status(1);
    assert_said("::error file=t.suite.ini,line=4");
    ck_assert(exists("s.md"));
    shell("touch blocked; marrow test --junit blocked/j.xml");
    assert_status(4);
}
END_TEST

/* Changes the model behind the run's back once it has been loaded. */
static void change_model(void *user, const char *text)
{
    const bool gone = strstr(text, "gone.png");
    ck_assert_msg(gone || strstr(text, "needs texture coordinates 0"), "%s", text);
    if (gone && ++*(int *)user == 1) {
        ck_assert_int_eq(system("sed -i 's/\"mesh\":0/&,\"scale\":[1,2,1]/' tri.gltf"), 0);
    }
}

/* A model that loads differently every time is found by --repeat, and makes no goldens. */
START_TEST(unsteady_model)
{
    static const char *const here[] = {"."};
    mrw_case_list cases;
    mrw_results results;
    mrw_error error;
    int calls = 0;
    mrw_test_def def = mrw_test_def_default();
    write_triangle("tri.gltf", "Go", "Back", 3, ",\"material\":0");
    shell("sed -i 's/\"buffers\"/\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":"
          "{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"gone.png\"}],&/' "
          "tri.gltf");
    put_suite("[go]\nmodel = tri.gltf\n");
    ck_assert_int_eq(mrw_cases_load(here, 1, &cases, &error), MRW_OK);
    def.update = MRW_UPDATE_ALL;
    def.repeat = 3;
    def.warning = change_model;
    def.user = &calls;
    ck_assert_int_eq(mrw_test_run(&cases, &def, &results, &error), MRW_OK);
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(results.cases[0].outcome, MRW_FAILED);
    ck_assert_uint_eq(results.cases[0].runs, 2);
    ck_assert_str_eq(results.cases[0].message,
                     "run 2 gave a different result: the model loads as a different scene");
    ck_assert(!exists("golden"));
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

/* What several cases add is read once, by cases at work at the same time, too: what is said of it
 * is said once. */
START_TEST(added_models_are_read_once)
{
    write_plain_triangle();
    shell("sed 's/\"meshes\"/\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":"
          "{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"gone.png\"}],&/; "
          "s/\"POSITION\":0}/&,\"material\":0/' tri.gltf >odd.gltf");
    put_suite("[go]\nmodel = tri.gltf\nclip = Go, Back\nadd = odd.gltf@mover\nframes = 0,15\n"
              "[free]\nmodel = tri.gltf\nadd = odd.gltf + ./odd.gltf\nshading = lambert, unlit\n"
              "[mirrored]\nmodel = odd.gltf\nadd = tri.gltf\n");
    for (int jobs = 1; jobs < 5; jobs += 3) {
        shell("rm -rf golden; marrow test --update -j %d 2>log; grep -c gone.png log", jobs);
        /* As odd.gltf and as ./odd.gltf of --add, and as the last case's own: one file. */
        ck_assert_ptr_nonnull(strstr(out, "\n1\n"));
        shell("marrow test -j %d --repeat 2", jobs);
        assert_status(0);
    }
}
END_TEST

/* A sequence draws what render draws. */
START_TEST(same_as_render)
{
    put_suite("[run]\nmodel = demo:figure\nclip = Run\nframes = 0-12x6\nsize = 96\nazimuth = 70\n"
              "background = none\n");
    shell("marrow test --update -q; marrow render demo:figure --clip Run --frames 0-12x6 --size 96 "
          "--azimuth 70 --background none --aa 1 -q -o 'r/{clip}_{frame:04}.png'; "
          "cmp r/Run_0006.png golden/t/run/Run_0006.png && cmp r/Run_0012.png "
          "golden/t/run/Run_0012.png");
    assert_status(0);
}
END_TEST

/* A clip that no case draws is mentioned, once per model, in runs of all cases. */
START_TEST(clips_without_a_case)
{
    write_plain_triangle();
    shell("cp tri.gltf other.gltf");
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\n[again]\nmodel = tri.gltf\nclip = Go\n");
    put("u.suite.ini", "[all]\nmodel = other.gltf\nclip = all\nsize = 16\n");
    shell("marrow test --update");
    assert_status(0);
    assert_printed("note: tri.gltf: no case draws Back\n");
    assert_not_printed("other.gltf");
    shell("marrow test");
    assert_status(0); /* a note, not a failure */
    assert_printed("note: tri.gltf: no case draws Back\n");
    shell("marrow test -k go");
    assert_not_printed("no case draws");
    shell("marrow test --shard 1/2");
    assert_not_printed("no case draws");
    put_suite("[go]\nmodel = tri.gltf\nblend = Go:1,Back:1\ncount = 2\n");
    shell("marrow test --update");
    assert_status(0);
    assert_not_printed("no case draws");
}
END_TEST

/* A renamed clip is recognised by what it does. */
START_TEST(renamed_clips)
{
    write_triangle("m.gltf", "Idle", "Back", 3, "");
    put_suite("[idle]\nmodel = m.gltf\nclip = Idle\n");
    shell("marrow test --update && sed -i 's/\"Idle\"/\"IdleNew\"/' m.gltf");
    assert_status(0);
    shell("marrow test");
    assert_status(1);
    assert_printed("there is no clip \"Idle\"");
    assert_printed("; since the goldens were made: clip IdleNew was called Idle\n");
    shell("sed -i 's/clip = Idle/clip = Nothing/' t.suite.ini && marrow test");
    assert_status(1);
    assert_printed("there is no clip \"Nothing\"");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_suites");
    TCase *t = tcase_create("suites");
    tcase_set_timeout(t, 240);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, nothing_to_run);
    tcase_add_test(t, some_of_them);
    tcase_add_test(t, accept_some);
    tcase_add_test(t, skipped);
    tcase_add_test(t, known_to_fail);
    tcase_add_test(t, fail_fast);
    tcase_add_test(t, in_ci);
    tcase_add_test(t, statuses);
    tcase_add_test(t, threads_change_nothing);
    tcase_add_test(t, hashes);
    tcase_add_test(t, tolerance);
    tcase_add_test(t, masks);
    tcase_add_test(t, masks_of_everything);
    tcase_add_test(t, other_results);
    tcase_add_test(t, results_among_goldens);
    tcase_add_test(t, results_not_whole);
    tcase_add_test(t, more_cases_than_files);
    tcase_add_test(t, several_suites);
    tcase_add_test(t, a_suite_with_a_name);
    tcase_add_test(t, a_checkout_with_another_name);
    tcase_add_test(t, a_new_suite_beside_another);
    tcase_add_test(t, unused_goldens);
    tcase_add_test(t, old_results);
    tcase_add_test(t, output);
    tcase_add_test(t, unsteady_model);
    tcase_add_test(t, added_models_are_read_once);
    tcase_add_test(t, same_as_render);
    tcase_add_test(t, clips_without_a_case);
    tcase_add_test(t, renamed_clips);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
