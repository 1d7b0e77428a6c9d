/* lights.c: lights that the mouse moves. They are the options --light of the command line, and a
 * drag changes their text. The file's own lights become such options when the user picks one. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES_PIXEL 0.4 /* degrees that a pixel of mouse movement turns a light by */

/* ---- as options ------------------------------------------------------------------------------ */

/* Returns true for a --light that is a light with a place or a direction. Frames have these lights
 * in the order of the options. */
static bool is_placed(const viewer_argument *option)
{
    static const char *const forms[] = {"directional", "point", "spot"};
    bool placed = false;
    for (size_t i = 0; i < 3 && strcmp(option->name, "light") == 0; i++) {
        const size_t length = strlen(forms[i]);
        placed |= strncmp(option->value, forms[i], length) == 0 && option->value[length] == ':';
    }
    return placed;
}

static viewer_argument *option_of(const viewer_arguments *arguments, uint32_t light)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (is_placed(&arguments->options[i]) && light-- == 0) {
            return &arguments->options[i];
        }
    }
    return NULL;
}

static void put_vector(const char *key, const float *values, mrw_text *out)
{
    mrw_text_add(out, "%s=", key);
    for (int i = 0; i < 3; i++) {
        mrw_text_puts(out, i > 0 ? "," : "");
        mrw_text_float(out, values[i] + 0.0f); /* no -0 */
    }
}

static void put_number(const char *key, float value, float usual, mrw_text *out)
{
    if (value != usual) {
        mrw_text_add(out, ",%s=", key);
        mrw_text_float(out, value);
    }
}

/* Writes the degrees that --light reads as exactly these radians. */
static void put_angle(const char *key, float radians, float usual, mrw_text *out)
{
    const double factor = (double)(float)(3.14159265358979323846 / 180.0);
    const double degrees = (double)radians / factor, short_one = floor(degrees * 1e4 + 0.5) / 1e4;
    if (radians != usual) {
        mrw_text_add(out, ",%s=", key);
        mrw_text_double(out, (float)(short_one * factor) == radians ? short_one : degrees);
    }
}

/* Writes a light as a value of --light. space: "", "@camera" or "@node:NAME". */
static void write_light(const mrw_light_def *def, const char *space, mrw_text *out)
{
    static const char *const forms[] = {"directional:", "point:", "spot:"};
    const mrw_light_def usual = mrw_light_def_default(def->type);
    mrw_text_puts(out, forms[def->type]);
    if (def->type != MRW_LIGHT_DIRECTIONAL) {
        put_vector("pos", def->position, out);
    }
    if (def->type != MRW_LIGHT_POINT) {
        mrw_text_puts(out, def->type == MRW_LIGHT_SPOT ? "," : "");
        put_vector("dir", def->direction, out);
    }
    if (memcmp(def->color, usual.color, sizeof def->color) != 0) {
        mrw_text_puts(out, ",");
        put_vector("color", def->color, out);
    }
    put_number("intensity", def->intensity, usual.intensity, out);
    put_number("range", def->range, usual.range, out);
    put_angle("inner", def->inner_cone, usual.inner_cone, out);
    put_angle("outer", def->outer_cone, usual.outer_cone, out);
    if (memcmp(def->attenuation, usual.attenuation, sizeof def->attenuation) != 0) {
        mrw_text_puts(out, ",");
        put_vector("attenuation", def->attenuation, out);
    }
    put_number("ambient", def->ambient, usual.ambient, out);
    put_number("diffuse", def->diffuse, usual.diffuse, out);
    put_number("specular", def->specular, usual.specular, out);
    mrw_text_puts(out, space);
}

static mrw_status add_light(viewer_arguments *arguments, const mrw_light_def *def,
                            const char *space, mrw_error *error)
{
    mrw_text text = {0};
    write_light(def, space, &text);
    mrw_status status = text.failed ? viewer_fail_memory(error)
                                    : viewer_arguments_add(arguments, "light", text.data, error);
    mrw_text_free(&text);
    return status;
}

/* ---- lights of the file ---------------------------------------------------------------------- */

/* Returns true if lights of the file shine and can become options: the frame has one model. */
static bool has_file_lights(const viewer *v)
{
    const mrw_frame_def *frame = &v->drawing.line.session.frame;
    const bool shine = mrw_shading_info_of(frame->shading)->environment ||
                       frame->rig != MRW_RIG_AUTO; /* the table of mrw_frame_def (frame.h) */
    return frame->file_lights && shine && v->loaded.scene->lights_count > 0 &&
           v->drawing.line.session.instance_count == 1;
}

