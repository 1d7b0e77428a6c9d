/* settings.c: reads one value into its field by the kind of its row; frees settings. */
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void mrw_settings_free(mrw_settings *settings)
{
    mrwi_base_free(settings->given.items);
    mrwi_base_free(settings->output.usual_atlas);
    mrwi_base_free(settings->arguments.items);
    mrwi_base_free(settings->animation.clips.items);
    mrwi_base_free(settings->animation.anims.items);
    mrwi_base_free(settings->model.texture_dirs.items);
    mrwi_base_free(settings->model.parts.items);
    mrwi_base_free(settings->cases.matches.items);
    mrwi_base_free(settings->animation.blend);
    mrwi_base_free(settings->animation.layers.items);
    mrwi_base_free(settings->model.added.items);
    mrwi_base_free(settings->model.ids.items);
    mrwi_base_free(settings->output.pixels.items);
    mrwi_base_free(settings->compare.masks.items);
    mrwi_base_free(settings->lights.items);
    mrwi_base_free(settings->passes.items);
    mrwi_base_free(settings->animation.frames);
    mrwi_base_free(settings->animation.times);
    mrwi_base_free(settings->animation.time_shares);
    mrwi_base_free(settings->camera.views);
    mrwi_base_free(settings->camera.azimuths);
    mrwi_base_free(settings->camera.elevations);
    mrwi_base_free(settings->camera.names.items);
    memset(settings, 0, sizeof *settings);
}

/* Appends an element. The list grows at powers of two, so the count tells the capacity. */
bool mrwi_options_append(void **items, size_t *count, size_t size, const void *element)
{
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count == 0 ? 1 : *count * 2;
        void *grown = *count == 0 ? mrwi_base_alloc(capacity, size)
                                  : mrwi_base_realloc(*items, *count * size, capacity, size);
        if (!grown) {
            return false;
        }
        *items = grown;
    }
    memcpy((char *)*items + *count * size, element, size);
    *count += 1;
    return true;
}

bool mrwi_options_list_add(mrw_text_list *list, const char *text)
{
    void *items = (void *)list->items;
    bool fine = mrwi_options_append(&items, &list->count, sizeof text, &text);
    list->items = items;
    return fine;
}

void mrwi_options_list_remove(mrw_text_list *list, size_t index)
{
    list->count--;
    memmove((void *)(list->items + index), (const void *)(list->items + index + 1),
            (list->count - index) * sizeof *list->items);
    if (list->count == 0) { /* the next text gets a new block */
        mrwi_base_free((void *)list->items);
        list->items = NULL;
    }
}

const char *mrwi_options_show(const char *text, char out[96])
{
    mrwi_base_escape(text, out, 96);
    if (strlen(out) >= 92) {
        memcpy(out + 89, "...", 4);
    }
    return out;
}

/* ---- one value ------------------------------------------------------------------------------- */

/* A value to be read, and the field that it goes to. */
typedef struct reading {
    const mrwi_options_option *option;
    const char *name; /* the option's long name */
    const char *value;
    void *field;
    mrw_error *error;
} reading;

/* Fails with a message that says which values the option accepts. */
static mrw_status refuse(const reading *r, const char *expected)
{
    char shown[96];
    return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--%s '%s': expected %s", r->name,
                          mrwi_options_show(r->value, shown), expected);
}

static mrw_status refuse_range(const reading *r)
{
    char shown[96], least[32], most[32];
    mrwi_base_format_double(r->option->least, least);
    mrwi_base_format_double(r->option->most, most);
    return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--%s '%s': expected a %s from %s to %s",
                          r->name, mrwi_options_show(r->value, shown),
                          r->option->kind == MRWI_OPTIONS_INTEGER ? "whole number" : "number",
                          least, most);
}

