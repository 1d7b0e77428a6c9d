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

/* How far two pictures agree, or those of a case. */
typedef struct agreement {
    double ratio;      /* of the subject's pixels; of a case the least */
    uint32_t pixels;   /* of the subject, in that picture */
    uint32_t group;    /* the most pixels of a connected group that do not */
    uint32_t worst;    /* the id of the draw where most of it is */
    bool ids_differ;   /* somewhere beside edges */
    uint32_t wrong;    /* how many of the pixels that failed are looked at again, */
    uint32_t at_fault; /* and how many of them differ, */
    uint32_t fault;    /* and the draw of one of them */
} agreement;

typedef struct opinion {
    const mrw_settings *settings;
    mrw_crew *soft, *gl;
    mrw_session session; /* of the case at hand */
    const mrw_scene *scene;
    drawn first[MOST_DRAWN];    /* by software */
    uint8_t *wrong[MOST_DRAWN]; /* pixels that failed, while what parts is looked for; or NULL */
    bool marking;               /* they are being found */
    bool lacks;                 /* the case is not drawn by a driver that does not take its size */
    agreement found;
    double wanted;                  /* share */
    const mrw_session_model *model; /* of the pictures at hand */
    const mrw_picture *pictures;
    cli_opinion_report report;
    mrw_json json; /* the cases of the answer */
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

/* Size of the group that a pixel is in; marks are taken away. out: its pixels, room for all. */
static uint32_t take_group(const mrw_image *image, uint8_t *marks, uint32_t *out, uint32_t first)
{
    uint32_t size = 1;
    out[0] = first;
    marks[first] = 0;
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t at = out[i];
        const window w = around(image, at % image->width, at / image->width);
        for (uint32_t v = w.y0; v < w.y1; v++) {
            for (uint32_t u = w.x0; u < w.x1; u++) {
                const uint32_t next = v * image->width + u;
                if (marks[next]) {
                    marks[next] = 0;
                    out[size++] = next;
                }
            }
        }
    }
    return size;
}

/* Keeps in `wrong` what failed: the pixels of large groups, or all where there are none. */
static void keep_wrong(const drawn *a, uint8_t *marks, uint32_t *group, uint8_t *wrong,
                       agreement *out)
{
    const uint32_t pixels = a->image.width * a->image.height;
    bool large = false;
    if (wrong) {
        memcpy(wrong, marks, pixels);
    }
    for (uint32_t i = 0; i < pixels; i++) {
        if (!marks[i]) {
            continue;
        }
        const uint32_t size = take_group(&a->image, marks, group, i);
        out->worst = size > out->group ? a->ids[i] : out->worst;
        out->group = size > out->group ? size : out->group;
        if (wrong && size > MOST_GROUP && !large) {
            large = true;
            memset(wrong, 0, pixels);
        }
        for (uint32_t k = 0; wrong && size > MOST_GROUP && k < size; k++) {
            wrong[group[k]] = 1;
        }
    }
}

/* again: pixels that are counted by themselves, or NULL; wrong: where those that fail are kept, or
 * NULL. */
static void compare(const drawn *a, const drawn *b, uint8_t *marks, uint32_t *group,
                    const uint8_t *again, uint8_t *wrong, agreement *out)
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
        out->wrong += again && again[i];
        if (is_near(&b->image, image, i)) {
            continue;
        }
        const bool edge = is_edge(a, x, y) || is_edge(b, x, y);
        if (!edge || !is_spanned(&b->image, image, x, y)) {
            marks[i] = 1;
            differing++;
            out->ids_differ = out->ids_differ || (!edge && a->ids[i] != b->ids[i]);
            if (again && again[i]) {
                out->at_fault++;
                out->fault = a->ids[i];
            }
        }
    }
    out->ratio = subject > 0 ? 1.0 - (double)differing / (double)subject : 1.0;
    out->pixels = subject;
    keep_wrong(a, marks, group, wrong, out);
}

/* Of a case, with one more of its pictures. */
static void add_agreement(const agreement *one, agreement *sum)
{
    if (sum->pixels == 0 || one->ratio < sum->ratio) {
        sum->ratio = one->ratio;
        sum->pixels = one->pixels;
    }
    if (one->group > sum->group) {
        sum->group = one->group;
        sum->worst = one->worst;
    }
    sum->ids_differ = sum->ids_differ || one->ids_differ;
    sum->wrong += one->wrong;
    sum->at_fault += one->at_fault;
    sum->fault = one->at_fault > 0 ? one->fault : sum->fault;
}

static bool agrees(const agreement *a, double ratio)
{
    return a->ratio >= ratio && a->group <= MOST_GROUP;
}

