/* apng.c: animated PNG (PNG third edition, 11.3.7), built frame by frame.
 *
 * Frames come in any order, from several threads. For each frame, only the part that differs from
 * the frame before is compressed, by the thread that brings the later of the two: until then the
 * pixels are kept. A file gets each frame as soon as all frames before it are written, so that
 * memory holds little more than the frames that wait. If a picture follows the same picture a
 * second time, its compressed bytes are copied within the file. Without a file all compressed bytes
 * are kept: memory grows with the size of the file, not with the pictures. */
#include "base/memory.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/apng_change.h"
#include "image/file.h"
#include "image/image.h"
#include "image/png_chunks.h"
#include "image/png_encoder.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <string.h>

/* The pixels that equal frames share. */
typedef struct picture {
    mrw_image image;
    uint32_t frames; /* number of frames that use it */
} picture;

/* A frame and its compressed part. */
typedef struct piece {
    picture *shown;   /* its pixels, until nothing needs them any more */
    uint32_t wanted;  /* number of frames that need the pixels: itself and the next one */
    uint32_t same_as; /* the equal frame that it was put with, or itself; MRW_NONE: not put yet */
    uint32_t first_same; /* head of the list of equal frames; set in the frame that they equal */
    uint32_t next_same;  /* next frame in that list; MRW_NONE ends it */
    uint32_t packed_as;  /* the frame whose `packed` it uses, perhaps itself; MRW_NONE: none yet */
    bool shared;         /* other frames use its `packed` */
    mrwi_image_apng_part part;
    mrw_bytes packed; /* compressed part; data NULL but a size: it's written already */
    uint64_t place;   /* position of the written bytes in the file */
} piece;

struct mrw_apng {
    mrw_apng_def def;
    piece *pieces;
    uint8_t *memory; /* contents of the file, if it's built in memory */
    uint64_t size;   /* number of bytes in the file so far */
    bool filing;     /* `file` is open */
    mrwi_image_file file;
    pthread_mutex_t lock; /* guards pieces, next and writing, while frames come */
    uint32_t next;        /* the next frame to write */
    bool writing;         /* a thread is writing, or writing has failed */
};

/* ---- the file -------------------------------------------------------------------------------- */

#define CONTROL_BYTES       8
#define FRAME_CONTROL_BYTES 26
#define NUMBER_BYTES        4 /* before the data of all frames but the first */
#define FILE_HEAD           (MRWI_IMAGE_PNG_HEADER + MRWI_IMAGE_CHUNK_AROUND + CONTROL_BYTES)
#define FRAME_HEAD                                                                                 \
    (MRWI_IMAGE_CHUNK_AROUND + FRAME_CONTROL_BYTES + MRWI_IMAGE_CHUNK_START + NUMBER_BYTES)
#define CHECKSUM_BYTES 4

static mrw_status add(mrw_apng *apng, const void *data, size_t size, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (apng->filing) {
        status = mrwi_image_file_add(&apng->file, data, size, error);
    } else {
        memcpy(apng->memory + apng->size, data, size);
    }
    apng->size += size;
    return status;
}

static mrw_status add_head(mrw_apng *apng, mrw_error *error)
{
    const mrw_apng_def *def = &apng->def;
    uint8_t head[FILE_HEAD], control[CONTROL_BYTES] = {0}; /* plays without end */
    mrwi_image_store_u32(control, def->count);
    mrwi_image_chunk_store(
        mrwi_image_png_store_header(head, def->width, def->height, def->channels, 8), "acTL",
        control, sizeof control, control, 0);
    return add(apng, head, sizeof head, error);
}

static mrw_status add_end(mrw_apng *apng, mrw_error *error)
{
    uint8_t end[MRWI_IMAGE_CHUNK_AROUND];
    mrwi_image_chunk_seal(end, "IEND", 0);
    return add(apng, end, sizeof end, error);
}

