/* hash.c: the SHA-256 that stands for a scene. */
#include "scene/blob.h"

#include "base/sha256.h"

/* The count of each array, then its bytes, in the order of MRW_SCENE_ARRAYS; of the strings those
 * before the format's name and the warnings. */
static void make_hash(const mrw_scene *scene, uint8_t out[32])
{
    const mrwi_blob_header *header = scene->blob;
    mrwi_sha256 hash;
    mrwi_sha256_begin(&hash);
    mrwi_sha256_add_u32(&hash, MRWI_BLOB_VERSION);
#define ADD_ARRAY(name, type, per)                                                                 \
    if (MRWI_SECTION_##name != MRWI_SECTION_warnings) {                                            \
        bool strings = MRWI_SECTION_##name == MRWI_SECTION_strings;                                \
        uint32_t count = strings ? header->hashed_strings : scene->name##_count;                   \
        mrwi_sha256_add_u32(&hash, count);                                                         \
        mrwi_sha256_add(&hash, scene->name, (size_t)count * sizeof(type) * (per));                 \
    }
    MRW_SCENE_ARRAYS(ADD_ARRAY)
#undef ADD_ARRAY
    mrwi_sha256_end(&hash, out);
}

const uint8_t *mrw_scene_hash(const mrw_scene *scene)
{
    struct mrwi_kept_hash *kept = scene->kept_hash;
    pthread_mutex_lock(&kept->lock);
    if (!kept->made)
        make_hash(scene, kept->bytes);
    kept->made = true;
    pthread_mutex_unlock(&kept->lock);
    return kept->bytes;
}

void mrw_scene_hash_text(const mrw_scene *scene, char out[65])
{
    mrwi_sha256_text(mrw_scene_hash(scene), out);
}
