/* test_gl.c: drawing with OpenGL; made with GL=1 alone. Where a machine has no EGL,
 * or neither OpenGL 3.3 nor ES 3.0, its tests are skipped. */
#include "test.h"

#include "gl/draw.h"
#include "load_gltf.h"
#include "marrow/codecs.h"
#include "marrow/session.h"

#include <epoxy/gl.h>

/* A context, or NULL, and the test says that it is skipped. */
static gl_context *begin(void)
{
    gl_context *context;
    if (gl_context_create(GL_DEVICE_ANY, &context, &error) != MRW_OK) {
        ck_assert_int_eq(error.status, MRW_ERROR_DISPLAY);
        ck_assert(!strchr(error.text, '\n'));
        SKIP("gl: %s", error.text);
        return NULL;
    }
    ck_assert_int_eq(gl_context_enter(context, &error), MRW_OK);
    return context;
}

static void end(gl_context *context)
{
    const gl_said *said = gl_context_complaints(context);
    ck_assert_msg(said->count == 0, "the driver complains: %s", said->first);
    said = gl_context_remarks(context);
    ck_assert_msg(said->count == 0, "the driver remarks: %s", said->first);
    ck_assert_int_eq((int)glGetError(), GL_NO_ERROR);
    gl_context_leave(context);
    gl_context_free(context);
}

START_TEST(a_picture_is_cleared)
{
    gl_context *context = begin();
    GLuint frame, color;
    uint8_t pixels[2 * 3 * 4];
    if (!context) {
        return;
    }
    ck_assert(strstr(gl_context_driver(context), "OpenGL"));
    glGenFramebuffers(1, &frame);
    glGenRenderbuffers(1, &color);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 2, 3);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    ck_assert_int_eq((int)glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearColor(1.0f, 0.0f, 51.0f / 255.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, 2, 3, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < 6; i++) {
        const uint8_t expected[4] = {255, 0, 51, 255};
        ck_assert_mem_eq(pixels + 4 * i, expected, 4);
    }
    glDeleteFramebuffers(1, &frame);
    glDeleteRenderbuffers(1, &color);
    end(context);
}
END_TEST

START_TEST(what_a_driver_says_is_heard)
{
    gl_context *context = begin();
    if (!context) {
        return;
    }
    if (!epoxy_has_gl_extension("GL_KHR_debug")) {
        SKIP("gl: no GL_KHR_debug");
    } else {
        const gl_said *complaints = gl_context_complaints(context);
        const gl_said *remarks = gl_context_remarks(context);
        glEnable(0x1234); /* no capability of this number */
        ck_assert(complaints->count == 1 && complaints->first[0] && remarks->count == 0);
        glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR, 1,
                             GL_DEBUG_SEVERITY_LOW, -1, "an old way\n");
        glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_PORTABILITY, 2,
                             GL_DEBUG_SEVERITY_LOW, -1, "here alone");
        glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_PERFORMANCE, 3,
                             GL_DEBUG_SEVERITY_HIGH, -1, "slow");
        ck_assert(complaints->count == 1 && remarks->count == 2);
        ck_assert(strstr(remarks->first, "an old way") && !strchr(remarks->first, '\n'));
    }
    gl_context_leave(context);
    gl_context_free(context);
}
END_TEST

START_TEST(devices_that_are_not_there)
{
    gl_device devices[GL_MOST_DEVICES];
    const int count = gl_devices(devices);
    gl_context *context;
    ck_assert(count >= 0 && count <= GL_MOST_DEVICES);
    for (int i = 0; i < count; i++) {
        ck_assert(devices[i].name[0] && !strchr(devices[i].name, '\n'));
    }
    ck_assert_int_eq(gl_context_create(GL_MOST_DEVICES, &context, &error), MRW_ERROR_DISPLAY);
    ck_assert(!context && strstr(error.text, "--gl-device 16"));
}
END_TEST

