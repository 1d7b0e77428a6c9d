/* dae_effects.c: what materials of a Collada file have beside the common profile, and assimp does
 * not read. */
#include "import/dae.h"

#include <string.h>

/* Collada's common profile names no displacement. 3ds Max's exporters put a <displacement> with a
 * <texture> beside <bump> (FCollada under the profile FCOLLADA, OpenCOLLADA under
 * OpenCOLLADA3dsMax); OpenCOLLADA for Maya and Blender write none. It comes without a length:
 * OpenCOLLADA drops 3ds Max's amount, and that is a share of the object's size. */
bool mrwi_import_dae_displaces(const char *text, size_t size)
{
    static const char name[] = "displacement";
    const char *at = memmem(text, size, name, sizeof name - 1) ? text : text + size;
    const char *end = text + size;
    mrwi_import_xml_tag tag;
    mrwi_import_span body;
    while (mrwi_import_xml_find(&at, end, name, &tag) &&
           mrwi_import_xml_body(&at, end, &tag, &body)) {
        const char *inside = body.at;
        if (mrwi_import_xml_find(&inside, body.at + body.size, "texture", &tag)) {
            return true;
        }
    }
    return false;
}
