/* dae_effects.c: reads parts of Collada materials that are outside of the common profile, which
 * assimp drops. */
#include "import/dae.h"

#include "base/math.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Collada's common profile has no displacement. 3ds Max's exporters put a <displacement> with a
 * <texture> beside <bump> (FCollada under the profile FCOLLADA, OpenCOLLADA under
 * OpenCOLLADA3dsMax); OpenCOLLADA for Maya and Blender write none. It has no length: OpenCOLLADA
 * drops 3ds Max's amount, and that is a share of the object's size. */
bool mrwi_import_dae_displaces(const char *text, size_t size)
{
    static const char name[] = "displacement";
    const char *at = text, *end = text + size;
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

/* ---- opacity textures ------------------------------------------------------------------------ */

/* Bit 0 of the index: an RGB mode; bit 1: a ZERO mode. */
static const char *const modes[] = {"A_ONE", "RGB_ONE", "A_ZERO", "RGB_ZERO"};

static unsigned mode_of(const mrwi_import_xml_tag *tag)
{
    mrwi_import_span value;
    for (unsigned i = 0; mrwi_import_xml_attribute(tag, "opaque", &value) && i < 4; i++) {
        if (mrwi_import_span_is(value, modes[i])) {
            return i;
        }
    }
    return 0; /* the specification's default */
}

/* Reads a number of 0 ... 1 in a <float>; 1 if there is none. */
static double amount_of(mrwi_import_span body)
{
    const char *at = body.at, *end = body.at + body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span text;
    double number;
    if (!mrwi_import_xml_find(&at, end, "float", &tag) ||
        !mrwi_import_xml_body(&at, end, &tag, &text)) {
        return 1.0;
    }
    while (text.size > 0 &&
           (*text.at == ' ' || *text.at == '\t' || *text.at == '\r' || *text.at == '\n')) {
        text.at++;
        text.size--;
    }
    const bool good = mrwi_base_parse_double(text.at, text.size, &number) > 0;
    return good && number >= 0.0 && number <= 1.0 ? number : 1.0;
}

/* The elements of a shader for opacity. */
typedef struct opacity {
    mrwi_import_xml_tag transparent;
    bool textured;
    mrwi_import_span transparency; /* the whole element; empty if there is none */
    double amount;
} opacity;

static void mark(const char *text, const opacity *o, mrwi_import_edits *edits)
{
    char out[100];
    const double number = (mode_of(&o->transparent) + 0.25 + 0.5 * o->amount) / 4.0;
    const int size = snprintf(
        out, sizeof out, "<transparency><float>%d.%08d</float></transparency><transparent>",
        (int)number, (int)((number - (int)number) * 1e8)); /* in range: 0 to 1 */
    mrwi_import_edit *edit = mrwi_import_edits_add(edits, (size_t)(o->transparent.whole.at - text),
                                                   o->transparent.whole.size, (size_t)size);
    if (edit) {
        memcpy(edit->data, out, (size_t)size);
    }
    if (edit && o->transparency.size > 0) {
        mrwi_import_edits_add(edits, (size_t)(o->transparency.at - text), o->transparency.size, 0);
    }
}

static bool is_shader(mrwi_import_span name)
{
    return mrwi_import_span_is(name, "phong") || mrwi_import_span_is(name, "lambert") ||
           mrwi_import_span_is(name, "blinn") || mrwi_import_span_is(name, "constant");
}

void mrwi_import_dae_mark_opacity(const char *text, size_t size, mrwi_import_edits *edits)
{
    static const char name[] = "transparent";
    const char *at = text;
    const char *const end = text + size;
    opacity found = {.amount = 1.0};
    mrwi_import_xml_tag tag, inside;
    mrwi_import_span body;
    while (mrwi_import_xml_next(&at, end, &tag)) {
        if (is_shader(tag.name)) {
            if (tag.closes && found.textured) {
                mark(text, &found, edits);
            }
            found = (opacity){.amount = 1.0};
        } else if (tag.closes || tag.empty) {
            continue;
        } else if (mrwi_import_span_is(tag.name, name)) {
            found.transparent = tag;
            if (mrwi_import_xml_body(&at, end, &tag, &body)) {
                const char *in = body.at;
                found.textured = mrwi_import_xml_find(&in, body.at + body.size, "texture", &inside);
            }
        } else if (mrwi_import_span_is(tag.name, "transparency") &&
                   mrwi_import_xml_body(&at, end, &tag, &body)) {
            found.transparency = (mrwi_import_span){tag.whole.at, (size_t)(at - tag.whole.at)};
            found.amount = amount_of(body);
        }
    }
}

mrwi_import_dae_opacity mrwi_import_dae_read_opacity(float number)
{
    const double four = 4.0 * (double)number;
    const unsigned mode = four >= 0.0 && four < 4.0 ? mrwi_base_to_u32(four) : 0;
    const double amount = 2.0 * (four - mode - 0.25);
    const double rounded = floor(amount * 65536.0 + 0.5) / 65536.0; /* keeps it exact as a float */
    return (mrwi_import_dae_opacity){.rgb = (mode & 1) != 0,
                                     .zero = (mode & 2) != 0,
                                     .amount = (float)(!(rounded > 0.0) ? 0.0
                                                       : rounded < 1.0  ? rounded
                                                                        : 1.0)};
}
