/* accept.c: the results of the last run, or of a results folder, become goldens. What changes is
 * found by looking at the files again, not taken from what the run said: a golden may have changed
 * since, and results from elsewhere are a stranger's. */
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "golden/expected.h"
#include "golden/names.h"
#include "golden/promote.h"
#include "golden/scene_files.h"
#include "image/file.h"
#include "marrow/golden.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT 900

/* Results folders that were read. */
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
    mrwi_base_arena *arena; /* of the changes */
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
    const char *folder; /* of its results */
    mrwi_golden_expected old;
    mrwi_golden_expected new;
    const char *unknown; /* why the parts of a model in `old` are unknown; or NULL */
} candidate;

/* What looking at one frame came to. */
typedef struct verdict {
    char text[TEXT];
    uint8_t take;       /* kinds (MRW_CHECK_...) that become goldens */
    bool takes_picture; /* among the results, and another than the golden */
    bool empty;         /* its picture shows nothing, and no golden says that it may */
} verdict;

/* ---- results --------------------------------------------------------------------------------- */

static void root_of(const acceptance *a, const mrw_case *c, char out[4096])
{
    snprintf(out, 4096, "%s", a->def.from ? a->def.from : c->results);
    if (!a->def.from) {
        mrwi_base_cut_parts(out, 2);
    }
}

/* Reads a results folder once; one without results.json is none. */
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
    mrw_status status = f->there ? mrw_results_read(path, &f->results, error) : MRW_OK;
    if (status == MRW_OK) {
        a->folders = *out = f;
        a->any_results |= f->there;
    }
    return status;
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

/* What becomes of a change. */
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

static mrw_status fail_incomplete(const char *results, const char *name, mrw_error *error)
{
    char safe[600];
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s/%s.png is missing, but the results list it; run marrow test again",
                          mrwi_base_escape(results, safe, sizeof safe), name);
}

/* How the new picture differs from the golden, which may be missing or damaged. */
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
    const mrw_status pointer = mrwi_base_check_stand_in(path, error);
    if (pointer != MRW_OK) {
        return pointer;
    }
    if (mrwi_image_read_regular(path, 0, &golden, NULL) != MRW_OK) {
        say(text, "replaces a damaged golden");
        return MRW_OK;
    }
    mrw_status status = mrw_compare(&golden, actual, &def, false, &result, error);
    if (status == MRW_OK) {
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
    char path[4200];
    mrw_image actual = {0};
    mrw_status status = MRW_OK;
    mrw_emptiness emptiness = frame->emptiness;
    if (frame->actual) {
        snprintf(path, sizeof path, "%s/%s.png", k->folder, frame->name);
        if (access(path, F_OK) != 0) {
            return fail_incomplete(k->folder, frame->name, error);
        }
        status = mrwi_image_read_regular(path, 0, &actual, error);
        emptiness = status == MRW_OK ? mrw_image_emptiness(&actual) : emptiness;
    }
    if (status == MRW_OK && frame->actual && kept) {
        status = compare_pictures(k->c->golden, frame->name, &actual, &differs, out->text, error);
        out->takes_picture = differs;
    }
    if (status == MRW_OK && k->c->store_hash && hash &&
        (!old_hash || strcmp(old_hash->hash, hash->hash) != 0)) {
        differs = true;
        say(out->text, kept ? "another hash" : old_hash ? "pixels differ (by hash)" : "new");
    }
    mrw_image_free(&actual);
    out->empty = emptiness != MRW_NOT_EMPTY && !allowed;
    if (out->empty) {
        say(out->text, mrw_emptiness_name(emptiness));
    }
    out->take |= differs || out->empty ? MRW_CHECK_PIXELS : 0;
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
    mrw_status status = MRW_OK;
    if (old && new) {
        status = mrwi_compare_pose_compare(old, new, &exact, &difference, part, sizeof part, error);
    }
    if (status == MRW_OK && new && (!old || difference.differing > 0)) {
        out->take |= MRW_CHECK_POSE;
        say(out->text, old ? part : "new pose");
    }
    return status;
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

/* Of a frame that did not pass: what of it becomes goldens, and what to say of it. */
static mrw_status look_at_frame(const candidate *k, uint32_t i, verdict *out, mrw_error *error)
{
    const uint32_t checks = k->c->checks;
    mrw_status status = MRW_OK;
    if ((checks & MRW_CHECK_PIXELS) != 0) {
        status = look_at_picture(k, i, out, error);
    }
    if (status == MRW_OK && (checks & MRW_CHECK_POSE) != 0) {
        status = look_at_pose(k, i, out, error);
    }
    if (status == MRW_OK && (checks & MRW_CHECK_BOUNDS) != 0) {
        look_at_bounds(k, i, out);
    }
    return status;
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
    if (status == MRW_OK) {
        status =
            mrwi_golden_expected_read(k->folder, c->checks, c->store_hash, arena, &k->new, error);
    }
    if (status == MRW_OK) {
        status = mrwi_golden_scene_files_read(c->golden, &k->old.stored, &k->new.stored, arena,
                                              &k->unknown, error);
    }
    return status;
}

/* Looks at the frames, notes their changes, and of each what is taken and whether its picture is;
 * whether one that differs is left. */
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
        /* Another scene is to be known before pixels; the first frame that changes says it. */
        if (first) {
            look_at_scene(k, found.text);
        }
        first = false;
        mrw_status status = look_at_frame(k, i, &found, error);
        /* of what is framed anew another picture is taken */
        const bool refused = found.empty && !a->def.allow_blank && !k->result->framing;
        if (status == MRW_OK && found.take != 0) {
            status = add_change(a, k->c, frame->name, found.text, refused ? REFUSED : TAKEN, error);
        }
        if (status != MRW_OK) {
            return status;
        }
        *partial |= refused && found.take != 0;
        take[i] = refused ? 0 : found.take;
        pictures[i] = found.takes_picture && !refused;
    }
    return MRW_OK;
}

