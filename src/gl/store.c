/* store.c: keeps models, textures and environments in the driver. */
#include "gl/store.h"

#include "gl/program.h"

#include <stdlib.h>
#include <string.h>

#define KEPT ((size_t)512 << 20) /* bytes; above, objects that the last picture did not use go */

/* ---- tables ---------------------------------------------------------------------------------- */

static mrw_status fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

static size_t texel_size(GLenum format)
{
    return format == GL_RGBA32F || format == GL_RGBA32UI ? 16
           : format == GL_RG32F || format == GL_RG32UI   ? 8
                                                         : 4;
}

/* Fills a table that is a picture: the whole rows, then the rest. data: an offset if a buffer is
 * bound to GL_PIXEL_UNPACK_BUFFER. */
static void fill_rows(const gl_table *table, const char *data)
{
    const GLenum layout = table->format == GL_RGBA32F    ? GL_RGBA
                          : table->format == GL_RGBA32UI ? GL_RGBA_INTEGER
                          : table->format == GL_RG32F    ? GL_RG
                          : table->format == GL_RG32UI   ? GL_RG_INTEGER
                          : table->format == GL_R32UI    ? GL_RED_INTEGER
                                                         : GL_RED;
    const bool integers =
        table->format == GL_RGBA32UI || table->format == GL_RG32UI || table->format == GL_R32UI;
    const GLenum type = integers ? GL_UNSIGNED_INT : GL_FLOAT;
    const size_t texel = texel_size(table->format), count = table->size / texel;
    const size_t width = (size_t)table->width, rows = count / width, rest = count % width;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (rows > 0) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, table->width, (GLsizei)rows, layout, type, data);
    }
    if (rest > 0) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)rows, (GLsizei)rest, 1, layout, type,
                        data + rows * width * texel);
    }
}

static void make_picture(gl_table *table)
{
    const size_t texels = table->size / texel_size(table->format), row = (size_t)1 << GL_TABLE_BITS;
    const size_t rows = texels > row ? (texels + row - 1) / row : 1;
    table->width = (GLsizei)(texels > row ? row : texels > 0 ? texels : 1);
    glTexStorage2D(GL_TEXTURE_2D, 1, table->format, table->width, (GLsizei)rows);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/* Prepares a table of this size and leaves its texture bound. A picture of the same size is kept.
 */
static mrw_status make_table(gl_table *table, GLenum format, size_t size, mrw_error *error)
{
    const bool desktop = epoxy_is_desktop_gl();
    GLint most = 0;
    glGetIntegerv(desktop ? GL_MAX_TEXTURE_BUFFER_SIZE : GL_MAX_TEXTURE_SIZE, &most);
    const size_t texels = desktop ? (size_t)most : (size_t)most << GL_TABLE_BITS;
    if (size / texel_size(format) > texels) {
        return mrw_fail(
            error, MRW_ERROR_DISPLAY,
            "a mesh has more data than this OpenGL driver accepts (%zu texels); use --backend soft",
            texels);
    }
    const bool other = !table->texture || table->size != size || table->format != format;
    table->target = desktop ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D;
    table->size = size;
    table->format = format;
    if (!desktop && other) { /* glTexStorage2D fixes the size */
        glDeleteTextures(1, &table->texture);
        table->texture = 0;
    }
    const bool fresh = !table->texture;
    if (fresh) {
        glGenTextures(1, &table->texture);
    }
    glActiveTexture(GL_TEXTURE0 + GL_UNIT_SPARE);
    glBindTexture(table->target, table->texture);
    if (!desktop && fresh) {
        make_picture(table);
    }
    return MRW_OK;
}

static void fill_buffer(gl_table *table, GLenum target, const void *data)
{
    static const float nothing[4];
    if (!table->buffer) {
        glGenBuffers(1, &table->buffer);
    }
    glBindBuffer(target, table->buffer);
    glBufferData(target, (GLsizeiptr)(table->size > 0 ? table->size : sizeof nothing),
                 table->size > 0 ? data : nothing, GL_STATIC_DRAW);
    if (table->target == GL_TEXTURE_BUFFER) {
        glTexBuffer(GL_TEXTURE_BUFFER, table->format, table->buffer);
    }
}

mrw_status gl_table_fill(gl_table *table, GLenum format, const void *data, size_t size,
                         mrw_error *error)
{
    const mrw_status status = make_table(table, format, size, error);
    if (status) {
        return status;
    }
    if (table->target == GL_TEXTURE_BUFFER) {
        fill_buffer(table, GL_TEXTURE_BUFFER, data);
    } else {
        fill_rows(table, data);
    }
    return MRW_OK;
}

mrw_status gl_table_make(gl_table *table, GLenum format, size_t size, mrw_error *error)
{
    const mrw_status status = make_table(table, format, size, error);
    if (status) {
        return status;
    }
    fill_buffer(table, GL_ARRAY_BUFFER, NULL);
    return MRW_OK;
}

void gl_table_take_buffer(gl_table *table)
{
    if (table->target == GL_TEXTURE_2D) {
        glActiveTexture(GL_TEXTURE0 + GL_UNIT_SPARE);
        glBindTexture(GL_TEXTURE_2D, table->texture);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, table->buffer);
        fill_rows(table, NULL);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }
}