/* Stores the data of an fcTL chunk. The delay is den / num of the rate, in two 16-bit numbers. */
static void store_frame_control(const mrw_apng_def *def, const mrwi_image_apng_part *part,
                                uint32_t sequence, uint8_t data[FRAME_CONTROL_BYTES])
{
    mrw_rate rate = def->rate;
    while (rate.num > UINT16_MAX || rate.den > UINT16_MAX) {
        rate.num = rate.num > 1 ? rate.num / 2 : 1;
        rate.den = rate.den > 1 ? rate.den / 2 : 1;
    }
    mrwi_image_store_u32(data, sequence);
    mrwi_image_store_u32(data + 4, part->width);
    mrwi_image_store_u32(data + 8, part->height);
    mrwi_image_store_u32(data + 12, part->x);
    mrwi_image_store_u32(data + 16, part->y);
    mrwi_image_store_u16(data + 20, rate.den);
    mrwi_image_store_u16(data + 22, rate.num);
    data[24] = 0; /* dispose none */
    data[25] = part->over;
}

/* Adds a frame to the file: fcTL, then IDAT for the first frame, or fdAT. */
static mrw_status add_frame(mrw_apng *apng, uint32_t index, const mrwi_image_apng_part *part,
                            const uint8_t *data, size_t size, mrw_error *error)
{
    const uint32_t sequence = index == 0 ? 0 : 2 * index - 1;
    const size_t number = index == 0 ? 0 : NUMBER_BYTES;
    uint8_t head[FRAME_HEAD], control[FRAME_CONTROL_BYTES], checksum[CHECKSUM_BYTES];
    store_frame_control(&apng->def, part, sequence, control);
    uint8_t *chunk = mrwi_image_chunk_store(head, "fcTL", control, sizeof control, control, 0);
    mrwi_image_store_u32(chunk, (uint32_t)(number + size));
    memcpy(chunk + 4, index == 0 ? "IDAT" : "fdAT", 4);
    mrwi_image_store_u32(chunk + MRWI_IMAGE_CHUNK_START, sequence + 1);
    uint32_t crc = libdeflate_crc32(0, chunk + 4, MRWI_IMAGE_CHUNK_START - 4 + number);
    mrwi_image_store_u32(checksum, libdeflate_crc32(crc, data, size));
    mrw_status status = add(apng, head, sizeof head - NUMBER_BYTES + number, error);
    apng->pieces[index].place = apng->size;
    if (status) {
        return status;
    }
    status = add(apng, data, size, error);
    if (status) {
        return status;
    }
    return add(apng, checksum, sizeof checksum, error);
}

/* ---- writing frames in order ----------------------------------------------------------------- */

/* Returns the piece with a frame's compressed part, or NULL if that is not there yet. */
static piece *find_piece(const mrw_apng *apng, uint32_t index)
{
    const uint32_t packed_as = apng->pieces[index].packed_as;
    piece *p = packed_as == MRW_NONE ? NULL : &apng->pieces[packed_as];
    return p && p->packed.size > 0 ? p : NULL;
}

static bool is_ready(const mrw_apng *apng, uint32_t index)
{
    return index < apng->def.count && find_piece(apng, index);
}

/* Writes a frame by copying compressed bytes that the file has already. */
static mrw_status copy_frame(mrw_apng *apng, uint32_t index, const piece *from, mrw_error *error)
{
    const size_t size = from->packed.size;
    uint8_t *data = mrwi_base_alloc(size, 1);
    if (!data) {
        return mrwi_base_fail_memory(error, size);
    }
    mrw_status status = mrwi_image_file_read(&apng->file, from->place, data, size, error);
    if (status) {
        goto out;
    }
    status = add_frame(apng, index, &from->part, data, size, error);
out:
    mrwi_base_free(data);
    return status;
}

/* Writes the next frame. Needs no lock: its pieces are complete, and no other thread changes them.
 */
static mrw_status write_next(mrw_apng *apng, mrw_error *error)
{
    const uint32_t index = apng->next++;
    piece *p = find_piece(apng, index);
    if (!p->packed.data) {
        return copy_frame(apng, index, p, error);
    }
    mrw_status status = add_frame(apng, index, &p->part, p->packed.data, p->packed.size, error);
    if (p == &apng->pieces[index]) {
        mrwi_base_free(p->packed.data);
        p->packed.data = NULL; /* the size stays, and says that the file has it */
    }
    return status;
}

