/* apng.c: an animated PNG, which is written while its pictures come. */
#include "marrow/codecs.h"
#include "output/writer.h"

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    const mrw_apng_def apng = {.width = def->width,
                               .height = def->height,
                               .channels = def->channels,
                               .count = target->count,
                               .rate = target->rate,
                               .png = def->png,
                               .path = target->path};
    mrw_apng *made = NULL;
    mrw_status status = mrw_apng_create(&apng, &made, error);
    *out = made;
    return status;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    return mrw_apng_put(self, item->place, item->image, item->worker->encoder, error);
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    return mrw_apng_repeat(self, item->place, as, item->image, item->worker->encoder, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    return mrw_apng_finish(self, stdout_bytes, error);
}

static void free_file(void *self)
{
    mrw_apng_free(self);
}

const mrwi_output_writer mrwi_output_apng = {.info = {.name = "apng",
                                                      .endings = {".apng"},
                                                      .alpha = true,
                                                      .collects = true,
                                                      .animates = true},
                                             .open = open,
                                             .put = put,
                                             .repeat = repeat,
                                             .finish = finish,
                                             .free = free_file};
