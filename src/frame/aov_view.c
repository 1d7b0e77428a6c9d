/* aov_view.c: passes as pictures to look at. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

/* A pass being shown. */
typedef struct view_work {
    const mrw_aov_look *look;
    float fastest; /* largest flow, in pixels */
} view_work;

/* Turns the values of a pixel into a colour. */
typedef void (*pixel_view)(const view_work *work, const void *values, float out[3]);

static void show_grey(const view_work *work, const void *values, float out[3])
{
    (void)work;
    out[0] = out[1] = out[2] = *(const float *)values;
}

static void show_distance(const view_work *work, const void *values, float out[3])
{
    const float near = work->look->near_plane, far = work->look->far_plane;
    const float away = *(const float *)values;
    out[0] = out[1] = out[2] = far > 0.0f ? (far - away) / (far - near) : near / away;
}

static void show_position(const view_work *work, const void *values, float out[3])
{
    const float *position = values, *min = work->look->min, *max = work->look->max;
    for (int k = 0; k < 3; k++) {
        const float size = max[k] - min[k];
        out[k] = size > 0.0f ? (position[k] - min[k]) / size : 0.0f;
    }
}

static void show_three(const view_work *work, const void *values, float out[3])
{
    (void)work;
    memcpy(out, values, 3 * sizeof *out);
}

static void show_uv(const view_work *work, const void *values, float out[3])
{
    const float *uv = values;
    (void)work;
    out[0] = uv[0] - floorf(uv[0]);
    out[1] = uv[1] - floorf(uv[1]);
    out[2] = 0.0f;
}

static void show_normal(const view_work *work, const void *values, float out[3])
{
    const float *normal = values;
    (void)work;
    for (int k = 0; k < 3; k++) {
        out[k] = normal[k] * 0.5f + 0.5f;
    }
}

static void show_number(const view_work *work, const void *values, float out[3])
{
    uint32_t number;
    (void)work;
    memcpy(&number, values, sizeof number);
    mrwi_frame_number_color(number, out);
}

/* ---- flow ------------------------------------------------------------------------------------ */

/* Computes a colour of the wheel, 0 ... 1: red, yellow, green, cyan, blue, magenta, in steps that
 * look equal (Baker et al., "A Database and Evaluation Methodology for Optical Flow", 2011, and
 * their colorcode.cpp). */
#define WHEEL 55
static void wheel_color(int index, float out[3])
{
    static const struct {
        int steps, rises, falls, full;
    } arcs[6] = {{15, 1, -1, 0}, {6, -1, 0, 1},  {4, 2, -1, 1},
                 {11, -1, 1, 2}, {13, 0, -1, 2}, {6, -1, 2, 0}};
    int arc = 0;
    for (; index >= arcs[arc].steps; arc++) {
        index -= arcs[arc].steps;
    }
    /* rounded to 1/255, as in their code */
    const float share = (float)(255 * index / arcs[arc].steps) / 255.0f;
    out[0] = out[1] = out[2] = 0.0f;
    out[arcs[arc].full] = 1.0f;
    if (arcs[arc].rises >= 0) {
        out[arcs[arc].rises] = share;
    }
    if (arcs[arc].falls >= 0) {
        out[arcs[arc].falls] = 1.0f - share;
    }
}

static void show_flow(const view_work *work, const void *values, float out[3])
{
    const float *flow = values;
    out[0] = out[1] = out[2] = 0.0f;
    if (flow[2] == 0.0f) {
        return;
    }
    const double x = (double)flow[0], y = (double)flow[1];
    const double speed = sqrt(x * x + y * y) / (double)work->fastest;
    const double turn = (mrwi_base_atan2(-y, -x) / MRWI_BASE_PI + 1.0) * 0.5 * (WHEEL - 1);
    const int first = mrwi_base_round_to_int(floor(turn), 0, WHEEL - 1);
    float a[3], b[3];
    wheel_color(first, a);
    wheel_color((first + 1) % WHEEL, b);
    for (int k = 0; k < 3; k++) {
        const double share = turn - (double)first;
        const double hue = (1.0 - share) * (double)a[k] + share * (double)b[k];
        out[k] = (float)(1.0 - speed * (1.0 - hue));
    }
}

