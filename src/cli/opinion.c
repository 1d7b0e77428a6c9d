/* opinion.c: `marrow test --backend gl --against-backend soft`: two renderers that share all but
 * the rasterizer draw the pictures of a suite, and are compared.
 *
 * A pixel of the subject agrees when no channel differs by more than 2 levels of 255. At an edge of
 * coverage, where its first sample shows another draw than a neighbour's, it agrees when it lies
 * within 2 levels of what the other picture spans in the 3 x 3 pixels around it, as conformance
 * tests of OpenGL and Vulkan allow. A picture agrees when its share of such pixels is large enough
 * and no connected group of others is larger than 16: half a percent of a figure is an eye. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS     2
#define RATIO      0.995
#define MOST_GROUP 16
#define MOST_DRAWN 4 /* pictures of a case, spread over those that it has */

/* What one renderer drew. */
typedef struct drawn {
    mrw_image image;
    uint32_t *ids;
    uint8_t *subject;
} drawn;

/* How far two pictures agree. */
typedef struct agreement {
    double ratio;    /* of the subject's pixels; the least of a case's pictures */
    uint32_t group;  /* the most pixels of a connected group that do not */
    uint32_t worst;  /* the id of the draw where most of it is */
    bool ids_differ; /* somewhere beside edges */
} agreement;

typedef struct opinion {
    const mrw_settings *settings;
    mrw_crew *soft, *gl;
    mrw_session session; /* of the case at hand */
    const mrw_scene *scene;
    drawn first[MOST_DRAWN]; /* by software */
    agreement found;
    uint32_t compared, skipped, failed;
} opinion;

/* ---- comparing ------------------------------------------------------------------------------- */

static int value_at(const mrw_image *image, size_t at)
{
    if (image->format == MRW_FORMAT_U16) { /* in levels of 255 */
        return (((const uint16_t *)image->pixels)[at] + 128) / 257;
    }
    return ((const uint8_t *)image->pixels)[at];
}

/* What nobody sees has no colour. */
static bool is_clear(const mrw_image *image, size_t pixel)
{
    return image->channels == 4 && value_at(image, 4 * pixel + 3) <= LEVELS;
}

static bool is_near(const mrw_image *a, const mrw_image *b, size_t pixel)
{
    bool near = true;
    for (uint32_t c = 0; c < a->channels; c++) {
        const size_t at = pixel * a->channels + c;
        near = near && abs(value_at(a, at) - value_at(b, at)) <= LEVELS;
    }
    return near || (is_clear(a, pixel) && is_clear(b, pixel));
}

/* The pixels around x, y that are there: x0 <= x < x1 and so on. */
typedef struct window {
    uint32_t x0, y0, x1, y1;
} window;

static window around(const mrw_image *image, uint32_t x, uint32_t y)
{
    return (window){x > 0 ? x - 1 : 0, y > 0 ? y - 1 : 0,
                    x + 2 < image->width ? x + 2 : image->width,
                    y + 2 < image->height ? y + 2 : image->height};
}

static bool is_edge(const drawn *d, uint32_t x, uint32_t y)
{
    const uint32_t width = d->image.width, own = d->ids[(size_t)y * width + x];
    const window w = around(&d->image, x, y);
    for (uint32_t v = w.y0; v < w.y1; v++) {
        for (uint32_t u = w.x0; u < w.x1; u++) {
            if (d->ids[(size_t)v * width + u] != own) {
                return true;
            }
        }
    }
    return false;
}

