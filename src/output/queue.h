/* queue.h: blocks of bytes that come in any order, from several threads, and are written in
 * theirs. */
#ifndef MRWI_OUTPUT_QUEUE_H
#define MRWI_OUTPUT_QUEUE_H

#include "marrow/output.h"

typedef struct mrwi_output_queue mrwi_output_queue;

/* Writes them to a descriptor, of a socket without a signal when its other end is closed. NULL when
 * memory is out. */
mrwi_output_queue *mrwi_output_queue_create(uint32_t count, int fd, bool is_socket);

/* Takes a block for a place, and frees it. Returns 0, or the errno of the first write that failed;
 * nothing is written afterwards. */
int mrwi_output_queue_put(mrwi_output_queue *queue, uint32_t place, mrw_bytes *block);

/* NULL is allowed. */
void mrwi_output_queue_free(mrwi_output_queue *queue);

#endif
