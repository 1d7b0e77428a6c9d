/* validate.c: the one place that checks the invariants of a scene, as if an attacker had written
 * it.
 *
 * Runs of entries must follow each other without gaps or overlaps ("take"): so each entry is
 * checked once and the time is linear, whatever the file says. */
#include "scene/blob.h"
#include "scene/maps.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

typedef struct checker {
    const mrw_scene *scene;
    uint32_t names; /* bytes of the strings that may contain names */
    const char *label;
    mrw_error *error;
    uint32_t used[MRWI_SCENE_SECTION_COUNT]; /* per section: number of entries taken so far */
    uint32_t *joint_ends;                    /* per mesh: 1 + greatest joint */
} checker;

static mrw_status refuse(const checker *c, const char *kind, uint32_t index, const char *what)
{
    return mrwi_base_fail(c->error, MRW_ERROR_INPUT, "%s: damaged scene: %s %u: %s", c->label, kind,
                          index, what);
}

static uint32_t count_of(const checker *c, mrwi_scene_section section)
{
    const mrwi_scene_blob_header *header = c->scene->blob;
    return (uint32_t)header->sections[section].count;
}

/* Takes the next `count` entries of a section, which must begin at `first`. */
static bool take(checker *c, mrwi_scene_section section, uint32_t first, uint64_t count)
{
    uint32_t *used = &c->used[section];
    if (first != *used || count > count_of(c, section) - *used) {
        return false;
    }
    *used += (uint32_t)count;
    return true;
}

/* Takes an attribute that may be missing. */
static bool take_maybe(checker *c, mrwi_scene_section section, uint32_t first, uint64_t count)
{
    return first == MRW_NONE || take(c, section, first, count);
}

static bool name_valid(const checker *c, uint32_t offset)
{
    return offset < c->names;
}

static bool near_one(double value)
{
    return value > 1.0 - 1e-4 && value < 1.0 + 1e-4;
}

static bool unit_vectors(const float *v, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++, v += stride) {
        if (!near_one((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2])) {
            return false;
        }
    }
    return true;
}

static bool unit_quaternion(const float *q)
{
    return near_one((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] +
                    (double)q[3] * q[3]);
}

static bool affine(const mrw_mat4 *m)
{
    return mrwi_base_all_finite(m->m, 16) && m->m[3] == 0.0f && m->m[7] == 0.0f &&
           m->m[11] == 0.0f && m->m[15] == 1.0f;
}

/* ---- strings and nodes ----------------------------------------------------------------------- */

static mrw_status check_strings(checker *c)
{
    const mrw_scene *s = c->scene;
    uint32_t count = s->strings_count;
    if (c->names == 0 || c->names > count || s->strings[0] != '\0' ||
        s->strings[c->names - 1] != '\0' || s->strings[count - 1] != '\0') {
        return refuse(c, "string", 0, "not terminated");
    }
    if (s->format >= count) {
        return refuse(c, "string", s->format, "the format's name is missing");
    }
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        if (s->warnings[i] >= count) {
            return refuse(c, "warning", i, "its text is missing");
        }
    }
    return MRW_OK;
}

static bool node_transform_valid(checker *c, const mrw_node *node)
{
    const mrw_transform *rest = &node->rest;
    if (!mrwi_base_all_finite(rest->translation, 3) || !mrwi_base_all_finite(rest->scale, 3) ||
        !unit_quaternion(rest->rotation)) {
        return false;
    }
    if (node->matrix == MRW_NONE) {
        return true;
    }
    return take(c, MRWI_SCENE_SECTION_matrices, node->matrix, 1) &&
           affine(&c->scene->matrices[node->matrix]);
}

