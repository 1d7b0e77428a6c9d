/* gltf_buffer.c: opens buffers and buffer views of a glTF file when first used. */
#include "base/text.h"
#include "load/files_local.h"
#include "load/gltf.h"
#include "load/uri.h"

#include <inttypes.h>

static bool open_bin_chunk(mrwi_load_json *json, const mrwi_load_gltf_bytes *bytes,
                           mrwi_load_gltf_buffer *buffer)
{
    if (!bytes->bin) {
        mrwi_load_json_fail(json, "it has neither a \"uri\" nor a BIN chunk in this file");
        return false;
    }
    if (buffer->size > bytes->bin_size) {
        mrwi_load_json_fail(json, "it says %" PRIu64 " bytes, but the BIN chunk has %" PRIu64,
                            buffer->size, bytes->bin_size);
        return false;
    }
    buffer->data = bytes->bin;
    return true;
}

static mrwi_base_read_result read_uri(const mrwi_sandbox_files *files, const char *uri,
                                      uint8_t **data, size_t *size)
{
    char path[MRWI_BASE_PATH_MAX];
    if (mrwi_load_uri_is_data(uri)) {
        return mrwi_load_uri_data(uri, data, size);
    }
    if (mrwi_load_uri_has_scheme(uri)) {
        return MRWI_BASE_READ_OUTSIDE;
    }
    if (!mrwi_load_uri_decode(uri, path, sizeof path)) {
        return MRWI_BASE_READ_FAILED;
    }
    return files->read(files->user, MRWI_SANDBOX_FILE_PART, path, data, size);
}

static void fail_uri(mrwi_load_json *json, const char *uri, mrwi_base_read_result result)
{
    char name[200];
    if (result == MRWI_BASE_READ_MEMORY) {
        mrwi_load_json_fail_memory(json, 0);
    } else if (mrwi_load_uri_is_data(uri)) {
        mrwi_load_json_fail(json, "its data: URI is malformed");
    } else {
        mrwi_load_json_fail(json, "its file \"%s\" %s; %s",
                            mrwi_base_escape(uri, name, sizeof name), mrwi_base_read_reason(result),
                            mrwi_load_read_remedy(result, MRWI_SANDBOX_FILE_PART));
    }
}

static bool open_uri(mrwi_load_gltf_file *file, const char *uri, mrwi_load_gltf_buffer *buffer)
{
    uint8_t *data = NULL;
    size_t size = 0;
    mrwi_base_read_result result = read_uri(file->bytes.files, uri, &data, &size);
    if (result != MRWI_BASE_READ_OK) {
        fail_uri(&file->json, uri, result);
        return false;
    }
    if (size < buffer->size) {
        mrwi_load_json_fail(&file->json, "it says %" PRIu64 " bytes, but its data has %zu",
                            buffer->size, size);
    }
    /* An image in it is then left out, and the next one tries again. */
    if (size < buffer->size || !mrwi_load_gltf_charge_bytes(file, size)) {
        mrwi_base_free(data);
        return false;
    }
    buffer->data = buffer->owned = data;
    return true;
}

static bool open_buffer(mrwi_load_gltf_file *file, uint32_t index)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_gltf_buffer *buffer = &file->bytes.buffers[index];
    if (buffer->data) {
        return true;
    }
    size_t mark = mrwi_load_json_enter(json, "buffer %" PRIu32, index);
    const cJSON *entry = file->document->buffers.items[index];
    buffer->size = mrwi_load_json_uint(json, entry, "byteLength", 0, UINT32_MAX * UINT64_C(1024));
    const char *uri = mrwi_load_json_string(json, entry, "uri");
    bool good = mrwi_load_json_good(json) &&
                (uri ? open_uri(file, uri, buffer) : open_bin_chunk(json, &file->bytes, buffer));
    mrwi_load_json_leave(json, mark);
    return good;
}

const uint8_t *mrwi_load_gltf_buffer_range(mrwi_load_gltf_file *file, uint32_t index,
                                           uint64_t offset, uint64_t length)
{
    if (!open_buffer(file, index)) {
        return NULL;
    }
    const mrwi_load_gltf_buffer *buffer = &file->bytes.buffers[index];
    if (offset > buffer->size || length > buffer->size - offset) {
        mrwi_load_json_fail(&file->json,
                            "%" PRIu64 " bytes from byte %" PRIu64
                            " on reach past the end of buffer "
                            "%" PRIu32 ", which has %" PRIu64,
                            length, offset, index, buffer->size);
        return NULL;
    }
    return buffer->data + offset;
}

static bool resolve_view(mrwi_load_gltf_file *file, uint32_t index, mrwi_load_gltf_view *view)
{
    mrwi_load_json *json = &file->json;
    const cJSON *entry = file->document->views.items[index];
    uint32_t buffer =
        mrwi_load_json_index(json, entry, "buffer", file->document->buffers.count, "buffers");
    uint64_t offset = mrwi_load_json_uint(json, entry, "byteOffset", 0, UINT64_C(1) << 52);
    uint64_t length = mrwi_load_json_uint(json, entry, "byteLength", 0, UINT64_C(1) << 52);
    uint32_t stride = (uint32_t)mrwi_load_json_uint(json, entry, "byteStride", 0, 65535);
    const cJSON *meshopt = mrwi_load_json_extension(json, entry, "EXT_meshopt_compression");
    if (buffer == MRW_NONE) {
        mrwi_load_json_fail(json, "it has no \"buffer\"");
    }
    if (!mrwi_load_json_good(json)) {
        return false;
    }
    view->stride = stride;
    if (meshopt) {
        return mrwi_load_gltf_meshopt(file, meshopt, length, stride, view);
    }
    view->size = length;
    view->data = mrwi_load_gltf_buffer_range(file, buffer, offset, length);
    return view->data;
}

const mrwi_load_gltf_view *mrwi_load_gltf_view_open(mrwi_load_gltf_file *file, uint32_t index)
{
    mrwi_load_gltf_view *view = &file->bytes.views[index];
    if (view->data) {
        return view;
    }
    size_t mark = mrwi_load_json_enter(&file->json, "bufferView %" PRIu32, index);
    bool good = resolve_view(file, index, view);
    mrwi_load_json_leave(&file->json, mark);
    return good ? view : NULL;
}

void mrwi_load_gltf_bytes_free(mrwi_load_gltf_bytes *bytes, const mrwi_load_gltf_document *document)
{
    for (uint32_t i = 0; bytes->buffers && i < document->buffers.count; i++) {
        mrwi_base_free(bytes->buffers[i].owned);
    }
    for (uint32_t i = 0; bytes->views && i < document->views.count; i++) {
        mrwi_base_free(bytes->views[i].owned);
    }
}
