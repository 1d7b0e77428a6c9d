/* test_sequence.c: what sequences and instances don't do: allocate once they run, draw a picture
 * twice, pose the same twice, start threads more than once. */
#include "test.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "frame/frame.h"

#include <marrow/marrow.h>
#include <unistd.h>

/* ---- allocations of this program, by thread -------------------------------------------------- */

#ifdef TEST_SANITIZED
#define COUNTS_ALL 0
#else
#define COUNTS_ALL 1
#endif

/* Sanitizers bring their own allocator: then only those of the library are counted. */
#if COUNTS_ALL && defined(__GLIBC__)

/* The C library's own calls come here, too: the Makefile exports these. */
static _Thread_local uint64_t own_allocations;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    own_allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    own_allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    own_allocations++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    own_allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    own_allocations++;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : 12; /* ENOMEM */
}

/* Of the calling thread. */
static uint64_t allocations(void)
{
    return own_allocations;
}

#else

/* Of all threads: only a sequence on one thread can be judged. */
#undef COUNTS_ALL
#define COUNTS_ALL 0
static uint64_t allocations(void)
{
    return mrwi_base_alloc_count();
}

#endif

/* ---- scenes ---------------------------------------------------------------------------------- */

#define WORKERS 3
#define MOST    64

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_frame_def def;
} stage;

static void open_scene(mrw_scene *scene, stage *s)
{
    mrw_view_def view = mrw_view_def_default();
    view.margin = 0.05f; /* the first two pictures then need the most memory */
    mrw_extents extents;
    mrw_error error = {0};
    *s = (stage){.scene = scene, .def = mrw_frame_def_default()};
    ck_assert(mrw_model_create(s->scene, MRW_SHADING_LIT, 2, &s->model, &error) == MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->def.width = 160;
    s->def.height = 120;
    ck_assert(mrw_frame_extents(&s->instance, 1, MRW_FIT_CLIP, &view, 4.0f / 3.0f, MRW_ISA_AUTO, 1,
                                &extents, &error) == MRW_OK);
    ck_assert(mrw_view_camera(&view, &extents, 4.0f / 3.0f, &s->def.camera, &error) == MRW_OK);
}

static void open_stage(const char *model, stage *s)
{
    mrw_scene *scene;
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file(model, NULL, &scene, &error) == MRW_OK, "%s", error.text);
    open_scene(scene, s);
}

