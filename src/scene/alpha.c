/* alpha.c: chooses the transparency of a material whose file does not define it: by the alpha of
 * its base texture, where its meshes show it.
 *
 * The texels that the triangles of its meshes cover (with the map's coordinates, transform and wrap
 * modes) decide:
 * - all opaque: OPAQUE;
 * - all below 16: OPAQUE, too. Exporters of TGA files leave such an alpha without meaning it;
 * - at least 95 % below 16 or above 239: MASK, at a cutoff of 0.5. The texels between are the soft
 *   edge of leaves, lashes and fences;
 * - else BLEND.
 *
 * A texel is covered if its centre is. A triangle without any centre covers the texel that contains
 * its middle, and a triangle that spans more than 16 repeats covers everything. The budget of steps
 * is in proportion to the triangles and texels of the file: once it is used up, the texels covered
 * so far decide. */
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define LOW      16u
#define HIGH     239u
#define REPEATS  16.0
#define EACH     256u       /* steps per triangle */
#define AT_LEAST (1u << 26) /* least steps per file */
#define COUNTED  16u        /* texels per step when they are counted */

/* The covered texels of an image, one bit each. */
typedef struct cover {
    const mrw_texture *texture;
    uint32_t width, height, stride; /* `stride`: words per row */
    uint64_t *bits;                 /* bits of all rows; zero in untouched rows */
    uint8_t *rows;                  /* 0: not touched; 1: touched; 2: full */
    uint32_t full;                  /* number of full rows */
    uint64_t *left;                 /* steps that remain */
} cover;

/* ---- covering -------------------------------------------------------------------------------- */

/* Sets bits first ... end - 1 of a row. */
static void set_bits(uint64_t *words, uint32_t first, uint32_t end)
{
    for (uint32_t w = first / 64; w * 64 < end; w++) {
        const uint32_t from = first > w * 64 ? first - w * 64 : 0;
        const uint32_t to = end - w * 64 < 64 ? end - w * 64 : 64;
        const uint64_t below = to == 64 ? UINT64_MAX : (UINT64_C(1) << to) - 1;
        words[w] |= below & ~((UINT64_C(1) << from) - 1);
    }
}

static bool spend(cover *c, uint64_t steps)
{
    const bool there = *c->left >= steps;
    *c->left = there ? *c->left - steps : 0;
    return there;
}

static void set_range(cover *c, uint32_t row, uint32_t first, uint32_t end)
{
    if (c->rows[row] == 2 || !spend(c, (end - first) / 64)) {
        return;
    }
    if (c->rows[row] == 0 && !spend(c, c->width / COUNTED)) {
        return;
    }
    const bool whole = first == 0 && end == c->width;
    set_bits(c->bits + (size_t)row * c->stride, first, end);
    c->rows[row] = whole ? 2 : 1;
    c->full += whole;
}

/* Returns which of `side` texels is shown at place `at`, a whole number. */
static uint32_t wrap(double at, uint32_t side, uint32_t mode)
{
    const double tile = floor(at / (double)side);
    const uint32_t within = mrwi_base_to_u32(at - tile * (double)side);
    if (mode == MRW_WRAP_CLAMP) {
        return tile < 0.0 ? 0 : tile > 0.0 ? side - 1 : within;
    }
    return mode == MRW_WRAP_MIRROR && fmod(tile, 2.0) != 0.0 ? side - 1 - within : within;
}

/* Covers texels first ... end - 1 of a row, which may be in several repeats. */
static void cover_row(cover *c, double y, double first, double end)
{
    const uint32_t row = wrap(y, c->height, c->texture->wrap_v), mode = c->texture->wrap_u;
    const double side = (double)c->width;
    if (end - first >= (mode == MRW_WRAP_MIRROR ? 2.0 : 1.0) * side && mode != MRW_WRAP_CLAMP) {
        set_range(c, row, 0, c->width);
        return;
    }
    for (double at = first; at < end;) {
        const double next = (floor(at / side) + 1.0) * side, to = next < end ? next : end;
        const uint32_t a = wrap(at, c->width, mode), b = wrap(to - 1.0, c->width, mode);
        set_range(c, row, a < b ? a : b, (a < b ? b : a) + 1);
        at = to;
    }
}

static void cover_all(cover *c)
{
    for (uint32_t row = 0; row < c->height && c->full < c->height; row++) {
        set_range(c, row, 0, c->width);
    }
}

/* Returns where the line from p to q crosses height y, which is between them. */
static double cross(const double p[2], const double q[2], double y)
{
    return p[0] + (q[0] - p[0]) * ((y - p[1]) / (q[1] - p[1]));
}

