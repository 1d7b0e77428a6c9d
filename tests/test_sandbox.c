/* test_sandbox.c: importing in a helper process that crashes, hangs, lies and asks for what it may
 * not have. The helper is tests/fake_importer.c; its model is a list of what it shall do. */
#include "load_gltf.h"

#include "base/memory.h"
#include "marrow/frame.h"
#include "scene/blob.h"
#include "scene/builder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- loading with the fake ------------------------------------------------------------------- */

static char folder[PATH_MAX]; /* of the model: below the test's */

static void use_program(const char *name)
{
    char path[1024];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    setenv("MARROW_IMPORTER", path, 1);
}

static mrw_load_def quick(void)
{
    mrw_load_def def = mrw_load_def_default();
    def.input_format = "obj";
    def.import_seconds = 100; /* the machine may be busy */
    return def;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

/* No descriptor stays open, no process stays behind. */
static mrw_scene *import_bytes(const void *data, size_t size, const mrw_load_def *def)
{
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    int before = open_descriptors();
    mrw_status status = mrw_load_memory(data, size, "fish.obj", folder[0] != '\0' ? folder : NULL,
                                        def, &scene, &error);
    ck_assert_int_eq(open_descriptors(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_int_eq(status, error.status);
    ck_assert((status != MRW_OK) == !scene);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    return scene;
}

static void expect_with(const mrw_load_def *def, const char *script, mrw_status status,
                        const char *part)
{
    mrw_scene *scene = import_bytes(script, strlen(script), def);
    ck_assert_ptr_null(scene);
    ck_assert_msg(error.status == status, "%s: %s", script, error.text);
    ck_assert_msg(strstr(error.text, part), "%s: \"%s\" lacks \"%s\"", script, error.text, part);
}

static void expect(const char *script, const char *part)
{
    mrw_load_def def = quick();
    expect_with(&def, script, MRW_ERROR_INPUT, part);
    ck_assert_int_eq(strncmp(error.text, "fish.obj: ", 10), 0);
}

/* ---- ends ------------------------------------------------------------------------------------ */

START_TEST(test_crashes)
{
    use_program("fake_importer");
    expect("signal 11", "crashed (signal 11, SIGSEGV)");
    expect("signal 6", "crashed (signal 6, SIGABRT)");
    expect("signal 8", "crashed (signal 8, SIGFPE)");
    expect("signal 9", "killed (signal 9)");
    expect("signal 25", "--import-memory");    /* SIGXFSZ */
    expect("signal 31", "made a system call"); /* SIGSYS */
    expect("exit 0", "without a result (status 0)");
    expect("exit 3", "without a result (status 3)");
    expect("close", "killed (signal 9)");
    mrw_load_def def = quick();
    expect_with(&def, "signal 24", MRW_ERROR_TIME, "--import-seconds"); /* SIGXCPU */
    expect_with(&def, "signal 2", MRW_ERROR_CANCELLED, "interrupted");
    expect_with(&def, "exit 127", MRW_ERROR_TOOL, "libassimp");
    expect_with(&def, "bytes refusal\nsleep", MRW_ERROR_TOOL, "of another version of marrow");
    expect("warn x\nbytes refusal\nsleep", "sent an invalid answer");
}
END_TEST

/* Not possible on this machine: that says nothing of the file. */
START_TEST(test_unsupported)
{
    use_program("fake_importer");
    mrw_load_def def = quick();
    char script[16];
    snprintf(script, sizeof script, "fail %d", MRW_ERROR_UNSUPPORTED);
    expect_with(&def, script, MRW_ERROR_UNSUPPORTED, "fish.obj: ");
    snprintf(script, sizeof script, "fail %d", MRW_ERROR_OUTPUT); /* what no importer does */
    expect_with(&def, script, MRW_ERROR_INPUT, "fish.obj: ");
}
END_TEST

START_TEST(test_time)
{
    static const char *const scripts[] = {"sleep", "cpu", "signal 19"};
    use_program("fake_importer");
    mrw_load_def def = quick();
    def.import_seconds = 0.25;
    for (size_t i = 0; i < 3; i++) {
        const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
        expect_with(&def, scripts[i], MRW_ERROR_TIME,
                    "longer than 0.25 seconds and was stopped; if you trust the file, allow more "
                    "with --import-seconds");
        ck_assert_double_ge(mrw_clock_seconds(MRW_CLOCK_WALL) - start, 0.24);
    }
    def.import_seconds = 0;
    expect_with(&def, "sleep", MRW_ERROR_USAGE, "--import-seconds");
    def.import_seconds = (double)NAN;
    expect_with(&def, "sleep", MRW_ERROR_USAGE, "--import-seconds");
}
END_TEST

START_TEST(test_memory)
{
    use_program("fake_importer");
    mrw_load_def def = quick();
    def.import_memory = 1 << 20;
    expect_with(&def, "sleep", MRW_ERROR_USAGE, "at least 64 MiB");
    def.import_memory = UINT64_C(256) << 20;
    expect_with(&def, "fail 4", MRW_ERROR_INPUT, "--import-memory");
    expect_with(&def, "limit\nlarge", MRW_ERROR_INPUT, "--import-memory");
    expect_with(&def, "sparse 268435457", MRW_ERROR_INPUT, "--import-memory");
#ifndef TEST_SANITIZED /* which needs more memory and system calls than a helper may have */
    expect_with(&def, "limit\nmemory", MRW_ERROR_INPUT, "more than 268435456 bytes of memory");
#endif
}
END_TEST

#ifndef TEST_SANITIZED
/* What the kernel says of itself, whatever the helper makes of it. */
static bool kernel_has_seccomp(void)
{
    char actions[256] = "";
    FILE *file = fopen("/proc/sys/kernel/seccomp/actions_avail", "r");
    if (file) {
        ck_assert_ptr_nonnull(fgets(actions, sizeof actions, file));
        fclose(file);
    }
    return strstr(actions, "kill_process");
}

/* Such a kernel is no reason to pass: the line says that nothing was looked at. */
static bool skip_without_seccomp(const char *test)
{
    if (kernel_has_seccomp()) {
        return false;
    }
    SKIP("%s: this kernel has no seccomp", test);
    return true;
}

/* Filters of a process by its /proc/PID/status; 0 when it is gone. */
static int filters_of(pid_t pid)
{
    char path[64], line[256];
    int filters = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Seccomp_filters: %d", &filters);
    }
    if (file) {
        fclose(file);
    }
    return filters;
}

/* A filter as a container has one: this process and its children run under it from now on. `calls`
 * are refused with EPERM (with NULL none is), all others allowed. */
static void enter_container(const int *calls, size_t count)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    ck_assert_ptr_nonnull(filter);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0), 0);
    }
    int before = filters_of(getpid());
    ck_assert_int_eq(seccomp_load(filter), 0);
    seccomp_release(filter);
    ck_assert_int_eq(filters_of(getpid()), before + 1);
}

