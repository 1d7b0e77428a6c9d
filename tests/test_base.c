/* test_base.c: memory, text, numbers, math, hashes, threads, CPUs, files, folders. */
#include "test.h"

#include "base/file.h"
#include "base/links.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/utf8.h"
#include "marrow/text.h"

#include <errno.h>
#include <locale.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t random_state = 1;

static double random_between(double low, double high)
{
    return test_random_double(&random_state, low, high);
}

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(memory_is_aligned_and_checked)
{
    unsigned char *block = mrwi_base_alloc_zero(7, 3);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % 64, 0);
    for (int i = 0; i < 21 + 64; i++) {
        ck_assert_int_eq(block[i], 0);
    }
    memset(block, 0x5A, 21);
    block = mrwi_base_realloc(block, 21, 1000, 1000);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_eq(block[20], 0x5A);
    ck_assert_ptr_null(mrwi_base_realloc(block, 21, SIZE_MAX / 2, 3));
    ck_assert_int_eq(block[0], 0x5A);
    mrwi_base_free(block);
    ck_assert_ptr_null(mrwi_base_alloc(SIZE_MAX / 4 + 1, 4));
    ck_assert_ptr_null(mrwi_base_alloc(SIZE_MAX - 10, 1));
    void *nothing = mrwi_base_alloc(0, 8);
    ck_assert_ptr_nonnull(nothing);
    mrwi_base_free(nothing);
}
END_TEST

/* A block counts with its size, 64 readable bytes and the place of its size, in units of 64. */
START_TEST(memory_has_a_limit)
{
    const uint64_t before = mrw_memory_used();
    void *block = mrwi_base_alloc(100, 10); /* 1000 + 64 + 8 = 16.75 * 64 */
    ck_assert_uint_eq(mrw_memory_used() - before, 17 * 64);
    mrw_memory_limit(5000 + before + 17 * 64 + 128, 5000);
    ck_assert_uint_eq(mrwi_base_memory_left(), 128);
    ck_assert_ptr_null(mrwi_base_alloc(57, 1)); /* 129 */
    ck_assert_ptr_null(mrwi_base_realloc(block, 1000, 1000, 2));
    void *last = mrwi_base_alloc(56, 1);
    ck_assert_ptr_nonnull(last);
    ck_assert_uint_eq(mrwi_base_memory_left(), 0);
    ck_assert(!mrwi_base_memory_lend(1));
    ck_assert_uint_ge(mrw_memory_most(), mrw_memory_used());
    mrw_error error;
    char text[200];
    snprintf(
        text, sizeof text,
        "out of memory: --memory allows %llu bytes, of which 5000 are for the program and %llu "
        "are used; 192 more are needed: ",
        (unsigned long long)(5000 + before + 17 * 64 + 128),
        (unsigned long long)(before + 17 * 64 + 128));
    ck_assert_int_eq(mrw_fail_memory(&error, 7), MRW_ERROR_MEMORY);
    ck_assert_msg(strncmp(error.text, text, strlen(text)) == 0, "%s", error.text);
    mrw_memory_limit(0, 0);
    ck_assert_uint_eq(mrwi_base_memory_left(), UINT64_MAX);
    mrwi_base_free(last);
    mrwi_base_free(block);
    ck_assert_uint_eq(mrw_memory_used(), before);
    ck_assert(mrwi_base_memory_lend(10));
    ck_assert_uint_eq(mrw_memory_used(), before + 10);
    mrwi_base_memory_return(10);
    mrw_fail_memory(&error, 7);
    ck_assert_ptr_nonnull(strstr(error.text, "out of memory (7 bytes requested)"));
}
END_TEST

START_TEST(memory_fails_when_told)
{
    mrwi_base_alloc_fail_at(2);
    void *first = mrwi_base_alloc(1, 1);
    ck_assert(mrwi_base_alloc_fail_pending());
    void *second = mrwi_base_alloc(1, 1), *third = mrwi_base_alloc(1, 1);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(second);
    ck_assert_ptr_nonnull(third);
    ck_assert(!mrwi_base_alloc_fail_pending());
    mrwi_base_free(first);
    mrwi_base_free(third);
}
END_TEST

START_TEST(arena_reuses_its_high_water_mark)
{
    mrwi_base_arena arena = {0};
    for (int round = 0; round < 3; round++) {
        if (round == 2) {
            mrwi_base_alloc_fail_at(1); /* would fail, were anything allocated */
        }
        unsigned char *previous = NULL;
        for (size_t i = 1; i < 40; i++) {
            unsigned char *block = mrwi_base_arena_alloc(&arena, i, 1000);
            ck_assert_ptr_nonnull(block);
            ck_assert_uint_eq((uintptr_t)block % 64, 0);
            memset(block, (int)i, i * 1000);
            if (previous) {
                ck_assert_int_eq(previous[(i - 1) * 1000 - 1], (int)i - 1);
            }
            previous = block;
        }
        mrwi_base_arena_reset(&arena);
    }
    mrwi_base_alloc_fail_at(0);
    ck_assert_ptr_null(mrwi_base_arena_alloc(&arena, SIZE_MAX / 2, 4));
    mrwi_base_arena_free(&arena);
    ck_assert_ptr_null(arena.blocks);
}
END_TEST

/* What is given back is given again, and the mark of the most that was in use stays. */
START_TEST(arena_goes_back_to_a_mark)
{
    mrwi_base_arena arena = {0};
    unsigned char *kept = NULL, *first = NULL;
    for (int round = 0; round < 3; round++) {
        if (round == 2) {
            mrwi_base_alloc_fail_at(1); /* would fail, were anything allocated */
        }
        kept = mrwi_base_arena_alloc(&arena, 100, 1);
        memset(kept, 7, 100);
        const mrwi_base_arena_mark mark = mrwi_base_arena_now(&arena);
        for (size_t i = 0; i < 20; i++) {
            /* the most in the middle: what follows it must find room, too */
            first = mrwi_base_arena_alloc(&arena, (i == 10 ? 400 : i + 1) * 1000, 1);
            ck_assert_ptr_nonnull(first);
            memset(first, (int)i, 1000);
            ck_assert_ptr_nonnull(mrwi_base_arena_alloc(&arena, 10, 1000));
            mrwi_base_arena_back(&arena, &mark);
            ck_assert_ptr_eq(mrwi_base_arena_now(&arena).block, mark.block);
        }
        for (int i = 0; i < 100; i++) {
            ck_assert_uint_eq(kept[i], 7);
        }
        if (round == 2) {
            ck_assert_ptr_eq(mrwi_base_arena_alloc(&arena, 1, 1), first);
        }
        mrwi_base_arena_reset(&arena);
    }
    mrwi_base_alloc_fail_at(0);
    mrwi_base_arena_free(&arena);
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------ */

START_TEST(fail_formats_wraps_and_cuts)
{
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_base_fail(&error, MRW_ERROR_INPUT, "%s: line %d", "a.gltf", 7),
                     MRW_ERROR_INPUT);
    ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "a.gltf: line 7");
    mrwi_base_fail(&error, MRW_ERROR_OUTPUT, "frame 3: %s", error.text);
    ck_assert_str_eq(error.text, "frame 3: a.gltf: line 7");
    ck_assert_int_eq(mrwi_base_fail(NULL, MRW_ERROR_USAGE, "x"), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrwi_base_fail_memory(&error, 12345), MRW_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(error.text, "12345"));

    char euros[3 * 400 + 1];
    for (size_t i = 0; i < 400; i++) {
        memcpy(euros + 3 * i, "\xE2\x82\xAC", 4);
    }
    mrwi_base_fail(&error, MRW_ERROR_INPUT, "%s", euros);
    ck_assert_uint_eq(strlen(error.text), 1023 / 3 * 3);
}
END_TEST

