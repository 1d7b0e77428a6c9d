/* test_apng.c: animations that are written while their frames come: the bytes that all frames at
 * once are, in whatever order and from however many threads they come; whole or not at all; and
 * what of each frame is in them. */
#include "apng_player.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <dirent.h>
#include <marrow/codecs.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 24
#define WIDTH  60
#define HEIGHT 40

static mrw_image images[FRAMES];
static mrw_bytes expected; /* the file, all at once */

static const mrw_rate rate = {25, 1};

/* Which frame a frame shows: some show what came long before, or comes later. */
static uint32_t shown(uint32_t index)
{
    return index == 0 ? 3 : index == 23 ? 1 : index == 12 || index == 13 ? 11 : index;
}

static void paint(mrw_image *image, uint32_t seed)
{
    ck_assert_int_eq(mrw_image_create(WIDTH, HEIGHT, 3, image, NULL), MRW_OK);
    for (uint32_t i = 0; i < WIDTH * HEIGHT * 3; i++) {
        image->pixels[i] = (uint8_t)(i * (seed + 3) / 50 ^ (i * i * (seed + 1)) >> 9);
    }
}

static void set_up(void)
{
    (void)test_folder(); /* before a test forks */
    for (uint32_t i = 0; i < FRAMES; i++) {
        paint(&images[i], shown(i));
    }
    ck_assert_int_eq(mrw_apng_encode(images, FRAMES, rate, &expected, NULL), MRW_OK);
}

static void tear_down(void)
{
    mrw_bytes_free(&expected);
    for (int i = 0; i < FRAMES; i++) {
        mrw_image_free(&images[i]);
    }
    test_folder_remove();
}