START_TEST(test_confinement)
{
    if (skip_without_seccomp("test_confinement")) {
        return;
    }
    use_program("fake_importer");
    char filters[32];
    snprintf(filters, sizeof filters, "[%d filters]", filters_of(getpid()) + 1);
    expect("confine\nfail 2", filters);
    expect("confine\nopen\nfail 2", "[refused 13]");
    expect("confine\nstat\nfail 2", "[not told 13]");
    expect("confine\nsocket\nfail 2", "made a system call");
    expect("confine\nfork\nfail 2", "made a system call");
    expect("confine\ncode\nfail 2", "made a system call");
    expect("confine\nturn\nfail 2", "made a system call");
    expect("confine\nhurt\nfail 2", "made a system call");
    expect("limit\nhard\nfail 2", "[32 descriptors at most]");
    static const long calls[] = {SYS_execve,       SYS_execveat,       SYS_openat2,
                                 SYS_ptrace,       SYS_kill,           SYS_tkill,
                                 SYS_connect,      SYS_bind,           SYS_clone3,
                                 SYS_memfd_create, SYS_prctl,          SYS_prlimit64,
                                 SYS_dup,          SYS_io_uring_setup, SYS_bpf,
                                 SYS_unlinkat,     SYS_mount,          SYS_personality,
                                 SYS_pidfd_open,   SYS_renameat2,      SYS_unshare,
                                 SYS_userfaultfd,  SYS_setresuid,      SYS_shmget,
                                 SYS_sendto,       SYS_pwrite64,       SYS_name_to_handle_at};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char script[64];
        snprintf(script, sizeof script, "confine\ncall %ld\nfail 2", calls[i]);
        expect(script, "made a system call");
    }
    expect("confine\nsignal 6", "SIGABRT");
}
END_TEST

/* Under the filter of a container the helper adds its own: what the container allows it does not.
 */
START_TEST(test_confinement_in_container)
{
    if (skip_without_seccomp("test_confinement_in_container")) {
        return;
    }
    static const int refused[] = {SCMP_SYS(keyctl), SCMP_SYS(mount)};
    char filters[32];
    use_program("fake_importer");
    enter_container(refused, sizeof refused / sizeof *refused);
    snprintf(filters, sizeof filters, "[%d filters]", filters_of(getpid()) + 1);
    expect("confine\nfail 2", filters);
    expect("socket\nfail 2", "[socket ");
    expect("confine\nsocket\nfail 2", "made a system call");
    expect("confine\nfork\nfail 2", "made a system call");
    expect("confine\nopen\nfail 2", "[refused 13]");
}
END_TEST
#endif

#ifndef TEST_SANITIZED
/* Returns the process's child, or 0 if it has none. */
static pid_t child_of(pid_t pid)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &child) != 1) {
        child = 0;
    }
    if (file) {
        fclose(file);
    }
    return (pid_t)child;
}
#endif

static int ready[2]; /* a pipe: the helper is where it is to be */

static void say_ready(void *user, const char *text_)
{
    (void)user;
    (void)text_;
    ck_assert_int_eq(write(ready[1], "", 1), 1);
}

/* Kills a process in the middle of an import, when the script has said a warning, and waits for the
 * helper, which becomes our child. */
static void kill_the_parent(const char *script)
{
    char byte;
    int ended;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        mrw_load_def def = quick();
        mrw_scene *scene = NULL;
        def.machine_warning = say_ready;
        mrw_load_memory(script, strlen(script), "x", NULL, &def, &scene, NULL);
        _exit(0);
    }
    close(ready[1]); /* a child that ends without a word ends the read */
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_gt(waitpid(-1, &ended, 0), 0);
    ck_assert(WIFSIGNALED(ended) ? WTERMSIG(ended) == SIGKILL : WEXITSTATUS(ended) == 1);
    close(ready[0]);
}