static void close_stage(stage *s)
{
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* ---- no allocation once it runs -------------------------------------------------------------- */

typedef struct worker_state {
    mrw_png_encoder *encoder;
    uint32_t seen;
    uint64_t before; /* allocations, up to and with the second frame */
    uint64_t after;  /* with the last */
} worker_state;

typedef struct writing {
    const char *folder;
    worker_state workers[WORKERS];
} writing;

/* What the command does with a picture: hash, encode, write. */
static mrw_status write_picture(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    writing *w = user;
    worker_state *own = &w->workers[frame->worker];
    char path[256];
    uint8_t hash[32];
    mrw_bytes bytes;
    mrw_status status = MRW_OK;
    if (!own->encoder) {
        status = mrw_png_encoder_create(&own->encoder, error);
    }
    mrw_image_hash(frame->image, hash);
    if (status == MRW_OK) {
        status = mrw_png_encoder_encode(own->encoder, frame->image, NULL, &bytes, error);
    }
    if (status == MRW_OK) {
        snprintf(path, sizeof path, "%s/%u.png", w->folder, frame->index);
        status = mrw_file_write(path, bytes.data, bytes.size, error);
        unlink(path);
    }
    own->seen++;
    if (own->seen <= 2) {
        own->before = allocations();
    }
    own->after = allocations();
    return status;
}

/* Which thread draws which frame is chance, and one that needs more memory than all that its thread
 * drew before asks for it. So the frames of several threads are alike: `part` of the clip. */
static void render_and_count(const char *model, int threads, double part, uint32_t samples,
                             bool transparent)
{
    writing w = {.folder = test_folder()};
    double times[MOST];
    uint32_t judged = 0;
    stage s;
    mrw_error error = {0};
    open_stage(model, &s);
    s.def.samples = samples;
    s.def.transparent = transparent;
    s.def.subject = transparent;
    double duration = mrw_instance_duration(&s.instance);
    for (int i = 0; i < MOST; i++) {
        times[i] = duration * part * i / MOST;
    }
    ck_assert_msg(mrw_render_sequence(&s.def, &s.instance, 1, times, MOST, threads, write_picture,
                                      &w, &error) == MRW_OK,
                  "%s", error.text);
    test_folder_remove();
    for (int i = 0; i < WORKERS; i++) {
        ck_assert_msg(w.workers[i].after == w.workers[i].before,
                      "%s, worker %d: %u allocations in %u frames", model, i,
                      (unsigned)(w.workers[i].after - w.workers[i].before), w.workers[i].seen - 2);
        judged += w.workers[i].seen > 2 ? w.workers[i].seen - 2 : 0;
        mrw_png_encoder_free(w.workers[i].encoder);
    }
    ck_assert_uint_ge(judged, MOST - 2 * (uint32_t)threads);
    close_stage(&s);
}

/* Skinned with textures; morphed; many influences; several meshes and lights. */
START_TEST(the_third_frame_allocates_nothing)
{
    static const char *const models[] = {"demo:figure", "demo:blob", "demo:tentacle", "demo:stage"};
    for (int m = 0; m < 4; m++) {
        render_and_count(models[m], 1, 1.0, 4, false);
        render_and_count(models[m], 1, 1.0, 1, true);
    }
}
END_TEST

#if COUNTS_ALL
START_TEST(nor_does_any_thread_s)
{
    render_and_count("demo:figure", WORKERS, 0.01, 4, false);
    render_and_count("demo:tentacle", WORKERS, 0.01, 8, true);
}
END_TEST

/* The counter counts. */
START_TEST(allocations_are_counted)
{
    const uint64_t library = mrwi_base_alloc_count();
    const uint64_t start = allocations(); /* Check's own assertions allocate, too */
    void *volatile block = mrwi_base_alloc(3, 1);
    const uint64_t one = allocations();
    void *volatile other = malloc(3);
    const uint64_t two = allocations();
    ck_assert_uint_eq(mrwi_base_alloc_count(), library + 1);
    ck_assert_uint_eq(one, start + 1);
    ck_assert_uint_eq(two, start + 2);
    mrwi_base_free(block);
    free(other);
}
END_TEST
#endif

/* ---- frames that show the same --------------------------------------------------------------- */

typedef struct collected {
    uint8_t hashes[MOST][32];
    uint32_t same_as[MOST];
    uint32_t calls;
    uint32_t out_of_turn; /* duplicates that did not follow theirs */
    uint32_t last[WORKERS];
} collected;

static mrw_status collect(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    collected *c = user;
    (void)error;
    mrw_image_hash(frame->image, c->hashes[frame->index]);
    c->same_as[frame->index] = frame->same_as;
    __atomic_add_fetch(&c->calls, 1, __ATOMIC_SEQ_CST);
    if (frame->same_as != frame->index && c->last[frame->worker] != frame->same_as) {
        __atomic_add_fetch(&c->out_of_turn, 1, __ATOMIC_SEQ_CST);
    }
    c->last[frame->worker] = frame->same_as;
    return MRW_OK;
}

/* Draws a sequence; returns how many pictures were drawn. */
static uint64_t draw_sequence(const stage *s, const mrw_instance *instances, uint32_t count,
                              const double *times, uint32_t time_count, int threads, collected *out)
{
    const uint64_t before = mrwi_frame_counts.pictures;
    *out = (collected){.last = {MRW_NONE, MRW_NONE, MRW_NONE}};
    ck_assert(mrw_render_sequence(&s->def, instances, count, times, time_count, threads, collect,
                                  out, NULL) == MRW_OK);
    ck_assert_uint_eq(out->calls, time_count);
    ck_assert_uint_eq(out->out_of_turn, 0);
    return mrwi_frame_counts.pictures - before;
}

/* Each frame as if it were alone. */
static void assert_as_alone(const stage *s, const mrw_instance *instance, const double *times,
                            uint32_t count, const collected *c)
{
    mrw_renderer *renderer;
    mrw_image image = {0};
    ck_assert(mrw_renderer_create(&renderer, NULL) == MRW_OK);
    for (uint32_t i = 0; i < count; i++) {
        mrw_instance at = *instance;
        uint8_t hash[32];
        mrw_frame_def def = s->def;
        at.time = times[i];
        def.camera = def.cameras ? def.cameras[i] : def.camera;
        ck_assert(mrw_render(renderer, &def, &at, 1, 1, &image, NULL) == MRW_OK);
        mrw_image_hash(&image, hash);
        ck_assert_mem_eq(hash, c->hashes[i], 32);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
}

START_TEST(equal_times_are_drawn_once)
{
    const double times[] = {0.3, 0.1, 0.3, 0.2, 0.1, 0.3};
    const uint32_t same_as[] = {0, 1, 0, 3, 1, 0};
    for (int threads = 1; threads <= WORKERS; threads++) {
        collected c;
        stage s;
        open_stage("demo:figure", &s);
        ck_assert_uint_eq(draw_sequence(&s, &s.instance, 1, times, 6, threads, &c), 3);
        ck_assert_mem_eq(c.same_as, same_as, sizeof same_as);
        assert_as_alone(&s, &s.instance, times, 6, &c);
        close_stage(&s);
    }
}
END_TEST

/* A camera for each time; equal poses are one picture where their cameras are equal, too. */
START_TEST(cameras_of_their_own)
{
    const double times[] = {0.3, 0.3, 0.1, 0.3, 0.3};
    const uint32_t same_as[] = {0, 1, 2, 0, 4};
    for (int threads = 1; threads <= WORKERS; threads++) {
        collected c;
        stage s;
        open_stage("demo:figure", &s);
        mrw_camera near = s.def.camera, cameras[5];
        for (int i = 0; i < 3; i++) {
            near.view_to_clip.m[4 * i] *= 1.5f;
            near.view_to_clip.m[4 * i + 1] *= 1.5f;
        }
        for (int i = 0; i < 5; i++) {
            cameras[i] = i == 1 ? near : s.def.camera;
        }
        cameras[4].orthographic = true; /* highlights are elsewhere, vertices are not */
        s.def.cameras = cameras;
        ck_assert_uint_eq(draw_sequence(&s, &s.instance, 1, times, 5, threads, &c), 4);
        ck_assert_mem_eq(c.same_as, same_as, sizeof same_as);
        ck_assert_mem_ne(c.hashes[0], c.hashes[1], 32);
        assert_as_alone(&s, &s.instance, times, 5, &c);
        close_stage(&s);
    }
}
END_TEST

/* Past the end of the clip, or in loops that come back (by sums without rounding: the clip
 * lasts 1.5 seconds, say). */
START_TEST(times_that_mean_the_same_are_drawn_once)
{
    collected c;
    stage s;
    open_stage("demo:figure", &s);
    const double end = mrw_instance_duration(&s.instance);
    const double clamped[] = {0.0, -1.0, end, end + 0.5, end * 3};
    ck_assert_uint_le(draw_sequence(&s, &s.instance, 1, clamped, 5, 2, &c), 2);
    ck_assert_uint_eq(c.same_as[1], 0);
    ck_assert_uint_eq(c.same_as[3], c.same_as[2]);
    ck_assert_uint_eq(c.same_as[4], c.same_as[2]);
    assert_as_alone(&s, &s.instance, clamped, 5, &c);
    const double looped[] = {0.0, end * 0.25, end, 2 * end, end + end * 0.25};
    s.instance.loop = true;
    ck_assert_uint_le(draw_sequence(&s, &s.instance, 1, looped, 5, 2, &c), 3);
    ck_assert_uint_eq(c.same_as[2], 0);
    ck_assert_uint_eq(c.same_as[3], 0);
    assert_as_alone(&s, &s.instance, looped, 5, &c);
    close_stage(&s);
}
END_TEST

/* A triangle that turns by STEP keys at 0, 1 and 2 seconds, back to where it began. */
static const char stepping[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"mesh\":0}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"animations\":[{\"name\":\"Step\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
    "\"path\":\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":2,"
    "\"interpolation\":\"STEP\"}]}],"
    "\"accessors\":["
    "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[1,1,0]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"SCALAR\","
    "\"min\":[0],\"max\":[3]},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},"
    "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":16},"
    "{\"buffer\":0,\"byteOffset\":52,\"byteLength\":48}],"
    "\"buffers\":[{\"byteLength\":100,\"uri\":\"data:application/octet-stream;base64,%s\"}]}";

static void to_base64(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < size ? bytes[i + 2] : 0;
        *out++ = digits[three >> 18];
        *out++ = digits[three >> 12 & 63];
        *out++ = i + 1 < size ? digits[three >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[three & 63] : '=';
    }
    *out = '\0';
}

START_TEST(steps_are_drawn_once)
{
    const float numbers[25] = {0, 0, 0, 1, 0, 0, 0, 1, 0,           /* a triangle */
                               0, 1, 2, 3,                          /* seconds */
                               0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0}; /* places */
    char base64[200], text[2000];
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene = NULL;
    mrw_error error = {0};
    double times[31];
    collected c;
    stage s;
    to_base64((const uint8_t *)numbers, sizeof numbers, base64);
    snprintf(text, sizeof text, stepping, base64);
    ck_assert_msg(mrw_load_memory(text, strlen(text), "steps.gltf", NULL, &def, &scene, &error) ==
                      MRW_OK,
                  "%s", error.text);
    open_scene(scene, &s);
    for (int i = 0; i <= 30; i++) {
        times[i] = i / 10.0;
    }
    ck_assert_uint_eq(draw_sequence(&s, &s.instance, 1, times, 31, 2, &c), 3);
    for (uint32_t i = 0; i <= 30; i++) {
        ck_assert_uint_eq(c.same_as[i], i < 10 ? 0 : i < 20 ? 10 : i < 30 ? 0 : 30);
    }
    assert_as_alone(&s, &s.instance, times, 31, &c);
    close_stage(&s);
}
END_TEST

START_TEST(a_pose_is_drawn_once)
{
    const double times[4] = {0.0, 0.1, 0.2, 0.3};
    collected c;
    stage s;
    open_stage("demo:figure", &s);
    s.instance.pose = MRW_POSE_REST;
    ck_assert_uint_eq(draw_sequence(&s, &s.instance, 1, times, 4, 2, &c), 1);
    ck_assert_uint_eq(draw_sequence(&s, &s.instance, 1, times, 0, 2, &c), 0);
    close_stage(&s);
}
END_TEST

/* One that stands still and one that moves: frames differ. */
START_TEST(any_instance_that_moves_counts)
{
    const double times[3] = {0.0, 0.1, 0.0};
    mrw_instance two[2];
    collected c;
    stage s;
    open_stage("demo:figure", &s);
    two[0] = two[1] = s.instance;
    two[0].pose = MRW_POSE_BIND;
    two[1].model_to_world.m[12] = 0.5f;
    ck_assert_uint_eq(draw_sequence(&s, two, 2, times, 3, 2, &c), 2);
    ck_assert_mem_ne(c.hashes[0], c.hashes[1], 32);
    ck_assert_uint_eq(c.same_as[2], 0);
    close_stage(&s);
}
END_TEST

#define AHEAD 5
#define MANY  60

typedef struct arrivals {
    pthread_mutex_t lock;
    bool came[MANY + 1];
    uint32_t low; /* all below have come */
    int most;     /* how far one was ahead of that */
    int fails;    /* this one's sink does; -1: none */
} arrivals;

/* Every seventh takes its time. */
static mrw_status arrive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    arrivals *a = user;
    usleep(frame->index % 7 == 0 ? 20000 : 0);
    pthread_mutex_lock(&a->lock);
    const int ahead = (int)frame->index - (int)a->low;
    a->most = ahead > a->most ? ahead : a->most;
    a->came[frame->index] = true;
    while (a->came[a->low]) {
        a->low++;
    }
    pthread_mutex_unlock(&a->lock);
    if ((int)frame->index == a->fails) {
        error->status = MRW_ERROR_OUTPUT;
        return MRW_ERROR_OUTPUT;
    }
    return MRW_OK;
}

/* Who writes pictures in order keeps no more than so many; and nobody waits for one that failed. */
START_TEST(not_too_far_ahead)
{
    double times[MANY];
    stage s;
    open_stage("demo:tentacle", &s);
    s.def.width = s.def.height = 16;
    s.def.every = true;
    s.def.ahead = AHEAD;
    for (int i = 0; i < MANY; i++) {
        times[i] = i % 3 / 30.0;
    }
    for (int threads = 1; threads <= 8; threads++) {
        arrivals a = {.lock = PTHREAD_MUTEX_INITIALIZER, .fails = -1};
        ck_assert_int_eq(
            mrw_render_sequence(&s.def, &s.instance, 1, times, MANY, threads, arrive, &a, NULL),
            MRW_OK);
        ck_assert_uint_eq(a.low, MANY);
        ck_assert_int_lt(a.most, AHEAD);
        a = (arrivals){.lock = PTHREAD_MUTEX_INITIALIZER, .fails = 9};
        ck_assert_int_eq(
            mrw_render_sequence(&s.def, &s.instance, 1, times, MANY, threads, arrive, &a, NULL),
            MRW_ERROR_OUTPUT);
    }
    close_stage(&s);
}
END_TEST

START_TEST(any_allocation_may_fail)
{
    const double times[3] = {0.0, 0.1, 0.0};
    int failures = 0;
    collected c;
    stage s;
    open_stage("demo:blob", &s);
    for (uint64_t n = 1;; n++) {
        memset(&c, 0, sizeof c);
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_render_sequence(&s.def, &s.instance, 1, times, 3, 1, collect, &c, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || (fired && status == MRW_ERROR_MEMORY));
        failures += status != MRW_OK;
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 10);
    ck_assert_uint_eq(c.calls, 3);
    close_stage(&s);
}
END_TEST

/* ---- instances that play the same ------------------------------------------------------------ */

/* Eight of them: two that play alike, placed apart, others at other times, poses, in a loop. */
START_TEST(instances_share_what_they_play)
{
    mrw_instance poses[8];
    mrw_renderer *renderer;
    mrw_image together = {0}, apart = {0};
    stage s;
    open_stage("demo:blob", &s);
    ck_assert_uint_gt(s.scene->targets_count, 0);
    for (int i = 0; i < 8; i++) {
        poses[i] = s.instance;
        poses[i].time = 0.25;
        poses[i].model_to_world.m[12] = 0.3f * (float)i;
    }
    poses[2].time = poses[5].time = 0.5;
    poses[3].pose = MRW_POSE_REST;
    poses[4].loop = true;
    poses[6].clip = MRW_NONE;
    ck_assert(mrw_renderer_create(&renderer, NULL) == MRW_OK);
    uint64_t plays = mrwi_frame_counts.plays, morphs = mrwi_frame_counts.morphs;
    ck_assert(mrw_render(renderer, &s.def, poses, 8, 1, &together, NULL) == MRW_OK);
    plays = mrwi_frame_counts.plays - plays;
    morphs = mrwi_frame_counts.morphs - morphs;
    ck_assert_uint_eq(plays, 5); /* {0, 1, 7}, {2, 5}, {3}, {4}, {6} */
    uint64_t one = mrwi_frame_counts.morphs;
    ck_assert(mrw_render(renderer, &s.def, poses, 1, 1, &apart, NULL) == MRW_OK);
    one = mrwi_frame_counts.morphs - one;
    ck_assert_uint_ge(one, 1);
    ck_assert_uint_le(morphs, 5 * one);
    /* the same picture when nothing is shared: times that differ where it does not show */
    for (int i = 0; i < 8; i++) {
        poses[i].root_motion = (mrw_root_motion)(i % 2); /* there is none in this clip */
        poses[i].loop = i % 4 >= 2 || i == 4;
    }
    plays = mrwi_frame_counts.plays;
    ck_assert(mrw_render(renderer, &s.def, poses, 8, 1, &apart, NULL) == MRW_OK);
    ck_assert_uint_gt(mrwi_frame_counts.plays - plays, 5);
    ck_assert_mem_eq(together.pixels, apart.pixels, (size_t)160 * 120 * 3);
    mrw_image_free(&together);
    mrw_image_free(&apart);
    mrw_renderer_free(renderer);
    close_stage(&s);
}
END_TEST

/* Twelve of them: 0, 4, 5 and 11, which hangs on a node that does not move it, stand in one place,
 * 1 and 6 in another; 9 stands where 3 does, in the bind pose. */
#define COPIES 12

static void place_copies(const stage *s, mrw_instance copies[COPIES])
{
    for (int i = 0; i < COPIES; i++) {
        copies[i] = s->instance;
        copies[i].time = 0.3;
    }
    copies[1].model_to_world.m[12] = copies[6].model_to_world.m[12] = 1.5f;
    copies[2].model_to_world.m[12] = -1.5f;
    copies[3].pose = copies[9].pose = MRW_POSE_BIND;
    copies[7].skinning = MRW_SKINNING_DUAL_QUATERNION;
    copies[8].time = 0.31;
    copies[10].model_to_world.m[0] = -1.0f;
    copies[11].attached = true;
    copies[11].parent = 9;
    copies[11].parent_node = 0;
}

/* What shares vertices has those that each has alone, to the bit, and is posed once. Normals of
 * shared vertices are made unit once, too. */
START_TEST(copies_in_one_place_share_their_vertices)
{
    mrw_instance copies[COPIES];
    mrw_renderer *together, *alone;
    const mrw_posed_instance *posed;
    const mrw_posed_draw *one;
    stage s;
    open_stage("demo:figure", &s);
    place_copies(&s, copies);
    ck_assert(mrw_renderer_create(&together, NULL) == MRW_OK);
    ck_assert(mrw_renderer_create(&alone, NULL) == MRW_OK);
    const uint64_t places = mrwi_frame_counts.places, skins = mrwi_frame_counts.skins;
    ck_assert(mrw_pose_instances(together, copies, COPIES, MRW_ISA_AUTO, &posed, NULL) == MRW_OK);
    /* {0, 4, 5, 11}, {1, 6}, {2}, {3, 9}, {7}, {8}, {10}, if node 0 stands at the origin */
    const mrw_mat4 origin = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    ck_assert_mem_eq(&posed[9].node_to_world[0], &origin, sizeof origin);
    ck_assert_uint_eq(mrwi_frame_counts.places - places, 7);
    ck_assert_uint_eq(mrwi_frame_counts.skins - skins, 7 * s.scene->draws_count);
    for (int i = 0; i < COPIES; i++) {
        mrw_instance free_one = copies[i];
        free_one.attached = false;
        ck_assert(mrw_pose_instance(alone, &free_one, MRW_ISA_AUTO, &one, NULL) == MRW_OK);
        for (uint32_t d = 0; d < s.scene->draws_count; d++) {
            const size_t size = one[d].vertex_count * 4 * sizeof(float);
            ck_assert_mem_eq(posed[i].draws[d].positions, one[d].positions, size);
            ck_assert_mem_eq(posed[i].draws[d].normals, one[d].normals, size);
            ck_assert_int_eq(posed[i].draws[d].mirrored, one[d].mirrored);
        }
    }
    mrw_renderer_free(together);
    mrw_renderer_free(alone);
    close_stage(&s);
}
END_TEST

/* Copies are framed as one is, also by a camera that follows, which takes the way of the node from
 * all vertices. */
START_TEST(copies_are_framed_as_one)
{
    const mrw_fit fits[] = {MRW_FIT_CLIP, MRW_FIT_FRAME, MRW_FIT_REST, MRW_FIT_ALL};
    const mrw_view_def view = mrw_view_def_default();
    mrw_instance copies[3];
    stage s;
    open_stage("demo:tentacle", &s);
    for (int i = 0; i < 3; i++) {
        copies[i] = s.instance;
        copies[i].time = 0.4;
    }
    mrw_follow follow = {.node = s.scene->nodes_count - 1, .origin = {1.0f, 2.0f, 3.0f}};
    for (size_t f = 0; f < 2 * sizeof fits / sizeof *fits; f++) {
        mrw_extents one, three;
        const mrw_follow *by = f % 2 ? &follow : NULL;
        ck_assert(mrw_frame_extents_following(copies, 1, by, fits[f / 2], &view, 1, MRW_ISA_AUTO, 1,
                                              &one, NULL) == MRW_OK);
        ck_assert(mrw_frame_extents_following(copies, 3, by, fits[f / 2], &view, 1, MRW_ISA_AUTO, 2,
                                              &three, NULL) == MRW_OK);
        ck_assert_mem_eq(one.support, three.support, sizeof one.support);
    }
    close_stage(&s);
}
END_TEST

/* A crowd of all the same and one of all different ones. */
START_TEST(crowds)
{
    enum { CROWD = 200 };
    mrw_instance *poses = calloc(CROWD, sizeof *poses);
    mrw_renderer *renderer;
    mrw_image image = {0};
    stage s;
    open_stage("demo:tentacle", &s);
    ck_assert(mrw_renderer_create(&renderer, NULL) == MRW_OK);
    for (int different = 0; different < 2; different++) {
        for (int i = 0; i < CROWD; i++) {
            poses[i] = s.instance;
            poses[i].time = different ? 0.001 * i : 0.4;
        }
        const uint64_t plays = mrwi_frame_counts.plays, skins = mrwi_frame_counts.skins;
        ck_assert(mrw_render(renderer, &s.def, poses, CROWD, 1, &image, NULL) == MRW_OK);
        ck_assert_uint_eq(mrwi_frame_counts.plays - plays, different ? CROWD : 1);
        ck_assert_uint_eq(mrwi_frame_counts.skins - skins,
                          (different ? CROWD : 1) * s.scene->draws_count);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    free(poses);
    close_stage(&s);
}
END_TEST

/* Draws a crowd of more than 2^20 vertices, all at different times. Returns the draws skinned. */
static uint64_t draw_crowd(const stage *s, const mrw_frame_def *def, mrw_renderer *renderer,
                           uint8_t hash[32])
{
    enum { CROWD = 96 };
    static mrw_instance poses[CROWD];
    mrw_image image = {0};
    for (int i = 0; i < CROWD; i++) {
        poses[i] = s->instance;
        poses[i].time = 0.01 * (i - i % 2);
        poses[i].model_to_world.m[12] = 0.4f * (float)(i % 12) - 2.2f;
        poses[i].model_to_world.m[14] = -0.6f * (float)(i / 12);
        poses[i].skinning = i % 7 == 3 ? MRW_SKINNING_DUAL_QUATERNION : MRW_SKINNING_LINEAR;
    }
    poses[5].model_to_world = poses[4].model_to_world; /* these two share their vertices */
    const uint64_t skins = mrwi_frame_counts.skins;
    ck_assert(mrw_render(renderer, def, poses, CROWD, 1, &image, NULL) == MRW_OK);
    mrw_image_hash(&image, hash);
    mrw_image_free(&image);
    return mrwi_frame_counts.skins - skins;
}

/* Crowds are skinned when they are drawn, for each map and picture, unless something reads their
 * vertices at will, as passes do. The picture is the same. */
START_TEST(crowds_are_skinned_when_drawn)
{
    const mrw_aov_request depth = {.aov = MRW_AOV_DEPTH};
    const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_GOURAUD, MRW_SHADING_DEPTH};
    uint8_t late[32], early[32];
    stage s;
    open_stage("demo:figure", &s);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        mrw_model *model;
        mrw_renderer *renderer;
        mrw_frame_def def = s.def;
        def.shading = modes[i];
        def.samples = i == 0 ? 4 : 1;
        def.shadows = def.occlusion = i == 0;
        def.ground = i == 0 ? MRW_GROUND_COLOR : MRW_GROUND_NONE;
        def.shadow_size = 256;
        ck_assert(mrw_model_create(s.scene, modes[i], 1, &model, NULL) == MRW_OK);
        ck_assert(mrw_renderer_create(&renderer, NULL) == MRW_OK);
        s.instance.model = model;
        const uint64_t all = draw_crowd(&s, &def, renderer, late);
        def.same_pose = true; /* another view of the same pose */
        ck_assert_uint_eq(draw_crowd(&s, &def, renderer, early), all);
        ck_assert_mem_eq(late, early, sizeof late);
        def.aovs = &depth;
        def.aov_count = 1;
        const uint64_t once = draw_crowd(&s, &def, renderer, early);
        ck_assert_uint_eq(once, 95 * s.scene->draws_count);
        ck_assert_uint_ge(all, 96 * s.scene->draws_count);
        ck_assert_mem_eq(late, early, sizeof late);
        def.aov_count = 0;
        ck_assert_uint_eq(draw_crowd(&s, &def, renderer, early), 0); /* they are skinned */
        ck_assert_mem_eq(late, early, sizeof late);
        mrw_renderer_free(renderer);
        mrw_model_free(model);
    }
    s.instance.model = s.model;
    close_stage(&s);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

START_TEST(a_sequence_starts_its_threads_once)
{
    double times[MOST];
    collected c;
    stage s;
    open_stage("demo:figure", &s);
    for (int i = 0; i < MOST; i++) {
        times[i] = 0.01 * i;
    }
    uint64_t before = mrwi_base_parallel_regions();
    draw_sequence(&s, &s.instance, 1, times, MOST, WORKERS, &c);
    ck_assert_uint_eq(mrwi_base_parallel_regions() - before, 1);
    before = mrwi_base_parallel_regions(); /* a still: its bands */
    draw_sequence(&s, &s.instance, 1, times, 1, WORKERS, &c);
    ck_assert_uint_ge(mrwi_base_parallel_regions() - before, 1);
    before = mrwi_base_parallel_regions();
    draw_sequence(&s, &s.instance, 1, times, MOST, 1, &c);
    ck_assert_uint_eq(mrwi_base_parallel_regions() - before, 0);
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sequence");
    TCase *t = tcase_create("sequence");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_third_frame_allocates_nothing);
#if COUNTS_ALL
    tcase_add_test(t, nor_does_any_thread_s);
    tcase_add_test(t, allocations_are_counted);
#endif
    tcase_add_test(t, equal_times_are_drawn_once);
    tcase_add_test(t, cameras_of_their_own);
    tcase_add_test(t, times_that_mean_the_same_are_drawn_once);
    tcase_add_test(t, steps_are_drawn_once);
    tcase_add_test(t, a_pose_is_drawn_once);
    tcase_add_test(t, any_instance_that_moves_counts);
    tcase_add_test(t, not_too_far_ahead);
    tcase_add_test(t, any_allocation_may_fail);
    tcase_add_test(t, instances_share_what_they_play);
    tcase_add_test(t, copies_in_one_place_share_their_vertices);
    tcase_add_test(t, copies_are_framed_as_one);
    tcase_add_test(t, crowds);
    tcase_add_test(t, crowds_are_skinned_when_drawn);
    tcase_add_test(t, a_sequence_starts_its_threads_once);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