static int entries_in_folder(void)
{
    int count = 0;
    DIR *directory = opendir(test_folder());
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

static size_t read_file(const char *path, uint8_t *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s is not there", path);
    size_t size = fread(to, 1, room, file);
    fclose(file);
    return size;
}

static void assert_expected(const char *path)
{
    uint8_t *found = malloc(expected.size + 1);
    ck_assert_uint_eq(read_file(path, found, expected.size + 1), expected.size);
    ck_assert_mem_eq(found, expected.data, expected.size);
    free(found);
}

static mrw_apng *create(const char *path)
{
    const mrw_apng_def def = {.width = WIDTH,
                              .height = HEIGHT,
                              .channels = 3,
                              .count = FRAMES,
                              .rate = rate,
                              .path = path};
    mrw_error error;
    mrw_apng *apng = NULL;
    ck_assert_msg(mrw_apng_create(&def, &apng, &error) == MRW_OK, "%s", error.text);
    return apng;
}

static void bring(mrw_apng *apng, uint32_t index)
{
    mrw_error error;
    mrw_status status =
        shown(index) != index
            ? mrw_apng_repeat(apng, index, shown(index), &images[index], NULL, &error)
            : mrw_apng_put(apng, index, &images[index], NULL, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
}

static void finish(mrw_apng *apng)
{
    mrw_error error;
    ck_assert_msg(mrw_apng_finish(apng, NULL, &error) == MRW_OK, "%s", error.text);
    mrw_apng_free(apng);
}

/* Forwards, backwards, and by steps that reach all. */
START_TEST(frames_in_any_order)
{
    static const uint32_t steps[] = {1, FRAMES - 1, 5, 7, 11};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", test_path("a.png"));
    for (int s = 0; s < 5; s++) {
        mrw_apng *apng = create(path);
        for (uint32_t i = 0; i < FRAMES; i++) {
            bring(apng, (i + 1) * steps[s] % FRAMES);
        }
        finish(apng);
        assert_expected(path);
        ck_assert_int_eq(entries_in_folder(), 1);
    }
}
END_TEST

static void bring_one(void *user, int64_t index, int worker)
{
    (void)worker;
    bring(user, (uint32_t)index);
}

START_TEST(frames_from_several_threads)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", test_path("a.png"));
    for (int round = 0; round < 10; round++) {
        mrw_apng *apng = create(path);
        mrwi_base_parallel_for(2 + round % 3, FRAMES, bring_one, apng);
        finish(apng);
        assert_expected(path);
    }
}
END_TEST

/* What comes in order is in the file, and no longer in memory, before the next one comes. */
START_TEST(frames_in_order_are_written_at_once)
{
    struct stat found;
    char path[512];
    mrw_apng *apng = create(test_path("a.png"));
    DIR *directory = opendir(test_folder());
    struct dirent *entry = readdir(directory);
    while (entry && !strstr(entry->d_name, ".tmp")) {
        entry = readdir(directory);
    }
    ck_assert_ptr_nonnull(entry);
    ck_assert_int_eq(entry->d_name[0], '.');
    snprintf(path, sizeof path, "%s/%s", test_folder(), entry->d_name);
    closedir(directory);
    ck_assert_int_eq(stat(path, &found), 0);
    off_t before = found.st_size;
    for (uint32_t i = 0; i < FRAMES - 1; i++) {
        bring(apng, i);
        ck_assert_int_eq(stat(path, &found), 0);
        ck_assert_msg(found.st_size > before, "frame %u", i);
        before = found.st_size;
    }
    bring(apng, FRAMES - 1);
    finish(apng);
}
END_TEST

START_TEST(what_is_not_finished_leaves_nothing)
{
    char old[4] = {0};
    ck_assert_int_eq(mrw_file_write(test_path("a.png"), "old", 3, NULL), MRW_OK);
    for (uint32_t frames = 0; frames <= FRAMES; frames += 6) {
        mrw_apng *apng = create(test_path("a.png"));
        for (uint32_t i = 0; i < frames; i++) {
            bring(apng, i);
        }
        mrw_apng_free(apng);
    }
    ck_assert_uint_eq(read_file(test_path("a.png"), (uint8_t *)old, sizeof old), 3);
    ck_assert_str_eq(old, "old");
    ck_assert_int_eq(entries_in_folder(), 1);
}
END_TEST

START_TEST(a_link_stays)
{
    struct stat found;
    ck_assert_int_eq(mrw_file_write(test_path("a.png"), "old", 3, NULL), MRW_OK);
    ck_assert_int_eq(symlink("a.png", test_path("link")), 0);
    mrw_apng *apng = create(test_path("link"));
    for (uint32_t i = 0; i < FRAMES; i++) {
        bring(apng, i);
    }
    finish(apng);
    ck_assert_int_eq(lstat(test_path("link"), &found), 0);
    ck_assert(S_ISLNK(found.st_mode));
    assert_expected(test_path("a.png"));
}
END_TEST

static void *read_pipe(void *path)
{
    assert_expected(path);
    return NULL;
}

/* A pipe can't be read back: it gets the file in the end. */
START_TEST(into_a_pipe)
{
    char path[PATH_MAX];
    pthread_t reader;
    snprintf(path, sizeof path, "%s", test_path("pipe"));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_pipe, path), 0);
    mrw_apng *apng = create(path);
    for (uint32_t i = FRAMES; i-- > 0;) {
        bring(apng, i);
    }
    finish(apng);
    pthread_join(reader, NULL);
    ck_assert_int_eq(entries_in_folder(), 1);
}
END_TEST

/* A limit on file sizes stops the writing half way, as a full disk does. */
START_TEST(a_full_disk)
{
    struct rlimit limit, small;
    mrw_error error = {0};
    char path[PATH_MAX];
    uint32_t wrong = 0;
    snprintf(path, sizeof path, "%s", test_path("a.png"));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = expected.size / 2;
    mrw_apng *apng = create(path);
    bring(apng, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    mrw_status status = MRW_OK;
    for (uint32_t i = 1; i < FRAMES && status == MRW_OK; i++) {
        status = mrw_apng_repeat(apng, i, shown(i), &images[i], NULL, &error);
        wrong = i;
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(status, MRW_ERROR_OUTPUT);
    ck_assert_msg(strncmp(error.text, path, strlen(path)) == 0, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "File too large"));
    ck_assert_uint_gt(wrong, 3);
    ck_assert_uint_lt(wrong, FRAMES - 1);
    mrw_apng_free(apng);
    ck_assert_int_eq(entries_in_folder(), 0);
}
END_TEST

START_TEST(a_folder_that_is_not_there)
{
    const mrw_apng_def def = {.width = WIDTH,
                              .height = HEIGHT,
                              .channels = 3,
                              .count = 1,
                              .rate = rate,
                              .path = test_path("none/a.png")};
    mrw_error error = {0};
    mrw_apng *apng;
    ck_assert_int_eq(mrw_apng_create(&def, &apng, &error), MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot create it: No such file"));
    ck_assert_ptr_nonnull(strstr(error.text, "create the folder first"));
}
END_TEST

/* What a signal handler does in a process that ends: files in the making go, whole ones stay. */
START_TEST(abandoned)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        mrw_file_write(test_path("b.png"), "old", 3, NULL);
        mrw_apng *first = create(test_path("a.png")), *second = create(test_path("b.png"));
        mrw_apng *dropped = create(test_path("c.png"));
        bring(first, 0);
        bring(second, 0);
        mrw_apng_free(dropped);
        int before = entries_in_folder();
        mrw_file_abandon_all();
        _exit(before); /* a file and two in the making */
    }
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert(WIFEXITED(result));
    ck_assert_int_eq(WEXITSTATUS(result), 3);
    ck_assert_int_eq(entries_in_folder(), 1);
    ck_assert_uint_eq(read_file(test_path("b.png"), (uint8_t[8]){0}, 8), 3);
}
END_TEST