START_TEST(test_parent_killed)
{
    use_program("fake_importer");
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    kill_the_parent("withdraw\nwarn ready\nsleep");
    kill_the_parent("warn ready\norphan\nwithdraw\nsleep"); /* before it could ask for that */
}
END_TEST

/* Limits of whoever started us stay: they are taken over, not refused. */
START_TEST(test_lower_limits)
{
    use_program("fake_importer");
    const struct rlimit few = {20, 20};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0); /* Check forks: only of this test */
    expect("limit\nhard\nfail 2", "[20 descriptors at most]");
}
END_TEST

START_TEST(test_inherits_nothing)
{
    use_program("fake_importer");
    int open_fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    int far = fcntl(open_fd, F_DUPFD, 500);
    sigset_t blocked;
    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    expect("list\nfail 2", "[0 descriptors, 0 variables, 0 blocked]");
    sigemptyset(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    close(far);
    close(open_fd);
}
END_TEST

/* ---- foul messages --------------------------------------------------------------------------- */

START_TEST(test_garbage)
{
    static const char *const scripts[] = {
        "bytes 1",      "bytes 24",    "bytes 4000",           "bytes 60000", "bytes version",
        "bytes untext", "descriptors", "raw 0 0 0 x",          "raw 1 0 0 x", "raw 2 7 0 x",
        "raw 2 0 9 x",  "raw 3 0 0 x", "raw 4 2 0 x",          "raw 5 1 0 x", "raw 6 0 0 x",
        "raw 6 99 0 x", "raw 7 0 0 x", "raw 4000000000 0 0 x",
    };
    use_program("fake_importer");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char script[256];
        snprintf(script, sizeof script, "%s\nsleep", scripts[i]);
        expect(script, "sent an invalid answer");
    }
    expect("bytes nothing\nsleep", "killed"); /* as if it had closed the channel */
}
END_TEST

START_TEST(test_flood)
{
    use_program("fake_importer");
    expect("flood 1000000", "sent an invalid answer");
    expect("keep 17000\nfail 2", "sent an invalid answer");
}
END_TEST

static int warnings_heard;
static char warning_heard[256];

static void hear_warning(void *user, const char *text_)
{
    ck_assert_ptr_eq(user, &warnings_heard);
    warnings_heard++;
    snprintf(warning_heard, sizeof warning_heard, "%s", text_);
}

START_TEST(test_warnings)
{
    use_program("fake_importer");
    mrw_load_def def = quick();
    def.machine_warning = hear_warning;
    def.machine_warning_user = &warnings_heard;
    expect_with(&def, "warn no \x1b[31mseccomp\nfail 2", MRW_ERROR_INPUT, "fish.obj");
    ck_assert_int_eq(warnings_heard, 1);
    ck_assert_str_eq(warning_heard, "no \\x1B[31mseccomp");
    char script[1024] = "";
    for (int i = 0; i < 40; i++) {
        strcat(script, "warn again\n");
    }
    expect_with(&def, script, MRW_ERROR_INPUT, "sent an invalid answer");
    ck_assert_int_le(warnings_heard, 20);
}
END_TEST

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Skin, morph target, texture, clip, camera, light: every kind of entry. */
static mrw_scene *rich_scene_with(const char *png)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0);
    PUT(float, 0.5, 0.5, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0);
    PUT(float, 0, 0.5, 1);
    PUT(float, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1);
    PUT(float, 0, 0, 1, 0, 1, 0);
    return load(gltf(
        "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," A(
            48, 5126, 3, VEC4) "," A(96, 5126, 3, SCALAR) "," A(108, 5126, 3,
                                                                VEC4) "," A(156, 5126, 3, VEC2) //
        "],'images':[{'uri':'data:image/"
        "png;base64,%s'}],'textures':[{'source':0}],'materials':[{'alphaMode':'BLEND','"
        "pbrMetallicRoughness':{"
        "'baseColorTexture':{'index':0}}}],'cameras':[{'type':'perspective','perspective':{'yfov':"
        "1,'znear':0.1}}],'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'}]}},"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2,"
        "'TEXCOORD_0':5},'material':0,'targets':[{'POSITION':0}]}]}],'skins':[{'joints':[1,2]}],"
        "'nodes':[{'mesh':0,'skin':0,'weights':[0.5]},{'name':'a','children':[2],'camera':0},"
        "{'name':'b','matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,1,0,1],'extensions':{"
        "'KHR_lights_punctual':{'light':0}}}],'animations':[{'name':'Walk','samplers':[{'input':3,"
        "'output':4},{'input':3,'output':3}],'channels':[{'sampler':0,'target':{'node':1,'path':"
        "'rotation'}},{'sampler':1,'target':{'node':0,'path':'weights'}}]}]",
        png));
}

static mrw_scene *rich_scene(void)
{
    return rich_scene_with(PNG_1X1);
}

/* A script that ends in a blob. */
static size_t script_with(const char *script, const void *blob, size_t size, char **out)
{
    size_t length = strlen(script);
    *out = malloc(length + size);
    memcpy(*out, script, length);
    memcpy(*out + length, blob, size);
    return length + size;
}