static mrw_status check_nodes(checker *c)
{
    const mrw_scene *s = c->scene;
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        const mrw_node *node = &s->nodes[i];
        if (!name_valid(c, node->name)) {
            return refuse(c, "node", i, "its name is missing");
        }
        if (node->parent != MRW_NONE && node->parent >= i) {
            return refuse(c, "node", i, "its parent does not come before it");
        }
        if (!node_transform_valid(c, node)) {
            return refuse(c, "node", i, "its transform is out of range");
        }
        if ((node->flags & ~(MRW_NODE_HIDDEN | MRW_NODE_OWN_VISIBILITY | MRW_NODE_NOT_SHOWN)) !=
            0) {
            return refuse(c, "node", i, "it has unknown flags");
        }
        if (!take(c, MRWI_SCENE_SECTION_weights, node->first_weight, node->weight_count) ||
            !mrwi_base_all_finite(s->weights + node->first_weight, node->weight_count)) {
            return refuse(c, "node", i, "its morph weights are out of range");
        }
    }
    return MRW_OK;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static bool mesh_attributes_valid(checker *c, const mrw_mesh *m)
{
    const mrw_scene *s = c->scene;
    size_t count = m->vertex_count;
    if (!take(c, MRWI_SCENE_SECTION_positions, m->position, count) ||
        !take(c, MRWI_SCENE_SECTION_normals, m->normal, count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_tangents, m->tangent, count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_uvs, m->uv[0], count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_uvs, m->uv[1], count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_colors, m->color, count)) {
        return false;
    }
    for (size_t i = 0; m->tangent != MRW_NONE && i < count; i++) {
        if (fabsf(s->tangents[4 * (m->tangent + i) + 3]) != 1.0f) {
            return false;
        }
    }
    if (m->tangent != MRW_NONE && !unit_vectors(s->tangents + 4 * (size_t)m->tangent, count, 4)) {
        return false;
    }
    return unit_vectors(s->normals + 3 * (size_t)m->normal, count, 3);
}

static bool mesh_indices_valid(checker *c, const mrw_mesh *m)
{
    uint64_t count = (uint64_t)m->triangle_count * 3;
    if (!take(c, MRWI_SCENE_SECTION_indices, m->first_index, count)) {
        return false;
    }
    const uint32_t *indices = c->scene->indices + m->first_index;
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        most = indices[i] > most ? indices[i] : most;
    }
    return count == 0 || most < m->vertex_count;
}

/* Checks influences: positive, descending, ties by ascending joint, each joint once among equals,
 * with the sum one. */
static bool influences_valid(const uint16_t *joints, const float *weights, uint32_t count,
                             uint32_t *joint_end)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] > 0.0f && weights[i] <= 2.0f)) {
            return false;
        }
        if (i > 0 && (weights[i] > weights[i - 1] ||
                      (weights[i] == weights[i - 1] && joints[i] <= joints[i - 1]))) {
            return false;
        }
        sum += weights[i];
        *joint_end = joints[i] >= *joint_end ? joints[i] + 1u : *joint_end;
    }
    return near_one(sum);
}

static bool group_valid(checker *c, const mrw_influence_group *group, uint32_t *joint_end)
{
    const mrw_scene *s = c->scene;
    uint64_t total = (uint64_t)group->vertex_count * group->influence_count;
    if (group->vertex_count == 0 ||
        !take(c, MRWI_SCENE_SECTION_influence_joints, group->first_influence, total) ||
        !take(c, MRWI_SCENE_SECTION_influence_weights, group->first_influence, total)) {
        return false;
    }
    uint32_t per_vertex = group->influence_count;
    for (uint64_t at = group->first_influence; per_vertex > 0 && total > 0;
         at += per_vertex, total -= per_vertex) {
        if (!influences_valid(s->influence_joints + at, s->influence_weights + at, per_vertex,
                              joint_end)) {
            return false;
        }
    }
    return true;
}

/* Checks groups, which must cover the vertices in order and grow in influence count. */
static bool mesh_groups_valid(checker *c, const mrw_mesh *m, uint32_t *joint_end)
{
    if (!take(c, MRWI_SCENE_SECTION_groups, m->first_group, m->group_count)) {
        return false;
    }
    uint64_t vertices = 0;
    uint32_t most = 0;
    for (uint32_t g = 0; g < m->group_count; g++) {
        const mrw_influence_group *group = &c->scene->groups[m->first_group + g];
        if (group->first_vertex != vertices || (g > 0 && group->influence_count <= most) ||
            !group_valid(c, group, joint_end)) {
            return false;
        }
        vertices += group->vertex_count;
        most = group->influence_count;
    }
    return vertices == m->vertex_count && most == m->max_influences;
}