/* One line of what the driver says; another program is found after it. */
START_TEST(a_shader_that_does_not_compile)
{
    static const gl_sources sources = {{"fullscreen.vert"}, {"add.frag"}, NULL, 0};
    gl_context *context = begin();
    gl_programs *programs;
    GLuint program;
    if (!context) {
        return;
    }
    ck_assert_int_eq(gl_programs_create(&programs, &error), MRW_OK);
    ck_assert_int_eq(gl_program_find(programs, &sources, "#error broken\n", &program, &error),
                     MRW_ERROR_DISPLAY);
    ck_assert_msg(strstr(error.text, "does not compile fullscreen.vert: "), "%s", error.text);
    ck_assert(strstr(error.text, "broken") && !strchr(error.text, '\n'));
    ck_assert(gl_programs_broken(programs));
    ck_assert_int_eq(gl_program_find(programs, &sources, "", &program, &error), MRW_OK);
    ck_assert(!gl_programs_broken(programs) && program != 0);
    gl_programs_free(programs);
    gl_context_leave(context);
    gl_context_free(context);
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

/* What draws a model by a backend, 64 x 64 pixels. */
typedef struct stand {
    const mrw_backend *backend;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def def;
    void *drawer;
} stand;

static void stand_up(stand *s, const mrw_backend *backend, const mrw_scene *scene,
                     mrw_shading shading, uint32_t samples)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    s->backend = backend;
    s->def = mrw_frame_def_default();
    ck_assert_int_eq(mrw_model_create(scene, shading, 1, &s->model, &error), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->instance.time = 0.3;
    s->def.width = s->def.height = 64;
    s->def.samples = samples;
    s->def.shading = shading;
    s->def.targets = 1u << MRW_TARGET_ID | 1u << MRW_TARGET_DEPTH;
    ck_assert_int_eq(mrw_frame_extents(&s->instance, 1, MRW_FIT_FRAME, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &s->def.camera, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, &error), MRW_OK);
    ck_assert_int_eq(backend->create(backend->user, s->renderer, &s->drawer, &error), MRW_OK);
}

static mrw_status stand_draw(stand *s, mrw_image *out)
{
    return s->backend->draw(s->drawer, &s->def, &s->instance, 1, 1, out, &error);
}

static void stand_free(stand *s)
{
    s->backend->free(s->drawer);
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
}

static void draw_scene(const mrw_backend *backend, const mrw_scene *scene, mrw_shading shading,
                       uint32_t samples, mrw_image *out)
{
    stand s;
    stand_up(&s, backend, scene, shading, samples);
    ck_assert_msg(stand_draw(&s, out) == MRW_OK, "%s", error.text);
    ck_assert(mrw_frame_target(s.renderer, MRW_TARGET_ID));
    stand_free(&s);
}

static mrw_scene *load_demo(const char *name)
{
    mrw_settings settings;
    mrw_scene *scene;
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_session_load(name, &settings, NULL, &scene, &error), MRW_OK);
    mrw_settings_free(&settings);
    return scene;
}

/* A picture of a built-in model, of 4 samples. */
static void draw_demo(const mrw_backend *backend, const char *name, mrw_shading shading,
                      mrw_image *out)
{
    mrw_scene *scene = load_demo(name);
    draw_scene(backend, scene, shading, 4, out);
    mrw_scene_free(scene);
}

/* Pixels of which a channel differs by more than two levels. */
static int count_differing(const mrw_image *a, const mrw_image *b)
{
    const uint8_t *p = a->pixels, *q = b->pixels;
    int count = 0;
    ck_assert_uint_eq(a->channels, b->channels);
    for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
        bool differs = false;
        for (size_t c = 0; c < a->channels; c++) {
            differs = differs || abs(p[i * a->channels + c] - q[i * a->channels + c]) > 2;
        }
        count += differs;
    }
    return count;
}

