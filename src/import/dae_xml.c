/* dae_xml.c: reads as much XML as is needed to find elements in a Collada file. */
#include "import/dae.h"

#include "base/math.h"
#include "base/text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool begins_with(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) >= strlen(text) && memcmp(at, text, strlen(text)) == 0;
}

uint32_t mrwi_import_dae_find_tags(const char *text, size_t size)
{
    static const struct {
        const char *begin;
        uint32_t bit;
    } names[] = {{"<morph", MRWI_IMPORT_DAE_MORPH},
                 {"<transparent", MRWI_IMPORT_DAE_TRANSPARENT},
                 {"<displacement", MRWI_IMPORT_DAE_DISPLACEMENT},
                 {"<animation_clip", MRWI_IMPORT_DAE_CLIP},
                 {"<sampler", MRWI_IMPORT_DAE_SAMPLER},
                 {"<triangles", MRWI_IMPORT_DAE_SURFACE},
                 {"<polylist", MRWI_IMPORT_DAE_SURFACE},
                 {"<polygons", MRWI_IMPORT_DAE_SURFACE},
                 {"<tristrips", MRWI_IMPORT_DAE_SURFACE},
                 {"<trifans", MRWI_IMPORT_DAE_SURFACE},
                 {"<visibility", MRWI_IMPORT_DAE_VISIBILITY}};
    const char *end = text + size;
    uint32_t found = 0;
    for (const char *at = text; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        for (size_t i = 0; end - at > 1 && i < sizeof names / sizeof *names; i++) {
            if (at[1] == names[i].begin[1] && begins_with(at, end, names[i].begin)) {
                found |= names[i].bit;
            }
        }
    }
    return found;
}

/* Skips a comment, declaration or CDATA section; NULL if it does not end. */
static const char *skip_special(const char *at, const char *end)
{
    const char *close = begins_with(at, end, "<!--")        ? "-->"
                        : begins_with(at, end, "<![CDATA[") ? "]]>"
                        : begins_with(at, end, "<?")        ? "?>"
                                                            : ">";
    const char *found = memmem(at, (size_t)(end - at), close, strlen(close));
    return found ? found + strlen(close) : NULL;
}

/* Finds the > that ends a tag, outside quotes. */
static const char *find_tag_end(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end; at++) {
        if (quote != 0) {
            quote = *at == quote ? (char)0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '>') {
            return at;
        }
    }
    return NULL;
}

bool mrwi_import_xml_next(const char **at, const char *end, mrwi_import_xml_tag *out)
{
    const char *p = memchr(*at, '<', (size_t)(end - *at));
    while (p && end - p > 1 && (p[1] == '!' || p[1] == '?')) {
        p = skip_special(p, end);
        p = p ? memchr(p, '<', (size_t)(end - p)) : NULL;
    }
    const char *close = p ? find_tag_end(p, end) : NULL;
    if (!close) {
        return false;
    }
    out->whole = (mrwi_import_span){p, (size_t)(close + 1 - p)};
    out->closes = p[1] == '/';
    out->empty = !out->closes && close[-1] == '/';
    const char *name = p + 1 + out->closes, *last = close - out->empty, *q = name;
    while (q < last && !is_blank(*q)) {
        q++;
    }
    out->name = (mrwi_import_span){name, (size_t)(q - name)};
    out->attributes = (mrwi_import_span){q, (size_t)(last - q)};
    *at = close + 1;
    return true;
}

bool mrwi_import_xml_find(const char **at, const char *end, const char *name,
                          mrwi_import_xml_tag *out)
{
    while (mrwi_import_xml_next(at, end, out)) {
        if (!out->closes && mrwi_import_span_is(out->name, name)) {
            return true;
        }
    }
    return false;
}

bool mrwi_import_xml_body(const char **at, const char *end, const mrwi_import_xml_tag *tag,
                          mrwi_import_span *out)
{
    const char *from = tag->whole.at + tag->whole.size;
    mrwi_import_xml_tag next;
    *out = (mrwi_import_span){from, 0};
    if (tag->empty) {
        return true;
    }
    while (mrwi_import_xml_next(at, end, &next)) {
        if (next.closes && next.name.size == tag->name.size &&
            memcmp(next.name.at, tag->name.at, tag->name.size) == 0) {
            out->size = (size_t)(next.whole.at - from);
            return true;
        }
    }
    return false;
}

bool mrwi_import_xml_attribute(const mrwi_import_xml_tag *tag, const char *name,
                               mrwi_import_span *out)
{
    const char *p = tag->attributes.at, *end = p + tag->attributes.size;
    while (p < end) {
        while (p < end && is_blank(*p)) {
            p++;
        }
        const char *key = p;
        while (p < end && *p != '=' && !is_blank(*p)) {
            p++;
        }
        size_t key_size = (size_t)(p - key);
        while (p < end && *p != '"' && *p != '\'') {
            p++;
        }
        const char *close = p < end ? memchr(p + 1, *p, (size_t)(end - p - 1)) : NULL;
        if (!close) {
            return false;
        }
        *out = (mrwi_import_span){p + 1, (size_t)(close - p - 1)};
        if (key_size == strlen(name) && memcmp(key, name, key_size) == 0) {
            return true;
        }
        p = close + 1;
    }
    return false;
}

bool mrwi_import_xml_count(const mrwi_import_xml_tag *tag, const char *name, size_t missing,
                           size_t most, size_t *out)
{
    mrwi_import_span text;
    double number;
    *out = missing;
    if (!mrwi_import_xml_attribute(tag, name, &text)) {
        return true;
    }
    if (mrwi_base_parse_double(text.at, text.size, &number) == 0 || !(number >= 0.0) ||
        number > (double)most) {
        return false;
    }
    *out = mrwi_base_to_u64(number);
    return true;
}
