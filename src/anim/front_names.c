/* front_names.c: reads the names of joints: Bip01 L Foot, mixamorig:LeftToeBase, foot.L,
 * J_Bip_R_Eye.
 */
#include "anim/front_names.h"

#include "base/text.h"

#include <string.h>

#define WORD_SIZE 24

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Counts letters of other scripts as letters. */
static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (c & 0x80) != 0;
}

static const char left_sign[] = "\xe5\xb7\xa6", right_sign[] = "\xe5\x8f\xb3"; /* U+5DE6, U+53F3 */

/* Finds the next word of a name, in lower case and without numbers. A word ends before a character
 * that is not a letter, and before a capital that begins the next word (LeftFoot, LFoot). Long
 * words are cut. Returns false at the end. */
static bool next_word(const char **at, char out[WORD_SIZE])
{
    const char *p = *at;
    size_t length = 0;
    while (*p != '\0' && !is_letter(*p)) {
        p++;
    }
    if (strncmp(p, left_sign, 3) == 0 || strncmp(p, right_sign, 3) == 0) {
        memcpy(out, strncmp(p, left_sign, 3) == 0 ? "l" : "r", 2);
        *at = p + 3;
        return true;
    }
    for (const char *from = p; is_letter(*p); p++) {
        const bool inside = p > from;
        if (inside && is_upper(*p) && (!is_upper(p[-1]) || (p[1] >= 'a' && p[1] <= 'z'))) {
            break;
        }
        if (length + 1 < WORD_SIZE) {
            out[length++] = is_upper(*p) ? (char)(*p - 'A' + 'a') : *p;
        }
    }
    out[length] = '\0';
    *at = p;
    return length > 0;
}

/* Returns the part after the last namespace: "mixamorig:", "Armature|". */
static const char *own_part(const char *name)
{
    const char *colon = strrchr(name, ':'), *bar = strrchr(name, '|');
    name = colon ? colon + 1 : name;
    return bar && bar + 1 > name ? bar + 1 : name;
}

/* Removes left or right from a word: the whole word, its beginning or its end. Returns 0 if there
 * is none. */
static char take_side(char word[WORD_SIZE])
{
    static const char *const sides[] = {"left", "right"};
    const size_t length = strlen(word);
    if (strcmp(word, "l") == 0 || strcmp(word, "r") == 0) {
        const char side = word[0];
        word[0] = '\0';
        return side;
    }
    for (int i = 0; i < 2; i++) {
        const size_t size = strlen(sides[i]);
        if (length >= size && memcmp(word, sides[i], size) == 0) {
            memmove(word, word + size, length - size + 1);
            return sides[i][0];
        }
        if (length > size && strcmp(word + length - size, sides[i]) == 0) {
            word[length - size] = '\0';
            return sides[i][0];
        }
    }
    return 0;
}

static uint32_t part_of(const char *word)
{
    static const struct {
        const char *text;
        uint32_t part;
    } parts[] = {{"head", MRWI_ANIM_HEAD},   {"eye", MRWI_ANIM_FACE},    {"nose", MRWI_ANIM_FACE},
                 {"jaw", MRWI_ANIM_FACE},    {"mouth", MRWI_ANIM_FACE},  {"beak", MRWI_ANIM_FACE},
                 {"snout", MRWI_ANIM_FACE},  {"muzzle", MRWI_ANIM_FACE}, {"toe", MRWI_ANIM_TOE},
                 {"ball", MRWI_ANIM_TOE},    {"foot", MRWI_ANIM_FOOT},   {"ankle", MRWI_ANIM_FOOT},
                 {"pelvis", MRWI_ANIM_HIPS}, {"hips", MRWI_ANIM_HIPS},   {"tail", MRWI_ANIM_TAIL}};
    uint32_t part = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        part |= strstr(word, parts[i].text) ? parts[i].part : 0;
    }
    part |= strcmp(word, "hip") == 0 ? MRWI_ANIM_HIPS : 0;
    return strstr(word, "eyeball") ? MRWI_ANIM_FACE : part;
}

static bool is_control(const char *word)
{
    static const char *const words[] = {"ik",     "ctrl", "control", "pole",
                                        "target", "goal", "effector"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void add_to_key(char key[MRWI_ANIM_FRONT_KEY], const char *word)
{
    const size_t used = strlen(key), length = strlen(word);
    if (length > 0 && used + 1 + length < MRWI_ANIM_FRONT_KEY) {
        memcpy(key + used, ".", 1);
        memcpy(key + used + 1, word, length + 1);
    }
}

/* Reads lfoot and rfoot: only the last word can name a side like this. A name without its partner
 * counts for nothing. */
static void take_letter(mrwi_anim_front_name *name)
{
    for (char *p = name->key + strlen(name->key); p > name->key; p--) {
        if (p[-1] == '.' && (*p == 'l' || *p == 'r') && strcspn(p, ".") >= 4) {
            name->side = *p;
            name->by_letter = true;
            *p = '?';
            return;
        }
    }
}

mrwi_anim_front_name mrwi_anim_front_name_of(const char *text)
{
    mrwi_anim_front_name name = {.side = 0};
    char word[WORD_SIZE];
    bool control = false;
    const char *at = own_part(text);
    while (next_word(&at, word)) {
        const char side = name.side == 0 ? take_side(word) : 0;
        name.side = side != 0 ? side : name.side;
        name.parts |= part_of(word);
        control = control || is_control(word);
        add_to_key(name.key, word);
    }
    if (name.side == 0) {
        take_letter(&name);
    }
    return control ? (mrwi_anim_front_name){.side = 0} : name;
}
