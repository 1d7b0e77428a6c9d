/* opinion.c: a second opinion: two renderers that share all but the rasterizer draw the pictures of
 * a suite, and are compared.
 *
 * A pixel of the subject agrees when no channel differs by more than 2 levels of 255. At an edge of
 * coverage, where its first sample shows another draw than a neighbour's, it agrees when it lies
 * within 2 levels of what the other picture spans in the 3 x 3 pixels around it, as conformance
 * tests of OpenGL and Vulkan allow. A picture agrees when its share of such pixels is large enough
 * and no connected group of others is larger than 16: half a percent of a figure is an eye. */
#include "golden/opinion.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS     2
#define RATIO      0.995
#define MOST_GROUP 16

/* Most pictures of a case that are drawn, spread over those that it has. */
#define MOST_DRAWN 4

/* A picture as one renderer drew it. */
typedef struct drawn {
    mrw_image image;
    uint32_t *ids;
    uint8_t *subject;
} drawn;

/* How far two pictures agree, or all pictures of a case. */
typedef struct agreement {
    double ratio;      /* share of the subject's pixels that agree; in a case the smallest */
    uint32_t pixels;   /* pixels of the subject in that picture */
    uint32_t group;    /* size of the largest connected group that does not agree */
    uint32_t worst;    /* id of the draw where most of the group is */
    bool ids_differ;   /* the draws differ in a pixel that is not at an edge */
    uint32_t wrong;    /* pixels that failed before and are compared again */
    uint32_t at_fault; /* number of those that differ again */
    uint32_t fault;    /* id of the draw of one of those that differ again */
} agreement;

/* The two renderers and the receiver of results, which all cases share. */
typedef struct run {
    const mrw_opinion_def *def;
    mrw_crew *soft, *other;
    mrwi_golden_opinion_report *report;
} run;

/* A case while it is drawn and compared, several times if the cause of a difference is looked
 * for. */
typedef struct trial {
    const run *run;
    double wanted;              /* the share that is enough */
    mrw_session session;        /* session of the last drawing */
    agreement found;            /* agreement of the last drawing */
    uint8_t *wrong[MOST_DRAWN]; /* pixels that failed, while the cause is looked for; or NULL */
    bool marking;               /* the pixels that fail are being marked */
    bool lacks;                 /* the driver does not support the size of the pictures */
} trial;

/* The pictures of a case while both renderers draw them. */
typedef struct drawing {
    trial *trial;
    const mrw_session_model *model;
    const mrw_picture *pictures;
    drawn first[MOST_DRAWN]; /* pictures of software */
} drawing;

/* ---- comparing ------------------------------------------------------------------------------- */

/* Returns a channel in levels of 255. */
static int value_at(const mrw_image *image, size_t at)
{
    if (image->format == MRW_FORMAT_U16) {
        return (((const uint16_t *)image->pixels)[at] + 128) / 257;
    }
    return ((const uint8_t *)image->pixels)[at];
}

/* Returns true for a pixel that is invisible, so that its colour does not count. */
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

/* The pixels around x, y that exist: x0 <= x < x1, y0 <= y < y1. */
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

/* Returns true if a pixel of `a` lies within what `b` spans around it. */
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

/* Removes the marks of the connected group that begins at pixel `first`, and returns its size.
 * `out` receives the group's pixels; it has room for all. */
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

/* Finds the largest group, and keeps in `wrong` the pixels that failed: those of large groups, or
 * all if no group is large. */
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

/* Compares two pictures. again: pixels that are also counted separately, or NULL. wrong: receives
 * the pixels that fail, or is NULL. */
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

/* Adds the agreement of a picture to that of its case. */
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
    mrwi_base_free(d->ids);
    mrwi_base_free(d->subject);
    *d = (drawn){0};
}

