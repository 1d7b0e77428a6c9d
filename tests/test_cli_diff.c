/* test_cli_diff.c: `marrow diff`: two pictures, two folders, two models whose differences are known
 * by construction. */
#include "golden_fixture.h"
#include "marrow/codecs.h"

#include <math.h>
#include <stdatomic.h>

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "'%s' lacks '%s'", text, part);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* A grey picture of 20x10 with so many pixels of the first row brighter by `more`. */
static void draw(const char *path, int count, int more)
{
    mrw_image image;
    mrw_bytes png;
    ck_assert_int_eq(mrw_image_create(20, 10, 3, &image, NULL), MRW_OK);
    memset(image.pixels, 100, 20 * 10 * 3);
    for (int i = 0; i < count; i++) {
        image.pixels[3 * i + 1] = (uint8_t)(100 + more);
    }
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write(path, png.data, png.size, NULL), MRW_OK);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
    return item->valuedouble;
}

START_TEST(two_pictures)
{
    draw("a.png", 0, 0);
    draw("b.png", 3, 7);
    shell("marrow diff a.png a.png");
    assert_status(0);
    ck_assert_str_eq(out, "identical\n");
    shell("marrow diff a.png b.png -o d.png");
    assert_status(1);
    assert_has(out, "3 of 200 pixels differ (1.5 % of the whole frame), by at most 7");
    assert_png("d.png", 20, 10, 2);
    ck_assert_str_eq(err, "");
    shell("marrow diff a.png b.png -v");
    assert_has(out, "\nlargest: red 0, green 7, blue 0, alpha 0\nwithin: 3x1 at 0,0\n");
    assert_has(out, "\nmean: 0.035000\n"); /* 3 * 7 / (200 * 3) */
    shell("marrow diff a.png b.png -q");
    assert_status(1);
    ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(limits_and_masks)
{
    draw("a.png", 0, 0);
    draw("b.png", 3, 7);
    shell("marrow diff a.png b.png --compare pixel --max-delta 7");
    assert_status(0);
    assert_has(out, "; within the limits\n");
    shell("marrow diff a.png b.png --compare pixel --max-delta 6 --max-pixels 2");
    assert_status(1);
    shell("marrow diff a.png b.png --compare pixel --max-pixels 3");
    assert_status(0);
    shell("marrow diff a.png b.png --compare pixel --max-ratio 0.015");
    assert_status(0);
    shell("marrow diff a.png b.png --compare perceptual --max-flip 0.5");
    assert_status(0);
    shell("marrow diff a.png b.png --compare perceptual --max-flip 0");
    assert_status(1);
    shell("marrow diff a.png b.png --mask rect:0,0,3,1");
    assert_status(0);
    shell("marrow diff a.png b.png --mask rect:0,0,2,1");
    assert_status(1);
    assert_has(out, "1 of 198 pixels differs");
    draw("mask.png", 20, 50); /* nowhere black */
    shell("marrow diff a.png b.png --mask image:mask.png");
    assert_status(0);
    shell("marrow diff a.png b.png --mask node:Head");
    assert_refused(2, "a picture does not record which pixels belong to a node");
    shell("marrow diff a.png b.png --mask image:gone.png");
    assert_refused(3, "gone.png");
}
END_TEST

START_TEST(pictures_as_json)
{
    draw("a.png", 0, 0);
    draw("b.png", 3, 7);
    shell("marrow diff a.png b.png --json");
    assert_status(1);
    cJSON *json = cJSON_Parse(out);
    ck_assert_ptr_nonnull(json);
    ck_assert(number_of(json, "differing") == 3);
    ck_assert(number_of(json, "subject_pixels") == 200);
    ck_assert(number_of(json, "ratio") == 0.015);
    ck_assert(fabs(number_of(json, "mean") - 0.035) < 1e-12);
    /* mean square 3 * 49 / 600; 10 log10(255^2 / that) */
    ck_assert(fabs(number_of(json, "psnr") - 10.0 * log10(255.0 * 255.0 / (147.0 / 600.0))) < 1e-9);
    ck_assert(number_of(json, "flip") > 0 && number_of(json, "flip_largest") <= 1);
    ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(json, "passed")));
    cJSON_Delete(json);
    shell("marrow diff a.png b.png --compare pixel --max-delta 9 --json | grep -c '\"flip\": 0'");
    ck_assert_str_eq(out, "1\n"); /* all metrics, also of what passes */
}
END_TEST

