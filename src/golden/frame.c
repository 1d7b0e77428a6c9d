/* frame.c: draws one frame of a case, compares it with its goldens and writes its results. */
#include "golden/frame.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/names.h"
#include "image/file.h"
#include "marrow/codecs.h"
#include "report/results.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MESSAGE 1400

/* ---- messages -------------------------------------------------------------------------------- */

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

/* Refuses a mask that leaves nothing to compare, since any picture would pass. */
static mrw_status refuse_all(const uint8_t *mask, size_t pixels, mrw_error *error)
{
    return memchr(mask, 0, pixels)
               ? MRW_OK
               : mrwi_base_fail(
                     error, MRW_ERROR_USAGE,
                     "the masks cover a whole picture, so nothing in it is compared; make them "
                     "smaller (with image:, everything that is not black is left out)");
}

/* Makes the mask of a frame. *out is NULL when nothing is masked. */
static mrw_status mask_frame(const mrwi_golden_shown *shown, mrwi_golden_worker *worker,
                             const uint8_t **out, mrw_error *error)
{
    const mrwi_golden_masks *masks = shown->masks;
    const mrw_sequence_frame *picture = shown->picture;
    const size_t pixels = masks->size;
    *out = masks->pixels;
    if (masks->node_count == 0) {
        return masks->pixels ? refuse_all(masks->pixels, pixels, error) : MRW_OK;
    }
    if (worker->mask_size < pixels) {
        mrwi_base_free(worker->mask);
        worker->mask = mrwi_base_alloc(pixels, 1);
        worker->mask_size = worker->mask ? pixels : 0;
    }
    *out = worker->mask;
    if (!worker->mask) {
        return mrwi_base_fail_memory(error, pixels);
    }
    if (shown->same) { /* the mask is the same, too; the renderer may have posed since */
        return MRW_OK;
    }
    if (masks->pixels) {
        memcpy(worker->mask, masks->pixels, pixels);
    } else {
        memset(worker->mask, 0, pixels);
    }
    const mrw_image *ids = mrw_frame_target(picture->renderer, MRW_TARGET_ID);
    const mrw_image *triangles = mrw_frame_target(picture->renderer, MRW_TARGET_TRIANGLE);
    for (uint32_t i = 0; i < masks->node_count && ids; i++) {
        mrw_frame_mark_node(ids, triangles, picture->instances, 0, masks->nodes[i], worker->mask);
    }
    return refuse_all(worker->mask, pixels, error);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Sets how a picture is compared with its golden. */
static mrw_status begin_compare(const mrwi_golden_input *in, const mrwi_golden_shown *shown,
                                mrwi_golden_worker *worker, mrw_compare_def *compare,
                                mrw_error *error)
{
    worker->image = shown->picture->image;
    *compare = in->compare;
    compare->threads = shown->picture->threads;
    return mask_frame(shown, worker, &compare->mask, error);
}

static void hash_text(const uint8_t hash[32], char out[65])
{
    for (int i = 0; i < 32; i++) {
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
    }
}

/* Compares with worker->expected. Failing pictures get all metrics. */
static mrw_status compare(const mrwi_golden_worker *worker, const mrw_compare_def *def, bool all,
                          mrw_frame_result *result, mrw_error *error)
{
    mrw_status status =
        mrw_compare(&worker->expected, worker->image, def, all, &result->metrics, error);
    if (!status && !all && !result->metrics.passed) {
        status = mrw_compare(&worker->expected, worker->image, def, true, &result->metrics, error);
    }
    result->compared = !status;
    return status;
}

/* Reads a golden picture into worker->expected. *read is false when it is missing or damaged, which
 * the state then tells. */
static mrw_status read_expected(const char *folder, const mrwi_golden_frame *frame,
                                mrwi_golden_worker *worker, bool *read, char *message,
                                mrw_error *error)
{
    mrwi_golden_frame_state *state = frame->state;
    char path[MRWI_BASE_PATH_MAX];
    struct stat info;
    mrw_error why;
    *read = false;
    bool there = mrwi_golden_names_path(folder, frame->result->name, path) &&
                 (stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR));
    if (!there) {
        state->missing |= MRW_CHECK_PIXELS;
        return MRW_OK;
    }
    mrw_image_free(&worker->expected);
    mrw_status status = mrwi_image_read_to_compare(path, worker->image, &worker->expected, &why);
    if (status == MRW_ERROR_MEMORY) {
        return mrwi_base_fail(error, status, "%s", why.text);
    }
    if (status) {
        frame->result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden is damaged: %s", why.text);
        return MRW_OK;
    }
    *read = state->expected_seen = true;
    return MRW_OK;
}

