/* escape.c: escapes texts from files for reports, one character at a time. */
#include "report/results.h"

#include "base/text.h"
#include "base/utf8.h"

#include <string.h>

void mrwi_report_escaped(mrw_text *text, const char *foreign,
                         void (*put)(mrw_text *text, const char *character))
{
    while (foreign && *foreign != '\0') {
        char character[8], safe[16];
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(foreign, &code);
        length = length == 0 ? 1 : length;
        memcpy(character, foreign, length);
        character[length] = '\0';
        put(text, mrwi_base_escape(character, safe, sizeof safe));
        foreign += length;
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
        /* U+FFFE and U+FFFF are valid UTF-8, but XML does not allow them (XML 1.0, section 2.2). */
        bool none =
            strcmp(character, "\xEF\xBF\xBE") == 0 || strcmp(character, "\xEF\xBF\xBF") == 0;
        mrw_text_puts(text, none ? "\xEF\xBF\xBD" : character);
    }
    }
}