/* Finds the centres of a row that a triangle covers, as texels first ... end - 1. */
static void span_of(const double p[3][2], double y, double *first, double *end)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *a = p[i], *b = p[(i + 1) % 3];
        if ((a[1] <= y) != (b[1] <= y)) {
            const double x = a[1] < b[1] ? cross(a, b, y) : cross(b, a, y);
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
    }
    *first = ceil(least - 0.5);
    *end = ceil(most - 0.5);
}

/* Covers a triangle, given in texels. */
static void cover_triangle(cover *c, const double p[3][2])
{
    double least[2], most[2];
    for (int k = 0; k < 2; k++) {
        least[k] = p[0][k] < p[1][k] ? p[0][k] : p[1][k];
        least[k] = p[2][k] < least[k] ? p[2][k] : least[k];
        most[k] = p[0][k] > p[1][k] ? p[0][k] : p[1][k];
        most[k] = p[2][k] > most[k] ? p[2][k] : most[k];
    }
    if (!(most[0] - least[0] <= REPEATS * (double)c->width &&
          most[1] - least[1] <= REPEATS * (double)c->height)) {
        cover_all(c);
        return;
    }
    bool any = false;
    for (double y = ceil(least[1] - 0.5); y + 0.5 < most[1] && spend(c, 1); y += 1.0) {
        double first, end;
        span_of(p, y + 0.5, &first, &end);
        if (first < end) {
            cover_row(c, y, first, end);
            any = true;
        }
    }
    if (!any && spend(c, 1)) {
        const double x = floor((p[0][0] + p[1][0] + p[2][0]) / 3.0);
        cover_row(c, floor((p[0][1] + p[1][1] + p[2][1]) / 3.0), x, x + 1.0);
    }
}

/* Coordinates beyond this are only rounding. */
#define FAR 1e9

static void cover_mesh(cover *c, const mrwi_scene_draft *draft, const mrw_material_map *map,
                       const mrw_mesh *mesh)
{
    static const float origin[2] = {0, 0};
    const uint32_t set = mesh->uv[map->uv_set],
                   *indices = MRWI_SCENE_POOL(draft, indices, uint32_t);
    const float *uvs = MRWI_SCENE_POOL(draft, uvs, float), *m = map->uv_transform;
    for (uint32_t t = 0; t < mesh->triangle_count && c->full<c->height && * c->left> 0; t++) {
        double p[3][2];
        bool near = spend(c, 1);
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = indices[mesh->first_index + 3 * t + (uint32_t)k];
            const float *uv = set == MRW_NONE ? origin : uvs + 2 * ((size_t)set + vertex);
            const double u = (double)uv[0], v = (double)uv[1];
            p[k][0] = ((double)m[0] * u + (double)m[1] * v + (double)m[2]) * (double)c->width;
            p[k][1] = ((double)m[3] * u + (double)m[4] * v + (double)m[5]) * (double)c->height;
            near = near && fabs(p[k][0]) < FAR && fabs(p[k][1]) < FAR;
        }
        if (near) {
            cover_triangle(c, (const double(*)[2])p);
        }
    }
}

/* ---- deciding -------------------------------------------------------------------------------- */

/* The alpha of an image's texels. */
typedef struct plane {
    const uint8_t *at;
    size_t step;
} plane;

/* Finds the alpha plane. Returns false if all texels are opaque, as far as is known. */
static bool plane_of(const mrw_image_info *image, const mrwi_scene_picture *picture, plane *out)
{
    *out = picture->opacity                                         ? (plane){picture->opacity, 1}
           : picture->rgba && (image->flags & MRW_IMAGE_ALPHA) != 0 ? (plane){picture->rgba + 3, 4}
                                                                    : (plane){NULL, 0};
    return out->at;
}

/* Counts the covered texels, clears them, and decides. */
static mrw_alpha_mode judge(cover *c, const plane *alpha)
{
    uint64_t all = 0, low = 0, high = 0, opaque = 0;
    for (uint32_t row = 0; row < c->height; row++) {
        uint64_t *words = c->bits + (size_t)row * c->stride;
        for (uint32_t x = 0; x < c->width && c->rows[row] != 0; x++) {
            if ((words[x / 64] >> (x % 64) & 1) != 0) {
                const uint8_t a = alpha->at[((size_t)row * c->width + x) * alpha->step];
                all++;
                low += a < LOW;
                high += a > HIGH;
                opaque += a == 255;
            }
        }
        if (c->rows[row] != 0) {
            memset(words, 0, c->stride * sizeof *words);
            c->rows[row] = 0;
        }
    }
    return opaque == all || low == all     ? MRW_ALPHA_OPAQUE
           : 20 * (low + high) >= 19 * all ? MRW_ALPHA_MASK
                                           : MRW_ALPHA_BLEND;
}