/* Many influences, morph targets, textures and smooth weights: as the rasterizer draws them. */
START_TEST(both_renderers_draw_the_same)
{
    static const char *const models[] = {"demo:tentacle", "demo:blob", "demo:figure"};
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_UNLIT, MRW_SHADING_NORMAL};
    gl_backend gl;
    if (gl_backend_init(&gl, GL_DEVICE_ANY, &error) != MRW_OK) {
        SKIP("gl: %s", error.text);
        return;
    }
    ck_assert(gl.driver[0]);
    for (int i = 0; i < 9; i++) {
        mrw_image soft = {0}, hard = {0}, again = {0};
        draw_demo(mrw_backend_software(), models[i / 3], modes[i % 3], &soft);
        draw_demo(&gl.backend, models[i / 3], modes[i % 3], &hard);
        draw_demo(&gl.backend, models[i / 3], modes[i % 3], &again);
        ck_assert_int_le(count_differing(&soft, &hard), 12);      /* 0.3 % */
        ck_assert_mem_eq(hard.pixels, again.pixels, 64 * 64 * 3); /* the same bits twice */
        mrw_image_free(&soft);
        mrw_image_free(&hard);
        mrw_image_free(&again);
    }
    ck_assert_msg(gl.remarks.count == 0, "the driver remarks: %s", gl.remarks.first);
}
END_TEST

/* Draws a built-in model before a picture, or before an environment that is blurred. */
static void draw_before(const mrw_backend *backend, const mrw_scene *scene, mrw_shading shading,
                        const mrw_image *plate, const mrw_environment *environment, float blur,
                        mrw_image *out)
{
    stand s;
    stand_up(&s, backend, scene, shading, 4);
    s.def.backplate = plate;
    s.def.bits = plate && plate->format == MRW_FORMAT_U16 ? 16 : 8;
    s.def.environment = environment;
    s.def.environment_background = environment;
    s.def.environment_blur = blur;
    ck_assert_msg(stand_draw(&s, out) == MRW_OK, "%s", error.text);
    stand_free(&s);
}

/* Where nothing is drawn, a picture behind the model comes out as it is; elsewhere, and before
 * blurred environments, both renderers draw the same. */
START_TEST(backgrounds_are_the_same)
{
    static const uint8_t first[3] = {250, 240, 20}, second[3] = {0, 10, 90};
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_RAW};
    gl_backend gl;
    if (gl_backend_init(&gl, GL_DEVICE_ANY, &error) != MRW_OK) {
        SKIP("gl: %s", error.text);
        return;
    }
    mrw_scene *scene = load_demo("demo:blob");
    mrw_environment *studio;
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &studio, &error), MRW_OK);
    for (int i = 0; i < 10; i++) {
        const bool deep = i % 4 >= 2, shown = i >= 8;
        const mrw_shading mode = shown ? MRW_SHADING_LIT : modes[i % 2];
        const mrw_environment *sky = shown ? studio : NULL;
        const float blur = i == 8 ? 0.3f : 0.75f;
        mrw_image plate = {0}, soft = {0}, hard = {0};
        ck_assert_int_eq(
            mrw_image_create_as(deep ? MRW_FORMAT_U16 : MRW_FORMAT_U8, 64, 64, 3, &plate, &error),
            MRW_OK);
        mrw_image_fill_gradient((mrw_gradient)(i / 4 % 2), first, second, &plate);
        const mrw_image *behind = shown ? NULL : &plate;
        draw_before(mrw_backend_software(), scene, mode, behind, sky, blur, &soft);
        draw_before(&gl.backend, scene, mode, behind, sky, blur, &hard);
        ck_assert_mem_eq(hard.pixels, shown ? hard.pixels : plate.pixels, deep ? 6 : 3);
        if (!deep) {
            ck_assert_int_le(count_differing(&soft, &hard), 12);
        } else {
            for (size_t p = 0; p < 64 * 64 * 3; p++) {
                const int a = ((const uint16_t *)(const void *)soft.pixels)[p];
                const int b = ((const uint16_t *)(const void *)hard.pixels)[p];
                ck_assert_msg(abs(a - b) <= 3 * 257, "%d: value %zu: %d, %d", i, p, a, b);
            }
        }
        mrw_image_free(&plate);
        mrw_image_free(&soft);
        mrw_image_free(&hard);
    }
    mrw_environment_free(studio);
    mrw_scene_free(scene);
    ck_assert_msg(gl.remarks.count == 0, "the driver remarks: %s", gl.remarks.first);
}
END_TEST

/* ---- a device that is reset ------------------------------------------------------------------ */

static GLenum reset_status;

static GLenum APIENTRY tell_reset(void)
{
    return reset_status;
}

