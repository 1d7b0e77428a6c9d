/* hash.c: the SHA-256 that stands for a scene. */
#include "scene/blob.h"

#include "base/sha256.h"

/* The count of each array, then its bytes, in the order of MRW_SCENE_ARRAYS. */
void mrwi_scene_hash(const mrw_scene *scene, uint32_t hashed_strings, uint8_t out[32])
{
    mrwi_sha256 hash;
    mrwi_sha256_begin(&hash);
    mrwi_sha256_add_u32(&hash, MRWI_BLOB_VERSION);
#define ADD_ARRAY(name, type, per)                                                                 \
    if (MRWI_SECTION_##name != MRWI_SECTION_warnings) {                                            \
        bool strings = MRWI_SECTION_##name == MRWI_SECTION_strings;                                \
        uint32_t count = strings ? hashed_strings : scene->name##_count;                           \
        mrwi_sha256_add_u32(&hash, count);                                                         \
        mrwi_sha256_add(&hash, scene->name, (size_t)count * sizeof(type) * (per));                 \
    }
    MRW_SCENE_ARRAYS(ADD_ARRAY)
#undef ADD_ARRAY
    mrwi_sha256_end(&hash, out);
}

void mrw_scene_hash_text(const mrw_scene *scene, char out[65])
{
    mrwi_sha256_text(scene->hash, out);
}
