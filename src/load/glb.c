/* glb.c: the chunks of a binary glTF container. */
#include "load/glb.h"

#include <inttypes.h>
#include <string.h>

#define HEADER_SIZE 12
#define CHUNK_JSON  0x4E4F534Au
#define CHUNK_BIN   0x004E4942u

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool mrwi_load_glb_is(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

static bool check_header(mrwi_load_json *json, const uint8_t *bytes, size_t size)
{
    if (size < HEADER_SIZE) {
        mrwi_load_json_fail(json,
                            "the file is cut short: %zu bytes are too few for a GLB header; copy "
                            "or export it again",
                            size);
        return false;
    }
    uint32_t version = read_u32(bytes + 4), length = read_u32(bytes + 8);
    if (version != 2) {
        mrwi_load_json_fail(json,
                            "it is a GLB of version %" PRIu32 "; marrow reads glTF 2.0: export it "
                            "again as glTF 2.0",
                            version);
        return false;
    }
    if (length > size) {
        mrwi_load_json_fail(json,
                            "the file is cut short: its header says %" PRIu32
                            " bytes, but it has %zu; copy or export it again",
                            length, size);
        return false;
    }
    return true;
}

/* Returns the offset of the chunk after one that ends at `at`. The specification pads chunks to 4
 * bytes and counts the padding. Some writers do not count it; others do not pad, so the next chunk
 * follows at once (Blender 2.80, trimesh). */
static uint64_t next_chunk(const uint8_t *bytes, uint64_t end, uint64_t at)
{
    const bool follows = end - at >= 8 && read_u32(bytes + at + 4) == CHUNK_BIN &&
                         read_u32(bytes + at) <= end - at - 8;
    return follows ? at : (at + 3) & ~UINT64_C(3);
}

bool mrwi_load_glb_split(mrwi_load_json *json, const uint8_t *bytes, size_t size,
                         mrwi_load_glb *out)
{
    memset(out, 0, sizeof *out);
    if (!check_header(json, bytes, size)) {
        return false;
    }
    uint64_t end = read_u32(bytes + 8), at = HEADER_SIZE;
    for (uint32_t chunk = 0; at + 8 <= end; chunk++) {
        uint64_t length = read_u32(bytes + at);
        uint32_t type = read_u32(bytes + at + 4);
        at += 8;
        if (length > end - at) {
            mrwi_load_json_fail(json,
                                "chunk %" PRIu32 " reaches past the end of the file; copy or "
                                "export it again",
                                chunk);
            return false;
        }
        if (chunk == 0 && type == CHUNK_JSON) {
            out->text = (const char *)bytes + at;
            out->text_size = (size_t)length;
        } else if (chunk == 1 && type == CHUNK_BIN) {
            out->bin = bytes + at;
            out->bin_size = length;
        }
        at = next_chunk(bytes, end, at + length);
    }
    if (!out->text) {
        mrwi_load_json_fail(json, "the first chunk of the GLB is not JSON");
        return false;
    }
    return true;
}
