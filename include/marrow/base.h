/* base.h: what every room shares: status and messages, small vector types, CPU kernels, versions.
 *
 * Conventions of the whole library (see also marrow.h):
 * - Column vectors, column-major matrices. A matrix is named by the spaces it joins: mesh_to_world.
 * - World space is right-handed, Y up, metres where the file says its unit. A camera looks along
 * -Z.
 * - Clip-space depth is 0 at the near plane and 1 at the far plane.
 * - Texture coordinates have their origin at the top left. Counter-clockwise triangles face front.
 * - Angles are radians unless a name ends in _degrees. Times are seconds in double.
 * - What a function makes is freed by the caller, by the function named beside it; what a function
 *   is given is borrowed for the call, unless it says otherwise.
 * - A programmer's error, such as an index out of range, is an assertion at most; what the world
 *   gets wrong is a status and a message.
 * - The library never prints, exits or aborts because of a file, an option or memory.
 * - Nothing has to be set up before the first call or taken down after the last one. Every function
 *   of this header may be called by any thread at any time.
 */
#ifndef MARROW_BASE_H
#define MARROW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library and the command. */
#define MRW_VERSION "0.2.0"

/* Raised only when the pixels of a frame change on purpose; CHANGELOG.md says why each time. */
#define MRW_PIXEL_VERSION 7

/* MRW_API marks what the library shows: nothing else of it can be linked to. MRW_PRINTF lets the
 * compiler compare a format with its arguments; both numbers count parameters, from 1. */
#if defined(__GNUC__)
#define MRW_API                         __attribute__((visibility("default")))
#define MRW_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define MRW_API
#define MRW_PRINTF(format_index, first)
#endif

/* "No such thing" in every field that holds an index. */
#define MRW_NONE UINT32_MAX

/* ---- Status ---------------------------------------------------------------------------------- */

/* How a call ended: 0 when it did what it was asked for. */
typedef enum mrw_status {
    MRW_OK = 0,
    MRW_ERROR_USAGE,       /* an option or argument is wrong whatever the file holds */
    MRW_ERROR_INPUT,       /* a file is unreadable, damaged, refused, or lacks what was asked for */
    MRW_ERROR_OUTPUT,      /* a file could not be written */
    MRW_ERROR_MEMORY,      /* out of memory */
    MRW_ERROR_UNSUPPORTED, /* not possible on this machine or in this build */
    MRW_ERROR_CANCELLED,   /* a callback asked to stop */
    MRW_ERROR_INTERNAL     /* a bug in marrow */
} mrw_status;

/* A failure in words: what, where, and what to do. One line, no newline at the end, UTF-8, text
 * from files already escaped for a terminal. Functions that can fail take one as their last
 * argument; it may be NULL, and is left alone on success. */
typedef struct mrw_error {
    /* What the function returned. */
    mrw_status status;
    /* NUL-terminated; what is longer is cut. */
    char text[1024];
} mrw_error;

/* Name of a status for logs: "ok", "usage", "input", "output", "memory", "unsupported",
 * "cancelled", "internal"; "unknown" for any other number. Static storage. */
MRW_API const char *mrw_status_name(mrw_status status);

/* ---- Bytes and folders ----------------------------------------------------------------------- */

/* A block of bytes that a function made and the caller frees with mrw_bytes_free. */
typedef struct mrw_bytes {
    /* NULL: none. */
    uint8_t *data;
    /* Their number. */
    size_t size;
} mrw_bytes;

/* Frees the bytes and zeroes the struct, so that to free it again does nothing. A zeroed struct is
 * allowed, NULL is not. */
MRW_API void mrw_bytes_free(mrw_bytes *bytes);

/* Makes a folder and those above it where they are not there; several threads and programs may at
 * the same time. Their permissions are 0777 less the umask; a link to a folder is a folder. *made,
 * which may be NULL, tells whether this one was not there. MRW_ERROR_OUTPUT when it can't be made:
 * the message names the one of them that could not; what was made of those above it stays. */
MRW_API mrw_status mrw_make_folder(const char *path, bool *made, mrw_error *error);

/* The same for the folder that a file is to stand in, which must also take new files
 * (MRW_ERROR_OUTPUT: the message names the file, and the option that chooses another one, "-o";
 * NULL: none). A name without a '/' stands in the current folder. Of a link to a file it is the
 * folder of that file, which mrw_file_write replaces. A device or a pipe that is there needs no
 * folder. */
MRW_API mrw_status mrw_make_folder_of(const char *file, const char *option, mrw_error *error);

/* ---- Values ---------------------------------------------------------------------------------- */

/* 4x4 matrix, column-major, for column vectors: element (row r, column c) is m[4 * c + r], so that
 * m[12], m[13], m[14] are the translation of an affine one. a_to_b takes points of space a to space
 * b; b_to_c * a_to_b is a_to_c. */
typedef struct mrw_mat4 {
    float m[16];
} mrw_mat4;

