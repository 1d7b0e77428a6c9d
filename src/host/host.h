/* host.h: the program around the library, for all commands: exit statuses, messages, answers in
 * JSON, progress, signals, the backend that draws, reports, and inputs that must not be
 * overwritten. */
#ifndef MARROW_HOST_H
#define MARROW_HOST_H

#include <marrow/json.h>
#include <marrow/plan.h>
#include <marrow/report.h>

#include <sys/types.h>

typedef struct mrw_backend mrw_backend; /* frame.h */

/* ---- exit statuses (talk.c) ------------------------------------------------------------------ */

enum {
    HOST_DONE = 0,
    HOST_MISMATCH = 1,
    HOST_USAGE = 2,
    HOST_INPUT = 3,
    HOST_OUTPUT = 4,
    HOST_WARNINGS = 5,
    HOST_IMPOSSIBLE = 77,
    HOST_INTERNAL = 99
};

int host_exit_status(mrw_status status);

/* ---- text.c: error messages, standard output ------------------------------------------------- */

mrw_status host_fail_memory(mrw_error *error);

/* Writes to standard output. Fails with MRW_ERROR_OUTPUT; with MRW_ERROR_CANCELLED if a signal came
 * and the reader takes nothing for a second. */
mrw_status host_write_stdout(const void *bytes, size_t size, mrw_error *error);
/* Prints a text. Fails with MRW_ERROR_MEMORY if memory ran out while it was made. */
mrw_status host_print(const mrw_text *text, mrw_error *error);
/* Adds a path, in quotes if a shell needs them. */
void host_put_argument(const char *path, mrw_text *text);

/* ---- talk.c: standard error ------------------------------------------------------------------ */

void host_talk_begin(const mrw_settings *settings);
/* Prints how often warnings were repeated, and frees them. */
void host_talk_end(void);
/* Prints an error; with --json also as an answer. */
void host_complain(const mrw_error *error);
/* Prints an error whose exit status is not that of its mrw_status. */
void host_complain_as(const mrw_error *error, int exit_status);
/* Adds a warning, which counts for --strict. */
void host_warn(const char *text);
/* Adds a warning about the machine, which does not count for --strict. */
void host_warn_machine(void *unused, const char *text);
/* Adds a warning that an answer contains in other words. */
void host_warn_answered(const char *text);
/* Prints a line, unless --quiet is given. */
void host_say(const char *format, ...) MRW_PRINTF(1, 2);
/* Prints a line if --verbose is given. */
void host_detail(const char *format, ...) MRW_PRINTF(1, 2);
uint32_t host_warning_count(void);

/* Prints the warnings that wait for the next line. They wait so that repetitions become one line
 * with a count. */
void host_say_warnings(void);
/* Prints waiting warnings without counts, for a signal handler that ends the process. Does nothing
 * while a thread adds a warning: the handler may have interrupted that thread. */
void host_say_warnings_now(void);

/* Adds warnings that no answer contains yet to an open array, as strings. */
void host_put_warnings(mrw_json *json);

/* Returns true if an error said that the command was stopped. */
bool host_told_stop(void);
/* Writes a speed: "12 per second", "3.5 per second", or if one takes longer than a second, "4.7 s
 * per picture". Returns out. */
const char *host_pace(double count, double seconds, const char *one, char out[64]);

/* Prints with --verbose that not all threads could be started. */
void host_tell_shortage(void);

/* ---- guard.c: inputs are not overwritten ----------------------------------------------------- */

/* A file or folder that must not be written to. */
typedef struct host_guarded {
    dev_t device;
    ino_t node;
    bool folder;
} host_guarded;

/* Files and folders that must not be written to. Zero-initialise, then set `folders`. */
typedef struct host_guard {
    const char *folders; /* content of the folders in words: "goldens" */
    host_guarded *items;
    size_t count;
    size_t capacity;
    bool failed; /* out of memory */
} host_guard;

/* Adds a file, or a folder with its whole content. NULL and paths that do not exist are allowed. */
void host_guard_file(host_guard *guard, const char *path);
void host_guard_folder(host_guard *guard, const char *path);
/* Adds the folder that a path is in. */
void host_guard_parent(host_guard *guard, const char *path);
/* Adds the inputs that settings name: arguments, and files of options such as --anim and --add. */
void host_guard_inputs(host_guard *guard, const mrw_settings *settings);

