/* test_raster.c: whole pictures: depth, edges, blending, culling, fragments, against values worked
 * out by hand. Shading is replaced by kernels of the test, which note what they are given.
 */
#include "raster_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- kernels of the test --------------------------------------------------------------------- */

typedef struct seen_fragment {
    uint32_t triangle;
    float x, y;
} seen_fragment;

#define MAX_SEEN 100000

static seen_fragment seen[MAX_SEEN];
static uint32_t seen_count;
static mrwi_shade_frame seen_frame;
static int encoded_channel; /* which channel fake_encode stores */

/* Whether a point belongs to a triangle, in whole sub-pixels: on an edge, when a step to the right,
 * and a far smaller one down, leads inside. */
static bool belongs(const mrwi_shade_frame *frame, uint32_t triangle, float px, float py)
{
    int64_t x[3], y[3], area = 0, sign;
    for (int i = 0; i < 3; i++) {
        const mrwi_shade_vertex *v = &frame->vertices[frame->triangles[triangle].vertex[i]];
        x[i] = (int64_t)((v->x - px) * 256.0f);
        y[i] = (int64_t)((v->y - py) * 256.0f);
    }
    for (int i = 0; i < 3; i++) {
        area += x[i] * y[(i + 1) % 3] - x[(i + 1) % 3] * y[i];
    }
    sign = area < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        int64_t e = sign * (x[i] * y[k] - x[k] * y[i]);
        int64_t right = sign * (y[i] - y[k]), down = sign * (x[k] - x[i]);
        if (e < 0 || (e == 0 && (right < 0 || (right == 0 && down < 0)))) {
            return false;
        }
    }
    return true;
}

static seen_fragment place(const mrwi_shade_frame *frame, const mrwi_shade_list *list, uint32_t i)
{
    seen_fragment f = {list->triangle[i], list->x[i], list->y[i]};
    if (list->other_x && !belongs(frame, f.triangle, f.x, f.y)) {
        f.x = list->other_x[i];
        f.y = list->other_y[i];
    }
    return f;
}

/* The draw's base colour, premultiplied when it is transparent. */
static void fake_shade(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4])
{
    ck_assert_uint_le(list->count, MRWI_SHADE_LIST_MAX);
    ck_assert_uint_eq((uintptr_t)rgba % 64, 0);
    seen_frame = *frame;
    for (uint32_t i = 0; i < list->count + MRWI_SHADE_LIST_PAD; i++) {
        const mrwi_shade_triangle *triangle = &frame->triangles[list->triangle[i]];
        const mrw_raster_material *material = frame->draws[triangle->draw_flags >> 1].material;
        float alpha = material->alpha_mode == MRWI_RASTER_BLEND ? material->base_color[3] : 1.0f;
        for (int c = 0; c < 3; c++) {
            rgba[i][c] = material->base_color[c] * alpha;
        }
        rgba[i][3] = alpha;
        if (i < list->count && seen_count < MAX_SEEN) {
            seen[seen_count++] = place(frame, list, i);
        }
    }
}

#define MAX_NOTED 100000

static float noted_alpha[MAX_NOTED][2]; /* where alpha was asked for */
static uint32_t noted_alpha_count;

/* Holes in every second column. */
static void fake_alpha(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha)
{
    (void)frame;
    for (uint32_t i = 0; i < list->count; i++) {
        alpha[i] = (int)list->x[i] % 2 == 0 ? 0.25f : 0.75f;
        if (noted_alpha_count < MAX_NOTED) {
            noted_alpha[noted_alpha_count][0] = list->x[i];
            noted_alpha[noted_alpha_count++][1] = list->y[i];
        }
    }
}

/* Stores one channel as it is, so that tests see floats. */
static void fake_encode(const float (*rgba)[4], uint32_t count, const float background[4],
                        uint32_t channels, mrwi_shade_tone tone, uint8_t *out)
{
    (void)background;
    (void)tone;
    REQUIRE(channels == 4 && (uintptr_t)rgba % 64 == 0);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(out + (size_t)4 * i, &rgba[i][encoded_channel], 4);
    }
}

static int32_t fake_gather(const mrwi_shade_gather *row, mrwi_shade_fragments *fragments,
                           mrwi_shade_pixels *pixels)
{
    return mrwi_shade_kernels_for(MRW_ISA_SCALAR)->gather(row, fragments, pixels);
}

static void fake_write_pixels(const mrwi_shade_pixels *list, const float (*rgba)[4],
                              const float background[4], uint32_t channels, mrwi_shade_tone tone,
                              uint8_t *pixels)
{
    (void)background;
    (void)tone;
    REQUIRE(channels == 4);
    for (uint32_t i = 0; i < list->count; i++) {
        memcpy(pixels + (size_t)4 * list->where[i], &rgba[list->slot[i]][encoded_channel], 4);
    }
}

static void fake_shade_pixels(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                              const uint32_t *where, uint32_t channels, uint8_t *pixels)
{
    _Alignas(64) static float rgba[MRWI_SHADE_LIST_ROOM][4];
    REQUIRE(channels == 4);
    fake_shade(frame, list, rgba);
    for (uint32_t i = 0; i < list->count; i++) {
        memcpy(pixels + (size_t)4 * where[i], &rgba[i][encoded_channel], 4);
    }
}

static const mrwi_shade_kernels fake_kernels = {fake_shade,  fake_alpha,        fake_encode,
                                                fake_gather, fake_write_pixels, fake_shade_pixels};

