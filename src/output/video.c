/* video.c: videos, which another program encodes: ffmpeg. It reads the pictures from its standard
 * input and writes a file that has a temporary name until it is complete.
 *
 * Its arguments are a list, and no shell reads them. The file is given as file:PATH, so that a name
 * that begins with '-' is not an option, and one that begins with "x:" is not a protocol.
 *
 * Opaque pictures are sent as YUV4MPEG2, so that mrwi_image_to_ycbcr alone converts their colours;
 * ffmpeg only averages the colour of pixels for a codec that stores it once for four. Pictures with
 * alpha are sent as RGBA. Files declare their colours: BT.709, limited range, the transfer function
 * of sRGB. They don't say when or with which program they were made. */
#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "image/file.h"
#include "output/program.h"
#include "output/queue.h"
#include "output/raw.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM "ffmpeg"

/* ---- the command line ------------------------------------------------------------------------ */

/* The encoder of one kind of file. */
typedef struct codec {
    const char *filter;
    bool
        even; /* sides must be even: the codec stores colour per 2x2 pixels, and has no remainder */
    const char *arguments[20]; /* NULL ends the list */
} codec;

#define COLORS   "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=iec61966-2-1"
#define TO_VIDEO "scale=out_color_matrix=bt709:out_range=tv,"
/* The filter removes the encoder's SEI, which says its version and settings. */
#define H264                                                                                       \
    "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-bsf:v", "filter_units=remove_types=6", \
        "-movflags", "+faststart"
#define VP9                                                                                        \
    "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-deadline", "good", "-cpu-used", "3",        \
        "-row-mt", "1"
#define PRORES "-c:v", "prores_ks", "-profile:v", "4444", "-alpha_bits", "16", "-vendor", "apl0"

typedef struct kind {
    const char *muxer;
    codec opaque, clear; /* clear.filter NULL: the format has no alpha */
} kind;

/* The kinds of files, by mrw_output_format. */
static const kind kinds[MRW_OUTPUT_FORMAT_COUNT] = {
    [MRW_OUTPUT_MP4] = {.muxer = "mp4", .opaque = {"format=yuv420p," COLORS, true, {H264}}},
    [MRW_OUTPUT_MOV] = {.muxer = "mov",
                        .opaque = {"format=yuv420p," COLORS, true, {H264}},
                        .clear = {TO_VIDEO "format=yuva444p10le," COLORS, false, {PRORES}}},
    [MRW_OUTPUT_WEBM] = {.muxer = "webm",
                         .opaque = {"format=yuv420p," COLORS, false, {VP9}},
                         .clear = {TO_VIDEO "format=yuva420p," COLORS,
                                   false,
                                   {VP9, "-auto-alt-ref", "0"}}},
};

#define MOST_ARGUMENTS 64

typedef struct command {
    const char *items[MOST_ARGUMENTS];
    uint32_t count;
    char size[32], rate[32];
} command;

static void add(command *c, const char *const *arguments)
{
    for (; *arguments; arguments++) {
        c->items[c->count++] = *arguments;
    }
    c->items[c->count] = NULL;
}

static const codec *codec_of(const mrw_output_def *def)
{
    return def->channels == 4 ? &kinds[def->format].clear : &kinds[def->format].opaque;
}

/* Makes the command line. file: "file:" and the path. */
static void make_command(const mrwi_output_target *target, const char *file, command *out)
{
    const mrw_output_def *def = target->def;
    const codec *used = codec_of(def);
    *out = (command){0};
    snprintf(out->size, sizeof out->size, "%ux%u", def->width, def->height);
    snprintf(out->rate, sizeof out->rate, "%u/%u", target->rate.num, target->rate.den);
    add(out, (const char *[]){PROGRAM, "-nostdin", "-hide_banner", "-loglevel", "error",
                              "-xerror", /* otherwise a full disk at the end is ignored */
                              NULL});
    if (def->channels == 4) {
        add(out, (const char *[]){"-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
                                  out->size, "-framerate", out->rate, NULL});
    } else {
        add(out, (const char *[]){"-f", "yuv4mpegpipe", NULL});
    }
    add(out, (const char *[]){"-i", "pipe:0", "-vf", used->filter, NULL});
    add(out, used->arguments);
    add(out, (const char *[]){"-color_range", "tv", "-colorspace", "bt709", "-color_primaries",
                              "bt709", "-color_trc", "iec61966-2-1", "-map_metadata", "-1",
                              "-fflags", "+bitexact", "-flags:v", "+bitexact", "-f",
                              kinds[def->format].muxer, "-y", file, NULL});
}

