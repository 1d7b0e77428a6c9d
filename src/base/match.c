/* match.c: glob patterns, and the nearest names for a name that is not there. */
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* ---- glob ------------------------------------------------------------------------------------ */

/* One character: a UTF-8 sequence, or a single byte where the text is none. */
static size_t next_character(const char *text, uint32_t *code)
{
    size_t length = mrwi_base_utf8_decode(text, code);
    if (length == 0 && *text != '\0') {
        *code = 0x110000u + (unsigned char)*text; /* no valid character has this code */
        return 1;
    }
    return length;
}

/* A character of a class, which a backslash may quote. */
static size_t class_member(const char *pattern, uint32_t *code)
{
    size_t quote = pattern[0] == '\\' && pattern[1] != '\0' ? 1 : 0;
    return quote + next_character(pattern + quote, code);
}

/* Matches the class that begins at pattern, just behind '['. Returns its length including ']', or 0
 * when it has no end: then '[' is an ordinary character. A ']' that comes first is a member. */
static size_t match_class(const char *pattern, uint32_t code, bool *matched)
{
    const char *p = pattern;
    bool negated = *p == '!' || *p == '^';
    p += negated;
    bool found = false;
    for (bool first = true; *p != ']' || first; first = false) {
        uint32_t low = 0, high = 0;
        size_t length = class_member(p, &low);
        if (length == 0) {
            return 0;
        }
        p += length;
        high = low;
        if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
            p += 1 + class_member(p + 1, &high);
        }
        found = found || (code >= low && code <= high);
    }
    *matched = found != negated;
    return (size_t)(p - pattern) + 1;
}

/* Matches one pattern element, which is not '*', against one character. Returns the element's
 * length, 0 when it does not match. */
static size_t match_one(const char *pattern, uint32_t code)
{
    if (*pattern == '?') {
        return 1;
    }
    if (*pattern == '[') {
        bool matched = false;
        size_t length = match_class(pattern + 1, code, &matched);
        if (length != 0) {
            return matched ? length + 1 : 0;
        }
    }
    uint32_t literal = 0;
    size_t length = class_member(pattern, &literal);
    return length != 0 && literal == code ? length : 0;
}

/* Only the last '*' needs to be tried again, so the time is at most |pattern| * |text|. */
bool mrwi_base_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *star_text = NULL;
    while (*text != '\0') {
        uint32_t code = 0;
        size_t step = next_character(text, &code);
        size_t used = *pattern == '*' ? 0 : match_one(pattern, code);
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (used != 0) {
            pattern += used;
            text += step;
        } else if (star) {
            star_text += next_character(star_text, &code);
            text = star_text;
            pattern = star;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

/* ---- the nearest names ----------------------------------------------------------------------- */

#define LONGEST_NAME 64 /* longer names are not compared: nobody mistypes them by hand */
#define NEAREST      3
#define MOST_NAMES   12 /* the most names in a suggestion; further ones are counted */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edit distance without regard to ASCII case, where swapping two neighbours is one edit (optimal
 * string alignment). Both lengths are at most LONGEST_NAME. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1] = {0};
    size_t *before = rows[0], *previous = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        previous[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = smallest(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
        size_t *recycled = before;
        before = previous;
        previous = row;
        row = recycled;
    }
    return previous[b_length];
}

size_t mrwi_base_edit_distance(const char *a, const char *b)
{
    const size_t a_length = strlen(a), b_length = strlen(b);
    return a_length > LONGEST_NAME || b_length > LONGEST_NAME
               ? SIZE_MAX
               : edit_distance(a, a_length, b, b_length);
}

/* The distance when it is at most a third of the longer name (one edit is always allowed between
 * names of two or more letters), SIZE_MAX otherwise. */
static size_t nearness(const char *name, const char *candidate)
{
    size_t a = strlen(name), b = strlen(candidate);
    size_t longer = a > b ? a : b;
    if (longer > LONGEST_NAME) {
        return SIZE_MAX;
    }
    size_t allowed = longer / 3 > 0 ? longer / 3 : (longer >= 2 ? 1 : 0);
    size_t distance = edit_distance(name, a, candidate, b);
    return distance <= allowed ? distance : SIZE_MAX;
}

/* Indices of the nearest candidates, nearest first, ties in the order given; returns how many. */
static size_t find_nearest(const char *name, const char *const *candidates, size_t count,
                           size_t nearest[NEAREST])
{
    size_t distances[NEAREST] = {0}, found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t distance = nearness(name, candidates[i]);
        size_t place = found;
        while (place > 0 && distance < distances[place - 1]) {
            place--;
        }
        if (distance == SIZE_MAX || place == NEAREST) {
            continue;
        }
        found = found < NEAREST ? found + 1 : NEAREST;
        for (size_t j = found - 1; j > place; j--) {
            nearest[j] = nearest[j - 1];
            distances[j] = distances[j - 1];
        }
        nearest[place] = i;
        distances[place] = distance;
    }
    return found;
}