/* ---- whole pictures -------------------------------------------------------------------------- */

#define MAX_CARDS 8

/* Flat shapes in pixel space, one draw each. */
typedef struct cards {
    mrw_raster_draw draws[MAX_CARDS];
    mrw_raster_material materials[MAX_CARDS];
    float positions[MAX_CARDS][4][4];
    float normals[4][4];
    mrw_raster_job job;
    mrw_target targets[2]; /* the picture, ids */
    uint32_t ids[SIDE * SIDE];
} cards;

static const uint32_t card_indices[6] = {0, 1, 2, 0, 2, 3};

static void cards_begin(cards *c, uint32_t samples)
{
    memset(c, 0, sizeof *c);
    memset(c->ids, 0xff, sizeof c->ids); /* what a frame leaves alone would show */
    for (int i = 0; i < 4; i++) {
        c->normals[i][2] = 1.0f;
    }
    c->job.draws = c->draws;
    c->job.view.world_to_clip = pixel_space(SIDE);
    c->job.view.orthographic = true;
    c->job.width = c->job.height = SIDE;
    c->job.samples = samples;
    c->job.threads = 1;
    c->job.targets = c->targets;
    c->job.target_count = 2;
    c->targets[1] = (mrw_target){MRW_TARGET_ID, MRW_FORMAT_U32, 1, c->ids, SIDE * sizeof c->ids[0]};
    c->job.background[3] = 255;
}

/* A quadrilateral, counter-clockwise as seen; its corners are x, y, z. Red and alpha as given. */
static mrw_raster_draw *add_card(cards *c, const float corners[4][3], float red, float alpha,
                                 mrwi_raster_layer layer)
{
    uint32_t n = c->job.draw_count++;
    c->materials[n] = (mrw_raster_material){.base_color = {red, 0, 0, alpha},
                                            .alpha_mode = (uint32_t)layer,
                                            .alpha_cutoff = 0.5f,
                                            .uv_transform = {1, 0, 0, 0, 1, 0}};
    for (int i = 0; i < 4; i++) {
        memcpy(c->positions[n][i], corners[i], sizeof corners[i]);
        c->positions[n][i][3] = 1.0f;
    }
    c->draws[n] = (mrw_raster_draw){.vertex_count = 4,
                                    .triangle_count = 2,
                                    .indices = card_indices,
                                    .positions = c->positions[n][0],
                                    .normals = c->normals[0],
                                    .id = 10 * (n + 1),
                                    .material = &c->materials[n]};
    return &c->draws[n];
}

static mrw_raster_draw *add_rectangle(cards *c, float x0, float y0, float x1, float y1, float z,
                                      float red, float alpha, mrwi_raster_layer layer)
{
    const float corners[4][3] = {{x0, y0, z}, {x0, y1, z}, {x1, y1, z}, {x1, y0, z}};
    return add_card(c, corners, red, alpha, layer);
}

/* Draws with the test's kernels. What they have seen is valid until the next picture. */
static void draw_fake(const mrw_raster_job *job)
{
    static mrw_raster *raster;
    mrw_raster_free(raster);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    seen_count = 0;
    ck_assert_int_eq(mrwi_raster_draw(raster, job, &fake_kernels, 0, NULL), MRW_OK);
    ck_assert_uint_lt(seen_count, MAX_SEEN);
}

/* The picture holds one float channel. */
static void draw_cards(cards *c, int channel, float *out)
{
    c->targets[0] = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, out, SIDE * 4};
    encoded_channel = channel;
    draw_fake(&c->job);
}

static float picture[SIDE * SIDE];

#define AT(x, y)    picture[(y)*SIDE + (x)]
#define ID_AT(x, y) c.ids[(y)*SIDE + (x)]

START_TEST(nearest_wins_and_ties_keep_the_first)
{
    static cards c;
    for (int swapped = 0; swapped < 2; swapped++) {
        cards_begin(&c, 4);
        add_rectangle(&c, 0, 0, 32, 32, swapped ? 0.25f : 0.75f, 1, 1, MRWI_RASTER_OPAQUE);
        add_rectangle(&c, 16, 16, 48, 48, swapped ? 0.75f : 0.25f, 2, 1, MRWI_RASTER_OPAQUE);
        add_rectangle(&c, 16, 16, 48, 48, swapped ? 0.75f : 0.25f, 4, 1, MRWI_RASTER_OPAQUE);
        draw_cards(&c, 0, picture);
        ck_assert_float_eq(AT(8, 8), 1.0f);
        ck_assert_float_eq(AT(20, 20), swapped ? 1.0f : 2.0f);
        ck_assert_float_eq(AT(40, 40), 2.0f);
        ck_assert_float_eq(AT(60, 60), 0.0f);
        ck_assert_uint_eq(ID_AT(8, 8), 10);
        ck_assert_uint_eq(ID_AT(20, 20), swapped ? 10 : 20);
        ck_assert_uint_eq(ID_AT(40, 40), 20);
        ck_assert_uint_eq(ID_AT(60, 60), 0);
    }
}
END_TEST

/* With masks, whose holes are the even columns, on either side; so few that they are looked at
 * together. */
