/* test_linkage.c: nothing of OpenGL or of window systems is linked: never by the library, and by
 * the command only where it was made with GL=1. Nor are the libraries that the import helper has.
 * libmarrow.so exports exactly the functions that tests/libmarrow.symbols lists.
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

/* ---- exported symbols ------------------------------------------------------------------------ */

#define RECORDED "tests/libmarrow.symbols"
#define VERSION  "@@MARROW_1"

typedef struct symbols {
    char names[2000][64]; /* in the order of strcmp */
    int count;
} symbols;

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Reads names up to the first blank of each line. A name must fit. */
static void read_symbols(FILE *file, symbols *out)
{
    char line[200];
    out->count = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, " \n")] = '\0';
        ck_assert_int_lt(out->count, (int)(sizeof out->names / sizeof *out->names));
        ck_assert_uint_lt(strlen(line), sizeof *out->names);
        strcpy(out->names[out->count++], line);
    }
    qsort(out->names, (size_t)out->count, sizeof *out->names, compare_names);
}

/* Writes a line for each name of `in` that `other` lacks; returns how many there are. */
static int report_missing(const symbols *in, const symbols *other, const char *what)
{
    int missing = 0;
    for (int i = 0; i < in->count; i++) {
        if (!bsearch(in->names[i], other->names, (size_t)other->count, sizeof *other->names,
                     compare_names)) {
            fprintf(stderr, "%s %s\n", in->names[i], what);
            missing++;
        }
    }
    return missing;
}

/* What the library exports, each name with its version node; the node itself is left out. */
static void read_exports(symbols *out)
{
    char path[PATH_MAX];
    char line[PATH_MAX + 200];
    path_of("libmarrow.so", path);
    snprintf(line, sizeof line,
             "nm -D --defined-only '%s' | sed -n '/ A MARROW_1$/d; s/^[0-9a-f]* . //p'", path);
    FILE *pipe = popen(line, "r");
    ck_assert(pipe);
    read_symbols(pipe, out);
    ck_assert_int_eq(pclose(pipe), 0);
    for (int i = 0; i < out->count; i++) {
        char *version = strchr(out->names[i], '@');
        ck_assert_msg(version && strcmp(version, VERSION) == 0,
                      "%s is not exported as " VERSION ": see src/libmarrow.map", out->names[i]);
        *version = '\0';
    }
}

START_TEST(exported_symbols)
{
    static symbols recorded, exported;
    FILE *file = fopen(RECORDED, "r");
    ck_assert(file);
    read_symbols(file, &recorded);
    fclose(file);
    read_exports(&exported);
    ck_assert_int_gt(exported.count, 300); /* nm lists them */
    const int gone = report_missing(&recorded, &exported,
                                    "is listed in " RECORDED " but no longer exported: restore it, "
                                    "or give the library a new soname and remove the line");
    const int added = report_missing(&exported, &recorded,
                                     "is exported but not listed in " RECORDED
                                     ": run `make record-symbols`, or make it private");
    ck_assert_int_eq(gone, 0);
    ck_assert_int_eq(added, 0);
}
END_TEST

/* A name that is only on one side is told, and only that one. */
START_TEST(a_missing_symbol_is_found)
{
    static symbols two = {.names = {"mrw_a", "mrw_b"}, .count = 2};
    static symbols one = {.names = {"mrw_b"}, .count = 1};
    ck_assert_int_eq(report_missing(&two, &one, "is told here by a test that wants it"), 1);
    ck_assert_int_eq(report_missing(&one, &two, "must not be told"), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("linkage");
    TCase *tc = tcase_create("linkage");
    tcase_add_test(tc, the_library);
    tcase_add_test(tc, the_command);
    tcase_add_test(tc, exported_symbols);
    tcase_add_test(tc, a_missing_symbol_is_found);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
