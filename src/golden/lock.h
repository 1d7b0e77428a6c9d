/* lock.h: lets one run at a time use a results folder. */
#ifndef MRWI_GOLDEN_LOCK_H
#define MRWI_GOLDEN_LOCK_H

#include "marrow/golden.h"

typedef struct mrwi_golden_locks {
    struct mrwi_golden_lock *items;
    size_t count;
} mrwi_golden_locks;

/* Locks results folders that exist, each once. Waits for other runs, and calls def->waiting
 * meanwhile. Unlock also after a failure. */
mrw_status mrwi_golden_lock_roots(mrwi_golden_locks *locks, const mrw_test_def *def,
                                  const char *const *roots, size_t count, mrw_error *error);
void mrwi_golden_unlock_roots(mrwi_golden_locks *locks);

#endif