/* The words are the C library's. */
START_TEST(errors_have_words)
{
    const int codes[] = {ENOENT, EACCES, ENOSPC, EIO};
    char text[128], small[8];
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        ck_assert_ptr_eq(mrwi_base_error_text(codes[i], text, sizeof text), text);
        ck_assert_str_eq(text, strerror(codes[i]));
        ck_assert_ptr_eq(mrwi_base_error_text(codes[i], small, sizeof small), small);
        ck_assert_uint_gt(strlen(small), 0);
        ck_assert_uint_lt(strlen(small), sizeof small);
    }
    ck_assert_ptr_nonnull(strstr(mrwi_base_error_text(98765, text, sizeof text), "98765"));
    small[0] = 'x';
    mrwi_base_error_text(ENOENT, small, 0);
    ck_assert_int_eq(small[0], 'x');
}
END_TEST

static void take_words(void *user, int64_t index, int worker)
{
    char(*words)[128] = user;
    (void)worker;
    for (int i = 0; i < 100; i++) {
        mrwi_base_error_text((int)index, words[index], sizeof words[index]);
    }
}

START_TEST(threads_get_their_own_words)
{
    static char words[64][128];
    mrwi_base_parallel_for(4, 64, take_words, words);
    for (int i = 1; i < 64; i++) {
        ck_assert_str_eq(words[i], strerror(i));
    }
}
END_TEST

START_TEST(namespaces_end_at_the_last_colon)
{
    ck_assert_str_eq(mrwi_base_without_namespace("mixamorig:Hips"), "Hips");
    ck_assert_str_eq(mrwi_base_without_namespace("a:b:Hips"), "Hips");
    ck_assert_str_eq(mrwi_base_without_namespace("Hips"), "Hips");
    ck_assert_str_eq(mrwi_base_without_namespace("Hips:"), "Hips:");
    ck_assert_str_eq(mrwi_base_without_namespace(""), "");
}
END_TEST

START_TEST(escape_disarms_what_a_terminal_obeys)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"Walk", "Walk"},
        {"J\xC3\xBCrgen \xE6\xAD\xA9\xE3\x81\x8F", "J\xC3\xBCrgen \xE6\xAD\xA9\xE3\x81\x8F"},
        {"\x1B[31mred", "\\x1B[31mred"},
        {"two\nlines", "two\\x0Alines"},
        {"\x7F", "\\x7F"},
        {"\xFF\xC3", "\\xFF\\xC3"},
        {"\xC0\x80", "\\xC0\\x80"},          /* overlong */
        {"\xED\xA0\x80", "\\xED\\xA0\\x80"}, /* a surrogate */
        {"\xC2\x9B", "\\u{009B}"},           /* C1 control */
        {"a\xE2\x80\xAE"
         "b",
         "a\\u{202E}b"}, /* right-to-left override */
        {"::error::x", "\\x3A:error::x"},
        {"  ::error::x", "  \\x3A:error::x"},
        {"rig::arm ::x", "rig::arm ::x"}, /* only at the start it is a command */
        {"##[error]x", "\\x23#[error]x"},
        {"a ##vso[task.x]", "a \\x23#vso[task.x]"},
        {"###[group]", "#\\x23#[group]"},
        {"a_####.png ## [x] #[y]", "a_####.png ## [x] #[y]"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(mrwi_base_escape(cases[i].text, out, sizeof out), cases[i].expected);
    }
    ck_assert_str_eq(mrwi_base_escape("ab\x01", out, 6), "ab"); /* "\x01" does not fit whole */
    ck_assert_str_eq(mrwi_base_escape("abc", out, 1), "");
}
END_TEST

START_TEST(file_names_are_plain)
{
    char out[32];
    ck_assert_str_eq(mrwi_base_file_name("Walk_01-b.x", out, sizeof out), "Walk_01-b.x");
    ck_assert_str_eq(mrwi_base_file_name("../../etc/passwd", out, sizeof out), "_._.._etc_passwd");
    ck_assert_str_eq(mrwi_base_file_name(".hidden", out, sizeof out), "_hidden");
    ck_assert_str_eq(mrwi_base_file_name("Armature|Walk Cycle", out, sizeof out),
                     "Armature_Walk_Cycle");
    ck_assert_str_eq(mrwi_base_file_name("", out, sizeof out), "_");
    ck_assert_str_eq(mrwi_base_file_name("abcdef", out, 4), "abc");
}
END_TEST

/* Categories and forms by the Unicode Character Database and Annex #15. */
START_TEST(file_names_of_all_scripts)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"走る", "走る"},                       /* U+8D70 U+308B: Lo */
        {"Бег-2", "Бег-2"},                     /* Lu Ll */
        {"e\u0301te\u0301", "e\u0301te\u0301"}, /* the name's own form stays */
        {"\u0915\u093F", "\u0915\u093F"},       /* KA and a spacing mark, Mc */
        {"\u0663", "\u0663"},                   /* ARABIC-INDIC DIGIT THREE: Nd */
        {"a\u3000b", "a___b"},                  /* IDEOGRAPHIC SPACE: Zs */
        {"a\u2028b", "a___b"},                  /* LINE SEPARATOR */
        {"a\u202Eb", "a___b"},                  /* RIGHT-TO-LEFT OVERRIDE */
        {"a\u200Fb", "a___b"},                  /* RIGHT-TO-LEFT MARK */
        {"a\u200Bb", "a___b"},                  /* ZERO WIDTH SPACE */
        {"a\xC2\x85"
         "b",
         "a__b"},                       /* NEXT LINE: Cc */
        {"a\u3164b", "a___b"},          /* HANGUL FILLER: a letter without a shape */
        {"\u00BD", "__"},               /* ONE HALF: No */
        {"\U0001F389", "____"},         /* PARTY POPPER: So */
        {"\uFF0F", "___"},              /* FULLWIDTH SOLIDUS: Po */
        {"a\xC0\xAF", "a__"},           /* an overlong '/' */
        {"a\xED\xA0\x80", "a___"},      /* a surrogate */
        {"a\xF4\x90\x80\x80", "a____"}, /* above U+10FFFF */
        {"a\xE8\xB5", "a__"},           /* cut short */
        {".走る", "_走る"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(mrwi_base_file_name(cases[i].text, out, sizeof out), cases[i].expected);
    }
    /* Cut between characters, and a letter goes with its marks. */
    ck_assert_str_eq(mrwi_base_file_name("走る", out, 7), "走る");
    ck_assert_str_eq(mrwi_base_file_name("走る", out, 6), "走");
    ck_assert_str_eq(mrwi_base_file_name("ae\u0301x", out, 4), "a");
    ck_assert_str_eq(mrwi_base_file_name("ae\u0301x", out, 5), "ae\u0301");
    ck_assert_str_eq(mrwi_base_file_name("走る", out, 3), "_");
    ck_assert_str_eq(mrwi_base_old_file_name("走るA", out, sizeof out), "______A");
}
END_TEST

START_TEST(names_in_two_forms)
{
    char out[MRWI_BASE_NFC_SIZE], text[2000];
    ck_assert_str_eq(mrwi_base_utf8_nfc("e\u0301", out), "\u00E9");
    ck_assert_str_eq(mrwi_base_utf8_nfc("\u00E9", out), "\u00E9");
    ck_assert_str_eq(mrwi_base_utf8_nfc("\u212B", out), "\u00C5"); /* ANGSTROM SIGN */
    ck_assert_str_eq(mrwi_base_utf8_nfc("\uFB01", out), "\uFB01"); /* no compatibility mapping */
    /* Marks of different classes are put in order: dot below (220) before diaeresis (230). */
    ck_assert_str_eq(mrwi_base_utf8_nfc("q\u0308\u0323", out), "q\u0323\u0308");
    ck_assert_str_eq(mrwi_base_utf8_nfc("a\xFF\u00E9", out), "a\xFF\u00E9"); /* invalid: as it is */
    ck_assert(mrwi_base_utf8_same("cafe\u0301", "caf\u00E9"));
    ck_assert(mrwi_base_utf8_same("\xFF", "\xFF"));
    ck_assert(!mrwi_base_utf8_same("cafe", "caf\u00E9"));
    ck_assert(!mrwi_base_utf8_same("Caf\u00E9", "caf\u00E9"));
    for (size_t i = 0; i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "\u00E9", 3);
    }
    ck_assert_uint_lt(strlen(mrwi_base_utf8_nfc(text, out)), sizeof out);
    ck_assert(mrwi_base_utf8_same(text, text));
}
END_TEST