START_TEST(pictures_that_do_not_compare)
{
    draw("a.png", 0, 0);
    put("bad.png", "\x89PNG and no more");
    shell("marrow diff a.png bad.png");
    assert_refused(3, "bad.png");
    shell("marrow diff a.png gone.png");
    assert_refused(3, "gone.png: there is no such file; check the path\n");
    shell("mkdir dir; marrow diff a.png dir");
    assert_refused(2, "a.png is a picture, but dir is a folder");
    shell("marrow diff a.png %s/figure.glb", assets);
    assert_refused(2, "figure.glb is a model; compare two pictures, two folders or two models");
    shell("marrow diff a.png a.png -o diff.jpg");
    assert_refused(2, "must end in .png");
    shell("marrow diff a.png a.png -o gone/diff.png && test -f gone/diff.png");
    assert_status(0);
    write_plain_triangle();
    shell("marrow render tri.gltf --size 30x10 -o c.png -q; marrow diff a.png c.png");
    assert_status(1);
    ck_assert_str_eq(out, "20x10 expected, 30x10 got\n");
    shell("marrow diff a.png");
    assert_refused(2, "two arguments");
}
END_TEST

/* What is compared stays, whatever it is called. */
START_TEST(inputs_are_not_written_to)
{
    char before[65], after[65];
    draw("a.png", 0, 0);
    draw("b.png", 3, 7);
    shell("mkdir in in/one in/two; cp a.png b.png in; cp a.png in/one; cp b.png in/two/a.png; "
          "ln -s b.png in/soft.png; ln in/a.png in/hard.png; ln -s in/one link");
    fingerprint("in", before);
    static const char *const files[] = {"in/a.png", "./in/../in/b.png", "in/soft.png",
                                        "in/hard.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        shell("marrow diff in/a.png in/b.png -o %s", files[i]);
        assert_refused(2, "this is an input file and would be overwritten; choose another name");
        shell("marrow diff in/a.png in/b.png --junit %s", files[i]);
        assert_refused(2, "--junit ");
        shell("marrow diff in/a.png in/b.png --report-inline %s", files[i]);
        assert_refused(2, "--report-inline ");
    }
    static const char *const folders[] = {"in/one", "in/two/", "link", "in/one/new/deep"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        shell("marrow diff in/one in/two -o %s", folders[i]);
        assert_refused(2, "this is among the compared pictures");
        shell("marrow diff in/one in/two --report %s", folders[i]);
        assert_refused(2, "--report ");
    }
    shell("marrow diff in/one in/two -o in");
    assert_refused(2, "-o in: this folder contains the compared pictures");
    write_triangle("in/tri.gltf", "Go", "Back", 3, "");
    write_triangle("other.gltf", "Go", "Other", 3, "");
    fingerprint("in", before);
    shell("marrow diff in/tri.gltf other.gltf --junit in/tri.gltf");
    assert_refused(2, "--junit in/tri.gltf: this is an input file");
    fingerprint("in", after);
    ck_assert_str_eq(before, after);
    shell("marrow diff in/one in/two -o new -q --report page --junit new/j.xml");
    assert_status(1);
    ck_assert(exists("new/a.png") && exists("page/index.html") && exists("new/j.xml"));
}
END_TEST

START_TEST(picture_reports)
{
    draw("a.png", 0, 0);
    draw("b.png", 3, 7);
    shell("mkdir tmp; TMPDIR=tmp marrow diff a.png b.png --report rep --junit j.xml");
    assert_status(1);
    ck_assert(exists("rep/index.html"));
    ck_assert_int_eq(count_files("tmp"), 0);
    shell("ls tmp; find rep/pictures -type f | wc -l");
    ck_assert_str_eq(out, "3\n"); /* before, after, the difference */
    shell("cat j.xml");
    assert_has(out, "<testsuites name=\"a.png and b.png\" tests=\"1\" failures=\"1\"");
    ck_assert_ptr_null(strstr(out, "diff.png")); /* it is no more */
    shell("marrow diff a.png b.png --tap");
    assert_status(1);
    assert_has(out, "not ok 1 - pictures/b.png");
}
END_TEST

