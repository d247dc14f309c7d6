// One evaluator on one row of a table: what it gives or refuses, with both backends.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "convert/import/building_blocks.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"

namespace edgeconv_test {

using namespace edgeconv;
namespace bp = ert::params::binary;
namespace rp = ert::params::reduce;
namespace sc = ert::params::scatter;
namespace pad = ert::params::pad;
namespace un = ert::params::unary;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
using Dims = std::vector<int64_t>;
using Numbers = std::vector<double>;

inline Tensor tensor(DType t, Dims dims, const Numbers& v) {
  return Tensor::of<double>(DType::kDouble, std::move(dims), v).cast(t);
}
inline Tensor f(Dims d, const Numbers& v) { return tensor(DType::kFloat, std::move(d), v); }
inline Tensor i(Dims d, const std::vector<int64_t>& v) { return Tensor::of<int64_t>(DType::kInt64, std::move(d), v); }
inline Tensor row(const Numbers& v) { return f({static_cast<int64_t>(v.size())}, v); }
inline Tensor ints(const std::vector<int64_t>& v) { return Tensor::ints(v); }
inline const Tensor kAbsent;

struct Case {
  const char* name;
  OpKind kind;
  Attributes attrs;
  std::vector<Tensor> inputs;
  Numbers want;  // of the first output
  DType type = DType::kFloat;
  const char* words = nullptr;  // not null: refused, with these
};

inline Case gives(const char* name, OpKind kind, Attributes attrs, std::vector<Tensor> inputs, Numbers want,
                  DType type = DType::kFloat) {
  return {name, kind, std::move(attrs), std::move(inputs), std::move(want), type};
}
inline Case refused(const char* words, OpKind kind, Attributes attrs, std::vector<Tensor> inputs) {
  return {words, kind, std::move(attrs), std::move(inputs), {}, DType::kUndefined, words};
}
inline Case binary(const char* name, bp::Kind kind, Tensor a, Tensor b, Numbers want, DType type = DType::kFloat) {
  return gives(name, OpKind::kBinary, BinaryAttrs{kind}, {std::move(a), std::move(b)}, std::move(want), type);
}
inline Case reduce(const char* name, rp::Kind kind, Tensor x, Numbers want, DType type = DType::kFloat) {
  return gives(name, OpKind::kReduce, ReduceAttrs{kind, {0}, false, false}, {std::move(x)}, std::move(want), type);
}

// What importers guess of a result, and what inference says where the inputs are given when the model runs, is what the evaluator gives.
inline void expect_foretold(const Case& c, const Tensor& out, bool constants) {
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (const Tensor& t : c.inputs) {
    Shape shape(t.dims().begin(), t.dims().end());
    ids.push_back(t.dtype() == DType::kUndefined ? kNone : constants ? b.g.add_constant("c", t) : b.input("in", t.dtype(), shape));
  }
  const ValueId y = b.node(c.kind, ids, c.attrs);
  b.output(y);
  const int rank = rank_hint(b.g, y);
  EXPECT_TRUE(rank < 0 || rank == out.rank()) << rank;
  const DType type = dtype_hint(b.g, y);
  const bool bits = c.kind == OpKind::kBinary && type == DType::kBool && is_integer(out.dtype());  // no importer gives And, Or and Xor integers
  EXPECT_TRUE(type == DType::kUndefined || type == out.dtype() || out.dtype() == DType::kDouble || bits) << dtype_name(type);
  Diagnostics d;
  try {
    infer(b.g, d);
  } catch (const FatalError& e) {
    EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
    return;
  }
  const Value& told = b.g.value(b.g.outputs[0]);
  if (!d.ok() || !told.shape || !is_static(*told.shape)) return;
  EXPECT_EQ(shape_str(*told.shape), shape_str(Shape(out.dims().begin(), out.dims().end()))) << b.g.dump();
}

class EvaluatorTest : public ::testing::TestWithParam<Backend> {
 protected:
  void check(const Case& c) {
    SCOPED_TRACE(c.name);
    GraphBuilder b;
    std::vector<ValueId> ids;
    std::vector<const Tensor*> inputs;
    for (const Tensor& t : c.inputs) {
      ids.push_back(t.dtype() == DType::kUndefined ? kNone : b.g.add_constant("c", t));
      inputs.push_back(&t);
    }
    b.node(c.kind, ids, c.attrs);
    try {
      const std::vector<Tensor> out = evaluate_node(b.g, b.g.nodes.back(), inputs, GetParam());
      ASSERT_EQ(c.words, nullptr) << "accepted";
      ASSERT_FALSE(out.empty());
      EXPECT_EQ(dtype_name(out[0].dtype()), dtype_name(c.type));
      expect_foretold(c, out[0], false);
      expect_foretold(c, out[0], true);
      const Tensor got = out[0].cast(DType::kDouble);
      ASSERT_EQ(got.as<double>().size(), c.want.size());
      for (size_t k = 0; k < c.want.size(); ++k) {
        const double g = got.as<double>()[k], w = c.want[k];
        EXPECT_TRUE(g == w || (std::isnan(g) && std::isnan(w)) || std::fabs(g - w) < 1e-5 * std::max(1.0, std::fabs(w)))
            << k << ": " << g << ", not " << w;
      }
    } catch (const FatalError& e) {
      ASSERT_NE(c.words, nullptr) << e.what();
      EXPECT_EQ(e.code(), ExitCode::kMalformed);
      EXPECT_NE(std::string(e.what()).find(c.words), std::string::npos) << e.what();
    }
  }
};

}  // namespace edgeconv_test
