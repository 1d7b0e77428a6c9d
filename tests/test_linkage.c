/* test_linkage.c: nothing of OpenGL or of window systems is linked: never by the library, and by
 * the command only where it was made with GL=1. Nor are the libraries that the import helper has.
 */
#include "test.h"

#include <limits.h>

/* How many lines of a shell command's output a pattern finds; -1 where the command fails. */
static int count_lines(const char *command, const char *file, const char *pattern)
{
    char line[PATH_MAX + 200];
    int found = 0;
    snprintf(line, sizeof line, "%s '%s' > linkage.txt && { grep -c -E '%s' linkage.txt || :; }",
             command, file, pattern);
    FILE *pipe = popen(line, "r");
    const int read = pipe ? fscanf(pipe, "%d", &found) : 0;
    const int status = pipe ? pclose(pipe) : 1;
    remove("linkage.txt");
    return read == 1 && status == 0 ? found : -1;
}

#define LIBRARIES                                                                                  \
    "lib(GL|EGL|GLX|OpenGL|GLES|GLdispatch|epoxy|glfw|X11|xcb|wayland|gbm|drm|assimp|draco)"
#define SYMBOLS " (gl[A-Z]|egl[A-Z]|glfw|epoxy_|X[A-Z][a-z]+[A-Z])"
#define LOADS   " dlopen$"

static void path_of(const char *name, char out[PATH_MAX])
{
    const char *program = getenv("MARROW");
    ck_assert(program);
    snprintf(out, PATH_MAX, "%.*s/%s", (int)(strrchr(program, '/') - program), program, name);
}

static void assert_bare(const char *name)
{
    char path[PATH_MAX];
    path_of(name, path);
    ck_assert_int_eq(count_lines("ldd", path, LIBRARIES), 0);
    ck_assert_int_eq(count_lines("nm -D --undefined-only", path, SYMBOLS), 0);
    if (count_lines("nm -D --undefined-only", path, "__(asan|tsan)_init") == 0) {
        ck_assert_int_eq(count_lines("nm -D --undefined-only", path, LOADS), 0);
    } /* else the sanitizer loads, too */
}

START_TEST(the_library)
{
    char path[PATH_MAX];
    assert_bare("libmarrow.so");
    path_of("libmarrow.so", path);
    ck_assert_int_ge(count_lines("ldd", path, "libc\\.so"), 1); /* it would be seen */
    ck_assert_int_ge(count_lines("nm -D --undefined-only", path, " free"), 1);
}
END_TEST

START_TEST(the_command)
{
    char path[PATH_MAX];
    path_of("marrow", path);
    if (count_lines("strings -n 8", path, "^eglInitialize$|^libEGL|epoxy_gl_version") > 0) {
        ck_assert_int_ge(count_lines("ldd", path, "libepoxy"), 1); /* made with GL=1 */
    } else {
        assert_bare("marrow");
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("linkage");
    TCase *tc = tcase_create("linkage");
    tcase_add_test(tc, the_library);
    tcase_add_test(tc, the_command);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