static mrw_scene *import_blob(const char *script, const void *blob, size_t size)
{
    char *model;
    mrw_load_def def = quick();
    size_t model_size = script_with(script, blob, size, &model);
    mrw_scene *scene = import_bytes(model, model_size, &def);
    free(model);
    return scene;
}

START_TEST(test_scene)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    size_t size = (size_t)good->blob_size;
    mrw_scene *got = import_blob("blob\n", good->blob, size);
    ck_assert_msg(got, "%s", error.text);
    ck_assert_mem_eq(mrw_scene_hash(got), mrw_scene_hash(good), 32);
    mrw_scene_free(got);
    static const char *const lies[] = {"lie 1\n", "lie -1\n", "lie 1000000000\n", "lie -100000\n",
                                       "double\n"};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        ck_assert_ptr_null(import_blob(lies[i], good->blob, size));
        ck_assert_msg(strstr(error.text, "sent an invalid answer"), "%s", error.text);
    }
    expect("blob\n", "sent an invalid answer");
    ck_assert_ptr_null(import_blob("blob\n", good->blob, size - 64));
    ck_assert_ptr_nonnull(strstr(error.text, "data from the importer"));
    mrw_scene_free(good);
}
END_TEST

START_TEST(test_limits)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    const struct {
        uint64_t vertices, joints, keys;
        const char *part;
    } cases[] = {{3, 2, 6, NULL},
                 {2, 2, 6,
                  "more than 2 vertices; if you trust the file, allow more with "
                  "--max-vertices"},
                 {3, 1, 6, "--max-joints"},
                 {3, 2, 5, "--max-keys"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_load_def def = mrw_load_def_default();
        def.max_vertices = cases[i].vertices;
        def.max_joints = cases[i].joints;
        def.max_keys = cases[i].keys;
        mrw_scene *scene = NULL; /* by our own reader: `text` still holds the file */
        mrw_status status = mrw_load_memory(text, strlen(text), "t", NULL, &def, &scene, &error);
        ck_assert_int_eq(status, !cases[i].part ? MRW_OK : MRW_ERROR_INPUT);
        ck_assert(status == MRW_OK || strstr(error.text, cases[i].part));
        mrw_scene_free(scene);
        char *model; /* by a helper that does not keep to them */
        size_t size = script_with("blob\n", good->blob, (size_t)good->blob_size, &model);
        def.input_format = "obj";
        scene = import_bytes(model, size, &def);
        ck_assert(!scene == !!cases[i].part);
        ck_assert(scene || strstr(error.text, cases[i].part));
        mrw_scene_free(scene);
        free(model);
    }
    mrw_load_def def = quick();
    def.max_texture_size = 0; /* its picture has one pixel */
    char *model;
    size_t size = script_with("blob\n", good->blob, (size_t)good->blob_size, &model);
    ck_assert_ptr_null(import_bytes(model, size, &def));
    ck_assert_ptr_nonnull(strstr(error.text, "--max-texture-size"));
    free(model);
    mrw_scene *lacking = rich_scene_with("AAAA"); /* a checker stands in, whatever the limit */
    size = script_with("blob\n", lacking->blob, (size_t)lacking->blob_size, &model);
    mrw_scene *scene = import_bytes(model, size, &def);
    ck_assert_ptr_nonnull(scene);
    mrw_scene_free(scene);
    mrw_scene_free(lacking);
    free(model);
    mrw_scene_free(good);
}
END_TEST

/* No helper, no descriptor stays when memory ends in the middle. */
START_TEST(test_allocations)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        mrw_scene *scene = import_blob("blob\n", good->blob, (size_t)good->blob_size);
        bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_scene_free(scene);
        ck_assert_msg(error.status == (done ? MRW_OK : MRW_ERROR_MEMORY), "allocation %d: %s",
                      (int)n, error.text);
        if (done) {
            ck_assert_uint_gt(n, 3);
            break;
        }
    }
    mrw_scene_free(good);
}
END_TEST

/* Draws whatever was accepted: an index or a number that the check let through would show. */
static void draw(const mrw_scene *scene)
{
    mrw_model *model = NULL;
    mrw_renderer *renderer = NULL;
    mrw_image image;
    memset(&image, 0, sizeof image);
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = 8;
    def.samples = 1;
    if (mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL) == MRW_OK &&
        mrw_renderer_create(&renderer, NULL) == MRW_OK) {
        mrw_instance instance = mrw_instance_default(model);
        instance.time = 0.3;
        mrw_render(renderer, &def, &instance, 1, 1, &image, NULL);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
}

/* True when it was accepted. */
static bool try_blob(const mrw_scene *good, uint64_t at, uint32_t word)
{
    uint8_t *blob = mrwi_base_alloc((size_t)good->blob_size, 1);
    memcpy(blob, good->blob, (size_t)good->blob_size);
    memcpy(blob + at, &word, sizeof word);
    mrw_scene *scene = NULL;
    mrw_status status = mrwi_scene_from_blob(blob, good->blob_size, "x", &scene, &error);
    if (status == MRW_OK) {
        draw(scene);
        mrw_scene_free(scene);
        return true;
    }
    ck_assert_int_eq(status, MRW_ERROR_INPUT);
    mrwi_base_free(blob);
    return false;
}