static mrw_status copy_drawn(const mrw_sequence_frame *frame, drawn *out, mrw_error *error)
{
    const mrw_image *image = frame->image, *ids = mrw_frame_target(frame->renderer, MRW_TARGET_ID);
    const size_t pixels = (size_t)image->width * image->height;
    free_drawn(out);
    const mrw_status status = mrw_image_create_as(image->format, image->width, image->height,
                                                  image->channels, &out->image, error);
    if (status) {
        return status;
    }
    out->ids = mrwi_base_alloc(pixels, sizeof *out->ids);
    out->subject = mrwi_base_alloc(pixels, 1);
    if (!out->ids || !out->subject || !ids) {
        return mrwi_base_fail_memory(error, 0);
    }
    memcpy(out->image.pixels, image->pixels,
           pixels * image->channels * mrw_format_size(image->format));
    memcpy(out->ids, ids->pixels, pixels * sizeof *out->ids);
    memcpy(out->subject, image->subject, pixels);
    return MRW_OK;
}

static mrw_status keep(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    drawing *d = user;
    return copy_drawn(frame, &d->first[frame->index], error);
}

static mrw_status report_picture(const drawing *d, uint32_t index, const drawn *second,
                                 const agreement *one, mrw_error *error)
{
    const mrw_picture *picture = &d->pictures[index];
    mrw_image expected = d->first[index].image, actual = second->image;
    char text[200];
    expected.subject = d->first[index].subject; /* borrowed */
    actual.subject = second->subject;
    describe(one, text);
    const mrwi_golden_opinion_picture shown = {.clip =
                                                   mrw_session_clip_name(d->model, picture->clip),
                                               .frame = picture->frame,
                                               .time = picture->time,
                                               .expected = &expected,
                                               .actual = &actual,
                                               .levels = LEVELS,
                                               .agrees = agrees(one, d->trial->wanted),
                                               .message = text};
    return mrwi_golden_opinion_report_picture(d->trial->run->report, &shown, error);
}

static mrw_status judge(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    const drawing *d = user;
    trial *t = d->trial;
    drawn second = {0};
    agreement one = {.ratio = 1.0};
    const size_t pixels = (size_t)frame->image->width * frame->image->height;
    uint8_t *marks = NULL, **wrong = &t->wrong[frame->index];
    uint32_t *group = NULL;
    mrw_status status = copy_drawn(frame, &second, error);
    if (status) {
        goto out;
    }
    marks = mrwi_base_alloc(pixels, 1);
    group = mrwi_base_alloc(pixels, sizeof *group);
    if (t->marking) {
        *wrong = mrwi_base_alloc(pixels, 1);
    }
    if (!marks || !group || (t->marking && !*wrong)) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    compare(&d->first[frame->index], &second, marks, group, t->marking ? NULL : *wrong,
            t->marking ? *wrong : NULL, &one);
    add_agreement(&one, &t->found);
    if (t->marking) {
        status = report_picture(d, frame->index, &second, &one, error);
    }
out:
    mrwi_base_free(marks);
    mrwi_base_free(group);
    free_drawn(&second);
    return status;
}

/* Keeps the first picture of a list, the last, and some between. Returns how many. */
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

static mrw_status go_on(void *user, mrw_error *error)
{
    const drawing *d = user;
    const mrw_opinion_def *def = d->trial->run->def;
    return def->go_on ? def->go_on(def->user, error) : MRW_OK;
}

