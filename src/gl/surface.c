/* surface.c: draws surfaces, one sample at a time. Opaque and masked surfaces come first, in the
 * order of the draws, which decides ties of depth. Transparent ones follow layer by layer, the
 * farthest first, so that each sample blends them in the exact order of depth (Everitt,
 * "Interactive Order-Independent Transparency", 2001, here from back to front). */
#include "gl/draw.h"

#include <stdio.h>
#include <string.h>

static const gl_sources surface_sources = {
    {"view.glsl", "surface.vert"},
    {"shade_numbers.h", "mode_values.h", "environment_brdf.h", "view.glsl", "triangle.glsl",
     "texture.glsl", "environment.glsl", "light.glsl", "surface.frag"},
    NULL,
    0};
static const gl_sources add_sources = {{"fullscreen.vert"}, {"add.frag"}, NULL, 0};

#define MOST_LAYERS 256 /* layers per sample; farther ones are drawn, nearer ones are dropped */

enum {
    UNIT_INDICES,
    UNIT_CORNERS,
    UNIT_COLORS,
    UNIT_UVS,
    UNIT_LAMPS,
    UNIT_ENVIRONMENT,
    UNIT_DEPTHS,
    UNIT_OCCLUSION,
    UNIT_OPAQUE,
    UNIT_LAST,
    UNIT_SEEN,
    UNIT_TRIANGLES,
    UNIT_MATCAP,
    UNIT_MAPS
};

/* Returns the MODE of surface.frag for a draw. */
static const char *mode_of(const gl_frame *frame, const mrw_raster_draw *draw)
{
    static const char *const names[MRW_SHADING_COUNT] = {
        [MRW_SHADING_LIT] = "LIT",         [MRW_SHADING_FLAT] = "FACETS",
        [MRW_SHADING_CLAY] = "CLAY",       [MRW_SHADING_LAMBERT] = "LAMBERT",
        [MRW_SHADING_PHONG] = "PHONG",     [MRW_SHADING_TOON] = "TOON",
        [MRW_SHADING_MATCAP] = "MATCAP",   [MRW_SHADING_WIRE] = "WIRE",
        [MRW_SHADING_NORMAL] = "DATA",     [MRW_SHADING_UV] = "DATA",
        [MRW_SHADING_DEPTH] = "DATA",      [MRW_SHADING_JOINT] = "DATA",
        [MRW_SHADING_INFLUENCES] = "DATA", [MRW_SHADING_WEIGHTS] = "DATA",
        [MRW_SHADING_CHANNEL] = "DATA"};
    const char *name = names[frame->job->shading];
    return !name || (draw->material->unlit && frame->mode->keeps_unlit) ? "BASE" : name;
}

static bool has_spread(const mrw_raster_material *material, mrw_raster_map_kind kind)
{
    const mrw_raster_texture *texture = material->maps[kind].texture;
    return texture && mrw_raster_texture_look(texture).alpha == MRW_TEXTURE_ALPHA_SPREAD;
}

static void put_define(mrw_text *out, bool when, const char *name)
{
    if (when) {
        mrw_text_add(out, "#define %s\n", name);
    }
}

/* Defines all modes as numbers, because the preprocessor of OpenGL ES refuses undefined names. */
static void put_mode(const char *mode, mrw_text *out)
{
    static const char *const modes[] = {"BASE",  "LIT",  "FACETS", "CLAY", "LAMBERT",
                                        "PHONG", "TOON", "MATCAP", "WIRE", "DATA"};
    for (int i = 0; i < 10; i++) {
        mrw_text_add(out, "#define MODE_%s %d\n", modes[i], i);
    }
    mrw_text_add(out, "#define MODE MODE_%s\n", mode);
}

