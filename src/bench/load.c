/* load.c: measures loading a glb, for `marrow bench`. The yardstick copies its bytes. */
#include "bench/internal.h"

#include <marrow/load.h>
#include <stdlib.h>
#include <string.h>

typedef struct load_work {
    mrw_text glb;
    char *copy;
} load_work;

/* Writes a mesh as most exporters do: floats without gaps, and 32-bit indices. */
static mrw_status make_file(const bench_body *body, load_work *w, mrw_error *error)
{
    const uint32_t vertices = body->vertex_count, corners = 3 * body->triangle_count;
    const float *const streams[3] = {body->positions, body->normals, body->uvs};
    static const char *const shapes[3] = {"VEC3", "VEC3", "VEC2"};
    mrw_text json = {0}, bin = {0};
    mrw_text_add(&json, "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"mesh\": 0}], "
                        "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, "
                        "\"NORMAL\": 1, \"TEXCOORD_0\": 2}, \"indices\": 3}]}], \"accessors\": [");
    for (int s = 0; s < 3; s++) {
        mrw_text_add(&json,
                     "{\"bufferView\": 0, \"byteOffset\": %zu, \"componentType\": 5126, "
                     "\"count\": %u, \"type\": \"%s\"}, ",
                     bin.size, vertices, shapes[s]);
        for (size_t v = 0; v < vertices; v++) {
            mrw_text_put(&bin, streams[s] + (s < 2 ? 4 : 2) * v, (s < 2 ? 3 : 2) * sizeof(float));
        }
    }
    mrw_text_add(&json,
                 "{\"bufferView\": 0, \"byteOffset\": %zu, \"componentType\": 5125, \"count\": %u, "
                 "\"type\": \"SCALAR\"}], ",
                 bin.size, corners);
    mrw_text_put(&bin, body->indices, corners * sizeof *body->indices);
    mrw_text_add(&json, "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu}], ", bin.size);
    mrw_text_add(&json, "\"buffers\": [{\"byteLength\": %zu}]}", bin.size);
    bench_put_glb(&json, &bin, &w->glb);
    const bool failed = json.failed || bin.failed || w->glb.failed;
    mrw_text_free(&json);
    mrw_text_free(&bin);
    w->copy = failed ? NULL : bench_array(w->glb.size, 1);
    return w->copy ? MRW_OK : bench_fail_memory(error);
}

static mrw_status run_marrow(void *data, mrw_isa isa, mrw_error *error)
{
    const load_work *w = data;
    mrw_scene *scene = NULL;
    (void)isa; /* this work has no kernels */
    mrw_status status =
        mrw_load_memory(w->glb.data, w->glb.size, "body.glb", NULL, NULL, &scene, error);
    mrw_scene_free(scene);
    return status;
}

static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    load_work *w = data;
    (void)isa;
    (void)error;
    memcpy(w->copy, w->glb.data, w->glb.size);
    __asm__ volatile("" ::"r"(w->copy) : "memory");
    return MRW_OK;
}

mrw_status bench_load(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    bench_body body;
    load_work w = {.copy = NULL};
    mrw_status status = bench_body_make(row->sizes[BENCH_TRIANGLES], &body, error);
    if (status) {
        return status;
    }
    status = make_file(&body, &w, error);
    if (!status) {
        bench_add_kernels(b, out, run_marrow);
        bench_add_yardstick(out, "copy", run_copy);
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
        bench_scale(row, out, 1e3);
    }
    mrw_text_free(&w.glb);
    free(w.copy);
    bench_body_free(&body);
    return status;
}
