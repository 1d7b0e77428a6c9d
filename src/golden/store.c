/* store.c: reads and writes golden.txt, pose.txt and bounds.txt. */
#include "golden/store.h"

#include "base/text.h"
#include "golden/lines.h"
#include "options/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mrwi_golden_is_frame_name(const char *name)
{
    char safe[MRWI_GOLDEN_NAME_SIZE];
    return strcmp(mrwi_base_file_name(name, safe, sizeof safe), name) == 0;
}

static mrw_status read_frame_name(mrwi_golden_lines *lines, mrwi_base_arena *arena,
                                  const char **out, mrw_error *error)
{
    char name[MRWI_GOLDEN_NAME_SIZE];
    mrw_status status = mrwi_golden_lines_word(lines, name, sizeof name, error);
    if (status) {
        return status;
    }
    if (!mrwi_golden_is_frame_name(name)) {
        return mrwi_golden_lines_fail(lines, error, "this is not a valid frame name");
    }
    *out = mrwi_base_copy_text(arena, name);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof name);
}

static mrw_status unknown_line(const mrwi_golden_lines *lines, const char *word, mrw_error *error)
{
    char safe[64], what[128];
    snprintf(what, sizeof what, "unknown line '%s'", mrwi_base_escape(word, safe, sizeof safe));
    return mrwi_golden_lines_fail(lines, error, what);
}

