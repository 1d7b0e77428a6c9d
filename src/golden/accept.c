/* accept.c: makes the results of the last run, or of a results folder, goldens. Changes are found
 * by looking at the files again: a golden may have changed since the run, and results from
 * elsewhere can't be trusted. */
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "golden/expected.h"
#include "golden/links.h"
#include "golden/names.h"
#include "golden/promote.h"
#include "golden/scene_files.h"
#include "image/file.h"
#include "marrow/golden.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT 900

/* A results folder that was read. Folders form a list. */
typedef struct folder {
    const char *path;
    bool there;
    mrw_results results;
    struct folder *next;
} folder;

typedef struct change {
    mrw_change item;
    struct change *next;
} change;

typedef struct acceptance {
    mrw_accept_def def;
    mrwi_base_arena *arena; /* Memory of the changes */
    folder *folders;
    bool any_results;
    change **last;
    change *changes;
    size_t count;
} acceptance;

/* A case whose results may become its goldens; const once it is opened. */
typedef struct candidate {
    const mrw_case *c;
    const mrw_case_result *result;
    const char *folder; /* Folder of the case's results */
    mrwi_golden_expected old;
    mrwi_golden_expected new;
    const char *unknown; /* Why the parts of a model in `old` are unknown; or NULL. */
} candidate;

/* Verdict on one frame. */
typedef struct verdict {
    char text[TEXT];
    uint8_t take;       /* Kinds that become goldens: bits MRW_CHECK_... */
    bool takes_picture; /* The picture is among the results and differs from the golden. */
    bool empty;         /* The picture shows nothing, and no golden allows that. */
} verdict;

/* ---- results --------------------------------------------------------------------------------- */

static void root_of(const acceptance *a, const mrw_case *c, char out[4096])
{
    snprintf(out, 4096, "%s", a->def.from ? a->def.from : c->results);
    if (!a->def.from) {
        mrwi_base_cut_parts(out, 2);
    }
}

/* Reads a results folder once. A folder without results.json counts as missing. */
static mrw_status open_folder(acceptance *a, const char *path, folder **out, mrw_error *error)
{
    char file[4200];
    for (folder *f = a->folders; f; f = f->next) {
        if (strcmp(f->path, path) == 0) {
            *out = f;
            return MRW_OK;
        }
    }
    folder *f = mrwi_base_arena_alloc(a->arena, 1, sizeof *f);
    const char *copy = mrwi_base_copy_text(a->arena, path);
    if (!f || !copy) {
        return mrwi_base_fail_memory(error, sizeof *f);
    }
    *f = (folder){.path = copy, .next = a->folders};
    snprintf(file, sizeof file, "%s/results.json", path);
    f->there = a->def.from || access(file, F_OK) == 0;
    if (f->there) {
        mrw_status status = mrw_results_read(path, &f->results, error);
        if (status) {
            return status;
        }
        a->any_results = true;
    }
    a->folders = *out = f;
    return MRW_OK;
}

static const mrw_case_result *find_result(const mrw_results *results, const mrw_case *c)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *result = &results->cases[i];
        if (strcmp(result->name, c->name) == 0 && strcmp(result->suite, c->suite) == 0) {
            return result;
        }
    }
    return NULL;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Fate of a change. */
typedef enum fate { TAKEN, REFUSED, LEFT } fate;

static mrw_status add_change(acceptance *a, const mrw_case *of, const char *frame, const char *text,
                             fate fate_of, mrw_error *error)
{
    change *c = mrwi_base_arena_alloc(a->arena, 1, sizeof *c);
    const char *copy = mrwi_base_copy_text(a->arena, text);
    const char *suite = mrwi_base_copy_text(a->arena, of->suite);
    const char *name = mrwi_base_copy_text(a->arena, of->name);
    const char *own = frame ? mrwi_base_copy_text(a->arena, frame) : NULL;
    if (!c || !copy || !suite || !name || (frame && !own)) {
        return mrwi_base_fail_memory(error, sizeof *c);
    }
    *c = (change){.item = {suite, name, own, copy, fate_of == REFUSED, fate_of == LEFT}};
    *a->last = c;
    a->last = &c->next;
    a->count++;
    return MRW_OK;
}