/* Writes the definitions of the program of a draw. */
static void put_defines(const gl_frame *frame, const gl_run *run, bool layer, mrw_text *out)
{
    const mrw_raster_draw *draw = &frame->job->draws[run->draw];
    const mrw_raster_material *m = draw->material;
    const mrw_lighting *lighting = &frame->job->lighting;
    put_mode(mode_of(frame, draw), out);
    mrw_text_add(out, "#define SURFACE %d\n", (int)m->surface);
    mrw_text_add(out, "#define ALPHA %u\n#define FILTER %d\n#define CHANNEL %d\n", m->alpha_mode,
                 (int)frame->job->filter, (int)frame->look.channel);
    gl_maps_define(m, out);
    put_define(out, draw->colors, "COLORS");
    put_define(out, run->mesh->surface.tangents, "TANGENTS");
    put_define(out, frame->mode->flat, "FLAT");
    put_define(out, draw->ground == MRW_GROUND_CATCHER && frame->mode->lit, "CATCHER");
    put_define(out, draw->ground != MRW_GROUND_NONE, "GROUND");
    put_define(out, frame->look.shadow_count > 0, "SHADOWS");
    put_define(out, frame->look.ambient, "AMBIENT");
    put_define(out, frame->look.ambient && frame->job->occlusion && frame->mode->lit, "OCCLUSION");
    put_define(out, lighting->environment, "ENVIRONMENT");
    put_define(out, lighting->environment && lighting->environment_compensation, "COMPENSATION");
    put_define(out, lighting->wide_highlights, "WIDE_HIGHLIGHTS");
    put_define(out, m->clearcoat > 0.0f, "CLEARCOAT");
    put_define(out, mrw_raster_has_sheen(m), "SHEEN");
    put_define(out, has_spread(m, MRW_RASTER_MAP_NORMAL), "SPREADS");
    put_define(out, has_spread(m, MRW_RASTER_MAP_CLEARCOAT_NORMAL), "COAT_SPREADS");
    put_define(out, layer, "LAYER");
    put_define(out, m->alpha_mode != MRW_ALPHA_BLEND, "IDS");
    put_define(out, frame->pass.found && m->alpha_mode != MRW_ALPHA_BLEND, "FOUND");
    put_define(out, !frame->renderer->clip_control, "DEPTH_HALVED");
}

/* Visibility-only variant: writes the definitions of just the material's alpha mask. */
static void put_finding_defines(const gl_frame *frame, const gl_run *run, mrw_text *out)
{
    const mrw_raster_draw *draw = &frame->job->draws[run->draw];
    mrw_raster_material mask = {.alpha_mode = draw->material->alpha_mode};
    if (mask.alpha_mode == MRW_ALPHA_MASK) {
        const mrw_raster_map_kind base = MRW_RASTER_MAP_BASE_COLOR;
        mask.maps[base] = draw->material->maps[base];
        put_define(out, draw->colors, "COLORS");
    }
    put_mode("BASE", out);
    mrw_text_add(out,
                 "#define SURFACE 0\n"
                 "#define ALPHA %u\n#define FILTER %d\n#define IDS\n#define FINDS\n",
                 mask.alpha_mode, (int)frame->job->filter);
    gl_maps_define(&mask, out);
    put_define(out, !frame->renderer->clip_control, "DEPTH_HALVED");
}

static void set_material(GLuint program, const mrw_raster_material *m)
{
    glUniform4fv(glGetUniformLocation(program, "base_color"), 1, m->base_color);
    gl_set_float(program, "alpha_cutoff", m->alpha_cutoff);
    gl_set_float(program, "metallic", m->metallic);
    gl_set_float(program, "roughness", m->roughness);
    gl_set_float(program, "reflectance", m->reflectance);
    gl_set_float(program, "specular", m->specular);
    gl_set_float(program, "glossiness", m->glossiness);
    gl_set_float(program, "shininess", m->shininess);
    gl_set_vec3(program, "specular_color", m->specular_color);
    gl_set_vec3(program, "emissive", m->emissive);
    gl_set_float(program, "normal_scale", m->normal_scale);
    gl_set_float(program, "clearcoat_normal_scale", m->clearcoat_normal_scale);
    gl_set_float(program, "occlusion_strength", m->occlusion_strength);
    gl_set_float(program, "clearcoat", m->clearcoat);
    gl_set_float(program, "clearcoat_roughness", m->clearcoat_roughness);
    gl_set_vec3(program, "sheen_color", m->sheen_color);
    gl_set_float(program, "sheen_roughness", m->sheen_roughness);
}

static void set_environment(const gl_frame *frame, GLuint program)
{
    const mrw_lighting *lighting = &frame->job->lighting;
    if (!frame->sky) {
        return;
    }
    const mrw_environment_info info = mrw_environment_look(lighting->environment);
    float diffuse[9][3];
    GLint levels[MRW_ENVIRONMENT_LEVELS][2];
    for (int i = 0; i < 27; i++) {
        diffuse[i % 9][i / 9] = info.diffuse[i / 9][i % 9];
    }
    for (int i = 0; i < MRW_ENVIRONMENT_LEVELS; i++) {
        levels[i][0] = (GLint)info.levels[i].first;
        levels[i][1] = (GLint)info.levels[i].side;
    }
    glUniform3fv(glGetUniformLocation(program, "environment_diffuse"), 9, diffuse[0]);
    glUniform2iv(glGetUniformLocation(program, "environment_levels"), MRW_ENVIRONMENT_LEVELS,
                 levels[0]);
    glUniformMatrix3fv(glGetUniformLocation(program, "world_to_environment"), 1, GL_FALSE,
                       lighting->world_to_environment);
    gl_set_float(program, "environment_intensity", lighting->environment_intensity);
    gl_table_bind(&frame->sky->texels, program, "environment", UNIT_ENVIRONMENT);
}

