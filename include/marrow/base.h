/* base.h: shared by all modules: status and messages, small vector types, CPU kernels, versions.
 *
 * Conventions of the whole library (see also marrow.h):
 * - Column vectors, column-major matrices. A matrix is named by the spaces it connects:
 *   mesh_to_world.
 * - World space is right-handed, Y up, in metres if the file states its unit. A camera looks along
 *   -Z.
 * - Clip-space depth is 0 at the near plane and 1 at the far plane.
 * - Texture coordinates have their origin at the top left. Counter-clockwise triangles face front.
 * - Angles are radians unless a name ends in _degrees. Times are seconds in double.
 * - The caller frees what a function creates, with the function named in its comment. Arguments are
 *   borrowed for the call unless stated otherwise.
 * - A programming error, such as an index out of range, fails an assertion at most. Any other
 *   failure (files, options, the system) is reported as a status and a message.
 * - The library never prints, exits or aborts because of a file, an option or memory.
 * - The library needs no set-up or shut-down. Any thread may call any function of this header at
 *   any time.
 * - 64 kB of stack are enough for every function. Threads that the library starts have the stacks
 *   of OpenMP's threads (OMP_STACKSIZE).
 * - A child of fork() may use the library, with one thread whatever number it asks for if its
 *   parent has used more than one: threads do not survive fork. Objects that another thread was
 *   using at the fork must not be used, nor freed, in the child. Files that the parent was writing,
 *   and programs that it had started, stay the parent's.
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

/* Version of the pixels, raised only when the pixels of a frame change on purpose. CHANGELOG.md
 * gives the reason for each change. */
#define MRW_PIXEL_VERSION 10

/* MRW_API exports a function; nothing else of the library can be linked to. MRW_PRINTF lets the
 * compiler check a format against its arguments; both numbers count parameters, from 1. */
#if defined(__GNUC__)
#define MRW_API                         __attribute__((visibility("default")))
#define MRW_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define MRW_API
#define MRW_PRINTF(format_index, first)
#endif

/* Invalid index, for every field that holds an index. */
#define MRW_NONE UINT32_MAX

/* ---- Status ---------------------------------------------------------------------------------- */

/* Result of a call; 0 means success. */
typedef enum mrw_status {
    MRW_OK = 0,
    MRW_ERROR_USAGE,       /* an option or argument is wrong, whatever the file contains */
    MRW_ERROR_INPUT,       /* a file is unreadable, damaged, refused, or lacks the requested part */
    MRW_ERROR_OUTPUT,      /* a file could not be written */
    MRW_ERROR_MEMORY,      /* out of memory */
    MRW_ERROR_UNSUPPORTED, /* not possible on this machine or in this build, for another reason */
    MRW_ERROR_CPU,         /* the CPU or build has no such instruction set */
    MRW_ERROR_DISPLAY,     /* there is no OpenGL, device or display that can do it */
    MRW_ERROR_TOOL,        /* a program or library that marrow starts or loads is missing */
    MRW_ERROR_TIME,        /* it took longer than allowed */
    MRW_ERROR_CANCELLED,   /* a callback asked to stop, or mrw_cancel_request did */
    MRW_ERROR_INTERNAL     /* a bug in marrow */
} mrw_status;

/* A description of a failure: what went wrong, where, and what to do. One line of UTF-8 without a
 * final newline; text from files is already escaped for a terminal. Functions that can fail take a
 * pointer to one as their last argument. It may be NULL, and is left unchanged on success. */
typedef struct mrw_error {
    /* Status that the function returned. */
    mrw_status status;
    /* NUL-terminated message; longer text is truncated. */
    char text[1024];
} mrw_error;

/* Returns the name of a status for logs: "ok", "usage", "input", "output", "memory", "unsupported",
 * "cpu", "display", "tool", "time", "cancelled", "internal"; "unknown" for any other number. Static
 * storage. */
MRW_API const char *mrw_status_name(mrw_status status);

/* Fills *error with a status other than MRW_OK and a message in the manner of printf, and returns
 * the status. For callbacks that fail: `return mrw_fail(error, MRW_ERROR_OUTPUT, "%s: ...",
 * path);`. error may be NULL; error->text may be one of the arguments. Text that is too long is cut
 * between characters. The caller escapes text from files (mrw_escape_text). */
MRW_API mrw_status mrw_fail(mrw_error *error, mrw_status status, const char *format, ...)
    MRW_PRINTF(3, 4);

/* ---- Bytes and folders ----------------------------------------------------------------------- */

/* A block of bytes created by a function. The caller frees it with mrw_bytes_free. */
typedef struct mrw_bytes {
    /* Bytes, or NULL if there are none. */
    uint8_t *data;
    /* Number of bytes. */
    size_t size;
} mrw_bytes;

/* Frees the bytes and zeroes the struct, so that it may be freed again. A zeroed struct is allowed,
 * NULL is not. */
MRW_API void mrw_bytes_free(mrw_bytes *bytes);

