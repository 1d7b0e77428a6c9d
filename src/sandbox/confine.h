/* confine.h: what a helper takes from itself before it looks at a stranger's file. Only programs
 * that are started as helpers link it, and libseccomp with it.
 */
#ifndef MRWI_SANDBOX_CONFINE_H
#define MRWI_SANDBOX_CONFINE_H

#include "sandbox/channel.h"

/* The sanitizer needs terabytes of addresses and system calls of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define MRWI_SANDBOX_HELPER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MRWI_SANDBOX_HELPER_SANITIZED 1
#endif
#endif

/* Before the job is known: no descriptor but 0 to 3, no core dump, no new privileges, no debugger,
 * and an end when the parent ends. */
void mrwi_sandbox_withdraw(void);
/* Memory, time, file size, descriptors; what is limited further already stays so. */
bool mrwi_sandbox_limit(const mrwi_sandbox_limits *limits);
/* Only the system calls that reading a file needs: computing, memory, and descriptors that are
 * open; beside the filters of whoever started us. Where the kernel has no seccomp: true, and
 * *warning says so.
 */
bool mrwi_sandbox_filter(const char **warning);

#endif
