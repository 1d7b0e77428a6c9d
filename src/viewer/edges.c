/* edges.c: edges of the visible triangles, drawn over the picture. A target of the rasterizer tells
 * which triangle a pixel shows, so hidden triangles have no edges. The distance of a pixel from the
 * edges follows from the posed corners, as in --shading wire (shade/mode_spec.h). As there, lines
 * fade out where triangles are hardly larger than a line.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#define REACH 0.5         /* pixels of a line on either side of an edge */
#define NONE  1.0         /* pixels; a triangle whose least height is below has no lines */
#define GAIN  (1.0 / 3.0) /* strength that each further pixel of height adds, up to 1 */

/* The triangle of the last pixel; most neighbours show the same one. */
typedef struct edges {
    uint32_t id, triangle;
    bool seen;           /* all corners are in front of the camera */
    double corner[3][2]; /* pixels */
    double inverse[3];   /* 1 / length of the side opposite the corner */
    double strength;     /* opacity of the lines, 0..1 */
} edges;

static double cross(const double a[2], const double b[2], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* Returns the draw of an id of the target, or NULL for the ground, which belongs to no model. */
static const mrw_posed_draw *draw_of(const viewer *v, const mrw_posed_instance *posed, uint32_t id,
                                     const mrw_scene **scene)
{
    uint32_t left = id - 1;
    for (uint32_t i = 0; i < v->drawing.line.session.instance_count; i++) {
        *scene = v->drawing.line.session.scenes[i];
        if (left < (*scene)->draws_count) {
            return &posed[i].draws[left];
        }
        left -= (*scene)->draws_count;
    }
    return NULL;
}

static void find_triangle(const viewer *v, const mrw_image *image, const mrw_camera *camera,
                          const mrw_posed_instance *posed, edges *e)
{
    const mrw_scene *scene = NULL;
    const mrw_posed_draw *draw = draw_of(v, posed, e->id, &scene);
    const mrw_mesh *mesh = draw ? &scene->meshes[scene->draws[draw->draw].mesh] : NULL;
    double least = 1e30;
    e->seen = mesh && e->triangle < mesh->triangle_count;
    for (int c = 0; c < 3 && e->seen; c++) {
        const uint32_t vertex =
            scene->indices[mesh->first_index + 3 * (size_t)e->triangle + (size_t)c];
        e->seen =
            viewer_marks_project(camera, image, draw->positions + 4 * (size_t)vertex, e->corner[c]);
    }
    for (int c = 0; c < 3 && e->seen; c++) {
        const double *a = e->corner[(c + 1) % 3], *b = e->corner[(c + 2) % 3];
        const double square = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
        e->inverse[c] = 1.0 / sqrt(square > 1e-10 ? square : 1e-10);
        least = e->inverse[c] < least ? e->inverse[c] : least;
    }
    if (e->seen) {
        const double area =
            fabs(cross(e->corner[0], e->corner[1], e->corner[2][0], e->corner[2][1]));
        const double strength = (area * least - NONE) * GAIN;
        e->strength = strength < 0.0 ? 0.0 : strength > 1.0 ? 1.0 : strength;
    }
}

/* Returns how much of a pixel is covered by a line, 0..1. */
static double line_at(const edges *e, double x, double y)
{
    double nearest = 1e30;
    for (int c = 0; c < 3; c++) {
        const double far =
            fabs(cross(e->corner[(c + 1) % 3], e->corner[(c + 2) % 3], x, y)) * e->inverse[c];
        nearest = far < nearest ? far : nearest;
    }
    const double line = REACH + 0.5 - nearest;
    return (line < 0.0 ? 0.0 : line > 1.0 ? 1.0 : line) * e->strength;
}

/* Blends a line into a pixel: a dark line, or a light one on a dark pixel. */
static void put_line(uint8_t *pixel, double line)
{
    const unsigned light = 2u * pixel[0] + 5u * pixel[1] + pixel[2];
    const unsigned ink = light < 8u * 64u ? 190u : 16u;
    const unsigned alpha = (unsigned)(0.8 * 255.0 * line + 0.5);
    for (int i = 0; i < 3; i++) {
        pixel[i] = (uint8_t)((pixel[i] * (255u - alpha) + ink * alpha + 127u) / 255u);
    }
}

mrw_status viewer_edges_draw(const viewer *v, mrw_image *image, mrw_error *error)
{
    const mrw_image *ids = &v->drawing.last.ids, *triangles = &v->drawing.last.triangles;
    const mrw_posed_instance *posed;
    mrw_camera camera;
    edges e = {.id = 0};
    mrw_status status = viewer_picture_camera(&v->drawing, &camera, &posed, error);
    if (status) {
        return status;
    }
    for (uint32_t y = 0; y < image->height && y < ids->height; y++) {
        for (uint32_t x = 0; x < image->width && x < ids->width; x++) {
            const size_t at = (size_t)y * ids->width + x;
            uint32_t id, triangle;
            memcpy(&id, ids->pixels + 4 * at, sizeof id);
            memcpy(&triangle, triangles->pixels + 4 * at, sizeof triangle);
            if (id != 0 && (id != e.id || triangle != e.triangle)) {
                e.id = id;
                e.triangle = triangle;
                find_triangle(v, image, &camera, posed, &e);
            }
            const double line = id != 0 && e.seen ? line_at(&e, x + 0.5, y + 0.5) : 0.0;
            if (line > 0.0) {
                put_line(image->pixels + 3 * ((size_t)y * image->width + x), line);
            }
        }
    }
    return MRW_OK;
}
