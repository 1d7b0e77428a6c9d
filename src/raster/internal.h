/* internal.h: what the files of the rasterizer share: the frame's geometry, its bins, and the band
 * that a thread works on.
 *
 *   vertex.c     from world space to snapped screen vertices and the streams that shading reads
 *   front_*      the kernels of the vertices and of culling (front.h)
 *   clip.c       cuts triangles that cross the frustum or the guard band
 *   cull.c       finds the triangles that are drawn
 *   setup.c      a triangle's edges and depth plane
 *   bin.c        the triangles of each band; back-to-front order
 *   coverage.c   samples inside a triangle; the depth test
 *   cover_*      the kernels of both, and of lists of fragments whose alpha decides (cover.h)
 *   hidden.c     draws nearer triangles first, and skips hidden ones
 *   fragments.c  lists of visible fragments, their shading, resolve and encoding
 *   footprint.c  the finest texture levels that a frame can show
 *   lamps.c      boxes around triangles, for the lights that reach them
 *   blend.c      alpha-masked and transparent triangles
 *   abuffer.c    transparent triangles exactly: the fragments of each sample by depth; shares
 *   backdrop.c   the environment behind everything
 *   backplate.c  a picture behind everything
 *   target.c     all other targets: depth, ids, triangles, coverage
 *   surface.c    normals and base colours of visible surfaces
 *   band.c       a band, from clearing to the finished rows
 *   raster.c     the frame
 *
 * The room shade computes the colour of a fragment (shade/shade.h).
 */
#ifndef MRWI_RASTER_INTERNAL_H
#define MRWI_RASTER_INTERNAL_H

#include "base/memory.h"
#include "shade/shade.h"

typedef struct mrwi_raster_front_kernels mrwi_raster_front_kernels; /* front.h */

/* The guard band in pixels: the largest |x|, |y| of a snapped vertex. */
#define MRWI_RASTER_GUARD 16384

/* The depth range that is drawn, as distance from the eye plane: 1 / w and MRWI_RASTER_GUARD * w
 * stay finite. */
#define MRWI_RASTER_MIN_W 1e-30f
#define MRWI_RASTER_MAX_W 1e30f

/* ---- growing memory -------------------------------------------------------------------------- */

/* Memory that is kept between frames. It only grows, so a steady state allocates nothing. */
typedef struct mrwi_raster_buffer {
    void *data;
    size_t size; /* bytes */
} mrwi_raster_buffer;

/* Makes room for count elements, and keeps the first used_bytes. Returns false when out of memory.
 */
bool mrwi_raster_buffer_reserve(mrwi_raster_buffer *buffer, size_t used_bytes, size_t count,
                                size_t size);
void mrwi_raster_buffer_free(mrwi_raster_buffer *buffer);

/* ---- sample positions ------------------------------------------------------------------------ */

/* Returns the pattern of 1, 2, 4 or 8 samples. */
const mrwi_shade_sample_pattern *mrwi_raster_samples(uint32_t count);

/* ---- geometry of a frame --------------------------------------------------------------------- */

/* A vertex of the visibility stream: 16 bytes. A vertex outside the frustum's near or far plane or
 * the guard band has x = MRWI_RASTER_OUTSIDE and its outcode (clip.c) in y. */
typedef struct mrwi_raster_screen_vertex {
    int32_t x, y; /* sub-pixels; origin top left, y down */
    float z;      /* depth 0 ... 1 */
    float inv_w;
} mrwi_raster_screen_vertex;

#define MRWI_RASTER_OUTSIDE INT32_MIN

/* Half-open box in pixels. */
typedef struct mrwi_raster_box {
    int32_t x0, y0, x1, y1;
} mrwi_raster_box;

typedef enum mrwi_raster_layer {
    MRWI_RASTER_OPAQUE,
    MRWI_RASTER_MASK,
    MRWI_RASTER_BLEND,
    MRWI_RASTER_LAYERS
} mrwi_raster_layer;

/* Consecutive triangles of one layer. */
typedef struct mrwi_raster_run {
    uint32_t first, count;
    mrwi_raster_layer layer;
} mrwi_raster_run;

