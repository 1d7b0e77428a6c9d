/* colors.c: what the colours of a file are encoded as.
 *
 * Authors chose the colours of classic formats by eye, on screens, in programs that sent numbers to
 * the screen as they were: they are sRGB, and (0.133, 0.545, 0.133) is CSS's ForestGreen #228b22.
 * three.js decodes those of materials, lights and vertices in FBX, Collada, OBJ and 3DS files, and
 * so it is done here. So are those of X, B3D, MS3D and Ogre, of engines that knew nothing else.
 *
 * Blender's exporters of FBX, Collada and OBJ write the numbers of its materials and lights as they
 * are, and those are linear: a new material of 2.79, 2.9 and 3.4 is 0.8 in their files (0.64 where
 * Blender Internal's intensity of 0.8 is multiplied in), which Blender shows as #e7e7e7. three.js
 * makes #cccccc of it. The colours of vertices are sRGB in Blender's files, too: bytes up to
 * version 3.3, and what the exporters convert them to since.
 *
 * Left as they are:
 * - glTF's, by its specification.
 * - Colours of physically based materials in FBX (Stingray, 3ds Max's physical): those of
 *   colour-managed renderers.
 * - M3D's diffuse albedos, which the book's shader multiplies light with.
 * - The grey that assimp makes up: of the material where a file has none, and where one of an OBJ
 *   file has no Kd (beside a texture it is white, as three.js has it). SMD, MD5, MDL, STL and BVH
 *   have no other colours.
 *
 * What FBX multiplies a colour with is part of it (DiffuseFactor, SpecularFactor, EmissiveFactor):
 * its own programs multiplied before they showed it.
 */
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

/* FBX says so as its Creator, Collada as its authoring_tool, OBJ's libraries in their first line.
 */
static bool is_of_blender(const mrwi_import_source *source)
{
    static const char name[] = "Blender";
    const char *made_by = mrwi_import_word(source->scene->mMetaData, "SourceAsset_Generator");
    return source->mtl.of_blender || strncmp(made_by, name, sizeof name - 1) == 0;
}

/* A file with clips alone has none to speak of. */
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
