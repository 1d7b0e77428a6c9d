/* scenes.c: describes how two scenes differ: moved vertices mesh by mesh, then all other parts. */
#include "explain/parts.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SHAPES 6 /* most meshes whose vertices are described */
#define MOST_PARTS  6 /* most other differences */

/* Returns true if the vertices of two meshes have the same order. Loading sorts vertices by their
 * number of influences, so the order may differ if the groups do. */
static bool same_order(const mrw_scene *a, const mrw_mesh *x, const mrw_scene *b, const mrw_mesh *y)
{
    bool same = x->vertex_count == y->vertex_count && x->group_count == y->group_count;
    for (uint32_t g = 0; same && g < x->group_count; g++) {
        const mrw_influence_group *p = &a->groups[x->first_group + g];
        const mrw_influence_group *q = &b->groups[y->first_group + g];
        same = p->vertex_count == q->vertex_count && p->influence_count == q->influence_count;
    }
    return same;
}

/* Vertices of one mesh that have moved. */
typedef struct movement {
    uint32_t count;
    uint32_t farthest; /* Vertex that moved farthest. */
    double distance;
} movement;

static movement compare_vertices(const float *before, const float *after, uint32_t count)
{
    movement found = {0};
    for (uint32_t v = 0; v < count; v++, before += 3, after += 3) {
        double squares = 0.0;
        for (int i = 0; i < 3; i++) {
            const double way = (double)after[i] - (double)before[i];
            squares += way * way;
        }
        found.count += squares > 0.0;
        if (sqrt(squares) > found.distance) {
            found.distance = sqrt(squares);
            found.farthest = v;
        }
    }
    return found;
}

static void put_point(const float *point, mrw_text *out)
{
    for (int i = 0; i < 3; i++) {
        mrw_text_puts(out, i > 0 ? "," : "");
        mrw_text_float(out, point[i]);
    }
}

/* Writes "shape of Ear: 1 of 9 vertices moved; vertex 5 moved by 4, from 0.4,3,0 to 0.4,7,0". */
static void describe(const char *name, const movement *found, const float *before,
                     const float *after, uint32_t count, mrw_text *out)
{
    mrw_text_puts(out, "shape of ");
    mrw_text_escaped(out, name);
    mrw_text_add(out, ": %u of %u vertices moved; vertex %u moved by ", found->count, count,
                 found->farthest);
    mrw_text_float(out, (float)found->distance);
    mrw_text_puts(out, found->count > 1 ? " (the farthest), from " : ", from ");
    put_point(before + (size_t)found->farthest * 3, out);
    mrw_text_puts(out, " to ");
    put_point(after + (size_t)found->farthest * 3, out);
}

/* Returns the mesh with the name of mesh `index`; of several the one in the same place among them.
 * NULL if there is none. */
static const mrw_mesh *partner_of(const mrw_scene *own, uint32_t index, const mrw_scene *other)
{
    const char *name = mrw_scene_string(own, own->meshes[index].name);
    uint32_t before = 0;
    for (uint32_t i = 0; i < index; i++) {
        before += strcmp(mrw_scene_string(own, own->meshes[i].name), name) == 0;
    }
    for (uint32_t i = 0; i < other->meshes_count; i++) {
        if (strcmp(mrw_scene_string(other, other->meshes[i].name), name) == 0 && before-- == 0) {
            return &other->meshes[i];
        }
    }
    return NULL;
}

/* Takes over the hash of the shape of mesh `index`, so that mrwi_explain_parts finds no difference.
 * Shapes are in the order of meshes. */
static void settle_shape(const mrwi_explain_part_list *before, const mrwi_explain_part_list *after,
                         uint32_t old, uint32_t index)
{
    const mrwi_explain_part *from = before->items, *to = after->items;
    while (from->kind != MRW_PART_SHAPES) {
        from++;
    }
    while (to->kind != MRW_PART_SHAPES) {
        to++;
    }
    memcpy(after->items[to - after->items + index].hash, from[old].hash, sizeof from->hash);
}

mrw_status mrwi_explain_scenes(const mrw_scene *before, const mrw_scene *after,
                               void (*tell)(void *user, const char *line), void *user,
                               mrw_error *error)
{
    uint32_t told = 0;
    mrw_text text = {0};
    mrwi_base_arena arena = {0};
    mrwi_explain_part_list parts[2];
    mrw_status status = mrwi_explain_parts_make(before, &arena, &parts[0], error);
    if (status) {
        goto out;
    }
    status = mrwi_explain_parts_make(after, &arena, &parts[1], error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < after->meshes_count && told < MOST_SHAPES; i++) {
        const mrw_mesh *mesh = &after->meshes[i], *old = partner_of(after, i, before);
        if (!old || !same_order(before, old, after, mesh)) {
            continue;
        }
        const float *from = before->positions + (size_t)old->position * 3;
        const float *to = after->positions + (size_t)mesh->position * 3;
        const movement found = compare_vertices(from, to, mesh->vertex_count);
        if (found.count > 0) {
            text.size = 0;
            describe(mrw_scene_string(after, mesh->name), &found, from, to, mesh->vertex_count,
                     &text);
            settle_shape(&parts[0], &parts[1], (uint32_t)(old - before->meshes), i);
            tell(user, text.data ? text.data : "");
            told++;
        }
    }
    text.size = 0;
    mrwi_explain_parts(&parts[0], &parts[1], MOST_PARTS, &text);
    if (text.size > 0) {
        tell(user, text.data);
    }
    status = text.failed ? mrwi_base_fail_memory(error, 0) : MRW_OK;
out:
    mrw_text_free(&text);
    mrwi_base_arena_free(&arena);
    return status;
}