START_TEST(glob_matches_whole_strings)
{
    static const struct {
        const char *pattern, *text;
        bool expected;
    } cases[] = {
        {"Walk", "Walk", true},
        {"Walk", "walk", false},
        {"W*", "Walk", true},
        {"*k", "Walk", true},
        {"*a*k*", "Walk", true},
        {"*b*", "Walk", false},
        {"", "", true},
        {"*", "", true},
        {"?", "", false},
        {"?alk", "Walk", true},
        {"?", "\xC3\xBC", true},
        {"??", "\xC3\xBC", false},
        {"[WT]alk", "Talk", true},
        {"[!W]alk", "Walk", false},
        {"[a-f]x", "cx", true},
        {"[a-f]x", "gx", false},
        {"[]]", "]", true},
        {"[!]]", "]", false},
        {"[a", "[a", true},
        {"\\*", "*", true},
        {"\\*", "x", false},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXbYbZ", false},
        {"[\\]x]", "]", true},
        {"a**b", "ab", true},
        {"abc*", "ab", false},
        {"*.[ch]", "x.c", true},
        {"[\xC3\xA4-\xC3\xBC]", "\xC3\xB6", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(mrwi_base_glob(cases[i].pattern, cases[i].text) == cases[i].expected,
                      "%s ~ %s", cases[i].pattern, cases[i].text);
    }
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = '\0';
    ck_assert(!mrwi_base_glob("*a*a*a*a*a*a*a*a*a*b", text)); /* quick, not exponential */
}
END_TEST

static const char *suggestion(const char *name, const char *const *candidates, size_t count,
                              bool list_all)
{
    static char out[128];
    strcpy(out, "no clip");
    mrwi_base_suggest(out, sizeof out, name, candidates, count, list_all);
    return out;
}

START_TEST(suggestions_name_the_nearest)
{
    static const char *const clips[] = {"Run", "Walk", "Wave", "WalkBack"};
    ck_assert_str_eq(suggestion("wlak", clips, 4, true), "no clip; did you mean Walk?");
    ck_assert_str_eq(suggestion("Wale", clips, 4, true), "no clip; did you mean Walk, Wave?");
    ck_assert_str_eq(suggestion("rn", clips, 4, false), "no clip; did you mean Run?");
    ck_assert_str_eq(suggestion("Jump", clips, 4, false), "no clip");
    static const char *const motions[] = {"Idle",     "HumanWalk", "Running_A", "Walking_A",
                                          "sidewalk", "slow_walk", "Sit"};
    ck_assert_str_eq(suggestion("walk", motions, 7, true),
                     "no clip; did you mean Walking_A, HumanWalk, slow_walk?");
    ck_assert_str_eq(suggestion("run", motions, 7, true), "no clip; did you mean Running_A?");
    ck_assert_str_eq(suggestion("ewal", motions, 7, true), "no clip; did you mean sidewalk?");
    ck_assert_str_eq(suggestion("walking", clips, 4, false), "no clip; did you mean Walk?");
    ck_assert_str_eq(suggestion("Jump", clips, 4, true),
                     "no clip; there are Run, Walk, Wave, WalkBack");
    ck_assert_str_eq(suggestion("Jump", clips, 1, true), "no clip; there is only Run");
    ck_assert_str_eq(suggestion("Jump", clips, 0, true), "no clip");
    const char *many[100];
    for (size_t i = 0; i < 100; i++) {
        many[i] = "something_long";
    }
    const char *listed = suggestion("Jump", many, 100, true);
    ck_assert_ptr_nonnull(strstr(listed, " more"));
    ck_assert_uint_lt(strlen(listed), 128);
    static const char *const hostile[] = {"\x1B[2J"};
    ck_assert_str_eq(suggestion("zzzzzzzz", hostile, 1, true), "no clip; there is only \\x1B[2J");
}
END_TEST

/* ---- numbers --------------------------------------------------------------------------------- */

/* Compares with strtod, which glibc rounds correctly. */
static void check_parse(const char *text)
{
    double expected = strtod(text, NULL), value = -7.0;
    size_t length = strlen(text);
    size_t used = mrwi_base_parse_double(text, length, &value);
    if (!isfinite(expected)) {
        ck_assert_msg(used == 0, "%s", text);
        return;
    }
    ck_assert_msg(used == length, "%s: %zu bytes used", text, used);
    ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%s: %a, not %a", text, value,
                  expected);
}

/* Doubles of every magnitude: any bits, powers of two, denormals, short decimals, integers. */
static double random_double(int kind)
{
    const uint64_t upper = test_random(&random_state);
    uint64_t bits = upper << 32 | test_random(&random_state);
    double value;
    switch (kind % 5) {
    case 0:
        bits &= UINT64_C(0x7FF) << 52;
        break;
    case 1:
        bits >>= 12 + bits % 52;
        break;
    case 2:
        return (double)(int64_t)(bits % 4000000) / 1000.0 - 2000.0;
    case 3:
        return (double)(int64_t)bits;
    default:
        break;
    }
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.0;
}

START_TEST(parse_agrees_with_strtod)
{
    static const char *const hard[] = {
        "0",
        "-0",
        "1",
        "+1.5e+3",
        ".5",
        "5.",
        "00012.500",
        "9007199254740993",
        "9007199254740991",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e-400",
        "0e99999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "179769313486231580793728971405301e276",
        "8.98846567431158e307",
        "0.1",
        "0.3",
        "1e22",
        "1e23",
        "123456789012345678901234567890",
        "6.02214076e23",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775807e27",
        "9999999999999999999e-27",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "100000000000000016777215",
        "100000000000000016777216",
        "7.2057594037927933e16",
    };
    char text[1200];
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        check_parse(hard[i]);
    }
    for (int i = 0; i < TEST_ROUNDS(60000); i++) {
        snprintf(text, sizeof text, "%.*e", (int)test_random_below(&random_state, 40),
                 random_double(i));
        check_parse(text);
    }
}
END_TEST

/* (a + b) / 2 in decimal text of one length and layout; out has room for one digit more. */
static void decimal_mean(const char *a, const char *b, char *out)
{
    size_t length = strlen(a);
    int carry = 0;
    strcpy(out, a);
    for (size_t i = length; i-- > 0;) {
        if (a[i] != '.') {
            int sum = a[i] - '0' + b[i] - '0' + carry;
            out[i] = (char)('0' + sum % 10);
            carry = sum / 10;
        }
    }
    for (size_t i = 0; i < length; i++) {
        if (out[i] != '.') {
            int value = 10 * carry + (out[i] - '0');
            out[i] = (char)('0' + value / 2);
            carry = value % 2;
        }
    }
    strcpy(out + length, carry != 0 ? "5" : "0");
}

/* The middle between two neighbours has up to 767 digits; one more digit decides. */
START_TEST(parse_decides_exact_ties)
{
    char low[1600], high[1600], middle[1610];
    for (int i = 0; i < 1500; i++) {
        double value = fabs(random_double(i)), next = nextafter(value, INFINITY);
        if (isinf(next)) {
            continue;
        }
        snprintf(low, sizeof low, "%01400.1080f", value);
        snprintf(high, sizeof high, "%01400.1080f", next);
        decimal_mean(low, high, middle);
        check_parse(middle);
        size_t length = strlen(middle);
        memcpy(middle + length, "1", 2);
        check_parse(middle);
        double above = 0.0;
        mrwi_base_parse_double(middle, length + 1, &above);
        ck_assert(above == next);
    }
}
END_TEST

