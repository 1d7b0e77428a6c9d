/* pick.c: what a picture shows at a pixel: draw, triangle, point, joints. */
#include "marrow/session.h"
#include "plan/internal.h"

#include <string.h>

/* Passes that answer, in the order in which they are requested. */
enum { ID, TRIANGLE, BARYCENTRIC, POSITION, DEPTH, DISTANCE, JOINT, PASSES };

const mrw_aov_request *mrw_pick_requests(uint32_t *count)
{
    static const mrw_aov_request requests[PASSES] = {
        [ID] = {.aov = MRW_AOV_ID},
        [TRIANGLE] = {.aov = MRW_AOV_TRIANGLE},
        [BARYCENTRIC] = {.aov = MRW_AOV_BARYCENTRIC},
        [POSITION] = {.aov = MRW_AOV_POSITION},
        [DEPTH] = {.aov = MRW_AOV_DEPTH},
        [DISTANCE] = {.aov = MRW_AOV_DISTANCE},
        [JOINT] = {.aov = MRW_AOV_JOINT},
    };
    *count = PASSES;
    return requests;
}

/* Returns the first channel of a pixel of a pass. */
static const void *value_at(const mrw_renderer *renderer, uint32_t pass, const uint32_t pixel[2])
{
    const mrw_image *image = mrw_frame_aov(renderer, pass);
    const size_t at = (size_t)pixel[1] * image->width + pixel[0];
    return image->pixels + at * image->channels * mrw_format_size(image->format);
}

mrw_status mrw_pick_at(const mrw_legend *legend, const mrw_sequence_frame *shown,
                       const uint32_t pixel[2], mrw_pick *out, mrw_error *error)
{
    const mrw_renderer *renderer = shown->renderer;
    uint32_t id, triangle;
    *out = (mrw_pick){.pixel = {pixel[0], pixel[1]}};
    memcpy(&id, value_at(renderer, ID, pixel), sizeof id);
    if (id == 0) {
        return MRW_OK;
    }
    memcpy(&triangle, value_at(renderer, TRIANGLE, pixel), sizeof triangle);
    memcpy(out->barycentric, value_at(renderer, BARYCENTRIC, pixel), sizeof out->barycentric);
    memcpy(out->position, value_at(renderer, POSITION, pixel), sizeof out->position);
    memcpy(&out->depth, value_at(renderer, DEPTH, pixel), sizeof out->depth);
    memcpy(&out->distance, value_at(renderer, DISTANCE, pixel), sizeof out->distance);
    memcpy(&out->joint, value_at(renderer, JOINT, pixel), sizeof out->joint);
    out->draw = &legend->draws[id - 1];
    out->triangle = triangle - 1;
    return mrw_frame_point_joints(&shown->instances[out->draw->instance], out->draw->draw,
                                  out->triangle, out->barycentric, &out->joints, error);
}

void mrw_pick_free(mrw_pick *pick)
{
    mrw_point_joints_free(&pick->joints);
    *pick = (mrw_pick){.draw = NULL};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void joints_json(const mrw_scene *scene, const mrw_pick *pick, mrw_json *json)
{
    const mrw_point_joints *joints = &pick->joints;
    mrw_json_uint(mrw_json_key(json, "joint_number"), pick->joint);
    mrw_json_string(mrw_json_key(json, "joint"),
                    pick->joint > 0 ? mrw_scene_string(scene, scene->nodes[pick->joint - 1].name)
                                    : NULL);
    mrw_json_open(mrw_json_key(json, "weights"), '[');
    for (uint32_t i = 0; i < joints->count; i++) {
        const mrw_joint_weight *at = &joints->items[i];
        mrw_json_open(json, '{');
        mrw_json_string(mrw_json_key(json, "joint"),
                        mrw_scene_string(scene, scene->nodes[at->node].name));
        mrw_json_uint(mrw_json_key(json, "node_index"), at->node);
        mrw_json_double(mrw_json_key(json, "weight"), at->weight);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

void mrw_pick_json(const mrw_session *session, const mrw_pick *pick, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "x"), pick->pixel[0]);
    mrw_json_uint(mrw_json_key(json, "y"), pick->pixel[1]);
    mrw_json_key(json, "surface");
    if (!pick->draw) {
        mrw_json_null(json);
        mrw_json_close(json, '}');
        return;
    }
    mrw_json_open(json, '{');
    mrw_plan_legend_draw_json(session, pick->draw, json);
    mrw_json_uint(mrw_json_key(json, "triangle"), pick->triangle);
    mrw_json_uint(mrw_json_key(json, "triangle_number"), pick->triangle + 1);
    mrw_json_floats(mrw_json_key(json, "barycentric"), pick->barycentric, 3);
    mrw_json_floats(mrw_json_key(json, "position"), pick->position, 3);
    mrw_json_double(mrw_json_key(json, "depth"), (double)pick->depth);
    mrw_json_double(mrw_json_key(json, "distance"), (double)pick->distance);
    joints_json(session->scenes[pick->draw->instance], pick, json);
    mrw_json_close(json, '}');
    mrw_json_close(json, '}');
}
