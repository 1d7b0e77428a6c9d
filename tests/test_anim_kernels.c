/* test_anim_kernels.c: a channel among others has the bits that it has alone, whatever it shares
 * with them; and what happens when memory ends. That all instruction sets give the same bits is in
 * test_kernels.c. */
#include "rig_fixture.h"

#include "base/memory.h"

/* Which channels share key times, which never change and how they are grouped shows nowhere. */
START_TEST(a_channel_has_the_same_bits_alone)
{
    static rig r;
    static rig_result together, alone;
    for (uint32_t round = 0; round < 30; round++) {
        random_rig(&r, 1 + rig_u32() % RIG_NODES, (key_sharing)(round % SHARING_COUNT), false);
        const mrw_clip clip = r.clip;
        const double time = rig_time(&r, 1.0);
        rig_pose(&r, time, NULL, MRW_ISA_AUTO, NULL, &together);
        mrw_poser_free(r.poser);
        for (uint32_t c = 0; c < clip.channel_count; c++) {
            const mrw_channel *channel = &r.channels[c];
            r.clip.first_channel = c;
            r.clip.channel_count = 1;
            ck_assert_int_eq(mrw_poser_create(&r.scene, &r.poser, NULL), MRW_OK);
            rig_pose(&r, time, NULL, MRW_ISA_SCALAR, NULL, &alone);
            mrw_poser_free(r.poser);
            const float *a = (const float *)&alone.locals[channel->node];
            const float *t = (const float *)&together.locals[channel->node];
            const uint32_t first = channel->path == 0 ? 0 : channel->path == 1 ? 3 : 7;
            check_rig_floats("a channel", t + first, a + first, channel->width * sizeof *a);
            ck_assert_uint_eq(alone.animated[channel->node], 1u << channel->path);
        }
    }
}
END_TEST

START_TEST(a_poser_reports_that_memory_ended)
{
    static rig r;
    random_rig(&r, 20, SOME_SHARED, true);
    mrw_poser_free(r.poser);
    uint64_t n = 1;
    for (bool pending = false; !pending; n++) {
        mrw_poser *poser = NULL;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_poser_create(&r.scene, &poser, NULL);
        pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(!pending == !poser);
        mrw_poser_free(poser);
    }
    ck_assert_uint_gt(n, 4);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("anim_kernels");
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 60);
    tcase_add_test(kernels, a_channel_has_the_same_bits_alone);
    tcase_add_test(kernels, a_poser_reports_that_memory_ended);
    suite_add_tcase(s, kernels);
    return s;
}

TEST_MAIN(suite())