/* A case can be bad for golden.txt alone; another driver may have drawn the same. */
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

/* ---- the framing ----------------------------------------------------------------------------- */

/* Takes the case as it is framed anew: all frames of it, or none where one is empty. */
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
    if (status == MRW_OK && (!framed.stored_file.there || framed.stored_file.fault)) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "%s: these results are incomplete; run marrow test again",
                                mrwi_base_escape(place, safe, sizeof safe));
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        const mrwi_golden_stored_frame *hash = mrwi_golden_stored_find(&framed.stored, names[i], i);
        take[i] = (uint8_t)c->checks;
        pictures[i] =
            (c->checks & MRW_CHECK_PIXELS) != 0 && (!c->store_hash || (hash && hash->key));
        refused |= mrwi_golden_stored_empty(&framed.stored, names[i]) &&
                   !mrwi_golden_stored_empty(&k->old.stored, names[i]) && !a->def.allow_blank;
    }
    if (status == MRW_OK) {
        status = add_change(a, c, NULL, text, refused ? REFUSED : TAKEN, error);
    }
    if (status != MRW_OK || a->def.dry_run || refused) {
        return status;
    }
    const mrwi_golden_promotion promotion = {c, place, names, take, pictures, count, false};
    return mrwi_golden_promote(&promotion, error);
}

/* With --framing: a case of which more differs is left. */
static mrw_status leave(acceptance *a, const candidate *k, mrw_error *error)
{
    char text[TEXT];
    snprintf(text, sizeof text, "framing: %s; %u of %zu frames also differ", k->result->framing,
             k->result->bad_frames, k->result->frame_count);
    return add_change(a, k->c, NULL, text, LEFT, error);
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
    if (a->def.framing && (!k->result->framing || k->result->bad_frames > 0)) {
        return k->result->framing ? leave(a, k, error) : MRW_OK;
    }
    bool partial = false;
    mrw_status status = choose_frames(a, k, names, take, pictures, &partial, error);
    if (status == MRW_OK && k->result->framing) {
        return take_framed(a, k, names, take, pictures, arena, error);
    }
    bool any = is_bad_for_text(k);
    if (status == MRW_OK && any) {
        status =
            add_change(a, k->c, NULL, k->old.foreign ? k->old.foreign : "golden.txt", TAKEN, error);
    }
    for (size_t i = 0; i < count; i++) {
        any |= take[i] != 0;
    }
    if (status != MRW_OK || a->def.dry_run || !any) {
        return status;
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
    if (status != MRW_OK || !f->there) {
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
    k.c = &drawn;
    if (status == MRW_OK) {
        status = open_case(&k, root, &arena, error);
    }
    if (status == MRW_OK) {
        status = look_at_case(a, &k, &arena, error);
    }
    mrwi_base_arena_free(&arena);
    return status;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static mrw_status list_changes(acceptance *a, mrw_changes *out, mrw_error *error)
{
    out->items = mrwi_base_arena_alloc(a->arena, a->count, sizeof *out->items);
    if (!out->items) {
        return mrwi_base_fail_memory(error, a->count * sizeof *out->items);
    }
    for (const change *c = a->changes; c; c = c->next) {
        out->items[out->count++] = c->item;
    }
    return MRW_OK;
}

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
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        status = accept_case(&a, &cases->items[i], error);
    }
    mrwi_base_fp_leave(fp);
    if (status == MRW_OK && cases->count > 0 && !a.any_results) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "there are no results to accept; run marrow test first, or give "
                                "their folder with --from");
    }
    if (status == MRW_OK && !def->dry_run) {
        status = mrwi_golden_scene_files_sweep(cases, error);
    }
    if (status == MRW_OK) {
        status = list_changes(&a, out, error);
    }
    for (folder *f = a.folders; f; f = f->next) {
        mrw_results_free(&f->results);
    }
    if (status != MRW_OK) {
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
