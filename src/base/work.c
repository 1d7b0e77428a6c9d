/* work.c: flags that end work, and budgets. */
#include "base/work.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>

static _Thread_local mrwi_base_work current;

/* ---- the flag -------------------------------------------------------------------------------- */

void mrw_cancel_request(mrw_cancel *cancel, mrw_status why)
{
    int32_t none = 0;
    assert(why == MRW_ERROR_CANCELLED || why == MRW_ERROR_TIME);
    __atomic_compare_exchange_n(&cancel->status, &none, (int32_t)why, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

mrw_status mrw_cancel_requested(const mrw_cancel *cancel)
{
    return (mrw_status)__atomic_load_n(&cancel->status, __ATOMIC_ACQUIRE);
}

const mrw_cancel *mrw_cancel_enter(const mrw_cancel *cancel)
{
    const mrw_cancel *before = current.cancel;
    current.cancel = cancel;
    return before;
}

/* ---- work ------------------------------------------------------------------------------------ */

mrwi_base_work mrwi_base_work_now(void)
{
    return current;
}

mrwi_base_work mrwi_base_work_enter(mrwi_base_work work)
{
    const mrwi_base_work before = current;
    current = work;
    return before;
}

mrwi_base_work mrwi_base_work_enter_budget(mrwi_base_budget *budget)
{
    return mrwi_base_work_enter((mrwi_base_work){current.cancel, budget});
}

static bool is_spent(const mrwi_base_budget *budget)
{
    return budget && budget->max != 0 && atomic_load(&budget->spent) > budget->max;
}

static void note_most(mrwi_base_budget *budget, uint64_t units)
{
    uint64_t most = atomic_load_explicit(&budget->most, memory_order_relaxed);
    while (units > most && !atomic_compare_exchange_weak(&budget->most, &most, units)) {
    }
}

bool mrwi_base_work_spend(uint64_t units)
{
    mrwi_base_budget *budget = current.budget;
    if (budget) {
        uint64_t spent = atomic_load_explicit(&budget->spent, memory_order_relaxed), sum;
        do {
            sum = spent > UINT64_MAX - units ? UINT64_MAX : spent + units;
        } while (!atomic_compare_exchange_weak(&budget->spent, &spent, sum));
        note_most(budget, units);
    }
    return !is_spent(budget) && mrwi_base_work_goes_on();
}

bool mrwi_base_work_goes_on(void)
{
    return !current.cancel || mrw_cancel_requested(current.cancel) == MRW_OK;
}

mrw_status mrwi_base_work_check(const char *what, mrw_error *error)
{
    const char *colon = what ? ": " : "";
    const mrw_status why = current.cancel ? mrw_cancel_requested(current.cancel) : MRW_OK;
    what = what ? what : "";
    if (why == MRW_ERROR_TIME) {
        return mrwi_base_fail(error, why, "%s%sit took longer than --timeout allows", what, colon);
    }
    if (why) {
        return mrwi_base_fail(error, why, "%s%sstopped", what, colon);
    }
    if (is_spent(current.budget)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s%sthis takes more work than the %" PRIu64
                              " units that --max-work allows",
                              what, colon, current.budget->max);
    }
    return MRW_OK;
}
