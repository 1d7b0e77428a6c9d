/* html_pictures.c: copies the pictures of an HTML report beside the page, or takes them into it.
 *
 * The name of a copy holds a hash of its bytes. So a new report never overwrites a picture of an
 * earlier one, which stays whole until the new page exists, and files that marrow wrote can be told
 * from others. */
#include "base/file.h"
#include "report/html.h"

#include "base/links.h"
#include "base/sha256.h"
#include "base/text.h"
#include "marrow/codecs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most bytes of a file that is read as a picture. */
#define MAX_PICTURE ((uint64_t)1 << 30)

#define HASH_DIGITS 16

/* Bytes of a frame's name, with a NUL, in the name of its copy. Then NAME.expected-HASH.png.js has
 * 64 characters, as many as mrw_file_write keeps in the names of temporary files. */
#define MAX_NAME 32

static const char *const role_names[MRWI_REPORT_ROLES] = {"expected", "actual", "diff"};

/* A frame, and its place in the order in which pictures are taken. */
typedef struct turn {
    size_t rank; /* rank among the frames of its case, bad frames first */
    size_t case_index;
    size_t frame;
} turn;

void mrwi_report_free(mrwi_report *report)
{
    mrwi_base_arena_free(&report->arena);
    *report = (mrwi_report){0};
}

bool mrwi_report_has_case(const mrwi_report *report, const mrw_case_result *result)
{
    return report->folder || mrw_outcome_is_bad(result->outcome);
}

bool mrwi_report_has_pictures(const mrwi_report *report, const mrw_case_result *result)
{
    bool seen = result->outcome != MRW_PASSED;
    for (size_t i = 0; report->results->against && i < result->frame_count; i++) {
        seen = seen || result->frames[i].expected;
    }
    return seen && result->outcome != MRW_SKIPPED;
}

/* ---- one picture ----------------------------------------------------------------------------- */

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_png(const mrw_bytes *file)
{
    static const uint8_t start[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n',
                                      0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    return file->size >= 24 && memcmp(file->data, start, sizeof start) == 0;
}

/* Converts a picture of another format that marrow reads to PNG, which browsers show. */
static mrw_status make_png(mrw_bytes *file, const char *name, mrw_error *error)
{
    mrw_image image = {0};
    mrw_bytes png = {0};
    mrw_status status = mrw_image_decode(file->data, file->size, 0, 0, name, &image, error);
    if (status) {
        goto out;
    }
    status = mrw_png_encode(&image, &png, error);
    if (status) {
        goto out;
    }
    mrw_bytes_free(file);
    *file = png;
out:
    mrw_image_free(&image);
    return status;
}

/* Reads a picture as PNG and sets its state. Fails only when out of memory. */
static mrw_status read_picture(const mrw_results *results, const char *path,
                               mrwi_report_picture *picture, mrw_bytes *out, mrw_error *error)
{
    mrw_text full = {0};
    mrw_bytes name = {0};
    mrwi_report_picture_path(&full, results, path);
    mrw_status status = mrw_text_take(&full, &name, error);
    if (status) {
        return status;
    }
    picture->state = MRWI_REPORT_PICTURE_MISSING;
    mrw_error why = {0};
    const char *file = (const char *)name.data;
    status = mrwi_base_links_on_way(file, strlen(file) - strlen(path), &why);
    status = status ? status : mrwi_base_read_file(file, MAX_PICTURE, out, NULL, &why);
    if (status) {
        goto out;
    }
    picture->state = MRWI_REPORT_PICTURE_DAMAGED;
    if (!is_png(out)) {
        status = make_png(out, (const char *)name.data, &why);
        if (status) {
            goto out;
        }
    }
    picture->state = MRWI_REPORT_PICTURE_SHOWN;
    picture->width = big_endian(out->data + 16);
    picture->height = big_endian(out->data + 20);
out:
    mrw_bytes_free(&name);
    if (status) {
        mrw_bytes_free(out);
    }
    return status == MRW_ERROR_MEMORY ? mrwi_base_fail_memory(error, 0) : MRW_OK;
}

/* ---- beside the page ------------------------------------------------------------------------- */

static mrw_status write_in_pictures(const mrwi_report *report, const char *name, const void *data,
                                    size_t size, mrw_error *error)
{
    mrw_text text = {0};
    mrw_bytes path = {0};
    mrw_text_add(&text, "%s/" MRWI_REPORT_PICTURES "/%s", report->folder, name);
    mrw_status status = mrw_text_take(&text, &path, error);
    if (status) {
        return status;
    }
    status = mrw_file_write((const char *)path.data, data, size, error);
    mrw_bytes_free(&path);
    return status;
}

/* Writes a script that contains a picture. The page loads it. */
static mrw_status write_script(const mrwi_report *report, const mrwi_report_picture *picture,
                               const mrw_bytes *png, mrw_error *error)
{
    mrw_text text = {0};
    mrw_bytes script = {0};
    mrw_text_add(&text, "marrowPicture(\"%s\", \"", picture->name); /* a safe name */
    mrw_text_base64(&text, png->data, png->size);
    mrw_text_puts(&text, "\");\n");
    mrw_status status = mrw_text_take(&text, &script, error);
    if (status) {
        return status;
    }
    status = write_in_pictures(report, picture->name, script.data, script.size, error);
    mrw_bytes_free(&script);
    return status;
}

/* Copies a picture beside the page, as a script if the page shows its pixel values. */
static mrw_status copy_picture(mrwi_report *report, const mrw_frame_result *frame, int role,
                               mrwi_report_picture *picture, const mrw_bytes *png, mrw_error *error)
{
    const bool differs = !frame->passed || frame->actual;
    char name[MAX_NAME], digits[65];
    uint8_t digest[32];
    mrwi_base_sha256 hash;
    picture->values = differs && role != MRWI_REPORT_ROLE_DIFF && png->size <= report->values_left;
    report->values_left -= picture->values ? png->size : 0;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, png->data, png->size);
    mrwi_base_sha256_end(&hash, digest);
    mrwi_base_sha256_text(digest, digits);
    picture->name =
        mrwi_base_format(&report->arena, "%s.%s-%.*s.png%s",
                         mrwi_base_file_name(frame->name ? frame->name : "", name, sizeof name),
                         role_names[role], HASH_DIGITS, digits, picture->values ? ".js" : "");
    if (!picture->name) {
        return mrwi_base_fail_memory(error, 0);
    }
    return picture->values ? write_script(report, picture, png, error)
                           : write_in_pictures(report, picture->name, png->data, png->size, error);
}

