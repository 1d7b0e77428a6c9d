/* help.c: `marrow help` and --help: everything is read from the tables of commands and options. */
#include "cli.h"

#include "gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char statuses[] =
    "Exit status\n"
    "   0  done\n"
    "   1  pictures differ, a test failed, or doctor found a mismatch\n"
    "   2  usage: wrong whatever the file holds\n"
    "   3  input: the file is unreadable, refused, or lacks what was asked for\n"
    "   4  output: a file could not be written\n"
    "   5  there were warnings, under --strict; the files are written\n"
    "  77  not possible on this machine, or every case was skipped\n"
    "  99  a bug in marrow\n"
    " 129, 130, 143  ended by a signal: SIGHUP, SIGINT, SIGTERM\n";

static const char environment[] =
    "Environment\n"
    "  MARROW_ISA      what --isa is, where it is not given, for every command\n"
    "  MARROW_IMPORTER the import helper, where it is not beside the command\n"
    "  CI              test --update and accept want --force\n"
    "  GITHUB_ACTIONS  annotations, and a table in GITHUB_STEP_SUMMARY\n"
    "  NO_COLOR        no colours on a terminal\n"
    "  TMPDIR          for temporary files, in place of /tmp\n";

#define COMMAND_COLUMN 29

static void add_suite(mrw_text *out);
static void add_own_suite(mrw_text *out);
static void add_formats(mrw_text *out);
static void add_lights(mrw_text *out);
static void add_shading(mrw_text *out);
static void add_backend(mrw_text *out);
static void add_aov(mrw_text *out);

/* What there is help on beside the commands. */
static const cli_page topics[] = {
    {"suite", "keys of suite files, which say what is tested", add_suite, add_own_suite},
    {"formats", "models that are read, pictures that are written", add_formats, NULL},
    {"lights", "what --light takes, and what shines without it", add_lights, NULL},
    {"shading", "what --shading takes, and what counts in each mode", add_shading, NULL},
    {"backend", "what --backend takes, what OpenGL leaves out", add_backend, NULL},
    {"aov", "what --aov takes: passes, their units, their files", add_aov, NULL}};
#define TOPICS (sizeof topics / sizeof *topics)

const cli_page *cli_help_pages(size_t *count)
{
    *count = TOPICS;
    return topics;
}

void cli_help_add_ends(mrw_text *out)
{
    mrw_text_add(out, "%s\n%s", environment, statuses);
}

static void add_examples(const mrw_command_info *command, mrw_text *out)
{
    mrw_text_add(out, "Examples\n");
    for (int i = 0; i < 3; i++) {
        mrw_text_add(out, "  %s\n", command->examples[i]);
    }
}

/* Adds words, breaking lines before column 80; the first line continues at `start`. */
static void add_wrapped(mrw_text *out, int start, const char *text)
{
    size_t column = (size_t)start;
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > 79) {
            mrw_text_add(out, "\n%*s", start, "");
            column = (size_t)start;
        } else if (!first) {
            mrw_text_add(out, " ");
            column++;
        }
        mrw_text_add(out, "%.*s", (int)word, text);
        column += word;
        text += word + (text[word] != '\0');
    }
    mrw_text_add(out, "\n");
}

#define WIDTH 80

/* Choices a|b|c that are too long for a line, cut behind bars. */
static void add_choices(mrw_text *out, const char *left)
{
    const char *rest = left;
    int indent = 0;
    while ((int)strlen(rest) + indent > WIDTH) {
        int length = WIDTH - indent;
        while (length > 1 && rest[length - 1] != '|') {
            length--;
        }
        if (length <= 1) {
            break;
        }
        mrw_text_add(out, "%.*s\n", length, rest);
        rest += length;
        indent = 8;
        mrw_text_add(out, "%*s", indent, "");
    }
    mrw_text_add(out, "%s", rest);
}

void cli_help_add_row(mrw_text *out, int start, const char *left, const char *right)
{
    const int length = (int)strlen(left);
    if (length >= start - 1) {
        add_choices(out, left);
        mrw_text_add(out, "\n%*s", start, "");
    } else {
        mrw_text_add(out, "%-*s", start, left);
    }
    add_wrapped(out, start, right);
}