/* Pixels. A smaller maximum is taken for rounding errors of points that stand still. */
#define SLOWEST_FULL (1.0 / 16.0)

/* Returns the largest flow of points that are visible in the other frame. */
static float find_fastest(const mrw_image *pass)
{
    const float *flow = (const float *)(const void *)pass->pixels;
    double most = SLOWEST_FULL * SLOWEST_FULL;
    for (size_t i = 0; i < (size_t)pass->width * pass->height; i++, flow += 3) {
        const double x = (double)flow[0], y = (double)flow[1], square = x * x + y * y;
        most = flow[2] != 0.0f && square > most ? square : most;
    }
    return (float)sqrt(most);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static pixel_view view_of(mrw_aov aov)
{
    switch (aov) {
    case MRW_AOV_DEPTH:
    case MRW_AOV_DISTANCE:
        return show_distance;
    case MRW_AOV_POSITION:
        return show_position;
    case MRW_AOV_NORMAL:
        return show_normal;
    case MRW_AOV_UV:
        return show_uv;
    case MRW_AOV_FLOW_FORWARD:
    case MRW_AOV_FLOW_BACKWARD:
        return show_flow;
    case MRW_AOV_WEIGHTS:
    case MRW_AOV_COVERAGE:
        return show_grey;
    case MRW_AOV_ID:
    case MRW_AOV_MATERIAL:
    case MRW_AOV_JOINT:
    case MRW_AOV_TRIANGLE:
    case MRW_AOV_CRYPTO_OBJECT:
    case MRW_AOV_CRYPTO_MATERIAL:
        return show_number;
    default:
        return show_three;
    }
}

static bool is_seen(mrw_aov aov, const mrw_image *pass, const mrw_aov_look *look, size_t pixel)
{
    const size_t step = pass->channels * mrw_format_size(pass->format);
    uint32_t value;
    switch (aov) {
    case MRW_AOV_COVERAGE:
        return true;
    case MRW_AOV_CRYPTO_OBJECT:
    case MRW_AOV_CRYPTO_MATERIAL: /* all samples count, not only the centre */
    case MRW_AOV_JOINT:           /* surfaces that no joint moves have the number 0, too */
        memcpy(&value, pass->pixels + pixel * step, sizeof value);
        return value != 0;
    default:
        memcpy(&value, look->seen->pixels + pixel * sizeof value, sizeof value);
        return value != 0;
    }
}

mrw_status mrw_aov_show(mrw_aov aov, const mrw_image *pass, const mrw_aov_look *look,
                        mrw_image *out, mrw_error *error)
{
    const uint32_t channels = look->transparent ? 4 : 3;
    const size_t pixels = (size_t)pass->width * pass->height;
    const size_t step = pass->channels * mrw_format_size(pass->format);
    const pixel_view view = view_of(aov);
    view_work work = {.look = look};
    mrw_status status = mrw_image_create(pass->width, pass->height, channels, out, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    work.fastest = view == show_flow ? find_fastest(pass) : 0.0f;
    for (size_t i = 0; i < pixels; i++) {
        uint8_t *to = out->pixels + i * channels;
        float color[3];
        if (!is_seen(aov, pass, look, i)) {
            memcpy(to, look->background, look->transparent ? 0 : 3);
            continue;
        }
        view(&work, pass->pixels + i * step, color);
        for (int k = 0; k < 3; k++) {
            to[k] = (uint8_t)mrwi_base_round_to_int((double)color[k] * 255.0, 0, 255);
        }
        if (look->transparent) {
            to[3] = 255;
        }
    }
    mrwi_base_fp_leave(fp);
    return MRW_OK;
}
