/* maps.c: gives the maps of a material to shaders: a texture each, and its placement on the mesh.
 * The table of scene.h has their names. */
#include "gl/draw.h"

#include <stdio.h>
#include <string.h>

typedef struct map_name {
    const char *constant; /* NORMAL */
    const char *text;     /* "normal" */
} map_name;

/* Names of the maps that are drawn. A height map is drawn as the normal map that is made from it.
 */
static const map_name names[MRW_RASTER_MAP_COUNT + 1] = {
#define NAME_0(map, name)
#define NAME_2(map, name)
#define NAME_1(map, name)                         [MRW_RASTER_MAP_##map] = {#map, name},
#define MRW_RASTER_MAP_HEIGHT                     MRW_RASTER_MAP_COUNT
#define NAME(map, name, srgb, is_drawn, tangents) NAME_##is_drawn(map, name)
    MRW_MATERIAL_MAPS(NAME)
#undef NAME
#undef MRW_RASTER_MAP_HEIGHT
#undef NAME_1
#undef NAME_2
#undef NAME_0
};

/* Writes the function of a map: "sheen color" is sheen_color_map() in a shader. */
static void put_name(const char *text, mrw_text *out)
{
    for (; *text; text++) {
        mrw_text_add(out, "%c", *text == ' ' || *text == '-' ? '_' : *text);
    }
    mrw_text_puts(out, "_map()");
}

void gl_maps_define(const mrw_raster_material *material, mrw_text *out)
{
    mrw_text_add(out, "#define MAP_COUNT %d\n", (int)MRW_RASTER_MAP_COUNT);
    for (int k = 0; k < MRW_RASTER_MAP_COUNT; k++) {
        const bool has = material->maps[k].texture;
        if (has) {
            mrw_text_add(out, "#define HAS_%s_MAP\nuniform sampler2D map_%d;\n", names[k].constant,
                         k);
        }
        mrw_text_puts(out, "#define ");
        put_name(names[k].text, out);
        if (has) {
            mrw_text_add(out, " sample_map(map_%d, %d)\n", k, k);
        } else {
            mrw_text_puts(out, " vec4(1.0)\n");
        }
    }
}

mrw_status gl_maps_set(const gl_frame *frame, GLuint program, const mrw_raster_draw *draw, int unit,
                       mrw_error *error)
{
    GLint modes[MRW_RASTER_MAP_COUNT][4] = {{0}}, sizes[MRW_RASTER_MAP_COUNT][4] = {{0}};
    GLint plans[MRW_RASTER_MAP_COUNT][3] = {{0}};
    float moves[MRW_RASTER_MAP_COUNT][6] = {{0}};
    for (uint32_t k = 0; k < MRW_RASTER_MAP_COUNT; k++) {
        const mrw_raster_map *map = &draw->material->maps[k];
        char name[16];
        snprintf(name, sizeof name, "map_%u", k);
        const GLint at = glGetUniformLocation(program, name);
        GLuint texture;
        if (!map->texture || at < 0) {
            continue;
        }
        const mrw_raster_texture_info info = mrw_raster_texture_look(map->texture);
        const mrw_status status =
            gl_store_image(&frame->renderer->store, map->texture, &texture, error);
        if (status) {
            return status;
        }
        glUniform1i(at, unit + (GLint)k);
        glActiveTexture((GLenum)(GL_TEXTURE0 + unit) + k);
        glBindTexture(GL_TEXTURE_2D, texture);
        modes[k][0] = (GLint)map->wrap_u;
        modes[k][1] = (GLint)map->wrap_v;
        modes[k][2] = (GLint)(map->minify + (map->nearest ? 8u : 0u));
        modes[k][3] = (GLint)map->uvs;
        sizes[k][0] = (GLint)info.width;
        sizes[k][1] = (GLint)info.height;
        sizes[k][2] = (GLint)info.level_count - 1;
        sizes[k][3] = (GLint)info.finest;
        gl_image_plan(&info, plans[k]);
        if (map->uvs > 0 && draw->more_uvs[map->uvs - 1].uvs) {
            memcpy(moves[k], draw->more_uvs[map->uvs - 1].transform, sizeof moves[k]);
        } else if (map->uvs == 0 && draw->uvs) {
            memcpy(moves[k], draw->material->uv_transform, sizeof moves[k]);
        }
    }
    glUniform4iv(glGetUniformLocation(program, "map_modes"), MRW_RASTER_MAP_COUNT, modes[0]);
    glUniform4iv(glGetUniformLocation(program, "map_sizes"), MRW_RASTER_MAP_COUNT, sizes[0]);
    glUniform3iv(glGetUniformLocation(program, "map_plans"), MRW_RASTER_MAP_COUNT, plans[0]);
    glUniformMatrix2x3fv(glGetUniformLocation(program, "map_moves"), MRW_RASTER_MAP_COUNT, GL_FALSE,
                         moves[0]);
    return MRW_OK;
}
