/* format_sniff.c: detects a model's format by its content. */
#include "load/format_sniff.h"

#include "load/glb.h"

#include <stdio.h>
#include <string.h>

#define WINDOW 65536u

static bool starts(const uint8_t *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

#define STARTS(magic) starts(bytes, size, magic, sizeof magic - 1)

/* Returns true if the first 64 KiB contain the text. */
static bool holds(const uint8_t *bytes, size_t size, const char *text)
{
    return memmem(bytes, size < WINDOW ? size : WINDOW, text, strlen(text));
}

static uint32_t little_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- XML ------------------------------------------------------------------------------------- */

/* Returns the offset after the next `end`, from `at` on, or size. */
static size_t skip_past(const uint8_t *bytes, size_t size, size_t at, const char *end)
{
    const uint8_t *found = memmem(bytes + at, size - at, end, strlen(end));
    return found ? (size_t)(found - bytes) + strlen(end) : size;
}

/* Returns true if the document's first element is `name`, after declarations and comments. */
static bool has_root(const uint8_t *bytes, size_t size, const char *name)
{
    size_t at = 0, length = strlen(name);
    size = size < WINDOW ? size : WINDOW;
    while (at < size) {
        if (strchr(" \t\r\n", bytes[at]) && bytes[at] != '\0') {
            at++;
        } else if (starts(bytes + at, size - at, "<!--", 4)) {
            at = skip_past(bytes, size, at, "-->");
        } else if (starts(bytes + at, size - at, "<?", 2) ||
                   starts(bytes + at, size - at, "<!", 2)) {
            at = skip_past(bytes, size, at, ">");
        } else {
            return size - at > length + 1 && bytes[at] == '<' &&
                   memcmp(bytes + at + 1, name, length) == 0 &&
                   strchr(" \t\r\n/>", bytes[at + 1 + length]);
        }
    }
    return false;
}

bool mrwi_load_is_xml(const uint8_t *bytes, size_t size)
{
    return STARTS("<?xml");
}

bool mrwi_load_is_collada(const uint8_t *bytes, size_t size)
{
    return has_root(bytes, size, "COLLADA");
}

bool mrwi_load_is_irrlicht(const uint8_t *bytes, size_t size)
{
    return has_root(bytes, size, "irr_scene") ||
           (has_root(bytes, size, "mesh") && holds(bytes, size, "irrlicht"));
}

/* ---- formats that are read ------------------------------------------------------------------- */

bool mrwi_load_is_gltf(const uint8_t *bytes, size_t size)
{
    return mrwi_load_glb_is(bytes, size) || (size > 0 && bytes[0] == '{');
}

#define FBX_BINARY "Kaydara FBX Binary  "

bool mrwi_load_is_fbx(const uint8_t *bytes, size_t size)
{
    return STARTS(FBX_BINARY) || STARTS("; FBX") ||
           (size > 0 && bytes[0] == ';' && holds(bytes, size, "FBXHeaderExtension:"));
}

bool mrwi_load_is_b3d(const uint8_t *bytes, size_t size)
{
    return STARTS("BB3D");
}

bool mrwi_load_is_bvh(const uint8_t *bytes, size_t size)
{
    return STARTS("HIERARCHY");
}

bool mrwi_load_is_ms3d(const uint8_t *bytes, size_t size)
{
    return STARTS("MS3D000000");
}

bool mrwi_load_is_smd(const uint8_t *bytes, size_t size)
{
    return STARTS("version 1") && (holds(bytes, size, "nodes") || holds(bytes, size, "skeleton"));
}

/* Looks for the statements that an OBJ begins with. A bare "o" or "g" could be any text. */
bool mrwi_load_is_obj(const uint8_t *bytes, size_t size)
{
    size = size < WINDOW ? size : WINDOW;
    size_t at = 0;
    while (at < size && (bytes[at] == '#' || bytes[at] == '\r' || bytes[at] == '\n')) {
        at = skip_past(bytes, size, at, "\n");
    }
    const uint8_t *line = bytes + at;
    return starts(line, size - at, "mtllib ", 7) ||
           (starts(line, size - at, "v ", 2) && size - at > 3 &&
            strchr(" +-.0123456789", line[2]) && line[2] != '\0');
}

/* Accepts text, or 80 bytes of anything followed by as many 50-byte triangles as the count says. */
bool mrwi_load_is_stl(const uint8_t *bytes, size_t size)
{
    if (STARTS("solid") && (holds(bytes, size, "facet") || holds(bytes, size, "endsolid"))) {
        return true;
    }
    return size >= 84 && size == 84 + (uint64_t)little_u32(bytes + 80) * 50;
}

/* Looks for the main chunk, which fills the file, then its version or the editor's chunk. */
bool mrwi_load_is_3ds(const uint8_t *bytes, size_t size)
{
    return size >= 12 && STARTS("MM") && little_u32(bytes + 2) <= size &&
           (starts(bytes + 6, 2, "\x02\x00", 2) || starts(bytes + 6, 2, "\x3d\x3d", 2));
}

bool mrwi_load_is_iqm(const uint8_t *bytes, size_t size)
{
    return STARTS("INTERQUAKEMODEL");
}

bool mrwi_load_is_m3d_text(const uint8_t *bytes, size_t size)
{
    return STARTS("***************m3d-File-Header");
}

bool mrwi_load_is_marrow(const uint8_t *bytes, size_t size)
{
    return STARTS("\x8dmarrow\n");
}

/* ---- formats that are read when asked for ---------------------------------------------------- */

bool mrwi_load_is_md5_camera(const uint8_t *bytes, size_t size)
{
    return STARTS("MD5Version") && holds(bytes, size, "numCuts");
}

bool mrwi_load_is_md5(const uint8_t *bytes, size_t size)
{
    return STARTS("MD5Version");
}

bool mrwi_load_is_x(const uint8_t *bytes, size_t size)
{
    return STARTS("xof ");
}

bool mrwi_load_is_ogre(const uint8_t *bytes, size_t size)
{
    return STARTS("\x00\x10[MeshSerializer_v") ||
           (has_root(bytes, size, "mesh") &&
            (holds(bytes, size, "<submeshes") || holds(bytes, size, "<sharedgeometry")));
}

bool mrwi_load_is_ogre_skeleton(const uint8_t *bytes, size_t size)
{
    return STARTS("\x00\x10[Serializer_v") || has_root(bytes, size, "skeleton");
}

/* Half-Life 1 wrote version 10. The same letters with a greater number are another engine's. */
bool mrwi_load_is_mdl(const uint8_t *bytes, size_t size)
{
    return STARTS("IDST\x0a\x00\x00\x00");
}

bool mrwi_load_is_mdl_part(const uint8_t *bytes, size_t size)
{
    return STARTS("IDSQ");
}

bool mrwi_load_is_mdl_other(const uint8_t *bytes, size_t size)
{
    return STARTS("IDST") || STARTS("IDPO") || STARTS("MDL2") || STARTS("MDL3") || STARTS("MDL4") ||
           STARTS("MDL5") || STARTS("MDL7");
}

/* ---- formats that are refused ---------------------------------------------------------------- */

bool mrwi_load_is_m3d_binary(const uint8_t *bytes, size_t size)
{
    return STARTS("3DMO") || STARTS("3dmodel ");
}

bool mrwi_load_is_md2(const uint8_t *bytes, size_t size)
{
    return STARTS("IDP2");
}

bool mrwi_load_is_md3(const uint8_t *bytes, size_t size)
{
    return STARTS("IDP3");
}

bool mrwi_load_is_iqe(const uint8_t *bytes, size_t size)
{
    return STARTS("# Inter-Quake Export");
}

bool mrwi_load_is_ply(const uint8_t *bytes, size_t size)
{
    return STARTS("ply\n") || STARTS("ply\r");
}

bool mrwi_load_is_off(const uint8_t *bytes, size_t size)
{
    return STARTS("OFF\n") || STARTS("OFF\r") || STARTS("OFF ");
}

bool mrwi_load_is_pmx(const uint8_t *bytes, size_t size)
{
    return STARTS("PMX ");
}

bool mrwi_load_is_pmd(const uint8_t *bytes, size_t size)
{
    return STARTS("Pmd\x00") || STARTS("Pmd\x80");
}

bool mrwi_load_is_lwo(const uint8_t *bytes, size_t size)
{
    return STARTS("FORM") && size >= 12 && memcmp(bytes + 8, "LWO", 3) == 0;
}

bool mrwi_load_is_lws(const uint8_t *bytes, size_t size)
{
    return STARTS("LWSC") || STARTS("LWMO");
}

bool mrwi_load_is_ase(const uint8_t *bytes, size_t size)
{
    return STARTS("*3DSMAX_ASCIIEXPORT");
}

bool mrwi_load_is_opengex(const uint8_t *bytes, size_t size)
{
    return STARTS("Metric") && holds(bytes, size, "key");
}

bool mrwi_load_is_usd(const uint8_t *bytes, size_t size)
{
    return STARTS("#usda") || STARTS("PXR-USDC");
}

bool mrwi_load_is_blender(const uint8_t *bytes, size_t size)
{
    return STARTS("BLENDER");
}

bool mrwi_load_is_maya(const uint8_t *bytes, size_t size)
{
    return STARTS("//Maya");
}

bool mrwi_load_is_zip(const uint8_t *bytes, size_t size)
{
    return STARTS("PK\x03\x04");
}

bool mrwi_load_is_gzip(const uint8_t *bytes, size_t size)
{
    return STARTS("\x1f\x8b");
}

bool mrwi_load_is_picture(const uint8_t *bytes, size_t size)
{
    return STARTS("\x89PNG") || STARTS("\xff\xd8\xff") || STARTS("DDS ") || STARTS("GIF8") ||
           STARTS("RIFF") || STARTS("\xabKTX");
}

/* ---- FBX versions ---------------------------------------------------------------------------- */

#define FBX_OLDEST 7100u

/* Returns the decimal number after `key`, or 0. */
static unsigned number_behind(const uint8_t *bytes, size_t size, const char *key)
{
    size = size < WINDOW ? size : WINDOW;
    size_t at = skip_past(bytes, size, 0, key);
    unsigned number = 0;
    while (at < size && bytes[at] == ' ') {
        at++;
    }
    for (; at < size && bytes[at] >= '0' && bytes[at] <= '9' && number < 100000; at++) {
        number = number * 10 + (unsigned)(bytes[at] - '0');
    }
    return number;
}

/* Finds the version in text files: "; FBX 7.7.0 project file." and, mostly, "FBXVersion: 7700". */
static unsigned text_version(const uint8_t *bytes, size_t size)
{
    unsigned version = number_behind(bytes, size, "FBXVersion:");
    if (version == 0 && size > 8 && STARTS("; FBX ") && bytes[7] == '.') {
        version = (unsigned)(bytes[6] - '0') * 1000;
        version += bytes[8] >= '0' && bytes[8] <= '9' ? (unsigned)(bytes[8] - '0') * 100 : 0;
    }
    return version;
}

/* Reads a binary header: 21 bytes of magic, 0x1a, a byte that is 1 in big-endian files, the
 * version. */
bool mrwi_load_fbx_too_old(const uint8_t *bytes, size_t size, char *version, size_t room)
{
    bool binary = STARTS(FBX_BINARY) && size >= 27;
    bool big_endian = binary && bytes[22] == 1;
    unsigned number = 0;
    if (big_endian) {
        number = (unsigned)bytes[25] << 8 | bytes[26];
    } else if (binary) {
        number = little_u32(bytes + 23);
    } else {
        number = text_version(bytes, size);
    }
    if (number == 0 || (number >= FBX_OLDEST && !big_endian)) {
        return false;
    }
    snprintf(version, room, "%s FBX of version %u.%u%s", binary ? "a binary" : "a text",
             number / 1000, number / 100 % 10, big_endian ? " in big-endian order" : "");
    return true;
}