static mrw_status judge_picture(const char *folder, const mrwi_golden_frame *frame,
                                mrwi_golden_worker *worker, const mrw_compare_def *def,
                                char *message, mrw_error *error)
{
    mrw_frame_result *result = frame->result;
    char text[512];
    bool read;
    mrw_status status = read_expected(folder, frame, worker, &read, message, error);
    if (status || !read) {
        return status;
    }
    status = compare(worker, def, false, result, error);
    if (status) {
        return status;
    }
    if (!result->metrics.passed) {
        result->why |= MRW_WHY_PIXELS;
        frame->state->differs |= MRW_CHECK_PIXELS;
        say(message, "%s",
            mrw_compare_text(&result->metrics, &worker->expected, worker->image, text,
                             sizeof text));
    }
    return MRW_OK;
}

/* Compares hashes, with store = hash. For key frames only checks that golden.txt has a hash. */
static void judge_hash(const mrwi_golden_expected *goldens, const mrwi_golden_frame *frame,
                       char *message)
{
    mrw_frame_result *result = frame->result;
    mrwi_golden_frame_state *state = frame->state;
    const mrwi_golden_stored_frame *expected =
        mrwi_golden_stored_find(&goldens->stored, result->name, frame->index);
    if (goldens->stored_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden is damaged: %s", goldens->stored_file.fault);
    } else if (!expected) {
        state->missing |= MRW_CHECK_PIXELS;
    } else if (!state->key && strcmp(expected->hash, frame->stored->hash) != 0) {
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

/* Checks that the hash of a key frame matches its golden picture, which passed. If one of them was
 * changed, neither is trusted. Comparing treats missing alpha as 255, but hashing does not: the
 * hash may be that of the picture in the file or, if the file was encoded again, that of the drawn
 * picture. */
static void judge_key_hash(const mrwi_golden_stored *stored, const mrwi_golden_frame *frame,
                           const mrw_image *picture, char *message)
{
    mrw_frame_result *result = frame->result;
    mrwi_golden_frame_state *state = frame->state;
    const mrwi_golden_stored_frame *expected =
        mrwi_golden_stored_find(stored, result->name, frame->index);
    if (!expected || !state->expected_seen || (state->differs & MRW_CHECK_PIXELS) != 0) {
        return;
    }
    if (strcmp(expected->hash, frame->stored->hash) != 0 && !is_hash_of(expected->hash, picture)) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden picture does not match its hash in golden.txt");
    }
}

static void judge_emptiness(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                            char *message)
{
    const mrwi_golden_stored *stored = &in->expected.stored;
    mrw_frame_result *result = frame->result;
    /* a model that leaves the golden's camera on all sides is reported as another framing */
    const bool outgrown =
        frame->state->reframed && in->keeps_views && result->emptiness == MRW_EMPTY_CUT;
    frame->stored->empty = result->emptiness != MRW_NOT_EMPTY;
    if (result->emptiness != MRW_NOT_EMPTY && !outgrown &&
        !mrwi_golden_stored_empty(stored, result->name)) {
        result->why |= MRW_WHY_EMPTY;
        say(message, "the picture is %s (if that is intended, accept it with --allow-blank)",
            mrw_emptiness_name(result->emptiness));
    }
}

/* ---- changes of the suite -------------------------------------------------------------------- */

/* Returns true when the suite asks for the frame at another time than the golden's. When a clip has
 * become longer, frames that are spread over it are compared all the same. */
static bool is_at_another_time(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                               const mrwi_golden_stored_time *time)
{
    return time && in->suite.times && time->seconds != frame->result->time;
}

/* Describes why the picture is not compared with its golden, or "". A picture of another size is
 * reported elsewhere. */
static void say_apart(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                      const mrwi_golden_stored_time *time, char *out, size_t size)
{
    mrw_text text = {0};
    out[0] = '\0';
    if (!time || in->suite.size) {
        return;
    }
    if (is_at_another_time(in, frame, time)) {
        mrw_text_puts(&text, "not compared: the frame is at ");
        mrwi_explain_put_figure(&text, frame->result->time, time->seconds, 3);
        mrw_text_puts(&text, " s, but the golden is at ");
        mrwi_explain_put_figure(&text, time->seconds, frame->result->time, 3);
        mrw_text_puts(&text, " s");
        snprintf(out, size, "%s", text.data ? text.data : "not compared");
    } else if (frame->state->moved) {
        snprintf(out, size, "not compared: the golden uses another camera");
    }
    mrw_text_free(&text);
}

/* Checks that golden.txt gives the frame a time, and the camera of its clip. */
static void judge_time(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                       const mrwi_golden_stored_time *time, char *message)
{
    mrwi_golden_frame_state *state = frame->state;
    const bool tells_times = in->expected.stored.version >= 3 && !in->expected.stored_file.fault;
    const bool lacks =
        !time && tells_times && (state->missing & MRW_CHECK_PIXELS) == 0 && !in->def->against;
    if (!lacks && !state->stray) {
        return;
    }
    frame->result->why |= MRW_WHY_DAMAGED;
    state->differs |= MRW_CHECK_PIXELS;
    say(message, "%s",
        lacks ? "golden.txt gives no time for it"
              : "golden.txt gives it a different camera from the other frames of its clip");
}

static mrw_status judge_pixels(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                               mrwi_golden_worker *worker, const mrw_compare_def *def,
                               char *message, mrw_error *error)
{
    const mrwi_golden_expected *goldens = &in->expected;
    mrwi_golden_frame_state *state = frame->state;
    const mrwi_golden_stored_time *time =
        mrwi_golden_stored_time_of(&goldens->stored, frame->result->name, frame->index);
    char apart[160];
    bool shown;
    frame->result->emptiness = mrw_image_emptiness(worker->image);
    judge_emptiness(in, frame, message);
    /* Pictures of another backend are not compared; those of another driver are, to show how it
     * differs. */
    if (goldens->foreign) {
        frame->result->why |= MRW_WHY_DRIVER;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "the golden was drawn with another %s",
            goldens->unseen ? "backend" : "driver");
    }
    if (goldens->hashes || in->def->repeat > 1) {
        mrw_image_hash(worker->image, state->hash);
    }
    if (goldens->hashes) {
        hash_text(state->hash, frame->stored->hash);
    }
    if (goldens->unseen) {
        return MRW_OK;
    }
    say_apart(in, frame, time, apart, sizeof apart);
    if (apart[0]) {
        frame->result->why |= MRW_WHY_SUITE;
        state->differs |= MRW_CHECK_PIXELS;
        say(message, "%s", apart);
        return read_expected(goldens->folder, frame, worker, &shown, message, error);
    }
    if (goldens->hashes) {
        judge_hash(goldens, frame, message);
    }
    bool picture = state->key || !goldens->hashes;
    if (picture) {
        mrw_status status = judge_picture(goldens->folder, frame, worker, def, message, error);
        if (status) {
            return status;
        }
    }
    if (goldens->hashes && state->key) {
        judge_key_hash(&goldens->stored, frame, &worker->expected, message);
    }
    judge_time(in, frame, time, message);
    return MRW_OK;
}

