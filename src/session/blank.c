/* blank.c: warns of pictures that show nothing and of models that show their inside, and names the
 * option that may help. */
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "session/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- blank pictures -------------------------------------------------------------------------- */

/* Compares all pixels with the background, or with the first one. It is fast: a picture that shows
 * something usually differs within a few rows. */
bool mrwi_session_is_blank(const mrw_frame_def *def, const mrw_image *image)
{
    const size_t pixel = image->channels * mrw_format_size(image->format);
    const size_t size = (size_t)image->width * image->height * pixel;
    if (def->no_picture || size == 0) {
        return false;
    }
    if (def->backplate && !def->transparent) {
        return image->channels == 3 && memcmp(image->pixels, def->backplate->pixels, size) == 0;
    }
    if (image->format == MRW_FORMAT_U8 && !def->transparent &&
        memcmp(image->pixels, def->background, 3) != 0) {
        return false;
    }
    return (!def->transparent || image->channels < 4 || image->pixels[pixel - 1] == 0) &&
           memcmp(image->pixels, image->pixels + pixel, size - pixel) == 0;
}

/* Geometry before the camera of a blank picture. */
typedef struct sight {
    bool any;               /* There are visible triangles. */
    bool hidden;            /* There are hidden triangles. */
    bool extent;            /* The triangles lie at more than one place. */
    unsigned outside;       /* Sides of the view that all vertices are beyond, one bit per side. */
    uint64_t fronts, backs; /* Triangles that face the camera, and those that do not. */
} sight;

static void to_clip(const mrw_camera *camera, const float *p, double out[4])
{
    double view[4] = {0}, in[4] = {(double)p[0], (double)p[1], (double)p[2], 1.0};
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            view[r] += (double)camera->world_to_view.m[4 * c + r] * in[c];
        }
    }
    for (int r = 0; r < 4; r++) {
        out[r] = 0.0;
        for (int c = 0; c < 4; c++) {
            out[r] += (double)camera->view_to_clip.m[4 * c + r] * view[c];
        }
    }
}

/* Returns the sides of the view that a point is beyond, one bit per side. */
static unsigned sides_of(const double c[4])
{
    return (c[0] < -c[3] ? 1u : 0u) | (c[0] > c[3] ? 2u : 0u) | (c[1] < -c[3] ? 4u : 0u) |
           (c[1] > c[3] ? 8u : 0u) | (c[2] < 0.0 ? 16u : 0u) | (c[2] > c[3] ? 32u : 0u);
}

/* Returns a number with the sign of a triangle's area in the picture, from homogeneous coordinates;
 * above 0 for counter-clockwise corners. */
static double winding(double corners[3][4])
{
    double rows[3][3], normal[3];
    for (int k = 0; k < 3; k++) {
        rows[k][0] = corners[k][0];
        rows[k][1] = corners[k][1];
        rows[k][2] = corners[k][3];
    }
    mrwi_base_cross3d(rows[1], rows[2], normal);
    return mrwi_base_dot3d(rows[0], normal);
}

static void look_at_draw(const mrw_scene *scene, const mrw_posed_draw *draw,
                         const mrw_camera *camera, sight *seen)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[draw->draw].mesh];
    const uint32_t *corner = scene->indices + mesh->first_index;
    seen->hidden = seen->hidden || draw->triangle_count < mesh->triangle_count;
    for (uint32_t t = 0; t < draw->triangle_count; t++, corner += 3) {
        double clip[3][4];
        for (int k = 0; k < 3; k++) {
            const float *p = draw->positions + 4 * (size_t)corner[k];
            to_clip(camera, p, clip[k]);
            seen->outside &= sides_of(clip[k]);
            seen->extent =
                seen->extent || memcmp(p, draw->positions + 4 * (size_t)corner[0], 12) != 0;
        }
        const double turn = draw->mirrored ? -winding(clip) : winding(clip);
        seen->fronts += turn > 0.0;
        seen->backs += turn < 0.0;
        seen->any = true;
    }
}

/* Returns the cause and the remedy of a blank picture, or NULL if there is nothing to draw. parts:
 * --hide was given. */