START_TEST(masked_ties_keep_the_first)
{
    static const mrwi_raster_layer layers[3][2] = {{MRWI_RASTER_MASK, MRWI_RASTER_MASK},
                                                   {MRWI_RASTER_OPAQUE, MRWI_RASTER_MASK},
                                                   {MRWI_RASTER_MASK, MRWI_RASTER_OPAQUE}};
    static const float in_holes[3] = {0, 1, 2};
    static cards c;
    for (int i = 0; i < 6; i++) {
        cards_begin(&c, i < 3 ? 1 : 4);
        add_rectangle(&c, 0, 0, 8, 8, 0.5f, 1, 1, layers[i % 3][0]);
        add_rectangle(&c, 0, 0, 8, 8, 0.5f, 2, 1, layers[i % 3][1]);
        draw_cards(&c, 0, picture);
        for (int x = 0; x < 8; x++) {
            const float expected = x % 2 == 0 ? in_holes[i % 3] : 1.0f;
            ck_assert_float_eq(AT(x, 5), expected);
            ck_assert_uint_eq(ID_AT(x, 5), (uint32_t)expected * 10);
        }
    }
}
END_TEST

/* Two slopes that meet at x = 32: the crossing falls where the depths are equal. */
START_TEST(crossing_planes_meet_where_depths_do)
{
    static cards c;
    cards_begin(&c, 1);
    const float rising[4][3] = {{0, 0, 0.25f}, {0, 64, 0.25f}, {64, 64, 0.75f}, {64, 0, 0.75f}};
    const float falling[4][3] = {{0, 0, 0.75f}, {0, 64, 0.75f}, {64, 64, 0.25f}, {64, 0, 0.25f}};
    add_card(&c, rising, 1, 1, MRWI_RASTER_OPAQUE);
    add_card(&c, falling, 2, 1, MRWI_RASTER_OPAQUE);
    draw_cards(&c, 0, picture);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            REQUIRE(AT(x, y) == (x < 32 ? 1.0f : 2.0f));
        }
    }
}
END_TEST

/* What lies beyond the far plane or before the near plane is not drawn. */
START_TEST(depth_range_is_kept)
{
    static cards c;
    cards_begin(&c, 2);
    const float slope[4][3] = {{0, 0, -1.0f}, {0, 64, -1.0f}, {64, 64, 3.0f}, {64, 0, 3.0f}};
    add_card(&c, slope, 1, 1, MRWI_RASTER_OPAQUE);
    draw_cards(&c, 0, picture);
    for (int x = 0; x < SIDE; x++) { /* depth is x / 16 - 1 */
        ck_assert_float_eq(AT(x, 30), x >= 16 && x < 32 ? 1.0f : 0.0f);
    }
}
END_TEST

START_TEST(edges_are_averaged_in_linear_light)
{
    static cards c;
    /* x = 10.5: of the patterns' samples these lie to the right of it or on it */
    const float right_half[4] = {1.0f, 0.5f, 0.5f, 0.5f};
    for (int pattern = 0; pattern < 4; pattern++) {
        cards_begin(&c, 1u << pattern);
        add_rectangle(&c, 10.5f, 4, 20, 8, 0.5f, 0.8f, 1, MRWI_RASTER_OPAQUE);
        draw_cards(&c, 0, picture);
        ck_assert_float_eq(AT(10, 5), right_half[pattern] * 0.8f);
        ck_assert_float_eq(AT(11, 5), 0.8f);
        ck_assert_float_eq(AT(9, 5), 0.0f);
        ck_assert_float_eq(AT(10, 3), 0.0f);
        draw_cards(&c, 3, picture);
        ck_assert_float_eq(AT(10, 5), right_half[pattern]);
    }
    /* 4 samples at x = -2, 6, -6, 2 sixteenths: three of them to the right of -5 */
    cards_begin(&c, 4);
    add_rectangle(&c, 10.5f - 5.0f / 16, 4, 20, 8, 0.5f, 1, 1, MRWI_RASTER_OPAQUE);
    add_rectangle(&c, 5, 4, 20, 8, 0.75f, 0.5f, 1, MRWI_RASTER_OPAQUE);
    draw_cards(&c, 0, picture);
    ck_assert_float_eq(AT(10, 5), 0.75f + 0.125f);
}
END_TEST

/* A sum of equal samples would round; pixels within a surface keep the very bits of their shading.
 */
START_TEST(full_pixels_keep_their_bits)
{
    static cards c;
    const float odd = 0.1234567f;
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        cards_begin(&c, samples);
        add_rectangle(&c, 0, 0, 40, 40, 0.5f, odd, 1, MRWI_RASTER_OPAQUE);
        add_rectangle(&c, 32, 32, 40, 40, 0.25f, 1, 0.0f, MRWI_RASTER_BLEND); /* quite clear */
        draw_cards(&c, 0, picture);
        ck_assert_float_eq(AT(3, 3), odd);
        ck_assert_float_eq(AT(35, 35), odd);
    }
}
END_TEST

