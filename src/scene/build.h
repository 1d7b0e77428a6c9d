/* build.h: the internals of a builder, which the files that fill and finish it share. */
#ifndef MRWI_SCENE_BUILD_H
#define MRWI_SCENE_BUILD_H

#include "base/memory.h"
#include "scene/blob.h"
#include "scene/builder.h"
#include "scene/table.h"

/* A growable array of the entries of one section. */
typedef struct mrwi_scene_pool {
    void *data;
    uint32_t count;
    uint32_t capacity;
} mrwi_scene_pool;

/* A pool of NUL-terminated strings, each stored once. */
typedef struct mrwi_scene_names {
    mrwi_scene_pool text;
    mrwi_scene_table table;
} mrwi_scene_names;

/* A scene under construction: the entries of its sections so far. Strings and warnings are added
 * when finishing. */
typedef struct mrwi_scene_draft {
    char file[256]; /* the file's name, escaped, for messages */
    mrwi_scene_pool pools[MRWI_SCENE_SECTION_COUNT];
    mrwi_scene_names names;
} mrwi_scene_draft;

#define MRWI_SCENE_WARNING_LIMIT 200

/* Repaired and omitted things, one line each. */
typedef struct mrwi_scene_warnings {
    mrwi_scene_names texts;
    mrwi_scene_pool offsets; /* offsets into texts.text */
    uint32_t left_out;       /* number of warnings over the limit */
    mrw_status failed;       /* why a warning was lost; reported at the end */
} mrwi_scene_warnings;

/* The texels of an image; their section has only a count. */
typedef struct mrwi_scene_picture {
    uint8_t *rgba;    /* NULL if there are none, or if same_as has them */
    uint32_t same_as; /* an earlier image with these texels, or MRW_NONE */
    bool deep;        /* MRW_IMAGE_DEEP */
    bool encoded;     /* MRW_IMAGE_ENCODED */
    uint8_t *opacity; /* see mrwi_scene_texels */
} mrwi_scene_picture;

/* Data of images, textures and materials besides their entries. */
typedef struct mrwi_scene_materials {
    mrwi_scene_picture *pictures; /* one per image */
    uint32_t picture_room;
    mrwi_scene_table same_image, same_texture, same_material; /* find equal entries */
    bool hides_textures;
} mrwi_scene_materials;

/* A limit on entries, and the number that may still be pushed. */
typedef struct mrwi_scene_quota {
    uint64_t limit, left;
} mrwi_scene_quota;

/* The quotas of mrwi_scene_limits. */
typedef struct mrwi_scene_budget {
    mrwi_scene_quota vertices, joints, keys;
} mrwi_scene_budget;

typedef struct mrwi_scene_builder {
    mrwi_scene_draft draft;
    mrwi_scene_warnings warnings;
    mrwi_scene_materials materials;
    mrwi_scene_pool mesh_joints; /* uint32_t per mesh: 1 + the greatest joint its vertices use */
    mrwi_scene_budget budget;
    mrwi_base_arena scratch; /* memory of the current call */
    char format[32];         /* the format's name, escaped */
    bool flips_v, flips_winding;
    mrw_status failed; /* status of a failed call, which may have left half of its entries */
} mrwi_scene_builder;

/* Returns the status of a call by the loader, and remembers a failure. */
mrw_status mrwi_scene_settle(mrwi_scene_builder *b, mrw_status status);

/* ---- pools ----------------------------------------------------------------------------------- */

/* Adds count entries, not initialised; *first is the index of the first. The message names `file`
 * if there are too many. */
mrw_status mrwi_scene_pool_extend(mrwi_scene_pool *pool, mrwi_scene_section section, uint64_t count,
                                  const char *file, uint32_t *first, mrw_error *error);
/* Adds one entry. */
mrw_status mrwi_scene_pool_push(mrwi_scene_pool *pool, mrwi_scene_section section,
                                const void *entry, const char *file, mrw_error *error);
void mrwi_scene_pool_free(mrwi_scene_pool *pool);

/* Entry i of a pool, as an lvalue: MRWI_SCENE_POOL_AT(pool, mrw_node, i).parent */
#define MRWI_SCENE_POOL_AT(pool, type, i) (((type *)(pool)->data)[i])

/* ---- drafts ---------------------------------------------------------------------------------- */

/* Makes an empty draft of zeros. mrwi_scene_draft_free frees it, also when this fails. */
mrw_status mrwi_scene_draft_begin(mrwi_scene_draft *draft, const char *file_name, mrw_error *error);
void mrwi_scene_draft_free(mrwi_scene_draft *draft);

/* Do the same for a section. */
mrw_status mrwi_scene_extend(mrwi_scene_draft *draft, mrwi_scene_section section, uint64_t count,
                             uint32_t *first, mrw_error *error);
mrw_status mrwi_scene_push(mrwi_scene_draft *draft, mrwi_scene_section section, const void *entry,
                           uint32_t *index, mrw_error *error);

