/* test_hosts.c: programs around the library: servers that fork, threads that cancel one another. */
#include "test.h"

#include "base/child.h"
#include "base/parallel.h"

#include <marrow/codecs.h>
#include <marrow/marrow.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIDE 64

/* ThreadSanitizer does not follow a fork of a process with threads. */
#define FOLLOWS_FORKS 1
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#undef FOLLOWS_FORKS
#define FOLLOWS_FORKS 0
#endif
#endif

/* Loads and draws a model. Returns the hash of its picture in out. */
static mrw_status draw(int threads, uint8_t out[32], mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_model *model = NULL;
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    def.width = def.height = SIDE;
    mrw_status status = mrw_load_file("demo:figure", NULL, &scene, error);
    status = status ? status : mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, error);
    status = status ? status : mrw_renderer_create(&renderer, error);
    if (!status) {
        const mrw_instance instance = mrw_instance_default(model);
        status = mrw_frame_extents(&instance, 1, MRW_FIT_ALL, &view, 1, MRW_ISA_AUTO, threads,
                                   &extents, error);
        status = status ? status : mrw_view_camera(&view, &extents, 1, &def.camera, error);
        status = status ? status : mrw_render(renderer, &def, &instance, 1, threads, &image, error);
    }
    if (!status) {
        mrw_image_hash(&image, out);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return status;
}

/* ---- fork ------------------------------------------------------------------------------------ */

/* A child that draws with the threads that it asks for, and compares. */
static pid_t start_child(const uint8_t expected[32])
{
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        uint8_t hash[32] = {0};
        const uint64_t before = mrwi_base_parallel_regions();
        const mrw_status status = draw(4, hash, NULL);
        const bool alone = mrwi_base_parallel_regions() == before;
        _exit(status ? 1 : !alone ? 2 : memcmp(hash, expected, 32) == 0 ? 0 : 3);
    }
    return child;
}

static void wait_for_child(pid_t child)
{
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert_msg(WIFEXITED(result) && WEXITSTATUS(result) == 0, "it ended with %#x",
                  (unsigned)result);
}

/* A host that has used its threads forks workers. They have none of the threads, and must not wait
 * for them. */
START_TEST(forked_workers_draw_the_same)
{
    uint8_t expected[32];
    pid_t children[4];
    ck_assert_int_eq(draw(2, expected, NULL), MRW_OK);
    ck_assert_uint_gt(mrwi_base_parallel_regions(), 0);
    for (int i = 0; i < 4; i++) {
        children[i] = start_child(expected);
    }
    for (int i = 0; i < 4; i++) {
        wait_for_child(children[i]);
    }
    ck_assert_int_eq(draw(2, expected, NULL), MRW_OK); /* the host goes on with its threads */
}
END_TEST

static atomic_bool ends;
static atomic_int drawn;

static void *draw_on(void *unused)
{
    uint8_t hash[32];
    while (!atomic_load(&ends) && draw(2, hash, NULL) == MRW_OK) {
        atomic_fetch_add(&drawn, 1);
    }
    return unused;
}

/* The fork comes at any moment of another thread's work. */
START_TEST(forked_while_another_thread_draws)
{
    uint8_t expected[32];
    pthread_t other;
    ck_assert_int_eq(draw(2, expected, NULL), MRW_OK);
    ck_assert_int_eq(pthread_create(&other, NULL, draw_on, NULL), 0);
    for (int i = 0; i < 20; i++) {
        wait_for_child(start_child(expected));
    }
    while (atomic_load(&drawn) == 0) {
        usleep(1000);
    }
    atomic_store(&ends, true);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct worker {
    mrw_cancel cancel;
    atomic_int pictures, cancelled;
} worker;

/* Draws until it is cancelled. */
static void *work(void *user)
{
    worker *w = user;
    mrw_cancel_enter(&w->cancel);
    mrw_status status;
    uint8_t hash[32];
    do {
        status = draw(2, hash, NULL);
        atomic_fetch_add(&w->pictures, status == MRW_OK);
    } while (status == MRW_OK);
    atomic_store(&w->cancelled, status == MRW_ERROR_CANCELLED);
    mrw_cancel_enter(NULL);
    return NULL;
}

/* A child that ends in disorder leaves its parent's files and programs alone. */
START_TEST(children_leave_their_parents_things_alone)
{
    static const char *const arguments[] = {"sleep", "1000", NULL};
    const mrwi_base_child_def def = {"sleep", arguments, {-1, -1, -1}};
    const mrw_apng_def animation = {
        .width = 4, .height = 4, .channels = 3, .count = 1, .rate = {10, 1}, .path = "a.apng"};
    mrwi_base_child program;
    mrw_apng *apng = NULL;
    mrw_image image = {0};
    int status = 0;
    test_folder_enter();
    ck_assert_int_eq(mrwi_base_child_start(&def, &program), 0);
    ck_assert_int_eq(mrw_image_create(4, 4, 3, &image, NULL), MRW_OK);
    ck_assert_int_eq(mrw_apng_create(&animation, &apng, NULL), MRW_OK);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        mrw_apng_free(apng);
        mrw_file_abandon_all();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(mrw_apng_put(apng, 0, &image, NULL, NULL), MRW_OK);
    ck_assert_int_eq(mrw_apng_finish(apng, NULL, NULL), MRW_OK);
    ck_assert_int_eq(access("a.apng", F_OK), 0);
    ck_assert(!mrwi_base_child_wait(&program, 0.05)); /* killed, it would have ended long ago */
    ck_assert_int_eq(mrwi_base_child_end(&program), SIGKILL);
    mrw_apng_free(apng);
    mrw_image_free(&image);
    test_folder_remove();
}
END_TEST

START_TEST(threads_are_cancelled_one_by_one)
{
    worker workers[2] = {0};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        const int before = atomic_load(&workers[1].pictures);
        while (atomic_load(&workers[i].pictures) < 1 + (i == 1 ? before : 0)) {
            usleep(1000);
        }
        mrw_cancel_request(&workers[i].cancel, MRW_ERROR_CANCELLED);
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(atomic_load(&workers[i].cancelled));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("hosts");
    TCase *tc = tcase_create("threads");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, threads_are_cancelled_one_by_one);
    suite_add_tcase(s, tc);
    TCase *forks = tcase_create("fork");
    tcase_set_timeout(forks, 120);
    tcase_add_test(forks, forked_workers_draw_the_same);
    tcase_add_test(forks, forked_while_another_thread_draws);
    tcase_add_test(forks, children_leave_their_parents_things_alone);
    if (FOLLOWS_FORKS) {
        suite_add_tcase(s, forks);
    }
    return s;
}

TEST_MAIN(suite())