START_TEST(transparency_goes_back_to_front)
{
    static cards c;
    for (int reversed = 0; reversed < 2; reversed++) {
        for (uint32_t samples = 1; samples <= 4; samples *= 4) {
            cards_begin(&c, samples);
            add_rectangle(&c, 0, 0, 32, 64, 0.5f, 1, 1, MRWI_RASTER_OPAQUE);
            float near_z = reversed ? 0.3f : 0.2f, far_z = reversed ? 0.2f : 0.3f;
            add_rectangle(&c, 0, 0, 64, 64, near_z, 0.5f, 0.5f, MRWI_RASTER_BLEND);
            add_rectangle(&c, 0, 0, 64, 64, far_z, 0.25f, 0.75f, MRWI_RASTER_BLEND);
            add_rectangle(&c, 0, 0, 64, 64, 0.6f, 64, 0.5f, MRWI_RASTER_BLEND);
            draw_cards(&c, 0, picture);
            /* over red 1: the one at 0.6 is hidden; over nothing: 64 at alpha 1/2 gives 32 */
            float front_a = 0.5f * 0.5f, front_b = 0.25f * 0.75f;
            float expected[2];
            for (int i = 0; i < 2; i++) {
                float under = i == 0 ? 1.0f : 32.0f;
                expected[i] = reversed ? front_b + (front_a + under * 0.5f) * 0.25f
                                       : front_a + (front_b + under * 0.25f) * 0.5f;
            }
            ck_assert_float_eq(AT(10, 10), expected[0]);
            ck_assert_float_eq(AT(50, 10), expected[1]);
            ck_assert_uint_eq(ID_AT(10, 10), 10);
            ck_assert_uint_eq(ID_AT(50, 10), 0);
        }
    }
}
END_TEST

/* At equal depth the order of drawing decides: the second is blended over the first. An opaque
 * triangle at the same depth hides only what is drawn after it. */
START_TEST(transparent_ties)
{
    static cards c;
    cards_begin(&c, 1);
    add_rectangle(&c, 0, 0, 64, 64, 0.5f, 8, 0.5f, MRWI_RASTER_BLEND);
    add_rectangle(&c, 0, 0, 64, 64, 0.5f, 2, 0.5f, MRWI_RASTER_BLEND);
    draw_cards(&c, 0, picture);
    ck_assert_float_eq(AT(10, 10), 1.0f + 4.0f * 0.5f);
    add_rectangle(&c, 0, 0, 64, 64, 0.5f, 1, 1, MRWI_RASTER_OPAQUE);
    add_rectangle(&c, 0, 0, 64, 64, 0.5f, 99, 0.5f, MRWI_RASTER_BLEND);
    draw_cards(&c, 0, picture);
    ck_assert_float_eq(AT(10, 10), 1.0f + (4.0f + 1.0f * 0.5f) * 0.5f);
}
END_TEST

/* fake_alpha opens every even column: what is behind shows there, whatever the order. */
START_TEST(masked_holes)
{
    static cards c;
    for (int order = 0; order < 2; order++) {
        for (uint32_t samples = 1; samples <= 8; samples *= 2) {
            cards_begin(&c, samples);
            if (order == 1) {
                add_rectangle(&c, 0, 0, 32, 32, 0.5f, 2, 1, MRWI_RASTER_OPAQUE);
            }
            add_rectangle(&c, 8, 8, 40, 40, 0.25f, 1, 1, MRWI_RASTER_MASK);
            add_rectangle(&c, 8, 8, 40, 40, 0.75f, 7, 1, MRWI_RASTER_MASK);
            if (order == 0) {
                add_rectangle(&c, 0, 0, 32, 32, 0.5f, 2, 1, MRWI_RASTER_OPAQUE);
            }
            draw_cards(&c, 0, picture);
            ck_assert_float_eq(AT(10, 10), 2.0f);
            ck_assert_float_eq(AT(11, 10), 1.0f);
            ck_assert_float_eq(AT(34, 34), 0.0f);
            ck_assert_float_eq(AT(35, 34), 1.0f);
            ck_assert_uint_eq(ID_AT(11, 10), order ? 20 : 10);
            ck_assert_uint_eq(ID_AT(34, 34), 0);
        }
    }
}
END_TEST

/* Alpha is read at the samples that may be won: here at samples 1 and 3 of four, of which another
 * draw, before or after, hides the first. */
START_TEST(masks_are_read_at_samples)
{
    static cards c;
    for (int order = 0; order < 2; order++) {
        cards_begin(&c, 4);
        if (order == 1) {
            add_rectangle(&c, 0, 0, 32, 10.5f, 0.25f, 2, 1, MRWI_RASTER_OPAQUE);
        }
        add_rectangle(&c, 10.5f + 1.0f / 16, 0, 32, 32, 0.5f, 1, 1, MRWI_RASTER_MASK);
        if (order == 0) {
            add_rectangle(&c, 0, 0, 32, 10.5f, 0.25f, 2, 1, MRWI_RASTER_OPAQUE);
        }
        noted_alpha_count = 0;
        draw_cards(&c, 0, picture);
        uint32_t found = 0;
        for (uint32_t i = 0; i < noted_alpha_count; i++) {
            const float *at = noted_alpha[i];
            if ((int)at[0] == 10 && (int)at[1] == 10) {
                ck_assert_float_eq(at[0], 10.5f + 2.0f / 16);
                ck_assert_float_eq(at[1], 10.5f + 6.0f / 16);
                found++;
            }
        }
        ck_assert_uint_eq(found, 1);
    }
}
END_TEST

#define PILE 32 /* cards one behind the other */

/* Two piles of masked cards side by side, one drawn from near to far, the other from far to near, a
 * triangle of either in turn: what lies behind others is looked up only where those have holes, in
 * every second column. Samples are looked up a list at once, so that the last one of a card may be
 * unknown to the next. */
