/* test_curves.c: FBX curves as polylines, in the bytes assimp would read. The import helper's files
 * are no part of the library, so they are compiled in here. Answers by hand, or by solving the
 * segment's cubic slowly. */
#include "import/beyond.c"
#include "import/curve.c"
#include "import/edits.c"
#include "import/fbx_arrays.c"
#include "import/fbx_beyond.c"
#include "import/fbx_bytes.c"
#include "import/fbx_curves.c"
#include "import/fbx_instances.c"
#include "import/fbx_nodes.c"
#include "import/fbx_objects.c"
#include "import/fbx_shapes.c"
#include "import/fbx_sliders.c"
#include "test.h"

#include <stdarg.h>

#define SECONDS(t) ((double)MRWI_IMPORT_FBX_SECOND * (t))
#define MAX_ROWS   8

/* One curve: keys in seconds; flags and attributes of runs of keys. */
typedef struct spec {
    int keys, runs;
    double times[MAX_ROWS], values[MAX_ROWS];
    uint32_t flags[MAX_ROWS];
    float attributes[MAX_ROWS][3]; /* or the weights instead of the third, where flags say so */
    int weights[MAX_ROWS][2];      /* in 1/10000 */
    int counts[MAX_ROWS];          /* of keys in a run; 0: one */
    double stop;                   /* LocalStop in seconds; 0: no stack */
} spec;

static uint32_t attribute_bits(const spec *s, int run, int index)
{
    uint32_t bits = 0;
    if (index == 2 && (s->flags[run] & (WEIGHTED_RIGHT | WEIGHTED_NEXT_LEFT))) {
        return (uint32_t)s->weights[run][0] | (uint32_t)s->weights[run][1] << 16;
    }
    if (index < 3) {
        memcpy(&bits, &s->attributes[run][index], sizeof bits);
    }
    return bits;
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint8_t file[1 << 16];
static size_t file_size;

static void print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf((char *)file + file_size, sizeof file - file_size, format, args);
    va_end(args);
    ck_assert_int_lt(n, (int)(sizeof file - file_size));
    file_size += (size_t)n;
}

static void print_integers(const char *name, int count, const int64_t *values)
{
    print("\t\t%s: *%d {\n\t\t\ta: ", name, count);
    for (int i = 0; i < count; i++) {
        print("%s%lld", i > 0 ? "," : "", (long long)values[i]);
    }
    print("\n\t\t}\n");
}

static void write_text(const spec *s)
{
    int64_t numbers[4 * MAX_ROWS];
    file_size = 0;
    print("; FBX 7.7.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7700\n}\nObjects:  {\n");
    if (s->stop > 0.0) {
        print("P: \"LocalStart\", \"KTime\", \"Time\", \"\",0\n"
              "P: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n",
              (long long)SECONDS(s->stop));
    }
    print("\tAnimationCurve: 7, \"AnimCurve::\", \"\" {\n\t\tDefault: 0\n\t\tKeyVer: 4009\n");
    for (int i = 0; i < s->keys; i++) {
        numbers[i] = (int64_t)SECONDS(s->times[i]);
    }
    print_integers("KeyTime", s->keys, numbers);
    print("\t\tKeyValueFloat: *%d {\n\t\t\ta: ", s->keys);
    for (int i = 0; i < s->keys; i++) {
        print("%s%g", i > 0 ? "," : "", s->values[i]);
    }
    print("\n\t\t} \n\t\t;KeyAttrFlags: *1 { a: \"comment\n");
    for (int i = 0; i < s->runs; i++) {
        numbers[i] = (int64_t)s->flags[i];
    }
    print_integers("KeyAttrFlags", s->runs, numbers);
    for (int i = 0; i < 4 * s->runs; i++) {
        numbers[i] = (int32_t)attribute_bits(s, i / 4, i % 4);
    }
    print_integers("KeyAttrDataFloat", 4 * s->runs, numbers);
    for (int i = 0; i < s->runs; i++) {
        numbers[i] = s->counts[i] > 0 ? s->counts[i] : 1;
    }
    print_integers("KeyAttrRefCount", s->runs, numbers);
    print("\t}\n}\n");
}

