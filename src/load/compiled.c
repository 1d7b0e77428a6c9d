/* compiled.c: writes and reads scenes as files: see compiled.h. */
#include "load/compiled.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "scene/blob.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MAGIC       "\x8dmarrow\n"
#define VERSION     2u
#define OLDEST      1u
#define BYTE_ORDER_ 0x01020304u
#define FORMAT      "marrow"

typedef struct header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size;
    uint8_t hash[32];
    uint64_t zero;
} header;

_Static_assert(sizeof(header) == MRWI_BLOB_ALIGN, "padding in the header");

static void hash_of(const void *blob, uint64_t size, uint8_t out[32])
{
    mrwi_sha256 hash;
    mrwi_sha256_begin(&hash);
    mrwi_sha256_add(&hash, blob, (size_t)size);
    mrwi_sha256_end(&hash, out);
}

/* ---- writing ----------------------------------------------------------------------------------*/

/* The header of the same blob with FORMAT behind its strings as the name of its format. */
static bool layout_of(const mrw_scene *scene, mrwi_blob_header *out)
{
    memcpy(out, scene->blob, sizeof *out);
    if (strcmp(mrw_scene_string(scene, scene->format), FORMAT) == 0) {
        return true;
    }
    out->format = scene->strings_count;
    out->sections[MRWI_SECTION_strings].count += sizeof FORMAT;
    return mrwi_blob_layout(out);
}

mrw_status mrw_scene_compile(const mrw_scene *scene, mrw_bytes *out, mrw_error *error)
{
    assert(scene != NULL && out != NULL);
    memset(out, 0, sizeof *out);
    mrwi_blob_header layout;
    if (!layout_of(scene, &layout)) {
        return mrwi_fail(error, MRW_ERROR_INPUT, "the scene is too large to be compiled");
    }
    size_t size = (size_t)layout.size + sizeof(header);
    out->data = mrwi_alloc_zero(size, 1);
    if (out->data == NULL) {
        return mrwi_fail_memory(error, size);
    }
    out->size = size;
    uint8_t *blob = out->data + sizeof(header);
    memcpy(blob, &layout, sizeof layout);
    mrwi_blob_copy_sections(scene->blob, blob);
    if (layout.format != scene->format) {
        memcpy(blob + layout.sections[MRWI_SECTION_strings].offset + layout.format, FORMAT,
               sizeof FORMAT);
    }
    header h = {.version = VERSION, .byte_order = BYTE_ORDER_, .size = layout.size};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    hash_of(blob, layout.size, h.hash);
    memcpy(out->data, &h, sizeof h);
    return MRW_OK;
}

/* ---- reading ----------------------------------------------------------------------------------*/

static mrw_status check_header(const header *h, const mrwi_read_job *job, const char *name,
                               mrw_error *error)
{
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0) {
        return mrwi_fail(error, MRW_ERROR_INPUT, "%s: this is no compiled scene", name);
    }
    if (h->version < OLDEST || h->version > VERSION || h->byte_order != BYTE_ORDER_) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: a compiled scene of another version of marrow; compile it anew from "
                         "the model",
                         name);
    }
    uint8_t hash[32];
    uint64_t rest = job->size - sizeof *h;
    if (h->size != rest || h->zero != 0) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the compiled scene is damaged (%" PRIu64 " bytes of it are here, not "
                         "%" PRIu64 "); copy it again, or compile it anew",
                         name, rest, h->size);
    }
    hash_of(job->bytes + sizeof *h, rest, hash);
    if (memcmp(hash, h->hash, sizeof hash) != 0) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the compiled scene is damaged (its hash is another); copy it again, "
                         "or compile it anew",
                         name);
    }
    return MRW_OK;
}

mrw_status mrwi_compiled_read(const mrwi_read_job *job, mrw_scene **out, mrw_error *error)
{
    char name[300];
    header h;
    *out = NULL;
    mrwi_escape(job->name, name, sizeof name);
    if (job->size < sizeof h) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the compiled scene is cut off; copy it again, or compile it anew",
                         name);
    }
    memcpy(&h, job->bytes, sizeof h);
    mrw_status status = check_header(&h, job, name, error);
    if (status != MRW_OK) {
        return status;
    }
    void *blob = mrwi_alloc((size_t)h.size, 1);
    if (blob == NULL) {
        return mrwi_fail_memory(error, (size_t)h.size);
    }
    memcpy(blob, job->bytes + sizeof h, (size_t)h.size);
    status = mrwi_scene_from_blob(blob, h.size, job->name, out, error);
    if (status != MRW_OK) {
        mrwi_free(blob);
        return status;
    }
    status = mrwi_job_check_scene(job, *out, error);
    if (status != MRW_OK) {
        mrw_scene_free(*out);
        *out = NULL;
    }
    return status;
}
