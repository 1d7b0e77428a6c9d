/* module.c: loads the import module into this process. The static command has its own module.o,
 * compiled with MARROW_STATIC. */
#include "load/importer.h"

#include "base/text.h"

#ifdef MARROW_STATIC

mrw_status mrwi_load_module_open(const char *name, void **symbol, mrw_error *error)
{
    (void)name;
    *symbol = NULL;
    return mrwi_base_fail(error, MRW_ERROR_TOOL,
                          "--no-sandbox needs to load the import module %s, which this marrow "
                          "cannot: it is linked statically; import without --no-sandbox, or "
                          "install a package of your system's",
                          MRWI_LOAD_IMPORTER_MODULE);
}

#else

#include <dlfcn.h>

static mrw_status fail_module(const char *path, mrw_error *error)
{
    char name[300], why[400];
    const char *reason = dlerror();
    return mrwi_base_fail(error, MRW_ERROR_TOOL, "the import module %s could not be loaded: %s",
                          mrwi_base_escape(path, name, sizeof name),
                          mrwi_base_escape(reason ? reason : "no reason given", why, sizeof why));
}

mrw_status mrwi_load_module_open(const char *name, void **symbol, mrw_error *error)
{
    char path[MRWI_BASE_PATH_MAX];
    mrw_status status = mrwi_load_importer_find(MRWI_LOAD_IMPORTER_MODULE, path, error);
    if (status) {
        return status;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *symbol = module ? dlsym(module, name) : NULL;
    return *symbol ? MRW_OK : fail_module(path, error);
}

#endif
