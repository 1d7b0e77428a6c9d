/* coco.c: joints as key points, boxes and masks, in the JSON of the COCO data set (Lin et al.,
 * "Microsoft COCO: Common Objects in Context", 2014): one document for all pictures. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

/* ---- key points ------------------------------------------------------------------------------ */

/* Numbers the key points of a scene from 1; other nodes get 0. Key points are the joints that
 * mrw_bake_joints_find lists: those of all skins, or all nodes of a scene without skins. Returns
 * NULL if memory runs out; the caller frees the result. */
static uint32_t *number_nodes(const mrw_scene *scene)
{
    uint32_t *numbers = mrwi_base_alloc_zero((size_t)scene->nodes_count + 1, sizeof *numbers);
    uint32_t count = 0;
    if (!numbers) {
        return NULL;
    }
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        numbers[scene->joints[j]] = 1;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        numbers[n] = numbers[n] > 0 || scene->joints_count == 0 ? ++count : 0;
    }
    return numbers;
}

/* Adds x, y and the visibility of a point; zeros for a point that is not labelled (NULL) or not in
 * the picture. COCO's visibility is 0 for these, 1 for a joint that something else than its own
 * flesh hides, and 2 for a visible one. Returns true if the point is in the picture. */
static bool key_point_json(const mrw_bake_joint *joint, mrw_json *json)
{
    const bool seen = joint && joint->inside && joint->depth01 >= 0.0 && joint->depth01 <= 1.0;
    mrw_json_double(json, seen ? joint->x : 0.0);
    mrw_json_double(json, seen ? joint->y : 0.0);
    mrw_json_uint(json, !seen ? 0 : joint->occluded ? 1 : 2);
    return seen;
}

/* ---- people ---------------------------------------------------------------------------------- */

static const char *const person_points[MRW_PERSON_POINTS] = {
    "nose",           "left_eye",   "right_eye",   "left_ear",   "right_ear",   "left_shoulder",
    "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_hip",
    "right_hip",      "left_knee",  "right_knee",  "left_ankle", "right_ankle"};

/* The skeleton of person_keypoints_*.json. */
static const uint32_t person_skeleton[][2] = {
    {16, 14}, {14, 12}, {17, 15}, {15, 13}, {12, 13}, {6, 12}, {7, 13}, {6, 7}, {6, 8}, {7, 9},
    {8, 10},  {9, 11},  {2, 3},   {1, 2},   {1, 3},   {2, 4},  {3, 5},  {4, 6}, {5, 7}};

mrw_status mrw_coco_people_find(const mrw_session *session, mrw_coco_people *out, mrw_error *error)
{
    const uint32_t count = session->instance_count;
    char safe[512];
    *out = (mrw_coco_people){0};
    if (session->model->settings->output.joints_format != 2) {
        return MRW_OK;
    }
    out->nodes = mrwi_base_alloc_zero(count, sizeof *out->nodes);
    out->found = mrwi_base_alloc_zero(count, sizeof *out->found);
    if (!out->nodes || !out->found) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_status status =
            mrw_bake_find_person(session->scenes[i], out->nodes[i], &out->found[i], error);
        if (status) {
            return status;
        }
    }
    if (!out->found[0]) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: --joints-format coco-17 needs a human figure whose arms and legs are "
            "named as in a common rig; coco writes all joints",
            mrw_escape_text(session->model->path, safe, sizeof safe));
    }
    return MRW_OK;
}

void mrw_coco_people_free(mrw_coco_people *people)
{
    mrwi_base_free(people->nodes);
    mrwi_base_free(people->found);
    *people = (mrw_coco_people){0};
}

static bool is_person(const mrw_coco_people *people, uint32_t instance)
{
    return people->found && people->found[instance];
}

/* Returns the joint of a node, or NULL. */
static const mrw_bake_joint *joint_of(const mrw_bake_joints *joints, uint32_t node)
{
    for (uint32_t i = 0; i < joints->count; i++) {
        if (joints->items[i].node == node) {
            return &joints->items[i];
        }
    }
    return NULL;
}

/* Adds the key points of an instance: its joints, or a person's points if people are wanted. They
 * are not labelled for an instance that is not a person. */
static void key_points_json(const mrw_bake_joints *joints, const mrw_coco_people *people,
                            uint32_t instance, mrw_json *json)
{
    const uint32_t *nodes = is_person(people, instance) ? people->nodes[instance] : NULL;
    const uint32_t points = people->found ? MRW_PERSON_POINTS : joints->count;
    uint32_t count = 0;
    mrw_json_open(mrw_json_key(json, "keypoints"), '[');
    for (uint32_t i = 0; i < points; i++) {
        const mrw_bake_joint *joint = !people->found ? &joints->items[i]
                                      : nodes        ? joint_of(joints, nodes[i])
                                                     : NULL;
        count += key_point_json(joint, json);
    }
    mrw_json_close(json, ']');
    mrw_json_uint(mrw_json_key(json, "num_keypoints"), count);
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* Returns true if two instances are of one category: they show one scene, or both are people. */
static bool is_alike(const mrw_session *session, const mrw_coco_people *people, uint32_t a,
                     uint32_t b)
{
    return session->scenes[a] == session->scenes[b] ||
           (is_person(people, a) && is_person(people, b));
}

/* Returns the number of an instance's category. Categories are numbered from 1 in the order of
 * their first instances. */
static uint32_t category_of(const mrw_session *session, const mrw_coco_people *people,
                            uint32_t instance)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= instance; i++) {
        uint32_t first = 0;
        while (!is_alike(session, people, first, i)) {
            first++;
        }
        count += first == i;
        if (is_alike(session, people, i, instance)) {
            break;
        }
    }
    return count;
}

