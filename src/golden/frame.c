/* frame.c: one frame of a case: drawn, compared with its goldens, its files in the results. */
#include "base/file.h"
#include "base/text.h"
#include "golden/case.h"
#include "image/file.h"
#include "report/results.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MESSAGE 1400

/* ---- words ----------------------------------------------------------------------------------- */

/* Adds a part to a message: "a; b". */
static void say(char *message, const char *format, ...) MRW_PRINTF(2, 3);
static void say(char *message, const char *format, ...)
{
    size_t used = strlen(message);
    used += (size_t)snprintf(message + used, MESSAGE - used, "%s", used > 0 ? "; " : "");
    if (used < MESSAGE) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message + used, MESSAGE - used, format, arguments);
        va_end(arguments);
    }
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* Where nothing is left to compare, any picture would pass. */
static mrw_status refuse_all(const uint8_t *mask, size_t pixels, mrw_error *error)
{
    return memchr(mask, 0, pixels)
               ? MRW_OK
               : mrwi_base_fail(
                     error, MRW_ERROR_USAGE,
                     "the masks cover a whole picture, so that nothing of it is compared; "
                     "make them smaller (of image: what is not black is left out)");
}

/* The mask of the frame drawn last by this worker, in *out; NULL: nothing is masked. */
static mrw_status mask_frame(mrwi_golden_case_run *cr, const mrw_instance *instances,
                             mrwi_golden_worker *worker, const uint8_t **out, mrw_error *error)
{
    const size_t pixels = (size_t)cr->settings.width * cr->settings.height;
    const mrw_pixel_id *ids = mrw_frame_ids(worker->renderer);
    *out = cr->mask;
    if (cr->mask_node_count == 0) {
        return cr->mask ? refuse_all(cr->mask, pixels, error) : MRW_OK;
    }
    if (worker->mask_size < pixels) {
        mrwi_base_free(worker->mask);
        worker->mask = mrwi_base_alloc(pixels, 1);
        worker->mask_size = worker->mask ? pixels : 0;
    }
    if (!worker->mask) {
        return mrwi_base_fail_memory(error, pixels);
    }
    if (cr->mask) {
        memcpy(worker->mask, cr->mask, pixels);
    } else {
        memset(worker->mask, 0, pixels);
    }
    for (uint32_t i = 0; i < cr->mask_node_count && ids; i++) {
        mrw_frame_mark_node(ids, pixels, instances, 0, cr->mask_nodes[i], worker->mask);
    }
    *out = worker->mask;
    return refuse_all(worker->mask, pixels, error);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static mrw_status draw(mrwi_golden_case_run *cr, const mrw_frame_def *frame,
                       const mrw_instance *instances, mrwi_golden_worker *worker, int threads,
                       const uint8_t **mask, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (!worker->drawn || frame->ids) { /* ids are the renderer's, which may have posed since */
        status = mrw_render(worker->renderer, frame, instances, cr->stage.instance_count, threads,
                            &worker->image, error);
    }
    return status == MRW_OK ? mask_frame(cr, instances, worker, mask, error) : status;
}

static void hash_text(const uint8_t hash[32], char out[65])
{
    for (int i = 0; i < 32; i++) {
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
    }
}

static mrw_compare_def compare_def(const mrwi_golden_case_run *cr, const uint8_t *mask, int threads)
{
    mrw_compare_def def = cr->compare;
    def.mask = mask;
    def.threads = threads;
    return def;
}

/* Compares with worker->expected. What fails gets all metrics. */
static mrw_status compare(mrwi_golden_case_run *cr, uint32_t index, mrwi_golden_worker *worker,
                          const uint8_t *mask, int threads, bool all, mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    mrw_compare_def def = compare_def(cr, mask, threads);
    mrw_status status =
        mrw_compare(&worker->expected, &worker->image, &def, all, &result->metrics, error);
    if (status == MRW_OK && !all && !result->metrics.passed) {
        status =
            mrw_compare(&worker->expected, &worker->image, &def, true, &result->metrics, error);
    }
    result->compared = status == MRW_OK;
    return status;
}

/* Reads a golden picture into worker->expected. False when it is missing or damaged, which the
 * state then says. */
static mrw_status read_expected(mrwi_golden_case_run *cr, uint32_t index,
                                mrwi_golden_worker *worker, bool *read, char *message,
                                mrw_error *error)
{
    mrwi_golden_frame_state *state = &cr->states[index];
    char path[4096];
    struct stat info;
    mrw_error why;
    int length = snprintf(path, sizeof path, "%s/%s.png", cr->expected.folder,
                          cr->result->frames[index].name);
    *read = false;
    bool there = length < (int)sizeof path &&
                 (stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR));
    if (!there) {
        state->missing |= MRW_CHECK_PIXELS;
        return MRW_OK;
    }
    mrw_image_free(&worker->expected);
    mrw_status status = mrwi_image_read_regular(path, 0, &worker->expected, &why);
    if (status == MRW_ERROR_MEMORY) {
        return mrwi_base_fail(error, status, "%s", why.text);
    }
    if (status != MRW_OK) {
        cr->result->frames[index].why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden is damaged: %s", why.text);
        return MRW_OK;
    }
    *read = state->expected_seen = true;
    return MRW_OK;
}

