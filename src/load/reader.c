/* reader.c: what the readers of all formats begin with. */
#include "load/reader.h"

mrw_status mrwi_job_builder(const mrwi_read_job *job, const char *format, mrwi_builder **out,
                            mrw_error *error)
{
    mrw_status status = mrwi_builder_create(job->name, format, out, error);
    if (status == MRW_OK) {
        mrwi_builder_limit(
            *out, &(mrwi_limits){job->def->max_vertices, job->def->max_joints, job->def->max_keys});
    }
    return status;
}