static int width; /* of offsets in the binary file */

static void put_bytes(const void *bytes, size_t size)
{
    ck_assert_uint_lt(size, sizeof file - file_size);
    memcpy(file + file_size, bytes, size);
    file_size += size;
}

static void put_number(uint64_t value, int bytes)
{
    uint8_t data[8];
    mrwi_import_fbx_put_little(data, value, bytes);
    put_bytes(data, (size_t)bytes);
}

static size_t begin_node(const char *name)
{
    size_t at = file_size;
    put_number(0, width), put_number(0, width), put_number(0, width);
    put_number(strlen(name), 1);
    put_bytes(name, strlen(name));
    return at;
}

static void end_properties(size_t at, uint64_t count)
{
    size_t header = 3 * (size_t)width + 1 + file[at + 3 * (size_t)width];
    mrwi_import_fbx_put_little(file + at + width, count, width);
    mrwi_import_fbx_put_little(file + at + 2 * width, file_size - at - header, width);
}

static void end_node(size_t at, bool has_children)
{
    if (has_children) {
        put_number(0, width), put_number(0, width), put_number(0, width), put_number(0, 1);
    }
    mrwi_import_fbx_put_little(file + at, file_size, width);
}

static void write_array(const char *name, char type, const void *data, size_t count, bool packed)
{
    size_t size = count * (type == 'l' ? 8 : 4), at = begin_node(name);
    uint8_t small[1024];
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    size_t used = packed ? libdeflate_zlib_compress(c, data, size, small, sizeof small) : size;
    libdeflate_free_compressor(c);
    put_bytes(&type, 1);
    put_number(count, 4), put_number(packed, 4), put_number(used, 4);
    put_bytes(packed ? small : data, used);
    end_properties(at, 1);
    end_node(at, false);
}

static void write_binary(const spec *s, uint32_t version, bool packed)
{
    int64_t times[MAX_ROWS];
    float values[MAX_ROWS];
    uint32_t attributes[4 * MAX_ROWS];
    int32_t counts[MAX_ROWS];
    width = version >= 7500 ? 8 : 4;
    file_size = 0;
    put_bytes("Kaydara FBX Binary  \0\x1a\0", 23);
    put_number(version, 4);
    for (int i = 0; i < MAX_ROWS; i++) {
        times[i] = (int64_t)SECONDS(s->times[i]);
        values[i] = (float)s->values[i];
        counts[i] = s->counts[i] > 0 ? s->counts[i] : 1;
    }
    for (int i = 0; i < 4 * s->runs; i++) {
        attributes[i] = attribute_bits(s, i / 4, i % 4);
    }
    size_t objects = begin_node("Objects"), curve_node = begin_node("AnimationCurve");
    put_bytes("L\7\0\0\0\0\0\0\0", 9);
    end_properties(curve_node, 1);
    write_array("KeyTime", 'l', times, (size_t)s->keys, packed);
    write_array("KeyValueFloat", 'f', values, (size_t)s->keys, packed);
    write_array("KeyAttrFlags", 'i', s->flags, (size_t)s->runs, packed);
    write_array("KeyAttrDataFloat", 'f', attributes, 4 * (size_t)s->runs, packed);
    write_array("KeyAttrRefCount", 'i', counts, (size_t)s->runs, packed);
    end_node(curve_node, true);
    end_node(objects, true);
    size_t behind = begin_node("Connections");
    end_node(behind, true);
    end_node(begin_node("Takes"), true);
    put_number(0, width), put_number(0, width), put_number(0, width), put_number(0, 1);
}

/* ---- reading what came out ------------------------------------------------------------------- */

static double xs[4096], ys[4096];
static size_t points;

