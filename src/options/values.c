/* values.c: reads values that have a form of their own: frame lists, times, blends, masks, colours.
 */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_NUMBER 1000000000

/* ---- frames: N, N-M, each with xSTEP, between commas; N may be negative ---------------------- */

static bool parse_frame(const char **text, int64_t *out)
{
    const char *p = *text;
    bool negative = *p == '-';
    p += negative;
    if (!mrwi_options_parse_digits(&p, MOST_NUMBER, out)) {
        return false;
    }
    if (negative) {
        *out = -*out;
    }
    *text = p;
    return !(negative && *out == 0);
}

static bool parse_range(const char **text, mrw_frame_range *out)
{
    const char *p = *text;
    if (!parse_frame(&p, &out->first)) {
        return false;
    }
    out->last = out->first;
    out->step = 1;
    if (*p == '-') {
        p++;
        if (!parse_frame(&p, &out->last)) {
            return false;
        }
    }
    if (*p == 'x') {
        p++;
        if (!mrwi_options_parse_digits(&p, MOST_NUMBER, &out->step) || out->step == 0) {
            return false;
        }
    }
    *text = p;
    return *p == '\0' || *p == ',';
}

mrw_status mrwi_options_parse_frames(mrw_settings *settings, const char *value, mrw_error *error)
{
    char shown[96];
    const char *p = value;
    void *ranges = NULL;
    size_t count = 0;
    for (;;) {
        mrw_frame_range range;
        if (!parse_range(&p, &range)) {
            mrwi_base_free(ranges);
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--frames '%s': expected frame numbers, ranges and steps, as in "
                                  "0-47x2,60,-1",
                                  mrwi_options_show(value, shown));
        }
        if (!mrwi_options_append(&ranges, &count, sizeof range, &range)) {
            mrwi_base_free(ranges);
            return mrwi_base_fail_memory(error, sizeof range);
        }
        if (*p++ == '\0') {
            break;
        }
        p += strspn(p, " ");
    }
    mrwi_base_free(settings->animation.frames);
    settings->animation.frames = ranges;
    settings->animation.frame_count = count;
    return MRW_OK;
}

mrw_status mrwi_options_parse_times(mrw_settings *settings, const char *value, mrw_error *error)
{
    char shown[96];
    const char *p = value;
    void *times = NULL, *shares = NULL;
    size_t count = 0, share_count = 0;
    mrw_status status;
    for (bool more = true; more; p += strspn(p, " ")) {
        double time;
        const size_t used = mrwi_base_parse_double(p, strlen(p), &time);
        const bool share = used > 0 && p[used] == '%';
        p += used + share;
        more = *p == ',';
        time = share ? time / 100.0 : time;
        if (used == 0 || (*p != '\0' && *p != ',')) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "--times '%s': expected seconds, or parts of the clip in "
                                    "percent, as in 0,0.5,25%%",
                                    mrwi_options_show(value, shown));
            goto out;
        }
        if (!mrwi_options_append(&times, &count, sizeof time, &time) ||
            !mrwi_options_append(&shares, &share_count, sizeof share, &share)) {
            status = mrwi_base_fail_memory(error, sizeof time);
            goto out;
        }
        p += more;
    }
    mrwi_base_free(settings->animation.times);
    mrwi_base_free(settings->animation.time_shares);
    settings->animation.times = times;
    settings->animation.time_shares = shares;
    settings->animation.time_count = count;
    return MRW_OK;
out:
    mrwi_base_free(times);
    mrwi_base_free(shares);
    return status;
}

/* ---- views: a name or AZIMUTH/ELEVATION, between commas -------------------------------------- */

/* The named views. Azimuth 0 sees the front. In iso the three axes look equally long; its elevation
 * is atan(sqrt(1/2)). */
static const mrw_view_entry named_views[] = {
    {"front", 0.0f, 0.0f},   {"left", 90.0f, 0.0f}, {"right", -90.0f, 0.0f},
    {"back", 180.0f, 0.0f},  {"top", 0.0f, 90.0f},  {"bottom", 0.0f, -90.0f},
    {"iso", 45.0f, 35.264f},
};

#define NAMED_VIEWS (sizeof named_views / sizeof *named_views)

