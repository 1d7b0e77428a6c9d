/* layout.c: where the pictures of a sheet stand: in order, or in rows of one view, time or clip.
 * The pictures of a clip are a group. The rows of a group stand one below the other, and groups
 * stand side by side where there are columns for that. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Default for the most pictures of a clip in a row of `marrow sheet`. */
#define MOST_COLUMNS 24

/* Property that the pictures of a row share. The order is that of --rows. */
typedef enum row_kind { ROWS_DIRECTION, ROWS_VIEW, ROWS_TIME, ROWS_CLIP } row_kind;

/* A picture on its way to a cell. */
typedef struct entry {
    uint32_t file, group, row, place;
} entry;

typedef struct sheet_layout {
    const mrw_settings *settings;
    entry *entries; /* [picture of all files] */
    uint32_t count;
    uint32_t groups;  /* most groups in a file */
    uint32_t rows;    /* most rows in a group */
    uint32_t longest; /* pictures in the longest row */
} sheet_layout;

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the row of the k-th picture of a clip. Views follow one another for each time. */
static uint32_t row_of(row_kind kind, uint32_t k, uint32_t views)
{
    return kind == ROWS_CLIP ? 0 : kind == ROWS_TIME ? k / views : k % views;
}

/* Counts the rows that a group has so far, and the pictures in each, to number both without gaps: a
 * file may have the pictures of one view only. */
typedef struct group_count {
    uint32_t group; /* number of the group in its file, from 1; 0 before the first */
    uint32_t rows;
    uint32_t *number; /* [row] number in the group, from 1; 0: the row is empty so far */
    uint32_t *length; /* [row] pictures so far */
} group_count;

static void add_entry(sheet_layout *l, group_count *g, uint32_t row, entry *out)
{
    if (g->number[row] == 0) {
        g->number[row] = ++g->rows;
    }
    out->group = g->group - 1;
    out->row = g->number[row] - 1;
    out->place = g->length[row]++;
    l->groups = g->group > l->groups ? g->group : l->groups;
    l->rows = g->rows > l->rows ? g->rows : l->rows;
    l->longest = out->place >= l->longest ? out->place + 1 : l->longest;
}

/* Adds the pictures of a plan that go to one file. `g` keeps the number of the file's groups. */
static void add_plan(sheet_layout *l, const mrw_plan *plan, uint32_t first, row_kind kind,
                     uint32_t file, group_count *g)
{
    const uint32_t each = mrw_plan_passes_files(&plan->passes), views = plan->pictures.view_count;
    const mrw_picture *items = plan->pictures.items, *clip = NULL;
    uint32_t start = 0;
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        start = i == 0 || items[i].clip != items[i - 1].clip ? i : start;
        for (uint32_t p = 0; p < each; p++) {
            entry *e = &l->entries[first + i * each + p];
            if (e->file == file) {
                if (clip != &items[start]) {
                    clip = &items[start];
                    g->group++;
                    g->rows = 0;
                    memset(g->number, 0, plan->pictures.count * sizeof *g->number);
                    memset(g->length, 0, plan->pictures.count * sizeof *g->length);
                }
                add_entry(l, g, row_of(kind, i - start, views), e);
            }
        }
    }
}

/* Numbers groups, rows and places in all files. */
static mrw_status find_rows(sheet_layout *l, const mrw_plan_part *parts, uint32_t count,
                            row_kind kind, mrw_error *error)
{
    const mrw_output_files *files = &parts[0].plan->files;
    uint32_t most = 1;
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t pictures = parts[s].plan->pictures.count;
        most = pictures > most ? pictures : most;
    }
    uint32_t *numbers = mrwi_base_alloc_zero(2 * (size_t)most, sizeof *numbers);
    l->count = files->picture_count;
    l->entries = mrwi_base_alloc_zero((size_t)l->count + 1, sizeof *l->entries);
    if (!numbers || !l->entries) {
        mrwi_base_free(numbers);
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        l->entries[i].file = files->of[i];
    }
    for (uint32_t f = 0; f < files->count; f++) {
        group_count g = {.number = numbers, .length = numbers + most};
        for (uint32_t s = 0; s < count; s++) {
            add_plan(l, parts[s].plan, parts[s].first, kind, f, &g);
        }
    }
    mrwi_base_free(numbers);
    return MRW_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Returns how many groups stand side by side: one, until the sheet is no more than twice as high as
 * wide, and no higher than pictures can be, where it may be that wide. Sizes are those of a group.
 */
static uint64_t groups_beside(uint64_t groups, uint64_t width, uint64_t height)
{
    uint64_t beside = 1;
    for (; (beside + 1) * width < MRW_IMAGE_MAX_SIDE; beside++) {
        const uint64_t high = (groups + beside - 1) / beside * height;
        if (high <= 2 * beside * width && high < MRW_IMAGE_MAX_SIDE) {
            break;
        }
    }
    return beside;
}