static void read_back(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "Kaydara";
    mrwi_import_fbx fbx = {.bytes = bytes, .size = size, .version = 7700};
    mrwi_import_fbx_body body = {.from = 0, .to = size};
    mrwi_import_fbx_node objects = {.at = 0};
    fbx.binary = memcmp(bytes, magic, sizeof magic - 1) == 0;
    if (fbx.binary) {
        fbx.version = (uint32_t)mrwi_import_fbx_little(bytes + 23, 4);
        ck_assert(mrwi_import_fbx_read_node(&fbx, 27, size, &objects));
        ck_assert(mrwi_import_fbx_find_child(&fbx, &objects, "AnimationCurve", &body.node));
        mrwi_import_fbx_node next;
        ck_assert(mrwi_import_fbx_read_node(&fbx, objects.end, size, &next));
        ck_assert(mrwi_import_fbx_is_named(&fbx, &next, "Connections"));
        ck_assert(mrwi_import_fbx_read_node(&fbx, next.end, size, &next));
        ck_assert(mrwi_import_fbx_is_named(&fbx, &next, "Takes"));
    }
    mrwi_import_fbx_array times, values;
    ck_assert(mrwi_import_fbx_read_array(&fbx, &body, "KeyTime", MRWI_IMPORT_FBX_NUMBERS, &times));
    ck_assert(
        mrwi_import_fbx_read_array(&fbx, &body, "KeyValueFloat", MRWI_IMPORT_FBX_NUMBERS, &values));
    ck_assert_uint_eq(times.count, values.count);
    ck_assert_uint_le(times.count, 4096);
    points = times.count;
    for (size_t i = 0; i < points; i++) {
        xs[i] = times.numbers[i] / (double)MRWI_IMPORT_FBX_SECOND;
        ys[i] = values.numbers[i];
        ck_assert(i == 0 || times.numbers[i] > times.numbers[i - 1]);
    }
    mrwi_base_free(times.numbers);
    mrwi_base_free(values.numbers);
}

/* As assimp joins keys. */
static double at(double t)
{
    size_t i = 1;
    while (i + 1 < points && xs[i] < t) {
        i++;
    }
    return ys[i - 1] + (ys[i] - ys[i - 1]) * (t - xs[i - 1]) / (xs[i] - xs[i - 1]);
}

static bool mend_bytes(const uint8_t *bytes, size_t size, bool curves, uint8_t **out,
                       size_t *out_size)
{
    mrwi_import_fbx_sliders sliders;
    mrwi_import_beyond beyond;
    uint32_t unpainted;
    bool good =
        mrwi_import_fbx_mend(bytes, size, curves, &sliders, &beyond, &unpainted, out, out_size);
    mrwi_import_fbx_sliders_free(&sliders);
    mrwi_import_beyond_free(&beyond);
    return good;
}

/* Mends the file; false when it stays as it is. */
static bool mend(void)
{
    uint8_t *out;
    size_t size;
    uint8_t *exact = malloc(file_size); /* so that a sanitizer sees its end */
    memcpy(exact, file, file_size);
    ck_assert(mend_bytes(exact, file_size, true, &out, &size));
    bool changed = out;
    if (changed) {
        read_back(out, size);
    }
    mrwi_base_free(out);
    free(exact);
    return changed;
}

static void mend_spec(const spec *s)
{
    write_text(s);
    ck_assert(mend());
}

#define ck_at(t, expected)                                                                         \
    ck_assert_msg(fabs(at(t) - (expected)) < 3e-4, "at %g: %.6f, not %.6f", (double)(t), at(t),    \
                  (double)(expected))

/* ---- segments -------------------------------------------------------------------------------- */