static mrw_status judge_picture(mrwi_golden_case_run *cr, uint32_t index,
                                mrwi_golden_worker *worker, const uint8_t *mask, int threads,
                                char *message, mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    char text[512];
    bool read;
    mrw_status status = read_expected(cr, index, worker, &read, message, error);
    if (status != MRW_OK || !read) {
        return status;
    }
    status = compare(cr, index, worker, mask, threads, false, error);
    if (status == MRW_OK && !result->metrics.passed) {
        result->why |= MRW_WHY_PIXELS;
        cr->states[index].differs |= MRW_CHECK_PIXELS;
        say(message, "%s",
            mrw_compare_text(&result->metrics, &worker->expected, &worker->image, text,
                             sizeof text));
    }
    return status;
}

/* With store = hash: what the text file says of frames, key frames too. */
static void judge_hash(mrwi_golden_case_run *cr, uint32_t index, char *message)
{
    mrw_frame_result *result = &cr->result->frames[index];
    mrwi_golden_frame_state *state = &cr->states[index];
    const mrwi_golden_stored_frame *expected =
        mrwi_golden_stored_find(&cr->expected.stored, result->name, index);
    if (cr->expected.stored_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden is damaged: %s", cr->expected.stored_file.fault);
    } else if (!expected) {
        state->missing |= MRW_CHECK_PIXELS;
    } else if (!state->key && strcmp(expected->hash, cr->stored.frames[index].hash) != 0) {
        result->why |= MRW_WHY_PIXELS;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "pixels differ (by hash: only key frames have a golden picture)");
    }
}

static bool is_hash_of(const char *text, const mrw_image *image)
{
    uint8_t hash[32];
    char own[65];
    mrw_image_hash(image, hash);
    hash_text(hash, own);
    return strcmp(text, own) == 0;
}

/* A key frame has both a picture and a hash: where one of them was changed, neither is trusted. The
 * picture is worker->expected, which passed. Comparing takes no alpha for 255, the hash does not:
 * the hash may be that of the picture in the file or, where that was encoded anew, of what is
 * drawn. */
static void judge_key_hash(mrwi_golden_case_run *cr, uint32_t index,
                           const mrwi_golden_worker *worker, char *message)
{
    mrw_frame_result *result = &cr->result->frames[index];
    mrwi_golden_frame_state *state = &cr->states[index];
    const mrwi_golden_stored_frame *expected =
        mrwi_golden_stored_find(&cr->expected.stored, result->name, index);
    if (!expected || !state->expected_seen || (state->differs & MRW_CHECK_PIXELS) != 0) {
        return;
    }
    if (strcmp(expected->hash, cr->stored.frames[index].hash) != 0 &&
        !is_hash_of(expected->hash, &worker->expected)) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden picture is not the one that golden.txt has the hash of");
    }
}

static void judge_emptiness(mrwi_golden_case_run *cr, uint32_t index, char *message)
{
    mrw_frame_result *result = &cr->result->frames[index];
    cr->stored.frames[index].empty = result->emptiness != MRW_NOT_EMPTY;
    if (result->emptiness != MRW_NOT_EMPTY &&
        !mrwi_golden_stored_empty(&cr->expected.stored, result->name)) {
        result->why |= MRW_WHY_EMPTY;
        say(message, "the picture is %s (if it is meant to be, accept it with --allow-blank)",
            mrw_emptiness_name(result->emptiness));
    }
}

static mrw_status judge_pixels(mrwi_golden_case_run *cr, uint32_t index, mrwi_golden_worker *worker,
                               const uint8_t *mask, int threads, char *message, mrw_error *error)
{
    mrwi_golden_frame_state *state = &cr->states[index];
    cr->result->frames[index].emptiness = mrw_image_emptiness(&worker->image);
    judge_emptiness(cr, index, message);
    if (cr->expected.hashes || cr->run->def->repeat > 1) {
        mrw_image_hash(&worker->image, state->hash);
    }
    if (cr->expected.hashes) {
        hash_text(state->hash, cr->stored.frames[index].hash);
        judge_hash(cr, index, message);
    }
    bool picture = state->key || !cr->expected.hashes;
    mrw_status status =
        picture ? judge_picture(cr, index, worker, mask, threads, message, error) : MRW_OK;
    if (status == MRW_OK && cr->expected.hashes && state->key) {
        judge_key_hash(cr, index, worker, message);
    }
    return status;
}

