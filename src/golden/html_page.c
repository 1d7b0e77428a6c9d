/* html_page.c: the texts of the HTML report, put into the library by the assembler. */
#include "golden/html.h"

/* The paths are relative to the root, where make runs; a file after a file makes one text. */
#define BEGIN(name)                                                                                \
    ".pushsection .rodata,\"a\",%progbits\n"                                                       \
    ".hidden mrwi_report_" #name "\n"                                                              \
    ".globl mrwi_report_" #name "\n"                                                               \
    "mrwi_report_" #name ":\n"
#define FILE_OF(path) ".incbin \"src/golden/" path "\"\n"
#define END(name)                                                                                  \
    ".hidden mrwi_report_" #name "_end\n"                                                          \
    ".globl mrwi_report_" #name "_end\n"                                                           \
    "mrwi_report_" #name "_end:\n"                                                                 \
    ".byte 0\n"                                                                                    \
    ".popsection\n"

__asm__(BEGIN(html) FILE_OF("report.html") END(html));
__asm__(BEGIN(css) FILE_OF("report.css") END(css));
__asm__(BEGIN(js) FILE_OF("report_model.js") FILE_OF("report_view.js") FILE_OF("report_time.js")
            FILE_OF("report_list.js") FILE_OF("report.js") END(js));
