/* format.c: the table of model formats; detects a file's format, and refuses formats with
 * reasons. */
#include "load/format.h"

#include "base/text.h"
#include "load/format_sniff.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the table ------------------------------------------------------------------------------- */

#define FRAGILE "its importer crashes on damaged files more often than others do"
#define STATIC  "no available importer reads its skeletons and clips"
#define BLENDER                                                                                    \
    "import it into Blender and export glTF: blender --background --python-expr \"import bpy; "    \
    "bpy.ops.wm.read_factory_settings(use_empty=True); "
#define BLENDER_END "; bpy.ops.export_scene.gltf(filepath='out.glb')\""
#define EXPORT      "export the model as .glb, for instance with Blender"

/* The formats in the order in which they are tried: if two rows accept a content, the first wins.
 * Rows that are detected by little (a brace, a size) come after those with a magic number. */
static const mrwi_load_format formats[] = {
    /* formats that are read */
    {"gltf", "glTF 2.0", "gltf glb vrm", mrwi_load_is_gltf, MRWI_LOAD_READER_GLTF, false, NULL,
     NULL, NULL},
    {"fbx", "FBX", "fbx", mrwi_load_is_fbx, MRWI_LOAD_READER_ASSIMP, false,
     "marrow reads little-endian FBX 7.1 (FBX 2011) or newer",
     "convert it with Autodesk's FBX Converter (to FBX 2013), or export the model as .glb",
     mrwi_load_fbx_too_old},
    {"collada", "Collada", "dae", mrwi_load_is_collada, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL,
     NULL},
    {"b3d", "B3D", "b3d", mrwi_load_is_b3d, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"bvh", "BVH", "bvh", mrwi_load_is_bvh, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"ms3d", "MS3D", "ms3d", mrwi_load_is_ms3d, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"smd", "SMD", "smd vta", mrwi_load_is_smd, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"m3d", "M3D (text)", "m3d", mrwi_load_is_m3d_text, MRWI_LOAD_READER_M3D, false, NULL, NULL,
     NULL},
    {"iqm", "IQM", "iqm", mrwi_load_is_iqm, MRWI_LOAD_READER_IQM, false, NULL, NULL, NULL},
    {"marrow", "a compiled scene", "marrow", mrwi_load_is_marrow, MRWI_LOAD_READER_MARROW, false,
     NULL, NULL, NULL},

    /* parts of models, before the formats that they resemble */
    {NULL, "an MD5 camera", "md5camera", mrwi_load_is_md5_camera, MRWI_LOAD_READER_NONE, false,
     "it contains no mesh", "give the .md5mesh, and the .md5anim with --anim", NULL},
    {NULL, "an Ogre skeleton", "skeleton skeleton.xml", mrwi_load_is_ogre_skeleton,
     MRWI_LOAD_READER_NONE, false, "it contains no mesh", "give the .mesh that uses it", NULL},
    {NULL, "a sequence group of an MDL", "", mrwi_load_is_mdl_part, MRWI_LOAD_READER_NONE, false,
     "it contains no mesh", "give the .mdl it belongs to (man.mdl for man01.mdl)", NULL},

    /* formats that are read on request */
    {"md5", "MD5", "md5mesh md5anim", mrwi_load_is_md5, MRWI_LOAD_READER_ASSIMP, true, FRAGILE,
     NULL, NULL},
    {"x", "DirectX .x", "x", mrwi_load_is_x, MRWI_LOAD_READER_ASSIMP, true, FRAGILE, NULL, NULL},
    {"ogre", "an Ogre mesh", "mesh mesh.xml", mrwi_load_is_ogre, MRWI_LOAD_READER_ASSIMP, true,
     FRAGILE, NULL, NULL},
    {"mdl", "Half-Life 1 MDL", "mdl", mrwi_load_is_mdl, MRWI_LOAD_READER_ASSIMP, true, FRAGILE,
     NULL, NULL},

    /* formats that are refused */
    {"mdl-other", "an MDL of an engine other than Half-Life 1", "", mrwi_load_is_mdl_other,
     MRWI_LOAD_READER_NONE, false, STATIC,
     "decompile it to .smd with Crowbar (Source engine), or " EXPORT, NULL},
    {"m3d-binary", "a binary Model 3D file (bzt's M3D)", "a3d", mrwi_load_is_m3d_binary,
     MRWI_LOAD_READER_NONE, false, "marrow reads only the text format that is also called M3D",
     "export the model as .glb from the program that made it", NULL},
    {"iqe", "IQE, the text source of IQM", "iqe", mrwi_load_is_iqe, MRWI_LOAD_READER_NONE, false,
     "marrow reads only IQM", "compile it with the IQM developer kit: iqm out.iqm in.iqe", NULL},
    {"md2", "MD2", "md2", mrwi_load_is_md2, MRWI_LOAD_READER_NONE, false, STATIC, EXPORT, NULL},
    {"md3", "MD3", "md3", mrwi_load_is_md3, MRWI_LOAD_READER_NONE, false, STATIC, EXPORT, NULL},
    {"pmx", "PMX", "pmx", mrwi_load_is_pmx, MRWI_LOAD_READER_NONE, false, STATIC,
     "import it into Blender (add-on MMD Tools) and export .glb", NULL},
    {"pmd", "PMD", "pmd", mrwi_load_is_pmd, MRWI_LOAD_READER_NONE, false, STATIC,
     "import it into Blender (add-on MMD Tools) and export .glb", NULL},
    {"opengex", "OpenGEX", "ogex", mrwi_load_is_opengex, MRWI_LOAD_READER_NONE, false, STATIC,
     EXPORT, NULL},
    {"ply", "PLY", "ply", mrwi_load_is_ply, MRWI_LOAD_READER_NONE, false,
     "its importer hangs on damaged files",
     BLENDER "bpy.ops.wm.ply_import(filepath='in.ply')" BLENDER_END, NULL},
    {"off", "OFF", "off", mrwi_load_is_off, MRWI_LOAD_READER_NONE, false, STATIC, EXPORT, NULL},
    {"lwo", "LightWave LWO", "lwo lxo", mrwi_load_is_lwo, MRWI_LOAD_READER_NONE, false, STATIC,
     EXPORT, NULL},
    {"lws", "a LightWave scene", "lws mot", mrwi_load_is_lws, MRWI_LOAD_READER_NONE, false, STATIC,
     EXPORT, NULL},
    {"ase", "ASE", "ase ask", mrwi_load_is_ase, MRWI_LOAD_READER_NONE, false, STATIC, EXPORT, NULL},
    {"usd", "USD", "usd usda usdc usdz", mrwi_load_is_usd, MRWI_LOAD_READER_NONE, false,
     "no available importer reads it",
     BLENDER "bpy.ops.wm.usd_import(filepath='in.usd')" BLENDER_END, NULL},
    {"blend", "a Blender file", "blend", mrwi_load_is_blender, MRWI_LOAD_READER_NONE, false,
     "only Blender reads all of it",
     "export it: blender --background in.blend --python-expr \"import bpy; "
     "bpy.ops.export_scene.gltf(filepath='out.glb')\"",
     NULL},
    {"maya", "a Maya file", "ma mb", mrwi_load_is_maya, MRWI_LOAD_READER_NONE, false,
     "only Maya reads it", "export it from Maya as FBX", NULL},
    {"max", "a 3ds Max file", "max", NULL, MRWI_LOAD_READER_NONE, false, "only 3ds Max reads it",
     "export it from 3ds Max as FBX", NULL},
    {"c4d", "a Cinema 4D file", "c4d", NULL, MRWI_LOAD_READER_NONE, false,
     "only Cinema 4D reads it", "export it from Cinema 4D as FBX or .glb", NULL},
    {"alembic", "Alembic", "abc", NULL, MRWI_LOAD_READER_NONE, false, "it contains no skeleton",
     BLENDER "bpy.ops.wm.alembic_import(filepath='in.abc')" BLENDER_END, NULL},
    {"irrlicht", "an Irrlicht file", "irr irrmesh", mrwi_load_is_irrlicht, MRWI_LOAD_READER_NONE,
     false, STATIC, EXPORT, NULL},
    {"x3d", "X3D or VRML", "x3d x3db x3dv wrl", NULL, MRWI_LOAD_READER_NONE, false, STATIC,
     "import it into Blender (add-on X3D) and export .glb", NULL},
    {"dxf", "DXF", "dxf", NULL, MRWI_LOAD_READER_NONE, false, STATIC, EXPORT, NULL},
    {"cob", "trueSpace", "cob scn", NULL, MRWI_LOAD_READER_NONE, false, FRAGILE, EXPORT, NULL},
    {"csm", "a CharacterStudio motion", "csm", NULL, MRWI_LOAD_READER_NONE, false, FRAGILE,
     "import the motion into Blender or MotionBuilder and export BVH or FBX", NULL},
    {"3mf", "3MF", "3mf", NULL, MRWI_LOAD_READER_NONE, false, FRAGILE,
     "import it into Blender (add-on 3MF) and export .glb", NULL},
    {"step", "STEP or IFC", "step stp ifc ifczip", NULL, MRWI_LOAD_READER_NONE, false,
     "it describes solids, not triangles", "mesh it in FreeCAD and export .glb", NULL},
    {"assbin", "an Assimp binary dump", "assbin assxml", NULL, MRWI_LOAD_READER_NONE, false,
     FRAGILE, "export the original model as .glb", NULL},
    {"archive", "an archive", "zip gz 7z rar zae xz zst tgz", mrwi_load_is_zip,
     MRWI_LOAD_READER_NONE, false, "marrow reads models, not archives",
     "unpack it and give the model file inside", NULL},
    {"gzip", "gzip-compressed", "", mrwi_load_is_gzip, MRWI_LOAD_READER_NONE, false,
     "marrow reads models, not archives", "unpack it with gunzip", NULL},
    {"picture", "a picture", "png jpg jpeg tga bmp gif webp dds ktx ktx2 psd", mrwi_load_is_picture,
     MRWI_LOAD_READER_NONE, false, "it contains no model", "give the model file", NULL},
    {"material", "a material file", "mtl material", NULL, MRWI_LOAD_READER_NONE, false,
     "it contains no model", "give the model file that uses it", NULL},

    /* formats that are read but detected by little */
    {"3ds", "3DS", "3ds prj", mrwi_load_is_3ds, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"obj", "OBJ", "obj", mrwi_load_is_obj, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"stl", "STL", "stl", mrwi_load_is_stl, MRWI_LOAD_READER_ASSIMP, false, NULL, NULL, NULL},
    {"xml", "an XML file of an unknown kind", "xml", mrwi_load_is_xml, MRWI_LOAD_READER_NONE, false,
     STATIC, EXPORT, NULL},
};