/* ---- joints and bounds ----------------------------------------------------------------------- */

/* Computes joints and the box of a frame. Another marrow tells the box of the model alone. */
static mrw_status gather_shape(const mrwi_golden_shown *shown, bool model_alone,
                               mrwi_compare_pose *pose, mrwi_compare_box *box, mrw_error *error)
{
    const mrw_session *session = shown->session;
    const mrw_sequence_frame *picture = shown->picture;
    const mrw_posed_instance *posed;
    const uint32_t boxed = model_alone ? 1 : session->instance_count;
    mrw_status status =
        mrw_pose_instances(picture->renderer, picture->instances, picture->instance_count,
                           session->frame.isa, &posed, error);
    if (status) {
        return status;
    }
    for (uint32_t j = 0; j < pose->count; j++) {
        pose->joints[j].name = shown->joints->items[j].name;
        mrwi_session_joint_to_world(posed, &shown->joints->items[j],
                                    pose->joints[j].joint_to_world);
    }
    box->any = mrwi_session_box(session, boxed, posed, box->min, box->max);
    return MRW_OK;
}

/* Copies joints and bounds of an equal frame, or computes them. */
static mrw_status gather(const mrwi_golden_shown *shown, bool model_alone,
                         const mrwi_golden_frame *frame, mrw_error *error)
{
    mrwi_compare_pose *pose = frame->pose;
    mrwi_compare_box *box = frame->box;
    if (!shown->same) {
        return gather_shape(shown, model_alone, pose, box, error);
    }
    const char *name = box->frame;
    memcpy(pose->joints, shown->same->pose->joints, pose->count * sizeof *pose->joints);
    *box = *shown->same->box;
    box->frame = name;
    return MRW_OK;
}