START_TEST(hermite_with_user_tangents)
{
    /* slopes 2 and -1: at 1/2 1/2 + (2 + 1)/8, at 1/4 5/32 + 9/64 * 2 + 3/64 */
    spec s = {.keys = 2,
              .runs = 2,
              .times = {0, 1},
              .values = {0, 1},
              .flags = {CUBIC | TANGENT_USER, CUBIC | TANGENT_USER},
              .attributes = {{2, -1}}};
    mend_spec(&s);
    ck_at(0.0, 0.0);
    ck_at(0.5, 0.875);
    ck_at(0.25, 0.484375);
    ck_at(1.0, 1.0);
    /* slopes are per second: over two seconds they weigh twice */
    s.times[1] = 2.0;
    mend_spec(&s);
    ck_at(1.0, 0.5 + 2.0 * 3.0 / 8.0);
}
END_TEST

START_TEST(constants_jump_at_a_key)
{
    spec s = {.keys = 4,
              .runs = 4,
              .times = {0, 1, 2, 3},
              .values = {1, 5, 2, 9},
              .flags = {CONSTANT, CONSTANT | CONSTANT_NEXT, 4, 4}};
    mend_spec(&s);
    ck_assert_uint_eq(points, 6);
    ck_at(0.999999, 1.0);
    ck_at(1.0, 5.0);
    ck_at(1.000001, 2.0);
    ck_at(2.0, 2.0);
    ck_at(2.5, 5.5); /* linear */
}
END_TEST

START_TEST(straight_curves_stay_as_they_are)
{
    spec s = {
        .keys = 3, .runs = 1, .times = {0, 1, 2}, .values = {0, 1, 0}, .flags = {4}, .counts = {3}};
    write_text(&s);
    ck_assert(!mend());
    /* cubic, but as straight as can be; and constant without a jump */
    spec flat = {.keys = 3,
                 .runs = 3,
                 .times = {0, 1, 2},
                 .values = {0, 1, 1},
                 .flags = {CUBIC | TANGENT_USER, CONSTANT, 4},
                 .attributes = {{1, 1}}};
    write_text(&flat);
    ck_assert(!mend());
    /* not asked for */
    spec curved = {.keys = 2,
                   .runs = 2,
                   .times = {0, 1},
                   .values = {0, 1},
                   .flags = {CUBIC | TANGENT_USER, 4},
                   .attributes = {{2, -1}}};
    write_text(&curved);
    uint8_t *out;
    size_t size;
    ck_assert(mend_bytes(file, file_size, false, &out, &size));
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(tcb_tangents)
{
    /* slopes between keys 1 and -1; the end's own slope counts twice: 1 */
    const uint32_t f = CUBIC | TANGENT_TCB;
    spec s = {.keys = 3,
              .runs = 3,
              .times = {0, 1, 2},
              .values = {0, 1, 0},
              .flags = {f, f, f},
              .attributes = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    mend_spec(&s); /* Catmull-Rom: 0 in the middle */
    ck_at(0.5, 0.5 + (1.0 - 0.0) / 8.0);
    ck_at(1.5, 0.5 + (0.0 + 1.0) / 8.0);
    s.attributes[1][1] = 1.0f; /* continuity: left and right change places */
    mend_spec(&s);
    ck_at(0.5, 0.5 + (1.0 + 1.0) / 8.0);
    ck_at(1.5, 0.5 + (1.0 + 1.0) / 8.0);
    s.attributes[1][1] = 0.0f;
    s.attributes[1][2] = 1.0f; /* bias: the left one counts alone */
    mend_spec(&s);
    ck_at(0.5, 0.5);
    ck_at(1.5, 0.5 + (1.0 + 1.0) / 8.0);
    for (int i = 0; i < 3; i++) { /* tension: slopes 0; 5/32 at a quarter */
        s.attributes[i][0] = 1.0f, s.attributes[i][2] = 0.0f;
    }
    mend_spec(&s);
    ck_at(0.25, 0.15625);
}
END_TEST

/* The value at t of the segment 0,y0 - 1,y3 with the given slopes and weights. */
static double solve(double t, double y0, double y3, double right, double left, double wr, double wl)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200; i++) {
        double u = 0.5 * (low + high), v = 1.0 - u;
        double x = 3 * u * v * v * wr + 3 * u * u * v * (1 - wl) + u * u * u;
        low = x < t ? u : low;
        high = x < t ? high : u;
    }
    double u = low, v = 1.0 - u;
    return v * v * v * y0 + 3 * u * v * v * (y0 + wr * right) + 3 * u * u * v * (y3 - wl * left) +
           u * u * u * y3;
}

