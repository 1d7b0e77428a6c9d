/* mtl.c: reads the options of maps and the opacity in material libraries (Wavefront's description
 * of MTL). */
#include "import/mtl.h"

#include "base/text.h"

#include <assimp/material.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Statements, and the kinds that assimp makes of them. */
static const struct {
    const char *word;
    unsigned kind;
} statements[] = {
    {"map_Kd", aiTextureType_DIFFUSE},    {"map_Ks", aiTextureType_SPECULAR},
    {"map_Ke", aiTextureType_EMISSIVE},   {"map_emissive", aiTextureType_EMISSIVE},
    {"map_d", aiTextureType_OPACITY},     {"map_Kn", aiTextureType_NORMALS},
    {"norm", aiTextureType_NORMALS},      {"map_bump", aiTextureType_HEIGHT},
    {"bump", aiTextureType_HEIGHT},       {"map_Pr", aiTextureType_DIFFUSE_ROUGHNESS},
    {"map_Pm", aiTextureType_METALNESS},  {"map_disp", aiTextureType_DISPLACEMENT},
    {"disp", aiTextureType_DISPLACEMENT}, {"Kd", MRWI_IMPORT_MTL_KD},
};

/* ---- words ----------------------------------------------------------------------------------- */

/* A part of a line. */
typedef struct word {
    char *at;
    size_t size;
} word;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns the next word at *at, which moves to its end; empty at the end of the line. */
static word next_word(char **at, const char *end)
{
    while (*at < end && is_blank(**at)) {
        (*at)++;
    }
    word out = {*at, 0};
    while (*at < end && !is_blank(**at)) {
        (*at)++;
    }
    out.size = (size_t)(*at - out.at);
    return out;
}

/* Compares without case, as assimp does. */
static bool is_word(word w, const char *text)
{
    return w.size == strlen(text) && strncasecmp(w.at, text, w.size) == 0;
}

/* ---- options --------------------------------------------------------------------------------- */

/* An option and its value: a word, or numbers, all of which may be missing. */
typedef struct option {
    const char *name;
    size_t numbers; /* 0 for a word */
    bool stays;     /* true if assimp must see it */
    double *out;    /* two numbers, or NULL */
} option;

/* Reads the numbers after an option; the last word of the line is the picture's name. */
static void read_numbers(const option *o, char **at, const char *end)
{
    for (size_t i = 0; i < o->numbers; i++) {
        char *behind = *at;
        double number;
        const word w = next_word(&behind, end);
        if (behind == end || w.size == 0 ||
            mrwi_base_parse_double(w.at, w.size, &number) != w.size) {
            return;
        }
        if (o->out && i < 2) {
            o->out[i] = number;
        }
        *at = behind;
    }
}

