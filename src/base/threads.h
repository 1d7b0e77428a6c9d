/* threads.h: what the machine grants a process. */
#ifndef MRWI_BASE_THREADS_H
#define MRWI_BASE_THREADS_H

#include "marrow/base.h"

/* The CPUs that the quota of a process's cgroup and those around it allow, rounded up; 0 for no
 * limit. membership is a file like /proc/self/cgroup: lines "0::/path" (version 2) or
 * "4:cpu,cpuacct:/path" (version 1); mount is what /sys/fs/cgroup is, with cpu.max (version 2) or
 * cpu.cfs_quota_us and cpu.cfs_period_us (version 1) in its folders. */
long mrwi_base_cgroup_cpus(const char *membership, const char *mount);

#endif
