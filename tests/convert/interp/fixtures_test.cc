// Exported models through import, inference and the interpreter, against the outputs that ONNX Runtime gave: within 1e-4 of
// the output's largest magnitude, with both backends.
#include "tests/convert/fixtures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "convert/import_graph/import_model.h"
#include "tests/cli/fixture_folder.h"
#include "tests/convert/interp/model_data.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;

constexpr double kTolerance = 1e-4;

// Quantized, fp16 and optimised variants are compared elsewhere, by other rules; external data is the same graph.
bool is_variant(const std::string& name) {
  return name.find("__") != std::string::npos && name.find("__external") == std::string::npos;
}

// Sizes that inference computed against the sizes that the interpreter met.
std::string shape_mismatch(const Graph& g, const Node& n, const std::vector<Tensor>& values,
                           const std::map<std::string, int64_t>& dims) {
  for (ValueId v : n.outputs) {
    if (v == kNone) continue;
    const Value& x = g.value(v);
    const Tensor& t = values[static_cast<size_t>(v)];
    if (!x.shape) return x.name + ": no shape";
    if (x.dtype != t.dtype()) return x.name + ": another type";
    if (x.shape->size() != t.dims().size()) return x.name + ": another rank than " + shape_str(*x.shape);
    for (size_t k = 0; k < t.dims().size(); ++k) {
      const auto size = (*x.shape)[k].evaluate(dims);
      if (!size || *size != t.dims()[k])
        return x.name + ": " + shape_str(*x.shape) + " has size " + std::to_string(t.dims()[k]) + " at axis " + std::to_string(k);
    }
    if (!x.elements) continue;
    const std::vector<float> contents = t.to_float();
    if (contents.size() != x.elements->size()) return x.name + ": another number of elements";
    for (size_t k = 0; k < contents.size(); ++k) {
      const auto e = (*x.elements)[k].evaluate(dims);
      if (!e || static_cast<float>(*e) != contents[k])
        return x.name + ": element " + (*x.elements)[k].str() + " is " + std::to_string(contents[k]);
    }
  }
  return {};
}

std::map<std::string, int64_t> dims_of(const Graph& g, const std::vector<Tensor>& inputs) {
  std::map<std::string, int64_t> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& s = *g.value(g.inputs[i]).shape;
    for (size_t k = 0; k < s.size() && k < inputs[i].dims().size(); ++k) {
      if (s[k].is_symbol()) dims[s[k].symbol_name()] = inputs[i].dims()[k];
    }
  }
  return dims;
}

void run_model(const std::filesystem::path& folder) {
  Diagnostics d;
  Graph g = import_model((folder / "model.onnx").string(), d).graph;
  ASSERT_NO_THROW(d.check());
  infer(g, d);
  ASSERT_NO_THROW(d.check());
  const auto sets = data_sets(folder);
  ASSERT_FALSE(sets.empty());
  double worst = 0;
  for (const auto& set : sets) {
    const std::vector<NamedTensor> want = read_tensors(set, "output");
    const std::vector<Tensor> inputs = bind_inputs(g, read_tensors(set, "input"));
    const auto dims = dims_of(g, inputs);
    for (const Backend b : {Backend::kOracle, Backend::kCanonical}) {
      InterpreterOptions options{b, {}};
      std::string first;
      options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
        if (first.empty()) first = shape_mismatch(g, n, values, dims);
      };
      const std::vector<Tensor> got = interpret(g, inputs, options);
      EXPECT_EQ(first, "") << set;
      ASSERT_EQ(got.size(), want.size()) << set;
      for (size_t i = 0; i < got.size(); ++i) {
        // What stands at padding is no promise: torch gives a fully masked query a mean, ert zeros.
        const std::vector<char> flags = edgeconv::testing::counted(want[i].tensor, edgeconv::testing::read_all(set, "input_"));
        const bool same_shape = got[i].dims() == want[i].tensor.dims();
        const double e = same_shape ? edgeconv::testing::compare(want[i].tensor, got[i], flags).relative_error : HUGE_VAL;
        worst = std::max(worst, e);
        EXPECT_LE(e, kTolerance) << set << " output " << want[i].name;
      }
    }
  }
  for (const std::string& w : d.warnings()) std::printf("  warning: %s\n", w.c_str());
  std::printf("%-36s %zu data sets, worst error %.2e\n", folder.filename().c_str(), sets.size(), worst);
}

TEST(Fixtures, RunLikeOnnxRuntime) {
  if (!std::filesystem::is_directory(fixtures_dir())) {
    std::printf("SKIPPED 1: no fixtures (set ERT_FIXTURES)\n");
    GTEST_SKIP();
  }
  const char* only = std::getenv("ERT_FIXTURE");
  int count = 0;
  for (const std::string& name : fixture_names()) {
    if (is_variant(name) || name == "custom_op_no_body" || (only && name.find(only) == std::string::npos)) continue;
    SCOPED_TRACE(name);
    try {
      run_model(fixtures_dir() / name);
    } catch (const std::exception& e) {
      ADD_FAILURE() << name << ": " << e.what();
    }
    ++count;
  }
  std::printf("%d models\n", count);
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace edgeconv_test
