// What a user is told about operators that cannot run: a reason for each kind, and all of them in one go.
#include "convert/lower/missing_ops.h"

#include <gtest/gtest.h>

#include <set>

#include "convert/lower/lower.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

std::set<std::string> operators(const Diagnostics& d) {
  std::set<std::string> names;
  for (const Problem& p : d.problems()) names.insert(p.op);
  return names;
}

// Names the node, as an importer does.
void label(GraphBuilder& b, ValueId v, const std::string& type) { b.g.producer(v)->origin = {type + "_node", type, ""}; }

TEST(MissingOps, OtherProblemsAreFoundBehindARefusedOperator) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, 4}), square = b.input("square", {DimExpr::symbol("side"), DimExpr::symbol("side")});
  const ValueId refused = b.g.add_value("refused");  // as after a failed import: nothing defines it
  const ValueId follower = b.node(OpKind::kGather, {x, refused}, AxisAttrs{0});
  const ValueId diagonal = b.node(OpKind::kEinsum, {square}, EinsumAttrs{"ii->i"});
  label(b, follower, "Gather"), label(b, diagonal, "Einsum");
  b.output(follower);
  b.output(diagonal);
  Diagnostics d;
  d.unsupported({"ai.onnx::NonZero(17)", "nz", "", "data-dependent shape", "use torch.where"});
  finish(b.g);
  add_remaining_problems(b.g, d);
  EXPECT_EQ(operators(d), (std::set<std::string>{"ai.onnx::NonZero(17)", "Einsum"})) << "Gather only reads what was refused";
}

TEST(MissingOps, NothingIsSaidTwice) {
  GraphBuilder b;
  const ValueId square = b.input("square", {DimExpr::symbol("side"), DimExpr::symbol("side")});
  const ValueId diagonal = b.node(OpKind::kEinsum, {square}, EinsumAttrs{"ii->i"});
  label(b, diagonal, "Einsum");
  b.output(diagonal);
  Diagnostics d;
  d.unsupported({"ai.onnx::Einsum(17)", "Einsum_node", "", "a reason", ""});
  finish(b.g);
  add_remaining_problems(b.g, d);
  EXPECT_EQ(d.problems().size(), 1u);
}

TEST(MissingOps, EveryKindHasItsOwnReason) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, 8});
  const ValueId named[] = {b.node(OpKind::kMaxPool, {x}, ConvAttrs{}), b.node(OpKind::kEinsum, {x}, EinsumAttrs{"aab->b"}),
                           b.node(OpKind::kIf, {x}, SubgraphAttrs{}), b.node(OpKind::kLoop, {x}, SubgraphAttrs{}),
                           b.node(OpKind::kMatMulInteger, {x, x})};
  std::set<std::string> reasons;
  for (ValueId v : named) {
    const MissingOp m = missing_op(b.g, *b.g.producer(v));
    EXPECT_FALSE(m.hint.empty());
    reasons.insert(m.reason);
  }
  EXPECT_EQ(reasons.size(), std::size(named));
}

}  // namespace

}  // namespace edgeconv::testing
