/* material_channels.c: channels that animate materials, in a builder and in a scene. */
#include "scene/build.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t width;
} properties[MRW_PROPERTY_COUNT] = {
    [MRW_PROPERTY_BASE_COLOR] = {"base colour", 4},
    [MRW_PROPERTY_ROUGHNESS] = {"roughness", 1},
    [MRW_PROPERTY_METALLIC] = {"metallic factor", 1},
    [MRW_PROPERTY_EMISSIVE_COLOR] = {"emissive colour", 3},
    [MRW_PROPERTY_EMISSIVE_STRENGTH] = {"emissive strength", 1},
    [MRW_PROPERTY_ALPHA_CUTOFF] = {"alpha cutoff", 1},
    [MRW_PROPERTY_UV_OFFSET] = {"texture offset", 2},
    [MRW_PROPERTY_UV_ROTATION] = {"texture rotation", 1},
    [MRW_PROPERTY_UV_SCALE] = {"texture scale", 2},
};

uint32_t mrwi_scene_property_width(mrw_material_property property)
{
    return properties[property].width;
}

bool mrwi_scene_property_fits(uint32_t property, uint32_t map)
{
    switch (property) {
    case MRW_PROPERTY_BASE_COLOR:
    case MRW_PROPERTY_ALPHA_CUTOFF:
        return map == MRW_MAP_BASE_COLOR;
    case MRW_PROPERTY_ROUGHNESS:
    case MRW_PROPERTY_METALLIC:
        return map == MRW_MAP_METALLIC_ROUGHNESS;
    case MRW_PROPERTY_EMISSIVE_COLOR:
    case MRW_PROPERTY_EMISSIVE_STRENGTH:
        return map == MRW_MAP_EMISSIVE;
    default:
        return property < MRW_PROPERTY_COUNT && map < MRW_MAP_COUNT;
    }
}

/* ---- pushing --------------------------------------------------------------------------------- */

/* A label: `clip 0 "Glow": emissive colour of material 3 "Lamp"`. */
typedef char target_label[400];
static const char *label_target(const mrwi_scene_draft *draft, uint32_t clip,
                                const mrwi_scene_material_target *target, target_label out)
{
    const char *strings = draft->names.text.data;
    mrwi_scene_label clip_label, material_label;
    mrwi_scene_label_of(clip_label, "clip", clip,
                        strings + MRWI_SCENE_AT(draft, clips, mrw_clip, clip).full_name);
    mrwi_scene_label_of(material_label, "material", target->material,
                        strings +
                            MRWI_SCENE_AT(draft, materials, mrw_material, target->material).name);
    snprintf(out, sizeof(target_label), "%s: %s of %s", clip_label,
             properties[target->property].name, material_label);
    return out;
}

mrw_status mrwi_scene_builder_material_channel(mrwi_scene_builder *b,
                                               const mrwi_scene_material_target *target,
                                               const mrwi_scene_channel_input *in, double *first,
                                               mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    assert(MRWI_SCENE_COUNT(draft, clips) > 0);
    assert(target->material < MRWI_SCENE_COUNT(draft, materials));
    assert(mrwi_scene_property_fits(target->property, target->map));
    const uint32_t clip = MRWI_SCENE_COUNT(draft, clips) - 1;
    mrwi_scene_channel_input keys_in = *in;
    keys_in.path = MRW_PATH_WEIGHTS; /* plain numbers */
    keys_in.width = properties[target->property].width;
    mrwi_scene_keys keys;
    mrwi_scene_repairs repairs;
    mrw_status status =
        mrwi_scene_take_keys(draft, &b->budget.keys, &b->scratch, &keys_in, &keys, &repairs, error);
    if (!status && mrwi_scene_is_repaired(&repairs)) {
        target_label label;
        mrwi_scene_warn_of_keys(&b->warnings, &repairs, label_target(draft, clip, target, label));
    }
    *first = NAN;
    if (!status && keys.count > 0) {
        const mrw_material_channel channel = {.clip = clip,
                                              .material = target->material,
                                              .map = target->map,
                                              .property = target->property,
                                              .interpolation = in->interpolation,
                                              .key_count = keys.count,
                                              .first_time = keys.first_time,
                                              .first_value = keys.first_value};
        uint32_t index;
        *first = MRWI_SCENE_AT(draft, key_times, double, keys.first_time);
        status =
            mrwi_scene_push(draft, MRWI_SCENE_SECTION_material_channels, &channel, &index, error);
    }
    return mrwi_scene_settle(b, status);
}