static bool equals_any(const char *value, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(value, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static mrw_status read_flag(const reading *r)
{
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    bool *flag = r->field;
    if (!r->value || equals_any(r->value, yes, 4)) {
        *flag = true;
    } else if (equals_any(r->value, no, 4)) {
        *flag = false;
    } else {
        return refuse(r, "yes, no or no value");
    }
    return MRW_OK;
}

bool mrwi_options_parse_digits(const char **text, int64_t most, int64_t *out)
{
    const char *p = *text;
    int64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
        if (value > most) {
            return false;
        }
    }
    if (p == *text) {
        return false;
    }
    *text = p;
    *out = value;
    return true;
}

static mrw_status read_integer(const reading *r)
{
    const char *p = r->value;
    int64_t value;
    if (!mrwi_options_parse_digits(&p, mrwi_base_to_i64(r->option->most), &value) || *p != '\0' ||
        value < mrwi_base_to_i64(r->option->least)) {
        return refuse_range(r);
    }
    *(uint32_t *)r->field = (uint32_t)value;
    return MRW_OK;
}

static mrw_status read_number(const reading *r)
{
    size_t size = strlen(r->value);
    double value;
    if (size == 0 || mrwi_base_parse_double(r->value, size, &value) != size ||
        !(value >= r->option->least && value <= r->option->most)) {
        return refuse_range(r);
    }
    if (r->option->kind != MRWI_OPTIONS_NUMBER) {
        *(float *)r->field = (float)value;
    } else {
        *(double *)r->field = value;
    }
    return MRW_OK;
}

static mrw_status read_azimuth(const reading *r, mrw_settings *settings)
{
    mrw_camera_settings *camera = &settings->camera;
    camera->azimuth_auto = strcmp(r->value, "auto") == 0;
    if (!camera->azimuth_auto) {
        return mrwi_options_parse_angles(settings, r->option, r->value, r->error);
    }
    mrwi_base_free(camera->azimuths);
    camera->azimuths = NULL;
    camera->azimuth_count = 0;
    camera->view.azimuth_degrees = mrwi_options_usual_view.azimuth_degrees;
    return MRW_OK;
}

/* Reads digits that one letter may follow: k, M, G, T in either case, powers of `step`. Returns
 * false for any other text, or if the amount is above `most`. */
static bool parse_amount(const char *text, int64_t step, int64_t most, int64_t *out)
{
    static const char letters[] = "kmgt";
    int64_t factor = 1;
    if (!mrwi_options_parse_digits(&text, most, out)) {
        return false;
    }
    if (*text != '\0') {
        const char *letter = strchr(letters, *text | 0x20);
        if (!letter || text[1] != '\0') {
            return false;
        }
        for (const char *p = letters; p <= letter; p++) {
            factor *= step;
        }
    }
    if (*out > most / factor) {
        return false;
    }
    *out *= factor;
    return true;
}

static mrw_status refuse_amount(const reading *r)
{
    char text[160], least[32], most[32];
    mrwi_base_format_double(r->option->least, least);
    mrwi_base_format_double(r->option->most, most);
    snprintf(text, sizeof text, "a whole number from %s to %s, as in %s", least, most,
             r->option->kind == MRWI_OPTIONS_BYTES    ? "512M or 2G (K, M, G: powers of 1024)"
             : r->option->kind == MRWI_OPTIONS_PIXELS ? "64M or 8192x8192"
                                                      : "65535, 500k or 20M");
    return refuse(r, text);
}

static bool parse_pixels(const char *text, int64_t most, int64_t *out)
{
    int64_t width = 0, height = 0;
    const char *p = text;
    if (!mrwi_options_parse_digits(&p, 1 << 24, &width) || (*p != 'x' && *p != 'X')) {
        return parse_amount(text, 1000, most, out);
    }
    p++;
    if (!mrwi_options_parse_digits(&p, 1 << 24, &height) || *p != '\0') {
        return false;
    }
    *out = width * height;
    return *out <= most;
}

static mrw_status read_amount(const reading *r)
{
    int64_t most = mrwi_base_to_i64(r->option->most), value = 0;
    bool fine = r->option->kind == MRWI_OPTIONS_PIXELS
                    ? parse_pixels(r->value, most, &value)
                    : parse_amount(r->value, r->option->kind == MRWI_OPTIONS_BYTES ? 1024 : 1000,
                                   most, &value);
    if (!fine || value < mrwi_base_to_i64(r->option->least)) {
        return refuse_amount(r);
    }
    *(uint64_t *)r->field = (uint64_t)value;
    return MRW_OK;
}

/* Reads one to three numbers with commas between them, after which spaces may stand. Returns how
 * many there are, or 0 for any other text. */
static int parse_numbers(const char *text, float out[3])
{
    for (int count = 0; count < 3;) {
        double value;
        size_t used = mrwi_base_parse_double(text, strlen(text), &value);
        if (used == 0 || !(value >= -1e30 && value <= 1e30)) {
            return 0;
        }
        out[count++] = (float)value;
        text += used;
        if (*text == '\0') {
            return count;
        }
        if (*text++ != ',') {
            return 0;
        }
        text += strspn(text, " ");
    }
    return 0;
}

static mrw_status read_vector(const reading *r)
{
    float numbers[3];
    if (parse_numbers(r->value, numbers) != 3) {
        return refuse(r, "three numbers, as in 0,1.5,-2");
    }
    memcpy(r->field, numbers, sizeof numbers);
    return MRW_OK;
}

static mrw_status read_scale(const reading *r)
{
    float numbers[3];
    int count = parse_numbers(r->value, numbers);
    if (count == 1) {
        numbers[1] = numbers[2] = numbers[0];
    }
    if (count != 1 && count != 3) {
        return refuse(r, "one number or three, as in 2 or 1,1,0.5");
    }
    if (numbers[0] == 0.0f || numbers[1] == 0.0f || numbers[2] == 0.0f) {
        return refuse(r, "numbers other than 0, which would leave nothing to draw");
    }
    memcpy(r->field, numbers, sizeof numbers);
    return MRW_OK;
}

#define MOST_CHOICES   32
#define CHOICES_LENGTH 256

/* Splits a|b|c into names, which are stored in `buffer`. */
static size_t split_choices(const char *list, char buffer[CHOICES_LENGTH],
                            const char *names[MOST_CHOICES])
{
    size_t count = 0;
    assert(strlen(list) < CHOICES_LENGTH);
    memcpy(buffer, list, strlen(list) + 1);
    for (char *p = buffer; p && count < MOST_CHOICES;) {
        names[count++] = p;
        p = strchr(p, '|');
        if (p) {
            *p++ = '\0';
        }
    }
    return count;
}

static mrw_status refuse_choice(const reading *r, const char *const *names, size_t count)
{
    char text[2 * CHOICES_LENGTH] = "", shown[96];
    for (size_t i = 0; i < count; i++) {
        strcat(text, i == 0 ? "" : i + 1 < count ? ", " : " or ");
        strcat(text, names[i]);
    }
    mrwi_base_suggest(text, sizeof text, r->value, names, count, false);
    return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--%s '%s': expected %s", r->name,
                          mrwi_options_show(r->value, shown), text);
}

