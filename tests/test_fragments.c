/* test_fragments.c: from rows of ids to lists of fragments, and from their colours to bytes of the
 * picture, by the plain kernels. test_kernels.c asks the same of all others.
 */
#include "fragments_fixture.h"

START_TEST(lists_hold_what_is_seen)
{
    check_gather(mrwi_shade_kernels_for(MRW_ISA_SCALAR));
}
END_TEST

START_TEST(full_lists_stay_as_they_are)
{
    check_full(mrwi_shade_kernels_for(MRW_ISA_SCALAR));
}
END_TEST

START_TEST(pixels_come_to_their_places)
{
    check_writing(mrwi_shade_kernels_for(MRW_ISA_SCALAR));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fragments");
    TCase *tc = tcase_create("fragments");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, lists_hold_what_is_seen);
    tcase_add_test(tc, full_lists_stay_as_they_are);
    tcase_add_test(tc, pixels_come_to_their_places);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
