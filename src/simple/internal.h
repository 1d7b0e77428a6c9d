/* internal.h: the job as the files of the room share it. */
#ifndef MRWI_SIMPLE_INTERNAL_H
#define MRWI_SIMPLE_INTERNAL_H

#include "base/memory.h"
#include "marrow/json.h"
#include "marrow/plan.h"
#include "marrow/session.h"
#include "marrow/simple.h"
#include "marrow/text.h"

struct mrw_engine {
    mrw_session_cache *cache;
};

/* An option as it was set. */
typedef struct mrwi_simple_option {
    const char *name; /* its long name in the table; static */
    char *value;      /* owned; NULL: a flag that is on */
} mrwi_simple_option;

typedef struct mrwi_simple_options {
    mrwi_simple_option *items;
    size_t count;
} mrwi_simple_options;

/* A file that the model may name. */
typedef struct mrwi_simple_file {
    char *name; /* owned */
    const void *bytes;
    size_t size;
} mrwi_simple_file;

/* The model and its files. */
typedef struct mrwi_simple_source {
    char *name; /* owned; NULL: there is no model */
    const void *bytes;
    size_t size;
    mrwi_simple_file *files;
    size_t file_count;
    mrw_job_finder *find;
    void *find_user;
} mrwi_simple_source;

/* The model as it was loaded for the last call; scene NULL: it must be loaded. */
typedef struct mrwi_simple_loaded {
    const mrw_scene *scene;
    uint32_t maps; /* that were decoded */
} mrwi_simple_loaded;

/* Results that the job has returned. */
typedef struct mrwi_simple_results {
    mrw_image image;
    mrw_bytes bytes;
    mrw_text text;
    mrw_text warnings; /* without the brackets */
    mrw_error error;
} mrwi_simple_results;

struct mrw_job {
    mrw_engine *engine;
    mrwi_simple_source source;
    mrwi_simple_options options;
    mrwi_simple_loaded loaded;
    mrw_crew *crew; /* kept from call to call; NULL: none yet */
    int crew_threads;
    mrw_cancel cancel;
    mrwi_simple_results results;
};

/* A call, from mrwi_simple_begin to mrwi_simple_end. */
typedef struct mrwi_simple_call {
    mrw_job *job;
    mrw_settings settings; /* its texts are the job's */
    mrw_session_host host;
    mrw_cancel *cancel_before;
    uint64_t work_before;
} mrwi_simple_call;

/* Options that a call has besides the job's. */
typedef struct mrwi_simple_request {
    const char *output;              /* that of -o; NULL: none */
    const mrwi_simple_option *items; /* set as mrw_settings_set_request does */
    size_t count;
} mrwi_simple_request;

/* Begins a call as a command with the job's options; those that the command lacks are left out.
 * request: more options, or NULL. Whatever it returns, mrwi_simple_end ends the call. */
mrw_status mrwi_simple_begin(mrwi_simple_call *call, mrw_job *job, mrw_command command,
                             const mrwi_simple_request *request, mrw_error *error);

/* Ends a call. Keeps the message of a failure, and returns its status. */
int mrwi_simple_end(mrwi_simple_call *call, mrw_status status, const mrw_error *error);

/* Loads the model from the engine, unless the job has it from the last call. */
mrw_status mrwi_simple_load(mrwi_simple_call *call, mrw_error *error);

/* Returns the host of the job's calls: warnings and files. */
mrw_session_host mrwi_simple_host(mrw_job *job);

/* Files of a call while they are made. Zero-initialise; free with mrwi_simple_free_files. */
typedef struct mrwi_simple_files {
    bool hashed; /* hashes are wanted */
    mrw_session_model model;
    mrw_plan plan;
    mrw_session session;
    mrw_plan_output output;
    mrw_plan_part part;
    uint8_t (*hashes)[32]; /* [picture] of its pixels; NULL with passes */
} mrwi_simple_files;

/* draw.c: loads the model, draws the pictures and writes their files; *out receives what goes to
 * standard output, in place of what it held. */
mrw_status mrwi_simple_make_files(mrwi_simple_call *call, mrwi_simple_files *files, mrw_bytes *out,
                                  mrw_error *error);
void mrwi_simple_free_files(mrwi_simple_files *files);

/* draw.c: prepares the crew, which draws, or with `poses` only poses. */
mrw_status mrwi_simple_take_crew(mrw_job *job, int threads, mrw_error *error);

#endif
