/* module.c: the entry points of marrow-import.so, the importer inside the process. */
#include "base/text.h"
#include "import/import.h"
#include "load/importer.h"

MRW_API mrwi_load_import_module mrw_import_module;

mrw_status mrw_import_module(uint32_t version, const mrwi_load_read_job *job, mrw_scene **out,
                             mrw_error *error)
{
    if (version != MRWI_SANDBOX_CHANNEL_VERSION) {
        return mrwi_base_fail(
            error, MRW_ERROR_TOOL,
            "the import module and marrow have different versions; reinstall both");
    }
    return mrwi_import_read(job, out, error);
}