static bool target_valid(checker *c, const mrw_morph_target *target, uint32_t vertex_count)
{
    uint32_t count = target->entry_count;
    if (!name_valid(c, target->name) ||
        !take(c, MRWI_SCENE_SECTION_morph_vertices, target->first_entry, count) ||
        !take(c, MRWI_SCENE_SECTION_morph_positions, target->first_entry, count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_morph_normals, target->normal, count) ||
        !take_maybe(c, MRWI_SCENE_SECTION_morph_tangents, target->tangent, count)) {
        return false;
    }
    const uint32_t *vertices = c->scene->morph_vertices + target->first_entry;
    for (uint32_t e = 0; e < count; e++) {
        if (vertices[e] >= vertex_count || (e > 0 && vertices[e] <= vertices[e - 1])) {
            return false;
        }
    }
    return true;
}

static bool mesh_targets_valid(checker *c, const mrw_mesh *m)
{
    if (!take(c, MRWI_SCENE_SECTION_targets, m->first_target, m->target_count)) {
        return false;
    }
    for (uint32_t t = 0; t < m->target_count; t++) {
        if (!target_valid(c, &c->scene->targets[m->first_target + t], m->vertex_count)) {
            return false;
        }
    }
    return true;
}

static mrw_status check_mesh(checker *c, uint32_t index)
{
    const mrw_mesh *m = &c->scene->meshes[index];
    if (!name_valid(c, m->name)) {
        return refuse(c, "mesh", index, "its name is missing");
    }
    if (m->material != MRW_NONE && m->material >= c->scene->materials_count) {
        return refuse(c, "mesh", index, "its material is missing");
    }
    if (m->flags & ~(MRW_MESH_NONUNIFORM | MRW_MESH_COMPUTED_NORMALS | MRW_MESH_BONES |
                     MRW_MESH_FLAT_NORMALS)) {
        return refuse(c, "mesh", index, "it has unknown flags");
    }
    if (!mesh_attributes_valid(c, m)) {
        return refuse(c, "mesh", index, "its vertices are out of range");
    }
    if (!mesh_indices_valid(c, m)) {
        return refuse(c, "mesh", index, "its indices are out of range");
    }
    if (!mesh_groups_valid(c, m, &c->joint_ends[index])) {
        return refuse(c, "mesh", index, "its influences are out of range");
    }
    if (!mesh_targets_valid(c, m)) {
        return refuse(c, "mesh", index, "its morph targets are out of range");
    }
    return MRW_OK;
}

static mrw_status check_meshes(checker *c)
{
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < c->scene->meshes_count; i++) {
        status = check_mesh(c, i);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- skins and draws ------------------------------------------------------------------------- */

static mrw_status check_skins(checker *c)
{
    const mrw_scene *s = c->scene;
    for (uint32_t i = 0; i < s->skins_count; i++) {
        const mrw_skin *skin = &s->skins[i];
        uint32_t count = skin->joint_count;
        if (!name_valid(c, skin->name) || count == 0 || count > UINT16_MAX ||
            !take(c, MRWI_SCENE_SECTION_joints, skin->first_joint, count) ||
            !take(c, MRWI_SCENE_SECTION_geometry_to_joint, skin->first_joint, count)) {
            return refuse(c, "skin", i, "its joints are out of range");
        }
        for (uint32_t j = skin->first_joint; j < skin->first_joint + count; j++) {
            if (s->joints[j] >= s->nodes_count || !affine(&s->geometry_to_joint[j])) {
                return refuse(c, "skin", i, "a joint is out of range");
            }
        }
    }
    return MRW_OK;
}

/* Checks that some skin has the joints of each mesh, drawn or not. A scene without skins has no
 * palette that joints could exceed. */
static mrw_status check_joint_ends(checker *c)
{
    const mrw_scene *s = c->scene;
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->skins_count; i++) {
        most = s->skins[i].joint_count > most ? s->skins[i].joint_count : most;
    }
    for (uint32_t i = 0; i < s->meshes_count && most > 0; i++) {
        if (c->joint_ends[i] > most) {
            return refuse(c, "mesh", i, "no skin has the joints of its influences");
        }
    }
    return MRW_OK;
}

