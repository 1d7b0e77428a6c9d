/* sprites.c: a sprite sheet. It keeps all pictures until the last one has come: only then it's
 * known what to trim and where each picture lies. Pages are then drawn and encoded one by one; all
 * files are written last. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"
#include "output/atlas.h"
#include "output/bleed.h"
#include "output/cells.h"
#include "output/pack.h"
#include "output/writer.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rectangle of a picture, in pixels. */
typedef struct area {
    uint32_t x, y, width, height; /* width 0: the area is empty */
} area;

/* The stored part of a picture: the visible area if sprites are trimmed, else the whole picture. */
typedef struct kept {
    area area;
    uint8_t *pixels; /* rows of the area, without padding; NULL: nothing is visible */
    uint64_t hash;   /* hash of the pixels */
    bool shared;     /* the pixels belong to another picture */
} kept;

/* The rectangles of a sheet: sprites that look the same share a shape. Known when all pictures have
 * come. */
typedef struct layout {
    uint32_t *places;        /* [sprite] its picture */
    uint32_t *shapes;        /* [sprite] its shape */
    mrwi_output_rect *rects; /* [shape] */
    uint32_t *shown;         /* [shape] the first sprite that has it */
    uint32_t rect_count;     /* number of shapes */
} layout;

typedef struct sprites_file {
    const mrwi_output_target *target;
    const mrw_output_sprite **labels; /* [place] */
    kept *pictures;                   /* [place] */
    _Atomic uint64_t bytes;           /* size of all stored pixels */
    /* These are known when all pictures have come: */
    mrwi_output_atlas atlas;
    layout layout;
    mrw_bytes *pngs, *jsons; /* [page] */
    mrw_bytes godot;
    mrwi_base_arena arena;
} sprites_file;

/* ---- pictures as they come ------------------------------------------------------------------- */

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    sprites_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    uint32_t place = 0;
    *out = NULL;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    *file = (sprites_file){.target = target,
                           .labels = mrwi_base_alloc_zero(target->count, sizeof *file->labels),
                           .pictures = mrwi_base_alloc_zero(target->count, sizeof *file->pictures)};
    if (!file->labels || !file->pictures) {
        mrwi_base_free(file->labels);
        mrwi_base_free(file->pictures);
        mrwi_base_free(file);
        return mrwi_base_fail_memory(error, target->count * sizeof *file->pictures);
    }
    for (uint32_t i = 0; i < def->files->picture_count; i++) {
        if (def->files->of[i] == target->file) {
            file->labels[place++] = &def->sprites.labels[i];
        }
    }
    *out = file;
    return MRW_OK;
}

static bool is_clear(const uint8_t *pixels, size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pixels[i * stride + 3] != 0) {
            return false;
        }
    }
    return true;
}

/* Returns the smallest rectangle that holds every pixel that is not clear. */
static area visible_area(const mrw_image *image)
{
    const size_t row = (size_t)image->width * 4;
    area a = {0, 0, image->width, image->height};
    while (a.height > 0 && is_clear(image->pixels + a.y * row, 4, a.width)) {
        a.y++;
        a.height--;
    }
    if (a.height == 0) {
        return (area){0};
    }
    while (is_clear(image->pixels + (a.y + a.height - 1) * row, 4, a.width)) {
        a.height--;
    }
    while (is_clear(image->pixels + a.y * row + (size_t)a.x * 4, row, a.height)) {
        a.x++;
        a.width--;
    }
    while (is_clear(image->pixels + a.y * row + (size_t)(a.x + a.width - 1) * 4, row, a.height)) {
        a.width--;
    }
    return a;
}

