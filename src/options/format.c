/* format.c: the text helpers of the library, for programs. */
#include "base/parallel.h"
#include "base/text.h"
#include "marrow/options.h"

size_t mrw_format_double(double value, char out[32])
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    size_t length = mrwi_base_format_double(value, out);
    mrwi_base_fp_leave(fp);
    return length;
}

size_t mrw_format_float(float value, char out[32])
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    size_t length = mrwi_base_format_float(value, out);
    mrwi_base_fp_leave(fp);
    return length;
}

size_t mrw_format_fixed(double value, int decimals, char out[32])
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    size_t length = mrwi_base_format_fixed(value, decimals, out);
    mrwi_base_fp_leave(fp);
    return length;
}

const char *mrw_escape_text(const char *text, char *out, size_t size)
{
    return mrwi_base_escape(text, out, size);
}

const char *mrw_safe_file_name(const char *text, char *out, size_t size)
{
    return mrwi_base_file_name(text, out, size);
}

bool mrw_glob_match(const char *pattern, const char *text)
{
    return mrwi_base_glob(pattern, text);
}

void mrw_suggest_names(char *out, size_t size, const char *name, const char *const *candidates,
                       size_t count)
{
    mrwi_base_suggest(out, size, name, candidates, count, false);
}
