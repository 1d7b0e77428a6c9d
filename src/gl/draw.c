/* draw.c: draws a described frame, from its vertices to the bytes of its targets.
 *
 *   vertices ─► samples, one after another: surfaces, layers ─► their sum ─► exposure, tone map,
 *   background, sRGB ─► bytes
 *
 * Each sample is drawn as a picture of its own, shifted by the position of the sample. So all
 * drivers have the sample positions of the rasterizer, masks are looked up at samples, and layers
 * of transparent surfaces are exact. */
#include "gl/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gl_sources add_sources = {{"fullscreen.vert"}, {"add.frag"}, NULL, 0};
static const gl_sources encode_sources = {
    {"fullscreen.vert"}, {"tone_values.h", "environment.glsl", "encode.frag"}, NULL, 0};

void gl_set_vec3(GLuint program, const char *name, const float v[3])
{
    glUniform3fv(glGetUniformLocation(program, name), 1, v);
}

void gl_set_float(GLuint program, const char *name, float v)
{
    glUniform1f(glGetUniformLocation(program, name), v);
}

void gl_set_int(GLuint program, const char *name, int v)
{
    glUniform1i(glGetUniformLocation(program, name), v);
}

mrw_status gl_renderer_create(int device, gl_renderer **out, mrw_error *error)
{
    gl_renderer *renderer = calloc(1, sizeof *renderer);
    *out = NULL;
    if (!renderer) {
        return mrw_fail_memory(error, 0);
    }
    mrw_status status = gl_context_create(device, &renderer->context, error);
    if (status) {
        goto out;
    }
    status = gl_context_enter(renderer->context, error);
    if (status) {
        goto out;
    }
    status = gl_programs_create(&renderer->programs, error);
    glGenVertexArrays(1, &renderer->objects.surface);
    glBindVertexArray(renderer->objects.surface);
    glEnableVertexAttribArray(0);
    glGenVertexArrays(1, &renderer->objects.empty);
    glGenQueries(1, &renderer->objects.query);
    glCullFace(GL_BACK);
    renderer->clip_control = epoxy_has_gl_extension("GL_ARB_clip_control");
    if (renderer->clip_control) {
        glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    }
    renderer->store.now = 1;
    gl_context_leave(renderer->context);
    if (status) {
        goto out;
    }
    *out = renderer;
    renderer = NULL;
out:
    gl_renderer_free(renderer);
    return status;
}

void gl_renderer_free(gl_renderer *renderer)
{
    mrw_error error;
    if (!renderer) {
        return;
    }
    if (renderer->context && !gl_context_enter(renderer->context, &error)) {
        gl_table *const tables[] = {
            &renderer->tables.corners, &renderer->tables.lamps,     &renderer->tables.depths,
            &renderer->tables.palette, &renderer->tables.scales,    &renderer->tables.weights,
            &renderer->tables.colors,  &renderer->tables.occlusion, &renderer->tables.rigids};
        gl_store_free(&renderer->store);
        gl_programs_free(renderer->programs);
        gl_targets_free(&renderer->targets);
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
            gl_table_free(tables[i]);
        }
        glDeleteVertexArrays(1, &renderer->objects.surface);
        glDeleteVertexArrays(1, &renderer->objects.empty);
        glDeleteQueries(1, &renderer->objects.query);
        gl_context_leave(renderer->context);
    }
    gl_context_free(renderer->context);
    free(renderer);
}

/* ---- inputs of a frame ----------------------------------------------------------------------- */

static void put_lamp(const mrw_raster_lamp *lamp, float (*out)[4])
{
    memcpy(out[0], lamp->to_light, sizeof lamp->to_light);
    out[0][3] = (float)((lamp->placed ? 1 : 0) + (lamp->spot ? 2 : 0) + (lamp->attenuated ? 4 : 0) +
                        (lamp->fills ? 8 : 0));
    memcpy(out[1], lamp->position, sizeof lamp->position);
    out[1][3] = lamp->inv_range_squared;
    memcpy(out[2], lamp->color, sizeof lamp->color);
    out[2][3] = lamp->cone_scale;
    memcpy(out[3], lamp->shine, sizeof lamp->shine);
    out[3][3] = lamp->cone_offset;
    memcpy(out[4], lamp->ambient, sizeof lamp->ambient);
    out[4][3] = (float)lamp->shadow;
    memcpy(out[5], lamp->attenuation, sizeof lamp->attenuation);
}