/* ---- stored pixels --------------------------------------------------------------------------- */

static void drop_picture(picture *p)
{
    if (p && --p->frames == 0) {
        mrw_image_free(&p->image);
        mrwi_base_free(p);
    }
}

static mrw_status copy_picture(const mrw_image *image, picture **out, mrw_error *error)
{
    picture *copy = mrwi_base_alloc_zero(1, sizeof *copy);
    mrw_status status =
        copy ? mrw_image_create(image->width, image->height, image->channels, &copy->image, error)
             : mrwi_base_fail_memory(error, sizeof *copy);
    if (status) {
        mrwi_base_free(copy);
        return status;
    }
    memcpy(copy->image.pixels, image->pixels,
           (size_t)image->width * image->height * image->channels);
    copy->frames = 1;
    *out = copy;
    return MRW_OK;
}

/* Gives the stored pixels of an equal frame, or a copy of the pixels. */
static mrw_status hold_picture(mrw_apng *apng, uint32_t as, const mrw_image *image, picture **out,
                               mrw_error *error)
{
    pthread_mutex_lock(&apng->lock);
    picture *shown = apng->pieces[as].shown;
    if (shown) {
        shown->frames++;
    }
    pthread_mutex_unlock(&apng->lock);
    *out = shown;
    return shown ? MRW_OK : copy_picture(image, out, error);
}

/* Drops one need of a frame's pixels. The lock is held. */
static void release(piece *p)
{
    if (--p->wanted == 0) {
        drop_picture(p->shown);
        p->shown = NULL;
    }
}

/* ---- from the beginning to the end ----------------------------------------------------------- */

mrw_status mrw_apng_create(const mrw_apng_def *def, mrw_apng **out, mrw_error *error)
{
    assert(def->count > 0 && def->count <= INT32_MAX / 2 && def->rate.num > 0 && def->rate.den > 0);
    mrw_status status = mrwi_base_isa_check(def->png.isa, error);
    if (status) {
        return status;
    }
    mrw_apng *apng = mrwi_base_alloc_zero(1, sizeof *apng);
    piece *pieces = mrwi_base_alloc_zero(def->count, sizeof *pieces);
    if (!apng || !pieces) {
        mrwi_base_free(apng);
        mrwi_base_free(pieces);
        return mrwi_base_fail_memory(error, def->count * sizeof *pieces);
    }
    for (uint32_t i = 0; i < def->count; i++) {
        pieces[i].same_as = pieces[i].packed_as = MRW_NONE;
        pieces[i].first_same = pieces[i].next_same = MRW_NONE;
    }
    apng->def = *def;
    apng->pieces = pieces;
    pthread_mutex_init(&apng->lock, NULL);
    if (def->path && !mrwi_image_file_is_special(def->path)) {
        status = mrwi_image_file_begin(def->path, &apng->file, error);
        if (status) {
            goto out;
        }
        apng->filing = true;
        status = add_head(apng, error);
        if (status) {
            goto out;
        }
    }
    *out = apng;
    return MRW_OK;
out:
    mrw_apng_free(apng);
    return status;
}

void mrw_apng_free(mrw_apng *apng)
{
    if (!apng) {
        return;
    }
    for (uint32_t i = 0; i < apng->def.count; i++) {
        mrwi_base_free(apng->pieces[i].packed.data);
        drop_picture(apng->pieces[i].shown);
    }
    if (apng->filing) {
        mrwi_image_file_drop(&apng->file);
    }
    pthread_mutex_destroy(&apng->lock);
    mrwi_base_free(apng->pieces);
    mrwi_base_free(apng->memory);
    mrwi_base_free(apng);
}

/* ---- frames that come ------------------------------------------------------------------------ */

