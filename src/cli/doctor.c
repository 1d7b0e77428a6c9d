/* doctor.c: `marrow doctor`: tests if this machine draws the same pixels as all others.
 *
 * Three built-in scenes (many influences; morph targets; a character with smooth weights and
 * textures) are drawn at three times each, with every instruction set and 1 to 3 threads. Their
 * contact sheet has one pixel hash, which is compiled in. The report also says if models can be
 * imported here, which changes no pixel and no exit status.
 */
#include "cli.h"

#ifdef MARROW_GL
#include "gl/gl.h"
#endif

#include <marrow/frame.h>
#include <marrow/load.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pixel hash that every machine must find. It changes only with MRW_PIXEL_VERSION or with the
 * built-in models. */
#define PIXEL_HASH "b3faf4f4d389dbe8dd51f0e176f428f02d0a0fa2368ca4779cd0260a4c512c87"

#define SCENES  3
#define TIMES   3
#define SIDE    160
#define THREADS 3

static const char *const scene_names[SCENES] = {"demo:tentacle", "demo:blob", "demo:figure"};

typedef struct patient {
    mrw_scene *scenes[SCENES];
    mrw_model *models[SCENES];
    mrw_image images[SCENES * TIMES];
} patient;

/* One way of drawing, and its result. */
typedef struct finding {
    mrw_isa isa;
    int threads;
    uint8_t hash[32];
    double seconds;
} finding;

static mrw_status keep(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    const mrw_image *image = frame->image;
    mrw_image *copy = (mrw_image *)user + frame->index;
    if (!copy->pixels) {
        mrw_status status =
            mrw_image_create(image->width, image->height, image->channels, copy, error);
        if (status) {
            return status;
        }
    }
    memcpy(copy->pixels, image->pixels, (size_t)image->width * image->height * image->channels);
    return MRW_OK;
}

/* Draws a scene at all times: the first ones with one frame per thread, the last one with all
 * threads on one frame. */
static mrw_status draw_scene(patient *p, int scene, mrw_isa isa, int threads, mrw_error *error)
{
    mrw_frame_def frame = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_instance instance = mrw_instance_default(p->models[scene]);
    mrw_extents extents;
    double duration = p->scenes[scene]->clips_count > 0 ? p->scenes[scene]->clips[0].duration : 0.0;
    const double times[TIMES] = {0.0, duration * 0.375, duration * 0.75};
    frame.width = frame.height = SIDE;
    frame.isa = isa;
    mrw_status status =
        mrw_frame_extents(&instance, 1, MRW_FIT_CLIP, &view, 1.0f, isa, threads, &extents, error);
    if (status) {
        return status;
    }
    status = mrw_view_camera(&view, &extents, 1.0f, &frame.camera, error);
    if (status) {
        return status;
    }
    status = mrw_render_sequence(&frame, &instance, 1, times, TIMES - 1, threads, keep,
                                 &p->images[scene * TIMES], error);
    if (status) {
        return status;
    }
    return mrw_render_sequence(&frame, &instance, 1, times + TIMES - 1, 1, threads, keep,
                               &p->images[scene * TIMES + TIMES - 1], error);
}

/* Draws all scenes in one way; sets the hash and the time. */
static mrw_status examine(patient *p, finding *f, mrw_error *error)
{
    static const uint8_t white[4] = {255, 255, 255, 255};
    mrw_image sheet = {0};
    double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrw_status status;
    for (int s = 0; s < SCENES; s++) {
        status = draw_scene(p, s, f->isa, f->threads, error);
        if (status) {
            return status;
        }
    }
    f->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    status = mrw_image_sheet(p->images, SCENES * TIMES, TIMES, 0, white, &sheet, error);
    if (status) {
        return status;
    }
    mrw_image_hash(&sheet, f->hash);
    mrw_image_free(&sheet);
    return MRW_OK;
}

/* Loads and prepares the scenes. */
static mrw_status admit(patient *p, mrw_error *error)
{
    mrw_settings defaults;
    mrw_status status = MRW_OK;
    mrw_settings_init(&defaults);
    for (int s = 0; s < SCENES; s++) {
        status = mrw_session_load(scene_names[s], &defaults, &host_callbacks, &p->scenes[s], error);
        if (status) {
            goto out;
        }
        status = mrw_model_create(p->scenes[s], MRW_SHADING_LIT, 1, &p->models[s], error);
        if (status) {
            goto out;
        }
    }

out:
    mrw_settings_free(&defaults);
    return status;
}

/* ---- importing ------------------------------------------------------------------------------- */

