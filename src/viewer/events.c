/* events.c: events as lines of a file, and files of events that are played. */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <marrow/codecs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "marrow view 1"

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const types[VIEWER_EVENT_COUNT] = {
    [VIEWER_TICK] = "tick",     [VIEWER_KEY] = "key",         [VIEWER_UP] = "up",
    [VIEWER_PRESS] = "press",   [VIEWER_RELEASE] = "release", [VIEWER_MOVE] = "move",
    [VIEWER_SCROLL] = "scroll", [VIEWER_RESIZE] = "resize",   [VIEWER_DROP] = "drop",
    [VIEWER_PASTE] = "paste",   [VIEWER_CHANGED] = "changed", [VIEWER_EXPECT] = "expect",
    [VIEWER_TEXT] = "text",
};
static const char *const buttons[] = {"left", "right", "middle"};
static const char *const keys[] = {"left",   "right",    "up",     "down",  "home", "end",
                                   "pageup", "pagedown", "escape", "enter", "tab",  "backspace"};

static int find(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

#define COUNT(words) ((int)(sizeof words / sizeof *words))

/* ---- writing --------------------------------------------------------------------------------- */

static void put_key(int key, mrw_text *out)
{
    if (key >= VIEWER_KEY_LEFT && key < VIEWER_KEY_END_OF_LIST) {
        mrw_text_puts(out, keys[key - VIEWER_KEY_LEFT]);
    } else if (key == ' ') {
        mrw_text_puts(out, "space");
    } else {
        mrw_text_add(out, "%c", key);
    }
}

/* Writes text that goes on to the end of the line: newlines become \n, backslashes \\. */
static void put_text(const char *text, mrw_text *out)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\n' || *p == '\\') {
            mrw_text_puts(out, *p == '\n' ? "\\n" : "\\\\");
        } else {
            mrw_text_put(out, p, 1);
        }
    }
}