static bool draw_valid(const checker *c, const mrw_draw *draw)
{
    const mrw_scene *s = c->scene;
    if (draw->node >= s->nodes_count || draw->mesh >= s->meshes_count) {
        return false;
    }
    const mrw_mesh *mesh = &s->meshes[draw->mesh];
    if (s->nodes[draw->node].weight_count < mesh->target_count) {
        return false;
    }
    if (draw->skin == MRW_NONE) {
        return mesh->max_influences == 0;
    }
    return draw->skin < s->skins_count &&
           c->joint_ends[draw->mesh] <= s->skins[draw->skin].joint_count;
}

static mrw_status check_draws(checker *c)
{
    for (uint32_t i = 0; i < c->scene->draws_count; i++) {
        if (!draw_valid(c, &c->scene->draws[i])) {
            return refuse(c, "draw", i, "its node, mesh and skin do not fit together");
        }
    }
    return MRW_OK;
}

/* ---- clips ----------------------------------------------------------------------------------- */

static bool times_valid(const double *times, uint32_t count, double duration)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(times[i]) || times[i] > duration || (i > 0 && times[i] <= times[i - 1])) {
            return false;
        }
    }
    return true;
}

static bool rotations_valid(const mrw_channel *channel, const float *values)
{
    bool linear = channel->interpolation == MRW_INTERPOLATION_LINEAR;
    for (uint32_t i = 0; i < channel->key_count; i++) {
        const float *q = values + 4 * (size_t)i, *p = q - 4;
        if (!unit_quaternion(q)) {
            return false;
        }
        if (linear && i > 0 && (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]) < 0.0f) {
            return false;
        }
    }
    return true;
}

static bool visibilities_valid(const mrw_channel *channel, const float *values)
{
    for (uint32_t i = 0; i < channel->key_count; i++) {
        if (values[i] != 0.0f && values[i] != 1.0f) {
            return false;
        }
    }
    return true;
}

static bool width_valid(const checker *c, const mrw_channel *channel)
{
    switch (channel->path) {
    case MRW_PATH_TRANSLATION:
    case MRW_PATH_SCALE:
        return channel->width == 3;
    case MRW_PATH_ROTATION:
        return channel->width == 4;
    case MRW_PATH_VISIBILITY:
        return channel->width == 1 && channel->interpolation == MRW_INTERPOLATION_STEP;
    case MRW_PATH_WEIGHTS:
        return channel->width > 0 && channel->width == c->scene->nodes[channel->node].weight_count;
    default:
        return false;
    }
}

static bool extrapolation_valid(const mrw_channel *channel, uint32_t how, uint32_t cycles)
{
    const bool repeats = how >= MRW_EXTRAPOLATION_REPEAT;
    return how <= MRW_EXTRAPOLATION_REPEAT_RELATIVE && (repeats || cycles == 0) &&
           (how == MRW_EXTRAPOLATION_HOLD || channel->key_count > 1);
}

static bool channel_valid(checker *c, const mrw_channel *channel, double duration)
{
    const mrw_scene *s = c->scene;
    if (channel->node >= s->nodes_count || !width_valid(c, channel) ||
        channel->interpolation > MRW_INTERPOLATION_CUBICSPLINE || channel->key_count == 0 ||
        !extrapolation_valid(channel, channel->before, channel->before_cycles) ||
        !extrapolation_valid(channel, channel->after, channel->after_cycles)) {
        return false;
    }
    bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    uint64_t floats = (uint64_t)channel->key_count * channel->width; /* below 2^64 / 3: see take */
    if (floats > MRWI_SCENE_SECTION_LIMIT ||
        !take(c, MRWI_SCENE_SECTION_key_times, channel->first_time, channel->key_count) ||
        !take(c, MRWI_SCENE_SECTION_key_values, channel->first_value,
              cubic ? 3 * floats : floats)) {
        return false;
    }
    const float *values = s->key_values + channel->first_value;
    if (!times_valid(s->key_times + channel->first_time, channel->key_count, duration)) {
        return false;
    }
    if (channel->path == MRW_PATH_VISIBILITY) {
        return visibilities_valid(channel, values);
    }
    return channel->path != MRW_PATH_ROTATION || cubic || rotations_valid(channel, values);
}

