/* tables.c: adds tables to chapters of the manual, from the program's own tables. */
#include "help/help.h"

#include "gl/gl.h"

#include <marrow/load.h>
#include <marrow/output.h>

#include <stdio.h>
#include <string.h>

/* Rows are indented like blocks of code in Markdown. */
#define INDENT "    "

static void add_title(const char *title, mrw_text *out)
{
    mrw_text_add(out, "\n## %s\n\n", title);
}

/* ---- goldens --------------------------------------------------------------------------------- */

static void add_suite_keys(bool options, mrw_text *out)
{
    for (size_t i = 0; i < mrw_suite_key_count(); i++) {
        const mrw_suite_key key = mrw_suite_key_at(i);
        char left[128];
        snprintf(left, sizeof left, INDENT "%s = %s", key.name, key.values);
        if (!key.option == !options) {
            help_add_row(out, HELP_OPTION_COLUMN, left, key.help);
        }
    }
}

static void add_suite(mrw_text *out)
{
    add_title("All keys of suites", out);
    add_suite_keys(false, out);
    add_title("Keys of suites that are options of render", out);
    add_suite_keys(true, out);
}

/* ---- look ------------------------------------------------------------------------------------ */

static void add_shading(mrw_text *out)
{
    add_title("All shading modes", out);
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of((mrw_shading)i);
        char left[64], right[256];
        snprintf(left, sizeof left, INDENT "%s", mode->name);
        snprintf(right, sizeof right, "%s; %s%s%s%s", mode->shows,
                 mode->lit || mode->at_vertices ? "light"
                 : mode->matcap                 ? "the picture's light"
                                                : "no light",
                 mode->environment ? ", environment" : "", mode->exposed ? ", exposure" : "",
                 mode->tone_mapped ? ", tone map" : "");
        help_add_row(out, HELP_OPTION_COLUMN, left, right);
    }
}

/* ---- looks ----------------------------------------------------------------------------------- */

static void add_look_rows(mrw_text *out)
{
    size_t count;
    const mrw_look *rows = mrw_look_rows(&count);
    add_title("All looks", out);
    for (size_t i = 0; i < count; i++) {
        mrw_text_add(out, "%s%s: %s\n", i > 0 ? "\n" : "", rows[i].name, rows[i].summary);
        for (size_t k = 0; k < rows[i].value_count; k++) {
            const mrw_look_value *value = &rows[i].values[k];
            const char *quote = value->value && value->value[0] == '#' ? "'" : "";
            mrw_text_add(out, "%s" INDENT "--%s%s%s%s%s\n", k == 0 ? "\n" : "", value->option,
                         value->value ? " " : "", quote, value->value ? value->value : "", quote);
        }
    }
}

/* ---- opengl ---------------------------------------------------------------------------------- */