/* Computes FNV-1a over words of 8 bytes. Collisions do no harm: pixels are compared, too. */
static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u, word = 0;
    for (size_t i = 0; i < size; i += sizeof word) {
        const size_t left = size - i;
        word = 0;
        memcpy(&word, bytes + i, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    sprites_file *file = self;
    const mrw_image *image = item->image;
    const size_t channels = image->channels;
    const area whole = {0, 0, image->width, image->height};
    const bool trims = file->target->def->sprites.trim != MRW_TRIM_NONE;
    kept *picture = &file->pictures[item->place];
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    picture->area = trims ? visible_area(image) : whole;
    const size_t row = picture->area.width * channels, size = row * picture->area.height;
    if (size == 0) {
        return MRW_OK;
    }
    if (atomic_fetch_add(&file->bytes, size) + size > memory / 2) {
        return mrwi_base_fail(error, MRW_ERROR_MEMORY,
                              "a sprite sheet of %u pictures needs more than half of the memory; "
                              "use a smaller --size or fewer frames",
                              file->target->count);
    }
    picture->pixels = mrwi_base_alloc(size, 1);
    if (!picture->pixels) {
        return mrwi_base_fail_memory(error, size);
    }
    for (uint32_t y = 0; y < picture->area.height; y++) {
        const size_t from = (size_t)(picture->area.y + y) * image->width + picture->area.x;
        memcpy(picture->pixels + y * row, image->pixels + from * channels, row);
    }
    picture->hash = hash_of(picture->pixels, size);
    return MRW_OK;
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    sprites_file *file = self;
    (void)error;
    file->pictures[item->place] = file->pictures[as];
    file->pictures[item->place].shared = true;
    return MRW_OK;
}

/* ---- sprites, animation by animation --------------------------------------------------------- */

typedef struct sort_entry {
    const char *animation;
    uint32_t place;
    uint32_t first; /* place of the animation's first picture */
} sort_entry;

static int compare_animations(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    const int order = strcmp(x->animation, y->animation);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->place > y->place) - (x->place < y->place);
}

/* Lists the sprites animation by animation; animations stand in the order of their first pictures.
 */
static mrw_status make_sprites(sprites_file *file, mrw_error *error)
{
    const mrw_output_def *def = file->target->def;
    const uint32_t count = file->target->count;
    mrwi_output_atlas *atlas = &file->atlas;
    layout *l = &file->layout;
    mrwi_base_arena *arena = &file->arena;
    sort_entry *entries = mrwi_base_arena_alloc(arena, count, sizeof *entries);
    atlas->sprites = mrwi_base_arena_alloc(arena, count, sizeof *atlas->sprites);
    atlas->animations = mrwi_base_arena_alloc(arena, count, sizeof *atlas->animations);
    l->places = mrwi_base_arena_alloc(arena, count, sizeof *l->places);
    l->shapes = mrwi_base_arena_alloc(arena, count, sizeof *l->shapes);
    l->rects = mrwi_base_arena_alloc(arena, count, sizeof *l->rects);
    l->shown = mrwi_base_arena_alloc(arena, count, sizeof *l->shown);
    if (!entries || !atlas->sprites || !atlas->animations || !l->places || !l->shapes ||
        !l->rects || !l->shown) {
        return mrwi_base_fail_memory(error, count * sizeof *atlas->sprites);
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (sort_entry){.animation = file->labels[i]->animation, .place = i};
    }
    qsort(entries, count, sizeof *entries, compare_animations);
    for (uint32_t i = 0; i < count; i++) {
        const bool same = i > 0 && strcmp(entries[i].animation, entries[i - 1].animation) == 0;
        entries[i].first = same ? entries[i - 1].first : entries[i].place;
    }
    qsort(entries, count, sizeof *entries, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || entries[i].first != entries[i - 1].first) {
            atlas->animations[atlas->animation_count++] = (mrwi_output_animation){i, 0};
        }
        atlas->animations[atlas->animation_count - 1].count++;
        l->places[i] = entries[i].place;
        atlas->sprites[i] = (mrwi_output_atlas_sprite){.label = file->labels[entries[i].place],
                                                       .source_width = def->width,
                                                       .source_height = def->height};
    }
    atlas->count = count;
    atlas->numbered = def->sprites.numbered;
    return MRW_OK;
}

/* ---- trims ----------------------------------------------------------------------------------- */