static const char *cause_of(const sight *seen, bool parts)
{
    if (!seen->any && seen->hidden) {
        return parts ? "--hide, or the file, leaves out all of it; --show NODE draws a part that "
                       "--hide leaves out, --show-hidden what the file hides"
                     : "the file hides all of it; --show-hidden draws it";
    }
    if (!seen->any) {
        return NULL;
    }
    if (!seen->extent) {
        return "its triangles have no size";
    }
    if (seen->outside != 0) {
        return "all of it is beside, behind or beyond what the camera sees; leave out --camera, "
               "--eye and --target to frame it";
    }
    return seen->fronts == 0 && seen->backs > 0
               ? "only the backs of its triangles are seen; --sides both draws them, and "
                 "--flip-winding turns the triangles around"
               : "what is in view is smaller than a pixel, or transparent";
}

/* Poses the instances for a picture and collects what its camera sees. */
static mrw_status look(mrw_session *session, const mrw_picture *picture,
                       const mrw_session_sink *sink, sight *seen, mrw_error *error)
{
    mrwi_session_views views;
    mrw_renderer *renderer = NULL;
    const mrw_posed_instance *posed;
    mrw_status status = MRW_OK;
    mrw_picture at = *picture;
    at.view = session->frame.view_count > 1 ? 0 : at.view;
    mrw_session_play(session, &at);
    memset(&views, 0, sizeof views);
    if (session->frame.view_count == 1) {
        status = mrwi_session_shoot(session, &at, 1, sink, &views, error);
        if (status) {
            goto out;
        }
    }
    const mrw_camera camera = views.cameras ? views.cameras[0] : session->frame.camera;
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        goto out;
    }
    status = mrw_pose_instances(renderer, session->instances, session->instance_count,
                                session->frame.isa, &posed, error);
    if (status) {
        goto out;
    }
    *seen = (sight){.outside = session->frame.view_count == 1 ? 63u : 0u};
    for (uint32_t i = 0; i < session->instance_count; i++) {
        for (uint32_t d = 0; d < session->scenes[i]->draws_count; d++) {
            look_at_draw(session->scenes[i], &posed[i].draws[d], &camera, seen);
        }
    }
out:
    mrw_renderer_free(renderer);
    mrwi_session_views_free(&views);
    return status;
}

void mrwi_session_warn_of_blank(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                const mrw_session_sink *sink)
{
    const bool parts = session->model->settings->model.parts.count > 0;
    sight seen;
    char text[1024];
    if (look(session, picture, sink, &seen, NULL)) {
        return;
    }
    const char *cause = cause_of(&seen, parts);
    if (cause) {
        snprintf(text, sizeof text, "%.500s: %u picture%s nothing but the background: %s",
                 session->model->path, count, count == 1 ? " shows" : "s show", cause);
        mrwi_session_warn(sink->host, text);
    }
}

/* ---- models that show their inside ----------------------------------------------------------- */

/* A posed mesh. The area vectors of a closed surface sum to 0; its volume is below 0 if the
 * triangles face inwards. */
typedef struct solid {
    double area, vector[3], volume;
    float low[3], high[3];
    bool one_sided;
} solid;