/* Texels of a shadow map in the table: seven of its numbers, and one per level. */
#define SHADOW_TEXELS (7 + MRW_SHADOW_LEVELS + 1)

/* Writes a shadow map's numbers. first: first texel of its depths. */
static void put_shadow(const mrw_raster_shadow *shadow, size_t first, float (*out)[4])
{
    const float rows[7][4] = {
        {(float)shadow->level_count, (float)shadow->size, shadow->widest,
         (float)((shadow->cube ? 1 : 0) + (shadow->perspective ? 2 : 0))},
        {shadow->origin[0], shadow->origin[1], shadow->origin[2], shadow->texels},
        {shadow->right[0], shadow->right[1], shadow->right[2], shadow->middle},
        {shadow->down[0], shadow->down[1], shadow->down[2], shadow->depth_offset},
        {shadow->forward[0], shadow->forward[1], shadow->forward[2], shadow->depth_scale},
        {shadow->slope, shadow->unit, shadow->lift, shadow->softness},
        {shadow->near_caster, shadow->far_caster, 0.0f, 0.0f}};
    memcpy(out, rows, sizeof rows);
    for (uint32_t k = 0; k <= shadow->level_count; k++) {
        const mrw_shadow_level *level = &shadow->levels[k];
        const size_t at = first + (size_t)level->first;
        const float row[4] = {(float)(at / 65536), (float)(at % 65536), (float)level->stride,
                              level->last};
        memcpy(out + 7 + k, row, sizeof row);
    }
}

static mrw_status fill_depths(const gl_frame *frame, float (*out)[4], mrw_error *error)
{
    const mrw_raster_look *look = &frame->look;
    size_t total = 0, next = 0;
    for (uint32_t i = 0; i < look->shadow_count; i++) {
        total += look->shadows[i].floats;
    }
    float *depths = malloc((total + 1) * sizeof *depths);
    if (!depths) {
        return mrw_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < look->shadow_count; i++) {
        const mrw_raster_shadow *shadow = &look->shadows[i];
        put_shadow(shadow, next, out + SHADOW_TEXELS * i);
        memcpy(depths + next, shadow->depths, shadow->floats * sizeof *depths);
        next += shadow->floats;
    }
    const mrw_status status = gl_table_fill(&frame->renderer->tables.depths, GL_R32F, depths,
                                            total * sizeof *depths, error);
    free(depths);
    return status;
}

/* Uploads depth and visibility of all pixels, and of a border of one pixel. */
static mrw_status fill_occlusion(const gl_frame *frame, mrw_error *error)
{
    const mrw_raster_occlusion *in = frame->job->occlusion;
    const size_t width = (size_t)frame->job->width + 2, height = (size_t)frame->job->height + 2;
    if (!in) {
        return MRW_OK;
    }
    float(*texels)[2] = malloc(width * height * sizeof *texels);
    if (!texels) {
        return mrw_fail_memory(error, 0);
    }
    for (size_t i = 0; i < width * height; i++) {
        const ptrdiff_t at =
            ((ptrdiff_t)(i / width) - 1) * (ptrdiff_t)in->stride + (ptrdiff_t)(i % width) - 1;
        texels[i][0] = in->depths[at];
        texels[i][1] = in->visibility[at];
    }
    const mrw_status status = gl_table_fill(&frame->renderer->tables.occlusion, GL_RG32F, texels,
                                            width * height * sizeof *texels, error);
    free(texels);
    return status;
}

