/* main.c: marrow-import: takes one job from marrow, reads an untrusted file with a library that may
 * crash, returns the scene, and ends. */
#include "import/draco.h"
#include "import/import.h"
#include "load/importer.h"
#include "sandbox/confine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static mrwi_sandbox_message message;

static _Noreturn void fail(mrw_status status, const char *text)
{
    mrwi_sandbox_message_init(&message, MRWI_SANDBOX_MESSAGE_FAILED, (uint32_t)status, text);
    mrwi_sandbox_channel_send(MRWI_SANDBOX_CHANNEL_FD, &message, NULL, true);
    _exit(1);
}

/* Sets the function that C++ calls when memory is out, before it throws: importers catch the
 * exception and report various other reasons. */
void *mrwi_import_set_new_handler(void (*handler)(void)) __asm__("_ZSt15set_new_handlerPFvvE");

static _Noreturn void out_of_memory(void)
{
    fail(MRW_ERROR_MEMORY, "out of memory");
}

static void tell(uint32_t code, const char *text)
{
    static mrwi_sandbox_message warning;
    mrwi_sandbox_message_init(&warning, MRWI_SANDBOX_MESSAGE_WARNING, code, text);
    mrwi_sandbox_channel_send(MRWI_SANDBOX_CHANNEL_FD, &warning, NULL, true);
}

static void tell_detail(void *user, const char *text)
{
    (void)user;
    tell(1, text);
}

/* Maps the model. The 64 zeros after it are in the file. */
static const uint8_t *map_model(int fd, uint64_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || (uint64_t)status.st_size != size + 64) {
        fail(MRW_ERROR_INTERNAL, "the model was not passed to the import helper");
    }
    void *bytes = mmap(NULL, (size_t)size + 64, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        out_of_memory();
    }
    close(fd);
    return bytes;
}

static void write_output(int fd, const void *bytes, uint64_t size)
{
    const char *at = bytes;
    for (uint64_t left = size; left > 0;) {
        ssize_t n = write(fd, at, (size_t)left);
        if (n < 0 && errno != EINTR) {
            out_of_memory();
        }
        at += n > 0 ? n : 0;
        left -= n > 0 ? (uint64_t)n : 0;
    }
    mrwi_sandbox_message_init(&message, MRWI_SANDBOX_MESSAGE_DONE, 0, "");
    message.size = size;
    mrwi_sandbox_channel_send(MRWI_SANDBOX_CHANNEL_FD, &message, NULL, true);
}

static mrw_load_def def_of(const mrwi_sandbox_limits *limits,
                           const mrwi_load_import_details *details)
{
    mrw_load_def def = mrw_load_def_default();
    def.max_file_size = limits->max_file_size;
    def.max_texture_size = details->max_texture_size;
    def.max_elements = details->max_elements;
    def.max_vertices = details->max_vertices;
    def.max_joints = details->max_joints;
    def.max_keys = details->max_keys;
    def.import_memory = limits->memory;
    def.import_seconds = (double)limits->milliseconds / 1000.0;
    def.fbx_curves = details->fbx_curves != 0;
    def.material_colors = (uint32_t)details->material_colors;
    def.flip_v = details->flip_v != 0;
    def.flip_winding = details->flip_winding != 0;
    def.clips_only = details->clips_only != 0;
    def.texture_memory = details->texture_memory;
    def.maps = (uint32_t)details->maps;
    def.later_jpegs = details->later_jpegs != 0;
    def.detail = tell_detail;
    return def;
}

#define INSTEAD "use --no-sandbox to import without a sandbox, but only for files you trust"

static void confine(const mrwi_sandbox_limits *limits)
{
    const char *warning;
    if (!mrwi_sandbox_limit(limits)) {
        fail(MRW_ERROR_UNSUPPORTED,
             "the import helper could not set its resource limits; " INSTEAD);
    }
    if (!mrwi_sandbox_filter(&warning)) {
        fail(MRW_ERROR_UNSUPPORTED,
             "the import helper could not restrict its system calls; " INSTEAD);
    }
    if (warning) {
        tell(0, warning);
    }
}

static void decode(const uint8_t *request, size_t size, const mrw_load_def *def, int output_fd)
{
    mrw_error error = {MRW_OK, ""};
    uint8_t *answer = NULL;
    size_t answer_size = 0;
    mrw_status status =
        mrwi_import_draco_read(request, size, def->max_elements, &answer, &answer_size, &error);
    if (status) {
        fail(status, error.text);
    }
    write_output(output_fd, answer, answer_size);
}

static void import(const mrwi_sandbox_message *job_message, const uint8_t *model, int output_fd)
{
    mrw_error error = {MRW_OK, ""};
    mrw_scene *scene = NULL;
    mrwi_load_import_details details;
    memcpy(&details, job_message->details, sizeof details);
    if (!memchr(details.format, '\0', sizeof details.format)) {
        fail(MRW_ERROR_INTERNAL, "the format was not passed to the import helper");
    }
    mrw_load_def def = def_of(&job_message->limits, &details);
    if (strcmp(details.format, MRWI_LOAD_DRACO_FORMAT) == 0) {
        decode(model, (size_t)job_message->size, &def, output_fd);
        return;
    }
    mrwi_sandbox_files files = mrwi_sandbox_helper_files(&def.max_file_size);
    mrwi_load_read_job job = {
        model, (size_t)job_message->size, job_message->text, details.format, &def, &files, false};
    mrw_status status = mrwi_import_read(&job, &scene, &error);
    if (status) {
        fail(status, error.text);
    }
    write_output(output_fd, scene->blob, scene->blob_size);
}

int main(void)
{
    static mrwi_sandbox_message job;
    int type = 0, fds[MRWI_SANDBOX_CHANNEL_FDS];
    socklen_t size = sizeof type;
    if (getsockopt(MRWI_SANDBOX_CHANNEL_FD, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
        type != SOCK_SEQPACKET) {
        fputs("marrow-import: marrow starts this program for each import; by itself it does "
              "nothing\n",
              stderr);
        return 2;
    }
    mrwi_sandbox_withdraw();
    if (mrwi_sandbox_channel_receive(MRWI_SANDBOX_CHANNEL_FD, &job, fds, true) !=
            MRWI_SANDBOX_CHANNEL_OK ||
        job.type != MRWI_SANDBOX_MESSAGE_JOB) {
        fail(MRW_ERROR_TOOL,
             "the import helper and marrow have different versions; reinstall both");
    }
    const uint8_t *model = map_model(fds[0], job.size);
    mrwi_import_set_new_handler(out_of_memory);
    confine(&job.limits);
    import(&job, model, fds[1]);
    _exit(0); /* aiReleaseImport would free some scenes twice; the system frees everything */
}