/* Writes "@node:NAME", or the node's number if another node has the name. */
static void space_of_node(const viewer *v, uint32_t node, mrw_text *out)
{
    const char *name = mrw_scene_string(v->loaded.scene, v->loaded.scene->nodes[node].name);
    uint32_t found = MRW_NONE;
    mrw_error unused;
    if (name[0] == '\0' || mrw_session_find_node(&v->loaded.model, name, &found, &unused) ||
        found != node) {
        mrw_text_add(out, "@node:%u", node);
    } else {
        mrw_text_add(out, "@node:%s", name);
    }
}

/* Turns the lights of the file into options. Without options about light a dim studio shines too;
 * it becomes --env studio. */
static mrw_status adopt(viewer *v, mrw_error *error)
{
    viewer_arguments *arguments = &v->loaded.base->arguments;
    const mrw_frame_def *frame = &v->drawing.line.session.frame;
    const bool dim = frame->rig == MRW_RIG_AUTO && !viewer_arguments_find(arguments, "env");
    v->lights.adopted = true; /* even if only some of them fit into memory */
    viewer_arguments_remove(arguments, "file-lights");
    mrw_status status = viewer_arguments_add(arguments, "file-lights", "off", error);
    if (status) {
        return status;
    }
    if (dim) {
        char share[32];
        mrw_format_float(
            frame->environment_intensity * mrw_light_studio_share(frame->rig_kind, false), share);
        viewer_arguments_remove(arguments, "env-intensity");
        status = viewer_arguments_add(arguments, "env", "studio", error);
        if (status) {
            return status;
        }
        status = viewer_arguments_add(arguments, "env-intensity", share, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < v->loaded.scene->lights_count; i++) {
        const mrw_scene_light *light = &v->loaded.scene->lights[i];
        mrw_light_def def = mrw_light_def_default((mrw_light_type)light->type);
        mrw_text space = {0};
        memcpy(def.color, light->color, sizeof def.color);
        def.intensity = light->intensity;
        if (def.type != MRW_LIGHT_DIRECTIONAL) {
            def.range = light->range;
        }
        if (def.type == MRW_LIGHT_SPOT) {
            def.inner_cone = light->inner_cone;
            def.outer_cone = light->outer_cone;
        }
        space_of_node(v, light->node, &space);
        status = space.failed ? viewer_fail_memory(error)
                              : add_light(arguments, &def, space.data, error);
        mrw_text_free(&space);
        if (status) {
            return status;
        }
    }
    return viewer_picture(v, error);
}

/* Makes sure that all lights of the current picture are options. */
static mrw_status find_lights(viewer *v, mrw_error *error)
{
    mrw_status status = viewer_picture(v, error);
    if (status) {
        return status;
    }
    status = viewer_look_write_lights(v, error);
    return !status && has_file_lights(v) ? adopt(v, error) : status;
}

/* ---- choosing -------------------------------------------------------------------------------- */

mrw_status viewer_lights_next(viewer *v, int value, mrw_error *error)
{
    (void)value;
    mrw_status status = find_lights(v, error);
    if (status) {
        return status;
    }
    const uint32_t count = v->drawing.line.session.frame.light_count, next = v->lights.picked + 1;
    v->lights.picked = next < count ? next : MRW_NONE; /* MRW_NONE + 1 is 0 */
    if (count == 0) {
        viewer_tell(v, false, "the rig moves with the camera; Ctrl+l adds a light to move");
    } else if (v->lights.picked != MRW_NONE) {
        static const char *const ways[] = {
            "Ctrl+drag turns it",
            "Ctrl+drag moves it, Ctrl+right drag nearer or farther",
            "Ctrl+drag moves it, Ctrl+right drag nearer or farther, Ctrl+Shift+drag turns it",
        };
        viewer_tell(v, false, "%s",
                    ways[v->drawing.line.session.frame.lights[v->lights.picked].type]);
    }
    return MRW_OK;
}

/* Returns a new light from the right, above the camera, because the rig's key light comes from the
 * left. A lamp has the same direction; it stands in front of the model and is about as bright
 * there. */
static mrw_light_def new_light(const viewer *v, bool lamp, const mrw_camera *camera)
{
    mrw_light_def def = mrw_light_def_default(lamp ? MRW_LIGHT_POINT : MRW_LIGHT_DIRECTIONAL);
    const viewer_box *box = &v->state.box;
    float square = 0.0f;
    for (int i = 0; i < 3; i++) {
        const float *m = camera->world_to_view.m + 4 * i;
        def.direction[i] = -0.6f * m[0] - 0.6f * m[1] - 0.53f * m[2];
        square += (box->max[i] - box->min[i]) * (box->max[i] - box->min[i]);
    }
    const float size = (float)sqrt((double)square);
    for (int i = 0; i < 3 && lamp; i++) {
        def.position[i] = (box->min[i] + box->max[i]) / 2.0f - def.direction[i] * 0.45f * size;
    }
    def.intensity = lamp ? 2.0f * 0.2025f * square : 2.0f;
    return def;
}

mrw_status viewer_lights_add(viewer *v, int lamp, mrw_error *error)
{
    const mrw_posed_instance *posed;
    mrw_camera camera;
    mrw_status status = find_lights(v, error);
    if (status) {
        return status;
    }
    status = viewer_picture_place(&v->drawing, &v->state.box, &camera, &posed, error);
    if (status) {
        return status;
    }
    if (v->drawing.line.session.frame.rig == MRW_RIG_AUTO &&
        !viewer_arguments_find(&v->loaded.base->arguments, "light")) { /* keeps the rig */
        status = viewer_arguments_add(&v->loaded.base->arguments, "light", "default", error);
        if (status) {
            return status;
        }
    }
    const mrw_light_def def = new_light(v, lamp, &camera);
    status = add_light(&v->loaded.base->arguments, &def, "", error);
    if (status) {
        return status;
    }
    status = viewer_picture(v, error);
    if (status) {
        return status;
    }
    v->lights.picked = v->drawing.line.session.frame.light_count - 1;
    viewer_tell(v, false, "light added: Ctrl+drag %s it", lamp ? "moves" : "turns");
    return MRW_OK;
}

/* ---- in the world ---------------------------------------------------------------------------- */

static void camera_to_world(const mrw_camera *camera, double out[3][4])
{
    const float *m = camera->world_to_view.m;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[i][k] = (double)m[4 * i + k];
        }
        out[i][3] = (double)camera->eye[i];
    }
}

