/* format.c: telling a model file's format by its content. */
#include "load/format.h"

#include "load/glb.h"

#include <string.h>
#include <strings.h>

typedef struct magic {
    const char *bytes;
    size_t size;
    const char *format;
} magic;

#define MAGIC(text, format)                                                                        \
    {                                                                                              \
        text, sizeof text - 1, format                                                              \
    }

static const magic magics[] = {
    MAGIC("Kaydara FBX Binary", "FBX"),
    MAGIC("; FBX", "FBX (text)"),
    MAGIC("BLENDER", "a Blender file"),
    MAGIC("MD5Version", "MD5"),
    MAGIC("IDP2", "MD2"),
    MAGIC("IDP3", "MD3"),
    MAGIC("IDST", "Half-Life MDL"),
    MAGIC("xof ", "DirectX .x"),
    MAGIC("INTERQUAKEMODEL", "IQM"),
    MAGIC("BB3D", "B3D"),
    MAGIC("MS3D000000", "MS3D"),
    MAGIC("PMX ", "PMX"),
    MAGIC("Pmd", "PMD"),
    MAGIC("HIERARCHY", "BVH"),
    MAGIC("***************m3d-File-Header", "M3D (text)"),
    MAGIC("3DMO", "Model 3D"),
    MAGIC("FORM", "LWO"),
    MAGIC("solid ", "STL"),
    MAGIC("ply", "PLY"),
    MAGIC("#usda", "USD"),
    MAGIC("PXR-USDC", "USD"),
    MAGIC("<COLLADA", "Collada"),
    MAGIC("PK\x03\x04", "a ZIP archive"),
    MAGIC("\x1f\x8b", "gzip-compressed"),
    MAGIC("\x89PNG", "a PNG picture"),
    MAGIC("\xff\xd8\xff", "a JPEG picture"),
    MAGIC("[serializable class OgreSerializer", "Ogre"),
};

static const char *const extensions[][2] = {
    {"fbx", "FBX"},
    {"dae", "Collada"},
    {"obj", "OBJ"},
    {"stl", "STL"},
    {"3ds", "3DS"},
    {"x", "DirectX .x"},
    {"md5mesh", "MD5"},
    {"md5anim", "MD5"},
    {"smd", "SMD"},
    {"vta", "SMD"},
    {"bvh", "BVH"},
    {"b3d", "B3D"},
    {"ms3d", "MS3D"},
    {"mdl", "MDL"},
    {"md2", "MD2"},
    {"md3", "MD3"},
    {"iqm", "IQM"},
    {"pmx", "PMX"},
    {"pmd", "PMD"},
    {"ply", "PLY"},
    {"lwo", "LWO"},
    {"lws", "LWS"},
    {"ase", "ASE"},
    {"ogex", "OpenGEX"},
    {"usd", "USD"},
    {"usda", "USD"},
    {"usdc", "USD"},
    {"usdz", "USD"},
    {"vrm", "VRM"},
    {"abc", "Alembic"},
    {"blend", "a Blender file"},
    {"m3d", "M3D"},
    {"xml", "XML"},
    {"c4d", "a Cinema 4D file"},
    {"ma", "a Maya file"},
    {"mb", "a Maya file"},
    {"max", "a 3ds Max file"},
    {"skeleton", "Ogre"},
    {"mesh", "Ogre"},
};

static size_t skip_space(const uint8_t *bytes, size_t size)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size &&
           (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n')) {
        at++;
    }
    return at;
}

bool mrwi_format_is_gltf(const uint8_t *bytes, size_t size)
{
    size_t at = skip_space(bytes, size);
    return mrwi_glb_is(bytes, size) || (at < size && bytes[at] == '{');
}

static const char *file_extension(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strchr(dot, '/') == NULL ? dot + 1 : "";
}

const char *mrwi_format_foreign(const uint8_t *bytes, size_t size, const char *name)
{
    size_t at = skip_space(bytes, size);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        if (size - at >= magics[i].size &&
            memcmp(bytes + at, magics[i].bytes, magics[i].size) == 0) {
            return magics[i].format;
        }
    }
    const char *extension = file_extension(name);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (strcasecmp(extension, extensions[i][0]) == 0) {
            return extensions[i][1];
        }
    }
    return NULL;
}

bool mrwi_format_named_gltf(const char *name)
{
    const char *extension = file_extension(name);
    return strcasecmp(extension, "glb") == 0 || strcasecmp(extension, "gltf") == 0;
}