/* What a driver tells after a reset comes here from a function in the place of its own. The picture
 * is lost; the next one is drawn in another context. */
START_TEST(a_device_that_is_reset)
{
    static const struct {
        GLenum status;
        const char *words;
    } rows[] = {{GL_GUILTY_CONTEXT_RESET, "reset by what this program drew"},
                {GL_INNOCENT_CONTEXT_RESET, "reset by another program"},
                {GL_UNKNOWN_CONTEXT_RESET, "reset for an unknown reason"}};
    gl_context *context = begin();
    gl_backend gl;
    stand s;
    mrw_image before = {0}, after = {0};
    if (!context) {
        return;
    }
    const bool tells = epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness");
    end(context);
    if (!tells) {
        SKIP("gl: the driver does not tell of resets");
        return;
    }
    ck_assert_int_eq(gl_backend_init(&gl, GL_DEVICE_ANY, &error), MRW_OK);
    mrw_scene *scene = load_demo("demo:blob");
    stand_up(&s, &gl.backend, scene, MRW_SHADING_LIT, 1);
    ck_assert_int_eq(stand_draw(&s, &before), MRW_OK);
    PFNGLGETGRAPHICSRESETSTATUSPROC driver = epoxy_glGetGraphicsResetStatus;
    epoxy_glGetGraphicsResetStatus = tell_reset;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reset_status = rows[i].status;
        ck_assert_int_eq(stand_draw(&s, &after), MRW_ERROR_DISPLAY);
        ck_assert_msg(strstr(error.text, rows[i].words), "%s", error.text);
        ck_assert(strstr(error.text, "--backend soft") && !strchr(error.text, '\n'));
        ck_assert(!gl.lacks);
        reset_status = GL_NO_ERROR;
        ck_assert_msg(stand_draw(&s, &after) == MRW_OK, "%s", error.text);
        ck_assert_mem_eq(before.pixels, after.pixels, 64 * 64 * 3);
    }
    epoxy_glGetGraphicsResetStatus = driver;
    ck_assert_int_eq(stand_draw(&s, &after), MRW_OK);
    stand_free(&s);
    mrw_scene_free(scene);
    mrw_image_free(&before);
    mrw_image_free(&after);
}
END_TEST

/* ---- many pictures --------------------------------------------------------------------------- */

/* How many textures, buffers, framebuffers, vertex arrays and programs the context has. */
static void count_things(int out[5])
{
    GLuint last[5];
    glGenTextures(1, &last[0]);
    glGenBuffers(1, &last[1]);
    glGenFramebuffers(1, &last[2]);
    glGenVertexArrays(1, &last[3]);
    last[4] = glCreateProgram();
    for (int k = 0; k < 5; k++) {
        out[k] = 0;
        for (GLuint i = 1; i < last[k] + 64; i++) { /* numbers go up, or are given out again */
            out[k] += (k == 0   ? glIsTexture(i)
                       : k == 1 ? glIsBuffer(i)
                       : k == 2 ? glIsFramebuffer(i)
                       : k == 3 ? glIsVertexArray(i)
                                : glIsProgram(i)) == GL_TRUE;
        }
    }
    glDeleteTextures(1, &last[0]);
    glDeleteBuffers(1, &last[1]);
    glDeleteFramebuffers(1, &last[2]);
    glDeleteVertexArrays(1, &last[3]);
    glDeleteProgram(last[4]);
}

/* Of three sizes, at a thousand times: nothing is left of them in the driver. (make gl-asan runs
 * this with an eye on this program's own memory.) */