void viewer_event_write(const viewer_event *event, mrw_text *out)
{
    mrw_text_puts(out, types[event->type]);
    mrw_text_puts(out, event->type == VIEWER_CHANGED ? "" : " ");
    if (event->type == VIEWER_KEY || event->type == VIEWER_PRESS || event->type == VIEWER_RELEASE) {
        mrw_text_puts(out, event->modifiers & VIEWER_CTRL ? "ctrl+" : "");
        mrw_text_puts(out, event->modifiers & VIEWER_SHIFT ? "shift+" : "");
    }
    if (event->type == VIEWER_KEY || event->type == VIEWER_UP) {
        put_key(event->code, out);
    } else if (event->text) {
        put_text(event->text, out);
    } else if (event->type == VIEWER_PRESS || event->type == VIEWER_RELEASE) {
        mrw_text_add(out, "%s ", buttons[event->code]);
    }
    if (event->type == VIEWER_TICK || event->type == VIEWER_SCROLL) {
        mrw_text_double(out, event->type == VIEWER_TICK ? event->x : event->y);
    } else if (event->type == VIEWER_PRESS || event->type == VIEWER_RELEASE ||
               event->type == VIEWER_MOVE || event->type == VIEWER_RESIZE) {
        mrw_text_double(out, event->x);
        mrw_text_puts(out, " ");
        mrw_text_double(out, event->y);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns the word at *at, ends it with a NUL and moves *at behind it. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    *at = word + strcspn(word, " ");
    if (**at != '\0') {
        *(*at)++ = '\0';
    }
    return word;
}

/* Reads a number in plain decimals, in the same way in every locale. */
static bool read_number(const char *word, double *out)
{
    const bool negative = *word == '-';
    const char *p = word + negative;
    double value = 0.0, unit = 1.0;
    bool any = false;
    for (; isdigit((unsigned char)*p); p++, any = true) {
        value = value * 10.0 + (*p - '0');
    }
    if (*p == '.') {
        for (p++; isdigit((unsigned char)*p); p++, any = true) {
            unit *= 10.0;
            value = value * 10.0 + (*p - '0');
        }
    }
    *out = (negative ? -value : value) / unit;
    return any && *p == '\0' && strlen(word) < 16;
}

static char *read_modifiers(char *word, int *modifiers)
{
    for (bool more = true; more;) {
        more = false;
        if (strncmp(word, "ctrl+", 5) == 0) {
            *modifiers |= VIEWER_CTRL;
            word += 5;
            more = true;
        } else if (strncmp(word, "shift+", 6) == 0) {
            *modifiers |= VIEWER_SHIFT;
            word += 6;
            more = true;
        }
    }
    return word;
}

static bool read_key(const char *word, int *code)
{
    const int named = find(word, keys, COUNT(keys));
    *code = named >= 0                   ? VIEWER_KEY_LEFT + named
            : strcmp(word, "space") == 0 ? ' '
                                         : (unsigned char)word[0];
    return named >= 0 || strcmp(word, "space") == 0 ||
           (strlen(word) == 1 && *code > 32 && *code < 127);
}

static void read_text(char *text)
{
    char *to = text;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0') {
            p++;
            *to++ = *p == 'n' ? '\n' : *p;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
}

static bool read_values(char *rest, viewer_event *out)
{
    switch (out->type) {
    case VIEWER_TICK:
        return read_number(next_word(&rest), &out->x) && out->x >= 0.0;
    case VIEWER_SCROLL:
        return read_number(next_word(&rest), &out->y);
    case VIEWER_UP:
        return read_key(next_word(&rest), &out->code);
    case VIEWER_KEY:
        return read_key(read_modifiers(next_word(&rest), &out->modifiers), &out->code);
    case VIEWER_PRESS:
    case VIEWER_RELEASE:
        out->code =
            find(read_modifiers(next_word(&rest), &out->modifiers), buttons, COUNT(buttons));
        return out->code >= 0 && read_number(next_word(&rest), &out->x) &&
               read_number(next_word(&rest), &out->y);
    case VIEWER_MOVE:
    case VIEWER_RESIZE:
        return read_number(next_word(&rest), &out->x) && read_number(next_word(&rest), &out->y);
    case VIEWER_DROP:
    case VIEWER_PASTE:
    case VIEWER_TEXT:
    case VIEWER_EXPECT:
        read_text(rest);
        out->text = rest;
        return rest[0] != '\0';
    case VIEWER_CHANGED:
    case VIEWER_EVENT_COUNT:
        break;
    }
    return true;
}

mrw_status viewer_event_read(char *line, viewer_event *out, mrw_error *error)
{
    char safe[120], *rest = line;
    char shown[120];
    snprintf(shown, sizeof shown, "%.100s", line);
    const int type = find(next_word(&rest), types, VIEWER_EVENT_COUNT);
    *out = (viewer_event){.type = type < 0 ? VIEWER_TICK : (viewer_event_type)type};
    if (type < 0 || !read_values(rest, out)) {
        return mrw_fail(error, MRW_ERROR_INPUT,
                        "'%s' is not an event; expected one of tick MICROSECONDS, key KEY, up "
                        "KEY, press and release BUTTON X Y, move X Y, scroll N, resize W H, "
                        "drop FILE, paste TEXT, text TEXT, changed, expect FILE",
                        mrw_escape_text(shown, safe, sizeof safe));
    }
    return MRW_OK;
}

/* ---- playing --------------------------------------------------------------------------------- */

/* Compares the window's content with the picture `file` beside the file of events `play`. With a
 * folder it writes the content there instead. */
static mrw_status expect(viewer *v, const char *file, const char *play, const char *folder,
                         uint32_t *failed, mrw_error *error)
{
    const mrw_image *shown;
    mrw_image wanted = {0};
    mrw_bytes bytes = {0};
    bool changed;
    char path[PATH_MAX];
    mrw_status status = viewer_draw(v, &shown, &changed, error);
    if (status) {
        return status;
    }
    if (folder) {
        snprintf(path, sizeof path, "%s%s", folder, file);
        status = mrw_make_folder_of(path, "-o", error);
        if (status) {
            return status;
        }
        status = mrw_png_encode(shown, &bytes, error);
        if (status) {
            goto out;
        }
        status = mrw_file_write(path, bytes.data, bytes.size, error);
        goto out;
    }
    const char *slash = strrchr(play, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - play) + 1 : 0, play, file);
    status = mrw_image_read(path, 3, &wanted, error);
    if (status) {
        goto out;
    }
    if (wanted.width != shown->width || wanted.height != shown->height ||
        memcmp(wanted.pixels, shown->pixels, 3 * (size_t)shown->width * shown->height) != 0) {
        (*failed)++;
        if (v->def.say) {
            char line[PATH_MAX + 64], safe[400];
            snprintf(line, sizeof line, "%s: the picture that is shown differs from it",
                     mrw_escape_text(path, safe, sizeof safe));
            v->def.say(v->def.user, line, false);
        }
    }
out:
    mrw_bytes_free(&bytes);
    mrw_image_free(&wanted);
    return status;
}

static mrw_status play_line(viewer *v, char *line, const char *path, const char *folder,
                            uint32_t *failed, mrw_error *error)
{
    viewer_event event;
    const mrw_image *shown;
    bool changed;
    mrw_status status = viewer_event_read(line, &event, error);
    if (status) {
        return status;
    }
    if (event.type == VIEWER_EXPECT) {
        return expect(v, event.text, path, folder, failed, error);
    }
    status = viewer_take(v, &event, error);
    if (status) {
        return status;
    }
    /* a window draws once per tick */
    return event.type == VIEWER_TICK ? viewer_draw(v, &shown, &changed, error) : MRW_OK;
}

mrw_status viewer_play(viewer *v, const char *path, const char *folder, uint32_t *failed,
                       mrw_error *error)
{
    char *line = NULL, safe[300], what[1024];
    size_t capacity = 0;
    mrw_status status = MRW_OK;
    FILE *file = fopen(path, "r");
    *failed = 0;
    mrw_escape_text(path, safe, sizeof safe);
    if (!file) {
        return mrw_fail(error, MRW_ERROR_INPUT, "%s: %s", safe, strerror(errno));
    }
    for (unsigned number = 1; !v->window.done && getline(&line, &capacity, file) >= 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (number == 1 && strcmp(line, FIRST_LINE) != 0) {
            status = mrw_fail(error, MRW_ERROR_INPUT, "its first line is not '" FIRST_LINE "'");
        } else if (number > 1 && line[0] != '\0' && line[0] != '#') {
            status = play_line(v, line, path, folder, failed, error);
        }
        if (status == MRW_ERROR_INPUT) {
            snprintf(what, sizeof what, "%s", error->text);
            mrw_fail(error, status, "%s:%u: %.600s", safe, number, what);
        }
        if (status) {
            break;
        }
    }
    free(line);
    fclose(file);
    return status;
}