static void sample_offset(const gl_frame *frame, uint32_t sample, float out[2])
{
    int at[2];
    mrw_raster_sample_at(frame->job->samples, sample, at);
    out[0] = (float)at[0] / 16.0f;
    out[1] = (float)at[1] / 16.0f;
}

static void set_view(const gl_frame *frame, GLuint program)
{
    const mrw_raster_job *job = frame->job;
    const mrw_lighting *lighting = &job->lighting;
    float offsets[8][2] = {{0}}, own[2];
    for (uint32_t s = 0; s < job->samples; s++) {
        sample_offset(frame, s, offsets[s]);
    }
    sample_offset(frame, frame->pass.sample, own);
    glUniformMatrix4fv(glGetUniformLocation(program, "world_to_pixel"), 1, GL_FALSE,
                       frame->world_to_pixel);
    glUniform2f(glGetUniformLocation(program, "picture_size"), (float)job->width,
                (float)job->height);
    glUniform2fv(glGetUniformLocation(program, "sample_offsets"), 8, offsets[0]);
    glUniform2fv(glGetUniformLocation(program, "sample_offset"), 1, own);
    gl_set_int(program, "sample_count", (int)job->samples);
    gl_set_int(program, "sample_number", (int)frame->pass.sample);
    gl_set_int(program, "seen", UNIT_SEEN);
    glActiveTexture(GL_TEXTURE0 + UNIT_SEEN);
    glBindTexture(GL_TEXTURE_2D_ARRAY, frame->renderer->targets.seen);
    gl_set_vec3(program, "ray0", frame->look.ray0);
    gl_set_vec3(program, "ray_dx", frame->look.ray_dx);
    gl_set_vec3(program, "ray_dy", frame->look.ray_dy);
    gl_set_vec3(program, "view_up", frame->look.up);
    gl_set_vec3(program, "up", lighting->up);
    gl_set_vec3(program, "sky", lighting->sky);
    gl_set_vec3(program, "ground", lighting->ground);
    gl_set_int(program, "lamp_count", frame->mode->lit ? (int)lighting->light_count : 0);
    gl_table_bind(&frame->renderer->tables.lamps, program, "lamps", UNIT_LAMPS);
    gl_table_bind(&frame->renderer->tables.depths, program, "depths", UNIT_DEPTHS);
    gl_table_bind(&frame->renderer->tables.occlusion, program, "occlusion", UNIT_OCCLUSION);
    glUniform3f(glGetUniformLocation(program, "ground_border"), (float)job->width,
                (float)job->height, frame->look.ground_border);
    glUniform2i(glGetUniformLocation(program, "occlusion_size"), (GLint)job->width,
                (GLint)job->height);
    if (job->occlusion) {
        glUniform4fv(glGetUniformLocation(program, "occlusion_axis"), 1, job->occlusion->axis);
    }
}

static void bind_picture(GLuint program, const char *name, int unit, GLuint texture)
{
    gl_set_int(program, name, unit);
    glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
    glBindTexture(GL_TEXTURE_2D, texture);
}

static mrw_status set_draw(const gl_frame *frame, GLuint program, const gl_run *run,
                           mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const mrw_raster_draw *draw = &frame->job->draws[run->draw];
    const gl_mesh *mesh = run->mesh;
    /* colours of data and of light at vertices are made for each picture */
    const bool own = draw->colors && (frame->mode->data || frame->mode->at_vertices);
    if (own) {
        const gl_parts parts = gl_run_parts(frame, run);
        const mrw_status status = gl_table_fill_colors(&renderer->tables.colors, &parts, error);
        if (status) {
            return status;
        }
    }
    gl_table_bind(own ? &renderer->tables.colors : &mesh->surface.colors, program, "colors",
                  UNIT_COLORS);
    gl_table_bind(&mesh->surface.indices, program, "indices", UNIT_INDICES);
    gl_table_bind(&renderer->tables.corners, program, "corners", UNIT_CORNERS);
    gl_table_bind(&mesh->surface.uvs, program, "uvs", UNIT_UVS);
    gl_table_bind(&mesh->surface.triangles, program, "triangles", UNIT_TRIANGLES);
    gl_set_int(program, "uv_texels", (int)mesh->surface.uv_texels);
    glUniform3i(glGetUniformLocation(program, "firsts"), 0, (GLint)run->first_vertex, 0);
    gl_set_int(program, "first_color", 0);
    gl_set_int(program, "mirrored", draw->mirrored);
    gl_set_int(program, "flat_draw", draw->flat);
    glUniform1ui(glGetUniformLocation(program, "draw_id"), draw->id);
    glUniform1ui(glGetUniformLocation(program, "first_order"), run->first_triangle);
    return MRW_OK;
}

