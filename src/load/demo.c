/* demo.c: the bytes of assets/NAME.glb, put into the library by the assembler. */
#include "load/demo.h"

/* .incbin keeps compile time and memory small. The path is relative to the root, where make
 * runs. */
#define EMBED(name)                                                                                \
    __asm__(".pushsection .rodata,\"a\",%progbits\n"                                               \
            ".balign 64\n"                                                                         \
            ".hidden mrwi_load_demo_" #name "\n"                                                   \
            ".globl mrwi_load_demo_" #name "\n"                                                    \
            "mrwi_load_demo_" #name ":\n"                                                          \
            ".incbin \"assets/" #name ".glb\"\n"                                                   \
            ".hidden mrwi_load_demo_" #name "_end\n"                                               \
            ".globl mrwi_load_demo_" #name "_end\n"                                                \
            "mrwi_load_demo_" #name "_end:\n"                                                      \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const uint8_t mrwi_load_demo_##name[];                                                  \
    extern const uint8_t mrwi_load_demo_##name##_end[]

EMBED(figure);
EMBED(tentacle);
EMBED(blob);
EMBED(stage);
EMBED(swatches);

static const struct entry {
    const char *name;
    const uint8_t *begin;
    const uint8_t *end;
} entries[] = {
    {"figure", mrwi_load_demo_figure, mrwi_load_demo_figure_end},
    {"tentacle", mrwi_load_demo_tentacle, mrwi_load_demo_tentacle_end},
    {"blob", mrwi_load_demo_blob, mrwi_load_demo_blob_end},
    {"stage", mrwi_load_demo_stage, mrwi_load_demo_stage_end},
    {"swatches", mrwi_load_demo_swatches, mrwi_load_demo_swatches_end},
};

const size_t mrwi_load_demo_count = sizeof entries / sizeof entries[0];

mrwi_load_demo mrwi_load_demo_at(size_t index)
{
    const struct entry *e = &entries[index];
    return (mrwi_load_demo){e->name, e->begin, (size_t)(e->end - e->begin)};
}
