/* kernels_fragments.h: the kernels around shading: rows of ids to lists of fragments, colours to
 * pixels of the picture, and fragments to pixels at once. */
#include "fragments_fixture.h"
#include "kernels_shade.h"

enum { FRAGMENTS_GATHER, FRAGMENTS_WRITE, FRAGMENTS_SHADE };

#define FRAGMENTS_REPEATS 32 /* when timed */

/* Pixels side by side with gaps between them. */
static void random_places(uint32_t *where, uint32_t count)
{
    const uint32_t stay = 1 + random_below(50);
    uint32_t at = 16;
    for (uint32_t i = 0; i < count; i++) {
        where[i] = at += 1 + (random_below(stay) ? 0 : random_below(3));
    }
}

/* Masked ones are opaque here. */
static void make_opaque(void)
{
    for (uint32_t i = 0; i < SHADE_DRAWS; i++) {
        shade_in.materials[i].alpha_mode = i % 2;
    }
}

static void compare_shade_pixels(mrw_isa isa, uint32_t count)
{
    static uint8_t expected[4 * 4 * SHADE_ROOM], actual[4 * 4 * SHADE_ROOM];
    static uint32_t where[SHADE_ROOM];
    const mrwi_shade_kernels *scalar = shade_table(MRW_ISA_SCALAR), *kernels = shade_table(isa);
    const uint32_t shift = random_below(SHADE_SHIFT), channels = 3 + random_below(2);
    const mrwi_shade_list list = {.memory = shade_memory,
                                  .count = count,
                                  .x = shade_in.x + shift,
                                  .y = shade_in.y + shift,
                                  .triangle = shade_in.triangle + shift};
    random_places(where, count);
    memset(expected, 0xA5, sizeof expected);
    memset(actual, 0xA5, sizeof actual);
    scalar->shade_pixels(&shade_in.frame, &list, where, channels, expected);
    kernels->shade_pixels(&shade_in.frame, &list, where, channels, actual);
    check_bytes(actual, expected, sizeof actual, "picture", isa);
}

static void check_shade_pixels(mrw_isa isa)
{
    for (int numbers = ORDINARY; numbers <= ODD; numbers++) {
        make_shade_textures(numbers == ODD);
        for (uint32_t count = 0; count <= SHADE_SHORT + 6; count++) {
            random_shade((enum numbers)numbers);
            make_opaque();
            for (int mode = 0; mode < 3 * MRW_SHADING_COUNT; mode++) {
                shade_in.frame.shading = (mrw_shading)(mode % MRW_SHADING_COUNT);
                shade_in.frame.filter = (mrw_filter)(MRW_FILTER_NEAREST + mode / MRW_SHADING_COUNT);
                shade_in.frame.tone = random_tone_of(shade_in.frame.shading);
                compare_shade_pixels(
                    isa, count <= SHADE_SHORT ? count : random_below(MRWI_SHADE_LIST_MAX) + 1);
            }
        }
    }
    free_shade_textures();
}

static void check_fragments(mrw_isa isa, int variant)
{
    if (variant == FRAGMENTS_SHADE) {
        check_shade_pixels(isa);
    } else if (variant == FRAGMENTS_WRITE) {
        check_writing(shade_table(isa));
    } else {
        check_gather(shade_table(isa));
        check_full(shade_table(isa));
    }
}

/* A row of a picture with four samples a pixel, a few of which differ. */
static size_t work_gather(const mrwi_shade_kernels *kernels)
{
    static id_row row;
    if (!row.gather.ids) {
        fill_row(&row, 4, 3);
    }
    row.gather.x0 = 0;
    row.gather.x1 = ROW_WIDTH;
    for (int i = 0; i < FRAGMENTS_REPEATS; i++) {
        lists.fragments.count = lists.pixels.count = lists.pixels.edge_count = 0;
        kernels->gather(&row.gather, &lists.fragments, &lists.pixels);
    }
    return FRAGMENTS_REPEATS * ROW_WIDTH * 8 * 4;
}

static size_t work_fragments(mrw_isa isa, int variant)
{
    static uint8_t pixels[4 * 4 * SHADE_ROOM];
    static const float background[4] = {0.2f, 0.4f, 0.1f, 1.0f};
    const mrwi_shade_kernels *kernels = shade_table(isa);
    const mrwi_shade_list list = {.memory = shade_memory,
                                  .count = MRWI_SHADE_LIST_MAX,
                                  .x = shade_in.x,
                                  .y = shade_in.y,
                                  .triangle = shade_in.triangle};
    if (variant == FRAGMENTS_GATHER) {
        return work_gather(kernels);
    }
    if (lists.pixels.count != MRWI_SHADE_LIST_MAX) {
        fill_pixels(MRWI_SHADE_LIST_MAX, 60);
        make_timed_shade();
        make_opaque();
    }
    if (variant == FRAGMENTS_WRITE) {
        kernels->write_pixels(&lists.pixels, (const float(*)[4])lists.rgba, background, 3,
                              (mrwi_shade_tone){0}, pixels);
    } else {
        kernels->shade_pixels(&shade_in.frame, &list, lists.pixels.where, 3, pixels);
    }
    return MRWI_SHADE_LIST_MAX * (variant == FRAGMENTS_WRITE ? 16 + 8 + 3 : 16 + 3);
}

#define FRAGMENTS_ROW(name, variant)                                                               \
    {                                                                                              \
        name, "src/shade/shade_", variant, shade_table, check_fragments, work_fragments            \
    }
#define FRAGMENTS_ROWS                                                                             \
    FRAGMENTS_ROW("gather", FRAGMENTS_GATHER), FRAGMENTS_ROW("write pixels", FRAGMENTS_WRITE),     \
        FRAGMENTS_ROW("shade pixels", FRAGMENTS_SHADE)