/* The mapping from the world to the samples of a picture. */
typedef struct mrwi_raster_view {
    mrw_mat4 world_to_pixel; /* to (x w, y w, z w, w) with x, y in pixels */
    int32_t width, height;
    const mrwi_shade_sample_pattern *pattern;
} mrwi_raster_view;

/* With more vertices than this in a frame, draws drop tiny triangles that cover no sample, and
 * vertices of no triangle. Those are most of them in crowds. */
#define MRWI_RASTER_MANY_VERTICES (1u << 20)

/* The vertices of all draws, one draw after another, as two streams plus optional ones. Clipping
 * appends more to those of a draw. */
typedef struct mrwi_raster_vertices {
    mrwi_raster_screen_vertex *screen;
    mrwi_shade_vertex *shade;                     /* NULL unless has_shade */
    float (*streams[MRWI_SHADE_STREAM_COUNT])[4]; /* NULL: not present; unset for draws without */
    uint32_t count;
    bool has_shade;   /* some fragment is shaded, or its alpha is looked up */
    bool packed;      /* unused vertices are dropped: there are MRWI_RASTER_MANY_VERTICES */
    uint32_t present; /* optional streams that some draw has, one bit each */
    mrwi_raster_buffer screen_buffer, shade_buffer, stream_buffers[MRWI_SHADE_STREAM_COUNT];
    mrwi_raster_buffer number_buffer; /* new numbers of the vertices of a draw */
} mrwi_raster_vertices;

/* The triangles that are kept; a triangle's number is its id. */
typedef struct mrwi_raster_kept {
    mrwi_shade_triangle *triangles;
    mrwi_raster_box *boxes; /* the pixels they may touch, parallel to triangles */
    /* With has_sources, parallel to triangles: the source triangle of each one or piece. */
    mrw_raster_source *sources;
    uint32_t count; /* the largest number plus one, gaps included */
    bool has_sources;
    mrwi_raster_buffer triangle_buffer, box_buffer, source_buffer;
} mrwi_raster_kept;

/* The numbers that are in use, ascending: with several threads there are gaps. */
typedef struct mrwi_raster_runs {
    mrwi_raster_run *list;
    uint32_t count;
    mrwi_raster_buffer buffer;
} mrwi_raster_runs;

/* The geometry of a frame. Its parts are made one after another; bands read them all. */
typedef struct mrwi_raster_geometry {
    const mrw_raster_draw *draws;
    mrwi_raster_view view;
    mrwi_raster_vertices vertices;
    mrwi_raster_kept kept;
    mrwi_raster_runs runs;
} mrwi_raster_geometry;

/* vertex.c: finds out which streams the job's draws need; the view's size and pattern are set.
 * Returns false when out of memory, like the functions below. */
bool mrwi_raster_begin_vertices(mrwi_raster_geometry *geometry, const mrw_raster_job *job);
/* Appends the vertices of a draw to the streams. */
bool mrwi_raster_transform_draw(mrwi_raster_geometry *geometry, const mrw_raster_job *job,
                                uint32_t number);
/* Drops the vertices from `first_vertex` on that no triangle from `first_triangle` on has, and
 * closes the gaps. */
bool mrwi_raster_pack_vertices(mrwi_raster_geometry *geometry, uint32_t first_vertex,
                               uint32_t first_triangle);
/* Makes room for count more vertices. Returns false when out of memory. */
bool mrwi_raster_reserve_vertices(mrwi_raster_vertices *vertices, uint32_t count);
/* Computes (x w, y w, z w, w) of a position, in pixels. Only this function does. */
void mrwi_raster_to_pixel(const mrwi_raster_view *view, const float *position, float out[4]);
/* Returns the outcode of such a point: one bit per plane, in clip.c's order; 0 if it is inside all.
 */
int32_t mrwi_raster_outcode(const float p[4]);

/* clip.c: clips a triangle with a vertex outside, and hands the pieces to mrwi_raster_add_triangle.
 * position[i] is the world position of vertex[i]. Returns false when out of memory. */
bool mrwi_raster_clip_triangle(mrwi_raster_geometry *geometry, const uint32_t vertex[3],
                               const float *const position[3], mrw_raster_source source);

/* ---- culling --------------------------------------------------------------------------------- */

