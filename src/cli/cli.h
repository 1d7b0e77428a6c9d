/* cli.h: what the files of the command share. The command sees public headers only. */
#ifndef MARROW_CLI_H
#define MARROW_CLI_H

#include <marrow/diff.h>
#include <marrow/golden.h>
#include <marrow/json.h>
#include <marrow/plan.h>

#include <sys/types.h>

/* ---- exit statuses --------------------------------------------------------------------------- */

enum {
    CLI_DONE = 0,
    CLI_MISMATCH = 1,
    CLI_USAGE = 2,
    CLI_INPUT = 3,
    CLI_OUTPUT = 4,
    CLI_WARNINGS = 5,
    CLI_IMPOSSIBLE = 77,
    CLI_INTERNAL = 99
};

int cli_exit_status(mrw_status status);

/* ---- commands: settings are checked already; each returns an exit status --------------------- */

int cli_render(const mrw_settings *settings);
int cli_sheet(const mrw_settings *settings);
int cli_sprites(const mrw_settings *settings);
int cli_info(const mrw_settings *settings);
int cli_bake(const mrw_settings *settings);
int cli_pick(const mrw_settings *settings);
int cli_compile(const mrw_settings *settings);
int cli_doctor(const mrw_settings *settings);
int cli_test(const mrw_settings *settings);
int cli_accept(const mrw_settings *settings);
int cli_diff(const mrw_settings *settings);
int cli_report(const mrw_settings *settings);
int cli_init(const mrw_settings *settings);
int cli_view(const mrw_settings *settings);
int cli_bench(const mrw_settings *settings);
int cli_completions(const mrw_settings *settings);
int cli_help(const mrw_settings *settings); /* of settings->command, or of its argument */
int cli_version(const mrw_settings *settings);

/* ---- text.c: error messages, standard output ------------------------------------------------- */

mrw_status cli_fail_memory(mrw_error *error);

/* Writes to standard output; a failure is an output error. */
mrw_status cli_write_stdout(const void *bytes, size_t size, mrw_error *error);
mrw_status cli_print(const mrw_text *text, mrw_error *error);
/* Adds a path in quotes if a shell needs them. */
void cli_put_argument(const char *path, mrw_text *text);

/* ---- talk.c: standard error ------------------------------------------------------------------ */

void cli_talk_begin(const mrw_settings *settings);
void cli_talk_end(void);                                       /* says what warnings came again */
void cli_complain(const mrw_error *error);                     /* with --json an answer, too */
void cli_complain_as(const mrw_error *error, int exit_status); /* where it is not the error's own */
void cli_warn(const char *text);                               /* counts for --strict */
void cli_warn_machine(void *unused, const char *text);         /* does not: about the machine */
void cli_say(const char *format, ...) MRW_PRINTF(1, 2);        /* not with --quiet */
void cli_detail(const char *format, ...) MRW_PRINTF(1, 2);     /* with --verbose only */
void cli_warn_answered(const char *text); /* cli_warn; the answer has it in words of its own */
uint32_t cli_warning_count(void);

/* Warnings wait for the next line, so that those that repeat are one, with a count. */
void cli_say_warnings(void);
/* For a signal handler that ends the process: those that no line came for, without counts. A thread
 * that is adding one is not waited for: it may be the one that was interrupted. */
void cli_say_warnings_now(void);

/* Those that no answer had yet, as strings of an array that is open. */
void cli_put_warnings(mrw_json *json);

bool cli_told_stop(void); /* an error said that the command was stopped */
/* "12 a second", "3.5 a second", and where one takes longer: "4.7 s a picture". Returns out. */
const char *cli_pace(double count, double seconds, const char *one, char out[64]);

/* With --verbose: that not all threads could be started. */
void cli_tell_shortage(void);

/* ---- answer.c: --json ------------------------------------------------------------------------ */

/* Before anything is answered. understood: settings are what the command line says; else it is
 * looked for --json there, and no file that is there is written. Fails where the answers would go
 * to a file that is read, or to a folder that can't be made. */
mrw_status cli_answer_begin(const mrw_settings *settings, bool understood, int argc, char **argv,
                            mrw_error *error);
struct cli_guard;
/* Refuses --json=FILE where the guard says so; nothing is written to it then. */
mrw_status cli_answer_check(const struct cli_guard *guard, mrw_error *error);

/* True where JSON goes to standard output, which then is its alone. */
bool cli_answers_to_stdout(void);

/* The model that errors are about from here on; NULL: none. Borrowed. */
void cli_answer_about(const char *model);

/* Gives an answer: an object, and a newline. Its warnings are added; not with the second, for
 * answers that have them. Without --json: to standard output. */