START_TEST(weighted_tangents)
{
    static const int weights[][2] = {{2000, 7000}, {9900, 9900}, {1, 5000}, {6000, 100}};
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        spec s = {.keys = 2,
                  .runs = 2,
                  .times = {0, 1},
                  .values = {0, 1},
                  .flags = {CUBIC | TANGENT_USER | WEIGHTED_RIGHT | WEIGHTED_NEXT_LEFT, 4},
                  .attributes = {{1.5f, -0.5f}},
                  .weights = {{weights[k][0], weights[k][1]}}};
        mend_spec(&s);
        for (int i = 0; i <= 50; i++) {
            double t = i / 50.0;
            ck_at(t, solve(t, 0, 1, 1.5, -0.5, weights[k][0] / 1e4, weights[k][1] / 1e4));
        }
    }
}
END_TEST

/* Half way of the first of the segments 0-1 and 1-4, from 0 to 3 to 4, with a middle slope. */
static void check_auto(uint32_t flags, double middle)
{
    /* the first key's slope is given */
    spec s = {.keys = 3,
              .runs = 3,
              .times = {0, 1, 4},
              .values = {0, 3, 4},
              .flags = {CUBIC | TANGENT_USER, CUBIC | flags, 4}};
    mend_spec(&s);
    ck_at(0.5, 1.5 - middle / 8.0);
}

START_TEST(automatic_tangents)
{
    check_auto(TIME_INDEPENDENT, 1.0); /* (4 - 0) / 4 */
    /* half of that, half the slopes 3 and 1/3, weighed 3/4 and 1/4 */
    check_auto(0, 0.5 + 0.5 * (3 * 0.75 + 0.25 / 3));
    check_auto(CLAMP, 0.5 + 0.5 * (3 * 0.75 + 0.25 / 3));
    check_auto(TIME_INDEPENDENT | CLAMP_PROGRESSIVE, 1.0); /* the limit: 1/3 over a third: 1 */
    check_auto(CLAMP_PROGRESSIVE, 1.0);
    /* a peak is flat */
    spec s = {.keys = 3,
              .runs = 3,
              .times = {0, 1, 2},
              .values = {0, 3, 2},
              .flags = {CUBIC | TANGENT_USER, CUBIC | TIME_INDEPENDENT, 4}};
    mend_spec(&s);
    ck_at(0.5, 1.5 - 1.0 / 8.0);
    s.flags[1] |= CLAMP_PROGRESSIVE;
    mend_spec(&s);
    ck_at(0.5, 1.5);
    s.flags[1] = CUBIC | TIME_INDEPENDENT | CLAMP;
    s.values[2] = 3.0; /* and so is a key as high as its neighbour */
    mend_spec(&s);
    ck_at(0.5, 1.5);
}
END_TEST

START_TEST(runs_of_keys_share_attributes)
{
    /* two segments of slopes 2 and -1 */
    spec s = {.keys = 3,
              .runs = 1,
              .times = {0, 1, 2},
              .values = {0, 1, 2},
              .flags = {CUBIC | TANGENT_USER},
              .attributes = {{2, -1}},
              .counts = {3}};
    mend_spec(&s);
    ck_at(0.5, 0.875);
    ck_at(1.5, 1.875);
}
END_TEST

START_TEST(clips_end_between_keys)
{
    spec s = {.keys = 2,
              .runs = 2,
              .times = {0, 2},
              .values = {0, 1},
              .flags = {CUBIC | TANGENT_USER, 4},
              .attributes = {{0, 0}}};
    s.stop = 1.1;
    mend_spec(&s);
    bool found = false;
    for (size_t i = 0; i < points; i++) {
        found = found || fabs(xs[i] - 1.1) < 1e-10;
    }
    ck_assert(found);
    ck_at(1.1, 3 * 0.55 * 0.55 - 2 * 0.55 * 0.55 * 0.55);
}
END_TEST

