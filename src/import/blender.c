/* blender.c: materials of FBX files that Blender 2.80 or later has written.
 *
 * Its exporter squeezes the Principled BSDF into Phong's numbers, and its importer takes them out
 * again (io_scene_fbx, export_fbx_bin.py and import_fbx.py):
 *
 *   ShininessExponent  (10 (1 - roughness))^2
 *   SpecularFactor     half of "Specular", which is 1 for a reflectance of 0.08
 *   ReflectionFactor   metallic
 *   SpecularColor      the base colour, which means nothing
 *
 * Read as Phong, rough cloth would be smooth, and metals would be matt. */
#include "import/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool mrwi_import_has_principled(const mrwi_import_source *source)
{
    static const char name[] = "Blender";
    const char *made_by = mrwi_import_word(source->scene->mMetaData, "SourceAsset_Generator");
    const char *version = strstr(made_by, " - "); /* "Blender (stable FBX IO) - 3.4.0 - 4.37.1" */
    int major, minor;
    return source->is_fbx && strncmp(made_by, name, sizeof name - 1) == 0 && version &&
           sscanf(version, " - %d.%d", &major, &minor) == 2 &&
           (major > 2 || (major == 2 && minor >= 80));
}

static float clamp_part(float x)
{
    return !(x > 0.0f) ? 0.0f : x < 1.0f ? x : 1.0f;
}

void mrwi_import_read_principled(float exponent, float specular, float reflection,
                                 mrw_material *out)
{
    const float r = sqrtf(0.16f * clamp_part(specular));
    float *factor = out->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
    out->maps[MRW_MAP_SPECULAR] = mrw_material_default().maps[MRW_MAP_SPECULAR];
    out->ior = (1.0f + r) / (1.0f - r);
    factor[1] = 1.0f - 0.1f * sqrtf(100.0f * clamp_part(0.01f * exponent));
    factor[2] = clamp_part(reflection);
}