/* ---- folders --------------------------------------------------------------------------------- */

START_TEST(two_folders)
{
    shell("mkdir -p x/sub y/sub x/.hidden; ln -s ../x y/loop; echo hi >x/notes.txt");
    draw("x/same.png", 1, 1);
    draw("y/same.png", 1, 1);
    draw("x/sub/other.png", 0, 0);
    draw("y/sub/other.png", 2, 5);
    draw("x/old.png", 0, 0);
    draw("y/new.PNG", 0, 0);
    draw("x/.hidden/not.png", 0, 0);
    draw("x/cut.png", 0, 0);
    put("y/cut.png", "\x89PNG");
    shell("marrow diff x y/ -o out/ --junit j.xml -v");
    assert_status(1);
    assert_has(out, "cut.png: y/cut.png: ");
    assert_has(out, "new.PNG: it is only in y/\nold.png: it is only in x\nsame.png: identical\n");
    assert_has(out, "sub/other.png: 2 of 200 pixels differ");
    assert_has(out, "5 pictures: 1 identical, 2 different, 2 on one side only\n");
    assert_said("1 file is not a picture and was not compared");
    ck_assert_int_eq(count_files("out"), 1);
    assert_png("out/sub/other.png", 20, 10, 2);
    shell("cat j.xml");
    assert_has(out, "tests=\"5\" failures=\"4\"");
    shell("marrow diff x y --json");
    assert_status(1);
    cJSON *json = cJSON_Parse(out);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "cases")), 5);
    cJSON_Delete(json);
    shell("marrow diff x x -q -j 3");
    assert_status(0);
    ck_assert_str_eq(out, "");
    shell("marrow diff x y --compare pixel --max-delta 5 | tail -1");
    ck_assert_str_eq(out, "5 pictures: 1 identical, 1 within the limits, 1 different, "
                          "2 on one side only\n");
    /* Nobody writes into the pipe: it is not waited for. */
    shell("rm x/cut.png; mkfifo x/cut.png; marrow diff x y");
    assert_status(1);
    assert_has(out, "cut.png: x/cut.png: this is not a regular file\n");
    shell("mkdir none; marrow diff none none");
    assert_refused(3, "there are no pictures");
}
END_TEST

/* Names that a difference would share with another picture. */
START_TEST(folders_without_collisions)
{
    shell("mkdir x y");
    for (int i = 0; i < 2; i++) {
        const char *side = i ? "y" : "x";
        const unsigned char tga[] = {0, 0, 2, 0, 0, 0,  0, 0, 0, 0, 0,
                                     0, 1, 0, 1, 0, 24, 0, 1, 2, 3};
        unsigned char bytes[sizeof tga];
        char path[40];
        memcpy(bytes, tga, sizeof tga);
        bytes[sizeof tga - 1] = (unsigned char)(i * 9);
        snprintf(path, sizeof path, "%s/p.tga", side);
        ck_assert_int_eq(mrw_file_write(path, bytes, sizeof bytes, NULL), MRW_OK);
        snprintf(path, sizeof path, "%s/p.tga.png", side);
        draw(path, i, 9);
    }
    shell("marrow diff x y -o out");
    assert_status(1);
    ck_assert_int_eq(count_files("out"), 2);
    assert_png("out/p.tga.png", 20, 10, 2);
    assert_png("out/p.tga_.png", 1, 1, 2);
}
END_TEST

/* ---- models ---------------------------------------------------------------------------------- */

#define FRAMES 11 /* keys at 0, 0.1, ... 1 s: frames at 10 a second */

/* A skin of three joints in a row, one metre apart along X, each with a small triangle, and a clip
 * that turns the middle one about Z: by 5 degrees a key. */
typedef struct rig {
    const char *clip;   /* its name */
    const char *tip;    /* name of the last joint; NULL: it is not there */
    double more;        /* degrees added... */
    int at;             /* ... to this key */
    double last;        /* time of the last key: 1 */
    const char *colour; /* of the material */
    const char *paint;  /* its name */
} rig;

