/* test_ycbcr.c: colours as video has them: every colour against BT.709's formulas in doubles, and
 * colour bars, whose numbers are known. */
#include "test.h"

#include "image/ycbcr.h"

/* ITU-R BT.709-6, items 3.2 to 3.4, before rounding. */
static void evaluate(const uint8_t rgb[3], double out[3])
{
    const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
    const double y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    out[0] = 219.0 * y + 16.0;
    out[1] = 224.0 * (b - y) / 1.8556 + 128.0;
    out[2] = 224.0 * (r - y) / 1.5748 + 128.0;
}

/* The nearest whole number, of two that are as near within the error of the factors either. */
START_TEST(every_colour)
{
    static uint8_t planes[3 * 65536];
    mrw_image image;
    double worst = 0.0;
    ck_assert_int_eq(mrw_image_create(256, 256, 3, &image, NULL), MRW_OK);
    for (uint32_t red = 0; red < 256; red++) {
        for (uint32_t i = 0; i < 65536; i++) {
            image.pixels[3 * i] = (uint8_t)red;
            image.pixels[3 * i + 1] = (uint8_t)(i >> 8);
            image.pixels[3 * i + 2] = (uint8_t)i;
        }
        mrwi_image_to_ycbcr(&image, planes);
        for (uint32_t i = 0; i < 65536; i++) {
            double exact[3];
            evaluate(image.pixels + 3 * i, exact);
            for (uint32_t c = 0; c < 3; c++) {
                const double off = fabs(planes[c * 65536 + i] - exact[c]);
                worst = off > worst ? off : worst;
            }
        }
    }
    ck_assert_double_lt(worst, 0.5 + 1e-4);
    mrw_image_free(&image);
}
END_TEST

START_TEST(colour_bars)
{
    static const uint8_t bars[][6] = {{255, 255, 255, 235, 128, 128}, {255, 255, 0, 219, 16, 138},
                                      {0, 255, 255, 188, 154, 16},    {0, 255, 0, 173, 42, 26},
                                      {255, 0, 255, 78, 214, 230},    {255, 0, 0, 63, 102, 240},
                                      {0, 0, 255, 32, 240, 118},      {0, 0, 0, 16, 128, 128}};
    mrw_image image;
    uint8_t planes[3];
    ck_assert_int_eq(mrw_image_create(1, 1, 3, &image, NULL), MRW_OK);
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        memcpy(image.pixels, bars[i], 3);
        mrwi_image_to_ycbcr(&image, planes);
        ck_assert_mem_eq(planes, bars[i] + 3, 3);
    }
    for (int grey = 0; grey < 256; grey++) {
        memset(image.pixels, grey, 3);
        mrwi_image_to_ycbcr(&image, planes);
        ck_assert_uint_eq(planes[1], 128);
        ck_assert_uint_eq(planes[2], 128);
    }
    mrw_image_free(&image);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ycbcr");
    TCase *tc = tcase_create("ycbcr");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_colour);
    tcase_add_test(tc, colour_bars);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
