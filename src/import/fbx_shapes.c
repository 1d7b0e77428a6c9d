/* fbx_shapes.c: gives blend shapes of FBX files the normals that assimp requires.
 *
 * A shape whose normals do not change may omit them, as Maya does; assimp then drops the shape. So
 * a "Normals" node of as many zeros as there are vertices is inserted. In binary files the absolute
 * offsets of all nodes after it change. */
#include "import/fbx_bytes.h"

#include "base/math.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Repairs the shape whose body begins at `from` and whose closing brace is before `to`. */
static void mend_text_shape(mrwi_import_fbx *fbx, size_t from, size_t to)
{
    static const char key[] = "Vertices: *", tail[] = "\n}\n";
    const uint8_t *vertices = mrwi_import_fbx_find(fbx, from, to, key);
    double count = 0.0;
    if (!vertices || mrwi_import_fbx_find(fbx, from, to, "Normals:")) {
        return;
    }
    size_t at = (size_t)(vertices - fbx->bytes) + sizeof key - 1;
    if (mrwi_base_parse_double((const char *)fbx->bytes + at, to - at, &count) == 0 ||
        count < 1.0 || count > 1e7) {
        return;
    }
    char head[64];
    size_t numbers = mrwi_base_to_u64(count);
    size_t head_size =
        (size_t)snprintf(head, sizeof head, "\n\t\tNormals: *%zu {\n\t\t\ta: 0", numbers);
    size_t middle = 2 * (numbers - 1);
    mrwi_import_edit *edit =
        mrwi_import_edits_add(&fbx->edits, to - 1, 0, head_size + middle + sizeof tail - 1);
    if (edit) {
        memcpy(edit->data, head, head_size);
        for (size_t i = 0; i < middle; i += 2) {
            memcpy(edit->data + head_size + i, ",0", 2);
        }
        memcpy(edit->data + head_size + middle, tail, sizeof tail - 1);
    }
}

static void find_text_shapes(mrwi_import_fbx *fbx)
{
    static const char key[] = "\"Shape\" {";
    const uint8_t *at = fbx->bytes;
    while ((at = mrwi_import_fbx_find(fbx, (size_t)(at - fbx->bytes), fbx->size, key))) {
        at += sizeof key - 1;
        size_t end = mrwi_import_fbx_closing_brace(fbx, (size_t)(at - fbx->bytes));
        if (end == 0) {
            return;
        }
        mend_text_shape(fbx, (size_t)(at - fbx->bytes), end);
        at = fbx->bytes + end;
    }
}

/* Returns true for a geometry whose properties end in the string "Shape". */
static bool is_shape(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node)
{
    static const char class[] = "S\5\0\0\0Shape";
    size_t size = sizeof class - 1;
    return mrwi_import_fbx_is_named(fbx, node, "Geometry") &&
           node->children - node->properties >= size &&
           memcmp(fbx->bytes + node->children - size, class, size) == 0;
}

static void mend_binary_shape(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *shape,
                              void *context)
{
    (void)context;
    static const char name[] = "Normals";
    mrwi_import_fbx_node vertices, normals;
    size_t header = mrwi_import_fbx_header_size(fbx);
    if (!is_shape(fbx, shape) || mrwi_import_fbx_find_child(fbx, shape, name, &normals) ||
        !mrwi_import_fbx_find_child(fbx, shape, "Vertices", &vertices) ||
        vertices.children - vertices.properties < 5 || shape->end < shape->children + header) {
        return;
    }
    size_t count = (size_t)mrwi_import_fbx_little(fbx->bytes + vertices.properties + 1, 4);
    size_t data = 13 + 4 * count;
    mrwi_import_edit *edit = count <= 10000000
                                 ? mrwi_import_edits_add(&fbx->edits, shape->end - header, 0,
                                                         header + sizeof name - 1 + data)
                                 : NULL;
    if (edit) {
        uint8_t *p = edit->data + mrwi_import_fbx_put_header(fbx, edit, name, data);
        p[0] = 'f';
        mrwi_import_fbx_put_little(p + 1, count, 4);
        mrwi_import_fbx_put_little(p + 5, 0, 4); /* not compressed */
        mrwi_import_fbx_put_little(p + 9, 4 * count, 4);
    }
}

void mrwi_import_fbx_find_shapes(mrwi_import_fbx *fbx)
{
    if (fbx->binary) {
        mrwi_import_fbx_each_child(fbx, "Objects", mend_binary_shape, NULL);
    } else {
        find_text_shapes(fbx);
    }
}