/* Reads the options from `at` to the end of the line, which has no white space there. */
static void read_options(char *at, const char *end, mrwi_import_mtl_map *map)
{
    const option options[] = {
        {"-mm", 2, false, map->range}, {"-o", 3, false, map->offset}, {"-s", 3, false, map->scale},
        {"-t", 3, false, NULL},        {"-bm", 1, true, NULL},        {"-clamp", 0, true, NULL},
        {"-type", 0, true, NULL},      {"-blendu", 0, false, NULL},   {"-blendv", 0, false, NULL},
        {"-boost", 0, false, NULL},    {"-cc", 0, false, NULL},       {"-imfchan", 0, false, NULL},
        {"-texres", 0, false, NULL},
    };
    for (;;) {
        char *from = at;
        const word w = next_word(&at, end);
        const option *o = NULL;
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            o = is_word(w, options[i].name) ? &options[i] : o;
        }
        if (!o || at == end) {
            return;
        }
        if (o->numbers > 0) {
            read_numbers(o, &at, end);
        } else {
            next_word(&at, end);
        }
        if (!o->stays) {
            memset(from, ' ', (size_t)(at - from));
        }
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool add_map(mrwi_import_mtl *mtl, const mrwi_import_mtl_map *map)
{
    if (mtl->count == mtl->room) {
        const size_t room = 2 * mtl->room + 16;
        void *grown =
            mrwi_base_realloc(mtl->maps, mtl->count * sizeof *mtl->maps, room, sizeof *mtl->maps);
        if (!grown) {
            return false;
        }
        mtl->maps = grown;
        mtl->room = room;
    }
    mtl->maps[mtl->count++] = *map;
    return true;
}

/* Copies the rest of the line. NULL when out of memory. */
static const char *copy_name(mrwi_import_mtl *mtl, const char *at, const char *end)
{
    while (at < end && is_blank(*at)) {
        at++;
    }
    const size_t size = (size_t)(end - at);
    char *out = mrwi_base_arena_alloc(&mtl->names, size + 1, 1);
    if (out) {
        memcpy(out, at, size);
        out[size] = '\0';
    }
    return out;
}

/* The opacity of the current material. */
typedef struct opacity {
    bool d;  /* true if it has a d statement */
    word tr; /* the last Tr, from its name on; empty if there is none */
} opacity;

static void blank_out(char *at, size_t size)
{
    memset(at, ' ', size);
}

/* Reads opacity. d is opacity, Tr is 1 - opacity; assimp uses the last one. If both exist, d
 * counts: some writers give Tr the value of d. The same holds for a Tr of 1 alone, which would hide
 * the material. assimp takes -halo for the number. */
static void read_opacity(word name, char *at, const char *end, opacity *o)
{
    double number = 0.0;
    word w = next_word(&at, end);
    if (is_word(name, "d")) {
        o->d = true;
        if (is_word(w, "-halo")) {
            blank_out(w.at, w.size);
        }
    } else if (!is_word(name, "Tr")) {
        return;
    } else if (mrwi_base_parse_double(w.at, w.size, &number) == w.size && number >= 1.0) {
        blank_out(name.at, (size_t)(end - name.at));
    } else {
        o->tr = (word){name.at, (size_t)(end - name.at)};
    }
    if (o->d && o->tr.size > 0) {
        blank_out(o->tr.at, o->tr.size);
        o->tr.size = 0;
    }
}

/* Reads a line, without white space at its end. *material is the one that statements belong to. */
static bool read_line(char *at, const char *end, const char **material, opacity *o,
                      mrwi_import_mtl *mtl)
{
    const word w = next_word(&at, end);
    if (is_word(w, "newmtl")) {
        *o = (opacity){.d = false};
        *material = copy_name(mtl, at, end);
        return *material;
    }
    if (!*material) { /* assimp crashes on maps without a material */
        blank_out(w.at, (size_t)(end - w.at));
        return true;
    }
    read_opacity(w, at, end, o);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (is_word(w, statements[i].word)) {
            mrwi_import_mtl_map map = {.material = *material,
                                       .kind = statements[i].kind,
                                       .order = mtl->count,
                                       .range = {0.0, 1.0},
                                       .scale = {1.0, 1.0}};
            read_options(at, end, &map);
            return add_map(mtl, &map);
        }
    }
    return true;
}

bool mrwi_import_mtl_read(char *text, size_t size, mrwi_import_mtl *mtl)
{
    static const char blender[] = "# Blender";
    char *const end = text + size;
    const char *material = NULL;
    opacity o = {.d = false};
    mtl->of_blender = mtl->of_blender ||
                      (size > sizeof blender && memcmp(text, blender, sizeof blender - 1) == 0);
    for (char *at = text; at < end;) {
        char *line_end = at;
        while (line_end < end && *line_end != '\n' && *line_end != '\r') {
            line_end++;
        }
        char *last = line_end;
        while (last > at && is_blank(last[-1])) {
            *--last = '\n'; /* assimp would take a space for a part of a picture's name */
        }
        if (!read_line(at, last, &material, &o, mtl)) {
            return false;
        }
        at = line_end + 1;
    }
    return true;
}

/* ---- looking them up ------------------------------------------------------------------------- */

static int compare_keys(const mrwi_import_mtl_map *map, const char *material, unsigned kind)
{
    const int names = strcmp(map->material, material);
    return names != 0 ? names : map->kind < kind ? -1 : map->kind > kind;
}

static int compare_maps(const void *a, const void *b)
{
    const mrwi_import_mtl_map *x = a, *y = b;
    const int keys = compare_keys(x, y->material, y->kind);
    return keys != 0 ? keys : x->order < y->order ? -1 : x->order > y->order;
}

void mrwi_import_mtl_sort(mrwi_import_mtl *mtl)
{
    if (mtl->count > 0) {
        qsort(mtl->maps, mtl->count, sizeof *mtl->maps, compare_maps);
    }
}

const mrwi_import_mtl_map *mrwi_import_mtl_find(const mrwi_import_mtl *mtl, const char *material,
                                                unsigned kind)
{
    size_t low = 0, high = mtl->count; /* the first one after those of the material */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(&mtl->maps[middle], material, kind) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low > 0 && compare_keys(&mtl->maps[low - 1], material, kind) == 0;
    return found ? &mtl->maps[low - 1] : NULL;
}

void mrwi_import_mtl_free(mrwi_import_mtl *mtl)
{
    mrwi_base_free(mtl->maps);
    mrwi_base_arena_free(&mtl->names);
    *mtl = (mrwi_import_mtl){.count = 0};
}
