/* labels.h: the texts of a sheet. */
#ifndef MRWI_OUTPUT_LABELS_H
#define MRWI_OUTPUT_LABELS_H

#include "output/writer.h"

/* Sets sheet->above and below: the space for the texts of each row. The other fields of the def
 * must be set, and its columns must be at most its count. */
mrw_status mrwi_output_labels_measure(const mrwi_output_target *target, mrw_sheet_def *sheet,
                                      mrw_error *error);

/* Draws the texts into the space between the pictures of a sheet. */
mrw_status mrwi_output_labels_draw(const mrwi_output_target *target, const mrw_sheet_def *sheet,
                                   mrw_image *image, mrw_error *error);

#endif
