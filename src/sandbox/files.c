/* files.c: a confined process gets files by asking its parent for them. */
#include "sandbox/channel.h"

#include <string.h>
#include <unistd.h>

static mrwi_base_read_result read_asked(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                        uint8_t **data, size_t *size)
{
    const uint64_t *max_file_size = user;
    static mrwi_sandbox_message message; /* a process has one job and one thread */
    int fd = -1;
    if (strlen(path) >= sizeof message.text) {
        return MRWI_BASE_READ_MISSING;
    }
    mrwi_sandbox_message_init(&message, MRWI_SANDBOX_MESSAGE_REQUEST, (uint32_t)kind, path);
    if (mrwi_sandbox_channel_send(MRWI_SANDBOX_CHANNEL_FD, &message, NULL, true) !=
            MRWI_SANDBOX_CHANNEL_OK ||
        mrwi_sandbox_channel_receive(MRWI_SANDBOX_CHANNEL_FD, &message, &fd, true) !=
            MRWI_SANDBOX_CHANNEL_OK ||
        message.type != MRWI_SANDBOX_MESSAGE_REPLY) {
        _exit(1); /* the parent is gone or breaks the protocol */
    }
    if (message.code == MRWI_BASE_READ_OK && message.size > *max_file_size) {
        _exit(1);
    }
    return message.code == MRWI_BASE_READ_OK
               ? mrwi_base_read_bytes(fd, (size_t)message.size, data, size)
               : (mrwi_base_read_result)message.code;
}

mrwi_sandbox_files mrwi_sandbox_helper_files(const uint64_t *max_file_size)
{
    return (mrwi_sandbox_files){read_asked, (void *)(uintptr_t)max_file_size};
}