/* Each word of the header and of every section, turned into each of many lies. */
START_TEST(test_lies_in_every_field)
{
    mrw_scene *good = rich_scene();
    const mrwi_scene_blob_header *header = good->blob;
    uint32_t tried = 0, accepted = 0;
    for (int s = -1; s < MRWI_SCENE_SECTION_COUNT; s++) {
        uint64_t first = s < 0 ? 0 : header->sections[s].offset;
        uint64_t size =
            s < 0 ? sizeof *header : header->sections[s].count * mrwi_scene_sections[s].entry_size;
        for (uint64_t at = first; at < first + size; at += 4) {
            uint32_t word;
            memcpy(&word, (const uint8_t *)good->blob + at, 4);
            const uint32_t lies[] = {word + 1,
                                     word - 1,
                                     0,
                                     1,
                                     2,
                                     3,
                                     0xffffffff,
                                     0xfffffffe,
                                     0x7fffffff,
                                     0x80000000,
                                     0x7f800000,
                                     0x7fc00000,
                                     0xff7fffff,
                                     0x3f800000,
                                     0x00000100,
                                     word ^ 0x10,
                                     word ^ 0x100,
                                     word ^ 0x1000,
                                     word ^ 0x10000,
                                     word ^ 0x100000,
                                     word ^ 0x1000000,
                                     word * 3,
                                     ~word,
                                     word << 8,
                                     word ^ 0x80000000};
            for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
                accepted += try_blob(good, at, lies[i]);
                tried++;
            }
        }
    }
    printf("test_lies_in_every_field: %u tried, %u accepted and drawn\n", tried, accepted);
    ck_assert_uint_gt(tried, 10000);
    ck_assert_uint_gt(accepted, 100);
    ck_assert_uint_lt(accepted, tried / 2);
    mrw_scene_free(good);
}
END_TEST

/* Some of them on the whole way. */
START_TEST(test_lies_through_the_channel)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    uint8_t *blob = malloc((size_t)good->blob_size);
    for (uint32_t i = 0; i < 100; i++) {
        memcpy(blob, good->blob, (size_t)good->blob_size);
        blob[(i * UINT64_C(2654435761)) % good->blob_size] ^= (uint8_t)(1 + i * 7 % 255);
        mrw_scene *scene = import_blob("blob\n", blob, (size_t)good->blob_size);
        ck_assert(scene || error.status == MRW_ERROR_INPUT);
        mrw_scene_free(scene);
    }
    free(blob);
    mrw_scene_free(good);
}
END_TEST

/* In a process that lets the system wait for its children. */
START_TEST(test_children_ignored)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    signal(SIGCHLD, SIG_IGN);
    mrw_scene *got = import_blob("blob\n", good->blob, (size_t)good->blob_size);
    ck_assert_msg(got, "%s", error.text);
    expect("signal 11", "ended without a result");
    signal(SIGCHLD, SIG_DFL);
    mrw_scene_free(got);
    mrw_scene_free(good);
}
END_TEST

static void *import_many(void *user)
{
    const mrw_scene *good = user;
    char *model;
    mrw_load_def def = quick();
    size_t size = script_with("blob\n", good->blob, (size_t)good->blob_size, &model);
    uintptr_t loaded = 0;
    for (int i = 0; i < 10; i++) {
        mrw_scene *scene = NULL;
        loaded += mrw_load_memory(model, size, "t.obj", NULL, &def, &scene, NULL) == MRW_OK;
        mrw_scene_free(scene);
    }
    free(model);
    return (void *)loaded;
}

START_TEST(test_threads)
{
    use_program("fake_importer");
    mrw_scene *good = rich_scene();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, import_many, good), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *loaded;
        pthread_join(threads[i], &loaded);
        ck_assert_uint_eq((uintptr_t)loaded, 10);
    }
    mrw_scene_free(good);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

