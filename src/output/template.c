/* template.c: names of output files from templates. */
#include "base/text.h"
#include "marrow/output.h"

#include <stdio.h>
#include <string.h>

/* One piece of a template: a field, or `length` plain characters at text. */
typedef struct piece {
    uint32_t field; /* 0: plain text */
    int width;      /* digits of a frame number, decimals of a time; -1: the default */
    const char *text;
    size_t length; /* characters of the template that it takes */
} piece;

typedef struct field_name {
    const char *name;
    mrw_template_field field;
} field_name;

static const field_name field_names[] = {{"model", MRW_FIELD_MODEL}, {"clip", MRW_FIELD_CLIP},
                                         {"frame", MRW_FIELD_FRAME}, {"time", MRW_FIELD_TIME},
                                         {"view", MRW_FIELD_VIEW},   {"aov", MRW_FIELD_AOV},
                                         {"dir", MRW_FIELD_DIR},     {"n", MRW_FIELD_N},
                                         {"page", MRW_FIELD_PAGE},   {"path", MRW_FIELD_PATH}};

/* Fields that are numbers, with a width. */
#define NUMBERS (MRW_FIELD_FRAME | MRW_FIELD_TIME | MRW_FIELD_N)

#define FIELDS (sizeof field_names / sizeof *field_names)

static mrw_status unknown_field(const char *text, size_t length, mrw_error *error)
{
    const char *names[FIELDS];
    char name[64], shown[96], hint[256] = "";
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    for (size_t i = 0; i < FIELDS; i++) {
        names[i] = field_names[i].name;
    }
    mrwi_base_suggest(hint, sizeof hint, name, names, FIELDS, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "unknown field {%s} in -o%s",
                          mrwi_base_escape(name, shown, sizeof shown), hint);
}

/* Reads a number up to `most` at *text and moves *text behind it. Returns false if there is none.
 */
static bool read_width(const char **text, int most, int *out)
{
    const char *p = *text;
    int value = 0;
    for (; *p >= '0' && *p <= '9' && value <= most; p++) {
        value = value * 10 + (*p - '0');
    }
    if (p == *text || value > most) {
        return false;
    }
    *text = p;
    *out = value;
    return true;
}

/* Reads {name}, {frame:04} or {time:3}. text: at the brace. */
static mrw_status read_field(const char *text, piece *out, mrw_error *error)
{
    size_t name_length = strcspn(text + 1, ":}");
    const char *p = text + 1 + name_length;
    out->width = -1;
    out->field = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        if (strlen(field_names[i].name) == name_length &&
            memcmp(text + 1, field_names[i].name, name_length) == 0) {
            out->field = field_names[i].field;
        }
    }
    if (*p == '\0') {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-o has a '{' without '}'; write {{ for a literal brace");
    }
    if (out->field == 0) {
        return unknown_field(text + 1, name_length, error);
    }
    if (*p == ':') {
        p++;
        bool fine = (out->field & NUMBERS) != 0 &&
                    read_width(&p, out->field == MRW_FIELD_TIME ? 9 : 20, &out->width);
        if (!fine || *p != '}') {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "-o has a field with an invalid width; write {frame:04} or {time:3}");
        }
    }
    out->length = (size_t)(p + 1 - text);
    return MRW_OK;
}

/* Reads %d, %04d or %4d; leaves *out alone at any other text. text: at the percent sign. */
static void read_percent(const char *text, piece *out)
{
    const char *p = text + 1;
    int width = 0;
    if ((*p == 'd' || read_width(&p, 20, &width)) && *p == 'd') {
        *out = (piece){MRW_FIELD_FRAME, width, NULL, (size_t)(p + 1 - text)};
    }
}

/* Reads the piece at text, which is not empty. */
static mrw_status next_piece(const char *text, piece *out, mrw_error *error)
{
    size_t hashes = strspn(text, "#");
    *out = (piece){0, -1, text, 1};
    if (text[0] == text[1] && (text[0] == '{' || text[0] == '}' || text[0] == '%')) {
        /* a doubled character stands for itself */
        out->text = text + 1;
        out->length = 2;
        return MRW_OK;
    }
    if (text[0] == '{') {
        return read_field(text, out, error);
    }
    if (hashes >= 2) {
        *out = (piece){MRW_FIELD_FRAME, (int)(hashes < 20 ? hashes : 20), NULL, hashes};
        return MRW_OK;
    }
    if (text[0] == '%') {
        read_percent(text, out);
        return MRW_OK;
    }
    if (text[0] == '}') {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-o has a '}' without '{'; write }} for a literal brace");
    }
    return MRW_OK;
}

mrw_status mrw_template_check(const char *text, uint32_t *fields, mrw_error *error)
{
    *fields = 0;
    while (*text != '\0') {
        piece p;
        mrw_status status = next_piece(text, &p, error);
        if (status) {
            return status;
        }
        *fields |= p.field;
        text += p.length;
    }
    return MRW_OK;
}

/* ---- names of files -------------------------------------------------------------------------- */

#define MOST_NAME 255 /* bytes of a folder's or a file's name (NAME_MAX) */
#define NUMBER    20  /* bytes reserved for a number, so that all names of a clip are cut alike */

void mrw_template_path(const char *path, char out[MOST_NAME + 1])
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    const char *end = dot && dot != (slash ? slash + 1 : path) ? dot : path + strlen(path);
    size_t used = 0;
    for (const char *part = path; part < end;) {
        const char *next = memchr(part, '/', (size_t)(end - part));
        const size_t length = (size_t)((next ? next : end) - part);
        char text[MOST_NAME + 1], safe[MOST_NAME + 1];
        snprintf(text, sizeof text, "%.*s", (int)length, part);
        part += length + (next ? 1 : 0);
        if (length == 0 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
            used + 2 > MOST_NAME) {
            continue;
        }
        mrwi_base_file_name(text, safe, MOST_NAME + 1 - used - (used > 0 ? 1 : 0));
        used +=
            (size_t)snprintf(out + used, MOST_NAME + 1 - used, "%s%s", used > 0 ? "/" : "", safe);
        used = used < MOST_NAME ? used : MOST_NAME;
    }
    if (used == 0) {
        memcpy(out, "_", 2);
    }
}

