// See usable_cores.h.
#include "bench/usable_cores.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

namespace ert::bench {
namespace {

// Whether "cpu" is among "cpu,cpuacct".
bool has_cpu(const std::string& controllers) { return ("," + controllers + ",").find(",cpu,") != std::string::npos; }

// quota / period in the file, or in two; 0 where there is none ("max" or -1).
double allowed(const std::string& quota_file, const std::string& period_file) {
  double quota = 0, period = 0;
  std::ifstream first(quota_file), second(period_file);
  first >> quota;
  (period_file.empty() ? first : second) >> period;
  return first && quota > 0 && period > 0 ? quota / period : 0;
}

// The least of the group at `path` and those above it. Inside a container the path may be one that only its host sees: then the top alone is there.
template <class F>
double least_up(std::string path, const F& of_group) {
  double least = 0;
  for (;;) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    const double cores = of_group(path);
    if (cores > 0) least = least > 0 ? std::min(least, cores) : cores;
    if (path.empty()) return least;
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

// Of cores that this process is bound to; hardware_concurrency may count those of the machine.
unsigned bound_cores() {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
#endif
  return std::thread::hardware_concurrency();
}

}  // namespace

double quota_cores(const std::string& membership, const std::string& mounts) {
  double least = 0;
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {  // hierarchy:controllers:path
    std::istringstream parts(line);
    std::string hierarchy, controllers, path;
    if (!std::getline(parts, hierarchy, ':') || !std::getline(parts, controllers, ':') || !std::getline(parts, path)) continue;
    double cores = 0;
    if (controllers.empty()) {
      cores = least_up(path, [&](const std::string& group) { return allowed(mounts + group + "/cpu.max", ""); });
    } else if (has_cpu(controllers)) {
      cores = least_up(path, [&](const std::string& group) {
        const std::string folder = mounts + "/" + controllers + group;
        return allowed(folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us");
      });
    }
    if (cores > 0) least = least > 0 ? std::min(least, cores) : cores;
  }
  return least;
}

double usable_cores() {
  const double bound = bound_cores(), quota = quota_cores("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota > 0 && (bound == 0 || quota < bound) ? quota : bound;
}

std::string threads_warning(unsigned threads, double cores) {
  if (cores <= 0 || threads <= cores) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%u thread%s on %.3g core%s", threads, threads == 1 ? "" : "s", cores, cores == 1 ? "" : "s");
  return text +
         std::string(
             " that this process may use: they wait for each other, so that times say little of a device with as many cores");
}

}  // namespace ert::bench
