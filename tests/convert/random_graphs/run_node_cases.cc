// run_node_cases FOLDER [fp32|int8]: every case of FOLDER through interpreter and runtime, one line each way:
// name, way, passed | refused | failed, reason, separated by tabs. For random_graphs.py.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/convert/onnx_node/node_case.h"

int main(int argc, char** argv) {
  using namespace edgeconv_test;
  if (argc < 2) return 2;
  const bool int8 = argc > 2 && std::string(argv[2]) == "int8";
  std::vector<std::filesystem::path> folders;
  for (const auto& e : std::filesystem::directory_iterator(argv[1])) folders.push_back(e.path());
  std::sort(folders.begin(), folders.end());
  static const char* const kNames[] = {"passed", "refused", "failed"};
  for (const auto& folder : folders) {
    const auto report = [&](const char* way, const Outcome& o) {
      std::string reason = o.reason;
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      std::printf("%s\t%s\t%s\t%s\n", folder.filename().c_str(), way, kNames[o.kind], reason.c_str());
    };
    report("interpreter", run_interpreter(folder));
    report("runtime", int8 ? run_runtime_int8(folder) : run_runtime(folder));
    std::fflush(stdout);
  }
  return 0;
}
