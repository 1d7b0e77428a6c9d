/* report.c: reports on retargeting: turned joints, sizes, scale. */
#include "retarget/relation.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the report ------------------------------------------------------------------------------ */

typedef struct turned_joint {
    double degrees;
    uint32_t joint;
} turned_joint;

/* Compares what is printed, so that the last bits of a number do not decide the order. */
static int compare_turned(const void *a, const void *b)
{
    const turned_joint *x = a, *y = b;
    const double of_x = floor(x->degrees * 10 + 0.5), of_y = floor(y->degrees * 10 + 0.5);
    return of_x != of_y ? (of_x > of_y ? -1 : 1) : (x->joint > y->joint) - (x->joint < y->joint);
}

static mrw_status tell_turned(const mrwi_retarget_relation *x, mrw_clip_match *report,
                              mrw_error *error)
{
    const mrw_scene *from = x->map->def.from->scene;
    turned_joint *list = mrwi_base_alloc(x->map->joint_count, sizeof *list);
    if (!list) {
        return mrwi_base_fail_memory(error, x->map->joint_count * sizeof *list);
    }
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        if (x->turns.degrees[j] > MRWI_RETARGET_SAME_DEGREES) {
            list[report->turned++] = (turned_joint){x->turns.degrees[j], j};
        }
    }
    qsort(list, report->turned, sizeof *list, compare_turned);
    report->most_degrees = report->turned > 0 ? list[0].degrees : 0;
    size_t used = 0;
    for (uint32_t i = 0; i < report->turned; i++) {
        char name[64], degrees[32], text[112];
        const uint32_t node = x->map->joints[list[i].joint].node;
        mrwi_base_escape(mrw_scene_string(from, from->nodes[node].name), name, sizeof name);
        mrwi_base_format_fixed(list[i].degrees, 1, degrees);
        snprintf(text, sizeof text, "%s%s %s", i > 0 ? ", " : "", name, degrees);
        if (used + strlen(text) + 8 > sizeof report->differing) {
            snprintf(report->differing + used, sizeof report->differing - used, ", ...");
            break;
        }
        snprintf(report->differing + used, sizeof report->differing - used, "%s", text);
        used += strlen(text);
    }
    mrwi_base_free(list);
    return MRW_OK;
}

mrw_status mrwi_retarget_report(const mrwi_retarget_relation *x, mrw_clip_match *report,
                                mrw_error *error)
{
    bool travels = false;
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        const mrwi_retarget_joint *joint = &x->map->joints[j];
        report->retargeted += !joint->as_filed;
        travels = travels || (!joint->as_filed && joint->travels);
    }
    for (uint32_t i = 0; i < x->map->def.from->scene->nodes_count; i++) {
        report->folded += x->map->folded[i];
    }
    double lowest;
    const double ours = mrwi_retarget_size(x, &x->base, &lowest),
                 theirs = mrwi_retarget_size(x, &x->from, &lowest);
    report->root_scale = travels ? x->sizes.ratio : 1;
    report->size_ratio = travels && ours > 0 && theirs > 0 ? ours / theirs : 0;
    report->aligned = x->turns.aligned;
    report->rest_unknown = x->doubts.unknown;
    report->rest_doubtful = x->doubts.doubtful && !x->doubts.unknown;
    report->is_turned = x->facing.is_turned;
    return tell_turned(x, report, error);
}
