// See conversion_cost.h. The peak is that of VmHWM: getrusage() would tell of the process that started this one.
#include "convert/result/conversion_cost.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace edgeconv {

namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

double process_cpu_seconds() {
  rusage used{};
  return getrusage(RUSAGE_SELF, &used) == 0 ? seconds(used.ru_utime) + seconds(used.ru_stime) : 0;
}

// The contents of the first line that begins with one of the names and a colon.
std::string field(const char* file, std::initializer_list<const char*> names) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    for (const char* name : names)
      if (const size_t colon = line.find(':'); colon != std::string::npos && line.rfind(name, 0) == 0)
        if (const size_t at = line.find_first_not_of(" \t", colon + 1); at != std::string::npos) return line.substr(at);
  return "";
}

uint64_t peak_resident_bytes() {
  uint64_t kib = 0;
  std::istringstream(field("/proc/self/status", {"VmHWM"})) >> kib;
  return kib * 1024;
}

}  // namespace

void ConversionCost::begin(const std::string& stage) {
  end();
  stages.push_back({stage, 0});
}

void ConversionCost::end() {
  const double now = process_cpu_seconds();
  if (!stages.empty()) stages.back().cpu_seconds = now - cpu_seconds;
  cpu_seconds = now;
  peak_bytes = peak_resident_bytes();
}

std::string machine_text() {
  const std::string cpu = field("/proc/cpuinfo", {"model name", "Hardware", "Model"});
  const unsigned cores = std::thread::hardware_concurrency();
  return fmt::format("{}, {} core{}", cpu.empty() ? "unknown CPU" : cpu, cores, cores == 1 ? "" : "s");
}

}  // namespace edgeconv