/* Writes a text in a form that a shell reads as one word. */
static void put_quoted(const char *text, mrw_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        mrw_text_add(out, "%s", text);
        return;
    }
    mrw_text_add(out, "'");
    for (; *text; text++) {
        mrw_text_put(out, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    }
    mrw_text_add(out, "'");
}

static void put_line(const mrwi_output_target *target, mrw_text *out)
{
    char file[PATH_MAX + 8], safe[2 * PATH_MAX];
    command c;
    mrw_text line = {0};
    snprintf(file, sizeof file, "file:%s", target->path);
    make_command(target, file, &c);
    for (uint32_t i = 0; i < c.count; i++) {
        mrw_text_add(&line, "%s", i > 0 ? " " : "");
        put_quoted(c.items[i], &line);
    }
    mrw_text_add(out, "%s", line.failed ? PROGRAM : mrwi_base_escape(line.data, safe, sizeof safe));
    mrw_text_free(&line);
}

/* ---- before anything is drawn ---------------------------------------------------------------- */

static mrw_status refuse_without_program(const mrwi_output_target *target, mrw_error *error)
{
    mrw_text line = {0};
    put_line(target, &line);
    mrw_status status = mrwi_base_fail(
        error, MRW_ERROR_TOOL,
        "cannot make a video: " PROGRAM " is not in PATH; install it (apt-get install " PROGRAM
        "), or pipe the frames to it where it is installed: marrow render ... -o - --stream %s | "
        "%s",
        target->def->channels == 4 ? "rgba" : "y4m", line.failed ? PROGRAM : line.data);
    mrw_text_free(&line);
    return status;
}

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    const codec *used = codec_of(def);
    char program[PATH_MAX], safe[512];
    mrwi_base_escape(target->path ? target->path : "-", safe, sizeof safe);
    if (!used->filter) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-o '%s': an .mp4 has no transparency; leave out --background none, "
                              "or write a .webm or .mov",
                              safe);
    }
    if (used->even && (def->width % 2 != 0 || def->height % 2 != 0)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-o '%s': H.264 stores colour per 2x2 pixels, but %ux%u has an odd "
                              "side; use --size %ux%u, or write a .webm",
                              safe, def->width, def->height, def->width + def->width % 2,
                              def->height + def->height % 2);
    }
    if (!target->path) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "writing a video needs to seek in its file, which standard output "
                              "cannot; give -o a name, or use -o - --stream y4m");
    }
    if (mrwi_image_file_is_special(target->path)) {
        return mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                              "%s: this is not a regular file, but writing a video needs to seek "
                              "in its file; use -o - --stream y4m",
                              safe);
    }
    return mrwi_output_program_find(PROGRAM, program) ? MRW_OK
                                                      : refuse_without_program(target, error);
}

/* ---- a video --------------------------------------------------------------------------------- */

typedef struct video_file {
    const mrwi_output_target *target;
    mrwi_image_file file;
    mrwi_output_program program;
    mrwi_output_queue *queue;
    pthread_mutex_t lock; /* guards the fields below, and ending the program */
    bool open;            /* the file is open, and the program was started */
    mrw_status failed;    /* the first failure; later calls return it, too */
    mrw_error error;      /* the message of that failure */
} video_file;

/* Records a failure, unless there was one before. Returns the first one. */
static mrw_status fail(video_file *video, mrw_status status, const char *reason)
{
    char safe[512];
    if (!video->failed) {
        video->failed =
            mrwi_base_fail(&video->error, status, "%s: %s",
                           mrwi_base_escape(video->target->path, safe, sizeof safe), reason);
    }
    return video->failed;
}

/* Waits for the end of the program. code: the errno of the write that it did not accept; 0: it has
 * got everything. */
static mrw_status end_program(video_file *video, int code)
{
    char how[64], said[512], reason[800], text[128];
    if (!video->program.runs) {
        return video->failed;
    }
    const bool well = mrwi_output_program_wait(&video->program, how);
    video->failed = mrwi_base_work_check(NULL, &video->error);
    if (video->failed) {
        return video->failed;
    }
    mrwi_output_program_said(&video->program, said, sizeof said);
    if (well && code == 0) {
        return MRW_OK;
    }
    if (well) {
        snprintf(reason, sizeof reason, PROGRAM " stopped accepting pictures: %s",
                 mrwi_base_error_text(code, text, sizeof text));
    } else {
        snprintf(reason, sizeof reason, PROGRAM " failed (%s)%s%s; -v shows its command line", how,
                 said[0] ? ": " : "", said);
    }
    return fail(video, MRW_ERROR_OUTPUT, reason);
}

