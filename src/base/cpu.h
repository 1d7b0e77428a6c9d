/* cpu.h: what every public entry that runs kernels does with the instruction set it is given, and
 * what the machine grants. */
#ifndef MRWI_BASE_CPU_H
#define MRWI_BASE_CPU_H

#include "marrow/base.h"

/* MRW_ERROR_UNSUPPORTED unless this CPU and this build can run it. */
mrw_status mrwi_isa_check(mrw_isa isa, mrw_error *error);

/* The fastest in place of MRW_ISA_AUTO. */
mrw_isa mrwi_isa_resolve(mrw_isa isa);

/* threads.c: the CPUs that the quota of a process's cgroup and those around it allow, rounded up;
 * 0 for no limit. membership is a file like /proc/self/cgroup: lines "0::/path" (version 2) or
 * "4:cpu,cpuacct:/path" (version 1); mount is what /sys/fs/cgroup is, with cpu.max (version 2) or
 * cpu.cfs_quota_us and cpu.cfs_period_us (version 1) in its folders. */
long mrwi_cgroup_cpus(const char *membership, const char *mount);

#endif
