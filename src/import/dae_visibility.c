/* dae_visibility.c: finds nodes that a Collada file hides. The format itself cannot hide; exporters
 * of Maya write it into an <extra> of the node, <visibility>0</visibility>, in a technique of their
 * own profile (MAYA, FCOLLADA, OpenCOLLADAMaya). The values false and 0 hide. assimp names nodes by
 * their ids. */
#include "import/dae.h"
#include "import/visibility.h"

#include "marrow/scene.h"

#include <string.h>

/* The open <node> elements. */
typedef struct open_nodes {
    mrwi_import_span *ids; /* size 0 for a node without an id */
    size_t count, room;
} open_nodes;

static bool open_node(open_nodes *open, const mrwi_import_xml_tag *tag)
{
    if (open->count == open->room) {
        const size_t room = open->room > 0 ? 2 * open->room : 64;
        mrwi_import_span *grown =
            mrwi_base_realloc(open->ids, open->count * sizeof *grown, room, sizeof *grown);
        if (!grown) {
            return false;
        }
        open->ids = grown;
        open->room = room;
    }
    mrwi_import_span *id = &open->ids[open->count++];
    if (!mrwi_import_xml_attribute(tag, "id", id)) {
        id->size = 0;
    }
    return true;
}

static bool is_false(mrwi_import_span text)
{
    static const char blanks[] = " \t\r\n";
    while (text.size > 0 && strchr(blanks, *text.at)) {
        text.at++;
        text.size--;
    }
    while (text.size > 0 && strchr(blanks, text.at[text.size - 1])) {
        text.size--;
    }
    return mrwi_import_span_is(text, "0") || mrwi_import_span_is(text, "false");
}

static bool note(mrwi_import_visibility *out, size_t *room, mrwi_import_span id, uint32_t flags,
                 mrwi_import_node_kind kind)
{
    if (id.size == 0 || id.size > 1000) {
        return true;
    }
    if (out->node_count == *room) {
        const size_t more = *room > 0 ? 2 * *room : 16;
        mrwi_import_visible_node *grown = mrwi_base_arena_alloc(&out->arena, more, sizeof *grown);
        if (!grown) {
            return false;
        }
        if (*room > 0) {
            memcpy(grown, out->nodes, *room * sizeof *grown);
        }
        out->nodes = grown;
        *room = more;
    }
    const char *name = mrwi_base_format(&out->arena, "%.*s", (int)id.size, id.at);
    if (name) {
        out->nodes[out->node_count++] = (mrwi_import_visible_node){name, flags, kind};
        out->joint_count += kind == MRWI_IMPORT_JOINT;
    }
    return name;
}

static bool is_joint(const mrwi_import_xml_tag *tag)
{
    mrwi_import_span type;
    return !tag->closes && mrwi_import_xml_attribute(tag, "type", &type) &&
           mrwi_import_span_is(type, "JOINT");
}

bool mrwi_import_dae_read_visibility(const uint8_t *bytes, size_t size, uint32_t tags,
                                     mrwi_import_visibility *out)
{
    const char *at = (const char *)bytes, *end = at + size;
    mrwi_import_xml_tag tag;
    open_nodes open = {NULL, 0, 0};
    size_t room = 0, extras = 0;
    bool good = true;
    *out = (mrwi_import_visibility){.nodes = NULL};
    /* the joints of a file without triangles are needed */
    const bool bare = !(tags & MRWI_IMPORT_DAE_SURFACE) && memmem(at, size, "JOINT", 5);
    if (!bare && !(tags & MRWI_IMPORT_DAE_VISIBILITY)) {
        return true;
    }
    while (good && mrwi_import_xml_next(&at, end, &tag)) {
        mrwi_import_span text;
        if (mrwi_import_span_is(tag.name, "node") && !tag.empty) {
            good = tag.closes || open_node(&open, &tag);
            if (good && bare && is_joint(&tag)) {
                good = note(out, &room, open.ids[open.count - 1], 0, MRWI_IMPORT_JOINT);
            }
            open.count -= tag.closes && open.count > 0;
        } else if (mrwi_import_span_is(tag.name, "extra") && !tag.empty) {
            extras += !tag.closes;
            extras -= tag.closes && extras > 0;
        } else if (mrwi_import_span_is(tag.name, "visibility") && !tag.closes && extras > 0 &&
                   open.count > 0) {
            const mrwi_import_span id = open.ids[open.count - 1];
            const bool hides = mrwi_import_xml_body(&at, end, &tag, &text) && is_false(text);
            good = !hides || note(out, &room, id, MRW_NODE_HIDDEN, MRWI_IMPORT_PLAIN);
        }
    }
    mrwi_base_free(open.ids);
    mrwi_import_visibility_sort(out);
    return good;
}
