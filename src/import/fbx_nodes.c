/* fbx_nodes.c: reads the nodes of an FBX file.
 *
 * Binary: end offset, property count, property size, size of the name, name, properties, nodes. A
 * list of nodes closes with a record of zeros. */
#include "import/fbx_bytes.h"

#include <string.h>

#define MAX_DEPTH  32
#define FIRST_NODE 27 /* after the magic and the version */

/* ---- text ------------------------------------------------------------------------------------ */

size_t mrwi_import_fbx_closing_brace(const mrwi_import_fbx *fbx, size_t at)
{
    int depth = 1;
    bool quoted = false, comment = false;
    for (; at < fbx->size; at++) {
        uint8_t c = fbx->bytes[at];
        comment = c == '\n' ? false : comment || (c == ';' && !quoted);
        quoted = c == '"' && !comment ? !quoted : quoted;
        depth += quoted || comment ? 0 : c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

const uint8_t *mrwi_import_fbx_find(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                    const char *what)
{
    return memmem(fbx->bytes + from, to - from, what, strlen(what));
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t mrwi_import_fbx_skip_blanks(const mrwi_import_fbx *fbx, size_t at, size_t to)
{
    while (at < to && is_space(fbx->bytes[at])) {
        at++;
    }
    return at;
}

size_t mrwi_import_fbx_find_line(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                 const char *name)
{
    size_t length = strlen(name);
    while (from < to) {
        size_t at = mrwi_import_fbx_skip_blanks(fbx, from, to);
        if (to - at > length && memcmp(fbx->bytes + at, name, length) == 0 &&
            fbx->bytes[at + length] == ':') {
            return at + length + 1;
        }
        const uint8_t *line = memchr(fbx->bytes + at, '\n', to - at);
        from = line ? (size_t)(line - fbx->bytes) + 1 : to;
    }
    return to;
}

/* ---- binary ---------------------------------------------------------------------------------- */

int mrwi_import_fbx_offset_size(const mrwi_import_fbx *fbx)
{
    return fbx->version >= 7500 ? 8 : 4;
}

size_t mrwi_import_fbx_header_size(const mrwi_import_fbx *fbx)
{
    return 3 * (size_t)mrwi_import_fbx_offset_size(fbx) + 1;
}

size_t mrwi_import_fbx_property_size_at(const mrwi_import_fbx *fbx,
                                        const mrwi_import_fbx_node *node)
{
    return node->at + 2 * (size_t)mrwi_import_fbx_offset_size(fbx);
}

size_t mrwi_import_fbx_put_header(const mrwi_import_fbx *fbx, mrwi_import_edit *edit,
                                  const char *name, size_t property_size)
{
    int width = mrwi_import_fbx_offset_size(fbx);
    size_t header = mrwi_import_fbx_header_size(fbx), length = strlen(name);
    uint8_t *p = edit->data;
    mrwi_import_fbx_put_little(p, edit->at + header + length + property_size, width);
    mrwi_import_fbx_put_little(p + width, 1, width);
    mrwi_import_fbx_put_little(p + 2 * width, property_size, width);
    p[3 * width] = (uint8_t)length;
    memcpy(p + header, name, length);
    edit->is_node = true;
    return header + length;
}

bool mrwi_import_fbx_read_node(const mrwi_import_fbx *fbx, size_t at, size_t limit,
                               mrwi_import_fbx_node *out)
{
    int width = mrwi_import_fbx_offset_size(fbx);
    size_t header = mrwi_import_fbx_header_size(fbx);
    if (limit - at < header) {
        return false;
    }
    const uint8_t *p = fbx->bytes + at;
    uint64_t end = mrwi_import_fbx_little(p, width),
             properties = mrwi_import_fbx_little(p + 2 * width, width);
    out->at = at;
    out->name = at + header;
    out->name_size = p[3 * width];
    out->end = (size_t)end;
    if (end == 0) {
        return true;
    }
    if (end > limit || end < at + header + out->name_size ||
        properties > end - at - header - out->name_size) {
        return false;
    }
    out->properties = out->name + out->name_size;
    out->children = out->properties + (size_t)properties;
    return true;
}

bool mrwi_import_fbx_is_named(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                              const char *name)
{
    return node->name_size == strlen(name) &&
           memcmp(fbx->bytes + node->name, name, node->name_size) == 0;
}

bool mrwi_import_fbx_find_child(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *parent,
                                const char *name, mrwi_import_fbx_node *out)
{
    for (size_t at = parent->children; at < parent->end; at = out->end) {
        if (!mrwi_import_fbx_read_node(fbx, at, parent->end, out) || out->end == 0) {
            return false;
        }
        if (mrwi_import_fbx_is_named(fbx, out, name)) {
            return true;
        }
    }
    return false;
}

void mrwi_import_fbx_each_child(mrwi_import_fbx *fbx, const char *name,
                                mrwi_import_fbx_each_fn *each, void *context)
{
    mrwi_import_fbx_node list, node;
    for (size_t at = FIRST_NODE; at < fbx->size; at = list.end) {
        if (!mrwi_import_fbx_read_node(fbx, at, fbx->size, &list) || list.end == 0) {
            return;
        }
        bool wanted = mrwi_import_fbx_is_named(fbx, &list, name);
        for (size_t k = list.children; wanted && k < list.end; k = node.end) {
            if (!mrwi_import_fbx_read_node(fbx, k, list.end, &node) || node.end == 0) {
                break;
            }
            each(fbx, &node, context);
        }
    }
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* Returns true if an edit replaces the node that begins here. */
static bool is_replaced(const mrwi_import_edits *edits, size_t at)
{
    size_t low = 0, high = edits->count; /* the first edit at `at` or after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edits->list[middle].at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < edits->count && edits->list[low].at == at && edits->list[low].removed > 0;
}

static void move_list(const mrwi_import_fbx *fbx, size_t at, size_t limit, int depth, uint8_t *out)
{
    mrwi_import_fbx_node node;
    while (at < limit && mrwi_import_fbx_read_node(fbx, at, limit, &node) && node.end != 0) {
        if (!is_replaced(&fbx->edits, at)) {
            mrwi_import_fbx_put_little(out + (at + mrwi_import_edits_shift(&fbx->edits, at + 1)),
                                       node.end + mrwi_import_edits_shift(&fbx->edits, node.end),
                                       mrwi_import_fbx_offset_size(fbx));
            if (depth < MAX_DEPTH) {
                move_list(fbx, node.children, node.end, depth + 1, out);
            }
        }
        at = node.end;
    }
}

/* Corrects the offsets in a copy of the nodes from `at` to `limit`, which is `by` bytes later. */
static void move_copy(const mrwi_import_fbx *fbx, size_t at, size_t limit, size_t by, int depth,
                      uint8_t *out)
{
    mrwi_import_fbx_node node;
    while (at < limit && mrwi_import_fbx_read_node(fbx, at, limit, &node) && node.end != 0) {
        mrwi_import_fbx_put_little(out + (at + by), node.end + by,
                                   mrwi_import_fbx_offset_size(fbx));
        if (depth < MAX_DEPTH) {
            move_copy(fbx, node.children, node.end, by, depth + 1, out);
        }
        at = node.end;
    }
}

void mrwi_import_fbx_move_offsets(const mrwi_import_fbx *fbx, uint8_t *out)
{
    bool moves = false;
    for (size_t i = 0; i < fbx->edits.count; i++) {
        const mrwi_import_edit *edit = &fbx->edits.list[i];
        if (edit->is_node) {
            size_t before = mrwi_import_edits_shift(&fbx->edits, edit->at);
            uint64_t end = mrwi_import_fbx_little(edit->data, mrwi_import_fbx_offset_size(fbx));
            mrwi_import_fbx_put_little(out + (edit->at + before), end + before,
                                       mrwi_import_fbx_offset_size(fbx));
        }
        for (size_t c = 0; c < edit->size && edit->copied_size > 0; c += edit->copied_size) {
            const size_t to = edit->at + mrwi_import_edits_shift(&fbx->edits, edit->at) + c;
            move_copy(fbx, edit->copied_from, edit->copied_from + edit->copied_size,
                      to - edit->copied_from, 0, out);
        }
        moves = moves || edit->size != edit->removed;
    }
    if (moves) {
        move_list(fbx, FIRST_NODE, fbx->size, 0, out);
    }
}