START_TEST(a_thousand_pictures)
{
    gl_context *context = begin();
    gl_renderer *gl;
    stand s;
    int before[5] = {0}, after[5] = {0};
    mrw_image picture = {0};
    if (!context) {
        return;
    }
    end(context);
    mrw_scene *scene = load_demo("demo:figure");
    stand_up(&s, mrw_backend_software(), scene, MRW_SHADING_LIT, 1);
    ck_assert_int_eq(gl_renderer_create(GL_DEVICE_ANY, &gl, &error), MRW_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        mrw_frame_description description;
        s.instance.time = i / 1000.0;
        s.def.width = s.def.height = 16 + i / 100 % 3 * 4;
        ck_assert_int_eq(mrw_frame_describe(s.renderer, &s.def, &s.instance, 1, 1, &picture,
                                            &description, &error),
                         MRW_OK);
        ck_assert_int_eq(gl_context_enter(gl->context, &error), MRW_OK);
        ck_assert_msg(gl_draw(gl, &description, &error) == MRW_OK, "%s", error.text);
        if (i == 300 || i == 999) { /* three sizes; once more, and again */
            count_things(i == 300 ? before : after);
        }
        gl_context_leave(gl->context);
    }
    for (int i = 0; i < 5; i++) {
        ck_assert_msg(before[i] > 0 && after[i] == before[i], "%d: %d, then %d", i, before[i],
                      after[i]);
    }
    ck_assert_uint_eq(gl_context_remarks(gl->context)->count, 0);
    gl_renderer_free(gl);
    stand_free(&s);
    mrw_scene_free(scene);
    mrw_image_free(&picture);
}
END_TEST

/* ---- maps ------------------------------------------------------------------------------------ */

/* One texel. */
static void encode_texel(uint8_t r, uint8_t g, uint8_t b, char out[512])
{
    const mrw_image image = {
        .width = 1, .height = 1, .channels = 3, .pixels = (uint8_t[]){r, g, b}};
    mrw_bytes png;
    ck_assert_int_eq(mrw_png_encode(&image, &png, &error), MRW_OK);
    ck_assert_uint_le(png.size, 380);
    base64(png.data, png.size, out);
    mrw_bytes_free(&png);
}

/* A map that goes to the driver while a draw is made ready takes no other one's place. Red and
 * glowing blue: magenta, from the first sample of the first picture on. */
START_TEST(maps_come_one_after_another)
{
    char red[512], blue[512];
    gl_backend gl;
    mrw_image picture = {0};
    if (gl_backend_init(&gl, GL_DEVICE_ANY, &error) != MRW_OK) {
        SKIP("gl: %s", error.text);
        return;
    }
    encode_texel(255, 0, 0, red);
    encode_texel(0, 0, 255, blue);
    reset();
    PUT(float, -1, -1, 0, 1, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1);
    mrw_scene *scene = load(
        gltf("],'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3',"
             "'min':[-1,-1,0],'max':[1,1,0]},{'bufferView':0,'byteOffset':36,"
             "'componentType':5126,'count':3,'type':'VEC2'}],'images':[{'uri':"
             "'data:image/png;base64,%s'},{'uri':'data:image/png;base64,%s'}],'textures':["
             "{'source':0},{'source':1}],'materials':[{'pbrMetallicRoughness':{"
             "'metallicFactor':0,'baseColorTexture':{'index':0}},'emissiveTexture':{'index':1},"
             "'emissiveFactor':[1,1,1]}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,"
             "'TEXCOORD_0':1},'material':0}]}],'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}]",
             red, blue));
    draw_scene(&gl.backend, scene, MRW_SHADING_LIT, 1, &picture);
    const uint8_t *middle = picture.pixels + 3 * (32 * 64 + 32);
    ck_assert_msg(middle[0] > 120 && middle[1] < 80 && middle[2] > 200, "%d %d %d", middle[0],
                  middle[1], middle[2]);
    mrw_image_free(&picture);
    mrw_scene_free(scene);
}
END_TEST

/* ---- draw calls ------------------------------------------------------------------------------ */

/* Loads four opaque quads, each with a node and a weight of a target that scales it, and two
 * blended ones. nodes: those of the scene. */
