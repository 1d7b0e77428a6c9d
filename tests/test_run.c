/* test_run.c: goldens on disk and poses against each other; runs through the library: parallel,
 * ended early, out of memory. */
#include "test.h"

#include "base/memory.h"
#include "golden/lines.h"
#include "golden/store.h"

#include <limits.h>
#include <marrow/golden.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

static mrw_bytes bytes_of(char *text)
{
    return (mrw_bytes){(uint8_t *)text, strlen(text)};
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Any name comes back, in one line. */
START_TEST(names_survive)
{
    static const char *const names[] = {
        "",
        "LeftFoot",
        "Left Foot",
        "a\"b\\c",
        "two\nlines",
        "\x1b[31mred",
        "\xff\xfe broken",
        "Fu\xc3\x9f \xe8\x84\x9a",
        "\xe2\x80\xaeright to left",
        "</script>",
        "::error::no",
        "tab\there\r",
        "\\x41",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mrw_text text = {0};
        mrwi_golden_lines lines;
        char word[16], back[100];
        mrw_text_add(&text, "first\nname ");
        mrwi_golden_lines_put_quoted(&text, names[i]);
        mrw_text_add(&text, " 7\n");
        mrw_bytes bytes = {(uint8_t *)text.data, text.size};
        uint32_t number = 0;
        ck_assert_int_eq(mrwi_golden_lines_begin(&lines, "f", &bytes, "first", NULL), MRW_OK);
        ck_assert(mrwi_golden_lines_next(&lines, word));
        ck_assert_str_eq(word, "name");
        ck_assert_int_eq(mrwi_golden_lines_quoted(&lines, back, sizeof back, NULL), MRW_OK);
        ck_assert_str_eq(back, names[i]);
        ck_assert_int_eq(mrwi_golden_lines_uint(&lines, &number, NULL), MRW_OK);
        ck_assert_uint_eq(number, 7);
        ck_assert_int_eq(mrwi_golden_lines_finish(&lines, NULL), MRW_OK);
        ck_assert(!mrwi_golden_lines_next(&lines, word));
        for (size_t c = 0; c < text.size; c++) {
            ck_assert((unsigned char)text.data[c] >= 0x20 || text.data[c] == '\n');
        }
        mrw_text_free(&text);
    }
}
END_TEST

static uint64_t random_state = 12345;

static uint32_t random_bits(void)
{
    return test_random(&random_state);
}

/* Floats come back to the last bit, of all exponents, both zeros, the largest and smallest. */
START_TEST(floats_survive)
{
    for (int i = 0; i < TEST_ROUNDS(200000); i++) {
        uint32_t bits = i == 0 ? 0x80000000u : i == 1 ? 1u : i == 2 ? 0x7f7fffffu : random_bits();
        float value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        mrw_text text = {0};
        mrwi_golden_lines lines;
        char word[16];
        mrw_text_add(&text, "first\nx ");
        mrwi_golden_lines_put_float(&text, value);
        mrw_text_add(&text, "\n");
        mrw_bytes bytes = {(uint8_t *)text.data, text.size};
        ck_assert_int_eq(mrwi_golden_lines_begin(&lines, "f", &bytes, "first", NULL), MRW_OK);
        ck_assert(mrwi_golden_lines_next(&lines, word));
        ck_assert_int_eq(mrwi_golden_lines_float(&lines, &back, NULL), MRW_OK);
        ck_assert_msg(memcmp(&value, &back, sizeof value) == 0, "%s", text.data);
        mrw_text_free(&text);
    }
}
END_TEST

/* ---- damaged files --------------------------------------------------------------------------- */

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void refuse_stored(const char *text, const char *where)
{
    char copy[1000];
    mrwi_base_arena arena = {0};
    mrwi_golden_stored stored;
    mrw_error error = {0};
    snprintf(copy, sizeof copy, "%s", text);
    mrw_bytes bytes = bytes_of(copy);
    ck_assert_msg(mrwi_golden_stored_read("golden.txt", &bytes, &arena, &stored, &error) ==
                      MRW_ERROR_INPUT,
                  "accepted: %s", text);
    ck_assert_msg(strncmp(error.text, where, strlen(where)) == 0, "'%s' is not '%s'", error.text,
                  where);
    mrwi_base_arena_free(&arena);
}

START_TEST(damaged_golden_text)
{
    refuse_stored("", "golden.txt:1: the first line must be");
    refuse_stored("marrow golden 2\n", "golden.txt:1: ");
    refuse_stored("marrow golden 1\n", "golden.txt:1: pixel_version is missing");
    refuse_stored("marrow golden 1\npixel_version\n", "golden.txt:2: a word is missing");
    refuse_stored("marrow golden 1\npixel_version x\n", "golden.txt:2: a number");
    refuse_stored("marrow golden 1\npixel_version 99999999999\n", "golden.txt:2: the number");
    refuse_stored("marrow golden 1\npixel_version 1", "golden.txt:2: the file ends");
    refuse_stored("marrow golden 1\npixel_version 1\n\nscene \"a\" " HASH "\n",
                  "golden.txt:3: unknown line ''");
    refuse_stored("marrow golden 1\npixel_version 1\n<<<<<<< HEAD\n", "golden.txt:3: unknown line");
    refuse_stored("marrow golden 1\npixel_version 1\nframe\n", "golden.txt:3: a word is missing");
    refuse_stored("marrow golden 1\npixel_version 1\nframe ../x " HASH "\n",
                  "golden.txt:3: this is not a valid frame name");
    refuse_stored("marrow golden 1\npixel_version 1\nframe .x " HASH "\n", "golden.txt:3: this is");
    refuse_stored("marrow golden 1\npixel_version 1\nframe a_0000 123\n", "golden.txt:3: a hash");
    refuse_stored("marrow golden 1\npixel_version 1\nframe a_0000 " HASH " \n",
                  "golden.txt:3: there is extra text");
    refuse_stored("marrow golden 1\npixel_version 1\nscene a " HASH "\n",
                  "golden.txt:3: a name in quotes");
    refuse_stored("marrow golden 1\npixel_version 1\nscene \"a " HASH "\n",
                  "golden.txt:3: a name has no closing");
    refuse_stored("marrow golden 1\npixel_version 1\nscene \"\\q\" " HASH "\n",
                  "golden.txt:3: a name is too long or has an invalid");
    refuse_stored("marrow golden 2\npixel_version 1\n", "golden.txt:2: scene_formula is missing");
    refuse_stored("marrow golden 2\npixel_version 1\ndrawn_by gl card\n",
                  "golden.txt:3: a name in quotes");
    refuse_stored("marrow golden 2\npixel_version 1\ndrawn_by gl \"a\"\ndrawn_by gl \"a\"\n",
                  "golden.txt:4: drawn_by appears twice");
    refuse_stored("marrow golden 2\npixel_version 1\nscene_formula 2\nscene_formula 2\n",
                  "golden.txt:4: scene_formula appears twice");
    refuse_stored("marrow golden 1\npixel_version 1\nscene_formula 2\n",
                  "golden.txt:3: scene_formula appears twice, or in a file of version 1");
    refuse_stored("marrow golden 2\nscene_formula x\n", "golden.txt:2: a number");
    refuse_stored("marrow golden 5\npixel_version 1\n",
                  "golden.txt:1: the first line must be 'marrow golden 4'");
    refuse_stored("marrow golden 44\n", "golden.txt:1: the first line must be 'marrow golden 4'");
    refuse_stored("marrow golden 0\n", "golden.txt:1: the first line must be 'marrow golden 4'");
    refuse_stored("marrow golden 2\r\npixel_version 1\n", "golden.txt:1: the lines end in CR LF");
    refuse_stored("marrow golden 2\nsize 64 48\n", "golden.txt:2: unknown line 'size'");
    refuse_stored("marrow golden 1\npart nodes \"\" " HASH "\n",
                  "golden.txt:2: unknown line 'part'");
}
END_TEST

/* A camera at 0, 0, 5 that looks along -Z at a box: half a turn of lens, depth from 1 to 9. */
#define RIGID  "view 1 0 0 0 1 0 0 0 1 0 0 -5"
#define LENS   "perspective 1 1 0 0 -1.125 0 0 -1.125"
#define CAMERA LENS " " RIGID " eye 0 0 5 planes 1 9 box -1 -1 -1 1 1 1"

/* The SHA-256 of "marrow scene", 1, 32 and HASH; by sha256sum. */
#define NODES "part nodes \"\" " HASH " count 2 draws 1\n"
#define SCENE "9895765ea141577a3854233b257250c115b2f5e174f6f92b12d9b731e15dc84b"

static void refuse_new(const char *lines, const char *where)
{
    char text[2000];
    snprintf(text, sizeof text, "marrow golden 3\npixel_version 6\nscene_formula 1\nsize 64 48\n%s",
             lines);
    refuse_stored(text, where);
}

START_TEST(damaged_cameras)
{
    refuse_new("size 64 48\n", "golden.txt:5: size appears twice");
    refuse_new("option --clip\n", "golden.txt:5: a name in quotes is missing");
    refuse_new("option \"clip\"\n", "golden.txt:5: this is not an option");
    refuse_new("option \"--count=4\"\noption \"--count=5\"\n",
               "golden.txt:6: option count appears twice; remove one");
    refuse_new("part nodes \"\" " HASH "\n", "golden.txt:5: this part has no scene before it");
    refuse_new("scene \"a\" " HASH "\npart hair \"\" " HASH "\n",
               "golden.txt:6: unknown scene part");
    refuse_new("scene \"a\" " HASH "\npart nodes \"\" 12\n", "golden.txt:6: a hash must have 64");
    refuse_new("scene \"a\" " HASH "\npart nodes \"\" " HASH " count x\n",
               "golden.txt:6: the file is cut");
    refuse_new("camera 2 " CAMERA "\n", "golden.txt:5: cameras must be numbered 1, 2, 3 and so on");
    refuse_new("camera 1 " CAMERA "\ncamera 1 " CAMERA "\n",
               "golden.txt:6: cameras must be numbered");
    refuse_new("camera 1\n", "golden.txt:5: invalid camera: something is missing");
    refuse_new("camera 1 " LENS " " RIGID "\n", "golden.txt:5: invalid camera: something");
    refuse_new("camera 1 " CAMERA " " RIGID "\n",
               "golden.txt:5: invalid camera: a word is unknown or repeated");
    refuse_new("camera 1 " CAMERA " 7\n",
               "golden.txt:5: invalid camera: a word is unknown or repeated");
    refuse_new("camera 1 parallel 1 " CAMERA "\n", "golden.txt:5: a finite number is expected");
    refuse_new("camera 1 " LENS " view 1 0 0 0 2 0 0 0 1 0 0 -5 eye 0 0 5 planes 1 9\n",
               "golden.txt:5: invalid camera: it is not rigid, or its lens or box is wrong");
    refuse_new("camera 1 " LENS " view 1 0 0 0 -1 0 0 0 1 0 0 -5 eye 0 0 5 planes 1 9\n",
               "golden.txt:5: invalid camera: it is not rigid");
    refuse_new("camera 1 " LENS " view 0 0 0 0 0 0 0 0 0 0 0 0 eye 0 0 5 planes 1 9\n",
               "golden.txt:5: invalid camera: it is not rigid");
    refuse_new("camera 1 perspective 0 1 0 0 -1.125 0 0 -1.125 " RIGID " eye 0 0 5 planes 1 9\n",
               "golden.txt:5: invalid camera: it is not rigid, or its lens or box is wrong");
    refuse_new("camera 1 " LENS " " RIGID " eye 0 0 5 planes 9 1\n",
               "golden.txt:5: invalid camera: it is not rigid, or its lens or box is wrong");
    refuse_new("camera 1 " LENS " " RIGID " eye 0 0 1e99 planes 1 9\n",
               "golden.txt:5: a finite number is expected");
    refuse_new("camera 1 " LENS " " RIGID " eye 0 0 5 planes 1 9 box 1 1 1 0 0 0\n",
               "golden.txt:5: invalid camera");
    refuse_new("time W_0000 0 camera 1\n", "golden.txt:5: no camera above has this number");
    refuse_new("time W_0000 0 1\n", "golden.txt:5: a camera is expected");
    refuse_new("time W_0000\n", "golden.txt:5: a number is missing");
    refuse_new("scene \"a\" " HASH "\ntime W_0000 0\ntime W_0000 0.5\nend\n",
               "golden.txt:8: frame W_0000 appears twice; remove one");
    refuse_new("scene \"a\" " HASH "\n",
               "golden.txt:5: the file is cut off: its last line is not 'end'");
    refuse_new("scene \"a\" " HASH "\nend\nscene \"a\" " HASH "\n",
               "golden.txt:7: there are more lines after the end");
    refuse_stored("marrow golden 3\npixel_version 6\nscene_formula 2\nscene \"a\" " HASH "\nend\n",
                  "golden.txt:5: size is missing");
    refuse_stored("marrow golden 3\npixel_version 6\nscene_formula 2\nsize 64 48\nscene \"a\" " HASH
                  "\nend\n",
                  "golden.txt:6: the parts of a do not match its hash");
}
END_TEST

/* Cut anywhere, a golden.txt is damaged. */
START_TEST(cut_golden_text)
{
    static const char whole[] =
        "marrow golden 4\npixel_version 6\nscene_formula 2\nsize 64 48\noption \"--clip=W\"\n"
        "scene \"a\" " SCENE "\n" NODES "camera 1 " CAMERA "\ntime W_0000 0.5 camera 1\n"
        "time W_0001 1\nempty W_0000\nend\n";
    for (size_t length = 0; length <= strlen(whole); length++) {
        char text[1000];
        mrwi_base_arena arena = {0};
        mrwi_golden_stored stored;
        mrw_error error = {0};
        snprintf(text, sizeof text, "%.*s", (int)length, whole);
        mrw_bytes bytes = bytes_of(text);
        const mrw_status status =
            mrwi_golden_stored_read("golden.txt", &bytes, &arena, &stored, &error);
        ck_assert_msg(status == (length == strlen(whole) ? MRW_OK : MRW_ERROR_INPUT), "%zu: %s",
                      length, error.text);
        if (status == MRW_OK) {
            mrw_text back = {0};
            mrwi_golden_stored_write(&stored, &back);
            ck_assert_str_eq(back.data, whole);
            mrw_text_free(&back);
        }
        mrwi_base_arena_free(&arena);
    }
}
END_TEST

static const char good_golden[] =
    "marrow golden 4\npixel_version 3\nscene_formula 1\ndrawn_by gl \"a, b\"\nsize 64 48\n"
    "option \"--light=key:1\"\noption \"--light=fill:2\"\nscene \"a b\" " HASH
    "\npart shape \"E\\x0a\" " HASH
    " vertices 3 box -1 0 0.25 1 2 3 material \"M\" marks 1 2 3 4 5\n"
    "part weights \"\" " HASH " most 4 joint \"a \\\"b\\\"\" 0.1 joint \"c\" 43\n"
    "camera 1 " CAMERA " follows 0.1 0.2 0.3\ntime W_0000 0.1 camera 1\ntime W_0001 2e-7\n"
    "frame W_0000 " HASH "\nkey W_0001 " HASH "\nempty W_0001\nend\n";
static const char good_pose[] =
    "marrow pose 1\nframe W_0000\njoint \"hips\" 1 0 0 0 1 0 0 0 1 0 0.5 0\n"
    "joint \"\\x0a\" 1 0 0 0 1 0 0 0 1 0 0 -1e-30\nframe W_0001\njoint \"hips\" 1 0 0 0 1 0 0 0 1 "
    "0 "
    "0 0\n";
static const char good_bounds[] =
    "marrow bounds 1\nframe W_0000 -1 -2 -3 1 2 3\nframe W_0001 none\n";

static void damage(char *text, size_t *size)
{
    static const char pieces[] = "\n \"\\x0frame joint scene 1e99 nan -none";
    for (uint32_t n = 1 + random_bits() % 4; n > 0 && *size > 0; n--) {
        size_t at = random_bits() % *size;
        switch (random_bits() % 4) {
        case 0:
            text[at] = (char)random_bits();
            break;
        case 1:
            *size = at;
            break;
        case 2:
            text[at] = pieces[random_bits() % (sizeof pieces - 1)];
            break;
        default:
            memmove(text + at, text + at + 1, *size - at - 1);
            (*size)--;
        }
    }
}

/* Whatever is in them, they are read or refused. */
START_TEST(fuzzed_files)
{
    static const char *const good[3] = {good_golden, good_pose, good_bounds};
    int accepted = 0;
    for (int i = 0; i < TEST_ROUNDS(60000); i++) {
        const char *from = good[i % 3];
        size_t size = strlen(from);
        /* Just as large as it is, so that reading beyond it is seen. */
        char *text = malloc(size + 1);
        mrwi_base_arena arena = {0};
        mrw_error error = {0};
        mrw_status status;
        memcpy(text, from, size + 1);
        if (i >= 3) {
            damage(text, &size);
        }
        char *exact = malloc(size + 1);
        memcpy(exact, text, size);
        exact[size] = 0;
        mrw_bytes bytes = {(uint8_t *)exact, size};
        if (i % 3 == 0) {
            mrwi_golden_stored stored;
            status = mrwi_golden_stored_read("f", &bytes, &arena, &stored, &error);
        } else if (i % 3 == 1) {
            mrwi_golden_poses poses;
            status = mrwi_golden_poses_read("f", &bytes, &arena, &poses, &error);
        } else {
            mrwi_golden_boxes boxes;
            status = mrwi_golden_boxes_read("f", &bytes, &arena, &boxes, &error);
        }
        ck_assert_msg(status == MRW_OK || (i >= 3 && status == MRW_ERROR_INPUT), "%d: %s", i,
                      error.text);
        ck_assert(status == MRW_OK || strncmp(error.text, "f:", 2) == 0);
        accepted += status == MRW_OK;
        mrwi_base_arena_free(&arena);
        free(exact);
        free(text);
    }
    ck_assert_int_gt(accepted, 3);
    ck_assert_int_lt(accepted, TEST_ROUNDS(30000));
}
END_TEST

START_TEST(golden_text_round_trip)
{
    char copy[sizeof good_golden];
    mrwi_base_arena arena = {0};
    mrwi_golden_stored stored;
    mrw_text text = {0};
    memcpy(copy, good_golden, sizeof copy);
    mrw_bytes bytes = bytes_of(copy);
    ck_assert_int_eq(mrwi_golden_stored_read("f", &bytes, &arena, &stored, NULL), MRW_OK);
    ck_assert_uint_eq(stored.pixel_version, 3);
    ck_assert_str_eq(stored.backend, "gl");
    ck_assert_str_eq(stored.driver, "a, b");
    ck_assert_str_eq(stored.scenes[0].model, "a b");
    ck_assert_str_eq(mrwi_golden_stored_find(&stored, "W_0000", 1)->hash, HASH);
    ck_assert(!mrwi_golden_stored_find(&stored, "W_0000", 0)->key);
    ck_assert(mrwi_golden_stored_find(&stored, "W_0001", 0)->key);
    ck_assert_ptr_null(mrwi_golden_stored_find(&stored, "W_0002", 0));
    ck_assert(mrwi_golden_stored_empty(&stored, "W_0001"));
    ck_assert(!mrwi_golden_stored_empty(&stored, "W_0000"));
    mrwi_golden_stored_write(&stored, &text);
    ck_assert_str_eq(text.data, good_golden);
    mrw_text_free(&text);
    mrwi_base_arena_free(&arena);
}
END_TEST

START_TEST(pose_text_round_trip)
{
    char copy[sizeof good_pose], box_copy[sizeof good_bounds];
    mrwi_base_arena arena = {0};
    mrwi_golden_poses poses;
    mrwi_golden_boxes boxes;
    mrw_text text = {0};
    memcpy(copy, good_pose, sizeof copy);
    memcpy(box_copy, good_bounds, sizeof box_copy);
    mrw_bytes bytes = bytes_of(copy), box_bytes = bytes_of(box_copy);
    ck_assert_int_eq(mrwi_golden_poses_read("f", &bytes, &arena, &poses, NULL), MRW_OK);
    ck_assert_uint_eq(poses.count, 2);
    ck_assert_uint_eq(poses.items[0].count, 2);
    ck_assert_uint_eq(poses.items[1].count, 1);
    ck_assert_str_eq(poses.items[0].joints[1].name, "\n");
    mrwi_golden_poses_begin(&text);
    mrwi_golden_poses_add(&text, mrwi_golden_poses_find(&poses, "W_0000", 1));
    mrwi_golden_poses_add(&text, mrwi_golden_poses_find(&poses, "W_0001", 0));
    ck_assert_ptr_null(mrwi_golden_poses_find(&poses, "W", 0));
    ck_assert_str_eq(text.data, good_pose);
    mrw_text_free(&text);
    ck_assert_int_eq(mrwi_golden_boxes_read("f", &box_bytes, &arena, &boxes, NULL), MRW_OK);
    mrwi_golden_boxes_begin(&text);
    mrwi_golden_boxes_add(&text, &boxes.items[0]);
    mrwi_golden_boxes_add(&text, &boxes.items[1]);
    ck_assert_str_eq(text.data, good_bounds);
    mrw_text_free(&text);
    mrwi_base_arena_free(&arena);
}
END_TEST

/* ---- poses ----------------------------------------------------------------------------------- */

/* Turned about Z by so many degrees, scaled, moved. */
static mrwi_compare_joint joint(const char *name, double degrees, float scale, float x)
{
    float c = (float)cos(degrees * M_PI / 180.0), s = (float)sin(degrees * M_PI / 180.0);
    return (mrwi_compare_joint){
        name, {c * scale, s * scale, 0, -s * scale, c * scale, 0, 0, 0, scale, x, 0, 0}};
}

typedef struct verdict {
    mrw_pose_difference difference;
    char text[600];
} verdict;

static verdict judge(mrwi_compare_joint *expected, uint32_t expected_count,
                     mrwi_compare_joint *actual, uint32_t actual_count, double degrees,
                     double distance)
{
    verdict v;
    const mrwi_compare_pose a = {"f", expected, expected_count}, b = {"f", actual, actual_count};
    const mrwi_compare_pose_limits limits = {degrees, distance};
    ck_assert_int_eq(
        mrwi_compare_pose_compare(&a, &b, &limits, &v.difference, v.text, sizeof v.text, NULL),
        MRW_OK);
    return v;
}

START_TEST(joints_that_turn)
{
    for (double degrees = 0.001; degrees < 180.0; degrees *= 1.7) {
        mrwi_compare_joint a[] = {joint("hips", 10, 1, 0), joint("foot", 40, 2.5f, 1)};
        mrwi_compare_joint b[] = {joint("hips", 10, 1, 0), joint("foot", 40 + degrees, 2.5f, 1)};
        verdict v = judge(a, 2, b, 2, 0, 0);
        ck_assert_uint_eq(v.difference.differing, 1);
        ck_assert_uint_eq(v.difference.joints, 2);
        ck_assert_str_eq(v.difference.joint, "foot");
        ck_assert_double_eq_tol(v.difference.degrees, degrees, 2e-5);
        ck_assert_double_eq_tol(v.difference.scale, 1.0, 1e-6);
        ck_assert_uint_eq(judge(a, 2, b, 2, degrees + 1e-4, 1e-6).difference.differing, 0);
        ck_assert_uint_eq(judge(a, 2, b, 2, degrees * 0.99 - 1e-4, 1).difference.differing, 1);
    }
}
END_TEST

START_TEST(words_for_poses)
{
    mrwi_compare_joint a[] = {joint("hips", 0, 1, 0), joint("Left\nFoot", 0, 1, 1)};
    mrwi_compare_joint turned[] = {joint("hips", 0, 1, 0), joint("Left\nFoot", 3.1, 1, 1)};
    mrwi_compare_joint moved[] = {joint("hips", 0, 1, 0.02f), joint("Left\nFoot", 0, 1, 1.02f)};
    mrwi_compare_joint both[] = {joint("hips", 0, 1, 0), joint("Left\nFoot", 90, 1, 3)};
    mrwi_compare_joint scaled[] = {joint("hips", 0, 2, 0), joint("Left\nFoot", 0, 1, 1)};
    ck_assert_str_eq(judge(a, 2, a, 2, 0, 0).text, "");
    ck_assert_str_eq(judge(a, 2, turned, 2, 0, 0).text, "Left\\x0AFoot turned 3.1 degrees");
    /* The parent is told of, though its child moved as far. */
    ck_assert_str_eq(judge(a, 2, moved, 2, 0, 0).text, "hips moved 0.02");
    ck_assert_uint_eq(judge(a, 2, moved, 2, 0, 0).difference.differing, 2);
    ck_assert_uint_eq(judge(a, 2, moved, 2, 0, 0.021).difference.differing, 0);
    ck_assert_str_eq(judge(a, 2, both, 2, 0, 0).text, "Left\\x0AFoot turned 90 degrees, moved 2");
    ck_assert_str_eq(judge(a, 2, scaled, 2, 0, 0).text, "hips scaled by a factor of 2.00");
    ck_assert_uint_eq(judge(a, 2, scaled, 2, 5, 0.5).difference.differing, 1);
}
END_TEST

/* What is beyond the limits is told of before what is within them. */
START_TEST(limits_choose_the_joint)
{
    mrwi_compare_joint a[] = {joint("arm", 0, 1, 0), joint("hand", 0, 1, 0)};
    mrwi_compare_joint b[] = {joint("arm", 2, 1, 0), joint("hand", 0, 1, 0.5f)};
    ck_assert_str_eq(judge(a, 2, b, 2, 0, 0).difference.joint, "arm");
    verdict v = judge(a, 2, b, 2, 3, 0.1);
    ck_assert_str_eq(v.difference.joint, "hand");
    ck_assert_uint_eq(v.difference.differing, 1);
    ck_assert_str_eq(v.text, "hand moved 0.5");
}
END_TEST

START_TEST(last_bits_count)
{
    mrwi_compare_joint a[] = {joint("hips", 0, 1, 1)}, b[] = {joint("hips", 0, 1, 1)};
    b[0].joint_to_world[9] = nextafterf(1.0f, 2.0f);
    verdict v = judge(a, 1, b, 1, 0, 0);
    ck_assert_uint_eq(v.difference.differing, 1);
    ck_assert_str_eq(v.text, "hips moved less than 0.0001");
    b[0] = a[0];
    b[0].joint_to_world[11] = -0.0f;
    ck_assert_str_eq(judge(a, 1, b, 1, 0, 0).text, "hips differs in its last bits");
    ck_assert_uint_eq(judge(a, 1, b, 1, 0.001, 0).difference.differing, 0);
}
END_TEST

START_TEST(joints_by_name)
{
    mrwi_compare_joint a[] = {joint("x", 0, 1, 1), joint("y", 0, 1, 2), joint("x", 0, 1, 3)};
    mrwi_compare_joint swapped[] = {joint("y", 0, 1, 2), joint("x", 0, 1, 1), joint("x", 0, 1, 3)};
    mrwi_compare_joint fewer[] = {joint("x", 0, 1, 1), joint("y", 0, 1, 2)};
    mrwi_compare_joint more[] = {joint("x", 0, 1, 1),  joint("x", 0, 1, 3),  joint("t1", 0, 1, 0),
                                 joint("t2", 0, 1, 0), joint("t3", 0, 1, 0), joint("t4", 0, 1, 0)};
    ck_assert_uint_eq(judge(a, 3, swapped, 3, 0, 0).difference.differing, 0);
    ck_assert_str_eq(judge(a, 3, fewer, 2, 0, 0).text, "joints only in the golden: x");
    ck_assert_str_eq(judge(fewer, 2, a, 3, 0, 0).text, "joints not in the golden: x");
    verdict v = judge(a, 3, more, 6, 90, 90);
    ck_assert_str_eq(v.text,
                     "joints not in the golden: t1, t2, t3, ...; joints only in the golden: y");
    ck_assert_uint_eq(v.difference.differing, 5);
    ck_assert_uint_eq(judge(a, 0, a, 0, 0, 0).difference.differing, 0);
}
END_TEST

/* Flat, mirrored and shrunken joints: numbers stay finite. */
START_TEST(odd_matrices)
{
    mrwi_compare_joint flat = {"j", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    mrwi_compare_joint mirrored = {"j", {-1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
    mrwi_compare_joint tiny = joint("j", 30, 1e-30f, 0), huge = joint("j", 33, 1e30f, 0);
    mrwi_compare_joint all[] = {flat, mirrored, tiny, huge, joint("j", 0, 1, 0)};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            mrw_pose_difference d = judge(&all[i], 1, &all[k], 1, 0, 0).difference;
            ck_assert_uint_eq(d.differing, i != k);
            ck_assert(isfinite(d.degrees) && isfinite(d.distance) && isfinite(d.scale));
            ck_assert(d.degrees >= 0.0 && d.degrees <= 180.0 + 1e-9);
        }
    }
    ck_assert_double_eq_tol(judge(&tiny, 1, &huge, 1, 0, 0).difference.degrees, 3.0, 1e-4);
}
END_TEST

START_TEST(boxes)
{
    mrwi_compare_box a = {"f", true, {0, 0, 0}, {1, 2, 3}}, b = a, none = {"f", false, {0}, {0}};
    double off;
    char text[200];
    ck_assert(mrwi_compare_box_compare(&a, &b, 0, &off, text, sizeof text));
    ck_assert_double_eq(off, 0.0);
    b.max[1] = 2.25f;
    ck_assert(!mrwi_compare_box_compare(&a, &b, 0.2, &off, text, sizeof text));
    ck_assert_double_eq(off, 0.25);
    ck_assert_str_eq(text, "the bounding box is off by 0.25");
    ck_assert(mrwi_compare_box_compare(&a, &b, 0.25, &off, text, sizeof text));
    ck_assert(!mrwi_compare_box_compare(&a, &none, 99, &off, text, sizeof text));
    ck_assert(mrwi_compare_box_compare(&none, &none, 0, &off, text, sizeof text));
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

static const char suite_text[] = "[defaults]\n"
                                 "size = 48x48\n"
                                 "aa = 1\n"
                                 "[a]\n"
                                 "model = demo:blob\n"
                                 "frames = 0-6x3\n"
                                 "check = pixels, pose, bounds\n"
                                 "[b]\n"
                                 "model = demo:blob\n"
                                 "count = 3\n"
                                 "store = hash\n"
                                 "key-frames = 0\n"
                                 "[c]\n"
                                 "model = demo:blob\n"
                                 "[gone]\n"
                                 "model = nowhere.glb\n";

static void load(mrw_case_list *cases)
{
    static const char *const here[] = {"."};
    mrw_error error;
    test_write_text("suite.ini", suite_text);
    ck_assert_msg(mrw_cases_load(here, 1, cases, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(cases->count, 4);
}

static mrw_results run(const mrw_case_list *cases, mrw_test_def def)
{
    mrw_results results;
    mrw_error error;
    ck_assert_msg(mrw_test_run(cases, &def, &results, &error) == MRW_OK, "%s", error.text);
    return results;
}

START_TEST(update_then_pass)
{
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    load(&cases);
    mrw_results results = run(&cases, def);
    ck_assert_uint_eq(results.counts[MRW_FAILED], 4);
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    ck_assert_str_eq(results.folder, "results");
    for (size_t i = 0; i < 3; i++) {
        const mrw_frame_result *frame = &results.cases[i].frames[0];
        ck_assert_uint_eq(frame->why, MRW_WHY_MISSING);
        ck_assert_str_eq(frame->message, "there is no golden yet");
        ck_assert_ptr_nonnull(frame->actual);
        ck_assert_ptr_null(frame->expected);
        ck_assert_ptr_null(frame->diff);
        ck_assert_str_eq(results.cases[i].golden_scene_hash, "");
        ck_assert_uint_eq(strlen(results.cases[i].scene_hash), 64);
    }
    ck_assert_uint_eq(results.cases[3].frame_count, 0);
    ck_assert_ptr_nonnull(strstr(results.cases[3].message, "nowhere.glb"));
    mrw_results_free(&results);
    def.update = MRW_UPDATE_MISSING;
    results = run(&cases, def);
    ck_assert_uint_eq(results.counts[MRW_UPDATED], 3);
    ck_assert_uint_eq(results.counts[MRW_FAILED], 1);
    mrw_results_free(&results);
    def.update = MRW_UPDATE_NONE;
    for (int threads = 1; threads < 9; threads++) {
        def.threads = threads;
        def.repeat = threads == 3 ? 3 : 1;
        results = run(&cases, def);
        ck_assert_uint_eq(results.counts[MRW_PASSED], 3);
        ck_assert_uint_eq(results.counts[MRW_FAILED], 1);
        ck_assert_uint_eq(results.cases[0].runs, def.repeat);
        ck_assert(results.cases[0].frames[2].compared);
        ck_assert(results.cases[0].frames[2].metrics.identical);
        ck_assert_uint_eq(results.cases[0].frames[2].pose.differing, 0);
        ck_assert_str_eq(results.cases[0].golden_scene_hash, results.cases[0].scene_hash);
        mrw_results_free(&results);
    }
    mrw_cases_free(&cases);
}
END_TEST

static mrw_status stop_after_first(void *user, const mrw_case_result *result, size_t done,
                                   size_t count, mrw_error *error)
{
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(done, ++*(size_t *)user);
    ck_assert_ptr_nonnull(result->name);
    snprintf(error->text, sizeof error->text, "enough");
    return MRW_ERROR_CANCELLED;
}

/* What is done stays whole: results.json has it. */
START_TEST(ended_by_the_caller)
{
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_results results;
    mrw_error error;
    size_t calls = 0;
    load(&cases);
    def.progress = stop_after_first;
    def.user = &calls;
    ck_assert_int_eq(mrw_test_run(&cases, &def, &results, &error), MRW_ERROR_CANCELLED);
    ck_assert_str_eq(error.text, "enough");
    ck_assert_uint_eq(calls, 1);
    ck_assert_int_eq(mrw_results_read("results", &results, &error), MRW_OK);
    ck_assert_uint_eq(results.case_count, 4);
    ck_assert_int_eq(results.cases[0].outcome, MRW_FAILED);
    ck_assert_int_eq(results.cases[1].outcome, MRW_SKIPPED);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

/* What asks before each picture. */
typedef struct stopper {
    atomic_int calls;
    int stop_at;
} stopper;

static mrw_status stop_at(void *user, mrw_error *error)
{
    stopper *s = user;
    if (atomic_fetch_add(&s->calls, 1) + 1 < s->stop_at) {
        return MRW_OK;
    }
    snprintf(error->text, sizeof error->text, "stopped");
    return MRW_ERROR_CANCELLED;
}

/* Two cases of which the second fails: of its 200 pictures one has no golden, and one has
 * another's, within the limits. */
static void load_failing(mrw_case_list *cases)
{
    static const char *const here[] = {"."};
    mrw_test_def def = mrw_test_def_default();
    mrw_error error;
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:figure\nsize = 16\naa = 1\n[short]\n"
                    "[long]\nclip = Walk\ncount = 200\ncompare = pixel\nmax-delta = 255\n");
    ck_assert_int_eq(mrw_cases_load(here, 1, cases, &error), MRW_OK);
    def.update = MRW_UPDATE_ALL;
    mrw_results results = run(cases, def);
    mrw_results_free(&results);
    ck_assert_int_eq(system("cd golden/*/long && rm Walk_0007.png && cp Walk_0020.png "
                            "Walk_0019.png"),
                     0);
}

/* In the middle of a case's pictures, of its second run, before its camera, and of those that are
 * shown because it failed: it counts as not run, and leaves nothing. What was done before stays. */
START_TEST(stopped_within_a_case)
{
    static const struct {
        uint32_t repeat;
        int stop_at; /* [short] has a camera and a picture, [long] one and 200; 0: the last call */
    } stops[] = {{1, 50}, {2, 4 + 250}, {1, 2 + 1}, {1, 0}};
    mrw_case_list cases;
    mrw_results results;
    mrw_error error;
    load_failing(&cases);
    for (size_t i = 0; i < 2 * sizeof stops / sizeof *stops; i++) {
        stopper s = {.stop_at = INT_MAX};
        mrw_test_def def = mrw_test_def_default();
        def.threads = i % 2 ? 3 : 1;
        def.repeat = stops[i / 2].repeat;
        def.go_on = stop_at;
        def.user = &s;
        results = run(&cases, def);
        const int all = s.calls;
        ck_assert_int_eq(all, (int)def.repeat * (2 + 201) + 2);
        ck_assert_int_eq(results.cases[0].outcome, MRW_PASSED);
        ck_assert_int_eq(results.cases[1].outcome, MRW_FAILED);
        ck_assert_ptr_nonnull(results.cases[1].frames[19].actual);
        mrw_results_free(&results);
        s = (stopper){.stop_at = stops[i / 2].stop_at ? stops[i / 2].stop_at : all};
        ck_assert_int_eq(mrw_test_run(&cases, &def, &results, &error), MRW_ERROR_CANCELLED);
        ck_assert_str_eq(error.text, "stopped");
        if (def.threads == 1) {
            ck_assert_int_eq(s.calls, s.stop_at);
        } else { /* others are at work, and may take another picture before they hear of it */
            ck_assert(s.stop_at == all || s.calls < all);
        }
        ck_assert_int_eq(mrw_results_read("results", &results, &error), MRW_OK);
        ck_assert_int_eq(results.cases[0].outcome, MRW_PASSED);
        ck_assert_int_eq(results.cases[1].outcome, MRW_SKIPPED);
        ck_assert_uint_eq(results.cases[1].frame_count, 0);
        ck_assert_str_eq(results.cases[1].message, "not finished: the run was stopped");
        ck_assert_int_ne(system("ls results/*/long 2>/dev/null"), 0);
        mrw_results_free(&results);
    }
    mrw_cases_free(&cases);
}
END_TEST

/* Each allocation fails once: an error, or a case that failed; never a pass, never a wrong golden.
 */
START_TEST(out_of_memory)
{
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_error error;
    load(&cases);
    def.update = MRW_UPDATE_MISSING;
    mrw_results results = run(&cases, def);
    mrw_results_free(&results);
    def.update = MRW_UPDATE_NONE;
    test_write_text("spoil", "x");
    ck_assert_int_eq(system("cp spoil $(ls golden/*/a/*.png | head -n 1); rm spoil"), 0);
    uint64_t step = 1;
    for (uint64_t n = 1;; n += step) {
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_test_run(&cases, &def, &results, &error);
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (status == MRW_OK) {
            ck_assert_int_eq(results.cases[0].outcome, MRW_FAILED);
            mrw_results_free(&results);
        } else {
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        }
        if (pending) {
            ck_assert_int_gt((int)n, 200);
            break;
        }
        step = n > TEST_ROUNDS(400) ? 7 : 1;
    }
    mrw_cases_free(&cases);
}
END_TEST

START_TEST(no_memory_to_accept)
{
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_changes changes;
    mrw_error error;
    load(&cases);
    mrw_results results = run(&cases, def);
    mrw_results_free(&results);
    for (uint64_t n = 1;; n += n > 300 ? 5 : 1) {
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_accept(&cases, &(mrw_accept_def){.dry_run = true}, &changes, &error);
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY || status == MRW_ERROR_INPUT);
        mrw_changes_free(&changes);
        if (pending) {
            break;
        }
    }
    ck_assert_int_eq(access("golden", F_OK), -1);
    ck_assert_int_eq(mrw_accept(&cases, &(mrw_accept_def){.dry_run = false}, &changes, &error),
                     MRW_OK);
    ck_assert_uint_eq(changes.count, 7);
    mrw_changes_free(&changes);
    results = run(&cases, def);
    ck_assert_uint_eq(results.counts[MRW_PASSED], 3);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

/* A list without cases is no error, and no success. */
START_TEST(nothing_to_run)
{
    mrw_case_list none = {0};
    mrw_test_def def = mrw_test_def_default();
    mrw_results results = run(&none, def);
    ck_assert_uint_eq(results.case_count, 0);
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    mrw_results_free(&results);
    def.out = "new/results";
    results = run(&none, def);
    mrw_results_free(&results);
    ck_assert_int_eq(access("new/results/results.json", F_OK), 0);
    ck_assert_int_eq(access("new/results/.gitignore", F_OK), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("run");
    TCase *disk = tcase_create("disk"), *poses = tcase_create("poses"),
          *runs = tcase_create("runs");
    tcase_set_timeout(disk, 120);
    tcase_add_test(disk, names_survive);
    tcase_add_test(disk, floats_survive);
    tcase_add_test(disk, damaged_golden_text);
    tcase_add_test(disk, damaged_cameras);
    tcase_add_test(disk, cut_golden_text);
    tcase_add_test(disk, fuzzed_files);
    tcase_add_test(disk, golden_text_round_trip);
    tcase_add_test(disk, pose_text_round_trip);
    suite_add_tcase(s, disk);
    tcase_add_test(poses, joints_that_turn);
    tcase_add_test(poses, words_for_poses);
    tcase_add_test(poses, limits_choose_the_joint);
    tcase_add_test(poses, last_bits_count);
    tcase_add_test(poses, joints_by_name);
    tcase_add_test(poses, odd_matrices);
    tcase_add_test(poses, boxes);
    suite_add_tcase(s, poses);
    tcase_set_timeout(runs, 240);
    tcase_add_checked_fixture(runs, test_folder_enter, test_folder_remove);
    tcase_add_test(runs, update_then_pass);
    tcase_add_test(runs, ended_by_the_caller);
    tcase_add_test(runs, stopped_within_a_case);
    tcase_add_test(runs, out_of_memory);
    tcase_add_test(runs, no_memory_to_accept);
    tcase_add_test(runs, nothing_to_run);
    suite_add_tcase(s, runs);
    return s;
}

TEST_MAIN(suite())
