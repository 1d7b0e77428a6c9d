/* atlas.c: the JSON of a sprite sheet, which games read beside its picture. It has two layouts in
 * one: TexturePacker's hash, which PixiJS and Phaser read (frames by name, animations), and
 * Aseprite's (durations, tags of frames). It names no version, time or host, so that the same sheet
 * has the same bytes. */
#include "output/atlas.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/json.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* Finds the folder of a path, as an absolute path without links. Returns false if it doesn't exist.
 */
static bool find_folder(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char text[PATH_MAX] = ".";
    if (length >= sizeof text) {
        return false;
    }
    if (length > 0) {
        memcpy(text, path, length);
        text[length] = '\0';
    }
    return realpath(text, out);
}

/* Adds the relative path from one folder to another, ending with a slash. Both are absolute. */
static void add_relative(const char *from, const char *to, mrw_text *out)
{
    size_t same = 0; /* length of the path to the last common folder */
    for (size_t i = 0;; i++) {
        const bool ends = (from[i] == '/' || !from[i]) && (to[i] == '/' || !to[i]);
        same = ends ? i : same;
        if (from[i] != to[i] || !from[i]) {
            break;
        }
    }
    for (const char *at = from + same; *at; at++) {
        if (*at == '/' && at[1]) {
            mrw_text_puts(out, "../");
        }
    }
    to += same + (to[same] == '/');
    if (*to) {
        mrw_text_puts(out, to);
        mrw_text_puts(out, "/");
    }
}

void mrwi_output_atlas_way(const char *from, const char *path, mrw_text *out)
{
    char folder[PATH_MAX], other[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (find_folder(from, folder) && find_folder(path, other)) {
        add_relative(folder, other, out);
    }
    mrw_text_puts(out, slash ? slash + 1 : path);
}

static void file_json(const char *from, const char *path, mrw_json *json)
{
    mrw_text text = {0};
    mrwi_output_atlas_way(from, path, &text);
    mrw_json_string(json, text.data);
    json->text.failed = json->text.failed || text.failed;
    mrw_text_free(&text);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Finds how long each sprite of an animation is shown. Ends are rounded to milliseconds, so that
 * durations add up. A duration is at least 1, because readers do not accept 0. */
static void find_durations(const mrwi_output_atlas *atlas, const mrwi_output_animation *animation,
                           uint64_t *durations)
{
    double seconds = 0.0;
    uint64_t begin = 0;
    for (uint32_t i = animation->first; i < animation->first + animation->count; i++) {
        seconds += atlas->sprites[i].label->seconds;
        const uint64_t end = (uint64_t)(seconds * 1000.0 + 0.5);
        durations[i] = end > begin ? end - begin : 1;
        begin = end > begin ? end : begin + 1;
    }
}

static void rectangle_json(const char *key, const uint32_t xywh[4], mrw_json *json)
{
    static const char *const names[] = {"x", "y", "w", "h"};
    mrw_json_open(mrw_json_key(json, key), '{');
    for (int i = 0; i < 4; i++) {
        mrw_json_uint(mrw_json_key(json, names[i]), xywh[i]);
    }
    mrw_json_close(json, '}');
}

static void size_json(const char *key, uint32_t width, uint32_t height, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, key), '{');
    mrw_json_uint(mrw_json_key(json, "w"), width);
    mrw_json_uint(mrw_json_key(json, "h"), height);
    mrw_json_close(json, '}');
}

static void point_json(const char *key, const double xy[2], mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, key), '{');
    mrw_json_double(mrw_json_key(json, "x"), xy[0]);
    mrw_json_double(mrw_json_key(json, "y"), xy[1]);
    mrw_json_close(json, '}');
}

/* Writes a sprite. The pivot is there twice: TexturePacker calls it pivot, PixiJS reads anchor, and
 * Phaser reads either. */
static void sprite_json(const mrwi_output_atlas_sprite *sprite, uint64_t duration, mrw_json *json)
{
    const mrwi_output_atlas_sprite *s = sprite;
    mrw_json_open(json, '{');
    rectangle_json("frame", (uint32_t[]){s->x, s->y, s->width, s->height}, json);
    mrw_json_bool(mrw_json_key(json, "rotated"), false);
    mrw_json_bool(mrw_json_key(json, "trimmed"), s->trimmed);
    rectangle_json("spriteSourceSize", (uint32_t[]){s->offset_x, s->offset_y, s->width, s->height},
                   json);
    size_json("sourceSize", s->source_width, s->source_height, json);
    if (s->label->has_pivot) {
        point_json("pivot", s->label->pivot, json);
        point_json("anchor", s->label->pivot, json);
    }
    mrw_json_uint(mrw_json_key(json, "duration"), duration);
    mrw_json_close(json, '}');
}

/* ---- a page ---------------------------------------------------------------------------------- */

#define NOWHERE UINT32_MAX

/* The contents of a page. */
typedef struct page_job {
    const mrwi_output_atlas *atlas;
    uint32_t page;
    uint64_t *durations; /* [sprite] milliseconds */
    uint32_t *places;    /* [sprite] its index on the page; NOWHERE: it is on another page */
} page_job;

static const char *name_sprite(const page_job *job, uint32_t sprite, char number[16])
{
    if (!job->atlas->numbered) {
        return job->atlas->sprites[sprite].label->name;
    }
    snprintf(number, 16, "%u", job->places[sprite]);
    return number;
}