static const rig usual = {"Walk", "tip", 0, -1, 1.0, "[1,0,0,1]", "paint"};

static void write_rig(const char *path, const rig *r)
{
    const int joints = r->tip ? 3 : 2;
    float positions[27], weights[36], times[FRAMES], rotations[4 * FRAMES], binds[48];
    unsigned char indices[36];
    unsigned char data[2048];
    char text[4096];
    size_t at = 0, offsets[6];
    memset(weights, 0, sizeof weights);
    memset(binds, 0, sizeof binds);
    memset(indices, 0, sizeof indices);
    for (int j = 0; j < 3; j++) {
        const float corner[9] = {0, 0, 0, 0.6f, 0, 0, 0.3f, 0.5f, 0};
        for (int v = 0; v < 3; v++) {
            int k = 3 * j + v;
            memcpy(positions + 3 * k, corner + 3 * v, 3 * sizeof(float));
            positions[3 * k] += (float)j;
            weights[4 * k] = 1;
            indices[4 * k] = (unsigned char)(j < joints ? j : joints - 1);
        }
        for (int d = 0; d < 4; d++) {
            binds[16 * j + 5 * d] = 1;
        }
        binds[16 * j + 12] = (float)-j;
    }
    for (int k = 0; k < FRAMES; k++) {
        double half = (5.0 * k + (k == r->at ? r->more : 0.0)) * 3.14159265358979323846 / 360.0;
        times[k] = (float)(k * 0.1);
        rotations[4 * k] = rotations[4 * k + 1] = 0;
        rotations[4 * k + 2] = (float)sin(half);
        rotations[4 * k + 3] = (float)cos(half);
    }
    times[FRAMES - 1] = (float)r->last;
    const struct {
        const void *bytes;
        size_t size;
    } parts[6] = {
        {positions, sizeof positions}, {weights, sizeof weights}, {indices, 36},
        {binds, 64 * (size_t)joints},  {times, sizeof times},     {rotations, sizeof rotations}};
    for (int i = 0; i < 6; i++) {
        offsets[i] = at;
        memcpy(data + at, parts[i].bytes, parts[i].size);
        at += parts[i].size;
    }
    base64(data, at, text);
    FILE *file = fopen(path, "w");
    fprintf(
        file,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":["
        "{\"name\":\"body\",\"mesh\":0,\"skin\":0},{\"name\":\"hip\",\"children\":[2]},"
        "{\"name\":\"knee\",\"translation\":[1,0,0]%s}%s%s%s],"
        "\"skins\":[{\"joints\":[1,2%s],\"inverseBindMatrices\":3}],"
        "\"materials\":[{\"name\":\"%s\",\"pbrMetallicRoughness\":{\"baseColorFactor\":%s},"
        "\"doubleSided\":true}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"WEIGHTS_0\":1,"
        "\"JOINTS_0\":2},\"material\":0}]}],\"buffers\":[{\"byteLength\":%zu,"
        "\"uri\":\"data:application/octet-stream;base64,%s\"}],\"bufferViews\":[",
        r->tip ? ",\"children\":[3]" : "", r->tip ? ",{\"name\":\"" : "", r->tip ? r->tip : "",
        r->tip ? "\",\"translation\":[1,0,0]}" : "", r->tip ? ",3" : "", r->paint, r->colour, at,
        text);
    for (int i = 0; i < 6; i++) {
        fprintf(file, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", i ? "," : "",
                offsets[i], parts[i].size);
    }
    fprintf(file,
            "],\"accessors\":["
            "{\"bufferView\":0,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\","
            "\"min\":[0,0,0],\"max\":[2.6,0.5,0]},"
            "{\"bufferView\":1,\"componentType\":5126,\"count\":9,\"type\":\"VEC4\"},"
            "{\"bufferView\":2,\"componentType\":5121,\"count\":9,\"type\":\"VEC4\"},"
            "{\"bufferView\":3,\"componentType\":5126,\"count\":%d,\"type\":\"MAT4\"},"
            "{\"bufferView\":4,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\","
            "\"min\":[0],\"max\":[%.9g]},"
            "{\"bufferView\":5,\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"}],"
            "\"animations\":[{\"name\":\"%s\",\"samplers\":[{\"input\":4,\"output\":5}],"
            "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}]}",
            joints, FRAMES, times[FRAMES - 1], FRAMES, r->clip);
    fclose(file);
}