START_TEST(binary_files)
{
    spec s = {.keys = 3,
              .runs = 2,
              .times = {0, 1, 2},
              .values = {0, 1, 4},
              .flags = {CUBIC | TANGENT_USER, CONSTANT},
              .attributes = {{2, -1}},
              .counts = {1, 2}};
    mend_spec(&s);
    size_t expected = points;
    for (int i = 0; i < 4; i++) {
        write_binary(&s, i < 2 ? 7400 : 7500, i % 2);
        ck_assert(mend());
        ck_assert_uint_eq(points, expected);
        ck_at(0.5, 0.875);
        ck_at(1.5, 1.0);
        ck_at(2.0, 4.0);
    }
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

/* Text may name integers that 32 bits can't hold: their low bits count, on every machine. */
START_TEST(attributes_have_32_bits)
{
    static const char text[] = "\nKeyAttrFlags: *4 {\na: 24836,-1,10737418264,-10737418264\n}\n";
    const double expected[] = {24836.0, 4294967295.0, 2147483672.0, 2147483624.0};
    const mrwi_import_fbx fbx = {
        .bytes = (const uint8_t *)text, .size = sizeof text - 1, .version = 7700};
    const mrwi_import_fbx_body body = {.from = 0, .to = sizeof text - 1};
    mrwi_import_fbx_array flags;
    ck_assert(
        mrwi_import_fbx_read_array(&fbx, &body, "KeyAttrFlags", MRWI_IMPORT_FBX_BITS, &flags));
    ck_assert_uint_eq(flags.count, 4);
    for (size_t i = 0; i < flags.count; i++) {
        ck_assert_double_eq(flags.numbers[i], expected[i]);
    }
    mrwi_base_free(flags.numbers);
}
END_TEST

START_TEST(damaged_curves_stay_as_they_are)
{
    const spec good = {.keys = 3,
                       .runs = 2,
                       .times = {0, 1, 2},
                       .values = {0, 1, 4},
                       .flags = {CUBIC | TANGENT_USER, 4},
                       .attributes = {{2, -1}},
                       .counts = {1, 2}};
    spec bad[3] = {good, good, good}; /* the last one is sound */
    bad[0].times[2] = 1.0;            /* not ascending */
    bad[1].counts[1] = 1;             /* a key without attributes */
    for (int i = 0; i < 3; i++) {
        write_text(&bad[i]);
        ck_assert_int_eq(mend(), i == 2);
        write_binary(&bad[i], 7400, i % 2);
        ck_assert_int_eq(mend(), i == 2);
    }
    /* a slope that is no number counts as none */
    spec odd = good;
    odd.attributes[0][0] = NAN, odd.attributes[0][1] = INFINITY;
    mend_spec(&odd);
    ck_at(0.25, 0.15625);
}
END_TEST

/* Every prefix, and every byte set to another value: nothing is read outside. */
/* Two names that claim one time: it is moved once, by a millisecond of 46186158 ticks. */
START_TEST(a_stop_named_twice_moves_once)
{
    static const char twice[] =
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n"
        " FBXVersion: 7400\n}\nObjects:  {\n"
        " P: \"LocalStopLocalStop\", \"KTime\", \"Time\", \"\",46186158000\n}\n";
    uint8_t *out = NULL;
    size_t size = 0;
    ck_assert(mend_bytes((const uint8_t *)twice, sizeof twice - 1, false, &out, &size));
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(size, sizeof twice - 1);
    ck_assert_ptr_nonnull(memmem(out, size, "\"\",46232344158\n", 15));
    mrwi_base_free(out);
}
END_TEST

START_TEST(no_byte_leads_outside)
{
    spec s = {.keys = 2,
              .runs = 2,
              .times = {0, 1},
              .values = {0, 1},
              .flags = {CUBIC | TANGENT_USER, 4},
              .attributes = {{2, -1}}};
    uint8_t *out;
    size_t size;
    for (int round = 0; round < 3; round++) {
        if (round == 0) {
            write_text(&s);
        } else {
            write_binary(&s, round == 1 ? 7400 : 7500, round == 2);
        }
        for (size_t i = 0; i < 2 * file_size; i++) {
            size_t length = i < file_size ? i : file_size;
            uint8_t *exact = malloc(length + 1);
            memcpy(exact, file, length);
            if (i >= file_size) {
                exact[i - file_size] ^= (uint8_t)(1 + 37 * i);
            }
            ck_assert(mend_bytes(exact, length, true, &out, &size));
            mrwi_base_free(out);
            free(exact);
        }
    }
}
END_TEST

/* ---- beyond the keys ------------------------------------------------------------------------- */

static void put_string(const char *text, size_t size)
{
    put_bytes("S", 1);
    put_number(size, 4);
    put_bytes(text, size);
}

static void put_side(const char *name, char type, int32_t cycles)
{
    const size_t side = begin_node(name);
    end_properties(side, 0);
    const size_t kind = begin_node("Type");
    put_bytes("C", 1), put_bytes(&type, 1);
    end_properties(kind, 1), end_node(kind, false);
    const size_t repetition = begin_node("Repetition");
    put_bytes("I", 1), put_number((uint32_t)cycles, 4);
    end_properties(repetition, 1), end_node(repetition, false);
    end_node(side, true);
}

static void put_object(const char *type, uint64_t id, const char *name, size_t size)
{
    const size_t at = begin_node(type);
    put_bytes("L", 1), put_number(id, 8);
    put_string(name, size);
    put_string("", 0);
    end_properties(at, 3);
    if (id == 1) {
        const int64_t times[2] = {0, MRWI_IMPORT_FBX_SECOND};
        const float values[2] = {1.0f, 2.0f};
        write_array("KeyTime", 'l', times, 2, false);
        write_array("KeyValueFloat", 'f', values, 2, false);
        put_side("Pre-Extrapolation", 'M', 3);
        put_side("Post-Extrapolation", 'K', -1);
    }
    end_node(at, id == 1);
}

static void put_link(const char *kind, uint64_t from, uint64_t to, const char *property)
{
    const size_t at = begin_node("C");
    put_string(kind, 2);
    put_bytes("L", 1), put_number(from, 8);
    put_bytes("L", 1), put_number(to, 8);
    if (property) {
        put_string(property, strlen(property));
    }
    end_properties(at, property ? 4 : 3);
    end_node(at, false);
}

static void write_beyond(uint32_t version)
{
    width = version >= 7500 ? 8 : 4;
    file_size = 0;
    put_bytes("Kaydara FBX Binary  \0\x1a\0", 23);
    put_number(version, 4);
    const size_t objects = begin_node("Objects");
    put_object("AnimationCurve", 1, "\0\1AnimCurve", 11);
    put_object("AnimationCurveNode", 2, "R\0\1AnimCurveNode", 16);
    put_object("AnimationLayer", 3, "Base\0\1AnimLayer", 15);
    put_object("AnimationStack", 4, "Spin\0\1AnimStack", 15);
    put_object("Model", 5, "Wheel\0\1Model", 12);
    put_object("Model", 6, "Wheel\0\1Model", 12);
    end_node(objects, true);
    const size_t links = begin_node("Connections");
    put_link("OP", 1, 2, "d|Z");
    put_link("OO", 2, 3, NULL);
    put_link("OO", 3, 4, NULL);
    put_link("OP", 2, 6, "Lcl Rotation");
    end_node(links, true);
    put_number(0, width), put_number(0, width), put_number(0, width), put_number(0, 1);
}

static size_t beyond_of(const uint8_t *bytes, size_t size, mrwi_import_beyond *out)
{
    mrwi_import_fbx_sliders sliders;
    uint8_t *mended;
    size_t mended_size;
    uint32_t unpainted;
    ck_assert(
        mrwi_import_fbx_mend(bytes, size, false, &sliders, out, &unpainted, &mended, &mended_size));
    mrwi_import_fbx_sliders_free(&sliders);
    mrwi_base_free(mended);
    return out->count;
}

START_TEST(binary_curves_go_on)
{
    mrwi_import_beyond beyond;
    write_beyond(_i == 0 ? 7400 : 7700);
    ck_assert_uint_eq(beyond_of(file, file_size, &beyond), 1);
    const mrwi_import_beyond_entry *e = &beyond.list[0];
    ck_assert_str_eq(e->clip, "Spin");
    ck_assert_str_eq(e->node, "Wheel\0371"); /* the second of the name */
    ck_assert_uint_eq(e->paths, 1u << MRW_PATH_ROTATION);
    ck_assert_uint_eq(e->ends.before, MRW_EXTRAPOLATION_MIRROR);
    ck_assert_uint_eq(e->ends.before_cycles, 3);
    ck_assert_uint_eq(e->ends.after, MRW_EXTRAPOLATION_SLOPE);
    ck_assert_uint_eq(e->ends.after_cycles, 0);
    ck_assert_double_eq_tol(e->seconds, 1.0, 1e-12);
    ck_assert_ptr_eq(
        mrwi_import_beyond_find(&beyond, "Spin", "Wheel\0371_tail", 7, MRW_PATH_ROTATION), e);
    ck_assert_ptr_null(mrwi_import_beyond_find(&beyond, "Spin", "Wheel", 5, MRW_PATH_ROTATION));
    ck_assert_ptr_null(
        mrwi_import_beyond_find(&beyond, "Other", "Wheel\0371", 7, MRW_PATH_ROTATION));
    ck_assert_ptr_null(mrwi_import_beyond_find(&beyond, "Spin", "Wheel\0371", 7, MRW_PATH_SCALE));
    mrwi_import_beyond_free(&beyond);
    /* every prefix, and every byte set to others: neither a crash nor an entry that makes no sense
     */
    for (size_t at = 0; at < 3 * file_size; at++) {
        const size_t size = at < file_size ? at : file_size;
        uint8_t *exact = malloc(size + 1);
        memcpy(exact, file, size);
        if (at >= file_size) {
            exact[at % file_size] ^= at < 2 * file_size ? 0xff : 1;
        }
        beyond_of(exact, size, &beyond);
        for (size_t i = 0; i < beyond.count; i++) {
            ck_assert_uint_le(beyond.list[i].ends.before, MRW_EXTRAPOLATION_REPEAT_RELATIVE);
            ck_assert_uint_le(beyond.list[i].ends.after, MRW_EXTRAPOLATION_REPEAT_RELATIVE);
        }
        mrwi_import_beyond_free(&beyond);
        free(exact);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("curves");
    TCase *segments = tcase_create("segments");
    tcase_add_test(segments, hermite_with_user_tangents);
    tcase_add_test(segments, constants_jump_at_a_key);
    tcase_add_test(segments, straight_curves_stay_as_they_are);
    tcase_add_test(segments, tcb_tangents);
    tcase_add_test(segments, weighted_tangents);
    tcase_add_test(segments, automatic_tangents);
    tcase_add_test(segments, runs_of_keys_share_attributes);
    tcase_add_test(segments, clips_end_between_keys);
    tcase_add_test(segments, binary_files);
    suite_add_tcase(s, segments);
    TCase *damage = tcase_create("damage");
    tcase_add_test(damage, attributes_have_32_bits);
    tcase_add_test(damage, damaged_curves_stay_as_they_are);
    tcase_add_test(damage, a_stop_named_twice_moves_once);
    tcase_add_test(damage, no_byte_leads_outside);
    tcase_add_loop_test(damage, binary_curves_go_on, 0, 2);
    suite_add_tcase(s, damage);
    return s;
}

TEST_MAIN(suite())
