/* raster.c: one frame, from triangles to pixels. mrwi_raster_draw() leads through it,
 * mrwi_raster_draw_band() in band.c through a band. */
#include "raster/internal.h"
#include "shade/texture.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <string.h>

struct mrw_raster {
    mrwi_raster_geometry geometry;
    mrwi_raster_bins bins;
    mrwi_raster_buffer background_row;
    mrwi_raster_buffer lights, lamps_buffer;
    mrwi_shade_lamps lamps;
    mrwi_shade_frame surfaces[2];
    mrwi_raster_workers workers;
    uint32_t sorted_bands; /* bands of the last frame */
};

mrw_status mrw_raster_create(mrw_raster **out, mrw_error *error)
{
    *out = mrwi_base_alloc_zero(1, sizeof(mrw_raster));
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof(mrw_raster));
}

void mrw_raster_free(mrw_raster *raster)
{
    if (!raster) {
        return;
    }
    mrwi_raster_free_workers(&raster->workers);
    mrwi_raster_buffer *const buffers[] = {
        &raster->geometry.vertices.screen_buffer,
        &raster->geometry.vertices.shade_buffer,
        &raster->geometry.vertices.number_buffer,
        &raster->geometry.kept.triangle_buffer,
        &raster->geometry.kept.box_buffer,
        &raster->bins.buffers.first,
        &raster->bins.buffers.ids,
        &raster->bins.buffers.bounds,
        &raster->bins.buffers.keys,
        &raster->background_row,
        &raster->lights,
        &raster->lamps_buffer,
        &raster->geometry.kept.source_buffer,
        &raster->geometry.runs.buffer,
    };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        mrwi_raster_buffer_free(buffers[i]);
    }
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        mrwi_raster_buffer_free(&raster->geometry.vertices.stream_buffers[k]);
    }
    mrwi_base_free(raster);
}

/* ---- what all fragments share ---------------------------------------------------------------- */

/* Sets the constants of shading. lights: room for all of the job's lights. */
static void set_shade_frame(mrwi_raster_frame *frame, mrwi_shade_light *lights)
{
    const mrwi_raster_geometry *geometry = frame->geometry;
    const mrw_raster_job *job = frame->job;
    frame->shade = (mrwi_shade_frame){
        .vertices = geometry->vertices.shade,
        .triangles = geometry->kept.triangles,
        .draws = job->draws,
        .lighting = job->lighting,
        .lights = lights,
        .placed_lights = mrwi_shade_has_placed_lights(&job->lighting),
        .shading = job->shading,
        .channel = mrwi_shade_channel_of(job),
        .matcap = job->matcap,
        .filter = job->filter,
        .tone = frame->shaded ? mrwi_shade_tone_of(job) : (mrwi_shade_tone){0},
    };
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        frame->shade.streams[k] = (const float(*)[4])geometry->vertices.streams[k];
    }
    mrwi_shade_set_rays(&frame->shade, job);
    if (mrw_shading_info_of(job->shading)->lit && frame->shaded) {
        frame->shade.occlusion = job->occlusion;
        frame->shade.width = (int32_t)job->width;
        frame->shade.height = (int32_t)job->height;
        frame->shade.ground_border = mrwi_shade_ground_border(job->width, job->height);
        mrwi_shade_prepare_lights(&job->lighting, lights);
        frame->shade.shadows = frame->shadows;
        frame->shade.shadow_count = mrwi_shade_prepare_shadows(&job->lighting, frame->shadows);
    }
}

/* Sets up shading of one channel of surfaces, whatever the job's mode, without light. */
static void set_surface(const mrwi_shade_frame *shade, mrw_shading_channel channel,
                        mrwi_shade_frame *out)
{
    *out = *shade;
    out->shading = MRW_SHADING_CHANNEL;
    out->channel = channel;
    out->lighting = (mrw_lighting){0};
    out->lights = NULL;
    out->placed_lights = false;
    out->shadows = NULL;
    out->shadow_count = 0;
}

/* Sets the background of linear colours. */
static void set_linear_background(const mrwi_raster_frame *frame, mrwi_raster_background *out)
{
    const mrwi_shade_tone tone = frame->shade.tone;
    const bool exposed = tone.curve != MRWI_SHADE_CURVE_RAW && tone.curve != MRWI_SHADE_CURVE_SRGB;
    out->exposure = exposed ? tone.exposure : 1.0f;
    mrwi_shade_background_of(frame->job->background, tone.curve == MRWI_SHADE_CURVE_RAW,
                             out->linear);
}

