/* expected.c: what a case is compared with: the goldens on disk. */
#include "golden/expected.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/unused.h"

/* Reads one text file; what is wrong with it becomes *fault. */
static mrw_status read_text(const char *folder, const char *name, mrwi_base_arena *arena,
                            const char **path, mrw_bytes *bytes, bool *there, const char **fault,
                            mrw_error *error)
{
    mrw_error why;
    bool missing = false;
    *path = mrwi_base_format(arena, "%s/%s", folder, name);
    if (!*path) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrw_status status = mrwi_base_read_file(*path, MRWI_GOLDEN_TEXT_SIZE, bytes, &missing, &why);
    *there = !missing;
    if (status == MRW_ERROR_INPUT) {
        *fault = mrwi_base_copy_text(arena, why.text);
        return *fault ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    return status == MRW_OK ? MRW_OK : mrwi_base_fail(error, status, "%s", why.text);
}

/* A damaged file is a fault, anything else ends the run. */
static mrw_status judge(mrw_status status, const mrw_error *why, mrwi_base_arena *arena,
                        const char **fault, mrw_error *error)
{
    if (status == MRW_ERROR_INPUT) {
        *fault = mrwi_base_copy_text(arena, why->text);
        return *fault ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    return status == MRW_OK ? MRW_OK : mrwi_base_fail(error, status, "%s", why->text);
}

static mrw_status read_stored(const char *folder, mrwi_base_arena *arena, mrwi_golden_expected *out,
                              mrw_error *error)
{
    const char *path;
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(folder, "golden.txt", arena, &path, &bytes, &out->stored_there,
                                  &out->stored_fault, error);
    if (status == MRW_OK && bytes.data) {
        status = mrwi_golden_stored_read(path, &bytes, arena, &out->stored, &why);
        status = judge(status, &why, arena, &out->stored_fault, error);
    }
    if (out->stored_fault || !bytes.data) {
        out->stored = (mrwi_golden_stored){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status read_poses(const char *folder, mrwi_base_arena *arena, mrwi_golden_expected *out,
                             mrw_error *error)
{
    const char *path;
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(folder, "pose.txt", arena, &path, &bytes, &out->poses_there,
                                  &out->poses_fault, error);
    if (status == MRW_OK && bytes.data) {
        status = mrwi_golden_poses_read(path, &bytes, arena, &out->poses, &why);
        status = judge(status, &why, arena, &out->poses_fault, error);
    }
    if (out->poses_fault || !bytes.data) {
        out->poses = (mrwi_golden_poses){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status read_boxes(const char *folder, mrwi_base_arena *arena, mrwi_golden_expected *out,
                             mrw_error *error)
{
    const char *path;
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(folder, "bounds.txt", arena, &path, &bytes, &out->boxes_there,
                                  &out->boxes_fault, error);
    if (status == MRW_OK && bytes.data) {
        status = mrwi_golden_boxes_read(path, &bytes, arena, &out->boxes, &why);
        status = judge(status, &why, arena, &out->boxes_fault, error);
    }
    if (out->boxes_fault || !bytes.data) {
        out->boxes = (mrwi_golden_boxes){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrwi_golden_expected_read(const char *folder, uint32_t checks, bool hashes,
                                     mrwi_base_arena *arena, mrwi_golden_expected *out,
                                     mrw_error *error)
{
    *out = (mrwi_golden_expected){.folder = folder, .hashes = hashes};
    mrw_status status = read_stored(folder, arena, out, error);
    if (status == MRW_OK && (checks & MRW_CHECK_POSE) != 0) {
        status = read_poses(folder, arena, out, error);
    }
    if (status == MRW_OK && (checks & MRW_CHECK_BOUNDS) != 0) {
        status = read_boxes(folder, arena, out, error);
    }
    return status;
}

/* Why golden.txt can't vouch for the goldens beside it, though nothing is wrong in it; NULL: it
 * can.
 */
static const char *find_gap(const mrw_case *c, const mrwi_golden_expected *goldens,
                            mrwi_base_arena *arena, char *safe, size_t size)
{
    const uint32_t models = 1 + (uint32_t)c->settings.added.count;
    const uint32_t known = goldens->stored.scene_count;
    mrwi_base_escape(c->golden, safe, size);
    if (goldens->stored_there && known != models && !goldens->stored_fault) {
        return mrwi_base_format(arena,
                                "%s/golden.txt is of %u model%s, this case draws %u; if that is "
                                "meant, say marrow test --update",
                                safe, known, known == 1 ? "" : "s", models);
    }
    bool others =
        goldens->poses_there || goldens->boxes_there || mrwi_golden_holds_pictures(c->golden);
    if (!goldens->stored_there && !goldens->hashes && others) {
        return mrwi_base_format(arena,
                                "%s/golden.txt is missing: it says which scene and pixel version "
                                "the goldens beside it are of; bring it back, or look at them "
                                "and say marrow test --update",
                                safe);
    }
    return NULL;
}

mrw_status mrwi_golden_expected_goldens(const mrw_case *c, mrwi_base_arena *arena,
                                        mrwi_golden_expected *out, mrw_error *error)
{
    char safe[512];
    mrw_status status =
        mrwi_golden_expected_read(c->golden, c->checks, c->store_hash, arena, out, error);
    const char *gap = status == MRW_OK ? find_gap(c, out, arena, safe, sizeof safe) : NULL;
    out->stored_fault = gap ? gap : out->stored_fault;
    return status;
}

static mrw_status open_goldens(void *user, const mrw_case *c, mrwi_base_arena *arena,
                               mrwi_golden_expected *out, mrw_error *error)
{
    (void)user;
    return mrwi_golden_expected_goldens(c, arena, out, error);
}

mrwi_golden_reference mrwi_golden_source(void)
{
    return (mrwi_golden_reference){.open = open_goldens};
}