/* Creates a folder and its missing parents. Several threads and programs may do so at the same
 * time. Permissions are 0777 less the umask; a link to a folder counts as a folder. *made, which
 * may be NULL, is set to whether the last folder was missing. Returns MRW_ERROR_OUTPUT if a folder
 * cannot be created. The message names that folder, and parents already created remain. */
MRW_API mrw_status mrw_make_folder(const char *path, bool *made, mrw_error *error);

/* Creates the folder that a file will be written to, which must also accept new files. Otherwise
 * returns MRW_ERROR_OUTPUT; the message names the file, and `option`, such as "-o", which chooses
 * another one (NULL: none). A name without a '/' is in the current folder. For a link to a file the
 * folder is that of the target, which mrw_file_write replaces. An existing device or pipe needs no
 * folder. */
MRW_API mrw_status mrw_make_folder_of(const char *file, const char *option, mrw_error *error);

/* ---- Values ---------------------------------------------------------------------------------- */

/* A 4x4 matrix, column-major, for column vectors: element (row r, column c) is m[4 * c + r]. In an
 * affine matrix m[12], m[13], m[14] are the translation. a_to_b converts points of space a to space
 * b; b_to_c * a_to_b is a_to_c. */
typedef struct mrw_mat4 {
    float m[16];
} mrw_mat4;

/* Translation, rotation (unit quaternion x, y, z, w) and scale, applied as T * R * S: a point is
 * first scaled along its axes, then rotated, then moved. */
typedef struct mrw_transform {
    /* New position of the origin, in units of the target space. */
    float translation[3];
    float rotation[4];
    /* Factor per axis: 1 keeps, a negative value mirrors, 0 flattens. */
    float scale[3];
} mrw_transform;

/* An exact frame rate: num frames in den seconds, so that frame n is at n * den / num seconds. Both
 * are above 0. 30 is {30, 1}; 29.97 is {30000, 1001}. */
typedef struct mrw_rate {
    uint32_t num;
    uint32_t den;
} mrw_rate;

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Instruction sets with kernels. All give the same bits and differ only in speed. Every x86-64 CPU
 * has SSE2 and every arm64 CPU has NEON; the others are detected at run time. */
typedef enum mrw_isa {
    MRW_ISA_AUTO = 0, /* the fastest that this CPU and this build have */
    MRW_ISA_SCALAR,   /* the specification: plain C */
    MRW_ISA_SSE2,
    MRW_ISA_AVX2,
    MRW_ISA_AVX512, /* F, DQ, BW and VL */
    MRW_ISA_NEON,
    MRW_ISA_COUNT
} mrw_isa;

/* Returns "auto", "scalar", "sse2", "avx2", "avx512" or "neon"; "unknown" for any other number.
 * Static storage. */
MRW_API const char *mrw_isa_name(mrw_isa isa);

/* Finds an instruction set by its lower-case name. Returns false and leaves *out unchanged if the
 * name is unknown. */
MRW_API bool mrw_isa_from_name(const char *name, mrw_isa *out);

/* Returns true if this build has kernels for isa and this CPU can run them; always true for AUTO
 * and SCALAR. */
MRW_API bool mrw_isa_available(mrw_isa isa);

/* Returns the instruction set that every function uses for MRW_ISA_AUTO: the one named by
 * MARROW_ISA in the environment, else the fastest available. Never returns MRW_ISA_AUTO. Looked up
 * at each call. A value of MARROW_ISA that is unknown or unavailable is ignored, because results
 * are the same; mrw_session_check_isa, which every command calls, rejects it with a message. As
 * with getenv, no thread may change the environment during the call. */
MRW_API mrw_isa mrw_isa_best(void);

/* Returns a useful number of threads: the smaller of the CPUs this process may use and its cgroup
 * quota, at least 1. Each call reads system files, so call it once, not once per frame. Cannot
 * fail: a quota that cannot be read is ignored. */
MRW_API int mrw_cpu_count(void);

/* Limits that mrw_cpu_count considers. */
typedef struct mrw_cpu_limits {
    /* Number of CPUs this process may run on, at least 1. */
    int affinity;
    /* CPU time that its cgroup (version 1 or 2) and its parents allow, in CPUs, rounded up; 0: no
     * limit. */
    int quota;
} mrw_cpu_limits;

/* Returns the current limits. Looked up at each call. */
MRW_API mrw_cpu_limits mrw_cpu_limits_now(void);

/* Threads that could not be started. Processes have limits on threads (a container's pids.max, a
 * user's RLIMIT_NPROC) and on address space (RLIMIT_AS). Whatever number the library is given, it
 * uses no more threads than can be started, down to the calling thread alone; results are the same
 * bits. If some cannot be started, it uses half of those that can, and tries again a second or two
 * later. */
typedef struct mrw_thread_shortage {
    /* Largest number wanted at once when some could not be started; 0: all were started. */
    int wanted;
    /* Smallest number granted in place of those wanted, including the calling thread. */
    int granted;
} mrw_thread_shortage;

/* Returns the shortages since the process began; zeros if there were none. */
MRW_API mrw_thread_shortage mrw_thread_shortage_so_far(void);

