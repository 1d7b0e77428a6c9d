/* overlay.c: overlays, drawn over a picture in the order in which they cover each other, and those
 * of surfaces and text. */
#include "frame/overlay.h"

#include "base/math.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

static const char *const names[MRW_OVERLAY_COUNT] = {
    [MRW_OVERLAY_GRID] = "grid",         [MRW_OVERLAY_WIRE] = "wire",
    [MRW_OVERLAY_NORMALS] = "normals",   [MRW_OVERLAY_BOUNDS] = "bounds",
    [MRW_OVERLAY_FRUSTUM] = "frustum",   [MRW_OVERLAY_AXES] = "axes",
    [MRW_OVERLAY_SKELETON] = "skeleton", [MRW_OVERLAY_NAMES] = "names",
    [MRW_OVERLAY_LABEL] = "label"};

const char *mrw_overlay_name(mrw_overlay overlay)
{
    assert((unsigned)overlay < MRW_OVERLAY_COUNT);
    return names[overlay];
}

static bool has(const mrw_frame_def *def, mrw_overlay overlay)
{
    return (def->overlays >> overlay & 1) != 0;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

static void position_of(const float *stream, size_t vertex, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)stream[4 * vertex + (size_t)i];
    }
}

/* An edge, drawn with the largest alpha that its triangles ask for. */
typedef struct edge {
    uint32_t a, b; /* vertices, a < b */
    double alpha;  /* above 0 */
} edge;

/* Edges in the order of triangles, each once; a hash table leads to them. */
typedef struct edge_list {
    edge *items;
    uint32_t count;
    uint32_t *table; /* 1 + an index in items; 0: free */
    uint32_t mask;
} edge_list;

static void note_edge(edge_list *edges, uint32_t a, uint32_t b, double alpha)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t at = (low * 2654435761u ^ high * 2246822519u) & edges->mask;
    for (; edges->table[at] != 0; at = (at + 1) & edges->mask) {
        edge *known = &edges->items[edges->table[at] - 1];
        if (known->a == low && known->b == high) {
            known->alpha = alpha > known->alpha ? alpha : known->alpha;
            return;
        }
    }
    edges->items[edges->count++] = (edge){low, high, alpha};
    edges->table[at] = edges->count;
}

/* Returns the alpha of a triangle's edges, like --shading wire: 0 for a height of one unit, 1 from
 * four units on, and 1 for triangles that reach behind the eye. */
static double strength_of(const mrwi_frame_overlay *overlay, const mrw_raster_draw *draw,
                          const uint32_t corners[3])
{
    double pixel[3][3], longest = 0.0;
    for (int c = 0; c < 3; c++) {
        double at[3];
        position_of(draw->positions, corners[c], at);
        if (!mrwi_frame_overlay_project(overlay, at, pixel[c])) {
            return 1.0;
        }
    }
    for (int c = 0; c < 3; c++) {
        const double x = pixel[(c + 1) % 3][0] - pixel[c][0];
        const double y = pixel[(c + 1) % 3][1] - pixel[c][1];
        longest = x * x + y * y > longest ? x * x + y * y : longest;
    }
    const double area = fabs((pixel[1][0] - pixel[0][0]) * (pixel[2][1] - pixel[0][1]) -
                             (pixel[1][1] - pixel[0][1]) * (pixel[2][0] - pixel[0][0]));
    const double strength =
        ((longest > 0.0 ? area / sqrt(longest) : 0.0) / overlay->unit - 1.0) / 3.0;
    return strength < 1.0 ? strength : 1.0;
}

/* Returns the size of a hash table for this many edges: a power of two, at least half of it free.
 */
static size_t table_size(size_t edges)
{
    size_t size = 4;
    while (size < 2 * edges) {
        size *= 2;
    }
    return size;
}

/* Adds the edges of a draw. The lists have room for the largest draw; only the part of the table
 * that this draw needs is cleared. */
