/* words.c: describes how two scenes differ, part by part. */
#include "explain/parts.h"

#include "base/text.h"
#include "image/color.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FACT_NONE 0xFFFFFFFFu

/* The description so far. */
typedef struct words {
    mrw_text *out;
    uint32_t most;  /* Most differences that are written */
    uint32_t count; /* Number of differences, written or not */
} words;

/* Two parts of one kind and name. */
typedef struct pair {
    const mrwi_explain_part *before, *after;
    const char *name; /* Name of both, escaped */
} pair;

/* ---- numbers --------------------------------------------------------------------------------- */

void mrwi_explain_put_figure(mrw_text *out, double value, double beside, int decimals)
{
    char number[32], other[32];
    mrwi_base_format_fixed(value, decimals, number);
    mrwi_base_format_fixed(beside, decimals, other);
    while (value != beside && strcmp(number, other) == 0 && decimals < 9) {
        decimals++;
        mrwi_base_format_fixed(value, decimals, number);
        mrwi_base_format_fixed(beside, decimals, other);
    }
    if (strcmp(number, other) == 0 && value != beside) {
        mrw_text_double(out, value);
    } else {
        mrw_text_puts(out, number);
    }
}

void mrwi_explain_put_length(mrw_text *out, double length)
{
    int decimals = 1;
    for (double small = 1.0; length > 0.0 && length < small && decimals < 9; small /= 10.0) {
        decimals++;
    }
    mrwi_explain_put_figure(out, length, 0.0, decimals);
}

/* Compares numbers as floats, since files hold floats; whole numbers may be larger. */
static bool same_number(double a, double b)
{
    const bool whole = a == floor(a) && b == floor(b);
    return a == b || (!whole && (float)a == (float)b);
}

static bool same_values(const mrwi_explain_fact *a, const mrwi_explain_fact *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = same_number(a->values[i], b->values[i]);
    }
    return same;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static const mrwi_explain_fact *fact_of(const mrwi_explain_part *part, const char *key)
{
    for (uint32_t i = 0; i < part->fact_count; i++) {
        if (strcmp(part->facts[i].key, key) == 0) {
            return &part->facts[i];
        }
    }
    return NULL;
}