/* Draws the triangles of a run. Without an index buffer surface.vert looks up indices and corners
 * in pictures. */
static void draw_triangles(gl_renderer *renderer, const gl_run *run)
{
    const gl_table *indices = &run->mesh->surface.indices;
    const GLsizei count = (GLsizei)(3 * run->mesh->triangle_count);
    if (indices->buffer) {
        glBindVertexArray(renderer->objects.surface);
        glBindBuffer(GL_ARRAY_BUFFER, renderer->tables.corners.buffer);
        glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 48, (const void *)0);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices->buffer);
        glDrawElementsBaseVertex(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL,
                                 (GLint)run->first_vertex);
    } else {
        glBindVertexArray(renderer->objects.empty);
        glDrawArrays(GL_TRIANGLES, 0, count);
    }
    renderer->draw_calls++;
}

static mrw_status draw_surface(const gl_frame *frame, const gl_run *run, bool layer, GLuint last,
                               mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const mrw_raster_draw *draw = &frame->job->draws[run->draw];
    GLuint program = 0, matcap = 0;
    mrw_text defines = {0};
    if (run->mesh->triangle_count == 0) {
        return MRW_OK;
    }
    if (frame->pass.finds) {
        put_finding_defines(frame, run, &defines);
    } else {
        put_defines(frame, run, layer, &defines);
    }
    mrw_status status = defines.failed ? mrw_fail_memory(error, 0)
                                       : gl_program_find(renderer->programs, &surface_sources,
                                                         defines.data, &program, error);
    mrw_text_free(&defines);
    if (status) {
        return status;
    }
    glUseProgram(program);
    status = set_draw(frame, program, run, error);
    if (status) {
        return status;
    }
    if (frame->mode->matcap) {
        status = gl_store_image(&renderer->store, frame->job->matcap, &matcap, error);
        if (status) {
            return status;
        }
        const mrw_raster_texture_info info = mrw_raster_texture_look(frame->job->matcap);
        GLint plan[3];
        gl_image_plan(&info, plan);
        glUniform3iv(glGetUniformLocation(program, "matcap_plan"), 1, plan);
        bind_picture(program, "matcap", UNIT_MATCAP, matcap);
    }
    status = gl_maps_set(frame, program, draw, UNIT_MAPS, error);
    if (status) {
        return status;
    }
    set_view(frame, program);
    set_material(program, draw->material);
    set_environment(frame, program);
    if (layer) {
        bind_picture(program, "opaque_depth", UNIT_OPAQUE, renderer->targets.depth);
        bind_picture(program, "last_layer", UNIT_LAST, last);
    }
    (draw->material->double_sided ? glDisable : glEnable)(GL_CULL_FACE);
    /* Row 0 is at the top, so a front face turns clockwise in the driver's pixels. */
    glFrontFace(draw->mirrored ? GL_CCW : GL_CW);
    draw_triangles(renderer, run);
    return MRW_OK;
}

static bool is_blended(const gl_frame *frame, const gl_run *run)
{
    return frame->job->draws[run->draw].material->alpha_mode == MRW_ALPHA_BLEND;
}

static bool is_ground(const gl_frame *frame, const gl_run *run)
{
    return frame->job->draws[run->draw].ground;
}

/* Enables the second colour of the bound framebuffer only if fragments write it. */
static void mask_second(bool written)
{
    const GLenum buffers[2] = {GL_COLOR_ATTACHMENT0, written ? GL_COLOR_ATTACHMENT1 : GL_NONE};
    glDrawBuffers(2, buffers);
}

static void clear_sample(const gl_renderer *renderer)
{
    static const float clear[4] = {0.0f, 0.0f, 0.0f, 0.0f}, far = 1.0f;
    static const GLuint nothing[4] = {0, MRW_NONE, 0, 0};
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.sample);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    mask_second(true);
    glClearBufferfv(GL_COLOR, 0, clear);
    glClearBufferuiv(GL_COLOR, 1, nothing);
    glClearBufferfv(GL_DEPTH, 0, &far);
}