START_TEST(any_allocation_may_fail)
{
    int failures = 0;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", test_path("a.png"));
    for (uint64_t n = 1;; n++) {
        const mrw_apng_def def = {.width = WIDTH,
                                  .height = HEIGHT,
                                  .channels = 3,
                                  .count = 2,
                                  .rate = rate,
                                  .path = path};
        mrw_apng *apng = NULL;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_apng_create(&def, &apng, NULL);
        if (status == MRW_OK) {
            status = mrw_apng_repeat(apng, 1, 0, &images[1], NULL, NULL);
        }
        if (status == MRW_OK) {
            status = mrw_apng_put(apng, 0, &images[1], NULL, NULL);
        }
        if (status == MRW_OK) {
            status = mrw_apng_finish(apng, NULL, NULL);
        }
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_apng_free(apng);
        ck_assert(status == (fired ? MRW_ERROR_MEMORY : MRW_OK));
        ck_assert_int_eq(entries_in_folder(), fired ? 0 : 1);
        failures += fired;
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 5);
}
END_TEST

/* ---- what changes ---------------------------------------------------------------------------- */

#define PLAYED 9

enum {
    SCENE_MOVES,   /* a disc with soft edges */
    SCENE_SHRINKS, /* the same, ever smaller: what it leaves is to be cleared */
    SCENE_STANDS,  /* nothing changes but once */
    SCENE_CORNERS, /* single pixels, far apart */
    SCENE_FLASHES, /* all of it, and back */
    SCENE_CUT_OUT, /* grains that move over what stays, all of it opaque */
    SCENE_HIDDEN,  /* colours under an alpha of 0 */
    SCENES
};

/* An alpha, and what the colours are made of. */
static uint32_t scene_alpha(int scene, uint32_t frame, uint32_t x, uint32_t y)
{
    const int dx = (int)x - (scene == SCENE_MOVES ? 15 + 3 * (int)frame : 30), dy = (int)y - 20;
    const int radius = scene == SCENE_SHRINKS ? 18 - 2 * (int)frame : 9;
    const int inside = 16 * (radius * radius - dx * dx - dy * dy);
    switch (scene) {
    case SCENE_MOVES:
    case SCENE_SHRINKS:
        return inside < 0 ? 0 : inside > 255 ? 255 : (uint32_t)inside;
    case SCENE_STANDS:
        return frame < 5 || x != y ? 90 : 255;
    case SCENE_CORNERS:
        return frame % 2 == 1 && (x == 0 || x == WIDTH - 1) && (y == 0 || y == HEIGHT - 1) ? 255
                                                                                           : 0;
    case SCENE_FLASHES:
        return frame % 3 == 1 ? (x * 7 + y * 13) & 255 : 0;
    case SCENE_CUT_OUT:
        return 255;
    default:
        return 0;
    }
}

static mrw_image make_scene(int scene, uint32_t frame, uint32_t channels)
{
    mrw_image image;
    ck_assert_int_eq(mrw_image_create(WIDTH, HEIGHT, channels, &image, NULL), MRW_OK);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint32_t alpha = scene_alpha(scene, frame, x, y);
            const bool still = scene == SCENE_CUT_OUT && (x * 5 + y * 3 + frame) % 31 != 0;
            uint8_t *to = player_pixel(&image, x, y);
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t shade = (x * (c + 2) ^ y * 5) + (still ? 0 : 9 * frame);
                to[c] = (uint8_t)(channels == 3           ? shade * alpha / 255
                                  : alpha > 0             ? shade
                                  : scene == SCENE_HIDDEN ? frame + x / 20
                                                          : 0);
            }
            if (channels == 4) {
                to[3] = (uint8_t)alpha;
            }
        }
    }
    return image;
}