/* Sets the background for 16 bits per channel. */
static bool set_deep_background(const mrwi_raster_frame *frame, const uint8_t srgb[4],
                                mrwi_raster_buffer *buffer, mrwi_raster_background *out)
{
    const uint32_t width = frame->job->width, channels = frame->color->channels;
    out->is_deep = true;
    mrwi_shade_deep_background_of(srgb, frame->shade.tone.curve == MRWI_SHADE_CURVE_RAW,
                                  &out->deep);
    if (!mrwi_raster_buffer_reserve(buffer, 0, width, channels * sizeof(uint16_t))) {
        return false;
    }
    uint16_t *row = buffer->data;
    for (size_t i = 0; i < width; i++) {
        memcpy(row + i * channels, out->deep.written, channels * sizeof *row);
    }
    out->row = buffer->data;
    return true;
}

/* Sets the background for blending, and encodes a row of it once, into the buffer. Returns false
 * when out of memory. */
static bool set_background(const mrwi_raster_frame *frame, mrwi_raster_buffer *buffer,
                           mrwi_raster_background *out)
{
    const mrw_target *color = frame->color;
    const uint32_t width = frame->job->width;
    const mrwi_shade_tone tone = frame->shade.tone;
    uint8_t srgb[4];
    memcpy(srgb, frame->job->background, sizeof srgb);
    if (color->channels == 3) {
        srgb[3] = 255;
    }
    if (color->format == MRW_FORMAT_U16) {
        return set_deep_background(frame, srgb, buffer, out);
    }
    mrwi_shade_background_of(srgb, tone.curve == MRWI_SHADE_CURVE_RAW, out->color);
    if (!mrwi_raster_buffer_reserve(buffer, 0, width, color->channels)) {
        return false;
    }
    _Alignas(64) static const float clear[1][4];
    uint8_t *row = buffer->data;
    uint8_t pixel[4];
    frame->kernels->encode(clear, 1, out->color, color->channels, tone, pixel);
    for (size_t i = 0; i < width; i++) {
        memcpy(row + i * color->channels, pixel, color->channels);
    }
    out->row = row;
    return true;
}

void mrw_raster_look_at(const mrw_raster_job *job, mrw_raster_lamp *lamps, mrw_raster_look *out)
{
    const mrw_shading_info *mode = mrw_shading_info_of(job->shading);
    const mrw_target *color = mrwi_raster_target_find(job, MRW_TARGET_COLOR);
    const mrwi_shade_tone tone = mrwi_shade_tone_of(job);
    mrwi_shade_frame rays;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_shade_set_rays(&rays, job);
    *out = (mrw_raster_look){
        .channel = mrwi_shade_channel_of(job),
        .exposed = tone.curve != MRWI_SHADE_CURVE_RAW && tone.curve != MRWI_SHADE_CURVE_SRGB,
        .encoded = tone.curve != MRWI_SHADE_CURVE_RAW,
        .exposure = tone.exposure,
        .tonemap = tone.curve == MRWI_SHADE_CURVE_ACES      ? MRW_TONEMAP_ACES
                   : tone.curve == MRWI_SHADE_CURVE_NEUTRAL ? MRW_TONEMAP_NEUTRAL
                                                            : MRW_TONEMAP_NONE,
        .backdrop = job->environment_background && mode->environment && job->lighting.environment,
        .ambient = mrwi_shade_has_ambient_light(&job->lighting)};
    memcpy(out->ray0, rays.ray0, sizeof out->ray0);
    memcpy(out->ray_dx, rays.ray_dx, sizeof out->ray_dx);
    memcpy(out->ray_dy, rays.ray_dy, sizeof out->ray_dy);
    memcpy(out->up, rays.up, sizeof out->up);
    out->ground_border = mrwi_shade_ground_border(job->width, job->height);
    memcpy(out->background_srgb, job->background, sizeof out->background_srgb);
    if (!color || color->channels == 3) {
        out->background_srgb[3] = 255;
    }
    mrwi_shade_background_of(out->background_srgb, !out->encoded, out->background);
    if (mode->lit) {
        mrwi_shade_prepare_lights(&job->lighting, lamps);
        out->shadow_count = mrwi_shade_prepare_shadows(&job->lighting, out->shadows);
    }
    mrwi_base_fp_leave(fp);
}

void mrw_raster_sample_at(uint32_t samples, uint32_t sample, int out[2])
{
    const mrwi_shade_sample_pattern *pattern = mrwi_raster_samples(samples);
    assert(sample < samples && pattern->count == samples);
    out[0] = pattern->x[sample];
    out[1] = pattern->y[sample];
}