/* Translation, rotation (unit quaternion x, y, z, w) and scale, applied as T * R * S: a point is
 * scaled first, by axis, then turned, then moved. */
typedef struct mrw_transform {
    /* Where the origin goes, in units of the space it is moved in. */
    float translation[3];
    float rotation[4];
    /* 1 keeps an axis as it is, below 0 mirrors along it, 0 flattens. */
    float scale[3];
} mrw_transform;

/* An exact frame rate: num frames in den seconds, so that frame n is at n * den / num seconds. Both
 * are above 0. 30 is {30, 1}; 29.97 is {30000, 1001}. */
typedef struct mrw_rate {
    uint32_t num;
    uint32_t den;
} mrw_rate;

/* ---- Kernels --------------------------------------------------------------------------------- */

/* The instruction sets kernels exist for. All give the same bits; they differ in speed only. SSE2
 * is part of every x86-64 CPU and NEON of every arm64 one; whether the CPU has the others is found
 * out when the program runs. */
typedef enum mrw_isa {
    MRW_ISA_AUTO = 0, /* the fastest this CPU and this build have */
    MRW_ISA_SCALAR,   /* the specification: plain C */
    MRW_ISA_SSE2,
    MRW_ISA_AVX2,
    MRW_ISA_AVX512, /* F, DQ, BW and VL */
    MRW_ISA_NEON,
    MRW_ISA_COUNT
} mrw_isa;

/* "auto", "scalar", "sse2", "avx2", "avx512", "neon"; "unknown" for any other number. Static
 * storage. */
MRW_API const char *mrw_isa_name(mrw_isa isa);

/* Finds an instruction set by name, in small letters; false, and *out as it was, when there is no
 * such name. */
MRW_API bool mrw_isa_from_name(const char *name, mrw_isa *out);

/* True when this build has kernels for isa and this CPU can run them, as it always is for AUTO and
 * SCALAR. */
MRW_API bool mrw_isa_available(mrw_isa isa);

/* The instruction set that MARROW_ISA of the environment names, looked up at each call, else the
 * fastest available; never MRW_ISA_AUTO. It is what every function of the library takes for
 * MRW_ISA_AUTO. A value that it cannot follow, for it is no such name or has no kernels here, is
 * passed over: the results are the same bits. mrw_session_check_isa refuses it in words, as each
 * command does. As with getenv, no thread may change the environment meanwhile. */
MRW_API mrw_isa mrw_isa_best(void);

/* Number of threads that pay: the smaller of the CPUs this process may use and its cgroup quota,
 * at least 1. Looked up at each call, which reads files of the system: ask once, not once a frame.
 * Cannot fail: a quota that can't be read is none. */
MRW_API int mrw_cpu_count(void);

/* What that number comes from. */
typedef struct mrw_cpu_limits {
    /* CPUs this process may run on, at least 1. */
    int affinity;
    /* CPUs whose time its cgroup (version 1 or 2) and those around it allow, rounded up; 0: no
     * limit. */
    int quota;
} mrw_cpu_limits;

/* Both as they are now: they are looked up at each call. */
MRW_API mrw_cpu_limits mrw_cpu_limits_now(void);

/* A system grants a process so many threads: limits of processes (a container's pids.max, a user's
 * RLIMIT_NPROC) and of address space (RLIMIT_AS). Whatever number the library is given, it takes no
 * more than can be started, down to the caller alone; the results are the same bits. Where not all
 * can be, it takes half of those that can, and looks again a second or two later. */
typedef struct mrw_thread_shortage {
    /* The most that were wanted at once where not all could be started; 0: all were started. */
    int wanted;
    /* The fewest at once that stood for those wanted, the caller among them. */
    int granted;
} mrw_thread_shortage;

/* The shortages since the process began; zeros when there was none. */
MRW_API mrw_thread_shortage mrw_thread_shortage_so_far(void);

/* ---- Time ------------------------------------------------------------------------------------ */

/* What mrw_clock_seconds counts. */
typedef enum mrw_clock {
    MRW_CLOCK_WALL,   /* time as it passes: never set, never jumps */
    MRW_CLOCK_PROCESS /* processor time that all threads of this process have used */
} mrw_clock;

/* Seconds of a clock from a start of its own, to a microsecond or better: only differences mean
 * something. Cannot fail. Nothing that is drawn depends on it. */
MRW_API double mrw_clock_seconds(mrw_clock clock);

/* Parses "30", "29.97", "30000/1001", "24/1". 23.976, 29.97 and 59.94 mean n * 1000/1001
 * (24000/1001 and so on); another decimal is taken exactly as written. The rate is in lowest terms.
 * Digits alone, without sign, space or exponent; false for anything else, for a rate of 0 and where
 * a term passes 32 bits; *out then means nothing. */
MRW_API bool mrw_rate_parse(const char *text, mrw_rate *out);

#ifdef __cplusplus
}
#endif
#endif