/* Returns how many lines begin with a word: an upper bound for arrays that are allocated once. */
static uint32_t count_lines(const mrw_bytes *bytes, const char *word)
{
    size_t length = strlen(word);
    const char *at = (const char *)bytes->data, *end = at + bytes->size;
    uint32_t count = 0;
    while (at < end) {
        count += (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return count;
}

/* ---- golden.txt ------------------------------------------------------------------------------ */

#define GOLDEN_FIRST "marrow golden "

_Static_assert(MRWI_GOLDEN_STORED_VERSION == 4, "store.h shows another version");

/* A golden.txt while it is read. */
typedef struct reading {
    mrwi_golden_lines lines;
    mrwi_base_arena *arena;
    mrwi_explain_part *parts; /* Memory for the next part */
    bool end;                 /* The line "end" was read. */
} reading;

static mrw_status read_scene(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    char model[4096];
    mrwi_golden_stored_scene *scene = &out->scenes[out->scene_count++];
    mrw_status status = mrwi_golden_lines_quoted(&r->lines, model, sizeof model, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_hash(&r->lines, scene->hash, error);
    if (status) {
        return status;
    }
    scene->parts = (mrwi_explain_part_list){.count = 0};
    scene->model = mrwi_base_copy_text(r->arena, model);
    return scene->model ? MRW_OK : mrwi_base_fail_memory(error, sizeof model);
}

static mrw_status read_drawn_by(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    char backend[64], driver[1024];
    if (out->backend) {
        return mrwi_golden_lines_fail(&r->lines, error, "drawn_by appears twice; remove one");
    }
    mrw_status status = mrwi_golden_lines_word(&r->lines, backend, sizeof backend, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_quoted(&r->lines, driver, sizeof driver, error);
    if (status) {
        return status;
    }
    out->backend = mrwi_base_copy_text(r->arena, backend);
    out->driver = mrwi_base_copy_text(r->arena, driver);
    return out->backend && out->driver ? MRW_OK : mrwi_base_fail_memory(error, sizeof driver);
}

static mrw_status read_part(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    mrwi_explain_part *part = r->parts++;
    if (out->scene_count == 0) {
        return mrwi_golden_lines_fail(&r->lines, error, "this part has no scene before it");
    }
    mrwi_explain_part_list *own = &out->scenes[out->scene_count - 1].parts;
    if (own->count == 0) {
        own->items = part;
    }
    return mrwi_golden_parts_read(&r->lines, r->arena, &own->items[own->count++], error);
}

static mrw_status read_size(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    if (out->width != 0) {
        return mrwi_golden_lines_fail(&r->lines, error, "size appears twice; remove one");
    }
    mrw_status status = mrwi_golden_lines_uint(&r->lines, &out->width, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_uint(&r->lines, &out->height, error);
    if (status) {
        return status;
    }
    if (out->width == 0 || out->height == 0) {
        return mrwi_golden_lines_fail(&r->lines, error, "the width and height must be at least 1");
    }
    return MRW_OK;
}

/* Reads an option. Only options that a suite may repeat may appear several times. */
static mrw_status read_option(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    char text[4096], what[200];
    mrw_status status = mrwi_golden_lines_quoted(&r->lines, text, sizeof text, error);
    if (status) {
        return status;
    }
    if (strncmp(text, "--", 2) != 0) {
        return mrwi_golden_lines_fail(&r->lines, error, "this is not an option");
    }
    const size_t length = strcspn(text, "=");
    const mrwi_options_option *option = mrwi_options_option_find(text + 2, length - 2);
    for (uint32_t i = 0; i < out->option_count; i++) {
        const char *other = out->options[i];
        if (option && !mrwi_options_is_list(option) && strcspn(other, "=") == length &&
            memcmp(other, text, length) == 0) {
            snprintf(what, sizeof what, "option %s appears twice; remove one", option->shown.name);
            return mrwi_golden_lines_fail(&r->lines, error, what);
        }
    }
    const char *copy = mrwi_base_copy_text(r->arena, text);
    out->options[out->option_count++] = copy;
    return copy ? MRW_OK : mrwi_base_fail_memory(error, sizeof text);
}

static mrw_status read_camera(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    uint32_t number = 0;
    mrw_status status = mrwi_golden_lines_uint(&r->lines, &number, error);
    if (status) {
        return status;
    }
    if (number != out->view_count + 1) {
        return mrwi_golden_lines_fail(&r->lines, error,
                                      "cameras must be numbered 1, 2, 3 and so on");
    }
    return mrwi_golden_view_read(&r->lines, &out->views[out->view_count++], error);
}

static mrw_status read_time(reading *r, mrwi_golden_stored *out, mrw_error *error)
{
    mrwi_golden_stored_time *time = &out->times[out->time_count++];
    char word[16];
    *time = (mrwi_golden_stored_time){.view = MRW_NONE};
    mrw_status status = read_frame_name(&r->lines, r->arena, &time->name, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_double(&r->lines, &time->seconds, error);
    if (status || mrwi_golden_lines_peek(&r->lines) == '\0') {
        return status;
    }
    status = mrwi_golden_lines_word(&r->lines, word, sizeof word, error);
    if (status) {
        return status;
    }
    if (strcmp(word, "camera") != 0) {
        return mrwi_golden_lines_fail(&r->lines, error, "a camera is expected");
    }
    status = mrwi_golden_lines_uint(&r->lines, &time->view, error);
    if (status) {
        return status;
    }
    if (time->view == 0 || time->view > out->view_count) {
        return mrwi_golden_lines_fail(&r->lines, error, "no camera above has this number");
    }
    time->view--;
    return MRW_OK;
}

/* Reads the hash of a frame, or that a frame may be empty. */
static mrw_status read_frame(reading *r, const char *word, mrwi_golden_stored *out,
                             mrw_error *error)
{
    bool empty = strcmp(word, "empty") == 0, key = strcmp(word, "key") == 0;
    if (!empty && !key && strcmp(word, "frame") != 0) {
        return unknown_line(&r->lines, word, error);
    }
    mrwi_golden_stored_frame *frame = &out->frames[out->frame_count++];
    *frame = (mrwi_golden_stored_frame){.key = key, .empty = empty};
    mrw_status status = read_frame_name(&r->lines, r->arena, &frame->name, error);
    if (status || empty) {
        return status;
    }
    return mrwi_golden_lines_hash(&r->lines, frame->hash, error);
}

/* Reads the number of a line that may appear once. */
static mrw_status read_number(reading *r, const char *word, uint32_t *out, mrw_error *error)
{
    char what[100];
    if (*out != 0) {
        snprintf(what, sizeof what,
                 strcmp(word, "scene_formula") == 0
                     ? "%s appears twice, or in a file of version 1, which has "
                       "none; remove it"
                     : "%s appears twice; remove one",
                 word);
        return mrwi_golden_lines_fail(&r->lines, error, what);
    }
    return mrwi_golden_lines_uint(&r->lines, out, error);
}

static mrw_status read_stored_line(reading *r, const char *word, mrwi_golden_stored *out,
                                   mrw_error *error)
{
    if (r->end) {
        return mrwi_golden_lines_fail(&r->lines, error, "there are more lines after the end");
    }
    if (strcmp(word, "pixel_version") == 0) {
        return read_number(r, word, &out->pixel_version, error);
    }
    if (strcmp(word, "scene_formula") == 0) {
        return read_number(r, word, &out->scene_formula, error);
    }
    if (strcmp(word, "drawn_by") == 0) {
        return read_drawn_by(r, out, error);
    }
    if (strcmp(word, "scene") == 0) {
        return read_scene(r, out, error);
    }
    if (out->version < 3) { /* these versions have no other lines than those of frames */
        return read_frame(r, word, out, error);
    }
    if (strcmp(word, "size") == 0) {
        return read_size(r, out, error);
    }
    if (strcmp(word, "option") == 0) {
        return read_option(r, out, error);
    }
    if (strcmp(word, "part") == 0) {
        return read_part(r, out, error);
    }
    if (strcmp(word, "camera") == 0) {
        return read_camera(r, out, error);
    }
    if (strcmp(word, "time") == 0) {
        return read_time(r, out, error);
    }
    if (strcmp(word, "end") == 0) {
        r->end = true;
        return MRW_OK;
    }
    return read_frame(r, word, out, error);
}

/* Refuses a frame that appears twice: it is unknown which line is meant, for example after a merge
 * by hand. `first` is the name in the first of `count` structs of `size` bytes. */
static mrw_status refuse_twice(const mrwi_golden_lines *lines, mrwi_base_arena *arena,
                               const char *const *first, size_t size, uint32_t count,
                               mrw_error *error)
{
    const char **names = mrwi_base_arena_alloc(arena, count, sizeof *names);
    if (!names) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = *(const char *const *)(const void *)((const char *)first + i * size);
    }
    qsort(names, count, sizeof *names, mrwi_base_compare_texts);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            char what[MRWI_GOLDEN_NAME_SIZE + 64];
            snprintf(what, sizeof what, "frame %s appears twice; remove one", names[i]);
            return mrwi_golden_lines_fail(lines, error, what);
        }
    }
    return MRW_OK;
}

/* Checks that the parts of each scene make its hash, which fails for lines of two files that were
 * put together. From version 4 on the parts may be in a file of their own: scene_files.h. */
static mrw_status check_parts(const reading *r, const mrwi_golden_stored *stored, mrw_error *error)
{
    char hash[65], safe[300], what[400];
    for (uint32_t i = 0; i < stored->scene_count; i++) {
        const mrwi_golden_stored_scene *scene = &stored->scenes[i];
        const bool elsewhere = stored->version >= 4 && scene->parts.count == 0;
        if (stored->version < 3 || elsewhere || stored->scene_formula != MRW_SCENE_FORMULA) {
            continue;
        }
        mrwi_explain_parts_hash(&scene->parts, hash);
        if (strcmp(hash, scene->hash) != 0) {
            snprintf(what, sizeof what,
                     "the parts of %s do not match its hash; restore the file, or run marrow test "
                     "--update",
                     mrwi_base_escape(scene->model, safe, sizeof safe));
            return mrwi_golden_lines_fail(&r->lines, error, what);
        }
    }
    return MRW_OK;
}

/* Checks that the file is complete and consistent. The first `hashed` frames have a hash, the
 * others may be empty. */
static mrw_status check_stored(const reading *r, const mrwi_golden_stored *stored, uint32_t hashed,
                               mrw_error *error)
{
    const bool new = stored->version >= 3;
    const char *missing = stored->pixel_version == 0   ? "pixel_version is missing"
                          : stored->scene_formula == 0 ? "scene_formula is missing"
                          : stored->scene_count == 0   ? "the scene line is missing"
                          : new && stored->width == 0  ? "size is missing"
                          : new && !r->end ? "the file is cut off: its last line is not 'end'"
                                           : NULL;
    if (missing) {
        return mrwi_golden_lines_fail(&r->lines, error, missing);
    }
    const mrwi_golden_stored_frame *frames = stored->frames;
    mrw_status status =
        refuse_twice(&r->lines, r->arena, &frames->name, sizeof *frames, hashed, error);
    if (status) {
        return status;
    }
    status = refuse_twice(&r->lines, r->arena, &frames[hashed].name, sizeof *frames,
                          stored->frame_count - hashed, error);
    if (status) {
        return status;
    }
    status = refuse_twice(&r->lines, r->arena, &stored->times->name, sizeof *stored->times,
                          stored->time_count, error);
    if (status) {
        return status;
    }
    return check_parts(r, stored, error);
}

/* Returns the version in the first line; the newest when there is no known one. */
static uint32_t version_of(const mrw_bytes *bytes)
{
    const size_t length = sizeof GOLDEN_FIRST - 1;
    const char *text = (const char *)bytes->data;
    const bool one_digit = bytes->size > length + 1 && memcmp(text, GOLDEN_FIRST, length) == 0 &&
                           (text[length + 1] == '\n' || text[length + 1] == '\r');
    return one_digit && text[length] >= '1' && text[length] <= '3' ? (uint32_t)(text[length] - '0')
                                                                   : MRWI_GOLDEN_STORED_VERSION;
}

/* Allocates memory for all lines of the file, which each reader fills in order. */
static bool make_stored(reading *r, const mrw_bytes *bytes, mrwi_golden_stored *out)
{
    const uint32_t frames =
        count_lines(bytes, "frame") + count_lines(bytes, "key") + count_lines(bytes, "empty");
    mrwi_base_arena *arena = r->arena;
    *out = (mrwi_golden_stored){
        .version = version_of(bytes),
        .options = mrwi_base_arena_alloc(arena, count_lines(bytes, "option"), sizeof *out->options),
        .scenes = mrwi_base_arena_alloc(arena, count_lines(bytes, "scene"), sizeof *out->scenes),
        .views = mrwi_base_arena_alloc(arena, count_lines(bytes, "camera"), sizeof *out->views),
        .times = mrwi_base_arena_alloc(arena, count_lines(bytes, "time"), sizeof *out->times),
        .frames = mrwi_base_arena_alloc(arena, frames, sizeof *out->frames)};
    r->parts = mrwi_base_arena_alloc(arena, count_lines(bytes, "part"), sizeof *r->parts);
    return out->options && out->scenes && out->views && out->times && out->frames && r->parts;
}

mrw_status mrwi_golden_stored_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                   mrwi_golden_stored *out, mrw_error *error)
{
    reading r = {.arena = arena};
    char word[16], first[32];
    if (!make_stored(&r, bytes, out)) {
        return mrwi_base_fail_memory(error, bytes->size);
    }
    out->scene_formula = out->version == 1 ? 1 : 0;
    snprintf(first, sizeof first, GOLDEN_FIRST "%u", out->version);
    mrw_status status = mrwi_golden_lines_begin(&r.lines, path, bytes, first, error);
    if (status) {
        return status;
    }
    while (mrwi_golden_lines_next(&r.lines, word)) {
        status = read_stored_line(&r, word, out, error);
        if (status) {
            return status;
        }
        status = mrwi_golden_lines_finish(&r.lines, error);
        if (status) {
            return status;
        }
    }
    /* Files are written with hashed frames first, but may have been merged by hand. */
    uint32_t hashed = 0;
    for (uint32_t i = 0; i < out->frame_count; i++) {
        if (!out->frames[i].empty) {
            mrwi_golden_stored_frame frame = out->frames[i];
            out->frames[i] = out->frames[hashed];
            out->frames[hashed++] = frame;
        }
    }
    return check_stored(&r, out, hashed, error);
}

void mrwi_golden_stored_write(const mrwi_golden_stored *stored, mrw_text *out)
{
    mrw_text_add(out, GOLDEN_FIRST "%u\npixel_version %u\nscene_formula %u\n",
                 MRWI_GOLDEN_STORED_VERSION, stored->pixel_version, stored->scene_formula);
    if (stored->backend) {
        mrw_text_add(out, "drawn_by %s ", stored->backend);
        mrwi_golden_lines_put_quoted(out, stored->driver);
        mrw_text_puts(out, "\n");
    }
    mrw_text_add(out, "size %u %u\n", stored->width, stored->height);
    for (uint32_t i = 0; i < stored->option_count; i++) {
        mrw_text_puts(out, "option ");
        mrwi_golden_lines_put_quoted(out, stored->options[i]);
        mrw_text_puts(out, "\n");
    }
    for (uint32_t i = 0; i < stored->scene_count; i++) {
        const mrwi_golden_stored_scene *scene = &stored->scenes[i];
        mrw_text_add(out, "scene ");
        mrwi_golden_lines_put_quoted(out, scene->model);
        mrw_text_add(out, " %s\n", scene->hash);
        mrwi_golden_parts_put_all(&scene->parts, out);
    }
    for (uint32_t i = 0; i < stored->view_count; i++) {
        mrw_text_add(out, "camera %u", i + 1);
        mrwi_golden_view_put(&stored->views[i], out);
        mrw_text_puts(out, "\n");
    }
    for (uint32_t i = 0; i < stored->time_count; i++) {
        const mrwi_golden_stored_time *time = &stored->times[i];
        mrw_text_add(out, "time %s ", time->name);
        mrw_text_double(out, time->seconds);
        if (time->view != MRW_NONE) {
            mrw_text_add(out, " camera %u", time->view + 1);
        }
        mrw_text_puts(out, "\n");
    }
    for (uint32_t i = 0; i < stored->frame_count; i++) {
        if (stored->frames[i].hash[0]) {
            mrw_text_add(out, "%s %s %s\n", stored->frames[i].key ? "key" : "frame",
                         stored->frames[i].name, stored->frames[i].hash);
        }
    }
    for (uint32_t i = 0; i < stored->frame_count; i++) {
        if (stored->frames[i].empty) {
            mrw_text_add(out, "empty %s\n", stored->frames[i].name);
        }
    }
    mrw_text_puts(out, "end\n");
}

const mrwi_golden_stored_frame *mrwi_golden_stored_find(const mrwi_golden_stored *stored,
                                                        const char *frame, uint32_t from)
{
    for (uint32_t i = 0; i < stored->frame_count; i++) {
        uint32_t at = (uint32_t)(((uint64_t)from + i) % stored->frame_count);
        if (stored->frames[at].hash[0] && strcmp(stored->frames[at].name, frame) == 0) {
            return &stored->frames[at];
        }
    }
    return NULL;
}

bool mrwi_golden_stored_empty(const mrwi_golden_stored *stored, const char *frame)
{
    for (uint32_t i = stored->frame_count; i-- > 0 && stored->frames[i].empty;) {
        if (strcmp(stored->frames[i].name, frame) == 0) {
            return true;
        }
    }
    return false;
}

const mrwi_golden_stored_time *mrwi_golden_stored_time_of(const mrwi_golden_stored *stored,
                                                          const char *frame, uint32_t from)
{
    for (uint32_t i = 0; i < stored->time_count; i++) {
        const uint32_t at = (uint32_t)(((uint64_t)from + i) % stored->time_count);
        if (strcmp(stored->times[at].name, frame) == 0) {
            return &stored->times[at];
        }
    }
    return NULL;
}

const mrwi_golden_stored_scene *mrwi_golden_stored_other_scene(const mrwi_golden_stored *expected,
                                                               const mrwi_golden_stored *actual)
{
    const bool comparable = actual->scene_formula == expected->scene_formula;
    for (uint32_t i = 0; comparable && i < actual->scene_count && i < expected->scene_count; i++) {
        if (strcmp(expected->scenes[i].hash, actual->scenes[i].hash) != 0) {
            return &actual->scenes[i];
        }
    }
    return NULL;
}

/* Number of differences that are described per model */
#define MOST_CHANGES 6

void mrwi_golden_stored_describe_scenes(const mrwi_golden_stored *expected,
                                        const mrwi_golden_stored *actual, bool against,
                                        const char *fault, mrw_text *out)
{
    for (uint32_t i = 0; i < actual->scene_count && i < expected->scene_count; i++) {
        const mrwi_golden_stored_scene *old = &expected->scenes[i], *new = &actual->scenes[i];
        if (strcmp(old->hash, new->hash) == 0) {
            continue;
        }
        mrw_text_puts(out, out->size > 0 ? "; " : "");
        mrw_text_escaped(out, new->model);
        if (old->parts.count > 0 && new->parts.count > 0) {
            mrw_text_puts(out, ": ");
            mrwi_explain_parts(&old->parts, &new->parts, MOST_CHANGES, out);
            continue;
        }
        mrw_text_puts(
            out, against ? " loads as a different scene in the other marrow: the importer changed"
                         : " loads as a different scene than when the goldens were made: the model "
                           "or the importer changed");
        if (fault) {
            mrw_text_puts(out, "; how is unknown: ");
            mrw_text_puts(out, fault);
        }
    }
}

/* ---- pose.txt -------------------------------------------------------------------------------- */

#define POSE_FIRST "marrow pose 1"

static mrw_status read_joint(mrwi_golden_lines *lines, const mrwi_golden_poses *poses,
                             mrwi_base_arena *arena, mrw_error *error)
{
    char name[4096];
    mrwi_compare_pose *pose = &poses->items[poses->count - 1];
    mrwi_compare_joint *joint = &pose->joints[pose->count];
    mrw_status status = mrwi_golden_lines_quoted(lines, name, sizeof name, error);
    if (status) {
        return status;
    }
    for (int i = 0; i < 12; i++) {
        status = mrwi_golden_lines_float(lines, &joint->joint_to_world[i], error);
        if (status) {
            return status;
        }
    }
    const mrwi_compare_pose *previous = poses->count > 1 ? pose - 1 : NULL;
    /* Frames repeat the names of joints: those of the previous frame are shared. */
    const bool same = previous && pose->count < previous->count &&
                      strcmp(previous->joints[pose->count].name, name) == 0;
    joint->name = same ? previous->joints[pose->count].name : mrwi_base_copy_text(arena, name);
    if (!joint->name) {
        return mrwi_base_fail_memory(error, sizeof name);
    }
    pose->count++;
    return MRW_OK;
}

mrw_status mrwi_golden_poses_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                  mrwi_golden_poses *out, mrw_error *error)
{
    mrwi_golden_lines lines;
    char word[16];
    mrwi_compare_joint *joints =
        mrwi_base_arena_alloc(arena, count_lines(bytes, "joint"), sizeof *joints);
    out->count = 0;
    out->items = mrwi_base_arena_alloc(arena, count_lines(bytes, "frame"), sizeof *out->items);
    if (!joints || !out->items) {
        return mrwi_base_fail_memory(error, bytes->size);
    }
    mrw_status status = mrwi_golden_lines_begin(&lines, path, bytes, POSE_FIRST, error);
    if (status) {
        return status;
    }
    while (mrwi_golden_lines_next(&lines, word)) {
        if (strcmp(word, "frame") == 0) {
            mrwi_compare_pose *pose = &out->items[out->count++];
            *pose = (mrwi_compare_pose){.joints = joints};
            status = read_frame_name(&lines, arena, &pose->frame, error);
        } else if (strcmp(word, "joint") == 0 && out->count > 0) {
            status = read_joint(&lines, out, arena, error);
            joints++;
        } else {
            status = unknown_line(&lines, word, error);
        }
        if (status) {
            return status;
        }
        status = mrwi_golden_lines_finish(&lines, error);
        if (status) {
            return status;
        }
    }
    return refuse_twice(&lines, arena, &out->items->frame, sizeof *out->items, out->count, error);
}

void mrwi_golden_poses_begin(mrw_text *out)
{
    mrw_text_add(out, POSE_FIRST "\n");
}

void mrwi_golden_poses_add(mrw_text *out, const mrwi_compare_pose *pose)
{
    mrw_text_add(out, "frame %s\n", pose->frame);
    for (uint32_t j = 0; j < pose->count; j++) {
        mrw_text_add(out, "joint ");
        mrwi_golden_lines_put_quoted(out, pose->joints[j].name);
        for (int i = 0; i < 12; i++) {
            mrw_text_put(out, " ", 1);
            mrwi_golden_lines_put_float(out, pose->joints[j].joint_to_world[i]);
        }
        mrw_text_put(out, "\n", 1);
    }
}

const mrwi_compare_pose *mrwi_golden_poses_find(const mrwi_golden_poses *poses, const char *frame,
                                                uint32_t from)
{
    for (uint32_t i = 0; i < poses->count; i++) {
        uint32_t at = (uint32_t)(((uint64_t)from + i) % poses->count);
        if (strcmp(poses->items[at].frame, frame) == 0) {
            return &poses->items[at];
        }
    }
    return NULL;
}

/* ---- bounds.txt ------------------------------------------------------------------------------ */

#define BOUNDS_FIRST "marrow bounds 1"

static mrw_status read_box(mrwi_golden_lines *lines, mrwi_base_arena *arena, mrwi_compare_box *box,
                           mrw_error *error)
{
    char word[8];
    *box = (mrwi_compare_box){0};
    mrw_status status = read_frame_name(lines, arena, &box->frame, error);
    if (status) {
        return status;
    }
    mrwi_golden_lines ahead = *lines;
    if (!mrwi_golden_lines_word(&ahead, word, sizeof word, NULL) && strcmp(word, "none") == 0) {
        lines->at = ahead.at;
        return MRW_OK;
    }
    box->any = true;
    for (int i = 0; i < 6; i++) {
        status = mrwi_golden_lines_float(lines, i < 3 ? &box->min[i] : &box->max[i - 3], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_golden_boxes_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                  mrwi_golden_boxes *out, mrw_error *error)
{
    mrwi_golden_lines lines;
    char word[16];
    out->count = 0;
    out->items = mrwi_base_arena_alloc(arena, count_lines(bytes, "frame"), sizeof *out->items);
    if (!out->items) {
        return mrwi_base_fail_memory(error, bytes->size);
    }
    mrw_status status = mrwi_golden_lines_begin(&lines, path, bytes, BOUNDS_FIRST, error);
    if (status) {
        return status;
    }
    while (mrwi_golden_lines_next(&lines, word)) {
        status = strcmp(word, "frame") == 0
                     ? read_box(&lines, arena, &out->items[out->count++], error)
                     : unknown_line(&lines, word, error);
        if (status) {
            return status;
        }
        status = mrwi_golden_lines_finish(&lines, error);
        if (status) {
            return status;
        }
    }
    return refuse_twice(&lines, arena, &out->items->frame, sizeof *out->items, out->count, error);
}

void mrwi_golden_boxes_begin(mrw_text *out)
{
    mrw_text_add(out, BOUNDS_FIRST "\n");
}

void mrwi_golden_boxes_add(mrw_text *out, const mrwi_compare_box *box)
{
    mrw_text_add(out, "frame %s", box->frame);
    for (int i = 0; i < 6 && box->any; i++) {
        mrw_text_put(out, " ", 1);
        mrwi_golden_lines_put_float(out, i < 3 ? box->min[i] : box->max[i - 3]);
    }
    mrw_text_add(out, box->any ? "\n" : " none\n");
}

const mrwi_compare_box *mrwi_golden_boxes_find(const mrwi_golden_boxes *boxes, const char *frame,
                                               uint32_t from)
{
    for (uint32_t i = 0; i < boxes->count; i++) {
        uint32_t at = (uint32_t)(((uint64_t)from + i) % boxes->count);
        if (strcmp(boxes->items[at].frame, frame) == 0) {
            return &boxes->items[at];
        }
    }
    return NULL;
}
