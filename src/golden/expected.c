/* expected.c: reads what a case is compared with: the goldens on disk. */
#include "golden/expected.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/unused_files.h"

#include <string.h>

/* Turns a damaged file into a fault. Other failures end the run. */
static mrw_status judge(mrw_status status, const mrw_error *why, mrwi_base_arena *arena,
                        mrwi_golden_file *file, mrw_error *error)
{
    if (status == MRW_ERROR_INPUT) {
        file->fault = mrwi_base_copy_text(arena, why->text);
        return file->fault ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    return status ? mrwi_base_fail(error, status, "%s", why->text) : MRW_OK;
}

/* Reads the bytes of one text file; none when it is missing or can't be read. A `path` of NULL
 * means that memory ran out. */
static mrw_status read_text(const char *path, mrwi_base_arena *arena, mrw_bytes *bytes,
                            mrwi_golden_file *file, mrw_error *error)
{
    mrw_error why;
    bool missing = false;
    if (!path) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrw_status status = mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, bytes, &missing, &why);
    file->there = !missing;
    return judge(status, &why, arena, file, error);
}

static mrw_status read_stored(const char *folder, mrwi_base_arena *arena, mrwi_golden_file *file,
                              mrwi_golden_stored *out, mrw_error *error)
{
    const char *path = mrwi_base_format(arena, "%s/golden.txt", folder);
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(path, arena, &bytes, file, error);
    if (!status && bytes.data) {
        status = mrwi_golden_stored_read(path, &bytes, arena, out, &why);
        status = judge(status, &why, arena, file, error);
    }
    if (file->fault || !bytes.data) {
        *out = (mrwi_golden_stored){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status read_poses(const char *folder, mrwi_base_arena *arena, mrwi_golden_file *file,
                             mrwi_golden_poses *out, mrw_error *error)
{
    const char *path = mrwi_base_format(arena, "%s/pose.txt", folder);
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(path, arena, &bytes, file, error);
    if (!status && bytes.data) {
        status = mrwi_golden_poses_read(path, &bytes, arena, out, &why);
        status = judge(status, &why, arena, file, error);
    }
    if (file->fault || !bytes.data) {
        *out = (mrwi_golden_poses){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status read_boxes(const char *folder, mrwi_base_arena *arena, mrwi_golden_file *file,
                             mrwi_golden_boxes *out, mrw_error *error)
{
    const char *path = mrwi_base_format(arena, "%s/bounds.txt", folder);
    mrw_bytes bytes = {0};
    mrw_error why;
    mrw_status status = read_text(path, arena, &bytes, file, error);
    if (!status && bytes.data) {
        status = mrwi_golden_boxes_read(path, &bytes, arena, out, &why);
        status = judge(status, &why, arena, file, error);
    }
    if (file->fault || !bytes.data) {
        *out = (mrwi_golden_boxes){0};
    }
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrwi_golden_expected_read(const char *folder, uint32_t checks, bool hashes,
                                     mrwi_base_arena *arena, mrwi_golden_expected *out,
                                     mrw_error *error)
{
    *out = (mrwi_golden_expected){.folder = folder, .hashes = hashes};
    mrw_status status = read_stored(folder, arena, &out->stored_file, &out->stored, error);
    if (status) {
        return status;
    }
    if ((checks & MRW_CHECK_POSE) != 0) {
        status = read_poses(folder, arena, &out->poses_file, &out->poses, error);
        if (status) {
            return status;
        }
    }
    if ((checks & MRW_CHECK_BOUNDS) != 0) {
        return read_boxes(folder, arena, &out->boxes_file, &out->boxes, error);
    }
    return MRW_OK;
}

/* Describes why golden.txt can't vouch for the goldens beside it, though it has no fault; NULL when
 * it can. */
static const char *find_gap(const mrw_case *c, const mrwi_golden_expected *goldens,
                            mrwi_base_arena *arena, char *safe, size_t size)
{
    const uint32_t models = 1 + (uint32_t)c->settings.model.added.count;
    const uint32_t known = goldens->stored.scene_count;
    mrwi_base_escape(c->golden, safe, size);
    if (goldens->stored_file.there && known != models && !goldens->stored_file.fault) {
        return mrwi_base_format(arena,
                                "%s/golden.txt covers %u model%s, but this case draws %u; if that "
                                "is intended, run marrow test --update",
                                safe, known, known == 1 ? "" : "s", models);
    }
    if (!goldens->stored_file.there && !goldens->hashes &&
        (goldens->poses_file.there || goldens->boxes_file.there ||
         mrwi_golden_holds_pictures(c->golden))) {
        return mrwi_base_format(
            arena,
            "%s/golden.txt is missing: it records the scene and pixel version of the goldens next "
            "to it; restore it, or check them and run marrow test --update",
            safe);
    }
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Notes that another backend or driver drew the pictures, which tell nothing about the current
 * one. */
static mrw_status find_foreign(const mrwi_golden_drawer *drawer, mrwi_base_arena *arena,
                               mrwi_golden_expected *out, mrw_error *error)
{
    const mrwi_golden_stored *stored = &out->stored;
    const char *theirs = stored->driver ? stored->driver : "software";
    const char *ours = drawer->driver ? drawer->driver : "software";
    char their_safe[600], our_safe[600];
    out->unseen = stored->scene_count > 0 && !is_same(stored->backend, drawer->backend);
    if (stored->scene_count == 0 || (!out->unseen && is_same(stored->driver, drawer->driver))) {
        return MRW_OK;
    }
    out->foreign = mrwi_base_format(arena, "the goldens were drawn by %s, but this is %s%s",
                                    mrwi_base_escape(theirs, their_safe, sizeof their_safe),
                                    mrwi_base_escape(ours, our_safe, sizeof our_safe),
                                    out->unseen ? ": not compared" : "");
    return out->foreign ? MRW_OK : mrwi_base_fail_memory(error, sizeof their_safe);
}

mrw_status mrwi_golden_expected_goldens(const mrw_case *c, const mrwi_golden_drawer *drawer,
                                        mrwi_base_arena *arena, mrwi_golden_expected *out,
                                        mrw_error *error)
{
    char safe[512];
    mrw_status status =
        mrwi_golden_expected_read(c->golden, c->checks, c->store_hash, arena, out, error);
    if (status) {
        return status;
    }
    const char *gap = find_gap(c, out, arena, safe, sizeof safe);
    out->stored_file.fault = gap ? gap : out->stored_file.fault;
    return (c->checks & MRW_CHECK_PIXELS) != 0 ? find_foreign(drawer, arena, out, error) : MRW_OK;
}

mrw_status mrwi_golden_case_of(const mrw_case *c, const mrwi_golden_drawer *drawer,
                               mrwi_base_arena *arena, mrw_case *out, mrw_error *error)
{
    *out = *c;
    if (drawer->backend) {
        out->golden = mrwi_base_format(arena, "%s/%s", c->golden, drawer->backend);
        out->skip = c->skip ? c->skip : c->soft_reason;
    }
    return out->golden ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static mrw_status open_goldens(const void *user, const mrw_case *c, int threads,
                               mrwi_base_arena *arena, mrwi_golden_expected *out, mrw_error *error)
{
    (void)threads;
    return mrwi_golden_expected_goldens(c, user, arena, out, error);
}

mrwi_golden_reference mrwi_golden_source(const mrwi_golden_drawer *drawer)
{
    return (mrwi_golden_reference){.open = open_goldens, .user = drawer};
}