#define SMALL "--size 120 --fps 10 -q"

static void write_two(rig other)
{
    write_rig("old.gltf", &usual);
    write_rig("new.gltf", &other);
}

START_TEST(the_same_scene)
{
    write_two(usual);
    shell("marrow diff old.gltf new.gltf");
    assert_status(0);
    ck_assert_str_eq(out, "the same scene\n");
    shell("marrow diff old.gltf new.gltf --clip Wa?k --json");
    assert_status(0);
    cJSON *json = cJSON_Parse(out);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "cases")), 1);
    cJSON_Delete(json);
    shell("marrow diff old.gltf new.gltf --clip Run");
    assert_refused(3, "there is no clip \"Run\"");
    shell("marrow diff old.gltf demo:figure --size 40; marrow diff old.gltf gone.gltf");
    assert_status(3);
}
END_TEST

/* Only the colour of a material is another: every frame's pixels differ, no joint does. */
START_TEST(another_colour)
{
    rig other = usual;
    other.colour = "[0,0,1,1]";
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120");
    assert_status(1);
    assert_has(out, "Walk: 11 of 11 frames differ; frame ");
    assert_has(out, " differs most (");
    assert_has(out, " % of what marrow drew)\n");
    ck_assert_ptr_null(strstr(out, "turned"));
    ck_assert_str_eq(err, "marrow: colour of paint #0000ff, was #ff0000\n");
    other = usual;
    other.paint = "varnish"; /* another scene, but no other pixel */
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120");
    assert_status(0);
    ck_assert_str_eq(out, "Walk: the same\n"
                          "the files differ, but nothing that was compared differs\n");
    ck_assert_str_eq(err, "marrow: material varnish was called paint\n");
}
END_TEST

/* Without the tip its triangle belongs to the knee, whose share of the weights doubles: from 3 of 9
 * vertices to 6. */
START_TEST(other_weights)
{
    rig other = usual;
    other.tip = NULL;
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 40");
    assert_status(1);
    assert_has(err, "weights of body");
}
END_TEST

/* The knee turns by 7 degrees more at one key, which is frame 6 at 10 a second; so does the tip,
 * which hangs on it and moves by 2 sin(3.5 degrees) = 0.1221. The knee is told of: it is first. */
START_TEST(a_joint_turns)
{
    rig other = usual;
    other.more = 7;
    other.at = 6;
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 -j 2");
    assert_status(1);
    assert_has(out, "Walk: knee turned 7 degrees at frame 6; 1 of 11 frames differs: frame 6 "
                    "(");
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 --json");
    cJSON *json = cJSON_Parse(out);
    const cJSON *c = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cases"), 0);
    const cJSON *frames = cJSON_GetObjectItem(c, "frames");
    ck_assert_int_eq(cJSON_GetArraySize(frames), 11);
    const cJSON *pose = cJSON_GetObjectItem(cJSON_GetArrayItem(frames, 6), "pose");
    ck_assert(fabs(number_of(pose, "degrees") - 7.0) < 1e-4);
    ck_assert(number_of(pose, "differing") == 2);
    cJSON_Delete(json);
    /* 30 a second: the frames between the keys turn, too: by thirds. */
    shell("marrow diff old.gltf new.gltf --size 120");
    assert_has(out, "Walk: knee turned 7 degrees at frame 18; 5 of 31 frames differ");
    shell("marrow diff old.gltf new.gltf --frames 0-10x2 --fps 20 --size 60"); /* up to 0.5 s */
    assert_status(0);
    shell("marrow diff old.gltf new.gltf --times 0.6 --size 60");
    assert_status(1);
    shell("marrow diff old.gltf new.gltf --frames 40 --fps 10");
    assert_refused(3, "old.gltf: clip Walk: ");
}
END_TEST