static mrw_status look_at(gl_frame *frame, mrw_error *error)
{
    const uint32_t lamp_count = frame->job->lighting.light_count;
    mrw_raster_lamp *lamps = calloc((size_t)lamp_count + 1, sizeof *lamps);
    float(*texels)[4] =
        calloc((size_t)lamp_count * 6 + SHADOW_TEXELS * MRW_SHADOW_LIGHTS + 1, sizeof *texels);
    mrw_status status = MRW_OK;
    if (!lamps || !texels) {
        status = mrw_fail_memory(error, 0);
        goto out;
    }
    mrw_raster_look_at(frame->job, lamps, &frame->look);
    for (uint32_t i = 0; i < lamp_count; i++) {
        put_lamp(&lamps[i], texels + 6 * (size_t)i);
    }
    status = fill_depths(frame, texels + 6 * (size_t)lamp_count, error);
    if (status) {
        goto out;
    }
    status = gl_table_fill(&frame->renderer->tables.lamps, GL_RGBA32F, texels,
                           ((size_t)lamp_count * 6 + SHADOW_TEXELS * frame->look.shadow_count) * 16,
                           error);
out:
    free(lamps);
    free(texels);
    return status;
}

static mrw_status find_meshes(gl_frame *frame, mrw_error *error)
{
    const uint32_t count = frame->job->draw_count;
    uint32_t vertices = 0, triangles = 0;
    frame->runs = calloc((size_t)count + 1, sizeof *frame->runs);
    if (!frame->runs) {
        return mrw_fail_memory(error, 0);
    }
    for (uint32_t d = 0; d < count;) {
        gl_run *run = &frame->runs[frame->run_count++];
        *run = (gl_run){d, gl_run_length(frame, d), vertices, triangles, NULL};
        const gl_parts parts = gl_run_parts(frame, run);
        mrw_status status = gl_store_mesh(&frame->renderer->store, &parts, &run->mesh, error);
        if (status) {
            return status;
        }
        for (; d < run->draw + run->count; d++) {
            vertices += frame->job->draws[d].vertex_count;
            triangles += frame->job->draws[d].triangle_count;
        }
    }
    return frame->job->lighting.environment
               ? gl_store_sky(&frame->renderer->store, frame->job->lighting.environment,
                              &frame->sky, error)
               : MRW_OK;
}

/* Folds the viewport into the world-to-clip matrix: x and y become pixels from the top left,
 * times w. */