/* cull.c: draw by draw, transforms the vertices, collects the triangles that may be visible in
 * geometry->kept and runs, and clips those that need it. Call it after mrwi_raster_begin_vertices.
 * Returns false when out of memory, or if the work must end. */
bool mrwi_raster_collect_triangles(mrwi_raster_geometry *geometry, const mrw_raster_job *job);
/* Appends a triangle inside the guard band, a piece of `source`, unless it is culled. Returns false
 * when out of memory. */
bool mrwi_raster_add_triangle(mrwi_raster_geometry *geometry, const uint32_t vertex[3],
                              mrw_raster_source source);
/* Finds the pixels in the viewport with a sample that the triangle may cover; false: there are
 * none. For tests. */
bool mrwi_raster_triangle_box(const mrwi_raster_geometry *geometry,
                              const mrwi_shade_triangle *triangle, mrwi_raster_box *box);

/* footprint.c: implements mrw_raster_finest_levels; the view's size and pattern are set. Returns
 * false when out of memory. */
bool mrwi_raster_find_levels(mrwi_raster_geometry *geometry, const mrw_raster_job *job,
                             uint32_t *levels);

/* Returns twice the signed area in sub-pixels; positive if clockwise on screen (y points down). */
static inline int64_t mrwi_raster_signed_area(const mrwi_raster_screen_vertex *a,
                                              const mrwi_raster_screen_vertex *b,
                                              const mrwi_raster_screen_vertex *c)
{
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
}

static inline int32_t mrwi_raster_min3(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a < b ? a : b;
    return m < c ? m : c;
}