const char *mrw_view_name(float azimuth_degrees, float elevation_degrees)
{
    for (size_t i = 0; i < NAMED_VIEWS; i++) {
        if (named_views[i].azimuth_degrees == azimuth_degrees &&
            named_views[i].elevation_degrees == elevation_degrees) {
            return named_views[i].name;
        }
    }
    return NULL;
}

static bool parse_angle(const char *text, size_t length, double most, float *out)
{
    double value;
    if (length == 0 || mrwi_base_parse_double(text, length, &value) != length ||
        !(value >= -most && value <= most)) {
        return false;
    }
    *out = (float)value;
    return true;
}

static bool parse_view(const char *text, size_t length, mrw_view_entry *out)
{
    const char *slash = memchr(text, '/', length);
    for (size_t i = 0; i < NAMED_VIEWS; i++) {
        if (strlen(named_views[i].name) == length &&
            memcmp(named_views[i].name, text, length) == 0) {
            *out = named_views[i];
            return true;
        }
    }
    *out = (mrw_view_entry){.name = NULL};
    return slash && parse_angle(text, (size_t)(slash - text), 36000.0, &out->azimuth_degrees) &&
           parse_angle(slash + 1, length - (size_t)(slash - text) - 1, 90.0,
                       &out->elevation_degrees);
}

static mrw_status refuse_view(const char *text, size_t length, mrw_error *error)
{
    const char *names[NAMED_VIEWS];
    char name[64], shown[96], hint[256] = "";
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    for (size_t i = 0; i < NAMED_VIEWS; i++) {
        names[i] = named_views[i].name;
    }
    mrwi_base_suggest(hint, sizeof hint, name, names, NAMED_VIEWS, false);
    return mrwi_base_fail(
        error, MRW_ERROR_USAGE,
        "--views: unknown view '%s'; expected front, left, right, back, top, bottom, iso or "
        "AZIMUTH/ELEVATION such as 30/15, up to 36000 and 90 degrees%s",
        mrwi_options_show(name, shown), hint);
}

/* Returns true if the list has the view already: both would be written to the same files. */
static bool is_again(const mrw_view_entry *views, size_t count, const mrw_view_entry *view)
{
    for (size_t i = 0; i < count; i++) {
        if (views[i].azimuth_degrees == view->azimuth_degrees &&
            views[i].elevation_degrees == view->elevation_degrees) {
            return true;
        }
    }
    return false;
}

mrw_status mrwi_options_parse_views(mrw_settings *settings, const char *value, mrw_error *error)
{
    char shown[96];
    void *views = NULL;
    size_t count = 0, length;
    mrw_status status;
    for (const char *p = value;; p += length + 1) {
        mrw_view_entry view;
        p += strspn(p, " ");
        length = strcspn(p, ",");
        if (!parse_view(p, length, &view)) {
            status = refuse_view(p, length, error);
            goto out;
        }
        if (is_again(views, count, &view)) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "--views '%s': one view is given twice; leave one out",
                                    mrwi_options_show(value, shown));
            goto out;
        }
        if (!mrwi_options_append(&views, &count, sizeof view, &view)) {
            status = mrwi_base_fail_memory(error, sizeof view);
            goto out;
        }
        if (p[length] == '\0') {
            break;
        }
    }
    mrwi_base_free(settings->camera.views);
    settings->camera.views = views;
    settings->camera.view_count = count;
    return MRW_OK;
out:
    mrwi_base_free(views);
    return status;
}

/* ---- angles: numbers between commas ---------------------------------------------------------- */

static mrw_status refuse_angles(const mrwi_options_option *option, const char *value,
                                mrw_error *error)
{
    char shown[96], least[32], most[32];
    mrwi_base_format_double(option->least, least);
    mrwi_base_format_double(option->most, most);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "--%s '%s': expected a number from %s to %s%s",
                          option->shown.name, mrwi_options_show(value, shown), least, most,
                          option->kind == MRWI_OPTIONS_AZIMUTH
                              ? ", or auto, or several numbers, as in 0,90,180"
                              : ", or several, as in 0,30");
}

/* Returns true if an angle before the one at `at` equals it. */
static bool angle_is_again(const float *angles, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (angles[i] == angles[at]) {
            return true;
        }
    }
    return false;
}

