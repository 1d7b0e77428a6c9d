/* confine.h: the rights that a helper gives up before it reads an untrusted file. Only programs
 * that are started as helpers link it, and libseccomp with it. */
#ifndef MRWI_SANDBOX_CONFINE_H
#define MRWI_SANDBOX_CONFINE_H

#include "sandbox/channel.h"

/* Defined under the address sanitizer, which needs terabytes of addresses and more system calls. */
#if defined(__SANITIZE_ADDRESS__)
#define MRWI_SANDBOX_HELPER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MRWI_SANDBOX_HELPER_SANITIZED 1
#endif
#endif

/* Gives up, before the job is known, all descriptors except 0 to 3, core dumps, new privileges and
 * debuggers. From then on the helper ends when its parent ends. */
void mrwi_sandbox_withdraw(void);
/* Limits memory, time, file size and descriptors. Limits that are lower already stay. */
bool mrwi_sandbox_limit(const mrwi_sandbox_limits *limits);
/* Allows only the system calls that reading a file needs: memory, and descriptors that are open.
 * Filters of the parent still apply. If the kernel has no seccomp it returns true, and *warning
 * says so. */
bool mrwi_sandbox_filter(const char **warning);

#endif