START_TEST(masks_hide_what_is_behind)
{
    static cards c;
    static float corners[PILE][2][4][4], normals[PILE][2][4][4];
    static uint32_t indices[PILE][2][2][3];
    for (uint32_t i = 0; i < PILE; i++) {
        for (uint32_t pile = 0; pile < 2; pile++) {
            const float z = 0.1f + 0.01f * (float)(pile ? 60 - i : i), x = pile ? 32 : 0;
            const float card[4][4] = {
                {x, 0, z, 1}, {x, 32, z, 1}, {x + 32, 32, z, 1}, {x + 32, 0, z, 1}};
            memcpy(corners[i][pile], card, sizeof card);
            for (uint32_t k = 0; k < 4; k++) {
                normals[i][pile][k][2] = 1.0f;
            }
            for (uint32_t k = 0; k < 6; k++) {
                indices[i][k / 3][pile][k % 3] = (2 * i + pile) * 4 + card_indices[k];
            }
        }
    }
    cards_begin(&c, 1);
    mrw_raster_draw *draw = add_rectangle(&c, 0, 0, 1, 1, 0, 1, 1, MRWI_RASTER_MASK);
    draw->vertex_count = PILE * 2 * 4;
    draw->triangle_count = PILE * 2 * 2;
    draw->indices = &indices[0][0][0][0];
    draw->positions = &corners[0][0][0][0];
    draw->normals = &normals[0][0][0][0];
    noted_alpha_count = 0;
    draw_cards(&c, 0, picture);
    const uint32_t pixels = 2 * 32 * 32, least = pixels + (PILE - 1) * pixels / 2;
    ck_assert_uint_ge(noted_alpha_count, least);
    ck_assert_uint_le(noted_alpha_count, least + MRWI_SHADE_LIST_MAX);
    ck_assert_uint_eq(ID_AT(11, 10), 10);
}
END_TEST

#define STRIPES 700

/* Stripes that change within each pixel, two fragments a pixel but for the first: lists fill up to
 * an odd number, and the pixel that no longer fits goes to the next list whole. */
START_TEST(a_pixel_goes_to_one_list)
{
    static float positions[4 * STRIPES][4], normals[4 * STRIPES][4], pixels[STRIPES];
    static uint32_t indices[6 * STRIPES];
    for (uint32_t i = 0; i < STRIPES; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            float *p = positions[4 * i + k];
            p[0] = ((float)i + (k < 2 ? 0.5f : 1.5f)) * SIDE / STRIPES; /* the picture is wider */
            p[1] = k == 0 || k == 3 ? 0.0f : SIDE;
            p[2] = 0.5f;
            p[3] = normals[4 * i + k][2] = 1.0f;
        }
        for (uint32_t k = 0; k < 6; k++) {
            indices[6 * i + k] = 4 * i + card_indices[k];
        }
    }
    const mrw_raster_material material = {.base_color = {1, 0, 0, 1}};
    const mrw_raster_draw draw = {.vertex_count = 4 * STRIPES,
                                  .triangle_count = 2 * STRIPES,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .normals = normals[0],
                                  .material = &material};
    static cards c;
    cards_begin(&c, 2);
    c.targets[0] = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, pixels, STRIPES * 4};
    c.job.target_count = 1;
    c.job.width = STRIPES;
    c.job.height = 1;
    c.job.draws = &draw;
    c.job.draw_count = 1;
    encoded_channel = 0;
    draw_fake(&c.job);
    ck_assert_uint_eq(seen_count, 2 * STRIPES - 1);
    for (int x = 0; x < STRIPES; x++) {
        ck_assert_float_eq(pixels[x], x == 0 ? 0.5f : 1.0f);
    }
}
END_TEST

START_TEST(back_faces_are_culled)
{
    static cards c;
    const float clockwise[4][3] = {{0, 0, 0.5f}, {9, 0, 0.5f}, {9, 9, 0.5f}, {0, 9, 0.5f}};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        for (int both = 0; both < 2; both++) {
            cards_begin(&c, 1);
            add_card(&c, clockwise, 1, 1, MRWI_RASTER_OPAQUE)->mirrored = mirrored;
            add_rectangle(&c, 20, 20, 29, 29, 0.5f, 1, 1, MRWI_RASTER_OPAQUE)->mirrored = mirrored;
            c.materials[0].double_sided = c.materials[1].double_sided = both;
            draw_cards(&c, 0, picture);
            ck_assert_float_eq(AT(4, 4), both || mirrored ? 1.0f : 0.0f);
            ck_assert_float_eq(AT(24, 24), both || !mirrored ? 1.0f : 0.0f);
            for (uint32_t i = 0; i < seen_count; i++) {
                uint32_t flags = seen_frame.triangles[seen[i].triangle].draw_flags;
                ck_assert_uint_eq(flags & 1, (uint32_t)((flags >> 1 == 0) != (mirrored == 1)));
            }
        }
    }
}
END_TEST

/* ---- fragments ------------------------------------------------------------------------------- */

static const mrw_target picture_target = {MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, picture, SIDE * 4};

static void camera_job(mrw_raster_job *job, const mrw_raster_draw *draws, uint32_t count)
{
    memset(job, 0, sizeof *job);
    job->draws = draws;
    job->draw_count = count;
    job->exposure = 1.0f;
    job->samples = 4;
    job->threads = 1;
    job->width = job->height = SIDE;
    job->targets = &picture_target;
    job->target_count = 1;
    job->background[3] = 255;
}