static mrw_status start_program(video_file *video, mrw_error *error)
{
    char file[PATH_MAX + 8], path[PATH_MAX], text[128];
    command c;
    int code = ENOENT;
    snprintf(file, sizeof file, "file:%s", video->file.temporary);
    make_command(video->target, file, &c);
    if (mrwi_output_program_find(PROGRAM, path)) {
        code = mrwi_output_program_start(path, c.items, &video->program);
    }
    if (code != 0) {
        return mrwi_base_fail(error,
                              code == ENOMEM   ? MRW_ERROR_MEMORY
                              : code == EAGAIN ? MRW_ERROR_UNSUPPORTED
                                               : MRW_ERROR_TOOL,
                              PROGRAM " cannot be started: %s%s",
                              mrwi_base_error_text(code, text, sizeof text),
                              code == EAGAIN ? "; the user or the container has too many "
                                               "processes or threads (ulimit -u, pids.max)"
                                             : "");
    }
    video->queue = mrwi_output_queue_create(video->target->count, video->program.input, true);
    return video->queue ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static void free_file(void *self)
{
    video_file *video = self;
    mrwi_output_program_free(&video->program);
    if (video->open) {
        mrwi_image_file_drop(&video->file);
    }
    mrwi_output_queue_free(video->queue);
    pthread_mutex_destroy(&video->lock);
    mrwi_base_free(video);
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    video_file *video = mrwi_base_alloc_zero(1, sizeof *video);
    *out = NULL;
    if (!video) {
        return mrwi_base_fail_memory(error, sizeof *video);
    }
    video->target = target;
    video->program = (mrwi_output_program){.input = -1, .said = -1};
    pthread_mutex_init(&video->lock, NULL);
    mrw_status status = mrwi_image_file_begin(target->path, &video->file, error);
    if (status) {
        goto out;
    }
    video->open = true;
    status = start_program(video, error);
    if (status) {
        goto out;
    }
    *out = video;
    return MRW_OK;
out:
    free_file(video);
    return status;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    video_file *video = self;
    mrw_bytes block;
    mrw_status status = item->image->channels == 4
                            ? mrwi_output_rgba(item->image, &block, error)
                            : mrwi_output_y4m(video->target, item, &block, error);
    if (status) {
        return status;
    }
    const int code = mrwi_output_queue_put(video->queue, item->place, &block);
    status = mrwi_base_work_check(NULL, error);
    if (code == 0 || status) {
        return status;
    }
    pthread_mutex_lock(&video->lock);
    status = end_program(video, code);
    if (status && error) {
        *error = video->error;
    }
    pthread_mutex_unlock(&video->lock);
    return status;
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    (void)as;
    return put(self, item, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    video_file *video = self;
    (void)stdout_bytes;
    struct stat info;
    mrw_status status = end_program(video, 0);
    if (mrwi_base_work_check(NULL, error)) {
        return mrwi_base_work_check(NULL, NULL);
    }
    /* A program in a sandbox may have written to another folder of that name. */
    if (!status && (stat(video->file.temporary, &info) != 0 || info.st_size == 0)) {
        status = fail(video, MRW_ERROR_OUTPUT,
                      PROGRAM " succeeded, but its file is empty; -v shows its command line");
    }
    if (status) {
        if (error) {
            *error = video->error;
        }
        return status;
    }
    video->open = false;
    return mrwi_image_file_finish(&video->file, error);
}

/* ---- the writers ----------------------------------------------------------------------------- */

#define VIDEO(label, extension, clear)                                                             \
    {                                                                                              \
        .info = {.name = label,                                                                    \
                 .endings = {extension},                                                           \
                 .alpha = clear,                                                                   \
                 .collects = true,                                                                 \
                 .animates = true,                                                                 \
                 .in_order = true},                                                                \
        .check = check, .line = put_line, .open = open, .put = put, .repeat = repeat,              \
        .finish = finish, .free = free_file                                                        \
    }

const mrwi_output_writer mrwi_output_mp4 = VIDEO("mp4", ".mp4", false);
const mrwi_output_writer mrwi_output_webm = VIDEO("webm", ".webm", true);
const mrwi_output_writer mrwi_output_mov = VIDEO("mov", ".mov", true);