static void space_to_world(const mrw_light_def *def, const mrw_camera *camera,
                           const mrw_posed_instance *posed, double out[3][4])
{
    static const double same[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    if (def->space == MRW_LIGHT_SPACE_CAMERA) {
        camera_to_world(camera, out);
    } else if (def->space == MRW_LIGHT_SPACE_NODE) {
        for (int i = 0; i < 12; i++) {
            out[i % 3][i / 3] = (double)posed[0].node_to_world[def->node].m[4 * (i / 3) + i % 3];
        }
    } else {
        memcpy(out, same, sizeof same);
    }
}

/* Transforms a point (w = 1) or a direction (w = 0). */
static void apply(const double m[3][4], const double v[3], double w, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2] + m[i][3] * w;
    }
}

/* Inverts a matrix. Returns false for a singular one: a space that is scaled to nothing. */
static bool invert(const double m[3][4], double out[3][4])
{
    double determinant = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) { /* cofactors; the order of the indices gives the signs */
            const int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[i][k] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
        determinant += m[0][i] * out[i][0];
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[i][k] /= determinant;
        }
        out[i][3] = -(out[i][0] * m[0][3] + out[i][1] * m[1][3] + out[i][2] * m[2][3]);
    }
    return determinant != 0.0;
}

static bool normalize(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3 && length > 0.0; i++) {
        v[i] /= length;
    }
    return length > 0.0;
}

viewer_light_place viewer_lights_place(const mrw_light_def *def, const mrw_camera *camera,
                                       const mrw_posed_instance *posed)
{
    viewer_light_place place;
    double m[3][4], position[3], direction[3];
    space_to_world(def, camera, posed, m);
    for (int i = 0; i < 3; i++) {
        position[i] = (double)def->position[i];
        direction[i] = (double)def->direction[i];
    }
    apply(m, position, 1.0, place.position);
    apply(m, direction, 0.0, place.direction);
    normalize(place.direction);
    return place;
}

/* ---- dragging -------------------------------------------------------------------------------- */

/* Turns a direction of view space about the picture's axes. A light from the camera's side follows
 * the mouse. */
static void turn(double direction[3], double dx, double dy)
{
    static const float none[3] = {0.0f, 0.0f, 0.0f}, one[3] = {1.0f, 1.0f, 1.0f};
    const float degrees[3] = {(float)(DEGREES_PIXEL * dy), (float)(DEGREES_PIXEL * dx), 0.0f};
    const double old[3] = {direction[0], direction[1], direction[2]};
    mrw_mat4 m;
    mrw_view_model_transform(none, degrees, one, &m);
    for (int i = 0; i < 3; i++) {
        direction[i] =
            (double)m.m[i] * old[0] + (double)m.m[4 + i] * old[1] + (double)m.m[8 + i] * old[2];
    }
}