static mrw_status check_frame(const mrw_apng_def *def, uint32_t index, const mrw_image *image,
                              mrw_error *error)
{
    if (image->width == def->width && image->height == def->height &&
        image->channels == def->channels) {
        return MRW_OK;
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "all frames of an animation must have the same size and channels: it has "
                          "%u x %u pixels of %u channels, but frame %u has %u x %u of %u",
                          def->width, def->height, def->channels, index + 1, image->width,
                          image->height, image->channels);
}

/* Returns another frame with the same picture and the same picture before it, if that one is or is
 * being compressed; else the frame itself. The lock is held. */
static uint32_t find_packed(const mrw_apng *apng, uint32_t index)
{
    const piece *pieces = apng->pieces;
    uint32_t other = index == 0 ? MRW_NONE : pieces[pieces[index].same_as].first_same;
    while (other != MRW_NONE && (other == 0 || pieces[other].packed_as != other ||
                                 pieces[other - 1].same_as != pieces[index - 1].same_as)) {
        other = pieces[other].next_same;
    }
    return other == MRW_NONE ? index : other;
}

/* Compresses the part of a frame that differs from the frame before. Both have come; only one
 * thread calls it for a frame. */
static mrw_status pack_change(mrw_apng *apng, uint32_t index, mrw_png_encoder *encoder,
                              mrw_error *error)
{
    piece *p = &apng->pieces[index], *before = index == 0 ? NULL : p - 1;
    mrwi_image_apng_part part = {0};
    mrw_bytes packed = {0};
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&apng->lock);
    p->packed_as = find_packed(apng, index);
    const bool own = p->packed_as == index;
    apng->pieces[p->packed_as].shared |= !own;
    pthread_mutex_unlock(&apng->lock);
    if (own) {
        status = mrwi_image_apng_change(encoder, before ? &before->shown->image : NULL,
                                        &p->shown->image, &apng->def.png, &part, &packed, error);
    }
    pthread_mutex_lock(&apng->lock);
    if (own) {
        p->part = part;
        p->packed = packed;
    }
    release(p);
    if (before) {
        release(before);
    }
    pthread_mutex_unlock(&apng->lock);
    return status;
}

/* Stores a frame that has come. Returns true if it can be compressed; *next becomes true if the
 * frame after it can. */
static bool enlist(mrw_apng *apng, uint32_t index, uint32_t as, picture *shown, bool *next)
{
    piece *p = &apng->pieces[index], *first = &apng->pieces[as];
    const bool last = index + 1 == apng->def.count;
    pthread_mutex_lock(&apng->lock);
    p->shown = shown;
    p->wanted = last ? 1 : 2;
    p->same_as = as;
    p->next_same = first->first_same;
    first->first_same = index;
    *next = !last && p[1].same_as != MRW_NONE;
    const bool ready = index == 0 || p[-1].same_as != MRW_NONE;
    pthread_mutex_unlock(&apng->lock);
    return ready;
}

/* Writes the frames that can be written. One thread at a time does it: the others leave their
 * frames to it. After a failure `writing` stays true, so that writing has ended. */
static mrw_status write_ready(mrw_apng *apng, mrw_error *error)
{
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&apng->lock);
    while (apng->filing && !apng->writing && is_ready(apng, apng->next)) {
        apng->writing = true;
        pthread_mutex_unlock(&apng->lock);
        status = write_next(apng, error);
        pthread_mutex_lock(&apng->lock);
        apng->writing = status != 0;
    }
    pthread_mutex_unlock(&apng->lock);
    return status;
}

