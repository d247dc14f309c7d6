// Runs one backend node test.
#include "tests/convert/onnx_node/node_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <unistd.h>

#include "convert/pipeline/convert.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/import_graph/import_model.h"
#include "convert/onnx/onnx.pb.h"
#include "convert/run/blob_runner.h"
#include "tests/convert/interp/model_data.h"
#include "tests/convert/onnx_node/case_files.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
namespace fs = std::filesystem;

constexpr double kCosine = 0.99;  // of int8 results

std::string first_problem(const Diagnostics& d) {
  return d.problems().empty() ? "malformed" : d.problems()[0].op + ": " + d.problems()[0].reason;
}

// The reason out of a message that lists operators, or its first line.
std::string short_reason(const std::string& message) {
  std::istringstream lines(message);
  std::string first, op, reason;
  std::getline(lines, first);
  if (first.find("not supported (") == std::string::npos || !std::getline(lines, op) || !std::getline(lines, reason))
    return first;
  const size_t from = op.find_first_not_of(' '), to = op.find(' ', from);
  return op.substr(from, to - from) + ": " + reason.substr(reason.find_first_not_of(' '));
}

// What inference knows of an output must be what the interpreter gives.
std::string inference_fault(const Value& v, const Tensor& got) {
  if (!v.shape) return "shape not inferred";
  if (v.dtype != got.dtype()) return "type inferred wrong";
  if (v.shape->size() != got.dims().size()) return "rank inferred wrong";
  for (size_t k = 0; k < v.shape->size(); ++k)
    if (const auto c = (*v.shape)[k].constant(); c && *c != got.dims()[k]) return "inferred as " + shape_str(*v.shape);
  return {};
}

Outcome interpret_sets(const fs::path& folder, const Graph& g, Freeze freeze) {
  for (const auto& set : usable_sets(folder, freeze)) {
    const std::vector<NamedTensor> want = read_tensors(set, "output");
    std::vector<Tensor> inputs = bind_inputs(g, read_tensors(set, "input"));
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = as_declared(inputs[i], g.value(g.inputs[i]).dtype);
    for (const Backend b : {Backend::kOracle, Backend::kCanonical}) {
      const std::vector<Tensor> got = interpret(g, inputs, {b, {}});
      for (size_t i = 0; i < got.size() && i < want.size(); ++i) {
        const Tensor expected = as_declared(want[i].tensor, got[i].dtype());
        const Tolerance t = tolerance(folder, expected.dtype());
        std::string what = inference_fault(g.value(g.outputs[i]), got[i]);
        if (what.empty()) what = difference(got[i], expected, t.rtol, t.atol);
        if (!what.empty())
          return {Outcome::kFailed,
                  std::string(b == Backend::kOracle ? "oracle" : "canonical") + " output " + std::to_string(i) + ": " + what};
      }
    }
  }
  return {};
}

Outcome interpret_model(const fs::path& folder, Freeze freeze) {
  Diagnostics d;
  const std::string bytes = model_bytes(folder, freeze);
  Graph g =
      import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), (folder / "model.onnx").string(), d).graph;
  if (!d.ok()) return {Outcome::kRefused, first_problem(d)};
  infer(g, d);
  if (!d.ok()) return {Outcome::kRefused, first_problem(d)};
  for (const Node& n : g.nodes)
    if (!n.dead && !can_evaluate(n.kind)) return {Outcome::kRefused, n.origin.op_type + ": not interpreted"};
  return interpret_sets(folder, g, freeze);
}

// The blob's boundary has float32 for every float type, and int32 or int64 for other integers.
std::string runtime_difference(const fs::path& folder, const Tensor& got, const NamedTensor& want, DType declared) {
  const Tensor expected = as_declared(want.tensor, declared);
  const Tolerance t = tolerance(folder, expected.dtype());
  const bool other_float = is_float(expected.dtype()) && got.dtype() == DType::kFloat;
  return difference(got, other_float ? expected.cast(DType::kFloat) : expected, t.rtol, t.atol);
}

bool all_finite(const std::vector<Tensor>& inputs) {
  for (const Tensor& t : inputs)
    for (float v : is_float(t.dtype()) ? t.to_float() : std::vector<float>())
      if (!std::isfinite(v)) return false;
  return true;
}

double cosine(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = a.to_float(), y = b.to_float();
  double dot = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    dot += double{x[i]} * y[i];
    xx += double{x[i]} * x[i];
    yy += double{y[i]} * y[i];
  }
  return xx == 0 || yy == 0 ? xx == yy : dot / std::sqrt(xx * yy);
}

