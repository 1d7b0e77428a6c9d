/* escape.c: strangers' texts in reports, a character at a time. */
#include "report/results.h"

#include "base/text.h"
#include "base/utf8.h"

#include <string.h>

void mrwi_report_escaped(mrw_text *text, const char *stranger,
                         void (*put)(mrw_text *text, const char *character))
{
    while (stranger && *stranger != '\0') {
        char character[8], safe[16];
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(stranger, &code);
        length = length == 0 ? 1 : length;
        memcpy(character, stranger, length);
        character[length] = '\0';
        put(text, mrwi_base_escape(character, safe, sizeof safe));
        stranger += length;
    }
}

void mrwi_report_xml(mrw_text *text, const char *character)
{
    switch (*character) {
    case '&':
        mrw_text_puts(text, "&amp;");
        break;
    case '<':
        mrw_text_puts(text, "&lt;");
        break;
    case '>':
        mrw_text_puts(text, "&gt;");
        break;
    case '"':
        mrw_text_puts(text, "&quot;");
        break;
    case '\'':
        mrw_text_puts(text, "&#39;");
        break;
    default: {
        /* U+FFFE and U+FFFF are UTF-8, but no characters (XML 1.0, section 2.2). */
        bool none =
            strcmp(character, "\xEF\xBF\xBE") == 0 || strcmp(character, "\xEF\xBF\xBF") == 0;
        mrw_text_puts(text, none ? "\xEF\xBF\xBD" : character);
    }
    }
}