static solid measure_solid(const mrw_scene *scene, const mrw_posed_draw *draw)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[draw->draw].mesh];
    const uint32_t *corner = scene->indices + mesh->first_index;
    solid out = {.one_sided =
                     mesh->material == MRW_NONE ||
                     !(scene->materials[mesh->material].flags & MRW_MATERIAL_DOUBLE_SIDED)};
    for (uint32_t v = 0; v < draw->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            const float x = draw->positions[4 * (size_t)v + (size_t)i];
            out.low[i] = v == 0 || x < out.low[i] ? x : out.low[i];
            out.high[i] = v == 0 || x > out.high[i] ? x : out.high[i];
        }
    }
    for (uint32_t t = 0; t < draw->triangle_count; t++, corner += 3) {
        double p[3][3], cross[3];
        for (int k = 0; k < 9; k++) {
            const int i = k % 3;
            p[k / 3][i] = (double)draw->positions[4 * (size_t)corner[k / 3] + (size_t)i] -
                          0.5 * ((double)out.low[i] + (double)out.high[i]);
        }
        const double u[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
        const double v[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
        mrwi_base_cross3d(u, v, cross);
        out.area += 0.5 * sqrt(mrwi_base_dot3d(cross, cross));
        out.volume += mrwi_base_dot3d(p[0], cross) / 6.0;
        for (int i = 0; i < 3; i++) {
            out.vector[i] += 0.5 * cross[i];
        }
    }
    out.volume = draw->mirrored ? -out.volume : out.volume;
    return out;
}

/* Least volume of a solid, as a share of the volume of a cube with the same surface. Cards and
 * sheets have nearly none. */
#define LEAST_VOLUME 0.05
/* Most area that may be missing from a closed surface, as a share of its area. */
#define OPEN_AREA 1e-3

static bool is_inside_out(const solid *s)
{
    const double side = s->area / 6.0; /* squared edge of the cube with that area */
    return s->one_sided && s->volume < 0.0 &&
           s->volume * s->volume > LEAST_VOLUME * LEAST_VOLUME * side * side * side &&
           mrwi_base_dot3d(s->vector, s->vector) < OPEN_AREA * OPEN_AREA * s->area * s->area;
}

/* Returns true if another mesh lies inside: then this one is a room or a sky, which is seen from
 * within. */
static bool holds_another(const solid *all, uint32_t count, uint32_t index)
{
    const solid *room = &all[index];
    for (uint32_t i = 0; i < count; i++) {
        bool within = i != index && all[i].area > 0.0;
        for (int k = 0; k < 3; k++) {
            within = within && all[i].low[k] >= room->low[k] && all[i].high[k] <= room->high[k];
        }
        if (within) {
            return true;
        }
    }
    return false;
}

/* Most meshes that are compared with each other. */
#define MOST_SOLIDS 1000

/* Finds the meshes that are inside out. Returns false when out of memory. */
static bool find_insides(const mrw_scene *scene, const mrw_posed_draw *draws,
                         mrwi_session_insides *out)
{
    solid *all = mrwi_base_alloc(scene->draws_count, sizeof *all);
    *out = (mrwi_session_insides){0, 0};
    if (!all) {
        return false;
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        all[d] = measure_solid(scene, &draws[d]);
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (is_inside_out(&all[d]) && !holds_another(all, scene->draws_count, d)) {
            out->first = out->count++ == 0 ? d : out->first;
        }
    }
    mrwi_base_free(all);
    return true;
}

/* Poses the model and finds its meshes that are inside out, unless the cache knows them. Returns
 * false when out of memory. */
static bool know_insides(const mrw_session *session, mrwi_session_insides *out)
{
    mrwi_session_loaded *loaded = session->owned->loaded;
    mrw_renderer *renderer = NULL;
    const mrw_posed_instance *posed;
    bool known = loaded && mrwi_session_loaded_insides(loaded, out);
    if (known || mrw_renderer_create(&renderer, NULL)) {
        return known;
    }
    known =
        !mrw_pose_instances(renderer, session->instances, 1, session->frame.isa, &posed, NULL) &&
        find_insides(session->scenes[0], posed[0].draws, out);
    if (known && loaded) {
        mrwi_session_loaded_note_insides(loaded, out);
    }
    mrw_renderer_free(renderer);
    return known;
}

void mrwi_session_warn_of_insides(const mrw_session *session, const mrw_session_host *host)
{
    const mrw_scene *scene = session->scenes[0];
    mrwi_session_insides found;
    if (!host || !host->warning || session->model->settings->model.sides == MRW_SIDES_BOTH ||
        scene->draws_count > MOST_SOLIDS || !know_insides(session, &found) || found.count == 0) {
        return;
    }
    char text[1024], more[64] = "";
    if (found.count > 1) {
        snprintf(more, sizeof more, " (and %u more)", found.count - 1);
    }
    snprintf(text, sizeof text,
             "%.500s: mesh \"%.200s\"%s is closed and its triangles face inwards, so its "
             "inside is seen; %s, or draw both sides with --sides both",
             session->model->path,
             mrw_scene_string(scene, scene->meshes[scene->draws[found.first].mesh].name), more,
             session->model->settings->files.flip_winding
                 ? "leave out --flip-winding"
                 : "turn the triangles around with --flip-winding");
    mrwi_session_warn(host, text);
}
