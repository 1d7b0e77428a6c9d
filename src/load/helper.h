/* helper.h: the parts of the import helper, the program that marrow starts for one import. */
#ifndef MRWI_LOAD_HELPER_H
#define MRWI_LOAD_HELPER_H

#include "load/channel.h"

/* The sanitizer needs terabytes of addresses and system calls of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define MRWI_HELPER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MRWI_HELPER_SANITIZED 1
#endif
#endif

/* ---- helper_limits.c ---- */
/* Before the job is known: no descriptor but 0 to 3, no core dump, no new privileges, no debugger,
 * and an end when the parent ends. */
void mrwi_helper_withdraw(void);
/* Memory, time, file size, descriptors; what is limited further already stays so. */
bool mrwi_helper_limit(const mrwi_limits_message *limits);
/* Only the system calls an import needs: computing, memory, and descriptors that are open; beside
 * the filters of whoever started us. Where the kernel has no seccomp: true, and *warning says so.
 */
bool mrwi_helper_filter(const char **warning);

/* ---- helper_files.c ---- */
/* Files by asking the parent. */
mrwi_files mrwi_helper_files(const mrw_load_def *def);

#endif
