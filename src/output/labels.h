/* labels.h: where the pictures of a sheet stand when they are labelled, and their texts. */
#ifndef MRWI_OUTPUT_LABELS_H
#define MRWI_OUTPUT_LABELS_H

#include "output/writer.h"

/* Adds to a sheet's def, which has the rest, how many cells its pictures take, and the room for
 * texts above and below each row. */
void mrwi_output_labels_measure(const mrwi_output_target *target, mrw_sheet_def *sheet);

/* [place] the cell of each picture of the file. */
void mrwi_output_labels_place(const mrwi_output_target *target, uint32_t *cells);

/* Writes the texts into the room between the pictures of a sheet. */
mrw_status mrwi_output_labels_draw(const mrwi_output_target *target, const mrw_sheet_def *sheet,
                                   mrw_image *image, mrw_error *error);

#endif
