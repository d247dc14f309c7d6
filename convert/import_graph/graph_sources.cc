// What a graph starts from: initializers, tables that importers make, inputs, and inputs that the user pinned to constants.
#include <algorithm>

#include "convert/import_graph/graph_importer.h"
#include "convert/import_graph/graph_inputs.h"
#include "convert/ir/foreign_text.h"
#include "convert/onnx/reader.h"

namespace edgeconv {

constexpr int64_t kMostTabulated = int64_t{1} << 20;  // a window of audio has 400 samples, or 4096

bool GraphImporter::may_tabulate(int64_t elements) {
  if (elements > kMostTabulated - session_.tabulated) return false;
  session_.tabulated += elements;
  return true;
}

// Some exporters have weights in Constant nodes. Whole numbers of more than 8 bits are shapes and indices there.
void GraphImporter::count_parameters(const OnnxNode& n) {
  if (n.op_type != "Constant" || !n.domain.empty() || n.outputs.empty()) return;
  const auto it = names_.find(n.outputs[0]);
  if (it == names_.end() || !graph_.value(it->second).constant) return;
  const Tensor& t = *graph_.value(it->second).constant;
  const bool weights = is_float(t.dtype()) || t.dtype() == DType::kInt8 || t.dtype() == DType::kUint8;
  if (weights && t.rank() > 0) session_.parameters[t.dtype()] += t.elements();
}

void GraphImporter::import_initializers(pb::GraphProto& proto) {
  for (auto& t : *proto.mutable_initializer()) {
    ValueId v = kNone;
    try {
      Tensor tensor = session_.tensors.read(t);
      if (tensor.rank() > 0) session_.parameters[tensor.dtype()] += tensor.elements();
      v = graph_.add_constant(t.name(), std::move(tensor));
      graph_.value(v).bits = packed_bits(t.data_type());
    } catch (const NodeError& e) {
      session_.diagnostics.malformed(e.what());
    } catch (const NodeUnsupported& e) {
      tell({"initializer", t.name(), "", e.what(), e.hint});
    }
    delete t.release_raw_data();
    if (t.name().empty()) session_.diagnostics.malformed("an initializer of the model has no name");
    define(t.name(), v != kNone ? v : open_value(t.name()));
  }
  for (const auto& s : proto.sparse_initializer()) {
    const std::string& name = s.values().name();
    tell({"initializer", name, "", "sparse initializers are not supported", "store the tensor densely when you export the model"});
    const auto same = [&](const pb::ValueInfoProto& in) { return in.name() == name; };  // it is the input's default then
    // There for who reads it: the file is right.
    if (std::none_of(proto.input().begin(), proto.input().end(), same)) define(name, open_value(name));
  }
}

void GraphImporter::import_inputs(const pb::GraphProto& proto) {
  const bool main = parent_ == nullptr;
  InputTypes types(proto, session_.diagnostics, main, main ? session_.pinning.dims : std::map<std::string, int64_t>());
  for (int i = 0; i < proto.input_size(); ++i) {
    const auto& in = proto.input(i);
    if (in.name().empty()) session_.diagnostics.malformed("an input of the model's graph has no name");
    check_name(in.name(), "input");
    const auto known = names_.find(in.name());
    // Files of IR version 3 list initializers as inputs too; those are defaults, which this converter treats as constants.
    if (known != names_.end() && graph_.value(known->second).is_constant()) continue;
    DType dtype = types.dtype(in);
    if (dtype == DType::kUndefined && static_cast<size_t>(i) < outer_types_.size()) dtype = outer_types_[static_cast<size_t>(i)];
    const std::optional<Shape> shape = types.shape(in);
    if (main) declare(in.name());
    if (main && pin(in.name(), dtype, shape)) continue;
    const ValueId v = graph_.add_value(in.name(), dtype, shape);
    define(in.name(), v);
    graph_.inputs.push_back(v);
  }
  if (main) declare("");
  if (main) check_pinning(types.dims());
}

// The inputs that were cut away keep their places. "": there are no further inputs.
void GraphImporter::declare(const std::string& input) {
  std::vector<std::string>& all = session_.declared_inputs;
  for (const CutInput& c : session_.cut)
    if (c.position == all.size()) all.push_back(c.name);
  if (!input.empty()) all.push_back(input);
}

// True if the input is a constant from now on. One whose type is a problem stays an input: the problem is told.
bool GraphImporter::pin(const std::string& input, DType dtype, const std::optional<Shape>& shape) {
  const auto asked = session_.pinning.inputs.find(input);
  if (asked == session_.pinning.inputs.end() || dtype == DType::kUndefined || !shape) return false;
  Tensor contents = pinned_tensor(input, asked->second, dtype, *shape);
  session_.pinned.push_back({session_.declared_inputs.size() - 1, input, contents});
  define(input, graph_.add_constant(input, std::move(contents)));
  return true;
}

void GraphImporter::check_pinning(const std::vector<std::string>& dims) const {
  const auto check = [](const char* option, const std::string& name, const char* what, const char* none,
                        const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "; it has " : ", ") + printable(k);
    throw FatalError(ExitCode::kUsage, std::string(option) + " " + printable(name) + ": the model has no such " + what +
                                           (known.empty() ? none : list));
  };
  for (const auto& [name, size] : session_.pinning.dims) check("--fix", name, "dim", "; all its sizes are fixed", dims);
  for (const auto& [name, contents] : session_.pinning.inputs) {
    check("--const", name, "input", "; it has none", session_.declared_inputs);
    for (const CutInput& c : session_.cut)
      if (c.name == name)
        throw FatalError(ExitCode::kUsage,
                         "--const " + printable(name) + ": the values of --outputs do not need this input: leave it out");
  }
}

}  // namespace edgeconv