static uint32_t free_columns(const sheet_layout *l, uint32_t length)
{
    const mrw_picture_settings *frame = &l->settings->picture;
    const uint64_t width = length * (frame->width + 4ull);
    const uint64_t height = l->rows * (frame->height + 40ull);
    return length * (uint32_t)groups_beside(l->groups, width, height);
}

static mrw_status refuse_split(const sheet_layout *l, mrw_error *error)
{
    const mrw_settings *settings = l->settings;
    const char *option = settings->command == MRW_COMMAND_SHEET ? "--columns" : "--sheet";
    const uint64_t gap = settings->output.gap;
    const uint64_t width = l->longest * (settings->picture.width + gap) + gap;
    char advice[64] = "a smaller --size or fewer frames";
    if (width <= MRW_IMAGE_MAX_SIDE && l->longest <= 1000) { /* the most that the option takes */
        snprintf(advice, sizeof advice, "%s %u", option, l->longest);
    }
    return mrwi_base_fail(
        error, MRW_ERROR_USAGE,
        "%s %u would split the rows of this sheet, which have %u picture%s; use %s, or "
        "choose other rows with --rows",
        option, settings->output.sheet, l->longest, l->longest == 1 ? "" : "s", advice);
}

/* Places whole rows. */
static void place_rows(const sheet_layout *l, uint32_t columns, uint32_t *cells)
{
    const uint32_t beside = columns / l->longest;
    for (uint32_t i = 0; i < l->count; i++) {
        const entry *e = &l->entries[i];
        const uint32_t line = e->group / beside * l->rows + e->row;
        cells[i] = line * columns + e->group % beside * l->longest + e->place;
    }
}

/* Places clips in order, each from a column that is a multiple of `apart`; long ones go on in the
 * next line. */
static void place_clips(const sheet_layout *l, uint32_t apart, uint32_t files, uint32_t *cells)
{
    for (uint32_t f = 0; f < files; f++) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < l->count; i++) {
            if (l->entries[i].file == f) {
                const bool first = l->entries[i].place == 0;
                next += first && next % apart > 0 ? apart - next % apart : 0;
                cells[i] = next++;
            }
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Returns true if the pictures stand in rows of `*kind`, not one after the other. */
static bool has_rows(const mrw_settings *settings, const mrw_plan_part *parts, uint32_t count,
                     row_kind *kind)
{
    bool several = false;
    for (uint32_t s = 0; s < count; s++) {
        const mrw_picture_list *list = &parts[s].plan->pictures;
        several = several || (list->view_count > 1 && list->most_frames > 1);
    }
    *kind = mrw_settings_given(settings, "rows") ? (row_kind)settings->output.rows
            : several                            ? ROWS_VIEW
                                                 : ROWS_CLIP;
    return several || mrw_settings_given(settings, "rows");
}

mrw_status mrw_plan_layout_make(const mrw_settings *settings, const mrw_plan_part *parts,
                                uint32_t count, mrw_plan_layout *out, mrw_error *error)
{
    sheet_layout l = {.settings = settings};
    row_kind kind;
    const bool sheet = settings->command == MRW_COMMAND_SHEET;
    const bool given = mrw_settings_given(settings, "sheet");
    const bool rows = has_rows(settings, parts, count, &kind);
    *out = (mrw_plan_layout){.columns = settings->output.sheet};
    if (!rows && !sheet) {
        return MRW_OK;
    }
    mrw_status status = find_rows(&l, parts, count, kind, error);
    if (status) {
        goto out;
    }
    out->cells = mrwi_base_alloc_zero((size_t)l.count + 1, sizeof *out->cells);
    if (!out->cells) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    if (rows && given && out->columns % l.longest > 0) {
        status = refuse_split(&l, error);
        goto out;
    }
    if (rows) {
        out->columns = given ? out->columns : free_columns(&l, l.longest);
        place_rows(&l, out->columns, out->cells);
    } else {
        const uint32_t each = l.longest < MOST_COLUMNS ? l.longest : MOST_COLUMNS;
        const uint32_t apart = given && out->columns < 2 * each ? out->columns : each;
        out->columns = given ? out->columns - out->columns % apart : free_columns(&l, each);
        place_clips(&l, apart, parts[0].plan->files.count, out->cells);
    }
out:
    mrwi_base_free(l.entries);
    return status;
}

void mrw_plan_layout_free(mrw_plan_layout *layout)
{
    mrwi_base_free(layout->cells);
    *layout = (mrw_plan_layout){0};
}
