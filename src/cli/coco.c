/* coco.c: joints as key points, boxes and masks, in the JSON of the COCO data set (Lin et al.,
 * "Microsoft COCO: Common Objects in Context", 2014): one document for all pictures. */
#include "cli.h"

#include <stdlib.h>

/* ---- key points ------------------------------------------------------------------------------ */

/* Numbers of key points from 1, 0 for other nodes; the caller frees them. They are the joints that
 * mrw_bake_joints_find lists: those of all skins, or all nodes of a scene without any. */
static uint32_t *number_nodes(const mrw_scene *scene)
{
    uint32_t *numbers = calloc((size_t)scene->nodes_count + 1, sizeof *numbers);
    uint32_t count = 0;
    for (uint32_t j = 0; numbers && j < scene->joints_count; j++) {
        numbers[scene->joints[j]] = 1;
    }
    for (uint32_t n = 0; numbers && n < scene->nodes_count; n++) {
        numbers[n] = numbers[n] > 0 || scene->joints_count == 0 ? ++count : 0;
    }
    return numbers;
}

/* The number of the nearest key point above a node, or 0. */
static uint32_t number_above(const mrw_scene *scene, const uint32_t *numbers, uint32_t node)
{
    uint32_t above = scene->nodes[node].parent;
    while (above != MRW_NONE && numbers[above] == 0) {
        above = scene->nodes[above].parent;
    }
    return above == MRW_NONE ? 0 : numbers[above];
}

/* 0: not in the picture; 1: hidden by something else than its own flesh; 2: visible. */
static uint32_t visibility(const mrw_bake_joint *joint)
{
    const bool seen = joint->inside && joint->depth01 >= 0.0 && joint->depth01 <= 1.0;
    return !seen ? 0 : joint->occluded ? 1 : 2;
}

static void key_points_json(const mrw_bake_joints *joints, mrw_json *json)
{
    uint32_t count = 0;
    mrw_json_open(mrw_json_key(json, "keypoints"), '[');
    for (uint32_t i = 0; i < joints->count; i++) {
        const mrw_bake_joint *joint = &joints->items[i];
        const uint32_t seen = visibility(joint);
        mrw_json_double(json, seen > 0 ? joint->x : 0.0);
        mrw_json_double(json, seen > 0 ? joint->y : 0.0);
        mrw_json_uint(json, seen);
        count += seen > 0;
    }
    mrw_json_close(json, ']');
    mrw_json_uint(mrw_json_key(json, "num_keypoints"), count);
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* The place of an instance's category, from 1: one for each scene, in the order of instances. */
static uint32_t category_of(const mrw_session *session, uint32_t instance)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= instance; i++) {
        uint32_t first = 0;
        while (session->scenes[first] != session->scenes[i]) {
            first++;
        }
        count += first == i;
        if (session->scenes[i] == session->scenes[instance]) {
            break;
        }
    }
    return count;
}

static void mask_json(const mrw_frame_def *frame, const mrw_bake_mask *mask, mrw_json *json)
{
    mrw_json_uints(mrw_json_key(json, "bbox"), mask->box, 4);
    mrw_json_uint(mrw_json_key(json, "area"), mask->area);
    mrw_json_open(mrw_json_key(json, "segmentation"), '{');
    mrw_json_uints(mrw_json_key(json, "size"), (uint32_t[]){frame->height, frame->width}, 2);
    mrw_json_uints(mrw_json_key(json, "counts"), mask->runs, (int)mask->run_count);
    mrw_json_close(json, '}');
}

static mrw_status annotate(const mrw_session *session, const mrw_sequence_frame *shown,
                           const mrw_bake_joints_job *work, const mrw_bake_mask *mask,
                           mrw_json *json, mrw_error *error)
{
    mrw_bake_joints joints;
    mrw_status status = mrw_bake_joints_find(work, &joints, error);
    if (status != MRW_OK) {
        return status;
    }
    mrw_json_break(json, "  ");
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "id"),
                  (uint64_t)shown->index * session->instance_count + work->instance + 1);
    mrw_json_uint(mrw_json_key(json, "image_id"), (uint64_t)shown->index + 1);
    mrw_json_uint(mrw_json_key(json, "category_id"), category_of(session, work->instance));
    mrw_json_uint(mrw_json_key(json, "instance"), work->instance);
    mrw_json_uint(mrw_json_key(json, "iscrowd"), 0);
    mask_json(shown->def, mask, json);
    key_points_json(&joints, json);
    mrw_json_close(json, '}');
    mrw_bake_joints_free(&joints);
    return MRW_OK;
}