/* Returns the only number of a fact; `usual` when there is none. */
static double number_of(const mrwi_explain_part *part, const char *key, double usual)
{
    const mrwi_explain_fact *fact = fact_of(part, key);
    return fact && fact->count == 1 ? fact->values[0] : usual;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Begins another difference. Returns false when there are too many. */
static bool begin(words *w)
{
    const bool told = w->count++ < w->most;
    if (told && w->count > 1) {
        mrw_text_puts(w->out, "; ");
    }
    return told;
}

/* Writes "30 vertices, were 24". Returns false when the numbers are equal. */
static bool say_count(words *w, const pair *p, const char *before, const char *key,
                      const char *thing)
{
    const double old = number_of(p->before, key, 0.0), new = number_of(p->after, key, 0.0);
    if (same_number(old, new)) {
        return false;
    }
    if (begin(w)) {
        mrw_text_add(w->out, "%s%s%s: ", before, before[0] ? " of " : "", p->name);
        mrwi_explain_put_figure(w->out, new, old, 0);
        mrw_text_add(w->out, " %s, %s ", thing, old == 1.0 ? "was" : "were");
        mrwi_explain_put_figure(w->out, old, new, 0);
    }
    return true;
}

/* Writes "roughness of Main 0.5, was 0.8". Returns false when the numbers are equal. */
static bool say_number(words *w, const pair *p, const char *thing, const char *key, double usual)
{
    const double old = number_of(p->before, key, usual), new = number_of(p->after, key, usual);
    if (same_number(old, new)) {
        return false;
    }
    if (begin(w)) {
        mrw_text_add(w->out, "%s of %s ", thing, p->name);
        mrwi_explain_put_figure(w->out, new, old, 1);
        mrw_text_puts(w->out, ", was ");
        mrwi_explain_put_figure(w->out, old, new, 1);
    }
    return true;
}

static void say(words *w, const char *text, const pair *p)
{
    if (begin(w)) {
        mrw_text_add(w->out, "%s of %s", text, p->name);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *escaped(const char *name, char safe[200])
{
    return name && name[0] ? mrwi_base_escape(name, safe, 200) : "without a name";
}

/* Returns the index of the fact with this name; FACT_NONE when there is none. */
static uint32_t find_node(const mrwi_explain_part *part, const char *name)
{
    for (uint32_t i = 0; i < part->fact_count; i++) {
        if (part->facts[i].text && strcmp(part->facts[i].text, name) == 0) {
            return i;
        }
    }
    return FACT_NONE;
}

/* Describes changed nodes. With as many nodes as before, a node with a new name but the same place
 * and rest pose was renamed; otherwise nodes are new or gone. */
static void say_nodes(words *w, const pair *p)
{
    const uint32_t told = w->count;
    const mrwi_explain_part *a = p->before, *b = p->after;
    const bool same_count = a->fact_count == b->fact_count;
    char safe[200], other[200];
    for (uint32_t i = 0; i < b->fact_count; i++) {
        const mrwi_explain_fact *new = &b->facts[i];
        const uint32_t at = new->text ? find_node(a, new->text) : FACT_NONE;
        if (!new->text) {
            continue;
        }
        if (at != FACT_NONE && !same_values(&a->facts[at], new) && begin(w)) {
            mrw_text_add(w->out, "node %s has a different rest pose", escaped(new->text, safe));
        } else if (at == FACT_NONE && same_count && a->facts[i].text &&
                   find_node(b, a->facts[i].text) == FACT_NONE && same_values(&a->facts[i], new) &&
                   begin(w)) {
            mrw_text_add(w->out, "joint %s was called %s", escaped(new->text, safe),
                         escaped(a->facts[i].text, other));
        } else if (at == FACT_NONE && !same_count && begin(w)) {
            mrw_text_add(w->out, "node %s is new", escaped(new->text, safe));
        }
    }
    for (uint32_t i = 0; i < a->fact_count && !same_count; i++) {
        const char *old = a->facts[i].text;
        if (old && find_node(b, old) == FACT_NONE && begin(w)) {
            mrw_text_add(w->out, "node %s is gone", escaped(old, safe));
        }
    }
    if (w->count == told && begin(w)) {
        mrw_text_puts(w->out, "nodes: the hierarchy, or where meshes are drawn");
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Returns the size of a box along an axis, rounded to the floats that were written. */
static double side_of(const mrwi_explain_fact *box, int axis)
{
    return (double)(float)box->values[3 + axis] - (double)(float)box->values[axis];
}

/* Writes "box 4.0 taller, 1.0 wider", or that the box is elsewhere. Returns false for equal
 * boxes. */
static bool say_box(words *w, const pair *p)
{
    static const char *const larger[] = {"wider", "taller", "deeper"};
    static const char *const smaller[] = {"narrower", "lower", "shallower"};
    const mrwi_explain_fact *old = fact_of(p->before, "box"), *new = fact_of(p->after, "box");
    if (!old || !new || old->count != 6 || new->count != 6 || same_values(old, new)) {
        return false;
    }
    if (!begin(w)) {
        return true;
    }
    mrw_text_add(w->out, "shape of %s: box", p->name);
    uint32_t said = 0;
    static const int order[] = {1, 0, 2};
    for (int k = 0; k < 3; k++) {
        const int i = order[k];
        const double grown = side_of(new, i) - side_of(old, i);
        if (grown != 0.0) {
            mrw_text_puts(w->out, said++ > 0 ? ", " : " ");
            mrwi_explain_put_length(w->out, fabs(grown));
            mrw_text_add(w->out, " %s", grown > 0.0 ? larger[i] : smaller[i]);
        }
    }
    mrw_text_puts(w->out, said > 0 ? "" : " elsewhere");
    return true;
}

static void say_shape(words *w, const pair *p)
{
    static const char *const marks[] = {"vertex positions", "normals", "texture coordinates",
                                        "vertex colours", "triangles"};
    const uint32_t told = w->count;
    const mrwi_explain_fact *old = fact_of(p->before, "marks"), *new = fact_of(p->after, "marks");
    const mrwi_explain_fact *before = fact_of(p->before, "material");
    const mrwi_explain_fact *after = fact_of(p->after, "material");
    char safe[200], other[200];
    bool counts = say_count(w, p, "shape", "vertices", "vertices");
    counts |= say_count(w, p, "shape", "triangles", "triangles");
    counts |= say_count(w, p, "shape", "targets", "morph targets");
    const bool boxed = say_box(w, p);
    for (uint32_t i = 0; i < 5 && old && new && old->count == 5 && new->count == 5; i++) {
        /* different numbers of vertices, or moved ones, already explain other marks */
        const bool follows =
            counts || (i == 0 && boxed) || (i == 1 && old->values[0] != new->values[0]);
        if (old->values[i] != new->values[i] && !follows) {
            say(w, marks[i], p);
        }
    }
    if (before && after &&
        strcmp(before->text ? before->text : "", after->text ? after->text : "") != 0 && begin(w)) {
        mrw_text_add(w->out, "material of %s is %s, was %s", p->name, escaped(after->text, safe),
                     escaped(before->text, other));
    }
    if (w->count == told) {
        say(w, "tangents, morph targets or material", p);
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static double weight_of(const mrwi_explain_part *part, const char *joint)
{
    const uint32_t at = find_node(part, joint);
    return at == FACT_NONE || part->facts[at].count != 1 ? 0.0 : part->facts[at].values[0];
}

/* Counts the joints with another sum of weights. *most is the joint that has lost most or, if none
 * has lost, gained most; the first of equal ones. */
static uint32_t count_joints(const pair *p, const char **most)
{
    double largest = 0.0;
    bool lost = false;
    uint32_t count = 0;
    for (int side = 0; side < 2; side++) {
        const mrwi_explain_part *part = side == 0 ? p->after : p->before;
        for (uint32_t i = 0; i < part->fact_count; i++) {
            const char *joint = part->facts[i].text;
            if (!joint || (side == 1 && find_node(p->after, joint) != FACT_NONE)) {
                continue;
            }
            const double gain = weight_of(p->after, joint) - weight_of(p->before, joint);
            if (same_number(weight_of(p->after, joint), weight_of(p->before, joint))) {
                continue;
            }
            count++;
            if ((gain < 0.0 && !lost) || ((gain < 0.0) == lost && fabs(gain) > largest)) {
                largest = fabs(gain);
                lost = gain < 0.0;
                *most = joint;
            }
        }
    }
    return count;
}

/* Writes "weights of Body: Head has 41.2, had 43.0". One joint's loss is another one's gain. */
static void say_weights(words *w, const pair *p)
{
    const char *joint = NULL;
    char safe[200];
    const uint32_t count = count_joints(p, &joint);
    if (!begin(w)) {
        return;
    }
    mrw_text_add(w->out, "weights of %s: ", p->name);
    if (count == 0) {
        mrw_text_puts(w->out, "different, but with the same sum per joint");
        return;
    }
    const double old = weight_of(p->before, joint), new = weight_of(p->after, joint);
    mrw_text_add(w->out, "%s has ", escaped(joint, safe));
    mrwi_explain_put_figure(w->out, new, old, 1);
    mrw_text_puts(w->out, ", had ");
    mrwi_explain_put_figure(w->out, old, new, 1);
    if (count > 2) {
        mrw_text_add(w->out, " (and %u more joints)", count - 1);
    }
}

/* ---- materials ------------------------------------------------------------------------------- */

/* Writes a colour as authors see it: encoded as sRGB. Anything brighter than white becomes
 * white. */
static void put_color(mrw_text *out, const mrwi_explain_fact *fact)
{
    mrw_text_puts(out, "#");
    for (int i = 0; i < 3; i++) {
        mrw_text_add(out, "%02x", mrwi_image_linear_to_srgb8((float)fact->values[i]));
    }
}

/* Returns true for colours with the same #rrggbb, which are written as numbers. */
static bool same_color(const mrwi_explain_fact *a, const mrwi_explain_fact *b)
{
    bool same = true;
    for (int i = 0; i < 3; i++) {
        same = same && mrwi_image_linear_to_srgb8((float)a->values[i]) ==
                           mrwi_image_linear_to_srgb8((float)b->values[i]);
    }
    return same;
}

static void put_values(mrw_text *out, const mrwi_explain_fact *fact)
{
    for (uint32_t i = 0; i < 3; i++) {
        mrw_text_puts(out, i > 0 ? " " : "");
        mrw_text_float(out, (float)fact->values[i]);
    }
}

/* Writes "colour of Main #d9aa88, was #e0b090". `usual` is the value of a part without this
 * fact. */
static void say_color(words *w, const pair *p, const char *thing, const char *key, double usual)
{
    double usually[] = {usual, usual, usual};
    const mrwi_explain_fact none = {.key = key, .values = usually, .count = 3};
    const mrwi_explain_fact *old = fact_of(p->before, key), *new = fact_of(p->after, key);
    old = old && old->count >= 3 ? old : &none;
    new = new &&new->count >= 3 ? new : &none;
    bool same = true;
    for (int i = 0; i < 3; i++) {
        same = same && same_number(old->values[i], new->values[i]);
    }
    if (same || !begin(w)) {
        return;
    }
    mrw_text_add(w->out, "%s of %s ", thing, p->name);
    const bool alike = same_color(old, new);
    (alike ? put_values : put_color)(w->out, new);
    mrw_text_puts(w->out, ", was ");
    (alike ? put_values : put_color)(w->out, old);
}

static const char *map_of(const mrwi_explain_part *part, uint32_t map)
{
    for (uint32_t i = 0; i < part->fact_count; i++) {
        const mrwi_explain_fact *fact = &part->facts[i];
        if (strcmp(fact->key, "map") == 0 && fact->count == 1 && fact->values[0] == map) {
            return fact->text ? fact->text : "";
        }
    }
    return NULL;
}

/* Writes "base color map of Main is fur.png, was none". */
static void say_map(words *w, const pair *p, uint32_t map)
{
    const char *old = map_of(p->before, map), *new = map_of(p->after, map);
    char safe[200], other[200];
    if (!old == !new && (!old || strcmp(old, new) == 0)) {
        return;
    }
    if (begin(w)) {
        mrw_text_add(w->out, "%s map of %s is %s, was %s", mrw_map_info_of((mrw_map)map)->name,
                     p->name, new ? escaped(new, safe) : "none",
                     old ? escaped(old, other) : "none");
    }
}

/* Describes a change of a colour's alpha. Returns false when it is equal. */
static bool say_alpha(words *w, const pair *p)
{
    const mrwi_explain_fact *old = fact_of(p->before, "color"), *new = fact_of(p->after, "color");
    if (!old || !new || old->count != 4 || new->count != 4 ||
        same_number(old->values[3], new->values[3])) {
        return false;
    }
    if (begin(w)) {
        mrw_text_add(w->out, "opacity of %s ", p->name);
        mrwi_explain_put_figure(w->out, new->values[3], old->values[3], 1);
        mrw_text_puts(w->out, ", was ");
        mrwi_explain_put_figure(w->out, old->values[3], new->values[3], 1);
    }
    return true;
}

static void say_material(words *w, const pair *p)
{
    static const char *const modes[] = {"opaque", "masked", "blended"};
    const uint32_t told = w->count;
    const double old = number_of(p->before, "alpha", 0.0), new = number_of(p->after, "alpha", 0.0);
    say_color(w, p, "colour", "color", 1.0);
    say_alpha(w, p);
    say_number(w, p, "roughness", "roughness", 1.0);
    say_number(w, p, "metallic factor", "metallic", 1.0);
    say_color(w, p, "emission", "emission", 0.0);
    say_color(w, p, "specular colour", "specular-color", 1.0);
    if (old != new &&begin(w)) {
        mrw_text_add(w->out, "%s is %s, was %s", p->name,
                     new >= 0 && new <= 2 ? modes[(int)new] : "?",
                     old >= 0 && old <= 2 ? modes[(int)old] : "?");
    }
    say_number(w, p, "alpha cutoff", "cutoff", 0.5);
    say_number(w, p, "index of refraction", "ior", 1.5);
    say_number(w, p, "specular factor", "specular", 1.0);
    say_number(w, p, "clearcoat", "clearcoat", 0.0);
    say_number(w, p, "shininess", "shininess", 0.0);
    for (uint32_t i = 0; i < MRW_MAP_COUNT; i++) {
        say_map(w, p, i);
    }
    if (w->count == told) {
        say(w, "material: maps, flags or factors", p);
    }
}

/* ---- other kinds ----------------------------------------------------------------------------- */

/* Writes "texture fur.png: 32 x 32, was 64 x 64", that texels differ, or "texture fur.png is
 * missing". */
static void say_image(words *w, const pair *p)
{
    const mrwi_explain_fact *old = fact_of(p->before, "size"), *new = fact_of(p->after, "size");
    const bool sized = old && new && old->count == 2 && new->count == 2;
    const bool was = fact_of(p->before, "missing"), is = fact_of(p->after, "missing");
    if (!begin(w)) {
        return;
    }
    if (was != is) {
        mrw_text_add(w->out, "texture %s %s", p->name,
                     is ? "is missing: a checker pattern stands in"
                        : "was missing and has been found");
        return;
    }
    mrw_text_add(w->out, "texture %s: ", p->name);
    if (!sized || same_values(old, new)) {
        mrw_text_puts(w->out, "another picture of the same size");
        return;
    }
    for (int side = 0; side < 2; side++) {
        const mrwi_explain_fact *fact = side == 0 ? new : old;
        mrw_text_puts(w->out, side == 0 ? "" : ", was ");
        mrwi_explain_put_figure(w->out, fact->values[0], fact->values[0], 0);
        mrw_text_puts(w->out, " x ");
        mrwi_explain_put_figure(w->out, fact->values[1], fact->values[1], 0);
    }
}

static void say_skin(words *w, const pair *p)
{
    if (!say_count(w, p, "skin", "joints", "joints")) {
        say(w, "joints or bind pose", p);
    }
}

/* Writes "Run lasts 0.963 s, was 0.917". */
static void say_clip(words *w, const pair *p)
{
    const double old = number_of(p->before, "seconds", 0), new = number_of(p->after, "seconds", 0);
    if (!same_number(old, new)) {
        if (begin(w)) {
            mrw_text_add(w->out, "%s lasts ", p->name);
            mrwi_explain_put_figure(w->out, new, old, 3);
            mrw_text_puts(w->out, " s, was ");
            mrwi_explain_put_figure(w->out, old, new, 3);
        }
        return;
    }
    const bool channels = say_count(w, p, "clip", "channels", "channels");
    if (!say_count(w, p, "clip", "keys", "keys") && !channels) {
        say(w, "times or values of keys", p);
    }
}

static void say_camera(words *w, const pair *p)
{
    say(w, "file's camera", p);
}

static void say_light(words *w, const pair *p)
{
    const uint32_t told = w->count;
    say_color(w, p, "colour of light", "color", 1.0);
    say_number(w, p, "intensity of light", "intensity", 1.0);
    if (w->count == told) {
        say(w, "type, range or cone of light", p);
    }
}

static const struct {
    const char *name; /* Name of the kind, for parts that are new or gone */
    void (*say)(words *w, const pair *p);
} kinds[MRW_PART_END] = {
    [MRW_PART_NODES] = {"tree", say_nodes},     [MRW_PART_SHAPES] = {"mesh", say_shape},
    [MRW_PART_WEIGHTS] = {NULL, say_weights},   [MRW_PART_MATERIALS] = {"material", say_material},
    [MRW_PART_IMAGES] = {"texture", say_image}, [MRW_PART_SKINS] = {"skin", say_skin},
    [MRW_PART_CLIPS] = {"clip", say_clip},      [MRW_PART_CAMERAS] = {"camera", say_camera},
    [MRW_PART_LIGHTS] = {"light", say_light},
};

/* ---- all of them ----------------------------------------------------------------------------- */

/* Returns the part with the same kind, name, and index among parts of that name; or NULL. */
static const mrwi_explain_part *partner_of(const mrwi_explain_part_list *own, uint32_t index,
                                           const mrwi_explain_part_list *other)
{
    const mrwi_explain_part *part = &own->items[index];
    const mrwi_explain_part *same = index < other->count ? &other->items[index] : NULL;
    uint32_t before = 0;
    if (same && same->kind == part->kind && strcmp(same->name, part->name) == 0) {
        return same; /* large scenes mostly have them in the same places */
    }
    for (uint32_t i = 0; i < index; i++) {
        before += own->items[i].kind == part->kind && strcmp(own->items[i].name, part->name) == 0;
    }
    for (uint32_t i = 0; i < other->count; i++) {
        const mrwi_explain_part *found = &other->items[i];
        if (found->kind == part->kind && strcmp(found->name, part->name) == 0 && before-- == 0) {
            return found;
        }
    }
    return NULL;
}

/* Returns a part's name; its number among parts of its kind when it has none. */
static const char *name_part(const mrwi_explain_part_list *parts, uint32_t index, char safe[200])
{
    const mrwi_explain_part *part = &parts->items[index];
    uint32_t number = 0;
    if (part->name[0]) {
        return mrwi_base_escape(part->name, safe, 200);
    }
    for (uint32_t i = 0; i < index; i++) {
        number += parts->items[i].kind == part->kind;
    }
    snprintf(safe, 200, "number %u", number);
    return safe;
}

static void say_lonely(words *w, const mrwi_explain_part_list *parts, uint32_t index,
                       const char *what)
{
    char safe[200];
    const char *kind = kinds[parts->items[index].kind].name;
    if (kind && begin(w)) {
        mrw_text_add(w->out, "%s %s is %s", kind, name_part(parts, index, safe), what);
    }
}

/* Returns the part whose only difference from a new one is the name, at the same index; or NULL. */
static const mrwi_explain_part *old_name_of(const mrwi_explain_part_list *after, uint32_t index,
                                            const mrwi_explain_part_list *before)
{
    const mrwi_explain_part *new = &after->items[index];
    const mrwi_explain_part *old = index < before->count ? &before->items[index] : NULL;
    if (!old || old->kind != new->kind || old->fact_count != new->fact_count ||
        partner_of(before, index, after)) {
        return NULL;
    }
    for (uint32_t i = 0; i < old->fact_count; i++) {
        if (!same_values(&old->facts[i], &new->facts[i])) {
            return NULL;
        }
    }
    return old;
}

static void say_new(words *w, const mrwi_explain_part_list *before,
                    const mrwi_explain_part_list *after, uint32_t index)
{
    const mrwi_explain_part *old = old_name_of(after, index, before);
    const char *kind = kinds[after->items[index].kind].name;
    char safe[200], other[200];
    if (!old) {
        say_lonely(w, after, index, "new");
    } else if (kind && begin(w)) {
        mrw_text_add(w->out, "%s %s was called %s", kind, name_part(after, index, safe),
                     name_part(before, index, other));
    }
}

void mrwi_explain_parts(const mrwi_explain_part_list *before, const mrwi_explain_part_list *after,
                        uint32_t most, mrw_text *out)
{
    words w = {.out = out, .most = most};
    char safe[200];
    for (uint32_t i = 0; i < after->count; i++) {
        const mrwi_explain_part *part = &after->items[i], *old = partner_of(after, i, before);
        if (!old) {
            say_new(&w, before, after, i);
        } else if (memcmp(old->hash, part->hash, sizeof part->hash) != 0) {
            const pair p = {old, part, name_part(after, i, safe)};
            kinds[part->kind].say(&w, &p);
        }
    }
    for (uint32_t i = 0; i < before->count; i++) {
        const bool gone = !partner_of(before, i, after);
        const bool renamed = gone && i < after->count && !partner_of(after, i, before) &&
                             old_name_of(after, i, before);
        if (gone && !renamed) {
            say_lonely(&w, before, i, "gone");
        }
    }
    if (w.count > w.most) {
        mrw_text_add(out, " and %u more", w.count - w.most);
    }
}