/* Finds the text behind the colon of a value whose choice is `name`. Returns false if the choice
 * needs such a text and it is missing, or the other way round. */
static bool read_rest(const reading *r, const char *name, const char **out)
{
    const char *colon = strchr(r->value, ':');
    *out = colon ? colon + 1 : NULL;
    return strchr(name, ':') ? colon && colon[1] != '\0' : !colon;
}

static mrw_status read_choice_with_rest(const reading *r, mrw_settings *settings)
{
    const char *names[MOST_CHOICES], *rest;
    char buffer[CHOICES_LENGTH], text[96];
    const size_t count = split_choices(r->option->shown.argument, buffer, names);
    const size_t length = strcspn(r->value, ":");
    for (size_t i = 0; i < count; i++) {
        if (strcspn(names[i], ":") != length || memcmp(names[i], r->value, length) != 0) {
            continue;
        }
        if (!read_rest(r, names[i], &rest)) {
            snprintf(text, sizeof text, "%s%s", names[i],
                     strchr(names[i], ':') ? "" : " with nothing after it");
            return refuse(r, text);
        }
        *(uint32_t *)r->field = (uint32_t)i;
        *(const char **)(void *)((char *)settings + r->option->rest) = rest;
        return MRW_OK;
    }
    return refuse_choice(r, names, count);
}