/* Blends the layer, which is premultiplied, over the sample. */
static mrw_status put_over(gl_renderer *renderer, mrw_error *error)
{
    GLuint program;
    const mrw_status status =
        gl_program_find(renderer->programs, &add_sources, "", &program, error);
    if (status) {
        return status;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.sample);
    mask_second(false);
    glUseProgram(program);
    gl_set_float(program, "factor", 1.0f);
    bind_picture(program, "source", 0, renderer->targets.layer_color);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(renderer->objects.empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    renderer->draw_calls++;
    return MRW_OK;
}

/* Draws the farthest fragments in front of the last layer. *any: there are some. */
static mrw_status draw_layer(const gl_frame *frame, int number, bool *any, mrw_error *error)
{
    static const float clear[4] = {0.0f, 0.0f, 0.0f, 0.0f}, near = 0.0f;
    static const GLuint done[4] = {0, 0xffffffffu, 0, 0}; /* no fragment is nearer than this */
    gl_renderer *renderer = frame->renderer;
    GLuint passed = 0;
    mrw_status status = MRW_OK;
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.layer[number % 2]);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_GREATER);
    glClearBufferfv(GL_COLOR, 0, clear);
    glClearBufferuiv(GL_COLOR, 1, done);
    glClearBufferfv(GL_DEPTH, 0, &near);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, renderer->objects.query);
    for (uint32_t r = 0; r < frame->run_count; r++) {
        const gl_run *run = &frame->runs[r];
        if (is_blended(frame, run) && !is_ground(frame, run)) {
            status =
                draw_surface(frame, run, true, renderer->targets.keys[(number + 1) % 2], error);
        }
        if (status) {
            break;
        }
    }
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glGetQueryObjectuiv(renderer->objects.query, GL_QUERY_RESULT, &passed);
    *any = passed != 0;
    return status;
}

static mrw_status draw_blended(const gl_frame *frame, mrw_error *error)
{
    static const GLuint beyond[4] = {0x40000000u, 0, 0, 0}; /* a depth of 2 */
    gl_renderer *renderer = frame->renderer;
    bool any = false;
    for (uint32_t r = 0; r < frame->run_count; r++) {
        const gl_run *run = &frame->runs[r];
        any = any || (is_blended(frame, run) && !is_ground(frame, run));
        if (is_ground(frame, run)) { /* lies behind all other transparent surfaces */
            glDepthMask(GL_FALSE);
            glEnable(GL_BLEND);
            glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
            const mrw_status status = draw_surface(frame, run, false, 0, error);
            if (status) {
                return status;
            }
        }
    }
    if (!any) {
        return MRW_OK;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.layer[1]);
    glClearBufferuiv(GL_COLOR, 1, beyond);
    for (uint32_t i = 0; i < MOST_LAYERS; i++) {
        mrw_status status = draw_layer(frame, (int)i, &any, error);
        if (status || !any) {
            return status;
        }
        renderer->layers = i + 1 > renderer->layers ? i + 1 : renderer->layers;
        status = put_over(renderer, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Draws opaque and masked surfaces, and keeps which triangle each sample shows: there its fragments
 * are shaded. */
static mrw_status draw_solid(const gl_frame *frame, mrw_error *error)
{
    clear_sample(frame->renderer);
    for (uint32_t r = 0; r < frame->run_count; r++) {
        const mrw_status status = is_blended(frame, &frame->runs[r])
                                      ? MRW_OK
                                      : draw_surface(frame, &frame->runs[r], false, 0, error);
        if (status) {
            return status;
        }
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, frame->renderer->targets.seen);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    glCopyTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, (GLint)frame->pass.sample, 0, 0,
                        (GLsizei)frame->job->width, (GLsizei)frame->job->height);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    return MRW_OK;
}

bool gl_needs_all_seen(const gl_frame *frame)
{
    bool any = false;
    for (uint32_t d = 0; d < frame->job->draw_count && frame->job->samples > 1; d++) {
        any = any || frame->job->draws[d].material->alpha_mode == MRW_ALPHA_MASK;
    }
    return any;
}

mrw_status gl_find_seen(gl_frame *frame, mrw_error *error)
{
    frame->pass.finds = true;
    const mrw_status status = draw_solid(frame, error);
    frame->pass.finds = false;
    return status;
}

mrw_status gl_draw_sample(const gl_frame *frame, mrw_error *error)
{
    const mrw_status status = draw_solid(frame, error);
    if (status) {
        return status;
    }
    mask_second(false);
    return draw_blended(frame, error);
}