mrw_status mrwi_options_parse_angles(mrw_settings *settings, const mrwi_options_option *option,
                                     const char *value, mrw_error *error)
{
    const bool turns = option->kind == MRWI_OPTIONS_AZIMUTH;
    mrw_camera_settings *camera = &settings->camera;
    float **list = turns ? &camera->azimuths : &camera->elevations;
    size_t *list_count = turns ? &camera->azimuth_count : &camera->elevation_count;
    float *one = turns ? &camera->view.azimuth_degrees : &camera->view.elevation_degrees;
    char shown[96];
    void *angles = NULL;
    size_t count = 0, length;
    mrw_status status = MRW_OK;
    for (const char *p = value;; p += length + 1) {
        float angle;
        p += strspn(p, " ");
        length = strcspn(p, ",");
        if (!parse_angle(p, length, option->most, &angle)) {
            status = refuse_angles(option, value, error);
        } else if (!mrwi_options_append(&angles, &count, sizeof angle, &angle)) {
            status = mrwi_base_fail_memory(error, sizeof angle);
        } else if (count > MRW_MAX_VIEWS) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE, "--%s has more than %d values",
                                    option->shown.name, MRW_MAX_VIEWS);
        } else if (angle_is_again(angles, count - 1)) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "--%s '%s': one angle is given twice; leave one out",
                                    option->shown.name, mrwi_options_show(value, shown));
        }
        if (status) {
            goto out;
        }
        if (p[length] == '\0') {
            break;
        }
    }
    mrwi_base_free(*list);
    *one = *(const float *)angles;
    *list_count = count > 1 ? count : 0;
    *list = NULL;
    if (count > 1) {
        *list = angles;
        angles = NULL;
    }
out:
    mrwi_base_free(angles);
    return status;
}

/* ---- blends: CLIP:WEIGHT between commas; the last colon counts ------------------------------- */

static bool parse_part(const char *text, size_t length, mrw_blend_entry *out)
{
    size_t name = length;
    while (name > 0 && text[name - 1] != ':') {
        name--;
    }
    if (name < 2) {
        return false;
    }
    size_t rest = length - name;
    *out = (mrw_blend_entry){.name = text, .name_length = name - 1};
    return rest > 0 && mrwi_base_parse_double(text + name, rest, &out->weight) == rest &&
           out->weight >= 0.0 && out->weight <= 1e6;
}

static bool parse_parts(const char *value, void **parts, size_t *count, bool *memory)
{
    double sum = 0.0;
    for (const char *p = value;; p += 1 + strspn(p + 1, " ")) {
        size_t length = strcspn(p, ",");
        mrw_blend_entry part;
        if (!parse_part(p, length, &part)) {
            return false;
        }
        if (!mrwi_options_append(parts, count, sizeof part, &part)) {
            *memory = false;
            return false;
        }
        sum += part.weight;
        p += length;
        if (*p == '\0') {
            return sum >= 1e-6;
        }
    }
}

mrw_status mrwi_options_parse_blend(mrw_settings *settings, const char *value, mrw_error *error)
{
    char shown[96];
    void *parts = NULL;
    size_t count = 0;
    bool memory = true;
    if (!parse_parts(value, &parts, &count, &memory)) {
        mrwi_base_free(parts);
        return !memory
                   ? mrwi_base_fail_memory(error, sizeof(mrw_blend_entry))
                   : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "--blend '%s': expected clips and weights that are not all 0, "
                                    "as in Walk:0.7,Run:0.3",
                                    mrwi_options_show(value, shown));
    }
    mrwi_base_free(settings->animation.blend);
    settings->animation.blend = parts;
    settings->animation.blend_count = count;
    return MRW_OK;
}

/* ---- masks: rect:X,Y,WIDTH,HEIGHT, image:FILE, node:NAME ------------------------------------- */

static bool parse_rect(const char *text, uint32_t out[4])
{
    for (int i = 0; i < 4; i++) {
        int64_t value = 0;
        if (!mrwi_options_parse_digits(&text, 16384, &value) || *text != (i < 3 ? ',' : '\0')) {
            return false;
        }
        out[i] = (uint32_t)value;
        text++;
        text += i < 3 ? strspn(text, " ") : 0;
    }
    return out[2] > 0 && out[3] > 0;
}

bool mrw_mask_parse(const char *text, mrw_mask *out)
{
    static const char *const forms[] = {"rect:", "image:", "node:"};
    *out = (mrw_mask){.name = ""};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(forms[i]);
        if (strncmp(text, forms[i], length) != 0) {
            continue;
        }
        out->kind = (mrw_mask_kind)i;
        if (out->kind == MRW_MASK_RECT) {
            return parse_rect(text + length, out->rect);
        }
        out->name = text + length;
        return out->name[0] != '\0';
    }
    return false;
}

