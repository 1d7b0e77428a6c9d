/* placement.c: reads the value of --add: MODEL[@NODE][:KEY=VALUE,...].
 *
 * The keys begin at the last colon that a word and '=' follow: other colons belong to demo:NAME or
 * to a file name. Commas separate the numbers of a vector as well as keys. */
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

typedef enum place_key {
    KEY_POS,
    KEY_ROT,
    KEY_SCALE,
    KEY_CLIP,
    KEY_TIME,
    KEY_SPEED,
    KEY_COUNT
} place_key;

static const struct {
    const char *name;
    int numbers; /* number of values; 0: the value is a name */
    double least, most;
} keys[KEY_COUNT] = {[KEY_POS] = {"pos", 3, -1e30, 1e30},   [KEY_ROT] = {"rot", 3, -1e6, 1e6},
                     [KEY_SCALE] = {"scale", 1, 1e-6, 1e6}, [KEY_CLIP] = {"clip", 0, 0.0, 0.0},
                     [KEY_TIME] = {"time", 1, 0.0, 1e6},    [KEY_SPEED] = {"speed", 1, 1e-3, 1e3}};

typedef struct reader {
    const char *value; /* the whole text, for messages */
    const char *p;     /* the text that has not been read */
    unsigned seen;     /* keys that have been read, one bit each */
    mrw_placement *out;
    mrw_error *error;
} reader;

static mrw_status refuse(const reader *r, const char *why)
{
    char shown[96];
    return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--add '%s': %s",
                          mrwi_options_show(r->value, shown), why);
}

/* ---- the beginning of the keys --------------------------------------------------------------- */

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Returns the length of "word=" at the beginning of a text, or 0. */
static size_t key_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length])) {
        length++;
    }
    return length > 0 && text[length] == '=' ? length + 1 : 0;
}

/* Returns the text behind the last colon that a key follows, or NULL. */
static const char *find_keys(const char *text)
{
    const char *found = NULL;
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':')) {
        found = key_length(p + 1) > 0 ? p + 1 : found;
    }
    return found;
}

/* ---- values ---------------------------------------------------------------------------------- */

static mrw_status refuse_numbers(const reader *r, place_key key)
{
    char text[160], least[32], most[32];
    mrwi_base_format_double(keys[key].least, least);
    mrwi_base_format_double(keys[key].most, most);
    snprintf(text, sizeof text, "%s takes %s from %s to %s%s", keys[key].name,
             keys[key].numbers == 3 ? "three numbers" : "a number", least, most,
             keys[key].numbers == 3 ? ", as in 0,1.5,2" : "");
    return refuse(r, text);
}

static mrw_status read_numbers(reader *r, place_key key, double out[3])
{
    for (int i = 0; i < keys[key].numbers; i++) {
        if (i > 0) {
            if (*r->p != ',') {
                return refuse_numbers(r, key);
            }
            r->p += 1 + strspn(r->p + 1, " ");
        }
        const size_t used = mrwi_base_parse_double(r->p, strlen(r->p), &out[i]);
        if (used == 0 || !(out[i] >= keys[key].least) || !(out[i] <= keys[key].most)) {
            return refuse_numbers(r, key);
        }
        r->p += used;
    }
    return *r->p == '\0' || *r->p == ',' ? MRW_OK : refuse_numbers(r, key);
}

/* Reads a name, up to a comma that a key follows, or to the end. */
static mrw_status read_name(reader *r)
{
    const char *end = r->p;
    while (*end != '\0' && !(*end == ',' && key_length(end + 1 + strspn(end + 1, " ")) > 0)) {
        end++;
    }
    r->out->clip = r->p;
    r->out->clip_length = (size_t)(end - r->p);
    r->p = end;
    return r->out->clip_length > 0 ? MRW_OK : refuse(r, "clip takes the name of a clip");
}

static void store(mrw_placement *out, place_key key, const double values[3])
{
    for (int i = 0; i < 3; i++) {
        out->position[i] = key == KEY_POS ? (float)values[i] : out->position[i];
        out->rotation[i] = key == KEY_ROT ? (float)values[i] : out->rotation[i];
    }
    out->scale = key == KEY_SCALE ? (float)values[0] : out->scale;
    out->time = key == KEY_TIME ? values[0] : out->time;
    out->has_time = out->has_time || key == KEY_TIME;
    out->speed = key == KEY_SPEED ? values[0] : out->speed;
}

static mrw_status unknown_key(const reader *r, size_t length)
{
    const char *names[KEY_COUNT];
    char text[256], name[32], shown[96];
    for (int i = 0; i < KEY_COUNT; i++) {
        names[i] = keys[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), r->p);
    snprintf(text, sizeof text, "unknown key '%s'", mrwi_options_show(name, shown));
    mrwi_base_suggest(text, sizeof text, name, names, KEY_COUNT, true);
    return refuse(r, text);
}

static mrw_status read_key(reader *r)
{
    const size_t length = strcspn(r->p, "=,");
    char text[64];
    for (int i = 0; i < KEY_COUNT; i++) {
        double values[3] = {0.0, 0.0, 0.0};
        if (r->p[length] != '=' || strlen(keys[i].name) != length ||
            memcmp(keys[i].name, r->p, length) != 0) {
            continue;
        }
        if (r->seen >> i & 1u) {
            snprintf(text, sizeof text, "%s is given twice; leave one out", keys[i].name);
            return refuse(r, text);
        }
        r->seen |= 1u << i;
        r->p += length + 1;
        const mrw_status status =
            keys[i].numbers > 0 ? read_numbers(r, (place_key)i, values) : read_name(r);
        store(r->out, (place_key)i, values);
        return status;
    }
    return unknown_key(r, length);
}

/* ---- all ------------------------------------------------------------------------------------- */

mrw_status mrw_placement_parse(const char *text, mrw_placement *out, mrw_error *error)
{
    const char *from = find_keys(text);
    reader r = {.value = text, .p = from, .out = out, .error = error};
    *out = (mrw_placement){
        .length = from ? (size_t)(from - 1 - text) : strlen(text), .scale = 1.0f, .speed = 1.0};
    for (bool more = from; more;) {
        mrw_status status = read_key(&r);
        if (status) {
            return status;
        }
        more = *r.p == ',';
        r.p += more ? 1 + strspn(r.p + 1, " ") : 0;
    }
    if (out->has_time && (r.seen >> KEY_SPEED & 1u)) {
        return refuse(&r, "a model at a fixed time does not play; leave out time or speed");
    }
    if (out->length == 0) {
        return refuse(&r, "the model is missing before the colon");
    }
    return MRW_OK;
}