static mrw_scene *load_quads(const char *nodes)
{
    reset();
    PUT(float, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0);
    PUT(uint16_t, 0, 1, 2, 0, 2, 3);
    return load(gltf(
        "],'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3',"
        "'min':[-1,-1,0],'max':[1,1,0]},{'bufferView':0,'byteOffset':48,'componentType':5123,"
        "'count':6,'type':'SCALAR'}],'materials':[{'doubleSided':true},{'alphaMode':'BLEND',"
        "'pbrMetallicRoughness':{'baseColorFactor':[0.2,1,0.2,0.5]}}],'meshes':[{'primitives':[{"
        "'attributes':{'POSITION':0},'indices':1,'material':0,'targets':[{'POSITION':0}]}]},{"
        "'primitives':[{'attributes':{'POSITION':0},'indices':1,'material':1}]}],'nodes':[{"
        "'mesh':0},{'mesh':0,'translation':[2.5,0.3,-1],'weights':[0.5]},{'mesh':0,"
        "'translation':[5,0,0],'rotation':[0,0,0.6,0.8]},{'mesh':0,'translation':[7,1,0],"
        "'weights':[-0.5]},{'mesh':1,'translation':[1,0,1]},{'mesh':1,'translation':[3,1,2]}],"
        "'scenes':[{'nodes':[%s]}]",
        nodes));
}

/* Loads quads and triangles with colours, all of one material: two parts of one skin, and three
 * with nodes of their own, of which the last turns inside out at 0.5 s. */
static mrw_scene *load_parts(void)
{
    reset();
    PUT(float, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0);           /* quad */
    PUT(float, -1, -1, 0.5f, 1, -1, 0.5f, 0, 1, 0.5f);            /* triangle, at 48 */
    PUT(float, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1);   /* colours, at 84 */
    PUT(float, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1);               /* of the triangle, at 148 */
    PUT(uint8_t, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0); /* joints, at 196 */
    PUT(float, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 1, 0, 0, 0); /* weights, at 212 */
    PUT(uint16_t, 0, 1, 2, 0, 2, 3);                                          /* at 276 */
    PUT(float, 0, 0.5f);                                                      /* times, at 288 */
    PUT(float, 1, 1, 1, -1, 1, 1);                                            /* scales, at 296 */
    return load(gltf(
        "],'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3',"
        "'min':[-1,-1,0],'max':[1,1,0]},{'bufferView':0,'byteOffset':48,'componentType':5126,"
        "'count':3,'type':'VEC3','min':[-1,-1,0.5],'max':[1,1,0.5]},{'bufferView':0,"
        "'byteOffset':84,'componentType':5126,'count':4,'type':'VEC4'},{'bufferView':0,"
        "'byteOffset':148,'componentType':5126,'count':3,'type':'VEC4'},{'bufferView':0,"
        "'byteOffset':196,'componentType':5121,'count':4,'type':'VEC4'},{'bufferView':0,"
        "'byteOffset':212,'componentType':5126,'count':4,'type':'VEC4'},{'bufferView':0,"
        "'byteOffset':276,'componentType':5123,'count':6,'type':'SCALAR'},{'bufferView':0,"
        "'byteOffset':288,'componentType':5126,'count':2,'type':'SCALAR','min':[0],'max':[0.5]},"
        "{'bufferView':0,'byteOffset':296,'componentType':5126,'count':2,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':196,'componentType':5121,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':212,'componentType':5126,'count':3,'type':'VEC4'}],"
        "'materials':[{'doubleSided':true}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,"
        "'COLOR_0':2,'JOINTS_0':4,'WEIGHTS_0':5},'indices':6,'material':0},{'attributes':{"
        "'POSITION':1,'COLOR_0':3,'JOINTS_0':9,'WEIGHTS_0':10},'material':0}]},{'primitives':[{"
        "'attributes':{'POSITION':1,'COLOR_0':3},'material':0}]},{'primitives':[{'attributes':{"
        "'POSITION':0,'COLOR_0':2},'indices':6,'material':0}]}],'nodes':[{'mesh':0,'skin':0},"
        "{'mesh':1,'translation':[3,0,0]},{'mesh':2,'translation':[5,1,0]},{'mesh':1,"
        "'translation':[7,0,0]},{'translation':[-3,0,0]},{'translation':[-3,1,0],"
        "'rotation':[0,0,0.6,0.8]}],'skins':[{'joints':[4,5]}],'animations':[{'name':'Turn',"
        "'channels':[{'sampler':0,'target':{'node':3,'path':'scale'}}],'samplers':[{'input':7,"
        "'output':8,'interpolation':'STEP'}]}],'scenes':[{'nodes':[0,1,2,3,4,5]}]"));
}