START_TEST(limits_of_models)
{
    rig other = usual;
    other.more = 0.5;
    other.at = 6;
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 --max-degrees 0.51 --max-distance 0.1 "
          "--compare pixel --max-ratio 1");
    assert_status(0);
    ck_assert_str_eq(out, "Walk: 1 of 11 frames differs, but within the limits\n"
                          "the files differ, but nothing that was compared differs\n");
    shell("marrow diff old.gltf new.gltf " SMALL " --max-degrees 0.49 --max-distance 0.1 "
          "--compare pixel --max-ratio 1");
    assert_status(1);
    /* One angle alone, whatever the pixels: turned by less than a ten-thousandth of a degree. */
    other.more = 0.00005;
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120");
    assert_status(1);
    assert_has(out, "1 of 11 frames differs, but not in pixels\n");
    assert_has(out, "this may be rounding; --max-degrees 0.01 --max-distance 0.0001 would tolerate "
                    "it");
    shell("marrow diff old.gltf new.gltf " SMALL " --max-degrees 0.01 --max-distance 0.0001");
    assert_status(0);
}
END_TEST

START_TEST(masks_of_models)
{
    rig other = usual;
    other.more = 7;
    other.at = 6;
    write_two(other);
    /* Poses differ all the same; let them. */
    shell("marrow diff old.gltf new.gltf " SMALL " --max-degrees 8 --max-distance 1");
    assert_status(1);
    shell("marrow diff old.gltf new.gltf " SMALL " --max-degrees 8 --max-distance 1 "
          "--mask rect:0,0,120,120");
    assert_status(0);
    shell("marrow diff old.gltf new.gltf " SMALL " --aa 1 --max-degrees 8 --max-distance 1 "
          "--mask node:knee");
    assert_status(0);
    shell("marrow diff old.gltf new.gltf " SMALL " --aa 1 --max-degrees 8 --max-distance 1 "
          "--mask node:hip --mask node:tip --mask node:gone");
    assert_refused(3, "there is no node \"gone\"");
}
END_TEST

START_TEST(clips_come_and_go)
{
    rig other = usual;
    other.clip = "Stroll";
    write_two(other);
    shell("marrow diff old.gltf new.gltf --size 60");
    assert_status(1);
    ck_assert_str_eq(out, "Walk: this clip is only in old.gltf\n"
                          "Stroll: this clip is only in new.gltf\n");
    shell("marrow diff old.gltf new.gltf --clip Walk --size 60");
    ck_assert_str_eq(out, "Walk: this clip is only in old.gltf\n");
    shell("marrow diff old.gltf new.gltf --clip Nope");
    assert_refused(3, "old.gltf: there is no clip \"Nope\"");
    shell("marrow diff old.gltf new.gltf --pose rest --size 60");
    assert_status(0);
    assert_has(out, "rest: the same\n");
    write_triangle("old.gltf", "all", "Back", 3, "");
    write_triangle("new.gltf", "all", "Forth", 3, "");
    shell("marrow diff old.gltf new.gltf --size 30");
    ck_assert_str_eq(out, "all: the same\nBack: this clip is only in old.gltf\n"
                          "Forth: this clip is only in new.gltf\n");
    write_triangle("tri.gltf", "Go", "Back", 3, "");
    put("still.gltf", "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                      "\"nodes\":[{\"name\":\"mover\"}]}");
    shell("marrow diff tri.gltf still.gltf --size 60");
    assert_status(1);
    assert_has(out, "Go: this clip is only in tri.gltf\nBack: this clip is only in tri.gltf\n"
                    "rest: only one of the two has geometry at frame 0; 1 of 1 frame differs");
}
END_TEST

/* What begins a line is a name of the file's. */
START_TEST(clips_that_are_commands)
{
    write_triangle("old.gltf", "::error::a", "  ::error::b", 3, "");
    write_triangle("new.gltf", "##[error]c", "d ##vso[task.complete]", 3, "");
    shell("marrow diff old.gltf new.gltf");
    assert_status(1);
    assert_has(out, "\\x3A:error::a: this clip is only in old.gltf\n"
                    "  \\x3A:error::b: this clip is only in old.gltf\n"
                    "\\x23#[error]c: this clip is only in new.gltf\n"
                    "d \\x23#vso[task.complete]: this clip is only in new.gltf\n");
    shell("marrow diff old.gltf new.gltf --tap; marrow diff old.gltf new.gltf --json");
    ck_assert_ptr_null(strstr(out, "##["));
    ck_assert_ptr_null(strstr(out, "##vso["));
}
END_TEST