static mrw_status read_choice(const reading *r)
{
    const char *names[MOST_CHOICES];
    char buffer[CHOICES_LENGTH];
    size_t count = split_choices(r->option->shown.argument, buffer, names);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], r->value) == 0) {
            const char *digits = names[i];
            int64_t number = (int64_t)i;
            if (r->option->kind == MRWI_OPTIONS_SAMPLES) {
                mrwi_options_parse_digits(&digits, 64, &number);
            }
            *(uint32_t *)r->field = (uint32_t)number;
            return MRW_OK;
        }
    }
    return refuse_choice(r, names, count);
}

static mrw_status read_switch(const reading *r)
{
    static const char *const names[] = {"on", "off"};
    if (!equals_any(r->value, names, 2)) {
        return refuse_choice(r, names, 2);
    }
    *(bool *)r->field = strcmp(r->value, names[0]) == 0;
    return MRW_OK;
}

static mrw_status read_maybe(const reading *r)
{
    if (!r->value) {
        *(uint32_t *)r->field = mrwi_base_to_u32(r->option->least);
        return MRW_OK;
    }
    mrw_status status = read_choice(r);
    if (status) {
        return status;
    }
    *(uint32_t *)r->field += 1;
    return MRW_OK;
}

static mrw_status read_isa(const reading *r)
{
    const char *names[MRW_ISA_COUNT];
    mrw_isa isa;
    if (mrw_isa_from_name(r->value, &isa)) {
        *(mrw_isa *)r->field = isa;
        return MRW_OK;
    }
    for (int i = 0; i < MRW_ISA_COUNT; i++) {
        names[i] = mrw_isa_name((mrw_isa)i);
    }
    return refuse_choice(r, names, MRW_ISA_COUNT);
}

static mrw_status read_size(const reading *r, mrw_settings *settings)
{
    const int64_t most = 16384;
    const char *p = r->value;
    int64_t width = 0, height = 0;
    bool fine = mrwi_options_parse_digits(&p, most, &width);
    height = width;
    if (fine && (*p == 'x' || *p == 'X')) {
        p++;
        fine = mrwi_options_parse_digits(&p, most, &height);
    }
    if (!fine || *p != '\0' || width < 1 || height < 1) {
        return refuse(r, "WIDTHxHEIGHT or one number for both, each from 1 to 16384");
    }
    settings->picture.width = (uint32_t)width;
    settings->picture.height = (uint32_t)height;
    return MRW_OK;
}

static mrw_status read_rate(const reading *r, mrw_settings *settings)
{
    mrw_rate rate;
    settings->animation.fps_of_file = strcmp(r->value, "file") == 0;
    if (settings->animation.fps_of_file) {
        return MRW_OK;
    }
    if (!mrw_rate_parse(r->value, &rate) || (uint64_t)rate.num > (uint64_t)rate.den * 10000) {
        return refuse(r, "a rate above 0 and up to 10000, as in 24, 29.97 or 30000/1001, or file");
    }
    settings->animation.fps = rate;
    return MRW_OK;
}