static void add_overview(mrw_text *out)
{
    mrw_text_add(out,
                 "marrow %s: animated models to pictures, the same pixels on every machine\n\n"
                 "Commands\n",
                 MRW_VERSION);
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)i);
        char usage[64];
        snprintf(usage, sizeof usage, "  %s %s", command->name, command->arguments);
        cli_help_add_row(out, COMMAND_COLUMN, usage, command->summary);
    }
    mrw_text_add(out, "\nTopics of `marrow help`, beside the commands\n");
    for (size_t i = 0; i < TOPICS; i++) {
        char name[64];
        snprintf(name, sizeof name, "  %s", topics[i].name);
        cli_help_add_row(out, COMMAND_COLUMN, name, topics[i].summary);
    }
    mrw_text_add(out,
                 "\nOptions may stand anywhere, as --option value or --option=value;\n"
                 "flags are switched off by --no-NAME or --NAME=off. `marrow help render` lists\n"
                 "options of render, `marrow help --all` all there are, `marrow help WORD` what\n"
                 "has to do with a word: marrow help gif. A model is a file\n"
                 "(glTF 2.0, FBX, Collada, IQM, B3D, BVH, MS3D, SMD, OBJ, STL, 3DS, text M3D,\n"
                 "or a .marrow that `compile` wrote), - for standard input, or a built-in one:\n"
                 "demo:figure, demo:tentacle, demo:blob, demo:stage, demo:swatches.\n\n");
    add_examples(mrw_command_describe(MRW_COMMAND_RENDER), out);
    mrw_text_add(out, "\n%s\n%s", environment, statuses);
}

/* Of `sheet`, which is `render` with other defaults (options/command_line.c). */
static const char *preset_of_sheet(const char *name)
{
    static const char *const own[][2] = {{"sheet", "those of a clip, or of several"},
                                         {"clip", "all"},
                                         {"count", "8"},
                                         {"size", "128x128"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(own[i][0], name) == 0) {
            return own[i][1];
        }
    }
    return NULL;
}

void cli_help_add_option(mrw_command command, size_t index, mrw_text *out)
{
    const mrw_option *option = mrw_option_at(index);
    char left[320], help[256], preset[64];
    char letter[8] = "    ";
    if (option->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    }
    snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, option->name,
             option->optional   ? "[="
             : option->argument ? " "
                                : "",
             option->argument ? option->argument : "", option->optional ? "]" : "");
    const char *own = command == MRW_COMMAND_SHEET ? preset_of_sheet(option->name) : NULL;
    snprintf(preset, sizeof preset, "%s", own ? own : "");
    if (!own) {
        mrw_option_default(index, preset, sizeof preset);
    }
    const char *mark = preset[0] ? " [" : "";
    snprintf(help, sizeof help, "%s%s%s%s", option->help, mark, preset, mark[0] ? "]" : "");
    cli_help_add_row(out, CLI_OPTION_COLUMN, left, help);
}

/* command: MRW_COMMAND_NONE for those of all. */
static void add_group(mrw_command command, mrw_option_group group, bool all, mrw_text *out)
{
    bool titled = false;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        const bool belongs = command == MRW_COMMAND_NONE || mrw_option_belongs(option, command);
        if (option->group != group || !belongs || (!all && !mrw_option_is_common(option))) {
            continue;
        }
        if (!titled) {
            mrw_text_add(out, "\n%s\n", mrw_option_group_title(group));
            titled = true;
        }
        cli_help_add_option(command, i, out);
    }
}

/* How many options are shown, and how the others are found. */
static void add_more(mrw_command command, mrw_text *out)
{
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        const bool belongs = mrw_option_belongs(option, command);
        count += belongs;
        shown += belongs && mrw_option_is_common(option);
    }
    mrw_text_add(out,
                 "\n%zu of %zu options: `marrow help render --all` shows all,\n"
                 "`marrow help WORD` those that have to do with a word (marrow help gif).\n",
                 shown, count);
}

/* all: or, of render, the options that most people need. */
static void add_command(mrw_command which, bool all, mrw_text *out)
{
    all = all || which != MRW_COMMAND_RENDER;
    const mrw_command_info *command = mrw_command_describe(which);
    mrw_text_add(out, "marrow %s%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
                 command->arguments, command->about);
    for (int group = 0; group < MRW_OPTIONS_GROUP_COUNT; group++) {
        add_group(which, (mrw_option_group)group, all, out);
    }
    if (which == MRW_COMMAND_RENDER) {
        mrw_text_add(out, "\nFields of -o\n"
                          "  {model} {clip} {frame} {frame:04} {time} {time:3} {n} {view} {dir} "
                          "{aov}; ####\n  and %%04d mean {frame:04}; {{ and }} are braces; {n} "
                          "counts all pictures,\n  {page} those of a sprite sheet.\n");
    }
    if (which == MRW_COMMAND_VIEW) {
        cli_view_keys(out);
    }
    mrw_text_add(out, "\n");
    add_examples(command, out);
    mrw_text_add(out, "\n%s", statuses);
    if (!all) {
        add_more(which, out);
    }
}