/* Returns the smallest area that holds both. */
static area join(area a, area b)
{
    if (a.width == 0 || b.width == 0) {
        return a.width == 0 ? b : a;
    }
    const uint32_t right[2] = {a.x + a.width, b.x + b.width};
    const uint32_t bottom[2] = {a.y + a.height, b.y + b.height};
    area out = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, 0, 0};
    out.width = (right[0] > right[1] ? right[0] : right[1]) - out.x;
    out.height = (bottom[0] > bottom[1] ? bottom[0] : bottom[1]) - out.y;
    return out;
}

/* Trims `count` sprites alike: to the area where at least one of them is visible. */
static void trim_alike(sprites_file *file, uint32_t first, uint32_t count)
{
    area seen = {0};
    for (uint32_t i = first; i < first + count; i++) {
        seen = join(seen, file->pictures[file->layout.places[i]].area);
    }
    if (seen.width == 0) {
        seen = (area){0, 0, 1, 1};
    }
    for (uint32_t i = first; i < first + count; i++) {
        mrwi_output_atlas_sprite *sprite = &file->atlas.sprites[i];
        sprite->offset_x = seen.x;
        sprite->offset_y = seen.y;
        sprite->width = seen.width;
        sprite->height = seen.height;
        sprite->trimmed = seen.width < sprite->source_width || seen.height < sprite->source_height;
    }
}