static void draw_edges(mrwi_frame_overlay *overlay, const mrw_raster_draw *draw, edge_list *edges)
{
    edges->mask = (uint32_t)(table_size(3 * (size_t)draw->triangle_count) - 1);
    memset(edges->table, 0, ((size_t)edges->mask + 1) * sizeof *edges->table);
    edges->count = 0;
    for (uint32_t t = 0; t < draw->triangle_count; t++) {
        const uint32_t *corners = draw->indices + 3 * (size_t)t;
        const double alpha = strength_of(overlay, draw, corners);
        for (int c = 0; c < 3 && alpha > 0.0; c++) {
            note_edge(edges, corners[c], corners[(c + 1) % 3], alpha);
        }
    }
    for (uint32_t i = 0; i < edges->count; i++) {
        const edge *e = &edges->items[i];
        mrwi_frame_overlay_line line = {.alpha = {e->alpha, e->alpha}};
        position_of(draw->positions, e->a, line.at[0]);
        position_of(draw->positions, e->b, line.at[1]);
        mrwi_frame_overlay_add(overlay, &line, 0.5 * overlay->unit);
    }
}

static mrw_status draw_wire(mrwi_base_arena *arena, mrwi_frame_overlay *overlay, mrw_error *error)
{
    const mrwi_frame_posed *posed = overlay->picture->posed;
    size_t most = 1;
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        const size_t count = 3 * (size_t)posed->draws[d].triangle_count;
        most = count > most ? count : most;
    }
    edge_list edges = {.items = mrwi_base_arena_alloc(arena, most, sizeof *edges.items),
                       .table =
                           mrwi_base_arena_alloc(arena, table_size(most), sizeof *edges.table)};
    if (!edges.items || !edges.table) {
        return mrwi_base_fail_memory(error, most * sizeof *edges.items);
    }
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        draw_edges(overlay, &posed->draws[d], &edges);
    }
    mrwi_overlay_blend(&overlay->canvas, (mrwi_overlay_color){38, 118, 235, 255});
    return MRW_OK;
}

/* Adds the normals of a draw. */
static void add_normals(mrwi_frame_overlay *overlay, const mrw_raster_draw *draw, double length,
                        double radius)
{
    for (uint32_t v = 0; v < draw->vertex_count; v++) {
        mrwi_frame_overlay_line line = {.alpha = {1.0, 1.0}};
        double normal[3];
        position_of(draw->positions, v, line.at[0]);
        position_of(draw->normals, v, normal);
        for (int i = 0; i < 3; i++) {
            line.at[1][i] = line.at[0][i] + length * normal[i];
        }
        mrwi_frame_overlay_add(overlay, &line, radius);
    }
}

/* Half the width of the thinnest normals, in pixels. */
#define THINNEST_NORMAL 0.2

/* Draws the normals of all draws. Their width is a share of the picture, like their length: lines
 * of a whole pixel in a small picture would hide the model. Lines below THINNEST_NORMAL would be
 * too pale to see. */
