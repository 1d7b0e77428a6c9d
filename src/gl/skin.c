/* skin.c: moves vertices on the device. Each run writes its part of one buffer. Surfaces are drawn
 * from that buffer, and their fragments look up the corners of triangles in it. */
#include "gl/draw.h"

#include <stdlib.h>
#include <string.h>

#define CORNER 48 /* bytes: position, normal, tangent */

static const char *const captured[] = {"world_position", "world_normal", "world_tangent"};
static const gl_sources skin_sources = {{"skin.vert"}, {"none.frag"}, captured, 3};

/* Fills the weights of all targets of all parts: 0 for those that are off. */
static mrw_status fill_weights(gl_renderer *renderer, const gl_parts *parts, uint32_t count,
                               mrw_error *error)
{
    float *weights = calloc((size_t)count + 1, sizeof *weights), *part = weights;
    if (!weights) {
        return mrw_fail_memory(error, 0);
    }
    for (uint32_t p = 0; p < parts->count; p++) {
        const mrw_vertex_source *source = &parts->sources[p];
        const mrw_scene *scene = source->scene;
        const mrw_mesh *mesh = &scene->meshes[scene->draws[source->draw].mesh];
        for (uint32_t i = 0, t = 0; i < source->target_count && t < mesh->target_count; t++) {
            const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
            if (target->entry_count > 0 &&
                source->targets[i].vertices == scene->morph_vertices + target->first_entry) {
                part[t] = source->targets[i++].weight;
            }
        }
        part += mesh->target_count;
    }
    const mrw_status status =
        gl_table_fill(&renderer->tables.weights, GL_R32F, weights, count * sizeof *weights, error);
    free(weights);
    return status;
}

/* Fills the matrices of vertices without influences, one per part. */
static mrw_status fill_rigids(gl_renderer *renderer, const gl_parts *parts, mrw_error *error)
{
    mrw_mat4 *rigids = malloc(parts->count * sizeof *rigids);
    if (!rigids) {
        return mrw_fail_memory(error, 0);
    }
    for (uint32_t p = 0; p < parts->count; p++) {
        rigids[p] = *parts->sources[p].skin.rigid;
    }
    const mrw_status status = gl_table_fill(&renderer->tables.rigids, GL_RGBA32F, rigids,
                                            parts->count * sizeof *rigids, error);
    free(rigids);
    return status;
}

static mrw_status fill_joints(gl_renderer *renderer, const mrw_vertex_source *source,
                              mrw_error *error)
{
    const mrw_scene *scene = source->scene;
    const uint32_t skin = scene->draws[source->draw].skin;
    if (skin == MRW_NONE) {
        return MRW_OK;
    }
    const size_t count = scene->skins[skin].joint_count; /* one skin for all parts */
    mrw_status status =
        source->skin.motions
            ? gl_table_fill(&renderer->tables.palette, GL_RGBA32F, source->skin.motions,
                            count * sizeof *source->skin.motions, error)
            : gl_table_fill(&renderer->tables.palette, GL_RGBA32F, source->skin.palette,
                            count * sizeof *source->skin.palette, error);
    if (status) {
        return status;
    }
    return source->skin.motions && source->skin.scales
               ? gl_table_fill(&renderer->tables.scales, GL_RGBA32F, source->skin.scales,
                               count * sizeof *source->skin.scales, error)
               : MRW_OK;
}

static bool is_morphed(const gl_parts *parts)
{
    bool any = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        any = any || parts->sources[p].target_count > 0;
    }
    return any;
}

