// What a conversion took, in CPU time and memory, and on which machine: summaries and reports tell it. Nothing of it reaches a blob.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace edgeconv {

// Sets of inputs that have equal shapes, in the order of the model's inputs.
struct SetShapes {
  size_t sets = 0;
  std::vector<std::pair<std::string, std::vector<int64_t>>> inputs;  // name -> shape
};

struct StageCost {
  std::string stage;
  double cpu_seconds = 0;  // of all threads, in this stage
};

struct ConversionCost {
  double cpu_seconds = 0;   // user and system, since the process began
  uint64_t peak_bytes = 0;  // resident at most, with the pages of the mapped file that were held; 0 where it is not known
  std::vector<StageCost> stages;
  std::vector<SetShapes> validation;  // what the blob was compared on: a pass of another runtime over the same can be timed

  // Ends the stage before.
  void begin(const std::string& stage);
  void end();
};

// "AMD EPYC 9R14, 2 cores".
std::string machine_text();

}  // namespace edgeconv