/* Reads a speed as a fraction, so that times of frames stay one division. */
static mrw_status read_speed(const reading *r, mrw_settings *settings)
{
    mrw_rate speed;
    const bool backwards = r->value[0] == '-';
    if (!mrw_rate_parse(r->value + backwards, &speed) ||
        (uint64_t)speed.num > (uint64_t)speed.den * 1000 ||
        (uint64_t)speed.den > (uint64_t)speed.num * 1000) {
        return refuse(r, "a speed from 0.001 to 1000, as in 2, 0.5 or 1/3, or -0.001 to -1000, "
                         "which plays backwards");
    }
    settings->animation.speed = speed;
    settings->animation.backwards = backwards;
    return MRW_OK;
}

static mrw_status read_shard(const reading *r, mrw_settings *settings)
{
    const char *p = r->value;
    int64_t index = 0, count = 0;
    bool fine = mrwi_options_parse_digits(&p, 100000, &index) && *p == '/';
    p += fine;
    fine = fine && mrwi_options_parse_digits(&p, 100000, &count) && *p == '\0';
    if (!fine || index < 1 || index > count) {
        return refuse(r, "I/N with I from 1 to N, as in 2/4");
    }
    settings->run.shard_index = (uint32_t)index;
    settings->run.shard_count = (uint32_t)count;
    return MRW_OK;
}

const char *mrw_split_at(const char *text)
{
    return strrchr(text, '@');
}

static bool is_name_at_node(const char *text, size_t length)
{
    const char *at = length > 0 ? memrchr(text, '@', length) : NULL;
    return !at || (at != text && at + 1 < text + length);
}

/* Adds a rule of --hide or --show. */
static mrw_status read_rule(const reading *r)
{
    mrw_node_rules *rules = r->field;
    const mrw_node_rule rule = {r->value, r->option->kind == MRWI_OPTIONS_SHOW};
    if (r->value[0] == '\0') {
        return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--%s needs a non-empty value: %s",
                              r->name, r->option->shown.argument);
    }
    void *items = rules->items;
    const bool fine = mrwi_options_append(&items, &rules->count, sizeof rule, &rule);
    rules->items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(r->error, sizeof rule);
}

static mrw_status read_text(const reading *r)
{
    mrw_text_list *list = r->field;
    if (r->value[0] == '\0') {
        return mrwi_base_fail(r->error, MRW_ERROR_USAGE, "--%s needs a non-empty value: %s",
                              r->name, r->option->shown.argument);
    }
    mrw_placement placement = {.length = strlen(r->value)};
    if (r->option->places && mrw_placement_parse(r->value, &placement, r->error)) {
        return MRW_ERROR_USAGE;
    }
    if (r->option->kind == MRWI_OPTIONS_AT && !is_name_at_node(r->value, placement.length)) {
        return refuse(r, "a name, or a name, @ and a node");
    }
    mrw_mask mask;
    if (r->option->kind == MRWI_OPTIONS_MASKS && !mrw_mask_parse(r->value, &mask)) {
        return refuse(r, "rect:X,Y,WIDTH,HEIGHT, image:FILE.png or node:NAME");
    }
    uint32_t pixel[2];
    if (r->option->kind == MRWI_OPTIONS_POINTS && !mrw_pixel_parse(r->value, pixel)) {
        return refuse(r, "X,Y, whole numbers of pixels from the top left, as in 320,200");
    }
    mrw_id_entry id;
    if (r->option->kind == MRWI_OPTIONS_IDS && !mrw_id_parse(r->value, &id)) {
        return refuse(r, "NAME=N, a name and a number from 1 to 4294967295");
    }
    mrw_displacement displacement;
    if (r->option->kind == MRWI_OPTIONS_HEIGHTS &&
        !mrw_displacement_parse(r->value, &displacement)) {
        return refuse(r, "a texture, a colon and a scale, optionally followed by a colon and the "
                         "middle level, as in heights.png:0.2:0.5, or none");
    }
    if (r->option->kind == MRWI_OPTIONS_TEXT || r->option->kind == MRWI_OPTIONS_HEIGHTS) {
        *(const char **)r->field = r->value;
        return MRW_OK;
    }
    return mrwi_options_list_add(list, r->value) ? MRW_OK
                                                 : mrwi_base_fail_memory(r->error, sizeof r->value);
}