/* Draws a case's pictures with both, as the model's settings say. */
static mrw_status draw_both(trial *t, const mrw_session_model *model, mrw_error *error)
{
    const bool sequence = mrw_session_wants_sequence(model->settings);
    const run *with = t->run;
    drawing d = {.trial = t, .model = model};
    mrw_picture_list list = {0};
    t->session = (mrw_session){0};
    t->lacks = false;
    t->found = (agreement){.ratio = 1.0};
    mrw_status status = mrw_session_pictures(model, sequence, &list, error);
    if (status) {
        goto out;
    }
    status = mrw_session_begin(&t->session, model, sequence, error);
    if (status) {
        goto out;
    }
    t->session.frame.targets |= 1u << MRW_TARGET_ID;
    t->session.frame.subject = true;
    t->session.frame.every = true;
    status = mrw_session_prepare(&t->session, with->def->host, error);
    if (status) {
        goto out;
    }
    const uint32_t count = choose(&list);
    mrw_session_sink sink = {.user = &d, .put = keep, .go_on = go_on};
    d.pictures = list.items;
    status = mrw_session_perform(&t->session, list.items, count, with->soft, &sink, error);
    if (status) {
        goto out;
    }
    sink.put = judge;
    status = mrw_session_perform(&t->session, list.items, count, with->other, &sink, error);
    t->lacks = status == MRW_ERROR_DISPLAY && with->def->lacks && with->def->lacks(with->def->user);
out:
    for (int i = 0; i < MOST_DRAWN; i++) {
        free_drawn(&d.first[i]);
    }
    mrw_picture_list_free(&list);
    return status;
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* Returns the name of the material of a draw. Draws are counted from 1 through all instances. */
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

/* Writes the cause of a difference: the first input of shading that differs by itself, else the
 * first that differs where the pictures did, with the name of a material where it differs. If no
 * input differs, light is the cause. */
static mrw_status find_cause(trial *t, const mrw_session_model *model, char out[200],
                             mrw_error *error)
{
    const agreement whole = t->found;
    char safe[100];
    bool named = whole.ids_differ;
    snprintf(out, 200, named ? "another object is in front, of material %s" : "light of %s",
             mrw_escape_text(material_of(&t->session, whole.worst), safe, sizeof safe));
    mrw_session_free(&t->session);
    if (named) {
        return MRW_OK;
    }
    for (int c = -1; c < (int)MRW_CHANNEL_COUNT; c++) { /* -1: depth */
        mrw_settings settings = *model->settings;       /* borrowed */
        mrw_session_model other = *model;
        other.settings = &settings;
        settings.picture.shading = c < 0 ? MRW_SHADING_DEPTH : MRW_SHADING_CHANNEL;
        settings.shading_argument = c < 0 ? NULL : mrw_shading_channel_name((mrw_shading_channel)c);
        settings.picture.environment_background = false;
        settings.picture.backplate = MRW_BACKPLATE_NONE;
        const mrw_status status = draw_both(t, &other, error);
        if (status) {
            mrw_session_free(&t->session);
            return status;
        }
        const agreement *found = &t->found;
        const bool differs = !agrees(found, RATIO);
        const bool there =
            found->wrong > 0 && 1.0 - (double)found->at_fault / (double)found->wrong < RATIO;
        if (differs || (there && !named)) {
            const uint32_t id = differs ? found->worst : found->fault;
            snprintf(out, 200, "%s of %s", c < 0 ? "depth" : settings.shading_argument,
                     mrw_escape_text(material_of(&t->session, id), safe, sizeof safe));
            named = true;
        }
        mrw_session_free(&t->session);
        if (differs) {
            break;
        }
    }
    return MRW_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Draws a case with both, and compares the pictures. The outcome is also set after a failure: a
 * case whose size the driver does not support is skipped. */
static mrw_status compare_case(trial *t, const mrw_case *c, mrw_opinion_case *out, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    mrw_session_host host = *t->run->def->host;
    host.maps = MRW_MAPS_ALL; /* find_cause draws other modes */
    out->outcome = MRW_FAILED;
    mrw_status status = mrw_session_load(c->model, &c->settings, &host, &scene, error);
    if (status) {
        goto out;
    }
    status = mrw_session_model_init(c->model, scene, &c->settings, &model, error);
    if (status) {
        goto out;
    }
    t->marking = true;
    status = draw_both(t, &model, error);
    t->marking = false;
    out->ratio = t->found.ratio;
    out->pixels = t->found.pixels;
    out->group = t->found.group;
    describe(&t->found, out->text);
    if (status) {
        goto out;
    }
    out->outcome = agrees(&t->found, t->wanted) ? MRW_PASSED : MRW_FAILED;
    if (out->outcome == MRW_FAILED) {
        status = find_cause(t, &model, out->cause, error);
    }
out:
    if (t->lacks) {
        out->outcome = MRW_SKIPPED;
    }
    for (int i = 0; i < MOST_DRAWN; i++) {
        mrwi_base_free(t->wrong[i]);
    }
    mrw_session_free(&t->session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return status;
}

/* Ends a case in the report, whose line also holds the reason of a gl-ratio. */
static mrw_status report_case(const run *r, const mrw_case *c, const mrw_opinion_case *v,
                              mrw_error *error)
{
    char text[1600], safe[1200] = "", ratio[32];
    if (v->drawn) {
        snprintf(text, sizeof text, "%s%s%s", v->text, v->cause[0] ? ": " : "", v->cause);
    } else {
        mrw_escape_text(v->reason, text, sizeof text);
    }
    if (v->drawn && c->gl_reason) {
        const size_t used = strlen(text);
        mrw_format_fixed(100.0 * v->wanted, 1, ratio);
        snprintf(text + used, sizeof text - used, "; %s %% are enough: %s", ratio,
                 mrw_escape_text(c->gl_reason, safe, sizeof safe));
    }
    return mrwi_golden_opinion_report_outcome(r->report, v->outcome, text,
                                              v->outcome == MRW_SKIPPED ? v->reason : NULL, error);
}

/* Runs a case. A case that cannot be drawn fails, or is skipped if the driver does not support its
 * size. Only a stop, missing memory and files that cannot be written end the run. */
static mrw_status run_case(const run *r, const mrw_case *c, mrw_opinion *out, mrw_error *error)
{
    const char *reason = c->skip ? c->skip : c->soft_reason;
    trial t = {.run = r, .wanted = c->gl_ratio > 0.0 ? c->gl_ratio : RATIO};
    mrw_opinion_case v = {.outcome = MRW_SKIPPED, .wanted = t.wanted, .reason = reason};
    mrw_status status = mrwi_golden_opinion_report_case(r->report, c, MOST_DRAWN, error);
    if (status) {
        return status;
    }
    if (!reason) {
        status = compare_case(&t, c, &v, error);
        if (status == MRW_ERROR_CANCELLED || status == MRW_ERROR_MEMORY ||
            status == MRW_ERROR_OUTPUT) {
            return status;
        }
        v.drawn = !status;
        v.reason = v.drawn ? NULL : error->text;
    }
    out->skipped += v.outcome == MRW_SKIPPED;
    out->failed += v.outcome == MRW_FAILED;
    out->compared += v.drawn;
    if (r->def->progress) {
        r->def->progress(r->def->user, c, &v);
    }
    return report_case(r, c, &v, error);
}

mrw_status mrw_second_opinion(const mrw_case_list *cases, const mrw_opinion_def *def,
                              mrw_opinion *out, mrw_error *error)
{
    mrwi_golden_opinion_report report;
    run r = {.def = def, .report = &report};
    mrw_error own;
    error = error ? error : &own; /* a case that cannot be drawn has its text as the reason */
    *out = (mrw_opinion){.compared = 0};
    mrw_status status =
        mrwi_golden_opinion_report_begin(def, cases->count, &out->results, &report, error);
    if (status) {
        goto out;
    }
    status = mrw_crew_create(mrw_backend_software(), def->threads, &r.soft, error);
    if (status) {
        goto out;
    }
    status = mrw_crew_create(def->backend, 1, &r.other, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < cases->count; i++) {
        status = run_case(&r, &cases->items[i], out, error);
        if (status) {
            goto out;
        }
    }
    if (out->compared == 0) {
        out->fault = "no case was compared";
    } else if (10 * out->skipped > out->compared + out->skipped) {
        out->fault = "more than a tenth of the cases were skipped";
    }
    mrwi_golden_opinion_report_end(&report, out->fault);
out:
    mrw_crew_free(r.other);
    mrw_crew_free(r.soft);
    if (status) {
        mrw_opinion_free(out);
    }
    return status;
}

void mrw_opinion_free(mrw_opinion *opinion)
{
    mrw_results_free(&opinion->results);
    *opinion = (mrw_opinion){.compared = 0};
}