static void draw_normals(mrwi_frame_overlay *overlay)
{
    const mrw_raster_draw *draw = overlay->picture->posed->draws;
    const double share = 0.5 * overlay->share;
    const double radius = share > THINNEST_NORMAL ? share : THINNEST_NORMAL;
    for (uint32_t i = 0; i < overlay->picture->posed->poses.count; i++) {
        const mrwi_frame_pose *pose = &overlay->picture->posed->poses.items[i];
        const mrwi_frame_overlay_box box = mrwi_frame_overlay_measure(pose, draw);
        for (uint32_t d = 0; d < pose->scene->draws_count; d++, draw++) {
            add_normals(overlay, draw, 0.02 * mrwi_frame_overlay_size(&box), radius);
        }
    }
    mrwi_overlay_blend(&overlay->canvas, (mrwi_overlay_color){226, 30, 130, 255});
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Box of text, in pixels. */
typedef struct text_box {
    double x0, y0, x1, y1;
} text_box;

static bool is_free(const mrw_image *image, const text_box *box, const text_box *taken,
                    uint32_t count)
{
    bool free =
        box->x0 >= 0.0 && box->y0 >= 0.0 && box->x1 <= image->width && box->y1 <= image->height;
    for (uint32_t i = 0; i < count && free; i++) {
        free = box->x1 < taken[i].x0 || taken[i].x1 < box->x0 || box->y1 < taken[i].y0 ||
               taken[i].y1 < box->y0;
    }
    return free;
}

/* Draws a name to the right or left of its joint, wherever there is room. Returns true if it was
 * drawn in *box. */
static bool draw_name(mrwi_frame_overlay *overlay, const double at[3], const char *name,
                      const text_box *taken, uint32_t count, text_box *box)
{
    const double size = mrwi_frame_overlay_text_size(overlay), unit = overlay->unit;
    const double width = mrwi_overlay_text_width(name, size);
    double pixel[3];
    if (width <= 0.0 || !mrwi_frame_overlay_project(overlay, at, pixel)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        const double x = side == 0 ? pixel[0] + 6.0 * unit : pixel[0] - 6.0 * unit - width;
        const double y = pixel[1] + 0.5 * size;
        *box = (text_box){x - 2.0 * unit, y - size - 2.0 * unit, x + width + 2.0 * unit,
                          y + size / 3.0 + 2.0 * unit};
        if (is_free(overlay->canvas.image, box, taken, count)) {
            mrwi_frame_overlay_text(overlay, x, y, name, (mrwi_overlay_color){255, 255, 255, 255});
            return true;
        }
    }
    return false;
}

/* Draws the names of joints, parents first. "mixamorig:Hips" becomes "Hips". */
static mrw_status draw_names(mrwi_base_arena *arena, mrwi_frame_overlay *overlay, mrw_error *error)
{
    const mrwi_frame_poses *poses = &overlay->picture->posed->poses;
    size_t total = 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->items[i].scene->nodes_count;
    }
    text_box *taken = mrwi_base_arena_alloc(arena, total, sizeof *taken);
    for (uint32_t i = 0; i < poses->count && taken; i++) {
        const mrwi_frame_pose *pose = &poses->items[i];
        const mrw_scene *scene = pose->scene;
        const bool *joints = mrwi_frame_overlay_joints(arena, scene);
        for (uint32_t n = 0; n < scene->nodes_count && joints; n++) {
            const float *m = pose->placed[n].m + 12;
            const double at[3] = {(double)m[0], (double)m[1], (double)m[2]};
            const char *name = mrw_scene_string(scene, scene->nodes[n].name);
            if (joints[n] && draw_name(overlay, at, mrwi_base_without_namespace(name), taken, count,
                                       &taken[count])) {
                count++;
            }
        }
        taken = joints ? taken : NULL;
    }
    return taken ? MRW_OK : mrwi_base_fail_memory(error, total * sizeof *taken);
}

