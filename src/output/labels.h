/* labels.h: the texts of a sheet. */
#ifndef MRWI_OUTPUT_LABELS_H
#define MRWI_OUTPUT_LABELS_H

#include "output/writer.h"

/* Sets sheet->above and below: the room for texts of each row. The rest of the def is set, and its
 * columns are at most its count. */
mrw_status mrwi_output_labels_measure(const mrwi_output_target *target, mrw_sheet_def *sheet,
                                      mrw_error *error);

/* Writes the texts into the room between the pictures of a sheet. */
mrw_status mrwi_output_labels_draw(const mrwi_output_target *target, const mrw_sheet_def *sheet,
                                   mrw_image *image, mrw_error *error);

#endif
