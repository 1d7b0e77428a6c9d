/* queue.c: the thread that puts the next block writes it, and all blocks that follow it without a
 * gap. Meanwhile other threads put their blocks without waiting. */
#include "output/queue.h"

#include "base/memory.h"
#include "base/work.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct mrwi_output_queue {
    int fd;
    bool is_socket;
    bool is_file; /* writing to it never waits for a reader */
    uint32_t count;
    mrw_bytes *blocks; /* [place] blocks that wait to be written */
    pthread_mutex_t lock;
    uint32_t next; /* place of the next block to write */
    bool writing;  /* a thread is writing */
    int code;      /* errno of the write that failed; 0: none has */
};

mrwi_output_queue *mrwi_output_queue_create(uint32_t count, int fd, bool is_socket)
{
    mrwi_output_queue *queue = mrwi_base_alloc_zero(1, sizeof *queue);
    mrw_bytes *blocks = mrwi_base_alloc_zero(count, sizeof *blocks);
    if (!queue || !blocks) {
        mrwi_base_free(queue);
        mrwi_base_free(blocks);
        return NULL;
    }
    *queue =
        (mrwi_output_queue){.fd = fd, .is_socket = is_socket, .count = count, .blocks = blocks};
    struct stat info;
    queue->is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    pthread_mutex_init(&queue->lock, NULL);
    return queue;
}

void mrwi_output_queue_free(mrwi_output_queue *queue)
{
    if (!queue) {
        return;
    }
    for (uint32_t i = 0; i < queue->count; i++) {
        mrw_bytes_free(&queue->blocks[i]);
    }
    pthread_mutex_destroy(&queue->lock);
    mrwi_base_free(queue->blocks);
    mrwi_base_free(queue);
}

/* Waits until something can be written. A reader that hangs must not keep the command: returns
 * false once the work is cancelled. */
static bool wait_for_room(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    int ready;
    do { /* a handler interrupts poll: the flag is looked at after it */
        ready = poll(&room, 1, (int)(MRWI_BASE_GLANCE * 1000));
    } while (mrwi_base_work_goes_on() && (ready == 0 || (ready < 0 && errno == EINTR)));
    return mrwi_base_work_goes_on();
}

/* Writes a block. Returns 0 or an errno; ECANCELED once the work is cancelled. A pipe with room
 * takes PIPE_BUF bytes without waiting. Whoever gave the descriptor may need it non-blocking. */
static int write_block(const mrwi_output_queue *queue, const mrw_bytes *block)
{
    size_t done = 0;
    while (done < block->size) {
        const uint8_t *data = block->data + done;
        const size_t size = block->size - done, part = size < PIPE_BUF ? size : PIPE_BUF;
        if (!queue->is_file && !wait_for_room(queue->fd)) {
            return ECANCELED;
        }
        const ssize_t written = queue->is_socket
                                    ? send(queue->fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                                    : write(queue->fd, data, queue->is_file ? size : part);
        if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            return errno;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int mrwi_output_queue_put(mrwi_output_queue *queue, uint32_t place, mrw_bytes *block)
{
    pthread_mutex_lock(&queue->lock);
    queue->blocks[place] = *block;
    *block = (mrw_bytes){0};
    while (!queue->writing && queue->code == 0 && queue->next < queue->count &&
           queue->blocks[queue->next].data) {
        mrw_bytes *next = &queue->blocks[queue->next];
        queue->writing = true;
        pthread_mutex_unlock(&queue->lock);
        const int code = write_block(queue, next);
        mrw_bytes_free(next);
        pthread_mutex_lock(&queue->lock);
        queue->writing = false;
        queue->code = code;
        queue->next++;
    }
    const int code = queue->code;
    pthread_mutex_unlock(&queue->lock);
    return code;
}