#define FORMAT_COUNT (sizeof formats / sizeof *formats)

size_t mrw_model_format_count(void)
{
    return FORMAT_COUNT;
}

mrw_model_format mrw_model_format_at(size_t index)
{
    const mrwi_load_format *format = &formats[index];
    const bool read = format->reader != MRWI_LOAD_READER_NONE;
    return (mrw_model_format){.name = format->name,
                              .title = format->title,
                              .extensions = format->extensions,
                              .read = read,
                              .ask = format->ask,
                              .imported = format->reader == MRWI_LOAD_READER_ASSIMP,
                              .reason = read && !format->ask ? NULL : format->reason,
                              .remedy = read && !format->ask ? NULL : format->remedy};
}

/* Returns true if a list in messages contains the format. Lists have the order of the table. */
static bool listed(const mrwi_load_format *f, bool ask)
{
    return f->reader != MRWI_LOAD_READER_NONE && f->ask == ask;
}

static void append(char *out, size_t size, const char *text, size_t length)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%.*s", (int)length, text);
}

const char *mrwi_load_format_list(bool ask, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (listed(&formats[i], ask)) {
            append(out, size, ", ", out[0] != '\0' ? 2 : 0);
            append(out, size, formats[i].title, strlen(formats[i].title));
        }
    }
    return out;
}