static mrw_status judge_pose(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                             char *message, mrw_error *error)
{
    mrw_frame_result *result = frame->result;
    mrwi_golden_frame_state *state = frame->state;
    const mrwi_compare_pose_limits limits = {in->c->max_degrees, in->c->max_distance};
    const mrwi_compare_pose *expected =
        mrwi_golden_poses_find(&in->expected.poses, result->name, frame->index);
    char text[700];
    if (in->expected.poses_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_POSE;
        say(message, "the golden is damaged: %s", in->expected.poses_file.fault);
        return MRW_OK;
    }
    if (!expected) {
        state->missing |= MRW_CHECK_POSE;
        return MRW_OK;
    }
    mrw_pose_difference difference;
    mrw_status status = mrwi_compare_pose_compare(expected, frame->pose, &limits, &difference, text,
                                                  sizeof text, error);
    if (status) {
        return status;
    }
    if (difference.joint) {
        difference.joint = mrwi_report_text(frame->memory, difference.joint);
    }
    result->pose = difference;
    if (difference.differing > 0) {
        result->why |= MRW_WHY_POSE;
        state->differs |= MRW_CHECK_POSE;
        say(message, "%s at frame %llu", text, (unsigned long long)result->frame);
    }
    return MRW_OK;
}

static void judge_bounds(const mrwi_golden_input *in, const mrwi_golden_frame *frame, char *message)
{
    mrw_frame_result *result = frame->result;
    mrwi_golden_frame_state *state = frame->state;
    const mrwi_compare_box *expected =
        mrwi_golden_boxes_find(&in->expected.boxes, result->name, frame->index);
    char text[200];
    if (in->expected.boxes_file.fault) {
        result->why |= MRW_WHY_DAMAGED;
        state->differs |= MRW_CHECK_BOUNDS;
        say(message, "the golden is damaged: %s", in->expected.boxes_file.fault);
    } else if (!expected) {
        state->missing |= MRW_CHECK_BOUNDS;
    } else if (!mrwi_compare_box_compare(expected, frame->box, in->c->max_distance, &result->bounds,
                                         text, sizeof text)) {
        result->why |= MRW_WHY_BOUNDS;
        state->differs |= MRW_CHECK_BOUNDS;
        say(message, "%s", text);
    }
}