/* ---- joints and bounds ----------------------------------------------------------------------- */

/* Joints and the box of a frame. Another marrow tells of the model alone. */
static mrw_status gather_shape(mrwi_golden_case_run *cr, const mrw_instance *instances,
                               mrwi_golden_worker *worker, mrwi_compare_pose *pose,
                               mrwi_compare_box *box, mrw_error *error)
{
    const mrw_posed_instance *posed;
    const uint32_t boxed = cr->run->def->against ? 1 : cr->stage.instance_count;
    mrw_status status = mrw_pose_instances(worker->renderer, instances, cr->stage.instance_count,
                                           cr->stage.frame.isa, &posed, error);
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t j = 0; j < pose->count; j++) {
        pose->joints[j].name = cr->joints.items[j].name;
        mrwi_stage_joint_to_world(posed, &cr->joints.items[j], pose->joints[j].joint_to_world);
    }
    box->any = mrwi_stage_box(&cr->stage, boxed, posed, box->min, box->max);
    return MRW_OK;
}

static mrw_status judge_pose(mrwi_golden_case_run *cr, uint32_t index, char *message,
                             mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    mrwi_golden_frame_state *state = &cr->states[index];
    const mrwi_compare_pose_limits limits = {cr->c->max_degrees, cr->c->max_distance};
    const mrwi_compare_pose *expected =
        mrwi_golden_poses_find(&cr->expected.poses, result->name, index);
    char text[700];
    if (cr->expected.poses_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_POSE;
        say(message, "the golden is damaged: %s", cr->expected.poses_file.fault);
        return MRW_OK;
    }
    if (!expected) {
        state->missing |= MRW_CHECK_POSE;
        return MRW_OK;
    }
    mrw_pose_difference difference;
    mrw_status status = mrwi_compare_pose_compare(expected, &cr->poses.items[index], &limits,
                                                  &difference, text, sizeof text, error);
    if (status != MRW_OK) {
        return status;
    }
    if (difference.joint) {
        difference.joint = mrwi_report_text(cr->run->results, difference.joint);
    }
    result->pose = difference;
    if (difference.differing > 0) {
        result->why |= MRW_WHY_POSE;
        state->differs |= MRW_CHECK_POSE;
        say(message, "%s at frame %llu", text, (unsigned long long)result->frame);
    }
    return MRW_OK;
}