/* Entry i of a section, as an lvalue: MRWI_SCENE_AT(draft, nodes, mrw_node, i).parent */
#define MRWI_SCENE_POOL(draft, section, type)                                                      \
    ((type *)(draft)->pools[MRWI_SCENE_SECTION_##section].data)
#define MRWI_SCENE_COUNT(draft, section)       ((draft)->pools[MRWI_SCENE_SECTION_##section].count)
#define MRWI_SCENE_AT(draft, section, type, i) (MRWI_SCENE_POOL(draft, section, type)[i])

/* ---- names and messages ---------------------------------------------------------------------- */

/* Finds or adds a string (NULL: empty) in a pool that keeps each text once; returns its offset. */
mrw_status mrwi_scene_names_add(mrwi_scene_names *names, const char *text, const char *file,
                                uint32_t *offset, mrw_error *error);
void mrwi_scene_names_free(mrwi_scene_names *names);
mrw_status mrwi_scene_name(mrwi_scene_draft *draft, const char *text, uint32_t *offset,
                           mrw_error *error);

/* Implements mrwi_scene_builder_warn. */
void mrwi_scene_warn(mrwi_scene_warnings *warnings, const char *format, ...) MRW_PRINTF(2, 3);
/* Keeps a warning, each text once, without the limit of mrwi_scene_warn. */
void mrwi_scene_add_warning(mrwi_scene_warnings *warnings, const char *text);

/* A label, escaped: `node 12 "Hips"`, or `node 12` without a name. Returns out. */
typedef char mrwi_scene_label[160];
const char *mrwi_scene_label_of(mrwi_scene_label out, const char *kind, uint32_t index,
                                const char *name);
/* Makes the label of node `index` as pushed. */
const char *mrwi_scene_node_label(const mrwi_scene_draft *draft, uint32_t index,
                                  mrwi_scene_label out);

/* Takes count from a quota. If it exceeds the rest, the error names the limit and its option
 * (--max-KIND). */
mrw_status mrwi_scene_charge(mrwi_scene_quota *quota, uint64_t count, const char *kind,
                             const char *file, mrw_error *error);

/* Allocates scratch memory; NULL with *error filled. */
void *mrwi_scene_scratch(mrwi_base_arena *scratch, size_t count, size_t size, mrw_error *error);

/* Makes the last row 0, 0, 0, 1. Returns true if it was far from that. */
bool mrwi_scene_make_affine(mrw_mat4 *m);

/* ---- keys (clips.c) -------------------------------------------------------------------------- */

/* The keys of a channel in their pools. */
typedef struct mrwi_scene_keys {
    uint32_t count, first_time, first_value;
} mrwi_scene_keys;

/* Faults in the keys of a channel. */
typedef struct mrwi_scene_repairs {
    uint32_t dropped; /* number of dropped keys */
    bool mixed;       /* true if keys were out of order */
    bool none;        /* true if no key is left */
} mrwi_scene_repairs;

/* Cleans the keys of a channel of the last clip and pushes them. Resets scratch, in which the keys
 * of `in` must not lie. */
mrw_status mrwi_scene_take_keys(mrwi_scene_draft *draft, mrwi_scene_quota *quota,
                                mrwi_base_arena *scratch, const mrwi_scene_channel_input *in,
                                mrwi_scene_keys *out, mrwi_scene_repairs *repairs,
                                mrw_error *error);
static inline bool mrwi_scene_is_repaired(const mrwi_scene_repairs *repairs)
{
    return repairs->dropped > 0 || repairs->mixed || repairs->none;
}
/* Warns of faults; warnings begin with `label`. */
void mrwi_scene_warn_of_keys(mrwi_scene_warnings *warnings, const mrwi_scene_repairs *repairs,
                             const char *label);

/* The key pools of the finished scene. */
typedef struct mrwi_scene_key_pools {
    mrwi_scene_pool times, values;
} mrwi_scene_key_pools;

/* The values of a key: 3 parts for CUBICSPLINE, else 1, each `width` floats, of which the first
 * `kept` stay. */
typedef struct mrwi_scene_row {
    uint32_t parts, width, kept;
} mrwi_scene_row;

/* Copies keys of the draft to the end of other pools, and returns their new places. */
mrw_status mrwi_scene_keep_keys(const mrwi_scene_draft *draft, mrwi_scene_key_pools *pools,
                                mrwi_scene_keys *keys, mrwi_scene_row row, mrw_error *error);

/* The progress through the section of material channels, clip by clip: the number that was read,
 * and the number of those that stay, at the front of the section. */
typedef struct mrwi_scene_channels_read {
    uint32_t read, kept;
} mrwi_scene_channels_read;

/* Sorts the material channels of a clip, drops repeated ones, moves their keys to the new pools and
 * lengthens the clip to their last keys (material_channels.c). */
mrw_status mrwi_scene_finish_material_channels(mrwi_scene_draft *draft,
                                               mrwi_scene_warnings *warnings, uint32_t clip,
                                               mrwi_scene_channels_read *progress,
                                               mrwi_scene_key_pools *pools, mrw_error *error);

/* ---- steps of mrwi_scene_builder_finish in other files --------------------------------------- */

/* Sorts the channels of each clip by node (new numbers) and path, drops those that cannot play, and
 * gives every clip its duration and display name. Nodes must be final. */
mrw_status mrwi_scene_finish_clips(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                                   mrwi_base_arena *scratch, const uint32_t *new_node,
                                   mrw_error *error);
/* Merges images with equal texels, and equal textures and materials. */
mrw_status mrwi_scene_finish_materials(mrwi_scene_draft *draft, mrwi_scene_materials *tables,
                                       mrwi_base_arena *scratch, mrw_error *error);
/* Settles MRWI_SCENE_ALPHA_BY_TEXELS, after the call above. */
mrw_status mrwi_scene_finish_alpha(mrwi_scene_draft *draft, const mrwi_scene_picture *pictures,
                                   mrwi_base_arena *scratch, mrw_error *error);
/* Sets MRW_MESH_NONUNIFORM. Everything else must be final. */
mrw_status mrwi_scene_finish_scales(mrwi_scene_draft *draft, mrw_error *error);
/* Checks draws, drops those of empty meshes, and makes copies without influences of skinned meshes
 * that are drawn rigidly. mesh_joints: per mesh, as in the builder. */
mrw_status mrwi_scene_finish_draws(mrwi_scene_draft *draft, const uint32_t *mesh_joints,
                                   mrwi_base_arena *scratch, mrw_error *error);

#endif