/* u and v of the shading stream at a fragment, perspective-correct, in double. */
static void interpolate(const seen_fragment *f, const mrwi_shade_frame *frame, double uv[2])
{
    const mrwi_shade_vertex *v[3];
    double weight[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        v[i] = &frame->vertices[frame->triangles[f->triangle].vertex[i]];
    }
    for (int i = 0; i < 3; i++) {
        const mrwi_shade_vertex *a = v[(i + 1) % 3], *b = v[(i + 2) % 3];
        weight[i] = (((double)b->x - a->x) * ((double)f->y - a->y) -
                     ((double)b->y - a->y) * ((double)f->x - a->x)) *
                    v[i]->inv_w;
        sum += weight[i];
    }
    uv[0] = (weight[0] * v[0]->u + weight[1] * v[1]->u + weight[2] * v[2]->u) / sum;
    uv[1] = (weight[0] * v[0]->v + weight[1] * v[1]->v + weight[2] * v[2]->v) / sum;
}

/* A square that passes the eye plane and both clip planes: texture coordinates at every fragment
 * against the ray's own meeting point, and the ray of the shading frame against that ray. */
START_TEST(attributes_and_rays_are_exact)
{
    random_state = 16;
    static grid face;
    make_face(&face, 1, -1.0f, 4.0f); /* y = -4: u = z / 8 + 1/2, v = x / 8 + 1/2 */
    const uint32_t last = (CELLS + 1) * (CELLS + 1) - 1;
    const uint32_t corners[6] = {0, CELLS, last, 0, last, last - CELLS};
    face.draw.indices = corners;
    face.draw.triangle_count = 2;
    mrw_raster_job job;
    camera_job(&job, &face.draw, 1);
    const double yaw = 0.4, pitch = 0.4, focal = 1.1;
    job.view.world_to_clip = look(yaw, pitch, focal, 0.05, 100.0);
    draw_fake(&job);
    ck_assert_uint_gt(seen_count, 1000);
    for (uint32_t i = 0; i < seen_count; i++) {
        double nx = seen[i].x / 32.0 - 1.0, ny = 1.0 - seen[i].y / 32.0;
        double view[3] = {nx / focal, ny / focal, -1.0};
        double cy = cos(yaw), sy = sin(yaw), cp = cos(pitch), sp = sin(pitch);
        double ray[3] = {cy * view[0] + sp * sy * view[1] - cp * sy * view[2],
                         cp * view[1] + sp * view[2],
                         sy * view[0] - sp * cy * view[1] + cp * cy * view[2]};
        double t = -4.0 / ray[1];
        REQUIRE(t > 0.0);
        double uv[2];
        interpolate(&seen[i], &seen_frame, uv);
        /* snapping moves vertices by 1/512 pixel */
        REQUIRE(fabs(uv[0] - (t * ray[2] / 8.0 + 0.5)) < 2e-3);
        REQUIRE(fabs(uv[1] - (t * ray[0] / 8.0 + 0.5)) < 2e-3);
        double dot = 0.0, a = 0.0, b = 0.0;
        for (int k = 0; k < 3; k++) {
            double to_eye = seen_frame.ray0[k] + (double)seen[i].x * seen_frame.ray_dx[k] +
                            (double)seen[i].y * seen_frame.ray_dy[k];
            dot -= to_eye * ray[k];
            a += to_eye * to_eye;
            b += ray[k] * ray[k];
        }
        REQUIRE(dot / sqrt(a * b) > 1.0 - 1e-10);
    }
}
END_TEST

/* One fragment a pixel and visible triangle, at the centre when that is covered, else at a sample
 * that is; always inside the triangle. */
START_TEST(fragments_lie_inside_their_triangles)
{
    random_state = 17;
    static grid face;
    make_face(&face, 2, -1.0f, 4.0f);
    mrw_raster_job job;
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        camera_job(&job, &face.draw, 1);
        job.samples = samples;
        job.view.world_to_clip = look(0.3, 0.2, 0.7, 0.05, 100.0);
        draw_fake(&job);
        int off_centre = 0;
        for (uint32_t i = 0; i < seen_count; i++) {
            const mrwi_shade_triangle *t = &seen_frame.triangles[seen[i].triangle];
            int32_t p[3][2];
            for (int k = 0; k < 3; k++) {
                p[k][0] = (int32_t)(seen_frame.vertices[t->vertex[k]].x * 256.0f);
                p[k][1] = (int32_t)(seen_frame.vertices[t->vertex[k]].y * 256.0f);
            }
            int64_t x = (int64_t)(seen[i].x * 256.0f), y = (int64_t)(seen[i].y * 256.0f);
            REQUIRE(covers((const int32_t(*)[2])p, x, y));
            bool centre = (x & 255) == 128 && (y & 255) == 128;
            off_centre += !centre;
            REQUIRE(centre ||
                    !covers((const int32_t(*)[2])p, x / 256 * 256 + 128, y / 256 * 256 + 128));
            for (uint32_t j = i > 30 ? i - 30 : 0; j < i; j++) {
                REQUIRE(seen[j].triangle != seen[i].triangle || (int)seen[j].x != (int)seen[i].x ||
                        (int)seen[j].y != (int)seen[i].y);
            }
        }
        ck_assert_int_eq(off_centre > 0, samples > 1);
    }
}
END_TEST

/* ---- the whole, with the real kernels -------------------------------------------------------- */

#define WIDE 200
#define HIGH 150