/* ---- topics ---------------------------------------------------------------------------------- */

static void add_suite_keys(bool options, mrw_text *out)
{
    for (size_t i = 0; i < mrw_suite_key_count(); i++) {
        const mrw_suite_key key = mrw_suite_key_at(i);
        char left[128];
        snprintf(left, sizeof left, "  %s = %s", key.name, key.values);
        if (!key.option == !options) {
            cli_help_add_row(out, CLI_OPTION_COLUMN, left, key.help);
        }
    }
}

static void add_own_suite(mrw_text *out)
{
    mrw_text_add(out,
                 "Suites: what `marrow test` draws, and what it compares\n\n"
                 "A suite is a file suite.ini, called after its folder, or NAME.suite.ini.\n"
                 "[defaults] holds keys for all of its cases; every other section is a case.\n"
                 "Paths lead from the suite's folder. A list makes a case of each value:\n"
                 "`clip = Walk, Run` in [hero] is hero.Walk and hero.Run; values that have commas\n"
                 "of their own are listed with '|'. Options that may be repeated take several\n"
                 "values at once with ' + ' between them.\n\nKeys\n");
    add_suite_keys(false, out);
}

static void add_suite(mrw_text *out)
{
    add_own_suite(out);
    mrw_text_add(out, "\nKeys that are options, too\n");
    add_suite_keys(true, out);
    mrw_text_add(out, "\nExample\n"
                      "  [defaults]\n"
                      "  model = hero.glb\n"
                      "  size = 320x240\n"
                      "  [walk]\n"
                      "  clip = Walk\n"
                      "  count = 4\n"
                      "  check = pixels, pose\n"
                      "  [turn]\n"
                      "  azimuth = 0, 90, 180\n");
}

static void add_lights(mrw_text *out)
{
    static const char *const rows[][2] = {
        {"none", "no light; may stand beside others"},
        {"default", "the rig of the shading mode, to add lights to"},
        {"ambient:color=R,G,B", "from all sides, 1 as bright as a white surface"},
        {"directional:dir=X,Y,Z", "from far away; with color=, intensity="},
        {"point:pos=X,Y,Z", "in all directions; with color=, intensity=, range="},
        {"spot:pos=X,Y,Z,dir=X,Y,Z",
         "into a cone; with inner=, outer= (degrees from its axis), color=, intensity=, range="}};
    mrw_text_add(out, "Lights: what --light takes\n\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char left[64];
        snprintf(left, sizeof left, "  %s", rows[i][0]);
        cli_help_add_row(out, CLI_OPTION_COLUMN, left, rows[i][1]);
    }
    mrw_text_add(
        out, "\nKeys stand in any order. dir is the way the light travels. Colours are linear\n"
             "[1,1,1]; intensity is lux, of points and spots candela [1]: 3.14 lights a white\n"
             "surface that faces the light to white, of points and spots at distance 1. Their\n"
             "light ends at range [0: nowhere]. inner is [0], outer [45].\n\n"
             "Under --shading lambert, phong and gouraud these are lamps as tutorials have\n"
             "them: intensity 1 is white, at any distance. They take further keys there:\n"
             "attenuation=C,L,Q [1,0,0]: 1 / (C + L d + Q d^2) is left at distance d; and the\n"
             "strengths ambient= [0], diffuse= [1], specular= [1], times color and intensity.\n\n"
             "A light behind which @camera stands moves with the camera: pos and dir are x to\n"
             "the right, y up, and the camera looks along -z. With @NODE (@node:NAME, where a\n"
             "node is called camera) they are in that node's space, and the light moves with\n"
             "the animation.\n\n"
             "Without --light a file with lights is lit by them in a dim studio, any other\n"
             "by the rig in it; --shading lambert by a single light. With --light only\n"
             "those shine that are named, and those of the file but for --file-lights off.\n\n"
             "Example\n"
             "  marrow render hero.glb --light directional:dir=0,-1,-1,intensity=2 \\\n"
             "      --light spot:pos=0,0,0,dir=0,0,-1,outer=20,intensity=50@Torch\n"
             "  marrow render hero.glb --shading phong \\\n"
             "      --light point:pos=1,2,2,ambient=0.2,attenuation=1,0.09,0.032\n");
}

