/* measure.c: boxes, areas and centroids of posed meshes, in double. */
#include "cli/cli.h"

#include <math.h>

static void add_point(cli_measure *m, const float p[3])
{
    for (int k = 0; k < 3; k++) {
        if (!m->any || p[k] < m->min[k]) {
            m->min[k] = p[k];
        }
        if (!m->any || p[k] > m->max[k]) {
            m->max[k] = p[k];
        }
    }
    m->any = true;
}

static void add_triangle(cli_measure *m, const float *a, const float *b, const float *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1];
    double y = u[2] * v[0] - u[0] * v[2];
    double z = u[0] * v[1] - u[1] * v[0];
    double area = 0.5 * sqrt((x * x + y * y) + z * z);
    m->area += area;
    for (int k = 0; k < 3; k++) {
        m->moment[k] += area * (((double)a[k] + (double)b[k]) + (double)c[k]) / 3.0;
    }
}

cli_measure cli_measure_draw(const mrw_scene *scene, const mrw_posed_draw *posed)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const uint32_t *indices = scene->indices + mesh->first_index;
    cli_measure m = {0};
    for (uint32_t t = 0; t < mesh->triangle_count; t++, indices += 3) {
        const float *corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = posed->positions + 4 * (size_t)indices[k];
            add_point(&m, corner[k]);
        }
        add_triangle(&m, corner[0], corner[1], corner[2]);
    }
    return m;
}

void cli_measure_add(cli_measure *sum, const cli_measure *part)
{
    if (!part->any) {
        return;
    }
    add_point(sum, part->min);
    add_point(sum, part->max);
    sum->area += part->area;
    for (int k = 0; k < 3; k++) {
        sum->moment[k] += part->moment[k];
    }
}

void cli_measure_json(cli_json *json, const cli_measure *m)
{
    cli_json_key(json, "aabb_min");
    m->any ? cli_json_floats(json, m->min, 3) : cli_json_null(json);
    cli_json_key(json, "aabb_max");
    m->any ? cli_json_floats(json, m->max, 3) : cli_json_null(json);
    cli_json_key(json, "area");
    cli_json_double(json, m->area);
    cli_json_key(json, "area_centroid");
    if (m->area > 0.0) {
        const double centroid[3] = {m->moment[0] / m->area, m->moment[1] / m->area,
                                    m->moment[2] / m->area};
        cli_json_doubles(json, centroid, 3);
    } else {
        cli_json_null(json);
    }
}