/* ---- a frame --------------------------------------------------------------------------------- */

static void set_view(const mrw_raster_job *job, mrwi_raster_view *view)
{
    view->width = (int32_t)job->width;
    view->height = (int32_t)job->height;
    view->pattern = mrwi_raster_samples(job->samples);
}

/* Finds the lights that reach the frame's triangles, if some lights are placed. Returns false when
 * out of memory. */
static bool find_lamps(mrw_raster *raster, const mrwi_raster_frame *frame,
                       const mrwi_shade_lamps **out)
{
    const mrw_lighting *lighting = &frame->job->lighting;
    if (!frame->shade.placed_lights || !frame->shaded ||
        !raster->geometry.vertices.streams[MRWI_SHADE_POSITION]) {
        return true;
    }
    if (!mrwi_raster_buffer_reserve(&raster->lamps_buffer, 0,
                                    mrwi_shade_lamps_size(lighting->light_count), 1)) {
        return false;
    }
    mrwi_shade_lamps_place(raster->lamps_buffer.data, lighting->light_count, &raster->lamps);
    mrwi_raster_lamps_of_frame(lighting, &raster->geometry, &raster->lamps);
    *out = &raster->lamps;
    return true;
}

/* Returns the number of rows of a band. */
static int32_t rows_of_bands(const mrwi_raster_frame *frame)
{
    const mrwi_raster_runs *runs = &frame->geometry->runs;
    for (uint32_t i = 0; i < runs->count && mrwi_raster_keeps_fragments(frame); i++) {
        if (runs->list[i].layer == MRWI_RASTER_BLEND && runs->list[i].count > 0) {
            return MRWI_RASTER_BLEND_ROWS;
        }
    }
    return MRWI_RASTER_BAND_ROWS;
}

/* Prepares everything that bands read. Returns false when out of memory, or if the work must end.
 * band_rows 0: as many as suit the frame. */
static bool prepare_bands(mrw_raster *raster, mrwi_raster_frame *frame, int32_t band_rows)
{
    const mrw_raster_job *job = frame->job;
    mrwi_raster_geometry *geometry = &raster->geometry;
    const uint64_t lights = frame->shaded ? job->lighting.light_count : 0;
    set_view(job, &geometry->view);
    if (!mrwi_base_work_spend((uint64_t)job->width * job->height * (40 + 10 * lights)) ||
        !mrwi_raster_begin_vertices(geometry, job) ||
        !mrwi_raster_collect_triangles(geometry, job) ||
        !mrwi_raster_bin_triangles(&raster->bins, geometry,
                                   band_rows > 0 ? band_rows : rows_of_bands(frame)) ||
        !mrwi_raster_buffer_reserve(&raster->lights, 0, job->lighting.light_count,
                                    sizeof(mrwi_shade_light))) {
        return false;
    }
    set_shade_frame(frame, raster->lights.data);
    if (frame->normal || frame->albedo) {
        set_surface(&frame->shade, MRW_CHANNEL_NORMAL, &raster->surfaces[0]);
        set_surface(&frame->shade, MRW_CHANNEL_BASE, &raster->surfaces[1]);
        frame->normal_shade = &raster->surfaces[0];
        frame->albedo_shade = &raster->surfaces[1];
    }
    if (!find_lamps(raster, frame, &frame->shade.lamps)) {
        return false;
    }
    frame->background.backdrop = frame->shaded && job->environment_background &&
                                 mrw_shading_info_of(job->shading)->environment &&
                                 job->lighting.environment;
    frame->background.plate = frame->shaded && !frame->background.backdrop ? job->backplate : NULL;
    set_linear_background(frame, &frame->background);
    return !frame->color || set_background(frame, &raster->background_row, &frame->background);
}

/* Sets the spans of pixels that triangles may have touched. */
static void set_spans(const mrwi_raster_bins *bins, int32_t height, mrw_shadow_span *out)
{
    const int32_t rows = MRW_SHADOW_SPAN_ROWS;
    for (int32_t i = 0; i * rows < height; i++) {
        out[i] = (mrw_shadow_span){INT32_MAX, 0};
    }
    for (int32_t band = 0; band < bins->band_count; band++) {
        const mrwi_raster_box *box = &bins->bounds[band];
        for (int32_t i = box->y0 / rows; box->x0 < box->x1 && i * rows < box->y1; i++) {
            out[i].x0 = box->x0 < out[i].x0 ? box->x0 : out[i].x0;
            out[i].x1 = box->x1 > out[i].x1 ? box->x1 : out[i].x1;
        }
    }
}