Outcome convert_and_run(const fs::path& folder, const fs::path& scratch, Freeze freeze, PrecisionMode precision) {
  const std::string bytes = model_bytes(folder, freeze);
  Diagnostics d;
  import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), (folder / "model.onnx").string(), d);
  if (!d.ok()) return {Outcome::kRefused, first_problem(d)};  // its data may be strings or sequences
  const fs::path file = scratch / "model.onnx";
  std::ofstream(file, std::ios::binary) << bytes;
  pb::ModelProto model;
  model.ParseFromString(bytes);
  std::vector<DType> declared_in, declared_out;
  for (const auto& v : model.graph().input()) declared_in.push_back(static_cast<DType>(v.type().tensor_type().elem_type()));
  for (const auto& v : model.graph().output()) declared_out.push_back(static_cast<DType>(v.type().tensor_type().elem_type()));

  const auto inputs_of = [&](const fs::path& set) {
    std::vector<Tensor> inputs;
    const auto data = read_tensors(set, "input");
    for (int i = 0; i < model.graph().input_size(); ++i) {
      const auto at =
          std::find_if(data.begin(), data.end(), [&](const NamedTensor& t) { return t.name == model.graph().input(i).name(); });
      if (at == data.end()) throw std::logic_error("no data for input '" + model.graph().input(i).name() + "'");
      const Tensor t = as_declared(at->tensor, declared_in[static_cast<size_t>(i)]);
      inputs.push_back(is_float(t.dtype()) ? t.cast(DType::kFloat) : t);
    }
    return inputs;
  };
  ConvertOptions o;
  o.precision.mode = precision;
  o.dims = largest_dims(model, folder);
  o.golden = 0;
  o.skip_padding = false;        // the recorded outputs are of all positions
  o.allow_accuracy_loss = true;  // the recorded outputs judge
  o.calibration = {inputs_of(data_sets(folder)[0])};
  if (!all_finite(o.calibration[0])) return {Outcome::kRefused, "its inputs hold NaN or infinite values, which ert_run refuses"};
  const ConvertResult r = convert_model(file.string(), o);
  BlobRunner runner(r.blob.data(), r.blob.bytes());
  const std::set<size_t> unstable = unstable_outputs(folder);
  for (const auto& set : usable_sets(folder, freeze)) {
    const auto want = read_tensors(set, "output");
    const auto got = runner.run(inputs_of(set));
    for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
      if (unstable.count(i)) continue;
      const std::string what = runtime_difference(folder, got[i], want[i], declared_out[i]);
      if (what.empty()) continue;
      if (precision != PrecisionMode::kFp32 && is_float(want[i].tensor.dtype())) {
        if (got[i].dims() != want[i].tensor.dims())
          return {Outcome::kFailed, "output " + std::to_string(i) + " has another shape"};
        if (const double c = cosine(got[i], want[i].tensor); !(c >= kCosine))
          return {Outcome::kFailed, "output " + std::to_string(i) + " has cosine " + std::to_string(c)};
        continue;
      }
      return {Outcome::kFailed, "output " + std::to_string(i) + ": " + what};
    }
  }
  return {};
}

// Refusals have exit codes of their own; whatever else ends a case is a failure.
template <class F>
Outcome guarded(F f) {
  try {
    return f();
  } catch (const FatalError& e) {
    if (e.code() == ExitCode::kUnsupported || e.code() == ExitCode::kUsage || e.code() == ExitCode::kLimit)
      return {Outcome::kRefused, short_reason(e.what())};
    return {Outcome::kFailed, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::kFailed, e.what()};
  }
}

std::string bytes_or_nothing(const fs::path& folder, Freeze freeze) {
  try {
    return model_bytes(folder, freeze);
  } catch (const FatalError&) {
    return {};  // data of strings or sequences
  }
}

// The first form that is not refused; the reason is that of the last.
template <class F>
Outcome first_accepted(const fs::path& folder, F run) {
  if (data_sets(folder).empty()) return {Outcome::kRefused, "no data set"};
  const Outcome plain = guarded([&] { return run(Freeze::kNothing); });
  if (plain.kind != Outcome::kRefused) return plain;
  std::string tried = bytes_or_nothing(folder, Freeze::kNothing);
  Outcome last = plain;
  for (Freeze f : {Freeze::kIntegers, Freeze::kAllButFirst}) {
    const std::string bytes = bytes_or_nothing(folder, f);
    if (bytes.empty() || bytes == tried) continue;
    tried = bytes;
    last = guarded([&] { return run(f); });
    if (last.kind != Outcome::kRefused) return last;
  }
  return last;
}

}  // namespace

CaseContents read_contents(const fs::path& folder) {
  CaseContents c;
  pb::ModelProto model;
  if (!model.ParseFromString(read_file(folder / "model.onnx"))) return c;
  for (const auto& n : model.graph().node()) c.ops.emplace(n.domain() == "ai.onnx" ? "" : n.domain(), n.op_type());
  const auto add = [&](const pb::ValueInfoProto& v) {
    c.dtypes.insert(v.type().tensor_type().elem_type());
    c.tensors_only &= v.type().value_case() == pb::TypeProto::kTensorType;
  };
  for (const auto& v : model.graph().input()) add(v);
  for (const auto& v : model.graph().output()) add(v);
  return c;
}

Outcome run_interpreter(const fs::path& folder) {
  return first_accepted(folder, [&](Freeze freeze) { return interpret_model(folder, freeze); });
}

namespace {

Outcome run_runtime_as(const fs::path& folder, PrecisionMode precision) {
  const fs::path scratch = fs::temp_directory_path() / ("edgeconv_node_" + std::to_string(::getpid()));
  fs::create_directories(scratch);
  const Outcome o = first_accepted(folder, [&](Freeze freeze) { return convert_and_run(folder, scratch, freeze, precision); });
  fs::remove_all(scratch);
  return o;
}

}  // namespace

Outcome run_runtime(const fs::path& folder) { return run_runtime_as(folder, PrecisionMode::kFp32); }
Outcome run_runtime_int8(const fs::path& folder) { return run_runtime_as(folder, PrecisionMode::kInt8); }

}  // namespace edgeconv_test