/* ---- pixels: X,Y ----------------------------------------------------------------------------- */

bool mrw_pixel_parse(const char *text, uint32_t out[2])
{
    for (int i = 0; i < 2; i++) {
        int64_t value = 0;
        if (!mrwi_options_parse_digits(&text, 16383, &value) || *text != (i < 1 ? ',' : '\0')) {
            return false;
        }
        out[i] = (uint32_t)value;
        text++;
    }
    return true;
}

/* ---- numbers of draws: NAME=N ---------------------------------------------------------------- */

bool mrw_id_parse(const char *text, mrw_id_entry *out)
{
    const char *equals = strrchr(text, '='), *digits = equals ? equals + 1 : "";
    int64_t number = 0;
    if (!mrwi_options_parse_digits(&digits, UINT32_MAX, &number) || *digits != '\0' || number < 1 ||
        equals == text) {
        return false;
    }
    *out = (mrw_id_entry){text, (size_t)(equals - text), (uint32_t)number};
    return true;
}

/* ---- displacements: TEXTURE:SCALE[:MIDLEVEL]; the last colons count -------------------------- */

/* Reads a number behind the last colon of a text, and shortens *length by both. */
static bool take_number(const char *text, size_t *length, float *out)
{
    size_t at = *length;
    double value;
    while (at > 0 && text[at - 1] != ':') {
        at--;
    }
    const size_t digits = *length - at;
    if (at == 0 || digits == 0 || mrwi_base_parse_double(text + at, digits, &value) != digits ||
        !(value >= -1e9 && value <= 1e9)) {
        return false;
    }
    *out = (float)value;
    *length = at - 1;
    return true;
}

bool mrw_displacement_parse(const char *text, mrw_displacement *out)
{
    size_t length = strlen(text);
    float scale;
    *out = (mrw_displacement){.midlevel = 0.5f};
    if (strcmp(text, "none") == 0) {
        return true;
    }
    if (!take_number(text, &length, &out->scale)) {
        return false;
    }
    if (take_number(text, &length, &scale)) {
        out->midlevel = out->scale;
        out->scale = scale;
    }
    out->path_length = length;
    return length > 0;
}

/* ---- colours --------------------------------------------------------------------------------- */

typedef struct named_color {
    const char *name;
    uint32_t rgb;
} named_color;

/* The colours that can be named; the names are those of CSS. */
static const named_color color_names[] = {
    {"black", 0x000000},  {"white", 0xffffff},     {"gray", 0x808080},      {"grey", 0x808080},
    {"silver", 0xc0c0c0}, {"lightgray", 0xd3d3d3}, {"lightgrey", 0xd3d3d3}, {"darkgray", 0xa9a9a9},
    {"red", 0xff0000},    {"green", 0x008000},     {"lime", 0x00ff00},      {"blue", 0x0000ff},
    {"navy", 0x000080},   {"teal", 0x008080},      {"cyan", 0x00ffff},      {"magenta", 0xff00ff},
    {"yellow", 0xffff00}, {"orange", 0xffa500},    {"purple", 0x800080},    {"maroon", 0x800000},
    {"olive", 0x808000},  {"pink", 0xffc0cb},      {"brown", 0xa52a2a},     {"beige", 0xf5f5dc},
    {"ivory", 0xfffff0},  {"skyblue", 0x87ceeb},   {"slategray", 0x708090},
};