/* Adds the annotation of the instance that `work` names. */
static mrw_status annotate(const mrw_session *session, const mrw_coco_people *people,
                           const mrw_sequence_frame *shown, const mrw_bake_joints_job *work,
                           const mrw_bake_mask *mask, mrw_json *json, mrw_error *error)
{
    const mrw_frame_def *frame = shown->def;
    mrw_bake_joints joints;
    const mrw_status status = mrw_bake_joints_find(work, &joints, error);
    if (status) {
        return status;
    }
    mrw_json_break(json, "  ");
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "id"),
                  (uint64_t)shown->index * session->instance_count + work->instance + 1);
    mrw_json_uint(mrw_json_key(json, "image_id"), (uint64_t)shown->index + 1);
    mrw_json_uint(mrw_json_key(json, "category_id"), category_of(session, people, work->instance));
    mrw_json_uint(mrw_json_key(json, "instance"), work->instance);
    mrw_json_uint(mrw_json_key(json, "iscrowd"), 0);
    mrw_json_uints(mrw_json_key(json, "bbox"), mask->box, 4);
    mrw_json_uint(mrw_json_key(json, "area"), mask->area);
    mrw_json_open(mrw_json_key(json, "segmentation"), '{');
    mrw_json_uints(mrw_json_key(json, "size"), (uint32_t[]){frame->height, frame->width}, 2);
    mrw_json_uints(mrw_json_key(json, "counts"), mask->runs, (int)mask->run_count);
    mrw_json_close(json, '}');
    key_points_json(&joints, people, work->instance, json);
    mrw_json_close(json, '}');
    mrw_bake_joints_free(&joints);
    return MRW_OK;
}

mrw_status mrw_coco_masks_find(const mrw_session *session, const mrw_sequence_frame *shown,
                               mrw_bake_masks *out, mrw_error *error)
{
    const mrw_image *numbers = mrw_frame_aov(shown->renderer, 0);
    mrw_legend legend;
    mrw_status status =
        mrw_frame_legend(shown->instances, shown->instance_count, NULL, &legend, error);
    if (status) {
        return status;
    }
    uint32_t *owners = mrwi_base_alloc_zero((size_t)legend.draw_count + 1, sizeof *owners);
    if (!owners) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    for (uint32_t i = 0; i < legend.draw_count; i++) {
        owners[i] = legend.draws[i].instance;
    }
    status = mrw_bake_masks_find(numbers, owners, session->instance_count, out, error);
out:
    mrwi_base_free(owners);
    mrw_legend_free(&legend);
    return status;
}

mrw_status mrw_coco_annotate(const mrw_session *session, const mrw_coco_people *people,
                             const mrw_sequence_frame *shown, const mrw_bake_joints_job *work,
                             const mrw_bake_masks *masks, mrw_text *out, mrw_error *error)
{
    mrw_bake_joints_job one = *work;
    mrw_json json = {0};
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < masks->count; i++) {
        one.instance = i;
        if (masks->items[i].area > 0) {
            status = annotate(session, people, shown, &one, &masks->items[i], &json, error);
        }
        if (status) {
            break;
        }
    }
    *out = json.text;
    return status;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void images_json(const mrw_session *session, const mrw_plan *plan,
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
        if (plan->view_count > 1) {
            mrw_json_string(mrw_json_key(json, "view"), plan->views[at->view].name);
        }
        mrw_json_uint(mrw_json_key(json, "frame"), at->frame);
        mrw_json_double(mrw_json_key(json, "time"), at->time);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void person_category_json(uint32_t id, mrw_json *json)
{
    mrw_json_break(json, "  ");
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "id"), id);
    mrw_json_string(mrw_json_key(json, "name"), "person");
    mrw_json_string(mrw_json_key(json, "supercategory"), "person");
    mrw_json_open(mrw_json_key(json, "keypoints"), '[');
    for (uint32_t k = 0; k < MRW_PERSON_POINTS; k++) {
        mrw_json_string(json, person_points[k]);
    }
    mrw_json_close(json, ']');
    mrw_json_open(mrw_json_key(json, "skeleton"), '[');
    for (size_t i = 0; i < sizeof person_skeleton / sizeof *person_skeleton; i++) {
        mrw_json_uints(json, person_skeleton[i], 2);
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
}

/* Adds the category of the scene of an instance. */
static void scene_category_json(const mrw_session *session, uint32_t instance, uint32_t id,
                                mrw_json *json)
{
    const mrw_scene *scene = session->scenes[instance];
    uint32_t *numbers = number_nodes(scene);
    char name[MRW_SESSION_NAME_SIZE];
    if (!numbers) {
        json->text.failed = true;
        return;
    }
    mrw_session_instance_name(session, instance, name);
    mrw_json_break(json, "  ");
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "id"), id);
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
        uint32_t above = scene->nodes[n].parent; /* the nearest key point above */
        while (above != MRW_NONE && numbers[above] == 0) {
            above = scene->nodes[above].parent;
        }
        if (numbers[n] > 0 && above != MRW_NONE) {
            mrw_json_uints(json, (uint32_t[]){numbers[above], numbers[n]}, 2);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    mrwi_base_free(numbers);
}

void mrw_coco_document_json(const mrw_session *session, const mrw_coco_people *people,
                            const mrw_plan *plan, const mrw_output_files *names,
                            const mrw_text *annotations, mrw_json *json)
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
        const uint32_t id = category_of(session, people, i);
        if (id <= categories) {
            continue; /* the category of an earlier instance */
        }
        categories++;
        if (is_person(people, i)) {
            person_category_json(id, json);
        } else {
            scene_category_json(session, i, id, json);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_break(json, " ");
    mrw_json_key(json, "legend");
    mrw_plan_legend_json(session, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}