/* Skips comparing poses and boxes of another time. Pictures report the reason, if there are any. */
static void judge_late(const mrwi_golden_input *in, const mrwi_golden_frame *frame, char *message)
{
    const uint32_t shapes = in->c->checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS);
    char apart[160];
    frame->state->differs |= (uint8_t)shapes;
    if ((in->c->checks & MRW_CHECK_PIXELS) == 0 || in->expected.unseen) {
        const mrwi_golden_stored_time *time =
            mrwi_golden_stored_time_of(&in->expected.stored, frame->result->name, frame->index);
        say_apart(in, frame, time, apart, sizeof apart);
        frame->result->why |= MRW_WHY_SUITE;
        say(message, "%s", apart[0] ? apart : "not compared");
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes one picture into the case's results. *out is its path below the results folder. */
static mrw_status write_picture(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                const mrw_image *image, const char *ending, const char **out,
                                mrw_error *error)
{
    char path[4096], relative[1024];
    mrw_bytes bytes;
    const char *name = frame->result->name;
    snprintf(path, sizeof path, "%s/%s%s", in->folder, name, ending);
    snprintf(relative, sizeof relative, "%s/%s/%s%s", in->c->suite, in->c->name, name, ending);
    mrw_status status = mrw_make_folder(in->folder, NULL, error);
    if (status) {
        return status;
    }
    status = mrw_png_encode(image, &bytes, error);
    if (status) {
        return status;
    }
    status = mrw_file_write(path, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    if (status) {
        return status;
    }
    *out = mrwi_report_text(frame->memory, relative);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof relative);
}

/* Writes the picture, and its difference from worker->expected. */
static mrw_status write_pictures(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                 const mrwi_golden_worker *worker, const mrw_compare_def *def,
                                 mrw_error *error)
{
    mrw_frame_result *result = frame->result;
    bool same = result->compared && result->metrics.same_size && result->metrics.identical &&
                result->metrics.masked_pixels == 0;
    if (same && in->def->update < MRW_UPDATE_CHANGED) {
        return MRW_OK;
    }
    mrw_status status = write_picture(in, frame, worker->image, ".png", &result->actual, error);
    if (status || !result->compared) {
        return status;
    }
    mrw_image diff = {0};
    status = mrw_compare_picture(&worker->expected, worker->image, def, &diff, error);
    if (!status) {
        status = write_picture(in, frame, &diff, ".diff.png", &result->diff, error);
    }
    mrw_image_free(&diff);
    return status;
}

mrw_status mrwi_golden_frame_copy_expected(const mrwi_golden_input *in, mrw_frame_result *result,
                                           mrw_results *memory, mrw_error *error)
{
    char from[4096], to[4096], relative[1024];
    mrw_bytes bytes;
    snprintf(from, sizeof from, "%s/%s.png", in->expected.folder, result->name);
    snprintf(to, sizeof to, "%s/%s.expected.png", in->folder, result->name);
    snprintf(relative, sizeof relative, "%s/%s/%s.expected.png", in->c->suite, in->c->name,
             result->name);
    if (mrwi_base_read_file(from, MRWI_GOLDEN_PICTURE_SIZE, &bytes, NULL, NULL)) {
        return MRW_OK; /* it went away meanwhile */
    }
    mrw_status status = mrw_make_folder(in->folder, NULL, error);
    if (!status) {
        status = mrw_file_write(to, bytes.data, bytes.size, error);
    }
    mrw_bytes_free(&bytes);
    if (status) {
        return status;
    }
    result->expected = mrwi_report_text(memory, relative);
    return result->expected ? MRW_OK : mrwi_base_fail_memory(error, sizeof relative);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Reports which goldens are missing. */
static void say_missing(const mrwi_golden_input *in, uint32_t missing, char *message)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } kinds[] = {
        {MRW_CHECK_PIXELS, "picture"}, {MRW_CHECK_POSE, "pose"}, {MRW_CHECK_BOUNDS, "bounds"}};
    const bool against = in->def->against;
    if (missing == in->c->checks) {
        say(message, against ? "the other marrow has no such frame" : "there is no golden yet");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((missing & kinds[i].kind) != 0) {
            say(message,
                against ? "the other marrow gives no %s" : "there is no golden for its %s yet",
                kinds[i].name);
        }
    }
}

/* Makes the message: missing goldens, then joints and bounds, then pixels. */
static mrw_status finish_verdict(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                 const char *shape, const char *pixels, mrw_error *error)
{
    mrw_frame_result *result = frame->result;
    uint32_t missing = frame->state->missing;
    char message[MESSAGE] = "";
    if (missing != 0) {
        result->why |= MRW_WHY_MISSING;
        say_missing(in, missing, message);
    }
    if (shape[0]) {
        say(message, "%s", shape);
    }
    if (pixels[0]) {
        say(message, "%s", pixels);
    }
    result->passed = result->why == 0;
    result->message = result->passed ? "" : mrwi_report_text(frame->memory, message);
    return result->message ? MRW_OK : mrwi_base_fail_memory(error, strlen(message));
}

