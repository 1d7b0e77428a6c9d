/* test_cli_stand_in.c: Git LFS pointers and HTML pages in place of files: models, their parts,
 * textures, environments, goldens. */
#include "golden_fixture.h"

#define POINTER                                                                                    \
    "version https://git-lfs.github.com/spec/v1\n"                                                 \
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
#define SAYS "is a Git LFS pointer: run `git lfs pull` (GitHub: actions/checkout with `lfs: true`)"

/* A triangle with a texture, as OBJ. */
static void write_obj(void)
{
    test_write_text("m.obj", "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n"
                             "f 1/1 2/1 3/1\n");
    test_write_text("m.mtl", "newmtl m\nmap_Kd t.png\n");
    shell("marrow render demo:figure --size 16 -q -o t.png");
    assert_status(0);
}

START_TEST(models)
{
    static const char *const names[] = {"a.glb", "a.gltf", "a.obj", "a.fbx", "a.dae", "a.marrow"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char part[200];
        test_write_text(names[i], POINTER);
        snprintf(part, sizeof part, "%s: this " SAYS, names[i]);
        shell("marrow render %s -o o.png", names[i]);
        assert_refused(3, part);
        shell("marrow info %s", names[i]);
        assert_refused(3, part);
        test_write_text(names[i], "\xef\xbb\xbf \r\n<!doctype HTML>\n<p>Not found");
        shell("marrow render %s -o o.png", names[i]);
        assert_refused(3, "this is an HTML page");
    }
    shell("marrow render - -o o.png <a.glb");
    assert_refused(3, "this is an HTML page");
    shell("marrow render https://example.org/a.glb -o o.png");
    assert_refused(3, "https://example.org/a.glb: marrow reads files; download it first");
    ck_assert(!exists("o.png"));
}
END_TEST

START_TEST(parts)
{
    write_obj();
    test_write_text("m.mtl", POINTER);
    shell("marrow render m.obj -o o.png");
    assert_refused(3, "m.obj: its file \"m.mtl\" " SAYS);
    write_obj();
    test_write_text("t.png", POINTER);
    shell("marrow render m.obj -o o.png");
    assert_refused(3, "m.obj: its file \"t.png\" " SAYS);
    /* Its status is not asked for: assimp keeps its scene, a leak to AddressSanitizer. */
    shell("marrow render m.obj --no-sandbox -o o.png");
    assert_said("m.obj: its file \"t.png\" " SAYS);
    /* Found beside the model, although its own path leads out of the folder. */
    test_write_text("m.mtl", "newmtl m\nmap_Kd /home/artist/t.png\n");
    shell("marrow render m.obj -o o.png");
    assert_refused(3, "\" " SAYS);
    test_write_text("b.gltf",
                    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,"
                    "\"uri\":\"b.bin\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
                    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
                    "\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]}],\"meshes\":[{"
                    "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{"
                    "\"mesh\":0}]}");
    test_write_text("b.bin", POINTER);
    shell("marrow render b.gltf -o p.png");
    assert_refused(3, "b.gltf: its file \"b.bin\" " SAYS);
    test_write_text("e.hdr", POINTER);
    shell("marrow render demo:figure --env e.hdr -o p.png");
    assert_refused(3, "e.hdr: this " SAYS);
    ck_assert(!exists("p.png"));
}
END_TEST

/* A pointer among the goldens fails its case, and nothing replaces it. */
START_TEST(goldens)
{
    static const char *const names[] = {"Go_0000.png", "golden.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        make_goldens();
        snprintf(path, sizeof path, "golden/t/go/%s", names[i]);
        test_write_text(path, POINTER);
        shell("marrow test");
        assert_status(1);
        assert_printed(SAYS);
        shell("marrow accept");
        assert_status(3);
        assert_said(SAYS);
        shell("marrow test --update=all");
        assert_status(1);
        assert_printed(SAYS);
        shell("cat %s", path);
        ck_assert_str_eq(out, POINTER);
        shell("rm -r golden");
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_stand_in");
    TCase *tc = tcase_create("cli_stand_in");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, models);
    tcase_add_test(tc, parts);
    tcase_add_test(tc, goldens);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
