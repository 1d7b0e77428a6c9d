/* assimp_fbx_shapes.c: blend shapes of FBX files get the normals assimp insists on.
 *
 * A shape whose normals do not change may leave them out, as Maya does; assimp then leaves out the
 * shape. So a "Normals" node of as many zeros as there are vertices is put in. In binary files the
 * absolute offsets of all nodes behind it move.
 */
#include "load/assimp_fbx_bytes.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 32

/* ---- text -------------------------------------------------------------------------------------*/

/* Behind the brace that closes the one opened before `at`; 0 when there is none. */
static size_t closing_brace(const mrwi_fbx_edits *e, size_t at)
{
    int depth = 1;
    bool quoted = false;
    for (; at < e->size; at++) {
        uint8_t c = e->bytes[at];
        quoted = c == '"' ? !quoted : quoted;
        depth += quoted ? 0 : c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

static const uint8_t *find_in(const mrwi_fbx_edits *e, size_t from, size_t to, const char *what)
{
    return memmem(e->bytes + from, to - from, what, strlen(what));
}

/* The shape whose body begins at `from` and whose closing brace is before `to`. */
static void mend_text_shape(mrwi_fbx_edits *e, size_t from, size_t to)
{
    static const char key[] = "Vertices: *";
    const uint8_t *vertices = find_in(e, from, to, key);
    double count = 0.0;
    if (vertices == NULL || find_in(e, from, to, "Normals:") != NULL) {
        return;
    }
    size_t at = (size_t)(vertices - e->bytes) + sizeof key - 1;
    if (mrwi_parse_double((const char *)e->bytes + at, to - at, &count) == 0 || count < 1.0 ||
        count > 1e7) {
        return;
    }
    size_t numbers = (size_t)count;
    mrwi_fbx_edit *edit = mrwi_fbx_add_edit(e, to - 1, 0, 64 + 2 * numbers);
    if (edit != NULL) {
        edit->head_size = (size_t)snprintf((char *)edit->head, sizeof edit->head,
                                           "\n\t\tNormals: *%zu {\n\t\t\ta: 0", numbers);
        edit->repeats = numbers - 1;
        edit->unit_size = 2;
        memcpy(edit->unit, ",0", 2);
        edit->tail_size = 3;
        memcpy(edit->tail, "\n}\n", 3);
    }
}

static void find_text_shapes(mrwi_fbx_edits *e)
{
    static const char key[] = "\"Shape\" {";
    const uint8_t *at = e->bytes;
    while ((at = find_in(e, (size_t)(at - e->bytes), e->size, key)) != NULL) {
        at += sizeof key - 1;
        size_t end = closing_brace(e, (size_t)(at - e->bytes));
        if (end == 0) {
            return;
        }
        mend_text_shape(e, (size_t)(at - e->bytes), end);
        at = e->bytes + end;
    }
}

/* ---- binary: nodes of end offset, property count, property size, name, properties, nodes ------
 */

typedef struct node {
    size_t at, end; /* end: 0 for the record that closes a list */
    size_t properties, children;
    size_t name;
    size_t name_size;
} node;

static int offset_size(const mrwi_fbx_edits *e)
{
    return e->version >= 7500 ? 8 : 4;
}

static size_t header_size(const mrwi_fbx_edits *e)
{
    return 3 * (size_t)offset_size(e) + 1;
}

/* False when the node does not lie between `at` and `limit`. */
static bool read_node(const mrwi_fbx_edits *e, size_t at, size_t limit, node *out)
{
    int width = offset_size(e);
    size_t header = header_size(e);
    if (limit - at < header) {
        return false;
    }
    const uint8_t *p = e->bytes + at;
    uint64_t end = mrwi_fbx_little(p, width), properties = mrwi_fbx_little(p + 2 * width, width);
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

static bool is_named(const mrwi_fbx_edits *e, const node *n, const char *name)
{
    return n->name_size == strlen(name) && memcmp(e->bytes + n->name, name, n->name_size) == 0;
}

/* A geometry whose properties end in the string "Shape". */
static bool is_shape(const mrwi_fbx_edits *e, const node *n)
{
    static const char class[] = "S\5\0\0\0Shape";
    size_t size = sizeof class - 1;
    return is_named(e, n, "Geometry") && n->children - n->properties >= size &&
           memcmp(e->bytes + n->children - size, class, size) == 0;
}

/* The child of a name; false when there is none. */
static bool find_child(const mrwi_fbx_edits *e, const node *parent, const char *name, node *out)
{
    for (size_t at = parent->children; at < parent->end; at = out->end) {
        if (!read_node(e, at, parent->end, out) || out->end == 0) {
            return false;
        }
        if (is_named(e, out, name)) {
            return true;
        }
    }
    return false;
}

/* The new node's own offset is that in the file before; mrwi_fbx_move_offsets puts it right. */
static void mend_binary_shape(mrwi_fbx_edits *e, const node *shape)
{
    node vertices, normals;
    int width = offset_size(e);
    size_t header = header_size(e);
    if (find_child(e, shape, "Normals", &normals) || !find_child(e, shape, "Vertices", &vertices) ||
        vertices.children - vertices.properties < 5 || shape->end < shape->children + header) {
        return;
    }
    size_t count = (size_t)mrwi_fbx_little(e->bytes + vertices.properties + 1, 4);
    size_t data = 13 + 4 * count;
    mrwi_fbx_edit *edit =
        count <= 10000000 ? mrwi_fbx_add_edit(e, shape->end - header, 0, header + 7 + data) : NULL;
    if (edit == NULL) {
        return;
    }
    uint8_t *p = edit->head;
    mrwi_fbx_put_little(p, edit->at + header + 7 + data, width);
    mrwi_fbx_put_little(p + width, 1, width);
    mrwi_fbx_put_little(p + 2 * width, data, width);
    p[3 * width] = 7;
    memcpy(p + header, "Normals", 7);
    p += header + 7;
    p[0] = 'f';
    mrwi_fbx_put_little(p + 1, count, 4);
    mrwi_fbx_put_little(p + 5, 0, 4); /* not compressed */
    mrwi_fbx_put_little(p + 9, 4 * count, 4);
    edit->head_size = header + 7 + 13;
    edit->repeats = count;
    edit->unit_size = 4;
}

static void find_binary_shapes(mrwi_fbx_edits *e)
{
    node list, n;
    for (size_t at = 27; at < e->size; at = list.end) {
        if (!read_node(e, at, e->size, &list) || list.end == 0) {
            return;
        }
        for (size_t k = list.children; is_named(e, &list, "Objects") && k < list.end; k = n.end) {
            if (!read_node(e, k, list.end, &n) || n.end == 0) {
                break;
            }
            if (is_shape(e, &n)) {
                mend_binary_shape(e, &n);
            }
        }
    }
}

void mrwi_fbx_find_shapes(mrwi_fbx_edits *e)
{
    if (e->binary) {
        find_binary_shapes(e);
    } else {
        find_text_shapes(e);
    }
}

/* ---- offsets ----------------------------------------------------------------------------------*/

/* Bytes added before a place of the file; what is added there itself comes after it. */
static size_t shift_before(const mrwi_fbx_edits *e, size_t place)
{
    size_t low = 0, high = e->count; /* the edits before the place */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (e->list[middle].at < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? (size_t)e->list[low - 1].shift : 0;
}

static void move_list(const mrwi_fbx_edits *e, size_t at, size_t limit, int depth, uint8_t *out)
{
    node n;
    while (at < limit && read_node(e, at, limit, &n) && n.end != 0) {
        mrwi_fbx_put_little(out + at + shift_before(e, at + 1), n.end + shift_before(e, n.end),
                            offset_size(e));
        if (depth < MAX_DEPTH) {
            move_list(e, n.children, n.end, depth + 1, out);
        }
        at = n.end;
    }
}

void mrwi_fbx_move_offsets(const mrwi_fbx_edits *e, uint8_t *out)
{
    bool moves = false;
    for (size_t i = 0; i < e->count; i++) {
        const mrwi_fbx_edit *edit = &e->list[i];
        if (edit->removed == 0) {
            size_t before = shift_before(e, edit->at);
            uint64_t end = mrwi_fbx_little(edit->head, offset_size(e));
            mrwi_fbx_put_little(out + edit->at + before, end + before, offset_size(e));
            moves = true;
        }
    }
    if (moves) {
        move_list(e, 27, e->size, 0, out);
    }
}