static void trim(sprites_file *file)
{
    const mrwi_output_atlas *atlas = &file->atlas;
    const mrw_sprite_trim how = file->target->def->sprites.trim;
    if (how == MRW_TRIM_CLIP) {
        for (uint32_t i = 0; i < atlas->animation_count; i++) {
            trim_alike(file, atlas->animations[i].first, atlas->animations[i].count);
        }
        return;
    }
    const uint32_t alike = how == MRW_TRIM_FRAME ? 1 : atlas->count;
    for (uint32_t i = 0; i < atlas->count; i += alike) {
        trim_alike(file, i, alike);
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct shape_entry {
    const mrwi_output_atlas_sprite *sprite;
    const kept *picture;
    uint32_t index;
} shape_entry;

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares what two sprites show, in a total order. 0: their rectangles look the same. */
static int compare_pixels(const shape_entry *a, const shape_entry *b, size_t channels)
{
    const area *x = &a->picture->area, *y = &b->picture->area;
    const uint64_t numbers[2][7] = {
        {a->sprite->width, a->sprite->height, x->x - a->sprite->offset_x,
         x->y - a->sprite->offset_y, x->width, x->height, a->picture->hash},
        {b->sprite->width, b->sprite->height, y->x - b->sprite->offset_x,
         y->y - b->sprite->offset_y, y->width, y->height, b->picture->hash}};
    const bool clear[2] = {!a->picture->pixels, !b->picture->pixels};
    int order = 0;
    if (clear[0] || clear[1]) { /* an empty area has no position */
        order = compare_u64(clear[0], clear[1]);
        order = order != 0 ? order : compare_u64(numbers[0][0], numbers[1][0]);
        return order != 0 ? order : compare_u64(numbers[0][1], numbers[1][1]);
    }
    for (int i = 0; i < 7 && order == 0; i++) {
        order = compare_u64(numbers[0][i], numbers[1][i]);
    }
    return order != 0 || a->picture->pixels == b->picture->pixels
               ? order
               : memcmp(a->picture->pixels, b->picture->pixels,
                        channels * a->picture->area.width * a->picture->area.height);
}

static int compare_shapes(const shape_entry *a, const shape_entry *b, size_t channels)
{
    const int order = compare_pixels(a, b, channels);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_rgb(const void *a, const void *b)
{
    return compare_shapes(a, b, 3);
}

static int compare_rgba(const void *a, const void *b)
{
    return compare_shapes(a, b, 4);
}

static void add_shape(sprites_file *file, uint32_t sprite)
{
    const mrwi_output_atlas_sprite *shows = &file->atlas.sprites[sprite];
    layout *l = &file->layout;
    l->rects[l->rect_count] = (mrwi_output_rect){.width = shows->width, .height = shows->height};
    l->shown[l->rect_count] = sprite;
    l->shapes[sprite] = l->rect_count++;
}

/* Finds the shapes: sprites that look the same share one. Shapes stand in the order of the first
 * sprites that have them. */
static mrw_status find_shapes(sprites_file *file, mrw_error *error)
{
    const uint32_t count = file->atlas.count;
    const size_t channels = file->target->def->channels;
    shape_entry *entries = mrwi_base_arena_alloc(&file->arena, count, sizeof *entries);
    uint32_t *first = mrwi_base_arena_alloc(&file->arena, count, sizeof *first);
    if (!entries || !first) {
        return mrwi_base_fail_memory(error, count * sizeof *entries);
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] =
            (shape_entry){&file->atlas.sprites[i], &file->pictures[file->layout.places[i]], i};
    }
    qsort(entries, count, sizeof *entries, channels == 3 ? compare_rgb : compare_rgba);
    for (uint32_t i = 0; i < count; i++) {
        const bool same = i > 0 && compare_pixels(&entries[i], &entries[i - 1], channels) == 0;
        first[entries[i].index] = same ? first[entries[i - 1].index] : entries[i].index;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (first[i] == i) {
            add_shape(file, i);
        } else {
            file->layout.shapes[i] = file->layout.shapes[first[i]];
        }
    }
    return MRW_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Lays sprites in cells of columns and rows, each as large as the largest sprite. */
static mrw_status lay_in_cells(sprites_file *file, mrwi_output_page **pages, uint32_t *page_count,
                               mrw_error *error)
{
    const mrw_output_def *def = file->target->def;
    const uint32_t gap = def->gap, sprites = file->atlas.count;
    mrwi_output_rect *rects = file->layout.rects;
    uint32_t *cells = mrwi_base_arena_alloc(&file->arena, file->target->count, sizeof *cells);
    if (!cells) {
        return mrwi_base_fail_memory(error, file->target->count * sizeof *cells);
    }
    const uint32_t count = mrwi_output_cells(file->target, cells);
    uint32_t width = 0, height = 0, side = def->sprites.page_size;
    for (uint32_t i = 0; i < sprites; i++) {
        add_shape(file, i);
        width = rects[i].width > width ? rects[i].width : width;
        height = rects[i].height > height ? rects[i].height : height;
    }
    side = def->sprites.power_of_two ? mrwi_output_power_of_two_within(side) : side;
    const uint32_t columns = def->columns < count ? def->columns : count;
    const uint64_t wide = (uint64_t)columns * (width + gap) + gap;
    const uint64_t rows = side > gap ? (side - gap) / (height + gap) : 0;
    if (wide > side || rows == 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "%u columns of sprites of %ux%u would be %llux%llu, larger than a page of %ux%u; use a "
            "smaller --size, fewer --sheet columns or a larger --page-size",
            columns, width, height, (unsigned long long)wide,
            (unsigned long long)height + 2 * (uint64_t)gap, side, side);
    }
    const uint32_t each = (uint32_t)(rows * columns < count ? rows * columns : count);
    *page_count = (count + each - 1) / each;
    *pages = mrwi_base_alloc(*page_count, sizeof **pages);
    if (!*pages) {
        return mrwi_base_fail_memory(error, *page_count * sizeof **pages);
    }
    for (uint32_t p = 0; p < *page_count; p++) {
        const uint32_t left = count - p * each, on = left < each ? left : each;
        const uint32_t high = (on + columns - 1) / columns * (height + gap) + gap;
        (*pages)[p] = def->sprites.power_of_two
                          ? (mrwi_output_page){mrwi_output_power_of_two((uint32_t)wide),
                                               mrwi_output_power_of_two(high)}
                          : (mrwi_output_page){(uint32_t)wide, high};
    }
    for (uint32_t i = 0; i < sprites; i++) {
        const uint32_t cell = cells[file->layout.places[i]], on = cell % each;
        rects[i].page = cell / each;
        rects[i].x = gap + on % columns * (width + gap);
        rects[i].y = gap + on / columns * (height + gap);
    }
    return MRW_OK;
}

/* Finds the place of each sprite: in cells if the def has columns, else packed. */
static mrw_status lay_out(sprites_file *file, mrw_error *error)
{
    const mrw_output_def *def = file->target->def;
    const layout *l = &file->layout;
    const mrwi_output_pack_def packing = {def->gap, def->sprites.page_size,
                                          def->sprites.power_of_two};
    mrwi_output_atlas *atlas = &file->atlas;
    mrwi_output_page *pages = NULL;
    uint32_t page_count = 0;
    mrw_status status;
    if (def->columns > 0) {
        status = lay_in_cells(file, &pages, &page_count, error);
    } else {
        status = find_shapes(file, error);
        if (status) {
            return status;
        }
        status = mrwi_output_pack(&packing, l->rects, l->rect_count, &pages, &page_count, error);
    }
    if (status) {
        goto out;
    }
    atlas->pages = mrwi_base_arena_alloc(&file->arena, page_count, sizeof *atlas->pages);
    if (!atlas->pages) {
        status = mrwi_base_fail_memory(error, sizeof *atlas->pages);
        goto out;
    }
    for (uint32_t p = 0; p < page_count; p++) {
        atlas->pages[p] =
            (mrwi_output_atlas_page){.width = pages[p].width, .height = pages[p].height};
        atlas->page_count++;
    }
    for (uint32_t i = 0; i < atlas->count; i++) {
        const mrwi_output_rect *rect = &l->rects[l->shapes[i]];
        atlas->sprites[i].page = rect->page;
        atlas->sprites[i].x = rect->x;
        atlas->sprites[i].y = rect->y;
    }
out:
    mrwi_base_free(pages);
    return status;
}

/* Makes the path of a page's file. *out becomes NULL if `path` is: standard output. */
static mrw_status name_page(sprites_file *file, const char *path, uint32_t page, const char **out,
                            mrw_error *error)
{
    char name[MRW_OUTPUT_PATH_SIZE];
    *out = NULL;
    if (!path) {
        return MRW_OK;
    }
    mrw_status status = mrw_output_page_path(path, page, name, sizeof name, error);
    if (status) {
        return status;
    }
    *out = mrwi_base_copy_text(&file->arena, name);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof name);
}

static mrw_status name_pages(sprites_file *file, mrw_error *error)
{
    const mrwi_output_target *target = file->target;
    const char *const *all = target->def->sprites.json_paths;
    const char *paths[2] = {target->path, all ? all[target->file] : NULL};
    mrwi_output_atlas *atlas = &file->atlas;
    for (int i = 0; i < 2 && atlas->page_count > 1; i++) {
        if ((i == 0 || paths[i]) && (!paths[i] || !strstr(paths[i], "{page}"))) {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "a sprite sheet of %u pictures needs %u pages; put {page} into %s, or use a "
                "smaller --size, fewer frames or a larger --page-size",
                target->count, atlas->page_count, i == 0 ? "-o" : "--atlas");
        }
    }
    for (uint32_t p = 0; p < atlas->page_count; p++) {
        mrw_status status = name_page(file, paths[0], p, &atlas->pages[p].image_path, error);
        if (status) {
            return status;
        }
        status = name_page(file, paths[1], p, &atlas->pages[p].json_path, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

const char *mrw_output_godot_path(const char *json_path, char *out, size_t size)
{
    static const char field[] = "{page}", ending[] = ".json";
    const size_t length = strlen(json_path);
    const bool ends = mrw_output_ends_with(json_path, ending);
    const char *end = json_path + length - (ends ? sizeof ending - 1 : 0);
    size_t used = 0;
    for (const char *at = json_path; at < end && used + 1 < size;) {
        if (strncmp(at, field, sizeof field - 1) == 0) {
            at += sizeof field - 1;
        } else {
            out[used++] = *at++;
        }
    }
    snprintf(out + used, size - used, ".tres");
    return out;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static uint8_t *pixel(const mrw_image *page, uint32_t x, uint32_t y)
{
    return page->pixels + ((size_t)y * page->width + x) * page->channels;
}

/* Repeats the edges and corners of a rectangle outwards, `by` pixels wide. */
static void extrude(const mrw_image *page, const mrwi_output_rect *rect, uint32_t by)
{
    const size_t channels = page->channels;
    const uint32_t right = rect->x + rect->width - 1, bottom = rect->y + rect->height - 1;
    const size_t row = (rect->width + 2 * (size_t)by) * channels;
    for (uint32_t y = rect->y; y <= bottom; y++) {
        for (uint32_t i = 1; i <= by; i++) {
            memcpy(pixel(page, rect->x - i, y), pixel(page, rect->x, y), channels);
            memcpy(pixel(page, right + i, y), pixel(page, right, y), channels);
        }
    }
    for (uint32_t i = 1; i <= by; i++) {
        memcpy(pixel(page, rect->x - by, rect->y - i), pixel(page, rect->x - by, rect->y), row);
        memcpy(pixel(page, rect->x - by, bottom + i), pixel(page, rect->x - by, bottom), row);
    }
}

static mrw_status draw_shape(const sprites_file *file, uint32_t shape, const mrw_image *page,
                             mrw_error *error)
{
    const mrw_sprites_def *def = &file->target->def->sprites;
    const layout *l = &file->layout;
    const mrwi_output_rect *rect = &l->rects[shape];
    const mrwi_output_atlas_sprite *sprite = &file->atlas.sprites[l->shown[shape]];
    const kept *picture = &file->pictures[l->places[l->shown[shape]]];
    const size_t row = picture->area.width * (size_t)page->channels;
    /* Pixels that were trimmed are clear; they don't show the background. */
    for (uint32_t y = 0; y < rect->height; y++) {
        memset(pixel(page, rect->x, rect->y + y), 0, rect->width * (size_t)page->channels);
    }
    for (uint32_t y = 0; picture->pixels && y < picture->area.height; y++) {
        const uint32_t to_x = rect->x + picture->area.x - sprite->offset_x;
        const uint32_t to_y = rect->y + picture->area.y - sprite->offset_y + y;
        memcpy(pixel(page, to_x, to_y), picture->pixels + y * row, row);
    }
    if (def->bleed && page->channels == 4) {
        mrw_status status =
            mrwi_output_bleed(pixel(page, rect->x, rect->y), (size_t)page->width * 4, rect->width,
                              rect->height, error);
        if (status) {
            return status;
        }
    }
    extrude(page, rect, def->extrude);
    return MRW_OK;
}

static mrw_status draw_page(sprites_file *file, uint32_t page, mrw_error *error)
{
    const mrw_output_def *def = file->target->def;
    const mrwi_output_atlas_page *at = &file->atlas.pages[page];
    mrw_image image = {0};
    mrw_status status = mrw_image_create(at->width, at->height, def->channels, &image, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < (size_t)at->width * at->height; i++) {
        memcpy(image.pixels + i * def->channels, def->background, def->channels);
    }
    for (uint32_t i = 0; i < file->layout.rect_count; i++) {
        if (file->layout.rects[i].page == page) {
            status = draw_shape(file, i, &image, error);
            if (status) {
                goto out;
            }
        }
    }
    status = mrw_png_encode_as(&image, &def->png, &file->pngs[page], error);
out:
    mrw_image_free(&image);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void find_godot_path(const sprites_file *file, char out[MRW_OUTPUT_PATH_SIZE])
{
    const char *const *jsons = file->target->def->sprites.json_paths;
    mrw_output_godot_path(jsons[file->target->file], out, MRW_OUTPUT_PATH_SIZE);
}

/* Encodes every file of the sheet. */
static mrw_status make_pages(sprites_file *file, mrw_error *error)
{
    const mrwi_output_atlas *atlas = &file->atlas;
    char path[MRW_OUTPUT_PATH_SIZE];
    mrw_status status;
    file->pngs = mrwi_base_alloc_zero(atlas->page_count, sizeof *file->pngs);
    file->jsons = mrwi_base_alloc_zero(atlas->page_count, sizeof *file->jsons);
    if (!file->pngs || !file->jsons) {
        return mrwi_base_fail_memory(error, atlas->page_count * sizeof *file->pngs);
    }
    for (uint32_t p = 0; p < atlas->page_count; p++) {
        if (atlas->pages[p].json_path) {
            status = mrwi_output_atlas_json(atlas, p, &file->jsons[p], error);
            if (status) {
                return status;
            }
        }
        status = draw_page(file, p, error);
        if (status) {
            return status;
        }
    }
    if (!file->target->def->sprites.godot) {
        return MRW_OK;
    }
    find_godot_path(file, path);
    return mrwi_output_godot(atlas, path, file->target->def->sprites.loops, &file->godot, error);
}

/* Writes the files: JSON comes after the pictures it names. */
static mrw_status write_pages(sprites_file *file, mrw_bytes *stdout_bytes, mrw_error *error)
{
    const mrwi_output_atlas *atlas = &file->atlas;
    char path[MRW_OUTPUT_PATH_SIZE];
    for (uint32_t p = 0; p < atlas->page_count; p++) {
        const mrwi_output_target target = {.path = atlas->pages[p].image_path};
        mrw_status status = mrwi_output_deliver(&target, &file->pngs[p], stdout_bytes, error);
        file->pngs[p] = (mrw_bytes){0};
        if (status) {
            return status;
        }
    }
    for (uint32_t p = 0; p < atlas->page_count; p++) {
        if (atlas->pages[p].json_path) {
            mrw_status status = mrw_file_write(atlas->pages[p].json_path, file->jsons[p].data,
                                               file->jsons[p].size, error);
            if (status) {
                return status;
            }
        }
    }
    if (!file->target->def->sprites.godot) {
        return MRW_OK;
    }
    find_godot_path(file, path);
    return mrw_file_write(path, file->godot.data, file->godot.size, error);
}

/* Tells the output the sheet's pages and size, and the page of each picture. */
static mrw_status report_pages(const sprites_file *file, mrw_error *error)
{
    const mrwi_output_atlas *atlas = &file->atlas;
    uint32_t *page_of = mrwi_base_alloc(atlas->count, sizeof *page_of);
    if (!page_of) {
        return mrwi_base_fail_memory(error, atlas->count * sizeof *page_of);
    }
    for (uint32_t i = 0; i < atlas->count; i++) {
        page_of[file->layout.places[i]] = atlas->sprites[i].page;
    }
    *file->target->made = (mrwi_output_made){.pages = atlas->page_count,
                                             .width = atlas->pages[0].width,
                                             .height = atlas->pages[0].height,
                                             .page_of = page_of};
    return MRW_OK;
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    sprites_file *file = self;
    mrw_status status = make_sprites(file, error);
    if (status) {
        return status;
    }
    trim(file);
    status = lay_out(file, error);
    if (status) {
        return status;
    }
    status = name_pages(file, error);
    if (status) {
        return status;
    }
    status = make_pages(file, error);
    if (status) {
        return status;
    }
    status = report_pages(file, error);
    if (status) {
        return status;
    }
    return write_pages(file, stdout_bytes, error);
}

static void free_file(void *self)
{
    sprites_file *file = self;
    for (uint32_t i = 0; i < file->target->count; i++) {
        if (!file->pictures[i].shared) {
            mrwi_base_free(file->pictures[i].pixels);
        }
    }
    for (uint32_t p = 0; file->pngs && p < file->atlas.page_count; p++) {
        mrw_bytes_free(&file->pngs[p]);
    }
    for (uint32_t p = 0; file->jsons && p < file->atlas.page_count; p++) {
        mrw_bytes_free(&file->jsons[p]);
    }
    mrw_bytes_free(&file->godot);
    mrwi_base_free(file->jsons);
    mrwi_base_free(file->pngs);
    mrwi_base_free(file->labels);
    mrwi_base_free(file->pictures);
    mrwi_base_arena_free(&file->arena);
    mrwi_base_free(file);
}

const mrwi_output_writer mrwi_output_sprites = {.info = {.name = "sprites",
                                                         .endings = {".png"},
                                                         .option = "--atlas",
                                                         .alpha = true,
                                                         .collects = true},
                                                .open = open,
                                                .put = put,
                                                .repeat = repeat,
                                                .finish = finish,
                                                .free = free_file};
