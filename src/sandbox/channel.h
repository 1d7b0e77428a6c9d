/* channel.h: the messages between a process and its confined helper.
 *
 *   parent                      helper
 *     JOB     ────────────────►          with bytes to read and an empty file for the output
 *             ◄──────────────── REQUEST  "the file textures/skin.png"
 *     REPLY   ────────────────►          a descriptor, or why there is none
 *             ◄──────────────── WARNING  about this machine, or a detail of the import
 *             ◄──────────────── DONE     the file has the output, or
 *             ◄──────────────── FAILED   the reason for a failure
 *
 * Each message is one packet of a SOCK_SEQPACKET pair. Both sides check every field that they
 * receive, because neither trusts the other. Descriptors go only from the parent to the helper. */
#ifndef MRWI_SANDBOX_CHANNEL_H
#define MRWI_SANDBOX_CHANNEL_H

#include "sandbox/files.h"

/* The version, raised with every change of a message, of its details or of the output's format. */
#define MRWI_SANDBOX_CHANNEL_VERSION 10u
#define MRWI_SANDBOX_CHANNEL_FD      3   /* the helper's descriptor of the channel */
#define MRWI_SANDBOX_CHANNEL_FDS     2   /* the most descriptors in a message */
#define MRWI_SANDBOX_CHANNEL_DETAILS 160 /* bytes */

typedef enum mrwi_sandbox_message_type {
    MRWI_SANDBOX_MESSAGE_JOB = 1, /* size of the input; limits; details; text: the input's name;
                             descriptors of its bytes (with 64 zeros behind) and of the output */
    MRWI_SANDBOX_MESSAGE_REQUEST, /* code: mrwi_sandbox_file_kind; text: the path as written in the
                                     input */
    MRWI_SANDBOX_MESSAGE_REPLY,   /* code: mrwi_base_read_result; if that is MRWI_BASE_READ_OK, size
                             and descriptor of the file */
    MRWI_SANDBOX_MESSAGE_WARNING, /* text; code 0: a warning, 1: a detail of the import */
    MRWI_SANDBOX_MESSAGE_DONE,    /* size of the output */
    MRWI_SANDBOX_MESSAGE_FAILED,  /* code: mrw_status; text */
    MRWI_SANDBOX_MESSAGE_END
} mrwi_sandbox_message_type;

/* Limits that the helper sets for itself and the parent checks. */
typedef struct mrwi_sandbox_limits {
    uint64_t memory;        /* the most bytes of address space, and of the output */
    uint64_t milliseconds;  /* wall time; the limit of processor time is a little higher */
    uint64_t max_file_size; /* the most bytes of a file that it requests */
} mrwi_sandbox_limits;

/* A message. It is sent up to the end of its text. Fields that its type does not use are zero. */
typedef struct mrwi_sandbox_message {
    uint32_t version; /* set by mrwi_sandbox_channel_send */
    uint32_t type;    /* mrwi_sandbox_message_type */
    uint32_t code;
    uint32_t text_size; /* size with the NUL; set by mrwi_sandbox_channel_send */
    uint64_t size;
    mrwi_sandbox_limits limits;
    uint8_t details[MRWI_SANDBOX_CHANNEL_DETAILS]; /* private to the caller and the helper's
                                                      program; rest zero */
    char text[MRWI_BASE_PATH_MAX];
} mrwi_sandbox_message;

typedef enum mrwi_sandbox_channel_result {
    MRWI_SANDBOX_CHANNEL_OK,
    MRWI_SANDBOX_CHANNEL_AGAIN,  /* there is no message, or no room for one */
    MRWI_SANDBOX_CHANNEL_CLOSED, /* the other side has ended */
    MRWI_SANDBOX_CHANNEL_BROKEN, /* the packet is not a valid message */
    /* A helper of another version reports a failure: it cannot read our messages either. */
    MRWI_SANDBOX_CHANNEL_OTHER_VERSION
} mrwi_sandbox_channel_result;

/* Makes a message of a type whose other fields are zero. The text is cut to fit. */
void mrwi_sandbox_message_init(mrwi_sandbox_message *message, mrwi_sandbox_message_type type,
                               uint32_t code, const char *text);

/* Returns the number of descriptors in a message. */
size_t mrwi_sandbox_message_fds(const mrwi_sandbox_message *message);

/* Sends with mrwi_sandbox_message_fds descriptors. Without `wait` a full channel is
 * MRWI_SANDBOX_CHANNEL_AGAIN. */
mrwi_sandbox_channel_result mrwi_sandbox_channel_send(int channel, mrwi_sandbox_message *message,
                                                      const int *fds, bool wait);

/* Receives a message, and checks every field against its type. If fds is NULL, a message with
 * descriptors is broken, and none is received; else the caller owns mrwi_sandbox_message_fds of
 * them. */
mrwi_sandbox_channel_result mrwi_sandbox_channel_receive(int channel, mrwi_sandbox_message *message,
                                                         int *fds, bool wait);

#endif