static void add_shading(mrw_text *out)
{
    mrw_text_add(out, "Shading modes: what --shading takes\n\n");
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of((mrw_shading)i);
        char left[64], right[256];
        snprintf(left, sizeof left, "  %s", mode->name);
        snprintf(right, sizeof right, "%s; %s%s%s%s", mode->shows,
                 mode->lit || mode->at_vertices ? "light"
                 : mode->matcap                 ? "the picture's light"
                                                : "no light",
                 mode->environment ? ", environment" : "", mode->exposed ? ", exposure" : "",
                 mode->tone_mapped ? ", tone map" : "");
        cli_help_add_row(out, CLI_OPTION_COLUMN, left, right);
    }
    mrw_text_add(
        out, "\nBehind what a mode shows stands what counts in it: `light` is the rig, --light\n"
             "and lights of files, `environment` the studio and --env, `exposure` --exposure,\n"
             "`tone map` --tonemap. Modes without an environment have a single light of their\n"
             "own in the place of the rig.\n\n"
             "Example\n"
             "  marrow render hero.glb --shading raw --filter nearest -o texels.png\n");
}

static void add_backend(mrw_text *out)
{
#ifdef CLI_GL
    const char *here = "this marrow has it; marrow doctor lists the devices";
#else
    const char *here = "this marrow was made without it: make GL=1 makes one with it";
#endif
    char gl[240];
    snprintf(gl, sizeof gl,
             "OpenGL 3.3 or later, else OpenGL ES 3.0 or later, by EGL, without a window or "
             "display; --gl-device chooses one of several; %s",
             here);
    mrw_text_add(out, "Backends: what draws, --backend\n\n");
    cli_help_add_row(out, CLI_OPTION_COLUMN, "  soft",
                     "this program's rasterizer: the same bits everywhere");
    cli_help_add_row(out, CLI_OPTION_COLUMN, "  gl", gl);
    mrw_text_add(out, "\n");
    add_wrapped(out, 0,
                "Models, poses, materials, lights, shadows, levels of textures, shading modes and "
                "tone maps are those of soft. What gl leaves out or does in another way:");
    mrw_text_add(out, "\n");
    for (const gl_left_out_row *row = gl_left_out; row->what; row++) {
        mrw_text_add(out, "  ");
        char line[400];
        snprintf(line, sizeof line, "%s: %s", row->what, row->why);
        add_wrapped(out, 4, line);
    }
    mrw_text_add(out, "\n");
    add_wrapped(
        out, 0,
        "A second opinion, `marrow test SUITE --backend gl --against-backend soft`, draws the "
        "cases of suites with both: up to four pictures of each, spread over what it has. 99.5 % "
        "of the subject's pixels must agree within 2 levels, and no group of more than 16 may be "
        "left; at edges a pixel agrees within what the other picture spans in the 3 x 3 around "
        "it. Keys of cases: `gl-ratio = SHARE REASON` takes another share, `backend = soft "
        "REASON` skips the case. It fails when a case does, or does not load; when none was "
        "compared; when more than a tenth was skipped.");
    mrw_text_add(out, "\n");
    add_wrapped(
        out, 0,
        "Goldens of a driver: `marrow test SUITE --backend gl` compares what OpenGL draws with "
        "goldens in a folder gl beside software's, which `--update` and `marrow accept` write. "
        "Their golden.txt names the driver: with another driver a case fails, and says so; with "
        "software they are never compared. Cases with `backend = soft REASON` are skipped.");
    mrw_text_add(out, "\nExample\n"
                      "  marrow render demo:figure --backend gl -o figure.png -v\n"
                      "  marrow test golden --backend gl --against-backend soft\n");
}

