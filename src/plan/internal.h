/* internal.h: what the files of `plan` share. */
#ifndef MRWI_PLAN_INTERNAL_H
#define MRWI_PLAN_INTERNAL_H

#include "marrow/plan.h"

/* Checks --aov and where its files go, without a model. fields: those of -o's template. */
mrw_status mrwi_plan_passes_check(const mrw_settings *settings, uint32_t fields, mrw_error *error);
/* Makes the passes that settings ask for. The caller frees *out in any case. */
mrw_status mrwi_plan_passes_make(const mrw_settings *settings, uint32_t fields,
                                 mrw_plan_passes *out, mrw_error *error);
void mrwi_plan_passes_free(mrw_plan_passes *passes);
/* Returns the ending of files of passes whose path has none. */
const char *mrwi_plan_passes_ending(const mrw_settings *settings);

/* Checks --atlas, the options of sprite sheets and {page}, without a model. */
mrw_status mrwi_plan_sprites_check(const mrw_settings *settings, uint32_t fields, mrw_error *error);

/* Returns a copy for mrwi_base_free, or NULL if memory runs out. */
char *mrwi_plan_copy(const char *text);
/* Returns a copy of the text and frees the original; NULL if memory ran out. */
char *mrwi_plan_take(mrw_text *text);

#endif