/* ---- names that hold the name ---------------------------------------------------------------- */

/* How a candidate holds the name that was typed, the best first. Between the words and the rest
 * come those that differ by a few letters. */
typedef enum fit {
    FIT_SAME,   /* but for capital letters */
    FIT_PREFIX, /* walk: Walking */
    FIT_WORD,   /* walk: HumanWalk, slow_walk */
    FIT_STEM,   /* walking: Walk */
    FIT_INSIDE, /* alki: Walking */
    FIT_NONE
} fit;

static bool begins_with(const char *text, const char *start)
{
    while (*start != '\0' && lower(*text) == lower(*start)) {
        text++;
        start++;
    }
    return *start == '\0';
}

static bool is_letter(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (unsigned char)c >= 0x80;
}

/* Returns true where a word begins: after a character that is not a letter, and at the capital in
 * "HumanWalk". */
static bool begins_word(const char *text, size_t at)
{
    return at == 0 || !is_letter(text[at - 1]) ||
           (text[at] != lower(text[at]) && text[at - 1] == lower(text[at - 1]));
}

static fit fit_of(const char *name, const char *candidate)
{
    const size_t length = strlen(name), size = strlen(candidate);
    fit best = FIT_NONE;
    if (length >= 3 && begins_with(candidate, name)) {
        return size == length ? FIT_SAME : FIT_PREFIX;
    }
    if (size >= 3 && 2 * size >= length && begins_with(name, candidate)) {
        return FIT_STEM;
    }
    for (size_t i = 1; length >= 3 && i + length <= size; i++) {
        if (begins_with(candidate + i, name)) {
            const fit here = begins_word(candidate, i) ? FIT_WORD : FIT_INSIDE;
            best = here == FIT_WORD || length >= 4 ? (here < best ? here : best) : best;
        }
    }
    return best;
}

typedef struct chosen {
    size_t items[MOST_NAMES];
    size_t count;
    size_t total; /* with those for which there was no room */
} chosen;

static void choose(chosen *out, size_t index)
{
    for (size_t i = 0; i < out->count; i++) {
        if (out->items[i] == index) {
            return;
        }
    }
    if (out->count < MOST_NAMES) {
        out->items[out->count++] = index;
    }
    out->total++;
}

static void choose_fitting(chosen *out, fit which, const char *name, const char *const *candidates,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(name) <= LONGEST_NAME && fit_of(name, candidates[i]) == which) {
            choose(out, i);
        }
    }
}

static void choose_names(chosen *out, const char *name, const char *const *candidates, size_t count)
{
    size_t nearest[NEAREST] = {0};
    for (int which = FIT_SAME; which <= FIT_WORD; which++) {
        choose_fitting(out, (fit)which, name, candidates, count);
    }
    const size_t near = find_nearest(name, candidates, count, nearest);
    for (size_t i = 0; i < near && out->total < NEAREST; i++) {
        choose(out, nearest[i]);
    }
    for (int which = FIT_STEM; which <= FIT_INSIDE && out->total == 0; which++) {
        choose_fitting(out, (fit)which, name, candidates, count);
    }
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Appends as much of text as fits; false when not all did. */
static bool append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out), length = strlen(text);
    if (used + length >= size) {
        return false;
    }
    memcpy(out + used, text, length + 1);
    return true;
}

/* Appends names until one would leave no room for the count of those left out. items: indices of
 * `count` of them, of `total` in all, or NULL: the first ones. */
static void append_all(char *out, size_t size, const char *const *candidates, const size_t *items,
                       size_t count, size_t total)
{
    char piece[4 * LONGEST_NAME], rest[48];
    for (size_t i = 0; i < total; i++) {
        size_t room = size > sizeof rest ? size - sizeof rest : 0;
        if (i < count) {
            mrwi_base_escape(candidates[items ? items[i] : i], piece, sizeof piece);
        }
        if (i == count || strlen(out) + strlen(piece) + 2 >= room) {
            snprintf(rest, sizeof rest, "%s%zu more", i == 0 ? "" : " and ", total - i);
            append(out, size, rest);
            return;
        }
        append(out, size, i == 0 ? "" : ", ");
        append(out, size, piece);
    }
}

void mrwi_base_suggest(char *out, size_t size, const char *name, const char *const *candidates,
                       size_t count, bool list_all)
{
    chosen found = {.count = 0};
    choose_names(&found, name, candidates, count);
    if (found.count > 0) {
        if (append(out, size, "; did you mean ")) {
            append_all(out, size, candidates, found.items, found.count, found.total);
            append(out, size, "?");
        }
    } else if (list_all && count > 0 &&
               append(out, size, count == 1 ? "; there is only " : "; there are ")) {
        append_all(out, size, candidates, NULL, count, count);
    }
}