mrw_status mrwi_golden_frame_judge(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                   const mrwi_golden_shown *shown, mrwi_golden_worker *worker,
                                   mrw_error *error)
{
    const bool late = is_at_another_time(
        in, frame,
        mrwi_golden_stored_time_of(&in->expected.stored, frame->result->name, frame->index));
    const uint32_t checks = in->c->checks;
    mrw_compare_def def;
    char pixels[MESSAGE] = "", shape[MESSAGE] = "";
    mrw_status status;
    bool pictures = (checks & MRW_CHECK_PIXELS) != 0;
    if (pictures) {
        status = begin_compare(in, shown, worker, &def, error);
        if (status) {
            return status;
        }
        status = judge_pixels(in, frame, worker, &def, pixels, error);
        if (status) {
            return status;
        }
    }
    if ((checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) != 0) {
        status = gather(shown, in->def->against, frame, error);
        if (status) {
            return status;
        }
    }
    if (late) {
        judge_late(in, frame, shape);
    }
    if ((checks & MRW_CHECK_POSE) != 0 && !late) {
        status = judge_pose(in, frame, shape, error);
        if (status) {
            return status;
        }
    }
    if ((checks & MRW_CHECK_BOUNDS) != 0 && !late) {
        judge_bounds(in, frame, shape);
    }
    status = finish_verdict(in, frame, shape, pixels, error);
    if (status) {
        return status;
    }
    bool keep = !frame->result->passed || in->def->update == MRW_UPDATE_ALL ||
                (frame->state->reframed && in->def->update == MRW_UPDATE_CHANGED);
    return pictures && keep ? write_pictures(in, frame, worker, &def, error) : MRW_OK;
}

mrw_status mrwi_golden_frame_show(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                  const mrwi_golden_shown *shown, mrwi_golden_worker *worker,
                                  mrw_error *error)
{
    mrw_compare_def def;
    char ignored[MESSAGE] = "";
    bool read = false;
    mrw_status status = begin_compare(in, shown, worker, &def, error);
    if (status) {
        return status;
    }
    status = read_expected(in->expected.folder, frame, worker, &read, ignored, error);
    if (status || !read) {
        return status;
    }
    status = compare(worker, &def, true, frame->result, error);
    if (status) {
        return status;
    }
    return write_pictures(in, frame, worker, &def, error);
}

mrw_status mrwi_golden_frame_put(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                 const mrwi_golden_shown *shown, mrwi_golden_worker *worker,
                                 mrw_error *error)
{
    const mrw_image *image = shown->picture->image;
    const char *ignored;
    uint8_t hash[32];
    (void)worker;
    frame->stored->empty = mrw_image_emptiness(image) != MRW_NOT_EMPTY;
    if (in->expected.hashes) {
        mrw_image_hash(image, hash);
        hash_text(hash, frame->stored->hash);
    }
    return frame->state->key ? write_picture(in, frame, image, ".png", &ignored, error) : MRW_OK;
}

mrw_status mrwi_golden_frame_repeat(const mrwi_golden_input *in, const mrwi_golden_frame *frame,
                                    const mrwi_golden_shown *shown, mrwi_golden_worker *worker,
                                    mrw_error *error)
{
    const mrwi_compare_pose *pose = frame->pose;
    const mrwi_compare_box *box = frame->box;
    (void)worker;
    if ((in->c->checks & MRW_CHECK_PIXELS) != 0) {
        uint8_t hash[32];
        mrw_image_hash(shown->picture->image, hash);
        frame->state->unsteady = memcmp(hash, frame->state->hash, sizeof hash) != 0;
    }
    if ((in->c->checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) == 0) {
        return MRW_OK;
    }
    mrwi_compare_pose again = *pose;
    mrwi_compare_box box_again = *box;
    again.joints = mrwi_base_alloc(pose->count, sizeof *again.joints);
    if (!again.joints) {
        return mrwi_base_fail_memory(error, pose->count * sizeof *again.joints);
    }
    mrw_status status = gather_shape(shown, in->def->against, &again, &box_again, error);
    if (status) {
        goto out;
    }
    for (uint32_t j = 0; j < pose->count; j++) {
        frame->state->unsteady |=
            memcmp(again.joints[j].joint_to_world, pose->joints[j].joint_to_world,
                   sizeof pose->joints[j].joint_to_world) != 0;
    }
    frame->state->unsteady |= memcmp(box->min, box_again.min, sizeof box->min) != 0 ||
                              memcmp(box->max, box_again.max, sizeof box->max) != 0;
out:
    mrwi_base_free(again.joints);
    return status;
}