/* ---- finishing ------------------------------------------------------------------------------- */

static int compare_targets(const mrw_material_channel *x, const mrw_material_channel *y)
{
    if (x->material != y->material) {
        return x->material < y->material ? -1 : 1;
    }
    if (x->map != y->map) {
        return x->map < y->map ? -1 : 1;
    }
    return x->property < y->property ? -1 : x->property > y->property;
}

/* Compares targets. Channels of one target stay in the order in which they were pushed, which is
 * that of their keys. */
static int compare_channels(const void *a, const void *b)
{
    const mrw_material_channel *x = a, *y = b;
    const int order = compare_targets(x, y);
    return order ? order : x->first_time < y->first_time ? -1 : x->first_time > y->first_time;
}

static mrw_status keep_channel(const mrwi_scene_draft *draft, mrwi_scene_key_pools *pools,
                               mrw_material_channel *channel, mrw_error *error)
{
    const uint32_t parts = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const uint32_t width = properties[channel->property].width;
    mrwi_scene_keys keys = {channel->key_count, channel->first_time, channel->first_value};
    mrw_status status =
        mrwi_scene_keep_keys(draft, pools, &keys, (mrwi_scene_row){parts, width, width}, error);
    channel->first_time = keys.first_time;
    channel->first_value = keys.first_value;
    return status;
}

/* Channels are pushed clip by clip, so those of this clip come next. */
mrw_status mrwi_scene_finish_material_channels(mrwi_scene_draft *draft,
                                               mrwi_scene_warnings *warnings, uint32_t clip,
                                               mrwi_scene_channels_read *progress,
                                               mrwi_scene_key_pools *pools, mrw_error *error)
{
    const mrwi_scene_pool *pool = &draft->pools[MRWI_SCENE_SECTION_material_channels];
    mrw_material_channel *all = pool->data;
    mrw_clip *owner = &MRWI_SCENE_AT(draft, clips, mrw_clip, clip);
    const uint32_t begin = progress->read, kept = progress->kept;
    uint32_t end = begin;
    mrw_status status = MRW_OK;
    while (end < pool->count && all[end].clip == clip) {
        end++;
    }
    if (end - begin > 1) {
        qsort(all + begin, end - begin, sizeof *all, compare_channels);
    }
    for (uint32_t i = begin; i < end && !status; i++) {
        mrw_material_channel channel = all[i];
        const uint32_t at = progress->kept;
        if (at > kept && compare_targets(&all[at - 1], &channel) == 0) {
            const mrwi_scene_material_target target = {channel.material, (mrw_map)channel.map,
                                                       (mrw_material_property)channel.property};
            target_label label;
            mrwi_scene_warn(warnings, "%s: a second channel for it is ignored",
                            label_target(draft, clip, &target, label));
            continue;
        }
        const double last =
            MRWI_SCENE_AT(draft, key_times, double, channel.first_time + channel.key_count - 1);
        owner->duration = last > owner->duration ? last : owner->duration;
        status = keep_channel(draft, pools, &channel, error);
        all[progress->kept++] = channel;
    }
    progress->read = end;
    return status;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Finds the first entry of a clip or a later one. */
static uint32_t find_first(const mrw_scene *scene, uint64_t clip)
{
    uint32_t low = 0, high = scene->material_channels_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scene->material_channels[middle].clip < clip) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t mrw_scene_material_channels(const mrw_scene *scene, uint32_t clip, uint32_t *first)
{
    *first = 0;
    if (scene->material_channels_count == 0 || clip == MRW_NONE) {
        return 0;
    }
    *first = find_first(scene, clip);
    return find_first(scene, (uint64_t)clip + 1) - *first;
}