/* "one float", "3 floats", "one whole number", and which files hold them. */
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
    mrw_text_add(out, "Passes: what is known of pixels beside their colour, --aov\n\n");
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        const mrw_aov_info *info = mrw_aov_info_of((mrw_aov)i);
        char left[64];
        mrw_text right = {0};
        snprintf(left, sizeof left, "  %s%s", info->name, i == MRW_AOV_WEIGHTS ? ":JOINT" : "");
        mrw_text_add(&right, "%s (%s); ", info->shows, info->unit);
        put_pass_type(info, &right);
        cli_help_add_row(out, CLI_OPTION_COLUMN, left,
                         right.failed || !right.data ? "" : right.data);
        mrw_text_free(&right);
    }
    cli_help_add_row(out, CLI_OPTION_COLUMN, "  cryptomatte", "crypto-object and crypto-material");
    mrw_text_add(
        out, "\nNumbers are those of the pixel's centre (x + 0.5, y + 0.5), never averaged,\n"
             "but for color, coverage and Cryptomatte's; blended surfaces are there where\n"
             "their alpha is 0.5 or more, and have a share by alpha in Cryptomatte's.\n"
             "--ground counts in color and coverage; the others do not have it. Names stand\n"
             "in a list with commas, or in several --aov; weights:JOINT has an --aov of its\n"
             "own.\n\n"
             "With {aov} in -o each pass has a file of its own, of the format that its\n"
             "ending names; else one .exr has all: color in R G B A (linear, premultiplied,\n"
             "before the tone map), depth in Z, others as normal.X and so on, whole numbers\n"
             "as UINT.\n"
             "  .png  whole numbers up to 65535 as grey of 16 bits; color as the picture\n"
             "  .pfm  little-endian, rows from the bottom; of color R G B\n"
             "  .flo  Middlebury's; 1e10 where the point is not seen in the other frame\n\n"
             "With --aov-view passes are PNGs to look at, of 8 bits but for color: normal,\n"
             "uv, depth, joint, weights and albedo (channel:base) are what --shading of that\n"
             "name draws with --aa 1, where what is blended is mixed; distance as depth;\n"
             "whole numbers and Cryptomatte's ids a colour each; position in the model's box,\n"
             "barycentric as red, green, blue; flow as Middlebury's wheel of colours, black\n"
             "where the point is not seen in the other frame; coverage grey. One pass may go\n"
             "to a --sheet or an animation.\n\n"
             "Cameras are attributes of .exr files and stand in --json: K, by rows, leads\n"
             "from the camera's space (x right, y down, z forward) to pixels,\n"
             "world_to_camera, by rows for column vectors, into that space; near, far. With\n"
             "--json there is a legend of numbers, and a hash of each pass's values.\n\n"
             "Examples\n"
             "  marrow render hero.glb --aov color,depth,normal,id -o hero.exr\n"
             "  marrow render hero.glb --clip Walk --aov id,joint -o 'o/{frame:04}_{aov}.png'\n"
             "  marrow render hero.glb --frames 0-9 --aov flow-forward -o 'o/{frame:04}.flo'\n");
}

/* ".gltf, .glb" for "gltf glb". */
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
    snprintf(left, sizeof left, "  %s", format->title);
    put_extensions(format->extensions, &right);
    if (format->read && format->ask) {
        mrw_text_add(&right, "; with --allow-format %s: %s", format->name, format->reason);
    } else if (format->read) {
        mrw_text_add(&right, "; --input-format %s%s", format->name,
                     format->imported ? ", read in the import helper" : "");
    } else {
        mrw_text_add(&right, "%s%s", right.size > 0 ? "; " : "", format->reason);
    }
    cli_help_add_row(out, CLI_OPTION_COLUMN, left, right.failed || !right.data ? "" : right.data);
    mrw_text_free(&right);
}