/* Writes the names that options understand: "fbx, collada". */
static const char *name_list(bool ask, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (listed(&formats[i], ask)) {
            append(out, size, ", ", out[0] != '\0' ? 2 : 0);
            append(out, size, formats[i].name, strlen(formats[i].name));
        }
    }
    return out;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Returns true for "robot.mesh.xml" and "mesh.xml". */
static bool ends_in(const char *name, const char *extension, size_t length)
{
    size_t end = strlen(name);
    return end > length && name[end - length - 1] == '.' &&
           strncasecmp(name + end - length, extension, length) == 0;
}

/* Returns the length of the longest extension of a row that the name ends in: "mesh.xml" beats
 * "xml". */
static size_t extension_match(const mrwi_load_format *format, const char *name)
{
    size_t best = 0;
    for (const char *at = format->extensions; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length > best && ends_in(name, at, length)) {
            best = length;
        }
        at += length + strspn(at + length, " ");
    }
    return best;
}

static const mrwi_load_format *by_extension(const char *name)
{
    const mrwi_load_format *found = NULL;
    size_t best = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        size_t length = extension_match(&formats[i], name);
        if (length > best) {
            best = length;
            found = &formats[i];
        }
    }
    return found;
}

/* Finds a format by a name from an option: the short name or an extension, in any case. */
static const mrwi_load_format *by_name(const char *name, size_t length)
{
    char dotted[40];
    snprintf(dotted, sizeof dotted, ".%.*s", (int)length, name);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const char *own = formats[i].name;
        if (own && strlen(own) == length && strncasecmp(own, name, length) == 0) {
            return &formats[i];
        }
    }
    const mrwi_load_format *format = length < sizeof dotted - 2 ? by_extension(dotted) : NULL;
    return format && extension_match(format, dotted) == length ? format : NULL;
}

static size_t skip_space(const uint8_t *bytes, size_t size)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size &&
           (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n')) {
        at++;
    }
    return at;
}

/* Returns true for container formats that others are based on: the extension says more. */
static bool is_container(const mrwi_load_format *format)
{
    return format->is == mrwi_load_is_zip || format->is == mrwi_load_is_gzip ||
           format->is == mrwi_load_is_xml;
}