static void frames_json(const page_job *job, mrw_json *json)
{
    char number[16];
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "frames"), '{');
    for (uint32_t i = 0; i < job->atlas->count; i++) {
        if (job->places[i] != NOWHERE) {
            mrw_json_break(json, "  ");
            mrw_json_key(json, name_sprite(job, i, number));
            sprite_json(&job->atlas->sprites[i], job->durations[i], json);
        }
    }
    mrw_json_close(json, '}');
}

/* Finds the first and the last sprite of an animation that the page has. Returns false if there is
 * none. */
static bool find_part(const page_job *job, const mrwi_output_animation *animation, uint32_t *first,
                      uint32_t *last)
{
    bool any = false;
    for (uint32_t i = animation->first; i < animation->first + animation->count; i++) {
        if (job->places[i] != NOWHERE) {
            *first = any ? *first : i;
            *last = i;
            any = true;
        }
    }
    return any;
}

static const char *name_animation(const page_job *job, const mrwi_output_animation *animation)
{
    return job->atlas->sprites[animation->first].label->animation;
}

/* Writes the animations, without sprites of other pages: readers look for sprites on this page
 * only.
 */
static void animations_json(const page_job *job, mrw_json *json)
{
    char number[16];
    uint32_t first = 0, last = 0;
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "animations"), '{');
    for (uint32_t a = 0; a < job->atlas->animation_count; a++) {
        const mrwi_output_animation *animation = &job->atlas->animations[a];
        if (!find_part(job, animation, &first, &last)) {
            continue;
        }
        mrw_json_break(json, "  ");
        mrw_json_open(mrw_json_key(json, name_animation(job, animation)), '[');
        for (uint32_t i = first; i <= last; i++) {
            if (job->places[i] != NOWHERE) {
                mrw_json_string(json, name_sprite(job, i, number));
            }
        }
        mrw_json_close(json, ']');
    }
    mrw_json_close(json, '}');
}

static void tags_json(const page_job *job, mrw_json *json)
{
    uint32_t first = 0, last = 0;
    mrw_json_break(json, "  ");
    mrw_json_open(mrw_json_key(json, "frameTags"), '[');
    for (uint32_t a = 0; a < job->atlas->animation_count; a++) {
        const mrwi_output_animation *animation = &job->atlas->animations[a];
        if (find_part(job, animation, &first, &last)) {
            mrw_json_break(json, "   ");
            mrw_json_open(json, '{');
            mrw_json_string(mrw_json_key(json, "name"), name_animation(job, animation));
            mrw_json_uint(mrw_json_key(json, "from"), job->places[first]);
            mrw_json_uint(mrw_json_key(json, "to"), job->places[last]);
            mrw_json_string(mrw_json_key(json, "direction"), "forward");
            mrw_json_close(json, '}');
        }
    }
    mrw_json_close(json, ']');
}

static void meta_json(const page_job *job, mrw_json *json)
{
    const mrwi_output_atlas_page *pages = job->atlas->pages, *page = &pages[job->page];
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "meta"), '{');
    mrw_json_string(mrw_json_key(json, "app"), "marrow");
    mrw_json_string(mrw_json_key(json, "version"), "1.0"); /* version of the layout */
    file_json(page->json_path, page->image_path, mrw_json_key(json, "image"));
    mrw_json_string(mrw_json_key(json, "format"), "RGBA8888");
    size_json("size", page->width, page->height, json);
    mrw_json_string(mrw_json_key(json, "scale"), "1");
    if (job->atlas->page_count > 1) {
        mrw_json_open(mrw_json_key(json, "related_multi_packs"), '[');
        for (uint32_t p = 0; p < job->atlas->page_count; p++) {
            if (p != job->page) {
                file_json(page->json_path, pages[p].json_path, json);
            }
        }
        mrw_json_close(json, ']');
    }
    tags_json(job, json);
    mrw_json_close(json, '}');
}

mrw_status mrwi_output_atlas_json(const mrwi_output_atlas *atlas, uint32_t page, mrw_bytes *out,
                                  mrw_error *error)
{
    page_job job = {.atlas = atlas,
                    .page = page,
                    .durations = mrwi_base_alloc_zero(atlas->count, sizeof *job.durations),
                    .places = mrwi_base_alloc(atlas->count, sizeof *job.places)};
    mrw_json json = {0};
    mrw_status status;
    assert(page < atlas->page_count);
    if (!job.durations || !job.places) {
        status = mrwi_base_fail_memory(error, atlas->count * sizeof *job.durations);
        goto out;
    }
    for (uint32_t i = 0, place = 0; i < atlas->count; i++) {
        job.places[i] = atlas->sprites[i].page == page ? place++ : NOWHERE;
    }
    for (uint32_t a = 0; a < atlas->animation_count; a++) {
        find_durations(atlas, &atlas->animations[a], job.durations);
    }
    mrw_json_open(&json, '{');
    frames_json(&job, &json);
    animations_json(&job, &json);
    meta_json(&job, &json);
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    status = mrw_text_take(&json.text, out, error);
out:
    mrwi_base_free(job.durations);
    mrwi_base_free(job.places);
    return status;
}
