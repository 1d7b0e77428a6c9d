/* queue.h: writes blocks of bytes in order; they come in any order and from several threads. */
#ifndef MRWI_OUTPUT_QUEUE_H
#define MRWI_OUTPUT_QUEUE_H

#include "marrow/output.h"

typedef struct mrwi_output_queue mrwi_output_queue;

/* Makes a queue that writes to a descriptor. A socket whose other end is closed raises no signal.
 * Returns NULL without memory. */
mrwi_output_queue *mrwi_output_queue_create(uint32_t count, int fd, bool is_socket);

/* Takes over a block, writes it when it is its turn, and frees it. Returns 0, or the errno of the
 * first write that failed; nothing is written afterwards. */
int mrwi_output_queue_put(mrwi_output_queue *queue, uint32_t place, mrw_bytes *block);

/* NULL is allowed. */
void mrwi_output_queue_free(mrwi_output_queue *queue);

#endif
