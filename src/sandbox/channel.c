/* channel.c: the messages between a process and its confined helper. */
#include "sandbox/channel.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_SIZE offsetof(mrwi_sandbox_message, text)

void mrwi_sandbox_message_init(mrwi_sandbox_message *message, mrwi_sandbox_message_type type,
                               uint32_t code, const char *text)
{
    memset(message, 0, sizeof *message);
    message->type = (uint32_t)type;
    message->code = code;
    size_t length = strlen(text);
    length = length < sizeof message->text ? length : sizeof message->text - 1;
    memcpy(message->text, text, length);
}

size_t mrwi_sandbox_message_fds(const mrwi_sandbox_message *message)
{
    if (message->type == MRWI_SANDBOX_MESSAGE_JOB) {
        return 2;
    }
    return message->type == MRWI_SANDBOX_MESSAGE_REPLY && message->code == MRWI_BASE_READ_OK ? 1
                                                                                             : 0;
}

/* Room for the descriptors of a message, aligned for the kernel's header. */
typedef union control {
    char bytes[CMSG_SPACE(MRWI_SANDBOX_CHANNEL_FDS * sizeof(int))];
    struct cmsghdr align;
} control;

static void attach(struct msghdr *packet, control *room, const int *fds, size_t count)
{
    memset(room, 0, sizeof *room);
    packet->msg_control = room->bytes;
    packet->msg_controllen = CMSG_SPACE(count * sizeof *fds);
    struct cmsghdr *header = CMSG_FIRSTHDR(packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof *fds);
    memcpy(CMSG_DATA(header), fds, count * sizeof *fds);
}

mrwi_sandbox_channel_result mrwi_sandbox_channel_send(int channel, mrwi_sandbox_message *message,
                                                      const int *fds, bool wait)
{
    message->version = MRWI_SANDBOX_CHANNEL_VERSION;
    message->text_size = (uint32_t)strlen(message->text) + 1;
    struct iovec data = {message, HEAD_SIZE + message->text_size};
    struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1};
    control room;
    size_t count = mrwi_sandbox_message_fds(message);
    assert(count == 0 || fds);
    if (count > 0) {
        attach(&packet, &room, fds, count);
    }
    ssize_t sent;
    do {
        sent = sendmsg(channel, &packet, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        return MRWI_SANDBOX_CHANNEL_OK;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? MRWI_SANDBOX_CHANNEL_AGAIN
                                                   : MRWI_SANDBOX_CHANNEL_CLOSED;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static bool text_good(const mrwi_sandbox_message *m, size_t length)
{
    return m->text_size >= 1 && m->text_size <= sizeof m->text &&
           length == HEAD_SIZE + m->text_size &&
           memchr(m->text, '\0', m->text_size) == m->text + m->text_size - 1;
}

static bool code_good(const mrwi_sandbox_message *m)
{
    switch (m->type) {
    case MRWI_SANDBOX_MESSAGE_WARNING:
        return m->code <= 1;
    case MRWI_SANDBOX_MESSAGE_JOB:
    case MRWI_SANDBOX_MESSAGE_DONE:
        return m->code == 0;
    case MRWI_SANDBOX_MESSAGE_REQUEST:
        return m->code <= MRWI_SANDBOX_FILE_TEXTURE;
    case MRWI_SANDBOX_MESSAGE_REPLY:
        return m->code <= MRWI_BASE_READ_MEMORY;
    case MRWI_SANDBOX_MESSAGE_FAILED:
        return m->code > MRW_OK && m->code <= MRW_ERROR_INTERNAL;
    default:
        return false;
    }
}

/* Checks limits, details and size: only a job has the first two, and only some types have a size.
 */
static bool rest_good(const mrwi_sandbox_message *m)
{
    static const mrwi_sandbox_limits unlimited;
    static const uint8_t none[MRWI_SANDBOX_CHANNEL_DETAILS];
    bool job = m->type == MRWI_SANDBOX_MESSAGE_JOB;
    bool sized = job || m->type == MRWI_SANDBOX_MESSAGE_DONE ||
                 (m->type == MRWI_SANDBOX_MESSAGE_REPLY && m->code == MRWI_BASE_READ_OK);
    return (job || (memcmp(&m->limits, &unlimited, sizeof unlimited) == 0 &&
                    memcmp(m->details, none, sizeof none) == 0)) &&
           (sized || m->size == 0) && m->size <= SIZE_MAX / 4;
}

/* Takes the descriptors that came with a packet. Returns their number. */
static size_t take_fds(struct msghdr *packet, int *fds)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(packet);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
        return 0;
    }
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
    memcpy(fds, CMSG_DATA(header), count * sizeof *fds);
    return count;
}

/* Returns true for a failure reported by another version. Reads only the fields that no version
 * moves: version and type. */
static bool is_of_other_version(const mrwi_sandbox_message *m, size_t got)
{
    return got > offsetof(mrwi_sandbox_message, code) &&
           m->version != MRWI_SANDBOX_CHANNEL_VERSION && m->version <= UINT16_MAX &&
           m->type == MRWI_SANDBOX_MESSAGE_FAILED;
}

mrwi_sandbox_channel_result mrwi_sandbox_channel_receive(int channel, mrwi_sandbox_message *message,
                                                         int *fds, bool wait)
{
    memset(message, 0, sizeof *message);
    struct iovec data = {message, sizeof *message};
    struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1};
    control room;
    memset(&room, 0, sizeof room);
    packet.msg_control = fds ? room.bytes : NULL; /* without room the kernel drops descriptors */
    packet.msg_controllen = fds ? sizeof room.bytes : 0;
    ssize_t got;
    do {
        got = recvmsg(channel, &packet, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK ? MRWI_SANDBOX_CHANNEL_AGAIN
                                                       : MRWI_SANDBOX_CHANNEL_CLOSED;
    }
    int taken[MRWI_SANDBOX_CHANNEL_FDS];
    size_t count = fds ? take_fds(&packet, taken) : 0;
    bool good = got > 0 && (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 &&
                (size_t)got > HEAD_SIZE && message->version == MRWI_SANDBOX_CHANNEL_VERSION &&
                text_good(message, (size_t)got) && code_good(message) && rest_good(message) &&
                count == mrwi_sandbox_message_fds(message);
    for (size_t i = 0; i < count; i++) {
        if (good) {
            fds[i] = taken[i];
        } else {
            close(taken[i]);
        }
    }
    if (!good) {
        return got == 0                                    ? MRWI_SANDBOX_CHANNEL_CLOSED
               : is_of_other_version(message, (size_t)got) ? MRWI_SANDBOX_CHANNEL_OTHER_VERSION
                                                           : MRWI_SANDBOX_CHANNEL_BROKEN;
    }
    return MRWI_SANDBOX_CHANNEL_OK;
}
