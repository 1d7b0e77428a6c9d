/* bench.c: `marrow bench`: measures the cost of the parts of marrow on this machine. */
#include "bench/bench.h"
#include "cli.h"

static bool stopped(void)
{
    return host_signal() != 0;
}

static mrw_status measure(const mrw_settings *settings, const bench_choice *chosen,
                          mrw_json *answer, mrw_error *error)
{
    static bench_results results; /* too large for the stack */
    char cpu[128];
    const bench_job job = {.choice = *chosen,
                           .isa = settings->run.isa,
                           .quick = settings->run.quick,
                           .stopped = stopped,
                           .row_is_done = host_progress_step};
    host_signals_hold();
    host_progress_begin(chosen->count, "row");
    mrw_status status = bench_run(&job, &results, error);
    host_progress_end();
    host_signals_release();
    if (status) {
        return status;
    }
    host_cpu_name(cpu);
    if (settings->output.json) {
        bench_results_json(&results, cpu, settings->run.quick, answer);
    } else {
        bench_results_tables(&results, cpu, &answer->text);
    }
    return MRW_OK;
}

int cli_bench(const mrw_settings *settings)
{
    mrw_json answer = {0};
    bench_choice chosen;
    mrw_error error;
    mrw_status status = bench_choose(&settings->arguments, &chosen, &error);
    if (status) {
        goto out;
    }
    if (settings->cases.list && settings->output.json) {
        status = mrw_fail(&error, MRW_ERROR_USAGE,
                          "--list and --json cannot be combined; leave one out");
    } else if (settings->cases.list) {
        bench_list(&chosen, &answer.text);
    } else {
        status = measure(settings, &chosen, &answer, &error);
    }
    if (status) {
        goto out;
    }
    status = settings->output.json ? host_answer(&answer.text, &error)
                                   : host_print(&answer.text, &error);

out:
    if (status) {
        host_complain(&error);
    }
    mrw_text_free(&answer.text);
    return host_exit_status(status);
}
