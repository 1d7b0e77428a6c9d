/* html_page.c: the texts of the HTML report, put into the library by the assembler. */
#include "report/html.h"

/* The paths are relative to the root, where make runs; a file after a file makes one text. */
#define BEGIN(name)                                                                                \
    ".pushsection .rodata,\"a\",%progbits\n"                                                       \
    ".hidden mrwi_report_" #name "\n"                                                              \
    ".globl mrwi_report_" #name "\n"                                                               \
    "mrwi_report_" #name ":\n"
#define FILE_OF(path) ".incbin \"src/report/" path "\"\n"
#define END(name)                                                                                  \
    ".hidden mrwi_report_" #name "_end\n"                                                          \
    ".globl mrwi_report_" #name "_end\n"                                                           \
    "mrwi_report_" #name "_end:\n"                                                                 \
    ".byte 0\n"                                                                                    \
    ".popsection\n"

__asm__(BEGIN(html) FILE_OF("page.html") END(html));
__asm__(BEGIN(css) FILE_OF("page.css") END(css));
__asm__(BEGIN(js) FILE_OF("page_model.js") FILE_OF("page_view.js") FILE_OF("page_time.js")
            FILE_OF("page_list.js") FILE_OF("page.js") END(js));
