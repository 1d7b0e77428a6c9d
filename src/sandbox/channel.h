/* channel.h: the messages between a process and the confined one that works for it.
 *
 *   parent                      helper
 *     JOB     ────────────────►          with bytes to read and an empty file for the output
 *             ◄──────────────── REQUEST  "the file textures/skin.png"
 *     REPLY   ────────────────►          a descriptor, or why there is none
 *             ◄──────────────── WARNING  about this machine, or what was taken for what
 *             ◄──────────────── DONE     the output lies in the file, or
 *             ◄──────────────── FAILED   why not
 *
 * One packet a message, over a SOCK_SEQPACKET pair. Both sides check every field of what they
 * receive: neither trusts the other. Descriptors travel only from the parent to the helper.
 */
#ifndef MRWI_SANDBOX_CHANNEL_H
#define MRWI_SANDBOX_CHANNEL_H

#include "sandbox/files.h"

/* Raised with every change of a message, or of what its details and the output hold. */
#define MRWI_SANDBOX_CHANNEL_VERSION 9u
#define MRWI_SANDBOX_CHANNEL_FD      3   /* of the helper */
#define MRWI_SANDBOX_CHANNEL_FDS     2   /* descriptors a message has at most */
#define MRWI_SANDBOX_CHANNEL_DETAILS 160 /* bytes */

typedef enum mrwi_sandbox_message_type {
    MRWI_SANDBOX_MESSAGE_JOB = 1, /* size: of the input; limits; details; text: the input's name;
                             descriptors of its bytes (64 zeros behind) and of the output */
    MRWI_SANDBOX_MESSAGE_REQUEST, /* code: mrwi_sandbox_file_kind; text: the path as the input has
                                     it */
    MRWI_SANDBOX_MESSAGE_REPLY,   /* code: mrwi_base_read_result; where that is MRWI_BASE_READ_OK:
                             size and descriptor   of the file */
    MRWI_SANDBOX_MESSAGE_WARNING, /* text; code 1: no warning, but what was taken for what */
    MRWI_SANDBOX_MESSAGE_DONE,    /* size: of the output */
    MRWI_SANDBOX_MESSAGE_FAILED,  /* code: mrw_status; text */
    MRWI_SANDBOX_MESSAGE_END
} mrwi_sandbox_message_type;

/* What the helper imposes on itself, and the parent holds against it. */
typedef struct mrwi_sandbox_limits {
    uint64_t memory;        /* bytes of its address space, and of the output */
    uint64_t milliseconds;  /* wall time; of processor time it may have a little more */
    uint64_t max_file_size; /* bytes of a file that it asks for */
} mrwi_sandbox_limits;

/* Travels as far as the end of its text. Fields a type does not use are zero. */
typedef struct mrwi_sandbox_message {
    uint32_t version; /* set by mrwi_sandbox_channel_send */
    uint32_t type;    /* mrwi_sandbox_message_type */
    uint32_t code;
    uint32_t text_size; /* set by mrwi_sandbox_channel_send; with the NUL */
    uint64_t size;
    mrwi_sandbox_limits limits;
    uint8_t
        details[MRWI_SANDBOX_CHANNEL_DETAILS]; /* between the caller and the program; rest zero */
    char text[MRWI_BASE_PATH_MAX];
} mrwi_sandbox_message;

typedef enum mrwi_sandbox_channel_result {
    MRWI_SANDBOX_CHANNEL_OK,
    MRWI_SANDBOX_CHANNEL_AGAIN,  /* nothing there, or no room */
    MRWI_SANDBOX_CHANNEL_CLOSED, /* the other side has ended */
    MRWI_SANDBOX_CHANNEL_BROKEN, /* what came is no message */
    /* A helper of another version says that it failed: it cannot read our messages either. */
    MRWI_SANDBOX_CHANNEL_OTHER_VERSION
} mrwi_sandbox_channel_result;

/* A zeroed message of a type; text is cut to fit. */
void mrwi_sandbox_message_init(mrwi_sandbox_message *message, mrwi_sandbox_message_type type,
                               uint32_t code, const char *text);

/* How many descriptors a message has. */
size_t mrwi_sandbox_message_fds(const mrwi_sandbox_message *message);

/* Sends with mrwi_sandbox_message_fds descriptors. Without `wait` a full channel is
 * MRWI_SANDBOX_CHANNEL_AGAIN. */
mrwi_sandbox_channel_result mrwi_sandbox_channel_send(int channel, mrwi_sandbox_message *message,
                                                      const int *fds, bool wait);

/* Receives one message, in which every field is good for its type. With fds NULL a message with
 * descriptors is broken (and none is taken); else mrwi_sandbox_message_fds of them are the
 * caller's. */
mrwi_sandbox_channel_result mrwi_sandbox_channel_receive(int channel, mrwi_sandbox_message *message,
                                                         int *fds, bool wait);

#endif