/* Draws the label on a plate in the lower left corner. Text that is too wide is drawn smaller. */
static void draw_label(mrwi_frame_overlay *overlay, const char *text)
{
    const mrw_image *image = overlay->canvas.image;
    const double unit = overlay->unit, border = 6.0 * unit;
    const double room = image->width - 4.0 * border;
    double size = mrwi_frame_overlay_text_size(overlay);
    double width = mrwi_overlay_text_width(text, size);
    if (width > room && room > 0.0) {
        size *= room / width;
        width = room;
    }
    const double y = floor(image->height - 2.0 * border) - 0.5, x = floor(2.0 * border) + 0.5;
    const double left = x - border, right = x + width + border, top = y - size - 0.8 * border,
                 bottom = y + 0.8 * border;
    mrwi_overlay_add_polygon(
        &overlay->canvas,
        &(mrwi_overlay_polygon){.count = 4,
                                .at = {{left, top}, {right, top}, {right, bottom}, {left, bottom}},
                                .alpha = 0.85});
    mrwi_overlay_blend(&overlay->canvas, mrwi_frame_overlay_dark);
    mrwi_overlay_add_text(
        &overlay->canvas,
        &(mrwi_overlay_text){.x = x, .y = y, .size = size, .radius = 0.6 * unit, .alpha = 1.0},
        text);
    mrwi_overlay_blend(&overlay->canvas, (mrwi_overlay_color){255, 255, 255, 255});
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Draws the depths of opaque and masked surfaces at pixels' centres; infinite without a surface. */
static mrw_status draw_depths(mrwi_frame_scratch *scratch, const mrwi_frame_picture *picture,
                              const float **out, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const size_t pixels = (size_t)def->width * def->height;
    mrw_raster_job job = mrwi_frame_raster_job(def, &picture->camera);
    float *depths = mrwi_base_arena_alloc(&scratch->arena, pixels, sizeof *depths);
    if (!depths) {
        return mrwi_base_fail_memory(error, pixels * sizeof *depths);
    }
    const mrw_target target = {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, depths,
                               def->width * sizeof *depths};
    job.draws = picture->posed->draws;
    job.draw_count = picture->posed->draw_count;
    job.targets = &target;
    job.target_count = 1;
    job.samples = 1;
    job.isa = scratch->isa;
    job.threads = picture->threads;
    mrw_status status = mrw_raster_draw_frame(scratch->raster, &job, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < pixels; i++) {
        depths[i] = depths[i] < 1.0f ? depths[i] : INFINITY;
    }
    *out = depths;
    return MRW_OK;
}

/* Finds the box of the sequence if it is known, else of the frame. */
static void find_box(mrwi_frame_overlay *overlay)
{
    const mrw_frame_def *def = overlay->picture->def;
    const mrwi_frame_posed *posed = overlay->picture->posed;
    const mrw_raster_draw *draws = posed->draws;
    mrwi_frame_overlay_box *box = &overlay->box;
    for (int i = 0; i < 3; i++) {
        box->low[i] = def->has_bounds ? (double)def->bounds.min[i] : DBL_MAX;
        box->high[i] = def->has_bounds ? (double)def->bounds.max[i] : -DBL_MAX;
    }
    for (uint32_t p = 0; p < posed->poses.count && !def->has_bounds; p++) {
        const mrwi_frame_pose *pose = &posed->poses.items[p];
        const mrwi_frame_overlay_box one = mrwi_frame_overlay_measure(pose, draws);
        draws += pose->scene->draws_count;
        for (int i = 0; i < 3; i++) {
            box->low[i] = one.low[i] < box->low[i] ? one.low[i] : box->low[i];
            box->high[i] = one.high[i] > box->high[i] ? one.high[i] : box->high[i];
        }
    }
    overlay->size = mrwi_frame_overlay_size(box);
}

/* Draws the overlays in the order of mrw_overlay: later ones cover earlier ones. */
static mrw_status draw_all(mrwi_base_arena *arena, mrwi_frame_overlay *overlay, mrw_error *error)
{
    const mrw_frame_def *def = overlay->picture->def;
    const mrwi_frame_poses *poses = &overlay->picture->posed->poses;
    mrw_status status = MRW_OK;
    overlay->on_surface = true;
    if (has(def, MRW_OVERLAY_GRID)) { /* it may lie on a ground, and below the model */
        overlay->tested = def->overlay_depth || !def->overlay_alone;
        status = mrwi_frame_overlay_grid(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    overlay->tested = def->overlay_depth;
    if (has(def, MRW_OVERLAY_WIRE)) {
        status = draw_wire(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    if (has(def, MRW_OVERLAY_NORMALS)) {
        draw_normals(overlay);
    }
    overlay->on_surface = false;
    if (has(def, MRW_OVERLAY_BOUNDS)) {
        status = mrwi_frame_overlay_bounds(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    if (has(def, MRW_OVERLAY_FRUSTUM)) {
        status = mrwi_frame_overlay_frustums(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    if (has(def, MRW_OVERLAY_AXES)) {
        status = mrwi_frame_overlay_axes(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < poses->count && has(def, MRW_OVERLAY_SKELETON); i++) {
        status = mrwi_frame_overlay_skeleton(arena, overlay, &poses->items[i], error);
        if (status) {
            return status;
        }
    }
    if (has(def, MRW_OVERLAY_NAMES)) {
        status = draw_names(arena, overlay, error);
        if (status) {
            return status;
        }
    }
    if (has(def, MRW_OVERLAY_LABEL) && def->label) {
        draw_label(overlay, def->label);
    }
    return MRW_OK;
}

mrw_status mrwi_frame_draw_overlays(mrwi_frame_scratch *scratch, const mrwi_frame_picture *picture,
                                    mrw_image *image, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const size_t pixels = (size_t)def->width * def->height;
    const bool tests = def->overlay_depth || (has(def, MRW_OVERLAY_GRID) && !def->overlay_alone);
    mrwi_frame_overlay overlay = {.picture = picture};
    const float *depths = NULL;
    float *mask = mrwi_base_arena_alloc(&scratch->arena, pixels, sizeof *mask);
    if (!mask) {
        return mrwi_base_fail_memory(error, pixels * sizeof *mask);
    }
    if (tests) {
        mrw_status status = draw_depths(scratch, picture, &depths, error);
        if (status) {
            return status;
        }
    }
    memset(mask, 0, pixels * sizeof *mask);
    mrwi_overlay_begin(image, depths, mask, &overlay.canvas);
    mrwi_frame_overlay_look(&overlay);
    find_box(&overlay);
    return draw_all(&scratch->arena, &overlay, error);
}
