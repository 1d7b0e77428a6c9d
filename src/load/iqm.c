/* iqm.c: reads Inter-Quake Models; see iqm.h. */
#include "load/iqm.h"

#include <inttypes.h>
#include <string.h>

/* The numbers of the header after its magic, in order. */
typedef enum field {
    VERSION,
    FILE_SIZE,
    FLAGS,
    NUM_TEXT,
    OFS_TEXT,
    NUM_MESHES,
    OFS_MESHES,
    NUM_VERTEX_ARRAYS,
    NUM_VERTEXES,
    OFS_VERTEX_ARRAYS,
    NUM_TRIANGLES,
    OFS_TRIANGLES,
    OFS_ADJACENCY,
    NUM_JOINTS,
    OFS_JOINTS,
    NUM_POSES,
    OFS_POSES,
    NUM_ANIMS,
    OFS_ANIMS,
    NUM_FRAMES,
    NUM_FRAME_CHANNELS,
    OFS_FRAMES
} field;

/* Channels of a pose. */
#define POSE_CHANNELS 10

/* Rows that a file of few bytes may produce, and rows per further byte: models of the corpus
 * produce one row per two bytes. */
#define FREE_ROWS     (UINT64_C(1) << 20)
#define ROWS_PER_BYTE 16

static uint32_t number(const mrwi_load_iqm *f, field which)
{
    return mrwi_load_iqm_u32(f->job->bytes + 16 + 4 * (size_t)which);
}

static bool check_start(mrwi_load_iqm *f)
{
    const mrwi_load_read_job *job = f->job;
    if (job->size < MRWI_LOAD_IQM_HEADER) {
        return mrwi_load_iqm_fail(f, "the file ends within its header; copy or export it again");
    }
    if (memcmp(job->bytes, "INTERQUAKEMODEL", 16) != 0) {
        return mrwi_load_iqm_fail(
            f, "this is not IQM (an IQM file begins with INTERQUAKEMODEL); export the model again");
    }
    if (number(f, VERSION) != 2) {
        return mrwi_load_iqm_fail(
            f,
            "this is IQM version %" PRIu32
            ", but marrow reads version 2; convert it with the IQM developer kit's upgrade program",
            number(f, VERSION));
    }
    if (number(f, FILE_SIZE) > job->size) {
        return mrwi_load_iqm_fail(
            f, "it is cut short: %zu bytes of %" PRIu32 "; copy or export it again", job->size,
            number(f, FILE_SIZE));
    }
    return true;
}

/* Finds the text and puts a NUL after it: names may lack theirs. */
static bool find_text(mrwi_load_iqm *f)
{
    mrwi_load_iqm_array text = {0};
    if (!mrwi_load_iqm_find(f, "text", number(f, NUM_TEXT), 1, number(f, OFS_TEXT), &text)) {
        return false;
    }
    char *copy = mrwi_load_iqm_alloc(f, &f->kept, (size_t)text.count + 1, 1);
    if (copy) {
        if (text.count > 0) {
            memcpy(copy, text.at, text.count);
        }
        copy[text.count] = '\0';
        f->text = copy;
        f->text_size = text.count;
    }
    return copy;
}

static bool find_frames(mrwi_load_iqm *f)
{
    f->channel_count = number(f, NUM_FRAME_CHANNELS);
    if (f->channel_count > (uint64_t)POSE_CHANNELS * f->poses.count) {
        return mrwi_load_iqm_fail(f,
                                  "its frames have %" PRIu32 " channels, but its %" PRIu32
                                  " poses have at most ten each; export the model again",
                                  f->channel_count, f->poses.count);
    }
    if (f->channel_count == 0) { /* no pose moves: frames take no room */
        f->frames.count = number(f, NUM_FRAMES);
        return true;
    }
    return mrwi_load_iqm_find(f, "frames", number(f, NUM_FRAMES), 2 * (uint64_t)f->channel_count,
                              number(f, OFS_FRAMES), &f->frames);
}

static bool find_arrays(mrwi_load_iqm *f)
{
    const struct {
        const char *what;
        uint32_t size;
        field count, offset;
        mrwi_load_iqm_array *out;
    } arrays[] = {
        {"meshes", MRWI_LOAD_IQM_MESH, NUM_MESHES, OFS_MESHES, &f->meshes},
        {"vertex arrays", MRWI_LOAD_IQM_VERTEXES, NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS,
         &f->vertex_arrays},
        {"triangles", MRWI_LOAD_IQM_TRIANGLE, NUM_TRIANGLES, OFS_TRIANGLES, &f->triangles},
        {"joints", MRWI_LOAD_IQM_JOINT, NUM_JOINTS, OFS_JOINTS, &f->joints},
        {"poses", MRWI_LOAD_IQM_POSE, NUM_POSES, OFS_POSES, &f->poses},
        {"animations", MRWI_LOAD_IQM_ANIM, NUM_ANIMS, OFS_ANIMS, &f->anims},
    };
    f->vertex_count = number(f, NUM_VERTEXES);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!mrwi_load_iqm_find(f, arrays[i].what, number(f, arrays[i].count), arrays[i].size,
                                number(f, arrays[i].offset), arrays[i].out)) {
            return false;
        }
    }
    return find_text(f) && find_frames(f);
}

static bool read_all(mrwi_load_iqm *f)
{
    return check_start(f) && find_arrays(f) && mrwi_load_iqm_push_joints(f) &&
           mrwi_load_iqm_push_meshes(f) && mrwi_load_iqm_push_clips(f);
}

mrw_status mrwi_load_iqm_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    const uint64_t of_size = FREE_ROWS + ROWS_PER_BYTE * (uint64_t)job->size;
    const uint64_t most = job->def->max_elements;
    mrwi_load_iqm f = {.job = job, .error = error, .budget = of_size < most ? of_size : most};
    f.rows_left = f.budget;
    *out = NULL;
    if (mrwi_load_iqm_ok(&f, mrwi_load_job_builder(job, "iqm", &f.builder, error)) &&
        read_all(&f)) {
        mrwi_load_iqm_ok(&f, mrwi_scene_builder_finish(f.builder, out, error));
    }
    mrwi_scene_builder_free(f.builder);
    mrwi_base_arena_free(&f.kept);
    return f.status;
}
