// Reading of ONNX test data sets and comparison of tensors.
#include "tests/convert/interp/model_data.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "convert/onnx/tensor_file.h"

namespace edgeconv_test {

using edgeconv::Tensor;

std::vector<NamedTensor> read_tensors(const std::filesystem::path& set, const std::string& prefix) {
  std::vector<NamedTensor> r;
  for (size_t i = 0;; ++i) {
    const auto path = set / (prefix + "_" + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(path)) return r;
    NamedTensor t;
    t.tensor = edgeconv::read_tensor_pb(path.string(), &t.name);
    r.push_back(std::move(t));
  }
}

std::vector<std::filesystem::path> data_sets(const std::filesystem::path& model_folder) {
  std::vector<std::filesystem::path> r;
  for (const auto& e : std::filesystem::directory_iterator(model_folder)) {
    if (e.is_directory() && e.path().filename().string().rfind("test_data_set_", 0) == 0) r.push_back(e.path());
  }
  std::sort(r.begin(), r.end());
  return r;
}

std::vector<Tensor> bind_inputs(const edgeconv::Graph& g, const std::vector<NamedTensor>& data) {
  std::vector<Tensor> r;
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    const std::string& name = g.value(g.inputs[i]).name;
    const auto at = std::find_if(data.begin(), data.end(), [&](const NamedTensor& t) { return t.name == name; });
    if (at != data.end()) {
      r.push_back(at->tensor);
    } else if (i < data.size()) {
      r.push_back(data[i].tensor);
    }
  }
  return r;
}

namespace {

std::string dims_str(const Tensor& t) {
  std::ostringstream s;
  s << edgeconv::dtype_name(t.dtype()) << "[";
  for (int64_t d : t.dims()) s << d << ",";
  s << "]";
  return s.str();
}

std::vector<double> doubles(const Tensor& t) {
  const Tensor d = t.cast(edgeconv::DType::kDouble);
  return {d.as<double>().begin(), d.as<double>().end()};
}

}  // namespace

std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol) {
  if (got.dtype() != want.dtype() || got.dims() != want.dims()) return "got " + dims_str(got) + ", want " + dims_str(want);
  const bool tolerant = edgeconv::is_float(want.dtype()) || atol >= 1;  // whole steps of quantized results
  const std::vector<double> a = doubles(got), b = doubles(want);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] || (tolerant && std::fabs(a[i] - b[i]) <= atol + rtol * std::fabs(b[i]))) continue;
    std::ostringstream s;
    s << "element " << i << " of " << dims_str(want) << ": got " << a[i] << ", want " << b[i];
    return s.str();
  }
  return {};
}

}  // namespace edgeconv_test
