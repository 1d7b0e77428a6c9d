/* cells.c: the cells of a sheet's pictures. */
#include "output/cells.h"

uint32_t mrwi_output_cells(const mrwi_output_target *target, uint32_t *cells)
{
    const mrw_output_def *def = target->def;
    uint32_t place = 0, count = 0;
    for (uint32_t i = 0; i < def->files->picture_count; i++) {
        if (def->files->of[i] == target->file) {
            const uint32_t cell = def->cells ? def->cells[i] : place;
            count = cell >= count ? cell + 1 : count;
            if (cells) {
                cells[place] = cell;
            }
            place++;
        }
    }
    return count;
}