static void say(char *text, const char *part)
{
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s%s", used > 0 ? "; " : "", part);
}

/* ---- one frame ------------------------------------------------------------------------------- */

/* Compares the new picture with the golden, which may be missing or damaged. */
static mrw_status compare_pictures(const char *goldens, const char *name, const mrw_image *actual,
                                   bool *differs, char *text, mrw_error *error)
{
    char path[MRWI_BASE_PATH_MAX], part[512];
    mrw_image golden = {0};
    mrw_compare_def def = mrw_compare_def_default();
    mrw_compare_result result;
    mrwi_golden_names_path(goldens, name, path);
    *differs = true;
    if (access(path, F_OK) != 0) {
        say(text, "new");
        return MRW_OK;
    }
    mrw_status status = mrwi_base_check_stand_in(path, error);
    if (status) {
        return status;
    }
    if (mrwi_image_read_to_compare(path, actual, &golden, NULL)) {
        say(text, "replaces a damaged golden");
        return MRW_OK;
    }
    status = mrw_compare(&golden, actual, &def, false, &result, error);
    if (!status) {
        *differs = !result.identical || golden.channels != actual->channels;
        say(text, mrw_compare_text(&result, &golden, actual, part, sizeof part));
    }
    mrw_image_free(&golden);
    return status;
}

static mrw_status look_at_picture(const candidate *k, uint32_t i, verdict *out, mrw_error *error)
{
    const mrw_frame_result *frame = &k->result->frames[i];
    const mrwi_golden_stored_frame *hash = mrwi_golden_stored_find(&k->new.stored, frame->name, i);
    const mrwi_golden_stored_frame *old_hash =
        mrwi_golden_stored_find(&k->old.stored, frame->name, i);
    bool kept = !k->c->store_hash || (hash && hash->key);
    bool differs = false, allowed = mrwi_golden_stored_empty(&k->old.stored, frame->name);
    char path[4200], safe[600];
    mrw_image actual = {0};
    mrw_status status = MRW_OK;
    mrw_emptiness emptiness = frame->emptiness;
    if (frame->actual) {
        snprintf(path, sizeof path, "%s/%s.png", k->folder, frame->name);
        if (access(path, F_OK) != 0) {
            return mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "%s/%s.png is missing, but the results list it; run marrow test again",
                mrwi_base_escape(k->folder, safe, sizeof safe), frame->name);
        }
        status = mrwi_image_read_regular(path, 0, &actual, error);
        if (status) {
            goto out;
        }
        emptiness = mrw_image_emptiness(&actual);
    }
    if (frame->actual && kept) {
        status = compare_pictures(k->c->golden, frame->name, &actual, &differs, out->text, error);
        if (status) {
            goto out;
        }
        out->takes_picture = differs;
    }
    if (k->c->store_hash && hash && (!old_hash || strcmp(old_hash->hash, hash->hash) != 0)) {
        differs = true;
        say(out->text, kept ? "another hash" : old_hash ? "pixels differ (by hash)" : "new");
    }
    out->empty = emptiness != MRW_NOT_EMPTY && !allowed;
    if (out->empty) {
        say(out->text, mrw_emptiness_name(emptiness));
    }
    out->take |= differs || out->empty ? MRW_CHECK_PIXELS : 0;
out:
    mrw_image_free(&actual);
    return status;
}

static mrw_status look_at_pose(const candidate *k, uint32_t i, verdict *out, mrw_error *error)
{
    const mrwi_compare_pose_limits exact = {0.0, 0.0};
    const char *name = k->result->frames[i].name;
    const mrwi_compare_pose *new = mrwi_golden_poses_find(&k->new.poses, name, i);
    const mrwi_compare_pose *old = mrwi_golden_poses_find(&k->old.poses, name, i);
    mrw_pose_difference difference = {0};
    char part[600];
    if (old && new) {
        mrw_status status =
            mrwi_compare_pose_compare(old, new, &exact, &difference, part, sizeof part, error);
        if (status) {
            return status;
        }
    }
    if (new && (!old || difference.differing > 0)) {
        out->take |= MRW_CHECK_POSE;
        say(out->text, old ? part : "new pose");
    }
    return MRW_OK;
}

