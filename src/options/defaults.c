/* defaults.c: default settings, and the same as text in the form in which the options read them. */
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

/* Defaults of the parts that other rooms draw and read with. They equal the defaults of those
 * rooms; tests/test_session_settings.c compares them. */
const mrw_viewpoint_settings mrwi_options_usual_view = {.azimuth_degrees = 30.0f,
                                                        .elevation_degrees = 15.0f,
                                                        .fov_degrees = 35.0f,
                                                        .margin = 0.1f,
                                                        .up = {0.0f, 1.0f, 0.0f}};

const mrw_picture_settings mrwi_options_usual_picture = {.width = 512,
                                                         .height = 512,
                                                         .samples = 4,
                                                         .bits = 8,
                                                         .filter = 2, /* trilinear */
                                                         .exposure = 1.0f,
                                                         .tonemap = 2, /* neutral */
                                                         .background = {0xb8, 0xc3, 0xd3, 0xff},
                                                         .file_lights = true,
                                                         .environment_intensity = 1.0f,
                                                         .shadow_size = 2048,
                                                         .shadow_softness = 5.0f,
                                                         .occlusion_radius = 0.1f,
                                                         .occlusion_strength = 1.0f};

static const mrw_file_settings usual_files = {.max_file_size = UINT64_C(2) << 30,
                                              .max_texture_size = UINT64_C(16384) * 16384,
                                              .texture_memory = UINT64_C(1) << 30,
                                              .max_vertices = 20000000,
                                              .max_joints = 65535,
                                              .max_keys = 50000000,
                                              .import_seconds = 10.0,
                                              .import_memory = UINT64_C(2) << 30,
                                              .fbx_curves = true};