mrw_status cli_answer(const mrw_text *object, mrw_error *error);
mrw_status cli_answer_as_it_is(const mrw_text *text, mrw_error *error);

/* {"error": {"status", "text", "model"}, "warnings": [...]}; nothing without --json. */
void cli_answer_error(const mrw_error *error, int exit_status);

/* Writes the file of --json=FILE. */
mrw_status cli_answer_end(mrw_error *error);

/* ---- machine.c ------------------------------------------------------------------------------- */

/* Model name of the CPU as the kernel gives it; empty where it gives none. */
void cli_cpu_name(char out[128]);

/* What mrw_cpu_count() comes from: "8 CPUs, no cgroup quota". Returns out. */
const char *cli_thread_reason(char *out, size_t size);

/* ---- backend.c: the backend that draws ------------------------------------------------------- */

/* Finds the backend that settings ask for; it belongs to the program. Returns MRW_ERROR_DISPLAY if
 * this build or this machine lacks it. */
mrw_status cli_backend(const mrw_settings *settings, const mrw_backend **out, mrw_error *error);
/* Returns the driver of that backend, or NULL for software. */
const char *cli_backend_driver(void);
/* Returns true if its last picture failed because the driver does not support the size. */
bool cli_backend_lacks(void);
/* Says with --verbose how many draw calls its pictures took, and what the driver remarked. */
void cli_backend_tell(void);

/* ---- opinion.c ------------------------------------------------------------------------------- */

/* Draws cases with software and with the backend that settings ask for, and compares them. Returns
 * the exit status. */
int cli_second_opinion(const mrw_settings *settings, const mrw_case_list *cases);

/* ---- progress.c: one line on a terminal ------------------------------------------------------ */

void cli_progress_begin(uint64_t total, const char *one); /* "frame" */
void cli_progress_step(void);                             /* thread-safe */
/* So many are done, at least; begins where the total is another one. Thread-safe. */
void cli_progress_reach(uint64_t done, uint64_t total, const char *one);
void cli_progress_clear(void); /* before something else is said; thread-safe */
void cli_progress_end(void);

/* ---- signals.c ------------------------------------------------------------------------------- */

#define CLI_STOPPED "stopped by a signal"

/* From here on SIGINT, SIGTERM and SIGHUP end the process only when what was started has ended,
 * what is being written was removed and CLI_STOPPED was said. Those that are ignored stay so. */
void cli_signals_begin(void);

/* Between these the first one only asks to stop; another one, a quarter of a second later or more,
 * ends as above. SIGPIPE is ignored. */
void cli_signals_hold(void);
void cli_signals_release(void);
void cli_signals_answer(bool json); /* a handler that ends the process answers in JSON, too */
int cli_signal(void);               /* the signal that asked, or 0 */
/* Does not return while a signal handler ends the process. The programs that the handler kills
 * fail, and that failure must not be reported. */
void cli_signals_give_way(void);
mrw_status cli_check_signal(mrw_error *error);        /* MRW_ERROR_CANCELLED after one */
mrw_status cli_go_on(void *unused, mrw_error *error); /* the same, for mrw_session_sink */

/* ---- host.c ---------------------------------------------------------------------------------- */

/* For mrw_session_load and mrw_session_prepare. "-" is standard input, once. */
extern mrw_session_host cli_host;
void cli_host_begin(const mrw_settings *settings); /* once, after cli_talk_begin */

/* ---- accept.c -------------------------------------------------------------------------------- */

/* Fails with MRW_ERROR_USAGE if a suite has no goldens because they lie under another name
 * (mrw_find_misnamed_suites), unless `forced`. The message begins with `what`. cases: all of these
 * suites. */
mrw_status cli_check_names(bool forced, const char *what, const mrw_case_list *cases,
                           mrw_error *error);

/* What `marrow accept SUITE/NAME --from FOLDER` does with a case of a suite file; where no golden
 * is written that is an error. */
mrw_status cli_accept_case(const char *suite_file, const char *suite, const char *name,
                           const char *from, uint32_t *written, mrw_error *error);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* The command line as text, without the program's name, for `view`: before any command. */
void cli_view_arguments(int argc, const char *const *argv);

/* ---- render.c: pictures of models to files --------------------------------------------------- */

typedef struct cli_drawing {
    const mrw_plan_kinds *kinds;
    /* Changes settings to suit a model, or NULL. `own` is a copy whose lists are borrowed. */
    void (*suit)(const mrw_scene *scene, mrw_settings *own);
    mrw_plan_before before; /* set by cli_draw */
} cli_drawing;

/* Draws the models that settings name, for `render`, `sheet` and `sprites`. Returns the exit
 * status. */