START_TEST(joints_come_and_go)
{
    rig other = usual;
    other.tip = "toe";
    write_two(other);
    shell("marrow diff old.gltf new.gltf --size 60");
    assert_status(1);
    ck_assert_str_eq(out, "joints: removed: tip; added: toe\nWalk: the same\n");
    other.tip = NULL; /* its triangle follows the knee, which it did before, one way removed */
    write_two(other);
    shell("marrow diff old.gltf new.gltf --size 60");
    assert_status(1);
    assert_has(out, "joints: removed: tip\nWalk: ");
    other.tip = "\\u001b[31mred";
    write_two(other);
    shell("marrow diff old.gltf new.gltf --size 60");
    assert_has(out, "added: \\x1B[31mred\n");
}
END_TEST

/* A file exported under another namespace has the same joints. */
START_TEST(namespaces)
{
    rig other = usual;
    write_two(other);
    shell("sed -i 's/\"hip\"/\"rig:hip\"/; s/\"knee\"/\"a:b:knee\"/' new.gltf; "
          "marrow diff old.gltf new.gltf --size 120 --fps 10");
    assert_status(0);
    ck_assert_str_eq(out, "Walk: the same\n"
                          "the files differ, but nothing that was compared differs\n");
    shell("marrow diff new.gltf old.gltf --size 120 --fps 10");
    assert_status(0);
    /* What differs is still seen, and told by its name in the file after. */
    other.more = 3.1;
    other.at = 6;
    write_two(other);
    shell("sed -i 's/\"knee\"/\"rig:knee\"/; s/\"tip\"/\"rig:hat\"/' new.gltf; "
          "marrow diff old.gltf new.gltf --size 120 --fps 10");
    assert_status(1);
    assert_has(out, "joints: removed: tip; added: rig:hat\n");
    assert_has(out, "rig:knee turned 3.1 degrees at frame 6");
    /* An equal name comes first. */
    write_two(usual);
    shell("sed -i 's/\"hip\"/\"x:knee\"/' old.gltf; sed -i 's/\"hip\"/\"y:knee\"/' new.gltf; "
          "marrow diff old.gltf new.gltf --size 120 --fps 10");
    assert_status(0);
}
END_TEST

START_TEST(another_duration)
{
    rig other = usual;
    other.last = 1.5;
    write_two(other);
    shell("marrow diff old.gltf new.gltf --fps 10 --size 60");
    assert_status(1);
    /* Up to the key at 0.9 s nothing differs. At 1 s one is at 50 degrees, the other 1/6 of the way
     * from 45. */
    assert_has(out, "Walk: lasts 1.5 s, before 1 s; knee turned 4.2 degrees at frame 10; "
                    "1 of 11 frames differs");
    shell("marrow diff old.gltf new.gltf --frames 0-5 --fps 10 --size 60");
    assert_status(1);
    ck_assert_str_eq(out, "Walk: lasts 1.5 s, before 1 s; all frames are the same\n");
}
END_TEST

START_TEST(model_reports)
{
    rig other = usual;
    other.more = 7;
    other.at = 6;
    write_two(other);
    shell("mkdir tmp; TMPDIR=tmp marrow diff old.gltf new.gltf " SMALL " --report rep");
    assert_status(1);
    ck_assert(exists("rep/index.html"));
    ck_assert_int_eq(count_files("tmp"), 0);
    shell("find rep/pictures -type f | wc -l");
    ck_assert_str_eq(out, "13\n"); /* before of all 11, after and difference of one */
    shell("marrow diff old.gltf new.gltf " SMALL " -o out");
    assert_png("out/Walk/Walk_0006.diff.png", 120, 120, 2);
    ck_assert(exists("out/Walk/Walk_0000.expected.png") && exists("out/Walk/Walk_0006.png"));
    ck_assert_int_eq(count_files("out"), 13);
    /* What was before is what render draws, where both have the same extents. */
    shell("marrow render old.gltf --size 120 --fps 10 --eye 1,0.2,9 -q -o r/{frame}.png; "
          "marrow diff old.gltf new.gltf " SMALL " --eye 1,0.2,9 -o out2; "
          "cmp r/6.png out2/Walk/Walk_0006.expected.png");
    ck_assert_int_eq(status, 0);
    shell("marrow diff old.gltf new.gltf -o file.png");
    assert_refused(2, "several pictures need a folder");
}
END_TEST