static mrw_raster_texture *make_checker(void)
{
    uint8_t texels[16 * 16 * 4];
    for (uint32_t i = 0; i < 256; i++) {
        bool on = ((i ^ i >> 4) & 2) != 0;
        memcpy(texels + (size_t)4 * i, on ? "\xf0\xa0\x40\xff" : "\x20\x60\xd0\x30", 4);
    }
    mrw_raster_texture *texture = NULL;
    ck_assert_int_eq(mrw_raster_texture_create(texels, 16, 16, MRW_ENCODING_COLOR, &texture, NULL),
                     MRW_OK);
    return texture;
}

typedef struct world {
    grid faces[6];
    mrw_raster_material materials[6];
    mrw_raster_draw draws[6];
    mrw_raster_texture *texture;
    mrw_light light;
    mrw_raster_job job;
    mrw_target targets[5];
    uint8_t pixels[WIDE * HIGH * 4 + 64];
    uint32_t ids[WIDE * HIGH], triangles[WIDE * HIGH];
    float depths[WIDE * HIGH];
    uint8_t subject[WIDE * HIGH];
} world;

/* Faces of three boxes inside each other, opaque, masked and transparent. */
static void make_world(world *w, uint32_t samples)
{
    memset(w, 0, sizeof *w);
    random_state = 19;
    w->texture = make_checker();
    for (int i = 0; i < 6; i++) {
        make_face(&w->faces[i], i % 3, i % 2 ? 1.0f : -1.0f, 1.0f + (float)(i / 2));
        w->materials[i] = (mrw_raster_material){.base_color = {0.9f, 0.8f, 0.7f, 0.6f},
                                                .alpha_mode = (uint32_t)i % 3,
                                                .alpha_cutoff = 0.3f,
                                                .maps[0].texture = w->texture,
                                                .double_sided = true,
                                                .shininess = 32,
                                                .uv_transform = {3, 0.5f, 0, -0.5f, 3, 0}};
        w->draws[i] = w->faces[i].draw;
        w->draws[i].material = &w->materials[i];
        w->draws[i].id = (uint32_t)i + 1;
    }
    w->targets[0] = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, w->pixels, WIDE * 4};
    w->targets[1] = (mrw_target){MRW_TARGET_ID, MRW_FORMAT_U32, 1, w->ids, WIDE * 4};
    w->targets[2] = (mrw_target){MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, w->triangles, WIDE * 4};
    w->targets[3] = (mrw_target){MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, w->depths, WIDE * 4};
    w->targets[4] = (mrw_target){MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, w->subject, WIDE};
    w->light = (mrw_light){.to_light = {0.6f, 0.8f, 0}, .color = {1, 0.9f, 0.8f}, .specular = 0.5f};
    w->job = (mrw_raster_job){.draws = w->draws,
                              .draw_count = 6,
                              .view.world_to_clip = look(0.5, 0.4, 0.7, 0.1, 50.0),
                              .lighting = {.lights = &w->light,
                                           .light_count = 1,
                                           .up = {0, 1, 0},
                                           .sky = {0.3f, 0.3f, 0.4f},
                                           .ground = {0.1f, 0.1f, 0.1f}},
                              .filter = MRW_FILTER_TRILINEAR,
                              .exposure = 1.0f,
                              .samples = samples,
                              .background = {30, 60, 90, 128},
                              .width = WIDE,
                              .height = HIGH,
                              .targets = w->targets,
                              .target_count = 5,
                              .isa = MRW_ISA_SCALAR,
                              .threads = 1};
}

static void check_same(const world *a, const world *b)
{
    ck_assert_mem_eq(a->pixels, b->pixels, sizeof a->pixels);
    ck_assert_mem_eq(a->ids, b->ids, sizeof a->ids);
    ck_assert_mem_eq(a->triangles, b->triangles, sizeof a->triangles);
    ck_assert_mem_eq(a->depths, b->depths, sizeof a->depths);
    ck_assert_mem_eq(a->subject, b->subject, sizeof a->subject);
}

START_TEST(same_bits_for_any_bands_threads_and_kernels)
{
    static world reference, other;
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        make_world(&reference, samples);
        const mrwi_shade_kernels *scalar = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
        ck_assert_int_eq(mrwi_raster_draw(raster, &reference.job, scalar, HIGH, NULL), MRW_OK);
        const int threads[] = {1, 2, 3, 8};
        const int32_t rows[] = {1, 7, 16, 64};
        for (int i = 0; i < 4; i++) {
            make_world(&other, samples);
            other.job.threads = threads[i];
            ck_assert_int_eq(mrwi_raster_draw(raster, &other.job, scalar, rows[i], NULL), MRW_OK);
            check_same(&reference, &other);
            mrw_raster_texture_free(other.texture);
        }
        for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
            if (mrw_isa_available((mrw_isa)isa) || isa == MRW_ISA_AUTO) {
                make_world(&other, samples);
                other.job.isa = (mrw_isa)isa;
                ck_assert_int_eq(mrw_raster_draw_frame(raster, &other.job, NULL), MRW_OK);
                check_same(&reference, &other);
                mrw_raster_texture_free(other.texture);
            }
        }
        mrw_raster_texture_free(reference.texture);
    }
    mrw_raster_free(raster);
}
END_TEST

START_TEST(empty_picture_is_background)
{
    static world w;
    make_world(&w, 4);
    w.job.draw_count = 0;
    memset(w.ids, 7, sizeof w.ids);
    memset(w.triangles, 7, sizeof w.triangles);
    memset(w.subject, 7, sizeof w.subject);
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
    for (uint32_t i = 0; i < WIDE * HIGH; i++) {
        REQUIRE(memcmp(w.pixels + (size_t)4 * i, w.job.background, 4) == 0);
        REQUIRE(w.ids[i] == 0 && w.triangles[i] == MRW_NONE && w.subject[i] == 0);
        REQUIRE(w.depths[i] == 1.0f);
    }
    ck_assert_uint_eq(w.pixels[WIDE * HIGH * 4], 0);
    mrw_raster_free(raster);
    mrw_raster_texture_free(w.texture);
}
END_TEST