static void add_left_out(mrw_text *out)
{
    add_title("OpenGL in this build", out);
#ifdef MARROW_GL
    mrw_text_add(out, "This marrow can draw with OpenGL. `marrow doctor` lists the devices.\n");
#else
    mrw_text_add(out, "This marrow was built without OpenGL. Build it with `make GL=1`.\n");
#endif
    add_title("What OpenGL leaves out or does differently", out);
    for (const gl_left_out_row *row = gl_left_out; row->what; row++) {
        char left[80];
        snprintf(left, sizeof left, INDENT "%s", row->what);
        help_add_row(out, HELP_OPTION_COLUMN, left, row->why);
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Adds the type of a pass ("a float", "3 floats", "a whole number") and the files that can hold it.
 */
static void put_pass_type(const mrw_aov_info *info, mrw_text *out)
{
    const mrw_output_pass pass = {.is_color = strcmp(info->name, "color") == 0,
                                  .is_flow = strncmp(info->name, "flow", 4) == 0,
                                  .format = info->format,
                                  .channels = info->channels};
    const char *one = info->format == MRW_FORMAT_U32 ? "whole number" : "float";
    if (info->channels == 1) {
        mrw_text_add(out, "a %s", one);
    } else {
        mrw_text_add(out, "%u %ss", info->channels, one);
    }
    for (int i = 0; i < MRW_PASS_FORMAT_COUNT; i++) {
        if (mrw_pass_format_holds((mrw_pass_format)i, &pass)) {
            mrw_text_add(out, " %s", mrw_pass_format_ending((mrw_pass_format)i));
        }
    }
}

static void add_aov(mrw_text *out)
{
    add_title("All passes", out);
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        const mrw_aov_info *info = mrw_aov_info_of((mrw_aov)i);
        char left[64];
        mrw_text right = {0};
        snprintf(left, sizeof left, INDENT "%s%s", info->name,
                 i == MRW_AOV_WEIGHTS ? ":JOINT" : "");
        mrw_text_add(&right, "%s (%s); ", info->shows, info->unit);
        put_pass_type(info, &right);
        help_add_row(out, HELP_OPTION_COLUMN, left, right.failed || !right.data ? "" : right.data);
        mrw_text_free(&right);
    }
    help_add_row(out, HELP_OPTION_COLUMN, INDENT "cryptomatte",
                 "crypto-object and crypto-material");
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Adds ".gltf, .glb" for "gltf glb". */
static void put_extensions(const char *extensions, mrw_text *out)
{
    for (const char *at = extensions; *at;) {
        const size_t length = strcspn(at, " ");
        mrw_text_add(out, "%s.%.*s", at == extensions ? "" : ", ", (int)length, at);
        at += length + (at[length] != '\0');
    }
}

static void add_format(const mrw_model_format *format, mrw_text *out)
{
    char left[128];
    mrw_text right = {0};
    snprintf(left, sizeof left, INDENT "%s", format->title);
    put_extensions(format->extensions, &right);
    if (format->read && format->ask) {
        mrw_text_add(&right, "; with --allow-format %s: %s", format->name, format->reason);
    } else if (format->read) {
        mrw_text_add(&right, "; --input-format %s%s", format->name,
                     format->imported ? ", read in the import helper" : "");
    } else {
        mrw_text_add(&right, "%s%s", right.size > 0 ? "; " : "", format->reason);
    }
    help_add_row(out, HELP_OPTION_COLUMN, left, right.failed || !right.data ? "" : right.data);
    mrw_text_free(&right);
}

static void add_models(mrw_text *out)
{
    static const char *const titles[] = {"Models that are read", "Models that are read on request",
                                         "Models that are refused"};
    for (int part = 0; part < 3; part++) {
        add_title(titles[part], out);
        for (size_t i = 0; i < mrw_model_format_count(); i++) {
            const mrw_model_format format = mrw_model_format_at(i);
            if (part == (format.read ? format.ask : 2)) {
                add_format(&format, out);
            }
        }
    }
}

static void add_pictures(mrw_text *out)
{
    add_title("Pictures that are written", out);
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT; i++) {
        const mrw_output_info *info = mrw_output_describe((mrw_output_format)i);
        char left[64], right[128];
        snprintf(left, sizeof left, INDENT "%s%s", info->streams ? "stream " : "", info->name);
        if (info->streams) {
            snprintf(right, sizeof right, "-o - --stream %s; one picture after another",
                     info->name);
        } else {
            snprintf(right, sizeof right, "%s%s%s%s%s; %s%s", info->endings[0],
                     info->endings[1] ? ", " : "", info->endings[1] ? info->endings[1] : "",
                     info->option ? " with " : "", info->option ? info->option : "",
                     info->collects ? "several pictures per file" : "one picture per file",
                     info->deep ? "; up to 16 bits" : "");
        }
        help_add_row(out, HELP_OPTION_COLUMN, left, right);
    }
}

static void add_formats(mrw_text *out)
{
    add_models(out);
    add_pictures(out);
    add_title("Other files", out);
    help_add_row(out, HELP_OPTION_COLUMN, INDENT "textures read", "PNG, JPEG, WebP, BMP, TGA, DDS");
    help_add_row(out, HELP_OPTION_COLUMN, INDENT "meshes written", ".obj, .ply, by bake");
}

void help_add_tables(const char *chapter, mrw_text *out)
{
    static const struct {
        const char *chapter;
        void (*add)(mrw_text *out);
    } tables[] = {{"look", add_shading},  {"looks", add_look_rows}, {"passes", add_aov},
                  {"goldens", add_suite}, {"formats", add_formats}, {"opengl", add_left_out}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].chapter, chapter) == 0) {
            tables[i].add(out);
        }
    }
}
