// Inputs that the device takes as they come, 8-bit pixels or 16-bit samples, and normalizes itself (--input-scale).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/import_graph/import_model.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// The model's input is (raw - mean) / std, in fp32. One number for all elements, or one a channel.
struct RawInput {
  std::string name;
  std::vector<float> mean, std;
  std::optional<DType> type;  // kUint8 or kInt16; nothing: by what the input is
  bool operator==(const RawInput&) const = default;
};

// "NAME=mean,std", "NAME=mean,std,int16", several numbers with ':' between them. Throws FatalError(kUsage).
RawInput parse_raw_input(const std::string& text);
// The same text again, with the type.
std::string raw_input_text(const RawInput& input);

// Puts the arithmetic in front of these inputs, whose type changes, and fills in types. Shapes are inferred before and have to be inferred behind it.
// Throws FatalError(kUsage) for inputs that the model does not have, that are not float32, whose type nothing tells, and for channels that do not fit.
// info: for inputs that the file has and the graph does not.
void take_raw_inputs(Graph& g, std::vector<RawInput>& inputs, const ModelInfo& info);

}  // namespace edgeconv