/* Checks that channels are in strictly increasing order of node and path, so each is animated
 * once. */
static bool channels_ordered(const mrw_channel *a, const mrw_channel *b)
{
    return a->node < b->node || (a->node == b->node && a->path < b->path);
}

static bool material_channel_valid(checker *c, const mrw_material_channel *channel, double duration)
{
    const mrw_scene *s = c->scene;
    if (channel->material >= s->materials_count ||
        !mrwi_scene_property_fits(channel->property, channel->map) ||
        channel->interpolation > MRW_INTERPOLATION_CUBICSPLINE || channel->key_count == 0) {
        return false;
    }
    const uint32_t width = mrwi_scene_property_width((mrw_material_property)channel->property);
    const uint32_t parts = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    return take(c, MRWI_SCENE_SECTION_key_times, channel->first_time, channel->key_count) &&
           take(c, MRWI_SCENE_SECTION_key_values, channel->first_value,
                (uint64_t)channel->key_count * width * parts) &&
           times_valid(s->key_times + channel->first_time, channel->key_count, duration);
}

/* Checks that each property has one channel, sorted. */
static bool material_channels_ordered(const mrw_material_channel *a, const mrw_material_channel *b)
{
    if (a->material != b->material) {
        return a->material < b->material;
    }
    return a->map != b->map ? a->map < b->map : a->property < b->property;
}

/* Checks the material channels of the next clip, which follow those of the clips before it. */
static bool material_channels_valid(checker *c, uint32_t clip)
{
    const mrw_scene *s = c->scene;
    const mrw_material_channel *all = s->material_channels;
    const uint32_t begin = c->used[MRWI_SCENE_SECTION_material_channels];
    uint32_t at = begin;
    for (; at < s->material_channels_count && all[at].clip == clip; at++) {
        if ((at > begin && !material_channels_ordered(&all[at - 1], &all[at])) ||
            !material_channel_valid(c, &all[at], s->clips[clip].duration)) {
            return false;
        }
    }
    c->used[MRWI_SCENE_SECTION_material_channels] = at;
    return true;
}

static mrw_status check_clips(checker *c)
{
    const mrw_scene *s = c->scene;
    for (uint32_t i = 0; i < s->clips_count; i++) {
        const mrw_clip *clip = &s->clips[i];
        if (!name_valid(c, clip->name) || !name_valid(c, clip->full_name)) {
            return refuse(c, "clip", i, "its name is missing");
        }
        if (!isfinite(clip->start) || !isfinite(clip->duration) || clip->duration < 0.0) {
            return refuse(c, "clip", i, "its times are out of range");
        }
        if (!take(c, MRWI_SCENE_SECTION_channels, clip->first_channel, clip->channel_count)) {
            return refuse(c, "clip", i, "its channels are out of range");
        }
        const mrw_channel *channels = s->channels + clip->first_channel;
        for (uint32_t k = 0; k < clip->channel_count; k++) {
            if ((k > 0 && !channels_ordered(&channels[k - 1], &channels[k])) ||
                !channel_valid(c, &channels[k], clip->duration)) {
                return refuse(c, "clip", i, "a channel is out of range");
            }
        }
        if (!material_channels_valid(c, i)) {
            return refuse(c, "clip", i, "a material channel is out of range");
        }
    }
    if (s->default_clip >= s->clips_count && s->default_clip > 0) {
        return refuse(c, "clip", s->default_clip, "it is played by default, but does not exist");
    }
    return MRW_OK;
}

/* ---- materials, cameras, lights -------------------------------------------------------------- */

/* Takes the texels of an image that is neither unseen nor undecoded. */
static bool take_texels(checker *c, const mrw_image_info *image)
{
    const uint32_t used = c->used[MRWI_SCENE_SECTION_texels];
    const void *first = used < c->scene->texels_count ? c->scene->texels + (size_t)used * 4 : NULL;
    return first && take(c, MRWI_SCENE_SECTION_texels, image->first_texel,
                         mrwi_scene_image_texels(image, first));
}

