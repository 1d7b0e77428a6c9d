/* mutator.c: libFuzzer's mutator, which keeps glTF files readable: it changes one value of the
 * JSON, or bytes of what follows it in a .glb, and writes the file again. Inputs of the other
 * targets are changed byte by byte. */
#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 4096
#define GLB_HEAD    20 /* the file's header and that of the JSON */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

typedef struct random_state {
    uint64_t state;
} random_state;

/* Returns a number below count, by Knuth's MMIX generator. */
static uint32_t below(random_state *r, uint32_t count)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % count);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The values of a document and the object or array that each is in. */
typedef struct values {
    cJSON *items[MOST_VALUES], *parents[MOST_VALUES];
    uint32_t count;
} values;

static void collect(cJSON *value, cJSON *parent, values *all)
{
    if (all->count == MOST_VALUES) {
        return;
    }
    all->items[all->count] = value;
    all->parents[all->count++] = parent;
    for (cJSON *child = value->child; child; child = child->next) {
        collect(child, value, all);
    }
}

static double odd_number(random_state *r, double old)
{
    static const double numbers[] = {
        0,     1,     2,          3,           4,           5,    6,     -1,
        0.5,   5120,  5121,       5123,        5125,        5126, 255,   256,
        65535, 65536, 2147483647, 2147483648., 4294967295., 1e15, 1e-38, 1e38,
        1e39,  1e308, -1e308,     1e-320,      100,         1000, 90000, 9007199254740993.};
    switch (below(r, 6)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return -old;
    case 3:
        return old * 16;
    default:
        return numbers[below(r, sizeof numbers / sizeof *numbers)];
    }
}

static const char *const words[] = {"SCALAR",
                                    "VEC2",
                                    "VEC3",
                                    "VEC4",
                                    "MAT4",
                                    "MASK",
                                    "BLEND",
                                    "OPAQUE",
                                    "STEP",
                                    "LINEAR",
                                    "CUBICSPLINE",
                                    "weights",
                                    "translation",
                                    "rotation",
                                    "scale",
                                    "pointer",
                                    "",
                                    "a",
                                    "/materials/0/emissiveFactor",
                                    "KHR_texture_transform"};

static void replace(cJSON *parent, cJSON *old, cJSON *with)
{
    if (with && !cJSON_ReplaceItemViaPointer(parent, old, with)) {
        cJSON_Delete(with);
    }
}

/* Adds a copy of a value to a container. */
static void add_copy(random_state *r, cJSON *parent, const cJSON *value, const values *all)
{
    cJSON *copy = cJSON_Duplicate(value, true);
    if (copy && cJSON_IsArray(parent)) {
        cJSON_AddItemToArray(parent, copy);
    } else if (copy) {
        const cJSON *named = all->items[below(r, all->count)];
        const char *key = named->string ? named->string : "extras";
        char text[100];
        strncpy(text, key, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        cJSON_AddItemToObject(parent, text, copy);
    }
}

static void change(random_state *r, values *all)
{
    const uint32_t i = below(r, all->count);
    cJSON *value = all->items[i], *parent = all->parents[i];
    if (cJSON_IsNumber(value) && below(r, 4) != 0) {
        cJSON_SetNumberValue(value, odd_number(r, value->valuedouble));
    } else if (cJSON_IsString(value) && below(r, 4) != 0 && parent) {
        replace(parent, value, cJSON_CreateString(words[below(r, sizeof words / sizeof *words)]));
    } else if (cJSON_IsBool(value)) {
        value->type ^= cJSON_True ^ cJSON_False;
    } else if (parent) {
        const cJSON *other = all->items[below(r, all->count)];
        switch (below(r, 4)) {
        case 0:
            cJSON_Delete(cJSON_DetachItemViaPointer(parent, value));
            break;
        case 1:
            replace(parent, value, cJSON_Duplicate(other, true));
            break;
        case 2:
            add_copy(r, parent, value, all);
            break;
        default:
            add_copy(r, parent, other, all);
        }
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void put_u32(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static size_t get_u32(const uint8_t *from)
{
    return from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
}

/* Writes the text, and around it what makes it a .glb. Returns the size, or 0 without room. */
static size_t put_file(const char *text, bool glb, const uint8_t *tail, size_t tail_size,
                       uint8_t *data, size_t max_size)
{
    const size_t length = strlen(text), padded = glb ? (length + 3) / 4 * 4 : length;
    const size_t head = glb ? GLB_HEAD : 0, size = head + padded + tail_size;
    if (size > max_size) {
        return 0;
    }
    memcpy(data + head + padded, tail, tail_size);
    memcpy(data + head, text, length);
    memset(data + head + length, ' ', padded - length);
    if (glb) {
        memcpy(data, "glTF\2\0\0\0", 8);
        put_u32(data + 8, size);
        put_u32(data + 12, padded);
        memcpy(data + 16, "JSON", 4);
    }
    return size;
}

/* Changes a glTF file. Returns 0 if it is none. */
static size_t mutate_gltf(uint8_t *data, size_t size, size_t max_size, random_state *r)
{
    static values all;
    const bool glb = size > GLB_HEAD && memcmp(data, "glTF", 4) == 0;
    const size_t head = glb ? GLB_HEAD : 0, most = size - head;
    const size_t length = glb && get_u32(data + 12) < most ? get_u32(data + 12) : most;
    const size_t tail_size = size - head - length;
    if (tail_size > 8 && below(r, 4) == 0) {
        LLVMFuzzerMutate(data + head + length + 8, tail_size - 8, tail_size - 8);
        return size;
    }
    cJSON *root = cJSON_ParseWithLength((const char *)data + head, length);
    uint8_t *tail = root ? malloc(tail_size + 1) : NULL;
    size_t written = 0;
    if (tail) {
        memcpy(tail, data + head + length, tail_size);
        for (uint32_t changes = 1 + below(r, 3); changes > 0; changes--) {
            all.count = 0;
            collect(root, NULL, &all);
            change(r, &all);
        }
        char *text = cJSON_PrintUnformatted(root);
        written = text ? put_file(text, glb, tail, tail_size, data, max_size) : 0;
        cJSON_free(text);
    }
    free(tail);
    cJSON_Delete(root);
    return written;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const char *target = getenv("MARROW_FUZZ");
    const bool scene = target && (strcmp(target, "gltf") == 0 || strcmp(target, "draw") == 0);
    random_state r = {seed};
    const size_t written =
        scene && size > 0 && below(&r, 20) != 0 ? mutate_gltf(data, size, max_size, &r) : 0;
    return written > 0 ? written : LLVMFuzzerMutate(data, size, max_size);
}