/* Sets all defaults; there are no others. Fields that are not named are 0. */
void mrw_settings_init(mrw_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->command = MRW_COMMAND_NONE;
    settings->animation.fps = (mrw_rate){30, 1};
    settings->animation.speed = (mrw_rate){1, 1};
    settings->picture = mrwi_options_usual_picture;
    settings->camera.view = mrwi_options_usual_view;
    settings->model.scale[0] = settings->model.scale[1] = settings->model.scale[2] = 1.0f;
    settings->model.copies = 1;
    settings->model.spread = 1.25;
    settings->cases.repeat = 1;
    settings->compare.pictures.max_flip = 0.05;
    settings->files = usual_files;
    settings->output.gap = 4;
    settings->output.page_size = 16384;
    settings->run.shard_index = settings->run.shard_count = 1;
    settings->run.max_work = UINT64_C(100000000000);
    settings->run.cache = UINT64_C(512) << 20;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* Writes an amount with the largest letter that leaves a whole number. */
static void put_amount(uint64_t amount, uint64_t step, char *out, size_t size)
{
    static const char letters[] = {0, 'k', 'M', 'G', 'T'};
    size_t k = 0;
    while (amount > 0 && amount % step == 0 && k + 1 < sizeof letters) {
        amount /= step;
        k++;
    }
    snprintf(out, size, "%llu%.1s", (unsigned long long)amount, &letters[k]);
}

/* Writes a number of pixels, as WxH if that is a square of a power of two. */
static void put_pixels(uint64_t pixels, char *out, size_t size)
{
    uint64_t side = 1;
    while (side * side < pixels && side < 1u << 16) {
        side *= 2;
    }
    if (side * side == pixels) {
        snprintf(out, size, "%llux%llu", (unsigned long long)side, (unsigned long long)side);
    } else {
        put_amount(pixels, 1000, out, size);
    }
}

static void put_vector(const float v[3], bool one, char *out, size_t size)
{
    char x[32], y[32], z[32];
    mrwi_base_format_float(v[0], x);
    mrwi_base_format_float(v[1], y);
    mrwi_base_format_float(v[2], z);
    if (one && v[0] == v[1] && v[1] == v[2]) {
        snprintf(out, size, "%s", x);
    } else {
        snprintf(out, size, "%s,%s,%s", x, y, z);
    }
}

/* Writes a number. Writes nothing for one outside the range, which means "not given". */
static void put_number(const mrwi_options_option *option, const void *field, char *out, size_t size)
{
    char text[32];
    double value;
    if (option->kind == MRWI_OPTIONS_FLOAT || option->kind == MRWI_OPTIONS_ELEVATION) {
        value = (double)*(const float *)field;
        mrwi_base_format_float(*(const float *)field, text);
    } else {
        value = option->kind == MRWI_OPTIONS_INTEGER ? (double)*(const uint32_t *)field
                                                     : *(const double *)field;
        mrwi_base_format_double(value, text);
    }
    if (value >= option->least && value <= option->most) {
        snprintf(out, size, "%s", text);
    }
}

const char *mrwi_options_choice(const mrw_settings *settings, const mrwi_options_option *option,
                                size_t *length)
{
    const char *name = option->shown.argument;
    uint32_t value;
    memcpy(&value, (const char *)settings + option->offset, sizeof value);
    for (; value > 0; value--) {
        name += strcspn(name, "|");
        name += *name != '\0';
    }
    *length = strcspn(name, "|:");
    return name;
}

static void put_rate(mrw_rate rate, char *out, size_t size)
{
    snprintf(out, size, rate.den == 1 ? "%llu" : "%llu/%llu", (unsigned long long)rate.num,
             (unsigned long long)rate.den);
}

static void put_value(const mrw_settings *settings, const mrwi_options_option *option, char *out,
                      size_t size)
{
    const void *field = (const char *)settings + option->offset;
    const uint8_t *color = settings->picture.background;
    size_t length = 0;
    switch (option->kind) {
    case MRWI_OPTIONS_INTEGER:
    case MRWI_OPTIONS_NUMBER:
    case MRWI_OPTIONS_FLOAT:
    case MRWI_OPTIONS_ELEVATION:
        put_number(option, field, out, size);
        break;
    case MRWI_OPTIONS_AMOUNT:
    case MRWI_OPTIONS_BYTES:
        put_amount(*(const uint64_t *)field, option->kind == MRWI_OPTIONS_BYTES ? 1024 : 1000, out,
                   size);
        break;
    case MRWI_OPTIONS_PIXELS:
        put_pixels(*(const uint64_t *)field, out, size);
        break;
    case MRWI_OPTIONS_VECTOR:
    case MRWI_OPTIONS_SCALE:
        if (option->marks == 0) {
            put_vector(field, option->kind == MRWI_OPTIONS_SCALE, out, size);
        }
        break;
    case MRWI_OPTIONS_CHOICE: {
        const char *name = mrwi_options_choice(settings, option, &length);
        snprintf(out, size, "%.*s", (int)length, name);
        break;
    }
    case MRWI_OPTIONS_SWITCH:
        snprintf(out, size, "%s", *(const bool *)field ? "on" : "off");
        break;
    case MRWI_OPTIONS_SAMPLES:
        snprintf(out, size, "%u", *(const uint32_t *)field);
        break;
    case MRWI_OPTIONS_SIZE:
        snprintf(out, size, "%ux%u", settings->picture.width, settings->picture.height);
        break;
    case MRWI_OPTIONS_RATE:
        put_rate(settings->animation.fps, out, size);
        break;
    case MRWI_OPTIONS_SPEED:
        put_rate(settings->animation.speed, out, size);
        break;
    case MRWI_OPTIONS_COLOR:
        snprintf(out, size, "#%02x%02x%02x", color[0], color[1], color[2]);
        break;
    case MRWI_OPTIONS_ISA:
        snprintf(out, size, "%s", mrw_isa_name(settings->run.isa));
        break;
    default: /* flags, texts and lists: nothing */
        break;
    }
}

const char *mrw_option_default(size_t index, char *out, size_t size)
{
    const mrwi_options_option *option = &mrwi_options[index];
    mrw_settings settings;
    mrw_settings_init(&settings);
    snprintf(out, size, "%s", option->words ? option->words : "");
    if (!option->words) {
        put_value(&settings, option, out, size);
    }
    return out;
}