/* ---- Cancelling ------------------------------------------------------------------------------ */

/* A flag that ends work. Zero-initialise it: `mrw_cancel cancel = {0};`. The caller owns it and
 * keeps it until no thread uses it any more. */
typedef struct mrw_cancel {
    int32_t status; /* private: a mrw_status, 0 until it is requested */
    int32_t deaf;   /* private: threads that cannot look at it now */
} mrw_cancel;

/* Makes the calls that this thread makes from now on end once the flag is requested; NULL: nothing
 * ends them, which is the default. Returns the previous flag, which the caller restores. Borrowed.
 *
 * Every function of the library that may take long looks at the flag after a bounded amount of
 * work, and so do all threads that it starts. It then returns the status of mrw_cancel_request. Its
 * results are those of any other failure: nothing to free, no file under its final name, and the
 * renderer, crew or cache that it used can be used again. */
MRW_API mrw_cancel *mrw_cancel_enter(mrw_cancel *cancel);

/* Requests the end of the work. why: MRW_ERROR_CANCELLED or MRW_ERROR_TIME. The first request
 * counts. Any thread may call it, and so may a signal handler. */
MRW_API void mrw_cancel_request(mrw_cancel *cancel, mrw_status why);

/* Makes a flag usable again, once no call that it ends goes on. */
MRW_API void mrw_cancel_reset(mrw_cancel *cancel);

/* Returns the status that was requested, or MRW_OK. */
MRW_API mrw_status mrw_cancel_requested(const mrw_cancel *cancel);

/* Returns true while a thread is in a call that may take seconds and looks at no flag: that of
 * libdeflate for MRW_PNG_BEST. A signal handler may then end the process at once. */
MRW_API bool mrw_cancel_is_deaf(const mrw_cancel *cancel);

/* Limits the work of each picture that this thread's calls draw or measure from now on; 0: no
 * limit, which is the default. Returns the previous limit. A picture that takes more is
 * MRW_ERROR_INPUT, before its first pixel is drawn.
 *
 * A unit is about a nanosecond of one CPU. Work is counted from the picture alone, so the result is
 * the same on every machine and with any number of threads:
 * - 10 per vertex that is moved, per vertex and morph target, and per vertex that is projected
 * - 5 per triangle that is examined; shadow maps project vertices and examine triangles again
 * - 40 per pixel, and 10 per pixel and light
 * - per pixel of a triangle's box: 1 per sample of an opaque triangle, 8 per sample of a masked
 * one, and 40, plus 2 per sample, of a transparent one */
MRW_API uint64_t mrw_work_limit(uint64_t units);

/* Returns the most work that a picture has taken so far in this process, of all threads. */
MRW_API uint64_t mrw_work_most(void);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Limits the memory of the process; 0: no limit, which is the default. A request that would exceed
 * it is MRW_ERROR_MEMORY, with a message that names the limit. For all threads, from now on; what
 * is in use already counts and stays.
 *
 * bytes: all of it. reserved: the part for what the library does not count: code, stacks, blocks
 * of other libraries. The library's own blocks, and what libwebp, OpenEXR, libjpeg and stb_image
 * allocate for pixels, may take the rest; the import helper, another process, may take `bytes`
 * itself, but at least the 64 MiB that it needs. They count with the sizes that were asked
 * for, so one thread fails at the same place on every machine. More threads need more memory: each
 * has its own. */
MRW_API void mrw_memory_limit(uint64_t bytes, uint64_t reserved);

/* Returns the bytes that the library counts at present, and the most so far in this process. */
MRW_API uint64_t mrw_memory_used(void);
MRW_API uint64_t mrw_memory_most(void);

/* Fills *error with MRW_ERROR_MEMORY and a message, and returns the status. bytes: what was asked
 * for; 0: unknown. error may be NULL. With a limit the message says how much it allows, how much is
 * used and how much the first refused request needed. */
MRW_API mrw_status mrw_fail_memory(mrw_error *error, uint64_t bytes);

/* ---- Time ------------------------------------------------------------------------------------ */

/* Clocks of mrw_clock_seconds. */
typedef enum mrw_clock {
    MRW_CLOCK_WALL,   /* monotonic real time: never set, never jumps */
    MRW_CLOCK_PROCESS /* CPU time used by all threads of this process */
} mrw_clock;

/* Returns the seconds of a clock, to a microsecond or better. The start of the clock is
 * unspecified: only differences are meaningful. Cannot fail. Drawing never depends on it. */
MRW_API double mrw_clock_seconds(mrw_clock clock);

/* Parses "30", "29.97", "30000/1001", "24/1". 23.976, 29.97 and 59.94 mean n * 1000/1001
 * (24000/1001 and so on); other decimals are exact. The rate is in lowest terms. Only digits, a
 * point and a slash are accepted: no sign, space or exponent. Returns false for anything else, for
 * a rate of 0 and if a term exceeds 32 bits; *out is then unspecified. */
MRW_API bool mrw_rate_parse(const char *text, mrw_rate *out);

#ifdef __cplusplus
}
#endif
#endif