mrw_status cli_coco_masks(const mrw_session *session, const mrw_sequence_frame *shown,
                          mrw_bake_masks *out, mrw_error *error)
{
    mrw_legend legend;
    mrw_status status =
        mrw_frame_legend(shown->instances, shown->instance_count, NULL, &legend, error);
    if (status != MRW_OK) {
        return status;
    }
    uint32_t *owners = calloc((size_t)legend.draw_count + 1, sizeof *owners);
    for (uint32_t i = 0; owners && i < legend.draw_count; i++) {
        owners[i] = legend.draws[i].instance;
    }
    status = owners ? mrw_bake_masks_find(mrw_frame_aov(shown->renderer, 0), owners,
                                          session->instance_count, out, error)
                    : cli_fail_memory(error);
    free(owners);
    mrw_legend_free(&legend);
    return status;
}

mrw_status cli_coco_annotations(const mrw_session *session, const mrw_sequence_frame *shown,
                                const mrw_bake_joints_job *work, const mrw_bake_masks *masks,
                                mrw_text *out, mrw_error *error)
{
    mrw_bake_joints_job one = *work;
    mrw_json json = {0};
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < masks->count && status == MRW_OK; i++) {
        one.instance = i;
        if (masks->items[i].area > 0) {
            status = annotate(session, shown, &one, &masks->items[i], &json, error);
        }
    }
    *out = json.text;
    return status;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void images_json(const mrw_session *session, const cli_plan *plan,
                        const mrw_output_files *names, mrw_json *json)
{
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "images"), '[');
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        const mrw_picture *at = &plan->pictures.items[i];
        mrw_json_break(json, "  ");
        mrw_json_open(json, '{');
        mrw_json_uint(mrw_json_key(json, "id"), (uint64_t)i + 1);
        mrw_json_string(mrw_json_key(json, "file_name"), names->paths[names->of[i]]);
        mrw_json_uint(mrw_json_key(json, "width"), session->frame.width);
        mrw_json_uint(mrw_json_key(json, "height"), session->frame.height);
        mrw_json_string(mrw_json_key(json, "clip"),
                        at->clip == MRW_NONE ? NULL
                                             : mrw_session_clip_name(session->model, at->clip));
        mrw_json_uint(mrw_json_key(json, "frame"), at->frame);
        mrw_json_double(mrw_json_key(json, "time"), at->time);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static bool category_json(const mrw_session *session, uint32_t instance, mrw_json *json)
{
    const mrw_scene *scene = session->scenes[instance];
    uint32_t *numbers = number_nodes(scene);
    char name[MRW_SESSION_NAME_SIZE];
    if (!numbers) {
        return false;
    }
    mrw_session_instance_name(session, instance, name);
    mrw_json_break(json, "  ");
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "id"), category_of(session, instance));
    mrw_json_string(mrw_json_key(json, "name"), name);
    mrw_json_string(mrw_json_key(json, "supercategory"), "model");
    mrw_json_open(mrw_json_key(json, "keypoints"), '[');
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (numbers[n] > 0) {
            mrw_json_string(json, mrw_scene_string(scene, scene->nodes[n].name));
        }
    }
    mrw_json_close(json, ']');
    mrw_json_open(mrw_json_key(json, "skeleton"), '[');
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const uint32_t edge[2] = {number_above(scene, numbers, n), numbers[n]};
        if (edge[0] > 0 && edge[1] > 0) {
            mrw_json_uints(json, edge, 2);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    free(numbers);
    return true;
}

void cli_coco_document(const mrw_session *session, const cli_plan *plan,
                       const mrw_output_files *names, const mrw_text *annotations, mrw_json *json)
{
    uint32_t categories = 0;
    mrw_json_open(json, '{');
    mrw_json_open(mrw_json_key(json, "info"), '{');
    mrw_json_string(mrw_json_key(json, "description"), session->model->path);
    mrw_json_close(json, '}');
    images_json(session, plan, names, json);
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "annotations"), '[');
    if (annotations->size > 0) {
        mrw_text_put(&json->text, annotations->data, annotations->size);
    }
    json->text.failed = json->text.failed || annotations->failed;
    mrw_json_close(json, ']');
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "categories"), '[');
    for (uint32_t i = 0; i < session->instance_count; i++) {
        if (category_of(session, i) > categories) {
            categories++;
            json->text.failed = !category_json(session, i, json) || json->text.failed;
        }
    }
    mrw_json_close(json, ']');
    mrw_json_break(json, " ");
    mrw_json_key(json, "legend");
    cli_legend_json(session, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}