const mrwi_load_format *mrwi_load_format_tell(const uint8_t *bytes, size_t size, const char *name,
                                              const mrw_load_def *def)
{
    if (def->input_format) {
        return by_name(def->input_format, strlen(def->input_format));
    }
    size_t at = skip_space(bytes, size);
    const mrwi_load_format *named = by_extension(name);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const mrwi_load_format *f = &formats[i];
        if (f->is && (f->is(bytes + at, size - at) || f->is(bytes, size))) {
            bool refine = is_container(f) && named && named->reader == MRWI_LOAD_READER_NONE;
            return refine ? named : f;
        }
    }
    return named;
}

/* ---- refusing -------------------------------------------------------------------------------- */

/* Returns true if the list of def->formats contains the format. */
static bool asked_for(const mrwi_load_format *format, const char *list)
{
    for (const char *at = list; at && *at != '\0';) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ", ");
        if ((length == 3 && strncasecmp(at, "all", 3) == 0) ||
            (length > 0 && by_name(at, length) == format)) {
            return true;
        }
        at += length;
    }
    return false;
}

static mrw_status fail_unknown(const char *name, mrw_error *error)
{
    char plain[300], ask[200];
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: unknown format; marrow reads %s, and with --allow-format also %s; "
                          "if the file is one of these, give its format with --input-format",
                          name, mrwi_load_format_list(false, plain, sizeof plain),
                          mrwi_load_format_list(true, ask, sizeof ask));
}

static mrw_status fail_input_format(const char *format, mrw_error *error)
{
    char shown[60], plain[200], ask[100];
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "--input-format %s: unknown format; expected one of %s, %s",
                          mrwi_base_escape(format, shown, sizeof shown),
                          name_list(false, plain, sizeof plain), name_list(true, ask, sizeof ask));
}

static mrw_status fail_refused(const mrwi_load_format *format, const char *name, mrw_error *error)
{
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: this is %s, which marrow does not read: %s; %s", name, format->title,
                          format->reason, format->remedy);
}

mrw_status mrwi_load_format_check(const mrwi_load_format *format, const uint8_t *bytes, size_t size,
                                  const char *name, const mrw_load_def *def, mrw_error *error)
{
    char shown[300], version[64];
    mrwi_base_escape(name, shown, sizeof shown);
    if (!format && def->input_format) {
        return fail_input_format(def->input_format, error);
    }
    if (size == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the file is empty; copy or export the model again", shown);
    }
    if (!format) {
        return fail_unknown(shown, error);
    }
    if (format->reader == MRWI_LOAD_READER_NONE) {
        return fail_refused(format, shown, error);
    }
    if (format->ask && !asked_for(format, def->formats)) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: this is %s, which is read only with --allow-format %s, because %s", shown,
            format->title, format->name, format->reason);
    }
    if (format->too_old && format->too_old(bytes, size, version, sizeof version)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this is %s: %s; %s", shown, version,
                              format->reason, format->remedy);
    }
    if (format->reader == MRWI_LOAD_READER_GLTF &&
        !mrwi_load_is_gltf(bytes + skip_space(bytes, size), size - skip_space(bytes, size))) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: this is not glTF (a .glb begins with the letters glTF, a .gltf "
                              "with a brace); give another file, or fetch this one again",
                              shown);
    }
    return MRW_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

static mrw_status check_name(const char *option, const char *name, size_t length, bool reads_all,
                             mrw_error *error)
{
    char shown[60], text[60], ask[200], plain[200];
    const mrwi_load_format *format = by_name(name, length);
    if (format && format->reader != MRWI_LOAD_READER_NONE) {
        return MRW_OK;
    }
    snprintf(text, sizeof text, "%.*s", (int)(length < 50 ? length : 50), name);
    mrwi_base_escape(text, shown, sizeof shown);
    name_list(true, ask, sizeof ask);
    if (reads_all) {
        append(ask, sizeof ask, ", ", 2);
        name_list(false, plain, sizeof plain);
        append(ask, sizeof ask, plain, strlen(plain));
    }
    if (format) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "%s %s: %s is not supported: %s; expected one of %s%s", option, shown,
                              format->title, format->reason, ask, reads_all ? "" : ", all");
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "%s %s: unknown format; expected one of %s%s",
                          option, shown, ask, reads_all ? "" : ", all");
}

mrw_status mrw_load_def_check(const mrw_load_def *def, mrw_error *error)
{
    for (const char *at = def->formats; at && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const bool all = length == 3 && strncasecmp(at, "all", 3) == 0;
        mrw_status status = all ? MRW_OK : check_name("--allow-format", at, length, false, error);
        if (status) {
            return status;
        }
        at += length + (at[length] == ',');
    }
    return def->input_format ? check_name("--input-format", def->input_format,
                                          strlen(def->input_format), true, error)
                             : MRW_OK;
}
