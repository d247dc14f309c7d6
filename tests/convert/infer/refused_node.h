// A node that inference must refuse: its operands, and words of what it says.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/infer/infer.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {

using namespace edgeconv;
using edgeconv::testing::B;

struct In {  // an input of the graph, a constant, or nothing
  DType type = DType::kUndefined;
  Shape shape = {};
  std::optional<Tensor> constant = {};
};
inline In x(Shape s, DType t = DType::kFloat) { return {t, std::move(s), {}}; }
inline In indices(Shape s) { return x(std::move(s), DType::kInt64); }
inline In is(const std::vector<int64_t>& v) { return {DType::kInt64, {}, Tensor::ints(v)}; }
inline In floats(const std::vector<float>& v) {
  return {DType::kFloat, {}, Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v)};
}
inline In number(int64_t v) { return {DType::kInt64, {}, Tensor::scalar(v)}; }
inline const In kAbsent;

inline ValueId value_of(GraphBuilder& b, const In& in) {
  if (in.constant) return b.g.add_constant("c" + std::to_string(b.g.values.size()), *in.constant);
  return in.type == DType::kUndefined ? kNone : b.input("in" + std::to_string(b.g.inputs.size()), in.type, in.shape);
}

struct Refused {
  const char* words;
  OpKind kind;
  Attributes attrs;
  std::vector<In> inputs;
};

inline void expect_refused(const Refused& r) {
  SCOPED_TRACE(std::string(op_name(r.kind)) + ": " + r.words);
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (const In& in : r.inputs) ids.push_back(value_of(b, in));
  b.output(b.node(r.kind, ids, r.attrs));
  Diagnostics d;
  std::string said;
  try {
    infer(b.g, d);
    d.check();
  } catch (const FatalError& e) {
    EXPECT_TRUE(e.code() == ExitCode::kMalformed || e.code() == ExitCode::kUnsupported) << static_cast<int>(e.code());
    said = e.what();
  }
  EXPECT_NE(said.find(r.words), std::string::npos) << (said.empty() ? "accepted" : said);
}

}  // namespace edgeconv_test
