/* complete_values.c: values of options for `marrow __complete`: the alternatives of the table, and
 * names for its placeholders (FILE, NODE, CLIP, ...), some of them from models on the line. */
#include "help/complete.h"

#include <marrow/frame.h>
#include <marrow/load.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* Longest time that reading models and suites may take after a key is pressed, in seconds. */
#define MOST_SECONDS 2
/* Largest model that is opened, in bytes. */
#define MOST_BYTES (UINT64_C(512) << 20)

/* ---- reading models and suites --------------------------------------------------------------- */

static void give_up(int number)
{
    (void)number;
    _exit(0);
}

/* Prints the candidates so far, because the process ends when the time is over. The import helper
 * dies with it. */
static void begin_slow(help_completion *c)
{
    const struct itimerval time = {.it_value = {.tv_sec = MOST_SECONDS}};
    help_completion_write(c);
    signal(SIGALRM, give_up);
    setitimer(ITIMER_REAL, &time, NULL);
}

typedef void (*scene_visitor)(help_completion *c, const mrw_scene *scene, const char *suffix);

static const char *value_of(const help_completion *c, const char *option)
{
    const char *value = NULL;
    for (size_t i = 0; i < c->given_count; i++) {
        value = strcmp(c->given[i].option->name, option) == 0 ? c->given[i].value : value;
    }
    return value;
}

/* Adds a path with the home folder in place of ~, which shells expand but completions do not. */
static void add_home(const char *path, mrw_text *out)
{
    const char *home = strncmp(path, "~/", 2) == 0 ? getenv("HOME") : NULL;
    mrw_text_add(out, "%s%s", home ? home : "", home ? path + 1 : path);
}

static void note_variant(void *user, const char *name)
{
    help_completion_add(user, name, "", "variant");
}

/* Loads a model for its names: no image is opened. Without `visit` adds the names of its variants.
 */
static void visit_model(help_completion *c, const char *path, scene_visitor visit,
                        const char *suffix)
{
    mrw_load_def def = mrw_load_def_default();
    struct stat info;
    mrw_scene *scene = NULL;
    mrw_error ignored;
    mrw_text file = {0};
    def.clips_only = true;
    def.variant_found = visit ? NULL : note_variant;
    def.variant_found_user = c;
    def.maps = 0;
    def.max_file_size = MOST_BYTES;
    def.import_seconds = MOST_SECONDS;
    def.formats = value_of(c, "allow-format");
    def.input_format = value_of(c, "input-format");
    add_home(path, &file);
    const bool demo = !file.failed && strncmp(path, "demo:", 5) == 0;
    if (!file.failed && (demo || (stat(file.data, &info) == 0 && S_ISREG(info.st_mode))) &&
        !mrw_load_file(file.data, &def, &scene, &ignored) && visit) {
        visit(c, scene, suffix);
    }
    mrw_scene_free(scene);
    mrw_text_free(&file);
}

/* Visits the models on the line; with `animations` also the files of --anim. */
static void visit_models(help_completion *c, bool animations, scene_visitor visit,
                         const char *suffix)
{
    begin_slow(c);
    for (size_t i = 0; i < c->argument_count; i++) {
        visit_model(c, c->arguments[i], visit, suffix);
    }
    for (size_t i = 0; i < c->given_count && animations; i++) {
        if (strcmp(c->given[i].option->name, "anim") == 0) {
            visit_model(c, c->given[i].value, visit, suffix);
        }
    }
}

void help_completion_add_cases(help_completion *c, bool tags)
{
    static const char *const here[] = {"."};
    const bool named = c->command == MRW_COMMAND_TEST && c->argument_count > 0;
    mrw_case_list cases = {0};
    mrw_error ignored;
    begin_slow(c);
    if (!mrw_cases_load(named ? c->arguments : here, named ? c->argument_count : 1, &cases,
                        &ignored)) {
        for (size_t i = 0; i < cases.count; i++) {
            const mrw_case *item = &cases.items[i];
            for (size_t k = 0; k < item->tag_count && tags; k++) {
                help_completion_add(c, item->tags[k], "", "tag");
            }
            if (!tags) {
                help_completion_add(c, item->name, "", "case");
            }
        }
    }
    mrw_cases_free(&cases);
}

