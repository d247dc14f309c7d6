// Replaces calls of functions that the file defines (FunctionProto) by their bodies, nested calls included.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/onnx/model.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

class FunctionInliner {
 public:
  // The model must outlive the inliner. Throws FatalError(kMalformed) for functions that are defined twice.
  explicit FunctionInliner(const pb::ModelProto& model);

  // The nodes of one graph with all calls expanded. Throws FatalError: kMalformed when functions call each other without end,
  // kLimit when the result is larger than a file may be, or much larger than this one.
  std::vector<OnnxNode> expand(const google::protobuf::RepeatedPtrField<pb::NodeProto>& nodes,
                               const std::shared_ptr<const OpsetMap>& opsets);

 private:
  struct Function {
    const pb::FunctionProto* proto;
    std::shared_ptr<const OpsetMap> opsets;
  };
  struct Pending {
    OnnxNode node;
    int depth;
  };
  const Function* find(const OnnxNode& n) const;
  void open_call(const Pending& call, const Function& f, std::vector<Pending>& stack);

  std::unordered_map<std::string, Function> functions_;  // "domain::name::overload"
  int64_t allowed_nodes_ = 0, calls_ = 0, copied_nodes_ = 0, copied_bytes_ = 0;
};

std::shared_ptr<const OpsetMap> read_opsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports);

}  // namespace edgeconv
