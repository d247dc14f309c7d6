// How many cores this process may keep busy: what it is bound to, and what its group of processes is allowed.
#pragma once

#include <string>

namespace ert::bench {

// Time of cores that the quota of a group of processes allows, 1.5 say; 0 where there is none. `membership` is a file such as /proc/self/cgroup, `mounts` the folder
// where groups are seen (/sys/fs/cgroup): cpu.max of version 2, cpu.cfs_quota_us of version 1, of the group and of those above it, whichever is least.
double quota_cores(const std::string& membership, const std::string& mounts);

// Cores that sched_setaffinity and such a quota leave; 0 where the system does not tell.
double usable_cores();

// What to warn of where more threads than these run: "4 threads on 1 core". Empty if they have a core each, or cores are not known.
std::string threads_warning(unsigned threads, double cores);

}  // namespace ert::bench