/* ---- in the page ----------------------------------------------------------------------------- */

static mrw_status inline_picture(mrwi_report *report, mrwi_report_picture *picture,
                                 const mrw_bytes *png, mrw_error *error)
{
    mrw_text text = {0};
    mrw_bytes base64 = {0};
    mrw_text_base64(&text, png->data, png->size);
    mrw_status status = mrw_text_take(&text, &base64, error);
    if (status) {
        return status;
    }
    picture->name = mrwi_base_copy_text(&report->arena, (const char *)base64.data);
    if (!picture->name) {
        status = mrwi_base_fail_memory(error, base64.size);
    }
    mrw_bytes_free(&base64);
    return status;
}

/* Returns true, and counts them, if all pictures of a frame fit into the page. They go in together
 * or not at all. */
static bool fits(mrwi_report *report, const mrw_bytes png[MRWI_REPORT_ROLES])
{
    uint64_t size = 0;
    for (int i = 0; i < MRWI_REPORT_ROLES; i++) {
        size += ((uint64_t)png[i].size + 2) / 3 * 4;
    }
    if (size > report->inline_left) {
        return false;
    }
    report->inline_left -= size;
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Reads the pictures of a frame and copies them beside the page or into it. */
static mrw_status take_frame(mrwi_report *report, const mrw_frame_result *frame,
                             mrwi_report_picture pictures[MRWI_REPORT_ROLES], mrw_error *error)
{
    const char *const paths[MRWI_REPORT_ROLES] = {frame->expected, frame->actual, frame->diff};
    mrw_bytes png[MRWI_REPORT_ROLES] = {{0}};
    const bool inlined = !report->folder;
    mrw_status status = MRW_OK;
    for (int i = 0; i < MRWI_REPORT_ROLES; i++) {
        if (paths[i]) {
            status = read_picture(report->results, paths[i], &pictures[i], &png[i], error);
            if (status) {
                goto out;
            }
        }
    }
    const bool left_out = inlined && !fits(report, png);
    report->frames_left += left_out;
    for (int i = 0; i < MRWI_REPORT_ROLES; i++) {
        if (pictures[i].state != MRWI_REPORT_PICTURE_SHOWN) {
            continue;
        }
        if (left_out) {
            pictures[i].state = MRWI_REPORT_PICTURE_LEFT;
        } else {
            status = inlined ? inline_picture(report, &pictures[i], &png[i], error)
                             : copy_picture(report, frame, i, &pictures[i], &png[i], error);
            if (status) {
                goto out;
            }
        }
    }
out:
    for (int i = 0; i < MRWI_REPORT_ROLES; i++) {
        mrw_bytes_free(&png[i]);
    }
    return status;
}

static int compare_turns(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->case_index != y->case_index) {
        return x->case_index < y->case_index ? -1 : 1;
    }
    return x->frame < y->frame ? -1 : x->frame > y->frame ? 1 : 0;
}

static bool takes_pictures(const mrwi_report *report, const mrw_case_result *result)
{
    return mrwi_report_has_case(report, result) && mrwi_report_has_pictures(report, result);
}

/* Appends the frames of a case, bad ones first. Returns their number. */
static size_t add_turns(const mrw_case_result *result, size_t case_index, turn *turns)
{
    size_t count = 0;
    for (int good = 0; good < 2; good++) {
        for (size_t i = 0; i < result->frame_count; i++) {
            if (result->frames[i].passed == (good == 1)) {
                turns[count] = (turn){count, case_index, i};
                count++;
            }
        }
    }
    return count;
}

