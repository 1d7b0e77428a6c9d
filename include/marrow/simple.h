/* simple.h: the library for other languages, and for programs that want a picture without knowing
 * scenes, sessions and plans: two opaque handles, options and results as texts, pixels as a view.
 *
 *     mrw_engine *engine = mrw_engine_create(512u << 20);
 *     mrw_job *job = mrw_job_create(engine);
 *     mrw_picture_view view;
 *     mrw_job_model(job, "robot.glb", bytes, size);
 *     mrw_job_set(job, "size", "256");
 *     mrw_job_set(job, "azimuth", "30");
 *     if (mrw_job_draw(job, &view) != 0) {
 *         puts(mrw_job_error(job));
 *     }
 *     mrw_job_free(job);
 *     mrw_engine_free(engine);
 *
 * Pictures are those of `marrow render` with the same options, to the bit. An engine keeps models
 * that were loaded, so another picture of the same model does not load it again, whichever job
 * draws it.
 *
 * Options have the long names of `marrow help render`, without dashes, and values as on the command
 * line. Those about files that are written, messages and the process belong to the command and are
 * refused: output, atlas, stream, force, dry-run, json, shard, backend, gl-device, strict, quiet,
 * verbose, timeout, memory. Options that name files (anim, add, env, ...) read files of the
 * machine.
 *
 * Errors: functions that return int return a mrw_status: 0 for success, else the reason, and
 * mrw_job_error gives the message. After a failure the job can be used again.
 *
 * Threads: an engine may be used by any number of threads. A job is used by one thread at a time,
 * except for mrw_job_cancel. Drawing uses the threads of the option "jobs", by default all CPUs.
 *
 * Ownership: bytes that are passed in are borrowed until the job is freed or gets another model;
 * texts are copied. What a job returns belongs to it, and stays valid until its next call that
 * returns something of the kind, or its end. Freed handles may be NULL.
 */
#ifndef MARROW_SIMPLE_H
#define MARROW_SIMPLE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the functions of this header. It is raised when one of them changes in a way that
 * programs must follow; new functions do not raise it. */
#define MRW_ABI_VERSION 1

/* Returns MRW_ABI_VERSION of the library that runs. Compare it after loading the library. */
MRW_API uint32_t mrw_abi_version(void);

/* A cache of models, for any number of jobs. */
typedef struct mrw_engine mrw_engine;

/* Creates an engine. Models that no job uses are kept while they take up to `cache_bytes` together;
 * beyond that, the least recently used go. Returns NULL when out of memory. */
MRW_API mrw_engine *mrw_engine_create(uint64_t cache_bytes);

/* Frees an engine. Its jobs must be freed before. */
MRW_API void mrw_engine_free(mrw_engine *engine);

/* A model, options, and what is made of them. */
typedef struct mrw_job mrw_job;

/* Creates a job without a model and without options. Returns NULL when out of memory. */
MRW_API mrw_job *mrw_job_create(mrw_engine *engine);

/* Frees a job and everything that it has returned. */
MRW_API void mrw_job_free(mrw_job *job);

/* Gives the job a model in place of the one before. bytes: the model in memory; `name` appears in
 * messages, and its ending tells the format where the content does not. With NULL, `name` is the
 * path of a file, or "demo:figure" and the like. The files of the one before (mrw_job_file) are
 * forgotten, its options stay. Nothing is read yet. */
MRW_API int mrw_job_model(mrw_job *job, const char *name, const void *bytes, size_t size);

/* Gives the job a file that the model names: a buffer, texture, material library. `name` is the
 * path as the model has it, or its last part for textures. Once a job has such a file, or a
 * callback, files of a model come from them alone, and not from folders. */
MRW_API int mrw_job_file(mrw_job *job, const char *name, const void *bytes, size_t size);

/* Gives the job a callback for files that mrw_job_file does not have. It returns nonzero and sets
 * *bytes and *size if there is such a file; the bytes must stay until the job's call returns. It is
 * called on the thread of that call. NULL: no callback. Returns 0. */
typedef int mrw_job_finder(void *user, const char *name, const void **bytes, size_t *size);
MRW_API int mrw_job_find(mrw_job *job, mrw_job_finder *find, void *user);

/* Sets an option; list options grow, others are replaced. value NULL: a flag is switched on. name
 * NULL: all options are forgotten. Names and values are checked now, and options against each other
 * when something is made. */
MRW_API int mrw_job_set(mrw_job *job, const char *name, const char *value);

/* A picture: rows from the top, `stride` bytes apart, of `width` pixels with `channels` bytes each:
 * 3 (sRGB) or 4 (sRGB and straight alpha). */
typedef struct mrw_picture_view {
    const uint8_t *pixels;
    uint32_t width, height;
    uint32_t channels;
    size_t stride;
} mrw_picture_view;

/* Draws the picture that the options ask for. If they ask for several, returns MRW_ERROR_USAGE. */
MRW_API int mrw_job_draw(mrw_job *job, mrw_picture_view *out);

/* Draws all pictures that the options ask for, into one file in memory: "png", "jpg", "webp",
 * "gif", "apng", "qoi", "tga", "bmp", "pam", or "exr" for passes. Only animations and sheets hold
 * several pictures. */
MRW_API int mrw_job_encode(mrw_job *job, const char *format, const void **bytes, size_t *size);

/* Does what a line of `marrow batch` asks (`marrow help batch`) with the job's options, and returns
 * its answer: JSON in one line. request: a JSON object with the keys "model", "output", "id" and
 * options that a request may set (mrw_settings_set_request). The job's own model and files are
 * replaced. Never NULL, also after a failure, which the answer tells. */
MRW_API const char *mrw_job_run(mrw_job *job, const char *request, size_t size);

/* Returns a text in JSON, or NULL after a failure:
 * - "info": what the model holds, as `marrow info --json` prints it
 * - "joints": the joints of each picture that the options ask for: an array of the lines that
 *   `marrow bake --joints` writes
 * - "passes": an array of the names that the option "aov" takes
 * - "warnings": an array of the warnings of the last call that made something; never fails */
MRW_API const char *mrw_job_text(mrw_job *job, const char *what);

/* Returns the message of the last call that failed, or "". */
MRW_API const char *mrw_job_error(const mrw_job *job);

/* Ends the call that another thread makes with the job, or else its next one: it returns
 * MRW_ERROR_CANCELLED after a bounded amount of work. Later calls work again. */
MRW_API void mrw_job_cancel(mrw_job *job);

#ifdef __cplusplus
}
#endif
#endif