static void assert_same_target(const stand *a, const stand *b, mrw_target_kind kind)
{
    const mrw_image *one = mrw_frame_target(a->renderer, kind);
    const mrw_image *other = mrw_frame_target(b->renderer, kind);
    ck_assert(one && other);
    ck_assert_mem_eq(one->pixels, other->pixels,
                     (size_t)one->width * one->height * sizeof(uint32_t));
}

/* Both renderers see the same triangles of the same draws. */
static void draw_quads(gl_backend *gl, const char *nodes, uint32_t samples)
{
    mrw_image hard = {0}, soft = {0};
    stand by_gl, by_cpu;
    mrw_scene *scene = load_quads(nodes);
    stand_up(&by_gl, &gl->backend, scene, MRW_SHADING_LIT, samples);
    stand_up(&by_cpu, mrw_backend_software(), scene, MRW_SHADING_LIT, samples);
    by_gl.def.targets |= 1u << MRW_TARGET_TRIANGLE;
    by_cpu.def.targets |= 1u << MRW_TARGET_TRIANGLE;
    ck_assert_msg(stand_draw(&by_gl, &hard) == MRW_OK, "%s", error.text);
    ck_assert_msg(stand_draw(&by_cpu, &soft) == MRW_OK, "%s", error.text);
    assert_same_target(&by_gl, &by_cpu, MRW_TARGET_ID);
    assert_same_target(&by_gl, &by_cpu, MRW_TARGET_TRIANGLE);
    ck_assert_int_le(count_differing(&soft, &hard), 12);
    stand_free(&by_gl);
    stand_free(&by_cpu);
    mrw_scene_free(scene);
    mrw_image_free(&hard);
    mrw_image_free(&soft);
}

/* Parts differ in size, and which of them share a call changes from frame to frame. */
static void draw_parts(gl_backend *gl)
{
    static const double times[] = {0.0, 0.6, 0.0};
    stand by_gl, by_cpu;
    mrw_scene *scene = load_parts();
    stand_up(&by_gl, &gl->backend, scene, MRW_SHADING_LIT, 2);
    stand_up(&by_cpu, mrw_backend_software(), scene, MRW_SHADING_LIT, 2);
    for (int i = 0; i < 3; i++) {
        mrw_image hard = {0}, soft = {0};
        by_gl.instance.time = by_cpu.instance.time = times[i];
        ck_assert_msg(stand_draw(&by_gl, &hard) == MRW_OK, "%s", error.text);
        ck_assert_msg(stand_draw(&by_cpu, &soft) == MRW_OK, "%s", error.text);
        assert_same_target(&by_gl, &by_cpu, MRW_TARGET_ID);
        ck_assert_int_le(count_differing(&soft, &hard), 12);
        mrw_image_free(&hard);
        mrw_image_free(&soft);
    }
    stand_free(&by_gl);
    stand_free(&by_cpu);
    mrw_scene_free(scene);
}

/* Four quads of one material: one call moves their vertices, one draws them, one copies the depths
 * for the targets, one adds the sample to the sum, and one encodes the picture. */
START_TEST(one_call_per_material)
{
    gl_backend gl;
    if (gl_backend_init(&gl, GL_DEVICE_ANY, &error) != MRW_OK) {
        SKIP("gl: %s", error.text);
        return;
    }
    draw_quads(&gl, "0,1,2,3", 1);
    ck_assert_uint_eq(gl.most_calls, 5);
    draw_quads(&gl, "0,1,2,3,4,5", 4);
    draw_parts(&gl);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gl");
    TCase *tc = tcase_create("gl");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_picture_is_cleared);
    tcase_add_test(tc, what_a_driver_says_is_heard);
    tcase_add_test(tc, devices_that_are_not_there);
    tcase_add_test(tc, a_shader_that_does_not_compile);
    tcase_add_test(tc, both_renderers_draw_the_same);
    tcase_add_test(tc, backgrounds_are_the_same);
    tcase_add_test(tc, a_device_that_is_reset);
    tcase_add_test(tc, a_thousand_pictures);
    tcase_add_test(tc, maps_come_one_after_another);
    tcase_add_test(tc, one_call_per_material);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