mrw_status mrw_apng_repeat(mrw_apng *apng, uint32_t index, uint32_t as, const mrw_image *image,
                           mrw_png_encoder *encoder, mrw_error *error)
{
    mrw_png_encoder own = {0};
    assert(index < apng->def.count && as < apng->def.count);
    assert(apng->pieces[index].same_as == MRW_NONE && mrwi_image_is_picture(image));
    mrw_status status = check_frame(&apng->def, index, image, error);
    if (status) {
        return status;
    }
    picture *shown = NULL;
    status = hold_picture(apng, as, image, &shown, error);
    if (status) {
        return status;
    }
    bool next = false, ready = enlist(apng, index, as, shown, &next);
    if (ready) {
        status = pack_change(apng, index, encoder ? encoder : &own, error);
        if (status) {
            goto out;
        }
    }
    if (next) {
        status = pack_change(apng, index + 1, encoder ? encoder : &own, error);
        if (status) {
            goto out;
        }
    }
    status = write_ready(apng, error);
out:
    mrwi_image_png_encoder_clear(&own);
    return status;
}

mrw_status mrw_apng_put(mrw_apng *apng, uint32_t index, const mrw_image *image,
                        mrw_png_encoder *encoder, mrw_error *error)
{
    return mrw_apng_repeat(apng, index, index, image, encoder, error);
}

/* ---- the end --------------------------------------------------------------------------------- */

static size_t file_size(const mrw_apng *apng)
{
    size_t size = FILE_HEAD - NUMBER_BYTES +
                  MRWI_IMAGE_CHUNK_AROUND; /* the first frame lacks the sequence number */
    for (uint32_t i = 0; i < apng->def.count; i++) {
        piece *p = find_piece(apng, i);
        assert(p);
        size += FRAME_HEAD + p->packed.size + CHECKSUM_BYTES;
    }
    return size;
}

static mrw_status finish_memory(mrw_apng *apng, mrw_bytes *out, mrw_error *error)
{
    const size_t size = file_size(apng);
    apng->memory = mrwi_base_alloc(size, 1);
    if (!apng->memory) {
        return mrwi_base_fail_memory(error, size);
    }
    mrw_status status = add_head(apng, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < apng->def.count; i++) {
        piece *p = find_piece(apng, i);
        status = add_frame(apng, i, &p->part, p->packed.data, p->packed.size, error);
        if (status) {
            return status;
        }
        /* The system gives the file's pages when they are filled, so no frame takes memory twice.
         */
        if (!p->shared) {
            mrw_bytes_free(&p->packed);
        }
    }
    status = add_end(apng, error);
    if (status) {
        return status;
    }
    assert(apng->size == size);
    *out = (mrw_bytes){apng->memory, size};
    apng->memory = NULL;
    return MRW_OK;
}

mrw_status mrw_apng_finish(mrw_apng *apng, mrw_bytes *out, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_status status;
    if (apng->filing) {
        status = write_ready(apng, error);
        if (status) {
            return status;
        }
        assert(apng->next == apng->def.count);
        status = add_end(apng, error);
        if (status) {
            return status;
        }
        apng->filing = false; /* the file is finished, also after a failure */
        return mrwi_image_file_finish(&apng->file, error);
    }
    status = finish_memory(apng, &bytes, error);
    if (status) {
        return status;
    }
    if (!apng->def.path) {
        *out = bytes;
        return MRW_OK;
    }
    status = mrw_file_write(apng->def.path, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}

/* ---- all at once ----------------------------------------------------------------------------- */

mrw_status mrw_apng_encode_as(const mrw_image *images, uint32_t count, mrw_rate rate,
                              const mrw_png_def *def, mrw_bytes *out, mrw_error *error)
{
    mrw_png_encoder encoder = {0};
    mrw_apng *apng = NULL;
    mrw_status status = mrw_apng_create(&(mrw_apng_def){.width = images->width,
                                                        .height = images->height,
                                                        .channels = images->channels,
                                                        .count = count,
                                                        .rate = rate,
                                                        .png = def ? *def : mrw_png_def_default()},
                                        &apng, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        status = mrw_apng_put(apng, i, &images[i], &encoder, error);
        if (status) {
            goto out;
        }
    }
    status = mrw_apng_finish(apng, out, error);
out:
    mrwi_image_png_encoder_clear(&encoder);
    mrw_apng_free(apng);
    return status;
}

mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate, mrw_bytes *out,
                           mrw_error *error)
{
    return mrw_apng_encode_as(images, count, rate, NULL, out, error);
}