/* ---- names for placeholders ------------------------------------------------------------------ */

static void visit_clips(help_completion *c, const mrw_scene *scene, const char *suffix)
{
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        char length[48], text[64];
        mrw_format_fixed(scene->clips[i].duration, 3, length);
        snprintf(text, sizeof text, "clip of %s s", length);
        help_completion_add(c, mrw_scene_string(scene, scene->clips[i].name), suffix, text);
    }
}

static void visit_nodes(help_completion *c, const mrw_scene *scene, const char *suffix)
{
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        help_completion_add(c, mrw_scene_string(scene, scene->nodes[i].name), suffix, "node");
    }
}

static void visit_cameras(help_completion *c, const mrw_scene *scene, const char *suffix)
{
    for (uint32_t i = 0; i < scene->cameras_count; i++) {
        help_completion_add(c, mrw_scene_string(scene, scene->cameras[i].name), suffix, "camera");
    }
}

static void add_clips(help_completion *c, const char *suffix)
{
    visit_models(c, true, visit_clips, suffix);
}

static void add_nodes(help_completion *c, const char *suffix)
{
    visit_models(c, false, visit_nodes, suffix);
}

static void add_cameras(help_completion *c, const char *suffix)
{
    visit_models(c, false, visit_cameras, suffix);
}

static void add_variants(help_completion *c, const char *suffix)
{
    visit_models(c, false, NULL, suffix);
}

static void add_files(help_completion *c, const char *suffix)
{
    (void)suffix;
    help_completion_ask(c, "file");
}

static void add_folders(help_completion *c, const char *suffix)
{
    (void)suffix;
    help_completion_ask(c, "directory");
}

static void add_cases(help_completion *c, const char *suffix)
{
    (void)suffix;
    help_completion_add_cases(c, false);
}

static void add_tags(help_completion *c, const char *suffix)
{
    (void)suffix;
    help_completion_add_cases(c, true);
}

static void add_colors(help_completion *c, const char *suffix)
{
    for (size_t i = 0; mrw_color_name(i); i++) {
        help_completion_add(c, mrw_color_name(i), suffix, "colour");
    }
}

static void add_passes(help_completion *c, const char *suffix)
{
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        const mrw_aov_info *info = mrw_aov_info_of((mrw_aov)i);
        help_completion_add(c, info->name, i == MRW_AOV_WEIGHTS ? ":" : suffix, info->shows);
    }
    help_completion_add(c, "cryptomatte", suffix, "crypto-object and crypto-material");
}

static void add_overlays(help_completion *c, const char *suffix)
{
    for (int i = 0; i < MRW_OVERLAY_COUNT; i++) {
        help_completion_add(c, mrw_overlay_name((mrw_overlay)i), suffix, "overlay");
    }
}

static void add_channels(help_completion *c, const char *suffix)
{
    for (int i = 0; i < MRW_CHANNEL_COUNT; i++) {
        help_completion_add(c, mrw_shading_channel_name((mrw_shading_channel)i), suffix, "channel");
    }
}

/* Adds names of formats: those that are read only on request, or all that are read. */
static void add_formats(help_completion *c, bool ask)
{
    for (size_t i = 0; i < mrw_model_format_count(); i++) {
        const mrw_model_format format = mrw_model_format_at(i);
        if (format.name && format.read && (format.ask || !ask)) {
            help_completion_add(c, format.name, "", format.title);
        }
    }
}

static void add_asked_formats(help_completion *c, const char *suffix)
{
    (void)suffix;
    add_formats(c, true);
}

static void add_read_formats(help_completion *c, const char *suffix)
{
    (void)suffix;
    add_formats(c, false);
}

static void add_views(help_completion *c, const char *suffix)
{
    static const struct {
        float azimuth, elevation;
    } angles[] = {{0, 0}, {90, 0}, {-90, 0}, {180, 0}, {0, 90}, {0, -90}, {45, 35.264f}};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        const char *name = mrw_view_name(angles[i].azimuth, angles[i].elevation);
        help_completion_add(c, name ? name : "", suffix, "view");
    }
}

