/* internal.h: what the files of the room share. */
#ifndef MRWI_STAGE_INTERNAL_H
#define MRWI_STAGE_INTERNAL_H

#include "marrow/stage.h"

/* Puts "what: " before the message, unless it begins so. Returns status. error may be NULL. */
mrw_status mrwi_stage_prefix(mrw_error *error, const char *what, mrw_status status);

/* Tell the host, if it listens. */
void mrwi_stage_warn(const mrw_stage_host *host, const char *text);
void mrwi_stage_note(const mrw_stage_host *host, const char *text);
void mrwi_stage_detail(const mrw_stage_host *host, const char *text);

/* settings.c: what settings say of the camera and of a picture. */
mrw_view_def mrwi_stage_view(const mrw_settings *settings);
mrw_frame_def mrwi_stage_frame(const mrw_settings *settings);

/* mix.c: fills in model->mix; the model is otherwise complete. */
mrw_status mrwi_stage_mix_make(mrw_stage_model *model, mrw_error *error);

/* Seconds that a clip plays in a mix that is not empty. */
double mrwi_stage_mix_duration(const mrw_stage_model *model, uint32_t clip);

#endif
