/* importer_find.c: finds the import helper and its module. */
#include "load/importer.h"

#include "base/system.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef MRWI_LOAD_LIBEXEC /* the Makefile's $(PREFIX)/libexec/marrow */
#define MRWI_LOAD_LIBEXEC "/usr/local/libexec/marrow"
#endif

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Finds a file beside another one, or in the libexec folder of its prefix (above bin, lib, or
 * lib/x86_64-linux-gnu). */
static bool find_near(const char *other, const char *file, char out[MRWI_BASE_PATH_MAX])
{
    static const char *const places[] = {"", "../libexec/marrow/", "../../libexec/marrow/"};
    const char *slash = strrchr(other, '/');
    if (!slash) {
        return false;
    }
    int folder = (int)(slash - other) + 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(out, MRWI_BASE_PATH_MAX, "%.*s%s%s", folder, other, places[i], file);
        if (length > 0 && length < MRWI_BASE_PATH_MAX && readable(out)) {
            return true;
        }
    }
    return false;
}

static bool near_program(const char *file, char out[MRWI_BASE_PATH_MAX])
{
    char program[MRWI_BASE_PATH_MAX];
    return mrwi_base_program_path(program) && find_near(program, file, out);
}

static bool near_library(const char *file, char out[MRWI_BASE_PATH_MAX])
{
    Dl_info info;
    static const char here;
    return dladdr(&here, &info) != 0 && info.dli_fname && find_near(info.dli_fname, file, out);
}

/* Uses MARROW_IMPORTER, which names the program; the module is beside it. */
static mrw_status find_named(const char *named, const char *file, char out[MRWI_BASE_PATH_MAX],
                             mrw_error *error)
{
    bool program = strcmp(file, MRWI_LOAD_IMPORTER_PROGRAM) == 0;
    const char *slash = strrchr(named, '/');
    int folder = slash ? (int)(slash - named) + 1 : 0;
    int length = program ? snprintf(out, MRWI_BASE_PATH_MAX, "%s", named)
                         : snprintf(out, MRWI_BASE_PATH_MAX, "%.*s%s", folder > 0 ? folder : 2,
                                    folder > 0 ? named : "./", file);
    if (length > 0 && length < MRWI_BASE_PATH_MAX && readable(out)) {
        return MRW_OK;
    }
    char name[300];
    return mrwi_base_fail(error, MRW_ERROR_TOOL,
                          "the import helper %s, given by MARROW_IMPORTER, was not found; unset "
                          "MARROW_IMPORTER or correct it",
                          mrwi_base_escape(program ? named : out, name, sizeof name));
}

mrw_status mrwi_load_importer_find(const char *file, char out[MRWI_BASE_PATH_MAX], mrw_error *error)
{
    const char *named = mrwi_base_trusted_environment("MARROW_IMPORTER");
    if (named && named[0] != '\0') {
        return find_named(named, file, out, error);
    }
    if (near_program(file, out) || near_library(file, out)) {
        return MRW_OK;
    }
    snprintf(out, MRWI_BASE_PATH_MAX, "%s/%s", MRWI_LOAD_LIBEXEC, file);
    if (readable(out)) {
        return MRW_OK;
    }
    return mrwi_base_fail(
        error, MRW_ERROR_TOOL,
        "the import helper %s was not found next to this program, next to libmarrow.so or in %s; "
        "install marrow again, or set MARROW_IMPORTER to the helper",
        file, MRWI_LOAD_LIBEXEC);
}