#define COLOR_NAMES (sizeof color_names / sizeof *color_names)

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the digits of #rgb, #rrggbb or #rrggbbaa. #rgb has each digit once instead of twice. */
static bool parse_hex(const char *digits, uint8_t out[4])
{
    size_t length = strlen(digits);
    if (length != 3 && length != 6 && length != 8) {
        return false;
    }
    out[3] = 0xff;
    for (size_t i = 0; i < (length == 8 ? 4u : 3u); i++) {
        int high = hex_digit(digits[length == 3 ? i : 2 * i]);
        int low = hex_digit(digits[length == 3 ? i : 2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

static bool parse_color_name(const char *value, uint8_t out[4])
{
    for (size_t i = 0; i < COLOR_NAMES; i++) {
        if (strcmp(value, color_names[i].name) == 0) {
            uint32_t rgb = color_names[i].rgb;
            out[0] = (uint8_t)(rgb >> 16);
            out[1] = (uint8_t)(rgb >> 8);
            out[2] = (uint8_t)rgb;
            out[3] = 0xff;
            return true;
        }
    }
    return false;
}

const char *mrw_color_name(size_t index)
{
    return index < COLOR_NAMES ? color_names[index].name : NULL;
}

static bool parse_plain_color(const char *value, uint8_t out[4])
{
    return value[0] == '#' ? parse_hex(value + 1, out) : parse_color_name(value, out);
}

/* Appends the colours' names, or "none" where that is one, that a wrong one may mean. */
static void suggest_color(const char *value, bool none, char *out, size_t size)
{
    const char *names[COLOR_NAMES + 1] = {"none"};
    for (size_t i = 0; i < COLOR_NAMES; i++) {
        names[i + 1] = color_names[i].name;
    }
    mrwi_base_suggest(out, size, value, names + !none, COLOR_NAMES + none, false);
}

static mrw_status refuse_color(const char *value, mrw_error *error)
{
    char text[256] = "", shown[96];
    suggest_color(value, true, text, sizeof text);
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "--background '%s': expected none, #rgb, #rrggbb, a colour's name, two "
                          "colours as in white..gray, or a picture such as FILE.png%s",
                          mrwi_options_show(value, shown), text);
}

/* Endings of the pictures that a background can be made of. BMP and TGA are left out, because their
 * decoder accepts files that are cut short. */
static const char *const picture_endings[] = {".png", ".jpg", ".jpeg", ".webp", ".dds", ".ktx2"};

bool mrwi_options_is_background_file(const char *value)
{
    const size_t length = strlen(value);
    for (size_t i = 0; i < sizeof picture_endings / sizeof *picture_endings; i++) {
        const size_t ending = strlen(picture_endings[i]);
        if (length > ending && strcasecmp(value + length - ending, picture_endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static mrw_status refuse_gradient(const char *value, const char *what, const char *hint,
                                  mrw_error *error)
{
    char shown[96];
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "--background '%s': %s%s",
                          mrwi_options_show(value, shown), what, hint);
}

/* Reads one of the colours of a gradient. */
static mrw_status parse_end(const char *value, const char *text, size_t length, uint8_t out[3],
                            mrw_error *error)
{
    char name[64], hint[256] = "";
    uint8_t color[4];
    if (length == 0) {
        return refuse_gradient(value, "a gradient has two colours, as in #dde6f0..#8795a8", "",
                               error);
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (!parse_plain_color(name, color)) {
        suggest_color(name, false, hint, sizeof hint);
        return refuse_gradient(
            value, "the colours of a gradient are #rgb, #rrggbb or a colour's name", hint, error);
    }
    if (color[3] != 0xff) {
        return refuse_gradient(value, "the colours of a gradient are opaque", "", error);
    }
    memcpy(out, color, 3);
    return MRW_OK;
}

/* Reads A..B or A..B@SHAPE; dots: where the two dots are. */
static mrw_status parse_gradient(mrw_picture_settings *picture, const char *value, const char *dots,
                                 mrw_error *error)
{
    const char *second = dots + 2, *at = strchr(second, '@');
    uint32_t shape = MRW_BACKPLATE_VERTICAL;
    uint8_t ends[2][3];
    if (at && strcmp(at, "@radial") == 0) {
        shape = MRW_BACKPLATE_RADIAL;
    } else if (at && strcmp(at, "@vertical") != 0) {
        return refuse_gradient(value, "the shape of a gradient is @vertical or @radial", "", error);
    }
    mrw_status status = parse_end(value, value, (size_t)(dots - value), ends[0], error);
    if (status) {
        return status;
    }
    status = parse_end(value, second, at ? (size_t)(at - second) : strlen(second), ends[1], error);
    if (status) {
        return status;
    }
    picture->transparent = false;
    picture->backplate = shape;
    memcpy(picture->gradient, ends, sizeof ends);
    for (int k = 0; k < 3; k++) {
        picture->background[k] = (uint8_t)((ends[0][k] + ends[1][k] + 1) / 2);
    }
    picture->background[3] = 0xff;
    return MRW_OK;
}

mrw_status mrwi_options_parse_color(mrw_settings *settings, const char *value, mrw_error *error)
{
    mrw_picture_settings *picture = &settings->picture;
    uint8_t color[4];
    const char *dots = strstr(value, "..");
    if (strcmp(value, "none") == 0 || strcmp(value, "transparent") == 0) {
        picture->transparent = true;
        picture->backplate = MRW_BACKPLATE_NONE;
        return MRW_OK;
    }
    if (mrwi_options_is_background_file(value)) {
        picture->transparent = false;
        picture->backplate = MRW_BACKPLATE_PICTURE;
        picture->background_file = value;
        memcpy(picture->background, mrwi_options_usual_picture.background,
               sizeof picture->background);
        return MRW_OK;
    }
    if (dots && !strchr(value, '/')) {
        return parse_gradient(picture, value, dots, error);
    }
    if (!parse_plain_color(value, color)) {
        return refuse_color(value, error);
    }
    if (color[3] != 0x00 && color[3] != 0xff) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--background '%s': a background is opaque (ff) or none (00)", value);
    }
    picture->transparent = color[3] == 0x00;
    picture->backplate = MRW_BACKPLATE_NONE;
    memcpy(picture->background, color, sizeof color);
    picture->background[3] = 0xff;
    return MRW_OK;
}

mrw_status mrwi_options_parse_matte(mrw_settings *settings, const char *value, mrw_error *error)
{
    uint8_t color[4];
    char shown[96];
    if (!parse_plain_color(value, color) || color[3] != 0xff) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--matte '%s': expected #rgb, #rrggbb or a colour's name",
                              mrwi_options_show(value, shown));
    }
    memcpy(settings->output.matte, color, sizeof settings->output.matte);
    settings->output.has_matte = true;
    return MRW_OK;
}

/* ---- overlays: names between commas ---------------------------------------------------------- */

/* The names of overlays, in the order of mrw_overlay. */
static const char *const overlay_names[] = {"grid", "wire",     "normals", "bounds", "frustum",
                                            "axes", "skeleton", "names",   "label"};

#define OVERLAY_NAMES (sizeof overlay_names / sizeof *overlay_names)

static mrw_status refuse_overlay(const char *name, mrw_error *error)
{
    char text[256] = "", shown[96];
    mrwi_base_suggest(text, sizeof text, name, overlay_names, OVERLAY_NAMES, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "--overlay '%s': there is no such overlay%s",
                          mrwi_options_show(name, shown), text);
}

mrw_status mrwi_options_parse_overlays(mrw_settings *settings, const char *value, mrw_error *error)
{
    uint32_t overlays = 0;
    if (strcmp(value, "none") == 0) { /* in a suite, a case switches off overlays of all cases */
        settings->picture.overlays = 0;
        return MRW_OK;
    }
    for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[32];
        size_t found = OVERLAY_NAMES;
        at += strspn(at, " "); /* suites may have blanks around commas */
        size_t length = strcspn(at, ",");
        while (length > 0 && at[length - 1] == ' ') {
            length--;
        }
        snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), at);
        for (size_t i = 0; i < OVERLAY_NAMES; i++) {
            found = strcmp(name, overlay_names[i]) == 0 ? i : found;
        }
        if (found == OVERLAY_NAMES) {
            return refuse_overlay(name, error);
        }
        overlays |= 1u << found;
    }
    settings->picture.overlays = overlays;
    return MRW_OK;
}

mrw_status mrwi_options_parse_ground(mrw_settings *settings, const char *value, mrw_error *error)
{
    mrw_picture_settings *picture = &settings->picture;
    uint8_t color[4];
    char shown[96];
    if (!value || strcmp(value, "on") == 0 || strcmp(value, "off") == 0) {
        const bool off = value && strcmp(value, "off") == 0;
        picture->ground = off ? MRWI_OPTIONS_GROUND_NONE : MRWI_OPTIONS_GROUND_CATCHER;
        return MRW_OK;
    }
    if (!parse_plain_color(value, color) || color[3] != 0xff) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--ground '%s': expected a colour, as in --ground=#808080, or on or "
                              "off",
                              mrwi_options_show(value, shown));
    }
    picture->ground = MRWI_OPTIONS_GROUND_COLOR;
    memcpy(picture->ground_color, color, sizeof picture->ground_color);
    return MRW_OK;
}