static void look_at_bounds(const candidate *k, uint32_t i, verdict *out)
{
    const char *name = k->result->frames[i].name;
    const mrwi_compare_box *new = mrwi_golden_boxes_find(&k->new.boxes, name, i);
    const mrwi_compare_box *old = mrwi_golden_boxes_find(&k->old.boxes, name, i);
    char part[200];
    double off;
    if (new && (!old || !mrwi_compare_box_compare(old, new, 0.0, &off, part, sizeof part))) {
        out->take |= MRW_CHECK_BOUNDS;
        say(out->text, old ? part : "new bounds");
    }
}

static void look_at_scene(const candidate *k, char *text)
{
    mrw_text part = {0};
    if (mrwi_golden_stored_other_scene(&k->old.stored, &k->new.stored)) {
        mrwi_golden_stored_describe_scenes(&k->old.stored, &k->new.stored, false, k->unknown,
                                           &part);
        say(text, part.data ? part.data : "another scene");
    }
    mrw_text_free(&part);
}

/* Looks at a frame that did not pass: finds what becomes goldens, and describes it. */
static mrw_status look_at_frame(const candidate *k, uint32_t i, verdict *out, mrw_error *error)
{
    const uint32_t checks = k->c->checks;
    mrw_status status;
    if ((checks & MRW_CHECK_PIXELS) != 0) {
        status = look_at_picture(k, i, out, error);
        if (status) {
            return status;
        }
    }
    if ((checks & MRW_CHECK_POSE) != 0) {
        status = look_at_pose(k, i, out, error);
        if (status) {
            return status;
        }
    }
    if ((checks & MRW_CHECK_BOUNDS) != 0) {
        look_at_bounds(k, i, out);
    }
    return MRW_OK;
}

/* ---- one case -------------------------------------------------------------------------------- */

static mrw_status open_case(candidate *k, const char *root, mrwi_base_arena *arena,
                            mrw_error *error)
{
    const mrw_case *c = k->c;
    k->folder = mrwi_base_format(arena, "%s/%s/%s", root, c->suite, c->name);
    if (!k->folder) {
        return mrwi_base_fail_memory(error, 0);
    }
    const mrwi_golden_drawer drawer = {k->result->backend, k->result->driver};
    mrw_status status = mrwi_golden_expected_goldens(c, &drawer, arena, &k->old, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_expected_read(k->folder, c->checks, c->store_hash, arena, &k->new, error);
    if (status) {
        return status;
    }
    return mrwi_golden_scene_files_read(c->golden, &k->old.stored, &k->new.stored, arena,
                                        &k->unknown, error);
}

/* Looks at the frames and lists their changes. Sets per frame the kinds to take and whether to take
 * its picture; sets *partial when a differing frame is left. */
static mrw_status choose_frames(acceptance *a, const candidate *k, const char **names,
                                uint8_t *take, bool *pictures, bool *partial, mrw_error *error)
{
    bool first = true;
    for (uint32_t i = 0; i < k->result->frame_count; i++) {
        const mrw_frame_result *frame = &k->result->frames[i];
        verdict found = {0};
        char safe[300];
        if (!mrwi_golden_is_frame_name(frame->name)) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: '%s' is not a valid frame name",
                                  k->folder, mrwi_base_escape(frame->name, safe, sizeof safe));
        }
        names[i] = frame->name;
        if (frame->passed) {
            continue;
        }
        /* The first frame that changes also reports another scene, which explains its pixels. */
        if (first) {
            look_at_scene(k, found.text);
        }
        first = false;
        mrw_status status = look_at_frame(k, i, &found, error);
        if (status) {
            return status;
        }
        if (found.take == 0) {
            continue;
        }
        /* A case that is framed again takes another picture. */
        const bool refused = found.empty && !a->def.allow_blank && !k->result->framing;
        status = add_change(a, k->c, frame->name, found.text, refused ? REFUSED : TAKEN, error);
        if (status) {
            return status;
        }
        *partial |= refused;
        take[i] = refused ? 0 : found.take;
        pictures[i] = found.takes_picture && !refused;
    }
    return MRW_OK;
}

/* Returns true when golden.txt alone has to change, as after drawing the same with another
 * driver. */
