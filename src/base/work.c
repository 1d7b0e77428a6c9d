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

void mrw_cancel_reset(mrw_cancel *cancel)
{
    __atomic_store_n(&cancel->status, 0, __ATOMIC_RELEASE);
}

mrw_status mrw_cancel_requested(const mrw_cancel *cancel)
{
    return (mrw_status)__atomic_load_n(&cancel->status, __ATOMIC_ACQUIRE);
}

mrw_cancel *mrw_cancel_enter(mrw_cancel *cancel)
{
    mrw_cancel *before = current.cancel;
    current.cancel = cancel;
    return before;
}

bool mrw_cancel_is_deaf(const mrw_cancel *cancel)
{
    return __atomic_load_n(&cancel->deaf, __ATOMIC_ACQUIRE) != 0;
}

void mrwi_base_work_deaf(bool begins)
{
    if (current.cancel) {
        __atomic_fetch_add(&current.cancel->deaf, begins ? 1 : -1, __ATOMIC_ACQ_REL);
    }
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
    return mrwi_base_work_enter((mrwi_base_work){current.cancel, current.limit, budget});
}

/* The largest budget of a picture so far, of all threads. */
static _Atomic uint64_t largest;

void mrwi_base_work_leave_picture(const mrwi_base_budget *budget, mrwi_base_work before)
{
    const uint64_t spent = atomic_load(&budget->spent);
    uint64_t most = atomic_load(&largest);
    while (spent > most && !atomic_compare_exchange_weak(&largest, &most, spent)) {
    }
    current = before;
}

uint64_t mrw_work_most(void)
{
    return atomic_load(&largest);
}

uint64_t mrw_work_limit(uint64_t units)
{
    const uint64_t before = current.limit;
    current.limit = units;
    return before;
}

static bool is_spent(void)
{
    return current.budget && current.limit != 0 &&
           atomic_load_explicit(&current.budget->spent, memory_order_relaxed) > current.limit;
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
    }
    return !is_spent() && mrwi_base_work_goes_on();
}

bool mrwi_base_work_look(uint64_t units)
{
    if (current.budget) {
        note_most(current.budget, units);
    }
    return !is_spent() && mrwi_base_work_goes_on();
}

/* For tests: the number of looks until a flag is requested; 0: never. */
static struct {
    _Atomic uint64_t countdown;
    mrw_cancel *cancel;
} stop;

void mrwi_base_work_stop_at(mrw_cancel *cancel, uint64_t n)
{
    stop.cancel = cancel;
    atomic_store(&stop.countdown, n);
}

bool mrwi_base_work_stop_pending(void)
{
    return atomic_load(&stop.countdown) != 0;
}

static void count_look(void)
{
    uint64_t left = atomic_load_explicit(&stop.countdown, memory_order_relaxed);
    while (left != 0) {
        if (atomic_compare_exchange_weak(&stop.countdown, &left, left - 1)) {
            if (left == 1) {
                mrw_cancel_request(stop.cancel, MRW_ERROR_CANCELLED);
            }
            return;
        }
    }
}

bool mrwi_base_work_goes_on(void)
{
    count_look();
    return !current.cancel || mrw_cancel_requested(current.cancel) == MRW_OK;
}

mrw_status mrwi_base_work_check(const char *what, mrw_error *error)
{
    const char *colon = what ? ": " : "";
    const bool goes_on = mrwi_base_work_goes_on();
    const mrw_status why = goes_on ? MRW_OK : mrw_cancel_requested(current.cancel);
    what = what ? what : "";
    if (why == MRW_ERROR_TIME) {
        return mrwi_base_fail(error, why, "%s%sit took longer than --timeout allows", what, colon);
    }
    if (why) {
        return mrwi_base_fail(error, why, "%s%sstopped", what, colon);
    }
    if (is_spent()) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s%sthe picture takes %" PRIu64
                              " units of work or more; --max-work allows %" PRIu64,
                              what, colon, atomic_load(&current.budget->spent), current.limit);
    }
    return MRW_OK;
}
