/* aov_memory.c: memory of passes, kept from frame to frame together with its background. Five
 * passes of a 1280 x 720 picture take 45 MB, most of which a model of usual size never touches. */
#include "frame/aov.h"

#include "base/text.h"

#include <string.h>

void mrwi_frame_forget_aovs(mrwi_frame_aovs *aovs)
{
    *aovs = (mrwi_frame_aovs){.kept = aovs->kept, .kept_count = aovs->kept_count};
}

void mrwi_frame_free_kept(mrwi_frame_aovs *aovs)
{
    for (uint32_t i = 0; i < aovs->kept_count; i++) {
        mrwi_base_free(aovs->kept[i].image.pixels);
        mrwi_base_free(aovs->kept[i].spans);
    }
    mrwi_base_free(aovs->kept);
    aovs->kept = NULL;
    aovs->kept_count = 0;
}

bool mrwi_frame_reserve_kept(mrwi_frame_aovs *aovs, uint32_t count)
{
    const uint32_t had = aovs->kept_count;
    if (count <= had) {
        return true;
    }
    mrwi_frame_kept_image *grown =
        mrwi_base_realloc(aovs->kept, had * sizeof *grown, count, sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + had, 0, (count - had) * sizeof *grown);
    aovs->kept = grown;
    aovs->kept_count = count;
    return true;
}

/* Makes room for an image and its spans; the old content is lost. Returns false without memory. */
static bool grow(mrwi_frame_kept_image *kept, size_t bytes, uint32_t spans)
{
    if (bytes > kept->room) {
        mrwi_base_free(kept->image.pixels);
        kept->image.pixels = mrwi_base_alloc(bytes, 1);
        kept->room = kept->image.pixels ? bytes : 0;
    }
    if (spans > kept->span_room) {
        mrwi_base_free(kept->spans);
        kept->spans = mrwi_base_alloc(spans, sizeof *kept->spans);
        kept->span_room = kept->spans ? spans : 0;
    }
    return kept->image.pixels && kept->spans;
}

mrw_status mrwi_frame_keep_image(mrwi_frame_kept_image *kept, uint64_t key, uint32_t width,
                                 uint32_t height, mrw_format format, uint32_t channels,
                                 mrw_error *error)
{
    mrw_image *image = &kept->image;
    const size_t bytes = (size_t)width * height * channels * mrw_format_size(format);
    const uint32_t spans = mrwi_frame_span_count(height);
    if (kept->key == key && image->width == width && image->height == height &&
        image->channels == channels && image->format == format) {
        return MRW_OK;
    }
    image->width = 0;
    if (!grow(kept, bytes + 64, spans)) {
        return mrwi_base_fail_memory(error, bytes);
    }
    for (uint32_t i = 0; i < spans; i++) {
        kept->spans[i] = (mrw_shadow_span){0, (int32_t)width};
    }
    *image = (mrw_image){width, height, channels, format, image->pixels, NULL};
    kept->key = key;
    return MRW_OK;
}
