/* module_draco.c: the entry point of marrow-import.so for Draco meshes. It is separate, so that a
 * module without assimp can be made with it (`make same-arm64`). */
#include "base/text.h"
#include "import/draco.h"
#include "load/importer.h"

MRW_API mrwi_load_draco_module mrw_import_draco_module;

mrw_status mrw_import_draco_module(uint32_t version, const uint8_t *request, size_t size,
                                   uint64_t max_elements, uint8_t **answer, size_t *answer_size,
                                   mrw_error *error)
{
    if (version != MRWI_SANDBOX_CHANNEL_VERSION) {
        return mrwi_base_fail(
            error, MRW_ERROR_TOOL,
            "the import module and marrow have different versions; reinstall both");
    }
    return mrwi_import_draco_read(request, size, max_elements, answer, answer_size, error);
}