static void describe(const agreement *a, char out[200])
{
    char ratio[32];
    mrw_format_fixed(100.0 * a->ratio, 3, ratio);
    const int used = snprintf(out, 200, "%s %% of %u pixels agree", ratio, a->pixels);
    if (a->group > 0) {
        snprintf(out + used, 200 - (size_t)used, ", but a group of %u does not", a->group);
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

static mrw_status report_picture(opinion *o, uint32_t index, const drawn *second,
                                 const agreement *one, mrw_error *error)
{
    const mrw_picture *picture = &o->pictures[index];
    mrw_image expected = o->first[index].image, actual = second->image;
    char text[200];
    expected.subject = o->first[index].subject; /* borrowed */
    actual.subject = second->subject;
    describe(one, text);
    const cli_opinion_picture shown = {.clip = mrw_session_clip_name(o->model, picture->clip),
                                       .frame = picture->frame,
                                       .time = picture->time,
                                       .expected = &expected,
                                       .actual = &actual,
                                       .levels = LEVELS,
                                       .agrees = agrees(one, o->wanted),
                                       .message = text};
    return cli_opinion_report_picture(&o->report, &shown, error);
}

static mrw_status judge(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    opinion *o = user;
    drawn second = {0};
    agreement one = {.ratio = 1.0};
    mrw_status status = copy_drawn(frame, &second, error);
    const size_t pixels = (size_t)frame->image->width * frame->image->height;
    uint8_t *marks = malloc(pixels);
    uint32_t *group = malloc(pixels * sizeof *group);
    uint8_t **wrong = &o->wrong[frame->index];
    if (o->marking) {
        *wrong = malloc(pixels);
    }
    if (status == MRW_OK && (!marks || !group || (o->marking && !*wrong))) {
        status = cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        compare(&o->first[frame->index], &second, marks, group, o->marking ? NULL : *wrong,
                o->marking ? *wrong : NULL, &one);
        add_agreement(&one, &o->found);
    }
    if (status == MRW_OK && o->marking) {
        status = report_picture(o, frame->index, &second, &one, error);
    }
    free(marks);
    free(group);
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
    o->lacks = false;
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
    o->model = model;
    o->pictures = list.items;
    for (int k = 0; k < 2 && status == MRW_OK; k++) {
        const mrw_session_sink sink = {.user = o, .put = k == 0 ? keep : judge, .go_on = cli_go_on};
        status = mrw_session_perform(&o->session, list.items, count, k == 0 ? o->soft : o->gl,
                                     &sink, error);
        o->lacks = k == 1 && status == MRW_ERROR_DISPLAY && cli_backend_lacks();
    }
    for (int i = 0; i < MOST_DRAWN; i++) {
        free_drawn(&o->first[i]);
    }
    mrw_picture_list_free(&list);
    return status;
}

/* ---- what parts ------------------------------------------------------------------------------ */

/* The material of a draw, counted from 1 through all instances. */
static const char *material_of(const mrw_session *session, uint32_t id)
{
    for (uint32_t i = 0; i < session->instance_count && id > 0; i++) {
        const mrw_scene *scene = session->scenes[i];
        if (id <= scene->draws_count) {
            const uint32_t material = scene->meshes[scene->draws[id - 1].mesh].material;
            return material == MRW_NONE ? "the default material"
                                        : mrw_scene_string(scene, scene->materials[material].name);
        }
        id -= scene->draws_count;
    }
    return "the ground";
}

/* The settings that show an input of shading; -1: depth. */
static void show_input(int c, mrw_settings *settings)
{
    settings->picture.shading = c < 0 ? MRW_SHADING_DEPTH : MRW_SHADING_CHANNEL;
    settings->shading_argument = c < 0 ? NULL : mrw_shading_channel_name((mrw_shading_channel)c);
    settings->picture.environment_background = false;
}

/* Which input of shading is the first that differs by itself, else the first that does where the
 * pictures did: its name and where. Else it is light. */
static mrw_status find_parting(opinion *o, const mrw_session_model *model, char out[200],
                               mrw_error *error)
{
    const agreement whole = o->found;
    char safe[100];
    bool named = whole.ids_differ, parts = named;
    mrw_status status = MRW_OK;
    snprintf(out, 200, named ? "another object is in front, of material %s" : "light of %s",
             mrw_escape_text(material_of(&o->session, whole.worst), safe, sizeof safe));
    mrw_session_free(&o->session);
    for (int c = -1; c < (int)MRW_CHANNEL_COUNT && !parts && status == MRW_OK; c++) {
        mrw_settings settings = *model->settings; /* borrowed */
        mrw_session_model other = *model;
        other.settings = &settings;
        show_input(c, &settings);
        status = draw_both(o, &other, error);
        const agreement *found = &o->found;
        parts = status == MRW_OK && !agrees(found, RATIO);
        const bool there =
            found->wrong > 0 && 1.0 - (double)found->at_fault / (double)found->wrong < RATIO;
        if (parts || (status == MRW_OK && there && !named)) {
            const uint32_t id = parts ? found->worst : found->fault;
            snprintf(out, 200, "%s of %s", c < 0 ? "depth" : settings.shading_argument,
                     mrw_escape_text(material_of(&o->session, id), safe, sizeof safe));
            named = true;
        }
        mrw_session_free(&o->session);
    }
    return status;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* What came of a case. */
typedef struct verdict {
    mrw_outcome outcome; /* passed, failed or skipped */
    bool drawn;          /* by both: found says how far they agree */
    agreement found;
    char parts[200];  /* where it failed: which input of shading */
    const char *text; /* why it was skipped, or not drawn; or NULL */
} verdict;

/* With --json or --tap standard output is theirs. */
static FILE *lines(const opinion *o)
{
    return cli_answers_to_stdout() || o->settings->reports.tap ? stderr : stdout;
}

static void say_case(const opinion *o, const mrw_case *c, const verdict *v)
{
    const bool passed = v->outcome == MRW_PASSED;
    const char *outcome = mrw_outcome_name(v->outcome);
    char safe[600], text[200];
    describe(&v->found, text);
    if (!v->drawn) {
        fprintf(lines(o), "%s %s/%s: %s\n", outcome, c->suite, c->name,
                mrw_escape_text(v->text, safe, sizeof safe));
    } else if (!passed || o->settings->run.verbose) {
        fprintf(lines(o), "%s %s/%s: %s%s%s\n", outcome, c->suite, c->name, text,
                passed ? "" : ": ", v->parts);
    }
    if (v->drawn && c->gl_reason) {
        fprintf(lines(o), "  gl-ratio of %s/%s: %s\n", c->suite, c->name,
                mrw_escape_text(c->gl_reason, safe, sizeof safe));
    }
    fflush(lines(o));
}

/* In reports the line holds the reason of a gl-ratio, too. */
static mrw_status report_case(opinion *o, const mrw_case *c, const verdict *v, mrw_error *error)
{
    char text[1600], found[200], safe[1200] = "", ratio[32];
    describe(&v->found, found);
    mrw_format_fixed(100.0 * o->wanted, 1, ratio);
    if (v->drawn) {
        snprintf(text, sizeof text, "%s%s%s", found, v->parts[0] ? ": " : "", v->parts);
    } else {
        mrw_escape_text(v->text, text, sizeof text);
    }
    if (v->drawn && c->gl_reason) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "; %s %% are enough: %s", ratio,
                 mrw_escape_text(c->gl_reason, safe, sizeof safe));
    }
    return cli_opinion_report_outcome(&o->report, v->outcome, text,
                                      v->outcome == MRW_SKIPPED ? v->text : NULL, error);
}

static void put_text(mrw_json *json, const char *key, const char *text)
{
    mrw_json_string(mrw_json_key(json, key), text);
}

static void put_case(mrw_json *json, const mrw_case *c, double wanted, const verdict *v)
{
    mrw_json_open(json, '{');
    put_text(json, "suite", c->suite);
    put_text(json, "case", c->name);
    put_text(json, "outcome", mrw_outcome_name(v->outcome));
    if (v->drawn) {
        mrw_json_double(mrw_json_key(json, "ratio"), v->found.ratio);
        mrw_json_double(mrw_json_key(json, "wanted"), wanted);
        mrw_json_uint(mrw_json_key(json, "pixels"), v->found.pixels);
        mrw_json_uint(mrw_json_key(json, "group"), v->found.group);
        put_text(json, "parts", v->parts[0] ? v->parts : NULL);
        put_text(json, "gl_reason", c->gl_reason);
    } else {
        put_text(json, "message", v->text);
    }
    mrw_json_close(json, '}');
}

static mrw_status take_verdict(opinion *o, const mrw_case *c, const verdict *v, mrw_error *error)
{
    say_case(o, c, v);
    put_case(&o->json, c, o->wanted, v);
    o->skipped += v->outcome == MRW_SKIPPED;
    o->failed += v->outcome == MRW_FAILED;
    o->compared += v->drawn;
    return report_case(o, c, v, error);
}

static void free_wrong(opinion *o)
{
    for (int i = 0; i < MOST_DRAWN; i++) {
        free(o->wrong[i]);
        o->wrong[i] = NULL;
    }
}

static mrw_status compare_case(opinion *o, const mrw_case *c, verdict *v, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    mrw_session_host host = cli_host;
    host.maps = MRW_MAPS_ALL; /* find_parting draws other modes */
    mrw_status status = mrw_session_load(c->model, &c->settings, &host, &scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(c->model, scene, &c->settings, &model, error);
    }
    if (status == MRW_OK) {
        o->marking = true;
        status = draw_both(o, &model, error);
        o->marking = false;
    }
    v->found = o->found;
    const bool fine = status == MRW_OK && agrees(&v->found, o->wanted);
    if (status == MRW_OK && !fine) {
        status = find_parting(o, &model, v->parts, error);
    }
    v->outcome = fine ? MRW_PASSED : o->lacks ? MRW_SKIPPED : MRW_FAILED;
    free_wrong(o);
    mrw_session_free(&o->session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return status;
}

/* What is not drawn is a failure, but for a size that the driver does not take; a stop, and memory,
 * end all. */
static mrw_status take_case(opinion *o, const mrw_case *c, mrw_error *error)
{
    const char *reason = c->skip ? c->skip : c->soft_reason;
    verdict v = {.outcome = MRW_SKIPPED, .text = reason};
    o->wanted = c->gl_ratio > 0.0 ? c->gl_ratio : RATIO;
    o->lacks = false;
    mrw_status status = cli_opinion_report_case(&o->report, c, MOST_DRAWN, error);
    if (status != MRW_OK) {
        return status;
    }
    if (!reason) {
        status = compare_case(o, c, &v, error);
        if (status == MRW_ERROR_CANCELLED || status == MRW_ERROR_MEMORY ||
            status == MRW_ERROR_OUTPUT) {
            return status;
        }
        v.drawn = status == MRW_OK;
        v.text = v.drawn ? NULL : error->text;
    }
    return take_verdict(o, c, &v, error);
}

/* Says what came of it all; an answer with --json. */
static int tell(opinion *o, mrw_error *error)
{
    const char *fault = o->compared == 0 ? "no case was compared"
                        : 10 * o->skipped > o->compared + o->skipped
                            ? "more than a tenth of the cases were skipped"
                            : NULL;
    const bool bad = o->failed > 0 || fault;
    mrw_json *json = &o->json;
    mrw_status status = cli_opinion_report_write(&o->report, fault, error);
    if (status == MRW_OK && o->settings->output.json) {
        mrw_json_close(json, ']');
        mrw_json_uint(mrw_json_key(json, "compared"), o->compared);
        mrw_json_uint(mrw_json_key(json, "skipped"), o->skipped);
        mrw_json_uint(mrw_json_key(json, "failed"), o->failed);
        mrw_json_bool(mrw_json_key(json, "passed"), !bad);
        mrw_json_close(json, '}');
        mrw_json_line(json);
        status = cli_answer(&json->text, error);
    }
    fprintf(lines(o), "%u compared, %u skipped\n", o->compared, o->skipped);
    if (status != MRW_OK) {
        cli_complain(error);
        return cli_exit_status(status);
    }
    return bad ? CLI_MISMATCH : CLI_DONE;
}

static mrw_status begin(opinion *o, size_t case_count, mrw_error *error)
{
    const mrw_backend *backend;
    mrw_status status = cli_backend(o->settings, &backend, error);
    if (status == MRW_OK) {
        cli_detail("drawn with %s", cli_backend_driver());
        mrw_json_open(&o->json, '{');
        mrw_json_uint(mrw_json_key(&o->json, "schema"), 1);
        put_text(&o->json, "backend", backend->name);
        put_text(&o->json, "against_backend", mrw_backend_software()->name);
        put_text(&o->json, "gl_driver", cli_backend_driver());
        mrw_json_open(mrw_json_key(&o->json, "cases"), '[');
        status = cli_opinion_report_begin(o->settings, case_count, cli_backend_driver(), &o->report,
                                          error);
    }
    if (status == MRW_OK) {
        status = mrw_crew_create(mrw_backend_software(), mrw_session_threads(o->settings), &o->soft,
                                 error);
    }
    return status == MRW_OK ? mrw_crew_create(backend, 1, &o->gl, error) : status;
}

int cli_second_opinion(const mrw_settings *settings, const mrw_case_list *cases)
{
    opinion o = {.settings = settings};
    mrw_error error;
    mrw_status status = begin(&o, cases->count, &error);
    cli_signals_hold();
    cli_progress_begin(settings->run.quiet ? 0 : cases->count, "case");
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        status = take_case(&o, &cases->items[i], &error);
        cli_progress_step();
    }
    cli_progress_end();
    cli_backend_tell();
    cli_signals_release();
    mrw_crew_free(o.gl);
    mrw_crew_free(o.soft);
    int answer = cli_exit_status(status);
    if (status != MRW_OK) {
        cli_complain(&error);
    } else {
        answer = tell(&o, &error);
    }
    mrw_text_free(&o.json.text);
    cli_opinion_report_free(&o.report);
    return answer;
}