static void judge_bounds(mrwi_golden_case_run *cr, uint32_t index, char *message)
{
    mrw_frame_result *result = &cr->result->frames[index];
    mrwi_golden_frame_state *state = &cr->states[index];
    const mrwi_compare_box *expected =
        mrwi_golden_boxes_find(&cr->expected.boxes, result->name, index);
    char text[200];
    if (cr->expected.boxes_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_BOUNDS;
        say(message, "the golden is damaged: %s", cr->expected.boxes_file.fault);
    } else if (!expected) {
        state->missing |= MRW_CHECK_BOUNDS;
    } else if (!mrwi_compare_box_compare(expected, &cr->boxes.items[index], cr->c->max_distance,
                                         &result->bounds, text, sizeof text)) {
        result->why |= MRW_WHY_BOUNDS;
        state->differs |= MRW_CHECK_BOUNDS;
        say(message, "%s", text);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes one picture into the case's results; *out is its path below the results folder. */
static mrw_status write_picture(mrwi_golden_case_run *cr, uint32_t index, const mrw_image *image,
                                const char *ending, const char **out, mrw_error *error)
{
    char path[4096], relative[1024];
    mrw_bytes bytes;
    const char *name = cr->result->frames[index].name;
    snprintf(path, sizeof path, "%s/%s%s", cr->folder, name, ending);
    snprintf(relative, sizeof relative, "%s/%s/%s%s", cr->c->suite, cr->c->name, name, ending);
    mrw_status status = mrw_make_folder(cr->folder, NULL, error);
    if (status == MRW_OK) {
        status = mrw_png_encode(image, &bytes, error);
    }
    if (status == MRW_OK) {
        status = mrw_file_write(path, bytes.data, bytes.size, error);
        mrw_bytes_free(&bytes);
    }
    if (status == MRW_OK) {
        *out = mrwi_report_text(cr->run->results, relative);
        status = *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof relative);
    }
    return status;
}

/* The picture, and how it differs from worker->expected. */
static mrw_status write_pictures(mrwi_golden_case_run *cr, uint32_t index,
                                 mrwi_golden_worker *worker, const uint8_t *mask, int threads,
                                 mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    bool same = result->compared && result->metrics.same_size && result->metrics.identical &&
                result->metrics.masked_pixels == 0;
    if (same && cr->run->def->update != MRW_UPDATE_ALL) {
        return MRW_OK;
    }
    mrw_status status = write_picture(cr, index, &worker->image, ".png", &result->actual, error);
    if (status == MRW_OK && result->compared) {
        mrw_compare_def def = compare_def(cr, mask, threads);
        mrw_image diff = {0};
        status = mrw_compare_picture(&worker->expected, &worker->image, &def, &diff, error);
        if (status == MRW_OK) {
            status = write_picture(cr, index, &diff, ".diff.png", &result->diff, error);
        }
        mrw_image_free(&diff);
    }
    return status;
}

mrw_status mrwi_golden_frame_copy_expected(mrwi_golden_case_run *cr, uint32_t index,
                                           mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    char from[4096], to[4096], relative[1024];
    mrw_bytes bytes;
    snprintf(from, sizeof from, "%s/%s.png", cr->expected.folder, result->name);
    snprintf(to, sizeof to, "%s/%s.expected.png", cr->folder, result->name);
    snprintf(relative, sizeof relative, "%s/%s/%s.expected.png", cr->c->suite, cr->c->name,
             result->name);
    if (mrwi_base_read_file(from, MRWI_GOLDEN_PICTURE_SIZE, &bytes, NULL, NULL) != MRW_OK) {
        return MRW_OK; /* it went away meanwhile */
    }
    mrw_status status = mrw_make_folder(cr->folder, NULL, error);
    if (status == MRW_OK) {
        status = mrw_file_write(to, bytes.data, bytes.size, error);
    }
    mrw_bytes_free(&bytes);
    if (status == MRW_OK) {
        result->expected = mrwi_report_text(cr->run->results, relative);
        status = result->expected ? MRW_OK : mrwi_base_fail_memory(error, sizeof relative);
    }
    return status;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* What there is no golden of. */
static void say_missing(const mrwi_golden_case_run *cr, uint32_t missing, char *message)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } kinds[] = {
        {MRW_CHECK_PIXELS, "picture"}, {MRW_CHECK_POSE, "pose"}, {MRW_CHECK_BOUNDS, "bounds"}};
    const bool against = cr->run->def->against;
    if (missing == cr->c->checks) {
        say(message, against ? "the other marrow has no such frame" : "there is no golden yet");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((missing & kinds[i].kind) != 0) {
            say(message, against ? "the other marrow gives no %s" : "there is no golden %s yet",
                kinds[i].name);
        }
    }
}

/* What is missing, then joints and bounds, then pixels. */
static mrw_status finish_verdict(mrwi_golden_case_run *cr, uint32_t index, const char *shape,
                                 const char *pixels, mrw_error *error)
{
    mrw_frame_result *result = &cr->result->frames[index];
    uint32_t missing = cr->states[index].missing;
    char message[MESSAGE] = "";
    if (missing != 0) {
        result->why |= MRW_WHY_MISSING;
        say_missing(cr, missing, message);
    }
    if (shape[0]) {
        say(message, "%s", shape);
    }
    if (pixels[0]) {
        say(message, "%s", pixels);
    }
    result->passed = result->why == 0;
    result->message = result->passed ? "" : mrwi_report_text(cr->run->results, message);
    return result->message ? MRW_OK : mrwi_base_fail_memory(error, strlen(message));
}

/* Joints and bounds of the frame: those of the one before that shows the same, or gathered. */
static mrw_status gather(mrwi_golden_case_run *cr, uint32_t index, const mrw_instance *instances,
                         mrwi_golden_worker *worker, mrw_error *error)
{
    mrwi_compare_pose *pose = &cr->poses.items[index];
    mrwi_compare_box *box = &cr->boxes.items[index];
    if (!worker->drawn) {
        return gather_shape(cr, instances, worker, pose, box, error);
    }
    const char *name = box->frame;
    memcpy(pose->joints, cr->poses.items[worker->duplicate_of].joints,
           pose->count * sizeof *pose->joints);
    *box = cr->boxes.items[worker->duplicate_of];
    box->frame = name;
    return MRW_OK;
}

