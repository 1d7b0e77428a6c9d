/* sandbox_module.c: imports a model in this process, for machines where no helper can run. */
#include "load/sandbox.h"

#include "base/text.h"
#include "load/channel.h"

#include <dlfcn.h>
#include <string.h>

static mrw_status fail_module(const char *path, mrw_error *error)
{
    char name[300], why[400];
    const char *reason = dlerror();
    return mrwi_fail(error, MRW_ERROR_UNSUPPORTED, "the import module %s could not be loaded: %s",
                     mrwi_escape(path, name, sizeof name),
                     mrwi_escape(reason != NULL ? reason : "no reason given", why, sizeof why));
}

/* Never unloaded: a second load is free, and libraries with thread-local data do not like it. */
static mrw_status open_module(mrwi_import_module **out, mrw_error *error)
{
    char path[MRWI_PATH_MAX];
    mrw_status status = mrwi_importer_find(MRWI_IMPORTER_MODULE, path, error);
    if (status != MRW_OK) {
        return status;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = module != NULL ? dlsym(module, MRWI_IMPORT_MODULE_SYMBOL) : NULL;
    if (symbol == NULL) {
        return fail_module(path, error);
    }
    memcpy(out, &symbol, sizeof symbol); /* ISO C has no cast from data to function */
    return MRW_OK;
}

mrw_status mrwi_import_in_process(const mrwi_read_job *job, mrw_scene **out, mrw_error *error)
{
    *out = NULL;
    mrwi_import_module *module = NULL;
    mrw_status status = open_module(&module, error);
    if (status != MRW_OK) {
        return status;
    }
    if (job->def->machine_warning != NULL) {
        job->def->machine_warning(job->def->machine_warning_user,
                                  "imported without a sandbox (--no-sandbox): a damaged file can "
                                  "crash this program, a hostile one can take it over");
    }
    return module(MRWI_CHANNEL_VERSION, job, out, error);
}