/* Refuses a target that is a guarded file, through links as well, or lies in a guarded folder. NULL
 * is allowed. */
mrw_status host_guard_check(const host_guard *guard, const char *option, const char *target,
                            mrw_error *error);

/* Refuses a target folder that contains `folder`, which may have pictures with the same names. */
mrw_status host_guard_outside(const host_guard *guard, const char *option, const char *folder,
                              const char *target, mrw_error *error);

/* Checks --report, --report-inline, --junit and --json. */
mrw_status host_guard_reports(const host_guard *guard, const mrw_settings *settings,
                              mrw_error *error);
void host_guard_free(host_guard *guard);

/* Fails if an option would write an input of the command line, or a file that another option
 * writes, however they are spelled. Call it before any work. */
mrw_status host_check_targets(const mrw_settings *settings, mrw_error *error);
/* Does the same for the files, and pages, that -o or another option stands for. */
mrw_status host_check_files(const mrw_settings *settings, const char *option,
                            const mrw_output_files *files, mrw_error *error);
/* Does the same for all files of a plan, which also must not be files opened for its model. */
mrw_status host_check_plan(const mrw_settings *settings, const mrw_plan *plan, mrw_error *error);

/* Notes a file that is opened for a model: mrw_session_host.file_opened. Thread-safe, like the
 * functions below. */
void host_note_opened(void *unused, int fd);
/* Fails if options or files (NULL: none) would write a file opened for a model. Call it after each
 * load. */
mrw_status host_check_opened(const mrw_settings *settings, const mrw_output_files *files,
                             mrw_error *error);
/* Notes the files written for a model. */
void host_note_written(const mrw_output_files *files);
/* Fails if the next model has opened one of the files noted. That is too late for the file, but
 * nobody takes the picture for the model's. */
mrw_status host_check_written(const char *model, mrw_error *error);
/* Fails if --json would write a file opened for a model. */
mrw_status host_check_answer(mrw_error *error);
/* Frees the lists of noted files. */
void host_forget_opened(void);

/* Returns true if CI is set, but not to "", "0" or "false". A run there must not write its own
 * goldens. */
bool host_in_ci(void);

/* ---- answer.c: --json ------------------------------------------------------------------------ */

/* Finds out where answers go. understood: the settings are those of the command line. If they are
 * not, its words are searched for --json, and an existing file is not written. Fails if the answers
 * would go to a file that is read, or to a folder that can't be made. */
mrw_status host_answer_begin(const mrw_settings *settings, bool understood, int argc, char **argv,
                             mrw_error *error);
/* Fails if the guard refuses the file of --json, which is not written then. */
mrw_status host_answer_check(const host_guard *guard, mrw_error *error);

/* Returns true if JSON goes to standard output, where nothing else may go then. */
bool host_answers_to_stdout(void);

/* Sets the model of later errors; NULL: none. Borrowed. */
void host_answer_about(const char *model);

/* Gives an answer: an object and a newline. Adds its warnings. Without --json it goes to standard
 * output. */
mrw_status host_answer(const mrw_text *object, mrw_error *error);
/* Gives an answer to which no warnings are added. */
mrw_status host_answer_as_it_is(const mrw_text *text, mrw_error *error);

/* Gives {"error": {"status", "text", "model"}, "warnings": [...]}. Does nothing without --json. */
void host_answer_error(const mrw_error *error, int exit_status);

/* Writes the file of --json=FILE. */
mrw_status host_answer_end(mrw_error *error);

/* ---- machine.c ------------------------------------------------------------------------------- */

/* Writes the name of the CPU as the kernel gives it, or "". */
void host_cpu_name(char out[128]);

/* Sets the limits of --memory. Returns MRW_ERROR_MEMORY if marrow itself needs more. Call it before
 * there are threads. */
mrw_status host_memory_begin(const mrw_settings *settings, mrw_error *error);

/* Writes the reason for mrw_cpu_count(): "8 CPUs, no cgroup quota". Returns out. */
const char *host_thread_reason(char *out, size_t size);