static void add_lights(help_completion *c, const char *suffix)
{
    help_completion_add(c, "none", suffix, "no light");
    help_completion_add(c, "default", suffix, "the default rig");
    help_completion_add(c, "ambient:", suffix, "color=R,G,B");
    help_completion_add(c, "directional:", suffix, "dir=X,Y,Z and more keys");
    help_completion_add(c, "point:", suffix, "pos=X,Y,Z and more keys");
    help_completion_add(c, "spot:", suffix, "pos=X,Y,Z, dir=X,Y,Z and more keys");
}

static void add_masks(help_completion *c, const char *suffix)
{
    help_completion_add(c, "rect:", suffix, "X,Y,WIDTH,HEIGHT in pixels");
    help_completion_add(c, "node:", suffix, "name of a node");
    if (strncmp(c->last + c->start, "image:", 6) == 0) {
        c->start += 6;
        help_completion_ask(c, "file");
    } else {
        help_completion_add(c, "image:", suffix, "a PNG file");
    }
}

/* Asks for files, too, unless the word begins with the prefix of built-in models. */
void help_completion_add_models(help_completion *c)
{
    static const char *const demos[] = {"demo:figure", "demo:tentacle", "demo:blob", "demo:stage",
                                        "demo:swatches"};
    for (size_t i = 0; i < sizeof demos / sizeof *demos; i++) {
        help_completion_add(c, demos[i], "", "built-in model");
    }
    if (strncmp(c->last + c->start, "demo:", 5) != 0) {
        help_completion_ask(c, "file");
    }
}

/* Returns the start of a key of --add, after MODEL: or a comma, or NULL if a key cannot follow. */
static const char *find_placement_key(const char *value)
{
    const char *keys = strrchr(value, ':');
    const char *comma = keys ? strrchr(keys, ',') : NULL;
    if (!keys || (strncmp(value, "demo:", 5) == 0 && keys == value + 4)) {
        return NULL;
    }
    return comma ? comma + 1 : keys + 1;
}

/* Adds models for --add, or the keys that place them. */
static void add_placed_models(help_completion *c, const char *suffix)
{
    static const char *const keys[] = {"pos=", "rot=", "scale=", "clip=", "time=", "speed="};
    const char *key = find_placement_key(c->last + c->start);
    if (!key) {
        help_completion_add_models(c);
        return;
    }
    c->start = (size_t)(key - c->last);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        help_completion_add(c, keys[i], suffix, "");
    }
}

/* ---- the table of placeholders --------------------------------------------------------------- */

typedef struct source {
    const char *placeholder; /* capitals at the start of an alternative */
    const char *option;      /* NULL: every option without a row of its own */
    void (*add)(help_completion *c, const char *suffix);
    const char *suffix; /* follows each name */
    bool is_list;       /* several names, separated by commas */
    bool takes_node;    /* @NODE may follow */
} source;

static const source sources[] = {
    {"FILE", NULL, add_files, "", false, false},
    {"PATH", NULL, add_files, "", false, false},
    {"TEMPLATE", NULL, add_files, "", false, false},
    {"TEXTURE", NULL, add_files, "", false, false},
    {"MARROW", NULL, add_files, "", false, false},
    {"DIR", NULL, add_folders, "", false, false},
    {"MODEL", NULL, add_placed_models, "", false, true},
    {"NODE", NULL, add_nodes, "", false, false},
    {"JOINT", NULL, add_nodes, "", false, false},
    {"COLOR", NULL, add_colors, "", false, false},
    {"CLIP", "blend", add_clips, ":", true, false},
    {"CLIP", NULL, add_clips, "", false, true},
    {"NAME", "clip", add_clips, "", false, false},
    {"NAME", "camera", add_cameras, "", false, false},
    {"NAME", "variant", add_variants, "", false, false},
    {"NAME", "shading", add_channels, "", false, false},
    {"NAME", "overlay", add_overlays, "", true, false},
    {"NAME", "id", add_nodes, "=", false, false},
    {"LIST", "aov", add_passes, "", true, false},
    {"LIST", "views", add_views, "", true, false},
    {"LIST", "allow-format", add_asked_formats, "", true, false},
    {"FORMAT", "input-format", add_read_formats, "", false, false},
    {"LIGHT", NULL, add_lights, "", false, false},
    {"MASK", NULL, add_masks, "", false, false},
    {"WORD", "match", add_cases, "", false, false},
    {"TAG", NULL, add_tags, "", false, false},
};

