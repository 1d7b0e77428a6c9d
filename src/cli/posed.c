/* posed.c: the model of `bake` and `pick`, which write no pictures. */
#include "posed.h"

mrw_status cli_posed_begin(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                           cli_posed *out, mrw_error *error)
{
    const char *path = settings->arguments.items[0];
    mrw_status status = MRW_OK;
    if (settings->model.added.count > 0) {
        status = mrw_session_cache_create(&out->cache, error);
        if (status) {
            return status;
        }
    }
    host_answer_about(path);
    status =
        mrw_session_cache_load(out->cache, path, settings, &host_callbacks, &out->scene, error);
    if (status) {
        return status;
    }
    status = mrw_session_model_init(path, out->scene, settings, &out->model, error);
    if (status) {
        return status;
    }
    status = mrw_plan_make(&out->model, kinds, NULL, &out->plan, error);
    if (status) {
        return status;
    }
    status = host_check_plan(settings, &out->plan, error);
    if (status) {
        return status;
    }
    status = mrw_plan_share(settings, NULL, &out->plan, error);
    if (status) {
        return status;
    }
    status = mrw_session_begin(&out->session, &out->model, out->plan.sequence, error);
    out->session.cache = out->cache;
    return status;
}

void cli_posed_free(cli_posed *posed)
{
    mrw_session_free(&posed->session);
    mrw_plan_free(&posed->plan);
    mrw_session_model_free(&posed->model);
    mrw_session_cache_release(posed->cache, posed->scene);
    mrw_session_cache_free(posed->cache);
}