/* Writes the text of a piece. Names of clips, views and passes are cut to `most` bytes. */
static void write_piece(const piece *p, const mrw_template_values *values, size_t most,
                        char out[MOST_NAME + 1])
{
    char number[32];
    switch (p->field) {
    case 0:
        snprintf(out, MOST_NAME + 1, "%c", p->text[0]);
        break;
    case MRW_FIELD_MODEL:
        mrwi_base_file_name(values->model, out, MRW_TEMPLATE_NAME_SIZE);
        break;
    case MRW_FIELD_PATH:
        mrw_template_path(values->path, out);
        break;
    case MRW_FIELD_CLIP:
        mrwi_base_file_name(values->clip, out, most + 1);
        break;
    case MRW_FIELD_VIEW:
        mrwi_base_file_name(values->view, out, most + 1);
        break;
    case MRW_FIELD_AOV:
        mrwi_base_file_name(values->aov, out, most + 1);
        break;
    case MRW_FIELD_DIR:
        mrwi_base_file_name(values->dir, out, most + 1);
        break;
    case MRW_FIELD_PAGE:
        snprintf(out, MOST_NAME + 1, "{page}");
        break;
    case MRW_FIELD_FRAME:
    case MRW_FIELD_N:
        snprintf(out, MOST_NAME + 1, "%0*llu", p->width < 1 ? 1 : p->width,
                 (unsigned long long)(p->field == MRW_FIELD_N ? values->n : values->frame));
        break;
    default:
        if (p->width < 0) {
            mrwi_base_format_double(values->time, number);
        } else {
            mrwi_base_format_fixed(values->time, p->width, number);
        }
        snprintf(out, MOST_NAME + 1, "%s", number);
        break;
    }
}

/* Returns the bytes of the name that begins at text, up to a slash or the end. */
static size_t name_length(const char *text, const mrw_template_values *values, size_t most)
{
    size_t length = 0;
    piece p;
    while (*text != '\0' && *text != '/' && !next_piece(text, &p, NULL)) {
        char written[MOST_NAME + 1];
        write_piece(&p, values, most, written);
        const char *slash = strrchr(written, '/'); /* only the last part of {path} counts */
        size_t size = strlen(slash ? slash + 1 : written);
        length = slash ? 0 : length;
        bool number = (p.field & NUMBERS) != 0;
        length += number && size < NUMBER ? NUMBER : size;
        text += p.length;
    }
    return length;
}

/* Returns how many bytes a name of a clip, a view or a pass may have, so that the file name that
 * begins at text fits. */
static size_t most_bytes(const char *text, const mrw_template_values *values)
{
    size_t most = MRW_TEMPLATE_NAME_SIZE - 1;
    while (most > 1 && name_length(text, values, most) > MOST_NAME) {
        most--;
    }
    return most;
}

mrw_status mrw_template_expand(const char *text, const mrw_template_values *values, char *out,
                               size_t size, mrw_error *error)
{
    const char *start = text;
    size_t used = 0, most = most_bytes(text, values);
    while (*text != '\0') {
        char written[MOST_NAME + 1];
        piece p;
        mrw_status status = next_piece(text, &p, error);
        if (status) {
            return status;
        }
        write_piece(&p, values, most, written);
        size_t length = strlen(written);
        if (used + length + 1 > size) {
            char shown[96];
            return mrwi_base_fail(error, MRW_ERROR_USAGE, "-o '%s' gives a name that is too long",
                                  mrwi_base_escape(start, shown, sizeof shown));
        }
        memcpy(out + used, written, length);
        used += length;
        text += p.length;
        if (text[-1] == '/') {
            most = most_bytes(text, values);
        }
    }
    out[used] = '\0';
    return MRW_OK;
}

const char *mrw_template_add(const char *text, uint32_t missing, char *out, size_t size)
{
    const char *slash = strrchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - text) : strlen(text);
    bool bare = text + stem == name; /* the name begins with its extension */
    char fields[128] = "";
    static const char *const forms[] = {"{model}", "{clip}", "{frame:04}", "{time}", "{view}",
                                        "{aov}",   "{dir}",  "{n}",        "{page}", "{path}"};
    for (int i = 0; i < 10; i++) {
        if ((missing >> i & 1) != 0) {
            strcat(fields, bare && fields[0] == '\0' ? "" : "_");
            strcat(fields, forms[i]);
        }
    }
    snprintf(out, size, "%.*s%s%s", (int)stem, text, fields, text + stem);
    return out;
}

mrw_status mrw_output_page_path(const char *path, uint32_t page, char *out, size_t size,
                                mrw_error *error)
{
    static const char field[] = "{page}";
    const char *rest = path, *at = strstr(path, field);
    size_t used = 0;
    for (; at && used < size; at = strstr(rest, field)) {
        used += (size_t)snprintf(out + used, size - used, "%.*s%u", (int)(at - rest), rest, page);
        rest = at + strlen(field);
    }
    if (used < size) {
        used += (size_t)snprintf(out + used, size - used, "%s", rest);
    }
    if (used >= size) {
        char shown[96];
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "-o '%s' gives a name that is too long",
                              mrwi_base_escape(path, shown, sizeof shown));
    }
    return MRW_OK;
}