/* Lists of meshes by material. */
typedef struct users {
    uint32_t *first; /* per material: its first mesh, or MRW_NONE */
    uint32_t *next;  /* per mesh: the next one with its material */
} users;

static mrw_status find_users(const mrwi_scene_draft *draft, mrwi_base_arena *scratch, users *out,
                             mrw_error *error)
{
    const uint32_t materials = MRWI_SCENE_COUNT(draft, materials),
                   meshes = MRWI_SCENE_COUNT(draft, meshes);
    mrwi_base_arena_reset(scratch);
    out->first = mrwi_scene_scratch(scratch, materials, sizeof *out->first, error);
    out->next = mrwi_scene_scratch(scratch, meshes, sizeof *out->next, error);
    if (!out->first || !out->next) {
        return MRW_ERROR_MEMORY;
    }
    memset(out->first, 0xff, materials * sizeof *out->first);
    for (uint32_t i = meshes; i-- > 0;) {
        const uint32_t material = MRWI_SCENE_AT(draft, meshes, mrw_mesh, i).material;
        if (material < materials) {
            out->next[i] = out->first[material];
            out->first[material] = i;
        }
    }
    return MRW_OK;
}

/* Allocates the cover of the largest image. *left: the budget of steps, which must not depend on
 * whether texels are kept. */
static bool make_cover(const mrwi_scene_draft *draft, cover *out, uint64_t *left)
{
    size_t words = 0, rows = 0;
    *left = AT_LEAST + (uint64_t)MRWI_SCENE_COUNT(draft, indices) / 3 * EACH;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, images); i++) {
        const mrw_image_info *image = &MRWI_SCENE_AT(draft, images, mrw_image_info, i);
        const size_t wanted = (size_t)image->height * (((size_t)image->width + 63) / 64);
        words = wanted > words ? wanted : words;
        rows = image->height > rows ? image->height : rows;
        *left += (uint64_t)image->width * image->height;
    }
    out->left = left;
    out->bits = mrwi_base_alloc_zero(words, sizeof *out->bits);
    out->rows = mrwi_base_alloc_zero(rows, 1);
    return out->bits && out->rows;
}

static mrw_alpha_mode find_mode(const mrwi_scene_draft *draft, const mrwi_scene_picture *pictures,
                                const users *meshes, uint32_t index, cover *c)
{
    const mrw_material *material = &MRWI_SCENE_AT(draft, materials, mrw_material, index);
    const mrw_material_map *map = &material->maps[MRW_MAP_BASE_COLOR];
    plane alpha;
    if (map->texture == MRW_NONE) {
        return MRW_ALPHA_OPAQUE;
    }
    c->texture = &MRWI_SCENE_AT(draft, textures, mrw_texture, map->texture);
    const mrw_image_info *image = &MRWI_SCENE_AT(draft, images, mrw_image_info, c->texture->image);
    if (!plane_of(image, &pictures[c->texture->image], &alpha)) {
        return MRW_ALPHA_OPAQUE;
    }
    c->width = image->width;
    c->height = image->height;
    c->stride = (image->width + 63) / 64;
    c->full = 0;
    for (uint32_t i = meshes->first[index]; i != MRW_NONE; i = meshes->next[i]) {
        cover_mesh(c, draft, map, &MRWI_SCENE_AT(draft, meshes, mrw_mesh, i));
    }
    return judge(c, &alpha);
}

static bool any_asks(const mrwi_scene_draft *draft)
{
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, materials); i++) {
        if (MRWI_SCENE_AT(draft, materials, mrw_material, i).alpha_mode ==
            MRWI_SCENE_ALPHA_BY_TEXELS) {
            return true;
        }
    }
    return false;
}

mrw_status mrwi_scene_finish_alpha(mrwi_scene_draft *draft, const mrwi_scene_picture *pictures,
                                   mrwi_base_arena *scratch, mrw_error *error)
{
    users meshes;
    uint64_t left;
    cover c = {.width = 0};
    if (!any_asks(draft)) {
        return MRW_OK;
    }
    mrw_status status = find_users(draft, scratch, &meshes, error);
    if (status) {
        return status;
    }
    if (!make_cover(draft, &c, &left)) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, materials); i++) {
        mrw_material *material = &MRWI_SCENE_AT(draft, materials, mrw_material, i);
        if (material->alpha_mode == MRWI_SCENE_ALPHA_BY_TEXELS) {
            material->alpha_mode = find_mode(draft, pictures, &meshes, i, &c);
        }
    }
out:
    mrwi_base_free(c.bits);
    mrwi_base_free(c.rows);
    return status;
}