static bool image_valid(checker *c, const mrw_image_info *image)
{
    const uint32_t known =
        MRW_IMAGE_EMBEDDED | MRW_IMAGE_MISSING | MRW_IMAGE_ALPHA | MRW_IMAGE_DEEP;
    if (image->flags & MRW_IMAGE_UNSEEN) {
        return name_valid(c, image->name) && name_valid(c, image->path) && image->width == 0 &&
               image->height == 0 && (image->flags & ~MRW_IMAGE_EMBEDDED) == MRW_IMAGE_UNSEEN &&
               take(c, MRWI_SCENE_SECTION_texels, image->first_texel, 0);
    }
    const bool undecoded = (image->flags & MRW_IMAGE_UNDECODED) != 0;
    const uint32_t allowed = undecoded ? MRW_IMAGE_EMBEDDED | MRW_IMAGE_ALPHA | MRW_IMAGE_UNDECODED
                             : (image->flags & MRW_IMAGE_ENCODED) != 0
                                 ? MRW_IMAGE_EMBEDDED | MRW_IMAGE_ENCODED
                                 : known;
    return name_valid(c, image->name) && name_valid(c, image->path) && image->width > 0 &&
           image->width <= MRWI_SCENE_IMAGE_SIDE_LIMIT && image->height > 0 &&
           image->height <= MRWI_SCENE_IMAGE_SIDE_LIMIT && (image->flags & ~allowed) == 0 &&
           (undecoded ? take(c, MRWI_SCENE_SECTION_texels, image->first_texel, 0)
                      : take_texels(c, image));
}

static bool texture_valid(const checker *c, const mrw_texture *texture)
{
    return name_valid(c, texture->name) && texture->image < c->scene->images_count &&
           texture->wrap_u <= MRW_WRAP_MIRROR && texture->wrap_v <= MRW_WRAP_MIRROR &&
           texture->nearest <= 1 && texture->minify <= MRW_MINIFY_NEAREST;
}

static bool material_valid(const checker *c, const mrw_material *material)
{
    return name_valid(c, material->name) &&
           mrwi_scene_material_valid(material, c->scene->textures_count);
}

/* Checks that the images that a draw shows, which are valid, have texels. */
static bool draw_seen(const mrw_scene *s, const mrw_draw *draw)
{
    const uint32_t index = s->meshes[draw->mesh].material;
    const mrw_material *material = index == MRW_NONE ? NULL : &s->materials[index];
    const mrw_material_map *shown;
    mrw_map map;
    for (uint32_t next = 0; (shown = mrwi_scene_drawn_map(material, &next, &map));) {
        if (s->images[s->textures[shown->texture].image].flags & MRW_IMAGE_UNSEEN) {
            return false;
        }
    }
    return true;
}

static mrw_status check_materials(checker *c)
{
    const mrw_scene *s = c->scene;
    for (uint32_t i = 0; i < s->images_count; i++) {
        if (!image_valid(c, &s->images[i])) {
            return refuse(c, "image", i, "out of range");
        }
    }
    for (uint32_t i = 0; i < s->textures_count; i++) {
        if (!texture_valid(c, &s->textures[i])) {
            return refuse(c, "texture", i, "out of range");
        }
    }
    for (uint32_t i = 0; i < s->materials_count; i++) {
        if (!material_valid(c, &s->materials[i])) {
            return refuse(c, "material", i, "out of range");
        }
    }
    for (uint32_t i = 0; i < s->draws_count; i++) {
        if (!draw_seen(s, &s->draws[i])) {
            return refuse(c, "draw", i, "its image has no texels");
        }
    }
    return MRW_OK;
}

