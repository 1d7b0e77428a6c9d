/* skin.c: moves vertices on the device: each draw's into its part of one buffer, from which
 * surfaces are drawn, and which their fragments look corners up in. */
#include "gl/draw.h"

#include <stdlib.h>
#include <string.h>

#define CORNER 48 /* bytes: position, normal, tangent */

static const char *const captured[] = {"world_position", "world_normal", "world_tangent"};
static const gl_sources skin_sources = {{"skin.vert"}, {"none.frag"}, captured, 3};

/* The weights of all targets of a mesh; of those that are off 0. */
static mrw_status fill_weights(gl_renderer *renderer, const mrw_vertex_source *source,
                               mrw_error *error)
{
    const mrw_scene *scene = source->scene;
    const mrw_mesh *mesh = &scene->meshes[scene->draws[source->draw].mesh];
    float *weights = calloc((size_t)mesh->target_count + 1, sizeof *weights);
    if (!weights) {
        return gl_fail(error, MRW_ERROR_MEMORY, "out of memory");
    }
    for (uint32_t i = 0, t = 0; i < source->target_count && t < mesh->target_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        if (target->entry_count > 0 &&
            source->targets[i].vertices == scene->morph_vertices + target->first_entry) {
            weights[t] = source->targets[i++].weight;
        }
    }
    const mrw_status status = gl_table_fill(&renderer->weights, GL_R32F, weights,
                                            mesh->target_count * sizeof *weights, error);
    free(weights);
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
    const size_t count = scene->skins[skin].joint_count;
    mrw_status status = source->skin.motions
                            ? gl_table_fill(&renderer->palette, GL_RGBA32F, source->skin.motions,
                                            count * sizeof *source->skin.motions, error)
                            : gl_table_fill(&renderer->palette, GL_RGBA32F, source->skin.palette,
                                            count * sizeof *source->skin.palette, error);
    if (status == MRW_OK && source->skin.motions && source->skin.scales) {
        status = gl_table_fill(&renderer->scales, GL_RGBA32F, source->skin.scales,
                               count * sizeof *source->skin.scales, error);
    }
    return status;
}

static mrw_status skin_draw(gl_frame *frame, uint32_t d, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const mrw_vertex_source *source = &frame->description->sources[d];
    const gl_mesh *mesh = frame->meshes[d];
    const bool morphed = mesh->morphed && source->target_count > 0;
    const bool skinned = source->scene->draws[source->draw].skin != MRW_NONE;
    char defines[200] = "";
    GLuint program;
    strcat(defines, mesh->tangents ? "#define TANGENTS\n" : "");
    strcat(defines, morphed ? "#define MORPHED\n" : "");
    strcat(defines, source->skin.motions ? "#define MOTIONS\n" : "");
    strcat(defines, source->skin.motions && source->skin.scales ? "#define SCALES\n" : "");
    mrw_status status = fill_joints(renderer, source, error);
    if (status == MRW_OK && morphed) {
        status = fill_weights(renderer, source, error);
    }
    if (status == MRW_OK) {
        status = gl_program_find(renderer->programs, &skin_sources, defines, &program, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    glUseProgram(program);
    gl_set_int(program, "has_skin", skinned);
    gl_set_int(program, "cofactor_normals", source->skin.cofactor_normals);
    glUniformMatrix4fv(glGetUniformLocation(program, "rigid"), 1, GL_FALSE, source->skin.rigid->m);
    gl_table_bind(&mesh->ranges, program, "ranges", 0);
    gl_table_bind(&mesh->influences, program, "influences", 1);
    gl_table_bind(&renderer->palette, program, "palette", 2);
    gl_table_bind(&renderer->scales, program, "scales", 3);
    gl_table_bind(&mesh->morph_ranges, program, "morph_ranges", 4);
    gl_table_bind(&mesh->morph_entries, program, "morph_entries", 5);
    gl_table_bind(&renderer->weights, program, "morph_weights", 6);
    glBindVertexArray(mesh->skinning);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, renderer->corners,
                      (GLintptr)frame->firsts[d] * CORNER, (GLsizeiptr)mesh->vertex_count * CORNER);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, (GLsizei)mesh->vertex_count);
    glEndTransformFeedback();
    renderer->draw_calls++;
    return MRW_OK;
}

/* Vertices that are there already. */
static mrw_status copy_draw(const gl_frame *frame, uint32_t d, mrw_error *error)
{
    const mrw_raster_draw *draw = &frame->job->draws[d];
    float(*corners)[3][4] = calloc((size_t)draw->vertex_count + 1, sizeof *corners);
    if (!corners) {
        return gl_fail(error, MRW_ERROR_MEMORY, "out of memory");
    }
    for (size_t v = 0; v < draw->vertex_count; v++) {
        memcpy(corners[v][0], draw->positions + 4 * v, sizeof corners[v][0]);
        memcpy(corners[v][1], draw->normals + 4 * v, sizeof corners[v][1]);
        if (draw->tangents) {
            memcpy(corners[v][2], draw->tangents + 4 * v, sizeof corners[v][2]);
        }
    }
    glBindBuffer(GL_ARRAY_BUFFER, frame->renderer->corners);
    glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)frame->firsts[d] * CORNER,
                    (GLsizeiptr)draw->vertex_count * CORNER, corners);
    free(corners);
    return MRW_OK;
}

mrw_status gl_skin(gl_frame *frame, mrw_error *error)
{
    gl_renderer *renderer = frame->renderer;
    const uint32_t count = frame->job->draw_count;
    const size_t vertices =
        count > 0 ? (size_t)frame->firsts[count - 1] + frame->meshes[count - 1]->vertex_count : 0;
    mrw_status status =
        gl_table_make(&renderer->corner_table, GL_RGBA32F, vertices * CORNER, error);
    renderer->corners = renderer->corner_table.buffer;
    glEnable(GL_RASTERIZER_DISCARD);
    for (uint32_t d = 0; d < count && status == MRW_OK; d++) {
        if (frame->meshes[d]->vertex_count == 0) {
            continue;
        }
        status = frame->description->sources[d].model ? skin_draw(frame, d, error)
                                                      : copy_draw(frame, d, error);
    }
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl_table_take_buffer(&renderer->corner_table);
    return status;
}
