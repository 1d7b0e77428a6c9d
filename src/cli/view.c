/* view.c: `marrow view`: shows a model in a window, or plays a file of events. */
#include "cli.h"

#include "viewer/viewer.h"
#ifdef MARROW_GL
#include "gl/window.h"
#endif

#include <stdio.h>
#include <string.h>

static struct {
    int argc;
    const char *const *argv;
} line;

void cli_view_arguments(int argc, const char *const *argv)
{
    line.argc = argc;
    line.argv = argv;
}

/* ---- what the viewer calls ------------------------------------------------------------------- */

/* Prints answers to standard output, messages to standard error. */
static void say(void *unused, const char *text, bool answer)
{
    (void)unused;
    if (answer) {
        printf("%s\n", text);
        fflush(stdout);
    } else {
        host_say("%s", text);
    }
}

/* Finds OpenGL when the user asks for it. */
static mrw_status second(void *user, const mrw_backend **out, mrw_error *error)
{
    mrw_settings settings = *(const mrw_settings *)user;
    settings.run.backend = 1;
    return host_backend(&settings, out, error);
}

/* Shows how much of the first model is loaded, before a window does. */
static void hear_progress(void *unused, uint32_t done, uint32_t count)
{
    (void)unused;
    host_progress_reach(done, count, "part");
}

static mrw_status accept(void *unused, const viewer_goldens *goldens, uint32_t *written,
                         mrw_error *error)
{
    (void)unused;
    return cli_accept_case(goldens->suite_file, goldens->suite, goldens->name, goldens->results,
                           written, error);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mrw_status show(viewer *v, const mrw_settings *settings, mrw_error *error)
{
#ifdef MARROW_GL
    const gl_window_def def = {.record = settings->viewing.record,
                               .exit_after = settings->viewing.exit_after,
                               .go_on = host_go_on};
    return gl_window_run(v, &def, error);
#else
    (void)v;
    (void)settings;
    return mrw_fail(error, MRW_ERROR_DISPLAY,
                    "this marrow was built without windows; build one with make GL=1, or use view "
                    "--play FILE or render");
#endif
}

/* Fails for options that are wrong, or if no window can be opened, before a model is loaded. */
static mrw_status check(const mrw_settings *settings, mrw_error *error)
{
    const char *folder = settings->output.path;
    if (folder && (folder[0] == '\0' || folder[strlen(folder) - 1] != '/')) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o: view writes its pictures to a folder; end its name with '/'");
    }
    if (settings->viewing.play) {
        return MRW_OK;
    }
#ifdef MARROW_GL
    return gl_window_check(error);
#else
    return show(NULL, settings, error);
#endif
}

int cli_view(const mrw_settings *settings)
{
    mrw_session_host host = host_callbacks;
    host.maps = MRW_MAPS_ALL; /* keys can choose any shading mode */
    host.progress = settings->run.quiet ? NULL : hear_progress;
    const viewer_def def = {.settings = settings,
                            .argc = line.argc,
                            .argv = line.argv,
                            .host = &host,
                            .backend = mrw_backend_software(),
                            .second = second,
                            .accept = accept,
                            .say = say,
                            .user = (void *)(uintptr_t)settings,
                            .load_at_once = settings->viewing.play};
    viewer *v = NULL;
    mrw_error error;
    uint32_t failed = 0;
    mrw_status status = check(settings, &error);
    if (status) {
        goto out;
    }
    host_signals_hold();
    status = viewer_create(&def, &v, &error);
    host.progress = NULL;
    host_progress_end();
    if (status) {
        goto out;
    }
    if (settings->viewing.play) {
        status = viewer_play(v, settings->viewing.play, settings->output.path, &failed, &error);
    } else {
        status = show(v, settings, &error);
    }

out:
    viewer_free(v);
    host_signals_release();
    if (status) {
        host_complain(&error);
        return host_exit_status(status);
    }
    return failed > 0 ? HOST_MISMATCH : HOST_DONE;
}