static mrw_status check_cameras_and_lights(checker *c)
{
    const mrw_scene *s = c->scene;
    for (uint32_t i = 0; i < s->cameras_count; i++) {
        if (!name_valid(c, s->cameras[i].name) || s->cameras[i].node >= s->nodes_count ||
            !mrwi_scene_camera_valid(&s->cameras[i])) {
            return refuse(c, "camera", i, "out of range");
        }
    }
    for (uint32_t i = 0; i < s->lights_count; i++) {
        if (!name_valid(c, s->lights[i].name) || s->lights[i].node >= s->nodes_count ||
            !mrwi_scene_light_valid(&s->lights[i])) {
            return refuse(c, "light", i, "out of range");
        }
    }
    return MRW_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Checks the pools of floats without a rule of their own. */
static mrw_status check_floats(checker *c)
{
    static const mrwi_scene_section pools[] = {
        MRWI_SCENE_SECTION_positions,     MRWI_SCENE_SECTION_uvs,
        MRWI_SCENE_SECTION_colors,        MRWI_SCENE_SECTION_morph_positions,
        MRWI_SCENE_SECTION_morph_normals, MRWI_SCENE_SECTION_morph_tangents,
        MRWI_SCENE_SECTION_key_values};
    const mrwi_scene_blob_header *header = c->scene->blob;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        const mrwi_scene_blob_section *section = &header->sections[pools[i]];
        const float *values =
            (const float *)(const void *)((const char *)c->scene->blob + section->offset);
        size_t count =
            (size_t)section->count * mrwi_scene_sections[pools[i]].entry_size / sizeof(float);
        if (!mrwi_base_all_finite(values, count)) {
            return mrwi_base_fail(c->error, MRW_ERROR_INPUT,
                                  "%s: damaged scene: a value in its %s is not finite", c->label,
                                  mrwi_scene_sections[pools[i]].name);
        }
    }
    return MRW_OK;
}

/* Checks that every entry of a shared pool is used. */
static mrw_status check_all_used(checker *c)
{
    static const mrwi_scene_section pools[] = {MRWI_SCENE_SECTION_matrices,
                                               MRWI_SCENE_SECTION_weights,
                                               MRWI_SCENE_SECTION_indices,
                                               MRWI_SCENE_SECTION_positions,
                                               MRWI_SCENE_SECTION_normals,
                                               MRWI_SCENE_SECTION_tangents,
                                               MRWI_SCENE_SECTION_uvs,
                                               MRWI_SCENE_SECTION_colors,
                                               MRWI_SCENE_SECTION_groups,
                                               MRWI_SCENE_SECTION_influence_joints,
                                               MRWI_SCENE_SECTION_influence_weights,
                                               MRWI_SCENE_SECTION_targets,
                                               MRWI_SCENE_SECTION_morph_vertices,
                                               MRWI_SCENE_SECTION_morph_positions,
                                               MRWI_SCENE_SECTION_morph_normals,
                                               MRWI_SCENE_SECTION_morph_tangents,
                                               MRWI_SCENE_SECTION_joints,
                                               MRWI_SCENE_SECTION_geometry_to_joint,
                                               MRWI_SCENE_SECTION_channels,
                                               MRWI_SCENE_SECTION_material_channels,
                                               MRWI_SCENE_SECTION_key_times,
                                               MRWI_SCENE_SECTION_key_values,
                                               MRWI_SCENE_SECTION_texels};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        if (c->used[pools[i]] != count_of(c, pools[i])) {
            return mrwi_base_fail(c->error, MRW_ERROR_INPUT,
                                  "%s: damaged scene: not all of its %s are used", c->label,
                                  mrwi_scene_sections[pools[i]].name);
        }
    }
    return MRW_OK;
}

mrw_status mrwi_scene_validate(const mrw_scene *scene, uint32_t hashed_strings, const char *label,
                               mrw_error *error)
{
    static mrw_status (*const steps[])(checker *) = {
        check_strings,    check_floats, check_nodes, check_meshes,    check_skins,
        check_joint_ends, check_draws,  check_clips, check_materials, check_cameras_and_lights,
        check_all_used};
    checker c = {.scene = scene, .names = hashed_strings, .label = label, .error = error};
    c.joint_ends = mrwi_base_alloc_zero(scene->meshes_count, sizeof *c.joint_ends);
    if (!c.joint_ends) {
        return mrwi_base_fail_memory(error, scene->meshes_count * sizeof *c.joint_ends);
    }
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        status = steps[i](&c);
        if (status) {
            goto out;
        }
    }
out:
    mrwi_base_free(c.joint_ends);
    return status;
}
