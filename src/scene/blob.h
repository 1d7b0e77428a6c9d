/* blob.h: the one block of memory that contains a scene, and the table of its sections.
 *
 * Layout, little-endian: a header with one {offset, count} per section, then the sections in the
 * order of MRW_SCENE_ARRAYS. Each starts at the first multiple of 64 bytes after the 64 zero bytes
 * that follow its predecessor, so a list of counts has exactly one layout and nothing overlaps.
 *
 * Materials have as many maps as MRW_MATERIAL_MAPS had rows when the scene was made. Older versions
 * and fewer maps are read, never written:
 * - Version 6 lacks the last section, material_channels.
 * - Version 5 also lacks the flags at the end of nodes, and the extrapolation of channels.
 * - Version 4 is like 5, but its bump maps have no texels and are left out.
 * - Version 3 is like 4, but materials lack the part between their flags and their maps.
 * - In version 2, materials end with their base colour and its map.
 * - In version 1, images also lack the hash at their end.
 *
 * Versions before 4 know only the base colour of materials; otherwise these are matt. */
#ifndef MRWI_SCENE_BLOB_H
#define MRWI_SCENE_BLOB_H

#include "marrow/scene.h"

#include <pthread.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "scene blobs are little-endian"
#endif

typedef enum mrwi_scene_section {
#define MRWI_SCENE_SECTION_ENUM(name, type, per) MRWI_SCENE_SECTION_##name,
    MRW_SCENE_ARRAYS(MRWI_SCENE_SECTION_ENUM)
#undef MRWI_SCENE_SECTION_ENUM
        MRWI_SCENE_SECTION_COUNT
} mrwi_scene_section;

/* Name and entry size of each section. */
typedef struct mrwi_scene_section_info {
    const char *name;
    uint32_t entry_size;
} mrwi_scene_section_info;
extern const mrwi_scene_section_info mrwi_scene_sections[MRWI_SCENE_SECTION_COUNT];

/* Largest number of entries of a section: more are refused everywhere. */
#define MRWI_SCENE_SECTION_LIMIT 0x7fffffffu

#define MRWI_SCENE_BLOB_MAGIC      "marrow\r\n"
#define MRWI_SCENE_BLOB_VERSION    7u
#define MRWI_SCENE_BLOB_BYTE_ORDER 0x01020304u
/* alignment of sections, and number of zero bytes after each */
#define MRWI_SCENE_BLOB_ALIGN 64u

typedef struct mrwi_scene_blob_section {
    uint64_t offset; /* bytes from the start of the blob */
    uint64_t count;  /* number of entries */
} mrwi_scene_blob_section;

typedef struct mrwi_scene_blob_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size; /* bytes of the whole blob */
    uint32_t section_count;
    uint32_t format; /* string offset, in the part that is not hashed */
    /* Bytes at the start of the strings that contain names: all but the format's name and the
     * warnings. */
    uint32_t hashed_strings;
    uint32_t map_count; /* maps of each material; 0 before version 3 */
    mrwi_scene_blob_section sections[MRWI_SCENE_SECTION_COUNT];
    uint64_t default_clip; /* 0 in older files, which have padding here */
} mrwi_scene_blob_header;

/* Reads the header of a blob of any version. Older ones have fewer sections, so everything after
 * them is elsewhere. The blob has at least the size of a header. */
mrwi_scene_blob_header mrwi_scene_blob_read_header(const void *blob);

/* Fills the offsets of *header from its version, maps and counts, and its size. Returns false if a
 * count is over the limit or the size over 2^62. */
bool mrwi_scene_blob_layout(mrwi_scene_blob_header *header);

/* Starts a header: magic, version, byte order and maps; the rest is zero. */
void mrwi_scene_blob_header_init(mrwi_scene_blob_header *header);

/* Points the arrays of *scene into a blob whose header was checked. */
void mrwi_scene_blob_attach(const void *blob, mrw_scene *scene);

/* Copies each section of a blob to its place in another one, which begins with its own header
 * and is zero otherwise: as many entries as both have. Sections with another entry size are not
 * copied. */
void mrwi_scene_blob_copy_sections(const void *from, void *to);

/* Checks the header, the layout and the padding of size bytes at blob, which may be untrusted and
 * of an older version. */
mrw_status mrwi_scene_blob_check(const void *blob, uint64_t size, const char *label,
                                 mrw_error *error);

/* Checks everything after the layout: every index, range, count, enum and float of a scene attached
 * to a checked blob. Time and memory are linear in the size of the blob. */
mrw_status mrwi_scene_validate(const mrw_scene *scene, uint32_t hashed_strings, const char *label,
                               mrw_error *error);

/* The hash of a scene. Drawing does not need it, so it is computed on first request. */
typedef struct mrwi_scene_kept_hash {
    pthread_mutex_t lock;
    bool made;
    uint8_t bytes[32];
} mrwi_scene_kept_hash;

/* Computes the hash of an image that is known by its texels alone, mrw_image_hash. */
void mrwi_scene_texels_hash(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t out[32]);

/* ---- rules that the builder and the validation share ----------------------------------------- */

bool mrwi_scene_camera_valid(const mrw_scene_camera *camera);
bool mrwi_scene_light_valid(const mrw_scene_light *light);
bool mrwi_scene_material_valid(const mrw_material *material, uint32_t texture_count);

/* Returns the floats per value of a property of materials. */
uint32_t mrwi_scene_property_width(mrw_material_property property);
/* Returns true if the property belongs to the map; both may be any number. */
bool mrwi_scene_property_fits(uint32_t property, uint32_t map);

/* The picture in place of a missing image: side * side RGBA texels. */
#define MRWI_SCENE_CHECKER_SIDE 64u
void mrwi_scene_checker_fill(uint8_t *rgba);

/* Returns the number of texels that an encoded image of `size` bytes takes. */
static inline uint64_t mrwi_scene_encoded_texels(uint32_t size)
{
    return 1 + ((uint64_t)size + 3) / 4;
}

/* Returns the number of texels of an image, with the part after them for those of 16 bits. first:
 * the first texel, which is read only if the image is encoded. */
static inline uint64_t mrwi_scene_image_texels(const mrw_image_info *image, const void *first)
{
    if ((image->flags & MRW_IMAGE_ENCODED) != 0) {
        uint32_t size;
        memcpy(&size, first, sizeof size);
        return mrwi_scene_encoded_texels(size);
    }
    const uint64_t count = (uint64_t)image->width * image->height;
    return count + ((image->flags & MRW_IMAGE_DEEP) != 0 ? (count + 3) / 4 : 0);
}

/* Largest side of an image in texels. */
#define MRWI_SCENE_IMAGE_SIDE_LIMIT 65536u

#endif