/* Work memory carries nothing from one picture to the next. */
START_TEST(frames_leave_no_trace)
{
    static world first, other, alone;
    mrw_raster *used, *fresh;
    ck_assert_int_eq(mrw_raster_create(&used, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_create(&fresh, NULL), MRW_OK);
    make_world(&first, 8);
    ck_assert_int_eq(mrw_raster_draw_frame(used, &first.job, NULL), MRW_OK);
    make_world(&other, 4);
    make_world(&alone, 4);
    other.job.view.world_to_clip = alone.job.view.world_to_clip = look(2.5, -0.3, 0.5, 0.2, 40.0);
    other.job.draw_count = alone.job.draw_count = 5;
    ck_assert_int_eq(mrw_raster_draw_frame(used, &other.job, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(fresh, &alone.job, NULL), MRW_OK);
    check_same(&alone, &other);
    mrw_raster_free(used);
    mrw_raster_free(fresh);
    mrw_raster_texture_free(first.texture);
    mrw_raster_texture_free(other.texture);
    mrw_raster_texture_free(alone.texture);
}
END_TEST

/* Every allocation fails once: a status and no harm. A second frame allocates nothing. */
START_TEST(memory_is_checked_and_kept)
{
    static world reference, other;
    mrw_raster *raster;
    make_world(&reference, 4);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &reference.job, NULL), MRW_OK);
    make_world(&other, 4);
    mrwi_base_alloc_fail_at(1);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &other.job, NULL), MRW_OK);
    mrwi_base_alloc_fail_at(0);
    check_same(&reference, &other);
    mrw_raster_free(raster);
    int failures = 0;
    for (uint64_t n = 1; n < 100; n++) {
        mrw_error error;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_raster_create(&raster, &error);
        if (status == MRW_OK) {
            status = mrw_raster_draw_frame(raster, &other.job, &error);
            mrwi_base_alloc_fail_at(0);
            if (status != MRW_OK) {
                ck_assert_int_eq(mrw_raster_draw_frame(raster, &other.job, NULL), MRW_OK);
                check_same(&reference, &other);
            }
            mrw_raster_free(raster);
        }
        if (status == MRW_OK) {
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_ge(failures, 8);
    ck_assert_int_lt(failures, 99);
    mrw_raster_texture_free(reference.texture);
    mrw_raster_texture_free(other.texture);
}
END_TEST

START_TEST(missing_kernels_are_refused)
{
    static world w;
    make_world(&w, 1);
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    w.job.isa = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_SSE2 : MRW_ISA_NEON;
    mrw_error error;
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, &error), MRW_ERROR_CPU);
    ck_assert_ptr_nonnull(strstr(error.text, mrw_isa_name(w.job.isa)));
    mrw_raster_free(raster);
    mrw_raster_texture_free(w.texture);
}
END_TEST

#ifndef NDEBUG
/* What the rasterizer cannot draw is a programmer's mistake: it ends a process of its own. */
START_TEST(negative_exposure_is_refused)
{
    static world w;
    mrw_raster *raster;
    int status;
    make_world(&w, 1);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    w.job.exposure = -1.0f;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        (void)mrw_raster_draw_frame(raster, &w.job, NULL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    mrw_raster_free(raster);
    mrw_raster_texture_free(w.texture);
}
END_TEST
#endif

static Suite *suite(void)
{
    Suite *s = suite_create("raster");
    TCase *pictures = tcase_create("pictures");
    tcase_set_timeout(pictures, 120);
    tcase_add_test(pictures, nearest_wins_and_ties_keep_the_first);
    tcase_add_test(pictures, masked_ties_keep_the_first);
    tcase_add_test(pictures, crossing_planes_meet_where_depths_do);
    tcase_add_test(pictures, depth_range_is_kept);
    tcase_add_test(pictures, edges_are_averaged_in_linear_light);
    tcase_add_test(pictures, full_pixels_keep_their_bits);
    tcase_add_test(pictures, transparency_goes_back_to_front);
    tcase_add_test(pictures, transparent_ties);
    tcase_add_test(pictures, a_pixel_goes_to_one_list);
    tcase_add_test(pictures, masked_holes);
    tcase_add_test(pictures, masks_are_read_at_samples);
    tcase_add_test(pictures, masks_hide_what_is_behind);
    tcase_add_test(pictures, back_faces_are_culled);
    tcase_add_test(pictures, attributes_and_rays_are_exact);
    tcase_add_test(pictures, fragments_lie_inside_their_triangles);
    tcase_add_test(pictures, same_bits_for_any_bands_threads_and_kernels);
    tcase_add_test(pictures, empty_picture_is_background);
    tcase_add_test(pictures, frames_leave_no_trace);
    tcase_add_test(pictures, memory_is_checked_and_kept);
    tcase_add_test(pictures, missing_kernels_are_refused);
#ifndef NDEBUG
    tcase_add_test(pictures, negative_exposure_is_refused);
#endif
    suite_add_tcase(s, pictures);
    return s;
}

TEST_MAIN(suite())
