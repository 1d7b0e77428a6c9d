/* crypto.c: names and ids of Cryptomatte 1.2.0 (Friedman and Jones, "Fully Automatic ID Mattes with
 * Support for Motion Blur and Transparency", 2015): an id is the hash of a name, read as a float.
 */
#include "base/memory.h"
#include "base/text.h"
#include "frame/aov.h"
#include "marrow/legend.h"

#include <assert.h>
#include <string.h>

/* ---- hashes ---------------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static uint32_t mix(uint32_t k)
{
    return rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u;
}

/* Computes MurmurHash3_x86_32 with seed 0 (Appleby, 2011, public domain). */
static uint32_t murmur3(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    const size_t size = strlen(text);
    uint32_t h = 0, tail = 0;
    size_t i = 0;
    for (; i + 4 <= size; i += 4) {
        const uint32_t k = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                           (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        h = rotate(h ^ mix(k), 13) * 5 + 0xe6546b64u;
    }
    for (size_t k = size; k-- > i;) {
        tail = tail << 8 | bytes[k];
    }
    h ^= mix(tail);
    h ^= (uint32_t)size;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* Avoids exponents of all zeros or all ones, which would make the float denormal, infinite or NaN.
 */
uint32_t mrw_crypto_id(const char *name)
{
    const uint32_t hash = murmur3(name), exponent = hash >> 23 & 255;
    const uint32_t mended = exponent < 1 ? 1 : exponent > 254 ? 254 : exponent;
    return (hash & 0x807fffffu) | mended << 23;
}

/* ---- lists of unique names ------------------------------------------------------------------- */

/* Unique names, with a hash table. */
typedef struct name_list {
    mrwi_base_arena *arena;
    const char **names;
    uint32_t *ids;
    uint32_t *suffixes; /* per name: the last suffix that a repetition of it got */
    uint32_t *table;    /* 1 + the name's index; 0: free */
    uint32_t count, mask;
} name_list;

static bool begin_list(mrwi_base_arena *arena, size_t most, name_list *out)
{
    size_t slots = 16;
    while (slots < 4 * most) {
        slots *= 2;
    }
    *out = (name_list){.arena = arena,
                       .names = mrwi_base_arena_alloc(arena, most, sizeof *out->names),
                       .ids = mrwi_base_arena_alloc(arena, most, sizeof *out->ids),
                       .suffixes = mrwi_base_arena_alloc(arena, most, sizeof *out->suffixes),
                       .table = mrwi_base_arena_alloc(arena, slots, sizeof *out->table),
                       .mask = (uint32_t)(slots - 1)};
    if (!out->names || !out->ids || !out->suffixes || !out->table) {
        return false;
    }
    memset(out->table, 0, slots * sizeof *out->table);
    return true;
}

/* Returns a name's slot in the table, which is free if the list does not have the name. */
static uint32_t *slot_of(const name_list *list, const char *name)
{
    uint32_t at = murmur3(name) & list->mask;
    while (list->table[at] != 0 && strcmp(list->names[list->table[at] - 1], name) != 0) {
        at = (at + 1) & list->mask;
    }
    return &list->table[at];
}

static uint32_t put_name(name_list *list, uint32_t *slot, const char *name)
{
    list->names[list->count] = name;
    list->ids[list->count] = mrw_crypto_id(name);
    list->suffixes[list->count] = 1;
    *slot = list->count + 1;
    return list->count++;
}

/* Adds a name. If the list has it already, a number is appended. Returns its index, or MRW_NONE
 * without memory. */
static uint32_t add_name(name_list *list, const char *name)
{
    uint32_t *slot = slot_of(list, name);
    if (*slot != 0) {
        uint32_t *suffix = &list->suffixes[*slot - 1];
        const char *with_suffix;
        do {
            with_suffix = mrwi_base_format(list->arena, "%s_%u", name, ++*suffix);
            slot = with_suffix ? slot_of(list, with_suffix) : NULL;
        } while (slot && *slot != 0);
        name = with_suffix;
    }
    return name ? put_name(list, slot, name) : MRW_NONE;
}

/* ---- names of draws -------------------------------------------------------------------------- */

static const char *node_name(mrwi_base_arena *arena, const mrw_scene *scene, uint32_t node)
{
    const char *name = mrw_scene_string(scene, scene->nodes[node].name);
    return name[0] ? name : mrwi_base_format(arena, "node_%u", node);
}

static const char *material_name(mrwi_base_arena *arena, const mrw_scene *scene, uint32_t material)
{
    if (material == MRW_NONE) {
        return "default";
    }
    const char *name = mrw_scene_string(scene, scene->materials[material].name);
    return name[0] ? name : mrwi_base_format(arena, "material_%u", material);
}

/* Names a draw. places: per node, or per material and the default one, the index of its name, or
 * MRW_NONE if it has none yet. */
static bool name_draw(name_list *list, const mrw_scene *scene, const mrw_draw *draw,
                      bool of_materials, uint32_t *places, uint32_t *out)
{
    const uint32_t material = scene->meshes[draw->mesh].material;
    uint32_t *place =
        &places[!of_materials ? draw->node
                              : (material == MRW_NONE ? scene->materials_count : material)];
    if (*place == MRW_NONE) {
        const char *name = of_materials ? material_name(list->arena, scene, material)
                                        : node_name(list->arena, scene, draw->node);
        *place = name ? add_name(list, name) : MRW_NONE;
    }
    *out = *place;
    return *place != MRW_NONE;
}

static size_t draws_of(const mrw_instance *instances, uint32_t count)
{
    size_t draws = 0;
    for (uint32_t i = 0; i < count; i++) {
        draws += instances[i].model->scene->draws_count;
    }
    return draws;
}

bool mrwi_frame_name_draws(mrwi_base_arena *arena, const mrw_instance *instances, uint32_t count,
                           bool of_materials, mrwi_frame_names *out)
{
    const size_t draws = draws_of(instances, count);
    uint32_t **places = mrwi_base_arena_alloc(arena, count, sizeof *places);
    name_list list;
    uint32_t n = 0;
    out->of_draw = mrwi_base_arena_alloc(arena, draws, sizeof *out->of_draw);
    if (!places || !out->of_draw || !begin_list(arena, draws, &list)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_scene *scene = instances[i].model->scene;
        const size_t things =
            of_materials ? (size_t)scene->materials_count + 1 : scene->nodes_count;
        const uint32_t first = of_materials ? mrwi_frame_first_of_scene(instances, i) : i;
        places[i] =
            first < i ? places[first] : mrwi_base_arena_alloc(arena, things, sizeof **places);
        if (!places[i]) {
            return false;
        }
        if (first == i) {
            memset(places[i], 0xff, things * sizeof **places); /* MRW_NONE */
        }
        for (uint32_t d = 0; d < scene->draws_count; d++, n++) {
            if (!name_draw(&list, scene, &scene->draws[d], of_materials, places[i],
                           &out->of_draw[n])) {
                return false;
            }
        }
    }
    out->names = list.names;
    out->ids = list.ids;
    out->count = list.count;
    return true;
}

mrw_status mrw_frame_crypto_names(const mrw_instance *instances, uint32_t instance_count,
                                  mrw_aov aov, mrw_crypto_names *out, mrw_error *error)
{
    mrwi_base_arena *arena = mrwi_base_alloc_zero(1, sizeof *arena);
    mrwi_frame_names names;
    assert(aov == MRW_AOV_CRYPTO_OBJECT || aov == MRW_AOV_CRYPTO_MATERIAL);
    *out = (mrw_crypto_names){.memory = arena};
    if (!arena || !mrwi_frame_name_draws(arena, instances, instance_count,
                                         aov == MRW_AOV_CRYPTO_MATERIAL, &names)) {
        mrw_crypto_names_free(out);
        return mrwi_base_fail_memory(error, draws_of(instances, instance_count) * 16);
    }
    out->names = names.names;
    out->ids = names.ids;
    out->of_draw = names.of_draw;
    out->count = names.count;
    out->draw_count = (uint32_t)draws_of(instances, instance_count);
    return MRW_OK;
}

void mrw_crypto_names_free(mrw_crypto_names *names)
{
    if (names->memory) {
        mrwi_base_arena_free(names->memory);
        mrwi_base_free(names->memory);
    }
    *names = (mrw_crypto_names){0};
}