/* Reads a value of a kind whose parser knows the fields. */
static mrw_status read_parsed(const reading *r, mrw_settings *settings)
{
    static const struct {
        mrwi_options_kind kind;
        mrw_status (*parse)(mrw_settings *settings, const char *value, mrw_error *error);
    } parsers[] = {
        {MRWI_OPTIONS_LIGHTS, mrwi_options_parse_light},
        {MRWI_OPTIONS_PASSES, mrwi_options_parse_passes},
        {MRWI_OPTIONS_BLEND, mrwi_options_parse_blend},
        {MRWI_OPTIONS_FRAMES, mrwi_options_parse_frames},
        {MRWI_OPTIONS_TIMES, mrwi_options_parse_times},
        {MRWI_OPTIONS_VIEWS, mrwi_options_parse_views},
        {MRWI_OPTIONS_COLOR, mrwi_options_parse_color},
        {MRWI_OPTIONS_MATTE, mrwi_options_parse_matte},
        {MRWI_OPTIONS_GROUND, mrwi_options_parse_ground},
        {MRWI_OPTIONS_OVERLAYS, mrwi_options_parse_overlays},
    };
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++) {
        if (parsers[i].kind == r->option->kind) {
            return parsers[i].parse(settings, r->value, r->error);
        }
    }
    return mrwi_base_fail(r->error, MRW_ERROR_INTERNAL, "--%s has no kind", r->name);
}

static mrw_status read_value(const reading *r, mrw_settings *settings)
{
    switch (r->option->kind) {
    case MRWI_OPTIONS_FLAG:
        return read_flag(r);
    case MRWI_OPTIONS_TEXT:
    case MRWI_OPTIONS_TEXTS:
    case MRWI_OPTIONS_AT:
    case MRWI_OPTIONS_MASKS:
    case MRWI_OPTIONS_IDS:
    case MRWI_OPTIONS_POINTS:
    case MRWI_OPTIONS_HEIGHTS:
        return read_text(r);
    case MRWI_OPTIONS_HIDE:
    case MRWI_OPTIONS_SHOW:
        return read_rule(r);
    case MRWI_OPTIONS_INTEGER:
        return read_integer(r);
    case MRWI_OPTIONS_NUMBER:
    case MRWI_OPTIONS_FLOAT:
        return read_number(r);
    case MRWI_OPTIONS_AMOUNT:
    case MRWI_OPTIONS_BYTES:
    case MRWI_OPTIONS_PIXELS:
        return read_amount(r);
    case MRWI_OPTIONS_VECTOR:
        return read_vector(r);
    case MRWI_OPTIONS_SCALE:
        return read_scale(r);
    case MRWI_OPTIONS_CHOICE:
    case MRWI_OPTIONS_SAMPLES:
        return r->option->rest != 0 ? read_choice_with_rest(r, settings) : read_choice(r);
    case MRWI_OPTIONS_SWITCH:
        return read_switch(r);
    case MRWI_OPTIONS_MAYBE:
        return read_maybe(r);
    case MRWI_OPTIONS_SIZE:
        return read_size(r, settings);
    case MRWI_OPTIONS_RATE:
        return read_rate(r, settings);
    case MRWI_OPTIONS_SPEED:
        return read_speed(r, settings);
    case MRWI_OPTIONS_AZIMUTH:
        return read_azimuth(r, settings);
    case MRWI_OPTIONS_ELEVATION:
        return mrwi_options_parse_angles(settings, r->option, r->value, r->error);
    case MRWI_OPTIONS_SHARD:
        return read_shard(r, settings);
    case MRWI_OPTIONS_ISA:
        return read_isa(r);
    default:
        return read_parsed(r, settings);
    }
}

