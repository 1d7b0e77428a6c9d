/* colors.c: the encoding of a file's colours.
 *
 * Authors chose the colours of classic formats by eye, on screens, in programs that sent the
 * numbers to the screen unchanged. So they are sRGB: (0.133, 0.545, 0.133) is CSS's ForestGreen
 * #228b22. three.js decodes the colours of materials, lights and vertices in FBX, Collada, OBJ and
 * 3DS files in this way, and so does marrow. It also decodes those of X, B3D, MS3D and Ogre, whose
 * engines knew nothing else.
 *
 * Blender's exporters of FBX, Collada and OBJ write the numbers of its materials and lights
 * unchanged, and those are linear: a new material of 2.79, 2.9 and 3.4 is 0.8 in their files (0.64
 * where Blender Internal's intensity of 0.8 is multiplied in), which Blender shows as #e7e7e7.
 * three.js shows it as #cccccc. The colours of vertices are sRGB in Blender's files, too: bytes up
 * to version 3.3, and later converted by the exporters.
 *
 * These are not decoded:
 * - glTF's, by its specification.
 * - Colours of physically based materials in FBX (Stingray, 3ds Max's physical): those come from
 *   colour-managed renderers.
 * - M3D's diffuse albedos, by which the book's shader multiplies light.
 * - The grey that assimp invents: for a file without a material, and for a material of an OBJ file
 *   without Kd (beside a texture it is white, as in three.js). SMD, MD5, MDL, STL and BVH have no
 *   other colours.
 *
 * FBX factors are part of their colour (DiffuseFactor, SpecularFactor, EmissiveFactor): its own
 * programs multiplied before they showed it. */
#include "base/text.h"
#include "image/color.h"
#include "import/import.h"

#include <stdio.h>
#include <string.h>

static bool is_classic(const char *format)
{
    static const char *const formats[] = {"fbx", "collada", "obj",  "3ds",
                                          "x",   "b3d",     "ms3d", "ogre"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true for files of Blender. FBX names it as its Creator, Collada as its authoring_tool,
 * OBJ's libraries in their first line. */
static bool is_of_blender(const mrwi_import_source *source)
{
    static const char name[] = "Blender";
    const char *made_by = mrwi_import_word(source->scene->mMetaData, "SourceAsset_Generator");
    return source->extras.mtl.of_blender || strncmp(made_by, name, sizeof name - 1) == 0;
}

/* Reports the encoding. A file with clips alone has no colours to report. */
static void tell(const mrwi_import_source *source, bool srgb, const char *why)
{
    const mrw_load_def *def = source->job->def;
    char name[300], text[500];
    if (def->detail && source->scene->mNumMeshes > 0) {
        snprintf(text, sizeof text, "%s: colors of materials are %s (%s)",
                 mrwi_base_escape(source->job->name, name, sizeof name), srgb ? "sRGB" : "linear",
                 why);
        def->detail(def->detail_user, text);
    }
}

mrwi_import_colors mrwi_import_find_colors(const mrwi_import_source *source)
{
    const uint32_t asked = source->job->def->material_colors;
    mrwi_import_colors out = {false, false};
    if (!is_classic(source->job->format)) {
        return out;
    }
    const bool blender = is_of_blender(source);
    out.materials_srgb =
        asked == MRW_MATERIAL_COLORS_AUTO ? !blender : asked == MRW_MATERIAL_COLORS_SRGB;
    out.vertices_srgb = asked != MRW_MATERIAL_COLORS_LINEAR;
    tell(source, out.materials_srgb,
         asked != MRW_MATERIAL_COLORS_AUTO ? "--material-colors"
         : blender                         ? "auto: Blender wrote it"
                                           : "auto: based on the format");
    return out;
}

void mrwi_import_decode_color(float color[3])
{
    for (int c = 0; c < 3; c++) {
        color[c] = (float)mrwi_image_srgb_to_linear((double)color[c]);
    }
}