/* base/secret, base/art/textures/skin.png, base/art/models: the folder of the model, with links. */
static void make_folders(void)
{
    char target[300];
    ck_assert_int_eq(mkdir(test_path("art"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("art/models"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("art/models/parts"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("art/textures"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("pool"), 0700), 0);
    snprintf(folder, sizeof folder, "%s", test_path("art/models"));
    test_write_text(test_path("secret"), "secret");
    test_write_text(test_path("art/textures/skin.png"), "skin");
    test_write_text(test_path("art/models/near.png"), "near");
    test_write_text(test_path("art/models/parts/arm.txt"), "arm");
    test_write_text(test_path("pool/pool.png"), "pool");
    ck_assert_int_eq(symlink("../../secret", test_path("art/models/link")), 0);
    ck_assert_int_eq(symlink("../..", test_path("art/models/up")), 0);
    ck_assert_int_eq(symlink("parts/arm.txt", test_path("art/models/good_link")), 0);
    snprintf(target, sizeof target, "%s", test_path("secret"));
    ck_assert_int_eq(symlink(target, test_path("art/models/far_link")), 0);
    snprintf(target, sizeof target, "%s", test_path("art/textures/skin.png"));
    ck_assert_int_eq(symlink(target, test_path("art/models/skin_link")), 0);
    ck_assert_int_eq(mkfifo(test_path("art/models/fifo"), 0600), 0);
    const char *device = test_path("art/models/device"); /* /dev/null; only root may */
    if (mknod(device, S_IFCHR | 0600, 0x103) != 0) {
        ck_assert_int_eq(mkfifo(device, 0600), 0);
    }
}

static void remove_folders(void)
{
    test_folder_remove();
    folder[0] = '\0';
}

/* What the kernel says was opened, of what may never be. */
static int watch(void)
{
    static const char *const watched[] = {"secret", "art/models/fifo", "art/models/device"};
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        ck_assert_int_ge(inotify_add_watch(fd, test_path(watched[i]), IN_OPEN | IN_ACCESS), 0);
    }
    return fd;
}

static bool nothing_opened(int fd)
{
    char events[4096];
    return read(fd, events, sizeof events) < 0 && errno == EAGAIN;
}

START_TEST(test_watch_works)
{
    make_folders();
    int fd = watch();
    ck_assert(nothing_opened(fd));
    close(open(test_path("secret"), O_RDONLY));
    ck_assert(!nothing_opened(fd));
    close(fd);
    remove_folders();
}
END_TEST

/* With the message the user sees, which names the option that would allow it. */
START_TEST(test_refused_files)
{
    static const struct {
        const char *path, *part;
    } cases[] = {
        {"../../secret", "\"../../secret\" is outside"},
        {"../../../../../../../../etc/passwd", "--asset-root"},
        {"parts/../../../secret", "--asset-root"},
        {"/etc/passwd", "\"/etc/passwd\" is outside"},
        {NULL, "is outside"}, /* the absolute path of a file that is watched */
        {"/dev/zero", "--asset-root"},
        {"..\\..\\secret", "--asset-root"},
        {"link", "\"link\" is outside"},
        {"far_link", "--asset-root"},
        {"up/secret", "--asset-root"},
        {"skin_link", "--asset-root"},
        {"fifo", "not a regular file"},
        {"device", "not a regular file"},
        {"parts", "is a folder"},
        {"none", "does not exist"},
        {"", "does not exist"},
    };
    use_program("fake_importer");
    make_folders();
    int fd = watch();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512];
        const char *path = cases[i].path ? cases[i].path : test_path("secret");
        snprintf(script, sizeof script, "ask 0 %s\nfail 2", path);
        expect(script, cases[i].part);
        ck_assert_msg(!strstr(error.text, "[got"), "%s", error.text);
        snprintf(script, sizeof script, "ask 1 %s\nfail 2", path);
        expect(script, ": [");
        ck_assert_msg(!strstr(error.text, "[got"), "%s", error.text);
        ck_assert_msg(nothing_opened(fd), "%s", path);
    }
    close(fd);
    remove_folders();
}
END_TEST

/* The same by our own reader, in the process. */
START_TEST(test_refused_in_process)
{
    make_folders();
    const char *const paths[] = {"../../secret", "/etc/passwd", test_path("secret"),
                                 "link",         "far_link",    "up/secret"};
    int fd = watch();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char json[512];
        snprintf(json, sizeof json,
                 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":6,\"uri\":\"%s\"}],"
                 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":6}],\"accessors\":[{\"bufferView\":"
                 "0,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"}],\"meshes\":[{"
                 "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":0}]}],\"nodes\":[{"
                 "\"mesh\":0}],\"images\":[{\"uri\":\"%s\"}],\"textures\":[{\"source\":0}],"
                 "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}]}",
                 paths[i], paths[i]);
        mrw_scene *scene = import_bytes(json, strlen(json), NULL);
        ck_assert_ptr_null(scene);
        char *buffers = strstr(json, "\"buffers\"");
        ck_assert_ptr_nonnull(buffers);
        memcpy(buffers, "\"ignored\"", 9); /* now without the buffer: the texture alone */
        char *meshes = strstr(json, "\"meshes\"");
        memcpy(meshes, "\"ignore\"", 8);
        scene = import_bytes(json, strlen(json), NULL);
        ck_assert_msg(nothing_opened(fd), "%s", paths[i]);
        mrw_scene_free(scene);
    }
    close(fd);
    remove_folders();
}
END_TEST