/* Moves a position of view space by pixels of the picture, at the light's depth. A light behind the
 * camera takes the depth of the model. away: moves along the view. */
static void shift(const viewer *v, const mrw_camera *camera, double position[3], double dx,
                  double dy, bool away)
{
    const double slope = 1.0 / (double)camera->view_to_clip.m[5];
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        const double middle = ((double)v->state.box.min[i] + (double)v->state.box.max[i]) / 2.0;
        square += (middle - (double)camera->eye[i]) * (middle - (double)camera->eye[i]);
    }
    const double depth = -position[2] > 0.1 * sqrt(square) ? -position[2] : sqrt(square);
    const double unit =
        2.0 * slope * (camera->orthographic ? 1.0 : depth) / (v->state.height * viewer_scale(v));
    if (away) {
        position[2] += dy * unit;
    } else {
        position[0] += dx * unit;
        position[1] -= dy * unit;
    }
}

mrw_status viewer_lights_drag(viewer *v, double dx, double dy, viewer_drag drag, mrw_error *error)
{
    const mrw_posed_instance *posed;
    mrw_camera camera;
    viewer_argument *option = option_of(&v->loaded.base->arguments, v->lights.picked);
    mrw_status status = viewer_picture(v, error);
    if (status) {
        return status;
    }
    status = viewer_picture_place(&v->drawing, &v->state.box, &camera, &posed, error);
    if (status || !option || v->lights.picked >= v->drawing.line.session.frame.light_count) {
        return status;
    }
    mrw_light_def def = v->drawing.line.session.frame.lights[v->lights.picked];
    const viewer_light_place place = viewer_lights_place(&def, &camera, posed);
    double view[3][4], to_view[3][4], space[3][4], to_space[3][4], position[3], direction[3];
    double world[3], at[3], way[3];
    camera_to_world(&camera, view);
    space_to_world(&def, &camera, posed, space);
    if (!invert((const double(*)[4])view, to_view) ||
        !invert((const double(*)[4])space, to_space)) {
        return MRW_OK;
    }
    apply((const double(*)[4])to_view, place.position, 1.0, position);
    apply((const double(*)[4])to_view, place.direction, 0.0, direction);
    if (def.type == MRW_LIGHT_DIRECTIONAL ||
        (def.type == MRW_LIGHT_SPOT && drag == VIEWER_DRAG_LIGHT_TURN)) {
        turn(direction, dx, dy);
    } else {
        shift(v, &camera, position, dx, dy, drag == VIEWER_DRAG_LIGHT_AWAY);
    }
    apply((const double(*)[4])view, position, 1.0, world);
    apply((const double(*)[4])to_space, world, 1.0, at);
    apply((const double(*)[4])view, direction, 0.0, world);
    apply((const double(*)[4])to_space, world, 0.0, way);
    const bool turned = normalize(way);
    for (int i = 0; i < 3; i++) {
        def.position[i] = (float)at[i];
        def.direction[i] = turned ? (float)way[i] : def.direction[i];
    }
    mrw_text text = {0};
    const char *behind = strchr(option->value, '@');
    write_light(&def, behind ? behind : "", &text);
    char *value = text.failed ? NULL : viewer_copy(text.data);
    mrw_text_free(&text);
    if (!value) {
        return viewer_fail_memory(error);
    }
    free(option->value);
    option->value = value;
    v->overlay.dirty = true;
    return MRW_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

void viewer_lights_describe(const viewer *v, char *out, size_t size)
{
    static const char *const types[] = {"directional", "point", "spot"};
    const mrw_frame_def *frame = &v->drawing.line.session.frame;
    const viewer_argument *option = option_of(&v->loaded.base->arguments, v->lights.picked);
    const char *behind = option ? strchr(option->value, '@') : NULL;
    char safe[120];
    out[0] = '\0';
    if (v->drawing.line.begun && v->lights.picked < frame->light_count) {
        snprintf(out, size, "light %u of %u: %s%s%s", v->lights.picked + 1, frame->light_count,
                 types[frame->lights[v->lights.picked].type], behind ? ", fixed to " : "",
                 behind ? mrw_escape_text(behind + 1, safe, sizeof safe) : "");
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

mrw_status viewer_lights_forget(viewer_lights *lights, viewer_base *base, mrw_error *error)
{
    const bool adopted = lights->adopted;
    *lights = (viewer_lights){.picked = MRW_NONE};
    if (!adopted) {
        return MRW_OK;
    }
    viewer_arguments_free(&base->arguments);
    return viewer_arguments_read(&base->arguments, (int)base->words.count,
                                 (const char *const *)base->words.items, error);
}
