/* lights.c: reads the value of --light: FORM:KEY=VALUE,...@SPACE.
 *
 * Commas separate the numbers of a vector as well as keys: a key takes as many numbers as it needs.
 * Forms, keys and numbers contain no '@', so the first one begins the space, and all that follows
 * it is a name. */
#include "base/math.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

typedef enum light_key {
    KEY_POS,
    KEY_DIR,
    KEY_COLOR,
    KEY_INTENSITY,
    KEY_RANGE,
    KEY_INNER,
    KEY_OUTER,
    KEY_ATTENUATION, /* from here on: keys of the classic lighting model */
    KEY_AMBIENT,
    KEY_DIFFUSE,
    KEY_SPECULAR,
    KEY_COUNT
} light_key;

#define IS(key)   (1u << KEY_##key)
#define STRENGTHS (IS(AMBIENT) | IS(DIFFUSE) | IS(SPECULAR))

#define KEY(name, field) name, offsetof(mrw_light_entry, field)
#define RADIANS          ((float)(MRWI_BASE_PI / 180.0))

static const struct {
    const char *name;
    size_t offset;  /* into mrw_light_entry */
    int numbers;    /* number of values: 1 or 3 */
    float usual[3]; /* default in the unit of the field, equal to mrw_light_def_default's */
    float least;
    float most;
    float factor; /* converts the unit of the option to that of the field */
} light_keys[KEY_COUNT] = {
    [KEY_POS] = {KEY("pos", position), 3, {0.0f}, -1e30f, 1e30f, 1.0f},
    [KEY_DIR] = {KEY("dir", direction), 3, {0.0f, 0.0f, -1.0f}, -1e30f, 1e30f, 1.0f},
    [KEY_COLOR] = {KEY("color", color), 3, {1.0f, 1.0f, 1.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_INTENSITY] = {KEY("intensity", intensity), 1, {1.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_RANGE] = {KEY("range", range), 1, {0.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_INNER] = {KEY("inner", inner_cone), 1, {0.0f}, 0.0f, 180.0f, RADIANS},
    [KEY_OUTER] =
        {KEY("outer", outer_cone), 1, {(float)(MRWI_BASE_PI / 4.0)}, 0.0f, 180.0f, RADIANS},
    [KEY_ATTENUATION] = {KEY("attenuation", attenuation), 3, {1.0f, 0.0f, 0.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_AMBIENT] = {KEY("ambient", ambient), 1, {0.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_DIFFUSE] = {KEY("diffuse", diffuse), 1, {1.0f}, 0.0f, 1e30f, 1.0f},
    [KEY_SPECULAR] = {KEY("specular", specular), 1, {1.0f}, 0.0f, 1e30f, 1.0f},
};

/* The shading modes that read the keys of the classic lighting model. */
static const char classic_modes[] = "lambert phong gouraud";

/* The forms of the value. The first three do not add a light. */
typedef enum light_form {
    FORM_NONE,
    FORM_DEFAULT,
    FORM_AMBIENT,
    FORM_DIRECTIONAL,
    FORM_POINT,
    FORM_SPOT,
    FORM_COUNT
} light_form;

static const struct {
    const char *name;
    uint32_t type;
    unsigned keys;
    unsigned needs;
} light_forms[FORM_COUNT] = {
    [FORM_NONE] = {"none", MRWI_OPTIONS_LIGHT_DIRECTIONAL, 0, 0},
    [FORM_DEFAULT] = {"default", MRWI_OPTIONS_LIGHT_DIRECTIONAL, 0, 0},
    [FORM_AMBIENT] = {"ambient", MRWI_OPTIONS_LIGHT_DIRECTIONAL, IS(COLOR), 0},
    [FORM_DIRECTIONAL] = {"directional", MRWI_OPTIONS_LIGHT_DIRECTIONAL,
                          IS(DIR) | IS(COLOR) | IS(INTENSITY) | STRENGTHS, IS(DIR)},
    [FORM_POINT] = {"point", MRWI_OPTIONS_LIGHT_POINT,
                    IS(POS) | IS(COLOR) | IS(INTENSITY) | IS(RANGE) | IS(ATTENUATION) | STRENGTHS,
                    IS(POS)},
    [FORM_SPOT] = {"spot", MRWI_OPTIONS_LIGHT_SPOT,
                   IS(POS) | IS(DIR) | IS(INNER) | IS(OUTER) | IS(COLOR) | IS(INTENSITY) |
                       IS(RANGE) | IS(ATTENUATION) | STRENGTHS,
                   IS(POS) | IS(DIR)},
};

/* A light that is being read. */
typedef struct light_reader {
    const char *value; /* the whole text, for messages */
    const char *p;     /* the text that has not been read */
    light_form form;
    unsigned seen; /* keys that have been read, one bit each */
    mrw_light_entry entry;
    mrw_error *error;
} light_reader;

static mrw_status refuse_light(const light_reader *r, const char *why)
{
    char shown[96];
    return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--light '%s': %s",
                          mrwi_options_show(r->value, shown), why);
}

/* ---- the form -------------------------------------------------------------------------------- */

static mrw_light_entry usual_light(uint32_t type)
{
    mrw_light_entry entry = {.type = type};
    for (int i = 0; i < KEY_COUNT; i++) {
        memcpy((char *)&entry + light_keys[i].offset, light_keys[i].usual,
               (size_t)light_keys[i].numbers * sizeof(float));
    }
    return entry;
}

static mrw_status read_form(light_reader *r)
{
    const size_t length = strcspn(r->p, ":@");
    const char *names[FORM_COUNT];
    char text[256] = "expected none, default, ambient, directional, point or spot", name[32];
    for (int i = 0; i < FORM_COUNT; i++) {
        names[i] = light_forms[i].name;
        if (strlen(names[i]) == length && memcmp(names[i], r->p, length) == 0) {
            r->form = (light_form)i;
            r->entry = usual_light(light_forms[i].type);
            r->p += length;
            return MRW_OK;
        }
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), r->p);
    mrwi_base_suggest(text, sizeof text, name, names, FORM_COUNT, false);
    return refuse_light(r, text);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static mrw_status unknown_light_key(const light_reader *r, size_t length)
{
    const char *names[KEY_COUNT];
    char text[256], name[32], shown[96];
    size_t count = 0;
    for (int i = 0; i < KEY_COUNT; i++) {
        if (light_forms[r->form].keys & 1u << i) {
            names[count++] = light_keys[i].name;
        }
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), r->p);
    snprintf(text, sizeof text, "unknown key '%s' in %s", mrwi_options_show(name, shown),
             light_forms[r->form].name);
    mrwi_base_suggest(text, sizeof text, name, names, count, true);
    return refuse_light(r, text);
}

static mrw_status refuse_numbers(const light_reader *r, light_key key)
{
    char text[128], least[32], most[32];
    mrwi_base_format_float(light_keys[key].least, least);
    mrwi_base_format_float(light_keys[key].most, most);
    snprintf(text, sizeof text, "%s takes %s from %s to %s", light_keys[key].name,
             light_keys[key].numbers == 3 ? "three numbers, as in 0,1.5,2," : "a number", least,
             most);
    return refuse_light(r, text);
}

static mrw_status read_numbers(light_reader *r, light_key key)
{
    float *out = (float *)((char *)&r->entry + light_keys[key].offset);
    for (int i = 0; i < light_keys[key].numbers; i++) {
        double number;
        if (i > 0) {
            if (*r->p != ',') {
                return refuse_numbers(r, key);
            }
            r->p += 1 + strspn(r->p + 1, " ");
        }
        const size_t used = mrwi_base_parse_double(r->p, strlen(r->p), &number);
        if (used == 0 || !(number >= (double)light_keys[key].least) ||
            !(number <= (double)light_keys[key].most)) {
            return refuse_numbers(r, key);
        }
        out[i] = (float)(number * (double)light_keys[key].factor);
        r->p += used;
    }
    return *r->p == '\0' || *r->p == ',' || *r->p == '@' ? MRW_OK : refuse_numbers(r, key);
}

static mrw_status read_light_key(light_reader *r)
{
    const size_t length = strcspn(r->p, "=,@");
    char text[64];
    for (int i = 0; i < KEY_COUNT; i++) {
        const char *name = light_keys[i].name;
        const unsigned bit = 1u << i;
        if (r->p[length] != '=' || strlen(name) != length || memcmp(name, r->p, length) != 0 ||
            !(light_forms[r->form].keys & bit)) {
            continue;
        }
        if (r->seen & bit) {
            snprintf(text, sizeof text, "%s is given twice; leave one out", name);
            return refuse_light(r, text);
        }
        r->seen |= bit;
        r->entry.classic_key = i >= KEY_ATTENUATION ? name : r->entry.classic_key;
        r->p += length + 1;
        return read_numbers(r, (light_key)i);
    }
    return unknown_light_key(r, length);
}

static mrw_status read_light_keys(light_reader *r)
{
    char text[64];
    if (*r->p == ':' && light_forms[r->form].keys == 0) {
        snprintf(text, sizeof text, "%s does not accept keys", light_forms[r->form].name);
        return refuse_light(r, text);
    }
    for (bool more = *r->p == ':' && r->p[1] != '\0' && r->p[1] != '@'; more;) {
        r->p += 1 + strspn(r->p + 1, " ");
        mrw_status status = read_light_key(r);
        if (status) {
            return status;
        }
        more = *r->p == ',';
    }
    r->p += *r->p == ':';
    return MRW_OK;
}

/* ---- the whole light ------------------------------------------------------------------------- */

static mrw_status check_light(const light_reader *r)
{
    const mrw_light_entry *entry = &r->entry;
    const unsigned missing = light_forms[r->form].needs & ~r->seen;
    char text[128], inner[32], outer[32];
    for (int i = 0; i < KEY_COUNT; i++) {
        if (missing & 1u << i) {
            snprintf(text, sizeof text, "%s needs %s=X,Y,Z; add it", light_forms[r->form].name,
                     light_keys[i].name);
            return refuse_light(r, text);
        }
    }
    if (entry->direction[0] == 0.0f && entry->direction[1] == 0.0f && entry->direction[2] == 0.0f) {
        return refuse_light(r,
                            "dir is the direction in which the light travels; it cannot be 0,0,0");
    }
    if (entry->attenuation[0] == 0.0f && entry->attenuation[1] == 0.0f &&
        entry->attenuation[2] == 0.0f) {
        return refuse_light(
            r, "attenuation is constant,linear,quadratic; at least one must be above 0");
    }
    if (entry->inner_cone > entry->outer_cone) {
        const double degrees = 180.0 / MRWI_BASE_PI;
        mrwi_base_format_fixed((double)entry->inner_cone * degrees, 2, inner);
        mrwi_base_format_fixed((double)entry->outer_cone * degrees, 2, outer);
        snprintf(text, sizeof text, "inner is larger than outer: %s and %s degrees", inner, outer);
        return refuse_light(r, text);
    }
    return MRW_OK;
}

static mrw_status read_light_space(light_reader *r)
{
    static const char node[] = "node:";
    const char *name = r->p + 1;
    if (*r->p == '\0') {
        return MRW_OK;
    }
    if (r->form < FORM_DIRECTIONAL) {
        return refuse_light(r, "only directional, point and spot lights can have @camera or @NODE");
    }
    if (strcmp(name, "camera") == 0) {
        r->entry.space = MRWI_OPTIONS_SPACE_CAMERA;
        return MRW_OK;
    }
    name += strncmp(name, node, sizeof node - 1) == 0 ? sizeof node - 1 : 0;
    if (*name == '\0') {
        return refuse_light(r, "expected @camera, @NODE or @node:NAME");
    }
    r->entry.space = MRWI_OPTIONS_SPACE_NODE;
    r->entry.node = name;
    return MRW_OK;
}

/* Adds the light to the settings. The first one replaces the default rig, unless that is named,
 * too.
 */
static mrw_status add_light(const light_reader *r, mrw_settings *settings)
{
    mrw_picture_settings *picture = &settings->picture;
    void *items = settings->lights.items;
    if (r->form == FORM_DEFAULT) {
        picture->rig = MRWI_OPTIONS_RIG_ON;
    } else if (picture->rig == MRWI_OPTIONS_RIG_AUTO) {
        picture->rig = MRWI_OPTIONS_RIG_OFF;
    }
    if (r->form == FORM_AMBIENT) {
        for (int i = 0; i < 3; i++) {
            picture->ambient[i] += r->entry.color[i];
        }
    }
    if (r->form < FORM_DIRECTIONAL) {
        return MRW_OK;
    }
    const bool fine =
        settings->lights.count < UINT32_MAX &&
        mrwi_options_append(&items, &settings->lights.count, sizeof r->entry, &r->entry);
    settings->lights.items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(r->error, sizeof r->entry);
}

mrw_status mrwi_options_parse_light(mrw_settings *settings, const char *value, mrw_error *error)
{
    light_reader r = {.value = value, .p = value, .error = error};
    mrw_status status = read_form(&r);
    if (status) {
        return status;
    }
    status = read_light_keys(&r);
    if (status) {
        return status;
    }
    status = read_light_space(&r);
    if (status) {
        return status;
    }
    status = check_light(&r);
    if (status) {
        return status;
    }
    return add_light(&r, settings);
}

mrw_status mrwi_options_check_lights(const mrw_settings *settings, mrw_error *error)
{
    const mrwi_options_option *shading = mrwi_options_option_find("shading", strlen("shading"));
    size_t length;
    const char *mode = mrwi_options_choice(settings, shading, &length);
    const bool classic = mrwi_options_has_word(classic_modes, mode, length);
    for (size_t i = 0; i < settings->lights.count && !classic; i++) {
        if (settings->lights.items[i].classic_key) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--light: the key %s has no effect with --shading %.*s; leave "
                                  "the key out, or use --shading phong",
                                  settings->lights.items[i].classic_key, (int)strcspn(mode, "|"),
                                  mode);
        }
    }
    return MRW_OK;
}