static const source *find_source(const char *placeholder, const char *option)
{
    const size_t length = strspn(placeholder, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const source *s = &sources[i];
        if (strlen(s->placeholder) == length && memcmp(s->placeholder, placeholder, length) == 0 &&
            (!s->option || strcmp(s->option, option) == 0)) {
            return s;
        }
    }
    return NULL;
}

static void add_source(help_completion *c, const source *s)
{
    const char *value = c->last + c->start;
    const char *comma = s->is_list ? strrchr(value, ',') : NULL;
    const char *at = s->takes_node ? mrw_split_at(value) : NULL;
    at = at && s->add == add_placed_models && strchr(at, ':') ? NULL : at;
    c->start += comma ? (size_t)(comma + 1 - value) : at ? (size_t)(at + 1 - value) : 0;
    (at ? add_nodes : s->add)(c, at ? "" : s->suffix);
}

/* Returns a shading mode's description, or NULL. `name` may end in a colon. */
static const char *find_mode(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of((mrw_shading)i);
        if (strlen(mode->name) == length && memcmp(mode->name, name, length) == 0) {
            return mode->shows;
        }
    }
    return NULL;
}

/* Finds "NAME: ..." between semicolons of an option's help and returns what follows the colon, or
 * NULL. *length becomes its bytes. */
static const char *find_clause(const char *help, const char *name, size_t *length)
{
    const size_t size = strlen(name);
    for (const char *p = help; *p != '\0'; p += strspn(p, "; ")) {
        *length = strcspn(p, ";");
        if (*length > size + 2 && strncmp(p, name, size) == 0 && strncmp(p + size, ": ", 2) == 0) {
            *length -= size + 2;
            return p + size + 2;
        }
        p += *length;
    }
    return NULL;
}

/* Writes a description of an alternative from help, or that it is the default, or "". */
static void describe(const mrw_option *option, const char *name, char *out, size_t size)
{
    size_t length = 0;
    const char *text = strcmp(option->name, "shading") == 0 ? find_mode(name) : NULL;
    if (text) {
        snprintf(out, size, "%s", text);
        return;
    }
    text = find_clause(option->help, name, &length);
    snprintf(out, size, "%.*s", (int)length, text ? text : "");
    for (size_t i = 0; i < mrw_option_count() && !text; i++) {
        char preset[64];
        if (mrw_option_at(i) == option &&
            strcmp(mrw_option_default(i, preset, sizeof preset), name) == 0) {
            snprintf(out, size, "the default");
        }
    }
}

/* Adds one alternative of `length` bytes: a word (lit), a placeholder (FILE.hdr) or both
 * (matcap:FILE). If the value has reached a placeholder, returns its source and sets *skip to the
 * bytes of the word before it; otherwise returns NULL. */
static const source *add_alternative(help_completion *c, const mrw_option *option, const char *text,
                                     size_t length, size_t *skip)
{
    const size_t word = strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[");
    const bool whole = word >= length;
    char name[64], says[128];
    snprintf(name, sizeof name, "%.*s", (int)(whole ? length : word), text);
    if (word > 0 && (whole || strncmp(c->last + c->start, name, word) != 0)) {
        describe(option, name, says, sizeof says);
        help_completion_add(c, name, "", says);
        return NULL;
    }
    *skip = word;
    return find_source(text + word, option->name);
}

void help_completion_add_values(help_completion *c, const mrw_option *option)
{
    const source *found[2] = {NULL, NULL}; /* sources of the first two placeholders */
    size_t skip = 0, found_skip = 0;
    for (const char *p = option->argument; *p != '\0'; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        const source *s = add_alternative(c, option, p, length, &skip);
        found_skip = s ? skip : found_skip;
        found[found[0] && s && s != found[0]] = s ? s : found[0];
        p += length;
    }
    if (strcmp(option->name, "overlay") == 0) {
        help_completion_add(c, "none", "", "no overlay");
    }
    c->start += found[0] ? found_skip : 0;
    for (int i = 0; i < 2; i++) {
        if (found[i]) {
            add_source(c, found[i]);
        }
    }
}