/* ---- backend.c: the backend that draws ------------------------------------------------------- */

/* Finds the backend that settings ask for; it belongs to the program. Returns MRW_ERROR_DISPLAY if
 * this build or this machine lacks it. */
mrw_status host_backend(const mrw_settings *settings, const mrw_backend **out, mrw_error *error);
/* Returns the driver of that backend, or NULL for software. */
const char *host_backend_driver(void);
/* Returns true if its last picture failed because the driver does not support the size. */
bool host_backend_lacks(void);
/* Says with --verbose how many draw calls its pictures took, and what the driver remarked. */
void host_backend_tell(void);

/* ---- progress.c: one line on a terminal ------------------------------------------------------ */

/* Begins a line. one: the name of a unit, such as "frame". */
void host_progress_begin(uint64_t total, const char *one);
/* Counts one more. Thread-safe. */
void host_progress_step(void);
/* Shows that at least `done` are done. Begins a new line if the total differs. Thread-safe. */
void host_progress_reach(uint64_t done, uint64_t total, const char *one);
/* Clears the line before another message. Thread-safe. */
void host_progress_clear(void);
void host_progress_end(void);

/* ---- signals.c ------------------------------------------------------------------------------- */

#define HOST_STOPPED "stopped by a signal"

/* Installs handlers: from now on SIGINT, SIGTERM and SIGHUP end the process only after child
 * processes have ended, files that were being written are removed and HOST_STOPPED is printed.
 * Ignored signals stay ignored. The calling thread's work can be cancelled (mrw_cancel_enter). */
void host_signals_begin(void);

/* Does the same when the time of --timeout, from now, is over; the exit status is
 * HOST_IMPOSSIBLE. */
mrw_status host_signals_time(double seconds, mrw_error *error);

/* Between these calls the first signal, or the end of the time, only cancels the work, and asks the
 * command to stop. Another one, at least a quarter of a second later, ends the process as above,
 * and so does a timer after ten seconds. SIGPIPE is ignored. */
void host_signals_hold(void);
void host_signals_release(void);
/* The time that a reader has to make room once the command is to stop. */
#define HOST_READER_MILLISECONDS 1000
/* Writes up to PIPE_BUF bytes to standard output or error, for a handler that ends the process.
 * Once the reader of a file has made no room in time, the rest for that file is lost. */
void host_put_now(int file, const char *text);
/* json: a handler that ends the process answers in JSON, too. */
void host_signals_answer(bool json);
/* Returns the signal that asked the command to stop, or 0; SIGALRM: --timeout. */
int host_signal(void);
/* Returns what is printed then. Static storage. */
const char *host_stop_text(void);
/* Does not return while a signal handler ends the process. The programs that the handler kills
 * fail, and that failure must not be reported. */
void host_signals_give_way(void);
/* Fails with MRW_ERROR_CANCELLED after a signal. */
mrw_status host_check_signal(mrw_error *error);
/* Does the same for mrw_session_sink. */
mrw_status host_go_on(void *unused, mrw_error *error);

/* ---- callbacks.c ----------------------------------------------------------------------------- */

/* The host for mrw_session_load and mrw_session_prepare. "-" is standard input, once. */
extern mrw_session_host host_callbacks;
/* Call once, after host_talk_begin. */
void host_callbacks_begin(const mrw_settings *settings);

/* ---- reports.c: results of tests, for people and machines ------------------------------------ */

/* Makes a folder for pictures that are not kept after the reports that contain them are written.
 * *out is "" after a failure. */
mrw_status host_make_temporary(const char *name, char out[4096], mrw_error *error);
/* Removes such a folder and all that is in it. */
void host_remove_temporary(const char *folder);

/* Writes only the reports that contain pictures: --report and --report-inline. */
mrw_status host_write_pages(const mrw_settings *settings, const mrw_results *results,
                            mrw_error *error);

/* Writes what settings ask for: --report, --report-inline, --junit (missing folders are made),
 * --tap or --json to standard output; in a job of GitHub Actions also annotations to standard error
 * and a summary of the step. After a failure the other reports are still written; the first failure
 * is returned. */
mrw_status host_write_reports(const mrw_settings *settings, const mrw_results *results,
                              mrw_error *error);

#endif