void gl_table_free(gl_table *table)
{
    glDeleteBuffers(1, &table->buffer);
    glDeleteTextures(1, &table->texture);
    *table = (gl_table){0};
}

void gl_table_bind(const gl_table *table, GLuint program, const char *name, int unit)
{
    const GLint at = glGetUniformLocation(program, name);
    if (at >= 0) {
        glUniform1i(at, unit);
    }
    if (at >= 0 && table->texture) { /* an empty table is never read */
        glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
        glBindTexture(table->target, table->texture);
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

mrw_status gl_store_mesh(gl_store *store, const gl_parts *parts, gl_mesh **out, mrw_error *error)
{
    const mrw_vertex_source *source = &parts->sources[0];
    const uint64_t model = source->model ? mrw_model_id(source->model) : 0;
    for (size_t i = 0; i < store->mesh_count && model != 0; i++) {
        gl_mesh *mesh = store->meshes[i];
        if (mesh->model == model && mesh->draw == source->draw &&
            mesh->part_count == parts->count) {
            mesh->last_use = store->now;
            *out = mesh;
            return MRW_OK;
        }
    }
    gl_mesh **grown = realloc(store->meshes, (store->mesh_count + 1) * sizeof *grown);
    gl_mesh *mesh = calloc(1, sizeof *mesh);
    if (grown) {
        store->meshes = grown;
    }
    if (!grown || !mesh) {
        free(mesh);
        return fail_memory(error);
    }
    store->meshes[store->mesh_count++] = mesh;
    *mesh = (gl_mesh){.model = model, .draw = source->draw, .last_use = store->now};
    *out = mesh;
    const mrw_status status = gl_mesh_fill(mesh, parts, error);
    if (status) { /* an incomplete mesh must not be found */
        mesh->model = 0;
    }
    return status;
}

/* ---- textures -------------------------------------------------------------------------------- */

void gl_image_plan(const mrw_raster_texture_info *info, GLint out[3])
{
    const mrw_raster_texture_level *first = &info->levels[info->finest];
    const uint32_t longer = first->width > first->height ? first->width : first->height;
    out[0] = (GLint)first->width;
    out[1] = (GLint)first->height;
    for (out[2] = 1; (uint32_t)out[2] < longer;) {
        out[2] *= 2;
    }
}

/* Uploads texels of 16 bits as floats: OpenGL ES has no textures of 16 bits. */
static mrw_status upload_floats(const mrw_raster_texture_level *level, GLint x, GLint y,
                                mrw_error *error)
{
    float *texels = malloc((size_t)level->width * level->height * 4 * sizeof *texels);
    if (!texels) {
        return fail_memory(error);
    }
    for (size_t row = 0, n = 0; row < level->height; row++) {
        const uint16_t *in = (const uint16_t *)level->texels + row * (size_t)level->stride * 4;
        for (size_t i = 0; i < (size_t)level->width * 4; i++) {
            texels[n++] = (float)in[i] / 65535.0f;
        }
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, (GLsizei)level->width, (GLsizei)level->height, GL_RGBA,
                    GL_FLOAT, texels);
    free(texels);
    return MRW_OK;
}

static mrw_status upload_level(const mrw_raster_texture_info *info, uint32_t number, GLint x,
                               GLint y, mrw_error *error)
{
    const bool data = info->encoding == MRW_ENCODING_DATA;
    const mrw_raster_texture_level *level = &info->levels[number];
    if (!data && !epoxy_is_desktop_gl()) {
        return upload_floats(level, x, y, error);
    }
    glPixelStorei(GL_UNPACK_ROW_LENGTH, (GLint)level->stride);
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, (GLsizei)level->width, (GLsizei)level->height, GL_RGBA,
                    data ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT, level->texels);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    return MRW_OK;
}

static void make_image(gl_image *image, bool data, GLsizei width, GLsizei height)
{
    const bool desktop = epoxy_is_desktop_gl();
    glGenTextures(1, &image->texture);
    glActiveTexture(GL_TEXTURE0 + GL_UNIT_SPARE); /* all other units may have a map */
    glBindTexture(GL_TEXTURE_2D, image->texture);
    glTexImage2D(GL_TEXTURE_2D, 0,
                 data      ? GL_RGBA8
                 : desktop ? GL_RGBA16
                           : GL_RGBA32F,
                 width, height, 0, GL_RGBA,
                 data      ? GL_UNSIGNED_BYTE
                 : desktop ? GL_UNSIGNED_SHORT
                           : GL_FLOAT,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    image->bytes = (size_t)width * (size_t)height * (data ? 4 : desktop ? 8 : 16);
}

/* Uploads all levels into one picture: see texture.glsl. */
static mrw_status upload(const mrw_raster_texture_info *info, gl_image *image, mrw_error *error)
{
    GLint most = 0, plan[3];
    gl_image_plan(info, plan);
    const GLint width = plan[0] > plan[2] ? plan[0] : plan[2];
    const GLint height = plan[1] + (plan[1] > 1 ? plan[1] / 2 : 1);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width > most || height > most) {
        return mrw_fail(
            error, MRW_ERROR_DISPLAY,
            "a texture has %dx%d texels, too many for this OpenGL driver; use --backend soft",
            plan[0], plan[1]);
    }
    make_image(image, info->encoding == MRW_ENCODING_DATA, width, height);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (uint32_t i = info->finest; i < info->level_count; i++) {
        const uint32_t number = i - info->finest;
        const mrw_status status =
            upload_level(info, i, number == 0 ? 0 : plan[2] - (plan[2] >> (number - 1)),
                         number == 0 ? 0 : plan[1], error);
        if (status) {
            glDeleteTextures(1, &image->texture);
            return status;
        }
    }
    return MRW_OK;
}

mrw_status gl_store_image(gl_store *store, const mrw_raster_texture *texture, GLuint *out,
                          mrw_error *error)
{
    const mrw_raster_texture_info info = mrw_raster_texture_look(texture);
    for (size_t i = 0; i < store->image_count; i++) {
        if (store->images[i].id == info.id) {
            store->images[i].last_use = store->now;
            *out = store->images[i].texture;
            return MRW_OK;
        }
    }
    gl_image *grown = realloc(store->images, (store->image_count + 1) * sizeof *grown);
    if (!grown) {
        return fail_memory(error);
    }
    store->images = grown;
    gl_image image = {.id = info.id, .last_use = store->now};
    const mrw_status status = upload(&info, &image, error);
    if (status) {
        return status;
    }
    grown[store->image_count++] = image;
    *out = image.texture;
    return MRW_OK;
}

/* ---- environments ---------------------------------------------------------------------------- */

mrw_status gl_store_sky(gl_store *store, const mrw_environment *environment, gl_sky **out,
                        mrw_error *error)
{
    const mrw_environment_info info = mrw_environment_look(environment);
    for (size_t i = 0; i < store->sky_count; i++) {
        if (store->skies[i].id == info.id) {
            store->skies[i].last_use = store->now;
            *out = &store->skies[i];
            return MRW_OK;
        }
    }
    gl_sky *grown = realloc(store->skies, (store->sky_count + 1) * sizeof *grown);
    if (!grown) {
        return fail_memory(error);
    }
    store->skies = grown;
    gl_sky *sky = &grown[store->sky_count++];
    *sky = (gl_sky){.id = info.id, .last_use = store->now};
    *out = sky;
    mrw_status status =
        gl_table_fill(&sky->texels, GL_RGBA32F, info.texels, (size_t)info.texel_count * 16, error);
    if (!status && info.picture) {
        status = gl_table_fill(&sky->picture, GL_RGBA32F, info.picture,
                               (size_t)info.picture_width * info.picture_height * 16, error);
    }
    sky->bytes = sky->texels.size + sky->picture.size;
    sky->id = status ? 0 : sky->id; /* an incomplete sky must not be found */
    return status;
}

/* ---- keeping and freeing --------------------------------------------------------------------- */

/* Frees objects: everything, or else those with an id of 0, which no later picture can find, and
 * with `much` also those that the last picture did not use. */
static void drop(gl_store *store, bool everything, bool much)
{
    size_t kept = 0;
    for (size_t i = 0; i < store->mesh_count; i++) {
        gl_mesh *mesh = store->meshes[i];
        if (everything || mesh->model == 0 || (much && mesh->last_use != store->now)) {
            gl_mesh_free(mesh);
        } else {
            store->meshes[kept++] = mesh;
        }
    }
    store->mesh_count = kept;
    kept = 0;
    for (size_t i = 0; i < store->image_count; i++) {
        gl_image *image = &store->images[i];
        if (everything || (much && image->last_use != store->now)) {
            glDeleteTextures(1, &image->texture);
        } else {
            store->images[kept++] = *image;
        }
    }
    store->image_count = kept;
    kept = 0;
    for (size_t i = 0; i < store->sky_count; i++) {
        gl_sky *sky = &store->skies[i];
        if (everything || sky->id == 0 || (much && sky->last_use != store->now)) {
            gl_table_free(&sky->texels);
            gl_table_free(&sky->picture);
        } else {
            store->skies[kept++] = *sky;
        }
    }
    store->sky_count = kept;
}

void gl_store_tidy(gl_store *store)
{
    size_t bytes = 0;
    for (size_t i = 0; i < store->mesh_count; i++) {
        bytes += store->meshes[i]->bytes;
    }
    for (size_t i = 0; i < store->image_count; i++) {
        bytes += store->images[i].bytes;
    }
    for (size_t i = 0; i < store->sky_count; i++) {
        bytes += store->skies[i].bytes;
    }
    drop(store, false, bytes > KEPT);
    store->now++;
}

void gl_store_free(gl_store *store)
{
    drop(store, true, true);
    free(store->meshes);
    free(store->images);
    free(store->skies);
    *store = (gl_store){0};
}