/* Whether the frame holds pixels that differ in its outermost rows and columns, and none outside;
 * one pixel where nothing differs. */
static void check_least(const player_frame *f, const mrw_image *before, const mrw_image *image)
{
    uint32_t left = WIDTH, right = 0, top = HEIGHT, bottom = 0;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t x = i % WIDTH, y = i / WIDTH;
        if (memcmp(before->pixels + (size_t)i * image->channels,
                   image->pixels + (size_t)i * image->channels, image->channels) != 0) {
            left = x < left ? x : left;
            right = x + 1 > right ? x + 1 : right;
            top = y < top ? y : top;
            bottom = y + 1 > bottom ? y + 1 : bottom;
        }
    }
    ck_assert_uint_eq(f->width, right > 0 ? right - left : 1);
    ck_assert_uint_eq(f->height, right > 0 ? bottom - top : 1);
    ck_assert(right == 0 || (f->x == left && f->y == top));
}

/* Plays a file of these frames, pixel for pixel. Returns how many keep pixels below them. */
static int check_played(const mrw_bytes *file, const mrw_image *frames)
{
    player p;
    int kept = 0;
    player_open(&p, file, WIDTH, HEIGHT, frames->channels);
    ck_assert_uint_eq(load_u32(p.chunks[1].data), PLAYED);
    for (int i = 0; i < PLAYED; i++) {
        player_next(&p);
        ck_assert_msg(memcmp(p.canvas.pixels, frames[i].pixels,
                             (size_t)WIDTH * HEIGHT * frames->channels) == 0,
                      "frame %d", i);
        ck_assert_uint_eq(p.frame.delay_num, 1);
        ck_assert_uint_eq(p.frame.delay_den, 25);
        if (i > 0) {
            check_least(&p.frame, &frames[i - 1], &frames[i]);
        } else {
            ck_assert(p.frame.width == WIDTH && p.frame.height == HEIGHT);
        }
        kept += p.frame.over;
    }
    ck_assert_str_eq(p.chunks[p.at].type, "IEND");
    ck_assert_int_eq(p.at + 1, p.count);
    player_close(&p);
    return kept;
}

/* Every scene, opaque and not, with both efforts: the frames that were put, in the least
 * rectangles; a reader that knows no animations shows the first. */
START_TEST(frames_are_what_changes)
{
    const uint32_t channels = 3 + (uint32_t)_i % 2;
    mrw_png_def def = mrw_png_def_default();
    def.effort = _i / 2 == 0 ? MRW_PNG_FAST : MRW_PNG_BEST;
    for (int scene = 0; scene < SCENES; scene++) {
        mrw_image frames[PLAYED], still;
        mrw_bytes file;
        for (uint32_t i = 0; i < PLAYED; i++) {
            frames[i] = make_scene(scene, i, channels);
        }
        ck_assert_int_eq(mrw_apng_encode_as(frames, PLAYED, rate, &def, &file, NULL), MRW_OK);
        int kept = check_played(&file, frames);
        ck_assert_int_eq(kept > 0, channels == 4 && scene == SCENE_CUT_OUT);
        ck_assert_int_eq(mrw_image_decode(file.data, file.size, 0, 0, "x", &still, NULL), MRW_OK);
        ck_assert_mem_eq(still.pixels, frames[0].pixels, (size_t)WIDTH * HEIGHT * channels);
        mrw_image_free(&still);
        mrw_bytes_free(&file);
        for (int i = 0; i < PLAYED; i++) {
            mrw_image_free(&frames[i]);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("apng");
    TCase *t = tcase_create("apng");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, frames_in_any_order);
    tcase_add_test(t, frames_from_several_threads);
    tcase_add_test(t, frames_in_order_are_written_at_once);
    tcase_add_test(t, what_is_not_finished_leaves_nothing);
    tcase_add_test(t, a_link_stays);
    tcase_add_test(t, into_a_pipe);
    tcase_add_test(t, a_full_disk);
    tcase_add_test(t, a_folder_that_is_not_there);
    tcase_add_test(t, abandoned);
    tcase_add_test(t, any_allocation_may_fail);
    tcase_add_loop_test(t, frames_are_what_changes, 0, 4);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
