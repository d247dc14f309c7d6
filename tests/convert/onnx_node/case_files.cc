// Reading the files of a case, and freezing its inputs.
#include "tests/convert/onnx_node/case_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "convert/onnx/tensor_reader.h"
#include "tests/convert/interp/model_data.h"

namespace edgeconv_test {

using namespace edgeconv;
namespace fs = std::filesystem;

namespace {

// ONNX's own runner takes rtol 1e-3 and atol 1e-7 for every type. Two right results of a type with few bits may differ by more
// when they round in different places: two steps of the type are allowed then.
double relative_tolerance(DType t) {
  if (t == DType::kBfloat16) return 2 * 0x1p-7;
  return t == DType::kFloat16 ? 2 * 0x1p-10 : 1e-3;
}

bool is_frozen(Freeze freeze, int input, const Tensor& t) {
  if (freeze == Freeze::kAllButFirst) return input > 0;
  return freeze == Freeze::kIntegers && t.rank() <= 1 && is_integer(t.dtype());
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> usable_sets(const fs::path& folder, Freeze freeze) {
  std::vector<fs::path> sets = data_sets(folder);
  if (freeze == Freeze::kAllButFirst) sets.resize(1);
  return sets;
}

Tolerance tolerance(const fs::path& folder, DType t) {
  Tolerance r{relative_tolerance(t), 1e-7};
  if (std::ifstream own(folder / "tolerance"); own) own >> r.rtol >> r.atol;
  return r;
}

Tensor as_declared(const Tensor& t, DType declared) {
  if (declared != DType::kBfloat16 || t.dtype() != DType::kUint16) return t;
  return Tensor(DType::kBfloat16, t.dims(), t.aligned().data(), std::make_shared<Tensor>(t.aligned()));
}

// Numbers of `bits` bits share bytes in a file, the first in the low ones; 0: as in memory.
std::string file_bytes(const Tensor& t, int bits) {
  const std::string bytes(reinterpret_cast<const char*>(t.data()), t.bytes());
  if (bits == 0) return bytes;
  const size_t per_byte = 8 / static_cast<size_t>(bits);
  std::string packed((bytes.size() + per_byte - 1) / per_byte, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    packed[i / per_byte] = static_cast<char>(packed[i / per_byte] | (bytes[i] & ((1 << bits) - 1)) << (i % per_byte * static_cast<size_t>(bits)));
  return packed;
}

std::string model_bytes(const fs::path& folder, Freeze freeze) {
  std::string bytes = read_file(folder / "model.onnx");
  if (freeze == Freeze::kNothing) return bytes;
  pb::ModelProto model;
  if (!model.ParseFromString(bytes)) return bytes;
  const auto inputs = read_tensors(data_sets(folder)[0], "input");
  auto& g = *model.mutable_graph();
  std::vector<pb::ValueInfoProto> kept;
  for (int i = 0; i < g.input_size(); ++i) {
    const Tensor* t = i < static_cast<int>(inputs.size()) ? &inputs[static_cast<size_t>(i)].tensor : nullptr;
    if (!t || g.input(i).name().empty() || !is_frozen(freeze, i, *t)) {
      kept.push_back(g.input(i));
      continue;
    }
    auto* constant = g.add_initializer();
    constant->set_name(g.input(i).name());
    const int32_t declared = g.input(i).type().tensor_type().elem_type();
    constant->set_data_type(packed_bits(declared) != 0 ? declared : static_cast<int32_t>(t->dtype()));
    for (int64_t d : t->dims()) constant->add_dims(d);
    constant->set_raw_data(file_bytes(*t, packed_bits(declared)));
  }
  g.clear_input();
  for (const auto& v : kept) *g.add_input() = v;
  return model.SerializeAsString();
}

std::map<std::string, int64_t> largest_dims(const pb::ModelProto& model, const fs::path& folder) {
  std::map<std::string, int64_t> dims;
  for (const auto& set : data_sets(folder))
    for (const NamedTensor& t : read_tensors(set, "input"))
      for (const auto& v : model.graph().input())
        for (int axis = 0; v.name() == t.name && axis < std::min(t.tensor.rank(), v.type().tensor_type().shape().dim_size());
             ++axis)
          if (const std::string& name = v.type().tensor_type().shape().dim(axis).dim_param(); !name.empty())
            dims[name] = std::max(dims[name], t.tensor.dims()[static_cast<size_t>(axis)]);
  return dims;
}

std::set<size_t> unstable_outputs(const fs::path& folder) {
  std::ifstream in(folder / "unstable");
  return {std::istream_iterator<size_t>(in), {}};
}

}  // namespace edgeconv_test