int cli_draw(const mrw_settings *settings, const cli_drawing *how);

/* ---- posed.c --------------------------------------------------------------------------------- */

/* The model of a command that draws nothing to files, and its plan. The session is begun, but not
 * prepared. */
typedef struct cli_posed {
    mrw_session_cache *cache; /* source of the models with --add; otherwise NULL */
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_plan plan;
    mrw_session session;
} cli_posed;

/* Loads the model and plans its pictures. kinds: as of mrw_plan_make. *out must be zeroed, and must
 * not move afterwards. The caller frees it with cli_posed_free, also after a failure. */
mrw_status cli_posed_begin(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                           cli_posed *out, mrw_error *error);
void cli_posed_free(cli_posed *posed);

/* ---- guard.c: what is read is not written to ------------------------------------------------- */

typedef struct cli_guarded {
    dev_t device;
    ino_t node;
    bool folder;
} cli_guarded;

/* Zero-initialise, then say what lies in its folders: "pictures that are compared". */
typedef struct cli_guard {
    const char *folders;
    cli_guarded *items;
    size_t count;
    size_t capacity;
    bool failed; /* out of memory */
} cli_guard;

/* Adds a file, or a folder with all that is in it. NULL and what is not there are nothing. */
void cli_guard_file(cli_guard *guard, const char *path);
void cli_guard_folder(cli_guard *guard, const char *path);
void cli_guard_parent(cli_guard *guard, const char *path); /* the folder that it stands in */
/* What settings read: the arguments, and files of --anim, --add and --mask. */
void cli_guard_inputs(cli_guard *guard, const mrw_settings *settings);

/* Refuses a file or folder to be written that is one of them, through links as well, or lies in one
 * of the folders. NULL is nothing. */
mrw_status cli_guard_check(const cli_guard *guard, const char *option, const char *target,
                           mrw_error *error);

/* Refuses a folder to be written in which a folder lies: pictures of the same names may be there.
 */
mrw_status cli_guard_outside(const cli_guard *guard, const char *option, const char *folder,
                             const char *target, mrw_error *error);

/* Checks --report, --report-inline, --junit and --json. */
mrw_status cli_guard_reports(const cli_guard *guard, const mrw_settings *settings,
                             mrw_error *error);
void cli_guard_free(cli_guard *guard);

/* Before any work: no option writes what the command line names to be read, nor what another option
 * writes, however it is spelled. */
mrw_status cli_check_targets(const mrw_settings *settings, mrw_error *error);
/* The same of the files that -o, or another option, stands for; and their pages. */
mrw_status cli_check_files(const mrw_settings *settings, const char *option,
                           const mrw_output_files *files, mrw_error *error);
/* The same for all files of a plan, which also must not be what was opened for its model. */
mrw_status cli_check_plan(const mrw_settings *settings, const mrw_plan *plan, mrw_error *error);

/* mrw_session_host.file_opened. Thread-safe, as those below. */
void cli_note_opened(void *unused, int fd);
/* After each load: neither options nor files (NULL: none) write what was opened for a model. */
mrw_status cli_check_opened(const mrw_settings *settings, const mrw_output_files *files,
                            mrw_error *error);
/* Where several models are drawn: what was written for one, and whether the next one has opened
 * any of it. That comes too late for the file, but nobody takes the picture for the model's. */
void cli_note_written(const mrw_output_files *files);
mrw_status cli_check_written(const char *model, mrw_error *error);
mrw_status cli_check_answer(mrw_error *error); /* nor does the file of --json, in the end */
void cli_forget_opened(void);

/* True when CI is set: a run there must not write what it is to test. "", "0" and "false" are not.
 */
bool cli_in_ci(void);

/* ---- reports.c: results of tests, for people and machines ------------------------------------ */

/* Makes a folder for pictures that are not kept after the reports that contain them are written.
 * *out is "" after a failure. */
mrw_status cli_make_temporary(const char *name, char out[4096], mrw_error *error);
/* Removes such a folder and all that is in it. */
void cli_remove_temporary(const char *folder);

/* Writes only the reports that contain pictures: --report and --report-inline. */
mrw_status cli_write_pages(const mrw_settings *settings, const mrw_results *results,
                           mrw_error *error);

/* Writes what settings ask for: --report, --report-inline, --junit (missing folders are made),
 * --tap or --json to standard output; in a job of GitHub Actions also annotations to standard error
 * and a summary of the step. After a failure the other reports are still written; the first failure
 * is returned. */
mrw_status cli_write_reports(const mrw_settings *settings, const mrw_results *results,
                             mrw_error *error);

#endif