/* Result of a load through the import helper. The text is empty if it works and is confined. */
typedef struct importer {
    bool works;
    char text[sizeof((mrw_error *)0)->text];
} importer;

static void note_machine(void *user, const char *text)
{
    snprintf(((importer *)user)->text, sizeof((importer *)user)->text, "%s", text);
}

static importer try_importer(void)
{
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    importer found = {.works = false};
    mrw_load_def def = mrw_load_def_default();
    def.machine_warning = note_machine;
    def.machine_warning_user = &found;
    mrw_scene *scene = NULL;
    mrw_error error;
    found.works = !mrw_load_memory(triangle, sizeof triangle - 1, "a triangle.obj", NULL, &def,
                                   &scene, &error);
    if (!found.works) {
        snprintf(found.text, sizeof found.text, "%s", error.text);
    }
    mrw_scene_free(scene);
    return found;
}

/* ---- OpenGL ---------------------------------------------------------------------------------- */

#ifdef MARROW_GL
/* Lists the devices that --gl-device takes. */
static void gl_json(mrw_json *json)
{
    gl_device devices[GL_MOST_DEVICES];
    const int count = gl_devices(devices);
    mrw_json_open(mrw_json_key(json, "gl_devices"), '[');
    for (int i = 0; i < count; i++) {
        mrw_json_open(json, '{');
        mrw_json_uint(mrw_json_key(json, "device"), (uint64_t)i);
        mrw_json_bool(mrw_json_key(json, "usable"), devices[i].usable);
        mrw_json_key(json, devices[i].usable ? "driver" : "message");
        mrw_json_string(json, devices[i].name);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void gl_lines(mrw_text *out, bool more)
{
    gl_device devices[GL_MOST_DEVICES];
    const int count = gl_devices(devices);
    for (int i = 0; i < count; i++) {
        mrw_text_add(out, "  gl-device %d %s\n", i, devices[i].name);
    }
    if (count == 0) {
        mrw_text_add(out, "  gl-device   none: EGL lists no device\n");
    }
    for (const gl_left_out_row *row = gl_left_out; more && row->what; row++) {
        mrw_text_add(out, "  gl leaves out %s: %s\n", row->what, row->why);
    }
}
#else
static void gl_json(mrw_json *json)
{
    mrw_json_null(mrw_json_key(json, "gl_devices"));
}

static void gl_lines(mrw_text *out, bool more)
{
    (void)out, (void)more;
}
#endif

/* ---- the report ------------------------------------------------------------------------------ */

static void hash_text(const uint8_t hash[32], char out[65])
{
    for (int i = 0; i < 32; i++) {
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
    }
}

/* Returns true if all ways agree with each other and with the compiled-in hash. */
static bool healthy(const finding *findings, int count)
{
    char text[65];
    hash_text(findings[0].hash, text);
    for (int i = 1; i < count; i++) {
        if (memcmp(findings[i].hash, findings[0].hash, 32) != 0) {
            return false;
        }
    }
    return strcmp(text, PIXEL_HASH) == 0;
}

static void limits_json(mrw_json *json)
{
    mrw_cpu_limits limits = mrw_cpu_limits_now();
    const mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    mrw_json_uint(mrw_json_key(json, "cpus"), (uint64_t)limits.affinity);
    mrw_json_key(json, "cgroup_quota");
    if (limits.quota > 0) {
        mrw_json_uint(json, (uint64_t)limits.quota);
    } else {
        mrw_json_null(json);
    }
    /* The findings may name more threads than could be started. */
    mrw_json_uint(mrw_json_key(json, "threads_lacking"), (uint64_t)(lack.wanted - lack.granted));
}

static void report_json(const finding *findings, int count, bool fine, const importer *found,
                        mrw_json *json)
{
    char text[128];
    host_cpu_name(text);
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "schema"), 1);
    mrw_json_string(mrw_json_key(json, "version"), MRW_VERSION);
    mrw_json_uint(mrw_json_key(json, "pixel_version"), MRW_PIXEL_VERSION);
    mrw_json_string(mrw_json_key(json, "cpu"), text[0] ? text : NULL);
    mrw_json_uint(mrw_json_key(json, "threads"), (uint64_t)mrw_cpu_count());
    limits_json(json);
    mrw_json_open(mrw_json_key(json, "importer"), '{');
    mrw_json_bool(mrw_json_key(json, "works"), found->works);
    mrw_json_bool(mrw_json_key(json, "seccomp"), found->works && found->text[0] == '\0');
    mrw_json_string(mrw_json_key(json, "message"), found->text[0] != '\0' ? found->text : NULL);
    mrw_json_close(json, '}');
    gl_json(json);
    mrw_json_string(mrw_json_key(json, "expected"), PIXEL_HASH);
    mrw_json_bool(mrw_json_key(json, "agrees"), fine);
    mrw_json_open(mrw_json_key(json, "findings"), '[');
    for (int i = 0; i < count; i++) {
        mrw_json_open(json, '{');
        mrw_json_string(mrw_json_key(json, "isa"), mrw_isa_name(findings[i].isa));
        mrw_json_uint(mrw_json_key(json, "threads"), (uint64_t)findings[i].threads);
        hash_text(findings[i].hash, text);
        mrw_json_string(mrw_json_key(json, "pixel_hash"), text);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    mrw_json_line(json);
}

static void report_text(const finding *findings, int count, bool fine, const importer *found,
                        bool more, mrw_text *out)
{
    char text[128], reason[128];
    const mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    host_cpu_name(text);
    mrw_text_add(out, "marrow %s, pixel version %d\n", MRW_VERSION, MRW_PIXEL_VERSION);
    mrw_text_add(out, "  cpu         %s\n", text[0] ? text : "unknown");
    mrw_text_add(out, "  kernels     ");
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        bool available = mrw_isa_available((mrw_isa)isa);
        mrw_text_add(out, "%s%s%s%s", isa > MRW_ISA_SCALAR ? ", " : "", mrw_isa_name((mrw_isa)isa),
                     available ? "" : " (not available)",
                     mrw_isa_best() == (mrw_isa)isa ? " (in use)" : "");
    }
    mrw_text_add(out, "\n");
    mrw_text_add(out, "  threads     %d (%s)\n", mrw_cpu_count(),
                 host_thread_reason(reason, sizeof reason));
    if (lack.wanted > 0) {
        mrw_text_add(out, "              only %d of %d could be started\n", lack.granted,
                     lack.wanted);
    }
    const bool confined = found->works && found->text[0] == '\0';
    mrw_text_add(out, "  importer    %s%s\n",
                 confined       ? "works, confined by seccomp"
                 : found->works ? "works: "
                                : "does not work: ",
                 found->text);
    gl_lines(out, more);
    mrw_text_add(out, "\n");
    mrw_text_add(out, "  kernels  threads  frames/s  pixel hash of %d frames\n", SCENES * TIMES);
    for (int i = 0; i < count; i++) {
        char rate[32];
        mrw_format_fixed(SCENES * TIMES / (findings[i].seconds > 1e-6 ? findings[i].seconds : 1e-6),
                         0, rate);
        hash_text(findings[i].hash, text);
        mrw_text_add(out, "  %-7s  %7d  %8s  %s\n", mrw_isa_name(findings[i].isa),
                     findings[i].threads, rate, text);
    }
    mrw_text_add(out, "  all machines               %s\n\n", PIXEL_HASH);
    if (!fine) {
        mrw_text_add(out, "This machine DISAGREES: pictures drawn here differ from those of other "
                          "machines.\nPlease report this table together with the compiler that "
                          "built marrow.\n");
    } else {
        mrw_text_add(out,
                     "This machine agrees: it draws the same pixels as every other machine.\n");
    }
}