START_TEST(parse_stops_where_the_number_ends)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
    } cases[] = {
        {"1.5,2", 3, 1.5}, {"1e", 1, 1.0},  {"1e+", 1, 1.0}, {"2ex", 1, 2.0}, {"0x10", 1, 0.0},
        {"1.2.3", 3, 1.2}, {"3 ", 1, 3.0},  {"", 0, 0},      {"-", 0, 0},     {".", 0, 0},
        {"-.e1", 0, 0},    {"inf", 0, 0},   {"nan", 0, 0},   {" 1", 0, 0},    {"e5", 0, 0},
        {"--1", 0, 0},     {"1,5", 1, 1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        ck_assert_uint_eq(mrwi_base_parse_double(cases[i].text, strlen(cases[i].text), &value),
                          cases[i].used);
        ck_assert(value == cases[i].value);
    }
    double value = 0;
    ck_assert_uint_eq(mrwi_base_parse_double("12345", 3, &value), 3); /* not one byte further */
    ck_assert(value == 123);
}
END_TEST

/* Significant digits of a decimal text, without zeros at either end. */
static int significant_digits(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0)) {
            continue;
        }
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

START_TEST(format_is_shortest_and_reads_back)
{
    char text[32], shortest[64];
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        double value = random_double(i);
        size_t length = mrwi_base_format_double(value, text);
        ck_assert_uint_eq(length, strlen(text));
        ck_assert_msg(strtod(text, NULL) == value, "%s is not %a", text, value);
        int precision = 0;
        do {
            snprintf(shortest, sizeof shortest, "%.*e", precision++, value);
        } while (strtod(shortest, NULL) != value);
        ck_assert_msg(significant_digits(text) <= significant_digits(shortest), "%s %s", text,
                      shortest);
    }
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        uint32_t bits = test_random(&random_state);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        mrwi_base_format_float(value, text);
        ck_assert_msg(strtof(text, NULL) == value, "%s is not %a", text, (double)value);
        int precision = 0;
        do {
            snprintf(shortest, sizeof shortest, "%.*e", precision++, (double)value);
        } while (strtof(shortest, NULL) != value);
        ck_assert_int_le(significant_digits(text), significant_digits(shortest));
    }
}
END_TEST

START_TEST(format_looks_as_documented)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {100.0, "100"},
        {1e16, "10000000000000000"},
        {1e17, "1e17"},
        {123456.789, "123456.789"},
        {0.0001, "0.0001"},
        {0.00001, "1e-5"},
        {1.25e-7, "1.25e-7"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
        {1.0 / 3.0, "0.3333333333333333"},
        /* where 128 bits end; the texts are Python's */
        {0x1p+89, "6.189700196426902e26"},
        {0x1p+90, "1.2379400392853803e27"},
        {0x1p+91, "2.4758800785707605e27"},
        {0x1.0000000000002p-60, "8.67361737988404e-19"},
        {0x1p-60, "8.673617379884035e-19"},
        {0x1p-61, "4.336808689942018e-19"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrwi_base_format_double(cases[i].value, text);
        ck_assert_str_eq(text, cases[i].text);
    }
    mrwi_base_format_float(0.1f, text);
    ck_assert_str_eq(text, "0.1");
    mrwi_base_format_float(3.40282347e38f, text);
    ck_assert_str_eq(text, "3.4028235e38");
}
END_TEST

START_TEST(format_fixed_rounds_half_away)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } cases[] = {
        {0.5, 0, "1"},
        {1.5, 0, "2"},
        {2.5, 0, "3"},
        {-2.5, 0, "-3"},
        {0.125, 2, "0.13"},
        {-0.125, 2, "-0.13"},
        {1.005, 2, "1.00"},
        {999.9996, 3, "1000.000"},
        {-0.001, 2, "0.00"},
        {1e-300, 9, "0.000000000"},
        {12.0, 1, "12.0"},
        {0.0, 0, "0"},
        {123456789.125, 9, "123456789.125000000"},
        {NAN, 2, "null"},
        {1e300, 2, "1e300"},
        {999999999999999872.0, 1, "999999999999999872.0"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = mrwi_base_format_fixed(cases[i].value, cases[i].decimals, text);
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_uint_eq(length, strlen(text));
    }
}
END_TEST

START_TEST(numbers_ignore_the_locale)
{
    static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                                "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales && !found; i++) {
        found = setlocale(LC_ALL, comma_locales[i]);
    }
    if (!found) {
        SKIP("numbers_ignore_the_locale: no locale with a decimal comma is installed");
        return;
    }
    char text[32];
    double value = 0;
    snprintf(text, sizeof text, "%.1f", 1.5);
    ck_assert_str_eq(text, "1,5");
    ck_assert_uint_eq(mrwi_base_parse_double("1.5", 3, &value), 3);
    ck_assert(value == 1.5);
    mrwi_base_format_double(1.5, text);
    ck_assert_str_eq(text, "1.5");
    mrwi_base_format_fixed(1.5, 1, text);
    ck_assert_str_eq(text, "1.5");
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- math ------------------------------------------------------------------------------------ */

static double relative_error(double value, double expected)
{
    return expected == 0.0 ? fabs(value) : fabs((value - expected) / expected);
}

/* libm's functions are within 1 ulp, which the bounds leave room for. */
START_TEST(trigonometry_keeps_its_bounds)
{
    static const double ranges[] = {1e-3, 1.0, 10.0, 1000.0, 1e6};
    for (int i = 0; i < TEST_ROUNDS(100000); i++) {
        double range = ranges[i % 5], x = random_between(-range, range);
        ck_assert_msg(fabs(mrwi_base_sin(x) - sin(x)) <= 1e-15, "sin %a", x);
        ck_assert_msg(fabs(mrwi_base_cos(x) - cos(x)) <= 1e-15, "cos %a", x);
        ck_assert_msg(relative_error(mrwi_base_tan(x), tan(x)) <= 1e-15, "tan %a", x);
    }
    /* Next to multiples of pi/2, where the reduction cancels most. */
    for (int k = 1; k < 600000; k += 997) {
        double x = k * (MRWI_BASE_PI / 2);
        ck_assert_msg(relative_error(mrwi_base_sin(x), sin(x)) <= 1e-15, "sin %a", x);
        ck_assert_msg(relative_error(mrwi_base_cos(x), cos(x)) <= 1e-15, "cos %a", x);
    }
    ck_assert(mrwi_base_sin(0.0) == 0.0 && mrwi_base_cos(0.0) == 1.0);
    ck_assert(mrwi_base_sin(NAN) == 0.0 && mrwi_base_cos(INFINITY) == 1.0);
    ck_assert(fabs(mrwi_base_sin(1e15)) <= 1.0);
}
END_TEST

START_TEST(arc_functions_keep_their_bounds)
{
    for (int i = 0; i < TEST_ROUNDS(100000); i++) {
        double near_one = 1.0 - random_between(0.0, 1e-6);
        double x = i % 3 == 0 ? near_one : random_between(-1.0, 1.0) * (i % 5 == 0 ? 1e-6 : 1.0);
        ck_assert_msg(relative_error(mrwi_base_acos(x), acos(x)) <= 1e-15, "acos %a", x);
        ck_assert_msg(relative_error(mrwi_base_asin(x), asin(x)) <= 1e-15, "asin %a", x);
        double y = random_between(-1.0, 1.0) * exp(random_between(-20.0, 20.0));
        ck_assert_msg(relative_error(mrwi_base_atan2(y, x), atan2(y, x)) <= 1e-15, "atan2 %a %a", y,
                      x);
    }
    static const double special[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 5e-324, 1e308};
    for (size_t i = 0; i < 64; i++) {
        double y = special[i / 8], x = special[i % 8], expected = atan2(y, x);
        ck_assert_msg(fabs(mrwi_base_atan2(y, x) - expected) <= 1e-15, "atan2 %a %a", y, x);
    }
    ck_assert(mrwi_base_acos(1.5) == 0.0 && mrwi_base_acos(1.0) == 0.0);
    ck_assert(fabs(mrwi_base_acos(-2.0) - MRWI_BASE_PI) <= 1e-15);
    ck_assert(mrwi_base_atan2(NAN, 1.0) == 0.0);
}
END_TEST