mrw_status mrwi_options_option_set(mrw_settings *settings, const mrwi_options_option *option,
                                   const char *value, mrw_error *error)
{
    reading r = {.option = option,
                 .name = option->shown.name,
                 .value = value || option->kind != MRWI_OPTIONS_TEXT ? value : "-", /* stdout */
                 .field = (char *)settings + option->offset,
                 .error = error};
    if (!value && option->kind != MRWI_OPTIONS_FLAG && !option->shown.optional) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "--%s needs a value: %s", r.name,
                              option->shown.argument);
    }
    mrw_status status = read_value(&r, settings);
    if (status) {
        return status;
    }
    if (option->marks != 0) {
        *(bool *)((char *)settings + option->marks) = true;
    }
    if (!mrwi_options_is_given(settings, option) &&
        !mrwi_options_list_add(&settings->given, option->shown.name)) {
        return mrwi_base_fail_memory(error, sizeof option->shown.name);
    }
    return MRW_OK;
}

void mrwi_options_option_unset(mrw_settings *settings, const mrwi_options_option *option)
{
    void *field = (char *)settings + option->offset;
    mrw_text_list *given = &settings->given;
    switch (option->kind) {
    case MRWI_OPTIONS_FLAG:
        *(bool *)field = false;
        break;
    case MRWI_OPTIONS_TEXT:
        *(const char **)field = NULL;
        break;
    case MRWI_OPTIONS_GROUND:
        settings->picture.ground = MRWI_OPTIONS_GROUND_NONE;
        break;
    default:
        assert(option->kind == MRWI_OPTIONS_MAYBE);
        *(uint32_t *)field = 0;
    }
    for (size_t i = 0; i < given->count; i++) {
        if (strcmp(given->items[i], option->shown.name) == 0) {
            mrwi_options_list_remove(given, i);
            return;
        }
    }
}

mrw_status mrw_settings_set(mrw_settings *settings, const char *name, const char *value,
                            mrw_error *error)
{
    const mrwi_options_option *option = mrwi_options_option_find(name, strlen(name));
    if (!option) {
        char text[700] = "", shown[96];
        mrwi_options_suggest(name, MRW_COMMAND_NONE, false, text, sizeof text);
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "unknown option '%s'%s",
                              mrwi_options_show(name, shown), text);
    }
    return mrwi_options_option_set(settings, option, value, error);
}

bool mrwi_options_is_given(const mrw_settings *settings, const mrwi_options_option *option)
{
    for (size_t i = 0; i < settings->given.count; i++) {
        if (strcmp(settings->given.items[i], option->shown.name) == 0) {
            return true;
        }
    }
    return false;
}

bool mrw_settings_finds_front(const mrw_settings *settings)
{
    const mrw_camera_settings *camera = &settings->camera;
    const bool turned = mrw_settings_given(settings, "azimuth") ||
                        camera->view.azimuth_degrees != mrwi_options_usual_view.azimuth_degrees ||
                        mrw_settings_given(settings, "elevation") ||
                        camera->view.elevation_degrees != mrwi_options_usual_view.elevation_degrees;
    if (camera->directions > 0) { /* here an elevation does not say where the camera stands */
        return !mrw_settings_given(settings, "azimuth") || camera->azimuth_auto;
    }
    return camera->azimuth_auto || !(turned || camera->view.has_eye || camera->view_count > 0 ||
                                     camera->names.count > 0 || camera->follow);
}

bool mrw_settings_given(const mrw_settings *settings, const char *name)
{
    const mrwi_options_option *option = mrwi_options_option_find(name, strlen(name));
    assert(option);
    return option && mrwi_options_is_given(settings, option);
}

uint32_t mrwi_options_roles(const mrw_settings *settings)
{
    uint32_t roles = 0;
    for (size_t i = 0; i < settings->given.count; i++) {
        const char *name = settings->given.items[i];
        roles |= mrwi_options_option_find(name, strlen(name))->roles;
    }
    return roles;
}
