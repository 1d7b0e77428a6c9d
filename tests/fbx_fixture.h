/* fbx_fixture.h: writes FBX files node by node, in text and in both binary layouts. */
#ifndef MRW_TEST_FBX_FIXTURE_H
#define MRW_TEST_FBX_FIXTURE_H

#include "test.h"

#include <stdarg.h>

/* ---- writing nodes --------------------------------------------------------------------------- */

typedef enum layout { TEXT, BINARY, WIDE_BINARY, LAYOUTS } layout;

static uint8_t file[1 << 16];
static size_t file_size;
static layout how;

typedef struct open_node {
    size_t at;
    int properties;
    bool is_open; /* children follow */
} open_node;

static open_node levels[8];
static int depth;

static inline void put(const void *bytes, size_t size)
{
    ck_assert_uint_lt(size, sizeof file - file_size);
    memcpy(file + file_size, bytes, size);
    file_size += size;
}

static inline void print(const char *format, ...)
{
    char line[200];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(line, (size_t)length);
}

static inline void put_little(uint8_t *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void put_number(uint64_t value, int bytes)
{
    uint8_t data[8];
    put_little(data, value, bytes);
    put(data, (size_t)bytes);
}

static inline int offset_bytes(void)
{
    return how == WIDE_BINARY ? 8 : 4;
}

static inline void open_children(void)
{
    open_node *l = &levels[depth - 1];
    int width = offset_bytes();
    if (!l->is_open && how == TEXT) {
        print(" {\n");
    } else if (!l->is_open) {
        uint8_t *p = file + l->at;
        size_t head = 3 * (size_t)width + 1 + p[3 * width];
        put_little(p + width, (uint64_t)l->properties, width);
        put_little(p + 2 * width, file_size - l->at - head, width);
    }
    l->is_open = true;
}

static inline void node(const char *name)
{
    if (depth > 0) {
        open_children();
    }
    levels[depth++] = (open_node){.at = file_size};
    if (how == TEXT) {
        print("%*s%s:", depth, "", name);
    } else {
        for (int i = 0; i < 3; i++) {
            put_number(0, offset_bytes());
        }
        put_number(strlen(name), 1);
        put(name, strlen(name));
    }
}

static inline void end(void)
{
    open_node *l = &levels[depth - 1];
    if (how == TEXT) {
        print(l->is_open ? "}\n" : "\n");
    } else {
        static const uint8_t zeros[25];
        bool has_children = l->is_open;
        open_children();
        put(zeros, has_children ? 3 * (size_t)offset_bytes() + 1 : 0);
        put_little(file + l->at, file_size, offset_bytes());
    }
    depth--;
}

static inline void begin_property(const char *type)
{
    bool first = levels[depth - 1].properties++ == 0;
    if (how == TEXT) {
        print(first ? " " : ",");
    } else {
        put(type, 1);
    }
}

static inline void id(int64_t value)
{
    begin_property("L");
    how == TEXT ? print("%lld", (long long)value) : put_number((uint64_t)value, 8);
}

static inline void integer(int value)
{
    begin_property("I");
    how == TEXT ? print("%d", value) : put_number((uint32_t)value, 4);
}

static inline void number(double value)
{
    begin_property("D");
    how == TEXT ? print("%.17g", value) : put(&value, 8);
}

/* A string; with a class "class::string" in text, string NUL 1 class in binary. */
static inline void string(const char *class, const char *value)
{
    begin_property("S");
    if (how == TEXT) {
        print("\"%s%s%s\"", class, class[0] != '\0' ? "::" : "", value);
    } else {
        put_number(strlen(value) + (class[0] != '\0' ? 2 + strlen(class) : 0), 4);
        put(value, strlen(value));
        put("\0\1", class[0] != '\0' ? 2 : 0);
        put(class, strlen(class));
    }
}

/* Types as in binary: i, l, f, d. */
static inline void array(const char *name, char type, int count, const double *values)
{
    node(name);
    if (how == TEXT) {
        print(" *%d {\n a: ", count);
    } else {
        size_t width = type == 'l' || type == 'd' ? 8 : 4;
        begin_property(&type);
        put_number((uint64_t)count, 4), put_number(0, 4), put_number((uint64_t)count * width, 4);
    }
    for (int i = 0; i < count; i++) {
        float single = (float)values[i];
        if (how == TEXT) {
            print("%s%.17g", i > 0 ? "," : "", values[i]);
        } else if (type == 'i' || type == 'l') {
            put_number((uint64_t)(int64_t)values[i], type == 'i' ? 4 : 8);
        } else {
            put(type == 'f' ? (void *)&single : (void *)&values[i], type == 'f' ? 4 : 8);
        }
    }
    if (how == TEXT) {
        print("\n }");
    }
    end();
}

static inline void named(const char *what, int64_t key, const char *class, const char *name,
                         const char *kind)
{
    node(what);
    id(key);
    string(class, name);
    string("", kind);
    open_children();
}

static inline void property(const char *name, const char *type, double value)
{
    node("P");
    string("", name), string("", type), string("", ""), string("", "A");
    type[0] == 'i' ? integer((int)value) : type[0] == 'K' ? id((int64_t)value) : number(value);
    end();
}

static inline double seconds(double t)
{
    return (double)INT64_C(46186158000) * t;
}

static inline void write_settings(void)
{
    static const char *const axes[] = {"UpAxis",        "UpAxisSign", "FrontAxis",
                                       "FrontAxisSign", "CoordAxis",  "CoordAxisSign"};
    static const double values[] = {1, 1, 2, 1, 0, 1};
    node("GlobalSettings");
    node("Properties70");
    for (int i = 0; i < 6; i++) {
        property(axes[i], "int", values[i]);
    }
    property("UnitScaleFactor", "double", 100);
    property("TimeMode", "int", 6);
    end(), end();
}

static inline void connect(int64_t from, int64_t to, const char *property_name)
{
    node("C");
    string("", property_name ? "OP" : "OO"), id(from), id(to);
    if (property_name) {
        string("", property_name);
    }
    end();
}

static inline void begin_file(void)
{
    file_size = 0;
    depth = 0;
    if (how == TEXT) {
        print("; FBX 7.4.0 project file\n");
    } else {
        put("Kaydara FBX Binary  \0\x1a\0", 23);
        put_number(how == BINARY ? 7400 : 7500, 4);
    }
    node("FBXHeaderExtension");
    node("FBXVersion"), integer(how == WIDE_BINARY ? 7500 : 7400), end();
    end();
    write_settings();
}

static inline void end_file(void)
{
    static const uint8_t zeros[25];
    put(zeros, how == TEXT ? 0 : 3 * (size_t)offset_bytes() + 1);
}

#endif