START_TEST(exponentials_keep_their_bounds)
{
    for (int i = 0; i < TEST_ROUNDS(100000); i++) {
        double x = random_between(-708.0, 709.0) * (i % 3 == 0 ? 0.01 : 1.0);
        ck_assert_msg(relative_error(mrwi_base_exp(x), exp(x)) <= 4e-15, "exp %a", x);
        double positive = i % 2 == 0 ? exp(x) : random_between(0.5, 2.0);
        ck_assert_msg(relative_error(mrwi_base_log(positive), log(positive)) <= 4e-15, "log %a",
                      positive);
        double base = i % 2 == 0 ? random_between(0.0, 1.0) : exp(random_between(-3.0, 3.0));
        double power = i % 3 == 0 ? 2.4 : random_between(-200.0, 200.0);
        double expected = pow(base, power);
        if (isnormal(expected)) {
            ck_assert_msg(relative_error(mrwi_base_pow(base, power), expected) <= 4e-15,
                          "pow %a %a", base, power);
        }
    }
    ck_assert(mrwi_base_exp(0.0) == 1.0 && mrwi_base_exp(-1e9) == 0.0 && isinf(mrwi_base_exp(1e9)));
    ck_assert(mrwi_base_log(1.0) == 0.0 && isinf(mrwi_base_log(0.0)) &&
              isinf(mrwi_base_log(INFINITY)));
    ck_assert(relative_error(mrwi_base_log(5e-324), log(5e-324)) <= 4e-15);
    ck_assert(mrwi_base_pow(0.0, 2.0) == 0.0 && mrwi_base_pow(0.0, 0.0) == 1.0 &&
              isinf(mrwi_base_pow(0, -1)));
    ck_assert(mrwi_base_pow(2.0, 10.0) == 1024.0 && mrwi_base_pow(1.0, 1e300) == 1.0);
    ck_assert(isinf(mrwi_base_pow(2.0, 1e300)) && mrwi_base_pow(0.5, 1e300) == 0.0);
}
END_TEST

START_TEST(rounding_clamps_before_it_converts)
{
    ck_assert_int_eq(mrwi_base_round_to_int(2.5, 0, 255), 3);
    ck_assert_int_eq(mrwi_base_round_to_int(-2.5, -10, 10), -2);
    ck_assert_int_eq(mrwi_base_round_to_int(254.6, 0, 255), 255);
    ck_assert_int_eq(mrwi_base_round_to_int(1e300, 0, 255), 255);
    ck_assert_int_eq(mrwi_base_round_to_int(-INFINITY, -5, 255), -5);
    ck_assert_int_eq(mrwi_base_round_to_int(NAN, 7, 255), 7);
    ck_assert_int_eq(mrwi_base_round_to_int(2147483646.6, INT32_MIN, INT32_MAX), INT32_MAX);
}
END_TEST

/* ---- vectors, quaternions, matrices ---------------------------------------------------------- */

START_TEST(normalize_survives_extremes)
{
    float tiny[3] = {3e-42f, 0.0f, 4e-42f}, huge[3] = {3e38f, 0.0f, -1e38f}, zero[3] = {0};
    ck_assert(mrwi_base_normalize3(tiny));
    ck_assert_float_eq_tol(tiny[0], 0.6f, 1e-3f); /* 3e-42 itself has three digits */
    ck_assert(mrwi_base_normalize3(huge));
    ck_assert_float_eq_tol(mrwi_base_dot3(huge, huge), 1.0f, 1e-6f);
    ck_assert(!mrwi_base_normalize3(zero));
    float infinite[3] = {INFINITY, 1.0f, 2.0f};
    ck_assert(!mrwi_base_normalize3(infinite));
    ck_assert(infinite[1] == 1.0f);
    float x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3];
    mrwi_base_cross3(x, y, z);
    ck_assert(z[0] == 0 && z[1] == 0 && z[2] == 1);
}
END_TEST

static void random_quaternion(float q[4])
{
    do {
        for (int i = 0; i < 4; i++) {
            q[i] = (float)random_between(-1.0, 1.0);
        }
    } while (!mrwi_base_normalize4(q));
}

static mrw_transform random_transform(bool mirrored)
{
    mrw_transform t;
    random_quaternion(t.rotation);
    for (int i = 0; i < 3; i++) {
        t.translation[i] = (float)random_between(-10.0, 10.0);
        t.scale[i] = (float)random_between(0.2, 3.0);
    }
    t.scale[0] = mirrored ? -t.scale[0] : t.scale[0];
    return t;
}