/* Makes the tables of pictures and the order in which frames are taken. */
static mrw_status list_turns(mrwi_report *report, turn **turns, size_t *count, mrw_error *error)
{
    const mrw_results *results = report->results;
    size_t frames = 0, used = 0, cases = results->case_count;
    for (size_t i = 0; i < cases; i++) {
        frames += takes_pictures(report, &results->cases[i]) ? results->cases[i].frame_count : 0;
    }
    *turns = mrwi_base_alloc(frames, sizeof **turns);
    mrwi_report_picture(*pictures)[MRWI_REPORT_ROLES] =
        mrwi_base_arena_alloc(&report->arena, frames, sizeof *pictures);
    report->pictures = mrwi_base_arena_alloc(&report->arena, cases, sizeof *report->pictures);
    if (!*turns || !pictures || !report->pictures) {
        return mrwi_base_fail_memory(error, frames * sizeof *pictures);
    }
    memset(pictures, 0, frames * sizeof *pictures);
    for (size_t i = 0; i < cases; i++) {
        bool takes = takes_pictures(report, &results->cases[i]);
        report->pictures[i] = takes ? pictures + used : NULL;
        used += takes ? add_turns(&results->cases[i], i, *turns + used) : 0;
    }
    qsort(*turns, used, sizeof **turns, compare_turns);
    *count = used;
    return MRW_OK;
}

mrw_status mrwi_report_take_pictures(mrwi_report *report, mrw_error *error)
{
    turn *turns = NULL;
    size_t count = 0;
    mrw_status status = list_turns(report, &turns, &count, error);
    if (status) {
        goto out;
    }
    if (report->folder) {
        const char *folder =
            mrwi_base_format(&report->arena, "%s/" MRWI_REPORT_PICTURES, report->folder);
        status = folder ? mrw_make_folder(folder, NULL, error) : mrwi_base_fail_memory(error, 0);
        if (status) {
            goto out;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const turn *t = &turns[i];
        status = take_frame(report, &report->results->cases[t->case_index].frames[t->frame],
                            report->pictures[t->case_index][t->frame], error);
        if (status) {
            goto out;
        }
    }
out:
    mrwi_base_free(turns);
    return status;
}

/* ---- earlier reports ------------------------------------------------------------------------- */

/* Returns the names of the report's pictures, sorted; NULL when out of memory. */
static const char **sorted_names(const mrwi_report *report, size_t *count)
{
    const mrw_results *results = report->results;
    size_t most = 0, used = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        most += report->pictures[i] ? results->cases[i].frame_count * MRWI_REPORT_ROLES : 0;
    }
    const char **names = mrwi_base_alloc(most, sizeof *names);
    for (size_t i = 0; names && i < results->case_count; i++) {
        size_t frames = report->pictures[i] ? results->cases[i].frame_count : 0;
        for (size_t j = 0; j < frames * MRWI_REPORT_ROLES; j++) {
            const mrwi_report_picture *p =
                &report->pictures[i][j / MRWI_REPORT_ROLES][j % MRWI_REPORT_ROLES];
            if (p->state == MRWI_REPORT_PICTURE_SHOWN) {
                names[used++] = p->name;
            }
        }
    }
    if (names) {
        qsort(names, used, sizeof *names, mrwi_base_compare_texts);
    }
    *count = used;
    return names;
}

/* Returns true for names that marrow gives: NAME.ROLE-HASH.png, the same with .js, and the
 * temporary names of both. */
static bool is_ours(const char *file)
{
    bool part = file[0] == '.'; /* see mrw_file_write */
    const char *begin = part ? file + 1 : file, *end = begin, *next = begin;
    while ((next = strstr(next, ".png"))) {
        end = next++;
    }
    size_t length = (size_t)(end - begin), rest = strlen(end);
    for (int role = 0; role < MRWI_REPORT_ROLES; role++) {
        char mark[16];
        size_t mark_length = (size_t)snprintf(mark, sizeof mark, ".%s-", role_names[role]);
        const char *hash = end - HASH_DIGITS;
        if (length > HASH_DIGITS + mark_length &&
            memcmp(hash - mark_length, mark, mark_length) == 0 &&
            strspn(hash, "0123456789abcdef") == HASH_DIGITS) {
            return part ? rest > 8 && strcmp(end + rest - 4, ".tmp") == 0
                        : end[4] == '\0' || strcmp(end + 4, ".js") == 0;
        }
    }
    return false;
}

void mrwi_report_remove_old(const mrwi_report *report)
{
    char path[4096];
    size_t count = 0;
    const char **names = sorted_names(report, &count);
    int length = snprintf(path, sizeof path, "%s/" MRWI_REPORT_PICTURES, report->folder);
    DIR *folder = NULL;
    if (names && length > 0 && (size_t)length < sizeof path) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        folder = fd >= 0 ? fdopendir(fd) : NULL;
        if (fd >= 0 && !folder) {
            close(fd);
        }
    }
    struct dirent *entry = NULL;
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (is_ours(name) &&
            !bsearch(&name, names, count, sizeof *names, mrwi_base_compare_texts)) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
    mrwi_base_free(names);
}