static bool is_bad_for_text(const candidate *k)
{
    if (k->old.foreign && k->new.stored_file.there) {
        return true;
    }
    return k->result->frame_count > 0 && k->result->bad_frames == 0 && k->new.stored_file.there &&
           (k->old.stored_file.fault || !k->old.stored_file.there ||
            k->old.stored.scene_formula != k->new.stored.scene_formula ||
            mrwi_golden_stored_other_scene(&k->old.stored, &k->new.stored));
}

/* Returns true if the pictures of bad frames are goldens already, but golden.txt, which is written
 * last, is not that of the results: an accept failed in between. */
static bool is_half_done(const candidate *k)
{
    char path[2][4096];
    mrw_bytes bytes[2] = {{0}, {0}};
    bool read = k->result->bad_frames > 0 && !k->result->framing;
    snprintf(path[0], sizeof path[0], "%s/golden.txt", k->c->golden);
    snprintf(path[1], sizeof path[1], "%s/golden.txt", k->folder);
    for (int i = 0; i < 2 && read; i++) {
        read = !mrwi_base_read_file(path[i], MRWI_GOLDEN_TEXT_SIZE, &bytes[i], NULL, NULL);
    }
    const bool differ = read && (bytes[0].size != bytes[1].size ||
                                 memcmp(bytes[0].data, bytes[1].data, bytes[0].size) != 0);
    mrw_bytes_free(&bytes[0]);
    mrw_bytes_free(&bytes[1]);
    return differ;
}

/* ---- the framing ----------------------------------------------------------------------------- */

/* Takes the newly framed case: all its frames, or none if one is empty. */
static mrw_status take_framed(acceptance *a, const candidate *k, const char **names, uint8_t *take,
                              bool *pictures, mrwi_base_arena *arena, mrw_error *error)
{
    const mrw_case *c = k->c;
    const uint32_t count = (uint32_t)k->result->frame_count;
    const char *place = mrwi_base_format(arena, "%s/" MRWI_GOLDEN_FRAMED, k->folder);
    const char *text = mrwi_base_format(arena, "framing: %s", k->result->framing);
    mrwi_golden_expected framed;
    char safe[600];
    bool refused = false;
    if (!place || !text) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrw_status status =
        mrwi_golden_expected_read(place, c->checks, c->store_hash, arena, &framed, error);
    if (status) {
        return status;
    }
    if (!framed.stored_file.there || framed.stored_file.fault) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: these results are incomplete; run marrow test again",
                              mrwi_base_escape(place, safe, sizeof safe));
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_golden_stored_frame *hash = mrwi_golden_stored_find(&framed.stored, names[i], i);
        take[i] = (uint8_t)c->checks;
        pictures[i] =
            (c->checks & MRW_CHECK_PIXELS) != 0 && (!c->store_hash || (hash && hash->key));
        refused |= mrwi_golden_stored_empty(&framed.stored, names[i]) &&
                   !mrwi_golden_stored_empty(&k->old.stored, names[i]) && !a->def.allow_blank;
    }
    status = add_change(a, c, NULL, text, refused ? REFUSED : TAKEN, error);
    if (status || a->def.dry_run || refused) {
        return status;
    }
    const mrwi_golden_promotion promotion = {c, place, names, take, pictures, count, false};
    return mrwi_golden_promote(&promotion, error);
}