mrw_status mrwi_golden_frame_judge(mrwi_golden_case_run *cr, uint32_t index,
                                   const mrw_frame_def *frame, const mrw_instance *instances,
                                   mrwi_golden_worker *worker, int threads, mrw_error *error)
{
    const uint32_t checks = cr->c->checks;
    const uint8_t *mask = NULL;
    char pixels[MESSAGE] = "", shape[MESSAGE] = "";
    mrw_status status = MRW_OK;
    bool pictures = (checks & MRW_CHECK_PIXELS) != 0;
    if (pictures) {
        status = draw(cr, frame, instances, worker, threads, &mask, error);
    }
    if (status == MRW_OK && pictures) {
        status = judge_pixels(cr, index, worker, mask, threads, pixels, error);
    }
    if (status == MRW_OK && (checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) != 0) {
        status = gather(cr, index, instances, worker, error);
    }
    if (status == MRW_OK && (checks & MRW_CHECK_POSE) != 0) {
        status = judge_pose(cr, index, shape, error);
    }
    if (status == MRW_OK && (checks & MRW_CHECK_BOUNDS) != 0) {
        judge_bounds(cr, index, shape);
    }
    if (status == MRW_OK) {
        status = finish_verdict(cr, index, shape, pixels, error);
    }
    bool keep = !cr->result->frames[index].passed || cr->run->def->update == MRW_UPDATE_ALL;
    if (status == MRW_OK && pictures && keep) {
        status = write_pictures(cr, index, worker, mask, threads, error);
    }
    return status;
}

mrw_status mrwi_golden_frame_show(mrwi_golden_case_run *cr, uint32_t index,
                                  const mrw_frame_def *frame, const mrw_instance *instances,
                                  mrwi_golden_worker *worker, int threads, mrw_error *error)
{
    const uint8_t *mask = NULL;
    char ignored[MESSAGE] = "";
    bool read = false;
    mrw_status status = draw(cr, frame, instances, worker, threads, &mask, error);
    if (status == MRW_OK) {
        status = read_expected(cr, index, worker, &read, ignored, error);
    }
    if (status == MRW_OK && read) {
        status = compare(cr, index, worker, mask, threads, true, error);
    }
    return status == MRW_OK && read ? write_pictures(cr, index, worker, mask, threads, error)
                                    : status;
}

/* Poses of a second run, against those of the first. */
static mrw_status repeat_pose(mrwi_golden_case_run *cr, uint32_t index,
                              const mrw_instance *instances, mrwi_golden_worker *worker,
                              mrw_error *error)
{
    const mrwi_compare_pose *pose = &cr->poses.items[index];
    const mrwi_compare_box *box = &cr->boxes.items[index];
    mrwi_compare_pose again = *pose;
    mrwi_compare_box box_again = *box;
    again.joints = mrwi_base_alloc(pose->count, sizeof *again.joints);
    if (!again.joints) {
        return mrwi_base_fail_memory(error, pose->count * sizeof *again.joints);
    }
    mrw_status status = gather_shape(cr, instances, worker, &again, &box_again, error);
    for (uint32_t j = 0; j < pose->count && status == MRW_OK; j++) {
        cr->states[index].unsteady |=
            memcmp(again.joints[j].joint_to_world, pose->joints[j].joint_to_world,
                   sizeof pose->joints[j].joint_to_world) != 0;
    }
    if (status == MRW_OK) {
        cr->states[index].unsteady |= memcmp(box->min, box_again.min, sizeof box->min) != 0 ||
                                      memcmp(box->max, box_again.max, sizeof box->max) != 0;
    }
    mrwi_base_free(again.joints);
    return status;
}

mrw_status mrwi_golden_frame_repeat(mrwi_golden_case_run *cr, uint32_t index,
                                    const mrw_frame_def *frame, const mrw_instance *instances,
                                    mrwi_golden_worker *worker, int threads, mrw_error *error)
{
    const uint8_t *mask = NULL;
    uint8_t hash[32];
    mrw_status status = MRW_OK;
    worker->drawn = false; /* again means again */
    if ((cr->c->checks & MRW_CHECK_PIXELS) != 0) {
        status = draw(cr, frame, instances, worker, threads, &mask, error);
        if (status == MRW_OK) {
            mrw_image_hash(&worker->image, hash);
            cr->states[index].unsteady = memcmp(hash, cr->states[index].hash, sizeof hash) != 0;
        }
    }
    if (status == MRW_OK && (cr->c->checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) != 0) {
        status = repeat_pose(cr, index, instances, worker, error);
    }
    return status;
}