int cli_doctor(const mrw_settings *settings)
{
    finding findings[MRW_ISA_COUNT * THREADS];
    patient p = {0};
    mrw_json json = {0};
    mrw_error error;
    int count = 0;
    bool fine = true;
    mrw_status status = admit(&p, &error);
    if (status) {
        goto out;
    }
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        for (int threads = 1; threads <= THREADS && mrw_isa_available((mrw_isa)isa); threads++) {
            finding *f = &findings[count++];
            *f = (finding){.isa = (mrw_isa)isa, .threads = threads};
            status = examine(&p, f, &error);
            if (status) {
                goto out;
            }
        }
    }
    const importer found = try_importer();
    fine = healthy(findings, count);
    if (settings->output.json) {
        report_json(findings, count, fine, &found, &json);
        status = host_answer(&json.text, &error);
    } else {
        if (!settings->run.quiet) {
            report_text(findings, count, fine, &found, settings->run.verbose, &json.text);
        }
        status = host_print(&json.text, &error);
    }

out:
    if (status) {
        host_complain(&error);
    }
    mrw_text_free(&json.text);
    for (int s = 0; s < SCENES; s++) {
        mrw_model_free(p.models[s]);
        mrw_scene_free(p.scenes[s]);
    }
    for (int i = 0; i < SCENES * TIMES; i++) {
        mrw_image_free(&p.images[i]);
    }
    return status ? host_exit_status(status) : fine ? HOST_DONE : HOST_MISMATCH;
}