START_TEST(test_allowed_files)
{
    static const struct {
        int kind;
        bool root, dirs;
        const char *path, *got;
    } cases[] = {
        {0, false, false, "parts/arm.txt", "[got arm]"},
        {0, false, false, "./parts//../parts/arm.txt", "[got arm]"},
        {0, false, false, "parts\\arm.txt", "[got arm]"},
        {0, false, false, "good_link", "[got arm]"},
        {1, false, false, "C:\\work\\near.png", "[got near]"},
        {1, false, false, "/home/someone/near.png", "[got near]"},
        {0, false, false, "x/near.png", "[does not"},
        {1, false, false, "../textures/skin.png",
         "[got skin]"}, /* a folder of textures beside it */
        {1, false, false, "../other/skin.png", "[is outside"},
        {0, false, false, "../textures/skin.png", "[is outside"},
        {0, true, false, "../textures/skin.png", "[got skin]"},
        {1, true, false, "../textures/skin.png", "[got skin]"},
        {1, true, false, "..\\textures\\skin.png", "[got skin]"},
        {1, true, false, "BASE/art/textures/skin.png", "[got skin]"},
        {0, true, false, "skin_link", "[got skin]"},
        {0, true, false, "parts/arm.txt", "[got arm]"},
        {0, true, false, "../../secret", "[is outside"},
        {0, true, false, "link", "[is outside"},
        {0, true, false, "far_link", "[is outside"},
        {0, true, false, "BASE/secret", "[is outside"},
        {0, true, false, "BASE/artist", "[is outside"},
        {1, false, true, "pool.png", "[got pool]"},
        {1, false, true, "..\\elsewhere\\pool.png", "[got pool]"},
        {1, false, true, "../elsewhere/pool.png", "[got pool]"},
        {0, false, true, "pool.png", "[does not"},
    };
    use_program("fake_importer");
    make_folders();
    char root[300], pool[300];
    const char *dirs[] = {pool};
    snprintf(root, sizeof root, "%s", test_path("art"));
    snprintf(pool, sizeof pool, "%s", test_path("pool"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[256];
        bool whole = strncmp(cases[i].path, "BASE", 4) == 0;
        snprintf(script, sizeof script, "ask %d %s%s\nfail 2", cases[i].kind,
                 whole ? test_folder() : "", cases[i].path + (whole ? 4 : 0));
        mrw_load_def def = quick();
        def.asset_root = cases[i].root ? root : NULL;
        def.texture_dirs = dirs;
        def.texture_dir_count = cases[i].dirs ? 1 : 0;
        expect_with(&def, script, MRW_ERROR_INPUT, cases[i].got);
    }
    remove_folders();
}
END_TEST

START_TEST(test_asset_root)
{
    use_program("fake_importer");
    make_folders();
    char root[300];
    mrw_load_def def = quick();
    def.asset_root = root;
    snprintf(root, sizeof root, "%s", test_path("pool"));
    expect_with(&def, "fail 2", MRW_ERROR_USAGE, "is not inside it");
    snprintf(root, sizeof root, "%s", test_path("none"));
    expect_with(&def, "fail 2", MRW_ERROR_USAGE, "not a folder");
    /* a prefix of the name, not the folder */
    snprintf(root, sizeof root, "%s", test_path("art/model"));
    ck_assert_int_eq(mkdir(root, 0700), 0);
    expect_with(&def, "fail 2", MRW_ERROR_USAGE, "is not inside it");
    strcpy(root, "/");
    char script[512];
    snprintf(script, sizeof script, "ask 0 ../../secret\nask 0 %s\nask 0 far_link\nfail 2",
             test_path("secret"));
    expect_with(&def, script, MRW_ERROR_INPUT, "[got secret][got secret][got secret]");
    snprintf(root, sizeof root, "%s", test_path("art"));
    folder[0] = '\0'; /* a model from nowhere: paths begin at the root */
    expect_with(&def, "ask 0 textures/skin.png\nfail 2", MRW_ERROR_INPUT, "[got skin]");
    def.asset_root = NULL;
    expect_with(&def, "ask 0 textures/skin.png\nfail 2", MRW_ERROR_INPUT, "[does not exist]");
    remove_folders();
}
END_TEST

START_TEST(test_file_size)
{
    use_program("fake_importer");
    make_folders();
    mrw_load_def def = quick();
    def.max_file_size = 4;
    expect_with(&def, "ask 0 parts/arm.txt\nfail 2", MRW_ERROR_INPUT, "[got arm]");
    def.max_file_size = 2;
    expect_with(&def, "ask 0 parts/arm.txt\nfail 2", MRW_ERROR_INPUT, "--max-file-size");
    remove_folders();
}
END_TEST

/* ---- the programs ---------------------------------------------------------------------------- */

START_TEST(test_no_program)
{
    mrw_load_def def = quick();
    setenv("MARROW_IMPORTER", "/nonexistent/importer", 1);
    expect_with(&def, "fail 2", MRW_ERROR_TOOL, "MARROW_IMPORTER");
    setenv("MARROW_IMPORTER", "/etc/passwd", 1); /* there, but no program */
    expect_with(&def, "fail 2", MRW_ERROR_TOOL, "could not be started");
    def.no_sandbox = true;
    expect_with(&def, "fail 2", MRW_ERROR_TOOL, "marrow-import.so");
}
END_TEST

static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/* The real importer, in a helper and in the process, gives one scene. */
START_TEST(test_real_importer)
{
    use_program("../marrow-import");
    if (access(getenv("MARROW_IMPORTER"), X_OK) != 0) {
        SKIP("test_real_importer: there is no %s", getenv("MARROW_IMPORTER"));
        return;
    }
    mrw_load_def def = quick();
    def.machine_warning = hear_warning;
    def.machine_warning_user = &warnings_heard;
    mrw_scene *helped = import_bytes(square, sizeof square - 1, &def);
    ck_assert_msg(helped, "%s", error.text);
    ck_assert_uint_eq(helped->meshes[0].triangle_count, 2);
    mrw_scene_free(helped);
    expect_with(&def, "f 1 2 3\n", MRW_ERROR_INPUT, "fish.obj");
#ifndef TEST_SANITIZED
    const size_t count = 4000000;
    char *large = malloc(8 * count);
    for (size_t i = 0; i < count; i++) {
        memcpy(large + 8 * i, "v 0 0 0\n", 8);
    }
    def.import_memory = UINT64_C(64) << 20;
    ck_assert_ptr_null(import_bytes(large, 8 * count, &def));
    ck_assert_msg(strstr(error.text, "--import-memory"), "%s", error.text);
    free(large);
#endif
}
END_TEST

#ifndef TEST_SANITIZED
/* Vertices enough that the import takes longer than it takes to look. */
static char *large_model(size_t *size)
{
    const size_t count = 300000;
    char *model = malloc(8 * count + sizeof square);
    for (size_t i = 0; i < count; i++) {
        memcpy(model + 8 * i, "v 9 9 9\n", 8);
    }
    memcpy(model + 8 * count, square, sizeof square - 1);
    *size = 8 * count + sizeof square - 1;
    return model;
}

/* Imports in another process under a container's filter, which then ends with the status. */
static pid_t import_in_container(const char *model, size_t size, const int *calls, size_t count)
{
    pid_t pid = fork();
    if (pid == 0) {
        mrw_load_def def = quick();
        mrw_scene *scene = NULL;
        def.import_seconds = 60;
        def.machine_warning = hear_warning;
        def.machine_warning_user = &warnings_heard;
        enter_container(calls, count);
        mrw_status status = mrw_load_memory(model, size, "fish.obj", NULL, &def, &scene, &error);
        _exit(warnings_heard > 0 ? 100 : (int)status);
    }
    return pid;
}

/* The real importer under a container's filter: while it works the kernel says that it has one
 * more. */
START_TEST(test_real_importer_in_container)
{
    if (skip_without_seccomp("test_real_importer_in_container")) {
        return;
    }
    use_program("../marrow-import");
    size_t size;
    char *model = large_model(&size);
    int status = 0, most = 0;
    pid_t pid = import_in_container(model, size, NULL, 0);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        pid_t helper = child_of(pid);
        int filters = helper > 0 ? filters_of(helper) : 0;
        most = filters > most ? filters : most;
        usleep(500);
    }
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(most, filters_of(getpid()) + 2);
    free(model);
}
END_TEST

