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

static uint32_t number(const mrwi_load_iqm *load, field which)
{
    return mrwi_load_iqm_u32(load->job->bytes + 16 + 4 * (size_t)which);
}

static bool check_start(mrwi_load_iqm *load)
{
    const mrwi_load_read_job *job = load->job;
    if (job->size < MRWI_LOAD_IQM_HEADER) {
        return mrwi_load_iqm_fail(load, "the file ends within its header; copy or export it again");
    }
    if (memcmp(job->bytes, "INTERQUAKEMODEL", 16) != 0) {
        return mrwi_load_iqm_fail(
            load,
            "this is not IQM (an IQM file begins with INTERQUAKEMODEL); export the model again");
    }
    if (number(load, VERSION) != 2) {
        return mrwi_load_iqm_fail(
            load,
            "this is IQM version %" PRIu32
            ", but marrow reads version 2; convert it with the IQM developer kit's upgrade program",
            number(load, VERSION));
    }
    if (number(load, FILE_SIZE) > job->size) {
        return mrwi_load_iqm_fail(
            load, "it is cut short: %zu bytes of %" PRIu32 "; copy or export it again", job->size,
            number(load, FILE_SIZE));
    }
    return true;
}

/* Finds the text and puts a NUL after it: names may lack theirs. */
static bool find_text(mrwi_load_iqm *load, mrwi_load_iqm_file *file)
{
    mrwi_load_iqm_array text = {0};
    if (!mrwi_load_iqm_find(load, "text", number(load, NUM_TEXT), 1, number(load, OFS_TEXT),
                            &text)) {
        return false;
    }
    char *copy = mrwi_load_iqm_alloc(load, &load->kept, (size_t)text.count + 1, 1);
    if (copy) {
        if (text.count > 0) {
            memcpy(copy, text.at, text.count);
        }
        copy[text.count] = '\0';
        file->text.at = copy;
        file->text.size = text.count;
    }
    return copy;
}

static bool find_frames(mrwi_load_iqm *load, mrwi_load_iqm_file *file)
{
    file->channel_count = number(load, NUM_FRAME_CHANNELS);
    if (file->channel_count > (uint64_t)POSE_CHANNELS * file->poses.count) {
        return mrwi_load_iqm_fail(load,
                                  "its frames have %" PRIu32 " channels, but its %" PRIu32
                                  " poses have at most ten each; export the model again",
                                  file->channel_count, file->poses.count);
    }
    if (file->channel_count == 0) { /* no pose moves: frames take no room */
        file->frames.count = number(load, NUM_FRAMES);
        return true;
    }
    return mrwi_load_iqm_find(load, "frames", number(load, NUM_FRAMES),
                              2 * (uint64_t)file->channel_count, number(load, OFS_FRAMES),
                              &file->frames);
}

static bool find_arrays(mrwi_load_iqm *load, mrwi_load_iqm_file *file)
{
    const struct {
        const char *what;
        uint32_t size;
        field count, offset;
        mrwi_load_iqm_array *out;
    } arrays[] = {
        {"meshes", MRWI_LOAD_IQM_MESH, NUM_MESHES, OFS_MESHES, &file->meshes},
        {"vertex arrays", MRWI_LOAD_IQM_VERTEXES, NUM_VERTEX_ARRAYS, OFS_VERTEX_ARRAYS,
         &file->vertex_arrays},
        {"triangles", MRWI_LOAD_IQM_TRIANGLE, NUM_TRIANGLES, OFS_TRIANGLES, &file->triangles},
        {"joints", MRWI_LOAD_IQM_JOINT, NUM_JOINTS, OFS_JOINTS, &file->joints},
        {"poses", MRWI_LOAD_IQM_POSE, NUM_POSES, OFS_POSES, &file->poses},
        {"animations", MRWI_LOAD_IQM_ANIM, NUM_ANIMS, OFS_ANIMS, &file->anims},
    };
    file->vertex_count = number(load, NUM_VERTEXES);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!mrwi_load_iqm_find(load, arrays[i].what, number(load, arrays[i].count), arrays[i].size,
                                number(load, arrays[i].offset), arrays[i].out)) {
            return false;
        }
    }
    return find_text(load, file) && find_frames(load, file);
}

static bool read_all(mrwi_load_iqm *load)
{
    mrwi_load_iqm_file file = {.vertex_count = 0};
    return check_start(load) && find_arrays(load, &file) &&
           mrwi_load_iqm_push_joints(load, &file) && mrwi_load_iqm_push_meshes(load, &file) &&
           mrwi_load_iqm_push_clips(load, &file);
}

mrw_status mrwi_load_iqm_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    const uint64_t of_size = FREE_ROWS + ROWS_PER_BYTE * (uint64_t)job->size;
    const uint64_t most = job->def->max_elements;
    mrwi_load_iqm load = {.job = job, .error = error, .budget = of_size < most ? of_size : most};
    load.rows_left = load.budget;
    *out = NULL;
    if (mrwi_load_iqm_ok(&load, mrwi_load_job_builder(job, "iqm", &load.builder, error)) &&
        read_all(&load)) {
        mrwi_load_iqm_ok(&load, mrwi_scene_builder_finish(load.builder, out, error));
    }
    mrwi_scene_builder_free(load.builder);
    mrwi_base_arena_free(&load.kept);
    return load.status;
}