/* Of a, within what b spans around. */
static bool is_spanned(const mrw_image *a, const mrw_image *b, uint32_t x, uint32_t y)
{
    const window w = around(a, x, y);
    for (uint32_t c = 0; c < a->channels; c++) {
        int least = 255, most = 0;
        for (uint32_t v = w.y0; v < w.y1; v++) {
            for (uint32_t u = w.x0; u < w.x1; u++) {
                const int value = value_at(b, ((size_t)v * b->width + u) * b->channels + c);
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
        }
        const int own = value_at(a, ((size_t)y * a->width + x) * a->channels + c);
        if (own < least - LEVELS || own > most + LEVELS) {
            return false;
        }
    }
    return true;
}

/* Size of the group that a pixel is in; marks are taken away. stack: room for all pixels. */
static uint32_t take_group(const mrw_image *image, uint8_t *marks, uint32_t *stack, uint32_t first)
{
    uint32_t size = 0, height = 0;
    stack[height++] = first;
    marks[first] = 0;
    while (height > 0) {
        const uint32_t at = stack[--height];
        const window w = around(image, at % image->width, at / image->width);
        size++;
        for (uint32_t v = w.y0; v < w.y1; v++) {
            for (uint32_t u = w.x0; u < w.x1; u++) {
                const uint32_t next = v * image->width + u;
                if (marks[next]) {
                    marks[next] = 0;
                    stack[height++] = next;
                }
            }
        }
    }
    return size;
}

static void compare(const drawn *a, const drawn *b, uint8_t *marks, uint32_t *stack, agreement *out)
{
    const mrw_image *image = &a->image;
    const uint32_t pixels = image->width * image->height;
    uint32_t subject = 0, differing = 0;
    for (uint32_t i = 0; i < pixels; i++) {
        const uint32_t x = i % image->width, y = i / image->width;
        marks[i] = 0;
        if (!a->subject[i] && !b->subject[i]) {
            continue;
        }
        subject++;
        if (is_near(&b->image, image, i)) {
            continue;
        }
        const bool edge = is_edge(a, x, y) || is_edge(b, x, y);
        if (!edge || !is_spanned(&b->image, image, x, y)) {
            marks[i] = 1;
            differing++;
            out->ids_differ = out->ids_differ || (!edge && a->ids[i] != b->ids[i]);
        }
    }
    const double ratio = subject > 0 ? 1.0 - (double)differing / (double)subject : 1.0;
    out->ratio = ratio < out->ratio ? ratio : out->ratio;
    for (uint32_t i = 0; i < pixels; i++) {
        if (marks[i]) {
            const uint32_t size = take_group(image, marks, stack, i);
            out->worst = size > out->group ? a->ids[i] : out->worst;
            out->group = size > out->group ? size : out->group;
        }
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void free_drawn(drawn *d)
{
    mrw_image_free(&d->image);
    free(d->ids);
    free(d->subject);
    *d = (drawn){0};
}

static mrw_status copy_drawn(const mrw_sequence_frame *frame, drawn *out, mrw_error *error)
{
    const mrw_image *image = frame->image, *ids = mrw_frame_target(frame->renderer, MRW_TARGET_ID);
    const size_t pixels = (size_t)image->width * image->height;
    free_drawn(out);
    mrw_status status = mrw_image_create_as(image->format, image->width, image->height,
                                            image->channels, &out->image, error);
    if (status != MRW_OK) {
        return status;
    }
    out->ids = malloc(pixels * sizeof *out->ids);
    out->subject = malloc(pixels);
    if (!out->ids || !out->subject || !ids) {
        return cli_fail_memory(error);
    }
    memcpy(out->image.pixels, image->pixels,
           pixels * image->channels * mrw_format_size(image->format));
    memcpy(out->ids, ids->pixels, pixels * sizeof *out->ids);
    memcpy(out->subject, image->subject, pixels);
    return MRW_OK;
}

static mrw_status keep(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    opinion *o = user;
    return copy_drawn(frame, &o->first[frame->index], error);
}

static mrw_status judge(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    opinion *o = user;
    drawn second = {0};
    mrw_status status = copy_drawn(frame, &second, error);
    const size_t pixels = (size_t)frame->image->width * frame->image->height;
    uint8_t *marks = malloc(pixels);
    uint32_t *stack = malloc(pixels * sizeof *stack);
    if (status == MRW_OK && (!marks || !stack)) {
        status = cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        compare(&o->first[frame->index], &second, marks, stack, &o->found);
    }
    free(marks);
    free(stack);
    free_drawn(&second);
    return status;
}

/* First, last, and what lies between. */
static uint32_t choose(mrw_picture_list *list)
{
    const uint32_t count = list->count;
    if (count <= MOST_DRAWN) {
        return count;
    }
    for (uint32_t i = 0; i < MOST_DRAWN; i++) {
        list->items[i] = list->items[(uint64_t)i * (count - 1) / (MOST_DRAWN - 1)];
    }
    return MOST_DRAWN;
}

/* Draws a case's pictures with both, as settings say. */
static mrw_status draw_both(opinion *o, const mrw_session_model *model, mrw_error *error)
{
    const bool sequence = mrw_session_wants_sequence(model->settings);
    mrw_picture_list list = {0};
    o->session = (mrw_session){0};
    o->found = (agreement){.ratio = 1.0};
    mrw_status status = mrw_session_pictures(model, sequence, &list, error);
    if (status == MRW_OK) {
        status = mrw_session_begin(&o->session, model, sequence, error);
    }
    o->session.frame.targets |= 1u << MRW_TARGET_ID;
    o->session.frame.subject = true;
    o->session.frame.every = true;
    if (status == MRW_OK) {
        status = mrw_session_prepare(&o->session, &cli_host, error);
    }
    const uint32_t count = choose(&list);
    for (int k = 0; k < 2 && status == MRW_OK; k++) {
        const mrw_session_sink sink = {.user = o, .put = k == 0 ? keep : judge, .go_on = cli_go_on};
        status = mrw_session_perform(&o->session, list.items, count, k == 0 ? o->soft : o->gl,
                                     &sink, error);
    }
    for (int i = 0; i < MOST_DRAWN; i++) {
        free_drawn(&o->first[i]);
    }
    mrw_picture_list_free(&list);
    return status;
}

static bool agrees(const agreement *a, double ratio)
{
    return a->ratio >= ratio && a->group <= MOST_GROUP;
}

/* ---- what parts ------------------------------------------------------------------------------ */

/* The material of a draw, counted from 1 through all instances. */
static const char *material_of(const mrw_session *session, uint32_t id)
{
    for (uint32_t i = 0; i < session->instance_count && id > 0; i++) {
        const mrw_scene *scene = session->scenes[i];
        if (id <= scene->draws_count) {
            const uint32_t material = scene->meshes[scene->draws[id - 1].mesh].material;
            return material == MRW_NONE ? "a material that is not there"
                                        : mrw_scene_string(scene, scene->materials[material].name);
        }
        id -= scene->draws_count;
    }
    return "the ground";
}

/* Which input of shading is the first that differs: its name and where, or nothing. */
static mrw_status find_parting(opinion *o, const mrw_session_model *model, char out[200],
                               mrw_error *error)
{
    const agreement whole = o->found;
    char safe[100];
    snprintf(out, 200, "%s of %s", whole.ids_differ ? "which draw is seen" : "light",
             mrw_escape_text(material_of(&o->session, whole.worst), safe, sizeof safe));
    mrw_session_free(&o->session);
    for (int c = -1; c < (int)MRW_CHANNEL_COUNT && !whole.ids_differ; c++) {
        mrw_settings settings = *model->settings; /* borrowed */
        mrw_session_model other = *model;
        other.settings = &settings;
        settings.picture.shading = c < 0 ? MRW_SHADING_DEPTH : MRW_SHADING_CHANNEL;
        settings.shading_argument = c < 0 ? NULL : mrw_shading_channel_name((mrw_shading_channel)c);
        settings.picture.environment_background = false;
        const mrw_status status = draw_both(o, &other, error);
        const bool parts = status == MRW_OK && !agrees(&o->found, RATIO);
        if (parts) {
            snprintf(out, 200, "%s of %s", c < 0 ? "depth" : settings.shading_argument,
                     mrw_escape_text(material_of(&o->session, o->found.worst), safe, sizeof safe));
        }
        mrw_session_free(&o->session);
        if (parts || status != MRW_OK) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void say_case(const opinion *o, const mrw_case *c, const agreement *found, bool fine,
                     const char *what)
{
    char ratio[32];
    mrw_format_fixed(100.0 * found->ratio, 3, ratio);
    if (!fine) {
        fprintf(stdout, "failed %s/%s: %s %% agree, a group of %u pixels: %s\n", c->suite, c->name,
                ratio, found->group, what);
    } else if (o->settings->run.verbose) {
        fprintf(stdout, "passed %s/%s: %s %% agree, groups of %u pixels\n", c->suite, c->name,
                ratio, found->group);
    }
    if (c->gl_reason) {
        char safe[400];
        printf("  gl-ratio of %s/%s: %s\n", c->suite, c->name,
               mrw_escape_text(c->gl_reason, safe, sizeof safe));
    }
    fflush(stdout);
}

static mrw_status compare_case(opinion *o, const mrw_case *c, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    char what[200] = "";
    mrw_status status = mrw_session_load(c->model, &c->settings, &cli_host, &scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(c->model, scene, &c->settings, &model, error);
    }
    if (status == MRW_OK) {
        status = draw_both(o, &model, error);
    }
    const agreement found = o->found;
    const bool fine = status == MRW_OK && agrees(&found, c->gl_ratio > 0.0 ? c->gl_ratio : RATIO);
    if (status == MRW_OK && !fine) {
        status = find_parting(o, &model, what, error);
    }
    mrw_session_free(&o->session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    if (status == MRW_OK) {
        o->compared++;
        o->failed += !fine;
        say_case(o, c, &found, fine, what);
    }
    return status;
}

/* A model that does not load is no difference of renderers; a stop, and memory, end all. */
static mrw_status take_case(opinion *o, const mrw_case *c, mrw_error *error)
{
    if (c->skip) {
        o->skipped++;
        return MRW_OK;
    }
    const mrw_status status = compare_case(o, c, error);
    if (status == MRW_OK || status == MRW_ERROR_CANCELLED || status == MRW_ERROR_MEMORY) {
        return status;
    }
    printf("skipped %s/%s: %s\n", c->suite, c->name, error->text);
    o->skipped++;
    return MRW_OK;
}

int cli_second_opinion(const mrw_settings *settings, const mrw_case_list *cases)
{
    opinion o = {.settings = settings};
    const mrw_backend *backend;
    mrw_error error;
    mrw_status status = cli_backend(settings, &backend, &error);
    if (status == MRW_OK) {
        cli_detail("drawn with %s", cli_backend_driver());
        status =
            mrw_crew_create(mrw_backend_software(), mrw_session_threads(settings), &o.soft, &error);
    }
    if (status == MRW_OK) {
        status = mrw_crew_create(backend, 1, &o.gl, &error);
    }
    cli_signals_hold();
    cli_progress_begin(settings->run.quiet ? 0 : cases->count, "case");
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        status = take_case(&o, &cases->items[i], &error);
        cli_progress_step();
    }
    cli_progress_end();
    cli_signals_release();
    mrw_crew_free(o.gl);
    mrw_crew_free(o.soft);
    if (status != MRW_OK) {
        cli_complain(&error);
        return cli_exit_status(status);
    }
    printf("%u compared, %u skipped\n", o.compared, o.skipped);
    const bool many = 10 * o.skipped > o.compared + o.skipped;
    return o.failed > 0 || o.compared == 0 || many ? CLI_MISMATCH : CLI_DONE;
}
