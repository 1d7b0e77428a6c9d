/* cells.h: the cells of a sheet, counted along its rows from the top left. */
#ifndef MRWI_OUTPUT_CELLS_H
#define MRWI_OUTPUT_CELLS_H

#include "output/writer.h"

/* Returns the number of cells that the pictures of a file take, empty ones between them included.
 * cells[place] becomes the cell of each picture; NULL: only counts. */
uint32_t mrwi_output_cells(const mrwi_output_target *target, uint32_t *cells);

#endif