static void add_formats(mrw_text *out)
{
    static const char *const titles[] = {
        "Models that are read", "Models that are read when asked for", "Models that are refused"};
    for (int part = 0; part < 3; part++) {
        mrw_text_add(out, "%s%s\n", part > 0 ? "\n" : "", titles[part]);
        for (size_t i = 0; i < mrw_model_format_count(); i++) {
            const mrw_model_format format = mrw_model_format_at(i);
            if (part == (format.read ? format.ask : 2)) {
                add_format(&format, out);
            }
        }
    }
    mrw_text_add(
        out, "\nTextures that are read\n  PNG, JPEG, BMP, TGA, DDS\n\nPictures that are written\n");
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT; i++) {
        const mrw_output_info *info = mrw_output_describe((mrw_output_format)i);
        char left[64], right[128];
        snprintf(left, sizeof left, "  %s%s", info->streams ? "stream " : "", info->name);
        if (info->streams) {
            snprintf(right, sizeof right, "-o - --stream %s; pictures one after another",
                     info->name);
        } else {
            snprintf(right, sizeof right, "%s%s%s%s; %s", info->ending,
                     info->other_ending ? ", " : "", info->other_ending ? info->other_ending : "",
                     i == MRW_OUTPUT_SHEET     ? " with --sheet"
                     : i == MRW_OUTPUT_SPRITES ? " with --atlas"
                                               : "",
                     info->collects ? "several pictures in a file" : "a file a picture");
        }
        cli_help_add_row(out, CLI_OPTION_COLUMN, left, right);
    }
    mrw_text_add(out, "\nMeshes that `bake` writes\n  .obj, .ply\n");
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Names that are near to a word of which nothing is said. */
static mrw_status fail_word(const char *word, mrw_error *error)
{
    const size_t options = mrw_option_count(), words = mrw_option_word_count();
    const char **names = calloc(MRW_COMMAND_COUNT + TOPICS + options + words, sizeof *names);
    char text[512], safe[128];
    size_t count = 0;
    if (!names) {
        return cli_fail_memory(error);
    }
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        names[count++] = mrw_command_describe((mrw_command)i)->name;
    }
    for (size_t i = 0; i < TOPICS; i++) {
        names[count++] = topics[i].name;
    }
    snprintf(text, sizeof text, "there is no command, topic or option about '%s'",
             mrw_escape_text(word, safe, sizeof safe));
    const size_t length = strlen(text);
    mrw_suggest_names(text, sizeof text, word, names, count);
    for (size_t i = 0; i < options; i++) {
        names[count++] = mrw_option_at(i)->name;
    }
    for (size_t i = 0; i < words; i++) {
        names[count++] = mrw_option_word_at(i)->word;
    }
    if (text[length] == '\0') {
        mrw_suggest_names(text, sizeof text, word, names, count);
    }
    free(names);
    return cli_fail(error, MRW_ERROR_USAGE, "%s%s", text,
                    text[length] == '\0' ? "; `marrow help` lists commands and topics" : "");
}

/* Adds what is said of a command or another topic, or of words. */
static mrw_status add_topic(const mrw_settings *settings, mrw_text *out, mrw_error *error)
{
    const mrw_text_list *words = &settings->arguments;
    const char *name = words->items[0];
    for (size_t i = 0; i < TOPICS && words->count == 1; i++) {
        if (strcmp(topics[i].name, name) == 0) {
            topics[i].add(out);
            return MRW_OK;
        }
    }
    for (int i = 0; i < MRW_COMMAND_COUNT && words->count == 1; i++) {
        if (strcmp(mrw_command_describe((mrw_command)i)->name, name) == 0) {
            add_command((mrw_command)i, settings->run.all, out);
            return MRW_OK;
        }
    }
    return cli_search(words, out) ? MRW_OK : fail_word(name, error);
}

static void add_all_options(mrw_text *out)
{
    for (int group = 0; group < MRW_OPTIONS_GROUP_COUNT; group++) {
        add_group(MRW_COMMAND_NONE, (mrw_option_group)group, true, out);
    }
}

int cli_help(const mrw_settings *settings)
{
    const mrw_command command = settings->command;
    const bool topic = settings->arguments.count > 0;
    mrw_text text = {0};
    mrw_error error;
    mrw_status status = MRW_OK;
    if (command == MRW_COMMAND_HELP && !settings->run.help && topic) {
        status = add_topic(settings, &text, &error);
    } else if (command == MRW_COMMAND_NONE ||
               (command == MRW_COMMAND_HELP && !settings->run.help)) {
        add_overview(&text);
        if (settings->run.all) {
            add_all_options(&text);
        }
    } else {
        add_command(command, settings->run.all, &text);
    }
    if (status == MRW_OK) {
        status = cli_print(&text, &error);
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    mrw_text_free(&text);
    return cli_exit_status(status);
}

int cli_version(const mrw_settings *settings)
{
    (void)settings;
    mrw_text text = {0};
    mrw_error error;
    mrw_text_add(&text, "marrow %s\npixel version %d\n", MRW_VERSION, MRW_PIXEL_VERSION);
    mrw_status status = cli_print(&text, &error);
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    mrw_text_free(&text);
    return cli_exit_status(status);
}