/* Who asks to stop. */
typedef struct stopper {
    atomic_int calls;
    int stop_at;
} stopper;

static mrw_status stop_at(void *user, mrw_error *e)
{
    stopper *s = user;
    if (atomic_fetch_add(&s->calls, 1) + 1 < s->stop_at) {
        return MRW_OK;
    }
    snprintf(e->text, sizeof e->text, "stopped");
    return MRW_ERROR_CANCELLED;
}

/* A camera and 11 pictures are compared; then, since one differs, a camera and the other 10 are
 * shown. */
START_TEST(stopped_at_any_picture)
{
    static const char *const options[] = {"fps", "10", "size", "24"};
    const int all = 1 + 11 + 1 + 10;
    rig other = usual;
    other.more = 7;
    other.at = 6;
    write_two(other);
    mrw_settings settings;
    mrw_settings_init(&settings);
    for (int i = 0; i < 4; i += 2) {
        ck_assert_int_eq(mrw_settings_set(&settings, options[i], options[i + 1], NULL), MRW_OK);
    }
    for (int at = 1; at <= all + 1; at++) {
        mrw_diff_def def = mrw_diff_def_default(&settings);
        stopper s = {.stop_at = at};
        mrw_results results;
        mrw_error error = {0};
        def.out = "shown";
        def.go_on = stop_at;
        def.user = &s;
        ck_assert_int_eq(mrw_diff("old.gltf", "new.gltf", &def, &results, &error),
                         at <= all ? MRW_ERROR_CANCELLED : MRW_OK);
        ck_assert_str_eq(error.text, at <= all ? "stopped" : "");
        ck_assert_int_eq(s.calls, at <= all ? at : all);
        if (at > all) {
            mrw_results_free(&results);
        }
    }
    mrw_settings_free(&settings);
}
END_TEST

/* Whatever one model does to the framing, both are seen alike. */
START_TEST(one_camera)
{
    rig other = usual;
    other.more = 90;
    other.at = 6;
    write_two(other); /* one frame alone reaches higher and would be framed otherwise */
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120");
    assert_status(1);
    assert_has(out, "1 of 11 frames differs: frame 6");
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 --fit all | grep -c '1 of 11 frames'");
    ck_assert_str_eq(out, "1\n");
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 --fit frame | grep -c '1 of 11 fr'");
    ck_assert_str_eq(out, "1\n");
    shell("marrow diff old.gltf new.gltf --fps 10 --size 120 --follow tip | grep -c '1 of 11 fr'");
    ck_assert_str_eq(out, "1\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_diff");
    TCase *tc = tcase_create("cli_diff");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, two_pictures);
    tcase_add_test(tc, limits_and_masks);
    tcase_add_test(tc, pictures_as_json);
    tcase_add_test(tc, pictures_that_do_not_compare);
    tcase_add_test(tc, inputs_are_not_written_to);
    tcase_add_test(tc, picture_reports);
    tcase_add_test(tc, two_folders);
    tcase_add_test(tc, folders_without_collisions);
    tcase_add_test(tc, the_same_scene);
    tcase_add_test(tc, another_colour);
    tcase_add_test(tc, other_weights);
    tcase_add_test(tc, a_joint_turns);
    tcase_add_test(tc, limits_of_models);
    tcase_add_test(tc, masks_of_models);
    tcase_add_test(tc, clips_come_and_go);
    tcase_add_test(tc, clips_that_are_commands);
    tcase_add_test(tc, joints_come_and_go);
    tcase_add_test(tc, namespaces);
    tcase_add_test(tc, another_duration);
    tcase_add_test(tc, model_reports);
    tcase_add_test(tc, stopped_at_any_picture);
    tcase_add_test(tc, one_camera);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