static inline int32_t mrwi_raster_max3(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a > b ? a : b;
    return m > c ? m : c;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* The edge functions E_i(X, Y) = c + a X + b Y over sub-pixels, exact, biased by the top-left rule:
 * a point is covered if all three are >= 0. |a|, |b| <= 2^23, |c| < 2^47. */
typedef struct mrwi_raster_edges {
    int32_t a[3], b[3];
    int64_t c[3];
} mrwi_raster_edges;

/* A triangle ready for coverage. Depth at a sample is z0 + dy * zy + dx * zx, clamped to the
 * triangle's own range, with (dx, dy) counted from the corner of `box`. */
typedef struct mrwi_raster_setup {
    mrwi_raster_edges edges;
    mrwi_raster_box box; /* clipped to the viewport, never to a band */
    float z0, zx, zy;
    float z_min, z_max;
} mrwi_raster_setup;

/* setup.c: sets up a triangle. */
void mrwi_raster_setup_triangle(const mrwi_raster_geometry *geometry,
                                const mrwi_shade_triangle *triangle, const mrwi_raster_box *box,
                                mrwi_raster_setup *setup);

static inline float mrwi_raster_nearest_corner(const mrwi_raster_geometry *geometry, uint32_t id)
{
    const uint32_t *vertex = geometry->kept.triangles[id].vertex;
    const float a = geometry->vertices.screen[vertex[0]].z,
                b = geometry->vertices.screen[vertex[1]].z;
    const float c = geometry->vertices.screen[vertex[2]].z, ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static inline bool mrwi_raster_covers(const mrwi_raster_edges *e, int64_t x, int64_t y)
{
    return ((e->c[0] + e->a[0] * x + e->b[0] * y) | (e->c[1] + e->a[1] * x + e->b[1] * y) |
            (e->c[2] + e->a[2] * x + e->b[2] * y)) >= 0;
}

/* ---- bins ------------------------------------------------------------------------------------ */

/* The memory of bins, and of sorting them. */
typedef struct mrwi_raster_bin_buffers {
    mrwi_raster_buffer first, ids, bounds, keys;
} mrwi_raster_bin_buffers;

/* The most transparent fragments of a band, and the most of them that meet at a pixel. */
typedef struct mrwi_raster_most {
    size_t fragments, active;
} mrwi_raster_most;

/* Triangle numbers by band and layer: ids[first[band * MRWI_RASTER_LAYERS + layer] ...]. Opaque
 * ones are in draw order, masked ones roughly front to back, transparent ones back to front. */
typedef struct mrwi_raster_bins {
    int32_t band_rows;
    int32_t band_count;
    uint64_t *first; /* band_count * MRWI_RASTER_LAYERS + 1 */
    uint32_t *ids;
    /* The pixels that triangles may touch, per band; empty if x0 >= x1. */
    mrwi_raster_box *bounds;
    uint64_t pixels[MRWI_RASTER_LAYERS]; /* sum over the boxes of a layer */
    bool masks;                          /* some triangle is masked */
    bool blends;                         /* some triangle is transparent */
    mrwi_raster_most most;               /* set with blends: see mrwi_raster_bound_fragments */
    mrwi_raster_bin_buffers buffers;
} mrwi_raster_bins;

/* Sorts the triangles into bands. Returns false when out of memory, or if the work must end. */
bool mrwi_raster_bin_triangles(mrwi_raster_bins *bins, const mrwi_raster_geometry *geometry,
                               int32_t band_rows);

/* ---- bands ----------------------------------------------------------------------------------- */

struct mrwi_raster_band;

/* The depth and triangle of a band's samples: sample s of pixel (x, y) is at ((y - y0) * samples +
 * s) * stride + x. */
typedef struct mrwi_raster_visibility {
    float *z;
    int32_t *id; /* NULL: only the depths of opaque triangles are wanted */
    size_t stride;
    uint32_t samples; /* samples per pixel */
    int32_t y0, y1;   /* the band's rows */
} mrwi_raster_visibility;

static inline size_t mrwi_raster_sample_index(const mrwi_raster_visibility *seen, int32_t y,
                                              uint32_t sample)
{
    return ((size_t)(y - seen->y0) * seen->samples + sample) * seen->stride;
}

/* The samples that transparent fragments would win, whatever their alpha. */
typedef struct mrwi_raster_candidates {
    uint32_t pixel[MRWI_SHADE_LIST_MAX];                  /* (y - y0) * pitch + x */
    uint32_t mask[MRWI_SHADE_LIST_MAX];                   /* one bit per sample */
    float z[MRWI_SHADE_MAX_SAMPLES][MRWI_SHADE_LIST_MAX]; /* set with with_z only */
    uint32_t pitch;
    bool with_z;
    void (*flush)(const struct mrwi_raster_band *band); /* empties the list */
    const struct mrwi_raster_band *band;
} mrwi_raster_candidates;

/* Samples that masked fragments may win, depending on alpha. */
typedef struct mrwi_raster_mask_samples {
    mrwi_shade_fragments at;
    uint32_t place[MRWI_SHADE_LIST_ROOM]; /* index of the sample in what is visible */
    float z[MRWI_SHADE_LIST_ROOM];
} mrwi_raster_mask_samples;

/* Buffers that a thread fills and empties again and again. */
typedef struct mrwi_raster_scratch {
    _Alignas(64) float rgba[MRWI_SHADE_LIST_ROOM + 1][4]; /* colours of fragments */
    mrwi_shade_fragments fragments;
    mrwi_shade_pixels pixels;
    mrwi_raster_candidates candidates;
    mrwi_raster_mask_samples mask_samples[MRWI_SHADE_MAX_SAMPLES];
    float *farthest;      /* hidden.c: depths of blocks of the band */
    float (*row)[4];      /* the current resolved row, if something transparent is shaded */
    float (*backdrop)[4]; /* backdrop.c: a row of it, if the frame has one */
} mrwi_raster_scratch;

/* The transparent fragments of a band that are kept: see abuffer.c. */
typedef struct mrwi_raster_kept_fragments {
    float *colors; /* colours of fragments, each with the depths of its samples */
    struct mrwi_raster_fragment_run *runs; /* from number 1 on */
    uint32_t count, room;                  /* fragments */
    uint32_t run_count;
    bool full;      /* there was no room for a fragment */
    bool any_solid; /* some of those kept last are opaque */
} mrwi_raster_kept_fragments;

/* The runs of kept fragments in the order of a sweep over the band's pixels: see abuffer.c. */
typedef struct mrwi_raster_sweep {
    struct mrwi_raster_fragment_run *sorted; /* all runs, by their first pixels */
    uint32_t *first; /* first sorted run of each pixel, and one more entry */
    /* Runs at the current pixel, and at one of its samples. */
    struct mrwi_raster_active_run *active, *of_sample;
} mrwi_raster_sweep;

/* Everything about the transparent fragments of a band. Fragments are kept first; then a sweep
 * reads them. */
typedef struct mrwi_raster_abuffer {
    mrwi_raster_kept_fragments kept;
    mrwi_raster_sweep sweep;
    mrwi_raster_buffer memory;
} mrwi_raster_abuffer;

/* The shares of a pixel, if the job wants them. */
typedef struct mrwi_raster_share_list {
    int worker; /* index of the thread, for the receiver of shares */
    mrw_raster_share *items;
    uint32_t *places; /* 1 + index in the list, per draw; 0: not in it */
    uint32_t count;
} mrwi_raster_share_list;

/* A band that is drawn. The struct itself is constant meanwhile. Functions write only to what it
 * points to, in the memory of the thread that draws it (mrwi_raster_worker), and to the frame's
 * targets. */
typedef struct mrwi_raster_band {
    const struct mrwi_raster_frame *frame; /* with only those lights that reach the band */
    mrwi_raster_box box;                   /* the whole band */
    mrwi_raster_box touch;                 /* the part that triangles may touch */
    mrwi_raster_visibility seen;
    /* Colours of all samples, if something transparent is shaded: ((y - box.y0) * width + x) *
     * samples + s. */
    float (*samples)[4];
    mrwi_raster_scratch *scratch;
    mrwi_raster_abuffer *abuffer;
} mrwi_raster_band;

/* The memory of a thread that draws bands, laid out for one frame. */
typedef struct mrwi_raster_worker {
    mrwi_raster_buffer memory; /* the block that everything below points into */
    const struct mrwi_raster_frame *frame;
    struct mrwi_raster_frame *own; /* room for a copy of the frame with fewer lights */
    mrwi_shade_lamps lamps;        /* with frame->shade.lamps: room for a band's lights */
    mrwi_raster_visibility seen;   /* memory for the samples of a band; rows are not set */
    float (*samples)[4];           /* room for mrwi_raster_band.samples */
    mrwi_raster_scratch *scratch;
    mrwi_raster_abuffer abuffer; /* has a block of its own */
    mrwi_raster_share_list shares;
    uint32_t sorted_bands; /* bands of this frame that had too many transparent fragments */
} mrwi_raster_worker;

/* The background of a frame, behind everything it draws. */
typedef struct mrwi_raster_background {
    bool backdrop;          /* the environment is seen: backdrop.c */
    const mrw_image *plate; /* the picture that is seen: backplate.c; NULL: none */
    float exposure;         /* factor of linear colours */
    float linear[4];        /* background of linear colours */
    float color[4];         /* background of the colour target */
    const uint8_t *row;     /* an encoded row of it */
    bool is_deep;           /* 16 bits per channel: all pixels go through samples and rows */
    mrwi_shade_deep_background deep;
} mrwi_raster_background;

/* The data that all bands of a frame share, read-only. */
typedef struct mrwi_raster_frame {
    const mrw_raster_job *job;
    const mrwi_shade_kernels *kernels;
    mrw_isa isa; /* resolved, for all kernels but those of shading */
    const mrwi_raster_geometry *geometry;
    const mrwi_raster_bins *bins;
    mrwi_shade_frame shade;
    mrwi_shade_shadow shadows[MRW_SHADOW_LIGHTS];
    bool shaded; /* colours or their alpha are wanted: the job has one of color, linear, alpha */
    const mrw_target *color, *linear, *alpha;
    const mrw_target *coverage; /* NULL: not wanted */
    /* The targets of surfaces, and how they are shaded; NULL if not wanted. */
    const mrw_target *normal, *albedo;
    const mrwi_shade_frame *normal_shade, *albedo_shade;
    mrwi_raster_background background;
} mrwi_raster_frame;

/* Returns true if the transparent fragments of a band are wanted by depth. */
static inline bool mrwi_raster_keeps_fragments(const mrwi_raster_frame *frame)
{
    return frame->shaded || frame->job->shares;
}

/* lamps.c: finds the lights that reach any triangle of the frame, or keeps those of them that reach
 * some triangle of a band. Vertices have positions; `out` is placed in memory for all lights. */
void mrwi_raster_lamps_of_frame(const mrw_lighting *lighting, const mrwi_raster_geometry *geometry,
                                mrwi_shade_lamps *out);
void mrwi_raster_lamps_of_band(const mrwi_shade_lamps *all, const mrwi_raster_geometry *geometry,
                               const uint32_t *ids, uint32_t count, mrwi_shade_lamps *out);

/* Returns true if (z, id) wins a sample. The winner is the smallest (depth, id): a total order, so
 * that no order of processing shows. */
static inline bool mrwi_raster_wins(float z, int32_t id, float old_z, int32_t old_id)
{
    return z < old_z || (z == old_z && id < old_id);
}

/* Returns the depth at a sample; dx, dy from the corner of setup->box. Coverage of whole rows
 * repeats these operations in lanes. */
static inline float mrwi_raster_depth(const mrwi_raster_setup *t, float dx, float dy)
{
    float z = (t->z0 + dy * t->zy) + dx * t->zx;
    z = z > t->z_min ? z : t->z_min; /* never - 0.0 */
    return z > t->z_max ? t->z_max : z;
}

/* coverage.c: calls visit for each pixel of the band of which the triangle covers a sample, rows
 * from the top, left to right. */
typedef void (*mrwi_raster_pixel_visitor)(void *user, const mrwi_raster_setup *setup, int32_t x,
                                          int32_t y, uint32_t mask);
void mrwi_raster_visit_pixels(const mrwi_shade_sample_pattern *pattern,
                              const mrwi_raster_visibility *band, const mrwi_raster_setup *setup,
                              mrwi_raster_pixel_visitor visit, void *user);

/* hidden.c: depth-tests the triangles of a list into the band, without those that are hidden. */
void mrwi_raster_cover_opaque(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count);
/* Returns the length of mrwi_raster_scratch.farthest. */
size_t mrwi_raster_block_count(size_t width, size_t rows);

/* fragments.c: returns the list of gathered fragments, padded. */
mrwi_shade_list mrwi_raster_fragment_list(mrwi_shade_fragments *fragments);
/* Shades the band's visible opaque and masked fragments and writes them to the colour target, which
 * holds the background. */
void mrwi_raster_shade_rows(const mrwi_raster_band *band);
/* Do the same in two steps, between which transparent triangles are blended. */
void mrwi_raster_shade_samples(const mrwi_raster_band *band);
void mrwi_raster_resolve_samples(const mrwi_raster_band *band);

/* surface.c: writes the band's targets of normals and albedos, which are cleared. */
void mrwi_raster_write_surfaces(const mrwi_raster_band *band);
/* Calls sink with lists of the fragments that are visible at the first sample of each pixel, placed
 * at its centre. Pixels are numbered by rows of the frame's width. */
void mrwi_raster_visit_centers(const mrwi_raster_band *band,
                               void (*sink)(const mrwi_raster_band *band));

/* backdrop.c: fills the band's rows of the colour targets, encoded and linear, with the backdrop.
 */
void mrwi_raster_draw_backdrop(const mrwi_raster_band *band);
/* Puts premultiplied pixels x ... x + count - 1 of a row over the backdrop: they become opaque. */
void mrwi_raster_put_over_backdrop(const mrwi_raster_band *band, int32_t x, int32_t y,
                                   uint32_t count, float (*rgba)[4]);

/* backplate.c: fills the band's rows of the colour targets, encoded and linear, with the picture.
 */
void mrwi_raster_draw_plate(const mrwi_raster_band *band);
/* Writes those of the premultiplied pixels x ... x + count - 1 of a row that show something, over
 * the picture, to the colour target and to that of linear colours. The targets hold the picture. */
void mrwi_raster_put_over_plate(const mrwi_raster_band *band, int32_t x, int32_t y, uint32_t count,
                                const float (*rgba)[4]);

/* blend.c: depth-tests masked triangles into the band where their alpha passes. */
void mrwi_raster_cover_masked(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count);
/* Blends whole transparent triangles over the band's samples, if there is a colour target; marks
 * the pixels they change in the coverage target, if there is one. */
void mrwi_raster_blend_triangles(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count);

/* abuffer.c: finds the largest number of transparent fragments of a band, up to
 * MRW_RASTER_FRAGMENTS_MAX, and of a pixel. */
void mrwi_raster_bound_fragments(const mrwi_raster_geometry *geometry, mrwi_raster_bins *bins);
/* Allocates memory for bands of so many pixels, within the bounds of the bins. Returns false when
 * out of memory. */
bool mrwi_raster_abuffer_prepare(mrwi_raster_abuffer *abuffer, size_t pixels, uint32_t samples,
                                 const mrwi_raster_bins *bins);
/* Blends transparent triangles over the band's samples, exactly. ids: roughly far to near.
 * Overwrites the visible samples. Returns false if they have too many fragments; then nothing is
 * blended. */
bool mrwi_raster_blend_fragments(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count);
/* Hands the shares of the band's pixels to job->shares->take, in `list`, which is empty before and
 * after. ids: the transparent triangles, roughly far to near. Overwrites the visible samples. */
void mrwi_raster_share_band(const mrwi_raster_band *band, mrwi_raster_share_list *list,
                            const uint32_t *ids, uint32_t count);

/* target.c: returns true if all targets can be written. For assertions. */
bool mrwi_raster_targets_fit(const mrw_raster_job *job);
/* Returns the job's target of a kind, or NULL. */
const mrw_target *mrwi_raster_target_find(const mrw_raster_job *job, mrw_target_kind kind);
/* Writes resolved colours to the target of linear ones. */
void mrwi_raster_store_linear(const mrwi_raster_frame *frame, const float (*rgba)[4],
                              uint32_t count, float *out);
/* Returns true if colours or their alpha are made for any target. */
bool mrwi_raster_targets_are_shaded(const mrw_raster_job *job);
/* Returns true if attributes are wanted at the centres of pixels. */
bool mrwi_raster_targets_show_surfaces(const mrw_raster_job *job);
/* Returns a row of a target. */
static inline void *mrwi_raster_target_row(const mrw_target *target, int32_t y)
{
    return (uint8_t *)target->data + (size_t)y * target->stride;
}
/* Returns true if transparent triangles show in any target, or have shares. */
bool mrwi_raster_targets_show_blended(const mrw_raster_job *job);
/* Fills the band's rows of all targets with the background. */
void mrwi_raster_clear_targets(const mrwi_raster_band *band);
/* Writes the results of coverage to all targets but that of colour. They are cleared. */
void mrwi_raster_write_targets(const mrwi_raster_band *band);

/* Shading a list of fragments takes about so many units of work, per light too. */
#define MRWI_RASTER_LIST_UNITS ((uint64_t)MRWI_SHADE_LIST_MAX * 100)

/* ---- a band, a frame ------------------------------------------------------------------------- */

/* The rows of a band. 8 to 64 differ by 5 % at 1280 pixels, 1 and 4 samples; fewer rows share small
 * pictures better, more rows repeat less set-up. */
#define MRWI_RASTER_BAND_ROWS 32

/* The rows of a band in frames with something transparent: the kept data of a band is then nearer
 * in the caches, which saves 5 to 8 % of the whole with many layers. */
#define MRWI_RASTER_BLEND_ROWS 8

/* The memory of all threads. */
typedef struct mrwi_raster_workers {
    mrwi_raster_worker *items;
    int count;
    mrwi_raster_buffer buffer;
} mrwi_raster_workers;

/* band.c: prepares at least count workers for a frame. Returns false when out of memory. */
bool mrwi_raster_prepare_workers(mrwi_raster_workers *workers, const mrwi_raster_frame *frame,
                                 int count);
void mrwi_raster_free_workers(mrwi_raster_workers *workers);
/* Draws band `index` with the worker's memory: an mrwi_base_parallel_body. user: the items of
 * mrwi_raster_workers. */
void mrwi_raster_draw_band(void *user, int64_t index, int worker);

/* Does the work of mrw_raster_draw_frame with the given shading kernels and bands of band_rows rows
 * (0: the default). */
mrw_status mrwi_raster_draw(mrw_raster *raster, const mrw_raster_job *job,
                            const mrwi_shade_kernels *kernels, int32_t band_rows, mrw_error *error);

#endif