/* q v q* with v scaled first, then translated: the meaning of a transform, without a matrix. */
static void slow_transform(const mrw_transform *t, const float v[3], double out[3])
{
    double q[3] = {t->rotation[0], t->rotation[1], t->rotation[2]}, w = t->rotation[3];
    double s[3], c[3], d[3];
    for (int i = 0; i < 3; i++) {
        s[i] = (double)v[i] * t->scale[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = q[j] * s[k] - q[k] * s[j] + w * s[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[i] = q[j] * c[k] - q[k] * c[j];
        out[i] = s[i] + 2 * d[i] + t->translation[i];
    }
}

/* The matrix of a transform: its columns are what the transform makes of the axes. */
static mrw_mat4 slow_matrix(const mrw_transform *t)
{
    const float corners[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    mrw_mat4 out = mrwi_base_mat4_identity();
    for (int c = 0; c < 4; c++) {
        double moved[3];
        slow_transform(t, corners[c], moved);
        for (int r = 0; r < 3; r++) {
            out.m[4 * c + r] = (float)(moved[r] - (c < 3 ? (double)t->translation[r] : 0.0));
        }
    }
    return out;
}

START_TEST(decompose_gives_the_transform_back)
{
    for (int i = 0; i < 2000; i++) {
        mrw_transform t = random_transform(i % 2 == 1), back;
        mrw_mat4 matrix = slow_matrix(&t);
        ck_assert(mrwi_base_mat4_decompose(&matrix, &back));
        ck_assert((back.scale[0] < 0) == (t.scale[0] < 0));
        mrw_mat4 again = slow_matrix(&back);
        for (int k = 0; k < 16; k++) {
            ck_assert_float_eq_tol(again.m[k], matrix.m[k], 1e-5f);
        }
    }
}
END_TEST

START_TEST(decompose_tells_what_it_cannot_hold)
{
    mrw_transform t;
    mrw_mat4 sheared = mrwi_base_mat4_identity();
    sheared.m[4] = 0.5f;
    ck_assert(!mrwi_base_mat4_decompose(&sheared, &t));
    ck_assert(isfinite(t.rotation[0]) && isfinite(t.scale[0]));
    mrw_mat4 flat = mrwi_base_mat4_identity(); /* a scale of 0 along Y is no shear */
    flat.m[5] = 0.0f;
    ck_assert(mrwi_base_mat4_decompose(&flat, &t));
    ck_assert(t.scale[0] == 1.0f && t.scale[1] == 0.0f && t.scale[2] == 1.0f);
    ck_assert(t.rotation[3] == 1.0f);
    mrw_mat4 nothing = {{0}};
    nothing.m[15] = 1.0f;
    ck_assert(mrwi_base_mat4_decompose(&nothing, &t));
    ck_assert(t.scale[0] == 0.0f && t.rotation[3] == 1.0f);
    for (int axis = 0; axis < 3; axis++) { /* half turns: a trace of -1 */
        mrw_transform turn = {{0}, {0}, {1, 2, 3}};
        turn.rotation[axis] = 1.0f;
        mrw_mat4 matrix = slow_matrix(&turn);
        ck_assert(mrwi_base_mat4_decompose(&matrix, &t));
        ck_assert_float_eq_tol(fabsf(t.rotation[axis]), 1.0f, 1e-6f);
    }
}
END_TEST

START_TEST(products_and_determinants)
{
    for (int i = 0; i < 500; i++) {
        mrw_transform t = random_transform(i % 2 == 0), u = random_transform(false);
        mrw_mat4 a = slow_matrix(&t), b = slow_matrix(&u), product;
        double det = (double)t.scale[0] * t.scale[1] * t.scale[2];
        ck_assert_double_eq_tol(mrwi_base_mat4_det3(&a), det, 1e-4);
        a.m[3] = b.m[7] = 0.1f; /* no longer affine */
        a.m[15] = 2.0f;
        mrwi_base_mat4_mul(&a, &b, &product);
        for (int c = 0; c < 4; c++) {
            for (int r = 0; r < 4; r++) {
                double sum = 0;
                for (int k = 0; k < 4; k++) {
                    sum += (double)a.m[4 * k + r] * b.m[4 * c + k];
                }
                ck_assert_double_eq_tol(product.m[4 * c + r], sum, 1e-4);
            }
        }
    }
}
END_TEST

/* ---- hashes, loops, CPUs, rates -------------------------------------------------------------- */

static void check_hash(const char *text, size_t times, size_t piece, const char *expected)
{
    mrwi_base_sha256 hash;
    uint8_t digest[32];
    char hex[65];
    size_t length = strlen(text);
    mrwi_base_sha256_begin(&hash);
    for (size_t i = 0; i < times; i++) {
        for (size_t used = 0; used < length; used += piece) {
            mrwi_base_sha256_add(&hash, text + used, length - used < piece ? length - used : piece);
        }
    }
    mrwi_base_sha256_end(&hash, digest);
    mrwi_base_sha256_text(digest, hex);
    ck_assert_str_eq(hex, expected);
}

/* The examples of FIPS 180-4 and its predecessor. */
START_TEST(sha256_gives_the_published_digests)
{
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_hash("", 1, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_hash("abc", 1, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t piece = 1; piece < 60; piece += 11) {
        check_hash(two_blocks, 1, piece,
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
    check_hash("aaaaaaaaaa", 100000, 7,
               "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    mrwi_base_sha256 a, b;
    uint8_t from_u32[32], from_bytes[32];
    mrwi_base_sha256_begin(&a);
    mrwi_base_sha256_add_u32(&a, 0x04030201);
    mrwi_base_sha256_end(&a, from_u32);
    mrwi_base_sha256_begin(&b);
    mrwi_base_sha256_add(&b, "\x01\x02\x03\x04", 4);
    mrwi_base_sha256_end(&b, from_bytes);
    ck_assert_mem_eq(from_u32, from_bytes, 32);
}
END_TEST

typedef struct loop_record {
    atomic_int visits[1000];
    atomic_int busy[8];
    atomic_int wrong;
    volatile float denormal;
} loop_record;

/* Counts visits, and checks that no two bodies share a worker and that denormals are on. */
static void record_visit(void *user, int64_t index, int worker)
{
    loop_record *record = user;
    atomic_fetch_add(&record->visits[index], 1);
    if (worker < 0 || worker >= 8 || atomic_fetch_add(&record->busy[worker], 1) != 0) {
        atomic_fetch_add(&record->wrong, 1);
        return;
    }
    volatile float half = record->denormal * 0.5f;
    if (!(half > 0.0f)) {
        atomic_fetch_add(&record->wrong, 1);
    }
    atomic_fetch_sub(&record->busy[worker], 1);
}

START_TEST(parallel_visits_each_index_once)
{
    static const int threads[] = {0, 1, 2, 3, 8};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        static loop_record record;
        memset(&record, 0, sizeof record);
        record.denormal = 1e-40f;
        mrwi_base_parallel_for(threads[i], 1000, record_visit, &record);
        for (int k = 0; k < 1000; k++) {
            ck_assert_int_eq(atomic_load(&record.visits[k]), 1);
        }
        ck_assert_int_eq(atomic_load(&record.wrong), 0);
        mrwi_base_parallel_for(threads[i], 0, record_visit, &record);
        ck_assert_int_eq(atomic_load(&record.visits[0]), 1);
    }
}
END_TEST

/* Nested loops run in their caller, as worker 0 of their own. */
static void run_inner_loop(void *user, int64_t index, int worker)
{
    (void)index;
    (void)worker;
    loop_record *records = user;
    loop_record *record = &records[worker];
    mrwi_base_parallel_for(4, 10, record_visit, record);
}

START_TEST(parallel_does_not_nest)
{
    static loop_record records[4];
    for (int i = 0; i < 4; i++) {
        records[i].denormal = 1e-40f;
    }
    mrwi_base_parallel_for(4, 20, run_inner_loop, records);
    int total = 0;
    for (int i = 0; i < 4; i++) {
        total += atomic_load(&records[i].visits[3]);
        ck_assert_int_eq(atomic_load(&records[i].wrong), 0);
    }
    ck_assert_int_eq(total, 20);
}
END_TEST

#if defined(__x86_64__)
#include <xmmintrin.h>

/* What a library linked with -ffast-math does to the process, and rounding towards zero. */
START_TEST(fp_environment_is_set_and_restored)
{
    const unsigned hostile = 0x1F80u | 0x8040u | 0x6000u;
    unsigned before = _mm_getcsr();
    _mm_setcsr(hostile);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    volatile float tiny = 1e-40f, third = 1.0f;
    float half = tiny * 0.5f, quotient = -third / 3.0f;
    unsigned inside = _mm_getcsr();
    mrwi_base_fp_leave(fp);
    unsigned after = _mm_getcsr();
    static loop_record record;
    record.denormal = 1e-40f;
    mrwi_base_parallel_for(2, 100, record_visit, &record);
    unsigned after_loop = _mm_getcsr();
    _mm_setcsr(before);
    ck_assert_uint_eq(inside & 0xFFC0u, 0x1F80u);
    ck_assert(half > 0.0f && quotient == -0x1.555556p-2f);
    ck_assert_uint_eq(after & 0xFFC0u, hostile);
    ck_assert_uint_eq(after_loop & 0xFFC0u, hostile);
    ck_assert_int_eq(atomic_load(&record.wrong), 0);
}
END_TEST
#endif

START_TEST(isa_names_and_choice)
{
    for (int i = 0; i < MRW_ISA_COUNT; i++) {
        mrw_isa found = MRW_ISA_COUNT;
        ck_assert(mrw_isa_from_name(mrw_isa_name((mrw_isa)i), &found));
        ck_assert_int_eq(found, i);
    }
    mrw_isa untouched = MRW_ISA_COUNT;
    ck_assert(!mrw_isa_from_name("sse9", &untouched) && untouched == MRW_ISA_COUNT);
    ck_assert(mrw_isa_available(MRW_ISA_SCALAR));
    ck_assert(!(mrw_isa_available(MRW_ISA_NEON) && mrw_isa_available(MRW_ISA_SSE2)));
    setenv("MARROW_ISA", "scalar", 1);
    ck_assert_int_eq(mrw_isa_best(), MRW_ISA_SCALAR);
    setenv("MARROW_ISA", "sse9", 1);
    mrw_isa best = mrw_isa_best();
    unsetenv("MARROW_ISA");
    ck_assert_int_eq(mrw_isa_best(), best);
    ck_assert(best != MRW_ISA_AUTO && mrw_isa_available(best));
#if defined(__x86_64__)
    ck_assert(best == MRW_ISA_AVX512 || best == MRW_ISA_AVX2 || best == MRW_ISA_SSE2);
    ck_assert(!mrw_isa_available(MRW_ISA_AVX512) || mrw_isa_available(MRW_ISA_AVX2));
#endif
    ck_assert_int_ge(mrw_cpu_count(), 1);
    ck_assert_str_eq(mrw_status_name(MRW_ERROR_INPUT), "input");
}
END_TEST

/* Asleep the wall's clock goes on and the process' stands; at work both go on. */
START_TEST(clocks_tell_time_from_work)
{
    const struct timespec nap = {0, 50000000};
    const double wall = mrw_clock_seconds(MRW_CLOCK_WALL);
    const double work = mrw_clock_seconds(MRW_CLOCK_PROCESS);
    nanosleep(&nap, NULL);
    ck_assert_double_ge(mrw_clock_seconds(MRW_CLOCK_WALL) - wall, 0.0499);
    ck_assert_double_lt(mrw_clock_seconds(MRW_CLOCK_PROCESS) - work, 0.04);
    while (mrw_clock_seconds(MRW_CLOCK_PROCESS) - work < 0.05) {
    }
    ck_assert_double_ge(mrw_clock_seconds(MRW_CLOCK_WALL) - wall, 0.0549);
}
END_TEST

/* A room without kernels for an instruction set takes those of a narrower one, never of a wider one
 * or of another architecture. */
START_TEST(isa_kernels_fall_back)
{
    static const char plain, eight;
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &plain, [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&eight)};
    static const void *const expected[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &plain, [MRW_ISA_SSE2] = &plain, [MRW_ISA_AVX2] = &eight,
        [MRW_ISA_AVX512] = &eight, [MRW_ISA_NEON] = &plain,
    };
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa)) {
            ck_assert_ptr_eq(mrwi_base_isa_kernels(by_isa, (mrw_isa)isa), expected[isa]);
        }
    }
    setenv("MARROW_ISA", "scalar", 1);
    ck_assert_ptr_eq(mrwi_base_isa_kernels(by_isa, MRW_ISA_AUTO), &plain);
    unsetenv("MARROW_ISA");
    ck_assert_ptr_eq(mrwi_base_isa_kernels(by_isa, MRW_ISA_AUTO), expected[mrw_isa_best()]);
}
END_TEST

START_TEST(rates_are_exact)
{
    static const struct {
        const char *text;
        uint32_t num, den; /* 0: refused */
    } cases[] = {
        {"30", 30, 1},
        {"24/1", 24, 1},
        {"30000/1001", 30000, 1001},
        {"29.97", 30000, 1001},
        {"23.976", 24000, 1001},
        {"59.94", 60000, 1001},
        {"29.970", 30000, 1001},
        {"12.5", 25, 2},
        {"60/2", 30, 1},
        {"2997/100", 2997, 100},
        {"0.5", 1, 2},
        {"0", 0, 0},
        {"-1", 0, 0},
        {"30/0", 0, 0},
        {"", 0, 0},
        {"30fps", 0, 0},
        {"1.", 0, 0},
        {".5", 0, 0},
        {"1/2/3", 0, 0},
        {"1.5/2", 0, 0},
        {"99999999999999999999", 0, 0},
        {"5000000000", 0, 0},
        {"1e3", 0, 0},
        {" 30", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_rate rate = {7, 7};
        bool ok = mrw_rate_parse(cases[i].text, &rate);
        ck_assert_msg(ok == (cases[i].num != 0), "%s", cases[i].text);
        ck_assert_msg(rate.num == (ok ? cases[i].num : 7), "%s: %u", cases[i].text, rate.num);
        ck_assert_msg(rate.den == (ok ? cases[i].den : 7), "%s: %u", cases[i].text, rate.den);
    }
}
END_TEST

/* Two arrays, walked in steps of different size: see CONTRACT in the Makefile. Only integers of one
 * type, each within its array: no compiler may drop the call of copy_firsts. */
typedef struct two_arrays {
    int from[64];
    int to[64][4];
} two_arrays;

static __attribute__((noinline)) void copy_firsts(two_arrays *arrays, long count)
{
    for (long i = 0; i < count; i++) {
        arrays->to[i][0] = arrays->from[i];
    }
}

static __attribute__((noinline)) int first_of_copies(two_arrays *arrays, long count)
{
    copy_firsts(arrays, count);
    return arrays->to[0][0];
}

START_TEST(compiler_keeps_calls_that_store)
{
    two_arrays arrays = {.from = {7}};
    volatile long count = 1;
    ck_assert_int_eq(first_of_copies(&arrays, count), 7);
}
END_TEST

static void check_unread(const char *path, uint64_t max, const char *words)
{
    char told[400];
    mrw_bytes bytes = {(uint8_t *)told, 1};
    mrw_error error = {0};
    bool missing = true;
    snprintf(told, sizeof told, "%s: %s", path, words);
    ck_assert_int_eq(mrwi_base_read_file(path, max, &bytes, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, told);
    ck_assert(!bytes.data && bytes.size == 0);
    if (!strstr(words, "No such file")) {
        ck_assert_int_eq(mrwi_base_read_file(path, max, &bytes, &missing, &error), MRW_ERROR_INPUT);
        ck_assert(!missing);
    }
}

START_TEST(files_are_read_or_the_reason_told)
{
    const char *path = test_path("file");
    char long_name[301];
    mrw_bytes bytes;
    mrw_error error = {0};
    bool missing = true;
    check_unread(path, 9, "cannot open it: No such file or directory");
    ck_assert_int_eq(mrwi_base_read_file(path, 9, &bytes, &missing, &error), MRW_OK);
    ck_assert(missing && !bytes.data);
    ck_assert_int_eq(mrwi_base_remove_file(path, &error), MRW_OK);

    test_write_text(path, "four");
    ck_assert_int_eq(mrwi_base_read_file(path, 4, &bytes, &missing, &error), MRW_OK);
    ck_assert(!missing && bytes.size == 4);
    ck_assert_mem_eq(bytes.data, "four", 5); /* with the zero byte */
    mrw_bytes_free(&bytes);
    check_unread(path, 3, "the file has 4 bytes, but at most 3 are allowed");
    mrwi_base_alloc_fail_at(1);
    ck_assert_int_eq(mrwi_base_read_file(path, 4, &bytes, &missing, &error), MRW_ERROR_MEMORY);
    mrwi_base_alloc_fail_at(0);
    ck_assert_int_eq(mrwi_base_remove_file(path, &error), MRW_OK);
    ck_assert_int_ne(access(path, F_OK), 0);

    ck_assert_int_eq(mkfifo(path, 0600), 0); /* nobody writes: it must not wait */
    check_unread(path, 9, "this is not a regular file");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("file", path), 0);
    check_unread(path, 9, "cannot open it: Too many levels of symbolic links");
    ck_assert_int_eq(unlink(path), 0);
    check_unread(test_folder(), 9, "this is not a regular file");
    ck_assert_int_eq(mrwi_base_remove_file(test_folder(), &error), MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, ": cannot remove it: Is a directory"));
    test_folder_remove();
    memset(long_name, 'n', 300);
    long_name[300] = '\0';
    check_unread(long_name, 9, "cannot open it: File name too long");
}
END_TEST

START_TEST(folders_are_made)
{
    char path[PATH_MAX], told[PATH_MAX + 100];
    const char *top = test_folder();
    mrw_error error = {0};
    bool made = false;
    snprintf(path, sizeof path, "%s/a/b//c/", top);
    ck_assert_int_eq(mrw_make_folder(path, &made, &error), MRW_OK);
    ck_assert(made && access(path, W_OK) == 0);
    ck_assert_int_eq(mrw_make_folder(path, &made, &error), MRW_OK);
    ck_assert(!made);

    snprintf(path, sizeof path, "%s/d/file", top);
    ck_assert_int_eq(mrw_make_folder_of(path, NULL, &error), MRW_OK);
    ck_assert(access(path, F_OK) != 0); /* its folder alone */
    test_write_text(path, "");
    ck_assert_int_eq(mrw_make_folder_of("file", NULL, &error), MRW_OK);
    ck_assert_int_eq(mrw_make_folder_of("/file", NULL, &error), MRW_OK);

    /* A link leads to the folder of its file; one that leads nowhere is replaced itself. */
    char link[PATH_MAX];
    snprintf(link, sizeof link, "%s/link", top);
    ck_assert_int_eq(symlink("d/file", link), 0);
    ck_assert_int_eq(mrw_make_folder_of(link, NULL, &error), MRW_OK);
    ck_assert_int_eq(mrw_make_folder_of("/dev/stdin", NULL, &error), MRW_OK);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(symlink("e/file", link), 0);
    ck_assert_int_eq(mrw_make_folder_of(link, NULL, &error), MRW_OK);
    snprintf(link, sizeof link, "%s/e", top);
    ck_assert(access(link, F_OK) != 0);

    snprintf(told, sizeof told, "%s: cannot make the folder: Not a directory; choose another place",
             path);
    ck_assert_int_eq(mrw_make_folder(path, &made, &error), MRW_ERROR_OUTPUT);
    ck_assert_str_eq(error.text, told);
    snprintf(path, sizeof path, "%s/d/file/below/it", top);
    ck_assert_int_eq(mrw_make_folder_of(path, NULL, &error), MRW_ERROR_OUTPUT);
    ck_assert_str_eq(error.text, told);

    test_folder_remove();
}
END_TEST

/* A user who may enter a folder but not list it: root may list all. */
START_TEST(folders_that_cannot_be_listed_are_refused)
{
    const bool root = geteuid() == 0;
    char closed[300], told[400];
    mrw_error error = {0};
    snprintf(closed, sizeof closed, "%s/closed", test_folder());
    snprintf(told, sizeof told, "%s/link", closed);
    ck_assert_int_eq(mrwi_base_links_below(closed, &error), MRW_OK); /* it is missing */
    ck_assert_int_eq(mkdir(closed, 0777), 0);
    ck_assert_int_eq(symlink("/etc/passwd", told), 0);
    ck_assert_int_eq(mrwi_base_links_below(closed, &error), MRW_ERROR_INPUT);
    snprintf(told, sizeof told, "%s/link: is a link", closed);
    ck_assert_ptr_nonnull(strstr(error.text, told));

    ck_assert_int_eq(chmod(closed, 0311), 0);
    ck_assert(!root || seteuid(65534) == 0);
    ck_assert_int_eq(mrwi_base_links_below(closed, &error), MRW_ERROR_INPUT);
    ck_assert(!root || seteuid(0) == 0);
    snprintf(told, sizeof told, "%s: cannot be listed", closed);
    ck_assert_ptr_nonnull(strstr(error.text, told));
    ck_assert_int_eq(chmod(closed, 0777), 0);
    test_folder_remove();
}
END_TEST

/* Widths by Unicode Standard Annex #11: ideographs are wide, combining marks take no column. */
START_TEST(columns_of_a_terminal)
{
    ck_assert_int_eq(mrw_text_columns(""), 0);
    ck_assert_int_eq(mrw_text_columns("Walk"), 4);
    ck_assert_int_eq(mrw_text_columns("\xe8\xb5\xb0\xe3\x82\x8b"), 4); /* two wide ones */
    ck_assert_int_eq(mrw_text_columns("e\xcc\x81t\xc3\xa9"), 3);       /* two accents */
    ck_assert_int_eq(mrw_text_columns("a\x1b\x7f"), 3);
    ck_assert_int_eq(mrw_text_columns("\xff\xe8\xb5"), 3); /* not UTF-8 */
}
END_TEST

/* What C leaves undefined is clamped; NaN is 0. */
START_TEST(floats_become_integers_that_fit)
{
    static const struct {
        double x;
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
    } cases[] = {{0.0, 0, 0, 0},
                 {0.999, 0, 0, 0},
                 {-0.999, 0, 0, 0},
                 {7.5, 7, 7, 7},
                 {-7.5, 0, 0, -7},
                 {4294967295.5, UINT32_MAX, 4294967295u, 4294967295},
                 {4294967296.0, UINT32_MAX, 4294967296u, 4294967296},
                 {9007199254740993.0, UINT32_MAX, 9007199254740992u, 9007199254740992},
                 {9223372036854775808.0, UINT32_MAX, 9223372036854775808u, INT64_MAX},
                 {-9223372036854775808.0, 0, 0, INT64_MIN},
                 {18446744073709551616.0, UINT32_MAX, UINT64_MAX, INT64_MAX},
                 {1e300, UINT32_MAX, UINT64_MAX, INT64_MAX},
                 {-1e300, 0, 0, INT64_MIN},
                 {(double)INFINITY, UINT32_MAX, UINT64_MAX, INT64_MAX},
                 {-(double)INFINITY, 0, 0, INT64_MIN},
                 {(double)NAN, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_uint_eq(mrwi_base_to_u32(cases[i].x), cases[i].u32);
        ck_assert_uint_eq(mrwi_base_to_u64(cases[i].x), cases[i].u64);
        ck_assert_int_eq(mrwi_base_to_i64(cases[i].x), cases[i].i64);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("base");
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, memory_is_aligned_and_checked);
    tcase_add_test(memory, floats_become_integers_that_fit);
    tcase_add_test(memory, memory_has_a_limit);
    tcase_add_test(memory, memory_fails_when_told);
    tcase_add_test(memory, arena_reuses_its_high_water_mark);
    tcase_add_test(memory, arena_goes_back_to_a_mark);
    suite_add_tcase(s, memory);
    TCase *text = tcase_create("text");
    tcase_add_test(text, fail_formats_wraps_and_cuts);
    tcase_add_test(text, errors_have_words);
    tcase_add_test(text, threads_get_their_own_words);
    tcase_add_test(text, namespaces_end_at_the_last_colon);
    tcase_add_test(text, escape_disarms_what_a_terminal_obeys);
    tcase_add_test(text, file_names_are_plain);
    tcase_add_test(text, file_names_of_all_scripts);
    tcase_add_test(text, names_in_two_forms);
    tcase_add_test(text, glob_matches_whole_strings);
    tcase_add_test(text, suggestions_name_the_nearest);
    suite_add_tcase(s, text);
    TCase *numbers = tcase_create("numbers");
    tcase_set_timeout(numbers, 60);
    tcase_add_test(numbers, parse_agrees_with_strtod);
    tcase_add_test(numbers, parse_decides_exact_ties);
    tcase_add_test(numbers, parse_stops_where_the_number_ends);
    tcase_add_test(numbers, format_is_shortest_and_reads_back);
    tcase_add_test(numbers, format_looks_as_documented);
    tcase_add_test(numbers, format_fixed_rounds_half_away);
    tcase_add_test(numbers, numbers_ignore_the_locale);
    suite_add_tcase(s, numbers);
    TCase *math = tcase_create("math");
    tcase_set_timeout(math, 60);
    tcase_add_test(math, trigonometry_keeps_its_bounds);
    tcase_add_test(math, arc_functions_keep_their_bounds);
    tcase_add_test(math, exponentials_keep_their_bounds);
    tcase_add_test(math, rounding_clamps_before_it_converts);
    tcase_add_test(math, normalize_survives_extremes);
    tcase_add_test(math, decompose_gives_the_transform_back);
    tcase_add_test(math, decompose_tells_what_it_cannot_hold);
    tcase_add_test(math, products_and_determinants);
    suite_add_tcase(s, math);
    TCase *machine = tcase_create("machine");
    tcase_add_test(machine, sha256_gives_the_published_digests);
    tcase_add_test(machine, parallel_visits_each_index_once);
    tcase_add_test(machine, parallel_does_not_nest);
#if defined(__x86_64__)
    tcase_add_test(machine, fp_environment_is_set_and_restored);
#endif
    tcase_add_test(machine, isa_names_and_choice);
    tcase_add_test(machine, clocks_tell_time_from_work);
    tcase_add_test(machine, compiler_keeps_calls_that_store);
    tcase_add_test(machine, isa_kernels_fall_back);
    tcase_add_test(machine, rates_are_exact);
    tcase_add_test(machine, files_are_read_or_the_reason_told);
    tcase_add_test(machine, folders_are_made);
    tcase_add_test(machine, folders_that_cannot_be_listed_are_refused);
    tcase_add_test(machine, columns_of_a_terminal);
    suite_add_tcase(s, machine);
    return s;
}

TEST_MAIN(suite())