static void set_world_to_pixel(gl_frame *frame)
{
    const mrw_raster_job *job = frame->job;
    for (int c = 0; c < 4; c++) {
        const float *in = job->view.world_to_clip.m + 4 * c;
        float *out = frame->world_to_pixel + 4 * c;
        out[0] = (float)(((double)in[3] + (double)in[0]) * (job->width * 0.5));
        out[1] = (float)(((double)in[3] - (double)in[1]) * (job->height * 0.5));
        out[2] = in[2];
        out[3] = in[3];
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

static const mrw_target *find_target(const mrw_raster_job *job, mrw_target_kind kind)
{
    for (uint32_t i = 0; i < job->target_count; i++) {
        if (job->targets[i].kind == kind) {
            return &job->targets[i];
        }
    }
    return NULL;
}

static uint8_t *row_of(const mrw_target *target, uint32_t y)
{
    return (uint8_t *)target->data + (size_t)y * target->stride;
}

/* Fills a target with a picture, times a factor. */
static mrw_status copy_picture(gl_renderer *renderer, GLuint to, GLuint from, float factor,
                               mrw_error *error)
{
    GLuint program;
    const mrw_status status =
        gl_program_find(renderer->programs, &add_sources, "", &program, error);
    if (status) {
        return status;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, to);
    glUseProgram(program);
    gl_set_float(program, "factor", factor);
    gl_set_int(program, "source", 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, from);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glBindVertexArray(renderer->objects.empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    renderer->draw_calls++;
    return MRW_OK;
}

/* Reads id, triangle and depth of the first sample. OpenGL ES reads neither depths nor two
 * channels, so they are read as four channels. */
static mrw_status read_first(const gl_frame *frame, mrw_error *error)
{
    const mrw_raster_job *job = frame->job;
    gl_renderer *renderer = frame->renderer;
    const mrw_target *id = find_target(job, MRW_TARGET_ID);
    const mrw_target *triangle = find_target(job, MRW_TARGET_TRIANGLE);
    const mrw_target *depth = find_target(job, MRW_TARGET_DEPTH);
    const size_t pixels = (size_t)job->width * job->height;
    if (!id && !triangle && !depth) {
        return MRW_OK;
    }
    uint32_t(*ids)[4] = calloc(pixels, sizeof *ids);
    float(*depths)[4] = calloc(pixels, sizeof *depths);
    if (!ids || !depths) {
        free(ids);
        free(depths);
        return mrw_fail_memory(error, 0);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->targets.sample);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    glReadPixels(0, 0, (GLsizei)job->width, (GLsizei)job->height, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                 ids);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glDisable(GL_BLEND);
    const mrw_status status = copy_picture(renderer, renderer->targets.sum_frame,
                                           renderer->targets.depth, 1.0f, error); /* sum is empty */
    glReadPixels(0, 0, (GLsizei)job->width, (GLsizei)job->height, GL_RGBA, GL_FLOAT, depths);
    for (uint32_t y = 0; y < job->height; y++) {
        for (uint32_t x = 0; x < job->width; x++) {
            const size_t at = (size_t)y * job->width + x;
            if (id) {
                ((uint32_t *)(void *)row_of(id, y))[x] = ids[at][0];
            }
            if (triangle) {
                ((uint32_t *)(void *)row_of(triangle, y))[x] = ids[at][1];
            }
            if (depth && depth->format == MRW_FORMAT_F32) {
                ((float *)(void *)row_of(depth, y))[x] = depths[at][0];
            } else if (depth) {
                ((uint16_t *)(void *)row_of(depth, y))[x] =
                    (uint16_t)(depths[at][0] * 65535.0f + 0.5f);
            }
        }
    }
    free(ids);
    free(depths);
    return status;
}

static mrw_status read_coverage(const gl_frame *frame, mrw_error *error)
{
    const mrw_raster_job *job = frame->job;
    const mrw_target *coverage = find_target(job, MRW_TARGET_COVERAGE);
    if (!coverage) {
        return MRW_OK;
    }
    float(*sum)[4] = calloc((size_t)job->width * job->height, sizeof *sum);
    if (!sum) {
        return mrw_fail_memory(error, 0);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame->renderer->targets.sum_frame);
    glReadPixels(0, 0, (GLsizei)job->width, (GLsizei)job->height, GL_RGBA, GL_FLOAT, sum);
    for (uint32_t y = 0; y < job->height; y++) {
        for (uint32_t x = 0; x < job->width; x++) {
            row_of(coverage, y)[x] = sum[(size_t)y * job->width + x][3] > 0.0f;
        }
    }
    free(sum);
    return MRW_OK;
}

static mrw_status add_sample(const gl_frame *frame, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    glDisable(GL_BLEND);
    if (frame->pass.sample > 0) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
    }
    return copy_picture(renderer, renderer->targets.sum_frame, renderer->targets.color,
                        1.0f / (float)frame->job->samples, error);
}

static void set_encoding(const gl_frame *frame, GLuint program, bool straight)
{
    const mrw_raster_look *look = &frame->look;
    float srgb[4];
    for (int i = 0; i < 4; i++) {
        srgb[i] = look->background_srgb[3] > 0 || i == 3 ? (float)look->background_srgb[i] / 255.0f
                                                         : 0.0f;
    }
    gl_set_float(program, "exposure", look->exposure);
    glUniform4fv(glGetUniformLocation(program, "background"), 1, look->background);
    glUniform4fv(glGetUniformLocation(program, "background_srgb"), 1, srgb);
    gl_set_int(program, "straight", straight);
    gl_set_vec3(program, "ray0", look->ray0);
    gl_set_vec3(program, "ray_dx", look->ray_dx);
    gl_set_vec3(program, "ray_dy", look->ray_dy);
    gl_set_int(program, "source", 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, frame->renderer->targets.sum);
    if (look->backdrop) {
        const mrw_environment_info info = mrw_environment_look(frame->job->lighting.environment);
        GLint levels[MRW_ENVIRONMENT_LEVELS][2];
        for (int i = 0; i < MRW_ENVIRONMENT_LEVELS; i++) {
            levels[i][0] = (GLint)info.levels[i].first;
            levels[i][1] = (GLint)info.levels[i].side;
        }
        glUniform2iv(glGetUniformLocation(program, "environment_levels"), MRW_ENVIRONMENT_LEVELS,
                     levels[0]);
        gl_set_float(program, "blur", frame->job->environment_blur);
        glUniformMatrix3fv(glGetUniformLocation(program, "world_to_environment"), 1, GL_FALSE,
                           frame->job->lighting.world_to_environment);
        gl_set_float(program, "environment_intensity", frame->job->lighting.environment_intensity);
        glUniform2f(glGetUniformLocation(program, "sky_size"), (float)info.picture_width,
                    (float)info.picture_height);
        gl_table_bind(&frame->sky->texels, program, "environment", 1);
        gl_table_bind(&frame->sky->picture, program, "sky_picture", 2);
    }
}

/* Uploads the job's picture behind everything, for the encoding program. Returns the texture, which
 * the caller deletes, or 0 if there is none; without memory *failed becomes true. */
static GLuint upload_plate(const mrw_raster_job *job, GLuint program, bool *failed)
{
    const mrw_image *plate = job->backplate;
    const bool deep = plate && plate->format == MRW_FORMAT_U16;
    const size_t count = plate ? (size_t)plate->width * plate->height * 3 : 0;
    float *floats = deep ? malloc(count * sizeof *floats) : NULL;
    GLuint texture = 0;
    *failed = deep && !floats;
    if (!plate || *failed) {
        return 0;
    }
    for (size_t i = 0; i < count && deep; i++) { /* OpenGL ES has no textures of 16 bits */
        floats[i] = (float)((const uint16_t *)(const void *)plate->pixels)[i] / 65535.0f;
    }
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + 3);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, deep ? GL_RGB32F : GL_RGB8, (GLsizei)plate->width,
                 (GLsizei)plate->height, 0, GL_RGB, deep ? GL_FLOAT : GL_UNSIGNED_BYTE,
                 deep ? (const void *)floats : plate->pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl_set_int(program, "plate", 3);
    free(floats);
    return texture;
}

/* Reads a picture by way of four channels of bytes or floats; OpenGL ES reads nothing else. */
static mrw_status read_four(const mrw_raster_job *job, const mrw_target *color, mrw_error *error)
{
    const bool deep = color->format == MRW_FORMAT_U16;
    const size_t row = (size_t)job->width * 4;
    uint8_t *bytes = malloc(row * job->height * (deep ? sizeof(float) : 1));
    if (!bytes) {
        return mrw_fail_memory(error, 0);
    }
    glReadPixels(0, 0, (GLsizei)job->width, (GLsizei)job->height, GL_RGBA,
                 deep ? GL_FLOAT : GL_UNSIGNED_BYTE, bytes);
    for (uint32_t y = 0; y < job->height; y++) {
        uint8_t *out = row_of(color, y);
        for (size_t i = 0, n = 0; i < row; i++) {
            if (i % 4 >= color->channels) {
                continue;
            }
            if (deep) {
                ((uint16_t *)(void *)out)[n++] =
                    (uint16_t)(((float *)(void *)bytes)[y * row + i] * 65535.0f + 0.5f);
            } else {
                out[n++] = bytes[y * row + i];
            }
        }
    }
    free(bytes);
    return MRW_OK;
}

static mrw_status read_color(const mrw_raster_job *job, const mrw_target *color, mrw_error *error)
{
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    if (!epoxy_is_desktop_gl()) {
        return read_four(job, color, error);
    }
    glPixelStorei(GL_PACK_ROW_LENGTH,
                  (GLint)(color->stride / color->channels / mrw_format_size(color->format)));
    glReadPixels(
        0, 0, (GLsizei)job->width, (GLsizei)job->height, color->channels == 4 ? GL_RGBA : GL_RGB,
        color->format == MRW_FORMAT_U16 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_BYTE, color->data);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    return MRW_OK;
}

static mrw_status write_color(const gl_frame *frame, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const mrw_raster_job *job = frame->job;
    const mrw_target *color = find_target(job, MRW_TARGET_COLOR);
    const bool deep = color && color->format == MRW_FORMAT_U16;
    char defines[200];
    GLuint program, plate;
    bool failed;
    if (!color) {
        return MRW_OK;
    }
    snprintf(defines, sizeof defines, "#define TONEMAP %d\n%s%s%s%s%s%s", (int)frame->look.tonemap,
             frame->look.exposed ? "#define EXPOSED\n" : "",
             frame->look.encoded ? "#define ENCODED\n" : "",
             frame->look.backdrop ? "#define BACKDROP\n" : "",
             job->environment_blur > 0.0f ? "#define BLUR\n" : "",
             job->backplate ? "#define PLATE\n" : "",
             frame->sky && frame->sky->picture.texture ? "#define PICTURE\n" : "");
    const mrw_status status =
        gl_program_find(renderer->programs, &encode_sources, defines, &program, error);
    if (status) {
        return status;
    }
    glUseProgram(program);
    set_encoding(frame, program, color->channels == 4);
    plate = upload_plate(job, program, &failed);
    if (failed) {
        return mrw_fail_memory(error, 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER,
                      deep ? renderer->targets.encoded16_frame : renderer->targets.encoded);
    glDisable(GL_BLEND);
    glBindVertexArray(renderer->objects.empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    renderer->draw_calls++;
    glDeleteTextures(1, &plate); /* 0 is ignored */
    return read_color(job, color, error);
}

/* ---- a frame --------------------------------------------------------------------------------- */

static mrw_status draw_samples(gl_frame *frame, mrw_error *error)
{
    const mrw_raster_job *job = frame->job;
    glViewport(0, 0, (GLsizei)job->width, (GLsizei)job->height);
    if (gl_needs_all_seen(frame)) {
        for (uint32_t s = 0; s < job->samples; s++) {
            frame->pass.sample = s;
            mrw_status status = gl_find_seen(frame, error);
            if (status) {
                return status;
            }
        }
        frame->pass.found = true;
    }
    for (uint32_t s = 0; s < job->samples; s++) {
        frame->pass.sample = s;
        mrw_status status = gl_draw_sample(frame, error);
        if (status) {
            return status;
        }
        if (s == 0) {
            status = read_first(frame, error);
            if (status) {
                return status;
            }
        }
        status = add_sample(frame, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Asks the driver how drawing went. `status` is the result until now; a reset replaces it. */
static mrw_status check_driver(gl_renderer *renderer, mrw_status status, mrw_error *error)
{
    const gl_said *complaints = gl_context_complaints(renderer->context);
    const char *reset = gl_context_reset();
    renderer->lost = reset;
    if (reset) {
        return mrw_fail(
            error, MRW_ERROR_DISPLAY,
            "the OpenGL device was reset %s, and the picture is lost; try again, or use "
            "--backend soft",
            reset);
    }
    if (status) {
        return status;
    }
    if (complaints->count > 0) {
        return mrw_fail(error, MRW_ERROR_INTERNAL, "the OpenGL driver says: %s", complaints->first);
    }
    return glGetError() == GL_OUT_OF_MEMORY
               ? mrw_fail(error, MRW_ERROR_MEMORY, "the OpenGL device is out of memory")
               : MRW_OK;
}

mrw_status gl_draw(gl_renderer *renderer, const mrw_frame_description *description,
                   mrw_error *error)
{
    gl_frame frame = {.renderer = renderer,
                      .description = description,
                      .job = &description->job,
                      .mode = mrw_shading_info_of(description->job.shading)};
    renderer->draw_calls = renderer->layers = 0;
    set_world_to_pixel(&frame);
    mrw_status status =
        gl_targets_fit(&renderer->targets, frame.job->width, frame.job->height, error);
    if (status) {
        goto out;
    }
    status = look_at(&frame, error);
    if (status) {
        goto out;
    }
    status = fill_occlusion(&frame, error);
    if (status) {
        goto out;
    }
    status = find_meshes(&frame, error);
    if (status) {
        goto out;
    }
    status = gl_skin(&frame, error);
    if (status) {
        goto out;
    }
    status = draw_samples(&frame, error);
    if (status) {
        goto out;
    }
    status = read_coverage(&frame, error);
    if (status) {
        goto out;
    }
    status = write_color(&frame, error);
out:
    status = check_driver(renderer, status, error);
    free(frame.runs);
    gl_store_tidy(&renderer->store);
    return status;
}
