/* memory.c: --memory: the limit of the process. The library counts its own blocks exactly; a limit
 * of the system (RLIMIT_DATA) holds what other libraries take. */
#include "host.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Counted for code, tables, stacks and small blocks of other libraries: a constant, so that the
 * same command ends the same way every time. The static command has 9 MiB resident when it draws
 * one small picture. */
#define OWN_BYTES ((uint64_t)16 << 20)

/* A picture has colour, depth and triangles: 16 bytes per pixel and its file, and a model. */
#define PIXEL_BYTES 20u
#define MODEL_BYTES ((uint64_t)8 << 20)

/* Blocks of this size go back to the system at once, so what is freed does not count. */
#define MAPPED_BYTES (1 << 20)

#define STACK_BYTES ((uint64_t)8 << 20) /* a thread's stack, if no limit says otherwise */

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#ifndef SANITIZED
/* Returns the bytes that the kernel counts for RLIMIT_DATA at present; 0 without /proc. */
static uint64_t data_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        /* size resident shared text lib data */
        if (fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
#endif

/* Sets the system's limit. It is looser than the library's: stacks count in full there, and so does
 * memory that the C library keeps. A failure leaves the library's limit, which needs no system. */
static void limit_data(const mrw_settings *settings)
{
#ifndef SANITIZED
    struct rlimit data, stack;
    const uint64_t memory = settings->run.memory;
    const uint64_t threads =
        settings->run.threads > 0 ? settings->run.threads : (uint64_t)mrw_cpu_count();
    uint64_t each = STACK_BYTES;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY) {
        each = stack.rlim_cur;
    }
    /* Twice: marrow starts as many again while it looks for how many can be. */
    const uint64_t most = data_bytes() + memory + memory / 8 + (2 * threads + 2) * each;
    if (getrlimit(RLIMIT_DATA, &data) == 0 && most < data.rlim_cur) {
        data.rlim_cur = (rlim_t)most;
        setrlimit(RLIMIT_DATA, &data);
    }
#else
    (void)settings;
#endif
}

mrw_status host_memory_begin(const mrw_settings *settings, mrw_error *error)
{
    const uint64_t memory = settings->run.memory;
    const uint64_t width = settings->picture.width, height = settings->picture.height;
    if (memory == 0) {
        return MRW_OK;
    }
    if (memory <= OWN_BYTES) {
        return mrw_fail(error, MRW_ERROR_MEMORY,
                        "out of memory: --memory allows %" PRIu64
                        " bytes; marrow itself needs %" PRIu64 ", and a picture of %" PRIu64
                        "x%" PRIu64 " about %" PRIu64 " more: allow at least %" PRIu64,
                        memory, OWN_BYTES, width, height,
                        width * height * PIXEL_BYTES + MODEL_BYTES,
                        OWN_BYTES + width * height * PIXEL_BYTES + MODEL_BYTES);
    }
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, MAPPED_BYTES);
#endif
    mrw_memory_limit(memory, OWN_BYTES);
    limit_data(settings);
    return MRW_OK;
}