static mrw_status look_at_case(acceptance *a, const candidate *k, mrwi_base_arena *arena,
                               mrw_error *error)
{
    const size_t count = k->result->frame_count;
    const char **names = mrwi_base_arena_alloc(arena, count, sizeof *names);
    uint8_t *take = mrwi_base_arena_alloc(arena, count, sizeof *take);
    bool *pictures = mrwi_base_arena_alloc(arena, count, sizeof *pictures);
    if (!names || !take || !pictures) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    memset(take, 0, count * sizeof *take);
    memset(pictures, 0, count * sizeof *pictures);
    if (a->def.framing && !k->result->framing) {
        return MRW_OK;
    }
    if (a->def.framing && k->result->bad_frames > 0) { /* more than the framing differs */
        char text[TEXT];
        snprintf(text, sizeof text, "framing: %s; %u of %zu frames also differ", k->result->framing,
                 k->result->bad_frames, count);
        return add_change(a, k->c, NULL, text, LEFT, error);
    }
    const size_t changes = a->count;
    bool partial = false;
    mrw_status status = choose_frames(a, k, names, take, pictures, &partial, error);
    if (status) {
        return status;
    }
    if (k->result->framing) {
        return take_framed(a, k, names, take, pictures, arena, error);
    }
    bool any = is_bad_for_text(k);
    if (any) {
        status =
            add_change(a, k->c, NULL, k->old.foreign ? k->old.foreign : "golden.txt", TAKEN, error);
        if (status) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        any |= take[i] != 0;
    }
    if (!any && a->count == changes && is_half_done(k)) {
        any = true;
        for (size_t i = 0; i < count; i++) {
            take[i] = k->result->frames[i].passed ? 0 : (uint8_t)k->c->checks;
        }
        status =
            add_change(a, k->c, NULL, "golden.txt, left by an accept that failed", TAKEN, error);
        if (status) {
            return status;
        }
    }
    if (a->def.dry_run || !any) {
        return MRW_OK;
    }
    const mrwi_golden_promotion promotion = {k->c,     k->folder,       names,  take,
                                             pictures, (uint32_t)count, partial};
    return mrwi_golden_promote(&promotion, error);
}

static mrw_status accept_case(acceptance *a, const mrw_case *c, mrw_error *error)
{
    char root[4096];
    folder *f = NULL;
    candidate k = {.c = c};
    mrwi_base_arena arena = {0};
    char safe[600];
    root_of(a, c, root);
    mrw_status status = open_folder(a, root, &f, error);
    if (status || !f->there) {
        return status;
    }
    k.result = find_result(&f->results, c);
    if (!k.result || k.result->outcome != MRW_FAILED) {
        return MRW_OK;
    }
    if (k.result->backend && !mrwi_golden_is_frame_name(k.result->backend)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s/results.json: the backend is invalid; run marrow test again",
                              mrwi_base_escape(f->path, safe, sizeof safe));
    }
    const mrwi_golden_drawer drawer = {k.result->backend, k.result->driver};
    mrw_case drawn;
    status = mrwi_golden_case_of(c, &drawer, &arena, &drawn, error);
    if (status) {
        goto out;
    }
    k.c = &drawn;
    status = open_case(&k, root, &arena, error);
    if (status) {
        goto out;
    }
    status = look_at_case(a, &k, &arena, error);
out:
    mrwi_base_arena_free(&arena);
    return status;
}

/* ---- all cases ------------------------------------------------------------------------------- */

mrw_status mrw_accept(const mrw_case_list *cases, const mrw_accept_def *def, mrw_changes *out,
                      mrw_error *error)
{
    acceptance a = {.def = *def};
    mrw_status status = MRW_OK;
    a.last = &a.changes;
    *out = (mrw_changes){.memory = mrwi_base_alloc_zero(1, sizeof(mrwi_base_arena))};
    a.arena = out->memory;
    if (!a.arena) {
        return mrwi_base_fail_memory(error, sizeof(mrwi_base_arena));
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_golden_refuse_links(cases, def->from, error);
    for (size_t i = 0; i < cases->count && !status; i++) {
        status = accept_case(&a, &cases->items[i], error);
    }
    mrwi_base_fp_leave(fp);
    if (status) {
        goto out;
    }
    if (cases->count > 0 && !a.any_results) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "there are no results to accept; run marrow test first, or give "
                                "their folder with --from");
        goto out;
    }
    if (!def->dry_run) {
        status = mrwi_golden_scene_files_sweep(cases, error);
        if (status) {
            goto out;
        }
    }
    out->items = mrwi_base_arena_alloc(a.arena, a.count, sizeof *out->items);
    if (!out->items) {
        status = mrwi_base_fail_memory(error, a.count * sizeof *out->items);
        goto out;
    }
    for (const change *c = a.changes; c; c = c->next) {
        out->items[out->count++] = c->item;
    }
out:
    for (folder *f = a.folders; f; f = f->next) {
        mrw_results_free(&f->results);
    }
    if (status) {
        mrw_changes_free(out);
    }
    return status;
}

void mrw_changes_free(mrw_changes *changes)
{
    if (changes->memory) {
        mrwi_base_arena_free(changes->memory);
        mrwi_base_free(changes->memory);
    }
    *changes = (mrw_changes){0};
}