/* Where a container forbids filters the import is not possible: nothing runs without one. */
START_TEST(test_container_without_filters)
{
    if (skip_without_seccomp("test_container_without_filters")) {
        return;
    }
    static const int refused[] = {SCMP_SYS(seccomp), SCMP_SYS(prctl)};
    use_program("../marrow-import");
    enter_container(refused, sizeof refused / sizeof *refused);
    mrw_load_def def = quick();
    expect_with(&def, square, MRW_ERROR_UNSUPPORTED, "--no-sandbox");
}
END_TEST
#endif

#ifndef TEST_SANITIZED /* assimp's scene is never freed (some would be twice): a leak */
START_TEST(test_no_sandbox)
{
    use_program("../marrow-import");
    char module[1100];
    snprintf(module, sizeof module, "%s.so", getenv("MARROW_IMPORTER"));
    if (access(module, R_OK) != 0) {
        SKIP("test_no_sandbox: there is no %s", module);
        return;
    }
    mrw_load_def def = quick();
    mrw_scene *helped = import_bytes(square, sizeof square - 1, &def);
    ck_assert_msg(helped, "%s", error.text);
    def.machine_warning = hear_warning;
    def.machine_warning_user = &warnings_heard;
    def.no_sandbox = true;
    mrw_scene *scene = NULL;
    ck_assert_msg(mrw_load_memory(square, sizeof square - 1, "fish.obj", NULL, &def, &scene,
                                  &error) == MRW_OK,
                  "%s", error.text);
    ck_assert_int_eq(warnings_heard, 1);
    ck_assert_ptr_nonnull(strstr(warning_heard, "without a sandbox"));
    ck_assert_mem_eq(mrw_scene_hash(scene), mrw_scene_hash(helped), 32);
    mrw_scene_free(scene);
    mrw_scene_free(helped);
}
END_TEST
#endif

static Suite *suite(void)
{
    Suite *s = suite_create("sandbox");
    TCase *tc = tcase_create("sandbox");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_crashes);
    tcase_add_test(tc, test_unsupported);
    tcase_add_test(tc, test_time);
    tcase_add_test(tc, test_memory);
#ifndef TEST_SANITIZED
    tcase_add_test(tc, test_confinement);
    tcase_add_test(tc, test_confinement_in_container);
    tcase_add_test(tc, test_real_importer_in_container);
    tcase_add_test(tc, test_container_without_filters);
#endif
    tcase_add_test(tc, test_parent_killed);
    tcase_add_test(tc, test_lower_limits);
    tcase_add_test(tc, test_inherits_nothing);
    tcase_add_test(tc, test_garbage);
    tcase_add_test(tc, test_flood);
    tcase_add_test(tc, test_warnings);
    tcase_add_test(tc, test_scene);
    tcase_add_test(tc, test_limits);
    tcase_add_test(tc, test_allocations);
    tcase_add_test(tc, test_lies_in_every_field);
    tcase_add_test(tc, test_lies_through_the_channel);
    tcase_add_test(tc, test_children_ignored);
    tcase_add_test(tc, test_threads);
    tcase_add_test(tc, test_watch_works);
    tcase_add_test(tc, test_refused_files);
    tcase_add_test(tc, test_refused_in_process);
    tcase_add_test(tc, test_allowed_files);
    tcase_add_test(tc, test_asset_root);
    tcase_add_test(tc, test_file_size);
    tcase_add_test(tc, test_no_program);
    tcase_add_test(tc, test_real_importer);
#ifndef TEST_SANITIZED
    tcase_add_test(tc, test_no_sandbox);
#endif
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