static mrw_status skin_run(const gl_frame *frame, const gl_run *run, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const gl_parts parts = gl_run_parts(frame, run);
    const mrw_vertex_source *source = &parts.sources[0];
    const gl_mesh *mesh = run->mesh;
    const bool morphed = is_morphed(&parts);
    const bool skinned = source->scene->draws[source->draw].skin != MRW_NONE;
    char defines[200] = "";
    GLuint program;
    strcat(defines, mesh->surface.tangents ? "#define TANGENTS\n" : "");
    strcat(defines, morphed ? "#define MORPHED\n" : "");
    strcat(defines, source->skin.motions ? "#define MOTIONS\n" : "");
    strcat(defines, source->skin.motions && source->skin.scales ? "#define SCALES\n" : "");
    mrw_status status = fill_joints(renderer, source, error);
    if (status) {
        return status;
    }
    if (morphed) {
        status = fill_weights(renderer, &parts, mesh->skin.target_count, error);
        if (status) {
            return status;
        }
    }
    status = fill_rigids(renderer, &parts, error);
    if (status) {
        return status;
    }
    status = gl_program_find(renderer->programs, &skin_sources, defines, &program, error);
    if (status) {
        return status;
    }
    glUseProgram(program);
    gl_set_int(program, "has_skin", skinned);
    gl_set_int(program, "cofactor_normals", source->skin.cofactor_normals);
    gl_table_bind(&mesh->skin.ranges, program, "ranges", 0);
    gl_table_bind(&mesh->skin.influences, program, "influences", 1);
    gl_table_bind(&renderer->tables.palette, program, "palette", 2);
    gl_table_bind(&renderer->tables.scales, program, "scales", 3);
    gl_table_bind(&mesh->skin.morph_ranges, program, "morph_ranges", 4);
    gl_table_bind(&mesh->skin.morph_entries, program, "morph_entries", 5);
    gl_table_bind(&renderer->tables.weights, program, "morph_weights", 6);
    gl_table_bind(&renderer->tables.rigids, program, "rigids", 7);
    glBindVertexArray(mesh->skin.array);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, renderer->tables.corners.buffer,
                      (GLintptr)run->first_vertex * CORNER,
                      (GLsizeiptr)mesh->vertex_count * CORNER);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, (GLsizei)mesh->vertex_count);
    glEndTransformFeedback();
    renderer->draw_calls++;
    return MRW_OK;
}

/* Uploads vertices that are already final. */
static mrw_status copy_draw(const gl_frame *frame, const gl_run *run, mrw_error *error)
{
    const mrw_raster_draw *draw = &frame->job->draws[run->draw];
    float(*corners)[3][4] = calloc((size_t)draw->vertex_count + 1, sizeof *corners);
    if (!corners) {
        return mrw_fail_memory(error, 0);
    }
    for (size_t v = 0; v < draw->vertex_count; v++) {
        memcpy(corners[v][0], draw->positions + 4 * v, sizeof corners[v][0]);
        memcpy(corners[v][1], draw->normals + 4 * v, sizeof corners[v][1]);
        if (draw->tangents) {
            memcpy(corners[v][2], draw->tangents + 4 * v, sizeof corners[v][2]);
        }
    }
    glBindBuffer(GL_ARRAY_BUFFER, frame->renderer->tables.corners.buffer);
    glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)run->first_vertex * CORNER,
                    (GLsizeiptr)draw->vertex_count * CORNER, corners);
    free(corners);
    return MRW_OK;
}

mrw_status gl_skin(const gl_frame *frame, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    size_t vertices = 0;
    for (uint32_t r = 0; r < frame->run_count; r++) {
        vertices += frame->runs[r].mesh->vertex_count;
    }
    mrw_status status =
        gl_table_make(&renderer->tables.corners, GL_RGBA32F, vertices * CORNER, error);
    if (status) {
        return status;
    }
    glEnable(GL_RASTERIZER_DISCARD);
    for (uint32_t r = 0; r < frame->run_count; r++) {
        const gl_run *run = &frame->runs[r];
        if (run->mesh->vertex_count > 0) {
            status = frame->description->sources[run->draw].model ? skin_run(frame, run, error)
                                                                  : copy_draw(frame, run, error);
        }
        if (status) {
            break;
        }
    }
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl_table_take_buffer(&renderer->tables.corners);
    return status;
}