mrw_status mrwi_raster_draw(mrw_raster *raster, const mrw_raster_job *job,
                            const mrwi_shade_kernels *kernels, int32_t band_rows, mrw_error *error)
{
    mrwi_raster_frame frame = {.job = job,
                               .kernels = kernels,
                               .isa = mrwi_base_isa_resolve(job->isa),
                               .geometry = &raster->geometry,
                               .bins = &raster->bins,
                               .shaded = mrwi_raster_targets_are_shaded(job),
                               .color = mrwi_raster_target_find(job, MRW_TARGET_COLOR),
                               .linear = mrwi_raster_target_find(job, MRW_TARGET_LINEAR),
                               .alpha = mrwi_raster_target_find(job, MRW_TARGET_ALPHA),
                               .normal = mrwi_raster_target_find(job, MRW_TARGET_NORMAL),
                               .albedo = mrwi_raster_target_find(job, MRW_TARGET_ALBEDO),
                               .coverage = mrwi_raster_target_find(job, MRW_TARGET_COVERAGE)};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    bool ready = prepare_bands(raster, &frame, band_rows);
    const int bands = raster->bins.band_count;
    const int threads = job->threads < 1 ? 1 : job->threads > bands ? bands : job->threads;
    ready = ready && mrwi_raster_prepare_workers(&raster->workers, &frame, threads);
    if (ready) {
        mrwi_base_parallel_for(threads, bands, mrwi_raster_draw_band, raster->workers.items);
    }
    if (ready && job->depth_spans) {
        set_spans(&raster->bins, raster->geometry.view.height, job->depth_spans);
    }
    for (uint32_t i = 0; i < job->target_count && ready && job->target_spans; i++) {
        if (job->target_spans[i]) {
            set_spans(&raster->bins, raster->geometry.view.height, job->target_spans[i]);
        }
    }
    raster->sorted_bands = 0;
    for (int i = 0; ready && i < threads; i++) {
        raster->sorted_bands += raster->workers.items[i].sorted_bands;
    }
    mrwi_base_fp_leave(fp);
    const mrw_status status = mrwi_base_work_check(NULL, error);
    return status || ready ? status : mrwi_base_fail_memory(error, 0);
}

static mrw_status check_job(const mrw_raster_job *job, mrw_error *error)
{
    assert(job->width >= 1 && job->width <= MRW_IMAGE_MAX_SIDE);
    assert(job->height >= 1 && job->height <= MRW_IMAGE_MAX_SIDE);
    assert(job->samples == 1 || job->samples == 2 || job->samples == 4 || job->samples == 8);
    return mrwi_base_isa_check(job->isa, error);
}

mrw_status mrw_raster_draw_frame(mrw_raster *raster, const mrw_raster_job *job, mrw_error *error)
{
    mrw_status status = check_job(job, error);
    assert(raster && mrwi_raster_targets_fit(job));
    assert(!mrw_shading_info_of(job->shading)->exposed || !mrwi_raster_targets_are_shaded(job) ||
           (job->exposure >= 0.0f && job->exposure <= 1e6f));
    assert(job->shading != MRW_SHADING_MATCAP || !mrwi_raster_targets_are_shaded(job) ||
           (job->matcap && job->matcap->texels && job->matcap->layout.finest == 0));
    if (status) {
        return status;
    }
    return mrwi_raster_draw(raster, job, mrwi_shade_kernels_for(job->isa), 0, error);
}

uint32_t mrw_raster_sorted_bands(const mrw_raster *raster)
{
    return raster->sorted_bands;
}

mrw_status mrw_raster_finest_levels(mrw_raster *raster, const mrw_raster_job *job, uint32_t *levels,
                                    mrw_error *error)
{
    mrw_status status = check_job(job, error);
    assert(raster && levels);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    set_view(job, &raster->geometry.view);
    const mrw_target color = {.kind = MRW_TARGET_COLOR};
    mrw_raster_job shading = *job; /* attributes are present only for colour targets */
    shading.targets = &color;
    shading.target_count = 1;
    shading.lighting.light_count = 0;
    bool found = mrwi_raster_find_levels(&raster->geometry, &shading, levels);
    mrwi_base_fp_leave(fp);
    status = mrwi_base_work_check(NULL, error);
    return status || found ? status : mrwi_base_fail_memory(error, 0);
}
